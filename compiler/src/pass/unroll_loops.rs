//! Makes small innermost loops do several iterations in one, for drivers that count them.
//!
//! In:  any module.
//! Out: a loop without loops inside has its body several times in a row, each copy with its own exits, so that
//!      the loop comes back to its head less often. What is computed, and in which order, stays as it was;
//!      loops with barriers are no exception.
//!
//! For [`Quirks::counted_loops`](crate::target::Quirks::counted_loops): llvmpipe counts the iterations of all
//! loops of an invocation together and silently leaves every loop once the count is reached, so that a kernel that
//! does much work in one work-item stores wrong results. This does not lift the limit, it makes it up to
//! [`MAX_FACTOR`] times as large. More costs too much time in llvmpipe's compiler.

use super::analysis::Jumps;
use super::trip_count::{positions, trip_count};
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

/// Copies of a loop's body.
const MAX_FACTOR: usize = 16;

/// The same for loops with barriers: each barrier takes llvmpipe long to compile.
const MAX_WITH_BARRIER: usize = 2;

/// Instructions that the unrolled loops of a function may have together: compile time again.
const MAX_INSTS: usize = 4096;

/// Constant trip counts up to here are left alone: Vulkan drivers unroll such a loop entirely, which more exits
/// would only keep them from.
const SHORT: u64 = 32;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        let jumps = Jumps::new(func);
        let position = positions(func);
        let plan: Vec<Candidate> = func
            .insts_in_order()
            .into_iter()
            .filter(|&i| func.insts[i].op == Op::Loop && !jumps.repeats(i).is_empty())
            .filter(|&i| trip_count(func, &jumps, &position, i, SHORT).is_none())
            .filter_map(|i| Candidate::new(func, i))
            .collect();
        let factor = factor(&plan);
        if plan.is_empty() || factor == 1 {
            continue;
        }
        let source = func.clone();
        for loop_ in plan {
            iterations_in_one(func, &source, loop_.inst, factor.min(loop_.most), |_, _, _, _| {});
        }
        changed = true;
    }
    Ok(changed.into())
}

/// A loop without loops inside.
struct Candidate {
    inst: Inst,
    /// Instructions inside.
    size: usize,
    /// The factor must not be larger.
    most: usize,
}

impl Candidate {
    /// `None` if a loop is inside.
    fn new(func: &Function, inst: Inst) -> Option<Self> {
        let mut candidate = Candidate {
            inst,
            size: 0,
            most: MAX_FACTOR,
        };
        let mut walk = Walk::region(func.insts[inst].regions[0]);
        while let Some((_, inside)) = walk.next(func) {
            match func.insts[inside].op {
                Op::Loop => return None,
                Op::Intrinsic(i) if i.is_convergent() => candidate.most = MAX_WITH_BARRIER,
                _ => {}
            }
            candidate.size += 1;
        }
        Some(candidate)
    }
}

/// How many copies of the bodies there are to be: a power of two, the same for all.
fn factor(plan: &[Candidate]) -> usize {
    let mut factor = MAX_FACTOR;
    let size = |factor: usize| plan.iter().map(|c| c.size * factor.min(c.most)).sum::<usize>();
    while factor > 1 && size(factor) > MAX_INSTS {
        factor /= 2;
    }
    factor
}

/// Replaces a loop's body by blocks in a row, each a copy of it that is left where the original repeats. `finish`
/// gets each instruction of `source`, its copy, and the number of the copy.
pub(super) fn iterations_in_one(
    func: &mut Function,
    source: &Function,
    target: Inst,
    factor: usize,
    finish: impl Fn(&mut Function, Inst, Inst, usize),
) {
    let span = source.insts[target].span;
    let body = source.insts[target].regions[0];
    let params = &source.regions[body].args;
    let types: Vec<Ty> = params.iter().map(|&p| source.ty(p)).collect();
    let mut values = params.clone();
    func.regions[body].insts.clear();
    for copy in 0..factor {
        let block = func.new_inst(Op::Block, vec![], &types, span);
        let region = func.new_region(&[]);
        func.insts[block].regions.push(region);
        func.regions[body].insts.push(block);
        let mut cloner = Cloner::new(source);
        for (&param, &value) in params.iter().zip(&values) {
            cloner.map_value(param, value);
        }
        cloner.region(func, body, region, |func, old, new| {
            if func.insts[new].op == Op::Repeat(target) {
                func.insts[new].op = Op::Exit(block);
            }
            finish(func, old, new, copy);
        });
        values.clone_from(&func.insts[block].results);
    }
    let repeat = func.new_inst(Op::Repeat(target), values, &[], span);
    func.regions[body].insts.push(repeat);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::EntityRef;

    #[test]
    fn all_loops_of_a_function_share_the_room() {
        let loops = |list: &[(usize, usize)]| -> Vec<Candidate> {
            let inst = Inst::new(0);
            list.iter()
                .map(|&(size, most)| Candidate { inst, size, most })
                .collect()
        };
        assert_eq!(factor(&loops(&[(20, MAX_FACTOR)])), 16);
        assert_eq!(factor(&loops(&[(20, MAX_FACTOR), (480, MAX_FACTOR)])), 8);
        assert_eq!(factor(&loops(&[(20, MAX_FACTOR), (480, MAX_WITH_BARRIER)])), 16);
        assert_eq!(factor(&loops(&[(5000, MAX_FACTOR)])), 1);
    }
}
