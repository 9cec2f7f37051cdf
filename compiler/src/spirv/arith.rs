//! Emission of arithmetic, comparisons, conversions and vector operations.

use super::push::Reading;
use super::{Emit, FnEmitter, Id, bug};
use crate::ir::inst::{BinOp, CastOp, CmpOp, UnOp};
use crate::ir::{EntityRef, Func, Inst, Op, Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

impl FnEmitter<'_, '_> {
    /// Emits an instruction of any kind.
    pub(super) fn inst(&mut self, inst: Inst) -> Emit<()> {
        if self.control(inst)? {
            return Ok(());
        }
        let result = match self.push.reading(inst) {
            Reading::Absorbed => return Ok(()),
            Reading::Whole(word) => Some(self.push_whole(word)?),
            Reading::Half(word) => Some(self.push_half(word)?),
            Reading::Usual => self.operation(inst)?,
        };
        match (self.f.insts[inst].results.first(), result) {
            (Some(&v), Some(id)) => self.ids[v.index()] = id,
            (None, _) => {}
            (Some(v), None) => return Err(bug(format!("{v} has no value"))),
        }
        Ok(())
    }

    fn operation(&mut self, inst: Inst) -> Emit<Option<Id>> {
        Ok(match &self.f.insts[inst].op {
            Op::LoadFrom(..) | Op::StoreTo(..) | Op::AtomicOn(..) | Op::Variable { .. } => {
                self.memory(inst)?
            }
            Op::MatrixOn(access, storage) => self.matrix_access(inst, *access, *storage)?,
            Op::Intrinsic(op) => self.intrinsic(inst, *op)?,
            Op::Alloca { .. }
            | Op::GlobalAddr(_)
            | Op::PtrAdd
            | Op::Load(_)
            | Op::Store(_)
            | Op::MemCpy { .. }
            | Op::MemZero { .. } => return Err(bug("a memory instruction is left after lower_memory")),
            Op::Call(_) => return Err(bug("a call is left after inlining")),
            Op::CallPure(callee) => self.call(inst, *callee)?,
            _ => Some(self.arithmetic(inst)?),
        })
    }

    /// Emits a call. Returns its result, or that of the first member if the function returns several.
    fn call(&mut self, inst: Inst, callee: Func) -> Emit<Option<Id>> {
        let f = self.f;
        let data = &f.insts[inst];
        let types: Vec<Ty> = data.results.iter().map(|&r| f.ty(r)).collect();
        let ty = self.e.results(&types)?;
        let function = self.e.functions_by_number.get(callee.index()).copied().flatten();
        let mut operands = vec![function.ok_or_else(|| bug("call of a function that is not emitted"))?];
        operands.extend(self.values(&data.args)?);
        let all = self.op_ids(spv::Op::FunctionCall, ty, &operands)?;
        if let [_] = types[..] {
            return Ok(Some(all));
        }
        for (n, (&result, &ty)) in data.results.iter().zip(&types).enumerate() {
            let ty = self.e.ty(ty)?;
            self.ids[result.index()] = self.extract(all, ty, n as u32)?;
        }
        Ok(data.results.first().map(|r| self.ids[r.index()]))
    }

    fn arithmetic(&mut self, inst: Inst) -> Emit<Id> {
        let f = self.f;
        let data = &f.insts[inst];
        let args = self.values(&data.args)?;
        let to = f.ty(*data
            .results
            .first()
            .ok_or_else(|| bug("instruction without result"))?);
        let from = data.args.first().map_or(to, |&a| f.ty(a));
        let ty = self.e.ty(to)?;
        match &data.op {
            Op::Binary(op) => {
                let id = self.binary(*op, to, ty, args[0], args[1], &data.args)?;
                if to.scalar.is_float() && !data.fp.contract {
                    self.e.decorate(id, spv::Decoration::NoContraction, &[]);
                }
                Ok(id)
            }
            Op::Unary(UnOp::FNeg)
                if self.e.target.costs.costly_negation
                    && (to.scalar == Scalar::F32
                        || (to.scalar == Scalar::F64 && self.e.target.features.int64)) =>
            {
                let bits = to.scalar.bits();
                let words = to.with_scalar(Scalar::int(bits));
                let word_ty = self.e.ty(words)?;
                let word = self.op_ids(spv::Op::Bitcast, word_ty, &args)?;
                let sign = self.e.splat(words, 1 << (bits - 1))?;
                let turned = self.op_ids(spv::Op::BitwiseXor, word_ty, &[word, sign])?;
                self.op_ids(spv::Op::Bitcast, ty, &[turned])
            }
            Op::Unary(op) => {
                let op = match op {
                    UnOp::INeg => spv::Op::SNegate,
                    UnOp::Not if to.scalar == Scalar::Bool => spv::Op::LogicalNot,
                    UnOp::Not => spv::Op::Not,
                    UnOp::FNeg => spv::Op::FNegate,
                };
                self.op_ids(op, ty, &args)
            }
            Op::Compare(op) => self.op_ids(compare(*op, from.scalar), ty, &args),
            Op::Cast(op) => self.cast(*op, args[0], from, to),
            Op::Select => {
                let mut cond = args[0];
                // Before version 1.4, a vector can be selected only by a vector of conditions.
                if to.is_vector() && !from.is_vector() && (self.e.target.spirv.minor < 4) {
                    let bools = self.e.ty(to.with_scalar(Scalar::Bool))?;
                    cond = self.op_ids(spv::Op::CompositeConstruct, bools, &vec![cond; to.lanes.into()])?;
                }
                self.op_ids(spv::Op::Select, ty, &[cond, args[1], args[2]])
            }
            Op::Construct if args.len() == 1 => Ok(args[0]),
            Op::Construct => self.op_ids(spv::Op::CompositeConstruct, ty, &args),
            Op::Splat if !to.is_vector() => Ok(args[0]),
            Op::Splat => self.op_ids(spv::Op::CompositeConstruct, ty, &vec![args[0]; to.lanes.into()]),
            Op::Extract(_) if !from.is_vector() => Ok(args[0]),
            Op::Extract(lane) => self.extract(args[0], ty, u32::from(*lane)),
            Op::ExtractDynamic => self.op_ids(spv::Op::VectorExtractDynamic, ty, &args),
            Op::Insert(_) if !to.is_vector() => Ok(args[1]),
            Op::Insert(lane) => self.op(
                spv::Op::CompositeInsert,
                ty,
                vec![
                    Operand::IdRef(args[1]),
                    Operand::IdRef(args[0]),
                    Operand::LiteralBit32(u32::from(*lane)),
                ],
            ),
            Op::InsertDynamic => self.op_ids(spv::Op::VectorInsertDynamic, ty, &args),
            Op::Shuffle(mask) => self.shuffle(mask, &args, from, to),
            _ => Err(bug("not an arithmetic instruction")),
        }
    }

    pub(super) fn extract(&mut self, v: Id, ty: Id, lane: u32) -> Emit<Id> {
        let operands = vec![Operand::IdRef(v), Operand::LiteralBit32(lane)];
        self.op(spv::Op::CompositeExtract, ty, operands)
    }

    fn shuffle(&mut self, mask: &[u8], args: &[Id], from: Ty, to: Ty) -> Emit<Id> {
        let ty = self.e.ty(to)?;
        if from.is_vector() && to.is_vector() {
            let mut operands = vec![Operand::IdRef(args[0]), Operand::IdRef(args[1])];
            operands.extend(
                mask.iter()
                    .map(|&m| Operand::LiteralBit32(if m == 0xff { u32::MAX } else { u32::from(m) })),
            );
            return self.op(spv::Op::VectorShuffle, ty, operands);
        }
        let scalar = self.e.scalar(to.scalar)?;
        let mut lanes = Vec::new();
        for &m in mask {
            lanes.push(if m == 0xff {
                self.e.scalar_constant(to.scalar, 0)?
            } else if from.is_vector() {
                let (v, lane) = if m < from.lanes {
                    (args[0], m)
                } else {
                    (args[1], m - from.lanes)
                };
                self.extract(v, scalar, u32::from(lane))?
            } else {
                args[usize::from(m).min(1)]
            });
        }
        match lanes[..] {
            [one] => Ok(one),
            _ => self.op_ids(spv::Op::CompositeConstruct, ty, &lanes),
        }
    }

    fn binary(&mut self, op: BinOp, to: Ty, ty: Id, a: Id, b: Id, operands: &[crate::ir::Value]) -> Emit<Id> {
        let is_bool = to.scalar == Scalar::Bool;
        let op = match op {
            BinOp::IAdd => spv::Op::IAdd,
            BinOp::ISub => spv::Op::ISub,
            BinOp::IMul => spv::Op::IMul,
            BinOp::SDiv => return self.quotient(to, ty, a, b, operands),
            BinOp::UDiv => spv::Op::UDiv,
            BinOp::URem => spv::Op::UMod,
            BinOp::SRem => {
                // Vulkan leaves OpSRem of negative operands undefined.
                let quotient = self.quotient(to, ty, a, b, operands)?;
                let product = self.op_ids(spv::Op::IMul, ty, &[quotient, b])?;
                return self.op_ids(spv::Op::ISub, ty, &[a, product]);
            }
            BinOp::Shl | BinOp::AShr | BinOp::LShr => {
                let op = match op {
                    BinOp::Shl => spv::Op::ShiftLeftLogical,
                    BinOp::AShr => spv::Op::ShiftRightArithmetic,
                    _ => spv::Op::ShiftRightLogical,
                };
                if op != spv::Op::ShiftLeftLogical
                    && self.e.target.quirks.narrow_integers
                    && let Some((value, bits)) = self.extended_part(to, operands)?
                {
                    let extract = if op == spv::Op::ShiftRightArithmetic {
                        spv::Op::BitFieldSExtract
                    } else {
                        spv::Op::BitFieldUExtract
                    };
                    let offset = self.e.splat(Ty::I32, 0)?;
                    let count = self.e.splat(Ty::I32, bits)?;
                    return self.op_ids(extract, ty, &[value, offset, count]);
                }
                let count = self.shift_count(to, ty, b, operands[1])?;
                return self.op_ids(op, ty, &[a, count]);
            }
            BinOp::And if is_bool => spv::Op::LogicalAnd,
            BinOp::And => spv::Op::BitwiseAnd,
            BinOp::Or if is_bool => spv::Op::LogicalOr,
            BinOp::Or => spv::Op::BitwiseOr,
            BinOp::Xor if is_bool => spv::Op::LogicalNotEqual,
            BinOp::Xor => spv::Op::BitwiseXor,
            BinOp::FAdd => spv::Op::FAdd,
            BinOp::FSub => spv::Op::FSub,
            BinOp::FMul => spv::Op::FMul,
            BinOp::FDiv => spv::Op::FDiv,
            BinOp::FRem => spv::Op::FRem,
        };
        self.op_ids(op, ty, &[a, b])
    }

    /// Returns the quotient of signed integers. For drivers that have
    /// [`Quirks::overflowing_quotients`](crate::target::Quirks::overflowing_quotients), a divisor of -1, with which
    /// alone a quotient can overflow, is replaced by 1, and the result is the negative of the dividend.
    fn quotient(&mut self, to: Ty, ty: Id, a: Id, b: Id, operands: &[crate::ir::Value]) -> Emit<Id> {
        let width = to.scalar.bits();
        let ones = u64::MAX >> (64 - width);
        let never = |operand: usize, bits: u64| {
            let constant = self.f.as_const(operands[operand]);
            matches!(constant, Some(crate::ir::Const::Bits(lanes)) if !lanes.contains(&bits))
        };
        if !self.e.target.quirks.overflowing_quotients || never(0, 1 << (width - 1)) || never(1, ones) {
            return self.op_ids(spv::Op::SDiv, ty, &[a, b]);
        }
        let bools = self.e.ty(Ty::vector(Scalar::Bool, to.lanes))?;
        let minus_one = self.e.splat(to, ones)?;
        let one = self.e.splat(to, 1)?;
        let negates = self.op_ids(spv::Op::IEqual, bools, &[b, minus_one])?;
        let divisor = self.op_ids(spv::Op::Select, ty, &[negates, one, b])?;
        let quotient = self.op_ids(spv::Op::SDiv, ty, &[a, divisor])?;
        let negative = self.op_ids(spv::Op::SNegate, ty, &[a])?;
        self.op_ids(spv::Op::Select, ty, &[negates, negative, quotient])
    }

    /// If the operands of a shift to the right extend the lowest bits of a 32-bit integer, because they shift
    /// these bits to the left by the same count first, returns the integer and the number of bits. For drivers
    /// that have [`Quirks::narrow_integers`](crate::target::Quirks::narrow_integers), which turn the shifts into
    /// the conversion of a narrow integer.
    fn extended_part(&mut self, ty: Ty, operands: &[crate::ir::Value]) -> Emit<Option<(Id, u64)>> {
        let f = self.f;
        let Some(shift) = f.def_inst(operands[0]).map(|def| &f.insts[def]) else {
            return Ok(None);
        };
        match f.as_splat(operands[1]) {
            Some(count @ 1..32)
                if ty.scalar == Scalar::I32
                    && shift.op == Op::Binary(BinOp::Shl)
                    && f.as_splat(shift.args[1]) == Some(count) =>
            {
                Ok(Some((self.value(shift.args[0])?, 32 - count)))
            }
            _ => Ok(None),
        }
    }

    /// Returns the shift count modulo the width, because SPIR-V leaves larger counts undefined.
    fn shift_count(&mut self, to: Ty, ty: Id, count: Id, value: crate::ir::Value) -> Emit<Id> {
        let width = u64::from(to.scalar.bits());
        if let Some(crate::ir::Const::Bits(lanes)) = self.f.as_const(value)
            && lanes.iter().all(|&l| l < width)
        {
            return Ok(count);
        }
        let mask = self.e.splat(to, width - 1)?;
        self.op_ids(spv::Op::BitwiseAnd, ty, &[count, mask])
    }

    fn cast(&mut self, op: CastOp, a: Id, from: Ty, to: Ty) -> Emit<Id> {
        let ty = self.e.ty(to)?;
        if from.scalar == Scalar::Bool {
            let one = match (op, to.scalar) {
                (CastOp::SExt, _) => u64::MAX,
                (CastOp::ZExt, _) => 1,
                _ => return Err(bug("conversion of a Bool")),
            };
            let one = self.e.splat(to, one)?;
            let zero = self.e.splat(to, 0)?;
            return self.op_ids(spv::Op::Select, ty, &[a, one, zero]);
        }
        let op = match op {
            CastOp::Trunc | CastOp::ZExt => spv::Op::UConvert,
            CastOp::SExt => spv::Op::SConvert,
            CastOp::FConvert => spv::Op::FConvert,
            CastOp::FToS => spv::Op::ConvertFToS,
            CastOp::FToU => spv::Op::ConvertFToU,
            CastOp::SToF => spv::Op::ConvertSToF,
            CastOp::UToF => spv::Op::ConvertUToF,
            CastOp::Bitcast => spv::Op::Bitcast,
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast => {
                return Err(bug("a pointer is left after lower_memory"));
            }
        };
        if from == to {
            return Ok(a);
        }
        if op == spv::Op::ConvertUToF
            && (from.scalar, to.scalar) == (Scalar::I32, Scalar::F32)
            && self.e.target.quirks.rounded_unsigned
        {
            return self.unsigned_to_float(a, from, to);
        }
        let is_half_of_double =
            op == spv::Op::FConvert && (from.scalar, to.scalar) == (Scalar::F64, Scalar::F16);
        let a = match is_half_of_double
            && self.e.target.quirks.halves_by_floats
            && self.has_int_of(from.scalar)
        {
            true => self.rounded_for_half(a, from)?,
            false => a,
        };
        let widened = op == spv::Op::SConvert && (from.scalar, to.scalar) == (Scalar::I32, Scalar::I64);
        if widened && self.e.target.quirks.widened_compares {
            return self.sign_extended(a, to, ty);
        }
        // Mesa 22.3 loses the last quarter of a 64-bit constant in this conversion (ADR 7), so it goes
        // through two halves.
        let quarters = from.lanes == 1 && from.scalar.bits() == 64 && to.lanes == 4;
        let a = if op == spv::Op::Bitcast && quarters {
            let halves = self.e.ty(Ty::vector(Scalar::I32, 2))?;
            self.op_ids(op, halves, &[a])?
        } else {
            a
        };
        self.op_ids(op, ty, &[a])
    }

    /// Converts an unsigned integer to a float by halves, which are exact, so that only their sum is rounded. For drivers that
    /// have [`Quirks::rounded_unsigned`](crate::target::Quirks::rounded_unsigned).
    fn unsigned_to_float(&mut self, a: Id, from: Ty, to: Ty) -> Emit<Id> {
        let (words, floats) = (self.e.ty(from)?, self.e.ty(to)?);
        let (half, mask) = (self.e.splat(from, 16)?, self.e.splat(from, 0xffff)?);
        let scale = self.e.splat(to, u64::from(65536f32.to_bits()))?;
        let high = self.op_ids(spv::Op::ShiftRightLogical, words, &[a, half])?;
        let low = self.op_ids(spv::Op::BitwiseAnd, words, &[a, mask])?;
        let high = self.op_ids(spv::Op::ConvertSToF, floats, &[high])?;
        let low = self.op_ids(spv::Op::ConvertSToF, floats, &[low])?;
        let high = self.op_ids(spv::Op::FMul, floats, &[high, scale])?;
        self.op_ids(spv::Op::FAdd, floats, &[high, low])
    }

    /// Rounds doubles to 12 bits after the point, so that conversions to float are exact and those to half still round as from all
    /// bits: the lowest bit that is left is set if a lower one was. Those that are too large for a half become infinite.
    /// For drivers that have [`Quirks::halves_by_floats`](crate::target::Quirks::halves_by_floats).
    fn rounded_for_half(&mut self, a: Id, ty: Ty) -> Emit<Id> {
        let longs = ty.with_scalar(Scalar::I64);
        let (doubles, bools) = (self.e.ty(ty)?, self.e.ty(ty.with_scalar(Scalar::Bool))?);
        let words = self.e.ty(longs)?;
        let kept = 1u64 << 40;
        let (low, last, zero) = (
            self.e.splat(longs, kept - 1)?,
            self.e.splat(longs, kept)?,
            self.e.splat(longs, 0)?,
        );
        let high = self.e.splat(longs, !(kept - 1))?;
        let bits = self.op_ids(spv::Op::Bitcast, words, &[a])?;
        let rest = self.op_ids(spv::Op::BitwiseAnd, words, &[bits, low])?;
        let is_exact = self.op_ids(spv::Op::IEqual, bools, &[rest, zero])?;
        let sticky = self.op_ids(spv::Op::Select, words, &[is_exact, zero, last])?;
        let bits = self.op_ids(spv::Op::BitwiseAnd, words, &[bits, high])?;
        let bits = self.op_ids(spv::Op::BitwiseOr, words, &[bits, sticky])?;
        let mut a = self.op_ids(spv::Op::Bitcast, doubles, &[bits])?;
        for (op, sign) in [(spv::Op::FOrdGreaterThan, 1.0), (spv::Op::FOrdLessThan, -1.0)] {
            let limit = self.e.splat(ty, f64::to_bits(sign * 131_072.0))?;
            let infinite = self.e.splat(ty, f64::to_bits(sign * f64::INFINITY))?;
            let is_large = self.op_ids(op, bools, &[a, limit])?;
            a = self.op_ids(spv::Op::Select, doubles, &[is_large, infinite, a])?;
        }
        Ok(a)
    }

    /// Sign-extends 32 bits to 64 bits by shifts, which no driver treats as a conversion. For drivers that
    /// have [`Quirks::widened_compares`](crate::target::Quirks::widened_compares), LLVM turns the shifts into
    /// one instruction.
    fn sign_extended(&mut self, a: Id, to: Ty, ty: Id) -> Emit<Id> {
        let half = self.e.splat(to, 32)?;
        let wide = self.op_ids(spv::Op::UConvert, ty, &[a])?;
        let high = self.op_ids(spv::Op::ShiftLeftLogical, ty, &[wide, half])?;
        self.op_ids(spv::Op::ShiftRightArithmetic, ty, &[high, half])
    }
}

fn compare(op: CmpOp, scalar: Scalar) -> spv::Op {
    match op {
        CmpOp::IEq if scalar == Scalar::Bool => spv::Op::LogicalEqual,
        CmpOp::INe if scalar == Scalar::Bool => spv::Op::LogicalNotEqual,
        CmpOp::IEq => spv::Op::IEqual,
        CmpOp::INe => spv::Op::INotEqual,
        CmpOp::SLt => spv::Op::SLessThan,
        CmpOp::SLe => spv::Op::SLessThanEqual,
        CmpOp::SGt => spv::Op::SGreaterThan,
        CmpOp::SGe => spv::Op::SGreaterThanEqual,
        CmpOp::ULt => spv::Op::ULessThan,
        CmpOp::ULe => spv::Op::ULessThanEqual,
        CmpOp::UGt => spv::Op::UGreaterThan,
        CmpOp::UGe => spv::Op::UGreaterThanEqual,
        CmpOp::FOEq => spv::Op::FOrdEqual,
        CmpOp::FONe => spv::Op::FOrdNotEqual,
        CmpOp::FOLt => spv::Op::FOrdLessThan,
        CmpOp::FOLe => spv::Op::FOrdLessThanEqual,
        CmpOp::FOGt => spv::Op::FOrdGreaterThan,
        CmpOp::FOGe => spv::Op::FOrdGreaterThanEqual,
        CmpOp::FUNe => spv::Op::FUnordNotEqual,
        CmpOp::FUEq => spv::Op::FUnordEqual,
        CmpOp::FULt => spv::Op::FUnordLessThan,
        CmpOp::FULe => spv::Op::FUnordLessThanEqual,
        CmpOp::FUGt => spv::Op::FUnordGreaterThan,
        CmpOp::FUGe => spv::Op::FUnordGreaterThanEqual,
    }
}
