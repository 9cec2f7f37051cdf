//! Terminators.

use super::func::{FuncLowering, Val};
use crate::hash::HashSet;
use crate::ir::from_cfg::{Cfg, Terminator};
use crate::ir::{Ty, Unroll, eval};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{LoopControl, Op};

/// Returns what the instructions of a block request for a loop.
pub(super) fn loop_request(insts: &[Inst<'_>]) -> Result<Unroll, Error> {
    for inst in insts {
        let first = match inst.op {
            Op::LoopMerge => 2,
            Op::LoopControlINTEL => 0,
            _ => continue,
        };
        let bits = inst.arg(first)?;
        let control = LoopControl::from_bits_truncate(bits);
        if control.contains(LoopControl::PARTIAL_COUNT) {
            // Each control with a lower bit than this one, beginning with DependencyLength, has one number.
            let before = LoopControl::DEPENDENCY_LENGTH
                | LoopControl::MIN_ITERATIONS
                | LoopControl::MAX_ITERATIONS
                | LoopControl::ITERATION_MULTIPLE
                | LoopControl::PEEL_COUNT;
            let before = control & before;
            let count = inst.arg(first + 1 + before.bits().count_ones() as usize)?;
            if count > 1 {
                return Ok(Unroll::By(count));
            }
        }
        return Ok(if control.contains(LoopControl::DONT_UNROLL) {
            Unroll::Never
        } else if control.contains(LoopControl::UNROLL) {
            Unroll::Full
        } else {
            Unroll::Unsaid
        });
    }
    Ok(Unroll::Unsaid)
}

/// Moves the requests of blocks that end a loop to the block where the loop begins. A block is numbered after those
/// that lead to it, except at the end of a loop.
pub(super) fn move_requests(cfg: &mut Cfg) {
    for n in 0..cfg.blocks.len() {
        let request = cfg.blocks[n].unroll;
        if request == Unroll::Unsaid {
            continue;
        }
        let back = match &cfg.blocks[n].terminator {
            Terminator::Jump(to) => Some(*to).filter(|&to| to < n),
            Terminator::Branch { then, otherwise, .. } => [*then, *otherwise].into_iter().find(|&to| to < n),
            Terminator::Switch { .. } | Terminator::Ended => None,
        };
        if let Some(to) = back {
            cfg.blocks[n].unroll = Unroll::Unsaid;
            cfg.blocks[to].unroll = request;
        }
    }
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Translates the last instruction of a block.
    pub(super) fn terminator(&mut self, inst: &Inst<'w>) -> Result<Terminator, Error> {
        match inst.op {
            Op::Branch => {
                inst.exactly(1)?;
                Ok(Terminator::Jump(self.number(inst, inst.arg(0)?)?))
            }
            Op::BranchConditional => self.branch(inst),
            Op::Switch => self.switch(inst),
            Op::Return => {
                let is_void = self.cx.source.types.get(self.source.ret) == Some(&super::Type::Void);
                if !is_void {
                    return Err(inst.invalid("the function has a result"));
                }
                self.b.ret(None);
                Ok(Terminator::Ended)
            }
            Op::ReturnValue => self.return_value(inst),
            Op::Unreachable => {
                self.b.unreachable();
                Ok(Terminator::Ended)
            }
            _ => Err(inst.unsupported("the end of a block is not implemented")),
        }
    }

    fn branch(&mut self, inst: &Inst<'_>) -> Result<Terminator, Error> {
        let then = self.number(inst, inst.arg(1)?)?;
        let otherwise = self.number(inst, inst.arg(2)?)?;
        let cond = self.operand(inst, 0)?;
        if self.b.func.ty(cond) != Ty::BOOL {
            return Err(inst.invalid("the condition is no bool"));
        }
        if then == otherwise {
            return Ok(Terminator::Jump(then));
        }
        Ok(Terminator::Branch {
            cond,
            then,
            otherwise,
        })
    }

    fn switch(&mut self, inst: &Inst<'_>) -> Result<Terminator, Error> {
        let value = self.operand(inst, 0)?;
        let ty = self.b.func.ty(value);
        if ty.is_vector() || !ty.scalar.is_int() {
            return Err(inst.invalid("the selector is no integer"));
        }
        let default = self.number(inst, inst.arg(1)?)?;
        let words = if ty == Ty::I64 { 2 } else { 1 };
        let mut seen = HashSet::default();
        let mut cases = Vec::new();
        for case in inst.args_from(2)?.chunks(words + 1) {
            let &[low, .., label] = case else {
                return Err(inst.invalid("a case is incomplete"));
            };
            let bits = match case {
                [low, high, _] => u64::from(*low) | u64::from(*high) << 32,
                _ => u64::from(low),
            };
            let bits = eval::truncate(ty.scalar, bits);
            if !seen.insert(bits) {
                return Err(inst.invalid(format!("the case {bits} occurs twice")));
            }
            cases.push((vec![bits], self.number(inst, label)?));
        }
        Ok(Terminator::Switch {
            value,
            cases,
            default,
        })
    }

    fn return_value(&mut self, inst: &Inst<'_>) -> Result<Terminator, Error> {
        inst.exactly(1)?;
        let value = self.operand_of(inst, inst.arg(0)?, self.source.ret)?;
        match (value, self.result) {
            (Val::Memory(from), Some(to)) => {
                let layout = self.cx.source.types.layout_of(inst, self.source.ret)?;
                self.copy(to, from, layout);
                self.b.ret(None);
            }
            (Val::Value(value), None) => self.b.ret(Some(value)),
            _ => return Err(inst.invalid("the value is not of the function's type")),
        }
        Ok(Terminator::Ended)
    }
}
