//! Conversions between IEEE 754 binary16, for which Rust has no stable type, and `f64`.
//!
//! The crate `half` is not used, because its `f16::from_f64` (2.7.1) discards the low 32 bits of the significand
//! before it rounds. It therefore rounds a number just above the middle of two halves as if it were the middle.

/// Returns the exact value of a binary16 number.
pub fn to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 31);
    let mantissa = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + mantissa / 1024.0) * 2f64.powi(e - 15),
    }
}

/// Rounds to binary16, to nearest with ties to even.
pub fn from_f64(v: f64) -> u16 {
    let sign = if v.is_sign_negative() { 0x8000 } else { 0 };
    let a = v.abs();
    if a.is_nan() {
        return sign | 0x7e00;
    }
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    // The number as a multiple of the unit in the last place is exact in f64. Subnormals have the exponent
    // -14.
    let exponent = (((a.to_bits() >> 52) as i32) - 1023).max(-14);
    let n = (a / 2f64.powi(exponent - 10)).round_ties_even() as i32;
    // A carry out of the mantissa increments the exponent, as it should.
    let biased = if n >= 1024 { (exponent + 14) * 1024 + n } else { n };
    sign | biased as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_values_round_trip() {
        for bits in 0..=u16::MAX {
            let v = to_f64(bits);
            if !v.is_nan() {
                assert_eq!(from_f64(v), bits);
            }
        }
    }

    #[test]
    fn ties_go_to_even() {
        // 2048 and 2052, between which the unit in the last place is 2.
        assert_eq!(from_f64(2049.0), 0x6800);
        assert_eq!(from_f64(2051.0), 0x6802);
        assert_eq!(from_f64(65519.9), 0x7bff);
        let tie = 1.0 + 2f64.powi(-11);
        assert_eq!(from_f64(tie), 0x3c00);
        assert_eq!(from_f64(tie.next_up()), 0x3c01);
        assert_eq!(from_f64(1.0 + 3.0 * 2f64.powi(-11)), 0x3c02);
        // A carry out of the fraction.
        assert_eq!(from_f64(2.0 - 2f64.powi(-12)), 0x4000);
        // The smallest subnormal number, half of it and a little more, the largest one, what is halfway to the smallest
        // normal number, and that number.
        assert_eq!(from_f64(2f64.powi(-24)), 1);
        assert_eq!(from_f64(2f64.powi(-25)), 0);
        assert_eq!(from_f64(2f64.powi(-25) * 1.0001), 1);
        assert_eq!(from_f64(1023.0 * 2f64.powi(-24)), 0x3ff);
        assert_eq!(from_f64(1023.5 * 2f64.powi(-24)), 0x400);
        assert_eq!(from_f64(2f64.powi(-14)), 0x400);
        assert_eq!(from_f64(f64::NAN), 0x7e00);
        assert_eq!(from_f64(65520.0), 0x7c00);
        assert_eq!(from_f64(-1e-8), 0x8000);
    }
}
