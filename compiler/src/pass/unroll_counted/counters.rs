//! Uses of a loop's counters that become cheap once the counters are constants.

use std::collections::BTreeSet;

use crate::ir::analysis::Jumps;
use crate::ir::{AddressSpace, BinOp, Function, Inst, Op, Region, Value, ValueDef};

/// The longest chain of operations that is followed from an index or divisor.
const MAX_CHAIN: u32 = 8;

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
