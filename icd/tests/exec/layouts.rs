//! Structs and unions (CL 6.1.5, 6.11.1). They are random, nested, packed and aligned, also under `#pragma pack`,
//! and the host computes their layout by the rules of C. Kernels copy them as a whole and member by member, through
//! every address space, functions and arguments.

use std::fmt::Write as _;

use crate::cl;
use crate::lab::{Arg, Lab, Random, element};
use crate::lanes::{name, spelled};
use crate::scalar::{SCALARS, Scalar};
use crate::variables::from_binary;

/// The type of a member.
#[derive(Clone, Debug)]
enum Ty {
    Value(Scalar, usize),
    Array(Box<Ty>, usize),
    /// A record, by its index.
    Record(usize),
}

#[derive(Clone, Debug)]
struct Record {
    union: bool,
    packed: bool,
    /// The number of `#pragma pack`, or 0 for none.
    pack: usize,
    /// The alignment of the attribute `aligned`, or 0 for none.
    aligned: usize,
    /// The type and the extra alignment of each member.
    members: Vec<(Ty, usize)>,
}

/// A scalar within a type.
struct Leaf {
    path: String,
    offset: usize,
    scalar: Scalar,
}

struct Layout {
    size: usize,
    align: usize,
    offsets: Vec<usize>,
}

fn size_and_align(ty: &Ty, layouts: &[Layout]) -> (usize, usize) {
    match ty {
        Ty::Value(scalar, lanes) => {
            let size = scalar.size() * lanes.next_power_of_two();
            (size, size)
        }
        Ty::Array(elem, n) => {
            let (size, align) = size_and_align(elem, layouts);
            (size * n, align)
        }
        Ty::Record(r) => (layouts[*r].size, layouts[*r].align),
    }
}

fn layout(record: &Record, layouts: &[Layout]) -> Layout {
    let (mut size, mut align) = (0usize, record.aligned.max(1));
    let mut offsets = Vec::new();
    for (ty, extra) in &record.members {
        let (bytes, natural) = size_and_align(ty, layouts);
        let mut wanted = if record.packed { 1 } else { natural }.max(*extra);
        if record.pack > 0 {
            wanted = wanted.min(record.pack);
        }
        align = align.max(wanted);
        let offset = if record.union {
            0
        } else {
            size.next_multiple_of(wanted)
        };
        offsets.push(offset);
        size = size.max(offset + bytes);
    }
    Layout {
        size: size.next_multiple_of(align),
        align,
        offsets,
    }
}

fn leaves(ty: &Ty, path: &str, offset: usize, records: &[Record], layouts: &[Layout], out: &mut Vec<Leaf>) {
    match ty {
        Ty::Value(scalar, lanes) => {
            for lane in 0..*lanes {
                let component = if *lanes == 1 {
                    String::new()
                } else {
                    format!(".s{lane:x}")
                };
                out.push(Leaf {
                    path: format!("{path}{component}"),
                    offset: offset + lane * scalar.size(),
                    scalar: *scalar,
                });
            }
        }
        Ty::Array(elem, n) => {
            let (size, _) = size_and_align(elem, layouts);
            for k in 0..*n {
                leaves(
                    elem,
                    &format!("{path}[{k}]"),
                    offset + k * size,
                    records,
                    layouts,
                    out,
                );
            }
        }
        Ty::Record(r) => {
            for (k, (member, _)) in records[*r].members.iter().enumerate() {
                let at = offset + layouts[*r].offsets[k];
                leaves(member, &format!("{path}.m{k}"), at, records, layouts, out);
            }
        }
    }
}

fn declared(ty: &Ty, what: &str, records: &[Record]) -> String {
    match ty {
        Ty::Value(scalar, lanes) => format!("{} {what}", spelled(*scalar, *lanes)),
        Ty::Array(elem, n) => declared(elem, &format!("{what}[{n}]"), records),
        Ty::Record(r) => format!("{} R{r} {what}", keyword(&records[*r])),
    }
}

fn keyword(record: &Record) -> &'static str {
    if record.union { "union" } else { "struct" }
}

fn random_type(random: &mut Random, records: usize, scalars: &[Scalar]) -> Ty {
    let value = |random: &mut Random| {
        let lanes = [1, 1, 1, 1, 2, 3, 4, 8][random.below(8)];
        Ty::Value(scalars[random.below(scalars.len())], lanes)
    };
    match random.below(8) {
        0 | 1 if records > 0 => Ty::Record(random.below(records)),
        2 if records > 0 => Ty::Array(Box::new(Ty::Record(random.below(records))), 2),
        3 => {
            let elem = value(random);
            Ty::Array(Box::new(elem), 1 + random.below(3))
        }
        4 => {
            let elem = value(random);
            Ty::Array(Box::new(Ty::Array(Box::new(elem), 2)), 2)
        }
        _ => value(random),
    }
}

fn random_records(random: &mut Random, count: usize, scalars: &[Scalar]) -> (Vec<Record>, Vec<Layout>) {
    let (mut records, mut layouts) = (Vec::new(), Vec::new());
    while records.len() < count {
        let members = (0..1 + random.below(4))
            .map(|_| {
                let ty = random_type(random, records.len(), scalars);
                let extra = if random.below(8) == 0 {
                    [2, 8, 16][random.below(3)]
                } else {
                    0
                };
                (ty, extra)
            })
            .collect();
        let record = Record {
            union: random.below(5) == 0,
            packed: random.below(3) == 0,
            pack: match random.below(3) {
                0 => [1, 2, 4, 8, 16][random.below(5)],
                _ => 0,
            },
            aligned: if random.below(5) == 0 {
                [4, 16, 32][random.below(3)]
            } else {
                0
            },
            members,
        };
        let laid_out = layout(&record, &layouts);
        // Records with very many scalars would only take longer to compile.
        let mut found = Vec::new();
        let whole = Ty::Record(records.len());
        records.push(record);
        layouts.push(laid_out);
        leaves(&whole, "", 0, &records, &layouts, &mut found);
        if found.len() > 24 {
            records.pop();
            layouts.pop();
        }
    }
    (records, layouts)
}

/// The ways in which kernels copy a record from `in[k]` to `out[k]`.
const WAYS: &[&str] = &[
    "out[1] = in[1];",
    "{ T t = in[2]; out[2] = passed(t); }",
    "local T shared; shared = in[3]; out[3] = shared;",
    "{ T t[2]; t[n & 1] = in[4]; t[~n & 1] = in[0]; out[4] = t[n & 1]; }",
    "{ T t; filled(&t, in + 5); out[5] = t; }",
    "out[6] = value;",
];

#[test]
fn random_layouts() {
    let lab = Lab::new();
    let scalars: Vec<Scalar> = SCALARS
        .iter()
        .map(|(_, s)| *s)
        .filter(|s| *s != Scalar::Half && (*s != Scalar::Double || lab.has("cl_khr_fp64")))
        .collect();
    let mut random = Random::new(2024);
    for _ in 0..2 {
        let (records, layouts) = random_records(&mut random, 6, &scalars);
        check(&lab, &mut random, &records, &layouts);
    }
}

fn source_of(records: &[Record], all: &[Vec<Leaf>]) -> String {
    let mut source = String::new();
    for (r, record) in records.iter().enumerate() {
        let mut body = String::new();
        for (k, (ty, extra)) in record.members.iter().enumerate() {
            let attribute = match extra {
                0 => String::new(),
                n => format!(" __attribute__((aligned({n})))"),
            };
            write!(body, "{}{attribute}; ", declared(ty, &format!("m{k}"), records)).expect("a string grows");
        }
        let packed = if record.packed {
            " __attribute__((packed))"
        } else {
            ""
        };
        let aligned = match record.aligned {
            0 => String::new(),
            n => format!(" __attribute__((aligned({n})))"),
        };
        let (push, pop) = match record.pack {
            0 => (String::new(), ""),
            n => (format!("#pragma pack(push, {n})\n"), "#pragma pack(pop)\n"),
        };
        writeln!(
            source,
            "{push}{} R{r} {{ {body}}}{packed}{aligned};\n{pop}",
            keyword(record)
        )
        .expect("a string grows");
        writeln!(
            source,
            "#define T {} R{r}\n#define passed passed{r}\n#define filled filled{r}\n\
             T passed(T t) {{ return t; }}\nvoid filled(T *t, global const T *from) {{ *t = *from; }}\n\
             kernel void k{r}(global const T *in, global T *out, global uint *at, T value, int n) {{\n\
             at[0] = sizeof(T); at[1] = __alignof__(T);",
            keyword(record)
        )
        .expect("a string grows");
        for (k, leaf) in all[r].iter().enumerate() {
            let path = &leaf.path;
            // Components of vectors have no address.
            let whole = path.find(".s").map_or(path.as_str(), |end| &path[..end]);
            writeln!(
                source,
                "out[0]{path} = in[0]{path}; at[{}] = (global const uchar *)&in[1]{whole} - (global const uchar *)&in[1];",
                k + 2
            )
            .expect("a string grows");
        }
        source.push_str(&WAYS.join("\n"));
        source.push_str("\n}\n#undef T\n#undef passed\n#undef filled\n");
    }
    source
}

fn check(lab: &Lab, random: &mut Random, records: &[Record], layouts: &[Layout]) {
    let all: Vec<Vec<Leaf>> = (0..records.len())
        .map(|r| {
            let mut found = Vec::new();
            leaves(&Ty::Record(r), "", 0, records, layouts, &mut found);
            found
        })
        .collect();
    let source = source_of(records, &all);
    let program = lab.build(&source);
    for (r, layout) in layouts.iter().enumerate() {
        let count = WAYS.len() + 1;
        let input: Vec<u8> = (0..count * layout.size).map(|_| random.next() as u8).collect();
        let value = &input[WAYS.len() * layout.size..];
        let args = [
            Arg::In(&input),
            Arg::Out(input.len()),
            Arg::Out(4 * (all[r].len() + 2)),
            Arg::Value(value),
            Arg::Value(&3i32.to_le_bytes()),
        ];
        let out = lab.run(program, &format!("k{r}"), 1, None, &args);
        let said = |k: usize| element(&out[1], 4, k) as usize;
        assert_eq!(
            (said(0), said(1)),
            (layout.size, layout.align),
            "R{r} of\n{source}"
        );
        for (k, leaf) in all[r].iter().enumerate() {
            let lane = leaf.path.find(".s").map_or(0, |at| {
                usize::from_str_radix(&leaf.path[at + 2..], 16).expect("a component")
            });
            let expected = leaf.offset - lane * leaf.scalar.size();
            assert_eq!(said(k + 2), expected, "offset of R{r}{} of\n{source}", leaf.path);
            for way in 0..count {
                let at = way * layout.size + leaf.offset;
                let bytes = at..at + leaf.scalar.size();
                assert_eq!(
                    out[0][bytes.clone()],
                    input[bytes],
                    "R{r}{} ({}), way {way}, of\n{source}",
                    leaf.path,
                    name(leaf.scalar)
                );
            }
        }
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// The data of several programs are in memory at the same time, so that a driver that places them one after the other
/// places most of them at no multiple of a large alignment.
#[test]
fn constants_of_many_programs_are_aligned() {
    let lab = Lab::new();
    let mut programs = Vec::new();
    for n in 0..20usize {
        let align = 256usize << (n % 9);
        let source = format!(
            "constant int before[{0}] = {{1, 2}};
             constant int x __attribute__((aligned({align}))) = {n};
             constant int *constant to = &x;
             kernel void f(global ulong *o) {{
               constant int *p = o[0] ? &x : before;
               o[0] = (ulong)p % {align}, o[1] = (ulong)to % {align}, o[2] = *p, o[3] = p == to;
             }}",
            2 + 32 * n,
        );
        let program = lab.build(&source);
        let again = from_binary(&lab, program);
        for p in [program, again] {
            let out = lab.run(p, "f", 1, None, &[Arg::Out(32)]).remove(0);
            let found = [0, 1, 2, 3].map(|i| element(&out, 8, i));
            assert_eq!(found, [0, 0, n as u64, 1], "{align}");
            programs.push(p);
        }
    }
    for program in programs {
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}
