//! Minima, maxima, clamps and comparisons of floats of which drivers draw wrong conclusions.

use super::constants::{bits_of_one, has_lane, has_zero, is_negative_zero, with_constant};
use super::found::{Found, is_conversion_to_integer};
use super::search::{Step, finds};
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Scalar, Storage, UnOp, Value, eval};
use crate::target::Target;

/// Returns whether an operation is the minimum or maximum of floats.
fn is_minimum_or_maximum(op: &Op) -> bool {
    matches!(op, Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax))
}

/// If an instruction is the minimum of a constant and the maximum of a constant and another minimum, returns
/// the maximum, and the index of its operand that is the other minimum.
pub(super) fn repeated_clamp(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let op_of = |value: Value| {
        let def = func.def_inst(value)?;
        Some((def, &func.insts[def]))
    };
    let outer = &func.insts[inst];
    if outer.fp.finite {
        return None;
    }
    let (max, data) = op_of(with_constant(func, &outer.args)?.0)?;
    if data.op != Op::Intrinsic(Intrinsic::FMax) {
        return None;
    }
    let inner = with_constant(func, &data.args)?.0;
    let is_minimum = op_of(inner)?.1.op == Op::Intrinsic(Intrinsic::FMin);
    is_minimum.then(|| (max, usize::from(data.args[0] != inner)))
}

/// Returns the operand of a maximum with 0 that is a minimum with 1. If its number is NaN, the result is 1, and that of the
/// driver's saturation 0. The maximum may be a choice by a comparison.
pub(super) fn reversed_saturation(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let data = &func.insts[inst];
    let first = usize::from(data.op == Op::Select);
    let (inner, zero) = with_constant(func, &data.args[first..])?;
    let min = &func.insts[func.def_inst(inner)?];
    if min.op != Op::Intrinsic(Intrinsic::FMin) || data.fp.finite {
        return None;
    }
    if data.op == Op::Select {
        let test = &func.insts[func.def_inst(data.args[0])?];
        if !matches!(test.op, Op::Compare(_)) || !test.args.contains(&inner) {
            return None;
        }
    }
    let (_, one) = with_constant(func, &min.args)?;
    let one_of_type = bits_of_one(func.ty(inner).scalar);
    let is_saturation = has_zero(func, zero) && has_lane(func, one, |lane, _| Some(lane) == one_of_type);
    is_saturation.then(|| (inst, first + usize::from(data.args[first] != inner)))
}

/// Returns the constant operands of a comparison of floats that are below zero, and others that are compared with a number of whose sign
/// the driver may know something: an absolute value, a square, a root, or the negative of one. It takes the comparison for decided by
/// the signs even if the number is NaN.
pub(super) fn signed_comparands(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    let Op::Compare(op) = data.op else {
        return Vec::new();
    };
    if !target.quirks.signed_comparisons {
        return Vec::new();
    }
    let is_below_zero = |n: usize| has_lane(func, data.args[n], |lane, sign| lane & sign != 0);
    let is_zero = |n: usize| has_zero(func, data.args[n]);
    let is_above_zero = |n: usize| has_lane(func, data.args[n], |lane, sign| lane & sign == 0 && lane != 0);
    // The comparisons whose result for NaN is another one than for all numbers that are not negative, or not positive.
    let [nonnegative, nonpositive] = match op {
        CmpOp::FOGe | CmpOp::FULt => [Some(1), Some(0)],
        CmpOp::FOLe | CmpOp::FUGt => [Some(0), Some(1)],
        _ => [None, None],
    };
    let is_bound = |n: usize| {
        let other = data.args[1 - n];
        let of_nonnegative = nonnegative == Some(n) && is_zero(n) && may_have_sign(func, other);
        let of_nonpositive = (nonpositive == Some(n) && is_zero(n) || is_above_zero(n))
            && may_have_sign(func, other)
            && may_be_negated(func, other);
        of_nonnegative || of_nonpositive
    };
    let all = 0..data.args.len();
    all.filter(|&n| is_below_zero(n) || is_bound(n))
        .map(|n| (inst, n))
        .collect()
}

/// Returns the first operand of a comparison of floats, neither of which is constant, if the driver may know the signs of both, and one
/// may be negative (see [`signed_comparands`]).
pub(super) fn opposite_comparand(func: &Function, inst: Inst, target: &Target) -> Option<(Inst, usize)> {
    let data = &func.insts[inst];
    let is_comparison = matches!(data.op, Op::Compare(_)) && func.ty(data.args[0]).scalar.is_float();
    if !target.quirks.signed_comparisons || !is_comparison || data.args[0] == data.args[1] {
        return None;
    }
    let are_known = data
        .args
        .iter()
        .all(|&a| func.as_const(a).is_none() && may_have_sign(func, a));
    let may_differ = data.args.iter().any(|&a| may_be_negated(func, a));
    (are_known && may_differ).then_some((inst, 0))
}

/// Returns whether a driver may know the sign of a number, unless it is NaN: whether it is made of absolute values, squares or square
/// roots.
fn may_have_sign(func: &Function, value: Value) -> bool {
    finds(func, value, |_, data| {
        let Some(data) = data else { return Step::Nothing };
        match data.op {
            Op::Intrinsic(Intrinsic::FAbs | Intrinsic::Sqrt) | Op::CallPure(_) => Step::Found,
            // The sign may be cleared or set as a bit.
            Op::Cast(CastOp::Bitcast) => {
                let bits = func.def_inst(data.args[0]).map(|def| &func.insts[def].op);
                match bits {
                    Some(Op::Binary(BinOp::And | BinOp::Or)) => Step::Found,
                    _ => Step::Operands,
                }
            }
            Op::Binary(BinOp::FMul | BinOp::FDiv) if data.args[0] == data.args[1] => Step::Found,
            Op::Compare(_) | Op::LoadFrom(..) => Step::Nothing,
            _ => Step::Operands,
        }
    })
}

/// Returns whether a number may be the negative of another one, or of a part of it: by a negation, by bits, by a negative constant, or
/// by a difference.
fn may_be_negated(func: &Function, value: Value) -> bool {
    finds(func, value, |value, data| {
        let Some(data) = data else {
            let is_negative = has_lane(func, value, |lane, sign| lane & sign != 0);
            return if is_negative { Step::Found } else { Step::Nothing };
        };
        match data.op {
            Op::Unary(UnOp::FNeg) | Op::Binary(BinOp::FSub | BinOp::Or | BinOp::Xor) | Op::CallPure(_) => {
                Step::Found
            }
            Op::Compare(_) | Op::LoadFrom(..) => Step::Nothing,
            _ => Step::Operands,
        }
    })
}

/// Returns the operands of a minimum or maximum that may be constants that are NaN in some lane, as far as the driver knows: it takes the
/// result for a number that is limited by the NaN, and therefore has its sign.
pub(super) fn nan_bounds(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    if !target.quirks.nan_bounds || !is_minimum_or_maximum(&data.op) || data.fp.finite {
        return Vec::new();
    }
    let may_be_nan = |n: &usize| {
        finds(func, data.args[*n], |value, data| {
            let Some(data) = data else {
                let scalar = func.ty(value).scalar;
                let is_nan = has_lane(func, value, |lane, _| eval::to_f64(scalar, lane).is_nan());
                return if is_nan { Step::Found } else { Step::Nothing };
            };
            match data.op {
                Op::If | Op::CallPure(_) => Step::Found,
                Op::Select
                | Op::Construct
                | Op::Splat
                | Op::Shuffle(_)
                | Op::Extract(_)
                | Op::Unary(UnOp::FNeg)
                | Op::Intrinsic(Intrinsic::FAbs | Intrinsic::FMin | Intrinsic::FMax) => Step::Operands,
                _ => Step::Nothing,
            }
        })
    };
    (0..data.args.len())
        .filter(may_be_nan)
        .map(|n| (inst, n))
        .collect()
}

/// Returns the operand of a minimum of halves with a constant that is a maximum with a constant: a clamp, of which the driver has the
/// result in both halves of a register.
pub(super) fn half_clamp(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let data = &func.insts[inst];
    let inner = with_constant(func, &data.args)?.0;
    let max = &func.insts[func.def_inst(inner)?];
    let is_clamp = max.op == Op::Intrinsic(Intrinsic::FMax) && with_constant(func, &max.args).is_some();
    let is_half = func.ty(inner).scalar == Scalar::F16;
    (is_clamp && is_half).then(|| (inst, usize::from(data.args[0] != inner)))
}

/// Returns the operands of a minimum or maximum of halves that may be in a register which all work-items of a sub-group
/// share, for a driver that reads the wrong half of it.
pub(super) fn shared_halves(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    if !target.quirks.shared_registers || !is_minimum_or_maximum(&data.op) {
        return Vec::new();
    }
    let is_shared = |n: &usize| {
        let operand = data.args[*n];
        func.ty(operand).scalar == Scalar::F16 && may_be_shared(func, operand)
    };
    (0..data.args.len())
        .filter(is_shared)
        .map(|n| (inst, n))
        .collect()
}

/// Returns whether a value may be in a register that all work-items of a sub-group share: whether it is moved or computed with integer
/// operations from arguments of the kernel or numbers of the work-group.
fn may_be_shared(func: &Function, value: Value) -> bool {
    finds(func, value, |value, data| {
        let Some(data) = data else {
            return Step::at_parameter(func, value);
        };
        match data.op {
            Op::LoadFrom(Storage::PushWord | Storage::ArgsWord, _) => Step::Found,
            Op::Intrinsic(Intrinsic::WorkgroupId | Intrinsic::WorkgroupSize) => Step::Found,
            Op::Cast(CastOp::Bitcast | CastOp::Trunc | CastOp::ZExt | CastOp::SExt)
            | Op::Extract(_)
            | Op::Shuffle(_)
            | Op::Construct
            | Op::Splat
            | Op::Select
            | Op::Unary(_)
            | Op::Intrinsic(Intrinsic::FAbs) => Step::Operands,
            Op::Binary(_) if func.ty(value).scalar.is_int() => Step::Operands,
            // Results of other operations are computed work-item by work-item.
            Op::LoadFrom(..) | Op::Binary(_) => Step::Nothing,
            Op::Cast(CastOp::FConvert | CastOp::SToF | CastOp::UToF) => Step::Nothing,
            Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax | Intrinsic::Fma) => Step::Nothing,
            _ => Step::Found,
        }
    })
}

/// Returns the operands of a minimum or maximum that are constants with a negative zero, for a driver that returns a
/// positive zero for it: NVIDIA's takes a clamp to 0 and 1 for a saturation, Mesa's takes the zeros of constants to be
/// equal.
pub(super) fn negative_bounds(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    if !target.quirks.negative_bounds || !is_minimum_or_maximum(&data.op) || data.fp.no_signed_zeros {
        return Vec::new();
    }
    let is_bound = |n: &usize| is_negative_zero(func, data.args[*n]);
    (0..data.args.len()).filter(is_bound).map(|n| (inst, n)).collect()
}

/// Returns the operand of a conversion to an integer that a driver may find out to be a constant. If the constant is out of range, NVIDIA's
/// driver removes code behind a branch on the integer.
pub(super) fn found_conversion(
    func: &Function,
    inst: Inst,
    found: &Found,
    target: &Target,
) -> Option<(Inst, usize)> {
    let is_found = target.quirks.constant_conversions
        && is_conversion_to_integer(func, inst)
        && found.known(func, func.insts[inst].args[0]) != 0;
    is_found.then_some((inst, 0))
}
