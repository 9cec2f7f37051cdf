//! Analyses `switch` and its labels (C99 6.8.4.2).

use super::{Result, Sema};
use crate::diag::Diag;
use crate::hir::value;
use crate::hir::{Scalar, Stmt, StmtKind, Type, TypeId};
use crate::source::Span;
use crate::syntax::ast;
use std::collections::BTreeMap;

/// The state of the innermost `switch` while its body is analysed.
#[derive(Clone)]
pub(super) struct SwitchState {
    ty: TypeId,
    /// The labels: the lowest value of each, with its highest value and its position.
    values: BTreeMap<i128, (i128, Span)>,
    default: Option<Span>,
}

impl Sema<'_> {
    /// Analyses a `switch` statement with its body.
    pub(super) fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt) -> Result<StmtKind> {
        let v = self.value(value);
        let v = match v {
            Ok(v) if matches!(self.ty(v.ty), Type::Scalar(s) if s.is_integer()) => Ok(self.promote(v)),
            Ok(v) => {
                let t = self.type_name(v.ty);
                Err(self.error(
                    value.span,
                    format!("statement requires expression of integer type ('{t}' invalid)"),
                ))
            }
            Err(r) => Err(r),
        };
        let ty = v.as_ref().map_or(self.common.int, |v| v.ty);
        if let Some(b) = &mut self.body {
            b.switches.push(SwitchState {
                ty,
                values: BTreeMap::new(),
                default: None,
            });
        }
        let body = self.statement(body);
        if let Some(b) = &mut self.body {
            b.switches.pop();
        }
        Ok(StmtKind::Switch {
            value: v?,
            body: Box::new(body?),
        })
    }

    /// Analyses the value of a label, and converts it to the type of the `switch`.
    fn case_value(&mut self, e: &ast::Expr, ty: TypeId) -> Result<u64> {
        let v = self.value(e)?;
        if self.int_value(&v).is_none() {
            let message = if matches!(self.ty(v.ty), Type::Scalar(s) if s.is_integer()) {
                "expression is not an integer constant expression".to_string()
            } else {
                let t = self.type_name(v.ty);
                format!("integer constant expression must have integer type, not '{t}'")
            };
            return Err(self.error(e.span, message));
        }
        let (Some(wide), Some((from, _)), Some((to, _))) =
            (self.int_value(&v), self.lanes(v.ty), self.lanes(ty))
        else {
            return Err(super::Reported);
        };
        let bits = value::convert(value::truncate(wide as u64, from), from, to);
        if value::int_of(bits, to) != wide && !(from == Scalar::Int && to == Scalar::UInt) {
            self.warning(
                e.span,
                format!(
                    "overflow converting case value to switch condition type ({wide} to {})",
                    value::int_of(bits, to)
                ),
            );
        }
        Ok(bits)
    }

    /// Analyses `case lo:` or `case lo ... hi:`. Returns the statement of the label.
    pub(super) fn case(&mut self, lo: &ast::Expr, hi: Option<&ast::Expr>, span: Span) -> Result<Stmt> {
        let Some(ty) = self.body.as_ref().and_then(|b| b.switches.last()).map(|s| s.ty) else {
            return Err(self.error(span, "'case' statement not in switch statement"));
        };
        let first = self.case_value(lo, ty)?;
        let last = match hi {
            Some(e) => self.case_value(e, ty)?,
            None => first,
        };
        let scalar = self.lanes(ty).map_or(Scalar::Int, |l| l.0);
        let (a, b) = (value::int_of(first, scalar), value::int_of(last, scalar));
        if b < a {
            self.warning(lo.span, "empty case range specified");
            return Ok(Stmt {
                kind: StmtKind::Block(Vec::new()),
                span,
            });
        }
        let state = self.body.as_mut().and_then(|b| b.switches.last_mut());
        let mut clash = None;
        if let Some(state) = state {
            let below = state.values.range(..=b).next_back();
            match below {
                Some((_, &(end, at))) if end >= a => clash = Some(at),
                _ => {
                    state.values.insert(a, (b, lo.span));
                }
            }
        }
        if let Some(at) = clash {
            return Err(self.report(
                Diag::error(lo.span, format!("duplicate case value '{a}'"))
                    .note(at, "previous case defined here"),
            ));
        }
        Ok(Stmt {
            kind: StmtKind::Case { lo: first, hi: last },
            span,
        })
    }

    /// Analyses `default:`. Returns the statement of the label.
    pub(super) fn default_label(&mut self, span: Span) -> Result<Stmt> {
        let Some(state) = self.body.as_mut().and_then(|b| b.switches.last_mut()) else {
            return Err(self.error(span, "'default' statement not in switch statement"));
        };
        if let Some(at) = state.default.replace(span) {
            return Err(self.report(
                Diag::error(span, "multiple default labels in one switch")
                    .note(at, "previous case defined here"),
            ));
        }
        Ok(Stmt {
            kind: StmtKind::Default,
            span,
        })
    }
}
