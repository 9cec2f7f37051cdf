//! Programs that are large in one respect compile in reasonable time, to something valid and right.

mod common;

use caldera_compiler::driver::{self, Compiled, Failed, Input, Object};
use caldera_compiler::interp::{self, Arg, Launch, Memory};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::target::Target;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// `global int *a`, `int n` and these statements.
fn kernel(body: &str) -> String {
    format!("kernel void k(global int *a, int n) {{\n{body}}}\n")
}

/// So many lines, made of their numbers.
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

/// Compiles in time, to a valid module.
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

/// Labels that go to each other by what was computed so far: no loop of it has one entry. Each visit to label i
/// makes `s * 31 + i` of s; at most `visits` of them.
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

/// The same here.
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

fn interpreted(object: &Object, n: u32) -> u32 {
    let mut memory = Memory::default();
    let buffer = memory.add(vec![0; 4]);
    let args = [Arg::Pointer(buffer), Arg::Bytes(n.to_le_bytes().to_vec())];
    let launch = Launch {
        steps: 1_000_000,
        ..Launch::default()
    };
    let done = interp::launch(&object.module, 0, &args, launch, &mut memory);
    done.unwrap_or_else(|e| panic!("{e}"));
    let bytes = memory.object(buffer).first_chunk().expect("four bytes");
    u32::from_le_bytes(*bytes)
}

#[test]
fn irreducible_gotos() {
    // Some structured as far as they go, some a loop around one or several switches.
    for count in [5, 20, 300, 3000] {
        let source = labels(count, 500);
        let options = Options::default();
        let start = Instant::now();
        let object = driver::compile_object(&input(&source, &options), &Target::desktop());
        let object = object.unwrap_or_else(|failed| panic!("{count}: {:.2000}", failed.log));
        for n in [0, 1, 3, 12345] {
            assert_eq!(interpreted(&object, n), visited(count, 500, n), "{count} {n}");
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

/// Hash functions unrolled by macros of macros are read many times over before they are a program.
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

/// Functions that call each other ever more often are a tree of billions of calls: refused at once, not tried.
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

/// Every number of arguments compiles to what can be loaded, or is an error.
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
