//! Copies to memory of the work-group or of the work-item, under a condition that only tests limits: the loads are executed
//! before the branch.
//!
//! Why: `if (i < n) tile[i] = a[i];` in a loop is how work-groups copy to their memory. A load in a branch neither begins
//! before the one of the previous iteration has ended, nor is it moved by `batch_loads`.
//!
//! Where the condition is false, the load reads from an address that always exists: that of the module's constant data. The
//! branch keeps the stores. In a sequence of such branches, the loads of all branches come before the stores.
//!
//! Loads whose values are used at once stay in their branches: there, selecting addresses and loading values that nobody
//! needs costs more than the branches. (H200: a filter of 1,024 coefficients takes 1.9 times as long, a convolution
//! of 5 × 5 twice as long.)

use super::super::batch_loads::is_suitable;
use super::super::sink_loads::cost;
use super::together::Frequencies;
use super::{MAX_COST, Refuge};
use crate::ir::analysis::{Jumps, is_pure};
use crate::ir::walk::Parents;
use crate::ir::{EntityRef, Function, Inst, Op, Region, Storage, Value, ValueDef};

/// The most loads of one branch.
const MOST: usize = 4;

/// Moves the suitable loads of a function, and returns whether there were any.
pub(super) fn move_loads(func: &mut Function, refuge: &mut Refuge) -> bool {
    let copies = |&r: &Region| func.regions[r].insts.iter().any(|&i| only_copies(func, i));
    let regions: Vec<Region> = func.regions_in_order().into_iter().filter(copies).collect();
    if regions.is_empty() {
        return false;
    }
    let jumps = Jumps::new(func);
    let parents = Parents::new(func);
    let frequencies = Frequencies::new(func, &parents);
    let mut changed = false;
    for region in regions {
        let depends = Depends::new(func, &jumps, &parents, region);
        let mut found: Vec<Conditional> = Vec::new();
        for &inst in &func.regions[region].insts {
            let conditional = Conditional::new(func, &jumps, &depends, inst);
            found.extend(conditional.filter(|c| !c.is_rare(func, &parents, &frequencies)));
        }
        let owner = parents.owner(region);
        if !owner.is_some_and(|o| func.insts[o].op == Op::Loop && is_suitable(func, &jumps, o)) {
            found = in_sequences(func, region, found);
        }
        if !found.is_empty() {
            let address = refuge.address(func);
            rewrite(func, region, found, address);
            changed = true;
        }
    }
    changed
}

/// Returns whether an instruction is an `if` that loads from device addresses and does nothing else but what stays near.
fn only_copies(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if data.op != Op::If || !data.results.is_empty() {
        return false;
    }
    let mut loads = false;
    for &region in &data.regions {
        let insts = &func.regions[region].insts;
        for &i in &insts[..insts.len().saturating_sub(1)] {
            match func.insts[i].op {
                Op::LoadFrom(Storage::Physical, access) if !access.volatile => loads = true,
                Op::LoadFrom(Storage::PushWord, _) => {}
                _ if stays_near(func, i) => {}
                _ => return false,
            }
        }
    }
    loads
}

/// The values of a region that depend on its loads, or on branches and effects inside of it.
struct Depends {
    known: Vec<bool>,
}

impl Depends {
    fn new(func: &Function, jumps: &Jumps, parents: &Parents, region: Region) -> Depends {
        let mut depends = Depends {
            known: vec![false; func.values.len()],
        };
        let owner = parents.owner(region).filter(|&o| func.insts[o].op == Op::Loop);
        loop {
            for &inst in &func.regions[region].insts {
                depends.note(func, inst);
            }
            let args = &func.regions[region].args;
            let repeats = owner.map_or(&[][..], |o| jumps.repeats(o));
            let carries = |n: usize| {
                let next = |&r: &Inst| func.insts[r].args.get(n).is_none_or(|&v| depends.on(v));
                repeats.iter().any(next)
            };
            let later: Vec<Value> = (0..args.len())
                .filter(|&n| carries(n))
                .map(|n| args[n])
                .filter(|&a| !depends.on(a))
                .collect();
            if later.is_empty() {
                return depends;
            }
            for arg in later {
                depends.known[arg.index()] = true;
            }
        }
    }

    fn note(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let from = match data.op {
            Op::LoadFrom(Storage::PushWord, _) => false,
            _ => !is_pure(data) || data.args.iter().any(|&a| self.on(a)),
        };
        if from {
            for result in &data.results {
                self.known[result.index()] = true;
            }
        }
    }

    fn on(&self, value: Value) -> bool {
        self.known.get(value.index()).copied().unwrap_or(true)
    }
}

/// An `if` that does nothing but copy to memory of the work-group or of the work-item.
struct Conditional {
    inst: Inst,
    /// For each arm, the loads and what their addresses are computed by, in order.
    arms: [Vec<Inst>; 2],
}

impl Conditional {
    fn new(func: &Function, jumps: &Jumps, depends: &Depends, inst: Inst) -> Option<Conditional> {
        let data = &func.insts[inst];
        if !only_copies(func, inst) || jumps.exits(inst).len() != 2 || depends.on(data.args[0]) {
            return None;
        }
        let (mut loads, mut total) = (0, 0);
        let mut arms = [Vec::new(), Vec::new()];
        for (arm, &region) in arms.iter_mut().zip(&data.regions) {
            let (&end, insts) = func.regions[region].insts.split_last()?;
            if func.insts[end].op != Op::Exit(inst) {
                return None;
            }
            let list = movable(func, depends, insts);
            for &i in &list {
                match func.insts[i].op {
                    Op::LoadFrom(Storage::Physical, _) => loads += 1,
                    Op::LoadFrom(..) => total += 1,
                    _ => total += cost(func, i)?,
                }
            }
            if !insts.iter().all(|i| list.contains(i) || stays_near(func, *i)) {
                return None;
            }
            *arm = list;
        }
        ((1..=MOST).contains(&loads) && total <= MAX_COST).then_some(Conditional { inst, arms })
    }

    /// Returns whether one of the arms with loads is rarely executed.
    fn is_rare(&self, func: &Function, parents: &Parents, frequencies: &Frequencies) -> bool {
        let mut arms = self.arms.iter().enumerate().filter(|(_, list)| !list.is_empty());
        arms.any(|(arm, _)| frequencies.is_rare(func, parents, self.inst, arm == 0))
    }
}

/// Returns the loads from device addresses in an arm that may come before the branch, and what their addresses are computed by.
fn movable(func: &Function, depends: &Depends, insts: &[Inst]) -> Vec<Inst> {
    // The values of the arm that are computed before the branch from then on.
    let mut early: Vec<Inst> = Vec::new();
    let mut wanted: Vec<Inst> = Vec::new();
    for &i in insts {
        let data = &func.insts[i];
        let is_there = |&v: &Value| match func.values[v].def {
            ValueDef::Inst(d, _) if insts.contains(&d) => early.contains(&d),
            _ => !depends.on(v),
        };
        let known = data.args.iter().all(is_there);
        let is_load = matches!(data.op, Op::LoadFrom(Storage::Physical, access) if !access.volatile);
        if is_load {
            wanted.extend(known.then_some(i));
        } else if matches!(data.op, Op::LoadFrom(Storage::PushWord, _)) || cost(func, i).is_some() {
            early.extend(known.then_some(i));
        } else if !stays_near(func, i) {
            // What follows other effects stays there; the caller refuses these.
            break;
        }
    }
    let mut todo: Vec<Inst> = wanted.clone();
    while let Some(i) = todo.pop() {
        for &arg in &func.insts[i].args {
            if let Some(d) = func.def_inst(arg)
                && early.contains(&d)
                && !wanted.contains(&d)
            {
                wanted.push(d);
                todo.push(d);
            }
        }
    }
    insts.iter().copied().filter(|i| wanted.contains(i)).collect()
}

/// Returns whether an instruction has no effect, or only on memory of the work-group or of the work-item that no load from a
/// device address reads.
fn stays_near(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match &data.op {
        Op::StoreTo(Storage::Arena(_) | Storage::Shared(..) | Storage::Variable, access)
        | Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..) | Storage::Variable, access) => {
            !access.volatile
        }
        _ => is_pure(data) && data.regions.is_empty(),
    }
}

/// Returns whether an instruction may be between two branches of a sequence, whose stores are executed after it.
fn may_pass(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match data.op {
        Op::LoadFrom(Storage::Physical | Storage::PushWord, access) => !access.volatile,
        _ => is_pure(data) && data.regions.is_empty(),
    }
}

/// Returns the branches that are in a sequence of several, if no instruction between them prevents the loads of all of them from
/// being executed first.
fn in_sequences(func: &Function, region: Region, found: Vec<Conditional>) -> Vec<Conditional> {
    let mut kept = Vec::new();
    let mut sequence = Vec::new();
    let mut next = found.into_iter().peekable();
    for &inst in &func.regions[region].insts {
        if let Some(conditional) = next.next_if(|c| c.inst == inst) {
            sequence.push(conditional);
        } else if !may_pass(func, inst) {
            let several = sequence.len() > 1;
            kept.extend(sequence.drain(..).filter(|_| several));
        }
    }
    kept
}

/// Moves the loads before their branches. Where a branch does not load, the address is `refuge`.
fn rewrite(func: &mut Function, region: Region, found: Vec<Conditional>, refuge: Value) {
    let mut postponed: Vec<Inst> = Vec::new();
    let mut next = found.into_iter().peekable();
    for inst in std::mem::take(&mut func.regions[region].insts) {
        if let Some(conditional) = next.next_if(|c| c.inst == inst) {
            conditional.load_before(func, region, refuge);
            postponed.push(inst);
            continue;
        }
        if !may_pass(func, inst) {
            func.regions[region].insts.append(&mut postponed);
        }
        func.regions[region].insts.push(inst);
    }
}

impl Conditional {
    fn load_before(self, func: &mut Function, region: Region, refuge: Value) {
        let cond = func.insts[self.inst].args[0];
        for (arm, list) in self.arms.into_iter().enumerate() {
            let from = func.insts[self.inst].regions[arm];
            func.regions[from].insts.retain(|i| !list.contains(i));
            for i in list {
                // A promise of the source about the result holds only where the arm is taken.
                func.insts[i].no_wrap = false;
                if let Op::LoadFrom(Storage::Physical, _) = func.insts[i].op {
                    let (address, span) = (func.insts[i].args[0], func.insts[i].span);
                    let args = if arm == 0 {
                        [cond, address, refuge]
                    } else {
                        [cond, refuge, address]
                    };
                    let ty = func.ty(address);
                    let select = func.new_inst(Op::Select, args, &[ty], span);
                    func.regions[region].insts.push(select);
                    func.insts[i].args[0] = func.insts[select].results[0];
                }
                func.regions[region].insts.push(i);
            }
        }
    }
}
