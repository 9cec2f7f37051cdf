//! Loops whose test has a part that no iteration changes, as `for (i = a; inside && i < n; i++)`.

use super::{guard, has_loads, is_outside};
use crate::ir::walk::{Parents, Replacements};
use crate::ir::{BinOp, Function, Inst, Op, Value};

/// Moves the part of a loop's test that no iteration changes to a branch around the loop, so that the loop counts to its bound.
/// Returns whether there is such a loop.
pub(super) fn unswitch(func: &mut Function) -> bool {
    let order = func.insts_in_order();
    let is_loop = |&i: &Inst| func.insts[i].op == Op::Loop && has_loads(func, i);
    let loops: Vec<Inst> = order.into_iter().filter(is_loop).collect();
    let mut parents = None;
    let mut replacements = Replacements::default();
    let mut exits = Vec::new();
    for loop_ in loops {
        let Some((header, rest)) = invariant_test(func, loop_) else {
            continue;
        };
        let parents = parents.get_or_insert_with(|| Parents::new(func));
        let place = parents.region(loop_);
        let Some(guarded) = place.and_then(|place| guard::build(func, place, loop_, &header)) else {
            continue;
        };
        func.insts[header.test].args[0] = rest;
        let results = func.insts[loop_].results.clone();
        for (&old, &new) in results.iter().zip(&func.insts[guarded.inst].results.clone()) {
            replacements.set(old, new);
        }
        exits.push((guarded.exit, results));
    }
    if exits.is_empty() {
        return false;
    }
    replacements.apply(func);
    for (exit, results) in exits {
        func.insts[exit].args = results;
    }
    true
}

/// Returns the test of a loop that stays while an unchanging and a changing condition hold, and the latter.
fn invariant_test(func: &Function, loop_: Inst) -> Option<(guard::Header, Value)> {
    let header = guard::header(func, loop_).filter(|h| h.stays_by() == 0)?;
    let body = func.insts[loop_].regions[0];
    let all = func.def_inst(func.insts[header.test].args[0])?;
    if func.insts[all].op != Op::Binary(BinOp::And) {
        return None;
    }
    let [a, b] = [0, 1].map(|n: usize| func.insts[all].args[n]);
    let rest = match [a, b].map(|v| is_outside(func, body, v)) {
        [true, false] => b,
        [false, true] => a,
        _ => return None,
    };
    let compares = matches!(func.insts[func.def_inst(rest)?].op, Op::Compare(_));
    compares.then_some((header, rest))
}
