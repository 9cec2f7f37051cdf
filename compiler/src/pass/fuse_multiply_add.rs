//! Turns multiplications that only feed additions into fused multiply-adds, where the source allows it.
//!
//! Why: FP_CONTRACT is on by default (OpenCL 1.2 6.12.2.1, C99 6.5), but a driver that must preserve signed
//! zeros, infinities and NaN may not contract by itself, and then runs at half the speed.
//! In:  any module; only for targets whose Fma is one instruction.
//! Out: a product whose only uses are additions and subtractions that may be contracted is fused with them.
//!      Operations with neither [`FpFlags::contract`] nor [`FpFlags::fast`] are left alone.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{BinOp, EntityRef, FpFlags, Function, Inst, InstData, Module, Op, Scalar, UnOp, Value};

pub const PASS: Pass = Pass {
    name: "fuse_multiply_add",
    about: "Turns multiplications that only feed additions into fused multiply-adds, where the source allows it.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    if cx.target.features.fast_fma {
        for (_, func) in module.funcs.iter_mut() {
            changed |= fuse(func);
        }
    }
    Ok(changed.into())
}

/// Fuses the operations in a function, and returns whether there were any.
fn fuse(func: &mut Function) -> bool {
    let lone = lone_products(func);
    let mut changed = false;
    for region in func.regions_in_order() {
        let mut at = 0;
        while let Some(&inst) = func.regions[region].insts.get(at) {
            if let Some((product, factors, addend)) = candidate(func, &lone, inst) {
                let negate = match (&func.insts[inst].op, product) {
                    (Op::Binary(BinOp::FSub), 0) => Some(2),
                    // The negation of a constant is a constant, and that of a value an instruction on some devices.
                    (Op::Binary(BinOp::FSub), _) => Some(usize::from(func.as_const(factors[1]).is_some())),
                    _ => None,
                };
                let mut args = [factors[0], factors[1], addend];
                if let Some(which) = negate {
                    let (ty, span) = (func.ty(args[which]), func.insts[inst].span);
                    let negation = func.new_inst(Op::Unary(UnOp::FNeg), vec![args[which]], &[ty], span);
                    args[which] = func.insts[negation].results[0];
                    func.regions[region].insts.insert(at, negation);
                    at += 1;
                }
                let data = &mut func.insts[inst];
                (data.op, data.args) = (Op::Intrinsic(Intrinsic::Fma), args.into());
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// Returns whether an operation may be contracted.
fn may(fp: FpFlags) -> bool {
    fp.contract || fp.fast
}

/// Returns whether an instruction is an addition or subtraction that may be contracted.
fn may_take_product(data: &InstData) -> bool {
    matches!(data.op, Op::Binary(BinOp::FAdd | BinOp::FSub)) && may(data.fp)
}

/// Returns for each value whether all of its uses are additions and subtractions that may be contracted.
/// There is more than one use if `cse` has merged equal products of several expressions.
fn lone_products(func: &Function) -> Vec<bool> {
    let uses = func.use_counts();
    let mut taken = vec![0u32; uses.len()];
    for region in func.regions_in_order() {
        for &inst in &func.regions[region].insts {
            let data = &func.insts[inst];
            if may_take_product(data) {
                data.args.iter().for_each(|a| taken[a.index()] += 1);
            }
        }
    }
    uses.iter().zip(taken).map(|(&all, taken)| all == taken).collect()
}

/// Returns the operand number of a product that can be fused with an addition or subtraction, its factors,
/// and the other operand.
fn candidate(func: &Function, lone: &[bool], inst: Inst) -> Option<(usize, [Value; 2], Value)> {
    let data = &func.insts[inst];
    if !may_take_product(data) {
        return None;
    }
    if !matches!(
        func.ty(data.args[0]).scalar,
        Scalar::F16 | Scalar::F32 | Scalar::F64
    ) {
        return None;
    }
    (0..2).find_map(|i| {
        let product = &func.insts[func.def_inst(data.args[i])?];
        let matches = lone[data.args[i].index()] && product.op == Op::Binary(BinOp::FMul) && may(product.fp);
        matches.then(|| (i, [product.args[0], product.args[1]], data.args[1 - i]))
    })
}
