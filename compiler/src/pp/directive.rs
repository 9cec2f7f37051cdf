//! Preprocessing directives (C99 6.10).

use std::rc::Rc;

use super::lex::{Lexer, replace_trigraphs, token};
use super::literal;
use super::names::{BodyToken, DEFINED, Def, Macro, NO_ID, NO_PARAM, Params, VA_ARGS};
use super::token::{Punct, Token, TokenFlags, TokenKind};
use super::{Condition, Guard, Included, Open, Pp};
use crate::diag::Diag;
use crate::source::{FileId, Span};

/// The greatest allowed nesting depth of included files.
const MAX_INCLUDE_DEPTH: usize = 200;
/// The greatest number of `#include` directives that one compilation may execute.
const MAX_INCLUDES: usize = 20_000;
/// The greatest allowed nesting depth of conditionals.
const MAX_CONDITIONS: usize = 4096;

impl Pp<'_> {
    /// Returns the next token of the innermost file and executes the directives before it. Returns `None` at
    /// the end of the main file.
    pub(super) fn next_from_file(&mut self) -> Option<Token> {
        loop {
            let f = self.files.last_mut()?;
            let Some(raw) = f.lexer.next(false, &mut self.spliced) else {
                self.end_of_file();
                continue;
            };
            if raw.kind == TokenKind::Punct(Punct::Hash) && raw.flags & TokenFlags::LINE != 0 {
                let at = f.lexer.span(raw.lo, raw.hi);
                let pragma = self.directive(at);
                if self.aborted {
                    return None;
                }
                if pragma.is_some() {
                    return pragma;
                }
                continue;
            }
            if f.conditions.is_empty() {
                f.guard = Guard::No;
            }
            let span = f.lexer.span(raw.lo, raw.hi);
            if raw.spliced {
                return Some(self.spliced_token(raw.kind, raw.flags, span));
            }
            let id = if raw.kind == TokenKind::Ident {
                self.names.intern(&f.lexer.text[raw.lo..raw.hi])
            } else {
                NO_ID
            };
            return Some(token(raw.kind, raw.flags, id, span, span));
        }
    }

    fn spliced_token(&mut self, kind: TokenKind, flags: u8, span: Span) -> Token {
        let lo = self.scratch.len();
        self.scratch.push_str(&self.spliced);
        let id = if kind == TokenKind::Ident {
            self.names.intern(&self.spliced)
        } else {
            NO_ID
        };
        token(kind, flags, id, span, self.scratch_span(lo))
    }

    fn end_of_file(&mut self) {
        let Some(f) = self.files.pop() else { return };
        if let Some(at) = f.lexer.open_comment {
            self.diags
                .error(f.lexer.span(at, at + 2), "unterminated /* comment");
        }
        for c in &f.conditions {
            self.diags.error(c.at, "unterminated conditional directive");
        }
        if let (Guard::Done(id), Some(i)) = (f.guard, f.known) {
            self.known[i].guard = Some(id);
        }
    }

    /// Returns the next token of the directive's line, or `None` at the end of that line.
    fn directive_token(&mut self) -> Option<Token> {
        let f = self.files.last_mut()?;
        let raw = f.lexer.next(true, &mut self.spliced)?;
        let span = f.lexer.span(raw.lo, raw.hi);
        if raw.spliced {
            return Some(self.spliced_token(raw.kind, raw.flags, span));
        }
        let id = if raw.kind == TokenKind::Ident {
            self.names.intern(&f.lexer.text[raw.lo..raw.hi])
        } else {
            NO_ID
        };
        Some(token(raw.kind, raw.flags, id, span, span))
    }

    fn directive_tokens(&mut self) -> Vec<Token> {
        let mut list = Vec::new();
        while let Some(t) = self.directive_token() {
            list.push(t);
        }
        list
    }

    fn lexer(&mut self) -> Option<&mut Lexer> {
        self.files.last_mut().map(|f| &mut f.lexer)
    }

    /// Executes the directive whose `#` was just read. A pragma is returned as a token.
    fn directive(&mut self, hash: Span) -> Option<Token> {
        let name = self.directive_token()?;
        let text = self.text(&name).to_string();
        if let Some(f) = self.files.last_mut()
            && f.conditions.is_empty()
            && (f.guard != Guard::Start || text != "ifndef")
        {
            f.guard = Guard::No;
        }
        let mut pragma = None;
        match (name.kind, text.as_str()) {
            (TokenKind::Ident, "define") => self.define(name.span),
            (TokenKind::Ident, "undef") => self.undef(name.span),
            (TokenKind::Ident, "if") => {
                let tokens = self.directive_tokens();
                let value = self.condition(tokens, name.span);
                self.enter_condition(hash, value);
            }
            (TokenKind::Ident, "ifdef" | "ifndef") => {
                let id = self.macro_name(name.span);
                let defined = id.is_some_and(|(id, _)| !matches!(self.names.get(id).def, Def::None));
                self.extra_tokens(&text);
                if let (Some((id, _)), Some(f)) = (id, self.files.last_mut())
                    && f.guard == Guard::Start
                {
                    f.guard = Guard::Inside(id);
                }
                self.enter_condition(hash, id.is_some() && defined == (text == "ifdef"));
            }
            (TokenKind::Ident, "elif" | "else" | "endif") => self.end_group(&text, name.span),
            (TokenKind::Ident, "include" | "include_next" | "import") => self.include(name.span),
            (TokenKind::Ident, "line") => {
                let tokens = self.directive_tokens();
                self.line(tokens, name.span);
            }
            (TokenKind::Number, _) => {
                let mut tokens = self.directive_tokens();
                tokens.insert(0, name);
                self.line(tokens, name.span);
            }
            (TokenKind::Ident, "error" | "warning") => {
                let rest = self.lexer().map(Lexer::rest_of_line).unwrap_or_default();
                match text.as_str() {
                    "error" => self.diags.error(name.span, rest),
                    _ => self.diags.warning(name.span, rest),
                }
            }
            (TokenKind::Ident, "pragma") => {
                let tokens = self.directive_tokens();
                pragma = self.pragma(tokens, hash);
            }
            (TokenKind::Ident, "ident" | "sccs") => {}
            _ => self.diags.error(name.span, "invalid preprocessing directive"),
        }
        // `#include` has opened another file and has already skipped the rest of its own line.
        if !matches!(text.as_str(), "include" | "include_next" | "import")
            && let Some(l) = self.lexer()
        {
            l.skip_line();
        }
        pragma
    }

    /// Reads the macro name that a directive requires, and reports an error if there is none.
    fn macro_name(&mut self, at: Span) -> Option<(u32, Token)> {
        let Some(t) = self.directive_token() else {
            self.diags.error(at, "macro name missing");
            return None;
        };
        if t.kind != TokenKind::Ident {
            self.diags.error(t.span, "macro name must be an identifier");
            return None;
        }
        if t.id == DEFINED {
            self.diags
                .error(t.span, "'defined' cannot be used as a macro name");
            return None;
        }
        Some((t.id, t))
    }

    fn extra_tokens(&mut self, directive: &str) {
        if let Some(t) = self.directive_token() {
            let message = format!("extra tokens at end of #{directive} directive");
            self.diags.warning(t.span, message);
        }
    }

    fn define(&mut self, at: Span) {
        let Some((id, name)) = self.macro_name(at) else {
            return;
        };
        let tokens = self.directive_tokens();
        let Some(m) = self.make_macro(tokens, name) else {
            return;
        };
        let entry = self.names.get(id);
        if matches!(entry.def, Def::Special(_)) {
            self.diags.warning(name.span, "redefining builtin macro");
        } else if let Def::Macro(old) = &entry.def
            && !old.defined_at.is_none()
            && !self.same_macro(old, &m)
        {
            let old_at = old.defined_at;
            let message = format!("'{}' macro redefined", self.names.text(id));
            let d = Diag::warning(name.span, message).note(old_at, "previous definition is here");
            self.diags.push(d);
        }
        self.names.get_mut(id).def = Def::Macro(Rc::new(m));
    }

    /// Builds a macro from the tokens that follow its name in `#define`.
    fn make_macro(&mut self, tokens: Vec<Token>, name: Token) -> Option<Macro> {
        let mut rest = &tokens[..];
        let params = match rest.first() {
            Some(t) if t.is(Punct::LParen) && !t.flags.space_before() => {
                let (params, after) = self.parameters(&rest[1..], name.span)?;
                rest = &rest[after + 1..];
                Some(params)
            }
            Some(t) if !t.flags.space_before() && t.kind != TokenKind::Other => {
                self.diags
                    .warning(t.span, "ISO C99 requires whitespace after the macro name");
                None
            }
            _ => None,
        };
        let mut body: Vec<BodyToken> = Vec::with_capacity(rest.len());
        let ids = params.as_ref().map_or(&[][..], |p| &p.ids);
        for t in rest {
            let param = match t.kind {
                TokenKind::Ident => ids.iter().position(|&p| p == t.id).map_or(NO_PARAM, |i| i as u16),
                _ => NO_PARAM,
            };
            if t.id == VA_ARGS && param == NO_PARAM {
                self.diags.warning(
                    t.span,
                    "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro",
                );
            }
            let mut token = *t;
            // Any run of white space and comments counts as one space.
            token.flags.0 = if body.is_empty() {
                0
            } else {
                t.flags.0 & TokenFlags::SPACE
            };
            body.push(BodyToken { token, param });
        }
        if params.is_some() {
            for pair in 0..body.len() {
                let hash = body[pair].token;
                if hash.is(Punct::Hash) && body.get(pair + 1).is_none_or(|n| n.param == NO_PARAM) {
                    self.diags
                        .error(hash.span, "'#' is not followed by a macro parameter");
                    return None;
                }
            }
        }
        for (end, where_) in [(body.first(), "start"), (body.last(), "end")] {
            if let Some(t) = end.filter(|b| b.token.is(Punct::HashHash)) {
                let message = format!("'##' cannot appear at {where_} of macro expansion");
                self.diags.error(t.token.span, message);
                return None;
            }
        }
        let plain = params.is_none() && !body.iter().any(|b| b.token.is(Punct::HashHash));
        Some(Macro {
            params,
            body,
            plain,
            defined_at: name.span,
            number: self.map.add_macro(name.spelling),
        })
    }

    /// Parses a parameter list after its `(`. Returns the list and the index of the token after the `)`.
    fn parameters(&mut self, tokens: &[Token], at: Span) -> Option<(Params, usize)> {
        let mut p = Params {
            ids: Vec::new(),
            variadic: false,
        };
        let mut i = 0;
        let fail = |pp: &mut Self, i: usize, message: &str| {
            let span = tokens.get(i).map_or(at, |t| t.span);
            pp.diags.error(span, message);
            None
        };
        if tokens.first().is_some_and(|t| t.is(Punct::RParen)) {
            return Some((p, 1));
        }
        loop {
            let Some(t) = tokens.get(i) else {
                return fail(self, i, "missing ')' in macro parameter list");
            };
            if t.is(Punct::Ellipsis) {
                p.variadic = true;
                p.ids.push(VA_ARGS);
            } else if t.kind == TokenKind::Ident {
                if t.id == VA_ARGS {
                    return fail(
                        self,
                        i,
                        "__VA_ARGS__ can only appear in the expansion of a C99 variadic macro",
                    );
                }
                if p.ids.contains(&t.id) {
                    let message = format!("duplicate macro parameter name '{}'", self.text(t));
                    return fail(self, i, &message);
                }
                p.ids.push(t.id);
                if tokens.get(i + 1).is_some_and(|t| t.is(Punct::Ellipsis)) {
                    p.variadic = true;
                    i += 1;
                }
            } else {
                return fail(self, i, "invalid token in macro parameter list");
            }
            if p.ids.len() >= usize::from(NO_PARAM) {
                return fail(self, i, "too many macro parameters");
            }
            i += 1;
            match tokens.get(i) {
                Some(t) if t.is(Punct::RParen) => return Some((p, i + 1)),
                Some(t) if t.is(Punct::Comma) && !p.variadic => i += 1,
                Some(t) if !t.is(Punct::Comma) && !p.variadic && t.kind != TokenKind::Other => {
                    return fail(self, i, "expected comma in macro parameter list");
                }
                _ => return fail(self, i, "missing ')' in macro parameter list"),
            }
        }
    }

    fn same_macro(&self, a: &Macro, b: &Macro) -> bool {
        a.params == b.params
            && a.body.len() == b.body.len()
            && a.body.iter().zip(&b.body).all(|(x, y)| {
                x.token.kind == y.token.kind
                    && x.token.flags.space_before() == y.token.flags.space_before()
                    && self.text(&x.token) == self.text(&y.token)
            })
    }

    /// Turns the definition of a predefined macro into a macro, when the macro is first used.
    pub(super) fn define_predefined(&mut self, id: u32, line: &str) -> Option<Rc<Macro>> {
        let mut tokens = self.lex_text(line, Span::NONE);
        if tokens.is_empty() {
            return None;
        }
        let name = tokens.remove(0);
        let m = Rc::new(self.make_macro(tokens, name)?);
        self.names.get_mut(id).def = Def::Macro(m.clone());
        Some(m)
    }

    fn undef(&mut self, at: Span) {
        if let Some((id, name)) = self.macro_name(at) {
            if matches!(self.names.get(id).def, Def::Special(_)) {
                self.diags.warning(name.span, "undefining builtin macro");
            }
            self.names.get_mut(id).def = Def::None;
            self.extra_tokens("undef");
        }
    }

    fn enter_condition(&mut self, at: Span, value: bool) {
        let Some(f) = self.files.last_mut() else { return };
        if f.conditions.len() >= MAX_CONDITIONS {
            self.abort(at, "conditional directives are nested too deeply");
            return;
        }
        f.conditions.push(Condition {
            at,
            taken: value,
            seen_else: false,
        });
        if !value {
            self.skip_group();
        }
    }

    /// Handles an `#elif`, `#else` or `#endif` that ends the group being read.
    fn end_group(&mut self, text: &str, at: Span) {
        let Some(f) = self.files.last_mut() else { return };
        let Some(c) = f.conditions.last_mut() else {
            self.diags.error(at, format!("#{text} without #if"));
            return;
        };
        if text == "endif" {
            f.conditions.pop();
            if let (Guard::Inside(id), true) = (f.guard, f.conditions.is_empty()) {
                f.guard = Guard::Done(id);
            }
            self.extra_tokens(text);
            return;
        }
        if c.seen_else {
            let note = c.at;
            let d = Diag::error(at, format!("#{text} after #else")).note(note, "conditional began here");
            self.diags.push(d);
        }
        c.seen_else |= text == "else";
        // The group that ends here was taken, so the remaining groups of this conditional are skipped.
        c.taken = true;
        if f.conditions.len() == 1 {
            f.guard = Guard::No;
        }
        self.skip_group();
    }

    /// Skips to the `#elif` or `#else` whose group is to be read, or past the `#endif`.
    fn skip_group(&mut self) {
        let mut nested = 0usize;
        loop {
            let Some(f) = self.files.last_mut() else { return };
            f.lexer.skip_line();
            if f.lexer.skip_to_hash().is_none() {
                return;
            }
            let Some(name) = self.directive_token() else {
                continue;
            };
            if name.kind != TokenKind::Ident {
                continue;
            }
            let text = self.text(&name).to_string();
            match text.as_str() {
                "if" | "ifdef" | "ifndef" => nested += 1,
                "endif" if nested > 0 => nested -= 1,
                "endif" => {
                    self.end_group("endif", name.span);
                    return;
                }
                "else" | "elif" if nested == 0 => {
                    let Some(f) = self.files.last_mut() else { return };
                    let depth = f.conditions.len();
                    let Some(c) = f.conditions.last_mut() else { return };
                    if c.seen_else {
                        let note = c.at;
                        let d = Diag::error(name.span, format!("#{text} after #else"))
                            .note(note, "conditional began here");
                        self.diags.push(d);
                        continue;
                    }
                    c.seen_else = text == "else";
                    let taken = c.taken;
                    if depth == 1 {
                        f.guard = Guard::No;
                    }
                    if taken {
                        continue;
                    }
                    let value = if text == "else" {
                        self.extra_tokens("else");
                        true
                    } else {
                        let tokens = self.directive_tokens();
                        self.condition(tokens, name.span)
                    };
                    if value {
                        if let Some(c) = self.files.last_mut().and_then(|f| f.conditions.last_mut()) {
                            c.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn include(&mut self, at: Span) {
        let header = self.header_name(at);
        if let Some(l) = self.lexer() {
            l.skip_line();
        }
        let Some((name, angled, span)) = header else {
            return;
        };
        if self.in_args {
            self.diags.error(
                at,
                "embedding a #include directive within macro arguments is not supported",
            );
            return;
        }
        self.includes += 1;
        if self.files.len() > MAX_INCLUDE_DEPTH {
            self.abort(span, "#include nested too deeply");
            return;
        }
        if self.includes > MAX_INCLUDES {
            self.abort(span, "too many #include directives");
            return;
        }
        let includer = self.map.file(span.file).name.clone();
        let found = self
            .resolver
            .resolve(&name, angled, &includer, &self.options.include_dirs);
        // As in clang, a missing header is a fatal error: later errors would only follow from it.
        let (full, text) = match found {
            Some(Included { name, text: Ok(text) }) => (name, text),
            Some(Included { name, text: Err(why) }) => {
                self.abort(span, &format!("cannot include '{name}': it {why}"));
                return;
            }
            None => {
                self.abort(span, &format!("'{name}' file not found"));
                return;
            }
        };
        let known = match self.known.iter().position(|k| k.name == full) {
            Some(i) => {
                let k = &self.known[i];
                let guarded = k
                    .guard
                    .is_some_and(|g| !matches!(self.names.get(g).def, Def::None));
                if k.once || guarded {
                    return;
                }
                i
            }
            None => {
                let file = self.map.add(full.clone(), text);
                self.map.set_includer(file, at);
                self.known.push(super::KnownFile {
                    name: full,
                    file,
                    once: false,
                    guard: None,
                });
                self.known.len() - 1
            }
        };
        self.open(self.known[known].file, Some(known));
    }

    pub(super) fn open(&mut self, file: FileId, known: Option<usize>) {
        if let Some(text) = replace_trigraphs(&self.map.file(file).text) {
            self.map.set_text(file, text);
        }
        let text = self.map.file(file).text.clone();
        self.files.push(Open {
            lexer: Lexer::new(file, text),
            conditions: Vec::new(),
            guard: Guard::Start,
            known,
        });
    }

    /// Reads `<name>`, `"name"`, or macros that expand to one of them. Returns the name, whether it is in
    /// angle brackets, and its position.
    fn header_name(&mut self, at: Span) -> Option<(String, bool, Span)> {
        let l = self.lexer()?;
        match l.header_name() {
            Some(Ok((lo, hi))) => {
                let span = l.span(lo, hi);
                let name = l.text[lo + 1..hi - 1].to_string();
                let angled = l.text.as_bytes()[lo] == b'<';
                self.extra_tokens("include");
                if name.is_empty() {
                    self.diags.error(span, "empty filename");
                    return None;
                }
                return Some((name, angled, span));
            }
            Some(Err(lo)) => {
                let span = l.span(lo, lo + 1);
                self.diags.error(span, "expected \"FILENAME\" or <FILENAME>");
                return None;
            }
            None => {}
        }
        let tokens = self.directive_tokens();
        let span = tokens.first().map_or(at, |t| t.span);
        let list = self.expand_list(tokens);
        let mut text = String::new();
        for (i, t) in list.iter().enumerate() {
            if i > 0 && t.flags.space_before() {
                text.push(' ');
            }
            text.push_str(self.text(t));
        }
        let inner = |a: char, b: char| text.strip_prefix(a)?.strip_suffix(b).map(str::to_string);
        if let Some(name) = inner('"', '"').filter(|n| !n.is_empty()) {
            return Some((name, false, span));
        }
        if let Some(name) = inner('<', '>').filter(|n| !n.is_empty()) {
            return Some((name, true, span));
        }
        self.diags.error(span, "expected \"FILENAME\" or <FILENAME>");
        None
    }

    /// Executes `#line number ["name"]`, and `# number "name" flags` as other preprocessors write it.
    fn line(&mut self, tokens: Vec<Token>, at: Span) {
        let tokens = self.expand_list(tokens);
        let number = tokens.first().filter(|t| t.kind == TokenKind::Number);
        let value = number
            .and_then(|t| self.text(t).parse::<u32>().ok())
            .filter(|&n| n <= i32::MAX as u32);
        let Some(line) = value else {
            self.diags.error(
                tokens.first().map_or(at, |t| t.span),
                "#line directive requires a positive integer argument",
            );
            return;
        };
        let name = match tokens.get(1) {
            None => None,
            Some(t) if t.kind == TokenKind::Str => match literal::string_value(self.text(t)) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(_) => None,
            },
            Some(t) => {
                self.diags.error(t.span, "invalid filename for #line directive");
                return;
            }
        };
        if let Some(f) = self.files.last_mut() {
            f.lexer.skip_line();
            let (file, pos) = (f.lexer.file, f.lexer.pos);
            self.map.set_line(file, pos as u32, line, name);
        }
    }
}
