//! Tests the effect of the options for relaxed arithmetic (OpenCL 1.2 5.6.4.3) on the text form of
//! operations.

use caldera_compiler::driver::{Input, compile, compile_object};
use caldera_compiler::options::{ClStd, Options};
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::spirv_text::disassemble;
use caldera_compiler::target::{Calibration, Target};

/// Checks the flags of the operation that an expression of `a` and `b` is compiled to.
fn check(expression: &str, operation: &str, options: &str, expected: &str) {
    let parsed = Options::parse(options).expect("options");
    let input = Input {
        name: "a.cl",
        source: &format!("float f(float a, float b) {{ return {expression}; }}"),
        options: &parsed,
        resolver: &NoIncludes,
    };
    let object = compile_object(&input, &Target::desktop()).unwrap_or_else(|e| panic!("{}", e.log));
    let text = object.to_text();
    let line = text
        .lines()
        .find(|l| l.contains(operation))
        .expect("the operation");
    assert!(
        line.contains(&format!("{operation} {expected}%")),
        "{options}: {line}"
    );
}

#[test]
fn options_become_flags() {
    let product = |options, flags| check("a * b", "FMul", options, flags);
    product("", "");
    product("-cl-mad-enable", "contract ");
    product("-cl-finite-math-only", "finite ");
    product("-cl-no-signed-zeros", "no_signed_zeros ");
    product("-cl-unsafe-math-optimizations", "contract no_signed_zeros fast ");
    product("-cl-fast-relaxed-math", "contract finite no_signed_zeros fast ");
}

/// The flags of a comparison do not depend on the operation before it.
#[test]
fn comparisons_have_the_flags_of_the_options() {
    for expression in ["a < b", "a * b < b"] {
        let comparison = |options, flags| check(expression, "FOrdLessThan", options, flags);
        comparison("", "");
        comparison("-cl-mad-enable", "");
        comparison("-cl-finite-math-only", "finite ");
        comparison("-cl-fast-relaxed-math", "finite no_signed_zeros fast ");
    }
}

/// Returns the operations of a function of a, b, c and d that have the flag `contract`, in order.
fn contracted(options: &str, body: &str) -> Vec<String> {
    let parsed = Options::parse(options).expect("options");
    let source = format!("float f(float a, float b, float c, float d) {{ {body} }}");
    let input = Input {
        name: "a.cl",
        source: &source,
        options: &parsed,
        resolver: &NoIncludes,
    };
    let object = compile_object(&input, &Target::desktop()).unwrap_or_else(|e| panic!("{}", e.log));
    let text = object.to_text();
    let words = text.lines().filter_map(|l| l.split_once(" = "));
    words
        .filter_map(|(_, op)| op.split_once(" contract"))
        .map(|(op, _)| op.to_string())
        .collect()
}

/// C99 6.5: floating-point *expressions* may be contracted, but not the computations of several statements.
#[test]
fn contraction_stays_in_an_expression() {
    let check = |body: &str, expected: &[&str]| assert_eq!(contracted("", body), expected, "{body}");
    check("return a * b + c;", &["FMul", "FAdd"]);
    check("return c - (a * b);", &["FMul", "FSub"]);
    check("d += a * b; return d;", &["FMul", "FAdd"]);
    check("return a * b + c * d;", &["FMul", "FMul", "FAdd"]);
    check("return a * b + c + d;", &["FMul", "FAdd"]);
    check("return mad(a, b, c);", &["FMul", "FAdd"]);
    check("float t = a * b; return t + c;", &[]);
    check("float t; return (t = a * b) + c;", &[]);
    check("float t = a; t *= b; return t + c;", &[]);
    check("float t = a * b; return t + c * d;", &["FMul", "FAdd"]);
    check("return a * b * c;", &[]);
    check("return (a + b) * c;", &[]);
    check("_Pragma(\"OPENCL FP_CONTRACT OFF\") return a * b + c;", &[]);
}

/// -cl-mad-enable, and the options that imply it, allow contraction across statements.
#[test]
fn mad_is_enabled_across_statements() {
    for options in [
        "-cl-mad-enable",
        "-cl-unsafe-math-optimizations",
        "-cl-fast-relaxed-math",
    ] {
        let found = contracted(options, "float t = a * b; return t + c;");
        assert_eq!(found, ["FMul", "FAdd"], "{options}");
    }
    let off = "_Pragma(\"OPENCL FP_CONTRACT OFF\") float t = a * b; return t + c;";
    assert!(contracted("-cl-mad-enable", off).is_empty());
}

/// Returns the text of a program that calls a function with x and y, with -cl-fast-relaxed-math.
fn relaxed(scalar: &str, call: &str) -> String {
    let parsed = Options::parse("-cl-fast-relaxed-math").expect("options");
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n{scalar} f({scalar} x, {scalar} y) {{ return {call}; }}"
    );
    let input = Input {
        name: "a.cl",
        source: &source,
        options: &parsed,
        resolver: &NoIncludes,
    };
    let object = compile_object(&input, &Target::desktop()).unwrap_or_else(|e| panic!("{}", e.log));
    object.to_text()
}

/// A quotient of -cl-fast-relaxed-math may have any error where the device has OpenCL C 1.2, and one of 2.5 ulp where it has a
/// later version (OpenCL C 3.0 7.4). Without a Newton step, the quick quotient would have 4.4 ulp.
#[test]
fn relaxed_quotients_have_the_error_of_the_devices_version() {
    let steps = |newest: ClStd, quotient: &str, options: &str| {
        let mut target = Target::desktop();
        target.newest = newest;
        target.calibration = Calibration {
            fused_fma: [true; 3],
            rsqrt: true,
            flushing_fma: true,
            ..Calibration::default()
        };
        let input = Input {
            name: "a.cl",
            source: &format!("kernel void k(global float *p, float x, float y) {{ *p = {quotient}; }}"),
            options: &Options::parse(options).expect("options"),
            resolver: &NoIncludes,
        };
        let compiled = compile(&input, &target).unwrap_or_else(|e| panic!("{}", e.log));
        let text = disassemble(&compiled.words);
        assert!(text.contains(" InverseSqrt "), "{text}");
        text.matches(" NMin ").count() + text.matches(" FMin ").count()
    };
    for quotient in ["x / y", "1.0f / y"] {
        for (newest, relaxed) in [(ClStd::Cl12, 0), (ClStd::Cl30, 1), (ClStd::Cl31, 1)] {
            assert_eq!(
                steps(newest, quotient, "-cl-fast-relaxed-math"),
                relaxed,
                "{quotient}"
            );
            assert_eq!(steps(newest, quotient, ""), 1, "{quotient}");
        }
    }
}

/// The table of relaxed errors (OpenCL C 3.0 7.4) applies to single precision, so functions of half keep
/// their limits. The functions of half of an H200 are far outside these limits.
#[test]
fn halves_are_computed_in_float() {
    for call in [
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "exp(x)",
        "exp2(x)",
        "exp10(x)",
        "log(x)",
        "log2(x)",
        "log10(x)",
        "sqrt(x)",
        "rsqrt(x)",
        "pow(x, y)",
        "powr(x, y)",
        "atan2(x, y)",
    ] {
        let text = relaxed("half", call);
        assert!(!text.contains("f16 = intrinsic"), "{call}: {text}");
    }
    // They use the device's functions of float where these are accurate enough.
    for (call, expected) in [
        ("exp(x)", "f32 = intrinsic exp "),
        ("exp2(x)", "f32 = intrinsic exp2 "),
        ("log2(x)", "f32 = intrinsic log2 "),
        ("exp(-(half2)(x, y)).x", "v2f32 = intrinsic exp "),
    ] {
        let text = relaxed("half", call);
        assert!(text.contains(expected), "{call}: {text}");
    }
}

/// The table does not contain the half_ functions, which keep their 8192 ulp over their whole domain.
#[test]
fn half_functions_stay() {
    for name in ["sin", "cos", "tan", "log", "log2", "log10", "powr"] {
        let arguments = if name == "powr" { "x, y" } else { "x" };
        let own = match name {
            "powr" => "intrinsic pow",
            name => name,
        };
        let plain = relaxed("float", &format!("{name}({arguments})"));
        assert!(plain.contains("intrinsic"), "{name}: {plain}");
        let half = relaxed("float", &format!("half_{name}({arguments})"));
        assert!(!half.contains(&format!("intrinsic {own} ")), "{name}: {half}");
    }
}

/// Powers with small whole numbers as exponents are products.
#[test]
fn whole_powers_are_products() {
    // Returns the number of products and whether a function of the library is called.
    let products = |call: &str, options: &str| {
        let parsed = Options::parse(options).expect("options");
        let input = Input {
            name: "a.cl",
            source: &format!("double f(float a, double d) {{ return {call}; }}"),
            options: &parsed,
            resolver: &NoIncludes,
        };
        let object = compile_object(&input, &Target::desktop()).unwrap_or_else(|e| panic!("{}", e.log));
        let text = object.to_text();
        let body = text.split("\n}").next().unwrap_or_default();
        (body.matches("FMul").count(), body.contains("call"))
    };
    for options in ["", "-cl-mad-enable", "-cl-fast-relaxed-math"] {
        assert_eq!(products("pow(a, 2)", options), (1, false), "{options}");
        assert_eq!(products("pow(d, 3.0)", options), (2, false), "{options}");
        assert_eq!(products("pow(a, 5.0f)", options), (3, false), "{options}");
        assert_eq!(products("pown(a, 8)", options), (3, false), "{options}");
        assert_eq!(products("pow(a, 1)", options), (0, false), "{options}");
    }
    for other in ["pow(a, 9)", "pow(a, 0.5f)", "pow(a, -1)", "powr(a, 2.0f)"] {
        assert!(products(other, "").1, "{other}");
    }
}
