//! The format strings of `printf` (OpenCL 1.2 6.12.13). Both the compiler and the host parse them.
//!
//! Layout of the printf buffer: word 0 counts the words in use after it. A call that found room has there the
//! number of its format (as in `PrintfInfo`, from 1 on; 0 is never written), followed by its arguments. Each
//! argument takes a whole number of 32-bit words, the low ones first, padded with zeros. A string literal is
//! stored as its number.

use std::borrow::Cow;

/// The first of the characters that stand for bytes which are not UTF-8: byte `b` is this character plus `b`.
const BYTES: u32 = 0x10_ff00;

/// Returns a string of the program as UTF-8, which SPIR-V demands. [`to_bytes`] returns the string.
pub fn to_text(string: &[u8]) -> String {
    let mut text = String::with_capacity(string.len());
    for chunk in string.utf8_chunks() {
        // A character that could be taken for a byte is written as its bytes.
        let (valid, rest) = match chunk.valid().find(|c| u32::from(c) >= BYTES) {
            Some(at) => chunk.valid().split_at(at),
            None => (chunk.valid(), ""),
        };
        text.push_str(valid);
        let bytes = rest.bytes().chain(chunk.invalid().iter().copied());
        text.extend(bytes.filter_map(|b| char::from_u32(BYTES + u32::from(b))));
    }
    text
}

/// Returns the string of which [`to_text`] has made a text.
pub fn to_bytes(text: &str) -> Cow<'_, [u8]> {
    if text.chars().all(|c| u32::from(c) < BYTES) {
        return text.as_bytes().into();
    }
    let mut string = Vec::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c).checked_sub(BYTES) {
            Some(b) => string.push(b as u8),
            None => string.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    string.into()
}

/// The size of the printf buffer in bytes, unless an option changes it.
pub const PRINTF_BUFFER_SIZE: u32 = 1 << 20;

/// Length modifiers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Length {
    /// No modifier.
    None,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `hl`: 32 bits, vectors only.
    Word,
    /// `l`
    Long,
}

/// One conversion specification.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
    /// The least number of characters to print.
    pub width: usize,
    /// The number after the point, if there is a point.
    pub precision: Option<usize>,
    /// The number of lanes that `v` states; 1 without `v`.
    pub lanes: usize,
    /// The length modifier.
    pub length: Length,
    /// The letter of the conversion.
    pub letter: u8,
}

/// A part of a format string.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Piece<'a> {
    /// Text that is printed as it is.
    Text(&'a [u8]),
    /// A conversion specification, which is replaced by the next argument.
    Conversion(Conversion),
}

/// The largest width and precision; larger numbers are reduced to this one.
const MAX_NUMBER: usize = 4096;

/// Splits a format string. Everything that is not a conversion specification is text.
pub fn pieces(format: &[u8]) -> Vec<Piece<'_>> {
    let mut list = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < format.len() {
        if format[at] != b'%' {
            at += 1;
            continue;
        }
        if start < at {
            list.push(Piece::Text(&format[start..at]));
        }
        start = at;
        if format.get(at + 1) == Some(&b'%') {
            list.push(Piece::Text(b"%"));
            at += 2;
            start = at;
        } else if let Some((conversion, length)) = conversion(&format[at..]) {
            list.push(Piece::Conversion(conversion));
            at += length;
            start = at;
        } else {
            at += 1;
        }
    }
    if start < format.len() {
        list.push(Piece::Text(&format[start..]));
    }
    list
}

/// Returns the arguments that a format prints as strings; argument 0 is the first one after the format.
pub fn literal_arguments(format: &[u8]) -> Vec<usize> {
    let conversions = pieces(format).into_iter().filter_map(|p| match p {
        Piece::Text(_) => None,
        Piece::Conversion(c) => Some(c.letter),
    });
    let numbered = conversions.enumerate();
    numbered.filter(|(_, c)| *c == b's').map(|(n, _)| n).collect()
}

/// Parses the conversion specification at the start of the text. Returns it with its length.
fn conversion(text: &[u8]) -> Option<(Conversion, usize)> {
    let mut c = Conversion {
        left: false,
        plus: false,
        space: false,
        alternate: false,
        zero: false,
        width: 0,
        precision: None,
        lanes: 1,
        length: Length::None,
        letter: 0,
    };
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'-' => c.left = true,
            b'+' => c.plus = true,
            b' ' => c.space = true,
            b'#' => c.alternate = true,
            b'0' => c.zero = true,
            _ => break,
        }
        at += 1;
    }
    c.width = number(text, &mut at);
    if text.get(at) == Some(&b'.') {
        at += 1;
        c.precision = Some(number(text, &mut at));
    }
    if text.get(at) == Some(&b'v') {
        at += 1;
        c.lanes = number(text, &mut at);
        if !matches!(c.lanes, 2 | 3 | 4 | 8 | 16) {
            return None;
        }
    }
    let rest = text.get(at..)?;
    let (length, skip) = match rest {
        [b'h', b'h', ..] => (Length::Char, 2),
        [b'h', b'l', ..] => (Length::Word, 2),
        [b'h', ..] => (Length::Short, 1),
        [b'l', ..] => (Length::Long, 1),
        _ => (Length::None, 0),
    };
    c.length = length;
    c.letter = *rest.get(skip)?;
    let known = b"diouxXfFeEgGaAcsp".contains(&c.letter);
    known.then_some((c, at + skip + 1))
}

fn number(text: &[u8], at: &mut usize) -> usize {
    let mut n = 0usize;
    while let Some(digit) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        n = (n * 10 + usize::from(digit - b'0')).min(MAX_NUMBER);
        *at += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_split() {
        let list = pieces(b"a%% %-08.3v4hlf|%q%s%");
        let Piece::Conversion(c) = list[3] else {
            panic!("{list:?}")
        };
        assert_eq!(list[0], Piece::Text(b"a"));
        assert_eq!(list[1], Piece::Text(b"%"));
        assert!(c.left && c.zero && !c.plus);
        assert_eq!((c.width, c.precision, c.lanes), (8, Some(3), 4));
        assert_eq!((c.length, c.letter), (Length::Word, b'f'));
        let rest: Vec<u8> = list[4..]
            .iter()
            .flat_map(|p| match p {
                Piece::Text(t) => t.to_vec(),
                Piece::Conversion(c) => vec![c.letter],
            })
            .collect();
        assert_eq!(rest, b"|%qs%");
    }

    #[test]
    fn literals_are_counted_by_argument() {
        assert_eq!(literal_arguments(b"%d %s %% %v2d%s"), [1, 3]);
        assert!(literal_arguments(b"%v5d %").is_empty());
    }
}
