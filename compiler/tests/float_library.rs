//! Tests the library's functions of float by interpretation, for targets whose fused multiply-add is one
//! operation and whose 2^x is accurate (`lib/math_float.cl`). Errors must be within the limits of section
//! 7.4, and special values must be right. `cargo harness accuracy` measures the results of devices.

#[path = "common/library.rs"]
mod library;

use caldera_compiler::driver::Object;
use caldera_compiler::interp::{Memory, call};
use caldera_compiler::ir::Func;
use caldera_compiler::options::Options;
use caldera_compiler::target::{Calibration, Target};

/// A function of one or two floats that is interpreted.
struct Library {
    object: Object,
    function: Func,
}

impl Library {
    fn new(call: &str, fast: bool) -> Library {
        Library::with(call, fast, "")
    }

    /// Returns whether an operation occurs in the object after `select_arithmetic`.
    fn uses(&self, operation: &str) -> bool {
        self.object.to_text().contains(operation)
    }

    fn with(call: &str, fast: bool, options: &str) -> Library {
        Library::on(call, fast, [true; 3], options)
    }

    fn without_doubles(call: &str) -> Library {
        let mut target = Target::desktop();
        target.features.float64 = false;
        target.extensions.retain(|name| name != "cl_khr_fp64");
        target.calibration.fused_fma = [false; 3];
        let options = Options::parse("").expect("options");
        let (object, function) = library::tested("float", call, &options, &target);
        Library { object, function }
    }

    /// `fused` tells whether the multiply-adds of half, float and double round once.
    fn on(call: &str, fast: bool, fused: [bool; 3], options: &str) -> Library {
        let options = Options::parse(options).expect("options");
        let mut target = Target::desktop();
        target.features.fast_fma = fast;
        target.calibration = Calibration {
            fused_fma: fused,
            exp2: fast,
            rsqrt: fast,
            flushing_fma: fast,
            ..Calibration::default()
        };
        let (object, function) = library::tested("float", call, &options, &target);
        Library { object, function }
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        self.at_with(x, y, Memory::default())
    }

    /// Evaluates the function where comparisons flush subnormal numbers to zero.
    fn at_flushing(&self, x: f32, y: f32) -> f32 {
        let mut memory = Memory::default();
        memory.comparisons_flush = true;
        self.at_with(x, y, memory)
    }

    fn at_with(&self, x: f32, y: f32, mut memory: Memory) -> f32 {
        let lane = |v: f32| vec![u64::from(v.to_bits())];
        let arguments = [lane(x), lane(y)];
        let result = call(
            &self.object.module,
            self.function,
            &arguments,
            &mut memory,
            10_000,
        );
        f32::from_bits(result.expect("a result")[0] as u32)
    }
}

/// Returns the difference between a result and the exact value in units in the last place.
fn units(got: f32, exact: f64) -> f64 {
    let expected = exact as f32;
    if got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    let unit = exact
        .abs()
        .max(f64::from(f32::MIN_POSITIVE))
        .log2()
        .floor()
        .exp2()
        * f64::from(f32::EPSILON);
    (f64::from(got) - exact).abs() / unit
}

/// Returns 500 arguments in an interval and 125 among all numbers, different ones for the first and the
/// second operand.
fn arguments((lo, hi): (f32, f32), operand: usize) -> impl Iterator<Item = f32> {
    let step = [0.618_033_988_75, 0.754_877_666_25][operand];
    let part = move |k: u32| (f64::from(k) * step).fract();
    let within = (0..500).map(move |k| lo + (hi - lo) * part(k) as f32);
    let anywhere = (0..125).map(move |k| f32::from_bits((part(k) * 4_294_967_296.0) as u32));
    within.chain(anywhere).filter(|x| x.is_finite())
}

fn check(call: &str, limit: f64, intervals: [(f32, f32); 2], exact: fn(f64, f64) -> f64) {
    for fast in [true, false] {
        let library = Library::new(call, fast);
        let mut worst = (0.0, 0.0, 0.0);
        let pairs = arguments(intervals[0], 0).zip(arguments(intervals[1], 1));
        for (x, y) in pairs {
            let error = units(library.at(x, y), exact(x.into(), y.into()));
            if error > worst.0 || error.is_nan() {
                worst = (error, x, y);
            }
        }
        assert!(worst.0 <= limit, "{call}, fast {fast}: {worst:?}");
    }
}

const NONE: (f32, f32) = (0.0, 1.0);

#[test]
fn errors_are_small() {
    check("exp(x)", 1.5, [(-100.0, 90.0), NONE], |x, _| x.exp());
    check("exp2(x)", 1.5, [(-150.0, 129.0), NONE], |x, _| x.exp2());
    check("exp10(x)", 1.5, [(-46.0, 39.0), NONE], |x, _| 10f64.powf(x));
    check("log2(x)", 2.9, [(0.0, 4.0), NONE], |x, _| {
        if x < 0.0 { f64::NAN } else { x.log2() }
    });
    check("log10(x)", 2.9, [(0.0, 4.0), NONE], |x, _| {
        if x < 0.0 { f64::NAN } else { x.log10() }
    });
    check("log(x)", 1.5, [(0.0, 4.0), NONE], |x, _| {
        if x < 0.0 { f64::NAN } else { x.ln() }
    });
    check("sin(x)", 2.0, [(-5000.0, 5000.0), NONE], |x, _| x.sin());
    check("cos(x)", 2.0, [(-5000.0, 5000.0), NONE], |x, _| x.cos());
    check("tan(x)", 3.5, [(-10.0, 10.0), NONE], |x, _| x.tan());
    check("atan(x)", 3.0, [(-4.0, 4.0), NONE], |x, _| x.atan());
    check("atan2(x, y)", 1.8, [(-4.0, 4.0), (-4.0, 4.0)], |x, y| x.atan2(y));
    check("erf(x)", 3.0, [(-4.5, 4.5), NONE], |x, _| erf(x));
    check("log1p(x)", 1.8, [(-1.0, 40.0), NONE], |x, _| {
        if x < -1.0 { f64::NAN } else { x.ln_1p() }
    });
    check("expm1(x)", 2.0, [(-20.0, 20.0), NONE], |x, _| x.exp_m1());
    check("sinh(x)", 3.0, [(-90.0, 90.0), NONE], |x, _| x.sinh());
    check("sinh(x)", 3.0, [(-2.0, 2.0), NONE], |x, _| x.sinh());
    check("cosh(x)", 3.0, [(-90.0, 90.0), NONE], |x, _| x.cosh());
    check("tanh(x)", 3.5, [(-10.0, 10.0), NONE], |x, _| x.tanh());
    check("asinh(x)", 2.5, [(-10.0, 10.0), NONE], |x, _| asinh(x));
    check("acosh(x)", 3.0, [(1.0, 10.0), NONE], |x, _| acosh(x));
    check("atanh(x)", 3.0, [(-1.0, 1.0), NONE], |x, _| atanh(x));
    check("sinpi(x)", 2.0, [(-9.0, 9.0), NONE], |x, _| turned(x).0);
    check("cospi(x)", 2.0, [(-9.0, 9.0), NONE], |x, _| turned(x).1);
    check("tanpi(x)", 4.0, [(-9.0, 9.0), NONE], |x, _| {
        turned(x).0 / turned(x).1
    });
    check("atan2pi(x, y)", 2.5, [(-4.0, 4.0), (-4.0, 4.0)], |x, y| {
        x.atan2(y) / PI
    });
    check("cbrt(x)", 1.2, [(-30.0, 30.0), NONE], |x, _| x.cbrt());
    check("hypot(x, y)", 1.5, [(-30.0, 30.0), (-5.0, 5.0)], |x, y| {
        x.hypot(y)
    });
    check(
        "lgamma(clamp(x, 2.5f, 1e4f))",
        8.0,
        [(2.6, 12.0), NONE],
        |x, _| stirling(x.clamp(2.5, 1e4)),
    );
    check(
        "pown(x, (int)clamp(y, -1e9f, 1e9f))",
        6.0,
        [(0.7, 1.42), (-150.0, 150.0)],
        |x, y| x.powi(y.clamp(-1e9, 1e9) as i32),
    );
    check(
        "pown(x, (int)clamp(y, -1e9f, 1e9f))",
        6.0,
        [(0.5, 4.0), (-30.0, 30.0)],
        |x, y| x.powi(y.clamp(-1e9, 1e9) as i32),
    );
}

#[test]
fn remainders_and_scaled_numbers_are_exact() {
    check("fmod(x, y)", 0.0, [(-300.0, 300.0), (-5.0, 5.0)], |x, y| x % y);
    check("fmod(x, y)", 0.0, [(-3e5, 3e5), (1.0, 1.5)], |x, y| x % y);
    check(
        "ldexp(x, (int)clamp(y, -1e9f, 1e9f))",
        0.0,
        [(-300.0, 300.0), (-160.0, 120.0)],
        |x, y| x * f64::from(y as i32).exp2(),
    );
    check("round(x)", 0.0, [(-300.0, 300.0), NONE], |x, _| x.round());
    check("round(x)", 0.0, [(8_388_600.0, 8_388_620.0), NONE], |x, _| {
        x.round()
    });
    check("maxmag(x, y)", 0.0, [(-3.0, 3.0), (-3.0, 3.0)], |x, y| {
        if x.abs() > y.abs() { x } else { y }
    });
    check("minmag(x, y)", 0.0, [(-3.0, 3.0), (-3.0, 3.0)], |x, y| {
        if x.abs() < y.abs() { x } else { y }
    });
}

const PI: f64 = std::f64::consts::PI;

/// Returns sin(pi x) and cos(pi x) of a float, computed from the difference to the nearest multiple of 1/2.
fn turned(x: f64) -> (f64, f64) {
    let halves = (2.0 * x).round();
    let (s, c) = (PI * (x - halves / 2.0)).sin_cos();
    // Zeros have the signs that 7.5.1 specifies. `0.0 - s` never gives a negative zero for a zero `s`.
    match halves.rem_euclid(4.0) as u32 {
        0 => (s, c),
        1 => (c, 0.0 - s),
        2 => (0.0 - s, -c),
        _ => (-c, s),
    }
}

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    (a + a * a / (1.0 + (1.0 + a * a).sqrt())).ln_1p().copysign(x)
}

fn acosh(x: f64) -> f64 {
    match x < 1.0 {
        true => f64::NAN,
        false => (x - 1.0 + ((x - 1.0) * (x + 1.0)).sqrt()).ln_1p(),
    }
}

fn atanh(x: f64) -> f64 {
    match x.abs() > 1.0 {
        true => f64::NAN,
        false => 0.5 * (2.0 * x / (1.0 - x)).ln_1p(),
    }
}

/// Computes log Gamma with Stirling's series for an argument that is larger by 12.
fn stirling(x: f64) -> f64 {
    let z = x + 12.0;
    let product: f64 = (0..12).map(|k| (x + f64::from(k)).ln()).sum();
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5))
        - 1.0 / (1680.0 * z.powi(7));
    (z - 0.5) * z.ln() - z + 0.5 * (2.0 * PI).ln() + series - product
}

#[test]
fn quotients_are_within_their_limit() {
    let exact = |x: f64, y: f64| x / y;
    let normal = |y: f32| y.abs() >= f32::MIN_POSITIVE;
    for (options, limit) in [("", 1.6), ("-cl-fast-relaxed-math", 5.0)] {
        for (call, limit) in [
            ("x / y", limit),
            ("({ float q = x; q /= y; q; })", limit),
            ("half_divide(x, y)", 5.0),
            ("native_divide(x, y)", 5.0),
        ] {
            let library = Library::with(call, true, options);
            assert!(library.uses("inverse_sqrt"), "{call}");
            let pairs = arguments((-9.0, 9.0), 0).zip(arguments((0.001, 300.0), 1));
            // The fast form is accurate where the reciprocal is a normal number.
            for (x, y) in pairs.filter(|(_, y)| (1e-37..8e37).contains(&y.abs())) {
                let error = units(library.at(x, y), exact(x.into(), y.into()));
                assert!(error <= limit, "{call} {options}: {error} at {x:e}, {y:e}");
            }
        }
    }
    for (call, scale) in [
        ("1 / x", 1.0),
        ("0.5f / x", 0.5),
        ("half_recip(x)", 1.0),
        ("native_recip(x)", 1.0),
    ] {
        let library = Library::new(call, true);
        assert!(library.uses("inverse_sqrt"), "{call}");
        for x in arguments((-9.0, 9.0), 0).filter(|x| (1e-37..8e37).contains(&x.abs())) {
            let error = units(library.at(x, 0.0), scale / f64::from(x));
            assert!(error <= 5.0, "{call}: {error} at {x:e}");
        }
        assert_eq!(library.at(0.0, 0.0), f32::INFINITY);
        assert_eq!(library.at(-0.0, 0.0), -f32::INFINITY);
        assert_eq!(library.at(-f32::INFINITY, 0.0).to_bits(), (-0f32).to_bits());
        assert!(library.at(f32::NAN, 0.0).is_nan());
    }
    let inf = f32::INFINITY;
    let cases = [
        (1.0, 0.0, inf),
        (1.0, -0.0, -inf),
        (-0.0, 3.0, -0.0),
        (0.0, 0.0, f32::NAN),
        (inf, inf, f32::NAN),
        (inf, 3e38, inf),
        (f32::NAN, 1.0, f32::NAN),
        (1.0, f32::NAN, f32::NAN),
        (1.0, inf, 0.0),
        (-1.0, inf, -0.0),
        (3e38, 3e38, 1.0),
        (2e-38, 1.2e-38, 2.0 / 1.2),
        (1e-45, 4.0, 0.0),
        (3e38, 0.5, inf),
        (f32::MAX, -1.0, f32::MIN),
        (f32::MAX, 2e38, f32::MAX / 2e38),
        (1.0, 3e38, 1.0 / 3e38),
        (-3.0, -1.2e-38, 3.0 / 1.2e-38),
    ];
    let library = Library::new("x / y", true);
    for (x, y, expected) in cases {
        let got = library.at(x, y);
        let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
        let near = expected != 0.0 && got != 0.0 && units(got, f64::from(expected)) <= 2.5;
        assert!(same || near || !normal(expected), "{x:e} / {y:e}: {got:e}");
    }
    // The driver's division is used for constant divisors, and on targets without the quick quotient.
    assert!(!Library::new("x / 3.0f", true).uses("inverse_sqrt"));
    assert!(!Library::new("x / y", false).uses("inverse_sqrt"));
}

/// The option requires a single rounding. If the device's own root rounds more than once, the root is
/// computed in double.
#[test]
fn rounded_quotients_and_roots() {
    let text = |call: &str, rounded_sqrt| {
        let mut target = Target::desktop();
        target.features.fast_fma = true;
        target.calibration = Calibration {
            fused_fma: [true; 3],
            exp2: true,
            rsqrt: true,
            flushing_fma: true,
            rounded_divide_sqrt: true,
            rounded_sqrt,
        };
        let options = Options::parse("-cl-fp32-correctly-rounded-divide-sqrt").expect("options");
        let (object, _) = library::tested("float", call, &options, &target);
        object.to_text().to_lowercase()
    };
    assert!(text("x / y", true).contains("fdiv"));
    assert!(!text("x / y", true).contains("inverse_sqrt"));
    assert!(!text("sqrt(x)", true).contains("f64"));
    assert!(text("sqrt(x)", false).contains("f64"));
}

/// If FP_CONTRACT is off, on a device whose multiply-add alone flushes subnormal numbers, all sums and
/// products are multiply-adds.
#[test]
fn what_is_not_contracted_is_flushed() {
    let off = "({ float r; { \n#pragma OPENCL FP_CONTRACT OFF\n r = x * y - x; } r; })";
    let library = Library::new(off, true);
    assert!(
        library.uses("fma") && !library.uses("fmul") && !library.uses("fsub"),
        "{}",
        library.object.to_text()
    );
    for (x, y) in [
        (3.0, 5.0),
        (-0.0, 2.0),
        (1.0, 1.0),
        (f32::INFINITY, 2.0),
        (1e20, -1e20),
    ] {
        let (got, expected) = (library.at(x, y), x * y - x);
        let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
        assert!(same, "{x} {y}: {got}");
    }
    assert!(!Library::new(off, false).uses("fma"));
}

/// The version that the target does not run is removed before all passes.
#[test]
fn only_one_form_is_kept() {
    let (fast, general) = (Library::new("exp(x)", true), Library::new("exp(x)", false));
    assert!(fast.uses("exp2") && !fast.uses("__c_exp_small"));
    assert!(!general.uses("exp2") && general.uses("__c_exp_small"));
}

/// A multiply-add of vectors is one operation too. On H200, halves reach 2.6 TFLOP/s with the library and 124
/// with the device's operation.
#[test]
fn fma_is_the_devices_where_that_rounds_once() {
    for (index, (call, vector)) in [
        (
            "convert_float(fma((half4)(convert_half(x)), (half4)(convert_half(y)), (half4)(1)).x)",
            "v4f16",
        ),
        ("fma((float4)(x), (float4)(y), (float4)(1)).x", "v4f32"),
        (
            "convert_float(fma((double4)(x), (double4)(y), (double4)(1)).x)",
            "v4f64",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let own = format!("{vector} = intrinsic fma ");
        let mut fused = [false; 3];
        assert!(!Library::on(call, true, fused, "").uses(&own), "{call}");
        fused[index] = true;
        assert!(Library::on(call, true, fused, "").uses(&own), "{call}");
    }
}

/// The kernels of VkFFT call `fma` for each product. In integers it has some 170 operations, and llvmpipe's compiler needed
/// minutes for a transform of 11 numbers.
#[test]
fn fma_is_short_where_the_device_has_doubles() {
    let fused = [false; 3];
    assert!(Library::without_doubles("fma(x, x, y)").uses(" = ShiftLeftLogical "));
    for factor in [
        "x",
        "1.0f",
        "-3.0f",
        "0x1p-126f",
        "0x1.fffffep127f",
        "0x1.000002p-60f",
        "0x1p-149f",
    ] {
        let short = Library::on(&format!("fma(x, {factor}, y)"), false, fused, "");
        assert!(short.uses("f64"), "{factor}");
        // The form in integers shifts significands.
        assert!(!short.uses(" = ShiftLeftLogical "), "{factor}");
        let k = |x: f32| match factor {
            "x" => x,
            "1.0f" => 1.0,
            "-3.0f" => -3.0,
            "0x1p-126f" => f32::MIN_POSITIVE,
            "0x1.fffffep127f" => f32::MAX,
            "0x1.000002p-60f" => f32::from_bits((67 << 23) + 1),
            _ => f32::from_bits(1),
        };
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MAX,
            f32::MIN,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::EPSILON,
            1.0 + f32::EPSILON,
            1.0 - f32::EPSILON / 2.0,
            f32::from_bits(1),
            -f32::from_bits(1),
            f32::from_bits(0x7f_ffff),
            16_777_215.0,
            0.5,
            3.0,
        ];
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        let mut cases: Vec<(f32, f32)> = edges.iter().flat_map(|&x| edges.map(|y| (x, y))).collect();
        for _ in 0..1500 {
            let x = f32::from_bits(random());
            // Sums near the middle between two floats, and any others.
            let near = (x * k(x) * 2f32.powi((random() % 60) as i32 - 30)).to_bits() & !(random() & 0xff);
            cases.extend([(x, f32::from_bits(near)), (x, f32::from_bits(random()))]);
        }
        for (x, y) in cases {
            let (got, want) = (short.at(x, y), x.mul_add(k(x), y));
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(same, "fma({x:e}, {factor}, {y:e}) = {got:e}, not {want:e}");
        }
    }
}

#[test]
fn powers_are_exact_enough() {
    let exact = |x: f64, y: f64| x.powf(y);
    check("pow(x, y)", 6.0, [(0.0, 4.0), (-130.0, 130.0)], exact);
    check("pow(x, y)", 6.0, [(0.7, 1.42), (-300.0, 300.0)], exact);
    check("pow(x, rint(y))", 6.0, [(-4.0, 4.0), (-9.0, 9.0)], |x, y| {
        x.powf(y.round_ties_even())
    });
}

/// Computes the error function from its series.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    // Above 4 the result rounds to 1 in float, and the series loses its digits.
    if a > 4.0 {
        return 1f64.copysign(x);
    }
    let (mut term, mut sum) = (a, a);
    for n in 1..200 {
        term *= -a * a / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    (sum * std::f64::consts::FRAC_2_SQRT_PI).copysign(x)
}

#[test]
fn relaxed_angles_take_the_quick_ratio() {
    let quick = Library::with("atan2(x, y)", true, "-cl-fast-relaxed-math");
    let slow = Library::new("atan2(x, y)", true);
    let both = [&quick, &slow].map(|l| {
        let pairs = arguments((-4.0, 4.0), 0).zip(arguments((-4.0, 4.0), 1));
        let errors = pairs.map(|(y, x)| units(l.at(y, x), f64::from(y).atan2(x.into())));
        errors.fold(0.0, f64::max)
    });
    assert!(both[1] < 1.8 && both[1] < both[0] && both[0] < 3.5, "{both:?}");
}

#[test]
#[allow(
    clippy::too_many_lines,
    reason = "a table with one row for each special value"
)]
fn special_values() {
    let inf = f32::INFINITY;
    let nan = f32::NAN;
    let cases: &[(&str, f32, f32, f32)] = &[
        ("exp(x)", inf, 0.0, inf),
        ("exp(x)", -inf, 0.0, 0.0),
        ("exp(x)", nan, 0.0, nan),
        ("exp(x)", 3e38, 0.0, inf),
        ("exp(x)", -3e38, 0.0, 0.0),
        ("exp2(x)", -149.0, 0.0, 1e-45),
        ("exp2(x)", 127.0, 0.0, 1.701_411_8e38),
        ("exp2(x)", 128.0, 0.0, inf),
        ("exp10(x)", -inf, 0.0, 0.0),
        ("log(x)", 0.0, 0.0, -inf),
        ("log(x)", -0.0, 0.0, -inf),
        ("log(x)", -1.0, 0.0, nan),
        ("log(x)", inf, 0.0, inf),
        ("log(x)", 1.0, 0.0, 0.0),
        ("log(x)", 1e-45, 0.0, -103.278_93),
        ("sin(x)", -0.0, 0.0, -0.0),
        ("sin(x)", inf, 0.0, nan),
        ("cos(x)", -inf, 0.0, nan),
        ("cos(x)", 0.0, 0.0, 1.0),
        ("sin(x)", 1e38, 0.0, f64::from(1e38f32).sin() as f32),
        ("tan(x)", -0.0, 0.0, -0.0),
        ("tan(x)", nan, 0.0, nan),
        ("atan(x)", -inf, 0.0, -std::f32::consts::FRAC_PI_2),
        ("atan(x)", -0.0, 0.0, -0.0),
        ("atan2(x, y)", 0.0, -0.0, std::f32::consts::PI),
        ("atan2(x, y)", -0.0, 0.0, -0.0),
        ("atan2(x, y)", inf, -inf, 2.356_194_5),
        ("atan2(x, y)", 1.0, inf, 0.0),
        ("atan2(x, y)", -1.0, -inf, -std::f32::consts::PI),
        ("atan2(x, y)", nan, 1.0, nan),
        ("atan2(x, y)", 3e38, 3e38, std::f32::consts::FRAC_PI_4),
        ("atan2(x, y)", 1e-45, 1e-45, std::f32::consts::FRAC_PI_4),
        ("atan2(x, y)", -1e-41, -1e-38, -3.140_592_7),
        ("erf(x)", -inf, 0.0, -1.0),
        ("erf(x)", nan, 0.0, nan),
        ("erf(x)", -0.0, 0.0, -0.0),
        ("log1p(x)", -1.0, 0.0, -inf),
        ("log1p(x)", -2.0, 0.0, nan),
        ("log1p(x)", inf, 0.0, inf),
        ("log1p(x)", nan, 0.0, nan),
        ("log1p(x)", -0.0, 0.0, -0.0),
        ("log1p(x)", 3e38, 0.0, 88.596_85),
        ("log1p(x)", 2e-38, 0.0, 2e-38),
        ("expm1(x)", -inf, 0.0, -1.0),
        ("expm1(x)", inf, 0.0, inf),
        ("expm1(x)", nan, 0.0, nan),
        ("expm1(x)", -0.0, 0.0, -0.0),
        ("expm1(x)", 1.2e-38, 0.0, 1.2e-38),
        ("expm1(x)", 88.72, 0.0, f64::from(88.72f32).exp() as f32),
        ("sinh(x)", -inf, 0.0, -inf),
        ("sinh(x)", -0.0, 0.0, -0.0),
        ("sinh(x)", nan, 0.0, nan),
        ("cosh(x)", -inf, 0.0, inf),
        ("cosh(x)", 89.5, 0.0, inf),
        ("tanh(x)", -inf, 0.0, -1.0),
        ("tanh(x)", -0.0, 0.0, -0.0),
        ("tanh(x)", nan, 0.0, nan),
        ("asinh(x)", -inf, 0.0, -inf),
        ("asinh(x)", -0.0, 0.0, -0.0),
        ("asinh(x)", 3e38, 0.0, 89.289_99),
        ("acosh(x)", 1.0, 0.0, 0.0),
        ("acosh(x)", 0.5, 0.0, nan),
        ("acosh(x)", inf, 0.0, inf),
        ("acosh(x)", 3e38, 0.0, 89.289_99),
        ("atanh(x)", -1.0, 0.0, -inf),
        ("atanh(x)", 1.5, 0.0, nan),
        ("atanh(x)", -0.0, 0.0, -0.0),
        ("sinpi(x)", -0.0, 0.0, -0.0),
        ("sinpi(x)", 3.0, 0.0, 0.0),
        ("sinpi(x)", -2.0, 0.0, -0.0),
        ("sinpi(x)", inf, 0.0, nan),
        ("sinpi(x)", 1e30, 0.0, 0.0),
        ("cospi(x)", 2.5, 0.0, 0.0),
        ("cospi(x)", -3.0, 0.0, -1.0),
        ("cospi(x)", 8_388_609.0, 0.0, -1.0),
        ("tanpi(x)", 2.0, 0.0, 0.0),
        ("tanpi(x)", 3.0, 0.0, -0.0),
        ("tanpi(x)", -3.0, 0.0, 0.0),
        ("tanpi(x)", 0.5, 0.0, inf),
        ("tanpi(x)", 1.5, 0.0, -inf),
        ("tanpi(x)", -0.5, 0.0, -inf),
        ("atan2pi(x, y)", -0.0, -1.0, -1.0),
        ("atan2pi(x, y)", 2.0, 0.0, 0.5),
        ("atan2pi(x, y)", nan, 1.0, nan),
        ("cbrt(x)", -0.0, 0.0, -0.0),
        ("cbrt(x)", -inf, 0.0, -inf),
        ("cbrt(x)", 1e-45, 0.0, 1.119_034_7e-15),
        ("cbrt(x)", -27.0, 0.0, -3.0),
        ("fmod(x, y)", -6.0, 3.0, -0.0),
        ("fmod(x, y)", 1.0, inf, 1.0),
        ("fmod(x, y)", inf, 1.0, nan),
        ("fmod(x, y)", 1.0, 0.0, nan),
        ("fmod(x, y)", 3e38, 3.0, 3e38f32 % 3.0),
        ("fmod(x, y)", 1e-40, 3e-41, 1e-40f32 % 3e-41),
        ("hypot(x, y)", -inf, nan, inf),
        ("hypot(x, y)", 1.0, nan, nan),
        ("hypot(x, y)", 3e38, 1e38, 3.162_277_7e38),
        ("hypot(x, y)", 3e-45, 4e-45, 5.6e-45),
        ("ldexp(x, (int)clamp(y, -1e9f, 1e9f))", 1.0, -149.0, 1e-45),
        ("ldexp(x, (int)clamp(y, -1e9f, 1e9f))", 1e-45, 149.0, 1.0),
        ("ldexp(x, (int)clamp(y, -1e9f, 1e9f))", -3.0, 2e9, -inf),
        ("ldexp(x, (int)clamp(y, -1e9f, 1e9f))", 3.0, -2e9, 0.0),
        (
            "ldexp(x, (int)clamp(y, -1e9f, 1e9f))",
            1e-45,
            276.0,
            1.701_411_8e38,
        ),
        ("round(x)", 0.499_999_97, 0.0, 0.0),
        ("round(x)", -0.5, 0.0, -1.0),
        ("round(x)", -0.2, 0.0, -0.0),
        ("round(x)", -inf, 0.0, -inf),
        ("round(x)", 8_388_609.0, 0.0, 8_388_609.0),
        ("maxmag(x, y)", -2.0, 2.0, 2.0),
        ("maxmag(x, y)", 1.0, nan, 1.0),
        ("maxmag(x, y)", nan, -1.0, -1.0),
        ("maxmag(x, y)", -3.0, 2.0, -3.0),
        ("maxmag(x, y)", 2.0, -inf, -inf),
        ("minmag(x, y)", -2.0, 2.0, -2.0),
        ("minmag(x, y)", nan, -1.0, -1.0),
        ("minmag(x, y)", 1.0, nan, 1.0),
        ("({ float w; fract(x, &w); })", -0.0, 0.0, -0.0),
        ("({ float w; fract(x, &w); })", -inf, 0.0, -0.0),
        ("({ float w; fract(x, &w); })", -1e-20, 0.0, 0.999_999_94),
        ("({ float w; fract(x, &w); })", nan, 0.0, nan),
        ("({ int e; frexp(x, &e) * e; })", 12.0, 0.0, 3.0),
        ("({ int e; frexp(x, &e) * e; })", 1e-45, 0.0, -74.0),
        ("ilogb(x)", 1e-45, 0.0, -149.0),
        ("logb(x)", 0.0, 0.0, -inf),
        ("pow(x, y)", 1.0, nan, 1.0),
        ("pow(x, y)", nan, 0.0, 1.0),
        ("pow(x, y)", 2.0, nan, nan),
        ("pow(x, y)", -2.0, 3.0, -8.0),
        ("pow(x, y)", -2.0, 0.5, nan),
        ("pow(x, y)", -0.0, -3.0, -inf),
        ("pow(x, y)", 0.0, 2.5, 0.0),
        ("pow(x, y)", inf, -2.0, 0.0),
        ("pow(x, y)", -inf, 3.0, -inf),
        ("pow(x, y)", 0.5, inf, 0.0),
        ("pow(x, y)", 0.5, -inf, inf),
        ("pow(x, y)", 2.0, inf, inf),
        ("pow(x, y)", -1.0, inf, 1.0),
        ("pow(x, y)", 2.0, 3e38, inf),
        ("pow(x, y)", 2.0, -149.0, 1e-45),
        ("pow(x, y)", 1e-45, 0.5, 3.743_392e-23),
        ("pow(x, y)", 1.0, 3e38, 1.0),
    ];
    for fast in [true, false] {
        let mut libraries: Vec<(&str, Library)> = Vec::new();
        for (call, x, y, expected) in cases {
            if libraries.last().is_none_or(|(name, _)| name != call) {
                libraries.push((call, Library::new(call, fast)));
            }
            let got = libraries[libraries.len() - 1].1.at(*x, *y);
            let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
            assert!(
                same || units(got, f64::from(*expected)) <= 2.0 && got != 0.0,
                "{call} at {x:e}, {y:e}, fast {fast}: {got:e}, not {expected:e}"
            );
        }
    }
}

/// Tests 1 / sqrt of doubles without branches. The two arguments are the halves of the operand, and the
/// result is one half of the root's bits.
#[test]
fn reciprocal_roots_of_doubles() {
    let bits = "as_ulong(rsqrt(as_double(((ulong)as_uint(x) << 32) | as_uint(y))))";
    let [high, low] = [32, 0].map(|n| Library::new(&format!("as_float((uint)({bits} >> {n}))"), true));
    assert!(
        !high.uses("f64 = intrinsic inverse_sqrt"),
        "{}",
        high.object.to_text()
    );
    let of = |x: f64| {
        let halves = |l: &Library| {
            let bits = x.to_bits();
            u64::from(
                l.at(f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))
                    .to_bits(),
            )
        };
        f64::from_bits(halves(&high) << 32 | halves(&low))
    };
    for (x, expected) in [
        (0.0, f64::INFINITY),
        (-0.0, f64::NEG_INFINITY),
        (f64::INFINITY, 0.0),
        (f64::NEG_INFINITY, f64::NAN),
        (-1.0, f64::NAN),
        (-5e-324, f64::NAN),
        (f64::NAN, f64::NAN),
        // A NaN that only the low word of the bits distinguishes from infinity.
        (f64::from_bits(0x7ff0_0000_0000_0001), f64::NAN),
        (4.0, 0.5),
        (f64::from_bits(1), 2f64.powi(537)),
        (2f64.powi(1022), 2f64.powi(-511)),
    ] {
        let got = of(x);
        let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
        assert!(same, "rsqrt({x:e}) is {got:e}");
    }
    let mut state = 1u64;
    for _ in 0..4000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Test every exponent, including subnormal numbers.
        let mut exponent = (state >> 33) % 2047;
        if state.is_multiple_of(16) {
            exponent = 0;
        }
        let x = f64::from_bits(exponent << 52 | (state.rotate_left(20) & ((1 << 52) - 1)) | 1);
        let r = of(x);
        // Scale into the middle of the range: x 4^k, r / 2^k.
        let k = -(x.log2() / 2.0).round() as i32;
        let halves = [k / 2, k - k / 2];
        let x1 = halves.iter().fold(x, |x, h| x * 2f64.powi(*h) * 2f64.powi(*h));
        let r1 = halves.iter().fold(r, |r, h| r * 2f64.powi(-h));
        // Compute 1 - x r^2 with the rounding error of r^2.
        let square = r1 * r1;
        let rest = r1.mul_add(r1, -square);
        let e = x1.mul_add(-square, 1.0) - x1 * rest;
        let units = (e / 2.0 * r1).abs() / 2f64.powi(r1.log2().floor() as i32 - 52);
        assert!(units <= 1.5, "rsqrt({x:e}): {units} units");
    }
}

/// A device that does not report CL_FP_DENORM may flush operands and results, but must not return the wrong
/// one of two subnormal numbers.
#[test]
fn chosen_operands_are_right_where_comparisons_flush() {
    let (small, large) = (f32::from_bits(0x7ff), f32::from_bits(0x7f_ffff));
    for fast in [true, false] {
        let [most, least, next] =
            ["maxmag(x, y)", "minmag(x, y)", "nextafter(x, y)"].map(|call| Library::new(call, fast));
        for (x, y) in [(small, large), (-small, large), (small, -large), (-small, -large)] {
            for (x, y) in [(x, y), (y, x)] {
                let (chosen, other) = if x.abs() > y.abs() { (x, y) } else { (y, x) };
                assert_eq!(
                    most.at_flushing(x, y).to_bits(),
                    chosen.to_bits(),
                    "maxmag({x:e}, {y:e})"
                );
                assert_eq!(
                    least.at_flushing(x, y).to_bits(),
                    other.to_bits(),
                    "minmag({x:e}, {y:e})"
                );
                let up = (y > x) == (x > 0.0);
                let neighbour = if up { x.to_bits() + 1 } else { x.to_bits() - 1 };
                assert_eq!(
                    next.at_flushing(x, y).to_bits(),
                    neighbour,
                    "nextafter({x:e}, {y:e})"
                );
            }
        }
    }
}
