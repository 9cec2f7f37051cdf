//! Functions whose control flow cannot be written directly as structured regions: those with `goto`, or with
//! `case` inside a nested statement of the switch (Duff's device).
//!
//! Their statements become blocks of a graph, which [`crate::ir::from_cfg`] translates. A statement without
//! labels and without jumps to the outside stays structured inside a block. No value is used in another block
//! than the one that defines it: all variables are in memory.

use super::func::FuncLowering;
use super::stmt::Jump;
use super::switch::{CaseRange, SwitchContext, has_labels};
use super::{Lowered, at, broken};
use crate::hash::HashMap;
use crate::hir::{Expr, ExprKind, LabelId, Stmt, StmtKind};
use crate::ir::from_cfg::{self, Block, Cfg, Terminator};
use crate::ir::{EntityRef, Region};

/// The control-flow graph of a function's body.
#[derive(Debug)]
pub(super) struct Graph {
    /// The blocks. The terminator is `None` as long as it is unknown.
    blocks: Vec<(Region, Option<Terminator>)>,
    /// For each block, the first block of the loop around it ([`Block::within`]).
    within: Vec<Option<usize>>,
    /// The first block of the loop whose statements are being lowered.
    loop_: Option<usize>,
    current: usize,
    labels: Vec<Option<usize>>,
}

/// Returns whether a body must be lowered as a graph.
pub(super) fn needs_graph(body: &[Stmt]) -> bool {
    body.iter().any(jumps)
}

fn jumps(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Goto(_) => true,
        // A label without a `goto` needs no graph, but such labels are rare.
        StmtKind::Label(_) => true,
        StmtKind::Block(stmts) => stmts.iter().any(jumps),
        StmtKind::If { then, otherwise, .. } => jumps(then) || otherwise.as_deref().is_some_and(jumps),
        StmtKind::Loop { body, .. } => jumps(body),
        StmtKind::Switch { body, .. } => jumps(body) || nested_labels(body),
        StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => false,
    }
}

/// Calls `f` with the label of each `goto` in a statement.
fn each_goto(s: &Stmt, f: &mut impl FnMut(LabelId)) {
    match &s.kind {
        StmtKind::Goto(id) => f(*id),
        StmtKind::Block(stmts) => stmts.iter().for_each(|s| each_goto(s, f)),
        StmtKind::If { then, otherwise, .. } => {
            each_goto(then, f);
            if let Some(s) = otherwise {
                each_goto(s, f);
            }
        }
        StmtKind::Loop { body, .. } | StmtKind::Switch { body, .. } => each_goto(body, f),
        StmtKind::Label(_)
        | StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::Case { .. }
        | StmtKind::Default
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => {}
    }
}

/// Returns, for each label, the last statement of a list that has a `goto` to it. The table is empty if no label is directly in
/// the list.
fn last_gotos(stmts: &[Stmt]) -> HashMap<LabelId, usize> {
    let mut last = HashMap::default();
    if stmts.iter().any(|s| matches!(s.kind, StmtKind::Label(_))) {
        for (n, s) in stmts.iter().enumerate() {
            each_goto(s, &mut |label| {
                last.insert(label, n);
            });
        }
    }
    last
}

/// Returns whether a switch's body has labels at a deeper level than directly in the body.
fn nested_labels(body: &Stmt) -> bool {
    match &body.kind {
        StmtKind::Block(stmts) => stmts.iter().any(nested_labels),
        StmtKind::Case { .. } | StmtKind::Default => false,
        StmtKind::If { .. } | StmtKind::Loop { .. } => has_labels(body),
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

/// Returns whether a statement can stay structured: control enters at its start, and leaves at its end or by
/// a return.
fn closed(s: &Stmt) -> bool {
    closed_in(s, false, false)
}

fn closed_in(s: &Stmt, in_break: bool, in_loop: bool) -> bool {
    match &s.kind {
        StmtKind::Expr(_) | StmtKind::Init(..) | StmtKind::Return(_) => true,
        StmtKind::Block(stmts) => stmts.iter().all(|s| closed_in(s, in_break, in_loop)),
        StmtKind::If { then, otherwise, .. } => {
            closed_in(then, in_break, in_loop)
                && otherwise
                    .as_deref()
                    .is_none_or(|s| closed_in(s, in_break, in_loop))
        }
        StmtKind::Loop { body, .. } => !has_labels(body) && closed_in(body, true, true),
        StmtKind::Switch { body, .. } => !nested_labels(body) && closed_switch(body, in_loop),
        StmtKind::Break => in_break,
        StmtKind::Continue => in_loop,
        StmtKind::Case { .. } | StmtKind::Default | StmtKind::Label(_) | StmtKind::Goto(_) => false,
    }
}

fn closed_switch(body: &Stmt, in_loop: bool) -> bool {
    match &body.kind {
        StmtKind::Block(stmts) => stmts.iter().all(|s| closed_switch(s, in_loop)),
        StmtKind::Case { .. } | StmtKind::Default => true,
        StmtKind::Expr(_)
        | StmtKind::Init(..)
        | StmtKind::If { .. }
        | StmtKind::Loop { .. }
        | StmtKind::Switch { .. }
        | StmtKind::Label(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => closed_in(body, true, in_loop),
    }
}

impl FuncLowering<'_, '_> {
    /// Lowers the whole body as a graph. The cursor is in the function's region, where the parameters have
    /// been stored.
    pub(super) fn body_as_graph(&mut self, body: &[Stmt]) -> Lowered<()> {
        let entry = self.b.func.new_region(&[]);
        let home = self.b.region();
        self.graph = Some(Graph {
            blocks: vec![(entry, None)],
            within: vec![None],
            loop_: None,
            current: 0,
            labels: vec![None; self.source.labels.len()],
        });
        self.b.move_to_end(entry);
        self.graph_stmts(body)?;
        self.end_of_body();
        let Some(graph) = self.graph.take() else {
            return broken("the graph is gone");
        };
        let mut cfg = Cfg::default();
        for ((region, term), within) in graph.blocks.into_iter().zip(graph.within) {
            // A block without a terminator in the graph has its own terminator in its region.
            let terminator = term.unwrap_or(Terminator::Ended);
            let block = Block::new(region, terminator);
            cfg.blocks.push(Block { within, ..block });
        }
        for b in 0..cfg.blocks.len() {
            let ended = self.b.func.terminator(cfg.blocks[b].region).is_some();
            if ended {
                cfg.blocks[b].terminator = Terminator::Ended;
            } else if matches!(cfg.blocks[b].terminator, Terminator::Ended) {
                self.b.move_to_end(cfg.blocks[b].region);
                self.b.unreachable();
            }
        }
        self.b.move_to_end(home);
        from_cfg::structure(&mut self.b, cfg, |b| {
            let op = crate::ir::Op::Alloca { size: 4, align: 4 };
            b.func.new_inst(
                op,
                vec![],
                &[crate::ir::Ty::ptr(crate::ir::AddressSpace::Private)],
                b.span,
            )
        })
        .map(|allocas| self.add_allocas(allocas))
    }

    fn graph(&mut self) -> Lowered<&mut Graph> {
        match &mut self.graph {
            Some(g) => Ok(g),
            None => broken("a jump outside of the graph"),
        }
    }

    fn new_block(&mut self) -> Lowered<usize> {
        let region = self.b.func.new_region(&[]);
        let graph = self.graph()?;
        graph.blocks.push((region, None));
        graph.within.push(graph.loop_);
        Ok(graph.blocks.len() - 1)
    }

    /// Ends the current block, unless it has ended already.
    fn end_block(&mut self, terminator: Terminator) -> Lowered<()> {
        let graph = self.graph()?;
        let current = graph.current;
        if graph.blocks[current].1.is_none() {
            graph.blocks[current].1 = Some(terminator);
        }
        Ok(())
    }

    fn start_block(&mut self, block: usize) -> Lowered<()> {
        let graph = self.graph()?;
        graph.current = block;
        let region = graph.blocks[block].0;
        self.b.move_to_end(region);
        Ok(())
    }

    /// Emits a jump. The code that follows can be reached only through a label.
    fn go(&mut self, target: usize) -> Lowered<()> {
        self.end_block(Terminator::Jump(target))?;
        let dead = self.new_block()?;
        self.start_block(dead)
    }

    /// Ends the current block with a jump to a block, and continues in that block.
    fn fall(&mut self, block: usize) -> Lowered<()> {
        self.end_block(Terminator::Jump(block))?;
        self.start_block(block)
    }

    fn label(&mut self, id: LabelId) -> Lowered<usize> {
        if let Some(block) = self.graph()?.labels[id.index()] {
            return Ok(block);
        }
        let block = self.new_block()?;
        self.graph()?.labels[id.index()] = Some(block);
        Ok(block)
    }

    /// Lowers statements that follow each other. A label and the last of them that jumps back to it are the ends of a loop.
    fn graph_stmts(&mut self, stmts: &[Stmt]) -> Lowered<()> {
        let last_gotos = last_gotos(stmts);
        // The last statements of the loops around, and the loops around those.
        let mut loops: Vec<(usize, Option<usize>)> = Vec::new();
        for (n, s) in stmts.iter().enumerate() {
            self.graph_stmt(s)?;
            if let StmtKind::Label(id) = s.kind
                && let Some(&last) = last_gotos.get(&id)
                && last > n
                && loops.last().is_none_or(|&(outer, _)| last <= outer)
            {
                let head = self.label(id)?;
                loops.push((last, self.graph()?.loop_.replace(head)));
            }
            while let Some((_, outer)) = loops.pop_if(|(last, _)| *last == n) {
                self.graph()?.loop_ = outer;
                // What follows is not in the loop, unlike the block in which the last statement ends.
                let next = self.new_block()?;
                self.fall(next)?;
            }
        }
        Ok(())
    }

    fn graph_stmt(&mut self, s: &Stmt) -> Lowered<()> {
        if closed(s) {
            return self.stmt(s);
        }
        let outer = std::mem::replace(&mut self.b.span, s.span);
        let done = self.graph_stmt_kind(s);
        self.b.span = outer;
        done
    }

    fn graph_stmt_kind(&mut self, s: &Stmt) -> Lowered<()> {
        match &s.kind {
            StmtKind::Expr(_) | StmtKind::Init(..) | StmtKind::Return(_) => self.stmt(s),
            StmtKind::Block(stmts) => self.graph_stmts(stmts),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let (yes, end) = (self.new_block()?, self.new_block()?);
                let no = match otherwise {
                    Some(_) => self.new_block()?,
                    None => end,
                };
                self.branch(cond, yes, no)?;
                self.start_block(yes)?;
                self.graph_stmt(then)?;
                if let Some(s) = otherwise {
                    self.end_block(Terminator::Jump(end))?;
                    self.start_block(no)?;
                    self.graph_stmt(s)?;
                }
                self.fall(end)
            }
            StmtKind::Loop {
                cond,
                step,
                body,
                test_first,
                unroll: _,
            } => self.graph_loop(cond.as_ref(), step.as_ref(), body, *test_first),
            StmtKind::Switch { value, body } => self.graph_switch(value, body),
            StmtKind::Case { lo, hi } => {
                let block = self.new_block()?;
                self.fall(block)?;
                let Some(switch) = self.switches.last_mut() else {
                    return broken(at(s.span, "a case outside of any switch"));
                };
                switch.cases.push((CaseRange { lo: *lo, hi: *hi }, block));
                Ok(())
            }
            StmtKind::Default => {
                let block = self.new_block()?;
                self.fall(block)?;
                let Some(switch) = self.switches.last_mut() else {
                    return broken(at(s.span, "a default outside of any switch"));
                };
                switch.default = Some(block);
                Ok(())
            }
            StmtKind::Label(id) => {
                let block = self.label(*id)?;
                // A `goto` elsewhere may have created the block.
                let graph = self.graph()?;
                graph.within[block] = graph.loop_;
                self.fall(block)
            }
            StmtKind::Goto(id) => {
                let block = self.label(*id)?;
                self.go(block)
            }
            StmtKind::Break => self.graph_jump(self.breaks.last().copied(), s),
            StmtKind::Continue => self.graph_jump(self.continues.last().copied(), s),
        }
    }

    fn graph_jump(&mut self, to: Option<Jump>, s: &Stmt) -> Lowered<()> {
        match to {
            Some(Jump::Block(block)) => self.go(block),
            Some(Jump::Exit(_)) => broken(at(s.span, "a jump into structured control flow")),
            None => broken(at(s.span, "break or continue outside of any loop")),
        }
    }

    fn branch(&mut self, cond: &Expr, yes: usize, no: usize) -> Lowered<()> {
        if matches!(&cond.kind, ExprKind::Const(bits) if bits[..] == [1]) {
            return self.end_block(Terminator::Jump(yes));
        }
        let cond = self.value(cond)?;
        self.end_block(Terminator::Branch {
            cond,
            then: yes,
            otherwise: no,
        })
    }

    fn graph_loop(
        &mut self,
        cond: Option<&Expr>,
        step: Option<&Expr>,
        body: &Stmt,
        test_first: bool,
    ) -> Lowered<()> {
        let (head, end) = (self.new_block()?, self.new_block()?);
        let outer = self.graph()?.loop_.replace(head);
        let (start, next) = (self.new_block()?, self.new_block()?);
        self.fall(head)?;
        match cond {
            Some(cond) if test_first => self.branch(cond, start, end)?,
            Some(_) | None => self.end_block(Terminator::Jump(start))?,
        }
        self.start_block(start)?;
        self.breaks.push(Jump::Block(end));
        self.continues.push(Jump::Block(next));
        self.graph_stmt(body)?;
        self.breaks.pop();
        self.continues.pop();
        self.fall(next)?;
        if let Some(step) = step {
            self.discard(step)?;
        }
        match cond {
            Some(cond) if !test_first => self.branch(cond, head, end)?,
            Some(_) | None => self.end_block(Terminator::Jump(head))?,
        }
        self.graph()?.loop_ = outer;
        self.start_block(end)
    }

    fn graph_switch(&mut self, value: &Expr, body: &Stmt) -> Lowered<()> {
        let selector = self.value(value)?;
        let dispatch = self.graph()?.current;
        let (first, end) = (self.new_block()?, self.new_block()?);
        self.start_block(first)?;
        self.switches.push(SwitchContext::default());
        self.breaks.push(Jump::Block(end));
        self.graph_stmt(body)?;
        self.breaks.pop();
        self.end_block(Terminator::Jump(end))?;
        let switch = self.switches.pop().unwrap_or_default();

        // The labels are known now, so the code for the start of the switch is emitted.
        self.start_block(dispatch)?;
        let ranges: Vec<(CaseRange, usize)> = switch
            .cases
            .iter()
            .enumerate()
            .map(|(i, &(range, _))| (range, i))
            .collect();
        let (value, values) = self.selector(selector, &ranges, ranges.len())?;
        let cases = values
            .into_iter()
            .zip(&switch.cases)
            .map(|(list, &(_, block))| (list, block))
            .collect();
        self.end_block(Terminator::Switch {
            value,
            cases,
            default: switch.default.unwrap_or(end),
        })?;
        self.start_block(end)
    }
}
