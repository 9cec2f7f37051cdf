//! Conversions.

use super::func::FuncLowering;
use crate::ir::{AddressSpace, BinOp, Builder, CastOp, CmpOp, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::library::CType;
use crate::spirv_in::types::SMALL_POINTERS;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns the rounding mode that a conversion's decoration states, as OpenCL C writes it.
    fn rounding(&self, inst: &Inst<'_>) -> Result<&'static str, Error> {
        let Some(d) = self.cx.source.decorated(inst.result, Decoration::FPRoundingMode) else {
            return Ok("");
        };
        match d.operands.first().and_then(|&n| FPRoundingMode::from_u32(n)) {
            Some(FPRoundingMode::RTE) => Ok("_rte"),
            Some(FPRoundingMode::RTZ) => Ok("_rtz"),
            Some(FPRoundingMode::RTP) => Ok("_rtp"),
            Some(FPRoundingMode::RTN) => Ok("_rtn"),
            None => Err(d.inst.invalid("the rounding mode is unknown")),
        }
    }

    /// Returns whether a conversion has the decoration SaturatedConversion.
    fn is_saturated(&self, inst: &Inst<'_>) -> bool {
        let decoration = Decoration::SaturatedConversion;
        self.cx.source.decorated(inst.result, decoration).is_some()
    }

    /// Returns the operand and the result type of a conversion, which keeps the number of lanes.
    fn conversion(&mut self, inst: &Inst<'_>) -> Result<(Value, Ty, Ty), Error> {
        inst.exactly(1)?;
        let v = self.operand(inst, 0)?;
        let (from, to) = (self.b.func.ty(v), self.result_type(inst)?);
        if from.lanes == to.lanes {
            Ok((v, from, to))
        } else {
            Err(inst.invalid("the result has another number of components than the operand"))
        }
    }

    pub(super) fn convert_float(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (v, from, to) = self.conversion(inst)?;
        let (op, fits) = match inst.op {
            Op::ConvertFToU => (CastOp::FToU, from.scalar.is_float() && to.scalar.is_int()),
            Op::ConvertFToS => (CastOp::FToS, from.scalar.is_float() && to.scalar.is_int()),
            Op::ConvertSToF => (CastOp::SToF, from.scalar.is_int() && to.scalar.is_float()),
            Op::ConvertUToF => (CastOp::UToF, from.scalar.is_int() && to.scalar.is_float()),
            _ => (CastOp::FConvert, from.scalar.is_float() && to.scalar.is_float()),
        };
        if !fits || inst.op == Op::FConvert && from == to {
            return Err(inst.invalid("the types are not those of the conversion"));
        }
        let mode = self.rounding(inst)?;
        let saturated = self.is_saturated(inst);
        // These are the modes of the operations themselves.
        let own = if to.scalar.is_int() { "_rtz" } else { "_rte" };
        if !saturated && (mode.is_empty() || mode == own) {
            let value = self.b.cast(op, v, to);
            return self.define(inst, value);
        }
        let signed = !matches!(inst.op, Op::ConvertFToU | Op::ConvertUToF);
        let Some(c) = CType::number(to, signed) else {
            return Err(inst.invalid("the result type is no number"));
        };
        let sat = if saturated { "_sat" } else { "" };
        let body = format!("return convert_{}{sat}{mode}(a);", c.text);
        let value = self.library_call(inst, &body, Some((to, signed)), &[(v, signed)])?;
        self.define_from(inst, value)
    }

    /// Translates OpConvertFToBF16INTEL: the upper half of a `float`, rounded to the nearest even number.
    pub(super) fn convert_to_bfloat16(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (v, from, to) = self.conversion(inst)?;
        if from.scalar != Scalar::F32 || to.scalar != Scalar::I16 {
            return Err(inst.invalid("the types are not floats of 32 bits and integers of 16"));
        }
        let ty = from.with_scalar(Scalar::I32);
        let all = |b: &mut Builder<'_>, n: u32| b.lanes(ty, vec![u64::from(n); usize::from(ty.lanes)]);
        let bits = self.b.cast(CastOp::Bitcast, v, ty);
        let sixteen = all(&mut self.b, 16);
        let upper = self.b.binary(BinOp::LShr, bits, sixteen);
        let one = all(&mut self.b, 1);
        let odd = self.b.binary(BinOp::And, upper, one);
        let half = all(&mut self.b, 0x7fff);
        let sum = self.b.binary(BinOp::IAdd, bits, half);
        let sum = self.b.binary(BinOp::IAdd, sum, odd);
        let rounded = self.b.binary(BinOp::LShr, sum, sixteen);
        // A NaN stays one although its lower half is lost.
        let magnitude = all(&mut self.b, 0x7fff_ffff);
        let magnitude = self.b.binary(BinOp::And, bits, magnitude);
        let infinity = all(&mut self.b, 0x7f80_0000);
        let is_nan = self.b.compare(CmpOp::UGt, magnitude, infinity);
        let quiet = all(&mut self.b, 0x40);
        let nan = self.b.binary(BinOp::Or, upper, quiet);
        let value = self.b.select(is_nan, nan, rounded);
        let value = self.b.cast(CastOp::Trunc, value, to);
        self.define(inst, value)
    }

    pub(super) fn convert_from_bfloat16(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (v, from, to) = self.conversion(inst)?;
        if from.scalar != Scalar::I16 || to.scalar != Scalar::F32 {
            return Err(inst.invalid("the types are not integers of 16 bits and floats of 32"));
        }
        let ty = from.with_scalar(Scalar::I32);
        let wide = self.b.cast(CastOp::ZExt, v, ty);
        let sixteen = self.b.lanes(ty, vec![16; usize::from(ty.lanes)]);
        let bits = self.b.binary(BinOp::Shl, wide, sixteen);
        let value = self.b.cast(CastOp::Bitcast, bits, to);
        self.define(inst, value)
    }

    pub(super) fn convert_int(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (v, from, to) = self.conversion(inst)?;
        if !from.scalar.is_int() || !to.scalar.is_int() {
            return Err(inst.invalid("the types are not integers"));
        }
        let signed = inst.op == Op::SConvert;
        if self.is_saturated(inst) && to.scalar != from.scalar {
            return self.saturated_int(inst, (v, signed), (to, signed));
        }
        let value = self.resize(v, to, signed);
        self.define(inst, value)
    }

    pub(super) fn saturate(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (v, from, to) = self.conversion(inst)?;
        let from_signed = inst.op == Op::SatConvertSToU;
        if !from.scalar.is_int() || !to.scalar.is_int() {
            return Err(inst.invalid("the types are not integers"));
        }
        self.saturated_int(inst, (v, from_signed), (to, !from_signed))
    }

    /// Converts an integer to another integer type, where a value that the type does not have becomes the nearest one.
    /// Each type has its signedness.
    fn saturated_int(
        &mut self,
        inst: &Inst<'_>,
        from: (Value, bool),
        (to, signed): (Ty, bool),
    ) -> Result<(), Error> {
        let Some(c) = CType::number(to, signed) else {
            return Err(inst.invalid("the result type is no number"));
        };
        let body = format!("return convert_{}_sat(a);", c.text);
        let value = self.library_call(inst, &body, Some((to, signed)), &[from])?;
        self.define_from(inst, value)
    }

    /// Checks that an integer of the module can hold an address of the device.
    fn addresses_are_whole(&self, inst: &Inst<'_>) -> Result<(), Error> {
        match self.cx.source.types.small_pointers {
            true => {
                Err(inst
                    .unsupported("addresses have 32 bits with Physical32, but those of the device have 64"))
            }
            false => Ok(()),
        }
    }

    pub(super) fn pointer_to_int(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let v = self.operand(inst, 0)?;
        let to = self.result_type(inst)?;
        self.addresses_are_whole(inst)?;
        if !self.b.func.ty(v).scalar.is_ptr() || to.is_vector() || !to.scalar.is_int() {
            return Err(inst.invalid("the types are not a pointer and an integer"));
        }
        let wide = self.number_of(v);
        let value = self.resize(wide, to, false);
        self.define(inst, value)
    }

    pub(super) fn int_to_pointer(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let v = self.operand(inst, 0)?;
        let (from, to) = (self.b.func.ty(v), self.result_type(inst)?);
        self.addresses_are_whole(inst)?;
        if !to.scalar.is_ptr() || from.is_vector() || !from.scalar.is_int() {
            return Err(inst.invalid("the types are not an integer and a pointer"));
        }
        let wide = self.resize(v, Ty::I64, false);
        let value = self.pointer_from(wide, to);
        self.define(inst, value)
    }

    /// Returns the generic type if the numbers of pointers of a type are those of generic ones. In modules with generic
    /// pointers, all are: Clang subtracts the number of a pointer to private memory from that of a generic one, and a
    /// number may become a pointer to another space.
    fn numbered_as_generic(&self, ty: Ty) -> Option<Ty> {
        let differs = matches!(ty.space(), Some(AddressSpace::Private | AddressSpace::Local));
        (differs && self.cx.source.types.has_generic).then(|| Ty::ptr(AddressSpace::Generic))
    }

    /// Returns the number of a pointer.
    fn number_of(&mut self, mut ptr: Value) -> Value {
        if let Some(generic) = self.numbered_as_generic(self.b.func.ty(ptr)) {
            ptr = self.b.cast(CastOp::PtrCast, ptr, generic);
        }
        self.b.cast(CastOp::PtrToInt, ptr, Ty::I64)
    }

    /// Returns the pointer that has a number.
    fn pointer_from(&mut self, number: Value, to: Ty) -> Value {
        match self.numbered_as_generic(to) {
            Some(generic) => {
                let ptr = self.b.cast(CastOp::IntToPtr, number, generic);
                self.b.cast(CastOp::PtrCast, ptr, to)
            }
            None => self.b.cast(CastOp::IntToPtr, number, to),
        }
    }

    pub(super) fn bitcast(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let v = self.operand(inst, 0)?;
        let from = self.b.func.ty(v);
        let to = self.result_type(inst)?;
        let plain = |t: Ty| t.scalar.is_int() || t.scalar.is_float();
        if from.space().is_some() != to.space().is_some() {
            self.addresses_are_whole(inst)?;
        }
        // A pointer to a pointer must stay one, so that all accesses through it have the same size.
        let types = &self.cx.source.types;
        if types.points_to_pointer(inst.ty) != types.points_to_pointer(self.type_of(inst, inst.arg(0)?)?)
            && types.small_pointers
        {
            return Err(inst.unsupported(SMALL_POINTERS));
        }
        let value = match (from.space(), to.space()) {
            (Some(a), Some(b)) if a == b => v,
            (Some(AddressSpace::Global), Some(AddressSpace::Constant))
            | (Some(AddressSpace::Constant), Some(AddressSpace::Global)) => {
                self.b.cast(CastOp::PtrCast, v, to)
            }
            // A pointer has the bits of an integer of 64 bits.
            (Some(_), None) if plain(to) && to.bytes() == 8 => {
                let number = self.number_of(v);
                self.b.cast(CastOp::Bitcast, number, to)
            }
            (None, Some(_)) if plain(from) && from.bytes() == 8 => {
                let number = self.b.cast(CastOp::Bitcast, v, Ty::I64);
                self.pointer_from(number, to)
            }
            (None, None) if plain(from) && plain(to) && from.bytes() == to.bytes() => {
                self.b.cast(CastOp::Bitcast, v, to)
            }
            _ => return Err(inst.invalid("the types do not have the same number of bits, or are no numbers")),
        };
        self.define(inst, value)
    }
}
