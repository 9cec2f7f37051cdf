//! Removes instructions, results, loop variables and private memory that nothing depends on.
//!
//! In, out: any module. The algorithm is optimistic: everything is dead until a root needs it, so that values
//! that only depend on each other around a loop are removed. The roots are returns, side effects, and loops
//! that only a return or an exit of an outer instruction ends (a program that waits forever keeps waiting). A
//! structured instruction with nothing live inside is removed as a whole; one that stays keeps all of its
//! jumps. Private memory that is only written is dead.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, is_removable};
use crate::ir::walk::{Parents, Walk};
use crate::ir::{EntityRef, Function, Inst, Module, Op, Value, ValueDef, ValueList};

pub const PASS: Pass = Pass {
    name: "dce",
    about: "Removes instructions, results, loop variables and private memory that nothing depends on.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if cx.settled.contains(f) {
            continue;
        }
        changed |= cx.settled.note(f, remove_dead(func));
        // Every pass is slower if the tables consist mostly of removed instructions.
        let used = func
            .regions_in_order()
            .iter()
            .map(|&r| func.regions[r].insts.len())
            .sum::<usize>();
        if used > 0 && func.insts.len() > used + used / 4 + 64 {
            *func = func.compacted();
        }
    }
    Ok(changed.into())
}

/// The state of the search for live instructions and values.
struct Liveness<'a> {
    func: &'a Function,
    parents: Parents,
    jumps: Jumps,
    insts: Vec<bool>,
    values: Vec<bool>,
    work: Vec<Work>,
}

enum Work {
    Inst(Inst),
    Value(Value),
}

/// Removes dead instructions and values from a function, and returns whether there were any.
pub(super) fn remove_dead(func: &mut Function) -> bool {
    if func.regions[func.body].insts.is_empty() {
        return false;
    }
    let mut live = Liveness {
        func,
        parents: Parents::new(func),
        jumps: Jumps::new(func),
        insts: vec![false; func.insts.len()],
        values: vec![false; func.values.len()],
        work: Vec::new(),
    };
    live.find();
    let (insts, values) = (live.insts, live.values);
    sweep(func, &insts, &values)
}

impl Liveness<'_> {
    /// Marks everything that is live.
    fn find(&mut self) {
        let func = self.func;
        let written_only = written_only(func);
        if let Some(end) = func.terminator(func.body) {
            self.mark(end);
        }
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            let root = match &data.op {
                Op::Store(_) | Op::MemZero { .. } | Op::MemCpy { .. } => {
                    !written_only[data.args[0].index()] || is_volatile(&data.op)
                }
                // Only a return or an outer exit ends such a loop.
                Op::Loop => self.jumps.exits(inst).is_empty(),
                Op::Block | Op::If | Op::Switch(_) | Op::Exit(_) | Op::Repeat(_) | Op::Unreachable => false,
                Op::Return => true,
                _ => !is_removable(data),
            };
            if root {
                self.mark(inst);
            }
        }
        while let Some(work) = self.work.pop() {
            match work {
                Work::Inst(inst) => self.needs_of(inst),
                Work::Value(value) => self.origin_of(value),
            }
        }
    }

    fn mark(&mut self, inst: Inst) {
        if !std::mem::replace(&mut self.insts[inst.index()], true) {
            self.work.push(Work::Inst(inst));
        }
    }

    fn mark_value(&mut self, v: Value) {
        if !std::mem::replace(&mut self.values[v.index()], true) {
            self.work.push(Work::Value(v));
        }
    }

    /// Marks what a live instruction needs, whichever of its results are used.
    fn needs_of(&mut self, inst: Inst) {
        let func = self.func;
        if let Some(outer) = self.parents.enclosing(inst) {
            self.mark(outer);
        }
        let data = &func.insts[inst];
        match &data.op {
            // The values that these pass are marked one by one, where they are used.
            Op::Exit(_) | Op::Repeat(_) | Op::Loop => {}
            _ => data.args.iter().for_each(|&a| self.mark_value(a)),
        }
        if data.op.is_structured() {
            for end in data.regions.iter().filter_map(|&r| func.terminator(r)) {
                self.mark(end);
            }
            for i in 0..self.jumps.exits(inst).len() {
                self.mark(self.jumps.exits(inst)[i]);
            }
            for i in 0..self.jumps.repeats(inst).len() {
                self.mark(self.jumps.repeats(inst)[i]);
            }
        }
    }

    /// Marks the instructions and values from which a live value originates.
    fn origin_of(&mut self, value: Value) {
        let func = self.func;
        match func.values[value].def {
            ValueDef::Const(_) | ValueDef::Param(_) => {}
            ValueDef::Inst(inst, n) => {
                self.mark(inst);
                if func.insts[inst].op.is_structured() {
                    for i in 0..self.jumps.exits(inst).len() {
                        let exit = self.jumps.exits(inst)[i];
                        self.mark_value(func.insts[exit].args[n as usize]);
                    }
                }
            }
            ValueDef::Arg(region, n) => {
                let Some(owner) = self.parents.owner(region) else {
                    return;
                };
                self.mark(owner);
                self.mark_value(func.insts[owner].args[n as usize]);
                for i in 0..self.jumps.repeats(owner).len() {
                    let repeat = self.jumps.repeats(owner)[i];
                    self.mark_value(func.insts[repeat].args[n as usize]);
                }
            }
        }
    }
}

fn is_volatile(op: &Op) -> bool {
    match op {
        Op::Store(a) | Op::MemZero { dst: a, .. } => a.volatile,
        Op::MemCpy { dst, src, .. } => dst.volatile || src.volatile,
        _ => false,
    }
}

/// Returns for each value whether it points into an `alloca` whose pointers are only used to write.
fn written_only(func: &Function) -> Vec<bool> {
    if !func
        .insts
        .iter()
        .any(|(_, data)| matches!(data.op, Op::Alloca { .. }))
    {
        return vec![false; func.values.len()];
    }
    // `base` has the `alloca` into which each value points; `only` tells for each `alloca` whether it is only
    // written.
    let mut base: Vec<Option<Value>> = vec![None; func.values.len()];
    let mut only = vec![false; func.values.len()];
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Alloca { .. } => {
                base[data.results[0].index()] = Some(data.results[0]);
                only[data.results[0].index()] = true;
            }
            Op::PtrAdd => base[data.results[0].index()] = base[data.args[0].index()],
            op => {
                let first_is_written =
                    matches!(op, Op::Store(_) | Op::MemZero { .. } | Op::MemCpy { .. }) && !is_volatile(op);
                for &arg in &data.args[usize::from(first_is_written)..] {
                    if let Some(b) = base[arg.index()] {
                        only[b.index()] = false;
                    }
                }
            }
        }
    }
    base.into_iter()
        .map(|b| b.is_some_and(|b| only[b.index()]))
        .collect()
}

/// Removes what is not marked, and returns whether there was anything.
fn sweep(func: &mut Function, insts: &[bool], values: &[bool]) -> bool {
    let mut changed = false;
    // The operands of jumps come first, while the targets still have all of their results and arguments.
    let regions = func.regions_in_order();
    for &region in &regions {
        let Some(inst) = func.terminator(region) else {
            continue;
        };
        let kept: Vec<bool> = match func.insts[inst].op {
            Op::Exit(target) => func.insts[target]
                .results
                .iter()
                .map(|r| values[r.index()])
                .collect(),
            Op::Repeat(target) => {
                let body = func.insts[target].regions[0];
                func.regions[body]
                    .args
                    .iter()
                    .map(|a| values[a.index()])
                    .collect()
            }
            _ => continue,
        };
        retain(&mut func.insts[inst].args, &kept);
    }
    for region in regions {
        let before = func.regions[region].insts.len();
        func.regions[region].insts.retain(|i| insts[i.index()]);
        changed |= func.regions[region].insts.len() != before;
        for n in 0..func.regions[region].insts.len() {
            let inst = func.regions[region].insts[n];
            if !func.insts[inst].op.is_structured() {
                continue;
            }
            changed |= drop_results(func, inst, values);
            if func.insts[inst].op == Op::Loop {
                changed |= drop_args(func, inst, values);
            }
        }
    }
    changed
}

/// Keeps the values for which `kept` is true.
fn retain(list: &mut ValueList, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(true));
}

/// Removes dead results of a structured instruction.
fn drop_results(func: &mut Function, inst: Inst, values: &[bool]) -> bool {
    let before = func.insts[inst].results.len();
    func.insts[inst].results.retain(|r| values[r.index()]);
    let results = func.insts[inst].results.clone();
    for (n, &r) in results.iter().enumerate() {
        func.values[r].def = ValueDef::Inst(inst, n as u32);
    }
    results.len() != before
}

/// Removes dead arguments of a loop.
fn drop_args(func: &mut Function, inst: Inst, values: &[bool]) -> bool {
    let body = func.insts[inst].regions[0];
    let kept: Vec<bool> = func.regions[body]
        .args
        .iter()
        .map(|a| values[a.index()])
        .collect();
    if kept.iter().all(|&k| k) {
        return false;
    }
    retain(&mut func.insts[inst].args, &kept);
    retain(&mut func.regions[body].args, &kept);
    for n in 0..func.regions[body].args.len() {
        let arg = func.regions[body].args[n];
        func.values[arg].def = ValueDef::Arg(body, n as u32);
    }
    true
}
