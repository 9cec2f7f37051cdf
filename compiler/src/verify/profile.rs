//! The check of each invariant.

use super::Fault;
use super::Invariant;
use crate::intrinsic::{Intrinsic, MatrixOp};
use crate::ir::analysis::{has_convergent, has_int64, is_pure_function};
use crate::ir::walk::{Parents, Walk};
use crate::ir::{AddressSpace, EntityRef, Function, Inst, Module, Op, Region};
use std::collections::BTreeSet;

/// Checks the part of an invariant that concerns the module as a whole.
pub(super) fn check_module(module: &Module, invariant: Invariant) -> Result<(), Fault> {
    match invariant {
        Invariant::Inlined => {
            let in_order = module
                .kernels
                .iter()
                .enumerate()
                .all(|(i, k)| k.func.index() == i);
            if !in_order {
                return Err(Fault::new(
                    "the kernels are not the first functions in their order",
                ));
            }
            let others = module.funcs.iter().skip(module.kernels.len());
            match others.map(|(_, f)| f).find(|f| !is_pure_function(f)) {
                Some(f) => Err(Fault::new(format!("'{}' is neither kernel nor pure", f.name))),
                None => Ok(()),
            }
        }
        Invariant::KernelArgs => {
            if module.abi.len() != module.kernels.len() {
                return Err(Fault::new("not each kernel has its argument locations"));
            }
            for (k, abi) in module.kernels.iter().zip(&module.abi) {
                if !module.funcs[k.func].params.is_empty() {
                    return Err(Fault::new(format!("kernel '{}' has parameters", k.name)));
                }
                if abi.args.len() != k.args.len() {
                    let message = format!("kernel '{}': not each argument has its location", k.name);
                    return Err(Fault::new(message));
                }
            }
            Ok(())
        }
        Invariant::Ssa
        | Invariant::NoGeneric
        | Invariant::SystemValues
        | Invariant::Images
        | Invariant::NoLongVectors
        | Invariant::ExplicitMemory
        | Invariant::NoInt64
        | Invariant::SelectedArithmetic
        | Invariant::SpirvExits => Ok(()),
    }
}

/// Checks the part of an invariant that concerns one function.
pub(super) fn check_function(func: &Function, invariant: Invariant) -> Result<(), Fault> {
    match invariant {
        Invariant::Ssa | Invariant::KernelArgs => Ok(()),
        Invariant::Inlined => each(func, |inst| match func.insts[inst].op {
            Op::Call(_) => Err("a call is left"),
            _ => Ok(()),
        }),
        Invariant::NoGeneric => each(func, |inst| {
            let mut types = func.types_at(inst);
            if types.any(|ty| ty.space() == Some(AddressSpace::Generic)) {
                Err("a pointer is generic")
            } else {
                Ok(())
            }
        }),
        Invariant::SystemValues => each(func, |inst| match func.insts[inst].op {
            Op::Intrinsic(
                Intrinsic::GlobalId
                | Intrinsic::LocalId
                | Intrinsic::GroupId
                | Intrinsic::GlobalSize
                | Intrinsic::LocalSize
                | Intrinsic::EnqueuedLocalSize
                | Intrinsic::NumGroups
                | Intrinsic::GlobalOffset
                | Intrinsic::NumSubgroups,
            ) => Err("a work-item function is left that Vulkan does not have"),
            _ => Ok(()),
        }),
        Invariant::Images => each(func, |inst| match func.insts[inst].op {
            Op::Intrinsic(Intrinsic::ReadImage(..)) => Err("an image read is left that Vulkan does not have"),
            _ => Ok(()),
        }),
        Invariant::NoLongVectors => each(func, |inst| {
            if func.types_at(inst).any(|ty| ty.lanes > 4) {
                Err("a value has more than 4 lanes")
            } else {
                Ok(())
            }
        }),
        Invariant::ExplicitMemory => each(func, |inst| match func.insts[inst].op {
            Op::Alloca { .. }
            | Op::GlobalAddr(_)
            | Op::PtrAdd
            | Op::Load(_)
            | Op::Store(_)
            | Op::MemCpy { .. }
            | Op::MemZero { .. }
            | Op::Intrinsic(
                Intrinsic::Atomic(_)
                | Intrinsic::Prefetch
                | Intrinsic::Matrix(MatrixOp::Load(_) | MatrixOp::Store(_)),
            ) => Err("memory is accessed in a way that lower_memory removes"),
            _ => Ok(()),
        }),
        Invariant::NoInt64 => match has_int64(func) {
            true => Err(Fault::new(format!("'{}' has a 64-bit integer", func.name))),
            false => Ok(()),
        },
        Invariant::SelectedArithmetic => each(func, |inst| match func.insts[inst].is_open() {
            true => Err("an operation is left whose form depends on the device"),
            false => Ok(()),
        }),
        Invariant::SpirvExits => spirv_exits(func),
    }
}

fn each(func: &Function, mut check: impl FnMut(Inst) -> Result<(), &'static str>) -> Result<(), Fault> {
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        check(inst).map_err(|m| Fault::at(inst, m))?;
    }
    Ok(())
}

/// Checks the contract at the top of `pass/lower_exits.rs`, point by point.
fn spirv_exits(func: &Function) -> Result<(), Fault> {
    let parents = Parents::new(func);
    let fault = |inst, message: &str| Err(Fault::at(inst, message));
    let mut exited = vec![false; func.insts.len()];
    let mut repeated = vec![false; func.insts.len()];
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        match &func.insts[inst].op {
            Op::Block => return fault(inst, "a block is left"),
            Op::Exit(target) => {
                exited[target.index()] = true;
                if !may_exit(func, &parents, inst, *target) {
                    return fault(inst, "the exit leaves more than SPIR-V can say");
                }
            }
            Op::Repeat(target) => {
                repeated[target.index()] = true;
                let mut at = parents.enclosing(inst);
                while let Some(i) = at.filter(|i| i != target) {
                    if func.insts[i].op == Op::Loop {
                        return fault(inst, "the repeat leaves a loop");
                    }
                    at = parents.enclosing(i);
                }
            }
            Op::Switch(cases) if !has_one_selector_each(func, inst, cases) => {
                return fault(
                    inst,
                    "several numbers select an arm that work-items must take together",
                );
            }
            _ => {}
        }
    }
    let mut walk = Walk::new(func);
    while let Some((region, inst)) = walk.next(func) {
        let op = &func.insts[inst].op;
        if *op == Op::Loop && !repeated[inst.index()] {
            return fault(inst, "a loop is not repeated");
        }
        if op.is_structured() && !exited[inst.index()] {
            let insts = &func.regions[region].insts;
            let next = insts
                .iter()
                .position(|&i| i == inst)
                .and_then(|i| insts.get(i + 1));
            if next.is_none_or(|&n| func.insts[n].op != Op::Unreachable) {
                return fault(inst, "what never completes is not followed by Unreachable");
            }
        }
    }
    Ok(())
}

/// Checks points 6 and 8 of the contract.
fn has_one_selector_each(func: &Function, switch: Inst, cases: &[Vec<u64>]) -> bool {
    let data = &func.insts[switch];
    let selector = data.args[0];
    let Some((default, arms)) = data.regions.split_last() else {
        return false;
    };
    if cases.is_empty() {
        return func.as_const(selector).is_some();
    }
    let is_selected_by_several =
        |(arm, values): (&Region, &Vec<u64>)| values.len() > 1 && has_convergent(func, *arm);
    if arms.iter().zip(cases).any(is_selected_by_several) {
        return false;
    }
    if !has_convergent(func, *default) || func.as_const(selector).is_some() {
        return true;
    }
    // The selector must be the number of an arm, which another switch has chosen.
    let Some(chooser) = func
        .def_inst(selector)
        .filter(|&i| func.insts[i].op.is_structured())
    else {
        return false;
    };
    let result = func.insts[chooser].results.iter().position(|&r| r == selector);
    let mut others = BTreeSet::new();
    let mut walk = Walk::new(func);
    while let Some((_, exit)) = walk.next(func) {
        if func.insts[exit].op != Op::Exit(chooser) {
            continue;
        }
        let number = result.and_then(|n| func.as_splat(func.insts[exit].args[n]));
        match number {
            Some(number) if cases.iter().any(|c| c.contains(&number)) => {}
            Some(number) => {
                others.insert(number);
            }
            None => return false,
        }
    }
    others.len() <= 1
}

/// Checks point 2 of the contract.
fn may_exit(func: &Function, parents: &Parents, inst: Inst, target: Inst) -> bool {
    let Some(mut at) = parents.enclosing(inst) else {
        return false;
    };
    if at == target {
        return true;
    }
    let mut in_switch = false;
    loop {
        match func.insts[at].op {
            Op::If => {}
            Op::Switch(_) if at == target => return !in_switch,
            Op::Switch(_) => in_switch = true,
            _ => return func.insts[at].op == Op::Loop && at == target,
        }
        match parents.enclosing(at) {
            Some(next) => at = next,
            None => return false,
        }
    }
}
