//! Replaces branches that load from a buffer under a condition by loads from selected addresses.
//!
//! Why: `if (x <= y) v = a[y * n + x]; else v = 0;` is how programs read triangular and banded matrices, and pictures beyond
//! their edges. Several of them in a row wait for memory one after the other, since no load moves out of its branch.
//! In:  after `lower_memory`, best after loops have been unrolled.
//! Out: an `if` inside of a loop is gone if one of its arms consists of cheap arithmetic without effects and of one load from
//!      a device address, and the other of cheap arithmetic only. The address is selected between that of the load and one
//!      that is accessed in any case before, so the load can be executed without the condition; so are the results selected.
//!
//! This needs work where the condition is false, so the pass takes only regions with several such `if`s, and bodies of
//! loops that wait for another load anyway. Conditional copies to memory of the work-group load before their branches (`ahead`).

mod ahead;
mod together;

use super::sink_loads::cost;
use super::{Changed, Pass, PassCx, PassError};
use crate::inv;
use crate::ir::analysis::Jumps;
use crate::ir::walk::{Parents, Replacements};
use crate::ir::{Access, Builder, Function, Inst, Module, Op, Region, Scalar, Storage, Ty, UnOp, Value};
use together::Frequencies;

pub const PASS: Pass = Pass {
    name: "speculate_loads",
    about: "Replaces branches that load under a condition by loads from selected addresses.",
    run,
    requires: inv![ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

/// The most operations in both arms, by their costs.
const MAX_COST: usize = 16;

/// The number of branches in one region from which on it is worthwhile to replace them.
const SEVERAL: usize = 4;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    let slot = Refuge::slot(module).filter(|slot| slot + 8 <= cx.target.limits.push_constants);
    let mut used = false;
    for (f, func) in module.funcs.iter_mut() {
        changed |= speculate(func);
        if let Some(slot) = slot.filter(|_| module.kernels.iter().any(|k| k.func == f)) {
            let mut refuge = Refuge { slot, address: None };
            changed |= ahead::move_loads(func, &mut refuge);
            used |= refuge.address.is_some();
        }
    }
    if let Some(slot) = slot.filter(|_| used) {
        let data = &mut module.constant_data;
        if data.size != 0 {
            data.size = data.size.max(REFUGE);
        } else if data.bytes.len() < REFUGE as usize {
            data.bytes.resize(REFUGE as usize, 0);
        }
        module.system.constant_data = Some(slot);
        module.system.size = module.system.size.max(slot + 8);
    }
    Ok(changed.into())
}

/// The least size of constant data from which any load is possible, in bytes.
const REFUGE: u32 = 32;

/// An address that any load can be from: that of the module's constant data.
struct Refuge {
    /// The push constant with the address.
    slot: u32,
    /// The address, if a function has asked for it.
    address: Option<Value>,
}

impl Refuge {
    /// Returns the offset of the push constant, which need not have been used before.
    fn slot(module: &Module) -> Option<u32> {
        let end = || {
            let args = module.abi.iter().map(|a| a.push_end());
            args.max()
                .unwrap_or(0)
                .max(module.system.size)
                .checked_next_multiple_of(8)
        };
        module.system.constant_data.or_else(end)
    }

    /// Returns the address, which the function computes at its start.
    fn address(&mut self, func: &mut Function) -> Value {
        let slot = self.slot;
        *self
            .address
            .get_or_insert_with(|| Builder::before(func, func.body, 0).pushed_address(slot))
    }
}

/// Replaces the suitable branches of a function, and returns whether there were any.
fn speculate(func: &mut Function) -> bool {
    let jumps = Jumps::new(func);
    let parents = Parents::new(func);
    let mut replacements = Replacements::default();
    let mut changed = false;
    // Made when it is needed first, before anything has changed.
    let mut frequencies = None;
    for region in func.regions_in_order().into_iter().rev() {
        let mut found: Vec<Branch> = Vec::new();
        for &inst in &func.regions[region].insts {
            found.extend(Branch::new(func, &jumps, inst));
        }
        if found.is_empty() || !is_worthwhile(func, &parents, region, found.len()) {
            continue;
        }
        let outside = accesses_before(func, &parents, region);
        let frequencies = frequencies.get_or_insert_with(|| Frequencies::new(func, &parents));
        let is_rare = |b: &Branch| frequencies.is_rare(func, &parents, b.inst, b.if_true);
        let (rare, found): (Vec<_>, Vec<_>) = found.into_iter().partition(is_rare);
        if !rare.is_empty() {
            changed |= together::gather(func, region, rare, &outside, &mut replacements);
        }
        let mut inside: Vec<Safe> = Vec::new();
        let mut next = found.into_iter().peekable();
        for inst in std::mem::take(&mut func.regions[region].insts) {
            let branch = next.next_if(|b| b.inst == inst);
            inside.extend(Safe::of(func, inst));
            if let Some(branch) = branch
                && let Some(safe) = outside.iter().chain(&inside).find(|s| s.suits(func, &branch))
            {
                branch.replace(func, region, safe.address, &mut replacements);
                changed = true;
            } else {
                func.regions[region].insts.push(inst);
            }
        }
    }
    if changed {
        replacements.apply(func);
    }
    changed
}

/// Returns whether it is worthwhile to replace the branches of a region, of which there are `count`.
fn is_worthwhile(func: &Function, parents: &Parents, region: Region, count: usize) -> bool {
    let Some(owner) = parents.owner(region) else {
        return false;
    };
    let waits = |&i: &Inst| Safe::of(func, i).is_some_and(|_| matches!(func.insts[i].op, Op::LoadFrom(..)));
    let insts = &func.regions[region].insts;
    if func.insts[owner].op == Op::Loop && insts.iter().any(waits) {
        return true;
    }
    let mut around = std::iter::successors(Some(owner), |&i| parents.enclosing(i));
    count >= SEVERAL && around.any(|i| func.insts[i].op == Op::Loop)
}

/// An address that is accessed in any case.
struct Safe {
    address: Value,
    bytes: u32,
    align: u32,
}

impl Safe {
    /// Returns the address if an instruction accesses memory by it.
    fn of(func: &Function, inst: Inst) -> Option<Safe> {
        let data = &func.insts[inst];
        let (value, access) = match &data.op {
            Op::LoadFrom(Storage::Physical, access) => (data.results[0], *access),
            Op::StoreTo(Storage::Physical, access) => (data.args[1], *access),
            _ => return None,
        };
        Some(Safe {
            address: data.args[0],
            bytes: func.ty(value).bytes(),
            align: access.align,
        })
    }

    /// Returns whether the load of a branch can be executed at the address.
    fn suits(&self, func: &Function, branch: &Branch) -> bool {
        let value = func.insts[branch.load].results[0];
        self.bytes >= func.ty(value).bytes() && self.align >= branch.access.align
    }
}

/// Returns the addresses that are accessed before the instruction with a region begins, those of the outermost regions first.
fn accesses_before(func: &Function, parents: &Parents, region: Region) -> Vec<Safe> {
    let mut levels = Vec::new();
    let mut owner = parents.owner(region);
    while let Some(inst) = owner
        && let Some(around) = parents.region(inst)
    {
        let before = func.regions[around].insts.iter().take_while(|&&i| i != inst);
        levels.push(before.filter_map(|&i| Safe::of(func, i)).collect::<Vec<_>>());
        owner = parents.owner(around);
    }
    levels.into_iter().rev().flatten().collect()
}

/// An `if` of which one arm loads.
struct Branch {
    inst: Inst,
    load: Inst,
    access: Access,
    /// Whether the arm with the load is executed if the condition is true.
    if_true: bool,
}

impl Branch {
    /// Returns the branch if an instruction is one that can be replaced.
    fn new(func: &Function, jumps: &Jumps, inst: Inst) -> Option<Branch> {
        let data = &func.insts[inst];
        if data.op != Op::If || data.results.is_empty() || jumps.exits(inst).len() != 2 {
            return None;
        }
        let can_select = |&v: &Value| {
            let scalar = func.ty(v).scalar;
            scalar == Scalar::Bool || !matches!(scalar, Scalar::Matrix(_)) && scalar.bytes() != 0
        };
        if !data.results.iter().all(can_select) {
            return None;
        }
        let (mut found, mut total) = (None, 0);
        for (arm, &region) in data.regions.iter().enumerate() {
            let (&end, insts) = func.regions[region].insts.split_last()?;
            if func.insts[end].op != Op::Exit(inst) {
                return None;
            }
            for &i in insts {
                match func.insts[i].op {
                    Op::LoadFrom(Storage::Physical, access) if !access.volatile && found.is_none() => {
                        found = Some((i, access, arm == 0));
                    }
                    Op::LoadFrom(Storage::PushWord, _) => total += 1,
                    _ => total += cost(func, i)?,
                }
            }
        }
        let (load, access, if_true) = found?;
        (total <= MAX_COST).then_some(Branch {
            inst,
            load,
            access,
            if_true,
        })
    }

    /// Appends to a region the condition under which the branch loads, and returns it.
    fn condition(&self, func: &mut Function, region: Region) -> Value {
        let (cond, span) = (func.insts[self.inst].args[0], func.insts[self.inst].span);
        if self.if_true {
            return cond;
        }
        let not = func.new_inst(Op::Unary(UnOp::Not), [cond], &[Ty::BOOL], span);
        func.regions[region].insts.push(not);
        func.insts[not].results[0]
    }

    /// Moves to a region what the arm without the load computes, and returns the values that it passes on.
    fn without_load(&self, func: &mut Function, region: Region) -> Vec<Value> {
        let arm = func.insts[self.inst].regions[usize::from(self.if_true)];
        let Some(end) = func.regions[arm].insts.pop() else {
            return Vec::new();
        };
        for i in std::mem::replace(&mut func.regions[arm].insts, vec![end]) {
            func.insts[i].no_wrap = false;
            func.regions[region].insts.push(i);
        }
        func.insts[end].args.to_vec()
    }

    /// Appends to a region what the branch computes. The branch is not part of the region any more.
    fn replace(self, func: &mut Function, region: Region, safe: Value, replacements: &mut Replacements) {
        let inst = self.inst;
        for (n, value) in self.flatten(func, region, safe).into_iter().enumerate() {
            replacements.set(func.insts[inst].results[n], value);
        }
    }

    /// Appends to a region what the branch computes, and returns its results. The load is from the address `safe` where
    /// the branch does not load.
    fn flatten(self, func: &mut Function, region: Region, safe: Value) -> Vec<Value> {
        let (cond, span) = (func.insts[self.inst].args[0], func.insts[self.inst].span);
        let select = |func: &mut Function, a: Value, b: Value| {
            if a == b {
                return a;
            }
            let ty = func.ty(a);
            let inst = func.new_inst(Op::Select, [cond, a, b], &[ty], span);
            func.regions[region].insts.push(inst);
            func.insts[inst].results[0]
        };
        let mut ends = Vec::new();
        for arm in func.insts[self.inst].regions.clone() {
            let mut insts = std::mem::take(&mut func.regions[arm].insts);
            ends.extend(insts.pop());
            for i in insts {
                if i == self.load {
                    let address = func.insts[i].args[0];
                    let [a, b] = if self.if_true {
                        [address, safe]
                    } else {
                        [safe, address]
                    };
                    func.insts[i].args[0] = select(func, a, b);
                }
                // What the source promises holds only where the arm is taken.
                func.insts[i].no_wrap = false;
                func.regions[region].insts.push(i);
            }
        }
        let results = 0..func.insts[self.inst].results.len();
        let values = results.map(|n| {
            let [a, b] = [0, 1].map(|arm: usize| func.insts[ends[arm]].args[n]);
            select(func, a, b)
        });
        values.collect()
    }
}
