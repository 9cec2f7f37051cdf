//! Numbers and the operations on them: what the IR has for HIR's operators, and their evaluation on constants.
//!
//! A constant's lane is raw bits, zero-extended to 64 bits, as in [`ExprKind::Const`](super::ExprKind::Const).

use super::{BinOp, CmpOp, Scalar};
use crate::ir::{self, CastOp, UnOp, eval};

impl Scalar {
    /// Returns the IR's type, which has no signedness.
    pub(crate) fn in_ir(self) -> ir::Scalar {
        match self {
            Scalar::Bool => ir::Scalar::Bool,
            Scalar::Char | Scalar::UChar => ir::Scalar::I8,
            Scalar::Short | Scalar::UShort => ir::Scalar::I16,
            Scalar::Int | Scalar::UInt => ir::Scalar::I32,
            Scalar::Long | Scalar::ULong => ir::Scalar::I64,
            Scalar::Half => ir::Scalar::F16,
            Scalar::Float => ir::Scalar::F32,
            Scalar::Double => ir::Scalar::F64,
        }
    }
}

impl BinOp {
    /// Returns the IR's operation on operands of a type; `None` for operations on bits of floats.
    pub(crate) fn in_ir(self, s: Scalar) -> Option<ir::BinOp> {
        Some(match (self, s.is_float(), s.is_signed()) {
            (BinOp::Add, true, _) => ir::BinOp::FAdd,
            (BinOp::Sub, true, _) => ir::BinOp::FSub,
            (BinOp::Mul, true, _) => ir::BinOp::FMul,
            (BinOp::Div, true, _) => ir::BinOp::FDiv,
            (BinOp::Rem, true, _) => ir::BinOp::FRem,
            (BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor, true, _) => return None,
            (BinOp::Add, false, _) => ir::BinOp::IAdd,
            (BinOp::Sub, false, _) => ir::BinOp::ISub,
            (BinOp::Mul, false, _) => ir::BinOp::IMul,
            (BinOp::Div, false, true) => ir::BinOp::SDiv,
            (BinOp::Div, false, false) => ir::BinOp::UDiv,
            (BinOp::Rem, false, true) => ir::BinOp::SRem,
            (BinOp::Rem, false, false) => ir::BinOp::URem,
            (BinOp::Shl, false, _) => ir::BinOp::Shl,
            (BinOp::Shr, false, true) => ir::BinOp::AShr,
            (BinOp::Shr, false, false) => ir::BinOp::LShr,
            (BinOp::And, false, _) => ir::BinOp::And,
            (BinOp::Or, false, _) => ir::BinOp::Or,
            (BinOp::Xor, false, _) => ir::BinOp::Xor,
        })
    }
}

impl CmpOp {
    /// Returns the IR's comparison of operands of a type.
    pub(crate) fn in_ir(self, s: Scalar) -> ir::CmpOp {
        use ir::CmpOp as C;
        match (self, s.is_float(), s.is_signed()) {
            (CmpOp::Eq, true, _) => C::FOEq,
            (CmpOp::Ne, true, _) => C::FUNe,
            (CmpOp::Lt, true, _) => C::FOLt,
            (CmpOp::Le, true, _) => C::FOLe,
            (CmpOp::Gt, true, _) => C::FOGt,
            (CmpOp::Ge, true, _) => C::FOGe,
            (CmpOp::Eq, false, _) => C::IEq,
            (CmpOp::Ne, false, _) => C::INe,
            (CmpOp::Lt, false, true) => C::SLt,
            (CmpOp::Le, false, true) => C::SLe,
            (CmpOp::Gt, false, true) => C::SGt,
            (CmpOp::Ge, false, true) => C::SGe,
            (CmpOp::Lt, false, false) => C::ULt,
            (CmpOp::Le, false, false) => C::ULe,
            (CmpOp::Gt, false, false) => C::UGt,
            (CmpOp::Ge, false, false) => C::UGe,
        }
    }
}

/// Returns the IR's conversion between two types, of which the second is not `bool`.
pub(crate) fn cast(from: Scalar, to: Scalar) -> CastOp {
    match (from.is_float(), to.is_float()) {
        (true, true) => CastOp::FConvert,
        (true, false) if to.is_signed() => CastOp::FToS,
        (true, false) => CastOp::FToU,
        (false, true) if from.is_signed() => CastOp::SToF,
        (false, true) => CastOp::UToF,
        (false, false) if to.bytes() < from.bytes() => CastOp::Trunc,
        (false, false) if from.is_signed() => CastOp::SExt,
        (false, false) => CastOp::ZExt,
    }
}

/// Keeps the bits within a type's width.
pub(crate) fn truncate(bits: u64, s: Scalar) -> u64 {
    eval::truncate(s.in_ir(), bits)
}

/// Returns the mathematical value of an integer's bits.
pub(crate) fn int_of(bits: u64, s: Scalar) -> i128 {
    match s.is_signed() {
        true => eval::signed(s.in_ir(), bits).into(),
        false => truncate(bits, s).into(),
    }
}

/// Returns the value of a float's bits.
pub(crate) fn float_of(bits: u64, s: Scalar) -> f64 {
    eval::to_f64(s.in_ir(), bits)
}

/// Returns the bits of a value in a float type, rounded to nearest even.
pub(crate) fn float_bits(v: f64, s: Scalar) -> u64 {
    eval::from_f64(s.in_ir(), v)
}

/// Performs C's conversion of one scalar. A float that is out of range for an integer type, which C leaves
/// undefined, gives an arbitrary value.
pub(crate) fn convert(bits: u64, from: Scalar, to: Scalar) -> u64 {
    match (from, to) {
        _ if from == to => bits,
        (_, Scalar::Bool) => compare(CmpOp::Ne, from, bits, 0).into(),
        _ => eval::cast(cast(from, to), from.in_ir(), to.in_ir(), bits)
            .unwrap_or_else(|| truncate(float_of(bits, from) as i128 as u64, to)),
    }
}

/// Computes `a op b`. Returns `None` for a division of integers by zero, and for operations on bits of floats. The
/// quotient of the least number and -1 wraps around.
pub(crate) fn binary(op: BinOp, s: Scalar, a: u64, b: u64) -> Option<u64> {
    match eval::binary(op.in_ir(s)?, s.in_ir(), a, b) {
        None if b != 0 => Some(if op == BinOp::Div { a } else { 0 }),
        result => result,
    }
}

/// Evaluates a comparison.
pub(crate) fn compare(op: CmpOp, s: Scalar, a: u64, b: u64) -> bool {
    eval::compare(op.in_ir(s), s.in_ir(), a, b)
}

/// Computes `-a`.
pub(crate) fn negate(s: Scalar, a: u64) -> u64 {
    let op = if s.is_float() { UnOp::FNeg } else { UnOp::INeg };
    eval::unary(op, s.in_ir(), a)
}

/// Computes `~a`.
pub(crate) fn complement(s: Scalar, a: u64) -> u64 {
    eval::unary(UnOp::Not, s.in_ir(), a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_conversions_and_arithmetic_wrap() {
        assert_eq!(convert(0xffff_ffff, Scalar::Int, Scalar::Long), u64::MAX);
        assert_eq!(convert(0xffff_ffff, Scalar::UInt, Scalar::Long), 0xffff_ffff);
        assert_eq!(convert((-1.5f64).to_bits(), Scalar::Double, Scalar::Char), 0xff);
        assert_eq!(convert(300f64.to_bits(), Scalar::Double, Scalar::UChar), 44);
        assert_eq!(convert(0x80, Scalar::Char, Scalar::Bool), 1);
        assert_eq!(
            convert((-0.0f64).to_bits(), Scalar::Double, Scalar::Bool),
            0,
            "both zeros are false"
        );
        assert_eq!(convert(1, Scalar::Bool, Scalar::Double), 1f64.to_bits());
        assert_eq!(convert(1, Scalar::Bool, Scalar::Int), 1);
        assert_eq!(binary(BinOp::Shl, Scalar::Int, 1, 33), Some(2));
        assert_eq!(
            binary(BinOp::Shr, Scalar::Int, 0x8000_0000, 31),
            Some(0xffff_ffff)
        );
        assert_eq!(binary(BinOp::Div, Scalar::Int, 1, 0), None);
        assert_eq!(binary(BinOp::Mul, Scalar::ULong, u64::MAX, u64::MAX), Some(1));
        assert_eq!(
            binary(BinOp::Div, Scalar::Int, 0x8000_0000, 0xffff_ffff),
            Some(0x8000_0000)
        );
        assert_eq!(binary(BinOp::Rem, Scalar::Long, 1 << 63, u64::MAX), Some(0));
        assert!(compare(CmpOp::Lt, Scalar::Int, 0xffff_ffff, 0));
        assert!(!compare(CmpOp::Lt, Scalar::UInt, 0xffff_ffff, 0));
    }
}
