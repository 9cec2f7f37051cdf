//! Lowers the work-item functions to what Vulkan has.
//!
//! Why: Vulkan dispatches start at 0 and know nothing of a global offset; a large NDRange is several dispatches.
//! What a dispatch cannot know, the runtime writes into push constants ([`SystemPush`]); the slots are the
//! module's, and only those exist that some kernel reads. `constant_data` is one of them: this pass sees
//! whether `Constant` globals are left. So is `printf_buffer`, for `lower_printf`.
//! In:  `Inlined`.
//! Out: `SystemValues`: of the work-item functions only `WorkDim`, `WorkgroupId`, `LocalInvocationId` and
//! `WorkgroupSize` remain; `Module::system` has the slots, `size` is their end.
//!
//! | function | value, in 32 bits |
//! |---|---|
//! | get_global_id | WorkgroupId · WorkgroupSize + LocalInvocationId + region_offset |
//! | get_group_id | WorkgroupId + region_group_offset |
//! | get_global_size | num_workgroups · WorkgroupSize |
//!
//! CL 6.12.1: a dimension that is out of range gives 0 for ids and offsets and 1 for sizes and counts.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, CmpOp, Function, Module, Op, SystemPush, Ty, Value,
};

pub const PASS: Pass = Pass {
    name: "lower_system_values",
    about: "Lowers the work-item functions to what Vulkan has.",
    run,
    requires: inv![Inlined],
    establishes: inv![SystemValues],
    destroys: inv![],
};

/// Dimensions of an NDRange.
const DIMS: u32 = 3;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    module.system = slots(module);
    module.ungrouped = ungrouped(module);
    let system = module.system.clone();
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= lower(func, &system);
    }
    Ok(changed.into())
}

/// The kernels that neither ask about work-groups nor work together in one.
fn ungrouped(module: &Module) -> Vec<crate::ir::Func> {
    let mut list = Vec::new();
    for kernel in &module.kernels {
        let func = &module.funcs[kernel.func];
        let mut walk = Walk::new(func);
        let local_args = kernel
            .args
            .iter()
            .any(|a| matches!(a.kind, crate::ir::ArgKind::Local { .. }));
        let mut alone = kernel.required_size.is_none() && !local_args;
        while let Some((_, inst)) = walk.next(func) {
            alone &= match func.insts[inst].op {
                Op::Intrinsic(i) => !sees_group(i),
                Op::GlobalAddr(g) => module.globals[g].space != AddressSpace::Local,
                _ => true,
            };
        }
        if alone {
            list.push(kernel.func);
        }
    }
    list
}

/// Whether what an intrinsic does depends on how the NDRange is cut into work-groups.
fn sees_group(op: Intrinsic) -> bool {
    match op {
        Intrinsic::LocalId
        | Intrinsic::GroupId
        | Intrinsic::LocalSize
        | Intrinsic::NumGroups
        | Intrinsic::WorkgroupId
        | Intrinsic::LocalInvocationId
        | Intrinsic::WorkgroupSize
        | Intrinsic::Barrier(_) => true,
        // Computed from the number of groups: they must cover the range exactly.
        Intrinsic::GlobalSize => true,
        Intrinsic::GlobalId
        | Intrinsic::GlobalOffset
        | Intrinsic::WorkDim
        | Intrinsic::Fence(_)
        | Intrinsic::Atomic(_)
        | Intrinsic::FAbs
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Trunc
        | Intrinsic::RoundEven
        | Intrinsic::Sqrt
        | Intrinsic::InverseSqrt
        | Intrinsic::Fma
        | Intrinsic::FMin
        | Intrinsic::FMax
        | Intrinsic::Sin
        | Intrinsic::Cos
        | Intrinsic::Tan
        | Intrinsic::Asin
        | Intrinsic::Acos
        | Intrinsic::Atan
        | Intrinsic::Atan2
        | Intrinsic::Sinh
        | Intrinsic::Cosh
        | Intrinsic::Tanh
        | Intrinsic::Asinh
        | Intrinsic::Acosh
        | Intrinsic::Atanh
        | Intrinsic::Exp
        | Intrinsic::Exp2
        | Intrinsic::Log
        | Intrinsic::Log2
        | Intrinsic::Pow
        | Intrinsic::Ldexp
        | Intrinsic::Dot
        | Intrinsic::IsNan
        | Intrinsic::IsInf
        | Intrinsic::Any
        | Intrinsic::All
        | Intrinsic::SAbs
        | Intrinsic::SMin
        | Intrinsic::SMax
        | Intrinsic::UMin
        | Intrinsic::UMax
        | Intrinsic::UMulHigh
        | Intrinsic::SMulHigh
        | Intrinsic::PopCount
        | Intrinsic::Clz
        | Intrinsic::Ctz
        | Intrinsic::BitReverse
        | Intrinsic::UnpackHalf2x16
        | Intrinsic::PackHalf2x16
        | Intrinsic::Printf
        | Intrinsic::Prefetch
        | Intrinsic::ReadImage(..)
        | Intrinsic::SampleImage(..)
        | Intrinsic::FetchImage(..)
        | Intrinsic::WriteImage(..)
        | Intrinsic::ImageSize(_)
        | Intrinsic::ChannelOrder
        | Intrinsic::ChannelDataType
        | Intrinsic::SamplerProperties => false,
    }
}

/// The slots that the module needs, laid out from offset 0.
fn slots(module: &Module) -> SystemPush {
    let mut system = SystemPush::default();
    let mut global_offset = false;
    let mut region_offset = false;
    let mut region_group_offset = false;
    let mut num_workgroups = false;
    let mut constant_data = false;
    let mut printf = false;
    for (_, func) in module.funcs.iter() {
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            match &func.insts[inst].op {
                Op::Intrinsic(Intrinsic::GlobalId) => region_offset = true,
                Op::Intrinsic(Intrinsic::GroupId) => region_group_offset = true,
                Op::Intrinsic(Intrinsic::GlobalSize | Intrinsic::NumGroups) => num_workgroups = true,
                Op::Intrinsic(Intrinsic::GlobalOffset) => global_offset = true,
                Op::Intrinsic(Intrinsic::WorkDim) => system.work_dim = true,
                Op::Intrinsic(Intrinsic::Printf) => printf = true,
                Op::GlobalAddr(g) => {
                    constant_data |= module.globals[*g].space == AddressSpace::Constant;
                }
                _ => {}
            }
        }
    }
    if constant_data {
        system.constant_data = Some(0);
        system.size = 8;
    }
    if printf {
        system.printf_buffer = Some(system.size);
        system.size += 8;
    }
    let mut slot = |wanted: bool| {
        wanted.then(|| {
            let at = system.size;
            system.size += 4 * DIMS;
            at
        })
    };
    let region_offset = slot(region_offset);
    let region_group_offset = slot(region_group_offset);
    let num_workgroups = slot(num_workgroups);
    let global_offset = slot(global_offset);
    SystemPush {
        global_offset,
        region_offset,
        region_group_offset,
        num_workgroups,
        ..system
    }
}

fn lower(func: &mut Function, system: &SystemPush) -> bool {
    let mut replacements = Replacements::default();
    for region in func.regions_in_order() {
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            let data = &b.func.insts[inst];
            let value = match data.op {
                Op::Intrinsic(op) => {
                    b.span = data.span;
                    let dim = data.args.first().copied();
                    dim.and_then(|dim| work_item_value(&mut b, op, dim, system))
                }
                _ => None,
            };
            match (value, b.func.insts[inst].results.first()) {
                (Some(new), Some(&result)) => replacements.set(result, new),
                _ => b.push(inst),
            }
        }
    }
    replacements.apply(func);
    !replacements.is_empty()
}

/// The value of a work-item function as a `size_t`; `None` for other intrinsics.
fn work_item_value(b: &mut Builder<'_>, op: Intrinsic, dim: Value, system: &SystemPush) -> Option<Value> {
    let out_of_range = match op {
        Intrinsic::GlobalId | Intrinsic::LocalId | Intrinsic::GroupId | Intrinsic::GlobalOffset => 0,
        Intrinsic::GlobalSize | Intrinsic::LocalSize | Intrinsic::NumGroups => 1,
        _ => return None,
    };
    let default = b.i32(out_of_range);
    let value = match b.func.as_bits(dim) {
        Some(d) if d < u64::from(DIMS) => component(b, op, d as u32, system),
        Some(_) => default,
        None => {
            let mut value = default;
            for d in 0..DIMS {
                let this = component(b, op, d, system);
                let number = b.i32(d as i32);
                let is_this = b.compare(CmpOp::IEq, dim, number);
                value = b.select(is_this, this, value);
            }
            value
        }
    };
    Some(b.cast(CastOp::ZExt, value, Ty::I64))
}

/// One component, 32 bits.
fn component(b: &mut Builder<'_>, op: Intrinsic, d: u32, system: &SystemPush) -> Value {
    let pushed = |b: &mut Builder<'_>, slot: Option<u32>| {
        let offset = slot.expect("slots() has seen every work-item function") + 4 * d;
        let ptr = b.bits(Ty::ptr(AddressSpace::Push), u64::from(offset));
        let access = Access {
            align: 4,
            volatile: false,
        };
        b.load(ptr, Ty::I32, access)
    };
    let built_in = |b: &mut Builder<'_>, op: Intrinsic| {
        let vector = b
            .intrinsic(op, vec![], Some(Ty::vector(crate::ir::Scalar::I32, 3)))
            .expect("has a result");
        b.extract(vector, d as u8)
    };
    match op {
        Intrinsic::GlobalId => {
            let group = built_in(b, Intrinsic::WorkgroupId);
            let size = built_in(b, Intrinsic::WorkgroupSize);
            let local = built_in(b, Intrinsic::LocalInvocationId);
            let offset = pushed(b, system.region_offset);
            let start = b.binary(BinOp::IMul, group, size);
            let id = b.binary(BinOp::IAdd, start, local);
            b.binary(BinOp::IAdd, id, offset)
        }
        Intrinsic::GroupId => {
            let group = built_in(b, Intrinsic::WorkgroupId);
            let first = pushed(b, system.region_group_offset);
            b.binary(BinOp::IAdd, group, first)
        }
        Intrinsic::GlobalSize => {
            let groups = pushed(b, system.num_workgroups);
            let size = built_in(b, Intrinsic::WorkgroupSize);
            b.binary(BinOp::IMul, groups, size)
        }
        Intrinsic::NumGroups => pushed(b, system.num_workgroups),
        Intrinsic::GlobalOffset => pushed(b, system.global_offset),
        Intrinsic::LocalSize => built_in(b, Intrinsic::WorkgroupSize),
        // Only work-item functions come here.
        _ => built_in(b, Intrinsic::LocalInvocationId),
    }
}
