//! Traversal of functions: order, uses, replacement, parents. Nothing here recurses, so nesting is bounded
//! only by memory.

use super::{Function, Inst, Region, Ty, Value};
use crate::entity::EntityRef;

/// A traversal of a function's instructions in the order of the text: a structured instruction, then its
/// regions, then the instruction after it. The walk holds no borrow, so the function may be changed during
/// it; but in the regions that enclose the current instruction, no instruction before it may be inserted or
/// removed.
#[derive(Clone, Debug)]
pub struct Walk {
    /// For each enclosing region, the index of its next instruction; the innermost region is last.
    stack: Vec<(Region, usize)>,
}

impl Walk {
    /// Starts at the beginning of the body.
    pub fn new(func: &Function) -> Self {
        Walk::region(func.body)
    }

    /// Starts at the beginning of a region.
    pub fn region(region: Region) -> Self {
        // Few functions have deeper nesting.
        let mut stack = Vec::with_capacity(16);
        stack.push((region, 0));
        Walk { stack }
    }

    /// Returns the next instruction and the region that it is in.
    pub fn next(&mut self, func: &Function) -> Option<(Region, Inst)> {
        while let Some((region, next)) = self.stack.last_mut() {
            let region = *region;
            let Some(&inst) = func.regions[region].insts.get(*next) else {
                self.stack.pop();
                continue;
            };
            *next += 1;
            let regions = &func.insts[inst].regions;
            if !regions.is_empty() {
                self.stack.extend(regions.iter().rev().map(|&r| (r, 0)));
            }
            return Some((region, inst));
        }
        None
    }
}

impl Function {
    /// Returns the types of an instruction's results and operands, and of the arguments of its regions.
    pub fn types_at(&self, inst: Inst) -> impl Iterator<Item = Ty> {
        let data = &self.insts[inst];
        let region_args = data.regions.iter().flat_map(|&r| &self.regions[r].args);
        let values = data.results.iter().chain(&data.args).chain(region_args);
        values.map(|&v| self.ty(v))
    }

    /// Returns all instructions in the order of the text.
    pub fn insts_in_order(&self) -> Vec<Inst> {
        let mut list = Vec::with_capacity(self.insts.len());
        let mut walk = Walk::new(self);
        while let Some((_, inst)) = walk.next(self) {
            list.push(inst);
        }
        list
    }

    /// Returns an instruction and all instructions inside of it, in the order of the text.
    pub fn insts_inside(&self, inst: Inst) -> Vec<Inst> {
        let mut list = vec![inst];
        for &region in &self.insts[inst].regions {
            let mut walk = Walk::region(region);
            while let Some((_, inner)) = walk.next(self) {
                list.push(inner);
            }
        }
        list
    }

    /// Returns all regions; each comes after the region that encloses it.
    pub fn regions_in_order(&self) -> Vec<Region> {
        let mut list = Vec::with_capacity(self.regions.len());
        list.push(self.body);
        let mut next = 0;
        while let Some(&region) = list.get(next) {
            next += 1;
            for &inst in &self.regions[region].insts {
                let inner = &self.insts[inst].regions;
                if !inner.is_empty() {
                    list.extend(inner);
                }
            }
        }
        list
    }

    /// Returns how often each value is an operand of an instruction.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        let mut walk = Walk::new(self);
        while let Some((_, inst)) = walk.next(self) {
            for &arg in &self.insts[inst].args {
                counts[arg.index()] += 1;
            }
        }
        counts
    }

    /// Returns the last instruction of a region, if it is a terminator.
    pub fn terminator(&self, region: Region) -> Option<Inst> {
        let last = *self.regions[region].insts.last()?;
        self.insts[last].op.is_terminator().then_some(last)
    }
}

/// The position of each instruction and region in the nesting.
#[derive(Clone, Debug)]
pub struct Parents {
    of_inst: Vec<Option<Region>>,
    of_region: Vec<Option<Inst>>,
}

impl Parents {
    /// Records the positions in the function's present state.
    pub fn new(func: &Function) -> Self {
        let mut parents = Parents::unknown(func);
        let mut walk = Walk::new(func);
        while let Some((region, inst)) = walk.next(func) {
            parents.note(region, inst, &func.insts[inst].regions);
        }
        parents
    }
    /// Creates the table without any position.
    pub(super) fn unknown(func: &Function) -> Self {
        Parents {
            of_inst: vec![None; func.insts.len()],
            of_region: vec![None; func.regions.len()],
        }
    }
    /// Records the position of an instruction and of the regions that it owns.
    pub(super) fn note(&mut self, region: Region, inst: Inst, regions: &[Region]) {
        self.of_inst[inst.index()] = Some(region);
        for &r in regions {
            self.of_region[r.index()] = Some(inst);
        }
    }
    /// Returns the region that an instruction is in; `None` if it is in none.
    pub fn region(&self, inst: Inst) -> Option<Region> {
        self.of_inst.get(inst.index()).copied().flatten()
    }
    /// Returns the instruction that owns a region; `None` for the body.
    pub fn owner(&self, region: Region) -> Option<Inst> {
        self.of_region.get(region.index()).copied().flatten()
    }
    /// Returns the innermost structured instruction that encloses an instruction; `None` in the body.
    pub fn enclosing(&self, inst: Inst) -> Option<Inst> {
        self.owner(self.region(inst)?)
    }
}

/// A set of replacements of values by others, which are collected first and then applied together.
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    by: Vec<Option<Value>>,
    any: bool,
}

impl Replacements {
    /// Replaces each use of `old` by `new`, or by the replacement of `new`.
    pub fn set(&mut self, old: Value, new: Value) {
        if self.by.len() <= old.index() {
            self.by.resize(old.index() + 1, None);
        }
        self.by[old.index()] = Some(new);
        self.any = true;
    }

    /// Returns the replacement of a value, or the value itself.
    pub fn get(&mut self, value: Value) -> Value {
        let mut last = value;
        while let Some(Some(next)) = self.by.get(last.index()) {
            last = *next;
        }
        // Shorten the chain, so that it is followed only once.
        let mut at = value;
        while at != last {
            let next = self.by[at.index()].replace(last);
            at = next.unwrap_or(last);
        }
        last
    }

    /// Returns whether there are no replacements.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Rewrites all operands in a function.
    pub fn apply(&mut self, func: &mut Function) {
        if !self.any {
            return;
        }
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            self.apply_to(func, inst);
        }
    }

    /// Rewrites the operands of one instruction.
    pub fn apply_to(&mut self, func: &mut Function, inst: Inst) {
        if !self.any {
            return;
        }
        for i in 0..func.insts[inst].args.len() {
            let old = func.insts[inst].args[i];
            let new = self.get(old);
            func.insts[inst].args[i] = new;
        }
    }
}
