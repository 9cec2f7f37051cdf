//! Intrinsics: operations that depend on the target. OpenCL's built-in functions consist of them once the library
//! (`builtins/lib`) is compiled. HIR (as calls) and IR (as instructions) use the same set, so no stage translates names.
//!
//! Unless stated otherwise, an arithmetic intrinsic works lane by lane, and its operands and result have the same type.

mod work_items;

/// Atomic operations (OpenCL 1.2 6.12.11). Unless stated otherwise, an operation is a read-modify-write with
/// the arguments pointer and value, and its result is the old value. The names are SPIR-V's, without
/// `OpAtomic`; `S` is signed and `U` unsigned.
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
    /// Argument: pointer. This is a plain atomic load, not a read-modify-write operation.
    Load,
    /// Arguments: pointer, value. There is no result, and this is not a read-modify-write operation.
    Store,
}

/// Atomic operations on floats (cl_ext_float_atomics): read-modify-write operations with the arguments pointer and value,
/// whose result is the old value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatAtomic {
    Add,
    Sub,
    /// If one of the two values is NaN, the other is stored.
    Min,
    Max,
}

/// A property of a device's arithmetic, which the form of functions and operators depends on. Calibration measures it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum DeviceProperty {
    /// The multiply-add of the format rounds once.
    FusedFma,
    /// In addition, that multiply-add is a single machine operation.
    FastFma,
    /// In addition, the format is f32, and the error of the device's 2^x is at most 2 ulp.
    Exp2,
    /// In addition to a fast multiply-add of the format and of f32, the error of the device's 1 / sqrt of f32 is at most
    /// 1.5 ulp. The format is not f16.
    Rsqrt,
    /// Doubles and 64-bit integers may be used for functions of other formats, too.
    Doubles,
    // The property does not depend on the format: the device accelerates a dot product of packed bytes
    // (`Target::has_packed_dot`, `Target::has_saturating_dot`).
    UnsignedDot,
    SignedDot,
    MixedDot,
    UnsignedSaturatingDot,
    SignedSaturatingDot,
    MixedSaturatingDot,
}

/// The signedness of the operands of a dot product.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DotSigns {
    /// Both operands are unsigned.
    Unsigned,
    /// Both operands are signed.
    Signed,
    /// The first operand is signed and the second one unsigned.
    Mixed,
}

impl DotSigns {
    /// All kinds of operands, in the order of the arrays of [`Features`](crate::target::Features).
    pub const ALL: [DotSigns; 3] = [DotSigns::Unsigned, DotSigns::Signed, DotSigns::Mixed];

    /// Returns whether the bytes of each operand are signed.
    pub fn of_operands(self) -> [bool; 2] {
        match self {
            DotSigns::Unsigned => [false, false],
            DotSigns::Signed => [true, true],
            DotSigns::Mixed => [true, false],
        }
    }
}

/// The clocks of Vulkan (cl_khr_kernel_clock).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Clock {
    /// The clock that all work-items of the device share.
    Device,
    /// A clock that the work-items of a sub-group share.
    Subgroup,
}

/// The memory that a fence or barrier orders: the argument of OpenCL's `barrier`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FenceFlags {
    /// The fence orders accesses to local memory.
    pub local: bool,
    /// The fence orders accesses to global memory.
    pub global: bool,
}

/// The operations that combine the values of a sub-group's work-items. The first letter is the type: `I` any
/// integer, `S` signed, `U` unsigned, `F` floating-point. Operations on bits are for any integer.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SubgroupOp {
    IAdd,
    FAdd,
    IMul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
}

/// The work-items whose values contribute to the result of each work-item.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SubgroupPart {
    /// All work-items.
    Reduce,
    /// The work-item itself and the work-items with lower ids.
    Inclusive,
    /// The work-items with lower ids; the result of the first work-item is the operation's identity.
    Exclusive,
}

/// A format of images that kernels may both read and write: one that the full profile requires (OpenCL 2.0, 5.3.2.1).
/// The number is its place in a table.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TexelFormat(u8);

/// Name, channel order, channel data type and texel type of each format.
const TEXEL_FORMATS: [(&str, i32, i32, Texel); 18] = {
    const R: i32 = 0x10b0;
    const RGBA: i32 = 0x10b5;
    use Texel::{Float, Int, UInt};
    [
        ("r8", R, 0x10d2, Float),
        ("r16f", R, 0x10dd, Float),
        ("r32f", R, 0x10de, Float),
        ("rgba8", RGBA, 0x10d2, Float),
        ("rgba16f", RGBA, 0x10dd, Float),
        ("rgba32f", RGBA, 0x10de, Float),
        ("r8i", R, 0x10d7, Int),
        ("r16i", R, 0x10d8, Int),
        ("r32i", R, 0x10d9, Int),
        ("rgba8i", RGBA, 0x10d7, Int),
        ("rgba16i", RGBA, 0x10d8, Int),
        ("rgba32i", RGBA, 0x10d9, Int),
        ("r8ui", R, 0x10da, UInt),
        ("r16ui", R, 0x10db, UInt),
        ("r32ui", R, 0x10dc, UInt),
        ("rgba8ui", RGBA, 0x10da, UInt),
        ("rgba16ui", RGBA, 0x10db, UInt),
        ("rgba32ui", RGBA, 0x10dc, UInt),
    ]
};

impl TexelFormat {
    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = TexelFormat> {
        (0..TEXEL_FORMATS.len() as u8).map(TexelFormat)
    }
    /// Returns the name, which is that of SPIR-V in lower case.
    pub fn name(self) -> &'static str {
        TEXEL_FORMATS[usize::from(self.0)].0
    }
    /// Returns the channel order and the channel data type as OpenCL's values.
    pub fn channels(self) -> (i32, i32) {
        let (_, order, data, _) = TEXEL_FORMATS[usize::from(self.0)];
        (order, data)
    }
    /// Returns the type of its texels.
    pub fn texel(self) -> Texel {
        TEXEL_FORMATS[usize::from(self.0)].3
    }
}

/// Shapes of images (6.1.3). A depth image has the shape of the corresponding colour image.
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
    /// All shapes.
    pub const ALL: [ImageShape; 6] = [
        ImageShape::D1,
        ImageShape::Buffer,
        ImageShape::D1Array,
        ImageShape::D2,
        ImageShape::D2Array,
        ImageShape::D3,
    ];

    /// Returns the number of components of a coordinate, the layer included.
    pub fn lanes(self) -> u8 {
        match self {
            ImageShape::D1 | ImageShape::Buffer => 1,
            ImageShape::D1Array | ImageShape::D2 => 2,
            ImageShape::D2Array | ImageShape::D3 => 3,
        }
    }

    /// Returns whether the last component of a coordinate is a layer.
    pub fn is_array(self) -> bool {
        match self {
            ImageShape::D1Array | ImageShape::D2Array => true,
            ImageShape::D1 | ImageShape::Buffer | ImageShape::D2 | ImageShape::D3 => false,
        }
    }

    /// Returns the name of the shape in the names of intrinsics.
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

/// The component type of a texel that is read or written, as in the suffixes of `read_imagef`, `read_imagei`
/// and `read_imageui`. A texel is a vector of four 32-bit lanes.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Texel {
    Float,
    Int,
    UInt,
}

impl Texel {
    /// All component types.
    pub const ALL: [Texel; 3] = [Texel::Float, Texel::Int, Texel::UInt];

    /// Returns the name of the type in the names of intrinsics.
    pub fn name(self) -> &'static str {
        match self {
            Texel::Float => "f",
            Texel::Int => "i",
            Texel::UInt => "ui",
        }
    }
}

/// Intrinsic operations. Operations without a comment of their own have OpenCL's or GLSL.std.450's meaning of
/// the same name. The first letter of an arithmetic operation is its type: `S` signed, `U` unsigned, `F`
/// floating-point.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Intrinsic {
    // Work-item functions (6.12.1). The argument is the dimension, an i32 that may be any run-time value. The
    // result is i64 (size_t).
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    /// The size of the work-groups that are not at the end of a dimension.
    EnqueuedLocalSize,
    NumGroups,
    GlobalOffset,
    /// No argument; i32. Emitted as a specialization constant.
    WorkDim,

    // The operations into which `lower_system_values` turns the work-item functions (besides `WorkDim` and
    // loads from the push constants of `SystemPush`). They have no argument and return v3 i32.
    /// The SPIR-V built-in of this name: the work-group's id within this dispatch.
    WorkgroupId,
    /// The SPIR-V built-in of this name.
    LocalInvocationId,
    /// Specialization constants 0, 1, 2.
    WorkgroupSize,
    /// The work-item's place in the work-group of the device, which may consist of several work-groups of the application
    /// (`spirv/pack.rs`).
    DeviceLocalId,
    /// The size of the work-groups of the device.
    DeviceGroupSize,
    /// The SPIR-V built-in of this name: the work-item's id within this dispatch (descriptor ABI).
    GlobalInvocationId,
    /// The SPIR-V built-in of this name: the number of work-groups in this dispatch (descriptor ABI).
    NumWorkgroups,
    /// The result of get_global_offset, as specialization constants (descriptor ABI).
    GlobalOffsetConstant,

    // Sub-groups (cl_khr_subgroups). These operations have no argument and return i32.
    /// The size of every sub-group of the work-group except possibly the last.
    SubgroupMaxSize,
    /// The size of the work-item's own sub-group. `lower_system_values` moves the operation to the start of
    /// the kernel, where all work-items of the sub-group are active.
    SubgroupSize,
    NumSubgroups,
    SubgroupId,
    SubgroupLocalId,

    // Operations that the work-items of a sub-group perform together.
    /// Execution and memory barrier. No result.
    SubgroupBarrier(FenceFlags),
    /// Bool to bool.
    SubgroupAll,
    SubgroupAny,
    /// Bool to v4 i32: bit n is set if the argument of work-item n is true. The bits of inactive work-items are 0.
    SubgroupBallot,
    /// Arguments: a value, and the i32 id of a work-item, which is uniform over the sub-group. The result is
    /// that work-item's value.
    SubgroupBroadcast,
    /// Arguments: a value, and either the i32 id of a work-item or, for the xor form, a mask that is combined
    /// with the work-item's own id by xor. The result is the value of the work-item so identified.
    SubgroupShuffle,
    SubgroupShuffleXor,
    /// Argument: a scalar.
    SubgroupArith(SubgroupOp, SubgroupPart),

    /// Execution and memory barrier over the work-group (6.12.8). No result.
    Barrier(FenceFlags),
    /// Memory fence (6.12.9). No result.
    Fence(FenceFlags),
    /// The first argument is a pointer to an i32 or i64 in global or local memory.
    Atomic(AtomicOp),
    /// The first argument is a pointer to an f32 or f64. The operation is for HIR only: IR has the loop that
    /// [`crate::ir::atomic::float_atomic`] builds.
    FloatAtomic(FloatAtomic),

    // The operations of instrumented kernels (`crate::check`), which `lower_printf` lowers.
    /// The i32 ordinal of a kernel argument, and the i32 number of what is asked about its memory
    /// (`crate::check::memory`), both constants. The result is an i64.
    ArgumentMemory,
    /// An address in global memory and a number of bytes, both i64. Returns whether an allocation contains these bytes.
    IsAllocated,
    /// States a finding; no result. The arguments are those of `crate::check::FINDING`, before `report_findings` only the
    /// first `crate::check::STATED`. The number of a site counts the texts of sites among the module's strings.
    ReportFinding,
    /// An index of an array that is a member, and the array's length, both i64, for `check_memory`. No result.
    MemberIndex,
    /// An asynchronous copy, for `check_copies`: an event or 0, destination, source, elements, stride. Returns its event.
    CopyBegins,
    /// A wait for copies, for `check_copies`: the i32 number of their events, and a pointer to these. No result.
    CopiesEnd,

    /// No argument. The result is the number of ticks that the clock has counted, an i64.
    ReadClock(Clock),

    /// An operation on cooperative matrices, which the work-items of a sub-group perform together.
    Matrix(MatrixOp),

    // Floating-point operations on f16, f32 or f64, as far as the target has them in GLSL.std.450. For f64, these
    // are the operations up to FMax, and Ldexp.
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

    // Operations whose form depends on the device. The pass `select_arithmetic` replaces them.
    /// Whether the device has a property, for the format of the argument, a float; the result is a Bool.
    DeviceHas(DeviceProperty),
    /// `x * y + z` of floats, fused where that is a single operation of the device, otherwise with two roundings.
    MultiplyAdd,
    /// A quotient of f32 whose error is implementation-defined; `half_divide` allows 8192 ulp.
    RoughDivide,
    /// The correctly rounded square root of f32.
    RoundedSqrt,

    /// NMin and NMax of GLSL.std.450: if one operand is NaN, the result is the other.
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
    /// Arguments: a float, and an i32 with the same number of lanes.
    Ldexp,
    /// The dot product of two vectors of 2 to 4 lanes; the result is a scalar.
    Dot,

    /// The result has a Bool for each lane of the operand.
    IsNan,
    IsInf,
    /// The operand is a vector of Bool; the result is a Bool.
    Any,
    All,

    // Integer.
    SAbs,
    SMin,
    SMax,
    UMin,
    UMax,
    /// The high half of the full product, for 8 to 32 bits. The library implements 64 bits.
    UMulHigh,
    SMulHigh,
    PopCount,
    /// The number of leading zeros; for 0, the width.
    Clz,
    /// The number of trailing zeros; for 0, the width.
    Ctz,
    BitReverse,
    /// The dot product of two vectors of four bytes, each packed into an i32; the result is an i32. It is an operation
    /// only of devices that accelerate it ([`DeviceProperty`]).
    PackedDot(DotSigns),
    /// The same, plus an i32, with saturation: the result is the exact sum, or the nearest number that an i32 of the
    /// result's signedness holds. Only the dot product of unsigned operands is unsigned.
    PackedDotAccSat(DotSigns),

    /// Conversions between a u32 that holds two f16 and a v2f32: GLSL UnpackHalf2x16 and PackHalf2x16.
    UnpackHalf2x16,
    PackHalf2x16,

    /// Argument: a pointer to the generic address space. The result is the number of the space that it leads to,
    /// an i32: [`crate::ir::AddressSpace::tag`] for local and private memory, any other number for global
    /// memory. For a null pointer it is any number.
    PointerTag,

    /// Argument 0 is the id of a format string in the module's string table; the values to print follow. The
    /// result is i32.
    Printf,
    /// Argument: a pointer. The operation is only a hint and has no result.
    Prefetch,

    // Images (6.12.14). The first argument is the image; coordinates have as many lanes as the image's shape
    // requires. Texels have four lanes of f32 or i32.
    /// Arguments: image, sampler, coordinates (f32 or i32). `lower_images` replaces it by the operations below.
    ReadImage(ImageShape, Texel),
    /// Arguments: image, sampler, coordinates (f32). A Vulkan sampler performs the read.
    SampleImage(ImageShape, Texel),
    /// Arguments: image, coordinates (i32), which must be in range.
    FetchImage(ImageShape, Texel),
    /// Arguments: image that the kernel also writes, coordinates (i32).
    LoadImage(ImageShape, Texel),
    /// The same, of an image that is known to have this format. `lower_images` makes it of `LoadImage`.
    LoadFormat(ImageShape, TexelFormat),
    /// Arguments: image, coordinates (i32), texel. There is no result.
    WriteImage(ImageShape, Texel),
    /// Argument: image. The result is the extent in each component of the shape.
    ImageSize(ImageShape),
    /// Argument: image. The result is the channel order as OpenCL's value, an i32.
    ChannelOrder,
    /// Argument: image. The result is the channel data type as OpenCL's value, an i32.
    ChannelDataType,
    /// Argument: sampler. The result is its properties as a [`SamplerMask`], an i32.
    SamplerProperties,
}

/// How the components of a matrix lie in memory. The numbers are SPIR-V's.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MatrixLayout {
    /// The components of a row are neighbours.
    Rows = 0,
    /// The components of a column are neighbours.
    Columns = 1,
}

/// How a matrix is loaded or stored.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatrixMemory {
    /// How its components lie in memory.
    pub layout: MatrixLayout,
    /// Whether the access is volatile.
    pub volatile: bool,
}

/// SPIR-V's Cooperative Matrix Operands: which components of a product are signed, and whether it saturates.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MatrixSigns(u8);

impl MatrixSigns {
    /// The components of A are signed.
    pub const A: u8 = 1;
    /// The components of B are signed.
    pub const B: u8 = 2;
    /// The components of C are signed.
    pub const C: u8 = 4;
    /// The components of the result are signed.
    pub const RESULT: u8 = 8;
    /// The addition of C saturates.
    pub const SATURATE: u8 = 16;

    /// Returns the operands with these bits; `None` if a bit has no meaning.
    pub fn from_bits(bits: u32) -> Option<MatrixSigns> {
        u8::try_from(bits).ok().filter(|b| *b < 32).map(MatrixSigns)
    }
    /// Returns all bits.
    pub fn bits(self) -> u32 {
        u32::from(self.0)
    }
    /// Returns whether a bit is set.
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// Operations on cooperative matrices. Except for [`MatrixOp::Length`], [`MatrixOp::Extract`] and [`MatrixOp::Insert`],
/// either all work-items of a sub-group execute an operation or none, with the same pointers and strides.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MatrixOp {
    /// A pointer to global, constant or local memory, and the i32 distance in bytes of two rows, or columns.
    Load(MatrixMemory),
    /// The same, and the matrix. No result.
    Store(MatrixMemory),
    /// A, B and C. The result is A × B + C, a matrix with C's shape.
    MultiplyAdd(MatrixSigns),
    /// A number, which all components of the result get.
    Fill,
    /// A matrix, of which only the type matters. The result is the number of components that each work-item has.
    Length,
    /// A matrix, and the i32 number of a component of the work-item.
    Extract,
    /// A matrix, a number, and the i32 number of a component of the work-item. The result is the changed matrix.
    Insert,
    /// A matrix and a number, by which all components are multiplied.
    Scale,
    /// Matrices of one shape, component by component.
    Each(MatrixEach),
}

/// Operations on each component of one or two matrices, under the names of SPIR-V and of the IR's operations.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum MatrixEach {
    // Two operands, of the type of the result.
    IAdd,
    ISub,
    IMul,
    SDiv,
    UDiv,
    FAdd,
    FSub,
    FMul,
    FDiv,
    // One operand, of the type of the result.
    INeg,
    FNeg,
    // One operand, whose components are converted.
    Trunc,
    ZExt,
    SExt,
    FConvert,
    FToS,
    FToU,
    SToF,
    UToF,
    Bitcast,
}

impl MatrixEach {
    /// Returns the number of operands.
    pub fn operands(self) -> usize {
        match self {
            MatrixEach::IAdd
            | MatrixEach::ISub
            | MatrixEach::IMul
            | MatrixEach::SDiv
            | MatrixEach::UDiv
            | MatrixEach::FAdd
            | MatrixEach::FSub
            | MatrixEach::FMul
            | MatrixEach::FDiv => 2,
            MatrixEach::INeg
            | MatrixEach::FNeg
            | MatrixEach::Trunc
            | MatrixEach::ZExt
            | MatrixEach::SExt
            | MatrixEach::FConvert
            | MatrixEach::FToS
            | MatrixEach::FToU
            | MatrixEach::SToF
            | MatrixEach::UToF
            | MatrixEach::Bitcast => 1,
        }
    }
}

impl MatrixOp {
    /// Returns whether a work-item executes the operation on its own, and it depends only on the operands.
    pub fn is_local(self) -> bool {
        matches!(self, MatrixOp::Length | MatrixOp::Extract | MatrixOp::Insert)
    }

    /// Returns whether the operation accesses memory, by its first operand.
    pub fn accesses_memory(self) -> bool {
        matches!(self, MatrixOp::Load(_) | MatrixOp::Store(_))
    }
}

/// A sampler's properties, encoded as the CLK_ macros define them (6.12.14.1): bit 0 is set for normalized
/// coordinates, bits 1-3 hold the addressing mode, bits 4-5 the filter. `LiteralSampler` of the reflection
/// uses the same encoding.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SamplerMask(pub u32);

impl SamplerMask {
    /// The bit for normalized coordinates.
    pub const NORMALIZED: u32 = 1;
    /// The bits of the addressing mode.
    pub const ADDRESS_BITS: u32 = 0xe;
    /// CLK_ADDRESS_NONE.
    pub const ADDRESS_NONE: u32 = 0;
    /// CLK_ADDRESS_CLAMP_TO_EDGE.
    pub const ADDRESS_EDGE: u32 = 2;
    /// CLK_ADDRESS_CLAMP.
    pub const ADDRESS_CLAMP: u32 = 4;
    /// CLK_ADDRESS_REPEAT.
    pub const ADDRESS_REPEAT: u32 = 6;
    /// CLK_ADDRESS_MIRRORED_REPEAT.
    pub const ADDRESS_MIRRORED: u32 = 8;
    /// CLK_FILTER_NEAREST.
    pub const NEAREST: u32 = 0x10;
    /// CLK_FILTER_LINEAR.
    pub const LINEAR: u32 = 0x20;
    /// All bits that have a meaning.
    pub const ALL_BITS: u32 = 0x3f;

    /// Returns whether the coordinates are normalized.
    pub fn normalized(self) -> bool {
        self.0 & Self::NORMALIZED != 0
    }
    /// Returns the addressing mode, one of the `ADDRESS_` values.
    pub fn address(self) -> u32 {
        self.0 & Self::ADDRESS_BITS
    }
    /// Returns whether the filter is linear. A mask without a filter means nearest.
    pub fn linear(self) -> bool {
        self.0 & Self::LINEAR != 0
    }
}

impl Intrinsic {
    /// Returns whether the operation is one that `select_arithmetic` replaces.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Intrinsic::DeviceHas(_)
                | Intrinsic::MultiplyAdd
                | Intrinsic::RoughDivide
                | Intrinsic::RoundedSqrt
        )
    }

    /// Returns whether an unused call must be kept and two equal calls must not be merged.
    #[allow(clippy::too_many_lines, reason = "a table of all intrinsics")]
    pub fn has_side_effects(self) -> bool {
        match self {
            Intrinsic::Matrix(op) => !op.is_local(),
            Intrinsic::Barrier(_)
            | Intrinsic::Fence(_)
            | Intrinsic::FloatAtomic(_)
            | Intrinsic::ReadClock(_)
            // The set of participating work-items depends on the position in the code.
            | Intrinsic::SubgroupBarrier(_)
            | Intrinsic::SubgroupAll
            | Intrinsic::SubgroupAny
            | Intrinsic::SubgroupBallot
            | Intrinsic::SubgroupBroadcast
            | Intrinsic::SubgroupShuffle
            | Intrinsic::SubgroupShuffleXor
            | Intrinsic::SubgroupArith(..)
            | Intrinsic::Atomic(_)
            | Intrinsic::Printf
            | Intrinsic::ReportFinding
            | Intrinsic::MemberIndex
            | Intrinsic::CopyBegins
            | Intrinsic::CopiesEnd
            | Intrinsic::Prefetch
            | Intrinsic::LoadImage(..)
            | Intrinsic::LoadFormat(..)
            | Intrinsic::WriteImage(..) => true,
            Intrinsic::GlobalId
            | Intrinsic::LocalId
            | Intrinsic::GroupId
            | Intrinsic::GlobalSize
            | Intrinsic::LocalSize
            | Intrinsic::EnqueuedLocalSize
            | Intrinsic::NumGroups
            | Intrinsic::GlobalOffset
            | Intrinsic::WorkDim
            | Intrinsic::WorkgroupId
            | Intrinsic::LocalInvocationId
            | Intrinsic::WorkgroupSize
            | Intrinsic::DeviceLocalId
            | Intrinsic::DeviceGroupSize
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
            | Intrinsic::DeviceHas(_)
            | Intrinsic::MultiplyAdd
            | Intrinsic::RoughDivide
            | Intrinsic::RoundedSqrt
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
            | Intrinsic::PackedDot(_)
            | Intrinsic::PackedDotAccSat(_)
            | Intrinsic::UnpackHalf2x16
            | Intrinsic::PackHalf2x16
            | Intrinsic::PointerTag
            | Intrinsic::ArgumentMemory
            | Intrinsic::IsAllocated
            // A kernel cannot write an image that these operations read (6.6), so the texels do not change.
            | Intrinsic::ReadImage(..)
            | Intrinsic::SampleImage(..)
            | Intrinsic::FetchImage(..)
            | Intrinsic::ImageSize(_)
            | Intrinsic::ChannelOrder
            | Intrinsic::ChannelDataType
            | Intrinsic::SamplerProperties => false,
        }
    }
}
