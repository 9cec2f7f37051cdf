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
}

impl Intrinsic {
    /// Whether removing an unused call, or merging two equal ones, is forbidden.
    pub fn has_side_effects(self) -> bool {
        match self {
            Intrinsic::Barrier(_)
            | Intrinsic::Fence(_)
            | Intrinsic::Atomic(_)
            | Intrinsic::Printf
            | Intrinsic::Prefetch => true,
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
            | Intrinsic::PackHalf2x16 => false,
        }
    }

    /// Whether the operation is a rendezvous of the work-group: it must stay in convergent control flow.
    pub fn is_convergent(self) -> bool {
        matches!(self, Intrinsic::Barrier(_))
    }
}
