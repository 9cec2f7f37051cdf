//! The abstract syntax tree: C99 with OpenCL C's qualifiers, names unresolved, types as written.
//!
//! lang-c's tree is lowered into this at once and never leaves `syntax`, so that the parser stays replaceable.

use std::collections::BTreeSet;

use crate::source::Span;

/// A name with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    pub name: String,
    pub span: Span,
}

/// A whole source.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TranslationUnit {
    pub items: Vec<Item>,
    /// What is not known of the source because of syntax errors.
    pub doubt: Doubt,
}

/// What syntax errors leave unknown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Doubt {
    /// What may be declared in the parts that are missing.
    pub names: BTreeSet<String>,
    /// From where on in a function statements are missing, to its end.
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
    /// `#pragma OPENCL FP_CONTRACT` in force at the start of the body; `None`: the default (on).
    pub fp_contract: Option<bool>,
    /// Old-style parameter declarations were present (an error in OpenCL C).
    pub k_and_r: bool,
}

/// `specs declarator = init, …;`
#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    pub specs: DeclSpecs,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

/// One declared name.
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
    /// `restrict`, where it was written.
    pub restrict_at: Option<Span>,
    /// All that were written, so that sema can diagnose several.
    pub spaces: Vec<(SpaceQual, Span)>,
    pub access: Option<(AccessQual, Span)>,
}

/// `__attribute__((name(args)))`.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// Without surrounding underscores.
    pub name: String,
    pub args: Vec<AttrArg>,
    pub span: Span,
}

/// An attribute's argument.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrArg {
    Expr(Expr),
    /// A type or anything else, as text (`vec_type_hint(unsigned int)`).
    Text(String),
}

/// Declaration specifiers.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclSpecs {
    pub storage: Vec<(Storage, Span)>,
    pub ty: TypeSpec,
    pub quals: Quals,
    pub is_inline: bool,
    /// `kernel` / `__kernel`.
    pub is_kernel: bool,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// Keywords of arithmetic types; a declaration has a multiset of them.
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

/// What kind of thing is declared.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeSpec {
    /// `unsigned long int`, in order; empty: none was written (an error but for K&R).
    Keywords(Vec<TypeKeyword>),
    /// A typedef's name; OpenCL's own (`uint`, `float4`, `half`, `bool`, `size_t`, `image2d_t` …) come this way.
    Name(Ident),
    Struct(Box<StructSpec>),
    Enum(Box<EnumSpec>),
    /// `typeof(expr)` or `typeof(type)`: rejected by sema.
    Typeof(Span),
}

/// `struct`/`union`.
#[derive(Clone, PartialEq, Debug)]
pub struct StructSpec {
    pub is_union: bool,
    pub tag: Option<Ident>,
    /// `None`: a reference or forward declaration.
    pub members: Option<Vec<Member>>,
    /// `packed`, `aligned` before or after the body.
    pub attributes: Vec<Attribute>,
    /// The largest alignment of members that `#pragma pack` leaves; 0: any.
    pub pack: u32,
    pub span: Span,
}

/// A line of members; no declarators: an anonymous struct or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    pub specs: DeclSpecs,
    pub declarators: Vec<MemberDeclarator>,
    pub span: Span,
}

/// One member.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberDeclarator {
    pub declarator: Declarator,
    /// Bit-fields are rejected by sema.
    pub bit_width: Option<Expr>,
}

/// `enum`.
#[derive(Clone, PartialEq, Debug)]
pub struct EnumSpec {
    pub tag: Option<Ident>,
    pub enumerators: Option<Vec<(Ident, Option<Expr>)>>,
    pub span: Span,
}

/// What surrounds a declared name. `derived` is listed from the name outward: `*a[3]` is `[Array, Pointer]`:
/// a is an array of pointers.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    /// `None` in type names and unnamed parameters.
    pub name: Option<Ident>,
    pub derived: Vec<Derived>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

/// One step of a declarator.
#[derive(Clone, PartialEq, Debug)]
pub enum Derived {
    /// Qualifiers of the pointer itself.
    Pointer(Quals),
    /// `None`: `[]`.
    Array(Option<Box<Expr>>),
    Function(Params),
    /// A block pointer (`^`): rejected by sema.
    Block(Span),
}

/// Parameters of a function declarator.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// Empty for `()` and `(void)`.
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

/// `.member`, `[index]`, GNU `[lo ... hi]`.
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

/// Loop hints (`#pragma unroll n`, `opencl_unroll_hint(n)`).
#[derive(Clone, PartialEq, Debug, Default)]
pub enum UnrollHint {
    #[default]
    None,
    /// 0 is «as far as possible», 1 «not at all».
    Count(u32),
    /// A count that is an expression.
    Value(Box<Expr>),
}

/// Kinds of statements.
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
    /// GNU `case lo ... hi:`
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
    /// `asm`: rejected by sema.
    Asm,
    /// `_Static_assert(condition, "message")`; the span is that of the message.
    StaticAssert(Expr, Span),
    /// `#pragma OPENCL FP_CONTRACT` inside a block.
    FpContract(bool),
}

/// First part of `for`.
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
    /// The whole expression, parentheses included where they were written around it.
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

/// Binary operators without assignment.
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

/// Kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Ident(String),
    /// Literal text is parsed by `syntax`: value, and which suffixes and base were written.
    Int {
        value: u64,
        unsigned: bool,
        long: bool,
        decimal: bool,
        overflow: bool,
    },
    /// `half` for suffix h, `single` for f. The value is the literal rounded once to f64 except where
    /// `single`: then rounded once to f32.
    Float {
        value: f64,
        single: bool,
        half: bool,
    },
    /// A character constant's value (type int).
    Char(i32),
    /// Adjacent string literals joined, escapes resolved, no terminator.
    Str(Vec<u8>),
    Paren(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `=`: `None`; otherwise the operator of a compound assignment.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// The middle is `None` for GNU `a ?: b`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    Comma(Vec<Expr>),
    Call(Box<Expr>, Vec<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, Ident),
    Arrow(Box<Expr>, Ident),
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type)(a, b, …)`: a vector literal if the type is a vector, else a cast of a comma expression.
    VectorLiteral(Box<TypeName>, Vec<Expr>),
    /// `(type){…}`
    CompoundLiteral(Box<TypeName>, Vec<InitItem>),
    SizeofType(Box<TypeName>),
    SizeofExpr(Box<Expr>),
    /// `vec_step(type)` / `vec_step(expr)`.
    VecStepType(Box<TypeName>),
    VecStepExpr(Box<Expr>),
    AlignofType(Box<TypeName>),
    AlignofExpr(Box<Expr>),
    /// `__builtin_offsetof(type, a.b[2])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// GNU `({ … })`: the value is that of the last expression statement.
    StmtExpr(Vec<Stmt>),
    /// `__builtin_va_arg`, `_Generic`: rejected by sema.
    Unsupported(&'static str),
}
