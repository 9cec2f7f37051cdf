//! A search among the operations from which a driver may know something of a value.

use crate::ir::{Function, InstData, Value};

/// What a search does at a value.
pub(super) enum Step {
    /// It has found what it looks for.
    Found,
    /// It goes on with the operands.
    Operands,
    /// There is nothing here.
    Nothing,
}

impl Step {
    /// What a search does at a constant or a parameter, if a parameter may be what it looks for.
    pub(super) fn at_parameter(func: &Function, value: Value) -> Step {
        match func.as_const(value) {
            Some(_) => Step::Nothing,
            None => Step::Found,
        }
    }
}

/// The most values that a search looks at.
const MAX_VALUES: usize = 64;

/// Returns whether `step` finds something: at a value, or at operands with which it goes on. It gets each value and the
/// instruction that computes it, or `None` for constants and parameters. A search that would become too long has found
/// something.
pub(super) fn finds(func: &Function, value: Value, step: impl Fn(Value, Option<&InstData>) -> Step) -> bool {
    let mut list = vec![value];
    let mut next = 0;
    while let Some(&value) = list.get(next) {
        next += 1;
        let data = func.def_inst(value).map(|def| &func.insts[def]);
        match (step(value, data), data) {
            (Step::Found, _) => return true,
            (Step::Operands, Some(data)) if list.len() < MAX_VALUES => list.extend_from_slice(&data.args),
            (Step::Operands, Some(_)) => return true,
            (Step::Operands, None) | (Step::Nothing, _) => {}
        }
    }
    false
}
