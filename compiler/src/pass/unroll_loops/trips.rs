//! Bounds of trip counts, where they follow from the loop itself.

use crate::hash::{HashMap, HashSet};

use crate::intrinsic::Intrinsic;
use crate::ir::analysis::Jumps;
use crate::ir::walk::Walk;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Scalar, Value, eval};
use crate::pass::analysis::trip_count::trip_count;
use crate::pass::counter::is_outside;

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
        .flat_map(|guard| {
            let conds = guard.conjuncts(func);
            let is_alone = conds.len() == 1;
            conds.into_iter().map(move |cond| (guard.stays, cond, is_alone))
        })
        .filter_map(|(stays, cond, is_alone)| {
            let is_only_exit = || is_alone && has_one_exit(func, jumps, inst);
            counted(func, inst, repeat, (stays, cond), is_only_exit)
        })
        .min()
}

/// Returns whether the loop can be left at one place only.
fn has_one_exit(func: &Function, jumps: &Jumps, loop_: Inst) -> bool {
    if jumps.exits(loop_).len() != 1 {
        return false;
    }
    let inside: HashSet<Inst> = func.insts_inside(loop_).into_iter().collect();
    let leaves_another = |&i: &Inst| match func.insts[i].op {
        Op::Exit(target) | Op::Repeat(target) => !inside.contains(&target),
        Op::Return => true,
        _ => false,
    };
    !inside.iter().any(leaves_another)
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
    fn conjuncts(&self, func: &Function) -> Vec<Value> {
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
        list
    }
}

/// Returns the number of iterations that one condition allows, which has the value `stays` while the loop goes on.
fn counted(
    func: &Function,
    inst: Inst,
    repeat: Inst,
    (stays, cond): (bool, Value),
    is_only_exit: impl Fn() -> bool,
) -> Option<u64> {
    let compare = &func.insts[func.def_inst(cond)?];
    let Op::Compare(op) = compare.op else { return None };
    let ty = func.ty(compare.args[0]);
    if ty.lanes != 1 || !ty.scalar.is_int() {
        return None;
    }
    let body = func.insts[inst].regions[0];
    let params = &func.regions[body].args;
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
    let other = compare.args[1 - side];
    let limit = func.as_bits(other);
    if let Some(last) = amount.and_then(|by| last_values(step_op, by, scalar)) {
        let leaves = |last: u64, limit: u64| {
            let (a, b) = if side == 0 { (last, limit) } else { (limit, last) };
            eval::compare(op, scalar, a, b) != stays
        };
        let leaves_at_last = limit.is_some_and(|limit| last.iter().all(|&last| leaves(last, limit)));
        // If both numbers stay the same, so does the condition: a loop that has no other exit, and that ends, has ended.
        let may_leave = leaves_at_last || is_outside(func, body, other) && is_only_exit();
        return may_leave.then(|| u64::from(scalar.bits()) + 1);
    }
    let limit = limit?;
    let first = func.insts[inst].args[n];
    // The loop starts at 0 or more and its step is 1 or more, so its trip count is at most that of a loop
    // from 0 with step 1, or with the step itself if that is constant.
    let wide = scalar.bits() >= 32 && limit < FAR;
    let times = limit / amount.filter(|&by| wide && by > 0).unwrap_or(1);
    // A counter of 8 bits could overflow.
    let counts = step_op == BinOp::IAdd && upwards(op, side, stays) && times < MAX && scalar.bits() > 8;
    (counts && at_least(func, first, 0) && at_least(func, by, 1)).then(|| times + 1)
}

/// Returns two values, one of which a number reaches, and then keeps, if it is halved or doubled as often as it has bits, or
/// divided or multiplied by a greater constant; `None` if the operation is another.
fn last_values(op: BinOp, by: u64, scalar: Scalar) -> Option<[u64; 2]> {
    let bits = scalar.bits();
    let is_shift = !by.is_multiple_of(u64::from(bits));
    let is_factor = by >= 2 && by < 1 << (bits - 1);
    let has_last = match op {
        BinOp::LShr | BinOp::Shl | BinOp::AShr => is_shift,
        BinOp::SDiv | BinOp::UDiv => is_factor,
        // The powers of an odd number never become 0.
        BinOp::IMul => is_factor && by.is_multiple_of(2),
        _ => false,
    };
    let ones = u64::MAX >> (64 - bits);
    has_last.then_some([0, if op == BinOp::AShr { ones } else { 0 }])
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
