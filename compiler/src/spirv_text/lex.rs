//! The tokens of SPIR-V's text.

use super::SyntaxError;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind<'t>,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Whether it is the first of its line.
    pub(crate) is_first: bool,
}

/// What a token is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind<'t> {
    /// Characters between white space.
    Word(&'t str),
    /// A string, without its quotation marks and escapes.
    Text(String),
}

impl Token<'_> {
    pub(crate) fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }

    /// Returns the token as it is quoted in messages.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            Kind::Word(word) => format!("'{word}'"),
            Kind::Text(text) => format!("{text:?}"),
        }
    }
}

/// Separates a text into tokens. Comments go from `;` to the end of the line.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, SyntaxError> {
    let mut list = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut line = 1;
    // The column, and the place up to which its characters are counted.
    let (mut column, mut counted) = (1, 0);
    let mut is_first = true;
    while let Some(&(at, c)) = chars.peek() {
        column += text[counted..at].chars().count();
        counted = at;
        match c {
            '\n' => {
                chars.next();
                (line, column, counted) = (line + 1, 1, at + 1);
                is_first = true;
            }
            c if c.is_whitespace() => {
                chars.next();
            }
            ';' => while chars.next_if(|&(_, c)| c != '\n').is_some() {},
            '"' => {
                let mut token = Token {
                    kind: Kind::Text(String::new()),
                    line,
                    column,
                    is_first,
                };
                is_first = false;
                chars.next();
                let mut value = String::new();
                loop {
                    match chars.next() {
                        Some((_, '"')) => break,
                        Some((_, '\\')) => match chars.next() {
                            Some((_, c)) => value.push(c),
                            None => return Err(token.error("the string has no end")),
                        },
                        Some((at, c)) => {
                            if c == '\n' {
                                (line, column, counted) = (line + 1, 1, at + 1);
                            }
                            if c == '\0' {
                                return Err(token.error("a string cannot contain the character 0"));
                            }
                            value.push(c);
                        }
                        None => return Err(token.error("the string has no end")),
                    }
                }
                token.kind = Kind::Text(value);
                list.push(token);
            }
            _ => {
                let mut end = at;
                while let Some((at, c)) = chars.next_if(|&(_, c)| !c.is_whitespace() && c != ';' && c != '"')
                {
                    end = at + c.len_utf8();
                }
                list.push(Token {
                    kind: Kind::Word(&text[at..end]),
                    line,
                    column,
                    is_first,
                });
                is_first = false;
            }
        }
    }
    Ok(list)
}
