//! JSON, as far as results and captures need it.

use std::fmt::Write;

/// Appends a text as a string of JSON.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends the elements of an array; `element` appends one of them.
pub(crate) fn array<T>(
    out: &mut String,
    list: impl IntoIterator<Item = T>,
    mut element: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (n, item) in list.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        element(out, item);
    }
    out.push(']');
}

/// Appends a number, or `null`.
pub(super) fn number(out: &mut String, value: Option<u64>) {
    let _ = match value {
        Some(value) => write!(out, "{value}"),
        None => write!(out, "null"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        let mut out = String::new();
        array(&mut out, ["a\"b\\c", "\n\u{1}ü"], string);
        assert_eq!(out, r#"["a\"b\\c","\u000a\u0001ü"]"#);
    }

    #[test]
    fn numbers_may_be_absent() {
        let mut out = String::new();
        array(&mut out, [Some(3), None], number);
        assert_eq!(out, "[3,null]");
    }
}
