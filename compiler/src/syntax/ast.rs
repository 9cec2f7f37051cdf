//! The abstract syntax tree: C99 with OpenCL C's qualifiers. Names are unresolved, and types are as written.
//!
//! lang-c's tree is lowered into this tree at once and never leaves `syntax`, so the parser can be replaced.

use std::collections::BTreeSet;

use crate::source::Span;

/// A name with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// A whole translation unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
    /// The facts that syntax errors leave unknown.
    pub doubt: Doubt,
}

/// The facts about a source that syntax errors leave unknown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Doubt {
    /// Names that the missing parts may declare.
    pub names: BTreeSet<String>,
    /// Ranges of function bodies in which statements are missing; each reaches to the end of its function.
    pub spans: Vec<Span>,
    /// The rest of the source is missing.
    pub incomplete: bool,
}

/// A top-level declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    Function(Box<FunctionDef>),
    Declaration(Declaration),
    /// C11's `_Static_assert(condition, "message")`.
    StaticAssert(Expr, Span),
}

/// A function definition.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionDef {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub body: Stmt,
    pub span: Span,
    /// The state of `#pragma OPENCL FP_CONTRACT` at the start of the body; `None` is the default, which is
    /// on.
    pub fp_contract: Option<bool>,
    /// Whether the definition has old-style parameter declarations, which are an error in OpenCL C.
    pub k_and_r: bool,
}

/// A declaration: `specs declarator = init, …;`.
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    pub specs: DeclSpecs,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

/// One declared name of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    pub init: Option<Initializer>,
}

/// Storage-class specifiers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// Address-space qualifier keywords (6.5).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SpaceQual {
    Private,
    Local,
    Global,
    Constant,
}

/// Access qualifier keywords (6.6).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AccessQual {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Type qualifiers at one level of a type.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    /// The position of `restrict`, if it was written.
    pub restrict_at: Option<Span>,
    /// All address-space qualifiers that were written, so that sema can diagnose several.
    pub spaces: Vec<(SpaceQual, Span)>,
    pub access: Option<(AccessQual, Span)>,
}

/// `__attribute__((name(args)))`.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// The name without surrounding underscores.
    pub name: String,
    pub args: Vec<AttrArg>,
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrArg {
    Expr(Expr),
    /// A type or any other text (`vec_type_hint(unsigned int)`).
    Text(String),
}

/// Declaration specifiers.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclSpecs {
    pub storage: Vec<(Storage, Span)>,
    pub ty: TypeSpec,
    pub quals: Quals,
    pub is_inline: bool,
    /// Whether `kernel` or `__kernel` was written.
    pub is_kernel: bool,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// A keyword of an arithmetic type; a declaration has a multiset of them.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TypeKeyword {
    Void,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Signed,
    Unsigned,
    /// `_Bool`
    Bool,
    Complex,
}

/// The type specifier of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeSpec {
    /// Keywords such as `unsigned long int`, in order. An empty list means that none was written, which is an
    /// error except in K&R declarations.
    Keywords(Vec<TypeKeyword>),
    /// A typedef name. OpenCL's own type names (`uint`, `float4`, `half`, `bool`, `size_t`, `image2d_t` …)
    /// are represented in this way too.
    Name(Ident),
    Struct(Box<StructSpec>),
    Enum(Box<EnumSpec>),
    /// `typeof(expr)` or `typeof(type)`, which sema rejects.
    Typeof(Span),
}

/// A `struct` or `union` specifier.
#[derive(Clone, PartialEq, Debug)]
pub struct StructSpec {
    pub is_union: bool,
    pub tag: Option<Ident>,
    /// The members; `None` for a reference or forward declaration.
    pub members: Option<Vec<Member>>,
    /// The attributes `packed` and `aligned` before or after the body.
    pub attributes: Vec<Attribute>,
    /// The greatest alignment that `#pragma pack` allows for members; 0 means no limit.
    pub pack: u32,
    pub span: Span,
}

/// One declaration of members. Without declarators it is an anonymous struct or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    pub specs: DeclSpecs,
    pub declarators: Vec<MemberDeclarator>,
    pub span: Span,
}

/// One declared member.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberDeclarator {
    pub declarator: Declarator,
    /// The width of a bit-field, which sema rejects.
    pub bit_width: Option<Expr>,
}

/// An `enum` specifier.
#[derive(Clone, PartialEq, Debug)]
pub struct EnumSpec {
    pub tag: Option<Ident>,
    pub enumerators: Option<Vec<(Ident, Option<Expr>)>>,
    pub span: Span,
}

/// A declared name with its type constructors. `derived` is listed from the name outward: for `*a[3]`, an
/// array of pointers, it is `[Array, Pointer]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    /// The name; `None` in type names and unnamed parameters.
    pub name: Option<Ident>,
    pub derived: Vec<Derived>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// One type constructor of a declarator.
#[derive(Clone, PartialEq, Debug)]
pub enum Derived {
    /// A pointer, with the qualifiers of the pointer itself.
    Pointer(Quals),
    /// An array; `None` for `[]`.
    Array(Option<Box<Expr>>),
    Function(Params),
    /// A block pointer (`^`), which sema rejects.
    Block(Span),
}

/// The parameters of a function declarator.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// The parameters; empty for `()` and `(void)`.
    pub list: Vec<Param>,
    pub variadic: bool,
    pub span: Span,
}

/// One parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

/// A type in a cast, `sizeof`, or compound literal.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeName {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    pub span: Span,
}

/// An initializer.
#[derive(Clone, PartialEq, Debug)]
pub enum Initializer {
    Expr(Expr),
    List(Vec<InitItem>, Span),
}

/// One item of a braced list.
#[derive(Clone, PartialEq, Debug)]
pub struct InitItem {
    pub designators: Vec<Designator>,
    pub init: Initializer,
}

/// A designator: `.member`, `[index]`, or GNU C's `[lo ... hi]`.
#[derive(Clone, PartialEq, Debug)]
pub enum Designator {
    Member(Ident),
    Index(Expr),
    Range(Expr, Expr),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// A loop hint (`#pragma unroll n`, `opencl_unroll_hint(n)`).
#[derive(Clone, PartialEq, Debug, Default)]
pub enum UnrollHint {
    #[default]
    None,
    /// The unroll factor; 0 means as far as possible, 1 means no unrolling.
    Count(u32),
    /// An unroll factor that is an expression.
    Value(Box<Expr>),
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    Empty,
    Expr(Expr),
    Declaration(Declaration),
    Block(Vec<Stmt>),
    If {
        cond: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Switch {
        value: Expr,
        body: Box<Stmt>,
    },
    While {
        cond: Expr,
        body: Box<Stmt>,
        unroll: UnrollHint,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: Expr,
        unroll: UnrollHint,
    },
    For {
        init: ForInit,
        cond: Option<Expr>,
        step: Option<Expr>,
        body: Box<Stmt>,
        unroll: UnrollHint,
    },
    Case {
        value: Expr,
        body: Box<Stmt>,
    },
    /// GNU C's `case lo ... hi:`.
    CaseRange {
        lo: Expr,
        hi: Expr,
        body: Box<Stmt>,
    },
    Default(Box<Stmt>),
    Label(Ident, Box<Stmt>),
    Goto(Ident),
    Break,
    Continue,
    Return(Option<Expr>),
    /// `asm`, which sema rejects.
    Asm,
    /// `_Static_assert(condition, "message")`, with the span of the message.
    StaticAssert(Expr, Span),
    /// `#pragma OPENCL FP_CONTRACT` inside a block.
    FpContract(bool),
}

/// The first part of a `for` head.
#[derive(Clone, PartialEq, Debug)]
pub enum ForInit {
    None,
    Expr(Expr),
    Declaration(Declaration),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// The span of the whole expression, including parentheses around it.
    pub span: Span,
}

/// Unary operators.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    LogicalNot,
    Deref,
    AddrOf,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
}

/// Binary operators other than assignments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Ident(String),
    /// An integer literal: `syntax` computes the value and records the suffixes and the base.
    Int {
        value: u64,
        unsigned: bool,
        long: bool,
        decimal: bool,
        overflow: bool,
    },
    /// A floating-point literal: `half` for the suffix `h`, `single` for `f`. The value is rounded once, to
    /// `f32` if `single` is set, otherwise to `f64`.
    Float {
        value: f64,
        single: bool,
        half: bool,
    },
    /// The value of a character constant (type `int`).
    Char(i32),
    /// A string literal: adjacent literals are joined, escapes are resolved, and there is no terminator.
    Str(Vec<u8>),
    Paren(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// An assignment: `None` for `=`, otherwise the operator of a compound assignment.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// The conditional operator; the middle operand is `None` for GNU C's `a ?: b`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Comma(Vec<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, Ident),
    Arrow(Box<Expr>, Ident),
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type)(a, b, …)`: a vector literal if the type is a vector, otherwise a cast of a comma expression.
    VectorLiteral(Box<TypeName>, Vec<Expr>),
    /// `(type){…}`
    CompoundLiteral(Box<TypeName>, Vec<InitItem>),
    SizeofType(Box<TypeName>),
    SizeofExpr(Box<Expr>),
    /// `vec_step(type)`; `VecStepExpr` is `vec_step(expr)`.
    VecStepType(Box<TypeName>),
    VecStepExpr(Box<Expr>),
    AlignofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    /// `__builtin_offsetof(type, a.b[2])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// GNU C's `({ … })`, whose value is that of the last expression statement.
    StmtExpr(Vec<Stmt>),
    /// `__builtin_va_arg` or `_Generic`, which sema rejects.
    Unsupported(&'static str),
}
