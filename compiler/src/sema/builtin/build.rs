//! Builds expressions that use a value more than once.

use crate::hir::{
    BinOp, CmpOp, Convert, Expr, ExprKind, Init, LocalId, PlaceKind, Scalar, Stmt, StmtKind, TypeId,
};
use crate::sema::{Result, Sema};
use crate::source::Span;

/// Statements that are executed before a value is computed.
#[derive(Default)]
pub(in crate::sema) struct Before {
    stmts: Vec<Stmt>,
}

impl Before {
    /// Evaluates an expression once; the result may be used any number of times.
    pub(in crate::sema) fn bind(&mut self, s: &mut Sema<'_>, e: Expr) -> Result<Expr> {
        match &e.kind {
            ExprKind::Const(_) => return Ok(e),
            ExprKind::Load(p)
                if self.stmts.is_empty() && matches!(p.kind, PlaceKind::Local(_)) && !p.is_volatile =>
            {
                return Ok(e);
            }
            _ => {}
        }
        let span = e.span;
        let local = s.fresh_local("", e.ty, span)?;
        self.stmts.push(Stmt {
            kind: StmtKind::Init(
                local,
                Init {
                    zero: false,
                    stores: vec![(0, e)],
                },
            ),
            span,
        });
        Ok(s.load(s.local_place(local, span)))
    }

    /// Adds an uninitialized variable for a result.
    pub(super) fn out(&mut self, s: &mut Sema<'_>, ty: TypeId, span: Span) -> Result<LocalId> {
        s.fresh_local("", ty, span)
    }

    /// Evaluates an expression for its effects.
    pub(super) fn effect(&mut self, e: Expr) {
        let span = e.span;
        self.stmts.push(Stmt {
            kind: StmtKind::Expr(e),
            span,
        });
    }

    /// Returns an expression that executes the statements and then evaluates the value.
    pub(in crate::sema) fn then(self, value: Expr) -> Expr {
        if self.stmts.is_empty() {
            return value;
        }
        Expr {
            ty: value.ty,
            span: value.span,
            kind: ExprKind::StmtExpr(self.stmts, Some(Box::new(value))),
        }
    }

    /// Returns an expression that only executes the statements.
    pub(super) fn then_nothing(self, s: &Sema<'_>, span: Span) -> Expr {
        Expr {
            kind: ExprKind::StmtExpr(self.stmts, None),
            ty: s.common.void,
            span,
        }
    }
}

/// Returns one lane of a vector, or the scalar itself.
pub(super) fn lane(s: &mut Sema<'_>, e: &Expr, i: u8) -> Expr {
    match s.lanes(e.ty) {
        Some((scalar, n)) if n > 1 => {
            let ty = s.vector_ty(scalar, 1);
            let kind = match &e.kind {
                ExprKind::Const(bits) => ExprKind::Const(vec![bits[usize::from(i)]]),
                _ => ExprKind::Swizzle(Box::new(e.clone()), vec![i]),
            };
            Expr {
                kind,
                ty,
                span: e.span,
            }
        }
        _ => e.clone(),
    }
}

/// Returns a vector of the scalars, or the scalar if there is only one.
pub(super) fn join(ty: TypeId, mut parts: Vec<Expr>, span: Span) -> Expr {
    if parts.len() == 1
        && let Some(e) = parts.pop()
    {
        return e;
    }
    Expr {
        kind: ExprKind::Vector(parts),
        ty,
        span,
    }
}

/// Builds arithmetic on operands of one type.
pub(super) fn binary(op: BinOp, lhs: Expr, rhs: Expr, contract: bool) -> Expr {
    Expr {
        ty: lhs.ty,
        span: lhs.span,
        kind: ExprKind::Binary {
            op,
            lhs: Box::new(lhs),
            rhs: Box::new(rhs),
            contract,
        },
    }
}

/// Builds a comparison, which gives a `Bool` for each lane of the operands.
pub(super) fn compare(s: &mut Sema<'_>, op: CmpOp, lhs: Expr, rhs: Expr) -> Expr {
    let lanes = s.lanes(lhs.ty).map_or(1, |(_, n)| n);
    Expr {
        ty: s.vector_ty(Scalar::Bool, lanes),
        span: lhs.span,
        kind: ExprKind::Compare(op, Box::new(lhs), Box::new(rhs)),
    }
}

/// Builds a choice lane by lane, without branches.
pub(super) fn select(cond: Expr, yes: Expr, no: Expr) -> Expr {
    Expr {
        ty: yes.ty,
        span: cond.span,
        kind: ExprKind::Select(Box::new(cond), Box::new(yes), Box::new(no)),
    }
}

/// Converts `Bool` lanes to the results of OpenCL's relational functions: 1 or 0 for a scalar, -1 or 0 in
/// vectors.
pub(super) fn truth(s: &mut Sema<'_>, e: Expr, ty: TypeId) -> Expr {
    match s.lanes(e.ty) {
        Some((_, n)) if n > 1 => s.reinterpret(Convert::Mask, e, ty),
        _ => s.numeric(e, ty),
    }
}

/// Returns a constant repeated in all lanes.
pub(super) fn constant(s: &mut Sema<'_>, bits: u64, scalar: Scalar, lanes: u8, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Const(vec![bits; usize::from(lanes)]),
        ty: s.vector_ty(scalar, lanes),
        span,
    }
}
