//! Modules: their functions, globals and kernels.

use super::{AddressSpace, Function, Linkage};
use crate::abi::Slot;
use crate::check::Area;
use crate::entity;
use crate::entity::Map;
use crate::intrinsic::{ImageShape, SamplerMask};

entity! {
    /// A function of a module.
    Func, "@f"
}
entity! {
    /// A variable with static storage duration.
    Global, "@g"
}

/// The contents of a `__constant` variable, or the first contents of a variable in global memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Initializer {
    /// As many bytes as `GlobalData::size` states. For a variable in global memory there may be fewer; the others are 0.
    pub bytes: Vec<u8>,
    /// The pointers in `bytes`: the offset of an 8-byte pointer, the global that it points into, and the byte
    /// offset in that global.
    pub relocations: Vec<(u32, Global, u64)>,
}

/// A variable of the program in constant or global memory, or a `__local` variable of a kernel. The program has one
/// instance of each variable in global memory on each device, which all kernels and launches share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalData {
    /// The name in the source.
    pub name: String,
    /// `Constant`, `Global` or `Local`.
    pub space: AddressSpace,
    /// The size in bytes; for a variable that is only declared also [`Self::UNKNOWN_SIZE`].
    pub size: u32,
    /// The alignment in bytes.
    pub align: u32,
    /// The initial contents. Variables in local memory have none; other variables without contents are only declared,
    /// and another object defines them.
    pub init: Option<Initializer>,
    /// `Static` if declarations in other objects do not mean this variable.
    pub linkage: Linkage,
}

impl GlobalData {
    /// The size of a variable that is declared with an incomplete type.
    pub const UNKNOWN_SIZE: u32 = 0;
}

/// The kind of a kernel argument (OpenCL 1.2 5.7.2, clSetKernelArg).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// A value of `size` bytes. If `by_ref` is set (structs), the IR parameter is a `Private` pointer to a
    /// copy; otherwise it is the value itself.
    Pod {
        size: u32,
        align: u32,
        by_ref: bool,
    },
    /// A pointer to global or constant memory, with the alignment of the pointee.
    Buffer {
        space: AddressSpace,
        align: u32,
    },
    /// A pointer to local memory, with the size and alignment of the pointee.
    Local {
        elem_size: u32,
        align: u32,
    },
    /// An image; `write` is set for write_only.
    Image {
        shape: ImageShape,
        write: bool,
    },
    Sampler,
}

/// How the kernel uses a pointer argument; `true` is the conservative answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct PointerUse {
    /// The kernel may read the memory.
    pub read: bool,
    /// The kernel may write the memory.
    pub written: bool,
    /// The kernel stores the pointer or converts it to an integer.
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

/// A kernel parameter, with what clGetKernelArgInfo reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    /// The parameter's name.
    pub name: String,
    /// The type's name as CL_KERNEL_ARG_TYPE_NAME prints it.
    pub type_name: String,
    /// The kind of the argument.
    pub kind: ArgKind,
    /// CL_KERNEL_ARG_ADDRESS_*.
    pub address_qualifier: u32,
    /// CL_KERNEL_ARG_ACCESS_*.
    pub access_qualifier: u32,
    /// CL_KERNEL_ARG_TYPE_* bits.
    pub type_qualifier: u32,
    /// Whether the pointer is declared `restrict`.
    pub restrict: bool,
    pub uses: PointerUse,
}

/// The sub-groups that a kernel demands.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct RequiredSubgroups {
    /// The number of work-items of a sub-group (SPIR-V's SubgroupSize, `intel_reqd_sub_group_size`).
    pub size: Option<u32>,
    /// The number of sub-groups of a work-group (SubgroupsPerWorkgroup).
    pub count: Option<u32>,
    /// The number of work-items of the device's sub-groups, if the code divides them into sub-groups of the demanded size.
    pub divides: Option<u32>,
}

impl RequiredSubgroups {
    /// Returns the three numbers, with 0 for those that are not demanded.
    pub fn numbers(self) -> [u32; 3] {
        [self.size, self.count, self.divides].map(|n| n.unwrap_or(0))
    }

    /// Makes the demands of numbers, of which 0 is none.
    pub fn of(numbers: [u32; 3]) -> RequiredSubgroups {
        let [size, count, divides] = numbers.map(|n| Some(n).filter(|n| *n != 0));
        RequiredSubgroups { size, count, divides }
    }
}

/// A kernel: a void function whose parameters are the kernel's arguments, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelInfo {
    /// The kernel's function.
    pub func: Func,
    /// The kernel's name.
    pub name: String,
    /// The arguments, in order.
    pub args: Vec<KernelArg>,
    /// The size that `reqd_work_group_size` demands.
    pub required_size: Option<[u32; 3]>,
    /// Work-groups may have different sizes: those at the end of a dimension may be smaller.
    pub uneven: bool,
    /// It may access memory of the device through pointers that come neither from its arguments nor from variables of
    /// the program: they are loaded, or made of numbers. `gather_pointer_uses` determines it.
    pub any_memory: bool,
    /// The size that `work_group_size_hint` gives.
    pub size_hint: Option<[u32; 3]>,
    pub subgroups: RequiredSubgroups,
    /// The attributes, as CL_KERNEL_ATTRIBUTES prints them.
    pub attributes: String,
}

impl KernelInfo {
    /// Returns the size that all work-groups have, if it is known.
    pub fn fixed_size(&self) -> Option<[u32; 3]> {
        self.required_size.filter(|_| !self.uneven)
    }
}

/// Where the launch writes a kernel argument. `lower_kernel_args` fills it in, and it becomes reflection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArgLocation {
    /// The value is at a byte offset of the push-constant block.
    Push {
        offset: u32,
        size: u32,
    },
    /// The value is at a byte offset of the argument buffer.
    Args {
        offset: u32,
        size: u32,
    },
    /// The 64-bit device address of a buffer is in the push-constant block or, for the next variant, in the
    /// argument buffer.
    PointerPush {
        offset: u32,
    },
    PointerArgs {
        offset: u32,
    },
    /// A u32 is in the push-constant block or, for the next variant, in the argument buffer: the byte offset
    /// in the local arena where this argument's memory starts, a multiple of `align`.
    LocalPush {
        offset: u32,
        align: u32,
    },
    LocalArgs {
        offset: u32,
        align: u32,
    },
    /// The image has a descriptor in the kernel's set.
    Image {
        binding: u32,
        shape: ImageShape,
        write: bool,
    },
    /// The sampler has a descriptor in the kernel's set.
    Sampler {
        binding: u32,
    },
    /// Descriptor ABI: the buffer is bound as a storage buffer, or as a uniform buffer.
    Buffer {
        slot: Slot,
        uniform: bool,
    },
    /// Descriptor ABI: the value is at a byte offset of a storage buffer or uniform buffer.
    PodSlot {
        slot: Slot,
        offset: u32,
        size: u32,
        uniform: bool,
    },
    /// Descriptor ABI: the argument has a work-group array of its own; a specialization constant gives its
    /// number of elements.
    LocalArray {
        spec_id: u32,
        elem_size: u32,
    },
}

impl ArgLocation {
    /// Returns the end, in bytes, of the push constants that the argument occupies; 0 if it occupies none.
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

/// A property of an argument that the launch supplies in addition to the argument's descriptor. Each is a
/// u32.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HandleFact {
    /// CL_IMAGE_FORMAT's image_channel_order.
    ChannelOrder,
    /// CL_IMAGE_FORMAT's image_channel_data_type.
    ChannelDataType,
    /// The sampler's properties, encoded as a [`crate::intrinsic::SamplerMask`].
    SamplerMask,
    /// 0 for a buffer argument that is NULL, else 1.
    NotNull,
}

/// The location to which the launch writes a [`HandleFact`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FactLocation {
    /// The ordinal of the argument.
    pub arg: u32,
    /// The property.
    pub fact: HandleFact,
    /// Whether the property is in the argument buffer; otherwise it is in the push constants.
    pub in_args: bool,
    /// The byte offset in that buffer or block.
    pub offset: u32,
}

/// The meaning of a constant of type `image` or `sampler` once kernels have no parameters. The constant's
/// bits encode it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Handle {
    /// A literal sampler's properties. Before `lower_kernel_args`, these are the only constants of the two
    /// types.
    Literal(SamplerMask),
    /// An argument of the kernel, by ordinal.
    Arg(u32),
    /// The second sampler of a sampler argument: it has normalized coordinates and the argument's other
    /// properties.
    Normalized(u32),
}

impl Handle {
    const ARG: u64 = 1 << 16;
    const NORMALIZED: u64 = 1 << 17;

    /// Encodes the handle as the bits of a constant.
    pub fn to_bits(self) -> u64 {
        match self {
            Handle::Literal(mask) => u64::from(mask.0),
            Handle::Arg(n) => Self::ARG | u64::from(n),
            Handle::Normalized(n) => Self::NORMALIZED | u64::from(n),
        }
    }

    /// Decodes the bits of a constant.
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

/// A memory object that a kernel accesses by name: any memory under the descriptor ABI, and `Local` under the physical
/// ABI. [`KernelAbi::objects`] lists them, and [`super::Storage`] refers to them by their number in that list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum MemoryObject {
    /// The printf buffer, at [`ModuleSlots::printf`]. It is always number 0, even if it is not used.
    Printf,
    /// A storage buffer.
    Storage { slot: Slot },
    /// A uniform buffer of `bytes` bytes. The shader declares it as an array of vectors of words.
    Uniform { slot: Slot, bytes: u32 },
    /// The work-group memory of an argument.
    LocalArray { spec_id: u32, elem_size: u32 },
    /// The work-group memory of a variable.
    Local(Global),
    /// The module's constant data, at [`ModuleSlots::constants`]. In a module that may have such data, it is
    /// always number [`MemoryObject::CONSTANTS`], even if it is not used, because pointers inside the data
    /// point into the data.
    Constants,
    /// A `__constant` variable, as an initialized variable of the module.
    Constant(Global),
    /// A storage buffer with a word that counts ended loops, for the kernels that report them.
    EndedLoops { slot: Slot },
}

impl MemoryObject {
    /// The number of [`MemoryObject::Constants`] in a kernel's list of objects.
    pub const CONSTANTS: u32 = 1;
}

/// Returns the bits of a constant pointer to the start of memory object number `object`. The number plus one
/// is in the upper 32 bits and the offset in the lower 32 bits, so that 0 is the null pointer.
pub const fn object_pointer(object: u32) -> u64 {
    (object as u64 + 1) << 32
}

/// Returns the number of the object that a constant pointer points into, or `None` for the null pointer.
pub fn pointed_object(bits: u64) -> Option<u32> {
    ((bits >> 32) as u32).checked_sub(1)
}

/// The ABI of a kernel after `lower_kernel_args` and `lower_memory`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelAbi {
    /// The location of each kernel argument.
    pub args: Vec<ArgLocation>,
    /// The size in bytes of the argument buffer (a uniform buffer, set 0 binding 0); 0 if there is none.
    pub args_size: u32,
    /// The bytes of the arena that kernel-scope `__local` variables occupy; variables among `objects` are outside of
    /// it. `lower_memory` fills it in.
    pub local_fixed: u32,
    /// The bytes of scratch memory for each work-item; 0 if there is none. `scratch_memory` fills it in.
    pub scratch: u32,
    /// The kernel reports that the driver has ended its loops. `report_ended_loops` fills it in.
    pub ended_loops: bool,
    /// The kernel may access the variables in global memory. `lower_memory` fills it in.
    pub variables: bool,
    /// The properties of arguments that the kernel reads.
    pub facts: Vec<FactLocation>,
    /// The second samplers, with normalized coordinates: the ordinal of the sampler argument, and the binding
    /// in the kernel's set. They exist where the kernel reads images whose shapes Vulkan allows only with
    /// such samplers.
    pub normalized: Vec<(u32, u32)>,
    /// The descriptor set of the kernel's arguments.
    pub set: u32,
    /// The memory objects that the kernel accesses by name. `lower_memory` adds to them.
    pub objects: Vec<MemoryObject>,
}

/// The descriptors of the module as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleSlots {
    /// The descriptor set of the literal samplers.
    pub literal_samplers: u32,
    /// Descriptor ABI: the storage buffer with `Module::constant_data`.
    pub constants: Option<Slot>,
    /// Descriptor ABI: the printf buffer.
    pub printf: Option<Slot>,
}

impl Default for ModuleSlots {
    fn default() -> Self {
        ModuleSlots {
            literal_samplers: crate::abi::descriptor_set::LITERAL_SAMPLERS,
            constants: None,
            printf: None,
        }
    }
}

impl KernelAbi {
    /// Returns the number and the descriptor of [`MemoryObject::EndedLoops`], if the kernel has it.
    pub fn ended_loops_object(&self) -> Option<(u32, Slot)> {
        let mut objects = (0..).zip(&self.objects);
        objects.find_map(|(n, o)| match *o {
            MemoryObject::EndedLoops { slot } => Some((n, slot)),
            MemoryObject::Printf
            | MemoryObject::Storage { .. }
            | MemoryObject::Uniform { .. }
            | MemoryObject::LocalArray { .. }
            | MemoryObject::Local(_)
            | MemoryObject::Constants
            | MemoryObject::Constant(_) => None,
        })
    }

    /// Returns the end, in bytes, of the push constants that the kernel's arguments occupy.
    pub fn push_end(&self) -> u32 {
        let args = self.args.iter().map(ArgLocation::push_end);
        let facts = self.facts.iter().filter(|f| !f.in_args).map(|f| f.offset + 4);
        args.chain(facts).max().unwrap_or(0)
    }
}

/// The module's push constants that the runtime fills in. Each is three u32 (x, y, z) at a byte offset, and
/// only those that some kernel uses are present. The names are those of NonSemantic.ClspvReflection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemPush {
    /// Whether each consists of three u64 instead (`Target::wide_ranges`).
    pub wide: bool,
    /// The result of get_global_offset.
    pub global_offset: Option<u32>,
    /// The global offset plus the global id of this dispatch's first work-item. The sum of this value and the
    /// position within the dispatch is the global id.
    pub region_offset: Option<u32>,
    /// The id of this dispatch's first work-group.
    pub region_group_offset: Option<u32>,
    /// The number of work-groups in the whole NDRange.
    pub num_workgroups: Option<u32>,
    /// The result of get_global_size (descriptor ABI, and kernels whose work-groups may have different sizes).
    pub global_size: Option<u32>,
    /// The result of get_enqueued_local_size (kernels whose work-groups may have different sizes).
    pub enqueued_local_size: Option<u32>,
    /// The 64-bit address of the buffer with `Module::constant_data` (one u64, not three u32).
    pub constant_data: Option<u32>,
    /// The 64-bit address of the printf buffer (one u64).
    pub printf_buffer: Option<u32>,
    /// The 64-bit address of the scratch memory (one u64), for the kernels that have scratch memory.
    pub scratch: Option<u32>,
    /// The 64-bit address of a word that counts ended loops (one u64), for the kernels that report them. In the descriptor
    /// ABI, each of these has [`MemoryObject::EndedLoops`] instead.
    pub ended_loops: Option<u32>,
    /// Whether any kernel reads the work dimension, which is a specialization constant.
    pub work_dim: bool,
    /// The end of the whole block in bytes, kernel arguments included.
    pub size: u32,
}

impl SystemPush {
    /// Returns the size in bytes of one component.
    pub fn component(&self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    /// Returns the size in bytes of the three components of one push constant.
    pub fn vector(&self) -> u32 {
        3 * self.component()
    }
}

/// The data of all `Constant` globals that are read at run time, and of all `Global` globals. `lower_memory` fills it in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstantData {
    /// The bytes of the data.
    pub bytes: Vec<u8>,
    /// The pointers in `bytes`: the offset of an 8-byte pointer, and the offset that it points to.
    pub relocations: Vec<(u32, u32)>,
    /// The size of the data if it includes variables in global memory, else 0. The data after `bytes` is 0.
    pub size: u32,
    /// The sum of the sizes of the variables in global memory.
    pub variables: u32,
    /// The alignment of the data if a variable demands more than [`BUFFER_ALIGN`], else 0.
    pub align: u32,
}

/// The alignment in bytes that every buffer has: that of the largest type (`long16`).
pub const BUFFER_ALIGN: u32 = 128;

/// The meaning of a number that `lower_printf` stores in the printf buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintfEntry {
    /// A format, or a string literal that is an argument.
    pub text: Vec<u8>,
    /// The size in bytes of each argument. In the buffer, each argument takes a whole number of words.
    pub sizes: Vec<u32>,
}

/// What the host must know to print. `lower_printf` fills it in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Printf {
    /// The entries. The number of an entry is its index plus one.
    pub entries: Vec<PrintfEntry>,
    /// The kernels that print.
    pub kernels: Vec<Func>,
    /// What follows the printf buffer, if kernels check something.
    pub checks: Option<Area>,
}

/// A translation unit or a linked program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// The functions. Once everything is inlined, the kernels come first.
    pub funcs: Map<Func, Function>,
    /// The global variables.
    pub globals: Map<Global, GlobalData>,
    /// The kernels.
    pub kernels: Vec<KernelInfo>,
    /// printf format strings and `%s` literals, indexed by id.
    pub strings: Vec<Vec<u8>>,
    /// Functions that are declared but not defined (clLinkProgram). Their `Func` has an empty body.
    pub undefined: Vec<Func>,
    /// One entry for each of `kernels` once `lower_kernel_args` has run; empty before.
    pub abi: Vec<KernelAbi>,
    /// The module's push constants. `lower_system_values` fills them in.
    pub system: SystemPush,
    /// The data of `Constant` and `Global` globals.
    pub constant_data: ConstantData,
    /// The host's information for printf.
    pub printf: Printf,
    /// The module's descriptors. `lower_kernel_args` fills them in.
    pub slots: ModuleSlots,
    /// Literal samplers with which some kernel samples. They are descriptors of one set, and the index is the
    /// binding. `lower_kernel_args` fills it in.
    pub literal_samplers: Vec<SamplerMask>,
    /// Kernels whose work-items cannot observe how they are grouped, so that any division of the NDRange into
    /// work-groups, even of different sizes, gives the same result. `lower_system_values` fills it in; an
    /// empty list is always safe.
    pub ungrouped: Vec<Func>,
    /// Kernels of which several work-groups may run as one work-group of the device, as far as it is known before `lower_memory`
    /// (`spirv/pack.rs`). `lower_system_values` fills it in for [`Target::packs_groups`](crate::target::Target::packs_groups).
    pub packable: Vec<Func>,
    /// The device gets the module's work-groups with one dimension, unless their rows are whole sub-groups; nothing else
    /// sees a difference. `lower_system_values` decides it, for
    /// [`Target::subgroup_layout`](crate::target::Target::subgroup_layout).
    pub flat: bool,
}
