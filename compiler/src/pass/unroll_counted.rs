//! Unrolls loops that count to a constant, and those of which the source asks it.
//!
//! Why: `#pragma unroll` and `opencl_unroll_hint` (OpenCL 2.0 6.11.5, accepted by all 1.2 compilers) ask for it; and
//! a private array that is indexed by a loop's counter becomes values only if the index is constant.
//! In:  any module; behind folding, so that counters are constants.
//! Out: loops whose number of iterations is known are copies of their body in a row, within a budget of
//!      instructions; other loops that the source wants unrolled do several iterations in one. What is computed,
//!      and in which order, stays as it was. A loop with a hint that is not followed keeps it: SPIR-V's loop
//!      control passes it on.
//!
//! Innermost loops first, one level in each execution: what folding makes of the copies decides about the next.

use super::analysis::{Jumps, base_of};
use super::trip_count::{TripCount, positions, trip_count};
use super::unroll_loops::iterations_in_one;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::clone::Cloner;
use crate::ir::{EntityRef, Function, Inst, Module, Op, Ty, Unroll, Value};

pub const PASS: Pass = Pass {
    name: "unroll_counted",
    about: "Unrolls loops that count to a constant, and those of which the source asks it.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// Most instructions that a loop may become, and most iterations.
#[derive(Copy, Clone)]
struct Budget {
    insts: u64,
    iterations: u64,
}

/// Nobody asked for it, but it costs about nothing.
const SMALL: Budget = Budget {
    insts: 160,
    iterations: 16,
};

/// The loop indexes private memory by what changes in it.
const PROMOTING: Budget = Budget {
    insts: 1200,
    iterations: 64,
};

/// The source asked for it.
const ASKED: Budget = Budget {
    insts: 4096,
    iterations: 512,
};

/// Iterations in one, of a loop that is to be unrolled and is not counted.
const UNCOUNTED_FACTOR: u64 = 4;

/// Instructions that a function may have before nothing is unrolled in it any more.
const MAX_FUNCTION: u64 = 24_000;

/// A barrier counts as so many instructions: drivers take long over them.
const BARRIER: u64 = 40;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            changed |= cx.settled.note(f, unroll(func));
        }
    }
    Ok(changed.into())
}

/// What to do with a loop.
#[derive(Copy, Clone)]
enum Decision {
    Full(TripCount),
    Partial(u64, Option<TripCount>),
}

fn unroll(func: &mut Function) -> bool {
    let order = func.insts_in_order();
    if !order.iter().any(|&i| func.insts[i].op == Op::Loop) {
        return false;
    }
    let jumps = Jumps::new(func);
    let position = positions(func);
    let facts = Facts::new(func, &order);
    let mut total = order.len() as u64;
    let mut inside = vec![false; func.insts.len()];
    let mut plan = Vec::new();
    for &inst in order.iter().rev() {
        let regions = &func.insts[inst].regions;
        let mut has = regions.iter().flat_map(|&r| &func.regions[r].insts);
        inside[inst.index()] = has.any(|i| inside[i.index()]);
        if func.insts[inst].op != Op::Loop || inside[inst.index()] || jumps.repeats(inst).is_empty() {
            continue;
        }
        let Some((decision, size)) = decide(func, &jumps, &position, &facts, inst) else {
            continue;
        };
        if total + size > MAX_FUNCTION {
            continue;
        }
        total += size;
        inside[inst.index()] = true;
        plan.push((inst, decision));
    }
    if plan.is_empty() {
        return false;
    }
    let source = func.clone();
    for (inst, decision) in plan {
        match decision {
            Decision::Full(count) => all_iterations(func, &source, inst, count),
            Decision::Partial(factor, count) => {
                func.insts[inst].unroll = Unroll::Never;
                iterations_in_one(func, &source, inst, factor as usize, |func, old, new, copy| {
                    if let Some(count) = count
                        && old == count.test
                        && copy as u64 != count.repeats % factor
                    {
                        func.insts[new].args[0] = func.splat_bits(Ty::BOOL, u64::from(!count.leaves_if));
                    }
                });
            }
        }
    }
    true
}

/// What to do with a loop, and how many instructions that adds.
fn decide(
    func: &Function,
    jumps: &Jumps,
    position: &[u32],
    facts: &Facts,
    inst: Inst,
) -> Option<(Decision, u64)> {
    let hint = func.insts[inst].unroll;
    let budget = match hint {
        Unroll::Never => return None,
        Unroll::Unsaid if facts.indexes[inst.index()] => PROMOTING,
        Unroll::Unsaid => SMALL,
        Unroll::Full | Unroll::By(_) => ASKED,
    };
    let size = u64::from(facts.size[inst.index()]).max(1);
    // A loop that is not unrolled whole may still be known to end after a multiple of the factor.
    let limit = if hint == Unroll::Unsaid {
        budget.iterations
    } else {
        4096
    };
    let count = trip_count(func, jumps, position, inst, limit);
    if let Some(count) = count {
        let asked = match hint {
            Unroll::By(n) => count.repeats <= u64::from(n),
            Unroll::Unsaid | Unroll::Never | Unroll::Full => true,
        };
        let copies = count.repeats + 1;
        if asked && copies <= budget.iterations + 1 && count.repeats * size <= budget.insts {
            return Some((Decision::Full(count), count.repeats * size));
        }
    }
    let wanted = match hint {
        Unroll::Unsaid | Unroll::Never => return None,
        Unroll::By(n) => u64::from(n),
        Unroll::Full => match count {
            // The largest power of two that leaves nothing over.
            Some(count) => (1 << count.repeats.trailing_zeros().min(4)).max(UNCOUNTED_FACTOR),
            None => UNCOUNTED_FACTOR,
        },
    };
    let factor = wanted.min(budget.insts / size).min(64);
    (factor >= 2).then_some((Decision::Partial(factor, count), factor * size))
}

/// Facts about loops.
struct Facts {
    /// Of each instruction with all that is inside.
    size: Vec<u32>,
    /// Whether there is an access to a private variable at an offset that is not constant.
    indexes: Vec<bool>,
}

impl Facts {
    fn new(func: &Function, order: &[Inst]) -> Facts {
        let mut facts = Facts {
            size: vec![0; func.insts.len()],
            indexes: vec![false; func.insts.len()],
        };
        for &inst in order.iter().rev() {
            let data = &func.insts[inst];
            let mut size = match &data.op {
                Op::Intrinsic(i) if i.is_convergent() => BARRIER as u32,
                _ => 1,
            };
            let mut indexes = data.op == Op::PtrAdd
                && func.as_const(data.args[1]).is_none()
                && is_alloca(func, base_of(func, data.args[0]).0);
            for &region in &data.regions {
                for &i in &func.regions[region].insts {
                    size = size.saturating_add(facts.size[i.index()]);
                    indexes |= facts.indexes[i.index()];
                }
            }
            facts.size[inst.index()] = size;
            facts.indexes[inst.index()] = indexes;
        }
        facts
    }
}

fn is_alloca(func: &Function, v: Value) -> bool {
    let def = func.def_inst(v);
    def.is_some_and(|i| matches!(func.insts[i].op, Op::Alloca { .. }))
}

/// Makes the loop a block of all its iterations. In the last one the test leaves, and what would repeat is never
/// reached.
fn all_iterations(func: &mut Function, source: &Function, target: Inst, count: TripCount) {
    let span = source.insts[target].span;
    let body = source.insts[target].regions[0];
    let params = &source.regions[body].args;
    let types: Vec<Ty> = params.iter().map(|&p| source.ty(p)).collect();
    let data = &mut func.insts[target];
    data.op = Op::Block;
    data.unroll = Unroll::Unsaid;
    let mut values = std::mem::take(&mut data.args);
    func.regions[body].args.clear();
    func.regions[body].insts.clear();
    for n in 0..=count.repeats {
        let is_last = n == count.repeats;
        let block = func.new_inst(Op::Block, vec![], if is_last { &[] } else { &types }, span);
        let region = func.new_region(&[]);
        func.insts[block].regions.push(region);
        func.regions[body].insts.push(block);
        let mut cloner = Cloner::new(source);
        for (&param, &value) in params.iter().zip(&values) {
            cloner.map_value(param, value);
        }
        cloner.region(func, body, region, |func, old, new| {
            if func.insts[new].op == Op::Repeat(target) {
                if is_last {
                    func.insts[new].op = Op::Unreachable;
                    func.insts[new].args.clear();
                } else {
                    func.insts[new].op = Op::Exit(block);
                }
            } else if old == count.test {
                let leaves = is_last == count.leaves_if;
                func.insts[new].args[0] = func.splat_bits(Ty::BOOL, u64::from(leaves));
            }
        });
        values.clone_from(&func.insts[block].results);
    }
    let end = func.new_inst(Op::Unreachable, vec![], &[], span);
    func.regions[body].insts.push(end);
}
