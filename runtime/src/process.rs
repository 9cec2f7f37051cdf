//! The exit, the forks and the failure of the process, after which Vulkan may no longer be used.
//!
//! **Exit.** Drivers and layers have destructors, which run in the reverse order of their registration; Vulkan
//! calls after them crash (observed with the validation layer and with LLVM). So each time after a driver was
//! loaded or has created something, the icd crate registers an exit function ([`on_load`]). As the last one
//! registered, it runs before their destructors; it waits a little for commands in flight, and from then on
//! nothing calls Vulkan any more ([`is_over`]).
//!
//! **Fork.** A child process inherits the library's memory, but neither its threads nor those of the driver.
//! Until the application creates its first context, nothing of Vulkan has to stay: [`before_fork`] destroys the
//! instance, and the devices that were opened for measurement, so that parent and child each open their own at
//! the next use; handles of the platform and of devices are valid in both. After the first context, or if
//! another thread is inside a call, Vulkan stays open, and the child's calls fail.
//!
//! **Failure.** A panic is a bug of the runtime, and may have interrupted any change. The code that catches
//! a panic calls [`fails`]. From then on, every call returns an error without looking at any object. Calls
//! in progress on other threads may go on until they need a lock that the panic closed (`lock.rs`).

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::platform::Platform;
use crate::queue::CommandQueue;
use crate::weak_list::WeakList;

/// The time for which the exit of the process waits for the GPU: long enough for most commands in flight, and
/// short enough for a user who interrupts a program whose commands take minutes. Drivers must tolerate commands
/// in flight, as they do when a signal ends a process.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time after the last call of [`driver_is_busy`] until which the exit waits for commands and threads, even if that is
/// longer than [`PATIENCE`]. Drivers for CPUs compile a pipeline when it runs for the first time, and a compiler whose global objects are
/// destroyed meanwhile aborts the process (observed with LLVM). So does the CUDA driver while it is initialised.
const PATIENCE_WITH_DRIVERS: Duration = Duration::from_secs(3);

/// The time of the last call of [`driver_is_busy`], in milliseconds from [`started`] on, at least 1; 0 if there was none.
static DRIVER_BUSY: AtomicU64 = AtomicU64::new(0);

/// Returns the time from which other times are counted.
fn started() -> Instant {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    *STARTED.get_or_init(Instant::now)
}

/// Notes that a driver begins something that its destructors must not interrupt: a pipeline was made, which the
/// driver may compile when it runs, or the CUDA driver is initialised.
pub(crate) fn driver_is_busy() {
    let now = started().elapsed().as_millis() as u64;
    DRIVER_BUSY.fetch_max(now.max(1), Ordering::Relaxed);
}

static OVER: AtomicBool = AtomicBool::new(false);
static USED: AtomicBool = AtomicBool::new(false);
static HOOK: OnceLock<fn()> = OnceLock::new();
/// The number of threads that are in [`unless_over`].
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// All queues, for the exit. The lock needs no rank: no other lock is taken, and nothing is waited for, while
/// it is held.
static QUEUES: Mutex<WeakList<CommandQueue>> = Mutex::new(WeakList::new());

/// Returns whether the process exits, or is a child that inherited Vulkan in use: then no call does anything.
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

static FAILED: AtomicBool = AtomicBool::new(false);

/// Notes that a panic was caught, so objects may be half changed. Panics of the compiler that it catches itself do not
/// count, because it changes no objects.
pub fn fails() {
    // Unit tests panic on purpose, and share a process.
    if !cfg!(test) {
        FAILED.store(true, Ordering::SeqCst);
    }
}

/// Returns whether a panic was caught: then no call uses an object.
pub fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// A thread of the runtime that may call Vulkan, for the exit to wait for.
struct Working;

impl Drop for Working {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `work`, which may call Vulkan, on a thread of the runtime, unless the process exits; the exit waits for
/// it. Returns whether it ran.
pub(crate) fn unless_over(work: impl FnOnce()) -> bool {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    let _working = Working;
    let goes = !OVER.load(Ordering::SeqCst);
    if goes {
        work();
    }
    goes
}

/// Sets the function that is called each time when drivers may have registered destructors.
pub fn on_load(hook: fn()) {
    let _ = HOOK.set(hook);
}

/// The function that returns the effective user of the process.
static USER: OnceLock<fn() -> Option<u32>> = OnceLock::new();

/// Sets the function that returns the effective user of the process.
pub fn on_user(user: fn() -> Option<u32>) {
    let _ = USER.set(user);
}

/// Returns the effective user of the process, if it is known.
pub(crate) fn user() -> Option<u32> {
    match USER.get() {
        Some(user) => user(),
        // Without the icd crate, no function has been set.
        None => crate::os::files::user(),
    }
}

/// The application has created a context, or is about to.
static HAS_CONTEXT: AtomicBool = AtomicBool::new(false);
/// The number of calls in progress, counted until there is a context.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// The number of forks in progress.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// The time for which a call waits for another thread's fork.
const FORK_PATIENCE: Duration = Duration::from_secs(1);

/// A call in progress; the field says whether it is counted.
pub struct Inside(bool);

impl Drop for Inside {
    fn drop(&mut self) {
        if self.0 {
            CALLS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Begins a call. Until there is a context, calls wait for forks, and a fork during a call leaves Vulkan open.
pub fn enter() -> Inside {
    if HAS_CONTEXT.load(Ordering::Relaxed) {
        return Inside(false);
    }
    CALLS.fetch_add(1, Ordering::SeqCst);
    let end = Instant::now() + FORK_PATIENCE;
    // A fork handler of another library that calls from inside the fork would wait for itself, so the wait is
    // limited.
    while FORKS.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        CALLS.fetch_sub(1, Ordering::SeqCst);
        std::thread::yield_now();
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    Inside(true)
}

/// Notes that the application creates a context: from now on drivers stay loaded.
pub(crate) fn makes_context() {
    HAS_CONTEXT.store(true, Ordering::SeqCst);
}

/// Returns whether the application has created a context, or is about to.
pub(crate) fn has_context() -> bool {
    HAS_CONTEXT.load(Ordering::Relaxed)
}

/// Prepares for a fork, which this thread is about to make.
pub fn before_fork() {
    FORKS.fetch_add(1, Ordering::SeqCst);
    let is_idle = CALLS.load(Ordering::SeqCst) == 0 && !HAS_CONTEXT.load(Ordering::SeqCst);
    if is_idle && USED.load(Ordering::Relaxed) && !is_over() {
        Platform::close();
    }
}

/// Notes in the parent process that the fork is over.
pub fn after_fork() {
    FORKS.fetch_sub(1, Ordering::SeqCst);
}

/// Notes that Vulkan is about to be used.
pub(crate) fn uses_vulkan() {
    USED.store(true, Ordering::Relaxed);
}

/// Notes that a driver was loaded or has created something.
pub(crate) fn loaded() {
    if let Some(hook) = HOOK.get() {
        hook();
    }
}

/// Notes that a command was executed: drivers create some of the objects that they destroy at the exit only at
/// the first execution.
pub(crate) fn ran() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(loaded);
}

/// Adds a queue that the exit waits for.
pub(crate) fn add_queue(queue: &std::sync::Arc<CommandQueue>) {
    QUEUES.lock().unwrap_or_else(PoisonError::into_inner).push(queue);
}

/// Handles the exit of the process.
pub fn exits() {
    if OVER.swap(true, Ordering::SeqCst) {
        return;
    }
    settle();
    crate::observe::exits();
}

/// Returns the time until which an exit that begins `now` waits. `busy` is the value of [`DRIVER_BUSY`].
fn end_of_patience(now: Instant, started: Instant, busy: u64) -> Instant {
    match busy {
        0 => now + PATIENCE,
        busy => (now + PATIENCE).max(started + Duration::from_millis(busy) + PATIENCE_WITH_DRIVERS),
    }
}

/// Waits a little for threads in calls of Vulkan and for commands in flight.
fn settle() {
    let end = end_of_patience(Instant::now(), started(), DRIVER_BUSY.load(Ordering::Relaxed));
    while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    // A thread that was stopped while it held the lock never releases it; then nothing is waited for.
    let Ok(queues) = QUEUES.try_lock() else { return };
    // No queue may be dropped: this may be the last reference, and nothing is torn down.
    for queue in queues.iter() {
        while !queue.is_settled() && Instant::now() < end {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::mem::forget(queue);
    }
}

/// Handles a fork in the child process.
pub fn forked() {
    let was_idle = CALLS.swap(0, Ordering::SeqCst) == 0;
    FORKS.store(0, Ordering::SeqCst);
    crate::observe::forked();
    let is_clean = was_idle && (!USED.load(Ordering::Relaxed) || Platform::is_closed());
    if !is_clean {
        OVER.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_waits_longer_only_after_a_driver_was_busy() {
        let started = Instant::now();
        let now = started + Duration::from_secs(1);
        assert_eq!(end_of_patience(now, started, 0), now + PATIENCE);
        let busy = end_of_patience(now, started, 900);
        assert_eq!(busy, started + Duration::from_millis(900) + PATIENCE_WITH_DRIVERS);
        let later = started + Duration::from_secs(60);
        assert_eq!(end_of_patience(later, started, 900), later + PATIENCE);
    }
}
