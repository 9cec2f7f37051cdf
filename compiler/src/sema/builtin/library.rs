//! Finds, parses and instantiates library functions (`builtins/lib/*.cl`), and builds calls of them.

use super::{overload, widen};
use crate::builtins::Instance;
use crate::builtins::library::{self as lib, Item, TypeArgs};
use crate::builtins::signature::Concrete;
use crate::diag::Diag;
use crate::hir::{Expr, ExprKind, FuncId, Scalar};
use crate::options::Options;
use crate::pp;
use crate::sema::convert::Why;
use crate::sema::{Reported, Result, Sema};
use crate::source::Span;
use crate::syntax::{self, ast};
use std::sync::Arc;

/// Reports a function that the table lists and the library lacks.
pub(super) fn missing(s: &mut Sema<'_>, name: &str, span: Span) -> Reported {
    s.error(
        span,
        format!("built-in function '{name}' is not implemented for this type"),
    )
}

fn parse(s: &mut Sema<'_>, item: &Item, text: String) -> Vec<ast::Item> {
    let file = s.map.add_library(item.file, text);
    let options = Options::default();
    let tokens = pp::preprocess(s.map, file, &options, s.target, &pp::NoIncludes, s.diags);
    syntax::parse_item(&tokens, &[], s.map, s.diags)
}

fn parse_function(s: &mut Sema<'_>, item: &Item, text: String) -> Option<Arc<ast::FunctionDef>> {
    parse(s, item, text).into_iter().find_map(|i| match i {
        ast::Item::Function(f) => Some(Arc::new(*f)),
        ast::Item::Declaration(_) | ast::Item::StaticAssert(..) => None,
    })
}

/// Returns the function of an item that is not generic.
pub(super) fn function(s: &mut Sema<'_>, item: &'static Item, span: Span) -> Result<FuncId> {
    let id = s.library_function(item.name, |s| parse_function(s, item, item.text.to_string()));
    id.ok_or_else(|| missing(s, item.name, span))
}

/// Returns an instance of a generic item.
pub(super) fn instance(s: &mut Sema<'_>, item: &'static Item, types: TypeArgs, span: Span) -> Result<FuncId> {
    let key = format!("{}<{}>", item.name, types.key());
    let is_turned = s.target.checks.race && item.name.starts_with("async_");
    let text = || match item.instantiate(types) {
        // Another work-item than the one that the program may expect makes each part of a copy.
        text if is_turned => text.replace("__c_linear_id", "__c_next_id"),
        text => text,
    };
    let id = s.library_function(&key, |s| parse_function(s, item, text()));
    id.ok_or_else(|| missing(s, item.name, span))
}

/// Builds a call of a library function, with C's conversions of the arguments.
pub(super) fn call_function(s: &mut Sema<'_>, func: FuncId, args: Vec<Expr>, span: Span) -> Result<Expr> {
    let signature = s.signatures[func].clone();
    if signature.params.len() != args.len() {
        return Err(s.report(Diag::error(
            span,
            "wrong number of arguments in a call of the built-in library",
        )));
    }
    let params = signature.params.into_iter();
    let args = params
        .zip(args)
        .map(|(ty, e)| s.convert(e, ty, Why::Pass))
        .collect::<Result<_>>()?;
    Ok(Expr {
        kind: ExprKind::Call(func, args),
        ty: signature.ret,
        span,
    })
}

/// Returns the library function with one of the library's internal names.
pub(super) fn named(s: &mut Sema<'_>, name: &str, span: Span) -> Result<FuncId> {
    match lib::scalar_item(name) {
        Some((item, None)) => function(s, item, span),
        Some((item, Some(scalar))) => instance(s, item, TypeArgs::of(scalar, 1), span),
        None => Err(missing(s, name, span)),
    }
}

/// Builds a call of a function that is not generic, with the parameters and the result of the signature. A result of type
/// `ulong` is a `size_t`.
pub(super) fn plain(
    s: &mut Sema<'_>,
    name: &str,
    inst: &Instance,
    args: Vec<Expr>,
    span: Span,
) -> Result<Expr> {
    let Some(item) = lib::item(name) else {
        return Err(missing(s, name, span));
    };
    let func = function(s, item, span)?;
    let value = call_function(s, func, args, span)?;
    let size = s.common.size;
    Ok(match inst.concrete(inst.sig.ret) {
        Concrete::Arith(Scalar::ULong, 1) if !s.in_library => s.numeric(value, size),
        _ => value,
    })
}

/// Builds a call of a generic function for the instance's type.
pub(super) fn generic(
    s: &mut Sema<'_>,
    name: &str,
    inst: &Instance,
    args: Vec<Expr>,
    span: Span,
) -> Result<Expr> {
    let Some(item) = lib::generic_item(name, inst.scalar, inst.lanes) else {
        return Err(missing(s, name, span));
    };
    let args = widen(s, inst, args);
    let func = instance(s, item, TypeArgs::of(inst.scalar, inst.lanes), span)?;
    let ret = overload::type_of(s, inst.concrete(inst.sig.ret));
    let e = call_function(s, func, args, span)?;
    s.convert(e, ret, Why::Return)
}

/// Returns a file-scope declaration of the library.
pub(super) fn declaration(s: &mut Sema<'_>, name: &str) -> Option<Arc<ast::Declaration>> {
    let item = lib::item(name)?;
    parse(s, item, item.text.to_string())
        .into_iter()
        .find_map(|i| match i {
            ast::Item::Function(_) | ast::Item::StaticAssert(..) => None,
            ast::Item::Declaration(d) => Some(Arc::new(d)),
        })
}
