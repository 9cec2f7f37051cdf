//! The intermediate representation: SSA values in structured regions.
//!
//! # Semantics
//!
//! A [`Module`] holds functions and globals. A [`Function`] has parameters and one body [`Region`]. A region
//! is a list of instructions; the last one, and only the last, is a terminator. All control flow is expressed
//! by *structured instructions*, which own regions:
//!
//! | op | operands | regions | results |
//! |---|---|---|---|
//! | `Block` | none | one, no arguments | what its exits pass |
//! | `Loop` | initial values of the region's arguments | one, with arguments | what its exits pass |
//! | `If` | a `Bool` | two (then, else), no arguments | what its exits pass |
//! | `Switch` | an integer | one per case list, then default; no arguments | what its exits pass |
//!
//! and by terminators: `Exit(target)` leaves the enclosing structured instruction `target`, at any nesting
//! distance, and passes one value per result. `Repeat(target)` starts the next iteration of an enclosing loop
//! and passes one value per region argument. `Return` leaves the function. `Unreachable` is never executed.
//! Control never reaches the end of a region without a terminator, and one `switch` case never falls through
//! into the next. Leaving a region has no effect other than the transfer of control: there are no
//! destructors. A pass therefore cannot break structured control flow.
//!
//! Values are instruction results, region arguments, function parameters or constants. A use must be
//! dominated by its definition: earlier in the same region, or in (an argument of) an enclosing region before
//! the enclosing instruction. Constants are per function, belong to no region and dominate everything.
//!
//! There are no first-class aggregates: structs and arrays live in memory. Memory instructions carry the
//! accessed type, alignment and volatility; address arithmetic is `PtrAdd` (pointer + signed byte offset).
//! Pointers are opaque and typed by address space only. A `Bool` cannot be stored. Integers are signless.
//!
//! Vectors have 2, 3, 4, 8 or 16 lanes of one scalar type (1-lane vectors do not exist). In memory a vector of
//! n lanes is n consecutive scalars: 3-lane accesses touch three (padding is the layout's business).
//!
//! The text form ([`mod@print`], [`parse`]) is the format of dumps, tests and library objects; `docs/ir.md` has
//! the grammar.

pub mod analysis;
pub mod atomic;
pub mod build;
pub mod clone;
pub mod eval;
pub mod from_cfg;
pub mod function;
pub mod inst;
pub mod list;
pub mod module;
pub mod names;
pub mod parse;
pub mod print;
pub mod rewrite;
pub mod ty;
pub mod walk;

pub use crate::entity::{EntityRef, Map};
pub use build::Builder;
pub use function::{Const, Function, Linkage, Region, RegionData, Value, ValueData, ValueDef};
pub use inst::{
    Access, BinOp, CastOp, CmpOp, FpFlags, Inst, InstData, MatrixAccess, Op, Storage, UnOp, Unroll,
};
pub use list::ValueList;
pub use module::{
    ArgKind, ArgLocation, ConstantData, FactLocation, Func, Global, GlobalData, Handle, HandleFact,
    Initializer, KernelAbi, KernelArg, KernelInfo, MemoryObject, Module, ModuleSlots, PointerUse, Printf,
    PrintfEntry, RequiredSubgroups, SystemPush,
};
pub use ty::{AddressSpace, Component, Matrix, MatrixUse, Scalar, Ty};
