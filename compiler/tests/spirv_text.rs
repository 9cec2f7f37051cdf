//! Tests of SPIR-V's text: the same words as `spirv-as` of SPIRV-Tools makes, the way from words to text and back, and
//! the positions of errors.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::spirv_text::{assemble, disassemble, is_assembly};
use caldera_compiler::target::Target;
use caldera_compiler::{Input, compile};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the files of a folder of tests that have an extension, with their names.
fn files(folder: &str, extension: &str) -> Vec<(String, PathBuf)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let paths = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut list: Vec<_> = paths
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .map(|p| (p.file_name().unwrap().to_string_lossy().into_owned(), p))
        .collect();
    list.sort();
    assert!(!list.is_empty(), "{folder} has files");
    list
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let (words, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty());
    words.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

fn modules() -> Vec<(String, Vec<u32>)> {
    let list = files("il", "spv").into_iter();
    list.map(|(name, path)| (name, words(&std::fs::read(path).unwrap())))
        .collect()
}

/// Assembles with SPIRV-Tools.
fn spirv_as(text: &str, minor: u8) -> Vec<u32> {
    let env = format!("spv1.{minor}");
    let mut child = Command::new("spirv-as")
        .args(["--target-env", &env, "--preserve-numeric-ids", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-as of SPIRV-Tools must be installed");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(
        out.status.success(),
        "{}\n{text}",
        String::from_utf8_lossy(&out.stderr)
    );
    words(&out.stdout)
}

/// Compares modules except for the generator.
fn same(name: &str, ours: &[u32], theirs: &[u32]) {
    let differs = (0..ours.len().max(theirs.len())).find(|&i| i != 2 && ours.get(i) != theirs.get(i));
    if let Some(at) = differs {
        let word = |words: &[u32]| words.get(at).map(|w| format!("{w:#x}"));
        panic!("{name}: word {at}: {:?} and {:?}", word(ours), word(theirs));
    }
}

fn minor_of(words: &[u32]) -> u8 {
    (words[1] >> 8) as u8
}

/// The text of a module is assembled to its words, here and by SPIRV-Tools.
#[test]
fn modules_to_text_and_back() {
    for (name, module) in modules() {
        let text = disassemble(&module);
        let again = assemble(&text, 0).unwrap_or_else(|e| panic!("{name}:{e}\n{text}"));
        // The bound may be larger than it must be.
        assert!(again[3] <= module[3], "{name}");
        let mut expected = module.clone();
        expected[3] = again[3];
        same(&name, &again, &expected);
        same(&name, &again, &spirv_as(&text, minor_of(&module)));
    }
}

/// The text that SPIRV-Tools writes is assembled to the same words, with numbers and with names.
#[test]
fn text_of_spirv_dis() {
    for (name, path) in files("il", "spv") {
        let module = words(&std::fs::read(&path).unwrap());
        for option in ["--raw-id", "--no-color"] {
            let out = Command::new("spirv-dis").arg(option).arg(&path).output().unwrap();
            assert!(out.status.success());
            let text = String::from_utf8(out.stdout).unwrap();
            assert!(is_assembly(&text));
            let ours = assemble(&text, 0).unwrap_or_else(|e| panic!("{name}:{e}"));
            same(&name, &ours, &spirv_as(&text, minor_of(&module)));
        }
    }
}

/// Texts that were written by hand, here and for the tests of the environment.
#[test]
fn written_texts() {
    for folder in ["il", "spirv_text"] {
        for (name, path) in files(folder, "spvasm") {
            let text = std::fs::read_to_string(&path).unwrap();
            let ours = assemble(&text, 5).unwrap_or_else(|e| panic!("{name}:{e}"));
            same(&name, &ours, &spirv_as(&text, 5));
            // Tests of other crates use the words.
            let beside = path.with_extension("spv");
            if beside.exists() {
                let ours = assemble(&text, 0).unwrap();
                same(&name, &ours, &words(&std::fs::read(beside).unwrap()));
            }
        }
    }
}

/// Modules for Vulkan: those that the compiler makes, without and with descriptors.
#[test]
fn compiled_modules() {
    let source = "kernel void k(global float4 *o, read_only image2d_t i, local int *l, constant uchar *c) {
        sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
        l[get_local_id(0)] = c[0]; barrier(CLK_LOCAL_MEM_FENCE);
        for (int n = 0; n < l[1]; n++) o[n] = read_imagef(i, s, (float2)(n, 0.5f)) * 1e-30f + INFINITY;
        switch (l[0]) { case -5: o[0] = 1; break; case 7: atomic_inc((global int *)o); default: PRINT } }";
    // The descriptor ABI has no printf.
    let print = r#"printf("%d \"quoted\" %v4f", l[0], o[0]);"#;
    for (target, print) in [(Target::desktop(), print), (Target::clspv(), "")] {
        let input = Input {
            name: "k.cl",
            source: &source.replace("PRINT", print),
            options: &Options::default(),
            resolver: &NoIncludes,
        };
        let module = compile(&input, &target)
            .unwrap_or_else(|f| panic!("{}", f.log))
            .words;
        let text = disassemble(&module);
        let again = assemble(&text, 0).unwrap_or_else(|e| panic!("{e}\n{text}"));
        same("words to text and back", &again[5..], &module[5..]);
        assert_eq!(again[1], module[1]);
    }
}

#[track_caller]
fn refused(text: &str, message: &str) {
    let error = assemble(text, 0).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn errors_have_positions() {
    refused("OpNonsense", "1:1: error: unknown instruction 'OpNonsense'");
    refused(
        "\n  OpTypeVoid",
        "2:3: error: 'OpTypeVoid' needs a result: %id = 'OpTypeVoid'",
    );
    refused("%1 = OpReturn", "1:1: error: 'OpReturn' has no result");
    refused("OpReturn 3", "1:10: error: 'OpReturn' has no operand '3'");
    refused("%1 =", "1:1: error: an instruction is missing after '='");
    refused(
        "%1 = OpTypeInt 32",
        "1:6: error: 'OpTypeInt' lacks an operand: an integer",
    );
    refused(
        "%1 = OpTypeInt 128 0",
        "1:6: error: a number cannot have 128 bits",
    );
    refused(
        "%i = OpTypeInt 8 0 %c = OpConstant %i 256",
        "1:39: error: '256' does not fit into 8 bits (unsigned)",
    );
    refused(
        "%c = OpConstant %i 1",
        "1:20: error: the type of the number is not that of a number",
    );
    refused(
        "OpCapability Nonsense",
        "1:14: error: expected a capability, found 'Nonsense'",
    );
    refused(
        "OpCapability \"Kernel\"",
        "1:14: error: expected a capability, found \"Kernel\"",
    );
    refused(
        "%v = OpLoad %t %p Volatile|Wrong",
        "1:19: error: expected memory operands, found 'Volatile|Wrong'",
    );
    refused(
        "%v = OpLoad %t %p Aligned",
        "1:6: error: 'OpLoad' lacks an operand: an integer",
    );
    refused(
        "OpName %x unquoted",
        "1:11: error: expected a string, found 'unquoted'",
    );
    refused("OpName x \"x\"", "1:8: error: expected an id, found 'x'");
    refused("OpName %x \"no end", "1:11: error: the string has no end");
    refused(
        "OpName %ü \"\n\n\" OpNop !",
        "3:9: error: 'OpNop' has no operand '!'",
    );
    refused(
        "%s = OpExtInstImport \"OpenCL.std\" %r = OpExtInst %t %s cosine %x",
        "1:56: error: the set has no instruction 'cosine'",
    );
    refused(
        "%r = OpExtInst %t %s cos %x",
        "1:22: error: no OpExtInstImport declares the instruction set",
    );
    refused(
        "%r = OpSpecConstantOp %t Add",
        "1:26: error: expected an operation without 'Op', found 'Add'",
    );
    // It is followed by so many others that a reader which accepted it would need a large stack.
    refused(
        &format!("%r = OpSpecConstantOp %t {}", "SpecConstantOp ".repeat(300_000)),
        "1:26: error: expected an operation without 'Op', found 'SpecConstantOp'",
    );
    refused("hello", "1:1: error: unknown instruction 'hello'");
}

/// Words that no instruction has are kept.
#[test]
fn words_as_they_are() {
    let module = [
        0x0723_0203,
        0x0001_0400,
        0,
        3,
        0,
        2 << 16 | 0xfffe,
        77,
        3 << 16 | 17,
        4,
        5,
    ];
    let text = disassemble(&module);
    assert!(text.ends_with("!0x2fffe !0x4d\n!0x30011 !0x4 !0x5\n"), "{text}");
    assert_eq!(assemble(&text, 0).unwrap()[5..], module[5..]);
    assert!(
        disassemble(&[0x0723_0203, 0x0001_0400, 0, 3, 0, 9 << 16])
            .ends_with("; the rest is no instruction\n")
    );
    let unusual = "%1 = OpTypeInt !32 !0x0\n OpDecorate %1 !5 text \"text\"";
    assert_eq!(
        assemble(unusual, 0).unwrap_err().to_string(),
        "2:19: error: 'text' is not a floating-point number"
    );
}

/// No text and no module makes either direction fail otherwise than with a message.
#[test]
fn hostile_input() {
    let mut seed = 1u64;
    let mut next = |bound: usize| {
        seed = seed
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) as usize % bound
    };
    for (_, module) in modules().into_iter().filter(|(_, m)| m.len() < 1500) {
        let text = disassemble(&module);
        let pieces: Vec<&str> = text.split_inclusive(' ').collect();
        for _ in 0..20 {
            let mut changed = module.clone();
            for _ in 0..3 {
                let at = next(changed.len());
                changed[at] = changed[next(module.len())] ^ 1 << next(32);
            }
            let written = disassemble(&changed);
            let _ = assemble(&written, 0);
            let mut mixed = pieces.clone();
            for _ in 0..3 {
                let at = next(mixed.len());
                mixed[at] = pieces[next(pieces.len())];
            }
            let _ = assemble(&mixed.concat(), 0);
        }
    }
    // Operations in each other, which SPIR-V does not have, are words as they are.
    let mut nested = vec![0x0723_0203, 0x0001_0400, 0, 3, 0, 60_003 << 16 | 52, 1, 2];
    nested.resize(8 + 60_000, 52);
    assert!(disassemble(&nested).contains("!0xea630034 !0x1 !0x2 !0x34 !0x34"));
    // A long line takes no longer than many lines.
    assert!(assemble(&"OpNop ".repeat(300_000), 0).is_ok());
    assert!(
        assemble("%4194303 = OpTypeVoid", 0).is_ok_and(|m| m[3] < 10),
        "larger ids are names"
    );
}
