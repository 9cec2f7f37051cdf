//! The tests with which loops end.

use crate::ir::analysis::{Survey, outermost_targets};
use crate::ir::{EntityRef, Function, Inst, Op, Region, Value, ValueDef};

/// The nesting of a function as it was when the analysis was made.
pub struct Nest {
    /// The instructions, jumps and parents of the function.
    pub survey: Survey,
    /// The position of each instruction in the order of the text, from 1; 0 if it is in no region.
    position: Vec<usize>,
    /// The position of the last instruction inside each structured instruction.
    end: Vec<usize>,
    /// The least position of the targets of jumps in each instruction.
    outermost: Vec<usize>,
}

impl Nest {
    /// Analyses a function.
    pub fn new(func: &Function) -> Nest {
        let survey = Survey::new(func);
        let mut position = vec![0; func.insts.len()];
        for (n, &inst) in survey.order.iter().enumerate() {
            position[inst.index()] = n + 1;
        }
        let mut end = position.clone();
        for &inst in survey.order.iter().rev() {
            let inner = func.insts[inst]
                .regions
                .iter()
                .flat_map(|&r| func.regions[r].insts.last());
            let last = inner.map(|i| end[i.index()]).max();
            end[inst.index()] = last.unwrap_or(0).max(position[inst.index()]);
        }
        let outermost = outermost_targets(func, &survey.order);
        Nest {
            survey,
            position,
            end,
            outermost,
        }
    }

    /// Returns whether a value is defined inside of a loop. An instruction that was created since counts as
    /// inside.
    pub fn is_inside(&self, func: &Function, loop_: Inst, value: Value) -> bool {
        let inst = match func.values[value].def {
            ValueDef::Const(_) | ValueDef::Param(_) => return false,
            ValueDef::Inst(inst, _) if inst == loop_ => return false,
            ValueDef::Inst(inst, _) => inst,
            ValueDef::Arg(region, _) => match self.survey.parents.owner(region) {
                Some(owner) => owner,
                None => return true,
            },
        };
        let inside = self.position[loop_.index()]..=self.end[loop_.index()];
        self.position.get(inst.index()).is_none_or(|p| inside.contains(p))
    }

    /// Returns the instructions inside of a loop, in the order of the text.
    pub fn inside(&self, loop_: Inst) -> &[Inst] {
        &self.survey.order[self.position[loop_.index()]..self.end[loop_.index()]]
    }

    /// Returns whether a jump in an instruction leaves the loop or repeats it.
    pub fn leaves(&self, loop_: Inst, inst: Inst) -> bool {
        let outermost = self.outermost.get(inst.index());
        outermost.is_none_or(|&target| target <= self.position[loop_.index()])
    }

    /// Returns the tests that leave a loop, in order, if there is no other way out and only the end of the
    /// body repeats the loop. Each iteration executes the tests one after the other until one of them leaves.
    pub fn tests(&self, func: &Function, loop_: Inst) -> Option<Vec<Test>> {
        let body = func.insts[loop_].regions[0];
        let (&end, insts) = func.regions[body].insts.split_last()?;
        if self.survey.jumps.repeats(loop_) != [end] {
            return None;
        }
        let ways = insts.iter().filter(|&&inst| self.leaves(loop_, inst));
        ways.map(|&inst| self.test(func, loop_, inst)).collect()
    }

    /// Returns an instruction inside of a loop as a test of the loop, if it is one.
    pub fn test(&self, func: &Function, loop_: Inst, inst: Inst) -> Option<Test> {
        let data = &func.insts[inst];
        if data.op != Op::If {
            return None;
        }
        let stays = |arm: Region| func.regions[arm].insts.iter().all(|&i| !self.leaves(loop_, i));
        let leaving = match [stays(data.regions[0]), stays(data.regions[1])] {
            [true, false] => 1,
            [false, true] => 0,
            _ => return None,
        };
        let arm = data.regions[leaving];
        let (&exit, before) = func.regions[arm].insts.split_last()?;
        let is_plain = before.iter().all(|&i| func.insts[i].regions.is_empty());
        (is_plain && self.leaves(loop_, exit)).then_some(Test {
            inst,
            condition: data.args[0],
            leaves_if: leaving == 0,
            arm,
            exit,
        })
    }
}

/// An `if` of which one arm leaves the loop.
#[derive(Copy, Clone, Debug)]
pub struct Test {
    /// The `if`.
    pub inst: Inst,
    /// The condition of the `if`.
    pub condition: Value,
    /// The value of the condition with which it leaves.
    pub leaves_if: bool,
    /// The arm that leaves, without further structure.
    pub arm: Region,
    /// The jump at its end.
    pub exit: Inst,
}
