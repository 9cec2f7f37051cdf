//! The memory that instructions read and write. What the instructions in the regions of an instruction access counts as
//! its own.

use super::pointers::{Place, Pointers};
use crate::intrinsic::{Intrinsic, MatrixOp};
use crate::ir::{AddressSpace, EntityRef, Function, Inst, Op};

/// The most places that a set lists; beyond that it contains whole address spaces.
const MAX_PLACES: usize = 24;

/// The number of address spaces whose memory can change while a kernel runs, or can be read by address.
const SPACES: usize = 4;

/// Returns the index of an address space among these.
fn number(space: AddressSpace) -> Option<usize> {
    match space {
        AddressSpace::Private => Some(0),
        AddressSpace::Local => Some(1),
        AddressSpace::Global => Some(2),
        AddressSpace::Constant => Some(3),
        AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => None,
    }
}

/// Returns the indices of the address spaces whose memory a pointer to a space can lead to.
fn numbers(space: AddressSpace) -> &'static [usize] {
    match space {
        AddressSpace::Private => &[0],
        AddressSpace::Local => &[1],
        AddressSpace::Global => &[2],
        AddressSpace::Constant => &[3],
        AddressSpace::Push | AddressSpace::Args => &[],
        AddressSpace::Generic => &[0, 1, 2],
    }
}

/// A set of places in memory.
#[derive(Clone, Default, Debug)]
pub struct Places {
    some: Vec<Place>,
    /// The address spaces that are in the set as a whole.
    spaces: [bool; SPACES],
}

impl Places {
    fn add(&mut self, place: Option<Place>) {
        let Some(place) = place else {
            return;
        };
        let Some(space) = number(place.space) else {
            for &space in numbers(place.space) {
                self.add_space(space);
            }
            return;
        };
        if self.spaces[space] || self.some.contains(&place) {
            return;
        }
        if self.some.len() < MAX_PLACES {
            self.some.push(place);
        } else {
            self.add_space(space);
        }
    }

    fn add_space(&mut self, space: usize) {
        self.spaces[space] = true;
        self.some.retain(|p| number(p.space) != Some(space));
    }

    fn join(&mut self, other: &Places) {
        for (space, &all) in other.spaces.iter().enumerate() {
            if all {
                self.add_space(space);
            }
        }
        for &place in &other.some {
            self.add(Some(place));
        }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.some.is_empty() && self.spaces == [false; SPACES]
    }

    /// Returns whether a place may overlap with one in the set.
    pub fn may_meet(&self, pointers: &Pointers, place: &Place) -> bool {
        numbers(place.space).iter().any(|&space| self.spaces[space])
            || self.some.iter().any(|p| pointers.may_meet(p, place))
    }

    /// Returns whether a place in the set may overlap with one in another set.
    pub fn may_meet_any(&self, pointers: &Pointers, other: &Places) -> bool {
        let whole = |set: &Places, space: usize| {
            set.spaces[space] || set.some.iter().any(|p| numbers(p.space).contains(&space))
        };
        (0..SPACES).any(|n| self.spaces[n] && whole(other, n) || other.spaces[n] && whole(self, n))
            || self.some.iter().any(|place| other.may_meet(pointers, place))
    }
}

/// The places that are read and written.
#[derive(Clone, Default, Debug)]
pub struct Effects {
    /// The memory that may be read.
    pub reads: Places,
    /// The memory that may be written.
    pub writes: Places,
}

impl Effects {
    /// Returns the effects of one instruction, without its regions.
    pub fn of(func: &Function, pointers: &Pointers, inst: Inst) -> Effects {
        let mut effects = Effects::default();
        effects.add(func, pointers, inst);
        effects
    }

    /// Adds the effects of one instruction, without its regions.
    ///
    /// After a barrier or fence the writes of other work-items may be visible, and the writes before it may
    /// be visible to others. Therefore it counts as a read and a write of all local and global memory. An
    /// atomic operation counts as a read and a write of its whole address space, because programs wait for
    /// other work-items with atomic operations.
    pub fn add(&mut self, func: &Function, pointers: &Pointers, inst: Inst) {
        let data = &func.insts[inst];
        let place = |n: usize, bytes: u32| pointers.place(func, data.args[n], bytes);
        match &data.op {
            Op::Load(_) => {
                let bytes = data.results.first().map_or(0, |&r| func.ty(r).bytes());
                self.reads.add(place(0, bytes));
            }
            Op::Store(_) => self.writes.add(place(0, func.ty(data.args[1]).bytes())),
            Op::MemZero { size, .. } => self.writes.add(place(0, *size)),
            Op::MemCpy { size, .. } => {
                self.writes.add(place(0, *size));
                self.reads.add(place(1, *size));
            }
            // A matrix consists of many places.
            Op::Intrinsic(Intrinsic::Matrix(MatrixOp::Load(_))) => {
                let spaces = func.ty(data.args[0]).space().map_or(&[][..], numbers);
                spaces.iter().for_each(|&space| self.reads.add_space(space));
            }
            Op::Intrinsic(Intrinsic::Atomic(_) | Intrinsic::Matrix(MatrixOp::Store(_))) => {
                let spaces = func.ty(data.args[0]).space().map_or(&[][..], numbers);
                spaces.iter().for_each(|&space| self.both(space));
            }
            Op::Intrinsic(i) if i.orders_memory() => {
                self.both(1);
                self.both(2);
            }
            Op::Call(_) => (0..SPACES).for_each(|space| self.both(space)),
            // Printf reads strings.
            Op::Intrinsic(Intrinsic::Printf) => {
                (0..SPACES).for_each(|space| self.reads.add_space(space));
            }
            // These exist only after `lower_memory`, when the places of accesses are unknown.
            Op::LoadFrom(..) | Op::StoreTo(..) | Op::AtomicOn(..) | Op::MatrixOn(..) => {
                (0..SPACES).for_each(|space| self.both(space));
            }
            _ => {}
        }
    }

    fn both(&mut self, space: usize) {
        self.reads.add_space(space);
        self.writes.add_space(space);
    }

    fn join(&mut self, other: &Effects) {
        self.reads.join(&other.reads);
        self.writes.join(&other.writes);
    }
}

/// The effects of structured instructions, including everything inside of them.
#[derive(Debug, Default)]
pub struct Inside {
    /// For each instruction, its index in `list` plus one, or 0.
    numbers: Vec<u32>,
    list: Vec<Effects>,
}

impl Inside {
    /// Computes the effects in a function as it is now. `order` has its instructions in the order of the
    /// text.
    pub fn new(func: &Function, pointers: &Pointers, order: &[Inst]) -> Self {
        let mut inside = Inside {
            numbers: vec![0; func.insts.len()],
            list: Vec::new(),
        };
        for &inst in order.iter().rev() {
            let data = &func.insts[inst];
            if data.regions.is_empty() {
                continue;
            }
            let mut all = Effects::default();
            for &region in &data.regions {
                for &inner in &func.regions[region].insts {
                    match inside.get(inner) {
                        Some(effects) => all.join(effects),
                        None if has_effects(&func.insts[inner].op) => all.add(func, pointers, inner),
                        None => {}
                    }
                }
            }
            inside.list.push(all);
            inside.numbers[inst.index()] = inside.list.len() as u32;
        }
        inside
    }

    /// Returns the effects of a structured instruction.
    pub fn get(&self, inst: Inst) -> Option<&Effects> {
        let number = *self.numbers.get(inst.index())?;
        self.list.get((number as usize).checked_sub(1)?)
    }
}

/// Returns whether an instruction without regions reads or writes memory.
pub fn has_effects(op: &Op) -> bool {
    matches!(
        op,
        Op::Load(_)
            | Op::Store(_)
            | Op::MemCpy { .. }
            | Op::MemZero { .. }
            | Op::Call(_)
            | Op::LoadFrom(..)
            | Op::StoreTo(..)
            | Op::AtomicOn(..)
            | Op::MatrixOn(..)
            | Op::Intrinsic(
                Intrinsic::Atomic(_)
                    | Intrinsic::Matrix(MatrixOp::Load(_) | MatrixOp::Store(_))
                    | Intrinsic::Barrier(_)
                    | Intrinsic::Fence(_)
                    | Intrinsic::SubgroupBarrier(_)
                    | Intrinsic::Printf
            )
    )
}
