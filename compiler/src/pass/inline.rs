//! Inlines every call; only the kernels remain.
//!
//! Why: Vulkan has no function pointers to lose and OpenCL C no recursion (1.2 6.9.i), but private pointers
//! passed to functions can be promoted only where caller and callee are one.
//! In:  any module.   Out: [`Invariant::Inlined`](super::Invariant::Inlined): the functions are exactly the
//! kernels, in their order.
//! A callee with a single return at its end is spliced in; any other becomes a `Block`, its returns exits.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::clone::Cloner;
use crate::ir::walk::Walk;
use crate::ir::{
    AddressSpace, EntityRef, Func, Function, Global, GlobalData, Inst, Map, Module, Op, Region, Ty,
};

pub const PASS: Pass = Pass {
    name: "inline",
    about: "Inlines every call; only the kernels remain.",
    run,
    requires: inv![Ssa],
    establishes: inv![Inlined],
    destroys: inv![],
};

/// Instructions of one function after inlining.
const MAX_INSTS: usize = 2_000_000;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let order = bottom_up(module)?;
    check_variables(module, &order)?;
    let mut ends = vec![false; module.funcs.len()];
    for f in order {
        let is_kernel = module.kernels.iter().any(|k| k.func == f);
        if inline_into(module, f, &ends)? && !is_kernel {
            simplify(&mut module.funcs[f], &module.globals);
        }
        ends[f.index()] = returns_only_at_end(&module.funcs[f]);
    }
    let mut kernels: Map<Func, Function> = Map::default();
    let mut old: Vec<Option<Function>> = std::mem::take(&mut module.funcs)
        .into_values()
        .map(Some)
        .collect();
    for kernel in &mut module.kernels {
        let function = old[kernel.func.index()]
            .take()
            .expect("verified: kernels have distinct functions");
        kernel.func = kernels.push(function);
    }
    module.funcs = kernels;
    module.undefined.clear();
    Ok(Changed::Yes)
}

/// The functions that kernels reach, callees before callers.
fn bottom_up(module: &Module) -> Result<Vec<Func>, PassError> {
    #[derive(Copy, Clone, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; module.funcs.len()];
    let mut order = Vec::new();
    for kernel in &module.kernels {
        let mut stack = vec![(kernel.func, callees(module, kernel.func), 0)];
        if state[kernel.func.index()] == State::Done {
            continue;
        }
        state[kernel.func.index()] = State::Open;
        while let Some((f, calls, next)) = stack.last_mut() {
            let Some(&(callee, inst)) = calls.get(*next) else {
                state[f.index()] = State::Done;
                order.push(*f);
                stack.pop();
                continue;
            };
            *next += 1;
            let name = || module.funcs[callee].name.clone();
            let span = module.funcs[*f].insts[inst].span;
            if module.undefined.contains(&callee) {
                return Err(PassError::Undefined { name: name(), span });
            }
            match state[callee.index()] {
                State::New => {
                    state[callee.index()] = State::Open;
                    stack.push((callee, callees(module, callee), 0));
                }
                State::Open => return Err(PassError::Recursion { name: name(), span }),
                State::Done => {}
            }
        }
    }
    Ok(order)
}

/// Every `__constant` variable that a kernel can reach has contents: one that is only declared (`extern`) was not
/// found in another object.
fn check_variables(module: &Module, order: &[Func]) -> Result<(), PassError> {
    let mut seen = vec![false; module.globals.len()];
    for &f in order {
        let func = &module.funcs[f];
        for inst in func.insts_in_order() {
            let Op::GlobalAddr(global) = func.insts[inst].op else {
                continue;
            };
            let mut work = vec![global];
            while let Some(g) = work.pop() {
                let data = &module.globals[g];
                if std::mem::replace(&mut seen[g.index()], true) || data.space != AddressSpace::Constant {
                    continue;
                }
                let Some(init) = &data.init else {
                    let (name, span) = (data.name.clone(), func.insts[inst].span);
                    return Err(PassError::Undefined { name, span });
                };
                work.extend(init.relocations.iter().map(|(_, target, _)| *target));
            }
        }
    }
    Ok(())
}

/// The calls in a function.
fn callees(module: &Module, f: Func) -> Vec<(Func, Inst)> {
    let func = &module.funcs[f];
    let mut list = Vec::new();
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        if let Op::Call(callee) = func.insts[inst].op {
            list.push((callee, inst));
        }
    }
    list
}

/// `ends`: of each function that is done, whether it returns only at its end.
fn inline_into(module: &mut Module, f: Func, ends: &[bool]) -> Result<bool, PassError> {
    let mut any = false;
    let mut func = std::mem::replace(&mut module.funcs[f], Function::new("", &[], None));
    let mut replacements = crate::ir::walk::Replacements::default();
    for region in func.regions_in_order() {
        let has_call = |i: &Inst| matches!(func.insts[*i].op, Op::Call(_));
        if !func.regions[region].insts.iter().any(has_call) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        for inst in old {
            let Op::Call(callee) = func.insts[inst].op else {
                func.regions[region].insts.push(inst);
                continue;
            };
            any = true;
            let at_end = ends[callee.index()];
            let callee = &module.funcs[callee];
            if func.insts.len() + callee.insts.len() > MAX_INSTS {
                return Err(PassError::TooLarge {
                    what: format!("the size of '{}' with all it calls", func.name),
                    limit: MAX_INSTS as u64,
                    span: func.insts[inst].span,
                });
            }
            inline_call(&mut func, region, inst, callee, at_end, &mut replacements);
        }
    }
    replacements.apply(&mut func);
    module.funcs[f] = func;
    Ok(any)
}

/// One round of what follows in the pipeline: done here once, and not in each copy of the function.
fn simplify(func: &mut Function, globals: &Map<Global, GlobalData>) {
    super::sroa::run_on(func);
    super::mem2reg::promote(func);
    super::const_fold::fold_function(func, globals);
    super::cse::merge(func);
    super::simplify_regions::simplify(func);
    super::dce::remove_dead(func);
    *func = func.compacted();
}

/// Appends the callee's body to `region` in place of the call.
fn inline_call(
    func: &mut Function,
    region: Region,
    call: Inst,
    callee: &Function,
    at_end: bool,
    replacements: &mut crate::ir::walk::Replacements,
) {
    let args = func.insts[call].args.clone();
    let span = func.insts[call].span;
    let result = func.insts[call].results.first().copied();
    let mut cloner = Cloner::new(callee);
    for (&param, &arg) in callee.params.iter().zip(&args) {
        cloner.map_value(param, arg);
    }
    if at_end {
        cloner.region(func, callee.body, region, |_, _, _| {});
        let last = func.regions[region]
            .insts
            .pop()
            .expect("verified: a region has a terminator");
        if let (Some(result), Some(&value)) = (result, func.insts[last].args.first()) {
            replacements.set(result, value);
        }
        return;
    }
    let results: Vec<Ty> = callee.ret.into_iter().collect();
    let block = func.new_inst(Op::Block, vec![], &results, span);
    let body = func.new_region(&[]);
    func.insts[block].regions.push(body);
    func.regions[region].insts.push(block);
    cloner.region(func, callee.body, body, |func, _, new| {
        if func.insts[new].op == Op::Return {
            func.insts[new].op = Op::Exit(block);
        }
    });
    if let (Some(old), Some(&new)) = (result, func.insts[block].results.first()) {
        replacements.set(old, new);
    }
}

/// Whether the body's terminator is the only return.
fn returns_only_at_end(func: &Function) -> bool {
    let mut returns = 0;
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        returns += usize::from(func.insts[inst].op == Op::Return);
    }
    let ends = func
        .terminator(func.body)
        .is_some_and(|t| func.insts[t].op == Op::Return);
    returns == 1 && ends
}
