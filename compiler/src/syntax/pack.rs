//! `#pragma pack` (MSVC's, gcc's and clang's) sets the greatest alignment of structure members. It applies to
//! structures defined after it, up to the next such pragma; `push` and `pop` save values on a stack.
//!
//! A wrong pragma gets clang's warning and has no effect.

use crate::diag::{Diag, Diags};
use crate::pp::literal::{self, Number};
use crate::source::Span;

const WRONG_VALUE: &str = "expected #pragma pack parameter to be '1', '2', '4', '8', or '16'";
const MALFORMED: &str = "expected integer or identifier in '#pragma pack' - ignored";

/// The request of a pragma. Values are alignments; 0 is the default layout.
#[derive(PartialEq, Eq, Debug)]
enum Request<'t> {
    /// `pack()`
    Reset,
    /// `pack(n)`
    Set(u32),
    /// `pack(show)`
    Show,
    /// `pack(push)`, `pack(push, n)`, `pack(push, label)`, `pack(push, label, n)`
    Push(Option<&'t str>, Option<u32>),
    /// `pop`, with the same forms.
    Pop(Option<&'t str>, Option<u32>),
}

/// A value that `push` has saved.
struct Kept {
    label: String,
    value: u32,
    at: Span,
}

/// The pragmas of a source, in order.
#[derive(Default)]
pub(super) struct Packs {
    now: u32,
    stack: Vec<Kept>,
    /// The changes of the value: the token of each pragma, and the value after it.
    changes: Vec<(usize, u32)>,
    /// The last pragma that set a value.
    set_at: Option<Span>,
}

impl Packs {
    /// Reads the text of a pragma and ignores pragmas other than `pack`.
    pub(super) fn see(&mut self, token: usize, text: &str, at: Span, diags: &mut Diags) {
        let words = words(text);
        let Some((&"pack", rest)) = words.split_first() else {
            return;
        };
        match parse(rest) {
            Ok(request) => self.act(request, at, diags),
            Err(message) => diags.warning(at, message),
        }
        if self.changes.last().map_or(0, |c| c.1) != self.now {
            self.changes.push((token, self.now));
        }
    }

    fn act(&mut self, request: Request<'_>, at: Span, diags: &mut Diags) {
        match request {
            Request::Reset => self.set(0, at),
            Request::Set(n) => self.set(n, at),
            Request::Show => {
                // As in clang, the default layout is reported as the largest alignment, 8.
                let value = if self.now == 0 { 8 } else { self.now };
                diags.warning(at, format!("value of #pragma pack(show) == {value}"));
            }
            Request::Push(label, n) => {
                let label = label.unwrap_or_default().to_string();
                let value = self.now;
                self.stack.push(Kept { label, value, at });
                if let Some(n) = n {
                    self.set(n, at);
                }
            }
            Request::Pop(label, n) => {
                if label.is_some() && n.is_some() {
                    let message = "specifying both a name and alignment to 'pop' is undefined";
                    diags.warning(at, message);
                }
                if self.stack.is_empty() {
                    diags.warning(at, "#pragma pack(pop, ...) failed: stack empty");
                }
                let found = match label {
                    Some(label) => self.stack.iter().rposition(|k| k.label == label),
                    None => self.stack.len().checked_sub(1),
                };
                if let Some(found) = found {
                    self.now = self.stack[found].value;
                    self.stack.truncate(found);
                }
                if let Some(n) = n {
                    self.set(n, at);
                }
            }
        }
    }

    fn set(&mut self, value: u32, at: Span) {
        self.now = value;
        self.set_at = Some(at);
    }

    /// Warns about values that were pushed and never popped.
    pub(super) fn end(&self, diags: &mut Diags) {
        for (i, kept) in self.stack.iter().rev().enumerate() {
            let message = "unterminated '#pragma pack (push, ...)' at end of file";
            let mut d = Diag::warning(kept.at, message);
            if let (0, 0, Some(at)) = (i, self.now, self.set_at) {
                let note = "did you intend to use '#pragma pack (pop)' instead of '#pragma pack()'?";
                d = d.note(at, note);
            }
            diags.push(d);
        }
    }

    /// Returns the value at a token.
    pub(super) fn at(&self, token: usize) -> u32 {
        let next = self.changes.partition_point(|c| c.0 < token);
        next.checked_sub(1).map_or(0, |i| self.changes[i].1)
    }
}

/// Splits the text into words: names and numbers are whole, and every other character is a word of its own.
fn words(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, tail) = rest.split_at(len);
        words.push(word);
        rest = tail.trim_start();
    }
    words
}

/// Parses the words that follow `pack`.
fn parse<'t>(words: &[&'t str]) -> Result<Request<'t>, &'static str> {
    let Some((&"(", mut rest)) = words.split_first() else {
        return Err("missing '(' after '#pragma pack' - ignoring");
    };
    let mut next = || {
        let (first, tail) = rest.split_first()?;
        rest = tail;
        Some(*first)
    };
    // Clang checks the value only after everything else is found correct.
    let mut end = next();
    let mut label = None;
    let mut number = None;
    let action = end;
    match action {
        Some(word) if is_number(word) => {
            number = Some(word);
            end = next();
        }
        Some("show") => end = next(),
        Some("push" | "pop") => {
            end = next();
            if end == Some(",") {
                let word = next().ok_or(MALFORMED)?;
                end = next();
                if is_name(word) {
                    label = Some(word);
                    if end == Some(",") {
                        number = Some(next().filter(|w| is_number(w)).ok_or(MALFORMED)?);
                        end = next();
                    }
                } else if is_number(word) {
                    number = Some(word);
                } else {
                    return Err(MALFORMED);
                }
            }
        }
        Some(word) if is_name(word) => return Err("unknown action for '#pragma pack' - ignored"),
        _ => {}
    }
    if end != Some(")") {
        return Err("missing ')' after '#pragma pack' - ignoring");
    }
    if next().is_some() {
        return Err("extra tokens at end of '#pragma pack' - ignored");
    }
    let number = number.map(value).transpose()?;
    Ok(match (action, number) {
        (Some("show"), _) => Request::Show,
        (Some("push"), n) => Request::Push(label, n),
        (Some("pop"), n) => Request::Pop(label, n),
        (_, Some(n)) => Request::Set(n),
        (_, None) => Request::Reset,
    })
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Returns an alignment; 0 stands for the default layout.
fn value(word: &str) -> Result<u32, &'static str> {
    match literal::number(word) {
        Ok(Number::Int(i)) if matches!(i.value, 0 | 1 | 2 | 4 | 8 | 16) => Ok(i.value as u32),
        _ => Err(WRONG_VALUE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests() {
        let cases = [
            ("()", Request::Reset),
            ("(4)", Request::Set(4)),
            ("( 0x10u )", Request::Set(16)),
            ("(0)", Request::Set(0)),
            ("(show)", Request::Show),
            ("(push)", Request::Push(None, None)),
            ("(push, 1)", Request::Push(None, Some(1))),
            ("(push,r1,16)", Request::Push(Some("r1"), Some(16))),
            ("(pop)", Request::Pop(None, None)),
            ("(pop, r1)", Request::Pop(Some("r1"), None)),
            ("(pop, 2)", Request::Pop(None, Some(2))),
        ];
        for (text, request) in cases {
            assert_eq!(parse(&words(text)), Ok(request), "{text}");
        }
    }

    #[test]
    fn values_hold_from_their_token_on() {
        let mut packs = Packs::default();
        let mut diags = Diags::default();
        let list = [
            (2, "pack(push, 1)"),
            (5, "pack(push, name, 4)"),
            (7, "unroll 4"),
            (9, "pack(push, 2)"),
            (12, "pack(pop, nobody)"),
            (14, "pack(pop, name)"),
            (20, "pack(pop)"),
        ];
        for (token, text) in list {
            packs.see(token, text, Span::NONE, &mut diags);
        }
        packs.end(&mut diags);
        assert!(diags.is_empty());
        let expected = [
            (0, 0),
            (2, 0),
            (3, 1),
            (6, 4),
            (8, 4),
            (10, 2),
            (13, 2),
            (15, 1),
            (21, 0),
        ];
        for (token, value) in expected {
            assert_eq!(packs.at(token), value, "at {token}");
        }
    }
}
