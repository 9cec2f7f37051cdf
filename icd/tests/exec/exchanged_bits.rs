//! Exchanges of two bytes of which only some bits are taken, or can be set. The driver of NVIDIA GPUs (version 580) recognises an
//! exchange of bytes by the bits that can be set, and computes it incorrectly. A random program added such an exchange of quotients
//! to another number. The reference is the host's arithmetic.

use crate::lab::{Arg, Lab};
use std::fmt::Write as _;

/// An expression, and its value.
type Expression = (&'static str, fn(u32) -> u32);

/// Numbers of at most 16 bits, of which some have zeros in known places, as expressions of the `ushort` number `x`.
const NUMBERS: [Expression; 9] = [
    ("x", |x| x),
    ("(T)(x / (T)61)", |x| x / 61),
    ("(T)(x % (T)1000)", |x| x % 1000),
    ("(T)(x >> (T)3)", |x| x >> 3),
    ("(T)(x & (T)0x7ff0)", |x| x & 0x7ff0),
    ("min(x, (T)1000)", |x| x.min(1000)),
    ("(T)((x & (T)0xff) + (x >> (T)8))", |x| (x & 0xff) + (x >> 8)),
    ("(T)((x & (T)15) * (T)300)", |x| (x & 15) * 300),
    ("(T)(popcount(x) << (T)5)", |x| x.count_ones() << 5),
];

/// Exchanges of the bytes of `y`, or of some of their bits. All shifts are by constants.
const EXCHANGES: [Expression; 11] = [
    ("(y & (T)0xff) << (T)8 | y >> (T)8", |y| (y & 0xff) << 8 | y >> 8),
    ("(y & (T)0xff) << (T)8 ^ (y & (T)0x3ff8) >> (T)8", |y| {
        (y & 0xff) << 8 ^ (y & 0x3ff8) >> 8
    }),
    ("((y & (T)0xff) << (T)8) + (y >> (T)8 & (T)0x7f)", |y| {
        ((y & 0xff) << 8) + (y >> 8 & 0x7f)
    }),
    ("(y & (T)0x3f) << (T)8 | (y >> (T)8 & (T)0x3f)", |y| {
        (y & 0x3f) << 8 | (y >> 8 & 0x3f)
    }),
    ("(y & (T)0xf0) << (T)8 | y >> (T)8", |y| (y & 0xf0) << 8 | y >> 8),
    ("(y & (T)0xff) << (T)8 | (y & (T)0x700) >> (T)8", |y| {
        (y & 0xff) << 8 | (y & 0x700) >> 8
    }),
    ("(y & (T)0xff) << (T)6 << (T)2 | y >> (T)3 >> (T)5", |y| {
        (y & 0xff) << 8 | y >> 8
    }),
    ("(y & (T)0xff) * (T)256 + y / (T)256", |y| {
        (y & 0xff) * 256 + y / 256
    }),
    ("(y & (T)0xff) << (T)8 | (y >> (T)4 & (T)0xff) >> (T)4", |y| {
        (y & 0xff) << 8 | (y >> 4 & 0xff) >> 4
    }),
    ("((y & (T)7) | (y & (T)0xf8)) << (T)8 | y >> (T)8", |y| {
        (y & 0xff) << 8 | y >> 8
    }),
    ("((y & (T)0xff) << (T)8 | y >> (T)8) & (T)0xff7f", |y| {
        ((y & 0xff) << 8 | y >> 8) & 0xff7f
    }),
];

/// What becomes of an exchange `z`: an expression, and its value for `x` and `z`.
const USES: [(&str, fn(u32, u32) -> u32); 2] = [("z", |_, z| z), ("x + z", |x, z| x + z)];

/// The numbers of the kernel: every seventh of 16 bits, so that each bit is set in some of them.
const STEP: usize = 7;

#[test]
fn exchanges_of_some_bits_of_two_bytes() {
    let lab = Lab::new();
    let numbers: Vec<u32> = (0..0x1_0000).step_by(STEP).collect();
    let input: Vec<u8> = numbers.iter().flat_map(|&x| (x as u16).to_le_bytes()).collect();
    let mut wrong = Vec::new();
    for ty in ["ushort", "uint", "ulong", "ushort2"] {
        let program = lab.build(&source(ty));
        let results = NUMBERS.len() * EXCHANGES.len() * USES.len();
        let out = Arg::Out(results * numbers.len() * 2);
        let found = lab.run(program, "k", numbers.len(), None, &[Arg::In(&input), out]);
        crate::cl!(clReleaseProgram(program));
        let mut halves = found[0].chunks_exact(2);
        for (number, of_number) in NUMBERS {
            for (exchange, of_exchange) in EXCHANGES {
                for (used, of_use) in USES {
                    let mut first = None;
                    for &x in &numbers {
                        let half = halves.next().expect("there is a result for each number");
                        let found = u32::from(u16::from_le_bytes([half[0], half[1]]));
                        let expected = of_use(x, of_exchange(of_number(x))) & 0xffff;
                        if found != expected {
                            first.get_or_insert((x, found, expected));
                        }
                    }
                    if let Some((x, found, expected)) = first {
                        wrong.push(format!(
                            "{used} with z = {exchange}, y = {number}, {ty} x = {x:#x}: {found:#x} instead of {expected:#x}"
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong expressions:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Returns a kernel that computes all exchanges of all numbers, and uses them, with numbers of a type.
fn source(ty: &str) -> String {
    let mut source = format!("#define T {ty}\nkernel void k(global const ushort *p, global ushort *r) {{\n");
    source += "  size_t i = get_global_id(0), n = get_global_size(0);\n  T x = (T)p[i];\n";
    let lane = if ty == "ushort2" { ".y" } else { "" };
    let mut results = 0;
    for (number, _) in NUMBERS {
        writeln!(source, "  {{ T y = {number}, z;").expect("a string grows");
        for (exchange, _) in EXCHANGES {
            writeln!(source, "    z = {exchange};").expect("a string grows");
            for (used, _) in USES {
                writeln!(source, "    r[{results} * n + i] = (ushort)(({used}){lane});")
                    .expect("a string grows");
                results += 1;
            }
        }
        source += "  }\n";
    }
    source + "}\n"
}
