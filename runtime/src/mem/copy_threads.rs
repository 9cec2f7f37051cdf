//! The copy threads: threads of the process that share large copies in host memory.
//!
//! The first large copy starts them; they live until the process ends. While a sleeping thread wakes, one thread
//! copies some hundred kilobytes. So the copy threads stay awake for a moment after each copy, and a
//! thread that waits for the GPU before a copy wakes them in advance ([`CopyThreads::call`]). On machines with
//! few processors they do neither.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::lock::{Mutex, Rank};

/// The greatest number of copy threads; more were not faster where this was measured.
const MOST_HELPERS: usize = 8;
/// With fewer processors, copy threads do not stay awake for copies that may come.
const MANY_PROCESSORS: usize = 8;
/// The time for which copy threads stay awake after a copy: the next chunk of a long transfer follows within
/// it.
const LINGER: Duration = Duration::from_micros(100);

static COPY_THREADS: OnceLock<Option<Arc<CopyThreads>>> = OnceLock::new();

fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get))
}

/// A job that several threads can share.
pub(super) trait Job: Send + Sync {
    /// Does parts of the job until none is left to take.
    fn work(&self);
    /// Returns whether a part is left to take.
    fn is_open(&self) -> bool;
}

/// A group of copy threads, with the job that they share.
pub(super) struct CopyThreads {
    job: Mutex<Option<Arc<dyn Job>>>,
    /// Counts the jobs; raised with each new job.
    jobs: AtomicU64,
    /// The threads stay awake until this time, in nanoseconds after `start`.
    until: AtomicU64,
    start: Instant,
    linger: Duration,
    members: Box<[Member]>,
}

#[derive(Default)]
struct Member {
    /// Set by the thread itself before it parks, and reset by the thread that wakes it.
    sleeps: AtomicBool,
    /// Set before the thread first sleeps.
    thread: OnceLock<Thread>,
}

impl CopyThreads {
    /// Returns the copy threads of the process, which the first call starts; `None` if there are none.
    pub(super) fn get() -> Option<&'static Arc<CopyThreads>> {
        let fresh = || {
            let linger = if CopyThreads::comes_when_called() {
                LINGER
            } else {
                Duration::ZERO
            };
            CopyThreads::start((processors() / 2).min(MOST_HELPERS), linger)
        };
        COPY_THREADS.get_or_init(fresh).as_ref()
    }

    /// Returns the copy threads of the process, if they have been started.
    pub(super) fn started() -> Option<&'static Arc<CopyThreads>> {
        COPY_THREADS.get()?.as_ref()
    }

    /// Returns whether [`CopyThreads::call`] wakes the copy threads of this process: there are enough
    /// processors.
    pub(super) fn comes_when_called() -> bool {
        processors() >= MANY_PROCESSORS
    }

    /// Starts `count` threads that stay awake for `linger` after each copy.
    pub(super) fn start(count: usize, linger: Duration) -> Option<Arc<CopyThreads>> {
        let copy_threads = Arc::new(CopyThreads {
            job: Mutex::new(Rank::Copy, None),
            jobs: AtomicU64::new(0),
            until: AtomicU64::new(0),
            start: Instant::now(),
            linger,
            members: (0..count).map(|_| Member::default()).collect(),
        });
        let mut started = 0;
        for index in 0..count {
            let thread = std::thread::Builder::new().name("caldera-copy".into());
            let this = Arc::clone(&copy_threads);
            if thread.spawn(move || this.run(index)).is_ok() {
                started += 1;
            }
        }
        (started > 0).then_some(copy_threads)
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Returns whether the threads are awake, so that sharing a job costs little.
    pub(super) fn is_awake(&self) -> bool {
        self.now() < self.until.load(Ordering::Relaxed)
    }

    /// Wakes the first `helpers` threads and keeps them awake for `time`, because a job will follow. Has no
    /// effect on machines with few processors.
    pub(super) fn call(&self, helpers: usize, time: Duration) {
        if !self.linger.is_zero() {
            self.stay(time);
            self.wake(helpers);
        }
    }

    fn stay(&self, time: Duration) {
        let until = self.now() + time.as_nanos() as u64;
        self.until.fetch_max(until, Ordering::SeqCst);
    }

    /// Does a job together with the threads that are awake; wakes up to `helpers` more. Returns when no part of
    /// the job is left to take, although other threads may not have finished theirs. An earlier job that is still in
    /// progress gets no further helpers.
    pub(super) fn share(&self, job: &Arc<impl Job + 'static>, helpers: usize) {
        *self.job.lock() = Some(Arc::clone(job) as Arc<dyn Job>);
        self.jobs.fetch_add(1, Ordering::SeqCst);
        self.wake(helpers);
        job.work();
        if !self.linger.is_zero() {
            self.stay(self.linger);
        }
    }

    /// Wakes those of the first `helpers` threads that sleep.
    fn wake(&self, helpers: usize) {
        for member in self.members.iter().take(helpers) {
            if member.sleeps.load(Ordering::SeqCst)
                && member.sleeps.swap(false, Ordering::SeqCst)
                && let Some(thread) = member.thread.get()
            {
                thread.unpark();
            }
        }
    }

    fn run(&self, index: usize) {
        let member = &self.members[index];
        member.thread.get_or_init(std::thread::current);
        let mut seen = 0;
        loop {
            let jobs = self.jobs.load(Ordering::SeqCst);
            if jobs != seen {
                seen = jobs;
                let job = self.job.lock().clone();
                if let Some(job) = job.filter(|j| j.is_open()) {
                    job.work();
                }
            } else if self.now() < self.until.load(Ordering::SeqCst) {
                std::hint::spin_loop();
            } else {
                member.sleeps.store(true, Ordering::SeqCst);
                // A thread that wakes others first stores `jobs` or `until`, which are read here, and then
                // reads `sleeps`; so one of the two sees the other's store.
                let called = self.jobs.load(Ordering::SeqCst) != seen
                    || self.now() < self.until.load(Ordering::SeqCst);
                if called {
                    member.sleeps.store(false, Ordering::SeqCst);
                }
                while member.sleeps.load(Ordering::SeqCst) {
                    std::thread::park();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// A job that counts to a number.
    struct Count {
        next: AtomicUsize,
        done: AtomicUsize,
        last: usize,
    }

    impl Job for Count {
        fn work(&self) {
            while self.next.fetch_add(1, Ordering::Relaxed) < self.last {
                self.done.fetch_add(1, Ordering::Release);
            }
        }

        fn is_open(&self) -> bool {
            self.next.load(Ordering::Relaxed) < self.last
        }
    }

    #[test]
    fn jobs_are_done_once_whoever_sleeps() {
        for linger in [Duration::ZERO, Duration::from_micros(50)] {
            let copy_threads = CopyThreads::start(3, linger).expect("threads");
            assert!(!copy_threads.is_awake());
            for round in 0..300usize {
                if round % 3 == 0 {
                    copy_threads.call(round % 4, Duration::from_micros(20));
                }
                let job = Arc::new(Count {
                    next: AtomicUsize::new(0),
                    done: AtomicUsize::new(0),
                    last: 100 + round,
                });
                copy_threads.share(&job, round % 5);
                while job.done.load(Ordering::Acquire) < job.last {
                    std::thread::yield_now();
                }
                if round % 50 == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                assert_eq!(job.done.load(Ordering::Acquire), job.last);
            }
        }
    }

    /// A sleeping thread is found asleep, and wakes when it is called.
    #[test]
    fn members_come_when_called() {
        let copy_threads = CopyThreads::start(2, Duration::from_micros(1)).expect("threads");
        let sleeping = || {
            copy_threads
                .members
                .iter()
                .filter(|m| m.sleeps.load(Ordering::SeqCst))
                .count()
        };
        let until = |count| {
            let start = Instant::now();
            while sleeping() != count {
                assert!(start.elapsed() < Duration::from_secs(20), "{count} sleep");
                std::thread::yield_now();
            }
        };
        until(2);
        copy_threads.call(1, Duration::from_secs(3600));
        until(1);
        assert!(copy_threads.is_awake());
        copy_threads.call(2, Duration::ZERO);
        until(0);
        copy_threads.until.store(0, Ordering::SeqCst);
        until(2);
    }
}
