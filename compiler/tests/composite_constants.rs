//! `__spirv_SpecConstantComposite`, and a declared `__spirv_SpecConstant`, in OpenCL C, through the offline compiler.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs calderac with a source on standard input.
fn calderac(args: &[&str], source: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_calderac"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The structure of seed 003, from its leaves: in levels, and as one list.
#[test]
fn composite_specialization_constants_in_source() {
    let declarations = "typedef struct { int x; float y; } A;
        typedef struct { A a[2]; int2 b; } POD;
        A __attribute__((overloadable)) __spirv_SpecConstantComposite(int, float);
        int2 __attribute__((overloadable)) __spirv_SpecConstantComposite(int, int);
        POD __attribute__((overloadable)) __spirv_SpecConstantComposite(A, A, int2);
        POD __attribute__((overloadable)) __spirv_SpecConstantComposite(int, float, int, float, int2);
        #define I(n) __spirv_SpecConstant(n, 0)
        #define F(n) __spirv_SpecConstant(n, 0.0f)
        #define C __spirv_SpecConstantComposite
        ";
    let ir = |body: &str, args: &[&str]| {
        let source = format!("{declarations}kernel void k(global POD *o, int n) {{ {body} }}");
        let out = calderac(&[&["--emit=hir", "-"], args].concat(), &source);
        (out.status.code(), text(&out.stdout) + &text(&out.stderr))
    };
    let levels = "*o = C(C(I(10), F(11)), C(I(12), F(13)), C(I(14), I(15)));";
    let list = "*o = C(I(10), F(11), I(12), F(13), C(I(14), I(15)));";
    let gold = ["10=7", "11=1.5f", "12=8", "13=2.5f", "14=7", "15=9"].map(|v| format!("--spec-constant={v}"));
    let gold: Vec<&str> = gold.iter().map(String::as_str).collect();
    for (body, expected) in [
        (
            levels,
            &[
                "@0 int 7",
                "@4 float 1.5",
                "@0 int 8",
                "@4 float 2.5",
                "@16 int2 7 9",
            ][..],
        ),
        (
            list,
            &[
                "@0 int 7",
                "@4 float 1.5",
                "@8 int 8",
                "@12 float 2.5",
                "@16 int2 7 9",
            ],
        ),
    ] {
        let (code, special) = ir(body, &gold);
        assert_eq!(code, Some(0), "{special}");
        for part in expected {
            assert!(special.contains(part), "{part} in {special}");
        }
    }
    for (body, message) in [
        ("*o = C(n, 0.0f, 1, 2.0f, (int2)(0));", "must be constant"),
        ("int3 v = C(I(1), I(2), I(3));", "no matching function"),
    ] {
        let (code, log) = ir(body, &[]);
        assert_eq!(code, Some(1), "{log}");
        assert!(log.contains(message), "{log}");
    }
    let out = calderac(
        &["--emit=hir", "-"],
        "int __spirv_SpecConstantComposite(int); kernel void k(global int *o) { *o = __spirv_SpecConstantComposite(1); }",
    );
    assert!(text(&out.stderr).contains("must be declared with a structure or vector as result"));
}

/// A program may declare `__spirv_SpecConstant` itself. The declaration states the type of the constant.
#[test]
fn declared_specialization_constants_in_source() {
    let source = "ulong __spirv_SpecConstant(int, ulong);
        kernel void k(global ulong *o) { *o = __spirv_SpecConstant(0, 10); }";
    for (option, expected) in [
        ("--spec-constant=1=3", "= ulong 10"),
        ("--spec-constant=0=9000000000", "= ulong 9000000000"),
    ] {
        let out = calderac(&["--emit=hir", option, "-"], source);
        let hir = text(&out.stdout);
        assert!(hir.contains(expected), "{hir}{}", text(&out.stderr));
    }
}
