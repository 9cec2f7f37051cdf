//! The tokens of MLIR's text.

use crate::spirv_text::SyntaxError;

/// A token.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// The characters; those of a string are between its quotation marks.
    pub(super) text: &'t str,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The kind of a token.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or number. The names of values, blocks, symbols, types and attributes begin with `%`, `^`, `@`, `!`, `#`.
    Word,
    Text,
    /// A character, or `->`.
    Mark,
    End,
}

impl Token<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }

    /// Returns the token as it is quoted in messages.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::Text => format!("\"{}\"", self.text),
            Kind::End => "the end".into(),
            Kind::Word | Kind::Mark => format!("'{}'", self.text),
        }
    }
}

/// Separates a text into tokens; the last is the end. Comments go from `//` to the end of the line.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'#');
    let (mut list, mut at, mut line) = (Vec::new(), 0, 1);
    // The column, and the place up to which its characters are counted.
    let (mut column, mut counted) = (1, 0);
    while let Some(&b) = bytes.get(at) {
        let start = at;
        column += text[counted..at].chars().count();
        counted = at;
        let token = |kind, from: usize, to: usize| Token {
            kind,
            text: &text[from..to],
            line,
            column,
        };
        match b {
            b'\n' => {
                at += 1;
                (line, column, counted) = (line + 1, 1, at);
            }
            b if b.is_ascii_whitespace() => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while bytes.get(at).is_some_and(|&b| b != b'\n') {
                    at += 1;
                }
            }
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|b| !matches!(b, b'"' | b'\n')) {
                    at += 1;
                }
                if bytes.get(at) != Some(&b'"') {
                    return Err(token(Kind::Text, start, start + 1).error("the string has no end"));
                }
                list.push(token(Kind::Text, start + 1, at));
                at += 1;
            }
            b'-' if bytes.get(at + 1) == Some(&b'>') => {
                at += 2;
                list.push(token(Kind::Mark, start, at));
            }
            b if is_word(b) || matches!(b, b'%' | b'^' | b'@' | b'!' | b'-') => {
                at += 1;
                let is_number = b.is_ascii_digit() || b == b'-';
                let is_name = matches!(b, b'%' | b'^' | b'@');
                while bytes.get(at).is_some_and(|&b| {
                    is_word(b)
                        || is_number && matches!(b, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E')
                        || is_name && b == b'-' && bytes.get(at + 1) != Some(&b'>')
                }) {
                    at += 1;
                }
                list.push(token(Kind::Word, start, at));
            }
            b if b.is_ascii() => {
                at += 1;
                list.push(token(Kind::Mark, start, at));
            }
            _ => return Err(token(Kind::Mark, start, start).error("a character that is not ASCII")),
        }
    }
    list.push(Token {
        kind: Kind::End,
        text: "",
        line,
        column: column + text[counted..].chars().count(),
    });
    Ok(list)
}
