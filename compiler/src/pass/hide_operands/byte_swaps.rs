//! Finds the operations that complete a number whose two lowest bytes are those of another number, exchanged.

use super::parts::{Part, Parts};
use crate::hash::{HashMap, HashSet};
use crate::ir::{BinOp, CastOp, Function, Inst, InstData, Op, Value};

/// Returns the instructions of a function whose result has two bytes of another number in reverse order: `or`, `xor` and `add`
/// that put the two lowest bytes there, and what takes a half of a longer reversal. Numbers in which more than two bytes are
/// reversed do not count. A byte counts even if only some of its bits are taken. (Sums were right on the driver with the fault,
/// but compilers make an `or` of them where no bits overlap.)
pub(super) fn byte_swaps(func: &Function) -> HashSet<Inst> {
    let insts = func.insts_in_order();
    let (mut narrowed, mut joined) = (HashSet::default(), HashSet::default());
    for &inst in &insts {
        let data = &func.insts[inst];
        if takes_low_half(func, data) {
            narrowed.extend(data.args.iter().copied());
        }
        if is_join(&data.op) {
            joined.extend(data.args.iter().copied());
        }
    }
    let mut known = HashMap::default();
    let mut found = HashSet::default();
    for inst in insts {
        let data = &func.insts[inst];
        let [result] = data.results[..] else {
            continue;
        };
        let Some(parts) = Parts::of_result(func, data, &known) else {
            continue;
        };
        let is_swap = if is_join(&data.op) {
            pair(&parts, 0).is_some_and(|low| {
                // The driver also narrows a number of which only the low half is used.
                let is_low = parts.bits() <= 0xffff || low == 0 && narrowed.contains(&result);
                // Two bytes from the upper half of a number are mostly a part of a longer reversal.
                is_low && (low == 0 || !joined.contains(&result))
            })
        } else {
            takes_half(&parts, result)
        };
        if is_swap {
            found.insert(inst);
        } else {
            // Of a result whose operand is hidden, the driver knows no byte.
            known.insert(result, parts);
        }
    }
    found
}

/// If two bytes, from `at` on, are neighbours in another number, in reverse order, returns the index of the lower one there.
fn pair(parts: &Parts, at: usize) -> Option<usize> {
    let (lower, upper) = (parts.byte(at)?, parts.byte(at + 1)?);
    let is_exchange = lower.root == upper.root && upper.up - lower.up == 16;
    let bit = 8 * (at as i32 + 1) - upper.up;
    (is_exchange && bit >= 0).then_some(bit as usize / 8)
}

/// Whether a result consists of one half of a longer reversal: the driver then exchanges the two bytes of that half.
fn takes_half(parts: &Parts, result: Value) -> bool {
    (0..8).step_by(2).any(|at| {
        let is_other = |part: &&Part| part.bits & !(0xffff << (8 * at)) != 0;
        pair(parts, at).is_some() && parts.iter().filter(is_other).all(|p| p.root == result)
    })
}

/// Whether an operation can put a number together from parts with different bits.
fn is_join(op: &Op) -> bool {
    matches!(op, Op::Binary(BinOp::Or | BinOp::Xor | BinOp::IAdd))
}

/// Whether an instruction uses only the lowest 16 bits of its operand.
fn takes_low_half(func: &Function, data: &InstData) -> bool {
    match data.op {
        Op::Cast(CastOp::Trunc) => func.ty(data.results[0]).scalar.bits() <= 16,
        Op::Binary(BinOp::And) => data
            .args
            .iter()
            .any(|&a| func.as_splat(a).is_some_and(|mask| mask <= 0xffff)),
        _ => false,
    }
}
