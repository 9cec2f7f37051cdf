//! Going through functions: order, uses, replacement, parents. Nothing here recurses, so nesting is bounded
//! by memory only.

use super::entity::EntityRef;
use super::{Function, Inst, Region, Value};

/// Goes through the instructions of a function in the order of the text: a structured instruction, then its
/// regions, then what follows it. Holds no borrow: the function may be changed on the way, except that regions
/// that the walk is inside of must not lose or gain instructions before the current one.
#[derive(Clone, Debug)]
pub struct Walk {
    /// (region, number of the next instruction in it); the innermost last.
    stack: Vec<(Region, usize)>,
}

impl Walk {
    /// From the start of the body.
    pub fn new(func: &Function) -> Self {
        Walk::region(func.body)
    }

    /// From the start of a region.
    pub fn region(region: Region) -> Self {
        // Few functions are nested more deeply.
        let mut stack = Vec::with_capacity(16);
        stack.push((region, 0));
        Walk { stack }
    }

    /// The next instruction and the region that it is in.
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
    /// All instructions in the order of the text.
    pub fn insts_in_order(&self) -> Vec<Inst> {
        let mut list = Vec::with_capacity(self.insts.len());
        let mut walk = Walk::new(self);
        while let Some((_, inst)) = walk.next(self) {
            list.push(inst);
        }
        list
    }

    /// All regions; each stands behind the region that encloses it.
    pub fn regions_in_order(&self) -> Vec<Region> {
        let mut list = Vec::with_capacity(self.regions.len());
        list.push(self.body);
        let mut next = 0;
        while let Some(&region) = list.get(next) {
            next += 1;
            for &inst in &self.regions[region].insts {
                list.extend(&self.insts[inst].regions);
            }
        }
        list
    }

    /// How often each value is an operand of an instruction.
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

    /// The last instruction of a region.
    pub fn terminator(&self, region: Region) -> Option<Inst> {
        let last = *self.regions[region].insts.last()?;
        self.insts[last].op.is_terminator().then_some(last)
    }
}

/// Where instructions and regions are.
#[derive(Clone, Debug)]
pub struct Parents {
    of_inst: Vec<Option<Region>>,
    of_region: Vec<Option<Inst>>,
}

impl Parents {
    /// Of the function as it is now.
    pub fn new(func: &Function) -> Self {
        let mut parents = Parents {
            of_inst: vec![None; func.insts.len()],
            of_region: vec![None; func.regions.len()],
        };
        let mut walk = Walk::new(func);
        while let Some((region, inst)) = walk.next(func) {
            parents.of_inst[inst.index()] = Some(region);
            for &r in &func.insts[inst].regions {
                parents.of_region[r.index()] = Some(inst);
            }
        }
        parents
    }
    /// The region that an instruction is in; `None` if it is in none.
    pub fn region(&self, inst: Inst) -> Option<Region> {
        self.of_inst.get(inst.index()).copied().flatten()
    }
    /// The instruction that owns a region; `None` for the body.
    pub fn owner(&self, region: Region) -> Option<Inst> {
        self.of_region.get(region.index()).copied().flatten()
    }
    /// The structured instruction that an instruction is directly in; `None` in the body.
    pub fn enclosing(&self, inst: Inst) -> Option<Inst> {
        self.owner(self.region(inst)?)
    }
}

/// Values to be replaced by others, collected first and applied in one go.
#[derive(Clone, Debug, Default)]
pub struct Replacements {
    by: Vec<Option<Value>>,
    any: bool,
}

impl Replacements {
    /// Each use of `old` becomes one of `new`, or of what replaces that.
    pub fn set(&mut self, old: Value, new: Value) {
        if self.by.len() <= old.index() {
            self.by.resize(old.index() + 1, None);
        }
        self.by[old.index()] = Some(new);
        self.any = true;
    }

    /// What stands for a value.
    pub fn get(&mut self, value: Value) -> Value {
        let mut last = value;
        while let Some(Some(next)) = self.by.get(last.index()) {
            last = *next;
        }
        // So that long chains are followed once.
        let mut at = value;
        while at != last {
            let next = self.by[at.index()].replace(last);
            at = next.unwrap_or(last);
        }
        last
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Rewrites all operands of a function.
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
