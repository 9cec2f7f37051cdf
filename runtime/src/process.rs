//! Whether this process may still use Vulkan.
//!
//! **Exit.** Drivers and layers have destructors of their own, which run in the reverse order of registration and after
//! which calling them crashes (seen: the validation layer, LLVM). So the icd crate registers a function behind theirs, each
//! time after something of theirs was loaded or built ([`on_load`]): it runs before them, waits a little for what is in
//! flight, and from there on nothing calls Vulkan any more ([`is_over`]).
//!
//! **Fork.** A child inherits the library's memory, but neither its threads nor those of the driver. If the parent had
//! begun to use Vulkan, the child cannot.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::queue::CommandQueue;

/// How long the exit of the process waits for the GPU.
const PATIENCE: Duration = Duration::from_secs(3);

static OVER: AtomicBool = AtomicBool::new(false);
static USED: AtomicBool = AtomicBool::new(false);
static HOOK: OnceLock<fn()> = OnceLock::new();
/// Threads that are in [`unless_over`].
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// All queues, for the exit. Not a ranked lock: nothing is taken or waited for under it.
static QUEUES: Mutex<Vec<Weak<CommandQueue>>> = Mutex::new(Vec::new());

/// The process exits, or is a child of one that uses Vulkan: no call does anything.
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
    let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
    queues.retain(|q| q.strong_count() > 0);
    queues.push(std::sync::Arc::downgrade(queue));
}

/// The process exits.
pub fn exits() {
    if OVER.swap(true, Ordering::SeqCst) {
        return;
    }
    let end = Instant::now() + PATIENCE;
    while INSIDE.load(Ordering::SeqCst) > 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    // A thread that was stopped in the middle has the lock for ever: then nobody waits.
    let Ok(queues) = QUEUES.try_lock() else { return };
    for queue in queues.iter().filter_map(Weak::upgrade) {
        while !queue.is_settled() && Instant::now() < end {
            std::thread::sleep(Duration::from_micros(200));
        }
        // It may be the last reference now, and nothing is torn down.
        std::mem::forget(queue);
    }
}

/// This is a child process.
pub fn forked() {
    if USED.load(Ordering::Relaxed) {
        OVER.store(true, Ordering::Relaxed);
    }
}
