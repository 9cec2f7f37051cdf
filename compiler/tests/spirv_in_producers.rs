//! Forms of SPIR-V that DPC++ and SPIRV-LLVM-Translator write, and that the modules in `tests/il` cannot have: they are of
//! extensions that SPIRV-Tools does not know, or the execution tests cannot observe them.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use caldera_compiler::driver::{IlInput, compile_il_object};
use caldera_compiler::options::Options;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::spirv_text::assemble;
use caldera_compiler::target::Target;
use caldera_compiler::{Object, Unobserved};

/// Imports a module from its text.
fn import(text: &str, target: &Target) -> Result<Object, String> {
    let words = assemble(text, 4).unwrap_or_else(|e| panic!("{e}"));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let input = IlInput {
        name: "module",
        module: &bytes,
        options: &Options::default(),
        specialization: &Specialization::new(),
    };
    compile_il_object(&input, target, &mut Unobserved).map_err(|failed| {
        assert!(!failed.internal, "{}", failed.log);
        failed.log
    })
}

/// Returns the text of a module with the kernel `k(global uint *)`. `head` is before the decorations, `types` after the types,
/// `body` in the kernel, whose parameter is `%p`.
fn kernel(capabilities: &str, head: &str, types: &str, body: &str) -> String {
    format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\n{capabilities}
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k \"k\"
        {head}
        %void = OpTypeVoid
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
        %pointer = OpTypePointer CrossWorkgroup %uint
        %signature = OpTypeFunction %void %pointer
        {types}
        %k = OpFunction %void None %signature
        %p = OpFunctionParameter %pointer
        %entry = OpLabel
        {body}
        OpReturn
        OpFunctionEnd\n"
    )
}

/// SPV_INTEL_memory_access_aliasing: DPC++ has the declarations among the decorations, SPIRV-LLVM-Translator among the types.
#[test]
fn declarations_of_alias_scopes() {
    let declarations = "%domain = OpAliasDomainDeclINTEL
        %scope = OpAliasScopeDeclINTEL %domain
        %scopes = OpAliasScopeListDeclINTEL %scope";
    let capability = "OpCapability MemoryAccessAliasingINTEL
        OpExtension \"SPV_INTEL_memory_access_aliasing\"";
    let body = "OpStore %p %zero Aligned|AliasScopeINTELMask 4 %scopes";
    let decoration = "OpDecorate %one Constant";
    for (head, types) in [
        (format!("{declarations}\n{decoration}"), String::new()),
        (decoration.into(), declarations.into()),
    ] {
        import(&kernel(capability, &head, &types, body), &Target::desktop()).unwrap();
    }
    // Other instructions keep their order.
    let text = kernel("", "", &format!("{decoration}\n%two = OpConstant %uint 2"), "");
    assert!(
        import(&text, &Target::desktop())
            .unwrap_err()
            .contains("after the section")
    );
}

/// SPV_INTEL_fp_fast_math_mode: products and sums with AllowContract may be contracted, those without may not in a kernel with
/// ContractionOff.
#[test]
fn fast_math_modes() {
    let module = |mode: &str| {
        let head = format!("OpExecutionMode %k ContractionOff\n{mode}");
        let body = "%c = OpConvertUToF %float %zero
            %x = OpLoad %uint %p
            %f = OpConvertUToF %float %x
            %product = OpFMul %float %f %f
            %sum = OpFAdd %float %product %f
            %bits = OpBitcast %uint %sum
            OpStore %p %bits";
        let capability = "OpCapability FPFastMathModeINTEL\nOpExtension \"SPV_INTEL_fp_fast_math_mode\"";
        import(&kernel(capability, &head, "", body), &Target::desktop())
            .unwrap()
            .to_text()
    };
    let both = "OpDecorate %product FPFastMathMode AllowContract|AllowReassoc
        OpDecorate %sum FPFastMathMode AllowContract|AllowReassoc";
    assert_ne!(module(both), module(""));
}

/// OpImage returns the image of an image with a sampler.
#[test]
fn image_of_a_sampled_image() {
    let text = |of: &str| {
        format!(
            "OpCapability Addresses\nOpCapability Kernel\nOpCapability ImageBasic
            OpMemoryModel Physical64 OpenCL
            OpEntryPoint Kernel %k \"k\"
            %void = OpTypeVoid
            %uint = OpTypeInt 32 0
            %float = OpTypeFloat 32
            %pair = OpTypeVector %uint 2
            %four = OpTypeVector %float 4
            %zero = OpConstantNull %pair
            %pointer = OpTypePointer CrossWorkgroup %four
            %image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
            %other = OpTypeImage %void 3D 0 0 0 0 Unknown ReadOnly
            %sampler = OpTypeSampler
            %both = OpTypeSampledImage %image
            %signature = OpTypeFunction %void %image %sampler %pointer
            %k = OpFunction %void None %signature
            %i = OpFunctionParameter %image
            %s = OpFunctionParameter %sampler
            %p = OpFunctionParameter %pointer
            %entry = OpLabel
            %sampled = OpSampledImage %both %i %s
            %again = OpImage %{of} %sampled
            %texel = OpImageRead %four %again %zero
            OpStore %p %texel
            OpReturn
            OpFunctionEnd\n"
        )
    };
    import(&text("image"), &Target::desktop()).unwrap();
    assert!(
        import(&text("other"), &Target::desktop())
            .unwrap_err()
            .contains("OpImage")
    );
}

/// The scope of all devices is that of the device, also without `__opencl_c_atomic_scope_all_devices`: LLVM's code generator gives it to
/// every operation whose scope the source does not state.
#[test]
fn scope_of_all_devices() {
    let types = "%semantics = OpConstant %uint 520";
    let body = "OpMemoryBarrier %zero %semantics
        %old = OpAtomicIAdd %uint %p %zero %semantics %one";
    let text = kernel("", "", types, body);
    import(&text, &Target::desktop().latest()).unwrap();
    import(&text, &Target::desktop()).unwrap();
    let computed = "%x = OpLoad %uint %p\nOpControlBarrier %x %one %zero";
    let log = import(&kernel("", "", "", computed), &Target::desktop()).unwrap_err();
    assert!(
        log.contains("an execution scope that is computed at run time"),
        "{log}"
    );
}

/// SPIRV-LLVM-Translator's forms of OpSizeOf, of built-in variables with 64 bits in modules with addresses of 32, and of debug
/// information about modules.
#[test]
fn forms_of_the_translator() {
    let size = "%size = OpSizeOf %uint %pointer\nOpStore %p %size";
    let object = import(&kernel("", "", "", size), &Target::desktop())
        .unwrap()
        .to_text();
    assert!(object.contains("i32 4"), "{object}");
    let wide = "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64
        OpMemoryModel Physical32 OpenCL
        OpEntryPoint Kernel %k \"k\" %id
        OpDecorate %id BuiltIn GlobalInvocationId
        %void = OpTypeVoid
        %ulong = OpTypeInt 64 0
        %three = OpTypeVector %ulong 3
        %input = OpTypePointer Input %three
        %pointer = OpTypePointer CrossWorkgroup %ulong
        %signature = OpTypeFunction %void %pointer
        %id = OpVariable %input Input
        %k = OpFunction %void None %signature
        %p = OpFunctionParameter %pointer
        %entry = OpLabel
        %all = OpLoad %three %id
        %x = OpCompositeExtract %ulong %all 0
        OpStore %p %x
        OpReturn
        OpFunctionEnd\n";
    import(wide, &Target::desktop()).unwrap();
    let debug = "OpCapability DebugInfoModuleINTEL\nOpExtension \"SPV_INTEL_debug_module\"";
    import(&kernel(debug, "", "", ""), &Target::desktop()).unwrap();
}

/// A quotient of constants by zero is no error, because a module may have it without using it.
#[test]
fn constant_quotients_by_zero() {
    for op in ["UDiv", "SDiv", "UMod", "SRem"] {
        let types = format!("%quotient = OpSpecConstantOp %uint {op} %one %zero");
        import(
            &kernel("", "", &types, "OpStore %p %quotient"),
            &Target::desktop(),
        )
        .unwrap();
    }
}

/// OpenCL's environment forbids Booleans as parameters of kernels, whose size the host cannot know.
#[test]
fn kernels_have_no_booleans_as_parameters() {
    let text = "OpCapability Addresses\nOpCapability Kernel
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k \"k\"
        %void = OpTypeVoid
        %bool = OpTypeBool
        %signature = OpTypeFunction %void %bool
        %k = OpFunction %void None %signature
        %b = OpFunctionParameter %bool
        %entry = OpLabel
        OpReturn
        OpFunctionEnd\n";
    let log = import(text, &Target::desktop()).unwrap_err();
    assert!(
        log.contains("a kernel cannot have a Boolean as parameter"),
        "{log}"
    );
}

/// LLVM's code generator writes the alignment 128 as a number of 8 bits with a sign, addresses of other types into constants, and
/// strides of 32 bits, whatever the addressing model.
#[test]
fn forms_of_llvm() {
    let types = "%four = OpConstant %uint 4
        %eight = OpConstant %ulong 8
        %table = OpTypeArray %uint %four
        %whole = OpTypePointer CrossWorkgroup %table
        %bytes = OpTypeArray %pointer %four
        %list = OpTypePointer CrossWorkgroup %bytes
        %event = OpTypeEvent
        %local = OpTypePointer Workgroup %uint
        %none = OpConstantNull %event
        %elements = OpVariable %whole CrossWorkgroup
        %place = OpVariable %local Workgroup
        %array = OpTypePointer Workgroup %table
        %private = OpTypePointer Function %uint
        %uint4 = OpTypeVector %uint 4
        %std_zero = OpConstant %ulong 0
        %room = OpVariable %array Workgroup
        %addresses = OpConstantComposite %bytes %elements %elements %elements %elements
        %pointers = OpVariable %list CrossWorkgroup %addresses
        %workgroup = OpConstant %uint 2";
    let types = &format!("%ulong = OpTypeInt 64 0\n{types}");
    let body = "%own = OpVariable %private Function
        %x = OpGroupAsyncCopy %event %workgroup %place %p %eight %one %none
        %y = OpGroupAsyncCopy %event %workgroup %p %room %eight %one %none
        %z = OpExtInst %uint4 %set vloadn %std_zero %room 4";
    let set = "%set = OpExtInstImport \"OpenCL.std\"";
    let head = "OpDecorate %elements Alignment 4294967168\nOpDecorate %own Alignment 4294967168";
    import(&kernel(set, head, types, body), &Target::desktop()).unwrap();
    let odd = kernel(set, "OpDecorate %elements Alignment 12", types, body);
    let log = import(&odd, &Target::desktop()).unwrap_err();
    assert!(log.contains("no power of two"), "{log}");
}

/// Constant operations on addresses are evaluated where they are used. Variables cannot have their results as initializers, and
/// the number of such operations is limited.
#[test]
fn operations_on_addresses() {
    let types = |last: &str| {
        format!(
            "%ulong = OpTypeInt 64 0
            %three = OpConstant %ulong 3
            %holder = OpTypePointer CrossWorkgroup %ulong
            %x = OpVariable %holder CrossWorkgroup
            %number = OpSpecConstantOp %ulong ConvertPtrToU %x
            %masked = OpSpecConstantOp %ulong BitwiseAnd %number %three
            {last}"
        )
    };
    let body = "OpStore %x %masked Aligned 8";
    import(&kernel("", "", &types(""), body), &Target::desktop()).unwrap();
    for (last, reason) in [
        (
            "%y = OpVariable %holder CrossWorkgroup %masked",
            "not known before the kernel runs",
        ),
        (
            "%pair = OpTypeStruct %ulong %ulong
            %z = OpConstantComposite %pair %three %masked",
            "not known before the kernel runs",
        ),
        (
            "%long2 = OpTypeVector %ulong 2
            %z = OpConstantComposite %long2 %three %number",
            "not known before the kernel runs",
        ),
        (
            "%to = OpTypePointer CrossWorkgroup %float
            %z = OpSpecConstantOp %to InBoundsPtrAccessChain %x %three",
            "does not point to",
        ),
        (
            "%z = OpSpecConstantOp %ulong Load %x",
            "the operation OpLoad is not implemented for constants",
        ),
    ] {
        let log = import(&kernel("", "", &types(last), body), &Target::desktop()).unwrap_err();
        assert!(log.contains(reason), "{last}: {log}");
    }
    let mut chain = String::new();
    let mut id = "masked".to_owned();
    for n in 0..1000 {
        chain += &format!("%c{n} = OpSpecConstantOp %ulong Not %{id}\n");
        id = format!("c{n}");
    }
    let log = import(&kernel("", "", &types(&chain), body), &Target::desktop()).unwrap_err();
    assert!(
        log.contains("the operation OpNot is not implemented for constants"),
        "{log}"
    );
}

/// Some modules of SPIRV-LLVM-Translator declare integers of any width, without the extension, and have none.
#[test]
fn integers_of_any_width_are_only_declared() {
    let capability = "OpCapability ArbitraryPrecisionIntegersINTEL";
    let body = "OpStore %p %one Aligned 4";
    import(&kernel(capability, "", "", body), &Target::desktop()).unwrap();
    let log = import(
        &kernel(capability, "", "%odd = OpTypeInt 33 0", body),
        &Target::desktop(),
    )
    .unwrap_err();
    assert!(log.contains("OpenCL has no integers of 33 bits"), "{log}");
}

/// Triton's backend for Intel's GPUs has vectors of one component, and long ones that it loads and takes apart.
#[test]
fn vectors_of_other_sizes() {
    let capability = "OpCapability VectorAnyINTEL\nOpExtension \"SPV_INTEL_vector_compute\"";
    let types = "%one_int = OpTypeVector %uint 1
        %many = OpTypeVector %uint 128
        %to_one = OpTypePointer CrossWorkgroup %one_int
        %to_many = OpTypePointer CrossWorkgroup %many
        %constant = OpConstantComposite %one_int %one
        %undef = OpUndef %one_int
        %uint2 = OpTypeVector %uint 2";
    let body = |last: &str| {
        format!(
            "%a = OpBitcast %to_one %p
            %b = OpLoad %one_int %a Aligned 4
            %c = OpIAdd %one_int %b %constant
            %d = OpCompositeInsert %one_int %one %undef 0
            %e = OpVectorShuffle %uint2 %c %d 0 1
            %f = OpCompositeExtract %uint %c 0
            %g = OpCompositeConstruct %one_int %f
            %h = OpVectorShuffle %one_int %e %e 1
            OpStore %a %g Aligned 4
            OpStore %a %h Aligned 4
            %m = OpBitcast %to_many %p
            %n = OpLoad %many %m Aligned 4
            %o = OpCompositeExtract %uint %n 127
            OpStore %p %o Aligned 4
            {last}"
        )
    };
    import(&kernel(capability, "", types, &body("")), &Target::desktop()).unwrap();
    for last in [
        "%q = OpIAdd %many %n %n",
        "%q = OpCompositeExtract %uint %n 128",
        "%q = OpCompositeExtract %uint %c 1",
        "%q = OpCompositeExtract %uint %one 0",
        "%q = OpCompositeConstruct %uint %one",
        "%q = OpVectorShuffle %uint2 %one %c 0 1",
        "%q = OpVectorShuffle %uint2 %c %d 0 2",
    ] {
        import(&kernel(capability, "", types, &body(last)), &Target::desktop()).unwrap_err();
    }
    let without = kernel("", "", types, &body(""));
    let log = import(&without, &Target::desktop()).unwrap_err();
    assert!(log.contains("OpenCL has no vectors of 128 components"), "{log}");
}

/// Imported functions with the mangled names of built-in functions are those, if their types fit.
#[test]
fn imported_built_in_functions() {
    let text = |name: &str, result: &str| {
        let head = format!("OpDecorate %f LinkageAttributes \"{name}\" Import");
        let types = format!(
            "%short = OpTypeInt 16 0
            %fn = OpTypeFunction %{result} %uint %uint
            %f = OpFunction %{result} None %fn
            %a = OpFunctionParameter %uint
            %b = OpFunctionParameter %uint
            OpFunctionEnd"
        );
        let body = format!("%r = OpFunctionCall %{result} %f %one %zero");
        kernel("OpCapability Linkage\nOpCapability Int16", &head, &types, &body)
    };
    let built = |name: &str, result: &str| {
        let object = import(&text(name, result), &Target::desktop())?;
        let linked = caldera_compiler::driver::link(&[&object], &Options::default(), &Target::desktop());
        linked.map(|_| ()).map_err(|failed| failed.log)
    };
    built("_Z7mul_hiijj", "uint").unwrap_err();
    built("_Z6mul_hijj", "uint").unwrap();
    built("_Z7rhaddjj", "uint").unwrap_err();
    built("_Z5rhaddii", "uint").unwrap();
    for (name, result) in [
        ("_Z6mul_hiss", "uint"),
        ("_Z6mul_hijjj", "uint"),
        ("_Z3foojj", "uint"),
    ] {
        let log = built(name, result).unwrap_err();
        assert!(log.contains("undefined reference"), "{name}: {log}");
    }
    // The type of the result is not that of the function.
    let log = built("_Z6mul_hijj", "short").unwrap_err();
    assert!(log.contains("a built-in function is missing"), "{log}");
}

/// SPIRV-LLVM-Translator makes indices of 3 and more of OpenCL C's functions of work-items. Other vectors have no such component.
#[test]
fn indices_of_built_in_vectors() {
    let module = |vector: &str, index: &str| {
        kernel(
            "",
            "OpDecorate %id BuiltIn GlobalInvocationId",
            "%ulong = OpTypeInt 64 0
            %vector = OpTypeVector %ulong 3
            %input = OpTypePointer Input %vector
            %id = OpVariable %input Input
            %other = OpConstantNull %vector",
            &format!(
                "%v = OpLoad %vector %id Aligned 32
                %x = OpCompositeExtract %ulong {vector} {index}
                %n = OpUConvert %uint %x
                OpStore %p %n Aligned 4"
            ),
        )
    };
    let target = Target::desktop();
    for index in ["0", "3", "4294967295"] {
        import(&module("%v", index), &target).unwrap();
    }
    let log = import(&module("%other", "3"), &target).unwrap_err();
    assert!(log.contains("there is no such component"), "{log}");
}
