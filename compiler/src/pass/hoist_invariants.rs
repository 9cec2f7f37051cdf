//! Moves what is the same in each iteration out of loops.
//!
//! Why: few Vulkan drivers do it themselves, and none can for loads: they do not know what may be written.
//! In:  any module: while pointers lead to kernel arguments, and behind `lower_memory`, when addresses are integers.
//! Out: pure operations on what is defined outside of a loop stand before the outermost such loop. Divisions and what
//!      else is undefined for some operands stay where they are executed; so does what is expensive and executed
//!      under a condition. Loads move if nothing in the loop writes to their memory, and if they cannot go wrong: the
//!      memory is there anyway, or the first iteration comes to them for certain. Where it comes to them if it comes
//!      behind the loop's test, they stand behind another such test, with the loop (`guard`).

use super::analysis::{is_pure, leaving};
use super::effects::{Effects, Inside};
use super::guard::{self, Header};
use super::pointers::Pointers;
use super::trip_count::first_value;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::eval::truncate;
use crate::ir::walk::{Parents, Replacements, Walk};
use crate::ir::{BinOp, EntityRef, Function, Inst, KernelInfo, Module, Op, Region, Storage, Value};

pub const PASS: Pass = Pass {
    name: "hoist_invariants",
    about: "Moves what is the same in each iteration out of loops.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    // Where a kernel is called, its parameters are no arguments.
    let by_pointers = module.abi.is_empty() && !module.kernels.is_empty();
    let kernels = by_pointers && !has_calls(module);
    for (f, func) in module.funcs.iter_mut() {
        let kernel = module.kernels.iter().find(|k| k.func == f && kernels);
        changed |= hoist(func, kernel, by_pointers);
    }
    Ok(changed.into())
}

fn has_calls(module: &Module) -> bool {
    module.funcs.iter().any(|(_, func)| {
        let mut walk = Walk::new(func);
        std::iter::from_fn(|| walk.next(func)).any(|(_, i)| matches!(func.insts[i].op, Op::Call(_)))
    })
}

/// Whether a loop loads something in each iteration.
fn has_loads(func: &Function, loop_: Inst) -> bool {
    let body = func.insts[loop_].regions[0];
    let mut insts = func.regions[body].insts.iter().map(|&i| &func.insts[i]);
    insts.any(|data| matches!(data.op, Op::Load(a) if !a.volatile))
}

fn hoist(func: &mut Function, kernel: Option<&KernelInfo>, by_pointers: bool) -> bool {
    let order = func.insts_in_order();
    let loads = order.iter().any(|&i| matches!(func.insts[i].op, Op::Load(_)));
    // While there are pointers it is only about loads.
    let is_wanted = |&i: &Inst| func.insts[i].op == Op::Loop && (!by_pointers || has_loads(func, i));
    let loops: Vec<Inst> = order.iter().copied().filter(is_wanted).collect();
    if loops.is_empty() {
        return false;
    }
    let parents = Parents::new(func);
    let leaving = leaving(func, &order);
    let pointers = loads.then(|| Pointers::new(func, kernel));
    let effects = pointers.as_ref().map(|p| Inside::new(func, p, &order));
    let mut stamps = Stamps {
        inside: vec![0; func.values.len()],
        guarded: vec![0; func.values.len()],
    };
    let mut gone = vec![false; func.insts.len()];
    let mut replacements = Replacements::default();
    let mut exits = Vec::new();
    let mut changed = false;
    // Outer ones first: what moves, moves as far as it can at once.
    for (n, &loop_) in loops.iter().enumerate() {
        let Some(place) = parents.region(loop_) else {
            continue;
        };
        let inside = effects.as_ref().and_then(|e| e.get(loop_));
        let mut body = Body {
            number: n as u32 + 1,
            stamps: &mut stamps,
            written: Written::by(func, loop_),
            pointers: pointers.as_ref().zip(inside),
            header: None,
        };
        if pointers.is_some() && !body.written.by_others {
            body.header = guard::header(func, loop_);
        }
        let moved = body.invariants(func, &leaving, loop_);
        let header = body.header.take();
        if moved.always.is_empty() && moved.guarded.is_empty() {
            continue;
        }
        changed = true;
        remove(func, loop_, &moved, &mut gone);
        insert(func, place, loop_, moved.always);
        let Some(header) = header.filter(|_| !moved.guarded.is_empty()) else {
            continue;
        };
        if let Some(guarded) = guard::build(func, place, loop_, &header) {
            let results = func.insts[loop_].results.clone();
            for (&old, &new) in results.iter().zip(&func.insts[guarded.inst].results.clone()) {
                replacements.set(old, new);
            }
            exits.push((guarded.exit, results));
            insert(func, guarded.region, loop_, moved.guarded);
        } else {
            // It stays.
            let list = &mut func.regions[func.insts[loop_].regions[0]].insts;
            let at = list.iter().position(|&i| i == header.test).map_or(0, |n| n + 1);
            list.splice(at..at, moved.guarded);
        }
    }
    replacements.apply(func);
    for (exit, results) in exits {
        func.insts[exit].args = results;
    }
    changed
}

/// Takes what moves out of a loop.
fn remove(func: &mut Function, loop_: Inst, moved: &Moved, gone: &mut [bool]) {
    let all = || moved.always.iter().chain(&moved.guarded);
    for inst in all() {
        gone[inst.index()] = true;
    }
    let mut regions = func.insts[loop_].regions.clone();
    while let Some(region) = regions.pop() {
        func.regions[region].insts.retain(|i| !gone[i.index()]);
        for &i in &func.regions[region].insts {
            regions.extend(&func.insts[i].regions);
        }
    }
    for inst in all() {
        gone[inst.index()] = false;
    }
}

/// Puts instructions in front of a loop.
fn insert(func: &mut Function, place: Region, loop_: Inst, moved: Vec<Inst>) {
    let list = &mut func.regions[place].insts;
    let at = list.iter().position(|&i| i == loop_).unwrap_or(0);
    list.splice(at..at, moved);
}

/// What a loop writes.
#[derive(Default)]
struct Written {
    variables: Vec<Value>,
    local: bool,
    global: bool,
    /// There are barriers or fences.
    by_others: bool,
}

impl Written {
    fn by(func: &Function, loop_: Inst) -> Written {
        let mut written = Written::default();
        let mut walk = Walk::region(func.insts[loop_].regions[0]);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            match &data.op {
                Op::StoreTo(storage, _) | Op::AtomicOn(_, storage) => match storage {
                    Storage::Variable => written.variables.push(data.args[0]),
                    Storage::Arena(_) | Storage::Shared(..) => written.local = true,
                    Storage::Physical | Storage::Buffer(..) => written.global = true,
                    Storage::PushWord | Storage::ArgsWord | Storage::ReadOnly(..) => {}
                },
                // What others have written can be seen behind them.
                Op::Intrinsic(i) if i.orders_memory() => {
                    written.local = true;
                    written.global = true;
                    written.by_others = true;
                }
                _ => {}
            }
        }
        written
    }
}

/// Of each value the number of the last loop that it was found in.
struct Stamps {
    /// Defined in it, to stay.
    inside: Vec<u32>,
    /// Defined behind its guard.
    guarded: Vec<u32>,
}

/// What moves out of a loop, in order.
#[derive(Default)]
struct Moved {
    always: Vec<Inst>,
    /// Only if the loop's test is repeated ahead of it.
    guarded: Vec<Inst>,
}

/// A loop that is being looked at.
struct Body<'a> {
    number: u32,
    stamps: &'a mut Stamps,
    written: Written,
    /// What the loop does by pointers.
    pointers: Option<(&'a Pointers, &'a Effects)>,
    /// The test that can be repeated.
    header: Option<Header>,
}

impl Body<'_> {
    /// What can move.
    fn invariants(&mut self, func: &Function, leaving: &[bool], loop_: Inst) -> Moved {
        let top = func.insts[loop_].regions[0];
        for &arg in &func.regions[top].args {
            self.stamps.inside[arg.index()] = self.number;
        }
        let mut moved = Moved::default();
        // Whether the first iteration comes here, for certain or if it gets past the test.
        let mut is_certain = true;
        let mut is_guarded = self.header.is_some();
        let mut loads = false;
        let mut walk = Walk::region(top);
        while let Some((region, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            let at_top = region == top;
            let is = |stamps: &[u32]| data.args.iter().any(|a| stamps[a.index()] == self.number);
            if !is(&self.stamps.inside) {
                let free = !is(&self.stamps.guarded);
                if free && self.may_move(func, inst, at_top, at_top && is_certain) {
                    moved.always.push(inst);
                    continue;
                }
                let load = matches!(data.op, Op::Load(_));
                if (load || !free) && self.may_move(func, inst, at_top, at_top && is_guarded) {
                    loads |= load;
                    moved.guarded.push(inst);
                    for &r in &data.results {
                        self.stamps.guarded[r.index()] = self.number;
                    }
                    continue;
                }
            }
            for &r in &data.regions {
                for &arg in &func.regions[r].args {
                    self.stamps.inside[arg.index()] = self.number;
                }
            }
            for &r in &data.results {
                self.stamps.inside[r.index()] = self.number;
            }
            if at_top && leaving[inst.index()] {
                let stays = stays_at_first(func, leaving, loop_, inst);
                is_certain &= stays;
                is_guarded &= stays || self.header.as_ref().is_some_and(|h| h.test == inst);
            }
        }
        debug_assert!(loads || moved.guarded.is_empty());
        moved
    }

    fn may_move(&self, func: &Function, inst: Inst, at_top: bool, is_certain: bool) -> bool {
        let data = &func.insts[inst];
        match &data.op {
            Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem) => {
                // Zero, and minus one, are undefined with some dividends.
                let minus_one = truncate(func.ty(data.args[1]).scalar, u64::MAX);
                func.as_bits(data.args[1])
                    .is_some_and(|n| n != 0 && n != minus_one)
            }
            Op::ExtractDynamic | Op::InsertDynamic => false,
            Op::Intrinsic(i) if is_pure(data) => at_top || is_system_value(*i),
            Op::CallPure(_) => at_top,
            Op::LoadFrom(storage, access) if !access.volatile => match storage {
                Storage::PushWord | Storage::ArgsWord => func.as_const(data.args[0]).is_some() || is_certain,
                Storage::Variable => is_certain && !self.written.variables.contains(&data.args[0]),
                Storage::Arena(_) | Storage::Shared(..) => is_certain && !self.written.local,
                Storage::Physical | Storage::Buffer(..) => is_certain && !self.written.global,
                Storage::ReadOnly(..) => is_certain,
            },
            Op::Load(access) if is_certain && !access.volatile => {
                let bytes = func.ty(data.results[0]).bytes();
                self.pointers.is_some_and(|(pointers, effects)| {
                    let place = pointers.place(func, data.args[0], bytes);
                    place.is_some_and(|p| !effects.writes.may_meet(pointers, &p))
                })
            }
            _ => is_pure(data),
        }
    }
}

fn is_system_value(op: Intrinsic) -> bool {
    matches!(
        op,
        Intrinsic::WorkDim
            | Intrinsic::WorkgroupId
            | Intrinsic::LocalInvocationId
            | Intrinsic::WorkgroupSize
            | Intrinsic::GlobalInvocationId
            | Intrinsic::NumWorkgroups
            | Intrinsic::GlobalOffsetConstant
            | Intrinsic::GlobalId
            | Intrinsic::LocalId
            | Intrinsic::GroupId
            | Intrinsic::GlobalSize
            | Intrinsic::LocalSize
            | Intrinsic::NumGroups
            | Intrinsic::GlobalOffset
            | Intrinsic::SubgroupMaxSize
            | Intrinsic::NumSubgroups
            | Intrinsic::SubgroupId
            | Intrinsic::SubgroupLocalId
    )
}

/// Whether an `if` that can leave the loop does not in the first iteration: constants say which arm is taken.
fn stays_at_first(func: &Function, leaving: &[bool], loop_: Inst, inst: Inst) -> bool {
    let data = &func.insts[inst];
    if data.op != Op::If {
        return false;
    }
    let Some(condition) = first_value(func, loop_, data.args[0]) else {
        return false;
    };
    let arm = &func.regions[data.regions[usize::from(condition == 0)]].insts;
    match arm.split_last() {
        Some((&end, rest)) => {
            func.insts[end].op == Op::Exit(inst) && !rest.iter().any(|i| leaving[i.index()])
        }
        None => false,
    }
}
