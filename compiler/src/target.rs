//! The target: what the device can express. This is the environment that legality is checked against (SPIR-V
//! version, capabilities, limits), with the choices that follow from it. The compiler never sees a Vulkan
//! handle; the runtime (or `calderac --target`) fills in this description.

mod matrices;

pub use matrices::{MatrixNumber, MatrixVariant};

use crate::abi::{Abi, DescriptorAbi};
use crate::check::Checks;
use crate::intrinsic::{DeviceProperty, DotSigns};
use crate::options::ClStd;

/// A SPIR-V version.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpirvVersion {
    /// The major version, always 1.
    pub major: u8,
    /// The minor version.
    pub minor: u8,
}

/// Optional device features. Their names are Vulkan's where Vulkan has the feature.
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
    /// workgroupMemoryExplicitLayout, with 8-bit and 16-bit access: arrays of different types may have the same
    /// local memory ([`Target::workgroup_layout`]).
    pub workgroup_layout: bool,
    /// Whether GLSL.std.450 Fma is a single machine instruction, for every width (16, 32, 64 bits) that the
    /// device has.
    pub fast_fma: bool,
    /// shaderDeviceClock and shaderSubgroupClock.
    pub clocks: bool,
    /// Vulkan sub-groups with votes, ballots and arithmetic on every type, and with one size that the host
    /// knows.
    pub subgroups: bool,
    /// Sub-group shuffles.
    pub subgroup_shuffle: bool,
    /// Kernels may state that work-items reconverge at the end of each construct of the program
    /// (VK_KHR_shader_maximal_reconvergence; ADR 24).
    pub maximal_reconvergence: bool,
    /// Kernels may state that the work-items of a sub-group reconverge at the end of a construct that all of them have entered
    /// (VK_KHR_shader_subgroup_uniform_control_flow).
    pub subgroup_uniform_control_flow: bool,
    /// Cooperative matrices of the sub-group in compute shaders (VK_KHR_cooperative_matrix), or their emulation.
    pub matrices: bool,
    /// Whether the implementation offers images; `__IMAGE_SUPPORT__` is then defined. The device can write
    /// storage images of any format (shaderStorageImageWriteWithoutFormat).
    pub images: bool,
    /// Whether kernels may read storage images of any format (shaderStorageImageReadWithoutFormat).
    pub reads_any_format: bool,
    /// Whether kernels may state the formats of [`TexelFormat`](crate::intrinsic::TexelFormat) for storage images
    /// (shaderStorageImageExtendedFormats).
    pub states_formats: bool,
    /// Whether images of the channel orders A, RA and ARGB are stored as R, RG and RGBA. If so, the shader
    /// reorders the components that it writes according to the channel order. Reads need no reordering in the
    /// shader: the image view swizzles them.
    pub reordered_writes: bool,
    /// Whether variables in local memory may have null as their initializer (shaderZeroInitializeWorkgroupMemory).
    pub zeroes_local_memory: bool,
    /// shaderSignedZeroInfNanPreserve for 16, 32, 64 bits.
    pub signed_zero_inf_nan_preserve: [bool; 3],
    /// shaderDenormPreserve for 16, 32, 64 bits.
    pub denorm_preserve: [bool; 3],
    /// shaderRoundingModeRTE for 16, 32, 64 bits.
    pub rounding_rte: [bool; 3],
    /// shaderIntegerDotProduct.
    pub integer_dot_product: bool,
    /// Whether the device accelerates the dot product of two vectors of four packed bytes, for the operands of
    /// [`DotSigns::ALL`] (integerDotProduct4x8BitPacked…Accelerated).
    pub packed_dot: [bool; 3],
    /// The same with an accumulator, to which the dot product is added with saturation
    /// (integerDotProductAccumulatingSaturating4x8BitPacked…Accelerated).
    pub saturating_dot: [bool; 3],
    /// Whether the float controls above can be set for each width independently.
    pub float_controls_independent: bool,
}

/// The kinds of memory that are zero when a kernel begins (cl_khr_initialize_memory).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Zeroed {
    /// Local memory. The device must have [`Features::zeroes_local_memory`].
    pub local: bool,
    /// Private memory.
    pub private: bool,
}

/// Numeric behaviour that device calibration found and that Vulkan does not promise. `false` is always the
/// safe value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Calibration {
    /// GLSL.std.450 Fma rounds only once, for 16, 32, 64 bits.
    pub fused_fma: [bool; 3],
    /// GLSL.std.450 Exp2 of 32 bits has an error of at most 2 ulp, also for infinities and NaN.
    pub exp2: bool,
    /// GLSL.std.450 InverseSqrt of 32 bits has an error of at most 1.5 ulp, also for 0 and infinity.
    pub rsqrt: bool,
    /// GLSL.std.450 Fma of 32 bits treats subnormal operands as zeros and flushes subnormal results.
    pub flushing_fma: bool,
    /// Quotients and square roots of 32 bits can be correctly rounded, so the device reports
    /// CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT. The device's own division is then correctly rounded; square roots
    /// may need the library.
    pub rounded_divide_sqrt: bool,
    /// The device's own square roots of 32 bits are correctly rounded.
    pub rounded_sqrt: bool,
}

/// Faults of drivers that the output avoids. If all fields are `false`, nothing is avoided.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Quirks {
    /// After a loop, a value that the loop computed is lost for work-items that left the loop before others
    /// (llvmpipe).
    pub loop_values: bool,
    /// An invocation leaves every loop once its loops have had 65535 iterations in total (llvmpipe).
    pub counted_loops: bool,
    /// A lane of a sub-group that has no work-item, because the size of the work-group in the first dimension is
    /// no multiple of the sub-group's, takes part in loops. It loads arbitrary values, so that it may stay in a
    /// loop until the driver leaves every loop (llvmpipe). Loops are entered under a condition instead.
    pub idle_lanes: bool,
    /// Samplers that filter linearly are less exact than OpenCL allows for the device (llvmpipe, which OpenCL
    /// regards as a CPU, CL 8.2). Linear filters are then computed arithmetically from fetched texels.
    pub coarse_filter: bool,
    /// An instruction that only orders memory accesses, such as a fence or one that makes a volatile access
    /// available, makes a work-item wait for its work-group as a barrier does (llvmpipe). Outside uniform
    /// control flow, the work-item then joins the wrong barrier.
    pub waiting_fences: bool,
    /// RoundEven and Trunc of doubles give wrong results (llvmpipe on processors without AVX-512).
    pub double_rounding: bool,
    /// A signed comparison of a 64-bit integer that OpSConvert widened from 32 bits with an operand that the
    /// driver folds to a constant always has the same result (Mesa). Such conversions are done by shifts
    /// instead.
    pub widened_compares: bool,
    /// FAbs of an operand that the driver's range analysis takes to be non-negative is dropped, although the
    /// operand may be −0 (Mesa). FAbs is done by an operation on bits instead.
    pub kept_sign_of_zero: bool,
    /// The index of an access to a private array is read at the access, from a register that may hold a later
    /// value by then. The driver allocates registers as if the index were read at the first access with the
    /// same index (llvmpipe).
    pub stale_indices: bool,
    /// If an operand of a sum, product or quotient is the constant 0, the driver replaces the operation by the
    /// other operand or by 0, even if the other operand is a zero of the other sign, infinite, or NaN
    /// (llvmpipe). Such constants are hidden from the driver, and so are vectors with such lanes and divisors that it may
    /// find to be 0.
    pub zero_operands: bool,
    /// A choice between the constants 1 or -1 and a constant zero becomes a conversion of the condition to a float, whose
    /// zero has the sign of the other constant, although the program has the other zero (Mesa). Such zeros are hidden from
    /// the driver, and those of other choices in which the driver may find this one.
    pub chosen_zeros: bool,
    /// A choice between 1 or -1 and −0 has +0 instead of −0, also if the sign of the chosen number is changed afterwards,
    /// and the absolute value of a choice between −0 and a constant may be −0 (NVIDIA). The zero is hidden from the driver.
    pub chosen_negative_zeros: bool,
    /// A clamp to −0 and 1 has +0 instead of −0 (NVIDIA), and so may have any minimum or maximum of a number and −0 (Mesa).
    /// The bound is hidden from the driver.
    pub negative_bounds: bool,
    /// The bits of a half that was clamped to two constants have the half in the upper 16 bits, too, where the driver takes
    /// them for 0 (NVIDIA). The number between the two operations is hidden from the driver.
    pub half_clamps: bool,
    /// A comparison that the signs of two numbers decide ignores NaN, where one is an absolute value or the negative of one (NVIDIA). Such
    /// numbers are hidden from the driver.
    pub signed_comparisons: bool,
    /// The minimum or maximum of a number and a constant NaN is taken to have the sign of the NaN (NVIDIA). Such constants are hidden from
    /// the driver.
    pub nan_bounds: bool,
    /// If a constant is out of range of the integer to which it is converted, code behind a branch on the integer is removed (NVIDIA). Numbers
    /// that the driver may find out to be constants are hidden from it.
    pub constant_conversions: bool,
    /// The float to which a choice between the integers 1 and 0 is converted has the bits of the integer where its bits are used (NVIDIA).
    /// The integer is hidden from the driver.
    pub converted_truths: bool,
    /// A conversion of a float to an integer whose upper bits are cut off becomes a conversion to the narrower integer, which
    /// saturates (NVIDIA). The integer is hidden from the driver.
    pub cut_conversions: bool,
    /// An atomic operation on an integer whose operand is the result of a float operation becomes an atomic
    /// operation on floats, which ends the process (llvmpipe). The type of such operands is hidden from the
    /// driver.
    pub typed_atomics: bool,
    /// Signed quotients of constants are computed with an instruction of the processor that ends the process if the
    /// quotient overflows (Mesa). No signed integer is divided by -1.
    pub overflowing_quotients: bool,
    /// The bits above the result of 8-bit and 16-bit arithmetic are taken to be those of a wider computation,
    /// where the result is extended, and an unsigned conversion to a float or division of a sign-extended
    /// integer is done as if it were signed (NVIDIA). Such arithmetic is done in 32 bits, and the operands of such
    /// conversions and divisions, and of bit counts, are hidden from the driver.
    pub narrow_integers: bool,
    /// An absolute value is taken to be non-negative, although it is the least number if the operand is
    /// (NVIDIA). It is computed with a negation that the driver does not recognize.
    pub nonnegative_abs: bool,
    /// The product of a number and one bit of a 64-bit integer is the number, whatever the bit is (NVIDIA). The bit is hidden
    /// from the driver.
    pub bit_products: bool,
    /// The bits of a double without its sign, or with another sign, are those of an absolute value or a negative, which are
    /// others for NaN (NVIDIA). The bits are hidden from the driver.
    pub masked_signs: bool,
    /// A lane of a vector of integers is sometimes computed from the values of another lane (NVIDIA). Each lane is
    /// computed by itself.
    pub mixed_lanes: bool,
    /// Sums of a constant and quotients or remainders of 64-bit integers are confused with each other, so that
    /// each lane of a vector has the sum of the last lane (NVIDIA). The quotients are hidden from the driver.
    pub shared_quotients: bool,
    /// `fmin(fmax(fmin(x, a), b), c)` loses the inner minimum if the constants make it needless for every number,
    /// although it changes the result for NaN (NVIDIA). The inner minimum is hidden from the driver.
    pub repeated_clamps: bool,
    /// A number whose two lowest bytes are those of another one, exchanged by shifts and an `or`, is an arbitrary one
    /// (NVIDIA). An operand of the `or` is hidden from the driver.
    pub byte_swaps: bool,
    /// A sign-extended integer that is shifted to the left by 31 as one of 64 bits gets the wrong sign (NVIDIA). Its words are
    /// shifted instead.
    pub shifts_by_31: bool,
    /// An access of more than 16 bytes by device address may become an instruction that the GPU does not have, and the
    /// kernel then never ends (NVIDIA). Such accesses are divided.
    pub wide_accesses: bool,
    /// A conversion of an unsigned 32-bit integer to a float is rounded twice (SwiftShader). Its halves are converted as
    /// signed integers instead, and added.
    pub rounded_unsigned: bool,
    /// A double is converted to a half by way of a float: it is rounded twice, or one that is too large for a float becomes NaN
    /// (Mesa). Doubles are rounded to the bits that decide about the half first.
    pub halves_by_floats: bool,
    /// Two conversions in a row, such as one of a double to a float and back, are merged into one, which skips the rounding of the
    /// first (Mesa). The operand of the second conversion is hidden from the driver.
    pub joined_conversions: bool,
    /// A conversion of a float to a half and back is removed, also with `fabs` between (NVIDIA). The operand of the second
    /// conversion is hidden from the driver.
    pub joined_halves: bool,
    /// A register that all work-items of a sub-group share is read incorrectly in two cases (NVIDIA). A minimum or maximum
    /// of halves reads the wrong half of it. After a division, work-items that the others have overtaken read what the
    /// others have written since. Therefore the zeros that hide operands differ from work-item to work-item, as far as the
    /// driver knows; operands of minima and maxima of halves that may be in such a register are hidden; and quotients of
    /// double are computed without the driver's function (`divide_doubles`).
    pub shared_registers: bool,
    /// A load from an address that all work-items of a sub-group share is executed even if a condition excludes all of
    /// them, so that it may access memory that does not exist (llvmpipe). The driver is kept from knowing that the address
    /// is shared.
    pub unmasked_loads: bool,
    /// The number of iterations is taken for another one if a counter with a constant start, step and bound wraps around or is a
    /// float, or goes down to a minimum (Mesa). The start is hidden from the driver.
    pub miscounted_loops: bool,
}

/// Costs peculiar to a driver, for which there is quicker code with the same results. If all fields are
/// `false`, the output is what most drivers handle best.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Costs {
    /// Where SignedZeroInfNanPreserve is set, FNegate is a separate machine operation instead of an operand
    /// modifier, and for doubles an expensive one (NVIDIA). The sign bit is flipped instead.
    pub costly_negation: bool,
    /// The driver handles a 64-bit integer that is assembled from two words worse than one that is loaded
    /// whole. llvmpipe does not see that it is uniform, even if the words are push constants, so each access
    /// through such a pointer stores the addresses of all lanes and reads one back. NVIDIA's driver generates
    /// slower code from it (matrix products are 2% to 5% faster without, measured on an H200).
    pub split_words: bool,
    /// The driver loads or stores each scalar of an access, for each work-item, by separate instructions
    /// (llvmpipe), so a pair of words takes twice as long as one 64-bit integer.
    pub lane_by_lane: bool,
    /// A rotation of a 64-bit integer is at least as quick in 64 bits as in halves, since the processor shifts 64
    /// bits by one instruction (llvmpipe).
    pub whole_rotations: bool,
}

/// Device limits that change the output.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// maxPushConstantsSize in bytes.
    pub push_constants: u32,
    /// The size of local memory in bytes.
    pub local_memory: u32,
    /// The largest number of work-items in a work-group.
    pub work_group_size: u32,
    /// maxUniformBufferRange in bytes.
    pub uniform_buffer: u32,
    /// The bytes of private arrays of one work-item that are left to the driver; larger arrays are moved to
    /// scratch memory.
    pub private_memory: u32,
    /// The accesses of private arrays that are left to the driver; arrays with more are moved to scratch memory. A scalar
    /// that is loaded counts 2, and one that is stored counts 3. The time that llvmpipe takes to compile an array's
    /// accesses grows with the square of their sum, so the counts of several arrays, and of the parts of a kernel between
    /// barriers, are squared and added, and this sum must not exceed the square of the limit
    /// (`docs/adr/0016-scratch-memory.md`).
    pub private_accesses: u32,
    /// The greatest depth of nested conditions, and of nested loops, that the driver handles; it silently gives
    /// wrong results for deeper ones (llvmpipe).
    pub nesting: u32,
    /// The size of the local arena is rounded up to a multiple of this many bytes.
    pub local_memory_step: u32,
}

/// Which work-items of a work-group a driver joins in sub-groups.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum SubgroupLayout {
    /// All sub-groups but the last are full, and their ids are dense, as OpenCL promises. Lanes without a work-item come after
    /// those with the last work-items.
    #[default]
    Full,
    /// The work-items of each row, that is with neighbouring places in the first dimension, have sub-groups of their own (Mesa
    /// 22.3 and older), whose ids are wrong if a row is no multiple of a sub-group. Work-groups with one dimension are as
    /// for `Full`.
    Rows,
    /// It is not known, but work-groups with one dimension are as for `Full`.
    Unknown,
}

/// The whole target environment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Target {
    /// SPIR-V version of the output.
    pub spirv: SpirvVersion,
    /// The interface between kernels and their launches.
    pub abi: Abi,
    /// The device's optional features.
    pub features: Features,
    /// The numeric behaviour that was measured on the device.
    pub calibration: Calibration,
    /// The faults of the device's driver.
    pub quirks: Quirks,
    /// The peculiar costs of the device's driver.
    pub costs: Costs,
    /// The device's limits.
    pub limits: Limits,
    /// The names of the `cl_khr_*` extensions that the device offers. Each becomes a predefined macro.
    pub extensions: Vec<String>,
    /// The newest version of OpenCL C that the device has: the value of `__OPENCL_VERSION__`.
    pub newest: ClStd,
    /// The names of the optional features of OpenCL C 3.0 that the device offers (`__opencl_c_…`). Each becomes a
    /// predefined macro in programs of that version.
    pub c_features: Vec<String>,
    /// Whether global sizes, offsets and numbers of work-groups may need 64 bits. If not, they have 32 bits,
    /// and so has arithmetic on them where 32 bits can be shown to suffice.
    pub wide_ranges: bool,
    /// The memory that is zero when a kernel begins (cl_khr_initialize_memory).
    pub zeroed: Zeroed,
    /// Whether pointers to global memory that are arguments are multiples of 16. If not, accesses are not merged.
    pub aligned_buffers: bool,
    /// The checks that kernels make while they run.
    pub checks: Checks,
    /// The products of cooperative matrices that the device has. If there are none although it has matrices, they are not
    /// known, and all are accepted.
    pub matrix_variants: Vec<MatrixVariant>,
    /// The size of sub-groups for which cooperative matrices are emulated; `None` if the device's own are used.
    pub emulated_matrices: Option<u32>,
    /// The number of work-items of a sub-group, so that kernels can require smaller ones (cl_intel_required_subgroup_size);
    /// `None` if it is not known, or if the device has no shuffles.
    pub subgroup_size: Option<u32>,
    /// The work-items that form a sub-group, where work-groups have several dimensions.
    pub subgroup_layout: SubgroupLayout,
    /// Whether several work-groups of the application can run as one work-group of the device, if the host decides so for a launch
    /// ([`Packing`](crate::reflect::Packing)).
    pub packs_groups: bool,
}

/// The sizes into which the compiler divides larger sub-groups of the device (cl_intel_required_subgroup_size), in
/// work-items. A ballot of the largest is one word.
pub const DIVIDED_SUBGROUPS: std::ops::RangeInclusive<u32> = 4..=32;

/// The extensions of a device with sub-groups, in addition to cl_khr_subgroups.
pub const SUBGROUP_EXTENSIONS: &[&str] = &[
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
];

/// The extensions of a device with sub-groups and shuffles.
pub const SHUFFLE_EXTENSIONS: &[&str] = &[
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
];

/// The optional features of OpenCL C 3.0 that the compiler has, in alphabetical order (6.2.1).
const C_FEATURES: [&str; 25] = [
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
];

impl Target {
    /// Returns the size of the printf buffer of the target's modules, in bytes.
    pub fn printf_buffer_size(&self) -> u32 {
        let abi = self.abi.descriptor();
        abi.map_or(crate::printf::PRINTF_BUFFER_SIZE, |d| d.printf_buffer_size)
    }

    /// Whether code is generated as GPUs want it: with loads of several iterations at a time and wide accesses. Drivers for
    /// CPUs access memory lane by lane, and gain nothing from it.
    pub fn is_gpu(&self) -> bool {
        !self.costs.lane_by_lane && !self.quirks.counted_loops
    }

    /// Whether arrays of different types may have the same local memory. SPIR-V has them from version 1.4 on. In the
    /// descriptor ABI, each argument in local memory is an array of its own.
    pub fn workgroup_layout(&self) -> bool {
        // Vulkan wants all arrays that share their memory to have an initializer, or none.
        self.features.workgroup_layout
            && !self.zeroed.local
            && self.spirv.minor >= 4
            && self.abi == Abi::Physical
    }

    /// Whether 8-bit and 16-bit integers are computed in 32 bits: the device's own arithmetic is wrong, or it has none. For
    /// other hosts of the descriptor ABI, 8-bit integers are an error instead if the device has none (`-int8`).
    pub fn widens_integers(&self) -> bool {
        self.quirks.narrow_integers || self.lacks_narrow_integers()
    }

    /// Whether 8-bit or 16-bit integers may only be loaded, stored, extended and truncated, because the device lacks
    /// shaderInt8 or shaderInt16.
    pub fn lacks_narrow_integers(&self) -> bool {
        let features = &self.features;
        !(features.int8 && features.int16) && self.abi.descriptor().is_none_or(|d| d.null_flags)
    }

    /// Whether the device has a property of its arithmetic, for floats of this many bits.
    pub fn has_property(&self, what: DeviceProperty, bits: u32) -> bool {
        let measured = &self.calibration;
        match what {
            DeviceProperty::FusedFma => {
                measured.fused_fma[match bits {
                    16 => 0,
                    32 => 1,
                    _ => 2,
                }]
            }
            DeviceProperty::FastFma => {
                self.features.fast_fma && self.has_property(DeviceProperty::FusedFma, bits)
            }
            DeviceProperty::Exp2 => {
                measured.exp2 && bits == 32 && self.has_property(DeviceProperty::FastFma, bits)
            }
            // Functions of double use the operation of f32, with multiply-adds of both.
            DeviceProperty::Rsqrt => {
                measured.rsqrt
                    && bits != 16
                    && [32, bits].map(|b| self.has_property(DeviceProperty::FastFma, b)) == [true; 2]
            }
            // Hosts of the descriptor ABI need not enable shaderFloat64 for a source without doubles.
            DeviceProperty::Doubles => {
                self.features.float64 && self.features.int64 && self.abi.descriptor().is_none()
            }
            DeviceProperty::UnsignedDot => self.has_packed_dot(DotSigns::Unsigned),
            DeviceProperty::SignedDot => self.has_packed_dot(DotSigns::Signed),
            DeviceProperty::MixedDot => self.has_packed_dot(DotSigns::Mixed),
            DeviceProperty::UnsignedSaturatingDot => self.has_saturating_dot(DotSigns::Unsigned),
            DeviceProperty::SignedSaturatingDot => self.has_saturating_dot(DotSigns::Signed),
            DeviceProperty::MixedSaturatingDot => self.has_saturating_dot(DotSigns::Mixed),
        }
    }

    /// Whether dot products of two vectors of four packed bytes are one operation of the device.
    pub fn has_packed_dot(&self, signs: DotSigns) -> bool {
        self.features.integer_dot_product && self.features.packed_dot[signs as usize]
    }

    /// Whether such a dot product and the addition of an accumulator with saturation are one operation of the device.
    pub fn has_saturating_dot(&self, signs: DotSigns) -> bool {
        self.features.integer_dot_product && self.features.saturating_dot[signs as usize]
    }

    /// Whether the device offers an extension.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }

    /// Changes the SPIR-V version and disables the features that need a newer version. Changing to 1.3 or
    /// newer enables sub-groups again. The memory model is never changed back to the Vulkan memory model
    /// (clspv's mapping uses GLSL's in every version).
    pub fn set_spirv(&mut self, version: SpirvVersion) {
        if self.spirv.minor < 3 && version.minor >= 3 {
            self.features.subgroups = true;
            self.features.subgroup_shuffle = true;
            for name in ["cl_khr_subgroups"]
                .iter()
                .chain(SUBGROUP_EXTENSIONS)
                .chain(SHUFFLE_EXTENSIONS)
            {
                if !self.has_extension(name) {
                    self.extensions.push((*name).into());
                }
            }
        }
        self.spirv = version;
        if version.minor < 6 {
            // Vulkan 1.3 has the instructions everywhere; with older versions they are an extension, which a host need not
            // expect of a source without dot products.
            self.features.integer_dot_product = false;
        }
        if version.minor < 3 {
            // The Vulkan memory model's extension requires SPIR-V 1.3.
            self.features.vulkan_memory_model = false;
            self.features.vulkan_memory_model_device_scope = false;
            self.features.subgroups = false;
            self.features.subgroup_shuffle = false;
            self.features.maximal_reconvergence = false;
            self.features.subgroup_uniform_control_flow = false;
            self.features.matrices = false;
            self.subgroup_size = None;
            let needs_it = |e: &String| {
                let names = ["cl_khr_cooperative_matrix", "cl_intel_required_subgroup_size"];
                e.starts_with("cl_khr_subgroup") || names.contains(&e.as_str())
            };
            self.extensions.retain(|e| !needs_it(e));
        }
    }

    /// Returns the target without 64-bit integers, and without what follows from them (compiler ADR 20).
    #[must_use]
    pub fn without_int64(mut self) -> Self {
        let features = &mut self.features;
        features.int64 = false;
        features.float64 = false;
        features.buffer_int64_atomics = false;
        features.shared_int64_atomics = false;
        features.clocks = false;
        features.subgroups = false;
        features.subgroup_shuffle = false;
        features.matrices = false;
        self.subgroup_size = None;
        let follow = [
            "cl_khr_fp64",
            "cl_khr_int64",
            "cl_khr_subgroup",
            "cl_khr_cooperative_matrix",
            "cl_intel_required_subgroup_size",
            "cl_khr_kernel_clock",
        ];
        self.extensions
            .retain(|e| !follow.iter().any(|name| e.starts_with(name)));
        let follow = [
            "__opencl_c_fp64",
            "__opencl_c_ext_fp64",
            "__opencl_c_subgroups",
            "__opencl_c_kernel_clock",
        ];
        self.c_features
            .retain(|f| !follow.iter().any(|name| f.starts_with(name)));
        self
    }

    /// Returns [`Target::desktop`] with a driver that has every known fault and peculiar cost, so that all passes run.
    /// It lacks the features without which passes generate other code.
    pub fn faulty() -> Self {
        Target {
            quirks: Quirks {
                loop_values: true,
                counted_loops: true,
                idle_lanes: true,
                coarse_filter: true,
                waiting_fences: true,
                double_rounding: true,
                widened_compares: true,
                stale_indices: true,
                kept_sign_of_zero: true,
                zero_operands: true,
                chosen_zeros: true,
                chosen_negative_zeros: true,
                cut_conversions: true,
                negative_bounds: true,
                half_clamps: true,
                signed_comparisons: true,
                nan_bounds: true,
                constant_conversions: true,
                converted_truths: true,
                typed_atomics: true,
                overflowing_quotients: true,
                narrow_integers: true,
                nonnegative_abs: true,
                bit_products: true,
                masked_signs: true,
                shared_quotients: true,
                mixed_lanes: true,
                repeated_clamps: true,
                byte_swaps: true,
                shifts_by_31: true,
                wide_accesses: true,
                rounded_unsigned: true,
                halves_by_floats: true,
                joined_conversions: true,
                joined_halves: true,
                shared_registers: true,
                unmasked_loads: true,
                miscounted_loops: true,
            },
            costs: Costs {
                costly_negation: true,
                split_words: true,
                lane_by_lane: true,
                whole_rotations: true,
            },
            limits: Limits {
                private_memory: 64,
                private_accesses: 8,
                nesting: 80,
                ..Target::desktop().limits
            },
            features: Features {
                workgroup_layout: false,
                ..Target::desktop().features
            },
            subgroup_layout: SubgroupLayout::Rows,
            ..Target::desktop()
        }
    }

    /// Returns whether there are limits for the errors of quotients and functions of -cl-fast-relaxed-math. OpenCL C 1.2 has
    /// none; a device with OpenCL C 2.0 or newer has them, whichever version a program is written in (OpenCL C 3.0 7.4).
    pub fn limits_relaxed_errors(&self) -> bool {
        self.newest >= ClStd::Cl20
    }

    /// Returns the target with the newest version of OpenCL C and every optional feature that the compiler has.
    #[must_use]
    pub fn latest(mut self) -> Self {
        self.newest = ClStd::Cl31;
        self.c_features = C_FEATURES.map(String::from).to_vec();
        self.extensions.extend(
            [
                "cl_ext_float_atomics",
                "cl_khr_kernel_clock",
                "cl_khr_work_group_uniform_arithmetic",
            ]
            .map(String::from),
        );
        self
    }

    /// Returns what clspv assumes of a device unless options say otherwise: SPIR-V 1.0 with the GLSL450
    /// memory model, every type, 8-bit and 16-bit storage, and the descriptor ABI.
    pub fn clspv() -> Self {
        let mut target = Target::desktop();
        target.abi = Abi::Descriptor(DescriptorAbi::default());
        target.features.fast_fma = false;
        target.set_spirv(SpirvVersion { major: 1, minor: 0 });
        target
    }

    /// Returns a desktop-class Vulkan 1.3 device with every feature that the compiler uses. This is the
    /// default of `calderac`.
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
                workgroup_layout: true,
                fast_fma: true,
                clocks: true,
                subgroups: true,
                subgroup_shuffle: true,
                matrices: true,
                images: true,
                states_formats: true,
                integer_dot_product: true,
                packed_dot: [true; 3],
                saturating_dot: [true; 3],
                ..Features::default()
            },
            calibration: Calibration::default(),
            quirks: Quirks::default(),
            costs: Costs::default(),
            limits: Limits {
                push_constants: 128,
                local_memory: 32 << 10,
                work_group_size: 1024,
                uniform_buffer: 64 << 10,
                private_memory: u32::MAX,
                private_accesses: u32::MAX,
                nesting: u32::MAX,
                local_memory_step: 1024,
            },
            wide_ranges: false,
            zeroed: Zeroed::default(),
            aligned_buffers: true,
            checks: Checks::default(),
            matrix_variants: Vec::new(),
            emulated_matrices: None,
            subgroup_size: None,
            subgroup_layout: SubgroupLayout::default(),
            packs_groups: false,
            newest: ClStd::Cl12,
            c_features: Vec::new(),
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
                "cl_khr_extended_bit_ops",
                "cl_khr_integer_dot_product",
                "cl_khr_cooperative_matrix",
                "cl_khr_subgroups",
            ]
            .iter()
            .chain(SUBGROUP_EXTENSIONS)
            .chain(SHUFFLE_EXTENSIONS)
            .map(|name| String::from(*name))
            .collect(),
        }
    }
}
