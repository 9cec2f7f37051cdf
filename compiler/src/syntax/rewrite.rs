//! Rewrites the tokens of one top-level declaration into lexemes of plain C, which [`super::grammar`] parses,
//! and into text, which lang-c parses.
//!
//! Names become numbers (`a0`, `a1`, … in the text), every literal becomes `0` or `""`, and every qualifier
//! and `kernel` become `const`. Attributes and pragmas are left out and recorded separately. The map from
//! lexemes and text offsets to tokens gives each node of the tree its token, and so its real text and
//! position.

use crate::hash::HashMap;

use super::attribute::{self, AttributeRecord};
use super::implicit_int;
use super::pack::Packs;
use super::types::TypeNames;
use crate::diag::Diags;
use crate::pp::{Keyword, Punct, Token, TokenKind};
use crate::source::SourceMap;

/// The form in which the grammar sees a token.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Lexeme {
    /// A name; equal names have equal numbers.
    Name(u32),
    Keyword(Keyword),
    /// A number or character constant.
    Constant,
    Str,
    Punct(Punct),
}

/// A rewritten item.
pub(super) struct Rewritten {
    pub(super) lexemes: Vec<Lexeme>,
    /// The index of each lexeme's token.
    tokens: Vec<u32>,
    /// The number of names; `type_names` lists the names that are types.
    pub(super) names: u32,
    pub(super) type_names: Vec<u32>,
    /// The text for lang-c, empty before [`Rewritten::render`]. If it has been rendered, positions in the
    /// tree are offsets into it; otherwise they are indices of lexemes.
    pub(super) text: String,
    /// `(offset, token)` of each chunk of text, in ascending order.
    pub(super) chunks: Vec<(u32, u32)>,
    pub(super) attributes: Vec<AttributeRecord>,
    /// The expressions in attribute arguments, which are parsed after the item, as `(attribute record,
    /// attribute, argument)`.
    pub(super) extra: Vec<(usize, usize, usize)>,
    /// Whether the first declaration of the text is the prelude that declares the type names.
    pub(super) has_prelude: bool,
}

impl Rewritten {
    /// Returns the token at a position of the tree.
    pub(super) fn token_at(&self, place: usize) -> usize {
        if self.chunks.is_empty() {
            return self.tokens.get(place).map_or(0, |&t| t as usize);
        }
        let chunk = self.chunks.partition_point(|c| c.0 as usize <= place);
        self.chunks
            .get(chunk.saturating_sub(1))
            .map_or(0, |c| c.1 as usize)
    }

    /// Returns the last token of a node that ends at a position; the node may include the white space after
    /// it.
    pub(super) fn token_before(&self, end: usize) -> usize {
        self.token_at(end.saturating_sub(1))
    }

    /// Writes the text: `typedef int a1,a7;` for the type names that occur, then the lexemes.
    pub(super) fn render(&mut self) {
        let mut w = TextWriter {
            text: String::with_capacity(self.lexemes.len() * 4),
            after_word: false,
            after_operator: false,
        };
        if !self.type_names.is_empty() {
            self.has_prelude = true;
            w.text.push_str("typedef int ");
            for (i, n) in self.type_names.iter().enumerate() {
                let comma = if i > 0 { "," } else { "" };
                w.text.push_str(&format!("{comma}a{n}"));
            }
            w.text.push(';');
        }
        self.chunks.reserve(self.lexemes.len());
        for (&lexeme, &token) in self.lexemes.iter().zip(&self.tokens) {
            let at = w.lexeme(lexeme);
            self.chunks.push((at as u32, token));
        }
        self.text = w.text;
    }

    /// Returns the offset of each `++` or `--` of the text that another one precedes.
    pub(super) fn repeated_steps(&self) -> impl Iterator<Item = usize> {
        let is_step = |l: &Lexeme| matches!(l, Lexeme::Punct(Punct::PlusPlus | Punct::MinusMinus));
        let pairs = self
            .lexemes
            .windows(2)
            .zip(&self.chunks[self.chunks.len().min(1)..]);
        pairs
            .filter(move |(pair, _)| pair.iter().all(is_step))
            .map(|(_, &(offset, _))| offset as usize)
    }
}

/// Writes lexemes as text.
struct TextWriter {
    text: String,
    /// Whether the text ends with a letter, digit or `_`.
    after_word: bool,
    /// Whether the text ends with an operator.
    after_operator: bool,
}

impl TextWriter {
    /// Writes a lexeme and returns the offset where it begins.
    fn lexeme(&mut self, lexeme: Lexeme) -> usize {
        match lexeme {
            Lexeme::Name(n) => self.piece(&format!("a{n}")),
            Lexeme::Keyword(k) => self.piece(k.text()),
            Lexeme::Constant => self.piece("0"),
            Lexeme::Str => self.piece("\"\""),
            Lexeme::Punct(p) => self.piece(punct_text(p)),
        }
    }

    fn piece(&mut self, text: &str) -> usize {
        let first = text.as_bytes().first().copied().unwrap_or(b' ');
        let word = first.is_ascii_alphanumeric() || first == b'_' || first == b'"';
        let bracket = matches!(first, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' | b',');
        // `0...` would be read as the number `0.` and two points.
        if ((word || first == b'.') && self.after_word) || (!word && !bracket && self.after_operator) {
            self.text.push(' ');
        }
        let at = self.text.len();
        self.text.push_str(text);
        self.after_word = word;
        self.after_operator = !word && !bracket;
        at
    }
}

/// The input of a rewrite.
pub(super) struct Source<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) partner: &'a [u32],
    pub(super) map: &'a SourceMap,
    pub(super) types: &'a TypeNames,
    pub(super) packs: &'a Packs,
    /// The tokens of statements with syntax errors, which are left out.
    pub(super) dropped: &'a [std::ops::Range<usize>],
}

struct Writer<'a> {
    out: Rewritten,
    names: HashMap<&'a str, u32>,
    types: &'a TypeNames,
}

impl<'a> Writer<'a> {
    fn new(types: &'a TypeNames, capacity: usize) -> Self {
        Writer {
            out: Rewritten {
                lexemes: Vec::with_capacity(capacity),
                tokens: Vec::with_capacity(capacity),
                names: 0,
                type_names: Vec::new(),
                text: String::new(),
                chunks: Vec::new(),
                attributes: Vec::new(),
                extra: Vec::new(),
                has_prelude: false,
            },
            names: HashMap::default(),
            types,
        }
    }

    /// Appends the arguments of attributes that need parsing.
    fn attribute_arguments(&mut self, tokens: &[Token], map: &'a SourceMap) {
        for r in 0..self.out.attributes.len() {
            for a in 0..self.out.attributes[r].list.len() {
                for g in 0..self.out.attributes[r].list[a].args.len() {
                    let attribute::Arg::Tokens(lo, hi) = self.out.attributes[r].list[a].args[g] else {
                        continue;
                    };
                    self.out.extra.push((r, a, g));
                    self.attribute_argument(tokens, map, (lo, hi));
                }
            }
        }
    }
    fn push(&mut self, token: usize, lexeme: Lexeme) {
        self.out.lexemes.push(lexeme);
        self.out.tokens.push(token as u32);
    }

    fn keyword(&mut self, token: usize, keyword: Keyword) {
        self.push(token, Lexeme::Keyword(keyword));
    }

    fn punct(&mut self, token: usize, punct: Punct) {
        self.push(token, Lexeme::Punct(punct));
    }

    /// Returns a number that no name has yet.
    fn new_name(&mut self) -> u32 {
        self.out.names += 1;
        self.out.names - 1
    }

    /// Returns the number of a name.
    fn name(&mut self, text: &'a str) -> u32 {
        if let Some(n) = self.names.get(text) {
            return *n;
        }
        let n = self.new_name();
        self.names.insert(text, n);
        if self.types.get(text).is_some() {
            self.out.type_names.push(n);
        }
        n
    }
}

impl<'a> Writer<'a> {
    /// Writes an identifier. `shadows` says whether it is a parameter with the name of a type.
    fn identifier(&mut self, token: usize, text: &'a str, shadows: bool) {
        if shadows {
            // Before this token, the text may name the type; from here on, it names the parameter, with a new
            // number.
            self.name(text);
            let n = self.new_name();
            self.names.insert(text, n);
        }
        let n = self.name(text);
        self.push(token, Lexeme::Name(n));
    }

    /// Writes a punctuation mark that follows `prev`. A token that lang-c requires and GNU C does not is written before it.
    fn punctuation(&mut self, token: usize, p: Punct, prev: Option<Token>) {
        match p {
            // GNU C's `a ?: b`: a placeholder for the middle operand.
            Punct::Colon if prev.is_some_and(|p| p.is(Punct::Question)) => {
                self.push(token, Lexeme::Constant);
            }
            // `label: }`: an empty statement after the label.
            Punct::RBrace if prev.is_some_and(|p| p.is(Punct::Colon)) => self.punct(token, Punct::Semi),
            _ => {}
        }
        self.punct(token, p);
    }

    /// Appends an argument of an attribute, the tokens `lo..hi`, as a declaration with an initializer, so that it is
    /// parsed.
    fn attribute_argument(&mut self, tokens: &[Token], map: &'a SourceMap, (lo, hi): (usize, usize)) {
        self.keyword(lo, Keyword::Int);
        let n = self.new_name();
        self.push(lo, Lexeme::Name(n));
        self.punct(lo, Punct::Eq);
        for (i, t) in tokens.iter().enumerate().take(hi).skip(lo) {
            match t.kind {
                TokenKind::Ident => {
                    let n = self.name(t.text(map));
                    self.push(i, Lexeme::Name(n));
                }
                TokenKind::Number | TokenKind::Char | TokenKind::Table => {
                    self.push(i, Lexeme::Constant);
                }
                TokenKind::Str => self.push(i, Lexeme::Str),
                TokenKind::Keyword(Keyword::VecStep | Keyword::Alignof) => {
                    self.keyword(i, Keyword::Sizeof);
                }
                TokenKind::Keyword(k) => self.keyword(i, k),
                TokenKind::Punct(p) => self.punct(i, p),
                TokenKind::Pragma | TokenKind::Other => {}
            }
        }
        self.punct(hi.saturating_sub(1), Punct::Semi);
    }
}
/// Rewrites `tokens[range]`.
pub(super) fn rewrite(source: &Source<'_>, range: std::ops::Range<usize>, diags: &mut Diags) -> Rewritten {
    let Source {
        tokens, map, types, ..
    } = *source;
    let mut w = Writer::new(types, range.len() + 8);
    let shadowing = shadowing_parameters(source, range.clone());
    let mut drops = source
        .dropped
        .iter()
        .filter(|d| d.start >= range.start && d.end <= range.end)
        .peekable();
    let implicit = implicit_int::missing(source, range.clone());
    let mut implicit = implicit.into_iter().peekable();
    // Whether the labels before this point form a chain that began at the start of a statement of a block.
    let mut chain = false;
    let mut prev: Option<Token> = None;
    let mut i = range.start;
    while i < range.end {
        if let Some(d) = drops.next_if(|d| d.start <= i) {
            i = d.end.max(i);
            w.punct(d.start, Punct::Semi);
            prev = None;
            continue;
        }
        let t = tokens[i];
        while let Some(at) = implicit.next_if(|at| *at <= i) {
            if at == i {
                diags.warning(t.span, implicit_int::MISSING);
                w.keyword(i - 1, Keyword::Int);
            }
        }
        match t.kind {
            TokenKind::Ident => {
                let shadows = shadowing.binary_search(&i).is_ok();
                w.identifier(i, t.text(map), shadows);
            }
            TokenKind::Number | TokenKind::Char | TokenKind::Table => w.push(i, Lexeme::Constant),
            TokenKind::Str => w.push(i, Lexeme::Str),
            TokenKind::Keyword(k) => match k {
                Keyword::Kernel
                | Keyword::Global
                | Keyword::Local
                | Keyword::Constant
                | Keyword::Private
                | Keyword::GenericSpace
                | Keyword::ReadOnly
                | Keyword::WriteOnly
                | Keyword::ReadWrite
                | Keyword::Pipe => w.keyword(i, Keyword::Const),
                Keyword::Attribute => {
                    let (record, end) = attribute::read(source, i, range.end, diags);
                    w.out.attributes.extend(record);
                    i = end;
                    continue;
                }
                // lang-c's `__alignof__` does not accept an expression.
                Keyword::VecStep | Keyword::Alignof => w.keyword(i, Keyword::Sizeof),
                Keyword::Extension => {}
                Keyword::Case | Keyword::Default => {
                    let after_label = prev.is_some_and(|p| p.is(Punct::Colon));
                    if !after_label {
                        chain = prev
                            .is_none_or(|p| p.is(Punct::Semi) || p.is(Punct::LBrace) || p.is(Punct::RBrace));
                    } else if chain {
                        // `case 1: case 2:` is rewritten as `case 1: ; case 2:`, which means the same and
                        // does not nest.
                        w.punct(i, Punct::Semi);
                    }
                    w.keyword(i, k);
                }
                _ => w.keyword(i, k),
            },
            TokenKind::Punct(p) => w.punctuation(i, p, prev),
            TokenKind::Pragma => {
                i += 1;
                continue;
            }
            TokenKind::Other => {}
        }
        prev = Some(t);
        i += 1;
    }
    w.attribute_arguments(tokens, map);
    w.out
}

/// Returns the text of a punctuator for lang-c. lang-c would read a `#` as a directive and skip it like white
/// space.
fn punct_text(p: Punct) -> &'static str {
    match p {
        Punct::Hash | Punct::HashHash => "@",
        _ => p.text(),
    }
}

/// Returns the tokens that declare a parameter with the name of a type. lang-c forgets such a parameter
/// inside the function's body, so the parameter gets a name of its own from that token on.
fn shadowing_parameters(source: &Source<'_>, range: std::ops::Range<usize>) -> Vec<usize> {
    let Source {
        tokens,
        partner,
        map,
        types,
        ..
    } = *source;
    let mut found = Vec::new();
    // Find the parameter list: the first parenthesis after a name at the top level.
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
