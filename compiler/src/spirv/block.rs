//! Structured control flow: regions become blocks, exits become branches to merge and continue targets, and
//! results and region arguments become phis. The code relies on the contract of `lower_exits`.

use super::instruction::instruction;
use super::{BlockIds, Emit, FnEmitter, Id, bug};
use crate::ir::{EntityRef, Inst, Op, Region, Scalar, Unroll, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// The branch targets of a structured instruction, with the values that the branches pass.
#[derive(Default)]
pub(super) struct Frame {
    merge: Id,
    /// The continue target, for loops only.
    continue_: Id,
    /// The predecessors of the merge block, with the values that each passes.
    exits: Vec<(Id, Vec<Id>)>,
    /// The predecessors of the continue block, with the values that each passes.
    repeats: Vec<(Id, Vec<Id>)>,
}

impl FnEmitter<'_, '_> {
    /// Starts a block.
    pub(super) fn begin(&mut self, label: Id) {
        debug_assert!(self.current.is_none(), "the last block has its terminator");
        // Nothing precedes the first block.
        self.follows_volatile = !self.blocks.is_empty();
        self.current = Some(BlockIds {
            label,
            insts: Vec::new(),
        });
    }

    /// Ends the block with a terminator.
    fn end(&mut self, op: spv::Op, operands: Vec<Operand>) -> Emit<()> {
        self.push(instruction(op, None, None, operands))?;
        self.blocks.extend(self.current.take());
        Ok(())
    }

    fn label(&self) -> Emit<Id> {
        let block = self.current.as_ref();
        Ok(block.ok_or_else(|| bug("no current block"))?.label)
    }

    fn branch(&mut self, to: Id) -> Emit<()> {
        self.end(spv::Op::Branch, vec![Operand::IdRef(to)])
    }

    pub(super) fn region(&mut self, region: Region) -> Emit<()> {
        let f = self.f;
        for &inst in &f.regions[region].insts {
            self.inst(inst)?;
        }
        if self.current.is_some() {
            return Err(bug("region without terminator"));
        }
        Ok(())
    }

    /// Emits a control-flow instruction. Returns `false` for any other instruction.
    pub(super) fn control(&mut self, inst: Inst) -> Emit<bool> {
        let f = self.f;
        let data = &f.insts[inst];
        match &data.op {
            Op::If => {
                let cond = self.value(data.args[0])?;
                let (then, otherwise) = (self.e.id(), self.e.id());
                let merge = self.open(inst, 0);
                self.selection_merge(merge)?;
                let targets = [cond, then, otherwise].map(Operand::IdRef).to_vec();
                self.end(spv::Op::BranchConditional, targets)?;
                for (label, &region) in [then, otherwise].into_iter().zip(&data.regions) {
                    self.begin(label);
                    self.region(region)?;
                }
                self.close(inst)?;
            }
            Op::Switch(cases) => {
                let scalar = f.ty(data.args[0]).scalar;
                let selector = self.value(data.args[0])?;
                let labels: Vec<Id> = data.regions.iter().map(|_| self.e.id()).collect();
                let merge = self.open(inst, 0);
                self.selection_merge(merge)?;
                let default = *labels.last().ok_or_else(|| bug("switch without default"))?;
                let mut operands = vec![Operand::IdRef(selector), Operand::IdRef(default)];
                for (values, &label) in cases.iter().zip(&labels) {
                    for &v in values {
                        operands.push(match scalar {
                            Scalar::I64 => Operand::LiteralBit64(v),
                            _ => Operand::LiteralBit32(v as u32),
                        });
                        operands.push(Operand::IdRef(label));
                    }
                }
                self.end(spv::Op::Switch, operands)?;
                for (&label, &region) in labels.iter().zip(&data.regions) {
                    self.begin(label);
                    self.region(region)?;
                }
                self.close(inst)?;
            }
            Op::Loop => self.loop_(inst)?,
            Op::Exit(target) => {
                let values = self.values(&data.args)?;
                let from = self.label()?;
                let frame = self.frame(*target)?;
                frame.exits.push((from, values));
                let merge = frame.merge;
                self.branch(merge)?;
            }
            Op::Repeat(target) => {
                let values = self.values(&data.args)?;
                let from = self.label()?;
                let frame = self.frame(*target)?;
                frame.repeats.push((from, values));
                let to = frame.continue_;
                self.branch(to)?;
            }
            Op::Return if data.args.is_empty() => self.end(spv::Op::Return, vec![])?,
            Op::Return => {
                let values = self.values(&data.args)?;
                let value = match values[..] {
                    [value] => value,
                    _ => {
                        let ty = self.e.results(&f.results)?;
                        self.op_ids(spv::Op::CompositeConstruct, ty, &values)?
                    }
                };
                self.end(spv::Op::ReturnValue, vec![Operand::IdRef(value)])?;
            }
            Op::Unreachable => self.end(spv::Op::Unreachable, vec![])?,
            Op::Block => return Err(bug("a block is left after lower_exits")),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn frame(&mut self, target: Inst) -> Emit<&mut Frame> {
        let frame = self.frames.get_mut(&target);
        frame.ok_or_else(|| bug(format!("exit to {target}, which does not enclose it")))
    }

    /// Registers a structured instruction as a branch target.
    fn open(&mut self, inst: Inst, continue_: Id) -> Id {
        let merge = self.e.id();
        let frame = Frame {
            merge,
            continue_,
            ..Frame::default()
        };
        self.frames.insert(inst, frame);
        merge
    }

    fn selection_merge(&mut self, merge: Id) -> Emit<()> {
        let control = Operand::SelectionControl(spv::SelectionControl::NONE);
        self.push(instruction(
            spv::Op::SelectionMerge,
            None,
            None,
            vec![Operand::IdRef(merge), control],
        ))
    }

    /// Starts the merge block, with a phi for each result.
    fn close(&mut self, inst: Inst) -> Emit<()> {
        let frame = self
            .frames
            .remove(&inst)
            .ok_or_else(|| bug("no frame to close"))?;
        self.begin(frame.merge);
        if frame.exits.is_empty() {
            return Ok(());
        }
        let f = self.f;
        for (n, &result) in f.insts[inst].results.iter().enumerate() {
            self.ids[result.index()] = self.phi(result, n, &frame.exits)?;
        }
        Ok(())
    }

    /// Returns value number `n` of the incoming lists: a phi, or the value itself if all lists have the same
    /// one.
    fn phi(&mut self, of: Value, n: usize, incoming: &[(Id, Vec<Id>)]) -> Emit<Id> {
        let mut operands = Vec::new();
        let mut same = None;
        let mut distinct = false;
        for (from, values) in incoming {
            let v = *values
                .get(n)
                .ok_or_else(|| bug("an exit passes too few values"))?;
            distinct |= *same.get_or_insert(v) != v;
            operands.extend([Operand::IdRef(v), Operand::IdRef(*from)]);
        }
        match same {
            Some(v) if !distinct => Ok(v),
            _ => {
                let ty = self.e.ty(self.f.ty(of))?;
                self.op(spv::Op::Phi, ty, operands)
            }
        }
    }

    fn loop_(&mut self, inst: Inst) -> Emit<()> {
        let f = self.f;
        let data = &f.insts[inst];
        let region = data.regions[0];
        let init = self.values(&data.args)?;
        let preheader = self.label()?;
        let (header, body, continue_) = (self.e.id(), self.e.id(), self.e.id());
        let merge = self.open(inst, continue_);
        self.branch(header)?;

        // The header's phis refer to values of the continue block, so they are inserted at its front later.
        let args = &f.regions[region].args;
        for &arg in args {
            self.ids[arg.index()] = self.e.id();
        }
        self.begin(header);
        let header_index = self.blocks.len();
        let control = match f.insts[inst].unroll {
            Unroll::Unsaid | Unroll::Done => spv::LoopControl::NONE,
            Unroll::Never => spv::LoopControl::DONT_UNROLL,
            Unroll::Full | Unroll::By(_) => spv::LoopControl::UNROLL,
        };
        self.push(instruction(
            spv::Op::LoopMerge,
            None,
            None,
            vec![
                Operand::IdRef(merge),
                Operand::IdRef(continue_),
                Operand::LoopControl(control),
            ],
        ))?;
        self.branch(body)?;
        self.begin(body);
        self.region(region)?;

        self.begin(continue_);
        let repeats = std::mem::take(&mut self.frame(inst)?.repeats);
        let mut phis = Vec::new();
        for (n, &arg) in args.iter().enumerate() {
            let next = if repeats.is_empty() {
                init[n]
            } else {
                self.phi(arg, n, &repeats)?
            };
            let ty = self.e.ty(f.ty(arg))?;
            let operands = [init[n], preheader, next, continue_].map(Operand::IdRef).to_vec();
            phis.push(instruction(
                spv::Op::Phi,
                Some(ty),
                Some(self.ids[arg.index()]),
                operands,
            ));
        }
        self.blocks[header_index].insts.splice(0..0, phis);
        self.branch(header)?;
        self.close(inst)
    }
}
