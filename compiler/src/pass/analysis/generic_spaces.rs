//! The address spaces that generic pointers may lead to.
//!
//! Within a function, pointers are followed through address arithmetic, selections and structured
//! instructions. Pointers in memory, and numbers that become pointers, are not told apart: they may lead to
//! the space of any generic pointer of the function that is stored or becomes a number, and to global memory,
//! whose pointers may be from elsewhere. Private and local memory do not outlive a work-group, and all its
//! work-items execute the same function, so no other pointers to them exist.

use crate::intrinsic::Intrinsic;
use crate::ir::inst::CastOp;
use crate::ir::{AddressSpace, EntityRef, Function, Op, Value, ValueDef};

/// A set of the address spaces [`AddressSpace::IN_GENERIC`].
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Spaces(u8);

impl Spaces {
    const ALL: Spaces = Spaces(0b111);

    fn one(space: AddressSpace) -> Spaces {
        let n = AddressSpace::IN_GENERIC.iter().position(|&s| s == space);
        n.map_or(Spaces::ALL, |n| Spaces(1 << n))
    }

    /// Iterates over the members.
    pub fn iter(self) -> impl Iterator<Item = AddressSpace> {
        let all = AddressSpace::IN_GENERIC.into_iter().enumerate();
        all.filter(move |(n, _)| self.0 >> n & 1 == 1).map(|(_, s)| s)
    }

    /// Returns the only space of the set. A set without a space is that of null pointers, for which any space
    /// does.
    pub fn only(self) -> Option<AddressSpace> {
        let mut list = self.iter();
        match (list.next(), list.next()) {
            (one, None) => Some(one.unwrap_or(AddressSpace::Global)),
            (_, Some(_)) => None,
        }
    }
}

/// Returns whether a value is a generic pointer.
pub fn is_generic(func: &Function, v: Value) -> bool {
    func.ty(v).space() == Some(AddressSpace::Generic)
}

/// The sets of a function's generic pointers.
#[derive(Debug)]
pub struct GenericSpaces {
    sets: Vec<Spaces>,
}

impl GenericSpaces {
    /// Computes the sets; `None` if the function has no generic pointers. `is_kernel`: nobody calls it.
    pub fn new(func: &Function, is_kernel: bool) -> Option<Self> {
        if !func.values.keys().any(|v| is_generic(func, v)) {
            return None;
        }
        // The last set is that of pointers in memory and of numbers.
        let memory = func.values.len();
        let mut flow = Flow {
            func,
            sets: vec![Spaces::default(); memory + 1],
            edges: Vec::new(),
            memory,
        };
        flow.sets[memory] = if is_kernel {
            Spaces::one(AddressSpace::Global)
        } else {
            Spaces::ALL
        };
        for (v, data) in func.values.iter() {
            // Other constants than null pointers are numbers.
            let is_number = matches!(data.def, ValueDef::Const(_)) && func.as_bits(v).is_some_and(|n| n != 0);
            if is_generic(func, v) && (is_number || matches!(data.def, ValueDef::Param(_))) {
                flow.sets[v.index()] = Spaces::ALL;
            }
        }
        for inst in func.insts_in_order() {
            flow.inst(inst);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(from, to) in &flow.edges {
                let joined = Spaces(flow.sets[from].0 | flow.sets[to].0);
                changed |= joined != flow.sets[to];
                flow.sets[to] = joined;
            }
        }
        Some(GenericSpaces { sets: flow.sets })
    }

    /// Returns the spaces that a generic pointer may lead to.
    pub fn of(&self, v: Value) -> Spaces {
        self.sets.get(v.index()).copied().unwrap_or(Spaces::ALL)
    }
}

struct Flow<'f> {
    func: &'f Function,
    sets: Vec<Spaces>,
    /// Pairs of sets of which the second includes the first.
    edges: Vec<(usize, usize)>,
    memory: usize,
}

impl Flow<'_> {
    fn edge(&mut self, from: Value, to: Value) {
        if is_generic(self.func, from) && is_generic(self.func, to) {
            self.edges.push((from.index(), to.index()));
        }
    }

    /// Adds the flow of a pointer to where it is no longer followed.
    fn escapes(&mut self, v: Value) {
        if is_generic(self.func, v) {
            self.edges.push((v.index(), self.memory));
        }
    }

    fn inst(&mut self, inst: crate::ir::Inst) {
        let func = self.func;
        let data = &func.insts[inst];
        let result = data.results.first().copied();
        match (&data.op, result) {
            (Op::Cast(CastOp::PtrCast), Some(result)) => {
                if let Some(space) = func.ty(data.args[0]).space()
                    && is_generic(func, result)
                {
                    self.sets[result.index()] = Spaces::one(space);
                }
            }
            (Op::PtrAdd, Some(result)) => self.edge(data.args[0], result),
            (Op::Select, Some(result)) => {
                self.edge(data.args[1], result);
                self.edge(data.args[2], result);
            }
            (Op::Loop, _) => {
                for (&init, &arg) in data.args.iter().zip(&func.regions[data.regions[0]].args) {
                    self.edge(init, arg);
                }
            }
            (Op::Exit(target), _) => {
                for (&v, &result) in data.args.iter().zip(&func.insts[*target].results) {
                    self.edge(v, result);
                }
            }
            (Op::Repeat(target), _) => {
                let body = func.insts[*target].regions[0];
                for (&v, &arg) in data.args.iter().zip(&func.regions[body].args) {
                    self.edge(v, arg);
                }
            }
            // The results of these are those of exits.
            (Op::Block | Op::If | Op::Switch(_), _) => {}
            // These look at a pointer, or at what it leads to.
            (Op::Compare(_) | Op::MemCpy { .. } | Op::MemZero { .. }, _)
            | (Op::Intrinsic(Intrinsic::PointerTag | Intrinsic::Printf | Intrinsic::Prefetch), _) => {}
            (Op::Store(_), _) => self.escapes(data.args[1]),
            (Op::Call(_), _) => self.sets[self.memory] = Spaces::ALL,
            (Op::Load(_) | Op::Intrinsic(Intrinsic::Atomic(_)), _) => {
                for &v in data.args.iter().skip(1) {
                    self.escapes(v);
                }
            }
            _ => {
                for &v in &data.args {
                    self.escapes(v);
                }
            }
        }
        let followed =
            data.op.is_structured() || matches!(data.op, Op::Cast(CastOp::PtrCast) | Op::PtrAdd | Op::Select);
        for &result in &data.results {
            if !followed && is_generic(func, result) {
                self.edges.push((self.memory, result.index()));
            }
        }
    }
}
