//! Tests large functions that are called many times. The compiler does not inline them (compiler ADR 9), and asks drivers not to
//! inline them if the copies would be too large. The host computes the expected results.
//!
//! Such a function may read tables in constant memory. It then must not read them where a condition in it forbids that.

use crate::cl;
use crate::common::CL_SUCCESS;
use crate::lab::{Arg, Lab};

const ITEMS: usize = 128;
const GROUP: usize = 32;
const ROUNDS: u32 = 200;
const CALLS: u32 = 21;

/// The state of the functions.
type State = [u32; 4];

/// Computes one of the [`ROUNDS`] rounds of [`step`]. In the kernel, the function contains a copy of its code for each round.
fn round(s: &mut State, n: u32, a: u32) {
    s[0] = s[0].wrapping_add((s[1] & s[2]) | (!s[1] & s[3]));
    s[0] = s[0].wrapping_add(a ^ n.wrapping_mul(0x9E37_79B9));
    s[0] = s[0].rotate_left(n % 31 + 1).wrapping_add(s[1]);
    s.rotate_left(1);
}

/// This function has two `return` statements.
fn step(mut s: State, a: u32) -> State {
    (0..ROUNDS).for_each(|n| round(&mut s, n, a));
    if s[0] & 7 == 3 {
        return s;
    }
    s[3] ^= s[2].wrapping_mul(5);
    s
}

/// This function calls [`step`] in one of its two branches.
fn twice(s: State, a: u32) -> State {
    match s[1] & 1 {
        1 => step(step(s, a), a ^ 21),
        _ => s.map(|x| x ^ a),
    }
}

fn source() -> String {
    let rounds: String = (0..ROUNDS)
        .map(|n| {
            format!(
                "s.x += (s.y & s.z) | (~s.y & s.w); s.x += a ^ {}u; s.x = rotate(s.x, {}u) + s.y; s = s.yzwx;\n",
                n.wrapping_mul(0x9E37_79B9),
                n % 31 + 1
            )
        })
        .collect();
    let calls: String = (0..CALLS)
        .map(|n| match n % 3 {
            0 => format!("s = step(s, i + {n});\n"),
            1 => format!("if (s.x & 4) s = step(s, {n} * i); else s.y ^= {n};\n"),
            _ => format!("s = twice(s, s.z + {n});\n"),
        })
        .collect();
    format!(
        "uint4 step(uint4 s, uint a) {{ {rounds}
            if ((s.x & 7) == 3) return s;
            s.w ^= s.z * 5;
            return s; }}
        uint4 twice(uint4 s, uint a) {{
            if (s.y & 1) return step(step(s, a), a ^ 21);
            return s ^ a; }}
        kernel void k(global uint4 *o) {{
            uint i = get_global_id(0); uint4 s = (uint4)(i, 1, 2, 3);
            {calls}
            o[i] = s; }}"
    )
}

#[test]
fn functions_that_are_not_inlined() {
    let lab = Lab::new();
    let program = lab.build(&source());
    let results = lab.run(program, "k", ITEMS, Some(GROUP), &[Arg::Out(ITEMS * 16)]);
    for (i, bytes) in results[0].chunks_exact(16).enumerate() {
        let found: Vec<u32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|word| u32::from_ne_bytes(*word))
            .collect();
        let i = i as u32;
        let expected = (0..CALLS).fold([i, 1, 2, 3], |mut s: State, n| match n % 3 {
            0 => step(s, i + n),
            1 if s[0] & 4 != 0 => step(s, n * i),
            1 => {
                s[1] ^= n;
                s
            }
            _ => twice(s, s[2].wrapping_add(n)),
        });
        assert_eq!(found, expected, "work-item {i}");
    }
    assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
}

/// The sizes of the table's elements in bytes, and the types of OpenCL C.
const TABLES: [(&str, usize); 4] = [("uchar", 1), ("ushort", 2), ("uint", 4), ("ulong", 8)];

/// Returns a program whose function reads a table of 4 elements only where an index is in range. All work-items have the same index, and
/// `outer` has no load of its own.
fn source_with_table(ty: &str) -> String {
    let rounds: String = (0..ROUNDS)
        .map(|n| {
            format!(
                "x = rotate(x ^ {}u, {}u) + i;\n",
                n.wrapping_mul(0x9E37_79B9),
                n % 31 + 1
            )
        })
        .collect();
    let calls: String = (0..CALLS)
        .map(|n| match n % 3 {
            0 => format!("x = inner(x, i + {n}, far);\n"),
            1 => format!("if (x & 4) x = inner(x, {n} * i, far); else x ^= {n};\n"),
            _ => format!("x = outer(x, i ^ {n}, far);\n"),
        })
        .collect();
    format!(
        "constant {ty} table[4] = {{3, 1, 4, 5}};
        uint inner(uint x, uint i, long far) {{
            if (far < 4) x += table[far];
            {rounds}
            return far < 4 ? x ^ (uint)table[far] : x; }}
        uint outer(uint x, uint i, long far) {{
            {rounds}
            return inner(x, i, far) * 3; }}
        kernel void k(global uint *o, long far) {{
            uint i = get_global_id(0), x = i;
            {calls}
            o[i] = x; }}"
    )
}

/// Computes what the kernel of [`source_with_table`] does.
fn with_table(i: u32, element: Option<u32>) -> u32 {
    let rounds = |x: u32, i: u32| {
        (0..ROUNDS).fold(x, |x, n| {
            (x ^ n.wrapping_mul(0x9E37_79B9))
                .rotate_left(n % 31 + 1)
                .wrapping_add(i)
        })
    };
    let element = element.unwrap_or(0);
    let inner = |x: u32, i: u32| rounds(x.wrapping_add(element), i) ^ element;
    (0..CALLS).fold(i, |x, n| match n % 3 {
        0 => inner(x, i.wrapping_add(n)),
        1 if x & 4 != 0 => inner(x, n.wrapping_mul(i)),
        1 => x ^ n,
        _ => inner(rounds(x, i ^ n), i ^ n).wrapping_mul(3),
    })
}

#[test]
fn tables_under_conditions_in_functions() {
    let lab = Lab::new();
    for (ty, size) in TABLES {
        let program = lab.build(&source_with_table(ty));
        for (far, element) in [(2i64, Some(4)), (1 << 44, None)] {
            let args = [Arg::Out(ITEMS * 4), Arg::Value(&far.to_ne_bytes())];
            let results = lab.run(program, "k", ITEMS, Some(GROUP), &args);
            for (i, word) in results[0].as_chunks().0.iter().enumerate() {
                let expected = with_table(i as u32, element);
                assert_eq!(
                    u32::from_ne_bytes(*word),
                    expected,
                    "a table of {size} bytes for each element, index {far}, work-item {i}"
                );
            }
        }
        assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
    }
}
