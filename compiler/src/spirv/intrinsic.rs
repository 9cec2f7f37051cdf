//! Emission of intrinsics: GLSL.std.450, bit counting, work-item values, barriers.

use super::{Emit, FnEmitter, Id, bug};
use crate::intrinsic::{DotSigns, Intrinsic};
use crate::ir::{Inst, Scalar, Ty, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// The instruction numbers of GLSL.std.450.
pub(super) mod glsl {
    pub(super) const ROUND_EVEN: u32 = 2;
    pub(super) const TRUNC: u32 = 3;
    pub(super) const F_ABS: u32 = 4;
    pub(super) const S_ABS: u32 = 5;
    pub(super) const FLOOR: u32 = 8;
    pub(super) const CEIL: u32 = 9;
    pub(super) const SIN: u32 = 13;
    pub(super) const COS: u32 = 14;
    pub(super) const TAN: u32 = 15;
    pub(super) const ASIN: u32 = 16;
    pub(super) const ACOS: u32 = 17;
    pub(super) const ATAN: u32 = 18;
    pub(super) const SINH: u32 = 19;
    pub(super) const COSH: u32 = 20;
    pub(super) const TANH: u32 = 21;
    pub(super) const ASINH: u32 = 22;
    pub(super) const ACOSH: u32 = 23;
    pub(super) const ATANH: u32 = 24;
    pub(super) const ATAN2: u32 = 25;
    pub(super) const POW: u32 = 26;
    pub(super) const EXP: u32 = 27;
    pub(super) const LOG: u32 = 28;
    pub(super) const EXP2: u32 = 29;
    pub(super) const LOG2: u32 = 30;
    pub(super) const SQRT: u32 = 31;
    pub(super) const INVERSE_SQRT: u32 = 32;
    pub(in crate::spirv) const U_MIN: u32 = 38;
    pub(super) const S_MIN: u32 = 39;
    pub(super) const U_MAX: u32 = 41;
    pub(super) const S_MAX: u32 = 42;
    pub(super) const FMA: u32 = 50;
    pub(super) const LDEXP: u32 = 53;
    pub(super) const PACK_HALF: u32 = 58;
    pub(super) const UNPACK_HALF: u32 = 62;
    pub(super) const FIND_I_LSB: u32 = 73;
    pub(super) const FIND_U_MSB: u32 = 75;
    pub(super) const N_MIN: u32 = 79;
    pub(super) const N_MAX: u32 = 80;
}

impl FnEmitter<'_, '_> {
    #[allow(clippy::too_many_lines, reason = "a table with one row for each intrinsic")]
    pub(super) fn intrinsic(&mut self, inst: Inst, op: Intrinsic) -> Emit<Option<Id>> {
        use Intrinsic as I;
        let f = self.f;
        let data = &f.insts[inst];
        let to = data.results.first().map(|&v| f.ty(v));
        let number = match op {
            I::FAbs => glsl::F_ABS,
            I::Floor => glsl::FLOOR,
            I::Ceil => glsl::CEIL,
            I::Trunc => glsl::TRUNC,
            I::RoundEven => glsl::ROUND_EVEN,
            I::Sqrt => glsl::SQRT,
            I::InverseSqrt => glsl::INVERSE_SQRT,
            I::Fma => glsl::FMA,
            I::FMin => glsl::N_MIN,
            I::FMax => glsl::N_MAX,
            I::Sin => glsl::SIN,
            I::Cos => glsl::COS,
            I::Tan => glsl::TAN,
            I::Asin => glsl::ASIN,
            I::Acos => glsl::ACOS,
            I::Atan => glsl::ATAN,
            I::Atan2 => glsl::ATAN2,
            I::Sinh => glsl::SINH,
            I::Cosh => glsl::COSH,
            I::Tanh => glsl::TANH,
            I::Asinh => glsl::ASINH,
            I::Acosh => glsl::ACOSH,
            I::Atanh => glsl::ATANH,
            I::Exp => glsl::EXP,
            I::Exp2 => glsl::EXP2,
            I::Log => glsl::LOG,
            I::Log2 => glsl::LOG2,
            I::Pow => glsl::POW,
            I::Ldexp => glsl::LDEXP,
            I::SAbs => glsl::S_ABS,
            I::SMin => glsl::S_MIN,
            I::SMax => glsl::S_MAX,
            I::UMin => glsl::U_MIN,
            I::UMax => glsl::U_MAX,
            I::UnpackHalf2x16 => glsl::UNPACK_HALF,
            I::PackHalf2x16 => glsl::PACK_HALF,
            I::WorkgroupId
            | I::LocalInvocationId
            | I::WorkgroupSize
            | I::DeviceLocalId
            | I::DeviceGroupSize
            | I::GlobalInvocationId
            | I::NumWorkgroups
            | I::GlobalOffsetConstant
            | I::WorkDim
            | I::PointerTag
            | I::SubgroupMaxSize
            | I::SubgroupId
            | I::SubgroupLocalId => {
                return self.work_item(op).map(Some);
            }
            I::Matrix(op) => return self.matrix(inst, op),
            I::SubgroupSize
            | I::SubgroupBarrier(_)
            | I::SubgroupAll
            | I::SubgroupAny
            | I::SubgroupBallot
            | I::SubgroupBroadcast
            | I::SubgroupShuffle
            | I::SubgroupShuffleXor
            | I::SubgroupArith(..) => return self.subgroup(inst, op),
            I::GlobalId
            | I::LocalId
            | I::GroupId
            | I::GlobalSize
            | I::LocalSize
            | I::EnqueuedLocalSize
            | I::NumGroups
            | I::NumSubgroups
            | I::GlobalOffset => {
                return Err(bug("a work-item function is left after lower_system_values"));
            }
            I::Barrier(flags) => return self.barrier(flags).map(|()| None),
            I::Fence(flags) => return self.fence(flags).map(|()| None),
            I::Atomic(_) => return Err(bug("an atomic is left after lower_memory")),
            I::ReadClock(clock) => return self.read_clock(clock).map(Some),
            I::FloatAtomic(_) => return Err(bug("lower_hir has not built the loop of an atomic operation")),
            I::ArgumentMemory | I::IsAllocated | I::ReportFinding | I::Printf => {
                return Err(bug("lower_printf has not run"));
            }
            I::MemberIndex | I::CopyBegins | I::CopiesEnd => return Err(bug("a check has not run")),
            I::Prefetch => return Ok(None),
            I::SampleImage(..)
            | I::FetchImage(..)
            | I::LoadImage(..)
            | I::LoadFormat(..)
            | I::WriteImage(..)
            | I::ImageSize(_) => {
                return self.image(inst, op);
            }
            I::ReadImage(..) => return Err(bug("lower_images has not run")),
            I::DeviceHas(_) | I::MultiplyAdd | I::RoughDivide | I::RoundedSqrt => {
                return Err(bug("select_arithmetic has not run"));
            }
            I::ChannelOrder | I::ChannelDataType | I::SamplerProperties => {
                return Err(bug("a question about an image or sampler is left"));
            }
            I::PackedDot(signs) => return self.packed_dot(signs, &data.args, false).map(Some),
            I::PackedDotAccSat(signs) => return self.packed_dot(signs, &data.args, true).map(Some),
            I::Dot
            | I::IsNan
            | I::IsInf
            | I::Any
            | I::All
            | I::UMulHigh
            | I::SMulHigh
            | I::PopCount
            | I::Clz
            | I::Ctz
            | I::BitReverse => {
                let to = to.ok_or_else(|| bug("intrinsic without result"))?;
                let args = self.values(&data.args)?;
                let from = f.ty(data.args[0]);
                return self.core(op, &args, from, to).map(Some);
            }
        };
        let to = to.ok_or_else(|| bug("intrinsic without result"))?;
        if to.scalar == Scalar::F64 && !has_f64(op) {
            return Err(bug(format!("{op:?} of f64 is library code")));
        }
        let args = self.values(&data.args)?;
        let ty = self.e.ty(to)?;
        if op == I::FAbs && self.e.target.quirks.kept_sign_of_zero && self.has_int_of(to.scalar) {
            return self.without_sign(args[0], to).map(Some);
        }
        let id = self.glsl(number, ty, &args)?;
        if op == I::Fma && !data.fp.contract {
            self.e.decorate(id, spv::Decoration::NoContraction, &[]);
        }
        Ok(Some(id))
    }

    /// Returns whether the device has integers of the same width as a float type.
    pub(super) fn has_int_of(&self, scalar: Scalar) -> bool {
        let features = &self.e.target.features;
        match scalar.bits() {
            16 => features.int16,
            64 => features.int64,
            _ => true,
        }
    }

    /// Clears the sign bit of a float.
    fn without_sign(&mut self, a: Id, to: Ty) -> Emit<Id> {
        let bits = to.scalar.bits();
        let ty = self.e.ty(to)?;
        let word = to.with_scalar(Scalar::int(bits));
        let word_ty = self.e.ty(word)?;
        let mask = self.e.splat(word, (1 << (bits - 1)) - 1)?;
        let a = self.op_ids(spv::Op::Bitcast, word_ty, &[a])?;
        let magnitude = self.op_ids(spv::Op::BitwiseAnd, word_ty, &[a, mask])?;
        self.op_ids(spv::Op::Bitcast, ty, &[magnitude])
    }

    /// Emits the intrinsics that are core instructions.
    fn core(&mut self, op: Intrinsic, args: &[Id], from: Ty, to: Ty) -> Emit<Id> {
        let ty = self.e.ty(to)?;
        match op {
            Intrinsic::Dot => self.op_ids(spv::Op::Dot, ty, args),
            Intrinsic::IsNan => self.op_ids(spv::Op::IsNan, ty, args),
            Intrinsic::IsInf => self.op_ids(spv::Op::IsInf, ty, args),
            Intrinsic::Any if from.is_vector() => self.op_ids(spv::Op::Any, ty, args),
            Intrinsic::All if from.is_vector() => self.op_ids(spv::Op::All, ty, args),
            Intrinsic::Any | Intrinsic::All => Ok(args[0]),
            Intrinsic::UMulHigh | Intrinsic::SMulHigh => self.mul_high(op, args, to),
            Intrinsic::PopCount => {
                let (words, count) = self.words(args[0], to)?;
                let mut sum = None;
                for w in words {
                    let n = self.op_ids(spv::Op::BitCount, count, &[w])?;
                    sum = Some(match sum {
                        None => n,
                        Some(s) => self.op_ids(spv::Op::IAdd, count, &[s, n])?,
                    });
                }
                self.narrow_word(sum.ok_or_else(|| bug("no words"))?, to)
            }
            Intrinsic::Clz => self.clz(args[0], to),
            Intrinsic::Ctz => self.ctz(args[0], to),
            Intrinsic::BitReverse => self.bit_reverse(args[0], to),
            _ => Err(bug("not a core instruction")),
        }
    }

    /// Emits a dot product of packed bytes (SPV_KHR_integer_dot_product), which SPIR-V has for integers without a sign, too.
    fn packed_dot(&mut self, signs: DotSigns, args: &[Value], saturates: bool) -> Emit<Id> {
        let op = match (signs, saturates) {
            (DotSigns::Unsigned, false) => spv::Op::UDot,
            (DotSigns::Signed, false) => spv::Op::SDot,
            (DotSigns::Mixed, false) => spv::Op::SUDot,
            (DotSigns::Unsigned, true) => spv::Op::UDotAccSat,
            (DotSigns::Signed, true) => spv::Op::SDotAccSat,
            (DotSigns::Mixed, true) => spv::Op::SUDotAccSat,
        };
        self.e.needs.capability(spv::Capability::DotProduct);
        self.e
            .needs
            .capability(spv::Capability::DotProductInput4x8BitPacked);
        let ty = self.e.ty(Ty::I32)?;
        let mut operands: Vec<Operand> = self.values(args)?.into_iter().map(Operand::IdRef).collect();
        operands.push(Operand::PackedVectorFormat(
            spv::PackedVectorFormat::PackedVectorFormat4x8Bit,
        ));
        self.op(op, ty, operands)
    }

    /// Returns an integer as 32-bit words, the low word first, zero-extended if it is narrower, with the
    /// words' type.
    fn words(&mut self, a: Id, ty: Ty) -> Emit<(Vec<Id>, Id)> {
        let word = self.e.ty(ty.with_scalar(Scalar::I32))?;
        let words = match ty.scalar.bits() {
            32 => vec![a],
            64 => {
                let wide = self.e.ty(ty)?;
                let low = self.op_ids(spv::Op::UConvert, word, &[a])?;
                let shift = self.e.splat(ty, 32)?;
                let high = self.op_ids(spv::Op::ShiftRightLogical, wide, &[a, shift])?;
                vec![low, self.op_ids(spv::Op::UConvert, word, &[high])?]
            }
            _ => vec![self.op_ids(spv::Op::UConvert, word, &[a])?],
        };
        Ok((words, word))
    }

    /// Converts a 32-bit word to the integer type.
    fn narrow_word(&mut self, a: Id, to: Ty) -> Emit<Id> {
        if to.scalar == Scalar::I32 {
            return Ok(a);
        }
        let ty = self.e.ty(to)?;
        self.op_ids(spv::Op::UConvert, ty, &[a])
    }

    /// Emits 31 - FindUMsb; FindUMsb is -1 for 0. For narrower integers, the difference in width is
    /// subtracted.
    fn clz(&mut self, a: Id, to: Ty) -> Emit<Id> {
        let (words, word) = self.words(a, to)?;
        let word_ty = to.with_scalar(Scalar::I32);
        let top = self.e.splat(word_ty, u64::from(to.scalar.bits().min(32)) - 1)?;
        let mut counts = Vec::new();
        for &w in &words {
            let msb = self.glsl(glsl::FIND_U_MSB, word, &[w])?;
            counts.push(self.op_ids(spv::Op::ISub, word, &[top, msb])?);
        }
        let count = match (&counts[..], &words[..]) {
            (&[low, high], &[_, high_word]) => {
                let offset = self.e.splat(word_ty, 32)?;
                let low = self.op_ids(spv::Op::IAdd, word, &[low, offset])?;
                self.if_zero(high_word, word_ty, low, high)?
            }
            _ => counts[0],
        };
        self.narrow_word(count, to)
    }

    /// Emits FindILsb, with a correction for 0, for which FindILsb is -1.
    fn ctz(&mut self, a: Id, to: Ty) -> Emit<Id> {
        let (words, word) = self.words(a, to)?;
        let word_ty = to.with_scalar(Scalar::I32);
        let width = self.e.splat(word_ty, u64::from(to.scalar.bits()))?;
        let mut result = width;
        for (n, &w) in words.iter().enumerate().rev() {
            let mut lsb = self.glsl(glsl::FIND_I_LSB, word, &[w])?;
            if n > 0 {
                let offset = self.e.splat(word_ty, 32 * n as u64)?;
                lsb = self.op_ids(spv::Op::IAdd, word, &[lsb, offset])?;
            }
            result = self.if_zero(w, word_ty, result, lsb)?;
        }
        self.narrow_word(result, to)
    }

    /// Emits `w == 0 ? zero : otherwise`.
    fn if_zero(&mut self, w: Id, ty: Ty, zero: Id, otherwise: Id) -> Emit<Id> {
        let none = self.e.splat(ty, 0)?;
        let bools = self.e.ty(ty.with_scalar(Scalar::Bool))?;
        let word = self.e.ty(ty)?;
        let is_zero = self.op_ids(spv::Op::IEqual, bools, &[w, none])?;
        self.op_ids(spv::Op::Select, word, &[is_zero, zero, otherwise])
    }

    fn bit_reverse(&mut self, a: Id, to: Ty) -> Emit<Id> {
        let (words, word) = self.words(a, to)?;
        let ty = self.e.ty(to)?;
        let mut reversed = Vec::new();
        for &w in &words {
            reversed.push(self.op_ids(spv::Op::BitReverse, word, &[w])?);
        }
        if let [low, high] = reversed[..] {
            let shift = self.e.splat(to, 32)?;
            let low = self.op_ids(spv::Op::UConvert, ty, &[low])?;
            let low = self.op_ids(spv::Op::ShiftLeftLogical, ty, &[low, shift])?;
            let high = self.op_ids(spv::Op::UConvert, ty, &[high])?;
            return self.op_ids(spv::Op::BitwiseOr, ty, &[low, high]);
        }
        if to.scalar == Scalar::I32 {
            return Ok(reversed[0]);
        }
        let shift = self
            .e
            .splat(to.with_scalar(Scalar::I32), u64::from(32 - to.scalar.bits()))?;
        let shifted = self.op_ids(spv::Op::ShiftRightLogical, word, &[reversed[0], shift])?;
        self.narrow_word(shifted, to)
    }

    fn mul_high(&mut self, op: Intrinsic, args: &[Id], to: Ty) -> Emit<Id> {
        let signed = op == Intrinsic::SMulHigh;
        let ty = self.e.ty(to)?;
        let bits = to.scalar.bits();
        if bits == 64 {
            return Err(bug("64-bit high products are library code"));
        }
        if bits == 32 {
            let pair = self.e.intern(
                spv::Op::TypeStruct,
                None,
                vec![Operand::IdRef(ty), Operand::IdRef(ty)],
            );
            let op = if signed {
                spv::Op::SMulExtended
            } else {
                spv::Op::UMulExtended
            };
            let product = self.op_ids(op, pair, args)?;
            return self.extract(product, ty, 1);
        }
        let wide_ty = to.with_scalar(Scalar::I32);
        let word = self.e.ty(wide_ty)?;
        let extend = if signed {
            spv::Op::SConvert
        } else {
            spv::Op::UConvert
        };
        let a = self.op_ids(extend, word, &[args[0]])?;
        let b = self.op_ids(extend, word, &[args[1]])?;
        let product = self.op_ids(spv::Op::IMul, word, &[a, b])?;
        let shift = self.e.splat(wide_ty, u64::from(bits))?;
        let high = self.op_ids(spv::Op::ShiftRightLogical, word, &[product, shift])?;
        self.narrow_word(high, to)
    }
}

/// Returns whether GLSL.std.450 has the operation for 64-bit floats.
fn has_f64(op: Intrinsic) -> bool {
    matches!(
        op,
        Intrinsic::FAbs
            | Intrinsic::Floor
            | Intrinsic::Ceil
            | Intrinsic::Trunc
            | Intrinsic::RoundEven
            | Intrinsic::Sqrt
            | Intrinsic::InverseSqrt
            | Intrinsic::Fma
            | Intrinsic::FMin
            | Intrinsic::FMax
            | Intrinsic::Ldexp
    )
}
