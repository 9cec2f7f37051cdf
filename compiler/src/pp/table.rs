//! Tables: long lists of literals in initializers.
//!
//! Programs carry images, weights and tables of functions as initializers of millions of numbers. Such a list
//! becomes one token, [`TokenKind::Table`](super::TokenKind::Table), whose elements are read where they are
//! needed, so that neither a token nor a tree per element is kept. A table contains only what needs neither
//! macro expansion nor a parser: numbers and character constants, each with at most one sign, braces, commas,
//! white space and comments. All its literals are valid. Any other list becomes single tokens.

use super::lex::{number_end, splice_end};
use super::literal::{self, Int, Number};
use crate::source::{FileId, Origin, SourceMap, Span};
use std::sync::Arc;

/// The number of literals from which on a list becomes a table.
const LEAST: usize = 512;

/// The greatest nesting depth of braces in a table. Deeper lists are left to the parser, which has a limit.
pub(crate) const MAX_DEPTH: usize = 64;

/// An element of a table, or a brace.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Element {
    Literal {
        /// The position of the sign, if there is one, and whether it is a minus.
        sign: Option<(Span, bool)>,
        value: Value,
        span: Span,
    },
    Open(Span),
    Close(Span),
}

/// The value of a literal.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Value {
    Number(Number),
    Char(i32),
}

/// Returns the end of the table that begins at `pos`, directly after the opening brace of an initializer: the end
/// of its last token, before the closing brace. Returns `None` if there is no table.
pub(super) fn end_of_table(s: &[u8], pos: usize) -> Option<usize> {
    let mut depth = 0;
    let mut count = 0;
    let mut p = space(s, pos)?;
    loop {
        // An element is next.
        match *s.get(p)? {
            b'{' if depth < MAX_DEPTH => {
                depth += 1;
                p = space(s, p + 1)?;
                continue;
            }
            b'-' | b'+' => {
                p = space(s, p + 1)?;
                // Two signs may be one operator.
                if matches!(s.get(p), Some(b'-' | b'+')) {
                    return None;
                }
            }
            _ => {}
        }
        p = literal_end(s, p)?;
        count += 1;
        let mut last = p;
        p = space(s, p)?;
        // What follows is a comma and the next element, or closing braces.
        loop {
            let comma = *s.get(p)? == b',';
            if comma {
                last = p + 1;
                p = space(s, p + 1)?;
            }
            if *s.get(p)? == b'}' {
                if depth == 0 {
                    return (count >= LEAST).then_some(last);
                }
                depth -= 1;
                last = p + 1;
                p = space(s, p + 1)?;
            } else if comma {
                break;
            } else {
                return None;
            }
        }
    }
}

/// Returns the position after white space and comments; `None` if there is something else that a table cannot
/// have, such as a line splice.
fn space(s: &[u8], mut p: usize) -> Option<usize> {
    loop {
        match *s.get(p)? {
            b' ' | b'\n' | b'\t' | b'\r' => p += 1,
            b'/' if s.get(p + 1) == Some(&b'/') => {
                while !matches!(*s.get(p)?, b'\n' | b'\r') {
                    if s[p] == b'\\' && splice_end(s, p).is_some() {
                        return None;
                    }
                    p += 1;
                }
            }
            b'/' if s.get(p + 1) == Some(&b'*') => {
                p += 2;
                while !(*s.get(p)? == b'*' && s.get(p + 1) == Some(&b'/')) {
                    p += 1;
                }
                p += 2;
            }
            _ => return Some(p),
        }
    }
}

/// Returns the end of a literal whose value causes no error and no warning.
fn literal_end(s: &[u8], p: usize) -> Option<usize> {
    let end = match *s.get(p)? {
        b'\'' => {
            let plain = matches!(*s.get(p + 1)?, b' '..=b'&' | b'('..=b'[' | b']'..=b'~');
            return (plain && s.get(p + 2) == Some(&b'\'')).then_some(p + 3);
        }
        b'0'..=b'9' => match plain(s, p) {
            Some((_, end)) => return Some(end),
            None => number_end(s, p),
        },
        b'.' if s.get(p + 1).is_some_and(u8::is_ascii_digit) => number_end(s, p),
        _ => return None,
    };
    let valid = s.get(end) != Some(&b'\\') && literal::number(std::str::from_utf8(&s[p..end]).ok()?).is_ok();
    valid.then_some(end)
}

/// Returns the value and the end of a number of one of the most frequent forms: a few decimal or hexadecimal
/// digits, without a suffix or with `u`.
fn plain(s: &[u8], at: usize) -> Option<(Int, usize)> {
    let (radix, most, first) = match s[at..] {
        [b'0', b'x' | b'X', ..] => (16, 16, at + 2),
        // An octal number.
        [b'0', b'0'..=b'9' | b'u' | b'U', ..] => return None,
        _ => (10, 18, at),
    };
    let mut value = 0;
    let mut p = first;
    while let Some(digit) = char::from(*s.get(p)?).to_digit(radix) {
        if p - first == most {
            return None;
        }
        value = value * u64::from(radix) + u64::from(digit);
        p += 1;
    }
    let digits = p - first;
    let unsigned = matches!(s.get(p), Some(b'u' | b'U'));
    p += usize::from(unsigned);
    let is_end = matches!(s.get(p), Some(b',' | b' ' | b'\n' | b'}'));
    let number = Int {
        value,
        unsigned,
        long: false,
        decimal: radix == 10,
        overflow: false,
    };
    (is_end && digits > 0).then_some((number, p))
}

/// Reads the elements of a table.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    text: Arc<str>,
    file: FileId,
    at: usize,
    end: usize,
}

impl Reader {
    /// Creates a reader at the start of the table at this position.
    pub(crate) fn new(map: &SourceMap, table: Span) -> Reader {
        Reader {
            text: map.file(table.file).text.clone(),
            file: table.file,
            at: table.lo as usize,
            end: table.hi as usize,
        }
    }

    /// Returns the position, for [`Reader::back_to`].
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn back_to(&mut self, position: usize) {
        self.at = position;
    }
}

impl Iterator for Reader {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        let text = &self.text[..self.end];
        let s = text.as_bytes();
        let span = |lo: usize, hi: usize| Span {
            file: self.file,
            lo: lo as u32,
            hi: hi as u32,
            origin: Origin::NONE,
        };
        let mut p = self.at;
        loop {
            p = space(s, p)?;
            if s[p] != b',' {
                break;
            }
            p += 1;
        }
        let lo = p;
        let sign = match s[p] {
            brace @ (b'{' | b'}') => {
                self.at = lo + 1;
                let at = span(lo, lo + 1);
                return Some(if brace == b'{' {
                    Element::Open(at)
                } else {
                    Element::Close(at)
                });
            }
            b'-' | b'+' => {
                p = space(s, p + 1)?;
                Some((span(lo, lo + 1), s[lo] == b'-'))
            }
            _ => None,
        };
        let lo = p;
        let value = if s[p] == b'\'' {
            p += 3;
            Value::Char(i32::from(s[lo + 1] as i8))
        } else if let Some((value, end)) = plain(s, p) {
            p = end;
            Value::Number(Number::Int(value))
        } else {
            p = number_end(s, p);
            Value::Number(number(&text[lo..p]))
        };
        let span = span(lo, p);
        self.at = p;
        Some(Element::Literal { sign, value, span })
    }
}

/// Returns the value of a number that is valid.
fn number(text: &str) -> Number {
    literal::number(text).unwrap_or(Number::Int(Int {
        value: 0,
        unsigned: false,
        long: false,
        decimal: true,
        overflow: false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(list: &str) -> Option<&str> {
        let many = format!("{}{list} }}", "1,".repeat(LEAST));
        let end = end_of_table(many.as_bytes(), 0)?;
        Some(many[2 * LEAST..end].to_owned().leak())
    }

    #[test]
    fn lists_of_literals_are_tables() {
        for list in [
            "",
            "2",
            " -3, + 4 ,",
            "{5, -6.5f, {'a', 0x7fu}, }, .5e+3",
            "/* , */ 8 // {\n, 9",
            "18446744073709551616",
        ] {
            assert_eq!(end(list), Some(list.trim_end()), "{list}");
        }
    }

    #[test]
    fn frequent_numbers_are_read_as_all_others() {
        let digits =
            "0 1 7 9 10 00 017 08 0x 0x0 0xg 0xff 0XFF 0xFFFFFFFFFFFFFFFF 0x1ffffffffffffffff 2147483648
            999999999999999999 1000000000000000000 18446744073709551615 18446744073709551616 1e5 1.5 0b11";
        for digits in digits.split_whitespace() {
            for suffix in ["", "u", "U", "l", "uL", "ull", "f", "uu", "x"] {
                let text = format!("{digits}{suffix}");
                let list = format!("{text},");
                let wanted = literal::number(&text).ok();
                if let Some((value, end)) = plain(list.as_bytes(), 0) {
                    assert_eq!((Some(Number::Int(value)), end), (wanted, text.len()), "{text}");
                }
            }
        }
        assert!(plain(b"0x12345678u,", 0).is_some());
        assert!(plain(b"4294967295U}", 0).is_some());
    }

    #[test]
    fn other_lists_are_not() {
        for list in [
            "x",
            "--2",
            "- -2",
            "2 3",
            "2,,3",
            "{}",
            "{2",
            "09",
            "1.5q",
            "'ab'",
            r"'\n'",
            "'\\''",
            "(2)",
            "2 + 3",
            "[4] = 5",
            ".x = 6",
            "2\\\n3",
            "2, // \\\n 3\n",
            "\"s\"",
            "\n#if 1\n2",
            "/* ",
        ] {
            assert_eq!(end(list), None, "{list}");
        }
        assert_eq!(end_of_table(b"1, 2}", 0), None);
    }
}
