//! Tests clauses of the contract that have no example: layouts, samplers, sub-groups, aliasing, sizes,
//! arithmetic.

use super::{assembly, build, lines, try_build};
use caldera_compiler::clspv::Behaviour;
use caldera_compiler::reflect::{self, Binding, MapStyle, Place, descriptor_map};

/// "The compiler will generate an error if the layout of the buffer does not satisfy the Standard Uniform
/// Buffer Layout rules": tests the pointee of each pointer to `__constant`, and the layouts that options
/// allow in addition.
#[test]
fn layouts_of_uniform_buffers() {
    const STANDARD: &str = "-constant-args-ubo";
    const RELAXED: &str = "-relaxed-ubo-layout";
    const STD430: &str = "-std430-ubo-layout";
    const SCALAR: &str = "-scalar-block-layout";
    // The type, and the first of the options with which its layout is allowed.
    let cases = [
        ("int4", STANDARD),
        ("float3", STANDARD),
        ("struct { int a; float b; int c[1]; int4 d; }", STD430),
        ("struct { float4 a; int b; int c; int d; int e; }", STANDARD),
        ("struct { int4 a[2]; struct { float4 x; } b; }", STANDARD),
        ("int", STD430),
        ("char", STD430),
        ("struct { int a; }", STD430),
        ("struct { float4 a; float b[4]; }", STD430),
        (
            "struct { float4 a; int b; struct { float4 x; int y[4]; } c; }",
            STD430,
        ),
        ("struct { float4 a; struct { int x; } b; int c; }", STD430),
        (
            "struct __attribute__((packed)) { float2 a; int b; int c; }",
            STANDARD,
        ),
        (
            "struct __attribute__((packed)) { int a; float2 b; int c; }",
            RELAXED,
        ),
        (
            "struct __attribute__((packed)) { int a; float4 b; int c[3]; }",
            SCALAR,
        ),
        ("struct __attribute__((packed)) { int a; float4 b; }", SCALAR),
    ];
    for (ty, from) in cases {
        let source =
            format!("typedef {ty} T; kernel void foo(global T* a, constant T* b) {{ a[0] = b[1]; }}");
        let mut right = false;
        for option in [STANDARD, RELAXED, STD430, SCALAR] {
            right |= option == from;
            let built = try_build(&source, &[STANDARD, option], Behaviour::Newer, None);
            match built {
                Ok(_) => assert!(right, "{ty} with {option}"),
                Err(log) => {
                    assert!(!right, "{ty} with {option}: {log}");
                    assert!(log.contains("has no layout for a uniform buffer"), "{log}");
                }
            }
        }
        // Storage buffers have no such rules.
        assert!(try_build(&source, &[], Behaviour::Newer, None).is_ok());
    }
}

/// The map names every descriptor that a module declares, for reads with any sampler.
#[test]
fn samplers_use_the_bindings_of_the_map() {
    let source = "kernel void foo(read_only image3d_t v, read_only image2d_array_t a, read_only image2d_t i, sampler_t t,
            sampler_t u, global float4* b, sampler_t w, read_only image1d_t l) {
        b[0] = read_imagef(v, t, (float4)(0.5f)) + read_imagef(a, u, (float4)(0.5f)) + read_imagef(v, u, (int4)(1));
        b[1] = read_imagef(i, w, (int2)(1)) + read_imagef(i, t, (float2)(1)) + as_float4(read_imageui(i, t, (int2)(1, 2)));
        b[2] = as_float4(read_imagei(a, w, (float4)(1.0f))) + read_imagef(l, w, 3) + as_float4(read_imageui(l, u, 0.5f));
    }";
    for (words, set) in [
        (&[][..], "0"),
        (&["-pod-ubo", "-distinct-kernel-descriptor-sets"], "0"),
    ] {
        let words = build(source, words);
        let text = assembly(&words);
        let mut bindings: Vec<&str> = lines(&text, "OpDecorate")
            .into_iter()
            .filter_map(|l| l.split_once(" Binding ").map(|(_, b)| b))
            .collect();
        bindings.sort_unstable();
        bindings.dedup();
        assert_eq!(bindings, ["0", "1", "2", "3", "4", "5", "6", "7"], "{text}");
        let map = descriptor_map(&words, MapStyle::Newer).expect("reflection");
        for binding in bindings {
            assert!(
                map.contains(&format!("descriptorSet,{set},binding,{binding},")),
                "{map}"
            );
        }
        // Arrays and 3D images are read with normalized variants of the samplers; the masks tell whether to
        // divide coordinates.
        let args = &reflect::read(&words).expect("reflection").kernels[0].args;
        let normalized = |i: usize| matches!(args[i].binding, Some(Binding::NormalizedSampler(_)));
        assert!(normalized(3) && normalized(4) && normalized(6), "{args:?}");
        for arg in [&args[3], &args[4], &args[6]] {
            assert!(matches!(arg.sampler_mask, Some(Place::Push { .. })), "{arg:?}");
            assert!(arg.normalized_sampler.is_none());
        }
    }
    // If only 1D and 2D images are read, the samplers are those of the host. The older form has no push
    // constants.
    let plain = "kernel void foo(read_only image2d_t i, sampler_t t, global float4* b) {
        b[0] = read_imagef(i, t, (float2)(0.5f)) + as_float4(read_imagei(i, t, (int2)(1))); }";
    let deep = "kernel void foo(read_only image3d_t i, sampler_t t, global float4* b) { b[0] = read_imagef(i, t, (float4)(0.5f)); }";
    for (source, behaviour) in [(plain, Behaviour::Newer), (deep, Behaviour::Older)] {
        let words = try_build(source, &[], behaviour, None).unwrap_or_else(|log| panic!("{log}"));
        let args = &reflect::read(&words).expect("reflection").kernels[0].args;
        assert!(matches!(args[1].binding, Some(Binding::Sampler(_))), "{args:?}");
        assert!(!assembly(&words).contains("PushConstant"));
    }
}

/// Statements with sub-group functions, the operation that each becomes, and the capability that it needs.
const SUB_GROUP_OPERATIONS: [(&str, &str, &str); 16] = [
    (
        "a[0] = get_sub_group_size();",
        "OpGroupNonUniformBallot",
        "GroupNonUniformBallot",
    ),
    (
        "a[0] = get_sub_group_id();",
        "BuiltIn SubgroupId",
        "GroupNonUniform",
    ),
    (
        "a[0] = get_sub_group_local_id();",
        "BuiltIn SubgroupLocalInvocationId",
        "GroupNonUniform",
    ),
    (
        "a[0] = sub_group_broadcast(a[1], 2);",
        "OpGroupNonUniformBroadcast",
        "GroupNonUniformBallot",
    ),
    (
        "a[0] = sub_group_all(a[1]);",
        "OpGroupNonUniformAll",
        "GroupNonUniformVote",
    ),
    (
        "a[0] = sub_group_any(a[1]);",
        "OpGroupNonUniformAny",
        "GroupNonUniformVote",
    ),
    (
        "a[0] = sub_group_reduce_add(a[1]);",
        "OpGroupNonUniformIAdd",
        "GroupNonUniformArithmetic",
    ),
    (
        "f[0] = sub_group_reduce_add(f[1]);",
        "OpGroupNonUniformFAdd",
        "GroupNonUniformArithmetic",
    ),
    (
        "a[0] = sub_group_scan_exclusive_min(a[1]);",
        "OpGroupNonUniformSMin",
        "GroupNonUniformArithmetic",
    ),
    (
        "u[0] = sub_group_scan_inclusive_min(u[1]);",
        "OpGroupNonUniformUMin",
        "GroupNonUniformArithmetic",
    ),
    (
        "f[0] = sub_group_reduce_min(f[1]);",
        "OpGroupNonUniformFMin",
        "GroupNonUniformArithmetic",
    ),
    (
        "a[0] = sub_group_scan_inclusive_max(a[1]);",
        "OpGroupNonUniformSMax",
        "GroupNonUniformArithmetic",
    ),
    (
        "u[0] = sub_group_reduce_max(u[1]);",
        "OpGroupNonUniformUMax",
        "GroupNonUniformArithmetic",
    ),
    (
        "f[0] = sub_group_scan_exclusive_max(f[1]);",
        "OpGroupNonUniformFMax",
        "GroupNonUniformArithmetic",
    ),
    (
        "sub_group_barrier(CLK_LOCAL_MEM_FENCE);",
        "OpControlBarrier",
        "GroupNonUniform",
    ),
    (
        "a[0] = get_num_sub_groups() + get_max_sub_group_size();",
        "BuiltIn SubgroupSize",
        "GroupNonUniform",
    ),
];
/// cl_khr_subgroups: from SPIR-V 1.3 on, each function becomes the operation that the mapping names.
#[test]
fn sub_groups_from_version_1_3_on() {
    for (body, operation, capability) in SUB_GROUP_OPERATIONS {
        let source = format!("kernel void foo(global int* a, global float* f, global uint* u) {{ {body} }}");
        for version in ["-spv-version=1.3", "-spv-version=1.5"] {
            let text = assembly(&build(&source, &[version]));
            assert!(text.contains(operation), "{body}\n{text}");
            if body.starts_with("sub_group_barrier") {
                continue;
            }
            assert!(
                text.contains(&format!("OpCapability {capability}\n")),
                "{body}\n{text}"
            );
        }
        let log = try_build(&source, &[], Behaviour::Newer, None).expect_err("1.0 has none");
        assert!(log.contains("cl_khr_subgroups"), "{log}");
    }
    // Before 1.5 the work-item of a broadcast must be a constant.
    let source = "kernel void foo(global int* a, int n) { a[0] = sub_group_broadcast(a[1], n); }";
    assert!(try_build(source, &["-spv-version=1.3"], Behaviour::Newer, None).is_err());
    assert!(try_build(source, &["-spv-version=1.5"], Behaviour::Newer, None).is_ok());
}

/// "The compiler does not generate Aliased decorations": a buffer that is accessed in several widths is one
/// variable.
#[test]
fn nothing_is_aliased() {
    let sources = [
        "kernel void foo(global int* a, int n) {
            global uchar* b = (global uchar*)a; b[n] = a[n + 1]; ((global short*)a)[n] = 3;
            a[0] = b[2] + ((global short*)a)[4]; ((global long*)a)[n + 9] = 5; }",
        "typedef struct { char c; short s; int i; long l; float4 f; } S;
         kernel void foo(global S* a, int n) { a[n] = a[n + 1]; a[0].c++; a[0].s += a[1].i; a[2].f *= 2; atomic_inc(&a[3].i); }",
        "kernel void foo(global char16* a, global half* h, int n) { vstore_half(n, n, h); a[n] = a[n + 1]; vstore4(convert_char4(a[0].s0123), n, (global char*)a);
            h[n] = h[n + 1] + as_half(((global short*)a)[3]); }",
    ];
    for source in sources {
        for words in [
            &[][..],
            &["-no-8bit-storage=ssbo", "-no-16bit-storage=ssbo"],
            &["-module-constants-in-storage-buffer"],
        ] {
            let text = assembly(&build(source, words));
            assert!(!text.contains("Aliased"), "{words:?}\n{text}");
            let buffers = lines(&text, "OpVariable")
                .iter()
                .filter(|l| l.ends_with(" StorageBuffer"))
                .count();
            let mut bindings: Vec<&str> = lines(&text, "OpDecorate")
                .into_iter()
                .filter(|l| l.contains(" Binding "))
                .collect();
            bindings.sort_unstable_by_key(|l| l.rsplit(' ').next());
            bindings.dedup_by_key(|l| l.rsplit(' ').next());
            assert_eq!(buffers, bindings.len(), "{words:?}\n{text}");
        }
    }
}

/// "size_t, ptrdiff_t, uintptr_t, and intptr_t … are mapped to 32-bit integer types": this holds with
/// `-arch=spirv32`.
#[test]
fn pointer_sized_types() {
    let check = |bytes: u32, (unsigned, signed): (&str, &str)| {
        format!(
            "_Static_assert(sizeof(size_t) == {bytes} && sizeof(ptrdiff_t) == {bytes}, \"\");
             _Static_assert(sizeof(uintptr_t) == {bytes} && sizeof(intptr_t) == {bytes}, \"\");
             _Static_assert(sizeof(sizeof(int)) == {bytes} && sizeof(__SIZE_TYPE__) == {bytes}, \"\");
             _Static_assert(sizeof(get_global_id(0)) == {bytes}, \"\");
             kernel void foo(global int* a) {{
                 _Static_assert(sizeof(&a[1] - a) == {bytes}, \"\");
                 {unsigned} n = max(get_global_id(0), ({unsigned})3); {signed} d = max(&a[n] - a, ({signed})1);
                 a[n] = get_global_size(0) + get_local_id(1) * d + as_size_t(n) + as_ptrdiff_t(d);
             }}"
        )
    };
    let small = check(4, ("uint", "int"));
    let large = check(8, ("ulong", "long"));
    for words in [&["-arch=spirv32"][..], &["-arch=spirv64", "-arch=spirv32"]] {
        build(&small, words);
        let source = "kernel void foo(global int* a) { size_t i = get_global_id(0); a[i] = i * get_local_size(0) / sizeof(*a); }";
        let text = assembly(&build(source, words));
        assert!(!text.contains("OpCapability Int64"), "{text}");
        assert!(try_build(&large, words, Behaviour::Newer, None).is_err());
    }
    for words in [&[][..], &["-arch=spirv64"]] {
        build(&large, words);
        assert!(try_build(&small, words, Behaviour::Newer, None).is_err());
    }
}

/// `-cl-native-math` "goes beyond fast-relaxed math": functions become the driver's operations.
#[test]
fn native_math() {
    let cases = [
        ("fma(x, y, x)", ""),
        ("atan(x)", "Atan"),
        ("atan2(x, y)", "Atan2"),
        ("tanh(x)", "Tanh"),
        ("asinh(x)", "Asinh"),
        ("acosh(x)", "Acosh"),
        ("atanh(x)", "Atanh"),
        ("sqrt(x)", "Sqrt"),
        ("rsqrt(x)", "InverseSqrt"),
        ("pow(x, y)", "Pow"),
        ("log(x)", "Log"),
        ("tan(x)", "Tan"),
        ("length((float3)(x, y, x))", "Sqrt"),
        ("distance((float2)(x, y), (float2)(y, x))", "Sqrt"),
    ];
    for (call, operation) in cases {
        let source =
            format!("kernel void foo(global float* a) {{ float x = a[1], y = a[2]; a[0] = {call}; }}");
        let native = assembly(&build(&source, &["-cl-native-math"]));
        assert!(
            native.contains(&format!(" {operation} ")) || operation.is_empty(),
            "{call}\n{native}"
        );
        // The code consists of a few operations in one block.
        assert!(native.matches("OpLabel").count() == 1, "{call}\n{native}");
        let count = |text: &str| text.lines().count();
        let exact = assembly(&build(&source, &[]));
        assert!(count(&native) <= count(&exact), "{call}\n{native}");
    }
    // The option does not affect doubles and halves.
    for ty in ["double", "half"] {
        let source = format!("kernel void foo(global {ty}* a) {{ a[0] = atan(a[1]); }}");
        let text = assembly(&build(&source, &["-cl-native-math"]));
        assert!(!text.contains(" Atan "), "{text}");
    }
}
