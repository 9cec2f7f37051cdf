//! CL 5.2.2 and 5.2.3: reading, writing, copying and filling buffers.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::{cl, created};

fn ramp(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + i / 256) as u8).collect()
}

#[test]
fn write_then_read() {
    let s = Setup::new();
    for size in [1, 3, 4, 1000, 70_000, 3 << 20] {
        let b = s.buffer(&vec![0; size]);
        let bytes = ramp(size);
        for blocking in [0, 1] {
            let code = cl!(clEnqueueWriteBuffer(
                s.queue,
                b,
                blocking,
                0,
                size,
                bytes.as_ptr().cast(),
                0,
                null(),
                null_mut()
            ));
            assert_eq!(code, 0);
            assert!(s.read(b, size) == bytes, "{size} bytes, blocking {blocking}");
        }
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
}

#[test]
fn parts_at_odd_offsets() {
    let s = Setup::new();
    let b = s.buffer(&ramp(64));
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        b,
        1,
        5,
        3,
        [1u8, 2, 3].as_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut expected = ramp(64);
    expected[5..8].copy_from_slice(&[1, 2, 3]);
    assert_eq!(s.read(b, 64), expected);
    let mut part = [0u8; 7];
    let code = cl!(clEnqueueReadBuffer(
        s.queue,
        b,
        1,
        3,
        7,
        part.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(part, expected[3..10]);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn read_and_write_errors() {
    let s = Setup::new();
    let b = s.buffer(&[0; 16]);
    let mut m = [0u8; 32];
    let p = m.as_mut_ptr();
    let read = |buffer, offset, size, p: *mut u8| {
        cl!(clEnqueueReadBuffer(
            s.queue,
            buffer,
            1,
            offset,
            size,
            p.cast(),
            0,
            null(),
            null_mut()
        ))
    };
    let write = |buffer, offset, size, p: *mut u8| {
        cl!(clEnqueueWriteBuffer(
            s.queue,
            buffer,
            1,
            offset,
            size,
            p.cast(),
            0,
            null(),
            null_mut()
        ))
    };
    // INVALID_MEM_OBJECT if buffer is not a valid buffer object
    assert_eq!(read(null_mut(), 0, 1, p), CL_INVALID_MEM_OBJECT);
    assert_eq!(write(null_mut(), 0, 1, p), CL_INVALID_MEM_OBJECT);
    // INVALID_VALUE if the region is out of bounds or if ptr is NULL or if size is 0
    for (offset, size) in [
        (0, 17),
        (16, 1),
        (15, 2),
        (usize::MAX, 2),
        (1, usize::MAX),
        (0, 0),
    ] {
        assert_eq!(read(b, offset, size, p), CL_INVALID_VALUE, "{offset} {size}");
        assert_eq!(write(b, offset, size, p), CL_INVALID_VALUE, "{offset} {size}");
    }
    assert_eq!(read(b, 0, 1, null_mut()), CL_INVALID_VALUE);
    assert_eq!(write(b, 0, 1, null_mut()), CL_INVALID_VALUE);
    // INVALID_CONTEXT if queue and buffer are of different contexts
    let other = Setup::new();
    let foreign = other.buffer(&[0; 16]);
    assert_eq!(read(foreign, 0, 1, p), CL_INVALID_CONTEXT);
    assert_eq!(write(foreign, 0, 1, p), CL_INVALID_CONTEXT);
    // INVALID_CONTEXT if queue and events are of different contexts
    let (event, code) = created!(clCreateUserEvent(other.context));
    assert_eq!(code, 0);
    let code = cl!(clEnqueueReadBuffer(
        s.queue,
        b,
        0,
        0,
        1,
        p.cast(),
        1,
        &raw const event,
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_CONTEXT);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
    // INVALID_OPERATION if the buffer was created for the other direction only
    for (flags, reads) in [
        (CL_MEM_HOST_WRITE_ONLY, true),
        (CL_MEM_HOST_NO_ACCESS, true),
        (CL_MEM_HOST_READ_ONLY, false),
        (CL_MEM_HOST_NO_ACCESS, false),
    ] {
        let (b, code) = created!(clCreateBuffer(s.context, flags, 16, null_mut()));
        assert_eq!(code, 0);
        let code = if reads {
            read(b, 0, 1, p)
        } else {
            write(b, 0, 1, p)
        };
        assert_eq!(code, CL_INVALID_OPERATION);
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(foreign)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn copy() {
    let s = Setup::new();
    let (a, b) = (s.buffer(&ramp(256)), s.buffer(&[0; 256]));
    let copy = |src, dst, from, to, size| {
        cl!(clEnqueueCopyBuffer(
            s.queue,
            src,
            dst,
            from,
            to,
            size,
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(copy(a, b, 3, 10, 101), 0);
    let mut expected = vec![0; 256];
    expected[10..111].copy_from_slice(&ramp(256)[3..104]);
    assert_eq!(s.read(b, 256), expected);
    // A copy within one buffer, without overlap.
    assert_eq!(copy(a, a, 0, 128, 128), 0);
    let half = ramp(256)[..128].to_vec();
    assert_eq!(s.read(a, 256), [half.clone(), half].concat());
    // INVALID_VALUE if out of bounds or size is 0
    for (from, to, size) in [(200, 0, 57), (0, 200, 57), (0, 0, 0), (usize::MAX, 0, 2)] {
        assert_eq!(copy(a, b, from, to, size), CL_INVALID_VALUE);
    }
    // MEM_COPY_OVERLAP if src and dst are the same buffer and the regions overlap
    assert_eq!(copy(a, a, 0, 100, 101), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(a, a, 100, 0, 101), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(a, null_mut(), 0, 0, 1), CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clReleaseMemObject(a)), 0);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

/// Fills that run at once, and fills that wait for a user event.
#[test]
fn fill() {
    let s = Setup::new();
    let b = s.buffer(&vec![0xFF; 1024]);
    let mut turn = 0;
    for size in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        for deferred in [false, true] {
            turn += 1;
            let pattern: Vec<u8> = (0..size).map(|i| (i * 3 + size + turn) as u8).collect();
            let (gate, code) = created!(clCreateUserEvent(s.context));
            assert_eq!(code, 0);
            let code = cl!(clEnqueueFillBuffer(
                s.queue,
                b,
                pattern.as_ptr().cast(),
                size,
                size,
                1024 - 2 * size,
                u32::from(deferred),
                if deferred { &raw const gate } else { null() },
                null_mut()
            ));
            assert_eq!(code, 0, "pattern of {size}");
            assert_eq!(cl!(clSetUserEventStatus(gate, CL_COMPLETE)), 0);
            let got = s.read(b, 1024);
            assert!(
                got[size..1024 - size].chunks(size).all(|c| c == pattern),
                "pattern of {size}, deferred {deferred}"
            );
            assert_eq!(cl!(clReleaseEvent(gate)), 0);
        }
    }
    let fill = |pattern: *const u8, pattern_size, offset, size| {
        cl!(clEnqueueFillBuffer(
            s.queue,
            b,
            pattern.cast(),
            pattern_size,
            offset,
            size,
            0,
            null(),
            null_mut()
        ))
    };
    let p = [0u8; 256];
    // INVALID_VALUE if pattern is NULL, pattern_size is not one of the allowed sizes, offset or size are not
    // multiples of it, or the region is out of bounds
    assert_eq!(fill(null(), 4, 0, 16), CL_INVALID_VALUE);
    for pattern_size in [0, 3, 12, 256] {
        assert_eq!(
            fill(p.as_ptr(), pattern_size, 0, 768),
            CL_INVALID_VALUE,
            "{pattern_size}"
        );
    }
    assert_eq!(fill(p.as_ptr(), 4, 2, 16), CL_INVALID_VALUE);
    assert_eq!(fill(p.as_ptr(), 4, 0, 18), CL_INVALID_VALUE);
    assert_eq!(fill(p.as_ptr(), 4, 1020, 8), CL_INVALID_VALUE);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn rectangles() {
    let s = Setup::new();
    // A region of 4 × 3 × 2 bytes at (2, 1, 1) in a buffer with rows of 16 and slices of 96 bytes.
    let b = s.buffer(&vec![0u8; 96 * 4]);
    let host: Vec<u8> = (1..=24).collect();
    let (origin, zero, region) = ([2usize, 1, 1], [0usize; 3], [4usize, 3, 2]);
    let code = cl!(clEnqueueWriteBufferRect(
        s.queue,
        b,
        1,
        origin.as_ptr(),
        zero.as_ptr(),
        region.as_ptr(),
        16,
        96,
        0,
        0,
        host.as_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut expected = vec![0u8; 96 * 4];
    for (i, v) in host.iter().enumerate() {
        let (x, y, z) = (i % 4, i / 4 % 3, i / 12);
        expected[(z + 1) * 96 + (y + 1) * 16 + x + 2] = *v;
    }
    assert_eq!(s.read(b, 96 * 4), expected);
    let mut back = vec![0u8; 24];
    let code = cl!(clEnqueueReadBufferRect(
        s.queue,
        b,
        1,
        origin.as_ptr(),
        zero.as_ptr(),
        region.as_ptr(),
        16,
        96,
        4,
        12,
        back.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(back, host);
    let c = s.buffer(&[0u8; 64]);
    let code = cl!(clEnqueueCopyBufferRect(
        s.queue,
        b,
        c,
        origin.as_ptr(),
        zero.as_ptr(),
        region.as_ptr(),
        16,
        96,
        8,
        32,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut expected = vec![0u8; 64];
    for (i, v) in host.iter().enumerate() {
        let (x, y, z) = (i % 4, i / 4 % 3, i / 12);
        expected[z * 32 + y * 8 + x] = *v;
    }
    assert_eq!(s.read(c, 64), expected);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseMemObject(c)), 0);
}

#[test]
fn errors_of_rectangles() {
    let s = Setup::new();
    let b = s.buffer(&vec![0u8; 96 * 4]);
    let (origin, zero) = ([2usize, 1, 1], [0usize; 3]);
    let (region, mut back) = ([4usize, 3, 2], vec![0u8; 24]);
    // INVALID_VALUE if a region element is 0, a pitch is too small, or an array is NULL
    let bad = |region: [usize; 3], row, slice| {
        cl!(clEnqueueReadBufferRect(
            s.queue,
            b,
            1,
            origin.as_ptr(),
            zero.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            0,
            0,
            [0u8; 4096].as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(bad([0, 1, 1], 0, 0), CL_INVALID_VALUE);
    assert_eq!(bad([4, 3, 2], 3, 0), CL_INVALID_VALUE);
    assert_eq!(bad([4, 3, 2], 16, 40), CL_INVALID_VALUE);
    assert_eq!(bad([400, 1, 1], 0, 0), CL_INVALID_VALUE);
    // INVALID_VALUE if the host memory would be beyond the address space
    let far = |slice| {
        cl!(clEnqueueReadBufferRect(
            s.queue,
            b,
            1,
            zero.as_ptr(),
            zero.as_ptr(),
            [1usize, 1, 2].as_ptr(),
            1,
            1,
            1,
            slice,
            back.as_ptr().cast_mut().cast(),
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(far(usize::MAX - 100), CL_INVALID_VALUE);
    assert_eq!(far(usize::MAX), CL_INVALID_VALUE);
    let code = cl!(clEnqueueReadBufferRect(
        s.queue,
        b,
        1,
        null(),
        zero.as_ptr(),
        region.as_ptr(),
        16,
        96,
        0,
        0,
        back.as_mut_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    // MEM_COPY_OVERLAP within one buffer
    let code = cl!(clEnqueueCopyBufferRect(
        s.queue,
        b,
        b,
        origin.as_ptr(),
        origin.as_ptr(),
        region.as_ptr(),
        16,
        96,
        16,
        96,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, CL_MEM_COPY_OVERLAP);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

/// Long reads are copied in chunks. After any kind of wait, all of the data must be there.
#[test]
fn long_reads() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let s = Setup::with(properties);
        let size = (13 << 20) + 4321;
        let b = s.buffer(&ramp(size));
        let (first, all) = (4 << 20, ramp(size));
        let mut to = vec![0u8; size];
        let mut read = |blocking, from: usize, size: usize, event: *mut cl_event| {
            let code = cl!(clEnqueueReadBuffer(
                s.queue,
                b,
                blocking,
                from,
                size,
                to[from..from + size].as_mut_ptr().cast(),
                0,
                null(),
                event
            ));
            assert_eq!(code, 0);
        };
        // Two reads follow each other, and the test waits for the second one first.
        let mut events = [null_mut(); 2];
        read(0, 0, first, &raw mut events[0]);
        read(0, first, size - first, &raw mut events[1]);
        assert_eq!(cl!(clWaitForEvents(1, &raw const events[1])), 0);
        assert!(std::hint::black_box(&to)[first..] == all[first..]);
        assert_eq!(cl!(clWaitForEvents(1, &raw const events[0])), 0);
        assert!(*std::hint::black_box(&to) == all);
        for event in events {
            assert_eq!(cl!(clReleaseEvent(event)), 0);
        }
        to.fill(0);
        let mut read = |blocking, from: usize, size: usize| {
            let to = to[from..from + size].as_mut_ptr().cast();
            cl!(clEnqueueReadBuffer(
                s.queue,
                b,
                blocking,
                from,
                size,
                to,
                0,
                null(),
                null_mut()
            ))
        };
        assert_eq!(read(0, 0, first), 0);
        assert_eq!(read(1, first, size - first), 0);
        assert!(std::hint::black_box(&to)[first..] == all[first..]);
        assert_eq!(cl!(clFinish(s.queue)), 0);
        assert!(*std::hint::black_box(&to) == all);
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
}

/// CL 5.12: the profiling times of a read in chunks are those of the whole command.
#[test]
fn long_reads_are_timed_from_their_start() {
    let s = Setup::with(CL_QUEUE_PROFILING_ENABLE);
    let size = 24 << 20;
    let (b, mut to) = (s.buffer(&vec![1; size]), vec![0u8; size]);
    let mut events = [null_mut(); 2];
    assert_eq!(cl!(clEnqueueMarker(s.queue, &raw mut events[0])), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let code = cl!(clEnqueueReadBuffer(
        s.queue,
        b,
        0,
        0,
        size,
        to.as_mut_ptr().cast(),
        0,
        null(),
        &raw mut events[1]
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    let time = |event, what| {
        let mut time = 0u64;
        let at = (&raw mut time).cast();
        assert_eq!(cl!(clGetEventProfilingInfo(event, what, 8, at, null_mut())), 0);
        time
    };
    let before = time(events[0], CL_PROFILING_COMMAND_END);
    let points = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ];
    let [queued, submit, start, end] = points.map(|what| time(events[1], what));
    assert!(before <= queued && queued <= submit && submit <= start && start < end);
    // The read has run for most of the time since the marker.
    assert!(
        start - before < end - start,
        "{} ns and {} ns",
        start - before,
        end - start
    );
    for event in events {
        assert_eq!(cl!(clReleaseEvent(event)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

/// Rows with small or large gaps between them, which are copied together or one by one.
#[test]
fn boxes_of_many_rows() {
    let s = Setup::new();
    let size = 20 << 20;
    let bytes = ramp(size);
    let b = s.buffer(&bytes);
    // Region, pitches of the buffer, pitches of the host memory (0: dense).
    let boxes = [
        ([100usize, 200, 1], [128usize, 0], [0usize, 0]),
        ([100, 200, 1], [100, 0], [107, 0]),
        ([100, 20, 30], [128, 128 * 25], [0, 0]),
        ([100, 20, 30], [100, 100 * 21], [101, 101 * 22]),
        ([3, 250, 1], [80_000, 0], [0, 0]),
        ([3, 2, 100], [4, 200_000], [5, 0]),
        ([70_000, 50, 1], [80_000, 0], [70_001, 0]),
        ([1, 300, 1], [60_000, 0], [1, 0]),
    ];
    for (region, there, here) in boxes {
        let origin = [5usize, 1, 0];
        let [w, h, d] = region;
        let row = if here[0] == 0 { w } else { here[0] };
        let slice = if here[1] == 0 { row * h } else { here[1] };
        let slice_there = if there[1] == 0 { there[0] * h } else { there[1] };
        let length = slice * (d - 1) + row * (h - 1) + w;
        let mut expected = vec![0xEE; length];
        for (y, z) in (0..d).flat_map(|z| (0..h).map(move |y| (y, z))) {
            let from = z * slice_there + (y + 1) * there[0] + 5;
            let to = z * slice + y * row;
            expected[to..to + w].copy_from_slice(&bytes[from..from + w]);
        }
        let (pinned, code) = created!(clCreateBuffer(
            s.context,
            CL_MEM_ALLOC_HOST_PTR,
            length,
            null_mut()
        ));
        assert_eq!(code, 0);
        let (at, code) = created!(clEnqueueMapBuffer(
            s.queue,
            pinned,
            1,
            CL_MAP_WRITE,
            0,
            length,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        let mut plain = vec![0xEEu8; length];
        for place in [plain.as_mut_ptr(), at.cast()] {
            // SAFETY: the `length` bytes are mapped for writing, or belong to the vector, and no command is in flight.
            unsafe { std::slice::from_raw_parts_mut(place, length) }.fill(0xEE);
            let code = cl!(clEnqueueReadBufferRect(
                s.queue,
                b,
                0,
                origin.as_ptr(),
                [0usize; 3].as_ptr(),
                region.as_ptr(),
                there[0],
                there[1],
                here[0],
                here[1],
                place.cast(),
                0,
                null(),
                null_mut()
            ));
            assert_eq!(code, 0);
            assert_eq!(cl!(clFinish(s.queue)), 0);
            // SAFETY: as above; the read was blocking.
            let got = unsafe { std::slice::from_raw_parts(place, length) };
            assert!(*got == expected, "{region:?} of pitches {there:?}, {here:?}");
        }
        assert_eq!(
            cl!(clEnqueueUnmapMemObject(
                s.queue,
                pinned,
                at,
                0,
                null(),
                null_mut()
            )),
            0
        );
        assert_eq!(cl!(clReleaseMemObject(pinned)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}
