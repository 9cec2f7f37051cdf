//! Functions that move vectors: vloadn and vstoren (CL 6.12.7) in every address space, conversions to and from half in
//! memory, shuffles (6.12.12), asynchronous copies and prefetches (6.12.10).

use std::fmt::Write as _;

use crate::cl;
use crate::conversions::samples;
use crate::exact::{Expected, Mode, convert};
use crate::lab::{Arg, Lab, POISON, Random, bytes_of, element};
use crate::lanes::spelled;
use crate::scalar::{SCALARS, Scalar};

const VECTORS: [usize; 5] = [2, 3, 4, 8, 16];

fn types(lab: &Lab) -> Vec<(&'static str, Scalar)> {
    let known = |s: Scalar| match s {
        Scalar::Half => lab.has("cl_khr_fp16"),
        Scalar::Double => lab.has("cl_khr_fp64"),
        Scalar::Float | Scalar::Int { .. } => true,
    };
    SCALARS.into_iter().filter(|(_, s)| known(*s)).collect()
}

fn random_bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..count).map(|_| (random.next() >> 32) as u8).collect()
}

const FP16: &str = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";

/// Copies vectors from `__constant` or `__global` memory through local and private arrays to a buffer, at addresses
/// that are aligned to elements only.
#[test]
fn loads_and_stores() {
    let lab = Lab::new();
    let items = 6;
    let types = types(&lab);
    let mut source = if lab.has("cl_khr_fp16") {
        FP16.to_owned()
    } else {
        String::new()
    };
    let from_constant = |name: &str| name.len().is_multiple_of(2);
    for (name, _) in &types {
        let space = if from_constant(name) {
            "constant"
        } else {
            "global const"
        };
        writeln!(
            source,
            "kernel void k_{name}({space} {name} *in, global {name} *out, local {name} *shared) {{\n\
                 size_t i = get_global_id(0); {name} own[19];"
        )
        .expect("a string grows");
        let mut base = 0;
        for n in VECTORS {
            let rows = n * items;
            writeln!(
                    source,
                    "vstore{n}(vload{n}(i, in + 1), i, shared + 1); barrier(CLK_LOCAL_MEM_FENCE);\n\
                     vstore{n}(vload{n}({items} - 1 - i, shared + 1), 0, own + 3); own[2] = own[1] = own[0] = 0;\n\
                     vstore{n}(vload{n}(0, own + 3), i, out + {}); barrier(CLK_LOCAL_MEM_FENCE);",
                    base + 1
                )
                .expect("a string grows");
            base += rows + 2;
        }
        source.push_str("}\n");
    }
    let program = lab.build(&source);
    let total: usize = VECTORS.iter().map(|n| n * items + 2).sum();
    for (name, scalar) in &types {
        let size = scalar.size();
        let input = random_bytes((16 * items + 1) * size, size as u64);
        let args = [
            Arg::In(&input),
            Arg::Out(total * size),
            Arg::Local((16 * items + 1) * size),
        ];
        let out = lab
            .run(program, &format!("k_{name}"), items, Some(items), &args)
            .remove(0);
        let mut at = 0;
        for n in VECTORS {
            for k in 0..n * items + 2 {
                let got = element(&out, size, at + k);
                let expected = if k == 0 || k == n * items + 1 {
                    element(&[POISON; 8], size, 0)
                } else {
                    let (item, lane) = ((k - 1) / n, (k - 1) % n);
                    element(&input, size, 1 + (items - 1 - item) * n + lane)
                };
                assert_eq!(got, expected, "{name}{n}, element {k}");
            }
            at += n * items + 2;
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Loads every half as a float, from every address space, without cl_khr_fp16.
#[test]
fn halves_loaded() {
    let lab = Lab::new();
    let mut source = String::new();
    let forms: Vec<(String, usize, usize)> = std::iter::once(("vload_half".to_owned(), 1, 1))
        .chain(VECTORS.iter().map(|n| (format!("vload_half{n}"), *n, *n)))
        .chain(
            VECTORS
                .iter()
                .map(|n| (format!("vloada_half{n}"), *n, if *n == 3 { 4 } else { *n })),
        )
        .chain([("vloada_half".to_owned(), 1, 1)])
        .collect();
    for (space, qualified) in [
        ("global", "global const"),
        ("constant", "constant"),
        ("local", "global const"),
        ("private", "global const"),
    ] {
        writeln!(
            source,
            "kernel void from_{space}({qualified} half *in, global float *out) {{\n\
            size_t i = get_global_id(0), l = get_local_id(0), g = get_group_id(0);"
        )
        .expect("a string grows");
        // Each work-item loads 16 halves.
        let pointer = match space {
            "local" => {
                "local half copy[16 * 16] __attribute__((aligned(32))); for (int k = 0; k < 16; k++)
                ((local ushort *)copy)[16 * l + k] = ((global const ushort *)in)[16 * i + k];
                barrier(CLK_LOCAL_MEM_FENCE); local half *p = copy + 16 * l;"
            }
            "private" => {
                "half p[16] __attribute__((aligned(32))); for (int k = 0; k < 16; k++)
                ((ushort *)p)[k] = ((global const ushort *)in)[16 * i + k];"
            }
            "constant" => "constant half *p = in + 16 * i;",
            _ => "global const half *p = in + 16 * i;",
        };
        writeln!(source, "{pointer}\nsize_t items = get_global_size(0);").expect("a string grows");
        for (form, (function, n, step)) in forms.iter().enumerate() {
            writeln!(
                source,
                "{{ global float *o = out + 16 * ({form} * items + i); for (int k = 0; k < {}; k++) {}; }}",
                16 / step,
                if *n == 1 {
                    format!("o[k] = {function}(k, p)")
                } else {
                    format!("vstore{n}({function}(k, p), 0, o + k * {step})")
                }
            )
            .expect("a string grows");
        }
        source.push_str("}\n");
    }
    let program = lab.build(&source);
    for (space, items) in [
        ("global", 4096),
        ("constant", 512),
        ("local", 512),
        ("private", 512),
    ] {
        let stride = 4096 / items as u64;
        let bits: Vec<u64> = (0..16 * items as u64)
            .map(|k| k * stride + (k * 7) % stride)
            .collect();
        let input = bytes_of(&bits, 2);
        let args = [Arg::In(&input), Arg::Out(forms.len() * 16 * items * 4)];
        let out = lab
            .run(program, &format!("from_{space}"), items, Some(16), &args)
            .remove(0);
        for (form, (function, n, step)) in forms.iter().enumerate() {
            for (k, &half) in bits.iter().enumerate() {
                let got = element(&out, 4, form * bits.len() + k);
                let in_item = k % 16;
                // Vectors of 3 do not use every element.
                let expected = if in_item % step >= *n || in_item >= 16 / step * step {
                    Expected::Bits(0xCDCD_CDCD)
                } else {
                    convert(half, Scalar::Half, Scalar::Float, false, None)
                };
                assert!(
                    expected.met_by(Scalar::Float, got, true),
                    "{space} {function} of {half:#x}: {got:#x}, expected {expected:x?}"
                );
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// A function that stores halves: its name, the number of its lanes, the distance between two vectors, and the mode.
type Form = (String, usize, usize, Option<Mode>);

/// Returns the forms of `vstore_half` to test in an address space.
fn forms(space: &str) -> Vec<Form> {
    let modes: Vec<Option<Mode>> = [None].into_iter().chain(Mode::ALL.map(Some)).collect();
    let mut forms = Vec::new();
    let widths = [1, 2, 3, 4, 8, 16];
    for (place, mode) in modes.into_iter().enumerate() {
        let suffix = mode.map_or("", Mode::suffix);
        for aligned in [false, true] {
            // Testing every width with every mode takes too long. Each address space tests two of the widths.
            let first = place + usize::from(aligned) + space.len();
            for n in [widths[first % 6], widths[(first + 3) % 6]] {
                let lanes = if n == 1 { String::new() } else { n.to_string() };
                let step = if n == 3 && aligned { 4 } else { n };
                forms.push((
                    format!("vstore{}_half{lanes}{suffix}", if aligned { "a" } else { "" }),
                    n,
                    step,
                    mode,
                ));
            }
        }
    }
    forms
}

/// Returns the source of kernels with four forms each.
fn storing_source(forms: &[Form], from: &str, space: &str) -> String {
    let mut source = String::new();
    for (part, four) in forms.chunks(4).enumerate() {
        writeln!(
            source,
            "kernel void part{part}(global const {from} *in, global half *out) {{\n\
            size_t i = get_global_id(0), l = get_local_id(0);"
        )
        .expect("a string grows");
        match space {
            "local" => source.push_str("local half all[16 * 16] __attribute__((aligned(32))); local half *p = all + 16 * l; local ushort *b = (local ushort *)p;\n"),
            "private" => source.push_str("half p[16] __attribute__((aligned(32))); ushort *b = (ushort *)p;\n"),
            _ => {}
        }
        for (form, (function, n, step, _)) in four.iter().enumerate() {
            let target = format!("out + 16 * ({form} * get_global_size(0) + i)");
            if space == "global" {
                writeln!(source, "{{ global half *p = {target};").expect("a string grows");
            } else {
                writeln!(source, "{{ for (int k = 0; k < 16; k++) b[k] = 0xCDCD;").expect("a string grows");
            }
            writeln!(
                source,
                "for (int k = 0; k < {}; k++) {function}({}, k, p);",
                16 / step,
                if *n == 1 {
                    "in[16 * i + k]".to_owned()
                } else {
                    format!("vload{n}(0, in + 16 * i + {step} * k)")
                }
            )
            .expect("a string grows");
            if space != "global" {
                writeln!(
                    source,
                    "for (int k = 0; k < 16; k++) ((global ushort *)({target}))[k] = b[k];"
                )
                .expect("a string grows");
            }
            source.push_str("}\n");
        }
        source.push_str("}\n");
    }
    source
}

/// Returns numbers to store: samples of the type, and numbers near the range of half, from 2^-26 to 2^17.
fn stored_numbers(from: &str) -> Vec<u64> {
    let mut values = samples(Scalar::named(from), 16 * 16);
    let mut random = Random::new(3);
    while values.len() < 16 * 64 {
        let x = (1.0 + random.below(1 << 24) as f64 / f64::from(1 << 24))
            * 2f64.powi(random.below(44) as i32 - 26);
        let x = match random.below(4) {
            // Halfway between two halves.
            0 => {
                f64::from((x as f32).to_bits() >> 12) * 0.0
                    + f64::from(f32::from_bits((x as f32).to_bits() & !0xFFF))
            }
            1 => -x,
            _ => x,
        };
        let bits = if from == "double" {
            x.to_bits()
        } else {
            u64::from((x as f32).to_bits())
        };
        values.push(bits);
    }
    values
}
fn halves_stored(from: &str, space: &str) {
    let lab = Lab::new();
    if from == "double" && !lab.has("cl_khr_fp64") {
        return;
    }
    let forms = forms(space);
    let source = storing_source(&forms, from, space);
    let program = lab.build(&source);
    let scalar = Scalar::named(from);
    let values = stored_numbers(from);
    let items = values.len() / 16;
    let input = bytes_of(&values, scalar.size());
    for (part, four) in forms.chunks(4).enumerate() {
        let args = [Arg::In(&input), Arg::Out(four.len() * values.len() * 2)];
        let out = lab
            .run(program, &format!("part{part}"), items, Some(16), &args)
            .remove(0);
        for (form, (function, n, step, mode)) in four.iter().enumerate() {
            for (k, &bits) in values.iter().enumerate() {
                let got = element(&out, 2, form * values.len() + k);
                let in_item = k % 16;
                let expected = if in_item % step >= *n || in_item >= 16 / step * step {
                    Expected::Bits(0xCDCD)
                } else {
                    convert(bits, scalar, Scalar::Half, false, *mode)
                };
                assert!(
                    expected.met_by(Scalar::Half, got, true),
                    "{space} {function} of {bits:#x}: {got:#x}, expected {expected:x?}"
                );
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn floats_stored_as_halves() {
    for space in ["global", "local", "private"] {
        halves_stored("float", space);
    }
}

#[test]
fn doubles_stored_as_halves() {
    for space in ["global", "local", "private"] {
        halves_stored("double", space);
    }
}

/// Tests `shuffle` and `shuffle2` from every width to every width. Only the low bits of a lane of the mask count.
#[test]
fn shuffles() {
    let lab = Lab::new();
    let types = types(&lab);
    let widths = [2, 4, 8, 16];
    let mut source = if lab.has("cl_khr_fp16") {
        FP16.to_owned()
    } else {
        String::new()
    };
    let fixed = [3usize, 9, 0, 17, 30, 5, 22, 14, 1, 31, 8, 27, 12, 6, 19, 2];
    // Masks that are not constant are expensive to compile, so each type has them for a quarter of the pairs of widths.
    let dynamic =
        |place: usize, from: usize, to: usize| (from.ilog2() + to.ilog2()) as usize % 4 == place % 4;
    for (place, (name, scalar)) in types.iter().enumerate() {
        let mask = Scalar::Int {
            bytes: scalar.size(),
            signed: false,
        };
        writeln!(
            source,
            "kernel void k_{name}(global const {name} *in, global const {} *masks, global {name} *out) {{",
            spelled(mask, 1)
        )
        .expect("a string grows");
        let mut at = 0;
        for from in widths {
            for to in widths {
                let m = spelled(mask, to);
                let constants: Vec<String> = fixed[..to].iter().map(usize::to_string).collect();
                let constants = format!("({m})({})", constants.join(", "));
                let m_expr = if dynamic(place, from, to) {
                    "m".to_owned()
                } else {
                    constants.clone()
                };
                writeln!(source, "{{ {m} m = vload{to}(0, masks); {v} a = vload{from}(0, in), b = vload{from}(1, in);\n\
                    vstore{to}(shuffle(a, {m_expr}), 0, out + {at}); vstore{to}(shuffle2(a, b, {m_expr}), 1, out + {at});\n\
                    vstore{to}(shuffle(b, {constants}), 2, out + {at}); vstore{to}(shuffle2(a, b, {constants}), 3, out + {at}); }}",
                    v = spelled(*scalar, from)).expect("a string grows");
                at += 4 * to;
            }
        }
        source.push_str("}\n");
    }
    let program = lab.build(&source);
    for (place, (name, scalar)) in types.iter().enumerate() {
        let size = scalar.size();
        let input = random_bytes(32 * size, 11);
        let masks = random_bytes(16 * size, 12);
        let total: usize = 4 * widths.iter().map(|to| to * widths.len()).sum::<usize>();
        let args = [Arg::In(&input), Arg::In(&masks), Arg::Out(total * size)];
        let out = lab.run(program, &format!("k_{name}"), 1, None, &args).remove(0);
        let mut at = 0;
        for from in widths {
            for to in widths {
                for k in 0..4 * to {
                    let lane = k % to;
                    let mask = if k < 2 * to && dynamic(place, from, to) {
                        element(&masks, size, lane) as usize
                    } else {
                        fixed[lane]
                    };
                    let chosen = match k / to {
                        0 => mask % from,
                        2 => from + mask % from,
                        _ => mask % (2 * from),
                    };
                    assert_eq!(
                        element(&out, size, at + k),
                        element(&input, size, chosen),
                        "{name}{from} to {to}, {k}"
                    );
                }
                at += 4 * to;
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// Copies to local memory and back, contiguous and strided. The number of elements exceeds the number of work-items
/// and is not a multiple of it.
#[test]
fn asynchronous_copies() {
    let lab = Lab::new();
    // llvmpipe compiles barriers slowly, so not every type is tested with every width.
    for (name, n) in [
        ("uchar", 3),
        ("short", 8),
        ("float", 4),
        ("ulong", 1),
        ("double", 2),
    ] {
        if name != "double" || lab.has("cl_khr_fp64") {
            asynchronous_copy(&lab, Scalar::named(name), n);
        }
    }
}

fn asynchronous_copy(lab: &Lab, scalar: Scalar, n: usize) {
    let (count, group, groups, stride) = (11usize, 4usize, 2usize, 3usize);
    let (v, size) = (spelled(scalar, n), scalar.size());
    // The number of elements that a work-group writes.
    let written = count * (1 + stride);
    let source = format!(
        "kernel void copy(global const {v} *in, global {v} *out, local {v} *a) {{
            size_t g = get_group_id(0);
            event_t e, f[2];
            local {v} *b = a + {count};
            prefetch(in + g, {count});
            e = async_work_group_copy(a, in + g * {count}, {count}, 0);
            e = async_work_group_strided_copy(b, in + g, {count}, {stride}, e);
            wait_group_events(1, &e);
            f[0] = async_work_group_copy(out + g * {written}, b, (size_t){count}, (event_t)0);
            f[1] = async_work_group_strided_copy(out + g * {written} + {count}, a, {count}, {stride}, 0);
            wait_group_events(2, f);
        }}"
    );
    let program = lab.build(&source);
    let step = if n == 3 { 4 } else { n };
    let input = random_bytes(groups * count * stride * step * size, 5);
    let args = [
        Arg::In(&input),
        Arg::Out(groups * written * step * size),
        Arg::Local(2 * count * step * size),
    ];
    let out = lab
        .run(program, "copy", group * groups, Some(group), &args)
        .remove(0);
    for k in 0..groups * written {
        let (g, k_in_group) = (k / written, k % written);
        let from = match k_in_group.checked_sub(count) {
            None => Some(g + k_in_group * stride),
            Some(k) if k % stride == 0 => Some(g * count + k / stride),
            Some(_) => None,
        };
        for lane in 0..n {
            let got = element(&out, size, k * step + lane);
            let expected = match from {
                Some(s) => element(&input, size, s * step + lane),
                None => element(&[POISON; 8], size, 0),
            };
            assert_eq!(got, expected, "{v}, element {k}.{lane}");
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}
