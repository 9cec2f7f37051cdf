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
//! `MAX_FACTOR` times as large. More costs too much time in llvmpipe's compiler.
//! Where the work-groups are not small, only what is cheap is repeated (`unroll_loops/versions.rs`).

mod trips;
pub(super) mod versions;

use std::collections::BTreeMap;

use self::versions::SMALL_GROUP;
use super::analysis::{Jumps, is_pure_function};
use super::trip_count::positions;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::clone::Copier;
use crate::ir::walk::Walk;
use crate::ir::{Func, Function, Inst, Module, Op, Region, Ty, Unroll};

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

/// What unrolled loops may cost where the work-groups are not small: there the work is more likely spread over
/// many work-items. Compile time once more, and the copies that the driver executes behind a loop's last iteration.
const MAX_COST: usize = 384;

/// What a lane of a memory access costs beside an instruction on values.
const LANE_COST: usize = 8;

/// Loops with no more iterations are left alone wherever they are: Vulkan drivers unroll them entirely if the
/// number is constant, which more exits would only keep them from.
const SHORT: u64 = 32;

/// So are loops that have no more than this in one execution of the function: too few to count.
const FEW: u64 = trips::MAX;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let sizes: BTreeMap<Func, Option<[u32; 3]>> =
        module.kernels.iter().map(|k| (k.func, k.required_size)).collect();
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
                // A function that stays one is pure, called or not any more: it cannot ask for the work-group's size.
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

/// Whether a loop is left alone: the bound of its iterations, and that of them all in one execution.
fn is_short((own, total): (u64, Option<u64>)) -> bool {
    own <= SHORT || total.is_some_and(|t| t <= FEW)
}

/// A loop without loops inside.
struct Candidate {
    inst: Inst,
    /// Where it stands.
    region: Region,
    /// Instructions inside.
    size: usize,
    /// The same, in what they cost llvmpipe's compiler.
    cost: usize,
    /// The factor must not be larger.
    most: usize,
}

impl Candidate {
    /// `None` if a loop is inside.
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
                Op::AtomicOn(..) => LANE_COST,
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

/// How many copies of the bodies there are to be: a power of two, the same for all.
fn factor(plan: &[Candidate], weight: impl Fn(&Candidate) -> usize, room: usize) -> usize {
    let mut factor = MAX_FACTOR;
    let size = |factor: usize| plan.iter().map(|c| weight(c) * factor.min(c.most)).sum::<usize>();
    while factor > 1 && size(factor) > room {
        factor /= 2;
    }
    factor
}

/// Replaces a loop's body by blocks in a row, each a copy of it that is left where the original repeats. `finish`
/// gets each instruction of the body, its copy, and the number of the copy.
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
