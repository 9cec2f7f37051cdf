//! Inputs and comparisons: pseudorandom numbers, conversions of numbers to bytes, and approximate equality.

/// A generator of the xorshift family. It yields the same numbers in every run.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }

    /// Returns a multiple of 2^-10 in [-1, 1).
    pub(super) fn number(&mut self) -> f32 {
        (self.word() & 0x7FF) as f32 / 1024.0 - 1.0
    }

    pub(super) fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.number()).collect()
    }

    pub(super) fn words(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| self.word()).collect()
    }

    /// Returns a number below `end`.
    pub(super) fn index(&mut self, end: usize) -> usize {
        self.word() as usize % end
    }
}

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
