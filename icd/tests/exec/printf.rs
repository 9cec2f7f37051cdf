//! printf (CL 6.12.13): the standard output of a child process.

use std::io::Write;
use std::process::Command;
use std::ptr::{null, null_mut};

use crate::common::objects::Setup;
use crate::{cl, created};

const SOURCE: &str = r#"
    kernel void first(global int *out) {
        out[0] = printf("<<int %d|%5u|%-4x|%c|%s|%%\n", -3, 7u, 255, 'z', "lit");
        printf("vector %v4hhd %v2hlf %v3d\n", (char4)(1, -2, 3, -4), (float2)(1.5f, -0.25f), (int3)(7, 8, 9));
        printf("float %.3f %e %g\n", 1.0f / 8, 1234.5f, 0.0001f);
        printf("long %ld %#lx %v8hd\n", -5000000000L, 0xfedcba9876543210UL, (short8)(1, 2, 3, 4, 5, 6, 7, 8));
        printf("%s%d\n", out[1] ? "never" : "", 0);
    }
    kernel void many(global int *out) {
        size_t i = get_global_id(0);
        if (i % 2) out[i] = printf("item %d\n", (int)i);
    }
    kernel void flood(global int *out) {
        size_t i = get_global_id(0);
        out[i] = printf("%s %d %d %d\n", "f", 1, 2, 3);
    }
    kernel void last(int n) { printf("end %d>>", n); }
"#;

fn launch(s: &Setup, kernel: crate::common::cl_kernel, items: usize) {
    let code = cl!(clEnqueueNDRangeKernel(
        s.queue,
        kernel,
        1,
        null(),
        &raw const items,
        null(),
        0,
        null(),
        null_mut()
    ));
    assert_eq!(code, 0, "clEnqueueNDRangeKernel");
}

/// The variable that is set in the child process.
const CHILD: &str = "CALDERA_TEST_PRINTS";

/// Runs the kernels in the child process of [`output`].
fn child() {
    let s = Setup::new();
    let program = s.built(SOURCE, "");
    let buffer = s.buffer(&[0; 4 * 60000]);
    for (name, items) in [("first", 1), ("many", 8), ("flood", 60000)] {
        let kernel = s.kernel(program, name);
        let size = size_of_val(&buffer);
        assert_eq!(
            cl!(clSetKernelArg(kernel, 0, size, (&raw const buffer).cast())),
            0
        );
        launch(&s, kernel, items);
        let words = s.read(buffer, 4 * items);
        let words: Vec<i32> = words
            .chunks(4)
            .map(|w| i32::from_ne_bytes([w[0], w[1], w[2], w[3]]))
            .collect();
        let failed = words.iter().filter(|w| **w == -1).count();
        assert!(words.iter().all(|w| matches!(w, 0 | -1)), "results of printf");
        // Each call takes five words, and the buffer has 1 MiB.
        let expected = if name == "flood" { 60000 - 262143 / 5 } else { 0 };
        assert_eq!(failed, expected, "{name}");
    }
    let kernel = s.kernel(program, "last");
    let n = 42i32;
    assert_eq!(cl!(clSetKernelArg(kernel, 0, 4, (&raw const n).cast())), 0);
    launch(&s, kernel, 1);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    // clFinish has written all output, so the runtime has nothing more to do.
    assert_eq!(cl!(clReleaseMemObject(buffer)), 0);
}

/// Writes a mark to the standard output.
fn mark(text: &[u8]) {
    let mut out = std::io::stdout();
    out.write_all(text)
        .and_then(|()| out.flush())
        .expect("a standard output");
}

/// Runs a test again in a child process. Returns what it writes to the standard output between `<<` and `>>`.
fn output_of(test: &str) -> Vec<u8> {
    let this = std::env::current_exe().expect("a running test has a path");
    let run = Command::new(this)
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("the test runs again");
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    let find = |mark: &[u8]| run.stdout.windows(2).position(|w| w == mark);
    let (first, last) = (find(b"<<").expect("the mark"), find(b">>").expect("the mark"));
    let body = &run.stdout[first + 2..last];
    // What the test harness itself prints of a test that takes long on a busy machine.
    let notice = format!("test {test} has been running for over 60 seconds\n");
    match body.windows(notice.len()).position(|w| w == notice.as_bytes()) {
        Some(at) => [&body[..at], &body[at + notice.len()..]].concat(),
        None => body.to_vec(),
    }
}

#[test]
fn output() {
    if std::env::var_os(CHILD).is_some() {
        return child();
    }
    let body = String::from_utf8(output_of("printf::output")).expect("text");
    let mut lines: Vec<&str> = body.lines().collect();
    assert_eq!(lines[0], "int -3|    7|ff  |z|lit|%");
    assert_eq!(lines[1], "vector 1,-2,3,-4 1.500000,-0.250000 7,8,9");
    assert_eq!(lines[2], "float 0.125 1.234500e+03 0.0001");
    assert_eq!(lines[3], "long -5000000000 0xfedcba9876543210 1,2,3,4,5,6,7,8");
    let mut items = lines[5..9].to_vec();
    items.sort_unstable();
    assert_eq!(items, ["item 1", "item 3", "item 5", "item 7"]);
    assert_eq!(lines.pop(), Some("end 42"));
    assert_eq!(lines.len() - 9, 262143 / 5);
    assert!(lines[9..].iter().all(|l| *l == "f 1 2 3"));
}

/// What the kernel of `printf_strings.cl` prints.
const STRINGS: &str = "array 1
2
pointer 3
local 4
more 5
less 6
wrapped 7
wrapped again 8
one 9
two 10
zero 11
first 0
after an even number 1
after an odd number 2
after an even number 3
string 1.50
1,2,3,4
big small
";

/// Formats that are variables, elements of a table, and choices, from OpenCL C and from SPIR-V.
#[test]
fn strings_that_are_resolved() {
    if std::env::var_os(CHILD).is_none() {
        let body = output_of("printf::strings_that_are_resolved");
        return assert_eq!(String::from_utf8(body).as_deref(), Ok(&*STRINGS.repeat(3)));
    }
    let s = Setup::new();
    let modules = ["0", "2"].map(|level| {
        let root = env!("CARGO_MANIFEST_DIR");
        let path = format!("{root}/../compiler/tests/il/printf_strings.{level}.spv");
        std::fs::read(path).expect("a module")
    });
    let mut programs = vec![s.built(include_str!("printf_strings.cl"), "")];
    for module in &modules {
        let at = module.as_ptr().cast();
        let (program, code) = created!(clCreateProgramWithIL(s.context, at, module.len()));
        assert_eq!(code, 0, "clCreateProgramWithIL");
        assert_eq!(
            cl!(clBuildProgram(program, 0, null(), null(), None, null_mut())),
            0
        );
        programs.push(program);
    }
    mark(b"<<");
    let result = s.buffer(&[0; 4]);
    for program in programs {
        let kernel = s.kernel(program, "prints");
        let n = 4i32;
        assert_eq!(cl!(clSetKernelArg(kernel, 0, 4, (&raw const n).cast())), 0);
        let size = size_of_val(&result);
        assert_eq!(
            cl!(clSetKernelArg(kernel, 1, size, (&raw const result).cast())),
            0
        );
        launch(&s, kernel, 1);
        assert_eq!(cl!(clFinish(s.queue)), 0);
    }
    assert_eq!(cl!(clReleaseMemObject(result)), 0);
    mark(b">>");
}

/// Strings that are not UTF-8, and characters that could be mistaken for such bytes.
#[test]
fn bytes() {
    if std::env::var_os(CHILD).is_none() {
        let expected = b"a\xff\x80z \xc3\xa9 s\xfeq|   \xe9|\xf4\x8f\xbe\xab|\xe9";
        return assert_eq!(output_of("printf::bytes"), expected);
    }
    let s = Setup::new();
    let source = r#"kernel void bytes(void) {
        printf("<<a\xff\x80z \u00e9 %s|%4s|\U0010ffab|%c>>\n", "s\xfeq", "\xe9", '\xe9');
    }"#;
    launch(&s, s.kernel(s.built(source, ""), "bytes"), 1);
    assert_eq!(cl!(clFinish(s.queue)), 0);
}

/// Calls of more than 2^32 words: those that find no room must not change what others have written.
#[test]
fn more_words_than_the_counter_can_count() {
    const VECTORS: usize = 63;
    const WORDS: usize = 32 * VECTORS + 1;
    const ITEMS: usize = 1 << 15;
    if std::env::var_os(CHILD).is_none() {
        let body = output_of("printf::more_words_than_the_counter_can_count");
        let lines: Vec<&[u8]> = body.split_inclusive(|&b| b == b'\n').collect();
        assert_eq!(lines.len(), 262143 / WORDS);
        let line = ["7"; 16 * VECTORS].join(",") + "\n";
        return assert!(lines.iter().all(|l| *l == line.as_bytes()));
    }
    let s = Setup::new();
    let (format, args) = (vec!["%v16ld"; VECTORS].join(","), ", (long16)(7)".repeat(VECTORS));
    let calls = (1usize << 32).div_ceil(WORDS * ITEMS) + 1;
    let source = format!(
        "kernel void many(void) {{ for (int i = 0; i < {calls}; i++) printf(\"{format}\\n\"{args}); }}"
    );
    let kernel = s.kernel(s.built(&source, ""), "many");
    mark(b"<<");
    launch(&s, kernel, ITEMS);
    assert_eq!(cl!(clFinish(s.queue)), 0);
    mark(b">>");
}
