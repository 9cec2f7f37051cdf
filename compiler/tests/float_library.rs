//! The library's functions of float for targets whose fused multiply-add is one operation and whose 2^x is good
//! (`lib/math_float.cl`), interpreted: errors within section 7.4's limits, special values. What devices make of it is
//! measured by `cargo harness accuracy`.

use caldera_compiler::driver::{Input, Object, compile_object};
use caldera_compiler::interp::{Memory, call};
use caldera_compiler::ir::{EntityRef, Func};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::{Calibration, Target};

/// A function of one or two floats, by the interpreter.
struct Library {
    object: Object,
    function: Func,
}

impl Library {
    fn new(call: &str, fast: bool) -> Library {
        Library::with(call, fast, "")
    }

    /// Whether an operation occurs in what is not inlined yet.
    fn uses(&self, operation: &str) -> bool {
        self.object.to_text().contains(operation)
    }

    fn with(call: &str, fast: bool, options: &str) -> Library {
        let options = Options::parse(options).expect("options");
        let mut target = Target::desktop();
        target.features.fast_fma = fast;
        target.calibration = Calibration {
            fused_fma: [true; 3],
            exp2: fast,
            rsqrt: fast,
        };
        let source = format!("float tested(float x, float y) {{ return {call}; }}");
        let input = Input {
            name: "a.cl",
            source: &source,
            options: &options,
            resolver: &NoIncludes,
        };
        let object = compile_object(&input, &target).unwrap_or_else(|e| panic!("{}", e.log));
        let index = object.module.funcs.iter().position(|(_, f)| f.name == "tested");
        let function = Func::new(index.expect("the function"));
        Library { object, function }
    }

    fn at(&self, x: f32, y: f32) -> f32 {
        let lane = |v: f32| vec![u64::from(v.to_bits())];
        let mut memory = Memory::default();
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

/// Units in the last place between a result and its exact value.
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

/// Arguments of an interval, and some anywhere.
fn arguments((lo, hi): (f32, f32), count: u32) -> impl Iterator<Item = f32> {
    let within = (0..count).map(move |k| lo + (hi - lo) * ((k as f32 * 0.618_034).fract()));
    let anywhere = (0..count / 4).map(|k| f32::from_bits(k.wrapping_mul(2_654_435_761)));
    within.chain(anywhere).filter(|x| x.is_finite())
}

fn check(call: &str, limit: f64, intervals: [(f32, f32); 2], exact: fn(f64, f64) -> f64) {
    for fast in [true, false] {
        let library = Library::new(call, fast);
        let mut worst = (0.0, 0.0, 0.0);
        let pairs = arguments(intervals[0], 500).zip(arguments(intervals[1], 500));
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
    check("atan2(x, y)", 3.5, [(-4.0, 4.0), (-4.0, 4.0)], |x, y| x.atan2(y));
    check("erf(x)", 3.0, [(-4.5, 4.5), NONE], |x, _| erf(x));
}

/// What the target does not run is not even parsed.
#[test]
fn only_one_form_is_compiled() {
    let (fast, general) = (Library::new("exp(x)", true), Library::new("exp(x)", false));
    assert!(fast.uses("exp2") && !fast.uses("__c_exp_small"));
    assert!(!general.uses("exp2") && general.uses("__c_exp_small"));
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

/// By its series.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    // Beyond 4 it is 1 to float, and the series loses its digits.
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
        ("erf(x)", -inf, 0.0, -1.0),
        ("erf(x)", nan, 0.0, nan),
        ("erf(x)", -0.0, 0.0, -0.0),
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
