//! Macro expansion (C99 6.10.3).
//!
//! Replacement lists are read from a stack of contexts. A macro is disabled while its context is on the
//! stack. The name of a disabled macro is marked when it is read, and is never expanded afterwards. This
//! implements the rule of 6.10.3.4 without explicit hide sets.

use std::rc::Rc;

use super::Pp;
use super::lex::{scan, token};
use super::names::{Def, Macro, NO_ID, NO_PARAM, Special};
use super::token::{Punct, Token, TokenFlags, TokenKind};
use crate::diag::Diag;
use crate::source::{Origin, SourceMap, Span};

/// The greatest number of tokens that one compilation may read during macro expansion. A token that comes out
/// of nested macros is read once per level, so this limits the time.
const MAX_WORK: usize = 16 << 20;
/// The greatest number of tokens that are copied into arguments and replacement lists; this limits the
/// memory.
const MAX_COPIED: usize = 8 << 20;
/// The greatest number of tokens that macros may produce in one compilation.
const MAX_PRODUCED: usize = 4 << 20;
/// The greatest total length of pasted and stringified text, in bytes.
const MAX_SCRATCH: usize = 16 << 20;
/// The greatest allowed nesting depth of macro calls in macro arguments.
const MAX_DEPTH: usize = 200;

/// A list of tokens that is read before reading continues in the file.
pub(super) struct Context {
    body: Body,
    pos: usize,
    /// The macro that is disabled while this context is on the stack, or [`NO_ID`].
    name: u32,
}

impl Context {
    /// Returns whether a token of the list is left.
    pub(super) fn is_left(&self) -> bool {
        match &self.body {
            Body::Plain(m, ..) => self.pos < m.body.len(),
            Body::Tokens(list) => self.pos < list.len(),
        }
    }
}

enum Body {
    /// The replacement list of a macro without parameters. Every token gets this span, and the first token
    /// gets these flags.
    Plain(Rc<Macro>, Span, u8),
    Tokens(Vec<Token>),
}

/// The arguments of a macro call: the tokens as written, and the expansion of each argument, made at its
/// first use.
struct Args {
    list: Vec<Vec<Token>>,
    expanded: Vec<Option<Vec<Token>>>,
}

const LAYOUT: u8 = TokenFlags::SPACE | TokenFlags::LINE;

impl Pp<'_> {
    /// Returns the next token without macro expansion.
    pub(super) fn next_raw(&mut self) -> Option<Token> {
        while self.contexts.len() > self.barrier {
            let Some(c) = self.contexts.last_mut() else { break };
            match &c.body {
                Body::Tokens(v) => {
                    if let Some(t) = v.get(c.pos) {
                        c.pos += 1;
                        return Some(*t);
                    }
                }
                Body::Plain(m, span, flags) => {
                    if let Some(b) = m.body.get(c.pos) {
                        let mut t = b.token;
                        t.span = origin(self.map, m, t.spelling, *span);
                        if c.pos == 0 {
                            t.flags = TokenFlags(*flags);
                        }
                        c.pos += 1;
                        return Some(t);
                    }
                }
            }
            self.pop_context();
        }
        if self.closed || self.aborted {
            return None;
        }
        self.next_from_file()
    }

    fn pop_context(&mut self) {
        if let Some(c) = self.contexts.pop()
            && c.name != NO_ID
        {
            self.names.get_mut(c.name).disabled = false;
        }
    }

    fn push_tokens(&mut self, tokens: Vec<Token>, name: u32) {
        self.contexts.push(Context {
            body: Body::Tokens(tokens),
            pos: 0,
            name,
        });
    }

    /// Returns the next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> Option<Token> {
        loop {
            let mut t = self.next_raw()?;
            if t.kind != TokenKind::Ident {
                return Some(t);
            }
            let entry = self.names.get(t.id);
            let m = match &entry.def {
                Def::None => return Some(t),
                _ if t.flags.no_expand() => return Some(t),
                Def::Special(s) => {
                    let s = *s;
                    match self.special(s, t) {
                        Some(t) => return Some(t),
                        None => continue,
                    }
                }
                Def::Lazy(line) => {
                    let line = *line;
                    match self.define_predefined(t.id, line) {
                        Some(m) => m,
                        None => return Some(t),
                    }
                }
                Def::Macro(m) => {
                    if entry.disabled {
                        t.flags.0 |= TokenFlags::NO_EXPAND;
                        return Some(t);
                    }
                    m.clone()
                }
            };
            if !self.spend(m.body.len() + 1, t.span) {
                return None;
            }
            let Some(params) = &m.params else {
                if m.body.is_empty() {
                    self.keep_layout(t);
                    continue;
                }
                self.names.get_mut(t.id).disabled = true;
                let name = t.id;
                if m.plain {
                    self.contexts.push(Context {
                        body: Body::Plain(m, t.span, t.flags.0),
                        pos: 0,
                        name,
                    });
                } else {
                    let list = self.substitute(&m, t, &mut Args::none());
                    self.push_tokens(list, name);
                }
                continue;
            };
            match self.next_raw() {
                Some(p) if p.is(Punct::LParen) => {}
                other => {
                    if let Some(p) = other {
                        self.push_tokens(vec![p], NO_ID);
                    }
                    return Some(t);
                }
            }
            let Some(mut args) = self.collect_args(&m, params.ids.len(), params.variadic, t) else {
                continue;
            };
            let list = self.substitute(&m, t, &mut args);
            if list.is_empty() {
                self.keep_layout(t);
                continue;
            }
            if !self.copy(list.len(), t.span) {
                return None;
            }
            self.names.get_mut(t.id).disabled = true;
            self.push_tokens(list, t.id);
        }
    }

    /// Keeps the line start of a macro name whose replacement is empty, for the token that follows.
    fn keep_layout(&mut self, name: Token) {
        self.pending |= name.flags.0 & TokenFlags::LINE;
    }

    /// Adds `n` to the number of tokens read, and returns `false` once a limit of the expansion is exceeded.
    fn spend(&mut self, n: usize, at: Span) -> bool {
        self.work += n;
        if self.work > MAX_WORK || self.scratch.len() > MAX_SCRATCH {
            self.abort(at, "macro expansion is too large");
        }
        !self.aborted
    }

    /// Like [`Self::spend`], and also counts the `n` tokens as copied.
    fn copy(&mut self, n: usize, at: Span) -> bool {
        self.copied += n;
        if self.copied > MAX_COPIED {
            self.abort(at, "macro expansion is too large");
        }
        self.spend(n, at)
    }

    /// Counts a token that is handed to the parser, if it came from a macro.
    pub(super) fn produce(&mut self, t: Token) {
        if t.span != t.spelling {
            self.produced += 1;
            if self.produced > MAX_PRODUCED {
                self.abort(t.span, "macro expansion is too large");
            }
        }
    }

    /// Fully expands a list of tokens, with nothing after it to read.
    pub(super) fn expand_list(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let mut out = Vec::with_capacity(tokens.len());
        self.isolated(tokens, |pp| {
            while let Some(t) = pp.next_expanded() {
                out.push(t);
            }
        });
        out
    }

    /// Runs `f` with `tokens` as the whole input.
    pub(super) fn isolated<R>(&mut self, tokens: Vec<Token>, f: impl FnOnce(&mut Self) -> R) -> R {
        let saved = (self.barrier, self.closed);
        self.barrier = self.contexts.len();
        self.closed = true;
        self.push_tokens(tokens, NO_ID);
        let r = f(self);
        while self.contexts.len() > self.barrier {
            self.pop_context();
        }
        (self.barrier, self.closed) = saved;
        r
    }

    /// Reads the arguments of a macro call, whose opening parenthesis has been read.
    fn collect_args(&mut self, m: &Macro, params: usize, variadic: bool, name: Token) -> Option<Args> {
        let mut list: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0usize;
        let outer = std::mem::replace(&mut self.in_args, true);
        let closed = loop {
            let Some(mut t) = self.next_raw() else { break false };
            match t.kind {
                TokenKind::Punct(Punct::LParen) => depth += 1,
                TokenKind::Punct(Punct::RParen) if depth == 0 => break true,
                TokenKind::Punct(Punct::RParen) => depth -= 1,
                TokenKind::Punct(Punct::Comma) if depth == 0 && !(variadic && list.len() >= params) => {
                    list.push(Vec::new());
                    continue;
                }
                TokenKind::Ident if self.names.get(t.id).disabled => t.flags.0 |= TokenFlags::NO_EXPAND,
                _ => {}
            }
            if t.flags.line_start() {
                t.flags.0 = t.flags.0 & !TokenFlags::LINE | TokenFlags::SPACE;
            }
            if let Some(arg) = list.last_mut() {
                arg.push(t);
            }
        };
        self.in_args = outer;
        let count: usize = list.iter().map(Vec::len).sum();
        if !self.copy(count, name.span) {
            return None;
        }
        let problem = if !closed {
            "unterminated function-like macro invocation"
        } else if params == 0 && list.len() == 1 && list[0].is_empty() {
            list.clear();
            ""
        } else if variadic && list.len() + 1 == params {
            // GNU C allows the variable arguments to be left out together with the comma before them.
            list.push(Vec::new());
            ""
        } else if list.len() < params {
            "too few arguments provided to function-like macro invocation"
        } else if list.len() > params {
            "too many arguments provided to function-like macro invocation"
        } else {
            ""
        };
        if !problem.is_empty() {
            if !self.aborted {
                let mut d = Diag::error(name.span, problem);
                if !m.defined_at.is_none() {
                    d = d.note(
                        m.defined_at,
                        format!("macro '{}' defined here", self.names.text(name.id)),
                    );
                }
                self.diags.push(d);
            }
            return None;
        }
        let expanded = list.iter().map(|_| None).collect();
        Some(Args { list, expanded })
    }

    /// Returns the replacement list with its arguments substituted and `#` and `##` applied.
    fn substitute(&mut self, m: &Macro, name: Token, args: &mut Args) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::with_capacity(m.body.len());
        let variadic = m
            .params
            .as_ref()
            .filter(|p| p.variadic)
            .map_or(NO_PARAM, |p| (p.ids.len() - 1) as u16);
        // Whether the left operand of the current `##` is empty.
        let mut left_empty = true;
        let mut i = 0;
        while i < m.body.len() {
            let pasting = i > 0 && m.body[i].token.is(Punct::HashHash);
            if pasting {
                i += 1;
            }
            let Some(b) = m.body.get(i) else { break };
            let start = out.len();
            let mut tokens_in: &[Token] = &[];
            let mut single = None;
            let mut paste = pasting && !left_empty;
            if b.token.is(Punct::Hash) && m.params.is_some() {
                let param = m.body.get(i + 1).map_or(NO_PARAM, |p| p.param);
                i += 1;
                let arg = args.list.get(param as usize).map_or(&[][..], |a| a);
                let at = origin(self.map, m, b.token.spelling, name.span);
                single = Some(self.stringify(arg, at));
            } else if b.param == NO_PARAM {
                let mut t = b.token;
                t.span = origin(self.map, m, t.spelling, name.span);
                single = Some(t);
            } else {
                let p = b.param as usize;
                let next_pastes = m.body.get(i + 1).is_some_and(|n| n.token.is(Punct::HashHash));
                let gnu_comma =
                    pasting && b.param == variadic && i >= 2 && m.body[i - 2].token.is(Punct::Comma);
                if gnu_comma && args.list[p].is_empty() {
                    out.pop();
                    left_empty = true;
                    i += 1;
                    continue;
                }
                paste &= !gnu_comma;
                if (pasting && !gnu_comma) || next_pastes {
                    tokens_in = &args.list[p];
                } else {
                    if args.expanded[p].is_none() {
                        args.expanded[p] = Some(self.expand_argument(&args.list[p], name.span));
                    }
                    tokens_in = args.expanded[p].as_deref().unwrap_or(&[]);
                }
            }
            let mut produced = match &single {
                Some(t) => std::slice::from_ref(t),
                None => tokens_in,
            };
            if paste
                && let Some((first, rest)) = produced.split_first()
                && let Some(left) = out.last().copied()
            {
                let at = origin(self.map, m, m.body[i - 1].token.spelling, name.span);
                match self.paste(left, *first, at) {
                    Some(t) => {
                        out.pop();
                        out.push(t);
                    }
                    None => out.push(*first),
                }
                out.extend_from_slice(rest);
                produced = &[];
                left_empty = false;
            } else if !pasting || !produced.is_empty() {
                left_empty = produced.is_empty();
            }
            out.extend_from_slice(produced);
            if !paste && let Some(t) = out.get_mut(start) {
                t.flags.0 = t.flags.0 & !LAYOUT | b.token.flags.0 & LAYOUT;
            }
            i += 1;
        }
        if let Some(t) = out.first_mut() {
            t.flags.0 = t.flags.0 & !LAYOUT | name.flags.0 & LAYOUT;
        }
        out
    }

    fn expand_argument(&mut self, arg: &[Token], at: Span) -> Vec<Token> {
        // Most arguments contain no macro, so they need no expansion.
        let inert = |t: &Token| t.kind != TokenKind::Ident || matches!(self.names.get(t.id).def, Def::None);
        if arg.iter().all(inert) {
            return arg.to_vec();
        }
        if self.depth >= MAX_DEPTH {
            self.abort(at, "macro calls are nested too deeply");
            return Vec::new();
        }
        self.depth += 1;
        let list = self.expand_list(arg.to_vec());
        self.depth -= 1;
        if !self.copy(list.len(), at) {
            return Vec::new();
        }
        list
    }

    fn stringify(&mut self, arg: &[Token], at: Span) -> Token {
        let lo = self.scratch.len();
        self.scratch.push('"');
        for (i, t) in arg.iter().enumerate() {
            if i > 0 && t.flags.space_before() {
                self.scratch.push(' ');
            }
            let quoted = match t.kind {
                TokenKind::Str | TokenKind::Char => true,
                // This is an unterminated literal that contains quotes, or a backslash that would escape the
                // quote after it. Other backslashes stay, as in example 4 of C99 6.10.3.5.
                TokenKind::Other => {
                    let literal = |n: &Token| {
                        matches!(n.kind, TokenKind::Str | TokenKind::Char) && !n.flags.space_before()
                    };
                    self.text(t).contains('"') || arg.get(i + 1).is_some_and(literal)
                }
                _ => false,
            };
            if quoted {
                let text = self.text(t).to_string();
                for c in text.chars() {
                    if c == '"' || c == '\\' {
                        self.scratch.push('\\');
                    }
                    self.scratch.push(c);
                }
            } else {
                self.append_text(t.spelling);
            }
        }
        let text = &self.scratch[lo..];
        if (text.len() - text.trim_end_matches('\\').len()) % 2 == 1 {
            self.scratch.push('\\');
        }
        self.scratch.push('"');
        token(TokenKind::Str, 0, NO_ID, at, self.scratch_span(lo))
    }

    /// Pastes two tokens into one; `at` is the position of the `##`.
    fn paste(&mut self, left: Token, right: Token, at: Span) -> Option<Token> {
        let lo = self.scratch.len();
        self.append_text(left.spelling);
        self.append_text(right.spelling);
        let text = &self.scratch[lo..];
        let (kind, end) = scan(text.as_bytes(), 0);
        let comment = text.starts_with("//") || text.starts_with("/*");
        if end != text.len() || kind == TokenKind::Other || comment {
            let message = format!("pasting formed '{text}', an invalid preprocessing token");
            self.diags.error(at, message);
            self.scratch.truncate(lo);
            return None;
        }
        let id = if kind == TokenKind::Ident {
            self.names.intern(text)
        } else {
            NO_ID
        };
        Some(token(kind, left.flags.0 & LAYOUT, id, at, self.scratch_span(lo)))
    }

    fn special(&mut self, s: Special, t: Token) -> Option<Token> {
        let lo = self.scratch.len();
        let kind = match s {
            Special::Pragma => return self.pragma_operator(t),
            Special::Has(question) => {
                let answer = self.ask(question, t);
                self.scratch.push(if answer { '1' } else { '0' });
                TokenKind::Number
            }
            Special::File | Special::BaseFile => {
                let name = match s {
                    Special::File => self.map.locate(t.span).file.to_string(),
                    _ => self.map.file(self.main).name.clone(),
                };
                self.scratch.push('"');
                for c in name.chars() {
                    if c == '"' || c == '\\' {
                        self.scratch.push('\\');
                    }
                    self.scratch.push(if c == '\n' { ' ' } else { c });
                }
                self.scratch.push('"');
                TokenKind::Str
            }
            Special::Line => {
                let line = self.map.locate(t.span).line;
                self.scratch.push_str(&line.to_string());
                TokenKind::Number
            }
            Special::Counter => {
                self.scratch.push_str(&self.counter.to_string());
                self.counter += 1;
                TokenKind::Number
            }
            Special::IncludeLevel => {
                self.scratch
                    .push_str(&(self.files.len().saturating_sub(1)).to_string());
                TokenKind::Number
            }
        };
        if !self.spend(1, t.span) {
            return None;
        }
        Some(token(kind, t.flags.0, NO_ID, t.span, self.scratch_span(lo)))
    }

    /// Lexes text that is in no file.
    pub(super) fn lex_text(&mut self, text: &str, at: Span) -> Vec<Token> {
        let lo = self.scratch.len();
        self.scratch.push_str(text);
        let mut out = Vec::new();
        let mut p = lo;
        let mut flags = 0;
        while p < self.scratch.len() {
            let b = self.scratch.as_bytes()[p];
            if b.is_ascii_whitespace() || b == 0x0b {
                flags = TokenFlags::SPACE;
                p += 1;
                continue;
            }
            let (kind, end) = scan(self.scratch.as_bytes(), p);
            let id = if kind == TokenKind::Ident {
                self.names.intern(&self.scratch[p..end])
            } else {
                NO_ID
            };
            let spelling = Span {
                file: self.scratch_file,
                lo: p as u32,
                hi: end as u32,
                origin: Origin::NONE,
            };
            out.push(token(kind, flags, id, at, spelling));
            flags = 0;
            p = end;
        }
        out
    }

    /// Returns the text of a token.
    pub(super) fn text(&self, t: &Token) -> &str {
        if t.spelling.file == self.scratch_file {
            &self.scratch[t.spelling.lo as usize..t.spelling.hi as usize]
        } else {
            self.map.text(t.spelling)
        }
    }

    pub(super) fn append_text(&mut self, spelling: Span) {
        if spelling.file == self.scratch_file {
            self.scratch
                .extend_from_within(spelling.lo as usize..spelling.hi as usize);
        } else {
            self.scratch.push_str(self.map.text(spelling));
        }
    }

    pub(super) fn scratch_span(&self, lo: usize) -> Span {
        Span {
            file: self.scratch_file,
            lo: lo as u32,
            hi: self.scratch.len() as u32,
            origin: Origin::NONE,
        }
    }
}

/// Returns the position of a macro's use, with the given token of its replacement list as its origin.
fn origin(map: &mut SourceMap, m: &Macro, token: Span, at: Span) -> Span {
    // A predefined macro has no definition in a file that a diagnostic could show.
    if m.defined_at.is_none() {
        return at;
    }
    // The text of a token with line splices is in the scratch file, so the macro's name is shown instead.
    let shown = if token.file == m.defined_at.file {
        token
    } else {
        m.defined_at
    };
    Span {
        origin: map.add_origin(m.number, shown, at.origin),
        ..at
    }
}

impl Args {
    fn none() -> Args {
        Args {
            list: Vec::new(),
            expanded: Vec::new(),
        }
    }
}
