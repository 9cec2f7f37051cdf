//! The abstract syntax tree: C99 with OpenCL C's qualifiers. Names are unresolved, and types are as written.
//!
//! lang-c's tree is lowered into this tree at once and never leaves `syntax`, so the parser can be replaced.

use std::collections::BTreeSet;

use crate::pp::literal::Number;
use crate::source::Span;

/// A name with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// The position.
    pub span: Span,
}

/// A whole translation unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TranslationUnit {
    /// The top-level declarations in order.
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
    /// Whether the rest of the source is missing.
    pub incomplete: bool,
}

/// A top-level declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A function definition.
    Function(Box<FunctionDef>),
    /// A declaration of variables, functions or types.
    Declaration(Declaration),
    /// C11's `_Static_assert(condition, "message")`; the message may be absent, as in C23.
    StaticAssert(Expr, Span),
}

/// A function definition.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionDef {
    /// The specifiers.
    pub specs: DeclSpecs,
    /// The name and the parameters.
    pub declarator: Declarator,
    /// The body, which is a block.
    pub body: Stmt,
    /// The position of the whole definition.
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
    /// The specifiers, which all declarators share.
    pub specs: DeclSpecs,
    /// The declared names. A declaration of a type may have none.
    pub declarators: Vec<InitDeclarator>,
    /// The position of the whole declaration.
    pub span: Span,
}

/// One declared name of a declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct InitDeclarator {
    /// The name and its type constructors.
    pub declarator: Declarator,
    /// The initializer.
    pub init: Option<Initializer>,
}

/// Storage-class specifiers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Storage {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// Address-space qualifier keywords (6.5).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SpaceQual {
    /// `private` or `__private`
    Private,
    /// `local` or `__local`
    Local,
    /// `global` or `__global`
    Global,
    /// `constant` or `__constant`
    Constant,
    /// `generic` or `__generic`
    Generic,
}

/// Access qualifier keywords (6.6).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum AccessQual {
    /// `read_only`
    ReadOnly,
    /// `write_only`
    WriteOnly,
    /// `read_write`
    ReadWrite,
}

/// Type qualifiers at one level of a type.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Quals {
    /// Whether `const` was written.
    pub is_const: bool,
    /// Whether `volatile` was written.
    pub is_volatile: bool,
    /// The position of `restrict`, if it was written.
    pub restrict_at: Option<Span>,
    /// All address-space qualifiers that were written, so that sema can diagnose several.
    pub spaces: Vec<(SpaceQual, Span)>,
    /// The access qualifier with its position.
    pub access: Option<(AccessQual, Span)>,
    /// The position of `pipe`, if it was written.
    pub pipe: Option<Span>,
}

/// `__attribute__((name(args)))`.
#[derive(Clone, PartialEq, Debug)]
pub struct Attribute {
    /// The name without surrounding underscores.
    pub name: String,
    /// The arguments.
    pub args: Vec<AttrArg>,
    /// The position.
    pub span: Span,
}

/// An argument of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrArg {
    /// An expression.
    Expr(Expr),
    /// A type or any other text (`vec_type_hint(unsigned int)`).
    Text(String),
}

/// Declaration specifiers.
#[derive(Clone, PartialEq, Debug)]
pub struct DeclSpecs {
    /// The storage-class specifiers with their positions, so that sema can diagnose several.
    pub storage: Vec<(Storage, Span)>,
    /// The type specifier.
    pub ty: TypeSpec,
    /// The qualifiers.
    pub quals: Quals,
    /// Whether `inline` was written.
    pub is_inline: bool,
    /// Whether `kernel` or `__kernel` was written.
    pub is_kernel: bool,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The position of all specifiers.
    pub span: Span,
}

/// A keyword of an arithmetic type; a declaration has a multiset of them.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TypeKeyword {
    /// `void`
    Void,
    /// `char`
    Char,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `signed`
    Signed,
    /// `unsigned`
    Unsigned,
    /// `_Bool`
    Bool,
    /// `_Complex`, which sema rejects.
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
    /// A struct or union.
    Struct(Box<StructSpec>),
    /// An enumeration.
    Enum(Box<EnumSpec>),
    /// GNU C's `__typeof__(expr)`.
    TypeofExpr(Box<Expr>),
    /// GNU C's `__typeof__(type)`.
    TypeofType(Box<TypeName>),
}

/// A `struct` or `union` specifier.
#[derive(Clone, PartialEq, Debug)]
pub struct StructSpec {
    /// Whether this is a union.
    pub is_union: bool,
    /// The tag, if one was written.
    pub tag: Option<Ident>,
    /// The members; `None` for a reference or forward declaration.
    pub members: Option<Vec<Member>>,
    /// The attributes `packed` and `aligned` before or after the body.
    pub attributes: Vec<Attribute>,
    /// The greatest alignment that `#pragma pack` allows for members; 0 means no limit.
    pub pack: u32,
    /// The position.
    pub span: Span,
}

/// One declaration of members. Without declarators it is an anonymous struct or union.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    /// The specifiers.
    pub specs: DeclSpecs,
    /// The declared members.
    pub declarators: Vec<MemberDeclarator>,
    /// The position.
    pub span: Span,
}

/// One declared member.
#[derive(Clone, PartialEq, Debug)]
pub struct MemberDeclarator {
    /// The name and its type constructors.
    pub declarator: Declarator,
    /// The width of a bit-field, which sema rejects.
    pub bit_width: Option<Expr>,
}

/// An `enum` specifier.
#[derive(Clone, PartialEq, Debug)]
pub struct EnumSpec {
    /// The tag, if one was written.
    pub tag: Option<Ident>,
    /// The enumerators with their values; `None` for a reference.
    pub enumerators: Option<Vec<(Ident, Option<Expr>)>>,
    /// The attributes before or after the braces.
    pub attributes: Vec<Attribute>,
    /// The position.
    pub span: Span,
}

/// A declared name with its type constructors. `derived` is listed from the name outward: for `*a[3]`, an
/// array of pointers, it is `[Array, Pointer]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    /// The name; `None` in type names and unnamed parameters.
    pub name: Option<Ident>,
    /// The type constructors, from the name outward.
    pub derived: Vec<Derived>,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// The position.
    pub span: Span,
}

/// One type constructor of a declarator.
#[derive(Clone, PartialEq, Debug)]
pub enum Derived {
    /// A pointer, with the qualifiers of the pointer itself.
    Pointer(Quals),
    /// An array; `None` for `[]`.
    Array(Option<Box<Expr>>),
    /// A function, with its parameters.
    Function(Params),
    /// A block pointer (`^`), which sema rejects.
    Block(Span),
}

/// The parameters of a function declarator.
#[derive(Clone, PartialEq, Debug)]
pub struct Params {
    /// The parameters; empty for `()` and `(void)`.
    pub list: Vec<Param>,
    /// Whether the list ends in `...`.
    pub variadic: bool,
    /// The position.
    pub span: Span,
}

/// One parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The specifiers.
    pub specs: DeclSpecs,
    /// The name, if there is one, and its type constructors.
    pub declarator: Declarator,
    /// The position.
    pub span: Span,
}

/// A type in a cast, `sizeof`, or compound literal.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeName {
    /// The specifiers.
    pub specs: DeclSpecs,
    /// The type constructors, without a name.
    pub declarator: Declarator,
    /// The position.
    pub span: Span,
}

/// An initializer.
#[derive(Clone, PartialEq, Debug)]
pub enum Initializer {
    /// An expression.
    Expr(Expr),
    /// A braced list with its position.
    List(Vec<InitItem>, Span),
    /// A braced list that is a long list of literals.
    Table {
        /// The position of the items, where `syntax::table` reads them.
        items: Span,
        /// The position of the list.
        span: Span,
    },
}

/// One item of a braced list.
#[derive(Clone, PartialEq, Debug)]
pub struct InitItem {
    /// The designators before `=`; empty for the next member or element.
    pub designators: Vec<Designator>,
    /// The value.
    pub init: Initializer,
}

/// A designator: `.member`, `[index]`, or GNU C's `[lo ... hi]`.
#[derive(Clone, PartialEq, Debug)]
pub enum Designator {
    /// `.member`
    Member(Ident),
    /// `[index]`
    Index(Expr),
    /// `[lo ... hi]`, with both ends included.
    Range(Expr, Expr),
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// The statement itself.
    pub kind: StmtKind,
    /// The position.
    pub span: Span,
}

/// A loop hint (`#pragma unroll n`, `opencl_unroll_hint(n)`).
#[derive(Clone, PartialEq, Debug, Default)]
pub enum UnrollHint {
    /// There is no hint.
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
    /// `;`
    Empty,
    /// An expression that is evaluated for its effects.
    Expr(Expr),
    /// A declaration inside a function.
    Declaration(Declaration),
    /// Statements in braces.
    Block(Vec<Stmt>),
    /// `if`
    If {
        /// The condition.
        cond: Expr,
        /// The statement for a true condition.
        then: Box<Stmt>,
        /// The statement after `else`.
        otherwise: Option<Box<Stmt>>,
    },
    /// `switch`
    Switch {
        /// The value that selects a case.
        value: Expr,
        /// The statement with the cases.
        body: Box<Stmt>,
    },
    /// `while`
    While {
        /// The condition.
        cond: Expr,
        /// The body of the loop.
        body: Box<Stmt>,
        /// The loop hint.
        unroll: UnrollHint,
    },
    /// `do … while`
    DoWhile {
        /// The body of the loop.
        body: Box<Stmt>,
        /// The condition.
        cond: Expr,
        /// The loop hint.
        unroll: UnrollHint,
    },
    /// `for`
    For {
        /// The first part of the head.
        init: ForInit,
        /// The condition; without it the loop runs forever.
        cond: Option<Expr>,
        /// The expression that is evaluated after each iteration.
        step: Option<Expr>,
        /// The body of the loop.
        body: Box<Stmt>,
        /// The loop hint.
        unroll: UnrollHint,
    },
    /// `case value:`
    Case {
        /// The value.
        value: Expr,
        /// The statement after the colon.
        body: Box<Stmt>,
    },
    /// GNU C's `case lo ... hi:`.
    CaseRange {
        /// The first value, inclusive.
        lo: Expr,
        /// The last value, inclusive.
        hi: Expr,
        /// The statement after the colon.
        body: Box<Stmt>,
    },
    /// `default:`, with the statement after it.
    Default(Box<Stmt>),
    /// A label, with the statement after it.
    Label(Ident, Box<Stmt>),
    /// `goto`
    Goto(Ident),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`, with the value.
    Return(Option<Expr>),
    /// `asm`, which sema rejects.
    Asm,
    /// `_Static_assert(condition, "message")`, with the span of the message, which may be empty.
    StaticAssert(Expr, Span),
    /// `#pragma OPENCL FP_CONTRACT` inside a block.
    FpContract(bool),
}

/// The first part of a `for` head.
#[derive(Clone, PartialEq, Debug)]
pub enum ForInit {
    /// Nothing before the first semicolon.
    None,
    /// An expression.
    Expr(Expr),
    /// A declaration.
    Declaration(Declaration),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The expression itself.
    pub kind: ExprKind,
    /// The span of the whole expression, including parentheses around it.
    pub span: Span,
}

/// Unary operators.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    BitNot,
    /// `!`
    LogicalNot,
    /// `*`
    Deref,
    /// `&`
    AddrOf,
    /// `++` before the operand.
    PreInc,
    /// `--` before the operand.
    PreDec,
    /// `++` after the operand.
    PostInc,
    /// `--` after the operand.
    PostDec,
}

/// Binary operators other than assignments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinaryOp {
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
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A name.
    Ident(String),
    /// An integer literal: `syntax` computes the value and records the suffixes and the base.
    Int {
        /// The value; it is wrong if `overflow` is set.
        value: u64,
        /// Whether there is a suffix `u`.
        unsigned: bool,
        /// Whether there is a suffix `l` or `ll`.
        long: bool,
        /// Whether the base is 10, which affects the type.
        decimal: bool,
        /// Whether the value does not fit into 64 bits.
        overflow: bool,
    },
    /// A floating-point literal: `half` for the suffix `h`, `single` for `f`. The value is rounded once, to
    /// `f32` if `single` is set, otherwise to `f64`.
    Float {
        /// The value.
        value: f64,
        /// Whether the suffix is `f`.
        single: bool,
        /// Whether the suffix is `h`.
        half: bool,
    },
    /// The value of a character constant (type `int`).
    Char(i32),
    /// A string literal: adjacent literals are joined, escapes are resolved, and there is no terminator.
    Str(Vec<u8>),
    /// An expression in parentheses.
    Paren(Box<Expr>),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// An assignment: `None` for `=`, otherwise the operator of a compound assignment.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// The conditional operator; the middle operand is `None` for GNU C's `a ?: b`.
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b, …`
    Comma(Vec<Expr>),
    /// A call: the function and its arguments.
    Call(Box<Expr>, Vec<Expr>),
    /// `a[b]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.b`
    Member(Box<Expr>, Ident),
    /// `a->b`
    Arrow(Box<Expr>, Ident),
    /// `(type)a`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type)(a, b, …)`: a vector literal if the type is a vector, otherwise a cast of a comma expression.
    VectorLiteral(Box<TypeName>, Vec<Expr>),
    /// `(type){…}`
    CompoundLiteral(Box<TypeName>, Vec<InitItem>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `sizeof a`
    SizeofExpr(Box<Expr>),
    /// `vec_step(type)`; `VecStepExpr` is `vec_step(expr)`.
    VecStepType(Box<TypeName>),
    /// `vec_step(expr)`
    VecStepExpr(Box<Expr>),
    /// `__alignof__(type)`
    AlignofType(Box<TypeName>),
    /// `__alignof__ a`
    AlignofExpr(Box<Expr>),
    /// `__builtin_offsetof(type, a.b[2])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// GNU C's `({ … })`, whose value is that of the last expression statement.
    StmtExpr(Vec<Stmt>),
    /// `__builtin_va_arg` or `_Generic`, which sema rejects.
    Unsupported(&'static str),
}

impl From<Number> for ExprKind {
    fn from(number: Number) -> ExprKind {
        match number {
            Number::Int(i) => ExprKind::Int {
                value: i.value,
                unsigned: i.unsigned,
                long: i.long,
                decimal: i.decimal,
                overflow: i.overflow,
            },
            Number::Float { value, single, half } => ExprKind::Float { value, single, half },
        }
    }
}
