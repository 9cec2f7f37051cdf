//! Copies by kernels (`CALDERA_DEBUG=copy-kernel`) where host and device have separate memory (`discrete`): sizes,
//! offsets, rows, sub-buffers, rows from and to pageable and pinned host memory, and the order with the commands
//! before and after. This is one test, because the environment variables apply to the whole process.

mod support;

use std::ptr::NonNull;
use std::sync::Arc;

use caldera_runtime::command::rect::RectSide;
use caldera_runtime::context::Context;
use caldera_runtime::mem::{Buffer, HostPtr, MemFlags};
use caldera_runtime::queue::{CommandQueue, MapFlags};
use support::*;

fn bytes(n: usize, seed: u32) -> Vec<f32> {
    (0..n)
        .map(|i| ((i as u32).wrapping_mul(2_654_435_761) ^ seed) as f32)
        .collect()
}

#[test]
fn copies_are_exact() {
    // SAFETY: this is the only test of the process, no other thread of which uses the environment meanwhile.
    unsafe { std::env::set_var("CALDERA_DEBUG", "copy-kernel,discrete") };
    let context = context();
    let queue = queue(&context, false);
    let n = 5000;
    for (from, to, size) in [
        (0, 0, 4 * n),
        (16, 32, 4096),
        (16, 0, 16 * 255),
        (0, 16, 16 * 256),
        (32, 16, 1),
        (0, 48, 15),
        (64, 160, 4097 + 14),
        // The kernel cannot do these, so Vulkan's copy does.
        (4, 16, 100),
        (16, 7, 333),
    ] {
        let (a, b) = (bytes(n, 1), bytes(n, 2));
        let (x, y) = (buffer_of(&context, &a), buffer_of(&context, &b));
        queue
            .enqueue_copy(copy(&x, &y, from, to, size), NOTHING)
            .expect("copy");
        // The next command sees the copy.
        let z = buffer_of(&context, &b);
        queue
            .enqueue_copy(copy(&y, &z, 0, 0, 4 * n), NOTHING)
            .expect("copy");
        let raw = |v: &[f32]| -> Vec<u8> { v.iter().flat_map(|f| f.to_ne_bytes()).collect() };
        let mut expected = raw(&b);
        expected[to..to + size].copy_from_slice(&raw(&a)[from..from + size]);
        assert!(raw(&read(&queue, &z)) == expected, "{from} {to} {size}");
    }
    rows_are_exact(&context, &queue);
    chunks_are_exact(&context, &queue);
    let whole = buffer_of(&context, &bytes(n, 3));
    let sub = |origin: usize, size: usize| Buffer::create_sub(&whole, 0, origin, size).expect("sub-buffer");
    let (low, high) = (sub(0, 4096), sub(8192, 4096));
    queue
        .enqueue_copy(copy(&low, &high, 16, 48, 1000), NOTHING)
        .expect("copy");
    let mut expected = bytes(n, 3);
    let moved = expected[4..254].to_vec();
    expected[2048 + 12..2048 + 262].copy_from_slice(&moved);
    assert!(read(&queue, &whole) == expected);
    assert_eq!(caldera_runtime::validation_messages(), 0, "see the log");
}

/// Copies rows and slices, in units of 16, 4 and 1 bytes, from and to sub-buffers.
fn rows_are_exact(context: &Arc<Context>, queue: &Arc<CommandQueue>) {
    const SIZE: usize = 1 << 16;
    let raw = |seed: u32| -> Vec<u8> {
        bytes(SIZE / 4, seed)
            .iter()
            .flat_map(|f| f.to_ne_bytes())
            .collect()
    };
    let side = |origin, row_pitch, slice_pitch| RectSide {
        origin,
        row_pitch,
        slice_pitch,
    };
    for (region, from, to, sub) in [
        ([64, 10, 1], side([16, 1, 0], 256, 0), side([0, 2, 0], 128, 0), 0),
        (
            [48, 9, 5],
            side([32, 2, 1], 160, 1920),
            side([64, 0, 2], 208, 2080),
            256,
        ),
        (
            [20, 40, 2],
            side([4, 3, 0], 36, 1512),
            side([8, 1, 1], 44, 1980),
            0,
        ),
        (
            [61, 33, 3],
            side([5, 1, 1], 67, 2345),
            side([2, 7, 0], 77, 2618),
            512,
        ),
        // Whole slices can be copied as rows, and whole buffers as one row.
        ([32, 8, 6], side([0, 0, 1], 32, 512), side([0, 0, 0], 32, 320), 0),
        ([32, 8, 6], side([0, 0, 1], 32, 256), side([0, 0, 2], 32, 256), 0),
        ([1, 300, 1], side([0, 0, 0], 3, 0), side([1, 0, 0], 2, 0), 0),
    ] {
        let (a, b) = (raw(5), raw(6));
        let whole = |b: &[u8]| {
            let buffer = buffer(context, SIZE);
            queue
                .enqueue_write(linear(&buffer, 0, SIZE, host(b)), false, NOTHING)
                .expect("write");
            buffer
        };
        let (x, y) = (whole(&a), whole(&b));
        let part = |b: &Arc<Buffer>| Buffer::create_sub(b, 0, sub, SIZE - sub).expect("sub-buffer");
        queue
            .enqueue_copy(copy_rect(&part(&x), &part(&y), from, to, region), NOTHING)
            .expect("copy");
        let got = cells(vec![0u8; SIZE]);
        queue
            .enqueue_read(linear(&y, 0, SIZE, host(&got)), true, NOTHING)
            .expect("read");
        let place = |s: &RectSide, row: usize, slice: usize| {
            let row_pitch = s.row_pitch;
            let slice_pitch = if s.slice_pitch == 0 {
                row_pitch * region[1]
            } else {
                s.slice_pitch
            };
            sub + s.origin[0] + (s.origin[1] + row) * row_pitch + (s.origin[2] + slice) * slice_pitch
        };
        let mut expected = b;
        for slice in 0..region[2] {
            for row in 0..region[1] {
                let (f, t) = (place(&from, row, slice), place(&to, row, slice));
                expected[t..t + region[0]].copy_from_slice(&a[f..f + region[0]]);
            }
        }
        assert!(values(&got) == expected, "{region:?} {from:?} {to:?}");

        // The same rows between host memory and a buffer.
        for pinned in [false, true] {
            let (source, target) = (Host::new(context, queue, &a, pinned), whole(&raw(6)));
            queue
                .enqueue_write(
                    rect(&part(&target), to, from, region, source.at(sub)),
                    false,
                    NOTHING,
                )
                .expect("write");
            queue
                .enqueue_read(linear(&target, 0, SIZE, host(&got)), true, NOTHING)
                .expect("read");
            assert!(
                values(&got) == expected,
                "write, pinned {pinned}: {region:?} {from:?} {to:?}"
            );
            let target = Host::new(context, queue, &raw(6), pinned);
            queue
                .enqueue_read(rect(&part(&x), from, to, region, target.at(sub)), true, NOTHING)
                .expect("read");
            assert!(
                target.bytes() == expected,
                "read, pinned {pinned}: {region:?} {from:?} {to:?}"
            );
        }
    }
}

/// Copies rectangles in chunks: rows of a slice, whole slices, rows that are longer than a chunk.
fn chunks_are_exact(context: &Arc<Context>, queue: &Arc<CommandQueue>) {
    for (region, row_pitch, slice_pitch) in [
        ([3000, 600, 4], 3104, 3104 * 610),
        ([64, 40, 3000], 96, 96 * 41),
        ([2_000_000, 3, 1], 2_000_016, 2_000_016 * 3),
        ([4096, 1, 1500], 4096, 8192),
    ] {
        let size = slice_pitch * region[2] + 64;
        let (old, new): (Vec<u8>, Vec<u8>) = (0..size)
            .map(|i| (i as u8, (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]))
            .unzip();
        let buffer = buffer(context, size);
        queue
            .enqueue_write(linear(&buffer, 0, size, host(&old)), true, NOTHING)
            .expect("write");
        let there = RectSide {
            origin: [16, 0, 0],
            row_pitch,
            slice_pitch,
        };
        let packed = RectSide::default();
        queue
            .enqueue_write(rect(&buffer, there, packed, region, host(&new)), false, NOTHING)
            .expect("write");
        let (got, rows) = (cells(vec![0u8; size]), cells(vec![0u8; region.iter().product()]));
        queue
            .enqueue_read(rect(&buffer, there, packed, region, host(&rows)), true, NOTHING)
            .expect("read");
        let rows = values(&rows);
        assert!(rows[..] == new[..rows.len()], "{region:?}");
        queue
            .enqueue_read(linear(&buffer, 0, size, host(&got)), true, NOTHING)
            .expect("read");
        let mut expected = old;
        for (n, row) in rows.chunks_exact(region[0]).enumerate() {
            let start = 16 + n % region[1] * row_pitch + n / region[1] * slice_pitch;
            expected[start..start + row.len()].copy_from_slice(row);
        }
        assert!(values(&got) == expected, "{region:?}");
    }
}

/// Host memory with contents. It is pageable, or the memory of a buffer that stays mapped.
struct Host {
    start: NonNull<u8>,
    size: usize,
    _pageable: Vec<u8>,
    _pinned: Option<Arc<Buffer>>,
}

impl Host {
    fn new(context: &Arc<Context>, queue: &Arc<CommandQueue>, bytes: &[u8], pinned: bool) -> Host {
        let size = bytes.len();
        let mut pageable = bytes.to_vec();
        let mut start = NonNull::from(pageable.as_mut_slice()).cast();
        let pinned = pinned.then(|| {
            // CL_MEM_READ_WRITE, CL_MEM_ALLOC_HOST_PTR
            let flags = MemFlags::from_bits(1 | 1 << 4).expect("flags");
            let buffer = Buffer::create(context, flags, size, None).expect("buffer");
            queue
                .enqueue_write(linear(&buffer, 0, size, host(bytes)), true, NOTHING)
                .expect("write");
            let both = MapFlags {
                read: true,
                write: true,
                invalidate: false,
            };
            (start, _) = queue
                .enqueue_map(&part(&buffer, 0, size), true, both, NOTHING)
                .expect("map");
            buffer
        });
        Host {
            start,
            size,
            _pageable: pageable,
            _pinned: pinned,
        }
    }

    fn at(&self, offset: usize) -> HostPtr {
        assert!(offset <= self.size);
        let start = self.start.as_ptr().wrapping_add(offset);
        // SAFETY: the memory lives as long as `self`, and only the commands of one test use it.
        unsafe { HostPtr::new(start) }.expect("not null")
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: as above; the commands are done.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.size) }
    }
}
