//! Formatting of floating-point numbers as in C. Rust's formatting is exact and rounds half to even, as C's
//! does.

/// Formats a value that is not negative, as the letter (`a`, `e`, `f` or `g`) demands, without sign and
/// padding.
pub(super) fn magnitude(v: f64, letter: u8, precision: Option<usize>, alternate: bool) -> String {
    if v.is_nan() {
        return "nan".into();
    }
    if v.is_infinite() {
        return "inf".into();
    }
    match letter {
        b'a' => hexadecimal(v, precision, alternate),
        b'e' => exponential(v, precision.unwrap_or(6), alternate),
        b'g' => shortest(v, precision.unwrap_or(6).max(1), alternate),
        _ => fixed(v, precision.unwrap_or(6), alternate),
    }
}

fn fixed(v: f64, precision: usize, alternate: bool) -> String {
    let point = if alternate && precision == 0 { "." } else { "" };
    format!("{v:.precision$}{point}")
}

/// Returns the digits, with one before the point, and the decimal exponent.
fn decimal(v: f64, precision: usize) -> (String, i32) {
    let text = format!("{v:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn exponential(v: f64, precision: usize, alternate: bool) -> String {
    let (digits, exponent) = decimal(v, precision);
    let point = if alternate && precision == 0 { "." } else { "" };
    with_exponent(&format!("{digits}{point}"), exponent)
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Formats for `%g`: with as many significant digits as the precision, and trailing zeros only with `#`.
fn shortest(v: f64, precision: usize, alternate: bool) -> String {
    let (digits, exponent) = decimal(v, precision - 1);
    let in_range = exponent >= -4 && i64::from(exponent) < precision as i64;
    let mut text = if in_range {
        let after_point = (precision as i64 - 1 - i64::from(exponent)).max(0) as usize;
        fixed(v, after_point, alternate)
    } else if alternate && precision == 1 {
        format!("{digits}.")
    } else {
        digits
    };
    if !alternate && text.contains('.') {
        let kept = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(kept);
    }
    if in_range {
        text
    } else {
        with_exponent(&text, exponent)
    }
}

/// Formats for `%a`: a normalised hexadecimal number. Without a precision it has all digits but trailing zeros.
fn hexadecimal(v: f64, precision: Option<usize>, alternate: bool) -> String {
    const FRACTION: u32 = 52;
    let bits = v.to_bits();
    let mut fraction = bits & ((1 << FRACTION) - 1);
    let mut exponent = (bits >> FRACTION) as i32 - 1023;
    if exponent == -1023 {
        if fraction == 0 {
            exponent = 0;
        } else {
            // glibc writes subnormal numbers with 0 before the point.
            exponent = -1022;
        }
    } else {
        fraction |= 1 << FRACTION;
    }
    let mut digits = 13;
    match precision {
        Some(p) if p < 13 => {
            let drop = 4 * (13 - p as u32);
            let (rest, half) = (fraction & ((1 << drop) - 1), 1 << (drop - 1));
            fraction >>= drop;
            if rest > half || (rest == half && fraction & 1 == 1) {
                fraction += 1;
            }
            digits = p;
        }
        Some(_) => {}
        None => {
            while digits > 0 && fraction & 15 == 0 {
                fraction >>= 4;
                digits -= 1;
            }
        }
    }
    let lead = fraction >> (4 * digits);
    let after_point = fraction & ((1u64 << (4 * digits)) - 1);
    let mut text = format!("0x{lead}");
    let width = precision.unwrap_or(digits);
    if width > 0 || alternate {
        text.push('.');
    }
    if digits > 0 {
        text.push_str(&format!("{after_point:0digits$x}"));
    }
    text.push_str(&"0".repeat(width.saturating_sub(digits)));
    format!("{text}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general() {
        let g = |v, p| magnitude(v, b'g', p, false);
        assert_eq!(g(100000.0, None), "100000");
        assert_eq!(g(1000000.0, None), "1e+06");
        assert_eq!(g(0.0001, None), "0.0001");
        assert_eq!(g(0.00001, None), "1e-05");
        assert_eq!(g(0.0, None), "0");
        assert_eq!(g(9.9999999, Some(3)), "10");
        assert_eq!(g(999999.5, None), "1e+06");
        assert_eq!(g(123.456, Some(0)), "1e+02");
        assert_eq!(g(1e100, None), "1e+100");
        assert_eq!(magnitude(1.0, b'g', None, true), "1.00000");
        assert_eq!(magnitude(100000.0, b'g', Some(6), true), "100000.");
        assert_eq!(magnitude(100.0, b'g', Some(1), true), "1.e+02");
    }

    #[test]
    fn exponents() {
        assert_eq!(magnitude(0.0, b'e', None, false), "0.000000e+00");
        assert_eq!(magnitude(2.5, b'e', Some(0), false), "2e+00");
        assert_eq!(magnitude(2.5, b'e', Some(0), true), "2.e+00");
        assert_eq!(magnitude(1e-310, b'e', Some(2), false), "1.00e-310");
    }

    #[test]
    fn hexadecimals() {
        let a = |v, p| magnitude(v, b'a', p, false);
        assert_eq!(a(0.0, None), "0x0p+0");
        assert_eq!(a(1.0, None), "0x1p+0");
        assert_eq!(a(0.1, None), "0x1.999999999999ap-4");
        assert_eq!(a(10.0, Some(2)), "0x1.40p+3");
        assert_eq!(a(1.96875, Some(1)), "0x2.0p+0");
        assert_eq!(a(1.5, Some(0)), "0x2p+0");
        assert_eq!(a(1.0, Some(15)), "0x1.000000000000000p+0");
        assert_eq!(magnitude(1.0, b'a', Some(0), true), "0x1.p+0");
        assert_eq!(a(5e-324, None), "0x0.0000000000001p-1022");
    }
}
