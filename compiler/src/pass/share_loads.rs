//! Lets the work-items of a sub-group load for each other what a loop loads at one address for all of them.
//!
//! Why: for [`Quirks::lane_by_lane`](crate::target::Quirks::lane_by_lane). llvmpipe (Mesa 22.3) takes memory in a loop over the eight
//!      work-items of a vector, also where they all want the same number, unless it stands outside of all control flow. Eight
//!      iterations of a matrix product load eight elements of a row that way, 64 times; here each work-item loads one of
//!      them, and to take another's is one instruction for all eight.
//! In:  behind `lower_memory` and `hoist_invariants`. A loop is looked at as `batch_loads` does, if all work-items of a sub-group are
//!      there and stay together in it (`uniformity`), so far as the driver makes sub-groups of eight neighbours in the first
//!      dimension: only asked for where it does.
//! Out: where sub-groups have eight work-items and groups a multiple of that in the first dimension, eight iterations are one as
//!      long as eight more are certain, and the loop itself does what is left; elsewhere the loop is as it was. Which of them is
//!      compiled is known when the pipeline is made. What is computed, and in which order, stays as it was; no address is read that
//!      was not before.

use super::analysis::Jumps;
use super::batch_loads::{Batch, Candidate};
use super::trip_count::{positions, trip_count};
use super::uniformity::Uniformity;
use super::unroll_loops::versions;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::build::Builder;
use crate::ir::walk::Parents;
use crate::ir::{BinOp, CmpOp, Function, Inst, Module, Op, Region, Scalar, Storage, Ty, Unroll, Value};

pub const PASS: Pass = Pass {
    name: "share_loads",
    about: "Lets the work-items of a sub-group load for each other what loops load at one address for all.",
    run,
    requires: inv![ExplicitMemory, SystemValues],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// Work-items of a sub-group, and iterations in one.
const LANES: usize = 8;

/// Instructions that all copies in a function may have together.
const MAX_COPIES: usize = 512;

/// Iterations that are counted.
const MAX_COUNTED: u64 = 4096;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= share(func);
    }
    Ok(changed.into())
}

fn share(func: &mut Function) -> bool {
    let order = func.insts_in_order();
    let is_taken = |&&i: &&Inst| func.insts[i].op == Op::Loop && has_loads(func, i);
    let loops: Vec<Inst> = order.iter().filter(is_taken).copied().collect();
    let is_subgroup = |&i: &Inst| matches!(func.insts[i].op, Op::Intrinsic(op) if op.is_subgroup_operation());
    if loops.is_empty() || order.iter().any(is_subgroup) {
        return false;
    }
    let jumps = Jumps::new(func);
    let position = positions(func);
    let parents = Parents::new(func);
    let mut uniformity = None;
    let mut room = MAX_COPIES;
    let mut plan = Vec::new();
    for loop_ in loops {
        let (Some(place), Some(found)) = (parents.region(loop_), Candidate::new(func, &jumps, loop_)) else {
            continue;
        };
        let count = trip_count(func, &jumps, &position, loop_, MAX_COUNTED).map(|count| count.repeats);
        let size = LANES * found.len();
        if size > room || count.is_some_and(|n| n < LANES as u64) {
            continue;
        }
        let uniformity = uniformity.get_or_insert_with(|| Uniformity::new(func, &parents));
        let shared = found.shared_loads(func, uniformity);
        if !shared.is_empty() && uniformity.all_are_in(&parents, loop_) {
            room -= size;
            let batch = Batch {
                factor: LANES,
                shared,
                exact: count.is_some_and(|n| n.is_multiple_of(LANES as u64)),
            };
            plan.push((place, loop_, batch));
        }
    }
    for (place, loop_, batch) in &plan {
        let source = func.clone();
        let whole = has_whole_subgroups(func, *place, *loop_);
        let [loop_, _] = versions::in_two(func, &source, *loop_, whole);
        let inside = Parents::new(func).region(loop_);
        if let Some(place) = inside
            && let Some(candidate) = Candidate::new(func, &Jumps::new(func), loop_)
        {
            let quick = candidate.build(func, place, batch);
            // Where iterations are counted there may be more of them than eight times those that the driver does.
            if batch.exact {
                func.insts[quick].unroll = Unroll::Done;
            }
            func.insts[loop_].unroll = Unroll::Done;
        }
    }
    !plan.is_empty()
}

fn has_loads(func: &Function, loop_: Inst) -> bool {
    let body = func.insts[loop_].regions[0];
    let is_load = |&i: &Inst| {
        matches!(
            func.insts[i].op,
            Op::LoadFrom(Storage::Physical | Storage::Arena(_), _)
        )
    };
    func.regions[body].insts.iter().any(is_load)
}

/// Whether the work-group consists of whole sub-groups of so many work-items in the first dimension, ahead of an instruction.
fn has_whole_subgroups(func: &mut Function, region: Region, inst: Inst) -> Value {
    let list = &func.regions[region].insts;
    let index = list.iter().position(|&i| i == inst).unwrap_or(list.len());
    let mut b = Builder::before(func, region, index);
    let lanes = b.value(Op::Intrinsic(Intrinsic::SubgroupMaxSize), vec![], Ty::I32);
    let wanted = b.i32(LANES as i32);
    let lanes = b.compare(CmpOp::IEq, lanes, wanted);
    let size = Op::Intrinsic(Intrinsic::WorkgroupSize);
    let size = b.value(size, vec![], Ty::vector(Scalar::I32, 3));
    let size = b.extract(size, 0);
    let mask = b.i32(LANES as i32 - 1);
    let rest = b.binary(BinOp::And, size, mask);
    let zero = b.i32(0);
    let rest = b.compare(CmpOp::IEq, rest, zero);
    b.binary(BinOp::And, lanes, rest)
}
