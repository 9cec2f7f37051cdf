//! The scalar types of test files, in memory and as numbers.

use crate::expr::Num;

/// A scalar type of OpenCL C.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    Int { bytes: usize, signed: bool },
    Half,
    Float,
    Double,
}

/// The scalar types of the language, by name.
pub(crate) const SCALARS: [(&str, Scalar); 11] = {
    const fn int(bytes: usize, signed: bool) -> Scalar {
        Scalar::Int { bytes, signed }
    }
    [
        ("char", int(1, true)),
        ("uchar", int(1, false)),
        ("short", int(2, true)),
        ("ushort", int(2, false)),
        ("int", int(4, true)),
        ("uint", int(4, false)),
        ("long", int(8, true)),
        ("ulong", int(8, false)),
        ("half", Scalar::Half),
        ("float", Scalar::Float),
        ("double", Scalar::Double),
    ]
};

impl Scalar {
    pub(crate) fn named(name: &str) -> Scalar {
        let found = SCALARS.iter().find(|(n, _)| *n == name);
        found.unwrap_or_else(|| panic!("unknown type {name}")).1
    }

    pub(crate) fn size(self) -> usize {
        match self {
            Scalar::Int { bytes, .. } => bytes,
            Scalar::Half => 2,
            Scalar::Float => 4,
            Scalar::Double => 8,
        }
    }

    pub(crate) fn encode(self, value: Num) -> Vec<u8> {
        match self {
            Scalar::Int { bytes, .. } => value.int().to_le_bytes()[..bytes].to_vec(),
            Scalar::Half => half_from(value.float()).to_le_bytes().to_vec(),
            Scalar::Float => (value.float() as f32).to_le_bytes().to_vec(),
            Scalar::Double => value.float().to_le_bytes().to_vec(),
        }
    }

    pub(crate) fn decode(self, bytes: &[u8]) -> Num {
        let mut wide = [0u8; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let raw = i128::from_le_bytes(wide);
        match self {
            Scalar::Int { bytes, signed } => {
                let unused = 128 - 8 * bytes as u32;
                Num::Int(if signed { raw << unused >> unused } else { raw })
            }
            Scalar::Half => Num::Float(half_to(raw as u16)),
            Scalar::Float => Num::Float(f64::from(f32::from_bits(raw as u32))),
            Scalar::Double => Num::Float(f64::from_bits(raw as u64)),
        }
    }

    /// Returns whether a result is within `ulp` units in the last place of the expected value.
    pub(crate) fn close(self, got: Num, expected: Num, ulp: f64) -> bool {
        let (mantissa, least) = match self {
            Scalar::Int { .. } => return got == expected,
            Scalar::Half => (10, -24),
            Scalar::Float => (23, -149),
            Scalar::Double => (52, -1074),
        };
        let greatest = match self {
            Scalar::Half => 65504.0,
            Scalar::Float => f64::from(f32::MAX),
            Scalar::Int { .. } | Scalar::Double => f64::MAX,
        };
        let (g, e) = (got.float(), expected.float());
        let overflows = e.abs() > greatest * (1.0 + 2f64.powi(-mantissa - 2));
        let nearest = if overflows { f64::INFINITY.copysign(e) } else { e };
        if g == nearest || (g.is_nan() && e.is_nan()) {
            return true;
        }
        if e.is_infinite() || e == 0.0 {
            return false;
        }
        let exponent = e.abs().log2().floor() as i32 - mantissa;
        let one = 2f64.powi(exponent.max(least));
        (g - e).abs() <= ulp * one
    }
}

/// Converts a double to half, rounding to nearest, ties to even.
fn half_from(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let x = value.abs();
    if x.is_nan() {
        return 0x7E00;
    }
    // The value in units of the last place of a normal or subnormal half.
    let exponent = if x < 2f64.powi(-14) {
        -14
    } else {
        x.log2().floor() as i32
    };
    let units = (x / 2f64.powi(exponent - 10)).round_ties_even();
    let bits = units + f64::from((exponent + 14) * 1024);
    sign | if bits >= f64::from(0x7C00) {
        0x7C00
    } else {
        bits as u16
    }
}

fn half_to(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => return f64::NAN.copysign(sign),
        e => (1024.0 + mantissa) * 2f64.powi(e - 25),
    }
}

#[test]
fn halves() {
    for (value, bits) in [
        (1.0, 0x3C00),
        (-2.0, 0xC000),
        (65504.0, 0x7BFF),
        (1e6, 0x7C00),
        (2f64.powi(-24), 1),
        (0.0, 0),
    ] {
        assert_eq!(half_from(value), bits, "{value}");
    }
    for bits in 0..0x7C00 {
        assert_eq!(half_from(half_to(bits)), bits);
    }
}

#[test]
fn exact_limits_are_exact() {
    let close = |got: f64, expected: f64| Scalar::Float.close(Num::Float(got), Num::Float(expected), 2.5);
    let (most, beyond) = (f64::from(f32::MAX), 2f64.powi(128));
    assert!(close(f64::INFINITY, f64::INFINITY));
    assert!(close(f64::INFINITY, beyond));
    assert!(close(most, beyond));
    for got in [1.0, most, f64::NEG_INFINITY, f64::NAN] {
        assert!(!close(got, f64::INFINITY), "{got}");
    }
    assert!(!close(1.0, beyond));
    assert!(!close(1e-45, 0.0));
    assert!(!close(f64::INFINITY, most));
}
