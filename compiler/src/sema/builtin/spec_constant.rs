//! `__spirv_SpecConstant(id, default)`, with which DPC++'s device compiler writes a specialization constant, and
//! `__spirv_SpecConstantComposite(…)`, which gathers such constants in a structure or vector.
//!
//! A build decides the value of a constant: that of the options, or the default. It has the type of the default, or the
//! result type of the declaration if the program contains one. A
//! composite has the result type of the declaration, which the program has to contain; there may be several
//! (`overloadable`).

use crate::hir::{Expr, ExprKind, FuncId, Init, Place, PlaceKind, Scalar, Space, Type, TypeId};
use crate::sema::convert::Why;
use crate::sema::{Result, Sema, fold};
use crate::source::Span;
use std::iter::Peekable;
use std::vec::IntoIter;

/// The name of the function for composites.
pub(in crate::sema) const COMPOSITE: &str = "__spirv_SpecConstantComposite";

/// The name of the function.
pub(in crate::sema) const NAME: &str = "__spirv_SpecConstant";

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

/// Resolves a call of a declared function with the name of [`NAME`]. The default has the declared type of the result.
pub(in crate::sema) fn declared(s: &mut Sema<'_>, f: FuncId, args: Vec<Expr>, span: Span) -> Result<Expr> {
    match <[Expr; 2]>::try_from(args) {
        Ok([id, default]) => {
            let default = s.convert(default, s.signatures[f].ret, Why::Pass)?;
            call(s, &[id, default], span)
        }
        Err(args) => call(s, &args, span),
    }
}

/// Resolves a call of a declared function with the name of [`COMPOSITE`]. Each argument is a member, or an element of an array
/// that is a member.
pub(in crate::sema) fn composite(s: &mut Sema<'_>, f: FuncId, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let ty = s.signatures[f].ret;
    for arg in &args {
        let is_composite =
            matches!(&arg.kind, ExprKind::Load(place) if matches!(place.kind, PlaceKind::Literal(..)));
        if !is_composite && fold::eval(s, arg).is_none() {
            return Err(s.error(
                arg.span,
                format!("the arguments of '{COMPOSITE}' must be constant"),
            ));
        }
    }
    if let Type::Vector(..) = s.ty(ty) {
        return s.build_vector(args, ty, span, false);
    }
    if !matches!(s.ty(ty), Type::Record(_)) || s.body.is_none() {
        let message = match s.body {
            Some(_) => format!("'{COMPOSITE}' must be declared with a structure or vector as result"),
            None => format!("a structure from '{COMPOSITE}' is implemented in functions only"),
        };
        return Err(s.error(span, message));
    }
    let mut stores = Vec::new();
    let mut args = args.into_iter().peekable();
    fill(s, ty, 0, &mut args, &mut stores, span)?;
    if let Some(more) = args.next() {
        return Err(s.error(
            more.span,
            format!("'{COMPOSITE}' has more arguments than members"),
        ));
    }
    let local = s.fresh_local("", ty, span)?;
    let init = Init { zero: true, stores };
    let place = Place {
        kind: PlaceKind::Literal(local, Box::new(init)),
        ty,
        space: Space::Private,
        is_volatile: false,
        span,
    };
    Ok(Expr {
        kind: ExprKind::Load(Box::new(place)),
        ty,
        span,
    })
}

/// Stores the next arguments to an object of a type at an offset.
fn fill(
    s: &mut Sema<'_>,
    ty: TypeId,
    offset: u32,
    args: &mut Peekable<IntoIter<Expr>>,
    stores: &mut Vec<(u32, Expr)>,
    span: Span,
) -> Result<()> {
    let Some(next) = args.peek() else {
        return Err(s.error(span, format!("'{COMPOSITE}' has fewer arguments than members")));
    };
    let parts: Vec<(TypeId, u32)> = match *s.ty(ty) {
        Type::Array(elem, n) => {
            let size = s.program.types.size(elem).unwrap_or(0);
            (0..n).map(|i| (elem, (size * i) as u32)).collect()
        }
        Type::Record(id) if next.ty != ty => {
            let record = &s.program.types.records[id];
            if record.is_union {
                return Err(s.error(span, format!("'{COMPOSITE}' of a union is not implemented")));
            }
            let fields = record.fields.iter().flatten();
            fields.map(|f| (f.ty, f.offset)).collect()
        }
        _ => {
            if let Some(value) = args.next() {
                stores.push((offset, s.convert(value, ty, Why::Init)?));
            }
            return Ok(());
        }
    };
    for (part, at) in parts {
        fill(s, part, offset + at, args, stores, span)?;
    }
    Ok(())
}
