//! Tests of OpenCL's environment for SPIR-V, clause by clause (`docs/spirv-contract.md`): what a device's extensions
//! add to it, and specialization constants.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use caldera_compiler::driver::{IlInput, compile_il};
use caldera_compiler::options::Options;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::spirv_text::assemble;
use caldera_compiler::target::Target;
use caldera_compiler::{Unobserved, reflect};

/// Compiles a module that is given as text. Returns the first line of the log if it is refused.
fn compile(text: &str, target: &Target) -> Result<Vec<u32>, String> {
    compile_with(text, target, &Specialization::new())
}

fn compile_with(text: &str, target: &Target, specialization: &Specialization) -> Result<Vec<u32>, String> {
    let words = assemble(text, 5).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let input = IlInput {
        name: "module",
        module: &bytes,
        options: &Options::default(),
        specialization,
    };
    match compile_il(&input, target, &mut Unobserved) {
        Ok(compiled) => {
            assert!(reflect::read(&compiled.words).is_ok());
            Ok(compiled.words)
        }
        Err(failed) => {
            assert!(!failed.internal, "{}", failed.log);
            Err(failed.log.lines().next().unwrap_or("").into())
        }
    }
}

/// A module with one kernel `k`.
struct Sample {
    /// The OpenCL extensions, each of which stands for all of them.
    extensions: &'static [&'static str],
    /// Capabilities other than Kernel, Addresses and Int64.
    capabilities: &'static str,
    /// Types, constants, and the function type `%fn`.
    globals: &'static str,
    /// The function's parameters.
    parameters: &'static str,
    /// The function's instructions.
    body: &'static str,
    /// A part of the message where the device does not list the extension and the module does not declare it.
    refusal: &'static str,
}

impl Sample {
    fn text(&self, declared: Option<&str>) -> String {
        let capabilities = self.capabilities.split_whitespace();
        let capabilities: String = capabilities.map(|c| format!("OpCapability {c}\n")).collect();
        let extension = declared.map_or_else(String::new, |e| format!("OpExtension \"{e}\"\n"));
        format!(
            "OpCapability Kernel
OpCapability Addresses
OpCapability Int64
{capabilities}{extension}OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main \"k\"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%i0 = OpConstant %int 0
%i1 = OpConstant %int 1
%i2 = OpConstant %int 2
%i3 = OpConstant %int 3
{}
%main = OpFunction %void None %fn
{}
%entry = OpLabel
{}
OpReturn
OpFunctionEnd
",
            self.globals, self.parameters, self.body
        )
    }
}

/// The extensions that a device may have.
const SAMPLES: &[Sample] = &[
    Sample {
        extensions: &["cl_khr_3d_image_writes"],
        capabilities: "ImageBasic",
        globals: "%float = OpTypeFloat 32 %v4 = OpTypeVector %float 4 %v4i = OpTypeVector %int 4
            %img = OpTypeImage %void 3D 0 0 0 0 Unknown WriteOnly
            %fn = OpTypeFunction %void %img
            %f1 = OpConstant %float 1
            %at = OpConstantComposite %v4i %i0 %i0 %i0 %i0
            %c = OpConstantComposite %v4 %f1 %f1 %f1 %f1",
        parameters: "%i = OpFunctionParameter %img",
        body: "OpImageWrite %i %at %c",
        refusal: "OpImageWrite: the device does not have cl_khr_3d_image_writes",
    },
    Sample {
        extensions: &["cl_khr_depth_images"],
        capabilities: "ImageBasic",
        globals: "%img = OpTypeImage %void 2D 1 0 0 0 Unknown ReadOnly
            %p = OpTypePointer CrossWorkgroup %int
            %fn = OpTypeFunction %void %img %p",
        parameters: "%i = OpFunctionParameter %img %o = OpFunctionParameter %p",
        body: "%v = OpImageQueryOrder %int %i OpStore %o %v Aligned 4",
        refusal: "OpTypeImage: the device does not have cl_khr_depth_images",
    },
    Sample {
        extensions: &["cl_khr_fp16"],
        capabilities: "Float16",
        globals: "%half = OpTypeFloat 16 %p = OpTypePointer CrossWorkgroup %half
            %fn = OpTypeFunction %void %p",
        parameters: "%o = OpFunctionParameter %p",
        body: "%v = OpLoad %half %o Aligned 2 %w = OpFAdd %half %v %v OpStore %o %w Aligned 2",
        refusal: "OpCapability: the device does not have the capability Float16",
    },
    Sample {
        extensions: &["cl_khr_fp64"],
        capabilities: "Float64",
        globals: "%double = OpTypeFloat 64 %p = OpTypePointer CrossWorkgroup %double
            %fn = OpTypeFunction %void %p",
        parameters: "%o = OpFunctionParameter %p",
        body: "%v = OpLoad %double %o Aligned 8 %w = OpFAdd %double %v %v OpStore %o %w Aligned 8",
        refusal: "OpCapability: the device does not have the capability Float64",
    },
    Sample {
        extensions: &["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"],
        capabilities: "Int64Atomics",
        globals: "%long = OpTypeInt 64 0 %p = OpTypePointer CrossWorkgroup %long
            %five = OpConstant %long 5 %fn = OpTypeFunction %void %p",
        parameters: "%o = OpFunctionParameter %p",
        body: "%a = OpAtomicIAdd %long %o %i1 %i0 %five %b = OpAtomicUMax %long %o %i1 %i0 %a",
        refusal: "OpCapability: the device does not have the capability Int64Atomics",
    },
    Sample {
        extensions: &["cl_khr_subgroups"],
        capabilities: "Groups",
        globals: "%p = OpTypePointer CrossWorkgroup %int %fn = OpTypeFunction %void %p",
        parameters: "%o = OpFunctionParameter %p",
        body: "%v = OpLoad %int %o Aligned 4 %r = OpGroupIAdd %int %i3 Reduce %v
            OpControlBarrier %i3 %i3 %i0 OpStore %o %r Aligned 4",
        refusal: "OpGroupIAdd: the device does not have cl_khr_subgroups",
    },
];

/// Returns a device without some extensions.
fn without(extensions: &[&str]) -> Target {
    let mut target = Target::desktop();
    // Sub-groups may also come with the extension for ballots.
    let subgroups = extensions.contains(&"cl_khr_subgroups");
    target
        .extensions
        .retain(|e| !(extensions.contains(&e.as_str()) || subgroups && e.starts_with("cl_khr_subgroup")));
    target
}

/// The four cases of each extension: whether the device lists it, and whether the module declares it. A module need not
/// declare it (OpenCL 3.0's environment: «there is never a need to declare use of an OpenCL extension»).
#[test]
fn extensions_of_devices() {
    for sample in SAMPLES {
        let listed = Target::desktop();
        let unlisted = without(sample.extensions);
        for &extension in sample.extensions {
            assert!(listed.has_extension(extension));
            let declared = sample.text(Some(extension));
            compile(&declared, &listed).unwrap_or_else(|log| panic!("{extension}, declared: {log}"));
            let refused = compile(&declared, &unlisted).unwrap_err();
            let expected = format!("OpExtension: the extension \"{extension}\" is not implemented");
            // Capabilities are declared before extensions.
            assert!(
                refused.contains(&expected) || refused.contains(sample.refusal),
                "{refused}"
            );
        }
        let plain = sample.text(None);
        compile(&plain, &listed).unwrap_or_else(|log| panic!("{:?}, not declared: {log}", sample.extensions));
        let refused = compile(&plain, &unlisted).unwrap_err();
        assert!(refused.contains(sample.refusal), "{refused}");
    }
}

/// One of the names suffices on a device that lists only one: both stand for all atomic operations.
#[test]
fn either_name_of_64_bit_atomics() {
    let sample = SAMPLES.iter().find(|s| s.extensions.len() == 2).unwrap();
    for kept in sample.extensions {
        let others: Vec<&str> = sample.extensions.iter().filter(|e| *e != kept).copied().collect();
        compile(&sample.text(Some(kept)), &without(&others)).unwrap();
    }
}

/// Every atomic instruction takes operands of 64 bits.
#[test]
fn all_atomic_instructions_have_64_bits() {
    let sample = SAMPLES.iter().find(|s| s.extensions.len() == 2).unwrap();
    for body in [
        "%r = OpAtomicLoad %long %o %i1 %i0",
        "OpAtomicStore %o %i1 %i0 %five",
        "%r = OpAtomicExchange %long %o %i1 %i0 %five",
        "%r = OpAtomicCompareExchange %long %o %i1 %i0 %i0 %five %five",
        "%r = OpAtomicCompareExchangeWeak %long %o %i1 %i0 %i0 %five %five",
        "%r = OpAtomicIIncrement %long %o %i1 %i0",
        "%r = OpAtomicIDecrement %long %o %i1 %i0",
        "%r = OpAtomicIAdd %long %o %i1 %i0 %five",
        "%r = OpAtomicISub %long %o %i1 %i0 %five",
        "%r = OpAtomicSMin %long %o %i1 %i0 %five",
        "%r = OpAtomicUMin %long %o %i1 %i0 %five",
        "%r = OpAtomicSMax %long %o %i1 %i0 %five",
        "%r = OpAtomicUMax %long %o %i1 %i0 %five",
        "%r = OpAtomicAnd %long %o %i1 %i0 %five",
        "%r = OpAtomicOr %long %o %i1 %i0 %five",
        "%r = OpAtomicXor %long %o %i1 %i0 %five",
    ] {
        let text = Sample { body, ..*sample }.text(None);
        compile(&text, &Target::desktop()).unwrap_or_else(|log| panic!("{body}: {log}"));
    }
}

/// What extensions add that Caldera does not have is refused with the name of the extension or of the capability, whether
/// the module declares the extension or not.
#[test]
fn extensions_that_are_missing() {
    let sample = |capabilities, globals, body| Sample {
        extensions: &[],
        capabilities,
        globals,
        parameters: "",
        body,
        refusal: "",
    };
    let nothing = "%fn = OpTypeFunction %void";
    for name in [
        "cl_khr_device_enqueue_local_arg_types",
        "cl_khr_gl_depth_images",
        "cl_khr_gl_msaa_sharing",
        "cl_khr_mipmap_image",
        "cl_khr_mipmap_image_writes",
        "cl_khr_subgroup_named_barrier",
        "cles_khr_int64",
    ] {
        let refused = compile(&sample("", nothing, "").text(Some(name)), &Target::desktop()).unwrap_err();
        let expected = format!("OpExtension: the extension \"{name}\" is not implemented");
        assert!(refused.contains(&expected), "{refused}");
    }
    for (capabilities, globals, message) in [
        (
            "DeviceEnqueue",
            nothing,
            "OpCapability: the capability DeviceEnqueue is not implemented",
        ),
        (
            "NamedBarrier",
            nothing,
            "OpCapability: the capability NamedBarrier is not implemented",
        ),
        (
            "ImageMipmap",
            nothing,
            "OpCapability: the capability ImageMipmap is not implemented",
        ),
        (
            "ImageBasic",
            "%img = OpTypeImage %void 2D 0 0 1 0 Unknown ReadOnly %fn = OpTypeFunction %void",
            "OpTypeImage: images with several samples are not implemented (cl_khr_gl_msaa_sharing)",
        ),
    ] {
        let refused = compile(&sample(capabilities, globals, "").text(None), &Target::desktop()).unwrap_err();
        assert!(refused.contains(message), "{refused}");
    }
    // Without cles_khr_int64, the full profile has Int64: every sample here declares it.
    compile(&sample("", nothing, "").text(None), &Target::desktop()).unwrap();
}

/// Images that a kernel reads and writes: ImageReadWrite, if the device has __opencl_c_read_write_images.
#[test]
fn images_that_are_read_and_written() {
    let sample = Sample {
        extensions: &[],
        capabilities: "ImageBasic ImageReadWrite",
        globals: "%float = OpTypeFloat 32 %v4 = OpTypeVector %float 4 %v2i = OpTypeVector %int 2
            %at = OpConstantComposite %v2i %i0 %i1 %to = OpConstantComposite %v2i %i1 %i0
            %img = OpTypeImage %void 2D 0 0 0 0 Unknown ReadWrite %fn = OpTypeFunction %void %img",
        parameters: "%i = OpFunctionParameter %img",
        body: "%v = OpImageRead %v4 %i %at OpImageWrite %i %to %v",
        refusal: "",
    };
    let text = sample.text(None);
    let with = Target::desktop().latest();
    assert!(caldera_compiler::spirv_in::capabilities(&with).contains(&14));
    compile(&text, &with).unwrap();
    let mut without = with;
    without.c_features.retain(|f| f != "__opencl_c_read_write_images");
    let refused = compile(&text, &without).unwrap_err();
    let message = "OpCapability: the device does not have the capability ImageReadWrite";
    assert!(refused.contains(message), "{refused}");
}

/// Pipes: the capability of that name, if the device has __opencl_c_pipes.
#[test]
fn pipes() {
    let sample = |body| Sample {
        extensions: &[],
        capabilities: "Pipes",
        globals:
            "%bool = OpTypeBool %i4 = OpConstant %int 4 %pipe = OpTypePipe ReadOnly %id = OpTypeReserveId
            %p = OpTypePointer CrossWorkgroup %int %fn = OpTypeFunction %void %pipe %p",
        parameters: "%q = OpFunctionParameter %pipe %o = OpFunctionParameter %p",
        body,
        refusal: "",
    };
    let with = Target::desktop().latest();
    assert!(caldera_compiler::spirv_in::capabilities(&with).contains(&17));
    let read = sample("%v = OpReadPipe %int %q %o %i4 %i4").text(None);
    compile(&read, &with).unwrap();
    let mut without = with.clone();
    without.c_features.retain(|f| f != "__opencl_c_pipes");
    for (text, target, message) in [
        (
            read,
            &without,
            "OpCapability: the device does not have the capability Pipes",
        ),
        (
            sample("%v = OpReadPipe %int %o %o %i4 %i4").text(None),
            &with,
            "OpReadPipe",
        ),
        (
            sample("%v = OpReadPipe %int %q %o %i4 %i3").text(None),
            &with,
            "OpReadPipe: the alignment of the packet",
        ),
        (
            sample("%v = OpReadPipe %int %q %o %i3 %i2").text(None),
            &with,
            "OpReadPipe: the size of the packet",
        ),
    ] {
        let refused = compile(&text, target).unwrap_err();
        assert!(refused.contains(message), "{refused}");
    }
}

/// Images have one level: Lod 0 is accepted by each instruction of cl_khr_mipmap_image and …_writes, others are refused.
#[test]
fn levels_of_detail() {
    let globals = "%float = OpTypeFloat 32 %v4 = OpTypeVector %float 4 %v2i = OpTypeVector %int 2
        %v2f = OpTypeVector %float 2 %f0 = OpConstant %float 0 %f1 = OpConstant %float 1
        %at = OpConstantComposite %v2i %i0 %i0 %where = OpConstantComposite %v2f %f0 %f0
        %texel = OpConstantComposite %v4 %f1 %f1 %f1 %f1
        %in = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
        %out = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
        %sampler_t = OpTypeSampler %sampled_t = OpTypeSampledImage %in
        %sampler = OpConstantSampler %sampler_t None 0 Nearest
        %p = OpTypePointer CrossWorkgroup %v4 %q = OpTypePointer CrossWorkgroup %v2i
        %fn = OpTypeFunction %void %in %out %p %q";
    let parameters = "%i = OpFunctionParameter %in %w = OpFunctionParameter %out
        %o = OpFunctionParameter %p %s = OpFunctionParameter %q";
    for body in [
        "%both = OpSampledImage %sampled_t %i %sampler
            %v = OpImageSampleExplicitLod %v4 %both %where Lod LEVEL_F OpStore %o %v Aligned 16",
        "%v = OpImageRead %v4 %i %at Lod LEVEL_I OpStore %o %v Aligned 16",
        "%v = OpImageQuerySizeLod %v2i %i LEVEL_I OpStore %s %v Aligned 8",
        "OpImageWrite %w %at %texel Lod LEVEL_I",
    ] {
        for (level, accepted) in [("0", true), ("1", false)] {
            let body = body
                .replace("LEVEL_F", &format!("%f{level}"))
                .replace("LEVEL_I", &format!("%i{level}"));
            let sample = Sample {
                extensions: &[],
                capabilities: "ImageBasic LiteralSampler",
                globals,
                parameters,
                body: "BODY",
                refusal: "",
            };
            let result = compile(&sample.text(None).replace("BODY", &body), &Target::desktop());
            match result {
                Ok(_) => assert!(accepted, "{body}"),
                Err(log) => {
                    assert!(!accepted, "{body}: {log}");
                    assert!(
                        log.contains("levels of detail other than 0 are not implemented"),
                        "{log}"
                    );
                }
            }
        }
    }
}

/// Sub-groups do not extend to asynchronous copies.
#[test]
fn asynchronous_copies_are_of_work_groups() {
    let sample = |body| Sample {
        extensions: &[],
        capabilities: "Groups",
        globals: "%long = OpTypeInt 64 0 %l1 = OpConstant %long 1 %event = OpTypeEvent
            %g = OpTypePointer CrossWorkgroup %int %l = OpTypePointer Workgroup %int
            %pe = OpTypePointer Function %event
            %none = OpConstantNull %event %fn = OpTypeFunction %void %l %g",
        parameters: "%to = OpFunctionParameter %l %from = OpFunctionParameter %g",
        body,
        refusal: "",
    };
    let work_group = "%e = OpVariable %pe Function
        %v = OpGroupAsyncCopy %event %i2 %to %from %l1 %l1 %none OpStore %e %v OpGroupWaitEvents %i2 %i1 %e";
    compile(&sample(work_group).text(None), &Target::desktop()).unwrap();
    for (body, message) in [
        (
            "%v = OpGroupAsyncCopy %event %i3 %to %from %l1 %l1 %none",
            "OpGroupAsyncCopy: copies of another scope than Workgroup are not implemented",
        ),
        (
            "%e = OpVariable %pe Function OpGroupWaitEvents %i3 %i1 %e",
            "OpGroupWaitEvents: events of another scope than Workgroup are not implemented",
        ),
    ] {
        let refused = compile(&sample(body).text(None), &Target::desktop()).unwrap_err();
        assert!(refused.contains(message), "{refused}");
    }
}

/// A module for addresses of 32 bits runs as long as it does not depend on the size of pointers
/// (`tests/il/physical32.spvasm`). A module that depends on it is refused.
#[test]
fn addresses_of_32_bits() {
    let module = |globals: &str, body: &str| {
        format!(
            "OpCapability Kernel OpCapability Addresses OpMemoryModel Physical32 OpenCL
            OpEntryPoint Kernel %main \"k\" %void = OpTypeVoid %int = OpTypeInt 32 0 %i4 = OpConstant %int 4
            %p = OpTypePointer CrossWorkgroup %int %fn = OpTypeFunction %void %p
            %pf = OpTypePointer Function %int {globals}
            %main = OpFunction %void None %fn %o = OpFunctionParameter %p %entry = OpLabel {body}
            OpReturn OpFunctionEnd"
        )
    };
    let private = "%pp = OpTypePointer Function %p";
    compile(
        &module(
            private,
            "%v = OpVariable %pp Function OpStore %v %o %w = OpLoad %p %v OpStore %w %i4",
        ),
        &Target::desktop(),
    )
    .unwrap();
    let memory = "pointers have 32 bits in memory with Physical32";
    let addresses = "addresses have 32 bits with Physical32";
    for (globals, body, message) in [
        ("%pp = OpTypePointer CrossWorkgroup %p", "", memory),
        ("%pp = OpTypePointer Workgroup %p", "", memory),
        ("%s = OpTypeStruct %int %p", "", memory),
        ("%s = OpTypeArray %p %i4", "", memory),
        ("OpTypeForwardPointer %f CrossWorkgroup", "", memory),
        ("", "%n = OpConvertPtrToU %int %o", addresses),
        ("", "%n = OpConvertUToPtr %p %i4", addresses),
        ("", "%n = OpBitcast %int %o", addresses),
        (
            private,
            "%v = OpVariable %pp Function %w = OpBitcast %pf %v",
            memory,
        ),
        (
            private,
            "%v = OpVariable %pp Function OpCopyMemorySized %v %v %i4",
            memory,
        ),
        (
            private,
            "%v = OpVariable %pp Function %w = OpSizeOf %int %v",
            memory,
        ),
    ] {
        let refused = compile(&module(globals, body), &Target::desktop()).unwrap_err();
        assert!(refused.contains(message), "{globals} {body}: {refused}");
    }
    let logical = module("", "").replace("Physical32", "Logical");
    let refused = compile(&logical, &Target::desktop()).unwrap_err();
    assert!(
        refused.contains("the addressing model Logical is not implemented"),
        "{refused}"
    );
}

/// An error has the position that an OpLine states.
#[test]
fn positions_of_the_source() {
    let module = |first: &str, second: &str| {
        format!(
            "OpCapability Kernel OpCapability Addresses OpMemoryModel Physical64 OpenCL
            OpEntryPoint Kernel %main \"k\" %file = OpString \"dir/a.cl\"
            OpLine %file 1 2 %void = OpTypeVoid OpNoLine
            %int = OpTypeInt 32 0 %i5 = OpConstant %int 5 %fn = OpTypeFunction %void
            %main = OpFunction %void None %fn %entry = OpLabel {first} OpBranch %next
            %next = OpLabel {second} OpMemoryBarrier %i5 %i5 OpReturn OpFunctionEnd"
        )
    };
    let refused = |first, second| compile(&module(first, second), &Target::desktop()).unwrap_err();
    let end = ": the memory semantics 0x5 are unknown";
    let log = refused("", "OpLine %file 7 3");
    assert!(
        log.ends_with(&format!("OpMemoryBarrier (dir/a.cl:7:3){end}")),
        "{log}"
    );
    for (first, second) in [
        ("", ""),
        ("OpLine %file 7 3", ""),
        ("", "OpLine %file 7 3 OpNoLine"),
    ] {
        let log = refused(first, second);
        assert!(log.ends_with(&format!("OpMemoryBarrier{end}")), "{log}");
    }
}
