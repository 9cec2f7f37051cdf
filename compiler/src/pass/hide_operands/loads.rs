//! The loads whose addresses `hide_operands` hides.

use crate::hash::HashSet;
use crate::ir::{Function, Inst, Op, Storage};

/// Returns the loads that not every work-item may execute: those in a region of an instruction, and those after an instruction in
/// which a work-item may end.
pub(super) fn conditional(func: &Function) -> Vec<Inst> {
    let ends = |inst: &Inst| matches!(func.insts[*inst].op, Op::Return | Op::Unreachable);
    let first = &func.regions[func.body].insts;
    let always = first
        .iter()
        .take_while(|i| func.insts[**i].regions.is_empty() || !func.insts_inside(**i).iter().any(ends));
    let always: HashSet<Inst> = always.copied().collect();
    let loads = |inst: &Inst| matches!(func.insts[*inst].op, Op::LoadFrom(Storage::Physical, _));
    let all = func.insts_in_order().into_iter();
    all.filter(|inst| loads(inst) && !always.contains(inst)).collect()
}
