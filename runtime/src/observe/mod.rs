//! What the library sees of a program while it runs: the profile (`CALDERA_PROFILE`).
//!
//! A queue of an observed process makes an event for each command, with a [`Note`] of what the command is, and records time
//! stamps around it as a queue with CL_QUEUE_PROFILING_ENABLE does, but without the barriers of such a queue. A time stamp
//! is written when all earlier commands are complete. So if commands overlap, the time of each counts from the completion of
//! those before it, and the times of a queue add up to the time in which the device worked for it.
//!
//! The profile is written when the process exits. It has what has been retired until then: nothing is waited for, and Vulkan is
//! not called. A process that is killed or calls `_exit` writes none, and neither does a forked child.
//!
//! No lock of this module is held while the driver or the application is called. If nothing is observed, [`observer`] returns
//! `None`, and a queue tests that once for each command.

mod hints;
mod json;
mod profile;
mod report;
mod resources;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub(crate) use profile::Path;
use profile::Profile;

use crate::command::CommandType;
use crate::config::{Config, config};
/// The clock of all times, that of events.
pub(crate) use crate::event::now;

/// A kernel of a program on a device.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Its place in the profile.
    row: usize,
    name: String,
}

/// What is known of a command when it is enqueued.
#[derive(Debug)]
pub(crate) struct Note {
    pub kind: CommandType,
    pub launch: Option<Arc<Kernel>>,
    /// The number of bytes that the command copies or fills.
    pub bytes: u64,
    pub place: Place,
}

/// The queue to which a command belongs.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Place {
    /// The number of the queue: the application's queues are numbered from 1 in the order of their creation.
    pub queue: u32,
    /// The number of the device.
    pub device: usize,
}

/// An access to a buffer, by the number of its root.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Region {
    pub root: usize,
    pub start: u64,
    pub end: u64,
}

/// What a command means for the hints.
#[derive(Default)]
pub(crate) struct Effect<'a> {
    /// The roots of the buffers that it may write.
    pub written: &'a [usize],
    /// It may write any memory.
    pub writes_anything: bool,
    /// The region that clEnqueueReadBuffer reads.
    pub reads: Option<Region>,
    /// Its call returns when it is complete.
    pub blocking: bool,
    /// It is a launch of several work-groups of one work-item each.
    pub has_single_items: bool,
}

/// The times of a complete command, in nanoseconds of the clock of events.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Times {
    pub start: u64,
    pub end: u64,
}

/// What observes the process.
pub(crate) struct Observer {
    profile: Profile,
    /// The number of queues.
    queues: AtomicU32,
}

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Observer")
    }
}

/// The process is not observed any more.
static OVER: AtomicBool = AtomicBool::new(false);

/// Returns what observes the process, if something does.
#[inline]
pub(crate) fn observer() -> Option<&'static Observer> {
    static OBSERVER: OnceLock<Option<Observer>> = OnceLock::new();
    let observer = OBSERVER.get_or_init(|| Observer::new(config())).as_ref();
    observer.filter(|_| !OVER.load(Ordering::Relaxed))
}

/// The number of builds whose results were in a cache.
static CACHED_BUILDS: AtomicU64 = AtomicU64::new(0);

/// Notes that a result of the compiler was in a cache.
pub(crate) fn build_was_cached() {
    CACHED_BUILDS.fetch_add(1, Ordering::Relaxed);
}

/// Begins to observe the process, if that is wanted: the time of the profile counts from here.
pub fn begin() {
    observer();
}

/// Runs a build, a compilation or a link, which returns whether it succeeded.
pub(crate) fn build(work: impl FnOnce() -> bool) -> bool {
    let Some(observer) = observer() else { return work() };
    let start = now();
    let good = work();
    observer.profile.built(Times { start, end: now() }, good);
    good
}

/// Writes the results, because the process exits. Never blocks for long, and never panics.
pub(crate) fn exits() {
    if let Some(observer) = observer() {
        OVER.store(true, Ordering::Relaxed);
        // A panic must not unwind into the C library.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| observer.write()));
    }
}

/// Notes that this process is a forked child, which is not observed.
pub(crate) fn forked() {
    OVER.store(true, Ordering::Relaxed);
}

/// Takes a lock at the exit. A thread that was stopped while it held the lock never releases it, so after a while this returns
/// `None`.
fn lock_at_exit<T>(lock: &crate::lock::Mutex<T>) -> Option<crate::lock::Guard<'_, T>> {
    const TRIES: u32 = 200;
    for _ in 0..TRIES {
        if let Some(guard) = lock.try_lock() {
            return Some(guard);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Returns a path in which `%p` is replaced by the number of the process.
fn of_process(path: &std::path::Path) -> std::path::PathBuf {
    match path.to_str() {
        Some(text) => text.replace("%p", &std::process::id().to_string()).into(),
        None => path.to_owned(),
    }
}

impl Observer {
    fn new(config: &Config) -> Option<Observer> {
        config.profile.as_ref().map(|_| Observer {
            profile: Profile::new(now()),
            queues: AtomicU32::new(0),
        })
    }

    /// Returns the place of the commands of a new queue.
    pub(crate) fn place(&self, device: &str) -> Place {
        Place {
            queue: self.queues.fetch_add(1, Ordering::Relaxed) + 1,
            device: self.profile.device(device),
        }
    }

    /// Returns the entry of a kernel on a device. `program` tells apart kernels of different programs that have the same name.
    pub(crate) fn kernel(&self, device: &str, name: &str, program: u64) -> Arc<Kernel> {
        self.profile.kernel(self.profile.device(device), name, program)
    }

    /// Notes a command that is being enqueued.
    pub(crate) fn enqueued(&self, note: &Note, effect: &Effect<'_>) {
        self.profile.enqueued(note, effect);
    }

    /// Notes that a command is complete; `times` is `None` if the device has no time stamps.
    pub(crate) fn completed(&self, note: &Note, path: Path, times: Option<Times>) {
        self.profile.completed(note, path, times);
    }

    /// Notes that a command has failed.
    pub(crate) fn failed(&self) {
        self.profile.failed();
    }

    /// Notes a call of clFinish.
    pub(crate) fn finishes(&self, queue: u32) {
        self.profile.finishes(queue);
    }

    /// Notes a pipeline that has been made. `is_known`: it was in the driver's cache. `statistics` are what the driver says of
    /// it, if it does.
    pub(crate) fn pipeline(
        &self,
        kernel: &Kernel,
        times: Times,
        is_known: bool,
        statistics: Option<&[(String, String)]>,
    ) {
        self.profile.pipeline(kernel, times, is_known, statistics);
    }

    fn write(&self) {
        if let (Some(to), Some(summary)) = (&config().profile, self.profile.summary()) {
            report::write(&summary, to);
        }
    }
}
