//! Analyses statements (C99 6.8) and GNU statement expressions.

use super::convert::Why;
use super::function::LabelState;
use super::{Result, Sema};
use crate::hir::{Expr, ExprKind, LabelId, Stmt, StmtKind, Type};
use crate::source::Span;
use crate::syntax::ast::{self, ForInit, Ident};

/// The greatest nesting depth of loops, which is more than the control flow of SPIR-V modules may have.
const MAX_LOOPS: u32 = 256;

fn block(stmts: Vec<Stmt>, span: Span) -> Stmt {
    Stmt {
        kind: StmtKind::Block(stmts),
        span,
    }
}

impl Sema<'_> {
    /// Opens a scope for names, tags and pragmas, and runs `f` in it.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.world.names.push();
        self.world.tags.push();
        let contract = self.body.as_mut().map(|b| {
            b.depth += 1;
            b.contract
        });
        let result = f(self);
        if let (Some(b), Some(contract)) = (&mut self.body, contract) {
            b.depth -= 1;
            b.contract = contract;
        }
        self.world.names.pop();
        self.world.tags.pop();
        result
    }

    /// Analyses statements in order; an error in one does not affect the others.
    pub(super) fn statements(&mut self, list: &[ast::Stmt]) -> Result<Vec<Stmt>> {
        let mut out = Vec::with_capacity(list.len());
        let mut failed = None;
        for s in list {
            if let Err(r) = self.statement_into(s, &mut out) {
                failed = Some(r);
            }
        }
        failed.map_or(Ok(out), Err)
    }

    /// Analyses a statement and returns it as a single statement.
    pub(super) fn statement(&mut self, s: &ast::Stmt) -> Result<Stmt> {
        let mut out = Vec::new();
        self.statement_into(s, &mut out)?;
        Ok(match (out.len(), out.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                out.extend(last);
                block(out, s.span)
            }
        })
    }

    fn statement_into(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) -> Result<()> {
        self.nesting += 1;
        let result = if self.nesting > super::MAX_NESTING {
            Err(self.error(s.span, "statement is nested too deeply"))
        } else {
            self.labelled(s, out)
        };
        self.nesting -= 1;
        result
    }

    /// Analyses a statement with its labels.
    fn labelled(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) -> Result<()> {
        let (s, labels) = self.labels_of(s, out);
        self.unlabelled(s, out)?;
        labels
    }

    /// Analyses the labels of a statement without recursion. Returns the statement after them.
    fn labels_of<'s>(&mut self, mut s: &'s ast::Stmt, out: &mut Vec<Stmt>) -> (&'s ast::Stmt, Result<()>) {
        let mut labels = Ok(());
        loop {
            let (label, body) = match &s.kind {
                ast::StmtKind::Case { value, body } => (self.case(value, None, s.span), body),
                ast::StmtKind::CaseRange { lo, hi, body } => (self.case(lo, Some(hi), s.span), body),
                ast::StmtKind::Default(body) => (self.default_label(s.span), body),
                ast::StmtKind::Label(name, body) => (self.label_statement(name), body),
                _ => break,
            };
            self.note_jump();
            match label {
                Ok(l) => out.push(l),
                Err(r) => labels = Err(r),
            }
            s = body;
        }
        (s, labels)
    }

    fn unlabelled(&mut self, s: &ast::Stmt, out: &mut Vec<Stmt>) -> Result<()> {
        let span = s.span;
        let kind = match &s.kind {
            ast::StmtKind::Empty => return Ok(()),
            ast::StmtKind::FpContract(on) => {
                if let Some(b) = &mut self.body {
                    b.contract = *on;
                }
                return Ok(());
            }
            ast::StmtKind::StaticAssert(condition, message) => {
                self.static_assert(condition, *message);
                return Ok(());
            }
            ast::StmtKind::Declaration(d) => return self.block_declaration(d, out),
            ast::StmtKind::For {
                init,
                cond,
                step,
                body,
                unroll,
            } => return self.for_statement(init, cond.as_ref(), step.as_ref(), body, unroll, span, out),
            ast::StmtKind::Expr(e) => self.effect(e).map(StmtKind::Expr),
            ast::StmtKind::Block(list) => self.scoped(|s| s.statements(list)).map(StmtKind::Block),
            ast::StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.if_statement(cond, then, otherwise.as_deref()),
            ast::StmtKind::Switch { value, body } => self.scoped(|s| s.switch(value, body)),
            ast::StmtKind::While { cond, body, unroll } => self.while_loop(cond, body, unroll, true),
            ast::StmtKind::DoWhile { body, cond, unroll } => self.while_loop(cond, body, unroll, false),
            ast::StmtKind::Goto(name) => {
                self.note_jump();
                self.label(name).map(StmtKind::Goto)
            }
            ast::StmtKind::Break => {
                self.note_jump();
                self.break_statement(span)
            }
            ast::StmtKind::Continue => {
                self.note_jump();
                self.continue_statement(span)
            }
            ast::StmtKind::Return(value) => {
                self.note_jump();
                self.return_statement(value.as_ref(), span)
            }
            ast::StmtKind::Asm => Err(self.error(span, "inline assembly is not supported in OpenCL C")),
            ast::StmtKind::Case { .. }
            | ast::StmtKind::CaseRange { .. }
            | ast::StmtKind::Default(_)
            | ast::StmtKind::Label(..) => return self.labelled(s, out),
        }?;
        out.push(Stmt { kind, span });
        Ok(())
    }

    /// Records that a statement expression contains a jump or a label.
    fn note_jump(&mut self) {
        if let Some(b) = &mut self.body {
            b.jumps_in_expr |= b.statement_exprs > 0;
        }
    }

    /// Runs `f` on a loop's condition or step. As in clang, `break` and `continue` in it belong to the loop
    /// itself.
    fn in_loop<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(b) = &mut self.body {
            b.loops += 1;
        }
        let result = f(self);
        if let Some(b) = &mut self.body {
            b.loops -= 1;
        }
        result
    }

    /// Checks a static assertion. It is an error if the condition is false or is not an integer constant
    /// expression.
    pub(super) fn static_assert(&mut self, condition: &ast::Expr, message: Span) {
        let Ok(value) = self.value(condition) else { return };
        match self.int_value(&value) {
            Some(0) => {
                let mut text = "static assertion failed".to_string();
                if message != Span::NONE {
                    text.push_str(": ");
                    text.push_str(self.map.text(message).trim_matches('"'));
                }
                self.error(condition.span, text);
            }
            Some(_) => {}
            None => {
                self.error(
                    condition.span,
                    "static assertion expression is not an integral constant expression",
                );
            }
        }
    }

    fn if_statement(
        &mut self,
        cond: &ast::Expr,
        then: &ast::Stmt,
        otherwise: Option<&ast::Stmt>,
    ) -> Result<StmtKind> {
        let cond = self.condition_expr(cond);
        if self.in_library
            && let Ok(known) = &cond
            && let Some(yes) = self.int_value(known)
        {
            // The type for which the function is instantiated decides this condition; the other branch, and the
            // functions it calls, are not analysed.
            let taken = if yes != 0 { Some(then) } else { otherwise };
            let taken = taken.map(|t| self.scoped(|s| s.statement(t))).transpose()?;
            return Ok(StmtKind::Block(taken.into_iter().collect()));
        }
        // A chain of `else if` may be long, so it is processed without recursion.
        let then = self.scoped(|s| s.statement(then));
        let mut links = Vec::new();
        let mut rest = otherwise;
        while let Some(ast::Stmt {
            kind:
                ast::StmtKind::If {
                    cond,
                    then,
                    otherwise,
                },
            span,
        }) = rest.filter(|_| !self.in_library)
        {
            let cond = self.condition_expr(cond);
            links.push((cond, self.scoped(|s| s.statement(then)), *span));
            rest = otherwise.as_deref();
        }
        let mut otherwise = rest.map(|o| self.scoped(|s| s.statement(o))).transpose()?;
        for (cond, then, span) in links.into_iter().rev() {
            let kind = if_else(cond?, then?, otherwise);
            otherwise = Some(Stmt { kind, span });
        }
        Ok(if_else(cond?, then?, otherwise))
    }

    fn while_loop(
        &mut self,
        cond: &ast::Expr,
        body: &ast::Stmt,
        unroll: &ast::UnrollHint,
        test_first: bool,
    ) -> Result<StmtKind> {
        let unroll = self.unroll_count(unroll);
        // The parts are analysed in the order of the source, so that messages have this order.
        let (cond, body) = if test_first {
            let cond = self.in_loop(|s| s.condition_expr(cond));
            (cond, self.loop_body(body))
        } else {
            let body = self.loop_body(body);
            (self.in_loop(|s| s.condition_expr(cond)), body)
        };
        Ok(StmtKind::Loop {
            cond: Some(cond?),
            step: None,
            body: Box::new(body?),
            test_first,
            unroll,
        })
    }

    /// Returns the unroll factor of a loop's hint.
    fn unroll_count(&mut self, hint: &ast::UnrollHint) -> Option<u32> {
        let e = match hint {
            ast::UnrollHint::None => return None,
            ast::UnrollHint::Count(n) => return Some(*n),
            ast::UnrollHint::Value(e) => e,
        };
        let value = self.value(e).ok()?;
        let wrong = match self.int_value(&value) {
            Some(n) if n > 0 => return Some(u32::try_from(n).unwrap_or(u32::MAX)),
            Some(_) => "loop unroll hint requires a positive integral compile time constant expression",
            None => "loop unroll hint requires an integer constant",
        };
        self.error(e.span, wrong);
        None
    }

    fn for_statement(
        &mut self,
        init: &ForInit,
        cond: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        unroll: &ast::UnrollHint,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> Result<()> {
        let list = self.scoped(|s| s.for_loop(init, cond, step, body, unroll, span))?;
        match <[Stmt; 1]>::try_from(list) {
            Ok([only]) => out.push(only),
            Err(list) => out.push(block(list, span)),
        }
        Ok(())
    }

    fn break_statement(&mut self, span: Span) -> Result<StmtKind> {
        let inside = self
            .body
            .as_ref()
            .is_some_and(|b| b.loops > 0 || !b.switches.is_empty());
        if inside {
            Ok(StmtKind::Break)
        } else {
            Err(self.error(span, "'break' statement not in loop or switch statement"))
        }
    }

    fn continue_statement(&mut self, span: Span) -> Result<StmtKind> {
        if self.body.as_ref().is_some_and(|b| b.loops > 0) {
            Ok(StmtKind::Continue)
        } else {
            Err(self.error(span, "'continue' statement not in loop statement"))
        }
    }

    fn label_statement(&mut self, name: &Ident) -> Result<Stmt> {
        Ok(Stmt {
            kind: StmtKind::Label(self.define_label(name)?),
            span: name.span,
        })
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Result<Stmt> {
        if self.body.as_ref().is_some_and(|b| b.loops >= MAX_LOOPS) {
            return Err(self.error(body.span, "loops are nested too deeply"));
        }
        self.in_loop(|s| s.scoped(|s| s.statement(body)))
    }

    fn for_loop(
        &mut self,
        init: &ForInit,
        cond: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        unroll: &ast::UnrollHint,
        span: Span,
    ) -> Result<Vec<Stmt>> {
        let mut out = Vec::new();
        let unroll = self.unroll_count(unroll);
        let init = match init {
            ForInit::None => Ok(()),
            ForInit::Expr(e) => self.effect(e).map(|e| {
                out.push(Stmt {
                    span: e.span,
                    kind: StmtKind::Expr(e),
                });
            }),
            ForInit::Declaration(d) => {
                if let Some((ast::Storage::Extern | ast::Storage::Static, span)) = d.specs.storage.first() {
                    self.error(*span, "declaration of non-local variable in 'for' loop");
                }
                self.block_declaration(d, &mut out)
            }
        };
        let cond = cond.map(|c| self.in_loop(|s| s.condition_expr(c))).transpose();
        let step = step.map(|e| self.in_loop(|s| s.effect(e))).transpose();
        let body = self.loop_body(body);
        init?;
        out.push(Stmt {
            kind: StmtKind::Loop {
                cond: cond?,
                step: step?,
                body: Box::new(body?),
                test_first: true,
                unroll,
            },
            span,
        });
        Ok(out)
    }

    fn label(&mut self, name: &Ident) -> Result<LabelId> {
        let Some(b) = &mut self.body else {
            return Err(super::Reported);
        };
        if let Some(l) = b.label_names.get(&name.name) {
            return Ok(l.id);
        }
        let id = b.labels.push(name.name.clone());
        b.label_names.insert(
            name.name.clone(),
            LabelState {
                id,
                defined: None,
                used: name.span,
            },
        );
        Ok(id)
    }

    fn define_label(&mut self, name: &Ident) -> Result<LabelId> {
        let id = self.label(name)?;
        let state = self.body.as_mut().and_then(|b| b.label_names.get_mut(&name.name));
        if let Some(previous) = state.and_then(|l| l.defined.replace(name.span)) {
            return Err(self.report(
                crate::diag::Diag::error(name.span, format!("redefinition of label '{}'", name.name))
                    .note(previous, "previous definition is here"),
            ));
        }
        Ok(id)
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Result<StmtKind> {
        let Some((ret, func)) = self.body.as_ref().map(|b| (b.ret, b.func)) else {
            return Err(super::Reported);
        };
        let void = *self.ty(ret) == Type::Void;
        match value {
            None if void => Ok(StmtKind::Return(None)),
            None => {
                let name = self.program.functions[func].name.clone();
                Err(self.error(span, format!("non-void function '{name}' should return a value")))
            }
            Some(e) if void => {
                let v = self.effect(e)?;
                if v.ty != self.common.void {
                    let name = self.program.functions[func].name.clone();
                    return Err(self.error(span, format!("void function '{name}' should not return a value")));
                }
                let stmt = |kind| Stmt { kind, span };
                Ok(StmtKind::Block(vec![
                    stmt(StmtKind::Expr(v)),
                    stmt(StmtKind::Return(None)),
                ]))
            }
            Some(e) => {
                let v = self.value(e)?;
                let v = self.convert(v, ret, Why::Return)?;
                Ok(StmtKind::Return(Some(v)))
            }
        }
    }

    /// Analyses `({ … })`. Its value is that of the last statement if this is an expression statement, with
    /// or without labels.
    pub(super) fn statement_expr(&mut self, stmts: &[ast::Stmt], span: Span) -> Result<Expr> {
        let Some(b) = &mut self.body else {
            return Err(self.error(span, "statement expression not allowed at file scope"));
        };
        b.statement_exprs += 1;
        // An expression that is not evaluated has its own labels.
        let outside = (b.unevaluated > 0).then(|| (b.label_names.clone(), b.switches.last().cloned()));
        let result = self.scoped(|s| s.statement_expr_body(stmts, span));
        if let Some(b) = &mut self.body {
            b.statement_exprs -= 1;
            if let Some((labels, switch)) = outside {
                b.forget_labels(&labels);
                if let (Some(now), Some(before)) = (b.switches.last_mut(), switch) {
                    *now = before;
                }
            }
        }
        result
    }

    fn statement_expr_body(&mut self, stmts: &[ast::Stmt], span: Span) -> Result<Expr> {
        let Some((last, first)) = stmts.split_last() else {
            return Ok(self.statement_expr_of(Vec::new(), None, span));
        };
        let first = self.statements(first);
        let mut before = Vec::new();
        let (last, labels) = self.labels_of(last, &mut before);
        let value = match &last.kind {
            ast::StmtKind::Expr(e) => self.effect(e).map(Some),
            _ => self.statement_into(last, &mut before).map(|()| None),
        };
        let (mut first, value) = (first?, value?);
        labels?;
        first.append(&mut before);
        Ok(self.statement_expr_of(first, value, span))
    }

    fn statement_expr_of(&self, stmts: Vec<Stmt>, value: Option<Expr>, span: Span) -> Expr {
        Expr {
            ty: value.as_ref().map_or(self.common.void, |v| v.ty),
            kind: ExprKind::StmtExpr(stmts, value.map(Box::new)),
            span,
        }
    }
}

fn if_else(cond: Expr, then: Stmt, otherwise: Option<Stmt>) -> StmtKind {
    StmtKind::If {
        cond,
        then: Box::new(then),
        otherwise: otherwise.map(Box::new),
    }
}
