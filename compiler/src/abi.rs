//! The interface between kernels and their launches: which of the two ABIs a module has, and the options of
//! each ABI.
//!
//! `docs/opencl-on-vulkan.md` describes both.

use crate::intrinsic::SamplerMask;

/// The largest number of work-items of a work-group in one dimension. It is more than any device allows, and
/// small enough that products do not overflow.
pub const MAX_LOCAL_SIZE: u32 = 0xffff;

/// The largest number of arguments of a kernel. It is more than fit into any device's
/// CL_DEVICE_MAX_PARAMETER_SIZE.
pub const MAX_ARGS: u32 = 4096;

/// The number of work-items whose slices of the scratch memory are interleaved. The memory of a dispatch has room for a
/// multiple of it.
pub const SCRATCH_BLOCK: u32 = 32;

/// Returns the bytes of the scratch memory of a dispatch with `items` work-items, whose slices have `slice` bytes.
pub fn scratch_size(items: u64, slice: u32) -> u64 {
    let blocks = items.div_ceil(u64::from(SCRATCH_BLOCK));
    blocks.saturating_mul(u64::from(SCRATCH_BLOCK) * u64::from(slice))
}

/// The descriptor sets of the physical ABI.
pub mod descriptor_set {
    /// Binding 0 is the argument buffer; the other bindings are the kernel's images and samplers.
    pub const ARGUMENTS: u32 = 0;
    /// The samplers that the program declares. All kernels of the module share this set.
    pub const LITERAL_SAMPLERS: u32 = 1;
}

/// The interface between a module and the host that launches it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Abi {
    /// Pointers are device addresses in push constants.
    #[default]
    Physical,
    /// Each buffer has a descriptor, as in clspv's mapping.
    Descriptor(DescriptorAbi),
}

impl Abi {
    /// Returns the options of the descriptor ABI, or `None` for the physical ABI.
    pub fn descriptor(&self) -> Option<&DescriptorAbi> {
        match self {
            Abi::Physical => None,
            Abi::Descriptor(d) => Some(d),
        }
    }
}

/// The location of plain values.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum PodPlace {
    /// A storage buffer.
    #[default]
    StorageBuffer,
    /// A uniform buffer (`-pod-ubo`).
    UniformBuffer,
    /// Push constants (`-pod-pushconstant`). The values must fit, and the module may have no other push
    /// constants.
    PushConstants,
    /// Push constants, after the module's own, if all values of the kernel fit; otherwise a uniform buffer.
    Auto,
}

/// The layouts of uniform buffers (Vulkan, "Offset and Stride Assignment"). Each layout allows everything
/// that the layouts before it allow.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum UboLayout {
    /// Arrays, their elements, and structs are aligned to 16 bytes.
    #[default]
    Standard,
    /// VK_KHR_relaxed_block_layout: a vector is aligned to its component if it does not straddle 16 bytes.
    Relaxed,
    /// VK_KHR_uniform_buffer_standard_layout: arrays and structs are aligned as their members are.
    Std430,
    /// VK_EXT_scalar_block_layout: every type is aligned to its largest component.
    Scalar,
}

/// The value of `get_global_offset`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum GlobalOffset {
    /// The offset is always 0.
    #[default]
    Zero,
    /// Specialization constants (`-global-offset`).
    SpecConstants,
    /// Push constants (`-global-offset-push-constant`).
    PushConstants,
}

/// The options of the descriptor ABI. [`DescriptorAbi::default`] has clspv's defaults.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DescriptorAbi {
    /// The location of plain values.
    pub pods: PodPlace,
    /// Whether all plain values of a kernel are in one block (`-cluster-pod-kernel-args`); otherwise each has
    /// a block of its own.
    pub cluster_pods: bool,
    /// Whether the program's `__constant` variables are in a storage buffer
    /// (`-module-constants-in-storage-buffer`); otherwise they are initialized variables of the module.
    pub constants_in_buffer: bool,
    /// Whether pointers to `__constant` are bound as uniform buffers (`-constant-args-ubo`).
    pub constant_args_ubo: bool,
    /// The layout that pointees of `__constant` pointers must conform to if `constant_args_ubo` is set.
    pub ubo_layout: UboLayout,
    /// Whether each kernel has a descriptor set of its own (`-distinct-kernel-descriptor-sets`).
    pub distinct_sets: bool,
    /// Whether `get_work_dim` is a specialization constant (`-work-dim`); otherwise it is always 3.
    pub work_dim: bool,
    /// The value of `get_global_offset`.
    pub global_offset: GlobalOffset,
    /// Whether an NDRange may be split into several dispatches (`-cl-arm-non-uniform-work-group-size`). Push
    /// constants then supply what a dispatch cannot know about the whole NDRange.
    pub regions: bool,
    /// Whether `printf` is available; it writes to a storage buffer (`-enable-printf`). Otherwise its use is
    /// an error.
    pub printf: bool,
    /// The size of the printf buffer in bytes (`-printf-buffer-size`).
    pub printf_buffer_size: u32,
    /// The literal samplers that programs may use, indexed by binding (`-samplermap`); `None` allows any
    /// sampler.
    pub sampler_map: Option<Vec<SamplerMask>>,
    /// Whether the buffers of different arguments may share memory.
    pub aliased: bool,
    /// Whether kernels may test which buffers are NULL; kernels that do so have a push constant for each
    /// tested buffer. clspv's mapping has no such push constants, so there such a test is an error.
    pub null_flags: bool,
    /// Whether a sampler argument may have a second descriptor, for the same sampler with normalized
    /// coordinates, and its properties in push constants that our own reflection describes. In clspv's
    /// mapping, a sampler argument has a single descriptor. If the kernel reads arrays or 3D images with it,
    /// this descriptor is the normalized sampler (`NormalizedSamplerMaskPushConstant`).
    pub sampler_pairs: bool,
    /// Whether a kernel may have a buffer of its own, after its arguments, in which it reports that the driver has ended
    /// its loops ([`Quirks::counted_loops`](crate::target::Quirks::counted_loops)). clspv's mapping has no such buffer.
    pub ended_loops: bool,
    /// Whether the restrictions of the contract's older form apply (`builtins::older_contract`): fewer types
    /// and functions, literal samplers only from a map, and `reqd_work_group_size` on either all kernels or
    /// none.
    pub older_rules: bool,
}

impl Default for DescriptorAbi {
    fn default() -> Self {
        DescriptorAbi {
            pods: PodPlace::StorageBuffer,
            cluster_pods: true,
            constants_in_buffer: false,
            constant_args_ubo: false,
            ubo_layout: UboLayout::Standard,
            distinct_sets: false,
            work_dim: true,
            global_offset: GlobalOffset::Zero,
            regions: false,
            printf: false,
            printf_buffer_size: crate::printf::PRINTF_BUFFER_SIZE,
            sampler_map: None,
            aliased: false,
            null_flags: false,
            sampler_pairs: false,
            ended_loops: false,
            older_rules: false,
        }
    }
}

impl DescriptorAbi {
    /// Returns the options of modules for Caldera's runtime: everything of OpenCL 1.2 that this ABI can
    /// express.
    pub fn runtime() -> Self {
        DescriptorAbi {
            pods: PodPlace::Auto,
            constants_in_buffer: true,
            global_offset: GlobalOffset::PushConstants,
            regions: true,
            printf: true,
            aliased: true,
            null_flags: true,
            sampler_pairs: true,
            ended_loops: true,
            ..DescriptorAbi::default()
        }
    }
}

/// A descriptor, identified by its set and binding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
}

/// The first SpecId after those of the work-group size.
pub const FIRST_SPEC_ID: u32 = 3;
