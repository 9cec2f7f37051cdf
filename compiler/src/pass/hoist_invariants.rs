//! Moves what is the same in each iteration out of loops.
//!
//! Why: few Vulkan drivers do it themselves, and none can for loads: they do not know what may be written.
//! In:  any module; best behind `lower_memory`, when addresses are integers.
//! Out: pure operations on what is defined outside of a loop stand before the outermost such loop. Divisions and what
//!      else is undefined for some operands stay where they are executed; so does what is expensive and executed
//!      under a condition. Loads move if nothing in the loop writes to their memory, and if they cannot go wrong: the
//!      memory is there anyway, or the first iteration comes to them for certain.

use super::analysis::is_pure;
use super::trip_count::first_value;
use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::eval::truncate;
use crate::ir::walk::{Parents, Walk};
use crate::ir::{BinOp, EntityRef, Function, Inst, Module, Op, Storage, Value};

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
    for (_, func) in module.funcs.iter_mut() {
        changed |= hoist(func);
    }
    Ok(changed.into())
}

fn hoist(func: &mut Function) -> bool {
    let order = func.insts_in_order();
    let loops: Vec<Inst> = order
        .iter()
        .copied()
        .filter(|&i| func.insts[i].op == Op::Loop)
        .collect();
    if loops.is_empty() {
        return false;
    }
    let parents = Parents::new(func);
    let leaving = leaving(func, &order);
    let mut inside = vec![0; func.values.len()];
    let mut gone = vec![false; func.insts.len()];
    let mut changed = false;
    // Outer ones first: what moves, moves as far as it can at once.
    for (n, &loop_) in loops.iter().enumerate() {
        let mut body = Body {
            number: n as u32 + 1,
            inside: &mut inside,
            written: Written::by(func, loop_),
        };
        let moved = body.invariants(func, &leaving, loop_);
        let Some(place) = parents.region(loop_).filter(|_| !moved.is_empty()) else {
            continue;
        };
        changed = true;
        for &inst in &moved {
            gone[inst.index()] = true;
        }
        let mut regions = func.insts[loop_].regions.clone();
        while let Some(region) = regions.pop() {
            func.regions[region].insts.retain(|i| !gone[i.index()]);
            for &i in &func.regions[region].insts {
                regions.extend(&func.insts[i].regions);
            }
        }
        for &inst in &moved {
            gone[inst.index()] = false;
        }
        let list = &mut func.regions[place].insts;
        let at = list.iter().position(|&i| i == loop_).unwrap_or(0);
        list.splice(at..at, moved);
    }
    changed
}

/// Whether there is a jump inside of an instruction to what is around it.
fn leaving(func: &Function, order: &[Inst]) -> Vec<bool> {
    let mut position = vec![0; func.insts.len()];
    for (n, &inst) in order.iter().enumerate() {
        position[inst.index()] = n + 1;
    }
    let mut outermost = vec![usize::MAX; func.insts.len()];
    for &inst in order.iter().rev() {
        let data = &func.insts[inst];
        let inner = data.regions.iter().flat_map(|&r| &func.regions[r].insts);
        let inner = inner.map(|i| outermost[i.index()]).min();
        outermost[inst.index()] = match data.op {
            Op::Exit(target) | Op::Repeat(target) => position[target.index()],
            Op::Return => 0,
            _ => inner.unwrap_or(usize::MAX),
        };
    }
    let before = |inst: Inst| outermost[inst.index()] < position[inst.index()];
    func.insts.keys().map(before).collect()
}

/// What a loop writes.
#[derive(Default)]
struct Written {
    variables: Vec<Value>,
    local: bool,
    global: bool,
    /// Memory that is reached by pointers.
    pointers: bool,
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
                Op::Intrinsic(Intrinsic::Barrier(_) | Intrinsic::Fence(_)) => {
                    written.local = true;
                    written.global = true;
                    written.pointers = true;
                }
                Op::Intrinsic(Intrinsic::Atomic(_))
                | Op::Store(_)
                | Op::MemCpy { .. }
                | Op::MemZero { .. }
                | Op::Call(_) => written.pointers = true,
                _ => {}
            }
        }
        written
    }
}

/// A loop that is being looked at.
struct Body<'a> {
    number: u32,
    /// Of each value the number of the last loop that it was found to be defined in.
    inside: &'a mut Vec<u32>,
    written: Written,
}

impl Body<'_> {
    /// What can move, in order.
    fn invariants(&mut self, func: &Function, leaving: &[bool], loop_: Inst) -> Vec<Inst> {
        let top = func.insts[loop_].regions[0];
        for &arg in &func.regions[top].args {
            self.inside[arg.index()] = self.number;
        }
        let mut moved = Vec::new();
        // Whether the first iteration comes here.
        let mut is_certain = true;
        let mut walk = Walk::region(top);
        while let Some((region, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            let at_top = region == top;
            let is_invariant = data.args.iter().all(|a| self.inside[a.index()] != self.number);
            if is_invariant && self.may_move(func, inst, at_top, at_top && is_certain) {
                moved.push(inst);
                continue;
            }
            for &r in &data.regions {
                for &arg in &func.regions[r].args {
                    self.inside[arg.index()] = self.number;
                }
            }
            for &r in &data.results {
                self.inside[r.index()] = self.number;
            }
            if at_top && leaving[inst.index()] {
                is_certain &= stays_at_first(func, leaving, loop_, inst);
            }
        }
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
            Op::Load(access) => is_certain && !access.volatile && !self.written.pointers,
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
