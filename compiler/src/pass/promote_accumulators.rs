//! Keeps memory that a loop accumulates into in an SSA value while the loop runs.
//!
//! Why: `for (…) c[i] += a[k] * b[k];` has a load and a store in each iteration, which wait for each other.
//! No driver knows that `c` does not alias `a` and `b`.
//! In:  `Inlined`, while kernels have parameters; best after `hoist_invariants`, which moves addresses out of
//!      loops.
//! Out: a place that each iteration of a loop stores to is loaded before the loop and stored after it. The
//!      place must be accessed always as a whole and as one type, nothing else in the loop may touch it, and
//!      only the loop's first test may leave the loop. Load, loop and store are inside a test whether the
//!      loop has an iteration (`guard`), so that no memory is accessed that was not before.

use super::analysis::effects::{Effects, has_effects};
use super::analysis::pointers::{Place, Pointers};
use super::guard;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::{Jumps, leaving};
use crate::ir::build::Builder;
use crate::ir::walk::{Parents, Replacements, Walk};
use crate::ir::{
    Access, Const, EntityRef, Function, Inst, KernelInfo, Module, Op, Region, Ty, Value, ValueDef,
};

pub const PASS: Pass = Pass {
    name: "promote_accumulators",
    about: "Keeps memory that a loop accumulates into in an SSA value while the loop runs.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The most memory accesses of a loop that is considered.
const MAX_ACCESSES: usize = 128;

/// The most values that a loop carries in addition.
const MAX_PROMOTED: usize = 8;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for kernel in &module.kernels {
        changed |= promote(&mut module.funcs[kernel.func], kernel);
    }
    Ok(changed.into())
}

/// A place in memory and the accesses to it, in order.
struct Accumulator {
    place: Place,
    ty: Ty,
    access: Access,
    members: Vec<Inst>,
}

/// Promotes accumulators in a kernel, and returns whether there were any.
fn promote(func: &mut Function, kernel: &KernelInfo) -> bool {
    let order = func.insts_in_order();
    let loops =
        order.iter().rev().copied().filter(|&i| {
            func.insts[i].op == Op::Loop && has_stores(func, i) && guard::header(func, i).is_some()
        });
    let loops: Vec<Inst> = loops.collect();
    if loops.is_empty() {
        return false;
    }
    let pointers = Pointers::new(func, Some(kernel));
    let parents = Parents::new(func);
    let jumps = Jumps::new(func);
    let leaving = leaving(func, &order);
    let mut inside = vec![0; func.values.len()];
    let mut replacements = Replacements::default();
    let mut exits = Vec::new();
    // Inner loops come first, so that the facts about outer loops stay valid.
    for (n, loop_) in loops.into_iter().enumerate() {
        let (Some(header), Some(place)) = (guard::header(func, loop_), parents.region(loop_)) else {
            continue;
        };
        let body = func.insts[loop_].regions[0];
        let leaves = |i: Inst| leaving.get(i.index()).copied().unwrap_or(false);
        let ways_out = func.regions[body].insts.iter().filter(|&&i| leaves(i)).count();
        let is_simple = func
            .terminator(body)
            .is_some_and(|end| jumps.repeats(loop_) == [end])
            && jumps.exits(loop_).len() == 1
            // The two are the test and the repeat.
            && ways_out == 1 + usize::from(func.terminator(body).is_some_and(leaves));
        if !is_simple {
            continue;
        }
        let number = n as u32 + 1;
        let found = accumulators(func, &pointers, body, &mut inside, number);
        if found.is_empty() {
            continue;
        }
        let results = func.insts[loop_].results.clone();
        let Some(guarded) = guard::build(func, place, loop_, &header) else {
            continue;
        };
        for (&old, &new) in results.iter().zip(&func.insts[guarded.inst].results.clone()) {
            replacements.set(old, new);
        }
        exits.push((guarded.exit, results));
        let way_out = jumps.exits(loop_)[0];
        for accumulator in found {
            carry(
                func,
                guarded.region,
                loop_,
                way_out,
                &accumulator,
                &mut replacements,
            );
        }
    }
    if exits.is_empty() {
        return false;
    }
    replacements.apply(func);
    for (exit, results) in exits {
        func.insts[exit].args = results;
    }
    true
}

/// Returns whether each iteration stores to memory.
fn has_stores(func: &Function, loop_: Inst) -> bool {
    let body = func.insts[loop_].regions[0];
    let mut insts = func.regions[body].insts.iter();
    insts.any(|&i| matches!(func.insts[i].op, Op::Store(a) if !a.volatile))
}

/// Returns the accumulators of a loop that can be promoted. `inside` has for each value the number of the
/// last loop that was found to define it; `number` is that of this loop.
fn accumulators(
    func: &Function,
    pointers: &Pointers,
    body: Region,
    inside: &mut [u32],
    number: u32,
) -> Vec<Accumulator> {
    let mut found: Vec<Accumulator> = Vec::new();
    let mut others: Vec<Effects> = Vec::new();
    let note = |inside: &mut [u32], v: Value| {
        if let Some(stamp) = inside.get_mut(v.index()) {
            *stamp = number;
        }
    };
    func.regions[body].args.iter().for_each(|&a| note(inside, a));
    let mut count = 0;
    let mut walk = Walk::region(body);
    while let Some((region, inst)) = walk.next(func) {
        let data = &func.insts[inst];
        data.results.iter().for_each(|&r| note(inside, r));
        let args = data.regions.iter().flat_map(|&r| &func.regions[r].args);
        args.for_each(|&a| note(inside, a));
        if !has_effects(&data.op) {
            continue;
        }
        count += 1;
        if count > MAX_ACCESSES || matches!(data.op, Op::Intrinsic(i) if i.is_convergent()) {
            return Vec::new();
        }
        let (access, value) = match data.op {
            Op::Load(access) => (access, data.results.first()),
            Op::Store(access) => (access, data.args.get(1)),
            _ => (ANY, None),
        };
        let ty = value.map(|&v| func.ty(v));
        let place = ty.and_then(|ty| pointers.place(func, data.args[0], ty.bytes()));
        // Values created since the table was made are not in it; they may be defined inside.
        let outside = |v: Value| {
            matches!(func.values[v].def, ValueDef::Const(_))
                || inside.get(v.index()).is_some_and(|&s| s != number)
        };
        if let (Some(ty), Some(place)) = (ty, place)
            && region == body
            && !access.volatile
            && outside(place.base)
        {
            match found.iter_mut().find(|a| a.place == place && a.ty == ty) {
                Some(same) => same.members.push(inst),
                None => found.push(Accumulator {
                    place,
                    ty,
                    access,
                    members: vec![inst],
                }),
            }
        } else {
            others.push(Effects::of(func, pointers, inst));
        }
    }
    let is_alone = |n: usize| {
        let place = &found[n].place;
        let meets = |e: &Effects| e.reads.may_meet(pointers, place) || e.writes.may_meet(pointers, place);
        !others.iter().any(meets)
            && found
                .iter()
                .enumerate()
                .all(|(k, other)| k == n || !pointers.may_meet(&other.place, place))
    };
    let is_stored = |a: &Accumulator| {
        a.members
            .iter()
            .any(|&i| matches!(func.insts[i].op, Op::Store(_)))
    };
    let chosen: Vec<bool> = (0..found.len())
        .map(|n| is_stored(&found[n]) && is_alone(n))
        .collect();
    let mut chosen = chosen.into_iter();
    found.retain(|_| chosen.next().unwrap_or(false));
    found.truncate(MAX_PROMOTED);
    found
}

/// The access of an instruction that is neither a load nor a store.
const ANY: Access = Access {
    align: 1,
    volatile: true,
};

/// Turns a place into a value that the loop carries. `way_out` is the exit of the loop.
fn carry(
    func: &mut Function,
    region: Region,
    loop_: Inst,
    way_out: Inst,
    accumulator: &Accumulator,
    replacements: &mut Replacements,
) {
    let body = func.insts[loop_].regions[0];
    let Accumulator {
        place,
        ty,
        access,
        members,
    } = accumulator;
    // If the first access is a store, no load is needed.
    let is_loaded = matches!(func.insts[members[0]].op, Op::Load(_));
    let index = func.index_in(region, loop_);
    let mut b = Builder::before(func, region, index);
    b.span = b.func.insts[members[0]].span;
    let pointer = b.ptr_offset(place.base, place.offset);
    let init = if is_loaded {
        b.load(pointer, *ty, *access)
    } else {
        b.func.constant(*ty, Const::Undef)
    };
    func.insts[loop_].args.push(init);
    let arg = func.add_region_arg(body, *ty);
    let mut now = arg;
    for &inst in members {
        let data = &func.insts[inst];
        match data.op {
            Op::Store(_) => now = data.args[1],
            _ => replacements.set(data.results[0], now),
        }
    }
    func.regions[body].insts.retain(|i| !members.contains(i));
    if let Some(repeat) = func.terminator(body) {
        func.insts[repeat].args.push(now);
    }
    func.insts[way_out].args.push(arg);
    let result = func.add_result(loop_, *ty);
    let index = func.index_in(region, loop_) + 1;
    Builder::before(func, region, index).store(pointer, result, *access);
}
