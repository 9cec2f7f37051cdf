//! What the runtime must know about a module: kernels, their arguments and where each argument goes.
//!
//! The information travels inside the SPIR-V module as instructions of the extended set
//! `NonSemantic.ClspvReflection` (revision 7), so that a program binary is nothing but a module. [`read()`] turns
//! any module with that set into a [`Reflection`], [`write()`] puts one into a module; `spirv` writes the instructions
//! while it emits.
//!
//! Two conventions of the physical ABI go beyond the set's own words:
//!
//! * A `__local` argument appears twice under one ordinal: `ArgumentWorkgroup` (SpecId of the arena's byte size,
//!   element size) and a four-byte POD, the place where the launch writes the argument's byte offset in the
//!   arena. [`read()`] joins the two into [`Binding::Workgroup`].
//! * A second set, `NonSemantic.Caldera.1` ([`CalderaOp`]), says what a kernel does with the memory behind a
//!   pointer argument ([`Arg::uses`]) and what it wants to know of samplers. Modules without it get the safe
//!   answer.

mod check;
mod descriptor_map;
mod interface;
mod listing;
mod read;
mod set;
mod strip;
mod write;

pub use check::{MAX_ARGS, MAX_LOCAL_SIZE};
pub use descriptor_map::{MapStyle, descriptor_map};
pub use interface::{Resource, ResourceKind};
pub use listing::listing;
pub use read::read;
pub use set::{CALDERA_SET, CLSPV_SET, CLSPV_SET_PREFIX, CalderaOp, Op, REVISION};
pub use strip::strip;
pub use write::write;

/// SpecIds of the physical ABI.
pub mod spec_id {
    /// Work-group size x, y, z: three consecutive ids from here.
    pub const WORKGROUP_SIZE: u32 = 0;
    /// Byte size of the local arena.
    pub const LOCAL_BYTES: u32 = 3;
    /// get_work_dim.
    pub const WORK_DIM: u32 = 4;
}

/// What is, as a number, the pointer to the start of constant data that is a descriptor: kernels of our own print such.
pub const CONSTANT_POINTER: u64 = crate::ir::module::object_pointer(crate::ir::MemoryObject::CONSTANTS);

/// Descriptor sets of the physical ABI.
pub mod descriptor_set {
    /// Binding 0 is the argument buffer, the others are the kernel's images and samplers.
    pub const ARGUMENTS: u32 = 0;
    /// The samplers that the program declares; the same for all kernels of the module.
    pub const LITERAL_SAMPLERS: u32 = 1;
}

/// A range of the push-constant block.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PushRange {
    /// Byte offset.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// A descriptor.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Descriptor {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
}

/// Where a plain value (POD, address, arena offset) is written.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In the push-constant block.
    Push(PushRange),
    /// In a uniform buffer, at a byte offset.
    Uniform {
        /// The buffer's descriptor.
        at: Descriptor,
        /// Byte offset.
        offset: u32,
        /// Bytes.
        size: u32,
    },
    /// In a storage buffer, at a byte offset.
    Storage {
        /// The buffer's descriptor.
        at: Descriptor,
        /// Byte offset.
        offset: u32,
        /// Bytes.
        size: u32,
    },
}

/// How an argument reaches the kernel.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// The argument's bytes.
    Pod(Place),
    /// The 64-bit device address of a buffer.
    Pointer(Place),
    /// A buffer as storage buffer.
    StorageBuffer(Descriptor),
    /// A buffer as uniform buffer.
    UniformBuffer(Descriptor),
    /// read_only image.
    SampledImage(Descriptor),
    /// write_only image.
    StorageImage(Descriptor),
    /// Sampler.
    Sampler(Descriptor),
    /// Sampler: not the argument, but the sampler with its filter and addressing mode and normalized coordinates
    /// (clspv's mapping, where `sampler_mask` tells the shader what the argument is).
    NormalizedSampler(Descriptor),
    /// Image buffer, write_only.
    StorageTexelBuffer(Descriptor),
    /// Image buffer, read_only.
    UniformTexelBuffer(Descriptor),
    /// `__local` memory. In the physical ABI (`offset` present) `spec_id` is the arena's byte size and `offset`
    /// is where the launch writes the u32 byte offset of the argument's memory in the arena. Otherwise
    /// (clspv's mapping) `spec_id` is the number of elements of an array of its own.
    Workgroup {
        /// Specialization constant.
        spec_id: u32,
        /// Size of the pointee in bytes.
        elem_size: u32,
        /// Where the arena offset goes.
        offset: Option<Place>,
    },
}

/// What clGetKernelArgInfo reports. The qualifiers are OpenCL's `CL_KERNEL_ARG_*` values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArgInfo {
    /// CL_KERNEL_ARG_NAME.
    pub name: String,
    /// CL_KERNEL_ARG_TYPE_NAME.
    pub type_name: Option<String>,
    /// CL_KERNEL_ARG_ADDRESS_QUALIFIER.
    pub address_qualifier: Option<u32>,
    /// CL_KERNEL_ARG_ACCESS_QUALIFIER.
    pub access_qualifier: Option<u32>,
    /// CL_KERNEL_ARG_TYPE_QUALIFIER.
    pub type_qualifier: Option<u32>,
}

/// What a kernel does with the memory behind a pointer argument.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemoryUse {
    /// May be read.
    pub read: bool,
    /// May be written.
    pub written: bool,
    /// The pointer is stored or turned into a number: later launches may reach the memory, too.
    pub escapes: bool,
}

impl MemoryUse {
    /// Nothing is known.
    pub const ANY: MemoryUse = MemoryUse {
        read: true,
        written: true,
        escapes: true,
    };
}

/// A kernel argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arg {
    /// How it reaches the kernel; `None` if the module has no place for it (an argument that is not used).
    pub binding: Option<Binding>,
    /// Present if the program was built with `-cl-kernel-arg-info`, or always, as the compiler pleases.
    pub info: Option<ArgInfo>,
    /// Meaningful for buffers.
    pub uses: MemoryUse,
    /// Four bytes that the launch supplies: the image's channel order, as OpenCL numbers it (`CL_RGBA` …).
    pub channel_order: Option<Place>,
    /// The same of the channel data type (`CL_UNORM_INT8` …).
    pub channel_data_type: Option<Place>,
    /// The same of a sampler: [`SamplerMask`](crate::intrinsic::SamplerMask).
    pub sampler_mask: Option<Place>,
    /// Four bytes for a buffer: 0 if it is NULL, else 1.
    pub not_null: Option<Place>,
    /// A second descriptor of a sampler argument: the sampler with the argument's filter and addressing mode and
    /// normalized coordinates.
    pub normalized_sampler: Option<Descriptor>,
    /// The declared type of an image argument as a `CL_MEM_OBJECT_IMAGE…` value, if known.
    pub image_type: Option<u32>,
}

/// The `CL_MEM_OBJECT_IMAGE…` value of an image argument's type (CL 5.3.1).
pub fn image_type(shape: crate::intrinsic::ImageShape) -> u32 {
    use crate::intrinsic::ImageShape as S;
    match shape {
        S::D2 => 0x10f1,
        S::D3 => 0x10f2,
        S::D2Array => 0x10f3,
        S::D1 => 0x10f4,
        S::D1Array => 0x10f5,
        S::Buffer => 0x10f6,
    }
}

impl Default for Arg {
    fn default() -> Self {
        Arg {
            binding: None,
            info: None,
            uses: MemoryUse::ANY,
            channel_order: None,
            channel_data_type: None,
            sampler_mask: None,
            not_null: None,
            normalized_sampler: None,
            image_type: None,
        }
    }
}

/// A buffer with plain values that each launch fills.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PodBlock {
    /// Its descriptor.
    pub at: Descriptor,
    /// Bytes.
    pub size: u32,
    /// A storage buffer, not a uniform buffer.
    pub storage: bool,
}

/// Scratch memory of a kernel: private arrays that are too much for the driver. A launch brings a buffer of `bytes` for each
/// work-item of a dispatch, less than 4 GiB, that no other dispatch uses at the same time. What it holds before is undefined.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scratch {
    /// Where its 64-bit device address goes.
    pub place: PushRange,
    /// Bytes of a work-item.
    pub bytes: u32,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernel {
    /// Name of the kernel and of the entry point.
    pub name: String,
    /// Id of the entry point's function.
    pub function: u32,
    /// By ordinal.
    pub args: Vec<Arg>,
    /// May call printf.
    pub printf: bool,
    /// CL_KERNEL_ATTRIBUTES.
    pub attributes: String,
    /// reqd_work_group_size: the pipeline's work-group size is fixed to it.
    pub required_size: Option<[u32; 3]>,
    /// Bytes of kernel-scope `__local` variables; they occupy the arena from 0.
    pub local_fixed: u32,
    /// Whether the kernel has a local arena (physical ABI): `spec_id::LOCAL_BYTES` must then cover it (at least 4
    /// bytes).
    pub has_arena: bool,
    /// The memory that a launch must bring for each work-item.
    pub scratch: Option<Scratch>,
    /// The result does not depend on how the NDRange is divided into work-groups, even of different sizes.
    pub ungrouped: bool,
    /// The descriptors that the code uses: each must be one of those above, or of the module's.
    pub resources: Vec<Resource>,
}

impl Kernel {
    /// What `intel_reqd_sub_group_size` asks for, in work-items.
    pub fn required_subgroup_size(&self) -> Option<u32> {
        let mut attributes = self.attributes.split(' ');
        attributes.find_map(|a| {
            let size = a.strip_prefix("intel_reqd_sub_group_size(")?;
            size.strip_suffix(')')?.parse().ok()
        })
    }

    /// Bytes of the uniform buffer with the arguments that did not fit into push constants, and its
    /// descriptor. `None`: the kernel has none.
    pub fn args_buffer(&self) -> Option<(Descriptor, u32)> {
        let mut found: Option<(Descriptor, u32)> = None;
        for place in self.places() {
            if let Place::Uniform { at, offset, size } = place {
                let end = found.map_or(0, |(_, e)| e).max(offset + size);
                found = Some((at, end));
            }
        }
        // The shader sees an array of 16-byte vectors.
        found.map(|(at, end)| (at, end.max(1).next_multiple_of(16)))
    }

    /// The buffers with plain values, in the order of their descriptors.
    pub fn pod_blocks(&self) -> Vec<PodBlock> {
        let mut blocks: Vec<PodBlock> = Vec::new();
        for place in self.places() {
            let (at, end, storage) = match place {
                Place::Push(_) => continue,
                Place::Uniform { at, offset, size } => (at, offset + size, false),
                Place::Storage { at, offset, size } => (at, offset + size, true),
            };
            match blocks.iter_mut().find(|b| b.at == at) {
                Some(block) => block.size = block.size.max(end),
                None => blocks.push(PodBlock {
                    at,
                    size: end,
                    storage,
                }),
            }
        }
        for block in &mut blocks {
            // Shaders may see arrays of 16-byte vectors.
            block.size = block.size.max(1).next_multiple_of(16);
        }
        blocks.sort_by_key(|b| b.at);
        blocks
    }

    /// End of the push-constant bytes that the kernel's own arguments take.
    pub fn push_end(&self) -> u32 {
        self.places()
            .filter_map(|p| match p {
                Place::Push(r) => Some(r.offset + r.size),
                Place::Uniform { .. } | Place::Storage { .. } => None,
            })
            .max()
            .unwrap_or(0)
    }

    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.args.iter().flat_map(|a| {
            let main = match a.binding {
                Some(Binding::Pod(p) | Binding::Pointer(p)) => Some(p),
                Some(Binding::Workgroup { offset, .. }) => offset,
                Some(
                    Binding::StorageBuffer(_)
                    | Binding::UniformBuffer(_)
                    | Binding::SampledImage(_)
                    | Binding::StorageImage(_)
                    | Binding::Sampler(_)
                    | Binding::NormalizedSampler(_)
                    | Binding::StorageTexelBuffer(_)
                    | Binding::UniformTexelBuffer(_),
                )
                | None => None,
            };
            let facts = [a.channel_order, a.channel_data_type, a.sampler_mask, a.not_null];
            main.into_iter().chain(facts.into_iter().flatten())
        })
    }
}

/// Push constants that every launch supplies. Each is three numbers (x, y, z): u32, or u64 where the range has 24 bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemPush {
    /// get_global_offset.
    pub global_offset: Option<PushRange>,
    /// get_enqueued_local_size.
    pub enqueued_local_size: Option<PushRange>,
    /// get_global_size.
    pub global_size: Option<PushRange>,
    /// Global offset plus first work-item of this dispatch.
    pub region_offset: Option<PushRange>,
    /// Work-groups of the whole NDRange.
    pub num_workgroups: Option<PushRange>,
    /// First work-group of this dispatch.
    pub region_group_offset: Option<PushRange>,
}

impl SystemPush {
    /// End of the highest of them.
    pub fn end(&self) -> u32 {
        [
            self.global_offset,
            self.enqueued_local_size,
            self.global_size,
            self.region_offset,
            self.num_workgroups,
            self.region_group_offset,
        ]
        .into_iter()
        .flatten()
        .map(|r| r.offset + r.size)
        .max()
        .unwrap_or(0)
    }
}

/// SpecIds of what is a specialization constant.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SpecIds {
    /// Work-group size x, y, z. Absent if every kernel requires its size.
    pub workgroup_size: Option<[u32; 3]>,
    /// get_global_offset x, y, z.
    pub global_offset: Option<[u32; 3]>,
    /// get_work_dim.
    pub work_dim: Option<u32>,
    /// Largest subgroup.
    pub subgroup_max_size: Option<u32>,
}

/// How the shader reaches a data blob.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum DataPlace {
    /// A storage buffer with the data.
    StorageBuffer(Descriptor),
    /// A uniform buffer with the data.
    UniformBuffer(Descriptor),
    /// Its 64-bit device address goes here.
    PointerPush(PushRange),
}

/// Data that the runtime uploads once per program and device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramData {
    /// How the shader reaches it.
    pub place: DataPlace,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// At byte `pointer_offset` of the data, `pointer_size` bytes must become the address of byte `object_offset`
/// of the data.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Relocation {
    /// Where the pointer points.
    pub object_offset: u32,
    /// Where the pointer is.
    pub pointer_offset: u32,
    /// Bytes of the pointer.
    pub pointer_size: u32,
}

/// A sampler that the program declares. `mask` is a [`SamplerMask`](crate::intrinsic::SamplerMask).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct LiteralSampler {
    /// Where it goes.
    pub at: Descriptor,
    /// What it is.
    pub mask: u32,
}

/// A printf format string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintfFormat {
    /// Identifies it in the printf buffer.
    pub id: u32,
    /// The format.
    pub format: String,
    /// Size of each argument in bytes.
    pub arg_sizes: Vec<u32>,
}

/// The buffer into which kernels print.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PrintfBuffer {
    /// How the shader reaches it.
    pub place: DataPlace,
    /// Bytes.
    pub size: u32,
}

/// Everything that the module says about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    /// In the order of the module.
    pub kernels: Vec<Kernel>,
    /// Launch-time push constants of the module.
    pub push: SystemPush,
    /// Specialization constants of the module.
    pub spec: SpecIds,
    /// `__constant` data.
    pub constant_data: Option<ProgramData>,
    /// Program-scope variables (OpenCL 2.0 and later, and clspv's name for data with relocations).
    pub program_variables: Option<ProgramData>,
    /// Pointers inside `program_variables` or, without it, `constant_data`.
    pub relocations: Vec<Relocation>,
    /// Samplers declared in the program.
    pub literal_samplers: Vec<LiteralSampler>,
    /// printf formats.
    pub printf_formats: Vec<PrintfFormat>,
    /// printf output.
    pub printf_buffer: Option<PrintfBuffer>,
    /// Ids of the variables in local memory whose bytes the module tells, with them.
    pub workgroup_variables: Vec<(u32, u32)>,
    /// Kernels ask Vulkan for their place in the dispatch (GlobalInvocationId, WorkgroupId).
    pub asks_place: bool,
    /// No kernel has a loop.
    pub straight: bool,
}

impl Reflection {
    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Bytes of push constants that a launch of `kernel` must supply, a multiple of 4.
    pub fn push_size(&self, kernel: &Kernel) -> u32 {
        let data = |d: &Option<ProgramData>| match d.as_ref().map(|d| d.place) {
            Some(DataPlace::PointerPush(r)) => r.offset + r.size,
            Some(DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_)) | None => 0,
        };
        let printf = match self.printf_buffer.map(|b| b.place) {
            Some(DataPlace::PointerPush(r)) => r.offset + r.size,
            Some(DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_)) | None => 0,
        };
        let scratch = kernel.scratch.map_or(0, |s| s.place.offset + s.place.size);
        kernel
            .push_end()
            .max(scratch)
            .max(self.push.end())
            .max(data(&self.constant_data))
            .max(data(&self.program_variables))
            .max(printf)
            .next_multiple_of(4)
    }
}

/// Why a module's reflection cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReflectionError {
    /// Not SPIR-V, or not in this machine's byte order.
    #[error("not a SPIR-V module")]
    NotSpirv,
    /// An instruction runs over the end, or is malformed otherwise.
    #[error("malformed SPIR-V at word {at}: {what}")]
    Malformed {
        /// Word index.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// No import of the reflection set.
    #[error("the module has no NonSemantic.ClspvReflection instructions")]
    Missing,
    /// A revision that this reader does not know.
    #[error("NonSemantic.ClspvReflection revision {0} is newer than {REVISION}")]
    Newer(u32),
    /// A reflection instruction with wrong operands.
    #[error("{op} at word {at}: {what}")]
    Operand {
        /// Name of the instruction.
        op: &'static str,
        /// Word index.
        at: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// What the reflection says of a kernel is not what the code is like.
    #[error("kernel '{kernel}': {what}")]
    Contradiction {
        /// Its name; empty for the module as a whole.
        kernel: String,
        /// What is wrong.
        what: &'static str,
    },
    /// An instruction number outside of the revision.
    #[error("unknown reflection instruction {number} at word {at}")]
    UnknownInstruction {
        /// Instruction number.
        number: u32,
        /// Word index.
        at: usize,
    },
}
