//! Exact values of the numbers of every scalar type, and the conversions between the types (CL 6.2.3), computed with
//! integer arithmetic only.

use crate::expr::Num;
use crate::scalar::Scalar;

/// The value of a number: m · 2^e with a sign, infinity or NaN.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Real {
    Nan,
    Infinite { negative: bool },
    Finite { negative: bool, m: u128, e: i32 },
}

/// A rounding mode (6.2.3.2).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Rte,
    Rtz,
    Rtp,
    Rtn,
}

impl Mode {
    pub(crate) const ALL: [Mode; 4] = [Mode::Rte, Mode::Rtz, Mode::Rtp, Mode::Rtn];

    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Mode::Rte => "_rte",
            Mode::Rtz => "_rtz",
            Mode::Rtp => "_rtp",
            Mode::Rtn => "_rtn",
        }
    }
}

/// Returns the number of explicit mantissa bits of a floating-point type, and the exponent of the last bit of its
/// subnormal numbers. Returns `None` for an integer type.
pub(crate) fn format(scalar: Scalar) -> Option<(u32, i32)> {
    match scalar {
        Scalar::Int { .. } => None,
        Scalar::Half => Some((10, -24)),
        Scalar::Float => Some((23, -149)),
        Scalar::Double => Some((52, -1074)),
    }
}

/// Returns the value of the bits of a type.
pub(crate) fn decode(scalar: Scalar, bits: u64) -> Real {
    let Some((digits, least)) = format(scalar) else {
        let value = as_integer(scalar, bits);
        return Real::Finite {
            negative: value < 0,
            m: value.unsigned_abs(),
            e: 0,
        };
    };
    let width = 8 * scalar.size() as u32;
    let negative = bits >> (width - 1) & 1 != 0;
    let fraction = bits & ((1 << digits) - 1);
    let most = (1u64 << (width - 1 - digits)) - 1;
    match bits >> digits & most {
        field if field == most && fraction != 0 => Real::Nan,
        field if field == most => Real::Infinite { negative },
        0 => Real::Finite {
            negative,
            m: fraction.into(),
            e: least,
        },
        field => Real::Finite {
            negative,
            m: (fraction | 1 << digits).into(),
            e: least + field as i32 - 1,
        },
    }
}

/// Returns the value of the bits of an integer type.
pub(crate) fn as_integer(scalar: Scalar, bits: u64) -> i128 {
    let Scalar::Int { bytes, signed } = scalar else {
        panic!("{scalar:?} is no integer type");
    };
    let unused = 128 - 8 * bytes as u32;
    let shifted = (bits as i128) << unused;
    if signed {
        shifted >> unused
    } else {
        (shifted as u128 >> unused) as i128
    }
}

/// Returns the least and the greatest value of an integer type.
pub(crate) fn range(scalar: Scalar) -> (i128, i128) {
    let Scalar::Int { bytes, signed } = scalar else {
        panic!("{scalar:?} is no integer type");
    };
    let bits = 8 * bytes as u32;
    if signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// Returns m / 2^drop, rounded.
fn shifted(m: u128, drop: u32, negative: bool, mode: Mode) -> u128 {
    if drop == 0 || m == 0 {
        return m;
    }
    let kept = if drop > 127 { 0 } else { m >> drop };
    let lost = if drop > 127 { m } else { m & ((1 << drop) - 1) };
    let above_half = match drop {
        1..=127 => lost.cmp(&(1 << (drop - 1))),
        _ => std::cmp::Ordering::Less,
    };
    let up = match mode {
        Mode::Rtz => false,
        Mode::Rtp => lost != 0 && !negative,
        Mode::Rtn => lost != 0 && negative,
        Mode::Rte => above_half.is_gt() || above_half.is_eq() && kept & 1 != 0,
    };
    kept + u128::from(up)
}

/// Rounds a value to an integer by the mode. The result is clamped to ±2^100.
pub(crate) fn to_integer(negative: bool, m: u128, e: i32, mode: Mode) -> i128 {
    let magnitude = if e <= 0 {
        shifted(m, e.unsigned_abs(), negative, mode)
    } else if m != 0 && (e > 100 || m.ilog2() as i32 + e > 100) {
        1 << 100
    } else {
        m << e
    };
    let value = magnitude as i128;
    if negative { -value } else { value }
}

/// Rounds a value to a floating-point type by the mode, and returns the bits of the result.
pub(crate) fn encode(scalar: Scalar, value: Real, mode: Mode) -> u64 {
    let (digits, least) = format(scalar).expect("a floating-point type");
    let width = 8 * scalar.size() as u32;
    let sign = |negative: bool| u64::from(negative) << (width - 1);
    let infinity = ((1u64 << (width - 1 - digits)) - 1) << digits;
    match value {
        Real::Nan => infinity | 1 << (digits - 1),
        Real::Infinite { negative } => sign(negative) | infinity,
        Real::Finite { negative, m: 0, .. } => sign(negative),
        Real::Finite { negative, m, e } => {
            // The exponent of the last bit that is kept.
            let last = (e + m.ilog2() as i32 - digits as i32).max(least);
            let units = if last >= e {
                shifted(m, (last - e) as u32, negative, mode)
            } else {
                m << (e - last)
            };
            // A carry increments the exponent, so a result in the next binade needs no special case.
            let bits = (((last - least) as u64) << digits) + units as u64;
            let toward_zero = match mode {
                Mode::Rte => false,
                Mode::Rtz => true,
                Mode::Rtp => negative,
                Mode::Rtn => !negative,
            };
            let finite = if last - least > (infinity >> digits) as i32 || bits >= infinity {
                infinity - u64::from(toward_zero)
            } else {
                bits
            };
            sign(negative) | finite
        }
    }
}

/// The result that a test expects.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Expected {
    Bits(u64),
    Nan,
    /// Zero of either sign.
    Zero,
    /// A value, within an error in units in the last place.
    Near(f64, f64),
    /// Any result, because the specification does not define it.
    Any,
}

impl Expected {
    /// Returns whether bits of the type are the expected result. Without `subnormals`, subnormal results may be zero.
    pub(crate) fn met_by(self, scalar: Scalar, bits: u64, subnormals: bool) -> bool {
        match self {
            Expected::Any => true,
            Expected::Nan => decode(scalar, bits) == Real::Nan,
            Expected::Zero => is_zero(scalar, bits),
            Expected::Near(x, ulp) => {
                let got = scalar.decode(&bits.to_le_bytes()[..scalar.size()]);
                // OpenCL C 7.5.3: a permitted result that is subnormal may be flushed.
                let may_be_flushed = match scalar {
                    Scalar::Float => x.abs() - ulp * 2f64.powi(-149) < f32::MIN_POSITIVE.into(),
                    Scalar::Double => x.abs() < f64::MIN_POSITIVE + ulp * 5e-324,
                    Scalar::Half | Scalar::Int { .. } => false,
                };
                scalar.close(got, Num::Float(x), ulp)
                    || !subnormals && may_be_flushed && is_zero(scalar, bits)
            }
            Expected::Bits(b) => bits == b || !subnormals && is_subnormal(scalar, b) && is_zero(scalar, bits),
        }
    }
}

/// Returns whether the bits are those of a subnormal number of type float or double.
pub(crate) fn is_subnormal(scalar: Scalar, bits: u64) -> bool {
    let (exponent, mantissa) = match scalar {
        Scalar::Float => (0x7F80_0000, 0x7F_FFFF),
        Scalar::Double => (0x7FF << 52, (1 << 52) - 1),
        Scalar::Half | Scalar::Int { .. } => return false,
    };
    bits & exponent == 0 && bits & mantissa != 0
}

fn is_zero(scalar: Scalar, bits: u64) -> bool {
    matches!(decode(scalar, bits), Real::Finite { m: 0, .. })
}

/// Returns the expected result of `convert_<to>[_sat][_mode]` of the bits of a value of type `from`.
pub(crate) fn convert(bits: u64, from: Scalar, to: Scalar, sat: bool, mode: Option<Mode>) -> Expected {
    let value = decode(from, bits);
    let Scalar::Int { bytes, .. } = to else {
        return match value {
            Real::Nan => Expected::Nan,
            _ => Expected::Bits(encode(to, value, mode.unwrap_or(Mode::Rte))),
        };
    };
    let (low, high) = range(to);
    let integer = match value {
        Real::Nan if sat => 0,
        Real::Nan => return Expected::Any,
        Real::Infinite { negative } if negative => -(1 << 100),
        Real::Infinite { .. } => 1 << 100,
        Real::Finite { negative, m, e } => to_integer(negative, m, e, mode.unwrap_or(Mode::Rtz)),
    };
    let integer = match from {
        _ if sat => integer.clamp(low, high),
        Scalar::Half | Scalar::Float | Scalar::Double if integer < low || integer > high => {
            return Expected::Any;
        }
        _ => integer,
    };
    let mask = u64::MAX >> (64 - 8 * bytes);
    Expected::Bits(integer as u64 & mask)
}

#[test]
fn agrees_with_the_host() {
    let mut random = crate::lab::Random::new(7);
    for _ in 0..20_000 {
        let bits = random.next();
        // Exponents near the range of float.
        let bits = bits & !(0x7F << 52) | (0x400 - 0x40) << 52 & bits;
        let x = f64::from_bits(bits);
        if !x.is_nan() {
            let expected = Expected::Bits((x as f32).to_bits().into());
            assert_eq!(
                convert(bits, Scalar::Double, Scalar::Float, false, None),
                expected,
                "{x:e}"
            );
        }
        let int = Scalar::Int {
            bytes: 4,
            signed: true,
        };
        let expected = Expected::Bits(u64::from(x as i32 as u32));
        assert_eq!(convert(bits, Scalar::Double, int, true, None), expected, "{x:e}");
        let long = Scalar::Int {
            bytes: 8,
            signed: true,
        };
        let expected = Expected::Bits((bits as i64 as f32).to_bits().into());
        assert_eq!(
            convert(bits, long, Scalar::Float, false, None),
            expected,
            "{bits:x}"
        );
    }
    // A number just below 2^-149, rounded up and down; the greatest half, and numbers above it.
    let up = |bits: f64, to, mode| convert(bits.to_bits(), Scalar::Double, to, false, Some(mode));
    let tiny = 2f64.powi(-149) * (1.0 - 2f64.powi(-51));
    assert_eq!(up(tiny, Scalar::Float, Mode::Rtp), Expected::Bits(1));
    assert_eq!(up(tiny, Scalar::Float, Mode::Rtn), Expected::Bits(0));
    assert_eq!(up(-tiny, Scalar::Float, Mode::Rtn), Expected::Bits(0x8000_0001));
    assert_eq!(up(65519.9, Scalar::Half, Mode::Rte), Expected::Bits(0x7BFF));
    assert_eq!(up(65520.0, Scalar::Half, Mode::Rte), Expected::Bits(0x7C00));
    assert_eq!(up(1e9, Scalar::Half, Mode::Rtz), Expected::Bits(0x7BFF));
    assert_eq!(up(-1e9, Scalar::Half, Mode::Rtp), Expected::Bits(0xFBFF));
    assert_eq!(up(1e-9, Scalar::Half, Mode::Rtp), Expected::Bits(1));
}

#[test]
fn only_subnormal_results_are_flushed() {
    let least = f32::MIN_POSITIVE;
    let met = |expected: Expected, x: f32, subnormals: bool| {
        expected.met_by(Scalar::Float, x.to_bits().into(), subnormals)
    };
    let near = |x: f32| Expected::Near(x.into(), 2.5);
    for flushed in [0.0, -0.0] {
        assert!(met(near(least / 2.0), flushed, false));
        assert!(!met(near(least / 2.0), flushed, true));
        assert!(!met(near(least * 1.001), flushed, false));
    }
    assert!(!met(near(least / 2.0), least, false));
    assert!(!met(near(least / 2.0), f32::NAN, false));
    assert!(met(near(least / 2.0), least / 2.0 + f32::from_bits(2), true));
    assert!(!met(near(least / 2.0), least / 2.0 + f32::from_bits(3), false));
}
