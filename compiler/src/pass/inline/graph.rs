//! Which functions call which, how often, and how large they are with all that they call.

use crate::ir::walk::Walk;
use crate::ir::{EntityRef, Func, Function, Inst, Module, Op};
use std::collections::BTreeMap;

/// The calls of a module, as the source has them.
pub(super) struct Graph {
    /// The functions that kernels reach, callees before callers.
    pub(super) order: Vec<Func>,
    /// For each function, the callees, once for each call.
    calls: Vec<Vec<Func>>,
}

impl Graph {
    pub(super) fn new(module: &Module, order: Vec<Func>) -> Graph {
        let mut calls = vec![Vec::new(); module.funcs.len()];
        for &f in &order {
            calls[f.index()] = callees(&module.funcs[f]).into_iter().map(|(c, _)| c).collect();
        }
        Graph { order, calls }
    }

    /// Returns the number of calls of each function.
    pub(super) fn sites(&self) -> Vec<usize> {
        let mut sites = vec![0usize; self.calls.len()];
        self.calls
            .iter()
            .flatten()
            .for_each(|callee| sites[callee.index()] += 1);
        sites
    }

    /// Returns the number of copies of each function's body if all calls in the kernels were inlined.
    pub(super) fn copies(&self, is_kernel: impl Fn(Func) -> bool) -> Vec<usize> {
        let mut copies = vec![0usize; self.calls.len()];
        for &f in self.order.iter().rev() {
            if is_kernel(f) {
                copies[f.index()] += 1;
            }
            for callee in &self.calls[f.index()] {
                copies[callee.index()] = copies[callee.index()].saturating_add(copies[f.index()]);
            }
        }
        copies
    }

    /// Returns the number of copies of each function in the kernel that would have most of them.
    pub(super) fn most_copies(&self, module: &Module) -> Vec<usize> {
        let mut most = vec![0; self.calls.len()];
        for kernel in &module.kernels {
            let copies = self.copies(|f| f == kernel.func);
            most.iter_mut().zip(copies).for_each(|(m, n)| *m = n.max(*m));
        }
        most
    }
}

/// The numbers of instructions of the functions that stay, with those of all that they call.
#[derive(Default)]
pub(super) struct Sizes(BTreeMap<usize, usize>);

impl Sizes {
    /// Returns the number of instructions of a function, with those of the functions that it calls and that stay.
    pub(super) fn of(&self, func: &Function) -> usize {
        let of_inst = |inst: Inst| match func.insts[inst].op {
            Op::CallPure(callee) => 1 + self.0.get(&callee.index()).copied().unwrap_or(0),
            _ => 1,
        };
        let insts = func.insts_in_order().into_iter();
        insts.fold(0, |sum: usize, inst| sum.saturating_add(of_inst(inst)))
    }

    /// Records a function that stays, and returns its size.
    pub(super) fn add(&mut self, f: Func, func: &Function) -> usize {
        let size = self.of(func);
        self.0.insert(f.index(), size);
        size
    }
}

/// Returns the calls in a function.
pub(super) fn callees(func: &Function) -> Vec<(Func, Inst)> {
    let mut list = Vec::new();
    let mut walk = Walk::new(func);
    while let Some((_, inst)) = walk.next(func) {
        if let Op::Call(callee) = func.insts[inst].op {
            list.push((callee, inst));
        }
    }
    list
}
