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

use super::{Access, Builder, Inst, Region, Value};
use crate::diag::InternalError;

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

/// Appends the graph at the cursor. `variable` makes 4 bytes of private memory for a dispatch variable, in no
/// region yet; those made are returned.
pub fn structure(
    b: &mut Builder<'_>,
    mut cfg: Cfg,
    mut variable: impl FnMut(&mut Builder<'_>) -> Inst,
) -> Result<Vec<Inst>, InternalError> {
    let mut variables = Vec::new();
    // Each round gives one loop a single entry, so there are no more rounds than blocks at the start.
    let rounds = cfg.blocks.len();
    let mut round = 0;
    while let Some((members, entries)) = irreducible_loop(&cfg) {
        if round > rounds {
            return Err(InternalError::new(
                "from_cfg",
                "a graph that does not become reducible",
            ));
        }
        round += 1;
        let inst = variable(b);
        variables.push(inst);
        single_entry(b, &mut cfg, &members, &entries, inst);
    }
    let shape = Shape::new(&cfg)?;
    let mut translation = Translation {
        b,
        cfg: &cfg,
        shape: &shape,
        targets: vec![None; cfg.blocks.len()],
        loops: vec![None; cfg.blocks.len()],
    };
    translation.tree(0)?;
    Ok(variables)
}

/// Blocks in reverse postorder; only those that are reached.
fn reverse_postorder(cfg: &Cfg) -> Vec<usize> {
    let mut seen = vec![false; cfg.blocks.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0, cfg.blocks[0].terminator.targets(), 0)];
    seen[0] = true;
    while let Some((block, targets, next)) = stack.last_mut() {
        if let Some(&t) = targets.get(*next) {
            *next += 1;
            if !seen[t] {
                seen[t] = true;
                stack.push((t, cfg.blocks[t].terminator.targets(), 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// A strongly connected set of blocks with several entries, and those entries.
fn irreducible_loop(cfg: &Cfg) -> Option<(Vec<usize>, Vec<usize>)> {
    let order = reverse_postorder(cfg);
    let mut work = vec![order];
    while let Some(set) = work.pop() {
        for component in components(cfg, &set) {
            let mut inside = vec![false; cfg.blocks.len()];
            component.iter().for_each(|&b| inside[b] = true);
            let is_loop = component.len() > 1
                || cfg.blocks[component[0]]
                    .terminator
                    .targets()
                    .contains(&component[0]);
            if !is_loop {
                continue;
            }
            // Entered from anywhere that is reached, or by being the function's entry.
            let mut entries: Vec<usize> = Vec::new();
            for &from in &reverse_postorder(cfg) {
                if !inside[from] {
                    for t in cfg.blocks[from].terminator.targets() {
                        if inside[t] && !entries.contains(&t) {
                            entries.push(t);
                        }
                    }
                }
            }
            if inside[0] && !entries.contains(&0) {
                entries.push(0);
            }
            if entries.len() > 1 {
                return Some((component, entries));
            }
            // Loops inside: without the one way back to the header.
            let rest: Vec<usize> = component
                .iter()
                .copied()
                .filter(|b| !entries.contains(b))
                .collect();
            if !rest.is_empty() {
                work.push(rest);
            }
        }
    }
    None
}

/// Strongly connected components of a subgraph (Kosaraju), in the order of their first block in `set`.
fn components(cfg: &Cfg, set: &[usize]) -> Vec<Vec<usize>> {
    let n = cfg.blocks.len();
    let mut member = vec![false; n];
    set.iter().for_each(|&b| member[b] = true);
    let mut preds = vec![Vec::new(); n];
    for &b in set {
        for t in cfg.blocks[b].terminator.targets() {
            if member[t] {
                preds[t].push(b);
            }
        }
    }
    // Postorder of the subgraph.
    let mut seen = vec![false; n];
    let mut post = Vec::new();
    for &root in set {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut stack = vec![(root, cfg.blocks[root].terminator.targets(), 0)];
        while let Some((block, targets, next)) = stack.last_mut() {
            if let Some(&t) = targets.get(*next) {
                *next += 1;
                if member[t] && !seen[t] {
                    seen[t] = true;
                    stack.push((t, cfg.blocks[t].terminator.targets(), 0));
                }
            } else {
                post.push(*block);
                stack.pop();
            }
        }
    }
    let mut assigned = vec![false; n];
    let mut list = Vec::new();
    for &root in post.iter().rev() {
        if assigned[root] {
            continue;
        }
        assigned[root] = true;
        let mut component = Vec::new();
        let mut stack = vec![root];
        while let Some(b) = stack.pop() {
            component.push(b);
            for &p in &preds[b] {
                if !assigned[p] {
                    assigned[p] = true;
                    stack.push(p);
                }
            }
        }
        list.push(component);
    }
    list
}

/// Gives a loop one entry: a block that goes on to the entry whose number `variable` holds.
fn single_entry(b: &mut Builder<'_>, cfg: &mut Cfg, members: &[usize], entries: &[usize], variable: Inst) {
    let pointer = b.func.insts[variable].results[0];
    let access = Access {
        align: 4,
        volatile: false,
    };
    let home = b.region();

    let dispatch = cfg.blocks.len();
    let region = b.func.new_region(&[]);
    b.move_to_end(region);
    let value = b.load(pointer, super::Ty::I32, access);
    let last = entries.len() - 1;
    let cases = entries[..last]
        .iter()
        .enumerate()
        .map(|(i, &e)| (vec![i as u64], e))
        .collect();
    cfg.blocks.push(Block {
        region,
        terminator: Terminator::Switch {
            value,
            cases,
            default: entries[last],
        },
    });
    // On the way to an entry, its number is stored.
    let mut doors = Vec::new();
    for i in 0..entries.len() {
        let region = b.func.new_region(&[]);
        b.move_to_end(region);
        let number = b.i32(i as i32);
        b.store(pointer, number, access);
        doors.push(cfg.blocks.len());
        cfg.blocks.push(Block {
            region,
            terminator: Terminator::Jump(dispatch),
        });
    }
    // Doors from inside and from outside are different blocks, so that a door is not a second entry.
    let mut inner_doors = Vec::new();
    for i in 0..entries.len() {
        let region = b.func.new_region(&[]);
        b.move_to_end(region);
        let number = b.i32(i as i32);
        b.store(pointer, number, access);
        inner_doors.push(cfg.blocks.len());
        cfg.blocks.push(Block {
            region,
            terminator: Terminator::Jump(dispatch),
        });
    }
    for block in 0..dispatch {
        let inside = members.contains(&block);
        cfg.blocks[block]
            .terminator
            .retarget(&mut |t| match entries.iter().position(|&e| e == t) {
                Some(i) if inside => inner_doors[i],
                Some(i) => doors[i],
                None => t,
            });
    }
    // The function's entry cannot be gone through a door: it stays where it is, a new block in front of it.
    if let Some(i) = entries.iter().position(|&e| e == 0) {
        let moved = cfg.blocks.len();
        let first = cfg.blocks[0].clone();
        cfg.blocks.push(first);
        for block in &mut cfg.blocks[1..] {
            block.terminator.retarget(&mut |t| if t == 0 { moved } else { t });
        }
        let region = b.func.new_region(&[]);
        cfg.blocks[0] = Block {
            region,
            terminator: Terminator::Jump(doors[i]),
        };
    }
    b.move_to_end(home);
}

/// What the translation needs to know of a reducible graph.
struct Shape {
    /// Position in reverse postorder; `usize::MAX` for blocks that are not reached.
    number: Vec<usize>,
    /// Whether it is gone back to.
    header: Vec<bool>,
    /// Blocks to place behind a `Block` inside the loop of this block, if it has one; in reverse postorder.
    inner: Vec<Vec<usize>>,
    /// Blocks to place behind the loop of this block.
    outer: Vec<Vec<usize>>,
}

impl Shape {
    fn new(cfg: &Cfg) -> Result<Shape, InternalError> {
        let n = cfg.blocks.len();
        let order = reverse_postorder(cfg);
        let mut number = vec![usize::MAX; n];
        for (i, &b) in order.iter().enumerate() {
            number[b] = i;
        }
        let mut preds = vec![Vec::new(); n];
        for &b in &order {
            for t in cfg.blocks[b].terminator.targets() {
                preds[t].push(b);
            }
        }
        let idom = dominators(&order, &number, &preds);
        let dominates = |a: usize, mut b: usize| {
            while number[b] > number[a] {
                b = idom[b];
            }
            a == b
        };
        let mut header = vec![false; n];
        let mut body_of: Vec<Option<Vec<bool>>> = vec![None; n];
        for &b in &order {
            let latches: Vec<usize> = preds[b]
                .iter()
                .copied()
                .filter(|&p| number[p] >= number[b])
                .collect();
            if latches.is_empty() {
                continue;
            }
            if !latches.iter().all(|&l| dominates(b, l)) {
                return Err(InternalError::new("from_cfg", "an irreducible loop is left"));
            }
            header[b] = true;
            let mut body = vec![false; n];
            body[b] = true;
            let mut stack = latches;
            while let Some(x) = stack.pop() {
                if !body[x] {
                    body[x] = true;
                    stack.extend(&preds[x]);
                }
            }
            body_of[b] = Some(body);
        }
        let mut inner = vec![Vec::new(); n];
        let mut outer = vec![Vec::new(); n];
        for &b in order.iter().skip(1) {
            // The outermost loop around the immediate dominator that this block is outside of.
            let mut place = None;
            let mut up = idom[b];
            loop {
                if let Some(body) = &body_of[up]
                    && body[idom[b]]
                    && !body[b]
                {
                    place = Some(up);
                }
                if up == 0 {
                    break;
                }
                up = idom[up];
            }
            let forward = preds[b].iter().filter(|&&p| number[p] < number[b]).count();
            match place {
                Some(h) => outer[h].push(b),
                None if forward > 1 => inner[idom[b]].push(b),
                None => {}
            }
        }
        Ok(Shape {
            number,
            header,
            inner,
            outer,
        })
    }
}

/// Immediate dominators (Cooper, Harvey, Kennedy); the entry is its own.
fn dominators(order: &[usize], number: &[usize], preds: &[Vec<usize>]) -> Vec<usize> {
    let mut idom = vec![usize::MAX; number.len()];
    idom[order[0]] = order[0];
    let mut changed = true;
    while changed {
        changed = false;
        for &b in &order[1..] {
            let mut new = usize::MAX;
            for &p in &preds[b] {
                if idom[p] == usize::MAX {
                    continue;
                }
                if new == usize::MAX {
                    new = p;
                    continue;
                }
                let (mut x, mut y) = (p, new);
                while x != y {
                    while number[x] > number[y] {
                        x = idom[x];
                    }
                    while number[y] > number[x] {
                        y = idom[y];
                    }
                }
                new = x;
            }
            if idom[b] != new {
                idom[b] = new;
                changed = true;
            }
        }
    }
    idom
}

struct Translation<'t, 'b, 'f> {
    b: &'t mut Builder<'f>,
    cfg: &'b Cfg,
    shape: &'b Shape,
    /// The `Block` to exit for going to a block.
    targets: Vec<Option<Inst>>,
    /// The `Loop` to repeat for going to a block.
    loops: Vec<Option<Inst>>,
}

impl Translation<'_, '_, '_> {
    /// A block and all that it dominates.
    fn tree(&mut self, block: usize) -> Result<(), InternalError> {
        let outer = &self.shape.outer[block];
        self.open(outer);
        if self.shape.header[block] {
            let (inst, region) = self.b.loop_(vec![], &[]);
            self.loops[block] = Some(inst);
            self.b.enter(region);
            self.within(block)?;
            self.b.leave();
            self.b.unreachable();
        } else {
            self.within(block)?;
        }
        self.close(outer)
    }

    fn within(&mut self, block: usize) -> Result<(), InternalError> {
        let inner = &self.shape.inner[block];
        self.open(inner);
        let insts = std::mem::take(&mut self.b.func.regions[self.cfg.blocks[block].region].insts);
        for inst in insts {
            self.b.push(inst);
        }
        match &self.cfg.blocks[block].terminator {
            Terminator::Ended => {}
            Terminator::Jump(t) => self.go(*t)?,
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let (_, yes, no) = self.b.if_(*cond, &[]);
                for (region, target) in [(yes, *then), (no, *otherwise)] {
                    self.b.enter(region);
                    self.go(target)?;
                    self.b.leave();
                }
                self.b.unreachable();
            }
            Terminator::Switch {
                value,
                cases,
                default,
            } => {
                // Values with one target are one region: each block is translated once.
                let mut lists: Vec<(Vec<u64>, usize)> = Vec::new();
                for (values, t) in cases.iter().filter(|(_, t)| t != default) {
                    match lists.iter_mut().find(|(_, known)| known == t) {
                        Some((list, _)) => list.extend(values),
                        None => lists.push((values.clone(), *t)),
                    }
                }
                let targets: Vec<usize> = lists.iter().map(|&(_, t)| t).chain([*default]).collect();
                let values = lists.into_iter().map(|(list, _)| list).collect();
                let (_, regions) = self.b.switch(*value, values, &[]);
                for (region, target) in regions.into_iter().zip(targets) {
                    self.b.enter(region);
                    self.go(target)?;
                    self.b.leave();
                }
                self.b.unreachable();
            }
        }
        self.close(inner)
    }

    /// A block around all that comes before each of these, the last outermost.
    fn open(&mut self, behind: &[usize]) {
        for &t in behind.iter().rev() {
            let (inst, region) = self.b.block(&[]);
            self.targets[t] = Some(inst);
            self.b.enter(region);
        }
    }

    fn close(&mut self, behind: &[usize]) -> Result<(), InternalError> {
        for &t in behind {
            self.b.leave();
            self.tree(t)?;
        }
        Ok(())
    }

    fn go(&mut self, to: usize) -> Result<(), InternalError> {
        if let Some(inst) = self.loops[to] {
            self.b.repeat(inst, vec![]);
            return Ok(());
        }
        if let Some(inst) = self.targets[to] {
            self.b.exit(inst, vec![]);
            return Ok(());
        }
        if self.shape.number[to] == usize::MAX {
            return Err(InternalError::new(
                "from_cfg",
                "a jump to a block that is not reached",
            ));
        }
        self.tree(to)
    }
}
