//! The images of the tests: shapes, formats, and the values of texels (CL 5.3.1.1, 8.3).

use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::common::*;
use crate::exact::{Expected, Mode, decode, encode};
use crate::scalar::Scalar;
use crate::{cl, created};

/// An image type and a size. Array layers are in the dimension in which origins and regions count them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) ty: cl_mem_object_type,
    pub(crate) size: [usize; 3],
}

/// One shape of each type. The dimensions of a shape have different sizes.
pub(crate) const SHAPES: [Shape; 6] = [
    Shape {
        ty: CL_MEM_OBJECT_IMAGE1D,
        size: [37, 1, 1],
    },
    Shape {
        ty: CL_MEM_OBJECT_IMAGE1D_BUFFER,
        size: [45, 1, 1],
    },
    Shape {
        ty: CL_MEM_OBJECT_IMAGE1D_ARRAY,
        size: [13, 5, 1],
    },
    Shape {
        ty: CL_MEM_OBJECT_IMAGE2D,
        size: [11, 7, 1],
    },
    Shape {
        ty: CL_MEM_OBJECT_IMAGE2D_ARRAY,
        size: [7, 5, 3],
    },
    Shape {
        ty: CL_MEM_OBJECT_IMAGE3D,
        size: [5, 6, 7],
    },
];

impl Shape {
    pub(crate) fn texels(&self) -> usize {
        self.size.iter().product()
    }

    /// Returns the name of the type in OpenCL C.
    pub(crate) fn name(&self) -> &'static str {
        match self.ty {
            CL_MEM_OBJECT_IMAGE1D => "image1d_t",
            CL_MEM_OBJECT_IMAGE1D_BUFFER => "image1d_buffer_t",
            CL_MEM_OBJECT_IMAGE1D_ARRAY => "image1d_array_t",
            CL_MEM_OBJECT_IMAGE2D => "image2d_t",
            CL_MEM_OBJECT_IMAGE2D_ARRAY => "image2d_array_t",
            _ => "image3d_t",
        }
    }

    /// Returns the expression that makes a coordinate from `x`, `y` and `z`. `scalar` is `int` or `float`.
    pub(crate) fn coordinate(&self, scalar: &str) -> String {
        match self.ty {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => "x".into(),
            CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D => format!("({scalar}2)(x, y)"),
            _ => format!("({scalar}4)(x, y, z, 0)"),
        }
    }

    /// Returns the dimension that counts layers, or `None` if the type is not an array.
    pub(crate) fn layers(&self) -> Option<usize> {
        match self.ty {
            CL_MEM_OBJECT_IMAGE1D_ARRAY => Some(1),
            CL_MEM_OBJECT_IMAGE2D_ARRAY => Some(2),
            _ => None,
        }
    }

    /// Creates an image, and the buffer that is its storage if the type needs one.
    pub(crate) fn create(&self, s: &Setup, format: cl_image_format, flags: cl_mem_flags) -> (cl_mem, cl_mem) {
        let [w, h, d] = self.size;
        let mut buffer = null_mut();
        if self.ty == CL_MEM_OBJECT_IMAGE1D_BUFFER {
            let made = created!(clCreateBuffer(s.context, 0, w * 16, null_mut()));
            assert_eq!(made.1, 0);
            buffer = made.0;
        }
        let desc = cl_image_desc {
            image_type: self.ty,
            image_width: w,
            image_height: h,
            image_depth: d,
            image_array_size: self.layers().map_or(0, |i| self.size[i]),
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer,
        };
        let (image, code) = created!(clCreateImage(
            s.context,
            flags,
            &raw const format,
            &raw const desc,
            null_mut()
        ));
        assert_eq!(code, 0, "clCreateImage {self:?} {format:?}");
        (image, buffer)
    }

    /// Writes all texels.
    pub(crate) fn write(&self, s: &Setup, image: cl_mem, bytes: &[u8]) {
        let code = cl!(clEnqueueWriteImage(
            s.queue,
            image,
            0,
            [0usize; 3].as_ptr(),
            self.size.as_ptr(),
            0,
            0,
            bytes.as_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0, "clEnqueueWriteImage");
    }

    /// Reads all texels.
    pub(crate) fn read(&self, s: &Setup, image: cl_mem, texel: usize) -> Vec<u8> {
        let mut bytes = vec![0xEEu8; self.texels() * texel];
        let code = cl!(clEnqueueReadImage(
            s.queue,
            image,
            1,
            [0usize; 3].as_ptr(),
            self.size.as_ptr(),
            0,
            0,
            bytes.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0, "clEnqueueReadImage");
        bytes
    }
}

/// Returns the formats that the device supports for an image type with these flags.
pub(crate) fn formats(s: &Setup, flags: cl_mem_flags, ty: cl_mem_object_type) -> Vec<cl_image_format> {
    let none = cl_image_format {
        image_channel_order: 0,
        image_channel_data_type: 0,
    };
    let mut list = vec![none; 256];
    let mut count = 0;
    let code = cl!(clGetSupportedImageFormats(
        s.context,
        flags,
        ty,
        256,
        list.as_mut_ptr(),
        &raw mut count
    ));
    assert_eq!(code, 0, "clGetSupportedImageFormats");
    list.truncate(count as usize);
    list
}

/// Returns whether two formats are the same.
pub(crate) fn same(a: cl_image_format, b: cl_image_format) -> bool {
    (a.image_channel_order, a.image_channel_data_type) == (b.image_channel_order, b.image_channel_data_type)
}

/// Returns the lane (red, green, blue, alpha) of each channel in memory.
pub(crate) fn lanes(order: cl_channel_order) -> &'static [usize] {
    match order {
        CL_R | CL_LUMINANCE | CL_INTENSITY | CL_DEPTH => &[0],
        CL_A => &[3],
        CL_RG => &[0, 1],
        CL_RA => &[0, 3],
        CL_RGB => &[0, 1, 2],
        CL_RGBA => &[0, 1, 2, 3],
        CL_BGRA => &[2, 1, 0, 3],
        CL_ARGB => &[3, 0, 1, 2],
        _ => panic!("channel order {order:#x}"),
    }
}

/// Returns the suffix of `read_image` and `write_image`, and the type of a texel in the kernel.
pub(crate) fn kind(data: cl_channel_type) -> (&'static str, &'static str) {
    match data {
        CL_SIGNED_INT8 | CL_SIGNED_INT16 | CL_SIGNED_INT32 => ("i", "int"),
        CL_UNSIGNED_INT8 | CL_UNSIGNED_INT16 | CL_UNSIGNED_INT32 => ("ui", "uint"),
        _ => ("f", "float"),
    }
}

/// Returns the position of the lowest bit of each channel in a packed format.
fn packed(data: cl_channel_type) -> Option<&'static [u32]> {
    match data {
        CL_UNORM_SHORT_565 => Some(&[11, 5, 0]),
        CL_UNORM_SHORT_555 => Some(&[10, 5, 0]),
        CL_UNORM_INT_101010 => Some(&[20, 10, 0]),
        _ => None,
    }
}

/// Returns the size of a texel in bytes.
pub(crate) fn texel_size(f: cl_image_format) -> usize {
    let channel = match f.image_channel_data_type {
        CL_UNORM_SHORT_565 | CL_UNORM_SHORT_555 => return 2,
        CL_UNORM_INT_101010 => return 4,
        CL_SNORM_INT8 | CL_UNORM_INT8 | CL_SIGNED_INT8 | CL_UNSIGNED_INT8 => 1,
        CL_SIGNED_INT32 | CL_UNSIGNED_INT32 | CL_FLOAT => 4,
        _ => 2,
    };
    channel * lanes(f.image_channel_order).len()
}

/// Returns the value of a channel. Integers are exact.
fn channel(data: cl_channel_type, bits: u64) -> f64 {
    let unorm = |top: u32| bits as f64 / f64::from(top);
    match data {
        CL_UNORM_INT8 => unorm(255),
        CL_UNORM_INT16 => unorm(65535),
        CL_SNORM_INT8 => (f64::from(bits as u8 as i8) / 127.0).max(-1.0),
        CL_SNORM_INT16 => (f64::from(bits as u16 as i16) / 32767.0).max(-1.0),
        CL_SIGNED_INT8 => f64::from(bits as u8 as i8),
        CL_SIGNED_INT16 => f64::from(bits as u16 as i16),
        CL_SIGNED_INT32 => f64::from(bits as u32 as i32),
        CL_HALF_FLOAT => match Scalar::Half.decode(&(bits as u16).to_le_bytes()) {
            crate::expr::Num::Float(x) => x,
            crate::expr::Num::Int(x) => x as f64,
        },
        CL_FLOAT => f64::from(f32::from_bits(bits as u32)),
        _ => bits as f64,
    }
}

/// Returns the red, green, blue and alpha that a kernel reads from the bytes of a texel.
pub(crate) fn read(f: cl_image_format, texel: &[u8]) -> [f64; 4] {
    let mut color = [0.0, 0.0, 0.0, 1.0];
    if let Some(shifts) = packed(f.image_channel_data_type) {
        let mut word = [0u8; 4];
        word[..texel.len()].copy_from_slice(texel);
        let word = u32::from_le_bytes(word);
        for (i, shift) in shifts.iter().enumerate() {
            let bits = match (f.image_channel_data_type, i) {
                (CL_UNORM_SHORT_565, 1) => 6,
                (CL_UNORM_INT_101010, _) => 10,
                _ => 5,
            };
            let top = (1u32 << bits) - 1;
            color[i] = f64::from(word >> shift & top) / f64::from(top);
        }
        return color;
    }
    let order = f.image_channel_order;
    let lanes = lanes(order);
    let size = texel.len() / lanes.len();
    if matches!(order, CL_A | CL_RA | CL_ARGB | CL_BGRA | CL_RGBA) {
        color[3] = 0.0;
    }
    for (lane, bytes) in lanes.iter().zip(texel.chunks(size)) {
        let mut wide = [0u8; 8];
        wide[..size].copy_from_slice(bytes);
        color[*lane] = channel(f.image_channel_data_type, u64::from_le_bytes(wide));
    }
    match order {
        CL_LUMINANCE => color = [color[0], color[0], color[0], 1.0],
        CL_INTENSITY => color = [color[0]; 4],
        _ => {}
    }
    color
}

/// Returns all permitted bytes of a texel to which a kernel has written a colour. Returns `None` for formats that these
/// tests do not write.
pub(crate) fn written(f: cl_image_format, color: [f64; 4]) -> Option<Vec<Vec<u8>>> {
    let data = f.image_channel_data_type;
    if packed(data).is_some() {
        return None;
    }
    let normalized = |x: f64, least: f64, top: f64, size: usize| {
        // CL 8.3: rounding to nearest is preferred; a result within 0.6 of the exact value is required.
        let scaled = (x.clamp(least, 1.0)) * top;
        let mut all = vec![(scaled - 0.6).ceil() as i64, (scaled + 0.6).floor() as i64];
        all.dedup();
        all.iter()
            .map(|v| v.to_le_bytes()[..size].to_vec())
            .collect::<Vec<_>>()
    };
    let saturated = |x: f64, low: f64, high: f64, size: usize| {
        vec![(x.clamp(low, high) as i64).to_le_bytes()[..size].to_vec()]
    };
    let channel = |x: f64| match data {
        CL_UNORM_INT8 => normalized(x, 0.0, 255.0, 1),
        CL_UNORM_INT16 => normalized(x, 0.0, 65535.0, 2),
        CL_SNORM_INT8 => normalized(x, -1.0, 127.0, 1),
        CL_SNORM_INT16 => normalized(x, -1.0, 32767.0, 2),
        CL_SIGNED_INT8 => saturated(x, -128.0, 127.0, 1),
        CL_SIGNED_INT16 => saturated(x, -32768.0, 32767.0, 2),
        CL_UNSIGNED_INT8 => saturated(x, 0.0, 255.0, 1),
        CL_UNSIGNED_INT16 => saturated(x, 0.0, 65535.0, 2),
        CL_SIGNED_INT32 | CL_UNSIGNED_INT32 => saturated(x, -2147483648.0, 4294967295.0, 4),
        CL_HALF_FLOAT => {
            let real = decode(Scalar::Double, x.to_bits());
            // CL 8.3.2: the value is rounded to nearest even or toward zero.
            [Mode::Rte, Mode::Rtz]
                .map(|mode| encode(Scalar::Half, real, mode).to_le_bytes()[..2].to_vec())
                .to_vec()
        }
        _ => vec![(x as f32).to_le_bytes().to_vec()],
    };
    // All combinations of the permitted values of the channels.
    let mut all = vec![Vec::new()];
    for lane in lanes(f.image_channel_order) {
        let choices = channel(color[*lane]);
        all = all
            .iter()
            .flat_map(|head: &Vec<u8>| choices.iter().map(move |c| [head.as_slice(), c].concat()))
            .collect();
    }
    Some(all)
}

/// Returns whether a float that a kernel has read matches the value of a texel: within 1.5 ulp for normalized formats
/// (CL 8.3.1), exactly for others.
pub(crate) fn close(data: cl_channel_type, got: f32, expected: f64) -> bool {
    match data {
        CL_FLOAT | CL_HALF_FLOAT => f64::from(got) == expected,
        _ => Expected::Near(expected, 1.5).met_by(Scalar::Float, got.to_bits().into(), true),
    }
}
