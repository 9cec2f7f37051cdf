//! What instructions read and write, with all that is inside of them. No pass, what passes want to know.

use super::pointers::{Place, Pointers};
use crate::intrinsic::Intrinsic;
use crate::ir::{AddressSpace, EntityRef, Function, Inst, Op};

/// Places that are told apart; more are whole address spaces.
const MAX_PLACES: usize = 24;

/// Address spaces in which something happens while kernels run.
const SPACES: usize = 4;

fn number(space: AddressSpace) -> Option<usize> {
    match space {
        AddressSpace::Private => Some(0),
        AddressSpace::Local => Some(1),
        AddressSpace::Global => Some(2),
        AddressSpace::Constant => Some(3),
        AddressSpace::Push | AddressSpace::Args => None,
    }
}

/// A set of places.
#[derive(Clone, Default, Debug)]
pub struct Places {
    some: Vec<Place>,
    /// Of which anything is in the set.
    spaces: [bool; SPACES],
}

impl Places {
    fn add(&mut self, place: Option<Place>) {
        let Some((place, space)) = place.and_then(|p| Some((p, number(p.space)?))) else {
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.some.is_empty() && self.spaces == [false; SPACES]
    }

    /// Whether anything at a place may be in the set.
    pub fn may_meet(&self, pointers: &Pointers, place: &Place) -> bool {
        number(place.space).is_some_and(|space| self.spaces[space])
            || self.some.iter().any(|p| pointers.may_meet(p, place))
    }
}

/// What is read and written.
#[derive(Clone, Default, Debug)]
pub struct Effects {
    pub reads: Places,
    pub writes: Places,
}

impl Effects {
    /// Of one instruction, apart from its regions.
    pub fn of(func: &Function, pointers: &Pointers, inst: Inst) -> Effects {
        let mut effects = Effects::default();
        effects.add(func, pointers, inst);
        effects
    }

    /// And those of one more instruction, apart from its regions.
    ///
    /// Behind barriers and fences what others have written can be seen, and what was written before can be seen by
    /// others. Atomic operations are taken for the same in their own address space: programs wait with them.
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
            Op::Intrinsic(Intrinsic::Atomic(_)) => {
                if let Some(space) = func.ty(data.args[0]).space().and_then(number) {
                    self.both(space);
                }
            }
            Op::Intrinsic(i) if i.orders_memory() => {
                self.both(1);
                self.both(2);
            }
            Op::Call(_) => (0..SPACES).for_each(|space| self.both(space)),
            // Printed strings and the like.
            Op::Intrinsic(Intrinsic::Printf) => {
                (0..SPACES).for_each(|space| self.reads.add_space(space));
            }
            // Behind `lower_memory` nothing is known of places; ahead of it there are none of these.
            Op::LoadFrom(..) | Op::StoreTo(..) | Op::AtomicOn(..) => {
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

/// The effects of structured instructions with all that is in them.
#[derive(Debug, Default)]
pub struct Inside {
    /// By instruction its number in `list` plus one.
    numbers: Vec<u32>,
    list: Vec<Effects>,
}

impl Inside {
    /// Of a function as it is now.
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

    /// Of a structured instruction.
    pub fn get(&self, inst: Inst) -> Option<&Effects> {
        let number = *self.numbers.get(inst.index())?;
        self.list.get((number as usize).checked_sub(1)?)
    }
}

/// Whether an instruction without regions reads or writes memory.
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
            | Op::Intrinsic(
                Intrinsic::Atomic(_)
                    | Intrinsic::Barrier(_)
                    | Intrinsic::Fence(_)
                    | Intrinsic::SubgroupBarrier(_)
                    | Intrinsic::Printf
            )
    )
}
