//! `__spirv_SpecConstant(id, default)`, with which DPC++'s device compiler writes a specialization constant.
//!
//! A build decides its value: that of the options, or the default. It has the type of the default.

use crate::hir::{Expr, ExprKind, Scalar};
use crate::sema::{Result, Sema, fold};
use crate::source::Span;

/// The name of the function.
pub(super) const NAME: &str = "__spirv_SpecConstant";

/// Resolves a call.
pub(super) fn call(s: &mut Sema<'_>, args: &[Expr], span: Span) -> Result<Expr> {
    let [id, default] = args else {
        return Err(s.error(span, format!("'{NAME}' takes an id and a default value")));
    };
    let number = fold::int_value(s, id).and_then(|v| u32::try_from(v).ok());
    let Some(number) = number else {
        return Err(s.error(
            id.span,
            format!("the id of '{NAME}' must be a constant from 0 on"),
        ));
    };
    let Some((scalar, 1)) = s.lanes(default.ty) else {
        return Err(s.error(
            default.span,
            format!("the default value of '{NAME}' must be a scalar"),
        ));
    };
    let Some(mut bits) = fold::eval(s, default).filter(|b| b.len() == 1) else {
        return Err(s.error(
            default.span,
            format!("the default value of '{NAME}' must be constant"),
        ));
    };
    if let Some(value) = s.options.spec_constants.get(&number) {
        let size = scalar.bytes() as usize;
        // Integers are given with eight bytes.
        let fits = value.len() == size || scalar.is_integer() && value.len() == 8;
        if !fits {
            let message = format!(
                "the value of the specialization constant {number} has {} bytes instead of {size}",
                value.len()
            );
            return Err(s.error(span, message));
        }
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&value[..size]);
        let value = u64::from_le_bytes(bytes);
        bits = vec![if scalar == Scalar::Bool {
            u64::from(value != 0)
        } else {
            value
        }];
    }
    Ok(Expr {
        kind: ExprKind::Const(bits),
        ty: default.ty,
        span,
    })
}
