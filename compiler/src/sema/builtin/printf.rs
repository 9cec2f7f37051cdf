//! `printf` (6.12.13).

use super::{Call, overload};
use crate::hir::{Expr, ExprKind, Scalar, Type};
use crate::intrinsic::Intrinsic;
use crate::sema::{Result, Sema};

/// `printf(format, …)`: the format and the strings of `%s` become numbers in the table of strings.
pub(super) fn printf(s: &mut Sema<'_>, at: Call<'_>, args: Vec<Expr>) -> Result<Expr> {
    let mut args = args.into_iter();
    let Some(format) = args.next() else {
        return Err(overload::no_overload(
            s,
            at,
            &["int printf(__constant char *format, ...)"],
        ));
    };
    let Some(bytes) = s.string_bytes(&format).map(<[u8]>::to_vec) else {
        return Err(s.error(format.span, "the format of printf is not a string literal"));
    };
    let id = s.printf_string(&bytes);
    let uint = s.common.uint;
    let mut out = vec![s.const_bits(u64::from(id), uint, format.span)];
    for e in args {
        out.push(argument(s, e)?);
    }
    Ok(Expr {
        kind: ExprKind::Intrinsic(Intrinsic::Printf, out),
        ty: s.common.int,
        span: at.span,
    })
}

/// Default argument promotions; floats become double where there is one, vectors stay.
fn argument(s: &mut Sema<'_>, e: Expr) -> Result<Expr> {
    match *s.ty(e.ty) {
        Type::Scalar(Scalar::Float | Scalar::Half) => {
            let ty = if s.has_double {
                s.common.double
            } else {
                s.common.float
            };
            Ok(s.numeric(e, ty))
        }
        Type::Scalar(_) => Ok(s.promote(e)),
        Type::Vector(..) => Ok(e),
        Type::Pointer { .. } => {
            if let Some(bytes) = s.string_bytes(&e).map(<[u8]>::to_vec) {
                let id = s.printf_string(&bytes);
                let uint = s.common.uint;
                return Ok(s.const_bits(u64::from(id), uint, e.span));
            }
            Ok(e)
        }
        Type::Void
        | Type::Array(..)
        | Type::IncompleteArray(_)
        | Type::Record(_)
        | Type::Function { .. }
        | Type::Image { .. }
        | Type::Sampler
        | Type::Event => {
            let name = s.type_name(e.ty);
            Err(s.error(e.span, format!("cannot pass a value of type '{name}' to printf")))
        }
    }
}
