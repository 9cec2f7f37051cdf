//! Branches that load from memory of the work-group, and do nothing else that cannot be done without the branch.
//!
//! Why: `if (l >= k) sum += tile[l - k];` is the step of a scan. Such a load takes less time than a branch that the work-items
//! of a sub-group do not take alike.
//!
//! Where the branch does not load, the load is of the element with the index 0, which exists if there is any.

use super::super::sink_loads::cost;
use super::MAX_COST;
use crate::ir::analysis::Jumps;
use crate::ir::walk::Replacements;
use crate::ir::{Function, Inst, Op, Region, Storage, Value};

/// The most loads of one branch.
const MOST: usize = 4;

/// Replaces the suitable branches of a function, and returns whether there were any.
pub(super) fn flatten(func: &mut Function) -> bool {
    let regions = func.regions_in_order();
    let loads_near = |&r: &Region| func.regions[r].insts.iter().any(|&i| is_near_load(func, i));
    if !regions.iter().any(loads_near) {
        return false;
    }
    let jumps = Jumps::new(func);
    let mut replacements = Replacements::default();
    let mut changed = false;
    // Inner branches come first, so that those around them have none any more.
    for region in regions.into_iter().rev() {
        if !func.regions[region].insts.iter().any(|&i| is_suitable(func, &jumps, i)) {
            continue;
        }
        for inst in std::mem::take(&mut func.regions[region].insts) {
            if is_suitable(func, &jumps, inst) {
                replace(func, region, inst, &mut replacements);
                changed = true;
            } else {
                func.regions[region].insts.push(inst);
            }
        }
    }
    if changed {
        replacements.apply(func);
    }
    changed
}

/// Returns whether an instruction loads from memory of the work-group.
fn is_near_load(func: &Function, inst: Inst) -> bool {
    matches!(
        func.insts[inst].op,
        Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..), access) if !access.volatile
    )
}

fn is_suitable(func: &Function, jumps: &Jumps, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if data.op != Op::If || data.results.is_empty() || jumps.exits(inst).len() != 2 {
        return false;
    }
    let can_select = |&v: &Value| func.ty(v).scalar.matrix().is_none();
    if !data.results.iter().all(can_select) {
        return false;
    }
    let (mut loads, mut total) = (0, 0);
    for &region in &data.regions {
        let Some((&end, insts)) = func.regions[region].insts.split_last() else {
            return false;
        };
        if func.insts[end].op != Op::Exit(inst) {
            return false;
        }
        for &i in insts {
            match func.insts[i].op {
                _ if is_near_load(func, i) => loads += 1,
                Op::LoadFrom(Storage::PushWord, _) => total += 1,
                _ => match cost(func, i) {
                    Some(cost) => total += cost,
                    None => return false,
                },
            }
        }
    }
    (1..=MOST).contains(&loads) && total <= MAX_COST
}

/// Appends to a region what a branch computes. The branch is not part of the region any more.
fn replace(func: &mut Function, region: Region, inst: Inst, replacements: &mut Replacements) {
    let (cond, span) = (func.insts[inst].args[0], func.insts[inst].span);
    let select = |func: &mut Function, a: Value, b: Value| {
        if a == b {
            return a;
        }
        let ty = func.ty(a);
        let select = func.new_inst(Op::Select, [cond, a, b], &[ty], span);
        func.regions[region].insts.push(select);
        func.insts[select].results[0]
    };
    let mut ends = Vec::new();
    for (arm, from) in func.insts[inst].regions.clone().into_iter().enumerate() {
        let mut insts = std::mem::take(&mut func.regions[from].insts);
        ends.extend(insts.pop());
        for i in insts {
            if is_near_load(func, i) {
                let index = func.insts[i].args[0];
                let first = func.splat_bits(func.ty(index), 0);
                let [a, b] = if arm == 0 { [index, first] } else { [first, index] };
                func.insts[i].args[0] = select(func, a, b);
            }
            // What the source promises holds only where the arm is taken.
            func.insts[i].no_wrap = false;
            func.regions[region].insts.push(i);
        }
    }
    for n in 0..func.insts[inst].results.len() {
        let [a, b] = [0, 1].map(|arm: usize| func.insts[ends[arm]].args[n]);
        let value = select(func, a, b);
        replacements.set(func.insts[inst].results[n], value);
    }
}
