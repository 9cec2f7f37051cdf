//! Copying of code from one function into another, and within one function.

use super::{Function, Inst, Op, Region, Value, ValueDef, ValueList};
use crate::entity::EntityRef;

/// Copies regions of `src` into a function, with fresh values, instructions and regions.
///
/// Values and instructions that are used inside the copied code but defined outside it must be mapped first:
/// parameters, region arguments and targets of exits.
#[derive(Debug)]
pub struct Cloner<'s> {
    src: &'s Function,
    values: Vec<Option<Value>>,
    insts: Vec<Option<Inst>>,
}

impl<'s> Cloner<'s> {
    /// Creates a cloner without any mapping.
    pub fn new(src: &'s Function) -> Self {
        Cloner {
            src,
            values: vec![None; src.values.len()],
            insts: vec![None; src.insts.len()],
        }
    }

    /// Maps a value of the source to a value of the destination.
    pub fn map_value(&mut self, old: Value, new: Value) {
        self.values[old.index()] = Some(new);
    }

    /// Returns the counterpart of a value; constants are found or created. A value without a counterpart is
    /// returned unchanged; this occurs only for a use that its definition does not dominate.
    pub fn value(&mut self, dst: &mut Function, old: Value) -> Value {
        if let Some(v) = self.values[old.index()] {
            return v;
        }
        let data = &self.src.values[old];
        let ValueDef::Const(c) = &data.def else {
            return old;
        };
        let new = dst.constant(data.ty, c.clone());
        self.values[old.index()] = Some(new);
        new
    }

    /// Appends copies of the instructions of `from`, with all regions inside, to `into`. `finish` receives
    /// each copy and its source instruction, and may turn the copy into something else.
    pub fn region(
        &mut self,
        dst: &mut Function,
        from: Region,
        into: Region,
        mut finish: impl FnMut(&mut Function, Inst, Inst),
    ) {
        self.region_with(dst, from, into, &mut finish);
    }

    /// [`Cloner::region`], of which the library has one copy.
    fn region_with(
        &mut self,
        dst: &mut Function,
        from: Region,
        into: Region,
        finish: &mut dyn FnMut(&mut Function, Inst, Inst),
    ) {
        let src = self.src;
        let mut work = vec![(from, into, 0)];
        while let Some((from, into, next)) = work.last_mut() {
            let Some(&old) = src.regions[*from].insts.get(*next) else {
                work.pop();
                continue;
            };
            *next += 1;
            let into = *into;
            let data = &src.insts[old];
            let args: ValueList = data.args.iter().map(|&a| self.value(dst, a)).collect();
            let op = match &data.op {
                Op::Exit(t) => Op::Exit(self.insts[t.index()].unwrap_or(*t)),
                Op::Repeat(t) => Op::Repeat(self.insts[t.index()].unwrap_or(*t)),
                op => op.clone(),
            };
            let new = dst.new_inst(op, args, &[], data.span);
            dst.insts[new].fp = data.fp;
            dst.insts[new].no_wrap = data.no_wrap;
            dst.insts[new].unroll = data.unroll;
            self.insts[old.index()] = Some(new);
            for &r in &data.results {
                let result = dst.add_result(new, src.ty(r));
                self.map_value(r, result);
            }
            dst.regions[into].insts.push(new);
            // The regions are pushed in reverse order, so that the first region is copied first.
            let first_new = dst.regions.len();
            for &r in &data.regions {
                let region = dst.new_region(&[]);
                for &arg in &src.regions[r].args {
                    let copy = dst.add_region_arg(region, src.ty(arg));
                    self.map_value(arg, copy);
                }
                dst.insts[new].regions.push(region);
            }
            for (n, &r) in data.regions.iter().enumerate().rev() {
                work.push((r, Region::new(first_new + n), 0));
            }
            finish(dst, old, new);
        }
    }
}

/// Copies instructions to another position in the same function, with fresh values, instructions and regions.
///
/// A value that is not copied keeps its identity, unless [`Copier::map_value`] maps it.
#[derive(Debug, Default)]
pub struct Copier {
    values: Vec<Option<Value>>,
    insts: Vec<Option<Inst>>,
    known_values: Vec<Value>,
    known_insts: Vec<Inst>,
}

impl Copier {
    /// Maps a value to another.
    pub fn map_value(&mut self, old: Value, new: Value) {
        if self.values.len() <= old.index() {
            self.values.resize(old.index() + 1, None);
        }
        self.values[old.index()] = Some(new);
        self.known_values.push(old);
    }

    /// Returns the counterpart of a value, or the value itself.
    pub fn value(&self, old: Value) -> Value {
        self.values.get(old.index()).copied().flatten().unwrap_or(old)
    }

    fn inst(&self, old: Inst) -> Inst {
        self.insts.get(old.index()).copied().flatten().unwrap_or(old)
    }

    /// Removes all mappings.
    pub fn reset(&mut self) {
        for v in self.known_values.drain(..) {
            self.values[v.index()] = None;
        }
        for i in self.known_insts.drain(..) {
            self.insts[i.index()] = None;
        }
    }

    /// Appends copies of instructions, with all regions inside, to `into`. `finish` receives each copy and
    /// its source instruction, and may turn the copy into something else.
    pub fn insts(
        &mut self,
        func: &mut Function,
        list: &[Inst],
        into: Region,
        mut finish: impl FnMut(&mut Function, Inst, Inst),
    ) {
        self.insts_with(func, list, into, &mut finish);
    }

    /// [`Copier::insts`], of which the library has one copy.
    fn insts_with(
        &mut self,
        func: &mut Function,
        list: &[Inst],
        into: Region,
        finish: &mut dyn FnMut(&mut Function, Inst, Inst),
    ) {
        // Each entry has the instructions, their destination, and the index of the next instruction.
        let mut work = vec![(list.to_vec(), into, 0)];
        while let Some((list, into, next)) = work.last_mut() {
            let Some(&old) = list.get(*next) else {
                work.pop();
                continue;
            };
            *next += 1;
            let into = *into;
            let data = func.insts[old].clone();
            let args: ValueList = data.args.iter().map(|&a| self.value(a)).collect();
            let op = match data.op {
                Op::Exit(t) => Op::Exit(self.inst(t)),
                Op::Repeat(t) => Op::Repeat(self.inst(t)),
                op => op,
            };
            let new = func.new_inst(op, args, &[], data.span);
            func.insts[new].fp = data.fp;
            func.insts[new].no_wrap = data.no_wrap;
            func.insts[new].unroll = data.unroll;
            if self.insts.len() <= old.index() {
                self.insts.resize(old.index() + 1, None);
            }
            self.insts[old.index()] = Some(new);
            self.known_insts.push(old);
            for &r in &data.results {
                let result = func.add_result(new, func.ty(r));
                self.map_value(r, result);
            }
            func.regions[into].insts.push(new);
            let first = work.len();
            for &r in &data.regions {
                let region = func.new_region(&[]);
                for arg in func.regions[r].args.clone() {
                    let copy = func.add_region_arg(region, func.ty(arg));
                    self.map_value(arg, copy);
                }
                func.insts[new].regions.push(region);
                work.push((func.regions[r].insts.clone(), region, 0));
            }
            work[first..].reverse();
            finish(func, old, new);
        }
    }
}

impl Function {
    /// Removes what passes have left unused, if that is a large part of the tables: every pass is slower if
    /// they consist mostly of removed instructions. `used` is the number of instructions in regions.
    pub fn compact(&mut self, used: usize) {
        if used > 0 && self.insts.len() > used + used / 4 + 64 {
            *self = self.compacted();
        }
    }

    /// Returns the function without the values, instructions and regions that passes have left unused.
    #[must_use]
    pub fn compacted(&self) -> Function {
        let params: Vec<_> = self.params.iter().map(|&p| self.ty(p)).collect();
        let mut new = Function::new(self.name.clone(), &params, None);
        new.results = self.results.clone();
        new.span = self.span;
        let mut cloner = Cloner::new(self);
        for (&old, &param) in self.params.iter().zip(&new.params) {
            cloner.map_value(old, param);
        }
        let body = new.body;
        cloner.region(&mut new, self.body, body, |_, _, _| {});
        new
    }
}
