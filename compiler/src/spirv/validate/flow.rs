//! Validation of structure and dominance: every block belongs to one construct, branches leave a construct
//! only to allowed targets, and each value is used only where its definition dominates.

use crate::hash::{HashMap, HashSet};

use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::Op;

use super::{Checked, Checker, id, refuse};

/// The deepest nesting of constructs. Each level takes a part of the stack.
const DEEPEST: u32 = 400;

/// The targets to which a branch may leave a construct.
#[derive(Copy, Clone, Default)]
struct Exits {
    selection: Option<u32>,
    switch: Option<u32>,
    merge: Option<u32>,
    continue_: Option<u32>,
}

impl Exits {
    fn has(self, label: u32) -> bool {
        [self.selection, self.switch, self.merge, self.continue_].contains(&Some(label))
    }
}

struct Walk<'f> {
    blocks: HashMap<u32, &'f Block>,
    visited: HashSet<u32>,
    /// The merge and continue blocks, which are reached through their headers.
    taken: HashSet<u32>,
    reachable: HashSet<u32>,
}

fn label(block: &Block) -> u32 {
    block.label.as_ref().and_then(|l| l.result_id).unwrap_or(0)
}

/// Returns the labels that a block may branch to.
fn successors(block: &Block) -> Vec<u32> {
    let Some(last) = block.instructions.last() else {
        return Vec::new();
    };
    let ids = last.operands.iter().filter_map(Operand::id_ref_any);
    match last.class.opcode {
        Op::Branch => ids.collect(),
        Op::BranchConditional | Op::Switch => ids.skip(1).collect(),
        _ => Vec::new(),
    }
}

impl Checker<'_> {
    pub(super) fn flow(&self, f: &Function) -> Checked {
        let Some(first) = f.blocks.first() else {
            return Err("a function has no body".into());
        };
        let mut walk = Walk {
            blocks: f.blocks.iter().map(|b| (label(b), b)).collect(),
            visited: HashSet::default(),
            taken: HashSet::default(),
            reachable: HashSet::default(),
        };
        for block in &f.blocks {
            terminated(block)?;
            for to in successors(block) {
                if !walk.blocks.contains_key(&to) || to == label(first) {
                    let last = block.instructions.last().unwrap_or(&first.instructions[0]);
                    return refuse(last, &format!("%{to} is no block to branch to"));
                }
            }
        }
        let mut list = vec![label(first)];
        while let Some(at) = list.pop() {
            if walk.reachable.insert(at) {
                list.extend(successors(walk.blocks[&at]));
            }
        }
        walk.region(label(first), Exits::default(), 0)?;
        for block in &f.blocks {
            if !walk.visited.contains(&label(block)) {
                return Err(format!(
                    "%{} = OpLabel: a block outside of every construct",
                    label(block)
                ));
            }
        }
        self.dominance(f, &walk.reachable)
    }

    /// Checks that the definition of each operand dominates the use.
    fn dominance(&self, f: &Function, reachable: &HashSet<u32>) -> Checked {
        let order: HashMap<u32, usize> = f.blocks.iter().enumerate().map(|(n, b)| (label(b), n)).collect();
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); f.blocks.len()];
        for (n, block) in f.blocks.iter().enumerate() {
            for to in successors(block) {
                preds[order[&to]].push(n);
            }
        }
        let live = |n: usize| reachable.contains(&label(&f.blocks[n]));
        let mut idom: Vec<Option<usize>> = vec![None; f.blocks.len()];
        idom[0] = Some(0);
        let post = postorder(f, &order);
        let number: HashMap<usize, usize> = post.iter().enumerate().map(|(n, b)| (*b, n)).collect();
        loop {
            let mut changed = false;
            for &b in post.iter().rev().filter(|b| **b != 0) {
                let mut new: Option<usize> = None;
                for &p in preds[b].iter().filter(|p| live(**p) && idom[**p].is_some()) {
                    new = Some(match new {
                        None => p,
                        Some(mut a) => {
                            let mut c = p;
                            while a != c {
                                while number[&a] < number[&c] {
                                    a = idom[a].unwrap_or(0);
                                }
                                while number[&c] < number[&a] {
                                    c = idom[c].unwrap_or(0);
                                }
                            }
                            a
                        }
                    });
                }
                if new.is_some() && idom[b] != new {
                    idom[b] = new;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let dominates = |a: usize, mut b: usize| loop {
            if a == b {
                return true;
            }
            match idom[b] {
                Some(up) if up != b => b = up,
                _ => return false,
            }
        };
        // A block must come after the blocks that dominate it.
        for (n, up) in idom.iter().enumerate() {
            if up.is_some_and(|up| up > n) {
                return Err(format!(
                    "%{} = OpLabel: it stands before its dominator",
                    label(&f.blocks[n])
                ));
            }
        }
        let mut places: HashMap<u32, (usize, usize)> = HashMap::default();
        for (n, block) in f.blocks.iter().enumerate() {
            for (i, inst) in block.instructions.iter().enumerate() {
                if let Some(id) = inst.result_id {
                    places.insert(id, (n, i));
                }
            }
        }
        let params: HashSet<u32> = f.parameters.iter().filter_map(|p| p.result_id).collect();
        for (n, block) in f.blocks.iter().enumerate() {
            for (i, inst) in block.instructions.iter().enumerate() {
                let is_phi = inst.class.opcode == Op::Phi;
                if is_phi {
                    self.phi(inst, &preds[n], f)?;
                }
                for (k, used) in inst.operands.iter().enumerate() {
                    let Some(used) = used.id_ref_any() else { continue };
                    if order.contains_key(&used) || params.contains(&used) || self.is_global(used) {
                        continue;
                    }
                    let Some(&(b, at)) = places.get(&used) else {
                        return refuse(inst, &format!("%{used} is nothing that it could use"));
                    };
                    let good = match is_phi {
                        true => match inst.operands.get(k + 1).and_then(Operand::id_ref_any) {
                            Some(from) => order
                                .get(&from)
                                .is_some_and(|&from| !live(from) || dominates(b, from)),
                            None => false,
                        },
                        false => !live(n) || b == n && at < i || b != n && dominates(b, n),
                    };
                    if !good {
                        return refuse(inst, &format!("%{used} is not defined on every way to it"));
                    }
                }
            }
        }
        Ok(())
    }

    fn is_global(&self, id: u32) -> bool {
        self.globals.contains(&id)
            || self.types.contains_key(&id)
            || self.glsl.contains(&id)
            || self.silent.contains(&id)
            || self
                .module
                .functions
                .iter()
                .any(|f| f.def.as_ref().and_then(|d| d.result_id) == Some(id))
    }

    fn phi(&self, inst: &Instruction, preds: &[usize], f: &Function) -> Checked {
        let mut from = Vec::new();
        for k in (0..inst.operands.len()).step_by(2) {
            if self.ty(inst, id(inst, k)?)? != inst.result_type.unwrap_or(0) {
                return refuse(inst, "a value of another type");
            }
            from.push(id(inst, k + 1)?);
        }
        let mut wanted: Vec<u32> = preds.iter().map(|p| label(&f.blocks[*p])).collect();
        from.sort_unstable();
        wanted.sort_unstable();
        wanted.dedup();
        match from == wanted {
            true => Ok(()),
            false => refuse(inst, "not one value for each block before"),
        }
    }
}

fn postorder(f: &Function, order: &HashMap<u32, usize>) -> Vec<usize> {
    let mut post = Vec::new();
    let mut seen = vec![false; f.blocks.len()];
    let mut stack = vec![(0usize, 0usize)];
    seen[0] = true;
    while let Some((b, next)) = stack.pop() {
        match successors(&f.blocks[b]).get(next) {
            Some(to) => {
                stack.push((b, next + 1));
                let to = order[to];
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => post.push(b),
        }
    }
    post
}

/// Checks that a block ends with its only terminator, and that a merge instruction comes directly before the
/// terminator.
fn terminated(block: &Block) -> Checked {
    let Some((last, before)) = block.instructions.split_last() else {
        return Err(format!("%{} = OpLabel: an empty block", label(block)));
    };
    let ends = |op| {
        matches!(
            op,
            Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable
        )
    };
    if !ends(last.class.opcode) {
        return refuse(last, "it ends no block");
    }
    for (n, inst) in before.iter().enumerate() {
        let op = inst.class.opcode;
        let merges = matches!(op, Op::SelectionMerge | Op::LoopMerge);
        if ends(op) || merges && n + 1 != before.len() {
            return refuse(inst, "in the middle of a block");
        }
        if op == Op::Phi && before[..n].iter().any(|i| i.class.opcode != Op::Phi) {
            return refuse(inst, "not at the start of its block");
        }
    }
    let merge = before.last().map(|i| i.class.opcode);
    let fits = match merge {
        Some(Op::SelectionMerge) => matches!(last.class.opcode, Op::BranchConditional | Op::Switch),
        Some(Op::LoopMerge) => matches!(last.class.opcode, Op::BranchConditional | Op::Branch),
        _ => !matches!(last.class.opcode, Op::Switch),
    };
    match fits {
        true => Ok(()),
        false => refuse(last, "it does not fit the merge instruction before it"),
    }
}

impl Walk<'_> {
    /// Walks from a block to the exits of its construct.
    fn region(&mut self, mut at: u32, exits: Exits, depth: u32) -> Checked {
        let wrong = |at: u32, why: &str| Err(format!("%{at} = OpLabel: {why}"));
        if depth > DEEPEST {
            return wrong(at, "too deep inside other constructs");
        }
        loop {
            if !self.visited.insert(at) {
                return wrong(at, "it belongs to two constructs");
            }
            let block = self.blocks[&at];
            let merge = block
                .instructions
                .iter()
                .rev()
                .nth(1)
                .filter(|i| matches!(i.class.opcode, Op::SelectionMerge | Op::LoopMerge));
            let mut targets = successors(block);
            let Some(merge) = merge else {
                match targets.as_slice() {
                    [] => return Ok(()),
                    [to] if exits.has(*to) => return Ok(()),
                    [to] if !self.taken.contains(to) => {
                        at = *to;
                        continue;
                    }
                    _ => return wrong(at, "a branch without a construct"),
                }
            };
            let after = id(merge, 0)?;
            let mut claimed = vec![after];
            let is_loop = merge.class.opcode == Op::LoopMerge;
            if is_loop {
                claimed.push(id(merge, 1)?);
            }
            for c in claimed {
                let known = self.blocks.contains_key(&c);
                if !known || exits.has(c) || self.visited.contains(&c) || !self.taken.insert(c) {
                    return refuse(merge, &format!("%{c} is another construct's"));
                }
            }
            let inner = match is_loop {
                true => Exits {
                    merge: Some(after),
                    continue_: Some(id(merge, 1)?),
                    ..Exits::default()
                },
                false => Exits {
                    selection: Some(after),
                    switch: match targets.len() {
                        _ if block
                            .instructions
                            .last()
                            .is_some_and(|l| l.class.opcode == Op::Switch) =>
                        {
                            Some(after)
                        }
                        _ => exits.switch,
                    },
                    ..exits
                },
            };
            targets.dedup();
            if block
                .instructions
                .last()
                .is_some_and(|l| l.class.opcode == Op::Switch)
            {
                targets.sort_unstable();
                targets.dedup();
            }
            for to in targets {
                if !inner.has(to) {
                    if self.taken.contains(&to) {
                        return wrong(to, "a branch into another construct");
                    }
                    self.region(to, inner, depth + 1)?;
                }
            }
            if is_loop {
                self.back(id(merge, 1)?, at, after)?;
            }
            if !self.reachable.contains(&after) {
                let b = self.blocks[&after];
                let trivial = b.instructions.len() == 1 && b.instructions[0].class.opcode == Op::Unreachable;
                if !trivial || !self.visited.insert(after) {
                    return wrong(after, "it cannot be reached, and is not just that");
                }
                return Ok(());
            }
            at = after;
        }
    }

    /// Checks the continue construct of a loop, which branches to the header or out of the loop.
    fn back(&mut self, at: u32, header: u32, after: u32) -> Checked {
        let wrong = |why: &str| Err(format!("%{at} = OpLabel: {why}"));
        if !self.visited.insert(at) {
            return wrong("it belongs to two constructs");
        }
        let block = self.blocks[&at];
        let merges = block
            .instructions
            .iter()
            .any(|i| matches!(i.class.opcode, Op::SelectionMerge | Op::LoopMerge));
        let targets = successors(block);
        let good = targets == [header] || targets == [header, after] || targets == [after, header];
        match good && !merges {
            true => Ok(()),
            false => wrong("a continue block that does not lead back"),
        }
    }
}
