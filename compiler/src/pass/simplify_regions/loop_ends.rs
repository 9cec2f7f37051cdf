//! Gives a loop a single repeat, at the end of its body, and lets its test do nothing but leave the loop. In the SPIR-V of
//! other compilers, loops have the form `if c { …; repeat } else { exit }`, in which no pass would find the test.

use super::{Known, Order};
use crate::ir::walk::Replacements;
use crate::ir::{EntityRef, Function, Inst, Op, Region, Ty};

/// If a loop's body ends in an `if` or `switch` that never completes, the repeats of the loop inside of it become its own
/// exits, and a repeat follows it.
pub(super) fn merge_repeats(func: &mut Function, known: &Known) -> bool {
    let Known { jumps, order, .. } = known;
    let mut changed = false;
    for &loop_ in &known.structured {
        if func.insts[loop_].op != Op::Loop {
            continue;
        }
        let body = func.insts[loop_].regions[0];
        let &[.., last, end] = &func.regions[body].insts[..] else {
            continue;
        };
        let is_choice = matches!(func.insts[last].op, Op::If | Op::Switch(_));
        if !is_choice || func.insts[end].op != Op::Unreachable || !jumps.exits(last).is_empty() {
            continue;
        }
        let repeats = jumps.repeats(loop_);
        let inside: Vec<Inst> = repeats
            .iter()
            .copied()
            .filter(|&r| order.contains(last, r))
            .collect();
        if inside.is_empty() {
            continue;
        }
        for repeat in inside {
            func.insts[repeat].op = Op::Exit(last);
        }
        func.insts[last].results.clear();
        let types: Vec<Ty> = func.regions[body].args.iter().map(|&a| func.ty(a)).collect();
        let results = types.into_iter().map(|ty| func.add_result(last, ty)).collect();
        func.insts[end].op = Op::Repeat(loop_);
        func.insts[end].args = results;
        changed = true;
    }
    changed
}

/// Where one arm of an `if` leaves a loop, the code of the other arm moves to the place after the `if`.
pub(super) fn flatten_tests(func: &mut Function, known: &Known) -> bool {
    let mut replacements = Replacements::default();
    let mut changed = false;
    for &region in known.regions.iter().rev() {
        let mut n = 0;
        while let Some(&inst) = func.regions[region].insts.get(n) {
            n += 1;
            let Some(arm) = arm_that_stays(func, known, inst) else {
                continue;
            };
            let mut insts = std::mem::take(&mut func.regions[arm].insts);
            let exit = insts.pop().expect("the arm ends in an exit");
            for (&result, &value) in func.insts[inst].results.iter().zip(&func.insts[exit].args) {
                replacements.set(result, value);
            }
            func.insts[inst].results.clear();
            func.insts[exit].args.clear();
            func.regions[arm].insts.push(exit);
            func.regions[region].insts.splice(n..n, insts);
            changed = true;
        }
    }
    replacements.apply(func);
    changed
}

/// If one arm of an `if` ends by leaving a loop, and the other arm does more than to go on after the `if`, returns the
/// other arm.
fn arm_that_stays(func: &Function, known: &Known, inst: Inst) -> Option<Region> {
    let data = &func.insts[inst];
    if data.op != Op::If {
        return None;
    }
    let (&[exit], &[a, b]) = (known.jumps.exits(inst), &data.regions[..]) else {
        return None;
    };
    let (stays, leaves) = if func.terminator(a) == Some(exit) {
        (a, b)
    } else {
        (b, a)
    };
    let does_more = func.regions[stays].insts.len() > 1 || !data.results.is_empty();
    if func.terminator(stays) != Some(exit) || !does_more {
        return None;
    }
    let Op::Exit(target) = func.insts[func.terminator(leaves)?].op else {
        return None;
    };
    leaves_loop(func, &known.order, inst, target).then_some(stays)
}

/// Returns whether an exit of `target` in `inst` leaves a loop.
pub(super) fn leaves_loop(func: &Function, order: &Order, inst: Inst, target: Inst) -> bool {
    let around = |inst: &Inst| order.around[inst.index()];
    let mut path = std::iter::successors(around(&inst), around);
    let mut path = path.by_ref().take_while(|&outer| outer != target);
    func.insts[target].op == Op::Loop || path.any(|outer| func.insts[outer].op == Op::Loop)
}
