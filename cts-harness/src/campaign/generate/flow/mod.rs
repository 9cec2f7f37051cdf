//! Programs in which work-items take different ways, and collective functions in and after them. Their results depend on
//! which work-items of a sub-group are active together.
//!
//! If a program's results differ, `shrink` removes statements from it.
//!
//! The harness executes each program itself, on all work-items of a work-group in step, with a mask of the active ones
//! (`execute`). So work-items that have entered a construct together are together again after it. Each text is written from
//! the same statements (`print`).
//!
//! Where only some work-items may be active, a program calls the functions of OpenCL C that need not be encountered by all of
//! them. The others are called where all work-items of the sub-group, or of the work-group, are known to be.

mod execute;
mod make;
mod print;
mod shrink;

pub(in crate::campaign) use make::program;

/// The most work-items of a work-group.
const ITEMS: usize = 64;

/// A variable of a function, by its number. All are of the type `uint`.
type Variable = usize;

/// A construct whose end, or whose next iteration, a jump may lead to: its number in the function.
type Target = usize;

/// An expression of the type `uint`.
#[derive(Clone, Debug)]
enum Expression {
    Number(u32),
    Variable(Variable),
    /// The number of the work-item in its sub-group.
    Lane,
    /// The number of the work-item in its work-group.
    Item,
    /// The number of the sub-group.
    SubGroup,
    /// The number of the work-group plus the kernel's argument: the same number in all work-items of the work-group.
    Uniform,
    Binary(Binary, Box<(Expression, Expression)>),
}

#[derive(Copy, Clone, Debug)]
enum Binary {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    ShiftRight,
}

#[derive(Clone, Debug)]
enum Condition {
    Less(Expression, Expression),
    Equal(Expression, Expression),
    /// A bit of a number is set.
    Bit(Expression, u32),
}

/// An operation that combines the values of work-items.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Combination {
    Add,
    Min,
    Max,
    SignedMin,
    SignedMax,
    And,
    Or,
    Xor,
    Multiply,
}

#[derive(Copy, Clone, Debug)]
enum Part {
    Reduce,
    Inclusive,
    Exclusive,
}

/// A call of a function that the active work-items of a sub-group perform together.
#[derive(Clone, Debug)]
enum Active {
    Combine(Part, Combination, Expression),
    /// Over the active work-items of each four.
    Clustered(Combination, Expression),
    Any(Condition),
    All(Condition),
    AllEqual(Expression),
    Elect,
    Ballot(Condition),
    Count(Condition),
    First(Expression),
    /// The value of the last active work-item.
    Last(Expression),
    /// The value of a neighbour, or 0 if that is not active.
    Neighbour(Expression),
}

/// The work-items that are known to reach a statement if any of them does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Together {
    SubGroup,
    WorkGroup,
}

/// A call of a function that all work-items of a sub-group or work-group perform together.
#[derive(Clone, Debug)]
enum Collective {
    /// Only additions, minima and maxima.
    Combine(Together, Part, Combination, Expression),
    Any(Together, Condition),
    All(Together, Condition),
    /// The value of the work-item with a number, modulo the size of the group.
    Broadcast(Together, Expression, u32),
    /// Passes a value to the work-item that precedes by some places, through local memory and barriers.
    Exchange(Together, Expression, u32),
    /// `sub_group_shuffle`, of the lane modulo the size.
    Shuffle(Expression, Expression),
    /// `sub_group_shuffle_down`, and the own value at the end of the sub-group.
    Down(Expression, u32),
}

#[derive(Copy, Clone, Debug)]
enum LoopForm {
    For,
    While,
    Do,
    /// `for (;;)` with a `break` at its start.
    Endless,
    /// A label before the body, and a `goto` after it.
    Again,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Jump {
    /// To the end of a construct.
    End,
    /// To the next iteration of a loop.
    Next,
}

/// The statements for some values of a switch.
#[derive(Clone, Debug)]
struct Arm {
    values: Vec<u32>,
    default: bool,
    body: Vec<Statement>,
    falls_through: bool,
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(Variable, Expression),
    Active(Variable, Active),
    Collective(Variable, Collective),
    /// `v = c ? a : b`.
    Choose(Variable, Condition, Active, Active),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// `if (c && any(d))`.
    IfAny(Condition, Condition, Vec<Statement>),
    /// The body is repeated until the counter has reached the bound.
    Loop(LoopForm, Variable, Expression, Vec<Statement>, Target),
    Switch(Expression, Vec<Arm>, Target),
    /// Statements that a `goto` may leave.
    Block(Vec<Statement>, Target),
    /// If the condition holds, executes statements and jumps.
    Jump(Condition, Vec<Statement>, Jump, Target),
    /// If the condition holds, executes statements and returns from the function.
    Return(Condition, Vec<Statement>, Expression),
    Call(Variable, usize, Expression, Expression),
}

/// A function with two parameters, its first two variables, or the kernel.
#[derive(Clone, Debug, Default)]
struct Function {
    variables: usize,
    targets: usize,
    body: Vec<Statement>,
    result: Option<Expression>,
}

/// A program: functions, of which the last is the kernel.
#[derive(Clone, Debug)]
struct Program {
    functions: Vec<Function>,
    /// The work-items of a work-group, the number of groups, the size of sub-groups, and the kernel's argument.
    items: usize,
    groups: usize,
    sub_group: usize,
    argument: u32,
}

/// The variables of the kernel that have values from the start, which are also its result.
const OWN: usize = 5;

/// The factor of the mixing of values into a result.
const PRIME: u64 = 0x0100_0000_01b3;
