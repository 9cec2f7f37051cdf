//! Unrolls loops that wait for their own arithmetic, and interleaves the instructions of the iterations.
//!
//! Why: in an iteration of such a loop each operation depends on the one before it, so that the GPU is idle
//! for most of the latency (`PERFORMANCE.md`: n-body on doubles, H200). The driver starts no other iteration
//! before a branch. In copies one after another it finds independent instructions over a short distance only.
//! A rare case, such as an argument of `rsqrt` that is 0 or subnormal, is a branch in each iteration;
//! interleaved iterations share one branch.
//! In:  after `batch_loads`. A loop is taken if it is in a kernel; if it has a counter as `counter.rs`
//!      defines it; if only its first test leaves it; if the rest is straight-line code without stores that
//!      loads at most from work-group memory, apart from `if`s of which one arm does nothing; and if the
//!      longest chain of operations in an iteration is too long for drivers to hide.
//! Out: before the loop, another loop that does the next 8 or 4 iterations in one as long as these are
//!      certain. The original loop does the rest, or everything if the work-groups are so large that there
//!      would not be enough registers.
//!
//! The pass changes neither the computations nor the order of iterations in which values are carried: each
//! operation of an iteration stands beside the same operation of the other iterations. The `if`s of a group
//! become one `if`, whose idle arm is taken if all iterations would take it.

use crate::hash::HashMap;
use std::collections::{BTreeMap, BTreeSet};

use super::analysis::trip_count::{positions, trip_count};
use super::counter::Counter;
use super::guard;
use super::unroll_loops::versions::is_group_of;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::build::Builder;
use crate::ir::clone::Copier;
use crate::ir::walk::{Parents, Walk};
use crate::ir::{
    AddressSpace, BinOp, Function, Inst, Module, Op, Region, Scalar, Storage, Ty, Unroll, Value, ValueDef,
};

pub const PASS: Pass = Pass {
    name: "interleave",
    about: "Unrolls loops that wait for their own arithmetic, and interleaves the iterations.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// The number of interleaved iterations, and the largest work-groups for which a GPU with 65,536 registers
/// has enough of them.
const FORMS: [(usize, u32); 2] = [(8, 256), (4, 512)];

/// The most words of registers that the values of all interleaved iterations may occupy at a time.
const MAX_LIVE: usize = 192;

/// The most instructions of a loop body, including those in its regions.
const MAX_BODY: usize = 160;

/// The most bytes that an iteration may load: the values that all iterations load are in registers at the
/// same time.
const MAX_LOADED: u32 = 32;

/// The most instructions that all copies in a function may have together.
const MAX_COPIES: usize = 4096;

/// The fewest cycles that the longest chain of an iteration must take. Drivers overlap the iterations of
/// shorter chains themselves (H200, n-body on floats, 80 cycles).
const LONG: u32 = 100;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    // Only kernels: a function that is not inlined may be called from work-groups of any size.
    let kernels: Vec<_> = module.kernels.iter().map(|k| k.func).collect();
    for (f, func) in module.funcs.iter_mut() {
        changed |= kernels.contains(&f) && interleave(func);
    }
    Ok(changed.into())
}

/// Returns whether the pass is going to take a loop. For use before `lower_memory` and the other passes that
/// shorten chains.
pub(super) fn will_take(func: &Function, jumps: &Jumps, loop_: Inst) -> bool {
    Candidate::new(func, jumps, loop_, LONG + LONG / 2).is_some()
}

/// Interleaves the iterations of suitable loops in a function, and returns whether there were any.
fn interleave(func: &mut Function) -> bool {
    let order = func.insts_in_order();
    let loops: Vec<Inst> = order
        .into_iter()
        .filter(|&i| func.insts[i].op == Op::Loop)
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
        let Some(found) = Candidate::new(func, &jumps, loop_, LONG) else {
            continue;
        };
        let beside = found.form.0;
        if trip_count(func, &jumps, &position, loop_, beside as u64 - 1).is_some() {
            continue;
        }
        let size = beside * found.size;
        if size <= room {
            room -= size;
            found.build(func, place);
            changed = true;
        }
    }
    changed
}

/// A loop whose iterations are to be interleaved.
struct Candidate {
    loop_: Inst,
    counter: Counter,
    /// The repeat at the end of the body.
    end: Inst,
    /// The instructions that compute counters and similar carried values. They are not interleaved: all of an
    /// iteration come before those of the next.
    first: Vec<Inst>,
    /// The rest of the body, which is interleaved.
    rest: Vec<Inst>,
    /// For each instruction the loop's arguments that it and its regions use, by number.
    uses: BTreeMap<Inst, Vec<usize>>,
    /// The number of instructions of an iteration, including those in regions.
    size: usize,
    /// The chosen element of [`FORMS`].
    form: (usize, u32),
}

impl Candidate {
    /// Returns the candidate if the pass can take the loop. `long`: the fewest cycles of the longest chain.
    fn new(func: &Function, jumps: &Jumps, loop_: Inst, long: u32) -> Option<Candidate> {
        if matches!(func.insts[loop_].unroll, Unroll::Never | Unroll::Done) {
            return None;
        }
        let body = func.insts[loop_].regions[0];
        let end = func.terminator(body)?;
        if jumps.repeats(loop_) != [end] {
            return None;
        }
        let header = guard::header(func, loop_)?;
        let all = func.regions[body].insts.iter().copied();
        let insts: Vec<Inst> = all.filter(|&i| i != header.test && i != end).collect();
        let mut size = 0;
        for &inst in &insts {
            size += movable(func, inst).filter(|n| size + n <= MAX_BODY)?;
        }
        let loaded = |&&i: &&Inst| matches!(func.insts[i].op, Op::LoadFrom(..) | Op::Load(_));
        let bytes = |&i: &Inst| func.ty(func.insts[i].results[0]).bytes();
        let loaded: u32 = insts.iter().filter(loaded).map(bytes).sum();
        if loaded > MAX_LOADED || longest_chain(func, &insts) < long {
            return None;
        }
        let live = most_live(func, &insts);
        let form = FORMS.into_iter().find(|form| live * form.0 <= MAX_LIVE)?;
        let counter = Counter::new(func, body, &header, end)?;
        let uses = insts.iter().map(|&i| (i, used_args(func, body, i))).collect();
        let mut found = Candidate {
            loop_,
            counter,
            end,
            first: Vec::new(),
            rest: insts,
            uses,
            size,
            form,
        };
        found.split(func, body).then_some(found)
    }

    /// Moves to `first` the instructions that cannot be interleaved: those that compute a carried value which
    /// the next iteration uses earlier in the text than it is computed. Returns whether they are few and
    /// pure.
    fn split(&mut self, func: &Function, body: Region) -> bool {
        let nexts = &func.insts[self.end].args;
        let args = &func.regions[body].args;
        let number: HashMap<Inst, usize> = self.rest.iter().enumerate().map(|(k, &i)| (i, k)).collect();
        let maker = |n: usize| func.def_inst(nexts[n]).filter(|i| number.contains_key(i));
        // The body must not pass an argument on as another argument: no instruction of the iteration computes
        // that value.
        let passed_on = |(n, &v): (usize, &Value)| {
            v != args[n] && matches!(func.values[v].def, ValueDef::Arg(region, _) if region == body)
        };
        if nexts.iter().enumerate().any(passed_on) {
            return false;
        }
        let is_late = |inst: Inst, n: usize| maker(n).is_some_and(|made| number[&made] > number[&inst]);
        let late = |inst: &Inst| {
            self.uses[inst]
                .iter()
                .copied()
                .filter(|&n| is_late(*inst, n))
                .collect()
        };
        let mut todo: Vec<usize> = self.rest.iter().flat_map(|i| -> Vec<usize> { late(i) }).collect();
        let mut seen = BTreeSet::new();
        let mut ahead = BTreeSet::new();
        while let Some(n) = todo.pop() {
            let mut values = match maker(n) {
                Some(_) if seen.insert(n) => vec![nexts[n]],
                _ => continue,
            };
            while let Some(value) = values.pop() {
                // Constants, arguments and values from outside of the loop are available already.
                let inst = func.def_inst(value).filter(|i| number.contains_key(i));
                if let Some(inst) = inst.filter(|&i| ahead.insert(i)) {
                    values.extend(func.insts[inst].args.iter());
                    todo.extend(&self.uses[&inst]);
                }
            }
        }
        (self.first, self.rest) = self.rest.iter().partition(|i| ahead.contains(i));
        let simple = self.first.iter().all(|&i| is_pure(&func.insts[i]));
        simple && self.first.len() * 2 <= self.rest.len()
    }

    /// Inserts the interleaved loop before the original loop, which does the remaining iterations.
    fn build(&self, func: &mut Function, place: Region) {
        let body = func.insts[self.loop_].regions[0];
        let span = func.insts[self.loop_].span;
        let types: Vec<Ty> = func.regions[body].args.iter().map(|&a| func.ty(a)).collect();
        let starts = func.insts[self.loop_].args.clone();
        let (beside, items) = self.form;
        let room = is_group_of(func, place, self.loop_, items);
        let quick = func.new_inst(Op::Loop, starts, &types, span);
        func.insts[quick].unroll = Unroll::Done;
        let inside = func.new_region(&types);
        func.insts[quick].regions.push(inside);
        self.counter
            .test(func, quick, inside, (beside, false), Some(room));
        let values = self.iterations(func, inside);
        let repeat = func.new_inst(Op::Repeat(quick), values, &[], span);
        func.regions[inside].insts.push(repeat);

        let results = func.insts[quick].results.clone();
        func.insts[self.loop_].args = results;
        func.insert_before(place, self.loop_, [quick]);
    }

    /// Appends the interleaved iterations. Returns the values of the loop's arguments after them.
    fn iterations(&self, func: &mut Function, inside: Region) -> Vec<Value> {
        let beside = self.form.0;
        let values = func.regions[inside].args.clone();
        let body = func.insts[self.loop_].regions[0];
        let args = func.regions[body].args.clone();
        let nexts = func.insts[self.end].args.clone();
        let mut copies: Vec<Copier> = (0..beside).map(|_| Copier::default()).collect();
        let carry = |copies: &mut [Copier], at: usize, inst: Inst| {
            for &n in &self.uses[&inst] {
                let value = match at {
                    0 => values[n],
                    _ if nexts[n] == args[n] => values[n],
                    _ => copies[at - 1].value(nexts[n]),
                };
                copies[at].map_value(args[n], value);
            }
        };
        for at in 0..beside {
            for &inst in &self.first {
                carry(&mut copies, at, inst);
                copies[at].insts(func, &[inst], inside, |_, _, _| {});
            }
        }
        for &inst in &self.rest {
            if let Some(branch) = Branch::new(func, inst) {
                for at in 0..beside {
                    carry(&mut copies, at, inst);
                }
                branch.build(func, inside, &mut copies);
                continue;
            }
            for at in 0..beside {
                carry(&mut copies, at, inst);
                copies[at].insts(func, &[inst], inside, |_, _, _| {});
            }
        }
        let last = |(n, &next): (usize, &Value)| match next == args[n] {
            true => values[n],
            false => copies[beside - 1].value(next),
        };
        nexts.iter().enumerate().map(last).collect()
    }
}

/// An `if` of which one arm only passes values to the results.
struct Branch {
    inst: Inst,
    /// The index of that arm.
    idle: usize,
}

impl Branch {
    /// Returns the branch if `inst` is an `if` with an idle arm.
    fn new(func: &Function, inst: Inst) -> Option<Branch> {
        let data = &func.insts[inst];
        let idle = |&arm: &usize| {
            let list = &func.regions[data.regions[arm]].insts;
            list.len() == 1 && func.insts[list[0]].op == Op::Exit(inst)
        };
        let idle = (data.op == Op::If).then(|| (0..2).find(idle))??;
        Some(Branch { inst, idle })
    }

    /// Returns the number of instructions, including those in regions, if it is small and if the busy arm has
    /// no effect but its results.
    fn size(&self, func: &Function) -> Option<usize> {
        let mut inside = BTreeSet::from([self.inst]);
        let mut size = 1;
        let mut walk = Walk::region(func.insts[self.inst].regions[1 - self.idle]);
        while let Some((_, inst)) = walk.next(func) {
            size += 1;
            let fits = match &func.insts[inst].op {
                Op::If | Op::Block | Op::Loop | Op::Switch(_) => inside.insert(inst),
                Op::Exit(target) | Op::Repeat(target) => inside.contains(target),
                _ => can_be_moved(func, inst),
            };
            if !fits || size > MAX_BODY {
                return None;
            }
        }
        Some(size)
    }

    /// Appends one `if` for all copies, whose busy arm contains the busy arms of all of them.
    fn build(&self, func: &mut Function, place: Region, copies: &mut [Copier]) {
        let data = func.insts[self.inst].clone();
        let idle_values = func.insts[func.regions[data.regions[self.idle]].insts[0]]
            .args
            .clone();
        let conditions: Vec<Value> = copies.iter().map(|c| c.value(data.args[0])).collect();
        // The idle arm is taken if all conditions select it.
        let join = [BinOp::And, BinOp::Or][self.idle];
        let mut b = Builder::at_end(func, place);
        b.span = data.span;
        let mut condition = conditions[0];
        for &c in &conditions[1..] {
            condition = b.binary(join, condition, c);
        }
        let types: Vec<Ty> = data.results.iter().map(|&r| b.func.ty(r)).collect();
        let all: Vec<Ty> = copies.iter().flat_map(|_| types.iter().copied()).collect();
        let one = b.insert(Op::If, [condition], &all);
        let arms = [func.new_region(&[]), func.new_region(&[])];
        func.insts[one].regions.extend(arms);
        let idle = copies
            .iter()
            .flat_map(|c| idle_values.iter().map(|&v| c.value(v)));
        let exit = func.new_inst(Op::Exit(one), idle.collect::<Vec<_>>(), &[], data.span);
        func.regions[arms[self.idle]].insts.push(exit);

        let busy = arms[1 - self.idle];
        let mut values = Vec::new();
        for copy in &mut *copies {
            copy.insts(func, &[self.inst], busy, |_, _, _| {});
            values.extend(data.results.iter().map(|&r| copy.value(r)));
        }
        let exit = func.new_inst(Op::Exit(one), values, &[], data.span);
        func.regions[busy].insts.push(exit);
        let mut results = func.insts[one].results.clone().into_iter();
        for copy in copies {
            for (&result, merged) in data.results.iter().zip(&mut results) {
                copy.map_value(result, merged);
            }
        }
    }
}

/// Returns the number of instructions that an instruction of the body counts as, if it may be interleaved.
fn movable(func: &Function, inst: Inst) -> Option<usize> {
    match Branch::new(func, inst) {
        Some(branch) => branch.size(func),
        None => can_be_moved(func, inst).then_some(1),
    }
}

/// Returns whether an instruction may change places with those of other iterations.
fn can_be_moved(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match &data.op {
        Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..), access) => !access.volatile,
        Op::Load(access) => !access.volatile && func.ty(data.args[0]).space() == Some(AddressSpace::Local),
        Op::Intrinsic(i) => is_pure(data) && !i.is_convergent(),
        _ => is_pure(data),
    }
}

/// Returns the loop's arguments that an instruction and its regions use, by number.
fn used_args(func: &Function, body: Region, inst: Inst) -> Vec<usize> {
    let mut used = BTreeSet::new();
    let mut note = |inst: Inst| {
        for &arg in &func.insts[inst].args {
            if let ValueDef::Arg(region, n) = func.values[arg].def
                && region == body
            {
                used.insert(n as usize);
            }
        }
    };
    note(inst);
    for &region in &func.insts[inst].regions {
        let mut walk = Walk::region(region);
        while let Some((_, inst)) = walk.next(func) {
            note(inst);
        }
    }
    used.into_iter().collect()
}

/// Returns the length in cycles of the longest chain of dependent instructions, without the busy arms of
/// branches.
fn longest_chain(func: &Function, insts: &[Inst]) -> u32 {
    let mut ready: BTreeMap<Value, u32> = BTreeMap::new();
    let mut longest = 0;
    for &inst in insts {
        let data = &func.insts[inst];
        let wait = data.args.iter().filter_map(|a| ready.get(a)).max();
        let idle = Branch::new(func, inst).map(|b| func.regions[data.regions[b.idle]].insts[0]);
        let passed = idle.map(|exit| func.insts[exit].args.iter().filter_map(|a| ready.get(a)).max());
        let start = wait.max(passed.flatten()).copied().unwrap_or(0);
        let done = start + cycles(func, inst);
        longest = longest.max(done);
        ready.extend(data.results.iter().map(|&r| (r, done)));
    }
    longest
}

/// Returns the cycles until another instruction can use the result, on a typical GPU of the 2020s.
fn cycles(func: &Function, inst: Inst) -> u32 {
    let data = &func.insts[inst];
    let of_double = |&v: &Value| func.ty(v).scalar == Scalar::F64;
    let double = data.results.iter().chain(&data.args).any(of_double);
    let plain = if double { 8 } else { 4 };
    match &data.op {
        Op::LoadFrom(..) | Op::Load(_) => 25,
        Op::Intrinsic(Intrinsic::Fma | Intrinsic::FMin | Intrinsic::FMax | Intrinsic::FAbs) => plain,
        Op::Intrinsic(_) => 5 * plain,
        Op::Binary(BinOp::FDiv | BinOp::FRem) => 10 * plain,
        Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem) => 40,
        Op::Binary(_) | Op::Unary(_) | Op::Compare(_) | Op::If => plain,
        Op::Select => 4,
        _ => 0,
    }
}

/// Returns the largest number of words that are live at a time among the values that an iteration computes or
/// loads.
fn most_live(func: &Function, insts: &[Inst]) -> usize {
    // An operation that takes no cycles only reinterprets its operands, and stands for them.
    let mut made_of: BTreeMap<Value, Vec<Inst>> = BTreeMap::new();
    let mut last_use: BTreeMap<Inst, usize> = BTreeMap::new();
    for (k, &inst) in insts.iter().enumerate() {
        let data = &func.insts[inst];
        let mut operands = data.args.to_vec();
        for &region in &data.regions {
            let mut walk = Walk::region(region);
            while let Some((_, inside)) = walk.next(func) {
                operands.extend(func.insts[inside].args.iter());
            }
        }
        let used: BTreeSet<Inst> = operands
            .iter()
            .flat_map(|v| made_of.get(v))
            .flatten()
            .copied()
            .collect();
        last_use.extend(used.iter().map(|&i| (i, k)));
        let own: Vec<Inst> = match cycles(func, inst) {
            0 => used.into_iter().collect(),
            _ => vec![inst],
        };
        made_of.extend(data.results.iter().map(|&r| (r, own.clone())));
    }
    let words = |&inst: &Inst| -> usize {
        let bytes = func.insts[inst]
            .results
            .iter()
            .map(|&r| func.ty(r).bytes() as usize);
        bytes.map(|b| b.div_ceil(4)).sum()
    };
    let live_at = |k: usize| {
        let wanted = |(n, i): &(usize, &Inst)| *n <= k && last_use.get(*i).is_some_and(|&last| last > k);
        let live = insts.iter().enumerate().filter(wanted);
        live.map(|(_, i)| words(i)).sum()
    };
    (0..insts.len()).map(live_at).max().unwrap_or(0)
}
