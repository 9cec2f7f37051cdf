//! The typed tree between `sema` and `lower_hir`.
//!
//! In this tree every name is resolved, and every expression has a type. Every implicit conversion of OpenCL
//! C 1.2 chapter 6 is an explicit [`ExprKind::Convert`] or [`ExprKind::Splat`]. Constants are folded where C
//! requires a constant, and built-in functions are calls of library functions or intrinsics. The only errors
//! that later stages can still report are device limits.
//!
//! Values and places are distinct: an [`Expr`] is a value (of any type except arrays and functions), and a
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

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub types: Types,
    pub functions: Map<FuncId, Function>,
    pub globals: Map<GlobalId, GlobalVar>,
    /// The kernels in source order.
    pub kernels: Vec<Kernel>,
    /// The format strings of printf and the string literals that its `%s` arguments name, by number.
    pub strings: Vec<Vec<u8>>,
}

/// A variable with static lifetime.
#[derive(Clone, Debug)]
pub struct GlobalVar {
    pub name: String,
    pub ty: TypeId,
    /// The address space, `Constant` or `Local`.
    pub space: Space,
    /// The alignment in bytes: at least that of the type, more with `aligned`.
    pub align: u32,
    pub init: Option<ConstData>,
    pub span: Span,
}

/// An initializer that is known at compile time, in the target's memory layout (little-endian).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstData {
    pub bytes: Vec<u8>,
    /// Pointers to other variables: (offset of the 8-byte pointer, variable, byte offset in the variable).
    pub relocations: Vec<(u32, GlobalId, u64)>,
}

/// The properties of a kernel beyond those of its function.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub func: FuncId,
    /// The parameters as clGetKernelArgInfo reports them.
    pub args: Vec<KernelArg>,
    pub required_size: Option<[u32; 3]>,
    pub size_hint: Option<[u32; 3]>,
    /// The attributes as CL_KERNEL_ATTRIBUTES reports them.
    pub attributes: String,
}

/// A parameter as clGetKernelArgInfo reports it (OpenCL 1.2 5.7.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    pub name: String,
    pub type_name: String,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    /// Whether an image is written; `None` for other parameters.
    pub image_write: Option<bool>,
}

/// A function that is defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    /// The parameters, which are the first locals, in order.
    pub params: Vec<LocalId>,
    pub ret: TypeId,
    pub locals: Map<LocalId, Local>,
    pub labels: Map<LabelId, String>,
    /// The statements; `None` if the function is only declared, and another object defines it
    /// (clLinkProgram).
    pub body: Option<Vec<Stmt>>,
    pub is_kernel: bool,
    /// Whether the function is from the built-in library.
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

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression that is evaluated for its effects.
    Expr(Expr),
    /// The execution of a declaration, which sets the variable's bytes.
    Init(LocalId, Init),
    Block(Vec<Stmt>),
    /// A conditional statement; the condition has type `Bool`, as in the other statements.
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    /// A loop: `body` runs, then `step`, until `cond` is false; without `cond` it runs forever. `test_first`
    /// is false for do-while. `continue` goes to `step`.
    Loop {
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
        test_first: bool,
        unroll: Option<u32>,
    },
    /// A switch on an int, uint, long or ulong. `body` contains `Case` and `Default` at any depth, as C
    /// allows.
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    /// A jump target of the innermost switch, for values in `lo..=hi` (as bits of the switch's type).
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

/// The initialization of memory.
#[derive(Clone, Debug)]
pub struct Init {
    /// Whether all bytes are set to zero first, because an aggregate has fewer initializers than members.
    pub zero: bool,
    /// The values that are stored then, in order, at byte offsets from the start.
    pub stores: Vec<(u32, Expr)>,
}

/// A value.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
    pub span: Span,
}

/// An arithmetic operation. Both operands have the result's type, including shift counts, which are
/// converted. On vectors it works lane by lane. The type determines signedness, and integer or floating-point
/// arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// A shift, whose count is taken modulo the width.
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

/// A comparison of two operands of one type: scalars, pointers or vectors.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CmpOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A conversion from the operand's type to the expression's type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Convert {
    /// C's conversion between integer, floating-point and bool scalars, or vectors of equal lanes. Float to
    /// integer rounds toward zero, conversion to float rounds to nearest even, conversion to `Bool` compares
    /// with zero, and `Bool` becomes 0 or 1.
    Numeric,
    /// `as_typen` between types of equal size; 3- and 4-lane vectors count as equal.
    Bits,
    PointerToInt,
    IntToPointer,
    /// To another pointee, in the same address space or between Global and Constant.
    Pointer,
    /// A pointer to `Bool`: whether it is not null.
    PointerToBool,
    /// The `Bool` lanes of a vector comparison to 0 or -1 in an integer vector.
    Mask,
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant scalar or vector, as the raw bits of each lane (zero-extended), or a pointer (null is 0).
    Const(Vec<u64>),
    /// The value in a place, which may be a whole struct.
    Load(Box<Place>),
    /// The address of a place. Its type is a pointer to the place's type, or for arrays to the element type.
    AddrOf(Box<Place>),
    /// `-`
    Neg(Box<Expr>),
    /// `~`
    BitNot(Box<Expr>),
    /// `!` of a `Bool`
    Not(Box<Expr>),
    Binary {
        op: BinOp,
        lhs: Box<Expr>,
        rhs: Box<Expr>,
        contract: bool,
    },
    /// A comparison of type `Bool`, or for vectors a vector of `Bool`, which is always the operand of a
    /// `Convert::Mask`.
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// `&&` with short-circuit evaluation; the operands and the result have type `Bool`, as for `Or`.
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `?:` with a scalar condition of type `Bool`; only one arm is evaluated. The arms have equal types, or
    /// are void.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Vector `?:` and `select`, with the condition as a vector of `Bool`. All operands are evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    Convert(Convert, Box<Expr>),
    /// A scalar copied to all lanes.
    Splat(Box<Expr>),
    /// The concatenation of scalars and vectors.
    Vector(Vec<Expr>),
    /// Lanes of a vector value; a single lane gives a scalar.
    Swizzle(Box<Expr>, Vec<u8>),
    /// A pointer plus or minus an index (a signed or unsigned 64-bit integer, scaled by the pointee's size).
    PointerAdd {
        ptr: Box<Expr>,
        index: Box<Expr>,
        negate: bool,
    },
    /// The difference of two pointers in elements, of type long.
    PointerDiff(Box<Expr>, Box<Expr>),
    /// An assignment, also of structs; its value is the stored value.
    Assign(Box<Place>, Box<Expr>),
    /// `place = convert(convert(place) op rhs)`, where the place is evaluated once. `compute` is the type of
    /// the operation. `rhs` has this type already; but for a pointer, `rhs` is a 64-bit index and `op` is Add
    /// or Sub.
    CompoundAssign {
        place: Box<Place>,
        op: BinOp,
        rhs: Box<Expr>,
        compute: TypeId,
        contract: bool,
    },
    /// `++` and `--`; with `post` the value is the old one.
    IncDec {
        place: Box<Place>,
        decrement: bool,
        post: bool,
    },
    Call(FuncId, Vec<Expr>),
    Intrinsic(Intrinsic, Vec<Expr>),
    /// The comma operator: the first operand is evaluated for its effects.
    Comma(Box<Expr>, Box<Expr>),
    /// A GNU statement expression: statements, then the value.
    StmtExpr(Vec<Stmt>, Option<Box<Expr>>),
}

/// A location in memory.
#[derive(Clone, Debug)]
pub struct Place {
    pub kind: PlaceKind,
    /// The type of the object, which may be an array.
    pub ty: TypeId,
    pub space: Space,
    pub is_volatile: bool,
    pub span: Span,
}

/// The kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    Local(LocalId),
    Global(GlobalId),
    /// `*ptr`; the alignment is that of the type unless it is stated (vload).
    Deref {
        ptr: Box<Expr>,
        align: Option<u32>,
    },
    /// A member, given by its byte offset.
    Member {
        base: Box<Place>,
        offset: u32,
    },
    /// An array element; the index is a 64-bit integer.
    Index {
        base: Box<Place>,
        index: Box<Expr>,
    },
    /// Lanes of a vector in memory, such as `v.xz`; they can be assigned if no lane repeats. A single lane is
    /// a scalar place.
    Lanes {
        base: Box<Place>,
        lanes: Vec<u8>,
    },
    /// `v[i]` for a vector in memory.
    DynamicLane {
        base: Box<Place>,
        index: Box<Expr>,
    },
    /// A new private object that holds a value: a compound literal, or the struct that a function returns.
    Temporary(Box<Expr>),
    /// A compound literal or other unnamed object, initialized when it is evaluated.
    Literal(LocalId, Box<Init>),
}
