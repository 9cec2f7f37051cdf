//! Uses of a loop's counters that become cheap once the counters are constants.

use std::collections::BTreeSet;

use crate::ir::analysis::Jumps;
use crate::ir::{AddressSpace, BinOp, CastOp, Function, Inst, Op, Region, Value, ValueDef};
use crate::pass::analysis::facts::facts;

/// The longest chain of operations that is followed from an index or divisor.
const MAX_CHAIN: u32 = 8;

/// The most terms of an address that are looked at.
const MOST_TERMS: usize = 16;

/// Adds to `carried` the values carried by loops that the divisor of an integer division is computed from, if it
/// is computed from nothing but these and constants.
pub(super) fn divisor(func: &Function, inst: Inst, carried: &mut BTreeSet<(Region, u32)>) {
    let data = &func.insts[inst];
    let divides = matches!(
        data.op,
        Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem)
    );
    let mut found = Vec::new();
    if divides
        && func.as_const(data.args[1]).is_none()
        && comes_from_loops(func, data.args[1], MAX_CHAIN, &mut found)
    {
        carried.extend(found);
    }
}

/// Returns whether one of the values in `carried` is a counter of the loop, which each iteration changes by a
/// constant.
pub(super) fn counts_through(
    func: &Function,
    jumps: &Jumps,
    loop_: Inst,
    carried: &BTreeSet<(Region, u32)>,
) -> bool {
    let body = func.insts[loop_].regions[0];
    let mut carried = carried.range((body, 0)..=(body, u32::MAX));
    carried.any(|&(_, n)| {
        let counter = func.regions[body].args[n as usize];
        jumps.repeats(loop_).iter().all(|&repeat| {
            let next = func.insts[repeat].args[n as usize];
            func.def_inst(next).is_some_and(|step| {
                let data = &func.insts[step];
                matches!(data.op, Op::Binary(_))
                    && data.args.contains(&counter)
                    && data
                        .args
                        .iter()
                        .all(|&a| a == counter || func.as_const(a).is_some())
            })
        })
    })
}

/// A value carried by a loop that is part of the address of an access, multiplied by `factor`. The rest of the address is a
/// multiple of two such accesses.
#[derive(Copy, Clone)]
pub(super) struct InAddress {
    carried: (Region, u32),
    factor: u64,
    /// The size of the access.
    bytes: u64,
}

/// Adds to `list` the values carried by loops that are part of the address of an access of `bytes` bytes.
pub(super) fn parts_of_address(func: &Function, pointer: Value, bytes: u32, list: &mut Vec<InAddress>) {
    let mut terms = Vec::new();
    let mut base = pointer;
    while let Some(data) = func.def_inst(base).map(|inst| &func.insts[inst])
        && data.op == Op::PtrAdd
    {
        add_terms(func, (data.args[1], 1), MAX_CHAIN, &mut terms);
        base = data.args[0];
    }
    if terms.len() > MOST_TERMS {
        return;
    }
    let zeros: Vec<u32> = terms
        .iter()
        .map(|&(value, factor)| facts(func, value).trailing_zeros() + factor.trailing_zeros())
        .collect();
    for (at, &(value, factor)) in terms.iter().enumerate() {
        let mut others = zeros.iter().enumerate().filter(|(n, _)| *n != at);
        if let ValueDef::Arg(region, n) = func.values[value].def
            && others.all(|(_, zeros)| 1 << zeros.min(&31) >= 2 * bytes)
        {
            list.push(InAddress {
                carried: (region, n),
                factor,
                bytes: u64::from(bytes),
            });
        }
    }
}

/// Adds the terms of a sum, each with a factor, which a chain of at most `room` additions and multiplications makes of them.
fn add_terms(func: &Function, (v, factor): (Value, u64), room: u32, terms: &mut Vec<(Value, u64)>) {
    let goes_on = room > 0 && terms.len() <= MOST_TERMS;
    let Some(data) = func.def_inst(v).filter(|_| goes_on).map(|inst| &func.insts[inst]) else {
        terms.push((v, factor));
        return;
    };
    let constant = data.args.get(1).and_then(|&arg| func.as_bits(arg));
    let (args, factor) = match (&data.op, constant) {
        (Op::Binary(BinOp::IAdd), _) => (&data.args[..], factor),
        (Op::Binary(BinOp::IMul), Some(by)) => (&data.args[..1], factor.wrapping_mul(by)),
        (Op::Binary(BinOp::Shl), Some(by)) => (&data.args[..1], factor.wrapping_shl(by as u32)),
        (Op::Cast(CastOp::ZExt | CastOp::SExt | CastOp::Trunc), _) => (&data.args[..], factor),
        _ => {
            terms.push((v, factor));
            return;
        }
    };
    for &arg in args {
        add_terms(func, (arg, factor), room - 1, terms);
    }
}

/// Returns whether an access in `list` is to the neighbour of what the previous iteration of the loop accessed.
pub(super) fn goes_through_neighbours(
    func: &Function,
    jumps: &Jumps,
    loop_: Inst,
    list: &[InAddress],
) -> bool {
    let body = func.insts[loop_].regions[0];
    list.iter().any(|part| {
        let (region, n) = part.carried;
        region == body
            && jumps.repeats(loop_).iter().all(|&repeat| {
                let next = func.def_inst(func.insts[repeat].args[n as usize]);
                let step = next.map(|inst| &func.insts[inst]).filter(|step| {
                    step.op == Op::Binary(BinOp::IAdd) && step.args[0] == func.regions[body].args[n as usize]
                });
                let by = step.and_then(|step| func.as_bits(step.args[1]));
                by.is_some_and(|by| by.wrapping_mul(part.factor) == part.bytes)
            })
    })
}

/// Returns whether an address is that of a constant variable at program scope plus an offset computed from
/// values that loops carry, and adds these values to `carried`. Returns false for a constant address.
pub(super) fn table_index(func: &Function, pointer: Value, carried: &mut BTreeSet<(Region, u32)>) -> bool {
    let mut found = Vec::new();
    let is_table = is_in_table(func, pointer, MAX_CHAIN, &mut found) && !found.is_empty();
    if is_table {
        carried.extend(found);
    }
    is_table
}

/// Returns whether an address is that of a constant variable at program scope plus an offset computed from constants
/// and values that loops carry, in chains of at most `room` operations. Adds the carried values to `found`.
fn is_in_table(func: &Function, pointer: Value, room: u32, found: &mut Vec<(Region, u32)>) -> bool {
    let mut base = pointer;
    while let Some(inst) = func.def_inst(base) {
        let data = &func.insts[inst];
        match data.op {
            Op::PtrAdd if comes_from_loops(func, data.args[1], room, found) => base = data.args[0],
            Op::GlobalAddr(_) => return func.ty(base).space() == Some(AddressSpace::Constant),
            _ => return false,
        }
    }
    false
}

/// Returns whether a value is computed only from constants, values carried by loops, and numbers in tables at places that
/// are computed from these, in a chain of at most `room` operations. Adds the carried values to `found`.
fn comes_from_loops(func: &Function, v: Value, room: u32, found: &mut Vec<(Region, u32)>) -> bool {
    match &func.values[v].def {
        ValueDef::Const(_) => true,
        ValueDef::Param(_) => false,
        ValueDef::Arg(region, n) => {
            found.push((*region, *n));
            true
        }
        ValueDef::Inst(inst, _) => {
            let data = &func.insts[*inst];
            match data.op {
                _ if room == 0 => false,
                Op::Binary(_) | Op::Cast(_) => {
                    let mut args = data.args.iter();
                    args.all(|&a| comes_from_loops(func, a, room - 1, found))
                }
                Op::Load(access) => !access.volatile && is_in_table(func, data.args[0], room - 1, found),
                _ => false,
            }
        }
    }
}
