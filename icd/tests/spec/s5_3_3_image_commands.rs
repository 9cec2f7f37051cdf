//! CL 5.3.3 to 5.3.6, 5.4.2 and 5.7.2: commands on images, mappings, and images as arguments.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::{Setup, context};
use crate::common::*;
use crate::s5_3_1_create_image::{RGBA8, create, desc, images};
use crate::{cl, created, query};

/// Creates a 2D or a 3D image of RGBA8 texels.
fn image(s: &Setup, flags: cl_mem_flags, size: [usize; 3]) -> cl_mem {
    let ty = if size[2] > 1 {
        CL_MEM_OBJECT_IMAGE3D
    } else {
        CL_MEM_OBJECT_IMAGE2D
    };
    let (image, code) = create(s, flags, RGBA8, &desc(ty, size, 0), null_mut());
    assert_eq!(code, 0);
    image
}

/// The arguments of a transfer: queue, image, origin, region, pitches.
type Transfer = (cl_command_queue, cl_mem, [usize; 3], [usize; 3], [usize; 2]);

fn read(t: Transfer, to: *mut c_void) -> cl_int {
    let (queue, image, origin, region, [row, slice]) = t;
    cl!(clEnqueueReadImage(
        queue,
        image,
        1,
        origin.as_ptr(),
        region.as_ptr(),
        row,
        slice,
        to,
        0,
        null(),
        null_mut()
    ))
}

fn write(t: Transfer, from: *const c_void) -> cl_int {
    let (queue, image, origin, region, [row, slice]) = t;
    cl!(clEnqueueWriteImage(
        queue,
        image,
        0,
        origin.as_ptr(),
        region.as_ptr(),
        row,
        slice,
        from,
        0,
        null(),
        null_mut()
    ))
}

#[test]
fn read_and_write_errors() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let d2 = image(&s, 0, [4, 4, 1]);
    let d3 = image(&s, 0, [4, 4, 4]);
    let mut bytes = vec![0u8; 4096];
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let both = |t: Transfer, expected, why: &str| {
        assert_eq!(read(t, host), expected, "read: {why}");
        assert_eq!(write(t, host), expected, "write: {why}");
    };
    let all = ([0; 3], [4, 4, 1]);
    both((s.queue, d2, all.0, all.1, [0, 0]), 0, "valid");
    both(
        (null_mut(), d2, all.0, all.1, [0, 0]),
        CL_INVALID_COMMAND_QUEUE,
        "queue",
    );
    both(
        (s.queue, null_mut(), all.0, all.1, [0, 0]),
        CL_INVALID_MEM_OBJECT,
        "image",
    );
    let buffer = s.buffer(&[0; 64]);
    both(
        (s.queue, buffer, all.0, all.1, [0, 0]),
        CL_INVALID_MEM_OBJECT,
        "a buffer",
    );
    let other = context(s.device);
    let (queue, code) = created!(clCreateCommandQueue(other, s.device, 0));
    assert_eq!(code, 0);
    both((queue, d2, all.0, all.1, [0, 0]), CL_INVALID_CONTEXT, "contexts");
    // INVALID_VALUE if the region is out of bounds, empty, or not 0 and 1 where the image has no dimension
    for (origin, region) in [
        ([1, 0, 0], [4, 4, 1]),
        ([0, 4, 0], [1, 1, 1]),
        ([usize::MAX, 0, 0], [2, 1, 1]),
        ([0; 3], [0, 4, 1]),
        ([0, 0, 1], [4, 4, 1]),
        ([0; 3], [4, 4, 0]),
        ([0; 3], [4, 4, 2]),
    ] {
        both((s.queue, d2, origin, region, [0, 0]), CL_INVALID_VALUE, "region");
    }
    // INVALID_VALUE if pitches are too small, or a slice pitch is given for an image without slices
    both(
        (s.queue, d2, all.0, all.1, [15, 0]),
        CL_INVALID_VALUE,
        "row pitch",
    );
    both(
        (s.queue, d2, all.0, all.1, [0, 64]),
        CL_INVALID_VALUE,
        "slice pitch",
    );
    both(
        (s.queue, d3, [0; 3], [4, 4, 4], [0, 63]),
        CL_INVALID_VALUE,
        "slice pitch",
    );
    both(
        (s.queue, d3, [0; 3], [4, 4, 4], [20, 64]),
        CL_INVALID_VALUE,
        "slice pitch",
    );
    // INVALID_VALUE if ptr, origin or region is NULL
    assert_eq!(
        read((s.queue, d2, all.0, all.1, [0, 0]), null_mut()),
        CL_INVALID_VALUE
    );
    assert_eq!(
        write((s.queue, d2, all.0, all.1, [0, 0]), null()),
        CL_INVALID_VALUE
    );
    // INVALID_OPERATION if the flags of the image forbid the access of the host
    for (flags, r, w) in [
        (CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, 0),
        (CL_MEM_HOST_READ_ONLY, 0, CL_INVALID_OPERATION),
        (CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION),
    ] {
        let guarded = image(&s, flags, [4, 4, 1]);
        assert_eq!(read((s.queue, guarded, all.0, all.1, [0, 0]), host), r);
        assert_eq!(write((s.queue, guarded, all.0, all.1, [0, 0]), host), w);
        assert_eq!(cl!(clReleaseMemObject(guarded)), 0);
    }
    assert_eq!(cl!(clFinish(s.queue)), 0);
    for object in [d2, d3, buffer] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
    assert_eq!(cl!(clReleaseCommandQueue(queue)), 0);
    assert_eq!(cl!(clReleaseContext(other)), 0);
}

/// Transfers of boxes of a 3D image with pitches in host memory, and the same through mappings.
#[test]
fn boxes_and_pitches() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let (w, h, d) = (5usize, 4usize, 3usize);
    let im = image(&s, 0, [w, h, d]);
    let mut model: Vec<u32> = (0..w * h * d).map(|i| i as u32 * 0x01020304).collect();
    let all = (s.queue, im, [0; 3], [w, h, d], [0, 0]);
    assert_eq!(write(all, model.as_ptr().cast()), 0);
    // Rows have 7 words, and slices have 3 rows.
    let part: Vec<u32> = (0..7 * 3 * 2).map(|i| 0xABCD_0000 + i).collect();
    let (origin, region) = ([1usize, 2, 1], [3usize, 2, 2]);
    let box_ = (s.queue, im, origin, region, [28, 84]);
    assert_eq!(write(box_, part.as_ptr().cast()), 0);
    for z in 0..2 {
        for y in 0..2 {
            for x in 0..3 {
                model[((z + 1) * h + y + 2) * w + x + 1] = part[(z * 3 + y) * 7 + x];
            }
        }
    }
    let mut got = vec![0u32; w * h * d];
    assert_eq!(read(all, got.as_mut_ptr().cast()), 0);
    assert_eq!(got, model);
    let mut out = vec![7u32; 7 * 3 * 2];
    assert_eq!(read(box_, out.as_mut_ptr().cast()), 0);
    for (i, (got, was)) in out.iter().zip(&part).enumerate() {
        let inside = i % 7 < 3 && i / 7 % 3 < 2;
        assert_eq!(*got, if inside { *was } else { 7 }, "word {i}");
    }
    // A mapping shows the box, and changes to it reach the image.
    let (mut row, mut slice, mut code) = (0, 0, 1);
    let ptr: *mut c_void = cl!(clEnqueueMapImage(
        s.queue,
        im,
        1,
        CL_MAP_READ | CL_MAP_WRITE,
        origin.as_ptr(),
        region.as_ptr(),
        &raw mut row,
        &raw mut slice,
        0,
        null(),
        null_mut(),
        &raw mut code
    ));
    assert_eq!(code, 0);
    assert_eq!(query!(clGetMemObjectInfo(im; CL_MEM_MAP_COUNT) as u32), 1);
    for z in 0..2 {
        for y in 0..2 {
            for x in 0..3 {
                // SAFETY: by the pitches that the call has returned, the texel is within the mapped region.
                let texel = unsafe { ptr.cast::<u8>().add(z * slice + y * row + 4 * x).cast::<u32>() };
                let place = &mut model[((z + 1) * h + y + 2) * w + x + 1];
                // SAFETY: as above. Texels of four bytes are aligned.
                assert_eq!(unsafe { *texel }, *place);
                *place = !*place;
                // SAFETY: as above. The region is mapped for writing.
                unsafe { *texel = *place };
            }
        }
    }
    assert_eq!(
        cl!(clEnqueueUnmapMemObject(s.queue, im, ptr, 0, null(), null_mut())),
        0
    );
    assert_eq!(query!(clGetMemObjectInfo(im; CL_MEM_MAP_COUNT) as u32), 0);
    assert_eq!(
        cl!(clEnqueueUnmapMemObject(s.queue, im, ptr, 0, null(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(read(all, got.as_mut_ptr().cast()), 0);
    assert_eq!(got, model);
    // Slices of two such rows have more bytes than a number can say.
    for slice in [0, 84] {
        let too_long = (s.queue, im, origin, region, [1 << (usize::BITS - 1), slice]);
        assert_eq!(read(too_long, out.as_mut_ptr().cast()), CL_INVALID_VALUE);
        assert_eq!(write(too_long, out.as_ptr().cast()), CL_INVALID_VALUE);
    }
    assert_eq!(cl!(clReleaseMemObject(im)), 0);
}

/// CL_MEM_USE_HOST_PTR: mappings are in the application's memory, with its pitches.
#[test]
fn host_pointers() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let mut host: Vec<u32> = (0..8 * 4 * 2).collect();
    let mut d = desc(CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 3, 0], 2);
    (d.image_row_pitch, d.image_slice_pitch) = (32, 128);
    let (im, code) = create(&s, CL_MEM_USE_HOST_PTR, RGBA8, &d, host.as_mut_ptr().cast());
    assert_eq!(code, 0);
    assert_eq!(query!(clGetImageInfo(im; CL_IMAGE_ROW_PITCH) as usize), 32);
    assert_eq!(query!(clGetImageInfo(im; CL_IMAGE_SLICE_PITCH) as usize), 128);
    assert_eq!(
        query!(clGetMemObjectInfo(im; CL_MEM_HOST_PTR) as usize),
        host.as_ptr().addr()
    );
    let (origin, one) = ([2usize, 1, 1], [1usize, 1, 1]);
    let new = 0xDEAD_BEEFu32;
    assert_eq!(
        write((s.queue, im, origin, one, [0, 0]), (&raw const new).cast()),
        0
    );
    let (mut row, mut slice, mut code) = (0, 0, 1);
    let ptr: *mut c_void = cl!(clEnqueueMapImage(
        s.queue,
        im,
        1,
        CL_MAP_READ,
        [1usize, 1, 1].as_ptr(),
        [3usize, 2, 1].as_ptr(),
        &raw mut row,
        &raw mut slice,
        0,
        null(),
        null_mut(),
        &raw mut code
    ));
    assert_eq!((code, row, slice), (0, 32, 128));
    let at = |x: usize, y: usize, z: usize| z * 32 + y * 8 + x;
    assert_eq!(ptr.addr(), (&raw const host[at(1, 1, 1)]).addr());
    assert_eq!(host[at(2, 1, 1)], new);
    assert_eq!(host[at(3, 2, 1)], at(3, 2, 1) as u32);
    assert_eq!(
        cl!(clEnqueueUnmapMemObject(s.queue, im, ptr, 0, null(), null_mut())),
        0
    );
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseMemObject(im)), 0);
}

#[test]
fn map_errors() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let map = |im, flags, region: [usize; 3], row: *mut usize, slice: *mut usize| {
        let (ptr, code) = created!(clEnqueueMapImage(
            s.queue,
            im,
            1,
            flags,
            [0usize; 3].as_ptr(),
            region.as_ptr(),
            row,
            slice,
            0,
            null(),
            null_mut()
        ));
        if code == 0 {
            assert_eq!(
                cl!(clEnqueueUnmapMemObject(s.queue, im, ptr, 0, null(), null_mut())),
                0
            );
        }
        code
    };
    let d2 = image(&s, 0, [4, 4, 1]);
    let d3 = image(&s, 0, [4, 4, 4]);
    let (mut row, mut slice) = (9usize, 9usize);
    let (r, l) = (&raw mut row, &raw mut slice);
    assert_eq!(map(d2, CL_MAP_READ, [4, 4, 1], r, l), 0);
    assert_eq!((row, slice), (16, 0), "no slices, so no pitch");
    assert_eq!(map(d2, CL_MAP_READ, [4, 4, 1], r, null_mut()), 0);
    // INVALID_VALUE if a pitch is NULL, flags are not valid, or the region is out of bounds
    assert_eq!(map(d2, CL_MAP_READ, [4, 4, 1], null_mut(), l), CL_INVALID_VALUE);
    assert_eq!(map(d3, CL_MAP_READ, [4, 4, 4], r, null_mut()), CL_INVALID_VALUE);
    assert_eq!(map(d2, 1 << 20, [4, 4, 1], r, l), CL_INVALID_VALUE);
    assert_eq!(
        map(d2, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, [4, 4, 1], r, l),
        CL_INVALID_VALUE
    );
    assert_eq!(map(d2, CL_MAP_READ, [5, 4, 1], r, l), CL_INVALID_VALUE);
    assert_eq!(
        map(s.context, CL_MAP_READ, [4, 4, 1], r, l),
        CL_INVALID_MEM_OBJECT
    );
    // INVALID_OPERATION if the flags of the image forbid the access of the host
    let ro = image(&s, CL_MEM_HOST_READ_ONLY, [4, 4, 1]);
    assert_eq!(map(ro, CL_MAP_WRITE, [4, 4, 1], r, l), CL_INVALID_OPERATION);
    let wo = image(&s, CL_MEM_HOST_WRITE_ONLY, [4, 4, 1]);
    assert_eq!(map(wo, CL_MAP_READ, [4, 4, 1], r, l), CL_INVALID_OPERATION);
    for object in [d2, d3, ro, wo] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
}

/// Copies between an image and a buffer, at odd offsets.
#[test]
fn copies_to_and_from_buffers() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let (d2, d3) = (image(&s, 0, [8, 8, 1]), image(&s, 0, [8, 8, 4]));
    let texels: Vec<u32> = (0..64).collect();
    assert_eq!(
        write((s.queue, d2, [0; 3], [8, 8, 1], [0, 0]), texels.as_ptr().cast()),
        0
    );
    // A copy to a buffer at an odd offset, and a copy back from another offset.
    let buffer = s.buffer(&[0xCD; 200]);
    let origin = [2usize, 3, 0];
    let region = [3usize, 2, 1];
    let to_buffer = |b, offset: usize| {
        cl!(clEnqueueCopyImageToBuffer(
            s.queue,
            d2,
            b,
            origin.as_ptr(),
            region.as_ptr(),
            offset,
            0,
            null(),
            null_mut()
        ))
    };
    let to_image = |b, offset: usize, origin: [usize; 3]| {
        cl!(clEnqueueCopyBufferToImage(
            s.queue,
            b,
            d2,
            offset,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(to_buffer(buffer, 33), 0);
    assert_eq!(to_image(buffer, 33, [5, 6, 0]), 0);
    let bytes = s.read(buffer, 200);
    let words: Vec<u32> = bytes[33..57]
        .chunks(4)
        .map(|c| u32::from_le_bytes(c.try_into().expect("four bytes")))
        .collect();
    let expected: Vec<u32> = [3, 4]
        .iter()
        .flat_map(|y| texels[8 * y + 2..8 * y + 5].to_vec())
        .collect();
    assert_eq!(words, expected);
    assert_eq!((bytes[32], bytes[57]), (0xCD, 0xCD));
    let mut got = [0u32; 6];
    assert_eq!(
        read((s.queue, d2, [5, 6, 0], region, [0, 0]), got.as_mut_ptr().cast()),
        0
    );
    assert_eq!(got.as_slice(), expected);
    // INVALID_VALUE if the buffer is too small, INVALID_MEM_OBJECT if an object is not valid
    assert_eq!(to_buffer(buffer, 177), CL_INVALID_VALUE);
    assert_eq!(to_image(buffer, 177, [0; 3]), CL_INVALID_VALUE);
    assert_eq!(to_image(buffer, 0, [6, 0, 0]), CL_INVALID_VALUE);
    assert_eq!(to_buffer(d3, 0), CL_INVALID_MEM_OBJECT);
    for object in [d2, d3, buffer] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
}
#[test]
fn copies() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let copy = |src, dst, from: [usize; 3], to: [usize; 3], region: [usize; 3]| {
        cl!(clEnqueueCopyImage(
            s.queue,
            src,
            dst,
            from.as_ptr(),
            to.as_ptr(),
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ))
    };
    let d2 = image(&s, 0, [8, 8, 1]);
    let d3 = image(&s, 0, [8, 8, 4]);
    let texels: Vec<u32> = (0..64).collect();
    assert_eq!(
        write((s.queue, d2, [0; 3], [8, 8, 1], [0, 0]), texels.as_ptr().cast()),
        0
    );
    // A copy within one image, between disjoint regions.
    assert_eq!(copy(d2, d2, [0; 3], [4, 0, 0], [4, 8, 1]), 0);
    // MEM_COPY_OVERLAP
    assert_eq!(copy(d2, d2, [0; 3], [3, 7, 0], [4, 1, 1]), 0);
    assert_eq!(copy(d2, d2, [0; 3], [3, 0, 0], [4, 1, 1]), CL_MEM_COPY_OVERLAP);
    // A copy from a 2D image to a slice of a 3D image.
    assert_eq!(copy(d2, d3, [0; 3], [0, 0, 2], [8, 8, 1]), 0);
    let mut slice = vec![0u32; 64];
    assert_eq!(
        read(
            (s.queue, d3, [0, 0, 2], [8, 8, 1], [0, 0]),
            slice.as_mut_ptr().cast()
        ),
        0
    );
    let mut model = texels.clone();
    for y in 0..8 {
        model.copy_within(8 * y..8 * y + 4, 8 * y + 4);
    }
    model.copy_within(0..4, 7 * 8 + 3);
    assert_eq!(slice, model);
    // INVALID_VALUE if a region is out of bounds
    assert_eq!(copy(d2, d3, [0; 3], [0, 0, 4], [8, 8, 1]), CL_INVALID_VALUE);
    assert_eq!(copy(d2, d3, [1, 0, 0], [0, 0, 1], [8, 8, 1]), CL_INVALID_VALUE);
    // IMAGE_FORMAT_MISMATCH
    let other = cl_image_format {
        image_channel_data_type: CL_UNSIGNED_INT8,
        ..RGBA8
    };
    let (ints, code) = create(
        &s,
        0,
        other,
        &desc(CL_MEM_OBJECT_IMAGE2D, [8, 8, 0], 0),
        null_mut(),
    );
    assert_eq!(code, 0);
    assert_eq!(
        copy(d2, ints, [0; 3], [0; 3], [8, 8, 1]),
        CL_IMAGE_FORMAT_MISMATCH
    );
    assert_eq!(
        copy(s.context, ints, [0; 3], [0; 3], [8, 8, 1]),
        CL_INVALID_MEM_OBJECT
    );
    for object in [d2, d3, ints] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
}

#[test]
fn fill() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let d2 = image(&s, 0, [8, 8, 1]);
    let zeros = [0u32; 64];
    assert_eq!(
        write((s.queue, d2, [0; 3], [8, 8, 1], [0, 0]), zeros.as_ptr().cast()),
        0
    );
    let fill = |im, color: *const c_void, origin: [usize; 3], region: [usize; 3]| {
        cl!(clEnqueueFillImage(
            s.queue,
            im,
            color,
            origin.as_ptr(),
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ))
    };
    let color = [0.0f32, 1.0, 0.5, 3.0];
    let c = color.as_ptr().cast();
    assert_eq!(fill(d2, c, [2, 3, 0], [5, 4, 1]), 0);
    let mut got = [0u8; 256];
    assert_eq!(
        read((s.queue, d2, [0; 3], [8, 8, 1], [0, 0]), got.as_mut_ptr().cast()),
        0
    );
    for (i, texel) in got.chunks(4).enumerate() {
        let inside = (2..7).contains(&(i % 8)) && (3..7).contains(&(i / 8));
        assert_eq!(
            texel,
            if inside { [0, 255, 128, 255] } else { [0; 4] },
            "texel {i}"
        );
    }
    // INVALID_VALUE if fill_color is NULL or the region is out of bounds
    assert_eq!(fill(d2, null(), [0; 3], [1, 1, 1]), CL_INVALID_VALUE);
    assert_eq!(fill(d2, c, [4, 0, 0], [5, 1, 1]), CL_INVALID_VALUE);
    assert_eq!(fill(null_mut(), c, [0; 3], [1, 1, 1]), CL_INVALID_MEM_OBJECT);
    assert_eq!(cl!(clReleaseMemObject(d2)), 0);
}

/// CL 5.7.2 and 5.8: the values that are valid for an image argument. Kernels do not keep images alive.
#[test]
fn arguments() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let program = s.built(
        "kernel void k(read_only image2d_t a, write_only image2d_t b, sampler_t c) {
             write_imagef(b, (int2)(get_global_id(0), 0), read_imagef(a, c, (float2)(get_global_id(0), 0)));
         }",
        "",
    );
    let kernel = s.kernel(program, "k");
    let set = |i, object: cl_mem| {
        cl!(clSetKernelArg(
            kernel,
            i,
            size_of::<cl_mem>(),
            (&raw const object).cast()
        ))
    };
    let (rw, ro, wo) = (
        image(&s, 0, [4, 4, 1]),
        image(&s, CL_MEM_READ_ONLY, [4, 4, 1]),
        image(&s, CL_MEM_WRITE_ONLY, [4, 4, 1]),
    );
    let d3 = image(&s, 0, [4, 4, 4]);
    let buffer = s.buffer(&[0; 64]);
    let (sampler, code) = created!(clCreateSampler(s.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST));
    assert_eq!(code, 0);
    // INVALID_MEM_OBJECT for objects that are not images or have another image type
    for bad in [buffer, null_mut(), s.context, d3, sampler] {
        assert_eq!(set(0, bad), CL_INVALID_MEM_OBJECT);
    }
    // INVALID_ARG_VALUE if the image's flags forbid the access of the argument's qualifier, and for NULL
    assert_eq!(set(0, wo), CL_INVALID_ARG_VALUE);
    assert_eq!(set(1, ro), CL_INVALID_ARG_VALUE);
    assert_eq!(
        cl!(clSetKernelArg(kernel, 0, size_of::<cl_mem>(), null())),
        CL_INVALID_ARG_VALUE
    );
    // INVALID_ARG_SIZE; INVALID_SAMPLER
    assert_eq!(
        cl!(clSetKernelArg(kernel, 0, 4, (&raw const rw).cast())),
        CL_INVALID_ARG_SIZE
    );
    assert_eq!(set(2, rw), CL_INVALID_SAMPLER);
    assert_eq!(
        cl!(clSetKernelArg(kernel, 2, size_of::<cl_sampler>(), null())),
        CL_INVALID_SAMPLER
    );
    for (i, object) in [ro, wo, sampler].into_iter().enumerate() {
        assert_eq!(set(i as u32, object), 0);
    }
    let launch = || {
        let n = 4usize;
        cl!(clEnqueueNDRangeKernel(
            s.queue,
            kernel,
            1,
            null(),
            &raw const n,
            null(),
            0,
            null(),
            null_mut()
        ))
    };
    assert_eq!(launch(), 0);
    assert_eq!(launch(), 0);
    assert_eq!(query!(clGetMemObjectInfo(ro; CL_MEM_REFERENCE_COUNT) as u32), 1);
    assert_eq!(set(0, rw), 0);
    assert_eq!(launch(), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    assert_eq!(cl!(clReleaseMemObject(rw)), 0);
    assert_eq!(launch(), CL_INVALID_KERNEL_ARGS);
    for object in [ro, wo, d3, buffer] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
    assert_eq!(cl!(clReleaseSampler(sampler)), 0);
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
