//! Values of literals (C99 6.4.4 and 6.4.5; OpenCL C 6.1 for `h`).
//!
//! The parser sees only placeholders, so all forms of OpenCL C that lang-c lacks are handled here.

/// An integer literal.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Int {
    pub(crate) value: u64,
    pub(crate) unsigned: bool,
    pub(crate) long: bool,
    pub(crate) decimal: bool,
    /// The value does not fit into 64 bits.
    pub(crate) overflow: bool,
}

/// A numeric literal.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Number {
    Int(Int),
    Float { value: f64, single: bool, half: bool },
}

/// Parses a preprocessing number. The error is the text of the diagnostic.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    if let Some(value) = plain_integer(text) {
        return Ok(Number::Int(value));
    }
    let lower = text.to_ascii_lowercase();
    match lower.as_str() {
        // These are the spellings in the definitions of INFINITY, NAN and HUGE_VAL.
        "0.inff" => return Ok(float(f64::INFINITY, true, false)),
        "0.nanf" => return Ok(float(f64::NAN, true, false)),
        "0.inf" => return Ok(float(f64::INFINITY, false, false)),
        _ => {}
    }
    let hex = lower.strip_prefix("0x");
    let is_float = match hex {
        Some(h) => h.contains(['.', 'p']),
        None => lower.contains('.') || (lower.contains('e') && !lower.starts_with("0b")),
    };
    if is_float {
        return match hex {
            Some(h) => hex_float(h),
            None => decimal_float(&lower),
        };
    }
    integer(&lower)
}

/// Parses the most frequent forms: decimal and hexadecimal digits without a suffix, of values that fit.
fn plain_integer(text: &str) -> Option<Int> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', _, ..] => return None,
        digits => (10, digits),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut value = 0u64;
    for &b in digits {
        value = value * u64::from(radix) + u64::from(char::from(b).to_digit(radix)?);
    }
    Some(Int {
        value,
        unsigned: false,
        long: false,
        decimal: radix == 10,
        overflow: false,
    })
}

fn float(value: f64, single: bool, half: bool) -> Number {
    Number::Float { value, single, half }
}

fn integer(lower: &str) -> Result<Number, String> {
    let (radix, digits) = if let Some(d) = lower.strip_prefix("0x") {
        (16, d)
    } else if let Some(d) = lower.strip_prefix("0b") {
        (2, d)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower)
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix.max(10)))
        .unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if radix < 10
        && let Some(bad) = digits.chars().find(|c| !c.is_digit(radix))
    {
        let kind = if radix == 8 { "octal" } else { "binary" };
        return Err(format!("invalid digit '{bad}' in {kind} constant"));
    }
    if digits.is_empty() && radix != 8 {
        return Err(format!("invalid suffix '{}' on integer constant", &lower[1..]));
    }
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return Err(format!("invalid suffix '{suffix}' on integer constant")),
    };
    let mut value = 0u64;
    let mut overflow = false;
    for d in digits.chars() {
        let d = u64::from(d.to_digit(radix).unwrap_or(0));
        match value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(d)) {
            Some(v) => value = v,
            None => overflow = true,
        }
    }
    Ok(Number::Int(Int {
        value,
        unsigned,
        long,
        decimal: radix == 10,
        overflow,
    }))
}

/// Returns `(single, half)` for a suffix.
fn float_suffix(suffix: &str) -> Result<(bool, bool), String> {
    match suffix {
        "" | "l" => Ok((false, false)),
        "f" => Ok((true, false)),
        "h" | "f16" => Ok((false, true)),
        _ => Err(format!("invalid suffix '{suffix}' on floating constant")),
    }
}

fn decimal_float(lower: &str) -> Result<Number, String> {
    let b = lower.as_bytes();
    let mut p = 0;
    let digits = |p: &mut usize| {
        let start = *p;
        while b.get(*p).is_some_and(u8::is_ascii_digit) {
            *p += 1;
        }
        *p > start
    };
    digits(&mut p);
    if b.get(p) == Some(&b'.') {
        p += 1;
        digits(&mut p);
    }
    if b.get(p) == Some(&b'e') {
        p += 1;
        if matches!(b.get(p), Some(b'+' | b'-')) {
            p += 1;
        }
        if !digits(&mut p) {
            return Err("exponent has no digits".into());
        }
    }
    let (single, half) = float_suffix(&lower[p..])?;
    let text = &lower[..p];
    // A `single` literal is rounded once, from the decimal digits to `f32`.
    let value = if single {
        text.parse::<f32>().map(f64::from)
    } else {
        text.parse::<f64>()
    };
    match value {
        Ok(value) => Ok(float(value, single, half)),
        Err(_) => Err("invalid floating constant".into()),
    }
}

fn hex_float(h: &str) -> Result<Number, String> {
    let b = h.as_bytes();
    let mut p = 0;
    let mut mantissa = 0u64;
    let mut exponent = 0i64;
    let mut any = false;
    let mut sticky = false;
    let mut after_point = false;
    while let Some(&c) = b.get(p) {
        if c == b'.' && !after_point {
            after_point = true;
        } else if let Some(d) = (c as char).to_digit(16) {
            any = true;
            if mantissa >> 60 == 0 {
                mantissa = mantissa << 4 | u64::from(d);
                exponent -= if after_point { 4 } else { 0 };
            } else {
                sticky |= d != 0;
                exponent += if after_point { 0 } else { 4 };
            }
        } else {
            break;
        }
        p += 1;
    }
    if b.get(p) != Some(&b'p') {
        return Err("hexadecimal floating constant requires an exponent".into());
    }
    if !any {
        return Err("hexadecimal floating constant requires a significand".into());
    }
    p += 1;
    let negative = b.get(p) == Some(&b'-');
    if matches!(b.get(p), Some(b'+' | b'-')) {
        p += 1;
    }
    let start = p;
    let mut e = 0i64;
    while let Some(d) = b.get(p).and_then(|c| (*c as char).to_digit(10)) {
        e = (e * 10 + i64::from(d)).min(1 << 40);
        p += 1;
    }
    if p == start {
        return Err("exponent has no digits".into());
    }
    let (single, half) = float_suffix(&h[p..])?;
    exponent += if negative { -e } else { e };
    let mantissa = mantissa | u64::from(sticky);
    let value = if single {
        round_binary(mantissa, exponent, 24, -149, 128)
    } else {
        round_binary(mantissa, exponent, 53, -1074, 1024)
    };
    Ok(float(value, single, half))
}

/// Returns `mantissa · 2^exponent` rounded to nearest even with `precision` bits. The lowest bit is
/// 2^`lowest`; values from 2^`highest` on become infinity.
fn round_binary(mantissa: u64, exponent: i64, precision: i64, lowest: i64, highest: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    let top = 64 - i64::from(mantissa.leading_zeros()) + exponent;
    let unit = (top - precision).max(lowest);
    let drop = unit - exponent;
    let (kept, unit) = if drop <= 0 {
        (mantissa, exponent)
    } else if drop > 64 {
        (0, unit)
    } else {
        let m = u128::from(mantissa);
        let kept = m >> drop;
        let rest = m & ((1 << drop) - 1);
        let half = 1u128 << (drop - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        ((kept + u128::from(up)) as u64, unit)
    };
    if kept == 0 {
        return 0.0;
    }
    if 64 - i64::from(kept.leading_zeros()) + unit > highest {
        return f64::INFINITY;
    }
    // This is exact: `kept` has at most 53 significant bits, and the scaling takes two steps for subnormals.
    let scale = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
    let first = unit.clamp(-1000, 900);
    kept as f64 * scale(first) * scale((unit - first).clamp(-1000, 1000))
}

/// Reads the character or escape sequence at the start of `text`. Returns its value, whether that value is
/// one byte, and the rest of the text.
fn character(text: &str) -> Result<(u32, bool, &str), String> {
    let mut chars = text.chars();
    let c = chars.next().ok_or("empty character constant")?;
    if c != '\\' {
        return Ok((c as u32, false, chars.as_str()));
    }
    let e = chars.next().ok_or("invalid escape sequence")?;
    let simple = match e {
        'n' => 10,
        't' => 9,
        'v' => 11,
        'b' => 8,
        'r' => 13,
        'f' => 12,
        'a' => 7,
        'e' | 'E' => 27,
        '\\' | '\'' | '"' | '?' => e as u32,
        '0'..='7' => {
            let digits = text[1..]
                .bytes()
                .take(3)
                .take_while(|b| (b'0'..=b'7').contains(b))
                .count();
            let value = u32::from_str_radix(&text[1..1 + digits], 8).unwrap_or(0);
            if value > 255 {
                return Err("octal escape sequence out of range".into());
            }
            return Ok((value, true, &text[1 + digits..]));
        }
        'x' => {
            let digits = text[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
            if digits == 0 {
                return Err("\\x used with no following hex digits".into());
            }
            let value = u32::from_str_radix(&text[2..2 + digits], 16).unwrap_or(u32::MAX);
            if value > 255 {
                return Err("hex escape sequence out of range".into());
            }
            return Ok((value, true, &text[2 + digits..]));
        }
        'u' | 'U' => {
            let n = if e == 'u' { 4 } else { 8 };
            let value = text.get(2..2 + n).and_then(|d| u32::from_str_radix(d, 16).ok());
            let valid = value.filter(|&v| char::from_u32(v).is_some());
            return match valid {
                Some(v) => Ok((v, false, &text[2 + n..])),
                None => Err("incomplete universal character name".into()),
            };
        }
        // As in clang, an unknown escape stands for its character.
        other => other as u32,
    };
    Ok((simple, false, chars.as_str()))
}

/// Returns the bytes of a character constant, and the number of its characters.
fn char_bytes(text: &str) -> Result<(Vec<u8>, usize), String> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let mut rest = text
        .strip_prefix('\'')
        .and_then(|t| t.strip_suffix('\''))
        .unwrap_or("");
    if rest.is_empty() {
        return Err("empty character constant".into());
    }
    let mut bytes = Vec::new();
    let mut count = 0;
    while !rest.is_empty() {
        let (value, is_byte, after) = character(rest)?;
        push_char(&mut bytes, value, is_byte);
        rest = after;
        count += 1;
    }
    Ok((bytes, count))
}

/// Returns the value of a character constant. Several characters are packed in big-endian order, as in gcc
/// and clang.
pub(crate) fn char_value(text: &str) -> Result<i32, String> {
    let (bytes, _) = char_bytes(text)?;
    if let [one] = bytes[..] {
        return Ok(i32::from(one as i8));
    }
    // As in clang, only the last four of more characters count.
    Ok(bytes.iter().fold(0u32, |v, b| v << 8 | u32::from(*b)) as i32)
}

/// Returns the first unknown escape of a literal, which stands for its own character.
pub(crate) fn unknown_escape(text: &str) -> Option<char> {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            let e = chars.next()?;
            if !"ntvbrfaeE\\'\"?01234567xuU\n".contains(e) {
                return Some(e);
            }
        }
    }
    None
}

/// Returns the warning about a character constant of several characters.
pub(crate) fn multichar_warning(text: &str) -> Option<&'static str> {
    let (bytes, count) = char_bytes(text).ok()?;
    match (count, bytes.len()) {
        (..=1, _) => None,
        (_, ..=4) => Some("multi-character character constant"),
        _ => Some("character constant too long for its type"),
    }
}

fn push_char(bytes: &mut Vec<u8>, value: u32, is_byte: bool) {
    if is_byte || value < 128 {
        bytes.push(value as u8);
    } else if let Some(c) = char::from_u32(value) {
        bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
    }
}

/// Returns the bytes of a string literal, without a terminator.
pub(crate) fn string_value(text: &str) -> Result<Vec<u8>, String> {
    let text = text.strip_prefix('L').unwrap_or(text);
    let mut rest = text
        .strip_prefix('"')
        .and_then(|t| t.strip_suffix('"'))
        .unwrap_or("");
    let mut bytes = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let (value, is_byte, after) = character(rest)?;
        push_char(&mut bytes, value, is_byte);
        rest = after;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> (u64, bool, bool, bool) {
        match number(text) {
            Ok(Number::Int(i)) => (i.value, i.unsigned, i.long, i.decimal),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn fl(text: &str) -> (f64, bool, bool) {
        match number(text) {
            Ok(Number::Float { value, single, half }) => (value, single, half),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        assert_eq!(int("0"), (0, false, false, true));
        assert_eq!(int("42u"), (42, true, false, true));
        assert_eq!(int("0x1Ful"), (31, true, true, false));
        assert_eq!(int("017"), (15, false, false, false));
        assert_eq!(int("0b101"), (5, false, false, false));
        assert_eq!(int("0xFFFFFFFFFFFFFFFFULL").0, u64::MAX);
        assert_eq!(int("0xe").0, 14);
        assert!(matches!(number("18446744073709551616"), Ok(Number::Int(i)) if i.overflow));
        assert_eq!(number("09").unwrap_err(), "invalid digit '9' in octal constant");
        assert_eq!(
            number("12abc").unwrap_err(),
            "invalid suffix 'abc' on integer constant"
        );
    }

    #[test]
    fn floats() {
        assert_eq!(fl("1.5"), (1.5, false, false));
        assert_eq!(fl(".5f"), (0.5, true, false));
        assert_eq!(fl("1e3"), (1000.0, false, false));
        assert_eq!(fl("1.0h"), (1.0, false, true));
        assert_eq!(fl("0.1f").0, f64::from(0.1f32));
        assert_eq!(fl("1.F"), (1.0, true, false));
        assert_eq!(fl("0x1.fffffep127f").0, f64::from(f32::MAX));
        assert_eq!(fl("0x1.p3"), (8.0, false, false));
        assert_eq!(fl("0x1p-149f").0, f64::from(f32::from_bits(1)));
        assert_eq!(fl("0x1p-150f").0, 0.0);
        assert_eq!(fl("0x1.8p-150f").0, f64::from(f32::from_bits(1)));
        assert_eq!(fl("0x1p-1074").0, f64::from_bits(1));
        assert_eq!(fl("0x1.fffffffffffffp1023").0, f64::MAX);
        assert_eq!(fl("0x1p1024").0, f64::INFINITY);
        assert_eq!(fl("0x1.000001p0f").0, 1.0);
        assert_eq!(fl("0x1.000003p0f").0, 1.0 + 4.0 / 16_777_216.0);
        assert_eq!(fl("1e999f").0, f64::INFINITY);
        assert!(fl("0.nanf").0.is_nan());
        assert!(number("1.0x").is_err() && number("1e").is_err() && number("0x1.0").is_err());
    }

    #[test]
    fn characters() {
        assert_eq!(char_value("'a'"), Ok(97));
        assert_eq!(char_value(r"'\n'"), Ok(10));
        assert_eq!(char_value(r"'\xff'"), Ok(-1));
        assert_eq!(char_value(r"'\0'"), Ok(0));
        assert_eq!(char_value(r"'\e'"), Ok(27));
        assert_eq!(char_value("'ab'"), Ok(0x6162));
        assert_eq!(char_value("'abcde'"), Ok(0x6263_6465));
        assert!(char_value("''").is_err());
        assert_eq!(string_value(r#""a\tb\101\u00e9""#).unwrap(), "a\tbAé".as_bytes());
    }
}
