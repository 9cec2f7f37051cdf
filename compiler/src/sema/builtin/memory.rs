//! Builds `vloadn` and `vstoren` (6.12.7).

use super::build::{binary, constant};
use super::{Call, overload};
use crate::hir::{BinOp, Convert, Expr, ExprKind, Place, Scalar, Space, Type};
use crate::sema::convert::Why;
use crate::sema::{Result, Sema};
use crate::source::Span;

/// A pointer argument with its element type and address space.
pub(super) struct Pointer {
    pub(super) ptr: Expr,
    pub(super) elem: Scalar,
    pub(super) space: Space,
    pub(super) is_const: bool,
}

/// Interprets an argument as a pointer to a scalar.
pub(super) fn pointer(s: &Sema<'_>, e: Expr) -> Option<Pointer> {
    let Type::Pointer {
        pointee,
        space,
        is_const,
        ..
    } = *s.ty(e.ty)
    else {
        return None;
    };
    let (elem, 1) = s.lanes(pointee)? else { return None };
    (elem != Scalar::Bool).then_some(Pointer {
        ptr: e,
        elem,
        space,
        is_const: is_const || space == Space::Constant,
    })
}

/// Interprets an argument as a pointer to elements of a type. As in clang, if the call can only mean one
/// function, another pointee is converted with a warning, and `void` without one.
pub(super) fn pointer_to(s: &mut Sema<'_>, e: Expr, elem: Scalar, written: bool) -> Option<Pointer> {
    let Type::Pointer {
        pointee,
        space,
        is_const,
        is_volatile,
        ..
    } = *s.ty(e.ty)
    else {
        return None;
    };
    if written && space == Space::Constant {
        return None;
    }
    let drops_const = written && is_const;
    let same = s.lanes(pointee) == Some((elem, 1));
    if same && !drops_const {
        return pointer(s, e);
    }
    let scalar = s.program.types.scalar(elem);
    let ty = s.program.types.intern(Type::Pointer {
        pointee: scalar,
        space,
        is_const: is_const && !written,
        is_volatile,
        is_restrict: false,
        align: 0,
    });
    let (from, to) = (s.type_name(e.ty), s.type_name(ty));
    if drops_const {
        let message = format!("passing '{from}' to parameter of type '{to}' discards qualifiers");
        s.warning(e.span, message);
    } else if *s.ty(pointee) != Type::Void {
        let message = format!("incompatible pointer types passing '{from}' to parameter of type '{to}'");
        s.warning(e.span, message);
    }
    let e = s.reinterpret(Convert::Pointer, e, ty);
    pointer(s, e)
}

/// Returns the object of `lanes` elements of type `view`, which has the pointee's size, at `p + offset *
/// step`. The object is known to be aligned to `align` bytes only.
pub(super) fn place(
    s: &mut Sema<'_>,
    p: Pointer,
    offset: Expr,
    step: u8,
    view: Scalar,
    lanes: u8,
    align: u32,
    span: Span,
) -> Result<Place> {
    let ulong = s.common.ulong;
    let offset = s.convert(offset, ulong, Why::Pass)?;
    let index = if step == 1 {
        offset
    } else {
        let step = constant(s, u64::from(step), Scalar::ULong, 1, span);
        binary(BinOp::Mul, offset, step, false)
    };
    let at = Expr {
        ty: p.ptr.ty,
        kind: ExprKind::PointerAdd {
            ptr: Box::new(p.ptr),
            index: Box::new(index),
            negate: false,
        },
        span,
    };
    let vector = s.vector_ty(view, lanes);
    let ty = s.pointer_ty(vector, p.space);
    let at = s.reinterpret(Convert::Pointer, at, ty);
    Ok(s.deref(at, Some(align)).place)
}

/// Builds `vloadn(offset, p)`.
pub(super) fn load(s: &mut Sema<'_>, at: Call<'_>, lanes: u8, args: Vec<Expr>) -> Result<Expr> {
    const CANDIDATES: &[&str] = &["gentypen vloadn(size_t offset, const gentype *p)"];
    let Ok([offset, p]) = <[Expr; 2]>::try_from(args) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let Some(p) = pointer(s, p).filter(|p| super::has_type(s, p.elem)) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let (elem, align) = (p.elem, p.elem.bytes());
    let place = place(s, p, offset, lanes, elem, lanes, align, at.span)?;
    let e = s.load(place);
    Ok(Expr { span: at.span, ..e })
}

/// Builds `vstoren(data, offset, p)`.
pub(super) fn store(s: &mut Sema<'_>, at: Call<'_>, lanes: u8, args: Vec<Expr>) -> Result<Expr> {
    const CANDIDATES: &[&str] = &["void vstoren(gentypen data, size_t offset, gentype *p)"];
    let Ok([data, offset, p]) = <[Expr; 3]>::try_from(args) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let p = match s.lanes(data.ty) {
        Some((elem, n)) if n == lanes => pointer_to(s, p, elem, true),
        Some((_, 1)) => pointer(s, p).filter(|p| !p.is_const),
        _ => None,
    };
    let Some(p) = p.filter(|p| super::has_type(s, p.elem)) else {
        return Err(overload::no_overload(s, at, CANDIDATES));
    };
    let (elem, align) = (p.elem, p.elem.bytes());
    let ty = s.vector_ty(elem, lanes);
    let data = s.convert(data, ty, Why::Pass)?;
    let place = place(s, p, offset, lanes, elem, lanes, align, at.span)?;
    let assign = Expr {
        kind: ExprKind::Assign(Box::new(place), Box::new(data)),
        ty,
        span: at.span,
    };
    Ok(discard(s, assign))
}

/// Evaluates an expression and discards its value.
pub(super) fn discard(s: &Sema<'_>, e: Expr) -> Expr {
    let span = e.span;
    let mut before = super::build::Before::default();
    before.effect(e);
    before.then_nothing(s, span)
}
