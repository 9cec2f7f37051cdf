//! Whether a work-item may wait in a loop for what another one does.
//!
//! Such a loop goes on until memory has a value that another work-item stores, as the loop of a lock does. OpenCL promises no
//! progress of the other work-item then, but on most devices it makes progress if it is in another sub-group.

use super::groups::{decides, from_memory};
use crate::hash::{HashMap, HashSet};
use crate::ir::{Function, Inst, Op, Storage};

/// Returns whether a loop with atomic operations may go on until another work-item has stored something: whether it is left,
/// or begins again, under a condition that depends on the result of an atomic operation or on a load in the loop. Conditions
/// that only decide what an iteration does are no sign of it. Loops without atomic operations do not wait, because OpenCL
/// does not order their plain loads.
pub(super) fn may_wait(func: &Function, loop_: Inst) -> bool {
    let inside = func.insts_inside(loop_);
    if !inside
        .iter()
        .any(|&i| matches!(func.insts[i].op, Op::AtomicOn(..)))
    {
        return false;
    }
    let own: HashSet<Inst> = inside.iter().copied().collect();
    let is_beyond = |target: Inst| target == loop_ || !own.contains(&target);
    let mut leaves = Leaves::default();
    // The blocks and inner loops whose results depend on memory, because a condition on it decides where they are left.
    let mut chosen: HashSet<Inst> = HashSet::default();
    loop {
        let loaded = from_memory(func, &inside, |i| reads(&func.insts[i].op) || chosen.contains(&i));
        let known = chosen.len();
        for &branch in inside.iter().filter(|&&i| decides(func, i, &loaded)) {
            let arms: HashSet<Inst> = func.insts_inside(branch).into_iter().collect();
            for &jump in &arms {
                let target = match func.insts[jump].op {
                    Op::Exit(target) | Op::Repeat(target) => target,
                    Op::Return => return true,
                    _ => continue,
                };
                if arms.contains(&target) || chosen.contains(&target) {
                    continue;
                }
                // The jump passes what follows the branch in `target`, which may have another jump out of the loop.
                if is_beyond(target) || leaves.any(func, target, is_beyond) {
                    return true;
                }
                chosen.insert(target);
            }
        }
        if chosen.len() == known {
            return false;
        }
    }
}

/// Returns whether an operation reads memory that another work-item may write.
fn reads(op: &Op) -> bool {
    match op {
        Op::LoadFrom(storage, _) => !matches!(storage, Storage::PushWord | Storage::ArgsWord),
        Op::AtomicOn(..) => true,
        _ => false,
    }
}

/// Which blocks and loops contain a jump beyond the loop that is being examined.
#[derive(Default)]
struct Leaves(HashMap<Inst, bool>);

impl Leaves {
    fn any(&mut self, func: &Function, inst: Inst, is_beyond: impl Fn(Inst) -> bool) -> bool {
        *self.0.entry(inst).or_insert_with(|| {
            let inside = func.insts_inside(inst);
            inside.iter().any(|&i| match func.insts[i].op {
                Op::Exit(target) | Op::Repeat(target) => is_beyond(target),
                Op::Return => true,
                _ => false,
            })
        })
    }
}
