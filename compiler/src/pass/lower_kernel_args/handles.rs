//! Images and samplers: the properties of arguments that a kernel queries, and the descriptors that it uses.

use crate::intrinsic::{ImageShape, Intrinsic, SamplerMask};
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    Access, AddressSpace, Builder, Function, Handle, HandleFact, KernelAbi, Op, Scalar, Ty, Value, ValueDef,
};
use std::collections::BTreeSet;

/// What a kernel needs besides the descriptors of its arguments, by argument number.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The properties that the kernel queries.
    pub(super) facts: BTreeSet<(u32, HandleFact)>,
    /// The sampler arguments whose variant with normalized coordinates is needed.
    pub(super) normalized: BTreeSet<u32>,
}

/// Returns the property that an intrinsic queries.
fn fact_of(op: &Op) -> Option<HandleFact> {
    match op {
        Op::Intrinsic(Intrinsic::ChannelOrder) => Some(HandleFact::ChannelOrder),
        Op::Intrinsic(Intrinsic::ChannelDataType) => Some(HandleFact::ChannelDataType),
        Op::Intrinsic(Intrinsic::SamplerProperties) => Some(HandleFact::SamplerMask),
        _ => None,
    }
}

/// Returns whether Vulkan samples images of this shape only with normalized coordinates.
fn needs_normalized(shape: ImageShape) -> bool {
    match shape {
        ImageShape::D1 | ImageShape::D2 => false,
        ImageShape::Buffer | ImageShape::D1Array | ImageShape::D2Array | ImageShape::D3 => true,
    }
}

/// Returns the number of a parameter.
fn parameter(func: &Function, v: Value) -> Option<u32> {
    match func.values[v].def {
        ValueDef::Param(n) => Some(n),
        ValueDef::Inst(..) | ValueDef::Arg(..) | ValueDef::Const(_) => None,
    }
}

/// Finds the needs of a kernel that still has its parameters.
pub(super) fn asked(func: &Function) -> Asked {
    let mut asked = Asked::default();
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        if let Some(fact) = fact_of(&data.op)
            && let Some(arg) = parameter(func, data.args[0])
        {
            asked.facts.insert((arg, fact));
        }
        if let Op::Intrinsic(Intrinsic::SampleImage(shape, _)) = data.op
            && needs_normalized(shape)
            && let Some(arg) = parameter(func, data.args[1])
        {
            asked.normalized.insert(arg);
        }
    }
    asked
}

/// Replaces queries by loads, and samplers by their variants with normalized coordinates where the image
/// requires it.
pub(super) fn lower(func: &mut Function, params: &[Value], abi: &KernelAbi, replacements: &mut Replacements) {
    if abi.facts.is_empty() && abi.normalized.is_empty() {
        return;
    }
    let mut loads = Vec::new();
    let body = func.body;
    let mut b = Builder::before(func, body, 0);
    for place in abi.facts.iter().filter(|f| f.fact != HandleFact::NotNull) {
        let space = if place.in_args {
            AddressSpace::Args
        } else {
            AddressSpace::Push
        };
        let ptr = b.bits(Ty::ptr(space), u64::from(place.offset));
        let access = Access {
            align: 4,
            volatile: false,
        };
        loads.push((place.arg, place.fact, b.load(ptr, Ty::I32, access)));
    }
    let number = |v: Value| params.iter().position(|&p| p == v).map(|n| n as u32);
    for region in func.regions_in_order() {
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut kept = Vec::with_capacity(old.len());
        for inst in old {
            let data = &func.insts[inst];
            if let Some(fact) = fact_of(&data.op)
                && let Some(arg) = number(data.args[0])
                && let Some((.., load)) = loads.iter().find(|(a, f, _)| (*a, *f) == (arg, fact))
            {
                replacements.set(data.results[0], *load);
                continue;
            }
            if let Op::Intrinsic(Intrinsic::SampleImage(shape, _)) = data.op
                && needs_normalized(shape)
                && let Some(arg) = number(data.args[1])
            {
                let bits = Handle::Normalized(arg).to_bits();
                let sampler = func.splat_bits(Ty::of(Scalar::Sampler), bits);
                func.insts[inst].args[1] = sampler;
            }
            kept.push(inst);
        }
        func.regions[region].insts = kept;
    }
}

/// Adds the literal samplers that a kernel uses to `list`.
pub(super) fn collect_literals(func: &Function, list: &mut Vec<SamplerMask>) {
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        if let Op::Intrinsic(Intrinsic::SampleImage(..)) = data.op
            && let Some(bits) = func.as_bits(data.args[1])
            && let Handle::Literal(mask) = Handle::from_bits(bits)
            && !list.contains(&mask)
        {
            list.push(mask);
        }
    }
}
