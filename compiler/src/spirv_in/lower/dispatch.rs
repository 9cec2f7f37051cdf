//! Which translation an instruction of a block gets.

use super::func::FuncLowering;
use crate::ir::{BinOp, CmpOp, UnOp};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::Op;

/// Returns the operation with two operands that an instruction is.
fn binary(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::IAdd => BinOp::IAdd,
        Op::ISub => BinOp::ISub,
        Op::IMul => BinOp::IMul,
        Op::UDiv => BinOp::UDiv,
        Op::SDiv => BinOp::SDiv,
        Op::UMod => BinOp::URem,
        Op::SRem => BinOp::SRem,
        Op::FAdd => BinOp::FAdd,
        Op::FSub => BinOp::FSub,
        Op::FMul => BinOp::FMul,
        Op::BitwiseOr | Op::LogicalOr => BinOp::Or,
        Op::BitwiseXor => BinOp::Xor,
        Op::BitwiseAnd | Op::LogicalAnd => BinOp::And,
        _ => return None,
    })
}

/// Returns the shift that an instruction is. The count may be of another width than the shifted value.
fn shift(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::ShiftLeftLogical => BinOp::Shl,
        Op::ShiftRightLogical => BinOp::LShr,
        Op::ShiftRightArithmetic => BinOp::AShr,
        _ => return None,
    })
}

/// Returns the comparison that an instruction is.
fn comparison(op: Op) -> Option<CmpOp> {
    Some(match op {
        Op::IEqual | Op::LogicalEqual | Op::PtrEqual => CmpOp::IEq,
        Op::INotEqual | Op::LogicalNotEqual | Op::PtrNotEqual => CmpOp::INe,
        Op::SLessThan => CmpOp::SLt,
        Op::SLessThanEqual => CmpOp::SLe,
        Op::SGreaterThan => CmpOp::SGt,
        Op::SGreaterThanEqual => CmpOp::SGe,
        Op::ULessThan => CmpOp::ULt,
        Op::ULessThanEqual => CmpOp::ULe,
        Op::UGreaterThan => CmpOp::UGt,
        Op::UGreaterThanEqual => CmpOp::UGe,
        Op::FOrdEqual => CmpOp::FOEq,
        Op::FOrdNotEqual | Op::LessOrGreater => CmpOp::FONe,
        Op::FOrdLessThan => CmpOp::FOLt,
        Op::FOrdLessThanEqual => CmpOp::FOLe,
        Op::FOrdGreaterThan => CmpOp::FOGt,
        Op::FOrdGreaterThanEqual => CmpOp::FOGe,
        Op::FUnordEqual => CmpOp::FUEq,
        Op::FUnordNotEqual => CmpOp::FUNe,
        Op::FUnordLessThan => CmpOp::FULt,
        Op::FUnordLessThanEqual => CmpOp::FULe,
        Op::FUnordGreaterThan => CmpOp::FUGt,
        Op::FUnordGreaterThanEqual => CmpOp::FUGe,
        _ => return None,
    })
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Translates an instruction that does not end its block.
    #[allow(clippy::too_many_lines, reason = "a table with one row for each instruction")]
    pub(super) fn inst(&mut self, inst: &Inst<'w>) -> Result<(), Error> {
        if self.cx.has_matrices && self.matrix(inst)? {
            return Ok(());
        }
        if let Some(op) = binary(inst.op) {
            return self.binary(inst, op);
        }
        if let Some(op) = shift(inst.op) {
            return self.shift(inst, op);
        }
        if let Some(op) = comparison(inst.op) {
            return self.compare(inst, op);
        }
        match inst.op {
            Op::SNegate => self.unary(inst, UnOp::INeg),
            Op::FNegate => self.unary(inst, UnOp::FNeg),
            Op::Not | Op::LogicalNot => self.unary(inst, UnOp::Not),
            Op::FDiv => self.divide(inst),
            Op::FRem => self.remainder(inst),
            Op::SMod | Op::FMod => self.modulo(inst),
            Op::VectorTimesScalar => self.vector_times_scalar(inst),
            Op::Dot => self.dot(inst),
            Op::Select => self.select(inst),
            Op::IsNan
            | Op::IsInf
            | Op::IsFinite
            | Op::IsNormal
            | Op::SignBitSet
            | Op::Ordered
            | Op::Unordered => self.classify(inst),
            Op::Any | Op::All => self.any_all(inst),
            Op::BitCount => self.bit_count(inst),
            Op::BitReverse => self.bit_reverse(inst),
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => self.bit_field(inst),
            Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => {
                self.integer_dot(inst)
            }
            Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => self.extended(inst),

            Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF | Op::FConvert => {
                self.convert_float(inst)
            }
            Op::ConvertFToBF16INTEL => self.convert_to_bfloat16(inst),
            Op::ConvertBF16ToFINTEL => self.convert_from_bfloat16(inst),
            Op::UConvert | Op::SConvert => self.convert_int(inst),
            Op::SatConvertSToU | Op::SatConvertUToS => self.saturate(inst),
            Op::ConvertPtrToU => self.pointer_to_int(inst),
            Op::ConvertUToPtr => self.int_to_pointer(inst),
            Op::Bitcast => self.bitcast(inst),
            Op::PtrCastToGeneric => self.cast_to_generic(inst),
            Op::GenericCastToPtr => self.cast_from_generic(inst),
            Op::GenericCastToPtrExplicit => self.cast_explicitly(inst),
            Op::GenericPtrMemSemantics => self.generic_semantics(inst),

            Op::CompositeConstruct => self.construct(inst),
            Op::CompositeExtract => self.extract(inst),
            Op::CompositeInsert => self.insert(inst),
            Op::VectorShuffle => self.shuffle(inst),
            Op::VectorExtractDynamic => self.extract_dynamic(inst),
            Op::VectorInsertDynamic => self.insert_dynamic(inst),
            Op::CopyObject | Op::ExpectKHR | Op::ArithmeticFenceEXT => self.copy_object(inst),
            Op::CopyLogical => self.copy_logical(inst),
            Op::Undef => self.undefined(inst),

            Op::Variable => self.variable(inst),
            Op::Load => self.load(inst),
            Op::Store => self.store(inst),
            Op::CopyMemory => self.copy_memory(inst),
            Op::CopyMemorySized => self.copy_memory_sized(inst),
            Op::AccessChain | Op::InBoundsAccessChain => self.access_chain(inst, false),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.access_chain(inst, true),
            Op::PtrDiff => self.pointer_difference(inst),
            Op::SizeOf => self.size_of(inst),

            Op::FunctionCall => self.call(inst),
            Op::ExtInst => self.extended_instruction(inst),

            // A wait is a whole barrier, because its work-item has arrived before. The arrival only orders memory.
            Op::ControlBarrier | Op::ControlBarrierWaitINTEL => self.control_barrier(inst),
            Op::ControlBarrierArriveINTEL => self.arrive(inst),
            Op::MemoryBarrier => self.memory_barrier(inst),
            Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFlagTestAndSet
            | Op::AtomicFlagClear
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT => self.atomic(inst),
            Op::ReadClockKHR => self.read_clock(inst),
            Op::GroupAsyncCopy => self.async_copy(inst),
            Op::GroupWaitEvents => self.wait_events(inst),

            Op::GroupAll
            | Op::GroupAny
            | Op::GroupBroadcast
            | Op::GroupIAdd
            | Op::GroupFAdd
            | Op::GroupFMin
            | Op::GroupUMin
            | Op::GroupSMin
            | Op::GroupFMax
            | Op::GroupUMax
            | Op::GroupSMax
            | Op::GroupIMulKHR
            | Op::GroupFMulKHR
            | Op::GroupBitwiseAndKHR
            | Op::GroupBitwiseOrKHR
            | Op::GroupBitwiseXorKHR
            | Op::GroupLogicalAndKHR
            | Op::GroupLogicalOrKHR
            | Op::GroupLogicalXorKHR => self.group(inst),
            Op::GroupNonUniformElect
            | Op::GroupNonUniformAll
            | Op::GroupNonUniformAny
            | Op::GroupNonUniformAllEqual
            | Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformBroadcastFirst
            | Op::GroupNonUniformBallot
            | Op::GroupNonUniformInverseBallot
            | Op::GroupNonUniformBallotBitExtract
            | Op::GroupNonUniformBallotBitCount
            | Op::GroupNonUniformBallotFindLSB
            | Op::GroupNonUniformBallotFindMSB
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::GroupNonUniformRotateKHR
            | Op::GroupNonUniformIAdd
            | Op::GroupNonUniformFAdd
            | Op::GroupNonUniformIMul
            | Op::GroupNonUniformFMul
            | Op::GroupNonUniformSMin
            | Op::GroupNonUniformUMin
            | Op::GroupNonUniformFMin
            | Op::GroupNonUniformSMax
            | Op::GroupNonUniformUMax
            | Op::GroupNonUniformFMax
            | Op::GroupNonUniformBitwiseAnd
            | Op::GroupNonUniformBitwiseOr
            | Op::GroupNonUniformBitwiseXor
            | Op::GroupNonUniformLogicalAnd
            | Op::GroupNonUniformLogicalOr
            | Op::GroupNonUniformLogicalXor => self.group_non_uniform(inst),

            Op::SubgroupShuffleINTEL
            | Op::SubgroupShuffleDownINTEL
            | Op::SubgroupShuffleUpINTEL
            | Op::SubgroupShuffleXorINTEL
            | Op::SubgroupBlockReadINTEL
            | Op::SubgroupBlockWriteINTEL => self.intel_subgroup(inst),

            Op::SampledImage => self.sampled_image(inst),
            Op::Image => self.image_of(inst),
            Op::ImageSampleExplicitLod => self.image_sample(inst),
            Op::ImageRead => self.image_read(inst),
            Op::ImageWrite => self.image_write(inst),
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.image_size(inst),
            Op::ImageQueryFormat | Op::ImageQueryOrder => self.image_query(inst),

            Op::ReadPipe
            | Op::WritePipe
            | Op::ReservedReadPipe
            | Op::ReservedWritePipe
            | Op::ReserveReadPipePackets
            | Op::ReserveWritePipePackets
            | Op::CommitReadPipe
            | Op::CommitWritePipe
            | Op::IsValidReserveId
            | Op::GetNumPipePackets
            | Op::GetMaxPipePackets
            | Op::GroupReserveReadPipePackets
            | Op::GroupReserveWritePipePackets
            | Op::GroupCommitReadPipe
            | Op::GroupCommitWritePipe => self.pipe(inst),

            // Hints.
            Op::LifetimeStart
            | Op::LifetimeStop
            | Op::AssumeTrueKHR
            | Op::LoopMerge
            | Op::SelectionMerge
            | Op::SubgroupBlockPrefetchINTEL
            | Op::LoopControlINTEL => Ok(()),
            Op::Phi => Err(inst.invalid("it comes after another instruction of the block")),
            _ => Err(inst.unsupported("the instruction is not implemented")),
        }
    }
}
