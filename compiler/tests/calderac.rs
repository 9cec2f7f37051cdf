//! Tests the offline compiler as a program: the files it writes, its messages and its exit codes.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn calderac(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_calderac"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    // The program may refuse its arguments before it reads the input.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Creates a file of its own for each test.
fn file(name: &str, contents: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("calderac");
    std::fs::create_dir_all(&dir).expect("a directory");
    let path = dir.join(name);
    std::fs::write(&path, contents).expect("written");
    path
}

const SOURCE: &str =
    "kernel void foo(global int* a, float f, global float* b, uint c) { a[0] = c; b[0] = f; }";

#[test]
fn standard_input_to_standard_output() {
    let out = calderac(&["-", "-o", "-"], SOURCE);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert_eq!(out.stdout[..4], 0x0723_0203u32.to_le_bytes());
    assert_eq!(
        out.stdout,
        calderac(&["-", "-o", "-"], SOURCE).stdout,
        "always the same"
    );
    let out = calderac(&["-", "-o", "-", "-output-format=c"], SOURCE);
    assert!(text(&out.stdout).starts_with("{0x07230203,\n"));
}

/// SPIR-V for OpenCL is compiled as a source is. Without a name, the output would replace the input.
#[test]
fn spirv_for_opencl() {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/il/vector_add.2.spv");
    for (kind, expected) in [
        ("ir", "func @f0"),
        ("final-ir", "load_from"),
        ("spvasm", "OpEntryPoint GLCompute"),
        ("reflect", "kernels"),
    ] {
        let out = calderac(&[input, &format!("--emit={kind}")], "");
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        assert!(text(&out.stdout).contains(expected), "{kind}");
    }
    let out = calderac(&[input, "-o", "-"], "");
    assert_eq!(out.stdout[..4], 0x0723_0203u32.to_le_bytes());
    for (args, message) in [
        (&[input][..], "-o is needed"),
        (&[input, "--emit=hir"], "has no preprocessed source"),
        (&[input, "--spec-constant=x=1"], "--spec-constant needs ID=VALUE"),
    ] {
        let out = calderac(args, "");
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(message), "{}", text(&out.stderr));
    }
    let source = file("beside_il.cl", "kernel void other(global int *a) { *a = 1; }");
    let source = source.to_str().expect("UTF-8");
    let out = calderac(&[input, source, "--emit=reflect"], "");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("other"));
}

/// SPIR-V's text is an input like its words, and `--convert` writes each as the other.
#[test]
fn spirv_as_text() {
    let text_input = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spirv_text/002_fp16.spvasm");
    let module = file("converted.spv", "");
    let module = module.to_str().expect("UTF-8");
    let out = calderac(&["--convert", "--spirv=1.4", text_input, "-o", module], "");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let out = calderac(&["--convert", "--emit=spvasm", module], "");
    let written = text(&out.stdout);
    assert!(written.starts_with("; SPIR-V\n; Version: 1.4\n"), "{written}");
    assert!(written.contains("OpExtension \"cl_khr_fp16\""), "{written}");
    let again = calderac(&["--convert", "-"], &written);
    assert_eq!(again.stdout, std::fs::read(module).expect("it was written"));
    // All three are compiled to the same module.
    let compiled = calderac(&[module, "-o", "-"], "").stdout;
    assert_eq!(compiled[..4], 0x0723_0203u32.to_le_bytes());
    assert_eq!(calderac(&[text_input, "-o", "-"], "").stdout, compiled);
    assert_eq!(calderac(&["-", "-o", "-"], &written).stdout, compiled);
    let source = file("beside_text.cl", "kernel void other(global int *a) { *a = 1; }");
    let out = calderac(
        &[text_input, source.to_str().expect("UTF-8"), "--emit=reflect"],
        "",
    );
    assert!(text(&out.stdout).contains("other"), "{}", text(&out.stderr));
    for (args, input, code, message) in [
        (
            &["-"][..],
            "OpCapability Kernel\n  OpWrong",
            1,
            "<stdin>:2:3: error: unknown instruction 'OpWrong'",
        ),
        (
            &["--convert", "-"],
            "kernel void f() {}",
            1,
            "'<stdin>' is not a SPIR-V module",
        ),
        (
            &["--convert", "--emit=ir", text_input],
            "",
            2,
            "--convert writes spv, spvasm or mlir",
        ),
        (
            &["--convert", text_input, text_input],
            "",
            2,
            "--convert takes one file",
        ),
    ] {
        let out = calderac(args, input);
        assert_eq!(out.status.code(), Some(code), "{args:?}");
        assert!(text(&out.stderr).contains(message), "{}", text(&out.stderr));
    }
}

/// MLIR's dialect is an input, too.
#[test]
fn spirv_as_mlir() {
    let input = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spirv_mlir/kernel.mlir");
    let out = calderac(&[input, "--emit=reflect"], "");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("\"k\""), "{}", text(&out.stdout));
    let out = calderac(&["--convert", "--emit=spvasm", input], "");
    assert!(
        text(&out.stdout).contains("OpEntryPoint Kernel"),
        "{}",
        text(&out.stdout)
    );
    let out = calderac(&["--convert", "--emit=mlir", input], "");
    let written = text(&out.stdout);
    assert!(
        written.starts_with("spirv.module Physical64 OpenCL requires"),
        "{written}"
    );
    let again = calderac(&["--emit=reflect", "-"], &written);
    assert!(text(&again.stdout).contains("\"k\""), "{}", text(&again.stderr));
    let out = calderac(&["--emit=mlir", input], "");
    assert_eq!(out.status.code(), Some(2));
    let image = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spirv_text/002_3dwrite.spvasm");
    let out = calderac(&["--convert", "--emit=mlir", image], "");
    assert_eq!(out.status.code(), Some(1));
    let message = "OpTypeImage: the dialect has no access qualifiers";
    assert!(text(&out.stderr).contains(message), "{}", text(&out.stderr));
    let out = calderac(
        &["-"],
        "spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [], []> {\n  nonsense\n}",
    );
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        text(&out.stderr),
        "<stdin>:2:3: error: 'nonsense' is not implemented here\n"
    );
}

/// `__spirv_SpecConstant` in OpenCL C has its default, or the value of `--spec-constant`.
#[test]
fn specialization_constants_in_source() {
    let source = "typedef struct { int x; float y; } A;
        constant int size = __spirv_SpecConstant(3, 4);
        kernel void k(global A *o, global long *l) {
            A a = { __spirv_SpecConstant(42, 0), __spirv_SpecConstant(43, 0.5f) };
            int t[__spirv_SpecConstant(3, 4)];
            o[0] = a; l[0] = __spirv_SpecConstant(44, -1L) + sizeof(t); l[1] = __spirv_SpecConstant(45, (uchar)200);
        }";
    let ir = |args: &[&str]| {
        let out = calderac(&[&["--emit=hir", "-"], args].concat(), source);
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let plain = ir(&[]);
    for (args, expected) in [
        (&["--spec-constant=42=7"][..], "@0 int 7"),
        (&["--spec-constant=43=2.25f"], "@4 float 2.25"),
        (&["--spec-constant=44=-9"], "= long 7"),
        (&["--spec-constant=45=77"], "= long 77"),
    ] {
        let special = ir(args);
        assert_ne!(special, plain);
        assert!(
            special.contains(expected) && !plain.contains(expected),
            "{special}\n{plain}"
        );
    }
    // The value is a constant expression, which can be the length of an array.
    assert_ne!(ir(&["--spec-constant=3=5"]), plain);
    assert_eq!(ir(&["--spec-constant=9=5"]), plain, "no constant has this id");
    for (source, option, message) in [
        (
            "__spirv_SpecConstant(1)",
            "--spec-constant=1=2",
            "takes an id and a default value",
        ),
        (
            "__spirv_SpecConstant(-1, 2)",
            "--spec-constant=1=2",
            "must be a constant from 0 on",
        ),
        (
            "__spirv_SpecConstant(1, o[0])",
            "--spec-constant=1=2",
            "must be constant",
        ),
        (
            "__spirv_SpecConstant(1, (int2)(1)).x",
            "--spec-constant=1=2",
            "must be a scalar",
        ),
        (
            "__spirv_SpecConstant(1, 2.0f)",
            "--spec-constant=1=2.5",
            "has 8 bytes instead of 4",
        ),
    ] {
        let kernel = format!("kernel void k(global int *o) {{ o[1] = {source}; }}");
        let out = calderac(&["-", "--check", option], &kernel);
        assert_eq!(out.status.code(), Some(1), "{source}");
        assert!(text(&out.stderr).contains(message), "{}", text(&out.stderr));
    }
}

/// The property set of DPC++ (seed's example, with the last scalar, which its list omits).
#[test]
fn specialization_constants_by_name() {
    let pod = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/spirv_text/003_pod.spvasm");
    let module = std::fs::read_to_string(pod).expect("it exists");
    let named = module.replace(
        "OpDecorate %a0x",
        "OpName %gold \"MyConst_mangled\"\nOpDecorate %a0x",
    );
    let out = calderac(&["--emit=spec-constants", "-"], &named);
    assert_eq!(
        text(&out.stdout),
        "MyConst_mangled [10,0,4],[11,4,4],[12,8,4],[13,12,4],[14,16,4],[15,20,4]\n",
        "{}",
        text(&out.stderr)
    );
    let scalars =
        "OpCapability Kernel OpCapability Addresses OpCapability Int64 OpMemoryModel Physical64 OpenCL
        OpName %a \"a\" OpName %b \"b\" OpDecorate %a SpecId 42 OpDecorate %b SpecId 7
        %int = OpTypeInt 32 0 %long = OpTypeInt 64 0 %a = OpSpecConstant %int 0 %b = OpSpecConstant %long 5
        %c = OpConstant %int 1";
    let out = calderac(&["--emit=spec-constants", "-"], scalars);
    assert_eq!(text(&out.stdout), "a 42\nb 7\n", "{}", text(&out.stderr));
    let out = calderac(&["--emit=spec-constants", "-"], SOURCE);
    assert_eq!(out.status.code(), Some(2));
    // Composites that share their parts have many scalars.
    let mut many = scalars.to_owned();
    let mut last = "%a".to_owned();
    for n in 0..40 {
        let part = if n == 0 {
            "%int".into()
        } else {
            format!("%t{}", n - 1)
        };
        many += &format!(
            " %t{n} = OpTypeStruct {part} {part} %v{n} = OpSpecConstantComposite %t{n} {last} {last}"
        );
        last = format!("%v{n}");
    }
    let out = calderac(&["--emit=spec-constants", "-"], &many);
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn every_kind_of_output() {
    let cases = [
        ("pp", "kernel void foo"),
        ("ast", "Kernel"),
        ("hir", "foo"),
        ("ir", "func @f0 \"foo\""),
        ("final-ir", "load_from"),
        ("spvasm", "OpEntryPoint GLCompute"),
        ("reflect", "PushRange"),
        ("map", "kernel_decl,foo"),
    ];
    for (kind, part) in cases {
        let out = calderac(&["-", &format!("--emit={kind}")], SOURCE);
        assert_eq!(out.status.code(), Some(0), "{kind}: {}", text(&out.stderr));
        let stdout = text(&out.stdout);
        assert!(kind == "ast" || stdout.contains(part), "{kind}\n{stdout}");
    }
    let out = calderac(&["-", "--emit=spvasm", "--abi=descriptor"], SOURCE);
    assert!(
        text(&out.stdout).contains("ArgumentStorageBuffer"),
        "{}",
        text(&out.stdout)
    );
}

#[test]
fn maps_of_sources_and_modules() {
    let source = file("foo.cl", SOURCE);
    let module = source.with_extension("module");
    let (source, module) = (source.display().to_string(), module.display().to_string());
    let map_file = format!("{module}.map");
    let options = ["-cluster-pod-kernel-args=0", &source, "-o", &module];
    let out = calderac(&[&options[..], &["-descriptormap", &map_file]].concat(), "");
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    let expected = "\
kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
kernel,foo,arg,f,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod,argSize,4
kernel,foo,arg,b,argOrdinal,2,descriptorSet,0,binding,2,offset,0,argKind,buffer
kernel,foo,arg,c,argOrdinal,3,descriptorSet,0,binding,3,offset,0,argKind,pod,argSize,4
";
    assert_eq!(std::fs::read_to_string(&map_file).expect("written"), expected);
    let out = calderac(&["--descriptor-map=older", &module], "");
    assert_eq!(text(&out.stdout), expected);
    let of_source = calderac(
        &["--descriptor-map=older", "-cluster-pod-kernel-args=0", &source],
        "",
    );
    assert_eq!(text(&of_source.stdout), expected);
    // A stripped module has no map, and a module is not compiled.
    let stripped = format!("{module}.stripped");
    calderac(&["--strip-reflection", &source, "-o", &stripped], "");
    let out = calderac(&["--descriptor-map", &stripped], "");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).contains("no NonSemantic.ClspvReflection"),
        "{}",
        text(&out.stderr)
    );
    assert_eq!(calderac(&[&module], "").status.code(), Some(2));
}

#[test]
fn several_files_are_linked() {
    let one = file(
        "one.cl",
        "int twice(int); kernel void foo(global int* a) { a[0] = twice(a[0]); }",
    );
    let two = file("two.cl", "int twice(int x) { return 2 * x; }");
    let (one, two) = (one.display().to_string(), two.display().to_string());
    let out = calderac(&[&one, &two, "--emit=map", "--abi=descriptor"], "");
    assert!(
        text(&out.stdout).starts_with("kernel_decl,foo\n"),
        "{}",
        text(&out.stderr)
    );
    let out = calderac(&[&one, "-o", "-"], "");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        text(&out.stderr).contains("undefined reference to 'twice'"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn exit_codes() {
    let code = |args: &[&str], input: &str| calderac(args, input).status.code();
    assert_eq!(code(&["--help"], ""), Some(0));
    assert_eq!(code(&["-", "--check"], SOURCE), Some(0));
    assert_eq!(code(&["-", "--check"], "kernel void foo( {"), Some(1));
    for args in [
        &[][..],
        &["--no-such-option", "-"],
        &["-", "--emit=what"],
        &["-", "-spv-version=2.0"],
        &["-", "-pod-ubo", "-pod-pushconstant"],
        &["-", "--abi=other"],
        &["-", "-cl-no-such-option"],
    ] {
        assert_eq!(code(args, SOURCE), Some(2), "{args:?}");
    }
    assert_eq!(code(&["/no/such/file.cl"], ""), Some(3));
    assert_eq!(code(&["-", "-o", "/no/such/folder/out.spv"], SOURCE), Some(3));
    assert_eq!(code(&["-", "-samplermap=/no/such/file"], SOURCE), Some(3));
}

/// For bisection: each pass can be left out, unless others or the emission of SPIR-V need what it establishes.
#[test]
fn each_pass_can_be_left_out_or_is_needed() {
    const KERNEL: &str = "float twice(private float *x) { return *x * 2; }
        kernel void k(global float4 *p, local float *l, float f) {
            size_t i = get_global_id(0);
            float a[4] = { f, f + 1, f * 3, l[i] };
            for (int n = 0; n < 4; n++) { if (a[n] > 2) break; a[n] = twice(a + n) / f; }
            barrier(CLK_LOCAL_MEM_FENCE);
            p[i] += (float4)(a[0], a[1], a[2], a[3]);
        }";
    let listed = text(&calderac(&["--list-passes"], "").stdout);
    let passes: Vec<&str> = listed
        .lines()
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    assert!(passes.contains(&"mem2reg"), "{listed}");
    let mut needed = Vec::new();
    for pass in passes {
        let option = format!("--skip-pass={pass}");
        let out = calderac(&["-", "--check", "--verify", &option], KERNEL);
        match out.status.code() {
            Some(0) => {}
            Some(2) => {
                let said = text(&out.stderr);
                let start = format!("calderac: error: --skip-pass: {pass} cannot be left out: ");
                assert!(said.starts_with(&start), "{said}");
                needed.push(pass);
            }
            _ => panic!("{pass}: {}", text(&out.stderr)),
        }
    }
    assert_eq!(
        needed.join(" "),
        "select_arithmetic inline lower_generic lower_system_values lower_images lower_kernel_args \
         lower_long_vectors lower_memory lower_exits"
    );
}

#[test]
fn what_is_said_of_files_and_options() {
    let said = |args: &[&str]| text(&calderac(args, SOURCE).stderr);
    assert_eq!(
        said(&["/no/such/file.cl"]),
        "calderac: error: no such file or directory: '/no/such/file.cl'\n"
    );
    assert_eq!(
        said(&["-", "--no-such-option"]),
        "calderac: error: unknown argument: '--no-such-option'\n"
    );
    let names_of_passes = [
        (
            "--skip-pass=typo",
            "--skip-pass: unknown pass 'typo' (see --list-passes)",
        ),
        (
            "--print-before=dce,",
            "--print-before: unknown pass '' (see --list-passes)",
        ),
        ("--print-after", "--print-after needs =PASS,... or =all"),
        ("--pass-limit=few", "--pass-limit needs a number, not 'few'"),
    ];
    for (option, message) in names_of_passes {
        assert_eq!(said(&["-", option]), format!("calderac: error: {message}\n"));
    }
    // A pass need not run for the target.
    assert_eq!(
        said(&["-", "--check", "--skip-pass=pair_words,carry_exit_values"]),
        ""
    );
    for option in ["--spirv=1.2", "-spv-version=1.2"] {
        assert_eq!(
            said(&["-", option]),
            "calderac: error: unsupported SPIR-V version 1.2: use 1.0, or 1.3 to 1.6\n"
        );
    }
    assert!(
        said(&["-", "-o", "/no/such/folder/out.spv"])
            .starts_with("calderac: error: unable to open output file '/no/such/folder/out.spv'")
    );
    let module = file("linked.module", "");
    std::fs::write(&module, calderac(&["-", "-o", "-"], SOURCE).stdout).expect("written");
    let out = calderac(&["-", &module.display().to_string()], SOURCE);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("only sources are linked"),
        "{}",
        text(&out.stderr)
    );
}

/// Errors of a program have clang's form: position, line, caret, count.
#[test]
fn what_is_said_of_programs() {
    let out = calderac(&["-"], "kernel void foo(global int* a) { a[0] = b; }\n");
    assert_eq!(
        text(&out.stderr),
        "<stdin>:1:41: error: use of undeclared identifier 'b'\n\
         kernel void foo(global int* a) { a[0] = b; }\n\
         \x20                                       ^\n\
         1 error generated.\n"
    );
}

/// The output does not depend on the directory or the environment, bit for bit.
#[test]
fn nothing_but_input_and_options_matters() {
    let dir = file("here.cl", SOURCE).parent().expect("a folder").to_path_buf();
    let below = dir.join("below");
    std::fs::create_dir_all(&below).expect("a directory");
    std::fs::write(below.join("other.cl"), SOURCE).expect("written");
    let run = |dir: &std::path::Path, name: &str, options: &[&str], env: &[(&str, &str)]| {
        let out = Command::new(env!("CARGO_BIN_EXE_calderac"))
            .current_dir(dir)
            .args(options)
            .args([name, "-o", "-"])
            .envs(env.iter().copied())
            .output()
            .expect("it starts");
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
        out.stdout
    };
    let elsewhere = [
        ("HOME", "/nowhere"),
        ("LC_ALL", "tr_TR.UTF-8"),
        ("TZ", "Asia/Tokyo"),
        ("RUST_BACKTRACE", "1"),
        ("RUST_MIN_STACK", "4000000"),
    ];
    for options in [
        &[][..],
        &["--emit=spvasm"],
        &["--emit=reflect"],
        &["--abi=descriptor", "-cl-fast-relaxed-math"],
    ] {
        let first = run(&dir, "here.cl", options, &[]);
        assert!(!first.is_empty());
        assert_eq!(first, run(&below, "other.cl", options, &elsewhere), "{options:?}");
        let absolute = below.join("other.cl").display().to_string();
        assert_eq!(first, run(&dir, &absolute, options, &elsewhere), "{options:?}");
    }
}

/// Returns the options that a text mentions: words that begin with a dash, without values and punctuation.
fn options(text: &str) -> std::collections::BTreeSet<String> {
    text.split(|c: char| c.is_whitespace() || "=[](),:".contains(c))
        .map(|word| word.trim_end_matches(['.', ';', '\'']))
        .filter(|word| word.len() > 1 && word.starts_with('-'))
        .map(String::from)
        .collect()
}

/// The manual page names every option of `--help`, and the options of clBuildProgram that it adds are
/// accepted.
#[test]
fn the_manual_page_is_current() {
    let page = include_str!("../docs/calderac.1");
    let version = concat!("\"calderac ", env!("CARGO_PKG_VERSION"), "\"");
    assert!(page.contains(version), "the page is not of {version}");
    let mut text = page.replace("\\-", "-");
    for font in ["\\fB", "\\fI", "\\fR"] {
        text = text.replace(font, "");
    }
    let in_page = options(&text);
    let in_help = options(&self::text(&calderac(&["--help"], "").stdout));
    let missing: Vec<_> = in_help.difference(&in_page).collect();
    assert!(missing.is_empty(), "docs/calderac.1 lacks {missing:?}");
    for option in in_page.difference(&in_help) {
        let option = match option.as_str() {
            // This option is an error of the build, not of the command line.
            "-cl-fp32-correctly-rounded-divide-sqrt" => continue,
            other => other,
        };
        let out = calderac(&["-", "--check", option], SOURCE);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{option}: {}",
            self::text(&out.stderr)
        );
    }
}

#[test]
fn the_version_names_the_sources() {
    let version = text(&calderac(&["--version"], "").stdout);
    assert!(
        version.starts_with(concat!("calderac ", env!("CARGO_PKG_VERSION"), " (")),
        "{version}"
    );
    assert!(version.contains(caldera_compiler::IDENTITY), "{version}");
}

/// The script for bash is run; those for the other shells name the same options.
#[test]
fn completions_know_the_options_of_help() {
    let script = |shell| text(&calderac(&[&format!("--completions={shell}")], "").stdout);
    let complete = |word: &str| {
        let program = "set -u; source /dev/stdin; COMP_WORDS=(calderac \"$1\"); COMP_CWORD=1; \
                       compopt() { printf 'no space: '; }; _calderac; echo \"${COMPREPLY[*]-}\"";
        let mut bash = Command::new("bash")
            .args(["-c", program, "bash", word])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash starts");
        let mut stdin = bash.stdin.take().expect("piped");
        stdin.write_all(script("bash").as_bytes()).expect("written");
        drop(stdin);
        text(&bash.wait_with_output().expect("it ends").stdout)
    };
    assert_eq!(complete("--em"), "no space: --emit=\n");
    assert_eq!(complete("--chec"), "--check --check=\n");
    assert_eq!(complete("-output-f"), "no space: -output-format=\n");
    assert_eq!(complete("--absent"), "\n");
    assert_eq!(complete("Cargo.to"), "Cargo.toml\n");
    let (zsh, fish) = (script("zsh"), script("fish"));
    for option in options(&text(&calderac(&["--help"], "").stdout)) {
        assert!(zsh.contains(&option), "{option} is not in zsh's script");
        let dashes = option.len() - option.trim_start_matches('-').len();
        let kind = match (dashes, option.len()) {
            (2, _) => "-l",
            (_, 2) => "-s",
            _ => "-o",
        };
        let line = format!("complete -c calderac {kind} {}", &option[dashes..]);
        assert!(fish.contains(&line), "{line}\n{fish}");
    }
    assert_eq!(calderac(&["--completions=csh"], "").status.code(), Some(2));
}

#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let out = Command::new(env!("CARGO_BIN_EXE_calderac"))
        .arg(std::ffi::OsStr::from_bytes(b"a\xff.cl"))
        .output()
        .expect("it starts");
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("is not UTF-8"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn help_names_the_options() {
    let help = text(&calderac(&["--help"], "").stdout);
    for option in [
        "-cluster-pod-kernel-args",
        "-pod-ubo",
        "--descriptor-map",
        "-spv-version=1.N",
        "exit code",
    ] {
        assert!(help.contains(option), "{option}\n{help}");
    }
}

/// Devices, pipes and huge files are not read as included files.
#[cfg(unix)]
#[test]
fn only_regular_files_are_included() {
    let pipe = file("beside.pipe", "").with_file_name("include.pipe");
    // Remove the pipe of an earlier run: writing to it would block until it is read.
    let _ = std::fs::remove_file(&pipe);
    let made = Command::new("mkfifo").arg(&pipe).status().expect("it starts");
    assert!(made.success());
    let huge = file("include.huge", "");
    let sparse = std::fs::OpenOptions::new()
        .write(true)
        .open(&huge)
        .expect("opened");
    sparse.set_len(1 << 40).expect("a sparse file");
    let pipe = pipe.to_str().expect("a path");
    let huge = huge.to_str().expect("a path");
    for (name, why) in [
        ("/dev/zero", "it is not a regular file"),
        (pipe, "it is not a regular file"),
        (huge, "it is too large"),
        ("/", "file not found"),
    ] {
        for bracketed in [format!("\"{name}\""), format!("<{name}>")] {
            let out = calderac(
                &["-", "-I", "/", "-o", "-"],
                &format!("#include {bracketed}\nint x;\n"),
            );
            assert_eq!(out.status.code(), Some(1), "{name}");
            assert!(text(&out.stderr).contains(why), "{name}: {}", text(&out.stderr));
        }
    }
    std::fs::remove_file(huge).expect("removed");
    std::fs::remove_file(pipe).expect("removed");
}

/// If little address space can be reserved, stacks are smaller, and a program that is nested too deeply for
/// them is an error.
#[cfg(target_os = "linux")]
#[test]
fn little_address_space() {
    let nested = format!(
        "kernel void k(global int *a) {{ int x = a[0]; {} a[0] = x; }}",
        "if (x == 1) x = a[1]; else ".repeat(1900)
    );
    let nested = file("nested.cl", &nested);
    let plain = file("plain.cl", SOURCE);
    let limited = |kib: usize, source: &PathBuf| {
        Command::new("sh")
            .args(["-c", "ulimit -v $0 && exec $1 $2 -o /dev/null"])
            .arg(kib.to_string())
            .arg(env!("CARGO_BIN_EXE_calderac"))
            .arg(source)
            .output()
            .expect("it starts")
    };
    for kib in [800_000, 400_000, 200_000, 120_000] {
        let out = limited(kib, &plain);
        assert_eq!(out.status.code(), Some(0), "{kib}: {}", text(&out.stderr));
    }
    // A long program needs its memory for other things than stacks.
    let lines: String = (1..20_000)
        .map(|n| format!("if (x % {n} == 3) x = x * 3 + a[{n}];\n"))
        .collect();
    let long = format!("kernel void k(global int *a) {{ int x = a[0]; {lines} a[0] = missing; }}");
    let out = limited(200_000, &file("long.cl", &long));
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    assert!(text(&out.stderr).contains("undeclared"), "{}", text(&out.stderr));
    let out = limited(400_000, &nested);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    // The parse of this program needs more stack than can be reserved.
    let out = limited(40_000, &nested);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stderr));
    let expected = "nested too deeply for the address space that is left";
    assert!(text(&out.stderr).contains(expected), "{}", text(&out.stderr));
}

/// Options of clspv's mapping select the descriptor ABI; options for types and arithmetic do not.
#[test]
fn options_choose_the_abi() {
    let abi = |options: &[&str]| {
        let args = [&["-", "--emit=spvasm"], options].concat();
        let out = calderac(&args, SOURCE);
        assert_eq!(out.status.code(), Some(0), "{options:?}: {}", text(&out.stderr));
        let text = text(&out.stdout);
        let physical = text.contains("PhysicalStorageBuffer64");
        assert_eq!(physical, !text.contains("ArgumentStorageBuffer"), "{options:?}");
        physical
    };
    for options in [
        &["--behaviour=older"][..],
        &["-no-8bit-storage=ssbo"],
        &["-no-16bit-storage", "ubo,pushconstant"],
        &["-max-ubo-size=1024"],
        &["-printf-buffer-size=64"],
        &["-relaxed-ubo-layout"],
        &["-pod-ubo"],
        &["-work-dim"],
        &["--abi=descriptor"],
        &["--target=clspv"],
    ] {
        assert!(!abi(options), "{options:?}");
    }
    for options in [
        &[][..],
        &["--behaviour=newer"],
        &["-fp64=0"],
        &["-spv-version=1.5"],
        &["-cl-native-math"],
        &["-arch=spirv32"],
        &["--abi=physical", "-no-8bit-storage=ssbo"],
        &["-physical-storage-buffers", "-no-16bit-storage=ssbo"],
    ] {
        assert!(abi(options), "{options:?}");
    }
    let out = calderac(&["-", "--abi=physical", "--behaviour=older"], SOURCE);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("--behaviour=older requires --abi=descriptor"),
        "{}",
        text(&out.stderr)
    );
}

/// Both ABIs define the macro, because both are for Vulkan.
#[test]
fn the_macro_says_vulkan() {
    let source = "#if VULKAN != 100\n#error VULKAN\n#endif\nkernel void foo(global int* a) { a[0] = 1; }";
    for abi in ["--abi=physical", "--abi=descriptor"] {
        let out = calderac(&["-", abi, "--check"], source);
        assert_eq!(out.status.code(), Some(0), "{abi}: {}", text(&out.stderr));
        assert!(out.stderr.is_empty(), "{}", text(&out.stderr));
        // An option can redefine the macro.
        let out = calderac(&["-", abi, "--check", "-DVULKAN=7"], source);
        assert!(text(&out.stderr).contains("#error") || text(&out.stderr).contains("error: VULKAN"));
    }
}
