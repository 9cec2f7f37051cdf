//! Merges equal computations, and loads of memory that cannot have changed between them.
//!
//! In, out: any module. A computation is reused where it dominates: later in its region and in regions nested
//! there. The memory of each address space has a version number, which changes with every instruction that
//! may write there (stores, atomic operations, barriers, fences, calls; all writes of a loop count before its
//! first iteration). A load is reused only while the version is the same. A store counts as a load of the
//! value that it stores. Volatile accesses are left alone.

use super::{Changed, Pass, PassCx, PassError};
use crate::hash::Mix;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::analysis::is_pure;
use crate::ir::walk::Replacements;
use crate::ir::{
    Access, AddressSpace, EntityRef, FpFlags, Function, Inst, Module, Op, Region, Storage, Ty, Value,
};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;

pub const PASS: Pass = Pass {
    name: "cse",
    about: "Merges equal computations, and loads of memory that cannot have changed between them.",
    run,
    requires: inv![Ssa],
    establishes: inv![],
    destroys: inv![],
};

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (f, func) in module.funcs.iter_mut() {
        if !cx.settled.contains(f) {
            changed |= cx.settled.note(f, merge(func));
        }
    }
    Ok(changed.into())
}

/// The number of memories that are written independently.
const SPACES: usize = 3;

/// A set of these memories: private, local, global.
type Written = [bool; SPACES];

/// Returns the index of the memory of an address space; `None` if nothing writes it while kernels run.
fn memory_of(space: AddressSpace) -> Option<usize> {
    match space {
        AddressSpace::Private => Some(0),
        AddressSpace::Local => Some(1),
        AddressSpace::Global => Some(2),
        AddressSpace::Constant | AddressSpace::Push | AddressSpace::Args => None,
    }
}

/// Returns the index of the memory of a storage.
fn memory_of_storage(storage: Storage) -> Option<usize> {
    match storage {
        Storage::Variable => Some(0),
        Storage::Arena(_) | Storage::Shared(..) => Some(1),
        Storage::Physical | Storage::Buffer(..) => Some(2),
        Storage::PushWord | Storage::ArgsWord | Storage::ReadOnly(..) => None,
    }
}

/// Returns the memories that an instruction may write, without its regions.
fn written_by(func: &Function, inst: Inst) -> Written {
    let data = &func.insts[inst];
    let mut written = [false; SPACES];
    let memory = match &data.op {
        Op::Store(_) | Op::MemCpy { .. } | Op::MemZero { .. } | Op::Intrinsic(Intrinsic::Atomic(_)) => {
            func.ty(data.args[0]).space().and_then(memory_of)
        }
        Op::StoreTo(storage, _) | Op::AtomicOn(_, storage) => memory_of_storage(*storage),
        Op::Intrinsic(i) if i.orders_memory() => return [false, true, true],
        Op::Call(_) => return [true; SPACES],
        _ => None,
    };
    if let Some(memory) = memory {
        written[memory] = true;
    }
    written
}

/// The key of a computation: equal keys have equal results.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    op: Op,
    args: Operands,
    ty: Ty,
    fp: FpFlags,
    /// The version of the memory that is read; 0 if none is read.
    version: u32,
}

/// A list of operands, without an allocation if there are at most three.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Operands {
    count: u32,
    /// The first operands; unused entries are 0.
    first: [u32; 3],
    more: Vec<Value>,
}

impl Operands {
    fn new(list: &[Value]) -> Self {
        let mut first = [0; 3];
        for (slot, v) in first.iter_mut().zip(list) {
            *slot = v.0;
        }
        Operands {
            count: list.len() as u32,
            first,
            more: list.get(3..).unwrap_or_default().to_vec(),
        }
    }
}

/// A region that is being visited.
struct Frame {
    region: Region,
    next: usize,
    owner: Option<(Inst, usize)>,
    versions: [u32; SPACES],
}

/// A region that encloses the current place: its depth and its unique number.
#[derive(Copy, Clone)]
struct Scope {
    depth: usize,
    number: u32,
}

/// The state of the pass in one function.
#[derive(Default)]
struct Cse {
    /// The known values, each with the scope in which it was computed; a value can be used only inside of
    /// that scope.
    known: HashMap<Key, (Value, Scope), BuildHasherDefault<Mix>>,
    /// The numbers of the scopes around the current place, by depth.
    open: Vec<u32>,
    last_scope: u32,
    /// The current version of each memory.
    versions: [u32; SPACES],
    last_version: u32,
}

/// Merges equal computations in a function, and returns whether there were any.
pub(super) fn merge(func: &mut Function) -> bool {
    let written = written_inside(func);
    let mut cse = Cse {
        last_version: SPACES as u32,
        versions: [1, 2, 3],
        known: HashMap::with_capacity_and_hasher(func.insts.len() / 2, BuildHasherDefault::default()),
        ..Cse::default()
    };
    let mut replacements = Replacements::default();
    let mut dead = vec![false; func.insts.len()];
    let mut stack = vec![cse.frame(func.body, None)];
    while let Some(frame) = stack.last_mut() {
        if let Some(&inst) = func.regions[frame.region].insts.get(frame.next) {
            frame.next += 1;
            replacements.apply_to(func, inst);
            if let Some(&first) = func.insts[inst].regions.first() {
                if func.insts[inst].op == Op::Loop {
                    cse.write(written[inst.index()]);
                }
                stack.push(cse.frame(first, Some((inst, 0))));
            } else if let Some(value) = cse.visit(func, inst) {
                replacements.set(func.insts[inst].results[0], value);
                dead[inst.index()] = true;
            }
            continue;
        }
        let Some((inst, number)) = frame.owner else {
            break;
        };
        cse.open.pop();
        cse.versions = frame.versions;
        stack.pop();
        match func.insts[inst].regions.get(number + 1) {
            Some(&region) => stack.push(cse.frame(region, Some((inst, number + 1)))),
            None => cse.write(written[inst.index()]),
        }
    }
    if replacements.is_empty() {
        return false;
    }
    // A repeat may pass values that are defined and replaced after it in the text.
    replacements.apply(func);
    for region in func.regions_in_order() {
        func.regions[region].insts.retain(|i| !dead[i.index()]);
    }
    true
}

/// Returns the memories that each instruction may write, including its regions.
fn written_inside(func: &Function) -> Vec<Written> {
    let mut written = vec![[false; SPACES]; func.insts.len()];
    for inst in func.insts_in_order().into_iter().rev() {
        let mut all = written_by(func, inst);
        for &region in &func.insts[inst].regions {
            for inner in &func.regions[region].insts {
                for (a, b) in all.iter_mut().zip(written[inner.index()]) {
                    *a |= b;
                }
            }
        }
        written[inst.index()] = all;
    }
    written
}

impl Cse {
    /// Opens a scope for a region, and returns its frame.
    fn frame(&mut self, region: Region, owner: Option<(Inst, usize)>) -> Frame {
        self.last_scope += 1;
        self.open.push(self.last_scope);
        Frame {
            region,
            next: 0,
            owner,
            versions: self.versions,
        }
    }

    /// Returns the current scope.
    fn scope(&self) -> Scope {
        Scope {
            depth: self.open.len() - 1,
            number: self.open[self.open.len() - 1],
        }
    }

    /// Gives each written memory a new version.
    fn write(&mut self, written: Written) {
        for (version, written) in self.versions.iter_mut().zip(written) {
            if written {
                self.last_version += 1;
                *version = self.last_version;
            }
        }
    }

    /// Returns the value to which an instruction's result is equal, if one is known already.
    fn visit(&mut self, func: &Function, inst: Inst) -> Option<Value> {
        let data = &func.insts[inst];
        self.write(written_by(func, inst));
        if let Some(key) = self.stored(func, inst) {
            let value = data.args[data.args.len() - 1];
            let scope = self.scope();
            self.known.insert(key, (value, scope));
            return None;
        }
        let [result] = data.results[..] else {
            return None;
        };
        let key = self.key(func, inst, result)?;
        let scope = self.scope();
        match self.known.entry(key) {
            Entry::Occupied(mut known) => {
                let (value, at) = *known.get();
                if self.open.get(at.depth) == Some(&at.number) {
                    return Some(value);
                }
                known.insert((result, scope));
            }
            Entry::Vacant(place) => {
                place.insert((result, scope));
            }
        }
        None
    }

    /// Returns the key of an instruction, if its result can be reused.
    fn key(&self, func: &Function, inst: Inst, result: Value) -> Option<Key> {
        let data = &func.insts[inst];
        let ty = func.ty(result);
        match &data.op {
            Op::Load(access) if !access.volatile => {
                let space = func.ty(data.args[0]).space()?;
                Some(self.load_key(Op::Load(ANY), &data.args, ty, memory_of(space)))
            }
            Op::LoadFrom(storage, access) if !access.volatile => Some(self.load_key(
                Op::LoadFrom(*storage, ANY),
                &data.args,
                ty,
                memory_of_storage(*storage),
            )),
            op if is_pure(data) => {
                let mut args = Operands::new(&data.args);
                if matches!(op, Op::Binary(op) if op.is_commutative()) && args.first[0] > args.first[1] {
                    args.first.swap(0, 1);
                }
                Some(Key {
                    op: op.clone(),
                    args,
                    ty,
                    fp: data.fp,
                    version: 0,
                })
            }
            _ => None,
        }
    }

    /// Returns the key of the load that would read the value that a store writes.
    fn stored(&self, func: &Function, inst: Inst) -> Option<Key> {
        let data = &func.insts[inst];
        let (op, memory) = match &data.op {
            Op::Store(access) if !access.volatile => {
                (Op::Load(ANY), func.ty(data.args[0]).space().and_then(memory_of))
            }
            Op::StoreTo(storage, access) if !access.volatile => {
                (Op::LoadFrom(*storage, ANY), memory_of_storage(*storage))
            }
            _ => return None,
        };
        let (&value, place) = data.args.split_last()?;
        Some(self.load_key(op, place, func.ty(value), memory))
    }

    /// Returns the key of a load.
    fn load_key(&self, op: Op, args: &[Value], ty: Ty, memory: Option<usize>) -> Key {
        Key {
            op,
            args: Operands::new(args),
            ty,
            fp: FpFlags::default(),
            version: memory.map_or(0, |m| self.versions[m]),
        }
    }
}

/// The access in keys of loads: the alignment makes no difference to the value that is read.
const ANY: Access = Access {
    align: 1,
    volatile: false,
};
