//! Small integer expressions whose results depend on the bits above a narrow result, or on the least number.
//! The driver of NVIDIA GPUs (version 580) computes many of them incorrectly. The reference is the host's
//! arithmetic.

use crate::lab::{Arg, Lab};
use std::fmt::Write as _;

/// An integer type of OpenCL C.
#[derive(Copy, Clone)]
struct Type {
    name: &'static str,
    unsigned: &'static str,
    bits: u32,
    signed: bool,
}

const fn ty(name: &'static str, unsigned: &'static str, bits: u32, signed: bool) -> Type {
    Type {
        name,
        unsigned,
        bits,
        signed,
    }
}

const TYPES: [Type; 8] = [
    ty("char", "uchar", 8, true),
    ty("uchar", "uchar", 8, false),
    ty("short", "ushort", 16, true),
    ty("ushort", "ushort", 16, false),
    ty("int", "uint", 32, true),
    ty("uint", "uint", 32, false),
    ty("long", "ulong", 64, true),
    ty("ulong", "ulong", 64, false),
];

impl Type {
    fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }
    fn max(self) -> i128 {
        self.min() + (1 << self.bits) - 1
    }
    /// Returns the lowest bits of a number as a number of the type.
    fn wrap(self, n: i128) -> i128 {
        (n - self.min()).rem_euclid(1 << self.bits) + self.min()
    }
    /// Returns the lowest bits of a number as a number of the unsigned type.
    fn bits_of(self, n: i128) -> i128 {
        n.rem_euclid(1 << self.bits)
    }
    /// Returns the operands: numbers near the ends and near those of narrower types, and others.
    fn operands(self) -> Vec<i128> {
        let other = 0x5bd1_e995_2545_f491;
        let near = [0, 1, 2, 3, 10, 0x7f, 0x80, 0x81, 0xff, other, !other, other >> 8];
        let ends = [-1, 0, 1, 2].map(|n| self.max() + n);
        near.into_iter().chain(ends).map(|n| self.wrap(n)).collect()
    }
}

/// A name, the expression of `x` and `y` in OpenCL C (with `T` and `U` for the type and the unsigned type), and
/// its value.
type Case = (&'static str, &'static str, fn(Type, i128, i128) -> i128);

const CASES: &[Case] = &[
    ("negation", "NEG(x)", |t, x, _| t.wrap(-x)),
    ("negation, wider", "(long)NEG(x) + 1", |t, x, _| t.wrap(-x) + 1),
    ("negation, less", "NEG(x) < (T)1", |t, x, _| {
        i128::from(t.wrap(-x) < 1)
    }),
    ("negation, equal", "NEG(x) == x", |t, x, _| {
        i128::from(t.wrap(-x) == x)
    }),
    ("negation, shift", "NEG(x) >> 1", |t, x, _| t.wrap(-x) >> 1),
    ("negation, quotient", "NEG(x) / (T)3", |t, x, _| t.wrap(-x) / 3),
    ("negation, remainder", "NEG(x) % (T)10", |t, x, _| t.wrap(-x) % 10),
    ("negation, max", "max(NEG(x), y)", |t, x, y| t.wrap(-x).max(y)),
    ("negation, min", "min(NEG(x), y)", |t, x, y| t.wrap(-x).min(y)),
    ("negation, high product", "mul_hi(NEG(x), (T)77)", |t, x, _| {
        (t.wrap(-x) * 77) >> t.bits
    }),
    ("negation, sum", "add_sat(NEG(x), y)", |t, x, y| {
        (t.wrap(-x) + y).clamp(t.min(), t.max())
    }),
    ("times minus one", "as_T((U)(as_U(x) * (U)-1))", |t, x, _| {
        t.wrap(-x)
    }),
    ("abs", "as_T(abs(x)) < (T)1", |t, x, _| {
        i128::from(t.wrap(x.abs()) < 1)
    }),
    ("abs, high product", "mul_hi(as_T(abs(x)), y)", |t, x, y| {
        // The bits above 128 do not matter.
        t.wrap(x.abs()).wrapping_mul(y) >> t.bits
    }),
    ("abs, remainder", "as_T(abs(x)) / (T)10", |t, x, _| {
        t.wrap(x.abs()) / 10
    }),
    ("ones of a sum", "popcount(ADD(x, y))", |t, x, y| {
        i128::from(t.bits_of(x + y).count_ones())
    }),
    ("ones of a product", "popcount(MUL(x, y))", |t, x, y| {
        i128::from((t.bits_of(x * (y & 0xffff))).count_ones())
    }),
    ("ones of a complement", "popcount((T)~x)", |t, x, _| {
        i128::from(t.bits_of(!x).count_ones())
    }),
    ("zeros of a sum", "clz(ADD(x, y))", |t, x, y| {
        i128::from(t.bits_of(x + y).leading_zeros() + t.bits) - 128
    }),
    ("carry", "ADD(x, y) < x", |t, x, y| i128::from(t.wrap(x + y) < x)),
    ("unsigned carry", "(U)(as_U(x) + as_U(y)) < as_U(x)", |t, x, y| {
        i128::from(t.bits_of(x + y) < t.bits_of(x))
    }),
    ("sum", "add_sat(x, y)", |t, x, y| (x + y).clamp(t.min(), t.max())),
    ("difference", "sub_sat(x, y)", |t, x, y| {
        (x - y).clamp(t.min(), t.max())
    }),
    ("sum of a sum", "add_sat(ADD(x, y), y)", |t, x, y| {
        (t.wrap(x + y) + y).clamp(t.min(), t.max())
    }),
    ("half of a sum", "hadd(ADD(x, y), y)", |t, x, y| {
        (t.wrap(x + y) + y) >> 1
    }),
    ("difference of a sum", "abs_diff(ADD(x, y), y)", |t, x, y| {
        (t.wrap(x + y) - y).abs()
    }),
    ("rotated sum", "rotate(ADD(x, y), (T)3)", |t, x, y| {
        let bits = t.bits_of(x + y);
        t.wrap((bits << 3) | (bits >> (t.bits - 3)))
    }),
    (
        "sum as a float",
        "as_uint((float)(ADD(x, y) >> (T)(sizeof(T) * 4)))",
        |t, x, y| i128::from(((t.wrap(x + y) >> (t.bits / 2)) as f32).to_bits()),
    ),
    ("unsigned float", "as_uint((float)(uint)x)", |_, x, _| {
        i128::from((x as u32 as f32).to_bits())
    }),
    ("widened float", "as_uint((float)(ulong)(uint)x)", |_, x, _| {
        i128::from((x as u32 as f32).to_bits())
    }),
    ("unsigned quotient", "(uint)x / ((uint)y | 1u)", |_, x, y| {
        i128::from(x as u32 / (y as u32 | 1))
    }),
    ("unsigned remainder", "(uint)x % ((uint)y | 1u)", |_, x, y| {
        i128::from(x as u32 % (y as u32 | 1))
    }),
    (
        "sign of abs",
        "as_T(abs_diff(x, (T)0)) < (T)0 ? 7 : 5",
        |t, x, _| {
            if t.wrap(x.abs()) < 0 { 7 } else { 5 }
        },
    ),
    (
        "three times a shifted bit",
        "(uint)((U)((U)(as_U(x) << (U)(sizeof(T) * 8 - 1)) >> (U)(sizeof(T) * 8 - 1))) * 3u",
        |_, x, _| (x & 1) * 3,
    ),
    ("three times a bit", "(uint)(x & (T)1) * 3u", |_, x, _| {
        (x & 1) * 3
    }),
    (
        "a bit times a number",
        "(uchar)((x & (T)1) * (T)10)",
        |_, x, _| (x & 1) * 10,
    ),
];

/// Expressions that put numbers together from the bytes of others. Their results are stored as `T`, because a fault can
/// depend on what becomes of the bits above.
const BYTE_CASES: &[Case] = &[
    ("rotated by a byte", "rotate(x, (T)8)", |t, x, _| rotated(t, x, 8)),
    (
        "rotated by all but a byte",
        "rotate(x, (T)(sizeof(T) * 8 - 8))",
        |t, x, _| rotated(t, x, t.bits - 8),
    ),
    ("halves exchanged", "rotate(x, (T)(sizeof(T) * 4))", |t, x, _| {
        rotated(t, x, t.bits / 2)
    }),
    (
        "halves exchanged by shifts",
        "(T)((U)(as_U(x) << HALF) | (U)(as_U(x) >> HALF))",
        |t, x, _| rotated(t, x, t.bits / 2),
    ),
    (
        "halves added by shifts",
        "(T)((U)((U)(as_U(x) << HALF) + (U)(as_U(x) >> HALF)))",
        |t, x, _| rotated(t, x, t.bits / 2),
    ),
    ("low bytes exchanged", "(T)(SWAP((uint)x))", |t, x, _| {
        t.wrap(swapped(x))
    }),
    (
        "low bytes of a shifted number exchanged",
        "(T)(SWAP((uint)((ulong)(U)x >> 8)))",
        |t, x, _| t.wrap(swapped(t.bits_of(x) >> 8)),
    ),
    (
        "low bytes exchanged by products",
        "(T)(((uint)x & 0xffu) * 256u | ((uint)x & 0xff00u) / 256u)",
        |t, x, _| t.wrap(swapped(x)),
    ),
    (
        "bytes of pairs exchanged",
        "(T)(((uint)x & 0xff00ffu) << 8 | ((uint)x >> 8 & 0xff00ffu))",
        |t, x, _| t.wrap(swapped(x) | swapped(x >> 16) << 16),
    ),
    (
        "low bytes of two numbers",
        "(T)(((uint)x & 0xffu) << 8 | ((uint)y >> 8 & 0xffu))",
        |t, x, y| t.wrap((x & 0xff) << 8 | (y >> 8 & 0xff)),
    ),
    (
        "low bytes exchanged, and more",
        "(T)(SWAP((uint)x) + 3u)",
        |t, x, _| t.wrap(swapped(x) + 3),
    ),
    (
        "all bytes reversed",
        "(T)((uint)x << 24 | ((uint)x & 0xff00u) << 8 | ((uint)x >> 8 & 0xff00u) | (uint)x >> 24)",
        |t, x, _| t.wrap(i128::from((x as u32).swap_bytes())),
    ),
];

/// Returns a number whose bits are rotated to the left.
fn rotated(t: Type, x: i128, count: u32) -> i128 {
    let bits = t.bits_of(x);
    let count = count % t.bits;
    t.wrap(bits << count | bits >> (t.bits - count))
}

/// Returns the lowest two bytes of a number, exchanged.
fn swapped(x: i128) -> i128 {
    (x & 0xff) << 8 | (x >> 8 & 0xff)
}

/// Expressions of vectors (`V` is the type, `W` the unsigned type), and the value of a lane.
const VECTOR_CASES: &[Case] = &[
    (
        "quotient, difference",
        "sub_sat((V)((x >> (V)1) / (y | (V)1)), (V)16)",
        |t, x, y| ((x >> 1) / (y | 1) - 16).clamp(t.min(), t.max()),
    ),
    (
        "remainder, sum",
        "as_V((W)(as_W((V)((x >> (V)1) % (y | (V)1))) + (W)9))",
        |t, x, y| t.wrap((x >> 1) % (y | 1) + 9),
    ),
    ("rotated by a byte", "rotate(x, (V)8)", |t, x, _| rotated(t, x, 8)),
    ("half of the zeros", "rhadd((V)0, clz(x))", |t, x, _| {
        (i128::from(t.bits_of(x).leading_zeros() + t.bits) - 127) >> 1
    }),
    ("ones of a difference", "popcount(x ^ y)", |t, x, y| {
        i128::from(t.bits_of(x ^ y).count_ones())
    }),
    ("selected by abs", "select(y, x, as_V(abs(x)))", |t, x, y| {
        if t.bits_of(x.abs()) >> (t.bits - 1) == 0 {
            y
        } else {
            x
        }
    }),
];

/// Runs a kernel whose first operands are the numbers of the pairs, in the type `t`. It has `results` results of `bytes` bytes for
/// each pair, which are returned.
fn run(
    lab: &Lab,
    source: &str,
    t: Type,
    pairs: &[(i128, i128)],
    results: usize,
    bytes: usize,
    lanes: usize,
) -> Vec<u64> {
    let operand = |pick: fn(&(i128, i128)) -> i128| -> Vec<u8> {
        let size = t.bits as usize / 8;
        pairs
            .iter()
            .flat_map(|p| pick(p).to_le_bytes()[..size].to_vec())
            .collect()
    };
    let program = lab.build(source);
    let items = pairs.len() / lanes;
    let output = lab.run(
        program,
        "k",
        items,
        None,
        &[
            Arg::In(&operand(|p| p.0)),
            Arg::In(&operand(|p| p.1)),
            Arg::Value(&(items as u32).to_le_bytes()),
            Arg::Out(results * pairs.len() * bytes),
        ],
    );
    crate::cl!(clReleaseProgram(program));
    output[0]
        .chunks(bytes)
        .map(|number| number.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b)))
        .collect()
}

/// Returns the pairs of a type's operands.
fn pairs(t: Type) -> Vec<(i128, i128)> {
    let operands = t.operands();
    let with = |&x: &i128| operands.iter().map(move |&y| (x, y)).collect::<Vec<_>>();
    operands.iter().flat_map(with).collect()
}

/// Compares results with the values of the cases; `kept` selects the bits of a value that a result has.
fn check(t: Type, lanes: usize, cases: &[Case], pairs: &[(i128, i128)], results: &[u64], kept: u64) {
    let mut results = results.iter();
    for (name, expression, value) in cases {
        for &(x, y) in pairs {
            let expected = value(t, x, y) as u64 & kept;
            let found = *results.next().expect("there is a result for each pair");
            assert_eq!(
                found, expected,
                "{name} of {}, {lanes} lanes: {expression} for x = {x}, y = {y}: {found:#x} instead of {expected:#x}",
                t.name
            );
        }
    }
}

#[test]
fn small_expressions_of_every_integer_type() {
    let lab = Lab::new();
    for t in TYPES {
        let pairs = pairs(t);
        let mut body = String::new();
        for (n, (_, expression, _)) in CASES.iter().enumerate() {
            writeln!(body, "  r[{n} * n + i] = (ulong)({expression});").expect("a string grows");
        }
        let source = format!(
            "#define NEG(x) as_T((U)((U)0 - as_U(x)))\n\
             #define ADD(x, y) as_T((U)(as_U(x) + as_U(y)))\n\
             #define MUL(x, y) as_T((U)(as_U(x) * (U)((uint)as_U(y) & 0xffffu)))\n\
             #define T {0}\n#define U {1}\n#define as_T as_{0}\n#define as_U as_{1}\n\
             kernel void k(global const T *a, global const T *b, uint n, global ulong *r) {{\n  \
             uint i = get_global_id(0);\n  T x = a[i], y = b[i];\n{body}}}\n",
            t.name, t.unsigned
        );
        let results = run(&lab, &source, t, &pairs, CASES.len(), 8, 1);
        check(t, 1, CASES, &pairs, &results, u64::MAX);
    }
}

#[test]
fn numbers_from_bytes_of_others() {
    let lab = Lab::new();
    for t in TYPES {
        let pairs = pairs(t);
        let mut body = String::new();
        for (n, (_, expression, _)) in BYTE_CASES.iter().enumerate() {
            writeln!(body, "  r[{n} * n + i] = {expression};").expect("a string grows");
        }
        let source = format!(
            "#define SWAP(x) (((x) & 0xffu) << 8 | ((x) & 0xff00u) >> 8)\n#define HALF (sizeof(T) * 4)\n\
             #define T {0}\n#define U {1}\n#define as_U as_{1}\n\
             kernel void k(global const T *a, global const T *b, uint n, global T *r) {{\n  \
             uint i = get_global_id(0);\n  T x = a[i], y = b[i];\n{body}}}\n",
            t.name, t.unsigned
        );
        let bytes = t.bits as usize / 8;
        let results = run(&lab, &source, t, &pairs, BYTE_CASES.len(), bytes, 1);
        check(t, 1, BYTE_CASES, &pairs, &results, u64::MAX >> (64 - t.bits));
    }
}

#[test]
fn small_expressions_of_vectors() {
    let lab = Lab::new();
    for t in TYPES {
        let pairs = pairs(t);
        for lanes in [2, 4] {
            let mut body = String::new();
            for (n, (_, expression, _)) in VECTOR_CASES.iter().enumerate() {
                writeln!(body, "  r[{n} * n + i] = {expression};").expect("a string grows");
            }
            let source = format!(
                "#define V {0}{lanes}\n#define W {1}{lanes}\n\
                 #define as_V as_{0}{lanes}\n#define as_W as_{1}{lanes}\n\
                 kernel void k(global const V *a, global const V *b, uint n, global V *r) {{\n  \
                 uint i = get_global_id(0);\n  V x = a[i], y = b[i];\n{body}}}\n",
                t.name, t.unsigned
            );
            let bytes = t.bits as usize / 8;
            let results = run(&lab, &source, t, &pairs, VECTOR_CASES.len(), bytes, lanes);
            check(
                t,
                lanes,
                VECTOR_CASES,
                &pairs,
                &results,
                u64::MAX >> (64 - t.bits),
            );
        }
    }
}
