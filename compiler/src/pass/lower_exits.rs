//! Lowers multi-level exits to what SPIR-V's structured control flow can say.
//!
//! In:  any module that is `Inlined`.
//! Out: [`Invariant::SpirvExits`](super::Invariant::SpirvExits), which is what emission relies on:
//!
//! 1. There is no `Block`.
//! 2. `Exit(T)`: T is one of
//!    - the innermost enclosing structured instruction: a branch to its merge block;
//!    - the innermost enclosing `Loop`, with only `If`s and `Switch`es between: a break;
//!    - the innermost enclosing `Switch`, with only `If`s between: a branch to the switch's merge block.
//! 3. `Repeat(L)`: L is the innermost enclosing `Loop`, with only `If`s and `Switch`es between: a branch to the
//!    one continue target of the loop. The values that the repeats pass are phis in that continue block,
//!    which goes to the loop's header.
//! 4. Each `Loop` has at least one `Repeat`. It need not have an `Exit`.
//! 5. A structured instruction that no `Exit` targets never completes: it is followed at once by
//!    `Unreachable` (its merge block holds nothing but OpUnreachable), and has no used results.
//! 6. A `Switch` may have no cases but the default, and a constant selector (this is what becomes of a `Block`
//!    that is left from inside nested `If`s). Case values are distinct and there is no fall-through.
//! 7. `Return` carries no value and may stand anywhere, as OpReturn may. `Unreachable` likewise.
//!
//! The results of a structured instruction are the phis of its merge block, one operand for each `Exit` that
//! targets it.
//!
//! How: a structured instruction that must be left from deeper than SPIR-V allows gets one more result, a
//! number that says where to go on to, and results for the values to take along; behind it, that number is
//! compared and the exit repeated from there, one level further out. So every path to a barrier stays as
//! convergent as it was.
