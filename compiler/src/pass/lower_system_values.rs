//! Lowers the work-item functions to what Vulkan has.
//!
//! Why: a Vulkan dispatch starts at 0 and knows no global offset, and a large NDRange is several dispatches.
//! The runtime writes the values that a dispatch cannot know into push constants ([`SystemPush`]). All
//! kernels of a module share their offsets, and only those values that some kernel reads are present. They
//! include the addresses in `constant_data`, since this pass sees whether there are `Constant` or `Global` globals, in
//! `printf_buffer`, for `lower_printf`, in `scratch`, for `scratch_memory`, and in `ended_loops`, for
//! `report_ended_loops`. It also decides whether the device gets the work-groups with one dimension ([`Module::flat`]).
//! In:  `Inlined`.
//! Out: `SystemValues`. Of the work-item functions only `WorkDim` remains, beside Vulkan's built-ins such as
//!      `WorkgroupId`, `LocalInvocationId` and `WorkgroupSize`, and the functions of sub-groups other than
//!      `NumSubgroups`. `Module::system` has the offsets; its `size` is their end.
//!
//! The values under the physical ABI:
//!
//! | function | value |
//! |---|---|
//! | get_global_id | WorkgroupId · WorkgroupSize + LocalInvocationId + region_offset |
//! | get_group_id | WorkgroupId + region_group_offset |
//! | get_global_size | num_workgroups · WorkgroupSize |
//! | get_enqueued_local_size | WorkgroupSize |
//! | get_num_sub_groups | WorkgroupSize / SubgroupMaxSize, rounded up |
//!
//! If work-groups may have different sizes (OpenCL C 2.0), the global size and the enqueued size are push constants: the
//! work-groups of each size are dispatches of their own, with pipelines in which WorkgroupSize is that size.
//!
//! These are computed in 32 bits. With `Target::wide_ranges` the values that the runtime writes have 64 bits,
//! and so have sums and products with them. Numbers within one dispatch stay below 2^32, which the runtime
//! ensures.
//!
//! CL 6.12.1: for a dimension out of range, ids and offsets are 0, and sizes and counts are 1.

use super::{Changed, Pass, PassCx, PassError, report_ended_loops, scratch_memory};
use crate::abi::{DescriptorAbi, GlobalOffset, Slot};
use crate::check::Notes;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, CmpOp, Function, Module, Op, RequiredSubgroups, SystemPush,
    Ty, Value,
};
use crate::source::Span;
use crate::target::SubgroupLayout;

pub const PASS: Pass = Pass {
    name: "lower_system_values",
    about: "Lowers the work-item functions to what Vulkan has.",
    run,
    requires: inv![Inlined],
    establishes: inv![SystemValues],
    destroys: inv![],
};

/// The number of dimensions of an NDRange.
const DIMS: u32 = 3;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut used = Used::by(module);
    let limits = &cx.target.limits;
    used.scratch = module
        .funcs
        .iter()
        .any(|(_, f)| scratch_memory::is_likely(f, limits));
    used.ended_loops = cx.target.quirks.counted_loops && report_ended_loops::is_likely(module);
    let abi = cx.target.abi.descriptor();
    // Without regions, no launch has several dispatches.
    let can_be_uneven = abi.is_none_or(|d| d.regions);
    for kernel in &mut module.kernels {
        kernel.uneven &= can_be_uneven;
        used.uneven |= kernel.uneven;
    }
    if abi.is_some_and(|d| !d.printf) && used.printf.is_some_and(Span::is_none) {
        // Without the buffer, nobody is told of the notes.
        used.printf = None;
    }
    match abi {
        None => module.system = physical_slots(&used, cx.target.wide_ranges),
        Some(d) => {
            if let (Some(span), false) = (used.printf, d.printf) {
                return Err(PassError::NotInAbi {
                    what: "printf".into(),
                    why: "it needs a buffer, which -enable-printf adds",
                    span,
                });
            }
            module.system = descriptor_slots(&used, d, cx.target.wide_ranges);
            // `lower_kernel_args` chooses the set and binding.
            module.slots.printf = used.printf.map(|_| Slot { set: 0, binding: 0 });
        }
    }
    module.ungrouped = ungrouped(module);
    if cx.target.packs_groups && !cx.target.checks.any() {
        module.packable = packable(module);
    }
    module.flat = match cx.target.subgroup_layout {
        SubgroupLayout::Full => false,
        SubgroupLayout::Rows => used.subgroups,
        // `guard_loops` must know which lanes have no work-item.
        SubgroupLayout::Unknown => used.subgroups || cx.target.quirks.idle_lanes,
    };
    if used.subgroups {
        check_subgroups(module, cx)?;
    }
    let system = module.system.clone();
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= lower(func, &Values { system: &system, abi });
        changed |= used.subgroups && count_at_start(func);
    }
    Ok(changed.into())
}

/// Returns an error if a sub-group function needs a newer SPIR-V version: sub-groups need 1.3, and a
/// broadcast from a work-item whose number is not constant needs 1.5.
fn check_subgroups(module: &Module, cx: &PassCx<'_>) -> Result<(), PassError> {
    let version = cx.target.spirv;
    for (_, func) in module.funcs.iter() {
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            let Op::Intrinsic(op) = data.op else { continue };
            let constant = || data.args.get(1).is_none_or(|&id| func.as_bits(id).is_some());
            let (feature, needs) = match op {
                Intrinsic::SubgroupBroadcast if !constant() => ("sub_group_broadcast of a variable item", 5),
                Intrinsic::SubgroupMaxSize
                | Intrinsic::SubgroupSize
                | Intrinsic::NumSubgroups
                | Intrinsic::SubgroupId
                | Intrinsic::SubgroupLocalId => ("a sub-group", 3),
                op if op.is_subgroup_operation() => ("a sub-group", 3),
                _ => continue,
            };
            if version.minor < needs {
                return Err(PassError::Unsupported {
                    feature: feature.into(),
                    span: data.span,
                    needs: format!("SPIR-V 1.{needs}"),
                });
            }
        }
    }
    Ok(())
}

/// Moves the computation of get_sub_group_size to the start of the function: a call may be where not all
/// work-items of the sub-group are active.
fn count_at_start(func: &mut Function) -> bool {
    let mut replacements = Replacements::default();
    let mut first: Option<Value> = None;
    for region in func.regions_in_order() {
        for inst in func.regions[region].insts.clone() {
            let data = &func.insts[inst];
            if data.op != Op::Intrinsic(Intrinsic::SubgroupSize) {
                continue;
            }
            let (span, result) = (data.span, data.results[0]);
            let size = *first.get_or_insert_with(|| {
                let op = Op::Intrinsic(Intrinsic::SubgroupSize);
                let new = func.new_inst(op, [], &[Ty::I32], span);
                let body = func.body;
                func.regions[body].insts.insert(0, new);
                func.insts[new].results[0]
            });
            func.regions[region].insts.retain(|&i| i != inst);
            replacements.set(result, size);
        }
    }
    replacements.apply(func);
    first.is_some()
}

/// Returns the kernels whose work-items neither query their work-group nor cooperate within it.
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

/// Returns the kernels whose work-items neither wait for others of their work-group nor use sub-groups.
fn packable(module: &Module) -> Vec<crate::ir::Func> {
    let may_be = |func: &Function| {
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            if let Op::Intrinsic(i) = func.insts[inst].op
                && (i.concerns_subgroups() || matches!(i, Intrinsic::Barrier(_) | Intrinsic::Matrix(_)))
            {
                return false;
            }
        }
        true
    };
    let funcs = module
        .kernels
        .iter()
        .filter(|k| k.subgroups == RequiredSubgroups::default());
    funcs
        .map(|k| k.func)
        .filter(|f| may_be(&module.funcs[*f]))
        .collect()
}

/// Returns whether the result of an intrinsic depends on how the NDRange is divided into work-groups.
#[allow(clippy::too_many_lines, reason = "a table of all intrinsics")]
fn sees_group(op: Intrinsic) -> bool {
    match op {
        Intrinsic::LocalId
        | Intrinsic::GroupId
        | Intrinsic::LocalSize
        | Intrinsic::EnqueuedLocalSize
        | Intrinsic::NumGroups
        | Intrinsic::WorkgroupId
        | Intrinsic::LocalInvocationId
        | Intrinsic::WorkgroupSize
        | Intrinsic::DeviceLocalId
        | Intrinsic::DeviceGroupSize
        | Intrinsic::NumWorkgroups
        | Intrinsic::SubgroupMaxSize
        | Intrinsic::SubgroupSize
        | Intrinsic::NumSubgroups
        | Intrinsic::SubgroupId
        | Intrinsic::SubgroupLocalId
        | Intrinsic::SubgroupBarrier(_)
        | Intrinsic::SubgroupAll
        | Intrinsic::SubgroupAny
        | Intrinsic::SubgroupBallot
        | Intrinsic::SubgroupBroadcast
        | Intrinsic::SubgroupShuffle
        | Intrinsic::SubgroupShuffleXor
        | Intrinsic::SubgroupArith(..)
        | Intrinsic::Matrix(_)
        | Intrinsic::Barrier(_) => true,
        // It is computed from the number of work-groups, which must cover the range exactly.
        Intrinsic::GlobalSize => true,
        Intrinsic::PointerTag
        | Intrinsic::ArgumentMemory
        | Intrinsic::IsAllocated
        | Intrinsic::ReportFinding
        | Intrinsic::MemberIndex
        | Intrinsic::CopyBegins
        | Intrinsic::CopiesEnd
        | Intrinsic::GlobalId
        | Intrinsic::GlobalOffset
        | Intrinsic::GlobalInvocationId
        | Intrinsic::GlobalOffsetConstant
        | Intrinsic::WorkDim
        | Intrinsic::Fence(_)
        | Intrinsic::Atomic(_)
        | Intrinsic::FloatAtomic(_)
        | Intrinsic::ReadClock(_)
        | Intrinsic::FAbs
        | Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Trunc
        | Intrinsic::RoundEven
        | Intrinsic::Sqrt
        | Intrinsic::InverseSqrt
        | Intrinsic::Fma
        | Intrinsic::DeviceHas(_)
        | Intrinsic::MultiplyAdd
        | Intrinsic::RoughDivide
        | Intrinsic::RoundedSqrt
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
        | Intrinsic::PackedDot(_)
        | Intrinsic::PackedDotAccSat(_)
        | Intrinsic::UnpackHalf2x16
        | Intrinsic::PackHalf2x16
        | Intrinsic::Printf
        | Intrinsic::Prefetch
        | Intrinsic::ReadImage(..)
        | Intrinsic::SampleImage(..)
        | Intrinsic::FetchImage(..)
        | Intrinsic::LoadImage(..)
        | Intrinsic::LoadFormat(..)
        | Intrinsic::WriteImage(..)
        | Intrinsic::ImageSize(_)
        | Intrinsic::ChannelOrder
        | Intrinsic::ChannelDataType
        | Intrinsic::SamplerProperties => false,
    }
}

/// The values that the kernels ask for.
#[derive(Default)]
struct Used {
    global_id: bool,
    group_id: bool,
    global_size: bool,
    num_groups: bool,
    global_offset: bool,
    work_dim: bool,
    constant_data: bool,
    enqueued_local_size: bool,
    /// Work-groups may have different sizes.
    uneven: bool,
    subgroups: bool,
    printf: Option<Span>,
    scratch: bool,
    ended_loops: bool,
}

impl Used {
    fn by(module: &Module) -> Used {
        let mut used = Used::default();
        if module.strings.iter().any(Notes::is_notes) {
            // The notes are formats of the buffer.
            used.printf = Some(Span::NONE);
        }
        for (_, func) in module.funcs.iter() {
            let mut walk = Walk::new(func);
            while let Some((_, inst)) = walk.next(func) {
                match &func.insts[inst].op {
                    Op::Intrinsic(Intrinsic::GlobalId) => used.global_id = true,
                    Op::Intrinsic(Intrinsic::GroupId) => used.group_id = true,
                    Op::Intrinsic(Intrinsic::GlobalSize) => used.global_size = true,
                    Op::Intrinsic(Intrinsic::NumGroups) => used.num_groups = true,
                    Op::Intrinsic(Intrinsic::EnqueuedLocalSize) => used.enqueued_local_size = true,
                    Op::Intrinsic(Intrinsic::GlobalOffset) => used.global_offset = true,
                    Op::Intrinsic(Intrinsic::WorkDim) => used.work_dim = true,
                    Op::Intrinsic(
                        Intrinsic::Printf
                        | Intrinsic::ArgumentMemory
                        | Intrinsic::IsAllocated
                        | Intrinsic::ReportFinding,
                    ) => used.printf = Some(func.insts[inst].span),
                    Op::Intrinsic(i) if i.concerns_subgroups() => used.subgroups = true,
                    Op::GlobalAddr(g) => {
                        used.constant_data |= module.globals[*g].space != AddressSpace::Local;
                    }
                    _ => {}
                }
            }
        }
        used
    }
}

/// Lays out, from offset 0, the push constants that the module needs in the physical ABI. `wide`: see
/// `Target::wide_ranges`.
fn physical_slots(used: &Used, wide: bool) -> SystemPush {
    let mut system = SystemPush {
        wide,
        work_dim: used.work_dim,
        ..SystemPush::default()
    };
    if used.constant_data {
        system.constant_data = Some(0);
        system.size = 8;
    }
    if used.printf.is_some() {
        system.printf_buffer = Some(system.size);
        system.size += 8;
    }
    if used.scratch {
        system.scratch = Some(system.size);
        system.size += 8;
    }
    if used.ended_loops {
        system.ended_loops = Some(system.size);
        system.size += 8;
    }
    let mut slot = |wanted: bool| {
        wanted.then(|| {
            let at = system.size;
            system.size += system.vector();
            at
        })
    };
    let region_offset = slot(used.global_id);
    let region_group_offset = slot(used.group_id);
    let num_workgroups = slot(used.global_size && !used.uneven || used.num_groups);
    let global_offset = slot(used.global_offset);
    let global_size = slot(used.global_size && used.uneven);
    let enqueued_local_size = slot(used.enqueued_local_size && used.uneven);
    SystemPush {
        global_offset,
        region_offset,
        region_group_offset,
        num_workgroups,
        global_size,
        enqueued_local_size,
        ..system
    }
}

/// Lays out the push constants in the descriptor ABI, in clspv's order; vectors of three 32-bit components
/// are aligned to 16 bytes.
fn descriptor_slots(used: &Used, abi: &DescriptorAbi, wide: bool) -> SystemPush {
    let mut end = 0u32;
    let empty = SystemPush {
        wide,
        ..SystemPush::default()
    };
    let mut slot = |wanted: bool| {
        wanted.then(|| {
            // Five vectors of 64-bit components, aligned to 8 bytes, fit into the 128 bytes that every device
            // has. This layout is not clspv's: it is for our own runtime only.
            let at = end.next_multiple_of(if wide { 8 } else { 16 });
            end = at + empty.vector();
            at
        })
    };
    let by_push = abi.global_offset == GlobalOffset::PushConstants;
    let global_offset = slot(by_push && (used.global_offset || used.global_id && !abi.regions));
    let global_size = slot(abi.regions && used.global_size);
    let region_offset = slot(abi.regions && used.global_id);
    let num_workgroups = slot(abi.regions && used.num_groups);
    let region_group_offset = slot(abi.regions && used.group_id);
    let enqueued_local_size = slot(used.enqueued_local_size && used.uneven);
    SystemPush {
        global_offset,
        region_offset,
        region_group_offset,
        num_workgroups,
        global_size,
        enqueued_local_size,
        work_dim: used.work_dim && abi.work_dim,
        size: end,
        ..empty
    }
}

/// The sources of system values.
struct Values<'a> {
    system: &'a SystemPush,
    /// `None` in the physical ABI.
    abi: Option<&'a DescriptorAbi>,
}

/// Replaces the work-item functions in a function, and returns whether there were any.
fn lower(func: &mut Function, values: &Values<'_>) -> bool {
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
                    match dim {
                        Some(dim) => work_item_value(&mut b, op, dim, values),
                        // clspv's mapping without a work-dim push constant always answers 3.
                        None if op == Intrinsic::WorkDim && values.abi.is_some_and(|d| !d.work_dim) => {
                            Some(b.i32(DIMS as i32))
                        }
                        None if op == Intrinsic::NumSubgroups => Some(num_subgroups(&mut b)),
                        None => None,
                    }
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

/// Returns the smallest number of sub-groups that the work-group can have. Not all drivers' own answer is
/// right: llvmpipe rounds down.
fn num_subgroups(b: &mut Builder<'_>) -> Value {
    let mut items = built_in(b, Intrinsic::WorkgroupSize, 0);
    for d in 1..DIMS {
        let size = built_in(b, Intrinsic::WorkgroupSize, d);
        items = b.binary(BinOp::IMul, items, size);
    }
    let max = b.intrinsic(Intrinsic::SubgroupMaxSize, vec![], Some(Ty::I32));
    let max = max.expect("has a result");
    let one = b.i32(1);
    let less = b.binary(BinOp::ISub, max, one);
    let up = b.binary(BinOp::IAdd, items, less);
    b.binary(BinOp::UDiv, up, max)
}

/// Returns the value of a work-item function as a `size_t`; `None` for other intrinsics.
fn work_item_value(b: &mut Builder<'_>, op: Intrinsic, dim: Value, values: &Values<'_>) -> Option<Value> {
    let out_of_range = match op {
        Intrinsic::GlobalId | Intrinsic::LocalId | Intrinsic::GroupId | Intrinsic::GlobalOffset => 0,
        Intrinsic::GlobalSize
        | Intrinsic::LocalSize
        | Intrinsic::EnqueuedLocalSize
        | Intrinsic::NumGroups => 1,
        _ => return None,
    };
    let wide = values.system.wide;
    let default = match wide {
        true => b.bits(Ty::I64, out_of_range),
        false => b.i32(out_of_range as i32),
    };
    let value = match b.func.as_bits(dim) {
        Some(d) if d < u64::from(DIMS) => component(b, op, d as u32, values),
        Some(_) => default,
        None => {
            let mut value = default;
            for d in 0..DIMS {
                let this = component(b, op, d, values);
                let number = b.i32(d as i32);
                let is_this = b.compare(CmpOp::IEq, dim, number);
                value = b.select(is_this, this, value);
            }
            value
        }
    };
    Some(match wide {
        true => value,
        false => b.cast(CastOp::ZExt, value, Ty::I64),
    })
}

/// Extends a value that has 32 bits in every dispatch to the width of the other values.
fn widened(b: &mut Builder<'_>, value: Value, system: &SystemPush) -> Value {
    match system.wide {
        true => b.cast(CastOp::ZExt, value, Ty::I64),
        false => value,
    }
}

/// Loads a component of a vector in the push constants.
fn pushed(b: &mut Builder<'_>, slot: Option<u32>, d: u32, system: &SystemPush) -> Value {
    let size = system.component();
    let offset = slot.expect("Used::by() has seen every work-item function") + size * d;
    let ptr = b.bits(Ty::ptr(AddressSpace::Push), u64::from(offset));
    let access = Access {
        align: size,
        volatile: false,
    };
    let ty = if system.wide { Ty::I64 } else { Ty::I32 };
    b.load(ptr, ty, access)
}

/// Returns a component of a built-in vector of Vulkan.
fn built_in(b: &mut Builder<'_>, op: Intrinsic, d: u32) -> Value {
    let vector = b
        .intrinsic(op, vec![], Some(Ty::vector(crate::ir::Scalar::I32, 3)))
        .expect("has a result");
    b.extract(vector, d as u8)
}

/// Returns one component of a work-item function, of 32 or 64 bits.
fn component(b: &mut Builder<'_>, op: Intrinsic, d: u32, values: &Values<'_>) -> Value {
    let system = values.system;
    if let Some(abi) = values.abi {
        return descriptor_component(b, op, d, system, abi);
    }
    let pushed = |b: &mut Builder<'_>, slot: Option<u32>| pushed(b, slot, d, system);
    let built_in = |b: &mut Builder<'_>, op: Intrinsic| built_in(b, op, d);
    let widened = |b: &mut Builder<'_>, value: Value| widened(b, value, system);
    match op {
        Intrinsic::GlobalId => {
            let group = built_in(b, Intrinsic::WorkgroupId);
            let size = built_in(b, Intrinsic::WorkgroupSize);
            let local = built_in(b, Intrinsic::LocalInvocationId);
            let offset = pushed(b, system.region_offset);
            let start = b.binary(BinOp::IMul, group, size);
            let id = b.binary(BinOp::IAdd, start, local);
            let id = widened(b, id);
            b.binary(BinOp::IAdd, id, offset)
        }
        Intrinsic::GroupId => {
            let group = built_in(b, Intrinsic::WorkgroupId);
            let group = widened(b, group);
            let first = pushed(b, system.region_group_offset);
            b.binary(BinOp::IAdd, group, first)
        }
        Intrinsic::GlobalSize if system.global_size.is_some() => pushed(b, system.global_size),
        Intrinsic::EnqueuedLocalSize if system.enqueued_local_size.is_some() => {
            pushed(b, system.enqueued_local_size)
        }
        Intrinsic::GlobalSize => {
            let groups = pushed(b, system.num_workgroups);
            let size = built_in(b, Intrinsic::WorkgroupSize);
            let size = widened(b, size);
            b.binary(BinOp::IMul, groups, size)
        }
        Intrinsic::NumGroups => pushed(b, system.num_workgroups),
        Intrinsic::GlobalOffset => pushed(b, system.global_offset),
        Intrinsic::LocalSize | Intrinsic::EnqueuedLocalSize => {
            let size = built_in(b, Intrinsic::WorkgroupSize);
            widened(b, size)
        }
        // `work_item_value` leaves only `LocalId`.
        _ => {
            let id = built_in(b, Intrinsic::LocalInvocationId);
            widened(b, id)
        }
    }
}

/// Returns one component in the descriptor ABI: Vulkan's own value, plus an offset where an NDRange may be
/// several dispatches.
fn descriptor_component(
    b: &mut Builder<'_>,
    op: Intrinsic,
    d: u32,
    system: &SystemPush,
    abi: &DescriptorAbi,
) -> Value {
    let own = |b: &mut Builder<'_>, op: Intrinsic| {
        let value = built_in(b, op, d);
        widened(b, value, system)
    };
    let offset = |b: &mut Builder<'_>| match abi.global_offset {
        GlobalOffset::Zero => None,
        GlobalOffset::SpecConstants => Some(own(b, Intrinsic::GlobalOffsetConstant)),
        GlobalOffset::PushConstants => Some(pushed(b, system.global_offset, d, system)),
    };
    let plus = |b: &mut Builder<'_>, v: Value, more: Option<Value>| match more {
        Some(more) => b.binary(BinOp::IAdd, v, more),
        None => v,
    };
    match op {
        Intrinsic::GlobalId => {
            let id = own(b, Intrinsic::GlobalInvocationId);
            let first = match abi.regions {
                true => Some(pushed(b, system.region_offset, d, system)),
                false => offset(b),
            };
            plus(b, id, first)
        }
        Intrinsic::GroupId => {
            let group = own(b, Intrinsic::WorkgroupId);
            let first = abi
                .regions
                .then(|| pushed(b, system.region_group_offset, d, system));
            plus(b, group, first)
        }
        Intrinsic::GlobalSize if abi.regions => pushed(b, system.global_size, d, system),
        Intrinsic::GlobalSize => {
            let groups = own(b, Intrinsic::NumWorkgroups);
            let size = own(b, Intrinsic::WorkgroupSize);
            b.binary(BinOp::IMul, groups, size)
        }
        Intrinsic::NumGroups if abi.regions => pushed(b, system.num_workgroups, d, system),
        Intrinsic::NumGroups => own(b, Intrinsic::NumWorkgroups),
        Intrinsic::GlobalOffset => match offset(b) {
            Some(offset) => offset,
            None => {
                let zero = b.i32(0);
                widened(b, zero, system)
            }
        },
        Intrinsic::EnqueuedLocalSize if system.enqueued_local_size.is_some() => {
            pushed(b, system.enqueued_local_size, d, system)
        }
        Intrinsic::LocalSize | Intrinsic::EnqueuedLocalSize => own(b, Intrinsic::WorkgroupSize),
        // `work_item_value` leaves only `LocalId`.
        _ => own(b, Intrinsic::LocalInvocationId),
    }
}
