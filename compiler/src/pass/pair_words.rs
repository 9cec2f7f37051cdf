//! Turns accesses of vectors of two or four words into accesses of 64-bit numbers.
//!
//! Why: drivers with [`Costs::lane_by_lane`](crate::target::Costs::lane_by_lane) (llvmpipe) execute each lane of an
//! access as a loop over work-items, whose cost does not depend on the size of the lane. Splitting a 64-bit number
//! is one instruction for all work-items.
//! In:  `NoLongVectors`, before `lower_memory`.
//! Out: loads and stores of vectors of 2 or 4 32-bit lanes in global and constant memory that are aligned to
//!      8 bytes have 1 or 2 64-bit lanes, with a `Bitcast`. Volatile accesses stay as they are.
//!
//! In local memory, vectors of 2 lanes are changed if all accesses of the function to local memory then have 64-bit
//! lanes. Otherwise nothing would be gained: the smallest lane that is accessed becomes the element type of an array,
//! and this pass does not tell arrays apart. Vectors of 4 lanes stay, because llvmpipe moves a whole element of local
//! memory in one loop, which two 64-bit numbers would make two (`docs/adr/0007-driver-quirks.md`).

use super::widen_accesses::accesses_as;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{AddressSpace, Function, Inst, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "pair_words",
    about: "Turns accesses of vectors of words into accesses of 64-bit numbers, for drivers that access memory lane by lane.",
    run,
    requires: inv![NoLongVectors],
    establishes: inv![],
    destroys: inv![],
};

/// The size of a pair in bytes.
const PAIR: u32 = 8;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        let order = func.insts_in_order();
        let local = order.iter().all(|&i| fits_local_pairs(func, i));
        changed |= accesses_as(func, |func, inst| {
            let (space, value) = candidate(func, inst)?;
            let pairs = Ty::vector(Scalar::I64, (func.ty(value).bytes() / PAIR) as u8);
            (space != AddressSpace::Local || local).then_some((value, pairs))
        });
    }
    Ok(changed.into())
}

/// Returns whether an instruction allows the elements of local memory to be 64-bit numbers.
fn fits_local_pairs(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_local = |n: usize| func.ty(data.args[n]).space() == Some(AddressSpace::Local);
    let moves_pairs = |align: u32, value: Value| {
        align >= PAIR && (func.ty(value).scalar.bytes() == PAIR || candidate(func, inst).is_some())
    };
    match data.op {
        Op::Load(access) if is_local(0) => moves_pairs(access.align, data.results[0]),
        Op::Store(access) if is_local(0) => moves_pairs(access.align, data.args[1]),
        Op::MemZero { size, dst } if is_local(0) => dst.align >= PAIR && size % PAIR == 0,
        Op::MemCpy { size, dst, src } if is_local(0) || is_local(1) => {
            dst.align.min(src.align) >= PAIR && size % PAIR == 0
        }
        Op::Intrinsic(Intrinsic::Atomic(_)) => !is_local(0),
        _ => true,
    }
}

/// Returns the address space of an access that may become one of pairs, and the value that it moves.
fn candidate(func: &Function, inst: Inst) -> Option<(AddressSpace, Value)> {
    let data = &func.insts[inst];
    let (access, value) = match data.op {
        Op::Load(access) => (access, data.results[0]),
        Op::Store(access) => (access, data.args[1]),
        _ => return None,
    };
    let space = func.ty(data.args[0]).space()?;
    let ty = func.ty(value);
    let fits = match space {
        AddressSpace::Global | AddressSpace::Constant => matches!(ty.lanes, 2 | 4),
        AddressSpace::Local => ty.lanes == 2,
        AddressSpace::Private | AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => false,
    };
    let words = matches!(ty.scalar, Scalar::I32 | Scalar::F32);
    (fits && words && access.align >= PAIR && !access.volatile).then_some((space, value))
}
