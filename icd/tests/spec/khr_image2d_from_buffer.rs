//! Tests cl_khr_image2d_from_buffer: 2D images whose storage is a buffer, with the row pitch that the application
//! chooses.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::s5_3_1_create_image::{RGBA8, create, desc, images};
use crate::{cl, created, query};

const WIDTH: usize = 7;
const HEIGHT: usize = 5;
/// The row pitch in bytes. The last three texels of each row of the buffer do not belong to the image.
const PITCH: usize = (WIDTH + 3) * 4;
const ALL: [usize; 3] = [WIDTH, HEIGHT, 1];
/// The origin of a box inside of the image.
const ORIGIN: [usize; 3] = [2, 1, 0];
/// The size of the box.
const REGION: [usize; 3] = [4, 4, 1];

/// Describes a 2D image in a buffer.
fn flat(size: [usize; 2], pitch: usize, buffer: cl_mem) -> cl_image_desc {
    let mut d = desc(CL_MEM_OBJECT_IMAGE2D, [size[0], size[1], 0], 0);
    d.image_row_pitch = pitch;
    d.buffer = buffer;
    d
}

/// Returns bytes that differ from one to the next, and from seed to seed.
fn pattern(size: usize, seed: usize) -> Vec<u8> {
    (0..size).map(|i| (i * 37 + i / 11 + seed) as u8).collect()
}

/// Returns the bytes of a box, without gaps between its rows. The rows of `bytes` are `pitch` bytes apart.
fn part(bytes: &[u8], pitch: usize, origin: [usize; 3], region: [usize; 3]) -> Vec<u8> {
    let row = |y: usize| {
        let start = (origin[1] + y) * pitch + origin[0] * 4;
        &bytes[start..start + region[0] * 4]
    };
    (0..region[1]).flat_map(row).copied().collect()
}

/// Copies rows that follow each other without gaps into a box. The rows of `bytes` are `pitch` bytes apart.
fn put(bytes: &mut [u8], pitch: usize, origin: [usize; 3], region: [usize; 3], from: &[u8]) {
    for (y, row) in from.chunks_exact(region[0] * 4).enumerate() {
        let start = (origin[1] + y) * pitch + origin[0] * 4;
        bytes[start..start + row.len()].copy_from_slice(row);
    }
}

/// A buffer, an image in the buffer, an ordinary image of the same size, and the expected contents of the buffer.
struct Scene<'a> {
    s: &'a Setup,
    buffer: cl_mem,
    image: cl_mem,
    other: cl_mem,
    bytes: Vec<u8>,
}

impl<'a> Scene<'a> {
    fn new(s: &'a Setup) -> Scene<'a> {
        let bytes = pattern(PITCH * HEIGHT + 16, 5);
        let buffer = s.buffer(&bytes);
        let (image, code) = create(s, 0, RGBA8, &flat([WIDTH, HEIGHT], PITCH, buffer), null_mut());
        assert_eq!(code, 0);
        let own = desc(CL_MEM_OBJECT_IMAGE2D, [WIDTH, HEIGHT, 0], 0);
        let (other, code) = create(s, 0, RGBA8, &own, null_mut());
        assert_eq!(code, 0);
        Scene {
            s,
            buffer,
            image,
            other,
            bytes,
        }
    }

    /// Checks that the buffer and the image have the expected contents.
    fn check(&self, what: &str) {
        assert!(
            self.s.read(self.buffer, self.bytes.len()) == self.bytes,
            "{what}: the buffer"
        );
        let texels = self.read(self.image, [0; 3], ALL, 0);
        assert!(
            texels == part(&self.bytes, PITCH, [0; 3], ALL),
            "{what}: the image"
        );
    }

    fn read(&self, image: cl_mem, origin: [usize; 3], region: [usize; 3], pitch: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; pitch.max(region[0] * 4) * region[1]];
        let code = cl!(clEnqueueReadImage(
            self.s.queue,
            image,
            1,
            origin.as_ptr(),
            region.as_ptr(),
            pitch,
            0,
            bytes.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        bytes
    }

    fn write(&self, image: cl_mem, origin: [usize; 3], region: [usize; 3], pitch: usize, from: &[u8]) {
        let code = cl!(clEnqueueWriteImage(
            self.s.queue,
            image,
            1,
            origin.as_ptr(),
            region.as_ptr(),
            pitch,
            0,
            from.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
    }

    fn copy(&self, from: cl_mem, to: cl_mem, src: [usize; 3], dst: [usize; 3]) -> cl_int {
        cl!(clEnqueueCopyImage(
            self.s.queue,
            from,
            to,
            src.as_ptr(),
            dst.as_ptr(),
            REGION.as_ptr(),
            0,
            null(),
            null_mut()
        ))
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        for object in [self.image, self.other, self.buffer] {
            assert_eq!(cl!(clReleaseMemObject(object)), 0);
        }
    }
}

#[test]
fn properties_and_errors() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    for what in [
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT,
        CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
    ] {
        assert!(query!(clGetDeviceInfo(s.device; what) as u32).is_power_of_two());
    }
    let buffer = s.buffer(&[0; 256]);
    let code = |size, pitch| {
        let (image, code) = create(&s, 0, RGBA8, &flat(size, pitch, buffer), null_mut());
        if code == 0 {
            assert_eq!(cl!(clReleaseMemObject(image)), 0);
        }
        code
    };
    assert_eq!(code([8, 8], 0), 0);
    assert_eq!(code([7, 8], 32), 0);
    // The pitch is too small or not a whole number of texels, or the image is larger than the buffer.
    for (size, pitch) in [([8, 8], 28), ([7, 4], 30), ([8, 9], 0), ([7, 8], 36)] {
        assert_eq!(code(size, pitch), CL_INVALID_IMAGE_DESCRIPTOR, "{size:?} {pitch}");
    }
    assert_ne!(code([8, usize::MAX], 32), 0);
    assert_ne!(code([usize::MAX, 2], 0), 0);
    // Images of other types cannot be made from a buffer in this way.
    for ty in [
        CL_MEM_OBJECT_IMAGE1D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE2D_ARRAY,
        CL_MEM_OBJECT_IMAGE3D,
    ] {
        let mut d = desc(ty, [2, 2, 2], 2);
        d.buffer = buffer;
        assert_eq!(
            create(&s, 0, RGBA8, &d, null_mut()).1,
            CL_INVALID_IMAGE_DESCRIPTOR
        );
    }
    let (image, code) = create(&s, CL_MEM_READ_ONLY, RGBA8, &flat([5, 3], 24, buffer), null_mut());
    assert_eq!(code, 0);
    assert_eq!(query!(clGetImageInfo(image; CL_IMAGE_ROW_PITCH) as usize), 24);
    assert_eq!(query!(clGetImageInfo(image; CL_IMAGE_SLICE_PITCH) as usize), 0);
    assert_eq!(
        query!(clGetMemObjectInfo(image; CL_MEM_TYPE) as u32),
        CL_MEM_OBJECT_IMAGE2D
    );
    for associated in [
        query!(clGetImageInfo(image; CL_IMAGE_BUFFER) as usize),
        query!(clGetMemObjectInfo(image; CL_MEM_ASSOCIATED_MEMOBJECT) as usize),
    ] {
        assert_eq!(associated, buffer.addr());
    }
    assert_eq!(cl!(clReleaseMemObject(image)), 0);
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

#[test]
fn reads_writes_and_fills() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let mut scene = Scene::new(&s);
    scene.check("as made");
    let dense = part(&scene.bytes, PITCH, ORIGIN, REGION);
    assert!(scene.read(scene.image, ORIGIN, REGION, 0) == dense);
    let wide = scene.read(scene.image, ORIGIN, REGION, 20);
    assert!(part(&wide, 20, [0; 3], REGION) == dense);
    let new = pattern(64, 99);
    scene.write(scene.image, ORIGIN, REGION, 0, &new);
    put(&mut scene.bytes, PITCH, ORIGIN, REGION, &new);
    scene.check("written");
    let wide = pattern(20 * 4, 7);
    scene.write(scene.image, ORIGIN, REGION, 20, &wide);
    let new = part(&wide, 20, [0; 3], REGION);
    put(&mut scene.bytes, PITCH, ORIGIN, REGION, &new);
    scene.check("written with a pitch");
    for (origin, region, color) in [
        (ORIGIN, REGION, [0.2f32, 0.4, 0.6, 0.8]),
        ([0; 3], ALL, [1.0, 1.0, 1.0, 1.0]),
    ] {
        let code = cl!(clEnqueueFillImage(
            s.queue,
            scene.image,
            color.as_ptr().cast(),
            origin.as_ptr(),
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0);
        let texel = color.map(|c| (c * 255.0).round() as u8);
        let texels = texel.repeat(region[0] * region[1]);
        put(&mut scene.bytes, PITCH, origin, region, &texels);
        scene.check("filled");
    }
}

#[test]
fn copies() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let mut scene = Scene::new(&s);
    let (image, other) = (scene.image, scene.other);
    scene.write(other, [0; 3], ALL, 0, &pattern(WIDTH * HEIGHT * 4, 50));
    // Copies a box from the image in the buffer to the ordinary image, and back to a different origin.
    assert_eq!(scene.copy(image, other, ORIGIN, [1, 0, 0]), 0);
    let moved = part(&scene.bytes, PITCH, ORIGIN, REGION);
    assert!(scene.read(other, [1, 0, 0], REGION, 0) == moved);
    assert_eq!(scene.copy(other, image, [1, 0, 0], [3, 0, 0]), 0);
    put(&mut scene.bytes, PITCH, [3, 0, 0], REGION, &moved);
    scene.check("copied");
    // The source and the destination overlap within one image.
    assert_eq!(scene.copy(image, image, [0; 3], [1, 1, 0]), CL_MEM_COPY_OVERLAP);
    // They overlap in the buffer that two images share.
    let description = flat([WIDTH, HEIGHT], PITCH, scene.buffer);
    let (same, code) = create(&s, 0, RGBA8, &description, null_mut());
    assert_eq!(code, 0);
    assert_eq!(scene.copy(image, same, [0; 3], [3, 1, 0]), CL_MEM_COPY_OVERLAP);
    assert_eq!(cl!(clReleaseMemObject(same)), 0);
    // Copies to and from a buffer in which the rows follow each other without gaps.
    let plain = s.buffer(&pattern(80, 3));
    let (origin, region) = (ORIGIN.as_ptr(), REGION.as_ptr());
    let code = cl!(clEnqueueCopyImageToBuffer(
        s.queue,
        image,
        plain,
        origin,
        region,
        9,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    let mut expected = pattern(80, 3);
    expected[9..73].copy_from_slice(&part(&scene.bytes, PITCH, ORIGIN, REGION));
    assert!(s.read(plain, 80) == expected);
    let code = cl!(clEnqueueCopyBufferToImage(
        s.queue,
        plain,
        image,
        3,
        origin,
        region,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
    put(&mut scene.bytes, PITCH, ORIGIN, REGION, &expected[3..67]);
    scene.check("copied from a buffer");
    assert_eq!(cl!(clReleaseMemObject(plain)), 0);
}

#[test]
fn mappings() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    for flags in [0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR] {
        let mut memory = pattern(PITCH * HEIGHT, 1);
        let host = match flags {
            CL_MEM_USE_HOST_PTR => memory.as_mut_ptr().cast::<c_void>(),
            _ => null_mut(),
        };
        let (buffer, code) = created!(clCreateBuffer(s.context, flags, PITCH * HEIGHT, host));
        assert_eq!(code, 0);
        let (image, code) = create(&s, 0, RGBA8, &flat([WIDTH, HEIGHT], PITCH, buffer), null_mut());
        assert_eq!(code, 0);
        let mut expected = pattern(PITCH * HEIGHT, 2);
        let size = expected.len();
        let from = expected.as_ptr().cast();
        let none = null();
        let written = cl!(clEnqueueWriteBuffer(
            s.queue,
            buffer,
            1,
            0,
            size,
            from,
            0,
            none,
            null_mut()
        ));
        assert_eq!(written, 0);
        let mut pitch = 0usize;
        let (at, code) = created!(clEnqueueMapImage(
            s.queue,
            image,
            1,
            CL_MAP_READ | CL_MAP_WRITE,
            ORIGIN.as_ptr(),
            REGION.as_ptr(),
            &raw mut pitch,
            null_mut(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!((code, pitch), (0, PITCH));
        let at: *mut u8 = at.cast();
        if flags == CL_MEM_USE_HOST_PTR {
            assert_eq!(at.addr(), host.addr() + ORIGIN[1] * PITCH + ORIGIN[0] * 4);
        }
        let new = pattern(64, 60);
        for y in 0..REGION[1] {
            let first = at.wrapping_add(y * pitch);
            // SAFETY: the region is mapped for reading and writing, with this row pitch.
            let row = unsafe { std::slice::from_raw_parts_mut(first, REGION[0] * 4) };
            let start = (ORIGIN[1] + y) * PITCH + ORIGIN[0] * 4;
            assert!(*row == expected[start..start + row.len()], "flags {flags}");
            row.copy_from_slice(&new[y * row.len()..(y + 1) * row.len()]);
        }
        let unmapped = cl!(clEnqueueUnmapMemObject(
            s.queue,
            image,
            at.cast(),
            0,
            none,
            null_mut()
        ));
        assert_eq!(unmapped, 0);
        put(&mut expected, PITCH, ORIGIN, REGION, &new);
        assert!(s.read(buffer, size) == expected, "flags {flags}");
        for object in [image, buffer] {
            assert_eq!(cl!(clReleaseMemObject(object)), 0);
        }
    }
}

const KERNELS: &str = "
    kernel void sampled(read_only image2d_t from, global float4 *to, sampler_t by, float scale) {
        int i = get_global_id(0);
        to[i] = read_imagef(from, by, (float2)(i * 0.37f - 1, i * 0.23f - 0.5f) * scale);
    }
    kernel void invert(read_only image2d_t from, write_only image2d_t to) {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        write_imagef(to, at, 1 - read_imagef(from, at));
    }
    kernel void add(global uchar *bytes, uchar n) { bytes[get_global_id(0)] += n; }";

fn set<T>(kernel: cl_kernel, index: u32, value: &T) {
    let code = cl!(clSetKernelArg(
        kernel,
        index,
        size_of::<T>(),
        std::ptr::from_ref(value).cast()
    ));
    assert_eq!(code, 0);
}

fn launch(s: &Setup, kernel: cl_kernel, size: [usize; 2]) {
    let dimensions = if size[1] == 1 { 1 } else { 2 };
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        dimensions,
        null(),
        size.as_ptr(),
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

/// Samplers read the same values as from an ordinary image.
#[test]
fn sampled() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let scene = Scene::new(&s);
    scene.write(
        scene.other,
        [0; 3],
        ALL,
        0,
        &part(&scene.bytes, PITCH, [0; 3], ALL),
    );
    let program = s.built(KERNELS, "");
    let kernel = s.kernel(program, "sampled");
    let results = [0, 1].map(|_| s.buffer(&[0; 16 * 32]));
    for (normalized, address, filter) in [
        (0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST),
        (0, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR),
        (1, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR),
        (1, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST),
    ] {
        let (sampler, code) = created!(clCreateSampler(s.context, normalized, address, filter));
        assert_eq!(code, 0);
        let scale = if normalized == 1 { 0.2f32 } else { 1.0 };
        for (image, result) in [scene.image, scene.other].into_iter().zip(results) {
            set(kernel, 0, &image);
            set(kernel, 1, &result);
            set(kernel, 2, &sampler);
            set(kernel, 3, &scale);
            launch(&s, kernel, [32, 1]);
        }
        let [a, b] = results.map(|r| s.read(r, 16 * 32));
        assert!(a == b, "{normalized} {address:#x} {filter:#x}");
        assert!(a.iter().any(|byte| *byte != 0));
        assert_eq!(cl!(clReleaseSampler(sampler)), 0);
    }
    for result in results {
        assert_eq!(cl!(clReleaseMemObject(result)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Kernels use the buffer and images in it, one directly after the other. The image may also be in a sub-buffer.
#[test]
fn kernels_on_both() {
    let s = Setup::new();
    if !images(&s) {
        return;
    }
    let size = 256 + PITCH * HEIGHT;
    let mut bytes = pattern(size, 21);
    let buffer = s.buffer(&bytes);
    let range = cl_buffer_region {
        origin: 256,
        size: PITCH * HEIGHT,
    };
    let (sub, code) = created!(clCreateSubBuffer(
        buffer,
        0,
        CL_BUFFER_CREATE_TYPE_REGION,
        (&raw const range).cast()
    ));
    assert_eq!(code, 0);
    let (image, code) = create(&s, 0, RGBA8, &flat([WIDTH, HEIGHT], PITCH, sub), null_mut());
    assert_eq!(code, 0);
    let own = desc(CL_MEM_OBJECT_IMAGE2D, [WIDTH, HEIGHT, 0], 0);
    let (other, code) = create(&s, 0, RGBA8, &own, null_mut());
    assert_eq!(code, 0);
    let program = s.built(KERNELS, "");
    let (invert, add) = (s.kernel(program, "invert"), s.kernel(program, "add"));
    set(add, 0, &buffer);
    for n in [1u8, 30, 200] {
        set(add, 1, &n);
        launch(&s, add, [size, 1]);
        for (from, to) in [(image, other), (other, image)] {
            set(invert, 0, &from);
            set(invert, 1, &to);
            // The kernel leaves out the last row and column.
            launch(&s, invert, [WIDTH - 1, HEIGHT - 1]);
        }
        // The first launch of `invert` stores 1 - x into the other image; the second stores x back.
        launch(&s, add, [size, 1]);
        bytes.iter_mut().for_each(|b| *b = b.wrapping_add(n));
        let region = [WIDTH - 1, HEIGHT - 1, 1];
        let inverted: Vec<u8> = part(&bytes[256..], PITCH, [0; 3], region)
            .iter()
            .map(|b| 255 - b)
            .collect();
        bytes.iter_mut().for_each(|b| *b = b.wrapping_add(n));
        assert!(s.read(buffer, size) == bytes, "added {n}");
        cl!(clEnqueueCopyImage(
            s.queue,
            other,
            image,
            [0usize; 3].as_ptr(),
            [0usize; 3].as_ptr(),
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ));
        put(&mut bytes[256..], PITCH, [0; 3], region, &inverted);
        assert!(s.read(buffer, size) == bytes, "inverted {n}");
    }
    for kernel in [invert, add] {
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    for object in [image, other, sub, buffer] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
}
