//! Every conversion of printf (CL 6.12.13) with flags, widths and precisions, compared with the C library's printf.

use std::ffi::{CString, c_char, c_int};
use std::fmt::Write as _;
use std::process::Command;

use crate::cl;
use crate::lab::{Arg, Lab, Random};

unsafe extern "C" {
    fn snprintf(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
}

/// A number to format.
enum Number {
    Int(i32),
    Long(i64),
    Float(f64),
}

fn host(format: &str, number: &Number) -> String {
    let mut room = [0u8; 512];
    let format = CString::new(format).expect("no zero byte");
    let (to, size) = (room.as_mut_ptr().cast(), room.len());
    let written = match *number {
        // SAFETY: the format has one conversion, of an int, and `size` is the size of the buffer.
        Number::Int(v) => unsafe { snprintf(to, size, format.as_ptr(), v) },
        // SAFETY: the same with a conversion of a long.
        Number::Long(v) => unsafe { snprintf(to, size, format.as_ptr(), v) },
        // SAFETY: the same with a conversion of a double.
        Number::Float(v) => unsafe { snprintf(to, size, format.as_ptr(), v) },
    };
    String::from_utf8_lossy(&room[..written as usize]).into_owned()
}

const INTS: [i64; 8] = [0, 1, -1, 42, -77, 0x1234_5678_9ABC_DEF0, i64::MIN, 0x7FFF_FFFF];
/// Numbers that are exact in float.
const FLOATS: [f64; 12] = [
    0.0,
    -0.0,
    1.0,
    -2.5,
    0.1f32 as f64,
    123456.79f32 as f64,
    1e10f32 as f64,
    3.0517578e-5f32 as f64,
    f64::INFINITY,
    f64::NEG_INFINITY,
    // 999999.5 is left out, because glibc 2.36 loses the zeros of %#g.
    99.5,
    -1.5e-38f32 as f64,
];

/// A call of printf, and its expected output.
struct Case {
    format: String,
    argument: String,
    expected: String,
}

/// Returns random flags among those that the C standard defines for a conversion letter.
fn flags(random: &mut Random, letter: char) -> String {
    let allowed = match letter {
        'd' | 'i' => "-+ 0",
        'u' => "-0",
        'o' | 'x' | 'X' => "-#0",
        'c' | 's' => "-",
        _ => "-+ #0",
    };
    allowed.chars().filter(|_| random.below(3) == 0).collect()
}

fn scalar_case(random: &mut Random, letters: &[char]) -> Case {
    let letter = letters[random.below(letters.len())];
    let flags = flags(random, letter);
    let width = ["", "", "1", "7", "15"][random.below(5)];
    let precision = match letter {
        'c' => "",
        _ => ["", "", ".", ".0", ".1", ".3", ".8"][random.below(7)],
    };
    let pick = random.below(INTS.len());
    let (length, argument, number) = match letter {
        'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
            let pick = random.below(FLOATS.len());
            ("", format!("f[{pick}]"), Number::Float(FLOATS[pick]))
        }
        'c' => {
            let code = 33 + random.below(90) as i32;
            ("", format!("(char)(i[1] * {code})"), Number::Int(code))
        }
        _ => {
            let v = INTS[pick];
            match random.below(4) {
                0 => ("hh", format!("(char)i[{pick}]"), Number::Int((v as i8).into())),
                1 => ("h", format!("(ushort)i[{pick}]"), Number::Int((v as u16).into())),
                2 => ("l", format!("i[{pick}]"), Number::Long(v)),
                _ => ("", format!("(int)i[{pick}]"), Number::Int(v as i32)),
            }
        }
    };
    let format = format!("%{flags}{width}{precision}{length}{letter}");
    let expected = host(&format, &number);
    Case {
        format,
        argument,
        expected,
    }
}

fn vector_case(random: &mut Random) -> Case {
    let lanes = [2, 3, 4, 8, 16][random.below(5)];
    let float = random.below(2) == 0;
    let letters = if float { "fFeEgGaA" } else { "diuoxX" };
    let letter = letters.as_bytes()[random.below(letters.len())].into();
    let flags = flags(random, letter);
    let width = ["", "3", "9"][random.below(3)];
    let precision = ["", ".1", ".4"][random.below(3)];
    let (length, ty) = match (float, random.below(4)) {
        (true, _) => ("hl", "float"),
        (false, 0) => ("hh", "char"),
        (false, 1) => ("h", "short"),
        (false, 2) => ("hl", "int"),
        (false, _) => ("l", "long"),
    };
    let mut values = Vec::new();
    let mut expected = Vec::new();
    for _ in 0..lanes {
        if float {
            let pick = random.below(FLOATS.len());
            values.push(format!("f[{pick}]"));
            expected.push(host(
                &format!("%{flags}{width}{precision}{letter}"),
                &Number::Float(FLOATS[pick]),
            ));
        } else {
            let pick = random.below(INTS.len());
            let v = INTS[pick];
            values.push(format!("({ty})i[{pick}]"));
            let (modifier, number) = match length {
                "hh" => ("hh", Number::Int((v as i8).into())),
                "h" => ("h", Number::Int((v as i16).into())),
                "hl" => ("", Number::Int(v as i32)),
                _ => ("l", Number::Long(v)),
            };
            expected.push(host(
                &format!("%{flags}{width}{precision}{modifier}{letter}"),
                &number,
            ));
        }
    }
    Case {
        format: format!("%{flags}{width}{precision}v{lanes}{length}{letter}"),
        argument: format!("({ty}{lanes})({})", values.join(", ")),
        expected: expected.join(","),
    }
}

/// Returns cases with strings: literals, selected literals, and constants of the program.
fn strings() -> Vec<Case> {
    [
        ("%s", "\"plain\"", "plain"),
        ("%10s", "\"right\"", "     right"),
        ("%-8s", "\"left\"", "left    "),
        ("%.2s", "\"short\"", "sh"),
        ("%6.1s", "\"x\" \"y\"", "     x"),
        ("%s", "i[0] ? \"yes\" : \"no\"", "no"),
        ("%s", "i[1] ? \"yes\" : \"no\"", "yes"),
        ("%s", "hello", "hello"),
        ("%s", "hello + 2", "llo"),
        ("%s", "names[i[1]]", "one"),
        ("%5s", "&hello[i[1] + 3]", "    o"),
        ("%s", "(constant char *)0", "(null)"),
        ("%p", "(global int *)0x1000", "0x1000"),
        ("%p", "(global int *)(i[5] & 0xffff)", "0xdef0"),
        ("%%", "", "%"),
        ("%c%%", "'x'", "x%"),
        ("%s", "5", "(null)"),
    ]
    .map(|(format, argument, expected)| Case {
        format: format.into(),
        argument: argument.into(),
        expected: expected.into(),
    })
    .into()
}

/// Returns the cases of each kernel. A kernel has sixteen cases, and each case prints a line.
fn cases() -> Vec<Vec<Case>> {
    let mut random = Random::new(13);
    let mut all = strings();
    for _ in 0..160 {
        all.push(scalar_case(&mut random, &['d', 'i', 'u', 'o', 'x', 'X', 'c']));
        all.push(scalar_case(
            &mut random,
            &['a', 'A', 'e', 'E', 'f', 'F', 'g', 'G'],
        ));
    }
    for _ in 0..64 {
        all.push(vector_case(&mut random));
    }
    let mut groups = Vec::new();
    while !all.is_empty() {
        let rest = all.split_off(all.len().min(16));
        groups.push(std::mem::replace(&mut all, rest));
    }
    groups
}

/// The variable that is set in the child process.
const CHILD: &str = "CALDERA_TEST_PRINTS_FORMATS";

fn child() {
    let lab = Lab::new();
    let mut source = String::from(
        "constant char hello[] = \"hello\"; constant char *constant names[] = {\"zero\", \"one\"};\n\
         kernel void all(global const long *i, global const float *f) {\n",
    );
    for (n, group) in cases().iter().enumerate() {
        let formats: Vec<&str> = group.iter().map(|c| c.format.as_str()).collect();
        let arguments: String = group
            .iter()
            .filter(|c| !c.argument.is_empty())
            .map(|c| format!(", {}", c.argument))
            .collect();
        writeln!(source, "printf(\"{n}: {}\\n\"{arguments});", formats.join("|")).expect("a string grows");
    }
    source.push_str("}\n");
    let program = lab.build(&source);
    let ints: Vec<u8> = INTS.iter().flat_map(|v| v.to_le_bytes()).collect();
    let floats: Vec<u8> = FLOATS.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
    lab.run(program, "all", 1, None, &[Arg::In(&ints), Arg::In(&floats)]);
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

#[test]
fn every_conversion() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let this = std::env::current_exe().expect("a running test has a path");
    let run = Command::new(this)
        .args(["--exact", "printf_formats::every_conversion", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("the test runs again");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8_lossy(&run.stdout);
    let mut wrong = Vec::new();
    for (n, group) in cases().iter().enumerate() {
        let start = format!("{n}: ");
        let line = text.lines().find_map(|l| l.strip_prefix(&start));
        let parts: Vec<&str> = line
            .unwrap_or_else(|| panic!("no line {n} in\n{text}"))
            .split('|')
            .collect();
        for (case, part) in group.iter().zip(parts) {
            if case.expected != part {
                wrong.push(format!(
                    "{} of {}: {part:?}, expected {:?}",
                    case.format, case.argument, case.expected
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}
