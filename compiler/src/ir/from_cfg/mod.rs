//! From a graph of blocks to structured regions.
//!
//! In:  blocks whose instructions are regions without terminator, and how each block ends. No value is used in
//!      another block than the one that defines it (variables are in memory).
//! Out: the same computation appended at a cursor, in `Block`, `Loop`, `If` and `Switch`.
//!
//! The translation follows the dominator tree (Ramsey, «Beyond Relooper», 2022): a block with several forward
//! predecessors is placed behind a `Block` that its immediate dominator is translated into, so that going
//! there is an exit; a block that is gone back to becomes a `Loop`. What is dominated from inside a loop but
//! cannot go back to it is placed behind the loop, so that a barrier there is outside of it.
//!
//! Graphs that are not reducible are made so first: a loop that is entered at several blocks gets one new block
//! in front, which goes on to the one whose number is in a variable.
//!
//! Large graphs may need more rounds of that, or deeper nesting, than is reasonable. They become one loop around
//! one switch on the number of the next block (`dispatch`), whose size is that of the graph.

mod dispatch;
mod dominators;
mod loops;
mod shape;

use self::loops::{Found, find_irreducible, single_entry};
use self::shape::Shape;
use super::{Builder, Inst, Region, Value};
use crate::diag::InternalError;
use std::collections::BTreeMap;

/// How a block ends; blocks are numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    Jump(usize),
    Branch {
        cond: Value,
        then: usize,
        otherwise: usize,
    },
    /// Values are distinct.
    Switch {
        value: Value,
        cases: Vec<(Vec<u64>, usize)>,
        default: usize,
    },
    /// The region has its own terminator, which leaves the graph.
    Ended,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Owned by nobody.
    pub region: Region,
    pub terminator: Terminator,
}

/// A graph; block 0 is the entry.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    pub blocks: Vec<Block>,
}

impl Terminator {
    fn targets(&self) -> Vec<usize> {
        match self {
            Terminator::Jump(t) => vec![*t],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|&(_, t)| t).chain([*default]).collect()
            }
            Terminator::Ended => Vec::new(),
        }
    }

    fn retarget(&mut self, f: &mut dyn FnMut(usize) -> usize) {
        match self {
            Terminator::Jump(t) => *t = f(*t),
            Terminator::Branch { then, otherwise, .. } => {
                *then = f(*then);
                *otherwise = f(*otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                for (_, t) in cases {
                    *t = f(*t);
                }
                *default = f(*default);
            }
            Terminator::Ended => {}
        }
    }
}

/// Most loops with several entries that get one.
const MAX_ROUNDS: usize = 48;
/// How deep regions may get before a loop around a switch does.
const MAX_NESTING: usize = 200;
/// From which depth on the code behind a branch stands behind the `If`, not in its second arm.
const MAX_NESTED_BRANCHES: usize = 48;

/// Appends the graph at the cursor. `variable` makes 4 bytes of private memory for a dispatch variable, in no
/// region yet; those made are returned.
pub fn structure(
    b: &mut Builder<'_>,
    mut cfg: Cfg,
    mut variable: impl FnMut(&mut Builder<'_>) -> Inst,
) -> Result<Vec<Inst>, InternalError> {
    let mut variables = Vec::new();
    loop {
        let found = find_irreducible(&cfg);
        if matches!(found, Found::Reducible) {
            break;
        }
        let inst = variable(b);
        variables.push(inst);
        match found {
            Found::Irreducible { members, entries }
                if variables.len() <= MAX_ROUNDS && entries.len() <= MAX_NESTING =>
            {
                single_entry(b, &mut cfg, &members, &entries, inst);
            }
            Found::Irreducible { .. } | Found::TooDeep | Found::Reducible => {
                dispatch::translate(b, &mut cfg, inst);
                return Ok(variables);
            }
        }
    }
    let shape = Shape::new(&cfg)?;
    if shape.depth > MAX_NESTING {
        let inst = variable(b);
        variables.push(inst);
        dispatch::translate(b, &mut cfg, inst);
        return Ok(variables);
    }
    let mut translation = Translation {
        b,
        cfg: &cfg,
        shape: &shape,
        targets: vec![None; cfg.blocks.len()],
        loops: vec![None; cfg.blocks.len()],
        work: vec![Step::Tree(0)],
        depth: 0,
    };
    while let Some(step) = translation.work.pop() {
        translation.step(step)?;
    }
    Ok(variables)
}

/// The cases of a switch by where they go: values with one target are one region, so each block is translated once.
fn by_target(cases: &[(Vec<u64>, usize)], default: usize) -> (Vec<Vec<u64>>, Vec<usize>) {
    let mut known: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut values, mut targets) = (Vec::new(), Vec::new());
    for (list, t) in cases.iter().filter(|&&(_, t)| t != default) {
        let n = *known.entry(*t).or_insert_with(|| {
            values.push(Vec::new());
            targets.push(*t);
            targets.len() - 1
        });
        values[n].extend(list);
    }
    targets.push(default);
    (values, targets)
}

/// What is to be done next.
enum Step {
    /// A block and all that it dominates.
    Tree(usize),
    /// Goes to a block.
    Go(usize),
    Enter(Region),
    Leave,
    Unreachable,
}

struct Translation<'t, 'b, 'f> {
    b: &'t mut Builder<'f>,
    cfg: &'b Cfg,
    shape: &'b Shape,
    /// The `Block` to exit for going to a block.
    targets: Vec<Option<Inst>>,
    /// The `Loop` to repeat for going to a block.
    loops: Vec<Option<Inst>>,
    /// The next step last.
    work: Vec<Step>,
    /// Regions around the cursor.
    depth: usize,
}

impl Translation<'_, '_, '_> {
    fn step(&mut self, step: Step) -> Result<(), InternalError> {
        match step {
            Step::Tree(block) => self.tree(block),
            Step::Go(to) => return self.go(to),
            Step::Enter(region) => self.enter(region),
            Step::Leave => {
                self.b.leave();
                self.depth -= 1;
            }
            Step::Unreachable => self.b.unreachable(),
        }
        Ok(())
    }

    fn enter(&mut self, region: Region) {
        self.b.enter(region);
        self.depth += 1;
    }

    fn tree(&mut self, block: usize) {
        let shape = self.shape;
        self.open(&shape.outer[block]);
        // What comes last is put down first.
        self.close(&shape.outer[block]);
        if shape.header[block] {
            let (inst, region) = self.b.loop_(vec![], &[]);
            self.loops[block] = Some(inst);
            self.enter(region);
            self.work.extend([Step::Unreachable, Step::Leave]);
        }
        self.open(&shape.inner[block]);
        self.close(&shape.inner[block]);
        let insts = std::mem::take(&mut self.b.func.regions[self.cfg.blocks[block].region].insts);
        for inst in insts {
            self.b.push(inst);
        }
        match &self.cfg.blocks[block].terminator {
            Terminator::Ended => {}
            Terminator::Jump(t) => self.work.push(Step::Go(*t)),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let (inst, yes, no) = self.b.if_(*cond, &[]);
                let is_own = self.targets[*otherwise].is_none() && self.loops[*otherwise].is_none();
                if is_own && self.depth >= MAX_NESTED_BRANCHES {
                    self.b.enter(no);
                    self.b.exit(inst, vec![]);
                    self.b.leave();
                    self.work.push(Step::Go(*otherwise));
                    self.arms(&[yes], &[*then]);
                } else {
                    self.work.push(Step::Unreachable);
                    self.arms(&[yes, no], &[*then, *otherwise]);
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                let (values, targets) = by_target(cases, *default);
                let (_, regions) = self.b.switch(*value, values, &[]);
                self.work.push(Step::Unreachable);
                self.arms(&regions, &targets);
            }
        }
    }

    /// Goes to each of these in a region.
    fn arms(&mut self, regions: &[Region], targets: &[usize]) {
        for (&region, &target) in regions.iter().zip(targets).rev() {
            self.work
                .extend([Step::Leave, Step::Go(target), Step::Enter(region)]);
        }
    }

    /// A block around all that comes before each of these, the last outermost.
    fn open(&mut self, behind: &[usize]) {
        for &t in behind.iter().rev() {
            let (inst, region) = self.b.block(&[]);
            self.targets[t] = Some(inst);
            self.enter(region);
        }
    }

    fn close(&mut self, behind: &[usize]) {
        for &t in behind.iter().rev() {
            self.work.extend([Step::Tree(t), Step::Leave]);
        }
    }

    fn go(&mut self, to: usize) -> Result<(), InternalError> {
        if let Some(inst) = self.loops[to] {
            self.b.repeat(inst, vec![]);
        } else if let Some(inst) = self.targets[to] {
            self.b.exit(inst, vec![]);
        } else if self.shape.number[to] == usize::MAX {
            return Err(InternalError::new(
                "from_cfg",
                "a jump to a block that is not reached",
            ));
        } else {
            self.tree(to);
        }
        Ok(())
    }
}
