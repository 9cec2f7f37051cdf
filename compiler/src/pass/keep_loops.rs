//! Asks the driver not to unroll loops with long bodies that load from global memory.
//!
//! Why: `unroll_counted` and `batch_loads` unroll such loops as far as that is of use. Drivers go on: NVIDIA's unrolls
//! loops with known trip counts whose bodies have hundreds of instructions, begins the loads of all copies first, and
//! runs out of registers (`PERFORMANCE.md`, matrix products of CLBlast: 2.9 times as fast without it at most).
//! In:  accesses that name their storage; after every pass that looks at hints or replicates loops.
//! Out: the same, with the hint [`Unroll::Never`], which is SPIR-V's `DontUnroll`, at innermost loops that have no other
//!      hint, load from global memory, and have at least 64 instructions. Shorter loops are left to the driver.

use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::{Function, Inst, Module, Op, Storage, Unroll};

pub const PASS: Pass = Pass {
    name: "keep_loops",
    about: "Asks the driver not to unroll loops with long bodies that load from global memory.",
    run,
    requires: inv![],
    establishes: inv![],
    destroys: inv![],
};

/// The fewest instructions of a loop body that the driver is not to unroll.
const LONG: usize = 64;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            if data.op == Op::Loop && data.unroll == Unroll::Unsaid && is_long_and_loads(func, inst) {
                func.insts[inst].unroll = Unroll::Never;
                changed = true;
            }
        }
    }
    Ok(changed.into())
}

/// Returns whether a loop is innermost, has a long body, and loads from global memory.
fn is_long_and_loads(func: &Function, loop_: Inst) -> bool {
    let mut count = 0;
    let mut loads = false;
    let mut regions = func.insts[loop_].regions.clone();
    while let Some(region) = regions.pop() {
        for &inst in &func.regions[region].insts {
            let data = &func.insts[inst];
            if data.op == Op::Loop {
                return false;
            }
            count += 1;
            loads |= matches!(
                data.op,
                Op::LoadFrom(Storage::Physical | Storage::Buffer(..) | Storage::ReadOnly(..), _)
            );
            regions.extend(&data.regions);
        }
    }
    loads && count >= LONG
}
