//! Conversion specifications (CL 6.12.13.2) for integers, characters, strings, pointers and vectors, and
//! padding.

use caldera_compiler::half;
use caldera_compiler::printf::{Conversion, Length};

use super::float;

/// Returns a little-endian number of at most 8 bytes.
pub(super) fn unsigned(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    let n = bytes.len().min(8);
    all[..n].copy_from_slice(&bytes[..n]);
    u64::from_le_bytes(all)
}

/// Sign-extends the lowest `bytes` bytes of a value.
fn extended(value: u64, bytes: usize) -> i64 {
    let shift = 64 - 8 * bytes.clamp(1, 8);
    (value << shift) as i64 >> shift
}

/// Returns the lowest `bytes` bytes of a value.
fn truncated(value: u64, bytes: usize) -> u64 {
    let shift = 64 - 8 * bytes.clamp(1, 8);
    value << shift >> shift
}

/// Formats an argument that is not a string.
pub(super) fn argument(out: &mut Vec<u8>, c: &Conversion, arg: &[u8]) {
    if c.lanes == 1 {
        scalar(out, c, arg);
        return;
    }
    // The elements are packed in memory; the length modifier must state their size.
    let size = match c.length {
        Length::Char => 1,
        Length::Short => 2,
        Length::Word => 4,
        Length::Long => 8,
        Length::None => arg.len() / c.lanes,
    };
    let size = size.min(arg.len() / c.lanes).max(1);
    for (i, lane) in arg.chunks(size).take(c.lanes).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        scalar(out, c, lane);
    }
}

/// Formats a scalar, or an element of a vector.
fn scalar(out: &mut Vec<u8>, c: &Conversion, arg: &[u8]) {
    let size = match c.length {
        Length::Char => 1,
        Length::Short => 2,
        Length::Word | Length::None => 4,
        Length::Long => 8,
    };
    let size = size.min(arg.len());
    let value = unsigned(arg);
    match c.letter {
        b'd' | b'i' => {
            let v = extended(value, size);
            number(
                out,
                c,
                sign(c, v < 0),
                &digits(c, v.unsigned_abs().to_string()),
                c.precision.is_none(),
            );
        }
        b'u' => {
            let v = truncated(value, size);
            number(out, c, "", &digits(c, v.to_string()), c.precision.is_none());
        }
        b'o' => {
            let mut text = digits(c, format!("{:o}", truncated(value, size)));
            if c.alternate && !text.starts_with('0') {
                text.insert(0, '0');
            }
            number(out, c, "", &text, c.precision.is_none());
        }
        b'x' | b'X' => {
            let v = truncated(value, size);
            let lower = c.letter == b'x';
            let text = if lower { format!("{v:x}") } else { format!("{v:X}") };
            let prefix = match (c.alternate && v != 0, lower) {
                (false, _) => "",
                (true, true) => "0x",
                (true, false) => "0X",
            };
            number(out, c, prefix, &digits(c, text), c.precision.is_none());
        }
        b'c' => pad(out, c, &[value as u8]),
        b'p' => pad(out, c, format!("{value:#x}").as_bytes()),
        _ => float(out, c, arg),
    }
}

fn float(out: &mut Vec<u8>, c: &Conversion, arg: &[u8]) {
    let v = match arg.len() {
        2 => half::to_f64(unsigned(arg) as u16),
        8 => f64::from_bits(unsigned(arg)),
        _ => f64::from(f32::from_bits(unsigned(arg) as u32)),
    };
    // The sign of a NaN has no meaning.
    let sign = sign(c, v.is_sign_negative() && !v.is_nan());
    let upper = c.letter.is_ascii_uppercase();
    let mut text = float::magnitude(v.abs(), c.letter.to_ascii_lowercase(), c.precision, c.alternate);
    let mut prefix = sign.to_owned();
    if let Some(hex) = text.strip_prefix("0x") {
        prefix.push_str("0x");
        text = hex.to_owned();
    }
    if upper {
        text.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    number(out, c, &prefix, &text, v.is_finite());
}

fn sign(c: &Conversion, negative: bool) -> &'static str {
    match (negative, c.plus, c.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// Pads an integer's digits to the precision; zero with precision 0 has no digits.
fn digits(c: &Conversion, text: String) -> String {
    match c.precision {
        Some(0) if text == "0" => String::new(),
        Some(n) => format!("{text:0>n$}"),
        None => text,
    }
}

/// Appends a number with padding, which consists of zeros between prefix and digits if the flag is set and
/// `zeros` allows it.
fn number(out: &mut Vec<u8>, c: &Conversion, prefix: &str, digits: &str, zeros: bool) {
    let length = prefix.len() + digits.len();
    let fill = if c.zero && !c.left && zeros {
        c.width.saturating_sub(length)
    } else {
        0
    };
    let text = format!("{prefix}{:0<fill$}{digits}", "");
    pad(out, c, text.as_bytes());
}

/// Appends a string, truncated to the precision in bytes.
pub(super) fn string(out: &mut Vec<u8>, c: &Conversion, text: &[u8]) {
    let n = c.precision.unwrap_or(usize::MAX).min(text.len());
    pad(out, c, &text[..n]);
}

fn pad(out: &mut Vec<u8>, c: &Conversion, text: &[u8]) {
    let fill = c.width.saturating_sub(text.len());
    if !c.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(text);
    if c.left {
        out.resize(out.len() + fill, b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use caldera_compiler::printf::{Piece, pieces};

    fn print(format: &str, arg: &[u8]) -> String {
        let mut out = Vec::new();
        for piece in pieces(format.as_bytes()) {
            match piece {
                Piece::Text(t) => out.extend_from_slice(t),
                Piece::Conversion(c) if c.letter == b's' => string(&mut out, &c, arg),
                Piece::Conversion(c) => argument(&mut out, &c, arg),
            }
        }
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn integers() {
        let int = |f: &str, v: i32| print(f, &v.to_le_bytes());
        assert_eq!(int("%d", -5), "-5");
        assert_eq!(int("[%5d]", 42), "[   42]");
        assert_eq!(int("[%-5d]", 42), "[42   ]");
        assert_eq!(int("%05d", -42), "-0042");
        assert_eq!(int("%05.3d", 42), "  042");
        assert_eq!(int("%-05d|", 42), "42   |");
        assert_eq!(int("%+d", 42), "+42");
        assert_eq!(int("% d", 42), " 42");
        assert_eq!(int("%.0d", 0), "");
        assert_eq!(int("%+.0d", 0), "+");
        assert_eq!(int("%i", i32::MIN), "-2147483648");
        assert_eq!(int("%u", -1), "4294967295");
        assert_eq!(int("%hhd", 0x1ff), "-1");
        assert_eq!(int("%hu", -1), "65535");
        assert_eq!(int("%#x", 0xabc), "0xabc");
        assert_eq!(int("%#X", 0xabc), "0XABC");
        assert_eq!(int("%#x", 0), "0");
        assert_eq!(int("%#08x", 0xabc), "0x000abc");
        assert_eq!(int("%#o", 8), "010");
        assert_eq!(int("%#o", 0), "0");
        assert_eq!(int("%#.0o", 0), "0");
        assert_eq!(int("%.3o", 8), "010");
        assert_eq!(int("[%3c]", 65), "[  A]");
        assert_eq!(print("%ld", &i64::MIN.to_le_bytes()), "-9223372036854775808");
        assert_eq!(print("%lx", &u64::MAX.to_le_bytes()), "ffffffffffffffff");
        assert_eq!(print("%p", &0x1000u64.to_le_bytes()), "0x1000");
    }

    #[test]
    fn strings() {
        assert_eq!(print("[%5.2s]", b"foo"), "[   fo]");
        assert_eq!(print("[%-5s]", b"foo"), "[foo  ]");
        assert_eq!(print("%.0s", b"foo"), "");
    }

    #[test]
    fn vectors() {
        let bytes = |v: &[i16]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        assert_eq!(print("%v3hd", &bytes(&[1, -2, 3])), "1,-2,3");
        assert_eq!(print("%03v2hx", &bytes(&[16, -1])), "010,ffff");
        let floats = [1.5f32, -2.0, 0.25, 1e10];
        let bytes: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(print("%v4hlg", &bytes), "1.5,-2,0.25,1e+10");
        assert_eq!(print("%5.1v4hlf", &bytes), "  1.5, -2.0,  0.2,10000000000.0");
        assert_eq!(print("%v2hhu", &[255, 1]), "255,1");
        assert_eq!(print("%v2hf", &[0, 0x3c, 0, 0xc0]), "1.000000,-2.000000");
    }

    #[test]
    fn floats() {
        let f = |f: &str, v: f64| print(f, &v.to_le_bytes());
        assert_eq!(f("%f", 10.3456), "10.345600");
        assert_eq!(f("%.2f", 10.3456), "10.35");
        assert_eq!(f("%08.2f", -10.3456), "-0010.35");
        assert_eq!(f("%+-10.2f|", 10.3456), "+10.35    |");
        assert_eq!(f("%.0f", 0.5), "0");
        assert_eq!(f("%#.0f", 1.5), "2.");
        assert_eq!(f("%E", 12345.678), "1.234568E+04");
        assert_eq!(f("%08f", f64::INFINITY), "     inf");
        assert_eq!(f("%F", f64::NEG_INFINITY), "-INF");
        assert_eq!(f("%f", f64::NAN), "nan");
        assert_eq!(f("%A", 10.0), "0X1.4P+3");
        assert_eq!(f("%010a", -1.0), "-0x0001p+0");
        assert_eq!(print("%f", &1.5f32.to_le_bytes()), "1.500000");
    }
}
