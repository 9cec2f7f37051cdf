//! Promotes private variables to SSA values.
//!
//! Why: later passes and drivers can optimise values, not memory.
//! In:  any module; most effective after `inline`, since pointers passed to calls escape, and after `sroa`.
//! Out: no `alloca` is left whose uses are all loads and stores of one type at offset 0. If the type is no integer, none of these
//!      is volatile.
//!
//! In structured regions, SSA construction is a single walk. A variable that is stored inside a structured
//! instruction becomes one of its results, which each exit passes; a variable that is stored inside a loop
//! also becomes an argument of the loop's region. Only the structured instructions within the variable's
//! scope get results. The scope is the innermost region that holds all accesses if the first access there is
//! a store directly in that region, so that no value flows around an outer loop; otherwise it is the whole
//! function. Thus the locals of inlined functions stay local. `dce` removes what is never read.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::walk::{Parents, Replacements, Walk};
use crate::ir::{Const, EntityRef, Function, Inst, Module, Op, Region, Ty, Value};

pub const PASS: Pass = Pass {
    name: "mem2reg",
    about: "Promotes private variables to SSA values.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            changed |= cx.settled.note(f, promote(func));
        }
    }
    Ok(changed.into())
}

/// A variable that is promoted.
struct Var {
    ty: Ty,
    /// The loads and stores, in the order of the text.
    accesses: Vec<Inst>,
}

/// The promotion of the variables of one function.
struct Promotion {
    vars: Vec<Var>,
    /// For each value, the variable if the value is the result of its `alloca`.
    var_of: Vec<Option<usize>>,
    /// For each structured instruction, the variables that are stored inside, which become its results.
    stored_in: Vec<Vec<usize>>,
}

/// Promotes the variables of a function, and returns whether there were any.
pub(super) fn promote(func: &mut Function) -> bool {
    promote_those(func, |_| true)
}

/// Promotes the variables of a function whose types are wanted, and returns whether there were any.
pub(super) fn promote_those(func: &mut Function, is_wanted: impl Fn(Ty) -> bool) -> bool {
    let (vars, var_of) = candidates(func, is_wanted);
    if vars.is_empty() {
        return false;
    }
    let parents = Parents::new(func);
    let mut p = Promotion {
        vars,
        var_of,
        stored_in: vec![Vec::new(); func.insts.len()],
    };
    for (n, var) in p.vars.iter().enumerate() {
        let scope = scope(func, &parents, var);
        for &access in &var.accesses {
            if matches!(func.insts[access].op, Op::Store(_)) {
                note_store(&parents, access, n, scope, &mut p.stored_in);
            }
        }
    }
    p.rewrite(func);
    true
}

/// Returns the variables all of whose uses are plain loads and stores of one type that is wanted.
fn candidates(func: &Function, is_wanted: impl Fn(Ty) -> bool) -> (Vec<Var>, Vec<Option<usize>>) {
    enum Use {
        None,
        Accessed(Ty, Vec<Inst>),
        Other,
    }
    let mut uses: Vec<Use> = Vec::new();
    let mut index_of: Vec<Option<usize>> = vec![None; func.values.len()];
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        if matches!(data.op, Op::Alloca { .. }) {
            index_of[data.results[0].index()] = Some(uses.len());
            uses.push(Use::None);
        }
        for (i, &arg) in data.args.iter().enumerate() {
            let Some(n) = index_of[arg.index()] else {
                continue;
            };
            let ty = match data.op {
                Op::Load(access) => Some((func.ty(data.results[0]), access)),
                Op::Store(access) if i == 0 => Some((func.ty(data.args[1]), access)),
                _ => None,
            };
            // Nobody observes accesses of private integers. Programs keep floats volatile to round them.
            let ty = ty
                .filter(|(ty, access)| !access.volatile || ty.scalar.is_int())
                .map(|(ty, _)| ty);
            match (ty, &mut uses[n]) {
                (Some(ty), slot @ Use::None) => *slot = Use::Accessed(ty, vec![inst]),
                (Some(ty), Use::Accessed(same, list)) if *same == ty => list.push(inst),
                (_, slot) => *slot = Use::Other,
            }
        }
    }
    let mut vars = Vec::new();
    let mut numbers = vec![None; uses.len()];
    for (n, u) in uses.into_iter().enumerate() {
        if let Use::Accessed(ty, accesses) = u
            && is_wanted(ty)
        {
            numbers[n] = Some(vars.len());
            vars.push(Var { ty, accesses });
        }
    }
    let var_of = index_of.into_iter().map(|i| numbers[i?]).collect();
    (vars, var_of)
}

/// Returns the region outside of which the variable's value does not matter.
fn scope(func: &Function, parents: &Parents, var: &Var) -> Region {
    let region = |i: Inst| parents.region(i).unwrap_or(func.body);
    let mut common = region(var.accesses[0]);
    let mut depth = depth_of(parents, common);
    for &access in &var.accesses[1..] {
        let mut r = region(access);
        let mut d = depth_of(parents, r);
        while r != common {
            if d >= depth {
                (r, d) = outer(func, parents, r, d);
            } else {
                (common, depth) = outer(func, parents, common, depth);
            }
        }
    }
    let first = var.accesses[0];
    let starts_with_store = matches!(func.insts[first].op, Op::Store(_)) && region(first) == common;
    if starts_with_store { common } else { func.body }
}

fn depth_of(parents: &Parents, mut region: Region) -> usize {
    let mut depth = 0;
    while let Some(outer) = parents.owner(region).and_then(|o| parents.region(o)) {
        region = outer;
        depth += 1;
    }
    depth
}

fn outer(func: &Function, parents: &Parents, region: Region, depth: usize) -> (Region, usize) {
    let outer = parents.owner(region).and_then(|o| parents.region(o));
    (outer.unwrap_or(func.body), depth.saturating_sub(1))
}

/// Adds the variable to each structured instruction between a store and the scope.
fn note_store(parents: &Parents, store: Inst, var: usize, scope: Region, stored_in: &mut [Vec<usize>]) {
    let mut region = parents.region(store);
    while let Some(r) = region.filter(|&r| r != scope) {
        let Some(owner) = parents.owner(r) else {
            return;
        };
        let list = &mut stored_in[owner.index()];
        // Variables are visited one after another, so an earlier store of the same variable can only be the
        // last entry.
        if list.last() == Some(&var) {
            return;
        }
        list.push(var);
        region = parents.region(owner);
    }
}

/// A region that is being rewritten.
struct Frame {
    region: Region,
    next: usize,
    owner: Option<(Inst, usize)>,
    /// The length of the undo log when the region was entered.
    undo: usize,
}

impl Promotion {
    /// Rewrites the function in one walk. `now` has the current value of each variable.
    fn rewrite(&self, func: &mut Function) {
        let mut now: Vec<Value> = self
            .vars
            .iter()
            .map(|v| func.constant(v.ty, Const::Undef))
            .collect();
        let mut undo: Vec<(usize, Value)> = Vec::new();
        let mut replacements = Replacements::default();
        let mut dead = vec![false; func.insts.len()];
        let mut used = 0;
        let mut stack = vec![Frame {
            region: func.body,
            next: 0,
            owner: None,
            undo: 0,
        }];
        while let Some(frame) = stack.last_mut() {
            if let Some(&inst) = func.regions[frame.region].insts.get(frame.next) {
                frame.next += 1;
                replacements.apply_to(func, inst);
                if let Some(&first) = func.insts[inst].regions.first() {
                    self.open(func, inst, &now);
                    self.enter(func, inst, first, &mut now, &mut undo, &mut stack, 0);
                } else {
                    dead[inst.index()] = self.access(func, inst, &mut now, &mut undo, &mut replacements);
                }
                used += usize::from(!dead[inst.index()]);
                continue;
            }
            let (mark, owner) = (frame.undo, frame.owner);
            stack.pop();
            while undo.len() > mark {
                if let Some((var, old)) = undo.pop() {
                    now[var] = old;
                }
            }
            let Some((inst, number)) = owner else {
                break;
            };
            if let Some(&region) = func.insts[inst].regions.get(number + 1) {
                self.enter(func, inst, region, &mut now, &mut undo, &mut stack, number + 1);
                continue;
            }
            let vars = &self.stored_in[inst.index()];
            let first = func.insts[inst].results.len() - vars.len();
            for (i, &var) in vars.iter().enumerate() {
                undo.push((var, now[var]));
                now[var] = func.insts[inst].results[first + i];
            }
        }
        for region in func.regions_in_order() {
            func.regions[region].insts.retain(|i| !dead[i.index()]);
        }
        func.compact(used);
    }

    /// Adds results to a structured instruction for its variables, and initial values and arguments to a
    /// loop.
    fn open(&self, func: &mut Function, inst: Inst, now: &[Value]) {
        let is_loop = func.insts[inst].op == Op::Loop;
        for &var in &self.stored_in[inst.index()] {
            func.add_result(inst, self.vars[var].ty);
            if is_loop {
                func.insts[inst].args.push(now[var]);
                let body = func.insts[inst].regions[0];
                func.add_region_arg(body, self.vars[var].ty);
            }
        }
    }

    /// Starts to rewrite a region of a structured instruction.
    fn enter(
        &self,
        func: &Function,
        inst: Inst,
        region: Region,
        now: &mut [Value],
        undo: &mut Vec<(usize, Value)>,
        stack: &mut Vec<Frame>,
        number: usize,
    ) {
        stack.push(Frame {
            region,
            next: 0,
            owner: Some((inst, number)),
            undo: undo.len(),
        });
        if func.insts[inst].op == Op::Loop {
            let vars = &self.stored_in[inst.index()];
            let args = &func.regions[region].args;
            for (&var, &arg) in vars.iter().zip(&args[args.len() - vars.len()..]) {
                undo.push((var, now[var]));
                now[var] = arg;
            }
        }
    }

    /// Rewrites an instruction without regions. Returns whether it is to be removed.
    fn access(
        &self,
        func: &mut Function,
        inst: Inst,
        now: &mut [Value],
        undo: &mut Vec<(usize, Value)>,
        replacements: &mut Replacements,
    ) -> bool {
        let data = &func.insts[inst];
        // Values that the pass has created are not variables.
        let var = |v: Value| self.var_of.get(v.index()).copied().flatten();
        match &data.op {
            Op::Alloca { .. } => var(data.results[0]).is_some(),
            Op::Load(_) => match var(data.args[0]) {
                Some(n) => {
                    replacements.set(data.results[0], now[n]);
                    true
                }
                None => false,
            },
            Op::Store(_) => match var(data.args[0]) {
                Some(n) => {
                    undo.push((n, now[n]));
                    now[n] = data.args[1];
                    true
                }
                None => false,
            },
            Op::Exit(target) | Op::Repeat(target) => {
                let passed: Vec<Value> = self.stored_in[target.index()].iter().map(|&n| now[n]).collect();
                func.insts[inst].args.extend(passed);
                false
            }
            _ => false,
        }
    }
}
