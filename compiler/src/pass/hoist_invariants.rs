//! Moves loop-invariant computations out of loops.
//!
//! Why: few Vulkan drivers do that, and none can hoist loads, because drivers do not know which memory may be
//! written.
//! In:  any module. The pass runs twice: while pointers can be followed to kernel arguments, and after
//!      `lower_memory`, when addresses are integers.
//! Out: a pure operation whose operands are defined outside of a loop is before the outermost such loop.
//!      Loads are hoisted if nothing in the loop writes to their memory and if they are safe: the memory
//!      exists in any case, or the first iteration certainly executes the load. If the first iteration
//!      executes the load once the loop's test has passed, load and loop are placed inside another such test
//!      (`guard`).
//!
//! The pass moves no operations that are undefined for their operands, such as divisions by numbers that may be 0, and no expensive
//! operations that are executed under a condition. On GPUs, cheap operations stay in loops that carry many values from
//! one iteration to the next, because each result that moves takes a register from the whole loop.

use super::analysis::effects::{Effects, Inside};
use super::analysis::pointers::Pointers;
use super::analysis::trip_count::first_value;
use super::guard::{self, Header};
use super::simplify_regions::is_cheap;
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::HashSet;
use crate::inv;
use crate::ir::analysis::{is_pure, leaving};
use crate::ir::eval::truncate;
use crate::ir::walk::{Parents, Replacements, Walk};
use crate::ir::{BinOp, EntityRef, Function, Inst, KernelInfo, Module, Op, Storage, Value};

/// The number of 32-bit words that a loop carries from one iteration to the next, from which on it keeps its cheap operations
/// on GPUs: a value that is computed outside of the loop occupies a register in it, and one register more can mean one active
/// work-group less. `PERFORMANCE.md` (blocked SGEMM) has figures.
const MANY_CARRIED: u32 = 48;

pub const PASS: Pass = Pass {
    name: "hoist_invariants",
    about: "Moves loop-invariant computations out of loops.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    // If a kernel may be called, its parameters need not be kernel arguments.
    let by_pointers = module.abi.is_empty() && !module.kernels.is_empty();
    let kernels = by_pointers && !has_calls(module);
    for (f, func) in module.funcs.iter_mut() {
        let kernel = module.kernels.iter().find(|k| k.func == f && kernels);
        changed |= hoist(func, kernel, by_pointers, cx.target.is_gpu());
    }
    Ok(changed.into())
}

/// Returns whether the module has calls.
fn has_calls(module: &Module) -> bool {
    module.funcs.iter().any(|(_, func)| {
        let mut walk = Walk::new(func);
        std::iter::from_fn(|| walk.next(func)).any(|(_, i)| matches!(func.insts[i].op, Op::Call(_)))
    })
}

/// Returns whether a loop loads from memory in each iteration.
fn has_loads(func: &Function, loop_: Inst) -> bool {
    let body = func.insts[loop_].regions[0];
    let mut insts = func.regions[body].insts.iter().map(|&i| &func.insts[i]);
    insts.any(|data| matches!(data.op, Op::Load(a) if !a.volatile))
}

/// Hoists computations in a function, and returns whether there were any. `by_pointers`: `lower_memory` has
/// not run. `is_gpu`: registers are scarce.
fn hoist(func: &mut Function, kernel: Option<&KernelInfo>, by_pointers: bool, is_gpu: bool) -> bool {
    let order = func.insts_in_order();
    let loads = order.iter().any(|&i| matches!(func.insts[i].op, Op::Load(_)));
    // Before `lower_memory` the pass only concerns itself with loops that load.
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
    // Outer loops come first, so that an instruction moves as far as it can at once.
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
        let mut moved = body.invariants(func, &leaving, loop_);
        if is_gpu && carried(func, loop_) >= MANY_CARRIED {
            moved.leave_cheap(func);
        }
        let header = body.header.take();
        if moved.always.is_empty() && moved.guarded.is_empty() {
            continue;
        }
        changed = true;
        for &inst in &moved.speculative {
            func.insts[inst].no_wrap = false;
        }
        remove(func, loop_, &moved, &mut gone);
        func.insert_before(place, loop_, moved.always);
        let Some(header) = header.filter(|_| !moved.guarded.is_empty()) else {
            continue;
        };
        if let Some(guarded) = guard::build(func, place, loop_, &header) {
            let results = func.insts[loop_].results.clone();
            for (&old, &new) in results.iter().zip(&func.insts[guarded.inst].results.clone()) {
                replacements.set(old, new);
            }
            exits.push((guarded.exit, results));
            func.insert_before(guarded.region, loop_, moved.guarded);
        } else {
            // Without a guard these instructions stay in the loop, after the test.
            let body = func.insts[loop_].regions[0];
            let at = func.index_in(body, header.test) + 1;
            func.regions[body].insts.splice(at..at, moved.guarded);
        }
    }
    replacements.apply(func);
    for (exit, results) in exits {
        func.insts[exit].args = results;
    }
    changed
}

/// Removes the instructions that move from a loop.
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

/// The memory that a loop writes.
#[derive(Default)]
struct Written {
    variables: Vec<Value>,
    local: bool,
    global: bool,
    /// Whether there are barriers or fences.
    by_others: bool,
}

impl Written {
    /// Finds the memory that a loop writes.
    fn by(func: &Function, loop_: Inst) -> Written {
        let mut written = Written::default();
        let mut walk = Walk::region(func.insts[loop_].regions[0]);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            match &data.op {
                Op::StoreTo(storage, _) | Op::AtomicOn(_, storage) | Op::MatrixOn(_, storage) => {
                    match storage {
                        Storage::Variable => written.variables.push(data.args[0]),
                        Storage::Arena(_) | Storage::Shared(..) => written.local = true,
                        Storage::Physical | Storage::Buffer(..) => written.global = true,
                        Storage::PushWord | Storage::ArgsWord | Storage::ReadOnly(..) => {}
                    }
                }
                // After a barrier or fence, writes of other work-items are visible.
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

/// For each value, the number of the last loop that was found to contain its definition.
struct Stamps {
    /// The definition stays in the loop.
    inside: Vec<u32>,
    /// The definition moves into the loop's guard.
    guarded: Vec<u32>,
}

/// The instructions that move out of a loop, in order.
#[derive(Default)]
struct Moved {
    always: Vec<Inst>,
    /// The instructions of `always` that the loop does not always execute.
    speculative: Vec<Inst>,
    /// The instructions that move only into a guard of the loop.
    guarded: Vec<Inst>,
}

impl Moved {
    /// Leaves cheap operations in the loop, unless something else that moves needs their results.
    fn leave_cheap(&mut self, func: &Function) {
        let mut needed: HashSet<Value> = HashSet::default();
        for &inst in &self.guarded {
            needed.extend(&func.insts[inst].args);
        }
        let mut kept: HashSet<Inst> = HashSet::default();
        for &inst in self.always.iter().rev() {
            let data = &func.insts[inst];
            if !costs_little(func, inst) || data.results.iter().any(|r| needed.contains(r)) {
                needed.extend(&data.args);
                kept.insert(inst);
            }
        }
        self.always.retain(|i| kept.contains(i));
        self.speculative.retain(|i| kept.contains(i));
    }
}

/// Returns the number of 32-bit words that a loop carries from one iteration to the next.
fn carried(func: &Function, loop_: Inst) -> u32 {
    let args = &func.regions[func.insts[loop_].regions[0]].args;
    args.iter().map(|&a| func.ty(a).bytes().div_ceil(4)).sum()
}

/// Returns whether an operation takes a GPU little more than a read of a register.
fn costs_little(func: &Function, inst: Inst) -> bool {
    match &func.insts[inst].op {
        Op::Intrinsic(i) => i.is_work_item(),
        Op::Binary(BinOp::FDiv | BinOp::FRem) => false,
        _ => is_cheap(func, inst),
    }
}

/// A loop that is being examined.
struct Body<'a> {
    number: u32,
    stamps: &'a mut Stamps,
    written: Written,
    /// The loop's accesses by pointers.
    pointers: Option<(&'a Pointers, &'a Effects)>,
    /// The test at the start of the loop, if it can be copied.
    header: Option<Header>,
}

impl Body<'_> {
    /// Returns the instructions that can move.
    fn invariants(&mut self, func: &Function, leaving: &[bool], loop_: Inst) -> Moved {
        let top = func.insts[loop_].regions[0];
        for &arg in &func.regions[top].args {
            self.stamps.inside[arg.index()] = self.number;
        }
        let mut moved = Moved::default();
        // Whether the first iteration gets to this point: certainly, or once the test has passed.
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
                    if !at_top || !is_certain {
                        moved.speculative.push(inst);
                    }
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

    /// Returns whether an instruction with loop-invariant operands may move. `at_top`: it is in no inner
    /// region. `is_certain`: the first iteration executes it.
    fn may_move(&self, func: &Function, inst: Inst, at_top: bool, is_certain: bool) -> bool {
        let data = &func.insts[inst];
        match &data.op {
            Op::Binary(BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem) => {
                // Division by 0, and by −1 for the most negative dividend, are undefined.
                let minus_one = truncate(func.ty(data.args[1]).scalar, u64::MAX);
                func.as_bits(data.args[1])
                    .is_some_and(|n| n != 0 && n != minus_one)
            }
            Op::ExtractDynamic | Op::InsertDynamic => false,
            Op::Intrinsic(i) if is_pure(data) => at_top || i.is_work_item(),
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

/// Returns whether an `if` that can leave the loop does not leave it in the first iteration, because
/// constants determine the arm.
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
