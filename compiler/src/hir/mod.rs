//! The typed tree between `sema` and `lower_hir`.
//!
//! What is true of it: every name is resolved, every expression has a type, every implicit conversion of
//! OpenCL C 1.2 chapter 6 is an explicit [`ExprKind::Convert`] or [`ExprKind::Splat`], constants are folded
//! where C requires a constant, built-in functions are calls of library functions or intrinsics, and there is
//! no error left to report but a device limit.
//!
//! Values and places are different things: an [`Expr`] is a value (of any type but arrays and functions), a
//! [`Place`] is memory. Reading memory is [`ExprKind::Load`]; an array used as a value is
//! [`ExprKind::AddrOf`] its first element.

use crate::entity;
use crate::intrinsic::Intrinsic;
pub use crate::ir::Linkage;
use crate::ir::entity::Map;
use crate::source::Span;

mod print;
pub mod ty;

pub use ty::{Record, RecordId, Scalar, Space, Type, TypeId, Types};

entity! {
    /// A function.
    FuncId, "fn"
}
entity! {
    /// A program-scope `__constant` variable (or string literal), or a `__local` variable of a kernel.
    GlobalId, "global"
}
entity! {
    /// A variable or parameter of a function in private memory.
    LocalId, "local"
}
entity! {
    /// A label of a function.
    LabelId, "label"
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub types: Types,
    pub functions: Map<FuncId, Function>,
    pub globals: Map<GlobalId, GlobalVar>,
    /// In source order.
    pub kernels: Vec<Kernel>,
    /// printf format strings and the string literals that its `%s` arguments name, by id.
    pub strings: Vec<Vec<u8>>,
}

/// A variable with static lifetime.
#[derive(Clone, Debug)]
pub struct GlobalVar {
    pub name: String,
    pub ty: TypeId,
    /// `Constant` or `Local`.
    pub space: Space,
    /// Bytes; at least the type's, more with `aligned`.
    pub align: u32,
    pub init: Option<ConstData>,
    pub span: Span,
}

/// An initializer that is known at compile time, laid out as the target lays memory out (little-endian).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstData {
    pub bytes: Vec<u8>,
    /// (offset of an 8-byte pointer, variable, byte offset in it).
    pub relocations: Vec<(u32, GlobalId, u64)>,
}

/// What a kernel is beyond its function.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub func: FuncId,
    /// Parameter type as clGetKernelArgInfo prints it, and its qualifiers.
    pub args: Vec<KernelArg>,
    pub required_size: Option<[u32; 3]>,
    pub size_hint: Option<[u32; 3]>,
    /// As CL_KERNEL_ATTRIBUTES prints them.
    pub attributes: String,
}

/// See clGetKernelArgInfo (OpenCL 1.2 5.7.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    pub name: String,
    pub type_name: String,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    /// For images: `Some(write)`.
    pub image_write: Option<bool>,
}

/// A function, defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// Parameters are the first locals, in order.
    pub params: Vec<LocalId>,
    pub ret: TypeId,
    pub locals: Map<LocalId, Local>,
    pub labels: Map<LabelId, String>,
    /// `None`: declared, defined in another object (clLinkProgram).
    pub body: Option<Vec<Stmt>>,
    pub is_kernel: bool,
    /// From the built-in library.
    pub is_library: bool,
    pub linkage: Linkage,
    pub span: Span,
}

/// A variable in private memory.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub ty: TypeId,
    pub align: u32,
    pub is_volatile: bool,
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Evaluated for its effects.
    Expr(Expr),
    /// A declaration is executed: the variable's bytes are set.
    Init(LocalId, Init),
    Block(Vec<Stmt>),
    /// Condition: type `Bool`, as everywhere below.
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    /// Body runs, then `step`, until `cond` (absent: forever) is false; `test_first` is false for do-while.
    /// `continue` goes to `step`.
    Loop {
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
        test_first: bool,
        unroll: Option<u32>,
    },
    /// `value` is an int, uint, long or ulong; `body` contains `Case` and `Default`, at any depth, as C allows.
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// A jump target of the innermost switch for values in `lo..=hi` (as bits of the switch's type).
    Case {
        lo: u64,
        hi: u64,
    },
    Default,
    Label(LabelId),
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// How memory is initialized.
#[derive(Clone, Debug)]
pub struct Init {
    /// All bytes are zero first (an aggregate with fewer initializers than members).
    pub zero: bool,
    /// Then these values, in order, at byte offsets from the start.
    pub stores: Vec<(u32, Expr)>,
}

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

/// Arithmetic on two operands of the result's type (shift counts too, converted; lane by lane on vectors).
/// Signedness and float or not follow from the type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// The count is taken modulo the width.
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

/// Comparison of two operands of one type: scalars, pointers, vectors.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Conversions between the operand's type and the expression's.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Convert {
    /// Between integer, floating-point and bool scalars, or vectors of equal lanes: C's conversion (float to
    /// integer toward zero, to float to nearest even, to `Bool` by comparison with zero, `Bool` to 0 or 1).
    Numeric,
    /// `as_typen`: equal sizes (3- and 4-lane vectors count as equal).
    Bits,
    PointerToInt,
    IntToPointer,
    /// Other pointee, same space or Global <-> Constant.
    Pointer,
    /// Pointer to `Bool`: is not null.
    PointerToBool,
    /// Vector comparison's `Bool` lanes to 0 / -1 of an integer vector.
    Mask,
}

/// Kinds of values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Scalar, or vector, as raw bits of each lane (zero-extended); pointers too (null is 0).
    Const(Vec<u64>),
    /// The bytes of a place, as a value: also whole structs.
    Load(Box<Place>),
    /// Type: pointer to the place's type, or for arrays to its element.
    AddrOf(Box<Place>),
    /// `-`
    Neg(Box<Expr>),
    /// `~`
    BitNot(Box<Expr>),
    /// `!` of a `Bool`.
    Not(Box<Expr>),
    Binary {
        op: BinOp,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
        contract: bool,
    },
    /// Type: `Bool`, or for vectors a vector of `Bool` (always under a `Convert::Mask`).
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// Both of type `Bool`, short-circuit.
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// Scalar condition of type `Bool`; only one arm is evaluated. Types equal, or void.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Vector `?:` and `select` with the condition as a vector of `Bool`: all operands are evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    Convert(Convert, Box<Expr>),
    /// Scalar to all lanes.
    Splat(Box<Expr>),
    /// Scalars and vectors, concatenated.
    Vector(Vec<Expr>),
    /// Lanes of a vector value; one lane gives a scalar.
    Swizzle(Box<Expr>, Vec<u8>),
    /// Pointer ± index (a signed or unsigned 64-bit integer, scaled by the pointee's size).
    PointerAdd {
        ptr: Box<Expr>,
        index: Box<Expr>,
        negate: bool,
    },
    /// Difference in elements, type long.
    PointerDiff(Box<Expr>, Box<Expr>),
    /// The value is the stored one. Structs too.
    Assign(Box<Place>, Box<Expr>),
    /// `place = convert(convert(place) op rhs)`; the place is evaluated once. `compute` is the type of the
    /// operation (rhs has it already, except that pointers take a 64-bit index with `op` Add or Sub).
    CompoundAssign {
        place: Box<Place>,
        op: BinOp,
        rhs: Box<Expr>,
        compute: TypeId,
        contract: bool,
    },
    /// `++` and `--`: `post` gives the old value.
    IncDec {
        place: Box<Place>,
        decrement: bool,
        post: bool,
    },
    Call(FuncId, Vec<Expr>),
    Intrinsic(Intrinsic, Vec<Expr>),
    /// The first is evaluated for its effects.
    Comma(Box<Expr>, Box<Expr>),
    /// Statements, then the value (GNU statement expressions).
    StmtExpr(Vec<Stmt>, Option<Box<Expr>>),
}

/// Memory.
#[derive(Clone, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    /// Type of the object; may be an array.
    pub ty: TypeId,
    pub space: Space,
    pub is_volatile: bool,
    pub span: Span,
}

/// Kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    Local(LocalId),
    Global(GlobalId),
    /// `*ptr`; the alignment is that of the type unless stated (vload).
    Deref {
        ptr: Box<Expr>,
        align: Option<u32>,
    },
    /// A member at a byte offset.
    Member {
        base: Box<Place>,
        offset: u32,
    },
    /// An array element; the index is a 64-bit integer.
    Index {
        base: Box<Place>,
        index: Box<Expr>,
    },
    /// Lanes of a vector in memory, `v.xz`: may be assigned if no lane repeats. One lane is a scalar place.
    Lanes {
        base: Box<Place>,
        lanes: Vec<u8>,
    },
    /// `v[i]` on a vector in memory.
    DynamicLane {
        base: Box<Place>,
        index: Box<Expr>,
    },
    /// A fresh private object that holds a value: a compound literal, or a function's struct result.
    Temporary(Box<Expr>),
    /// A compound literal or other unnamed object: initialized when evaluated.
    Literal(LocalId, Box<Init>),
}
