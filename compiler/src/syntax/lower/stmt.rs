//! Statements, and the pragmas and attributes that belong to them.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::ast::{ExprKind, ForInit, Stmt, StmtKind, UnrollHint};
use super::super::pragma::{self, Pragma};
use super::Lower;
use crate::pp::{Punct, TokenKind};

impl Lower<'_> {
    /// The statements of a block; `close` is its closing brace.
    pub(super) fn block(&mut self, items: &[Node<c::BlockItem>], close: usize) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let first = self.first(item);
            self.pragmas_before(first, &mut out);
            match &item.node {
                c::BlockItem::Declaration(d) => {
                    let d = self.declaration(d);
                    let span = d.span;
                    out.push(Stmt {
                        kind: StmtKind::Declaration(d),
                        span,
                    });
                }
                c::BlockItem::Statement(s) => out.push(self.statement(s)),
                c::BlockItem::StaticAssert(_) => {}
            }
        }
        self.pragmas_before(close, &mut out);
        out
    }

    /// FP_CONTRACT pragmas up to a token become statements.
    fn pragmas_before(&mut self, token: usize, out: &mut Vec<Stmt>) {
        while self.pragma_at < token {
            let t = self.source.tokens[self.pragma_at];
            self.pragma_at += 1;
            if t.kind == TokenKind::Pragma
                && let Pragma::FpContract(on) = pragma::parse(t.text(self.source.map))
            {
                out.push(Stmt {
                    kind: StmtKind::FpContract(on.unwrap_or(true)),
                    span: t.span,
                });
            }
        }
    }

    /// The hint in front of a loop.
    fn unroll_hint(&mut self, loop_at: usize) -> UnrollHint {
        let start = self.attributes_before(loop_at);
        let mut hint = None;
        for i in start..loop_at {
            let t = self.source.tokens[i];
            if t.kind == TokenKind::Pragma
                && let Pragma::Unroll(n) = pragma::parse(t.text(self.source.map))
            {
                hint = Some(n);
            }
        }
        for a in self.attributes_in(start, loop_at) {
            if a.name == "opencl_unroll_hint" {
                hint = match a.args.first() {
                    None => Some(0),
                    Some(super::super::ast::AttrArg::Expr(e)) => match e.kind {
                        ExprKind::Int { value, .. } if value > 0 => {
                            Some(u32::try_from(value).unwrap_or(u32::MAX))
                        }
                        _ => {
                            self.diags.error(a.span, "'opencl_unroll_hint' attribute requires a positive integral compile time constant expression");
                            None
                        }
                    },
                    Some(super::super::ast::AttrArg::Text(_)) => None,
                };
            } else {
                self.diags
                    .warning(a.span, format!("unknown attribute '{}' ignored", a.name));
            }
        }
        hint
    }

    pub(super) fn statement(&mut self, n: &Node<c::Statement>) -> Stmt {
        let first = self.first(n);
        let kind = match &n.node {
            c::Statement::Labeled(l) => self.labeled(&l.node, first),
            c::Statement::Compound(items) => {
                let close = self.partner(first);
                StmtKind::Block(self.block(items, close))
            }
            c::Statement::Expression(None) => StmtKind::Empty,
            c::Statement::Expression(Some(e)) => StmtKind::Expr(self.expr(e, first).expr),
            c::Statement::If(s) => {
                let first = self.first(s);
                StmtKind::If {
                    cond: self.head(&s.node.condition, first),
                    then: Box::new(self.statement(&s.node.then_statement)),
                    otherwise: s
                        .node
                        .else_statement
                        .as_ref()
                        .map(|s| Box::new(self.statement(s))),
                }
            }
            c::Statement::Switch(s) => {
                let first = self.first(s);
                StmtKind::Switch {
                    value: self.head(&s.node.expression, first),
                    body: Box::new(self.statement(&s.node.statement)),
                }
            }
            c::Statement::While(s) => {
                let first = self.first(s);
                let unroll = self.unroll_hint(first);
                StmtKind::While {
                    cond: self.head(&s.node.expression, first),
                    body: Box::new(self.statement(&s.node.statement)),
                    unroll,
                }
            }
            c::Statement::DoWhile(s) => {
                let unroll = self.unroll_hint(self.first(s));
                let body = Box::new(self.statement(&s.node.statement));
                let keyword = self.after(self.last(&s.node.statement));
                StmtKind::DoWhile {
                    body,
                    cond: self.head(&s.node.expression, keyword),
                    unroll,
                }
            }
            c::Statement::For(s) => self.for_statement(s),
            c::Statement::Goto(l) => StmtKind::Goto(self.name(l)),
            c::Statement::Continue => StmtKind::Continue,
            c::Statement::Break => StmtKind::Break,
            c::Statement::Return(e) => StmtKind::Return(e.as_ref().map(|e| self.expr(e, first + 1).expr)),
            c::Statement::Asm(_) => StmtKind::Asm,
        };
        Stmt {
            kind,
            span: self.range(first, self.last(n)),
        }
    }

    /// The expression in the parentheses behind a keyword.
    fn head(&mut self, e: &Node<c::Expression>, keyword: usize) -> super::super::ast::Expr {
        let open = self.after(keyword);
        self.expr(e, open + 1).expr
    }

    fn labeled(&mut self, l: &c::LabeledStatement, first: usize) -> StmtKind {
        match &l.label.node {
            c::Label::Identifier(i) => {
                let name = self.name(i);
                StmtKind::Label(name, Box::new(self.statement(&l.statement)))
            }
            c::Label::Case(e) => {
                let value = self.expr(e, first + 1).expr;
                let body = Box::new(self.statement(&l.statement));
                StmtKind::Case { value, body }
            }
            c::Label::CaseRange(r) => {
                let low = self.expr(&r.node.low, first + 1);
                let dots = self.after(low.last);
                let hi = self.expr(&r.node.high, dots + 1).expr;
                let body = Box::new(self.statement(&l.statement));
                StmtKind::CaseRange {
                    lo: low.expr,
                    hi,
                    body,
                }
            }
            c::Label::Default => StmtKind::Default(Box::new(self.statement(&l.statement))),
        }
    }

    fn for_statement(&mut self, n: &Node<c::ForStatement>) -> StmtKind {
        let s = &n.node;
        let first = self.first(n);
        let unroll = self.unroll_hint(first);
        let open = self.after(first);
        // The two semicolons of the head.
        let close = self.partner(open);
        let mut semis = [close; 2];
        let mut found = 0;
        let mut i = open + 1;
        while i < close && found < 2 {
            if self.is(i, Punct::Semi) {
                semis[found] = i;
                found += 1;
            } else if self.is(i, Punct::LParen) || self.is(i, Punct::LBracket) || self.is(i, Punct::LBrace) {
                i = self.partner(i).max(i);
            }
            i += 1;
        }
        let init = match &s.initializer.node {
            c::ForInitializer::Empty | c::ForInitializer::StaticAssert(_) => ForInit::None,
            c::ForInitializer::Expression(e) => ForInit::Expr(self.expr(e, open + 1).expr),
            c::ForInitializer::Declaration(d) => ForInit::Declaration(self.declaration(d)),
        };
        let cond = s.condition.as_ref().map(|e| self.expr(e, semis[0] + 1).expr);
        let step = s.step.as_ref().map(|e| self.expr(e, semis[1] + 1).expr);
        StmtKind::For {
            init,
            cond,
            step,
            body: Box::new(self.statement(&s.statement)),
            unroll,
        }
    }
}
