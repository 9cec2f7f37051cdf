//! Choices between 1 or -1 and a zero.
//!
//! NIR makes `c ? 1.0f : 0.0f` a conversion of c to a float, and `c ? -1.0f : -0.0f` the negative of one. The constants of
//! its rules are compared as numbers (`match_value` in `nir_search.c` of Mesa 22.3), so that `c ? 1.0f : -0.0f` and
//! `c ? -1.0f : 0.0f` get the zero with the wrong sign. NIR's values have no types: integers with these bits are concerned,
//! too. A condition that leads to constants becomes such a choice if nothing else is in the way. NIR also finds such
//! choices in others: `x >= 1.0f ? 1.0f : x` with `x = c ? 10.0f : -0.0f`. So each constant −0 in a choice is concerned,
//! and each +0 if the function chooses −1 anywhere.
//!
//! NVIDIA's driver (version 580) replaces −0 by +0 in such choices, whatever the sign of the other constant is. It does so,
//! too, if only the driver finds the other constant, and if the sign of the chosen number is changed afterwards, as in
//! `-step(a, b)`. It also takes −0 for a number without a sign: `fabs(c ? -0.0f : 3.0f)` is −0. So each −0 in a choice is
//! concerned.

use super::constants;
use super::found::Found;
use crate::hash::HashSet;
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, Const, Function, Inst, Op, UnOp, Value};
use crate::target::{Quirks, Target};

/// The greatest number of exits that are compared with each other.
const MAX_EXITS: usize = 64;

/// What is known of the choices of a function as a whole.
#[derive(Default)]
pub(super) struct Choices {
    /// The values whose sign an operation may change; empty if the target's driver does not care.
    signed: HashSet<Value>,
    /// Whether −1 is one side of a choice.
    has_negative_one: bool,
}

impl Choices {
    /// Looks at the choices of a function.
    pub(super) fn of(func: &Function, target: &Target) -> Choices {
        let q = &target.quirks;
        let is_negative_one = |value: &Value| {
            let one = constants::bits_of_one(func.ty(*value).scalar);
            constants::has_lane(func, *value, |lane, sign| {
                lane & sign != 0 && Some(lane & !sign) == one
            })
        };
        let chooses_negative_one = |inst: &Inst| {
            let data = &func.insts[*inst];
            matches!(data.op, Op::Select | Op::Exit(_)) && data.args.iter().any(is_negative_one)
        };
        Choices {
            signed: match q.chosen_negative_zeros {
                true => with_new_signs(func),
                false => HashSet::default(),
            },
            has_negative_one: q.chosen_zeros && func.insts_in_order().iter().any(chooses_negative_one),
        }
    }
}

/// Returns the uses of zeros instead of which the target's driver may choose another zero in an instruction: the
/// instructions that use them, and their indices there.
pub(super) fn chosen_zeros(
    func: &Function,
    inst: Inst,
    known: &Choices,
    target: &Target,
) -> Vec<(Inst, usize)> {
    let q = &target.quirks;
    if !(q.chosen_zeros || q.chosen_negative_zeros) {
        return Vec::new();
    }
    // The vector may be a side of a choice.
    if func.insts[inst].op == Op::Construct {
        let parts = 0..func.insts[inst].args.len();
        let is_hidden = |n: &usize| constants::is_negative_zero(func, func.insts[inst].args[*n]);
        return parts.filter(is_hidden).map(|n| (inst, n)).collect();
    }
    let choices = choices(func, inst);
    let results = &func.insts[inst].results;
    if let Some(zeros) = zeros_beside_one(func, inst, known, q) {
        return zeros;
    }
    choices
        .iter()
        .zip(results)
        .flat_map(|(choice, result)| zeros(func, choice, known, known.signed.contains(result), q))
        .collect()
}

/// Returns, for each result of a choice, the uses of its sides: the instructions that use them, and their indices there.
fn choices(func: &Function, inst: Inst) -> Vec<Vec<(Inst, usize)>> {
    match func.insts[inst].op {
        Op::Select => vec![vec![(inst, 1), (inst, 2)]],
        Op::If | Op::Switch(_) | Op::Block | Op::Loop => {
            let exits = exits(func, inst);
            let count = func.insts[inst].results.len();
            let choice = |n: usize| exits.iter().map(move |&exit| (exit, n)).collect();
            (0..count).map(choice).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the sides of choices that are no constants, if the driver may find out that they are, and another side is a
/// constant, too: `c ? -(float)k : 1.0f`, where k counts the iterations of a loop that the driver unrolls. For NIR, an
/// integer counts beside a constant with the bits of 1 or -1; for NVIDIA's driver, one of the two must be able to be 0. One
/// side stays as it is, because the driver would combine the chosen side of several with the zero.
pub(super) fn found_sides(func: &Function, inst: Inst, found: &Found, target: &Target) -> Vec<(Inst, usize)> {
    let q = &target.quirks;
    let value = |&(user, n): &(Inst, usize)| func.insts[user].args[n];
    let is_beside = |hidden: Value, other: Value| {
        let ty = func.ty(hidden).scalar;
        let both = found.known(func, hidden) & found.known(func, other);
        let zeros = found.zero(func, hidden) | found.zero(func, other);
        let is_nir = q.chosen_zeros && (ty.is_float() || ty.is_int() && has_bits_of_one(func, other));
        let is_nvidia = q.chosen_negative_zeros && ty.is_float() && both & zeros != 0;
        both != 0 && (is_nir || is_nvidia)
    };
    let mut sides = Vec::new();
    if !(q.chosen_zeros || q.chosen_negative_zeros) {
        return sides;
    }
    for choice in choices(func, inst) {
        for (n, side) in choice.iter().enumerate() {
            let is_constant = func.as_const(value(side)).is_some();
            // The sides before this one are hidden, or not beside it.
            let mut others = choice
                .iter()
                .enumerate()
                .filter(|(m, other)| *m > n || func.as_const(value(other)).is_some());
            if !is_constant && others.any(|(_, other)| is_beside(value(side), value(other))) {
                sides.push(*side);
            }
        }
    }
    sides
}

/// Returns the negative zeros that an instruction passes to a loop, for a driver that loses their signs: those of `fmod` in a loop became
/// positive, although the operand of `fmod` was hidden.
pub(super) fn zeros_of_loops(func: &Function, inst: Inst, target: &Target) -> Vec<(Inst, usize)> {
    let data = &func.insts[inst];
    if !target.quirks.chosen_negative_zeros || !matches!(data.op, Op::Loop | Op::Repeat(_)) {
        return Vec::new();
    }
    let is_passed = |n: &usize| constants::is_negative_zero(func, data.args[*n]);
    (0..data.args.len())
        .filter(is_passed)
        .map(|n| (inst, n))
        .collect()
}

/// Returns whether a lane of a constant has the bits of a 1 or -1 of a float type.
fn has_bits_of_one(func: &Function, value: Value) -> bool {
    let scalar = func.ty(value).scalar;
    let Some(one) = constants::bits_of_one(scalar) else {
        return false;
    };
    let is_one = |lane: &u64| lane & !(1 << (scalar.bits() - 1)) == one;
    matches!(func.as_const(value), Some(Const::Bits(lanes)) if lanes.iter().any(is_one))
}

/// Returns the zeros of a choice by a comparison with 1 or -1, if the sign of the chosen number may be changed: NVIDIA's
/// driver may find out that the other side is then 1 or -1, as in `-(x == 1.0f ? -x : 0.0f)`.
fn zeros_beside_one(func: &Function, inst: Inst, known: &Choices, q: &Quirks) -> Option<Vec<(Inst, usize)>> {
    let data = &func.insts[inst];
    if !q.chosen_negative_zeros || data.op != Op::Select || !known.signed.contains(&data.results[0]) {
        return None;
    }
    let condition = &func.insts[func.def_inst(data.args[0])?];
    let is_one = |&a: &Value| {
        let one = constants::bits_of_one(func.ty(a).scalar);
        constants::has_lane(func, a, |lane, sign| Some(lane & !sign) == one)
    };
    if !matches!(condition.op, Op::Compare(_)) || !condition.args.iter().any(is_one) {
        return None;
    }
    let is_zero = |n: &usize| constants::has_zero(func, data.args[*n]);
    let zeros: Vec<_> = [1, 2].into_iter().filter(is_zero).map(|n| (inst, n)).collect();
    (zeros.len() == 1).then_some(zeros)
}

/// Returns the values whose sign an operation may change: by a negation, as bits, or by a product with a constant.
fn with_new_signs(func: &Function) -> HashSet<Value> {
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
        match data.op {
            Op::Select | Op::Construct | Op::Extract(_) | Op::Shuffle(_) | Op::Splat => {
                list.extend(data.args.iter().copied().filter(|&a| seen.insert(a)));
            }
            Op::If | Op::Switch(_) | Op::Block | Op::Loop => {
                let result = data.results.iter().position(|&r| r == value);
                let sides = exits(func, def).into_iter();
                let sides = sides.filter_map(|exit| func.insts[exit].args.get(result?).copied());
                list.extend(sides.filter(|&a| seen.insert(a)));
            }
            _ => {}
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

/// Returns those of the uses whose value is a constant with a zero that may get another sign because of another side of the
/// choice. `is_signed`: the sign of the chosen number may be changed.
fn zeros(
    func: &Function,
    uses: &[(Inst, usize)],
    known: &Choices,
    is_signed: bool,
    q: &Quirks,
) -> Vec<(Inst, usize)> {
    let value = |&(inst, n): &(Inst, usize)| func.insts[inst].args[n];
    let is_zero = |a: &(Inst, usize)| {
        let zero = value(a);
        let has_zero = constants::has_zero(func, zero);
        let mut others = uses.iter().map(value).filter(|&b| b != zero);
        match constants::is_negative_zero(func, zero) || has_zero && known.has_negative_one {
            true => others.next().is_some(),
            false => others.any(|b| is_confused(func, zero, b, is_signed, q)),
        }
    };
    uses.iter().copied().filter(is_zero).collect()
}

/// Returns whether a lane of the first constant is a zero, that of the second one 1 or -1, and the driver may take another zero.
fn is_confused(func: &Function, zero: Value, one: Value, is_signed: bool, q: &Quirks) -> bool {
    let scalar = func.ty(zero).scalar;
    let (Some(Const::Bits(zeros)), Some(Const::Bits(ones))) = (func.as_const(zero), func.as_const(one))
    else {
        return false;
    };
    let Some(bits_of_one) = constants::bits_of_one(scalar) else {
        return false;
    };
    let sign = 1 << (scalar.bits() - 1);
    zeros.iter().zip(ones).any(|(&z, &o)| {
        let has_other_sign = q.chosen_zeros && (z ^ o) & sign != 0;
        let gets_other_sign = q.chosen_negative_zeros && (is_signed || z == sign);
        z & !sign == 0 && o & !sign == bits_of_one && (has_other_sign || gets_other_sign)
    })
}
