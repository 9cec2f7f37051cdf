//! Translation of a `switch` whose labels are all directly in its body.
//!
//! The body is divided into segments at its labels. A segment that falls through into the next one is in the
//! same *chain* as that one. An IR switch selects the chain. A chain of several segments is a ladder of nested
//! blocks, which is entered at the right rung:
//!
//! ```text
//! switch v { chain A: … exit switch
//!            chain B: block e1 { block e0 { switch v { 2: exit e0 } default: exit e1 } segment 2 } segment 3 … }
//! ```
//!
//! The nesting of a ladder is as deep as the number of its rungs. A longer chain is flat instead: a number
//! gives the segment at which it is entered, and each segment is in an `if` that compares this number.
//!
//! `break` is an exit from the IR switch. A switch with labels at deeper levels is lowered through the graph
//! (`goto`).

use super::func::FuncLowering;
use super::stmt::Jump;
use super::{Lowered, at, broken};
use crate::hir::{Expr, Stmt, StmtKind};
use crate::ir::{BinOp, CmpOp, Ty, Value};

/// A range of values that a label covers, both bounds included.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct CaseRange {
    pub(super) lo: u64,
    pub(super) hi: u64,
}

/// The labels and targets of a switch that is being lowered into the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct SwitchContext {
    pub(super) cases: Vec<(CaseRange, usize)>,
    pub(super) default: Option<usize>,
}

/// The statements between two labels.
struct Segment<'s> {
    cases: Vec<CaseRange>,
    default: bool,
    stmts: Vec<&'s Stmt>,
}

/// The largest number of values of a range that is listed; larger ranges are compared.
const LISTED: u64 = 64;

/// The number of segments of the longest chain that becomes a ladder.
const MAX_RUNGS: usize = 16;

/// In a longer chain, the number of segments, or of groups of segments, that are in one `if`.
const GROUP: usize = 16;

impl FuncLowering<'_, '_> {
    pub(super) fn switch_stmt(&mut self, value: &Expr, body: &Stmt) -> Lowered<()> {
        let selector = self.value(value)?;
        let mut segments = Vec::new();
        cut(body, &mut segments)?;

        let ranges: Vec<(CaseRange, usize)> = segments
            .iter()
            .enumerate()
            .flat_map(|(i, s)| s.cases.iter().map(move |&c| (c, i)))
            .collect();
        let (selector, values) = self.selector(selector, &ranges, segments.len())?;

        // Form the chains: a segment starts a new chain unless the segment before falls through into it.
        let mut chains: Vec<Vec<usize>> = Vec::new();
        for i in 0..segments.len() {
            match chains.last_mut() {
                Some(chain) if i > 0 && completes(&segments[i - 1].stmts) => chain.push(i),
                Some(_) | None => chains.push(vec![i]),
            }
        }
        let default_chain = chains
            .iter()
            .position(|chain| chain.iter().any(|&i| segments[i].default));
        let mut lists = Vec::new();
        let mut listed_chains = Vec::new();
        for (c, chain) in chains.iter().enumerate() {
            let list: Vec<u64> = chain.iter().flat_map(|&i| values[i].iter().copied()).collect();
            if Some(c) != default_chain && !list.is_empty() {
                lists.push(list);
                listed_chains.push(c);
            }
        }
        let (inst, regions) = self.b.switch(selector, lists, &[]);
        self.breaks.push(Jump::Exit(inst));
        for (&region, chain) in regions
            .iter()
            .zip(listed_chains.iter().copied().map(Some).chain([default_chain]))
        {
            self.b.enter(region);
            if let Some(chain) = chain {
                let chain: Vec<(&Segment<'_>, &[u64])> = chains[chain]
                    .iter()
                    .map(|&i| (&segments[i], &values[i][..]))
                    .collect();
                self.chain(selector, &chain)?;
            }
            self.exit(inst, vec![]);
            self.b.leave();
        }
        self.breaks.pop();
        self.close(inst);
        Ok(())
    }

    /// Returns the value to switch on and, for each of `count` targets, its case values. If there are wide
    /// ranges, they are compared first, and the selector is the number of the target.
    pub(super) fn selector(
        &mut self,
        value: Value,
        ranges: &[(CaseRange, usize)],
        count: usize,
    ) -> Lowered<(Value, Vec<Vec<u64>>)> {
        let mut values = vec![Vec::new(); count];
        let width = |r: &CaseRange| r.hi.wrapping_sub(r.lo);
        let bits = self.b.func.ty(value).scalar.bits();
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        if ranges.iter().all(|(r, _)| width(r) & mask < LISTED) {
            for (r, target) in ranges {
                for i in 0..=(width(r) & mask) {
                    values[*target].push(r.lo.wrapping_add(i) & mask);
                }
            }
            return Ok((value, values));
        }
        // Sema reports empty ranges of signed numbers. The remaining ranges need a single unsigned
        // comparison, whatever the signedness.
        let value_ty = self.b.func.ty(value);
        let mut number = self.b.i32(-1);
        for (r, target) in ranges {
            let lo = self.b.bits(value_ty, r.lo);
            let span = self.b.bits(value_ty, width(r));
            let above = self.b.binary(BinOp::ISub, value, lo);
            let inside = self.b.compare(CmpOp::ULe, above, span);
            let this = self.b.i32(*target as i32);
            number = self.b.select(inside, this, number);
        }
        for (i, list) in values.iter_mut().enumerate() {
            if ranges.iter().any(|(_, target)| *target == i) {
                list.push(i as u64);
            }
        }
        Ok((number, values))
    }

    /// Emits the segments of a chain, each of which falls through into the next.
    fn chain(&mut self, selector: Value, chain: &[(&Segment<'_>, &[u64])]) -> Lowered<()> {
        let [(first, _), rest @ ..] = chain else {
            return Ok(());
        };
        if rest.is_empty() {
            return self.segment(first);
        }
        let default = chain
            .iter()
            .position(|(s, _)| s.default)
            .unwrap_or(chain.len() - 1);
        let listed: Vec<usize> = (0..chain.len())
            .filter(|&i| i != default && !chain[i].1.is_empty())
            .collect();
        let lists = listed.iter().map(|&i| chain[i].1.to_vec()).collect();
        let rungs = listed.iter().copied().chain([default]);
        if chain.len() > MAX_RUNGS {
            let (entry, regions) = self.b.switch(selector, lists, &[Ty::I32]);
            for (region, rung) in regions.into_iter().zip(rungs) {
                self.b.enter(region);
                let number = self.b.i32(rung as i32);
                self.b.exit(entry, vec![number]);
                self.b.leave();
            }
            let entry = self.b.func.insts[entry].results[0];
            return self.guarded(entry, chain, 0);
        }
        // There is one block for each rung; that of the last segment is outermost.
        let mut blocks = Vec::new();
        for _ in chain {
            let (block, region) = self.b.block(&[]);
            self.b.enter(region);
            blocks.push(block);
        }
        blocks.reverse();
        let (_, regions) = self.b.switch(selector, lists, &[]);
        for (region, rung) in regions.into_iter().zip(rungs) {
            self.b.enter(region);
            self.exit(blocks[rung], vec![]);
            self.b.leave();
        }
        self.b.unreachable();
        for (i, (segment, _)) in chain.iter().enumerate() {
            self.b.leave();
            self.close(blocks[i]);
            self.segment(segment)?;
            if let Some(&next) = blocks.get(i + 1) {
                self.exit(next, vec![]);
            }
        }
        Ok(())
    }

    /// Emits segments of a chain that is entered at segment number `entry`; `first` is the number of the
    /// first of these segments. Groups of segments that all precede the entry are skipped with one
    /// comparison.
    fn guarded(&mut self, entry: Value, chain: &[(&Segment<'_>, &[u64])], first: usize) -> Lowered<()> {
        let mut group = 1;
        while group * GROUP < chain.len() {
            group *= GROUP;
        }
        for (n, part) in chain.chunks(group).enumerate() {
            if self.b.is_terminated() {
                break;
            }
            let first = first + n * group;
            let last = self.b.i32((first + part.len() - 1) as i32);
            let reached = self.b.compare(CmpOp::SLe, entry, last);
            let (test, then, otherwise) = self.b.if_(reached, &[]);
            self.b.enter(otherwise);
            self.exit(test, vec![]);
            self.b.leave();
            self.b.enter(then);
            match part {
                [(segment, _)] => self.segment(segment)?,
                _ => self.guarded(entry, part, first)?,
            }
            self.exit(test, vec![]);
            self.b.leave();
            self.close(test);
        }
        Ok(())
    }

    fn segment(&mut self, segment: &Segment<'_>) -> Lowered<()> {
        for s in &segment.stmts {
            self.stmt(s)?;
        }
        Ok(())
    }
}

/// Divides a switch's body into segments at its labels. Statements before the first label are unreachable.
fn cut<'s>(body: &'s Stmt, out: &mut Vec<Segment<'s>>) -> Lowered<()> {
    let label = |out: &mut Vec<Segment<'s>>, range: Option<CaseRange>| {
        if out.last().is_none_or(|s| !s.stmts.is_empty()) {
            out.push(Segment {
                cases: Vec::new(),
                default: false,
                stmts: Vec::new(),
            });
        }
        if let Some(last) = out.last_mut() {
            match range {
                Some(r) => last.cases.push(r),
                None => last.default = true,
            }
        }
    };
    match &body.kind {
        StmtKind::Block(stmts) if has_labels(body) => {
            for s in stmts {
                cut(s, out)?;
            }
        }
        StmtKind::Case { lo, hi } => label(out, Some(CaseRange { lo: *lo, hi: *hi })),
        StmtKind::Default => label(out, None),
        _ if has_labels(body) => return broken(at(body.span, "a case label in a nested statement")),
        _ => {
            if let Some(last) = out.last_mut() {
                last.stmts.push(body);
            }
        }
    }
    Ok(())
}

/// Returns whether a statement contains labels of the enclosing switch.
pub(super) fn has_labels(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Case { .. } | StmtKind::Default => true,
        StmtKind::Block(stmts) => stmts.iter().any(has_labels),
        StmtKind::If { then, otherwise, .. } => {
            has_labels(then) || otherwise.as_deref().is_some_and(has_labels)
        }
        StmtKind::Loop { body, .. } => has_labels(body),
        StmtKind::Switch { .. }
        | StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => false,
    }
}

/// Returns whether control may reach the end of the statements; `true` if in doubt.
fn completes(stmts: &[&Stmt]) -> bool {
    stmts.iter().all(|s| stmt_completes(s))
}

fn stmt_completes(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::Goto(_) => false,
        StmtKind::Block(stmts) => stmts.iter().all(stmt_completes),
        StmtKind::If { then, otherwise, .. } => {
            stmt_completes(then) || otherwise.as_deref().is_none_or(stmt_completes)
        }
        StmtKind::Loop { .. }
        | StmtKind::Switch { .. }
        | StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Label(_) => true,
    }
}
