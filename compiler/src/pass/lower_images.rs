//! Lowers image reads with samplers to what Vulkan's samplers do exactly, and the rest to fetches.
//!
//! Why: a Vulkan sampler with unnormalized coordinates reads only single 1D and 2D images and only clamps. A
//! sampler that filters may be less exact than OpenCL requires
//! ([`Quirks::coarse_filter`](crate::target::Quirks)). A read that the sampler can do is one instruction;
//! `docs/adr/0008-samplers.md` has the reasons.
//! In:  `Inlined`; images and samplers are parameters of kernels, or literal samplers.
//! Out: `Images`: no `ReadImage` is left. `SamplerProperties` may ask for the properties of sampler
//!      arguments, and other intrinsics for the channel order and data type of images.
//!
//! | coordinates | sampler | shape | becomes |
//! |---|---|---|---|
//! | int | any | 1D, 2D | `SampleImage` at the texel's centre |
//! | int | any | others | `FetchImage`, addressed by arithmetic |
//! | float | normalized | any | `SampleImage` |
//! | float | unnormalized | 1D, 2D | `SampleImage` |
//! | float | unnormalized, nearest | others | `FetchImage`, addressed by arithmetic |
//! | float | unnormalized, linear | others | `SampleImage` with the coordinates divided by the size |
//!
//! With [`Quirks::coarse_filter`](crate::target::Quirks), linear filters are arithmetic on fetched texels
//! instead (`lower_images/filter.rs`). Integer texels with a border are fetched, because the border colour of
//! a sampler is that of a float image. The properties of a sampler argument are known only at run time; where
//! the row of the table depends on them, they are tested. A sampler argument that samples an image that is
//! neither 1D nor 2D is replaced by the sampler that has normalized coordinates and is otherwise the same
//! (`lower_kernel_args`).
//!
//! In clspv's mapping (`DescriptorAbi::sampler_pairs` unset) a sampler argument is one descriptor, and every
//! read with it becomes `SampleImage`. If a kernel reads an array or a 3D image with the argument, the
//! descriptor is the sampler with normalized coordinates; then all reads with it divide unnormalized
//! coordinates by the size.
//!
//! An image that is read and written is read as a storage image. If the target cannot read those without stating their
//! format ([`Features::reads_any_format`](crate::target::Features)), the image's format is compared with each format
//! that such images may have.
//!
//! Writes of integers clamp them to the image's data type first (CL 8.3.3, 8.3.4). Components are reordered
//! where the target stores channel orders that Vulkan does not have
//! ([`Features::reordered_writes`](crate::target::Features)).

mod filter;

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::{ImageShape, Intrinsic, SamplerMask, Texel, TexelFormat};
use crate::inv;
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, Handle, Inst, Module, Op, Scalar, Ty, Value};
use crate::target::Target;
use filter::Software;
use std::collections::BTreeSet;

pub const PASS: Pass = Pass {
    name: "lower_images",
    about: "Lowers image reads with samplers to what Vulkan's samplers do exactly, and the rest to fetches.",
    run,
    requires: inv![Inlined],
    establishes: inv![Images],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= lower(func, cx.target);
    }
    Ok(changed.into())
}

/// Returns whether the pass lowers an instruction.
fn concerns(func: &Function, inst: Inst) -> bool {
    matches!(
        func.insts[inst].op,
        Op::Intrinsic(Intrinsic::ReadImage(..) | Intrinsic::LoadImage(..) | Intrinsic::WriteImage(..))
    )
}

/// How a read may use a sampler that is an argument.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Samplers {
    /// The read may ask for the sampler's properties and use its variant with normalized coordinates.
    Pairs,
    /// The descriptor is the sampler itself.
    Given,
    /// The descriptor is the sampler's variant with normalized coordinates.
    Normalized,
}

/// Returns the sampler arguments that arrays and 3D images are read with.
fn samplers_of_layers(func: &Function) -> BTreeSet<Value> {
    let mut list = BTreeSet::new();
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        if let Op::Intrinsic(Intrinsic::ReadImage(shape, _)) = data.op
            && !is_single(shape)
            && func.as_bits(data.args[1]).is_none()
        {
            list.insert(data.args[1]);
        }
    }
    list
}

/// Lowers the reads and writes of images in a function, and returns whether there were any.
fn lower(func: &mut Function, target: &Target) -> bool {
    let one_descriptor = target.abi.descriptor().filter(|d| !d.sampler_pairs);
    let normalized = match one_descriptor {
        // The older form of the mapping has no push constants for the test; there the sampler is used as it
        // is.
        Some(d) if !d.older_rules => samplers_of_layers(func),
        Some(_) | None => BTreeSet::new(),
    };
    let mut replacements = Replacements::default();
    let mut changed = false;
    for region in func.regions_in_order() {
        if !func.regions[region].insts.iter().any(|&i| concerns(func, i)) {
            continue;
        }
        changed = true;
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            let data = b.func.insts[inst].clone();
            b.span = data.span;
            match data.op {
                Op::Intrinsic(Intrinsic::ReadImage(shape, texel)) => {
                    let read = Read {
                        image: data.args[0],
                        sampler: data.args[1],
                        at: data.args[2],
                        shape,
                        texel,
                        coarse_filter: target.quirks.coarse_filter,
                        samplers: match one_descriptor {
                            None => Samplers::Pairs,
                            Some(_) if normalized.contains(&data.args[1]) => Samplers::Normalized,
                            Some(_) => Samplers::Given,
                        },
                    };
                    let value = read.lower(&mut b);
                    replacements.set(data.results[0], value);
                }
                Op::Intrinsic(Intrinsic::LoadImage(shape, texel)) if !target.features.reads_any_format => {
                    let value = of_known_format(&mut b, data.args[0], data.args[1], shape, texel);
                    replacements.set(data.results[0], value);
                }
                Op::Intrinsic(Intrinsic::WriteImage(_, texel)) => {
                    let mut value = saturated(&mut b, data.args[0], data.args[2], texel);
                    if target.features.reordered_writes {
                        value = reordered(&mut b, data.args[0], value);
                    }
                    b.func.insts[inst].args[2] = value;
                    b.push(inst);
                }
                _ => b.push(inst),
            }
        }
    }
    replacements.apply(func);
    changed
}

/// The values of OpenCL's channel data types of integers.
mod channel {
    pub(super) const SIGNED_INT8: i32 = 0x10d7;
    pub(super) const SIGNED_INT16: i32 = 0x10d8;
    pub(super) const UNSIGNED_INT8: i32 = 0x10da;
    pub(super) const UNSIGNED_INT16: i32 = 0x10db;
}

/// Moves a texel's components to the lanes where an image of its channel order stores them.
fn reordered(b: &mut Builder<'_>, image: Value, value: Value) -> Value {
    // CL_A, CL_RA and CL_ARGB, each with the component that goes into each lane of the image.
    const ORDERS: [(i32, [u8; 4]); 3] = [(0x10b1, [3; 4]), (0x10b3, [0, 3, 3, 3]), (0x10b7, [3, 0, 1, 2])];
    let ty = b.func.ty(value);
    let order = intrinsic(b, Intrinsic::ChannelOrder, vec![image], Ty::I32);
    let mut result = value;
    for (number, lanes) in ORDERS {
        let number = b.i32(number);
        let is = b.compare(CmpOp::IEq, order, number);
        let is = b.splat(ty.with_scalar(Scalar::Bool), is);
        let moved = b.shuffle(value, value, lanes.to_vec());
        result = b.select(is, moved, result);
    }
    result
}

/// Reads a texel of an image that has one of the formats of [`TexelFormat`].
fn of_known_format(b: &mut Builder<'_>, image: Value, at: Value, shape: ImageShape, texel: Texel) -> Value {
    let formats: Vec<TexelFormat> = TexelFormat::all().filter(|f| f.texel() == texel).collect();
    let order = intrinsic(b, Intrinsic::ChannelOrder, vec![image], Ty::I32);
    let data = intrinsic(b, Intrinsic::ChannelDataType, vec![image], Ty::I32);
    let ty = texel_type(texel);
    let mut open = Vec::new();
    let mut value = None;
    for (i, &format) in formats.iter().enumerate() {
        let load = Intrinsic::LoadFormat(shape, format);
        if i + 1 == formats.len() {
            value = Some(intrinsic(b, load, vec![image, at], ty));
            break;
        }
        let (wanted_order, wanted_data) = format.channels();
        let (wanted_order, wanted_data) = (b.i32(wanted_order), b.i32(wanted_data));
        let is_order = b.compare(CmpOp::IEq, order, wanted_order);
        let is_data = b.compare(CmpOp::IEq, data, wanted_data);
        let is = b.binary(BinOp::And, is_order, is_data);
        let (inst, then, otherwise) = b.if_(is, &[ty]);
        b.enter(then);
        let loaded = intrinsic(b, load, vec![image, at], ty);
        b.exit(inst, vec![loaded]);
        b.leave();
        b.enter(otherwise);
        open.push(inst);
    }
    let mut value = value.expect("there are formats of each type");
    for inst in open.into_iter().rev() {
        b.exit(inst, vec![value]);
        b.leave();
        value = b.results(inst)[0];
    }
    value
}

/// Clamps an integer texel to the range of the image's data type.
fn saturated(b: &mut Builder<'_>, image: Value, value: Value, texel: Texel) -> Value {
    let ty = b.func.ty(value);
    let (narrow, middle, wide) = match texel {
        Texel::Int => (i32::from(i8::MAX), i32::from(i16::MAX), i32::MAX),
        Texel::UInt => (i32::from(u8::MAX), i32::from(u16::MAX), -1),
        Texel::Float => return value,
    };
    let (is_8, is_16) = match texel {
        Texel::Int => (channel::SIGNED_INT8, channel::SIGNED_INT16),
        Texel::UInt | Texel::Float => (channel::UNSIGNED_INT8, channel::UNSIGNED_INT16),
    };
    let data_type = intrinsic(b, Intrinsic::ChannelDataType, vec![image], Ty::I32);
    let mut most = b.i32(wide);
    for (number, limit) in [(is_16, middle), (is_8, narrow)] {
        let number = b.i32(number);
        let is = b.compare(CmpOp::IEq, data_type, number);
        let limit = b.i32(limit);
        most = b.select(is, limit, most);
    }
    if texel == Texel::UInt {
        let most = b.splat(ty, most);
        return intrinsic(b, Intrinsic::UMin, vec![value, most], ty);
    }
    let ones = b.i32(-1);
    let least = b.binary(BinOp::Xor, most, ones);
    let (least, most) = (b.splat(ty, least), b.splat(ty, most));
    let value = intrinsic(b, Intrinsic::SMin, vec![value, most], ty);
    intrinsic(b, Intrinsic::SMax, vec![value, least], ty)
}

fn intrinsic(b: &mut Builder<'_>, op: Intrinsic, args: Vec<Value>, ty: Ty) -> Value {
    b.intrinsic(op, args, Some(ty)).expect("has a result")
}

/// Returns the type of a texel.
fn texel_type(texel: Texel) -> Ty {
    match texel {
        Texel::Float => Ty::vector(Scalar::F32, 4),
        Texel::Int | Texel::UInt => Ty::vector(Scalar::I32, 4),
    }
}

/// Returns whether Vulkan has samplers with unnormalized coordinates for images of this shape.
fn is_single(shape: ImageShape) -> bool {
    match shape {
        ImageShape::D1 | ImageShape::D2 => true,
        ImageShape::Buffer | ImageShape::D1Array | ImageShape::D2Array | ImageShape::D3 => false,
    }
}

/// A read with a sampler.
#[derive(Copy, Clone)]
struct Read {
    image: Value,
    sampler: Value,
    at: Value,
    shape: ImageShape,
    texel: Texel,
    coarse_filter: bool,
    samplers: Samplers,
}

impl Read {
    fn lower(&self, b: &mut Builder<'_>) -> Value {
        let has_float = b.func.ty(self.at).scalar == Scalar::F32;
        let literal = b
            .func
            .as_bits(self.sampler)
            .map(|bits| match Handle::from_bits(bits) {
                Handle::Literal(mask) => mask,
                // Only `lower_kernel_args`, a later pass, makes constants of arguments.
                Handle::Arg(_) | Handle::Normalized(_) => SamplerMask(0),
            });
        match (literal, has_float) {
            (Some(mask), true) => self.literal(b, mask),
            (Some(mask), false) => self.literal_at_texel(b, mask),
            (None, true) => self.argument(b),
            (None, false) => self.argument_at_texel(b),
        }
    }

    fn is_single(&self) -> bool {
        is_single(self.shape)
    }

    /// Reads at integer coordinates with a literal sampler. CL 6.12.14.2: the filter must be nearest, the
    /// coordinates unnormalized and the addressing mode a clamping one, so the other properties of the
    /// sampler are ignored.
    fn literal_at_texel(&self, b: &mut Builder<'_>, mask: SamplerMask) -> Value {
        let address = match mask.address() {
            SamplerMask::ADDRESS_NONE => {
                let op = Intrinsic::FetchImage(self.shape, self.texel);
                return intrinsic(b, op, vec![self.image, self.at], texel_type(self.texel));
            }
            SamplerMask::ADDRESS_CLAMP => SamplerMask::ADDRESS_CLAMP,
            _ => SamplerMask::ADDRESS_EDGE,
        };
        let border = address == SamplerMask::ADDRESS_CLAMP;
        if self.is_single() && (self.texel == Texel::Float || !border) {
            let at = centre(b, self.at);
            return self.sample_literal(b, SamplerMask(SamplerMask::NEAREST | address), at);
        }
        self.software(b, SamplerMask(address)).nearest(b, self.at)
    }

    /// Reads at integer coordinates with a sampler argument.
    fn argument_at_texel(&self, b: &mut Builder<'_>) -> Value {
        if self.samplers != Samplers::Pairs {
            let mut at = centre(b, self.at);
            if self.samplers == Samplers::Normalized {
                at = self.divided(b, at);
            }
            return self.sample(b, self.sampler, at);
        }
        if self.is_single() && self.texel == Texel::Float {
            let at = centre(b, self.at);
            return self.sample(b, self.sampler, at);
        }
        let properties = self.properties(b);
        self.software_at_run_time(b, properties)
            .clamping()
            .nearest(b, self.at)
    }

    /// Reads at float coordinates with a literal sampler.
    fn literal(&self, b: &mut Builder<'_>, mask: SamplerMask) -> Value {
        // CL 6.12.14.3: the filter for integer texels is nearest; the result with a linear filter is
        // undefined.
        let linear = mask.linear() && self.texel == Texel::Float;
        let filter = if linear {
            SamplerMask::LINEAR
        } else {
            SamplerMask::NEAREST
        };
        let mut mask = SamplerMask(mask.0 & (SamplerMask::NORMALIZED | SamplerMask::ADDRESS_BITS) | filter);
        if mask.address() == SamplerMask::ADDRESS_NONE || mask.address() > SamplerMask::ADDRESS_MIRRORED {
            mask.0 = mask.0 & !SamplerMask::ADDRESS_BITS | SamplerMask::ADDRESS_EDGE;
        }
        // CL 6.12.14.1: the repeating modes are for normalized coordinates.
        if !mask.normalized() && mask.address() > SamplerMask::ADDRESS_CLAMP {
            mask.0 = mask.0 & !SamplerMask::ADDRESS_BITS | SamplerMask::ADDRESS_EDGE;
        }
        if linear && self.coarse_filter {
            return self.software(b, mask).linear(b, self.at);
        }
        if self.texel != Texel::Float && mask.address() == SamplerMask::ADDRESS_CLAMP {
            return self.software(b, mask).nearest(b, self.at);
        }
        if self.is_single() || mask.normalized() {
            return self.sample_literal(b, mask, self.at);
        }
        if !linear {
            return self.software(b, mask).nearest(b, self.at);
        }
        let at = self.divided(b, self.at);
        self.sample_literal(b, SamplerMask(mask.0 | SamplerMask::NORMALIZED), at)
    }

    /// Reads at float coordinates with a sampler argument.
    fn argument(&self, b: &mut Builder<'_>) -> Value {
        if self.samplers == Samplers::Given {
            return self.sample(b, self.sampler, self.at);
        }
        if self.samplers == Samplers::Normalized {
            let properties = self.properties(b);
            let normalized = has(b, properties, SamplerMask::NORMALIZED);
            return self.sample_normalized(b, normalized);
        }
        if self.texel != Texel::Float {
            let properties = self.properties(b);
            return self.software_at_run_time(b, properties).nearest(b, self.at);
        }
        if self.is_single() {
            if !self.coarse_filter {
                return self.sample(b, self.sampler, self.at);
            }
            let properties = self.properties(b);
            let linear = has(b, properties, SamplerMask::LINEAR);
            return choose(
                b,
                linear,
                |b| self.software_at_run_time(b, properties).linear(b, self.at),
                |b| self.sample(b, self.sampler, self.at),
            );
        }
        let properties = self.properties(b);
        let normalized = has(b, properties, SamplerMask::NORMALIZED);
        let linear = has(b, properties, SamplerMask::LINEAR);
        let nearest = |b: &mut Builder<'_>| {
            self.software_at_run_time(b, properties)
                .clamping()
                .nearest(b, self.at)
        };
        if self.coarse_filter {
            return choose(
                b,
                linear,
                |b| self.software_at_run_time(b, properties).linear(b, self.at),
                |b| choose(b, normalized, |b| self.sample(b, self.sampler, self.at), nearest),
            );
        }
        let by_sampler = b.binary(BinOp::Or, normalized, linear);
        choose(b, by_sampler, |b| self.sample_normalized(b, normalized), nearest)
    }

    /// Samples with the sampler's variant with normalized coordinates. `normalized` tells at run time whether
    /// the coordinates are normalized already.
    fn sample_normalized(&self, b: &mut Builder<'_>, normalized: Value) -> Value {
        let divided = self.divided(b, self.at);
        let lanes = b.func.ty(self.at).lanes;
        let is = match lanes {
            1 => normalized,
            _ => b.splat(Ty::vector(Scalar::Bool, lanes), normalized),
        };
        let at = b.select(is, self.at, divided);
        self.sample(b, self.sampler, at)
    }

    fn properties(&self, b: &mut Builder<'_>) -> Value {
        intrinsic(b, Intrinsic::SamplerProperties, vec![self.sampler], Ty::I32)
    }

    fn sample(&self, b: &mut Builder<'_>, sampler: Value, at: Value) -> Value {
        let op = Intrinsic::SampleImage(self.shape, self.texel);
        intrinsic(b, op, vec![self.image, sampler, at], texel_type(self.texel))
    }

    fn sample_literal(&self, b: &mut Builder<'_>, mask: SamplerMask, at: Value) -> Value {
        let bits = Handle::Literal(mask).to_bits();
        let sampler = b.bits(Ty::of(Scalar::Sampler), bits);
        self.sample(b, sampler, at)
    }

    fn software(&self, b: &mut Builder<'_>, mask: SamplerMask) -> Software {
        let properties = b.i32(mask.0 as i32);
        Software::new(b, self.image, self.shape, self.texel, properties)
    }

    fn software_at_run_time(&self, b: &mut Builder<'_>, properties: Value) -> Software {
        Software::new(b, self.image, self.shape, self.texel, properties)
    }

    /// Returns unnormalized coordinates as normalized ones; the layer of an array stays as it is.
    fn divided(&self, b: &mut Builder<'_>, at: Value) -> Value {
        let lanes = self.shape.lanes();
        let size_type = Ty::vector(Scalar::I32, lanes);
        let size = intrinsic(b, Intrinsic::ImageSize(self.shape), vec![self.image], size_type);
        let ty = Ty::vector(Scalar::F32, lanes);
        let size = b.cast(CastOp::SToF, size, ty);
        let divided = b.binary(BinOp::FDiv, at, size);
        if !self.shape.is_array() {
            return divided;
        }
        let layer = b.extract(at, lanes - 1);
        b.insert_lane(divided, layer, lanes - 1)
    }
}

/// Returns the middle of a texel. It is exact for all coordinates of images, and never near another texel.
fn centre(b: &mut Builder<'_>, at: Value) -> Value {
    let ty = b.func.ty(at).with_scalar(Scalar::F32);
    let at = b.cast(CastOp::SToF, at, ty);
    let half = b.bits(ty, u64::from(0.5f32.to_bits()));
    b.binary(BinOp::FAdd, at, half)
}

/// Returns whether any of the given bits is set.
fn has(b: &mut Builder<'_>, properties: Value, bits: u32) -> Value {
    let bits = b.i32(bits as i32);
    let zero = b.i32(0);
    let set = b.binary(BinOp::And, properties, bits);
    b.compare(CmpOp::INe, set, zero)
}

/// Chooses between two values by a condition that is the same for all work-items.
fn choose(
    b: &mut Builder<'_>,
    condition: Value,
    yes: impl FnOnce(&mut Builder<'_>) -> Value,
    no: impl FnOnce(&mut Builder<'_>) -> Value,
) -> Value {
    let (inst, then, otherwise) = b.if_(condition, &[Ty::vector(Scalar::F32, 4)]);
    b.enter(then);
    let value = yes(b);
    b.exit(inst, vec![value]);
    b.leave();
    b.enter(otherwise);
    let value = no(b);
    b.exit(inst, vec![value]);
    b.leave();
    b.results(inst)[0]
}
