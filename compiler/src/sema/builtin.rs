//! Built-in functions (6.12): resolves a call to a library function, an intrinsic or an expression.
//!
//! On entry, no declaration in the program declares the name, and the arguments are values. On exit, the call
//! is HIR with every conversion explicit. The signatures are in [`crate::builtins`]; overloads are chosen by
//! the rules of clang for overloadable C functions (`overload`).

pub(super) mod build;
mod c11_atomic;
mod convert_fn;
mod generic_pointer;
mod half_fn;
mod image;
mod inline;
mod lanes;
mod library;
pub(crate) mod matrix;
mod memory;
mod native;
mod overload;
mod pipe;
mod printf;
mod relation;
mod shuffle;
pub(super) mod spec_constant;
#[cfg(test)]
mod tests;

use super::{Reported, Result, Sema};
use crate::builtins::library as lib;
use crate::builtins::name::{self, Spelled};
use crate::builtins::table::{self, How, INTERNAL_PREFIX, Inline, Row};
use crate::builtins::{Instance, Ty};
use crate::builtins::{older_contract, version};
use crate::hir::{self, Scalar, TypeId};
use crate::intrinsic::Intrinsic;
use crate::source::Span;
use crate::syntax::ast;
use std::sync::Arc;

/// The result of resolving a call of an undeclared name.
pub(super) enum BuiltinCall {
    /// No built-in function has this name.
    NotABuiltin,
    /// The name is that of a built-in function, but the call is wrong; the error is reported.
    Error,
    /// The resolved call.
    Expr(Box<hir::Expr>),
}

impl From<Result<hir::Expr>> for BuiltinCall {
    fn from(r: Result<hir::Expr>) -> Self {
        match r {
            Ok(e) => BuiltinCall::Expr(Box::new(e)),
            Err(Reported) => BuiltinCall::Error,
        }
    }
}

/// Resolves a call `name(args)` that no declared function accepts. The arguments are values: arrays and
/// strings have become pointers, but nothing is promoted.
pub(super) fn call(s: &mut Sema<'_>, name: &ast::Ident, args: Vec<hir::Expr>, span: Span) -> BuiltinCall {
    if s.in_library && lib::scalar_item(&name.name).is_some() {
        return library::named(s, &name.name, span)
            .and_then(|f| library::call_function(s, f, args, span))
            .into();
    }
    if name.name == spec_constant::NAME {
        return spec_constant::call(s, &args, span).into();
    }
    let since = version::since(&name.name);
    if since > s.options.std && !s.in_library && is_builtin(&name.name) {
        let message = format!(
            "function '{}' requires OpenCL C {}",
            name.name,
            since.offered().text()
        );
        s.error(name.span, message);
        return BuiltinCall::Error;
    }
    if s.older_rules() && is_builtin(&name.name) {
        let of_integers = args
            .last()
            .is_some_and(|a| s.lanes(a.ty).is_some_and(|(scalar, _)| scalar.is_integer()));
        let coordinates = of_integers && older_contract::takes_no_integers(&name.name);
        if coordinates || older_contract::refuses_function(&name.name) {
            let with = if coordinates {
                " with integer coordinates"
            } else {
                ""
            };
            let message = format!(
                "function '{}'{with} must not be used (--behaviour=older)",
                name.name
            );
            s.error(name.span, message);
            return BuiltinCall::Error;
        }
    }
    if let Some(what) = matrix::named(&name.name) {
        return matrix::call(s, Call { name, span }, what, args).into();
    }
    let Some(row) = find(&name.name, s.in_library) else {
        return match spelled(s, &name.name) {
            Some(what) => spelled_call(s, name, what, args, span).into(),
            None => BuiltinCall::NotABuiltin,
        };
    };
    if !s.target.features.subgroups && version::is_of_subgroups(&name.name) {
        let message = format!("function '{}' requires cl_khr_subgroups support", name.name);
        s.error(name.span, message);
        return BuiltinCall::Error;
    }
    if !s.target.features.subgroup_shuffle && version::is_shuffle_of_subgroups(&name.name) {
        let message = format!(
            "function '{}' requires cl_khr_subgroup_shuffle support",
            name.name
        );
        s.error(name.span, message);
        return BuiltinCall::Error;
    }
    if version::is_uniform_arithmetic(&name.name)
        && !s.in_library
        && !s.target.has_extension("cl_khr_work_group_uniform_arithmetic")
    {
        let message = format!(
            "function '{}' requires cl_khr_work_group_uniform_arithmetic support",
            name.name
        );
        s.error(name.span, message);
        return BuiltinCall::Error;
    }
    if let Some(feature) = version::feature_of(&name.name)
        && !s.in_library
        && !s.target.c_features.iter().any(|f| f == feature)
    {
        let message = format!(
            "function '{}' requires {feature}, which the device does not have",
            name.name
        );
        s.error(name.span, message);
        return BuiltinCall::Error;
    }
    let at = Call { name, span };
    if row.sigs.is_empty() {
        return inline::unresolved(s, at, row, args).into();
    }
    let result = overload::choose(s, at, row, &args).and_then(|inst| {
        let args = overload::convert(s, &inst, args)?;
        if let How::Inline(what @ (Inline::WorkItemFence | Inline::WorkGroupBarrier)) = row.how {
            return inline::ordering(s, at, what, &args);
        }
        emit(s, row, &inst, args, span)
    });
    result.into()
}

/// Returns whether there is a built-in function with this name, exactly these parameters and this result.
pub(super) fn declared(s: &mut Sema<'_>, name: &str, params: &[TypeId], ret: TypeId) -> bool {
    find(name, s.in_library).is_some_and(|row| overload::declared(s, row, params, ret))
}

/// The name and the position of a call.
#[derive(Copy, Clone)]
struct Call<'n> {
    name: &'n ast::Ident,
    span: Span,
}

fn find(name: &str, in_library: bool) -> Option<&'static Row> {
    table::lookup(name).filter(|_| in_library || !name.starts_with(INTERNAL_PREFIX))
}

/// Parses a name that spells types, such as `convert_int4`, if the target has those types.
fn spelled(s: &Sema<'_>, name: &str) -> Option<Spelled> {
    let what = name::parse(name)?;
    let exists = match what {
        Spelled::Convert { scalar, .. } | Spelled::As { scalar, .. } => has_type(s, scalar),
        Spelled::Load { .. }
        | Spelled::Store { .. }
        | Spelled::LoadHalf { .. }
        | Spelled::StoreHalf { .. } => true,
    };
    exists.then_some(what)
}

/// Returns whether the target can compute with a scalar type.
fn has_type(s: &Sema<'_>, scalar: Scalar) -> bool {
    match scalar {
        Scalar::Half => s.has_half,
        Scalar::Double => s.has_double || s.in_library,
        Scalar::Bool
        | Scalar::Char
        | Scalar::UChar
        | Scalar::Short
        | Scalar::UShort
        | Scalar::Int
        | Scalar::UInt
        | Scalar::Long
        | Scalar::ULong
        | Scalar::Float => true,
    }
}

fn spelled_call(
    s: &mut Sema<'_>,
    name: &ast::Ident,
    what: Spelled,
    args: Vec<hir::Expr>,
    span: Span,
) -> Result<hir::Expr> {
    let at = Call { name, span };
    match what {
        Spelled::Convert {
            scalar,
            lanes,
            sat,
            mode,
        } => convert_fn::convert(s, at, (scalar, lanes), sat, mode, args),
        Spelled::As { scalar, lanes } => convert_fn::reinterpret(s, at, (scalar, lanes), args),
        Spelled::Load { lanes } => memory::load(s, at, lanes, args),
        Spelled::Store { lanes } => memory::store(s, at, lanes, args),
        Spelled::LoadHalf { lanes, aligned } => half_fn::load(s, at, lanes, aligned, args),
        Spelled::StoreHalf { lanes, aligned, mode } => half_fn::store(s, at, lanes, aligned, mode, args),
    }
}

/// Builds the call of a resolved overload; the arguments have the parameters' types.
fn emit(
    s: &mut Sema<'_>,
    row: &'static Row,
    inst: &Instance,
    args: Vec<hir::Expr>,
    span: Span,
) -> Result<hir::Expr> {
    if s.options.native_math && !s.in_library && inst.scalar == Scalar::Float {
        match native::instead(row.name) {
            Some(native::Instead::Intrinsic(i)) => return inline::intrinsic(s, i, inst, args, span),
            Some(native::Instead::Row(name)) => {
                if let Some(row) = table::lookup(name) {
                    return emit(s, row, inst, args, span);
                }
            }
            None => {}
        }
    }
    match row.how {
        How::Scalar => lanes::call(s, row.name, inst, args, span),
        How::Fast(_) if row.name == "sqrt" && rounds_roots(s, inst) => {
            inline::intrinsic(s, Intrinsic::RoundedSqrt, inst, args, span)
        }
        How::Fast(fast) => match (table::lookup(fast), inst.scalar) {
            (Some(row), Scalar::Float) if is_relaxed(s) => emit(s, row, inst, args, span),
            _ => lanes::call(s, row.name, inst, args, span),
        },
        How::FastHalf(fast) => match (table::lookup(fast), inst.scalar) {
            (Some(row), Scalar::Float) if is_relaxed(s) => emit(s, row, inst, args, span),
            (Some(row), Scalar::Half) if is_relaxed(s) => in_float(s, row, inst, args, span),
            _ => lanes::call(s, row.name, inst, args, span),
        },
        How::Alias(to) => match table::lookup(to) {
            Some(row) => emit(s, row, inst, args, span),
            None => Err(library::missing(s, to, span)),
        },
        How::Strict(to) => lanes::call(s, to, inst, args, span),
        How::Generic => library::generic(s, row.name, inst, args, span),
        How::Library(name) => library::plain(s, name, inst, args, span),
        How::Intrinsic(i) => inline::intrinsic(s, i, inst, args, span),
        How::ByKind(signed, unsigned, float) => {
            let i = match (inst.scalar.is_float(), inst.scalar.is_signed()) {
                (true, _) => float,
                (false, true) => signed,
                (false, false) => unsigned,
            };
            inline::intrinsic(s, i, inst, args, span)
        }
        How::Inline(what) => inline::build(s, what, inst, args, span),
    }
}

/// Returns whether functions may be as inexact as -cl-fast-relaxed-math allows.
fn is_relaxed(s: &Sema<'_>) -> bool {
    s.options.fast_relaxed_math && !s.in_library
}

/// Computes a function of halves with the function of floats. Some drivers' functions of half do not meet any
/// limit of cl_khr_fp16's table (on H200, cos(54304h) is 1).
fn in_float(
    s: &mut Sema<'_>,
    row: &'static Row,
    inst: &Instance,
    args: Vec<hir::Expr>,
    span: Span,
) -> Result<hir::Expr> {
    let wide = Instance {
        scalar: Scalar::Float,
        ..*inst
    };
    let ty = s.vector_ty(Scalar::Float, inst.lanes);
    let args = args.into_iter().map(|e| s.numeric(e, ty)).collect();
    let result = emit(s, row, &wide, args, span)?;
    let ty = s.vector_ty(Scalar::Half, inst.lanes);
    Ok(s.numeric(result, ty))
}

/// Returns whether a square root must be correctly rounded on request, in the format where that is not always
/// required.
fn rounds_roots(s: &Sema<'_>, inst: &Instance) -> bool {
    s.options.fp32_correctly_rounded_divide_sqrt && !s.in_library && inst.scalar == Scalar::Float
}

/// Repeats scalar arguments whose parameter is a vector in another overload (`fmax(gentype, float)`).
fn widen(s: &mut Sema<'_>, inst: &Instance, args: Vec<hir::Expr>) -> Vec<hir::Expr> {
    let ty = s.vector_ty(inst.scalar, inst.lanes);
    let params = inst.sig.params.iter();
    params
        .zip(args)
        .map(|(&p, e)| if p == Ty::Elem { s.splat(e, ty) } else { e })
        .collect()
}

/// Returns the library's file-scope declaration (typedef, struct, `__constant` table) of a name that library
/// code uses and that has not been declared yet.
pub(super) fn library_declaration(s: &mut Sema<'_>, name: &str) -> Option<Arc<ast::Declaration>> {
    library::declaration(s, name)
}

/// Returns whether a name is that of a built-in function, for better messages when it is used outside a call.
pub(super) fn is_builtin(name: &str) -> bool {
    find(name, false).is_some()
        || name::parse(name).is_some()
        || name == spec_constant::NAME
        || matrix::named(name).is_some()
}
