//! Immediate dominators of a graph (Lengauer and Tarjan, 1979, with simple path compression). The algorithm
//! takes O(m log n), which functions with tens of thousands of jumps need.

use super::loops::Edges;

/// The dominator tree of the reachable blocks.
pub(super) struct Dominators {
    /// The immediate dominator of each block. The entry's is the entry itself; unreachable blocks have
    /// `usize::MAX`.
    pub(super) idom: Vec<usize>,
    /// The times at which a traversal of the tree enters and leaves each block.
    span: Vec<(u32, u32)>,
}

impl Dominators {
    /// Returns whether every path to `b` leads through `a`.
    pub(super) fn dominates(&self, a: usize, b: usize) -> bool {
        self.span[a].0 <= self.span[b].0 && self.span[b].1 <= self.span[a].1
    }

    /// Computes the tree. `order` has the reachable blocks, the entry first; `preds` has the predecessors of
    /// each block.
    pub(super) fn new(edges: &Edges, order: &[usize], preds: &[Vec<usize>]) -> Dominators {
        let blocks = preds.len();
        let mut search = Search::new(edges, blocks, order[0]);
        let count = search.block.len();
        // From here on, blocks are identified by their numbers in the depth-first search.
        let mut idom = vec![0; count];
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); count];
        for v in (1..count).rev() {
            for &p in &preds[search.block[v]] {
                let u = search.eval(search.number[p]);
                search.semi[v] = search.semi[v].min(search.semi[u]);
            }
            buckets[search.semi[v]].push(v);
            let parent = search.parent[v];
            search.ancestor[v] = Some(parent);
            for w in std::mem::take(&mut buckets[parent]) {
                let u = search.eval(w);
                idom[w] = if search.semi[u] < search.semi[w] {
                    u
                } else {
                    parent
                };
            }
        }
        for v in 1..count {
            if idom[v] != search.semi[v] {
                idom[v] = idom[idom[v]];
            }
        }
        let mut by_block = vec![usize::MAX; blocks];
        for (v, &block) in search.block.iter().enumerate() {
            by_block[block] = search.block[idom[v]];
        }
        Dominators {
            span: spans(&by_block, order),
            idom: by_block,
        }
    }
}

/// Computes when a traversal enters and leaves each node of a tree, which is given by the parents of its
/// nodes. In `order`, parents come before their children, the root first.
pub(super) fn spans(parent: &[usize], order: &[usize]) -> Vec<(u32, u32)> {
    let mut size = vec![1u32; parent.len()];
    for &b in order.iter().skip(1).rev() {
        size[parent[b]] += size[b];
    }
    let mut span = vec![(u32::MAX, 0); parent.len()];
    // The entry time of the next child of each node.
    let mut next = vec![0u32; parent.len()];
    for (n, &b) in order.iter().enumerate() {
        let from = if n == 0 { 0 } else { next[parent[b]] };
        if n > 0 {
            next[parent[b]] += size[b];
        }
        span[b] = (from, from + size[b]);
        next[b] = from + 1;
    }
    span
}

/// A depth-first search, and the forest that the algorithm of Lengauer and Tarjan links from its tree.
struct Search {
    /// The number of each block, and the block with each number.
    number: Vec<usize>,
    block: Vec<usize>,
    parent: Vec<usize>,
    semi: Vec<usize>,
    ancestor: Vec<Option<usize>>,
    /// The node with the smallest semidominator on the compressed path to the root.
    label: Vec<usize>,
}

impl Search {
    fn new(edges: &Edges, blocks: usize, entry: usize) -> Search {
        let mut number = vec![usize::MAX; blocks];
        let (mut block, mut parent) = (vec![entry], vec![0]);
        number[entry] = 0;
        let mut stack = vec![(0, edges.of(entry).iter())];
        while let Some((from, targets)) = stack.last_mut() {
            let from = *from;
            let Some(&t) = targets.next() else {
                stack.pop();
                continue;
            };
            let t = t as usize;
            if number[t] == usize::MAX {
                number[t] = block.len();
                stack.push((block.len(), edges.of(t).iter()));
                block.push(t);
                parent.push(from);
            }
        }
        let count = block.len();
        Search {
            number,
            block,
            parent,
            semi: (0..count).collect(),
            ancestor: vec![None; count],
            label: (0..count).collect(),
        }
    }

    /// Returns the node with the smallest semidominator on the path to the root of its tree, without the
    /// root.
    fn eval(&mut self, v: usize) -> usize {
        let Some(mut at) = self.ancestor[v] else {
            return v;
        };
        // The path to the root, which is compressed starting at the root.
        let mut way = vec![v];
        while let Some(up) = self.ancestor[at] {
            way.push(at);
            at = up;
        }
        for n in (0..way.len() - 1).rev() {
            let (low, high) = (way[n], way[n + 1]);
            if self.semi[self.label[high]] < self.semi[self.label[low]] {
                self.label[low] = self.label[high];
            }
            self.ancestor[low] = self.ancestor[high];
        }
        self.label[v]
    }
}
