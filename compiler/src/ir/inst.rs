//! Instructions.

use super::{Func, Global, Region, Ty, ValueList};
use crate::entity;
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::source::Span;

entity! {
    /// An instruction of a function. Structured instructions are the targets of `Exit` and `Repeat`.
    Inst, "i"
}

/// Two operands and one result of the same type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    IAdd,
    ISub,
    IMul,
    SDiv,
    UDiv,
    /// Sign of the dividend (C's `%`).
    SRem,
    URem,
    /// Shift count is taken modulo the width (OpenCL 1.2 6.3.j).
    Shl,
    AShr,
    LShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// Sign of the dividend, C's fmod; imprecise where the target's is.
    FRem,
}

/// One operand, result of the same type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    INeg,
    Not,
    FNeg,
}

/// Comparisons: operands of one type (integers, floats, bools for IEq/INe, pointers of one space), result
/// `Bool` of the same lanes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    IEq,
    INe,
    SLt,
    SLe,
    SGt,
    SGe,
    ULt,
    ULe,
    UGt,
    UGe,
    /// Ordered: false if either operand is NaN.
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    /// Unordered: true if either operand is NaN. C's `!=`.
    FUNe,
    FUEq,
    FULt,
    FULe,
    FUGt,
    FUGe,
}

/// Conversions; result lanes equal operand lanes except for `Bitcast`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// Integer to narrower integer.
    Trunc,
    /// Integer, or Bool, to wider integer.
    ZExt,
    /// Integer, or Bool (true is all ones), to wider integer.
    SExt,
    /// Float to float, round to nearest even.
    FConvert,
    /// Round toward zero; undefined out of range.
    FToS,
    FToU,
    /// Round to nearest even.
    SToF,
    UToF,
    /// Same total bits; not for Bool or pointers.
    Bitcast,
    /// Pointer to I64.
    PtrToInt,
    /// I64 to pointer.
    IntToPtr,
    /// Pointer to another address space, same bits (only Global <-> Constant).
    PtrCast,
}

/// Liberties on floating-point results.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FpFlags {
    /// May be fused with a neighbour (FP_CONTRACT ON). Otherwise emitted with NoContraction.
    pub contract: bool,
    /// Neither operands nor results are infinite or NaN (-cl-finite-math-only).
    pub finite: bool,
    /// The sign of a zero does not matter (-cl-no-signed-zeros).
    pub no_signed_zeros: bool,
    /// May be computed in another way that is equal for real numbers (-cl-unsafe-math-optimizations).
    pub fast: bool,
}

/// What the source asks for a loop (`#pragma unroll`, `opencl_unroll_hint`).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Unroll {
    /// Nothing.
    #[default]
    Unsaid,
    /// Not to be unrolled.
    Never,
    /// As far as possible.
    Full,
    /// This many iterations in one; at least 2.
    By(u32),
    /// Not asked for: several iterations are one already, or it does the few that are left of that.
    Done,
}

/// How memory is accessed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Guaranteed alignment in bytes, a power of two.
    pub align: u32,
    pub volatile: bool,
}

/// What `lower_memory` turns pointers into. The location operands of an access depend on it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// One operand: a 64-bit device address (I64). Any storable type but pointers.
    Physical,
    /// The kernel's work-group memory, an array of elements of this type (the same in the whole kernel). One
    /// operand: the index of an element (I32). The accessed type is the element type.
    Arena(Ty),
    /// Two operands: a [`Op::Variable`]'s pointer, the index of an element (I32). The accessed type is the
    /// element type.
    Variable,
    /// The push-constant block as an array of words. One operand: the index of a word (I32). Type I32, read only.
    PushWord,
    /// The argument buffer as an array of words; as `PushWord`.
    ArgsWord,
    /// Descriptor ABI: memory of the kernel's [`super::KernelAbi::objects`] of that number, an array of elements of
    /// this type. One operand: the index of an element (I32). The accessed type is the element type. A buffer of an
    /// argument: the same in all accesses, or several types over the same bytes.
    Buffer(u32, Ty),
    /// The same of memory of the work-group.
    Shared(u32, Ty),
    /// The same of memory that nobody writes while kernels run.
    ReadOnly(u32, Ty),
}

impl Storage {
    /// How many operands say where.
    pub fn operands(self) -> usize {
        match self {
            Storage::Variable => 2,
            Storage::Physical
            | Storage::Arena(_)
            | Storage::PushWord
            | Storage::ArgsWord
            | Storage::Buffer(..)
            | Storage::Shared(..)
            | Storage::ReadOnly(..) => 1,
        }
    }
}

/// What an instruction does. Operands are in [`InstData::args`], listed here in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Binary(BinOp),
    Unary(UnOp),
    Compare(CmpOp),
    Cast(CastOp),
    /// Bool (or Bool vector of the result's lanes), value if true, value if false.
    Select,
    /// Scalars and vectors, concatenated to the result vector.
    Construct,
    /// A scalar to all lanes.
    Splat,
    /// Vector; constant lane.
    Extract(u8),
    /// Vector, I32 lane; undefined out of range.
    ExtractDynamic,
    /// Vector, scalar; constant lane.
    Insert(u8),
    /// Vector, scalar, I32 lane.
    InsertDynamic,
    /// Two vectors of one type; lane numbers in their concatenation, 0xff for an undefined lane.
    Shuffle(Vec<u8>),

    /// Memory in the private space, one per work-item; not in a loop's sense: the same memory at each execution.
    Alloca {
        size: u32,
        align: u32,
    },
    /// Address of a global.
    GlobalAddr(Global),
    /// Pointer, I64 or I32 (sign-extended) offset in bytes.
    PtrAdd,
    /// Pointer; result type says what is read.
    Load(Access),
    /// Pointer, value.
    Store(Access),
    /// Destination, source; constant size in bytes. The ranges are disjoint or equal.
    MemCpy {
        size: u32,
        dst: Access,
        src: Access,
    },
    /// Destination; constant size in bytes.
    MemZero {
        size: u32,
        dst: Access,
    },

    // What `lower_memory` leaves of memory. Afterwards there are no other memory instructions and no pointers
    // but those of `Variable`.
    /// An array in private memory; one per work-item, undefined at first. The result is a private pointer that
    /// is only the first operand of `LoadFrom` and `StoreTo` with `Storage::Variable`.
    Variable {
        elem: Ty,
        count: u32,
    },
    /// Location; result type says what is read.
    LoadFrom(Storage, Access),
    /// Location, value.
    StoreTo(Storage, Access),
    /// Location, then the operands of `Intrinsic::Atomic` behind its pointer. I32 or I64, in `Physical` or an
    /// `Arena` of that type.
    AtomicOn(AtomicOp, Storage),

    /// Arguments as the callee's parameters.
    Call(Func),
    /// The same of a function whose result depends on nothing but its arguments, and that does nothing else. Such
    /// calls remain behind `inline`.
    CallPure(Func),
    Intrinsic(Intrinsic),

    Block,
    Loop,
    If,
    /// One list of values per region but the last, which is the default.
    Switch(Vec<Vec<u64>>),

    /// Values for the results of the target.
    Exit(Inst),
    /// Values for the region arguments of the target loop.
    Repeat(Inst),
    /// At most one value.
    Return,
    Unreachable,
}

impl Op {
    /// Whether it ends a region.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Exit(_) | Op::Repeat(_) | Op::Return | Op::Unreachable)
    }
    /// Whether it owns regions.
    pub fn is_structured(&self) -> bool {
        matches!(self, Op::Block | Op::Loop | Op::If | Op::Switch(_))
    }
}

/// One instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct InstData {
    pub op: Op,
    pub args: ValueList,
    /// At most one for non-structured instructions.
    pub results: ValueList,
    /// Owned regions of structured instructions.
    pub regions: Vec<Region>,
    pub fp: FpFlags,
    /// Of loops only.
    pub unroll: Unroll,
    pub span: Span,
}

/// Type of the result of an instruction whose type follows from its operands' types.
///
/// `None` for ops whose result type is stated at creation (casts, loads, calls, shuffles, structured ops).
pub fn derived_type(op: &Op, arg_types: &[Ty]) -> Option<Ty> {
    match op {
        Op::Binary(_) | Op::Unary(_) | Op::PtrAdd | Op::Insert(_) | Op::InsertDynamic => Some(arg_types[0]),
        Op::Compare(_) => Some(Ty::vector(super::Scalar::Bool, arg_types[0].lanes)),
        Op::Select => Some(arg_types[1]),
        Op::Extract(_) | Op::ExtractDynamic => Some(Ty::of(arg_types[0].scalar)),
        Op::Shuffle(mask) => Some(Ty::vector(arg_types[0].scalar, mask.len() as u8)),
        Op::Alloca { .. } | Op::Variable { .. } => Some(Ty::ptr(super::AddressSpace::Private)),
        Op::Cast(_)
        | Op::Construct
        | Op::Splat
        | Op::GlobalAddr(_)
        | Op::Load(_)
        | Op::Store(_)
        | Op::MemCpy { .. }
        | Op::MemZero { .. }
        | Op::LoadFrom(..)
        | Op::StoreTo(..)
        | Op::AtomicOn(..)
        | Op::Call(_)
        | Op::CallPure(_)
        | Op::Intrinsic(_)
        | Op::Block
        | Op::Loop
        | Op::If
        | Op::Switch(_)
        | Op::Exit(_)
        | Op::Repeat(_)
        | Op::Return
        | Op::Unreachable => None,
    }
}
