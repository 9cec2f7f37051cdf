//! Explicit conversions (CL 6.2.3): every pair of types, with and without saturation, every rounding mode.

use std::fmt::Write as _;

use crate::cl;
use crate::exact::{self, Expected, Mode};
use crate::lab::{Arg, Lab, Random, bytes_of, element};
use crate::scalar::{SCALARS, Scalar};

/// Returns numbers near the limits of conversions to and from a type, and random numbers.
pub(crate) fn samples(scalar: Scalar, count: usize) -> Vec<u64> {
    let mut random = Random::new(scalar.size() as u64 + 40);
    let mask = u64::MAX >> (64 - 8 * scalar.size());
    let mut values = vec![0, 1, mask, mask >> 1, (mask >> 1) + 1];
    if let Some((digits, _)) = exact::format(scalar) {
        let sign = (mask >> 1) + 1;
        let infinity = (mask >> 1) & !((1 << digits) - 1);
        // The limits of the integer types with their neighbours, and numbers that end in .5.
        for power in [0, 1, 7, 8, 15, 16, 31, 32, 63, 64] {
            let one = exact::Real::Finite {
                negative: false,
                m: 1,
                e: power,
            };
            let bits = exact::encode(scalar, one, Mode::Rtz);
            values.extend([
                bits - 1,
                bits,
                bits + 1,
                sign | (bits - 1),
                sign | bits,
                sign | (bits + 1),
            ]);
        }
        for halves in [1u8, 3, 5, 7, 253, 255, 0xFF] {
            let m = u128::from(halves);
            for negative in [false, true] {
                let x = exact::Real::Finite { negative, m, e: -1 };
                values.push(exact::encode(scalar, x, Mode::Rtz));
            }
        }
        values.extend([
            infinity,
            sign | infinity,
            infinity - 1,
            infinity | 1 << (digits - 1),
            sign,
        ]);
    } else {
        for power in [7, 8, 10, 11, 15, 16, 24, 25, 31, 32, 53, 54, 63] {
            let bit = 1u64 << power;
            values.extend([bit - 1, bit, bit + 1, bit | bit >> 11, bit | bit >> 11 | 1, !bit]);
        }
    }
    values.iter_mut().for_each(|v| *v &= mask);
    while values.len() < count {
        // Numbers of every order of magnitude, made by masking few or many bits.
        let bits = random.next() & mask;
        values.push(if exact::format(scalar).is_none() && random.next() & 1 == 0 {
            bits >> random.below(8 * scalar.size())
        } else {
            bits
        });
        // Numbers near the ranges of the integer types.
        if let Some((digits, _)) = exact::format(scalar) {
            let width = 8 * scalar.size() as u32;
            let bias = (1u64 << (width - 2 - digits)) - 1;
            let field = (bias + random.next() % 66).min(2 * bias);
            values.push(bits & !(((mask >> 1) >> digits) << digits) | field << digits);
        }
    }
    values.truncate(count);
    values
}

/// Returns the suffixes of the conversions to a type: saturation and rounding mode.
fn forms(to: Scalar) -> Vec<(bool, Option<Mode>)> {
    let sats: &[bool] = if exact::format(to).is_some() {
        &[false]
    } else {
        &[false, true]
    };
    let modes = [None].into_iter().chain(Mode::ALL.map(Some));
    modes.flat_map(|m| sats.iter().map(move |&s| (s, m))).collect()
}

fn spelled(name: &str, lanes: usize) -> String {
    if lanes == 1 {
        name.into()
    } else {
        format!("{name}{lanes}")
    }
}

const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];
const COUNT: usize = 384;

fn check(from_name: &str) {
    let lab = Lab::new();
    let known = |s: Scalar| match s {
        Scalar::Half => lab.has("cl_khr_fp16"),
        Scalar::Double => lab.has("cl_khr_fp64"),
        Scalar::Float | Scalar::Int { .. } => true,
    };
    let from = Scalar::named(from_name);
    if !known(from) {
        return;
    }
    let mut source = String::new();
    if lab.has("cl_khr_fp16") {
        source.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    }
    let targets = SCALARS.iter().enumerate().filter(|(_, (_, s))| known(*s));
    let pairs: Vec<_> = targets
        .map(|(k, (name, to))| (*name, *to, WIDTHS[(k + from_name.len()) % 6]))
        .collect();
    for (name, to, lanes) in &pairs {
        let vector = spelled(name, *lanes);
        let (load, store): (String, fn(&str, usize, usize, usize) -> String) = if *lanes == 1 {
            ("in[i]".into(), |value, _, at, items| {
                format!("out[{at} * {items} + i] = {value};")
            })
        } else {
            (format!("vload{lanes}(i, in)"), |value, lanes, at, items| {
                format!("vstore{lanes}({value}, {at} * {items} + i, out);")
            })
        };
        writeln!(
            source,
            "kernel void to_{name}(global const {from_name} *in, global {name} *out) {{\n\
             size_t i = get_global_id(0); {} x = {load};",
            spelled(from_name, *lanes)
        )
        .expect("a string grows");
        for (at, (sat, mode)) in forms(*to).into_iter().enumerate() {
            let suffix = format!(
                "{}{}",
                if sat { "_sat" } else { "" },
                mode.map_or("", Mode::suffix)
            );
            let value = format!("convert_{vector}{suffix}(x)");
            writeln!(source, "{}", store(&value, *lanes, at, COUNT / lanes)).expect("a string grows");
        }
        source.push_str("}\n");
    }
    let program = lab.build(&source);
    let values = samples(from, COUNT);
    let input = bytes_of(&values, from.size());
    let mut wrong = Vec::new();
    for (name, to, lanes) in pairs {
        let forms = forms(to);
        let size = forms.len() * COUNT * to.size();
        let args = [Arg::In(&input), Arg::Out(size)];
        let out = lab
            .run(program, &format!("to_{name}"), COUNT / lanes, None, &args)
            .remove(0);
        for (at, &(sat, mode)) in forms.iter().enumerate() {
            for (i, &bits) in values.iter().enumerate() {
                let got = element(&out, to.size(), at * COUNT + i);
                let expected = exact::convert(bits, from, to, sat, mode);
                let flushed = !lab.keeps_subnormals(from) && exact::is_subnormal(from, bits);
                let as_zero = flushed && exact::convert(0, from, to, sat, mode) == Expected::Bits(got);
                if !as_zero && !expected.met_by(to, got, lab.keeps_subnormals(to)) {
                    wrong.push(format!(
                        "{from_name} {bits:#x} to {}{}{}: {got:#x}, expected {expected:x?}",
                        spelled(name, lanes),
                        if sat { "_sat" } else { "" },
                        mode.map_or("", Mode::suffix)
                    ));
                }
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

macro_rules! from {
    ($($name:ident: $ty:literal,)*) => {
        $(#[test]
        fn $name() {
            check($ty);
        })*
    };
}

from! {
    from_char: "char",
    from_uchar: "uchar",
    from_short: "short",
    from_ushort: "ushort",
    from_int: "int",
    from_uint: "uint",
    from_long: "long",
    from_ulong: "ulong",
    from_half: "half",
    from_float: "float",
    from_double: "double",
}
