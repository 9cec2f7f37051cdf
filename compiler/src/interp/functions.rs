//! Functions whose form or result differs between devices.

use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, Scalar, eval};

/// Evaluates the operations that `select_arithmetic` replaces, as it does for a device without any special property.
pub(super) fn unselected(op: Intrinsic, scalar: Scalar, args: &[u64]) -> Option<u64> {
    match (op, args) {
        (Intrinsic::DeviceHas(_), _) => Some(0),
        (Intrinsic::MultiplyAdd, &[x, y, z]) => {
            let product = eval::binary(BinOp::FMul, scalar, x, y)?;
            eval::binary(BinOp::FAdd, scalar, product, z)
        }
        (Intrinsic::RoughDivide, &[x, y]) => eval::binary(BinOp::FDiv, scalar, x, y),
        (Intrinsic::RoundedSqrt, _) => eval::intrinsic(Intrinsic::Sqrt, scalar, args),
        _ => None,
    }
}

/// Evaluates functions whose results differ between devices.
pub(super) fn approximate(op: Intrinsic, scalar: Scalar, args: &[u64]) -> Option<u64> {
    let [a, b] = [0, 1].map(|n| args.get(n).map_or(0.0, |&v| eval::to_f64(scalar, v)));
    let v = match op {
        Intrinsic::InverseSqrt => 1.0 / a.sqrt(),
        Intrinsic::Sin => a.sin(),
        Intrinsic::Cos => a.cos(),
        Intrinsic::Tan => a.tan(),
        Intrinsic::Asin => a.asin(),
        Intrinsic::Acos => a.acos(),
        Intrinsic::Atan => a.atan(),
        Intrinsic::Atan2 => a.atan2(b),
        Intrinsic::Sinh => a.sinh(),
        Intrinsic::Cosh => a.cosh(),
        Intrinsic::Tanh => a.tanh(),
        Intrinsic::Asinh => a.asinh(),
        Intrinsic::Acosh => a.acosh(),
        Intrinsic::Atanh => a.atanh(),
        Intrinsic::Exp => a.exp(),
        Intrinsic::Exp2 => a.exp2(),
        Intrinsic::Log => a.ln(),
        Intrinsic::Log2 => a.log2(),
        Intrinsic::Pow => a.powf(b),
        Intrinsic::Ldexp => a * 2f64.powi(args.get(1).map_or(0, |&n| n as i32)),
        _ => return None,
    };
    Some(eval::from_f64(scalar, v))
}
