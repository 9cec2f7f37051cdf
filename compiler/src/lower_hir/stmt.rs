//! Statements with structured control flow. The module `goto` handles the others.

use super::expr::Val;
use super::func::FuncLowering;
use super::place::Addr;
use super::{Lowered, at, broken};
use crate::hir::{Expr, ExprKind, Stmt, StmtKind};
use crate::ir::{Inst, Unroll};

/// The target of `break` or `continue`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    /// The exit from a structured instruction.
    Exit(Inst),
    /// A block of the graph.
    Block(usize),
}

impl FuncLowering<'_, '_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) -> Lowered<()> {
        for s in stmts {
            self.stmt(s)?;
        }
        Ok(())
    }

    pub(super) fn stmt(&mut self, s: &Stmt) -> Lowered<()> {
        // Code after a jump can be reached only through a label, and functions with labels are lowered as a
        // graph.
        if self.b.is_terminated() {
            return Ok(());
        }
        let outer = std::mem::replace(&mut self.b.span, s.span);
        let done = self.stmt_kind(s);
        self.b.span = outer;
        done
    }

    fn stmt_kind(&mut self, s: &Stmt) -> Lowered<()> {
        match &s.kind {
            StmtKind::Expr(e) => self.discard(e),
            StmtKind::Init(id, init) => self.init(*id, init),
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.if_stmt(cond, then, otherwise.as_deref()),
            StmtKind::Loop {
                cond,
                step,
                body,
                test_first,
                unroll,
            } => self.loop_stmt(cond.as_ref(), step.as_ref(), body, *test_first, *unroll),
            StmtKind::Switch { value, body } => self.switch_stmt(value, body),
            StmtKind::Break => self.jump(self.breaks.last().copied(), s),
            StmtKind::Continue => self.jump(self.continues.last().copied(), s),
            StmtKind::Return(value) => self.return_stmt(value.as_ref()),
            StmtKind::Case { .. } | StmtKind::Default | StmtKind::Label(_) | StmtKind::Goto(_) => {
                broken(at(s.span, "a label where control flow is structured"))
            }
        }
    }

    fn jump(&mut self, to: Option<Jump>, s: &Stmt) -> Lowered<()> {
        match to {
            Some(Jump::Exit(inst)) => {
                self.exit(inst, vec![]);
                Ok(())
            }
            Some(Jump::Block(_)) => broken(at(s.span, "a jump out of an expression")),
            None => broken(at(s.span, "break or continue outside of any loop")),
        }
    }

    fn if_stmt(&mut self, cond: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Lowered<()> {
        if else_ifs(otherwise) > MAX_NESTED_ELSE_IFS {
            return self.long_else_if(cond, then, otherwise);
        }
        let cond = self.value(cond)?;
        let (inst, then_region, else_region) = self.b.if_(cond, &[]);
        self.b.enter(then_region);
        self.stmt(then)?;
        self.exit(inst, vec![]);
        self.b.leave();
        self.b.enter(else_region);
        if let Some(s) = otherwise {
            self.stmt(s)?;
        }
        self.exit(inst, vec![]);
        self.b.leave();
        self.close(inst);
        Ok(())
    }

    /// Lowers a long chain of else-ifs as a block from which each of its statements exits. The chain is then
    /// not nested, so neither the passes nor a driver must handle deep nesting.
    fn long_else_if(&mut self, cond: &Expr, then: &Stmt, otherwise: Option<&Stmt>) -> Lowered<()> {
        let (block, inside) = self.b.block(&[]);
        self.b.enter(inside);
        let mut link = Some((cond, then));
        let mut rest = otherwise;
        while let Some((cond, then)) = link {
            let cond = self.value(cond)?;
            let (test, yes, no) = self.b.if_(cond, &[]);
            self.b.enter(yes);
            self.stmt(then)?;
            self.exit(block, vec![]);
            self.b.leave();
            self.b.enter(no);
            self.exit(test, vec![]);
            self.b.leave();
            link = else_if(rest);
            if link.is_some() {
                rest = next_else(rest);
            }
        }
        if let Some(s) = rest {
            self.stmt(s)?;
        }
        self.exit(block, vec![]);
        self.b.leave();
        self.close(block);
        Ok(())
    }

    fn loop_stmt(
        &mut self,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        test_first: bool,
        unroll: Option<u32>,
    ) -> Lowered<()> {
        let (inst, region) = self.b.loop_(vec![], &[]);
        self.b.func.insts[inst].unroll = match unroll {
            None => Unroll::Unsaid,
            Some(0) => Unroll::Full,
            Some(1) => Unroll::Never,
            Some(n) => Unroll::By(n),
        };
        self.b.enter(region);
        if test_first && let Some(cond) = cond {
            self.leave_unless(cond, inst)?;
        }
        self.breaks.push(Jump::Exit(inst));
        if continues(body) {
            let (block, inner) = self.b.block(&[]);
            self.continues.push(Jump::Exit(block));
            self.b.enter(inner);
            self.stmt(body)?;
            self.exit(block, vec![]);
            self.b.leave();
            self.continues.pop();
            self.close(block);
        } else {
            self.stmt(body)?;
        }
        self.breaks.pop();
        if let Some(step) = step {
            self.discard(step)?;
        }
        if !test_first && let Some(cond) = cond {
            self.leave_unless(cond, inst)?;
        }
        self.b.repeat(inst, vec![]);
        self.b.leave();
        self.close(inst);
        Ok(())
    }

    /// Exits from `target` unless the condition holds.
    fn leave_unless(&mut self, cond: &Expr, target: Inst) -> Lowered<()> {
        if matches!(&cond.kind, ExprKind::Const(bits) if bits[..] == [1]) {
            return Ok(());
        }
        let cond = self.value(cond)?;
        let (test, then, otherwise) = self.b.if_(cond, &[]);
        self.b.enter(then);
        self.exit(test, vec![]);
        self.b.leave();
        self.b.enter(otherwise);
        self.exit(target, vec![]);
        self.b.leave();
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<&Expr>) -> Lowered<()> {
        let val = match value {
            Some(e) => self.eval(e)?,
            None => Val::None,
        };
        match (val, self.result) {
            (Val::Memory(from), Some(to)) => {
                let ty = self.source.ret;
                let to = Addr::new(to, self.cx.program.types.align(ty).max(1));
                self.copy(to, from, ty)?;
                self.b.ret(None);
            }
            (Val::Value(v), None) if !self.b.func.results.is_empty() => self.b.ret(Some(v)),
            (Val::None | Val::Value(_), None) => self.end_of_body(),
            (Val::None, Some(_)) => self.b.ret(None),
            (Val::Memory(_), None) | (Val::Value(_), Some(_)) => {
                return broken("a result of another type than the function's");
            }
        }
        Ok(())
    }
}

/// The longest chain of else-ifs that is lowered as nested `if`s.
const MAX_NESTED_ELSE_IFS: usize = 48;

/// Returns the number of `if`s in a chain, each of which is in the `else` of the one before it.
fn else_ifs(otherwise: Option<&Stmt>) -> usize {
    std::iter::successors(otherwise, |&s| next_else(Some(s)))
        .take_while(|&s| else_if(Some(s)).is_some())
        .count()
}

/// Returns the condition and the first arm of an `if` that is the `else` of another.
fn else_if(otherwise: Option<&Stmt>) -> Option<(&Expr, &Stmt)> {
    match &otherwise?.kind {
        StmtKind::If { cond, then, .. } => Some((cond, then)),
        _ => None,
    }
}

/// Returns the `else` of an `if` that is itself in an `else`.
fn next_else(otherwise: Option<&Stmt>) -> Option<&Stmt> {
    match &otherwise?.kind {
        StmtKind::If { otherwise, .. } => otherwise.as_deref(),
        _ => None,
    }
}

/// Returns whether a loop's body has a `continue` of that loop. Expressions have none (`sema::hoist`).
pub(super) fn continues(body: &Stmt) -> bool {
    match &body.kind {
        StmtKind::Continue => true,
        StmtKind::Block(stmts) => stmts.iter().any(continues),
        StmtKind::If { then, otherwise, .. } => {
            continues(then) || otherwise.as_deref().is_some_and(continues)
        }
        StmtKind::Switch { body, .. } => continues(body),
        StmtKind::Loop { .. }
        | StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Return(_) => false,
    }
}
