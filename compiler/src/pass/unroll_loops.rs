//! Makes small innermost loops do several iterations in one, for drivers that count them.
//!
//! In:  any module.
//! Out: a loop without loops inside has its body several times in a row, each copy with its own exits, so that
//!      the loop comes back to its head less often. What is computed, and in which order, stays as it was;
//!      loops with barriers are no exception.
//!
//! For [`Quirks::counted_loops`](crate::target::Quirks::counted_loops): llvmpipe counts the iterations of all
//! loops of an invocation together and silently leaves every loop once the count is reached, so that a kernel that
//! does much work in one work-item stores wrong results. This does not lift the limit, it makes it
//! [`MAX_FACTOR`] times as large where it matters.

use super::analysis::Jumps;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::clone::Cloner;
use crate::ir::walk::Walk;
use crate::ir::{Function, Inst, Module, Op, Ty};

pub const PASS: Pass = Pass {
    name: "unroll_loops",
    about: "Makes small innermost loops do several iterations in one, for drivers that count them.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// Copies of the smallest loops.
const MAX_FACTOR: usize = 16;

/// Instructions that a loop may have afterwards.
const MAX_INSTS: usize = 512;

/// Instructions that a function may have afterwards.
const MAX_FUNCTION: usize = 1 << 15;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        let jumps = Jumps::new(func);
        let mut size = func.insts_in_order().len();
        let mut plan = Vec::new();
        for inst in func.insts_in_order() {
            if func.insts[inst].op != Op::Loop || jumps.repeats(inst).is_empty() {
                continue;
            }
            let Some(body) = body_size(func, inst) else {
                continue;
            };
            let factor = factor(body);
            if factor > 1 && size + body * factor <= MAX_FUNCTION {
                size += body * factor;
                plan.push((inst, factor));
            }
        }
        if plan.is_empty() {
            continue;
        }
        let source = func.clone();
        for (inst, factor) in plan {
            unroll(func, &source, inst, factor);
        }
        changed = true;
    }
    Ok(changed.into())
}

/// Number of instructions in a loop; `None` if a loop is among them.
fn body_size(func: &Function, inst: Inst) -> Option<usize> {
    let mut walk = Walk::region(func.insts[inst].regions[0]);
    let mut count = 0;
    while let Some((_, inside)) = walk.next(func) {
        if func.insts[inside].op == Op::Loop {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// How many copies of a body of this size there are to be: a power of two.
fn factor(body: usize) -> usize {
    let most = (MAX_INSTS / body.max(1)).clamp(1, MAX_FACTOR);
    1 << most.ilog2()
}

/// Replaces the body by blocks in a row, each a copy of it that is left where the original repeats.
fn unroll(func: &mut Function, source: &Function, target: Inst, factor: usize) {
    let span = source.insts[target].span;
    let body = source.insts[target].regions[0];
    let params = &source.regions[body].args;
    let types: Vec<Ty> = params.iter().map(|&p| source.ty(p)).collect();
    let mut values = params.clone();
    func.regions[body].insts.clear();
    for _ in 0..factor {
        let block = func.new_inst(Op::Block, vec![], &types, span);
        let region = func.new_region(&[]);
        func.insts[block].regions.push(region);
        func.regions[body].insts.push(block);
        let mut cloner = Cloner::new(source);
        for (&param, &value) in params.iter().zip(&values) {
            cloner.map_value(param, value);
        }
        cloner.region(func, body, region, |func, _, new| {
            if func.insts[new].op == Op::Repeat(target) {
                func.insts[new].op = Op::Exit(block);
            }
        });
        values.clone_from(&func.insts[block].results);
    }
    let repeat = func.new_inst(Op::Repeat(target), values, &[], span);
    func.regions[body].insts.push(repeat);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_powers_of_two() {
        assert_eq!(
            [1, 20, 32, 33, 128, 256, 257, 9999].map(factor),
            [16, 16, 16, 8, 4, 2, 1, 1]
        );
    }
}
