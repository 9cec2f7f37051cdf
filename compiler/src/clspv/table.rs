//! The table of clspv's options, and the help text that is made from it.

use crate::abi::UboLayout;

/// The effect of an option.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    /// The option has no effect, with or without a value.
    Ignored,
    /// A switch, which most often concerns the descriptor ABI.
    Switch(Switch),
    Number(Number),
    Choice(Choice),
    /// A layout that uniform buffers may have.
    Layout(UboLayout),
    /// An option that Caldera does not support, with the reason.
    Refused(&'static str),
}

/// The switches.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Switch {
    ClusterPods,
    PodUbo,
    PodPushConstant,
    ConstantArgsUbo,
    ConstantsInBuffer,
    DistinctSets,
    WorkDim,
    GlobalOffset,
    GlobalOffsetPush,
    Regions,
    UniformGroups,
    Printf,
    PhysicalBuffers,
    Int8,
    Fp16,
    Fp64,
    Images,
    NativeMath,
}

/// The options whose value is a number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Number {
    MaxPushConstants,
    MaxUniformBuffer,
    PrintfBuffer,
}

/// The options whose value is a word, a list or a file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Choice {
    SpirvVersion,
    Arch,
    No8Bit,
    No16Bit,
    RoundingRte,
    DenormPreserve,
    SamplerMap,
    DescriptorMap,
    OutputFormat,
    InputLanguage,
}

/// The options as (name, effect, help), in the order of the help text.
pub(super) const TABLE: &[(&str, Effect, &str)] = &[
    (
        "cluster-pod-kernel-args",
        Effect::Switch(Switch::ClusterPods),
        "[on] all plain values of a kernel in one block, whose binding comes after the others",
    ),
    (
        "pod-ubo",
        Effect::Switch(Switch::PodUbo),
        "plain values in a uniform buffer, not a storage buffer",
    ),
    (
        "pod-pushconstant",
        Effect::Switch(Switch::PodPushConstant),
        "plain values in push constants",
    ),
    (
        "max-pushconstant-size",
        Effect::Number(Number::MaxPushConstants),
        "=BYTES [128] largest push constant block",
    ),
    (
        "max-ubo-size",
        Effect::Number(Number::MaxUniformBuffer),
        "=BYTES [65536] largest uniform buffer",
    ),
    (
        "constant-args-ubo",
        Effect::Switch(Switch::ConstantArgsUbo),
        "pointers to __constant as uniform buffers",
    ),
    (
        "relaxed-ubo-layout",
        Effect::Layout(UboLayout::Relaxed),
        "the device has VK_KHR_relaxed_block_layout, for -constant-args-ubo",
    ),
    (
        "std430-ubo-layout",
        Effect::Layout(UboLayout::Std430),
        "VK_KHR_uniform_buffer_standard_layout",
    ),
    (
        "scalar-block-layout",
        Effect::Layout(UboLayout::Scalar),
        "VK_EXT_scalar_block_layout",
    ),
    (
        "module-constants-in-storage-buffer",
        Effect::Switch(Switch::ConstantsInBuffer),
        "__constant variables in a storage buffer that the host fills",
    ),
    (
        "distinct-kernel-descriptor-sets",
        Effect::Switch(Switch::DistinctSets),
        "a descriptor set for each kernel",
    ),
    (
        "samplermap",
        Effect::Choice(Choice::SamplerMap),
        "=FILE the literal samplers that the program may use",
    ),
    (
        "descriptormap",
        Effect::Choice(Choice::DescriptorMap),
        "=FILE write the descriptor map there",
    ),
    (
        "work-dim",
        Effect::Switch(Switch::WorkDim),
        "[on] get_work_dim is a specialization constant, not always 3",
    ),
    (
        "global-offset",
        Effect::Switch(Switch::GlobalOffset),
        "get_global_offset is specialization constants, not always 0",
    ),
    (
        "global-offset-push-constant",
        Effect::Switch(Switch::GlobalOffsetPush),
        "get_global_offset is a push constant",
    ),
    (
        "cl-arm-non-uniform-work-group-size",
        Effect::Switch(Switch::Regions),
        "an NDRange may be several dispatches, described by push constants",
    ),
    (
        "uniform-workgroup-size",
        Effect::Switch(Switch::UniformGroups),
        "an NDRange is never several dispatches; disables -cl-arm-non-uniform-work-group-size",
    ),
    (
        "cl-uniform-work-group-size",
        Effect::Switch(Switch::UniformGroups),
        "synonym of -uniform-workgroup-size",
    ),
    (
        "enable-printf",
        Effect::Switch(Switch::Printf),
        "printf, into a storage buffer",
    ),
    (
        "printf-buffer-size",
        Effect::Number(Number::PrintfBuffer),
        "=BYTES [1048576] size of the printf buffer",
    ),
    (
        "spv-version",
        Effect::Choice(Choice::SpirvVersion),
        "=1.N SPIR-V version: 1.0 (default of the descriptor ABI) or 1.3 to 1.6",
    ),
    ("int8", Effect::Switch(Switch::Int8), "[on] 8-bit integers"),
    ("fp16", Effect::Switch(Switch::Fp16), "[on] cl_khr_fp16"),
    ("fp64", Effect::Switch(Switch::Fp64), "[on] cl_khr_fp64"),
    ("images", Effect::Switch(Switch::Images), "[on] images"),
    (
        "no-8bit-storage",
        Effect::Choice(Choice::No8Bit),
        "=ssbo,ubo,pushconstant the device has no 8-bit access to these storage classes",
    ),
    (
        "no-16bit-storage",
        Effect::Choice(Choice::No16Bit),
        "=ssbo,ubo,pushconstant the device has no 16-bit access to these storage classes",
    ),
    (
        "rounding-mode-rte",
        Effect::Choice(Choice::RoundingRte),
        "=16,32,64 the device has RoundingModeRTE for these floats",
    ),
    (
        "denorm-preserve",
        Effect::Choice(Choice::DenormPreserve),
        "=16,32,64 the device has DenormPreserve for these floats",
    ),
    (
        "cl-native-math",
        Effect::Switch(Switch::NativeMath),
        "implies -cl-fast-relaxed-math; built-in functions of float may have any accuracy",
    ),
    (
        "physical-storage-buffers",
        Effect::Switch(Switch::PhysicalBuffers),
        "device addresses: the physical ABI",
    ),
    (
        "arch",
        Effect::Choice(Choice::Arch),
        "=spirv32|spirv64 [spirv64] bits of size_t and its like; pointers have 64 bits in memory either way",
    ),
    (
        "output-format",
        Effect::Choice(Choice::OutputFormat),
        "=spv|c [spv] bytes, or an initializer for C",
    ),
    (
        "x",
        Effect::Choice(Choice::InputLanguage),
        "=cl the language of the input",
    ),
    (
        "untyped-pointers",
        Effect::Refused("SPV_KHR_untyped_pointers is not supported"),
        "",
    ),
    (
        "cl-arm-integer-dot-product",
        Effect::Refused("cl_arm_integer_dot_product is not supported"),
        "",
    ),
    (
        "enable-feature-macros",
        Effect::Refused("OpenCL 3.0's feature macros are not supported"),
        "",
    ),
    ("no-dra", Effect::Ignored, ""),
    ("no-smsv", Effect::Ignored, ""),
    ("no-inline-single", Effect::Ignored, ""),
    ("inline-entry-points", Effect::Ignored, ""),
    ("long-vector", Effect::Ignored, ""),
    ("vec3-to-vec4", Effect::Ignored, ""),
    ("no-vec3-to-vec4", Effect::Ignored, ""),
    ("rewrite-packed-structs", Effect::Ignored, ""),
    ("spv-khr-fma", Effect::Ignored, ""),
    ("use-native-builtins", Effect::Ignored, ""),
    ("decorate-nonuniform", Effect::Ignored, ""),
    ("show-ids", Effect::Ignored, ""),
    ("memmove-alloca-limit", Effect::Ignored, ""),
    ("enable-opaque-pointers", Effect::Ignored, ""),
    ("cl-no-subgroup-ifp", Effect::Ignored, ""),
    ("denorm-flush-to-zero", Effect::Ignored, ""),
    ("hack-initializers", Effect::Ignored, ""),
    ("hack-dis", Effect::Ignored, ""),
    ("hack-inserts", Effect::Ignored, ""),
    ("hack-scf", Effect::Ignored, ""),
    ("hack-undef", Effect::Ignored, ""),
    ("hack-phis", Effect::Ignored, ""),
    ("hack-block-order", Effect::Ignored, ""),
    ("hack-clamp-width", Effect::Ignored, ""),
    ("hack-mul-extended", Effect::Ignored, ""),
    ("hack-convert-to-float", Effect::Ignored, ""),
    ("hack-image1d-buffer-bgra", Effect::Ignored, ""),
    ("hack-logical-ptrtoint", Effect::Ignored, ""),
];

/// Returns the help text: the options that have an effect, then the names of the accepted options without
/// effect.
pub fn help() -> String {
    let mut text = String::new();
    for (name, effect, about) in TABLE {
        if !matches!(effect, Effect::Ignored | Effect::Refused(_)) {
            let (argument, rest) = match about.strip_prefix('=') {
                Some(about) => about.split_once(' ').unwrap_or((about, "")),
                None => ("", *about),
            };
            let equals = if argument.is_empty() { "" } else { "=" };
            text.push_str(&format!(
                "  {:<38} {rest}\n",
                format!("-{name}{equals}{argument}")
            ));
        }
    }
    text.push_str("  accepted without effect:");
    let mut column = 80;
    for (name, effect, _) in TABLE {
        if *effect == Effect::Ignored {
            if column + name.len() > 90 {
                text.push_str("\n   ");
                column = 3;
            }
            text.push_str(&format!(" -{name}"));
            column += name.len() + 2;
        }
    }
    text.push('\n');
    text
}
