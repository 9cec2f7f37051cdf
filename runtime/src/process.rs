//! Whether this process may still use Vulkan.
//!
//! **Exit.** Drivers and layers have destructors of their own, which run in the reverse order of registration and after
//! which calling them crashes (seen: the validation layer, LLVM). So the icd crate registers a function behind theirs, each
//! time after something of theirs was loaded or built ([`on_load`]): it runs before them, waits a little for what is in
//! flight, and from there on nothing calls Vulkan any more ([`is_over`]).
//!
//! **Fork.** A child inherits the library's memory, but neither its threads nor those of the driver. Until the application makes its
//! first context nothing of Vulkan need stay: [`before_fork`] destroys the instance, and whatever was opened to measure a device,
//! so that parent and child each open their own when they next need it; handles of the platform and of devices are good in both.
//! After the first context, or if another thread is in the middle of a call, all that stays, and the child's calls fail.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::platform::Platform;
use crate::queue::CommandQueue;
use crate::weak_list::WeakList;

/// How long the exit of the process waits for the GPU: long enough for what mostly is in flight, and short enough for somebody who
/// interrupts a program whose work takes minutes. Drivers must bear what is left, as they bear the end of a process by a signal.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long after a pipeline was made the exit waits at least for work in flight. Drivers for CPUs compile when a pipeline runs for
/// the first time, and a compiler whose global objects are destroyed under it aborts the process (seen: LLVM).
const PATIENCE_WITH_COMPILERS: Duration = Duration::from_secs(3);

/// When the last pipeline was made, in milliseconds from [`started`].
static LAST_PIPELINE: AtomicU64 = AtomicU64::new(0);

/// A time from which others are counted.
fn started() -> Instant {
    static STARTED: OnceLock<Instant> = OnceLock::new();
    *STARTED.get_or_init(Instant::now)
}

/// A pipeline was made, which the driver may compile when it runs.
pub(crate) fn made_pipeline() {
    let now = started().elapsed().as_millis() as u64;
    LAST_PIPELINE.fetch_max(now, Ordering::Relaxed);
}

static OVER: AtomicBool = AtomicBool::new(false);
static USED: AtomicBool = AtomicBool::new(false);
static HOOK: OnceLock<fn()> = OnceLock::new();
/// Threads that are in [`unless_over`].
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// All queues, for the exit. Not a ranked lock: nothing is taken or waited for under it.
static QUEUES: Mutex<WeakList<CommandQueue>> = Mutex::new(WeakList::new());

/// The process exits, or is a child that inherited Vulkan in use: no call does anything.
pub fn is_over() -> bool {
    OVER.load(Ordering::Relaxed)
}

/// Lets a thread of our own do what calls Vulkan, unless the process exits; its exit waits for it. Whether it was done.
pub(crate) fn unless_over(work: impl FnOnce()) -> bool {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    let goes = !OVER.load(Ordering::SeqCst);
    if goes {
        work();
    }
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    goes
}

/// What is to be called each time when drivers may have registered destructors.
pub fn on_load(hook: fn()) {
    let _ = HOOK.set(hook);
}

/// Who tells the user whose rights the process has.
static USER: OnceLock<fn() -> u32> = OnceLock::new();

/// Hands in a function that tells the user whose rights the process has.
pub fn on_user(user: fn() -> u32) {
    let _ = USER.set(user);
}

/// The user whose rights the process has, if that is known.
#[cfg(unix)]
pub(crate) fn user() -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    match USER.get() {
        Some(user) => Some(user()),
        // Without the C interface there is no function to ask.
        None => std::fs::metadata("/proc/self").ok().map(|about| about.uid()),
    }
}

/// The application has made a context, or is about to.
static HAS_CONTEXT: AtomicBool = AtomicBool::new(false);
/// Calls in progress, as long as there is no context.
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// Forks in progress.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// How long a call waits for the fork of another thread.
const FORK_PATIENCE: Duration = Duration::from_secs(1);

/// A call in progress, if it is counted.
pub struct Inside(bool);

impl Drop for Inside {
    fn drop(&mut self) {
        if self.0 {
            CALLS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Begins a call. Until there is a context, calls and forks keep out of each other's way.
pub fn enter() -> Inside {
    if HAS_CONTEXT.load(Ordering::Relaxed) {
        return Inside(false);
    }
    CALLS.fetch_add(1, Ordering::SeqCst);
    let end = Instant::now() + FORK_PATIENCE;
    // A handler of somebody else that calls from inside of the fork finds nobody to wait for.
    while FORKS.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        CALLS.fetch_sub(1, Ordering::SeqCst);
        std::thread::yield_now();
        CALLS.fetch_add(1, Ordering::SeqCst);
    }
    Inside(true)
}

/// The application makes a context: from now on drivers stay loaded.
pub(crate) fn makes_context() {
    HAS_CONTEXT.store(true, Ordering::SeqCst);
}

/// This thread is about to fork the process.
pub fn before_fork() {
    FORKS.fetch_add(1, Ordering::SeqCst);
    let is_idle = CALLS.load(Ordering::SeqCst) == 0 && !HAS_CONTEXT.load(Ordering::SeqCst);
    if is_idle && USED.load(Ordering::Relaxed) && !is_over() {
        Platform::close();
    }
}

/// The fork is over, and this is the parent.
pub fn after_fork() {
    FORKS.fetch_sub(1, Ordering::SeqCst);
}

/// Vulkan is about to be used.
pub(crate) fn uses_vulkan() {
    USED.store(true, Ordering::Relaxed);
}

/// Something of a driver was loaded or built.
pub(crate) fn loaded() {
    if let Some(hook) = HOOK.get() {
        hook();
    }
}

/// Something ran for the first time: drivers make some of what they destroy at the exit only then.
pub(crate) fn ran() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(loaded);
}

/// A queue to wait for at the exit.
pub(crate) fn add_queue(queue: &std::sync::Arc<CommandQueue>) {
    QUEUES.lock().unwrap_or_else(PoisonError::into_inner).push(queue);
}

/// The process exits.
pub fn exits() {
    if OVER.swap(true, Ordering::SeqCst) {
        return;
    }
    let compiling = Duration::from_millis(LAST_PIPELINE.load(Ordering::Relaxed)) + PATIENCE_WITH_COMPILERS;
    let end = (Instant::now() + PATIENCE).max(started() + compiling);
    while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    // A thread that was stopped in the middle has the lock for ever: then nobody waits.
    let Ok(queues) = QUEUES.try_lock() else { return };
    // None of them may be dropped: it may be the last reference now, and nothing is torn down.
    for queue in queues.iter() {
        while !queue.is_settled() && Instant::now() < end {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::mem::forget(queue);
    }
}

/// This is a child process.
pub fn forked() {
    let was_idle = CALLS.swap(0, Ordering::SeqCst) == 0;
    FORKS.store(0, Ordering::SeqCst);
    let is_clean = was_idle && (!USED.load(Ordering::Relaxed) || Platform::is_closed());
    if !is_clean {
        OVER.store(true, Ordering::Relaxed);
    }
}
