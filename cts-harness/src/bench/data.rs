//! Inputs and comparisons: conversions of numbers to bytes, and approximate equality.

macro_rules! bytes {
    ($($to:ident, $from:ident: $number:ty;)*) => {
        $(
            pub(super) fn $to(numbers: &[$number]) -> Vec<u8> {
                let mut bytes = Vec::with_capacity(size_of_val(numbers));
                numbers.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
                bytes
            }

            pub(super) fn $from(bytes: &[u8]) -> Vec<$number> {
                let (chunks, _) = bytes.as_chunks();
                chunks.iter().map(|c| <$number>::from_le_bytes(*c)).collect()
            }
        )*
    };
}

bytes! {
    of_f32, to_f32: f32;
    of_f64, to_f64: f64;
    of_u32, to_u32: u32;
    of_u16, to_u16: u16;
}

/// Fails unless the numbers differ by at most `part` of `scale`.
pub(super) fn close(what: &str, found: f64, expected: f64, scale: f64, part: f64) -> Result<(), String> {
    if (found - expected).abs() <= part * scale.abs() {
        return Ok(());
    }
    Err(format!("{what} is {found}, not {expected}"))
}

/// Fails unless the words are equal.
pub(super) fn same(found: &[u32], expected: &[u32]) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} words, not {}", found.len(), expected.len()));
    }
    match found.iter().zip(expected).position(|(f, e)| f != e) {
        None => Ok(()),
        Some(i) => Err(format!("word {i} is {:#x}, not {:#x}", found[i], expected[i])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        assert_eq!(to_f32(&of_f32(&[1.5, -2.0])), [1.5, -2.0]);
        assert_eq!(to_u16(&of_u16(&[1, 0xFFFF])), [1, 0xFFFF]);
        assert_eq!(of_u32(&[1]), [1, 0, 0, 0]);
    }

    #[test]
    fn nothing_is_close_to_nan() {
        assert!(close("x", f64::NAN, 1.0, 1.0, 0.1).is_err());
        assert!(close("x", 1.05, 1.0, 1.0, 0.1).is_ok());
    }
}
