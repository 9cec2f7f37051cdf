//! Makes accesses of vectors of two and four words ones of 64-bit numbers.
//!
//! Why: for [`Quirks::lane_by_lane`](crate::target::Quirks::lane_by_lane). llvmpipe has a loop over the work-items of a vector for
//!      each lane of an access, in which it tests the work-item's bit in a mask, takes its address out of a vector and puts what it
//!      loads into another; that costs 12 to 20 instructions for each number, whatever its size. Taking a number of 64 bits
//!      apart is one instruction for all work-items.
//! In:  `NoLongVectors`, ahead of `lower_memory`.
//! Out: loads and stores of vectors of 2 and 4 32-bit lanes in global and constant memory that are aligned to 8 bytes are
//!      ones of 1 and 2 lanes of 64 bits, with a `Bitcast` beside them. In local memory only vectors of 2 are, and if then all
//!      accesses are of 64-bit lanes: its element type is the kernel's smallest, and llvmpipe moves whole elements in one loop,
//!      so that two times 64 bits take longer there than four times 32 (n-body 0.95). Volatile accesses stay.

use super::widen_accesses::accesses_as;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{AddressSpace, Function, Inst, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "pair_words",
    about: "Makes accesses of vectors of words ones of 64-bit numbers, for drivers that take memory lane by lane.",
    run,
    requires: inv![NoLongVectors],
    establishes: inv![],
    destroys: inv![],
};

/// Bytes of a pair.
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

/// Whether local memory may consist of 64-bit numbers as far as an instruction is concerned.
fn fits_local_pairs(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let is_local = |n: usize| func.ty(data.args[n]).space() == Some(AddressSpace::Local);
    match data.op {
        Op::Load(access) if is_local(0) => {
            let ty = func.ty(data.results[0]);
            access.align >= PAIR && (ty.scalar.bytes() == PAIR || candidate(func, inst).is_some())
        }
        Op::Store(access) if is_local(0) => {
            let ty = func.ty(data.args[1]);
            access.align >= PAIR && (ty.scalar.bytes() == PAIR || candidate(func, inst).is_some())
        }
        Op::MemZero { size, dst } if is_local(0) => dst.align >= PAIR && size % PAIR == 0,
        Op::MemCpy { size, dst, src } if is_local(0) || is_local(1) => {
            dst.align.min(src.align) >= PAIR && size % PAIR == 0
        }
        Op::Intrinsic(Intrinsic::Atomic(_)) => !is_local(0),
        _ => true,
    }
}

/// Where an access goes that may be one of pairs, and the value that it moves.
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
        AddressSpace::Private | AddressSpace::Push | AddressSpace::Args => false,
    };
    let words = matches!(ty.scalar, Scalar::I32 | Scalar::F32);
    (fits && words && access.align >= PAIR && !access.volatile).then_some((space, value))
}
