//! CL 5.2.2 with host memory that the device can access by itself (the mapping of a CL_MEM_ALLOC_HOST_PTR buffer),
//! and with accesses that are so short that the host performs them.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::s5_3_1_create_image::{RGBA8, create, desc, images};
use crate::{cl, created};

/// A mapped buffer in host memory.
struct Pinned<'a> {
    s: &'a Setup,
    buffer: cl_mem,
    at: *mut u8,
    size: usize,
}

impl<'a> Pinned<'a> {
    fn new(s: &'a Setup, size: usize) -> Pinned<'a> {
        let (buffer, code) = created!(clCreateBuffer(s.context, CL_MEM_ALLOC_HOST_PTR, size, null_mut()));
        assert_eq!(code, 0);
        let (at, code) = created!(clEnqueueMapBuffer(
            s.queue,
            buffer,
            1,
            CL_MAP_READ | CL_MAP_WRITE,
            0,
            size,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        let at = at.cast();
        Pinned { s, buffer, at, size }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is mapped for reading and writing, and no command is in flight during this call.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.size) }
    }

    fn place(&self, offset: usize) -> *mut c_void {
        self.at.wrapping_add(offset).cast()
    }

    fn unmap(&self) {
        let at = self.at.cast();
        assert_eq!(
            cl!(clEnqueueUnmapMemObject(
                self.s.queue,
                self.buffer,
                at,
                0,
                null(),
                null_mut()
            )),
            0
        );
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        assert_eq!(cl!(clReleaseMemObject(self.buffer)), 0);
    }
}

fn pattern(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 13 + i / 251 + seed) as u8).collect()
}

fn read(s: &Setup, b: cl_mem, blocking: u32, offset: usize, size: usize, to: *mut c_void) {
    let code = cl!(clEnqueueReadBuffer(
        s.queue,
        b,
        blocking,
        offset,
        size,
        to,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

fn write(s: &Setup, b: cl_mem, blocking: u32, offset: usize, size: usize, from: *const c_void) {
    let code = cl!(clEnqueueWriteBuffer(
        s.queue,
        b,
        blocking,
        offset,
        size,
        from,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

/// Sizes below and above each limit: that of short accesses, that of transfers through staging memory, that of a chunk.
const SIZES: [usize; 8] = [
    1,
    100,
    8 << 10,
    (8 << 10) + 1,
    64 << 10,
    300 << 10,
    1 << 20,
    9 << 20,
];

#[test]
fn reads_and_writes_of_pinned_memory() {
    let s = Setup::new();
    for size in SIZES {
        let mut pinned = Pinned::new(&s, 2 * size + 40);
        let b = s.buffer(&vec![0; size + 10]);
        for blocking in [0, 1] {
            let bytes = pattern(size, blocking as usize);
            pinned.bytes()[7..7 + size].copy_from_slice(&bytes);
            write(&s, b, blocking, 5, size, pinned.place(7));
            if blocking == 1 {
                // After a blocking write the application may reuse the memory.
                pinned.bytes()[7..7 + size].fill(0x11);
            }
            read(&s, b, blocking, 5, size, pinned.place(size + 33));
            assert_eq!(cl!(clFinish(s.queue)), 0);
            assert!(
                pinned.bytes()[size + 33..2 * size + 33] == bytes,
                "{size} bytes, blocking {blocking}"
            );
            assert!(s.read(b, size + 10)[5..size + 5] == bytes);
        }
        pinned.unmap();
        assert_eq!(cl!(clReleaseMemObject(b)), 0);
    }
}

#[test]
fn what_a_read_brings_may_be_written_on_at_once() {
    let s = Setup::new();
    for size in SIZES {
        let mut pinned = Pinned::new(&s, size);
        pinned.bytes().fill(0);
        let bytes = pattern(size, 3);
        let (a, b) = (s.buffer(&bytes), s.buffer(&vec![0; size]));
        // The queue is in order, so the write sees the result of the read, which is also in the mapped buffer itself.
        read(&s, a, 0, 0, size, pinned.place(0));
        write(&s, b, 0, 0, size, pinned.place(0));
        pinned.unmap();
        assert!(s.read(b, size) == bytes, "{size} bytes");
        assert!(s.read(pinned.buffer, size) == bytes, "{size} bytes");
        for m in [a, b] {
            assert_eq!(cl!(clReleaseMemObject(m)), 0);
        }
    }
}

#[test]
fn rectangles_of_pinned_memory() {
    let s = Setup::new();
    // 300 rows of 1,000 bytes, with a pitch of 1,024 in the buffer and 1,500 in host memory.
    let (width, rows, there, here) = (1000usize, 300usize, 1024usize, 1500usize);
    let mut pinned = Pinned::new(&s, here * (rows + 2));
    let contents = pattern(there * (rows + 2), 9);
    let b = s.buffer(&contents);
    pinned.bytes().fill(0);
    let (origin, host_origin, region) = ([8usize, 1, 0], [20usize, 2, 0], [width, rows, 1]);
    let code = cl!(clEnqueueReadBufferRect(
        s.queue,
        b,
        1,
        origin.as_ptr(),
        host_origin.as_ptr(),
        region.as_ptr(),
        there,
        0,
        here,
        0,
        pinned.place(0),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    for (y, row) in pinned.bytes().chunks(here).enumerate() {
        let mut expected = vec![0; row.len()];
        if y >= 2 {
            let from = (y - 1) * there + 8;
            expected[20..20 + width].copy_from_slice(&contents[from..from + width]);
        }
        assert!(row == expected, "row {y}");
    }
    // The rows are written back to another offset.
    let c = s.buffer(&vec![0; contents.len()]);
    let code = cl!(clEnqueueWriteBufferRect(
        s.queue,
        c,
        1,
        [3usize, 0, 0].as_ptr(),
        host_origin.as_ptr(),
        region.as_ptr(),
        there,
        0,
        here,
        0,
        pinned.place(0),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    for (y, row) in s.read(c, contents.len()).chunks(there).enumerate() {
        let mut expected = vec![0; there];
        if y < rows {
            let from = (y + 1) * there + 8;
            expected[3..3 + width].copy_from_slice(&contents[from..from + width]);
        }
        assert!(row == expected, "row {y}");
    }
    pinned.unmap();
    for m in [b, c] {
        assert_eq!(cl!(clReleaseMemObject(m)), 0);
    }
}

#[test]
fn memory_that_was_pinned_once_is_plain_memory() {
    let s = Setup::new();
    let size = 1 << 20;
    let b = s.buffer(&pattern(size, 1));
    for _ in 0..4 {
        let pinned = Pinned::new(&s, size);
        read(&s, b, 1, 0, size, pinned.place(0));
        pinned.unmap();
        drop(pinned);
        // The next use of the same addresses is pageable memory.
        let many: Vec<Vec<u8>> = (0..8).map(|_| vec![0u8; size]).collect();
        for mut plain in many {
            read(&s, b, 1, 0, size, plain.as_mut_ptr().cast());
            assert!(plain == pattern(size, 1));
        }
    }
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
}

#[test]
fn short_accesses_between_kernels() {
    let s = Setup::new();
    let program = s.built(
        "kernel void next(global uint *p) { p[get_global_id(0)] = p[get_global_id(0)] * 3 + 1; }",
        "",
    );
    let kernel = s.kernel(program, "next");
    let count = 1000usize;
    let b = s.buffer(&vec![0; 4 * count]);
    assert_eq!(
        cl!(clSetKernelArg(
            kernel,
            0,
            size_of::<cl_mem>(),
            (&raw const b).cast()
        )),
        0
    );
    let mut expected = vec![0u32; count];
    for round in 0..50u32 {
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const count,
            null(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        expected.iter_mut().for_each(|x| *x = x.wrapping_mul(3) + 1);
        let at = (round as usize * 37) % count;
        let mut seen = 0u32;
        read(&s, b, 1, 4 * at, 4, (&raw mut seen).cast());
        assert_eq!(seen, expected[at], "round {round}");
        // The write before the next launch is blocking in every second round.
        expected[at] = round;
        write(&s, b, round & 1, 4 * at, 4, (&raw const round).cast());
        assert_eq!(cl!(clFinish(s.queue)), 0);
    }
    let all: Vec<u8> = expected.iter().flat_map(|x| x.to_ne_bytes()).collect();
    assert_eq!(s.read(b, 4 * count), all);
    assert_eq!(cl!(clReleaseMemObject(b)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The layout of a box of an image in host memory, with pitches.
struct Box3 {
    origin: [usize; 3],
    region: [usize; 3],
    pitches: [usize; 2],
}

impl Box3 {
    /// Returns the byte offsets of the rows. The rows of a 1D array are its layers, at the slice pitch.
    fn rows(&self, array: bool) -> impl Iterator<Item = usize> {
        let [row, slice] = self.pitches;
        let row = if array { slice } else { row };
        let [_, h, d] = self.region;
        (0..d).flat_map(move |z| (0..h).map(move |y| y * row + z * slice))
    }
}

#[test]
fn images_and_pinned_memory() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let moved = |image, write: bool, b: &Box3, at: *mut c_void| {
        let (origin, region) = (b.origin.as_ptr(), b.region.as_ptr());
        let [row, slice] = b.pitches;
        let none = null();
        let code = if write {
            cl!(clEnqueueWriteImage(
                s.queue,
                image,
                0,
                origin,
                region,
                row,
                slice,
                at,
                0,
                none,
                null_mut()
            ))
        } else {
            cl!(clEnqueueReadImage(
                s.queue,
                image,
                1,
                origin,
                region,
                row,
                slice,
                at,
                0,
                none,
                null_mut()
            ))
        };
        assert_eq!(code, 0);
    };
    // Sizes above and below the limit of transfers through staging memory, and pitches that are whole numbers of
    // texels and rows, and others.
    let kinds = [
        (CL_MEM_OBJECT_IMAGE2D, [300, 260, 1], [1200, 0]),
        (CL_MEM_OBJECT_IMAGE2D, [300, 260, 1], [1216, 0]),
        (CL_MEM_OBJECT_IMAGE2D, [300, 260, 1], [1201, 0]),
        (CL_MEM_OBJECT_IMAGE3D, [40, 50, 36], [160, 8000]),
        (CL_MEM_OBJECT_IMAGE3D, [40, 50, 36], [176, 176 * 51]),
        (CL_MEM_OBJECT_IMAGE3D, [40, 50, 36], [176, 176 * 51 + 4]),
        (CL_MEM_OBJECT_IMAGE2D_ARRAY, [40, 50, 36], [176, 176 * 52]),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [300, 260, 1], [1200, 1280]),
        (CL_MEM_OBJECT_IMAGE2D, [9, 8, 1], [40, 0]),
    ];
    for (ty, size, pitches) in kinds {
        let array = ty == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        let (layers, description) = match ty {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => (size[1], desc(ty, [size[0], 1, 1], size[1])),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => (size[2], desc(ty, [size[0], size[1], 1], size[2])),
            _ => (0, desc(ty, size, 0)),
        };
        let what = format!("type {ty:#x}, {layers} layers, pitches {pitches:?}");
        let (image, code) = create(&s, 0, RGBA8, &description, null_mut());
        assert_eq!(code, 0, "{what}");
        let whole = Box3 {
            origin: [0; 3],
            region: size,
            pitches,
        };
        let length = whole.rows(array).last().expect("a row") + size[0] * 4;
        for place in [0, 8, 6] {
            let mut pinned = Pinned::new(&s, length + 64);
            let bytes = pattern(length + 64, place);
            pinned.bytes().copy_from_slice(&bytes);
            moved(image, true, &whole, pinned.place(place));
            // A box in the middle is read back. The bytes between its rows must not change.
            let part = Box3 {
                origin: [2, 1, if size[2] > 1 { 1 } else { 0 }],
                region: [size[0] - 3, size[1] - 2, size[2].max(3) - 2],
                pitches,
            };
            let mut expected = bytes.clone();
            let from = |to: usize| {
                let [row, slice] = pitches;
                let row = if array { slice } else { row };
                to + part.origin[0] * 4 + part.origin[1] * row + part.origin[2] * slice
            };
            for to in part.rows(array) {
                let (to, from, n) = (place + to, place + from(to), part.region[0] * 4);
                expected[to..to + n].copy_from_slice(&bytes[from..from + n]);
            }
            moved(image, false, &part, pinned.place(place));
            assert!(*pinned.bytes() == *expected, "{what}, at byte {place}");
            pinned.unmap();
        }
        assert_eq!(cl!(clReleaseMemObject(image)), 0);
    }
}

/// An image read stores into the mapping of a buffer. A later command of the in-order queue that reads the buffer
/// sees the texels, at any offset and with any pitch.
#[test]
fn what_an_image_read_brings_is_the_buffers() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let (w, h) = (60usize, 50usize);
    let texels = pattern(w * h * 4, 5);
    let description = desc(CL_MEM_OBJECT_IMAGE2D, [w, h, 1], 0);
    let (image, code) = create(&s, 0, RGBA8, &description, null_mut());
    assert_eq!(code, 0);
    let (origin, region) = ([0usize; 3], [w, h, 1]);
    let code = cl!(clEnqueueWriteImage(
        s.queue,
        image,
        1,
        origin.as_ptr(),
        region.as_ptr(),
        0,
        0,
        texels.as_ptr().cast(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    for (offset, pitch) in [(0, 240), (16, 256), (0, 241), (3, 240), (5, 251)] {
        let size = offset + pitch * h;
        let mut pinned = Pinned::new(&s, size);
        pinned.bytes().fill(0xEE);
        let other = s.buffer(&vec![0; size]);
        let code = cl!(clEnqueueReadImage(
            s.queue,
            image,
            0,
            origin.as_ptr(),
            region.as_ptr(),
            pitch,
            0,
            pinned.place(offset),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        pinned.unmap();
        let (from, none) = (pinned.buffer, null());
        let code = cl!(clEnqueueCopyBuffer(
            s.queue,
            from,
            other,
            0,
            0,
            size,
            0,
            none,
            null_mut()
        ));
        assert_eq!(code, 0);
        let mut expected = vec![0xEE; size];
        for (to, from) in (offset..).step_by(pitch).zip(texels.chunks(w * 4)) {
            expected[to..to + w * 4].copy_from_slice(from);
        }
        assert!(
            s.read(other, size) == expected,
            "at byte {offset}, in rows of {pitch}"
        );
        assert_eq!(cl!(clReleaseMemObject(other)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(image)), 0);
}

/// A read stores into a mapping, and the mapping ends after it in the in-order queue. The device must see the
/// result, even if the host still had to store it when the unmap was enqueued.
#[test]
fn mappings_end_after_the_reads_into_them() {
    let s = Setup::new();
    for size in [1000usize, 300 << 10, 3 << 20] {
        let bytes = pattern(size, 11);
        let source = s.buffer(&bytes);
        let other = s.buffer(&vec![0; size]);
        for flags in [0, CL_MEM_ALLOC_HOST_PTR] {
            let (mapped, code) = created!(clCreateBuffer(s.context, flags, size, null_mut()));
            assert_eq!(code, 0);
            let (at, code) = created!(clEnqueueMapBuffer(
                s.queue,
                mapped,
                1,
                CL_MAP_WRITE,
                0,
                size,
                0,
                null(),
                null_mut()
            ));
            assert_eq!(code, 0);
            // The copies keep the queue busy, so that the read is not performed at once.
            let copy = |from, to| {
                let none = null();
                let code = cl!(clEnqueueCopyBuffer(
                    s.queue,
                    from,
                    to,
                    0,
                    0,
                    size,
                    0,
                    none,
                    null_mut()
                ));
                assert_eq!(code, 0);
            };
            copy(source, other);
            read(&s, source, 0, 0, size, at);
            let none = null();
            let code = cl!(clEnqueueUnmapMemObject(s.queue, mapped, at, 0, none, null_mut()));
            assert_eq!(code, 0);
            copy(mapped, other);
            assert!(s.read(other, size) == bytes, "{size} bytes, flags {flags:#x}");
            assert_eq!(cl!(clReleaseMemObject(mapped)), 0);
        }
        for b in [source, other] {
            assert_eq!(cl!(clReleaseMemObject(b)), 0);
        }
    }
}

/// CL 5.3.3: pitches with which the last row would be beyond the address space.
#[test]
fn pitches_beyond_the_address_space() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let mut memory = [0u8; 64];
    for (ty, region, row, slice) in [
        (CL_MEM_OBJECT_IMAGE2D, [1usize, 2, 1], usize::MAX - 100, 0),
        (CL_MEM_OBJECT_IMAGE2D, [1, 4, 1], usize::MAX / 2, 0),
        (CL_MEM_OBJECT_IMAGE3D, [1, 1, 2], 4, usize::MAX - 99),
        (CL_MEM_OBJECT_IMAGE1D_ARRAY, [1, 2, 1], 4, usize::MAX - 99),
    ] {
        let (image, code) = create(&s, 0, RGBA8, &desc(ty, [4, 4, 4], 4), null_mut());
        assert_eq!(code, 0);
        let code = cl!(clEnqueueReadImage(
            s.queue,
            image,
            1,
            [0usize; 3].as_ptr(),
            region.as_ptr(),
            row,
            slice,
            memory.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, CL_INVALID_VALUE, "{ty:#x} {row} {slice}");
        assert_eq!(cl!(clReleaseMemObject(image)), 0);
    }
}
