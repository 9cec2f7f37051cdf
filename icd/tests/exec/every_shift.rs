//! Shifts, products and rotations by every constant, of numbers that are extended or negated before. Compilers replace many of
//! them by multiplications with constants, or by instructions that negate an operand. The driver of NVIDIA GPUs (version 580)
//! does so incorrectly for some constants. The reference is the host's arithmetic.

use crate::lab::{Arg, Lab};
use std::fmt::Write as _;

/// The numbers from which the operands are made.
const NUMBERS: [u64; 12] = [
    0,
    1,
    3,
    0x7f,
    0x80,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x0123_4567_89ab_cdef,
    0xfedc_ba98_7654_3210,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// The types that are extended: names, numbers of bits, and whether they are signed.
const NARROW: [(&str, u32, bool); 6] = [
    ("char", 8, true),
    ("uchar", 8, false),
    ("short", 16, true),
    ("ushort", 16, false),
    ("int", 32, true),
    ("uint", 32, false),
];

/// Returns the lowest bits of a number, extended to 64 bits.
fn extended(x: u64, bits: u32, signed: bool) -> u64 {
    let high = x << (64 - bits);
    if signed {
        (high as i64 >> (64 - bits)) as u64
    } else {
        high >> (64 - bits)
    }
}

/// An expression of `x` and `y` of type `ulong`, and its value.
type Case = (String, Box<dyn Fn(u64, u64) -> u64>);

/// Compares the expressions for all pairs of numbers with their values. Each kernel has as many expressions as a program would
/// have at once.
fn check(lab: &Lab, cases: &[Case]) {
    let pairs: Vec<(u64, u64)> = NUMBERS
        .iter()
        .flat_map(|&x| NUMBERS.iter().map(move |&y| (x, y)))
        .collect();
    let bytes = |pick: fn(&(u64, u64)) -> u64| {
        pairs
            .iter()
            .flat_map(|p| pick(p).to_le_bytes())
            .collect::<Vec<u8>>()
    };
    for some in cases.chunks(64) {
        let mut source =
            String::from("kernel void k(global const ulong *a, global const ulong *b, global ulong *r) {\n");
        source += "  size_t i = get_global_id(0), n = get_global_size(0);\n  ulong x = a[i], y = b[i];\n";
        for (n, (expression, _)) in some.iter().enumerate() {
            writeln!(source, "  r[{n} * n + i] = {expression};").expect("a string grows");
        }
        source += "}\n";
        let program = lab.build(&source);
        let (a, b) = (bytes(|p| p.0), bytes(|p| p.1));
        let out = Arg::Out(some.len() * pairs.len() * 8);
        let found = lab.run(program, "k", pairs.len(), None, &[Arg::In(&a), Arg::In(&b), out]);
        crate::cl!(clReleaseProgram(program));
        let mut words = found[0].chunks_exact(8);
        for (expression, value) in some {
            for &(x, y) in &pairs {
                let word = words.next().expect("there is a result for each pair");
                let found = word.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b));
                let expected = value(x, y);
                assert_eq!(
                    found, expected,
                    "{expression} for x = {x:#x}, y = {y:#x}: {found:#x} instead of {expected:#x}"
                );
            }
        }
    }
}

#[test]
fn extended_numbers_shifted_by_every_distance() {
    let lab = Lab::new();
    let mut cases: Vec<Case> = Vec::new();
    for (name, bits, signed) in NARROW {
        for k in 0..64 {
            let value = move |x| extended(x, bits, signed) << k;
            cases.push((format!("(ulong)({name})x << {k}"), Box::new(move |x, _| value(x))));
            if k % 8 == 7 {
                cases.push((
                    format!("y - ((ulong)({name})x << {k})"),
                    Box::new(move |x, y| y.wrapping_sub(value(x))),
                ));
            }
        }
    }
    for (first, second) in [(1, 30), (16, 15), (30, 1), (31, 1), (15, 17)] {
        let value = move |x: u64| ((x as i32 as i64) << first << second) as u64;
        for expression in [
            format!("((ulong)(int)x << {first}) << {second}"),
            format!("((ulong)(int)x << {first}) * {:#x}UL", 1u64 << second),
        ] {
            cases.push((expression, Box::new(move |x, _| value(x))));
        }
    }
    for by in [0, 8, 31, 32, 33, 40] {
        cases.push((
            format!("(ulong)((long)x >> {by}) << 31"),
            Box::new(move |x, _| ((x as i64 >> by) << 31) as u64),
        ));
    }
    cases.push((
        "(ulong)(((long)(int)x << 31) / ((long)(uchar)y + 1))".into(),
        Box::new(|x, y| (((x as i32 as i64) << 31) / ((y & 0xff) as i64 + 1)) as u64),
    ));
    check(&lab, &cases);
}

#[test]
fn extended_numbers_times_constants() {
    let lab = Lab::new();
    let mut cases: Vec<Case> = Vec::new();
    for (name, bits, signed) in NARROW {
        for power in [7, 8, 15, 16, 23, 30, 31, 32, 33, 47, 62, 63] {
            for near in [-1i64, 0, 1] {
                let factor = (1u64 << power).wrapping_add(near as u64);
                for factor in [factor, factor.wrapping_neg()] {
                    let value = move |x| extended(x, bits, signed).wrapping_mul(factor);
                    cases.push((
                        format!("(ulong)({name})x * {factor:#x}UL"),
                        Box::new(move |x, _| value(x)),
                    ));
                }
            }
        }
    }
    check(&lab, &cases);
}

/// A shift by a variable distance that a driver knows after it has unrolled the loop.
#[test]
fn extended_numbers_shifted_in_a_loop() {
    let lab = Lab::new();
    let source = "kernel void k(global const int *a, global long *r) {\n\
        \x20 int i = get_global_id(0), n = get_global_size(0);\n\
        \x20 for (int s = 28; s < 36; s++) r[(s - 28) * n + i] = (long)a[i] << s;\n}\n";
    let program = lab.build(source);
    let inputs: Vec<u8> = NUMBERS.iter().flat_map(|&x| (x as u32).to_le_bytes()).collect();
    let found = lab.run(
        program,
        "k",
        NUMBERS.len(),
        None,
        &[Arg::In(&inputs), Arg::Out(8 * NUMBERS.len() * 8)],
    );
    crate::cl!(clReleaseProgram(program));
    let expected = (28..36).flat_map(|s| NUMBERS.map(|x| (x as i32 as i64) << s));
    let expected: Vec<u8> = expected.flat_map(i64::to_le_bytes).collect();
    assert_eq!(found[0], expected);
}

#[test]
fn rotations_of_negated_numbers_in_sums() {
    let lab = Lab::new();
    let mut cases: Vec<Case> = Vec::new();
    for (t, bits) in [("uint", 32u32), ("ulong", 64), ("ushort", 16)] {
        let mask = u64::MAX >> (64 - bits);
        for k in 1..bits {
            let other = bits - k;
            let rotated = move |v: u64| (v << k | (v & mask) >> other) & mask;
            for (operand, negated) in [(format!("({t})(0 - ({t})x)"), true), (format!("({t})x"), false)] {
                let value = move |x: u64| {
                    rotated(if negated {
                        x.wrapping_neg() & mask
                    } else {
                        x & mask
                    })
                };
                let cast = |text: String| format!("(ulong)({t})({text})");
                let (left, right) = (
                    format!("({t})({operand} << {k})"),
                    format!("({t})({operand} >> {other})"),
                );
                let high = format!(
                    "({t})(({t})({operand} & ({t}){:#x}UL) >> {other})",
                    mask << other & mask
                );
                let forms = [
                    cast(format!("({t})y + ({t})({left} + {right})")),
                    cast(format!("({t})y + ({t})({high} + {left})")),
                    cast(format!("({t})y + ({t})({high} | {left})")),
                    cast(format!("({t})(({t})y + {right}) + {left}")),
                ];
                for form in forms
                    .into_iter()
                    .take(if k % 8 == 0 { 4 } else { 1 + (k % 2) as usize })
                {
                    cases.push((
                        form,
                        Box::new(move |x, y| (y & mask).wrapping_add(value(x)) & mask),
                    ));
                }
                let minus = cast(format!("({t})y - ({t})({left} + {right})"));
                cases.push((
                    minus,
                    Box::new(move |x, y| (y & mask).wrapping_sub(value(x)) & mask),
                ));
            }
        }
    }
    check(&lab, &cases);
}
