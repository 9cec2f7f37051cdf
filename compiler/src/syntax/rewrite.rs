//! Tokens of one top-level declaration to text that lang-c parses.
//!
//! The text is a placeholder for the tokens: names become `a0`, `a1`, …, every literal `0` or `""`, every
//! qualifier and `kernel` `const`; attributes and pragmas are left out and kept aside. The map from text offsets
//! back to tokens gives each node of lang-c's tree its token, and so its real text and position.

use std::collections::HashMap;

use super::attribute::{self, AttributeRecord};
use super::types::TypeNames;
use crate::diag::Diags;
use crate::pp::{Keyword, Punct, Token, TokenKind};
use crate::source::SourceMap;

/// The rewritten item.
pub(super) struct Rewritten {
    pub(super) text: String,
    /// `(offset, token)` of each piece of text, ascending.
    pub(super) chunks: Vec<(u32, u32)>,
    pub(super) attributes: Vec<AttributeRecord>,
    /// Expressions of attribute arguments, parsed behind the item: `(attribute record, attribute, argument)`.
    pub(super) extra: Vec<(usize, usize, usize)>,
    /// The first declaration of the text is the prelude of type names.
    pub(super) has_prelude: bool,
}

impl Rewritten {
    /// Index into `chunks` of the piece at a text offset.
    pub(super) fn chunk_at(&self, offset: usize) -> usize {
        self.chunks
            .partition_point(|c| c.0 as usize <= offset)
            .saturating_sub(1)
    }

    /// The token at a text offset.
    pub(super) fn token_at(&self, offset: usize) -> usize {
        self.chunks.get(self.chunk_at(offset)).map_or(0, |c| c.1 as usize)
    }

    /// The last token of a node that ends at a text offset (white space behind it may be included).
    pub(super) fn token_before(&self, end: usize) -> usize {
        self.token_at(end.saturating_sub(1))
    }
}

/// What a rewrite works on.
pub(super) struct Source<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) partner: &'a [u32],
    pub(super) map: &'a SourceMap,
    pub(super) types: &'a TypeNames,
    /// Tokens of statements that had a syntax error: left out.
    pub(super) dropped: &'a [std::ops::Range<usize>],
}

struct Writer<'a> {
    out: Rewritten,
    names: HashMap<&'a str, u32>,
    next_name: u32,
    /// Indices of names that are types.
    type_names: Vec<u32>,
    types: &'a TypeNames,
    /// The text ends in a letter, digit or `_`; in an operator.
    after_word: bool,
    after_operator: bool,
}

impl<'a> Writer<'a> {
    fn piece(&mut self, token: usize, text: &str) {
        let first = text.as_bytes().first().copied().unwrap_or(b' ');
        let word = first.is_ascii_alphanumeric() || first == b'_' || first == b'"';
        let bracket = matches!(first, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' | b',');
        // `0...` would be the number `0.` and two points.
        if ((word || first == b'.') && self.after_word) || (!word && !bracket && self.after_operator) {
            self.out.text.push(' ');
        }
        self.out.chunks.push((self.out.text.len() as u32, token as u32));
        self.out.text.push_str(text);
        self.after_word = word;
        self.after_operator = !word && !bracket;
    }

    /// The number of a name.
    fn name(&mut self, text: &'a str) -> u32 {
        if let Some(n) = self.names.get(text) {
            return *n;
        }
        let n = self.next_name;
        self.next_name += 1;
        self.names.insert(text, n);
        if self.types.get(text).is_some() {
            self.type_names.push(n);
        }
        n
    }

    fn name_piece(&mut self, token: usize, n: u32) {
        let mut buffer = [0u8; 12];
        let mut at = buffer.len();
        let mut n = n;
        loop {
            at -= 1;
            buffer[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        at -= 1;
        buffer[at] = b'a';
        let text = std::str::from_utf8(&buffer[at..]).unwrap_or("a0");
        self.piece(token, text);
    }
}

/// Rewrites `tokens[range]`.
pub(super) fn rewrite(source: &Source<'_>, range: std::ops::Range<usize>, diags: &mut Diags) -> Rewritten {
    let Source {
        tokens, map, types, ..
    } = *source;
    let mut w = Writer {
        out: Rewritten {
            text: String::with_capacity(range.len() * 4),
            chunks: Vec::with_capacity(range.len() + 8),
            attributes: Vec::new(),
            extra: Vec::new(),
            has_prelude: false,
        },
        names: HashMap::new(),
        next_name: 0,
        type_names: Vec::new(),
        types,
        after_word: false,
        after_operator: false,
    };
    let shadowing = shadowing_parameters(source, range.clone());
    let mut drops = source
        .dropped
        .iter()
        .filter(|d| d.start >= range.start && d.end <= range.end)
        .peekable();
    // Labels before this point form a chain that began at the start of a statement of a block.
    let mut chain = false;
    let mut prev: Option<Token> = None;
    let mut i = range.start;
    while i < range.end {
        if let Some(d) = drops.next_if(|d| d.start <= i) {
            i = d.end.max(i);
            w.piece(d.start, ";");
            prev = None;
            continue;
        }
        let t = tokens[i];
        match t.kind {
            TokenKind::Ident => {
                let text = t.text(map);
                if shadowing.binary_search(&i).is_ok() {
                    let n = w.next_name;
                    w.next_name += 1;
                    w.name(text);
                    w.names.insert(text, n);
                }
                let n = w.name(text);
                w.name_piece(i, n);
            }
            TokenKind::Number | TokenKind::Char => w.piece(i, "0"),
            TokenKind::Str => w.piece(i, "\"\""),
            TokenKind::Keyword(k) => match k {
                Keyword::Kernel
                | Keyword::Global
                | Keyword::Local
                | Keyword::Constant
                | Keyword::Private
                | Keyword::ReadOnly
                | Keyword::WriteOnly
                | Keyword::ReadWrite => w.piece(i, "const"),
                Keyword::Attribute => {
                    let (record, end) = attribute::read(source, i, range.end, diags);
                    w.out.attributes.extend(record);
                    i = end;
                    continue;
                }
                // lang-c's `__alignof__` takes no expression.
                Keyword::VecStep | Keyword::Alignof => w.piece(i, "sizeof"),
                Keyword::Extension => {}
                Keyword::Case | Keyword::Default => {
                    let after_label = prev.is_some_and(|p| p.is(Punct::Colon));
                    if !after_label {
                        chain = prev
                            .is_none_or(|p| p.is(Punct::Semi) || p.is(Punct::LBrace) || p.is(Punct::RBrace));
                    } else if chain {
                        // `case 1: case 2:` is the same as `case 1: ; case 2:`, without the nesting.
                        w.piece(i, ";");
                    }
                    w.piece(i, k.text());
                }
                _ => w.piece(i, k.text()),
            },
            TokenKind::Punct(p) => {
                match p {
                    // GNU `a ?: b`
                    Punct::Colon if prev.is_some_and(|p| p.is(Punct::Question)) => w.piece(i, "0"),
                    // `label: }`
                    Punct::RBrace if prev.is_some_and(|p| p.is(Punct::Colon)) => w.piece(i, ";"),
                    _ => {}
                }
                w.piece(i, punct_text(p));
            }
            TokenKind::Pragma => {
                i += 1;
                continue;
            }
            TokenKind::Other => {}
        }
        prev = Some(t);
        i += 1;
    }
    // Attribute arguments that need parsing.
    for r in 0..w.out.attributes.len() {
        for a in 0..w.out.attributes[r].list.len() {
            for g in 0..w.out.attributes[r].list[a].args.len() {
                let attribute::Arg::Tokens(lo, hi) = w.out.attributes[r].list[a].args[g] else {
                    continue;
                };
                w.out.extra.push((r, a, g));
                w.piece(lo, "int");
                let n = w.next_name;
                w.next_name += 1;
                w.name_piece(lo, n);
                w.piece(lo, "=");
                for (i, t) in tokens.iter().enumerate().take(hi).skip(lo) {
                    match t.kind {
                        TokenKind::Ident => {
                            let n = w.name(t.text(map));
                            w.name_piece(i, n);
                        }
                        TokenKind::Number | TokenKind::Char => w.piece(i, "0"),
                        TokenKind::Str => w.piece(i, "\"\""),
                        TokenKind::Keyword(Keyword::VecStep | Keyword::Alignof) => {
                            w.piece(i, "sizeof");
                        }
                        TokenKind::Keyword(k) => w.piece(i, k.text()),
                        TokenKind::Punct(p) => w.piece(i, punct_text(p)),
                        TokenKind::Pragma | TokenKind::Other => {}
                    }
                }
                w.piece(hi.saturating_sub(1), ";");
            }
        }
    }
    with_prelude(w)
}

/// lang-c takes a `#` for a directive, that is, for white space.
fn punct_text(p: Punct) -> &'static str {
    match p {
        Punct::Hash | Punct::HashHash => "@",
        _ => p.text(),
    }
}

/// Puts `typedef int a1,a7;` in front: the type names that occur, and no others.
fn with_prelude(w: Writer<'_>) -> Rewritten {
    let mut out = w.out;
    if w.type_names.is_empty() {
        return out;
    }
    let mut text = String::from("typedef int ");
    for (i, n) in w.type_names.iter().enumerate() {
        if i > 0 {
            text.push(',');
        }
        text.push('a');
        text.push_str(&n.to_string());
    }
    text.push(';');
    let shift = text.len() as u32;
    text.push_str(&out.text);
    out.text = text;
    for c in &mut out.chunks {
        c.0 += shift;
    }
    out.has_prelude = true;
    out
}

/// Tokens that declare a parameter whose name is that of a type. lang-c forgets such a parameter in the
/// function's body, so it gets a name of its own from there on.
fn shadowing_parameters(source: &Source<'_>, range: std::ops::Range<usize>) -> Vec<usize> {
    let Source {
        tokens,
        partner,
        map,
        types,
        ..
    } = *source;
    let mut found = Vec::new();
    // The parameter list: the first parenthesis behind a name at the top level.
    let mut i = range.start;
    let mut list = None;
    while i < range.end {
        let t = tokens[i];
        if t.is_keyword(Keyword::Attribute) {
            i += 1;
        } else if t.is(Punct::LParen) {
            if i > range.start && tokens[i - 1].kind == TokenKind::Ident {
                list = Some(i);
            }
            break;
        } else if t.is(Punct::LBrace) || t.is(Punct::Eq) {
            break;
        }
        if i < range.end && tokens[i].is(Punct::LParen) && partner[i] as usize > i {
            i = (partner[i] as usize).min(range.end);
        }
        i += 1;
    }
    let Some(open) = list else { return found };
    let close = (partner[open] as usize).min(range.end);
    let mut has_type = false;
    let mut last: Option<usize> = None;
    let mut i = open + 1;
    while i <= close && i < range.end {
        let t = tokens[i];
        match t.kind {
            TokenKind::Punct(Punct::Comma) | TokenKind::Punct(Punct::RParen)
                if i == close || t.is(Punct::Comma) =>
            {
                found.extend(last.take());
                has_type = false;
            }
            TokenKind::Punct(Punct::LBracket | Punct::LBrace) if partner[i] as usize > i => {
                i = (partner[i] as usize).min(close);
            }
            TokenKind::Keyword(k) if k.is_type() => has_type = true,
            TokenKind::Ident => {
                let is_type = types.get(t.text(map)).is_some();
                if is_type && has_type {
                    last = Some(i);
                } else {
                    last = None;
                }
                has_type |= is_type;
            }
            _ => {}
        }
        i += 1;
    }
    found
}
