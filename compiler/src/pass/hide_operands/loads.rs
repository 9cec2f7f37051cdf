//! The loads whose addresses `hide_operands` hides.

use crate::hash::HashSet;
use crate::ir::{EntityRef, Func, Function, Inst, Module, Op, Storage};

/// Returns whether an instruction is one of the loads.
fn is_load(func: &Function, inst: Inst) -> bool {
    matches!(func.insts[inst].op, Op::LoadFrom(Storage::Physical, _))
}

/// Returns, for each function of a module, whether it or a function that it calls has such loads; `false` for kernels.
pub(super) fn loading_functions(module: &Module) -> Vec<bool> {
    let is_kernel = |f: Func| module.kernels.iter().any(|k| k.func == f);
    let mut loading = vec![false; module.funcs.len()];
    loop {
        let before = loading.clone();
        for (f, func) in module.funcs.iter().filter(|(f, _)| !is_kernel(*f)) {
            let mut insts = func.insts_in_order().into_iter();
            loading[f.index()] = insts.any(|i| is_load(func, i) || calls(func, i, &before));
        }
        if loading == before {
            return loading;
        }
    }
}

/// Returns whether an instruction calls one of some functions.
pub(super) fn calls(func: &Function, inst: Inst, functions: &[bool]) -> bool {
    matches!(func.insts[inst].op, Op::CallPure(callee) if functions[callee.index()])
}

/// Returns all loads of a function. Its calls may be under conditions.
pub(super) fn all(func: &Function) -> Vec<Inst> {
    let insts = func.insts_in_order().into_iter();
    insts.filter(|inst| is_load(func, *inst)).collect()
}

/// Returns the loads of a kernel that not every work-item may execute: those in a region of an instruction, and those after
/// an instruction in which a work-item may end.
pub(super) fn conditional(func: &Function) -> Vec<Inst> {
    let ends = |inst: &Inst| matches!(func.insts[*inst].op, Op::Return | Op::Unreachable);
    let first = &func.regions[func.body].insts;
    let always = first
        .iter()
        .take_while(|i| func.insts[**i].regions.is_empty() || !func.insts_inside(**i).iter().any(ends));
    let always: HashSet<Inst> = always.copied().collect();
    let mut loads = all(func);
    loads.retain(|inst| !always.contains(inst));
    loads
}
