//! Integer operators (CL 6.3) and functions (6.12.3), `select` and `bitselect` of integers (6.12.6), for every type and
//! every number of lanes. The results must be exact.

use crate::exact::{Expected, as_integer, range};
use crate::lab::Lab;
use crate::lanes::{Call, WIDTHS, check, name, report, spelled};
use crate::scalar::{SCALARS, Scalar};

/// An expression, its number of operands, and its reference, which returns `None` if the specification does not define
/// the result.
type Row = (&'static str, usize, fn(Scalar, [i128; 3]) -> Option<i128>);

fn bits(s: Scalar) -> u32 {
    8 * s.size() as u32
}

fn unsigned(s: Scalar, v: i128) -> u128 {
    v as u128 & (u128::MAX >> (128 - bits(s)))
}

fn clamp(s: Scalar, v: i128) -> i128 {
    let (low, high) = range(s);
    v.clamp(low, high)
}

/// Operations whose results are truncated to the type of the operands.
const SAME_TYPE: &[Row] = &[
    ("x + y", 2, |_, [x, y, _]| Some(x + y)),
    ("x - y", 2, |_, [x, y, _]| Some(x - y)),
    ("x * y", 2, |_, [x, y, _]| Some(x.wrapping_mul(y))),
    ("x / y", 2, |s, [x, y, _]| divided(s, x, y, i128::wrapping_div)),
    ("x % y", 2, |s, [x, y, _]| divided(s, x, y, i128::wrapping_rem)),
    ("x & y", 2, |_, [x, y, _]| Some(x & y)),
    ("x | y", 2, |_, [x, y, _]| Some(x | y)),
    ("x ^ y", 2, |_, [x, y, _]| Some(x ^ y)),
    ("~x", 1, |_, [x, ..]| Some(!x)),
    ("-x", 1, |_, [x, ..]| Some(-x)),
    ("min(x, y)", 2, |_, [x, y, _]| Some(x.min(y))),
    ("max(x, y)", 2, |_, [x, y, _]| Some(x.max(y))),
    ("clamp(x, y, z)", 3, |_, [x, y, z]| {
        (y <= z).then(|| x.clamp(y, z))
    }),
    ("add_sat(x, y)", 2, |s, [x, y, _]| Some(clamp(s, x + y))),
    ("sub_sat(x, y)", 2, |s, [x, y, _]| Some(clamp(s, x - y))),
    ("hadd(x, y)", 2, |_, [x, y, _]| Some((x + y) >> 1)),
    ("rhadd(x, y)", 2, |_, [x, y, _]| Some((x + y + 1) >> 1)),
    ("mul_hi(x, y)", 2, |s, [x, y, _]| Some(high_half(s, x, y))),
    ("mad_hi(x, y, z)", 3, |s, [x, y, z]| Some(high_half(s, x, y) + z)),
    ("mad_sat(x, y, z)", 3, |s, [x, y, z]| {
        // The product of two unsigned 64-bit numbers may exceed the range of i128.
        let product = x.saturating_mul(y);
        Some(clamp(s, product.saturating_add(z)))
    }),
    ("rotate(x, y)", 2, |s, [x, y, _]| {
        let (n, u) = (bits(s), unsigned(s, x));
        let k = (y & i128::from(n - 1)) as u32;
        Some((u << k | u >> (n - k)) as i128)
    }),
    ("clz(x)", 1, |s, [x, ..]| {
        Some(i128::from(unsigned(s, x).leading_zeros() - (128 - bits(s))))
    }),
    ("popcount(x)", 1, |s, [x, ..]| {
        Some(unsigned(s, x).count_ones().into())
    }),
    ("bitselect(x, y, z)", 3, |_, [x, y, z]| Some(x & !z | y & z)),
];

/// Computes a quotient or remainder. A division by zero and the overflow of `least / -1` may give any result.
fn divided(s: Scalar, x: i128, y: i128, op: fn(i128, i128) -> i128) -> Option<i128> {
    (y != 0 && !(x == range(s).0 && y == -1)).then(|| op(x, y))
}

/// Returns the upper half of the product.
fn high_half(s: Scalar, x: i128, y: i128) -> i128 {
    let Some(product) = x.checked_mul(y) else {
        return ((x as u128 * y as u128) >> bits(s)) as i128;
    };
    product >> bits(s)
}

/// Operations whose results are truth values.
const TRUTHS: &[Row] = &[
    ("x < y", 2, |_, [x, y, _]| Some((x < y).into())),
    ("x <= y", 2, |_, [x, y, _]| Some((x <= y).into())),
    ("x > y", 2, |_, [x, y, _]| Some((x > y).into())),
    ("x >= y", 2, |_, [x, y, _]| Some((x >= y).into())),
    ("x == y", 2, |_, [x, y, _]| Some((x == y).into())),
    ("x != y", 2, |_, [x, y, _]| Some((x != y).into())),
    ("x && y", 2, |_, [x, y, _]| Some((x != 0 && y != 0).into())),
    ("x || y", 2, |_, [x, y, _]| Some((x != 0 || y != 0).into())),
    ("!x", 1, |_, [x, ..]| Some((x == 0).into())),
];

fn cut(s: Scalar, value: Option<i128>) -> Expected {
    value.map_or(Expected::Any, |v| Expected::Bits(unsigned(s, v) as u64))
}

fn int(bytes: usize, signed: bool) -> Scalar {
    Scalar::Int { bytes, signed }
}

fn same_type(s: Scalar, row: &'static Row) -> Call<'static> {
    let reference = row.2;
    Call {
        text: row.0.into(),
        operands: vec![s; row.1],
        result: s,
        reference: Box::new(move |bits| {
            let value = |k: usize| bits.get(k).map_or(0, |b| as_integer(s, *b));
            cut(s, reference(s, [value(0), value(1), value(2)]))
        }),
    }
}

fn calls(s: Scalar, lanes: usize) -> Vec<Call<'static>> {
    let Scalar::Int { bytes, signed } = s else {
        return Vec::new();
    };
    let mut all: Vec<Call<'_>> = SAME_TYPE.iter().map(|row| same_type(s, row)).collect();
    // A true comparison of scalars is the int 1; of vectors, signed integers of all ones.
    let truth = if lanes == 1 {
        int(4, true)
    } else {
        int(bytes, true)
    };
    for (text, n, reference) in TRUTHS {
        all.push(Call {
            text: (*text).into(),
            operands: vec![s; *n],
            result: truth,
            reference: Box::new(move |bits| {
                let value = |k: usize| bits.get(k).map_or(0, |b| as_integer(s, *b));
                let yes = reference(s, [value(0), value(1), 0]).map(|t| if lanes == 1 { t } else { -t });
                cut(truth, yes)
            }),
        });
    }
    let of_unsigned = |text: &str, n: usize, reference: fn(i128, i128) -> i128| Call {
        text: text.into(),
        operands: vec![s; n],
        result: int(bytes, false),
        reference: Box::new(move |bits| {
            let value = |k: usize| bits.get(k).map_or(0, |b| as_integer(s, *b));
            cut(int(bytes, false), Some(reference(value(0), value(1))))
        }),
    };
    all.push(of_unsigned("abs(x)", 1, |x, _| x.abs()));
    all.push(of_unsigned("abs_diff(x, y)", 2, |x, y| (x - y).abs()));
    // A scalar is first promoted to int, so its shift count has more significant bits.
    let width = if lanes == 1 { bits(s).max(32) } else { bits(s) };
    for left in [true, false] {
        all.push(Call {
            text: if left { "x << y" } else { "x >> y" }.into(),
            operands: vec![s; 2],
            result: s,
            reference: Box::new(move |bits| {
                let k = as_integer(s, bits[1]) & i128::from(width - 1);
                let x = as_integer(s, bits[0]);
                cut(s, Some(if left { x << k } else { x >> k }))
            }),
        });
    }
    for chooser in [true, false] {
        // `select` of vectors tests the sign bit of each lane, `select` of scalars the whole value.
        all.push(Call {
            text: "select(x, y, z)".into(),
            operands: vec![s, s, int(bytes, chooser)],
            result: s,
            reference: Box::new(move |b| {
                let yes = if lanes == 1 {
                    b[2] != 0
                } else {
                    b[2] >> (bits(s) - 1) & 1 != 0
                };
                Expected::Bits(b[usize::from(yes)])
            }),
        });
    }
    let choice = int(bytes, true);
    all.push(Call {
        text: "z ? x : y".into(),
        operands: vec![s, s, choice],
        result: s,
        reference: Box::new(move |b| {
            let yes = if lanes == 1 {
                b[2] != 0
            } else {
                b[2] >> (bits(s) - 1) & 1 != 0
            };
            Expected::Bits(b[usize::from(!yes)])
        }),
    });
    if bytes < 8 {
        let wide = int(2 * bytes, signed);
        all.push(Call {
            text: "upsample(x, y)".into(),
            operands: vec![s, int(bytes, false)],
            result: wide,
            reference: Box::new(move |b| cut(wide, Some(as_integer(s, b[0]) << bits(s) | i128::from(b[1])))),
        });
    }
    if bytes == 4 {
        all.extend(calls_of_24_bits(s, lanes, signed));
    }
    if lanes > 1 {
        all.extend(calls_with_a_scalar(s, lanes));
    }
    all
}

/// Returns the calls whose operands must have 24 bits.
fn calls_of_24_bits(s: Scalar, lanes: usize, signed: bool) -> [Call<'static>; 2] {
    let ty = spelled(s, lanes);
    let low = if signed {
        format!("(({ty})(x << ({ty})8) >> ({ty})8)")
    } else {
        format!("(x >> ({ty})8)")
    };
    let low_y = low.replace('x', "y");
    let cut24 = move |b: u64| as_integer(s, if signed { b << 8 } else { b }) >> 8;
    [
        Call {
            text: format!("mul24({low}, {low_y})"),
            operands: vec![s; 2],
            result: s,
            reference: Box::new(move |b| cut(s, Some(cut24(b[0]) * cut24(b[1])))),
        },
        Call {
            text: format!("mad24({low}, {low_y}, z)"),
            operands: vec![s; 3],
            result: s,
            reference: Box::new(move |b| cut(s, Some(cut24(b[0]) * cut24(b[1]) + as_integer(s, b[2])))),
        },
    ]
}

/// Returns calls with a scalar operand, which is widened to a vector.
fn calls_with_a_scalar(s: Scalar, lanes: usize) -> Vec<Call<'static>> {
    let rows: [(&str, fn(i128, i128, i128) -> Option<i128>); 3] = [
        ("min(x, y.s0)", |x, y, _| Some(x.min(y))),
        ("max(x, y.s0)", |x, y, _| Some(x.max(y))),
        ("x * y.s0 + z", |x, y, z| Some(x.wrapping_mul(y) + z)),
    ];
    // The scalar operand is the constant 3, both here and in the reference.
    let three = format!("({})3", name(s));
    let calls = rows.into_iter().map(|(text, reference)| Call {
        text: format!("(({}){})", spelled(s, lanes), text.replace("y.s0", &three)),
        operands: vec![s; 3],
        result: s,
        reference: Box::new(move |b| cut(s, reference(as_integer(s, b[0]), 3, as_integer(s, b[2])))),
    });
    calls.collect()
}

fn check_type(ty: &str) {
    let lab = Lab::new();
    let s = Scalar::named(ty);
    let mut wrong = Vec::new();
    for (k, lanes) in WIDTHS.into_iter().enumerate() {
        // Each operation is tested in three of the six widths. The adjacent types in the list test it in the other three.
        let place = SCALARS.iter().position(|(n, _)| *n == ty).expect("listed");
        let chosen: Vec<Call<'_>> = calls(s, lanes)
            .into_iter()
            .enumerate()
            .filter(|(n, _)| (n + k + place) % 2 == 0)
            .map(|(_, c)| c)
            .collect();
        wrong.extend(check(&lab, &chosen, lanes, 240));
    }
    report(&wrong);
}

macro_rules! types {
    ($($test:ident: $ty:literal,)*) => {
        $(#[test]
        fn $test() {
            check_type($ty);
        })*
    };
}

types! {
    of_char: "char",
    of_uchar: "uchar",
    of_short: "short",
    of_ushort: "ushort",
    of_int: "int",
    of_uint: "uint",
    of_long: "long",
    of_ulong: "ulong",
}
