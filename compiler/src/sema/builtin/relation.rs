//! Builds relational functions (6.12.6).

use super::build::{Before, binary, compare, constant, select, truth};
use crate::builtins::table::Relation;
use crate::hir::{BinOp, CmpOp, Convert, Expr, ExprKind, Scalar, TypeId};
use crate::intrinsic::Intrinsic;
use crate::sema::{Result, Sema};
use crate::source::Span;

/// Builds a comparison; `ty` is the type of the result.
pub(super) fn relation(s: &mut Sema<'_>, r: Relation, args: Vec<Expr>, ty: TypeId) -> Result<Expr> {
    let mut before = Before::default();
    let mut args = args.into_iter();
    let (Some(x), y) = (args.next(), args.next()) else {
        return Err(crate::sema::Reported);
    };
    let direct = match r {
        Relation::Equal => Some(CmpOp::Eq),
        Relation::NotEqual => Some(CmpOp::Ne),
        Relation::Greater => Some(CmpOp::Gt),
        Relation::GreaterEqual => Some(CmpOp::Ge),
        Relation::Less => Some(CmpOp::Lt),
        Relation::LessEqual => Some(CmpOp::Le),
        Relation::LessGreater | Relation::Ordered | Relation::Unordered | Relation::Nan => None,
    };
    if let (Some(op), Some(y)) = (direct, y.clone()) {
        let e = compare(s, op, x, y);
        return Ok(truth(s, e, ty));
    }
    let x = before.bind(s, x)?;
    let y = match y {
        Some(y) => before.bind(s, y)?,
        None => x.clone(),
    };
    let itself = |s: &mut Sema<'_>, op: CmpOp, v: &Expr| {
        let e = compare(s, op, v.clone(), v.clone());
        truth(s, e, ty)
    };
    let value = match r {
        Relation::LessGreater => {
            let less = compare(s, CmpOp::Lt, x.clone(), y.clone());
            let greater = compare(s, CmpOp::Gt, x, y);
            let (less, greater) = (truth(s, less, ty), truth(s, greater, ty));
            binary(BinOp::Or, less, greater, false)
        }
        Relation::Ordered => {
            let (a, b) = (itself(s, CmpOp::Eq, &x), itself(s, CmpOp::Eq, &y));
            binary(BinOp::And, a, b, false)
        }
        Relation::Unordered => {
            let (a, b) = (itself(s, CmpOp::Ne, &x), itself(s, CmpOp::Ne, &y));
            binary(BinOp::Or, a, b, false)
        }
        Relation::Nan
        | Relation::Equal
        | Relation::NotEqual
        | Relation::Greater
        | Relation::GreaterEqual
        | Relation::Less
        | Relation::LessEqual => itself(s, CmpOp::Ne, &x),
    };
    Ok(before.then(value))
}

/// Returns a `Bool` for each lane: whether its most significant bit is set.
fn sign_bits(s: &mut Sema<'_>, e: Expr) -> Expr {
    let Some((scalar, lanes)) = s.lanes(e.ty) else {
        return e;
    };
    let signed = crate::sema::convert::signed_of_width(scalar.bytes());
    let ty = s.vector_ty(signed, lanes);
    let span = e.span;
    let e = s.reinterpret(Convert::Bits, e, ty);
    let zero = constant(s, 0, signed, lanes, span);
    compare(s, CmpOp::Lt, e, zero)
}

/// Builds `any(x)` or `all(x)`, which test the most significant bits.
pub(super) fn any_all(s: &mut Sema<'_>, all: bool, e: Expr, span: Span) -> Expr {
    let int = s.common.int;
    let e = sign_bits(s, e);
    let e = match s.lanes(e.ty) {
        Some((_, n)) if n > 1 => Expr {
            kind: ExprKind::Intrinsic(if all { Intrinsic::All } else { Intrinsic::Any }, vec![e]),
            ty: s.common.bool,
            span,
        },
        _ => e,
    };
    s.numeric(e, int)
}

/// Builds `select(a, b, c)`: `c ? b : a` for a scalar; for vectors, the choice by the most significant bit of
/// each lane of `c`.
pub(super) fn choose(s: &mut Sema<'_>, args: Vec<Expr>) -> Result<Expr> {
    let Ok([a, b, c]) = <[Expr; 3]>::try_from(args) else {
        return Err(crate::sema::Reported);
    };
    let mut before = Before::default();
    let (a, b) = (before.bind(s, a)?, before.bind(s, b)?);
    let cond = match s.lanes(c.ty) {
        Some((_, n)) if n > 1 => sign_bits(s, c),
        _ => {
            let ty = s.vector_ty(Scalar::Bool, 1);
            s.numeric(c, ty)
        }
    };
    Ok(before.then(select(cond, b, a)))
}
