//! Turns lang-c's one syntax error, an offset and the set of tokens expected there, into a message in clang's
//! words. Chooses the tokens to leave out so that the rest can be parsed.

use std::collections::HashSet;
use std::ops::Range;

use super::brackets::NONE;
use super::implicit_int;
use super::rewrite::{Rewritten, Source};
use crate::diag::Diag;
use crate::pp::{Keyword, Punct, Token, TokenKind};
use crate::source::Span;

/// How lang-c spells that a name may stand at a position.
const NAME: &str = "[_a-zA-Z]";

/// The way to continue after an error.
pub(super) enum Recovery {
    /// Parse again with this name as a type name.
    Type(String),
    /// Parse again without these tokens.
    Drop(Range<usize>),
    /// Give up this item: no further errors can be found in it.
    Item,
}

/// An item of the translation unit, in which an error is explained.
pub(super) struct Context<'a> {
    /// The tokens, with their brackets and the type names.
    pub(super) source: &'a Source<'a>,
    /// The text that was parsed; `None` before parsing.
    pub(super) text: Option<&'a Rewritten>,
    /// The tokens of the item.
    pub(super) range: Range<usize>,
}

/// Explains a syntax error and chooses the recovery.
pub(super) fn explain(cx: &Context<'_>, offset: usize, expected: &HashSet<&'static str>) -> (Diag, Recovery) {
    let tokens = cx.source.tokens;
    let (at, before) = cx.position(offset);
    let prev = before.map(|i| tokens[i]);
    if let Some(i) = cx.unknown_type(at, before) {
        let name = tokens[i].text(cx.source.map).to_string();
        let mut message = format!("unknown type name '{name}'");
        if let Some(n) = cx.source.types.similar(&name) {
            message.push_str(&format!("; did you mean '{n}'?"));
        }
        let d = Diag::error(tokens[i].span, message);
        return (d, Recovery::Type(name));
    }
    if let Some(i) = cx.missing_type(at, before) {
        let d = Diag::error(tokens[i].span, implicit_int::MISSING);
        return (d, cx.without_statement(i));
    }
    if let Some((i, message)) = at.and_then(|i| Some((i, cx.misplaced(i, before?)?))) {
        return (Diag::error(tokens[i].span, message), cx.without_statement(i));
    }
    let start = cx.statement_start(before.unwrap_or(cx.range.start));
    let Some(at) = at else {
        let d = match prev {
            Some(p) => Diag::error(after(p), cx.missing_semicolon(start)),
            None => Diag::error(Span::NONE, "expected declaration"),
        };
        return (d, Recovery::Item);
    };
    let (d, missing_semicolon) = at_token(cx, at, before, start, expected);
    let body = cx.body().filter(|b| b.contains(&at));
    let recovery = match body {
        // A semicolon replaces what is dropped, here nothing.
        _ if missing_semicolon && (body.is_some() || tokens[at].flags.line_start()) => Recovery::Drop(at..at),
        Some(body) => {
            let statement = start.max(body.start)..cx.statement_end(at);
            if statement.is_empty() {
                Recovery::Item
            } else {
                Recovery::Drop(statement)
            }
        }
        None => Recovery::Item,
    };
    (d, recovery)
}

/// Returns the message for a syntax error at a token, and whether parsing can go on there with a semicolon before it.
/// The cases are in the order of precedence: lang-c often expects several things, of which clang names one.
fn at_token(
    cx: &Context<'_>,
    at: usize,
    before: Option<usize>,
    start: usize,
    expected: &HashSet<&'static str>,
) -> (Diag, bool) {
    let tokens = cx.source.tokens;
    let token = tokens[at];
    let prev = before.map(|i| tokens[i]);
    let wants = |s: &str| expected.contains(s);
    let in_body = cx.in_body(at);
    // lang-c names the characters that may begin what it expects.
    let expression = wants("~") && wants("!");
    let enclosing = cx.enclosing(at);
    let in_for = enclosing.is_some_and(|o| {
        tokens[o].is(Punct::LParen) && cx.prev(o).is_some_and(|p| p.is_keyword(Keyword::For))
    });
    let after_type = before.is_some_and(|i| is_type_keyword(&tokens[i]) || cx.is_type(i));
    let here = |message: &'static str| (Diag::error(token.span, message), false);
    let semicolon = || Diag::error(after(prev.unwrap_or(token)), cx.missing_semicolon(start));
    let unclosed = |bracket: Punct, message: &'static str, note: &'static str| {
        let open = enclosing.map(|o| tokens[o]).filter(|o| o.is(bracket))?;
        Some(Diag::error(token.span, message).note(open.span, note))
    };
    if in_for && wants(";") && !expression {
        return here("expected ';' in 'for' statement specifier");
    }
    if before.is_some_and(|i| cx.closes_record(i)) && is_specifier(&token) {
        return (semicolon(), true);
    }
    if after_type && !token.flags.line_start() && !token.is(Punct::RBrace) && (wants(NAME) || wants(";")) {
        return here("expected identifier or '('");
    }
    if !in_body && prev.is_some_and(|p| p.is(Punct::Comma)) && token.is(Punct::RParen) {
        return here("expected parameter declarator");
    }
    if wants(";") && !expression && prev.is_some() && cx.may_begin_statement(token) {
        return (semicolon(), true);
    }
    if let Some(message) = cx.after_keyword(prev, token, expected) {
        return (Diag::error(token.span, message), false);
    }
    if expression {
        return here("expected expression");
    }
    if wants("while") {
        return here("expected 'while' in do/while loop");
    }
    if wants(")")
        && !wants(NAME)
        && let Some(d) = unclosed(Punct::LParen, "expected ')'", "to match this '('")
    {
        return (d, false);
    }
    if wants("]")
        && let Some(d) = unclosed(Punct::LBracket, "expected ']'", "to match this '['")
    {
        return (d, false);
    }
    if wants(";") && (wants("=") || wants("+")) {
        return (semicolon(), false);
    }
    if in_body && matches!(token.kind, TokenKind::Keyword(_)) && !is_specifier(&token) {
        return here("expected expression");
    }
    if wants(NAME) || wants("identifier") {
        return here(match wants("(") {
            true => "expected identifier or '('",
            false => "expected identifier",
        });
    }
    if !in_body && at == cx.range.start {
        return here(cx.top_level(at));
    }
    let punctuation = [(":", "expected ':'"), ("}", "expected '}'")];
    let missing = punctuation.into_iter().find(|(text, _)| wants(text));
    here(missing.map_or("expected expression", |(_, message)| message))
}

/// Returns the place after a token.
fn after(p: Token) -> Span {
    Span {
        lo: p.span.hi,
        ..p.span
    }
}

impl Context<'_> {
    /// Returns the token that could not be parsed (`None` at the end) and the token before it.
    fn position(&self, offset: usize) -> (Option<usize>, Option<usize>) {
        let Some(chunks) = self.text.map(|t| &t.chunks).filter(|c| !c.is_empty()) else {
            return (None, None);
        };
        let mut i = chunks.partition_point(|c| (c.0 as usize) < offset);
        let starts_here = chunks.get(i).is_some_and(|c| c.0 as usize == offset);
        // The error may be after a reserved word that was tried as a name; then the reserved word is the
        // faulty token.
        if !starts_here
            && i > 0
            && matches!(
                self.source.tokens[chunks[i - 1].1 as usize].kind,
                TokenKind::Keyword(_)
            )
        {
            i -= 1;
        }
        let token = |i: usize| chunks.get(i).map(|c| c.1 as usize);
        (token(i), i.checked_sub(1).and_then(token))
    }

    fn is_type(&self, i: usize) -> bool {
        let t = self.source.tokens[i];
        t.kind == TokenKind::Ident && self.source.types.get(t.text(self.source.map)).is_some()
    }

    fn next(&self, i: usize) -> Option<Token> {
        (i + 1 < self.range.end).then(|| self.source.tokens[i + 1])
    }

    fn prev(&self, i: usize) -> Option<Token> {
        (i > self.range.start).then(|| self.source.tokens[i - 1])
    }

    /// Finds an unknown name that stands where only a type can be: either the faulty token or the one before it.
    fn unknown_type(&self, at: Option<usize>, before: Option<usize>) -> Option<usize> {
        let is_unknown_type = |&i: &usize| {
            self.source.tokens[i].kind == TokenKind::Ident
                && !self.is_type(i)
                && self.may_begin_type(i)
                && self.declarator_follows(i)
        };
        [before, at].into_iter().flatten().find(is_unknown_type)
    }

    /// Returns whether a declaration may name its type at this token, judged by the token before it.
    fn may_begin_type(&self, i: usize) -> bool {
        let Some(prev) = self.prev(i) else {
            return true;
        };
        match prev.kind {
            TokenKind::Keyword(_) => is_modifier(&prev),
            TokenKind::Punct(Punct::LBrace | Punct::RBrace | Punct::RParen | Punct::Semi | Punct::Colon)
            | TokenKind::Pragma => true,
            // Outside of bodies these precede a parameter. In a body, only the parenthesis of a `for` contains a
            // declaration.
            TokenKind::Punct(Punct::Comma) => !self.in_body(i),
            TokenKind::Punct(Punct::LParen) => {
                !self.in_body(i) || self.prev(i - 1).is_some_and(|p| p.is_keyword(Keyword::For))
            }
            TokenKind::Punct(_)
            | TokenKind::Ident
            | TokenKind::Number
            | TokenKind::Char
            | TokenKind::Table
            | TokenKind::Str
            | TokenKind::Other => false,
        }
    }

    /// Returns whether a name is a type, judged by the token after it: a declarator can follow, and no expression
    /// continues that way.
    fn declarator_follows(&self, i: usize) -> bool {
        let Some(next) = self.next(i) else {
            return false;
        };
        // Between a name and a token of the next line, a semicolon may be missing.
        if next.flags.line_start() {
            return false;
        }
        let prev = self.prev(i);
        // `name * other` is a product, unless `const` or another modifier precedes it or it is a parameter.
        let is_declaration = || !self.in_body(i) || prev.is_some_and(|p| is_modifier(&p));
        match next.kind {
            TokenKind::Ident => true,
            TokenKind::Punct(Punct::Star) => is_declaration(),
            TokenKind::Keyword(_) => is_specifier(&next) && is_declaration(),
            // A parameter or cast without a declarator: `(const name)`.
            TokenKind::Punct(Punct::RParen | Punct::Comma) => prev.is_some_and(|p| is_specifier(&p)),
            TokenKind::Punct(_)
            | TokenKind::Number
            | TokenKind::Char
            | TokenKind::Table
            | TokenKind::Str
            | TokenKind::Pragma
            | TokenKind::Other => false,
        }
    }

    /// Finds a name that is declared with qualifiers or a storage class but without a type.
    fn missing_type(&self, at: Option<usize>, before: Option<usize>) -> Option<usize> {
        let ends_declarator = |t: Token| {
            matches!(
                t.kind,
                TokenKind::Punct(Punct::Eq | Punct::Semi | Punct::Comma | Punct::LBracket)
            )
        };
        let declares = |&i: &usize| {
            self.source.tokens[i].kind == TokenKind::Ident
                && !self.is_type(i)
                && self.prev(i).is_some_and(|p| is_modifier_of_variable(&p))
                && self.next(i).is_some_and(ends_declarator)
                && self
                    .enclosing(i)
                    .is_none_or(|o| self.source.tokens[o].is(Punct::LBrace))
        };
        [before, at].into_iter().flatten().find(declares)
    }

    /// Returns a specific message if the token is not allowed in this position; `before` is the token before
    /// it.
    fn misplaced(&self, at: usize, before: usize) -> Option<&'static str> {
        let t = self.source.tokens[at];
        let start = self.statement_start(before);
        let first = self.source.tokens[start];
        let declaration = is_specifier(&first) || self.is_type(start);
        let in_body = self.in_body(at);
        let in_record = || {
            self.enclosing(at)
                .is_some_and(|o| self.source.tokens[o].is(Punct::LBrace) && self.is_record(o))
        };
        if is_assignment(&t) {
            if in_record() {
                return Some("expected ';' at end of declaration list");
            }
            if first.is_keyword(Keyword::Typedef) {
                return Some("illegal initializer (only variables can be initialized)");
            }
            return (in_body && !declaration).then_some("expression is not assignable");
        }
        if in_body && declaration && t.is(Punct::LBrace) && self.source.tokens[before].is(Punct::RParen) {
            return Some("function definition is not allowed here");
        }
        let storage = matches!(
            t.kind,
            TokenKind::Keyword(
                Keyword::Static | Keyword::Extern | Keyword::Typedef | Keyword::Auto | Keyword::Register
            )
        );
        (storage && in_record()).then_some("type name does not allow storage class to be specified")
    }

    /// Continues without the statement that contains a token.
    fn without_statement(&self, at: usize) -> Recovery {
        self.statement_around(at).map_or(Recovery::Item, Recovery::Drop)
    }

    /// Returns the statement that contains a token, if it is in the item's function body.
    pub(super) fn statement_around(&self, at: usize) -> Option<Range<usize>> {
        let body = self.body().filter(|body| body.contains(&at))?;
        let statement = self.statement_start(at).max(body.start)..self.statement_end(at);
        (!statement.is_empty()).then_some(statement)
    }

    /// Returns whether a token closes the body of a struct, union or enum.
    fn closes_record(&self, i: usize) -> bool {
        self.source.tokens[i].is(Punct::RBrace) && self.is_record(self.source.partner[i] as usize)
    }

    /// Returns whether a brace opens the body of a struct, union or enum.
    fn is_record(&self, open: usize) -> bool {
        let is_keyword = |t: &Token| {
            matches!(
                t.kind,
                TokenKind::Keyword(Keyword::Struct | Keyword::Union | Keyword::Enum)
            )
        };
        // The record may have a name.
        self.source.tokens[open.saturating_sub(2)..open]
            .iter()
            .any(is_keyword)
    }

    /// Returns the opening bracket that encloses a token.
    fn enclosing(&self, at: usize) -> Option<usize> {
        let mut i = at;
        while i > self.range.start {
            i -= 1;
            let p = self.source.partner[i];
            if p == NONE {
                continue;
            }
            let p = p as usize;
            if p > i {
                return Some(i);
            }
            i = p;
        }
        None
    }

    /// Returns the range of the item's function body.
    fn body(&self) -> Option<Range<usize>> {
        let last = self.range.end.checked_sub(1)?;
        let open = self.source.partner[last];
        if !self.source.tokens[last].is(Punct::RBrace) || open == NONE || (open as usize) < self.range.start {
            return None;
        }
        Some(open as usize + 1..last + 1)
    }

    /// Returns whether a token is in the item's function body.
    fn in_body(&self, i: usize) -> bool {
        self.body().is_some_and(|body| body.contains(&i))
    }

    /// Returns whether a brace opens a block and not an initializer.
    fn is_block(&self, brace: usize) -> bool {
        self.source.tokens[brace].is(Punct::LBrace)
            && !self
                .prev(brace)
                .is_some_and(|p| p.is(Punct::Eq) || p.is(Punct::Comma) || p.is(Punct::LParen))
    }

    /// Returns the first token of the statement that contains a token.
    fn statement_start(&self, at: usize) -> usize {
        let mut i = at + 1;
        while i > self.range.start {
            // A dropped statement was replaced by a semicolon.
            if i <= at && self.source.dropped.iter().any(|d| d.end == i) {
                return i;
            }
            i -= 1;
            let t = self.source.tokens[i];
            let p = self.source.partner[i];
            if t.is(Punct::Semi)
                && i < at
                && !self
                    .enclosing(i)
                    .is_some_and(|o| self.source.tokens[o].is(Punct::LParen))
            {
                return i + 1;
            }
            if p == NONE {
                continue;
            }
            let p = p as usize;
            if p > i {
                if self.is_block(i) && i < at {
                    return i + 1;
                }
            } else if t.is(Punct::RBrace) && i < at && self.is_block(p) {
                return i + 1;
            } else {
                i = p;
            }
        }
        self.range.start
    }

    /// Returns the index after the statement that contains a token.
    fn statement_end(&self, at: usize) -> usize {
        let mut i = at;
        while i < self.range.end {
            let t = self.source.tokens[i];
            let p = self.source.partner[i];
            if t.is(Punct::Semi) {
                return i + 1;
            }
            if p != NONE {
                let p = p as usize;
                if p > i {
                    i = p;
                    if t.is(Punct::LBrace)
                        && self
                            .source
                            .tokens
                            .get(i + 1)
                            .is_none_or(|n| !n.is_keyword(Keyword::Else))
                    {
                        return i + 1;
                    }
                } else if t.is(Punct::RBrace) {
                    return i;
                }
            }
            i += 1;
        }
        self.range.end
    }

    /// Returns whether the token may begin the next statement, so that a missing semicolon explains it.
    fn may_begin_statement(&self, t: Token) -> bool {
        t.flags.line_start()
            || match t.kind {
                TokenKind::Punct(p) => p == Punct::RBrace || p == Punct::LBrace,
                TokenKind::Keyword(_)
                | TokenKind::Ident
                | TokenKind::Number
                | TokenKind::Str
                | TokenKind::Char
                | TokenKind::Table => true,
                TokenKind::Pragma | TokenKind::Other => false,
            }
    }

    fn missing_semicolon(&self, start: usize) -> &'static str {
        let in_body = self.in_body(start);
        let Some(t) = self.source.tokens.get(start) else {
            return "expected ';'";
        };
        if !in_body {
            return match self.enclosing(start) {
                Some(_) => "expected ';' at end of declaration list",
                None if t.is_keyword(Keyword::Struct) => "expected ';' after struct",
                None if t.is_keyword(Keyword::Union) => "expected ';' after union",
                None if t.is_keyword(Keyword::Enum) => "expected ';' after enum",
                None => "expected ';' after top level declarator",
            };
        }
        match t.kind {
            TokenKind::Keyword(Keyword::Return) => "expected ';' after return statement",
            TokenKind::Keyword(Keyword::Break) => "expected ';' after break statement",
            TokenKind::Keyword(Keyword::Continue) => "expected ';' after continue statement",
            TokenKind::Keyword(Keyword::Goto) => "expected ';' after goto statement",
            TokenKind::Keyword(Keyword::Do | Keyword::While) => "expected ';' after do/while statement",
            _ if is_specifier(t) || self.is_type(start) => "expected ';' at end of declaration",
            _ => "expected ';' after expression",
        }
    }

    fn after_keyword(
        &self,
        prev: Option<Token>,
        token: Token,
        expected: &HashSet<&'static str>,
    ) -> Option<String> {
        let p = prev?;
        let TokenKind::Keyword(k) = p.kind else {
            return None;
        };
        let head = matches!(k, Keyword::If | Keyword::While | Keyword::For | Keyword::Switch);
        if head && expected.contains("(") && !token.is(Punct::LParen) {
            return Some(format!("expected '(' after '{}'", k.text()));
        }
        if k == Keyword::Goto {
            return Some("expected identifier".into());
        }
        None
    }

    fn top_level(&self, at: usize) -> &'static str {
        let t = self.source.tokens[at];
        if t.kind == TokenKind::Ident
            && self
                .next(at)
                .is_some_and(|n| n.is(Punct::LParen) || n.is(Punct::Eq) || n.is(Punct::Semi))
        {
            implicit_int::MISSING
        } else {
            "expected identifier or '('"
        }
    }
}

fn is_assignment(t: &Token) -> bool {
    let TokenKind::Punct(p) = t.kind else { return false };
    let text = p.text();
    text.ends_with('=') && !matches!(text, "==" | "!=" | "<=" | ">=")
}

/// Returns whether a token is a specifier that names no type: a qualifier, a storage class, `inline` or `kernel`.
fn is_modifier(t: &Token) -> bool {
    is_specifier(t) && !is_type_keyword(t)
}

/// Returns whether a token is a modifier that a variable can have.
fn is_modifier_of_variable(t: &Token) -> bool {
    is_modifier(t)
        && !matches!(
            t.kind,
            TokenKind::Keyword(Keyword::Typedef | Keyword::Restrict | Keyword::Inline)
        )
}

/// Returns whether a token is a keyword for which [`Keyword::is_type`] holds.
fn is_type_keyword(t: &Token) -> bool {
    matches!(t.kind, TokenKind::Keyword(k) if k.is_type())
}

/// Returns whether a token is a keyword that begins or continues declaration specifiers.
fn is_specifier(t: &Token) -> bool {
    match t.kind {
        TokenKind::Keyword(k) => matches!(
            k,
            Keyword::Auto
                | Keyword::Char
                | Keyword::Const
                | Keyword::Double
                | Keyword::Enum
                | Keyword::Extern
                | Keyword::Float
                | Keyword::Inline
                | Keyword::Int
                | Keyword::Long
                | Keyword::Register
                | Keyword::Restrict
                | Keyword::Short
                | Keyword::Signed
                | Keyword::Static
                | Keyword::Struct
                | Keyword::Typedef
                | Keyword::Union
                | Keyword::Unsigned
                | Keyword::Void
                | Keyword::Volatile
                | Keyword::Bool
                | Keyword::Kernel
                | Keyword::Global
                | Keyword::Local
                | Keyword::Constant
                | Keyword::Private
                | Keyword::GenericSpace
                | Keyword::ReadOnly
                | Keyword::WriteOnly
                | Keyword::ReadWrite
                | Keyword::Pipe
        ),
        TokenKind::Ident
        | TokenKind::Number
        | TokenKind::Char
        | TokenKind::Table
        | TokenKind::Str
        | TokenKind::Punct(_)
        | TokenKind::Pragma
        | TokenKind::Other => false,
    }
}
