//! Choices between 1 or -1 and a zero.
//!
//! NIR makes `c ? 1.0f : 0.0f` a conversion of c to a float, and `c ? -1.0f : -0.0f` the negative of one. The constants of its rules are
//! compared as numbers (`match_value` in `nir_search.c` of Mesa 22.3), so that `c ? 1.0f : -0.0f` and `c ? -1.0f : 0.0f` get the zero with the
//! wrong sign. NIR's values have no types: integers with these bits are concerned, too. A condition that leads to constants
//! becomes such a choice if nothing else is in the way.
//!
//! NVIDIA's driver (version 580) has +0 instead of −0 in such choices, whatever the sign of the other constant is.

use crate::ir::{Const, Function, Inst, Op, Value};
use crate::target::{Quirks, Target};

/// The greatest number of exits that are compared with each other.
const MAX_EXITS: usize = 64;

/// Returns the uses of zeros between which and 1 or -1 an instruction chooses, so that the target's driver may choose another zero: the
/// instructions that use them, and their indices there.
pub(super) fn chosen_zeros(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let q = &target.quirks;
    if !(q.chosen_zeros || q.chosen_negative_zeros) {
        return Vec::new();
    }
    let choices: Vec<Vec<(Inst, usize)>> = match func.insts[inst].op {
        Op::Select => vec![vec![(inst, 1), (inst, 2)]],
        Op::If | Op::Switch(_) | Op::Block | Op::Loop => {
            let exits = exits(func, inst);
            let count = func.insts[inst].results.len();
            let choice = |n: usize| exits.iter().map(move |&exit| (exit, n)).collect();
            (0..count).map(choice).collect()
        }
        _ => return Vec::new(),
    };
    choices.iter().flat_map(|choice| zeros(func, choice, q)).collect()
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

/// Returns those of the uses whose value is a constant with a zero that may get another sign, because another one has a 1 in the same lane.
fn zeros(func: &Function, uses: &[(Inst, usize)], q: &Quirks) -> Vec<(Inst, usize)> {
    let value = |&(inst, n): &(Inst, usize)| func.insts[inst].args[n];
    let is_zero = |a: &(Inst, usize)| uses.iter().any(|b| is_confused(func, value(a), value(b), q));
    uses.iter().copied().filter(is_zero).collect()
}

/// Returns whether a lane of the first constant is a zero, that of the second one 1 or -1, and the driver may take another zero.
fn is_confused(func: &Function, zero: Value, one: Value, q: &Quirks) -> bool {
    let (Some(Const::Bits(zeros)), Some(Const::Bits(ones))) = (func.as_const(zero), func.as_const(one))
    else {
        return false;
    };
    let one: u64 = match func.ty(zero).scalar.bits() {
        16 => 0x3c00,
        32 => 0x3f80_0000,
        64 => 0x3ff0_0000_0000_0000,
        _ => return false,
    };
    let sign = 1 << (func.ty(zero).scalar.bits() - 1);
    zeros.iter().zip(ones).any(|(z, o)| {
        let has_other_sign = q.chosen_zeros && (z ^ o) & sign != 0;
        let is_negative = q.chosen_negative_zeros && z & sign != 0;
        z & !sign == 0 && o & !sign == one && (has_other_sign || is_negative)
    })
}
