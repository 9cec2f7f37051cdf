//! Bounds of trip counts, where they follow from the loop itself.

use crate::hash::HashMap;

use crate::intrinsic::Intrinsic;
use crate::ir::analysis::Jumps;
use crate::ir::walk::Walk;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Value};
use crate::pass::analysis::trip_count::trip_count;

/// The most iterations that are counted by simulation; a greater bound counts as unknown.
pub(super) const MAX: u64 = 4096;

/// A bound of the loop's counter below this cannot make a 32-bit counter overflow.
const FAR: u64 = 1 << 30;

/// Returns a bound of the iterations of a terminating loop, if one is known that is at most [`MAX`].
fn bound(func: &Function, jumps: &Jumps, position: &[u32], inst: Inst) -> Option<u64> {
    if let Some(count) = trip_count(func, jumps, position, inst, MAX) {
        return Some(count.repeats);
    }
    let &[repeat] = jumps.repeats(inst) else {
        return None;
    };
    let body = func.insts[inst].regions[0];
    // Then every instruction of the body itself is executed before the repeat.
    if func.regions[body].insts.last() != Some(&repeat) {
        return None;
    }
    let guards = func.regions[body].insts.iter();
    guards
        .filter_map(|&i| Guard::new(func, inst, i))
        .flat_map(|guard| guard.conjuncts(func))
        .filter_map(|(stays, cond)| counted(func, inst, repeat, stays, cond))
        .min()
}

/// An `if` of which one arm leaves the loop.
struct Guard {
    cond: Value,
    /// The value of the condition while the loop goes on.
    stays: bool,
}

impl Guard {
    fn new(func: &Function, target: Inst, inst: Inst) -> Option<Self> {
        let data = &func.insts[inst];
        if data.op != Op::If {
            return None;
        }
        let leaves = |side: usize| {
            let insts = &func.regions[data.regions[side]].insts;
            let (last, before) = insts.split_last()?;
            (func.insts[*last].op == Op::Exit(target)
                && before.iter().all(|&i| func.insts[i].regions.is_empty()))
            .then_some(())
        };
        let stays = match (leaves(0), leaves(1)) {
            (None, Some(())) => true,
            (Some(()), None) => false,
            _ => return None,
        };
        Some(Guard {
            cond: data.args[0],
            stays,
        })
    }

    /// Returns the conditions that must all have the value `stays` for the loop to go on.
    fn conjuncts(&self, func: &Function) -> Vec<(bool, Value)> {
        let joined = if self.stays { BinOp::And } else { BinOp::Or };
        let mut list = vec![self.cond];
        let mut next = 0;
        // A condition with more parts is not worth the search.
        while next < list.len() && list.len() < 8 {
            match func.def_inst(list[next]).map(|i| &func.insts[i]) {
                Some(data) if data.op == Op::Binary(joined) => {
                    let args = data.args.clone();
                    list.splice(next..=next, args);
                }
                _ => next += 1,
            }
        }
        list.into_iter().map(|c| (self.stays, c)).collect()
    }
}

/// Returns the number of iterations that one condition allows.
fn counted(func: &Function, inst: Inst, repeat: Inst, stays: bool, cond: Value) -> Option<u64> {
    let compare = &func.insts[func.def_inst(cond)?];
    let Op::Compare(op) = compare.op else { return None };
    let ty = func.ty(compare.args[0]);
    if ty.lanes != 1 || !ty.scalar.is_int() {
        return None;
    }
    let params = &func.regions[func.insts[inst].regions[0]].args;
    let scalar = ty.scalar;
    // The operand that counts: an argument of the loop, before its step, or the stepped value.
    let (side, n) = (0..2).find_map(|side| {
        let value = compare.args[side];
        let n = params.iter().position(|&p| p == value);
        let stepped = || func.insts[repeat].args.iter().position(|&a| a == value);
        Some((side, n.or_else(stepped)?))
    })?;
    let param = params[n];
    let step = &func.insts[func.def_inst(func.insts[repeat].args[n])?];
    let Op::Binary(step_op) = step.op else { return None };
    let by = match step.args[..] {
        [a, by] if a == param => by,
        [by, b] if b == param && step_op == BinOp::IAdd => by,
        _ => return None,
    };
    let amount = func.as_bits(by);
    // Repeated halving or doubling ends by itself within as many steps as there are bits.
    let fast = match step_op {
        BinOp::AShr | BinOp::LShr | BinOp::Shl => amount.is_some_and(|a| a % u64::from(scalar.bits()) != 0),
        BinOp::SDiv | BinOp::UDiv | BinOp::IMul => amount.is_some_and(|a| (2..=1 << 16).contains(&a)),
        _ => false,
    };
    if fast {
        return Some(u64::from(scalar.bits()) + 1);
    }
    let limit = func.as_bits(compare.args[1 - side])?;
    let first = func.insts[inst].args[n];
    // The loop starts at 0 or more and its step is 1 or more, so its trip count is at most that of a loop
    // from 0 with step 1, or with the step itself if that is constant.
    let wide = scalar.bits() >= 32 && limit < FAR;
    let times = limit / amount.filter(|&by| wide && by > 0).unwrap_or(1);
    let counts = step_op == BinOp::IAdd && upwards(op, side, stays) && times < MAX;
    (counts && at_least(func, first, 0) && at_least(func, by, 1)).then(|| times + 1)
}

/// Returns whether the loop goes on while the counting operand is less than the other.
fn upwards(op: CmpOp, side: usize, stays: bool) -> bool {
    use CmpOp::{SGe, SGt, SLe, SLt, UGe, UGt, ULe, ULt};
    let less = matches!(op, SLt | SLe | ULt | ULe);
    let greater = matches!(op, SGe | SGt | UGe | UGt);
    (less || greater) && (less == (side == 0)) == stays
}

/// Returns whether a value is known to be at least `least`, and small enough not to overflow.
fn at_least(func: &Function, value: Value, least: u64) -> bool {
    if let Some(bits) = func.as_bits(value) {
        return (least..=MAX).contains(&bits);
    }
    let source = |v: Value| func.def_inst(v).map(|i| &func.insts[i]);
    let Some(mut data) = source(value) else {
        return false;
    };
    if let Op::Cast(CastOp::ZExt | CastOp::SExt) = data.op {
        let Some(inner) = source(data.args[0]) else {
            return false;
        };
        data = inner;
    }
    let Op::Extract(_) = data.op else { return false };
    match source(data.args[0]).map(|d| &d.op) {
        Some(Op::Intrinsic(Intrinsic::WorkgroupSize)) => true,
        Some(Op::Intrinsic(Intrinsic::LocalInvocationId)) => least == 0,
        _ => false,
    }
}

/// Returns for each loop with a known bound the bound of its iterations in one execution of the loop and, if
/// known, in one execution of the function.
pub(in crate::pass) fn bounds(
    func: &Function,
    jumps: &Jumps,
    position: &[u32],
) -> HashMap<Inst, (u64, Option<u64>)> {
    let mut found = HashMap::default();
    // For each region, the bound of the executions of that region in one execution of the function.
    let mut around = HashMap::from_iter([(func.body, Some(1u64))]);
    let mut walk = Walk::new(func);
    while let Some((region, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        if data.regions.is_empty() {
            continue;
        }
        let mut total = around[&region];
        if data.op == Op::Loop && !jumps.repeats(inst).is_empty() {
            let own = bound(func, jumps, position, inst);
            total = total.zip(own).map(|(t, o)| t.saturating_mul(o));
            found.extend(own.map(|own| (inst, (own, total))));
        }
        around.extend(data.regions.iter().map(|&r| (r, total)));
    }
    found
}
