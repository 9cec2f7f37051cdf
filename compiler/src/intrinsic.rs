//! Operations that need the target: what is left of OpenCL's built-in functions once the library
//! (`builtins/lib`) is compiled. The same set serves HIR (as calls) and IR (as instructions), so that no stage
//! has to translate names.
//!
//! Unless said otherwise an arithmetic intrinsic works lane by lane, takes operands of one type and returns
//! that type.

/// Read-modify-write operations (OpenCL 1.2 6.12.11). The result is the old value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    Add,
    Sub,
    Xchg,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
    /// Arguments: pointer, comparator, value.
    CmpXchg,
    /// Pointer only; not a read-modify-write.
    Load,
    /// Pointer, value; no result.
    Store,
}

/// Which memory a fence or barrier orders; the argument of OpenCL's `barrier`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FenceFlags {
    pub local: bool,
    pub global: bool,
}

/// What the work-items of a sub-group make of their values.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SubgroupOp {
    IAdd,
    FAdd,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
}

/// Of which work-items' values each work-item gets the result.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SubgroupPart {
    /// Of all.
    Reduce,
    /// Of those ahead of it, and its own.
    Inclusive,
    /// Of those ahead of it; the first gets the operation's identity.
    Exclusive,
}

/// Shapes of images (6.1.3). Depth images have the shape of their colour kin.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ImageShape {
    D1,
    /// `image1d_buffer_t`
    Buffer,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl ImageShape {
    /// All of them.
    pub const ALL: [ImageShape; 6] = [
        ImageShape::D1,
        ImageShape::Buffer,
        ImageShape::D1Array,
        ImageShape::D2,
        ImageShape::D2Array,
        ImageShape::D3,
    ];

    /// Components of a coordinate, the layer included.
    pub fn lanes(self) -> u8 {
        match self {
            ImageShape::D1 | ImageShape::Buffer => 1,
            ImageShape::D1Array | ImageShape::D2 => 2,
            ImageShape::D2Array | ImageShape::D3 => 3,
        }
    }

    /// Whether the last component of a coordinate is a layer.
    pub fn is_array(self) -> bool {
        match self {
            ImageShape::D1Array | ImageShape::D2Array => true,
            ImageShape::D1 | ImageShape::Buffer | ImageShape::D2 | ImageShape::D3 => false,
        }
    }

    /// As in the names of intrinsics.
    pub fn name(self) -> &'static str {
        match self {
            ImageShape::D1 => "1d",
            ImageShape::Buffer => "buffer",
            ImageShape::D1Array => "1d_array",
            ImageShape::D2 => "2d",
            ImageShape::D2Array => "2d_array",
            ImageShape::D3 => "3d",
        }
    }
}

/// What an image is read or written as: the suffix of `read_imagef` and its kin. All are vectors of four 32-bit
/// lanes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Texel {
    Float,
    Int,
    UInt,
}

impl Texel {
    /// All of them.
    pub const ALL: [Texel; 3] = [Texel::Float, Texel::Int, Texel::UInt];

    /// As in the names of intrinsics.
    pub fn name(self) -> &'static str {
        match self {
            Texel::Float => "f",
            Texel::Int => "i",
            Texel::UInt => "ui",
        }
    }
}

/// Intrinsic operations.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    // Work-item functions (6.12.1). Argument: dimension, i32, any run-time value. Result: i64 (size_t).
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    NumGroups,
    GlobalOffset,
    /// No argument; i32. Emitted as a specialization constant.
    WorkDim,

    // What `lower_system_values` leaves of the work-item functions (with `WorkDim` and loads from the push
    // constants of `SystemPush`). No argument; result v3 i32.
    /// The built-in of that name: the group within this dispatch.
    WorkgroupId,
    /// The built-in of that name.
    LocalInvocationId,
    /// Specialization constants 0, 1, 2.
    WorkgroupSize,
    /// The built-in of that name: the work-item within this dispatch. Descriptor ABI.
    GlobalInvocationId,
    /// The built-in of that name: the groups of this dispatch. Descriptor ABI.
    NumWorkgroups,
    /// What get_global_offset returns, as specialization constants. Descriptor ABI.
    GlobalOffsetConstant,

    // Sub-groups (cl_khr_subgroups). No argument; i32.
    /// Work-items of every sub-group but the last of a work-group.
    SubgroupMaxSize,
    /// Work-items of this one. `lower_system_values` moves it to the start of the kernel, where all of them are.
    SubgroupSize,
    NumSubgroups,
    SubgroupId,
    SubgroupLocalId,

    // What all work-items of a sub-group do together.
    /// Execution and memory barrier. No result.
    SubgroupBarrier(FenceFlags),
    /// Bool to bool.
    SubgroupAll,
    SubgroupAny,
    /// A scalar and the i32 number of a work-item, the same for all of them: that one's scalar.
    SubgroupBroadcast,
    /// A value and the i32 number of a work-item, or what to turn over in the own one's: that one's value.
    SubgroupShuffle,
    SubgroupShuffleXor,
    /// A scalar.
    SubgroupArith(SubgroupOp, SubgroupPart),

    /// Execution and memory barrier over the work-group (6.12.8). No result.
    Barrier(FenceFlags),
    /// Memory fence (6.12.9). No result.
    Fence(FenceFlags),
    /// First argument a pointer to i32 or i64 in global or local memory.
    Atomic(AtomicOp),

    // Floating point, any of f16 f32 f64 unless the target lacks it in GLSL.std.450 (f64: only the first row).
    FAbs,
    Floor,
    Ceil,
    Trunc,
    /// To nearest, ties to even.
    RoundEven,
    Sqrt,
    InverseSqrt,
    /// GLSL Fma: fused only where the calibration says so.
    Fma,
    /// NMin/NMax of GLSL.std.450: the other operand if one is NaN.
    FMin,
    FMax,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Exp2,
    Log,
    Log2,
    Pow,
    /// (f, i32 of the same lanes).
    Ldexp,
    /// Dot product of two vectors of 2 to 4 lanes: scalar result.
    Dot,

    /// Bool result of the operand's lanes.
    IsNan,
    IsInf,
    /// Bool vector to bool.
    Any,
    All,

    // Integer.
    SAbs,
    SMin,
    SMax,
    UMin,
    UMax,
    /// High half of the full product; 8 to 32 bits, 64 is library code.
    UMulHigh,
    SMulHigh,
    PopCount,
    /// Count of leading zeros; the width for 0.
    Clz,
    /// Count of trailing zeros; the width for 0.
    Ctz,
    BitReverse,

    /// u32 holding two f16 to v2f32, and back: GLSL UnpackHalf2x16 / PackHalf2x16.
    UnpackHalf2x16,
    PackHalf2x16,

    /// Argument 0 is the id of a format string in the module's string table; the others follow. Result i32.
    Printf,
    /// A pointer; hint only, no result.
    Prefetch,

    // Images (6.12.14). The first argument is the image; coordinates have as many lanes as the shape says.
    // Texels are four lanes of f32 or i32.
    /// Image, sampler, coordinates (f32 or i32). `lower_images` says how.
    ReadImage(ImageShape, Texel),
    /// Image, sampler, coordinates (f32): what a sampler of Vulkan does.
    SampleImage(ImageShape, Texel),
    /// Image, coordinates (i32), in range.
    FetchImage(ImageShape, Texel),
    /// Image, coordinates (i32), texel. No result.
    WriteImage(ImageShape, Texel),
    /// Image. The extent in each of the shape's components.
    ImageSize(ImageShape),
    /// Image; i32, OpenCL's number for it.
    ChannelOrder,
    /// Image; i32, OpenCL's number for it.
    ChannelDataType,
    /// Sampler; i32, its properties as [`SamplerMask`] has them.
    SamplerProperties,
}

/// A sampler's properties as the CLK_ macros say them (6.12.14.1): bit 0 normalized coordinates, bits 1-3 the
/// addressing mode, bits 4-5 the filter. `LiteralSampler` of the reflection has the same encoding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SamplerMask(pub u32);

impl SamplerMask {
    pub const NORMALIZED: u32 = 1;
    pub const ADDRESS_BITS: u32 = 0xe;
    pub const ADDRESS_NONE: u32 = 0;
    pub const ADDRESS_EDGE: u32 = 2;
    pub const ADDRESS_CLAMP: u32 = 4;
    pub const ADDRESS_REPEAT: u32 = 6;
    pub const ADDRESS_MIRRORED: u32 = 8;
    pub const NEAREST: u32 = 0x10;
    pub const LINEAR: u32 = 0x20;
    /// Every bit that means something.
    pub const ALL_BITS: u32 = 0x3f;

    pub fn normalized(self) -> bool {
        self.0 & Self::NORMALIZED != 0
    }
    /// One of the `ADDRESS_` values.
    pub fn address(self) -> u32 {
        self.0 & Self::ADDRESS_BITS
    }
    /// No filter at all counts as the nearest texel.
    pub fn linear(self) -> bool {
        self.0 & Self::LINEAR != 0
    }
}

impl Intrinsic {
    /// Whether the result depends on which work-item asks, or on the launch.
    pub fn is_work_item(self) -> bool {
        matches!(
            self,
            Intrinsic::GlobalId
                | Intrinsic::LocalId
                | Intrinsic::GroupId
                | Intrinsic::GlobalSize
                | Intrinsic::LocalSize
                | Intrinsic::NumGroups
                | Intrinsic::GlobalOffset
                | Intrinsic::WorkDim
                | Intrinsic::WorkgroupId
                | Intrinsic::LocalInvocationId
                | Intrinsic::WorkgroupSize
                | Intrinsic::GlobalInvocationId
                | Intrinsic::NumWorkgroups
                | Intrinsic::GlobalOffsetConstant
                | Intrinsic::SubgroupMaxSize
                | Intrinsic::SubgroupSize
                | Intrinsic::NumSubgroups
                | Intrinsic::SubgroupId
                | Intrinsic::SubgroupLocalId
        )
    }

    /// Whether removing an unused call, or merging two equal ones, is forbidden.
    pub fn has_side_effects(self) -> bool {
        match self {
            Intrinsic::Barrier(_)
            | Intrinsic::Fence(_)
            // Which work-items take part depends on where it stands.
            | Intrinsic::SubgroupBarrier(_)
            | Intrinsic::SubgroupAll
            | Intrinsic::SubgroupAny
            | Intrinsic::SubgroupBroadcast
            | Intrinsic::SubgroupShuffle
            | Intrinsic::SubgroupShuffleXor
            | Intrinsic::SubgroupArith(..)
            | Intrinsic::Atomic(_)
            | Intrinsic::Printf
            | Intrinsic::Prefetch
            | Intrinsic::WriteImage(..) => true,
            Intrinsic::GlobalId
            | Intrinsic::LocalId
            | Intrinsic::GroupId
            | Intrinsic::GlobalSize
            | Intrinsic::LocalSize
            | Intrinsic::NumGroups
            | Intrinsic::GlobalOffset
            | Intrinsic::WorkDim
            | Intrinsic::WorkgroupId
            | Intrinsic::LocalInvocationId
            | Intrinsic::WorkgroupSize
            | Intrinsic::GlobalInvocationId
            | Intrinsic::NumWorkgroups
            | Intrinsic::GlobalOffsetConstant
            | Intrinsic::SubgroupMaxSize
            | Intrinsic::SubgroupSize
            | Intrinsic::NumSubgroups
            | Intrinsic::SubgroupId
            | Intrinsic::SubgroupLocalId
            | Intrinsic::FAbs
            | Intrinsic::Floor
            | Intrinsic::Ceil
            | Intrinsic::Trunc
            | Intrinsic::RoundEven
            | Intrinsic::Sqrt
            | Intrinsic::InverseSqrt
            | Intrinsic::Fma
            | Intrinsic::FMin
            | Intrinsic::FMax
            | Intrinsic::Sin
            | Intrinsic::Cos
            | Intrinsic::Tan
            | Intrinsic::Asin
            | Intrinsic::Acos
            | Intrinsic::Atan
            | Intrinsic::Atan2
            | Intrinsic::Sinh
            | Intrinsic::Cosh
            | Intrinsic::Tanh
            | Intrinsic::Asinh
            | Intrinsic::Acosh
            | Intrinsic::Atanh
            | Intrinsic::Exp
            | Intrinsic::Exp2
            | Intrinsic::Log
            | Intrinsic::Log2
            | Intrinsic::Pow
            | Intrinsic::Ldexp
            | Intrinsic::Dot
            | Intrinsic::IsNan
            | Intrinsic::IsInf
            | Intrinsic::Any
            | Intrinsic::All
            | Intrinsic::SAbs
            | Intrinsic::SMin
            | Intrinsic::SMax
            | Intrinsic::UMin
            | Intrinsic::UMax
            | Intrinsic::UMulHigh
            | Intrinsic::SMulHigh
            | Intrinsic::PopCount
            | Intrinsic::Clz
            | Intrinsic::Ctz
            | Intrinsic::BitReverse
            | Intrinsic::UnpackHalf2x16
            | Intrinsic::PackHalf2x16
            // What a kernel reads it cannot write (6.6): nothing changes between two reads.
            | Intrinsic::ReadImage(..)
            | Intrinsic::SampleImage(..)
            | Intrinsic::FetchImage(..)
            | Intrinsic::ImageSize(_)
            | Intrinsic::ChannelOrder
            | Intrinsic::ChannelDataType
            | Intrinsic::SamplerProperties => false,
        }
    }

    /// Whether the operation is a rendezvous of the work-group or sub-group: it must stay in convergent control flow.
    pub fn is_convergent(self) -> bool {
        matches!(self, Intrinsic::Barrier(_)) || self.is_subgroup_operation()
    }

    /// Whether it makes what others have written visible, and what was written visible to others.
    pub fn orders_memory(self) -> bool {
        matches!(
            self,
            Intrinsic::Barrier(_) | Intrinsic::Fence(_) | Intrinsic::SubgroupBarrier(_)
        )
    }

    /// Whether the work-items of a sub-group do it together.
    pub fn is_subgroup_operation(self) -> bool {
        matches!(
            self,
            Intrinsic::SubgroupBarrier(_)
                | Intrinsic::SubgroupAll
                | Intrinsic::SubgroupAny
                | Intrinsic::SubgroupBroadcast
                | Intrinsic::SubgroupShuffle
                | Intrinsic::SubgroupShuffleXor
                | Intrinsic::SubgroupArith(..)
        )
    }
}
