//! The preprocessor's part of `#pragma` and `_Pragma` (C99 6.10.6, 6.10.9; OpenCL C 9.1). The parser handles
//! the rest.

use super::Pp;
use super::lex::token;
use super::names::NO_ID;
use super::token::{Punct, Token, TokenFlags, TokenKind};
use crate::source::Span;

impl Pp<'_> {
    /// Handles a pragma of either form. `once`, `push_macro` and `pop_macro` are executed here; any other pragma becomes a
    /// token whose text is the pragma.
    pub(super) fn pragma(&mut self, tokens: Vec<Token>, at: Span) -> Option<Token> {
        let first = tokens.first().map_or("", |t| self.text(t)).to_string();
        if first == "once" {
            let known = self.files.last().and_then(|f| f.known);
            match known {
                Some(i) => self.known[i].once = true,
                None => self.diags.warning(at, "#pragma once in main file"),
            }
            return None;
        }
        if matches!(first.as_str(), "push_macro" | "pop_macro") {
            self.kept_macro(&first, &tokens[1..], at);
            return None;
        }
        // Macros are not expanded in the standard pragmas (C99 6.10.6). They are expanded in unroll counts
        // and after `pack`.
        let list = match first.as_str() {
            "STDC" => tokens,
            "OPENCL" => {
                self.check_extension(&tokens, at);
                tokens
            }
            "pack" => {
                let mut list = tokens;
                let rest = list.split_off(1);
                list.extend(self.expand_list(rest));
                list
            }
            "unroll" => {
                let mut list = tokens;
                let rest = list.split_off(1);
                list.extend(self.expand_list(rest));
                return Some(self.unroll(list, at));
            }
            _ => self.expand_list(tokens),
        };
        let lo = self.scratch.len();
        self.append_all(&list);
        Some(self.pragma_token(lo, &list, at))
    }

    /// Executes `push_macro("NAME")`, which keeps the meaning of a name, or `pop_macro("NAME")`, which restores the last
    /// meaning that was kept (GNU C and Clang).
    fn kept_macro(&mut self, pragma: &str, operand: &[Token], at: Span) {
        let name = match operand {
            [open, name, close] if name.kind == TokenKind::Str => {
                let name = self
                    .text(name)
                    .strip_prefix('"')
                    .and_then(|n| n.strip_suffix('"'));
                name.filter(|_| self.text(open) == "(" && self.text(close) == ")")
            }
            _ => None,
        };
        let Some(name) = name.map(str::to_string) else {
            let message = format!("pragma {pragma} requires a parenthesized string");
            self.diags.error(at, message);
            return;
        };
        let id = self.names.intern(&name);
        if pragma == "push_macro" {
            self.kept.push((id, self.names.get(id).def.clone()));
        } else if let Some(last) = self.kept.iter().rposition(|(kept, _)| *kept == id) {
            self.names.get_mut(id).def = self.kept.remove(last).1;
        } else {
            let message = format!("pragma pop_macro could not pop '{name}', no matching push_macro");
            self.diags.warning(at, message);
        }
    }

    fn append_all(&mut self, list: &[Token]) {
        for (i, t) in list.iter().enumerate() {
            if i > 0 && t.flags.space_before() {
                self.scratch.push(' ');
            }
            self.append_text(t.spelling);
        }
    }

    /// Makes a pragma token from the text of the scratch file from `lo` to its end.
    fn pragma_token(&mut self, lo: usize, list: &[Token], at: Span) -> Token {
        let span = list.last().map_or(at, |t| at.to(t.span));
        token(
            TokenKind::Pragma,
            TokenFlags::LINE,
            NO_ID,
            span,
            self.scratch_span(lo),
        )
    }

    /// Handles `unroll` with a count. A count that is an expression is replaced by its value.
    fn unroll(&mut self, list: Vec<Token>, at: Span) -> Token {
        let names = |t: &Token| t.kind == TokenKind::Ident;
        let value = match &list[1..] {
            count @ [_, _, ..] if !count.iter().any(names) => self.value(count.to_vec()),
            _ => None,
        };
        let lo = self.scratch.len();
        match value {
            Some(n) => self.scratch.push_str(&format!("unroll {n}")),
            None => self.append_all(&list),
        }
        self.pragma_token(lo, &list, at)
    }

    /// Checks `OPENCL EXTENSION name : behavior` (9.1). All extensions of the device are always enabled, so
    /// the pragma changes nothing; a malformed pragma or an unknown extension gets a warning, as in clang.
    fn check_extension(&mut self, tokens: &[Token], at: Span) {
        let Some((keyword, rest)) = tokens.get(1..).and_then(<[Token]>::split_first) else {
            return;
        };
        if self.text(keyword) != "EXTENSION" {
            return;
        }
        let Some(name) = rest.first().filter(|t| t.kind == TokenKind::Ident) else {
            let at = rest.first().map_or(at, |t| t.span);
            self.diags
                .warning(at, "expected identifier in '#pragma OPENCL' - ignored");
            return;
        };
        let text = self.text(name).to_string();
        let behavior = match &rest[1..] {
            [colon, behavior, ..] if colon.is(Punct::Colon) => *behavior,
            [colon] if colon.is(Punct::Colon) => *colon,
            other => {
                let at = other.first().map_or(name.span, |t| t.span);
                self.diags
                    .warning(at, format!("missing ':' after '{text}' - ignoring"));
                return;
            }
        };
        let word = self.text(&behavior).to_string();
        if !matches!(word.as_str(), "enable" | "disable" | "require") {
            self.diags
                .warning(behavior.span, "expected 'enable' or 'disable' - ignoring");
        } else if text == "all" {
            if word != "disable" {
                self.diags.warning(behavior.span, "expected 'disable' - ignoring");
            }
        } else if !self.extensions.contains(&text) {
            let message = if text.starts_with("cl_khr_") {
                format!("unsupported OpenCL extension '{text}' - ignoring")
            } else {
                format!("unknown OpenCL extension '{text}' - ignoring")
            };
            self.diags.warning(name.span, message);
        } else if let Some(extra) = rest.get(3) {
            self.diags.warning(
                extra.span,
                "extra tokens at end of '#pragma OPENCL EXTENSION' - ignored",
            );
        }
    }

    /// Handles `_Pragma ( "…" )`.
    pub(super) fn pragma_operator(&mut self, t: Token) -> Option<Token> {
        // As in clang, the operand may come from macros.
        let mut step = |want: fn(&Token) -> bool| self.next_expanded().filter(want);
        let string = step(|p| p.is(Punct::LParen))
            .and_then(|_| step(|p| p.kind == TokenKind::Str))
            .and_then(|s| step(|p| p.is(Punct::RParen)).map(|_| s));
        let Some(string) = string else {
            self.diags
                .error(t.span, "_Pragma takes a parenthesized string literal");
            return None;
        };
        let text = self.text(&string).to_string();
        let inner = text.strip_prefix('L').unwrap_or(&text);
        let inner = inner
            .strip_prefix('"')
            .and_then(|t| t.strip_suffix('"'))
            .unwrap_or(inner);
        let inner = inner.replace("\\\"", "\"").replace("\\\\", "\\");
        let Some(inner) = without_comments(&inner) else {
            self.diags
                .error(string.span, "unterminated /* comment in the operand of _Pragma");
            return None;
        };
        let tokens = self.lex_text(&inner, t.span);
        self.pragma(tokens, t.span)
    }
}

/// Returns the text with each comment outside of literals replaced by a space, or `None` if a comment does
/// not end. C99 6.10.9 subjects the operand of `_Pragma` to translation phase 3.
fn without_comments(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = match from.as_bytes() {
            [b'/', b'*', ..] => {
                out.push(' ');
                let end = from[2..].find("*/")?;
                &from[end + 4..]
            }
            [b'/', b'/', ..] => "",
            [b'/', ..] => {
                out.push('/');
                &from[1..]
            }
            [quote, tail @ ..] => {
                let mut escaped = false;
                let ends = |b: &u8| {
                    let end = b == quote && !escaped;
                    escaped = *b == b'\\' && !escaped;
                    end
                };
                let length = tail.iter().position(ends).map_or(from.len(), |n| n + 2);
                out.push_str(&from[..length]);
                &from[length..]
            }
            [] => "",
        };
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::without_comments;

    #[test]
    fn comments_are_spaces_but_not_in_literals() {
        let same = [
            "",
            "unroll 4",
            "a / b",
            "x \"/* y */\" z",
            "'\"' \"\\\"//\"",
            "\"open /*",
        ];
        for text in same {
            assert_eq!(without_comments(text).as_deref(), Some(text));
        }
        assert_eq!(
            without_comments("unroll/*é*/4 // x").as_deref(),
            Some("unroll 4 ")
        );
        assert_eq!(without_comments("unroll /* 4"), None);
        assert_eq!(without_comments("/*/"), None);
    }
}
