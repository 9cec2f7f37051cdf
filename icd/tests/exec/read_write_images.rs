//! Images that a kernel both reads and writes (OpenCL C 2.0, 6.13.14): every format and shape, what a work-item sees of its own
//! writes after a fence, and of its work-group's after a barrier. The tests run in a process that reports OpenCL 3.1
//! ([`crate::opencl_3_files`]).

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::lab::Random;
use crate::picture::{SHAPES, Shape, close, formats, kind, read, same, texel_size, written};
use crate::{cl, query};

/// Returns whether this process reports OpenCL 3.1, on a device that has such images.
fn is_offered(s: &Setup) -> bool {
    let most = query!(clGetDeviceInfo(s.device; CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) as u32);
    assert!(most == 0 || most >= 64, "{most}");
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1");
    let images = query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) != 0;
    assert!(later || most == 0);
    // Every driver on which the tests run has the format features.
    assert_eq!(most != 0, later && images);
    most != 0
}

fn set(kernel: cl_kernel, index: u32, object: &cl_mem) -> cl_int {
    cl!(clSetKernelArg(
        kernel,
        index,
        size_of::<cl_mem>(),
        std::ptr::from_ref(object).cast()
    ))
}

fn launch(s: &Setup, kernel: cl_kernel, global: usize, local: Option<usize>) {
    let local = local.as_ref().map_or_else(null, std::ptr::from_ref);
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const global,
        local,
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0);
}

/// A kernel in which each work-item reads its texel, writes another one, and reads that again.
fn source(shape: &Shape, suffix: &str, ty: &str) -> String {
    let [w, h, _] = shape.size;
    let at = shape.coordinate("int");
    format!(
        "{ty}4 get(read_write {image} im, int x, int y, int z) {{ return read_image{suffix}(im, {at}); }}
         kernel void both(read_write {image} im, global {ty}4 *io) {{
             int i = get_global_id(0), x = i % {w}, y = i / {w} % {h}, z = i / {layer};
             if (get_image_width(im) != {w}) return;
             {ty}4 color = io[2 * i];
             io[2 * i] = get(im, x, y, z);
             write_image{suffix}(im, {at}, color);
             atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
             io[2 * i + 1] = get(im, x, y, z);
         }}",
        image = shape.name(),
        layer = w * h,
    )
}

fn number(ty: &str, bits: u32) -> f64 {
    match ty {
        "float" => f64::from(f32::from_bits(bits)),
        "int" => f64::from(bits as i32),
        _ => f64::from(bits),
    }
}

fn check(s: &Setup, shape: &Shape, f: cl_image_format, program: cl_program) {
    let n = shape.texels();
    let (_, ty) = kind(f.image_channel_data_type);
    let size = texel_size(f);
    let mut random = Random::new(u64::from(f.image_channel_order << 8 | f.image_channel_data_type));
    let (image, own) = shape.create(s, f, CL_MEM_READ_WRITE);
    // Small numbers, which every format has, and which are no NaN.
    let mut texels = vec![0u8; n * size];
    for byte in &mut texels {
        *byte = random.below(56) as u8;
    }
    shape.write(s, image, &texels);
    let colors: Vec<u32> = (0..8 * n)
        .map(|_| match ty {
            "float" => (random.below(256) as f32 / 255.0).to_bits(),
            _ => random.below(100) as u32,
        })
        .collect();
    let bytes: Vec<u8> = colors.iter().flat_map(|c| c.to_le_bytes()).collect();
    let io = s.buffer(&bytes);
    let kernel = s.kernel(program, "both");
    assert_eq!([set(kernel, 0, &image), set(kernel, 1, &io)], [0; 2]);
    launch(s, kernel, n, None);
    let got = s.read(io, 32 * n);
    let after = shape.read(s, image, size);
    for i in 0..n {
        let [before, now] = [0, 1].map(|k| &got[32 * i + 16 * k..][..16]);
        let (old, new) = (&texels[i * size..][..size], &after[i * size..][..size]);
        for (what, seen, texel) in [("before", before, old), ("after", now, new)] {
            for (lane, e) in read(f, texel).into_iter().enumerate() {
                let bits = u32::from_le_bytes(seen[4 * lane..][..4].try_into().expect("four bytes"));
                let good = match ty {
                    "float" => close(f.image_channel_data_type, f32::from_bits(bits), e),
                    _ => number(ty, bits) == e,
                };
                assert!(
                    good,
                    "{shape:?} {f:?}: texel {i} {what}, lane {lane}: {} for {e}",
                    number(ty, bits)
                );
            }
        }
        let color = [0, 1, 2, 3].map(|k| number(ty, colors[8 * i + k]));
        let allowed = written(f, color).expect("a format that is written");
        assert!(
            allowed.iter().any(|a| a == new),
            "{shape:?} {f:?}: texel {i} of {color:?}: {new:?}"
        );
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    for object in [image, io, own] {
        assert!(object.is_null() || cl!(clReleaseMemObject(object)) == 0);
    }
}

#[test]
fn opencl_3_every_format_is_read_and_written() {
    let s = Setup::new();
    if !is_offered(&s) {
        assert!(formats(&s, CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D).is_empty());
        return;
    }
    for shape in &SHAPES {
        let all = formats(&s, CL_MEM_KERNEL_READ_AND_WRITE, shape.ty);
        let both = formats(&s, CL_MEM_READ_WRITE, shape.ty);
        assert!(all.iter().all(|f| both.iter().any(|g| same(*f, *g))));
        // CL 2.0, 5.3.2.1: R and RGBA with nine data types
        assert!(all.len() >= 18, "{shape:?}: {all:?}");
        for suffix in ["f", "i", "ui"] {
            let mut program: cl_program = null_mut();
            for f in all.iter().filter(|f| kind(f.image_channel_data_type).0 == suffix) {
                if program.is_null() {
                    let (_, ty) = kind(f.image_channel_data_type);
                    program = s.built(&source(shape, suffix, ty), "-cl-std=CL3.0");
                }
                check(&s, shape, *f, program);
            }
            assert_eq!(cl!(clReleaseProgram(program)), 0);
        }
    }
}

/// Work-items see the texels of their neighbours after a barrier, round after round.
#[test]
fn opencl_3_barriers_order_images() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let source = "kernel void rounds(read_write image2d_t im, int n, read_write image1d_buffer_t last) {
        int i = get_global_id(0), l = get_local_id(0), first = i - l, size = get_local_size(0);
        for (int k = 0; k < n; k++) {
            uint4 next = read_imageui(im, (int2)(first + (l + 1) % size, 0));
            work_group_barrier(CLK_IMAGE_MEM_FENCE);
            write_imageui(im, (int2)(i, 0), next + (uint4)(1, 0, 2, 0));
            work_group_barrier(CLK_IMAGE_MEM_FENCE);
        }
        write_imageui(last, i, read_imageui(im, (int2)(i, 0)) + read_imageui(last, i));
    }";
    let program = s.built(source, "-cl-std=CL3.0");
    let kernel = s.kernel(program, "rounds");
    let f = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT32,
    };
    let row = Shape {
        ty: CL_MEM_OBJECT_IMAGE2D,
        size: [256, 1, 1],
    };
    let list = Shape {
        ty: CL_MEM_OBJECT_IMAGE1D_BUFFER,
        size: [256, 1, 1],
    };
    let (image, _) = row.create(&s, f, CL_MEM_READ_WRITE);
    let (last, own) = list.create(&s, f, CL_MEM_READ_WRITE);
    let words: Vec<u8> = (0..1024u32).flat_map(u32::to_le_bytes).collect();
    row.write(&s, image, &words);
    list.write(&s, last, &words);
    let n = 21i32;
    assert_eq!([set(kernel, 0, &image), set(kernel, 2, &last)], [0; 2]);
    assert_eq!(cl!(clSetKernelArg(kernel, 1, 4, (&raw const n).cast())), 0);
    launch(&s, kernel, 256, Some(64));
    let got = list.read(&s, last, 16);
    for i in 0..256u32 {
        let from = i / 64 * 64 + (i + 21) % 64;
        for (lane, step) in [1, 0, 2, 0].into_iter().enumerate() {
            let at = 16 * i as usize + 4 * lane;
            let seen = u32::from_le_bytes(got[at..at + 4].try_into().expect("four bytes"));
            let lane = lane as u32;
            assert_eq!(
                seen,
                4 * from + lane + 21 * step + 4 * i + lane,
                "texel {i} lane {lane}"
            );
        }
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    for object in [image, last, own] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
}

/// What an argument with the qualifier says of itself, and which images it takes.
#[test]
fn opencl_3_arguments_that_are_read_and_written() {
    let s = Setup::new();
    if !is_offered(&s) {
        return;
    }
    let source = "kernel void k(__read_write image2d_t im) { write_imagef(im, (int2)(0, 0), read_imagef(im, (int2)(1, 1))); }";
    let program = s.built(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    let kernel = s.kernel(program, "k");
    let access = query!(clGetKernelArgInfo(kernel, 0; CL_KERNEL_ARG_ACCESS_QUALIFIER) as u32);
    assert_eq!(access, CL_KERNEL_ARG_ACCESS_READ_WRITE);
    let shape = Shape {
        ty: CL_MEM_OBJECT_IMAGE2D,
        size: [4, 4, 1],
    };
    for (order, flags, expected) in [
        (CL_RGBA, CL_MEM_READ_WRITE, 0),
        (CL_RGBA, CL_MEM_READ_ONLY, CL_INVALID_ARG_VALUE),
        (CL_RGBA, CL_MEM_WRITE_ONLY, CL_INVALID_ARG_VALUE),
        (CL_A, CL_MEM_READ_WRITE, CL_INVALID_ARG_VALUE),
    ] {
        let f = cl_image_format {
            image_channel_order: order,
            image_channel_data_type: CL_UNORM_INT8,
        };
        let (image, _) = shape.create(&s, f, flags);
        assert_eq!(set(kernel, 0, &image), expected, "{order:#x} {flags}");
        assert_eq!(cl!(clReleaseMemObject(image)), 0);
    }
    assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
