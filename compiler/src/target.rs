//! What the device can express: the triple (SPIR-V version, capabilities, limits) that legality is checked
//! against, and the choices that follow from it. The compiler never sees a Vulkan handle; the runtime (or
//! `calderac --target`) fills this in.

/// SPIR-V version of the output.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpirvVersion {
    /// Major, always 1.
    pub major: u8,
    /// Minor.
    pub minor: u8,
}

/// How kernel arguments and pointers reach Vulkan (DESIGN 2, «Two ABIs»).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Abi {
    /// 64-bit device addresses in push constants.
    Physical,
    /// clspv's mapping: a descriptor for each buffer.
    Descriptor,
}

/// Optional device features. Names are those of Vulkan where there is one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Features {
    pub int8: bool,
    pub int16: bool,
    pub int64: bool,
    pub float16: bool,
    pub float64: bool,
    /// 8-bit loads and stores in storage buffers (and physical addresses).
    pub storage8: bool,
    /// 16-bit loads and stores in storage buffers (and physical addresses).
    pub storage16: bool,
    /// 8-bit members in push constants.
    pub push_constant8: bool,
    /// 16-bit members in push constants.
    pub push_constant16: bool,
    pub uniform8: bool,
    pub uniform16: bool,
    pub buffer_device_address: bool,
    pub variable_pointers: bool,
    pub variable_pointers_storage_buffer: bool,
    pub vulkan_memory_model: bool,
    pub vulkan_memory_model_device_scope: bool,
    /// VK_KHR_workgroup_memory_explicit_layout and its scalar, 8- and 16-bit parts.
    pub workgroup_explicit_layout: bool,
    pub workgroup_explicit_layout8: bool,
    pub workgroup_explicit_layout16: bool,
    pub scalar_block_layout: bool,
    pub buffer_int64_atomics: bool,
    pub shared_int64_atomics: bool,
    pub buffer_float32_atomic_add: bool,
    pub shared_float32_atomic_add: bool,
    pub storage_image_read_without_format: bool,
    pub storage_image_write_without_format: bool,
    pub subgroups: bool,
    /// GLSL.std.450 Fma is one instruction (16, 32 and 64 bits, as far as the widths exist at all).
    pub fast_fma: bool,
    /// The implementation offers images: `__IMAGE_SUPPORT__` is defined.
    pub images: bool,
    /// shaderSignedZeroInfNanPreserve for 16, 32, 64 bits.
    pub signed_zero_inf_nan_preserve: [bool; 3],
    /// shaderDenormPreserve for 16, 32, 64 bits.
    pub denorm_preserve: [bool; 3],
    /// shaderDenormFlushToZero for 16, 32, 64 bits.
    pub denorm_flush: [bool; 3],
    /// shaderRoundingModeRTE for 16, 32, 64 bits.
    pub rounding_rte: [bool; 3],
    /// The device flushes or keeps independently per width.
    pub float_controls_independent: bool,
}

/// Numeric behaviour found by device calibration, not promised by Vulkan. All `false` is always safe.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Calibration {
    /// GLSL.std.450 Fma is a single rounding for 16, 32, 64 bits.
    pub fused_fma: [bool; 3],
    /// OpFDiv is correctly rounded for 16, 32, 64 bits.
    pub exact_div: [bool; 3],
    /// GLSL.std.450 Sqrt is correctly rounded for 16, 32, 64 bits.
    pub exact_sqrt: [bool; 3],
}

/// Faults of drivers that the output goes around. All `false`: none.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quirks {
    /// A value that a loop computes is lost behind it for work-items that leave it before others (llvmpipe).
    pub loop_values: bool,
    /// An invocation leaves every loop once it has had 65535 iterations of any (llvmpipe).
    pub counted_loops: bool,
}

/// Device limits that change the output.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// maxPushConstantsSize in bytes.
    pub push_constants: u32,
    /// Local memory in bytes.
    pub local_memory: u32,
    /// Widest work-group in work-items.
    pub work_group_size: u32,
    /// maxUniformBufferRange in bytes.
    pub uniform_buffer: u32,
    /// The arena of local memory is rounded up to a multiple of this many bytes.
    pub local_memory_step: u32,
}

/// The whole target environment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    pub spirv: SpirvVersion,
    pub abi: Abi,
    pub features: Features,
    pub calibration: Calibration,
    pub quirks: Quirks,
    pub limits: Limits,
    /// `cl_khr_*` names that the device offers: each becomes a predefined macro.
    pub extensions: Vec<String>,
}

impl Target {
    /// [`Target::desktop`] with a driver that has every fault that is known: all passes run.
    pub fn faulty() -> Self {
        Target {
            quirks: Quirks {
                loop_values: true,
                counted_loops: true,
            },
            ..Target::desktop()
        }
    }

    /// A desktop-class Vulkan 1.3 device with every feature that the compiler uses: the default of `calderac`.
    pub fn desktop() -> Self {
        Target {
            spirv: SpirvVersion { major: 1, minor: 6 },
            abi: Abi::Physical,
            features: Features {
                int8: true,
                int16: true,
                int64: true,
                float16: true,
                float64: true,
                storage8: true,
                storage16: true,
                push_constant8: true,
                push_constant16: true,
                uniform8: true,
                uniform16: true,
                buffer_device_address: true,
                variable_pointers: true,
                variable_pointers_storage_buffer: true,
                vulkan_memory_model: true,
                vulkan_memory_model_device_scope: true,
                scalar_block_layout: true,
                buffer_int64_atomics: true,
                shared_int64_atomics: true,
                storage_image_write_without_format: true,
                fast_fma: true,
                ..Features::default()
            },
            calibration: Calibration::default(),
            quirks: Quirks::default(),
            limits: Limits {
                push_constants: 128,
                local_memory: 32 << 10,
                work_group_size: 1024,
                uniform_buffer: 64 << 10,
                local_memory_step: 1024,
            },
            extensions: [
                "cl_khr_global_int32_base_atomics",
                "cl_khr_global_int32_extended_atomics",
                "cl_khr_local_int32_base_atomics",
                "cl_khr_local_int32_extended_atomics",
                "cl_khr_byte_addressable_store",
                "cl_khr_int64_base_atomics",
                "cl_khr_int64_extended_atomics",
                "cl_khr_fp64",
                "cl_khr_fp16",
            ]
            .map(String::from)
            .to_vec(),
        }
    }
}
