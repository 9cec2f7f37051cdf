//! Whether the work-groups of a kernel may pass data to each other while it runs.
//!
//! Fences of global memory need the scope of the device only then, and on GPUs that scope is far more expensive than that of the
//! work-group: the work-item waits until its stores have reached the memory that all work-groups see. OpenCL 1.2 (3.3.1)
//! promises order only within a work-group, and OpenCL C 2.0 says that `mem_fence` has the scope of the work-group. But
//! programs pass data between work-groups with it: with atomic operations, by volatile flags, or by plain flags for which
//! a loop waits.

use crate::intrinsic::Intrinsic;
use crate::ir::{EntityRef, Function, Inst, Op, Storage, Value};

/// Returns whether other work-groups may rely on the order that the fences of a function make: it accesses global memory by
/// atomic operations or volatile, or a loop with a fence has a condition that depends on what is in global memory.
pub(super) fn communicate(func: &Function) -> bool {
    let order = func.insts_in_order();
    let mut fences = false;
    for &inst in &order {
        match &func.insts[inst].op {
            Op::AtomicOn(_, storage) if is_global(storage) => return true,
            Op::LoadFrom(storage, access) | Op::StoreTo(storage, access)
                if access.volatile && is_global(storage) =>
            {
                return true;
            }
            Op::Call(_) => return true,
            op => fences |= is_fence(op),
        }
    }
    if !fences {
        return false;
    }
    let loops: Vec<Inst> = order
        .iter()
        .copied()
        .filter(|&i| func.insts[i].op == Op::Loop && any_inside(func, i, is_fence))
        .collect();
    if loops.is_empty() {
        return false;
    }
    let is_load = |inst: Inst| matches!(&func.insts[inst].op, Op::LoadFrom(storage, _) if is_global(storage));
    let loaded = from_memory(func, &order, is_load);
    loops.iter().any(|&l| {
        func.insts_inside(l)
            .into_iter()
            .any(|i| decides(func, i, &loaded))
    })
}

/// Returns whether an instruction has a condition that depends on memory, given the values that do.
pub(super) fn decides(func: &Function, inst: Inst, loaded: &[bool]) -> bool {
    let data = &func.insts[inst];
    matches!(data.op, Op::If | Op::Switch(_)) && data.args.iter().any(|a| loaded[a.index()])
}

fn is_global(storage: &Storage) -> bool {
    matches!(storage, Storage::Physical | Storage::Buffer(..))
}

fn is_fence(op: &Op) -> bool {
    matches!(op, Op::Intrinsic(Intrinsic::Fence(flags)) if flags.global)
}

/// Returns whether an operation inside of a structured instruction has a property.
fn any_inside(func: &Function, inst: Inst, has: impl Fn(&Op) -> bool) -> bool {
    func.insts_inside(inst)
        .into_iter()
        .any(|i| has(&func.insts[i].op))
}

/// Returns which results of `order` depend on what some instructions load, also by the conditions under which they are chosen.
pub(super) fn from_memory(func: &Function, order: &[Inst], is_load: impl Fn(Inst) -> bool) -> Vec<bool> {
    let mut loaded = vec![false; func.values.len()];
    let mut changed = true;
    let set = |loaded: &mut Vec<bool>, values: &[Value], changed: &mut bool| {
        for &v in values {
            *changed |= !std::mem::replace(&mut loaded[v.index()], true);
        }
    };
    while std::mem::take(&mut changed) {
        for &inst in order {
            let data = &func.insts[inst];
            if is_load(inst) {
                set(&mut loaded, &data.results, &mut changed);
            }
            let any = data.args.iter().any(|a| loaded[a.index()]);
            match &data.op {
                Op::Exit(target) if any => {
                    let results = &func.insts[*target].results;
                    let list: Vec<Value> = pairs(&data.args, results, &loaded);
                    set(&mut loaded, &list, &mut changed);
                }
                Op::Repeat(target) if any => {
                    let body = func.insts[*target].regions[0];
                    let list = pairs(&data.args, &func.regions[body].args, &loaded);
                    set(&mut loaded, &list, &mut changed);
                }
                Op::Loop if any => {
                    let list = pairs(&data.args, &func.regions[data.regions[0]].args, &loaded);
                    set(&mut loaded, &list, &mut changed);
                }
                _ if any => set(&mut loaded, &data.results, &mut changed),
                _ => {}
            }
        }
    }
    loaded
}

/// Returns the second of each pair of values whose first depends on memory.
fn pairs(from: &[Value], to: &[Value], loaded: &[bool]) -> Vec<Value> {
    let of = |(a, &b): (&Value, &Value)| loaded[a.index()].then_some(b);
    from.iter().zip(to).filter_map(of).collect()
}
