//! The nesting of a reducible graph.

use super::dominators::{Dominators, spans};
use super::loops::{Edges, reverse_postorder};
use super::{Cfg, Terminator};
use crate::diag::InternalError;

/// The properties of a reducible graph that the translation needs.
pub(super) struct Shape {
    /// The position of each block in reverse postorder; `usize::MAX` for unreachable blocks.
    pub(super) number: Vec<usize>,
    /// Whether a back edge leads to the block.
    pub(super) header: Vec<bool>,
    /// For each block, the blocks to place after a `Block` inside its loop (if it has one), in reverse
    /// postorder.
    pub(super) inner: Vec<Vec<usize>>,
    /// For each block, the blocks to place after its loop.
    pub(super) outer: Vec<Vec<usize>>,
    /// The least nesting depth of the regions, that is the depth if branches are not nested in each other.
    pub(super) depth: usize,
}

impl Shape {
    pub(super) fn new(cfg: &Cfg) -> Result<Shape, InternalError> {
        let n = cfg.blocks.len();
        let edges = Edges::new(cfg);
        let order = reverse_postorder(&edges);
        let mut number = vec![usize::MAX; n];
        for (i, &b) in order.iter().enumerate() {
            number[b] = i;
        }
        let mut preds = vec![Vec::new(); n];
        for &b in &order {
            for &t in edges.of(b) {
                preds[t as usize].push(b);
            }
        }
        let dominators = Dominators::new(&edges, &order, &preds);
        let idom = &dominators.idom;
        let mut header = vec![false; n];
        for &b in &order {
            let mut latches = preds[b].iter().filter(|&&p| number[p] >= number[b]).peekable();
            header[b] = latches.peek().is_some();
            if !latches.all(|&l| dominators.dominates(b, l)) {
                return Err(InternalError::new("from_cfg", "an irreducible loop is left"));
            }
        }
        let loops = Loops::new(&order, &number, &preds, &header);
        // The innermost loop that contains a block only because the source says so.
        let named = |b: usize| {
            let within = |b: usize| cfg.blocks[b].within;
            let mut around = std::iter::successors(within(b), |&h| within(h));
            let own = around.find(|&h| header[h] && dominators.dominates(h, b))?;
            (!loops.contains(own, b) && loops.of[b].is_none_or(|of| loops.contains(of, own))).then_some(own)
        };
        let mut inner = vec![Vec::new(); n];
        let mut outer = vec![Vec::new(); n];
        for &b in order.iter().skip(1) {
            // The outermost loop that contains the immediate dominator but not this block.
            let innermost = named(idom[b]).or(loops.of[idom[b]]);
            let around = std::iter::successors(innermost, |&h| loops.around[h]);
            let is_in = |h: usize| {
                loops.contains(h, b) || named(b).is_some_and(|own| h == own || loops.contains(h, own))
            };
            let place = around.take_while(|&h| !is_in(h)).last();
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
        shape.depth = shape.depth_of(cfg, &order, idom);
        Ok(shape)
    }

    /// Computes [`Shape::depth`]. Dominated blocks have higher numbers, so in reverse order they are done
    /// first.
    fn depth_of(&self, cfg: &Cfg, order: &[usize], idom: &[usize]) -> usize {
        let mut placed = vec![false; idom.len()];
        self.inner
            .iter()
            .chain(&self.outer)
            .flatten()
            .for_each(|&b| placed[b] = true);
        // The depth of each block with all blocks that it dominates, and the depth of the blocks that are
        // placed in its arms.
        let mut depth = vec![0; idom.len()];
        let mut arms = vec![0; idom.len()];
        for &b in order.iter().rev() {
            // The block is in as many `Block`s as blocks are placed after it. Each of those is in as many of
            // them as follow it in the list.
            let inner = &self.inner[b];
            let mut within = inner.len() + arms[b];
            for (n, &t) in inner.iter().rev().enumerate() {
                within = within.max(n + depth[t]);
            }
            let outer = &self.outer[b];
            let mut all = outer.len() + usize::from(self.header[b]) + within;
            for (n, &t) in outer.iter().rev().enumerate() {
                all = all.max(n + depth[t]);
            }
            depth[b] = all;
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

/// The nesting of the loops of a reducible graph. A loop is identified by its header.
struct Loops {
    /// The innermost loop that contains each block; the block may be its header.
    of: Vec<Option<usize>>,
    /// The loop that contains each header's loop.
    around: Vec<Option<usize>>,
    /// The times at which a traversal of the tree of loops enters and leaves each header; the last entry is
    /// the root's.
    span: Vec<(u32, u32)>,
}

impl Loops {
    fn new(order: &[usize], number: &[usize], preds: &[Vec<usize>], header: &[bool]) -> Loops {
        let n = header.len();
        let mut of: Vec<Option<usize>> = vec![None; n];
        let mut around: Vec<Option<usize>> = vec![None; n];
        // The outermost loop found so far around each header, as a union-find forest.
        let mut top: Vec<usize> = (0..n).collect();
        // Inner loops come first, because their headers have later positions in reverse postorder.
        for &h in order.iter().rev().filter(|&&b| header[b]) {
            let mut stack: Vec<usize> = preds[h]
                .iter()
                .copied()
                .filter(|&p| number[p] >= number[h])
                .collect();
            of[h] = Some(h);
            while let Some(x) = stack.pop() {
                match of[x] {
                    None => {
                        of[x] = Some(h);
                        stack.extend(&preds[x]);
                    }
                    Some(inside) => {
                        let outermost = find(&mut top, inside);
                        if outermost != h {
                            around[outermost] = Some(h);
                            top[outermost] = h;
                            stack.extend(&preds[outermost]);
                        }
                    }
                }
            }
        }
        let headers = order.iter().copied().filter(|&b| header[b]);
        let with_root: Vec<usize> = std::iter::once(n).chain(headers).collect();
        let parent: Vec<usize> = around
            .iter()
            .map(|a| a.unwrap_or(n))
            .chain(std::iter::once(n))
            .collect();
        Loops {
            of,
            span: spans(&parent, &with_root),
            around,
        }
    }

    /// Returns whether a block is in the loop with this header.
    fn contains(&self, header: usize, block: usize) -> bool {
        self.of[block].is_some_and(|l| {
            let (outer, inner) = (self.span[header], self.span[l]);
            outer.0 <= inner.0 && inner.1 <= outer.1
        })
    }
}

/// Returns the root of a node's tree and compresses the path to it.
fn find(parent: &mut [usize], node: usize) -> usize {
    let mut at = node;
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}
