//! Unrolls loops that count to a constant, further if the source asks for it.
//!
//! Why: `#pragma unroll` and `opencl_unroll_hint` (OpenCL 2.0 6.11.5, accepted by all 1.2 compilers) ask for it; and
//! a private array that is indexed by a loop's counter becomes values only if the index is constant. So does what is
//! read of a table in constant memory: the rounds of a hash function take their numbers from one, which costs an eighth
//! of the speed (H200, SHA-256).
//! In:  any module; behind folding, so that counters are constants.
//! Out: loops whose number of iterations is known are copies of their body in a row, within a budget of
//!      instructions; longer ones that the source wants unrolled do several iterations in one, as do those that only read
//!      work-group memory, where constants in addresses cost nothing, and, no further, those that only compute with doubles
//!      or halves. What is computed,
//!      and in which order, stays as it was. Several iterations of a loop that `interleave` is going to take are left to that. A loop with a hint that is not followed keeps it: SPIR-V's loop
//!      control passes it on.
//!
//! Innermost loops first. Loops around one that is no single block then wait for the next execution.

use std::collections::BTreeSet;

use super::analysis::{Jumps, base_of};
use super::interleave;
use super::trip_count::{TripCount, positions, trip_count};
use super::unroll_loops::iterations_in_one;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::clone::Copier;
use crate::ir::{
    AddressSpace, EntityRef, Function, Inst, Module, Op, Region, Scalar, Ty, Unroll, Value, ValueDef,
};
use std::ops::Range;

pub const PASS: Pass = Pass {
    name: "unroll_counted",
    about: "Unrolls loops that count to a constant, further if the source asks for it.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// Operations after each other that are followed from an index.
const MAX_INDEX: u32 = 6;

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

/// Most bytes of global and constant memory that a loop may load of which nobody asked that it be unrolled: drivers
/// begin all loads of a block first, and registers that hold them are work-items that do not run.
const LOADED: u64 = 128;

/// The loop indexes private memory by what changes in it.
const PROMOTING: Budget = Budget {
    insts: 1200,
    iterations: 64,
};

/// The loop reads tables of constants by its counter.
const TABLES: Budget = Budget {
    insts: 6144,
    iterations: 64,
};

/// The source asked for it.
const ASKED: Budget = Budget {
    insts: 4096,
    iterations: 512,
};

/// Iterations in one, of a loop that is to be unrolled and is too long for that.
const LEAST_FACTOR: u64 = 4;

/// Instructions that several iterations in one of a loop may have of which nobody asked for that: it reads work-group memory,
/// whose addresses the counter is part of, and waits for no other (H200, a matrix product in blocks, of whose instructions 8%
/// count and compute addresses: 1.01 times the speed by fours, 1.08 by eights, 1.10 by sixteens).
const SHARING: u64 = 8192;

/// Fewest instructions of such a loop: drivers unroll smaller ones themselves.
const LARGE: u64 = 64;

/// A kind of arithmetic whose loops, if they have nothing else, do several iterations in one, and no further.
struct Alone {
    scalar: Scalar,
    /// Operations in an iteration, those of vectors one for each lane, product and sum apart.
    operations: Range<u64>,
    /// Most of them in what becomes one, and most iterations.
    most: u64,
    factor: u64,
}

/// Copies save nothing but the counter and the jump, which wait for none of this arithmetic, but drivers do not stop in time or
/// begin too late, as measured on an H200:
///
/// - Doubles: the driver makes more copies than the instruction cache has room for. 256 multiply-adds, 8 times: 31.1 TFLOP/s as the
///   driver has it, 32.1 not unrolled, 32.2 two in one; 128, 16 times: 31.8, 31.8, 32.2.
/// - Halves: which registers a short loop's few values have decides whether both banks are read alike, and it is the same
///   ones in each iteration of it. Vectors of 2, 4, 8 and 16: 67, 107, 87 and 112 TFLOP/s as the driver has it, 122, 118, 102 and 124
///   four in one, 126, 123, 103 and 102 eight in one.
const ALONE: [Alone; 2] = [
    Alone {
        scalar: Scalar::F64,
        operations: 192..1024,
        most: 2048,
        factor: 2,
    },
    Alone {
        scalar: Scalar::F16,
        operations: 16..1024,
        most: 2048,
        factor: 8,
    },
];

/// Instructions that such a loop may become.
const ALONE_ROOM: u64 = 512;

/// Instructions that a function may have before nothing is unrolled in it any more.
const MAX_FUNCTION: u64 = 24_000;

/// A barrier counts as so many instructions: drivers take long over them.
const BARRIER: u64 = 40;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            // Elsewhere addresses cost what they cost, and long loops have a pass of their own.
            let shares = !cx.target.quirks.counted_loops;
            changed |= cx.settled.note(f, unroll(func, shares));
        }
    }
    Ok(changed.into())
}

/// What to do with a loop.
#[derive(Copy, Clone)]
enum Decision {
    Full(TripCount),
    /// So many in one, and what the loop says of further unrolling.
    Partial(u64, TripCount, Unroll),
}

fn unroll(func: &mut Function, shares: bool) -> bool {
    let order = func.insts_in_order();
    if !order.iter().any(|&i| func.insts[i].op == Op::Loop) {
        return false;
    }
    let jumps = Jumps::new(func);
    let position = positions(func);
    let mut facts = Facts::new(func, shares);
    let mut total = order.len() as u64;
    let mut changed = false;
    for &inst in order.iter().rev() {
        facts.visit(func, &position, inst);
        if func.insts[inst].op != Op::Loop || facts.waits[inst.index()] || jumps.repeats(inst).is_empty() {
            continue;
        }
        let Some((decision, size)) = decide(func, &jumps, &position, &facts, inst) else {
            continue;
        };
        if total + size > MAX_FUNCTION {
            continue;
        }
        total += size;
        changed = true;
        // Jumps to what is outside are more than was counted.
        let mut simple = !facts.leaves[inst.index()];
        let copies = match decision {
            Decision::Full(count) => {
                simple &= all_iterations(func, &jumps, inst, count);
                count.repeats
            }
            Decision::Partial(factor, count, unroll) => {
                simple = false;
                func.insts[inst].unroll = unroll;
                iterations_in_one(func, inst, factor as usize, |func, old, new, copy| {
                    if old == count.test && copy as u64 != count.repeats % factor {
                        func.insts[new].args[0] = func.splat_bits(Ty::BOOL, u64::from(!count.leaves_if));
                    }
                });
                factor
            }
        };
        let loaded = &mut facts.loaded[inst.index()];
        *loaded = loaded.saturating_mul(u32::try_from(copies.max(1)).unwrap_or(u32::MAX));
        facts.size[inst.index()] = facts.size[inst.index()].saturating_add(size as u32);
        facts.waits[inst.index()] = !simple;
    }
    changed
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
        Unroll::Never | Unroll::Done => return None,
        Unroll::Unsaid if facts.counts_through_a_table(func, jumps, inst) => TABLES,
        Unroll::Unsaid if facts.indexes[inst.index()] => PROMOTING,
        Unroll::Unsaid => SMALL,
        Unroll::Full | Unroll::By(_) => ASKED,
    };
    let size = u64::from(facts.size[inst.index()]).max(1);
    // A loop that is not unrolled whole may still be known to end after a multiple of the factor.
    let loaded = u64::from(facts.loaded[inst.index()]);
    let shares = facts.work_group[inst.index()] == Some(true) && loaded == 0 && size >= LARGE;
    let alone = match hint {
        Unroll::Unsaid if facts.shares => ALONE.iter().find_map(|kind| alone(func, inst, kind)),
        Unroll::Unsaid | Unroll::By(_) | Unroll::Full | Unroll::Never | Unroll::Done => None,
    };
    let limit = match hint {
        Unroll::Unsaid if alone.is_some() => 4096,
        Unroll::Unsaid if shares => 64,
        Unroll::Unsaid => budget.iterations,
        Unroll::Full | Unroll::By(_) | Unroll::Never | Unroll::Done => 4096,
    };
    let count = trip_count(func, jumps, position, inst, limit);
    if let Some(count) = count {
        // Of one iteration there are no more loads than before.
        let more = count.repeats > 1 && count.repeats * loaded > LOADED;
        if hint == Unroll::Unsaid && !facts.indexes[inst.index()] && more {
            return None;
        }
        let asked = match hint {
            Unroll::By(n) => count.repeats <= u64::from(n),
            Unroll::Unsaid | Unroll::Never | Unroll::Full | Unroll::Done => true,
        };
        let copies = count.repeats + 1;
        if asked && copies <= budget.iterations + 1 && count.repeats * size <= budget.insts {
            return Some((Decision::Full(count), count.repeats * size));
        }
    }
    // Copies of a loop that is not counted each have its test, which costs more than it saves (H200, a matrix product by
    // fours: two thirds of the speed of the loop as it is); the driver knows better.
    let count = count?;
    // The largest power of two that leaves nothing over.
    let even = 1 << count.repeats.trailing_zeros().min(4);
    let (wanted, room) = match hint {
        Unroll::Never | Unroll::Done => return None,
        Unroll::Unsaid if let Some(factor) = alone => (even.min(factor), ALONE_ROOM),
        Unroll::Unsaid if !shares => return None,
        // The largest that fits and leaves nothing over.
        Unroll::Unsaid => (even.min(1 << (SHARING / size).max(1).ilog2()), SHARING),
        Unroll::By(n) => (u64::from(n), budget.insts),
        Unroll::Full => (even.max(LEAST_FACTOR), budget.insts),
    };
    let further = match hint {
        Unroll::Unsaid if alone.is_none() => Unroll::Done,
        Unroll::Unsaid | Unroll::By(_) | Unroll::Full | Unroll::Never | Unroll::Done => Unroll::Never,
    };
    let factor = wanted.min(room / size).min(64);
    let decision = if factor == count.repeats {
        Decision::Full(count)
    } else if facts.shares && interleave::will_take(func, jumps, inst) {
        return None;
    } else {
        Decision::Partial(factor, count, further)
    };
    (factor >= 2).then_some((decision, factor * size))
}

/// For a loop that does nothing but operations of one kind, which do not depend on its counter: how many iterations to do in one.
fn alone(func: &Function, loop_: Inst, kind: &Alone) -> Option<u64> {
    let body = func.insts[loop_].regions[0];
    let (&end, insts) = func.regions[body].insts.split_last()?;
    let is_it = |&v: &Value| func.ty(v).scalar == kind.scalar;
    // The counter's step, its comparison, the test.
    let mut others = 0;
    let mut operations = 0;
    for &inst in insts {
        let data = &func.insts[inst];
        match &data.op {
            Op::Binary(_) | Op::Unary(_) | Op::Intrinsic(Intrinsic::Fma)
                if data.args.iter().chain(&data.results).all(is_it) =>
            {
                operations += u64::from(func.ty(data.results[0]).lanes);
            }
            Op::Binary(_) | Op::Compare(_) | Op::If if !data.args.iter().any(is_it) => others += 1,
            _ => return None,
        }
    }
    // Values that change places would have to be moved.
    let moves = func.insts[end]
        .args
        .iter()
        .zip(&func.regions[body].args)
        .any(|(next, arg)| {
            next != arg && matches!(func.values[*next].def, ValueDef::Arg(region, _) if region == body)
        });
    let is_plain = func.insts[end].op == Op::Repeat(loop_) && others <= 3 && !moves;
    (is_plain && kind.operations.contains(&operations))
        .then(|| kind.factor.min(1 << (kind.most / operations).max(1).ilog2()))
}

/// Facts about instructions with all that is inside of them.
struct Facts {
    size: Vec<u32>,
    /// Bytes loaded from global and constant memory, in one iteration of each loop.
    loaded: Vec<u32>,
    /// Whether there is an access to a private variable at an offset that is not constant.
    indexes: Vec<bool>,
    /// Whether work-group memory is read; `None` if there is a loop, a barrier or a store to it as well.
    work_group: Vec<Option<bool>>,
    /// Whether that is asked for at all.
    shares: bool,
    is_loop: Vec<bool>,
    /// The values carried by loops that go into offsets in tables of constants.
    tables: BTreeSet<(Region, u32)>,
    /// Whether something was done that the loops around must wait for.
    waits: Vec<bool>,
    /// Whether there is a jump to what is around it.
    leaves: Vec<bool>,
    /// Of what is inside the outermost target of a jump, as a position.
    outermost: Vec<u32>,
}

impl Facts {
    fn new(func: &Function, shares: bool) -> Facts {
        let count = func.insts.len();
        Facts {
            size: vec![0; count],
            loaded: vec![0; count],
            indexes: vec![false; count],
            work_group: vec![None; count],
            is_loop: vec![false; count],
            shares,
            tables: BTreeSet::new(),
            waits: vec![false; count],
            leaves: vec![false; count],
            outermost: vec![u32::MAX; count],
        }
    }

    /// Whether the loop steps through a table of constants.
    fn counts_through_a_table(&self, func: &Function, jumps: &Jumps, loop_: Inst) -> bool {
        let body = func.insts[loop_].regions[0];
        let mut carried = self.tables.range((body, 0)..=(body, u32::MAX));
        carried.any(|&(_, n)| {
            let counter = func.regions[body].args[n as usize];
            jumps.repeats(loop_).iter().all(|&repeat| {
                let next = func.insts[repeat].args[n as usize];
                func.def_inst(next).is_some_and(|step| {
                    let data = &func.insts[step];
                    matches!(data.op, Op::Binary(_))
                        && data.args.contains(&counter)
                        && data
                            .args
                            .iter()
                            .all(|&a| a == counter || func.as_const(a).is_some())
                })
            })
        })
    }

    /// Everything inside comes first.
    fn visit(&mut self, func: &Function, position: &[u32], inst: Inst) {
        let data = &func.insts[inst];
        let mut size = match &data.op {
            Op::Intrinsic(i) if i.is_convergent() => BARRIER as u32,
            _ => 1,
        };
        let of_table = matches!(data.op, Op::Load(_)) && table_index(func, data.args[0], &mut self.tables);
        let mut loaded = match data.op {
            Op::Load(_) if of_table => 0,
            Op::Load(_)
                if matches!(
                    func.ty(data.args[0]).space(),
                    Some(AddressSpace::Global | AddressSpace::Constant)
                ) =>
            {
                data.results.iter().map(|&v| func.ty(v).bytes()).sum()
            }
            _ => 0,
        };
        let mut indexes = data.op == Op::PtrAdd
            && func.as_const(data.args[1]).is_none()
            && is_alloca(func, base_of(func, data.args[0]).0);
        let mut outermost = match data.op {
            Op::Exit(target) | Op::Repeat(target) => position[target.index()],
            Op::Return => 0,
            _ => u32::MAX,
        };
        let mut waits = false;
        let local = |v: &Value| func.ty(*v).space() == Some(AddressSpace::Local);
        let mut work_group = match &data.op {
            Op::Load(_) => Some(self.shares && local(&data.args[0])),
            Op::Intrinsic(i) if i.is_convergent() => None,
            Op::Store(_) | Op::MemCpy { .. } | Op::MemZero { .. } | Op::Intrinsic(_) | Op::Call(_) => {
                (!data.args.iter().any(local)).then_some(false)
            }
            _ => Some(false),
        };
        for &region in &data.regions {
            for i in func.regions[region].insts.iter().map(|i| i.index()) {
                // Copies that were made meanwhile are accounted for by what they are copies of.
                if i < self.size.len() {
                    size = size.saturating_add(self.size[i]);
                    loaded = u32::saturating_add(loaded, self.loaded[i]);
                    indexes |= self.indexes[i];
                    waits |= self.waits[i];
                    let inside = self.work_group[i].filter(|_| !self.is_loop[i]);
                    work_group = work_group.zip(inside).map(|(a, b)| a | b);
                    outermost = outermost.min(self.outermost[i]);
                }
            }
        }
        let n = inst.index();
        self.size[n] = size;
        self.loaded[n] = loaded;
        self.indexes[n] = indexes;
        self.waits[n] = waits;
        self.work_group[n] = work_group;
        self.is_loop[n] = data.op == Op::Loop;
        self.outermost[n] = outermost;
        self.leaves[n] = outermost < position[n];
    }
}

/// Whether an address is that of a program-scope constant plus what loops carry, and no constant itself; adds what they
/// carry.
fn table_index(func: &Function, pointer: Value, carried: &mut BTreeSet<(Region, u32)>) -> bool {
    let mut base = pointer;
    let mut found = Vec::new();
    while let Some(inst) = func.def_inst(base) {
        let data = &func.insts[inst];
        match data.op {
            Op::PtrAdd => {
                if !comes_from_loops(func, data.args[1], MAX_INDEX, &mut found) {
                    return false;
                }
                base = data.args[0];
            }
            Op::GlobalAddr(_) if func.ty(base).space() == Some(AddressSpace::Constant) => {
                let is_table = !found.is_empty();
                carried.extend(found);
                return is_table;
            }
            _ => return false,
        }
    }
    false
}

/// Whether only values carried by loops and constants go into a value, in at most `room` operations after each other.
fn comes_from_loops(func: &Function, v: Value, room: u32, found: &mut Vec<(Region, u32)>) -> bool {
    match &func.values[v].def {
        ValueDef::Const(_) => true,
        ValueDef::Param(_) => false,
        ValueDef::Arg(region, n) => {
            found.push((*region, *n));
            true
        }
        ValueDef::Inst(inst, _) => {
            let data = &func.insts[*inst];
            room > 0
                && matches!(data.op, Op::Binary(_) | Op::Cast(_))
                && data
                    .args
                    .iter()
                    .all(|&a| comes_from_loops(func, a, room - 1, found))
        }
    }
}

fn is_alloca(func: &Function, v: Value) -> bool {
    let def = func.def_inst(v);
    def.is_some_and(|i| matches!(func.insts[i].op, Op::Alloca { .. }))
}

/// Makes the loop a block of all its iterations. In the last one the test leaves. Whether the result is as simple as
/// can be: the iterations in a row, without blocks and branches of their own.
fn all_iterations(func: &mut Function, jumps: &Jumps, target: Inst, count: TripCount) -> bool {
    let body = func.insts[target].regions[0];
    let stay = func.insts[count.test].regions[usize::from(count.leaves_if)];
    let end = func.terminator(body);
    let is_simple = func
        .terminator(stay)
        .is_some_and(|t| jumps.exits(count.test) == [t])
        && end.is_some_and(|t| jumps.repeats(target) == [t]);
    let params = std::mem::take(&mut func.regions[body].args);
    let insts = std::mem::take(&mut func.regions[body].insts);
    let data = &mut func.insts[target];
    data.op = Op::Block;
    data.unroll = Unroll::Unsaid;
    let init = std::mem::take(&mut data.args).to_vec();
    if is_simple {
        in_a_row(func, body, &params, init, &insts, count);
    } else {
        in_blocks(func, target, &params, init, &insts, count);
    }
    is_simple
}

/// What runs to its end in each iteration but the last, which ends at the test.
fn in_a_row(
    func: &mut Function,
    body: Region,
    params: &[Value],
    mut values: Vec<Value>,
    insts: &[Inst],
    count: TripCount,
) {
    let at = insts.iter().position(|&i| i == count.test).unwrap_or(0);
    let arms = func.insts[count.test].regions.clone();
    let arm = |leaves: bool| arms[usize::from(leaves != count.leaves_if)];
    let mut stay = func.regions[arm(false)].insts.clone();
    let stay_end = stay.pop();
    let leave = func.regions[arm(true)].insts.clone();
    let test_results = func.insts[count.test].results.clone();
    let (&repeat, behind) = insts[at + 1..].split_last().expect("ends in the repeat");
    let mut copier = Copier::default();
    for n in 0..=count.repeats {
        copier.reset();
        for (&param, &value) in params.iter().zip(&values) {
            copier.map_value(param, value);
        }
        copier.insts(func, &insts[..at], body, |_, _, _| {});
        if n == count.repeats {
            copier.insts(func, &leave, body, |_, _, _| {});
            return;
        }
        copier.insts(func, &stay, body, |_, _, _| {});
        if let Some(exit) = stay_end {
            for (k, &result) in test_results.iter().enumerate() {
                let value = copier.value(func.insts[exit].args[k]);
                copier.map_value(result, value);
            }
        }
        copier.insts(func, behind, body, |_, _, _| {});
        values = func.insts[repeat].args.iter().map(|&a| copier.value(a)).collect();
    }
}

/// Each iteration a block that is left where the original repeats.
fn in_blocks(
    func: &mut Function,
    target: Inst,
    params: &[Value],
    mut values: Vec<Value>,
    insts: &[Inst],
    count: TripCount,
) {
    let span = func.insts[target].span;
    let body = func.insts[target].regions[0];
    let types: Vec<Ty> = params.iter().map(|&p| func.ty(p)).collect();
    let mut copier = Copier::default();
    for n in 0..=count.repeats {
        let is_last = n == count.repeats;
        let block = func.new_inst(Op::Block, vec![], if is_last { &[] } else { &types }, span);
        let region = func.new_region(&[]);
        func.insts[block].regions.push(region);
        func.regions[body].insts.push(block);
        copier.reset();
        for (&param, &value) in params.iter().zip(&values) {
            copier.map_value(param, value);
        }
        copier.insts(func, insts, region, |func, old, new| {
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
        values = func.insts[block].results.to_vec();
    }
    let end = func.new_inst(Op::Unreachable, vec![], &[], span);
    func.regions[body].insts.push(end);
}
