//! Checks `?:` (6.3.i) and the conditions of statements.

use super::binary::{At, is_const};
use super::{Result, Sema, fold};
use crate::hir::{Convert, Expr, ExprKind, Scalar, Space, Stmt, StmtKind, Type};
use crate::source::Span;
use crate::syntax::ast;

impl Sema<'_> {
    /// Analyses `c ? a : b` and GNU C's `c ?: b`.
    pub(super) fn conditional(
        &mut self,
        c: &ast::Expr,
        a: Option<&ast::Expr>,
        b: &ast::Expr,
        span: Span,
    ) -> Result<Expr> {
        let cond = self.value(c);
        let Some(a) = a else {
            let (cond, b) = (cond?, self.value(b));
            return self.elvis(cond, b?, span);
        };
        let (a, b) = (self.effect(a), self.effect(b));
        let (cond, a, b) = (cond?, a?, b?);
        self.conditional_values(cond, a, b, span)
    }

    fn elvis(&mut self, cond: Expr, b: Expr, span: Span) -> Result<Expr> {
        if is_const(&cond) {
            return self.conditional_values(cond.clone(), cond, b, span);
        }
        let ty = cond.ty;
        let id = self.fresh_local("", ty, span)?;
        let init = Stmt {
            kind: StmtKind::Init(
                id,
                crate::hir::Init {
                    zero: false,
                    stores: vec![(0, cond)],
                },
            ),
            span,
        };
        let place = self.local_place(id, span);
        let (c, a) = (self.load(place.clone()), self.load(place));
        let value = self.conditional_values(c, a, b, span)?;
        Ok(Expr {
            ty: value.ty,
            span,
            kind: ExprKind::StmtExpr(vec![init], Some(Box::new(value))),
        })
    }

    fn conditional_values(&mut self, cond: Expr, a: Expr, b: Expr, span: Span) -> Result<Expr> {
        if let Type::Vector(s, n) = *self.ty(cond.ty) {
            return self.select(cond, s, n, a, b, span);
        }
        let cond = self.condition(cond)?;
        let (a, b) = self.common_arms(a, b, span)?;
        let ty = a.ty;
        if let ExprKind::Const(bits) = &cond.kind {
            let e = if bits[0] != 0 { a } else { b };
            return Ok(Expr { span, ..e });
        }
        Ok(Expr {
            kind: ExprKind::Conditional(Box::new(cond), Box::new(a), Box::new(b)),
            ty,
            span,
        })
    }

    fn common_arms(&mut self, a: Expr, b: Expr, span: Span) -> Result<(Expr, Expr)> {
        let (ta, tb) = (a.ty, b.ty);
        // 6.9.b, 6.12.14.1: no operator accepts images or samplers.
        let handle = |ty| {
            matches!(
                self.ty(ty),
                Type::Image { .. } | Type::Sampler | Type::Pipe { .. }
            )
        };
        if ta == tb && !matches!(self.ty(ta), Type::Scalar(_)) && !handle(ta) {
            return Ok((a, b));
        }
        match (self.ty(ta), self.ty(tb)) {
            (Type::Scalar(_) | Type::Vector(..), Type::Scalar(_) | Type::Vector(..)) => {
                if let Some(pair) = self.usual(a, b, span)? {
                    return Ok(pair);
                }
            }
            (Type::Pointer { .. }, Type::Scalar(_)) if self.is_null(&b) => {
                let b = self.reinterpret(Convert::IntToPointer, b, ta);
                return Ok((a, b));
            }
            (Type::Scalar(_), Type::Pointer { .. }) if self.is_null(&a) => {
                let a = self.reinterpret(Convert::IntToPointer, a, tb);
                return Ok((a, b));
            }
            (Type::Pointer { .. }, Type::Pointer { .. }) => return self.common_pointers(a, b, span),
            (Type::Void, _) | (_, Type::Void) => {
                let void = self.common.void;
                let drop = |s: &Self, e: Expr| Expr {
                    ty: void,
                    span: e.span,
                    kind: ExprKind::Comma(Box::new(e), Box::new(s.nothing(span))),
                };
                let a = if ta == void { a } else { drop(self, a) };
                let b = if tb == void { b } else { drop(self, b) };
                return Ok((a, b));
            }
            _ => {}
        }
        let (x, y) = (self.type_name(ta), self.type_name(tb));
        Err(self.error(span, format!("incompatible operand types ('{x}' and '{y}')")))
    }

    fn common_pointers(&mut self, a: Expr, b: Expr, span: Span) -> Result<(Expr, Expr)> {
        let (ta, tb) = (a.ty, b.ty);
        if self.is_null(&b) {
            let b = self.reinterpret(Convert::Pointer, b, ta);
            return Ok((a, b));
        }
        if self.is_null(&a) {
            let a = self.reinterpret(Convert::Pointer, a, tb);
            return Ok((a, b));
        }
        let (
            &Type::Pointer {
                pointee: pa,
                space: sa,
                is_const: ca,
                is_volatile: va,
                align: aa,
                ..
            },
            &Type::Pointer {
                pointee: pb,
                space: sb,
                is_const: cb,
                is_volatile: vb,
                align: ab,
                ..
            },
        ) = (self.ty(ta), self.ty(tb))
        else {
            return Err(self.invalid(ta, tb, At { span, op: span }));
        };
        let (x, y) = (self.type_name(ta), self.type_name(tb));
        let Some(space) = Sema::common_space(sa, sb) else {
            return Err(self.error(
                span,
                format!(
                    "conditional operator with the second and third operands of type  ('{x}' and '{y}') \
                     which are pointers to non-overlapping address spaces"
                ),
            ));
        };
        let void = |s: &Self, t| *s.ty(t) == Type::Void;
        let pointee = if void(self, pa) || self.same_but_qualifiers(pa, pb) {
            pa
        } else if void(self, pb) {
            pb
        } else {
            self.warning(span, format!("pointer type mismatch ('{x}' and '{y}')"));
            self.common.void
        };
        let ty = self.program.types.intern(Type::Pointer {
            pointee,
            space,
            is_const: (ca || cb) && space != Space::Constant,
            is_volatile: va || vb,
            is_restrict: false,
            // 0 is the alignment of the type, which is greater.
            align: if aa.min(ab) == 0 { aa.max(ab) } else { aa.min(ab) },
        });
        let a = self.reinterpret(Convert::Pointer, a, ty);
        let b = self.reinterpret(Convert::Pointer, b, ty);
        Ok((a, b))
    }

    /// Analyses `?:` with a vector condition, which selects lane by lane by the sign bit (6.3.i).
    fn select(&mut self, cond: Expr, s: Scalar, n: u8, a: Expr, b: Expr, span: Span) -> Result<Expr> {
        if s.is_float() {
            let t = self.type_name(cond.ty);
            return Err(self.error(
                cond.span,
                format!("used type '{t}' where floating point type is not allowed"),
            ));
        }
        let (mut a, mut b) = match (self.ty(a.ty), self.ty(b.ty)) {
            // Two integers become lanes of the vector. The higher rank wins, but nothing is promoted to int,
            // because a condition with lanes of char or short could not select from int lanes.
            (&Type::Scalar(x), &Type::Scalar(y)) if x.is_lane_integer() && y.is_lane_integer() => {
                let higher = if (x.bytes(), !x.is_signed()) >= (y.bytes(), !y.is_signed()) {
                    x
                } else {
                    y
                };
                let ty = self.program.types.scalar(higher);
                (self.numeric(a, ty), self.numeric(b, ty))
            }
            _ => self.common_arms(a, b, span)?,
        };
        if let Type::Scalar(arm) = *self.ty(a.ty) {
            // Two scalar arms: the result has as many lanes as the condition.
            let ty = self.vector_ty(arm, n);
            a = self.splat(a, ty);
            b = self.splat(b, ty);
        }
        let Type::Vector(arm, lanes) = *self.ty(a.ty) else {
            let (x, y) = (self.type_name(a.ty), self.type_name(b.ty));
            return Err(self.error(span, format!("incompatible operand types ('{x}' and '{y}')")));
        };
        let what = if lanes != n {
            "the same number of elements"
        } else if arm.bytes() != s.bytes() {
            "elements of the same size"
        } else {
            let ty = a.ty;
            let constant = is_const(&cond) && is_const(&a) && is_const(&b);
            let cond = self.lane_condition(cond, true);
            let e = Expr {
                kind: ExprKind::Select(Box::new(cond), Box::new(a), Box::new(b)),
                ty,
                span,
            };
            return Ok(match constant.then(|| fold::eval(self, &e)).flatten() {
                Some(bits) => Expr {
                    kind: ExprKind::Const(bits),
                    ty,
                    span,
                },
                None => e,
            });
        };
        let (x, y) = (self.type_name(cond.ty), self.type_name(a.ty));
        Err(self.error(
            span,
            format!("vector condition type '{x}' and result type '{y}' do not have {what}"),
        ))
    }

    /// Analyses the condition of a conditional statement or loop.
    pub(super) fn condition_expr(&mut self, e: &ast::Expr) -> Result<Expr> {
        let v = self.value(e)?;
        if matches!(self.ty(v.ty), Type::Vector(..) | Type::Record(_) | Type::Void) {
            let t = self.type_name(v.ty);
            return Err(self.error(
                e.span,
                format!("statement requires expression of scalar type ('{t}' invalid)"),
            ));
        }
        self.condition(v)
    }
}
