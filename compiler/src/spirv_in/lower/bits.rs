//! Bit fields, and dot products of integers.

use super::func::FuncLowering;
use crate::ir::{BinOp, CastOp, CmpOp, Scalar, Ty, UnOp, Value};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{Op, PackedVectorFormat};

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// OpBitFieldInsert, OpBitFieldSExtract and OpBitFieldUExtract: `count` bits from bit `offset` on.
    pub(super) fn bit_field(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let inserts = inst.op == Op::BitFieldInsert;
        let first = if inserts { 2 } else { 1 };
        inst.exactly(first + 2)?;
        let base = self.operand(inst, 0)?;
        let ty = self.b.func.ty(base);
        if !ty.scalar.is_int() {
            return Err(inst.invalid("the base is no integer or vector of integers"));
        }
        let offset = self.amount(inst, first, ty)?;
        let count = self.amount(inst, first + 1, ty)?;
        let width = self.b.bits(ty, u64::from(ty.scalar.bits()));
        let zero = self.b.zero(ty);
        let is_empty = self.b.compare(CmpOp::IEq, count, zero);
        // Shift counts are taken modulo the width, so no bits at all are a case of their own.
        let rest = self.b.binary(BinOp::ISub, width, count);
        let value = if inst.op == Op::BitFieldSExtract {
            let left = self.b.binary(BinOp::ISub, rest, offset);
            let top = self.b.binary(BinOp::Shl, base, left);
            let field = self.b.binary(BinOp::AShr, top, rest);
            self.b.select(is_empty, zero, field)
        } else {
            let ones = self.b.unary(UnOp::Not, zero);
            let low = self.b.binary(BinOp::LShr, ones, rest);
            let mask = self.b.select(is_empty, zero, low);
            if inserts {
                let new = self.operand(inst, 1)?;
                if self.b.func.ty(new) != ty {
                    return Err(inst.invalid("the operands differ in type"));
                }
                let place = self.b.binary(BinOp::Shl, mask, offset);
                let others = self.b.unary(UnOp::Not, place);
                let kept = self.b.binary(BinOp::And, base, others);
                let field = self.b.binary(BinOp::And, new, mask);
                let field = self.b.binary(BinOp::Shl, field, offset);
                self.b.binary(BinOp::Or, kept, field)
            } else {
                let shifted = self.b.binary(BinOp::LShr, base, offset);
                self.b.binary(BinOp::And, shifted, mask)
            }
        };
        self.define(inst, value)
    }

    /// Returns the scalar that operand `n` names, as each lane of a type.
    fn amount(&mut self, inst: &Inst<'_>, n: usize, ty: Ty) -> Result<Value, Error> {
        let value = self.operand(inst, n)?;
        let own = self.b.func.ty(value);
        if own.is_vector() || !own.scalar.is_int() {
            return Err(inst.invalid("the offset or count is no integer"));
        }
        let value = self.resize(value, Ty::of(ty.scalar), false);
        Ok(if ty.is_vector() {
            self.b.splat(ty, value)
        } else {
            value
        })
    }

    /// The dot products of integers, with or without an accumulator.
    pub(super) fn integer_dot(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (signed, accumulates) = match inst.op {
            Op::SDot => ([true, true], false),
            Op::UDot => ([false, false], false),
            Op::SUDot => ([true, false], false),
            Op::SDotAccSat => ([true, true], true),
            Op::UDotAccSat => ([false, false], true),
            _ => ([true, false], true),
        };
        let formats = if accumulates { 3 } else { 2 };
        let packed = match inst.args.get(formats) {
            None => false,
            Some(&format) if PackedVectorFormat::from_u32(format).is_some() => true,
            Some(format) => return Err(inst.invalid(format!("the packed format {format} is unknown"))),
        };
        inst.exactly(formats + usize::from(packed))?;
        let to = self.result_type(inst)?;
        let mut sides = [self.operand(inst, 0)?, self.operand(inst, 1)?];
        let mut types = sides.map(|v| self.b.func.ty(v));
        if packed {
            if types != [Ty::I32; 2] {
                return Err(inst.invalid("packed vectors are integers of 32 bits"));
            }
            types = [Ty::vector(Scalar::I8, 4); 2];
            sides = sides.map(|v| self.b.cast(CastOp::Bitcast, v, types[0]));
        }
        let fits = types[0] == types[1] && types[0].is_vector() && types[0].scalar.is_int();
        if !fits || to.is_vector() || !to.scalar.is_int() || to.scalar.bits() < types[0].scalar.bits() {
            return Err(inst.invalid("the types are not those of a dot product"));
        }
        if types[0] == Ty::vector(Scalar::I8, 4) && to == Ty::I32 {
            return self.packed_dot(inst, sides, signed, accumulates);
        }
        let wide = types[0].with_scalar(to.scalar);
        let [a, b] = [0, 1].map(|n| self.resize(sides[n], wide, signed[n]));
        let products = self.b.binary(BinOp::IMul, a, b);
        let mut sum = self.b.extract(products, 0);
        for lane in 1..wide.lanes {
            let next = self.b.extract(products, lane);
            sum = self.b.binary(BinOp::IAdd, sum, next);
        }
        if !accumulates {
            return self.define(inst, sum);
        }
        let accumulator = self.accumulator(inst, to)?;
        // Only the product of two unsigned vectors is unsigned.
        let sign = signed[0];
        let args = [(sum, sign), (accumulator, sign)];
        let value = self.library_call(inst, "return add_sat(a, b);", Some((to, sign)), &args)?;
        self.define_from(inst, value)
    }

    /// Returns the accumulator of a dot product, which has the type of the result.
    fn accumulator(&mut self, inst: &Inst<'_>, to: Ty) -> Result<Value, Error> {
        let accumulator = self.operand(inst, 2)?;
        if self.b.func.ty(accumulator) != to {
            return Err(inst.invalid("the accumulator is not of the result type"));
        }
        Ok(accumulator)
    }

    /// The dot product of vectors of four bytes as an i32. OpenCL C has the same function of packed vectors.
    fn packed_dot(
        &mut self,
        inst: &Inst<'_>,
        sides: [Value; 2],
        signed: [bool; 2],
        accumulates: bool,
    ) -> Result<(), Error> {
        let name = match signed {
            [true, true] => "ss_int",
            [true, false] => "su_int",
            _ => "uu_uint",
        };
        let [a, b] = sides.map(|v| (self.b.cast(CastOp::Bitcast, v, Ty::I32), false));
        let result = Some((Ty::I32, signed[0]));
        let value = if accumulates {
            let accumulator = self.accumulator(inst, Ty::I32)?;
            let body = format!("return dot_acc_sat_4x8packed_{name}(a, b, c);");
            self.library_call(inst, &body, result, &[a, b, (accumulator, signed[0])])?
        } else {
            let body = format!("return dot_4x8packed_{name}(a, b);");
            self.library_call(inst, &body, result, &[a, b])?
        };
        self.define_from(inst, value)
    }
}
