//! Which loops are unrolled so that private arrays become values.
//!
//! An array becomes values only if all of its indices become constants: a single loop that stays, or an index
//! that no loop counts, keeps it in memory, and the unrolling of all other loops is in vain. So the decision is
//! one for the array and for all loops that count its indices. The cost of unrolling them is what stays after
//! folding: arithmetic on counters, tests of counters, and accesses to the array itself cost nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::{BARRIER, is_alloca};
use crate::hash::ordered;
use crate::intrinsic::Intrinsic;
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::walk::{Parents, Walk};
use crate::ir::{AddressSpace, EntityRef, Function, Inst, Op, Region, Unroll, Value, ValueDef};
use crate::pass::analysis::trip_count::{TripCount, trip_count};
use crate::pass::sroa::MAX_COPY;

/// The largest array in bytes that registers can hold: 256 words, as many as a work-item has on the GPUs with
/// the most.
const REGISTERS: u32 = 1024;

/// The most instructions that may stay of all loops of an array, if the source asks for unrolling them and if
/// it does not.
const ASKED: u64 = 8192;
const UNASKED: u64 = 4096;

/// The most iterations of a loop that is unrolled for an array.
const ITERATIONS: u64 = 512;

/// The most operations that are followed from one index.
const FUEL: u32 = 48;

/// How often a plan is made again without the array that costs too much, and counters are looked for again
/// without those that were none.
const ROUNDS: usize = 6;

/// What is to be done for the private arrays of a function.
#[derive(Default)]
pub(super) struct Promotion {
    /// The loops that are to be unrolled fully.
    pub(super) loops: BTreeMap<Inst, TripCount>,
    /// The variables that become values once these are unrolled.
    values: BTreeSet<Value>,
    /// The variables that stay in memory whatever is unrolled.
    stay: BTreeSet<Value>,
    /// For each pointer to a private variable, the variable.
    of_value: Vec<Option<Value>>,
}

impl Promotion {
    /// Plans the promotion of the arrays of a function. `order`: its instructions in the order of the text.
    pub(super) fn new(func: &Function, jumps: &Jumps, position: &[u32], order: &[Inst]) -> Promotion {
        let mut found = Finder::new(func, jumps, order);
        let mut chosen = found.arrays(position);
        let mut plan = Promotion {
            stay: std::mem::take(&mut found.stay),
            of_value: std::mem::take(&mut found.of_value),
            ..Promotion::default()
        };
        for _ in 0..ROUNDS {
            plan.choose(&found, &chosen);
            if chosen.is_empty() {
                return plan;
            }
            // Arrays may share loops, so the others are looked at again without the one that costs most.
            let costs = Costs::new(func, order, &mut found, &plan);
            let too_much = chosen.iter().filter_map(|(&variable, array)| {
                let cost = costs.of(&array.loops);
                (cost > array.budget(func)).then_some((cost, variable))
            });
            let Some((_, variable)) = too_much.max() else {
                return plan;
            };
            chosen.remove(&variable);
            plan.stay.insert(variable);
        }
        plan.choose(&found, &BTreeMap::new());
        plan
    }

    /// Plans the promotion of the arrays `chosen`, besides the variables without variable indices.
    fn choose(&mut self, found: &Finder<'_>, chosen: &BTreeMap<Value, Array>) {
        let loops = chosen.values().flat_map(|array| &array.loops);
        self.loops = loops.filter_map(|l| Some((*l, *found.counts.get(l)?))).collect();
        let constant = found.variables.iter().filter(|(_, offsets)| offsets.is_empty());
        let constant = constant.map(|(&v, _)| v).filter(|v| !self.stay.contains(v));
        self.values = constant.chain(chosen.keys().copied()).collect();
    }

    /// Returns whether constant indices would let a value, if it is a private variable, be promoted.
    pub(super) fn may_promote(&self, func: &Function, variable: Value) -> bool {
        is_alloca(func, variable) && !self.stay.contains(&variable)
    }

    /// Returns whether a pointer is to a variable that becomes values.
    pub(super) fn becomes_values(&self, pointer: Value) -> bool {
        let variable = self.of_value.get(pointer.index()).copied().flatten();
        variable.is_some_and(|v| self.values.contains(&v))
    }
}

/// An array that unrolling can turn into values.
struct Array {
    /// The loops that count its indices.
    loops: BTreeSet<Inst>,
}

impl Array {
    /// Returns the most instructions that may stay of the loops.
    fn budget(&self, func: &Function) -> u64 {
        let asked = |l: &Inst| func.insts[*l].unroll != Unroll::Unsaid;
        if self.loops.iter().all(asked) {
            ASKED
        } else {
            UNASKED
        }
    }
}

/// What a value is computed from.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// Constants and counters of loops only.
    Counters,
    /// Something that may become a constant in other ways.
    Unknown,
    /// Something that is not known before the kernel runs.
    Runtime,
}

/// Finds the private variables, and the loops that count their indices.
struct Finder<'a> {
    func: &'a Function,
    jumps: &'a Jumps,
    /// The loop of each body.
    owners: BTreeMap<Region, Inst>,
    of_value: Vec<Option<Value>>,
    /// The offsets into each variable that are not constant.
    variables: BTreeMap<Value, BTreeSet<Value>>,
    stay: BTreeSet<Value>,
    /// For each argument of a loop, what its values are computed from, and the arguments among that.
    args: BTreeMap<(Region, u32), (Origin, BTreeSet<(Region, u32)>)>,
    /// The trip counts of the loops that may be unrolled fully.
    counts: BTreeMap<Inst, TripCount>,
}

impl<'a> Finder<'a> {
    fn new(func: &'a Function, jumps: &'a Jumps, order: &[Inst]) -> Finder<'a> {
        let mut found = Finder {
            func,
            jumps,
            owners: BTreeMap::new(),
            of_value: vec![None; func.values.len()],
            variables: BTreeMap::new(),
            stay: BTreeSet::new(),
            args: BTreeMap::new(),
            counts: BTreeMap::new(),
        };
        for &inst in order {
            found.note(inst);
        }
        found
    }

    /// Records the uses of variables by an instruction.
    fn note(&mut self, inst: Inst) {
        let data = &self.func.insts[inst];
        // The number of operands that are addresses of accesses which `sroa` can rewrite.
        let addresses = match data.op {
            Op::Loop => {
                self.owners.insert(data.regions[0], inst);
                0
            }
            Op::Alloca { size, .. } => {
                let variable = data.results[0];
                self.of_value[variable.index()] = Some(variable);
                self.variables.insert(variable, BTreeSet::new());
                if size > REGISTERS {
                    self.stay.insert(variable);
                }
                0
            }
            Op::PtrAdd => {
                let variable = self.of_value[data.args[0].index()];
                self.of_value[data.results[0].index()] = variable;
                if let Some(offsets) = variable.and_then(|v| self.variables.get_mut(&v))
                    && self.func.as_const(data.args[1]).is_none()
                {
                    offsets.insert(data.args[1]);
                }
                1
            }
            Op::Load(access) | Op::Store(access) if !access.volatile => 1,
            Op::MemZero { size, dst } if !dst.volatile && size <= MAX_COPY => 1,
            Op::MemCpy { size, dst, src } if !dst.volatile && !src.volatile && size <= MAX_COPY => 2,
            _ => 0,
        };
        for &arg in data.args.iter().skip(addresses) {
            self.stay.extend(self.of_value[arg.index()]);
        }
    }

    /// Returns the arrays all indices of which are computed from counters of loops that may be unrolled.
    fn arrays(&mut self, position: &[u32]) -> BTreeMap<Value, Array> {
        let mut arrays = BTreeMap::new();
        let variables = self.variables.clone();
        for (variable, offsets) in variables {
            if offsets.is_empty() || self.stay.contains(&variable) {
                continue;
            }
            let mut carried = BTreeSet::new();
            let mut origin = Origin::Counters;
            for offset in offsets {
                origin = origin.max(self.origin(offset, &mut { FUEL }, &mut carried));
            }
            let owners = carried.iter().filter_map(|(r, _)| self.owners.get(r));
            let loops: BTreeSet<Inst> = ordered(owners.copied());
            for &loop_ in &loops {
                origin = origin.max(self.count(loop_, position));
            }
            match origin {
                Origin::Counters => {
                    arrays.insert(variable, Array { loops });
                }
                Origin::Unknown => {}
                Origin::Runtime => {
                    self.stay.insert(variable);
                }
            }
        }
        arrays
    }

    /// Finds the trip count of a loop, and returns what it says of indices that the loop counts.
    fn count(&mut self, loop_: Inst, position: &[u32]) -> Origin {
        if self.counts.contains_key(&loop_) {
            return Origin::Counters;
        }
        let hint = self.func.insts[loop_].unroll;
        if matches!(hint, Unroll::Never | Unroll::Done) {
            return Origin::Runtime;
        }
        if self.jumps.repeats(loop_).is_empty() {
            return Origin::Unknown;
        }
        // The trip count may become known when a loop around this one is unrolled.
        let Some(count) = trip_count(self.func, self.jumps, position, loop_, ITERATIONS) else {
            return Origin::Unknown;
        };
        if matches!(hint, Unroll::By(n) if u64::from(n) < count.repeats) {
            return Origin::Runtime;
        }
        self.counts.insert(loop_, count);
        Origin::Counters
    }

    /// Returns what a value is computed from, and adds the arguments of loops among that to `carried`. The
    /// recursion ends when the fuel does.
    fn origin(&mut self, v: Value, fuel: &mut u32, carried: &mut BTreeSet<(Region, u32)>) -> Origin {
        let func = self.func;
        let inst = match func.values[v].def {
            ValueDef::Const(_) => return Origin::Counters,
            ValueDef::Param(_) => return Origin::Runtime,
            ValueDef::Arg(region, n) => return self.of_arg(region, n, fuel, carried),
            ValueDef::Inst(inst, _) => inst,
        };
        let Some(left) = fuel.checked_sub(1) else {
            return Origin::Unknown;
        };
        *fuel = left;
        let data = &func.insts[inst];
        let follows = match &data.op {
            Op::GlobalAddr(_) => func.ty(v).space() == Some(AddressSpace::Constant),
            Op::Load(access) => match func.ty(data.args[0]).space() {
                Some(AddressSpace::Private) => return Origin::Unknown,
                Some(AddressSpace::Constant) => !access.volatile,
                _ => false,
            },
            Op::Intrinsic(i) => {
                is_pure(data) && !i.is_work_item() && !i.is_convergent() && !data.args.is_empty()
            }
            Op::Block | Op::Loop | Op::If | Op::Switch(_) | Op::CallPure(_) => return Origin::Unknown,
            _ => is_pure(data),
        };
        if !follows {
            return Origin::Runtime;
        }
        let mut origin = Origin::Counters;
        for &arg in &data.args {
            origin = origin.max(self.origin(arg, fuel, carried));
            if origin == Origin::Runtime {
                break;
            }
        }
        origin
    }

    /// Returns what the values of an argument of a loop are computed from.
    fn of_arg(
        &mut self,
        region: Region,
        n: u32,
        fuel: &mut u32,
        carried: &mut BTreeSet<(Region, u32)>,
    ) -> Origin {
        if let Some((origin, others)) = self.args.get(&(region, n)) {
            carried.extend(others);
            carried.insert((region, n));
            return *origin;
        }
        let Some(&loop_) = self.owners.get(&region) else {
            return Origin::Unknown;
        };
        // The argument itself is part of its next value.
        self.args.insert((region, n), (Origin::Counters, BTreeSet::new()));
        let mut others = BTreeSet::new();
        let mut values = vec![self.func.insts[loop_].args[n as usize]];
        let repeats = self.jumps.repeats(loop_).iter();
        values.extend(repeats.map(|&r| self.func.insts[r].args[n as usize]));
        let mut origin = Origin::Counters;
        for value in values {
            origin = origin.max(self.origin(value, fuel, &mut others));
        }
        carried.extend(&others);
        carried.insert((region, n));
        self.args.insert((region, n), (origin, others));
        origin
    }
}

/// What stays of each nest of loops that are to be unrolled.
struct Costs {
    /// For each loop of the plan, the outermost loop of the plan around it.
    roots: BTreeMap<Inst, Inst>,
    /// For each of these outermost loops, the number of instructions that stay.
    costs: BTreeMap<Inst, u64>,
}

impl Costs {
    fn new(func: &Function, order: &[Inst], found: &mut Finder<'_>, plan: &Promotion) -> Costs {
        let known = known_values(func, order, found, plan);
        let mut cost = vec![0u64; func.insts.len()];
        for &inst in order.iter().rev() {
            let data = &func.insts[inst];
            let inside = data.regions.iter().flat_map(|&r| &func.regions[r].insts);
            let inside: u64 = inside.fold(0, |sum, i| sum.saturating_add(cost[i.index()]));
            let copies = plan.loops.get(&inst).map_or(1, |count| count.repeats.max(1));
            let own = own_cost(func, inst, &known, plan);
            cost[inst.index()] = inside.saturating_add(own).saturating_mul(copies);
        }
        let parents = Parents::new(func);
        let mut roots = BTreeMap::new();
        for &loop_ in plan.loops.keys() {
            let mut root = loop_;
            let mut at = parents.region(loop_).and_then(|r| parents.owner(r));
            while let Some(around) = at {
                if plan.loops.contains_key(&around) {
                    root = around;
                }
                at = parents.region(around).and_then(|r| parents.owner(r));
            }
            roots.insert(loop_, root);
        }
        let costs = roots.values().map(|&root| (root, cost[root.index()])).collect();
        Costs { roots, costs }
    }

    /// Returns the number of instructions that stay of the nests to which these loops belong.
    fn of(&self, loops: &BTreeSet<Inst>) -> u64 {
        let roots: BTreeSet<Inst> = ordered(loops.iter().filter_map(|l| self.roots.get(l).copied()));
        let costs = roots.iter().filter_map(|root| self.costs.get(root));
        costs.fold(0, |sum, &n| sum.saturating_add(n))
    }
}

/// Returns for each value whether it becomes a constant by unrolling the loops of the plan.
fn known_values(func: &Function, order: &[Inst], found: &mut Finder<'_>, plan: &Promotion) -> Vec<bool> {
    let mut known = vec![false; func.values.len()];
    for &inst in order {
        let data = &func.insts[inst];
        if plan.loops.contains_key(&inst) {
            let body = data.regions[0];
            for n in 0..func.regions[body].args.len() {
                let mut carried = BTreeSet::new();
                let origin = found.of_arg(body, n as u32, &mut { FUEL }, &mut carried);
                let unrolled = |(r, _): &(Region, u32)| {
                    let owner = found.owners.get(r);
                    owner.is_some_and(|l| plan.loops.contains_key(l))
                };
                known[func.regions[body].args[n].index()] =
                    origin == Origin::Counters && carried.iter().all(unrolled);
            }
        }
        note_known(func, inst, &mut known);
    }
    known
}

/// Records the results of an instruction that are constants if the values recorded before are.
fn note_known(func: &Function, inst: Inst, known: &mut [bool]) {
    let data = &func.insts[inst];
    let is_known = |v: &Value| known[v.index()] || func.as_const(*v).is_some();
    let becomes = match &data.op {
        Op::GlobalAddr(_) => func.ty(data.results[0]).space() == Some(AddressSpace::Constant),
        Op::Load(access) => {
            !access.volatile
                && func.ty(data.args[0]).space() == Some(AddressSpace::Constant)
                && is_known(&data.args[0])
        }
        Op::Intrinsic(_) | Op::CallPure(_) => false,
        _ => is_pure(data) && data.args.iter().all(is_known),
    };
    if becomes {
        for result in &data.results {
            known[result.index()] = true;
        }
    }
}

/// Returns the number of instructions of an iteration that stay if a loop is unrolled fully.
pub(super) fn folded_size(func: &Function, jumps: &Jumps, loop_: Inst, plan: &Promotion) -> u64 {
    let data = &func.insts[loop_];
    let body = data.regions[0];
    let args = &func.regions[body].args;
    let mut insts = Vec::new();
    let mut walk = Walk::region(body);
    while let Some((_, inst)) = walk.next(func) {
        insts.push(inst);
    }
    let mut counters: Vec<usize> = (0..args.len())
        .filter(|&n| func.as_const(data.args[n]).is_some())
        .collect();
    let mut rounds = 0..ROUNDS;
    loop {
        let mut known = vec![false; func.values.len()];
        for &n in &counters {
            known[args[n].index()] = true;
        }
        for &inst in &insts {
            note_known(func, inst, &mut known);
        }
        // A value that an iteration does not pass on as a constant is no constant in the next.
        let before = counters.len();
        counters.retain(|&n| {
            jumps.repeats(loop_).iter().all(|&r| {
                let next = func.insts[r].args[n];
                known[next.index()] || func.as_const(next).is_some()
            })
        });
        if rounds.next().is_none() {
            counters.clear();
        }
        if counters.len() == before {
            let costs = insts.iter().map(|&i| own_cost(func, i, &known, plan));
            return costs.sum();
        }
    }
}

/// Returns the number of instructions that stay of one instruction, without its regions.
fn own_cost(func: &Function, inst: Inst, known: &[bool], plan: &Promotion) -> u64 {
    let data = &func.insts[inst];
    let is_known = |v: Value| known[v.index()] || func.as_const(v).is_some();
    match &data.op {
        Op::Intrinsic(i) if i.is_convergent() => BARRIER,
        Op::Intrinsic(Intrinsic::Printf | Intrinsic::ReportFinding) => BARRIER,
        Op::Block | Op::Exit(_) | Op::Repeat(_) => 0,
        Op::Loop => u64::from(!plan.loops.contains_key(&inst)),
        Op::If => u64::from(!is_known(data.args[0])),
        // A constant is part of the address.
        Op::PtrAdd => u64::from(!is_known(data.args[1])),
        Op::Load(_) | Op::Store(_) if plan.becomes_values(data.args[0]) => 0,
        _ => u64::from(data.results.is_empty() || !data.results.iter().all(|&r| is_known(r))),
    }
}
