//! Derives OpenCL's queries and the compiler's target from Vulkan's features and limits.

use caldera_compiler::abi::{Abi, DescriptorAbi};
use caldera_compiler::check::Checks;
use caldera_compiler::intrinsic::DotSigns;
use caldera_compiler::options::ClStd;
use caldera_compiler::target::{
    Calibration, Costs, DIVIDED_SUBGROUPS, MatrixVariant, Quirks, SHUFFLE_EXTENSIONS, SUBGROUP_EXTENSIONS,
    SpirvVersion, SubgroupLayout, Target, Zeroed,
};

use super::calibrate::Measured;
use super::images::ImageFormats;
use super::info::{AtomicCapabilities, CacheType, DeviceInfo, FpConfig, LocalMemType, VectorWidths};
use super::limits::Limits;
use crate::config::{AbiChoice, ClVersion, DeviceKind, MatrixChoice, config};
use crate::kernel::placed::MAX_PUSH;
use crate::vk::{self, Facts, PhysicalType};

/// The step in bytes in which the local memory arena grows, so that few pipelines cover all sizes.
pub(super) const LOCAL_STEP: u32 = 1024;

/// Returns the Vulkan names of the features that OpenCL needs and the device lacks.
pub(super) fn missing(physical: &vk::PhysicalDevice) -> Vec<&'static str> {
    let f = physical.facts();
    [
        (
            f.buffer_addresses || abi(f) == AbiChoice::Descriptor,
            "bufferDeviceAddress",
        ),
        (
            has_narrow_storage(f) || abi(f) == AbiChoice::Descriptor,
            "storageBuffer8BitAccess and storageBuffer16BitAccess",
        ),
    ]
    .into_iter()
    .filter(|(has, _)| !has)
    .map(|(_, name)| name)
    .collect()
}

/// Returns whether kernels can access bytes and 16-bit numbers in buffers. Accesses by address need that; with descriptors, parts
/// of words are accessed instead.
fn has_narrow_storage(f: &Facts) -> bool {
    f.features.storage8 && f.features.storage16
}

/// Returns whether addresses can be converted to pointers to every type. Without 64-bit integers, the conversion is a bit cast of
/// words, in which SPIRV-Tools' validator allows a pointer to bytes or 16-bit integers only if there is arithmetic on these.
fn has_pointers(f: &Facts) -> bool {
    let features = &f.features;
    features.int64 || features.int8 && features.int16
}

/// Returns the way in which kernels access buffers: the one that the environment asks for, or by address where the
/// device has addresses, pointers, and narrow accesses.
pub(super) fn abi(f: &Facts) -> AbiChoice {
    config().abi.unwrap_or(
        if f.buffer_addresses && has_narrow_storage(f) && has_pointers(f) {
            AbiChoice::Physical
        } else {
            AbiChoice::Descriptor
        },
    )
}

/// Returns the newest version of SPIR-V that the device's version of Vulkan has.
fn spirv(f: &Facts) -> SpirvVersion {
    let minor = match f.version {
        (1, 0 | 1) if f.spirv_1_4 => 4,
        (1, 0 | 1) => 3,
        (1, 2) => 5,
        _ => 6,
    };
    SpirvVersion { major: 1, minor }
}

/// Returns the extensions, in a fixed order.
fn extensions(f: &Facts, images: bool) -> Vec<&'static str> {
    let features = &f.features;
    let mut list = vec![
        "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics",
        "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics",
        "cl_khr_byte_addressable_store",
        "cl_khr_il_program",
        "cl_khr_create_command_queue",
        "cl_khr_device_uuid",
        "cl_khr_expect_assume",
        "cl_khr_extended_bit_ops",
        "cl_khr_extended_versioning",
        "cl_khr_integer_dot_product",
        "cl_khr_priority_hints",
        "cl_khr_spirv_linkonce_odr",
        "cl_khr_spirv_no_integer_wrap_decoration",
        "cl_khr_spirv_queries",
        "cl_khr_suggested_local_work_size",
        "cl_khr_throttle_hints",
    ];
    // These extend OpenCL C 2.0 and 3.0, or are not for programs of OpenCL 1.2.
    if newest() >= ClStd::Cl30 {
        // With the descriptor ABI, a pointer is no address.
        if abi(f) == AbiChoice::Physical {
            list.push("cl_ext_buffer_device_address");
            list.push("cl_intel_unified_shared_memory");
            // Programs of SYCL ask every GPU for its number.
            list.push("cl_intel_device_attribute_query");
        }
        list.push("cl_ext_float_atomics");
        if features.clocks {
            list.push("cl_khr_kernel_clock");
        }
        if features.zeroes_local_memory {
            list.push("cl_khr_initialize_memory");
        }
        list.extend([
            "cl_khr_command_buffer",
            "cl_khr_command_buffer_mutable_dispatch",
            "cl_khr_semaphore",
            "cl_khr_work_group_uniform_arithmetic",
        ]);
        if !f.external_memory.is_empty() {
            list.push("cl_khr_external_memory");
        }
        list.extend(f.external_memory.iter().map(|kind| kind.extension()));
        let vk::SemaphoreHandles { imported, exported } = &f.semaphores;
        let shared = |kind: &vk::SemaphoreHandle| imported.contains(kind) || exported.contains(kind);
        let shared = vk::SemaphoreHandle::ALL.into_iter().filter(shared);
        let shared: Vec<&str> = shared.map(vk::SemaphoreHandle::extension).collect();
        if !shared.is_empty() {
            list.push("cl_khr_external_semaphore");
        }
        list.extend(shared);
    }
    if f.pci.is_some() {
        list.push("cl_khr_pci_bus_info");
    }
    if features.buffer_int64_atomics && features.shared_int64_atomics {
        list.extend(["cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"]);
    }
    if features.float64 {
        list.push("cl_khr_fp64");
    }
    if features.float16 && features.storage16 {
        list.push("cl_khr_fp16");
    }
    // The extension guarantees that a sub-group makes progress while others of its work-group wait (compiler
    // ADR 13). GPUs do that; drivers that run a work-group on one thread of a CPU do not.
    if features.subgroups && f.physical_type != PhysicalType::Cpu {
        list.push("cl_khr_subgroups");
    }
    // These need either that extension or the sub-groups of OpenCL C 3.0, which do not guarantee it.
    if features.subgroups && (list.contains(&"cl_khr_subgroups") || newest() >= ClStd::Cl30) {
        // Without arithmetic of 8 and 16 bits, sub-groups have no operations on such types.
        let narrow = features.int8 && features.int16;
        let offered = |name: &&&str| narrow || **name != "cl_khr_subgroup_extended_types";
        list.extend(SUBGROUP_EXTENSIONS.iter().filter(offered));
        if features.subgroup_shuffle {
            list.extend(SHUFFLE_EXTENSIONS);
            list.push("cl_intel_required_subgroup_size");
        }
    }
    if !matrix_variants(f).is_empty() {
        list.push("cl_khr_cooperative_matrix");
    }
    if images {
        list.extend([
            "cl_khr_3d_image_writes",
            "cl_khr_depth_images",
            "cl_khr_image2d_from_buffer",
        ]);
    }
    list
}

/// Returns whether cooperative matrices are emulated, by shuffles of sub-groups.
fn emulates_matrices(f: &Facts) -> bool {
    config().matrices == MatrixChoice::Emulate && f.features.subgroup_shuffle
}

/// Returns the sizes of sub-groups that kernels may require: the device's, and smaller ones, for which the compiler divides
/// the device's.
fn subgroup_sizes(f: &Facts) -> Vec<usize> {
    if !f.features.subgroup_shuffle {
        return Vec::new();
    }
    let mut sizes: Vec<usize> = DIVIDED_SUBGROUPS
        .filter(|size| size.is_power_of_two() && *size < f.subgroup_size)
        .map(|size| size as usize)
        .collect();
    sizes.push(f.subgroup_size as usize);
    sizes
}

/// Returns the products of cooperative matrices that are offered.
fn matrix_variants(f: &Facts) -> Vec<MatrixVariant> {
    match config().matrices {
        MatrixChoice::Emulate if emulates_matrices(f) => MatrixVariant::emulated(&f.features),
        MatrixChoice::Device => f.matrix_variants.clone(),
        MatrixChoice::Emulate | MatrixChoice::Off => Vec::new(),
    }
}

/// Returns the newest version of OpenCL C.
fn newest() -> ClStd {
    match config().cl_version {
        ClVersion::V1_2 => ClStd::Cl12,
        ClVersion::V3_0 => ClStd::Cl30,
        ClVersion::V3_1 => ClStd::Cl31,
    }
}

/// Returns the orders and scopes of atomic operations and fences. A fence or an atomic operation of acquire or
/// release is what Vulkan's memory model calls so; the fences that the compiler emits have the scope of the device.
fn atomics(f: &Facts) -> AtomicCapabilities {
    let device = f.features.vulkan_memory_model_device_scope || !f.features.vulkan_memory_model;
    AtomicCapabilities {
        acq_rel: true,
        // Compiler ADR 19.
        seq_cst: device,
        device,
        work_item: true,
    }
}

/// Returns whether doubles have atomic operations. They are done on the bits.
fn double_atomics(f: &Facts) -> bool {
    f.features.float64 && f.features.buffer_int64_atomics && f.features.shared_int64_atomics
}

/// Returns whether kernels may both read and write an image.
fn reads_and_writes(f: &Facts, formats: &ImageFormats) -> bool {
    let any = f.features.reads_any_format || f.features.states_formats;
    newest() >= ClStd::Cl30 && any && formats.read_and_written()
}

/// Returns the optional features of OpenCL C 3.0 (6.2.1), in alphabetical order. There are none before that version.
fn c_features(f: &Facts, images: bool, formats: &ImageFormats) -> Vec<&'static str> {
    if newest() < ClStd::Cl30 {
        return Vec::new();
    }
    let atomics = atomics(f);
    // The descriptor ABI has neither variables in global memory nor pointers to several kinds of memory.
    let physical = abi(f) == AbiChoice::Physical;
    let double = double_atomics(f);
    [
        ("__opencl_c_3d_image_writes", images),
        ("__opencl_c_atomic_order_acq_rel", atomics.acq_rel),
        ("__opencl_c_atomic_order_seq_cst", atomics.seq_cst),
        ("__opencl_c_atomic_scope_all_devices", atomics.device),
        ("__opencl_c_atomic_scope_device", atomics.device),
        ("__opencl_c_ext_fp32_global_atomic_add", true),
        ("__opencl_c_ext_fp32_global_atomic_min_max", true),
        ("__opencl_c_ext_fp32_local_atomic_add", true),
        ("__opencl_c_ext_fp32_local_atomic_min_max", true),
        ("__opencl_c_ext_fp64_global_atomic_add", double),
        ("__opencl_c_ext_fp64_global_atomic_min_max", double),
        ("__opencl_c_ext_fp64_local_atomic_add", double),
        ("__opencl_c_ext_fp64_local_atomic_min_max", double),
        ("__opencl_c_fp64", f.features.float64),
        ("__opencl_c_generic_address_space", physical),
        ("__opencl_c_images", images),
        ("__opencl_c_int64", true),
        ("__opencl_c_integer_dot_product_input_4x8bit", true),
        ("__opencl_c_integer_dot_product_input_4x8bit_packed", true),
        ("__opencl_c_kernel_clock_scope_device", f.features.clocks),
        (
            "__opencl_c_kernel_clock_scope_sub_group",
            f.features.clocks && f.features.subgroups,
        ),
        ("__opencl_c_kernel_clock_scope_work_group", f.features.clocks),
        ("__opencl_c_pipes", physical),
        ("__opencl_c_program_scope_global_variables", physical),
        (
            "__opencl_c_read_write_images",
            images && reads_and_writes(f, formats),
        ),
        ("__opencl_c_subgroups", f.features.subgroups),
        ("__opencl_c_work_group_collective_functions", true),
    ]
    .into_iter()
    .filter(|(_, has)| *has)
    .map(|(name, _)| name)
    .collect()
}

/// Returns the compiler's target, without the results of calibration.
pub(super) fn target(physical: &vk::PhysicalDevice, formats: &ImageFormats) -> Target {
    let f = physical.facts();
    let nvidia = f.driver_name == "NVIDIA" || config().debug.nvidia_faults;
    let swiftshader = f.driver_name == "SwiftShader driver";
    // With `nvidia-faults`, kernels are compiled with the passes for GPUs. Long loops are wrong on llvmpipe then.
    let gpu_passes = f.driver_name != "llvmpipe" || config().debug.nvidia_faults;
    // `nvidia-faults` emits dot products on devices that do not accelerate them, too.
    let all_dots = config().debug.nvidia_faults;
    let images = f.features.images && formats.missing().is_empty();
    let extensions = extensions(f, images);
    // A version that is not known has the faults of all.
    let mesa = mesa(&f.driver_info);
    let before_25_0 = mesa.is_none_or(|v| v < (25, 0));
    let after_25_0 = mesa.is_none_or(|v| v > (25, 0));
    Target {
        spirv: spirv(f),
        abi: match abi(f) {
            AbiChoice::Physical => Abi::Physical,
            AbiChoice::Descriptor => Abi::Descriptor(DescriptorAbi::runtime()),
        },
        features: caldera_compiler::target::Features {
            // Every GPU has a fused multiply-add operation; CPU drivers may call a function for it.
            fast_fma: f.physical_type != PhysicalType::Cpu,
            matrices: !matrix_variants(f).is_empty(),
            images,
            // The stores of the orders A, RA and ARGB need it, which are supported unless views cannot swizzle.
            reordered_writes: images,
            reads_any_format: f.features.reads_any_format,
            packed_dot: f.features.packed_dot.map(|has| has || all_dots),
            saturating_dot: f.features.saturating_dot.map(|has| has || all_dots),
            ..f.features
        },
        calibration: Calibration::default(),
        quirks: Quirks {
            // Observed with Mesa 22.3, and with the SwiftShader of Chromium 156.
            loop_values: f.driver_name == "llvmpipe" || swiftshader,
            // LP_MAX_TGSI_LOOP_ITERATIONS of Mesa 22.3; 25.0 does not have it.
            counted_loops: !gpu_passes && before_25_0,
            // Observed with Mesa 22.3.
            idle_lanes: f.driver_name == "llvmpipe",
            coarse_filter: f.driver_name == "llvmpipe" || !formats.filtered(),
            // Observed with Mesa 22.3. In 25.0, visit_barrier only waits if there is an execution scope.
            waiting_fences: f.driver_name == "llvmpipe" && before_25_0,
            // Observed with Mesa 22.3 on a processor with AVX2. The processor is not queried, because a module
            // may run on another one.
            double_rounding: f.driver_name == "llvmpipe",
            // According to nir_opt_algebraic.py of Mesa 22.3, which all of its drivers share. In 25.0, nir_algebraic.py writes
            // negative constants as numbers of 64 bits.
            widened_compares: f.driver_info.starts_with("Mesa ") && before_25_0,
            // According to nir_opt_algebraic.py and nir_range_analysis.c of Mesa 22.3.
            kept_sign_of_zero: f.driver_info.starts_with("Mesa "),
            // In lp_build_nir_llvm of Mesa 22.3, nir_convert_from_ssa comes before nir_lower_locals_to_regs.
            stale_indices: f.driver_name == "llvmpipe",
            // In lp_build_add, lp_build_mul and others of all versions of Mesa.
            zero_operands: f.driver_name == "llvmpipe",
            // In nir_search.c of Mesa 22.3, which compares constants as numbers; newer versions compare the bits of zeros.
            chosen_zeros: f.driver_info.starts_with("Mesa "),
            // Observed with Mesa 22.3.
            typed_atomics: f.driver_name == "llvmpipe",
            // In nir_loop_analyze.c of all versions of Mesa: calculate_iterations.
            miscounted_loops: f.driver_info.starts_with("Mesa "),
            // In nir_opcodes.py of all versions of Mesa: the expression of idiv.
            overflowing_quotients: f.driver_info.starts_with("Mesa "),
            // Observed with version 580 on an H200.
            narrow_integers: nvidia,
            nonnegative_abs: nvidia,
            bit_products: nvidia,
            masked_signs: nvidia,
            shared_quotients: nvidia,
            mixed_lanes: nvidia,
            repeated_clamps: nvidia,
            byte_swaps: nvidia,
            shifts_by_31: nvidia,
            wide_accesses: nvidia,
            joined_halves: nvidia,
            chosen_negative_zeros: nvidia,
            cut_conversions: nvidia,
            // With Mesa since 26.2 at the latest. Not with 22.3.
            negative_bounds: nvidia || f.driver_info.starts_with("Mesa ") && after_25_0,
            half_clamps: nvidia,
            signed_comparisons: nvidia,
            nan_bounds: nvidia,
            constant_conversions: nvidia,
            shared_registers: nvidia,
            converted_truths: nvidia,
            // Observed with the SwiftShader of Chromium 156.
            rounded_unsigned: swiftshader,
            // Observed with Mesa 22.3 (rounded twice), 25.0 and 26.2 (NaN).
            halves_by_floats: f.driver_info.starts_with("Mesa "),
            // Observed with Mesa 26.2, not with 25.0.
            joined_conversions: f.driver_info.starts_with("Mesa ") && after_25_0,
            unmasked_loads: f.driver_name == "llvmpipe" && after_25_0,
        },
        costs: Costs {
            // Observed in the machine code of driver version 580.
            // SwiftShader's FNegate leaves the sign of NaN.
            costly_negation: nvidia || swiftshader,
            // Observed in the machine code of Mesa 22.3, and in execution times with NVIDIA's version 580.
            split_words: nvidia || f.driver_name == "llvmpipe",
            lane_by_lane: !gpu_passes,
            whole_rotations: f.physical_type == PhysicalType::Cpu && !nvidia,
        },
        limits: caldera_compiler::target::Limits {
            push_constants: f.max_push_constants_size.min(MAX_PUSH as u32),
            local_memory: f.max_compute_shared_memory_size,
            work_group_size: f.max_compute_work_group_invocations,
            uniform_buffer: f.max_uniform_buffer_range.min(vk::ArgsSet::RANGE as u32),
            private_memory: private_memory(&f.driver_name),
            private_accesses: private_accesses(&f.driver_name),
            // LP_MAX_TGSI_NESTING is 80 in all versions of Mesa, and the driver's count is one higher than the
            // compiler's.
            nesting: if f.driver_name == "llvmpipe" { 79 } else { u32::MAX },
            local_memory_step: LOCAL_STEP,
        },
        wide_ranges: false,
        zeroed: Zeroed::default(),
        aligned_buffers: true,
        checks: Checks::default(),
        matrix_variants: matrix_variants(f),
        emulated_matrices: emulates_matrices(f).then_some(f.subgroup_size),
        subgroup_size: f.features.subgroup_shuffle.then_some(f.subgroup_size),
        subgroup_layout: subgroup_layout(f),
        packs_groups: !config().debug.no_packing,
        newest: newest(),
        c_features: c_features(f, images, formats)
            .into_iter()
            .map(String::from)
            .collect(),
        extensions: extensions.into_iter().map(String::from).collect(),
    }
}

/// Returns the version of Mesa, if it is known.
fn mesa(driver_info: &str) -> Option<(u32, u32)> {
    let mut numbers = driver_info.strip_prefix("Mesa ")?.split(['.', '-', ' ']);
    let mut number = || numbers.next()?.parse().ok();
    Some((number()?, number()?))
}

/// Returns which work-items form sub-groups, as far as it is known without a measurement.
fn subgroup_layout(f: &Facts) -> SubgroupLayout {
    // Work-groups of all sizes must fit into one dimension to be flat.
    let can_be_flat = f.max_compute_work_group_size[0] >= f.max_compute_work_group_invocations;
    // NVIDIA's warps are threads with consecutive numbers in the work-group (CUDA C++ Programming Guide, SIMT Architecture).
    match f.driver_name == "NVIDIA" || !can_be_flat {
        true => SubgroupLayout::Full,
        false => SubgroupLayout::Unknown,
    }
}

/// Returns the number of compute units. Vulkan has no such query, only extensions of NVIDIA and AMD.
pub(super) fn compute_units(f: &Facts) -> Option<u32> {
    let of_host = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let is_cpu = f.physical_type == PhysicalType::Cpu;
    f.compute_units.or_else(|| is_cpu.then(of_host))
}

/// Returns how many bytes of private arrays per work-item are left to the driver (compiler ADR 16).
fn private_memory(driver_name: &str) -> u32 {
    match driver_name {
        // Mesa 22.3 takes 0.3 s to compile each KiB.
        "llvmpipe" => 1 << 10,
        // NVIDIA's version 580 refuses 16 KiB, which include the driver's own temporaries. Others, such as RADV, allocate
        // private memory for all work-items that the device may have in flight, whatever a launch needs (compiler ADR 16).
        _ => 8 << 10,
    }
}

/// Returns how many accesses of a private array are left to the driver, with their weights (compiler ADR 16).
fn private_accesses(driver_name: &str) -> u32 {
    match driver_name {
        // LLVM takes seconds for more.
        "llvmpipe" => 1000,
        _ => u32::MAX,
    }
}

fn vendor(f: &Facts) -> String {
    match f.vendor_id {
        0x1002 => "Advanced Micro Devices, Inc.".into(),
        0x1010 => "Imagination Technologies".into(),
        0x10DE => "NVIDIA Corporation".into(),
        0x13B5 => "Arm".into(),
        0x1AE0 => "Google Inc.".into(),
        0x5143 => "Qualcomm".into(),
        0x8086 => "Intel Corporation".into(),
        0x10005 => "Mesa".into(),
        id => format!("Vulkan vendor {id:#x}"),
    }
}

fn kind(f: &Facts) -> DeviceKind {
    config().device_type.unwrap_or(match f.physical_type {
        PhysicalType::Cpu => DeviceKind::Cpu,
        PhysicalType::Discrete | PhysicalType::Integrated | PhysicalType::Virtual => DeviceKind::Gpu,
        PhysicalType::Other => DeviceKind::Accelerator,
    })
}

/// Returns CL_DEVICE_*_FP_CONFIG for 16, 32 and 64 bits.
pub(super) fn fp_configs(target: &Target, measured: &Measured) -> [FpConfig; 3] {
    let fp = |bits: usize| FpConfig {
        // CL_FP_DENORM is set if the driver guarantees it or calibration found it. Results that are neither
        // flushed nor declared to be kept would match no reference. CL 4.2 requires CL_FP_DENORM for
        // cl_khr_fp64, so it is set for doubles, too, unless calibration found that they are flushed, as lavapipe
        // of Mesa 26.2 does.
        denorm: target.features.denorm_preserve[bits]
            || measured.subnormals()[bits]
            || bits == 2 && (measured.subnormal_arithmetic[2] || *measured == Measured::default()),
        inf_nan: true,
        round_to_nearest: true,
        fma: measured.fused_fma[bits],
        correctly_rounded_divide_sqrt: bits == 1 && measured.rounded_divide_sqrt(),
        ..FpConfig::default()
    };
    let half = target.has_extension("cl_khr_fp16");
    let double = FpConfig {
        // Conversions in every rounding mode, and fma, are implemented in the compiler's library.
        round_to_zero: true,
        round_to_inf: true,
        fma: true,
        ..fp(2)
    };
    [
        if half { fp(0) } else { FpConfig::default() },
        fp(1),
        if target.features.float64 {
            double
        } else {
            FpConfig::default()
        },
    ]
}

/// Returns a number that changes with the compiler and with what it is told of the device and by the user. It is a part of
/// CL_DRIVER_VERSION, because programs that keep binaries (PyOpenCL, for one) look for them by that text, and Caldera
/// refuses a binary that was made for another target. The results of calibration, which come later, are left out.
fn code_version(target: &Target) -> u32 {
    let (compiler, config) = (caldera_compiler::IDENTITY, config());
    let settings = (config.check, config.calibrate, &config.assumed);
    let text = format!("{compiler} {target:?} {settings:?}");
    xxhash_rust::xxh3::xxh3_64(text.as_bytes()) as u32
}

/// Returns the answers of clGetDeviceInfo.
#[allow(clippy::too_many_lines, reason = "a table with one row for each query")]
pub(super) fn info(
    physical: &vk::PhysicalDevice,
    target: &Target,
    limits: &Limits,
    formats: &ImageFormats,
) -> DeviceInfo {
    let f = physical.facts();
    let has64 = target.features.float64;
    let has16 = target.features.float16 && target.features.storage16;
    // On all known Vulkan devices, the work-items are the vector lanes.
    let widths = VectorWidths {
        char: 1,
        short: 1,
        int: 1,
        long: 1,
        float: 1,
        double: u32::from(has64),
        half: u32::from(has16),
    };
    let cache = super::system::cache(f);
    let images = target.features.images;
    let sub_group_sizes = subgroup_sizes(f);
    let least_subgroup = sub_group_sizes.first().map_or(limits.subgroup, |n| *n as u32);
    let image = |n: u32| if images { n } else { 0 };
    let texels = |n: u32| image(n) as usize;
    let [one, two, three] = f.max_image_dimension;
    DeviceInfo {
        kind: kind(f),
        vendor_id: f.vendor_id,
        device_id: f.device_id,
        max_compute_units: compute_units(f).unwrap_or(1),
        max_work_item_dimensions: 3,
        max_work_item_sizes: limits.group_size.map(|n| n as usize),
        max_work_group_size: limits.group_invocations as usize,
        preferred_vector_width: widths,
        native_vector_width: widths,
        address_bits: 64,
        max_mem_alloc_size: limits.max_alloc,
        image_support: images,
        max_read_image_args: image(f.max_per_stage_sampled_images.min(128)),
        max_write_image_args: image(f.max_per_stage_storage_images.min(64)),
        max_read_write_image_args: image(match reads_and_writes(f, formats) {
            true => f.max_per_stage_storage_images.min(64),
            false => 0,
        }),
        image2d_max_width: texels(one.min(two)),
        image2d_max_height: texels(two),
        image3d_max_width: texels(three),
        image3d_max_height: texels(three),
        image3d_max_depth: texels(three),
        image_max_buffer_size: texels(f.max_texel_buffer_elements),
        image_max_array_size: texels(f.max_image_array_layers),
        // A sampler may need two descriptors.
        max_samplers: image((f.max_per_stage_samplers / 2).min(32)),
        max_parameter_size: 1024,
        // The alignment of long16, or the one that descriptors need.
        mem_base_addr_align: 1024
            .max(8 * f.min_texel_buffer_offset_alignment as u32)
            .max(8 * f.min_storage_buffer_offset_alignment as u32)
            .max(8 * f.min_uniform_buffer_offset_alignment as u32),
        min_data_type_align_size: 128,
        // Vulkan does not report a GPU's caches.
        global_mem_cache_type: cache.map_or(CacheType::None, |_| CacheType::ReadWrite),
        global_mem_cacheline_size: cache.map_or(0, |c| c.line),
        global_mem_cache_size: cache.map_or(0, |c| c.size),
        global_mem_size: limits.global_memory,
        // Constant memory is part of global memory.
        max_constant_buffer_size: limits.max_alloc.min(16 << 20),
        max_constant_args: 16,
        local_mem_type: match f.physical_type {
            PhysicalType::Cpu => LocalMemType::Global,
            PhysicalType::Discrete
            | PhysicalType::Integrated
            | PhysicalType::Virtual
            | PhysicalType::Other => LocalMemType::Local,
        },
        local_mem_size: u64::from(limits.local_memory),
        error_correction_support: false,
        host_unified_memory: f.unified_memory,
        profiling_timer_resolution: (f.timestamp_period.ceil() as usize).max(1),
        endian_little: cfg!(target_endian = "little"),
        available: true,
        compiler_available: true,
        linker_available: true,
        executes_native_kernels: true,
        // Independent commands overlap (`queue::hazards`).
        out_of_order_queues: true,
        built_in_kernels: String::new(),
        name: config().device_name.clone().unwrap_or_else(|| f.name.clone()),
        vendor: vendor(f),
        driver_version: format!(
            "{} ({} {}; code {:08x})",
            env!("CARGO_PKG_VERSION"),
            f.driver_name,
            f.driver_info,
            code_version(target)
        ),
        profile: "FULL_PROFILE",
        version: format!(
            "{} Caldera {}",
            config().cl_version.text(),
            env!("CARGO_PKG_VERSION")
        ),
        // CL 3.0, 4.2: a newer version only if the device has all of its optional features.
        opencl_c_version: "OpenCL C 1.2 ".into(),
        numeric_version: config().cl_version.numbers(),
        opencl_c_versions: [(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)]
            .into_iter()
            .filter(|version| *version <= config().cl_version.numbers())
            .collect(),
        opencl_c_features: c_features(f, images, formats),
        atomic_memory: atomics(f),
        atomic_fence: atomics(f),
        atomic_doubles: double_atomics(f),
        max_num_sub_groups: match f.features.subgroups {
            true => limits.group_invocations.div_ceil(least_subgroup),
            false => 0,
        },
        sub_group_sizes,
        independent_sub_groups: target.has_extension("cl_khr_subgroups"),
        uuid: f.device_uuid,
        driver_uuid: f.driver_uuid,
        luid: f.luid,
        pci_bus_info: f.pci.map(vk::PciAddress::numbers),
        external_memory: f.external_memory.clone(),
        semaphore_imports: f.semaphores.imported.clone(),
        semaphore_exports: f.semaphores.exported.clone(),
        accelerated_dots: [
            target.has_packed_dot(DotSigns::Signed),
            target.has_packed_dot(DotSigns::Unsigned),
            target.has_packed_dot(DotSigns::Mixed),
            target.has_saturating_dot(DotSigns::Signed),
            target.has_saturating_dot(DotSigns::Unsigned),
            target.has_saturating_dot(DotSigns::Mixed),
        ],
        matrix_variants: target.matrix_variants.clone(),
        // Vulkan wants addresses of rows or columns to be multiples of 16 bytes, or of their own length if that is less.
        matrix_alignment: if target.emulated_matrices.is_some() { 1 } else { 16 },
        spirv_capabilities: caldera_compiler::spirv_in::capabilities(target),
        extensions: extensions(f, target.features.images),
        printf_buffer_size: caldera_compiler::printf::PRINTF_BUFFER_SIZE as usize,
        preferred_interop_user_sync: true,
        partition_max_sub_devices: 1,
        preferred_work_group_size_multiple: limits.subgroup as usize,
    }
}

#[cfg(test)]
mod tests {
    use super::mesa;

    #[test]
    fn versions_of_mesa() {
        assert_eq!(mesa("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        assert_eq!(mesa("Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)"), Some((25, 0)));
        assert_eq!(mesa("Mesa 26.2.6-1"), Some((26, 2)));
        assert_eq!(mesa("Mesa 24.1-devel (git-0123456789)"), Some((24, 1)));
        assert_eq!(mesa("Mesa"), None);
        assert_eq!(mesa("580.159.04"), None);
    }
}
