//! Unrolls loops that count to a constant, further if the source asks for it.
//!
//! Why: `#pragma unroll` and `opencl_unroll_hint` (OpenCL 2.0 6.11.5, accepted by all 1.2 compilers) ask for
//! it. A private array that is indexed by a loop's counter becomes SSA values only if the index is constant,
//! for which all loops that index it have to be unrolled.
//! The same holds for loads from a table in constant memory, such as the round constants of a hash function,
//! which become constants (`PERFORMANCE.md`: SHA-256).
//! In:  any module; after folding, so that initial values and steps of counters are constants.
//! Out: a loop whose trip count is known is replaced by copies of its body in a row, within a budget of
//!      instructions. A longer loop is unrolled partially, so that one of its iterations does several of the
//!      source's, in four cases: the source asks for it; the loop loads only from work-group memory, where a
//!      constant part of an address is free; the loop computes much with what it loads from global memory; or, by a
//!      smaller factor, the loop only computes with doubles or halves.
//!
//! The pass changes neither the computations nor their order. It does not unroll partially a loop that
//! `interleave` is going to take. A loop whose hint is not followed keeps the hint, which becomes SPIR-V's
//! loop control.
//!
//! Innermost loops come first. If the result of unrolling a loop is not a plain sequence of instructions, the
//! loops around it are left to the next execution of the pass. The same holds for a loop that would be unrolled
//! partially, or far, if loops in it were just unrolled: folding may leave little of them.

mod counters;
mod promotion;

use std::collections::BTreeSet;

use self::counters::{
    InAddress, counts_through, divisor, goes_through_neighbours, parts_of_address, table_index,
};
use self::promotion::Promotion;
use super::analysis::trip_count::{TripCount, positions, trip_count};
use super::interleave;
use super::unroll_loops::iterations_in_one;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::analysis::{Jumps, base_of};
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

/// The most instructions and the most iterations that an unrolled loop may have.
#[derive(Copy, Clone)]
struct Budget {
    insts: u64,
    iterations: u64,
}

/// The budget of a loop without a hint: unrolling it costs next to nothing.
const SMALL: Budget = Budget {
    insts: 160,
    iterations: 16,
};

/// The most bytes of global and constant memory that the copies of a loop without a hint may load. Drivers
/// begin all loads of a block first; the registers that hold the results reduce the number of work-items that
/// can run at a time.
const LOADED: u64 = 128;

/// The budget of a loop that indexes private memory by a value that changes in it, if it is not known whether
/// the memory becomes values then. (`promotion.rs` decides where it is known.)
const PROMOTING: Budget = Budget {
    insts: 1200,
    iterations: 64,
};

/// The budget of a loop that reads tables of constants by its counter.
const TABLES: Budget = Budget {
    insts: 6144,
    iterations: 64,
};

/// The budget of a loop that divides integers by its counter. A division by an unknown number takes some twenty
/// operations, and by a constant, of which most are powers of two here, one or a few.
const DIVIDING: Budget = Budget {
    insts: 640,
    iterations: 32,
};

/// The budget of a loop that copies from global to work-group memory. Drivers do not unroll such loops, so that each
/// iteration waits for memory; in straight-line code they begin all loads first.
const FILLING: Budget = Budget {
    insts: 512,
    iterations: 32,
};

/// The budget of a loop that accesses neighbouring elements of a private array that stays in memory, such as a row at a computed
/// place. In straight-line code, `merge_private` makes one access of several. (H200: sums of rows of 16 words, with few
/// work-items, take 28 instead of 37 µs.)
const NEIGHBOURS: Budget = Budget {
    insts: 512,
    iterations: 32,
};

/// The budget of a loop that multiplies values in work-group memory by a few numbers from elsewhere, as a filter does.
/// Places in work-group memory and in the table of numbers become constant parts of addresses, and a loop around it can
/// keep the numbers in registers.
const WEIGHING: Budget = Budget {
    insts: 640,
    iterations: 32,
};

/// The budget of a loop that the source asks to unroll.
const ASKED: Budget = Budget {
    insts: 4096,
    iterations: 512,
};

/// The most iterations of a loop that are counted.
pub(super) const MOST_REPEATS: u64 = 4096;

/// The same if the source states a factor.
const ASKED_REPEATS: u64 = 1 << 16;

/// The smallest factor for a loop that the source wants unrolled fully and that is too long for it.
const LEAST_FACTOR: u64 = 4;

/// The most instructions that a loop without a hint may have after partial unrolling because it loads only
/// from work-group memory. Its counter is part of the addresses, and it has no barriers and no stores to that
/// memory. Above the limit, the code outgrows the instruction cache. (H200, matrix products in blocks: with 128
/// multiply-adds in an iteration, factor 8 is up to 1.4 times as fast as factor 1 or 16.)
const SHARING: u64 = 6144;

/// The fewest instructions of such a loop: drivers unroll smaller loops themselves.
const LARGE: u64 = 64;

/// The limits of a loop without a hint that loads from global memory and computes much with each byte, as the innermost
/// loop of a matrix product in registers does. Its copies hide the latency of the loads from each other, for which
/// drivers do not unroll such loops far enough. If there is less arithmetic, the loop is limited by the memory, and
/// more loads at a time only take registers away: matrix products with 2 operations for each byte and more
/// were up to 1.8 times as fast, those with fewer 0.36 to 1.0 times (H200).
mod computing {
    /// The fewest floating-point operations for each byte that is loaded. A product and the sum that it may be fused with
    /// count separately.
    pub(super) const OPERATIONS: u64 = 2;
    /// The most bytes that an iteration of the unrolled loop may load.
    pub(super) const LOADED: u64 = 1024;
    /// The most instructions that it may have.
    pub(super) const INSTS: u64 = 4096;
}

/// A type of arithmetic whose loops are unrolled partially, by a limited factor, if they do nothing else.
struct Alone {
    scalar: Scalar,
    /// The number of operations in an iteration. A vector operation counts once for each lane; a product and
    /// the sum that it may be fused with count separately.
    operations: Range<u64>,
    /// The most operations in an iteration of the unrolled loop; the largest factor.
    most: u64,
    factor: u64,
}

/// The arithmetic for which the driver's own unrolling is bad. Copies of such a loop save only the counter
/// and the jump, which the arithmetic does not wait for, so the gain is in keeping the driver from unrolling
/// too far or not at all. Measured on an H200 (`PERFORMANCE.md`):
///
/// - Doubles: the driver makes more copies than the instruction cache has room for. A factor of 2 is faster
///   than the driver's choice and than the loop as it is.
/// - Halves: the registers that the few values of a short loop are assigned to decide whether both register
///   banks are used evenly, and they are the same in each iteration. Vectors of 2, 4, 8 and 16 lanes: 67,
///   107, 87 and 112 TFLOP/s as the driver unrolls the loop; 122, 118, 102 and 124 with factor 4; 126, 123,
///   103 and 102 with factor 8.
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

/// The most instructions that such a loop may have after unrolling.
const ALONE_ROOM: u64 = 512;

/// The most instructions that a loop may be unrolled to if loops in it were unrolled in the same execution of
/// the pass, so that their copies are not folded yet.
const UNFOLDED: u64 = 4096;

/// The number of instructions in a function above which no loop in it is unrolled.
const MAX_FUNCTION: u64 = 24_000;

/// The number of instructions that a barrier counts as: drivers take long to compile a barrier.
const BARRIER: u64 = 40;

/// The number of instructions that `lower_printf` makes of a call, besides those for each word.
const PRINTF: u32 = 12;

/// The number of instructions that `lower_printf` makes of each word of the arguments.
const PRINTF_WORD: u32 = 4;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            // Drivers for CPUs gain nothing from constants in addresses, and `unroll_loops` takes the long loops of
            // those that need it.
            let shares = cx.target.is_gpu();
            changed |= cx.settled.note(f, unroll(func, shares));
        }
    }
    Ok(changed.into())
}

/// How a loop is unrolled.
#[derive(Copy, Clone)]
enum Decision {
    /// All iterations, in a row.
    Full(TripCount),
    /// Several iterations in one: the factor, and the hint that the loop then carries for the driver.
    Partial(u64, TripCount, Unroll),
}

/// Unrolls the loops of a function and returns whether there were any. `shares`: see [`Facts::shares`].
fn unroll(func: &mut Function, shares: bool) -> bool {
    let order = func.insts_in_order();
    if !order.iter().any(|&i| func.insts[i].op == Op::Loop) {
        return false;
    }
    let jumps = Jumps::new(func);
    let position = positions(func);
    let promotion = Promotion::new(func, &jumps, &position, &order);
    let mut facts = Facts::new(func, promotion, shares);
    let mut total = order.len() as u64;
    let mut changed = false;
    for &inst in order.iter().rev() {
        facts.visit(func, &position, inst);
        if func.insts[inst].op != Op::Loop || facts.waits[inst.index()] || jumps.repeats(inst).is_empty() {
            continue;
        }
        let decided = decide(func, &jumps, &position, &facts, inst);
        if facts.unfolded[inst.index()] && is_premature(func, inst, &decided) {
            facts.waits[inst.index()] = true;
            continue;
        }
        let Some((decision, size)) = decided else {
            continue;
        };
        if total + size > MAX_FUNCTION {
            continue;
        }
        total += size;
        changed = true;
        // The copies of jumps to targets outside are additional instructions that `size` does not include.
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
        let copies = u32::try_from(copies.max(1)).unwrap_or(u32::MAX);
        *loaded = loaded.saturating_mul(copies);
        let operations = &mut facts.operations[inst.index()];
        *operations = operations.saturating_mul(copies);
        let before = facts.size[inst.index()].max(1);
        facts.size[inst.index()] = before.saturating_add(size as u32);
        let copies = u32::try_from(size).unwrap_or(u32::MAX) / before;
        let free = &mut facts.free[inst.index()];
        *free = free.saturating_mul(copies.saturating_add(1));
        facts.waits[inst.index()] = !simple;
        facts.unfolded[inst.index()] = true;
    }
    changed
}

/// Returns whether a decision about a loop in which loops were just unrolled may be another one after folding,
/// which makes the loop smaller.
fn is_premature(func: &Function, inst: Inst, decided: &Option<(Decision, u64)>) -> bool {
    match decided {
        Some((Decision::Full(_), size)) => *size > UNFOLDED,
        Some((Decision::Partial(..), _)) => true,
        None => matches!(func.insts[inst].unroll, Unroll::Full | Unroll::By(_)),
    }
}

/// Decides whether and how to unroll a loop. Also returns the number of instructions that this adds.
fn decide(
    func: &Function,
    jumps: &Jumps,
    position: &[u32],
    facts: &Facts,
    inst: Inst,
) -> Option<(Decision, u64)> {
    let hint = func.insts[inst].unroll;
    let size = u64::from(facts.size[inst.index()]).max(1);
    if let Some(&count) = facts.promotion.loops.get(&inst) {
        return Some((Decision::Full(count), count.repeats * size));
    }
    let fills = facts.shares && facts.fills[inst.index()] && facts.loaded[inst.index()] > 0;
    let weighs =
        facts.shares && facts.work_group[inst.index()] == Some(true) && facts.loaded[inst.index()] > 0;
    let budget = match hint {
        Unroll::Never | Unroll::Done => return None,
        Unroll::Unsaid if !facts.slow[inst.index()] && counts_through(func, jumps, inst, &facts.tables) => {
            TABLES
        }
        Unroll::Unsaid if facts.indexes[inst.index()] => PROMOTING,
        Unroll::Unsaid if fills => FILLING,
        Unroll::Unsaid if !facts.slow[inst.index()] && counts_through(func, jumps, inst, &facts.divisors) => {
            DIVIDING
        }
        Unroll::Unsaid if weighs => WEIGHING,
        Unroll::Unsaid if facts.shares && goes_through_neighbours(func, jumps, inst, &facts.addresses) => {
            NEIGHBOURS
        }
        Unroll::Unsaid => SMALL,
        Unroll::Full | Unroll::By(_) => ASKED,
    };
    // A trip count above the budget's limit is still useful: it tells which factors divide it.
    let loaded = u64::from(facts.loaded[inst.index()]);
    // What is promoted afterwards does not stay.
    let stays = size - u64::from(facts.free[inst.index()]).min(size - 1);
    let shares = facts.work_group[inst.index()] == Some(true) && loaded == 0 && size >= LARGE;
    let computes = facts.shares
        && facts.work_group[inst.index()].is_some()
        && loaded > 0
        && u64::from(facts.operations[inst.index()]) >= computing::OPERATIONS * loaded;
    let alone = match hint {
        Unroll::Unsaid if facts.shares => ALONE.iter().find_map(|kind| alone(func, inst, kind)),
        Unroll::Unsaid | Unroll::By(_) | Unroll::Full | Unroll::Never | Unroll::Done => None,
    };
    let limit = match hint {
        Unroll::Unsaid if alone.is_some() => 4096,
        Unroll::Unsaid if shares || computes => 64,
        Unroll::Unsaid => budget.iterations,
        Unroll::By(_) => ASKED_REPEATS,
        Unroll::Full | Unroll::Never | Unroll::Done => MOST_REPEATS,
    };
    let count = trip_count(func, jumps, position, inst, limit);
    if let Some(count) = count {
        // A loop of one iteration does not load more than before.
        let more = count.repeats > 1 && count.repeats * loaded > LOADED;
        let too_much = hint == Unroll::Unsaid && !facts.indexes[inst.index()] && more;
        if too_much && !computes {
            return None;
        }
        let asked = match hint {
            Unroll::By(n) => count.repeats <= u64::from(n),
            Unroll::Unsaid | Unroll::Never | Unroll::Full | Unroll::Done => true,
        };
        let copies = count.repeats + 1;
        let fits = |size: u64| count.repeats.saturating_mul(size) <= budget.insts;
        // Of what the source asks for, and of copies to work-group memory, only that counts which stays.
        let counts_rest = fills || matches!(hint, Unroll::Full | Unroll::By(_));
        let is_small = match counts_rest {
            true => fits(stays) || fits(promotion::folded_size(func, jumps, inst, &facts.promotion)),
            false => fits(size),
        };
        if asked && copies <= budget.iterations + 1 && is_small && !too_much {
            return Some((Decision::Full(count), count.repeats * size));
        }
    }
    // Copies of a loop with an unknown trip count would each have a test, which costs more than unrolling
    // saves (H200, a matrix product with factor 4: two thirds of the speed of the original loop). Such loops
    // are left to the driver.
    let count = count?;
    // The largest power of two, at most 16, that divides the number of repeats.
    let even = 1 << count.repeats.trailing_zeros().min(4);
    let (wanted, room) = match hint {
        Unroll::Never | Unroll::Done => return None,
        Unroll::Unsaid if let Some(factor) = alone => (even.min(factor), ALONE_ROOM),
        Unroll::Unsaid if computes => {
            let most = (computing::INSTS / size).min(computing::LOADED / loaded).max(1);
            (even.min(1 << most.ilog2()), computing::INSTS)
        }
        Unroll::Unsaid if !shares => return None,
        // The largest factor that fits into the room and divides the number of repeats.
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

/// Returns the factor for a loop whose body consists of operations of one type that do not depend on its counter.
fn alone(func: &Function, loop_: Inst, kind: &Alone) -> Option<u64> {
    let body = func.insts[loop_].regions[0];
    let (&end, insts) = func.regions[body].insts.split_last()?;
    let is_it = |&v: &Value| func.ty(v).scalar == kind.scalar;
    // Other instructions are the counter's step, its comparison, and the test.
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
    // If carried values change places, each iteration has to move them.
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

/// Facts about instructions; each includes the instructions in the regions of the instruction.
struct Facts {
    /// The number of instructions, with [`BARRIER`] for a barrier.
    size: Vec<u32>,
    /// The number of accesses to variables that become values, with the instructions of their addresses.
    free: Vec<u32>,
    /// The bytes loaded from global and constant memory; for a loop, in one iteration.
    loaded: Vec<u32>,
    /// The number of floating-point operations: one for each lane, two for a fused multiply-add.
    operations: Vec<u32>,
    /// Whether a private variable that constant offsets would promote is accessed at an offset that is not constant.
    indexes: Vec<bool>,
    /// What is to be done for private arrays.
    promotion: Promotion,
    /// Whether work-group memory is read; `None` if there is a loop, a barrier or a store to work-group
    /// memory as well.
    work_group: Vec<Option<bool>>,
    /// Whether work-group memory is written.
    fills: Vec<bool>,
    /// Whether loops that read work-group memory or only compute are unrolled partially.
    shares: bool,
    /// Whether the instruction is a loop.
    is_loop: Vec<bool>,
    /// Whether there is a loop or a printf inside, beside which computing an address costs nothing.
    slow: Vec<bool>,
    /// The values carried by loops that are part of an offset into a table of constants.
    tables: BTreeSet<(Region, u32)>,
    /// The values carried by loops that are part of a divisor of integers.
    divisors: BTreeSet<(Region, u32)>,
    /// The values carried by loops that are part of addresses in private arrays that stay in memory.
    addresses: Vec<InAddress>,
    /// Whether a loop in the instruction was unrolled into other code than a plain sequence, so that loops
    /// around it must wait for the next execution of the pass.
    waits: Vec<bool>,
    /// Whether a loop in the instruction was unrolled in this execution.
    unfolded: Vec<bool>,
    /// Whether a jump leaves the instruction.
    leaves: Vec<bool>,
    /// The position of the outermost target of the jumps inside.
    outermost: Vec<u32>,
}

impl Facts {
    fn new(func: &Function, promotion: Promotion, shares: bool) -> Facts {
        let count = func.insts.len();
        Facts {
            promotion,
            size: vec![0; count],
            free: vec![0; count],
            loaded: vec![0; count],
            operations: vec![0; count],
            indexes: vec![false; count],
            work_group: vec![None; count],
            fills: vec![false; count],
            is_loop: vec![false; count],
            slow: vec![false; count],
            shares,
            tables: BTreeSet::new(),
            divisors: BTreeSet::new(),
            addresses: Vec::new(),
            waits: vec![false; count],
            unfolded: vec![false; count],
            leaves: vec![false; count],
            outermost: vec![u32::MAX; count],
        }
    }

    /// Returns whether a pointer is a constant address in a variable that becomes values.
    fn is_free(&self, func: &Function, pointer: Value) -> bool {
        self.promotion.becomes_values(pointer) && base_of(func, pointer).1.is_some()
    }

    /// Notes what the address of an access is computed from, if it is in a private variable that stays in memory, whatever is
    /// unrolled.
    fn note_address(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let (pointer, value) = match data.op {
            Op::Load(access) if !access.volatile => (data.args[0], data.results[0]),
            Op::Store(access) if !access.volatile => (data.args[0], data.args[1]),
            _ => return,
        };
        let variable = base_of(func, pointer).0;
        if self.shares && is_alloca(func, variable) && !self.promotion.may_promote(func, variable) {
            parts_of_address(func, pointer, func.ty(value).bytes(), &mut self.addresses);
        }
    }

    /// Computes the facts of an instruction. The instructions inside of it have been visited before.
    fn visit(&mut self, func: &Function, position: &[u32], inst: Inst) {
        let data = &func.insts[inst];
        let mut size = match &data.op {
            Op::Intrinsic(i) if i.is_convergent() => BARRIER as u32,
            Op::Intrinsic(Intrinsic::Printf | Intrinsic::ReportFinding) => {
                let words = data.args.iter().map(|&v| func.ty(v).bytes().div_ceil(4));
                PRINTF + PRINTF_WORD * words.sum::<u32>()
            }
            _ => 1,
        };
        let mut free = match &data.op {
            Op::Load(_) | Op::Store(_) => u32::from(self.is_free(func, data.args[0])),
            Op::PtrAdd => u32::from(self.is_free(func, data.results[0])),
            _ => 0,
        };
        divisor(func, inst, &mut self.divisors);
        self.note_address(func, inst);
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
        let lanes = data
            .results
            .first()
            .map(|&r| func.ty(r))
            .filter(|ty| ty.scalar.is_float());
        let lanes = lanes.map_or(0, |ty| u32::from(ty.lanes));
        let mut operations = match data.op {
            Op::Binary(_) => lanes,
            Op::Intrinsic(Intrinsic::Fma) => 2 * lanes,
            _ => 0,
        };
        let mut indexes = data.op == Op::PtrAdd
            && func.as_const(data.args[1]).is_none()
            && self.promotion.may_promote(func, base_of(func, data.args[0]).0);
        let mut outermost = match data.op {
            Op::Exit(target) | Op::Repeat(target) => position[target.index()],
            Op::Return => 0,
            _ => u32::MAX,
        };
        let mut waits = false;
        let mut unfolded = false;
        let mut slow = matches!(
            data.op,
            Op::Intrinsic(Intrinsic::Printf | Intrinsic::ReportFinding)
        );
        let local = |v: &Value| func.ty(*v).space() == Some(AddressSpace::Local);
        let mut work_group = match &data.op {
            Op::Load(_) => Some(self.shares && local(&data.args[0])),
            Op::Intrinsic(i) if i.is_convergent() => None,
            Op::Store(_) | Op::MemCpy { .. } | Op::MemZero { .. } | Op::Intrinsic(_) | Op::Call(_) => {
                (!data.args.iter().any(local)).then_some(false)
            }
            _ => Some(false),
        };
        let mut fills = matches!(data.op, Op::Store(_)) && local(&data.args[0]);
        for &region in &data.regions {
            for i in func.regions[region].insts.iter().map(|i| i.index()) {
                // Copies made by this execution are newer than the facts, and are counted with their
                // originals.
                if i < self.size.len() {
                    size = size.saturating_add(self.size[i]);
                    free = free.saturating_add(self.free[i]);
                    loaded = u32::saturating_add(loaded, self.loaded[i]);
                    operations = operations.saturating_add(self.operations[i]);
                    indexes |= self.indexes[i];
                    waits |= self.waits[i];
                    unfolded |= self.unfolded[i];
                    slow |= self.slow[i] || self.is_loop[i];
                    fills |= self.fills[i];
                    let inside = self.work_group[i].filter(|_| !self.is_loop[i]);
                    work_group = work_group.zip(inside).map(|(a, b)| a | b);
                    outermost = outermost.min(self.outermost[i]);
                }
            }
        }
        let n = inst.index();
        self.size[n] = size;
        self.free[n] = free;
        self.loaded[n] = loaded;
        self.operations[n] = operations;
        self.indexes[n] = indexes;
        self.waits[n] = waits;
        self.unfolded[n] = unfolded;
        self.slow[n] = slow;
        self.work_group[n] = work_group;
        self.fills[n] = fills;
        self.is_loop[n] = data.op == Op::Loop;
        self.outermost[n] = outermost;
        self.leaves[n] = outermost < position[n];
    }
}

/// Returns whether a value is the address of a private variable.
fn is_alloca(func: &Function, v: Value) -> bool {
    let def = func.def_inst(v);
    def.is_some_and(|i| matches!(func.insts[i].op, Op::Alloca { .. }))
}

/// Replaces a loop by a block that contains all of its iterations. The last iteration leaves through the
/// test. Returns whether the result is a plain sequence of iterations without blocks and branches of their
/// own.
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

/// Appends to `body` the iterations of a loop in which only the test leaves an iteration: all instructions
/// for each iteration but the last, which ends at the test.
fn in_a_row(
    func: &mut Function,
    body: Region,
    params: &[Value],
    mut values: Vec<Value>,
    insts: &[Inst],
    count: TripCount,
) {
    let at = insts.iter().position(|&i| i == count.test);
    let at = at.expect("the loop's test is in its body");
    let arms = func.insts[count.test].regions.clone();
    let arm = |leaves: bool| arms[usize::from(leaves != count.leaves_if)];
    let mut stay = func.regions[arm(false)].insts.clone();
    let stay_end = stay.pop();
    let leave = func.regions[arm(true)].insts.clone();
    let test_results = func.insts[count.test].results.clone();
    let (&repeat, rest) = insts[at + 1..].split_last().expect("ends in the repeat");
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
        copier.insts(func, rest, body, |_, _, _| {});
        values = func.insts[repeat].args.iter().map(|&a| copier.value(a)).collect();
    }
}

/// Appends to `body` one block for each iteration, which is left where the original repeats.
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
