//! Operands that are 0, for a driver with shortcuts for them that NaN, infinities and signed zeros do not allow.

use super::constants::has_zero;
use super::found::Found;
use super::search::{Step, finds};
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, FpFlags, Function, Inst, Op, UnOp, Value};

/// Returns the indices of the operands that have a zero in some lane, for operations in which the driver's
/// shortcut would change the result.
pub(super) fn zero_operands(func: &Function, inst: Inst) -> Vec<usize> {
    let is_zero = |n: &usize| has_zero(func, func.insts[inst].args[*n]);
    operands_with_shortcuts(func, inst).filter(is_zero).collect()
}

/// Returns the indices of the operands for which the driver has a shortcut that would change the result, if it finds them to be 0.
pub(super) fn operands_with_shortcuts(func: &Function, inst: Inst) -> std::ops::Range<usize> {
    let data = &func.insts[inst];
    let FpFlags {
        finite,
        no_signed_zeros,
        fast,
        ..
    } = data.fp;
    let (operands, is_allowed) = match data.op {
        Op::Binary(BinOp::FAdd | BinOp::FSub) => (0..2, no_signed_zeros),
        Op::Binary(BinOp::FMul | BinOp::FDiv | BinOp::FRem) => (0..2, finite && no_signed_zeros),
        Op::Intrinsic(Intrinsic::Fma) => (0..2, finite && no_signed_zeros),
        // The driver inlines the function, and may then apply its shortcut inside.
        Op::CallPure(_) => (0..data.args.len(), false),
        _ => return 0..0,
    };
    if is_allowed || fast { 0..0 } else { operands }
}

/// Returns whether the driver has a shortcut for an operand of the instruction that would change the result.
pub(super) fn has_shortcuts(func: &Function, inst: Inst) -> bool {
    !operands_with_shortcuts(func, inst).is_empty()
}

/// Returns the indices of operands with shortcuts that are not constant, but which the driver may find to be 0: operands
/// that it can compute, and divisors between two bounds.
pub(super) fn found_zeros(func: &Function, inst: Inst, found: &Found) -> Vec<usize> {
    let data = &func.insts[inst];
    let is_division = matches!(data.op, Op::Binary(BinOp::FDiv | BinOp::FRem)) && !data.fp.finite;
    let is_found = |n: &usize| {
        let arg = data.args[*n];
        found.has_zero(inst, *n) || is_division && *n == 1 && may_be_limited_to_zero(func, arg)
    };
    operands_with_shortcuts(func, inst).filter(is_found).collect()
}

/// Returns whether a driver may find out that a number is 0, because it is a minimum or maximum, or a simple function of one.
fn may_be_limited_to_zero(func: &Function, value: Value) -> bool {
    finds(func, value, |_, data| match data.map(|data| &data.op) {
        Some(Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax)) => Step::Found,
        Some(
            Op::Intrinsic(
                Intrinsic::FAbs
                | Intrinsic::Floor
                | Intrinsic::Ceil
                | Intrinsic::Trunc
                | Intrinsic::RoundEven,
            )
            | Op::Unary(UnOp::FNeg)
            | Op::Cast(CastOp::FConvert)
            | Op::Extract(_)
            | Op::Shuffle(_)
            | Op::Construct
            | Op::Splat,
        ) => Step::Operands,
        _ => Step::Nothing,
    })
}
