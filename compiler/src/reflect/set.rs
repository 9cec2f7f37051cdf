//! The instruction sets: their names, instruction numbers and operand forms.

/// The name under which the compiler imports the set.
pub const CLSPV_SET: &str = "NonSemantic.ClspvReflection.7";
/// The prefix of the set's name in every revision.
pub const CLSPV_SET_PREFIX: &str = "NonSemantic.ClspvReflection.";
/// The newest revision that the reader knows.
pub const REVISION: u32 = 7;
/// Caldera's own set; [`CalderaOp`] has its instructions.
pub const CALDERA_SET: &str = "NonSemantic.Caldera.1";

/// Instructions of Caldera's own set. The first operand is a Kernel instruction; the others are numbers.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
pub enum CalderaOp {
    /// Kernel, Ordinal, Flags (1 read, 2 written, 4 escapes): how the kernel uses a pointer argument's
    /// memory.
    ArgumentUse = 1,
    /// Kernel: its result is independent of how the NDRange is divided into work-groups, even into groups of
    /// different sizes.
    KernelUngrouped = 2,
    /// Kernel, Ordinal, Offset, Size: the push constant for a sampler argument's properties, encoded as
    /// LiteralSampler's.
    ArgumentSamplerMaskPushConstant = 3,
    /// Kernel, Ordinal, Set, Binding, Offset, Size: the location of the same properties in the argument
    /// buffer.
    ArgumentSamplerMaskUniform = 4,
    /// Kernel, Ordinal, Set, Binding: the second descriptor of a sampler argument. It is a sampler with the
    /// same filter and addressing mode, but with normalized coordinates.
    ArgumentNormalizedSampler = 5,
    /// Kernel, Ordinal, Type: the `CL_MEM_OBJECT_IMAGE` value of an image argument's declared type.
    ArgumentImageType = 6,
    /// Kernel: it has an arena in local memory, whose byte size is the specialization constant with SpecId 3.
    KernelArena = 7,
    /// Kernel, Ordinal, Offset, Size: the push constant for a buffer argument's flag, which is 0 for NULL and
    /// otherwise 1.
    ArgumentNotNullPushConstant = 8,
    /// Kernel, Offset, Size, Bytes: the push constant for the address of the scratch memory, and the bytes of
    /// it that each work-item needs. The memory has room for a multiple of 32 work-items.
    KernelScratch = 9,
    /// Kernel, Bytes: that many bytes of its variables in local memory are outside of the arena.
    KernelLocalApart = 10,
    /// Kernel: work-groups at the end of a dimension may be smaller than the others.
    KernelUneven = 11,
    /// Kernel, Size, Bytes: it may access the program-scope variables. The program's data, with its variables and
    /// constants, have Size bytes, of which the last may be missing and are 0; the variables have Bytes bytes.
    KernelVariables = 12,
    /// Kernel: it may access memory through pointers that come neither from its arguments nor from variables.
    KernelAnyMemory = 13,
    /// Kernel, Offset, Size: the push constant for the address of a 32-bit word, to which the kernel adds if the driver
    /// has ended its loops before they were complete.
    KernelEndedLoops = 14,
    /// Kernel, DescriptorSet, Binding: the same, if the word is the first one of a storage buffer.
    KernelEndedLoopsStorageBuffer = 15,
    /// Kernel, Size, Count: it demands sub-groups of Size work-items, and Count sub-groups in each work-group; 0 demands
    /// nothing.
    KernelSubgroups = 16,
    /// Kernel, Sizes, Counters, Allocations, Unit: it makes checks. The numbers are those of [`Area`](crate::check::Area).
    KernelChecks = 17,
    /// Kernel, SpecId: several of its work-groups can run as one work-group of the device. SpecId is the first of the three
    /// specialization constants with the numbers of groups, or 0 if the work-group size can be multiplied instead.
    KernelPacking = 18,
    /// Kernel, Alignment: the program's data must begin at a multiple of Alignment, a power of two.
    KernelDataAlignment = 19,
}

impl CalderaOp {
    /// Returns the instruction with this number.
    pub fn from_number(n: u32) -> Option<CalderaOp> {
        [
            CalderaOp::ArgumentUse,
            CalderaOp::KernelUngrouped,
            CalderaOp::ArgumentSamplerMaskPushConstant,
            CalderaOp::ArgumentSamplerMaskUniform,
            CalderaOp::ArgumentNormalizedSampler,
            CalderaOp::ArgumentImageType,
            CalderaOp::KernelArena,
            CalderaOp::ArgumentNotNullPushConstant,
            CalderaOp::KernelScratch,
            CalderaOp::KernelLocalApart,
            CalderaOp::KernelUneven,
            CalderaOp::KernelVariables,
            CalderaOp::KernelAnyMemory,
            CalderaOp::KernelEndedLoops,
            CalderaOp::KernelEndedLoopsStorageBuffer,
            CalderaOp::KernelSubgroups,
            CalderaOp::KernelChecks,
            CalderaOp::KernelPacking,
            CalderaOp::KernelDataAlignment,
        ]
        .into_iter()
        .find(|op| *op as u32 == n)
    }

    /// Returns the instruction's name.
    pub fn name(self) -> &'static str {
        match self {
            CalderaOp::ArgumentUse => "ArgumentUse",
            CalderaOp::KernelUngrouped => "KernelUngrouped",
            CalderaOp::ArgumentSamplerMaskPushConstant => "ArgumentSamplerMaskPushConstant",
            CalderaOp::ArgumentSamplerMaskUniform => "ArgumentSamplerMaskUniform",
            CalderaOp::ArgumentNormalizedSampler => "ArgumentNormalizedSampler",
            CalderaOp::ArgumentImageType => "ArgumentImageType",
            CalderaOp::KernelArena => "KernelArena",
            CalderaOp::ArgumentNotNullPushConstant => "ArgumentNotNullPushConstant",
            CalderaOp::KernelScratch => "KernelScratch",
            CalderaOp::KernelLocalApart => "KernelLocalApart",
            CalderaOp::KernelUneven => "KernelUneven",
            CalderaOp::KernelAnyMemory => "KernelAnyMemory",
            CalderaOp::KernelVariables => "KernelVariables",
            CalderaOp::KernelEndedLoops => "KernelEndedLoops",
            CalderaOp::KernelEndedLoopsStorageBuffer => "KernelEndedLoopsStorageBuffer",
            CalderaOp::KernelSubgroups => "KernelSubgroups",
            CalderaOp::KernelChecks => "KernelChecks",
            CalderaOp::KernelPacking => "KernelPacking",
            CalderaOp::KernelDataAlignment => "KernelDataAlignment",
        }
    }

    /// Returns the number of operands after the Kernel.
    pub(crate) fn numbers(self) -> usize {
        match self {
            CalderaOp::KernelUngrouped
            | CalderaOp::KernelArena
            | CalderaOp::KernelUneven
            | CalderaOp::KernelAnyMemory => 0,
            CalderaOp::KernelLocalApart | CalderaOp::KernelPacking | CalderaOp::KernelDataAlignment => 1,
            CalderaOp::ArgumentUse
            | CalderaOp::ArgumentImageType
            | CalderaOp::KernelVariables
            | CalderaOp::KernelEndedLoops
            | CalderaOp::KernelEndedLoopsStorageBuffer => 2,
            CalderaOp::ArgumentSamplerMaskPushConstant
            | CalderaOp::ArgumentNormalizedSampler
            | CalderaOp::ArgumentNotNullPushConstant
            | CalderaOp::KernelScratch
            | CalderaOp::KernelSubgroups => 3,
            CalderaOp::KernelChecks => 4,
            CalderaOp::ArgumentSamplerMaskUniform => 5,
        }
    }
}

/// The form of an operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// The id of an OpFunction.
    Function,
    /// The id of a Kernel instruction.
    Kernel,
    /// The id of an ArgumentInfo instruction.
    Info,
    /// The id of an OpString.
    Text,
    /// The id of a 32-bit integer OpConstant.
    Number,
    /// The id of a variable.
    Variable,
}

macro_rules! set {
    ($($number:literal $name:ident ($($required:ident),*) ($($optional:ident),*) $(rest $rest:ident)?;)*) => {
        /// Instructions of NonSemantic.ClspvReflection, with their numbers.
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are the specification's")]
        #[repr(u32)]
        pub enum Op {
            $($name = $number,)*
        }

        impl Op {
            /// Returns the instruction with this number.
            pub fn from_number(n: u32) -> Option<Op> {
                match n {
                    $($number => Some(Op::$name),)*
                    _ => None,
                }
            }
            /// Returns the specification's name of the instruction.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$name => stringify!($name),)*
                }
            }
            /// Returns the required operands, the optional operands, and the operands that may follow them
            /// any number of times.
            pub(crate) fn shape(self) -> (&'static [Shape], &'static [Shape], Option<Shape>) {
                match self {
                    $(Op::$name => (
                        &[$(Shape::$required),*],
                        &[$(Shape::$optional),*],
                        [$(Shape::$rest,)?].first().copied(),
                    ),)*
                }
            }
            /// All instructions, in order.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];
        }
    };
}

set! {
    1 Kernel (Function, Text) (Number, Number, Text);
    2 ArgumentInfo (Text) (Text, Number, Number, Number);
    3 ArgumentStorageBuffer (Kernel, Number, Number, Number) (Info);
    4 ArgumentUniform (Kernel, Number, Number, Number) (Info);
    5 ArgumentPodStorageBuffer (Kernel, Number, Number, Number, Number, Number) (Info);
    6 ArgumentPodUniform (Kernel, Number, Number, Number, Number, Number) (Info);
    7 ArgumentPodPushConstant (Kernel, Number, Number, Number) (Info);
    8 ArgumentSampledImage (Kernel, Number, Number, Number) (Info);
    9 ArgumentStorageImage (Kernel, Number, Number, Number) (Info);
    10 ArgumentSampler (Kernel, Number, Number, Number) (Info);
    11 ArgumentWorkgroup (Kernel, Number, Number, Number) (Info);
    12 SpecConstantWorkgroupSize (Number, Number, Number) ();
    13 SpecConstantGlobalOffset (Number, Number, Number) ();
    14 SpecConstantWorkDim (Number) ();
    15 PushConstantGlobalOffset (Number, Number) ();
    16 PushConstantEnqueuedLocalSize (Number, Number) ();
    17 PushConstantGlobalSize (Number, Number) ();
    18 PushConstantRegionOffset (Number, Number) ();
    19 PushConstantNumWorkgroups (Number, Number) ();
    20 PushConstantRegionGroupOffset (Number, Number) ();
    21 ConstantDataStorageBuffer (Number, Number, Text) ();
    22 ConstantDataUniform (Number, Number, Text) ();
    23 LiteralSampler (Number, Number, Number) ();
    24 PropertyRequiredWorkgroupSize (Kernel, Number, Number, Number) ();
    25 SpecConstantSubgroupMaxSize (Number) ();
    26 ArgumentPointerPushConstant (Kernel, Number, Number, Number) (Info);
    27 ArgumentPointerUniform (Kernel, Number, Number, Number, Number, Number) (Info);
    28 ProgramScopeVariablesStorageBuffer (Number, Number, Text) ();
    29 ProgramScopeVariablePointerRelocation (Number, Number, Number) ();
    30 ImageArgumentInfoChannelOrderPushConstant (Kernel, Number, Number, Number) ();
    31 ImageArgumentInfoChannelDataTypePushConstant (Kernel, Number, Number, Number) ();
    32 ImageArgumentInfoChannelOrderUniform (Kernel, Number, Number, Number, Number, Number) ();
    33 ImageArgumentInfoChannelDataTypeUniform (Kernel, Number, Number, Number, Number, Number) ();
    34 ArgumentStorageTexelBuffer (Kernel, Number, Number, Number) (Info);
    35 ArgumentUniformTexelBuffer (Kernel, Number, Number, Number) (Info);
    36 ConstantDataPointerPushConstant (Number, Number, Text) ();
    37 ProgramScopeVariablePointerPushConstant (Number, Number, Text) ();
    38 PrintfInfo (Number, Text) () rest Number;
    39 PrintfBufferStorageBuffer (Number, Number, Number) ();
    40 PrintfBufferPointerPushConstant (Number, Number, Number) ();
    41 NormalizedSamplerMaskPushConstant (Kernel, Number, Number, Number) ();
    42 WorkgroupVariableSize (Variable, Number) ();
}
