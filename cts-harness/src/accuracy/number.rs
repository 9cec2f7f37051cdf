//! Floating-point formats, and the error of a result in units in the last place (CL 7.4).

use crate::float_format::{DOUBLE, Format, HALF, SINGLE};
use crate::types::little_endian;
use half::f16;

/// A format of the functions of CL 6.12.2.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub(super) enum Precision {
    Half,
    #[value(name = "float")]
    Single,
    Double,
}

impl Precision {
    pub(super) const ALL: [Precision; 3] = [Precision::Single, Precision::Double, Precision::Half];

    /// Returns the name of the type in OpenCL C.
    pub(super) fn name(self) -> &'static str {
        match self {
            Precision::Half => "half",
            Precision::Single => "float",
            Precision::Double => "double",
        }
    }

    fn format(self) -> Format {
        match self {
            Precision::Half => HALF,
            Precision::Single => SINGLE,
            Precision::Double => DOUBLE,
        }
    }

    pub(super) fn bytes(self) -> usize {
        self.format().bits as usize / 8
    }

    /// Returns the number of explicit bits of the significand.
    pub(super) fn mantissa(self) -> i32 {
        self.format().fraction() as i32
    }

    /// Returns the largest exponent of a finite number, which is also the exponent bias.
    pub(super) fn bias(self) -> i32 {
        self.format().bias()
    }

    fn least_exponent(self) -> i32 {
        1 - self.bias()
    }

    pub(super) fn least_normal(self) -> f64 {
        scale(1.0, self.least_exponent())
    }

    pub(super) fn is_subnormal(self, x: f64) -> bool {
        x != 0.0 && x.abs() < self.least_normal()
    }

    /// Returns the number that a word of this format represents. Bits beyond the size of the format are
    /// ignored.
    pub(super) fn number(self, bits: u64) -> f64 {
        match self {
            Precision::Half => f16::from_bits(bits as u16).to_f64(),
            Precision::Single => f64::from(f32::from_bits(bits as u32)),
            Precision::Double => f64::from_bits(bits),
        }
    }

    /// Returns the word of the nearest number of the format, with ties to even.
    pub(super) fn to_bits(self, x: f64) -> u64 {
        match self {
            Precision::Half => HALF.narrow(x),
            Precision::Single => u64::from((x as f32).to_bits()),
            Precision::Double => x.to_bits(),
        }
    }

    /// Returns the nearest number of the format, with ties to even.
    pub(super) fn round(self, x: f64) -> f64 {
        self.number(self.to_bits(x))
    }

    pub(super) fn words(self, bytes: &[u8]) -> impl Iterator<Item = u64> {
        bytes.chunks_exact(self.bytes()).map(little_endian)
    }
}

// SAFETY: ISO C declares these functions with these types, and they have no preconditions.
unsafe extern "C" {
    safe fn ldexp(x: f64, n: i32) -> f64;
    safe fn frexp(x: f64, exponent: &mut i32) -> f64;
}

/// Returns x · 2ⁿ, rounded once.
pub(super) fn scale(x: f64, n: i32) -> f64 {
    ldexp(x, n)
}

/// An exact result: (high + low) · 2ᵉ with |high| in [½, 1), or a special value.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Exact {
    Zero,
    Infinite { negative: bool },
    Nan,
    Finite { high: f64, low: f64, exponent: i32 },
}

impl Exact {
    pub(super) fn from_double(x: f64) -> Exact {
        if x.is_nan() {
            return Exact::Nan;
        }
        if x.is_infinite() {
            return Exact::Infinite { negative: x < 0.0 };
        }
        if x == 0.0 {
            return Exact::Zero;
        }
        let mut exponent = 0;
        let (high, low) = (frexp(x, &mut exponent), 0.0);
        Exact::Finite { high, low, exponent }
    }

    /// Returns whether the value is smaller in magnitude than the normal numbers of a format.
    pub(super) fn is_tiny(self, p: Precision) -> bool {
        match self {
            Exact::Finite { exponent, .. } => exponent <= p.least_exponent(),
            Exact::Zero => true,
            Exact::Infinite { .. } | Exact::Nan => false,
        }
    }

    /// Returns the nearest double, for output and for estimates.
    pub(super) fn approximately(self) -> f64 {
        match self {
            Exact::Zero => 0.0,
            Exact::Infinite { negative } => f64::INFINITY.copysign(if negative { -1.0 } else { 1.0 }),
            Exact::Nan => f64::NAN,
            Exact::Finite { high, low, exponent } => scale(high + low, exponent),
        }
    }
}

/// Returns the error of a result in units in the last place of a format. The error is infinite if units
/// cannot measure it: a NaN instead of a number, or an infinity of the wrong sign. An infinite result counts
/// as the number that would follow the largest finite one, because it is allowed where that number would be
/// within the allowed error.
pub(super) fn ulps(p: Precision, result: f64, exact: Exact) -> f64 {
    match exact {
        Exact::Nan => match result.is_nan() {
            true => 0.0,
            false => f64::INFINITY,
        },
        Exact::Infinite { negative } => match result.is_infinite() && (result < 0.0) == negative {
            true => 0.0,
            false => f64::INFINITY,
        },
        Exact::Zero if result.is_nan() => f64::INFINITY,
        Exact::Zero => scale(result.abs(), p.mantissa() - p.least_exponent()),
        Exact::Finite { high, low, exponent } => {
            if result.is_nan() {
                return f64::INFINITY;
            }
            let beyond = p.bias() + 1;
            // The exact value is beyond the format's largest number and the number that would follow it, so
            // an infinity is correct.
            let overflows = exponent > beyond;
            if result.is_infinite() && overflows {
                return if (result < 0.0) == (high < 0.0) {
                    0.0
                } else {
                    f64::INFINITY
                };
            }
            // The two numbers nearest to a power of two are the power itself and the number below it, so the
            // smaller unit applies.
            let power = high.abs() == 0.5 && low == 0.0;
            let leading = (exponent - 1 - i32::from(power)).clamp(p.least_exponent(), p.bias());
            let unit = leading - p.mantissa();
            let got = match result.is_infinite() {
                true => scale(1.0f64.copysign(result), beyond - unit),
                false => scale(result, -unit),
            };
            let apart = (got - scale(high, exponent - unit)) - scale(low, exponent - unit);
            if apart.is_nan() {
                f64::INFINITY
            } else {
                apart.abs()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(result: f32, exact: f64) -> f64 {
        ulps(Precision::Single, f64::from(result), Exact::from_double(exact))
    }

    #[test]
    fn units_are_those_of_the_exact_value() {
        let one_up = f32::from_bits(1.0f32.to_bits() + 1);
        assert_eq!(single(1.5, 1.5), 0.0);
        assert_eq!(single(1.0, 1.0 + 0.25 * f64::from(f32::EPSILON)), 0.25);
        // At a power of two the smaller unit applies.
        assert_eq!(single(one_up, 1.0), 2.0);
        assert_eq!(single(-3.0, 3.0), 6.0 / 2.0 * (1u32 << 23) as f64);
        assert_eq!(single(f32::from_bits(3), f64::from(f32::from_bits(1))), 2.0);
        assert_eq!(single(f32::from_bits(5), 0.0), 5.0);
        assert_eq!(single(-0.0, 0.0), 0.0);
        // This is half a unit of the least subnormal number.
        assert_eq!(single(0.0, scale(1.0, -150)), 0.5);
    }

    #[test]
    fn infinities_and_nans() {
        assert_eq!(single(f32::NAN, f64::NAN), 0.0);
        assert_eq!(single(1.0, f64::NAN), f64::INFINITY);
        assert_eq!(single(f32::NAN, 1.0), f64::INFINITY);
        assert_eq!(single(f32::INFINITY, f64::INFINITY), 0.0);
        assert_eq!(single(f32::NEG_INFINITY, f64::INFINITY), f64::INFINITY);
        // An overflow is correct if the exact value is beyond the format. Otherwise it is measured in units.
        assert_eq!(single(f32::INFINITY, 1e60), 0.0);
        assert_eq!(single(f32::INFINITY, f64::from(f32::MAX)), 1.0);
        assert_eq!(single(f32::MAX, f64::from(f32::MAX) + scale(1.0, 104)), 1.0);
        let (high, low) = (0.75, 0.0);
        let huge = Exact::Finite {
            high,
            low,
            exponent: 5000,
        };
        assert_eq!(ulps(Precision::Double, f64::INFINITY, huge), 0.0);
        assert!(ulps(Precision::Double, f64::MAX, huge) > 1e300);
    }

    #[test]
    fn the_low_part_counts() {
        let exact = Exact::Finite {
            high: 0.75,
            low: scale(1.0, -55),
            exponent: 1,
        };
        assert_eq!(ulps(Precision::Double, 1.5, exact), 0.25);
    }

    #[test]
    fn halves_round_to_even_and_back() {
        let number = |bits: u16| Precision::Half.number(bits.into());
        let bits_of = |x| Precision::Half.to_bits(x) as u16;
        for bits in (0..0x7c00u16).chain(0x8000..0xfc00) {
            let x = number(bits);
            assert_eq!(bits_of(x), bits);
            // The number half way between two neighbours is rounded to the even one.
            let next = number(bits + 1);
            if next.is_finite() {
                let tie = (x + next) / 2.0;
                assert_eq!(bits_of(tie), bits + (bits & 1), "{bits:#x}");
                let (lower, higher) = (tie.abs().next_down().copysign(x), tie.abs().next_up().copysign(x));
                assert_eq!((bits_of(lower), bits_of(higher)), (bits, bits + 1), "{bits:#x}");
            }
        }
        assert_eq!(bits_of(65519.9), 0x7bff);
        assert_eq!(bits_of(65520.0), 0x7c00);
        assert!(number(bits_of(f64::NAN)).is_nan());
        assert!(number(0xfe00).is_sign_negative());
    }
}
