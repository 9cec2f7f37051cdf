//! Which variables can be split, and how they are accessed.

use crate::ir::walk::Walk;
use crate::ir::{EntityRef, Function, Inst, Op, Ty, Value};
use crate::pass::analysis::constant_offset;
use std::collections::BTreeSet;

/// Copies and zeroings of more bytes keep their variable in memory.
const MAX_COPY: u32 = 512;

/// One `alloca`.
pub(super) struct Slot {
    pub(super) size: u32,
    /// Whether every use is one that can be rewritten.
    pub(super) splits: bool,
    /// Offset and type of each load and store.
    pub(super) shapes: BTreeSet<(u32, Ty)>,
}

/// The variables of a function.
pub(super) struct Slots {
    pub(super) list: Vec<Slot>,
    /// Slot and offset behind each pointer value.
    of_value: Vec<Option<(usize, i64)>>,
}

impl Slots {
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
                rewritable = usize::from(self.shape(data.args[0], func.ty(data.results[0])));
            }
            Op::Store(access) if !access.volatile => {
                rewritable = usize::from(self.shape(data.args[0], func.ty(data.args[1])));
            }
            Op::MemZero { size, dst } if !dst.volatile => {
                rewritable = usize::from(self.fits(data.args[0], *size));
            }
            Op::MemCpy { size, dst, src } if !dst.volatile && !src.volatile => {
                // Either side may be of other memory.
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

    fn raw(&self, v: Value) -> Option<(usize, i64)> {
        self.of_value.get(v.index()).copied().flatten()
    }

    fn give_up(&mut self, v: Value) {
        if let Some((n, _)) = self.raw(v) {
            self.list[n].splits = false;
        }
    }

    fn in_range(&self, v: Value, size: u32) -> Option<(usize, u32)> {
        let (n, at) = self.raw(v)?;
        let at = u32::try_from(at).ok()?;
        let end = at.checked_add(size)?;
        (end <= self.list[n].size).then_some((n, at))
    }

    fn fits(&self, v: Value, size: u32) -> bool {
        size <= MAX_COPY && self.in_range(v, size).is_some()
    }

    /// Notes a load or store; whether it is in range.
    fn shape(&mut self, v: Value, ty: Ty) -> bool {
        match self.in_range(v, ty.bytes()) {
            Some((n, at)) => {
                self.list[n].shapes.insert((at, ty));
                true
            }
            None => self.raw(v).is_none(),
        }
    }

    /// The variable that can be split and the offset in it behind a pointer.
    pub(super) fn get(&self, v: Value) -> Option<(usize, u32)> {
        let (n, at) = self.raw(v)?;
        let at = u32::try_from(at).ok()?;
        self.list[n].splits.then_some((n, at))
    }
}
