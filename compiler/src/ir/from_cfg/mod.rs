//! Conversion of a control-flow graph to structured regions.
//!
//! In:  blocks whose instructions are regions without a terminator, and the terminator of each block. No
//!      value is used in another block than the one that defines it (variables are in memory).
//! Out: the same computation, appended at a cursor, as `Block`, `Loop`, `If` and `Switch`.
//!
//! The translation follows the dominator tree (Ramsey, «Beyond Relooper», 2022). A block with several forward
//! predecessors is placed after a `Block` inside the code of its immediate dominator, so that a jump to it
//! becomes an exit from that `Block`. A block with a back edge to it becomes a `Loop`. A block that is not
//! part of a loop, but is dominated by a block of the loop, is placed after the loop, so that a barrier in it
//! is outside the loop. It stays in the loop if the source has it there, as the statements before a `break` are. Then only
//! work-items that reach it in the same iteration execute it together.
//!
//! Irreducible graphs are made reducible first: a loop with several entries gets a single new entry block,
//! which jumps to the old entry whose number is in a variable.
//!
//! Large graphs may need an unreasonable number of such rounds or unreasonably deep nesting. They become one
//! loop around one switch on the number of the next block (`dispatch`), whose size is proportional to that of
//! the graph.

mod dispatch;
mod dominators;
mod loops;
mod shape;

use self::loops::{Found, find_irreducible, single_entry};
use self::shape::Shape;
use super::{Builder, Inst, Region, Unroll, Value};
use crate::diag::InternalError;
use std::collections::BTreeMap;

/// The end of a block. Blocks are identified by numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    Jump(usize),
    Branch {
        cond: Value,
        then: usize,
        otherwise: usize,
    },
    /// The case values are distinct.
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
    /// The block's code; no instruction owns the region.
    pub region: Region,
    /// The end of the block.
    pub terminator: Terminator,
    /// What the source requests for the loop that begins here, if one does.
    pub unroll: Unroll,
    /// The first block of the innermost loop of the source around this block. For the first block of a loop, it is that of the
    /// loop around this one. `None` if the source does not say it.
    pub within: Option<usize>,
}

impl Block {
    /// Returns a block for whose loop the source requests nothing, and says no loop around it.
    pub fn new(region: Region, terminator: Terminator) -> Self {
        Block {
            region,
            terminator,
            unroll: Unroll::default(),
            within: None,
        }
    }
}

/// A control-flow graph; block 0 is the entry.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// The blocks, identified by their index.
    pub blocks: Vec<Block>,
}

impl Terminator {
    /// Calls `f` with each target, in order.
    fn each_target(&self, f: &mut impl FnMut(usize)) {
        match self {
            Terminator::Jump(t) => f(*t),
            Terminator::Branch { then, otherwise, .. } => {
                f(*then);
                f(*otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|&(_, t)| f(t));
                f(*default);
            }
            Terminator::Ended => {}
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

/// The largest number of irreducible loops that are given a single entry.
const MAX_ROUNDS: usize = 48;
/// The largest nesting depth of regions; deeper graphs become a loop around a switch.
const MAX_NESTING: usize = 200;
/// The largest number of loops of a graph that is structured. A loop costs every pass much more than the case of
/// a switch; programs with more loops than that are not written by hand.
const MAX_LOOPS: usize = 1000;
/// The nesting depth from which on the code of a branch's second target is placed after the `If` instead of
/// in its second arm.
const MAX_NESTED_BRANCHES: usize = 48;

/// Appends the graph at the cursor. `variable` creates 4 bytes of private memory for a dispatch variable, in
/// no region yet. Returns the instructions that it created.
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
    let loops = shape.header.iter().filter(|&&h| h).count();
    if shape.depth > MAX_NESTING || loops > MAX_LOOPS {
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

/// Groups the cases of a switch by target. Values with the same target share a region, so that each block is
/// translated once.
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

/// A step of the translation that remains to be done.
enum Step {
    /// Translates a block and all blocks that it dominates.
    Tree(usize),
    /// Transfers control to a block.
    Go(usize),
    Enter(Region),
    Leave,
    Unreachable,
}

struct Translation<'t, 'b, 'f> {
    b: &'t mut Builder<'f>,
    cfg: &'b Cfg,
    shape: &'b Shape,
    /// For each block, the `Block` from which an exit leads to it.
    targets: Vec<Option<Inst>>,
    /// For each block, its `Loop`, which a jump to the block repeats.
    loops: Vec<Option<Inst>>,
    /// A stack: the next step is last.
    work: Vec<Step>,
    /// The number of regions around the cursor.
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
        // The stack is last in, first out, so the last step is pushed first.
        self.close(&shape.outer[block]);
        if shape.header[block] {
            let (inst, region) = self.b.loop_(vec![], &[]);
            self.b.func.insts[inst].unroll = self.cfg.blocks[block].unroll;
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

    /// Pushes the steps that transfer control to each target in its region.
    fn arms(&mut self, regions: &[Region], targets: &[usize]) {
        for (&region, &target) in regions.iter().zip(targets).rev() {
            self.work
                .extend([Step::Leave, Step::Go(target), Step::Enter(region)]);
        }
    }

    /// Opens a `Block` for each block that is placed after the current one; the `Block` of the last one is outermost.
    fn open(&mut self, after: &[usize]) {
        for &t in after.iter().rev() {
            let (inst, region) = self.b.block(&[]);
            self.targets[t] = Some(inst);
            self.enter(region);
        }
    }

    /// Closes what [`Self::open`] has opened, and places each block after its `Block`.
    fn close(&mut self, after: &[usize]) {
        for &t in after.iter().rev() {
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
