//! Irreducible loops, which have several entries: finding them, and giving them a single entry.

use super::super::{Access, Builder, Inst, Ty};
use super::{Block, Cfg, Terminator};

/// The edges of a graph in two flat lists, because graphs of jumps may have tens of thousands of blocks.
pub(super) struct Edges {
    /// For each block, the range of its targets in `targets`; one more entry ends the last range.
    start: Vec<u32>,
    targets: Vec<u32>,
}

impl Edges {
    pub(super) fn new(cfg: &Cfg) -> Edges {
        let mut start = Vec::with_capacity(cfg.blocks.len() + 1);
        let mut targets = Vec::with_capacity(2 * cfg.blocks.len());
        start.push(0);
        for block in &cfg.blocks {
            block.terminator.each_target(&mut |t| targets.push(t as u32));
            start.push(targets.len() as u32);
        }
        Edges { start, targets }
    }

    /// Returns the targets of a block's terminator, in order.
    pub(super) fn of(&self, block: usize) -> &[u32] {
        &self.targets[self.start[block] as usize..self.start[block + 1] as usize]
    }

    /// Returns the edges into each block that come from the blocks of `order`, in the order of their sources.
    fn reversed(&self, order: &[usize]) -> Ways {
        let blocks = self.start.len() - 1;
        let mut start = vec![0u32; blocks + 1];
        for &from in order {
            for &t in self.of(from) {
                start[t as usize + 1] += 1;
            }
        }
        for n in 0..blocks {
            start[n + 1] += start[n];
        }
        let mut next = start.clone();
        let mut list = vec![(0, 0); start[blocks] as usize];
        let mut number = 0;
        for &from in order {
            for &t in self.of(from) {
                let place = &mut next[t as usize];
                list[*place as usize] = (number, from as u32);
                *place += 1;
                number += 1;
            }
        }
        Ways { start, list }
    }
}

/// The edges into each block.
struct Ways {
    start: Vec<u32>,
    /// The number of each edge, in ascending order for each block, and the block that it comes from.
    list: Vec<(u32, u32)>,
}

impl Ways {
    fn to(&self, block: usize) -> &[(u32, u32)] {
        &self.list[self.start[block] as usize..self.start[block + 1] as usize]
    }
}

/// Returns the reachable blocks in reverse postorder.
pub(super) fn reverse_postorder(edges: &Edges) -> Vec<usize> {
    let blocks = edges.start.len() - 1;
    let mut seen = vec![false; blocks];
    let mut order = Vec::with_capacity(blocks);
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = stack.last_mut() {
        if let Some(&t) = edges.of(*block).get(*next) {
            *next += 1;
            let t = t as usize;
            if !seen[t] {
                seen[t] = true;
                stack.push((t, 0));
            }
        } else {
            order.push(*block);
            stack.pop();
        }
    }
    order.reverse();
    order
}

/// Disjoint sets of blocks: a block is in the set to which it was added last.
struct Membership {
    set: Vec<u32>,
    last: u32,
}

impl Membership {
    fn new(blocks: usize) -> Self {
        Membership {
            set: vec![0; blocks],
            last: 0,
        }
    }
    /// Creates a set of these blocks.
    fn put(&mut self, blocks: &[usize]) -> u32 {
        self.last += 1;
        blocks.iter().for_each(|&b| self.set[b] = self.last);
        self.last
    }
    /// Adds a block to a set. Returns whether it was not in the set before.
    fn add(&mut self, set: u32, block: usize) -> bool {
        std::mem::replace(&mut self.set[block], set) != set
    }
    fn contains(&self, set: u32, block: usize) -> bool {
        self.set[block] == set
    }
}

/// The result of the search for irreducible loops.
pub(super) enum Found {
    /// Each loop has a single entry.
    Reducible,
    /// A strongly connected set of blocks with several entries, and those entries.
    Irreducible {
        members: Vec<usize>,
        entries: Vec<usize>,
    },
    /// Loops are nested more deeply than [`MAX_NESTING`](super::MAX_NESTING).
    TooDeep,
}

/// Searches for a loop with several entries.
pub(super) fn find_irreducible(cfg: &Cfg) -> Found {
    let edges = Edges::new(cfg);
    let order = reverse_postorder(&edges);
    let ways = edges.reversed(&order);
    let mut member = Membership::new(cfg.blocks.len());
    let mut reached = Membership::new(cfg.blocks.len());
    let mut inside = Membership::new(cfg.blocks.len());
    let mut work = vec![(order, 0)];
    while let Some((set, depth)) = work.pop() {
        if depth > super::MAX_NESTING {
            return Found::TooDeep;
        }
        let current = member.put(&set);
        for component in components(
            &edges,
            &ways,
            &set,
            &|b| member.contains(current, b),
            &mut reached,
        ) {
            if component.len() == 1 && !edges.of(component[0]).contains(&(component[0] as u32)) {
                continue;
            }
            let own = inside.put(&component);
            // An entry is a block that a reachable block outside the set jumps to, or the function's entry.
            let mut entries: Vec<(u32, usize)> = Vec::new();
            for &b in &component {
                let is_outside = |&&(_, from): &&(u32, u32)| !inside.contains(own, from as usize);
                let first = ways.to(b).iter().find(is_outside);
                entries.extend(first.map(|&(number, _)| (number, b)));
            }
            entries.sort_unstable();
            let mut entries: Vec<usize> = entries.into_iter().map(|(_, b)| b).collect();
            if inside.contains(own, 0) && !entries.contains(&0) {
                entries.push(0);
            }
            if entries.len() > 1 {
                return Found::Irreducible {
                    members: component,
                    entries,
                };
            }
            // Nested loops are found in the set without its header, so without the back edges.
            let rest: Vec<usize> = component
                .iter()
                .copied()
                .filter(|b| !entries.contains(b))
                .collect();
            if !rest.is_empty() {
                work.push((rest, depth + 1));
            }
        }
    }
    Found::Reducible
}

/// Returns the strongly connected components of a subgraph (Kosaraju), ordered by their first block in `set`.
fn components(
    edges: &Edges,
    ways: &Ways,
    set: &[usize],
    member: &impl Fn(usize) -> bool,
    reached: &mut Membership,
) -> Vec<Vec<usize>> {
    // The postorder of the subgraph.
    let seen = reached.put(&[]);
    let mut post = Vec::new();
    for &root in set {
        if !reached.add(seen, root) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((block, next)) = stack.last_mut() {
            if let Some(&t) = edges.of(*block).get(*next) {
                *next += 1;
                let t = t as usize;
                if member(t) && reached.add(seen, t) {
                    stack.push((t, 0));
                }
            } else {
                post.push(*block);
                stack.pop();
            }
        }
    }
    let assigned = reached.put(&[]);
    let mut list = Vec::new();
    for &root in post.iter().rev() {
        if !reached.add(assigned, root) {
            continue;
        }
        let mut component = Vec::new();
        let mut stack = vec![root];
        while let Some(b) = stack.pop() {
            component.push(b);
            for &(_, p) in ways.to(b) {
                let p = p as usize;
                if member(p) && reached.add(assigned, p) {
                    stack.push(p);
                }
            }
        }
        list.push(component);
    }
    list
}

/// Gives a loop a single entry: a new block that jumps to the old entry whose number `variable` holds.
pub(super) fn single_entry(
    b: &mut Builder<'_>,
    cfg: &mut Cfg,
    members: &[usize],
    entries: &[usize],
    variable: Inst,
) {
    let pointer = b.func.insts[variable].results[0];
    let access = Access {
        align: 4,
        volatile: false,
    };
    let home = b.region();

    let dispatch = cfg.blocks.len();
    let region = b.func.new_region(&[]);
    b.move_to_end(region);
    let value = b.load(pointer, Ty::I32, access);
    let last = entries.len() - 1;
    let cases = entries[..last]
        .iter()
        .enumerate()
        .map(|(i, &e)| (vec![i as u64], e))
        .collect();
    let terminator = Terminator::Switch {
        value,
        cases,
        default: entries[last],
    };
    cfg.blocks.push(Block::new(region, terminator));
    // An edge to an old entry now leads through a new block, its door, which stores the entry's number.
    let mut new_doors = || {
        let first = cfg.blocks.len();
        for i in 0..entries.len() {
            let region = b.func.new_region(&[]);
            b.move_to_end(region);
            let number = b.i32(i as i32);
            b.store(pointer, number, access);
            cfg.blocks.push(Block::new(region, Terminator::Jump(dispatch)));
        }
        first
    };
    // Edges from inside and from outside have different doors, so that a door is not a second entry.
    let (doors, inner_doors) = (new_doors(), new_doors());
    let mut is_member = vec![false; dispatch];
    members.iter().for_each(|&m| is_member[m] = true);
    for (block, inside) in is_member.into_iter().enumerate() {
        cfg.blocks[block]
            .terminator
            .retarget(&mut |t| match entries.iter().position(|&e| e == t) {
                Some(i) if inside => inner_doors + i,
                Some(i) => doors + i,
                None => t,
            });
    }
    // The function's entry cannot be entered through a door. Its block number stays, and a new block with its
    // code follows it.
    if let Some(i) = entries.iter().position(|&e| e == 0) {
        let moved = cfg.blocks.len();
        let first = cfg.blocks[0].clone();
        cfg.blocks.push(first);
        for block in &mut cfg.blocks[1..] {
            block.terminator.retarget(&mut |t| if t == 0 { moved } else { t });
        }
        let region = b.func.new_region(&[]);
        cfg.blocks[0] = Block::new(region, Terminator::Jump(doors + i));
    }
    b.move_to_end(home);
}
