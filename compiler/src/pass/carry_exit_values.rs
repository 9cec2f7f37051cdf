//! Passes the values that leave a loop through its header.
//!
//! Why: llvmpipe runs several work-items in one loop until the last of them has left it. In these later
//! iterations it computes the values of the loop again, for all work-items. After the loop, a work-item that
//! left earlier reads the values of the last iteration (a load gives 0). Phis are not affected: llvmpipe
//! keeps them in variables that are written only for active work-items. The pass is for targets with
//! [`Quirks::loop_values`](crate::target::Quirks::loop_values).
//! In:  `SpirvExits`.
//! Out: `SpirvExits`. A loop whose exits pass values that the loop computes, such as
//!
//! ```text
//! loop ^b0 (…) { … exit ^b0 %v … repeat ^b0 … }
//! ```
//!
//! has additional arguments for these values and for a flag. An exit becomes a repeat that passes the values
//! and sets the flag, and the loop is left at its header once the flag is set.

use crate::hash::HashSet;

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::Jumps;
use crate::ir::walk::Walk;
use crate::ir::{Const, Function, Inst, Module, Op, Region, Ty, Value, ValueDef};

pub const PASS: Pass = Pass {
    name: "carry_exit_values",
    about: "Passes the values that leave a loop through its header, for drivers that lose them otherwise.",
    run,
    requires: inv![SpirvExits],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= carry_all(func);
    }
    Ok(changed.into())
}

/// Rewrites all loops of a function that lose values. Returns whether there are any.
pub(super) fn carry_all(func: &mut Function) -> bool {
    let mut changed = false;
    // Inner loops come after the loops around them, so that each sees the result of rewriting the others.
    for inst in func.insts_in_order() {
        if func.insts[inst].op == Op::Loop && loses_values(func, inst) {
            carry(func, inst);
            changed = true;
        }
    }
    changed
}

/// Returns whether an exit passes a value that is computed inside of the loop.
fn loses_values(func: &Function, inst: Inst) -> bool {
    if func.insts[inst].results.is_empty() {
        return false;
    }
    let body = func.insts[inst].regions[0];
    let mut inside: HashSet<Inst> = HashSet::default();
    let mut arguments: HashSet<Region> = HashSet::default();
    let mut walk = Walk::region(body);
    while let Some((_, i)) = walk.next(func) {
        inside.insert(i);
        // The loop's own arguments are phis of its header already; those of inner loops are not.
        arguments.extend(&func.insts[i].regions);
    }
    Jumps::new(func).exits(inst).iter().any(|&exit| {
        func.insts[exit].args.iter().any(|&v| match func.values[v].def {
            ValueDef::Inst(i, _) => inside.contains(&i),
            ValueDef::Arg(region, _) => arguments.contains(&region),
            ValueDef::Param(_) | ValueDef::Const(_) => false,
        })
    })
}

/// Rewrites a loop.
fn carry(func: &mut Function, inst: Inst) {
    let jumps = Jumps::new(func);
    let body = func.insts[inst].regions[0];
    let span = func.insts[inst].span;
    let types: Vec<Ty> = func.insts[inst].results.iter().map(|&r| func.ty(r)).collect();
    let old: Vec<Ty> = func.regions[body].args.iter().map(|&a| func.ty(a)).collect();
    let flag = |func: &mut Function, on: bool| func.splat_bits(Ty::BOOL, u64::from(on));

    // Repeats pass zeros in place of the values. Drivers could treat undefined values as a free choice.
    let nothing: Vec<Value> = types.iter().map(|&ty| func.splat_bits(ty, 0)).collect();
    let (no, yes) = (flag(func, false), flag(func, true));
    for &repeat in jumps.repeats(inst) {
        func.insts[repeat]
            .args
            .extend(nothing.iter().copied().chain([no]));
    }
    for &exit in jumps.exits(inst) {
        let values = std::mem::take(&mut func.insts[exit].args);
        let unused: Vec<Value> = old.iter().map(|&ty| func.constant(ty, Const::Undef)).collect();
        func.insts[exit].op = Op::Repeat(inst);
        func.insts[exit].args = unused.into_iter().chain(values).chain([yes]).collect();
    }
    func.insts[inst].args.extend(nothing.iter().copied().chain([no]));
    let carried: Vec<Value> = types.iter().map(|&ty| func.add_region_arg(body, ty)).collect();
    let over = func.add_region_arg(body, Ty::BOOL);

    // if over { exit LOOP carried } else { exit IF }
    let branch = func.new_inst(Op::If, vec![over], &[], span);
    let leave = func.new_inst(Op::Exit(inst), carried, &[], span);
    let go_on = func.new_inst(Op::Exit(branch), vec![], &[], span);
    for jump in [leave, go_on] {
        let arm = func.new_region(&[]);
        func.regions[arm].insts.push(jump);
        func.insts[branch].regions.push(arm);
    }
    func.regions[body].insts.insert(0, branch);
}
