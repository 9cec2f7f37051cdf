//! The arithmetic of IEEE 754 on the bits of numbers, for 16, 32 and 64 bits. `campaign` computes the values of expressions with it,
//! and `accuracy` the references for halves, independently of any OpenCL implementation.
//!
//! Every NaN has the same bits here, because OpenCL leaves the sign and the payload of NaN results open.

use std::cmp::Ordering;

/// A format of IEEE 754.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    /// The number of bits.
    pub(crate) bits: u32,
    /// The number of bits of the fraction, without the implicit one.
    fraction: u32,
}

pub(crate) const HALF: Format = Format {
    bits: 16,
    fraction: 10,
};
pub(crate) const SINGLE: Format = Format {
    bits: 32,
    fraction: 23,
};
pub(crate) const DOUBLE: Format = Format {
    bits: 64,
    fraction: 52,
};

/// How a result that lies between two numbers is rounded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    NearestEven,
    Zero,
    Up,
    Down,
}

/// A number that is not NaN and not infinite: `mantissa` × 2^`exponent`.
#[derive(Copy, Clone, Debug)]
struct Finite {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

enum Class {
    Nan,
    Infinite { negative: bool },
    Finite(Finite),
}

impl Format {
    /// Returns the format with this number of bits.
    pub(crate) fn of(bits: u32) -> Format {
        match bits {
            16 => HALF,
            32 => SINGLE,
            _ => DOUBLE,
        }
    }

    /// Returns the bit of the sign.
    pub(crate) fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    /// Returns positive infinity.
    pub(crate) fn infinity(self) -> u64 {
        self.sign() - (1 << self.fraction)
    }

    /// Returns the NaN that stands for all.
    pub(crate) fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction - 1)
    }

    /// Returns the least positive number that is not subnormal.
    pub(crate) fn least_normal(self) -> u64 {
        1 << self.fraction
    }

    /// Returns the greatest finite number.
    pub(crate) fn greatest(self) -> u64 {
        self.infinity() - 1
    }

    /// Returns 1.
    pub(crate) fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction
    }

    /// Returns the bias of exponents, which is also the largest exponent of a finite number.
    pub(crate) fn bias(self) -> i32 {
        (1 << (self.bits - self.fraction - 2)) - 1
    }

    /// Returns the exponent of the last bit of subnormal numbers.
    fn least_exponent(self) -> i32 {
        1 - self.bias() - self.fraction as i32
    }

    /// Returns the number of bits of the fraction.
    pub(crate) fn fraction(self) -> u32 {
        self.fraction
    }

    /// Returns the bits without the sign.
    pub(crate) fn magnitude(self, x: u64) -> u64 {
        x & (self.sign() - 1)
    }

    pub(crate) fn is_nan(self, x: u64) -> bool {
        self.magnitude(x) > self.infinity()
    }

    pub(crate) fn is_infinite(self, x: u64) -> bool {
        self.magnitude(x) == self.infinity()
    }

    pub(crate) fn is_finite(self, x: u64) -> bool {
        self.magnitude(x) < self.infinity()
    }

    pub(crate) fn is_zero(self, x: u64) -> bool {
        self.magnitude(x) == 0
    }

    pub(crate) fn is_subnormal(self, x: u64) -> bool {
        (1..self.least_normal()).contains(&self.magnitude(x))
    }

    pub(crate) fn is_negative(self, x: u64) -> bool {
        x & self.sign() != 0
    }

    /// Replaces every NaN by the one that stands for all.
    pub(crate) fn canonical(self, x: u64) -> u64 {
        if self.is_nan(x) { self.nan() } else { x }
    }

    fn signed(self, negative: bool, magnitude: u64) -> u64 {
        if negative {
            magnitude | self.sign()
        } else {
            magnitude
        }
    }

    fn class(self, x: u64) -> Class {
        let negative = self.is_negative(x);
        match self.magnitude(x) {
            m if m > self.infinity() => Class::Nan,
            m if m == self.infinity() => Class::Infinite { negative },
            m => {
                let fraction = m & (self.least_normal() - 1);
                let (mantissa, exponent) = match (m >> self.fraction) as i32 {
                    0 => (fraction, self.least_exponent()),
                    e => (fraction | self.least_normal(), self.least_exponent() + e - 1),
                };
                Class::Finite(Finite {
                    negative,
                    mantissa,
                    exponent,
                })
            }
        }
    }

    /// Returns the magnitude of a finite number as a mantissa and the exponent of two by which it is multiplied.
    pub(crate) fn parts(self, x: u64) -> Option<(u64, i32)> {
        self.finite(x).map(|x| (x.mantissa, x.exponent))
    }

    fn finite(self, x: u64) -> Option<Finite> {
        match self.class(x) {
            Class::Finite(f) => Some(f),
            Class::Nan | Class::Infinite { .. } => None,
        }
    }

    /// Returns the number of this format to which a finite number is rounded.
    fn round(self, x: Finite, mode: Rounding) -> u64 {
        if x.mantissa == 0 {
            return self.signed(x.negative, 0);
        }
        let length = 64 - x.mantissa.leading_zeros() as i32;
        // The exponent of the result's last bit.
        let last = (x.exponent + length - 1 - self.fraction as i32).max(self.least_exponent());
        let mantissa = scaled(u128::from(x.mantissa), x.exponent - last, x.negative, mode) as u64;
        // A carry out of the mantissa increases the exponent, as it should.
        let e = (last - self.least_exponent()) as u64;
        let magnitude = (e << self.fraction).saturating_add(mantissa);
        if e >= 1 << (self.bits - self.fraction) || magnitude >= self.infinity() {
            let away = match mode {
                Rounding::NearestEven => true,
                Rounding::Zero => false,
                Rounding::Up => !x.negative,
                Rounding::Down => x.negative,
            };
            let most = if away { self.infinity() } else { self.greatest() };
            return self.signed(x.negative, most);
        }
        self.signed(x.negative, magnitude)
    }

    /// Converts a number of another format to this one.
    pub(crate) fn converted(self, from: Format, x: u64, mode: Rounding) -> u64 {
        match from.class(x) {
            Class::Nan => self.nan(),
            Class::Infinite { negative } => self.signed(negative, self.infinity()),
            Class::Finite(x) => self.round(x, mode),
        }
    }

    /// Converts an integer to this format.
    pub(crate) fn rounded_integer(self, x: i128, mode: Rounding) -> u64 {
        let x = Finite {
            negative: x < 0,
            mantissa: x.unsigned_abs() as u64,
            exponent: 0,
        };
        self.round(x, mode)
    }

    /// Converts a number to an integer. Infinities and large numbers become ±2^100; `None` for NaN.
    pub(crate) fn to_integer(self, x: u64, mode: Rounding) -> Option<i128> {
        let (negative, magnitude) = match self.class(x) {
            Class::Nan => return None,
            Class::Infinite { negative } => (negative, 1 << 100),
            Class::Finite(f) if f.exponent > 40 => (f.negative, if f.mantissa == 0 { 0 } else { 1 << 100 }),
            Class::Finite(f) => {
                let m = scaled(u128::from(f.mantissa), f.exponent, f.negative, mode);
                (f.negative, m as i128)
            }
        };
        Some(if negative { -magnitude } else { magnitude })
    }

    /// Returns the number as a double, which is exact.
    fn wide(self, x: u64) -> f64 {
        f64::from_bits(DOUBLE.converted(self, x, Rounding::NearestEven))
    }

    /// Rounds a double to this format.
    pub(crate) fn narrow(self, x: f64) -> u64 {
        self.converted(DOUBLE, x.to_bits(), Rounding::NearestEven)
    }

    /// Computes an operation of two operands with correct rounding. To round a double to a half again is correct for the four
    /// operations and the square root, because a double has more than twice the precision.
    fn correct(self, a: u64, b: u64, single: fn(f32, f32) -> f32, double: fn(f64, f64) -> f64) -> u64 {
        let result = match self.bits {
            16 => self.narrow(double(self.wide(a), self.wide(b))),
            32 => u64::from(single(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits()),
            _ => double(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        };
        self.canonical(result)
    }

    pub(crate) fn add(self, a: u64, b: u64) -> u64 {
        self.correct(a, b, |a, b| a + b, |a, b| a + b)
    }

    pub(crate) fn subtract(self, a: u64, b: u64) -> u64 {
        self.correct(a, b, |a, b| a - b, |a, b| a - b)
    }

    pub(crate) fn multiply(self, a: u64, b: u64) -> u64 {
        self.correct(a, b, |a, b| a * b, |a, b| a * b)
    }

    pub(crate) fn divide(self, a: u64, b: u64) -> u64 {
        self.correct(a, b, |a, b| a / b, |a, b| a / b)
    }

    pub(crate) fn square_root(self, a: u64) -> u64 {
        self.correct(a, a, |a, _| a.sqrt(), |a, _| a.sqrt())
    }

    /// Returns `a` × `b` + `c`, rounded once.
    pub(crate) fn fused(self, a: u64, b: u64, c: u64) -> u64 {
        let result = match self.bits {
            16 => {
                // The product of two halves is exact in a double. The sum is rounded to odd first, so that rounding it again is
                // correct.
                let (product, c) = (self.wide(a) * self.wide(b), self.wide(c));
                let sum = product + c;
                let part = sum - product;
                let error = (product - (sum - part)) + (c - part);
                let inexact = sum.is_finite() && error != 0.0 && sum.to_bits() & 1 == 0;
                let odd = match inexact {
                    false => sum,
                    // The neighbour of the sum in the direction of the error.
                    true if (error > 0.0) == (sum > 0.0) => f64::from_bits(sum.to_bits() + 1),
                    true => f64::from_bits(sum.to_bits() - 1),
                };
                self.narrow(odd)
            }
            32 => {
                let [a, b, c] = [a, b, c].map(|x| f32::from_bits(x as u32));
                u64::from(a.mul_add(b, c).to_bits())
            }
            _ => {
                let [a, b, c] = [a, b, c].map(f64::from_bits);
                a.mul_add(b, c).to_bits()
            }
        };
        self.canonical(result)
    }

    /// Applies a function whose result for a number of this format is a number of this format.
    pub(crate) fn whole(self, x: u64, function: fn(f64) -> f64) -> u64 {
        self.narrow(function(self.wide(x)))
    }

    /// Compares two numbers; `None` if one of them is NaN.
    pub(crate) fn compare(self, a: u64, b: u64) -> Option<Ordering> {
        self.wide(a).partial_cmp(&self.wide(b))
    }

    /// Returns the exponent of the first bit of a finite number that is not zero.
    pub(crate) fn exponent(self, x: u64) -> Option<i32> {
        let x = self.finite(x).filter(|x| x.mantissa != 0)?;
        Some(x.exponent + 63 - x.mantissa.leading_zeros() as i32)
    }

    /// Returns `x` × 2^`by`.
    pub(crate) fn scale(self, x: u64, by: i32) -> u64 {
        match self.finite(x) {
            None => self.canonical(x),
            Some(mut f) => {
                f.exponent += by.clamp(-10_000, 10_000);
                self.round(f, Rounding::NearestEven)
            }
        }
    }

    /// Returns the next number after `x` in the direction of `y`, which must not be equal.
    pub(crate) fn next(self, x: u64, y: u64) -> u64 {
        let up = self.compare(x, y) == Some(Ordering::Less);
        if self.is_zero(x) {
            return self.signed(!up, 1);
        }
        if up != self.is_negative(x) { x + 1 } else { x - 1 }
    }

    /// Returns the remainder of `x` / `y` and the lowest bits of the quotient's magnitude. The quotient is the nearest
    /// integer, or with `truncated` the integer part. `None` if the remainder is NaN.
    pub(crate) fn remainder(self, x: u64, y: u64, truncated: bool) -> Option<(u64, u64)> {
        let a = self.finite(x)?;
        let b = match self.class(y) {
            Class::Nan => return None,
            Class::Infinite { .. } => return Some((x, 0)),
            Class::Finite(b) if b.mantissa == 0 => return None,
            Class::Finite(b) => b,
        };
        let exponent = a.exponent.min(b.exponent);
        let wide = a.exponent - exponent;
        // The divisor in units of 2^exponent. If it is so much larger that it does not fit, the quotient is 0 in any case.
        let divisor = match b.exponent - exponent {
            shift if shift > 70 => return Some((x, 0)),
            shift => u128::from(b.mantissa) << shift,
        };
        let (mut quotient, mut rest) = (
            (u128::from(a.mantissa) / divisor) as u64,
            u128::from(a.mantissa) % divisor,
        );
        for _ in 0..wide {
            (quotient, rest) = (quotient << 1, rest << 1);
            if rest >= divisor {
                (quotient, rest) = (quotient | 1, rest - divisor);
            }
        }
        let mut negative = a.negative;
        let beyond = match (2 * rest).cmp(&divisor) {
            Ordering::Less => false,
            Ordering::Equal => quotient & 1 == 1,
            Ordering::Greater => true,
        };
        if !truncated && beyond {
            (quotient, rest) = (quotient.wrapping_add(1), divisor - rest);
            negative = !negative;
        }
        if rest == 0 {
            return Some((self.signed(a.negative, 0), quotient));
        }
        // A remainder has no more bits than the operands, so its trailing zeros make room for the rest.
        let zeros = rest.trailing_zeros();
        let rest = Finite {
            negative,
            mantissa: (rest >> zeros) as u64,
            exponent: exponent + zeros as i32,
        };
        Some((self.round(rest, Rounding::NearestEven), quotient))
    }
}

/// Returns `mantissa` × 2^`by` as an integer, rounded. The result must have less than 128 bits.
fn scaled(mantissa: u128, by: i32, negative: bool, mode: Rounding) -> u128 {
    if by >= 0 {
        return mantissa << by;
    }
    let by = by.unsigned_abs();
    let (whole, rest, half) = match by {
        // Less than half of a unit.
        126.. => (0, mantissa.min(1), 2),
        _ => (mantissa >> by, mantissa & ((1 << by) - 1), 1 << (by - 1)),
    };
    let up = match mode {
        Rounding::NearestEven => rest > half || rest == half && whole & 1 == 1,
        Rounding::Zero => false,
        Rounding::Up => rest != 0 && !negative,
        Rounding::Down => rest != 0 && negative,
    };
    whole + u128::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const MODES: [Rounding; 4] = [
        Rounding::NearestEven,
        Rounding::Zero,
        Rounding::Up,
        Rounding::Down,
    ];

    #[test]
    fn every_half_survives_a_double() {
        for x in 0..0x10000 {
            for mode in MODES {
                let wide = DOUBLE.converted(HALF, x, mode);
                assert_eq!(HALF.converted(DOUBLE, wide, mode), HALF.canonical(x), "{x:#x}");
            }
        }
    }

    #[test]
    fn conversions_are_those_of_the_processor() {
        let mut random = Random::new(1);
        for _ in 0..100_000 {
            let x = u64::from(random.word()) << 32 | u64::from(random.word());
            let nearest = |x| SINGLE.converted(DOUBLE, x, Rounding::NearestEven);
            // Exponents at which the result is subnormal or too large are as likely as others.
            for x in [x, x & 0x800f_ffff_ffff_ffff | (0x368 + (x >> 52 & 0x11f)) << 52] {
                let expected = SINGLE.canonical(u64::from((f64::from_bits(x) as f32).to_bits()));
                assert_eq!(nearest(x), expected, "{x:#x}");
            }
            let bits = |x: f32| u64::from(x.to_bits());
            assert_eq!(
                SINGLE.rounded_integer(i128::from(x), Rounding::NearestEven),
                bits(x as f32)
            );
            let signed = x as i64;
            assert_eq!(
                SINGLE.rounded_integer(i128::from(signed), Rounding::NearestEven),
                bits(signed as f32)
            );
            let f = f32::from_bits(x as u32 & 0xbfff_ffff | 0x3000_0000);
            let whole = SINGLE.to_integer(bits(f), Rounding::Down);
            assert_eq!(whole, Some(f.floor() as i128));
            let whole = SINGLE.to_integer(bits(f), Rounding::NearestEven);
            assert_eq!(whole, Some(f.round_ties_even() as i128));
        }
    }

    #[test]
    fn directed_roundings_enclose_the_value() {
        for (x, [near, zero, up, down]) in [
            (65520.0, [0x7c00, 0x7bff, 0x7c00, 0x7bff]),
            (-65519.0, [0xfbff, 0xfbff, 0xfbff, 0xfc00]),
            (1e-30, [0, 0, 1, 0]),
            (-1e-300, [0x8000, 0x8000, 0x8000, 0x8001]),
            (2f64.powi(-25), [0, 0, 1, 0]),
            (3.0 * 2f64.powi(-25), [2, 1, 2, 1]),
            (1.0 + 2f64.powi(-11), [0x3c00, 0x3c00, 0x3c01, 0x3c00]),
            (1e300, [0x7c00, 0x7bff, 0x7c00, 0x7bff]),
        ] {
            let all = MODES.map(|mode| HALF.converted(DOUBLE, f64::to_bits(x), mode));
            assert_eq!(all, [near, zero, up, down], "{x}");
        }
    }

    #[test]
    fn fused_halves_are_rounded_once() {
        // 1.0009765625² = 1 + 2^-9 + 2^-20, which is just above the middle of two halves if 2^-11 is added.
        let h = |x: f64| HALF.narrow(x);
        let x = h(1.0 + 2f64.powi(-10));
        let sum = HALF.fused(x, x, h(2f64.powi(-11)));
        assert_eq!(sum, h(1.0 + 2f64.powi(-9) + 2f64.powi(-10)));
        let tiny = HALF.fused(h(256.0), h(16.0 + 2f64.powi(-6)), h(2f64.powi(-24)));
        assert_eq!(tiny, h(4100.0));
        // The product is in the middle of two halves.
        for (c, sum) in [
            (0.0, 2048.0),
            (2f64.powi(-24), 2050.0),
            (-(2f64.powi(-24)), 2048.0),
        ] {
            assert_eq!(HALF.fused(h(3.0), h(683.0), h(c)), h(sum), "{c}");
        }
    }

    #[test]
    fn remainders_agree_with_the_operator() {
        let mut random = Random::new(2);
        for _ in 0..20_000 {
            let (a, b) = (f32::from_bits(random.word()), f32::from_bits(random.word()));
            let expected = a % b;
            let found = SINGLE.remainder(u64::from(a.to_bits()), u64::from(b.to_bits()), true);
            match expected.is_nan() {
                true => assert!(found.is_none()),
                false => assert_eq!(
                    found.map(|f| f.0),
                    Some(u64::from(expected.to_bits())),
                    "{a} % {b}"
                ),
            }
        }
        let d = f64::to_bits;
        assert_eq!(DOUBLE.remainder(d(5.0), d(2.0), false), Some((d(1.0), 2)));
        assert_eq!(DOUBLE.remainder(d(7.0), d(2.0), false), Some((d(-1.0), 4)));
        assert_eq!(DOUBLE.remainder(d(-4.0), d(2.0), false), Some((d(-0.0), 2)));
        assert_eq!(DOUBLE.remainder(d(1.0), d(1e300), false), Some((d(1.0), 0)));
    }
}
