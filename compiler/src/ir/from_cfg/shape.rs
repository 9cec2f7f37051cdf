//! How a reducible graph is nested.

use super::loops::reverse_postorder;
use super::{Cfg, Terminator};
use crate::diag::InternalError;

/// What the translation needs to know of a reducible graph.
pub(super) struct Shape {
    /// Position in reverse postorder; `usize::MAX` for blocks that are not reached.
    pub(super) number: Vec<usize>,
    /// Whether it is gone back to.
    pub(super) header: Vec<bool>,
    /// Blocks to place behind a `Block` inside the loop of this block, if it has one; in reverse postorder.
    pub(super) inner: Vec<Vec<usize>>,
    /// Blocks to place behind the loop of this block.
    pub(super) outer: Vec<Vec<usize>>,
    /// How deep regions get nested, at least, if branches are not nested in each other.
    pub(super) depth: usize,
}

/// A set of blocks.
#[derive(Clone)]
struct Blocks(Vec<u64>);

impl Blocks {
    fn new(blocks: usize) -> Self {
        Blocks(vec![0; blocks.div_ceil(64)])
    }
    fn contains(&self, block: usize) -> bool {
        self.0[block / 64] & (1 << (block % 64)) != 0
    }
    /// Whether it was not there before.
    fn add(&mut self, block: usize) -> bool {
        let added = !self.contains(block);
        self.0[block / 64] |= 1 << (block % 64);
        added
    }
}

impl Shape {
    pub(super) fn new(cfg: &Cfg) -> Result<Shape, InternalError> {
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
        let mut body_of: Vec<Option<Blocks>> = vec![None; n];
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
            let mut body = Blocks::new(n);
            body.add(b);
            let mut stack = latches;
            while let Some(x) = stack.pop() {
                if body.add(x) {
                    stack.extend(&preds[x]);
                }
            }
            body_of[b] = Some(body);
        }
        // The next header up the dominator tree, the block itself included.
        let mut header_above = vec![None; n];
        for &b in &order {
            header_above[b] = if header[b] { Some(b) } else { header_above[idom[b]] };
        }
        let mut inner = vec![Vec::new(); n];
        let mut outer = vec![Vec::new(); n];
        for &b in order.iter().skip(1) {
            // The outermost loop around the immediate dominator that this block is outside of.
            let mut place = None;
            let mut up = header_above[idom[b]];
            while let Some(h) = up {
                if let Some(body) = &body_of[h]
                    && body.contains(idom[b])
                    && !body.contains(b)
                {
                    place = Some(h);
                }
                up = if h == 0 { None } else { header_above[idom[h]] };
            }
            let forward = preds[b].iter().filter(|&&p| number[p] < number[b]).count();
            match place {
                Some(h) => outer[h].push(b),
                None if forward > 1 => inner[idom[b]].push(b),
                None => {}
            }
        }
        let mut shape = Shape {
            number,
            header,
            inner,
            outer,
            depth: 0,
        };
        shape.depth = shape.depth_of(cfg, &order, &idom);
        Ok(shape)
    }

    /// [`Shape::depth`]. What is dominated has a higher number, so it is done before.
    fn depth_of(&self, cfg: &Cfg, order: &[usize], idom: &[usize]) -> usize {
        let mut placed = vec![false; idom.len()];
        self.inner
            .iter()
            .chain(&self.outer)
            .flatten()
            .for_each(|&b| placed[b] = true);
        // Of each block with all that it dominates; of what is placed in its arms.
        let mut depth = vec![0; idom.len()];
        let mut arms = vec![0; idom.len()];
        for &b in order.iter().rev() {
            let mut within = arms[b];
            for (n, &t) in self.inner[b].iter().rev().enumerate() {
                within = within.max(n + depth[t]);
            }
            let mut all = self.inner[b].len() + within + usize::from(self.header[b]);
            for (n, &t) in self.outer[b].iter().rev().enumerate() {
                all = all.max(n + depth[t]);
            }
            depth[b] = all + self.outer[b].len();
            if !placed[b] && b != order[0] {
                let arm = match &cfg.blocks[idom[b]].terminator {
                    Terminator::Switch { .. } => 1,
                    Terminator::Branch { otherwise, .. } => usize::from(*otherwise != b),
                    Terminator::Jump(_) | Terminator::Ended => 0,
                };
                let arms = &mut arms[idom[b]];
                *arms = (*arms).max(depth[b] + arm);
            }
        }
        depth[order[0]]
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
