//! Removes instructions, results, loop variables and private memory that nothing depends on.
//!
//! In, out: any module. The algorithm is optimistic: everything is dead until a root needs it, so that values
//! that only depend on each other around a loop are removed. The roots are returns, side effects, and loops
//! that only a return or an exit of an outer instruction ends (a program that waits forever keeps waiting). A
//! structured instruction with nothing live inside is removed as a whole; one that stays keeps all of its
//! jumps. Private memory that is only written is dead.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Survey, is_removable};
use crate::ir::{EntityRef, Function, Inst, Module, Op, Region, Value, ValueDef, ValueList};

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
        let (removed, used) = sweep_dead(func);
        changed |= cx.settled.note(f, removed);
        func.compact(used);
    }
    Ok(changed.into())
}

/// The state of the search for live instructions and values.
struct Liveness<'a> {
    func: &'a Function,
    survey: &'a Survey,
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
    sweep_dead(func).0
}

/// Does the work of [`remove_dead`]. Also returns the number of instructions that are left.
fn sweep_dead(func: &mut Function) -> (bool, usize) {
    if func.regions[func.body].insts.is_empty() {
        return (false, 0);
    }
    let survey = Survey::new(func);
    let mut live = Liveness {
        func,
        survey: &survey,
        insts: vec![false; func.insts.len()],
        values: vec![false; func.values.len()],
        work: Vec::new(),
    };
    live.find();
    let (insts, values) = (live.insts, live.values);
    let used = survey.order.iter().filter(|i| insts[i.index()]).count();
    (sweep(func, &survey, &insts, &values, used), used)
}

impl Liveness<'_> {
    /// Marks everything that is live.
    fn find(&mut self) {
        let func = self.func;
        let survey = self.survey;
        let written_only = written_only(func, &survey.order);
        if let Some(end) = func.terminator(func.body) {
            self.mark(end);
        }
        for &inst in &survey.order {
            let data = &func.insts[inst];
            let root = match &data.op {
                Op::Store(_) | Op::MemZero { .. } | Op::MemCpy { .. } => {
                    !written_only.get(data.args[0].index()).is_some_and(|&w| w) || is_volatile(&data.op)
                }
                // Only a return or an outer exit ends such a loop.
                Op::Loop => survey.jumps.exits(inst).is_empty(),
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
        let (func, survey) = (self.func, self.survey);
        if let Some(outer) = survey.parents.enclosing(inst) {
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
            for &jump in survey.jumps.exits(inst) {
                self.mark(jump);
            }
            for &jump in survey.jumps.repeats(inst) {
                self.mark(jump);
            }
        }
    }

    /// Marks the instructions and values from which a live value originates.
    fn origin_of(&mut self, value: Value) {
        let (func, survey) = (self.func, self.survey);
        match func.values[value].def {
            ValueDef::Const(_) | ValueDef::Param(_) => {}
            ValueDef::Inst(inst, n) => {
                self.mark(inst);
                if func.insts[inst].op.is_structured() {
                    for &exit in survey.jumps.exits(inst) {
                        self.mark_value(func.insts[exit].args[n as usize]);
                    }
                }
            }
            ValueDef::Arg(region, n) => {
                let Some(owner) = survey.parents.owner(region) else {
                    return;
                };
                self.mark(owner);
                self.mark_value(func.insts[owner].args[n as usize]);
                for &repeat in survey.jumps.repeats(owner) {
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

/// Returns for each value whether it points into an `alloca` whose pointers are only used to write. The list is
/// empty if there is no `alloca`.
fn written_only(func: &Function, order: &[Inst]) -> Vec<bool> {
    if !func
        .insts
        .iter()
        .any(|(_, data)| matches!(data.op, Op::Alloca { .. }))
    {
        return Vec::new();
    }
    // `base` has the `alloca` into which each value points; `only` tells for each `alloca` whether it is only
    // written.
    let mut base: Vec<Option<Value>> = vec![None; func.values.len()];
    let mut only = vec![false; func.values.len()];
    for &inst in order {
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

/// Removes what is not marked, and returns whether there was anything. `used` is the number of marked
/// instructions.
fn sweep(func: &mut Function, survey: &Survey, insts: &[bool], values: &[bool], used: usize) -> bool {
    let dead_insts = used != survey.order.len();
    let dead_values = survey.structured.iter().any(|&inst| {
        let data = &func.insts[inst];
        let is_dead = |v: &Value| !values[v.index()];
        insts[inst.index()]
            && (data.results.iter().any(is_dead)
                || data.op == Op::Loop && func.regions[data.regions[0]].args.iter().any(is_dead))
    });
    if dead_values {
        // The operands of jumps come first, while the targets still have all of their results and arguments.
        for &inst in &survey.structured {
            let results: Vec<bool> = func.insts[inst]
                .results
                .iter()
                .map(|r| values[r.index()])
                .collect();
            if results.contains(&false) {
                for &exit in survey.jumps.exits(inst) {
                    retain(&mut func.insts[exit].args, &results);
                }
            }
            if func.insts[inst].op == Op::Loop {
                let body = func.insts[inst].regions[0];
                let args = &func.regions[body].args;
                let args: Vec<bool> = args.iter().map(|a| values[a.index()]).collect();
                if args.contains(&false) {
                    for &repeat in survey.jumps.repeats(inst) {
                        retain(&mut func.insts[repeat].args, &args);
                    }
                }
            }
        }
    }
    if dead_insts {
        let keep = |func: &mut Function, region: Region| {
            func.regions[region].insts.retain(|i| insts[i.index()]);
        };
        keep(func, func.body);
        for &inst in survey.structured.iter().filter(|i| insts[i.index()]) {
            for n in 0..func.insts[inst].regions.len() {
                let region = func.insts[inst].regions[n];
                keep(func, region);
            }
        }
    }
    if dead_values {
        for &inst in survey.structured.iter().filter(|i| insts[i.index()]) {
            drop_results(func, inst, values);
            if func.insts[inst].op == Op::Loop {
                drop_args(func, inst, values);
            }
        }
    }
    dead_insts || dead_values
}

/// Keeps the values for which `kept` is true.
fn retain(list: &mut ValueList, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(true));
}

/// Removes dead results of a structured instruction.
fn drop_results(func: &mut Function, inst: Inst, values: &[bool]) {
    func.insts[inst].results.retain(|r| values[r.index()]);
    let results = func.insts[inst].results.clone();
    for (n, &r) in results.iter().enumerate() {
        func.values[r].def = ValueDef::Inst(inst, n as u32);
    }
}

/// Removes dead arguments of a loop.
fn drop_args(func: &mut Function, inst: Inst, values: &[bool]) {
    let body = func.insts[inst].regions[0];
    let kept: Vec<bool> = func.regions[body]
        .args
        .iter()
        .map(|a| values[a.index()])
        .collect();
    if kept.iter().all(|&k| k) {
        return;
    }
    retain(&mut func.insts[inst].args, &kept);
    retain(&mut func.regions[body].args, &kept);
    for n in 0..func.regions[body].args.len() {
        let arg = func.regions[body].args[n];
        func.values[arg].def = ValueDef::Arg(body, n as u32);
    }
}
