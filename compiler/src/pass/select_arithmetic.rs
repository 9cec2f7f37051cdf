//! Chooses the form of arithmetic that a device is quick and accurate with.
//!
//! Why: the front end and objects are the same for all devices. What a device's arithmetic is like is measured
//! ([`Calibration`](crate::target::Calibration)), and only this pass looks at it.
//! In:  any module.
//! Out: `SelectedArithmetic`, and no function has a body that kernels do not reach:
//!
//! - The questions of the library of built-in functions about the device are answered, and the branches that are not
//!   taken are removed, with the functions that only they call.
//! - A multiply-add of the library is fused where that is one operation.
//! - A quotient of floats that need not be correctly rounded is computed from 1 / sqrt by `Selection::quotient`. This is
//!   faster on drivers whose division is correctly rounded. The one known driver of this type flushes subnormal numbers
//!   to zero in 1 / sqrt. So its multiply-add must flush them too, or the quotient of two subnormal numbers would be
//!   infinite.
//! - A sum, difference or product of floats that may not be fused becomes a multiply-add, on a device whose multiply-add
//!   flushes subnormal numbers to zero while its additions and multiplications keep them. So all operations treat
//!   subnormal numbers alike, as zeros, which a device without CL_FP_DENORM may do (7.5.3).
//! - A square root that must be correctly rounded is computed in double where the driver's is not. The root in double,
//!   rounded again to float, is correctly rounded (Figueroa, When is double rounding innocuous?, 1995).

use super::{Changed, Pass, PassCx, PassError, inline, simplify_regions};
use crate::intrinsic::{DeviceProperty, Intrinsic};
use crate::inv;
use crate::ir::walk::Replacements;
use crate::ir::{
    BinOp, Builder, CastOp, CmpOp, Const, FpFlags, Function, Inst, Module, Op, Scalar, Ty, UnOp, Value,
};
use crate::target::Target;

pub const PASS: Pass = Pass {
    name: "select_arithmetic",
    about: "Chooses the forms of functions, quotients and sums of floats that suit the device.",
    run,
    requires: inv![Ssa],
    establishes: inv![SelectedArithmetic],
    destroys: inv![],
};

/// The sign bit of a float.
const SIGN: u64 = 1 << 31;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let mut changed = false;
    for (_, func) in module.funcs.iter_mut() {
        changed |= select(func, cx.target);
    }
    changed |= inline::drop_unreached(module)?;
    Ok(changed.into())
}

/// Selects the operations of a function. Returns whether anything changed.
fn select(func: &mut Function, target: &Target) -> bool {
    let mut replaced = Replacements::default();
    let mut changed = false;
    for region in func.regions_in_order() {
        if !func.regions[region]
            .insts
            .iter()
            .any(|&i| func.insts[i].is_open())
        {
            continue;
        }
        changed = true;
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut s = Selection {
            b: Builder::at_end(func, region),
            target,
        };
        for inst in old {
            match s.b.func.insts[inst].is_open() {
                true => {
                    if let Some(value) = s.inst(inst) {
                        replaced.set(s.b.func.insts[inst].results[0], value);
                    }
                }
                false => s.b.push(inst),
            }
        }
    }
    if !replaced.is_empty() {
        replaced.apply(func);
        while simplify_regions::fold(func) {}
    }
    changed
}

/// A region that is being rewritten.
struct Selection<'f, 't> {
    b: Builder<'f>,
    target: &'t Target,
}

impl Selection<'_, '_> {
    fn has(&self, what: DeviceProperty, x: Value) -> bool {
        self.target.has_property(what, self.b.func.ty(x).scalar.bits())
    }

    /// Returns whether quotients of floats are computed from 1 / sqrt.
    fn has_quick_quotient(&self) -> bool {
        self.target.has_property(DeviceProperty::Rsqrt, 32) && self.target.calibration.flushing_fma
    }

    /// Selects the form of an instruction. Returns the value that replaces its result, or emits the instruction.
    fn inst(&mut self, inst: Inst) -> Option<Value> {
        let data = &mut self.b.func.insts[inst];
        let was_loose = std::mem::take(&mut data.fp.loose);
        let fp = data.fp;
        let flushes = was_loose && !fp.contract && self.target.calibration.flushing_fma;
        let (op, args) = (data.op.clone(), data.args.to_vec());
        self.b.span = data.span;
        let is_float = |&v: &Value| self.b.func.ty(v).scalar == Scalar::F32;
        let is_float = args.first().is_some_and(is_float);
        match op {
            Op::Intrinsic(Intrinsic::DeviceHas(what)) => {
                let answer = self.has(what, args[0]);
                return Some(self.b.bool(answer));
            }
            Op::Intrinsic(Intrinsic::MultiplyAdd) => {
                if self.has(DeviceProperty::FastFma, args[0]) {
                    self.replace(inst, Op::Intrinsic(Intrinsic::Fma), args);
                } else {
                    self.b.fp = fp;
                    let product = self.b.binary(BinOp::FMul, args[0], args[1]);
                    self.replace(inst, Op::Binary(BinOp::FAdd), vec![product, args[2]]);
                }
            }
            Op::Intrinsic(Intrinsic::RoundedSqrt) => self.root(inst, args[0]),
            Op::Intrinsic(Intrinsic::RoughDivide) if !self.has_quick_quotient() => {
                self.replace(inst, Op::Binary(BinOp::FDiv), args);
            }
            Op::Intrinsic(Intrinsic::RoughDivide) => return Some(self.quotient(args[0], args[1], fp, false)),
            Op::Binary(BinOp::FDiv) => {
                let by_constant = self.b.func.as_const(args[1]).is_some();
                if was_loose && is_float && !by_constant && self.has_quick_quotient() {
                    return Some(self.quotient(args[0], args[1], fp, true));
                }
            }
            Op::Binary(op @ (BinOp::FAdd | BinOp::FSub | BinOp::FMul)) if flushes && is_float => {
                let (x, y) = (args[0], args[1]);
                let ty = self.b.func.ty(x);
                let mut like = |v: f32| self.b.bits(ty, v.to_bits().into());
                let args = match op {
                    BinOp::FMul => vec![x, y, like(-0.0)],
                    BinOp::FAdd => vec![x, like(1.0), y],
                    _ => vec![y, like(-1.0), x],
                };
                self.replace(inst, Op::Intrinsic(Intrinsic::Fma), args);
            }
            _ => {}
        }
        self.b.push(inst);
        None
    }

    fn replace(&mut self, inst: Inst, op: Op, args: Vec<Value>) {
        self.b.func.insts[inst].replace(op, args.into());
    }

    /// Makes an instruction the correctly rounded square root of `x`.
    fn root(&mut self, inst: Inst, x: Value) {
        if self.target.calibration.rounded_sqrt {
            self.replace(inst, Op::Intrinsic(Intrinsic::Sqrt), vec![x]);
            return;
        }
        let wide = self.b.func.ty(x).with_scalar(Scalar::F64);
        self.b.fp = FpFlags::default();
        let x = self.b.cast(CastOp::FConvert, x, wide);
        let root = self.call(Intrinsic::Sqrt, vec![x]);
        self.replace(inst, Op::Cast(CastOp::FConvert), vec![root]);
    }

    /// Returns the quotient `x / y`, lane by lane. `close`: its error is at most 2.5 ulp, unless the options
    /// allow more ([`FpFlags::fast`]).
    fn quotient(&mut self, x: Value, y: Value, fp: FpFlags, close: bool) -> Value {
        self.b.fp = FpFlags::default();
        let relaxed = fp.fast && fp.finite && !self.target.limits_relaxed_errors();
        let form: fn(&mut Self, Value, Value) -> Value = match (close, relaxed) {
            (_, true) => Self::fast_quotient,
            (true, false) => Self::close_quotient,
            (false, false) => Self::rough_quotient,
        };
        let ty = self.b.func.ty(y);
        let small = is_at_most_one(self.b.func, x);
        let mut lanes = Vec::new();
        for i in 0..ty.lanes {
            let lane = |s: &mut Self, v| if ty.is_vector() { s.b.extract(v, i) } else { v };
            let y = lane(self, y);
            lanes.push(if small {
                self.reciprocal(y, close && !relaxed)
            } else {
                let x = lane(self, x);
                form(self, x, y)
            });
        }
        let whole = match lanes[..] {
            [one] => one,
            _ => self.b.construct(ty, lanes),
        };
        if small && self.b.func.as_splat(x) != Some(1f32.to_bits().into()) {
            self.b.fp = FpFlags {
                contract: false,
                ..fp
            };
            return self.b.binary(BinOp::FMul, x, whole);
        }
        whole
    }

    /// Returns 1 / y, which is 0 where it would be subnormal. With the Newton step of [`Self::close_quotient`], the error
    /// is 1 ulp, else 4 ulp.
    fn reciprocal(&mut self, y: Value, step: bool) -> Value {
        let a = self.call(Intrinsic::FAbs, vec![y]);
        let r = self.inverse(a, step);
        self.with_sign(r, &[y])
    }

    /// Returns x (1 / y), where 1 / |y| is s^2 with s = 1 / sqrt(|y|), after one Newton step. For large y the reciprocal
    /// would be subnormal, so both operands are scaled. The last product is a fused operation with the addend -0, which
    /// changes no other result, so that a subnormal x is flushed to 0 wherever a subnormal y is. Error: the reciprocal is
    /// within 1 ulp (two roundings of half an ulp) and the product adds half an ulp: 1.5 ulp; allowed 2.5.
    fn close_quotient(&mut self, x: Value, y: Value) -> Value {
        let a = self.call(Intrinsic::FAbs, vec![y]);
        let [large, down, one] = [2f32.powi(100), 2f32.powi(-32), 1.0].map(|v| self.b.f32(v));
        let is_large = self.b.compare(CmpOp::FOGt, a, large);
        let scale = self.b.select(is_large, down, one);
        let a = self.b.binary(BinOp::FMul, a, scale);
        let r = self.inverse(a, true);
        let x = self.b.binary(BinOp::FMul, x, scale);
        let r = self.with_sign(r, &[y]);
        let zero = self.b.f32(-0.0);
        self.call(Intrinsic::Fma, vec![x, r, zero])
    }

    /// Returns x / y without the Newton step. Error found: 4.4 ulp.
    fn fast_quotient(&mut self, x: Value, y: Value) -> Value {
        let a = self.call(Intrinsic::FAbs, vec![y]);
        let s = self.call(Intrinsic::InverseSqrt, vec![a]);
        let x = self.b.binary(BinOp::FMul, x, s);
        let s = self.with_sign(s, &[y]);
        self.b.binary(BinOp::FMul, x, s)
    }

    /// Returns x / y without the Newton step, for all magnitudes. Error: 5 ulp.
    fn rough_quotient(&mut self, x: Value, y: Value) -> Value {
        let [a, d] = [x, y].map(|v| self.call(Intrinsic::FAbs, vec![v]));
        let s = self.call(Intrinsic::InverseSqrt, vec![d]);
        let zero = self.b.f32(0.0);
        let q = self.call(Intrinsic::Fma, vec![a, s, zero]);
        let q = self.b.binary(BinOp::FMul, q, s);
        self.with_sign(q, &[x, y])
    }

    /// Returns 1 / a for a >= 0. The correction of the Newton step is NaN where s^2 is infinite or 0, and the minimum then
    /// cancels it.
    fn inverse(&mut self, a: Value, step: bool) -> Value {
        let s = self.call(Intrinsic::InverseSqrt, vec![a]);
        let r = self.b.binary(BinOp::FMul, s, s);
        if !step {
            return r;
        }
        let one = self.b.f32(1.0);
        let minus = self.b.unary(UnOp::FNeg, a);
        let correction = self.call(Intrinsic::Fma, vec![minus, r, one]);
        let correction = self.call(Intrinsic::FMin, vec![correction, one]);
        self.call(Intrinsic::Fma, vec![r, correction, r])
    }

    /// Gives a number that is not negative the product of the signs of others.
    fn with_sign(&mut self, r: Value, of: &[Value]) -> Value {
        let bits = |s: &mut Self, v: Value| s.b.cast(CastOp::Bitcast, v, Ty::I32);
        let r = bits(self, r);
        let mut sign = bits(self, of[0]);
        for &v in &of[1..] {
            let other = bits(self, v);
            sign = self.b.binary(BinOp::Xor, sign, other);
        }
        let mask = self.b.bits(Ty::I32, SIGN);
        let sign = self.b.binary(BinOp::And, sign, mask);
        let r = self.b.binary(BinOp::Or, r, sign);
        self.b.cast(CastOp::Bitcast, r, Ty::F32)
    }

    /// Emits an intrinsic whose result has the type of its first operand.
    fn call(&mut self, op: Intrinsic, args: Vec<Value>) -> Value {
        let ty = self.b.func.ty(args[0]);
        self.b.value(Op::Intrinsic(op), args, ty)
    }
}

/// Returns whether all lanes of a float constant are normal numbers of magnitude at most 1, so that a quotient is
/// subnormal only where the reciprocal is.
fn is_at_most_one(func: &Function, x: Value) -> bool {
    let normal = |&bits: &u64| (0x0080_0000..=0x3f80_0000).contains(&(bits & !SIGN));
    matches!(func.as_const(x), Some(Const::Bits(lanes)) if lanes.iter().all(normal))
}
