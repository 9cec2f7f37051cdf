//! Constant expressions: the values of their lanes, and address constants.

use super::Sema;
use crate::hir::value::{binary, compare, complement, convert, int_of, negate, truncate};
use crate::hir::{Convert, Expr, ExprKind, GlobalId, Place, PlaceKind, Space, Type};

/// The greatest depth of expressions that are evaluated recursively; sema's own limit on nesting is lower.
const MAX_DEPTH: u32 = 2000;

/// Returns the lanes of the value of an arithmetic expression, or `None` if it is not constant.
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
        ExprKind::BitNot(a) => go(a)?.into_iter().map(|v| complement(scalar, v)).collect(),
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
        ExprKind::PointerDiff(a, b) => vec![difference(s, a, b)?],
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

/// Returns the number of elements between two pointers into one object, as bits of a `ptrdiff_t`.
fn difference(s: &Sema<'_>, a: &Expr, b: &Expr) -> Option<u64> {
    let (left, right) = (address(s, a)?, address(s, b)?);
    let Type::Pointer { pointee, .. } = *s.ty(a.ty) else {
        return None;
    };
    let size = i128::from(s.program.types.size(pointee)?).max(1);
    (left.0 == right.0).then(|| ((left.1 - right.1) / size) as u64)
}

/// Returns the value that a place holds, if it is a `const` variable that was initialized with a constant.
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

/// Returns the value of an integer expression, or `None` if it is not constant.
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

/// Returns the address of a place, as [`address`] does.
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
