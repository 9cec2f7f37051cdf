//! What the library sees of a program while it runs: the profile (`CALDERA_PROFILE`) and the trace (`CALDERA_TRACE`).
//!
//! A queue of an observed process makes an event for each command, with a `Note` of what the command is, and records time
//! stamps around it as a queue with CL_QUEUE_PROFILING_ENABLE does, but without the barriers of such a queue. A time stamp
//! is written when all earlier commands are complete. So if commands overlap, the time of each counts from the completion of
//! those before it, and the times of a queue add up to the time in which the device worked for it.
//!
//! The profile is written when the process exits. It has what has been retired until then: nothing is waited for, and Vulkan is
//! not called. A process that is killed or calls `_exit` writes none. The trace is written all the time. A forked child is not
//! observed.
//!
//! No lock of this module is held while the driver or the application is called. If nothing is observed, `observer` returns
//! `None`, and a queue tests that once for each command.

mod hints;
pub(crate) mod json;
mod profile;
mod report;
mod resources;
mod thread;
mod timeline;
mod trace_text;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use profile::{Path, Profile};
use timeline::{Record, Timeline};

use crate::command::CommandType;
use crate::config::{Config, config};
/// The clock of all times, that of events.
pub(crate) use crate::event::now;

/// A kernel of a program on a device.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// The index of its row in the profile.
    row: usize,
    name: String,
}

/// What is known of a command when it is enqueued.
#[derive(Debug)]
pub(crate) struct Note {
    /// A number that no other command of the process has; the first is 1.
    pub number: u64,
    pub kind: CommandType,
    pub launch: Option<Arc<Kernel>>,
    /// The number of bytes that the command copies or fills.
    pub bytes: u64,
    pub place: Place,
    /// The number of the thread that enqueues it; 0 if there is no trace.
    pub thread: u32,
    /// When it is enqueued, in nanoseconds of the clock of events.
    pub time: u64,
    /// The numbers of the commands in its wait list.
    pub waits: Vec<u64>,
    /// The number of work-groups of a launch and their size, in each dimension.
    pub groups: Option<([u64; 3], [u32; 3])>,
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
    /// Whether it may write any memory.
    pub writes_anything: bool,
    /// The region that clEnqueueReadBuffer reads.
    pub reads: Option<Region>,
    /// Whether its call returns only when it is complete.
    pub blocking: bool,
    /// Whether it is a launch of several work-groups of one work-item each.
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
    trace: Option<Timeline>,
    /// The number of commands.
    commands: AtomicU64,
    /// The number of queues.
    queues: AtomicU32,
}

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Observer")
    }
}

/// Whether the process is not observed any more.
static OVER: AtomicBool = AtomicBool::new(false);

/// Returns what observes the process, if something does.
#[inline]
pub(crate) fn observer() -> Option<&'static Observer> {
    static OBSERVER: OnceLock<Option<Observer>> = OnceLock::new();
    let observer = OBSERVER.get_or_init(|| Observer::new(config())).as_ref();
    observer.filter(|_| !OVER.load(Ordering::Relaxed))
}

/// The number of the compiler's results that were in a cache.
static CACHED_BUILDS: AtomicU64 = AtomicU64::new(0);

/// Notes that a result of the compiler was in a cache.
pub(crate) fn build_was_cached() {
    CACHED_BUILDS.fetch_add(1, Ordering::Relaxed);
}

/// Begins to observe the process, if a profile or a trace is wanted. The time of the profile counts from here.
pub fn begin() {
    observer();
}

/// Runs a build, a compilation or a link, which returns whether it succeeded.
pub(crate) fn build(work: impl FnOnce() -> bool) -> bool {
    let Some(observer) = observer() else { return work() };
    let start = now();
    let good = work();
    observer.built(Times { start, end: now() }, good);
    good
}

/// A call of the API that is in progress and will be part of the trace.
pub struct Call {
    observer: &'static Observer,
    name: &'static str,
    start: u64,
}

/// Notes that a call of the function `name` begins. Returns `None` if there is no trace.
#[inline]
pub fn call(name: &'static str) -> Option<Call> {
    let observer = observer().filter(|o| o.trace.is_some())?;
    let start = now();
    Some(Call {
        observer,
        name,
        start,
    })
}

impl Call {
    /// Notes that the call ends; `error` is the name of the code that it returns, if it fails.
    pub fn end(self, error: Option<&'static str>) {
        let Call {
            observer,
            name,
            start,
        } = self;
        let times = Times { start, end: now() };
        observer.trace(|thread| Record::Call {
            thread,
            name,
            times,
            error,
        });
    }
}

/// The bytes of device memory in use.
static MEMORY: AtomicU64 = AtomicU64::new(0);

/// Notes that an allocation of device memory has been made.
pub(crate) fn allocated(size: u64) {
    memory(MEMORY.fetch_add(size, Ordering::Relaxed).wrapping_add(size));
}

/// Notes that an allocation of device memory has been freed.
pub(crate) fn freed(size: u64) {
    memory(MEMORY.fetch_sub(size, Ordering::Relaxed).wrapping_sub(size));
}

fn memory(bytes: u64) {
    if let Some(observer) = observer() {
        observer.trace(|_| Record::Memory { time: now(), bytes });
    }
}

/// Returns the words for a type of command, for example `read buffer`.
fn words(kind: CommandType) -> String {
    let mut out = String::new();
    for c in format!("{kind:?}").chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Writes the results, because the process exits. Waits at most 0.2 s for each lock, and never panics.
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
        let is_wanted = config.profile.is_some() || config.trace.is_some();
        is_wanted.then(|| Observer {
            profile: Profile::new(now()),
            trace: config.trace.as_deref().map(Timeline::new),
            commands: AtomicU64::new(0),
            queues: AtomicU32::new(0),
        })
    }

    /// Returns the place of the commands of a new queue.
    pub(crate) fn place(&'static self, device: &str) -> Place {
        let place = Place {
            queue: self.queues.fetch_add(1, Ordering::Relaxed) + 1,
            device: self.profile.device(device),
        };
        self.trace(|_| Record::Queue {
            place,
            device: device.to_owned(),
        });
        place
    }

    /// Adds a record to the trace, if there is one; `record` gets the number of the thread.
    fn trace(&'static self, record: impl FnOnce(u32) -> Record) {
        if let Some(trace) = &self.trace {
            trace.add(record(self.thread()));
        }
    }

    /// Returns the number of this thread.
    fn thread(&'static self) -> u32 {
        thread::number(|thread, name| {
            if let Some(trace) = &self.trace {
                trace.add(Record::Thread { thread, name });
            }
        })
    }

    /// Returns what is known of a command that is being enqueued on this thread.
    pub(crate) fn note(&'static self, kind: CommandType, place: Place) -> Note {
        Note {
            number: self.commands.fetch_add(1, Ordering::Relaxed) + 1,
            kind,
            launch: None,
            bytes: 0,
            place,
            thread: self.trace.as_ref().map_or(0, |_| self.thread()),
            time: now(),
            waits: Vec::new(),
            groups: None,
        }
    }

    fn built(&'static self, times: Times, good: bool) {
        self.profile.built(times, good);
        self.trace(|thread| Record::Build { thread, times, good });
    }

    /// Returns the entry of a kernel on a device. `program` tells apart kernels of different programs that have the same name.
    pub(crate) fn kernel(&self, device: &str, name: &str, program: u64) -> Arc<Kernel> {
        self.profile.kernel(self.profile.device(device), name, program)
    }

    /// Notes a command that is being enqueued.
    pub(crate) fn enqueued(&self, note: &Note, effect: &Effect<'_>) {
        self.profile.enqueued(note, effect);
    }

    /// Notes that the device has completed a command, which was submitted at the time `submitted`; `times` is `None` if the
    /// device has no time stamps.
    pub(crate) fn completed(&'static self, note: &Arc<Note>, submitted: u64, times: Option<Times>) {
        self.profile.completed(note, Path::Device, times);
        if let Some(times) = times {
            self.trace(|_| Record::Complete {
                note: Arc::clone(note),
                submitted,
                times,
            });
        }
    }

    /// Notes that the host has executed a command.
    pub(crate) fn completed_by_host(&'static self, note: &Note, times: Times) {
        self.profile.completed(note, Path::Host, Some(times));
        self.trace(|thread| Record::ByHost {
            thread,
            kind: note.kind,
            bytes: note.bytes,
            times,
            place: note.place,
        });
    }

    /// Notes that a command has failed.
    pub(crate) fn failed(&'static self, note: &Arc<Note>, code: i32) {
        self.profile.failed();
        self.trace(|_| Record::Failed {
            note: Arc::clone(note),
            time: now(),
            code,
        });
    }

    /// Notes a call of clFinish.
    pub(crate) fn finishes(&self, queue: u32) {
        self.profile.finishes(queue);
    }

    /// Notes a pipeline that has been made. `is_known` tells whether it was in the driver's cache. `statistics` are what the driver
    /// says of it, if they were asked for.
    pub(crate) fn pipeline(
        &'static self,
        kernel: &Kernel,
        times: Times,
        is_known: bool,
        statistics: Option<&[(String, String)]>,
    ) {
        self.profile.pipeline(kernel, times, is_known, statistics);
        self.trace(|thread| Record::Pipeline {
            thread,
            kernel: kernel.name.clone(),
            times,
            is_known,
        });
    }

    /// Writes the profile, and completes the trace.
    fn write(&self) {
        if let Some(trace) = &self.trace {
            trace.finish();
        }
        if let (Some(to), Some(summary)) = (&config().profile, self.profile.summary()) {
            report::write(&summary, to);
        }
    }
}
