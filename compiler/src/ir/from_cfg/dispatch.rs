//! A graph as one loop around one switch.
//!
//! A variable has the number of the next block. Blocks that only one other block jumps to stand behind that one.
//! Control flow stays as uniform as it was: work-items that go the same way through the graph have the same
//! numbers in the variable.

use super::super::{Access, Builder, Inst, Ty};
use super::loops::reverse_postorder;
use super::{Cfg, Terminator, by_target};

/// Appends the graph at the cursor; `variable` is in no region yet.
pub(super) fn translate(b: &mut Builder<'_>, cfg: &Cfg, variable: Inst) {
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
        number,
    };
    machine.set(states[0]);
    let (around, body) = machine.b.loop_(vec![], &[]);
    machine.b.enter(body);
    let value = machine.b.load(machine.pointer, Ty::I32, ACCESS);
    // The last one is the default.
    let cases = (0..states.len() as u64 - 1).map(|n| vec![n]).collect();
    let (switch, regions) = machine.b.switch(value, cases, &[]);
    for (region, mut block) in regions.into_iter().zip(states) {
        machine.b.enter(region);
        loop {
            let insts = std::mem::take(&mut machine.b.func.regions[cfg.blocks[block].region].insts);
            for inst in insts {
                machine.b.push(inst);
            }
            match cfg.blocks[block].terminator {
                Terminator::Jump(t) if is_behind[t] => block = t,
                _ => break,
            }
        }
        machine.next(&cfg.blocks[block].terminator, switch);
        machine.b.leave();
    }
    machine.b.repeat(around, vec![]);
    machine.b.leave();
    machine.b.unreachable();
}

const ACCESS: Access = Access {
    align: 4,
    volatile: false,
};

struct Machine<'t, 'f> {
    b: &'t mut Builder<'f>,
    pointer: super::Value,
    /// Of each block.
    number: Vec<i32>,
}

impl Machine<'_, '_> {
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
