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
use crate::entity::Map;
use crate::intrinsic::Intrinsic;
pub use crate::ir::Linkage;
use crate::source::Span;

mod print;
pub mod ty;
pub(crate) mod value;

pub use ty::{Record, RecordId, Scalar, Space, Type, TypeId, Types};

entity! {
    /// A function.
    FuncId, "fn"
}
entity! {
    /// A variable in constant memory (or a string literal) or in global memory, or a `__local` variable of a kernel.
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
    /// The types and records.
    pub types: Types,
    /// The functions, including those that are only declared.
    pub functions: Map<FuncId, Function>,
    /// The variables with static lifetime.
    pub globals: Map<GlobalId, GlobalVar>,
    /// The kernels in source order.
    pub kernels: Vec<Kernel>,
    /// The format strings of printf and the string literals that its `%s` arguments name, by number.
    pub strings: Vec<Vec<u8>>,
    /// Whether the indices of arrays that are members are compared with their lengths.
    pub checks_members: bool,
}

/// A variable with static lifetime.
#[derive(Clone, Debug)]
pub struct GlobalVar {
    /// The name in the source, or a generated name for a literal.
    pub name: String,
    /// The type of the variable.
    pub ty: TypeId,
    /// The address space, `Constant`, `Global` or `Local`.
    pub space: Space,
    /// The alignment in bytes: at least that of the type, more with `aligned`.
    pub align: u32,
    /// The contents, or for a variable the initial contents. `None` for a `__local` variable, and for a variable that another
    /// object defines.
    pub init: Option<ConstData>,
    /// `Static` if declarations in other objects do not mean this variable.
    pub linkage: Linkage,
    /// The position in the source.
    pub span: Span,
}

/// An initializer that is known at compile time, in the target's memory layout (little-endian).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ConstData {
    /// The bytes from the start of the variable. All further bytes are zero.
    pub bytes: Vec<u8>,
    /// Pointers to other variables: (offset of the 8-byte pointer, variable, byte offset in the variable).
    pub relocations: Vec<(u32, GlobalId, u64)>,
}

/// The properties of a kernel beyond those of its function.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The function of the kernel.
    pub func: FuncId,
    /// The parameters as clGetKernelArgInfo reports them.
    pub args: Vec<KernelArg>,
    /// `reqd_work_group_size`.
    pub required_size: Option<[u32; 3]>,
    /// Work-groups may have different sizes (OpenCL C 2.0, 6.11.1).
    pub uneven: bool,
    /// `work_group_size_hint`.
    pub size_hint: Option<[u32; 3]>,
    /// The size of sub-groups that `intel_reqd_sub_group_size` demands.
    pub subgroup_size: Option<u32>,
    /// The attributes as CL_KERNEL_ATTRIBUTES reports them.
    pub attributes: String,
}

/// A parameter as clGetKernelArgInfo reports it (OpenCL 1.2 5.7.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelArg {
    /// The parameter's name.
    pub name: String,
    /// The parameter's type as it was written, without qualifiers.
    pub type_name: String,
    /// Whether the pointee is const or in the constant address space.
    pub is_const: bool,
    /// Whether the pointee is volatile.
    pub is_volatile: bool,
    /// Whether the pointer is restrict.
    pub is_restrict: bool,
}

/// A function that is defined or only declared.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name in the source, with a suffix for overloads.
    pub name: String,
    /// The parameters, which are the first locals, in order.
    pub params: Vec<LocalId>,
    /// The type of the result.
    pub ret: TypeId,
    /// The parameters and variables.
    pub locals: Map<LocalId, Local>,
    /// The labels with their names in the source.
    pub labels: Map<LabelId, String>,
    /// The statements; `None` if the function is only declared, and another object defines it
    /// (clLinkProgram).
    pub body: Option<Vec<Stmt>>,
    /// Whether the function is a kernel.
    pub is_kernel: bool,
    /// Whether the function is from the built-in library.
    pub is_library: bool,
    /// The visibility of the name to other objects.
    pub linkage: Linkage,
    /// The position in the source.
    pub span: Span,
}

/// A variable in private memory.
#[derive(Clone, Debug)]
pub struct Local {
    /// The name in the source.
    pub name: String,
    /// The type of the variable.
    pub ty: TypeId,
    /// The alignment in bytes.
    pub align: u32,
    /// Whether the variable is volatile.
    pub is_volatile: bool,
    /// The position in the source.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The statement itself.
    pub kind: StmtKind,
    /// The position in the source.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression that is evaluated for its effects.
    Expr(Expr),
    /// The execution of a declaration, which sets the variable's bytes.
    Init(LocalId, Init),
    /// Statements in order.
    Block(Vec<Stmt>),
    /// A conditional statement; the condition has type `Bool`, as in the other statements.
    If {
        /// The condition.
        cond: Expr,
        /// The statement for a true condition.
        then: Box<Stmt>,
        /// The statement for a false condition.
        otherwise: Option<Box<Stmt>>,
    },
    /// A loop: `body` runs, then `step`, until `cond` is false; without `cond` it runs forever. `test_first`
    /// is false for do-while. `continue` goes to `step`.
    Loop {
        /// The condition, tested before or after each iteration.
        cond: Option<Expr>,
        /// The expression that is evaluated after each iteration.
        step: Option<Expr>,
        /// The body of the loop.
        body: Box<Stmt>,
        /// Whether the condition is tested before the first iteration.
        test_first: bool,
        /// The unroll factor that the source requests: 0 means as far as possible, 1 means no unrolling.
        unroll: Option<u32>,
    },
    /// A switch on an int, uint, long or ulong. `body` contains `Case` and `Default` at any depth, as C
    /// allows.
    Switch {
        /// The value that selects a case.
        value: Expr,
        /// The statement with the cases.
        body: Box<Stmt>,
    },
    /// A jump target of the innermost switch, for values in `lo..=hi` (as bits of the switch's type).
    Case {
        /// The first value, inclusive.
        lo: u64,
        /// The last value, inclusive.
        hi: u64,
    },
    /// The jump target of the innermost switch for all other values.
    Default,
    /// The target of `Goto`.
    Label(LabelId),
    /// A jump to a label of the same function.
    Goto(LabelId),
    /// A jump to the end of the innermost loop or switch.
    Break,
    /// A jump to `step` of the innermost loop.
    Continue,
    /// A return from the function, with the result.
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
    /// The operation and its operands.
    pub kind: ExprKind,
    /// The type of the value.
    pub ty: TypeId,
    /// The position in the source.
    pub span: Span,
}

/// An arithmetic operation. Both operands have the result's type, including shift counts, which are
/// converted. On vectors it works lane by lane. The type determines signedness, and integer or floating-point
/// arithmetic.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// A shift, whose count is taken modulo the width.
    Shl,
    /// A right shift, which copies the sign bit of signed types. The count is taken modulo the width.
    Shr,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

/// A comparison of two operands of one type: scalars, pointers or vectors.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum CmpOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
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
    /// A pointer to an integer with its bits.
    PointerToInt,
    /// An integer to a pointer with its bits.
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
    /// An arithmetic operation.
    Binary {
        /// The operation.
        op: BinOp,
        /// The left operand.
        lhs: Box<Expr>,
        /// The right operand.
        rhs: Box<Expr>,
        /// Whether the operation may be contracted to a fused multiply-add (FP_CONTRACT).
        contract: bool,
    },
    /// A comparison of type `Bool`, or for vectors a vector of `Bool`, which is always the operand of a
    /// `Convert::Mask`.
    Compare(CmpOp, Box<Expr>, Box<Expr>),
    /// `&&` with short-circuit evaluation; the operands and the result have type `Bool`, as for `Or`.
    And(Box<Expr>, Box<Expr>),
    /// `||` with short-circuit evaluation.
    Or(Box<Expr>, Box<Expr>),
    /// `?:` with a scalar condition of type `Bool`; only one arm is evaluated. The arms have equal types, or
    /// are void.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Vector `?:` and `select`, with the condition as a vector of `Bool`. All operands are evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A conversion to the type of the expression.
    Convert(Convert, Box<Expr>),
    /// A scalar copied to all lanes.
    Splat(Box<Expr>),
    /// The concatenation of scalars and vectors.
    Vector(Vec<Expr>),
    /// Lanes of a vector value; a single lane gives a scalar.
    Swizzle(Box<Expr>, Vec<u8>),
    /// A pointer plus or minus an index (a signed or unsigned 64-bit integer, scaled by the pointee's size).
    PointerAdd {
        /// The pointer.
        ptr: Box<Expr>,
        /// The index in elements.
        index: Box<Expr>,
        /// Whether the index is subtracted.
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
        /// The place that is changed.
        place: Box<Place>,
        /// The operation.
        op: BinOp,
        /// The right operand.
        rhs: Box<Expr>,
        /// The type of the operation.
        compute: TypeId,
        /// Whether the operation may be contracted to a fused multiply-add (FP_CONTRACT).
        contract: bool,
    },
    /// `++` and `--`; with `post` the value is the old one.
    IncDec {
        /// The place that is changed.
        place: Box<Place>,
        /// Whether this is `--`.
        decrement: bool,
        /// Whether the value is the old one.
        post: bool,
    },
    /// A call of a function with arguments in order.
    Call(FuncId, Vec<Expr>),
    /// A call of an operation that the IR has as an instruction, with arguments in order.
    Intrinsic(Intrinsic, Vec<Expr>),
    /// The comma operator: the first operand is evaluated for its effects.
    Comma(Box<Expr>, Box<Expr>),
    /// A GNU statement expression: statements, then the value.
    StmtExpr(Vec<Stmt>, Option<Box<Expr>>),
}

/// A location in memory.
#[derive(Clone, Debug)]
pub struct Place {
    /// The form of the place.
    pub kind: PlaceKind,
    /// The type of the object, which may be an array.
    pub ty: TypeId,
    /// The address space of the object.
    pub space: Space,
    /// Whether accesses are volatile.
    pub is_volatile: bool,
    /// The position in the source.
    pub span: Span,
}

/// The kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A variable in private memory.
    Local(LocalId),
    /// A variable with static lifetime.
    Global(GlobalId),
    /// `*ptr`; the alignment is that of the type unless it is stated (vload).
    Deref {
        /// The pointer.
        ptr: Box<Expr>,
        /// The alignment in bytes, if it differs from that of the type.
        align: Option<u32>,
    },
    /// A member, given by its byte offset.
    Member {
        /// The struct or union.
        base: Box<Place>,
        /// The offset of the member in bytes.
        offset: u32,
    },
    /// An array element; the index is a 64-bit integer.
    Index {
        /// The array.
        base: Box<Place>,
        /// The index of the element.
        index: Box<Expr>,
    },
    /// Lanes of a vector in memory, such as `v.xz`; they can be assigned if no lane repeats. A single lane is
    /// a scalar place.
    Lanes {
        /// The vector.
        base: Box<Place>,
        /// The indices of the lanes, in order.
        lanes: Vec<u8>,
    },
    /// `v[i]` for a vector in memory.
    DynamicLane {
        /// The vector.
        base: Box<Place>,
        /// The index of the lane.
        index: Box<Expr>,
    },
    /// A new private object that holds a value: a compound literal, or the struct that a function returns.
    Temporary(Box<Expr>),
    /// A compound literal or other unnamed object, initialized when it is evaluated.
    Literal(LocalId, Box<Init>),
}
