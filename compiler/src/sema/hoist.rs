//! Statement expressions that control leaves or enters: `goto`, labels, `return`, `case`, and `break` and
//! `continue` of an outer loop inside `({ … })`.
//!
//! A jump cannot lead into or out of an expression. So such a statement expression is replaced by statements
//! before the statement that contains it, and by a variable for its value. Operands that are evaluated
//! conditionally (after `&&`, `||`, `?:`, in a loop's condition) become `if` statements. Operands that are
//! not sequenced may be evaluated in any order, so they can stay in the expression.

use super::Sema;
use crate::hir::{Expr, ExprKind, Init, Place, PlaceKind, Stmt, StmtKind, TypeId};
use crate::source::Span;

fn stmt(kind: StmtKind, span: Span) -> Stmt {
    Stmt { kind, span }
}

fn block(stmts: Vec<Stmt>, span: Span) -> Box<Stmt> {
    Box::new(stmt(StmtKind::Block(stmts), span))
}

/// Returns the operands of an expression, in order.
fn operands(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Const(_) => Vec::new(),
        ExprKind::Load(p) | ExprKind::AddrOf(p) | ExprKind::IncDec { place: p, .. } => in_place(p),
        ExprKind::Neg(a)
        | ExprKind::BitNot(a)
        | ExprKind::Not(a)
        | ExprKind::Convert(_, a)
        | ExprKind::Splat(a)
        | ExprKind::Swizzle(a, _) => vec![a],
        ExprKind::Binary { lhs: a, rhs: b, .. }
        | ExprKind::Compare(_, a, b)
        | ExprKind::And(a, b)
        | ExprKind::Or(a, b)
        | ExprKind::PointerAdd { ptr: a, index: b, .. }
        | ExprKind::PointerDiff(a, b)
        | ExprKind::Comma(a, b) => vec![a, b],
        ExprKind::Conditional(a, b, c) | ExprKind::Select(a, b, c) => vec![a, b, c],
        ExprKind::Vector(list) | ExprKind::Call(_, list) | ExprKind::Intrinsic(_, list) => {
            list.iter_mut().collect()
        }
        ExprKind::Assign(p, a) | ExprKind::CompoundAssign { place: p, rhs: a, .. } => {
            let mut list = in_place(p);
            list.push(a);
            list
        }
        ExprKind::StmtExpr(_, value) => value.iter_mut().map(|v| &mut **v).collect(),
    }
}

fn in_place(p: &mut Place) -> Vec<&mut Expr> {
    match &mut p.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => Vec::new(),
        PlaceKind::Deref { ptr: e, .. } | PlaceKind::Temporary(e) => vec![e],
        PlaceKind::Member { base, .. } | PlaceKind::Lanes { base, .. } => in_place(base),
        PlaceKind::Index { base, index } | PlaceKind::DynamicLane { base, index } => {
            let mut list = in_place(base);
            list.push(index);
            list
        }
        PlaceKind::Literal(_, init) => init.stores.iter_mut().map(|s| &mut s.1).collect(),
    }
}

/// Returns whether control leaves or enters the expression other than at its start and end.
fn jumps(e: &mut Expr) -> bool {
    if let ExprKind::StmtExpr(stmts, _) = &mut e.kind
        && stmts.iter_mut().any(|s| escapes(s, false, false))
    {
        return true;
    }
    operands(e).into_iter().any(jumps)
}

/// Returns whether a statement of a statement expression contains a label, or a jump out of the expression.
fn escapes(s: &mut Stmt, in_loop: bool, in_switch: bool) -> bool {
    match &mut s.kind {
        StmtKind::Goto(_) | StmtKind::Label(_) | StmtKind::Return(_) => true,
        StmtKind::Case { .. } | StmtKind::Default => !in_switch,
        StmtKind::Break => !in_loop && !in_switch,
        StmtKind::Continue => !in_loop,
        StmtKind::Expr(e) => jumps(e),
        StmtKind::Init(_, init) => init.stores.iter_mut().any(|s| jumps(&mut s.1)),
        StmtKind::Block(stmts) => stmts.iter_mut().any(|s| escapes(s, in_loop, in_switch)),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            jumps(cond)
                || escapes(then, in_loop, in_switch)
                || otherwise.as_mut().is_some_and(|s| escapes(s, in_loop, in_switch))
        }
        StmtKind::Loop { cond, step, body, .. } => {
            cond.as_mut().is_some_and(jumps)
                || step.as_mut().is_some_and(jumps)
                || escapes(body, true, in_switch)
        }
        StmtKind::Switch { value, body } => jumps(value) || escapes(body, in_loop, true),
    }
}

impl Sema<'_> {
    /// Removes the jumps from the expressions of a function's body.
    pub(super) fn hoist_jumps(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        for s in stmts {
            self.hoist_statement(s, &mut out);
        }
        out
    }

    fn hoist_inner(&mut self, s: Stmt) -> Box<Stmt> {
        let span = s.span;
        let mut out = Vec::new();
        self.hoist_statement(s, &mut out);
        block(out, span)
    }

    fn hoist_statement(&mut self, s: Stmt, out: &mut Vec<Stmt>) {
        let span = s.span;
        let kind = match s.kind {
            StmtKind::Expr(mut e) => {
                self.hoist(&mut e, out);
                StmtKind::Expr(e)
            }
            StmtKind::Init(id, mut init) => {
                for (_, e) in &mut init.stores {
                    self.hoist(e, out);
                }
                StmtKind::Init(id, init)
            }
            StmtKind::Block(stmts) => StmtKind::Block(self.hoist_jumps(stmts)),
            StmtKind::If {
                mut cond,
                then,
                otherwise,
            } => {
                self.hoist(&mut cond, out);
                StmtKind::If {
                    cond,
                    then: self.hoist_inner(*then),
                    otherwise: otherwise.map(|s| self.hoist_inner(*s)),
                }
            }
            StmtKind::Loop { .. } => self.hoist_loop(s.kind, span),
            StmtKind::Switch { mut value, body } => {
                self.hoist(&mut value, out);
                StmtKind::Switch {
                    value,
                    body: self.hoist_inner(*body),
                }
            }
            StmtKind::Return(Some(mut e)) => {
                self.hoist(&mut e, out);
                StmtKind::Return(Some(e))
            }
            kind @ (StmtKind::Case { .. }
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)) => kind,
        };
        out.push(stmt(kind, span));
    }

    /// Moves the condition or step of a loop into its body if it contains jumps.
    fn hoist_loop(&mut self, kind: StmtKind, span: Span) -> StmtKind {
        let StmtKind::Loop {
            mut cond,
            mut step,
            body,
            mut test_first,
            unroll,
        } = kind
        else {
            return kind;
        };
        let body = *self.hoist_inner(*body);
        let mut first = Vec::new();
        let mut last = Vec::new();
        if step.as_mut().is_some_and(jumps)
            && let Some(mut e) = step.take()
        {
            self.hoist(&mut e, &mut last);
            last.push(stmt(StmtKind::Expr(e), span));
        }
        if cond.as_mut().is_some_and(jumps)
            && let Some(mut e) = cond.take()
        {
            let to = if test_first { &mut first } else { &mut last };
            self.hoist(&mut e, to);
            let leave = StmtKind::If {
                cond: e,
                then: block(Vec::new(), span),
                otherwise: Some(block(vec![stmt(StmtKind::Break, span)], span)),
            };
            to.push(stmt(leave, span));
            test_first = true;
        }
        first.push(body);
        if !last.is_empty()
            && let Some(b) = &mut self.body
        {
            // `continue` jumps to the place before the step and the test, which are now at the end of the
            // body. As in clang, it does so in the step and the test too.
            let end = b.labels.push("continue".into());
            let moved = first.iter_mut().chain(&mut last);
            moved.for_each(|s| continue_at(s, end));
            first.push(stmt(StmtKind::Label(end), span));
            first.append(&mut last);
        }
        StmtKind::Loop {
            cond,
            step,
            body: block(first, span),
            test_first,
            unroll,
        }
    }

    /// Stores a value in a new variable, and returns the value read from the variable.
    fn stored(&mut self, value: Expr, out: &mut Vec<Stmt>) -> Expr {
        let (ty, span) = (value.ty, value.span);
        let Ok(id) = self.fresh_local(".value", ty, span) else {
            return value;
        };
        let init = Init {
            zero: false,
            stores: vec![(0, value)],
        };
        out.push(stmt(StmtKind::Init(id, init), span));
        self.load(self.local_place(id, span))
    }

    /// Appends to `out` the parts of an expression that must become statements.
    fn hoist(&mut self, e: &mut Expr, out: &mut Vec<Stmt>) {
        if !jumps(e) {
            return;
        }
        let (ty, span) = (e.ty, e.span);
        let nothing = self.nothing(span).kind;
        match std::mem::replace(&mut e.kind, nothing) {
            ExprKind::StmtExpr(stmts, value) => {
                let stmts = self.hoist_jumps(stmts);
                out.extend(stmts);
                if let Some(mut value) = value {
                    self.hoist(&mut value, out);
                    if ty == self.common.void {
                        out.push(stmt(StmtKind::Expr(*value), span));
                    } else {
                        *e = self.stored(*value, out);
                    }
                }
            }
            ExprKind::And(a, b) => *e = self.hoist_short_circuit(*a, *b, true, out),
            ExprKind::Or(a, b) => *e = self.hoist_short_circuit(*a, *b, false, out),
            ExprKind::Conditional(mut cond, a, b) => {
                self.hoist(&mut cond, out);
                let value = self.fresh_value(ty, span);
                let then = self.hoist_arm(*a, value.as_ref());
                let otherwise = Some(self.hoist_arm(*b, value.as_ref()));
                let kind = StmtKind::If {
                    cond: *cond,
                    then,
                    otherwise,
                };
                out.push(stmt(kind, span));
                if let Some(place) = value {
                    *e = self.load(place);
                }
            }
            ExprKind::Comma(mut a, mut b) => {
                self.hoist(&mut a, out);
                out.push(stmt(StmtKind::Expr(*a), span));
                self.hoist(&mut b, out);
                *e = *b;
            }
            kind => {
                e.kind = kind;
                for operand in operands(e) {
                    self.hoist(operand, out);
                }
            }
        }
    }

    /// Returns a place for the value of an expression, or `None` for void.
    fn fresh_value(&mut self, ty: TypeId, span: Span) -> Option<Place> {
        if ty == self.common.void {
            return None;
        }
        let id = self.fresh_local(".value", ty, span).ok()?;
        Some(self.local_place(id, span))
    }

    /// Turns one arm of a conditional into a statement.
    fn hoist_arm(&mut self, mut arm: Expr, to: Option<&Place>) -> Box<Stmt> {
        let span = arm.span;
        let mut out = Vec::new();
        self.hoist(&mut arm, &mut out);
        let e = match to {
            Some(place) => Expr {
                ty: arm.ty,
                span,
                kind: ExprKind::Assign(Box::new(place.clone()), Box::new(arm)),
            },
            None => arm,
        };
        out.push(stmt(StmtKind::Expr(e), span));
        block(out, span)
    }

    /// Replaces `a && b` or `a || b` whose second operand contains a jump.
    fn hoist_short_circuit(&mut self, mut a: Expr, b: Expr, both: bool, out: &mut Vec<Stmt>) -> Expr {
        let span = a.span;
        self.hoist(&mut a, out);
        let value = self.stored(a, out);
        let ExprKind::Load(place) = &value.kind else {
            return value;
        };
        let more = self.hoist_arm(b, Some(place));
        let nothing = block(Vec::new(), span);
        let (then, otherwise) = if both { (more, nothing) } else { (nothing, more) };
        let kind = StmtKind::If {
            cond: value.clone(),
            then,
            otherwise: Some(otherwise),
        };
        out.push(stmt(kind, span));
        value
    }
}

/// Replaces each `continue` of the loop with this body by a jump to a label.
fn continue_at(s: &mut Stmt, label: crate::hir::LabelId) {
    match &mut s.kind {
        StmtKind::Continue => s.kind = StmtKind::Goto(label),
        StmtKind::Block(stmts) => stmts.iter_mut().for_each(|s| continue_at(s, label)),
        StmtKind::If { then, otherwise, .. } => {
            continue_at(then, label);
            if let Some(s) = otherwise {
                continue_at(s, label);
            }
        }
        StmtKind::Switch { body, .. } => continue_at(body, label),
        StmtKind::Loop { .. }
        | StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Return(_) => {}
    }
}
