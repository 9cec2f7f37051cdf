//! Splits characters into preprocessing tokens: translation phases 2 (line splices) and 3 (tokens and
//! comments).

use std::sync::Arc;

use super::names::NO_ID;
use super::token::{Punct, Token, TokenFlags, TokenKind};
use crate::source::{FileId, Origin, SourceMap, Span};

/// Byte classes.
const OTHER: u8 = 0;
const SPACE: u8 = 1;
const NEWLINE: u8 = 2;
const IDENT: u8 = 3;
const DIGIT: u8 = 4;
const PUNCT: u8 = 5;
const QUOTE: u8 = 6;

const CLASS: [u8; 256] = {
    let mut t = [OTHER; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        t[i] = match b {
            // NUL is white space too, as in clang: some programs pass the terminating NUL of a C string as
            // part of the text.
            b' ' | b'\t' | 0x0b | 0x0c | 0 => SPACE,
            b'\n' | b'\r' => NEWLINE,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80..=0xff => IDENT,
            b'0'..=b'9' => DIGIT,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' | b',' | b'.' | b':' | b'?' | b'+' | b'-'
            | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'~' | b'!' | b'<' | b'>' | b'=' | b'#' => PUNCT,
            b'"' | b'\'' => QUOTE,
            _ => OTHER,
        };
        i += 1;
    }
    t
};

fn class(b: u8) -> u8 {
    CLASS[b as usize]
}

fn continues_ident(b: u8) -> bool {
    matches!(class(b), IDENT | DIGIT)
}

/// Returns the position after the line splice that starts at `pos`, if there is one. White space between the
/// backslash and the line end is accepted, as in clang and gcc.
pub(super) fn splice_end(s: &[u8], pos: usize) -> Option<usize> {
    if s.get(pos) != Some(&b'\\') {
        return None;
    }
    let mut p = pos + 1;
    while s.get(p).is_some_and(|&b| class(b) == SPACE) {
        p += 1;
    }
    match s.get(p) {
        Some(b'\n') => Some(p + 1),
        Some(b'\r') if s.get(p + 1) == Some(&b'\n') => Some(p + 2),
        Some(b'\r') => Some(p + 1),
        _ => None,
    }
}

/// Returns the first position from `pos` on at which no line splice starts.
fn after_splices(s: &[u8], mut pos: usize) -> usize {
    while let Some(end) = splice_end(s, pos) {
        pos = end;
    }
    pos
}

/// If a comment starts with the slash at `pos`, returns the second character of its start and the position after it.
fn comment_start(s: &[u8], pos: usize) -> Option<(u8, usize)> {
    let second = after_splices(s, pos + 1);
    let c = *s.get(second).filter(|_| s[pos] == b'/')?;
    matches!(c, b'/' | b'*').then_some((c, second + 1))
}

/// Returns the text with its trigraphs replaced (translation phase 1; C99 5.2.1.1), or `None` if it has none.
pub(super) fn replace_trigraphs(text: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find("??") {
        let c = match rest.as_bytes().get(at + 2) {
            Some(b'=') => '#',
            Some(b'(') => '[',
            Some(b'/') => '\\',
            Some(b')') => ']',
            Some(b'\'') => '^',
            Some(b'<') => '{',
            Some(b'!') => '|',
            Some(b'>') => '}',
            Some(b'-') => '~',
            _ => {
                out.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            }
        };
        out.push_str(&rest[..at]);
        out.push(c);
        rest = &rest[at + 3..];
    }
    (out.len() + rest.len() < text.len()).then(|| out + rest)
}

/// Scans the token whose first character is at `pos`, in text without line splices. Returns its kind and its
/// end. An unterminated string or character constant is [`TokenKind::Other`].
pub(super) fn scan(s: &[u8], pos: usize) -> (TokenKind, usize) {
    let b = s[pos];
    match class(b) {
        IDENT => {
            if b == b'L' && s.get(pos + 1).is_some_and(|&q| q == b'"' || q == b'\'') {
                return quoted(s, pos + 1);
            }
            let mut p = pos + 1;
            while p < s.len() && continues_ident(s[p]) {
                p += 1;
            }
            (TokenKind::Ident, p)
        }
        DIGIT => (TokenKind::Number, number_end(s, pos)),
        QUOTE => quoted(s, pos),
        PUNCT => {
            if b == b'.' && s.get(pos + 1).is_some_and(u8::is_ascii_digit) {
                return (TokenKind::Number, number_end(s, pos));
            }
            let (p, n) = punct(s, pos);
            (TokenKind::Punct(p), pos + n)
        }
        _ => (TokenKind::Other, pos + 1),
    }
}

pub(super) fn number_end(s: &[u8], pos: usize) -> usize {
    let mut p = pos;
    while let Some(&b) = s.get(p) {
        if continues_ident(b) || b == b'.' {
            p += 1;
            if matches!(b, b'e' | b'E' | b'p' | b'P') && s.get(p).is_some_and(|&c| c == b'+' || c == b'-') {
                p += 1;
            }
        } else {
            break;
        }
    }
    p
}

fn quoted(s: &[u8], open: usize) -> (TokenKind, usize) {
    let q = s[open];
    let mut p = open + 1;
    while let Some(&b) = s.get(p) {
        match b {
            _ if b == q => {
                let kind = if q == b'"' {
                    TokenKind::Str
                } else {
                    TokenKind::Char
                };
                return (kind, p + 1);
            }
            b'\\' if splice_end(s, p).is_some() => break,
            b'\\' if p + 1 < s.len() => p += 2,
            b'\n' | b'\r' => break,
            _ => p += 1,
        }
    }
    (TokenKind::Other, p.min(s.len()))
}

fn punct(s: &[u8], pos: usize) -> (Punct, usize) {
    use Punct::*;
    let at = |i: usize| s.get(pos + i).copied().unwrap_or(0);
    match (s[pos], at(1), at(2)) {
        (b'.', b'.', b'.') => (Ellipsis, 3),
        (b'<', b'<', b'=') => (ShlEq, 3),
        (b'>', b'>', b'=') => (ShrEq, 3),
        (b'%', b':', b'%') if at(3) == b':' => (HashHash, 4),
        (b'-', b'>', _) => (Arrow, 2),
        (b'+', b'+', _) => (PlusPlus, 2),
        (b'-', b'-', _) => (MinusMinus, 2),
        (b'&', b'&', _) => (AmpAmp, 2),
        (b'|', b'|', _) => (PipePipe, 2),
        (b'<', b'<', _) => (Shl, 2),
        (b'>', b'>', _) => (Shr, 2),
        (b'<', b'=', _) => (Le, 2),
        (b'>', b'=', _) => (Ge, 2),
        (b'=', b'=', _) => (EqEq, 2),
        (b'!', b'=', _) => (Ne, 2),
        (b'+', b'=', _) => (PlusEq, 2),
        (b'-', b'=', _) => (MinusEq, 2),
        (b'*', b'=', _) => (StarEq, 2),
        (b'/', b'=', _) => (SlashEq, 2),
        (b'%', b'=', _) => (PercentEq, 2),
        (b'&', b'=', _) => (AmpEq, 2),
        (b'|', b'=', _) => (PipeEq, 2),
        (b'^', b'=', _) => (CaretEq, 2),
        (b'#', b'#', _) => (HashHash, 2),
        (b'<', b':', _) => (LBracket, 2),
        (b':', b'>', _) => (RBracket, 2),
        (b'<', b'%', _) => (LBrace, 2),
        (b'%', b'>', _) => (RBrace, 2),
        (b'%', b':', _) => (Hash, 2),
        (b'(', ..) => (LParen, 1),
        (b')', ..) => (RParen, 1),
        (b'[', ..) => (LBracket, 1),
        (b']', ..) => (RBracket, 1),
        (b'{', ..) => (LBrace, 1),
        (b'}', ..) => (RBrace, 1),
        (b';', ..) => (Semi, 1),
        (b',', ..) => (Comma, 1),
        (b'.', ..) => (Dot, 1),
        (b':', ..) => (Colon, 1),
        (b'?', ..) => (Question, 1),
        (b'+', ..) => (Plus, 1),
        (b'-', ..) => (Minus, 1),
        (b'*', ..) => (Star, 1),
        (b'/', ..) => (Slash, 1),
        (b'%', ..) => (Percent, 1),
        (b'&', ..) => (Amp, 1),
        (b'|', ..) => (Pipe, 1),
        (b'^', ..) => (Caret, 1),
        (b'~', ..) => (Tilde, 1),
        (b'!', ..) => (Bang, 1),
        (b'<', ..) => (Lt, 1),
        (b'>', ..) => (Gt, 1),
        (b'=', ..) => (Eq, 1),
        _ => (Hash, 1),
    }
}

/// The lexer of one file that is being read.
pub(super) struct Lexer {
    pub(super) file: FileId,
    pub(super) text: Arc<str>,
    pub(super) pos: usize,
    /// The position of the start of an unterminated comment.
    pub(super) open_comment: Option<usize>,
    line_start: bool,
}

impl Lexer {
    pub(super) fn new(file: FileId, text: Arc<str>) -> Self {
        // A byte order mark counts as white space.
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer {
            file,
            text,
            pos,
            open_comment: None,
            line_start: true,
        }
    }

    pub(super) fn span(&self, lo: usize, hi: usize) -> Span {
        Span {
            file: self.file,
            lo: lo as u32,
            hi: hi as u32,
            origin: Origin::NONE,
        }
    }

    /// Skips white space and comments, and returns the flags of the token that follows. Stops before a line
    /// end if `in_directive`.
    fn skip_space(&mut self, in_directive: bool) -> u8 {
        let s = self.text.as_bytes();
        let mut p = self.pos;
        let mut flags = if self.line_start { TokenFlags::LINE } else { 0 };
        while let Some(&b) = s.get(p) {
            match class(b) {
                SPACE => {
                    flags |= TokenFlags::SPACE;
                    p += 1;
                }
                NEWLINE => {
                    if in_directive {
                        break;
                    }
                    flags = TokenFlags::LINE;
                    p += 1;
                }
                PUNCT if let Some((b'/', start)) = comment_start(s, p) => {
                    flags |= TokenFlags::SPACE;
                    p = start;
                    while let Some(&c) = s.get(p) {
                        if c == b'\\'
                            && let Some(end) = splice_end(s, p)
                        {
                            p = end;
                        } else if class(c) == NEWLINE {
                            break;
                        } else {
                            p += 1;
                        }
                    }
                }
                PUNCT if let Some((b'*', start)) = comment_start(s, p) => {
                    flags |= TokenFlags::SPACE;
                    match find_comment_end(s, start) {
                        Some(end) => p = end,
                        None => {
                            self.open_comment.get_or_insert(p);
                            p = s.len();
                        }
                    }
                }
                OTHER if b == b'\\' => match splice_end(s, p) {
                    Some(end) => {
                        flags |= TokenFlags::SPACE;
                        p = end;
                    }
                    None => break,
                },
                _ => break,
            }
        }
        self.pos = p;
        flags
    }

    /// Returns the next token, or `None` at the end of the file or, if `in_directive`, at the end of the
    /// line. Where line splices make the spelling differ from the file's text, the spelling is written into
    /// `spliced`.
    pub(super) fn next(&mut self, in_directive: bool, spliced: &mut String) -> Option<Raw> {
        let flags = self.skip_space(in_directive);
        let s = self.text.as_bytes();
        if self.pos >= s.len() || (in_directive && class(s[self.pos]) == NEWLINE) {
            return None;
        }
        self.line_start = false;
        let lo = self.pos;
        let (kind, hi) = scan(s, lo);
        if s.get(hi) == Some(&b'\\') && splice_end(s, hi).is_some() {
            let (kind, hi) = scan_spliced(s, lo, spliced);
            self.pos = hi;
            return Some(Raw {
                kind,
                lo,
                hi,
                flags,
                spliced: true,
            });
        }
        self.pos = hi;
        Some(Raw {
            kind,
            lo,
            hi,
            flags,
            spliced: false,
        })
    }

    /// Reads `<name>` or `"name"` if one of them comes next. Returns its range, or `Err` with the position of
    /// an opening character that is not closed on the same line.
    pub(super) fn header_name(&mut self) -> Option<Result<(usize, usize), usize>> {
        self.skip_space(true);
        let s = self.text.as_bytes();
        let lo = self.pos;
        let close = match s.get(lo)? {
            b'<' => b'>',
            b'"' => b'"',
            _ => return None,
        };
        let mut p = lo + 1;
        while let Some(&b) = s.get(p) {
            if b == close {
                self.pos = p + 1;
                return Some(Ok((lo, p + 1)));
            }
            if class(b) == NEWLINE {
                break;
            }
            p += 1;
        }
        Some(Err(lo))
    }

    /// Moves to the end of the line. The lexer must be inside a directive.
    pub(super) fn skip_line(&mut self) {
        let mut spliced = String::new();
        while self.next(true, &mut spliced).is_some() {}
        self.line_start = true;
    }

    /// Returns the rest of a directive's line: line splices are removed, white space is trimmed, comments are
    /// kept.
    pub(super) fn rest_of_line(&mut self) -> String {
        let s = self.text.as_bytes();
        let mut out = Vec::new();
        let mut p = self.pos;
        while let Some(&b) = s.get(p) {
            if let Some(end) = splice_end(s, p) {
                p = end;
            } else if class(b) == NEWLINE {
                break;
            } else {
                out.push(b);
                p += 1;
            }
        }
        self.pos = p;
        String::from_utf8_lossy(&out).trim().to_string()
    }

    /// In a group that is skipped, moves past the next `#` that begins a line. Returns the position of the
    /// `#`, or `None` at the end of the file.
    pub(super) fn skip_to_hash(&mut self) -> Option<usize> {
        loop {
            let flags = self.skip_space(false);
            let s = self.text.as_bytes();
            let b = *s.get(self.pos)?;
            self.line_start = false;
            if flags & TokenFlags::LINE != 0 && b == b'#' && s.get(self.pos + 1) != Some(&b'#') {
                self.pos += 1;
                return Some(self.pos - 1);
            }
            // Skips the rest of the line. A comment start inside quotes does not start a comment.
            let mut p = self.pos;
            while let Some(&b) = s.get(p) {
                match class(b) {
                    NEWLINE => break,
                    PUNCT if comment_start(s, p).is_some() => break,
                    QUOTE => p = quoted(s, p).1.max(p + 1),
                    OTHER if b == b'\\' => p = splice_end(s, p).unwrap_or(p + 1),
                    _ => p += 1,
                }
            }
            self.pos = p;
        }
    }
}

/// Returns the tokens of a part of a file that contains neither names nor line splices, such as a table.
pub(super) fn tokens_of(map: &SourceMap, part: Span) -> Vec<Token> {
    let mut lexer = Lexer::new(part.file, map.file(part.file).text.clone());
    lexer.pos = part.lo as usize;
    lexer.line_start = false;
    let mut list = Vec::new();
    while let Some(raw) = lexer.next(false, &mut String::new())
        && raw.hi <= part.hi as usize
    {
        let span = lexer.span(raw.lo, raw.hi);
        list.push(token(raw.kind, raw.flags, NO_ID, span, span));
    }
    list
}

fn find_comment_end(s: &[u8], mut p: usize) -> Option<usize> {
    loop {
        let star = s.get(p..)?.iter().position(|&b| b == b'*')? + p;
        let end = after_splices(s, star + 1);
        if s.get(end) == Some(&b'/') {
            return Some(end + 1);
        }
        p = star + 1;
    }
}

/// The token that [`Lexer::next`] found.
pub(super) struct Raw {
    pub(super) kind: TokenKind,
    pub(super) lo: usize,
    pub(super) hi: usize,
    pub(super) flags: u8,
    /// The spelling is in the string that was passed to [`Lexer::next`], not in the file.
    pub(super) spliced: bool,
}

/// Scans a token that has line splices in it or directly after it, and writes its text without splices into
/// `out`.
fn scan_spliced(s: &[u8], lo: usize, out: &mut String) -> (TokenKind, usize) {
    let mut clean: Vec<u8> = Vec::new();
    // The position in the file of each byte of `clean`.
    let mut from: Vec<usize> = Vec::new();
    let mut p = lo;
    // Lines are joined in batches of doubling size, so a token of very many lines takes linear time.
    let mut batch = 1;
    loop {
        let mut splices = 0;
        let mut more = false;
        while let Some(&b) = s.get(p) {
            if let Some(end) = splice_end(s, p) {
                p = end;
                splices += 1;
                more = splices == batch;
                if more {
                    break;
                }
                continue;
            }
            if class(b) == NEWLINE {
                break;
            }
            clean.push(b);
            from.push(p);
            p += 1;
        }
        batch *= 2;
        let (kind, end) = scan(&clean, 0);
        if end < clean.len() || !more {
            let hi = from.get(end).copied().unwrap_or(p);
            // The file's text is valid UTF-8, so only a token of kind `Other` can end inside a character.
            out.clear();
            out.push_str(&String::from_utf8_lossy(&clean[..end]));
            // A splice after the token is left for `skip_space`.
            let hi = if end > 0 { from[end - 1] + 1 } else { hi };
            return (kind, hi);
        }
    }
}

/// Builds a token from its parts.
pub(super) fn token(kind: TokenKind, flags: u8, id: u32, span: Span, spelling: Span) -> Token {
    Token {
        kind,
        flags: TokenFlags(flags),
        id,
        span,
        spelling,
    }
}
