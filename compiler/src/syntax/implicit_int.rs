//! Declarations without a type, such as `const x = 3` and `f(__global *p)`. In C90 they have type `int`; C99
//! has none, but other implementations of OpenCL C accept them with a warning.

use std::ops::Range;

use super::rewrite::Source;
use crate::pp::{Keyword, Punct, Token, TokenKind};

/// The text of the warning for each such declaration, as clang writes it.
pub(super) const MISSING: &str =
    "type specifier missing, defaults to 'int'; ISO C99 and later do not support implicit int";

/// Returns the numbers of the tokens in `range` before which an `int` is missing, in ascending order. Between
/// the start of the declaration and such a token, there are only storage classes, qualifiers and function
/// specifiers; and the token can only be the first one of a declarator.
pub(super) fn missing(source: &Source<'_>, range: Range<usize>) -> Vec<usize> {
    let Source { tokens, partner, .. } = *source;
    let mut found = Vec::new();
    let mut prev: Option<Token> = None;
    let mut i = range.start;
    while i < range.end {
        let begins = prev.is_none_or(|p| {
            p.is(Punct::Semi) || p.is(Punct::LBrace) || p.is(Punct::LParen) || p.is(Punct::Comma)
        });
        if !begins || !is_specifier(tokens[i]) {
            prev = Some(tokens[i]);
            i += 1;
            continue;
        }
        let start = i;
        while i < range.end {
            let t = tokens[i];
            if t.is_keyword(Keyword::Attribute) {
                // Skips to the end of the attribute's argument.
                let open = i + 1;
                i = match partner.get(open) {
                    Some(&close) if close as usize > open => close as usize + 1,
                    _ => return found,
                };
            } else if is_specifier(t) || t.kind == TokenKind::Pragma {
                i += 1;
            } else {
                break;
            }
        }
        if i < range.end && is_declarator(source, start..i, &range) {
            found.push(i);
        }
        prev = tokens.get(i - 1).copied();
    }
    found
}

/// Returns whether a token is a storage class, qualifier or function specifier, which may precede a type.
fn is_specifier(t: Token) -> bool {
    let TokenKind::Keyword(k) = t.kind else {
        return false;
    };
    matches!(
        k,
        Keyword::Const
            | Keyword::Volatile
            | Keyword::Static
            | Keyword::Extern
            | Keyword::Inline
            | Keyword::Kernel
            | Keyword::Global
            | Keyword::Local
            | Keyword::Constant
            | Keyword::Private
            | Keyword::GenericSpace
    )
}

/// Returns whether a declarator begins after the specifiers, which are in `item`.
fn is_declarator(source: &Source<'_>, specifiers: Range<usize>, item: &Range<usize>) -> bool {
    let Source {
        tokens, map, types, ..
    } = *source;
    let Range { start, end: at } = specifiers;
    let t = tokens[at];
    if t.is(Punct::Star) {
        return true;
    }
    if t.kind != TokenKind::Ident || types.get(t.text(map)).is_some() {
        return false;
    }
    let Some(next) = tokens.get(at + 1).filter(|_| at + 1 < item.end) else {
        return false;
    };
    match next.kind {
        TokenKind::Punct(Punct::Eq | Punct::Semi | Punct::Comma | Punct::LBracket) => true,
        // At the start of the range this is a function without a return type. Elsewhere it is a cast, or the use
        // of an undefined macro.
        TokenKind::Punct(Punct::LParen) => start == item.start,
        // After a comma this is the last of several parameters. Otherwise it may be a cast to a function type.
        TokenKind::Punct(Punct::RParen) => start > item.start && tokens[start - 1].is(Punct::Comma),
        _ => false,
    }
}
