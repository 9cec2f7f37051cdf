//! Instructions.

use super::{Func, Global, Matrix, Region, Ty, ValueList};
use crate::entity;
use crate::intrinsic::{AtomicOp, Intrinsic, MatrixEach, MatrixLayout, MatrixMemory};
use crate::source::Span;

entity! {
    /// An instruction of a function. The targets of `Exit` and `Repeat` are structured instructions.
    Inst, "i"
}

/// Operations with two operands and one result of the same type. They are named after the SPIR-V
/// instructions: `I` is any integer, `S` signed, `U` unsigned, `F` floating-point.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    IAdd,
    ISub,
    IMul,
    SDiv,
    UDiv,
    /// The remainder has the sign of the dividend (C's `%`).
    SRem,
    URem,
    /// The shift count is taken modulo the width (OpenCL 1.2 6.3.j).
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
    /// The remainder has the sign of the dividend, as C's fmod. It is as inexact as the target's operation.
    FRem,
}

impl BinOp {
    /// Returns whether exchanging the operands keeps the result.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            BinOp::IAdd | BinOp::IMul | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::FAdd | BinOp::FMul
        )
    }
}

/// Operations with one operand and a result of the same type, named after the SPIR-V instructions.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    INeg,
    Not,
    FNeg,
}

/// Comparisons, named after the SPIR-V instructions. The operands have the same type (integers, floats, Bools
/// for IEq and INe, pointers to the same address space). The result is `Bool` with the same number of lanes.
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
    /// Ordered comparisons are false if an operand is NaN.
    FOEq,
    FONe,
    FOLt,
    FOLe,
    FOGt,
    FOGe,
    /// Unordered comparisons are true if an operand is NaN. `FUNe` is C's `!=`.
    FUNe,
    FUEq,
    FULt,
    FULe,
    FUGt,
    FUGe,
}

impl CmpOp {
    /// Returns the comparison that is true where this one is false.
    #[must_use]
    pub fn inverse(self) -> CmpOp {
        match self {
            CmpOp::IEq => CmpOp::INe,
            CmpOp::INe => CmpOp::IEq,
            CmpOp::SLt => CmpOp::SGe,
            CmpOp::SLe => CmpOp::SGt,
            CmpOp::SGt => CmpOp::SLe,
            CmpOp::SGe => CmpOp::SLt,
            CmpOp::ULt => CmpOp::UGe,
            CmpOp::ULe => CmpOp::UGt,
            CmpOp::UGt => CmpOp::ULe,
            CmpOp::UGe => CmpOp::ULt,
            CmpOp::FOEq => CmpOp::FUNe,
            CmpOp::FONe => CmpOp::FUEq,
            CmpOp::FOLt => CmpOp::FUGe,
            CmpOp::FOLe => CmpOp::FUGt,
            CmpOp::FOGt => CmpOp::FULe,
            CmpOp::FOGe => CmpOp::FULt,
            CmpOp::FUNe => CmpOp::FOEq,
            CmpOp::FUEq => CmpOp::FONe,
            CmpOp::FULt => CmpOp::FOGe,
            CmpOp::FULe => CmpOp::FOGt,
            CmpOp::FUGt => CmpOp::FOLe,
            CmpOp::FUGe => CmpOp::FOLt,
        }
    }

    /// Returns the comparison that has the same result with its operands swapped.
    #[must_use]
    pub fn swapped(self) -> CmpOp {
        match self {
            CmpOp::SLt => CmpOp::SGt,
            CmpOp::SLe => CmpOp::SGe,
            CmpOp::SGt => CmpOp::SLt,
            CmpOp::SGe => CmpOp::SLe,
            CmpOp::ULt => CmpOp::UGt,
            CmpOp::ULe => CmpOp::UGe,
            CmpOp::UGt => CmpOp::ULt,
            CmpOp::UGe => CmpOp::ULe,
            CmpOp::FOLt => CmpOp::FOGt,
            CmpOp::FOLe => CmpOp::FOGe,
            CmpOp::FOGt => CmpOp::FOLt,
            CmpOp::FOGe => CmpOp::FOLe,
            CmpOp::FULt => CmpOp::FUGt,
            CmpOp::FULe => CmpOp::FUGe,
            CmpOp::FUGt => CmpOp::FULt,
            CmpOp::FUGe => CmpOp::FULe,
            CmpOp::IEq | CmpOp::INe | CmpOp::FOEq | CmpOp::FONe | CmpOp::FUNe | CmpOp::FUEq => self,
        }
    }
}

/// Conversions. The result has as many lanes as the operand, except for `Bitcast`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// Integer to narrower integer.
    Trunc,
    /// Integer, or Bool, to wider integer.
    ZExt,
    /// Integer, or Bool (true is all ones), to wider integer.
    SExt,
    /// Float to float, rounded to nearest even.
    FConvert,
    /// Float to integer, rounded toward zero; undefined if the value is out of range.
    FToS,
    FToU,
    /// Integer to float, rounded to nearest even.
    SToF,
    UToF,
    /// Reinterprets the bits; the total number of bits is equal. Neither type is Bool or a pointer.
    Bitcast,
    /// Pointer to I64.
    PtrToInt,
    /// I64 to pointer.
    IntToPtr,
    /// Pointer to another address space: between Global and Constant, with the same bits; to Generic from one of
    /// its spaces; from Generic to one of its spaces, undefined if the pointer leads elsewhere, unless it is NULL.
    PtrCast,
}

/// How far a floating-point result may differ from the exact IEEE 754 operation.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FpFlags {
    /// The operation may be fused with a neighbouring one (FP_CONTRACT ON). If not, it is emitted with
    /// NoContraction.
    pub contract: bool,
    /// Neither operands nor results are infinite or NaN (-cl-finite-math-only).
    pub finite: bool,
    /// The sign of a zero does not matter (-cl-no-signed-zeros).
    pub no_signed_zeros: bool,
    /// The result may be computed by another expression that is equal for real numbers
    /// (-cl-unsafe-math-optimizations).
    pub fast: bool,
    /// A quotient of f32 may have an error of 2.5 ulp (OpenCL C 1.2 7.4). A sum, difference or product of f32 that may
    /// not be fused may treat subnormal numbers as zeros (7.5.3). `select_arithmetic` uses and clears the flag.
    pub loose: bool,
}

/// What the source requests for a loop (`#pragma unroll`, `opencl_unroll_hint`).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Unroll {
    /// The source requests nothing.
    #[default]
    Unsaid,
    /// The loop must not be unrolled.
    Never,
    /// The loop is to be unrolled completely, as far as possible.
    Full,
    /// The loop is to be unrolled by this factor, which is at least 2.
    By(u32),
    /// No request from the source: the loop is the result of unrolling, or the remainder loop for the
    /// iterations that are left.
    Done,
}

/// How memory is accessed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Guaranteed alignment in bytes, a power of two.
    pub align: u32,
    /// Whether the access is volatile: it must be neither removed, nor duplicated, nor moved.
    pub volatile: bool,
}

impl Access {
    /// Returns the guaranteed alignment in bytes at an offset in bytes from the accessed address.
    pub fn align_at(self, offset: u32) -> u32 {
        if offset == 0 {
            self.align
        } else {
            self.align.min(1 << offset.trailing_zeros())
        }
    }

    /// Returns the access to a part of the accessed memory, at an offset in bytes.
    #[must_use]
    pub fn at_offset(self, offset: u32) -> Access {
        Access {
            align: self.align_at(offset),
            ..self
        }
    }
}

/// The form of memory that `lower_memory` turns pointers into. It determines the location operands of an
/// access.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// One operand: a 64-bit device address, an I64 or a vector of two I32s, the low word first. The accessed type is any
    /// storable type except pointers.
    Physical,
    /// The kernel's work-group memory, except for that of `Shared`, as an array of elements of this type. A kernel
    /// may use arrays of several types, which cover the same bytes, if the target has [`crate::target::Target::workgroup_layout`].
    /// One operand: the index of an element (I32). The accessed type is the element type.
    Arena(Ty),
    /// Two operands: the pointer of an [`Op::Variable`], and the index of an element (I32). The accessed type
    /// is the element type.
    Variable,
    /// The push-constant block as an array of words, which is read-only. One operand: the index of a word
    /// (I32). The accessed type is I32.
    PushWord,
    /// The argument buffer as an array of words, accessed as `PushWord`.
    ArgsWord,
    /// Descriptor ABI: the memory object with this number in [`super::KernelAbi::objects`], as an array of
    /// elements of this type. One operand: the index of an element (I32). The accessed type is the element
    /// type. All accesses to the buffer of an argument use one element type, or there are several types that
    /// cover the same bytes.
    Buffer(u32, Ty),
    /// The same as `Buffer`, for work-group memory, also under the physical ABI. All accesses use one element type.
    Shared(u32, Ty),
    /// The same as `Buffer`, for memory that nobody writes while kernels run.
    ReadOnly(u32, Ty),
}

impl Storage {
    /// Returns the number of operands that give the location.
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

    /// Returns the element type of an array, except for that of a private variable, which its instruction names.
    pub fn element(self) -> Option<Ty> {
        match self {
            Storage::Arena(elem)
            | Storage::Buffer(_, elem)
            | Storage::Shared(_, elem)
            | Storage::ReadOnly(_, elem) => Some(elem),
            Storage::Physical | Storage::Variable | Storage::PushWord | Storage::ArgsWord => None,
        }
    }
}

/// A load or store of a cooperative matrix.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatrixAccess {
    /// Whether the matrix is stored.
    pub stores: bool,
    /// How it is accessed.
    pub memory: MatrixMemory,
    /// The type of the elements of the array that contains them. Its size may differ from that of a component.
    pub element: Ty,
}

impl From<MatrixEach> for Op {
    /// Returns the operation on one component.
    fn from(each: MatrixEach) -> Op {
        match each {
            MatrixEach::IAdd => Op::Binary(BinOp::IAdd),
            MatrixEach::ISub => Op::Binary(BinOp::ISub),
            MatrixEach::IMul => Op::Binary(BinOp::IMul),
            MatrixEach::SDiv => Op::Binary(BinOp::SDiv),
            MatrixEach::UDiv => Op::Binary(BinOp::UDiv),
            MatrixEach::FAdd => Op::Binary(BinOp::FAdd),
            MatrixEach::FSub => Op::Binary(BinOp::FSub),
            MatrixEach::FMul => Op::Binary(BinOp::FMul),
            MatrixEach::FDiv => Op::Binary(BinOp::FDiv),
            MatrixEach::INeg => Op::Unary(UnOp::INeg),
            MatrixEach::FNeg => Op::Unary(UnOp::FNeg),
            MatrixEach::Trunc => Op::Cast(CastOp::Trunc),
            MatrixEach::ZExt => Op::Cast(CastOp::ZExt),
            MatrixEach::SExt => Op::Cast(CastOp::SExt),
            MatrixEach::FConvert => Op::Cast(CastOp::FConvert),
            MatrixEach::FToS => Op::Cast(CastOp::FToS),
            MatrixEach::FToU => Op::Cast(CastOp::FToU),
            MatrixEach::SToF => Op::Cast(CastOp::SToF),
            MatrixEach::UToF => Op::Cast(CastOp::UToF),
            MatrixEach::Bitcast => Op::Cast(CastOp::Bitcast),
        }
    }
}

impl MatrixAccess {
    /// Returns the bytes that the addresses of the rows of a matrix are multiples of, or those of its columns. Vulkan
    /// requires it of programs.
    pub fn alignment(matrix: Matrix, memory: MatrixMemory) -> u32 {
        let neighbours = match memory.layout {
            MatrixLayout::Rows => matrix.columns,
            MatrixLayout::Columns => matrix.rows,
        };
        let bytes = u32::from(neighbours) * matrix.scalar().bytes();
        1 << bytes.trailing_zeros().min(4)
    }
}

/// What an instruction does. The comments list its operands, which are in [`InstData::args`], in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Two operands.
    Binary(BinOp),
    /// One operand.
    Unary(UnOp),
    /// Two operands.
    Compare(CmpOp),
    /// One operand.
    Cast(CastOp),
    /// Bool (or Bool vector of the result's lanes), value if true, value if false.
    Select,
    /// Scalars and vectors, which are concatenated to form the result vector.
    Construct,
    /// A scalar, which is copied to all lanes.
    Splat,
    /// A vector; the lane is a constant.
    Extract(u8),
    /// A vector, and the I32 number of a lane; undefined if it is out of range.
    ExtractDynamic,
    /// A vector and a scalar; the lane is a constant.
    Insert(u8),
    /// A vector, a scalar, and the I32 number of a lane.
    InsertDynamic,
    /// Two vectors of the same type. The numbers are those of lanes in their concatenation; 0xff gives an
    /// undefined lane.
    Shuffle(Vec<u8>),

    /// No operands. Memory in the private address space, one object for each work-item. In a loop, every
    /// execution refers to the same memory.
    Alloca { size: u32, align: u32 },
    /// No operands. The address of a global.
    GlobalAddr(Global),
    /// A pointer, and an I64 or I32 offset in bytes; an I32 is sign-extended.
    PtrAdd,
    /// A pointer; the result type determines what is read.
    Load(Access),
    /// A pointer and a value.
    Store(Access),
    /// Destination and source pointers; the size in bytes is a constant. The ranges are disjoint or equal.
    MemCpy { size: u32, dst: Access, src: Access },
    /// A destination pointer; the size in bytes is a constant.
    MemZero { size: u32, dst: Access },

    // The forms into which `lower_memory` turns memory instructions. After that pass, there are no other
    // memory instructions, and no pointers except those of `Variable`.
    /// No operands. An array in private memory, one for each work-item, with undefined initial contents. The
    /// result is a private pointer that is used only as the first operand of `LoadFrom` and `StoreTo` with
    /// `Storage::Variable`.
    Variable { elem: Ty, count: u32 },
    /// A location; the result type determines what is read.
    LoadFrom(Storage, Access),
    /// A location and a value.
    StoreTo(Storage, Access),
    /// A location, then the operands of `Intrinsic::Atomic` after its pointer. The type is I32 or I64, in
    /// `Physical` memory or in an `Arena` of that type.
    AtomicOn(AtomicOp, Storage),
    /// A location, the I32 distance of two rows or columns in elements of the accessed array, and, for a store, the
    /// matrix.
    MatrixOn(MatrixAccess, Storage),

    /// The arguments, as the callee's parameters.
    Call(Func),
    /// A call of a pure function: its result depends only on its arguments, and it has no side effects. Such
    /// calls remain after `inline`.
    CallPure(Func),
    /// The operands that the intrinsic describes.
    Intrinsic(Intrinsic),

    /// No operands. The region is executed once, and exits leave it.
    Block,
    /// The initial values of the region's arguments. The region is repeated until an exit leaves it.
    Loop,
    /// A Bool. The first region is executed if it is true, otherwise the second.
    If,
    /// The operand is the value to switch on. There is one list of case values for each region except the
    /// last, which is the default.
    Switch(Vec<Vec<u64>>),

    /// The values of the target's results.
    Exit(Inst),
    /// The values of the target loop's region arguments.
    Repeat(Inst),
    /// At most one value, the function's result.
    Return,
    /// No operands. Control never reaches it.
    Unreachable,
}

impl Op {
    /// Returns whether the operation ends a region.
    pub fn is_terminator(&self) -> bool {
        matches!(self, Op::Exit(_) | Op::Repeat(_) | Op::Return | Op::Unreachable)
    }
    /// Returns whether the operation owns regions.
    pub fn is_structured(&self) -> bool {
        matches!(self, Op::Block | Op::Loop | Op::If | Op::Switch(_))
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct InstData {
    /// The operation.
    pub op: Op,
    /// The operands.
    pub args: ValueList,
    /// The results; instructions that are not structured have at most one.
    pub results: ValueList,
    /// The regions that a structured instruction owns.
    pub regions: Vec<Region>,
    /// The liberties of a floating-point operation.
    pub fp: FpFlags,
    /// For `IAdd`, `ISub` and `IMul` of scalars only: whenever the instruction is executed, the exact result, of the
    /// operands taken as signed, fits into the type. C's arithmetic of `int` and `long` has the flag (C99 6.5, 5). A
    /// pass that executes an instruction where the program may not execute it, or computes a result from other
    /// operands than before, clears the flag, unless it can show that the same holds there.
    pub no_wrap: bool,
    /// Meaningful for loops only.
    pub unroll: Unroll,
    /// The position in the source.
    pub span: Span,
}

impl InstData {
    /// Returns whether the form of the instruction depends on the device, so that `select_arithmetic` decides it.
    pub fn is_open(&self) -> bool {
        self.fp.loose || matches!(self.op, Op::Intrinsic(i) if i.is_open())
    }

    /// Makes the instruction another one with the same result. What was known of the old operation is forgotten.
    pub fn replace(&mut self, op: Op, args: ValueList) {
        (self.op, self.args) = (op, args);
        self.no_wrap = false;
    }
}

/// Returns the result type of an instruction whose type follows from the types of its operands, and `None`
/// for operations whose result type is stated at creation (casts, loads, calls, shuffles, structured
/// instructions).
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
        | Op::MatrixOn(..)
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
