//! The pragmas that OpenCL C has (6.9, 6.11 and the unroll hints that every implementation takes).

/// A pragma.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pragma {
    /// `OPENCL FP_CONTRACT` (also `STDC`): on, off; `None`: default.
    FpContract(Option<bool>),
    /// `OPENCL EXTENSION name : behavior`
    Extension,
    /// `unroll`, `unroll n`, `unroll(n)`; 0 without a number, 1 for `nounroll`.
    Unroll(u32),
    /// One that is understood to have no effect.
    Ignored,
    /// Not understood.
    Unknown,
}

/// Parses what follows `#pragma`.
pub(super) fn parse(text: &str) -> Pragma {
    let mut words = text
        .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ':'))
        .filter(|w| !w.is_empty());
    let number = |w: Option<&str>| {
        let w = w.unwrap_or("0").trim_end_matches(['u', 'U', 'l', 'L']);
        match w.strip_prefix("0x") {
            Some(h) => u32::from_str_radix(h, 16).unwrap_or(0),
            None => w.parse().unwrap_or(0),
        }
    };
    match words.next() {
        Some("OPENCL" | "STDC") => match (words.next(), words.next()) {
            (Some("FP_CONTRACT"), Some("ON")) => Pragma::FpContract(Some(true)),
            (Some("FP_CONTRACT"), Some("OFF")) => Pragma::FpContract(Some(false)),
            (Some("FP_CONTRACT"), Some("DEFAULT")) => Pragma::FpContract(None),
            (Some("EXTENSION"), _) => Pragma::Extension,
            (Some("FENV_ACCESS" | "CX_LIMITED_RANGE"), _) => Pragma::Ignored,
            _ => Pragma::Unknown,
        },
        Some("unroll") => Pragma::Unroll(number(words.next())),
        Some("nounroll") => Pragma::Unroll(1),
        Some("GCC") => match words.next() {
            Some("unroll") => Pragma::Unroll(number(words.next())),
            _ => Pragma::Ignored,
        },
        Some("clang") => match (words.next(), words.next(), words.next()) {
            (Some("loop"), Some("unroll_count"), n) => Pragma::Unroll(number(n)),
            (Some("loop"), Some("unroll"), Some("full" | "enable")) => Pragma::Unroll(0),
            (Some("loop"), Some("unroll"), Some("disable")) => Pragma::Unroll(1),
            _ => Pragma::Ignored,
        },
        None => Pragma::Ignored,
        Some("mark" | "message" | "region" | "endregion") => Pragma::Ignored,
        Some(_) => Pragma::Unknown,
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
        assert_eq!(parse("nonsense"), Pragma::Unknown);
    }
}
