//! Tests of MLIR's SPIR-V dialect: `mlir-translate` of MLIR 16 is the judge of what the text means, and every example
//! of the dialect's document for what is implemented is read.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use caldera_compiler::driver::{IlInput, compile_il};
use caldera_compiler::options::Options;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::spirv_mlir::{is_dialect, parse, parse_type, print};
use caldera_compiler::spirv_text::{assemble, disassemble};
use caldera_compiler::target::Target;
use caldera_compiler::{Unobserved, reflect};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The texts that are read and written.
const BOTH_WAYS: &str = "tests/spirv_mlir";
/// The texts that are only read.
const READ: &str = "tests/spirv_mlir_read";

fn texts(folder: &str) -> Vec<(String, PathBuf, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    let name = |p: &PathBuf| p.file_stem().unwrap().to_string_lossy().into_owned();
    let list = paths
        .into_iter()
        .map(|p| (name(&p), p.clone(), std::fs::read_to_string(&p).unwrap()));
    list.collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Runs mlir-translate of MLIR 16 on a file.
fn translate(args: &[&str], input: &Path, output: &Path) {
    let out = Command::new("mlir-translate-16")
        .args(args)
        .arg(input)
        .arg("-o")
        .arg(output)
        .output();
    let out = out.expect("mlir-translate-16 of mlir-16-tools must be installed");
    assert!(
        out.status.success(),
        "{}: {}",
        input.display(),
        String::from_utf8_lossy(&out.stderr)
    );
}

/// MLIR reads the words that we make of a text as the same module as its own words.
#[test]
fn words_mean_what_mlir_says() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("spirv_mlir");
    std::fs::create_dir_all(&dir).unwrap();
    for (name, path, text) in texts(BOTH_WAYS).into_iter().chain(texts(READ)) {
        assert!(is_dialect(&text), "{name}");
        // What MLIR prints of the module is read again.
        let (mut text, mut source) = (text, path);
        for round in 0..2 {
            let file = |kind: &str| dir.join(format!("{name}.{round}.{kind}"));
            let words = parse(&text).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
            std::fs::write(file("ours.spv"), bytes(&words)).unwrap();
            translate(
                &["--no-implicit-module", "--serialize-spirv"],
                &source,
                &file("theirs.spv"),
            );
            for who in ["ours", "theirs"] {
                let (module, printed) = (file(&format!("{who}.spv")), file(&format!("{who}.mlir")));
                translate(&["--deserialize-spirv"], &module, &printed);
            }
            let read = |who| std::fs::read_to_string(file(who)).unwrap();
            assert_eq!(read("ours.mlir"), read("theirs.mlir"), "{name}, round {round}");
            (text, source) = (read("theirs.mlir"), file("theirs.mlir"));
        }
    }
}

/// MLIR reads the text that we print of a module as the same module as its own text, and we can read our text again.
#[test]
fn text_means_what_mlir_says() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("spirv_mlir");
    std::fs::create_dir_all(&dir).unwrap();
    for (name, _, text) in texts(BOTH_WAYS) {
        let words = parse(&text).unwrap();
        let printed = print(&words).unwrap_or_else(|e| panic!("{name}: {e}"));
        let file = |kind: &str| dir.join(format!("{name}.printed.{kind}"));
        std::fs::write(file("spv"), bytes(&words)).unwrap();
        std::fs::write(file("ours.mlir"), &printed).unwrap();
        translate(&["--deserialize-spirv"], &file("spv"), &file("theirs.mlir"));
        for who in ["ours", "theirs"] {
            let (text, module) = (file(&format!("{who}.mlir")), file(&format!("{who}.spv")));
            translate(&["--no-implicit-module", "--serialize-spirv"], &text, &module);
            translate(
                &["--deserialize-spirv"],
                &module,
                &file(&format!("{who}.again.mlir")),
            );
        }
        let read = |who: &str| std::fs::read_to_string(file(&format!("{who}.again.mlir"))).unwrap();
        assert_eq!(read("ours"), read("theirs"), "{name}");
        // Our own way there and back changes nothing after the first time.
        let again = parse(&printed).unwrap_or_else(|e| panic!("{name}: {e}\n{printed}"));
        std::fs::write(file("spv"), bytes(&again)).unwrap();
        translate(&["--deserialize-spirv"], &file("spv"), &file("second.mlir"));
        let second = std::fs::read_to_string(file("second.mlir")).unwrap();
        assert_eq!(second, read("ours"), "{name}");
    }
}

/// The document's example for OpPhi, from SPIR-V.
#[test]
fn phi_is_a_block_argument() {
    let words = assemble(include_str!("spirv_text/004_phi.spvasm"), 0).unwrap();
    let text = print(&words).unwrap();
    let expected = r#"spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  spirv.func @foo() "None" {
    %v11 = spirv.Variable : !spirv.ptr<i32, Function>
    spirv.mlir.selection {
      %c1 = spirv.Constant true
      spirv.BranchConditional %c1, ^bb3, ^bb4
    ^bb3:
      %c2 = spirv.Constant 0 : i32
      spirv.Branch ^bb5(%c2 : i32)
    ^bb4:
      %c3 = spirv.Constant 1 : i32
      spirv.Branch ^bb5(%c3 : i32)
    ^bb5(%v16: i32):
      spirv.Store "Function" %v11, %v16 : i32
      spirv.Branch ^bb6
    ^bb6:
      spirv.mlir.merge
    }
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @foo
  spirv.ExecutionMode @foo "LocalSize", 1, 1, 1
}
"#;
    assert_eq!(text, expected);
    assert!(parse(&text).is_ok(), "{text}");
}

/// What the dialect does not have is refused with the instruction.
#[test]
fn what_cannot_be_printed() {
    let module = |globals: &str, body: &str| {
        format!(
            "OpCapability Shader OpMemoryModel Logical GLSL450 {globals}
            %void = OpTypeVoid %bool = OpTypeBool %int = OpTypeInt 32 0 %fn = OpTypeFunction %void %bool %int
            %f = OpFunction %void None %fn %c = OpFunctionParameter %bool %i = OpFunctionParameter %int
            %entry = OpLabel {body} OpFunctionEnd"
        )
    };
    for (globals, body, message) in [
        ("OpDecorate %i RelaxedPrecision", "OpReturn", "OpDecorate: the decoration is not implemented"),
        ("%set = OpExtInstImport \"Other\"", "OpReturn", "the dialect has no instructions of \"Other\""),
        ("", "OpSwitch %i %a %a = OpLabel OpReturn", "OpSwitch: the terminator is not implemented"),
        (
            "",
            "OpSelectionMerge %m None OpBranchConditional %c %a %m %a = OpLabel %v = OpIAdd %int %i %i OpBranch %m
            %m = OpLabel %w = OpIAdd %int %v %v OpReturn",
            "is a value from within a loop or selection",
        ),
        (
            "",
            "OpSelectionMerge %m None OpBranchConditional %c %a %m %a = OpLabel OpBranch %m
            %m = OpLabel %w = OpPhi %int %i %a %i %entry OpReturn",
            "OpPhi: the dialect has no values at the end of loops and selections",
        ),
        (
            "",
            "OpBranch %h %h = OpLabel OpLoopMerge %m %k None OpBranchConditional %c %a %m
            %a = OpLabel OpSelectionMerge %n None OpBranchConditional %c %b %n %b = OpLabel OpBranch %m
            %n = OpLabel OpBranch %k %k = OpLabel OpBranch %h %m = OpLabel OpReturn",
            "part of two constructs",
        ),
        ("", "OpBranch %a", "is no block"),
        ("", "OpKill", "the terminator is not implemented"),
    ] {
        let words = assemble(&module(globals, body), 0).unwrap();
        match print(&words) {
            Err(e) => assert!(e.to_string().contains(message), "{body}: {e}"),
            Ok(text) => panic!("{body}\n{text}"),
        }
    }
    assert!(print(&[1, 2, 3]).is_err());
}

/// No module makes the printer fail otherwise than with a message.
#[test]
fn hostile_modules() {
    let mut seed = 1u64;
    let mut next = |bound: usize| {
        seed = seed
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) as usize % bound
    };
    let mut printed = 0;
    for (_, _, text) in texts(BOTH_WAYS) {
        let words = parse(&text).unwrap();
        for _ in 0..3000 {
            let mut changed = words.clone();
            for _ in 0..=next(3) {
                let at = 5 + next(changed.len() - 5);
                match next(3) {
                    0 => changed[at] = next(64) as u32,
                    1 => changed[at] = words[next(words.len())],
                    _ => changed[at] ^= 1 << next(32),
                }
            }
            if let Ok(text) = print(&changed) {
                printed += 1;
                let _ = parse(&text);
            }
        }
    }
    assert!(printed > 100, "{printed} printed");
}

/// A module for kernels goes the way of every other.
#[test]
fn kernels_are_compiled() {
    let (_, _, text) = texts(BOTH_WAYS)
        .into_iter()
        .find(|(name, ..)| name == "kernel")
        .unwrap();
    let input = IlInput {
        name: "kernel.mlir",
        module: &bytes(&parse(&text).unwrap()),
        options: &Options::default(),
        specialization: &Specialization::new(),
    };
    let compiled = compile_il(&input, &Target::desktop(), &mut Unobserved);
    let compiled = compiled.unwrap_or_else(|f| panic!("{}", f.log));
    let reflection = reflect::read(&compiled.words).unwrap();
    assert!(reflection.kernel("k").is_some_and(|k| k.args.len() == 2));
}

/// Every type in the examples of the document.
#[test]
fn types() {
    for text in [
        "!spirv.array<4 x i32>",
        "!spirv.array<16 x vector<4xf32>>",
        "!spirv.image<f32, Dim1D, NoDepth, NonArrayed, SingleSampled, SamplerUnknown, Unknown>",
        "!spirv.ptr<i32, Function>",
        "!spirv.ptr<vector<4xf32>, Uniform>",
        "!spirv.rtarray<i32>",
        "!spirv.rtarray<i32, stride=4>",
        "!spirv.rtarray<vector<4xf32>>",
        "!spirv.sampled_image<!spirv.image<f32, Dim1D, NoDepth, NonArrayed, SingleSampled, NoSampler, Unknown>>",
        "!spirv.sampled_image<!spirv.image<i32, Rect, DepthUnknown, Arrayed, MultiSampled, NeedSampler, R8ui>>",
        "!spirv.struct<(f32)>",
        "!spirv.struct<(f32 [0])>",
        "!spirv.struct<(f32 [0], i32 [4])>",
        "!spirv.struct<(f32, !spirv.image<f32, Dim1D, NoDepth, NonArrayed, SingleSampled, SamplerUnknown, Unknown>)>",
        "!spirv.struct<(f32 [0, NonWritable])>",
        "vector<3xi1>",
        "si16",
    ] {
        let expected = text.replace("Rect", "DimRect");
        assert_eq!(parse_type(text).unwrap().to_string(), expected);
    }
    // The document writes some types as MLIR does not any more.
    for (old, new) in [
        (
            "!spirv.array<4 x i32, stride = 4>",
            "!spirv.array<4 x i32, stride=4>",
        ),
        (
            "!spirv.array<16 x vector<4 x f32>>",
            "!spirv.array<16 x vector<4xf32>>",
        ),
        (
            "!spirv.struct<f32 [0], i32 [4]>",
            "!spirv.struct<(f32 [0], i32 [4])>",
        ),
        ("!spirv.struct<f32>", "!spirv.struct<(f32)>"),
        (
            "!spirv.image<f32, 1D, NoDepth, NonArrayed, SingleSampled, SamplerUnknown, Unknown>",
            "!spirv.image<f32, Dim1D, NoDepth, NonArrayed, SingleSampled, SamplerUnknown, Unknown>",
        ),
        (
            "!spirv.image<f32, Cube, IsDepth, Arrayed, MultiSampled, NeedSampler, Rgba32f>",
            "!spirv.image<f32, DimCube, IsDepth, Arrayed, MultiSampled, NeedSampler, Rgba32f>",
        ),
        ("ui32", "i32"),
    ] {
        assert_eq!(parse_type(old).unwrap().to_string(), new);
        assert_eq!(parse_type(new).unwrap(), parse_type(old).unwrap());
    }
    for (text, message) in [
        ("i7", "1:1: error: expected a type, found 'i7'"),
        ("vector<4xi32", "1:13: error: expected '>', found the end"),
        ("vector<4 y i32>", "1:10: error: expected 'x', found 'y'"),
        (
            "vector<2x!spirv.ptr<i32, Function>>",
            "1:1: error: the components of a vector are numbers or Booleans",
        ),
        (
            "!spirv.ptr<i32, Nowhere>",
            "1:17: error: Nowhere is no StorageClass",
        ),
        ("!spirv.image<f32, Dim9D, NoDepth>", "1:19: error: 9D is no Dim"),
        ("i32 i32", "1:5: error: expected the end, found 'i32'"),
    ] {
        assert_eq!(parse_type(text).unwrap_err().to_string(), message);
    }
    let deep = format!(
        "{}i32{}",
        "!spirv.ptr<".repeat(100_000),
        ", Function>".repeat(100_000)
    );
    assert!(
        parse_type(&deep)
            .unwrap_err()
            .message
            .contains("nested too deeply")
    );
}

fn module(functions: &str) -> String {
    format!("spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {{\n{functions}\n}}")
}

/// The document's own functions for structured control flow, in its words.
#[test]
fn examples_of_the_document() {
    let selection = module(
        "func.func @selection(%cond: i1) -> () {
%zero = spirv.Constant 0: i32
%one = spirv.Constant 1: i32
%two = spirv.Constant 2: i32
%x = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
spirv.mlir.selection {
spirv.BranchConditional %cond, ^then, ^else
^then:
spirv.Store \"Function\" %x, %one : i32
spirv.Branch ^merge
^else:
spirv.Store \"Function\" %x, %two : i32
spirv.Branch ^merge
^merge:
spirv.mlir.merge
}
// ...
return
}",
    );
    let text = disassemble(&parse(&selection).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(text.matches("OpSelectionMerge").count(), 1, "{text}");
    assert_eq!(text.matches("OpStore").count(), 2);
    let looping = module(
        "func.func @loop(%count : i32) -> () {
%zero = spirv.Constant 0: i32
%one = spirv.Constant 1: i32
%var = spirv.Variable init(%zero) : !spirv.ptr<i32, Function>
spirv.mlir.loop {
spirv.Branch ^header
^header:
%val0 = spirv.Load \"Function\" %var : i32
%cmp = spirv.SLessThan %val0, %count : i32
spirv.BranchConditional %cmp, ^body, ^merge
^body:
// ...
spirv.Branch ^continue
^continue:
%val1 = spirv.Load \"Function\" %var : i32
%add = spirv.IAdd %val1, %one : i32
spirv.Store \"Function\" %var, %add : i32
spirv.Branch ^header
^merge:
spirv.mlir.merge
}
return
}",
    );
    let text = disassemble(&parse(&looping).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(text.matches("OpLoopMerge").count(), 1, "{text}");
    // Constants are unified, and block arguments are OpPhi. The document's block returns from within the selection.
    let phi = module(
        "func.func @foo() -> () {
%var = spirv.Variable : !spirv.ptr<i32, Function>
spirv.mlir.selection {
%true = spirv.Constant true
spirv.BranchConditional %true, ^true, ^false
^true:
%zero = spirv.Constant 0 : i32
spirv.Branch ^phi(%zero: i32)
^false:
%one = spirv.Constant 1 : i32
%same = spirv.Constant 1 : i32
spirv.Branch ^phi(%same: i32)
^phi(%arg: i32):
spirv.Store \"Function\" %var, %arg : i32
spirv.Return
^merge:
spirv.mlir.merge
}
spirv.Return
}",
    );
    let text = disassemble(&parse(&phi).unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(
        (text.matches("OpPhi").count(), text.matches("OpReturn").count()),
        (1, 2),
        "{text}"
    );
    assert_eq!(text.matches("= OpConstant ").count(), 2, "{text}");
}

/// Each broken rule is an error with its position.
#[test]
fn rules_of_structure() {
    let head = "spirv.func @f(%c: i1, %i: i32) \"None\" {\n";
    for (body, message) in [
        (
            "spirv.mlir.selection {\n^a:\nspirv.mlir.merge\n}\nspirv.Return }",
            "5:1: error: spirv.mlir.merge is alone",
        ),
        (
            "spirv.mlir.selection {\nspirv.Branch ^m\n^m:\nspirv.mlir.merge\n}\nspirv.Return }",
            "3:1: error: the header block of a selection ends with spirv.BranchConditional",
        ),
        (
            "spirv.mlir.selection {\nspirv.BranchConditional %c, ^m, ^m\n^m:\nspirv.Return\n}\nspirv.Return }",
            "3:1: error: the last block of a loop or selection has a spirv.mlir.merge",
        ),
        (
            "spirv.mlir.selection {\nspirv.BranchConditional %c, ^m, ^x\n^m:\nspirv.mlir.merge\n^x:\nspirv.Return\n}\nspirv.Return }",
            "6:1: error: only the last block may have a spirv.mlir.merge",
        ),
        (
            "spirv.mlir.selection {\nspirv.BranchConditional %c, ^m, ^x\n^m:\nspirv.mlir.merge\n}\nspirv.Return }",
            "4:33: error: no block ^x is in this region",
        ),
        (
            "spirv.mlir.loop {\nspirv.Branch ^h\n^h:\nspirv.BranchConditional %c, ^h, ^m\n^m:\nspirv.mlir.merge\n}\nspirv.Return }",
            "3:1: error: a loop has at least an entry, a header, a continue and a merge block",
        ),
        (
            "spirv.mlir.loop {\nspirv.Branch ^h\n^h:\nspirv.BranchConditional %c, ^b, ^m\n^b:\nspirv.BranchConditional %c, ^h, ^k\n^k:\nspirv.Branch ^h\n^m:\nspirv.mlir.merge\n}\nspirv.Return }",
            "8:29: error: only the entry and the continue block of a loop branch to its header",
        ),
        (
            "spirv.mlir.loop {\nspirv.Branch ^h\n^h:\nspirv.BranchConditional %c, ^k, ^m\n^k:\nspirv.Branch ^m\n^m:\nspirv.mlir.merge\n}\nspirv.Return }",
            "3:1: error: the entry and the continue block of a loop branch to its header",
        ),
        ("spirv.mlir.merge\n}", "3:1: error: spirv.mlir.merge is alone"),
        (
            "spirv.Return\nspirv.Return }",
            "4:1: error: no operation may follow the end of a block",
        ),
        (
            "%a = spirv.IAdd %i, %i : i32 }",
            "3:30: error: the block before does not end with a branch or return",
        ),
        (
            "%a = spirv.IAdd %i, %i : i64\nspirv.Return }",
            "3:17: error: %i has the type i32, but is used with the type i64",
        ),
        (
            "%a = spirv.IAdd %i, %x : i32\nspirv.Return }",
            "3:21: error: no value %x is defined",
        ),
        (
            "%a = spirv.IAdd %i : i32\nspirv.Return }",
            "3:6: error: spirv.IAdd has 2 operands, not 1",
        ),
        (
            "%i = spirv.IAdd %i, %i : i32\nspirv.Return }",
            "3:1: error: %i is defined twice",
        ),
        (
            "%a = spirv.Nonsense %i : i32\nspirv.Return }",
            "3:6: error: 'spirv.Nonsense' is not implemented",
        ),
        (
            "spirv.Branch ^b(%i : i32)\n^b:\nspirv.Return }",
            "3:14: error: the block has 0 arguments, not 1",
        ),
        (
            "spirv.ReturnValue %i : i32 }",
            "3:1: error: the result of the function is none",
        ),
        (
            "%a = spirv.FunctionCall @g(%i) : (i32) -> i32\nspirv.Return }",
            "3:25: error: no function @g is defined",
        ),
        (
            "%a = spirv.mlir.addressof @v : !spirv.ptr<i32, Input>\nspirv.Return }",
            "3:27: error: no variable or constant @v is defined before",
        ),
        (
            "%a = spirv.Constant 300 : i8\nspirv.Return }",
            "3:21: error: '300' does not fit into 8 bits (unsigned)",
        ),
    ] {
        let text = module(&format!("{head}{body}"));
        match parse(&text) {
            Err(e) => assert!(e.to_string().starts_with(message), "{body}\n{e}"),
            Ok(_) => panic!("accepted: {body}"),
        }
    }
    assert_eq!(
        parse("spirv.module Logical GLSL450 { }").unwrap_err().to_string(),
        "1:30: error: a module needs 'requires #spirv.vce<…>' to be written as SPIR-V"
    );
}

/// No text makes the reader fail otherwise than with a message.
#[test]
fn hostile_input() {
    let mut seed = 1u64;
    let mut next = |bound: usize| {
        seed = seed
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) as usize % bound
    };
    let (mut read, mut refused) = (0, 0);
    for (_, _, text) in texts(BOTH_WAYS) {
        let pieces: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
        for _ in 0..1500 {
            let mut mixed = pieces.clone();
            for _ in 0..=next(3) {
                let at = next(mixed.len());
                match next(3) {
                    0 => mixed[at] = pieces[next(pieces.len())],
                    1 => {
                        mixed.remove(at);
                    }
                    _ => mixed.insert(at, pieces[next(pieces.len())]),
                }
            }
            match parse(&mixed.concat()) {
                Ok(words) => {
                    disassemble(&words);
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 20 && refused > 1000, "{read} read, {refused} refused");
    let deep = module(&format!(
        "spirv.func @f(%c: i1) \"None\" {{ {}",
        "spirv.mlir.selection { ".repeat(100_000)
    ));
    assert!(parse(&deep).unwrap_err().message.contains("nested too deeply"));
}

/// Linkage, in the form of MLIR 17: an imported function has no body.
#[test]
fn linkage_is_an_attribute() {
    let text = "spirv.module Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel, Linkage, Addresses], []> {
        spirv.func @far(%a : i32) -> () \"None\" attributes {linkage_attributes = #spirv.linkage_attributes<linkage_name = far.away, linkage_type = <Import>>}
        spirv.func @near(%a : i32) -> () \"None\" {
            spirv.FunctionCall @far(%a) : (i32) -> ()
            spirv.Return
        }
    }";
    let module = disassemble(&parse(text).unwrap());
    assert!(
        module.contains("LinkageAttributes \"far.away\" Import"),
        "{module}"
    );
    assert_eq!(module.matches("OpFunctionEnd").count(), 2);
    assert_eq!(module.matches("OpLabel").count(), 1);
}

/// What the operations that are only read demand of their operands.
#[test]
fn errors_of_special_operations() {
    let message = |line: &str| {
        let text = format!(
            "spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {{
            spirv.func @f(%a : i32, %v : vector<2xf32>) -> () \"None\" {{
                {line}
                spirv.Return
            }}
        }}"
        );
        parse(&text).unwrap_err().to_string()
    };
    for (line, expected) in [
        (
            "%0 = spirv.SpecConstantOperation wraps \"spirv.IAdd\"(%a, %a) : (i32, i32) -> i32",
            "is no constant",
        ),
        ("%0 = \"spirv.IAdd\"(%a) : (i32) -> i32", "has 2 operands, not 1"),
        (
            "%0 = \"spirv.Load\"(%a) : (i32) -> i32",
            "not implemented in the generic form",
        ),
        (
            "%0 = spirv.VectorInsertDynamic %a, %a[%a] : i32, i32",
            "it is no vector",
        ),
        ("%0 = spirv.IAdd %a, %a {no_such_thing} : i32", "is no decoration"),
        ("%0 = spirv.IAdd %a, %a {location} : i32", "has 1 values"),
        (
            "%0 = spirv.Constant dense<[1, 2, 3]> : vector<2xi32>",
            "3 numbers for 2 components",
        ),
        ("%0 = spirv.Image %a : i32", "no sampled image"),
        // Only masks have several names.
        (
            "spirv.MemoryBarrier <Device|Workgroup>, <AcquireRelease>",
            "expected '>', found '|'",
        ),
        (
            "spirv.MemoryBarrier \"Device|Workgroup\", \"AcquireRelease\"",
            "Device|Workgroup is no Scope",
        ),
        (
            "%0 = spirv.IAdd %a, %a {built_in = \"EnqueuedWorkgroupSize|ClipDistance\"} : i32",
            "EnqueuedWorkgroupSize|ClipDistance is no BuiltIn",
        ),
    ] {
        let found = message(line);
        assert!(found.contains(expected), "{line}: {found}");
    }
}

/// SPIR-V's instructions have at most 65,535 words.
#[test]
fn long_instructions_are_refused() {
    let module = |count: usize| {
        let numbers = vec!["1 : i32"; count].join(", ");
        format!(
            "spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {{
            spirv.func @f() -> () \"None\" {{
                %0 = spirv.Constant [{numbers}] : !spirv.array<{count} x i32>
                spirv.Return
            }}
        }}"
        )
    };
    assert!(parse(&module(65_532)).is_ok());
    let found = parse(&module(65_533)).unwrap_err().to_string();
    assert!(
        found.contains("an instruction of the module has more than 65,535 words"),
        "{found}"
    );
}

/// SPIR-V demands that a block follows its dominators; the dialect has no such rule.
#[test]
fn blocks_follow_their_dominators() {
    let text = module(
        "spirv.func @f(%c: i1, %a: i32) -> i32 \"None\" {
           spirv.BranchConditional %c, ^last, ^first
         ^late:
           spirv.ReturnValue %b : i32
         ^first:
           %b = spirv.IAdd %a, %a : i32
           spirv.Branch ^late
         ^last:
           spirv.ReturnValue %a : i32
         }",
    );
    let text = disassemble(&parse(&text).unwrap());
    let sum = text.lines().find(|line| line.contains("OpIAdd")).unwrap();
    let returned = format!("OpReturnValue {}\n", sum.split_once(" =").unwrap().0);
    assert!(text.find(sum) < text.find(&returned), "{text}");
}

/// A block that another branches to twice has one value of each argument for it.
#[test]
fn two_branches_to_one_block() {
    let text = |ty: &str, other: &str| {
        module(&format!(
            "spirv.func @f(%c: i1, %a: {ty}, %b: {ty}) -> {ty} \"None\" {{
               spirv.BranchConditional %c, ^m(%a : {ty}), ^m({other} : {ty})
             ^m(%x: {ty}):
               spirv.ReturnValue %x : {ty}
             }}"
        ))
    };
    let words = |text: &str| disassemble(&parse(text).unwrap());
    let different = words(&text("i32", "%b"));
    let phi = different.lines().find(|l| l.contains("OpPhi")).unwrap();
    assert_eq!(phi.split_whitespace().count(), 6, "{different}");
    assert!(different.contains("OpSelect"), "{different}");
    let same = words(&text("vector<2xi32>", "%a"));
    assert!(!same.contains("OpSelect"), "{same}");
    let error = parse(&text("vector<2xi32>", "%b")).unwrap_err();
    assert_eq!(
        error.message,
        "two branches to one block with different arguments of the type vector<2xi32>"
    );
}

#[test]
fn components_of_matrices() {
    let text = module(
        "spirv.func @f(%m: !spirv.matrix<3 x vector<4xf32>>) -> f32 \"None\" {
           %0 = spirv.CompositeExtract %m[2 : i32, 3 : i32] : !spirv.matrix<3 x vector<4xf32>>
           spirv.ReturnValue %0 : f32
         }",
    );
    parse(&text).unwrap();
    let error = parse(&text.replace("[2 : i32", "[3 : i32")).unwrap_err();
    assert!(error.message.contains("has no component 3"), "{}", error.message);
}
