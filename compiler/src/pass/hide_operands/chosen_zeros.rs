//! Choices between 1 or -1 and a zero.
//!
//! NIR makes `c ? 1.0f : 0.0f` a conversion of c to a float, and `c ? -1.0f : -0.0f` the negative of one. The constants of its rules are
//! compared as numbers (`match_value` in `nir_search.c` of Mesa 22.3), so that `c ? 1.0f : -0.0f` and `c ? -1.0f : 0.0f` get the zero with the
//! wrong sign. NIR's values have no types: integers with these bits are concerned, too. A condition that leads to constants
//! becomes such a choice if nothing else is in the way.
//!
//! NVIDIA's driver (version 580) has +0 instead of −0 in such choices, whatever the sign of the other constant is, also if it finds the
//! other constant only by itself, and if the sign of the chosen number is changed afterwards, as in `-step(a, b)`.

use super::rules;
use crate::hash::HashSet;
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, Const, Function, Inst, Op, UnOp, Value};
use crate::target::{Quirks, Target};

/// The greatest number of exits that are compared with each other.
const MAX_EXITS: usize = 64;

/// Returns the uses of zeros between which and 1 or -1 an instruction chooses, so that the target's driver may choose another zero: the
/// instructions that use them, and their indices there. `signed`: the values of [`with_new_signs`].
pub(super) fn chosen_zeros(
    func: &Function,
    inst: Inst,
    signed: &HashSet<Value>,
    target: &Target,
) -> Vec<(Inst, usize)> {
    let q = &target.quirks;
    if !(q.chosen_zeros || q.chosen_negative_zeros) {
        return Vec::new();
    }
    let choices: Vec<Vec<(Inst, usize)>> = match func.insts[inst].op {
        Op::Select => vec![vec![(inst, 1), (inst, 2)]],
        // The vector may be a side of a choice.
        Op::Construct if q.chosen_negative_zeros => {
            let parts = 0..func.insts[inst].args.len();
            let is_hidden = |n: &usize| rules::is_negative_zero(func, func.insts[inst].args[*n]);
            return parts.filter(is_hidden).map(|n| (inst, n)).collect();
        }
        Op::If | Op::Switch(_) | Op::Block | Op::Loop => {
            let exits = exits(func, inst);
            let count = func.insts[inst].results.len();
            let choice = |n: usize| exits.iter().map(move |&exit| (exit, n)).collect();
            (0..count).map(choice).collect()
        }
        _ => return Vec::new(),
    };
    let results = &func.insts[inst].results;
    choices
        .iter()
        .zip(results)
        .flat_map(|(choice, result)| zeros(func, choice, signed.contains(result), q))
        .collect()
}

/// Returns the values whose sign an operation may change: by a negation, as bits, or by a product with a constant.
pub(super) fn with_new_signs(func: &Function) -> HashSet<Value> {
    let mut list: Vec<Value> = Vec::new();
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        let has_constant = data.args.iter().any(|&a| func.as_const(a).is_some());
        match data.op {
            Op::Unary(UnOp::FNeg) | Op::Cast(CastOp::Bitcast) | Op::Binary(BinOp::FSub) => {
                list.extend(data.args.iter());
            }
            Op::Binary(BinOp::FMul | BinOp::FDiv) | Op::Intrinsic(Intrinsic::Fma) if has_constant => {
                list.extend(data.args.iter());
            }
            _ => {}
        }
    }
    let mut seen: HashSet<Value> = list.iter().copied().collect();
    while let Some(value) = list.pop() {
        let Some(def) = func.def_inst(value) else { continue };
        let data = &func.insts[def];
        if let Op::Select | Op::Construct | Op::Extract(_) | Op::Shuffle(_) | Op::Splat = data.op {
            list.extend(data.args.iter().copied().filter(|&a| seen.insert(a)));
        }
    }
    seen
}

/// Returns the exits that leave an instruction.
pub(super) fn exits(func: &Function, target: Inst) -> Vec<Inst> {
    let mut found = Vec::new();
    let mut regions = func.insts[target].regions.clone();
    while let Some(region) = regions.pop() {
        for &inst in &func.regions[region].insts {
            let data = &func.insts[inst];
            regions.extend_from_slice(&data.regions);
            if data.op == Op::Exit(target) && found.len() < MAX_EXITS {
                found.push(inst);
            }
        }
    }
    found
}

/// Returns those of the uses whose value is a constant with a zero that may get another sign, because another one has a 1 in the same
/// lane, or may have it. `is_signed`: the sign of the chosen number may be changed.
fn zeros(func: &Function, uses: &[(Inst, usize)], is_signed: bool, q: &Quirks) -> Vec<(Inst, usize)> {
    let value = |&(inst, n): &(Inst, usize)| func.insts[inst].args[n];
    let is_zero = |a: &(Inst, usize)| {
        let zero = value(a);
        let others = uses.iter().map(value).filter(|&b| b != zero);
        others
            .into_iter()
            .any(|b| is_confused(func, zero, b, is_signed, q))
    };
    uses.iter().copied().filter(is_zero).collect()
}

/// Returns whether a lane of the first value is a constant zero, that of the second one 1 or -1, as far as is known, and the driver
/// may take another zero.
fn is_confused(func: &Function, zero: Value, one: Value, is_signed: bool, q: &Quirks) -> bool {
    let ty = func.ty(zero);
    let Some(Const::Bits(zeros)) = func.as_const(zero) else {
        return false;
    };
    let bits_of_one: u64 = match ty.scalar.bits() {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        64 => 0x3ff0_0000_0000_0000,
        _ => return false,
    };
    let sign = 1 << (ty.scalar.bits() - 1);
    let is_negative = |z: u64| q.chosen_negative_zeros && z == sign;
    let Some(Const::Bits(ones)) = func.as_const(one) else {
        // A driver may find that it is 1 or -1.
        return q.chosen_negative_zeros && rules::is_negative_zero(func, zero);
    };
    zeros.iter().zip(ones).any(|(&z, &o)| {
        let has_other_sign = q.chosen_zeros && (z ^ o) & sign != 0;
        let gets_other_sign = q.chosen_negative_zeros && is_signed;
        z & !sign == 0 && o & !sign == bits_of_one && (has_other_sign || gets_other_sign || is_negative(z))
    })
}
