//! What the device can express: the triple (SPIR-V version, capabilities, limits) that legality is checked
//! against, and the choices that follow from it. The compiler never sees a Vulkan handle; the runtime (or
//! `calderac --target`) fills this in.

use crate::abi::{Abi, DescriptorAbi};

/// SPIR-V version of the output.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpirvVersion {
    /// Major, always 1.
    pub major: u8,
    /// Minor.
    pub minor: u8,
}

/// Optional device features. Names are those of Vulkan where there is one.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Features {
    /// shaderInt8.
    pub int8: bool,
    /// shaderInt16.
    pub int16: bool,
    /// shaderInt64.
    pub int64: bool,
    /// shaderFloat16.
    pub float16: bool,
    /// shaderFloat64.
    pub float64: bool,
    /// 8-bit loads and stores in storage buffers (and physical addresses).
    pub storage8: bool,
    /// 16-bit loads and stores in storage buffers (and physical addresses).
    pub storage16: bool,
    /// vulkanMemoryModel.
    pub vulkan_memory_model: bool,
    /// vulkanMemoryModelDeviceScope.
    pub vulkan_memory_model_device_scope: bool,
    /// shaderBufferInt64Atomics.
    pub buffer_int64_atomics: bool,
    /// shaderSharedInt64Atomics.
    pub shared_int64_atomics: bool,
    /// GLSL.std.450 Fma is one instruction (16, 32 and 64 bits, as far as the widths exist at all).
    pub fast_fma: bool,
    /// Sub-groups: Vulkan's with votes, ballots and arithmetic on every type, of one size known to the host.
    pub subgroups: bool,
    /// And work-items that take each other's values.
    pub subgroup_shuffle: bool,
    /// The implementation offers images: `__IMAGE_SUPPORT__` is defined. The device can write storage images of
    /// any format (shaderStorageImageWriteWithoutFormat).
    pub images: bool,
    /// Images of the channel orders A, RA and ARGB are stored as R, RG and RGBA: what is written is reordered by the
    /// channel order. (What is read is the image view's affair.)
    pub reordered_writes: bool,
    /// shaderSignedZeroInfNanPreserve for 16, 32, 64 bits.
    pub signed_zero_inf_nan_preserve: [bool; 3],
    /// shaderDenormPreserve for 16, 32, 64 bits.
    pub denorm_preserve: [bool; 3],
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
    /// GLSL.std.450 Exp2 of 32 bits is within 2 ulp, for infinities and NaN too.
    pub exp2: bool,
    /// GLSL.std.450 InverseSqrt of 32 bits is within 1.5 ulp, for 0 and infinity too.
    pub rsqrt: bool,
    /// GLSL.std.450 Fma of 32 bits takes subnormal operands and results for zeros.
    pub flushing_fma: bool,
    /// Quotients and square roots of 32 bits can be correctly rounded: the device has
    /// CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT. Quotients are then always.
    pub rounded_divide_sqrt: bool,
    /// The device's own square roots of 32 bits are.
    pub rounded_sqrt: bool,
}

/// Faults of drivers that the output goes around. All `false`: none.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quirks {
    /// A value that a loop computes is lost behind it for work-items that leave it before others (llvmpipe).
    pub loop_values: bool,
    /// An invocation leaves every loop once it has had 65535 iterations of any (llvmpipe).
    pub counted_loops: bool,
    /// Samplers that filter linearly are less exact than OpenCL allows the device (llvmpipe, which is a CPU to
    /// OpenCL, CL 8.2): linear filters are arithmetic on fetched texels.
    pub coarse_filter: bool,
    /// What only orders memory accesses, fences and what makes volatile accesses available, makes a work-item wait for its work-group as a
    /// barrier does (llvmpipe): outside uniform control flow it then takes part in the wrong barrier.
    pub waiting_fences: bool,
    /// FNegate is an operation of its own instead of a part of the one that it is for, wherever SignedZeroInfNanPreserve is set,
    /// and not even a cheap one for doubles (NVIDIA): the sign bit is turned instead.
    pub costly_negation: bool,
    /// A 64-bit number that is made of two words is a different one in each work-item to the driver, also where the words are push
    /// constants (llvmpipe): each access through such a pointer stores all lanes' addresses and reads one back. To another it is
    /// less than a number that was there whole (NVIDIA: matrix products are 2% to 5% faster).
    pub split_words: bool,
    /// Each scalar that an access moves, of each work-item, is loaded or stored by instructions of its own (llvmpipe), so that a pair of
    /// words takes twice as long as one number of 64 bits.
    pub lane_by_lane: bool,
    /// RoundEven and Trunc of doubles are wrong (llvmpipe on processors without AVX-512).
    pub double_rounding: bool,
    /// A signed comparison of a number that OpSConvert made 64 bits wide from 32 with what the driver finds to be
    /// constant has the same result whatever the number is (Mesa): such conversions are shifts instead.
    pub widened_compares: bool,
    /// FAbs of what the driver takes to be no less than zero is the number itself, and −0 is no less (Mesa): it is an
    /// operation on bits instead.
    pub kept_sign_of_zero: bool,
    /// The index of an access to a private array is read when the access is made, from a register that may hold a later value by then:
    /// registers are shared out as if the index were read where the first access with the same index is made (llvmpipe).
    pub stale_indices: bool,
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
    /// Bytes of private arrays of a work-item that the driver may have; what is more goes into scratch memory.
    pub private_memory: u32,
    /// How deep the driver follows nested conditions; it says nothing about more (llvmpipe).
    pub nesting: u32,
    /// The arena of local memory is rounded up to a multiple of this many bytes.
    pub local_memory_step: u32,
}

/// The whole target environment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// SPIR-V version of the output.
    pub spirv: SpirvVersion,
    /// How kernels meet their launches.
    pub abi: Abi,
    /// What it has.
    pub features: Features,
    /// What was measured of it.
    pub calibration: Calibration,
    /// What is wrong with its driver.
    pub quirks: Quirks,
    /// How much it has.
    pub limits: Limits,
    /// `cl_khr_*` names that the device offers: each becomes a predefined macro.
    pub extensions: Vec<String>,
    /// Global sizes, offsets and numbers of work-groups may need 64 bits. Without it they have 32, and so has arithmetic on them where
    /// that can be shown to suffice.
    pub wide_ranges: bool,
}

impl Target {
    /// Whether the device offers an extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }

    /// Takes another version, without what it is too old for. Sub-groups, which older versions lack, come back; the
    /// memory model stays what it was (clspv's mapping has GLSL's in every version).
    pub fn set_spirv(&mut self, version: SpirvVersion) {
        if self.spirv.minor < 3 && version.minor >= 3 {
            self.features.subgroups = true;
            self.features.subgroup_shuffle = true;
            for name in ["cl_khr_subgroups", "cl_khr_subgroup_shuffle"] {
                if !self.has_extension(name) {
                    self.extensions.push(name.into());
                }
            }
        }
        self.spirv = version;
        if version.minor < 3 {
            // The Vulkan memory model's extension needs 1.3.
            self.features.vulkan_memory_model = false;
            self.features.vulkan_memory_model_device_scope = false;
            self.features.subgroups = false;
            self.features.subgroup_shuffle = false;
            self.extensions.retain(|e| !e.starts_with("cl_khr_subgroup"));
        }
    }

    /// [`Target::desktop`] with a driver that has every fault that is known: all passes run.
    pub fn faulty() -> Self {
        Target {
            quirks: Quirks {
                loop_values: true,
                counted_loops: true,
                coarse_filter: true,
                waiting_fences: true,
                costly_negation: true,
                split_words: true,
                lane_by_lane: true,
                double_rounding: true,
                widened_compares: true,
                stale_indices: true,
                kept_sign_of_zero: true,
            },
            limits: Limits {
                private_memory: 64,
                nesting: 80,
                ..Target::desktop().limits
            },
            ..Target::desktop()
        }
    }

    /// What clspv assumes of a device unless options say otherwise: SPIR-V 1.0 and the older memory model, every type,
    /// 8-bit and 16-bit storage; the descriptor ABI.
    pub fn clspv() -> Self {
        let mut target = Target::desktop();
        target.abi = Abi::Descriptor(DescriptorAbi::default());
        target.features.fast_fma = false;
        target.set_spirv(SpirvVersion { major: 1, minor: 0 });
        target
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
                vulkan_memory_model: true,
                vulkan_memory_model_device_scope: true,
                buffer_int64_atomics: true,
                shared_int64_atomics: true,
                fast_fma: true,
                subgroups: true,
                subgroup_shuffle: true,
                images: true,
                ..Features::default()
            },
            calibration: Calibration::default(),
            quirks: Quirks::default(),
            limits: Limits {
                push_constants: 128,
                local_memory: 32 << 10,
                work_group_size: 1024,
                uniform_buffer: 64 << 10,
                private_memory: u32::MAX,
                nesting: u32::MAX,
                local_memory_step: 1024,
            },
            wide_ranges: false,
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
                "cl_khr_3d_image_writes",
                "cl_khr_depth_images",
                "cl_khr_image2d_from_buffer",
                "cl_khr_subgroups",
                "cl_khr_subgroup_shuffle",
            ]
            .map(String::from)
            .to_vec(),
        }
    }
}
