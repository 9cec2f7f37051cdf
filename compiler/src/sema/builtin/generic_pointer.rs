//! Builds the functions that tell where a generic pointer leads (OpenCL C 3.0, 6.15.9): `to_global`, `to_local`,
//! `to_private` and `get_fence`.

use super::build::Before;
use super::{Call, overload};
use crate::builtins::table::PointerQuery;
use crate::hir::{CmpOp, Convert, Expr, ExprKind, Scalar, Space, Type};
use crate::intrinsic::Intrinsic;
use crate::sema::{Result, Sema};
use crate::source::Span;

/// The values of CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE.
const LOCAL_FENCE: u64 = 1;
const GLOBAL_FENCE: u64 = 2;

/// Returns whether the tag of a pointer is that of private or local memory.
fn has_tag(s: &mut Sema<'_>, tag: &Expr, space: Space, span: Span) -> Expr {
    let number = s.const_int(space.tag() as i32, span);
    super::build::compare(s, CmpOp::Eq, tag.clone(), number)
}

/// Returns `yes` or `no`, which are of one type and have no effects.
fn choose(cond: Expr, yes: Expr, no: Expr, span: Span) -> Expr {
    Expr {
        ty: yes.ty,
        kind: ExprKind::Conditional(Box::new(cond), Box::new(yes), Box::new(no)),
        span,
    }
}

/// Builds the call.
pub(super) fn call(s: &mut Sema<'_>, at: Call<'_>, what: PointerQuery, args: Vec<Expr>) -> Result<Expr> {
    let candidates: &[&str] = match what {
        PointerQuery::To(Space::Global) => &["global gentype *to_global(generic gentype *ptr)"],
        PointerQuery::To(Space::Local) => &["local gentype *to_local(generic gentype *ptr)"],
        PointerQuery::To(_) => &["private gentype *to_private(generic gentype *ptr)"],
        PointerQuery::Fence => &["cl_mem_fence_flags get_fence(const generic void *ptr)"],
    };
    let Ok([pointer]) = <[Expr; 1]>::try_from(args) else {
        return Err(overload::no_overload(s, at, candidates));
    };
    match *s.ty(pointer.ty) {
        Type::Pointer { space, .. } if space != Space::Constant => {}
        _ => return Err(overload::no_overload(s, at, candidates)),
    }
    let span = at.span;
    let mut before = Before::default();
    let pointer = s.pointer_in(pointer, Space::Generic);
    let pointer = before.bind(s, pointer)?;
    let tag = Expr {
        kind: ExprKind::Intrinsic(Intrinsic::PointerTag, vec![pointer.clone()]),
        ty: s.common.int,
        span,
    };
    let tag = before.bind(s, tag)?;
    let is_local = has_tag(s, &tag, Space::Local, span);
    let is_private = has_tag(s, &tag, Space::Private, span);
    let value = match what {
        PointerQuery::Fence => {
            let mut flags = |n| super::build::constant(s, n, Scalar::UInt, 1, span);
            let (none, local, global) = (flags(0), flags(LOCAL_FENCE), flags(GLOBAL_FENCE));
            let shared = choose(is_local, local, global, span);
            choose(is_private, none, shared, span)
        }
        PointerQuery::To(space) => {
            let there = s.pointer_in(pointer, space);
            let null = Expr {
                kind: ExprKind::Const(vec![0]),
                ty: s.common.ulong,
                span,
            };
            let null = s.reinterpret(Convert::IntToPointer, null, there.ty);
            match space {
                Space::Local => choose(is_local, there, null, span),
                Space::Private => choose(is_private, there, null, span),
                _ => {
                    let rest = choose(is_local, null.clone(), there, span);
                    choose(is_private, null, rest, span)
                }
            }
        }
    };
    Ok(before.then(value))
}
