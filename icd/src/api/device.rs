//! CL 4.2 and 4.3: devices.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::config::DeviceKind;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::usm::UsmKind;
use caldera_runtime::object;
use caldera_runtime::platform::Platform;

use super::matrix;
use super::platform::{name_version, opencl_version, version, with_versions};
use crate::abi::*;
use crate::args::Ptr;
use crate::out::{self, Info, Written};
use crate::{entry, handle};

/// CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE and CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, in bytes: the minimum that
/// OpenCL 2.0 requires. Larger variables work, too.
const MAX_GLOBAL_VARIABLE: usize = 65536;

/// Returns the bit of CL_DEVICE_TYPE for a kind of device.
fn kind_bits(kind: DeviceKind) -> cl_device_type {
    match kind {
        DeviceKind::Cpu => CL_DEVICE_TYPE_CPU,
        DeviceKind::Gpu => CL_DEVICE_TYPE_GPU,
        DeviceKind::Accelerator => CL_DEVICE_TYPE_ACCELERATOR,
    }
}

/// Returns the devices of the given types, or the error of clGetDeviceIDs.
pub(crate) fn of_type(device_type: cl_device_type) -> Result<Vec<Arc<Device>>> {
    const KNOWN: cl_device_type = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    // CL 4.2: INVALID_DEVICE_TYPE if device_type is not a valid value
    if device_type != CL_DEVICE_TYPE_ALL && (device_type == 0 || device_type & !KNOWN != 0) {
        let why = format!("device_type {device_type:#x} is not valid");
        return Err(Error::new(ClCode::InvalidDeviceType, why).at("4.2"));
    }
    let all = Platform::get()?.devices();
    let devices: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(i, d)| {
            device_type == CL_DEVICE_TYPE_ALL
                || device_type & kind_bits(d.info().kind) != 0
                || (device_type & CL_DEVICE_TYPE_DEFAULT != 0 && *i == 0)
        })
        .map(|(_, d)| Arc::clone(d))
        .collect();
    // CL 4.2: DEVICE_NOT_FOUND if no devices that match were found
    if devices.is_empty() {
        return Err(Error::new(ClCode::DeviceNotFound, "no device of that type").at("4.2"));
    }
    Ok(devices)
}

entry! {
    /// CL 4.2 — clGetDeviceIDs
    fn clGetDeviceIDs(
        platform: cl_platform_id,
        device_type: cl_device_type,
        num_entries: cl_uint,
        devices: *mut cl_device_id [num_entries],
        num_devices: *mut cl_uint,
    ) {
        super::platform::check(platform)?;
        // CL 4.2: INVALID_VALUE if num_entries is 0 and devices is not NULL, or both num_devices and devices are NULL
        if (num_entries == 0 && !devices.is_null()) || (devices.is_null() && num_devices.is_null()) {
            let why = "num_entries is 0, or devices and num_devices are both NULL";
            return Err(Error::new(ClCode::InvalidValue, why).at("4.2"));
        }
        let found: Vec<cl_device_id> = of_type(device_type)?.iter().map(object::handle).collect();
        out::counted(&found, devices, num_devices);
        Ok(())
    }
}

entry! {
    /// CL 4.2 — clGetDeviceInfo
    fn clGetDeviceInfo(
        device: cl_device_id,
        param_name: cl_device_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let device = handle::borrow::<Device>(device)?;
        let info = Info::new(param_value, param_value_size_ret);
        match answer_1_2(&device, param_name, info) {
            Some(answer) => answer,
            None => answer_later(&device, param_name, info),
        }
        .map(drop)
    }
}

/// Answers the queries of OpenCL 1.2 (table 4.3). Returns `None` for every other query.
fn answer_1_2(device: &Arc<Device>, param_name: cl_device_info, info: Info) -> Option<Result<Written>> {
    let d = device.info();
    let preferred = &d.preferred_vector_width;
    let native = &d.native_vector_width;
    Some(match param_name {
        CL_DEVICE_TYPE => info.value(kind_bits(d.kind)),
        CL_DEVICE_VENDOR_ID => info.value(d.vendor_id),
        CL_DEVICE_MAX_COMPUTE_UNITS => info.value(d.max_compute_units),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => info.value(d.max_work_item_dimensions),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => info.value(d.max_work_item_sizes),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => info.value(d.max_work_group_size),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR => info.value(preferred.char),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT => info.value(preferred.short),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT => info.value(preferred.int),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG => info.value(preferred.long),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT => info.value(preferred.float),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => info.value(preferred.double),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF => info.value(preferred.half),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => info.value(native.char),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT => info.value(native.short),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => info.value(native.int),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG => info.value(native.long),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => info.value(native.float),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => info.value(native.double),
        CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => info.value(native.half),
        CL_DEVICE_MAX_CLOCK_FREQUENCY => info.value(device.max_clock_frequency()),
        CL_DEVICE_ADDRESS_BITS => info.value(d.address_bits),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => info.value(d.max_mem_alloc_size),
        CL_DEVICE_IMAGE_SUPPORT => info.bool(d.image_support),
        CL_DEVICE_MAX_READ_IMAGE_ARGS => info.value(d.max_read_image_args),
        CL_DEVICE_MAX_WRITE_IMAGE_ARGS => info.value(d.max_write_image_args),
        CL_DEVICE_IMAGE2D_MAX_WIDTH => info.value(d.image2d_max_width),
        CL_DEVICE_IMAGE2D_MAX_HEIGHT => info.value(d.image2d_max_height),
        CL_DEVICE_IMAGE3D_MAX_WIDTH => info.value(d.image3d_max_width),
        CL_DEVICE_IMAGE3D_MAX_HEIGHT => info.value(d.image3d_max_height),
        CL_DEVICE_IMAGE3D_MAX_DEPTH => info.value(d.image3d_max_depth),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => info.value(d.image_max_buffer_size),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => info.value(d.image_max_array_size),
        CL_DEVICE_MAX_SAMPLERS => info.value(d.max_samplers),
        CL_DEVICE_MAX_PARAMETER_SIZE => info.value(d.max_parameter_size),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => info.value(d.mem_base_addr_align),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => info.value(d.min_data_type_align_size),
        CL_DEVICE_HALF_FP_CONFIG => info.value(device.fp_configs()[0].bits()),
        CL_DEVICE_SINGLE_FP_CONFIG => info.value(device.fp_configs()[1].bits()),
        CL_DEVICE_DOUBLE_FP_CONFIG => info.value(device.fp_configs()[2].bits()),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => info.value(d.global_mem_cache_type as u32),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => info.value(d.global_mem_cacheline_size),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => info.value(d.global_mem_cache_size),
        CL_DEVICE_GLOBAL_MEM_SIZE => info.value(d.global_mem_size),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => info.value(d.max_constant_buffer_size),
        CL_DEVICE_MAX_CONSTANT_ARGS => info.value(d.max_constant_args),
        CL_DEVICE_LOCAL_MEM_TYPE => info.value(d.local_mem_type as u32),
        CL_DEVICE_LOCAL_MEM_SIZE => info.value(d.local_mem_size),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => info.bool(d.error_correction_support),
        CL_DEVICE_HOST_UNIFIED_MEMORY => info.bool(d.host_unified_memory),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => info.value(d.profiling_timer_resolution),
        CL_DEVICE_ENDIAN_LITTLE => info.bool(d.endian_little),
        CL_DEVICE_AVAILABLE => info.bool(d.available),
        CL_DEVICE_COMPILER_AVAILABLE => info.bool(d.compiler_available),
        CL_DEVICE_LINKER_AVAILABLE => info.bool(d.linker_available),
        CL_DEVICE_EXECUTION_CAPABILITIES => {
            let native = if d.executes_native_kernels {
                CL_EXEC_NATIVE_KERNEL
            } else {
                0
            };
            info.value(CL_EXEC_KERNEL | native)
        }
        CL_DEVICE_QUEUE_PROPERTIES => info.value(queue_properties(device)),
        CL_DEVICE_BUILT_IN_KERNELS => info.text(&d.built_in_kernels),
        CL_DEVICE_PLATFORM => Platform::get().and_then(|p| info.value(object::handle(p))),
        CL_DEVICE_NAME => info.text(&d.name),
        CL_DEVICE_VENDOR => info.text(&d.vendor),
        CL_DRIVER_VERSION => info.text(&d.driver_version),
        CL_DEVICE_PROFILE => info.text(d.profile),
        CL_DEVICE_VERSION => info.text(&d.version),
        CL_DEVICE_OPENCL_C_VERSION => info.text(&d.opencl_c_version),
        CL_DEVICE_EXTENSIONS => info.text(&d.extensions.join(" ")),
        CL_DEVICE_PRINTF_BUFFER_SIZE => info.value(d.printf_buffer_size),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => info.bool(d.preferred_interop_user_sync),
        CL_DEVICE_PARENT_DEVICE => info.value(std::ptr::null_mut::<c_void>()),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => info.value(d.partition_max_sub_devices),
        // CL 4.2: the answer {0} says that the device cannot be partitioned and is not a sub-device.
        CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => info.value(0isize),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => info.value(0u64),
        // CL 4.2: the reference count of a root-level device is one.
        CL_DEVICE_REFERENCE_COUNT => info.value(1u32),
        _ => return None,
    })
}

/// Returns the properties that queues of the device may have.
fn queue_properties(device: &Device) -> cl_command_queue_properties {
    let out_of_order = if device.info().out_of_order_queues {
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    } else {
        0
    };
    CL_QUEUE_PROFILING_ENABLE | out_of_order
}

/// The newest minor version of SPIR-V 1 that programs may have.
const SPIRV_MINOR: u32 = 6;

/// The query that asks which dot products of packed vectors are accelerated.
const PACKED_DOT_PRODUCTS: cl_device_info =
    CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED;

/// The queries of cl_ext_float_atomics, which the crate of the headers lacks.
mod float_atomics {
    use crate::abi::cl_device_info;

    pub(super) const SINGLE: cl_device_info = 0x4231;
    pub(super) const DOUBLE: cl_device_info = 0x4232;
    pub(super) const HALF: cl_device_info = 0x4233;
    /// Loads, stores and exchanges; sums and differences; minimum and maximum; each in global and in local memory.
    pub(super) const ALL: u64 = 0x0007_0007;
}

/// Answers the queries of later versions and of extensions. Queries of later versions have an answer on every device: for a
/// feature that the device lacks, it is the value that says so. A query of an extension that the device lacks is
/// CL_INVALID_VALUE, as is an unknown query.
#[allow(clippy::too_many_lines, reason = "a table with one row for each query")]
fn answer_later(device: &Arc<Device>, param_name: cl_device_info, info: Info) -> Result<Written> {
    let d = device.info();
    match param_name {
        CL_DEVICE_NUMERIC_VERSION => info.value(opencl_version(d.numeric_version)),
        // cl_khr_extended_versioning: the newest version that CL_DEVICE_OPENCL_C_VERSION names.
        CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => info.value(opencl_version((1, 2))),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => info.slice(&with_versions(d.extensions.iter().copied())),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
            let versions = d.opencl_c_versions.iter().copied();
            let all: Vec<_> = versions
                .map(|v| name_version(opencl_version(v), "OpenCL C"))
                .collect();
            info.slice(&all)
        }
        CL_DEVICE_OPENCL_C_FEATURES => {
            let features = d.opencl_c_features.iter();
            let all: Vec<_> = features
                .map(|name| name_version(version(3, 0, 0), name))
                .collect();
            info.slice(&all)
        }
        CL_DEVICE_ILS_WITH_VERSION => {
            let all: Vec<_> = (0..=SPIRV_MINOR)
                .map(|n| name_version(version(1, n, 0), "SPIR-V"))
                .collect();
            info.slice(&all)
        }
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => info.slice::<cl_name_version>(&[]),
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => info.bool(
            d.opencl_c_features
                .contains(&"__opencl_c_work_group_collective_functions"),
        ),
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => info.value(
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
        ),
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT | PACKED_DOT_PRODUCTS => {
            info.value(d.accelerated_dots.map(cl_bool::from))
        }
        CL_DEVICE_UUID => info.value(d.uuid),
        CL_DRIVER_UUID => info.value(d.driver_uuid),
        CL_DEVICE_LUID_VALID_KHR => info.bool(d.luid.is_some()),
        CL_DEVICE_LUID_KHR => info.value(d.luid.unwrap_or_default().0),
        CL_DEVICE_NODE_MASK_KHR => info.value(d.luid.unwrap_or_default().1),
        CL_DEVICE_PCI_BUS_INFO_KHR => match d.pci_bus_info {
            Some(numbers) => info.value(numbers),
            None => info.unknown(param_name),
        },
        CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => info.strings(&[c"OpenCL.std"]),
        CL_DEVICE_SPIRV_EXTENSIONS => {
            let mut names = caldera_runtime::device::SPIRV_EXTENSIONS.to_vec();
            names.retain(|name| *name != c"SPV_KHR_cooperative_matrix" || !d.matrix_variants.is_empty());
            info.strings(&names)
        }
        matrix::ALIGNMENT | matrix::STRIDE if !d.matrix_variants.is_empty() => info.value(d.matrix_alignment),
        CL_DEVICE_SPIRV_CAPABILITIES => info.slice(&d.spirv_capabilities),
        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR if d.extensions.contains(&"cl_khr_kernel_clock") => {
            let has = |name| d.opencl_c_features.contains(&name);
            let scopes = [
                (
                    "__opencl_c_kernel_clock_scope_device",
                    CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR,
                ),
                (
                    "__opencl_c_kernel_clock_scope_work_group",
                    CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR,
                ),
                (
                    "__opencl_c_kernel_clock_scope_sub_group",
                    CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR,
                ),
            ];
            info.value(
                scopes
                    .into_iter()
                    .filter(|(name, _)| has(*name))
                    .map(|(_, bit)| bit)
                    .sum::<u64>(),
            )
        }
        float_atomics::SINGLE | float_atomics::DOUBLE | float_atomics::HALF
            if d.extensions.contains(&"cl_ext_float_atomics") =>
        {
            let has = match param_name {
                float_atomics::SINGLE => true,
                float_atomics::DOUBLE => d.atomic_doubles,
                _ => false,
            };
            info.value(if has { float_atomics::ALL } else { 0 })
        }
        CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR
        | CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR
        | CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR
        | CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR
            if d.extensions.contains(&"cl_khr_command_buffer") =>
        {
            info.value(match param_name {
                CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR => {
                    CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                        | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
                }
                CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR => queue_properties(device),
                CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR => 0,
                _ => super::command_record::MUTABLE_FIELDS,
            })
        }
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR
            if d.extensions.contains(&"cl_khr_external_memory") =>
        {
            info.slice(&super::external::numbers(&d.external_memory))
        }
        // Images have the layout that the driver chooses.
        CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
            if d.extensions.contains(&"cl_khr_external_memory") =>
        {
            info.slice::<cl_external_memory_handle_type_khr>(&[])
        }
        CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR
            if d.extensions.contains(&"cl_khr_external_semaphore") =>
        {
            info.slice(&super::semaphore::numbers(&d.semaphore_imports))
        }
        CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR
            if d.extensions.contains(&"cl_khr_external_semaphore") =>
        {
            info.slice(&super::semaphore::numbers(&d.semaphore_exports))
        }
        CL_DEVICE_SEMAPHORE_TYPES_KHR if d.extensions.contains(&"cl_khr_semaphore") => {
            info.value(CL_SEMAPHORE_TYPE_BINARY_KHR)
        }
        CL_DEVICE_IL_VERSION => {
            let all: Vec<String> = (0..=SPIRV_MINOR).map(|n| format!("SPIR-V_1.{n}")).collect();
            info.text(&all.join(" "))
        }
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => info.value(d.preferred_work_group_size_multiple),
        CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
            if d.extensions.contains(&"cl_intel_unified_shared_memory") =>
        {
            let has = match param_name {
                CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL => device.has_usm(UsmKind::Host),
                CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL => true,
                CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL => device.has_usm(UsmKind::Shared),
                _ => false,
            };
            info.value(match has {
                true => CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL,
                false => 0,
            })
        }
        CL_DEVICE_SVM_CAPABILITIES => info.value(match device.shares_addresses() {
            true => CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
            false => 0,
        }),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES | CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => info.value(0u64),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => info.value(d.atomic_memory.bits()),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => info.value(d.atomic_fence.bits()),
        // From OpenCL C 3.0 on, the work-groups at the end of an NDRange may be smaller than the others.
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => info.bool(d.numeric_version >= (3, 0)),
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => {
            info.bool(d.opencl_c_features.contains(&"__opencl_c_generic_address_space"))
        }
        CL_DEVICE_PIPE_SUPPORT => info.bool(device.max_packet_size().is_some()),
        CL_DEVICE_MAX_PIPE_ARGS => info.value(if device.max_packet_size().is_some() {
            16u32
        } else {
            0
        }),
        // A reservation takes no memory, so nothing limits their number.
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => info.value(if device.max_packet_size().is_some() {
            1024u32
        } else {
            0
        }),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => info.value(device.max_packet_size().unwrap_or(0)),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => info.bool(d.independent_sub_groups),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => info.value(d.max_num_sub_groups),
        // Kernels may use the functions of cl_intel_subgroups where that extension is not offered, too.
        CL_DEVICE_SUB_GROUP_SIZES_INTEL if !d.sub_group_sizes.is_empty() => info.slice(&d.sub_group_sizes),
        CL_DEVICE_IP_VERSION_INTEL..=CL_DEVICE_FEATURE_CAPABILITIES_INTEL
            if d.extensions.contains(&"cl_intel_device_attribute_query") =>
        {
            match param_name {
                CL_DEVICE_FEATURE_CAPABILITIES_INTEL => info.value(0u64),
                CL_DEVICE_IP_VERSION_INTEL => info.value(0u32),
                CL_DEVICE_ID_INTEL => info.value(d.device_id),
                // Vulkan does not tell how the compute units are divided.
                CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL => info.value(d.max_compute_units),
                _ => info.value(1u32),
            }
        }
        // The unit is a texel, so 1 means no further alignment.
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
            info.value(u32::from(d.image_support))
        }
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => info.value(d.max_read_write_image_args),
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | CL_DEVICE_MAX_ON_DEVICE_QUEUES
        | CL_DEVICE_MAX_ON_DEVICE_EVENTS
        | CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => info.value(0u32),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            let has = d
                .opencl_c_features
                .contains(&"__opencl_c_program_scope_global_variables");
            info.value(if has { MAX_GLOBAL_VARIABLE } else { 0 })
        }
        // No conformance submission has been made. The conformance tests demand this form.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => info.text("v0000-01-01-00"),
        _ => info.unknown(param_name),
    }
}

/// Returns the error of clCreateSubDevices: no device can be partitioned.
fn create_sub_devices(in_device: Ptr<c_void>) -> Result<()> {
    handle::borrow::<Device>(in_device)?;
    // CL 4.3: INVALID_VALUE if values specified in properties are valid but not supported by the device
    Err(Error::new(ClCode::InvalidValue, "devices cannot be partitioned").at("4.3"))
}

/// Returns the time of the clock of profiling, which is that of the host and of every device.
fn timer(device: Ptr<c_void>) -> Result<cl_ulong> {
    handle::borrow::<Device>(device)?;
    Ok(caldera_runtime::event::now())
}

/// Returns the error of a timer function whose result has no place.
fn no_time(what: &'static str) -> Error {
    Error::new(ClCode::InvalidValue, what).at("2.1 4.3")
}

entry! {
    /// CL 2.1, 4.3 — clGetDeviceAndHostTimer. The times of devices are converted to the host's clock.
    fn clGetDeviceAndHostTimer(device: cl_device_id, device_timestamp: *mut cl_ulong, host_timestamp: *mut cl_ulong) {
        let time = timer(device)?;
        // CL 2.1, 4.3: INVALID_VALUE if host_timestamp or device_timestamp is NULL
        if device_timestamp.is_null() || host_timestamp.is_null() {
            return Err(no_time("a timestamp is NULL"));
        }
        device_timestamp.write(time);
        host_timestamp.write(time);
        Ok(())
    }
}

entry! {
    /// CL 2.1, 4.3 — clGetHostTimer
    fn clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) {
        let time = timer(device)?;
        // CL 2.1, 4.3: INVALID_VALUE if host_timestamp is NULL
        if host_timestamp.is_null() {
            return Err(no_time("host_timestamp is NULL"));
        }
        host_timestamp.write(time);
        Ok(())
    }
}

/// Checks the handle of clRetainDevice and clReleaseDevice. CL 4.3: these calls do nothing to root-level devices.
fn check_device(device: Ptr<c_void>) -> Result<()> {
    handle::borrow::<Device>(device).map(drop)
}

entry! {
    /// CL 4.3 — clCreateSubDevices
    fn clCreateSubDevices(
        in_device: cl_device_id,
        properties: *const cl_device_partition_property [until 0],
        num_devices: cl_uint,
        out_devices: *mut cl_device_id [num_devices],
        num_devices_ret: *mut cl_uint,
    ) {
        create_sub_devices(in_device)
    }
}

entry! {
    /// cl_ext_device_fission — clCreateSubDevicesEXT
    fn clCreateSubDevicesEXT(
        in_device: cl_device_id,
        properties: *const cl_device_partition_property_ext [until 0],
        num_entries: cl_uint,
        out_devices: *mut cl_device_id [num_entries],
        num_devices: *mut cl_uint,
    ) {
        create_sub_devices(in_device)
    }
}

entry! {
    /// CL 4.3 — clRetainDevice
    fn clRetainDevice(device: cl_device_id) {
        check_device(device)
    }
}

entry! {
    /// CL 4.3 — clReleaseDevice
    fn clReleaseDevice(device: cl_device_id) {
        check_device(device)
    }
}

entry! {
    /// cl_ext_device_fission — clRetainDeviceEXT
    fn clRetainDeviceEXT(device: cl_device_id) {
        check_device(device)
    }
}

entry! {
    /// cl_ext_device_fission — clReleaseDeviceEXT
    fn clReleaseDeviceEXT(device: cl_device_id) {
        check_device(device)
    }
}
