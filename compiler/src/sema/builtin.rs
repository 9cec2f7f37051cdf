//! Built-in functions (6.12): resolving a call to a library function or an intrinsic.

use super::Sema;
use crate::hir;
use crate::source::Span;
use crate::syntax::ast;
use std::sync::Arc;

/// What a call of an unknown name turned out to be.
pub(super) enum BuiltinCall {
    /// No built-in function has that name.
    NotABuiltin,
    /// It is one, but the call is wrong; reported.
    Error,
    /// The call.
    Expr(Box<hir::Expr>),
}

/// A call `name(args)` that no declared function takes. Arguments are values: arrays and strings have become
/// pointers, nothing is promoted.
pub(super) fn call(s: &mut Sema<'_>, name: &ast::Ident, args: Vec<hir::Expr>, span: Span) -> BuiltinCall {
    let _ = (s, name, args, span);
    BuiltinCall::NotABuiltin
}

/// The library's file-scope declaration (typedef, struct, `__constant` table) of a name that library code uses
/// and that has not been declared yet.
pub(super) fn library_declaration(s: &mut Sema<'_>, name: &str) -> Option<Arc<ast::Declaration>> {
    let _ = (s, name);
    None
}

/// Whether a name is a built-in function's, for better messages when it is used other than in a call.
pub(super) fn is_builtin(name: &str) -> bool {
    let _ = name;
    false
}
