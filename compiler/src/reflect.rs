//! Reflection: what the runtime must know about a module, that is its kernels, their arguments, and where a
//! launch writes each argument.
//!
//! The information is stored in the SPIR-V module as instructions of the extended set
//! `NonSemantic.ClspvReflection` (revision 7), so a program binary is just a module. [`read()`] turns any
//! module with that set into a [`Reflection`], and [`write()`] inserts a `Reflection` into a module. The
//! compiler's `spirv` stage writes the instructions while it emits the module.
//!
//! Two conventions of the physical ABI go beyond what the set defines:
//!
//! * A `__local` argument appears twice under one ordinal: as an `ArgumentWorkgroup` (SpecId of the arena's
//!   byte size, element size) and as a four-byte POD, where the launch writes the byte offset of the
//!   argument's memory in the arena. [`read()`] joins the two into [`Binding::Workgroup`].
//! * A second set, `NonSemantic.Caldera.1` ([`CalderaOp`]), says how a kernel uses the memory that a pointer
//!   argument points to ([`Arg::uses`]) and which properties of a sampler it reads. For modules without this
//!   set, [`read()`] assumes the most conservative answer.

mod check;
mod descriptor_map;
mod interface;
mod listing;
mod read;
mod set;
mod strip;
mod write;

use crate::abi::scratch_size;
use crate::check::Area;
pub use descriptor_map::{MapStyle, descriptor_map};
pub use interface::{Resource, ResourceKind};
pub use listing::listing;
pub use read::read;
pub use set::{CALDERA_SET, CLSPV_SET, CLSPV_SET_PREFIX, CalderaOp, Op, REVISION};
pub use strip::strip;
pub use write::write;

use crate::ir::RequiredSubgroups;

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |n: u8| char::from(b"0123456789abcdef"[usize::from(n)]);
    let mut text = String::with_capacity(2 * bytes.len());
    for &b in bytes {
        text.push(digit(b >> 4));
        text.push(digit(b & 15));
    }
    text
}

/// The specialization constant ids (SpecIds) of the physical ABI.
pub mod spec_id {
    /// The first of three consecutive ids: work-group size x, y, z.
    pub const WORKGROUP_SIZE: u32 = 0;
    /// The byte size of the local arena.
    pub const LOCAL_BYTES: u32 = 3;
    /// The value of `get_work_dim`.
    pub const WORK_DIM: u32 = 4;
    /// The first of three consecutive ids: the number of work-groups of the application in a work-group of the device, in x, y and
    /// z ([`Packing`](super::Packing)).
    pub const PACK: u32 = 5;
}

/// The numeric value that kernels of our own compiler use for a pointer to the start of constant data that is
/// bound as a descriptor. The host uses it to find a string that a kernel printed by pointer.
pub const CONSTANT_POINTER: u64 = crate::ir::module::object_pointer(crate::ir::MemoryObject::CONSTANTS);

/// A range of bytes in the push-constant block.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PushRange {
    /// The offset in bytes.
    pub offset: u32,
    /// The size in bytes.
    pub size: u32,
}

/// A descriptor, identified by its set and binding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Descriptor {
    /// The descriptor set.
    pub set: u32,
    /// The binding in the set.
    pub binding: u32,
}

/// The location where the launch writes a plain value: a POD, a device address, or an offset in the arena.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In the push-constant block.
    Push(PushRange),
    /// In a uniform buffer, at a byte offset.
    Uniform {
        /// The buffer's descriptor.
        at: Descriptor,
        /// The offset in bytes.
        offset: u32,
        /// The size in bytes.
        size: u32,
    },
    /// In a storage buffer, at a byte offset.
    Storage {
        /// The buffer's descriptor.
        at: Descriptor,
        /// The offset in bytes.
        offset: u32,
        /// The size in bytes.
        size: u32,
    },
}

/// How an argument reaches the kernel.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    /// The argument's bytes are written to this location.
    Pod(Place),
    /// The 64-bit device address of a buffer is written to this location.
    Pointer(Place),
    /// A buffer, bound as a storage buffer.
    StorageBuffer(Descriptor),
    /// A buffer, bound as a uniform buffer.
    UniformBuffer(Descriptor),
    /// A `read_only` image.
    SampledImage(Descriptor),
    /// A `write_only` image.
    StorageImage(Descriptor),
    /// A sampler.
    Sampler(Descriptor),
    /// A sampler in clspv's mapping that is bound with normalized coordinates. It has the filter and
    /// addressing mode of the argument's sampler; `sampler_mask` tells the shader the argument's real
    /// properties.
    NormalizedSampler(Descriptor),
    /// A `write_only` image buffer.
    StorageTexelBuffer(Descriptor),
    /// A `read_only` image buffer.
    UniformTexelBuffer(Descriptor),
    /// `__local` memory. In the physical ABI (`offset` is present), `spec_id` is the byte size of the arena,
    /// and the launch writes the byte offset of the argument's memory in the arena, a u32, to `offset`. In
    /// clspv's mapping (`offset` is absent), the argument has an array of its own, and `spec_id` is its
    /// number of elements.
    Workgroup {
        /// The SpecId of the specialization constant.
        spec_id: u32,
        /// The size of the pointee in bytes; its alignment if `offset` is present.
        elem_size: u32,
        /// The location of the arena offset.
        offset: Option<Place>,
    },
}

/// What `clGetKernelArgInfo` reports. The qualifiers are OpenCL's `CL_KERNEL_ARG_*` values.
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

/// How a kernel uses the memory that a pointer argument points to.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemoryUse {
    /// The kernel may read the memory.
    pub read: bool,
    /// The kernel may write the memory.
    pub written: bool,
    /// The kernel stores the pointer or converts it to an integer, so later launches may access the memory,
    /// too.
    pub escapes: bool,
}

impl MemoryUse {
    /// The conservative answer when nothing is known.
    pub const ANY: MemoryUse = MemoryUse {
        read: true,
        written: true,
        escapes: true,
    };
}

/// A kernel argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arg {
    /// How the argument reaches the kernel; `None` if the module has no location for it because the kernel
    /// does not use it.
    pub binding: Option<Binding>,
    /// The argument's information. Modules built with `-cl-kernel-arg-info` have it; other modules may have
    /// it, too.
    pub info: Option<ArgInfo>,
    /// How the kernel uses the memory. This is meaningful for buffers only.
    pub uses: MemoryUse,
    /// Four bytes in which the launch supplies the image's channel order as an OpenCL value (`CL_RGBA` …).
    pub channel_order: Option<Place>,
    /// Four bytes in which the launch supplies the image's channel data type as an OpenCL value
    /// (`CL_UNORM_INT8` …).
    pub channel_data_type: Option<Place>,
    /// Four bytes in which the launch supplies the sampler's properties as a
    /// [`SamplerMask`](crate::intrinsic::SamplerMask).
    pub sampler_mask: Option<Place>,
    /// Four bytes in which the launch writes 0 if the buffer is NULL and 1 otherwise.
    pub not_null: Option<Place>,
    /// The second descriptor of a sampler argument: a sampler with the argument's filter and addressing mode,
    /// but with normalized coordinates.
    pub normalized_sampler: Option<Descriptor>,
    /// The declared type of an image argument as a `CL_MEM_OBJECT_IMAGE…` value, if known.
    pub image_type: Option<u32>,
}

/// Returns the `CL_MEM_OBJECT_IMAGE…` value of an image argument's type (CL 5.3.1).
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

/// A buffer with plain values, which each launch fills.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct PodBlock {
    /// The buffer's descriptor.
    pub at: Descriptor,
    /// The size in bytes.
    pub size: u32,
    /// Whether it is a storage buffer; otherwise it is a uniform buffer.
    pub storage: bool,
}

/// The scratch memory of a kernel. It holds private arrays that are too large for the driver. A launch
/// supplies a buffer of [`Scratch::size`] bytes, which must be smaller than 4 GiB. No other dispatch may use the buffer at
/// the same time. Its initial contents are undefined.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Scratch {
    /// The push constant that receives the buffer's 64-bit device address.
    pub place: PushRange,
    /// The bytes of scratch memory for each work-item.
    pub bytes: u32,
}

impl Scratch {
    /// Returns the bytes that a dispatch with `items` work-items needs.
    pub fn size(&self, items: u64) -> u64 {
        scratch_size(items, self.bytes)
    }
}

/// How several work-groups of a kernel can run as one work-group of the device. They must be neighbours, as many in each dimension
/// as the launch chooses, and all of them must exist. The group of the device must have at most one sub-group, or rows of
/// at most one sub-group where sub-groups are parts of rows.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Packing {
    /// The kernel does not see its work-groups: the pipeline gets a multiple of the work-group size.
    Size,
    /// The same, and the pipeline gets the numbers of groups in x, y and z in the specialization constants with these
    /// SpecIds. The local memory of the kernel is multiplied, and the size of the arena must then be a multiple of 64
    /// bytes.
    Constants([u32; 3]),
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernel {
    /// The name of the kernel and of its entry point.
    pub name: String,
    /// The id of the entry point's function.
    pub function: u32,
    /// The arguments, indexed by ordinal.
    pub args: Vec<Arg>,
    /// Whether the kernel may call `printf`.
    pub printf: bool,
    /// CL_KERNEL_ATTRIBUTES.
    pub attributes: String,
    /// The size that `reqd_work_group_size` demands. The pipeline's work-group size is fixed to it.
    pub required_size: Option<[u32; 3]>,
    /// The bytes of kernel-scope `__local` variables. Those in the arena occupy it from offset 0.
    pub local_fixed: u32,
    /// The bytes of these that are outside of the arena, at most `local_fixed`.
    pub local_apart: u32,
    /// Whether the kernel has a local arena (physical ABI). If so, `spec_id::LOCAL_BYTES` must cover the
    /// arena and be at least 4.
    pub has_arena: bool,
    /// The memory that a launch must supply for each work-item.
    pub scratch: Option<Scratch>,
    /// The place of a 32-bit word, to which the kernel adds if the driver has ended its loops before they were complete.
    pub ended_loops: Option<DataPlace>,
    /// What the kernel expects after the printf buffer, if it makes checks.
    pub checks: Option<Area>,
    /// Whether the result is independent of how the NDRange is divided into work-groups, even into groups of
    /// different sizes.
    pub ungrouped: bool,
    /// How several work-groups can run as one; `None` if they cannot.
    pub packing: Option<Packing>,
    /// Whether work-groups at the end of a dimension may be smaller than the others.
    pub uneven: bool,
    /// The sub-groups that a kernel of SPIR-V demands.
    pub subgroups: RequiredSubgroups,
    /// Whether the kernel may access memory through pointers that come neither from its arguments nor from variables: they
    /// are loaded, or made of numbers.
    pub any_memory: bool,
    /// Whether the kernel may read and write the program-scope variables. For modules of other compilers this is true
    /// of all kernels, if there are variables.
    pub variables: bool,
    /// The descriptors that the code uses. Each must be one of the descriptors above or one of the module's.
    pub resources: Vec<Resource>,
}

impl Kernel {
    /// Returns the descriptor and the size in bytes of the uniform buffer with the arguments that did not fit
    /// into push constants, or `None` if the kernel has no such buffer.
    pub fn args_buffer(&self) -> Option<(Descriptor, u32)> {
        let mut found: Option<(Descriptor, u32)> = None;
        for place in self.places() {
            if let Place::Uniform { at, offset, size } = place {
                let end = found.map_or(0, |(_, e)| e).max(offset + size);
                found = Some((at, end));
            }
        }
        // The shader declares the buffer as an array of 16-byte vectors.
        found.map(|(at, end)| (at, end.max(1).next_multiple_of(16)))
    }

    /// Returns the buffers with plain values, ordered by descriptor.
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
            // Shaders may declare the buffer as an array of 16-byte vectors.
            block.size = block.size.max(1).next_multiple_of(16);
        }
        blocks.sort_unstable_by_key(|b| b.at);
        blocks
    }

    /// Returns the end, in bytes, of the push constants that the kernel's own arguments occupy.
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

/// Push constants that every launch supplies. Each has three components (x, y, z), which are u64 if the range
/// has 24 bytes and u32 otherwise.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemPush {
    /// get_global_offset.
    pub global_offset: Option<PushRange>,
    /// get_enqueued_local_size.
    pub enqueued_local_size: Option<PushRange>,
    /// get_global_size.
    pub global_size: Option<PushRange>,
    /// The global offset plus the global id of this dispatch's first work-item.
    pub region_offset: Option<PushRange>,
    /// The number of work-groups in the whole NDRange.
    pub num_workgroups: Option<PushRange>,
    /// The id of the first work-group of this dispatch.
    pub region_group_offset: Option<PushRange>,
}

impl SystemPush {
    /// Returns the end, in bytes, of the highest of these push constants.
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

/// The SpecIds of the values that are specialization constants.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct SpecIds {
    /// Work-group size x, y, z; `None` if every kernel has a required size.
    pub workgroup_size: Option<[u32; 3]>,
    /// get_global_offset x, y, z.
    pub global_offset: Option<[u32; 3]>,
    /// get_work_dim.
    pub work_dim: Option<u32>,
    /// The largest sub-group size.
    pub subgroup_max_size: Option<u32>,
}

/// How the shader accesses a block of data.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum DataPlace {
    /// The data is in a storage buffer.
    StorageBuffer(Descriptor),
    /// The data is in a uniform buffer.
    UniformBuffer(Descriptor),
    /// The data is at a 64-bit device address, which the launch writes to this push constant.
    PointerPush(PushRange),
}

/// Data that the runtime uploads once per program and device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramData {
    /// How the shader accesses the data.
    pub place: DataPlace,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A pointer stored in the data. The `pointer_size` bytes at offset `pointer_offset` of the data must be set
/// to the address of the byte at `object_offset` of the data.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Relocation {
    /// The offset that the pointer points to.
    pub object_offset: u32,
    /// The offset of the pointer itself.
    pub pointer_offset: u32,
    /// The size of the pointer in bytes.
    pub pointer_size: u32,
}

/// A sampler that the program declares.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct LiteralSampler {
    /// The sampler's descriptor.
    pub at: Descriptor,
    /// The sampler's properties, a [`SamplerMask`](crate::intrinsic::SamplerMask).
    pub mask: u32,
}

/// A printf format string or a string literal that is printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintfFormat {
    /// The number that stands for the string in the printf buffer.
    pub id: u32,
    /// The string, as [`crate::printf::to_text`] writes it.
    pub format: String,
    /// The size of each argument in bytes.
    pub arg_sizes: Vec<u32>,
}

/// The buffer into which kernels print.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PrintfBuffer {
    /// How the shader accesses the buffer.
    pub place: DataPlace,
    /// The size in bytes.
    pub size: u32,
}

/// Everything that the module states about itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reflection {
    /// The kernels, in the order of the module.
    pub kernels: Vec<Kernel>,
    /// The module's push constants that every launch supplies.
    pub push: SystemPush,
    /// The module's specialization constants.
    pub spec: SpecIds,
    /// The data of the program's `__constant` variables.
    pub constant_data: Option<ProgramData>,
    /// The data of program-scope variables (OpenCL 2.0 and later). clspv also uses this name for constant
    /// data with relocations.
    pub program_variables: Option<ProgramData>,
    /// The size in bytes of the data with the program-scope variables, if that is more than `program_variables` has;
    /// the bytes after those are 0.
    pub variables_size: u32,
    /// The sum of the sizes of the program-scope variables in bytes; 0 if it is unknown.
    pub variables_bytes: u32,
    /// The alignment in bytes of `program_variables` or `constant_data` if it exceeds that of every buffer, else 0.
    pub data_align: u32,
    /// The pointers inside `program_variables`, or inside `constant_data` if there are no
    /// `program_variables`.
    pub relocations: Vec<Relocation>,
    /// The samplers that the program declares.
    pub literal_samplers: Vec<LiteralSampler>,
    /// The printf formats and the string literals that are printed.
    pub printf_formats: Vec<PrintfFormat>,
    /// The buffer for printf's output; `None` if no kernel prints.
    pub printf_buffer: Option<PrintfBuffer>,
    /// The ids of variables in local memory whose size the module states, each with that size in bytes.
    pub workgroup_variables: Vec<(u32, u32)>,
    /// Whether kernels read their position in the dispatch from Vulkan's built-in variables
    /// (GlobalInvocationId, WorkgroupId).
    pub asks_place: bool,
    /// Whether no kernel has a loop.
    pub straight: bool,
}

impl Reflection {
    /// Returns the kernel with this name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// Returns the bytes of push constants that a launch of `kernel` must supply, a multiple of 4.
    pub fn push_size(&self, kernel: &Kernel) -> u32 {
        let end = |place: Option<DataPlace>| match place {
            Some(DataPlace::PointerPush(r)) => r.offset + r.size,
            Some(DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_)) | None => 0,
        };
        let data = |d: &Option<ProgramData>| end(d.as_ref().map(|d| d.place));
        let scratch = kernel.scratch.map_or(0, |s| s.place.offset + s.place.size);
        kernel
            .push_end()
            .max(scratch)
            .max(end(kernel.ended_loops))
            .max(self.push.end())
            .max(data(&self.constant_data))
            .max(data(&self.program_variables))
            .max(end(self.printf_buffer.map(|b| b.place)))
            .next_multiple_of(4)
    }
}

/// The reason why a module's reflection cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReflectionError {
    /// The bytes are not SPIR-V, or not in this machine's byte order.
    #[error("not a SPIR-V module")]
    NotSpirv,
    /// An instruction extends beyond the end of the module, or is malformed in another way.
    #[error("malformed SPIR-V at word {at}: {what}")]
    Malformed {
        /// The index of the word.
        at: usize,
        /// The defect.
        what: &'static str,
    },
    /// The module does not import the reflection set.
    #[error("the module has no NonSemantic.ClspvReflection instructions")]
    Missing,
    /// The revision of the set is newer than this reader supports.
    #[error("NonSemantic.ClspvReflection revision {0} is newer than {REVISION}")]
    Newer(u32),
    /// A reflection instruction has wrong operands.
    #[error("{op} at word {at}: {what}")]
    Operand {
        /// The name of the instruction.
        op: &'static str,
        /// The index of the word.
        at: usize,
        /// The defect.
        what: &'static str,
    },
    /// The reflection contradicts the code of a kernel.
    #[error("kernel '{kernel}': {what}")]
    Contradiction {
        /// The kernel's name; empty if the error is about the module as a whole.
        kernel: String,
        /// The contradiction.
        what: &'static str,
    },
    /// An instruction number that this revision does not define.
    #[error("unknown reflection instruction {number} at word {at}")]
    UnknownInstruction {
        /// The instruction number.
        number: u32,
        /// The index of the word.
        at: usize,
    },
}
