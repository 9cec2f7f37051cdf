//! Lowers lang-c's tree to ours. The placeholders of the rewritten text are replaced by the tokens again, and
//! the constructs that lang-c parses differently from OpenCL C are corrected (`expr`).

mod decl;
mod expr;
mod stmt;

use crate::hash::HashMap;

use lang_c::ast as c;
use lang_c::span::Node;

use super::ast::{AccessQual, Attribute, Ident, Item, Quals, SpaceQual};
use super::attribute::Arg;
use super::rewrite::{Rewritten, Source};
use crate::diag::Diags;
use crate::pp::{Keyword, Punct, TokenKind};
use crate::source::Span;

pub(super) struct Lower<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) text: Rewritten,
    pub(super) diags: &'a mut Diags,
    /// The type names of inner scopes, with whether they are vectors.
    pub(super) local_types: HashMap<String, bool>,
    /// The state of `#pragma OPENCL FP_CONTRACT` at the start of the item.
    pub(super) fp_contract: Option<bool>,
    /// The token at which [`Lower::pragmas_before`] continues.
    pub(super) pragma_at: usize,
    /// The end of the item's tokens.
    pub(super) end: usize,
    /// The pragmas that loops have used.
    pub(super) hints: Vec<usize>,
}

impl Lower<'_> {
    /// Lowers a parsed item.
    pub(super) fn unit(&mut self, unit: c::TranslationUnit) -> Vec<Item> {
        let mut declarations = unit.0;
        if self.text.has_prelude && !declarations.is_empty() {
            declarations.remove(0);
        }
        // Attribute arguments were parsed as declarations after the item.
        let extra = std::mem::take(&mut self.text.extra);
        let tail = declarations.split_off(declarations.len().saturating_sub(extra.len()));
        for ((r, a, g), d) in extra.into_iter().zip(tail) {
            if let c::ExternalDeclaration::Declaration(d) = d.node
                && let Some(init) = d
                    .node
                    .declarators
                    .into_iter()
                    .next()
                    .and_then(|d| d.node.initializer)
                && let c::Initializer::Expression(e) = init.node
                && let Arg::Tokens(lo, _) = self.text.attributes[r].list[a].args[g]
            {
                let e = self.expr(&e, lo).expr;
                self.text.attributes[r].list[a].args[g] = Arg::Done(super::ast::AttrArg::Expr(e));
            }
        }
        let mut items = Vec::with_capacity(declarations.len());
        for d in &declarations {
            match &d.node {
                c::ExternalDeclaration::Declaration(d) => items.push(Item::Declaration(self.declaration(d))),
                c::ExternalDeclaration::FunctionDefinition(f) => {
                    items.push(Item::Function(Box::new(self.function(f))))
                }
                c::ExternalDeclaration::StaticAssert(s) => {
                    let (condition, message) = self.static_assert(s);
                    items.push(Item::StaticAssert(condition, message));
                }
            }
        }
        items
    }

    /// Returns the first token of a node.
    fn first<T>(&self, n: &Node<T>) -> usize {
        self.text.token_at(n.span.start)
    }

    /// Returns the last token of a node.
    fn last<T>(&self, n: &Node<T>) -> usize {
        self.text.token_before(n.span.end)
    }

    /// Returns the last token before this one that was passed to lang-c.
    fn before(&self, token: usize) -> usize {
        let mut i = token;
        while i > 0 {
            i -= 1;
            if !self.is_hidden(i) {
                return i;
            }
        }
        0
    }

    /// Returns the first token after this one that was passed to lang-c.
    fn after(&self, token: usize) -> usize {
        let mut i = token + 1;
        while i < self.end && self.is_hidden(i) {
            i += 1;
        }
        i
    }

    fn is_hidden(&self, i: usize) -> bool {
        match self.source.tokens[i].kind {
            TokenKind::Pragma | TokenKind::Other => true,
            TokenKind::Keyword(Keyword::Attribute | Keyword::Extension) => true,
            TokenKind::Punct(_)
            | TokenKind::Ident
            | TokenKind::Number
            | TokenKind::Str
            | TokenKind::Char
            | TokenKind::Table
            | TokenKind::Keyword(_) => {
                let records = &self.text.attributes;
                let n = records.partition_point(|r| r.lo <= i);
                n > 0 && i < records[n - 1].hi
            }
        }
    }

    fn partner(&self, token: usize) -> usize {
        match self.source.partner.get(token) {
            Some(&p) if p != super::brackets::NONE => p as usize,
            _ => token,
        }
    }

    fn is(&self, token: usize, p: Punct) -> bool {
        self.source.tokens.get(token).is_some_and(|t| t.is(p))
    }

    fn token_span(&self, token: usize) -> Span {
        self.source.tokens.get(token).map_or(Span::NONE, |t| t.span)
    }

    /// Returns the span from one token to another.
    fn range(&self, first: usize, last: usize) -> Span {
        self.token_span(first).to(self.token_span(last))
    }

    fn node_span<T>(&self, n: &Node<T>) -> Span {
        self.range(self.first(n), self.last(n))
    }

    fn token_text(&self, token: usize) -> &str {
        self.source
            .tokens
            .get(token)
            .map_or("", |t| t.text(self.source.map))
    }

    fn ident_at(&self, token: usize) -> Ident {
        Ident {
            name: self.token_text(token).to_string(),
            span: self.token_span(token),
        }
    }

    fn ident(&self, n: &Node<c::Identifier>) -> Ident {
        self.ident_at(self.first(n))
    }

    /// Takes the attributes that begin in a range of tokens and were not taken before.
    fn attributes_in(&mut self, lo: usize, hi: usize) -> Vec<Attribute> {
        let mut out = Vec::new();
        for r in &mut self.text.attributes {
            if r.lo >= lo && r.lo < hi && !r.used {
                r.used = true;
                out.extend(r.list.drain(..).map(super::attribute::Pending::into_attribute));
            }
        }
        out
    }

    /// Returns the start of the attributes and pragmas directly before a token.
    fn attributes_before(&self, token: usize) -> usize {
        let mut at = token;
        while at > 0 {
            if let Some(r) = self.text.attributes.iter().rev().find(|r| r.hi == at) {
                at = r.lo;
            } else if self.source.tokens[at - 1].kind == TokenKind::Pragma
                || self.source.tokens[at - 1].is_keyword(Keyword::Extension)
            {
                at -= 1;
            } else {
                break;
            }
        }
        at
    }

    /// Returns the end of the attributes directly after a token.
    fn attributes_after(&self, token: usize) -> usize {
        let mut at = token + 1;
        while let Some(r) = self.text.attributes.iter().find(|r| r.lo == at) {
            at = r.hi;
        }
        at
    }

    /// Lowers a qualifier: one of C, or a keyword of OpenCL C that the rewritten text shows as `const`.
    /// Returns the span of a `kernel` keyword.
    fn qualifier(&mut self, n: &Node<c::TypeQualifier>, quals: &mut Quals) -> Option<Span> {
        let token = self.first(n);
        let span = self.token_span(token);
        let space = |s| Some((s, span));
        let keyword = match self.source.tokens.get(token).map(|t| t.kind) {
            Some(TokenKind::Keyword(k)) => k,
            _ => return None,
        };
        let new = match keyword {
            Keyword::Global => space(SpaceQual::Global),
            Keyword::Local => space(SpaceQual::Local),
            Keyword::Constant => space(SpaceQual::Constant),
            Keyword::Private => space(SpaceQual::Private),
            Keyword::GenericSpace => space(SpaceQual::Generic),
            _ => None,
        };
        quals.spaces.extend(new);
        match keyword {
            Keyword::Const => quals.is_const = true,
            Keyword::Volatile => quals.is_volatile = true,
            Keyword::Restrict => quals.restrict_at = Some(span),
            Keyword::ReadOnly => self.access(AccessQual::ReadOnly, span, quals),
            Keyword::WriteOnly => self.access(AccessQual::WriteOnly, span, quals),
            Keyword::ReadWrite => self.access(AccessQual::ReadWrite, span, quals),
            Keyword::Pipe => quals.pipe = Some(span),
            Keyword::Kernel => return Some(span),
            Keyword::Atomic => self.diags.error(span, "'_Atomic' is not supported in OpenCL C"),
            _ => {}
        }
        None
    }

    fn access(&mut self, access: AccessQual, span: Span, quals: &mut Quals) {
        match quals.access.replace((access, span)) {
            Some((other, _)) if other == access => self.diags.warning(span, "duplicate access qualifier"),
            Some(_) => self.diags.error(span, "multiple access qualifiers"),
            None => {}
        }
    }
}
