//! Locks with ranks, which prevent deadlocks, and which are closed after a panic.
//!
//! Every lock of the runtime is made with a [`Rank`]. A thread may take a lock only if its rank is higher than
//! the ranks of all locks that the thread holds. Debug builds check this at each acquisition, so that a cycle
//! in the lock order fails a test instead of deadlocking an application. Release builds do not check it.
//!
//! A panic that unwinds through a [`Guard`] may have interrupted a change of the value. It *closes* the lock: every
//! later attempt to take it panics too, before the value is seen. The frame around the entry points and the
//! runtime's threads catch these panics ([`crate::process::fails`]). Destructors must not panic, so they use
//! [`Mutex::lock_to_release`], and leak what they would give back to a closed lock.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// The order of all locks, outermost first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Rank {
    /// A command-buffer's commands.
    CommandBuffer,
    /// The state of a semaphore.
    Semaphore,
    /// A context's lists.
    Context,
    /// A program's build state.
    Program,
    /// The values of a program's specialization constants.
    Specialization,
    /// A kernel's arguments.
    Kernel,
    /// A queue's right to retire completed batches, which keeps them in order.
    Retire,
    /// A queue's open batch, deferred commands and batches in flight.
    Queue,
    /// A memory object's mappings, residence and callbacks.
    Mem,
    /// A context's table of the host memory that commands in flight store into.
    HostStores,
    /// A kernel's pipelines.
    Pipelines,
    /// A module's driver cache.
    PipelineCache,
    /// An event's callbacks and dependents.
    Event,
    /// A context's executor, and its pools of threads.
    Executor,
    /// A device's Vulkan device, held while it is made.
    Device,
    /// A device's uploader.
    Upload,
    /// A device's free staging memory and recycled storage.
    Staging,
    /// The job of the copy threads.
    Copy,
    /// A device's semaphores that are shared with other APIs.
    SharedSemaphores,
    /// A Vulkan queue (external synchronisation of vkQueueSubmit).
    Submit,
    /// A device's memory allocator.
    Allocator,
    /// The fences of a timeline's pending submissions.
    FenceTimeline,
    /// A device's idle fences.
    Fences,
    /// A device's idle timeline semaphores.
    Timelines,
    /// The addresses of a device's buffers.
    DeviceBuffers,
    /// The files that a build has tried to read.
    Included,
    /// Caches, and tables that are filled at first use.
    Cache,
    /// The number of bytes in a directory of the cache on disk.
    DiskCache,
    /// The Vulkan instance, held while it is made.
    Instance,
    /// The file of the trace.
    TraceFile,
    /// The profile of the process.
    Observed,
    /// The records of the trace that wait to be written.
    Trace,
}

#[cfg(debug_assertions)]
mod held {
    use super::Rank;
    use std::cell::RefCell;

    thread_local! {
        static HELD: RefCell<Vec<Rank>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn push(rank: Rank) {
        // During the destruction of thread-local variables, nothing is left to check against.
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if let Some(&top) = held.iter().max() {
                assert!(top < rank, "lock order: {rank:?} taken while {top:?} is held");
            }
            held.push(rank);
        });
    }

    pub(super) fn pop(rank: Rank) {
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if let Some(at) = held.iter().rposition(|&r| r == rank) {
                held.remove(at);
            }
        });
    }

    /// Returns whether this thread holds no lock, as must be the case when the application is called back.
    pub(super) fn none() -> bool {
        HELD.try_with(|held| held.borrow().is_empty()).unwrap_or(true)
    }
}

/// Asserts in debug builds that the thread holds no ranked lock.
pub(crate) fn assert_none_held() {
    #[cfg(debug_assertions)]
    assert!(held::none(), "a callback would run with a lock held");
}

/// A mutex with a rank.
#[derive(Debug)]
pub(crate) struct Mutex<T> {
    #[cfg(debug_assertions)]
    rank: Rank,
    /// Whether a panic has unwound through a guard. This is changed and read only while the lock is held.
    closed: AtomicBool,
    inner: parking_lot::Mutex<T>,
}

/// Access to the value of a [`Mutex`], as long as the lock is held.
pub(crate) struct Guard<'a, T> {
    lock: &'a Mutex<T>,
    /// Whether a thread that already unwound took the lock by [`Mutex::lock_to_release`]. Then the panic did not
    /// interrupt a change under this guard.
    unwinding: bool,
    inner: parking_lot::MutexGuard<'a, T>,
}

impl<T> Mutex<T> {
    /// Makes a lock around `value`.
    pub(crate) const fn new(rank: Rank, value: T) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = rank;
        Mutex {
            #[cfg(debug_assertions)]
            rank,
            closed: AtomicBool::new(false),
            inner: parking_lot::Mutex::new(value),
        }
    }

    /// Waits for the lock. Panics if a panic has closed it, unless this thread already unwinds: a panic of a
    /// destructor would end the process.
    pub(crate) fn lock(&self) -> Guard<'_, T> {
        let guard = self.take();
        guard.check();
        guard
    }

    /// Waits for the lock, in a destructor or another function that only releases a resource. Returns `None`
    /// if a panic has closed the lock; the caller then leaks the resource.
    pub(crate) fn lock_to_release(&self) -> Option<Guard<'_, T>> {
        let mut guard = self.take();
        guard.unwinding = std::thread::panicking();
        (!self.is_closed()).then_some(guard)
    }

    fn take(&self) -> Guard<'_, T> {
        #[cfg(debug_assertions)]
        held::push(self.rank);
        self.guard(self.inner.lock())
    }

    fn guard<'a>(&'a self, inner: parking_lot::MutexGuard<'a, T>) -> Guard<'a, T> {
        Guard {
            lock: self,
            unwinding: false,
            inner,
        }
    }

    /// Returns whether a panic has closed the lock.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Waits for the lock, spinning for a while before the thread sleeps. It is for locks that are held for a
    /// microsecond or two; to sleep and be woken takes several times as long.
    pub(crate) fn lock_soon(&self) -> Guard<'_, T> {
        const TRIES: u32 = 256;
        for _ in 0..TRIES {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            std::hint::spin_loop();
        }
        self.lock()
    }

    /// Takes the lock if it is free.
    pub(crate) fn try_lock(&self) -> Option<Guard<'_, T>> {
        let inner = self.inner.try_lock()?;
        #[cfg(debug_assertions)]
        held::push(self.rank);
        let guard = self.guard(inner);
        guard.check();
        Some(guard)
    }

    /// Returns the value, which an exclusive borrow needs no lock for.
    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.inner.get_mut()
    }
}

impl<T> Guard<'_, T> {
    /// Closes the lock, because a panic interrupted a change for which the lock is taken several times.
    pub(crate) fn close(&self) {
        self.lock.closed.store(true, Ordering::Relaxed);
    }

    fn check(&self) {
        if self.lock.is_closed() {
            refuse();
        }
    }
}

#[cold]
fn refuse() {
    // A panic of a destructor would end the process.
    if std::thread::panicking() {
        return;
    }
    panic!("an earlier panic interrupted a change of what this lock guards")
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.unwinding {
            self.close();
        }
        #[cfg(debug_assertions)]
        held::pop(self.lock.rank);
    }
}

/// A condition variable for [`Mutex`].
#[derive(Debug, Default)]
pub(crate) struct Condvar {
    inner: parking_lot::Condvar,
}

impl Condvar {
    /// Makes a condition variable without waiting threads.
    pub(crate) const fn new() -> Self {
        Condvar {
            inner: parking_lot::Condvar::new(),
        }
    }

    /// Releases the lock, waits for a notification, and takes the lock again, as [`Mutex::lock`] does.
    pub(crate) fn wait<T>(&self, guard: &mut Guard<'_, T>) {
        self.inner.wait(&mut guard.inner);
        guard.check();
    }

    /// Waits as [`Condvar::wait`] does, for at most `timeout`. Returns `true` if the time ran out.
    pub(crate) fn wait_for<T>(&self, guard: &mut Guard<'_, T>, timeout: std::time::Duration) -> bool {
        let over = self.inner.wait_for(&mut guard.inner, timeout).timed_out();
        guard.check();
        over
    }

    /// Wakes all waiting threads.
    pub(crate) fn notify_all(&self) {
        self.inner.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increasing_ranks_are_fine() {
        let a = Mutex::new(Rank::Context, 1);
        let b = Mutex::new(Rank::Queue, 2);
        let ga = a.lock();
        let gb = b.lock();
        assert_eq!(*ga + *gb, 3);
        drop(ga);
        drop(gb);
        assert_none_held();
    }

    /// Panics while `lock` is held.
    fn interrupt(lock: &Mutex<i32>) {
        let caught = std::thread::scope(|s| {
            s.spawn(|| {
                let mut guard = lock.lock();
                *guard = 2;
                panic!("on purpose");
            })
            .join()
        });
        assert!(caught.is_err());
    }

    #[test]
    fn a_panic_closes_the_locks_that_it_unwinds_through() {
        let (closed, open) = (Mutex::new(Rank::Context, 1), Mutex::new(Rank::Queue, 1));
        drop(open.lock());
        interrupt(&closed);
        let locks: [fn(&Mutex<i32>); 3] = [
            |l| drop(l.lock()),
            |l| drop(l.lock_soon()),
            |l| drop(l.try_lock()),
        ];
        for lock in locks {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| lock(&closed)));
            assert!(caught.is_err(), "the half-changed value was accessible");
        }
        assert!(closed.lock_to_release().is_none());
        assert_eq!(*open.lock(), 1);
        assert_none_held();
    }

    #[test]
    fn a_thread_that_waits_learns_that_the_lock_was_closed() {
        let (lock, changed) = (Mutex::new(Rank::Context, 1), Condvar::new());
        std::thread::scope(|s| {
            let waiting = s.spawn(|| {
                let mut guard = lock.lock();
                while *guard != 3 {
                    changed.wait_for(&mut guard, std::time::Duration::from_millis(1));
                }
            });
            interrupt(&lock);
            assert!(waiting.join().is_err());
        });
    }

    /// A destructor that runs during unwinding completes its changes. So it closes no lock, and it must not
    /// panic.
    #[test]
    fn a_destructor_that_runs_while_its_thread_unwinds_closes_nothing() {
        struct Release<'a>(&'a Mutex<i32>, &'a Mutex<i32>);
        impl Drop for Release<'_> {
            fn drop(&mut self) {
                *self.0.lock_to_release().expect("nothing closed it") += 1;
                assert!(self.1.lock_to_release().is_none());
                *self.1.lock() += 1;
            }
        }
        let (open, closed) = (Mutex::new(Rank::Queue, 1), Mutex::new(Rank::Mem, 1));
        interrupt(&closed);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _release = Release(&open, &closed);
            panic!("on purpose");
        }));
        assert!(caught.is_err());
        assert_eq!(*open.lock(), 2);
    }

    #[test]
    #[cfg(debug_assertions)]
    fn decreasing_ranks_are_caught() {
        let caught = std::thread::spawn(|| {
            let a = Mutex::new(Rank::Context, 1);
            let b = Mutex::new(Rank::Queue, 2);
            let _b = b.lock();
            let _a = a.lock();
        })
        .join();
        assert!(caught.is_err());
    }
}
