//! The capabilities and extensions that a module may declare.
//!
//! A capability is accepted if the importer implements everything that it allows, or reports each missing
//! instruction by its name, and if the device can do it.

use super::Error;
use super::words::Inst;
use crate::target::Target;
use rspirv::spirv::{AddressingModel, Capability, MemoryModel, Op};
use std::ffi::CStr;

/// The extensions whose instructions and decorations are implemented, or only give hints.
pub const EXTENSIONS: &[&CStr] = &[
    c"SPV_EXT_arithmetic_fence",
    c"SPV_EXT_optnone",
    c"SPV_EXT_relaxed_printf_string_address_space",
    c"SPV_EXT_shader_atomic_float_add",
    c"SPV_EXT_shader_atomic_float_min_max",
    c"SPV_INTEL_bfloat16_conversion",
    c"SPV_INTEL_cache_controls",
    c"SPV_INTEL_debug_module",
    c"SPV_INTEL_fp_fast_math_mode",
    c"SPV_INTEL_fp_max_error",
    c"SPV_INTEL_fpga_buffer_location",
    c"SPV_INTEL_global_variable_host_access",
    c"SPV_INTEL_kernel_attributes",
    c"SPV_INTEL_long_composites",
    c"SPV_INTEL_maximum_registers",
    c"SPV_INTEL_memory_access_aliasing",
    c"SPV_INTEL_optnone",
    c"SPV_INTEL_runtime_aligned",
    c"SPV_INTEL_split_barrier",
    c"SPV_INTEL_subgroup_buffer_prefetch",
    c"SPV_INTEL_subgroups",
    c"SPV_INTEL_unstructured_loop_controls",
    c"SPV_KHR_bit_instructions",
    c"SPV_KHR_cooperative_matrix",
    c"SPV_KHR_expect_assume",
    c"SPV_KHR_float_controls",
    c"SPV_KHR_integer_dot_product",
    c"SPV_KHR_linkonce_odr",
    c"SPV_KHR_no_integer_wrap_decoration",
    c"SPV_KHR_non_semantic_info",
    c"SPV_KHR_shader_clock",
    c"SPV_KHR_subgroup_rotate",
    c"SPV_KHR_uniform_group_instructions",
];

/// An extension of which only some uses of vectors are implemented, so that the device does not offer it.
const PARTIAL: &str = "SPV_INTEL_vector_compute";

/// Checks an OpCapability.
pub(super) fn check(inst: &Inst<'_>, target: &Target) -> Result<Capability, Error> {
    inst.exactly(1)?;
    let number = inst.arg(0)?;
    let Some(capability) = Capability::from_u32(number) else {
        return Err(inst.unsupported(format!("the capability {number} is unknown")));
    };
    match device_has(capability, target) {
        Some(true) => Ok(capability),
        // Triton declares it for vectors of one component, and for long ones that it only loads.
        _ if capability == Capability::VectorAnyINTEL => Ok(capability),
        // Some modules of SPIRV-LLVM-Translator declare it without need. An integer of another width is refused
        // where its OpTypeInt is.
        _ if capability == Capability::ArbitraryPrecisionIntegersALTERA => Ok(capability),
        Some(false) => {
            Err(inst.unsupported(format!("the device does not have the capability {capability:?}")))
        }
        None => Err(inst.unsupported(format!("the capability {capability:?} is not implemented"))),
    }
}

/// Returns the numbers of the capabilities that modules for a device may declare, in ascending order.
pub fn capabilities(target: &Target) -> Vec<u32> {
    (0..MOST_CAPABILITIES)
        .filter_map(|number| Some((number, Capability::from_u32(number)?)))
        .filter(|&(_, capability)| device_has(capability, target) == Some(true))
        .map(|(number, _)| number)
        .collect()
}

/// The numbers of all known capabilities are below this one.
const MOST_CAPABILITIES: u32 = 8192;

/// A device may have this extension without `cl_khr_subgroups`, whose sub-groups make progress independently.
pub(super) const BALLOT: &str = "cl_khr_subgroup_ballot";

/// Returns whether the device has a capability; `None` if the importer does not implement it.
fn device_has(capability: Capability, target: &Target) -> Option<bool> {
    let f = &target.features;
    let has = |extension| target.has_extension(extension);
    Some(match capability {
        Capability::Addresses
        | Capability::Kernel
        | Capability::Linkage
        | Capability::Vector16
        | Capability::Int8
        | Capability::Int16
        | Capability::Int64
        | Capability::Float16Buffer
        | Capability::Groups
        | Capability::GenericPointer
        | Capability::BitInstructions
        | Capability::DotProduct
        | Capability::DotProductInputAll
        | Capability::DotProductInput4x8Bit
        | Capability::DotProductInput4x8BitPacked
        | Capability::ExpectAssumeKHR
        | Capability::OptNoneEXT
        | Capability::UniformDecoration
        | Capability::FPFastMathModeINTEL
        | Capability::DebugInfoModuleINTEL
        | Capability::MemoryAccessAliasingINTEL
        | Capability::UnstructuredLoopControlsINTEL
        | Capability::ArithmeticFenceEXT
        | Capability::BFloat16ConversionINTEL
        | Capability::CacheControlsINTEL
        | Capability::FPMaxErrorINTEL
        | Capability::FPGABufferLocationALTERA
        | Capability::GlobalVariableHostAccessINTEL
        | Capability::LongCompositesINTEL
        | Capability::RegisterLimitsINTEL
        | Capability::RuntimeAlignedAttributeALTERA
        | Capability::SignedZeroInfNanPreserve
        | Capability::RoundingModeRTE
        | Capability::SplitBarrierINTEL
        | Capability::AtomicFloat32AddEXT
        | Capability::AtomicFloat32MinMaxEXT
        | Capability::KernelAttributesINTEL => true,
        Capability::AtomicFloat64AddEXT | Capability::AtomicFloat64MinMaxEXT => {
            f.float64 && f.buffer_int64_atomics && f.shared_int64_atomics
        }
        Capability::CooperativeMatrixKHR => f.matrices && f.vulkan_memory_model,
        Capability::ShaderClockKHR => f.clocks,
        Capability::Float16 => f.float16 && has("cl_khr_fp16"),
        Capability::Float64 => f.float64 && has("cl_khr_fp64"),
        Capability::ImageBasic
        | Capability::LiteralSampler
        | Capability::Sampled1D
        | Capability::Image1D
        | Capability::SampledBuffer
        | Capability::ImageBuffer => f.images,
        Capability::Pipes => target.c_features.iter().any(|f| f == "__opencl_c_pipes"),
        Capability::ImageReadWrite => {
            f.images
                && target
                    .c_features
                    .iter()
                    .any(|f| f == "__opencl_c_read_write_images")
        }
        // Devices have both extensions or none; each stands for all atomic operations.
        Capability::Int64Atomics => {
            f.buffer_int64_atomics
                && (has("cl_khr_int64_base_atomics") || has("cl_khr_int64_extended_atomics"))
        }
        Capability::GroupNonUniform | Capability::SubgroupDispatch => {
            f.subgroups && (has("cl_khr_subgroups") || has(BALLOT))
        }
        Capability::SubgroupShuffleINTEL => has("cl_khr_subgroup_shuffle"),
        Capability::DenormPreserve => f.denorm_preserve.contains(&true),
        Capability::SubgroupBufferBlockIOINTEL | Capability::SubgroupBufferPrefetchINTEL => {
            f.subgroups && has(BALLOT)
        }
        Capability::GroupNonUniformVote => has("cl_khr_subgroup_non_uniform_vote"),
        Capability::GroupNonUniformBallot => has(BALLOT),
        Capability::GroupNonUniformArithmetic => has("cl_khr_subgroup_non_uniform_arithmetic"),
        Capability::GroupNonUniformShuffle => has("cl_khr_subgroup_shuffle"),
        Capability::GroupNonUniformShuffleRelative => has("cl_khr_subgroup_shuffle_relative"),
        Capability::GroupNonUniformClustered => has("cl_khr_subgroup_clustered_reduce"),
        Capability::GroupUniformArithmeticKHR => has("cl_khr_work_group_uniform_arithmetic"),
        Capability::GroupNonUniformRotateKHR => has("cl_khr_subgroup_rotate"),
        _ => return None,
    })
}

/// Checks an OpExtension. The names of OpenCL's extensions are those that the device lists.
pub(super) fn extension(inst: &Inst<'_>, target: &Target) -> Result<String, Error> {
    let (name, end) = inst.string(0)?;
    inst.exactly(end)?;
    let known = name == PARTIAL
        || EXTENSIONS.iter().any(|e| e.to_bytes() == name.as_bytes())
        || target.has_extension(&name);
    if known {
        Ok(name)
    } else {
        Err(inst.unsupported(format!("the extension {name:?} is not implemented")))
    }
}

/// Checks that the device has the type that an instruction declares.
pub(super) fn of_type(inst: &Inst<'_>, target: &Target) -> Result<(), Error> {
    match inst.op {
        Op::TypeImage => image(inst, target),
        Op::TypeFloat if inst.arg(0)? == 64 && device_has(Capability::Float64, target) != Some(true) => {
            Err(inst.unsupported("the device does not have cl_khr_fp64"))
        }
        _ => Ok(()),
    }
}

/// Checks that the device has the images that an OpTypeImage declares.
fn image(inst: &Inst<'_>, target: &Target) -> Result<(), Error> {
    let (is_depth, multisampled) = (inst.arg(2)? == 1, inst.arg(4)? == 1);
    if multisampled {
        return Err(
            inst.unsupported("images with several samples are not implemented (cl_khr_gl_msaa_sharing)")
        );
    }
    if is_depth && !target.has_extension("cl_khr_depth_images") {
        return Err(inst.unsupported("the device does not have cl_khr_depth_images"));
    }
    Ok(())
}

/// Checks the OpMemoryModel. Returns whether pointers have 32 bits (Physical32).
pub(super) fn memory_model(inst: &Inst<'_>) -> Result<bool, Error> {
    inst.exactly(2)?;
    let small = match AddressingModel::from_u32(inst.arg(0)?) {
        Some(AddressingModel::Physical32) => true,
        Some(AddressingModel::Physical64) => false,
        Some(other) => {
            return Err(inst.unsupported(format!(
                "the addressing model {other:?} is not implemented (Physical32 and Physical64 are)"
            )));
        }
        None => return Err(inst.invalid("the addressing model is unknown")),
    };
    match MemoryModel::from_u32(inst.arg(1)?) {
        Some(MemoryModel::OpenCL) => Ok(small),
        Some(other) => Err(inst.unsupported(format!("the memory model {other:?} is not that of OpenCL"))),
        None => Err(inst.invalid("the memory model is unknown")),
    }
}
