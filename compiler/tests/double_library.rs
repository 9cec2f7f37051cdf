//! Tests the library's functions of double by interpretation: the versions for targets whose fused
//! multiply-add is one operation (`lib/math_double.cl`), and the versions for all formats. Errors must be
//! within the limits of section 7.4, and special values must be right. The host's functions are the
//! reference; they are exact to 1 unit. `rsqrt` is in `float_library.rs`.

#[path = "common/library.rs"]
mod library;

use caldera_compiler::driver::Object;
use caldera_compiler::interp::{Memory, call};
use caldera_compiler::ir::Func;
use caldera_compiler::options::Options;
use caldera_compiler::target::{Calibration, Target};

struct Library {
    object: Object,
    function: Func,
}

impl Library {
    fn new(call: &str, fast: bool) -> Library {
        let mut target = Target::desktop();
        target.features.fast_fma = fast;
        target.calibration = Calibration {
            fused_fma: [true; 3],
            exp2: fast,
            rsqrt: fast,
            ..Calibration::default()
        };
        let (object, function) = library::tested("double", call, &Options::default(), &target);
        Library { object, function }
    }

    fn at(&self, x: f64, y: f64) -> f64 {
        let arguments = [vec![x.to_bits()], vec![y.to_bits()]];
        let mut memory = Memory::default();
        let result = call(
            &self.object.module,
            self.function,
            &arguments,
            &mut memory,
            20_000,
        );
        f64::from_bits(result.expect("a result")[0])
    }
}

/// Returns the difference between a result and the expected value in units in the last place.
fn units(got: f64, expected: f64) -> f64 {
    if got == expected || (got.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let exponent = (expected.abs().to_bits() >> 52).max(1) as i32;
    // The unit may be subnormal, so it is the product of two powers that are normal.
    let unit = 2f64.powi((exponent - 1075) / 2) * 2f64.powi(exponent - 1075 - (exponent - 1075) / 2);
    (got - expected).abs() / unit
}

/// Returns 400 arguments in an interval, 100 close to 0, and 100 among all numbers.
fn arguments((lo, hi): (f64, f64)) -> impl Iterator<Item = f64> {
    let part = |k: u32| (f64::from(k) * 0.618_033_988_749_894_9).fract();
    let within = (0..400).map(move |k| lo + (hi - lo) * part(k));
    let near = (0..100).map(move |k| (lo + (hi - lo) * part(k)) * 2f64.powi(-(k as i32)));
    let anywhere =
        (0..100).map(move |k| f64::from_bits((part(k) * 18_446_744_073_709_551_616.0) as u64 | 0x5a5a));
    within.chain(near).chain(anywhere).filter(|x| x.is_finite())
}

const PI: f64 = std::f64::consts::PI;

/// Returns sin(pi x) and cos(pi x), computed from the difference to the nearest multiple of 1/2.
fn turned(x: f64) -> (f64, f64) {
    let halves = (2.0 * x).round();
    let (s, c) = (PI * (x - halves / 2.0)).sin_cos();
    match halves.rem_euclid(4.0) as u32 {
        0 => (s, c),
        1 => (c, 0.0 - s),
        2 => (0.0 - s, -c),
        _ => (-c, s),
    }
}

/// A function, its greatest allowed error including the host's own error, an interval, and the host's
/// function.
type Row = (&'static str, f64, (f64, f64), fn(f64) -> f64);

const ROWS: &[Row] = &[
    ("exp", 2.0, (-745.0, 709.0), f64::exp),
    ("exp2", 2.0, (-1074.0, 1024.0), f64::exp2),
    ("exp10", 3.0, (-323.0, 308.0), |x| {
        // Computes 10^x with a correction for the rounding of x log2(10); outside this range it overflows or
        // underflows.
        let x = x.clamp(-400.0, 400.0);
        let (hi, lo) = (std::f64::consts::LOG2_10, 1.661_617_516_973_592e-16);
        let p = x * hi;
        let rest = x.mul_add(hi, -p) + x * lo;
        p.exp2() * (1.0 + rest * std::f64::consts::LN_2)
    }),
    ("expm1", 2.8, (-40.0, 40.0), f64::exp_m1),
    ("log", 1.8, (0.0, 4.0), f64::ln),
    ("log2", 2.6, (0.0, 4.0), f64::log2),
    ("log10", 2.8, (0.0, 4.0), f64::log10),
    ("log1p", 2.2, (-1.0, 4.0), f64::ln_1p),
    ("sin", 2.5, (-300.0, 300.0), f64::sin),
    ("cos", 2.5, (-300.0, 300.0), f64::cos),
    ("tan", 4.0, (-300.0, 300.0), f64::tan),
    ("sinpi", 3.0, (-9.0, 9.0), |x| turned(x).0),
    ("cospi", 3.0, (-9.0, 9.0), |x| turned(x).1),
    ("tanpi", 5.0, (-9.0, 9.0), |x| turned(x).0 / turned(x).1),
    ("asin", 3.5, (-1.0, 1.0), f64::asin),
    ("acos", 3.0, (-1.0, 1.0), f64::acos),
    ("atan", 3.2, (-4.0, 4.0), f64::atan),
    ("sinh", 3.4, (-20.0, 20.0), f64::sinh),
    ("cosh", 2.5, (-710.0, 710.0), f64::cosh),
    ("tanh", 4.0, (-10.0, 10.0), f64::tanh),
    ("sqrt", 0.0, (0.0, 4.0), f64::sqrt),
    ("cbrt", 2.0, (-30.0, 30.0), f64::cbrt),
];

#[test]
fn errors_are_small() {
    for &(name, limit, interval, exact) in ROWS {
        for fast in [true, false] {
            let library = Library::new(&format!("{name}(x)"), fast);
            for x in arguments(interval) {
                let (got, expected) = (library.at(x, 0.0), exact(x));
                // For large numbers the host reduces by a rounded pi, so its result cannot be compared.
                if name.ends_with("pi") && x.abs() > 1e6 {
                    continue;
                }
                let error = units(got, expected);
                assert!(
                    error <= limit,
                    "{name}({x:e}), fast {fast}: {got:e}, not {expected:e}"
                );
            }
        }
    }
}

/// Both versions must agree where a result is not an ordinary number.
#[test]
fn special_values() {
    let names = [
        "asinh", "acosh", "atanh", "erf", "erfc", "tgamma", "asinpi", "atanpi",
    ];
    let all = ROWS.iter().map(|row| row.0).chain(names);
    let mut operands = vec![
        0.0,
        f64::INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        1.0,
        5e-324,
        1e-310,
    ];
    operands.extend((1..14).map(|k| f64::from(k) * 0.25));
    operands.extend([
        2f64.powi(50),
        2f64.powi(51) + 0.5,
        1e15 + 0.5,
        1e22,
        2f64.powi(1000),
    ]);
    operands.extend([
        709.782_712_893_384,
        709.782_712_893_384_2,
        745.133_219_101_941_1,
        745.2,
        750.0,
    ]);
    operands.extend([
        1_023.999_999_999_999_9,
        1024.0,
        1074.0,
        1075.5,
        308.2547,
        308.26,
        323.3,
        324.0,
    ]);
    // A NaN that only the low word of the bits distinguishes from infinity.
    operands.push(f64::from_bits(0x7ff0_0000_0000_0001));
    for name in all {
        let [fast, plain] = [true, false].map(|fast| Library::new(&format!("{name}(x)"), fast));
        for x in operands.iter().flat_map(|x| [*x, -x]) {
            let (got, expected) = (fast.at(x, 0.0), plain.at(x, 0.0));
            let near = expected != 0.0 && got != 0.0 && units(got, expected) <= 8.0;
            let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
            assert!(same || near, "{name}({x:e}) is {got:e}, not {expected:e}");
        }
    }
}

/// Operands of all magnitudes whose roots are close to the middle between two numbers.
#[test]
fn roots_are_rounded_once() {
    let library = Library::new("sqrt(x)", true);
    assert!(!library.object.to_text().contains("intrinsic sqrt"));
    let mut state = 1u64;
    for n in 0..1500 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let middle = u128::from((1 << 53) | (state >> 11) | 1);
        let square = (middle * middle) as f64 * 2f64.powi(-106);
        let exponent = if n % 8 == 0 {
            [-1070, 1020][n as usize / 8 % 2]
        } else {
            (n % 1000) - 500
        };
        let x = f64::from_bits(square.to_bits() - 1 + n as u64 % 3)
            * 2f64.powi(exponent / 2)
            * 2f64.powi(exponent - exponent / 2);
        let got = library.at(x, 0.0);
        assert_eq!(got.to_bits(), x.sqrt().to_bits(), "sqrt({x:e}) is {got:e}");
    }
}

/// The version that the target does not run is not even parsed.
#[test]
fn only_one_form_is_compiled() {
    let (fast, general) = (Library::new("exp(x)", true), Library::new("exp(x)", false));
    assert!(
        fast.object.to_text().contains("__c_exp_poly_d") && !fast.object.to_text().contains("__c_exp_small")
    );
    assert!(!general.object.to_text().contains("__c_exp_poly_d"));
}

#[test]
fn remainders_are_exact() {
    let calls = [
        "fmod(x, y)",
        "remainder(x, y)",
        "({ int q; remquo(x, y, &q); q; })",
    ];
    let libraries = calls.map(|call| [true, false].map(|fast| Library::new(call, fast)));
    let part = |k: u32| (f64::from(k) * 0.618_033_988_749_894_9).fract();
    let mut pairs: Vec<(f64, f64)> = (0..300)
        .map(|k| ((part(k) - 0.5) * 200.0, (part(k + 7) - 0.5) * 4.0))
        .collect();
    // Multiples of halves of the divisor, and quotients of many bits.
    pairs.extend((0..100).map(|k| (f64::from(k) * 0.375, if k % 2 == 0 { 0.75 } else { -0.75 })));
    pairs.extend((0..100).map(|k| ((1.0 + part(k)) * 2f64.powi(k as i32 - 20), 1.0 + part(k + 50))));
    let edges = [
        0.0,
        -0.0,
        1.0,
        -3.0,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        2f64.powi(-100),
        1e-31,
    ];
    pairs.extend(edges.iter().flat_map(|x| edges.iter().map(move |y| (*x, *y))));
    for (x, y) in pairs {
        for (call, [fast, plain]) in calls.iter().zip(&libraries) {
            let (got, expected) = (fast.at(x, y), plain.at(x, y));
            let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
            assert!(same, "{call} at {x:e}, {y:e} is {got:e}, not {expected:e}");
        }
        let (got, expected) = (libraries[0][0].at(x, y), x % y);
        let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
        assert!(same, "fmod({x:e}, {y:e}) is {got:e}, not {expected:e}");
    }
}

#[test]
fn angles_of_points() {
    let [fast, plain] = [true, false].map(|fast| Library::new("atan2(x, y)", fast));
    let part = |k: u32| (f64::from(k) * 0.618_033_988_749_894_9).fract();
    for k in 0..600 {
        let size = 2f64.powi((k as i32 * 37) % 1000 - 500);
        let (y, x) = (
            (part(k) - 0.5) * size,
            (part(k + 11) - 0.4) * size * 2f64.powi(k as i32 % 5),
        );
        let error = units(fast.at(y, x), y.atan2(x));
        assert!(error <= 3.0, "atan2({y:e}, {x:e}): {error}");
    }
    let edges = [
        0.0,
        1.0,
        5e-324,
        1e-310,
        2f64.powi(-1022),
        2f64.powi(1023),
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    for y in edges.iter().flat_map(|y| [*y, -y]) {
        for x in edges.iter().flat_map(|x| [*x, -x]) {
            let (got, expected) = (fast.at(y, x), plain.at(y, x));
            let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
            let near = expected != 0.0 && units(got, expected) <= 3.0;
            assert!(same || near, "atan2({y:e}, {x:e}) is {got:e}, not {expected:e}");
        }
    }
}

/// Compares all pairs of numbers that differ in a single property each.
#[test]
fn magnitudes_are_compared() {
    let magnitudes = [
        0.0,
        5e-324,
        1e-323,
        1.0,
        f64::from_bits(1f64.to_bits() + 1),
        f64::from_bits(1f64.to_bits() + (1 << 32)),
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
        f64::from_bits(0x7ff0_0000_0000_0001),
    ];
    let operands: Vec<f64> = magnitudes.into_iter().flat_map(|x| [x, -x]).collect();
    let [most, least] = ["maxmag(x, y)", "minmag(x, y)"].map(|call| Library::new(call, true));
    for &x in &operands {
        for &y in &operands {
            // (magnitude, without a sign), as 6.12.2 specifies; if one operand is a NaN, the result is the
            // other.
            let rank = |v: f64| (v.abs().to_bits(), v.is_sign_positive());
            let (larger, smaller) = match (x.is_nan(), y.is_nan()) {
                (true, _) => (y, y),
                (_, true) => (x, x),
                _ if rank(x) > rank(y) => (x, y),
                _ => (y, x),
            };
            for (library, expected) in [(&most, larger), (&least, smaller)] {
                let got = library.at(x, y);
                let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
                assert!(same, "{x:e}, {y:e}: {got:e}, expected {expected:e}");
            }
        }
    }
}
