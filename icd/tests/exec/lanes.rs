//! Tests functions and operators that work lane by lane, for every type and every number of lanes. The results are compared
//! with those of a reference for scalars.

use std::fmt::Write as _;

use crate::cl;
use crate::conversions::samples;
use crate::exact::{Expected, is_subnormal};
use crate::lab::{Arg, Lab, Random, bytes_of, element};
use crate::scalar::{SCALARS, Scalar};

/// An expression with the operands `x`, `y` and `z`. `&p` stands for a variable for a second result of the first operand's
/// type, and `&q` for one of type int.
pub(crate) struct Call<'a> {
    pub(crate) text: String,
    /// The types of the operands.
    pub(crate) operands: Vec<Scalar>,
    /// The type of the result.
    pub(crate) result: Scalar,
    /// The expected result for the bits of the operands.
    pub(crate) reference: Box<dyn Fn(&[u64]) -> Expected + 'a>,
}

/// The type `int`.
pub(crate) const INT: Scalar = Scalar::Int {
    bytes: 4,
    signed: true,
};

pub(crate) const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Returns the name of a type with a number of lanes, such as `float` or `float4`.
pub(crate) fn spelled(scalar: Scalar, lanes: usize) -> String {
    let name = name(scalar);
    if lanes == 1 {
        name.into()
    } else {
        format!("{name}{lanes}")
    }
}

pub(crate) fn name(scalar: Scalar) -> &'static str {
    SCALARS
        .iter()
        .find(|(_, s)| *s == scalar)
        .expect("every type has a name")
        .0
}

/// Returns the expression that loads a vector.
fn load(array: &str, lanes: usize) -> String {
    if lanes == 1 {
        format!("{array}[i]")
    } else {
        format!("vload{lanes}(i, {array})")
    }
}

/// A kernel that runs every call, with one array of operands and one array of results for each type.
struct Kernel {
    source: String,
    kinds: Vec<Scalar>,
    results: Vec<Scalar>,
    /// For each type of results, how many calls have it.
    used: Vec<usize>,
    /// For each call, the index of its array of results, and its first element there.
    places: Vec<(usize, usize)>,
}

impl Kernel {
    /// Writes a kernel for calls with `total` lanes in all.
    fn new(lab: &Lab, calls: &[Call<'_>], lanes: usize, total: usize) -> Kernel {
        let mut source = String::new();
        if lab.has("cl_khr_fp16") {
            source.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        }
        let mut kinds: Vec<Scalar> = Vec::new();
        let mut results: Vec<Scalar> = Vec::new();
        for call in calls {
            for operand in &call.operands {
                if !kinds.contains(operand) {
                    kinds.push(*operand);
                }
            }
            if !results.contains(&call.result) {
                results.push(call.result);
            }
        }
        let params: Vec<String> = kinds
            .iter()
            .map(|k| format!("global const {0} *in_{0}", name(*k)))
            .chain(results.iter().map(|r| format!("global {0} *out_{0}", name(*r))))
            .collect();
        writeln!(
            source,
            "kernel void run({}) {{\n  size_t i = get_global_id(0);",
            params.join(", ")
        )
        .expect("a string grows");
        for kind in &kinds {
            for (k, operand) in ["x", "y", "z"].iter().enumerate() {
                let array = format!("(in_{} + {})", name(*kind), k * total);
                let ty = spelled(*kind, lanes);
                writeln!(
                    source,
                    "  {ty} {operand}_{} = {};",
                    name(*kind),
                    load(&array, lanes)
                )
                .expect("a string grows");
            }
        }
        let mut used = vec![0; results.len()];
        let mut places = Vec::new();
        for call in calls {
            let at = results.iter().position(|r| *r == call.result).expect("listed");
            let declarations: String = ["x", "y", "z"]
                .iter()
                .zip(&call.operands)
                .map(|(v, s)| format!("{} {v} = {v}_{}; ", spelled(*s, lanes), name(*s)))
                .collect();
            // The variables for second results.
            let p = call.operands.first().filter(|_| call.text.contains("&p"));
            let q = call.text.contains("&q").then_some(&INT);
            let outs: String = [("p", p), ("q", q)]
                .iter()
                .filter_map(|(v, s)| s.map(|s| format!("{} {v}; ", spelled(*s, lanes))))
                .collect();
            let ty = spelled(call.result, lanes);
            let array = format!("out_{}", name(call.result));
            let store = if lanes == 1 {
                format!("{array}[{} + i] = r;", used[at] * total)
            } else {
                format!("vstore{lanes}(r, i, {array} + {});", used[at] * total)
            };
            writeln!(
                source,
                "  {{ {declarations}{outs}{ty} r = {}; {store} }}",
                call.text
            )
            .expect("a string grows");
            places.push((at, used[at] * total));
            used[at] += 1;
        }
        source.push_str("}\n");
        Kernel {
            source,
            kinds,
            results,
            used,
            places,
        }
    }
}

/// Runs every call for a number of lanes in one kernel. Returns a message for each wrong result.
pub(crate) fn check(lab: &Lab, calls: &[Call<'_>], lanes: usize, count: usize) -> Vec<String> {
    let items = count.div_ceil(lanes);
    let total = items * lanes;
    let Kernel {
        source,
        kinds,
        results,
        used,
        places,
    } = Kernel::new(lab, calls, lanes, total);
    let program = lab.build(&source);
    let values: Vec<Vec<u64>> = kinds.iter().map(|k| operands(*k, total)).collect();
    let inputs: Vec<Vec<u8>> = kinds
        .iter()
        .zip(&values)
        .map(|(k, v)| bytes_of(v, k.size()))
        .collect();
    let mut args: Vec<Arg<'_>> = inputs.iter().map(|i| Arg::In(i)).collect();
    args.extend(
        results
            .iter()
            .zip(&used)
            .map(|(r, n)| Arg::Out(n * total * r.size())),
    );
    let outputs = lab.run(program, "run", items, None, &args);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    let mut wrong = Vec::new();
    for (call, (at, first)) in calls.iter().zip(places) {
        for i in 0..total {
            let bits: Vec<u64> = call
                .operands
                .iter()
                .enumerate()
                .map(|(k, s)| {
                    let kind = kinds.iter().position(|other| other == s).expect("listed");
                    values[kind][k * total + i]
                })
                .collect();
            let got = element(&outputs[at], call.result.size(), first + i);
            let flushed = |(b, s): (&u64, &Scalar)| is_subnormal(*s, *b) && !lab.keeps_subnormals(*s);
            let excused = bits.iter().zip(&call.operands).any(flushed);
            let expected = (call.reference)(&bits);
            if !excused && !expected.met_by(call.result, got, lab.keeps_subnormals(call.result)) {
                wrong.push(format!(
                    "{} {lanes} {}: {bits:#x?} gave {got:#x}, expected {expected:x?}",
                    call.operands.first().map_or("", |s| name(*s)),
                    call.text
                ));
            }
        }
    }
    wrong
}

/// Returns the first, second and third operands: combinations of numbers near the limits of functions.
fn operands(kind: Scalar, total: usize) -> Vec<u64> {
    let pool = samples(kind, 2 * total);
    let mut random = Random::new(total as u64);
    let first = pool[..total].to_vec();
    let second = (0..total).map(|i| match random.below(8) {
        0 => pool[i],
        1 => pool[i] ^ 1,
        2 => pool[i % 12],
        _ => pool[random.below(pool.len())],
    });
    let second: Vec<u64> = second.collect();
    let third = (0..total).map(|_| pool[random.below(pool.len())]);
    first.into_iter().chain(second).chain(third).collect()
}

/// Panics if there are messages, and shows about forty of them.
pub(crate) fn report(wrong: &[String]) {
    let shown: Vec<&String> = wrong.iter().step_by((wrong.len() / 40).max(1)).collect();
    assert!(wrong.is_empty(), "{} wrong: {shown:#?}", wrong.len());
}
