//! Programs that are large in one respect must compile in reasonable time to a valid and correct module.

mod common;

use caldera_compiler::diag::Diags;
use caldera_compiler::driver::{self, Compiled, Failed, Input};
use caldera_compiler::interp::{self, Arg, Launch, Memory};
use caldera_compiler::ir::Module;
use caldera_compiler::options::Options;
use caldera_compiler::pass::{PassCx, pipeline};
use caldera_compiler::pp::{self, NoIncludes};
use caldera_compiler::source::SourceMap;
use caldera_compiler::target::Target;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Returns a kernel with the parameters `global int *a` and `int n`, and these statements.
fn kernel(body: &str) -> String {
    format!("kernel void k(global int *a, int n) {{\n{body}}}\n")
}

/// Returns `count` lines, each made from its number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        text.push_str(&line(n));
        text.push('\n');
        text
    })
}

fn input<'a>(source: &'a str, options: &'a Options) -> Input<'a> {
    Input {
        name: "scale.cl",
        source,
        options,
        resolver: &NoIncludes,
    }
}

fn compile(source: &str) -> Result<Compiled, Failed> {
    driver::compile(&input(source, &Options::default()), &Target::desktop())
}

/// Compiles a source in limited time to a valid module.
fn check(name: &str, source: &str) {
    let start = Instant::now();
    let words = match compile(source) {
        Ok(compiled) => compiled.words,
        Err(failed) => panic!("{name}: {:.2000}", failed.log),
    };
    let time = start.elapsed();
    assert!(time < Duration::from_secs(60), "{name}: {time:?}");
    common::validate(&words, Target::desktop().spirv);
}

/// Returns labels that jump to each other depending on the value computed so far, so that loops have several
/// entries. Each visit to label i replaces s by `s * 31 + i`; there are at most `visits` visits.
fn labels(count: usize, visits: i32) -> String {
    let text = lines(count, |i| {
        let (far, near) = ((i * 37 + 7) % count, (i * 5 + 3) % count);
        format!(
            "L{i}: if (v++ >= {visits}) goto end; s = s * 31 + {i}; if (s & 4) goto L{far}; if (s & 8) goto L{near};"
        )
    });
    kernel(&format!(
        "uint s = n; int v = 0; if (n == 3) goto L{};\n{text}goto L0; end: a[0] = s;",
        count / 2
    ))
}

/// Computes the result of the program that [`labels`] returns.
fn visited(count: usize, visits: i32, n: u32) -> u32 {
    let mut s = n;
    let mut at = if n == 3 { count / 2 } else { 0 };
    for _ in 0..visits {
        s = s.wrapping_mul(31).wrapping_add(at as u32);
        at = if s & 4 != 0 {
            (at * 37 + 7) % count
        } else if s & 8 != 0 {
            (at * 5 + 3) % count
        } else {
            (at + 1) % count
        };
    }
    s
}

/// Returns the first word that a module stores for this `n`.
fn interpreted(module: &Module, n: u32) -> u32 {
    let mut memory = Memory::default();
    let buffer = memory.add(vec![0; 4]);
    let args = [Arg::Pointer(buffer), Arg::Bytes(n.to_le_bytes().to_vec())];
    let launch = Launch {
        steps: 10_000_000,
        ..Launch::default()
    };
    let done = interp::launch(module, 0, &args, launch, &mut memory);
    done.unwrap_or_else(|e| panic!("{e}"));
    let bytes = memory.object(buffer).first_chunk().expect("four bytes");
    u32::from_le_bytes(*bytes)
}

/// Compiles in limited time to a valid module, which must store the expected results before and after the
/// passes.
fn check_results(name: &str, body: &str, expected: &dyn Fn(u32) -> u32, samples: &[u32]) {
    check(name, &kernel(body));
    compare_results(name, body, expected, samples);
}

/// Like [`check_results`] without spirv-val, which takes long for large control flow.
fn compare_results(name: &str, body: &str, expected: &dyn Fn(u32) -> u32, samples: &[u32]) {
    let source = kernel(body);
    let start = Instant::now();
    let compiled = compile(&source);
    assert!(compiled.is_ok(), "{name}: {compiled:.2000?}");
    let time = start.elapsed();
    assert!(time < Duration::from_secs(60), "{name}: {time:?}");
    let options = Options::default();
    let target = Target::desktop();
    let object = driver::compile_object(&input(&source, &options), &target);
    let object = object.unwrap_or_else(|failed| panic!("{name}: {:.2000}", failed.log));
    let mut after = object.module.clone();
    let mut diags = Diags::default();
    let done = pipeline::pipeline(&target).run(&mut after, &mut PassCx::new(&target, &mut diags));
    done.unwrap_or_else(|e| panic!("{name}: {e}"));
    for &n in samples {
        let right = expected(n);
        assert_eq!(
            interpreted(&object.module, n),
            right,
            "{name} before the passes, n = {n}"
        );
        assert_eq!(interpreted(&after, n), right, "{name} after the passes, n = {n}");
    }
}

/// Computes the result of segments that fall through. The value starts with 1, and each segment multiplies it by 3
/// and adds its own number.
fn fallen(from: u32, count: u32, ends: impl Fn(u32) -> bool) -> u32 {
    let mut s = 1u32;
    for i in from..count {
        s = s.wrapping_mul(3).wrapping_add(i);
        if ends(i) {
            break;
        }
    }
    s
}

/// Cases that fall through must not make deep or quadratic code.
#[test]
fn cases_that_fall_through() {
    const COUNT: u32 = 1000;
    let with = |end: &dyn Fn(usize) -> &'static str, default: &str| {
        let cases = lines(COUNT as usize, |i| {
            format!("case {i}: s = s * 3 + {i}; {}", end(i))
        });
        format!("uint s = 1; switch (n) {{ {cases} {default} }} a[0] = s;")
    };
    let samples = [
        0,
        1,
        15,
        16,
        17,
        255,
        256,
        257,
        500,
        743,
        998,
        999,
        1000,
        u32::MAX,
    ];
    let enter = |n: u32, ends: &dyn Fn(u32) -> bool| if n < COUNT { fallen(n, COUNT, ends) } else { 1 };
    check_results(
        "cases that all fall through",
        &with(&|_| "", ""),
        &|n| enter(n, &|_| false),
        &samples,
    );
    check_results(
        "cases of which every 40th breaks",
        &with(&|i| if i % 40 == 7 { "break;" } else { "" }, ""),
        &|n| enter(n, &|i| i % 40 == 7),
        &samples,
    );
    check_results(
        "cases that break on a condition",
        &with(&|_| "if ((s & 63) == 5) break;", ""),
        &|n| {
            let mut s = 1u32;
            for i in n.min(COUNT)..COUNT {
                s = s.wrapping_mul(3).wrapping_add(i);
                if s & 63 == 5 {
                    break;
                }
            }
            s
        },
        &samples,
    );
    // The default label falls through into the last case, which follows it.
    check_results(
        "a default among cases that fall through",
        &with(&|i| if i == 998 { "default: s = s * 5;" } else { "" }, ""),
        &|n| {
            let mut s = 1u32;
            for i in n.min(COUNT)..999 {
                s = s.wrapping_mul(3).wrapping_add(i);
            }
            match n {
                999 => 3 + 999,
                _ => s.wrapping_mul(5).wrapping_mul(3).wrapping_add(999),
            }
        },
        &samples,
    );
}

/// Long chains of else-ifs, with and without braces, and of early returns and breaks must not make deep or quadratic
/// code.
#[test]
fn else_ifs_and_early_exits() {
    let samples = [0, 1, 47, 48, 49, 50, 96, 500, 999, 1000, u32::MAX];
    let found = |n: u32| if n < 1000 { n * 7 + 1 } else { 9 };
    let plain = lines(1000, |i| format!("if (n == {i}) s = {}; else", i * 7 + 1));
    check_results(
        "else-ifs",
        &format!("int s; {plain} s = 9; a[0] = s;"),
        &found,
        &samples,
    );
    let braces = lines(1000, |i| {
        format!(
            "if (n == {i} && a[0] == 0) {{ s = {}; a[0] = s; }} else",
            i * 7 + 1
        )
    });
    check_results(
        "else-ifs with braces and conditions of parts",
        &format!("int s; {braces} {{ a[0] = 9; }}"),
        &found,
        &samples,
    );
    let returns = lines(1000, |i| {
        format!("if (n == {i}) {{ a[0] = {}; return; }}", i * 7 + 1)
    });
    check_results("early returns", &format!("{returns} a[0] = 9;"), &found, &samples);
    let breaks = lines(1000, |i| {
        format!("if (n == {i}) {{ s += {}; break; }}", i * 7 + 1)
    });
    check_results(
        "breaks",
        &format!("int s = 0; for (int r = 0; r < 1; r++) {{ {breaks} s = 9; }} a[0] = s;"),
        &found,
        &samples,
    );
    // Chains without an `else` at the end, and chains with gotos, which make a graph.
    let open = lines(1000, |i| {
        format!(
            "{} if (n == {i}) s = {};",
            if i > 0 { "else" } else { "" },
            i * 7 + 1
        )
    });
    check_results(
        "else-ifs without an else",
        &format!("int s = 9; {open} a[0] = s;"),
        &found,
        &samples,
    );
    let gotos = lines(1000, |i| {
        format!("if (n == {i}) {{ s = {}; goto end; }} else", i * 7 + 1)
    });
    check_results(
        "else-ifs that go to an end",
        &format!("int s; {gotos} s = 9; end: a[0] = s;"),
        &found,
        &samples,
    );
}

/// Gotos that follow each other are not nested, so however many they are, they stay structured.
#[test]
fn sequences_of_gotos_are_structured() {
    let forward = lines(1000, |i| {
        format!("if (n == {i}) goto L{i}; s = s * 3 + {i}; L{i}: s ^= n;")
    });
    let back = lines(900, |i| {
        format!("L{i}: s = s * 5 + 1; if (s % 3 == n) goto L{i};")
    });
    for (name, body, loops) in [("forward", forward, 0), ("back", back, 900)] {
        let (text, log) = object(&kernel(&format!("uint s = 1; {body} a[0] = s;")));
        assert_eq!(log, "", "{name}");
        assert!(!text.contains("switch"), "{name}");
        assert_eq!(text.matches("loop ").count(), loops, "{name}");
    }
}

/// Where a driver limits the nesting, a long chain of conditions is cut in many places.
#[test]
fn early_gotos_with_limited_nesting() {
    let body = lines(2000, |i| format!("if (s == {i}) goto end; s = s * 3 + {i};"));
    let source = kernel(&format!("uint s = n; {body} end: a[0] = s;"));
    let start = Instant::now();
    let options = Options::default();
    let compiled = driver::compile(&input(&source, &options), &Target::faulty());
    assert!(compiled.is_ok(), "{compiled:.2000?}");
    let time = start.elapsed();
    assert!(time < Duration::from_secs(60), "{time:?}");
}

/// Thousands of gotos of each form: forward over a statement, all to one end, and back to loops of their own.
#[test]
fn many_gotos() {
    gotos(300, check_results);
    gotos(3000, compare_results);
    // There are more loops than `from_cfg` structures, so they become one loop around a switch.
}

fn gotos(count: usize, check: fn(&str, &str, &dyn Fn(u32) -> u32, &[u32])) {
    let mut over = String::from("uint s = 1;");
    let mut to_end = over.clone();
    let mut back = over.clone();
    for i in 0..count {
        let _ = writeln!(
            over,
            "if (s & {} && n) goto L{i}; s = s * 3 + {i}; L{i}: s ^= n;",
            1 << (i % 9)
        );
        let _ = writeln!(to_end, "if (s % 20011 == n) goto end; s = s * 3 + {i};");
        let _ = writeln!(back, "L{i}: s = s * 5 + 1; if (s % 3 == n) goto L{i};");
    }
    over.push_str("a[0] = s;");
    to_end.push_str("end: a[0] = s;");
    back.push_str("a[0] = s;");
    let samples = [0, 2];
    check(
        "gotos over a statement",
        &over,
        &|n| {
            (0..count as u32).fold(1u32, |s, i| {
                let jumps = s & (1 << (i % 9)) != 0 && n != 0;
                (if jumps {
                    s
                } else {
                    s.wrapping_mul(3).wrapping_add(i)
                }) ^ n
            })
        },
        &samples,
    );
    check(
        "gotos to one end",
        &to_end,
        &|n| {
            let mut s = 1u32;
            for i in 0..count as u32 {
                if s % 20011 == n {
                    break;
                }
                s = s.wrapping_mul(3).wrapping_add(i);
            }
            s
        },
        &samples,
    );
    check(
        "gotos back",
        &back,
        &|n| {
            let mut s = 1u32;
            for _ in 0..count {
                loop {
                    s = s.wrapping_mul(5).wrapping_add(1);
                    if s % 3 != n {
                        break;
                    }
                }
            }
            s
        },
        &samples,
    );
    // Nested loops, thousands deep: the labels follow each other, and the jumps back are all at the end.
    let labels = lines(count, |i| format!("L{i}: s += {i};"));
    let jumps = lines(count, |i| {
        format!("if (s % 1000 == {}) {{ s++; goto L{i}; }}", i % 7 + 1000)
    });
    check(
        "gotos back that are nested",
        &format!("uint s = n; {labels} {jumps} a[0] = s;"),
        &|n| n.wrapping_add((0..count as u32).sum()),
        &samples,
    );
}

#[test]
fn irreducible_gotos() {
    // Some of these are structured as far as possible, others become a loop around one or several switches.
    for count in [5, 20, 300, 3000] {
        let source = labels(count, 500);
        let options = Options::default();
        let start = Instant::now();
        let object = driver::compile_object(&input(&source, &options), &Target::desktop());
        let object = object.unwrap_or_else(|failed| panic!("{count}: {:.2000}", failed.log));
        for n in [0, 1, 3, 12345] {
            assert_eq!(
                interpreted(&object.module, n),
                visited(count, 500, n),
                "{count} {n}"
            );
        }
        let time = start.elapsed();
        assert!(time < Duration::from_secs(60), "{count}: {time:?}");
    }
    check("1000 irreducible gotos", &labels(1000, 500));
}

#[test]
fn forward_gotos_to_few_labels() {
    let tests = lines(2000, |i| format!("if (a[{i}] == n) goto end{}; s += {i};", i % 7));
    let ends = lines(7, |i| format!("end{i}: s++;"));
    check(
        "forward gotos",
        &kernel(&format!("int s = 0;\n{tests}{ends}a[0] = s;")),
    );
}

#[test]
fn statements_and_blocks() {
    let sources = [
        (
            "statements",
            lines(3000, |i| format!("a[{i} % n] = a[{i}] * {i} + n;")),
        ),
        (
            "conditions",
            lines(1000, |i| {
                format!("if (a[{i}] > n) {{ n += a[{i} + n]; a[{i}] = n; }} else n ^= {i};")
            }),
        ),
        (
            "cases",
            format!(
                "int s = 0; for (int i = 0; i < n; i++) switch (a[i]) {{ {} default: s--; }} a[0] = s;",
                lines(500, |i| {
                    let end = if i % 3 == 0 { "" } else { "break;" };
                    format!("case {}: s += a[{i}]; {end}", i * 3)
                })
            ),
        ),
        (
            "breaks",
            format!(
                "int s = 0; for (int i = 0; i < n; i++) {{ {} }} a[0] = s;",
                lines(500, |i| {
                    format!("if (a[{i}] > s) s += n; if (s > {i} * 9) continue; if (s == {i}) break;")
                })
            ),
        ),
        (
            "variables",
            format!(
                "{} a[0] = x999;",
                lines(1000, |i| {
                    let before = i.checked_sub(1).map_or("n".into(), |i| format!("x{i}"));
                    format!("int x{i} = a[{i}] + {before};")
                })
            ),
        ),
    ];
    for (name, body) in sources {
        check(name, &kernel(&body));
    }
}

#[test]
fn functions() {
    let chain = lines(300, |i| {
        let inner = i.checked_sub(1).map_or("x".into(), |i| format!("g{i}(x - 1)"));
        format!("int g{i}(int x) {{ return x * {i} + {inner}; }}")
    });
    check("a chain of functions", &(chain + &kernel("a[0] = g299(n);")));
    let callee = "int g(int x, int y) { for (int i = 0; i < y; i++) { x = x * y; if (x == 3) return x; } return x + y; }\n";
    let calls = lines(500, |i| format!("n = g(n, a[{i}]);"));
    check(
        "calls of one function",
        &(callee.to_owned() + &kernel(&format!("{calls} a[0] = n;"))),
    );
    let kernels = lines(300, |i| {
        format!("kernel void k{i}(global int *a, int n) {{ a[n] = {i}; }}")
    });
    check("kernels", &kernels);
}

#[test]
fn initializers() {
    let mut list = String::new();
    for i in 0..50_000 {
        let _ = write!(list, "{},", i * 7);
    }
    check(
        "a constant array",
        &format!("constant int t[] = {{{list}}};\n{}", kernel("a[0] = t[n];")),
    );
    check(
        "a private array",
        &kernel(&format!("int t[] = {{{:.20000}0}}; a[0] = t[n];", list)),
    );
}

/// Returns the text of a program's object and the log.
fn object(source: &str) -> (String, String) {
    let options = Options::default();
    match driver::compile_object(&input(source, &options), &Target::desktop()) {
        Ok(object) => (object.to_text(), object.log),
        Err(failed) => {
            assert!(!failed.internal, "{}", failed.log);
            (String::new(), failed.log)
        }
    }
}

fn preprocessed(source: &str) -> String {
    let mut map = SourceMap::default();
    let main = map.add("scale.cl", source);
    let (options, target) = (Options::default(), Target::desktop());
    let mut diags = Diags::default();
    let tokens = pp::preprocess(&mut map, main, &options, &target, &NoIncludes, &mut diags);
    pp::tokens_to_text(&tokens, &map)
}

/// A long list of literals, which is read without a tree per element, means the same as a list with a macro,
/// which is parsed.
#[test]
fn tables_mean_what_other_lists_mean() {
    const COUNT: usize = 600;
    let cases: &[(&str, fn(usize) -> String)] = &[
        ("int t[]", |i| format!("{}", i * 7_654_321)),
        ("int t[]", |i| format!("-{i}")),
        ("int t[700]", |i| format!("+ {i}u")),
        ("int t[]", |i| format!("{}.75f", i)),
        ("uint t[]", |i| format!("-0x{:x}", i * 0x1234_5678)),
        ("long t[]", |i| format!("{i}23456789012")),
        ("ulong t[]", |i| format!("{}", u64::MAX - i as u64)),
        ("ulong t[]", |i| format!("{i}99999999999999999")),
        ("uchar t[]", |i| format!("{}", i * 3)),
        ("char t[]", |i| format!("'{}'", char::from(b'a' + (i % 26) as u8))),
        ("short t[]", |i| format!("0{:o}", i)),
        ("bool t[]", |i| format!("{}", i % 3)),
        ("float t[]", |i| format!("-{i}.5e-{}", i % 40)),
        ("float t[]", |i| format!("{}", i * 123_457)),
        ("float t[]", |i| format!("0x1.{i}p3f /* {i} */")),
        ("double t[]", |i| format!(".{i}, - {i}.f")),
        ("half t[]", |i| format!("{i}.25h")),
        ("int t[590]", |i| format!("{i}")),
        ("int t[]", |i| if i == 555 { "{5}".into() } else { i.to_string() }),
        (
            "int t[]",
            |i| if i == 555 { "{5, 6}".into() } else { i.to_string() },
        ),
        ("int t[][7]", |i| i.to_string()),
        ("int t[][2]", |i| format!("{{{i}, -{i}}}")),
        ("int t[][3]", |i| format!("{{{i}, }}, {i}, 2, 3")),
        ("int4 t[]", |i| format!("{{{i}, 1, 2, -3}}")),
        ("int4 t", |i| i.to_string()),
        ("int t", |i| i.to_string()),
        ("struct S t[]", |i| format!("{{{i}, {i}.5f, {{1, 2}}}}")),
        ("struct S t[]", |i| format!("{i}, {i}.5f, 1, 2")),
        ("struct S t[]", |i| format!("{{{i}, {{{i}.5f}}, 1, 2, 3}}")),
        ("struct T t", |i| i.to_string()),
        ("constant int *t[]", |i| {
            if i == 300 { "1".into() } else { "0".into() }
        }),
        ("image2d_t t[]", |i| i.to_string()),
    ];
    for (declaration, element) in cases {
        let list = lines(COUNT, |i| format!("{},", element(i)));
        let source = |zero: &str| {
            format!(
                "#define ZERO 0\nstruct S {{ int a; float b; char c[2]; }}; struct T {{ int n; long a[900]; }};\n\
                 constant {declaration} = {{\n{list}{zero}\n}};\n{}",
                kernel("a[0] = sizeof(t);")
            )
        };
        let (table, parsed) = (source("0"), source("ZERO"));
        assert_eq!(preprocessed(&table), preprocessed(&parsed), "{declaration}");
        assert_eq!(object(&table), object(&parsed), "{declaration}, {}", element(1));
        // Variables that are no constants.
        let private = |source: &str| source.replace("constant", "void f() { const");
        let close = |source: String| {
            source
                .replace("};\nkernel", "}; }\nkernel")
                .replace("sizeof(t)", "1")
        };
        let (table, parsed) = (close(private(&table)), close(private(&parsed)));
        assert_eq!(
            object(&table),
            object(&parsed),
            "private {declaration}, {}",
            element(1)
        );
    }
}

/// Long lists of literals take no token and no tree per element, in constants of all types.
#[test]
fn long_tables() {
    let kernel = kernel("a[0] = (int)t[n];");
    let sources = [
        ("int", lines(300_000, |i| format!("{},", i * 7919))),
        ("uchar", lines(300_000, |i| format!("0x{:02x},", i % 256))),
        ("uint", lines(300_000, |i| format!("0x{:08x}u,", i * 7919))),
        ("float", lines(300_000, |i| format!("-{}.25f,", i % 1000))),
    ];
    for (ty, list) in sources {
        let source = format!("constant {ty} t[] = {{{list}}};\n{kernel}");
        check(ty, &source);
        let mut map = SourceMap::default();
        let main = map.add("scale.cl", &*source);
        let (options, target) = (Options::default(), Target::desktop());
        let mut diags = Diags::default();
        let tokens = pp::preprocess(&mut map, main, &options, &target, &NoIncludes, &mut diags);
        assert!(tokens.len() < 100, "{ty}: {} tokens", tokens.len());
    }
    let list = lines(100_000, |i| format!("{{{i}, {{{i}.5f, -1}}}},"));
    check(
        "structs",
        &format!(
            "struct S {{ int a; float2 b; }}; constant struct S t[] = {{{list}}};\nkernel void k(global int *a, int n) {{ a[0] = t[n].a; }}"
        ),
    );
}

#[test]
fn more_cases_than_spirv_has_are_an_error() {
    let cases = lines(17_000, |i| format!("case {i}: a[{i}] = n; break;"));
    let failed = compile(&kernel(&format!("switch (n) {{ {cases} }}"))).expect_err("too many");
    assert!(!failed.internal, "{}", failed.log);
    assert!(
        failed
            .log
            .contains("number of cases of a switch exceeds the limit of 16383"),
        "{}",
        failed.log
    );
}

/// Hash functions that nested macros unroll are read many times during expansion.
#[test]
fn macros_of_macros_are_expanded() {
    let mut source = String::from(
        "#define R0(x) x = x * 3 + 1;\n#define FIRST(a, ...) a\n#define CALL(m, ...) m(__VA_ARGS__)\n",
    );
    for i in 1..8 {
        let calls = format!("R{}(x) ", i - 1).repeat(4);
        let _ = writeln!(source, "#define R{i}(x) {calls}");
    }
    let uses = lines(5, |_| "a[CALL(FIRST, 0, R7(n))] += 1;".to_string());
    source.push_str(&kernel(&uses));
    check("macros of macros", &source);
}

/// Functions whose calls multiply at each level make a tree of billions of calls, which is refused at once.
#[test]
fn more_inlining_than_there_is_room_for_is_an_error() {
    let mut source = String::from("void f0(int *a, int n) { a[n & 1] += n; }\n");
    for i in 1..12 {
        let calls = lines(10, |k| format!("f{}(a, n + {k} * a[0]);", i - 1));
        let _ = writeln!(source, "void f{i}(int *a, int n) {{ {calls} }}");
    }
    source.push_str("kernel void k(global int *p) { int a[2] = {p[0], p[1]}; f11(a, p[2]); p[0] = a[0]; }");
    let failed = compile(&source).expect_err("too large");
    assert!(!failed.internal, "{}", failed.log);
    let expected = "with all it calls exceeds the limit of 2000000";
    assert!(failed.log.contains(expected), "{}", failed.log);
}

/// Every number of arguments compiles to a module that can be loaded, or is an error.
#[test]
fn arguments() {
    let with = |n: usize| {
        let list: Vec<String> = (0..n).map(|i| format!("int a{i}")).collect();
        format!("kernel void k({}) {{}}", list.join(", "))
    };
    check("arguments", &with(4096));
    let failed = compile(&with(4097)).expect_err("too many");
    assert!(!failed.internal, "{}", failed.log);
    assert!(
        failed.log.contains("kernel has more than 4096 arguments"),
        "{}",
        failed.log
    );
}
