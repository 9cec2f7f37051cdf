//! The pragmas of OpenCL C (6.9, 6.11) and the unroll hints that every implementation accepts.

/// A pragma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pragma {
    /// `OPENCL FP_CONTRACT` (also `STDC`): on or off, or `None` for the default.
    FpContract(Option<bool>),
    /// `OPENCL EXTENSION name : behavior`, which the preprocessor handles.
    Extension,
    /// `unroll`, `unroll n`, `unroll(n)`; the factor is 0 without a number, and 1 for `nounroll`.
    Unroll(u32),
    /// `unroll name`, where the name is that of a constant.
    UnrollName(String),
    /// A pragma without effect. Unknown pragmas are ignored too, because they may be meant for other tools.
    Ignored,
    /// A wrong pragma, with the warning.
    Wrong(String),
}

/// The warning for an unroll hint without a loop.
pub(super) const NO_LOOP: &str =
    "expected a for, while, or do-while loop to follow '#pragma unroll' - ignored";

/// Parses the text that follows `#pragma`.
pub(super) fn parse(text: &str) -> Pragma {
    let mut words = text
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ':'))
        .filter(|w| !w.is_empty());
    match words.next() {
        Some("OPENCL" | "STDC") => match (words.next(), words.next()) {
            (Some("FP_CONTRACT"), Some("ON")) => Pragma::FpContract(Some(true)),
            (Some("FP_CONTRACT"), Some("OFF")) => Pragma::FpContract(Some(false)),
            (Some("FP_CONTRACT"), Some("DEFAULT")) => Pragma::FpContract(None),
            (Some("FP_CONTRACT"), _) => Pragma::Wrong("expected 'ON' or 'OFF' or 'DEFAULT' in pragma".into()),
            (Some("EXTENSION"), _) => Pragma::Extension,
            (Some("FENV_ACCESS" | "CX_LIMITED_RANGE"), _) => Pragma::Ignored,
            _ => Pragma::Wrong("unknown pragma ignored".into()),
        },
        Some("unroll") => count("unroll", &text["unroll".len()..]),
        Some("nounroll") if text.trim() != "nounroll" => extra("nounroll"),
        Some("nounroll") => Pragma::Unroll(1),
        Some("GCC") => match (words.next(), words.next()) {
            (Some("unroll"), Some(n)) => count("unroll", n),
            (Some("unroll"), None) => Pragma::Unroll(0),
            _ => Pragma::Ignored,
        },
        Some("clang") => match (words.next(), words.next(), words.next()) {
            (Some("loop"), Some("unroll_count"), n) => count("clang loop", n.unwrap_or("")),
            (Some("loop"), Some("unroll"), Some("full" | "enable")) => Pragma::Unroll(0),
            (Some("loop"), Some("unroll"), Some("disable")) => Pragma::Unroll(1),
            _ => Pragma::Ignored,
        },
        _ => Pragma::Ignored,
    }
}

fn extra(name: &str) -> Pragma {
    Pragma::Wrong(format!("extra tokens at end of '#pragma {name}' - ignored"))
}

/// Parses the factor of `unroll`, with or without parentheses.
fn count(name: &str, text: &str) -> Pragma {
    let text = text.trim();
    let inner = match text.strip_prefix('(') {
        Some(rest) => match rest.strip_suffix(')') {
            Some(inner) => inner.trim(),
            None => return Pragma::Wrong("expected ')'".into()),
        },
        None => text,
    };
    if inner.is_empty() {
        return Pragma::Unroll(0);
    }
    if inner.split_whitespace().count() > 1 {
        return extra(name);
    }
    let letter = |c: char| c.is_alphanumeric() || c == '_';
    if !inner.starts_with(|c: char| c.is_ascii_digit()) && inner.chars().all(letter) {
        return Pragma::UnrollName(inner.into());
    }
    let digits = inner.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    match value {
        Some(n) if n > 0 => Pragma::Unroll(n),
        _ => Pragma::Wrong(format!(
            "invalid value '{inner}' in '#pragma {name}'; must be positive - ignored"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas() {
        assert_eq!(parse("OPENCL EXTENSION cl_khr_fp64 : enable"), Pragma::Extension);
        assert_eq!(parse("OPENCL FP_CONTRACT OFF"), Pragma::FpContract(Some(false)));
        assert_eq!(parse("unroll"), Pragma::Unroll(0));
        assert_eq!(parse("unroll 8"), Pragma::Unroll(8));
        assert_eq!(parse("unroll(4)"), Pragma::Unroll(4));
        assert_eq!(parse("unroll (4u)"), Pragma::Unroll(4));
        assert_eq!(parse("clang loop unroll_count(3)"), Pragma::Unroll(3));
        assert_eq!(parse("unroll()"), Pragma::Unroll(0));
        assert_eq!(parse("nonsense 1"), Pragma::Ignored);
        for wrong in [
            "OPENCL nonsense",
            "unroll 0",
            "unroll -1",
            "unroll 4 5",
            "unroll (4",
            "nounroll 2",
            "unroll 3x",
        ] {
            assert!(matches!(parse(wrong), Pragma::Wrong(_)), "{wrong}");
        }
    }
}
