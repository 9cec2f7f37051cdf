//! The instruction sets: names, numbers and operand shapes.

/// Name under which the set is imported when written.
pub const CLSPV_SET: &str = "NonSemantic.ClspvReflection.7";
/// What every revision's name starts with.
pub const CLSPV_SET_PREFIX: &str = "NonSemantic.ClspvReflection.";
/// The newest revision that the reader knows.
pub const REVISION: u32 = 7;
/// Caldera's own set; [`CalderaOp`] has its instructions.
pub const CALDERA_SET: &str = "NonSemantic.Caldera.1";

/// Instructions of Caldera's own set. The operands are numbers but for the first, which is a Kernel instruction.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u32)]
pub enum CalderaOp {
    /// Kernel, Ordinal, Flags (1 read, 2 written, 4 escapes): what happens to a pointer argument's memory.
    ArgumentUse = 1,
    /// Kernel: its result does not depend on how its NDRange is divided into work-groups, even of different
    /// sizes.
    KernelUngrouped = 2,
    /// Kernel, Ordinal, Offset, Size: where a sampler argument's properties go, encoded as LiteralSampler's.
    ArgumentSamplerMaskPushConstant = 3,
    /// Kernel, Ordinal, Set, Binding, Offset, Size: the same in the argument buffer.
    ArgumentSamplerMaskUniform = 4,
    /// Kernel, Ordinal, Set, Binding: a second descriptor for a sampler argument: the sampler with the same
    /// filter and addressing mode and normalized coordinates.
    ArgumentNormalizedSampler = 5,
    /// Kernel, Ordinal, Type: the `CL_MEM_OBJECT_IMAGE` value that an image argument's declared type stands for.
    ArgumentImageType = 6,
    /// Kernel: its local memory is an arena of as many bytes as the specialization constant of SpecId 3 says.
    KernelArena = 7,
    /// Kernel, Ordinal, Offset, Size: where a buffer argument's flag goes, 0 for NULL and otherwise 1.
    ArgumentNotNullPushConstant = 8,
    /// Kernel, Offset, Size, Bytes: where the address of its scratch memory goes, and how many bytes of that a work-item needs.
    KernelScratch = 9,
}

impl CalderaOp {
    /// The instruction of that number.
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
        ]
        .into_iter()
        .find(|op| *op as u32 == n)
    }

    /// The instruction's name.
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
        }
    }

    /// Numbers behind the Kernel.
    pub(crate) fn numbers(self) -> usize {
        match self {
            CalderaOp::KernelUngrouped | CalderaOp::KernelArena => 0,
            CalderaOp::ArgumentUse | CalderaOp::ArgumentImageType => 2,
            CalderaOp::ArgumentSamplerMaskPushConstant
            | CalderaOp::ArgumentNormalizedSampler
            | CalderaOp::ArgumentNotNullPushConstant
            | CalderaOp::KernelScratch => 3,
            CalderaOp::ArgumentSamplerMaskUniform => 5,
        }
    }
}

/// What an operand is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// Id of an OpFunction.
    Function,
    /// Id of a Kernel instruction.
    Kernel,
    /// Id of an ArgumentInfo instruction.
    Info,
    /// Id of an OpString.
    Text,
    /// Id of a 32-bit integer OpConstant.
    Number,
    /// Id of a variable.
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
            /// The instruction of that number.
            pub fn from_number(n: u32) -> Option<Op> {
                match n {
                    $($number => Some(Op::$name),)*
                    _ => None,
                }
            }
            /// The specification's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$name => stringify!($name),)*
                }
            }
            /// Required operands, optional operands, and what may follow them any number of times.
            pub(crate) fn shape(self) -> (&'static [Shape], &'static [Shape], Option<Shape>) {
                match self {
                    $(Op::$name => (
                        &[$(Shape::$required),*],
                        &[$(Shape::$optional),*],
                        [$(Shape::$rest,)?].first().copied(),
                    ),)*
                }
            }
            /// Every instruction, in order.
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
