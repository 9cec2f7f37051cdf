//! Unrolls small loops that only read memory by four, with all loads of the four iterations at the beginning.
//!
//! Why: a loop like `for (k = 0; k < n; k++) sum += a[k] * b[k * n];` waits for memory in each iteration.
//! Drivers unroll such loops twice at best, and do not move loads before the uses of earlier loads. (H200,
//! naive matrix product: 4.2 TFLOP/s as it is; 4.2 unrolled by four in the order of the text, or with a
//! multiplication for each address; 5.0 with the loads first and additions.)
//! In:  after `lower_memory` and `hoist_invariants`. A loop is taken if it counts (`i < n`, `i += step`, with
//!      loop-invariant step and bound), if only its first test leaves it, and if its body is straight-line
//!      code without stores in which no address depends on a loaded value.
//! Out: before the loop, another loop that runs as long as four more iterations are certain. The original
//!      loop does the rest.
//!
//! The pass changes neither the computations nor their order, except that loads move, which is safe because
//! nothing in the loop writes. The values that addresses are computed from are added up from iteration to
//! iteration.

mod share;

use std::collections::BTreeMap;

use super::counter::{Counter, is_outside};
use super::guard;
use super::trip_count::{positions, trip_count};
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::build::Builder;
use crate::ir::clone::Copier;
use crate::ir::walk::Parents;
use crate::ir::{BinOp, Function, Inst, Module, Op, Region, Storage, Ty, Unroll, Value, ValueDef};

pub const PASS: Pass = Pass {
    name: "batch_loads",
    about: "Unrolls small loops that only read memory by four, with all loads first.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// The number of iterations that become one.
const FACTOR: usize = 4;

/// The most instructions of a loop body.
const MAX_BODY: usize = 40;

/// The most bytes that an iteration may load: the loads of all four iterations are in registers at the same
/// time.
const MAX_LOADED: u32 = 32;

/// Loops with a known trip count of at most this are left to the driver.
const SHORT: u64 = 64;

/// The most instructions that all copies in a function may have together.
const MAX_COPIES: usize = 1024;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
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
        let size = FACTOR * found.len();
        if size <= room {
            room -= size;
            found.build(func, place, &Batch::of(FACTOR));
            changed = true;
        }
    }
    changed
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
}

impl Batch {
    fn of(factor: usize) -> Batch {
        Batch {
            factor,
            shared: Vec::new(),
            exact: false,
        }
    }
}

/// A loop that can be transformed.
pub(super) struct Candidate {
    loop_: Inst,
    counter: Counter,
    /// The repeat at the end of the body.
    end: Inst,
    /// The loads and the instructions that compute their addresses, in the order of the text.
    pub(super) first: Vec<Inst>,
    /// The numbers of the loop's arguments that these use.
    args: Vec<usize>,
    /// The rest of the body.
    rest: Vec<Inst>,
}

impl Candidate {
    /// Returns the candidate if the loop has the form that the module's documentation describes.
    pub(super) fn new(func: &Function, jumps: &Jumps, loop_: Inst) -> Option<Candidate> {
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
        if insts.len() > MAX_BODY || !insts.iter().all(|&i| is_movable(func, i)) {
            return None;
        }
        let loaded = |&&i: &&Inst| matches!(func.insts[i].op, Op::LoadFrom(..));
        let bytes = |&i: &Inst| func.ty(func.insts[i].results[0]).bytes();
        if insts.iter().filter(loaded).map(bytes).sum::<u32>() > MAX_LOADED {
            return None;
        }
        let counter = Counter::new(func, body, &header, end)?;
        let (ahead, args) = addresses(func, body, end, &insts)?;
        let (first, rest) = insts.into_iter().partition(|i| ahead.contains(i));
        Some(Candidate {
            loop_,
            counter,
            end,
            first,
            args,
            rest,
        })
    }

    /// Returns the number of instructions of an iteration.
    pub(super) fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    /// Inserts the transformed loop before the original loop, which does the remaining iterations. Returns
    /// the new loop.
    pub(super) fn build(&self, func: &mut Function, place: Region, batch: &Batch) -> Inst {
        let body = func.insts[self.loop_].regions[0];
        let span = func.insts[self.loop_].span;
        let args = func.regions[body].args.clone();
        let types: Vec<Ty> = args.iter().map(|&a| func.ty(a)).collect();
        let starts = func.insts[self.loop_].args.clone();
        let growths = self.growths(func, place);
        let offsets = self.lane_offsets(func, place, batch);
        let quick = func.new_inst(Op::Loop, starts, &types, span);
        let inside = func.new_region(&types);
        func.insts[quick].regions.push(inside);
        let mine = func.regions[inside].args.clone();
        let factor = (batch.factor, batch.exact);
        self.counter.test(func, quick, inside, factor, None);

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
            let (before, copy) = (&before[at - 1], &mut copy[0]);
            for &n in &self.args {
                copy.map_value(args[n], before.value(nexts[n]));
            }
            for inst in &first {
                let Some(&growth) = growths.get(inst) else {
                    copy.insts(func, &[*inst], inside, |_, _, _| {});
                    continue;
                };
                let result = func.insts[*inst].results[0];
                let terms = [before.value(result), growth];
                let sum = func.new_inst(Op::Binary(BinOp::IAdd), terms, &[func.ty(result)], span);
                func.regions[inside].insts.push(sum);
                copy.map_value(result, func.insts[sum].results[0]);
            }
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
        for &inst in &self.first {
            let data = &b.func.insts[inst];
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
            let by = match (op, x, y) {
                (BinOp::IAdd, Growth::By(x), Growth::By(y)) => b.binary(op, x, y),
                (BinOp::IAdd, Growth::By(n), Growth::Nothing)
                | (BinOp::IAdd, Growth::Nothing, Growth::By(n))
                | (BinOp::ISub, Growth::By(n), Growth::Nothing) => n,
                (BinOp::IMul, Growth::By(n), Growth::Nothing) => times(&mut b, n, args[1]),
                (BinOp::IMul, Growth::Nothing, Growth::By(n)) => times(&mut b, n, args[0]),
                (BinOp::Shl, Growth::By(n), Growth::Nothing) => b.binary(op, n, args[1]),
                _ => continue,
            };
            known.insert(result, Growth::By(by));
            found.insert(inst, by);
        }
        found
    }
}

/// Returns whether an instruction may be in the body.
fn is_movable(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match &data.op {
        Op::LoadFrom(_, access) => !access.volatile,
        Op::Intrinsic(i) => is_pure(data) && !i.is_convergent(),
        _ => is_pure(data),
    }
}

/// Returns the loads of a body with the instructions that compute their addresses, also in earlier
/// iterations, and the numbers of the loop's arguments that these use. Returns `None` if an address depends
/// on a load.
fn addresses(func: &Function, body: Region, end: Inst, insts: &[Inst]) -> Option<(Vec<Inst>, Vec<usize>)> {
    let is_load = |i: Inst| matches!(func.insts[i].op, Op::LoadFrom(..));
    let mut ahead: Vec<Inst> = insts.iter().copied().filter(|&i| is_load(i)).collect();
    let mut args = Vec::new();
    let mut todo: Vec<Value> = ahead.iter().flat_map(|&i| func.insts[i].args.to_vec()).collect();
    while let Some(value) = todo.pop() {
        match func.values[value].def {
            ValueDef::Arg(region, n) if region == body => {
                if !args.contains(&(n as usize)) {
                    args.push(n as usize);
                    todo.push(func.insts[end].args[n as usize]);
                }
            }
            ValueDef::Inst(inst, _) if insts.contains(&inst) => {
                if is_load(inst) {
                    return None;
                }
                if !ahead.contains(&inst) {
                    ahead.push(inst);
                    todo.extend(func.insts[inst].args.iter());
                }
            }
            ValueDef::Const(_) | ValueDef::Param(_) | ValueDef::Arg(..) | ValueDef::Inst(..) => {}
        }
    }
    args.sort_unstable();
    Some((ahead, args))
}
