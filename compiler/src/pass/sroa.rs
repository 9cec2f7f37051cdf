//! Splits private variables into the parts that are accessed, so that `mem2reg` can promote them.
//!
//! In, out: any module; most use behind `inline`. Concerned are `alloca`s whose address is used in nothing but non-volatile loads,
//! stores, copies and zeroing at constant offsets. First their `mem_cpy` and `mem_zero` become loads and stores
//! of the types that the variables are accessed with elsewhere (through chains of copies too), then each set of
//! overlapping accesses becomes a variable of its own:
//! - all of one size and place: of one type, the others by bitcast;
//! - scalars and vectors on a grid of equal elements: a variable for each element;
//! - anything else (a union of different widths): as much memory as they cover.

mod copies;
mod slots;
mod split;

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

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= run_on(func);
    }
    Ok(changed.into())
}

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
