//! Loops that count up to a bound, and the test whether several more iterations follow. Passes that execute several
//! iterations in one share this; it is not a pass.

use super::guard::Header;
use crate::intrinsic::Intrinsic;
use crate::ir::build::Builder;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Region, Scalar, Ty, Value, ValueDef};

/// The largest constant step: the product with the number of iterations that become one fits into 32 bits.
const MAX_STEP: u64 = 1 << 24;

/// The counter of a loop.
pub(super) struct Counter {
    /// The comparison, with the counter as the first operand.
    compare: CmpOp,
    /// The number of the loop's argument that counts.
    arg: usize,
    bound: Value,
    step: Value,
}

impl Counter {
    /// Returns the counter if the header's test compares an argument of the loop with a loop-invariant bound,
    /// and each iteration adds a loop-invariant step to it.
    pub(super) fn new(func: &Function, body: Region, header: &Header, end: Inst) -> Option<Counter> {
        if header.stays_by() != 0 {
            return None;
        }
        let condition = func.insts[header.test].args[0];
        let data = &func.insts[func.def_inst(condition)?];
        let Op::Compare(op) = data.op else { return None };
        let (compare, counter, bound) = match op {
            CmpOp::ULt | CmpOp::ULe | CmpOp::SLt | CmpOp::SLe => (op, data.args[0], data.args[1]),
            CmpOp::UGt => (CmpOp::ULt, data.args[1], data.args[0]),
            CmpOp::UGe => (CmpOp::ULe, data.args[1], data.args[0]),
            CmpOp::SGt => (CmpOp::SLt, data.args[1], data.args[0]),
            CmpOp::SGe => (CmpOp::SLe, data.args[1], data.args[0]),
            _ => return None,
        };
        let ty = func.ty(counter);
        if ty.is_vector() || !matches!(ty.scalar, Scalar::I32 | Scalar::I64) {
            return None;
        }
        let ValueDef::Arg(region, arg) = func.values[counter].def else {
            return None;
        };
        let next = &func.insts[func.def_inst(func.insts[end].args[arg as usize])?];
        if region != body || next.op != Op::Binary(BinOp::IAdd) {
            return None;
        }
        let step = match (next.args[0] == counter, next.args[1] == counter) {
            (true, false) => next.args[1],
            (false, true) => next.args[0],
            _ => return None,
        };
        // If the step is variable, the test is false for a negative step (`test`).
        let good = func.as_bits(step).is_none_or(|n| (1..=MAX_STEP).contains(&n));
        (good && is_outside(func, body, bound) && is_outside(func, body, step)).then_some(Counter {
            compare,
            arg: arg as usize,
            bound,
            step,
        })
    }

    /// Returns the most iterations of the loop, if its first and last numbers are limited by constants, as in
    /// `for (i = max(0, a); i <= min(2, b); i++)`.
    pub(super) fn most_iterations(&self, func: &Function, loop_: Inst) -> Option<u64> {
        let first = limit(func, func.insts[loop_].args[self.arg], Intrinsic::SMax)?;
        let last = limit(func, self.bound, Intrinsic::SMin)?;
        let is_last_in = match self.compare {
            CmpOp::SLe => 1,
            CmpOp::SLt => 0,
            _ => return None,
        };
        let step = i64::try_from(func.as_bits(self.step)?).ok()?;
        let distance = (last + is_last_in).checked_sub(first)?;
        u64::try_from(distance.max(0))
            .ok()
            .map(|n| n.div_ceil(step.unsigned_abs()))
    }

    /// Computes the number of the last iteration of a loop as a 64-bit integer, at the place of `b`, which is before the loop. The
    /// first iteration has the number 0, and only the iterations before the counter wraps around are counted. If the loop has no
    /// iteration, the result may be anything. Returns `None` for 64-bit counters and variable steps.
    pub(super) fn last(&self, b: &mut Builder<'_>, loop_: Inst) -> Option<Value> {
        let step = b.func.as_bits(self.step)?;
        let start = b.func.insts[loop_].args[self.arg];
        let ty = b.func.ty(start);
        if ty != Ty::I32 {
            return None;
        }
        let mut left = b.binary(BinOp::ISub, self.bound, start);
        if matches!(self.compare, CmpOp::ULt | CmpOp::SLt) {
            let one = b.bits(ty, 1);
            left = b.binary(BinOp::ISub, left, one);
        }
        if step != 1 {
            let step = b.bits(ty, step);
            left = b.binary(BinOp::UDiv, left, step);
        }
        Some(b.cast(CastOp::ZExt, left, Ty::I64))
    }

    /// Appends a test to `inside`, the body of a loop `quick` that has the same arguments as the original.
    /// The test leaves `quick`, with the arguments as results, unless the next `factor` iterations are
    /// certain. `exact`: the number of iterations is a multiple of the factor. `also`: another condition for
    /// staying.
    ///
    /// An addition to the counter may wrap around in the original loop, in which case the number of iterations
    /// depends on the wrapped value, and a step that is known only at run time may be 0 or negative. The
    /// iterations that the test calls certain are those up to the bound without wrapping around; the original
    /// loop does all others.
    pub(super) fn test(
        &self,
        func: &mut Function,
        quick: Inst,
        inside: Region,
        (factor, exact): (usize, bool),
        also: Option<Value>,
    ) {
        let factor = factor as u64;
        let Counter {
            compare,
            arg,
            bound,
            step,
        } = *self;
        let mine = func.regions[inside].args.clone();
        let counter = mine[arg];
        let ty = func.ty(counter);
        let constant = func.as_bits(step);
        let mut b = Builder::at_end(func, inside);
        b.span = b.func.insts[quick].span;
        let one = b.compare(compare, counter, bound);
        // If `one` holds, the difference is a nonnegative number that fits into the unsigned type.
        let left = b.binary(BinOp::ISub, bound, counter);
        let more = match constant {
            _ if exact => one,
            Some(step) => {
                let allowed = u64::from(matches!(compare, CmpOp::ULe | CmpOp::SLe));
                let needed = b.bits(ty, step * (factor - 1) - allowed);
                b.compare(CmpOp::UGt, left, needed)
            }
            // Dividing the remaining distance by the factor, a power of two, avoids a product that could
            // overflow. If the quotient is not less than the step, taken as unsigned, the counter passes the
            // bound in none of the steps, and so does not wrap around. This holds for signed counters, too:
            // the factor is at least 2, so the quotient does not have the sign bit, and a negative step,
            // which has it, is greater.
            None => {
                debug_assert!(factor.is_power_of_two() && factor >= 2);
                let shift = b.bits(ty, u64::from(factor.trailing_zeros()));
                let quarter = b.binary(BinOp::LShr, left, shift);
                b.compare(CmpOp::UGe, quarter, step)
            }
        };
        let both = match exact {
            true => one,
            false => b.binary(BinOp::And, one, more),
        };
        let both = also.map_or(both, |also| b.binary(BinOp::And, both, also));
        let span = b.span;
        let test = b.insert(Op::If, [both], &[]);
        let arms = [func.new_region(&[]), func.new_region(&[])];
        let stay = func.new_inst(Op::Exit(test), [], &[], span);
        let leave = func.new_inst(Op::Exit(quick), mine, &[], span);
        func.regions[arms[0]].insts.push(stay);
        func.regions[arms[1]].insts.push(leave);
        func.insts[test].regions.extend(arms);
    }
}

/// Returns the constant that a 32-bit value is, or that is an operand of the maximum or minimum that computes the value.
fn limit(func: &Function, value: Value, op: Intrinsic) -> Option<i64> {
    let constant = |v: Value| {
        let is_word = func.ty(v) == Ty::I32;
        func.as_bits(v)
            .filter(|_| is_word)
            .map(|bits| i64::from(bits as u32 as i32))
    };
    constant(value).or_else(|| {
        let data = &func.insts[func.def_inst(value)?];
        let is_it = data.op == Op::Intrinsic(op);
        is_it.then(|| data.args.iter().find_map(|&v| constant(v)))?
    })
}

/// Returns whether a value does not change in a loop. The value must be usable at the end of the loop's body, so that
/// it is defined outside of the loop or by an instruction of `body` itself, and not inside of a condition.
pub(super) fn is_outside(func: &Function, body: Region, value: Value) -> bool {
    match func.values[value].def {
        ValueDef::Const(_) | ValueDef::Param(_) => true,
        ValueDef::Arg(region, _) => region != body,
        ValueDef::Inst(inst, _) => !func.regions[body].insts.contains(&inst),
    }
}
