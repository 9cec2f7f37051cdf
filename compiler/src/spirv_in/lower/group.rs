//! Operations that the work-items of a sub-group perform together. Those of work-groups are not implemented.

use super::func::FuncLowering;
use crate::intrinsic::{Intrinsic, SubgroupOp, SubgroupPart};
use crate::ir::{Op as IrOp, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{GroupOperation, Op, Scope};

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    pub(super) fn group(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        match self.scope(inst, 0)? {
            Scope::Subgroup if self.cx.has_subgroups => {}
            Scope::Subgroup => return Err(inst.unsupported("the device does not have cl_khr_subgroups")),
            scope => {
                return Err(
                    inst.unsupported(format!("operations of the scope {scope:?} are not implemented"))
                );
            }
        }
        let op = match inst.op {
            Op::GroupAll | Op::GroupAny => return self.vote(inst),
            Op::GroupBroadcast => return self.broadcast(inst),
            Op::GroupIAdd => SubgroupOp::IAdd,
            Op::GroupFAdd => SubgroupOp::FAdd,
            Op::GroupFMin => SubgroupOp::FMin,
            Op::GroupUMin => SubgroupOp::UMin,
            Op::GroupSMin => SubgroupOp::SMin,
            Op::GroupFMax => SubgroupOp::FMax,
            Op::GroupUMax => SubgroupOp::UMax,
            _ => SubgroupOp::SMax,
        };
        let part = match GroupOperation::from_u32(inst.arg(1)?) {
            Some(GroupOperation::Reduce) => SubgroupPart::Reduce,
            Some(GroupOperation::InclusiveScan) => SubgroupPart::Inclusive,
            Some(GroupOperation::ExclusiveScan) => SubgroupPart::Exclusive,
            _ => return Err(inst.unsupported("the group operation is not implemented")),
        };
        let value = self.scalar(inst, 2)?;
        let ty = self.b.func.ty(value);
        let is_float = matches!(op, SubgroupOp::FAdd | SubgroupOp::FMin | SubgroupOp::FMax);
        if is_float != ty.scalar.is_float() {
            return Err(inst.invalid("the operand is of a type that the operation does not take"));
        }
        let intrinsic = Intrinsic::SubgroupArith(op, part);
        let value = self.b.value(IrOp::Intrinsic(intrinsic), [value], ty);
        self.define(inst, value)
    }

    /// Returns the number that operand `n` names.
    fn scalar(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value, Error> {
        let value = self.operand(inst, n)?;
        let ty = self.b.func.ty(value);
        if ty.is_vector() || !(ty.scalar.is_int() || ty.scalar.is_float()) {
            return Err(inst.invalid("the operand is no number"));
        }
        Ok(value)
    }

    fn vote(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let value = self.operand(inst, 1)?;
        if self.b.func.ty(value) != Ty::BOOL {
            return Err(inst.invalid("the operand is no bool"));
        }
        let op = if inst.op == Op::GroupAll {
            Intrinsic::SubgroupAll
        } else {
            Intrinsic::SubgroupAny
        };
        let value = self.b.value(IrOp::Intrinsic(op), [value], Ty::BOOL);
        self.define(inst, value)
    }

    fn broadcast(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (value, from) = (self.scalar(inst, 1)?, self.operand(inst, 2)?);
        let ty = self.b.func.ty(from);
        if ty.is_vector() || !ty.scalar.is_int() {
            return Err(inst.invalid("the id of the work-item is no integer"));
        }
        let from = self.resize(from, Ty::I32, false);
        let ty = self.b.func.ty(value);
        let value = self
            .b
            .value(IrOp::Intrinsic(Intrinsic::SubgroupBroadcast), [value, from], ty);
        self.define(inst, value)
    }
}
