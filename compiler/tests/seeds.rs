//! Tests the contract between compiler and host, example by example: the same source and options must give
//! the same descriptor map line for line, the same constant data, and a module with the capabilities,
//! decorations and SpecIds that the contract names.
//!
//! The contract exists in a newer and an older form (`docs/adr/0010-descriptor-abi.md`); both are tested.

#[path = "seeds/clauses.rs"]
mod clauses;
mod common;

use caldera_compiler::abi::Abi;
use caldera_compiler::clspv::{Behaviour, Clspv, parse_sampler_map};
use caldera_compiler::driver::{Input, compile};
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{self, Binding, MapStyle, Place, descriptor_map};
use caldera_compiler::spirv_text::disassemble;
use caldera_compiler::target::Target;

/// Compiles with the words of a command line. Returns the log if the program is refused.
fn try_build(
    source: &str,
    words: &[&str],
    behaviour: Behaviour,
    samplers: Option<&str>,
) -> Result<Vec<u32>, String> {
    let mut clspv = Clspv::default();
    clspv.behaviour = behaviour;
    clspv.sampler_map = samplers.map(|text| parse_sampler_map(text).expect("a sampler map"));
    let mut options = Options::default();
    for word in words {
        let known = clspv.accept(word, &mut || None).map_err(|e| e.0)?;
        assert!(known, "{word}");
    }
    let mut target = Target::clspv();
    clspv.apply(&mut target).map_err(|e| e.0)?;
    clspv.apply_to_options(&mut options);
    let input = Input {
        name: "foo.cl",
        source,
        options: &options,
        resolver: &NoIncludes,
    };
    let compiled = compile(&input, &target).map_err(|f| f.log)?;
    common::validate(&compiled.words, target.spirv);
    Ok(compiled.words)
}

fn build(source: &str, words: &[&str]) -> Vec<u32> {
    try_build(source, words, Behaviour::Newer, None).unwrap_or_else(|log| panic!("{words:?}: {log}"))
}

fn assembly(words: &[u32]) -> String {
    disassemble(&reflect::strip(words).expect("a module"))
}

fn map(source: &str, words: &[&str], style: MapStyle) -> String {
    descriptor_map(&build(source, words), style).expect("reflection")
}

#[track_caller]
fn same(actual: &str, expected: &str) {
    let expected: String = expected.lines().map(|l| format!("{}\n", l.trim())).collect();
    let expected = expected.trim_start();
    assert!(actual == expected, "expected\n{expected}actual\n{actual}");
}

/// The first kernel of the translation unit.
const FOO: &str = "kernel void foo(global int* a, float f, global float* b, uint c) { a[0] = c; b[0] = f; }";

const LOCALS: &str = "kernel void foo(local float* L, global float* A, local float4 *L2) {
    L[get_local_id(0)] = A[0]; L2[get_local_id(0)] = A[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    A[2] = L[1] + L2[2].y;
}";

const CONSTANTS: &str = "
    typedef struct {
      char c;
      uint a;
      float f;
    } Foo;
    __constant Foo ppp[3] = {{'a', 0x1234abcd, 1.0}, {'b', 0xffffffff, 1.5}, {0}};

    kernel void foo(global uint* A, uint i) { *A = ppp[i].a; }
";

const SAMPLER_MAP: &str = "
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST,
    CLK_NORMALIZED_COORDS_TRUE  | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR
";

#[test]
fn newer_map_of_plain_values_and_buffers() {
    same(
        &map(FOO, &["-cluster-pod-kernel-args=0"], MapStyle::Newer),
        "kernel_decl,foo
         kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,f,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod,argSize,4
         kernel,foo,arg,b,argOrdinal,2,descriptorSet,0,binding,2,offset,0,argKind,buffer
         kernel,foo,arg,c,argOrdinal,3,descriptorSet,0,binding,3,offset,0,argKind,pod,argSize,4
         spec_constant,workgroup_size_x,spec_id,0
         spec_constant,workgroup_size_y,spec_id,1
         spec_constant,workgroup_size_z,spec_id,2",
    );
}

#[test]
fn newer_map_of_local_arguments() {
    let words = build(LOCALS, &[]);
    same(
        &descriptor_map(&words, MapStyle::Newer).expect("reflection"),
        "kernel_decl,foo
         kernel,foo,arg,L,argOrdinal,0,argKind,local,arrayElemSize,4,arrayNumElemSpecId,3
         kernel,foo,arg,A,argOrdinal,1,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,L2,argOrdinal,2,argKind,local,arrayElemSize,16,arrayNumElemSpecId,4
         spec_constant,workgroup_size_x,spec_id,0
         spec_constant,workgroup_size_y,spec_id,1
         spec_constant,workgroup_size_z,spec_id,2",
    );
    let text = assembly(&words);
    for id in 0..5 {
        assert!(text.contains(&format!("SpecId {id}\n")), "SpecId {id} in\n{text}");
    }
    assert!(text.contains("BuiltIn WorkgroupSize"), "{text}");
    assert_eq!(
        text.matches("OpVariable").count() - text.matches("Workgroup\n").count(),
        2,
        "{text}"
    );
}

#[test]
fn clustered_plain_values() {
    let expected = "
         kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,b,argOrdinal,2,descriptorSet,0,binding,1,offset,0,argKind,buffer
         kernel,foo,arg,f,argOrdinal,1,descriptorSet,0,binding,2,offset,0,argKind,pod,argSize,4
         kernel,foo,arg,c,argOrdinal,3,descriptorSet,0,binding,2,offset,4,argKind,pod,argSize,4";
    // Values are clustered by default, and with the older behaviour on request.
    same(&map(FOO, &[], MapStyle::Older), expected);
    same(
        &map(FOO, &["-cluster-pod-kernel-args"], MapStyle::Older),
        expected,
    );
    let older = try_build(FOO, &["-cluster-pod-kernel-args"], Behaviour::Older, None).expect("compiles");
    same(
        &descriptor_map(&older, MapStyle::Older).expect("reflection"),
        expected,
    );
    // The block is a storage buffer, although only the host writes it.
    assert!(assembly(&older).contains("StorageBuffer"));
}

#[test]
fn older_maps() {
    let older = |source: &str| {
        let words = try_build(source, &[], Behaviour::Older, None).unwrap_or_else(|log| panic!("{log}"));
        descriptor_map(&words, MapStyle::Older).expect("reflection")
    };
    same(
        &older(FOO),
        "kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,f,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod,argSize,4
         kernel,foo,arg,b,argOrdinal,2,descriptorSet,0,binding,2,offset,0,argKind,buffer
         kernel,foo,arg,c,argOrdinal,3,descriptorSet,0,binding,3,offset,0,argKind,pod,argSize,4",
    );
    same(
        &older(LOCALS),
        "kernel,foo,arg,L,argOrdinal,0,argKind,local,arrayElemSize,4,arrayNumElemSpecId,3
         kernel,foo,arg,A,argOrdinal,1,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,L2,argOrdinal,2,argKind,local,arrayElemSize,16,arrayNumElemSpecId,4",
    );
}

#[test]
fn older_maps_with_a_sampler_map() {
    let older = |words: &[&str]| {
        let words = try_build(FOO, words, Behaviour::Older, Some(SAMPLER_MAP));
        let words = words.unwrap_or_else(|log| panic!("{log}"));
        descriptor_map(&words, MapStyle::Older).expect("reflection")
    };
    let samplers = "\
sampler,18,samplerExpr,\"CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_NEAREST|CLK_NORMALIZED_COORDS_FALSE\",descriptorSet,0,binding,0
sampler,35,samplerExpr,\"CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_LINEAR|CLK_NORMALIZED_COORDS_TRUE\",descriptorSet,0,binding,1
";
    same(
        &older(&[]),
        &format!(
            "{samplers}kernel,foo,arg,a,argOrdinal,0,descriptorSet,1,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,f,argOrdinal,1,descriptorSet,1,binding,1,offset,0,argKind,pod,argSize,4
         kernel,foo,arg,b,argOrdinal,2,descriptorSet,1,binding,2,offset,0,argKind,buffer
         kernel,foo,arg,c,argOrdinal,3,descriptorSet,1,binding,3,offset,0,argKind,pod,argSize,4"
        ),
    );
    same(
        &older(&["-cluster-pod-kernel-args"]),
        &format!(
            "{samplers}kernel,foo,arg,a,argOrdinal,0,descriptorSet,1,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,b,argOrdinal,2,descriptorSet,1,binding,1,offset,0,argKind,buffer
         kernel,foo,arg,f,argOrdinal,1,descriptorSet,1,binding,2,offset,0,argKind,pod,argSize,4
         kernel,foo,arg,c,argOrdinal,3,descriptorSet,1,binding,2,offset,4,argKind,pod,argSize,4"
        ),
    );
}

#[test]
fn module_constants_in_a_storage_buffer() {
    let words = build(CONSTANTS, &["-module-constants-in-storage-buffer"]);
    // Both forms of the contract show the first format of the map here.
    same(
        &descriptor_map(&words, MapStyle::First).expect("reflection"),
        "constant,descriptorSet,1,binding,0,hexbytes,61000000cdab34120000803f62000000ffffffff0000c03f000000000000000000000000
         kernel,foo,arg,A,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,i,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod",
    );
    // This format has the fields that the contract lists.
    same(
        &descriptor_map(&words, MapStyle::Older).expect("reflection"),
        "constant,descriptorSet,1,binding,0,kind,buffer,hexbytes,61000000cdab34120000803f62000000ffffffff0000c03f000000000000000000000000
         kernel,foo,arg,A,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
         kernel,foo,arg,i,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,pod,argSize,4",
    );
}

#[test]
fn module_constants_are_initialized_variables_otherwise() {
    let words = build(CONSTANTS, &[]);
    assert!(
        !descriptor_map(&words, MapStyle::Newer)
            .expect("reflection")
            .contains("constant,desc")
    );
    let text = assembly(&words);
    assert!(
        text.lines()
            .any(|l| l.contains("OpVariable") && l.contains("Private %")),
        "{text}"
    );
}

#[test]
fn plain_values_elsewhere() {
    let kind = |option: &str| map(FOO, &[option], MapStyle::Newer);
    assert!(kind("-pod-ubo").contains("binding,2,offset,4,argKind,pod_ubo,argSize,4"));
    let push = kind("-pod-pushconstant");
    assert!(push.contains("kernel,foo,arg,f,argOrdinal,1,offset,0,argKind,pod_pushconstant,argSize,4\n"));
    let text = assembly(&build(FOO, &["-pod-pushconstant"]));
    assert!(text.contains("PushConstant"), "{text}");
    for words in [
        &["-pod-ubo", "-pod-pushconstant"][..],
        &["-pod-pushconstant", "-cluster-pod-kernel-args=0"],
        &["-pod-pushconstant", "-max-pushconstant-size=4"],
    ] {
        assert!(
            try_build(FOO, words, Behaviour::Newer, None).is_err(),
            "{words:?}"
        );
    }
    // Plain values cannot be combined with module-scope push constants.
    let source = "kernel void foo(global int* a, int b) { a[get_global_id(0)] = b; }";
    let words = ["-pod-pushconstant", "-global-offset-push-constant"];
    let log = try_build(source, &words, Behaviour::Newer, None).expect_err("incompatible");
    assert!(log.contains("the module has other push constants"), "{log}");
}

#[test]
fn pointers_to_constant_as_uniform_buffers() {
    let source = "kernel void foo(global int* a, constant int4* b) { a[0] = b[get_local_id(0)].y; }";
    let words = build(source, &["-constant-args-ubo"]);
    let map = descriptor_map(&words, MapStyle::Newer).expect("reflection");
    assert!(
        map.contains("arg,b,argOrdinal,1,descriptorSet,0,binding,1,offset,0,argKind,buffer_ubo\n"),
        "{map}"
    );
    assert!(assembly(&words).contains(" Uniform\n"));
}

#[test]
fn kernels_share_a_descriptor_set_or_not() {
    let source = "kernel void first(global int* a) { a[0] = 1; } kernel void foo(global int* a, float f) { a[0] = f; }";
    let set = |words: &[&str]| map(source, words, MapStyle::Newer);
    assert!(set(&[]).contains("kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0"));
    let distinct = set(&["-distinct-kernel-descriptor-sets"]);
    assert!(distinct.contains("kernel,first,arg,a,argOrdinal,0,descriptorSet,0,binding,0"));
    assert!(distinct.contains("kernel,foo,arg,f,argOrdinal,1,descriptorSet,1,binding,1"));
}

#[test]
fn images_and_samplers() {
    let source = "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        kernel void foo(read_only image2d_t in, write_only image2d_t out, sampler_t t, global float4* b, read_only image1d_t l) {
            int2 at = (int2)(get_global_id(0), 0);
            write_imagef(out, at, read_imagef(in, s, at) + read_imagef(in, t, (float2)(0.5f)));
            b[0] = read_imagef(l, at.x) + get_image_width(out);
        }";
    let words = build(source, &[]);
    same(
        &descriptor_map(&words, MapStyle::Newer).expect("reflection"),
        "sampler,18,samplerExpr,\"CLK_NORMALIZED_COORDS_FALSE|CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_NEAREST\",descriptorSet,0,binding,0
         kernel_decl,foo
         kernel,foo,arg,in,argOrdinal,0,descriptorSet,1,binding,0,offset,0,argKind,ro_image
         kernel,foo,arg,out,argOrdinal,1,descriptorSet,1,binding,1,offset,0,argKind,wo_image
         kernel,foo,arg,t,argOrdinal,2,descriptorSet,1,binding,2,offset,0,argKind,sampler
         kernel,foo,arg,b,argOrdinal,3,descriptorSet,1,binding,3,offset,0,argKind,buffer
         kernel,foo,arg,l,argOrdinal,4,descriptorSet,1,binding,4,offset,0,argKind,ro_image
         spec_constant,workgroup_size_x,spec_id,0
         spec_constant,workgroup_size_y,spec_id,1
         spec_constant,workgroup_size_z,spec_id,2",
    );
    let text = assembly(&words);
    for capability in ["StorageImageWriteWithoutFormat", "ImageQuery", "Sampled1D"] {
        assert!(
            text.contains(&format!("OpCapability {capability}\n")),
            "{capability}\n{text}"
        );
    }
    let log =
        try_build(source, &[], Behaviour::Newer, Some("CLK_FILTER_LINEAR")).expect_err("not in the map");
    assert!(log.contains("not in the sampler map"), "{log}");
}

#[test]
fn capabilities_follow_the_types() {
    let cases = [
        ("char", "Int8"),
        ("short", "Int16"),
        ("long", "Int64"),
        ("half", "Float16"),
        ("double", "Float64"),
    ];
    for (ty, capability) in cases {
        let source = format!("kernel void foo(global {ty}* a, {ty} b) {{ a[get_local_id(0)] += b; }}");
        let text = assembly(&build(&source, &[]));
        assert!(
            text.contains(&format!("OpCapability {capability}\n")),
            "{ty}\n{text}"
        );
    }
    // Storage capabilities that the options deny are not used.
    let source = "kernel void foo(global char* a, global short* b) { a[1] = a[0]; b[1] = b[0]; }";
    let text = assembly(&build(source, &[]));
    assert!(text.contains("StorageBuffer8BitAccess") && text.contains("StorageBuffer16BitAccess"));
    let words = [
        "-no-16bit-storage=ssbo,ubo,pushconstant",
        "-no-8bit-storage=ssbo,ubo,pushconstant",
    ];
    let text = assembly(&build(source, &words));
    assert!(!text.contains("BitAccess"), "{text}");
    let log = try_build(source, &["-int8=0"], Behaviour::Newer, None).expect_err("no chars");
    assert!(log.contains("8-bit integers"), "{log}");
}

#[test]
fn work_item_functions() {
    let source = "kernel void foo(global uint* a) {
        a[0] = get_work_dim(); a[1] = get_global_size(0); a[2] = get_global_id(0); a[3] = get_local_size(1);
        a[4] = get_local_id(2); a[5] = get_num_groups(0); a[6] = get_group_id(0); a[7] = get_global_offset(1);
    }";
    let words = build(source, &[]);
    let text = assembly(&words);
    for name in [
        "GlobalInvocationId",
        "LocalInvocationId",
        "NumWorkgroups",
        "WorkgroupId",
        "WorkgroupSize",
    ] {
        assert!(text.contains(&format!("BuiltIn {name}\n")), "{name}\n{text}");
    }
    let map = |words: &[&str]| map(source, words, MapStyle::Newer);
    assert!(map(&[]).contains("spec_constant,work_dim,spec_id,3\n"));
    assert!(!map(&["-work-dim=0"]).contains("work_dim"));
    assert!(!map(&[]).contains("global_offset"));
    let spec = map(&["-global-offset"]);
    assert!(
        spec.contains("spec_constant,global_offset_x,spec_id,4\nspec_constant,global_offset_y,spec_id,5\n"),
        "{spec}"
    );
    let push = map(&["-global-offset-push-constant"]);
    assert!(
        push.contains("pushconstant,name,global_offset,offset,0,size,12\n"),
        "{push}"
    );
    same(
        &map(&["-cl-arm-non-uniform-work-group-size", "-global-offset"]),
        "kernel_decl,foo
         kernel,foo,arg,a,argOrdinal,0,descriptorSet,0,binding,0,offset,0,argKind,buffer
         spec_constant,workgroup_size_x,spec_id,0
         spec_constant,workgroup_size_y,spec_id,1
         spec_constant,workgroup_size_z,spec_id,2
         spec_constant,work_dim,spec_id,3
         pushconstant,name,global_offset,offset,0,size,12
         pushconstant,name,global_size,offset,16,size,12
         pushconstant,name,region_offset,offset,32,size,12
         pushconstant,name,num_workgroups,offset,48,size,12
         pushconstant,name,region_group_offset,offset,64,size,12",
    );
}

#[test]
fn required_work_group_sizes() {
    let with = "__attribute__((reqd_work_group_size(4, 2, 1))) kernel void foo(global int* a) { a[0] = get_local_size(0); }";
    let words = build(with, &[]);
    assert!(assembly(&words).contains("LocalSize 4 2 1"));
    assert!(
        !descriptor_map(&words, MapStyle::Newer)
            .expect("reflection")
            .contains("workgroup_size")
    );
    assert_eq!(
        reflect::read(&words).expect("reflection").kernels[0].required_size,
        Some([4, 2, 1])
    );
    let mixed = format!("{with} kernel void bar(global int* a) {{ a[0] = 1; }}");
    let map = map(&mixed, &[], MapStyle::Newer);
    assert!(map.contains("spec_constant,workgroup_size_x,spec_id,0"));
    let log = try_build(&mixed, &[], Behaviour::Older, None).expect_err("the older form has all or none");
    assert!(log.contains("either all kernels"), "{log}");
}

#[test]
fn the_macro_and_the_memory_model() {
    let source = "#if VULKAN != 100\n#error VULKAN\n#endif\nkernel void foo(global int* a) { a[0] = 1; }";
    let text = assembly(&build(source, &[]));
    assert!(text.contains("OpMemoryModel Logical GLSL450"), "{text}");
    assert!(!text.contains("Aliased"), "{text}");
    // The module has the version that was asked for.
    for (option, version) in [
        ("-spv-version=1.0", 0),
        ("-spv-version=1.3", 3),
        ("-spv-version=1.6", 6),
    ] {
        assert_eq!(build(source, &[option])[1], 0x10000 | version << 8);
    }
}

/// Returns the lines of a module's text that contain an opcode.
fn lines<'t>(text: &'t str, opcode: &str) -> Vec<&'t str> {
    text.lines()
        .filter(|l| l.split_whitespace().any(|w| w == opcode))
        .collect()
}

#[test]
fn variables_and_their_decorations() {
    let words = build(FOO, &["-cluster-pod-kernel-args=0"]);
    let text = assembly(&words);
    // There is a block in StorageBuffer for each argument, at its binding of set 0.
    let variables = lines(&text, "OpVariable");
    let buffers: Vec<&str> = variables
        .iter()
        .filter_map(|l| l.strip_suffix(" StorageBuffer"))
        .collect();
    assert_eq!(buffers.len(), 4, "{text}");
    let decorations = lines(&text, "OpDecorate");
    let mut bindings = Vec::new();
    for buffer in buffers {
        let id = buffer.split_whitespace().next().expect("a result");
        let value = |name: &str| {
            let start = format!("OpDecorate {id} {name} ");
            decorations.iter().find_map(|l| l.strip_prefix(&start))
        };
        assert_eq!(value("DescriptorSet"), Some("0"), "{text}");
        bindings.push(value("Binding").unwrap_or_else(|| panic!("{text}")));
    }
    bindings.sort_unstable();
    assert_eq!(bindings, ["0", "1", "2", "3"]);
    assert!(decorations.iter().any(|l| l.ends_with(" Block")), "{text}");
    // The entry point has no parameters and returns void.
    let entry = lines(&text, "OpEntryPoint");
    assert!(
        entry.len() == 1 && entry[0].contains("GLCompute") && entry[0].contains("\"foo\""),
        "{text}"
    );
    let void = lines(&text, "OpTypeVoid")[0]
        .split_whitespace()
        .next()
        .expect("a result");
    assert!(
        lines(&text, "OpTypeFunction")
            .iter()
            .any(|l| l.ends_with(&format!("OpTypeFunction {void}"))),
        "{text}"
    );
    // Signed types are represented by unsigned types.
    assert!(
        lines(&text, "OpTypeInt").iter().all(|l| l.ends_with(" 0")),
        "{text}"
    );
    assert!(
        text.contains("OpExtension \"SPV_KHR_storage_buffer_storage_class\""),
        "{text}"
    );
    let whole: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let named = |name: &[u8]| whole.windows(name.len()).any(|w| w == name);
    assert!(named(b"SPV_KHR_non_semantic_info") && named(b"NonSemantic.ClspvReflection."));
}

#[test]
fn sizes_are_one_unless_specialized() {
    let text = assembly(&build(LOCALS, &[]));
    for id in 0..5 {
        let decorations = lines(&text, "OpDecorate");
        let suffix = format!(" SpecId {id}");
        let line = decorations
            .iter()
            .find(|l| l.ends_with(&suffix))
            .expect("decorated");
        let constant = line.split_whitespace().nth(1).expect("an id");
        let defined = lines(&text, "OpSpecConstant");
        let definition = defined.iter().find(|l| l.starts_with(&format!("{constant} ")));
        assert!(
            definition.is_some_and(|l| l.ends_with(" 1")),
            "SpecId {id}\n{text}"
        );
    }
}

#[test]
fn storage_that_the_device_has_only_in_part() {
    // This is the example of the contract: a device with storageBuffer16BitAccess alone.
    let words = [
        "-no-16bit-storage=ubo,pushconstant",
        "-no-8bit-storage=ssbo,ubo,pushconstant",
    ];
    let source = "kernel void foo(global char* a, global short* b, char c) { a[1] = a[0] + c; b[1] = b[0]; }";
    for pods in ["-pod-ubo", "-pod-pushconstant"] {
        let text = assembly(&build(source, &[words[0], words[1], pods]));
        assert!(text.contains("OpCapability StorageBuffer16BitAccess"), "{text}");
        for other in [
            "8BitAccess",
            "UniformAndStorageBuffer16",
            "StoragePushConstant16",
            "StoragePushConstant8",
        ] {
            assert!(!text.contains(other), "{other}\n{text}");
        }
    }
}

#[test]
fn images_of_one_dimension() {
    let source = "kernel void foo(write_only image1d_t out) { write_imagef(out, 1, (float4)(0.5f)); }";
    let text = assembly(&build(source, &[]));
    for capability in ["Image1D", "StorageImageWriteWithoutFormat"] {
        assert!(
            text.contains(&format!("OpCapability {capability}\n")),
            "{capability}\n{text}"
        );
    }
    assert!(
        !text.contains("ImageQuery") && !text.contains("Sampled1D"),
        "{text}"
    );
}

#[test]
fn attributes_without_effect() {
    let source = |attributes: &str| format!("{attributes} kernel void foo(global int* a) {{ a[0] = 1; }}");
    let plain = assembly(&build(&source(""), &[]));
    for attribute in [
        "__attribute__((work_group_size_hint(4, 2, 1)))",
        "__attribute__((vec_type_hint(float4)))",
    ] {
        let text = assembly(&build(&source(attribute), &[]));
        // Only the string for clGetKernelInfo differs.
        let code = |t: &str| {
            t.lines()
                .filter(|l| !l.contains("OpString"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(code(&text), code(&plain), "{attribute}");
    }
    let member = |attribute: &str| {
        format!(
            "typedef struct {{ int x; int y {attribute}; }} S;
             kernel void foo(global S* a) {{ a[0].y = 1; }}"
        )
    };
    let plain = assembly(&build(&member(""), &[]));
    for attribute in ["__attribute__((endian(host)))", "__attribute__((endian(device)))"] {
        assert_eq!(assembly(&build(&member(attribute), &[])), plain, "{attribute}");
    }
}

#[test]
fn the_older_form_forbids_more() {
    let cases = [
        (
            "kernel void foo(global float* a) { a[0] = cbrt(a[1]); }",
            "function 'cbrt' must not be used",
        ),
        (
            "kernel void foo(global int* a) { a[0] = convert_int_sat(1.0f); }",
            "function 'convert_int_sat'",
        ),
        (
            "kernel void foo(global int4* a) { vstore4(a[0], 1, (global int*)a); }",
            "function 'vstore4'",
        ),
        (
            "kernel void foo(int a) { printf(\"%d\", a); }",
            "function 'printf' must not be used",
        ),
        (
            "kernel void foo(global int8* a) { a[0] = 1; }",
            "type 'int8' must not be used",
        ),
        (
            "kernel void foo(read_only image2d_array_t a) { }",
            "type 'image2d_array_t' must not be used",
        ),
        (
            "kernel void foo(read_only image2d_t a, sampler_t s, global float4* b) {
                 b[0] = read_imagef(a, s, (int2)(1)); }",
            "function 'read_imagef' with integer coordinates",
        ),
        (
            "kernel void foo(read_only image2d_t a, global float4* b) {
                 const sampler_t s = CLK_FILTER_LINEAR; b[0] = read_imagef(a, s, (float2)(1)); }",
            "there is no sampler map",
        ),
    ];
    for (source, message) in cases {
        let log = try_build(source, &[], Behaviour::Older, None).expect_err(source);
        assert!(log.contains(message), "{source}\n{log}");
        let newer = try_build(source, &["-enable-printf"], Behaviour::Newer, None);
        assert!(newer.is_ok(), "{source}\n{newer:?}");
    }
    // 8-bit types need their option.
    let source = "kernel void foo(global uchar* a) { a[0]++; }";
    assert!(try_build(source, &[], Behaviour::Older, None).is_err());
    assert!(try_build(source, &["-int8"], Behaviour::Older, None).is_ok());
    // The rules do not apply to the code of the library.
    let source =
        "kernel void foo(global float4* a) { a[0] = sin(a[1]) + pow(a[2], a[3]) + fmod(a[4], a[5]); }";
    let older = try_build(source, &[], Behaviour::Older, None);
    assert!(older.is_ok(), "{older:?}");
}

#[test]
fn work_dim_and_offset_by_default() {
    let source = "kernel void foo(global uint* a) { a[get_work_dim()] = get_global_offset(0); }";
    for (words, behaviour) in [(&["-work-dim=0"][..], Behaviour::Newer), (&[], Behaviour::Older)] {
        let words = try_build(source, words, behaviour, None).unwrap_or_else(|log| panic!("{log}"));
        let map = descriptor_map(&words, MapStyle::Newer).expect("reflection");
        assert!(
            !map.contains("work_dim") && !map.contains("global_offset"),
            "{map}"
        );
        // The constant 3 is the index of the element that is written.
        let text = assembly(&words);
        assert!(
            lines(&text, "OpConstant").iter().any(|l| l.ends_with(" 3")),
            "{text}"
        );
    }
}

#[test]
fn printf_needs_its_option() {
    let source = "kernel void foo(int a) { printf(\"%d %s\\n\", a, \"text\"); }";
    let log = try_build(source, &[], Behaviour::Newer, None).expect_err("off");
    assert!(log.contains("-enable-printf"), "{log}");
    let words = build(source, &["-enable-printf", "-printf-buffer-size=4096"]);
    let reflection = reflect::read(&words).expect("reflection");
    let buffer = reflection.printf_buffer.expect("a buffer");
    assert_eq!(buffer.size, 4096);
    assert_eq!(reflection.printf_formats.len(), 2);
    assert_eq!(reflection.printf_formats[1].arg_sizes, [4, 4]);
}

#[test]
fn what_the_abi_cannot_express_is_an_error() {
    let cases = [
        (
            "kernel void foo(global ulong* a) { **(global int* global*)a = 1; }",
            "a pointer read from a buffer",
        ),
        (
            "kernel void foo(global ulong* a, global int* b) { *(global int* global*)a = b; }",
            "stored in a buffer",
        ),
        (
            "kernel void foo(global ulong* a) { *(global int*)a[0] = 1; }",
            "a pointer made of a number",
        ),
        (
            "kernel void foo(global int* a) { if (a) a[0] = 1; }",
            "compared with a null pointer",
        ),
        (
            "kernel void foo(global int* a, global int* b) { if (a < b) a[0] = 1; }",
            "different buffers compared",
        ),
    ];
    for (source, message) in cases {
        let log = try_build(source, &[], Behaviour::Newer, None).expect_err(source);
        assert!(
            log.contains(message) && log.starts_with("foo.cl:1:"),
            "{source}\n{log}"
        );
        assert!(log.contains("the descriptor ABI cannot express it"), "{log}");
    }
}

#[test]
fn pointers_of_several_buffers() {
    // The pointers are chosen at run time, kept in private and local memory, and swapped in a loop.
    let source = "kernel void foo(global int* a, global int* b, local int* l, int n) {
        global int* from = a; global int* to = b;
        for (int i = 0; i < n; i++) { to[i] = from[i] + 1; global int* t = to; to = from; from = t; }
        local int here[4]; local int* p = n > 3 ? l : here;
        p[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE);
        global int* table[2] = {a, b};
        atomic_add(table[n & 1] + 2, p[0]);
        (n > 7 ? a : b)[1] = to - from == 0;
    }";
    let log = try_build(source, &[], Behaviour::Newer, None);
    assert!(log.is_ok(), "{log:?}");
}

#[test]
fn places_agree_with_the_map() {
    let words = build(
        "kernel void foo(global int* a, int2 b, char c) { a[0] = b.x + c; }",
        &["-pod-ubo"],
    );
    let reflection = reflect::read(&words).expect("reflection");
    let args = &reflection.kernels[0].args;
    let place = |i: usize| match args[i].binding {
        Some(Binding::Pod(Place::Uniform { at, offset, size })) => (at.set, at.binding, offset, size),
        other => panic!("{other:?}"),
    };
    assert_eq!((place(1), place(2)), ((0, 1, 0, 8), (0, 1, 8, 1)));
}

#[test]
fn the_same_input_gives_the_same_output() {
    for source in [FOO, LOCALS, CONSTANTS] {
        assert_eq!(build(source, &[]), build(source, &[]));
    }
    assert!(matches!(Target::clspv().abi, Abi::Descriptor(_)));
}
