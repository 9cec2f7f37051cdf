//! Loops in which every iteration does the same.

use super::closed_form::Ending;
use crate::ir::analysis::is_removable;
use crate::ir::{EntityRef, Function, Inst, KernelInfo, Op, Ty, Value};
use crate::pass::analysis::effects::{Effects, has_effects};
use crate::pass::analysis::loop_tests::Nest;
use crate::pass::analysis::pointers::Pointers;

/// The most executions of the search for values that change.
const MAX_ROUNDS: usize = 6;

/// Gives a loop whose results are not used one full iteration instead of several, if each stores the same
/// values to the same places. Returns whether it did.
///
/// The stores of an iteration may depend neither on arguments of the loop nor on memory that the loop writes,
/// and no condition may depend on them but the loop's own tests. The new loop executes the body once, and once
/// more up to the test that leaves, as the last iteration of the original does.
pub(super) fn repeat_once(
    func: &mut Function,
    nest: &Nest,
    kernel: Option<&KernelInfo>,
    loop_: Inst,
    ending: &Ending,
) -> bool {
    if ending.repeats < 2 || !is_same_each_time(func, nest, kernel, loop_, ending) {
        return false;
    }
    let body = func.insts[loop_].regions[0];
    for test in &ending.tests {
        let stays = func.splat_bits(Ty::BOOL, u64::from(!test.leaves_if));
        if test.inst != ending.test {
            func.insts[test.inst].args[0] = stays;
            continue;
        }
        let leaves = func.splat_bits(Ty::BOOL, u64::from(test.leaves_if));
        let arg = func.add_region_arg(body, Ty::BOOL);
        func.insts[loop_].args.push(stays);
        if let Some(repeat) = func.terminator(body) {
            func.insts[repeat].args.push(leaves);
        }
        func.insts[test.inst].args[0] = arg;
    }
    true
}

fn is_same_each_time(
    func: &Function,
    nest: &Nest,
    kernel: Option<&KernelInfo>,
    loop_: Inst,
    ending: &Ending,
) -> bool {
    let inside = nest.inside(loop_);
    let writes = |inst: Inst| {
        matches!(
            func.insts[inst].op,
            Op::Store(_) | Op::MemZero { .. } | Op::MemCpy { .. }
        )
    };
    let is_allowed = |inst: Inst| {
        let data = &func.insts[inst];
        match &data.op {
            Op::Store(access) => !access.volatile,
            Op::MemZero { dst, .. } => !dst.volatile,
            Op::MemCpy { dst, src, .. } => !dst.volatile && !src.volatile,
            op => op.is_structured() || op.is_terminator() || is_removable(data),
        }
    };
    // A loop without stores is left to `dce`.
    if !inside.iter().all(|&i| is_allowed(i)) || !inside.iter().any(|&i| writes(i)) {
        return false;
    }
    if ending
        .tests
        .iter()
        .any(|t| func.regions[t.arm].insts.iter().any(|&i| writes(i)))
    {
        return false;
    }
    let Some(changes) = changing(func, nest, loop_, ending) else {
        return false;
    };
    let changes = |v: &Value| changes[v.index()];
    if inside
        .iter()
        .any(|&i| writes(i) && func.insts[i].args.iter().any(changes))
    {
        return false;
    }
    let pointers = Pointers::new(func, kernel);
    let effects: Vec<Effects> = inside
        .iter()
        .filter(|&&i| has_effects(&func.insts[i].op))
        .map(|&i| Effects::of(func, &pointers, i))
        .collect();
    effects.iter().all(|read| {
        effects
            .iter()
            .all(|write| !read.reads.may_meet_any(&pointers, &write.writes))
    })
}

/// Returns for each value whether it may differ between iterations, or `None` if a condition in the body does.
fn changing(func: &Function, nest: &Nest, loop_: Inst, ending: &Ending) -> Option<Vec<bool>> {
    let body = func.insts[loop_].regions[0];
    let mut changes = vec![false; func.values.len()];
    let repeat = func.terminator(body)?;
    for (&arg, &next) in func.regions[body].args.iter().zip(&func.insts[repeat].args) {
        changes[arg.index()] = arg != next;
    }
    for _ in 0..MAX_ROUNDS {
        let mut found = false;
        for &inst in nest.inside(loop_) {
            let data = &func.insts[inst];
            let (to, from): (&[Value], &[Value]) = match data.op {
                Op::If | Op::Switch(_) => {
                    let is_test = ending.tests.iter().any(|t| t.inst == inst);
                    if !is_test && changes[data.args[0].index()] {
                        return None;
                    }
                    continue;
                }
                Op::Loop => (&func.regions[data.regions[0]].args, &data.args),
                Op::Exit(target) if target != loop_ => (&func.insts[target].results, &data.args),
                Op::Repeat(target) if target != loop_ => {
                    (&func.regions[func.insts[target].regions[0]].args, &data.args)
                }
                Op::Block | Op::Exit(_) | Op::Repeat(_) => continue,
                _ => {
                    if data.args.iter().any(|v| changes[v.index()]) {
                        for result in &data.results {
                            found |= !std::mem::replace(&mut changes[result.index()], true);
                        }
                    }
                    continue;
                }
            };
            for (to, from) in to.iter().zip(from) {
                if changes[from.index()] {
                    found |= !std::mem::replace(&mut changes[to.index()], true);
                }
            }
        }
        if !found {
            return Some(changes);
        }
    }
    None
}
