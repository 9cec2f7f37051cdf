//! The numbers that constants stand for: a constant's lane is raw bits, zero-extended to 64 bits, as in
//! [`ExprKind::Const`](super::ExprKind::Const).

use super::Scalar;
use crate::half;

/// Keeps the bits within a type's width.
pub(crate) fn truncate(bits: u64, s: Scalar) -> u64 {
    match s.bytes() {
        1 => bits & 0xff,
        2 => bits & 0xffff,
        4 => bits & 0xffff_ffff,
        _ => bits,
    }
}

/// Returns the mathematical value of an integer's bits.
pub(crate) fn int_of(bits: u64, s: Scalar) -> i128 {
    if s.is_signed() {
        let shift = 64 - 8 * s.bytes();
        i128::from(((bits << shift) as i64) >> shift)
    } else {
        i128::from(truncate(bits, s))
    }
}

/// Returns the value of a float's bits.
pub(crate) fn float_of(bits: u64, s: Scalar) -> f64 {
    match s {
        Scalar::Half => half::to_f64(bits as u16),
        Scalar::Float => f64::from(f32::from_bits(bits as u32)),
        Scalar::Double => f64::from_bits(bits),
        Scalar::Bool
        | Scalar::Char
        | Scalar::UChar
        | Scalar::Short
        | Scalar::UShort
        | Scalar::Int
        | Scalar::UInt
        | Scalar::Long
        | Scalar::ULong => int_of(bits, s) as f64,
    }
}

/// Returns the bits of a value in a float type, rounded to nearest even.
pub(crate) fn float_bits(v: f64, s: Scalar) -> u64 {
    match s {
        Scalar::Half => u64::from(half::from_f64(v)),
        Scalar::Double => v.to_bits(),
        _ => u64::from((v as f32).to_bits()),
    }
}
