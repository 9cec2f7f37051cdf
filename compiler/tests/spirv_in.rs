//! Tests of the importer of SPIR-V: what it refuses and how it says so, and that no input crashes or hangs it.
//!
//! `tests/oracle` checks that imported modules compute what their sources state.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use caldera_compiler::check::Checks;
use caldera_compiler::driver::{Failed, IlInput, compile_il_object};
use caldera_compiler::options::Options;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::spirv_text::{assemble, disassemble};
use caldera_compiler::target::{Calibration, Target};
use caldera_compiler::{Object, Unobserved, compile_il, reflect};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How many mutants of each module are tried unless `CALDERA_FUZZ_MUTANTS` says it.
const MUTANTS: u64 = 40;

/// How long the compilation of a mutant may take. Those of the modules take less than a tenth.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the number in an environment variable.
fn number(variable: &str) -> Option<u64> {
    Some(std::env::var(variable).ok()?.parse().expect("a number"))
}

fn modules() -> Vec<(String, Vec<u8>)> {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/il");
    let entries = |dir: &std::path::Path| std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = entries(&dir).chain(entries(&dir.join("recent"))).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "spv"));
    paths.sort();
    let name = |p: &PathBuf| p.file_name().unwrap().to_string_lossy().into_owned();
    paths
        .iter()
        .map(|p| (name(p), std::fs::read(p).unwrap()))
        .collect()
}

fn import(bytes: &[u8]) -> Result<Object, Failed> {
    import_with(bytes, &Specialization::new())
}

fn import_with(bytes: &[u8], specialization: &Specialization) -> Result<Object, Failed> {
    let input = IlInput {
        name: "module",
        module: bytes,
        options: &Options::default(),
        specialization,
    };
    compile_il_object(&input, &Target::desktop(), &mut Unobserved)
}

/// A module that is built word by word.
#[derive(Clone)]
struct Module(Vec<u32>);

impl Module {
    fn new() -> Module {
        Module(vec![0x0723_0203, 0x0001_0000, 0, 100, 0])
    }

    /// Returns a module with the capabilities and the memory model of kernels.
    fn kernel() -> Module {
        Module::new()
            .op(17, &[4])
            .op(17, &[6])
            .op(17, &[5])
            .op(17, &[11])
            .op(14, &[2, 2])
    }

    #[must_use]
    fn op(mut self, opcode: u32, operands: &[u32]) -> Module {
        self.0.push((operands.len() as u32 + 1) << 16 | opcode);
        self.0.extend(operands);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    /// Returns the message with which the module is refused.
    fn refused(&self) -> String {
        let failed = import(&self.bytes()).unwrap_err();
        assert!(!failed.internal, "{}", failed.log);
        failed.log.lines().next().unwrap().replace("error: module: ", "")
    }
}

/// Returns the words of a literal string.
fn text(s: &str) -> Vec<u32> {
    let mut bytes = s.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

#[test]
fn both_byte_orders_are_read() {
    let (name, bytes) = modules().swap_remove(0);
    let swapped: Vec<u8> = bytes.chunks(4).flat_map(|w| w.iter().rev().copied()).collect();
    assert_ne!(bytes, swapped);
    let texts = [bytes, swapped].map(|b| {
        import(&b)
            .unwrap_or_else(|f| panic!("{name}: {}", f.log))
            .to_text()
    });
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn headers_are_checked() {
    assert_eq!(
        Module(vec![1, 2, 3, 4, 5]).refused(),
        "invalid SPIR-V: it does not start with the magic number"
    );
    assert_eq!(
        Module(vec![0x0723_0203, 0x0001_0000]).refused(),
        "invalid SPIR-V: its header is incomplete"
    );
    assert_eq!(
        Module(vec![0x0723_0203, 0x0001_0700, 0, 1, 0]).refused(),
        "invalid SPIR-V: version 1.7 is not supported (1.0 to 1.6 are)"
    );
    assert_eq!(
        Module(vec![0x0723_0203, 0x0001_0000, 0, u32::MAX, 0]).refused(),
        "invalid SPIR-V: the bound 4294967295 is out of range"
    );
    let odd = import(&[3, 2, 0x23, 7, 0]).unwrap_err().log;
    assert!(odd.contains("its size is no multiple of four bytes"), "{odd}");
}

#[test]
fn decorations_that_change_a_result_belong_to_an_instruction() {
    // OpDecorate %50 SaturatedConversion
    let lost = Module::kernel().op(71, &[50, 28]).refused();
    assert!(
        lost.contains("OpDecorate") && lost.contains("no instruction defines %50"),
        "{lost}"
    );
    // OpDecorate %50 Restrict, and OpDecorate %1 SaturatedConversion of a type that exists.
    let words = Module::kernel()
        .op(71, &[50, 19])
        .op(71, &[1, 28])
        .op(21, &[1, 32, 0])
        .0;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    import(&bytes).expect("hints may be lost");
}

#[test]
fn errors_name_the_instruction() {
    let mut cut = Module::new().op(17, &[6]);
    cut.0.push(9 << 16 | 21);
    assert_eq!(
        cut.refused(),
        "invalid SPIR-V: instruction 1, OpTypeInt: its length of 9 words does not fit the module"
    );
    assert_eq!(
        Module::kernel().op(21, &[1]).refused(),
        "invalid SPIR-V: instruction 5, OpTypeInt: it has 0 operands instead of 2"
    );
    assert_eq!(
        Module::kernel().op(21, &[1, 32, 0]).op(21, &[1, 16, 0]).refused(),
        "invalid SPIR-V: instruction 6, OpTypeInt: %1 is defined twice"
    );
    assert_eq!(
        Module::kernel().op(21, &[100, 32, 0]).refused(),
        "invalid SPIR-V: instruction 5, OpTypeInt: the result id %100 is out of bounds"
    );
    assert_eq!(
        Module::kernel().op(28, &[1, 2, 3]).refused(),
        "invalid SPIR-V: instruction 5, OpTypeArray: %2 is not a type that is declared before"
    );
    assert_eq!(
        Module::kernel().op(21, &[1, 32, 0]).op(17, &[6]).refused(),
        "invalid SPIR-V: instruction 6, OpCapability: it comes after the section of a module that it belongs to"
    );
    assert_eq!(
        Module::new().op(17, &[6]).refused(),
        "invalid SPIR-V: it has 0 memory models"
    );
}

#[test]
fn what_is_missing_is_named() {
    assert_eq!(
        Module::new().op(17, &[1]).refused(),
        "unsupported SPIR-V: instruction 0, OpCapability: the capability Shader is not implemented"
    );
    assert_eq!(
        Module::new().op(17, &[5603]).refused(),
        "unsupported SPIR-V: instruction 0, OpCapability: the capability FunctionPointersINTEL is not implemented"
    );
    assert_eq!(
        Module::new().op(17, &[6]).op(14, &[0, 2]).refused(),
        "unsupported SPIR-V: instruction 1, OpMemoryModel: the addressing model Logical is not implemented \
         (Physical32 and Physical64 are)"
    );
    assert_eq!(
        Module::new()
            .op(17, &[6])
            .op(10, &text("SPV_KHR_ray_tracing"))
            .refused(),
        "unsupported SPIR-V: instruction 1, OpExtension: the extension \"SPV_KHR_ray_tracing\" is not implemented"
    );
    assert_eq!(
        Module::kernel().op(21, &[1, 24, 0]).refused(),
        "unsupported SPIR-V: instruction 5, OpTypeInt: OpenCL has no integers of 24 bits"
    );
    assert_eq!(
        Module::kernel().op(32767, &[]).refused(),
        "unsupported SPIR-V: instruction 5, opcode 32767: the instruction is unknown"
    );
}

/// Where the device has a quick quotient and its multiply-add flushes subnormal numbers, quotients are computed by it
/// unless they must be correctly rounded. Sums and products are not: the module does not ask for flushed numbers, with
/// ContractionOff or without.
#[test]
fn arithmetic_on_a_device_whose_multiply_add_flushes() {
    let mut target = Target::desktop();
    target.calibration = Calibration {
        fused_fma: [true; 3],
        rsqrt: true,
        flushing_fma: true,
        rounded_divide_sqrt: true,
        ..Calibration::default()
    };
    let compiled = |operation: &str, modes: &str, decorations: &str, options: &str| {
        let text = format!(
            "OpCapability Kernel OpCapability Addresses OpMemoryModel Physical64 OpenCL
             OpEntryPoint Kernel %main \"k\" {modes} {decorations}
             %void = OpTypeVoid %float = OpTypeFloat 32 %p = OpTypePointer CrossWorkgroup %float
             %fn = OpTypeFunction %void %p %float
             %main = OpFunction %void None %fn
             %o = OpFunctionParameter %p %x = OpFunctionParameter %float
             %entry = OpLabel
             %y = OpLoad %float %o Aligned 4
             %r = {operation} %float %x %y
             %s = {operation} %float %r %y
             OpStore %o %s Aligned 4
             OpReturn OpFunctionEnd"
        );
        let bytes: Vec<u8> = assemble(&text, 0)
            .unwrap()
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        let input = IlInput {
            name: "module",
            module: &bytes,
            options: &Options::parse(options).unwrap(),
            specialization: &Specialization::new(),
        };
        let compiled = compile_il(&input, &target, &mut Unobserved).unwrap_or_else(|f| panic!("{}", f.log));
        disassemble(&compiled.words)
    };
    let contraction_off = "OpExecutionMode %main ContractionOff";
    let allowed = "OpDecorate %r FPFastMathMode AllowContract OpDecorate %s FPFastMathMode AllowContract";
    for operation in ["OpFAdd", "OpFSub", "OpFMul"] {
        for (modes, decorations) in [(contraction_off, ""), ("", ""), (contraction_off, allowed)] {
            let text = compiled(operation, modes, decorations, "");
            let fused = modes.is_empty() || !decorations.is_empty();
            assert_eq!(text.matches(&format!("{operation} ")).count(), 2, "{text}");
            assert_eq!(text.contains("NoContraction"), !fused, "{text}");
            assert!(!text.contains(" Fma "), "{text}");
        }
    }
    let rounded = "-cl-fp32-correctly-rounded-divide-sqrt";
    for modes in [contraction_off, ""] {
        let quick = compiled("OpFDiv", modes, "", "");
        assert!(
            !quick.contains("OpFDiv ") && quick.contains(" InverseSqrt "),
            "{quick}"
        );
        let exact = compiled("OpFDiv", modes, "", rounded);
        assert!(
            exact.contains("OpFDiv ") && !exact.contains(" InverseSqrt "),
            "{exact}"
        );
    }
}

/// SubgroupDispatch is accepted where there are sub-groups, as the environment demands, with its execution modes.
#[test]
fn sub_group_dispatch() {
    let module = |mode: &[u32]| {
        Module::new()
            .op(17, &[4])
            .op(17, &[6])
            .op(17, &[58])
            .op(14, &[2, 2])
            .op(15, &[&[6, 10][..], &text("k")].concat())
            .op(16, mode)
            .op(19, &[1])
            .op(33, &[2, 1])
            .op(54, &[1, 10, 0, 2])
            .op(248, &[11])
            .op(253, &[])
            .op(56, &[])
    };
    let demands = |mode: &[u32]| {
        let module = import(&module(mode).bytes()).unwrap_or_else(|f| panic!("{}", f.log));
        module.module.kernels[0].subgroups.numbers()
    };
    // LocalSize, SubgroupSize, SubgroupsPerWorkgroup.
    assert_eq!(demands(&[10, 17, 8, 1, 1]), [0, 0, 0]);
    assert_eq!(demands(&[10, 35, 8]), [8, 0, 0]);
    assert_eq!(demands(&[10, 36, 3]), [0, 3, 0]);
    for mode in [[10, 35, 0], [10, 36, 0]] {
        let refused = module(&mode).refused();
        assert!(
            refused.ends_with("a size or number of sub-groups is 0"),
            "{refused}"
        );
    }
}

/// SPV_EXT_shader_atomic_float_add and …_min_max.
#[test]
fn atomic_operations_on_floats() {
    let module = |opcode: u32, capability: u32, bits: u32| {
        Module::new()
            .op(17, &[4])
            .op(17, &[6])
            .op(17, &[10])
            .op(17, &[capability])
            .op(10, &text("SPV_EXT_shader_atomic_float_add"))
            .op(10, &text("SPV_EXT_shader_atomic_float_min_max"))
            .op(14, &[2, 2])
            .op(15, &[&[6, 10][..], &text("k")].concat())
            .op(19, &[1])
            .op(21, &[2, 32, 0])
            .op(22, &[3, bits])
            .op(43, &[2, 4, 1])
            .op(43, &[2, 5, 0x208])
            .op(32, &[6, 5, 3])
            .op(33, &[7, 1, 6, 3])
            .op(54, &[1, 10, 0, 7])
            .op(55, &[6, 11])
            .op(55, &[3, 12])
            .op(248, &[13])
            .op(opcode, &[3, 14, 11, 4, 5, 12])
            .op(253, &[])
            .op(56, &[])
    };
    for (opcode, capability, bits, name) in [
        (6035, 6033, 32, "FAdd"),
        (6035, 6034, 64, "FAdd"),
        (5614, 5612, 32, "fmin"),
        (5615, 5613, 64, "fmax"),
    ] {
        let text = match import(&module(opcode, capability, bits).bytes()) {
            Ok(object) => object.to_text(),
            Err(failed) => panic!("{name}: {}", failed.log),
        };
        assert!(text.contains(name) && text.contains("atomic_cmpxchg"), "{text}");
        assert_eq!(text.matches("intrinsic fence").count(), 2, "{text}");
    }
    let refused = module(6035, 6095, 16).refused();
    assert!(
        refused.ends_with("the capability AtomicFloat16AddEXT is not implemented"),
        "{refused}"
    );
}

/// SPV_KHR_uniform_group_instructions: the operations are functions of the library, where the device has the extension.
#[test]
fn uniform_group_instructions() {
    let module = |opcode: u32, ty: u32| {
        let constants = Module::new()
            .op(17, &[4])
            .op(17, &[6])
            .op(17, &[18])
            .op(17, &[6400])
            .op(10, &text("SPV_KHR_uniform_group_instructions"))
            .op(14, &[2, 2])
            .op(15, &[&[6, 10][..], &text("k")].concat())
            .op(19, &[1])
            .op(21, &[2, 32, 0])
            .op(22, &[3, 32])
            .op(20, &[4])
            .op(43, &[2, 5, 2])
            .op(43, &[2, 7, 9])
            .op(43, &[3, 8, 0x4000_0000])
            .op(41, &[4, 9]);
        constants
            .op(33, &[11, 1])
            .op(54, &[1, 10, 0, 11])
            .op(248, &[12])
            .op(opcode, &[ty, 13, 5, 0, [7, 8, 9][ty as usize - 2]])
            .op(253, &[])
            .op(56, &[])
    };
    let target = Target::desktop().latest();
    let specialization = Specialization::new();
    for (opcode, ty) in [
        (6401, 2),
        (6402, 3),
        (6403, 2),
        (6404, 2),
        (6405, 2),
        (6406, 4),
        (6407, 4),
        (6408, 4),
    ] {
        let module = module(opcode, ty);
        let bytes = module.bytes();
        let input = IlInput {
            name: "module",
            module: &bytes,
            options: &Options::default(),
            specialization: &specialization,
        };
        if let Err(failed) = compile_il_object(&input, &target, &mut Unobserved) {
            panic!("{opcode}: {}", failed.log);
        }
        assert!(
            module.refused().contains("GroupUniformArithmeticKHR"),
            "the device lacks it"
        );
    }
}

/// SPV_KHR_shader_clock.
#[test]
fn clocks() {
    let module = |scope: u32| {
        Module::new()
            .op(17, &[4])
            .op(17, &[6])
            .op(17, &[11])
            .op(17, &[5055])
            .op(10, &text("SPV_KHR_shader_clock"))
            .op(14, &[2, 2])
            .op(15, &[&[6, 10][..], &text("k")].concat())
            .op(19, &[1])
            .op(21, &[2, 32, 0])
            .op(21, &[3, 64, 0])
            .op(23, &[4, 2, 2])
            .op(43, &[2, 5, scope])
            .op(33, &[6, 1])
            .op(54, &[1, 10, 0, 6])
            .op(248, &[11])
            .op(5056, &[3, 12, 5])
            .op(5056, &[4, 13, 5])
            .op(253, &[])
            .op(56, &[])
    };
    for (scope, name) in [(1, "device"), (2, "device"), (3, "subgroup")] {
        let text = match import(&module(scope).bytes()) {
            Ok(object) => object.to_text(),
            Err(failed) => panic!("{scope}: {}", failed.log),
        };
        assert_eq!(
            text.matches(&format!("intrinsic read_clock_{name}")).count(),
            2,
            "{text}"
        );
    }
    let refused = module(4).refused();
    assert!(
        refused.ends_with("the scope Invocation has no clock"),
        "{refused}"
    );
}

#[test]
fn checks_of_matrices_are_refused() {
    let modules = modules();
    let (_, module) = modules.iter().find(|(name, _)| name == "matrices.0.spv").unwrap();
    assert_eq!(errors_with("", module), None);
    for check in Checks::NAMES {
        let error = errors_with(check, module).unwrap_or_else(|| panic!("{check}: compiled"));
        assert!(error.contains("cooperative matrices"), "{check}: {error}");
    }
}

/// Compiles a module whose kernels make checks, and returns the errors if it is refused.
fn errors_with(checks: &str, module: &[u8]) -> Option<String> {
    let target = Target {
        checks: Checks::parse(checks).unwrap(),
        ..Target::desktop()
    };
    let input = IlInput {
        name: "module",
        module,
        options: &Options::default(),
        specialization: &Specialization::new(),
    };
    let compiled = compile_il(&input, &target, &mut Unobserved);
    compiled.err().map(|failed| failed.log)
}

#[test]
fn sizes_are_bounded() {
    // An array of 2^40 integers, and a structure of two arrays of 3 GiB.
    let ints = Module::kernel().op(21, &[1, 32, 0]).op(21, &[2, 64, 0]);
    let long = ints.clone().op(43, &[2, 3, 0, 256]).op(28, &[4, 1, 3]);
    assert!(
        long.refused()
            .ends_with("OpTypeArray: the array has 4 GiB or more")
    );
    let long = ints
        .op(43, &[2, 3, 0x3000_0000, 0])
        .op(28, &[4, 1, 3])
        .op(30, &[5, 4, 4]);
    assert!(
        long.refused()
            .ends_with("OpTypeStruct: the structure has 4 GiB or more")
    );
}

/// Specialization constants have their defaults, or the values that the host sets.
#[test]
fn specialization_constants() {
    let module = Module::kernel()
        .op(15, &[&[6, 10][..], &text("k")].concat())
        .op(71, &[5, 1, 42])
        .op(71, &[6, 1, 43])
        .op(19, &[1])
        .op(21, &[2, 32, 0])
        .op(20, &[3])
        .op(50, &[2, 5, 7])
        .op(49, &[3, 6])
        .op(32, &[4, 5, 2])
        .op(33, &[7, 1, 4])
        .op(54, &[1, 10, 0, 7])
        .op(55, &[4, 11])
        .op(248, &[12])
        .op(169, &[2, 13, 6, 5, 2])
        .op(253, &[])
        .op(56, &[]);
    // The third operand of the selection is no value.
    assert!(
        module.refused().ends_with("OpSelect: %2 is not a value"),
        "{}",
        module.refused()
    );
    let mut words = module.0;
    let at = words.windows(5).position(|w| w == [2, 13, 6, 5, 2]).unwrap();
    words[at + 4] = 5;
    words.splice(at + 5..at + 5, [3 << 16 | 62, 11, 13]);
    let bytes = Module(words).bytes();
    let default = import(&bytes).unwrap().to_text();
    assert!(default.contains("Select bool false, i32 7, i32 7"), "{default}");
    let values = Specialization::from([(42, vec![9, 0, 0, 0]), (43, vec![1])]);
    let set = import_with(&bytes, &values).unwrap().to_text();
    assert!(set.contains("Select bool true, i32 9, i32 9"), "{set}");
}

/// Returns a module whose function `f` stores 7 through a pointer to Generic. The kernel calls it with pointers
/// made from its parameters: twice from the one to global memory, or also from the one to local memory.
fn generic(second: u32) -> Module {
    Module::new()
        .op(17, &[4])
        .op(17, &[6])
        .op(17, &[38])
        .op(14, &[2, 2])
        .op(15, &[&[6, 20][..], &text("k")].concat())
        .op(19, &[1])
        .op(21, &[2, 32, 0])
        .op(43, &[2, 3, 7])
        .op(32, &[4, 5, 2])
        .op(32, &[5, 4, 2])
        .op(32, &[6, 8, 2])
        .op(33, &[7, 1, 6])
        .op(33, &[8, 1, 4, 5])
        .op(54, &[1, 10, 0, 7])
        .op(55, &[6, 11])
        .op(248, &[12])
        .op(62, &[11, 3])
        .op(253, &[])
        .op(56, &[])
        .op(54, &[1, 20, 0, 8])
        .op(55, &[4, 21])
        .op(55, &[5, 22])
        .op(248, &[23])
        .op(121, &[6, 24, 21])
        .op(121, &[6, 25, second])
        .op(57, &[1, 26, 10, 24])
        .op(57, &[1, 27, 10, 25])
        .op(253, &[])
        .op(56, &[])
}

/// Returns a module with a loop whose block of entry has a loop control, or whose last block has one.
fn counting_loop(merge: &[u32], latch: &[u32]) -> Module {
    let mut m = Module::kernel()
        .op(17, &[5886])
        .op(10, &text("SPV_INTEL_unstructured_loop_controls"));
    // The extension comes before the memory model.
    let model = m.0.windows(3).position(|w| w == [3 << 16 | 14, 2, 2]).unwrap();
    let rest = m.0.split_off(model);
    m.0.extend(&rest[3..]);
    m.0.extend(&rest[..3]);
    let mut m = m
        .op(15, &[&[6, 20][..], &text("k")].concat())
        .op(19, &[1])
        .op(20, &[2])
        .op(21, &[3, 32, 0])
        .op(43, &[3, 4, 0])
        .op(43, &[3, 5, 1])
        .op(43, &[3, 6, 9])
        .op(32, &[7, 5, 3])
        .op(33, &[8, 1, 7])
        .op(54, &[1, 20, 0, 8])
        .op(55, &[7, 21])
        .op(248, &[22])
        .op(249, &[23])
        .op(248, &[23])
        .op(245, &[3, 24, 4, 22, 25, 26])
        .op(176, &[2, 27, 24, 6]);
    if !merge.is_empty() {
        m = m.op(246, &[&[28, 26][..], merge].concat());
    }
    m = m
        .op(250, &[27, 26, 28])
        .op(248, &[26])
        .op(62, &[21, 24])
        .op(128, &[3, 25, 24, 5]);
    if !latch.is_empty() {
        m = m.op(5887, latch);
    }
    m.op(249, &[23]).op(248, &[28]).op(253, &[]).op(56, &[])
}

/// The loop controls are the requests of `#pragma unroll`.
#[test]
fn loop_controls() {
    for (merge, latch, expected) in [
        (&[0][..], &[][..], "loop ^b1 ("),
        (&[1], &[], "loop ^b1 unroll full"),
        (&[2], &[], "loop ^b1 unroll never"),
        (&[0x100, 4], &[], "loop ^b1 unroll 4"),
        (&[0x130, 1, 64, 4], &[], "loop ^b1 unroll 4"),
        (&[0x101, 1], &[], "loop ^b1 unroll full"),
        (&[], &[1], "loop ^b1 unroll full"),
        (&[], &[0x100, 8], "loop ^b1 unroll 8"),
    ] {
        let imported = import(&counting_loop(merge, latch).bytes());
        let text = imported.unwrap_or_else(|f| panic!("{}", f.log)).to_text();
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
}

/// A pointer to Generic stays one, and may lead to several spaces. Constant memory is not one of them.
#[test]
fn generic_pointers() {
    for second in [21, 22] {
        let text = import(&generic(second).bytes())
            .unwrap_or_else(|f| panic!("{}", f.log))
            .to_text();
        assert!(text.contains("(%v0: ptr<generic>) {"), "{text}");
    }
    // The second parameter points to UniformConstant.
    let mut constant = generic(22);
    let at = constant.0.windows(4).position(|w| w == [4 << 16 | 32, 5, 4, 2]);
    constant.0[at.unwrap() + 2] = 0;
    let refused = constant.refused();
    assert!(
        refused.ends_with("OpPtrCastToGeneric: constant memory is no part of the generic address space"),
        "{refused}"
    );
}

#[test]
fn kernels_keep_their_names() {
    let mut found = 0;
    for (name, bytes) in modules() {
        let options = Options::default();
        let input = IlInput {
            name: &name,
            module: &bytes,
            options: &options,
            specialization: &Specialization::new(),
        };
        let compiled = compile_il(&input, &Target::desktop(), &mut Unobserved);
        let compiled = compiled.unwrap_or_else(|f| panic!("{name}: {}", f.log));
        let reflection = reflect::read(&compiled.words).unwrap();
        assert!(!reflection.kernels.is_empty(), "{name}");
        found += reflection.kernels.len();
    }
    assert!(found > 100, "{found} kernels");
}

/// Changes some words of a module: to small numbers, to other words of it, or in one bit.
fn mutate(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    };
    let (words, _) = bytes.as_chunks::<4>();
    let mut words: Vec<u32> = words.iter().map(|w| u32::from_le_bytes(*w)).collect();
    for _ in 0..=next(3) {
        // The header is mostly kept, because its errors are found at once.
        let at = if next(50) == 0 {
            next(5)
        } else {
            5 + next(words.len() - 5)
        };
        match next(5) {
            0 => words[at] = next(64) as u32,
            1 => words[at] ^= 1 << next(32),
            2 => words[at] = words[next(words.len())],
            3 => {
                words.remove(at);
            }
            _ => words[at] = next(usize::from(u16::MAX)) as u32,
        }
    }
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// A mutant is refused or compiled, within a bounded time. It never causes an internal error, as which the driver
/// reports a panic.
#[test]
fn mutants_are_refused_or_compiled() {
    let (mut refused, mut compiled) = (0, 0);
    let first = number("CALDERA_FUZZ_SEED").unwrap_or(0);
    let seeds = first..first + number("CALDERA_FUZZ_MUTANTS").unwrap_or(MUTANTS);
    let options = Options::default();
    for (name, bytes) in modules().into_iter().filter(|(_, b)| b.len() < 12_000) {
        for seed in seeds.clone() {
            let mutant = mutate(&bytes, seed);
            let input = IlInput {
                name: "module",
                module: &mutant,
                options: &options,
                specialization: &Specialization::new(),
            };
            let start = Instant::now();
            match compile_il(&input, &Target::desktop(), &mut Unobserved) {
                Ok(_) => compiled += 1,
                Err(failed) => {
                    assert!(!failed.internal, "{name}, seed {seed}: {}", failed.log);
                    refused += 1;
                }
            }
            let time = start.elapsed();
            assert!(time < PATIENCE, "{name}, seed {seed}: {time:?}");
        }
    }
    assert!(
        refused > 300 && compiled > 30,
        "{refused} refused, {compiled} compiled"
    );
}

/// SPV_KHR_cooperative_matrix: the operand Volatile of an access reaches the driver.
#[test]
fn accesses_to_matrices_stay_volatile() {
    let modules = modules();
    let (_, module) = modules.iter().find(|(name, _)| name == "matrices.0.spv").unwrap();
    let text = import(module).unwrap_or_else(|e| panic!("{}", e.log)).to_text();
    for (access, count) in [
        ("load_rows_volatile", 1),
        ("store_columns_volatile", 1),
        ("_volatile", 2),
    ] {
        assert_eq!(text.matches(access).count(), count, "{access}: {text}");
    }
}
