//! Large copies in host memory by several threads.
//!
//! One thread moves 5 to 12 GB/s on servers whose memory and PCIe link do several times that. The helper threads
//! are started by the first large copy, never before, and live until the process ends; they sleep in between.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::HostPtr;
use crate::lock::{Condvar, Mutex, Rank};

/// Copies below this size stay on the caller's thread.
pub(super) const LARGE: u64 = 2 << 20;
/// What a thread takes at a time.
const SLICE: u64 = 256 << 10;
/// Helper threads at most; more do not pay where this was measured.
const MOST_HELPERS: usize = 7;

/// One copy, shared by the threads that work on it.
struct Copy {
    from: HostPtr,
    to: HostPtr,
    size: u64,
    /// The next slice to take.
    next: AtomicUsize,
    /// Slices not finished.
    left: AtomicUsize,
}

impl Copy {
    fn slices(&self) -> usize {
        self.size.div_ceil(SLICE) as usize
    }

    /// Takes slices until there are none.
    fn work(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.slices() {
                return;
            }
            let at = index as u64 * SLICE;
            let size = SLICE.min(self.size - at);
            self.from.offset(at).copy_alone(self.to.offset(at), size);
            self.left.fetch_sub(1, Ordering::Release);
        }
    }
}

struct Helpers {
    job: Mutex<Option<Arc<Copy>>>,
    wake: Condvar,
}

impl Helpers {
    fn run(&self) {
        loop {
            let job = {
                let mut slot = self.job.lock();
                loop {
                    match &*slot {
                        Some(job) if job.next.load(Ordering::Relaxed) < job.slices() => {
                            break Arc::clone(job);
                        }
                        Some(_) | None => self.wake.wait(&mut slot),
                    }
                }
            };
            job.work();
        }
    }
}

/// The helpers; `None` where there is nobody to help.
fn helpers() -> Option<&'static Arc<Helpers>> {
    static HELPERS: OnceLock<Option<Arc<Helpers>>> = OnceLock::new();
    HELPERS
        .get_or_init(|| {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            let count = (cores / 2).min(MOST_HELPERS);
            let helpers = Arc::new(Helpers {
                job: Mutex::new(Rank::Copy, None),
                wake: Condvar::new(),
            });
            let mut started = 0;
            for _ in 0..count {
                let thread = std::thread::Builder::new().name("caldera-copy".into());
                let this = Arc::clone(&helpers);
                if thread.spawn(move || this.run()).is_ok() {
                    started += 1;
                }
            }
            (started > 0).then_some(helpers)
        })
        .as_ref()
}

/// Copies ranges that do not overlap.
pub(super) fn copy(from: HostPtr, to: HostPtr, size: u64) {
    let Some(helpers) = helpers() else {
        from.copy_alone(to, size);
        return;
    };
    let copy = Arc::new(Copy {
        from,
        to,
        size,
        next: AtomicUsize::new(0),
        left: AtomicUsize::new(size.div_ceil(SLICE) as usize),
    });
    // A copy of another thread that is under way loses its helpers, not its progress.
    *helpers.job.lock() = Some(Arc::clone(&copy));
    helpers.wake.notify_all();
    copy.work();
    // The last slices are in other hands for some microseconds at most.
    while copy.left.load(Ordering::Acquire) > 0 {
        std::hint::spin_loop();
        if copy.left.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_arrives() {
        let source: Vec<u8> = (0..(5 << 20) + 77).map(|i: u32| (i ^ (i >> 8)) as u8).collect();
        std::thread::scope(|s| {
            for _ in 0..3 {
                s.spawn(|| {
                    let target = vec![0u8; source.len()];
                    copy(
                        HostPtr::of_slice(&source),
                        HostPtr::of_slice(&target),
                        source.len() as u64,
                    );
                    assert!(*std::hint::black_box(&target) == source);
                });
            }
        });
    }
}
