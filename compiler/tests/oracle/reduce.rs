//! Makes a failing program smaller.

use caldera_compiler::inv;
use caldera_compiler::ir::{Const, EntityRef, Func, Function, Inst, Module, Op, ValueDef};
use caldera_compiler::verify;

/// Returns a program that still `fails` and from which nothing more can be removed.
pub(crate) fn reduce(module: &Module, fails: impl Fn(&Module) -> bool) -> Module {
    let mut best = module.clone();
    loop {
        let mut smaller = false;
        for f in best.funcs.keys().collect::<Vec<_>>() {
            smaller |= reduce_function(&mut best, f, &fails);
        }
        if !smaller {
            return best;
        }
    }
}

/// A change that may preserve the failure.
#[derive(Copy, Clone)]
enum Edit {
    /// Removes the instruction and replaces its result by zero.
    Remove(Inst),
    /// Replaces a region of the instruction by an `Unreachable` instruction.
    Empty(Inst, usize),
    /// Replaces an operand by zero.
    Zero(Inst, usize),
}

fn reduce_function(best: &mut Module, f: Func, fails: &impl Fn(&Module) -> bool) -> bool {
    let mut smaller = false;
    let mut insts = best.funcs[f].insts_in_order();
    // Instructions at the end are removed first, because earlier ones are used by them.
    insts.reverse();
    for inst in insts {
        let data = &best.funcs[f].insts[inst];
        let mut edits: Vec<Edit> = (0..data.regions.len()).map(|n| Edit::Empty(inst, n)).collect();
        edits.push(Edit::Remove(inst));
        edits.extend((0..data.args.len()).map(|n| Edit::Zero(inst, n)));
        for edit in edits {
            let mut next = best.clone();
            if apply(&mut next.funcs[f], edit)
                && verify::module(&next, inv![Ssa], "the reduction").is_ok()
                && fails(&next)
            {
                *best = next;
                smaller = true;
            }
        }
    }
    smaller
}

/// Applies the change. Returns whether it is possible and changes the function.
fn apply(func: &mut Function, edit: Edit) -> bool {
    match edit {
        Edit::Remove(inst) => {
            let data = func.insts[inst].clone();
            if data.op.is_terminator() {
                return false;
            }
            for &result in &data.results {
                let ty = func.ty(result);
                if ty.scalar.is_ptr() {
                    if func.use_counts()[result.index()] > 0 {
                        return false;
                    }
                    continue;
                }
                let zero = func.splat_bits(ty, 0);
                for user in func.insts_in_order() {
                    for n in 0..func.insts[user].args.len() {
                        if func.insts[user].args[n] == result {
                            func.insts[user].args[n] = zero;
                        }
                    }
                }
            }
            let mut removed = false;
            for region in func.regions_in_order() {
                let list = &mut func.regions[region].insts;
                let before = list.len();
                list.retain(|&i| i != inst);
                removed |= list.len() != before;
            }
            removed
        }
        Edit::Empty(inst, n) => {
            let region = func.insts[inst].regions[n];
            let span = func.insts[inst].span;
            let first = func.regions[region].insts.first();
            if first.is_none_or(|&i| func.insts[i].op == Op::Unreachable) {
                return false;
            }
            let end = func.new_inst(Op::Unreachable, [], &[], span);
            func.regions[region].insts = vec![end];
            true
        }
        Edit::Zero(inst, n) => {
            let Some(&arg) = func.insts[inst].args.get(n) else {
                return false;
            };
            let ty = func.ty(arg);
            if ty.scalar.is_ptr() || matches!(func.values[arg].def, ValueDef::Const(Const::Bits(_))) {
                return false;
            }
            func.insts[inst].args[n] = func.splat_bits(ty, 0);
            true
        }
    }
}
