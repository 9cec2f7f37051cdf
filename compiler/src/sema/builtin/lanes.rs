//! Builds lane-by-lane calls of the library's scalar functions.

use super::build::{Before, join, lane};
use super::{library, overload};
use crate::builtins::signature::{Concrete, PointeeConcrete};
use crate::builtins::{Instance, PointeeTy, Ty};
use crate::hir::{Expr, ExprKind, Scalar, Space};
use crate::sema::{Result, Sema};
use crate::source::Span;

/// Builds `name(args)` with one call for each lane. Pointer parameters are results, which are returned in
/// private variables. Half is computed in float and rounded, unless the library has a half version of the
/// function.
pub(super) fn call(
    s: &mut Sema<'_>,
    name: &str,
    inst: &Instance,
    args: Vec<Expr>,
    span: Span,
) -> Result<Expr> {
    // In float, the results of these functions would be rounded differently.
    let own = ["fma", "fract", "nextafter"].contains(&name);
    let suffix = match inst.scalar {
        Scalar::Double => "d",
        Scalar::Half if own => "h",
        _ => "f",
    };
    let compute = match (inst.scalar, suffix) {
        (Scalar::Half, "f") => Scalar::Float,
        (scalar, _) => scalar,
    };
    let func = library::named(s, &format!("{name}_{suffix}"), span)?;
    let lanes = usize::from(inst.lanes);
    let to_compute = |c: Concrete| match c {
        Concrete::Arith(t, _) if t == inst.scalar => compute,
        Concrete::Arith(t, _) => t,
        Concrete::Void | Concrete::Event | Concrete::Ptr(..) | Concrete::Image(..) | Concrete::Sampler => {
            compute
        }
    };

    let mut before = Before::default();
    let mut bound = Vec::with_capacity(args.len());
    let simple = lanes == 1 && !inst.sig.params.iter().any(|p| matches!(p, Ty::Ptr(..)));
    for e in args {
        bound.push(if simple { e } else { before.bind(s, e)? });
    }
    let mut outs: Vec<(usize, PointeeTy, Vec<Expr>)> = Vec::new();
    let ret_lane = match inst.concrete(inst.sig.ret) {
        Concrete::Arith(t, _) => t,
        Concrete::Void | Concrete::Event | Concrete::Ptr(..) | Concrete::Image(..) | Concrete::Sampler => {
            inst.scalar
        }
    };
    let ret_scalar = s.vector_ty(ret_lane, 1);
    let mut results = Vec::with_capacity(lanes);
    for i in 0..inst.lanes {
        let mut call_args = Vec::with_capacity(bound.len());
        for (p, (&param, e)) in inst.sig.params.iter().zip(&bound).enumerate() {
            match inst.concrete(param) {
                Concrete::Ptr(PointeeConcrete::Arith(t, _), ..) => {
                    let Ty::Ptr(to, ..) = param else { continue };
                    let cell = if t == inst.scalar { compute } else { t };
                    let cell = s.vector_ty(cell, 1);
                    let local = before.out(s, cell, span)?;
                    let place = s.local_place(local, span);
                    let value = s.load(place.clone());
                    let narrow = s.vector_ty(t, 1);
                    let value = s.numeric(value, narrow);
                    match outs.iter_mut().find(|o| o.0 == p) {
                        Some(o) => o.2.push(value),
                        None => outs.push((p, to, vec![value])),
                    }
                    call_args.push(Expr {
                        ty: s.pointer_ty(cell, Space::Private),
                        kind: ExprKind::AddrOf(Box::new(place)),
                        span,
                    });
                }
                c => {
                    let ty = s.vector_ty(to_compute(c), 1);
                    let e = lane(s, e, i);
                    call_args.push(s.numeric(e, ty));
                }
            }
        }
        let r = library::call_function(s, func, call_args, span)?;
        let r = s.numeric(r, ret_scalar);
        results.push(if outs.is_empty() { r } else { before.bind(s, r)? });
    }
    let ret = overload::type_of(s, inst.concrete(inst.sig.ret));
    for (p, _, values) in outs {
        let target = s.deref(bound[p].clone(), None).place;
        let ty = target.ty;
        let value = join(ty, values, span);
        before.effect(Expr {
            kind: ExprKind::Assign(Box::new(target), Box::new(value)),
            ty,
            span,
        });
    }
    Ok(before.then(join(ret, results, span)))
}
