//! Merges equal computations, and loads of memory that cannot have changed between them.
//!
//! In, out: any module. A computation is reused where it dominates: later in its region and in regions nested
//! there. The memory of each address space has a version number, which changes with every instruction that
//! may write there (stores, atomic operations, barriers, fences, calls; all writes of a loop count before its
//! first iteration). A load is reused only while the version is the same. A store counts as a load of the
//! value that it stores. Volatile accesses are left alone.

use super::{Changed, Pass, PassCx, PassError};
use crate::hash::Mix;
use crate::intrinsic::{Intrinsic, MatrixOp};
use crate::inv;
use crate::ir::analysis::is_pure;
use crate::ir::walk::Replacements;
use crate::ir::{
    Access, AddressSpace, EntityRef, FpFlags, Function, Inst, Module, Op, Region, Storage, Ty, Value,
};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};

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
        // A generic pointer may lead to any of the three, so callers look at it first.
        AddressSpace::Constant | AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => None,
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
        Op::Store(_)
        | Op::MemCpy { .. }
        | Op::MemZero { .. }
        | Op::Intrinsic(Intrinsic::Atomic(_) | Intrinsic::Matrix(MatrixOp::Store(_))) => {
            match func.ty(data.args[0]).space() {
                Some(AddressSpace::Generic) => return [true; SPACES],
                space => space.and_then(memory_of),
            }
        }
        Op::StoreTo(storage, _) | Op::AtomicOn(_, storage) | Op::MatrixOn(_, storage) => {
            memory_of_storage(*storage)
        }
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
#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    /// The operation; the access of a load is [`ANY`].
    op: Cow<'a, Op>,
    /// The first two operands, those of a commutative operation in ascending order, and the others.
    first: [u32; 2],
    more: &'a [Value],
    ty: Ty,
    fp: FpFlags,
    /// The version of the memory that is read; 0 if none is read.
    version: u32,
}

impl<'a> Key<'a> {
    fn new(op: Cow<'a, Op>, args: &'a [Value], ty: Ty, fp: FpFlags, version: u32) -> Self {
        let number = |n: usize| args.get(n).map_or(u32::MAX, |v: &Value| v.0);
        let mut first = [number(0), number(1)];
        if matches!(&*op, Op::Binary(op) if op.is_commutative()) {
            first.sort_unstable();
        }
        Key {
            op,
            first,
            more: args.get(2..).unwrap_or_default(),
            ty,
            fp,
            version,
        }
    }
}

/// A computation whose result is known. A large function has one for most of its instructions, so the key is not
/// stored, but made again from the instruction where it is needed.
struct Entry {
    /// The hash of the key.
    hash: u64,
    /// The computation, or the store of the value that a load would read.
    inst: Inst,
    version: u32,
    value: Value,
    /// The scope in which the value was computed; it can be used only inside of that scope.
    scope: Scope,
}

/// The known computations: a hash table with open addressing.
#[derive(Default)]
struct Known {
    entries: Vec<Entry>,
    /// The index of an entry plus one, or 0. The number of slots is 0 or a power of two.
    slots: Vec<u32>,
}

impl Known {
    /// Returns the entry with this key, or the slot for a new one.
    fn find(&mut self, func: &Function, key: &Key<'_>) -> Result<&mut Entry, (usize, u64)> {
        if self.slots.len() <= 2 * self.entries.len() {
            self.grow();
        }
        let mut hasher = Mix::default();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let Some(n) = (self.slots[slot] as usize).checked_sub(1) else {
                return Err((slot, hash));
            };
            let entry = &self.entries[n];
            if entry.hash == hash && key_of(func, entry.inst, |_| entry.version).as_ref() == Some(key) {
                return Ok(&mut self.entries[n]);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Adds an entry at the slot that [`Known::find`] returned.
    fn add(&mut self, slot: usize, entry: Entry) {
        self.entries.push(entry);
        self.slots[slot] = self.entries.len() as u32;
    }

    fn grow(&mut self) {
        let size = (4 * self.slots.len()).max(64);
        self.slots = vec![0; size];
        for (n, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = n as u32 + 1;
        }
    }
}

/// Returns the key of an instruction, if its result can be reused; the key of a store is that of the load that
/// would read the stored value. `version` returns the version of a memory.
fn key_of(func: &Function, inst: Inst, version: impl Fn(usize) -> u32) -> Option<Key<'_>> {
    let data = &func.insts[inst];
    let load = |op, args, value, memory: Option<usize>| {
        let version = memory.map_or(0, &version);
        Key::new(Cow::Owned(op), args, func.ty(value), FpFlags::default(), version)
    };
    let is_plain = |access: &Access| !access.volatile;
    match &data.op {
        Op::Load(_) | Op::Store(_) if func.ty(data.args[0]).space() == Some(AddressSpace::Generic) => None,
        Op::Load(access) if is_plain(access) => {
            let space = func.ty(data.args[0]).space()?;
            Some(load(Op::Load(ANY), &data.args, data.results[0], memory_of(space)))
        }
        Op::LoadFrom(storage, access) if is_plain(access) => {
            let op = Op::LoadFrom(*storage, ANY);
            Some(load(op, &data.args, data.results[0], memory_of_storage(*storage)))
        }
        Op::Store(access) if is_plain(access) => {
            let (&value, place) = data.args.split_last()?;
            let memory = func.ty(data.args[0]).space().and_then(memory_of);
            Some(load(Op::Load(ANY), place, value, memory))
        }
        Op::StoreTo(storage, access) if is_plain(access) => {
            let (&value, place) = data.args.split_last()?;
            let op = Op::LoadFrom(*storage, ANY);
            Some(load(op, place, value, memory_of_storage(*storage)))
        }
        op if is_pure(data) => {
            let ty = func.ty(*data.results.first()?);
            Some(Key::new(Cow::Borrowed(op), &data.args, ty, data.fp, 0))
        }
        _ => None,
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
    depth: u32,
    number: u32,
}

/// The state of the pass in one function.
#[derive(Default)]
struct Cse {
    known: Known,
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
                // The result may be used where only the other computation's result was, which may have overflowed.
                if let Some(kept) = func.def_inst(value) {
                    func.insts[kept].no_wrap &= func.insts[inst].no_wrap;
                }
                replacements.set(func.insts[inst].results[0], value);
                if let Some(kept) = func
                    .def_inst(value)
                    .filter(|_| func.insts[inst].results.len() > 1)
                {
                    // Two calls of one function with the same arguments.
                    let (old, new) = (&func.insts[inst].results, &func.insts[kept].results);
                    let others = old.iter().zip(new).skip(1);
                    others.for_each(|(&old, &new)| replacements.set(old, new));
                }
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

/// Returns the memories that each structured instruction may write in its regions.
fn written_inside(func: &Function) -> Vec<Written> {
    fn add(all: &mut [Written], to: Option<Inst>, written: Written) {
        if let Some(to) = to {
            let sum = all[to.index()].iter_mut().zip(written);
            sum.for_each(|(a, b)| *a |= b);
        }
    }
    /// A region with its owner, and the owner of the region around that.
    struct Open {
        region: Region,
        next: usize,
        owner: Option<Inst>,
        outer: Option<Inst>,
    }
    let mut written = vec![[false; SPACES]; func.insts.len()];
    let mut stack = vec![Open {
        region: func.body,
        next: 0,
        owner: None,
        outer: None,
    }];
    while let Some(open) = stack.last_mut() {
        let owner = open.owner;
        if let Some(&inst) = func.regions[open.region].insts.get(open.next) {
            open.next += 1;
            for &region in &func.insts[inst].regions {
                stack.push(Open {
                    region,
                    next: 0,
                    owner: Some(inst),
                    outer: owner,
                });
            }
            add(&mut written, owner, written_by(func, inst));
        } else {
            if let Some(inst) = owner {
                let own = written[inst.index()];
                add(&mut written, open.outer, own);
            }
            stack.pop();
        }
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
            depth: self.open.len() as u32 - 1,
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
        let is_store = matches!(data.op, Op::Store(_) | Op::StoreTo(..));
        let value = match data.results[..] {
            [first, ..] => first,
            _ if is_store => *data.args.last()?,
            _ => return None,
        };
        let versions = self.versions;
        let key = key_of(func, inst, |memory| versions[memory])?;
        let (version, scope) = (key.version, self.scope());
        match self.known.find(func, &key) {
            Ok(known) => {
                let at = known.scope;
                if !is_store && self.open.get(at.depth as usize) == Some(&at.number) {
                    return Some(known.value);
                }
                (known.inst, known.value, known.scope) = (inst, value, scope);
            }
            Err((slot, hash)) => {
                let entry = Entry {
                    hash,
                    inst,
                    version,
                    value,
                    scope,
                };
                self.known.add(slot, entry);
            }
        }
        None
    }
}

/// The access in keys of loads: the alignment makes no difference to the value that is read.
const ANY: Access = Access {
    align: 1,
    volatile: false,
};
