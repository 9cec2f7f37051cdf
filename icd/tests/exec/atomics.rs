//! Atomic functions (CL 6.12.11, cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics): every operation on every
//! type in global and local memory, by many work-items at once.

use std::fmt::Write as _;

use crate::cl;
use crate::exact::{as_integer, range};
use crate::lab::{Arg, Lab, Random, bytes_of, element};
use crate::lanes::name;
use crate::scalar::Scalar;

/// A function, and the value that it computes from the value in memory and an operand.
struct Op {
    name: &'static str,
    /// The arguments after the pointer in a call.
    operands: &'static str,
    next: fn(Scalar, i128, i128) -> i128,
}

const OPS: &[Op] = &[
    Op {
        name: "add",
        operands: ", v",
        next: |_, x, v| x + v,
    },
    Op {
        name: "sub",
        operands: ", v",
        next: |_, x, v| x - v,
    },
    Op {
        name: "xchg",
        operands: ", v",
        next: |_, _, v| v,
    },
    Op {
        name: "inc",
        operands: "",
        next: |_, x, _| x + 1,
    },
    Op {
        name: "dec",
        operands: "",
        next: |_, x, _| x - 1,
    },
    Op {
        name: "min",
        operands: ", v",
        next: |_, x, v| x.min(v),
    },
    Op {
        name: "max",
        operands: ", v",
        next: |_, x, v| x.max(v),
    },
    Op {
        name: "and",
        operands: ", v",
        next: |_, x, v| x & v,
    },
    Op {
        name: "or",
        operands: ", v",
        next: |_, x, v| x | v,
    },
    Op {
        name: "xor",
        operands: ", v",
        next: |_, x, v| x ^ v,
    },
    // Only one of the work-items that compare with the initial value finds it.
    Op {
        name: "cmpxchg",
        operands: ", first, v",
        next: |s, x, v| if x == start(s) { v } else { x },
    },
];

/// Returns the initial value in memory, which is neither small nor all ones.
fn start(s: Scalar) -> i128 {
    wrapped(s, 0x0123_4567_89AB_CDEF)
}

fn wrapped(s: Scalar, x: i128) -> i128 {
    as_integer(s, x as u64)
}

const ITEMS: usize = 64;
const GROUP: usize = 16;

/// Returns whether some sequential order of the operations explains the values that the work-items found and the last
/// value in memory.
fn one_history(s: Scalar, op: &Op, operands: &[i128], found: &[i128], last: i128) -> bool {
    let next = |k: usize| wrapped(s, (op.next)(s, found[k], operands[k]));
    let mut left: Vec<usize> = (0..found.len()).collect();
    let mut now = start(s);
    loop {
        // Operations that find the current value and do not change it can be next in any such order.
        left.retain(|&k| found[k] != now || next(k) != now);
        let Some(place) = left.iter().position(|&k| found[k] == now) else {
            return left.is_empty() && now == last;
        };
        now = next(left.swap_remove(place));
    }
}

fn check(bytes: usize, signed: bool) {
    let lab = Lab::new();
    if bytes == 8 && !(lab.has("cl_khr_int64_base_atomics") && lab.has("cl_khr_int64_extended_atomics")) {
        return;
    }
    let s = Scalar::Int { bytes, signed };
    let (ty, prefix) = (name(s), if bytes == 8 { "atom" } else { "atomic" });
    // One kernel uses global memory, which all work-items share, and one uses local memory.
    let mut source = String::from(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n\
         #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n",
    );
    for space in ["global", "local"] {
        writeln!(
            source,
            "kernel void in_{space}(global {ty} *all, global const {ty} *in, global {ty} *found, local {ty} *shared) {{\n\
             size_t i = get_global_id(0), l = get_local_id(0), g = get_group_id(0), n = get_global_size(0);\n\
             {ty} v = in[i], first = in[n]; volatile {space} {ty} *p = {};\n\
             if (l < {1}) shared[l] = first; barrier(CLK_LOCAL_MEM_FENCE);",
            if space == "global" { "all" } else { "shared" },
            OPS.len()
        )
        .expect("a string grows");
        for (k, op) in OPS.iter().enumerate() {
            // Every second 32-bit function uses its older name, with the prefix `atom`.
            let prefix = if k % 2 == 0 { "atom" } else { prefix };
            writeln!(
                source,
                "found[{k} * n + i] = {prefix}_{}(p + {k}{});",
                op.name, op.operands
            )
            .expect("a string grows");
        }
        writeln!(
            source,
            "barrier(CLK_LOCAL_MEM_FENCE); if (p == (volatile {space} {ty} *){} && l < {}) all[(g + 1) * {1} + l] = shared[l]; }}",
            if space == "global" { "0" } else { "shared" },
            OPS.len()
        )
        .expect("a string grows");
    }
    let program = lab.build(&source);
    let mut random = Random::new(bytes as u64);
    // The operands are so large that no value in memory occurs twice.
    let (low, high) = range(s);
    let mut operands: Vec<i128> = (0..ITEMS)
        .map(|_| low + (random.next() as i128 & i128::from(u64::MAX)) % (high - low))
        .collect();
    operands.push(start(s));
    let bits: Vec<u64> = operands.iter().map(|v| *v as u64).collect();
    let input = bytes_of(&bits, bytes);
    let groups = ITEMS / GROUP;
    let before = bytes_of(&vec![start(s) as u64; OPS.len() * (groups + 1)], bytes);
    for space in ["global", "local"] {
        let args = [
            Arg::InOut(&before),
            Arg::In(&input),
            Arg::Out(OPS.len() * ITEMS * bytes),
            Arg::Local(OPS.len() * bytes),
        ];
        let out = lab.run(program, &format!("in_{space}"), ITEMS, Some(GROUP), &args);
        let value = |buffer: usize, i: usize| as_integer(s, element(&out[buffer], bytes, i));
        for (k, op) in OPS.iter().enumerate() {
            let found: Vec<i128> = (0..ITEMS).map(|i| value(1, k * ITEMS + i)).collect();
            let what = format!("{} on {space} {ty}: {found:x?}", op.name);
            if space == "global" {
                assert!(one_history(s, op, &operands, &found, value(0, k)), "{what}");
                continue;
            }
            for g in 0..groups {
                let items = g * GROUP..(g + 1) * GROUP;
                let last = value(0, (g + 1) * OPS.len() + k);
                let good = one_history(s, op, &operands[items.clone()], &found[items], last);
                assert!(good, "{what}, group {g}");
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn on_int() {
    check(4, true);
}

#[test]
fn on_uint() {
    check(4, false);
}

#[test]
fn on_long() {
    check(8, true);
}

#[test]
fn on_ulong() {
    check(8, false);
}

/// Tests atomic operations on integers whose operands are the bits of floats that were computed, selected,
/// or passed through control flow. The expected result of operations on local memory does not depend on
/// their order.
fn check_float_bits(float: &str, size: usize) {
    let lab = Lab::new();
    let wide = size == 8;
    if wide && !(lab.has("cl_khr_int64_base_atomics") && lab.has("cl_khr_int64_extended_atomics")) {
        return;
    }
    let (ty, prefix) = if wide { ("long", "atom") } else { ("int", "atomic") };
    let values = [
        "v * 2".to_owned(),
        "v".to_owned(),
        "i % 2 ? v + 1 : v - 1".to_owned(),
        format!("(({float}2)(v, v + 3) * 2).y"),
        "loop".to_owned(),
    ];
    let ops = ["add", "sub", "min", "max", "and", "or", "xor"];
    let mut source = String::from(
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n\
         #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n",
    );
    writeln!(
        source,
        "kernel void k(global {ty} *all, global {ty} *last, local {ty} *shared) {{
           size_t i = get_global_id(0); {float} v = ({float})i - 7.25f;
           if (i == 0) for (int n = 0; n < {0}; n++) shared[n] = 1;
           barrier(CLK_LOCAL_MEM_FENCE);
           {float} loop = v; for (int n = 0; n < i; n++) {{ loop *= 1.5f; if (loop > 1000) break; }}",
        values.len() * ops.len()
    )
    .expect("a string grows");
    for (n, value) in values.iter().enumerate() {
        for (k, op) in ops.iter().enumerate() {
            let at = n * ops.len() + k;
            writeln!(
                source,
                "{prefix}_{op}(shared + {at}, as_{ty}({value})); {prefix}_{op}(all + {at}, as_{ty}({value}));
                 last[(i + 1) * {count} + {at}] = as_{ty}({value});",
                count = values.len() * ops.len()
            )
            .expect("a string grows");
        }
    }
    let count = values.len() * ops.len();
    writeln!(
        source,
        "barrier(CLK_LOCAL_MEM_FENCE); if (i == 0) for (int n = 0; n < {count}; n++) last[n] = shared[n];
         {prefix}_xchg(all + {count}, as_{ty}(({float})3 * as_{float}(all[{count}])));
         {prefix}_cmpxchg(all + {count} + 1, as_{ty}(as_{float}(all[{count} + 1]) * 1), as_{ty}(v * 0 + 5)); }}"
    )
    .expect("a string grows");
    let program = lab.build(&source);
    let mut before = vec![1u64; count];
    before.extend([0, 0]);
    let args = [
        Arg::InOut(&bytes_of(&before, size)),
        Arg::Out((GROUP + 1) * count * size),
        Arg::Local(count * size),
    ];
    let out = lab.run(program, "k", GROUP, Some(GROUP), &args);
    let s = Scalar::Int {
        bytes: size,
        signed: true,
    };
    for at in 0..count {
        let op = OPS
            .iter()
            .find(|o| o.name == ops[at % ops.len()])
            .expect("listed");
        // The operands are those that each work-item reports.
        let operand = |i: usize| as_integer(s, element(&out[1], size, (i + 1) * count + at));
        let expected = (0..GROUP).fold(1, |x, i| wrapped(s, (op.next)(s, x, operand(i))));
        for (buffer, what) in [(0, "global"), (1, "local")] {
            let found = as_integer(s, element(&out[buffer], size, at));
            assert_eq!(
                found,
                expected,
                "{} of {} in {what} memory",
                op.name,
                values[at / ops.len()]
            );
        }
    }
    let five = if wide {
        5f64.to_bits()
    } else {
        5f32.to_bits().into()
    };
    assert_eq!(element(&out[0], size, count), 0);
    assert_eq!(element(&out[0], size, count + 1), five);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn on_bits_of_float() {
    check_float_bits("float", 4);
}

#[test]
fn on_bits_of_double() {
    if Lab::new().has("cl_khr_fp64") {
        check_float_bits("double", 8);
    }
}
