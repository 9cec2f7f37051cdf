//! Distributes loads in loops among the work-items of a sub-group where all of them would load from one
//! address.
//!
//! Why: for [`Costs::lane_by_lane`](crate::target::Costs::lane_by_lane). llvmpipe (Mesa 22.3) accesses
//! memory in a loop over the eight work-items of a vector, even if all of them load the same number, unless
//! the access is outside of all control flow. Eight iterations of a matrix product thus load eight elements
//! of a row 64 times. With this pass each work-item loads one of them, and one shuffle instruction
//! distributes it to all eight.
//! In:  after `lower_memory` and `hoist_invariants`. A loop is taken under the conditions of `batch_loads`, if
//!      all work-items of a sub-group are active and stay together in it (`uniformity`), provided that
//!      sub-groups are eight neighbours in the first dimension. The pipeline contains the pass only for
//!      drivers that form them in this way where the size of a row is a multiple of eight.
//! Out: before the loop, a loop that does eight iterations in one as long as eight more are certain; the
//!      original loop does the rest. Both are in one version of the loop, for sub-groups of eight work-items
//!      and work-groups of a multiple of eight in the first dimension; the other version is the original
//!      loop. Which version is compiled is known when the pipeline is created.
//!
//! The pass changes neither the computations nor their order, and reads no address that was not read before.

use super::analysis::trip_count::{positions, trip_count};
use super::analysis::uniformity::Uniformity;
use super::batch_loads::{Batch, Candidate};
use super::unroll_loops::versions;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::analysis::Jumps;
use crate::ir::build::Builder;
use crate::ir::walk::Parents;
use crate::ir::{BinOp, CmpOp, Function, Inst, Module, Op, Region, Scalar, Storage, Ty, Unroll, Value};
use crate::target::Target;

pub const PASS: Pass = Pass {
    name: "share_loads",
    about: "Distributes loads in loops among the work-items of a sub-group where all would load from one address.",
    run,
    requires: inv![ExplicitMemory, SystemValues],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// The number of work-items of a sub-group, and of iterations that become one.
const LANES: usize = 8;

/// The most instructions that all copies in a function may have together.
const MAX_COPIES: usize = 512;

/// The longest trip count that is computed.
const MAX_COUNTED: u64 = 4096;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= share(func, cx.target);
    }
    Ok(changed.into())
}

/// Transforms the suitable loops of a function, and returns whether there were any.
fn share(func: &mut Function, target: &Target) -> bool {
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
        if !found.is_straight() {
            continue;
        }
        let count = trip_count(func, &jumps, &position, loop_, MAX_COUNTED).map(|count| count.repeats);
        let size = LANES * found.len();
        if size > room || count.is_some_and(|n| n < LANES as u64) {
            continue;
        }
        let uniformity = uniformity.get_or_insert_with(|| Uniformity::new(func, &parents, true));
        // Sub-groups can exchange only what the device computes with.
        let least_bytes = if target.lacks_narrow_integers() { 4 } else { 1 };
        let shared = found.shared_loads(func, uniformity, least_bytes);
        if !shared.is_empty() && uniformity.all_are_in(&parents, loop_) {
            room -= size;
            let batch = Batch {
                factor: LANES,
                shared,
                exact: count.is_some_and(|n| n.is_multiple_of(LANES as u64)),
                also: None,
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
            // `unroll_loops` may skip the new loop only if the trip count is known, and thus small. Otherwise
            // the loop may still exceed the limit of a driver that counts iterations.
            if batch.exact {
                func.insts[quick].unroll = Unroll::Done;
            }
            func.insts[loop_].unroll = Unroll::Done;
        }
    }
    !plan.is_empty()
}

/// Returns whether the body of a loop itself loads from memory.
fn has_loads(func: &Function, loop_: Inst) -> bool {
    let body = func.insts[loop_].regions[0];
    let is_load = |&i: &Inst| {
        matches!(
            func.insts[i].op,
            Op::LoadFrom(Storage::Physical | Storage::Arena(_) | Storage::Shared(..), _)
        )
    };
    func.regions[body].insts.iter().any(is_load)
}

/// Inserts before an instruction a test whether the work-group consists of whole sub-groups of [`LANES`]
/// work-items in the first dimension, and returns its result.
fn has_whole_subgroups(func: &mut Function, region: Region, inst: Inst) -> Value {
    let index = func.index_in(region, inst);
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
