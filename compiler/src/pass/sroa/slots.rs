//! Finds the variables that can be split, and their accesses.

use crate::ir::analysis::constant_offset;
use crate::ir::walk::Walk;
use crate::ir::{EntityRef, Function, Inst, Op, Ty, Value};
use std::collections::BTreeSet;

/// The size in bytes beyond which a copy or zeroing keeps its variable in memory.
pub(in crate::pass) const MAX_COPY: u32 = 512;

/// An `alloca`.
pub(super) struct Slot {
    pub(super) size: u32,
    /// Whether every use can be rewritten.
    pub(super) splits: bool,
    /// The offset and type of each load and store.
    pub(super) shapes: BTreeSet<(u32, Ty)>,
    /// The offset and type of each store.
    pub(super) stores: BTreeSet<(u32, Ty)>,
}

/// The variables of a function.
pub(super) struct Slots {
    pub(super) list: Vec<Slot>,
    /// For each pointer, the index of the variable and the offset into which it points.
    of_value: Vec<Option<(usize, i64)>>,
}

impl Slots {
    /// Finds the variables of a function.
    pub(super) fn new(func: &Function) -> Self {
        let mut slots = Slots {
            list: Vec::new(),
            of_value: vec![None; func.values.len()],
        };
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            slots.note(func, inst);
        }
        slots
    }

    /// Records the uses of variables by an instruction.
    fn note(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let mut rewritable = 0;
        match &data.op {
            Op::Alloca { size, .. } => {
                self.of_value[data.results[0].index()] = Some((self.list.len(), 0));
                self.list.push(Slot {
                    size: *size,
                    splits: true,
                    shapes: BTreeSet::new(),
                    stores: BTreeSet::new(),
                });
            }
            Op::PtrAdd => {
                if let (Some((n, at)), Some(step)) =
                    (self.raw(data.args[0]), constant_offset(func, data.args[1]))
                {
                    self.of_value[data.results[0].index()] = at.checked_add(step).map(|at| (n, at));
                    rewritable = usize::from(at.checked_add(step).is_some());
                }
            }
            Op::Load(access) if !access.volatile => {
                rewritable = usize::from(self.shape(data.args[0], func.ty(data.results[0]), false));
            }
            Op::Store(access) if !access.volatile => {
                rewritable = usize::from(self.shape(data.args[0], func.ty(data.args[1]), true));
            }
            Op::MemZero { size, dst } if !dst.volatile => {
                rewritable = usize::from(self.fits(data.args[0], *size));
            }
            Op::MemCpy { size, dst, src } if !dst.volatile && !src.volatile => {
                // Either side may be other memory.
                for (i, &arg) in data.args.iter().enumerate() {
                    if self.raw(arg).is_some() && !self.fits(arg, *size) {
                        self.give_up(data.args[i]);
                    }
                }
                rewritable = 2;
            }
            _ => {}
        }
        for &arg in data.args.iter().skip(rewritable) {
            self.give_up(arg);
        }
    }

    /// Returns the variable and the offset, which may be out of range, into which a pointer points.
    fn raw(&self, v: Value) -> Option<(usize, i64)> {
        self.of_value.get(v.index()).copied().flatten()
    }

    /// Records that a variable cannot be split.
    fn give_up(&mut self, v: Value) {
        if let Some((n, _)) = self.raw(v) {
            self.list[n].splits = false;
        }
    }

    /// Returns the variable and the offset of an access if it is in range.
    fn in_range(&self, v: Value, size: u32) -> Option<(usize, u32)> {
        let (n, at) = self.raw(v)?;
        let at = u32::try_from(at).ok()?;
        let end = at.checked_add(size)?;
        (end <= self.list[n].size).then_some((n, at))
    }

    /// Returns whether a copy or zeroing is in range and small enough.
    fn fits(&self, v: Value, size: u32) -> bool {
        size <= MAX_COPY && self.in_range(v, size).is_some()
    }

    /// Records a load or store. Returns false if it is out of range of a variable.
    fn shape(&mut self, v: Value, ty: Ty, is_store: bool) -> bool {
        match self.in_range(v, ty.bytes()) {
            Some((n, at)) => {
                self.list[n].shapes.insert((at, ty));
                if is_store {
                    self.list[n].stores.insert((at, ty));
                }
                true
            }
            None => self.raw(v).is_none(),
        }
    }

    /// Returns the variable that can be split from which a pointer is computed.
    pub(super) fn variable(&self, v: Value) -> Option<usize> {
        let (n, _) = self.raw(v)?;
        self.list[n].splits.then_some(n)
    }

    /// Returns the variable that can be split, and the offset in it, into which a pointer points.
    pub(super) fn get(&self, v: Value) -> Option<(usize, u32)> {
        let (n, at) = self.raw(v)?;
        let at = u32::try_from(at).ok()?;
        self.list[n].splits.then_some((n, at))
    }
}
