//! Images and samplers: a direct implementation of the formulas of CL 8.2.

use super::{Memory, Trap};
use crate::intrinsic::{ImageShape, Intrinsic, SamplerMask, Texel};
use crate::ir::Handle;
use std::collections::BTreeMap;

/// An image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// The shape of the image.
    pub shape: ImageShape,
    /// The extent in each component of the shape; 1 in the others.
    pub size: [u32; 3],
    /// The channel order, as OpenCL's value.
    pub channel_order: u32,
    /// The channel data type, as OpenCL's value.
    pub channel_data_type: u32,
    /// The bits that a read returns for each texel, row by row and slice by slice.
    pub texels: Vec<[u32; 4]>,
}

/// The images and samplers that kernels get, by the ordinal of the argument.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Handles {
    /// The images, by the ordinal of the argument.
    pub images: BTreeMap<u32, Image>,
    /// The samplers, by the ordinal of the argument.
    pub samplers: BTreeMap<u32, SamplerMask>,
}

/// The texel that a coordinate selects.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Index {
    At(u32),
    Border,
}

impl Image {
    fn place(&self, at: [u32; 3]) -> Option<usize> {
        let [w, h, _] = self.size.map(|n| n as usize);
        let inside = at.iter().zip(self.size).all(|(&i, n)| i < n);
        inside.then(|| (at[2] as usize * h + at[1] as usize) * w + at[0] as usize)
    }

    fn border(&self) -> [u32; 4] {
        // CL_R, CL_RG, CL_RGB, CL_LUMINANCE, CL_sRGB
        let opaque = [0x10b0, 0x10b2, 0x10b4, 0x10b9, 0x10bf].contains(&self.channel_order);
        let one = match self.channel_data_type {
            0x10d7..=0x10dc => 1,
            _ => 1f32.to_bits(),
        };
        [0, 0, 0, if opaque { one } else { 0 }]
    }

    fn texel(&self, at: &[Index]) -> [u32; 4] {
        let mut place = [0; 3];
        for (to, &index) in place.iter_mut().zip(at) {
            match index {
                Index::At(i) => *to = i,
                Index::Border => return self.border(),
            }
        }
        self.place(place).map_or([0; 4], |n| self.texels[n])
    }

    /// Reads with a sampler. Coordinates are floats; integer coordinates are converted to floats.
    fn read(&self, mask: SamplerMask, at: &[f32], linear: bool) -> [u32; 4] {
        let mut axes: Vec<(Vec<Index>, f32)> = Vec::new();
        for (n, (&coordinate, &size)) in at.iter().zip(&self.size).enumerate() {
            if self.shape.is_array() && n + 1 == at.len() {
                let layer = coordinate.round_ties_even().clamp(0.0, size as f32 - 1.0);
                axes.push((vec![Index::At(layer as u32)], 0.0));
            } else {
                axes.push(axis(mask, coordinate, size, linear));
            }
        }
        if !linear {
            let first: Vec<Index> = axes.iter().map(|a| a.0[0]).collect();
            return self.texel(&first);
        }
        let filtered = axes.iter().filter(|a| a.0.len() > 1).count();
        let mut sum = [0f32; 4];
        for corner in 0..1usize << filtered {
            let mut weight = 1f32;
            let mut place = Vec::new();
            for (i, (indices, fraction)) in axes.iter().enumerate() {
                let far = i < filtered && corner >> i & 1 == 1;
                if indices.len() > 1 {
                    weight *= if far { *fraction } else { 1.0 - fraction };
                }
                place.push(indices[usize::from(far)]);
            }
            for (s, bits) in sum.iter_mut().zip(self.texel(&place)) {
                *s += weight * f32::from_bits(bits);
            }
        }
        sum.map(f32::to_bits)
    }
}

/// Returns the texels that a coordinate selects in one dimension, and the weight of the second texel.
fn axis(mask: SamplerMask, s: f32, size: u32, linear: bool) -> (Vec<Index>, f32) {
    let w = size as f32;
    let u = match mask.address() {
        SamplerMask::ADDRESS_REPEAT if mask.normalized() => (s - s.floor()) * w,
        SamplerMask::ADDRESS_MIRRORED if mask.normalized() => {
            (s - 2.0 * (0.5 * s).round_ties_even()).abs() * w
        }
        _ if mask.normalized() => s * w,
        _ => s,
    };
    let v = if linear { u - 0.5 } else { u };
    let first = v.floor() as i64;
    let last = i64::from(size) - 1;
    let index = |i: i64| match mask.address() {
        SamplerMask::ADDRESS_REPEAT if mask.normalized() => Index::At(i.rem_euclid(last + 1) as u32),
        SamplerMask::ADDRESS_CLAMP if i < 0 || i > last => Index::Border,
        _ => Index::At(i.clamp(0, last) as u32),
    };
    let mut list = vec![index(first)];
    if linear {
        list.push(index(first + 1));
    }
    (list, v - v.floor())
}

fn floats(lanes: &[u64]) -> Vec<f32> {
    lanes.iter().map(|&l| f32::from_bits(l as u32)).collect()
}

fn place_of(lanes: &[u64]) -> [u32; 3] {
    let mut at = [0; 3];
    for (to, &l) in at.iter_mut().zip(lanes) {
        *to = l as u32;
    }
    at
}

fn undefined(what: &str) -> Trap {
    Trap::Undefined(what.into())
}

fn lanes(texel: [u32; 4]) -> Vec<u64> {
    texel.iter().map(|&t| u64::from(t)).collect()
}

impl Handles {
    fn image(&self, lanes: &[u64]) -> Result<(u32, &Image), Trap> {
        let bits = lanes.first().copied().unwrap_or(0);
        match Handle::from_bits(bits) {
            Handle::Arg(n) => match self.images.get(&n) {
                Some(image) => Ok((n, image)),
                None => Err(Trap::NotSupported("an image that is not given".into())),
            },
            Handle::Literal(_) | Handle::Normalized(_) => Err(undefined("an image that is no argument")),
        }
    }

    fn sampler(&self, lanes: &[u64]) -> Result<SamplerMask, Trap> {
        let given = |n: u32| self.samplers.get(&n).copied();
        let mask = match Handle::from_bits(lanes.first().copied().unwrap_or(0)) {
            Handle::Literal(mask) => Some(mask),
            Handle::Arg(n) => given(n),
            Handle::Normalized(n) => given(n).map(|m| SamplerMask(m.0 | SamplerMask::NORMALIZED)),
        };
        mask.ok_or_else(|| Trap::NotSupported("a sampler that is not given".into()))
    }
}

/// Executes an image intrinsic. `float_coordinates` is the coordinate type of `ReadImage`.
pub(super) fn execute(
    memory: &mut Memory,
    op: Intrinsic,
    args: &[Vec<u64>],
    float_coordinates: bool,
) -> Result<Vec<u64>, Trap> {
    let handles = &memory.handles;
    let first = args.first().map_or(&[][..], |a| a);
    if op == Intrinsic::SamplerProperties {
        return Ok(vec![u64::from(handles.sampler(first)?.0)]);
    }
    let (number, image) = handles.image(first)?;
    Ok(match op {
        Intrinsic::ReadImage(_, texel) => {
            let mut mask = handles.sampler(&args[1])?;
            let linear = mask.linear() && texel == Texel::Float && float_coordinates;
            let at = if float_coordinates {
                floats(&args[2])
            } else {
                mask.0 &= !SamplerMask::NORMALIZED;
                args[2].iter().map(|&l| l as u32 as i32 as f32).collect()
            };
            lanes(image.read(mask, &at, linear))
        }
        Intrinsic::SampleImage(shape, texel) => {
            let mask = handles.sampler(&args[1])?;
            let single = matches!(shape, ImageShape::D1 | ImageShape::D2);
            if !mask.normalized() && !single {
                return Err(undefined(
                    "an unnormalized sampler with an image that is not 1D or 2D",
                ));
            }
            if texel != Texel::Float && (mask.address() == SamplerMask::ADDRESS_CLAMP || mask.linear()) {
                return Err(undefined("a border or a filter of integers"));
            }
            lanes(image.read(mask, &floats(&args[2]), mask.linear()))
        }
        Intrinsic::LoadFormat(_, format)
            if format.channels() != (image.channel_order as i32, image.channel_data_type as i32) =>
        {
            return Err(undefined("a load from an image of another format"));
        }
        Intrinsic::FetchImage(..) | Intrinsic::LoadImage(..) | Intrinsic::LoadFormat(..) => {
            match image.place(place_of(&args[1])) {
                Some(n) => lanes(image.texels[n]),
                None => return Err(undefined("a fetch outside of the image")),
            }
        }
        Intrinsic::WriteImage(..) => {
            let place = image.place(place_of(&args[1]));
            let place = place.ok_or_else(|| undefined("a write outside of the image"))?;
            if let Some(image) = memory.handles.images.get_mut(&number) {
                for (to, &l) in image.texels[place].iter_mut().zip(&args[2]) {
                    *to = l as u32;
                }
            }
            Vec::new()
        }
        Intrinsic::ImageSize(shape) => {
            let size = image.size.iter().take(usize::from(shape.lanes()));
            size.map(|&n| u64::from(n)).collect()
        }
        Intrinsic::ChannelOrder => vec![u64::from(image.channel_order)],
        Intrinsic::ChannelDataType => vec![u64::from(image.channel_data_type)],
        _ => return Err(Trap::NotSupported(op.to_string())),
    })
}
