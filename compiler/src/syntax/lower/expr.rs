//! Lowers expressions and initializers.
//!
//! lang-c's tree does not contain parentheses, so they are recovered from the tokens. Each expression is
//! lowered together with its first and last token. A matching pair of parentheses directly around it belongs
//! to the expression, unless it belongs to the enclosing construct (a call, a statement). `lo` is the first
//! token that can belong to the expression.

use lang_c::ast as c;
use lang_c::span::Node;

use super::super::ast::{BinaryOp, Designator, Expr, ExprKind, Ident, InitItem, Initializer, UnaryOp};
use super::Lower;
use crate::pp::literal;
use crate::pp::{Keyword, Punct, TokenKind};
use crate::source::Span;

/// An expression with the range of its tokens.
pub(super) struct Lowered {
    pub(super) expr: Expr,
    first: usize,
    pub(super) last: usize,
}

impl Lower<'_> {
    /// Lowers an expression whose tokens begin at `lo` or after it.
    pub(super) fn expr(&mut self, n: &Node<c::Expression>, lo: usize) -> Lowered {
        let (kind, first, last) = self.kind(n, lo);
        let e = self.lowered(kind, first, last);
        self.parenthesized(e, lo)
    }

    fn lowered(&self, kind: ExprKind, first: usize, last: usize) -> Lowered {
        Lowered {
            expr: Expr {
                kind,
                span: self.range(first, last),
            },
            first,
            last,
        }
    }

    /// Adds the parentheses around an expression that open at `lo` or after it.
    fn parenthesized(&self, mut e: Lowered, lo: usize) -> Lowered {
        while e.first > lo {
            let (open, close) = (self.before(e.first), self.after(e.last));
            if open < lo || !self.is(open, Punct::LParen) || self.partner(open) != close {
                break;
            }
            e = self.lowered(ExprKind::Paren(Box::new(e.expr)), open, close);
        }
        e
    }

    fn kind(&mut self, n: &Node<c::Expression>, lo: usize) -> (ExprKind, usize, usize) {
        match &n.node {
            c::Expression::Identifier(i) => {
                let t = self.first(i);
                (ExprKind::Ident(self.token_text(t).to_string()), t, t)
            }
            c::Expression::Constant(k) => {
                let t = self.first(k);
                (self.constant(t), t, t)
            }
            c::Expression::StringLiteral(s) => self.strings(s),
            c::Expression::GenericSelection(g) => {
                let (first, last) = (self.first(g), self.last(g));
                (ExprKind::Unsupported("_Generic"), first, last)
            }
            c::Expression::Member(_) | c::Expression::Call(_) | c::Expression::BinaryOperator(_) => {
                self.chain(n, lo)
            }
            c::Expression::CompoundLiteral(l) => {
                let first = self.before(self.first(&l.node.type_name));
                let open = self.after(self.partner(first));
                let t = self.type_name(&l.node.type_name);
                let items = self.init_items(&l.node.initializer_list);
                (
                    ExprKind::CompoundLiteral(Box::new(t), items),
                    first,
                    self.partner(open),
                )
            }
            c::Expression::SizeOfTy(s) => {
                let open = self.before(self.first(&s.node.0));
                let first = self.before(open);
                let t = Box::new(self.type_name(&s.node.0));
                let kind = match self.keyword(first) {
                    Some(Keyword::VecStep) => ExprKind::VecStepType(t),
                    Some(Keyword::Alignof) => ExprKind::AlignofType(t),
                    _ => ExprKind::SizeofType(t),
                };
                (kind, first, self.partner(open))
            }
            c::Expression::SizeOfVal(s) => {
                let first = self.first(s);
                let e = self.expr(&s.node.0, first + 1);
                let operand = Box::new(e.expr);
                let kind = match self.keyword(first) {
                    Some(Keyword::VecStep) => ExprKind::VecStepExpr(operand),
                    Some(Keyword::Alignof) => ExprKind::AlignofExpr(operand),
                    _ => ExprKind::SizeofExpr(operand),
                };
                (kind, first, e.last)
            }
            c::Expression::AlignOf(a) => {
                let open = self.before(self.first(&a.node.0));
                let first = self.before(open);
                let t = Box::new(self.type_name(&a.node.0));
                (ExprKind::AlignofType(t), first, self.partner(open))
            }
            c::Expression::UnaryOperator(u) if is_postfix(&u.node.operator.node) => self.chain(n, lo),
            c::Expression::UnaryOperator(u) => self.unary(&u.node),
            c::Expression::Cast(k) => self.cast(&k.node),
            c::Expression::Conditional(k) => self.conditional(&k.node, lo),
            c::Expression::Comma(list) => self.comma(list, lo),
            c::Expression::OffsetOf(o) => self.offset_of(o),
            c::Expression::VaArg(v) => {
                let (first, last) = (self.first(v), self.last(v));
                (ExprKind::Unsupported("va_arg"), first, last)
            }
            c::Expression::Statement(s) => {
                let brace = self.first(s);
                let open = self.before(brace);
                let body = match &s.node {
                    c::Statement::Compound(items) => self.block(items, self.partner(brace)),
                    _ => Vec::new(),
                };
                (ExprKind::StmtExpr(body), open, self.partner(open))
            }
        }
    }

    /// Translates adjacent string literals, which are one string.
    fn strings(&mut self, s: &Node<c::StringLiteral>) -> (ExprKind, usize, usize) {
        let first = self.first(s);
        let mut last = first;
        let mut bytes = Vec::new();
        for i in 0..s.node.len() {
            if i > 0 {
                last = self.after(last);
            }
            self.check_text(last);
            match literal::string_value(self.token_text(last)) {
                Ok(b) => bytes.extend(b),
                Err(e) => self.diags.error(self.token_span(last), e),
            }
        }
        (ExprKind::Str(bytes), first, last)
    }

    /// Translates `cond ? a : b`, and GNU C's `cond ?: b`.
    fn conditional(&mut self, k: &c::ConditionalExpression, lo: usize) -> (ExprKind, usize, usize) {
        let cond = self.expr(&k.condition, lo);
        let question = self.after(cond.last);
        let middle_at = self.after(question);
        let (middle, colon) = if self.is(middle_at, Punct::Colon) {
            (None, middle_at)
        } else {
            let m = self.expr(&k.then_expression, question + 1);
            let colon = self.after(m.last);
            (Some(Box::new(m.expr)), colon)
        };
        let e = self.expr(&k.else_expression, colon + 1);
        let kind = ExprKind::Conditional(Box::new(cond.expr), middle, Box::new(e.expr));
        (kind, cond.first, e.last)
    }

    fn comma(&mut self, list: &[Node<c::Expression>], lo: usize) -> (ExprKind, usize, usize) {
        let mut at = lo;
        let mut out = Vec::with_capacity(list.len());
        let (mut first, mut last) = (lo, lo);
        for (i, e) in list.iter().enumerate() {
            let e = self.expr(e, at);
            if i == 0 {
                first = e.first;
            }
            last = e.last;
            at = self.after(e.last) + 1;
            out.push(e.expr);
        }
        (ExprKind::Comma(out), first, last)
    }

    /// Translates `offsetof(type, member.member[index])`.
    fn offset_of(&mut self, o: &Node<c::OffsetOfExpression>) -> (ExprKind, usize, usize) {
        let open = self.before(self.first(&o.node.type_name));
        let first = self.before(open);
        let t = Box::new(self.type_name(&o.node.type_name));
        let d = &o.node.designator.node;
        let mut path = vec![Designator::Member(self.ident(&d.base))];
        for m in &d.members {
            path.push(match &m.node {
                c::OffsetMember::Member(i) | c::OffsetMember::IndirectMember(i) => {
                    Designator::Member(self.ident(i))
                }
                c::OffsetMember::Index(e) => {
                    let lo = self.first(e);
                    Designator::Index(self.expr(e, lo).expr)
                }
            });
        }
        (ExprKind::Offsetof(t, path), first, self.partner(open))
    }

    /// Lowers a list separated by commas, from token `lo` on.
    fn list(&mut self, list: &[Node<c::Expression>], lo: usize) -> Vec<Expr> {
        let mut at = lo;
        let mut out = Vec::with_capacity(list.len());
        for e in list {
            let e = self.expr(e, at);
            at = self.after(e.last) + 1;
            out.push(e.expr);
        }
        out
    }

    fn constant(&mut self, token: usize) -> ExprKind {
        self.check_text(token);
        let text = self.token_text(token);
        let kind = match self.source.tokens.get(token).map(|t| t.kind) {
            Some(TokenKind::Char) => literal::char_value(text).map(ExprKind::Char),
            _ => literal::number(text).map(ExprKind::from),
        };
        kind.unwrap_or_else(|e| {
            self.diags.error(self.token_span(token), e);
            ExprKind::Char(0)
        })
    }

    /// Warns about unknown escapes and about several characters in one constant.
    fn check_text(&mut self, token: usize) {
        let text = self.token_text(token);
        let is_char = text.ends_with('\'');
        if text.starts_with('L') && !(is_char && text.is_ascii()) {
            let what = match is_char {
                true => "wide character constants that are not ASCII",
                false => "wide string literals",
            };
            let span = self.token_span(token);
            self.diags
                .error(span, format!("{what} are not supported in OpenCL C"));
            return;
        }
        let escape = literal::unknown_escape(text);
        let multiple = Some(text)
            .filter(|_| is_char)
            .and_then(literal::multichar_warning);
        let span = self.token_span(token);
        if let Some(c) = escape {
            self.diags
                .warning(span, format!("unknown escape sequence '\\{c}'"));
        }
        if let Some(warning) = multiple {
            self.diags.warning(span, warning);
        }
    }

    fn unary(&mut self, u: &c::UnaryOperatorExpression) -> (ExprKind, usize, usize) {
        let at = self.first(&u.operator);
        let e = self.expr(&u.operand, at + 1);
        (
            ExprKind::Unary(unary_op(&u.operator.node), Box::new(e.expr)),
            at,
            e.last,
        )
    }

    /// Lowers `(type) operand`. For lang-c, `(float4)(x).xyz` is a cast of `(x).xyz`; in OpenCL C, as in
    /// clang, it is the member `xyz` of the vector literal.
    fn cast(&mut self, k: &c::CastExpression) -> (ExprKind, usize, usize) {
        let first = self.before(self.first(&k.type_name));
        let close = self.partner(first);
        let t = self.type_name(&k.type_name);
        let operand = self.expr(&k.expression, close + 1);
        let last = operand.last;
        let mut e = operand.expr;
        let open = self.after(close);
        let literal = self.is_vector_type(&t) && operand.first == open && self.is(open, Punct::LParen);
        if literal && let Some(at) = postfix_base(&mut e, self.token_span(first).lo) {
            let inner = std::mem::replace(&mut at.kind, ExprKind::Char(0));
            at.kind = vector_literal(t, inner);
            at.span = self.range(first, self.partner(open));
            return (e.kind, first, last);
        }
        let kind = match e.kind {
            ExprKind::Paren(inner) if matches!(inner.kind, ExprKind::Comma(_)) => {
                vector_literal(t, ExprKind::Paren(inner))
            }
            _ => ExprKind::Cast(Box::new(t), Box::new(e)),
        };
        (kind, first, last)
    }

    /// Lowers binary and postfix operators. Their chains lean to the left and may be long, so the left
    /// operands are visited without recursion.
    fn chain(&mut self, n: &Node<c::Expression>, lo: usize) -> (ExprKind, usize, usize) {
        let mut spine = vec![n];
        while let Some(inner) = spine.last().and_then(|n| left_operand(n)) {
            spine.push(inner);
        }
        let Some(leaf) = spine.pop() else {
            return (ExprKind::Char(0), lo, lo);
        };
        let mut left = self.expr(leaf, lo);
        while let Some(n) = spine.pop() {
            let first = left.first;
            let (kind, last) = self.link(n, left);
            left = self.finish_link(kind, first, last, lo, spine.is_empty());
        }
        (left.expr.kind, left.first, left.last)
    }

    /// Lowers one operator of a chain whose left operand is lowered already. Returns the last token too.
    fn link(&mut self, n: &Node<c::Expression>, left: Lowered) -> (ExprKind, usize) {
        let e = Box::new(left.expr);
        match &n.node {
            c::Expression::Member(m) => {
                let id = self.ident(&m.node.identifier);
                let kind = match m.node.operator.node {
                    c::MemberOperator::Direct => ExprKind::Member(e, id),
                    c::MemberOperator::Indirect => ExprKind::Arrow(e, id),
                };
                (kind, self.first(&m.node.identifier))
            }
            c::Expression::Call(call) => {
                let open = self.after(left.last);
                let args = self.list(&call.node.arguments, open + 1);
                (ExprKind::Call(e, args), self.partner(open).max(left.last))
            }
            c::Expression::UnaryOperator(u) => (
                ExprKind::Unary(unary_op(&u.node.operator.node), e),
                self.first(&u.node.operator),
            ),
            c::Expression::BinaryOperator(b) => {
                let operator = self.after(left.last);
                let right = self.expr(&b.node.rhs, operator + 1);
                let r = Box::new(right.expr);
                match binary_op(&b.node.operator.node) {
                    Operator::Index => (ExprKind::Index(e, r), self.partner(operator).max(left.last)),
                    Operator::Binary(op) => (ExprKind::Binary(op, e, r), right.last),
                    Operator::Assign(op) => (ExprKind::Assign(op, e, r), right.last),
                }
            }
            _ => (e.kind, left.last),
        }
    }

    /// Completes one operator of a chain. Parentheses around inner operators are added here; the caller adds
    /// those around the outermost.
    fn finish_link(
        &mut self,
        kind: ExprKind,
        first: usize,
        last: usize,
        lo: usize,
        outermost: bool,
    ) -> Lowered {
        let e = self.lowered(kind, first, last);
        if outermost { e } else { self.parenthesized(e, lo) }
    }

    pub(super) fn initializer(&mut self, n: &Node<c::Initializer>) -> Initializer {
        match &n.node {
            c::Initializer::Expression(e) => {
                // The node may begin at the `=`.
                let mut lo = self.first(n);
                if self.is(lo, Punct::Eq) {
                    lo += 1;
                }
                Initializer::Expr(self.expr(e, lo).expr)
            }
            c::Initializer::List(items) => {
                let span = self.node_span(n);
                if let [only] = &items[..]
                    && let Some(items) = self.table(&only.node.initializer)
                {
                    return Initializer::Table { items, span };
                }
                Initializer::List(self.init_items(items), span)
            }
        }
    }

    /// Returns the position of a table, if an item of a list stands for one.
    fn table(&self, n: &Node<c::Initializer>) -> Option<Span> {
        let token = self.source.tokens.get(self.first(n))?;
        let is_table = matches!(n.node, c::Initializer::Expression(_)) && token.kind == TokenKind::Table;
        is_table.then_some(token.span)
    }

    pub(super) fn init_items(&mut self, items: &[Node<c::InitializerListItem>]) -> Vec<InitItem> {
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let mut designators = Vec::new();
            for d in &item.node.designation {
                designators.push(match &d.node {
                    c::Designator::Member(i) => Designator::Member(self.ident(i)),
                    c::Designator::Index(e) => {
                        let lo = self.first(e);
                        Designator::Index(self.expr(e, lo).expr)
                    }
                    c::Designator::Range(r) => {
                        let (a, b) = (self.first(&r.node.from), self.first(&r.node.to));
                        Designator::Range(self.expr(&r.node.from, a).expr, self.expr(&r.node.to, b).expr)
                    }
                });
            }
            let init = self.initializer(&item.node.initializer);
            out.push(InitItem { designators, init });
        }
        out
    }

    /// Returns a label or other name.
    pub(super) fn name(&self, n: &Node<c::Identifier>) -> Ident {
        self.ident(n)
    }
}

/// Returns the left operand of a binary or postfix operator.
fn left_operand(n: &Node<c::Expression>) -> Option<&Node<c::Expression>> {
    match &n.node {
        c::Expression::BinaryOperator(b) => Some(&b.node.lhs),
        c::Expression::Member(m) => Some(&m.node.expression),
        c::Expression::Call(k) => Some(&k.node.callee),
        c::Expression::UnaryOperator(u) if is_postfix(&u.node.operator.node) => Some(&u.node.operand),
        _ => None,
    }
}

fn is_postfix(op: &c::UnaryOperator) -> bool {
    matches!(
        op,
        c::UnaryOperator::PostIncrement | c::UnaryOperator::PostDecrement
    )
}

fn unary_op(op: &c::UnaryOperator) -> UnaryOp {
    match op {
        c::UnaryOperator::PostIncrement => UnaryOp::PostInc,
        c::UnaryOperator::PostDecrement => UnaryOp::PostDec,
        c::UnaryOperator::PreIncrement => UnaryOp::PreInc,
        c::UnaryOperator::PreDecrement => UnaryOp::PreDec,
        c::UnaryOperator::Address => UnaryOp::AddrOf,
        c::UnaryOperator::Indirection => UnaryOp::Deref,
        c::UnaryOperator::Plus => UnaryOp::Plus,
        c::UnaryOperator::Minus => UnaryOp::Minus,
        c::UnaryOperator::Complement => UnaryOp::BitNot,
        c::UnaryOperator::Negate => UnaryOp::LogicalNot,
    }
}

enum Operator {
    Index,
    Binary(BinaryOp),
    Assign(Option<BinaryOp>),
}

fn binary_op(op: &c::BinaryOperator) -> Operator {
    use c::BinaryOperator as B;
    let assign = |op| Operator::Assign(Some(op));
    match op {
        B::Index => Operator::Index,
        B::Multiply => Operator::Binary(BinaryOp::Mul),
        B::Divide => Operator::Binary(BinaryOp::Div),
        B::Modulo => Operator::Binary(BinaryOp::Rem),
        B::Plus => Operator::Binary(BinaryOp::Add),
        B::Minus => Operator::Binary(BinaryOp::Sub),
        B::ShiftLeft => Operator::Binary(BinaryOp::Shl),
        B::ShiftRight => Operator::Binary(BinaryOp::Shr),
        B::Less => Operator::Binary(BinaryOp::Lt),
        B::Greater => Operator::Binary(BinaryOp::Gt),
        B::LessOrEqual => Operator::Binary(BinaryOp::Le),
        B::GreaterOrEqual => Operator::Binary(BinaryOp::Ge),
        B::Equals => Operator::Binary(BinaryOp::Eq),
        B::NotEquals => Operator::Binary(BinaryOp::Ne),
        B::BitwiseAnd => Operator::Binary(BinaryOp::BitAnd),
        B::BitwiseXor => Operator::Binary(BinaryOp::BitXor),
        B::BitwiseOr => Operator::Binary(BinaryOp::BitOr),
        B::LogicalAnd => Operator::Binary(BinaryOp::LogicalAnd),
        B::LogicalOr => Operator::Binary(BinaryOp::LogicalOr),
        B::Assign => Operator::Assign(None),
        B::AssignMultiply => assign(BinaryOp::Mul),
        B::AssignDivide => assign(BinaryOp::Div),
        B::AssignModulo => assign(BinaryOp::Rem),
        B::AssignPlus => assign(BinaryOp::Add),
        B::AssignMinus => assign(BinaryOp::Sub),
        B::AssignShiftLeft => assign(BinaryOp::Shl),
        B::AssignShiftRight => assign(BinaryOp::Shr),
        B::AssignBitwiseAnd => assign(BinaryOp::BitAnd),
        B::AssignBitwiseXor => assign(BinaryOp::BitXor),
        B::AssignBitwiseOr => assign(BinaryOp::BitOr),
    }
}

/// Returns the parenthesized expression that postfix operators apply to, and makes all of them begin at `lo`.
fn postfix_base(e: &mut Expr, lo: u32) -> Option<&mut Expr> {
    let mut base = &*e;
    loop {
        match &base.kind {
            ExprKind::Paren(_) => break,
            ExprKind::Member(b, _) | ExprKind::Arrow(b, _) | ExprKind::Index(b, _) | ExprKind::Call(b, _) => {
                base = b
            }
            ExprKind::Unary(UnaryOp::PostInc | UnaryOp::PostDec, b) => base = b,
            _ => return None,
        }
    }
    let mut at = e;
    while !matches!(at.kind, ExprKind::Paren(_)) {
        at.span.lo = lo;
        at = match &mut at.kind {
            ExprKind::Member(b, _) | ExprKind::Arrow(b, _) | ExprKind::Index(b, _) | ExprKind::Call(b, _) => {
                b
            }
            ExprKind::Unary(_, b) => b,
            _ => return None,
        };
    }
    Some(at)
}

/// Builds `(type)(a, b)`; `inner` is the [`ExprKind::Paren`].
fn vector_literal(t: super::super::ast::TypeName, inner: ExprKind) -> ExprKind {
    let list = match inner {
        ExprKind::Paren(e) => match e.kind {
            ExprKind::Comma(list) => list,
            kind => vec![Expr { kind, span: e.span }],
        },
        _ => Vec::new(),
    };
    ExprKind::VectorLiteral(Box::new(t), list)
}
