//! Widens accesses of global memory from 8-bit and 16-bit lanes to 32-bit lanes, where the alignment allows
//! it.
//!
//! Why: drivers access memory lane by lane (llvmpipe compiles a branch, a load and an insertion for each lane
//! of each work-item), and a part of a long vector has 4 lanes, so that `uchar16` becomes 1 access instead of
//! 4.
//! In:  any module; before `lower_long_vectors`, which splits by lanes.
//! Out: loads and stores of vectors with 8-bit or 16-bit lanes in global and constant memory access 32-bit
//!      words, with a `Bitcast`, if the vector fills whole words and is aligned to words. Local memory keeps
//!      its lanes, because the smallest lane in a kernel becomes its element type.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::{AddressSpace, CastOp, Function, Inst, Module, Op, Scalar, Ty, Value};

pub const PASS: Pass = Pass {
    name: "widen_accesses",
    about: "Widens accesses of global memory from 8-bit and 16-bit lanes to 32-bit lanes.",
    run,
    requires: inv![],
    establishes: inv![],
    destroys: inv![],
};

/// The size of a word in bytes.
const WORD: u32 = 4;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= accesses_as(func, candidate);
    }
    Ok(changed.into())
}

/// Changes the type of loads and stores, and inserts a `Bitcast` for each. `new` returns the value that an
/// access moves and another type of the same size, or `None` for an access that stays. Returns whether there
/// was any change.
pub(super) fn accesses_as(func: &mut Function, new: impl Fn(&Function, Inst) -> Option<(Value, Ty)>) -> bool {
    let mut changed = false;
    for region in func.regions_in_order() {
        let mut at = 0;
        while let Some(&inst) = func.regions[region].insts.get(at) {
            if let Some((value, ty)) = new(func, inst) {
                let first = recast(func, inst, value, ty);
                func.regions[region].insts.insert(at, first);
                at += 1;
                changed = true;
            }
            at += 1;
        }
    }
    changed
}

/// Returns the value that an access moves, and its type as words, if the access can be widened.
fn candidate(func: &Function, inst: Inst) -> Option<(Value, Ty)> {
    let data = &func.insts[inst];
    let (access, pointer, value) = match data.op {
        Op::Load(access) => (access, data.args[0], data.results[0]),
        Op::Store(access) => (access, data.args[0], data.args[1]),
        _ => return None,
    };
    let space = func.ty(pointer).space()?;
    if !matches!(space, AddressSpace::Global | AddressSpace::Constant) || access.align < WORD {
        return None;
    }
    let ty = func.ty(value);
    if !matches!(ty.scalar, Scalar::I8 | Scalar::I16 | Scalar::F16) {
        return None;
    }
    // Vectors of 3 lanes are excluded: an access to one touches three scalars, which need not fill whole words.
    let words = Ty::vector(Scalar::I32, (ty.bytes() / WORD) as u8);
    (ty.lanes.is_power_of_two() && ty.bytes() >= WORD).then_some((value, words))
}

/// Changes the type of an access. Returns the instruction that has to be inserted before it.
fn recast(func: &mut Function, inst: Inst, value: Value, ty: Ty) -> Inst {
    let span = func.insts[inst].span;
    let bitcast = Op::Cast(CastOp::Bitcast);
    if let Op::Store(_) = func.insts[inst].op {
        let cast = func.new_inst(bitcast, vec![value], &[ty], span);
        func.insts[inst].args[1] = func.insts[cast].results[0];
        cast
    } else {
        // All uses refer to the load's instruction, so this becomes the cast, and the load is a new
        // instruction.
        let data = &mut func.insts[inst];
        let op = std::mem::replace(&mut data.op, bitcast);
        let args = std::mem::take(&mut data.args);
        let load = func.new_inst(op, args, &[ty], span);
        let loaded = func.insts[load].results[0];
        func.insts[inst].args.push(loaded);
        load
    }
}
