//! How kernels and their launches meet: which of the two ABIs a module has, and the choices within it.
//!
//! `docs/opencl-on-vulkan.md` describes both.

use crate::intrinsic::SamplerMask;

/// The interface between a module and whoever launches it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Abi {
    /// Device addresses in push constants.
    #[default]
    Physical,
    /// A descriptor for each buffer: the mapping of clspv.
    Descriptor(DescriptorAbi),
}

impl Abi {
    /// The choices of the descriptor ABI, if it is that.
    pub fn descriptor(&self) -> Option<&DescriptorAbi> {
        match self {
            Abi::Physical => None,
            Abi::Descriptor(d) => Some(d),
        }
    }
}

/// Where plain values go.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum PodPlace {
    /// A storage buffer.
    #[default]
    StorageBuffer,
    /// A uniform buffer (`-pod-ubo`).
    UniformBuffer,
    /// Push constants (`-pod-pushconstant`); they must fit, and the module may have no others.
    PushConstants,
    /// Push constants behind the module's own if there is room for all values of the kernel, else a uniform buffer.
    Auto,
}

/// Layouts of uniform buffers (Vulkan, "Offset and Stride Assignment"); each allows what those before it do.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum UboLayout {
    /// Arrays and structs are aligned to 16 bytes, and so are the elements of arrays.
    #[default]
    Standard,
    /// VK_KHR_relaxed_block_layout: vectors are aligned to their components, if they do not straddle 16 bytes.
    Relaxed,
    /// VK_KHR_uniform_buffer_standard_layout: arrays and structs are aligned as their members are.
    Std430,
    /// VK_EXT_scalar_block_layout: that of the largest component.
    Scalar,
}

/// What `get_global_offset` is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum GlobalOffset {
    /// Always 0.
    #[default]
    Zero,
    /// Specialization constants (`-global-offset`).
    SpecConstants,
    /// Push constants (`-global-offset-push-constant`).
    PushConstants,
}

/// Choices of the descriptor ABI; [`DescriptorAbi::default`] is clspv's.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DescriptorAbi {
    /// Where plain values go.
    pub pods: PodPlace,
    /// All plain values of a kernel in one block (`-cluster-pod-kernel-args`), not in one each.
    pub cluster_pods: bool,
    /// `__constant` variables of the program in a storage buffer (`-module-constants-in-storage-buffer`), not in the
    /// module.
    pub constants_in_buffer: bool,
    /// Pointers to `__constant` as uniform buffers (`-constant-args-ubo`).
    pub constant_args_ubo: bool,
    /// The layout that types behind pointers to `__constant` must have then.
    pub ubo_layout: UboLayout,
    /// A descriptor set for each kernel (`-distinct-kernel-descriptor-sets`).
    pub distinct_sets: bool,
    /// `get_work_dim` is a specialization constant (`-work-dim`), not always 3.
    pub work_dim: bool,
    /// What `get_global_offset` is.
    pub global_offset: GlobalOffset,
    /// An NDRange may be several dispatches (`-cl-arm-non-uniform-work-group-size`): what a dispatch cannot know
    /// comes in push constants.
    pub regions: bool,
    /// `printf` writes to a storage buffer (`-enable-printf`); without it is an error.
    pub printf: bool,
    /// Bytes of its buffer (`-printf-buffer-size`).
    pub printf_buffer_size: u32,
    /// The literal samplers that programs may use, by binding (`-samplermap`); `None`: any.
    pub sampler_map: Option<Vec<SamplerMask>>,
    /// Buffers of different arguments may be the same memory.
    pub aliased: bool,
    /// Kernels may ask which buffers are NULL: those that do have a push constant for each. clspv's mapping has no such
    /// thing, there it is an error.
    pub null_flags: bool,
    /// A sampler argument may have a second descriptor, of the same sampler with normalized coordinates, and its
    /// properties in push constants that our own reflection describes. In clspv's mapping it is the one descriptor
    /// that the map names, and reads of arrays and 3D images make that the normalized one
    /// (`NormalizedSamplerMaskPushConstant`).
    pub sampler_pairs: bool,
    /// The restrictions of the contract's older form (`builtins::older_contract`): types and functions, literal
    /// samplers only from a map, and either all kernels have `reqd_work_group_size` or none.
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
            older_rules: false,
        }
    }
}

impl DescriptorAbi {
    /// What Caldera's runtime launches: everything of OpenCL 1.2 that this ABI can express.
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
            ..DescriptorAbi::default()
        }
    }
}

/// A descriptor.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
}

/// The first SpecId behind the work-group size.
pub const FIRST_SPEC_ID: u32 = 3;
