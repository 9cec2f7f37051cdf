//! Every format of every image type: the values that kernels read from texels, the bytes of texels that they write, and
//! fills.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::lab::Random;
use crate::picture::{SHAPES, Shape, close, formats, kind, read, same, texel_size, written};
use crate::{cl, query};

/// Returns the source of a kernel that reads all texels into a buffer, and of one that writes all texels from a buffer.
fn source(shape: &Shape, suffix: &str, ty: &str, depth: bool) -> String {
    let [w, h, _] = shape.size;
    let at = shape.coordinate("int");
    let (image, first) = if depth {
        (shape.name().replace("_t", "_depth_t"), ".x")
    } else {
        (shape.name().to_owned(), "")
    };
    let place = format!(
        "int i = get_global_id(0), x = i % {w}, y = i / {w} % {h}, z = i / {};",
        w * h
    );
    let writes = if shape.ty == CL_MEM_OBJECT_IMAGE3D {
        "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    } else {
        ""
    };
    format!(
        "{writes}kernel void get(read_only {image} im, global {ty}4 *out) {{ {place} out[i]{first} = read_image{suffix}(im, {at}); }}
         kernel void put(write_only {image} im, global {ty}4 *in) {{ {place} write_image{suffix}(im, {at}, in[i]{first}); }}"
    )
}

fn launch(s: &Setup, kernel: cl_kernel, image: cl_mem, buffer: cl_mem, n: usize) {
    for (i, object) in [image, buffer].iter().enumerate() {
        let code = cl!(clSetKernelArg(
            kernel,
            i as u32,
            size_of::<cl_mem>(),
            std::ptr::from_ref(object).cast()
        ));
        assert_eq!(code, 0, "argument {i}");
    }
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const n,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0, "clEnqueueNDRangeKernel");
}

/// Returns the bytes of random texels of a format, without infinities and NaN.
fn texels(random: &mut Random, f: cl_image_format, n: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..n * texel_size(f)).map(|_| random.next() as u8).collect();
    match f.image_channel_data_type {
        CL_FLOAT => bytes.chunks_mut(4).for_each(|c| c[3] = 0x40 | c[3] & 0x80),
        CL_HALF_FLOAT => bytes.chunks_mut(2).for_each(|c| c[1] &= 0xBF),
        _ => {}
    }
    bytes
}

/// Returns colours to write, some of them outside the ranges of the formats.
fn colors(random: &mut Random, ty: &str, n: usize) -> Vec<u32> {
    (0..4 * n)
        .map(|_| match ty {
            "float" => ((random.below(3000) as f32 - 1500.0) / 1000.0).to_bits(),
            "int" => (random.next() as i32 >> random.below(32)) as u32,
            _ => random.next() as u32 >> random.below(32),
        })
        .collect()
}

fn number(ty: &str, bits: u32) -> f64 {
    match ty {
        "float" => f64::from(f32::from_bits(bits)),
        "int" => f64::from(bits as i32),
        _ => f64::from(bits),
    }
}

fn check(s: &Setup, shape: &Shape, f: cl_image_format, program: cl_program, wrong: &mut Vec<String>) {
    let n = shape.texels();
    let (_, ty) = kind(f.image_channel_data_type);
    let mut random = Random::new(u64::from(f.image_channel_order << 8 | f.image_channel_data_type));
    let fits = |flags| formats(s, flags, shape.ty).iter().any(|g| same(*g, f));
    let size = texel_size(f);
    if fits(CL_MEM_READ_ONLY) {
        let (image, own) = shape.create(s, f, CL_MEM_READ_ONLY);
        let bytes = texels(&mut random, f, n);
        shape.write(s, image, &bytes);
        let out = s.buffer(&vec![0xCD; 16 * n]);
        let kernel = s.kernel(program, "get");
        launch(s, kernel, image, out, n);
        let got = s.read(out, 16 * n);
        for (i, (texel, got)) in bytes.chunks(size).zip(got.chunks(16)).enumerate() {
            // Kernels read one number from a depth image.
            let seen = if f.image_channel_order == CL_DEPTH { 1 } else { 4 };
            let expected = read(f, texel);
            for (lane, e) in expected.iter().enumerate().take(seen) {
                let bits = u32::from_le_bytes(got[4 * lane..4 * lane + 4].try_into().expect("four bytes"));
                let good = if ty == "float" {
                    close(f.image_channel_data_type, f32::from_bits(bits), *e)
                } else {
                    number(ty, bits) == *e
                };
                if !good {
                    wrong.push(format!(
                        "{shape:?} {f:?}: texel {i} {texel:?} lane {lane}: {}, {e}",
                        number(ty, bits)
                    ));
                }
            }
        }
        assert_eq!(shape.read(s, image, size), bytes, "{shape:?} {f:?} has changed");
        for object in [image, out] {
            assert_eq!(cl!(clReleaseMemObject(object)), 0);
        }
        if !own.is_null() {
            assert_eq!(cl!(clReleaseMemObject(own)), 0);
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    if fits(CL_MEM_WRITE_ONLY) {
        let (image, own) = shape.create(s, f, CL_MEM_WRITE_ONLY);
        let colors = colors(&mut random, ty, n);
        let bytes: Vec<u8> = colors.iter().flat_map(|c| c.to_le_bytes()).collect();
        let input = s.buffer(&bytes);
        let kernel = s.kernel(program, "put");
        launch(s, kernel, image, input, n);
        let got = shape.read(s, image, size);
        for (i, (color, got)) in colors.chunks(4).zip(got.chunks(size)).enumerate() {
            let color = [0, 1, 2, 3].map(|k| number(ty, color[k]));
            let allowed = written(f, color).expect("a format that is written");
            if !allowed.iter().any(|a| a == got) {
                wrong.push(format!(
                    "{shape:?} {f:?}: texel {i} of {color:?}: {got:?}, {allowed:?}"
                ));
            }
        }
        for object in [image, input] {
            assert_eq!(cl!(clReleaseMemObject(object)), 0);
        }
        if !own.is_null() {
            assert_eq!(cl!(clReleaseMemObject(own)), 0);
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
}

/// Fills a whole image, and then a part of it (for arrays, a layer), and checks the texels.
fn check_fills(s: &Setup, shape: &Shape, f: cl_image_format, wrong: &mut Vec<String>) {
    let (_, ty) = kind(f.image_channel_data_type);
    let size = texel_size(f);
    let mut random = Random::new(u64::from(f.image_channel_order << 8 | f.image_channel_data_type));
    let (image, own) = shape.create(s, f, CL_MEM_READ_ONLY);
    let (mut start, mut part) = ([0; 3], shape.size);
    match shape.layers() {
        Some(axis) => (start[axis], part[axis]) = (1, 1),
        None => (start[0], part[0]) = (1, shape.size[0] - 2),
    }
    let mut expected = vec![None; shape.texels()];
    for (origin, region) in [
        ([0; 3], shape.size),
        (start, part),
        ([0; 3], shape.size),
        (start, part),
    ] {
        let color = read(f, &texels(&mut random, f, 1));
        let bits = color.map(|x| match ty {
            "float" => (x as f32).to_bits(),
            "int" => x as i32 as u32,
            _ => x as u32,
        });
        let Some(texel) = written(f, color) else { break };
        let code = cl!(clEnqueueFillImage(
            s.queue,
            image,
            bits.as_ptr().cast(),
            origin.as_ptr(),
            region.as_ptr(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0, "clEnqueueFillImage");
        let [w, h, _] = shape.size;
        for (i, e) in expected.iter_mut().enumerate() {
            let at = [i % w, i / w % h, i / w / h];
            if (0..3).all(|d| (origin[d]..origin[d] + region[d]).contains(&at[d])) {
                *e = Some(texel.clone());
            }
        }
        let got = shape.read(s, image, size);
        for (i, (got, allowed)) in got.chunks(size).zip(&expected).enumerate() {
            let allowed = allowed.as_ref().expect("the first fill is of all");
            if !allowed.iter().any(|a| a == got) {
                wrong.push(format!(
                    "{shape:?} {f:?}: texel {i} filled with {color:?}: {got:?}, {allowed:?}"
                ));
            }
        }
    }
    assert_eq!(cl!(clReleaseMemObject(image)), 0);
    if !own.is_null() {
        assert_eq!(cl!(clReleaseMemObject(own)), 0);
    }
}

fn check_shape(shape: &Shape) {
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) == 0 {
        return;
    }
    let mut all = formats(&s, CL_MEM_READ_ONLY, shape.ty);
    for f in formats(&s, CL_MEM_WRITE_ONLY, shape.ty) {
        if !all.iter().any(|g| same(*g, f)) {
            all.push(f);
        }
    }
    let mut wrong = Vec::new();
    for (suffix, ty, depth) in [
        ("f", "float", false),
        ("i", "int", false),
        ("ui", "uint", false),
        ("f", "float", true),
    ] {
        let fits = |f: &&cl_image_format| {
            kind(f.image_channel_data_type).0 == suffix && (f.image_channel_order == CL_DEPTH) == depth
        };
        if all.iter().filter(fits).count() == 0 {
            continue;
        }
        let program = s.built(&source(shape, suffix, ty, depth), "");
        for f in all.iter().filter(fits) {
            check(&s, shape, *f, program, &mut wrong);
            check_fills(&s, shape, *f, &mut wrong);
        }
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

#[test]
fn of_1d() {
    check_shape(&SHAPES[0]);
}

#[test]
fn of_1d_buffer() {
    check_shape(&SHAPES[1]);
}

#[test]
fn of_1d_array() {
    check_shape(&SHAPES[2]);
}

#[test]
fn of_2d() {
    check_shape(&SHAPES[3]);
}

#[test]
fn of_2d_array() {
    check_shape(&SHAPES[4]);
}

#[test]
fn of_3d() {
    check_shape(&SHAPES[5]);
}

/// Formats whose channels are in another order than Vulkan's need views that swizzle.
#[test]
fn formats_that_are_swizzled() {
    let s = Setup::new();
    let list = formats(&s, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D);
    let has = |order: cl_channel_order| list.iter().any(|f| f.image_channel_order == order);
    let images = query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) != 0;
    let swizzles = images && !std::env::var("CALDERA_DEBUG").is_ok_and(|v| v.contains("no-swizzles"));
    assert_eq!((has(CL_RGBA), has(CL_BGRA)), (images, images));
    for order in [CL_A, CL_INTENSITY, CL_LUMINANCE, CL_RA, CL_ARGB] {
        assert_eq!(has(order), swizzles, "order {order:#x}");
    }
}

/// Integer texels of which SPIR-V does not say whether they have a sign have that of the image's format.
#[test]
fn texels_without_sign() {
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) == 0 {
        return;
    }
    let (program, code) = crate::il::build(&s, include_bytes!("texels_without_sign.spv"), "");
    assert_eq!(code, 0, "{}", s.log(program));
    let shape = &SHAPES[3];
    let mut wrong = Vec::new();
    let mut count = 0;
    for f in formats(&s, CL_MEM_READ_ONLY, shape.ty) {
        if matches!(kind(f.image_channel_data_type).0, "i" | "ui") {
            count += 1;
            check(&s, shape, f, program, &mut wrong);
        }
    }
    assert!(count > 4, "{count} formats of integers");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
