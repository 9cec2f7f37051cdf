//! Emission of the operations that the work-items of a sub-group perform together: the GroupNonUniform
//! instructions of SPIR-V 1.3.

use super::{Emit, FnEmitter, Id, bug};
use crate::intrinsic::{FenceFlags, Intrinsic, SubgroupOp, SubgroupPart};
use crate::ir::{Inst, Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

impl FnEmitter<'_, '_> {
    pub(super) fn subgroup(&mut self, inst: Inst, op: Intrinsic) -> Emit<Option<Id>> {
        let data = &self.f.insts[inst];
        let args = self.values(&data.args)?;
        let result = data.results.first().map(|&v| self.f.ty(v));
        let ty = match result {
            Some(ty) => self.e.ty(ty)?,
            None => self.e.void(),
        };
        let (instruction, capability, part) = match op {
            Intrinsic::SubgroupBarrier(flags) => return self.subgroup_barrier(flags).map(|()| None),
            Intrinsic::SubgroupSize => return self.active_items(ty).map(Some),
            Intrinsic::SubgroupAll => (
                spv::Op::GroupNonUniformAll,
                spv::Capability::GroupNonUniformVote,
                None,
            ),
            Intrinsic::SubgroupAny => (
                spv::Op::GroupNonUniformAny,
                spv::Capability::GroupNonUniformVote,
                None,
            ),
            Intrinsic::SubgroupBallot => (
                spv::Op::GroupNonUniformBallot,
                spv::Capability::GroupNonUniformBallot,
                None,
            ),
            Intrinsic::SubgroupBroadcast => (
                spv::Op::GroupNonUniformBroadcast,
                spv::Capability::GroupNonUniformBallot,
                None,
            ),
            Intrinsic::SubgroupShuffle => (
                spv::Op::GroupNonUniformShuffle,
                spv::Capability::GroupNonUniformShuffle,
                None,
            ),
            Intrinsic::SubgroupShuffleXor => (
                spv::Op::GroupNonUniformShuffleXor,
                spv::Capability::GroupNonUniformShuffle,
                None,
            ),
            Intrinsic::SubgroupArith(op, part) => (
                arithmetic(op),
                spv::Capability::GroupNonUniformArithmetic,
                Some(group_operation(part)),
            ),
            _ => return Err(bug("not an operation of sub-groups")),
        };
        self.e.needs.capability(capability);
        let mut operands = vec![Operand::IdScope(self.subgroup_scope())];
        operands.extend(part.map(Operand::GroupOperation));
        operands.extend(args.into_iter().map(Operand::IdRef));
        self.op(instruction, ty, operands).map(Some)
    }

    fn subgroup_scope(&mut self) -> Id {
        self.e.needs.capability(spv::Capability::GroupNonUniform);
        self.e.u32_const(spv::Scope::Subgroup as u32)
    }

    /// Returns the number of active work-items of the sub-group.
    fn active_items(&mut self, ty: Id) -> Emit<Id> {
        self.e.needs.capability(spv::Capability::GroupNonUniformBallot);
        let scope = self.subgroup_scope();
        let mask_ty = self.e.ty(Ty::vector(Scalar::I32, 4))?;
        let yes = self.e.lanes(Ty::BOOL, &[1])?;
        let ballot = vec![Operand::IdScope(scope), Operand::IdRef(yes)];
        let mask = self.op(spv::Op::GroupNonUniformBallot, mask_ty, ballot)?;
        let count = vec![
            Operand::IdScope(scope),
            Operand::GroupOperation(spv::GroupOperation::Reduce),
            Operand::IdRef(mask),
        ];
        self.op(spv::Op::GroupNonUniformBallotBitCount, ty, count)
    }

    fn subgroup_barrier(&mut self, flags: FenceFlags) -> Emit<()> {
        // With this quirk, the work-items of a sub-group run in lockstep, and such an instruction would wait
        // for the whole work-group.
        if self.e.target.quirks.waiting_fences {
            return Ok(());
        }
        let scope = self.subgroup_scope();
        self.control_barrier(scope, flags)
    }
}

fn arithmetic(op: SubgroupOp) -> spv::Op {
    match op {
        SubgroupOp::IAdd => spv::Op::GroupNonUniformIAdd,
        SubgroupOp::FAdd => spv::Op::GroupNonUniformFAdd,
        SubgroupOp::IMul => spv::Op::GroupNonUniformIMul,
        SubgroupOp::FMul => spv::Op::GroupNonUniformFMul,
        SubgroupOp::And => spv::Op::GroupNonUniformBitwiseAnd,
        SubgroupOp::Or => spv::Op::GroupNonUniformBitwiseOr,
        SubgroupOp::Xor => spv::Op::GroupNonUniformBitwiseXor,
        SubgroupOp::SMin => spv::Op::GroupNonUniformSMin,
        SubgroupOp::UMin => spv::Op::GroupNonUniformUMin,
        SubgroupOp::FMin => spv::Op::GroupNonUniformFMin,
        SubgroupOp::SMax => spv::Op::GroupNonUniformSMax,
        SubgroupOp::UMax => spv::Op::GroupNonUniformUMax,
        SubgroupOp::FMax => spv::Op::GroupNonUniformFMax,
    }
}

fn group_operation(part: SubgroupPart) -> spv::GroupOperation {
    match part {
        SubgroupPart::Reduce => spv::GroupOperation::Reduce,
        SubgroupPart::Inclusive => spv::GroupOperation::InclusiveScan,
        SubgroupPart::Exclusive => spv::GroupOperation::ExclusiveScan,
    }
}
