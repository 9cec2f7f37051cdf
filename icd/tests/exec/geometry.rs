//! Geometric functions (CL 6.12.5), `mix` and `smoothstep` (6.12.4), `any` and `all` (6.12.6), for vectors of ordinary,
//! greatest and least length and with infinities. The references are computed in double.

use std::fmt::Write as _;

use crate::cl;
use crate::exact::{Expected, Mode, decode, encode, format, is_subnormal};
use crate::expr::Num;
use crate::lab::{Arg, Lab, Random, bytes_of, element};
use crate::lanes::{name, spelled};
use crate::scalar::Scalar;

const COUNT: usize = 48;

fn value(s: Scalar, bits: u64) -> f64 {
    match s.decode(&bits.to_le_bytes()[..s.size()]) {
        Num::Int(v) => v as f64,
        Num::Float(v) => v,
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Computes the length of a vector without intermediate overflow or underflow.
fn length(a: &[f64]) -> f64 {
    let big = a.iter().fold(0f64, |m, x| m.max(x.abs()));
    if big == 0.0 || big.is_infinite() {
        return big;
    }
    let down: Vec<f64> = a.iter().map(|x| x / big).collect();
    dot(&down, &down).sqrt() * big
}

/// Returns the components of vector `i` of the input. The index selects large, small or ordinary values.
fn vector(s: Scalar, random: &mut Random, i: usize) -> Vec<u64> {
    let (big, small) = match s {
        Scalar::Half => (15, -20),
        Scalar::Float => (126, -140),
        _ => (1022, -1060),
    };
    let scale = match i % 6 {
        0 => big,
        1 => small,
        _ => random.below(9) as i32 - 4,
    };
    (0..4)
        .map(|_| {
            let x = (random.below(2001) as f64 / 1000.0 - 1.0) * 2f64.powi(scale);
            encode(s, decode(Scalar::Double, x.to_bits()), Mode::Rte)
        })
        .collect()
}

/// An expression of vectors `a` and `b`, whether its result is a vector, its reference, and its permitted error.
type Row = (&'static str, bool, fn(&[f64], &[f64]) -> Vec<f64>, Error);

#[derive(Copy, Clone)]
enum Error {
    /// Units in the last place of the result, for a number of lanes.
    Ulp(fn(usize) -> f64),
    /// Units in the last place of the sum of the magnitudes of the terms.
    Terms(f64),
}

const ROWS: &[Row] = &[
    ("dot(a, b)", false, |a, b| vec![dot(a, b)], Error::Terms(4.0)),
    (
        "length(a)",
        false,
        |a, _| vec![length(a)],
        Error::Ulp(|n| 3.5 + 0.5 * n as f64),
    ),
    (
        "distance(a, b)",
        false,
        |a, b| {
            let d: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
            vec![length(&d)]
        },
        Error::Ulp(|n| 4.5 + 1.5 * n as f64),
    ),
    (
        "normalize(a)",
        true,
        |a, _| {
            let l = length(a);
            a.iter().map(|x| if l == 0.0 { *x } else { x / l }).collect()
        },
        Error::Ulp(|n| 2.5 + n as f64),
    ),
];

fn check(s: Scalar, extension: &str) {
    let lab = Lab::new();
    if !extension.is_empty() && !lab.has(extension) {
        return;
    }
    let (source, slots) = source(s);
    let program = lab.build(&source);
    let mut random = Random::new(17);
    let rows: Vec<Vec<u64>> = (0..2 * COUNT)
        .map(|i| vector(s, &mut random, i % COUNT))
        .collect();
    let bits: Vec<u64> = rows.iter().flatten().copied().collect();
    let input = bytes_of(&bits, s.size());
    let args = [
        Arg::In(&input),
        Arg::Out(slots * COUNT * 4 * s.size()),
        Arg::Out(16 * COUNT),
    ];
    let out = lab.run(program, "run", COUNT, None, &args);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    let mut wrong = Vec::new();
    for i in 0..COUNT {
        // A device without subnormal numbers (CL_FP_DENORM) may treat them as zero.
        let subnormal = rows[i]
            .iter()
            .chain(&rows[COUNT + i])
            .any(|b| is_subnormal(s, *b));
        if subnormal && !lab.keeps_subnormals(s) {
            continue;
        }
        let values = |row: usize| -> Vec<f64> { rows[row].iter().map(|b| value(s, *b)).collect() };
        let (a4, b4) = (values(i), values(COUNT + i));
        let item = Item {
            s,
            number: i,
            a4: &a4,
            b4: &b4,
            out: &out[0],
        };
        item.check(&mut wrong);
        check_truths(i, (&a4, &b4), &out[1], &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} wrong: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
}

/// Returns a kernel that computes each row for vectors of one to four components, and the number of its results.
fn source(s: Scalar) -> (String, usize) {
    let ty = name(s);
    let mut source = String::new();
    if s == Scalar::Half {
        source.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    let truth = spelled(
        Scalar::Int {
            bytes: s.size(),
            signed: true,
        },
        4,
    );
    writeln!(
        source,
        "kernel void run(global const {ty} *in, global {ty} *out, global int *truths) {{ size_t i = get_global_id(0);
         {ty}4 a4 = vload4(i, in), b4 = vload4(i + {COUNT}, in), r;"
    )
    .expect("a string grows");
    let mut slots = 0;
    let mut slot = || {
        slots += 1;
        slots - 1
    };
    for n in 1..=4 {
        let component = ["x", "xy", "xyz", "xyzw"][n - 1];
        let v = spelled(s, n);
        writeln!(source, "{{ {v} a = a4.{component}, b = b4.{component};").expect("a string grows");
        for (text, wide, ..) in ROWS {
            let target = if *wide {
                format!("r.{component}")
            } else {
                "r.x".to_owned()
            };
            writeln!(
                source,
                "r = ({ty}4)(7); {target} = {text}; vstore4(r, {} * {COUNT} + i, out);",
                slot()
            )
            .expect("a string grows");
        }
        if n >= 3 {
            writeln!(
                source,
                "r = ({ty}4)(7); r.{component} = cross(a, b); vstore4(r, {} * {COUNT} + i, out);",
                slot()
            )
            .expect("a string grows");
        }
        source.push_str("}\n");
    }
    writeln!(
        source,
        "{truth} t = a4 < b4; truths[4 * i] = any(t); truths[4 * i + 1] = all(t);
         truths[4 * i + 2] = any(t.xy); truths[4 * i + 3] = all(t.x); }}"
    )
    .expect("a string grows");
    (source, slots)
}

/// Compares the truth values that the kernel has computed for the vectors of a work-item.
fn check_truths(i: usize, (a4, b4): (&[f64], &[f64]), out: &[u8], wrong: &mut Vec<String>) {
    let less: Vec<bool> = a4.iter().zip(b4).map(|(x, y)| x < y).collect();
    let expected = [
        less.iter().any(|l| *l),
        less.iter().all(|l| *l),
        less[0] || less[1],
        // For a scalar, the most significant bit counts.
        less[0],
    ];
    for (k, e) in expected.into_iter().enumerate() {
        let got = element(out, 4, 4 * i + k);
        if got != u64::from(e) {
            wrong.push(format!("truth {k} of {a4:?} < {b4:?}: {got:#x}"));
        }
    }
}

/// A work-item's vectors, and the results that it has computed from them.
struct Item<'a> {
    s: Scalar,
    number: usize,
    a4: &'a [f64],
    b4: &'a [f64],
    out: &'a [u8],
}

impl Item<'_> {
    /// Compares the results of every row for vectors of one to four components.
    fn check(&self, wrong: &mut Vec<String>) {
        let (s, i) = (self.s, self.number);
        let (digits, _) = format(s).expect("a floating-point type");
        let infinity = encode(s, crate::exact::Real::Infinite { negative: false }, Mode::Rte);
        let greatest = value(s, infinity - 1);
        let mut at = 0;
        for n in 1..=4 {
            let (a, b) = (&self.a4[..n], &self.b4[..n]);
            let mut verify = |text: &str, expected: &[f64], close: &dyn Fn(u64, f64, usize) -> bool| {
                for lane in 0..4 {
                    let got = element(self.out, s.size(), (at * COUNT + i) * 4 + lane);
                    let good = match expected.get(lane) {
                        Some(&e) => close(got, e, lane),
                        None => value(s, got) == 7.0,
                    };
                    if !good {
                        wrong.push(format!(
                            "{text} of {a:?}, {b:?}: lane {lane} {:e}, {expected:?}",
                            value(s, got)
                        ));
                    }
                }
                at += 1;
            };
            let one = 2f64.powi(-(digits as i32));
            let tiny = value(s, 1);
            // If the sum of the terms exceeds the range of the type, any result is allowed.
            let close = |got: u64, e: f64, terms: f64, ulp: f64| {
                let room = terms * one * ulp + 4.0 * tiny;
                terms > greatest || (value(s, got) - e).abs() <= room
            };
            for (text, _, reference, error) in ROWS {
                let expected = reference(a, b);
                match *error {
                    Error::Ulp(ulp) => verify(text, &expected, &|got, e, _| {
                        Expected::Near(e, ulp(n)).met_by(s, got, true)
                            || (value(s, got) - e).abs() <= 2.0 * tiny
                    }),
                    Error::Terms(ulp) => {
                        let terms = a.iter().zip(b).map(|(x, y)| (x * y).abs()).sum();
                        verify(text, &expected, &|got, e, _| close(got, e, terms, ulp));
                    }
                }
            }
            if n >= 3 {
                let term = |k: usize, l: usize| (a[k] * b[l], a[l] * b[k]);
                let terms = [term(1, 2), term(2, 0), term(0, 1)];
                let mut expected: Vec<f64> = terms.iter().map(|(p, q)| p - q).collect();
                expected.resize(n, 0.0);
                verify("cross", &expected, &|got, e, lane| {
                    let (p, q) = terms.get(lane).copied().unwrap_or_default();
                    close(got, e, p.abs() + q.abs(), 2.0)
                });
            }
        }
    }
}

#[test]
fn of_half() {
    check(Scalar::Half, "cl_khr_fp16");
}

#[test]
fn of_float() {
    check(Scalar::Float, "");
}

#[test]
fn of_double() {
    check(Scalar::Double, "cl_khr_fp64");
}
