//! A graph as one loop around one switch.
//!
//! A variable has the number of the next block. Blocks that only one other block jumps to stand behind that one.
//! Control flow stays as uniform as it was: work-items that go the same way through the graph have the same
//! numbers in the variable.

use super::super::{Access, BinOp, Builder, Inst, Region, Ty, Value};
use super::loops::reverse_postorder;
use super::{Cfg, Terminator, by_target};

/// States of one switch: SPIR-V allows 16,383. The number of a state divided by this chooses among the switches.
const PAGE: usize = 1 << PAGE_BITS;
const PAGE_BITS: u32 = 12;

/// Appends the graph at the cursor; `variable` is in no region yet.
pub(super) fn translate(b: &mut Builder<'_>, cfg: &mut Cfg, variable: Inst) {
    skip_empty(b, cfg);
    let order = reverse_postorder(cfg);
    let mut ways = vec![0usize; cfg.blocks.len()];
    for &from in &order {
        for t in cfg.blocks[from].terminator.targets() {
            ways[t] += 1;
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

/// Ways to blocks that only jump on go there at once.
fn skip_empty(b: &Builder<'_>, cfg: &mut Cfg) {
    let mut to: Vec<usize> = (0..cfg.blocks.len()).collect();
    for start in (0..to.len()).rev() {
        let mut at = start;
        // Circles of empty blocks have no end.
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
    /// Of each block.
    number: Vec<i32>,
    /// Whether a block stands behind the one that jumps to it.
    is_behind: Vec<bool>,
}

impl Machine<'_, '_> {
    /// A switch on so many numbers, the last of which is the default.
    fn switch(&mut self, value: Value, first: usize, count: usize) -> (Inst, Vec<Region>) {
        let cases = (first..first + count - 1).map(|n| vec![n as u64]).collect();
        self.b.switch(value, cases, &[])
    }

    /// These blocks; `first` is the number of the first.
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

    /// Makes a block the next one.
    fn set(&mut self, block: usize) {
        let n = self.b.i32(self.number[block]);
        self.b.store(self.pointer, n, ACCESS);
    }

    /// Ends a block.
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
