//! Rules of SPIR-V that compilers rarely reach: modules that break them, and modules that are right but that no compiler of
//! `tests/il` writes.
#![allow(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

use caldera_compiler::driver::{IlInput, compile_il_object, link};
use caldera_compiler::options::Options;
use caldera_compiler::spirv_in::Specialization;
use caldera_compiler::spirv_text::assemble;
use caldera_compiler::target::Target;
use caldera_compiler::{Object, Unobserved};
use std::time::{Duration, Instant};

/// How long the import of any module of this file may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Imports a module from its text.
fn import(text: &str) -> Result<Object, String> {
    import_for(text, &Target::desktop())
}

fn import_for(text: &str, target: &Target) -> Result<Object, String> {
    import_words(&words(text), target)
}

fn words(text: &str) -> Vec<u32> {
    assemble(text, 4).unwrap_or_else(|e| panic!("{e}"))
}

fn import_words(words: &[u32], target: &Target) -> Result<Object, String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let input = IlInput {
        name: "module",
        module: &bytes,
        options: &Options::default(),
        specialization: &Specialization::new(),
    };
    let start = Instant::now();
    let result = compile_il_object(&input, target, &mut Unobserved);
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    result.map_err(|failed| {
        assert!(!failed.internal, "{}", failed.log);
        failed.log
    })
}

/// Returns the message with which a module is refused.
fn refused(text: &str) -> String {
    import(text).unwrap_err()
}

/// Returns the IR of a module.
fn ir(text: &str) -> String {
    import(text).unwrap_or_else(|log| panic!("{log}")).to_text()
}

/// Returns the text of a module with the kernel `k(global uint *)`. `head` is before the types, `types` after those that
/// every module has, `body` in the kernel, whose parameter is `%p`, and `functions` are after it.
fn module(head: &str, types: &str, body: &str, functions: &str) -> String {
    format!(
        "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int8\nOpCapability Linkage
        OpCapability ImageBasic
        %std = OpExtInstImport \"OpenCL.std\"
        OpMemoryModel Physical64 OpenCL
        OpEntryPoint Kernel %k \"k\"
        {head}
        %void = OpTypeVoid
        %char = OpTypeInt 8 0
        %uint = OpTypeInt 32 0
        %ulong = OpTypeInt 64 0
        %zero = OpConstant %uint 0
        %one = OpConstant %uint 1
        %two = OpConstant %uint 2
        %pointer = OpTypePointer CrossWorkgroup %uint
        %signature = OpTypeFunction %void %pointer
        {types}
        %k = OpFunction %void None %signature
        %p = OpFunctionParameter %pointer
        %entry = OpLabel
        {body}
        OpReturn
        OpFunctionEnd
        {functions}"
    )
}

/// An OpTypeForwardPointer states that a type will be a pointer of a storage class, and structures that contain the type
/// rely on it. A type that contains itself would have no end.
#[test]
fn forward_pointers_become_pointers() {
    let list = "OpTypeForwardPointer %next CrossWorkgroup
        %node = OpTypeStruct %uint %next";
    import(&module(
        "",
        &format!("{list}\n%next = OpTypePointer CrossWorkgroup %node"),
        "",
        "",
    ))
    .unwrap();
    let other = "its OpTypeForwardPointer states another type";
    let array = "%next = OpTypeArray %uint %two
        %values = OpConstantComposite %next %one %one
        %all = OpConstantComposite %node %one %values";
    let endless = "%pair = OpTypeArray %next %two
        %next = OpTypeArray %pair %two
        %pairs = OpTypePointer CrossWorkgroup %pair
        %null = OpConstantNull %pairs
        %count = OpConstant %ulong 1";
    let prefetch = "%done = OpExtInst %void %std prefetch %null %count";
    for (types, body) in [
        (array, ""),
        ("%next = OpTypePointer Workgroup %node", ""),
        ("%next = OpTypeInt 16 0", ""),
        (endless, prefetch),
    ] {
        let log = refused(&module("", &format!("{list}\n{types}"), body, ""));
        assert!(log.contains(other), "{types}: {log}");
    }
}

/// Images and samplers have no null values (SPIR-V 3.52.7).
#[test]
fn null_values_of_handles_are_refused() {
    for ty in ["OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly", "OpTypeSampler"] {
        let log = refused(&module(
            "",
            &format!("%handle = {ty}\n%null = OpConstantNull %handle"),
            "",
            "",
        ));
        assert!(
            log.contains("OpConstantNull: its type has no null value"),
            "{log}"
        );
    }
}

/// A name with as many pointers as an instruction can have is that of no built-in function, and costs no memory to reject.
#[test]
fn mangled_names_are_bounded() {
    let pointers = "P".repeat(200_000);
    let head = format!("OpDecorate %f LinkageAttributes \"_Z3max{pointers}i\" Import");
    let types = "%function = OpTypeFunction %uint %uint";
    let declaration = "%f = OpFunction %uint None %function
        %x = OpFunctionParameter %uint
        OpFunctionEnd";
    let text = module(&head, types, "%y = OpFunctionCall %uint %f %one", declaration);
    assert!(ir(&text).contains("_Z3maxPPP"));
}

/// Constants that wait for others are looked at once for each of their operands.
#[test]
fn constants_before_their_operands() {
    let count = 60_000;
    let ids: Vec<String> = (0..count).map(|n| format!("%c{n}")).collect();
    let constants: String = ids
        .iter()
        .map(|id| format!("{id} = OpConstant %char 1\n"))
        .collect();
    let types = format!(
        "%count = OpConstant %uint {count}
        %bytes = OpTypeArray %char %count
        %all = OpConstantComposite %bytes {}
        {constants}
        %in_constant = OpTypePointer UniformConstant %bytes
        %table = OpVariable %in_constant UniformConstant %all",
        ids.join(" ")
    );
    let object = ir(&module("OpDecorate %table Constant", &types, "", ""));
    assert!(object.contains("size 60000"), "{}", &object[..200]);
}

/// Indices are signed numbers of any width, in constants as in functions.
#[test]
fn indices_of_constants_are_signed() {
    let types = "%eight = OpConstant %uint 8
        %values = OpTypeArray %uint %eight
        %in_global = OpTypePointer CrossWorkgroup %values
        %init = OpConstantNull %values
        %variable = OpVariable %in_global CrossWorkgroup %init
        %minus_one = OpConstant %uint 0xffffffff
        %minus_two = OpConstant %char 0xfe
        %four = OpConstant %uint 4
        %fifth = OpSpecConstantOp %pointer AccessChain %variable %four
        %fourth = OpSpecConstantOp %pointer PtrAccessChain %fifth %minus_one
        %second = OpSpecConstantOp %pointer InBoundsPtrAccessChain %fourth %minus_two
        %pointers = OpTypePointer CrossWorkgroup %pointer
        %place = OpVariable %pointers CrossWorkgroup %second";
    let object = ir(&module("", types, "", ""));
    assert!(object.contains("reloc 0 @g0 4"), "{object}");
}

/// The memory operands of a copy are those of its target and, if there is no second set, of its source, whose natural alignment
/// is its own. A copy whose size is only known at run time has them, too.
#[test]
fn memory_operands_of_copies() {
    let types = "%uint4 = OpTypeVector %uint 4
        %vectors = OpTypePointer CrossWorkgroup %uint4
        %bytes = OpTypePointer CrossWorkgroup %char
        %sixteen = OpConstant %ulong 16";
    let pointers = "%a = OpBitcast %vectors %p
        %next = OpPtrAccessChain %pointer %p %one
        %b = OpBitcast %vectors %next
        %to = OpBitcast %bytes %p
        %from = OpBitcast %bytes %next";
    for (copy, expected) in [
        ("OpCopyMemory %a %b Aligned 16", "dst align 16 src align 16"),
        (
            "OpCopyMemory %a %b Aligned 32 Volatile",
            "dst align 32 src align 16 volatile",
        ),
        (
            "OpCopyMemorySized %to %from %sixteen Aligned 16 None",
            "dst align 16 src align 1 ",
        ),
        ("OpCopyMemorySized %a %from %sixteen", "dst align 16 src align 1 "),
        (
            "%size = OpLoad %uint %p\nOpCopyMemorySized %to %from %size Volatile",
            "i8 = Load align 1 volatile",
        ),
        (
            "%size = OpLoad %uint %p\nOpCopyMemorySized %to %from %size Volatile",
            "Store align 1 volatile",
        ),
        (
            "%size = OpLoad %uint %p\nOpCopyMemorySized %to %from %size None Volatile",
            "Store align 1 %",
        ),
    ] {
        let object = ir(&module("", types, &format!("{pointers}\n{copy}"), ""));
        assert!(object.contains(expected), "{copy}: {object}");
    }
}

/// The copy that a caller makes of an argument has the alignment that the parameter states.
#[test]
fn arguments_by_value_are_aligned() {
    let head = "OpDecorate %x FuncParamAttr ByVal\nOpDecorate %x Alignment 16";
    let types = "%private = OpTypePointer Function %uint\n%function = OpTypeFunction %void %private";
    let body = "%v = OpVariable %private Function\n%y = OpFunctionCall %void %f %v";
    let function = "%f = OpFunction %void None %function
        %x = OpFunctionParameter %private
        %start = OpLabel
        OpReturn
        OpFunctionEnd";
    let object = ir(&module(head, types, body, function));
    assert!(object.contains("alloca size 4 align 16"), "{object}");
}

/// Work-groups at the end of a dimension may be smaller than the others; EnqueuedWorkgroupSize and NumEnqueuedSubgroups are of the
/// others.
#[test]
fn enqueued_sizes() {
    let head = "OpDecorate %size BuiltIn WorkgroupSize
        OpDecorate %enqueued BuiltIn EnqueuedWorkgroupSize
        OpDecorate %subgroups BuiltIn NumEnqueuedSubgroups";
    let types = "%ulong3 = OpTypeVector %ulong 3
        %input = OpTypePointer Input %ulong3
        %number = OpTypePointer Input %uint
        %size = OpVariable %input Input
        %enqueued = OpVariable %input Input
        %subgroups = OpVariable %number Input";
    for (variable, ty, expected) in [
        ("size", "ulong3", "intrinsic local_size"),
        ("enqueued", "ulong3", "intrinsic enqueued_local_size"),
        ("subgroups", "uint", "intrinsic enqueued_local_size"),
    ] {
        let object = ir(&module(
            head,
            types,
            &format!("%v = OpLoad %{ty} %{variable}"),
            "",
        ));
        assert!(object.contains(expected), "{variable}: {object}");
    }
}

/// The decorations of a group belong to each of its targets, which may be many.
#[test]
fn groups_of_decorations() {
    let head = "OpDecorate %group Alignment 16
        OpDecorate %group FuncParamAttr ByVal
        %group = OpDecorationGroup
        OpGroupDecorate %group %x %y";
    let types = "%private = OpTypePointer Function %uint\n%function = OpTypeFunction %void %private %private";
    let body = "%v = OpVariable %private Function\n%w = OpFunctionCall %void %f %v %v";
    let function = "%f = OpFunction %void None %function
        %x = OpFunctionParameter %private
        %y = OpFunctionParameter %private
        %start = OpLabel
        OpReturn
        OpFunctionEnd";
    let object = ir(&module(head, types, body, function));
    assert_eq!(object.matches("alloca size 4 align 16").count(), 2, "{object}");
    let lost = "OpDecorate %group SaturatedConversion
        %group = OpDecorationGroup
        OpGroupDecorate %group %x %y";
    let log = refused(&module(lost, "", "", ""));
    assert!(log.contains("no instruction defines"), "{log}");
}

/// A constant address is in the storage class that its type states, as the results of casts in functions are.
#[test]
fn constant_addresses_keep_their_storage_class() {
    let types = |cast: &str| {
        format!(
            "%in_local = OpTypePointer Workgroup %uint
            %generic = OpTypePointer Generic %uint
            %local = OpVariable %in_local Workgroup
            {cast}"
        )
    };
    let known = "%g = OpSpecConstantOp %generic PtrCastToGeneric %local
        %a = OpSpecConstantOp %in_local GenericCastToPtr %g";
    import(&module("", &types(known), "OpStore %a %one", "")).unwrap();
    for cast in [
        "%a = OpSpecConstantOp %pointer Bitcast %local",
        "%g = OpSpecConstantOp %generic PtrCastToGeneric %local
        %a = OpSpecConstantOp %pointer GenericCastToPtr %g",
    ] {
        let log = refused(&module("", &types(cast), "OpStore %a %one", ""));
        assert!(log.contains("leads to memory of another storage class"), "{log}");
    }
}

/// Texels that are halves: `read_imageh` and `write_imageh`.
#[test]
fn half_texels() {
    let types = "%half = OpTypeFloat 16
        %half4 = OpTypeVector %half 4
        %uint2 = OpTypeVector %uint 2
        %origin = OpConstantNull %uint2
        %read = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
        %written = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly
        %function = OpTypeFunction %void %read %written";
    let copy = "%f = OpFunction %void None %function
        %a = OpFunctionParameter %read
        %b = OpFunctionParameter %written
        %start = OpLabel
        %texel = OpImageRead %half4 %a %origin
        OpImageWrite %b %origin %texel
        OpReturn
        OpFunctionEnd";
    let object = ir(&module("", types, "", copy));
    for part in [
        "v4f32 = intrinsic fetch_image_2d_f",
        "v4f16 = FConvert",
        "v4f32 = FConvert",
    ] {
        assert!(object.contains(part), "{part}: {object}");
    }
}

/// A part of a packed structure, which may be at any byte, is copied as such, whatever the alignment of its own type.
#[test]
fn parts_of_packed_structures() {
    let types = "%inner = OpTypeStruct %uint %ulong
        %packed = OpTypeStruct %char %inner
        %private = OpTypePointer Function %packed";
    let body = "%v = OpVariable %private Function
        %whole = OpLoad %packed %v Aligned 1
        %part = OpCompositeExtract %inner %whole 1
        %new = OpCompositeInsert %packed %part %whole 1";
    let object = ir(&module("OpDecorate %packed CPacked", types, body, ""));
    for copy in [
        "size 16 dst align 8 src align 1",
        "size 16 dst align 1 src align 8",
    ] {
        assert!(object.contains(copy), "{copy}: {object}");
    }
}

/// A module that has `double` without the capability Float64 is refused where the device does not have it.
#[test]
fn doubles_of_devices_without_them() {
    let types = "%double = OpTypeFloat 64
        %doubles = OpTypePointer CrossWorkgroup %double";
    let body = "%d = OpBitcast %doubles %p
        %x = OpLoad %double %d
        %y = OpFAdd %double %x %x
        OpStore %d %y";
    let text = module("", types, body, "");
    import(&text).unwrap();
    let mut target = Target::desktop();
    target.features.float64 = false;
    target.extensions.retain(|e| e != "cl_khr_fp64");
    let log = import_for(&text, &target).unwrap_err();
    assert!(
        log.contains("OpTypeFloat: the device does not have cl_khr_fp64"),
        "{log}"
    );
}

/// The initial contents of all variables together are bounded, also if they are null. Null contents of variables in global memory
/// take no memory.
#[test]
fn contents_of_variables_are_bounded() {
    let module = |class: &str, count: usize| {
        let variables: String = (0..count)
            .map(|n| format!("%v{n} = OpVariable %in_memory {class} %null\n"))
            .collect();
        let types = format!(
            "%size = OpConstant %uint 0x0c000000
            %bytes = OpTypeArray %char %size
            %null = OpConstantNull %bytes
            %in_memory = OpTypePointer {class} %bytes
            {variables}"
        );
        module("", &types, "", "")
    };
    import(&module("CrossWorkgroup", 2)).unwrap();
    let log = refused(&module("UniformConstant", 2));
    assert!(
        log.contains("the variables have more than 256 MiB of contents"),
        "{log}"
    );
}

/// The selector of a switch in a block that no other leads to may be defined in a later block. The number of words of a case
/// depends on its type.
#[test]
fn selectors_of_switches_that_follow_them() {
    let body = "OpReturn
        %unreachable = OpLabel
        %selector = OpCopyObject %ulong %wide
        OpSelectionMerge %merge None
        OpSwitch %selector %merge 0x100000002 %case 3 %merge
        %case = OpLabel
        OpBranch %merge
        %merge = OpLabel";
    let mut words = words(&module("", "%wide = OpConstant %ulong 5", body, ""));
    // The text gives the literals two words each only if the selector comes first.
    let at = words.iter().position(|&w| w == 4 << 16 | 83).unwrap();
    let selector: Vec<u32> = words.drain(at..at + 4).collect();
    let end = words.len() - 2;
    words.splice(end..end, selector);
    import_words(&words, &Target::desktop()).unwrap();
}

/// The host knows a specialization constant by its SpecId, so all that have one also have one size.
#[test]
fn specialization_constants_of_one_number() {
    let head = "OpDecorate %a SpecId 3\nOpDecorate %b SpecId 3";
    let types = |b: &str| format!("%bool = OpTypeBool\n%a = OpSpecConstant %uint 1\n%b = {b}");
    import(&module(head, &types("OpSpecConstant %uint 2"), "", "")).unwrap();
    let log = refused(&module(head, &types("OpSpecConstant %ulong 2"), "", ""));
    let why = "OpSpecConstant: its SpecId 3 is also that of a constant of 4 bytes, but it has 8 bytes";
    assert!(log.contains(why), "{log}");
    let log = refused(&module(head, &types("OpSpecConstantTrue %bool"), "", ""));
    assert!(log.contains("but it has 1 bytes"), "{log}");
}

/// Kernels that have one function have a copy of it each. The copies are bounded.
#[test]
fn kernels_of_one_function() {
    let text = |kernels: usize| {
        let entries: String = (0..kernels)
            .map(|n| format!("OpEntryPoint Kernel %k \"k{n}\"\n"))
            .collect();
        let sums: String = (0..20_000)
            .map(|n| format!("%s{n} = OpIAdd %uint %one %two\n"))
            .collect();
        module(&entries, "", &sums, "")
    };
    import(&text(3)).unwrap();
    let log = refused(&text(3_000));
    let why = "kernels that have one function would need copies with more than 4 million instructions";
    assert!(log.contains(why), "{log}");
}

/// A variable that one object imports has the size of that which another exports.
#[test]
fn sizes_of_imported_variables() {
    let object = |linkage: &str, length: &str, init: &str| {
        let types = format!(
            "%array = OpTypeArray %uint {length}
            %null = OpConstantNull %array
            %outside = OpTypePointer UniformConstant %array
            %table = OpVariable %outside UniformConstant {init}"
        );
        let name = linkage.to_lowercase();
        let head = format!("OpDecorate %table LinkageAttributes \"table\" {linkage}");
        let body = "%v = OpLoad %array %table";
        let text = module(&head, &types, body, "").replace("\"k\"", &format!("\"{name}\""));
        import(&text).unwrap()
    };
    let imported = object("Import", "%two", "");
    let linked = |exported: &Object| {
        link(&[&imported, exported], &Options::default(), &Target::desktop()).map_err(|e| e.log)
    };
    linked(&object("Export", "%two", "%null")).unwrap();
    let log = linked(&object("Export", "%one", "%null")).unwrap_err();
    let why = "variable 'table' is declared with 8 bytes, but another object defines it with 4 bytes";
    assert!(log.contains(why), "{log}");
}

/// A phi has one value for each block that precedes its block, which may branch to it twice.
#[test]
fn values_of_phis() {
    let body = |second: &str| {
        format!(
            "%condition = OpIEqual %bool %one %two
            OpBranchConditional %condition %merge %merge
            %merge = OpLabel
            %phi = OpPhi %uint %one %entry {second} %entry
            OpStore %p %phi"
        )
    };
    let text = |second: &str| module("", "%bool = OpTypeBool", &body(second), "");
    import(&text("%one")).unwrap();
    let log = refused(&text("%two"));
    assert!(log.contains("OpPhi: it has two values for the block"), "{log}");
}
