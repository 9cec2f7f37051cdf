//! Classes of pointers to private or local memory that flow into each other: through `ptr_add`, `select`,
//! results, region arguments and comparisons. A class knows how many objects its pointers come from, and
//! whether one of them *escapes*: is stored, loaded, converted to a number, or made of one. A pointer of a
//! class that does not escape and comes from one object points into this object only.

use crate::intrinsic::Intrinsic;
use crate::ir::inst::CastOp;
use crate::ir::{AddressSpace, EntityRef, Function, Global, Inst, Op, Value, ValueDef};
use std::collections::BTreeMap;

/// The classes, as a union-find structure over values.
pub(super) struct Classes {
    parent: Vec<usize>,
    /// For the representative of a class: the number of objects in the class.
    roots: Vec<u32>,
    /// For the representative of a class: whether a pointer of the class escapes.
    escapes: Vec<bool>,
    /// A pointer to each local variable.
    locals: BTreeMap<Global, Value>,
}

/// Returns whether a value is a pointer to a space and not a constant.
pub(super) fn is_pointer_to(func: &Function, v: Value, space: AddressSpace) -> bool {
    func.ty(v).space() == Some(space) && !matches!(func.values[v].def, ValueDef::Const(_))
}

fn is_followed(func: &Function, v: Value) -> bool {
    is_pointer_to(func, v, AddressSpace::Private) || is_pointer_to(func, v, AddressSpace::Local)
}

impl Classes {
    /// Finds the classes of a function's pointers.
    pub(super) fn new(func: &Function, insts: &[Inst]) -> Self {
        let n = func.values.len();
        let mut classes = Classes {
            parent: (0..n).collect(),
            roots: vec![0; n],
            escapes: vec![false; n],
            locals: BTreeMap::new(),
        };
        for &inst in insts {
            classes.inst(func, inst);
        }
        classes
    }

    /// Returns the representative of the class of a pointer.
    pub(super) fn of(&mut self, v: Value) -> usize {
        self.find(v.index())
    }

    /// Returns whether the pointers of the class of a pointer come from one object only and do not escape.
    pub(super) fn is_apart(&mut self, v: Value) -> bool {
        let class = self.of(v);
        self.roots[class] == 1 && !self.escapes[class]
    }

    /// Returns a pointer to each local variable.
    pub(super) fn locals(&self) -> BTreeMap<Global, Value> {
        self.locals.clone()
    }

    fn find(&mut self, mut v: usize) -> usize {
        while self.parent[v] != v {
            self.parent[v] = self.parent[self.parent[v]];
            v = self.parent[v];
        }
        v
    }

    /// Joins the classes of two pointers. A constant null pointer does not join classes; another constant
    /// may point anywhere.
    fn unify(&mut self, func: &Function, a: Value, b: Value) {
        if !is_followed(func, a) || !is_followed(func, b) {
            for (v, other) in [(a, b), (b, a)] {
                if func.as_bits(other).is_some_and(|bits| bits != 0) {
                    self.escape(func, v);
                }
            }
            return;
        }
        let (a, b) = (self.find(a.index()), self.find(b.index()));
        if a != b {
            self.parent[b] = a;
            self.roots[a] += self.roots[b];
            self.escapes[a] |= self.escapes[b];
        }
    }

    /// Records that a pointer escapes.
    fn escape(&mut self, func: &Function, v: Value) {
        if is_followed(func, v) {
            let class = self.find(v.index());
            self.escapes[class] = true;
        }
    }

    /// Records the flow of pointers through an instruction.
    fn inst(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Alloca { .. } => {
                let class = self.find(data.results[0].index());
                self.roots[class] += 1;
            }
            Op::GlobalAddr(g) if is_followed(func, data.results[0]) => {
                let pointer = data.results[0];
                match self.locals.get(g) {
                    Some(&first) => self.unify(func, first, pointer),
                    None => {
                        self.locals.insert(*g, pointer);
                        let class = self.find(pointer.index());
                        self.roots[class] += 1;
                    }
                }
            }
            Op::PtrAdd => self.unify(func, data.results[0], data.args[0]),
            Op::Select => {
                self.unify(func, data.results[0], data.args[1]);
                self.unify(func, data.results[0], data.args[2]);
            }
            Op::Compare(_) => self.unify(func, data.args[0], data.args[1]),
            Op::Loop => {
                let region = data.regions[0];
                for (&arg, &init) in func.regions[region].args.iter().zip(&data.args) {
                    self.unify(func, arg, init);
                }
            }
            Op::Exit(target) => {
                for (&result, &v) in func.insts[*target].results.iter().zip(&data.args) {
                    self.unify(func, result, v);
                }
            }
            Op::Repeat(target) => {
                let region = func.insts[*target].regions[0];
                for (&arg, &v) in func.regions[region].args.iter().zip(&data.args) {
                    self.unify(func, arg, v);
                }
            }
            Op::Load(_) | Op::MemCpy { .. } | Op::MemZero { .. } => {
                for &v in &data.results {
                    self.escape(func, v);
                }
            }
            Op::Store(_) => self.escape(func, data.args[1]),
            Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast) | Op::Call(_) | Op::Return => {
                for &v in data.args.iter().chain(&data.results) {
                    self.escape(func, v);
                }
            }
            // The first operand is the address.
            Op::Intrinsic(Intrinsic::Atomic(_) | Intrinsic::Matrix(_)) => {
                for &v in &data.args[1..] {
                    self.escape(func, v);
                }
            }
            Op::Intrinsic(_) => {
                for &v in &data.args {
                    self.escape(func, v);
                }
            }
            _ => {}
        }
    }
}
