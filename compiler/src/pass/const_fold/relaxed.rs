//! Floating-point identities: those that are exact, and those that the flags of an instruction allow (OpenCL
//! 1.2 5.6.4.3).

use super::Folded;
use crate::ir::{BinOp, CmpOp, FpFlags, Function, Op, Scalar, UnOp, Value, eval};

/// Folds a binary operation of floating-point numbers.
pub(super) fn binary(func: &mut Function, op: BinOp, fp: FpFlags, a: Value, b: Value) -> Folded {
    let ty = func.ty(a);
    let scalar = ty.scalar;
    let is_zero = |bits: u64| eval::to_f64(scalar, bits) == 0.0;
    if a == b && fp.finite {
        match op {
            BinOp::FSub => return Folded::Value(func.splat_bits(ty, 0)),
            BinOp::FDiv => {
                let one = eval::from_f64(scalar, 1.0);
                return Folded::Value(func.splat_bits(ty, one));
            }
            _ => {}
        }
    }
    if op == BinOp::FSub && fp.no_signed_zeros && func.as_splat(a).is_some_and(is_zero) {
        return Folded::Op(Op::Unary(UnOp::FNeg), vec![b]);
    }
    let Some(n) = func.as_splat(b) else {
        return Folded::Same;
    };
    match op {
        BinOp::FAdd | BinOp::FSub if fp.no_signed_zeros && is_zero(n) => Folded::Value(a),
        BinOp::FMul if fp.no_signed_zeros && fp.finite && is_zero(n) => Folded::Value(func.splat_bits(ty, 0)),
        BinOp::FDiv => match reciprocal(scalar, n, fp.fast) {
            Some(bits) => {
                let factor = func.splat_bits(ty, bits);
                Folded::Op(Op::Binary(BinOp::FMul), vec![a, factor])
            }
            None => Folded::Same,
        },
        BinOp::FAdd | BinOp::FMul if fp.fast => reassociate(func, op, a, n),
        // The addition is exact, and lets chains consist of one operation.
        BinOp::FSub if fp.fast => {
            let negated = func.splat_bits(ty, eval::unary(UnOp::FNeg, scalar, n));
            Folded::Op(Op::Binary(BinOp::FAdd), vec![a, negated])
        }
        _ => Folded::Same,
    }
}

/// Returns the factor that replaces a division by `n`, if it is a normal number, and exact unless `any` is
/// set.
fn reciprocal(scalar: Scalar, n: u64, any: bool) -> Option<u64> {
    let value = eval::to_f64(scalar, n);
    let (mantissa, exponents) = match scalar {
        Scalar::F16 => (10, 5),
        Scalar::F32 => (23, 8),
        _ => (52, 11),
    };
    let is_power_of_two = n & ((1 << mantissa) - 1) == 0;
    let is_normal = |bits: u64| {
        let exponent = bits >> mantissa & ((1 << exponents) - 1);
        exponent != 0 && exponent != (1 << exponents) - 1
    };
    let bits = eval::from_f64(scalar, 1.0 / value);
    (is_normal(n) && is_normal(bits) && (any || is_power_of_two)).then_some(bits)
}

/// Folds `(x op c) op n` to `x op (c op n)`, if the inner operation allows another computation as well.
fn reassociate(func: &mut Function, op: BinOp, a: Value, n: u64) -> Folded {
    let ty = func.ty(a);
    let Some(inner) = func.def_inst(a).map(|i| &func.insts[i]) else {
        return Folded::Same;
    };
    if inner.op != Op::Binary(op) || !inner.fp.fast {
        return Folded::Same;
    }
    let x = inner.args[0];
    let both = func
        .as_splat(inner.args[1])
        .and_then(|c| eval::binary(op, ty.scalar, c, n));
    // The constants must not overflow where the original expression would not.
    match both.filter(|&bits| eval::to_f64(ty.scalar, bits).is_finite()) {
        Some(bits) => {
            let c = func.splat_bits(ty, bits);
            Folded::Op(Op::Binary(op), vec![x, c])
        }
        None => Folded::Same,
    }
}

/// Folds the comparison of a number that is not NaN with itself.
pub(super) fn compare_with_itself(func: &mut Function, op: CmpOp, a: Value) -> Folded {
    let zero = eval::from_f64(Scalar::F64, 0.0);
    let result = match func.ty(a).scalar.is_float() {
        true => eval::compare(op, Scalar::F64, zero, zero),
        false => eval::compare(op, Scalar::I64, 0, 0),
    };
    let ty = func.ty(a).with_scalar(Scalar::Bool);
    Folded::Value(func.splat_bits(ty, u64::from(result)))
}
