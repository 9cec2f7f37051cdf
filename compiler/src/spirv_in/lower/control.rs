//! Terminators.

use super::func::{FuncLowering, Val};
use crate::ir::from_cfg::Terminator;
use crate::ir::{Ty, eval};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::Op;
use std::collections::HashSet;

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
        let mut seen = HashSet::new();
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
