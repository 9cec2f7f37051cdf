//! Computes constant values and applies exact identities.
//!
//! In, out: any module. One walk in the order of the text, so that an instruction sees the folded form of its
//! operands. Results of floating-point operations are those of IEEE 754 where the instruction's flags do not
//! allow others. Transcendental functions stay, because their results depend on the device. So do operations whose results are
//! undefined, with two exceptions: quotient and remainder of an integer divided by 0 are 0, and a float that is out of the range
//! of an integer becomes the nearest one. Loads from initialized constants are folded too. Branches on constants are left to
//! `simplify_regions`. The constants that such a branch yields are used in the rest of the walk, so one walk decides a chain of
//! branches that depend on each other.

mod constants;
mod identities;
mod no_wrap;
mod relaxed;
mod vectors;

use super::{Changed, Pass, PassCx, PassError, simplify_regions};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::walk::{Replacements, Walk};
use crate::ir::{BinOp, EntityRef, Function, Global, GlobalData, Inst, Map, Module, Op, Region, Ty, Value};

pub const PASS: Pass = Pass {
    name: "const_fold",
    about: "Computes constant values, and applies exact identities.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

/// The result of folding an instruction.
enum Folded {
    /// The instruction stays as it is.
    Same,
    /// The instruction's result is this value.
    Value(Value),
    /// The instruction becomes another operation.
    Op(Op, Vec<Value>),
}

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let globals = std::mem::take(&mut module.globals);
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            changed |= cx.settled.note(f, fold_function(func, &globals));
        }
    }
    module.globals = globals;
    Ok(changed.into())
}

/// How often in a row one instruction may become another one.
const MAX_STEPS: usize = 8;

/// Folds the instructions of a function, and returns whether anything changed.
pub(super) fn fold_function(func: &mut Function, globals: &Map<Global, GlobalData>) -> bool {
    let mut changed = false;
    let mut replacements = Replacements::default();
    let mut dead = vec![false; func.insts.len()];
    let mut uses = None;
    let mut walk = Walk::new(func);
    while let Some((region, inst)) = walk.next(func) {
        replacements.apply_to(func, inst);
        if func.insts[inst].op.is_structured() {
            continue;
        }
        if let Some(branch) = only_way(func, region, inst) {
            let uses = uses.get_or_insert_with(|| func.use_counts());
            for n in 0..func.insts[inst].args.len() {
                let (v, result) = (func.insts[inst].args[n], func.insts[branch].results[n]);
                if func.as_const(v).is_some() && uses[result.index()] > 0 {
                    replacements.set(result, v);
                    changed = true;
                }
            }
        }
        for _ in 0..MAX_STEPS {
            let folded = fold(func, globals, inst);
            keep_expression(func, inst, &folded);
            match folded {
                Folded::Same => break,
                Folded::Value(v) => {
                    changed = true;
                    dead[inst.index()] = true;
                    let result = func.insts[inst].results[0];
                    replacements.set(result, v);
                    break;
                }
                Folded::Op(op, args) => {
                    changed = true;
                    func.insts[inst].no_wrap = no_wrap::remains(func, inst, &op, &args);
                    func.insts[inst].op = op;
                    func.insts[inst].args = args.into();
                }
            }
        }
    }
    if changed {
        // A repeat may pass values that are defined and replaced after it in the text.
        replacements.apply(func);
        for region in func.regions_in_order() {
            let is_dead = |i: &Inst| dead.get(i.index()).copied().unwrap_or(false);
            func.regions[region].insts.retain(|i| !is_dead(i));
        }
    }
    changed
}

/// Returns the branch that a jump, which is in `region`, completes, if the branch is on a constant and cannot complete
/// in another way.
fn only_way(func: &Function, region: Region, jump: Inst) -> Option<Inst> {
    let Op::Exit(branch) = func.insts[jump].op else {
        return None;
    };
    if func.insts[jump].args.is_empty() || simplify_regions::taken_region(func, branch) != Some(region) {
        return None;
    }
    let mut walk = Walk::region(region);
    while let Some((_, inst)) = walk.next(func) {
        if inst != jump && func.insts[inst].op == Op::Exit(branch) {
            return None;
        }
    }
    Some(branch)
}

/// Keeps a product in its own expression: it may be contracted only with the addition or subtraction of that
/// expression (FP_CONTRACT, OpenCL C 1.2 6.12.2). Once this is folded, as `x * y - 0.0f` is, the remaining
/// uses of the product belong to other expressions, so its flag is cleared.
fn keep_expression(func: &mut Function, inst: Inst, folded: &Folded) {
    let is_sum = |op: &Op| matches!(op, Op::Binary(BinOp::FAdd | BinOp::FSub));
    let data = &func.insts[inst];
    let stays = match folded {
        Folded::Same => true,
        Folded::Value(_) => false,
        Folded::Op(op, _) => is_sum(op),
    };
    if stays || !is_sum(&data.op) {
        return;
    }
    for arg in data.args.clone() {
        if let Some(product) = func.def_inst(arg)
            && func.insts[product].op == Op::Binary(BinOp::FMul)
        {
            func.insts[product].fp.contract = false;
        }
    }
}

/// Folds one instruction.
fn fold(func: &mut Function, globals: &Map<Global, GlobalData>, inst: Inst) -> Folded {
    let data = &func.insts[inst];
    let [result] = data.results[..] else {
        return Folded::Same;
    };
    let ty = func.ty(result);
    if let Some(v) = constants::compute(func, globals, inst, ty) {
        return Folded::Value(v);
    }
    let args = func.insts[inst].args.clone();
    match func.insts[inst].op.clone() {
        Op::Binary(op) if ty.scalar.is_float() => match identities::binary(func, op, args[0], args[1]) {
            Folded::Same => relaxed::binary(func, op, func.insts[inst].fp, args[0], args[1]),
            folded => folded,
        },
        Op::Binary(op) => identities::binary(func, op, args[0], args[1]),
        Op::Compare(op) if func.insts[inst].fp.finite && args[0] == args[1] => {
            relaxed::compare_with_itself(func, op, args[0])
        }
        Op::Intrinsic(Intrinsic::FMin | Intrinsic::FMax) => identities::minimum_or_maximum(func, inst),
        Op::Intrinsic(Intrinsic::FAbs) => identities::absolute(func, args[0]),
        Op::Unary(op) => identities::unary(func, op, args[0]),
        Op::Compare(op) => identities::compare(func, op, args[0], args[1]),
        Op::Cast(op) => identities::cast(func, op, args[0], ty),
        Op::Select => identities::select(func, args[0], args[1], args[2]),
        Op::PtrAdd => identities::ptr_add(func, args[0], args[1]),
        Op::Extract(lane) => vectors::extract(func, args[0], lane),
        Op::ExtractDynamic => vectors::extract_dynamic(func, args[0], args[1]),
        Op::InsertDynamic => vectors::insert_dynamic(func, &args),
        Op::Construct => vectors::construct(func, &args, ty),
        Op::Shuffle(mask) => vectors::shuffle(func, &args, &mask, ty),
        _ => Folded::Same,
    }
}

/// Returns the operation and operands that define a value.
fn definition(func: &Function, v: Value) -> Option<(&Op, &[Value])> {
    let inst = func.def_inst(v)?;
    let data = &func.insts[inst];
    Some((&data.op, &data.args))
}

/// Returns a lane of an integer or bool with all bits set.
fn ones(ty: Ty) -> u64 {
    crate::ir::eval::truncate(ty.scalar, u64::MAX)
}
