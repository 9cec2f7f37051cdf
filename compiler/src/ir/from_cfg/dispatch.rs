//! Translation of a graph to one loop around one switch.
//!
//! A variable holds the number of the next block. A block with a single predecessor is placed directly after
//! that predecessor if the predecessor jumps to it. Control flow stays as uniform as in the graph: work-items
//! on the same path have the same numbers in the variable.

use super::super::{Access, BinOp, Builder, Inst, Region, Ty, Value};
use super::loops::{Edges, reverse_postorder};
use super::{Cfg, Terminator, by_target};

/// The largest number of cases in one switch: SPIR-V allows 16,383. If there are more blocks, an outer switch
/// on the quotient of the block's number and this constant selects the inner switch.
const PAGE: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 12;

/// Appends the graph at the cursor. `variable` is not in any region yet.
pub(super) fn translate(b: &mut Builder<'_>, cfg: &mut Cfg, variable: Inst) {
    skip_empty(b, cfg);
    let edges = Edges::new(cfg);
    let order = reverse_postorder(&edges);
    let mut ways = vec![0usize; cfg.blocks.len()];
    for &from in &order {
        for &t in edges.of(from) {
            ways[t as usize] += 1;
        }
    }
    let mut is_behind = vec![false; cfg.blocks.len()];
    for &from in &order {
        if let Terminator::Jump(t) = cfg.blocks[from].terminator
            && ways[t] == 1
            && t != order[0]
        {
            is_behind[t] = true;
        }
    }
    let states: Vec<usize> = order.into_iter().filter(|&block| !is_behind[block]).collect();
    let mut number = vec![0; cfg.blocks.len()];
    for (n, &block) in states.iter().enumerate() {
        number[block] = n as i32;
    }
    let mut machine = Machine {
        pointer: b.func.insts[variable].results[0],
        b,
        cfg,
        number,
        is_behind,
    };
    machine.set(states[0]);
    let (around, body) = machine.b.loop_(vec![], &[]);
    machine.b.enter(body);
    let value = machine.b.load(machine.pointer, Ty::I32, ACCESS);
    let pages = states.len().div_ceil(PAGE);
    if pages == 1 {
        machine.page(value, &states, 0);
    } else {
        let shift = machine.b.i32(PAGE_BITS as i32);
        let page = machine.b.binary(BinOp::LShr, value, shift);
        let (switch, regions) = machine.switch(page, 0, pages);
        for (n, (region, states)) in regions.into_iter().zip(states.chunks(PAGE)).enumerate() {
            machine.b.enter(region);
            machine.page(value, states, n * PAGE);
            machine.b.exit(switch, vec![]);
            machine.b.leave();
        }
    }
    machine.b.repeat(around, vec![]);
    machine.b.leave();
    machine.b.unreachable();
}

/// Redirects jumps to empty blocks, which only jump on, to the final target.
fn skip_empty(b: &Builder<'_>, cfg: &mut Cfg) {
    let mut to: Vec<usize> = (0..cfg.blocks.len()).collect();
    for start in (0..to.len()).rev() {
        let mut at = start;
        // A cycle of empty blocks has no final target, so the search is bounded.
        for _ in 0..64 {
            match cfg.blocks[at].terminator {
                Terminator::Jump(t) if b.func.regions[cfg.blocks[at].region].insts.is_empty() => at = to[t],
                _ => break,
            }
        }
        to[start] = at;
    }
    for block in &mut cfg.blocks {
        block.terminator.retarget(&mut |t| to[t]);
    }
}

const ACCESS: Access = Access {
    align: 4,
    volatile: false,
};

struct Machine<'t, 'f> {
    b: &'t mut Builder<'f>,
    cfg: &'t Cfg,
    pointer: Value,
    /// The number of each block.
    number: Vec<i32>,
    /// Whether a block is placed directly after the block that jumps to it.
    is_behind: Vec<bool>,
}

impl Machine<'_, '_> {
    /// Creates a switch on `count` numbers from `first` on; the last number is the default case.
    fn switch(&mut self, value: Value, first: usize, count: usize) -> (Inst, Vec<Region>) {
        let cases = (first..first + count - 1).map(|n| vec![n as u64]).collect();
        self.b.switch(value, cases, &[])
    }

    /// Emits the given blocks as the cases of a switch; `first` is the number of the first block.
    fn page(&mut self, value: Value, states: &[usize], first: usize) {
        let cfg = self.cfg;
        let (switch, regions) = self.switch(value, first, states.len());
        for (region, &state) in regions.into_iter().zip(states) {
            self.b.enter(region);
            let mut block = state;
            loop {
                let insts = std::mem::take(&mut self.b.func.regions[cfg.blocks[block].region].insts);
                for inst in insts {
                    self.b.push(inst);
                }
                match cfg.blocks[block].terminator {
                    Terminator::Jump(t) if self.is_behind[t] => block = t,
                    _ => break,
                }
            }
            self.next(&cfg.blocks[block].terminator, switch);
            self.b.leave();
        }
    }

    /// Stores the number of the next block.
    fn set(&mut self, block: usize) {
        let n = self.b.i32(self.number[block]);
        self.b.store(self.pointer, n, ACCESS);
    }

    /// Emits the end of a block.
    fn next(&mut self, terminator: &Terminator, switch: Inst) {
        match terminator {
            Terminator::Ended => return,
            Terminator::Jump(t) => self.set(*t),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let (yes, no) = (
                    self.b.i32(self.number[*then]),
                    self.b.i32(self.number[*otherwise]),
                );
                let n = self.b.select(*cond, yes, no);
                self.b.store(self.pointer, n, ACCESS);
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let (values, targets) = by_target(cases, *default);
                let (inner, regions) = self.b.switch(*value, values, &[]);
                for (region, t) in regions.into_iter().zip(targets) {
                    self.b.enter(region);
                    self.set(t);
                    self.b.exit(inner, vec![]);
                    self.b.leave();
                }
            }
        }
        self.b.exit(switch, vec![]);
    }
}
