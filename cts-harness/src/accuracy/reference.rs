//! The reference results of the functions. For float and half, the C library's functions for double are exact
//! enough. For double, MPFR computes the results ([`super::mpfr`]). Functions with only one correct result are
//! computed by exact arithmetic on the host.

use super::function::Function;
use super::mpfr::Mpfr;
use super::number::{Exact, Precision, scale};
use crate::float_format::HALF;
use std::cmp::Ordering;

/// The expected results of a function. The value is `None` if the specification leaves it open.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Results {
    pub(super) value: Option<Exact>,
    /// The result that is stored through a pointer, or the value of `ilogb`.
    pub(super) second: Second,
}

#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) enum Second {
    None,
    Number(Exact),
    Int(i64),
}

impl Results {
    fn of(value: Exact) -> Results {
        Results {
            value: Some(value),
            second: Second::None,
        }
    }
}

// SAFETY: ISO C declares these functions with these types, and they have no preconditions. `exp10` and
// `lgamma_r` are extensions of the C library.
unsafe extern "C" {
    safe fn acosh(x: f64) -> f64;
    safe fn asinh(x: f64) -> f64;
    safe fn atanh(x: f64) -> f64;
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn exp10(x: f64) -> f64;
    safe fn lgamma_r(x: f64, sign: &mut i32) -> f64;
    safe fn tgamma(x: f64) -> f64;
    safe fn remainder(x: f64, y: f64) -> f64;
    safe fn nextafter(x: f64, y: f64) -> f64;
    safe fn nextafterf(x: f32, y: f32) -> f32;
}

/// Returns the expected results of a function for operands of a format. `n` is the operand of functions that
/// take an `int`.
pub(super) fn results(
    f: Function,
    p: Precision,
    [x, y, z]: [f64; 3],
    n: i32,
    mut mpfr: Option<&mut Mpfr>,
) -> Results {
    if let Some(results) = special(f, p, x, y, n).or_else(|| exact(f, p, [x, y, z], n)) {
        return results;
    }
    let mut value = |f| match (p, &mut mpfr) {
        (Precision::Double, Some(mpfr)) => mpfr.value(f, x, y, n),
        _ => Exact::from_double(by_the_c_library(f, x, y, n)),
    };
    let second = match f {
        Function::Sincos => Second::Number(value(Function::Cos)),
        Function::LgammaR => gamma_sign(x),
        _ => Second::None,
    };
    Results {
        value: Some(value(f)),
        second,
    }
}

/// Returns the expected sign of the gamma function. At its poles nothing is required.
fn gamma_sign(x: f64) -> Second {
    let mut sign = 0;
    lgamma_r(x, &mut sign);
    if x.is_nan() || (x <= 0.0 && x.floor() == x) {
        return Second::None;
    }
    Second::Int(i64::from(sign.signum()))
}

/// Returns the results where OpenCL (7.5.1) differs from C or leaves them open.
fn special(f: Function, p: Precision, x: f64, y: f64, n: i32) -> Option<Results> {
    use Function as F;
    let open = Some(Results {
        value: None,
        second: Second::None,
    });
    match f {
        // `fmax` and `fmin` need no case. The sign of a zero is not compared, and `exact` returns the number
        // if the other operand is a NaN.
        F::Powr if x.is_nan() || y.is_nan() => Some(Results::of(Exact::Nan)),
        F::Powr if x < 0.0 => Some(Results::of(Exact::Nan)),
        F::Powr if y == 0.0 && (x == 0.0 || x.is_infinite()) => Some(Results::of(Exact::Nan)),
        F::Powr if y.is_infinite() && x == 1.0 => Some(Results::of(Exact::Nan)),
        F::HalfPowr | F::NativePowr
            if x < 0.0 || x.is_nan() || (y == 0.0 && (x == 0.0 || x.is_infinite())) =>
        {
            open
        }
        F::HalfPowr | F::NativePowr if y.is_nan() || (y.is_infinite() && x == 1.0) => open,
        // CL 6.12.2: |x| is at most 2^16.
        F::HalfSin | F::HalfCos | F::HalfTan if x.abs() > 65536.0 || x.is_nan() => open,
        F::Rootn if n == 0 => Some(Results::of(Exact::Nan)),
        F::Ilogb if x == 0.0 || x.is_nan() => open,
        F::Tgamma if x == f64::NEG_INFINITY => Some(Results::of(Exact::Nan)),
        F::Tgamma if x < 0.0 && x.floor() == x => Some(Results::of(Exact::Nan)),
        F::LgammaR if x.is_nan() => Some(Results::of(Exact::Nan)),
        F::LgammaR if x <= 0.0 && x.floor() == x => Some(Results::of(Exact::Infinite { negative: false })),
        F::Tanpi => {
            // tanpi is infinite half way between two integers. A computation with a rounded pi would give a
            // finite number.
            let r = (x - 2.0 * (x / 2.0).round_ties_even()).abs();
            (x.is_finite() && r == 0.5).then(|| {
                let below = (x - 0.5).rem_euclid(2.0) == 0.0;
                Results::of(Exact::Infinite { negative: !below })
            })
        }
        F::Remquo if x.is_infinite() || y == 0.0 || x.is_nan() || y.is_nan() => Some(Results::of(Exact::Nan)),
        F::Modf if x.is_nan() => Some(Results::of(Exact::Nan)),
        F::Fract if x.is_nan() => Some(Results::of(Exact::Nan)),
        F::Fract if x.is_infinite() => Some(Results {
            value: Some(Exact::Zero),
            second: Second::Number(Exact::from_double(x)),
        }),
        F::Frexp if !x.is_finite() => Some(Results::of(Exact::from_double(x))),
        // `Format::next`, unlike the C library's functions, does not handle NaN.
        F::Nextafter if p == Precision::Half && (x.is_nan() || y.is_nan()) => Some(Results::of(Exact::Nan)),
        _ => None,
    }
}

/// Returns the results of functions that have only one correct result. The host computes them in the format
/// itself.
fn exact(f: Function, p: Precision, [x, y, z]: [f64; 3], n: i32) -> Option<Results> {
    use Function as F;
    let magnitudes = |larger: bool| {
        let (a, b) = if larger { (x, y) } else { (y, x) };
        match x.abs().partial_cmp(&y.abs()) {
            Some(Ordering::Greater) => a,
            Some(Ordering::Less) => b,
            Some(Ordering::Equal) | None if larger => x.max(y),
            Some(Ordering::Equal) | None => x.min(y),
        }
    };
    let single = p == Precision::Single;
    let value = match f {
        F::Add => sum(p, x, y),
        F::Subtract => sum(p, x, -y),
        F::Multiply if single => f64::from(x as f32 * y as f32),
        F::Multiply => p.round(x * y),
        F::Divide if p == Precision::Double => x / y,
        F::Reciprocal if p == Precision::Double => 1.0 / x,
        F::Sqrt if p == Precision::Double => x.sqrt(),
        F::Fma | F::Mad => fused(p, x, y, z),
        F::Fdim if x.is_nan() || y.is_nan() => f64::NAN,
        F::Fdim if x <= y => 0.0,
        F::Fdim => sum(p, x, -y),
        F::Ceil => x.ceil(),
        F::Floor => x.floor(),
        F::Trunc => x.trunc(),
        F::Rint => x.round_ties_even(),
        F::Round => x.round(),
        F::Fabs => x.abs(),
        F::Copysign => x.copysign(y),
        F::Fmax => x.max(y),
        F::Fmin => x.min(y),
        F::Maxmag => magnitudes(true),
        F::Minmag => magnitudes(false),
        F::Fmod => x % y,
        F::Remainder | F::Remquo => remainder(x, y),
        F::Fract => {
            let below_one = 1.0 - scale(1.0, -p.mantissa() - 1);
            sum(p, x, -x.floor()).min(below_one)
        }
        F::Modf if x.is_infinite() => 0.0,
        F::Modf => x - x.trunc(),
        F::Frexp => {
            if x == 0.0 {
                x
            } else {
                scale(x, -exponent(x) - 1)
            }
        }
        F::Ldexp => p.round(scale(x, n)),
        F::Logb if x == 0.0 => f64::NEG_INFINITY,
        F::Logb if x.is_infinite() => f64::INFINITY,
        F::Logb if x.is_nan() => x,
        F::Logb => f64::from(exponent(x)),
        F::Ilogb => 0.0,
        F::Nextafter => match p {
            Precision::Half if x == y => y,
            Precision::Half => p.number(HALF.next(p.to_bits(x), p.to_bits(y))),
            Precision::Single => f64::from(nextafterf(x as f32, y as f32)),
            Precision::Double => nextafter(x, y),
        },
        _ => return None,
    };
    let second = match f {
        F::Fract => Second::Number(Exact::from_double(x.floor())),
        F::Modf => Second::Number(Exact::from_double(x.trunc())),
        F::Frexp => Second::Int(if x == 0.0 { 0 } else { i64::from(exponent(x)) + 1 }),
        F::Ilogb if x.is_infinite() => Second::Int(i64::from(i32::MAX)),
        F::Ilogb => Second::Int(i64::from(exponent(x))),
        F::Remquo => Second::Int(low_quotient(x, y)),
        _ => Second::None,
    };
    let value = if f == F::Ilogb {
        None
    } else {
        Some(Exact::from_double(value))
    };
    Some(Results { value, second })
}

/// Returns the exponent of a finite number other than 0.
fn exponent(x: f64) -> i32 {
    match Exact::from_double(x) {
        Exact::Finite { exponent, .. } => exponent - 1,
        Exact::Zero | Exact::Infinite { .. } | Exact::Nan => 0,
    }
}

/// Returns a + b in a format, rounded once.
fn sum(p: Precision, a: f64, b: f64) -> f64 {
    match p {
        Precision::Half => p.round(a + b),
        Precision::Single => f64::from(a as f32 + b as f32),
        Precision::Double => a + b,
    }
}

/// Returns x · y + z in a format, rounded once.
fn fused(p: Precision, x: f64, y: f64, z: f64) -> f64 {
    match p {
        Precision::Half => p.number(HALF.fused(p.to_bits(x), p.to_bits(y), p.to_bits(z))),
        Precision::Single => f64::from((x as f32).mul_add(y as f32, z as f32)),
        Precision::Double => x.mul_add(y, z),
    }
}

/// Returns the low seven bits of the quotient that `remquo` rounds to nearest, with its sign.
fn low_quotient(x: f64, y: f64) -> i64 {
    let sign = if x.is_sign_negative() == y.is_sign_negative() {
        1
    } else {
        -1
    };
    let y = y.abs();
    // The remainder modulo 128 y has the same quotient by y, modulo 128.
    let m = if y.is_finite() && (128.0 * y).is_finite() {
        x.abs() % (128.0 * y)
    } else {
        x.abs()
    };
    if y.is_infinite() {
        return 0;
    }
    sign * (((m - remainder(m, y)) / y).round() as i64 & 127)
}

/// Computes a function with the C library's functions for double. The functions of multiples of pi reduce
/// their argument exactly.
fn by_the_c_library(f: Function, x: f64, y: f64, n: i32) -> f64 {
    use Function as F;
    use std::f64::consts::PI;
    match f.plain() {
        F::Divide => x / y,
        F::Reciprocal => 1.0 / x,
        F::Acos => x.acos(),
        F::Acosh => acosh(x),
        F::Acospi => x.acos() / PI,
        F::Asin => x.asin(),
        F::Asinh => asinh(x),
        F::Asinpi => x.asin() / PI,
        F::Atan => x.atan(),
        F::Atan2 => x.atan2(y),
        F::Atanh => atanh(x),
        F::Atanpi => x.atan() / PI,
        F::Atan2pi => x.atan2(y) / PI,
        F::Cbrt => x.cbrt(),
        F::Cos => x.cos(),
        F::Cosh => x.cosh(),
        F::Cospi => of_pi(x, 0),
        F::Erf => erf(x),
        F::Erfc => erfc(x),
        F::Exp => x.exp(),
        F::Exp2 => x.exp2(),
        F::Exp10 => exp10(x),
        F::Expm1 => x.exp_m1(),
        F::Hypot => x.hypot(y),
        F::Lgamma | F::LgammaR => lgamma_r(x, &mut 0),
        F::Log => x.ln(),
        F::Log2 => x.log2(),
        F::Log10 => x.log10(),
        F::Log1p => x.ln_1p(),
        F::Pow => x.powf(y),
        F::Powr => x.abs().powf(y),
        F::Pown => x.powf(f64::from(n)),
        F::Rootn => root(x, n),
        F::Rsqrt => 1.0 / x.sqrt(),
        F::Sin | F::Sincos => x.sin(),
        F::Sinh => x.sinh(),
        F::Sinpi => of_pi(x, 3),
        F::Sqrt => x.sqrt(),
        F::Tan => x.tan(),
        F::Tanh => x.tanh(),
        F::Tanpi => of_pi(x, 3) / of_pi(x, 0),
        F::Tgamma => tgamma(x),
        _ => f64::NAN,
    }
}

/// Splits x into n/2 + r with |r| <= 1/4, exactly. Returns n modulo 4, and r.
pub(super) fn quarter_turns(x: f64) -> (i32, f64) {
    let y = x - 2.0 * (0.5 * x).round_ties_even();
    let n = (2.0 * y).round_ties_even();
    (n as i32 & 3, y - 0.5 * n)
}

/// Returns cos(pi x) for `shift` 0, and sin(pi x) = cos(pi x - pi/2) for `shift` 3. `shift` counts quarter
/// turns.
fn of_pi(x: f64, shift: i32) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let (n, r) = quarter_turns(x);
    let r = r * std::f64::consts::PI;
    match (n + shift) & 3 {
        0 => r.cos(),
        1 => -r.sin(),
        2 => -r.cos(),
        _ => r.sin(),
    }
}

/// Computes the n-th root. It is exact enough for float: the relative error of the exponential is at most 104
/// times the relative error of the quotient.
fn root(x: f64, n: i32) -> f64 {
    if x < 0.0 && n & 1 == 0 {
        return f64::NAN;
    }
    let r = (x.abs().ln() / f64::from(n)).exp();
    if n & 1 == 1 { r.copysign(x) } else { r }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(f: Function, x: f64, y: f64) -> Option<Exact> {
        results(f, Precision::Single, [x, y, 0.0], 0, None).value
    }

    fn number(x: f64) -> Option<Exact> {
        Some(Exact::from_double(x))
    }

    #[test]
    fn openclc_differs_from_c() {
        assert_eq!(value(Function::Powr, -2.0, 2.0), Some(Exact::Nan));
        assert_eq!(value(Function::Powr, 0.0, 0.0), Some(Exact::Nan));
        assert_eq!(value(Function::Pow, 0.0, 0.0), number(1.0));
        assert_eq!(value(Function::Tanpi, 0.5, 0.0), number(f64::INFINITY));
        assert_eq!(value(Function::Tanpi, -0.5, 0.0), number(f64::NEG_INFINITY));
        assert_eq!(value(Function::Sinpi, 1.5, 0.0), number(-1.0));
        assert_eq!(value(Function::Cospi, 1e10, 0.0), number(1.0));
        assert_eq!(
            value(Function::Fract, -1e-30, 0.0),
            number(f64::from(1.0f32.next_down()))
        );
        assert_eq!(value(Function::Round, -2.5, 0.0), number(-3.0));
        assert_eq!(value(Function::Rint, -2.5, 0.0), number(-2.0));
    }

    #[test]
    fn quotients_have_seven_bits_and_a_sign() {
        let low = |x, y| results(Function::Remquo, Precision::Single, [x, y, 0.0], 0, None).second;
        assert_eq!(low(1001.0, 2.0), Second::Int(500 & 127));
        assert_eq!(low(-7.0, 2.0), Second::Int(-4));
        assert_eq!(low(3.0, -1.5), Second::Int(-2));
        assert_eq!(
            low(1e30, 3.0),
            Second::Int((1e30f64.rem_euclid(384.0) / 3.0).round() as i64 & 127)
        );
    }

    #[test]
    fn halves_are_fused_with_one_rounding() {
        // The exact result is above a tie by less than the last place of a double.
        let (x, y, z) = (scale(1.0, -24), scale(1.0, -24), 1.0 + scale(1.0, -10));
        assert_eq!(fused(Precision::Half, x, y, z), z);
        assert_eq!(fused(Precision::Half, 255.0, 257.0, 1.0), f64::INFINITY);
        assert_eq!(fused(Precision::Half, 3.0, 5.0, -1.0), 14.0);
    }

    #[test]
    fn doubles_are_scaled_with_one_rounding() {
        // 3 · 2⁻¹⁰⁷⁵ is half way between 2⁻¹⁰⁷⁴ and 2⁻¹⁰⁷³, and is rounded to the even one.
        assert_eq!(scale(3.0, -1075), f64::from_bits(2));
        assert_eq!(scale(1.0, 2000), f64::INFINITY);
        assert_eq!(scale(f64::from_bits(1), 1074), 1.0);
    }
}
