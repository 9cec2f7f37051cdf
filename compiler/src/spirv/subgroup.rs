//! Emission of the operations that the work-items of a sub-group perform together: the GroupNonUniform
//! instructions of SPIR-V 1.3, and the execution mode that says which work-items do so.

use super::instruction::instruction;
use super::{Emit, Emitter, FnEmitter, Id, bug};
use crate::intrinsic::{FenceFlags, Intrinsic, SubgroupOp, SubgroupPart};
use crate::ir::walk::Walk;
use crate::ir::{Function, Inst, Op, Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// The operations of a kernel that work-items of a sub-group perform together.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Together {
    None,
    /// Operations that all work-items of the sub-group must reach: those of cooperative matrices.
    All,
    /// Operations that any of them may reach.
    Any,
}

impl Together {
    fn of(op: &Op) -> Self {
        match op {
            Op::Intrinsic(Intrinsic::Matrix(op)) if !op.is_local() => Together::All,
            Op::MatrixOn(..) => Together::All,
            Op::Intrinsic(i) if i.is_subgroup_operation() => Together::Any,
            _ => Together::None,
        }
    }
}

impl Emitter<'_> {
    /// Declares the execution mode of a kernel that promises where its work-items reconverge, if it has operations for which
    /// this matters and the device offers a mode that suffices (ADR 24).
    pub(super) fn reconvergence(&mut self, func: &Function, kernel: Id) {
        let mut together = Together::None;
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            together = together.max(Together::of(&func.insts[inst].op));
        }
        let features = &self.target.features;
        let maximal = features.maximal_reconvergence.then_some((
            spv::ExecutionMode::MaximallyReconvergesKHR,
            "SPV_KHR_maximal_reconvergence",
        ));
        let uniform = features.subgroup_uniform_control_flow.then_some((
            spv::ExecutionMode::SubgroupUniformControlFlowKHR,
            "SPV_KHR_subgroup_uniform_control_flow",
        ));
        let chosen = match together {
            Together::None => None,
            Together::All => uniform.or(maximal),
            Together::Any => maximal.or(uniform),
        };
        let Some((mode, extension)) = chosen else {
            return;
        };
        self.needs.extension(extension);
        let operands = vec![Operand::IdRef(kernel), Operand::ExecutionMode(mode)];
        self.modes
            .push(instruction(spv::Op::ExecutionMode, None, None, operands));
    }
}

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
