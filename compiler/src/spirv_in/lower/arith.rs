//! Arithmetic, comparisons and selections.

use super::func::{FuncLowering, Val};
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, CmpOp, FpFlags, Scalar, Ty, UnOp, Value};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{Decoration, FPFastMathMode, Op};

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Emits code with the floating-point flags of an instruction's decoration.
    pub(super) fn with_flags<T>(&mut self, inst: &Inst<'_>, emit: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.b.fp;
        if let Some(d) = self.cx.source.decorated(inst.result, Decoration::FPFastMathMode) {
            let mode = FPFastMathMode::from_bits_truncate(d.operands.first().copied().unwrap_or(0));
            let has = |flag| mode.contains(flag);
            let fast = has(FPFastMathMode::FAST);
            let finite = has(FPFastMathMode::NOT_NAN) && has(FPFastMathMode::NOT_INF);
            self.b.fp = FpFlags {
                contract: outer.contract || fast || has(FPFastMathMode::ALLOW_CONTRACT),
                finite: outer.finite || fast || finite,
                no_signed_zeros: outer.no_signed_zeros || fast || has(FPFastMathMode::NSZ),
                fast: outer.fast || fast,
                ..outer
            };
        }
        if self.fenced.contains(&inst.result) {
            (self.b.fp.contract, self.b.fp.fast) = (false, false);
        }
        let result = emit(self);
        self.b.fp = outer;
        result
    }

    /// Returns two operands of the same type.
    fn pair(&mut self, inst: &Inst<'_>) -> Result<(Value, Value), Error> {
        inst.exactly(2)?;
        let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        if self.b.func.ty(a) == self.b.func.ty(b) {
            Ok((a, b))
        } else {
            Err(inst.invalid("the operands differ in type"))
        }
    }

    /// Checks the component type of an operand.
    fn expect(&self, inst: &Inst<'_>, v: Value, fits: impl Fn(Scalar) -> bool) -> Result<(), Error> {
        if fits(self.b.func.ty(v).scalar) {
            Ok(())
        } else {
            Err(inst.invalid("an operand is of a type that the operation does not take"))
        }
    }

    pub(super) fn binary(&mut self, inst: &Inst<'_>, op: BinOp) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        let logical = matches!(inst.op, Op::LogicalAnd | Op::LogicalOr);
        self.expect(inst, a, |s| match op {
            BinOp::FAdd | BinOp::FSub | BinOp::FMul => s.is_float(),
            _ if logical => s == Scalar::Bool,
            _ => s.is_int(),
        })?;
        let exact = matches!(op, BinOp::IAdd | BinOp::ISub | BinOp::IMul)
            && !self.b.func.ty(a).is_vector()
            && self
                .cx
                .source
                .decorated(inst.result, Decoration::NoSignedWrap)
                .is_some();
        let value = match exact {
            true => self.b.binary_no_wrap(op, a, b),
            false => self.with_flags(inst, |f| f.b.binary(op, a, b)),
        };
        self.define(inst, value)
    }

    /// Shifts. The importer gives the count the width of the shifted value; a count that is too large has no
    /// defined result.
    pub(super) fn shift(&mut self, inst: &Inst<'_>, op: BinOp) -> Result<(), Error> {
        inst.exactly(2)?;
        let (a, count) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        self.expect(inst, a, Scalar::is_int)?;
        self.expect(inst, count, Scalar::is_int)?;
        let ty = self.b.func.ty(a);
        if self.b.func.ty(count).lanes != ty.lanes {
            return Err(inst.invalid("the operands differ in the number of components"));
        }
        let count = self.resize(count, ty, false);
        let value = self.b.binary(op, a, count);
        self.define(inst, value)
    }

    /// Converts an integer to another width.
    pub(super) fn resize(&mut self, v: Value, to: Ty, signed: bool) -> Value {
        let have = self.b.func.ty(v).scalar.bits();
        match to.scalar.bits() {
            bits if bits == have => v,
            bits if bits < have => self.b.cast(CastOp::Trunc, v, to),
            _ if signed => self.b.cast(CastOp::SExt, v, to),
            _ => self.b.cast(CastOp::ZExt, v, to),
        }
    }

    pub(super) fn unary(&mut self, inst: &Inst<'_>, op: UnOp) -> Result<(), Error> {
        inst.exactly(1)?;
        let a = self.operand(inst, 0)?;
        self.expect(inst, a, |s| match (op, inst.op) {
            (UnOp::FNeg, _) => s.is_float(),
            (_, Op::LogicalNot) => s == Scalar::Bool,
            _ => s.is_int(),
        })?;
        let value = self.with_flags(inst, |f| f.b.unary(op, a));
        self.define(inst, value)
    }

    pub(super) fn compare(&mut self, inst: &Inst<'_>, op: CmpOp) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        self.expect(inst, a, |s| match (op, inst.op) {
            (_, Op::LogicalEqual | Op::LogicalNotEqual) => s == Scalar::Bool,
            (_, Op::PtrEqual | Op::PtrNotEqual) => s.is_ptr(),
            (CmpOp::IEq | CmpOp::INe, _) => s.is_int() || s.is_ptr(),
            (CmpOp::ULt | CmpOp::ULe | CmpOp::UGt | CmpOp::UGe, _) => s.is_int() || s.is_ptr(),
            (CmpOp::SLt | CmpOp::SLe | CmpOp::SGt | CmpOp::SGe, _) => s.is_int(),
            _ => s.is_float(),
        })?;
        let value = self.with_flags(inst, |f| f.b.compare(op, a, b));
        self.define(inst, value)
    }

    /// Divides floats. The environment allows an error of 2.5 ulp for f32, as OpenCL C does, unless an option asks for
    /// correct rounding.
    pub(super) fn divide(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        self.expect(inst, a, Scalar::is_float)?;
        let loose = self.cx.settings.relaxed.loose && self.b.func.ty(a).scalar == Scalar::F32;
        let value = self.with_flags(inst, |f| {
            f.b.fp.loose = loose;
            f.b.binary(BinOp::FDiv, a, b)
        });
        self.define(inst, value)
    }

    /// Computes the remainder that has the sign of the dividend. It is exact.
    pub(super) fn remainder(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        self.expect(inst, a, Scalar::is_float)?;
        let value = self.fmod(inst, a, b)?;
        self.define(inst, value)
    }

    fn fmod(&mut self, inst: &Inst<'_>, a: Value, b: Value) -> Result<Value, Error> {
        let result = Some((self.b.func.ty(a), true));
        let value = self.library_call(inst, "return fmod(a, b);", result, &[(a, true), (b, true)])?;
        value.ok_or_else(|| inst.invalid("the remainder has no value"))
    }

    /// Computes the remainder that has the sign of the divisor.
    pub(super) fn modulo(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        let is_float = inst.op == Op::FMod;
        self.expect(inst, a, |s| if is_float { s.is_float() } else { s.is_int() })?;
        let zero = self.b.zero(self.b.func.ty(a));
        let (rest, add, less, differs) = match is_float {
            true => (self.fmod(inst, a, b)?, BinOp::FAdd, CmpOp::FOLt, CmpOp::FUNe),
            false => (
                self.b.binary(BinOp::SRem, a, b),
                BinOp::IAdd,
                CmpOp::SLt,
                CmpOp::INe,
            ),
        };
        let (rest_less, divisor_less) = (self.b.compare(less, rest, zero), self.b.compare(less, b, zero));
        let other_sign = self.b.compare(CmpOp::INe, rest_less, divisor_less);
        let inexact = self.b.compare(differs, rest, zero);
        let wrong = self.b.binary(BinOp::And, other_sign, inexact);
        let sum = self.b.binary(add, rest, b);
        let value = self.b.select(wrong, sum, rest);
        self.define(inst, value)
    }

    pub(super) fn vector_times_scalar(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let (v, s) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ty = self.b.func.ty(v);
        if !ty.is_vector() || !ty.scalar.is_float() || self.b.func.ty(s) != Ty::of(ty.scalar) {
            return Err(inst.invalid("the operands are no vector of floats and a scalar of the same type"));
        }
        let s = self.b.splat(ty, s);
        let value = self.with_flags(inst, |f| f.b.binary(BinOp::FMul, v, s));
        self.define(inst, value)
    }

    pub(super) fn select(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(3)?;
        let cond = self.operand(inst, 0)?;
        let a = self.operand_of(inst, inst.arg(1)?, inst.ty)?;
        let b = self.operand_of(inst, inst.arg(2)?, inst.ty)?;
        let cond_ty = self.b.func.ty(cond);
        if cond_ty.scalar != Scalar::Bool {
            return Err(inst.invalid("the condition is no bool"));
        }
        match (a, b) {
            (Val::Value(a), Val::Value(b)) => {
                let ty = self.b.func.ty(a);
                if cond_ty.is_vector() && cond_ty.lanes != ty.lanes {
                    return Err(inst.invalid("the condition has another number of components"));
                }
                if ty.scalar.bytes() == 0 && ty.scalar != Scalar::Bool {
                    return Err(inst.unsupported("a selection of images or samplers is not implemented"));
                }
                let value = self.b.select(cond, a, b);
                self.define(inst, value)
            }
            (Val::Memory(a), Val::Memory(b)) if !cond_ty.is_vector() => {
                let layout = self.cx.source.types.layout_of(inst, inst.ty)?;
                let memory = self.new_memory(inst)?;
                let (choice, yes, no) = self.b.if_(cond, &[]);
                for (region, from) in [(yes, a), (no, b)] {
                    self.b.enter(region);
                    self.copy(memory, from, layout);
                    self.b.exit(choice, vec![]);
                    self.b.leave();
                }
                Ok(())
            }
            _ => Err(inst.invalid("the operands do not fit each other")),
        }
    }

    fn test(&mut self, op: Intrinsic, v: Value) -> Value {
        let ty = self.b.func.ty(v).with_scalar(Scalar::Bool);
        self.b.value(crate::ir::Op::Intrinsic(op), [v], ty)
    }

    /// The tests of floating-point numbers.
    pub(super) fn classify(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let a = self.operand(inst, 0)?;
        self.expect(inst, a, Scalar::is_float)?;
        let value = match inst.op {
            Op::IsNan => self.test(Intrinsic::IsNan, a),
            Op::IsInf => self.test(Intrinsic::IsInf, a),
            Op::IsFinite => {
                let (nan, inf) = (self.test(Intrinsic::IsNan, a), self.test(Intrinsic::IsInf, a));
                let either = self.b.binary(BinOp::Or, nan, inf);
                self.b.unary(UnOp::Not, either)
            }
            Op::Ordered | Op::Unordered => {
                let (a, b) = self.pair(inst)?;
                let (a, b) = (self.test(Intrinsic::IsNan, a), self.test(Intrinsic::IsNan, b));
                let either = self.b.binary(BinOp::Or, a, b);
                match inst.op {
                    Op::Unordered => either,
                    _ => self.b.unary(UnOp::Not, either),
                }
            }
            _ => {
                let name = if inst.op == Op::IsNormal {
                    "isnormal"
                } else {
                    "signbit"
                };
                return self.relational(inst, name, a);
            }
        };
        self.define(inst, value)
    }

    /// Calls a function of OpenCL C whose result is an integer that is not zero if the answer is yes.
    fn relational(&mut self, inst: &Inst<'_>, name: &str, a: Value) -> Result<(), Error> {
        let ty = self.b.func.ty(a);
        let bits = match ty.is_vector() {
            true => ty.with_scalar(Scalar::int(ty.scalar.bits())),
            false => Ty::I32,
        };
        let answer = self.library_call(
            inst,
            &format!("return {name}(a);"),
            Some((bits, true)),
            &[(a, true)],
        )?;
        let Some(answer) = answer else {
            return Err(inst.invalid("the test has no result"));
        };
        let zero = self.b.zero(bits);
        let value = self.b.compare(CmpOp::INe, answer, zero);
        self.define(inst, value)
    }

    pub(super) fn any_all(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let v = self.operand(inst, 0)?;
        self.expect(inst, v, |s| s == Scalar::Bool || s.is_int())?;
        let v = match self.b.func.ty(v) {
            ty if ty.scalar == Scalar::Bool => v,
            // LLVM's code generator gives these instructions the operands of OpenCL C's functions: integers, whose sign counts.
            ty => {
                let zero = self.b.zero(ty);
                self.b.compare(CmpOp::SLt, v, zero)
            }
        };
        let op = if inst.op == Op::Any {
            Intrinsic::Any
        } else {
            Intrinsic::All
        };
        let value = match self.b.func.ty(v).is_vector() {
            true => self.b.value(crate::ir::Op::Intrinsic(op), [v], Ty::BOOL),
            false => v,
        };
        self.define(inst, value)
    }

    pub(super) fn dot(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        let ty = self.b.func.ty(a);
        if !ty.scalar.is_float() || !ty.is_vector() {
            return Err(inst.invalid("the operands are no vectors of floats"));
        }
        let result = Some((Ty::of(ty.scalar), true));
        let value = self.library_call(inst, "return dot(a, b);", result, &[(a, true), (b, true)])?;
        self.define_from(inst, value)
    }

    pub(super) fn bit_count(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let a = self.operand(inst, 0)?;
        self.expect(inst, a, Scalar::is_int)?;
        let ty = self.b.func.ty(a);
        let to = self.result_type(inst)?;
        if !to.scalar.is_int() || to.lanes != ty.lanes {
            return Err(inst.invalid("the result type does not fit the operand"));
        }
        let count = self
            .b
            .value(crate::ir::Op::Intrinsic(Intrinsic::PopCount), [a], ty);
        let value = self.resize(count, to, false);
        self.define(inst, value)
    }

    pub(super) fn bit_reverse(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let a = self.operand(inst, 0)?;
        self.expect(inst, a, |s| s.is_int())?;
        let ty = self.b.func.ty(a);
        let value = self
            .b
            .value(crate::ir::Op::Intrinsic(Intrinsic::BitReverse), [a], ty);
        self.define(inst, value)
    }

    /// The operations whose result is a structure of two numbers.
    pub(super) fn extended(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        let (a, b) = self.pair(inst)?;
        self.expect(inst, a, Scalar::is_int)?;
        let ty = self.b.func.ty(a);
        let (low, high) = match inst.op {
            Op::IAddCarry => {
                let sum = self.b.binary(BinOp::IAdd, a, b);
                let carry = self.b.compare(CmpOp::ULt, sum, a);
                (sum, self.b.cast(CastOp::ZExt, carry, ty))
            }
            Op::ISubBorrow => {
                let borrow = self.b.compare(CmpOp::ULt, a, b);
                let difference = self.b.binary(BinOp::ISub, a, b);
                (difference, self.b.cast(CastOp::ZExt, borrow, ty))
            }
            _ => {
                let signed = inst.op == Op::SMulExtended;
                let args = [(a, signed), (b, signed)];
                let high = self.library_call(inst, "return mul_hi(a, b);", Some((ty, signed)), &args)?;
                let Some(high) = high else {
                    return Err(inst.invalid("the product has no upper half"));
                };
                (self.b.binary(BinOp::IMul, a, b), high)
            }
        };
        self.define_parts(inst, &[Val::Value(low), Val::Value(high)])
    }
}
