//! Minima, maxima, clamps and comparisons of floats of which drivers draw wrong conclusions.

use super::constants::{bits_of_one, has_lane, has_zero, is_negative_zero, with_constant};
use super::search::{Step, finds};
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, CmpOp, Function, Inst, Op, Scalar, Storage, Value};
use crate::target::Target;

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
/// driver's saturation 0.
pub(super) fn reversed_saturation(func: &Function, inst: Inst) -> Option<(Inst, usize)> {
    let data = &func.insts[inst];
    let (inner, zero) = with_constant(func, &data.args)?;
    let min = &func.insts[func.def_inst(inner)?];
    if min.op != Op::Intrinsic(Intrinsic::FMin) || data.fp.finite {
        return None;
    }
    let (_, one) = with_constant(func, &min.args)?;
    let one_of_type = bits_of_one(func.ty(inner).scalar);
    let is_saturation = has_zero(func, zero) && has_lane(func, one, |lane, _| Some(lane) == one_of_type);
    is_saturation.then(|| (inst, usize::from(data.args[0] != inner)))
}

/// Returns the constant operands of a comparison of floats that are below zero, and zeros that are compared with an
/// absolute value, a square or a root. The driver takes a number that is not negative to be greater (or equal) even if it
/// is NaN.
pub(super) fn negative_comparands(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    let Op::Compare(op) = data.op else {
        return Vec::new();
    };
    if !target.quirks.nonnegative_comparisons {
        return Vec::new();
    }
    let is_below_zero = |n: usize| has_lane(func, data.args[n], |lane, sign| lane & sign != 0);
    // The comparisons whose result for NaN is another one than for all numbers that are not negative.
    let bound = match op {
        CmpOp::FOGe | CmpOp::FULt => Some(1),
        CmpOp::FOLe | CmpOp::FUGt => Some(0),
        _ => None,
    };
    let is_bound = |n: usize| {
        bound == Some(n)
            && has_lane(func, data.args[n], |lane, _| lane == 0)
            && may_be_nonnegative(func, data.args[1 - n])
    };
    let all = 0..data.args.len();
    all.filter(|&n| is_below_zero(n) || is_bound(n))
        .map(|n| (inst, n))
        .collect()
}

/// Returns whether a driver may find out that a number is not negative: whether it is made of absolute values, squares or square
/// roots.
fn may_be_nonnegative(func: &Function, value: Value) -> bool {
    finds(func, value, |_, data| {
        let Some(data) = data else { return Step::Nothing };
        match data.op {
            Op::Intrinsic(Intrinsic::FAbs | Intrinsic::Sqrt) | Op::CallPure(_) => Step::Found,
            // The sign may be cleared as a bit.
            Op::Cast(CastOp::Bitcast) => {
                let bits = func.def_inst(data.args[0]).map(|def| &func.insts[def].op);
                match bits {
                    Some(Op::Binary(BinOp::And)) => Step::Found,
                    _ => Step::Operands,
                }
            }
            Op::Binary(BinOp::FMul | BinOp::FDiv) if data.args[0] == data.args[1] => Step::Found,
            Op::Compare(_) | Op::LoadFrom(..) => Step::Nothing,
            _ => Step::Operands,
        }
    })
}

/// Returns the operand of a minimum of halves with a constant that is a maximum with a constant: a clamp, of which the
/// driver has the result in both halves of a register.
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
    let is_minimum = matches!(data.op, Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax));
    if !target.quirks.shared_registers || !is_minimum {
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

/// Returns whether a value may be in a register that all work-items of a sub-group share: whether it is moved or computed
/// with integer operations from arguments of the kernel or numbers of the work-group.
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
    let is_minimum = matches!(data.op, Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax));
    if !target.quirks.negative_bounds || !is_minimum || data.fp.no_signed_zeros {
        return Vec::new();
    }
    let is_bound = |n: &usize| is_negative_zero(func, data.args[*n]);
    (0..data.args.len()).filter(is_bound).map(|n| (inst, n)).collect()
}
