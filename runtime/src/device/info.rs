//! The answers of `clGetDeviceInfo` (CL 4.2, table 4.3), as typed data.
//!
//! Each query has one field, named after it. Values that depend on the object (reference count, platform) are
//! not here.

use crate::config::DeviceKind;

/// The flags of CL_DEVICE_*_FP_CONFIG.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct FpConfig {
    pub denorm: bool,
    pub inf_nan: bool,
    pub round_to_nearest: bool,
    pub round_to_zero: bool,
    pub round_to_inf: bool,
    pub fma: bool,
    pub soft_float: bool,
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
    None = 0,
    ReadOnly = 1,
    ReadWrite = 2,
}

/// Values of CL_DEVICE_LOCAL_MEM_TYPE.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum LocalMemType {
    Local = 1,
    Global = 2,
}

/// A vector width for each scalar type; 0 where the device lacks the type.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct VectorWidths {
    pub char: u32,
    pub short: u32,
    pub int: u32,
    pub long: u32,
    pub float: u32,
    pub double: u32,
    pub half: u32,
}

/// The answers; each field is named after its query.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceInfo {
    pub kind: DeviceKind,
    pub vendor_id: u32,
    pub max_compute_units: u32,
    pub max_work_item_dimensions: u32,
    pub max_work_item_sizes: [usize; 3],
    pub max_work_group_size: usize,
    pub preferred_vector_width: VectorWidths,
    pub native_vector_width: VectorWidths,
    pub address_bits: u32,
    pub max_mem_alloc_size: u64,
    pub image_support: bool,
    pub max_read_image_args: u32,
    pub max_write_image_args: u32,
    pub image2d_max_width: usize,
    pub image2d_max_height: usize,
    pub image3d_max_width: usize,
    pub image3d_max_height: usize,
    pub image3d_max_depth: usize,
    pub image_max_buffer_size: usize,
    pub image_max_array_size: usize,
    pub max_samplers: u32,
    pub max_parameter_size: usize,
    /// In bits.
    pub mem_base_addr_align: u32,
    /// In bytes.
    pub min_data_type_align_size: u32,
    pub global_mem_cache_type: CacheType,
    pub global_mem_cacheline_size: u32,
    pub global_mem_cache_size: u64,
    pub global_mem_size: u64,
    pub max_constant_buffer_size: u64,
    pub max_constant_args: u32,
    pub local_mem_type: LocalMemType,
    pub local_mem_size: u64,
    pub error_correction_support: bool,
    pub host_unified_memory: bool,
    /// In nanoseconds.
    pub profiling_timer_resolution: usize,
    pub endian_little: bool,
    pub available: bool,
    pub compiler_available: bool,
    pub linker_available: bool,
    /// CL_EXEC_NATIVE_KERNEL in CL_DEVICE_EXECUTION_CAPABILITIES; CL_EXEC_KERNEL is always set.
    pub executes_native_kernels: bool,
    /// CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE in CL_DEVICE_QUEUE_PROPERTIES; CL_QUEUE_PROFILING_ENABLE is
    /// always set.
    pub out_of_order_queues: bool,
    /// Names separated by semicolons; there are none.
    pub built_in_kernels: String,
    pub name: String,
    pub vendor: String,
    pub driver_version: String,
    pub profile: &'static str,
    pub version: String,
    pub opencl_c_version: String,
    /// Each name occurs once, in a fixed order; CL_DEVICE_EXTENSIONS joins them with spaces.
    pub extensions: Vec<&'static str>,
    pub printf_buffer_size: usize,
    pub preferred_interop_user_sync: bool,
    /// 1, because devices cannot be partitioned.
    pub partition_max_sub_devices: u32,
    /// Work-group sizes should be multiples of this (CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE).
    pub preferred_work_group_size_multiple: usize,
}
