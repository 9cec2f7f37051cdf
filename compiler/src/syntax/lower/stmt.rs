//! Lowers statements, with the pragmas and attributes that belong to them.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::ast::{AttrArg, Expr, ExprKind, ForInit, Stmt, StmtKind, UnrollHint};
use super::super::pragma::{self, Pragma};
use super::Lower;
use crate::pp::{Punct, TokenKind};
use crate::source::Span;

impl Lower<'_> {
    /// Lowers the statements of a block; `close` is its closing brace.
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
                c::BlockItem::StaticAssert(s) => {
                    let (condition, message) = self.static_assert(s);
                    let span = condition.span;
                    out.push(Stmt {
                        kind: StmtKind::StaticAssert(condition, message),
                        span,
                    });
                }
            }
        }
        self.pragmas_before(close, &mut out);
        out
    }

    /// Lowers C11's static assertion, which clang accepts in OpenCL C too. Returns the condition and the
    /// position of the message.
    pub(super) fn static_assert(&mut self, n: &Node<c::StaticAssert>) -> (Expr, Span) {
        let lo = self.after(self.first(n)) + 1;
        let condition = self.expr(&n.node.expression, lo).expr;
        let message = &n.node.message;
        let span = match message.node.is_empty() {
            true => Span::NONE,
            false => self.node_span(message),
        };
        (condition, span)
    }

    /// Turns the FP_CONTRACT pragmas before a token into statements.
    fn pragmas_before(&mut self, token: usize, out: &mut Vec<Stmt>) {
        while self.pragma_at < token {
            let t = self.source.tokens[self.pragma_at];
            self.pragma_at += 1;
            if t.kind == TokenKind::Pragma
                && let Pragma::FpContract(on) = pragma::parse(t.text(self.source.map))
            {
                if out.iter().any(|s| !matches!(s.kind, StmtKind::FpContract(_))) {
                    self.diags.error(
                        t.span,
                        "'#pragma fp_contract' can only appear at file scope or at the start of a compound statement",
                    );
                }
                out.push(Stmt {
                    kind: StmtKind::FpContract(on.unwrap_or(true)),
                    span: t.span,
                });
            }
        }
    }

    /// Returns the unroll hint before a loop.
    fn unroll_hint(&mut self, loop_at: usize) -> UnrollHint {
        let start = self.attributes_before(loop_at);
        let mut hint = UnrollHint::None;
        for i in start..loop_at {
            let t = self.source.tokens[i];
            if t.kind != TokenKind::Pragma {
                continue;
            }
            hint = match pragma::parse(t.text(self.source.map)) {
                Pragma::Unroll(n) => UnrollHint::Count(n),
                Pragma::UnrollName(name) => UnrollHint::Value(Box::new(Expr {
                    kind: ExprKind::Ident(name),
                    span: t.span,
                })),
                Pragma::FpContract(_) | Pragma::Extension | Pragma::Ignored | Pragma::Wrong(_) => continue,
            };
            self.hints.push(i);
        }
        for a in self.attributes_in(start, loop_at) {
            if a.name != "opencl_unroll_hint" {
                self.diags
                    .warning(a.span, format!("unknown attribute '{}' ignored", a.name));
                continue;
            }
            // OpenCL 2.0, 6.11.5: the count is optional.
            match &a.args[..] {
                [] => hint = UnrollHint::Count(0),
                [AttrArg::Expr(e)] => hint = UnrollHint::Value(Box::new(e.clone())),
                [AttrArg::Text(_)] => {
                    self.diags.error(
                        a.span,
                        "'opencl_unroll_hint' attribute requires an integer constant",
                    );
                }
                [_, ..] => {
                    let message = "'opencl_unroll_hint' attribute takes no more than 1 argument";
                    self.diags.error(a.span, message);
                }
            }
        }
        hint
    }

    /// Reports hints that do not precede a loop; `first` is the item's first token.
    pub(in super::super) fn unused_hints(&mut self, first: usize) {
        for i in first..self.end {
            let t = self.source.tokens[i];
            let hint = t.kind == TokenKind::Pragma
                && matches!(
                    pragma::parse(t.text(self.source.map)),
                    Pragma::Unroll(_) | Pragma::UnrollName(_)
                );
            if hint && !self.hints.contains(&i) {
                self.diags.warning(t.span, pragma::NO_LOOP);
            }
        }
        let left = self
            .text
            .attributes
            .iter()
            .filter(|r| !r.used)
            .flat_map(|r| &r.list);
        for a in left.filter(|a| a.name == "opencl_unroll_hint") {
            self.diags.error(
                a.span,
                "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements",
            );
        }
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

    /// Lowers the expression in the parentheses after a keyword.
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
        // Find the two semicolons of the head.
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
