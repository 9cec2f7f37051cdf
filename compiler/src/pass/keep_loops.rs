//! Asks the driver not to unroll loops with long bodies that load from global memory, or that are too long to be unrolled.
//!
//! Why: `unroll_counted` and `batch_loads` unroll such loops as far as that is of use. Drivers go on: NVIDIA's unrolls
//! loops with known trip counts whose bodies have hundreds of instructions, begins the loads of all copies first, and
//! runs out of registers (`PERFORMANCE.md`, matrix products of CLBlast: 2.9 times as fast without it at most).
//! The same driver does not end within minutes if the source asks it to unroll a loop of 32,768 iterations, even by a factor, which
//! it does not read.
//! In:  accesses that name their storage; after every pass that looks at hints or replicates loops.
//! Out: the same, with the hint [`Unroll::Never`], which is SPIR-V's `DontUnroll`, at innermost loops that have no other
//!      hint, load from global memory, and have at least 64 instructions. Shorter loops are left to the driver. Loops that count
//!      to a constant in more iterations than `unroll_counted` follows have no hint.

use super::analysis::trip_count::{positions, trip_count};
use super::unroll_counted::MOST_REPEATS;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::Jumps;
use crate::ir::{Function, Inst, Module, Op, Storage, Unroll};

pub const PASS: Pass = Pass {
    name: "keep_loops",
    about: "Asks the driver not to unroll loops with long bodies that load from global memory, or too many iterations.",
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
        let mut insts = func.insts_in_order();
        insts.retain(|&i| func.insts[i].op == Op::Loop);
        let is_asked = |i: Inst| matches!(func.insts[i].unroll, Unroll::Full | Unroll::By(_));
        let asked: Vec<Inst> = insts.iter().copied().filter(|&i| is_asked(i)).collect();
        if !asked.is_empty() {
            let (jumps, position) = (Jumps::new(func), positions(func));
            for inst in asked {
                let is_short = trip_count(func, &jumps, &position, inst, MOST_REPEATS).is_some();
                if !is_short && counts_to_constant(func, inst) {
                    func.insts[inst].unroll = Unroll::Unsaid;
                    changed = true;
                }
            }
        }
        for inst in insts {
            if func.insts[inst].unroll == Unroll::Unsaid && is_long_and_loads(func, inst) {
                func.insts[inst].unroll = Unroll::Never;
                changed = true;
            }
        }
    }
    Ok(changed.into())
}

/// Returns whether the first test in a loop compares a value with a constant.
fn counts_to_constant(func: &Function, loop_: Inst) -> bool {
    let insts = &func.regions[func.insts[loop_].regions[0]].insts;
    let test = insts.iter().find(|&&i| func.insts[i].op == Op::If);
    let compared = test.and_then(|&i| func.def_inst(func.insts[i].args[0]));
    compared.is_some_and(|i| {
        let data = &func.insts[i];
        matches!(data.op, Op::Compare(_)) && data.args.iter().any(|&a| func.as_bits(a).is_some())
    })
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
