//! Identities of arithmetic that hold for every operand, bit for bit (except for the payload of a NaN).

use super::{Folded, definition, ones};
use crate::intrinsic::Intrinsic;
use crate::ir::{
    AddressSpace, BinOp, CastOp, CmpOp, Const, Function, Inst, Op, Scalar, Ty, UnOp, Value, eval,
};

/// Folds `fmin` or `fmax`, whose result is the other operand if one is NaN (OpenCL C 3.1, 6.15.2). NVIDIA's driver (version 580) takes
/// the result for a number with the sign of the NaN. It also takes several minima and maxima of a number for a saturation.
pub(super) fn minimum_or_maximum(func: &mut Function, inst: Inst) -> Folded {
    let [a, b] = func.insts[inst].args[..] else {
        return Folded::Same;
    };
    let scalar = func.ty(a).scalar;
    let is_nan = |v: Value| match func.as_const(v) {
        Some(Const::Bits(lanes)) => lanes.iter().all(|&lane| eval::to_f64(scalar, lane).is_nan()),
        _ => false,
    };
    match (is_nan(a), is_nan(b)) {
        (_, true) => Folded::Value(a),
        (true, _) => Folded::Value(b),
        _ if a == b => Folded::Value(a),
        _ => repeated_bound(func, inst).unwrap_or(Folded::Same),
    }
}

/// Folds the minimum of a constant and the minimum of a number and another constant to the minimum of the number and the lesser
/// constant, and maxima likewise.
fn repeated_bound(func: &mut Function, inst: Inst) -> Option<Folded> {
    let bounds = |inst: Inst| {
        let args = &func.insts[inst].args;
        let constant = args.iter().position(|&v| func.as_const(v).is_some())?;
        match func.as_const(args[constant])? {
            Const::Bits(lanes) => Some((args[1 - constant], lanes.clone())),
            Const::Undef => None,
        }
    };
    let (inner, outer_bounds) = bounds(inst)?;
    let inner = func.def_inst(inner)?;
    let (data, inner_data) = (&func.insts[inst], &func.insts[inner]);
    if inner_data.op != data.op || inner_data.fp != data.fp {
        return None;
    }
    let op = data.op.clone();
    let (number, inner_bounds) = bounds(inner)?;
    let ty = func.ty(number);
    let pairs = outer_bounds.iter().zip(&inner_bounds);
    let lanes = pairs.map(|(&a, &b)| {
        let [x, y] = [a, b].map(|lane| eval::to_f64(ty.scalar, lane));
        let takes_first = match op {
            Op::Intrinsic(Intrinsic::FMin) => x < y,
            _ => x > y,
        };
        // A zero of the other sign, or NaN, is neither less nor greater.
        match takes_first {
            true => Some(a),
            false => (a == b || x < y || x > y).then_some(b),
        }
    });
    let lanes = lanes.collect::<Option<Vec<u64>>>()?;
    let bound = func.constant(ty, Const::Bits(lanes));
    Some(Folded::Op(op, vec![number, bound]))
}

/// Folds a binary operation.
pub(super) fn binary(func: &mut Function, op: BinOp, a: Value, b: Value) -> Folded {
    let ty = func.ty(a);
    // Constants are moved to the right.
    if op.is_commutative() && func.as_const(a).is_some() && func.as_const(b).is_none() {
        return Folded::Op(Op::Binary(op), vec![b, a]);
    }
    if a == b {
        match op {
            BinOp::ISub | BinOp::Xor => return Folded::Value(func.splat_bits(ty, 0)),
            BinOp::And | BinOp::Or => return Folded::Value(a),
            _ => {}
        }
    }
    let Some(n) = func.as_splat(b) else {
        return Folded::Same;
    };
    let one = match ty.scalar.is_float() {
        true => eval::from_f64(ty.scalar, 1.0),
        false => 1,
    };
    let sign = 1u64 << (ty.scalar.bits() - 1);
    let zero = n == 0;
    match op {
        BinOp::IAdd | BinOp::ISub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::AShr | BinOp::LShr
            if zero =>
        {
            Folded::Value(a)
        }
        BinOp::IMul | BinOp::And if zero => Folded::Value(b),
        BinOp::IMul | BinOp::SDiv | BinOp::UDiv | BinOp::FMul | BinOp::FDiv if n == one => Folded::Value(a),
        // Divided by zero, every number gives a value that nothing states (OpenCL C 6.3, a), so the constant does.
        BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem if zero => Folded::Value(b),
        BinOp::SDiv if n == ones(ty) => Folded::Op(Op::Unary(UnOp::INeg), vec![a]),
        BinOp::SRem if n == 1 || n == ones(ty) => Folded::Value(func.splat_bits(ty, 0)),
        BinOp::And if n == ones(ty) => Folded::Value(a),
        BinOp::Or if n == ones(ty) => Folded::Value(b),
        BinOp::Xor if n == ones(ty) => Folded::Op(Op::Unary(UnOp::Not), vec![a]),
        BinOp::UDiv if n.is_power_of_two() => {
            let count = func.splat_bits(ty, u64::from(n.trailing_zeros()));
            Folded::Op(Op::Binary(BinOp::LShr), vec![a, count])
        }
        BinOp::URem if n.is_power_of_two() => {
            let mask = func.splat_bits(ty, n - 1);
            Folded::Op(Op::Binary(BinOp::And), vec![a, mask])
        }
        // Drivers may give any result for a division by zero (llvmpipe of Mesa 22.3 does), but not for an
        // infinite factor.
        BinOp::FDiv if zero || n == sign => {
            let infinite = if zero { f64::INFINITY } else { f64::NEG_INFINITY };
            let factor = func.splat_bits(ty, eval::from_f64(ty.scalar, infinite));
            Folded::Op(Op::Binary(BinOp::FMul), vec![a, factor])
        }
        // −0.0 + −0.0 is −0.0, and 0.0 − 0.0 is 0.0. A zero of the other sign is not neutral.
        BinOp::FAdd if n == sign => Folded::Value(a),
        BinOp::FSub if zero => Folded::Value(a),
        BinOp::IAdd | BinOp::IMul | BinOp::And | BinOp::Or | BinOp::Xor => reassociate(func, op, a, n, ty),
        BinOp::ISub => {
            // With additions only, chains consist of one operation.
            let negated = func.splat_bits(ty, n.wrapping_neg());
            Folded::Op(Op::Binary(BinOp::IAdd), vec![a, negated])
        }
        _ => Folded::Same,
    }
}

/// Folds `(x op c) op n` to `x op (c op n)`.
fn reassociate(func: &mut Function, op: BinOp, a: Value, n: u64, ty: Ty) -> Folded {
    let Some((Op::Binary(inner), &[x, c])) = definition(func, a) else {
        return Folded::Same;
    };
    let both = func.as_splat(c).filter(|_| *inner == op);
    match both.and_then(|c| eval::binary(op, ty.scalar, c, n)) {
        Some(bits) => {
            let c = func.splat_bits(ty, bits);
            Folded::Op(Op::Binary(op), vec![x, c])
        }
        None => Folded::Same,
    }
}

/// Folds a unary operation.
pub(super) fn unary(func: &mut Function, op: UnOp, a: Value) -> Folded {
    match definition(func, a) {
        Some((Op::Unary(inner), &[x])) if *inner == op => Folded::Value(x),
        Some((Op::Compare(cmp), args)) if op == UnOp::Not => {
            Folded::Op(Op::Compare(cmp.inverse()), args.to_vec())
        }
        _ => Folded::Same,
    }
}

/// Folds an absolute value: that of a negation is that of its operand, and that of a choice between constants is a choice
/// between their absolute values.
pub(super) fn absolute(func: &mut Function, a: Value) -> Folded {
    let ty = func.ty(a);
    match definition(func, a) {
        Some((Op::Unary(UnOp::FNeg), &[x])) => Folded::Op(Op::Intrinsic(Intrinsic::FAbs), vec![x]),
        Some((Op::Select, &[condition, x, y])) => {
            let sign = 1 << (ty.scalar.bits() - 1);
            let lanes = [x, y].map(|arm| match func.as_const(arm) {
                Some(Const::Bits(lanes)) => Some(lanes.iter().map(|lane| lane & !sign).collect()),
                _ => None,
            });
            let [Some(x), Some(y)] = lanes else {
                return Folded::Same;
            };
            let [x, y] = [x, y].map(|lanes| func.constant(ty, Const::Bits(lanes)));
            Folded::Op(Op::Select, vec![condition, x, y])
        }
        _ => Folded::Same,
    }
}

/// Folds a comparison.
pub(super) fn compare(func: &mut Function, op: CmpOp, a: Value, b: Value) -> Folded {
    let result = |func: &mut Function, v: bool| {
        let ty = func.ty(a).with_scalar(Scalar::Bool);
        Folded::Value(func.splat_bits(ty, u64::from(v)))
    };
    if a == b {
        match op {
            CmpOp::IEq | CmpOp::SLe | CmpOp::SGe | CmpOp::ULe | CmpOp::UGe => return result(func, true),
            CmpOp::INe | CmpOp::SLt | CmpOp::SGt | CmpOp::ULt | CmpOp::UGt => return result(func, false),
            _ => {}
        }
    }
    if let Some(narrow) = compare_extended(func, op, a, b) {
        return narrow;
    }
    let Some(n) = func.as_splat(b) else {
        return Folded::Same;
    };
    match op {
        CmpOp::ULt if n == 0 => return result(func, false),
        CmpOp::UGe if n == 0 => return result(func, true),
        CmpOp::IEq | CmpOp::INe => {}
        _ => return Folded::Same,
    }
    if func.ty(a).scalar == Scalar::Bool {
        return if (op == CmpOp::IEq) == (n != 0) {
            Folded::Value(a)
        } else {
            Folded::Op(Op::Unary(UnOp::Not), vec![a])
        };
    }
    // A comparison with a condition that C has converted to a number becomes the condition or its negation.
    let (condition, if_true, if_false) = match definition(func, a) {
        Some((Op::Cast(CastOp::ZExt), &[c])) if func.ty(c).scalar == Scalar::Bool => (c, 1, 0),
        Some((Op::Cast(CastOp::SExt), &[c])) if func.ty(c).scalar == Scalar::Bool => (c, ones(func.ty(a)), 0),
        Some((Op::Select, &[c, x, y])) if func.ty(c).lanes == func.ty(a).lanes => {
            match (func.as_splat(x), func.as_splat(y)) {
                (Some(x), Some(y)) => (c, x, y),
                _ => return Folded::Same,
            }
        }
        // A comparison of an extended number with 0 becomes one of the narrow number.
        Some((Op::Cast(CastOp::ZExt | CastOp::SExt), &[x])) if n == 0 => {
            let zero = func.splat_bits(func.ty(x), 0);
            return Folded::Op(Op::Compare(op), vec![x, zero]);
        }
        _ => return Folded::Same,
    };
    match (
        (if_true == n) == (op == CmpOp::IEq),
        (if_false == n) == (op == CmpOp::IEq),
    ) {
        (true, false) => Folded::Value(condition),
        (false, true) => Folded::Op(Op::Unary(UnOp::Not), vec![condition]),
        (both, _) => result(func, both),
    }
}

/// Folds a comparison of two numbers that were extended in the same way, or of an extended number and a
/// constant in the range of the narrow type, to a comparison of the narrow numbers.
fn compare_extended(func: &mut Function, op: CmpOp, a: Value, b: Value) -> Option<Folded> {
    let widened = |func: &Function, v: Value| match definition(func, v) {
        Some((&Op::Cast(cast @ (CastOp::ZExt | CastOp::SExt)), &[x])) => Some((cast, x)),
        _ => None,
    };
    let (cast, x) = widened(func, a)?;
    let narrow = func.ty(x);
    if narrow.scalar == Scalar::Bool {
        return None;
    }
    let y = match func.as_splat(b) {
        Some(n) => {
            let cut = eval::truncate(narrow.scalar, n);
            if eval::cast(cast, narrow.scalar, func.ty(a).scalar, cut) != Some(n) {
                return None;
            }
            func.splat_bits(narrow, cut)
        }
        None => {
            let (other, y) = widened(func, b)?;
            if other != cast || func.ty(y) != narrow {
                return None;
            }
            y
        }
    };
    // A zero-extended number is not negative. Sign extension preserves the signed and the unsigned order.
    let op = match (cast, op) {
        (CastOp::ZExt, CmpOp::SLt) => CmpOp::ULt,
        (CastOp::ZExt, CmpOp::SLe) => CmpOp::ULe,
        (CastOp::ZExt, CmpOp::SGt) => CmpOp::UGt,
        (CastOp::ZExt, CmpOp::SGe) => CmpOp::UGe,
        (_, op) => op,
    };
    Some(Folded::Op(Op::Compare(op), vec![x, y]))
}

/// Folds a conversion.
pub(super) fn cast(func: &mut Function, op: CastOp, a: Value, ty: Ty) -> Folded {
    if op == CastOp::Bitcast && func.ty(a) == ty {
        return Folded::Value(a);
    }
    let Some((Op::Cast(inner), &[x])) = definition(func, a) else {
        return Folded::Same;
    };
    let from = func.ty(x);
    match (op, *inner) {
        (CastOp::Bitcast, CastOp::Bitcast) => Folded::Op(Op::Cast(op), vec![x]),
        (CastOp::PtrToInt, CastOp::IntToPtr) => Folded::Value(x),
        (CastOp::IntToPtr, CastOp::PtrToInt) | (CastOp::PtrCast, CastOp::PtrCast) if from == ty => {
            Folded::Value(x)
        }
        (CastOp::ZExt, CastOp::ZExt) | (CastOp::SExt, CastOp::SExt) | (CastOp::Trunc, CastOp::Trunc) => {
            Folded::Op(Op::Cast(op), vec![x])
        }
        // The sign bit of a zero-extended number is zero.
        (CastOp::SExt, CastOp::ZExt) => Folded::Op(Op::Cast(CastOp::ZExt), vec![x]),
        (CastOp::Trunc, CastOp::ZExt | CastOp::SExt) if from == ty => Folded::Value(x),
        (CastOp::Trunc, CastOp::ZExt | CastOp::SExt) if from.scalar.bits() < ty.scalar.bits() => {
            Folded::Op(Op::Cast(*inner), vec![x])
        }
        (CastOp::Trunc, CastOp::ZExt | CastOp::SExt) if from.scalar != Scalar::Bool => {
            Folded::Op(Op::Cast(CastOp::Trunc), vec![x])
        }
        _ => Folded::Same,
    }
}

/// Folds a selection.
pub(super) fn select(func: &mut Function, cond: Value, a: Value, b: Value) -> Folded {
    if a == b {
        return Folded::Value(a);
    }
    match func.as_splat(cond) {
        Some(0) => return Folded::Value(b),
        Some(_) => return Folded::Value(a),
        None => {}
    }
    if func.as_const(a) == Some(&Const::Undef) {
        return Folded::Value(b);
    }
    if func.as_const(b) == Some(&Const::Undef) {
        return Folded::Value(a);
    }
    if let Some((Op::Unary(UnOp::Not), &[c])) = definition(func, cond) {
        return Folded::Op(Op::Select, vec![c, b, a]);
    }
    if func.ty(a).scalar != Scalar::Bool || func.ty(a) != func.ty(cond) {
        return Folded::Same;
    }
    let (x, y) = (func.as_splat(a), func.as_splat(b));
    match (x, y) {
        (Some(1), Some(0)) => Folded::Value(cond),
        (Some(0), Some(1)) => Folded::Op(Op::Unary(UnOp::Not), vec![cond]),
        (Some(1), _) => Folded::Op(Op::Binary(BinOp::Or), vec![cond, b]),
        (_, Some(0)) => Folded::Op(Op::Binary(BinOp::And), vec![cond, a]),
        _ => Folded::Same,
    }
}

/// Folds the addition of a constant to a pointer.
pub(super) fn ptr_add(func: &mut Function, pointer: Value, offset: Value) -> Folded {
    let Some(n) = crate::ir::analysis::constant_offset(func, offset) else {
        return Folded::Same;
    };
    if n == 0 {
        return Folded::Value(pointer);
    }
    // A constant pointer to arguments is an offset.
    let ty = func.ty(pointer);
    if let (Some(at), Some(AddressSpace::Push | AddressSpace::Args)) = (func.as_bits(pointer), ty.space()) {
        return Folded::Value(func.splat_bits(ty, at.wrapping_add(n as u64)));
    }
    let Some((Op::PtrAdd, &[base, inner])) = definition(func, pointer) else {
        return Folded::Same;
    };
    match crate::ir::analysis::constant_offset(func, inner).and_then(|m| m.checked_add(n)) {
        Some(sum) => {
            let sum = func.splat_bits(Ty::I64, sum as u64);
            Folded::Op(Op::PtrAdd, vec![base, sum])
        }
        None => Folded::Same,
    }
}
