//! Tests the math functions (CL 6.12.2) of half and double: their results differ from those of the C library's
//! functions of double by no more than section 7.4 and cl_khr_fp16 allow. `math.cl` tests float.

use crate::exact::Expected;
use crate::expr::Num;
use crate::lab::Lab;
use crate::lanes::{Call, INT, check, report};
use crate::scalar::Scalar;

#[link(name = "m")]
unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn tgamma(x: f64) -> f64;
    safe fn exp10(x: f64) -> f64;
    safe fn remainder(x: f64, y: f64) -> f64;
    safe fn logb(x: f64) -> f64;
    safe fn ilogb(x: f64) -> i32;
    safe fn acosh(x: f64) -> f64;
    safe fn asinh(x: f64) -> f64;
    safe fn atanh(x: f64) -> f64;
}

const PI: f64 = std::f64::consts::PI;

/// Computes sin(πx) with an exact argument reduction.
fn sinpi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = x - 2.0 * (x / 2.0).round_ties_even();
    let r = if r.abs() > 0.5 { 1f64.copysign(r) - r } else { r };
    if r == 0.0 {
        0f64.copysign(x)
    } else {
        (PI * r).sin()
    }
}

/// Computes cos(πx) with an exact argument reduction.
fn cospi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = (x - 2.0 * (x / 2.0).round_ties_even()).abs();
    if r == 0.5 { 0.0 } else { sinpi(0.5 - r) }
}

/// Computes x to the power of y with the special cases of `powr`, which is exp(y log(x)).
fn powr(x: f64, y: f64) -> f64 {
    let bad = x < 0.0 || (x == 0.0 || x.is_infinite()) && y == 0.0 || x == 1.0 && y.is_infinite();
    if bad || x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    // `powr` does not distinguish -0 from 0.
    x.abs().powf(y)
}

/// Computes the nth root of x; `n` is an integer.
fn rootn(x: f64, n: f64) -> f64 {
    let odd = n % 2.0 != 0.0;
    if n == 0.0 || x < 0.0 && !odd {
        return f64::NAN;
    }
    let r = x.abs().powf(1.0 / n);
    if odd { r.copysign(x) } else { r }
}

/// Computes x times 2^n. The factor is applied in three parts, because 2^n itself may be out of range.
fn ldexp(x: f64, n: f64) -> f64 {
    let third = |k: i32| 2f64.powi((n.clamp(-2400.0, 2400.0) as i32 + k).div_euclid(3));
    x * third(0) * third(1) * third(2)
}

/// Computes the first result of `fract`: x minus its floor.
fn fract(x: f64) -> f64 {
    if x.is_infinite() {
        0f64.copysign(x)
    } else {
        x - x.floor()
    }
}

/// An expression; the types of its operands, where `x` is the type under test and `i` is int; the permitted errors
/// for half and for double in ulp; and the reference.
type Row = (&'static str, &'static str, f64, f64, fn(f64, f64) -> f64);

const ROWS: &[Row] = &[
    ("acos(x)", "x", 2.0, 4.0, |x, _| x.acos()),
    ("acosh(x)", "x", 2.0, 4.0, |x, _| acosh(x)),
    ("acospi(x)", "x", 2.0, 5.0, |x, _| x.acos() / PI),
    ("asin(x)", "x", 2.0, 4.0, |x, _| x.asin()),
    ("asinh(x)", "x", 2.0, 4.0, |x, _| asinh(x)),
    ("asinpi(x)", "x", 2.0, 5.0, |x, _| x.asin() / PI),
    ("atan(x)", "x", 2.0, 5.0, |x, _| x.atan()),
    ("atan2(x, y)", "xx", 2.0, 6.0, |x, y| x.atan2(y)),
    ("atanh(x)", "x", 2.0, 5.0, |x, _| atanh(x)),
    ("atanpi(x)", "x", 2.0, 5.0, |x, _| x.atan() / PI),
    ("atan2pi(x, y)", "xx", 2.0, 6.0, |x, y| x.atan2(y) / PI),
    ("cbrt(x)", "x", 2.0, 2.0, |x, _| x.cbrt()),
    ("cos(x)", "x", 2.0, 4.0, |x, _| x.cos()),
    ("cosh(x)", "x", 2.0, 4.0, |x, _| x.cosh()),
    ("cospi(x)", "x", 2.0, 4.0, |x, _| cospi(x)),
    ("erf(x)", "x", 4.0, 16.0, |x, _| erf(x)),
    ("erfc(x)", "x", 4.0, 16.0, |x, _| erfc(x)),
    ("exp(x)", "x", 2.0, 3.0, |x, _| x.exp()),
    ("exp2(x)", "x", 2.0, 3.0, |x, _| x.exp2()),
    ("exp10(x)", "x", 2.0, 3.0, |x, _| exp10(x)),
    ("expm1(x)", "x", 2.0, 3.0, |x, _| x.exp_m1()),
    ("hypot(x, y)", "xx", 2.0, 4.0, |x, y| x.hypot(y)),
    ("log(x)", "x", 2.0, 3.0, |x, _| x.ln()),
    ("log2(x)", "x", 2.0, 3.0, |x, _| x.log2()),
    ("log10(x)", "x", 2.0, 3.0, |x, _| x.log10()),
    ("log1p(x)", "x", 2.0, 2.0, |x, _| x.ln_1p()),
    ("logb(x)", "x", 0.0, 0.0, |x, _| logb(x)),
    ("pow(x, y)", "xx", 4.0, 16.0, |x, y| x.powf(y)),
    ("pown(x, y)", "xi", 4.0, 16.0, |x, y| x.powf(y)),
    ("powr(x, y)", "xx", 4.0, 16.0, powr),
    ("rootn(x, y)", "xi", 4.0, 16.0, rootn),
    ("rsqrt(x)", "x", 1.0, 2.0, |x, _| 1.0 / x.sqrt()),
    ("sin(x)", "x", 2.0, 4.0, |x, _| x.sin()),
    ("sincos(x, &p)", "x", 2.0, 4.0, |x, _| x.sin()),
    ("(sincos(x, &p), p)", "x", 2.0, 4.0, |x, _| x.cos()),
    ("sinh(x)", "x", 2.0, 4.0, |x, _| x.sinh()),
    ("sinpi(x)", "x", 2.0, 4.0, |x, _| sinpi(x)),
    ("tan(x)", "x", 2.0, 5.0, |x, _| x.tan()),
    ("tanh(x)", "x", 2.0, 5.0, |x, _| x.tanh()),
    ("tgamma(x)", "x", 4.0, 16.0, |x, _| tgamma(x)),
    ("fmod(x, y)", "xx", 0.0, 0.0, |x, y| x % y),
    ("remainder(x, y)", "xx", 0.0, 0.0, |x, y| remainder(x, y)),
    ("remquo(x, y, &q)", "xx", 0.0, 0.0, |x, y| remainder(x, y)),
    ("ldexp(x, y)", "xi", 1.0, 1.0, ldexp),
    ("fract(x, &p)", "x", 1.0, 1.0, |x, _| fract(x)),
    ("(fract(x, &p), p)", "x", 0.0, 0.0, |x, _| x.floor()),
    ("modf(x, &p)", "x", 0.0, 0.0, |x, _| {
        if x.is_infinite() { 0.0 } else { x.fract() }
    }),
    ("(modf(x, &p), p)", "x", 0.0, 0.0, |x, _| x.trunc()),
    ("frexp(x, &q)", "x", 0.0, 0.0, |x, _| {
        if x == 0.0 || !x.is_finite() {
            x
        } else {
            scaled(x, -ilogb(x) - 1)
        }
    }),
];

/// Computes x times 2^`by`. The factor is applied in two parts, because 2^`by` itself may be out of range.
fn scaled(x: f64, by: i32) -> f64 {
    x * 2f64.powi(by / 2) * 2f64.powi(by - by / 2)
}

/// Returns the number that the bits of a scalar stand for.
fn value(s: Scalar, bits: u64) -> f64 {
    match s.decode(&bits.to_le_bytes()[..s.size()]) {
        Num::Int(v) => v as f64,
        Num::Float(v) => v,
    }
}

/// Returns the calls to test for a type.
fn calls(s: Scalar) -> Vec<Call<'static>> {
    let row = |&(text, operands, half, other, reference): &Row| {
        let kinds: Vec<Scalar> = operands.chars().map(|c| if c == 'i' { INT } else { s }).collect();
        let of = kinds.clone();
        // The reference is itself a double, whose error may be one ulp.
        let ulp = match s {
            Scalar::Half => half,
            Scalar::Double if other > 0.5 => other + 1.0,
            _ => other,
        };
        Call {
            text: text.into(),
            operands: kinds,
            result: s,
            reference: Box::new(move |bits| {
                let operand = |k: usize| bits.get(k).map_or(0.0, |b| value(of[k], *b));
                Expected::Near(reference(operand(0), operand(1)), ulp)
            }),
        }
    };
    let mut all: Vec<Call<'_>> = ROWS.iter().map(row).collect();
    let int = |text: &str, reference: fn(f64) -> Option<i32>| Call {
        text: text.into(),
        operands: vec![s],
        result: INT,
        reference: Box::new(move |bits| match reference(value(s, bits[0])) {
            Some(v) => Expected::Bits(u64::from(v as u32)),
            None => Expected::Any,
        }),
    };
    all.push(int("ilogb(x)", |x| (x != 0.0 && x.is_finite()).then(|| ilogb(x))));
    all.push(int("(frexp(x, &q), q)", |x| match x {
        _ if !x.is_finite() => None,
        0.0 => Some(0),
        _ => Some(ilogb(x) + 1),
    }));
    all
}

/// Tests all functions of a type if the device has the type's extension.
fn check_type(s: Scalar, extension: &str) {
    let lab = Lab::new();
    if !lab.has(extension) {
        return;
    }
    let mut wrong = Vec::new();
    // Each function is tested with a single number of lanes, because functions are large and llvmpipe compiles
    // slowly.
    for lanes in 1..=4 {
        let chosen: Vec<Call<'_>> = calls(s)
            .into_iter()
            .enumerate()
            .filter(|(n, _)| [1, 2, 3, 1, 4, 1][(n + s.size()) % 6] == lanes)
            .map(|(_, c)| c)
            .collect();
        wrong.extend(check(&lab, &chosen, lanes, 192));
    }
    report(&wrong);
}

#[test]
fn of_half() {
    check_type(Scalar::Half, "cl_khr_fp16");
}

#[test]
fn of_double() {
    check_type(Scalar::Double, "cl_khr_fp64");
}
