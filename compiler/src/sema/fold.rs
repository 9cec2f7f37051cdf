//! Constant evaluation: arithmetic in the precision of its type, and address constants.
//!
//! A value is the raw bits of a lane, zero-extended to 64 bits, as in [`ExprKind::Const`].

use super::Sema;
use crate::hir::value::{float_bits, float_of, int_of, truncate};
use crate::hir::{BinOp, CmpOp, Convert, Expr, ExprKind, GlobalId, Place, PlaceKind, Scalar, Space, Type};

/// The greatest depth of expressions that are evaluated recursively; sema's own limit on nesting is lower.
const MAX_DEPTH: u32 = 2000;

/// Performs C's conversion of one scalar. A float that is out of range for an integer type, which C leaves
/// undefined, gives an arbitrary value.
pub(crate) fn convert(bits: u64, from: Scalar, to: Scalar) -> u64 {
    match (from.is_float(), to.is_float()) {
        (_, false) if to == Scalar::Bool => u64::from(if from.is_float() {
            float_of(bits, from) != 0.0
        } else {
            truncate(bits, from) != 0
        }),
        (false, false) => truncate(int_of(bits, from) as u64, to),
        (false, true) => match to {
            // The integer is rounded once, directly to float.
            Scalar::Float => u64::from((int_of(bits, from) as f32).to_bits()),
            _ => float_bits(int_of(bits, from) as f64, to),
        },
        (true, true) => {
            if from == to {
                bits
            } else {
                float_bits(float_of(bits, from), to)
            }
        }
        (true, false) => truncate(float_of(bits, from) as i128 as u64, to),
    }
}

/// Computes `a op b`. Returns `None` for a division by zero, and for operations that floats do not have.
pub(crate) fn binary(op: BinOp, s: Scalar, a: u64, b: u64) -> Option<u64> {
    if s.is_float() {
        return float_binary(op, s, a, b);
    }
    let (x, y) = (int_of(a, s), int_of(b, s));
    let count = (y as u32) & (8 * s.bytes() - 1);
    let r = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => (x as i64).wrapping_mul(y as i64).into(),
        BinOp::Div => x.checked_div(y)?,
        BinOp::Rem => x.checked_rem(y)?,
        BinOp::Shl => (x as u64).wrapping_shl(count).into(),
        BinOp::Shr => x >> count,
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
    };
    Some(truncate(r as u64, s))
}

fn float_binary(op: BinOp, s: Scalar, a: u64, b: u64) -> Option<u64> {
    if s == Scalar::Float {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let r = match op {
            BinOp::Add => x + y,
            BinOp::Sub => x - y,
            BinOp::Mul => x * y,
            BinOp::Div => x / y,
            BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor => return None,
        };
        return Some(u64::from(r.to_bits()));
    }
    // f64 has more than twice the precision of half, so double rounding gives the correct result for these
    // operations.
    let (x, y) = (float_of(a, s), float_of(b, s));
    let r = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        BinOp::Mul => x * y,
        BinOp::Div => x / y,
        BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::And | BinOp::Or | BinOp::Xor => return None,
    };
    Some(float_bits(r, s))
}

/// Evaluates a comparison.
pub(crate) fn compare(op: CmpOp, s: Scalar, a: u64, b: u64) -> bool {
    fn holds<T: PartialOrd>(op: CmpOp, x: &T, y: &T) -> bool {
        match op {
            CmpOp::Eq => x == y,
            CmpOp::Ne => x != y,
            CmpOp::Lt => x < y,
            CmpOp::Le => x <= y,
            CmpOp::Gt => x > y,
            CmpOp::Ge => x >= y,
        }
    }
    if s.is_float() {
        holds(op, &float_of(a, s), &float_of(b, s))
    } else {
        holds(op, &int_of(a, s), &int_of(b, s))
    }
}

/// Computes `-a`.
pub(crate) fn negate(s: Scalar, a: u64) -> u64 {
    if s.is_float() {
        a ^ 1 << (8 * s.bytes() - 1)
    } else {
        truncate(a.wrapping_neg(), s)
    }
}

/// Returns the lanes of a constant arithmetic value.
pub(crate) fn eval(s: &Sema<'_>, e: &Expr) -> Option<Vec<u64>> {
    eval_at(s, e, 0)
}

fn eval_at(s: &Sema<'_>, e: &Expr, depth: u32) -> Option<Vec<u64>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let go = |e: &Expr| eval_at(s, e, depth + 1);
    let (scalar, lanes) = s.lanes(e.ty)?;
    Some(match &e.kind {
        ExprKind::Const(bits) => bits.clone(),
        ExprKind::Load(place) => eval_load(s, place)?,
        ExprKind::Neg(a) => go(a)?.into_iter().map(|v| negate(scalar, v)).collect(),
        ExprKind::BitNot(a) => go(a)?.into_iter().map(|v| truncate(!v, scalar)).collect(),
        ExprKind::Not(a) => go(a)?.into_iter().map(|v| v ^ 1).collect(),
        ExprKind::Binary { op, lhs, rhs, .. } => {
            let (a, b) = (go(lhs)?, go(rhs)?);
            a.into_iter()
                .zip(b)
                .map(|(a, b)| binary(*op, scalar, a, b))
                .collect::<Option<_>>()?
        }
        ExprKind::Compare(op, lhs, rhs) => {
            let (operand, _) = s.lanes(lhs.ty)?;
            let (a, b) = (go(lhs)?, go(rhs)?);
            let pairs = a.into_iter().zip(b);
            pairs
                .map(|(a, b)| u64::from(compare(*op, operand, a, b)))
                .collect()
        }
        ExprKind::And(a, b) => match go(a)?[..] {
            [0] => vec![0],
            _ => go(b)?,
        },
        ExprKind::Or(a, b) => match go(a)?[..] {
            [0] => go(b)?,
            _ => vec![1],
        },
        ExprKind::Conditional(c, a, b) => match go(c)?[..] {
            [0] => go(b)?,
            _ => go(a)?,
        },
        ExprKind::Select(c, a, b) => {
            let (c, a, b) = (go(c)?, go(a)?, go(b)?);
            let arms = a.into_iter().zip(b);
            c.into_iter()
                .zip(arms)
                .map(|(c, (a, b))| if c != 0 { a } else { b })
                .collect()
        }
        ExprKind::Convert(Convert::Numeric, a) => {
            let (from, _) = s.lanes(a.ty)?;
            go(a)?.into_iter().map(|v| convert(v, from, scalar)).collect()
        }
        ExprKind::Convert(Convert::Mask, a) => {
            let all = truncate(u64::MAX, scalar);
            go(a)?.into_iter().map(|v| if v != 0 { all } else { 0 }).collect()
        }
        ExprKind::Convert(Convert::Bits, a) => {
            let (from, n) = s.lanes(a.ty)?;
            if (from.bytes(), n) != (scalar.bytes(), lanes) {
                return None;
            }
            go(a)?
        }
        ExprKind::Convert(Convert::PointerToInt, a) => match address(s, a)? {
            (None, offset) => vec![truncate(offset as u64, scalar)],
            (Some(_), _) => return None,
        },
        ExprKind::Convert(Convert::PointerToBool, a) => {
            let (global, offset) = address(s, a)?;
            vec![u64::from(global.is_some() || offset != 0)]
        }
        ExprKind::Splat(a) => vec![go(a)?[0]; usize::from(lanes)],
        ExprKind::Vector(parts) => {
            let mut all = Vec::with_capacity(usize::from(lanes));
            for p in parts {
                all.extend(go(p)?);
            }
            all
        }
        ExprKind::Swizzle(a, picks) => {
            let a = go(a)?;
            picks
                .iter()
                .map(|&i| a.get(usize::from(i)).copied())
                .collect::<Option<_>>()?
        }
        ExprKind::PointerDiff(a, b) => {
            let ((ga, oa), (gb, ob)) = (address(s, a)?, address(s, b)?);
            let Type::Pointer { pointee, .. } = *s.ty(a.ty) else {
                return None;
            };
            let size = i128::from(s.program.types.size(pointee)?).max(1);
            if ga != gb {
                return None;
            }
            vec![((oa - ob) / size) as u64]
        }
        ExprKind::Convert(Convert::IntToPointer | Convert::Pointer, _)
        | ExprKind::AddrOf(_)
        | ExprKind::PointerAdd { .. }
        | ExprKind::Assign(..)
        | ExprKind::CompoundAssign { .. }
        | ExprKind::IncDec { .. }
        | ExprKind::Call(..)
        | ExprKind::Intrinsic(..)
        | ExprKind::Comma(..)
        | ExprKind::StmtExpr(..) => return None,
    })
}

/// Returns the value of a `const` variable that was initialized with a constant.
fn eval_load(s: &Sema<'_>, place: &Place) -> Option<Vec<u64>> {
    match &place.kind {
        PlaceKind::Local(id) => s.constant_local(*id).map(|bits| vec![bits]),
        PlaceKind::Global(id) if place.space == Space::Constant => {
            let (scalar, 1) = s.lanes(place.ty)? else {
                return None;
            };
            let data = &s.program.globals[*id].init.as_ref()?.bytes;
            let bytes = data.get(..scalar.bytes() as usize)?;
            Some(vec![bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b))])
        }
        _ => None,
    }
}

/// Returns the value of an integer constant expression.
pub(crate) fn int_value(s: &Sema<'_>, e: &Expr) -> Option<i128> {
    let (scalar, 1) = s.lanes(e.ty)? else { return None };
    if scalar.is_float() {
        return None;
    }
    if let ExprKind::Const(bits) = &e.kind {
        return Some(int_of(bits[0], scalar));
    }
    Some(int_of(*eval(s, e)?.first()?, scalar))
}

/// Returns an address constant: a variable and a byte offset. The variable is `None` for a null pointer or an
/// integer.
pub(crate) fn address(s: &Sema<'_>, e: &Expr) -> Option<(Option<GlobalId>, i128)> {
    address_at(s, e, 0)
}

fn address_at(s: &Sema<'_>, e: &Expr, depth: u32) -> Option<(Option<GlobalId>, i128)> {
    if depth > MAX_DEPTH {
        return None;
    }
    let Type::Pointer { pointee, .. } = *s.ty(e.ty) else {
        return None;
    };
    match &e.kind {
        ExprKind::Const(bits) => Some((None, i128::from(bits[0]))),
        ExprKind::AddrOf(place) => place_address(s, place, depth + 1),
        ExprKind::Convert(Convert::Pointer, a) => address_at(s, a, depth + 1),
        ExprKind::Convert(Convert::IntToPointer, a) => Some((None, int_value(s, a)?)),
        ExprKind::PointerAdd { ptr, index, negate } => {
            let (global, offset) = address_at(s, ptr, depth + 1)?;
            let index = int_value(s, index)?;
            let size = i128::from(s.program.types.size(pointee).unwrap_or(1));
            let by = index.checked_mul(size)?;
            Some((global, if *negate { offset - by } else { offset + by }))
        }
        ExprKind::Conditional(c, a, b) => match eval(s, c)?[..] {
            [0] => address_at(s, b, depth + 1),
            _ => address_at(s, a, depth + 1),
        },
        _ => None,
    }
}

fn place_address(s: &Sema<'_>, place: &Place, depth: u32) -> Option<(Option<GlobalId>, i128)> {
    if depth > MAX_DEPTH {
        return None;
    }
    match &place.kind {
        PlaceKind::Global(id) => Some((Some(*id), 0)),
        PlaceKind::Deref { ptr, .. } => address_at(s, ptr, depth + 1),
        PlaceKind::Member { base, offset } => {
            let (global, at) = place_address(s, base, depth + 1)?;
            Some((global, at + i128::from(*offset)))
        }
        PlaceKind::Index { base, index } => {
            let (global, at) = place_address(s, base, depth + 1)?;
            let size = i128::from(s.program.types.size(place.ty)?);
            Some((global, at + int_value(s, index)?.checked_mul(size)?))
        }
        PlaceKind::Lanes { base, lanes } if matches!(lanes[..], [lane] if s.lanes(base.ty).is_some_and(|(_, n)| lane < n)) =>
        {
            let (global, at) = place_address(s, base, depth + 1)?;
            let size = i128::from(s.program.types.size(place.ty)?);
            Some((global, at + i128::from(lanes[0]) * size))
        }
        PlaceKind::Local(_)
        | PlaceKind::Lanes { .. }
        | PlaceKind::DynamicLane { .. }
        | PlaceKind::Temporary(_)
        | PlaceKind::Literal(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_round_trips_and_rounds_to_even() {
        for bits in 0..=0xffffu16 {
            let v = crate::half::to_f64(bits);
            if !v.is_nan() {
                assert_eq!(crate::half::from_f64(v), bits, "{v}");
            }
        }
        for (v, bits) in [
            (2049.0, 0x6800),
            (2051.0, 0x6802),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-25), 0),
            (2f64.powi(-25) * 1.0001, 1),
            (1023.5 * 2f64.powi(-24), 0x400),
        ] {
            assert_eq!(crate::half::from_f64(v), bits, "{v}");
        }
    }

    #[test]
    fn integer_conversions_and_arithmetic_wrap() {
        assert_eq!(convert(0xffff_ffff, Scalar::Int, Scalar::Long), u64::MAX);
        assert_eq!(convert(0xffff_ffff, Scalar::UInt, Scalar::Long), 0xffff_ffff);
        assert_eq!(convert((-1.5f64).to_bits(), Scalar::Double, Scalar::Char), 0xff);
        assert_eq!(convert(0x80, Scalar::Char, Scalar::Bool), 1);
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
        assert!(compare(CmpOp::Lt, Scalar::Int, 0xffff_ffff, 0));
        assert!(!compare(CmpOp::Lt, Scalar::UInt, 0xffff_ffff, 0));
    }
}
