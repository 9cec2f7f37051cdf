//! Large copies in host memory by several threads.
//!
//! One thread moves 5 to 12 GB/s on servers whose memory and PCIe link do several times that. The helper threads
//! are started by the first large copy, never before, and live until the process ends; they sleep in between.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::HostPtr;
use crate::command::rect::Layout;
use crate::lock::{Condvar, Mutex, Rank};

/// Copies below this size stay on the caller's thread.
pub(super) const LARGE: u64 = 2 << 20;
/// What a thread takes at a time.
const SLICE: u64 = 256 << 10;
/// Helper threads at most; more do not pay where this was measured.
const MOST_HELPERS: usize = 7;

/// Where the bytes are on both sides.
#[derive(Copy, Clone)]
enum Shape {
    /// So many in a row.
    Line(u64),
    /// Rows of `region`, all shorter than a slice or so.
    Rows {
        from: Layout,
        to: Layout,
        region: [u64; 3],
    },
}

impl Shape {
    /// Rows in a slice.
    fn together(width: u64) -> u64 {
        (SLICE / width).max(1)
    }

    fn slices(self) -> usize {
        let slices = match self {
            Shape::Line(size) => size.div_ceil(SLICE),
            Shape::Rows {
                region: [w, h, d], ..
            } => (h * d).div_ceil(Shape::together(w)),
        };
        slices as usize
    }
}

/// One copy, shared by the threads that work on it.
struct Copy {
    from: HostPtr,
    to: HostPtr,
    shape: Shape,
    /// The next slice to take.
    next: AtomicUsize,
    /// Slices not finished.
    left: AtomicUsize,
}

impl Copy {
    fn slices(&self) -> usize {
        self.shape.slices()
    }

    /// Takes slices until there are none.
    fn work(&self) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.slices() {
                return;
            }
            self.slice(index as u64);
            self.left.fetch_sub(1, Ordering::Release);
        }
    }

    fn slice(&self, index: u64) {
        match self.shape {
            Shape::Line(size) => {
                let at = index * SLICE;
                let size = SLICE.min(size - at);
                self.from.offset(at).copy_alone(self.to.offset(at), size);
            }
            Shape::Rows { from, to, region } => {
                let [w, h, d] = region;
                let together = Shape::together(w);
                for row in (index * together..(index + 1) * together).take_while(|row| *row < h * d) {
                    let (y, z) = (row % h, row / h);
                    let source = self.from.offset(from.row(y, z));
                    source.copy_alone(self.to.offset(to.row(y, z)), w);
                }
            }
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
    share(from, to, Shape::Line(size));
}

/// Copies the rows of a region that do not overlap.
pub(super) fn copy_rows(
    from: HostPtr,
    from_layout: &Layout,
    to: HostPtr,
    to_layout: &Layout,
    region: [u64; 3],
) {
    let shape = Shape::Rows {
        from: *from_layout,
        to: *to_layout,
        region,
    };
    share(from, to, shape);
}

fn share(from: HostPtr, to: HostPtr, shape: Shape) {
    let copy = Arc::new(Copy {
        from,
        to,
        shape,
        next: AtomicUsize::new(0),
        left: AtomicUsize::new(shape.slices()),
    });
    let Some(helpers) = helpers() else {
        copy.work();
        return;
    };
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
    fn every_row_arrives() {
        let layout = |start, row_pitch, slice_pitch| Layout {
            start,
            row_pitch,
            slice_pitch,
        };
        let source: Vec<u8> = (0..4 << 20).map(|i: u32| (i ^ (i >> 9)) as u8).collect();
        // Rows of a few bytes, and of more than a slice.
        for (from, to, region) in [
            (layout(3, 40, 40 * 99), layout(0, 37, 37 * 101), [37, 99, 1000]),
            (layout(0, 300_000, 0), layout(9, 299_999, 0), [299_999, 13, 1]),
        ] {
            let mut target = vec![0u8; 4 << 20];
            copy_rows(
                HostPtr::of_slice(&source),
                &from,
                HostPtr::of_slice_mut(&mut target),
                &to,
                region,
            );
            let mut expected = vec![0u8; 4 << 20];
            for z in 0..region[2] {
                for y in 0..region[1] {
                    let (at, out, w) = (from.row(y, z) as usize, to.row(y, z) as usize, region[0] as usize);
                    expected[out..out + w].copy_from_slice(&source[at..at + w]);
                }
            }
            assert!(*std::hint::black_box(&target) == expected, "{region:?}");
        }
    }

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
