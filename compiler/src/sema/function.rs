//! Functions (being written: everything here reports that it is not implemented yet).

use super::{Reported, Result, Sema};
use crate::hir::{FuncId, LabelId, LocalId};
use crate::source::Span;
use crate::syntax::ast;

/// A label's state in a function.
pub(super) struct LabelState {
    pub(super) id: LabelId,
    pub(super) defined: bool,
    pub(super) used: Span,
}

/// What is known of a function beside its HIR.
pub(super) struct FunctionInfo {
    pub(super) defined: bool,
}

impl Sema<'_> {
    pub(super) fn item(&mut self, item: &ast::Item) {
        let span = match item {
            ast::Item::Function(f) => f.span,
            ast::Item::Declaration(d) => d.span,
        };
        self.error(span, "declarations are not implemented yet");
    }

    pub(super) fn declare_library_function(&mut self, _key: &str, def: &ast::FunctionDef) -> Result<FuncId> {
        Err(self.error(def.span, "library functions are not implemented yet"))
    }

    pub(super) fn library_body(&mut self, _id: FuncId, def: &ast::FunctionDef) {
        let _: Reported = self.error(def.span, "library functions are not implemented yet");
    }

    pub(super) fn check_recursion(&mut self) {}

    pub(super) fn constant_local(&self, _id: LocalId) -> Option<u64> {
        None
    }
}
