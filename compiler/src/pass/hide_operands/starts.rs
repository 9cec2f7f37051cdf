//! Constants with which loops begin, for a driver that miscounts the iterations of some loops (NIR's `nir_loop_analyze.c`).
//!
//! The driver divides the distance between the start and the bound of a counter by its step, and takes the quotient, or a neighbour of it, for
//! the number of iterations if the exit condition holds for the counter's value after that many steps. It does not ask whether the condition
//! holds earlier. This is right if the counter does not wrap around before the loop ends, and if a test of the counter's next value gives the
//! same result for the start.

use super::constants::with_constant;
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CmpOp, Function, Inst, Op, Scalar, UnOp, Value, ValueDef, eval};
use crate::pass::analysis::loop_tests::Nest;
use crate::pass::analysis::progression::Progression;

/// The largest integer whose sums with others of this size are exact in each float type.
const EXACT: f64 = 1024.0;

/// Returns the operands of a loop with which counters start whose iterations the driver may miscount.
pub(super) fn miscounted_starts(func: &Function, nest: &Nest, loop_: Inst) -> Vec<(Inst, usize)> {
    let inside = nest.inside(loop_).iter();
    let tests = inside.filter_map(|&inst| nest.test(func, loop_, inst));
    let mut conditions: Vec<(Value, bool)> = tests.map(|test| (test.condition, test.leaves_if)).collect();
    let mut found = Vec::new();
    while let Some((condition, leaves_if)) = conditions.pop() {
        let Some(def) = func.def_inst(condition) else {
            continue;
        };
        let data = &func.insts[def];
        match data.op {
            Op::Unary(UnOp::Not) => conditions.push((data.args[0], !leaves_if)),
            Op::Binary(BinOp::And | BinOp::Or) => {
                conditions.extend(data.args.iter().map(|&part| (part, leaves_if)));
            }
            Op::Compare(op) => {
                let (a, b) = (data.args[0], data.args[1]);
                let tests = [(op, a, b), (op.swapped(), b, a)];
                let starts = tests.map(|test| miscounted(func, nest, loop_, test, leaves_if));
                found.extend(starts.into_iter().flatten().map(|n| (loop_, n)));
            }
            _ => {}
        }
    }
    found
}

/// Returns the number of the loop's argument that a test compares with a bound, if the driver may miscount how often that gives the same
/// result. `leaves_if`: the result with which the loop ends.
fn miscounted(
    func: &Function,
    nest: &Nest,
    loop_: Inst,
    (op, value, bound): (CmpOp, Value, Value),
    leaves_if: bool,
) -> Option<usize> {
    let (counter, ahead) = sum(func, value);
    let ValueDef::Arg(region, n) = func.values[counter].def else {
        return None;
    };
    let n = n as usize;
    if region != func.insts[loop_].regions[0] {
        return None;
    }
    let scalar = func.ty(counter).scalar;
    let start = func.as_bits(func.insts[loop_].args[n])?;
    let nexts = nest.survey.jumps.repeats(loop_).iter();
    let mut steps = nexts.map(|&repeat| sum(func, func.insts[repeat].args[n]));
    let (_, step) = steps.find(|&(from, step)| from == counter && step != 0)?;
    let add = match scalar.is_float() {
        true => BinOp::FAdd,
        false => BinOp::IAdd,
    };
    let first = eval::binary(add, scalar, start, ahead)?;
    let (limit, is_limited) = match func.as_bits(bound) {
        Some(limit) => (limit, false),
        None => (limit_of(func, bound)?, true),
    };
    let holds = |number: u64| eval::compare(op, scalar, number, limit);
    let staying = if leaves_if { op.inverse() } else { op };
    let is_counted = if is_limited && !is_below(staying) || holds(start) != holds(first) {
        false
    } else if scalar.is_float() {
        [start, step, limit].iter().all(|&bits| {
            let number = eval::to_f64(scalar, bits);
            number.abs() <= EXACT && number.trunc() == number
        })
    } else {
        !wraps_around(scalar, (start, ahead, step), op, limit)
    };
    (!is_counted).then_some(n)
}

/// Returns whether a counter may wrap around, or go over half of the range of its type, before a comparison with a bound has another result
/// than for its first value, which is the sum of `start` and `ahead`.
fn wraps_around(scalar: Scalar, (start, ahead, step): (u64, u64, u64), op: CmpOp, limit: u64) -> bool {
    let is_equality = matches!(op, CmpOp::IEq | CmpOp::INe);
    let first = eval::truncate(scalar, start.wrapping_add(ahead));
    let counts = Progression {
        width: scalar.bits(),
        start: first,
        step,
    };
    let Some(repeats) = counts.first(op, limit, !eval::compare(op, scalar, first, limit)) else {
        return !is_equality;
    };
    let size = |bits: u64| u128::from(eval::signed(scalar, bits).unsigned_abs());
    let last = eval::truncate(scalar, first.wrapping_add(step.wrapping_mul(repeats)));
    let less = match op {
        CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe => CmpOp::SLt,
        _ => CmpOp::ULt,
    };
    let keeps_order = eval::compare(less, scalar, start, last) == (eval::signed(scalar, step) > 0);
    size(step) * u128::from(repeats) + size(ahead) >= 1 << (scalar.bits() - 1) || !is_equality && !keeps_order
}

/// Returns the terms of a sum of a value and a constant. A value that is no such sum is one with 0.
fn sum(func: &Function, value: Value) -> (Value, u64) {
    let terms = func.def_inst(value).and_then(|def| {
        let data = &func.insts[def];
        match data.op {
            Op::Binary(BinOp::IAdd | BinOp::FAdd) => {
                let (value, constant) = with_constant(func, &data.args)?;
                Some((value, func.as_bits(constant)?))
            }
            _ => None,
        }
    });
    terms.unwrap_or((value, 0))
}

/// Returns the constant of a bound that is the minimum of a value and a constant, or a choice between them, which the driver may
/// recognize as a minimum. It takes the constant for the bound of all iterations.
fn limit_of(func: &Function, bound: Value) -> Option<u64> {
    let data = &func.insts[func.def_inst(bound)?];
    let may_be_minimum = matches!(
        data.op,
        Op::Select | Op::Intrinsic(Intrinsic::SMin | Intrinsic::FMin)
    );
    let mut limits = data.args.iter().filter(|_| may_be_minimum);
    limits.find_map(|&arg| func.as_bits(arg))
}

/// Returns whether a comparison that holds for a bound holds for all greater ones.
fn is_below(op: CmpOp) -> bool {
    matches!(
        op,
        CmpOp::SLt | CmpOp::SLe | CmpOp::FOLt | CmpOp::FOLe | CmpOp::FULt | CmpOp::FULe
    )
}
