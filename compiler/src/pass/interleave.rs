//! Does several iterations of loops that wait for their own arithmetic side by side.
//!
//! Why: each operation of an n-body step on doubles waits for the one before it, 180 cycles for an iteration in which an H200 is busy for 50,
//! and its driver begins no other one ahead of a branch. Copies in a row leave it to the driver to find what is independent, which it does
//! over some distance only. What is rare (an argument of `rsqrt` that is 0 or subnormal) is behind a branch in each iteration; one
//! branch for all of them is there an eighth as often. H200, n-body on doubles (NVIDIA's OpenCL 208 G/s): 131 as it was, 167 and 193 by fours and sixteens in a
//! row, 264 by fours and 292 by eights side by side; 301 if there are two such eights in a row.
//! In:  behind `batch_loads`. A loop in a kernel is looked at if it counts as there, if only its first test leaves it, and if the rest is straight-line code
//!      without stores that loads from work-group memory at most, but for `if`s of which one arm does nothing; and if the longest chain of
//!      operations in an iteration is so long that drivers do not hide it.
//! Out: a loop ahead of it that goes on as long as so many more iterations are certain; the loop itself does the rest, or all where groups
//!      are so large that registers would be short. What is
//!      computed, and in which order of iterations values are carried, stays as it was: an operation of the iterations stands beside
//!      the same one of the others. `if`s become one, whose idle arm is taken if all of them would take it.

use std::collections::{BTreeMap, BTreeSet};

use super::analysis::{Jumps, is_pure};
use super::counter::Counter;
use super::guard;
use super::trip_count::{positions, trip_count};
use super::unroll_loops::versions::is_group_of;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::build::Builder;
use crate::ir::clone::Copier;
use crate::ir::walk::{Parents, Walk};
use crate::ir::{
    AddressSpace, BinOp, Function, Inst, Module, Op, Region, Scalar, Storage, Ty, Unroll, Value, ValueDef,
};

pub const PASS: Pass = Pass {
    name: "interleave",
    about: "Does several iterations of loops that wait for their own arithmetic side by side.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![SpirvExits],
};

/// Iterations side by side, and the largest groups for whose work-items a GPU has as many registers (of 65,536) as that takes.
const FORMS: [(usize, u32); 2] = [(8, 256), (4, 512)];

/// Words that the iterations side by side may have in registers for each other.
const MAX_LIVE: usize = 192;

/// Instructions of a body, with all that is inside of it.
const MAX_BODY: usize = 160;

/// Bytes that an iteration loads at most: they are in registers at the same time.
const MAX_LOADED: u32 = 32;

/// Instructions that all copies in a function may have together.
const MAX_COPIES: usize = 4096;

/// Cycles that the longest chain of an iteration takes at least. Drivers overlap the iterations of a shorter one themselves (H200, n-body in
/// floats, 80 cycles).
const LONG: u32 = 100;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    // Functions that stay are called from groups of any size.
    let kernels: Vec<_> = module.kernels.iter().map(|k| k.func).collect();
    for (f, func) in module.funcs.iter_mut() {
        changed |= kernels.contains(&f) && interleave(func);
    }
    Ok(changed.into())
}

/// Whether the pass is going to take a loop, ahead of `lower_memory` and what makes chains shorter.
pub(super) fn will_take(func: &Function, jumps: &Jumps, loop_: Inst) -> bool {
    Candidate::new(func, jumps, loop_, LONG + LONG / 2).is_some()
}

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

/// A loop whose iterations go side by side.
struct Candidate {
    loop_: Inst,
    counter: Counter,
    /// The repeat at the end of the body.
    end: Inst,
    /// What counters and the like are computed by: an iteration of it after the other.
    first: Vec<Inst>,
    /// The rest of the body.
    rest: Vec<Inst>,
    /// The arguments of the loop that an instruction or what is inside of it uses, by their numbers.
    uses: BTreeMap<Inst, Vec<usize>>,
    /// Instructions of an iteration, with all inside of them.
    size: usize,
    /// One of [`FORMS`].
    form: (usize, u32),
}

impl Candidate {
    /// `long`: cycles of the longest chain.
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

    /// Finds what cannot wait for its turn: what carries to the next iteration a value that is wanted there earlier in the text than
    /// it is made. Whether that is little, and simple.
    fn split(&mut self, func: &Function, body: Region) -> bool {
        let nexts = &func.insts[self.end].args;
        let args = &func.regions[body].args;
        let number: BTreeMap<Inst, usize> = self.rest.iter().enumerate().map(|(k, &i)| (i, k)).collect();
        let maker = |n: usize| func.def_inst(nexts[n]).filter(|i| number.contains_key(i));
        // A value that one iteration has from the argument of another is no value of its own.
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
                // Constants, arguments and what is outside of the loop are there already.
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

    /// Puts the loop of groups ahead of the loop, which goes on with what is left.
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
        let list = &mut func.regions[place].insts;
        let at = list.iter().position(|&i| i == self.loop_).unwrap_or(0);
        list.insert(at, quick);
    }

    /// Appends iterations side by side. Gives what the loop's arguments are then.
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

/// An `if` of which one arm only says what the results are.
struct Branch {
    inst: Inst,
    /// The number of that arm.
    idle: usize,
}

impl Branch {
    fn new(func: &Function, inst: Inst) -> Option<Branch> {
        let data = &func.insts[inst];
        let idle = |&arm: &usize| {
            let list = &func.regions[data.regions[arm]].insts;
            list.len() == 1 && func.insts[list[0]].op == Op::Exit(inst)
        };
        let idle = (data.op == Op::If).then(|| (0..2).find(idle))??;
        Some(Branch { inst, idle })
    }

    /// How many instructions it is with all inside of it, if that is not much, and nothing but its results tells whether the busy
    /// arm was executed.
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

    /// One `if` for the copies, in the busy arm of which each has its own.
    fn build(&self, func: &mut Function, place: Region, copies: &mut [Copier]) {
        let data = func.insts[self.inst].clone();
        let idle_values = func.insts[func.regions[data.regions[self.idle]].insts[0]]
            .args
            .clone();
        let conditions: Vec<Value> = copies.iter().map(|c| c.value(data.args[0])).collect();
        // All say the idle arm, or one does not.
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

/// How many instructions one of the body is, if it may be there.
fn movable(func: &Function, inst: Inst) -> Option<usize> {
    match Branch::new(func, inst) {
        Some(branch) => branch.size(func),
        None => can_be_moved(func, inst).then_some(1),
    }
}

fn can_be_moved(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match &data.op {
        Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..), access) => !access.volatile,
        Op::Load(access) => !access.volatile && func.ty(data.args[0]).space() == Some(AddressSpace::Local),
        Op::Intrinsic(i) => is_pure(data) && !i.is_convergent(),
        _ => is_pure(data),
    }
}

/// The arguments of the loop that an instruction or what is inside of it uses, by their numbers.
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

/// Cycles from the first to the last of what waits for each other in straight-line code, but for the busy arms of branches.
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

/// Cycles until others can use the result, as on GPUs of today.
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

/// Words of what an iteration has computed or loaded and still wants, where that is most.
fn most_live(func: &Function, insts: &[Inst]) -> usize {
    // What only says how bits are looked at stands for what it looks at.
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
