//! The answers of `clGetDeviceInfo` (CL 4.2, table 4.3), as typed data.
//!
//! Each query has one field, named after it. Values that depend on the object (reference count, platform) are
//! not here.

use caldera_compiler::target::MatrixVariant;

use crate::config::DeviceKind;
use crate::vk::{MemoryHandle, SemaphoreHandle};

/// The flags of CL_DEVICE_*_FP_CONFIG.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct FpConfig {
    /// CL_FP_DENORM.
    pub denorm: bool,
    /// CL_FP_INF_NAN.
    pub inf_nan: bool,
    /// CL_FP_ROUND_TO_NEAREST.
    pub round_to_nearest: bool,
    /// CL_FP_ROUND_TO_ZERO.
    pub round_to_zero: bool,
    /// CL_FP_ROUND_TO_INF.
    pub round_to_inf: bool,
    /// CL_FP_FMA.
    pub fma: bool,
    /// CL_FP_SOFT_FLOAT.
    pub soft_float: bool,
    /// CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT.
    pub correctly_rounded_divide_sqrt: bool,
}

impl FpConfig {
    /// Returns the value as `cl_device_fp_config`.
    pub fn bits(self) -> u64 {
        [
            self.denorm,
            self.inf_nan,
            self.round_to_nearest,
            self.round_to_zero,
            self.round_to_inf,
            self.fma,
            self.soft_float,
            self.correctly_rounded_divide_sqrt,
        ]
        .into_iter()
        .enumerate()
        .map(|(bit, on)| u64::from(on) << bit)
        .sum()
    }
}

/// Values of CL_DEVICE_GLOBAL_MEM_CACHE_TYPE.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum CacheType {
    /// CL_NONE.
    None = 0,
    /// CL_READ_ONLY_CACHE.
    ReadOnly = 1,
    /// CL_READ_WRITE_CACHE.
    ReadWrite = 2,
}

/// Values of CL_DEVICE_LOCAL_MEM_TYPE.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum LocalMemType {
    /// CL_LOCAL.
    Local = 1,
    /// CL_GLOBAL.
    Global = 2,
}

/// A vector width for each scalar type; 0 where the device lacks the type.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct VectorWidths {
    /// The width for `char`.
    pub char: u32,
    /// The width for `short`.
    pub short: u32,
    /// The width for `int`.
    pub int: u32,
    /// The width for `long`.
    pub long: u32,
    /// The width for `float`.
    pub float: u32,
    /// The width for `double`.
    pub double: u32,
    /// The width for `half`.
    pub half: u32,
}

/// Memory orders and scopes. Every device has the relaxed order and the scope of the work-group.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct AtomicCapabilities {
    /// CL_DEVICE_ATOMIC_ORDER_ACQ_REL.
    pub acq_rel: bool,
    /// CL_DEVICE_ATOMIC_ORDER_SEQ_CST.
    pub seq_cst: bool,
    /// CL_DEVICE_ATOMIC_SCOPE_DEVICE and CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES: without fine-grained SVM, devices share
    /// no memory while a kernel runs.
    pub device: bool,
    /// CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM.
    pub work_item: bool,
}

impl AtomicCapabilities {
    /// Returns the value as `cl_device_atomic_capabilities`.
    pub fn bits(self) -> u64 {
        let (relaxed, work_group) = (1 << 0, 1 << 4);
        relaxed
            | work_group
            | u64::from(self.acq_rel) << 1
            | u64::from(self.work_item) << 3
            | u64::from(self.seq_cst) << 2
            | u64::from(self.device) << 5
            | u64::from(self.device) << 6
    }
}

/// The answers; each field is named after its query.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceInfo {
    /// CL_DEVICE_TYPE.
    pub kind: DeviceKind,
    /// CL_DEVICE_VENDOR_ID.
    pub vendor_id: u32,
    /// CL_DEVICE_ID_INTEL: the vendor's number of the device.
    pub device_id: u32,
    /// CL_DEVICE_MAX_COMPUTE_UNITS.
    pub max_compute_units: u32,
    /// CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS.
    pub max_work_item_dimensions: u32,
    /// CL_DEVICE_MAX_WORK_ITEM_SIZES.
    pub max_work_item_sizes: [usize; 3],
    /// CL_DEVICE_MAX_WORK_GROUP_SIZE.
    pub max_work_group_size: usize,
    /// CL_DEVICE_PREFERRED_VECTOR_WIDTH_*.
    pub preferred_vector_width: VectorWidths,
    /// CL_DEVICE_NATIVE_VECTOR_WIDTH_*.
    pub native_vector_width: VectorWidths,
    /// CL_DEVICE_ADDRESS_BITS.
    pub address_bits: u32,
    /// CL_DEVICE_MAX_MEM_ALLOC_SIZE, in bytes.
    pub max_mem_alloc_size: u64,
    /// CL_DEVICE_IMAGE_SUPPORT.
    pub image_support: bool,
    /// CL_DEVICE_MAX_READ_IMAGE_ARGS.
    pub max_read_image_args: u32,
    /// CL_DEVICE_MAX_WRITE_IMAGE_ARGS.
    pub max_write_image_args: u32,
    /// CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS.
    pub max_read_write_image_args: u32,
    /// CL_DEVICE_IMAGE2D_MAX_WIDTH, in texels.
    pub image2d_max_width: usize,
    /// CL_DEVICE_IMAGE2D_MAX_HEIGHT, in texels.
    pub image2d_max_height: usize,
    /// CL_DEVICE_IMAGE3D_MAX_WIDTH, in texels.
    pub image3d_max_width: usize,
    /// CL_DEVICE_IMAGE3D_MAX_HEIGHT, in texels.
    pub image3d_max_height: usize,
    /// CL_DEVICE_IMAGE3D_MAX_DEPTH, in texels.
    pub image3d_max_depth: usize,
    /// CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, in texels.
    pub image_max_buffer_size: usize,
    /// CL_DEVICE_IMAGE_MAX_ARRAY_SIZE.
    pub image_max_array_size: usize,
    /// CL_DEVICE_MAX_SAMPLERS.
    pub max_samplers: u32,
    /// CL_DEVICE_MAX_PARAMETER_SIZE, in bytes.
    pub max_parameter_size: usize,
    /// CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits.
    pub mem_base_addr_align: u32,
    /// CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, in bytes.
    pub min_data_type_align_size: u32,
    /// CL_DEVICE_GLOBAL_MEM_CACHE_TYPE.
    pub global_mem_cache_type: CacheType,
    /// CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, in bytes.
    pub global_mem_cacheline_size: u32,
    /// CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, in bytes.
    pub global_mem_cache_size: u64,
    /// CL_DEVICE_GLOBAL_MEM_SIZE, in bytes.
    pub global_mem_size: u64,
    /// CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, in bytes.
    pub max_constant_buffer_size: u64,
    /// CL_DEVICE_MAX_CONSTANT_ARGS.
    pub max_constant_args: u32,
    /// CL_DEVICE_LOCAL_MEM_TYPE.
    pub local_mem_type: LocalMemType,
    /// CL_DEVICE_LOCAL_MEM_SIZE, in bytes.
    pub local_mem_size: u64,
    /// CL_DEVICE_ERROR_CORRECTION_SUPPORT.
    pub error_correction_support: bool,
    /// CL_DEVICE_HOST_UNIFIED_MEMORY.
    pub host_unified_memory: bool,
    /// CL_DEVICE_PROFILING_TIMER_RESOLUTION, in nanoseconds.
    pub profiling_timer_resolution: usize,
    /// CL_DEVICE_ENDIAN_LITTLE.
    pub endian_little: bool,
    /// CL_DEVICE_AVAILABLE.
    pub available: bool,
    /// CL_DEVICE_COMPILER_AVAILABLE.
    pub compiler_available: bool,
    /// CL_DEVICE_LINKER_AVAILABLE.
    pub linker_available: bool,
    /// CL_EXEC_NATIVE_KERNEL in CL_DEVICE_EXECUTION_CAPABILITIES; CL_EXEC_KERNEL is always set.
    pub executes_native_kernels: bool,
    /// CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE in CL_DEVICE_QUEUE_PROPERTIES; CL_QUEUE_PROFILING_ENABLE is
    /// always set.
    pub out_of_order_queues: bool,
    /// CL_DEVICE_BUILT_IN_KERNELS: names separated by semicolons; there are none.
    pub built_in_kernels: String,
    /// CL_DEVICE_NAME.
    pub name: String,
    /// CL_DEVICE_VENDOR.
    pub vendor: String,
    /// CL_DRIVER_VERSION: the version of Caldera, the Vulkan driver with its version, and a number that changes with the code that
    /// programs get.
    pub driver_version: String,
    /// CL_DEVICE_PROFILE.
    pub profile: &'static str,
    /// CL_DEVICE_VERSION.
    pub version: String,
    /// CL_DEVICE_OPENCL_C_VERSION.
    pub opencl_c_version: String,
    /// Each name occurs once, in a fixed order; CL_DEVICE_EXTENSIONS joins them with spaces.
    pub extensions: Vec<&'static str>,
    /// CL_DEVICE_PRINTF_BUFFER_SIZE, in bytes.
    pub printf_buffer_size: usize,
    /// CL_DEVICE_PREFERRED_INTEROP_USER_SYNC.
    pub preferred_interop_user_sync: bool,
    /// CL_DEVICE_PARTITION_MAX_SUB_DEVICES: 1, because devices cannot be partitioned.
    pub partition_max_sub_devices: u32,
    /// The version of OpenCL, as major and minor number.
    pub numeric_version: (u32, u32),
    /// CL_DEVICE_OPENCL_C_ALL_VERSIONS, oldest first, as major and minor numbers.
    pub opencl_c_versions: Vec<(u32, u32)>,
    /// CL_DEVICE_OPENCL_C_FEATURES.
    pub opencl_c_features: Vec<&'static str>,
    /// CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES.
    pub atomic_memory: AtomicCapabilities,
    /// CL_DEVICE_ATOMIC_FENCE_CAPABILITIES.
    pub atomic_fence: AtomicCapabilities,
    /// Whether CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT has all operations. The query for single precision always has.
    pub atomic_doubles: bool,
    /// CL_DEVICE_SUB_GROUP_SIZES_INTEL: the sizes of sub-groups that kernels may require, in work-items, in ascending order.
    pub sub_group_sizes: Vec<usize>,
    /// CL_DEVICE_MAX_NUM_SUB_GROUPS.
    pub max_num_sub_groups: u32,
    /// CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS.
    pub independent_sub_groups: bool,
    /// CL_DEVICE_UUID.
    pub uuid: [u8; 16],
    /// CL_DRIVER_UUID.
    pub driver_uuid: [u8; 16],
    /// CL_DEVICE_LUID_KHR and CL_DEVICE_NODE_MASK_KHR, if the device has them.
    pub luid: Option<([u8; 8], u32)>,
    /// CL_DEVICE_PCI_BUS_INFO_KHR, if the driver reports it: domain, bus, device, function.
    pub pci_bus_info: Option<[u32; 4]>,
    /// CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR.
    pub external_memory: Vec<MemoryHandle>,
    /// CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR.
    pub semaphore_imports: Vec<SemaphoreHandle>,
    /// CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR.
    pub semaphore_exports: Vec<SemaphoreHandle>,
    /// The dot products of bytes that the device accelerates, in the order of
    /// `cl_device_integer_dot_product_acceleration_properties_khr`. Vectors of bytes and packed ones are treated alike.
    pub accelerated_dots: [bool; 6],
    /// The products of cooperative matrices, if the device has cl_khr_cooperative_matrix.
    pub matrix_variants: Vec<MatrixVariant>,
    /// CL_DEVICE_COOPERATIVE_MATRIX_POINTER_ALIGNMENT_KHR and CL_DEVICE_COOPERATIVE_MATRIX_STRIDE_MULTIPLE_KHR.
    pub matrix_alignment: u32,
    /// CL_DEVICE_SPIRV_CAPABILITIES.
    pub spirv_capabilities: Vec<u32>,
    /// Work-group sizes should be multiples of this (CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).
    pub preferred_work_group_size_multiple: usize,
}
