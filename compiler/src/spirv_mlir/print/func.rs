//! Words to text: functions, whose merge instructions become regions.

use super::super::types::Type;
use super::{Inst, MAX_DEPTH, Printed, Printer};
use crate::hash::{HashMap, HashSet};
use rspirv::grammar::{OperandKind, reflect};
use rspirv::spirv::Op;

/// A block of a function.
struct Block<'w> {
    label: u32,
    phis: Vec<Inst<'w>>,
    insts: Vec<Inst<'w>>,
    merge: Option<Inst<'w>>,
    end: Inst<'w>,
}

/// A function that is being written.
pub(super) struct Body<'b, 'w> {
    blocks: &'b [Block<'w>],
    by_label: HashMap<u32, usize>,
    /// The constants and symbols that the block has named, by id.
    local: HashMap<u32, String>,
    next: usize,
    /// The regions that are open, and the region of each value.
    pub(super) open: Vec<usize>,
    pub(super) homes: HashMap<u32, usize>,
    /// The values that are used before they are written, with the regions that were open.
    early: Vec<(Inst<'w>, u32, Vec<usize>)>,
    regions: usize,
}

/// The blocks of a region: which it may branch to, and under which names.
struct Scope {
    labels: HashMap<u32, String>,
}

impl<'w> Printer<'w> {
    pub(super) fn function(&mut self, insts: &[Inst<'w>]) -> Printed<()> {
        let first = insts[0];
        self.only(first.result, &[])?;
        let types = self.function_types.get(&first.arg(1)?).cloned();
        let types = types
            .filter(|t| !t.is_empty())
            .ok_or_else(|| first.error("its type is no function type"))?;
        let control = first.named(OperandKind::FunctionControl, first.arg(0)?)?;
        let mut parameters = Vec::new();
        let mut blocks: Vec<Block<'w>> = Vec::new();
        let mut open: Option<(u32, Vec<Inst<'w>>, Vec<Inst<'w>>, Option<Inst<'w>>)> = None;
        for inst in &insts[1..] {
            if inst.result != 0 {
                self.value_types.insert(inst.result, inst.ty);
                self.only(inst.result, &[])?;
            }
            match (inst.op(), &mut open) {
                (Op::FunctionParameter, None) if blocks.is_empty() => {
                    parameters.push(format!("%v{}: {}", inst.result, self.ty(inst, inst.ty)?));
                }
                (Op::Label, None) => open = Some((inst.result, Vec::new(), Vec::new(), None)),
                (Op::Line | Op::NoLine | Op::Nop, _) => {}
                (Op::Phi, Some((_, phis, ..))) => phis.push(*inst),
                (Op::SelectionMerge | Op::LoopMerge, Some((.., merge))) => *merge = Some(*inst),
                (op, Some(_)) if reflect::is_block_terminator(op) => {
                    if let Some((label, phis, insts, merge)) = open.take() {
                        blocks.push(Block {
                            label,
                            phis,
                            insts,
                            merge,
                            end: *inst,
                        });
                    }
                }
                (_, Some((_, _, list, _))) => list.push(*inst),
                _ => return Err(inst.error("it may not be at this place of a function")),
            }
        }
        if blocks.is_empty() {
            return Err(first.error("functions without a body are not implemented"));
        }
        let result = match self.ty(&first, types[0])? {
            Type::Void => String::new(),
            ty => format!(" -> {ty}"),
        };
        let name = self.reference(&first, first.result)?;
        self.line(format_args!(
            "spirv.func {name}({}){result} \"{control}\" {{",
            parameters.join(", ")
        ));
        self.indent += 1;
        let mut body = Body {
            by_label: blocks.iter().enumerate().map(|(n, b)| (b.label, n)).collect(),
            blocks: &blocks,
            local: HashMap::default(),
            next: 0,
            open: Vec::new(),
            homes: HashMap::default(),
            early: Vec::new(),
            regions: 0,
        };
        for inst in insts.iter().filter(|i| i.op() == Op::FunctionParameter) {
            body.homes.insert(inst.result, 0);
        }
        self.next_block = 0;
        let mut done = HashSet::default();
        self.region(&mut body, 0, None, &mut done, 0)?;
        for (inst, id, open) in &body.early {
            check_home(inst, *id, &body.homes, open)?;
        }
        self.indent -= 1;
        self.line("}");
        Ok(())
    }

    /// Returns the labels of the blocks that a block may branch to.
    fn targets(inst: &Inst<'w>) -> Printed<Vec<u32>> {
        Ok(match inst.op() {
            Op::Branch => vec![inst.arg(0)?],
            Op::BranchConditional => vec![inst.arg(1)?, inst.arg(2)?],
            Op::Return | Op::ReturnValue | Op::Unreachable => vec![],
            _ => return Err(inst.error("the terminator is not implemented")),
        })
    }

    /// Writes the blocks that can be reached from `first` without the merge block of the construct, which is `merge`.
    /// The construct's own header is `first`.
    fn region(
        &mut self,
        body: &mut Body<'_, 'w>,
        first: usize,
        merge: Option<u32>,
        done: &mut HashSet<usize>,
        depth: usize,
    ) -> Printed<()> {
        let blocks = body.blocks;
        if depth > MAX_DEPTH {
            return Err(blocks[first].end.error("nested too deeply"));
        }
        body.open.push(body.regions);
        body.regions += 1;
        // A construct inside is one step, from its header to its merge block.
        let (mut order, mut seen) = (Vec::new(), HashSet::default());
        let mut work = vec![first];
        let mut merged = HashSet::default();
        while let Some(n) = work.pop() {
            if !seen.insert(n) {
                continue;
            }
            order.push(n);
            let block = &blocks[n];
            let next = match &block.merge {
                Some(m) if n != first || depth == 0 => {
                    merged.insert(m.arg(0)?);
                    vec![m.arg(0)?]
                }
                _ => Self::targets(&block.end)?,
            };
            for label in next.into_iter().filter(|l| Some(*l) != merge) {
                let n = body.by_label.get(&label);
                work.push(*n.ok_or_else(|| block.end.error(format!("%{label} is no block")))?);
            }
        }
        // Blocks keep their order. The continue block of a loop is the last.
        let back = match &blocks[first].merge {
            Some(m) if depth > 0 && m.op() == Op::LoopMerge => body.by_label.get(&m.arg(1)?).copied(),
            _ => None,
        };
        order.sort_unstable();
        if let Some(back) = back {
            let own = &blocks[first].label;
            for &n in order.iter().filter(|n| **n != back) {
                if Self::targets(&blocks[n].end)?.contains(own) {
                    return Err(blocks[n]
                        .end
                        .error("continue constructs of several blocks are not implemented"));
                }
            }
            order.retain(|&n| n != back);
            order.push(back);
        }
        let at = order.iter().position(|&n| n == first).unwrap_or(0);
        order[..=at].rotate_right(1);
        let mut scope = Scope {
            labels: HashMap::default(),
        };
        for &n in &order {
            // What follows a construct is written after it, in the same block.
            if !merged.contains(&blocks[n].label) {
                self.next_block += 1;
                scope
                    .labels
                    .insert(blocks[n].label, format!("^bb{}", self.next_block));
            }
        }
        if let Some(label) = merge {
            self.next_block += 1;
            scope.labels.insert(label, format!("^bb{}", self.next_block));
        }
        let is_loop = back.is_some();
        for &n in &order {
            if merged.contains(&blocks[n].label) {
                continue;
            }
            let is_first = n == first;
            if !is_first || is_loop {
                self.label(body, &scope, &blocks[n], is_first && depth > 0)?;
            }
            let is_header = is_first && depth > 0;
            self.block(body, &scope, n, is_header, done, depth)?;
        }
        if let Some(label) = merge {
            let name = scope.labels[&label].clone();
            self.indent -= 1;
            self.line(format_args!("{name}:"));
            self.indent += 1;
            self.line("spirv.mlir.merge");
        }
        body.open.pop();
        Ok(())
    }

    /// Writes the label of a block. The arguments of a block that a loop begins in are those with which it is entered.
    fn label(
        &mut self,
        body: &mut Body<'_, 'w>,
        scope: &Scope,
        block: &Block<'w>,
        is_header: bool,
    ) -> Printed<()> {
        let is_entry = !is_header && block.merge.is_some_and(|m| m.op() == Op::LoopMerge);
        body.local.clear();
        let mut arguments = Vec::new();
        for phi in &block.phis {
            let prefix = if is_entry { 'e' } else { 'v' };
            arguments.push(format!("%{prefix}{}: {}", phi.result, self.ty(phi, phi.ty)?));
            if !is_entry {
                body.homes
                    .insert(phi.result, body.open.last().copied().unwrap_or(0));
            }
        }
        let name = &scope.labels[&block.label];
        let list = if arguments.is_empty() {
            String::new()
        } else {
            format!("({})", arguments.join(", "))
        };
        self.indent -= 1;
        self.line(format_args!("{name}{list}:"));
        self.indent += 1;
        Ok(())
    }

    /// Writes a block, and the constructs and blocks that follow it without a label.
    fn block(
        &mut self,
        body: &mut Body<'_, 'w>,
        scope: &Scope,
        n: usize,
        is_header: bool,
        done: &mut HashSet<usize>,
        depth: usize,
    ) -> Printed<()> {
        let (blocks, mut n, mut is_header) = (body.blocks, n, is_header);
        loop {
            let block = &blocks[n];
            if !done.insert(n) && !is_header {
                return Err(block.end.error("the block is part of two constructs"));
            }
            // The operations before a selection are outside of it; those of a loop's header are inside.
            let is_selection = block.merge.is_some_and(|m| m.op() == Op::SelectionMerge);
            let inner = block.merge.filter(|_| !is_header);
            if inner.is_none_or(|m| m.op() == Op::SelectionMerge) && !(is_header && is_selection) {
                for inst in &block.insts {
                    self.inst(body, inst)?;
                }
            }
            let Some(merge) = inner else {
                return self.end(body, scope, block);
            };
            let after = merge.arg(0)?;
            let kind = if is_selection { "selection" } else { "loop" };
            if merge.args.last() != Some(&0) || merge.args.len() > 3 {
                return Err(merge.error("controls of loops and selections are not implemented"));
            }
            self.line(format_args!("spirv.mlir.{kind} {{"));
            self.indent += 1;
            if !is_selection {
                // The entry block only branches to the header.
                // The header is the first block of the region that gets a label.
                let to = format!("^bb{}", self.next_block + 1);
                let arguments = self.entry_arguments(block)?;
                self.line(format_args!("spirv.Branch {to}{arguments}"));
            }
            let outer = std::mem::take(&mut body.local);
            self.region(body, n, Some(after), done, depth + 1)?;
            body.local = outer;
            self.indent -= 1;
            self.line("}");
            n = *body
                .by_label
                .get(&after)
                .ok_or_else(|| merge.error("the merge block is missing"))?;
            if let Some(phi) = blocks[n].phis.first() {
                return Err(phi.error("the dialect has no values at the end of loops and selections"));
            }
            is_header = false;
        }
    }

    /// Returns the arguments with which a loop is entered: those of the block that the loop is in.
    fn entry_arguments(&self, header: &Block<'w>) -> Printed<String> {
        let values: Vec<String> = header
            .phis
            .iter()
            .map(|phi| format!("%e{}", phi.result))
            .collect();
        let types = header
            .phis
            .iter()
            .map(|phi| Ok(self.ty(phi, phi.ty)?.to_string()));
        let types = types.collect::<Printed<Vec<_>>>()?;
        Ok(match values.is_empty() {
            true => String::new(),
            false => format!("({} : {})", values.join(", "), types.join(", ")),
        })
    }

    /// Returns the arguments of a branch from one block to another.
    fn arguments(&mut self, body: &mut Body<'_, 'w>, to: &Block<'w>, from: u32) -> Printed<String> {
        let (mut values, mut types) = (Vec::new(), Vec::new());
        for phi in &to.phis {
            let value = phi.args.chunks_exact(2).find(|c| c[1] == from).map(|c| c[0]);
            let value = value.ok_or_else(|| phi.error(format!("it has no value for %{from}")))?;
            values.push(self.value(body, phi, value)?);
            types.push(self.ty(phi, phi.ty)?.to_string());
        }
        Ok(match values.is_empty() {
            true => String::new(),
            false => format!("({} : {})", values.join(", "), types.join(", ")),
        })
    }

    /// Returns the name of a value. Constants and variables of the module are named first.
    pub(super) fn value(&mut self, body: &mut Body<'_, 'w>, inst: &Inst<'w>, id: u32) -> Printed<String> {
        if let Some(name) = body.local.get(&id) {
            return Ok(name.clone());
        }
        let ty = self.value_types.get(&id).copied();
        let ty = ty.ok_or_else(|| inst.error(format!("%{id} is no value")))?;
        let operation = match (self.constants.get(&id).copied(), self.symbols.get(&id)) {
            (Some(undef), _) if undef.op() == Op::Undef => format!("spirv.Undef : {}", self.ty(inst, ty)?),
            (Some(constant), _) => format!("spirv.Constant {}", self.attribute(&constant, 0)?),
            (None, Some(symbol)) => {
                let is_pointer = matches!(self.ty(inst, ty)?, Type::Pointer(..));
                let form = if is_pointer { "addressof" } else { "referenceof" };
                format!("spirv.mlir.{form} @{symbol} : {}", self.ty(inst, ty)?)
            }
            (None, None) => {
                match body.homes.contains_key(&id) {
                    true => check_home(inst, id, &body.homes, &body.open)?,
                    false => body.early.push((*inst, id, body.open.clone())),
                }
                return Ok(format!("%v{id}"));
            }
        };
        body.next += 1;
        let name = format!("%c{}", body.next);
        self.line(format_args!("{name} = {operation}"));
        body.local.insert(id, name.clone());
        Ok(name)
    }

    pub(super) fn values(
        &mut self,
        body: &mut Body<'_, 'w>,
        inst: &Inst<'w>,
        ids: &[u32],
    ) -> Printed<String> {
        let list = ids
            .iter()
            .map(|&id| self.value(body, inst, id))
            .collect::<Printed<Vec<_>>>()?;
        Ok(list.join(", "))
    }

    pub(super) fn type_of(&self, inst: &Inst<'w>, id: u32) -> Printed<&Type> {
        let ty = self.value_types.get(&id).copied();
        self.ty(inst, ty.ok_or_else(|| inst.error(format!("%{id} is no value")))?)
    }

    fn end(&mut self, body: &mut Body<'_, 'w>, scope: &Scope, block: &Block<'w>) -> Printed<()> {
        let end = &block.end;
        let mut targets = Vec::new();
        for label in Self::targets(end)? {
            let to = body.by_label.get(&label).map(|&n| &body.blocks[n]);
            let name = scope.labels.get(&label).cloned();
            let (Some(to), Some(name)) = (to, name) else {
                return Err(
                    end.error("the dialect has no branch out of a loop or selection, except to its end")
                );
            };
            targets.push(name + &self.arguments(body, to, block.label)?);
        }
        let line = match (end.op(), targets.as_slice()) {
            (Op::Branch, [to]) => format!("spirv.Branch {to}"),
            (Op::BranchConditional, [yes, no]) => {
                let weights = match end.args.get(3..) {
                    Some(&[a, b]) => format!(" [{a}, {b}]"),
                    _ => String::new(),
                };
                let condition = self.value(body, end, end.arg(0)?)?;
                format!("spirv.BranchConditional {condition}{weights}, {yes}, {no}")
            }
            (Op::ReturnValue, _) => {
                let value = self.value(body, end, end.arg(0)?)?;
                format!("spirv.ReturnValue {value} : {}", self.type_of(end, end.arg(0)?)?)
            }
            (Op::Return, _) => "spirv.Return".into(),
            _ => "spirv.Unreachable".into(),
        };
        self.line(line);
        Ok(())
    }
}

/// Checks that a value is visible where these regions are open.
fn check_home(inst: &Inst<'_>, id: u32, homes: &HashMap<u32, usize>, open: &[usize]) -> Printed<()> {
    match homes.get(&id) {
        Some(home) if open.contains(home) => Ok(()),
        Some(_) => Err(inst.error(format!(
            "%{id} is a value from within a loop or selection, which ends before"
        ))),
        None => Err(inst.error(format!("%{id} is no value of a block that is reached"))),
    }
}
