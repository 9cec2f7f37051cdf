//! Numbers in SPIR-V's text.

use crate::half;

/// The type of a number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Number {
    /// An integer with a width in bits, which is signed or not.
    Int(u32, bool),
    /// A floating-point number with a width in bits.
    Float(u32),
}

/// Returns the words of a number.
pub(crate) fn encode(text: &str, ty: Number) -> Result<Vec<u32>, String> {
    let (bits, width) = match ty {
        Number::Int(width, signed) => (integer(text, width, signed)?, width),
        Number::Float(width) => (float(text, width)?, width),
    };
    Ok(match width {
        64 => vec![bits as u32, (bits >> 32) as u32],
        _ => vec![bits as u32],
    })
}

fn integer(text: &str, width: u32, signed: bool) -> Result<u64, String> {
    if !matches!(width, 1..=64) {
        return Err(format!("numbers of {width} bits have no text"));
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let magnitude = match hex {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16).ok(),
        None if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok(),
        _ => None,
    };
    let magnitude = magnitude.ok_or_else(|| format!("'{text}' is not an integer"))?;
    let value = if negative { -magnitude } else { magnitude };
    // The digits of a hexadecimal number may include the sign bit.
    let highest = if signed && hex.is_none() { width - 1 } else { width };
    let lowest = if signed { -(1i128 << (width - 1)) } else { 0 };
    if value < lowest || value >= 1i128 << highest {
        let kind = if signed { "signed" } else { "unsigned" };
        return Err(format!("'{text}' does not fit into {width} bits ({kind})"));
    }
    // Signed numbers of fewer than 32 bits are extended.
    let shift = 64 - width;
    let bits = (value as u64) << shift;
    Ok(match signed {
        true => ((bits as i64) >> shift) as u64,
        false => bits >> shift,
    })
}

/// Returns the number of exponent and mantissa bits of a float.
fn format_of(width: u32) -> Option<(u32, u32)> {
    Some(match width {
        16 => (5, 10),
        32 => (8, 23),
        64 => (11, 52),
        _ => return None,
    })
}

fn float(text: &str, width: u32) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a floating-point number");
    let format = format_of(width).ok_or_else(|| format!("floats of {width} bits have no text"))?;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let sign = u64::from(negative) << (width - 1);
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return Ok(hexadecimal(hex, format)
            .ok_or_else(wrong)?
            .map_err(|why| format!("'{text}' {why}"))?
            | sign);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(wrong());
    }
    let infinite = || format!("'{text}' does not fit into {width} bits");
    Ok(sign
        | match width {
            16 => {
                let value: f64 = digits.parse().map_err(|_| wrong())?;
                let bits = half::from_f64(value);
                if half::to_f64(bits).is_infinite() {
                    return Err(infinite());
                }
                u64::from(bits)
            }
            32 => {
                let value: f32 = digits.parse().map_err(|_| wrong())?;
                if value.is_infinite() {
                    return Err(infinite());
                }
                u64::from(value.to_bits())
            }
            _ => {
                let value: f64 = digits.parse().map_err(|_| wrong())?;
                if value.is_infinite() {
                    return Err(infinite());
                }
                value.to_bits()
            }
        })
}

/// Reads a hexadecimal float. Infinities and NaNs have the exponent after the largest.
fn hexadecimal(text: &str, (exponent_bits, mantissa_bits): (u32, u32)) -> Option<Result<u64, &'static str>> {
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.len() > 64 || exponent.unsigned_abs() > 100_000 {
        return None;
    }
    let mut mantissa = 0u128;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = digit.to_digit(16)?;
        if mantissa >> 100 != 0 {
            return Some(Err("has too many digits"));
        }
        mantissa = mantissa << 4 | u128::from(digit);
    }
    if mantissa == 0 {
        return Some(Ok(0));
    }
    let highest = 127 - mantissa.leading_zeros() as i32;
    let bias = (1 << (exponent_bits - 1)) - 1;
    let exponent = exponent - 4 * fraction.len() as i32 + highest;
    if exponent > bias + 1 {
        return Some(Err("is too large"));
    }
    // A subnormal number has fewer digits.
    let (biased, place) = match exponent + bias {
        e if e > 0 => (e as u64, mantissa_bits as i32),
        e => (0, mantissa_bits as i32 - 1 + e),
    };
    let shift = place - highest;
    let scaled = match shift {
        0.. if shift < 128 - highest => mantissa << shift,
        _ if shift < 0 && -shift < 128 && mantissa.trailing_zeros() as i32 >= -shift => mantissa >> -shift,
        _ => return Some(Err("has more digits than its type")),
    };
    let mask = (1u64 << mantissa_bits) - 1;
    Some(Ok(biased << mantissa_bits | scaled as u64 & mask))
}

/// Returns the text of a number. `None` if it has no words enough, or a type that has no text.
pub(crate) fn decode(words: &[u32], ty: Number) -> Option<String> {
    let low = u64::from(*words.first()?);
    let (Number::Int(width, _) | Number::Float(width)) = ty;
    let bits = match width {
        64 => low | u64::from(*words.get(1)?) << 32,
        _ => low,
    };
    match ty {
        Number::Int(64, true) => Some((bits as i64).to_string()),
        Number::Int(1..=32, true) => Some((low as u32 as i32).to_string()),
        Number::Int(1..=32 | 64, false) => Some(bits.to_string()),
        Number::Int(..) => None,
        Number::Float(_) => decode_float(bits, width),
    }
}

fn decode_float(bits: u64, width: u32) -> Option<String> {
    let (exponent_bits, mantissa_bits) = format_of(width)?;
    if width < 64 && bits >> width != 0 {
        return None;
    }
    let largest = (1u64 << exponent_bits) - 1;
    let sign = if bits >> (width - 1) == 0 { "" } else { "-" };
    let mantissa = bits & ((1 << mantissa_bits) - 1);
    if bits >> mantissa_bits & largest == largest {
        // Whole hexadecimal digits.
        let digits = mantissa_bits.div_ceil(4);
        let fraction = format!(
            "{:0w$x}",
            mantissa << (digits * 4 - mantissa_bits),
            w = digits as usize
        );
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        return Some(format!(
            "{sign}0x1{point}{fraction}p+{}",
            1u64 << (exponent_bits - 1)
        ));
    }
    let plain = |text: String, exponential: String| if text.len() > 20 { exponential } else { text };
    Some(match width {
        16 => half::to_f64(bits as u16).to_string(),
        32 => {
            let v = f32::from_bits(bits as u32);
            plain(v.to_string(), format!("{v:e}"))
        }
        _ => {
            let v = f64::from_bits(bits);
            plain(v.to_string(), format!("{v:e}"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        assert_eq!(encode("255", Number::Int(8, false)), Ok(vec![255]));
        assert_eq!(encode("-1", Number::Int(8, true)), Ok(vec![u32::MAX]));
        assert_eq!(encode("0xff", Number::Int(8, true)), Ok(vec![u32::MAX]));
        assert_eq!(encode("-1", Number::Int(64, true)), Ok(vec![u32::MAX, u32::MAX]));
        assert_eq!(
            encode("0x123456789", Number::Int(64, false)),
            Ok(vec![0x2345_6789, 1])
        );
        for (text, ty) in [
            ("256", Number::Int(8, false)),
            ("-1", Number::Int(32, false)),
            ("128", Number::Int(8, true)),
            ("1.5", Number::Int(32, false)),
            ("0x", Number::Int(32, false)),
            ("0x-1", Number::Int(32, false)),
            ("-0x-80000000000000000000000000000000", Number::Int(32, false)),
            ("+1", Number::Int(32, false)),
            ("1", Number::Int(0, false)),
            ("1", Number::Int(u32::MAX, false)),
        ] {
            assert!(encode(text, ty).is_err(), "{text}");
        }
    }

    #[test]
    fn floats() {
        for (text, bits) in [
            ("1.5", 0x3fc0_0000),
            ("-0", 0x8000_0000),
            ("0x1.8p+0", 0x3fc0_0000),
            ("0x1p+128", 0x7f80_0000),
            ("-0x1.8p+128", 0xffc0_0000),
            ("0x1p-149", 1),
            ("0x0.000002p-126", 1),
            ("1e-45", 1),
        ] {
            assert_eq!(encode(text, Number::Float(32)), Ok(vec![bits]), "{text}");
        }
        for text in [
            "",
            "-",
            "inf",
            "nan",
            "1e39",
            "0x1p+129",
            "0x1p-150",
            "0x1.0000001p+0",
            "--1",
            "0xp1",
            "0x1p-2147483648",
            "0x1p",
        ] {
            assert!(encode(text, Number::Float(32)).is_err(), "{text}");
        }
    }

    /// What is written is read as the same number.
    #[test]
    fn floats_and_back() {
        for bits in 0..=u16::MAX {
            let text = decode(&[u32::from(bits)], Number::Float(16)).unwrap();
            assert_eq!(
                encode(&text, Number::Float(16)),
                Ok(vec![u32::from(bits)]),
                "{text}"
            );
        }
        let mut bits = 1u64;
        for _ in 0..20_000 {
            bits = bits
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            for (width, words) in [
                (32, vec![bits as u32]),
                (64, vec![bits as u32, (bits >> 32) as u32]),
            ] {
                let text = decode(&words, Number::Float(width)).unwrap();
                assert_eq!(encode(&text, Number::Float(width)).as_ref(), Ok(&words), "{text}");
            }
        }
        assert_eq!(
            decode(&[0x7ff0_0001], Number::Float(16)),
            None,
            "more bits than the type has"
        );
    }
}
