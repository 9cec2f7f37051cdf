//! The lexer for words, punctuation and strings, with the queries that the parser needs.

use super::ParseError;

/// A token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'t> {
    /// A sequence without blanks and punctuation: names, numbers, types, `%v1`, `->`.
    Word(&'t str),
    /// One of the characters `(){}[],:=`.
    Punct(char),
    Text(Vec<u8>),
}

/// The tokens of a text, with a current position.
pub(super) struct Tokens<'t> {
    list: Vec<(Token<'t>, u32)>,
    at: usize,
}

type Result<T> = std::result::Result<T, ParseError>;

fn is_punct(c: char) -> bool {
    matches!(c, '(' | ')' | '{' | '}' | '[' | ']' | ',' | ':' | '=')
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self> {
        let mut list = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let number = number as u32 + 1;
            let mut rest = line.trim_start();
            while let Some(c) = rest.chars().next() {
                let len = if c == ';' {
                    break;
                } else if is_punct(c) {
                    list.push((Token::Punct(c), number));
                    1
                } else if c == '"' {
                    let (bytes, len) = string(rest, number)?;
                    list.push((Token::Text(bytes), number));
                    len
                } else {
                    let ends = |c: char| c.is_whitespace() || is_punct(c) || c == '"' || c == ';';
                    let len = rest.find(ends).unwrap_or(rest.len());
                    list.push((Token::Word(&rest[..len]), number));
                    len
                };
                rest = rest[len..].trim_start();
            }
        }
        Ok(Tokens { list, at: 0 })
    }

    /// Returns an error at the token that was read last.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        let at = self.at.saturating_sub(1);
        Err(ParseError {
            line: self.list.get(at).map_or(1, |t| t.1),
            message: message.into(),
        })
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.list.len()
    }

    pub(super) fn next(&mut self) -> Option<Token<'t>> {
        let token = self.list.get(self.at).map(|t| t.0.clone());
        self.at += 1;
        token
    }

    pub(super) fn peek_word(&self) -> Option<&'t str> {
        match self.list.get(self.at) {
            Some((Token::Word(w), _)) => Some(w),
            _ => None,
        }
    }

    /// Returns whether the line of the token that was read last has another token that is neither an opening
    /// nor a closing brace.
    pub(super) fn more_on_line(&self) -> bool {
        let last = self.at.checked_sub(1).and_then(|n| self.list.get(n));
        match (last, self.list.get(self.at)) {
            (Some((_, line)), Some((token, next))) => {
                line == next && *token != Token::Punct('{') && *token != Token::Punct('}')
            }
            _ => false,
        }
    }

    pub(super) fn accept(&mut self, c: char) -> bool {
        let found = self.list.get(self.at).is_some_and(|t| t.0 == Token::Punct(c));
        self.at += usize::from(found);
        found
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == Some(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, c: char) -> Result<()> {
        match self.next() {
            Some(Token::Punct(p)) if p == c => Ok(()),
            other => self.error(format!("expected '{c}', found {}", show(other))),
        }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<()> {
        match self.next() {
            Some(Token::Word(w)) if w == word => Ok(()),
            other => self.error(format!("expected '{word}', found {}", show(other))),
        }
    }

    pub(super) fn word(&mut self) -> Result<&'t str> {
        match self.next() {
            Some(Token::Word(w)) => Ok(w),
            other => self.error(format!("expected a word, found {}", show(other))),
        }
    }

    pub(super) fn text(&mut self) -> Result<Vec<u8>> {
        match self.next() {
            Some(Token::Text(s)) => Ok(s),
            other => self.error(format!("expected a string, found {}", show(other))),
        }
    }

    /// Reads a string that is a name.
    pub(super) fn name(&mut self) -> Result<String> {
        let bytes = self.text()?;
        match String::from_utf8(bytes) {
            Ok(s) => Ok(s),
            Err(_) => self.error("a name is not UTF-8"),
        }
    }

    pub(super) fn u64(&mut self) -> Result<u64> {
        let word = self.word()?;
        match word.parse() {
            Ok(n) => Ok(n),
            Err(_) => self.error(format!("expected a number, found '{word}'")),
        }
    }

    pub(super) fn u32(&mut self) -> Result<u32> {
        let n = self.u64()?;
        match u32::try_from(n) {
            Ok(n) => Ok(n),
            Err(_) => self.error(format!("{n} is too large")),
        }
    }

    /// Reads `word` and then a number.
    pub(super) fn u32_after(&mut self, word: &str) -> Result<u32> {
        self.expect_word(word)?;
        self.u32()
    }

    /// Reads the number after a prefix such as `%v`.
    pub(super) fn entity(&mut self, prefix: &str) -> Result<u32> {
        let word = self.word()?;
        match word.strip_prefix(prefix).and_then(|n| n.parse().ok()) {
            Some(n) => Ok(n),
            None => self.error(format!("expected {prefix}N, found '{word}'")),
        }
    }
}

fn show(token: Option<Token<'_>>) -> String {
    match token {
        None => "the end of the text".into(),
        Some(Token::Word(w)) => format!("'{w}'"),
        Some(Token::Punct(c)) => format!("'{c}'"),
        Some(Token::Text(_)) => "a string".into(),
    }
}

/// Returns the bytes of the string literal at the start of `s`, and the length of the literal.
fn string(s: &str, line: u32) -> Result<(Vec<u8>, usize)> {
    let error = |message: &str| ParseError {
        line,
        message: message.into(),
    };
    let bytes = s.as_bytes();
    let mut out = Vec::new();
    let mut i = 1;
    loop {
        match bytes.get(i) {
            None => return Err(error("a string does not end on its line")),
            Some(b'"') => return Ok((out, i + 1)),
            Some(b'\\') => {
                i += 1;
                match bytes.get(i) {
                    Some(b'n') => out.push(b'\n'),
                    Some(&c @ (b'"' | b'\\')) => out.push(c),
                    Some(_) => {
                        let hex = s.get(i..i + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
                        out.push(hex.ok_or_else(|| error("a bad escape in a string"))?);
                        i += 1;
                    }
                    None => return Err(error("a string does not end on its line")),
                }
            }
            Some(&c) => out.push(c),
        }
        i += 1;
    }
}
