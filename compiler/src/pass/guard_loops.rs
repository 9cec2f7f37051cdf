//! Puts loops into an `if` that lanes without a work-item skip.
//!
//! Why: llvmpipe executes the work-items of a sub-group as the lanes of a vector: eight neighbours in the first dimension in
//! versions of Mesa that make sub-groups of each row, otherwise eight neighbours in the order of their numbers. If the size of
//! a row, or of the work-group, is no multiple of eight, some lanes have no work-item. These lanes store nothing and load arbitrary
//! values, but they take part in loops. A loop whose condition depends on memory may never end for them. The driver
//! repeats it until its limit for iterations is reached, and from then on leaves every loop of the work-items in the
//! same vector too early. Lanes without a work-item do not enter the arms of an `if`. The pass is for targets with
//! [`Quirks::idle_lanes`](crate::target::Quirks::idle_lanes).
//! In:  `SystemValues`; after the passes that examine loops.
//! Out: in kernels, two kinds of instructions are in an arm of an `if` that only lanes with a work-item enter: outermost
//!      loops that some lanes may leave later than others, and calls of functions that are not inlined.
//!
//! The position of such a lane in the row, or in the work-group, is computed from its number in the sub-group. Where the
//! work-group has the size 1 in a dimension, the driver knows that the position of each work-item is 0 there, and
//! uses that also for the other lanes. The size of the work-group is a specialization constant, so that the
//! driver removes the `if` from work-groups of whole vectors.

use super::analysis::uniformity::Uniformity;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::Parents;
use crate::ir::{BinOp, Builder, CmpOp, Function, Inst, Module, Op, Scalar, Ty, Unroll, Value};
use crate::target::SubgroupLayout;

pub const PASS: Pass = Pass {
    name: "guard_loops",
    about: "Keeps lanes without a work-item out of loops, for drivers that would let them go on.",
    run,
    requires: inv![Ssa, SystemValues],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let in_rows = cx.target.subgroup_layout == SubgroupLayout::Rows && !module.flat;
    // A sub-group may have work-items of several work-groups, which have different numbers.
    let packs = cx.target.packs_groups;
    let positions = match packs {
        true => [Intrinsic::DeviceGroupSize, Intrinsic::DeviceLocalId],
        false => [Intrinsic::WorkgroupSize, Intrinsic::LocalInvocationId],
    };
    let mut changed = false;
    for kernel in module.kernels.iter() {
        let func = &mut module.funcs[kernel.func];
        let found = divergent_loops(func, in_rows, packs);
        if found.is_empty() {
            continue;
        }
        // From SPIR-V 1.3 on, each device has the two built-in values of sub-groups, even if it does not offer sub-groups.
        let condition = has_work_item(func, cx.target.spirv.minor >= 3, in_rows, positions);
        for inst in found {
            guard(func, inst, condition);
        }
        changed = true;
    }
    Ok(changed.into())
}

/// Returns the outermost loops from which a jump may be taken by some lanes only, and the calls outside of
/// these loops.
fn divergent_loops(func: &Function, in_rows: bool, packs: bool) -> Vec<Inst> {
    let order = func.insts_in_order();
    let may_loop = |i: &Inst| matches!(func.insts[*i].op, Op::Loop | Op::CallPure(_));
    if !order.iter().any(may_loop) {
        return Vec::new();
    }
    let uniformity = Uniformity::of_groups(func, &Parents::new(func), in_rows, packs);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&inst) = order.get(at) {
        at += 1;
        match func.insts[inst].op {
            Op::CallPure(_) => found.push(inst),
            Op::Loop => {
                let inside = func.insts_inside(inst);
                if inside.iter().any(|&i| uniformity.is_divergent(i)) {
                    found.push(inst);
                    at += inside.len() - 1;
                }
            }
            _ => {}
        }
    }
    found
}

/// Inserts a test whether the lane has a work-item at the start of a function, and returns its result. `positions`: the size of the
/// device's work-groups, and the place of the work-item.
fn has_work_item(func: &mut Function, subgroups: bool, in_rows: bool, positions: [Intrinsic; 2]) -> Value {
    let insts = &func.regions[func.body].insts;
    let is_variable = |&i: &Inst| matches!(func.insts[i].op, Op::Variable { .. } | Op::Alloca { .. });
    let start = insts.iter().position(|i| !is_variable(i)).unwrap_or(insts.len());
    let mut b = Builder::before(func, func.body, start);
    let vector = |b: &mut Builder<'_>, op| b.value(Op::Intrinsic(op), vec![], Ty::vector(Scalar::I32, 3));
    let [all, place] = positions;
    let sizes = vector(&mut b, all);
    let mut size = b.extract(sizes, 0);
    let ids = vector(&mut b, place);
    let mut id = b.extract(ids, 0);
    if !in_rows {
        // The number of the work-item in the work-group, and that of all work-items.
        for dim in 1..3 {
            let place = b.extract(ids, dim);
            let before = b.binary(BinOp::IMul, place, size);
            id = b.binary(BinOp::IAdd, id, before);
            let more = b.extract(sizes, dim);
            size = b.binary(BinOp::IMul, size, more);
        }
    }
    if !subgroups {
        return b.compare(CmpOp::ULt, id, size);
    }
    let lanes = b.value(Op::Intrinsic(Intrinsic::SubgroupMaxSize), vec![], Ty::I32);
    let lane = b.value(Op::Intrinsic(Intrinsic::SubgroupLocalId), vec![], Ty::I32);
    let rest = b.binary(BinOp::URem, size, lanes);
    let zero = b.i32(0);
    let whole = b.compare(CmpOp::IEq, rest, zero);
    let own = b.binary(BinOp::URem, id, lanes);
    let start = b.binary(BinOp::ISub, id, own);
    let position = b.binary(BinOp::IAdd, start, lane);
    let inside = b.compare(CmpOp::ULt, position, size);
    b.binary(BinOp::Or, whole, inside)
}

/// Turns a loop or a call into an `if` with the loop or call in its first arm. Lanes without a work-item get
/// zeros as results.
fn guard(func: &mut Function, inst: Inst, condition: Value) {
    let inside = func.insts_inside(inst);
    let data = &func.insts[inst];
    let (op, args, unroll, span) = (data.op.clone(), data.args.clone(), data.unroll, data.span);
    let regions = data.regions.clone();
    let types: Vec<Ty> = data.results.iter().map(|&r| func.ty(r)).collect();
    let moved = func.new_inst(op, args, &types, span);
    (func.insts[moved].regions, func.insts[moved].unroll) = (regions, unroll);
    for jump in inside {
        match &mut func.insts[jump].op {
            Op::Exit(target) | Op::Repeat(target) if *target == inst => *target = moved,
            _ => {}
        }
    }
    let results = func.insts[moved].results.clone();
    let leave = func.new_inst(Op::Exit(inst), results, &[], span);
    let zeros: Vec<Value> = types.iter().map(|&ty| func.splat_bits(ty, 0)).collect();
    let skip = func.new_inst(Op::Exit(inst), zeros, &[], span);
    let arms = [vec![moved, leave], vec![skip]].map(|insts| {
        let arm = func.new_region(&[]);
        func.regions[arm].insts = insts;
        arm
    });
    let data = &mut func.insts[inst];
    (data.op, data.unroll) = (Op::If, Unroll::default());
    data.args = vec![condition].into();
    data.regions = arms.to_vec();
}
