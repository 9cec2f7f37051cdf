//! CL 5.3.3 and 5.3.6: reads and mappings of images, for every image type and texel size.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::s5_3_1_create_image::{create, desc, images};
use crate::{cl, created};

/// Formats with texels of 1, 2, 4, 8 and 16 bytes.
const FORMATS: [(cl_channel_order, cl_channel_type, usize); 5] = [
    (CL_R, CL_UNSIGNED_INT8, 1),
    (CL_R, CL_UNSIGNED_INT16, 2),
    (CL_RGBA, CL_UNORM_INT8, 4),
    (CL_RGBA, CL_UNSIGNED_INT16, 8),
    (CL_RGBA, CL_FLOAT, 16),
];

const RGBA8: (cl_channel_order, cl_channel_type, usize) = FORMATS[2];

/// One shape of each type, with many rows if the type has rows. Layers are in the dimension in which regions count
/// them.
const SHAPES: [(cl_mem_object_type, [usize; 3]); 5] = [
    (CL_MEM_OBJECT_IMAGE1D, [777, 1, 1]),
    (CL_MEM_OBJECT_IMAGE1D_ARRAY, [100, 77, 1]),
    (CL_MEM_OBJECT_IMAGE2D, [100, 77, 1]),
    (CL_MEM_OBJECT_IMAGE2D_ARRAY, [20, 30, 5]),
    (CL_MEM_OBJECT_IMAGE3D, [20, 30, 5]),
];

/// An image and its contents.
struct Picture<'a> {
    s: &'a Setup,
    image: cl_mem,
    ty: cl_mem_object_type,
    texel: usize,
    size: [usize; 3],
    bytes: Vec<u8>,
}

/// The layout of texels in host memory.
#[derive(Copy, Clone)]
struct Pitches {
    row: usize,
    slice: usize,
}

impl<'a> Picture<'a> {
    fn new(
        s: &'a Setup,
        (order, data, texel): (cl_channel_order, cl_channel_type, usize),
        (ty, size): (cl_mem_object_type, [usize; 3]),
    ) -> Picture<'a> {
        let format = cl_image_format {
            image_channel_order: order,
            image_channel_data_type: data,
        };
        let description = match ty {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => desc(ty, [size[0], 1, 1], size[1]),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => desc(ty, [size[0], size[1], 1], size[2]),
            _ => desc(ty, size, 0),
        };
        // Read as floats, the words are neither infinite nor subnormal.
        let word = |i: usize| (i as u32).wrapping_mul(0x9E37_79B9) & 0x3FFF_FFFF | 0x2000_0000;
        let length = size.iter().product::<usize>() * texel;
        let words = (0..length.div_ceil(4)).flat_map(|i| word(i).to_le_bytes());
        let mut bytes: Vec<u8> = words.collect();
        bytes.truncate(length);
        let host = bytes.as_mut_ptr().cast();
        let (image, code) = create(s, CL_MEM_COPY_HOST_PTR, format, &description, host);
        assert_eq!(code, 0);
        Picture {
            s,
            image,
            ty,
            texel,
            size,
            bytes,
        }
    }

    /// Returns the pitches of a region without gaps.
    fn dense(&self, region: [usize; 3]) -> Pitches {
        let row = region[0] * self.texel;
        Pitches {
            row,
            slice: row * self.rows(region),
        }
    }

    /// Returns the number of rows in a slice. The layers of a 1D array have one row.
    fn rows(&self, region: [usize; 3]) -> usize {
        match self.ty {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => 1,
            _ => region[1],
        }
    }

    /// Returns the byte offset of a row. The rows of a 1D array are at the slice pitch.
    fn row(&self, p: Pitches, y: usize, z: usize) -> usize {
        match self.ty {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => y * p.slice,
            _ => y * p.row + z * p.slice,
        }
    }

    /// Returns the expected contents of host memory after a read of a box, if all bits were ones before.
    fn expected(&self, origin: [usize; 3], region: [usize; 3], p: Pitches, length: usize) -> Vec<u8> {
        let mut all = vec![0xFF; length];
        let [w, h, _] = self.size;
        for z in 0..region[2] {
            for y in 0..region[1] {
                let texel = ((z + origin[2]) * h + y + origin[1]) * w + origin[0];
                let (from, to, n) = (texel * self.texel, self.row(p, y, z), region[0] * self.texel);
                all[to..to + n].copy_from_slice(&self.bytes[from..from + n]);
            }
        }
        all
    }

    fn read(&self, blocking: u32, origin: [usize; 3], region: [usize; 3], p: Pitches, to: *mut c_void) {
        let has = |types: &[cl_mem_object_type]| types.contains(&self.ty);
        let row = if has(&[CL_MEM_OBJECT_IMAGE1D_ARRAY]) {
            0
        } else {
            p.row
        };
        let slice = if has(&[CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D]) {
            0
        } else {
            p.slice
        };
        let code = cl!(clEnqueueReadImage(
            self.s.queue,
            self.image,
            blocking,
            origin.as_ptr(),
            region.as_ptr(),
            row,
            slice,
            to,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        if blocking == 0 {
            assert_eq!(cl!(clFinish(self.s.queue)), 0);
        }
    }

    fn map(&self, origin: [usize; 3], region: [usize; 3]) -> (*mut c_void, Pitches) {
        let (mut row, mut slice) = (0, 0);
        let (at, code) = created!(clEnqueueMapImage(
            self.s.queue,
            self.image,
            1,
            CL_MAP_READ,
            origin.as_ptr(),
            region.as_ptr(),
            &raw mut row,
            &raw mut slice,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        (at, Pitches { row, slice })
    }

    fn check_map(&self, origin: [usize; 3], region: [usize; 3], what: &str) {
        let (at, p) = self.map(origin, region);
        let n = region[0] * self.texel;
        let dense = self.dense(region);
        let expected = self.expected(origin, region, dense, n * region[1] * region[2]);
        for z in 0..region[2] {
            for y in 0..region[1] {
                let place = at.cast::<u8>().wrapping_add(self.row(p, y, z));
                // SAFETY: by the pitches that the call has returned, the row is within the mapped region.
                let row = unsafe { std::slice::from_raw_parts(place, n) };
                let start = self.row(dense, y, z);
                assert!(
                    *row == expected[start..start + n],
                    "{what}, mapped, row {y} of {z}"
                );
            }
        }
        let code = cl!(clEnqueueUnmapMemObject(
            self.s.queue,
            self.image,
            at,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
    }
}

impl Drop for Picture<'_> {
    fn drop(&mut self) {
        assert_eq!(cl!(clReleaseMemObject(self.image)), 0);
    }
}

/// Reads a box into pageable memory and into pinned memory, and maps it.
fn check(picture: &Picture<'_>, origin: [usize; 3], region: [usize; 3], what: &str) {
    let s = picture.s;
    let dense = picture.dense(region);
    let row = dense.row + 5 * picture.texel;
    let wide = Pitches {
        row,
        slice: row * picture.rows(region),
    };
    for (p, gaps) in [(dense, "no gaps"), (wide, "gaps")] {
        let last = picture.row(p, region[1] - 1, region[2] - 1) + dense.row;
        let expected = picture.expected(origin, region, p, last);
        for blocking in [0, 1] {
            let mut to = vec![0xFF; last];
            picture.read(blocking, origin, region, p, to.as_mut_ptr().cast());
            assert!(*std::hint::black_box(&to) == expected, "{what}, {gaps}");
        }
        let size = last + 64;
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
        for offset in [0, 48, 7] {
            // SAFETY: the memory is mapped for reading and writing, and no command is in flight.
            unsafe { std::slice::from_raw_parts_mut(at.cast::<u8>(), size) }.fill(0xFF);
            picture.read(1, origin, region, p, at.wrapping_byte_add(offset));
            // SAFETY: as above; the read was blocking.
            let got = unsafe { std::slice::from_raw_parts(at.cast::<u8>(), size) };
            assert!(got[offset..offset + last] == *expected, "{what}, {gaps}, pinned");
            let around = got[..offset].iter().chain(&got[offset + last..]);
            assert!(around.copied().all(|b| b == 0xFF), "{what}, {gaps}, around");
        }
        let code = cl!(clEnqueueUnmapMemObject(
            s.queue,
            buffer,
            at,
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
    }
    picture.check_map(origin, region, what);
}

#[test]
fn all_types_and_sizes_of_texels() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let s = Setup::with(properties);
        if !images(&s) {
            return;
        }
        for shape in SHAPES {
            for format in FORMATS {
                let picture = Picture::new(&s, format, shape);
                let what = format!("type {:#x}, {} bytes a texel", shape.0, format.2);
                check(&picture, [0; 3], shape.1, &what);
                // A box in the interior of the image, in each dimension of the type.
                let part = shape.1.map(|n| if n > 1 { n - 2 } else { 1 });
                check(&picture, shape.1.map(|n| usize::from(n > 1)), part, &what);
            }
        }
    }
}

#[test]
fn more_than_a_chunk() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    // 4.7 MiB in slices of 250 KiB, and in one slice.
    for shape in [
        (CL_MEM_OBJECT_IMAGE3D, [250, 256, 19]),
        (CL_MEM_OBJECT_IMAGE2D, [900, 1300, 1]),
    ] {
        let picture = Picture::new(&s, RGBA8, shape);
        check(&picture, [0; 3], shape.1, "long");
    }
}

/// A kernel writes the image between two reads, and only the order of the queue separates these commands.
#[test]
fn between_kernels() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let program = s.built(
        "kernel void paint(write_only image2d_t i, uint n) {
             write_imageui(i, (int2)(get_global_id(0), get_global_id(1)), (uint4)(get_global_id(0) + n * get_global_id(1)));
         }",
        "",
    );
    let kernel = s.kernel(program, "paint");
    let size = [90usize, 64, 1];
    let picture = Picture::new(&s, (CL_R, CL_UNSIGNED_INT32, 4), (CL_MEM_OBJECT_IMAGE2D, size));
    let mut got: Vec<Vec<u32>> = Vec::new();
    let image = picture.image;
    assert_eq!(
        cl!(clSetKernelArg(
            kernel,
            0,
            size_of::<cl_mem>(),
            (&raw const image).cast()
        )),
        0
    );
    for n in 0..8u32 {
        assert_eq!(cl!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast())), 0);
        let code = cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            2,
            null(),
            size.as_ptr(),
            null(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        let mut to = vec![0u32; 90 * 64];
        let code = cl!(clEnqueueReadImage(
            s.queue,
            image,
            0,
            [0usize; 3].as_ptr(),
            size.as_ptr(),
            0,
            0,
            to.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        got.push(to);
    }
    assert_eq!(cl!(clFinish(s.queue)), 0);
    for (n, to) in (0u32..).zip(std::hint::black_box(&got)) {
        let expected: Vec<u32> = (0..64).flat_map(|y| (0..90).map(move |x| x + n * y)).collect();
        assert!(*to == expected, "round {n}");
    }
    drop(picture);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
