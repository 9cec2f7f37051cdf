//! Unrolls small innermost loops partially, for drivers that count the iterations of loops.
//!
//! Why: llvmpipe counts the iterations of all loops of an invocation together and silently leaves every loop
//! once the count reaches a limit, so that a kernel that does much work in one work-item stores wrong results
//! ([`Quirks::counted_loops`](crate::target::Quirks::counted_loops)). The pass does not remove the limit; it
//! raises it up to `MAX_FACTOR` times. A larger factor costs too much time in llvmpipe's compiler.
//! In:  any module.
//! Out: the body of a loop without inner loops is repeated several times in a row, each copy with its own
//!      exits, so that the loop has fewer iterations. The computations and their order stay as they were,
//!      also in loops with barriers.
//!
//! Where the work-groups are not small, only cheap bodies are repeated (`unroll_loops/versions.rs`).

pub(super) mod trips;
pub(super) mod versions;

use std::collections::BTreeMap;

use self::versions::SMALL_GROUP;
use super::analysis::trip_count::positions;
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::ordered;
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure_function};
use crate::ir::clone::Copier;
use crate::ir::walk::Walk;
use crate::ir::{Func, Function, Inst, Module, Op, Region, Ty, Unroll};

pub const PASS: Pass = Pass {
    name: "unroll_loops",
    about: "Unrolls small innermost loops partially, for drivers that count iterations.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// The most copies of a loop's body.
const MAX_FACTOR: usize = 16;

/// The most copies for loops with barriers: llvmpipe takes long to compile a barrier.
const MAX_WITH_BARRIER: usize = 2;

/// The most instructions that the unrolled loops of a function may have together, which limits compile time.
const MAX_INSTS: usize = 4096;

/// The most that unrolled loops may cost where the work-groups are not small: there the work is more likely
/// spread over many work-items. The cost is compile time and the copies that llvmpipe executes after a loop's
/// last iteration.
const MAX_COST: usize = 384;

/// The cost of each lane of a memory access; an instruction on values costs 1.
const LANE_COST: usize = 8;

/// A loop with at most this many iterations is left alone in every function: Vulkan drivers unroll it
/// entirely if the number is constant, and more exits would only prevent that.
const SHORT: u64 = 32;

/// A loop with at most this many iterations in one execution of the function is left alone too: these are too
/// few to reach the driver's limit.
const FEW: u64 = trips::MAX;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let sizes: BTreeMap<Func, Option<[u32; 3]>> =
        ordered(module.kernels.iter().map(|k| (k.func, k.required_size)));
    for (f, func) in module.funcs.iter_mut() {
        let jumps = Jumps::new(func);
        let bounds = trips::bounds(func, &jumps, &positions(func));
        let mut plan = Vec::new();
        let mut walk = Walk::new(func);
        while let Some((region, i)) = walk.next(func) {
            if func.insts[i].op == Op::Loop
                && func.insts[i].unroll != Unroll::Done
                && !jumps.repeats(i).is_empty()
                && !bounds.get(&i).is_some_and(|&b| is_short(b))
            {
                plan.extend(Candidate::new(func, region, i));
            }
        }
        let most = factor(&plan, |c| c.size, MAX_INSTS);
        let cheap = factor(&plan, |c| c.cost, MAX_COST);
        let items = sizes
            .get(&f)
            .copied()
            .flatten()
            .map(|s| s.iter().product::<u32>());
        let source = func.clone();
        let pure = is_pure_function(&source);
        let mut loops = Vec::new();
        for c in &plan {
            let [small, large] = [most, cheap].map(|factor| factor.min(c.most));
            match items {
                Some(items) if items <= SMALL_GROUP => loops.push((c.inst, small)),
                Some(_) => loops.push((c.inst, large)),
                // A function that is not inlined is pure, even if no call of it is left, so it cannot read
                // the size of the work-group.
                None if pure => loops.push((c.inst, large)),
                None if small == large => loops.push((c.inst, small)),
                None => {
                    let copies = versions::by_group_size(func, &source, c.region, c.inst);
                    loops.extend(copies.into_iter().zip([small, large]));
                }
            }
        }
        for (inst, factor) in loops.into_iter().filter(|&(_, factor)| factor > 1) {
            iterations_in_one(func, inst, factor, |_, _, _, _| {});
            changed = true;
        }
    }
    Ok(changed.into())
}

/// Returns whether a loop is left alone. The arguments are the bounds of its iterations in one execution of
/// the loop and in one execution of the function.
fn is_short((own, total): (u64, Option<u64>)) -> bool {
    own <= SHORT || total.is_some_and(|t| t <= FEW)
}

/// A loop without inner loops.
struct Candidate {
    inst: Inst,
    /// The region that contains it.
    region: Region,
    /// The number of instructions inside.
    size: usize,
    /// The cost of the instructions inside in llvmpipe's compiler.
    cost: usize,
    /// The largest factor that the loop allows.
    most: usize,
}

impl Candidate {
    /// Returns the candidate, or `None` if the loop contains a loop.
    fn new(func: &Function, region: Region, inst: Inst) -> Option<Self> {
        let mut candidate = Candidate {
            inst,
            region,
            size: 0,
            cost: 0,
            most: MAX_FACTOR,
        };
        let mut walk = Walk::region(func.insts[inst].regions[0]);
        while let Some((_, inside)) = walk.next(func) {
            let data = &func.insts[inside];
            candidate.cost += match data.op {
                Op::LoadFrom(..) => LANE_COST * usize::from(func.ty(data.results[0]).lanes),
                Op::StoreTo(..) => LANE_COST * data.args.last().map_or(1, |&v| usize::from(func.ty(v).lanes)),
                Op::AtomicOn(..) | Op::MatrixOn(..) => LANE_COST,
                _ => 1,
            };
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

/// Returns the number of copies of the loop bodies, a power of two that is the same for all loops of a
/// function.
fn factor(plan: &[Candidate], weight: impl Fn(&Candidate) -> usize, room: usize) -> usize {
    let mut factor = MAX_FACTOR;
    let size = |factor: usize| plan.iter().map(|c| weight(c) * factor.min(c.most)).sum::<usize>();
    while factor > 1 && size(factor) > room {
        factor /= 2;
    }
    factor
}

/// Replaces a loop's body by blocks in a row, each a copy of the body that is left where the original
/// repeats. `finish` is called with each instruction of the body, its copy, and the number of the copy.
pub(super) fn iterations_in_one(
    func: &mut Function,
    target: Inst,
    factor: usize,
    finish: impl Fn(&mut Function, Inst, Inst, usize),
) {
    let span = func.insts[target].span;
    let body = func.insts[target].regions[0];
    let params = func.regions[body].args.clone();
    let types: Vec<Ty> = params.iter().map(|&p| func.ty(p)).collect();
    let insts = std::mem::take(&mut func.regions[body].insts);
    let mut values = params.clone();
    let mut copier = Copier::default();
    for copy in 0..factor {
        let block = func.new_inst(Op::Block, vec![], &types, span);
        let region = func.new_region(&[]);
        func.insts[block].regions.push(region);
        func.regions[body].insts.push(block);
        copier.reset();
        for (&param, &value) in params.iter().zip(&values) {
            copier.map_value(param, value);
        }
        copier.insts(func, &insts, region, |func, old, new| {
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
                .map(|&(size, most)| Candidate {
                    inst,
                    region: Region::new(0),
                    size,
                    cost: size,
                    most,
                })
                .collect()
        };
        assert_eq!(factor(&loops(&[(20, MAX_FACTOR)]), |c| c.size, MAX_INSTS), 16);
        assert_eq!(
            factor(
                &loops(&[(20, MAX_FACTOR), (480, MAX_FACTOR)]),
                |c| c.size,
                MAX_INSTS
            ),
            8
        );
        assert_eq!(
            factor(
                &loops(&[(20, MAX_FACTOR), (480, MAX_WITH_BARRIER)]),
                |c| c.size,
                MAX_INSTS
            ),
            16
        );
        assert_eq!(factor(&loops(&[(5000, MAX_FACTOR)]), |c| c.size, MAX_INSTS), 1);
    }
}
