//! Checks made before parsing: brackets match and nesting is bounded. Also splits the source into top-level
//! declarations.

use std::ops::Range;

use crate::diag::{Diag, Diags};
use crate::pp::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;

/// The greatest allowed nesting depth of brackets, which is clang's default.
const MAX_BRACKETS: usize = 256;
/// The greatest allowed nesting depth of all constructs: brackets, statements without braces, prefix
/// operators, casts.
const MAX_DEPTH: usize = 2000;
/// The greatest allowed number of binary operators in one expression.
const MAX_OPERATORS: usize = 4096;

/// The partner of a token that has none.
pub(super) const NONE: u32 = u32::MAX;

/// The index of each bracket's partner; [`NONE`] for other tokens and for brackets without a partner.
pub(super) struct Brackets {
    pub(super) partner: Vec<u32>,
    /// The index of the first token that cannot be used, because a bracket there is never closed.
    pub(super) usable: usize,
}

fn closer(open: Punct) -> Option<Punct> {
    match open {
        Punct::LParen => Some(Punct::RParen),
        Punct::LBracket => Some(Punct::RBracket),
        Punct::LBrace => Some(Punct::RBrace),
        _ => None,
    }
}

/// The number of bracket errors after which further brackets are not checked.
const MAX_ERRORS: usize = 20;

/// Returns whether token `i` shows that the parenthesis or bracket opened at `at` was not closed.
fn ends_statement(tokens: &[Token], partner: &[u32], at: usize, i: usize, p: Punct) -> bool {
    let before = |i: usize| i.checked_sub(1).map(|i| tokens[i].kind);
    match p {
        Punct::Semi => {
            let is_for = tokens[at].is(Punct::LParen) && before(at) == Some(TokenKind::Keyword(Keyword::For));
            !is_for || semicolons(tokens, partner, at + 1..i) >= 2
        }
        Punct::LBrace => {
            let tag = matches!(
                i.checked_sub(2).and_then(|i| tokens.get(i)).map(|t| t.kind),
                Some(TokenKind::Keyword(
                    Keyword::Struct | Keyword::Union | Keyword::Enum
                ))
            );
            before(i) == Some(TokenKind::Ident) && !tag
        }
        _ => false,
    }
}

/// Counts the semicolons that are not in brackets.
fn semicolons(tokens: &[Token], partner: &[u32], range: Range<usize>) -> usize {
    let mut count = 0;
    let mut i = range.start;
    while i < range.end {
        count += usize::from(tokens[i].is(Punct::Semi));
        if partner[i] != NONE {
            i = i.max(partner[i] as usize);
        }
        i += 1;
    }
    count
}

/// Matches all brackets and reports those that do not match.
pub(super) fn match_brackets(tokens: &[Token], diags: &mut Diags) -> Brackets {
    let mut partner = vec![NONE; tokens.len()];
    let mut open: Vec<(usize, Punct)> = Vec::new();
    let mut errors = 0;
    for (i, t) in tokens.iter().enumerate() {
        let TokenKind::Punct(p) = t.kind else { continue };
        // The end of a statement, or a block, follows while a parenthesis is open: the parenthesis should
        // have been closed before it.
        while let Some(&(at, close)) = open.last()
            && close != Punct::RBrace
            && errors <= MAX_ERRORS
            && ends_statement(tokens, &partner, at, i, p)
        {
            errors += 1;
            missing(tokens, at, close, t.span, diags);
            open.pop();
        }
        if let Some(close) = closer(p) {
            if open.len() == MAX_BRACKETS {
                diags.error(
                    t.span,
                    format!("bracket nesting level exceeded maximum of {MAX_BRACKETS}"),
                );
                return Brackets {
                    partner,
                    usable: open.first().map_or(i, |o| o.0),
                };
            }
            open.push((i, close));
            continue;
        }
        if !matches!(p, Punct::RParen | Punct::RBracket | Punct::RBrace) {
            continue;
        }
        if errors > MAX_ERRORS {
            continue;
        }
        match open.last() {
            Some(&(at, close)) if close == p => {
                partner[at] = i as u32;
                partner[i] = at as u32;
                open.pop();
            }
            // An inner bracket was left open. It is closed here if an outer bracket matches; braces take
            // precedence.
            Some(_)
                if open.iter().any(|o| o.1 == p)
                    && (p == Punct::RBrace || !open.last().is_some_and(|o| o.1 == Punct::RBrace)) =>
            {
                errors += 1;
                while let Some((at, close)) = open.pop() {
                    if close == p {
                        partner[at] = i as u32;
                        partner[i] = at as u32;
                        break;
                    }
                    missing(tokens, at, close, t.span, diags);
                }
            }
            _ => {
                errors += 1;
                if p == Punct::RBrace && open.is_empty() {
                    diags.error(t.span, "extraneous closing brace ('}')");
                } else {
                    diags.error(t.span, "expected expression");
                }
            }
        }
    }
    let usable = open.first().map_or(tokens.len(), |o| o.0);
    if let (Some(&(at, close)), Some(last)) = (open.last(), tokens.last()) {
        let end = Span {
            lo: last.span.hi,
            ..last.span
        };
        missing(tokens, at, close, end, diags);
    }
    Brackets { partner, usable }
}

fn missing(tokens: &[Token], at: usize, close: Punct, here: Span, diags: &mut Diags) {
    let (open, close) = (tokens[at], close.text());
    let TokenKind::Punct(p) = open.kind else { return };
    let d = Diag::error(here, format!("expected '{close}'"))
        .note(open.span, format!("to match this '{}'", p.text()));
    diags.push(d);
}

/// Returns the ranges of the top-level declarations and definitions in `tokens[..brackets.usable]`.
pub(super) fn split(tokens: &[Token], brackets: &Brackets) -> Vec<Range<usize>> {
    let mut items = Vec::new();
    let mut start = 0;
    let mut i = 0;
    // `last` is the last token that is not part of an attribute; `assigned` tells whether `=` was seen.
    let mut last: Option<usize> = None;
    let mut assigned = false;
    while i < brackets.usable {
        let t = tokens[i];
        if t.is_keyword(Keyword::Attribute) {
            i += 1;
            if i < tokens.len() && tokens[i].is(Punct::LParen) && brackets.partner[i] != NONE {
                i = brackets.partner[i] as usize + 1;
            }
            continue;
        }
        let mut end = None;
        match t.kind {
            TokenKind::Punct(Punct::Semi) => end = Some(i + 1),
            TokenKind::Punct(Punct::Eq) => assigned = true,
            TokenKind::Punct(p) if closer(p).is_some() && brackets.partner[i] != NONE => {
                let close = brackets.partner[i] as usize;
                let body =
                    p == Punct::LBrace && !assigned && last.is_some_and(|l| tokens[l].is(Punct::RParen));
                if body {
                    end = Some(close + 1);
                }
                i = close;
                if p == Punct::LParen
                    && !assigned
                    && let Some(open) = old_style_body(tokens, close + 1)
                    && brackets.partner[open] != NONE
                {
                    i = brackets.partner[open] as usize;
                    end = Some(i + 1);
                }
            }
            // A closing brace without an opening one ends the declaration that contains it.
            TokenKind::Punct(Punct::RBrace) if brackets.partner[i] == NONE => end = Some(i + 1),
            _ => {}
        }
        if t.kind != TokenKind::Pragma {
            last = Some(i);
        }
        i += 1;
        if let Some(end) = end {
            items.push(start..end);
            start = end;
            last = None;
            assigned = false;
        }
    }
    // If a bracket is left open, the declaration that contains it cannot be used.
    if start < brackets.usable && brackets.usable == tokens.len() {
        items.push(start..brackets.usable);
    }
    items
}

/// Finds the body of a function whose parameters are declared after its parameter list, in the style from
/// before C89.
fn old_style_body(tokens: &[Token], from: usize) -> Option<usize> {
    let first = tokens.get(from)?;
    if !matches!(first.kind, TokenKind::Ident | TokenKind::Keyword(_)) {
        return None;
    }
    for (i, t) in tokens.iter().enumerate().skip(from) {
        match t.kind {
            TokenKind::Punct(Punct::LBrace) => return tokens[i - 1].is(Punct::Semi).then_some(i),
            TokenKind::Punct(
                Punct::Semi | Punct::Comma | Punct::Star | Punct::LBracket | Punct::RBracket,
            )
            | TokenKind::Ident
            | TokenKind::Number
            | TokenKind::Keyword(_) => {}
            TokenKind::Punct(_)
            | TokenKind::Str
            | TokenKind::Char
            | TokenKind::Table
            | TokenKind::Pragma
            | TokenKind::Other => {
                return None;
            }
        }
    }
    None
}

/// Bounds on the recursion depth of a parser.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Nesting {
    /// The number of levels of brackets and other nesting.
    pub depth: usize,
    /// The length of the longest chain of binary operators, whose tree leans to the left.
    pub operators: usize,
    /// `depth` plus the binary operators of different precedence on the path to the deepest level.
    pub frames: usize,
}

/// The number of precedence levels of binary operators.
const PRECEDENCES: usize = 10;

/// Bounds the nesting of the tree of these tokens. `Err` is the position where a limit is exceeded.
pub(super) fn nesting(tokens: &[Token]) -> Result<Nesting, Span> {
    // Per bracket level: the nesting without brackets and the number of binary operators since the statement
    // or operand began; and the nesting of each `if` of the statement that has no `else` yet.
    let mut levels: Vec<((usize, usize), Vec<usize>)> = Vec::new();
    let mut here = (0usize, 0usize);
    let mut ifs: Vec<usize> = Vec::new();
    // The nesting of all outer levels, and the binary operators before their brackets, by precedence.
    let mut outer = 0usize;
    let mut climbed = 0usize;
    let mut max = Nesting::default();
    let mut prev_operand = false;
    for (i, t) in tokens.iter().enumerate() {
        let mut operand = false;
        match t.kind {
            TokenKind::Punct(p) => match p {
                Punct::LParen | Punct::LBracket | Punct::LBrace => {
                    levels.push((here, std::mem::take(&mut ifs)));
                    outer += here.0 + 1;
                    climbed += here.1.min(PRECEDENCES);
                    here = (0, 0);
                }
                Punct::RParen | Punct::RBracket | Punct::RBrace => {
                    (here, ifs) = levels.pop().unwrap_or_default();
                    outer = outer.saturating_sub(here.0 + 1);
                    climbed = climbed.saturating_sub(here.1.min(PRECEDENCES));
                    operand = p != Punct::RBrace;
                    let next = tokens.get(i + 1);
                    match p {
                        // The parenthesis may end a cast or the head of a statement.
                        Punct::RParen => {
                            let binary = next.is_none_or(|n| matches!(n.kind, TokenKind::Punct(q) if !matches!(q, Punct::LParen | Punct::Tilde | Punct::Bang)));
                            here.0 += usize::from(!binary);
                        }
                        Punct::RBrace if !next.is_some_and(|n| n.is_keyword(Keyword::Else)) => {
                            here = (0, 0);
                            ifs.clear();
                        }
                        _ => {}
                    }
                }
                Punct::Semi => {
                    if !tokens.get(i + 1).is_some_and(|n| n.is_keyword(Keyword::Else)) {
                        here = (0, 0);
                        ifs.clear();
                    }
                }
                Punct::Comma => here = (0, 0),
                Punct::Question | Punct::Colon => here.0 += 1,
                Punct::PlusPlus | Punct::MinusMinus | Punct::Tilde | Punct::Bang => here.0 += 1,
                Punct::Eq
                | Punct::PlusEq
                | Punct::MinusEq
                | Punct::StarEq
                | Punct::SlashEq
                | Punct::PercentEq
                | Punct::AmpEq
                | Punct::PipeEq
                | Punct::CaretEq
                | Punct::ShlEq
                | Punct::ShrEq => here.0 += 1,
                Punct::Dot | Punct::Arrow => here.1 += 1,
                _ if prev_operand => here.1 += 1,
                _ => here.0 += 1,
            },
            TokenKind::Keyword(Keyword::If) => {
                ifs.push(here.0);
                here.0 += 1;
            }
            // The `else` branch is one level deeper than its `if`, whatever was between them. So the depth of
            // a chain of `else if` is at most the length of the chain.
            TokenKind::Keyword(Keyword::Else) => {
                here = (ifs.pop().unwrap_or(here.0) + 1, 0);
            }
            TokenKind::Keyword(
                Keyword::For
                | Keyword::While
                | Keyword::Do
                | Keyword::Switch
                | Keyword::Sizeof
                | Keyword::Alignof
                | Keyword::VecStep,
            ) => here.0 += 1,
            TokenKind::Keyword(Keyword::Case | Keyword::Default) => {}
            TokenKind::Ident | TokenKind::Number | TokenKind::Char | TokenKind::Str => operand = true,
            TokenKind::Table => max.depth = max.depth.max(outer + crate::pp::table::MAX_DEPTH),
            TokenKind::Keyword(_) | TokenKind::Pragma | TokenKind::Other => {}
        }
        prev_operand = operand;
        max.depth = max.depth.max(outer + here.0);
        max.operators = max.operators.max(here.1);
        max.frames = max.frames.max(outer + here.0 + climbed + here.1.min(PRECEDENCES));
        if max.depth > MAX_DEPTH || max.operators > MAX_OPERATORS {
            return Err(t.span);
        }
    }
    Ok(max)
}
