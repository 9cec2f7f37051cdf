//! Splits private variables into the parts that are accessed, so that `mem2reg` can promote them.
//!
//! Why: `mem2reg` promotes only variables that are always accessed as a whole and as one type.
//! In:  any module; most effective after `inline`.
//! Out: each `alloca` whose address is used only in non-volatile loads, stores, copies and zeroing at
//!      constant offsets is split where the accesses allow it.
//!
//! First the `mem_cpy` and `mem_zero` of such variables become loads and stores of the types with which the
//! variables are accessed elsewhere (through chains of copies too). Then each set of overlapping accesses
//! gets a variable of its own:
//! - accesses all of the same bytes: a variable of one type, with bitcasts for other types;
//! - scalars and vectors on a grid of equal elements: a variable for each element;
//! - numbers of different widths (a union): a variable for each part that is stored by itself;
//! - any other set (a union of pointers and numbers of other widths): memory of the size that the accesses
//!   cover.

mod copies;
mod slots;
mod split;
mod words;

pub(super) use slots::MAX_COPY;

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::{Function, Module};

pub const PASS: Pass = Pass {
    name: "sroa",
    about: "Splits private variables into the parts that are accessed.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            changed |= cx.settled.note(f, run_on(func));
        }
    }
    Ok(changed.into())
}

/// Runs the pass on one function, and returns whether anything changed.
pub(super) fn run_on(func: &mut Function) -> bool {
    let mut slots = slots::Slots::new(func);
    if slots.list.is_empty() {
        return false;
    }
    let mut changed = false;
    if copies::expand(func, &slots) {
        changed = true;
        slots = slots::Slots::new(func);
    }
    changed | split::split(func, &slots)
}
