//! Merges neighbouring accesses of global and local memory into vector accesses, and determines alignments.
//!
//! Why: the hardware can do `p[4 * i]`, `p[4 * i + 1]` … in one access, but a driver sees only that `p` is a
//! number. It does not know that buffers begin at multiples of 16 bytes, nor that the 4 lanes of a `vload4`
//! are aligned as one. An element of an array in local memory has one type, so a driver would have to find out that its
//! neighbours are aligned.
//! In:  `Inlined`, while kernels have parameters; best after `cse`, when neighbouring addresses have one
//!      base.
//! Out: each access of global and constant memory states the alignment that follows from kernel arguments and
//!      multiplications. Scalar loads of all lanes of an aligned vector become one load, at the first of
//!      them; scalar stores become one store, at the last of them. The vector has 4, 8 or 16 bytes.
//!
//! Accesses are merged if they are executed together and no access between them may touch the same bytes. The
//! pass adds no access to other bytes, so no access leaves a buffer that did not before. It leaves volatile
//! accesses alone. Accesses of local memory are merged if the device can declare arrays of vectors and of scalars at the same
//! memory; its variables then begin at multiples of 16 bytes, if there is room for that.

use super::analysis::effects::{Effects, Inside, has_effects};
use super::analysis::pointers::{Place, Pointers};
use super::{Changed, Pass, PassCx, PassError};
use crate::hash::ordered;
use crate::inv;
use crate::ir::analysis::leaving;
use crate::ir::build::Builder;
use crate::ir::{
    Access, AddressSpace, CastOp, EntityRef, Function, Global, GlobalData, Inst, KernelInfo, Map, Module, Op,
    Region, Ty, Value,
};
use crate::target::Target;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

pub const PASS: Pass = Pass {
    name: "merge_accesses",
    about: "Merges neighbouring accesses of global and local memory into vectors, and determines alignments.",
    run,
    requires: inv![Inlined],
    establishes: inv![],
    destroys: inv![],
};

/// The size in bytes of the widest access, a power of two.
const WIDEST: u32 = 16;

/// The most groups that are open at a time.
const MAX_OPEN: usize = 32;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut merged = Merged::default();
    for kernel in &module.kernels {
        let func = &mut module.funcs[kernel.func];
        let variables = local_variables(func);
        let local = can_merge_local(&module.globals, &variables, cx.target);
        merged.local = false;
        merge(func, kernel, local, &mut merged);
        for variable in variables.into_iter().filter(|_| merged.local) {
            let align = &mut module.globals[variable].align;
            *align = (*align).max(WIDEST);
        }
    }
    Ok(merged.any.into())
}

/// What the pass has changed.
#[derive(Default)]
struct Merged {
    /// Whether it has changed anything.
    any: bool,
    /// Whether it has merged accesses of local memory in the kernel.
    local: bool,
}

/// Returns the variables in local memory that a kernel uses.
fn local_variables(func: &Function) -> BTreeSet<Global> {
    let address = |inst: Inst| match func.insts[inst].op {
        Op::GlobalAddr(g) if func.ty(func.insts[inst].results[0]).space() == Some(AddressSpace::Local) => {
            Some(g)
        }
        _ => None,
    };
    ordered(func.insts_in_order().into_iter().filter_map(address))
}

/// Returns whether a kernel's accesses of local memory can be merged: all of its variables there can begin at multiples of the
/// widest access.
fn can_merge_local(globals: &Map<Global, GlobalData>, variables: &BTreeSet<Global>, target: &Target) -> bool {
    if !target.is_gpu() || !target.workgroup_layout() || target.lacks_narrow_integers() {
        return false;
    }
    let place = |end: u32, &g: &Global| end.next_multiple_of(WIDEST).saturating_add(globals[g].size);
    variables.iter().fold(0, place) <= target.limits.local_memory
}

/// Returns whether an address space is one for whose pointers the driver does not know the alignments.
fn is_shared(space: Option<AddressSpace>) -> bool {
    matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
}

/// Returns whether accesses of an address space are merged. `local` says whether those of local memory are.
fn is_merged(space: Option<AddressSpace>, local: bool) -> bool {
    is_shared(space) || local && space == Some(AddressSpace::Local)
}

/// Merges the accesses of a kernel, with `local` also those of local memory.
fn merge(func: &mut Function, kernel: &KernelInfo, local: bool, merged: &mut Merged) {
    let order = func.insts_in_order();
    let is_access = |&&i: &&Inst| {
        let data = &func.insts[i];
        matches!(data.op, Op::Load(_) | Op::Store(_)) && is_merged(func.ty(data.args[0]).space(), local)
    };
    if order.iter().filter(is_access).count() == 0 {
        return;
    }
    let pointers = Pointers::with_aligned_variables(func, kernel, local);
    merged.any |= align(func, &pointers, &order);
    let mut found = Vec::new();
    let facts = OnceCell::new();
    for region in func.regions_in_order() {
        let mut scan = Scan {
            pointers: &pointers,
            order: &order,
            local,
            facts: &facts,
            open: Vec::new(),
            found: Vec::new(),
        };
        for &inst in &func.regions[region].insts {
            scan.visit(func, inst);
        }
        scan.close(|_| true);
        if !scan.found.is_empty() {
            found.push((region, scan.found));
        }
    }
    for (region, found) in &found {
        rewrite(func, *region, found);
        merged.any = true;
        let in_local = |f: &Found| func.ty(f.base).space() == Some(AddressSpace::Local);
        merged.local |= found.iter().any(in_local);
    }
}

/// Raises the alignment of accesses to what is known of their pointers.
fn align(func: &mut Function, pointers: &Pointers, order: &[Inst]) -> bool {
    let mut changed = false;
    for &inst in order {
        let args = &func.insts[inst].args;
        let known = |n: usize| {
            let pointer = args[n];
            let power = pointers.power(pointer).min(WIDEST.trailing_zeros() as u8);
            if is_shared(func.ty(pointer).space()) {
                1u32 << power
            } else {
                1
            }
        };
        let mut raise = |access: &mut Access, align: u32| {
            if access.align < align {
                access.align = align;
                changed = true;
            }
        };
        match func.insts[inst].op.clone() {
            Op::Load(mut access) => {
                raise(&mut access, known(0));
                func.insts[inst].op = Op::Load(access);
            }
            Op::Store(mut access) => {
                raise(&mut access, known(0));
                func.insts[inst].op = Op::Store(access);
            }
            Op::MemZero { size, mut dst } => {
                raise(&mut dst, known(0));
                func.insts[inst].op = Op::MemZero { size, dst };
            }
            Op::MemCpy {
                size,
                mut dst,
                mut src,
            } => {
                raise(&mut dst, known(0));
                raise(&mut src, known(1));
                func.insts[inst].op = Op::MemCpy { size, dst, src };
            }
            _ => {}
        }
    }
    changed
}

/// Scalar loads or stores in the same 16 bytes that may become vectors.
struct Group {
    is_store: bool,
    /// All 16 bytes.
    place: Place,
    /// The size of a lane in bytes.
    lane: u32,
    /// The access to each lane.
    accesses: Vec<Option<Inst>>,
    /// Whether each lane is written after the first load.
    written: Vec<bool>,
    /// The accesses in the order of the text.
    sequence: Vec<Inst>,
}

/// Accesses that become one vector access.
struct Found {
    is_store: bool,
    /// The access to each lane.
    accesses: Vec<Inst>,
    /// The position of the vector access: the first load or the last store.
    at: Inst,
    base: Value,
    offset: i64,
}

impl Group {
    /// Returns the bytes of a lane.
    fn lane_place(&self, number: usize) -> Place {
        self.place.moved(number as i64 * i64::from(self.lane), self.lane)
    }

    /// Returns whether an access may touch lanes that are in the group.
    fn touches(&self, pointers: &Pointers, place: &Place) -> bool {
        (0..self.accesses.len())
            .any(|n| self.accesses[n].is_some() && pointers.may_meet(&self.lane_place(n), place))
    }

    /// Ends the group and adds the complete vectors in it to `found`, the widest first.
    fn finish(mut self, pointers: &Pointers, found: &mut Vec<Found>) {
        let aligned = 1u32 << pointers.power(self.place.base).min(5);
        for bytes in [16u32, 8, 4] {
            let lanes = (bytes / self.lane) as usize;
            if bytes > aligned || lanes < 2 {
                continue;
            }
            for first in (0..self.accesses.len()).step_by(lanes) {
                let all: Option<Vec<Inst>> = self.accesses[first..first + lanes].iter().copied().collect();
                let Some(accesses) = all else {
                    continue;
                };
                self.accesses[first..first + lanes].fill(None);
                let is_member = |i: &&Inst| accesses.contains(i);
                let at = if self.is_store {
                    self.sequence.iter().rfind(is_member)
                } else {
                    self.sequence.iter().find(is_member)
                };
                let Some(&at) = at else {
                    continue;
                };
                let place = self.lane_place(first);
                found.push(Found {
                    is_store: self.is_store,
                    accesses,
                    at,
                    base: place.base,
                    offset: place.offset,
                });
            }
        }
    }
}

/// A walk through the instructions of one region.
struct Scan<'a> {
    pointers: &'a Pointers,
    order: &'a [Inst],
    /// Whether accesses of local memory are merged.
    local: bool,
    /// The effects of structured instructions, and which of them a jump leaves; computed at the first use,
    /// since most functions do not need them.
    facts: &'a OnceCell<(Inside, Vec<bool>)>,
    open: Vec<Group>,
    found: Vec<Found>,
}

impl Scan<'_> {
    /// Adds an instruction to a group, or closes the groups over which it cannot be moved.
    fn visit(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        if !data.regions.is_empty() {
            if self.open.is_empty() {
                return;
            }
            let facts = || {
                (
                    Inside::new(func, self.pointers, self.order),
                    leaving(func, self.order),
                )
            };
            let (inside, leaving) = self.facts.get_or_init(facts);
            // No access is moved over a loop, in which registers are scarcer.
            if leaving[inst.index()] || data.op == Op::Loop {
                self.close(|_| true);
            } else if let Some(effects) = inside.get(inst) {
                self.close_touched(effects);
            }
            return;
        }
        if !has_effects(&data.op) {
            return;
        }
        let Some((is_store, place)) = self.candidate(func, inst) else {
            self.close_touched(&Effects::of(func, self.pointers, inst));
            return;
        };
        let lane = place.bytes;
        let start = place.offset.div_euclid(WIDEST.into()) * i64::from(WIDEST);
        let number = ((place.offset - start) as u32 / lane) as usize;
        let belongs = |g: &Group| {
            g.is_store == is_store
                && g.lane == lane
                && g.place.base == place.base
                && g.place.offset == start
                && g.accesses[number].is_none()
                && !g.written[number]
        };
        // Merging moves loads up and stores down across this store.
        let pointers = self.pointers;
        for group in self.open.iter_mut().filter(|g| is_store && !g.is_store) {
            if group.place.base == place.base {
                for n in 0..group.accesses.len() {
                    group.written[n] |= pointers.may_meet(&group.lane_place(n), &place);
                }
            }
        }
        self.close(|g| match (is_store, g.is_store) {
            (false, false) => false,
            (false, true) => g.touches(pointers, &place),
            (true, false) => g.place.base != place.base && pointers.may_meet(&g.place, &place),
            (true, true) => !belongs(g) && pointers.may_meet(&g.place, &place),
        });
        if let Some(group) = self.open.iter_mut().find(|g| belongs(g)) {
            group.accesses[number] = Some(inst);
            group.sequence.push(inst);
            return;
        }
        if self.open.len() == MAX_OPEN {
            let group = self.open.remove(0);
            group.finish(pointers, &mut self.found);
        }
        let lanes = (WIDEST / lane) as usize;
        let mut group = Group {
            is_store,
            place: place.moved(start - place.offset, WIDEST),
            lane,
            accesses: vec![None; lanes],
            written: vec![false; lanes],
            sequence: vec![inst],
        };
        group.accesses[number] = Some(inst);
        self.open.push(group);
    }

    /// Returns whether an instruction is a store, and its place, if it accesses a scalar that may become a
    /// lane.
    fn candidate(&self, func: &Function, inst: Inst) -> Option<(bool, Place)> {
        let data = &func.insts[inst];
        let (access, is_store, value) = match data.op {
            Op::Load(access) => (access, false, data.results[0]),
            Op::Store(access) => (access, true, data.args[1]),
            _ => return None,
        };
        let ty = func.ty(value);
        let plain = (ty.scalar.is_int() || ty.scalar.is_float()) && !ty.is_vector();
        if access.volatile || !plain || !is_merged(func.ty(data.args[0]).space(), self.local) {
            return None;
        }
        let place = self.pointers.place(func, data.args[0], ty.bytes())?;
        let aligned = place.offset.rem_euclid(ty.bytes().into()) == 0;
        // Fewer than two lanes of alignment make no vector.
        let power = self.pointers.power(place.base);
        (aligned && 1u32 << power.min(5) >= 2 * ty.bytes()).then_some((is_store, place))
    }

    /// Closes the groups whose bytes some effects may touch.
    fn close_touched(&mut self, effects: &Effects) {
        let pointers = self.pointers;
        self.close(|g| {
            effects.writes.may_meet(pointers, &g.place)
                || g.is_store && effects.reads.may_meet(pointers, &g.place)
        });
    }

    /// Closes the groups for which `ends` returns true.
    fn close(&mut self, mut ends: impl FnMut(&Group) -> bool) {
        let mut n = 0;
        while let Some(group) = self.open.get(n) {
            if ends(group) {
                let group = self.open.remove(n);
                group.finish(self.pointers, &mut self.found);
            } else {
                n += 1;
            }
        }
    }
}

/// Rewrites the accesses of a region that were found.
fn rewrite(func: &mut Function, region: Region, found: &[Found]) {
    // For each access, its vector and its lane.
    let members: BTreeMap<Inst, (&Found, u8)> = ordered(found.iter().flat_map(|f| {
        f.accesses
            .iter()
            .enumerate()
            .map(move |(lane, &i)| (i, (f, lane as u8)))
    }));
    // For each first load, the loaded vector.
    let mut vectors: BTreeMap<Inst, Value> = BTreeMap::new();
    let old = std::mem::take(&mut func.regions[region].insts);
    let mut b = Builder::at_end(func, region);
    for inst in old {
        let Some(&(found, lane)) = members.get(&inst) else {
            b.push(inst);
            continue;
        };
        let is_anchor = found.at == inst;
        b.span = b.func.insts[inst].span;
        let value = match found.is_store {
            true => b.func.insts[inst].args[1],
            false => b.func.insts[inst].results[0],
        };
        let scalar = b.func.ty(value);
        let lanes = found.accesses.len() as u8;
        let access = Access {
            align: scalar.bytes() * u32::from(lanes),
            volatile: false,
        };
        if found.is_store {
            if !is_anchor {
                continue;
            }
            let parts: Vec<Value> = found.accesses.iter().map(|&i| b.func.insts[i].args[1]).collect();
            let parts = parts
                .into_iter()
                .map(|v| b.cast(CastOp::Bitcast, v, scalar))
                .collect();
            let vector = b.construct(Ty::vector(scalar.scalar, lanes), parts);
            let pointer = b.ptr_offset(found.base, found.offset);
            b.store(pointer, vector, access);
            continue;
        }
        if is_anchor {
            let pointer = b.ptr_offset(found.base, found.offset);
            let vector = b.load(pointer, Ty::vector(scalar.scalar, lanes), access);
            vectors.insert(inst, vector);
        }
        let Some(&vector) = vectors.get(&found.at) else {
            b.push(inst);
            continue;
        };
        // From here on the result of the scalar load is a lane of the vector.
        let (op, arg) = if b.func.ty(vector).scalar == scalar.scalar {
            (Op::Extract(lane), vector)
        } else {
            (Op::Cast(CastOp::Bitcast), b.extract(vector, lane))
        };
        let data = &mut b.func.insts[inst];
        data.op = op;
        data.args = [arg].into();
        b.push(inst);
    }
}
