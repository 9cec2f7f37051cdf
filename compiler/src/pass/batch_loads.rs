//! Unrolls small loops that only read slow memory, with the loads of several iterations at the beginning.
//!
//! Why: a loop like `for (k = 0; k < n; k++) sum += a[k] * b[k * n];` waits for memory in each iteration.
//! Drivers unroll such loops twice at best, and do not move loads before the uses of earlier loads. Unrolling alone
//! gains nothing (`docs/gains.md`).
//! In:  after `lower_memory` and `hoist_invariants`. A loop is taken if it counts (`i < n`, `i += step`, with
//!      loop-invariant step and bound), if only its first test leaves it, and if it contains no other loop. The first test
//!      may also be `a && i < n` with a loop-invariant `a`, which is then tested before the loop (`unswitch`). If the loop
//!      stores to buffers, no load of an iteration may read what an earlier iteration stores (`distance`); where the
//!      compiler does not know this, a test before the loop decides (`overlap`). If the loop stores to memory of the
//!      work-group or of the work-item, loads from such memory stay where they are, and so do atomic operations on it, and
//!      loads inside of conditions.
//!      The address of a load may depend on the result of another load of the same iteration, but that one's may not.
//! Out: before the loop, another loop, whose body is several iterations. It begins with all loads whose addresses depend
//!      on no load, followed by the other loads, and runs as long as several more iterations are certain. The original
//!      loop does the rest.
//!
//! The pass moves loads, and otherwise changes neither the computations nor their order. A load moves only over stores
//! that do not write to the memory that it reads. The values from which addresses are computed are not computed
//! anew in each of the iterations, but by additions to those of the iteration before; so are their extensions to 64 bits
//! where the narrow operations are `no_wrap`.

mod distance;
mod overlap;
mod share;
mod unswitch;

use std::collections::BTreeMap;

use distance::Loop;
use overlap::Accesses;

use super::analysis::trip_count::{positions, trip_count};
use super::counter::{Counter, is_outside};
use super::guard;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::build::Builder;
use crate::ir::clone::Copier;
use crate::ir::walk::Parents;
use crate::ir::{BinOp, CastOp, Function, Inst, Module, Op, Region, Storage, Ty, Unroll, Value, ValueDef};

pub const PASS: Pass = Pass {
    name: "batch_loads",
    about: "Unrolls small loops that only read slow memory, with all loads first.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// The number of iterations that become one, and the most bytes that each of them may load for that, because the loaded
/// values of all these iterations are in registers at the same time. (H200: 8 instead of 4 iterations make products of
/// sparse matrices up to 1.5 times as fast, and a sum by a single work-item 1.8 times. 16 are worth it for the latter,
/// which loads one word at a time.)
const FACTORS: [(usize, u32); 4] = [(16, 4), (8, 12), (4, 40), (2, 64)];

/// If the factor of a loop is more than twice this number, a second loop with this number as its factor executes most of the
/// remaining iterations, so that few of them are executed one at a time. (H200: such a second loop after batches of eight
/// changes kernels by -6 to 14 %, in the mean by 1 %.)
const REST: usize = 4;

/// The most instructions of a loop body, and of one that is nothing but straight-line code.
const MAX_BODY: usize = 64;
const MAX_STRAIGHT: usize = 40;

/// Loops with a known trip count of at most this are left to the driver.
const SHORT: u64 = 64;

/// The most instructions that all copies in a function may have together.
const MAX_COPIES: usize = 1024;

/// The longest chain of operations that is followed from an index.
const MAX_CHAIN: u32 = 16;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= unswitch::unswitch(func);
        changed |= batch(func);
    }
    Ok(changed.into())
}

/// Transforms the suitable loops of a function, and returns whether there were any.
fn batch(func: &mut Function) -> bool {
    let order = func.insts_in_order();
    let loops: Vec<Inst> = order
        .iter()
        .copied()
        .filter(|&i| func.insts[i].op == Op::Loop && has_loads(func, i))
        .collect();
    if loops.is_empty() {
        return false;
    }
    let jumps = Jumps::new(func);
    let position = positions(func);
    let parents = Parents::new(func);
    let mut room = MAX_COPIES;
    let mut changed = false;
    for loop_ in loops {
        let Some(place) = parents.region(loop_) else {
            continue;
        };
        let known = || trip_count(func, &jumps, &position, loop_, SHORT).is_some();
        let Some(found) = Candidate::new(func, &jumps, loop_).filter(|_| !known()) else {
            continue;
        };
        let rest = (found.factor > 2 * REST).then_some(REST);
        let size = (found.factor + rest.unwrap_or(0)) * found.len();
        if size <= room {
            room -= size;
            changed = true;
            let Ok(also) = found.test_overlap(func, place) else {
                continue;
            };
            for factor in [Some(found.factor), rest].into_iter().flatten() {
                found.build(func, place, &Batch::of(factor, also));
            }
        }
    }
    changed
}

/// Returns whether a loop has a form that can be transformed if it loads from slow memory.
pub(super) fn is_suitable(func: &Function, jumps: &Jumps, loop_: Inst) -> bool {
    Form::new(func, jumps, loop_).is_some()
}

/// Returns whether the body itself loads from slow memory.
fn has_loads(func: &Function, loop_: Inst) -> bool {
    let body = func.insts[loop_].regions[0];
    let insts = &func.regions[body].insts;
    insts.iter().any(|&i| is_slow_load(func, i))
}

/// Returns whether an instruction loads from a buffer.
fn is_slow_load(func: &Function, inst: Inst) -> bool {
    matches!(
        func.insts[inst].op,
        Op::LoadFrom(Storage::Physical | Storage::Buffer(..) | Storage::ReadOnly(..), access) if !access.volatile
    )
}

/// Returns whether a storage is memory of the work-group or of the work-item, which no load from a buffer reads.
fn is_near(storage: &Storage) -> bool {
    matches!(
        storage,
        Storage::Arena(_) | Storage::Shared(..) | Storage::Variable
    )
}

/// Returns whether an instruction stores to memory of the work-group or of the work-item, also as a part of an atomic
/// operation.
fn stores_near(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    matches!(&data.op, Op::StoreTo(storage, access) if is_near(storage) && !access.volatile)
        || is_near_atomic(func, inst)
}

/// Returns whether an instruction is an atomic operation on such memory. It orders no access to a buffer; where a program
/// asks for that, there is a fence.
fn is_near_atomic(func: &Function, inst: Inst) -> bool {
    matches!(&func.insts[inst].op, Op::AtomicOn(_, storage) if is_near(storage))
}

/// Returns whether an instruction stores to a buffer.
fn stores_far(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::StoreTo(Storage::Physical, access) if !access.volatile)
}

/// Returns whether an instruction loads from memory of the work-group or of the work-item.
fn loads_near(func: &Function, inst: Inst) -> bool {
    matches!(&func.insts[inst].op, Op::LoadFrom(storage, _) if is_near(storage)) || is_near_atomic(func, inst)
}

/// The increment of a value from one iteration to the next, in the arithmetic of its type.
#[derive(Copy, Clone)]
enum Growth {
    /// The value stays the same.
    Nothing,
    By(Value),
}

/// Multiplies a factor by `n`.
fn times(b: &mut Builder<'_>, n: Value, factor: Value) -> Value {
    match b.func.as_bits(n) {
        Some(1) => factor,
        _ => b.binary(BinOp::IMul, n, factor),
    }
}

/// The form of the transformed loop.
pub(super) struct Batch {
    /// The number of iterations that become one.
    pub(super) factor: usize,
    /// The indices in `Candidate::first` of the loads that the work-items of a sub-group share
    /// (`share_loads`).
    pub(super) shared: Vec<usize>,
    /// Whether the number of iterations is a multiple of `factor`.
    pub(super) exact: bool,
    /// A condition, known before the transformed loop, without which it executes no iteration.
    pub(super) also: Option<Value>,
}

impl Batch {
    fn of(factor: usize, also: Option<Value>) -> Batch {
        Batch {
            factor,
            shared: Vec::new(),
            exact: false,
            also,
        }
    }
}

/// A loop of a form that can be transformed.
struct Form {
    body: Region,
    /// The instruction that repeats the loop.
    end: Inst,
    /// The body without the loop's first test and `end`.
    insts: Vec<Inst>,
    /// The number of instructions of an iteration, with those inside of conditions.
    size: usize,
    counter: Counter,
}

impl Form {
    fn new(func: &Function, jumps: &Jumps, loop_: Inst) -> Option<Form> {
        if !matches!(func.insts[loop_].unroll, Unroll::Unsaid | Unroll::Full) {
            return None;
        }
        let body = func.insts[loop_].regions[0];
        let end = func.terminator(body)?;
        if jumps.repeats(loop_) != [end] {
            return None;
        }
        let header = guard::header(func, loop_)?;
        let insts: Vec<Inst> = func.regions[body]
            .insts
            .iter()
            .copied()
            .filter(|&i| i != header.test && i != end)
            .collect();
        let size = insts
            .iter()
            .try_fold(0, |sum, &i| Some(sum + movable_size(func, i)?))?;
        if size > MAX_BODY {
            return None;
        }
        let counter = Counter::new(func, body, &header, end)?;
        Some(Form {
            body,
            end,
            insts,
            size,
            counter,
        })
    }
}

/// A loop that can be transformed.
pub(super) struct Candidate {
    loop_: Inst,
    counter: Counter,
    /// The repeat at the end of the body.
    end: Inst,
    /// The loads whose addresses depend on no other load, and the instructions that compute their addresses, in
    /// the order of the text.
    pub(super) first: Vec<Inst>,
    /// The loads whose addresses depend on those in `first`, and the instructions that compute their addresses, in
    /// the order of the text.
    second: Vec<Inst>,
    /// The numbers of the loop's arguments that these use.
    args: Vec<usize>,
    /// The rest of the body.
    rest: Vec<Inst>,
    /// The number of instructions of the body, with those inside of conditions.
    size: usize,
    /// The number of iterations that become one.
    factor: usize,
    /// Whether the body stores to memory.
    writes: bool,
    /// The loads and stores of which only a test at run time tells that they do not overlap.
    unknown: Accesses,
}

impl Candidate {
    /// Returns the candidate if the loop has the form that the module's documentation describes.
    pub(super) fn new(func: &Function, jumps: &Jumps, loop_: Inst) -> Option<Candidate> {
        let Form {
            body,
            end,
            insts,
            size,
            counter,
        } = Form::new(func, jumps, loop_)?;
        let ahead = Ahead::new(func, body, end, &insts)?;
        let moved = ahead.levels.keys().filter(|&&i| is_load(func, i));
        let loaded: u32 = moved.map(|&i| func.ty(func.insts[i].results[0]).bytes()).sum();
        let &(mut factor, _) = FACTORS.iter().find(|(_, most)| loaded <= *most)?;
        if let Some(most) = counter.most_iterations(func, loop_) {
            // A loop that needs more iterations than there are would never be executed.
            factor = factor.min(1 << usize::try_from(most).ok()?.checked_ilog2()?);
            if factor < 2 {
                return None;
            }
        }
        let mut unknown = Accesses::default();
        if insts.iter().any(|&i| stores_far(func, i)) {
            let moved = |i: Inst| ahead.levels.contains_key(&i) && is_load(func, i);
            let distance = Loop { func, body, end }.factor(&insts, moved, factor, &mut unknown);
            factor = 1 << distance.ilog2();
            if factor < REST {
                return None;
            }
        }
        let mut inside = insts.iter().flat_map(|&i| func.insts_inside(i));
        let writes = inside.any(|i| stores_near(func, i) || stores_far(func, i));
        let (early, rest): (Vec<Inst>, _) = insts.into_iter().partition(|i| ahead.levels.contains_key(i));
        let (first, second) = early.into_iter().partition(|i| ahead.levels[i] == 0);
        Some(Candidate {
            loop_,
            counter,
            end,
            first,
            second,
            args: ahead.args,
            rest,
            size,
            factor,
            writes,
            unknown,
        })
    }

    /// Inserts a test before the loop that its loads and stores do not overlap, and returns the result of the test; `None` if no
    /// test is needed. It is an error if no test is possible.
    fn test_overlap(&self, func: &mut Function, place: Region) -> Result<Option<Value>, ()> {
        if self.unknown.is_empty() {
            return Ok(None);
        }
        let at = func.index_in(place, self.loop_);
        let mut b = Builder::before(func, place, at);
        b.span = b.func.insts[self.loop_].span;
        let holds = self
            .unknown
            .test(&mut b, self.loop_, self.end, &self.counter, self.factor);
        holds.map(Some).ok_or(())
    }

    /// Returns the number of instructions of an iteration.
    pub(super) fn len(&self) -> usize {
        self.size
    }

    /// Returns whether the body is short straight-line code without stores in which no address depends on a load.
    pub(super) fn is_straight(&self) -> bool {
        let top = self.first.len() + self.rest.len();
        self.second.is_empty()
            && !self.writes
            && self.size == top
            && self.size <= MAX_STRAIGHT
            && self.factor >= 4
    }

    /// Inserts the transformed loop before the original loop, which does the remaining iterations. Returns
    /// the new loop.
    pub(super) fn build(&self, func: &mut Function, place: Region, batch: &Batch) -> Inst {
        let body = func.insts[self.loop_].regions[0];
        let span = func.insts[self.loop_].span;
        let args = func.regions[body].args.clone();
        let types: Vec<Ty> = args.iter().map(|&a| func.ty(a)).collect();
        let starts = func.insts[self.loop_].args.clone();
        let growths = self.multiples(func, place, batch.factor);
        let offsets = self.lane_offsets(func, place, batch);
        let quick = func.new_inst(Op::Loop, starts, &types, span);
        let inside = func.new_region(&types);
        func.insts[quick].regions.push(inside);
        let mine = func.regions[inside].args.clone();
        let factor = (batch.factor, batch.exact);
        self.counter.test(func, quick, inside, factor, batch.also);

        let nexts = func.insts[self.end].args.clone();
        let mut copies: Vec<Copier> = (0..batch.factor).map(|_| Copier::default()).collect();
        let shared = self.share(func, inside, &offsets, batch, &mut copies);
        for &n in &self.args {
            copies[0].map_value(args[n], mine[n]);
        }
        let first: Vec<Inst> = self
            .first
            .iter()
            .copied()
            .filter(|i| !shared.contains(i))
            .collect();
        copies[0].insts(func, &first, inside, |_, _, _| {});
        for at in 1..copies.len() {
            let (before, copy) = copies.split_at_mut(at);
            let copy = &mut copy[0];
            for &n in &self.args {
                copy.map_value(args[n], before[at - 1].value(nexts[n]));
            }
            // Each sum is added to one that is as far away as possible, so that chains of sums are short.
            let power = at.trailing_zeros() as usize;
            let from = &before[at - (1 << power)];
            for inst in &first {
                let Some(multiples) = growths.get(inst) else {
                    copy.insts(func, &[*inst], inside, |_, _, _| {});
                    continue;
                };
                let result = func.insts[*inst].results[0];
                let terms = [from.value(result), multiples[power]];
                let sum = func.new_inst(Op::Binary(BinOp::IAdd), terms, &[func.ty(result)], span);
                func.regions[inside].insts.push(sum);
                copy.map_value(result, func.insts[sum].results[0]);
            }
        }
        for copy in &mut copies {
            copy.insts(func, &self.second, inside, |_, _, _| {});
        }
        let mut values: Vec<Value> = mine.to_vec();
        for copy in &mut copies {
            for (&arg, &value) in args.iter().zip(&values) {
                copy.map_value(arg, value);
            }
            copy.insts(func, &self.rest, inside, |_, _, _| {});
            values = nexts.iter().map(|&v| copy.value(v)).collect();
        }
        let repeat = func.new_inst(Op::Repeat(quick), values, &[], span);
        func.regions[inside].insts.push(repeat);

        let results = func.insts[quick].results.clone();
        func.insts[self.loop_].args = results;
        func.insert_before(place, self.loop_, [quick]);
        quick
    }

    /// Returns the increment of an argument of the loop, if it is loop-invariant.
    fn arg_growth(&self, func: &Function, n: usize) -> Option<Growth> {
        let body = func.insts[self.loop_].regions[0];
        let arg = func.regions[body].args[n];
        let next = func.insts[self.end].args[n];
        if next == arg {
            return Some(Growth::Nothing);
        }
        let next = &func.insts[func.def_inst(next)?];
        if next.op != Op::Binary(BinOp::IAdd) || func.ty(arg).is_vector() {
            return None;
        }
        let own = next.args.iter().position(|&a| a == arg)?;
        let other = next.args[1 - own];
        is_outside(func, body, other).then_some(Growth::By(other))
    }

    /// Returns the increments of [`Candidate::growths`] times the powers of two that are less than `factor`. The
    /// multiples are computed before the loop.
    fn multiples(&self, func: &mut Function, place: Region, factor: usize) -> BTreeMap<Inst, Vec<Value>> {
        let growths = self.growths(func, place);
        let at = func.index_in(place, self.loop_);
        let mut b = Builder::before(func, place, at);
        let mut known: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
        let of = |growth: Value| {
            let list = known.entry(growth).or_insert_with(|| {
                let double = |&v: &Value| {
                    Some(match b.func.as_bits(v) {
                        Some(bits) => b.bits(b.func.ty(v), bits.wrapping_mul(2)),
                        None => b.binary(BinOp::IAdd, v, v),
                    })
                };
                std::iter::successors(Some(growth), double)
                    .take(factor.ilog2() as usize)
                    .collect()
            });
            list.clone()
        };
        let (insts, growths): (Vec<Inst>, Vec<Value>) = growths.into_iter().unzip();
        insts.into_iter().zip(growths.into_iter().map(of)).collect()
    }

    /// Computes the loop-invariant increments of the instructions that addresses depend on, so that a copy of
    /// such an instruction is an addition and not a multiplication. The computations are inserted before the
    /// loop.
    fn growths(&self, func: &mut Function, place: Region) -> BTreeMap<Inst, Value> {
        let body = func.insts[self.loop_].regions[0];
        let mut known: BTreeMap<Value, Growth> = BTreeMap::new();
        for &n in &self.args {
            if let Some(growth) = self.arg_growth(func, n) {
                known.insert(func.regions[body].args[n], growth);
            }
        }
        let at = func.index_in(place, self.loop_);
        let mut b = Builder::before(func, place, at);
        let mut found = BTreeMap::new();
        let mut exact = Exact {
            candidate: self,
            body,
            known: BTreeMap::new(),
        };
        for &inst in &self.first {
            let data = &b.func.insts[inst];
            if data.op == Op::Cast(CastOp::SExt) && b.func.ty(data.results[0]) == Ty::I64 {
                let (operand, result) = (data.args[0], data.results[0]);
                if let Some(Growth::By(by)) = exact.of(&mut b, operand, MAX_CHAIN) {
                    known.insert(result, Growth::By(by));
                    found.insert(inst, by);
                }
                continue;
            }
            let (Op::Binary(op), false) = (&data.op, b.func.ty(data.results[0]).is_vector()) else {
                continue;
            };
            let (op, args, result) = (*op, data.args.clone(), data.results[0]);
            let of = |v: Value| match known.get(&v) {
                None if is_outside(b.func, body, v) => Some(Growth::Nothing),
                known => known.copied(),
            };
            let (Some(x), Some(y)) = (of(args[0]), of(args[1])) else {
                continue;
            };
            // A value that stays the same may nevertheless be computed in the loop.
            let is_known = [args[0], args[1]].map(|v| is_outside(b.func, body, v));
            let by = match (op, x, y) {
                (BinOp::IAdd, Growth::By(x), Growth::By(y)) => b.binary(op, x, y),
                (BinOp::IAdd, Growth::By(n), Growth::Nothing)
                | (BinOp::IAdd, Growth::Nothing, Growth::By(n))
                | (BinOp::ISub, Growth::By(n), Growth::Nothing) => n,
                (BinOp::IMul, Growth::By(n), Growth::Nothing) if is_known[1] => times(&mut b, n, args[1]),
                (BinOp::IMul, Growth::Nothing, Growth::By(n)) if is_known[0] => times(&mut b, n, args[0]),
                (BinOp::Shl, Growth::By(n), Growth::Nothing) if is_known[1] => b.binary(op, n, args[1]),
                _ => continue,
            };
            known.insert(result, Growth::By(by));
            found.insert(inst, by);
        }
        found
    }
}

/// The increments of signed 32-bit integers as 64-bit integers, which are exact because the operations are `no_wrap`.
struct Exact<'a> {
    candidate: &'a Candidate,
    body: Region,
    known: BTreeMap<Value, Option<Growth>>,
}

impl Exact<'_> {
    /// Returns the exact increment of a value, or `None` if it is not known or not loop-invariant.
    fn of(&mut self, b: &mut Builder<'_>, value: Value, depth: u32) -> Option<Growth> {
        if is_outside(b.func, self.body, value) {
            return Some(Growth::Nothing);
        }
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let growth = if depth > 0 && b.func.ty(value) == Ty::I32 {
            self.compute(b, value, depth - 1)
        } else {
            None
        };
        self.known.insert(value, growth);
        growth
    }

    fn compute(&mut self, b: &mut Builder<'_>, value: Value, depth: u32) -> Option<Growth> {
        if let ValueDef::Arg(_, n) = b.func.values[value].def {
            let growth = self.candidate.arg_growth(b.func, n as usize)?;
            let next = b.func.def_inst(b.func.insts[self.candidate.end].args[n as usize]);
            return match growth {
                Growth::Nothing => Some(Growth::Nothing),
                Growth::By(step) => next
                    .is_some_and(|i| b.func.insts[i].no_wrap)
                    .then(|| Growth::By(extended(b, step))),
            };
        }
        let data = &b.func.insts[b.func.def_inst(value)?];
        let (Op::Binary(op), true) = (&data.op, data.no_wrap) else {
            return None;
        };
        let (op, x, y) = (*op, data.args[0], data.args[1]);
        Some(match (op, self.of(b, x, depth)?, self.of(b, y, depth)?) {
            (BinOp::IAdd | BinOp::ISub, growth, Growth::Nothing) | (BinOp::IAdd, Growth::Nothing, growth) => {
                growth
            }
            (BinOp::IAdd | BinOp::ISub, Growth::By(x), Growth::By(y)) => Growth::By(b.binary(op, x, y)),
            // A value that stays the same may nevertheless be computed in the loop.
            (BinOp::IMul, Growth::By(n), Growth::Nothing) if is_outside(b.func, self.body, y) => {
                let factor = extended(b, y);
                Growth::By(times(b, n, factor))
            }
            (BinOp::IMul, Growth::Nothing, Growth::By(n)) if is_outside(b.func, self.body, x) => {
                let factor = extended(b, x);
                Growth::By(times(b, n, factor))
            }
            (BinOp::IMul, Growth::Nothing, Growth::Nothing) => Growth::Nothing,
            _ => return None,
        })
    }
}

/// Returns a 32-bit integer as a signed 64-bit integer.
fn extended(b: &mut Builder<'_>, value: Value) -> Value {
    match b.func.as_bits(value) {
        Some(bits) => b.i64(i64::from(bits as u32 as i32)),
        None => b.cast(CastOp::SExt, value, Ty::I64),
    }
}

/// Returns the number of instructions that an instruction of the body consists of, with those inside of it; `None`
/// if it may not be in the body.
fn movable_size(func: &Function, inst: Inst) -> Option<usize> {
    let data = &func.insts[inst];
    let may = match &data.op {
        Op::LoadFrom(_, access) => !access.volatile,
        Op::StoreTo(..) => stores_near(func, inst) || stores_far(func, inst),
        Op::AtomicOn(..) => is_near_atomic(func, inst),
        // The caller does not pass the loop's first test, which may leave the loop (`guard::header`). Any other
        // condition must stay in the loop, so its arms have to end by leaving only the condition itself.
        Op::If => true,
        Op::Intrinsic(i) => is_pure(data) && !i.is_convergent(),
        _ => is_pure(data),
    };
    let mut size = may.then_some(1)?;
    for &region in &data.regions {
        let (&end, insts) = func.regions[region].insts.split_last()?;
        if func.insts[end].op != Op::Exit(inst) {
            return None;
        }
        for &i in insts {
            // `distance` and `overlap` assume that a store is executed in every iteration.
            if stores_far(func, i) {
                return None;
            }
            size += movable_size(func, i)?;
        }
    }
    Some(size)
}

/// Returns whether an instruction loads from memory.
fn is_load(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::LoadFrom(..))
}

/// The loads of a body with the instructions that compute their addresses, also in earlier iterations.
struct Ahead {
    /// For each instruction, the number of loads on which it depends, one after the other: 0 or 1. A load does not count
    /// itself.
    levels: BTreeMap<Inst, u32>,
    /// The numbers of the loop's arguments that they use.
    args: Vec<usize>,
}

impl Ahead {
    /// Returns `None` if an address depends on a load of an earlier iteration, or on a chain of two loads.
    fn new(func: &Function, body: Region, end: Inst, insts: &[Inst]) -> Option<Ahead> {
        let mut args = Vec::new();
        let mut levels = BTreeMap::new();
        let mut inside = insts.iter().flat_map(|&i| func.insts_inside(i));
        let stores = inside.any(|i| stores_near(func, i));
        let stays = |i: Inst| stores && loads_near(func, i);
        let mut todo: Vec<Inst> = insts
            .iter()
            .copied()
            .filter(|&i| is_load(func, i) && !stays(i))
            .collect();
        while let Some(inst) = todo.pop() {
            if levels.insert(inst, 0).is_some() {
                continue;
            }
            if stays(inst) {
                return None;
            }
            let mut used: Vec<Value> = func.insts[inst].args.to_vec();
            while let Some(value) = used.pop() {
                match func.values[value].def {
                    ValueDef::Arg(region, n) if region == body && !args.contains(&(n as usize)) => {
                        args.push(n as usize);
                        used.push(func.insts[end].args[n as usize]);
                    }
                    // The results of a condition exist only after it.
                    ValueDef::Inst(i, _) if insts.contains(&i) && func.insts[i].op == Op::If => return None,
                    ValueDef::Inst(i, _) if insts.contains(&i) => todo.push(i),
                    ValueDef::Const(_) | ValueDef::Param(_) | ValueDef::Arg(..) | ValueDef::Inst(..) => {}
                }
            }
        }
        let depends = |levels: &BTreeMap<Inst, u32>, value: Value| match func.values[value].def {
            ValueDef::Inst(i, _) => levels.get(&i).map_or(0, |&own| own + u32::from(is_load(func, i))),
            _ => 0,
        };
        // In the order of the text, every operand of an iteration comes before its use.
        for &inst in insts
            .iter()
            .filter(|i| levels.contains_key(i))
            .collect::<Vec<_>>()
        {
            let level = func.insts[inst].args.iter().map(|&v| depends(&levels, v)).max();
            levels.insert(inst, level.unwrap_or(0));
        }
        let carried = args.iter().map(|&n| depends(&levels, func.insts[end].args[n]));
        let fits = levels.values().all(|&level| level <= 1) && carried.max().unwrap_or(0) == 0;
        args.sort_unstable();
        fits.then_some(Ahead { levels, args })
    }
}
