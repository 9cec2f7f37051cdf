//! clCompileProgram and clLinkProgram (CL 5.6.2, 5.6.3): to which object's function or variable a name refers.

use std::ptr::{null, null_mut};

use crate::cl;
use crate::common::{CL_KERNEL_ARG_NAME, CL_LINK_PROGRAM_FAILURE, CL_PROGRAM_KERNEL_NAMES, cl_program};
use crate::lab::{Arg, Lab, element};
use crate::query_text;

/// Compiles every source by itself and links the objects. Returns the program and the error code.
fn link(lab: &Lab, sources: &[&str], options: &std::ffi::CStr) -> (cl_program, i32) {
    let objects: Vec<cl_program> = sources
        .iter()
        .map(|source| {
            let object = lab.setup.program(source);
            let code = cl!(clCompileProgram(
                object,
                0,
                null(),
                options.as_ptr(),
                0,
                null(),
                null_mut(),
                None,
                null_mut()
            ));
            assert_eq!(code, 0, "{source}\n{}", lab.setup.log(object));
            object
        })
        .collect();
    let mut code = 1;
    let program = cl!(clLinkProgram(
        lab.setup.context,
        0,
        null(),
        null(),
        objects.len() as u32,
        objects.as_ptr(),
        None,
        null_mut(),
        &raw mut code
    ));
    for object in objects {
        assert_eq!(cl!(clReleaseProgram(object)), 0);
    }
    (program, code)
}

/// The sources of objects, and the values that kernel `f` writes.
const WORKING: &[(&[&str], &[i32])] = &[
    (
        &[
            "int twice(int); kernel void f(global int *o) { o[0] = twice(4); }",
            "int twice(int x) { return 2 * x; }",
        ],
        &[8],
    ),
    // Each object has its own `static` and `inline` functions.
    (
        &[
            "static int own(void) { return 1; } inline int also(void) { return 10; } int other(void);
             kernel void f(global int *o) { o[0] = own(); o[1] = also(); o[2] = other(); }",
            "static int own(void) { return 2; } inline int also(void) { return 20; }
             int other(void) { return own() + also(); }",
        ],
        &[1, 10, 22],
    ),
    // A declaration does not refer to a `static` function of an earlier object.
    (
        &[
            "static int get(void) { return 1; } kernel void g(global int *o) { o[0] = get(); }",
            "int get(void); kernel void f(global int *o) { o[0] = get(); }",
            "int get(void) { return 3; }",
        ],
        &[3],
    ),
    // A function whose prototype is `static` stays `static`.
    (
        &[
            "static int get(void); int get(void) { return 4; } kernel void f(global int *o) { o[0] = get(); }",
            "int get(void) { return 5; }",
        ],
        &[4],
    ),
    // Overloads are distinguished by their types.
    (
        &[
            "#define OVER __attribute__((overloadable))
             int OVER kind(int); int OVER kind(uint); int OVER kind(float4);
             kernel void f(global int *o) { o[0] = kind(1); o[1] = kind(1u); o[2] = kind((float4)(1)); }",
            "#define OVER __attribute__((overloadable))
             int OVER kind(float4 x) { return 30; } int OVER kind(uint x) { return 20; }",
            "int __attribute__((overloadable)) kind(int x) { return 10; }",
        ],
        &[10, 20, 30],
    ),
    // Variables contain the addresses of variables of other objects.
    (
        &[
            "extern constant int table[]; extern constant int *constant entry; constant int *constant mine = table + 1;
             kernel void f(global int *o) { o[0] = table[2]; o[1] = *entry; o[2] = *mine; o[3] = entry == table + 3; }",
            "constant int table[4] = {1, 2, 3, 4}; extern constant int table[]; constant int *constant entry = &table[3];",
        ],
        &[3, 4, 2, 1],
    ),
    // Each object uses its own constant variable if several objects define one of the same name.
    (
        &[
            "constant int table[2] = {5, 6}; int other(void);
             kernel void f(global int *o) { o[0] = table[1]; o[1] = other(); }",
            "constant int table[2] = {7, 8}; int other(void) { return table[1]; }",
        ],
        &[6, 8],
    ),
    // One object calls a kernel of the other as a function.
    (
        &[
            "kernel void g(global int *o, int x); kernel void f(global int *o) { g(o, 3); g(o + 1, 4); }",
            "kernel void g(global int *o, int x) { *o = x * x; }",
        ],
        &[9, 16],
    ),
    // Arguments and results are structs.
    (
        &[
            "typedef struct { int a; float4 v; } pair; pair make(int a, pair old);
             kernel void f(global int *o) { pair p = {1, (float4)(2)}; p = make(7, p); o[0] = p.a; o[1] = p.v.y; }",
            "typedef struct { int a; float4 v; } pair;
             pair make(int a, pair old) { old.a += a; old.v *= 2.0f; return old; }",
        ],
        &[8, 4],
    ),
];

#[test]
fn references_are_resolved() {
    let lab = Lab::new();
    for (sources, expected) in WORKING {
        let (program, code) = link(&lab, sources, c"");
        assert_eq!(code, 0, "{sources:#?}\n{}", lab.setup.log(program));
        let out = lab
            .run(program, "f", 1, None, &[Arg::Out(4 * expected.len())])
            .remove(0);
        let got: Vec<i32> = (0..expected.len()).map(|k| element(&out, 4, k) as i32).collect();
        assert_eq!(&got, expected, "{sources:#?}");
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

/// The sources of objects that cannot be linked, and a text that the log must contain.
const FAILING: &[(&[&str], &str)] = &[
    (
        &[
            "int twice(int x) { return 2 * x; } kernel void f(global int *o) { o[0] = twice(4); }",
            "int twice(int x) { return x + x; }",
        ],
        "function 'twice' is defined in more than one object",
    ),
    (
        &[
            "kernel void f(global int *o) {}",
            "kernel void f(global int *o) {}",
        ],
        "kernel 'f' is defined in more than one object",
    ),
    (
        &["void f(global int *o) {}", "kernel void f(global int *o) {}"],
        "function 'f' is defined in more than one object",
    ),
    (
        &[
            "int twice(int x); kernel void f(global int *o) { o[0] = twice(4); }",
            "int thrice(int x) { return 3 * x; }",
        ],
        "undefined reference to 'twice'",
    ),
    (
        &[
            "int get(void); kernel void f(global int *o) { o[0] = get(); }",
            "static int get(void) { return 1; }",
        ],
        "undefined reference to 'get'",
    ),
    (
        &[
            "int get(float x); kernel void f(global int *o) { o[0] = get(1); }",
            "int get(int x) { return 1; }",
        ],
        "function 'get' is declared with other types",
    ),
    (
        &[
            "extern constant int t[4]; kernel void f(global int *o) { o[0] = t[1]; }",
            "constant int u[4] = {1};",
        ],
        "'t'",
    ),
    (
        &[
            "extern constant int t[]; kernel void f(global int *o) { o[0] = t[1]; }",
            "constant int t[2] = {1, 2}; int a(void) { return t[0]; }",
            "constant int t[2] = {1, 3}; int b(void) { return t[0]; }",
        ],
        "variable 't' is defined in more than one object",
    ),
    (
        &[
            "extern constant int t[4]; kernel void f(global int *o) { o[0] = t[3]; }",
            "constant int t[2] = {1, 2};",
        ],
        "variable 't' is declared with 16 bytes, but another object defines it with 8 bytes",
    ),
    (
        &[
            "extern constant int t; kernel void f(global int *o) { o[0] = t; }",
            "constant long t = 1;",
        ],
        "variable 't' is declared with 4 bytes, but another object defines it with 8 bytes",
    ),
    (
        &[
            "int b(int); int a(int x) { return x ? b(x - 1) : 0; } kernel void f(global int *o) { o[0] = a(3); }",
            "int a(int); int b(int x) { return x ? a(x - 1) : 1; }",
        ],
        "recursi",
    ),
];

#[test]
fn link_errors_are_reported() {
    let lab = Lab::new();
    for (sources, message) in FAILING {
        let (program, code) = link(&lab, sources, c"");
        assert_eq!(code, CL_LINK_PROGRAM_FAILURE, "{sources:#?}");
        let log = lab.setup.log(program);
        assert!(log.contains(message), "{sources:#?}\n{log}");
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}

#[test]
fn kernels_keep_their_argument_information() {
    let lab = Lab::new();
    let sources = [
        "int get(void); kernel void f(global int *result, const float factor) { *result = get(); }",
        "int get(void) { return 1; } kernel void g(local uchar4 *shared) {}",
    ];
    let (program, code) = link(&lab, &sources, c"-cl-kernel-arg-info");
    assert_eq!(code, 0);
    let names = query_text!(clGetProgramInfo(program; CL_PROGRAM_KERNEL_NAMES));
    assert_eq!(names, "f;g");
    for (kernel, args) in [("f", &["result", "factor"][..]), ("g", &["shared"])] {
        let kernel = lab.setup.kernel(program, kernel);
        for (i, name) in (0..).zip(args) {
            assert_eq!(
                query_text!(clGetKernelArgInfo(kernel, i; CL_KERNEL_ARG_NAME)),
                *name
            );
        }
        assert_eq!(cl!(clReleaseKernel(kernel)), 0);
    }
    assert_eq!(cl!(clReleaseProgram(program)), 0);
}

/// As [`WORKING`], for objects of OpenCL C 3.0 with variables in global memory.
const VARIABLES: &[(&[&str], &[i32])] = &[
    // All objects share a variable.
    (
        &[
            "extern global int n; int next(void); extern int table[];
             kernel void f(global int *o) { n = 4; o[0] = next(); o[1] = next(); o[2] = n; o[3] = table[1]; }",
            "int n = 3; int table[2] = {0, 9}; int next(void) { return ++n; }",
        ],
        &[5, 6, 6, 9],
    ),
    // Each object has its own `static` variables.
    (
        &[
            "static int n = 1; int other(void); kernel void f(global int *o) { n++; o[0] = other(); o[1] = n; }",
            "static int n = 10; int own(void) { return n; } int other(void) { static int n = 5; return n++ + own(); }
             int unused = 3;",
        ],
        &[15, 2],
    ),
    // Variables contain the addresses of those of other objects.
    (
        &[
            "extern global int a; global int *global p = &a; int b = 8;
             kernel void f(global int *o) { o[0] = *p; }",
            "extern global int b; extern global int *global p; global int *global q = &b; int a = 7;
             kernel void g(global int *o) { *o = *q; p = q; }",
        ],
        &[7],
    ),
];

/// As [`FAILING`], for objects of OpenCL C 3.0 with variables in global memory.
const FAILING_VARIABLES: &[(&[&str], &str)] = &[
    (
        &[
            "int n = 1; kernel void f(global int *o) { o[0] = n; }",
            "int n = 1; int g(void) { return n; }",
        ],
        "variable 'n' is defined in more than one object",
    ),
    (
        &[
            "extern int n; kernel void f(global int *o) { o[0] = n; }",
            "static int n = 1; int g(void) { return n; }",
        ],
        "undefined reference to 'n'",
    ),
    (
        &[
            "extern int n; kernel void f(global int *o) { o[0] = n; }",
            "constant int n = 1;",
        ],
        "variable 'n' is declared in another address space than it is defined in",
    ),
    (
        &[
            "extern int n[]; kernel void f(global int *o) { o[0] = n[1]; }",
            "extern int n[3]; int g(void) { return n[2]; }",
            "int n[2] = {1, 2};",
        ],
        "variable 'n' is declared with 12 bytes, but another object defines it with 8 bytes",
    ),
];

/// Compiles and links objects of OpenCL C 3.0.
fn link_later(lab: &Lab, sources: &[&str]) -> (cl_program, i32) {
    link(lab, sources, c"-cl-std=CL3.0")
}

/// Runs in a process that reports OpenCL 3.1 ([`crate::opencl_3_files`]).
#[test]
fn opencl_3_variables_of_objects() {
    if !std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v == "3.1") {
        return;
    }
    let lab = Lab::new();
    for (sources, expected) in VARIABLES {
        let (program, code) = link_later(&lab, sources);
        assert_eq!(code, 0, "{sources:#?}\n{}", lab.setup.log(program));
        let out = lab
            .run(program, "f", 1, None, &[Arg::Out(4 * expected.len())])
            .remove(0);
        let got: Vec<i32> = (0..expected.len()).map(|k| element(&out, 4, k) as i32).collect();
        assert_eq!(&got, expected, "{sources:#?}");
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
    for (sources, message) in FAILING_VARIABLES {
        let (program, code) = link_later(&lab, sources);
        assert_eq!(code, CL_LINK_PROGRAM_FAILURE, "{sources:#?}");
        let log = lab.setup.log(program);
        assert!(log.contains(message), "{sources:#?}\n{log}");
        assert_eq!(cl!(clReleaseProgram(program)), 0);
    }
}
