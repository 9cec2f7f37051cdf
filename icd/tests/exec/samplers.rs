//! Tests every sampler on every image type that can be sampled, against the formulas of CL 8.2.

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::lab::Random;
use crate::picture::{SHAPES, Shape, read, texel_size};
use crate::{cl, created, query};

/// The number of reads for each sampler and image.
const COUNT: usize = 96;

/// The properties of a sampler.
#[derive(Copy, Clone, Debug)]
struct Mode {
    normalized: bool,
    addressing: cl_addressing_mode,
    linear: bool,
}

/// An index into a dimension, or `None` for the border.
type Index = Option<usize>;

impl Mode {
    /// Returns every combination of filter, addressing mode and normalization, except CL_ADDRESS_NONE. The
    /// repeating addressing modes need normalized coordinates.
    fn all() -> Vec<Mode> {
        let mut all = Vec::new();
        for linear in [false, true] {
            for addressing in [CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP] {
                for normalized in [false, true] {
                    all.push(Mode {
                        normalized,
                        addressing,
                        linear,
                    });
                }
            }
            for addressing in [CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT] {
                all.push(Mode {
                    normalized: true,
                    addressing,
                    linear,
                });
            }
        }
        all
    }

    /// Returns the sampler as a constant expression of OpenCL C.
    fn literal(&self) -> String {
        let addressing = match self.addressing {
            CL_ADDRESS_CLAMP_TO_EDGE => "CLAMP_TO_EDGE",
            CL_ADDRESS_CLAMP => "CLAMP",
            CL_ADDRESS_REPEAT => "REPEAT",
            _ => "MIRRORED_REPEAT",
        };
        format!(
            "CLK_NORMALIZED_COORDS_{} | CLK_ADDRESS_{addressing} | CLK_FILTER_{}",
            if self.normalized { "TRUE" } else { "FALSE" },
            if self.linear { "LINEAR" } else { "NEAREST" }
        )
    }

    /// Returns the texels of one dimension that a coordinate selects, with their weights.
    fn axis(&self, s: f64, size: usize) -> [(Index, f64); 2] {
        let w = size as f64;
        let clamp = |i: f64| match self.addressing {
            CL_ADDRESS_CLAMP => (i >= 0.0 && i < w).then_some(i as usize),
            CL_ADDRESS_REPEAT => Some(i.rem_euclid(w) as usize),
            _ => Some(i.clamp(0.0, w - 1.0) as usize),
        };
        let u = match self.addressing {
            CL_ADDRESS_REPEAT => (s - s.floor()) * w,
            CL_ADDRESS_MIRRORED_REPEAT => (s - 2.0 * (0.5 * s).round_ties_even()).abs() * w,
            _ if self.normalized => s * w,
            _ => s,
        };
        if self.linear {
            let i = (u - 0.5).floor();
            let a = u - 0.5 - i;
            [(clamp(i), 1.0 - a), (clamp(i + 1.0), a)]
        } else {
            [(clamp(u.floor()), 1.0), (None, 0.0)]
        }
    }
}

/// Returns the layer that a coordinate selects (CL 6.12.14).
fn layer(s: f64, size: usize) -> usize {
    s.round_ties_even().clamp(0.0, size as f64 - 1.0) as usize
}

/// Returns the border colour of a format (CL 6.12.14.1).
fn border(f: cl_image_format) -> [f64; 4] {
    match f.image_channel_order {
        CL_R | CL_RG | CL_RGB | CL_LUMINANCE => [0.0, 0.0, 0.0, 1.0],
        _ => [0.0; 4],
    }
}

/// Returns the expected result of a read at a coordinate.
fn reference(shape: &Shape, f: cl_image_format, texels: &[u8], mode: &Mode, at: [f32; 3]) -> [f64; 4] {
    let axes: Vec<_> = (0..3)
        .map(|i| {
            let s = f64::from(at[i]);
            if shape.layers() == Some(i) {
                [(Some(layer(s, shape.size[i])), 1.0), (None, 0.0)]
            } else if shape.size[i] == 1 {
                [(Some(0), 1.0), (None, 0.0)]
            } else {
                mode.axis(s, shape.size[i])
            }
        })
        .collect();
    let mut sum = [0.0; 4];
    let size = texel_size(f);
    for (x, wx) in axes[0] {
        for (y, wy) in axes[1] {
            for (z, wz) in axes[2] {
                let weight = wx * wy * wz;
                if weight == 0.0 {
                    continue;
                }
                let texel = match (x, y, z) {
                    (Some(x), Some(y), Some(z)) => {
                        let i = (z * shape.size[1] + y) * shape.size[0] + x;
                        read(f, &texels[i * size..(i + 1) * size])
                    }
                    _ => border(f),
                };
                for (to, from) in sum.iter_mut().zip(texel) {
                    *to += weight * from;
                }
            }
        }
    }
    sum
}

/// Returns coordinates inside and outside of the image, at least 1/8 away from the borders between texels.
fn coordinates(random: &mut Random, shape: &Shape, mode: &Mode) -> Vec<f32> {
    (0..COUNT)
        .flat_map(|_| {
            [0, 1, 2].map(|i| {
                let size = shape.size[i];
                let texel = random.below(3 * size + 4) as f32 - size as f32 - 2.0;
                let u = texel + (1 + random.below(7)) as f32 / 8.0;
                if shape.layers() == Some(i) || !mode.normalized {
                    u
                } else {
                    u / size as f32
                }
            })
        })
        .chain([0.0])
        .collect()
}

/// Runs a kernel that reads an image at some coordinates, and returns the bytes of its results. `sampler` is the
/// sampler to pass, for a kernel that takes one.
fn sampled(s: &Setup, kernel: cl_kernel, image: cl_mem, at: &[f32], sampler: Option<cl_sampler>) -> Vec<u8> {
    let bytes: Vec<u8> = at.iter().flat_map(|x| x.to_le_bytes()).collect();
    let (input, out) = (s.buffer(&bytes), s.buffer(&[0xCD; 16 * COUNT]));
    let set = |i: u32, object: *mut std::ffi::c_void| {
        let code = cl!(clSetKernelArg(kernel, i, 8, (&raw const object).cast()));
        assert_eq!(code, 0, "argument {i}");
    };
    set(0, image);
    set(1, input);
    set(2, out);
    if let Some(sampler) = sampler {
        set(3, sampler);
    }
    let n = COUNT;
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
    let got = s.read(out, 16 * COUNT);
    for object in [input, out] {
        assert_eq!(cl!(clReleaseMemObject(object)), 0);
    }
    got
}
/// Reads an image of a format with all samplers, and adds the wrong results to `wrong`.
fn check(s: &Setup, shape: &Shape, order: cl_channel_order, data: cl_channel_type, wrong: &mut Vec<String>) {
    let f = cl_image_format {
        image_channel_order: order,
        image_channel_data_type: data,
    };
    let mut random = Random::new(u64::from(shape.ty) << 16 | u64::from(order));
    let texels: Vec<u8> = match data {
        CL_FLOAT => (0..shape.texels() * texel_size(f) / 4)
            .flat_map(|_| (random.below(1 << 20) as f32 / 1e6).to_le_bytes())
            .collect(),
        _ => (0..shape.texels() * texel_size(f))
            .map(|_| random.next() as u8)
            .collect(),
    };
    let (image, own) = shape.create(s, f, CL_MEM_READ_ONLY);
    assert!(own.is_null(), "samplers do not read buffers");
    shape.write(s, image, &texels);
    let at = shape.coordinate("float");
    let modes = Mode::all();
    let body = |name: &str, parameter: &str, declaration: &str| {
        format!(
            "kernel void {name}(read_only {} im, global const float *at, global float4 *out{parameter}) {{ {declaration}
             size_t i = get_global_id(0); float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
             out[i] = read_imagef(im, sampler, {at}); }}\n",
            shape.name()
        )
    };
    // One kernel takes the sampler as an argument, and two kernels have random literal samplers.
    let literal = [random.below(modes.len()), random.below(modes.len())];
    let mut source = body("argument", ", sampler_t sampler", "");
    for (k, index) in literal.iter().enumerate() {
        let declaration = format!("const sampler_t sampler = {};", modes[*index].literal());
        source += &body(&format!("literal{k}"), "", &declaration);
    }
    let program = s.built(&source, "");
    let runs = modes.iter().map(|m| ("argument".to_owned(), m)).chain(
        literal
            .iter()
            .enumerate()
            .map(|(k, i)| (format!("literal{k}"), &modes[*i])),
    );
    for (name, mode) in runs {
        let at = coordinates(&mut random, shape, mode);
        let kernel = s.kernel(program, &name);
        let filter = if mode.linear {
            CL_FILTER_LINEAR
        } else {
            CL_FILTER_NEAREST
        };
        let (sampler, code) = created!(clCreateSampler(
            s.context,
            mode.normalized.into(),
            mode.addressing,
            filter
        ));
        assert_eq!(code, 0, "clCreateSampler");
        let passed = (name == "argument").then_some(sampler);
        let got = sampled(s, kernel, image, &at, passed);
        for (i, got) in got.chunks(16).enumerate() {
            let at = [at[3 * i], at[3 * i + 1], at[3 * i + 2]];
            let expected = reference(shape, f, &texels, mode, at);
            for (lane, e) in expected.iter().enumerate() {
                let x = f32::from_le_bytes(got[4 * lane..4 * lane + 4].try_into().expect("four bytes"));
                // A GPU may compute the weights of linear filters with 8 bits. A CPU is exact except for
                // rounding (CL 8.2).
                let room = match (
                    mode.linear,
                    query!(clGetDeviceInfo(s.device; CL_DEVICE_TYPE) as u64),
                ) {
                    (true, CL_DEVICE_TYPE_CPU) => 1e-5,
                    (true, _) => 0.02,
                    (false, _) => 1e-6,
                };
                if (f64::from(x) - e).abs() > room {
                    wrong.push(format!(
                        "{name} {shape:?} {f:?} {mode:?} at {at:?} lane {lane}: {x}, {e}"
                    ));
                }
            }
        }
        assert_eq!(cl!(clReleaseSampler(sampler)), 0);
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    assert_eq!(cl!(clReleaseMemObject(image)), 0);
}

/// Checks images of one type in several formats. Does nothing if the device has no images.
fn check_shape(shape: &Shape, formats: &[(cl_channel_order, cl_channel_type)]) {
    let s = Setup::new();
    if query!(clGetDeviceInfo(s.device; CL_DEVICE_IMAGE_SUPPORT) as u32) == 0 {
        return;
    }
    let mut wrong = Vec::new();
    for (order, data) in formats {
        check(&s, shape, *order, *data, &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

#[test]
fn on_1d() {
    check_shape(&SHAPES[0], &[(CL_RGBA, CL_FLOAT), (CL_A, CL_UNORM_INT8)]);
}

#[test]
fn on_1d_array() {
    check_shape(&SHAPES[2], &[(CL_RGBA, CL_FLOAT), (CL_RA, CL_UNORM_INT8)]);
}

/// Tests every channel order that has its own border colour or swizzle.
#[test]
fn on_2d() {
    let orders = [CL_R, CL_RG, CL_BGRA, CL_ARGB, CL_LUMINANCE, CL_INTENSITY];
    let mut formats = orders.map(|o| (o, CL_UNORM_INT8)).to_vec();
    formats.push((CL_RGBA, CL_FLOAT));
    check_shape(&SHAPES[3], &formats);
}

#[test]
fn on_2d_array() {
    check_shape(&SHAPES[4], &[(CL_RGBA, CL_FLOAT), (CL_R, CL_UNORM_INT8)]);
}

#[test]
fn on_3d() {
    check_shape(&SHAPES[5], &[(CL_RGBA, CL_FLOAT), (CL_BGRA, CL_UNORM_INT8)]);
}
