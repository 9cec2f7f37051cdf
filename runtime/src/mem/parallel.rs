//! Large copies in host memory, shared by several threads.
//!
//! On servers, one thread uses only a fraction of the bandwidth of the memory and of the PCIe link.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::HostPtr;
use super::copy_threads::{CopyThreads, Job};
use crate::command::rect::Layout;

/// Copies of this many bytes or more are shared with the copy threads.
const LARGE: u64 = 2 << 20;
/// Copies of this many bytes or more are shared if the copy threads are awake.
pub(crate) const HELPED: u64 = 256 << 10;
/// Before copies of this many bytes or more, the copy threads are woken in advance, on machines where they stay awake.
const CALLED: u64 = 512 << 10;
/// The least and the greatest size in bytes of a slice, which a thread takes at a time.
const SLICES: (u64, u64) = (32 << 10, 256 << 10);
/// The number of slices into which a copy is divided, as far as [`SLICES`] permits it.
const MANY: u64 = 32;

/// The layout of the bytes on both sides.
#[derive(Copy, Clone)]
enum Shape {
    /// One contiguous range of this many bytes.
    Line(u64),
    /// The rows of `region`. A row is never divided, so it should not be much longer than a slice.
    Rows {
        from: Layout,
        to: Layout,
        region: [u64; 3],
    },
}

impl Shape {
    /// Returns the number of bytes.
    fn size(self) -> u64 {
        match self {
            Shape::Line(size) => size,
            Shape::Rows { region, .. } => region.iter().product(),
        }
    }

    /// Returns the size of a slice in bytes.
    fn slice(self) -> u64 {
        let (least, most) = SLICES;
        (self.size() / MANY).next_multiple_of(4096).clamp(least, most)
    }

    /// Returns the number of rows in a slice, for rows of `width` bytes.
    fn rows_in_slice(self, width: u64) -> u64 {
        (self.slice() / width).max(1)
    }

    fn slices(self) -> usize {
        let slices = match self {
            Shape::Line(size) => size.div_ceil(self.slice()),
            Shape::Rows {
                region: [w, h, d], ..
            } => (h * d).div_ceil(self.rows_in_slice(w)),
        };
        slices as usize
    }
}

/// A copy, shared by the threads that execute it.
struct Copy {
    from: HostPtr,
    to: HostPtr,
    shape: Shape,
    /// The index of the next slice to take.
    next: AtomicUsize,
    /// The number of slices that are not finished.
    left: AtomicUsize,
}

impl Copy {
    fn slices(&self) -> usize {
        self.shape.slices()
    }

    fn slice(&self, index: u64) {
        match self.shape {
            Shape::Line(size) => {
                let slice = self.shape.slice();
                let at = index * slice;
                let size = slice.min(size - at);
                self.from.offset(at).copy_alone(self.to.offset(at), size);
            }
            Shape::Rows { from, to, region } => {
                let [w, h, d] = region;
                let rows = self.shape.rows_in_slice(w);
                for row in (index * rows..(index + 1) * rows).take_while(|row| *row < h * d) {
                    let (y, z) = (row % h, row / h);
                    let source = self.from.offset(from.row(y, z));
                    source.copy_alone(self.to.offset(to.row(y, z)), w);
                }
            }
        }
    }
}

impl Job for Copy {
    /// Copies slices until none is left to take.
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

    fn is_open(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.slices()
    }
}

/// Returns whether a copy of `size` bytes should be shared now.
pub(super) fn pays(size: u64) -> bool {
    size >= LARGE || (size >= HELPED && CopyThreads::started().is_some_and(|c| c.is_awake()))
}

/// Returns the number of copy threads that are worth waking for a copy.
fn helpers(size: u64) -> usize {
    (size / (HELPED / 2)) as usize
}

/// Wakes copy threads because `size` bytes are about to be copied, possibly in several chunks.
pub(crate) fn call(size: u64) {
    if size >= CALLED
        && CopyThreads::comes_when_called()
        && let Some(copy_threads) = CopyThreads::get()
    {
        copy_threads.call(helpers(size), Duration::from_nanos(size / 16));
    }
}

/// Wakes copy threads in advance because `size` bytes will be ready for copying soon.
pub(crate) fn prepare(size: u64) {
    /// The time until the wait that has begun ends and the copy starts.
    const WAIT: Duration = Duration::from_micros(200);
    if size >= HELPED
        && CopyThreads::comes_when_called()
        && let Some(copy_threads) = CopyThreads::get()
    {
        copy_threads.call(helpers(size), WAIT + Duration::from_nanos(size / 16));
    }
}

/// Copies a range; source and destination do not overlap.
pub(super) fn copy(from: HostPtr, to: HostPtr, size: u64) {
    share(from, to, Shape::Line(size));
}

/// Copies the rows of a region; source and destination do not overlap.
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
    let Some(copy_threads) = CopyThreads::get() else {
        copy.work();
        return;
    };
    // A short copy would be complete before a thread that is woken for it arrives.
    copy_threads.share(
        &copy,
        if shape.size() < LARGE {
            0
        } else {
            helpers(shape.size())
        },
    );
    // Other threads finish the last slices within some microseconds.
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
                    let mut target = vec![0u8; source.len()];
                    copy(
                        HostPtr::of_slice(&source),
                        HostPtr::of_slice_mut(&mut target),
                        source.len() as u64,
                    );
                    assert!(*std::hint::black_box(&target) == source);
                });
            }
        });
    }
}
