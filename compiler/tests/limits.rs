//! No input may make the front end crash, hang or exhaust the memory: nesting and expansion are bounded with
//! errors.

use std::time::{Duration, Instant};

use caldera_compiler::diag::Diags;
use caldera_compiler::driver::{self, Input};
use caldera_compiler::options::{ClStd, Options};
use caldera_compiler::pp;
use caldera_compiler::source::SourceMap;
use caldera_compiler::syntax;
use caldera_compiler::target::Target;

/// Parses a source and returns whether there were errors.
fn fails(source: &str) -> bool {
    let mut map = SourceMap::default();
    let main = map.add("limits.cl", source);
    let mut diags = Diags::default();
    let target = Target::desktop();
    let tokens = pp::preprocess(
        &mut map,
        main,
        &Options::default(),
        &target,
        &pp::NoIncludes,
        &mut diags,
    );
    let _ = pp::tokens_to_text(&tokens, &map);
    let _ = syntax::parse(&tokens, ClStd::Cl12, &map, &mut diags);
    let _ = diags.render(&map);
    diags.has_errors()
}

fn function(body: String) -> String {
    format!("void f(int x) {{ {body} }}")
}

type Nest = (&'static str, fn(usize) -> String);

/// Ways to nest constructs.
const NESTS: &[Nest] = &[
    ("precedences", |n| {
        function(format!(
            "x = {}1{};",
            "x||x&&x|x^x&x==x<x<<x+x*g(".repeat(n),
            ")".repeat(n)
        ))
    }),
    ("parentheses", |n| {
        function(format!("x = {}1{};", "(".repeat(n), ")".repeat(n)))
    }),
    ("calls", |n| {
        function(format!("{}1{};", "g(".repeat(n), ")".repeat(n)))
    }),
    ("calls with sums", |n| {
        function(format!("{}1{};", "g(x+".repeat(n), ")".repeat(n)))
    }),
    ("indices", |n| {
        function(format!("{}1{};", "x[".repeat(n), "]".repeat(n)))
    }),
    ("casts", |n| function(format!("x = {}1;", "(int)".repeat(n)))),
    ("casts in parentheses", |n| {
        function(format!("x = {}1{};", "(int)(".repeat(n), ")".repeat(n)))
    }),
    ("vectors", |n| {
        function(format!("x = {}1{};", "(float4)(".repeat(n), ")".repeat(n)))
    }),
    ("initializers", |n| {
        format!("int a[] = {}1{};", "{".repeat(n), "}".repeat(n))
    }),
    ("blocks", |n| {
        function(format!("{}x;{}", "{".repeat(n), "}".repeat(n)))
    }),
    ("ifs", |n| function(format!("{} x;", "if (x)".repeat(n)))),
    ("else ifs", |n| {
        function(format!("{} x;", "if (x) x = 1; else ".repeat(n)))
    }),
    ("else ifs with braces", |n| {
        function(format!("{} x;", "if (x) { x = 1; } else ".repeat(n)))
    }),
    ("loops", |n| {
        function(format!("{} x;", "for (;;) while (x) ".repeat(n / 2)))
    }),
    ("dos", |n| {
        function(format!("{} x; {}", "do ".repeat(n), "while (x);".repeat(n)))
    }),
    ("ternaries", |n| {
        function(format!("x = {}1;", "x ? 1 : ".repeat(n / 2)))
    }),
    ("ternaries in the middle", |n| {
        function(format!("x = {}1{};", "x ? ".repeat(n / 2), ": 1".repeat(n / 2)))
    }),
    ("nots", |n| function(format!("x = {}1;", "!".repeat(n)))),
    ("minuses", |n| function(format!("x = {}1;", "- ".repeat(n)))),
    ("stars", |n| function(format!("x = {}x;", "*".repeat(n)))),
    ("pointers", |n| format!("int {} p;", "*".repeat(n))),
    ("declarators", |n| {
        format!("int {}p{};", "(".repeat(n), ")".repeat(n))
    }),
    ("arrays", |n| format!("int p{};", "[2]".repeat(n))),
    ("assignments", |n| function(format!("{}1;", "x = ".repeat(n)))),
    ("sums", |n| function(format!("x = {}1;", "x + ".repeat(n)))),
    ("members", |n| function(format!("x{};", ".a".repeat(n)))),
    ("increments", |n| function(format!("x{};", " ++".repeat(n)))),
    ("commas", |n| function(format!("{} x;", "x,".repeat(n)))),
    ("sizeofs", |n| function(format!("x = {}x;", "sizeof ".repeat(n)))),
    ("structs", |n| {
        format!(
            "{}int x;{};",
            "struct {".repeat(n),
            "} a;".repeat(n).trim_end_matches(';')
        )
    }),
    ("cases", |n| {
        function(format!(
            "switch (x) {{ {} x; }}",
            (0..n).map(|i| format!("case {i}: ")).collect::<String>()
        ))
    }),
    ("labels", |n| {
        function(format!(
            "{} x;",
            (0..n).map(|i| format!("l{i}: ")).collect::<String>()
        ))
    }),
    ("parameters", |n| format!("void f({});", vec!["int"; n].join(","))),
    ("function types", |n| {
        format!("void f({}int{});", "int (*)(".repeat(n), ")".repeat(n))
    }),
    ("attributes", |n| {
        format!("int x {};", "__attribute__((aligned(4)))".repeat(n))
    }),
    ("attribute arguments", |n| {
        format!(
            "int x __attribute__((aligned({}4{})));",
            "(".repeat(n),
            ")".repeat(n)
        )
    }),
    ("statement expressions", |n| {
        function(format!("x = {}1{};", "({".repeat(n / 2), ";})".repeat(n / 2)))
    }),
    ("strings", |n| function(format!("{};", "\"a\" ".repeat(n)))),
    ("semicolons", |n| ";".repeat(n)),
    ("open braces", |n| "{".repeat(n)),
    ("close braces", |n| "}".repeat(n)),
    ("hashes", |n| "#".repeat(n)),
    ("ifs of the preprocessor", |n| {
        format!("{}{}", "#if 1\n".repeat(n), "#endif\n".repeat(n))
    }),
    ("#if parentheses", |n| {
        format!("#if {}1{}\n#endif", "(".repeat(n), ")".repeat(n))
    }),
    ("#if nots", |n| format!("#if {}1\n#endif", "!".repeat(n))),
    ("#if ternaries", |n| {
        format!("#if {}1\n#endif", "1 ? 1 : ".repeat(n))
    }),
    ("macro calls", |n| {
        format!(
            "#define F(x) (x)\nint x = {}1{};",
            "F(".repeat(n / 2),
            ")".repeat(n / 2)
        )
    }),
    ("splices", |n| format!("int {}x;", "a\\\n".repeat(n))),
    // The type at the end is an error for one parser and a vector literal for the other, which copies the
    // sum.
    ("sums that end in a type", |n| {
        function(format!("x = g(1, ({}int2)(x, x));", "x + ".repeat(n)))
    }),
    ("products that end in a type", |n| {
        function(format!("x = g(1, ({}int2)(x, x));", "x * x + ".repeat(n / 2)))
    }),
    ("else ifs with parts", |n| {
        function("if (x == 1 && x) { x = 1; } else ".repeat(n) + "x = 2;")
    }),
];

/// Each construct nested 10,000 deep gives a result in reasonable time.
#[test]
fn deep() {
    for (name, make) in NESTS {
        let start = Instant::now();
        fails(&make(10_000));
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

/// Programs do nest as deeply as this, so it must compile.
#[test]
fn moderate() {
    for (name, make) in NESTS {
        let start = Instant::now();
        let failed = fails(&make(100));
        let intended = matches!(*name, "open braces" | "close braces" | "hashes");
        assert_eq!(failed, intended, "{name}");
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{name}: {:?}",
            start.elapsed()
        );
    }
}

/// The deepest nesting that is accepted has enough stack. It is tested without errors, and with errors in the
/// middle and at the end, which lang-c has to find.
#[test]
fn deepest() {
    let wrong = |source: &str, at: usize| {
        let at = (0..=at).rev().find(|&i| source.is_char_boundary(i)).unwrap_or(0);
        format!("{} int int {}", &source[..at], &source[at..])
    };
    for (name, make) in NESTS {
        for n in [230, 250, 255, 480, 500, 990, 1900, 4000] {
            let start = Instant::now();
            let source = make(n);
            fails(&source);
            fails(&wrong(&source, source.len() / 2));
            fails(&wrong(&source, source.len().saturating_sub(2)));
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{name} {n}: {:?}",
                start.elapsed()
            );
        }
    }
}

/// If the front end accepts a program, the later stages can process it: none of them reports an internal
/// error.
#[test]
fn whole_compiler() {
    let loops: Nest = ("loops without braces", |n| {
        function(format!("{} x; {}", "do ".repeat(n), "while (x++);".repeat(n)))
    });
    for (name, make) in NESTS.iter().chain([&loops]) {
        for n in [100, 250, 1000] {
            let start = Instant::now();
            let source = format!(
                "int g(int a) {{ return a; }}\n{}\nkernel void k(global int *p) {{ f(p[0]); }}\n",
                make(n)
            );
            let input = Input {
                name: "limits.cl",
                source: &source,
                options: &Options::default(),
                resolver: &pp::NoIncludes,
            };
            if let Err(failed) = driver::compile(&input, &Target::desktop()) {
                assert!(!failed.internal, "{name} {n}: {}", failed.log);
            }
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "{name} {n}: {:?}",
                start.elapsed()
            );
        }
    }
}

/// Applications may compile on threads with little stack, so no stage runs on the caller's thread.
#[test]
fn small_stacks_of_callers() {
    let compile = |source: String| {
        let thread = std::thread::Builder::new().stack_size(32 << 10);
        let thread = thread.spawn(move || {
            let input = Input {
                name: "limits.cl",
                source: &source,
                options: &Options::default(),
                resolver: &pp::NoIncludes,
            };
            let object = driver::compile_object(&input, &Target::desktop()).map(|o| o.to_text());
            (
                object,
                driver::compile(&input, &Target::desktop()).map(|c| c.words),
            )
        });
        thread.expect("a thread").join().expect("no panic")
    };
    for (name, make) in NESTS {
        let (object, module) = compile(make(200));
        if let Err(failed) = module {
            assert!(!failed.internal, "{name}: {}", failed.log);
        }
        if let Ok(text) = object {
            let thread = std::thread::Builder::new().stack_size(32 << 10);
            let read = thread.spawn(move || driver::Object::from_text(&text).map(|o| o.to_text() == text));
            let read = read.expect("a thread").join().expect("no panic");
            assert!(read.is_ok_and(|same| same), "{name}");
        }
    }
}

/// The terminator of a C string may be part of the text, as in x264.
#[test]
fn nul_is_white_space() {
    for source in [
        "int x;\0",
        "int\0x;\n\0",
        "#define A int\0x\nA;\0\0",
        "// \0\nint x;",
    ] {
        assert!(!fails(source), "{source:?}");
    }
    assert!(fails("in\0t x;"));
}

#[test]
fn bombs() {
    let mut doubling = String::from("#define A0 x x\n");
    for i in 1..60 {
        doubling.push_str(&format!("#define A{i} A{} A{}\n", i - 1, i - 1));
    }
    let mut empty = String::from("#define B0\n");
    for i in 1..60 {
        empty.push_str(&format!("#define B{i} B{} B{}\n", i - 1, i - 1));
    }
    let mut calls = String::from("#define C0(x) x x\n");
    for i in 1..60 {
        calls.push_str(&format!("#define C{i}(x) C{}(x x)\n", i - 1));
    }
    let mut pastes = String::from("#define D0(x) x##x\n");
    for i in 1..60 {
        pastes.push_str(&format!(
            "#define E{i}(x) D{}(x##x)\n#define D{i}(x) E{i}(x)\n",
            i - 1
        ));
    }
    for (source, last) in [
        (doubling, "A59"),
        (empty, "B59"),
        (calls, "C59(y)"),
        (pastes, "D59(y)"),
    ] {
        let start = Instant::now();
        assert!(fails(&format!("{source}int {last};")), "{last}");
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{last}: {:?}",
            start.elapsed()
        );
    }
}

/// An event has 64 bits, one of which stands for all copies beyond the first 63.
#[test]
fn more_copies_are_checked_than_events_have_bits() {
    let mut target = Target::desktop();
    target.checks.barrier = true;
    for count in [1, 62, 63, 64, 100] {
        let copies = "e = async_work_group_copy(l, p, 64, e);\n".repeat(count);
        let source = format!(
            "kernel void k(global const int *p) {{ local int l[64]; event_t e = 0;\n{copies}wait_group_events(1, &e); }}"
        );
        let input = Input {
            name: "limits.cl",
            source: &source,
            options: &Options::default(),
            resolver: &pp::NoIncludes,
        };
        let compiled = driver::compile(&input, &target);
        assert!(compiled.is_ok(), "{count} copies");
    }
}

/// OpenCL C 3.0, 6.15.14.2: the format of printf is resolvable at compile time.
#[test]
fn formats_of_printf_are_known_at_compile_time() {
    let log = |source: &str| {
        let options = Options::parse("-cl-std=CL3.0").expect("an option");
        let input = Input {
            name: "limits.cl",
            source,
            options: &options,
            resolver: &pp::NoIncludes,
        };
        match driver::compile(&input, &Target::desktop().latest()) {
            Ok(_) => String::new(),
            Err(failed) => {
                assert!(!failed.internal, "{}", failed.log);
                failed.log
            }
        }
    };
    let literals = |count: usize| -> String { (0..count).map(|i| format!("\"{i}: %d\\n\",")).collect() };
    let table = |count: usize| {
        format!(
            "constant char *constant t[] = {{{}}};\nkernel void k(int n) {{ printf(t[n], n); }}",
            literals(count)
        )
    };
    assert_eq!(log(&table(64)), "");
    for source in [
        &table(65),
        "kernel void k(constant char *argument) { printf(argument, 1); }",
        "kernel void k(constant char *argument, int n) { printf(n ? argument : \"%d\\n\", n); }",
        "constant char *global variable = \"%d\\n\"; kernel void k(int n) { printf(variable, n); }",
        "constant char unterminated[] = {'a', 'b'}; kernel void k(int n) { printf(n ? unterminated : \"%d\", n); }",
        "constant char array[] = \"%d\"; kernel void k(int n) { printf(&array[n], n); }",
    ] {
        let log = log(source);
        assert!(
            log.contains("no string that is known at compile time"),
            "{source}: {log}"
        );
    }
}
