//! Operators, relational (CL 6.12.6), common (6.12.4) and geometric functions (6.12.5) of half, float and double:
//! every number of lanes, special values included.

use crate::exact::{Expected, Mode, Real, decode, encode};
use crate::expr::Num;
use crate::lab::Lab;
use crate::lanes::{Call, WIDTHS, check, report};
use crate::scalar::Scalar;

fn value(s: Scalar, bits: u64) -> f64 {
    let Num::Float(x) = s.decode(&bits.to_le_bytes()[..s.size()]) else {
        panic!("a floating-point type");
    };
    x
}

fn bits_of(s: Scalar, x: f64) -> Expected {
    if x.is_nan() {
        return Expected::Nan;
    }
    Expected::Bits(encode(s, decode(Scalar::Double, x.to_bits()), Mode::Rte))
}

/// An expression, its number of operands, and the reference in f64. The operation is exact or rounds once. A result
/// of a smaller type may be rounded a second time from f64, which has at least the 2p + 2 digits that this needs
/// (Figueroa).
type Row = (&'static str, usize, fn([f64; 3]) -> f64);

const VALUES: &[Row] = &[
    ("x + y", 2, |[x, y, _]| x + y),
    ("x - y", 2, |[x, y, _]| x - y),
    ("x * y", 2, |[x, y, _]| x * y),
    ("-x", 1, |[x, ..]| -x),
    ("fabs(x)", 1, |[x, ..]| x.abs()),
    ("floor(x)", 1, |[x, ..]| x.floor()),
    ("ceil(x)", 1, |[x, ..]| x.ceil()),
    ("trunc(x)", 1, |[x, ..]| x.trunc()),
    ("rint(x)", 1, |[x, ..]| x.round_ties_even()),
    ("round(x)", 1, |[x, ..]| x.round()),
    ("copysign(x, y)", 2, |[x, y, _]| x.copysign(y)),
    ("fdim(x, y)", 2, |[x, y, _]| {
        if x.is_nan() || y.is_nan() {
            f64::NAN
        } else if x > y {
            x - y
        } else {
            0.0
        }
    }),
    ("maxmag(x, y)", 2, |[x, y, _]| {
        if x.abs() > y.abs() {
            x
        } else if y.abs() > x.abs() {
            y
        } else {
            larger(x, y)
        }
    }),
    ("minmag(x, y)", 2, |[x, y, _]| {
        if x.abs() < y.abs() {
            x
        } else if y.abs() < x.abs() {
            y
        } else {
            smaller(x, y)
        }
    }),
    ("fmax(x, y)", 2, |[x, y, _]| larger(x, y)),
    ("fmin(x, y)", 2, |[x, y, _]| smaller(x, y)),
    ("sign(x)", 1, |[x, ..]| {
        if x.is_nan() {
            0.0
        } else if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            x
        }
    }),
    ("step(x, y)", 2, |[x, y, _]| {
        if x.is_nan() || y.is_nan() {
            OPEN
        } else {
            f64::from(u8::from(y >= x))
        }
    }),
    ("max(x, y)", 2, |[x, y, _]| {
        if x.is_nan() || y.is_nan() {
            OPEN
        } else {
            larger(x, y)
        }
    }),
    ("min(x, y)", 2, |[x, y, _]| {
        if x.is_nan() || y.is_nan() {
            OPEN
        } else {
            smaller(x, y)
        }
    }),
    ("clamp(x, y, z)", 3, |[x, y, z]| {
        if x.is_nan() || y.is_nan() || z.is_nan() || y > z {
            OPEN
        } else {
            smaller(larger(x, y), z)
        }
    }),
];

/// The value with which a reference says that any result is allowed. No operation computes this value.
const OPEN: f64 = -1.234_567_891_234_5e300;

/// Computes fmax. Of two zeros, either may be the result.
fn larger(x: f64, y: f64) -> f64 {
    if x == 0.0 && y == 0.0 {
        return ZERO;
    }
    if x.is_nan() || y > x { y } else { x }
}

fn smaller(x: f64, y: f64) -> f64 {
    if x == 0.0 && y == 0.0 {
        return ZERO;
    }
    if x.is_nan() || y < x { y } else { x }
}

/// The value with which a reference says that the result is a zero of either sign.
const ZERO: f64 = -1.234_567_891_234_6e300;

type Truth = (&'static str, usize, fn(f64, f64) -> bool);

const TRUTHS: &[Truth] = &[
    ("x < y", 2, |x, y| x < y),
    ("x <= y", 2, |x, y| x <= y),
    ("x > y", 2, |x, y| x > y),
    ("x >= y", 2, |x, y| x >= y),
    ("x == y", 2, |x, y| x == y),
    ("x != y", 2, |x, y| x != y),
    ("x && y", 2, |x, y| x != 0.0 && y != 0.0),
    ("x || y", 2, |x, y| x != 0.0 || y != 0.0),
    ("!x", 1, |x, _| x == 0.0),
    ("isequal(x, y)", 2, |x, y| x == y),
    ("isnotequal(x, y)", 2, |x, y| x != y),
    ("isgreater(x, y)", 2, |x, y| x > y),
    ("isgreaterequal(x, y)", 2, |x, y| x >= y),
    ("isless(x, y)", 2, |x, y| x < y),
    ("islessequal(x, y)", 2, |x, y| x <= y),
    ("islessgreater(x, y)", 2, |x, y| {
        x.partial_cmp(&y).is_some_and(|o| o.is_ne())
    }),
    ("isordered(x, y)", 2, |x, y| !x.is_nan() && !y.is_nan()),
    ("isunordered(x, y)", 2, |x, y| x.is_nan() || y.is_nan()),
    ("isfinite(x)", 1, |x, _| x.is_finite()),
    ("isinf(x)", 1, |x, _| x.is_infinite()),
    ("isnan(x)", 1, |x, _| x.is_nan()),
    ("signbit(x)", 1, |x, _| x.is_sign_negative()),
];

fn int(bytes: usize, signed: bool) -> Scalar {
    Scalar::Int { bytes, signed }
}

fn of(s: Scalar, bits: &[u64]) -> [f64; 3] {
    [0, 1, 2].map(|k| bits.get(k).map_or(0.0, |b| value(s, *b)))
}

fn expected(s: Scalar, x: f64) -> Expected {
    if x.to_bits() == OPEN.to_bits() {
        Expected::Any
    } else if x.to_bits() == ZERO.to_bits() {
        Expected::Zero
    } else {
        bits_of(s, x)
    }
}

fn calls(s: Scalar, lanes: usize) -> Vec<Call<'static>> {
    let mut all = Vec::new();
    for &(text, n, reference) in VALUES {
        all.push(Call {
            text: text.into(),
            operands: vec![s; n],
            result: s,
            reference: Box::new(move |bits| expected(s, reference(of(s, bits)))),
        });
    }
    all.extend(rounded_calls(s));
    for (text, factor) in [
        ("degrees(x)", 180.0 / std::f64::consts::PI),
        ("radians(x)", std::f64::consts::PI / 180.0),
    ] {
        all.push(Call {
            text: text.into(),
            operands: vec![s],
            result: s,
            reference: Box::new(move |bits| Expected::Near(of(s, bits)[0] * factor, 2.0)),
        });
    }
    all.extend(truth_calls(s, lanes));
    for (text, signed) in [
        ("select(x, y, z)", true),
        ("select(x, y, z)", false),
        ("z ? y : x", true),
    ] {
        all.push(Call {
            text: text.into(),
            operands: vec![s, s, int(s.size(), signed)],
            result: s,
            reference: Box::new(move |b| {
                let sign = 8 * s.size() - 1;
                let chosen = b[usize::from(if lanes == 1 {
                    b[2] != 0
                } else {
                    b[2] >> sign & 1 != 0
                })];
                same(s, chosen)
            }),
        });
    }
    all.push(Call {
        text: "bitselect(x, y, z)".into(),
        operands: vec![s; 3],
        result: s,
        reference: Box::new(move |b| same(s, b[0] & !b[2] | b[1] & b[2])),
    });
    all
}

/// Returns the operations that are rounded once or have a permitted error: `fma`, division and `sqrt`.
fn rounded_calls(s: Scalar) -> Vec<Call<'static>> {
    let mut all = Vec::new();
    // The exact result is rounded once. For double, f64 arithmetic cannot provide that.
    let wide = s != Scalar::Double;
    all.push(Call {
        text: "fma(x, y, z)".into(),
        operands: vec![s; 3],
        result: s,
        reference: Box::new(move |bits| {
            let [x, y, z] = of(s, bits);
            match s {
                Scalar::Half => bits_of(s, x * y + z),
                Scalar::Float => {
                    let r = (x as f32).mul_add(y as f32, z as f32);
                    bits_of(s, r.into())
                }
                _ => bits_of(s, x.mul_add(y, z)),
            }
        }),
    });
    if wide || s == Scalar::Double {
        // The permitted error is 2.5 ulp for float (7.4), 1 ulp for half (cl_khr_fp16) and 0 for double.
        all.push(Call {
            text: "x / y".into(),
            operands: vec![s; 2],
            result: s,
            reference: Box::new(move |bits| {
                let [x, y, _] = of(s, bits);
                match s {
                    Scalar::Double => bits_of(s, x / y),
                    Scalar::Half => Expected::Near(x / y, 1.0),
                    _ => Expected::Near(x / y, 2.5),
                }
            }),
        });
        all.push(Call {
            text: "sqrt(x)".into(),
            operands: vec![s],
            result: s,
            reference: Box::new(move |bits| {
                let [x, ..] = of(s, bits);
                match s {
                    Scalar::Double => bits_of(s, x.sqrt()),
                    Scalar::Half => bits_of(s, x.sqrt()),
                    _ => Expected::Near(x.sqrt(), 3.0),
                }
            }),
        });
    }
    all
}

/// Returns the calls whose result is true or false.
fn truth_calls(s: Scalar, lanes: usize) -> Vec<Call<'static>> {
    let mut all = Vec::new();
    let truth = if lanes == 1 {
        int(4, true)
    } else {
        int(s.size(), true)
    };
    let yes = u64::MAX >> (64 - 8 * truth.size());
    let answer = move |t: bool| Expected::Bits(if t { if lanes == 1 { 1 } else { yes } } else { 0 });
    for &(text, n, reference) in TRUTHS {
        all.push(Call {
            text: text.into(),
            operands: vec![s; n],
            result: truth,
            reference: Box::new(move |bits| {
                let [x, y, _] = of(s, bits);
                answer(reference(x, y))
            }),
        });
    }
    all.push(Call {
        text: "isnormal(x)".into(),
        operands: vec![s],
        result: truth,
        reference: Box::new(move |bits| {
            let (digits, _) = crate::exact::format(s).expect("a floating-point type");
            let normal = match decode(s, bits[0]) {
                Real::Finite { m, .. } => m >> digits != 0,
                Real::Nan | Real::Infinite { .. } => false,
            };
            answer(normal)
        }),
    });
    all
}

/// Expects unchanged bits. A NaN may become another NaN.
fn same(s: Scalar, bits: u64) -> Expected {
    match decode(s, bits) {
        Real::Nan => Expected::Nan,
        Real::Infinite { .. } | Real::Finite { .. } => Expected::Bits(bits),
    }
}

fn check_type(s: Scalar, extension: &str) {
    let lab = Lab::new();
    if !extension.is_empty() && !lab.has(extension) {
        return;
    }
    let mut wrong = Vec::new();
    for (k, lanes) in WIDTHS.into_iter().enumerate() {
        let chosen: Vec<Call<'_>> = calls(s, lanes)
            .into_iter()
            .enumerate()
            .filter(|(n, _)| (n + k) % 2 == 0)
            .map(|(_, c)| c)
            .collect();
        wrong.extend(check(&lab, &chosen, lanes, 240));
    }
    report(&wrong);
}

#[test]
fn of_half() {
    check_type(Scalar::Half, "cl_khr_fp16");
}

#[test]
fn of_float() {
    check_type(Scalar::Float, "");
}

#[test]
fn of_double() {
    check_type(Scalar::Double, "cl_khr_fp64");
}
