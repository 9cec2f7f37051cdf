//! Modules: functions, globals, kernels.

use super::entity::Map;
use super::{AddressSpace, Function, Inst};
use crate::abi::Slot;
use crate::entity;
use crate::intrinsic::{ImageShape, SamplerMask};

entity! {
    /// A function of a module.
    Func, "@f"
}
entity! {
    /// Memory with static lifetime.
    Global, "@g"
}

/// Contents of a `__constant` variable.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initializer {
    /// `GlobalData::size` bytes.
    pub bytes: Vec<u8>,
    /// (offset of an 8-byte pointer, global that it points into, byte offset in that).
    pub relocations: Vec<(u32, Global, u64)>,
}

/// A program-scope `__constant` variable or a `__local` variable of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalData {
    pub name: String,
    /// `Constant` or `Local`.
    pub space: AddressSpace,
    pub size: u32,
    pub align: u32,
    /// Constant space only.
    pub init: Option<Initializer>,
}

/// Kind of a kernel argument (OpenCL 1.2 5.7.2, clSetKernelArg).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A value of so many bytes. If `by_ref`, the IR parameter is a `Private` pointer to a copy (structs);
    /// otherwise the parameter is the value itself.
    Pod {
        size: u32,
        align: u32,
        by_ref: bool,
    },
    /// Pointer to global or constant memory; alignment of the pointee.
    Buffer {
        space: AddressSpace,
        align: u32,
    },
    /// Pointer to local memory; size and alignment of the pointee.
    Local {
        elem_size: u32,
        align: u32,
    },
    /// Image; `write` for write_only.
    Image {
        shape: ImageShape,
        write: bool,
    },
    Sampler,
}

/// What the kernel does with a pointer argument; `true` is the safe answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PointerUse {
    pub read: bool,
    pub written: bool,
    pub escapes: bool,
}

impl Default for PointerUse {
    fn default() -> Self {
        PointerUse {
            read: true,
            written: true,
            escapes: true,
        }
    }
}

/// One kernel parameter, as clGetKernelArgInfo reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    pub name: String,
    pub type_name: String,
    pub kind: ArgKind,
    /// CL_KERNEL_ARG_ADDRESS_*.
    pub address_qualifier: u32,
    /// CL_KERNEL_ARG_ACCESS_*.
    pub access_qualifier: u32,
    /// CL_KERNEL_ARG_TYPE_* bits.
    pub type_qualifier: u32,
    pub restrict: bool,
    pub uses: PointerUse,
}

/// A kernel: a void function whose parameters are the arguments, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    pub func: Func,
    pub name: String,
    pub args: Vec<KernelArg>,
    /// reqd_work_group_size.
    pub required_size: Option<[u32; 3]>,
    /// work_group_size_hint.
    pub size_hint: Option<[u32; 3]>,
    /// As CL_KERNEL_ATTRIBUTES prints them.
    pub attributes: String,
}

/// Where the launch finds one kernel argument. Filled in by `lower_kernel_args`; becomes reflection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArgLocation {
    /// The value, at a byte offset of the push-constant block.
    Push {
        offset: u32,
        size: u32,
    },
    /// The value, at a byte offset of the argument buffer.
    Args {
        offset: u32,
        size: u32,
    },
    /// The 64-bit device address of a buffer.
    PointerPush {
        offset: u32,
    },
    PointerArgs {
        offset: u32,
    },
    /// A u32: byte offset in the local arena where this argument's memory starts.
    LocalPush {
        offset: u32,
        elem_size: u32,
    },
    LocalArgs {
        offset: u32,
        elem_size: u32,
    },
    /// A descriptor of the kernel's set.
    Image {
        binding: u32,
        shape: ImageShape,
        write: bool,
    },
    /// A descriptor of the kernel's set.
    Sampler {
        binding: u32,
    },
    /// Descriptor ABI: a storage buffer, or a uniform buffer.
    Buffer {
        slot: Slot,
        uniform: bool,
    },
    /// Descriptor ABI: the value, at a byte offset of a storage buffer or uniform buffer.
    PodSlot {
        slot: Slot,
        offset: u32,
        size: u32,
        uniform: bool,
    },
    /// Descriptor ABI: work-group memory of its own, of so many elements as the specialization constant says.
    LocalArray {
        spec_id: u32,
        elem_size: u32,
    },
}

impl ArgLocation {
    /// End of the push constants that the argument takes; 0 if none.
    pub fn push_end(&self) -> u32 {
        match *self {
            ArgLocation::Push { offset, size } => offset + size,
            ArgLocation::PointerPush { offset } => offset + 8,
            ArgLocation::LocalPush { offset, .. } => offset + 4,
            ArgLocation::Args { .. }
            | ArgLocation::PointerArgs { .. }
            | ArgLocation::LocalArgs { .. }
            | ArgLocation::Image { .. }
            | ArgLocation::Sampler { .. }
            | ArgLocation::Buffer { .. }
            | ArgLocation::PodSlot { .. }
            | ArgLocation::LocalArray { .. } => 0,
        }
    }
}

/// What a launch says about an argument beside its descriptor, a u32 each.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HandleFact {
    /// CL_IMAGE_FORMAT's image_channel_order.
    ChannelOrder,
    /// CL_IMAGE_FORMAT's image_channel_data_type.
    ChannelDataType,
    /// As [`crate::intrinsic::SamplerMask`] encodes it.
    SamplerMask,
    /// 0 for a buffer argument that is NULL, else 1.
    NotNull,
}

/// Where the launch writes a [`HandleFact`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FactLocation {
    /// Number of the argument.
    pub arg: u32,
    pub fact: HandleFact,
    /// In the argument buffer, not the push constants.
    pub in_args: bool,
    /// Byte offset there.
    pub offset: u32,
}

/// What a constant of type `image` or `sampler` stands for once kernels have no parameters; its bits.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Handle {
    /// A literal sampler's properties. Before `lower_kernel_args` the only constants of these types.
    Literal(SamplerMask),
    /// An argument of the kernel.
    Arg(u32),
    /// The sampler with normalized coordinates that has a sampler argument's other properties.
    Normalized(u32),
}

impl Handle {
    const ARG: u64 = 1 << 16;
    const NORMALIZED: u64 = 1 << 17;

    /// As a constant's bits.
    pub fn to_bits(self) -> u64 {
        match self {
            Handle::Literal(mask) => u64::from(mask.0),
            Handle::Arg(n) => Self::ARG | u64::from(n),
            Handle::Normalized(n) => Self::NORMALIZED | u64::from(n),
        }
    }

    /// What the bits of a constant mean.
    pub fn from_bits(bits: u64) -> Handle {
        let low = (bits & 0xffff) as u32;
        if bits & Self::NORMALIZED != 0 {
            Handle::Normalized(low)
        } else if bits & Self::ARG != 0 {
            Handle::Arg(low)
        } else {
            Handle::Literal(SamplerMask(low))
        }
    }
}

/// Memory that a kernel of the descriptor ABI reaches by name: [`KernelAbi::objects`] lists them, and
/// [`super::Storage`] names them by number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MemoryObject {
    /// The printf buffer, at [`ModuleSlots::printf`]. Always number 0, used or not.
    Printf,
    /// A storage buffer.
    Storage { slot: Slot },
    /// A uniform buffer of so many bytes, to the shader an array of vectors of words.
    Uniform { slot: Slot, bytes: u32 },
    /// Work-group memory of an argument.
    LocalArray { spec_id: u32, elem_size: u32 },
    /// Work-group memory of a variable.
    Local(Global),
    /// The module's constant data, at [`ModuleSlots::constants`]. Where a module may have them, always number
    /// [`MemoryObject::CONSTANTS`], used or not: pointers in them point into them.
    Constants,
    /// A `__constant` variable, as an initialized variable of the module.
    Constant(Global),
}

impl MemoryObject {
    /// The number of [`MemoryObject::Constants`].
    pub const CONSTANTS: u32 = 1;
}

/// The bits of a constant pointer to the start of memory object number `object`: its number plus one above 32 bits of
/// offset. So 0 is the null pointer.
pub const fn object_pointer(object: u32) -> u64 {
    (object as u64 + 1) << 32
}

/// The number of the object that a constant pointer points into.
pub fn pointed_object(bits: u64) -> Option<u32> {
    ((bits >> 32) as u32).checked_sub(1)
}

/// Kernel ABI after `lower_kernel_args` and `lower_memory`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelAbi {
    /// One per kernel argument.
    pub args: Vec<ArgLocation>,
    /// Bytes of the argument buffer (uniform buffer, set 0 binding 0); 0: none.
    pub args_size: u32,
    /// Bytes of the arena that kernel-scope `__local` variables take. `lower_memory` fills it in.
    pub local_fixed: u32,
    /// Bytes of scratch memory of a work-item; 0: none. `scratch_memory` fills it in.
    pub scratch: u32,
    /// What the kernel asks about its arguments.
    pub facts: Vec<FactLocation>,
    /// (sampler argument, binding in the kernel's set): the same sampler with normalized coordinates, where images of shapes
    /// are read that Vulkan has no other samplers for.
    pub normalized: Vec<(u32, u32)>,
    /// Descriptor set of the kernel's arguments.
    pub set: u32,
    /// Descriptor ABI: the memory that the kernel reaches. `lower_memory` adds to it.
    pub objects: Vec<MemoryObject>,
}

/// Descriptors of the module as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleSlots {
    /// Descriptor set of the literal samplers.
    pub literal_samplers: u32,
    /// Descriptor ABI: the storage buffer with `Module::constant_data`.
    pub constants: Option<Slot>,
    /// Descriptor ABI: the printf buffer.
    pub printf: Option<Slot>,
}

impl Default for ModuleSlots {
    fn default() -> Self {
        ModuleSlots {
            literal_samplers: crate::reflect::descriptor_set::LITERAL_SAMPLERS,
            constants: None,
            printf: None,
        }
    }
}

impl KernelAbi {
    /// End of the push constants that the kernel's arguments take.
    pub fn push_end(&self) -> u32 {
        let args = self.args.iter().map(ArgLocation::push_end);
        let facts = self.facts.iter().filter(|f| !f.in_args).map(|f| f.offset + 4);
        args.chain(facts).max().unwrap_or(0)
    }
}

/// Module-wide push constants that the runtime fills in, each three u32 (x, y, z) at a byte offset; only those
/// that some kernel uses (the names are NonSemantic.ClspvReflection's).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemPush {
    /// They are three u64 each (`Target::wide_ranges`).
    pub wide: bool,
    /// What get_global_offset returns.
    pub global_offset: Option<u32>,
    /// Global offset plus first work-item of this dispatch: global id = this + local ids and groups.
    pub region_offset: Option<u32>,
    /// First work-group of this dispatch.
    pub region_group_offset: Option<u32>,
    /// Work-groups of the whole NDRange.
    pub num_workgroups: Option<u32>,
    /// What get_global_size returns (descriptor ABI).
    pub global_size: Option<u32>,
    /// Offset of the 64-bit address of the buffer with all `Constant` globals' data (one u64, not three u32).
    pub constant_data: Option<u32>,
    /// Offset of the 64-bit address of the printf buffer (one u64).
    pub printf_buffer: Option<u32>,
    /// Offset of the 64-bit address of the scratch memory (one u64), of kernels that have some.
    pub scratch: Option<u32>,
    /// Whether any kernel reads the work dimension (a specialization constant).
    pub work_dim: bool,
    /// End of the whole block, kernel arguments included.
    pub size: u32,
}

impl SystemPush {
    /// Bytes of one component.
    pub fn component(&self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    /// Bytes of the three components of one.
    pub fn vector(&self) -> u32 {
        3 * self.component()
    }
}

/// The bytes of all `Constant` globals that are read at run time. Filled in by `lower_memory`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstantData {
    pub bytes: Vec<u8>,
    /// (offset of an 8-byte pointer, offset that it points to), both in `bytes`.
    pub relocations: Vec<(u32, u32)>,
}

/// What a number that `lower_printf` stores in the printf buffer stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintfEntry {
    /// A format, or a string literal that is an argument.
    pub text: Vec<u8>,
    /// Bytes of each argument; in the buffer each takes whole words.
    pub sizes: Vec<u32>,
}

/// What the host needs to know to print. Filled in by `lower_printf`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Printf {
    /// By number, from 1 on.
    pub entries: Vec<PrintfEntry>,
    /// The kernels that print.
    pub kernels: Vec<Func>,
}

/// A translation unit or a linked program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    pub funcs: Map<Func, Function>,
    pub globals: Map<Global, GlobalData>,
    pub kernels: Vec<KernelInfo>,
    /// printf format strings and `%s` literals by id.
    pub strings: Vec<Vec<u8>>,
    /// Functions declared but not defined (clLinkProgram): their `Func` has an empty body.
    pub undefined: Vec<Func>,
    /// Parallel to `kernels` once `lower_kernel_args` has run; empty before.
    pub abi: Vec<KernelAbi>,
    pub system: SystemPush,
    pub constant_data: ConstantData,
    pub printf: Printf,
    /// Descriptors of the module. `lower_kernel_args` fills it in.
    pub slots: ModuleSlots,
    /// Literal samplers that some kernel samples with: descriptors of one set, the index is the binding.
    /// `lower_kernel_args` fills it in.
    pub literal_samplers: Vec<SamplerMask>,
    /// Kernels whose work-items cannot tell how they are grouped: any division of the NDRange into work-groups,
    /// even of different sizes, gives the same result. `lower_system_values` fills it in; empty is always safe.
    pub ungrouped: Vec<Func>,
}

/// Names an instruction across functions.
pub type InstIn = (Func, Inst);
