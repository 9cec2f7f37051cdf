//! Constant operands: their lanes, and which of two operands is one.

use crate::ir::{Const, Function, Scalar, Value};

/// Returns the bits of a 1 of a float type.
pub(super) fn bits_of_one(scalar: Scalar) -> Option<u64> {
    match scalar.bits() {
        16 => Some(0x3c00),
        32 => Some(0x3f80_0000),
        64 => Some(0x3ff0_0000_0000_0000),
        _ => None,
    }
}

/// Returns whether a value is a constant float with a negative zero in some lane.
pub(super) fn is_negative_zero(func: &Function, value: Value) -> bool {
    has_lane(func, value, |lane, sign| lane == sign)
}

/// Returns whether a value is a constant float with a lane for which `test` is true. It gets the bits of the lane, and the bit of
/// the sign.
pub(super) fn has_lane(func: &Function, value: Value, test: impl Fn(u64, u64) -> bool) -> bool {
    let scalar = func.ty(value).scalar;
    match func.as_const(value) {
        Some(Const::Bits(lanes)) if scalar.is_float() => {
            lanes.iter().any(|&lane| test(lane, 1 << (scalar.bits() - 1)))
        }
        _ => false,
    }
}

/// If one of two operands is a constant, returns the other one and the constant.
pub(super) fn with_constant(func: &Function, args: &[Value]) -> Option<(Value, Value)> {
    let n = args.iter().position(|&a| func.as_const(a).is_some())?;
    Some((args[1 - n], args[n]))
}

/// Returns whether a value is a constant float with a zero of either sign in some lane.
pub(super) fn has_zero(func: &Function, value: Value) -> bool {
    has_lane(func, value, |lane, sign| lane & !sign == 0)
}
