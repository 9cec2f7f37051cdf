//! Replaces the results of loops with a known number of iterations by closed forms where these are known.
//!
//! Why: `for (i = 0; i != 8; i += 5)` has 1,717,986,920 iterations, until the counter wraps around to 8. No
//! program is meant to execute them, but random programs contain such loops, and compilers for other devices
//! compute the results at once. A GPU is busy for minutes, and llvmpipe ends the loop too early
//! ([`Quirks::counted_loops`](crate::target::Quirks::counted_loops)).
//! In:  any module; best after folding, so that initial values and steps are constants.
//! Out: for each loop whose exit and number of iterations are known, a result that has a closed form is
//!      computed before the loop and replaces the loop's own. `dce` removes the loop if nothing else in it is
//!      needed. If the results are not used, and the instructions with effects do the same in each iteration,
//!      the loop has one full iteration only.
//!
//! `solve_loops/ending.rs` finds the exit, and `pass/analysis/progression.rs` the number of iterations, which is exact
//! also for counters that wrap around. An exit is known only if all ways out of the loop depend on counters alone. So
//! the pass never assumes that a loop ends, and leaves a loop that never ends as it is. (`dce` does assume it of loops
//! that have an exit and no effects. C11 6.8.5p6 allows that unless the controlling expression is constant; C99,
//! on which OpenCL C 1.2 is based, says nothing of loops that do not end.)
//!
//! `solve_loops/closed_form.rs` has the closed forms: numbers to which an invariant number or such a counter
//! is added in each iteration (sums of at most the second degree), products with a constant, shifts by a
//! constant, invariant operands of xor, and, or, minimum and maximum, values that an iteration only
//! sets, and operations on all of these. A number of iterations that is known only at run time is not used.

mod closed_form;
mod form;
mod repetition;

use self::closed_form::{Node, Solver};
use super::analysis::loop_tests::Nest;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::build::Builder;
use crate::ir::walk::Replacements;
use crate::ir::{EntityRef, Function, Inst, KernelInfo, Module, Op, Value};

pub const PASS: Pass = Pass {
    name: "solve_loops",
    about: "Replaces the results of loops with a known number of iterations by closed forms where these are known.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            let kernel = module.kernels.iter().find(|k| k.func == f);
            changed |= cx.settled.note(f, solve(func, kernel));
        }
    }
    Ok(changed.into())
}

/// Solves the loops of a function, and returns whether that changed anything.
fn solve(func: &mut Function, kernel: Option<&KernelInfo>) -> bool {
    if !func.insts.iter().any(|(_, data)| data.op == Op::Loop) {
        return false;
    }
    let nest = Nest::new(func);
    let uses = func.use_counts();
    let is_used = |v: &Value| uses[v.index()] > 0;
    let mut replacements = Replacements::default();
    let mut changed = false;
    for &loop_ in nest.survey.structured.iter().rev() {
        if func.insts[loop_].op != Op::Loop {
            continue;
        }
        let mut solver = match nest.tests(func, loop_) {
            Some(tests) if !tests.is_empty() => Solver::new(func, &nest, loop_, tests),
            _ => continue,
        };
        let Some(ending) = solver.ending() else { continue };
        let results = &func.insts[loop_].results;
        if !results.iter().any(is_used) {
            // Replacements that are not applied yet would hide what the body depends on.
            changed = changed || repetition::repeat_once(func, &nest, kernel, loop_, &ending);
            continue;
        }
        let mut solved = Vec::new();
        for (&result, &value) in results.iter().zip(&func.insts[ending.exit].args) {
            if is_used(&result)
                && let Some(node) = solver.value_at(value, ending.repeats)
            {
                solved.push((result, node));
            }
        }
        if solved.is_empty() {
            continue;
        }
        changed = true;
        let nodes = solver.nodes;
        let values = emit(func, &nest, loop_, &nodes);
        for (result, node) in solved {
            replacements.set(result, values[node]);
        }
    }
    replacements.apply(func);
    changed
}

/// Inserts instructions before a loop, and returns the value of each.
fn emit(func: &mut Function, nest: &Nest, loop_: Inst, nodes: &[Node]) -> Vec<Value> {
    let region = nest
        .survey
        .parents
        .region(loop_)
        .expect("the loop is in a region");
    let index = func.index_in(region, loop_);
    let span = func.insts[loop_].span;
    let mut b = Builder::before(func, region, index);
    b.span = span;
    let mut values: Vec<Value> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let value = match node {
            Node::Old(value) => *value,
            Node::Bits(ty, bits) => b.bits(*ty, *bits),
            Node::New { op, ty, args, fp } => {
                let args: Vec<Value> = args.iter().map(|&n| values[n]).collect();
                let value = b.value(op.clone(), args, *ty);
                if let Some(inst) = b.func.def_inst(value) {
                    b.func.insts[inst].fp = *fp;
                }
                value
            }
        };
        values.push(value);
    }
    values
}
