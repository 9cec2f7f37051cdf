//! Bytes of numbers in another order, and what is taken from the result: halves as signed and unsigned numbers. Compilers make
//! permutations of bytes of them, and the driver of NVIDIA GPUs (version 580) exchanges two bytes incorrectly. The reference is
//! the host's arithmetic.

use crate::lab::{Arg, Lab};
use std::fmt::Write as _;

/// The number of numbers, each of 64 bits.
const COUNT: usize = 64;

/// Orders in which programs want the bytes of a number: reversals of the whole number and of its parts, repeated bytes, rotations.
const ORDERS: [[usize; 8]; 12] = [
    [7, 6, 5, 4, 3, 2, 1, 0],
    [3, 2, 1, 0, 7, 6, 5, 4],
    [1, 0, 3, 2, 5, 4, 7, 6],
    [1, 1, 7, 7, 6, 5, 1, 0],
    [2, 1, 1, 1, 6, 5, 5, 5],
    [1, 0, 1, 0, 4, 4, 5, 5],
    [2, 1, 0, 3, 6, 5, 4, 7],
    [3, 2, 3, 2, 1, 0, 1, 0],
    [5, 4, 0, 0, 0, 0, 3, 2],
    [1, 2, 3, 0, 7, 4, 5, 6],
    [6, 7, 4, 5, 2, 3, 0, 1],
    [0, 0, 1, 1, 2, 2, 3, 3],
];

/// Where a number comes from: an expression of the number `x` of type `ulong`, and its value.
type Origin = (&'static str, fn(u64) -> u64);

const ORIGINS: [Origin; 6] = [
    ("x", |x| x),
    ("(ulong)(char)x", |x| x as i8 as u64),
    ("(ulong)(short)x", |x| x as i16 as u64),
    ("(ulong)(uint)((int)(char)x << 8)", |x| {
        u64::from(((x as i8 as i32) << 8) as u32)
    }),
    (
        "as_ulong((uint2)(((uint)x << 24) | ((uint)(char)(x >> 8) << 8), (uint)(x >> 32)))",
        |x| u64::from((x as u32) << 24 | (((x >> 8) as i8 as i32) << 8) as u32) | x >> 32 << 32,
    ),
    ("(x & 0xffff00000000ffffUL)", |x| x & 0xffff_0000_0000_ffff),
];

/// What is taken from a number `y` of type `ulong`.
const TAKEN: [Origin; 12] = [
    ("y", |y| y),
    ("as_ushort4(y).s0", |y| y & 0xffff),
    ("as_ushort4(y).s1", |y| y >> 16 & 0xffff),
    ("(long)as_short4(y).s0", |y| y as i16 as u64),
    ("(long)as_short4(y).s1", |y| (y >> 16) as i16 as u64),
    ("(long)as_short4(y).s2", |y| (y >> 32) as i16 as u64),
    ("as_ushort4(y).s3", |y| y >> 48),
    ("as_uint2(y).s0", |y| y & 0xffff_ffff),
    ("(uint)y << 16", |y| y << 16 & 0xffff_ffff),
    ("(uint)y >> 16", |y| y >> 16 & 0xffff),
    ("(long)(as_int2(y).s1 >> 16)", |y| (y as i64 >> 48) as u64),
    ("as_ushort4(y).s0 + (ulong)as_ushort4(y).s2", |y| {
        (y & 0xffff) + (y >> 32 & 0xffff)
    }),
];

/// Returns the bytes of a number in another order.
fn permuted(x: u64, order: &[usize; 8]) -> u64 {
    let bytes = x.to_le_bytes();
    u64::from_le_bytes(order.map(|n| bytes[n]))
}

#[test]
fn parts_of_numbers_whose_bytes_are_in_another_order() {
    let lab = Lab::new();
    let numbers: Vec<u64> = (0..COUNT as u64)
        .map(|n| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n << 60)
        .collect();
    let input: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    for (origin, number) in ORIGINS {
        let mut source = String::from("kernel void k(global const ulong *p, global ulong *r) {\n");
        source += "  size_t i = get_global_id(0), n = get_global_size(0);\n  ulong x = p[i];\n";
        let mut results = 0;
        for order in &ORDERS {
            let digits: String = order.iter().map(|n| char::from(b'0' + *n as u8)).collect();
            writeln!(source, "  {{ ulong y = as_ulong(as_uchar8({origin}).s{digits});")
                .expect("a string grows");
            for (part, _) in &TAKEN {
                writeln!(source, "    r[{results} * n + i] = {part};").expect("a string grows");
                results += 1;
            }
            source += "  }\n";
        }
        source += "}\n";
        let program = lab.build(&source);
        let out = Arg::Out(results * COUNT * 8);
        let found = lab.run(program, "k", COUNT, None, &[Arg::In(&input), out]);
        crate::cl!(clReleaseProgram(program));
        let mut words = found[0].chunks_exact(8);
        for order in &ORDERS {
            for (part, value) in TAKEN {
                for &x in &numbers {
                    let word = words.next().expect("there is a result for each number");
                    let found = word.iter().rev().fold(0, |all, &b| all << 8 | u64::from(b));
                    let expected = value(permuted(number(x), order));
                    assert_eq!(
                        found, expected,
                        "{part} of {origin} in the order {order:?} for x = {x:#x}: {found:#x} instead of {expected:#x}"
                    );
                }
            }
        }
    }
}
