//! Reads `__attribute__((…))` from the tokens, because lang-c does not know all its positions and arguments.

use super::ast::{AttrArg, Attribute, Expr, ExprKind};
use super::rewrite::Source;
use crate::diag::Diags;
use crate::pp::literal;
use crate::pp::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;

/// One `__attribute__((…))` with its position.
pub(super) struct AttributeRecord {
    /// The range of its tokens, with `hi`.
    pub(super) lo: usize,
    pub(super) hi: usize,
    pub(super) list: Vec<Pending>,
    /// A node of the tree has taken the attribute.
    pub(super) used: bool,
}

/// An attribute whose arguments may not be parsed yet.
pub(super) struct Pending {
    pub(super) name: String,
    pub(super) args: Vec<Arg>,
    pub(super) span: Span,
}

pub(super) enum Arg {
    Done(AttrArg),
    /// An expression, as a range of tokens.
    Tokens(usize, usize),
}

impl Pending {
    pub(super) fn into_attribute(self) -> Attribute {
        let args = self.args.into_iter().filter_map(|a| match a {
            Arg::Done(a) => Some(a),
            Arg::Tokens(..) => None,
        });
        Attribute {
            name: self.name,
            args: args.collect(),
            span: self.span,
        }
    }
}

/// Reads the attribute at token `at`. Returns it and the index of the token after it.
pub(super) fn read(
    source: &Source<'_>,
    at: usize,
    limit: usize,
    diags: &mut Diags,
) -> (Option<AttributeRecord>, usize) {
    let Source {
        tokens, partner, map, ..
    } = *source;
    let open = |i: usize| {
        tokens.get(i).is_some_and(|t| t.is(Punct::LParen)) && i < limit && (partner[i] as usize) < limit
    };
    let after = |i: usize| Span {
        lo: tokens[i].span.hi,
        ..tokens[i].span
    };
    if !open(at + 1) {
        diags.error(after(at), "expected '(' after 'attribute'");
        return (None, at + 1);
    }
    let hi = partner[at + 1] as usize + 1;
    if !open(at + 2) || partner[at + 2] as usize + 2 != hi {
        diags.error(after(at + 1), "expected '(' after '('");
        return (None, hi);
    }
    let end = partner[at + 2] as usize;
    let mut list = Vec::new();
    let mut i = at + 3;
    while i < end {
        let t = tokens[i];
        match t.kind {
            TokenKind::Punct(Punct::Comma) => {
                i += 1;
                continue;
            }
            TokenKind::Ident | TokenKind::Keyword(_) => {}
            _ => {
                diags.error(t.span, "expected identifier");
                break;
            }
        }
        let text = t.text(map);
        let name = text
            .strip_prefix("__")
            .and_then(|n| n.strip_suffix("__"))
            .filter(|n| !n.is_empty());
        let mut pending = Pending {
            name: name.unwrap_or(text).to_string(),
            args: Vec::new(),
            span: t.span,
        };
        i += 1;
        if open(i) {
            let close = partner[i] as usize;
            pending.span = t.span.to(tokens[close].span);
            pending.args = arguments(source, i + 1, close);
            i = close + 1;
        }
        list.push(pending);
        if i < end && !tokens[i].is(Punct::Comma) {
            diags.error(tokens[i].span, "expected ')'");
            break;
        }
    }
    let record = AttributeRecord {
        lo: at,
        hi,
        list,
        used: false,
    };
    (Some(record), hi)
}

fn arguments(source: &Source<'_>, lo: usize, hi: usize) -> Vec<Arg> {
    let Source { tokens, partner, .. } = *source;
    let mut args = Vec::new();
    let mut start = lo;
    let mut i = lo;
    while i <= hi {
        if i == hi || tokens[i].is(Punct::Comma) {
            if start < i {
                args.push(argument(source, start, i));
            }
            start = i + 1;
        } else if tokens[i].is(Punct::LParen) || tokens[i].is(Punct::LBracket) || tokens[i].is(Punct::LBrace)
        {
            i = (partner[i] as usize).min(hi).max(i);
        }
        i += 1;
    }
    args
}

fn argument(source: &Source<'_>, lo: usize, hi: usize) -> Arg {
    let Source {
        tokens, map, types, ..
    } = *source;
    let first = tokens[lo];
    let is_type = |t: &Token| match t.kind {
        TokenKind::Ident => types.get(t.text(map)).is_some(),
        TokenKind::Keyword(k) => !matches!(
            k,
            Keyword::Sizeof | Keyword::Alignof | Keyword::VecStep | Keyword::Offsetof
        ),
        _ => false,
    };
    if is_type(&first) {
        let words: Vec<&str> = tokens[lo..hi].iter().map(|t| t.text(map)).collect();
        return Arg::Done(AttrArg::Text(words.join(" ")));
    }
    if hi == lo + 1 {
        let text = first.text(map);
        let kind = match first.kind {
            TokenKind::Ident => Some(ExprKind::Ident(text.to_string())),
            TokenKind::Number => literal::number(text).ok().map(ExprKind::from),
            TokenKind::Str => literal::string_value(text).ok().map(ExprKind::Str),
            _ => None,
        };
        if let Some(kind) = kind {
            return Arg::Done(AttrArg::Expr(Expr {
                kind,
                span: first.span,
            }));
        }
    }
    Arg::Tokens(lo, hi)
}
