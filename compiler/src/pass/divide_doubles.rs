//! Computes quotients of double without the driver's function for them, in kernels with many quotients.
//!
//! Why: NVIDIA's driver (version 580) has a branch for special operands in that function, and work-items that took different ways
//! through it may stay apart afterwards (`Quirks::shared_registers`). Those that lag behind read registers that the others
//! have written for later code. This was seen in kernels with about ten quotients of double or more; loops ended late
//! because of it, or never.
//! In:  `Inlined`; after all passes that replicate code.
//! Out: if the functions of the module have `FEW` quotients or more, each of them is a call of a function, whose results
//!      are rounded correctly, as OpenCL C 7.4 demands of doubles. A quotient in a loop counts `IN_LOOP` times, because the
//!      driver may unroll the loop.
//!
//! The function for quotients, and that for reciprocals: operands of moderate size take steps like the driver's. The reciprocal of the
//! divisor is improved from 18 bits to one of the two nearest doubles, and from there to the nearest. A quotient is the product of that
//! and the dividend, corrected once by the remainder, which a fused operation computes exactly (Markstein, Computation of elementary
//! functions on the IBM RISC System/6000 processor, 1990). Operands of other sizes are brought to the range from 1 to 2, and the exponent
//! is added afterwards. Where the result is subnormal, the sign of the remainder decides the rounding.
//!
//! Why each result is the nearest double, in units in its last place, with d as the divisor's mantissa as an integer:
//! - No reciprocal or quotient is closer than 1 / (2 d) to the middle between two doubles.
//! - Near a middle, one of the two nearest reciprocals is half a unit away. The last step then has an error of d 2^-107, which is less
//!   than 1 / (2 d) unless all bits of the mantissa are ones. For this one divisor the step gives the nearest double from the greater
//!   neighbour, but not from the smaller one. Therefore the estimate is made slightly too large (`Divide::estimate`).
//! - Near a middle, the product of the dividend and the nearest reciprocal is less than one unit from the quotient before it is rounded,
//!   so that it becomes one of the two neighbours, half a unit away. The correction then has an error below (d + 1) 2^-107, which is less
//!   than 1 / (2 d). Elsewhere the product has an error below 1.5 units, and the correction one below 3 d 2^-107, which is less than the
//!   distance to the middle.
//!
//! Conversions between `float` and `double` are slow on GPUs, so the estimate of the reciprocal moves the bits instead.

use super::{Changed, Pass, PassCx, PassError};
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::analysis::weights;
use crate::ir::walk::Replacements;
use crate::ir::{
    BinOp, Builder, CastOp, CmpOp, Const, EntityRef, Func, Function, Inst, Linkage, Module, Op, Scalar, Ty,
    UnOp, Value,
};
use crate::target::Target;

pub const PASS: Pass = Pass {
    name: "divide_doubles",
    about: "Computes quotients of double without the driver's function, in kernels with many of them.",
    run,
    requires: inv![Inlined, NoLongVectors, ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

/// Returns whether the pass changes modules for a target: its device has the fault, and multiplies and adds doubles with
/// one rounding.
pub(super) fn is_for(target: &Target) -> bool {
    let is_fused = target.calibration.fused_fma[2];
    target.quirks.shared_registers && target.features.float64 && target.features.int64 && is_fused
}

/// The number of quotients from which on a module does without the driver's function.
const FEW: u64 = 6;

/// How often a quotient in a loop counts.
const IN_LOOP: u64 = 4;

fn run(module: &mut Module, _cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let count: u64 = module.funcs.iter().map(|(_, f)| quotients(f)).sum();
    if count < FEW {
        return Ok(Changed::No);
    }
    let callees = Callees {
        quotient: Func::new(module.funcs.len()),
        reciprocal: Func::new(module.funcs.len() + 1),
    };
    for (_, func) in module.funcs.iter_mut() {
        replace(func, &callees);
    }
    module.funcs.push(quotient_function());
    module.funcs.push(reciprocal_function());
    Ok(Changed::Yes)
}

/// The functions that the pass adds to the module.
struct Callees {
    /// x / y.
    quotient: Func,
    /// 1 / y, which needs half the operations.
    reciprocal: Func,
}

/// Returns whether an instruction is a quotient of doubles.
fn is_quotient(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    data.op == Op::Binary(BinOp::FDiv) && func.ty(data.results[0]).scalar == Scalar::F64
}

/// Counts the quotients of a function, lane by lane.
fn quotients(func: &Function) -> u64 {
    let mut count = 0;
    for (region, weight) in weights(func) {
        for &inst in func.regions[region]
            .insts
            .iter()
            .filter(|&&i| is_quotient(func, i))
        {
            let lanes = u64::from(func.ty(func.insts[inst].results[0]).lanes);
            count += lanes * weight.min(IN_LOOP);
        }
    }
    count
}

/// Replaces the quotients of a function by calls.
fn replace(func: &mut Function, callees: &Callees) {
    let mut replaced = Replacements::default();
    for region in func.regions_in_order() {
        if !func.regions[region].insts.iter().any(|&i| is_quotient(func, i)) {
            continue;
        }
        let old = std::mem::take(&mut func.regions[region].insts);
        let mut b = Builder::at_end(func, region);
        for inst in old {
            if !is_quotient(b.func, inst) {
                b.push(inst);
                continue;
            }
            let data = &b.func.insts[inst];
            let (result, x, y) = (data.results[0], data.args[0], data.args[1]);
            b.span = data.span;
            let ty = b.func.ty(result);
            let mut lanes = Vec::new();
            for lane in 0..ty.lanes {
                let is_one = match b.func.as_const(x) {
                    Some(Const::Bits(bits)) => bits.get(usize::from(lane)) == Some(&ONE),
                    _ => false,
                };
                let of = |b: &mut Builder<'_>, v| if ty.is_vector() { b.extract(v, lane) } else { v };
                let divisor = of(&mut b, y);
                lanes.push(match is_one {
                    true => b.value(Op::CallPure(callees.reciprocal), [divisor], Ty::F64),
                    false => {
                        let args = [of(&mut b, x), divisor];
                        b.value(Op::CallPure(callees.quotient), args, Ty::F64)
                    }
                });
            }
            let whole = match lanes[..] {
                [one] => one,
                _ => b.construct(ty, lanes),
            };
            replaced.set(result, whole);
        }
    }
    replaced.apply(func);
}

/// The bits of a double's mantissa, and the bits of 1.
const MANTISSA: u64 = (1 << 52) - 1;
const ONE: u64 = 1.0f64.to_bits();
const SIGN: u64 = 1 << 63;

/// The exponent of 1, as it is stored.
const BIAS: i32 = 1023;

/// Divisors of moderate size are from 2^-120 to below 2^120.
const MOST_OF_DIVISORS: i32 = 120;

/// The function under construction.
struct Divide<'f> {
    b: Builder<'f>,
}

/// An operand that is brought to the range from 1 to 2.
struct Scaled {
    number: Value,
    exponent: Value,
}

/// Returns the function for quotients. Its parameters are the dividend and the divisor.
fn quotient_function() -> Function {
    let mut func = Function::new("divide_doubles", &[Ty::F64; 2], Some(Ty::F64));
    let [x, y] = [0, 1].map(|n| func.params[n]);
    let mut d = Divide::of(&mut func);
    // The estimate of the reciprocal is a normal float, and no step overflows or loses bits.
    let [x_fits, y_fits] = [(x, 400), (y, MOST_OF_DIVISORS)].map(|(v, most)| d.has_exponent_up_to(v, most));
    let fit = d.b.binary(BinOp::And, x_fits, y_fits);
    d.finish((fit, x, y), |d| d.quotient(x, y).0);
    func
}

/// Returns the function for reciprocals. Its parameter is the divisor.
fn reciprocal_function() -> Function {
    let mut func = Function::new("invert_doubles", &[Ty::F64], Some(Ty::F64));
    let y = func.params[0];
    let mut d = Divide::of(&mut func);
    let one = d.f64(1.0);
    let fits = d.has_exponent_up_to(y, MOST_OF_DIVISORS);
    d.finish((fits, one, y), |d| d.reciprocal(y).0);
    func
}

impl<'f> Divide<'f> {
    /// Begins the body of a function.
    fn of(func: &'f mut Function) -> Divide<'f> {
        func.linkage = Linkage::Static;
        let body = func.body;
        Divide {
            b: Builder::at_end(func, body),
        }
    }

    /// Ends the body. `(fit, x, y)`: whether the operands are of moderate size, and the operands. `quick`: computes x / y
    /// for these.
    fn finish(&mut self, (fit, x, y): (Value, Value, Value), quick: impl FnOnce(&mut Divide<'f>) -> Value) {
        let (choice, moderate, other) = self.b.if_(fit, &[Ty::F64]);
        self.b.enter(moderate);
        let quotient = quick(self);
        self.b.exit(choice, vec![quotient]);
        self.b.leave();
        self.b.enter(other);
        let quotient = self.of_any(x, y);
        self.b.exit(choice, vec![quotient]);
        self.b.leave();
        let result = self.b.results(choice)[0];
        self.b.ret(Some(result));
    }

    fn call(&mut self, op: Intrinsic, args: Vec<Value>) -> Value {
        let ty = self.b.func.ty(args[0]);
        self.b.value(Op::Intrinsic(op), args, ty)
    }

    fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.call(Intrinsic::Fma, vec![a, b, c])
    }

    fn f64(&mut self, v: f64) -> Value {
        self.b.bits(Ty::F64, v.to_bits())
    }

    /// Emits an operation of 64-bit integers with a constant.
    fn with(&mut self, op: BinOp, a: Value, bits: u64) -> Value {
        let bits = self.b.bits(Ty::I64, bits);
        self.b.binary(op, a, bits)
    }

    /// Emits an operation of 32-bit integers with a constant.
    fn with_word(&mut self, op: BinOp, a: Value, n: i32) -> Value {
        let n = self.b.i32(n);
        self.b.binary(op, a, n)
    }

    fn bits_of(&mut self, v: Value) -> Value {
        self.b.cast(CastOp::Bitcast, v, Ty::I64)
    }

    fn double_of(&mut self, bits: Value) -> Value {
        self.b.cast(CastOp::Bitcast, bits, Ty::F64)
    }

    /// Returns the exponent of a number as it is stored, with zeros in place of the sign.
    fn exponent(&mut self, v: Value) -> Value {
        let pair = self.b.cast(CastOp::Bitcast, v, Ty::vector(Scalar::I32, 2));
        let high = self.b.extract(pair, 1);
        let shifted = self.with_word(BinOp::LShr, high, 20);
        self.with_word(BinOp::And, shifted, 0x7ff)
    }

    /// Returns the two words of a double.
    fn words_of(&mut self, v: Value) -> [Value; 2] {
        let pair = self.b.cast(CastOp::Bitcast, v, Ty::vector(Scalar::I32, 2));
        [0, 1].map(|n| self.b.extract(pair, n))
    }

    /// Returns whether the magnitude of a number is from 2^-most to below 2^most, where `most` is 900 at most. The upper words of
    /// doubles are compared as floats: these have the same order, and a comparison of floats ignores the sign without another operation.
    fn has_exponent_up_to(&mut self, v: Value, most: i32) -> Value {
        let [_, high] = self.words_of(v);
        let high = self.b.cast(CastOp::Bitcast, high, Ty::F32);
        let magnitude = self.call(Intrinsic::FAbs, vec![high]);
        let [least, above] =
            [BIAS - most, BIAS + most].map(|exponent| self.b.bits(Ty::F32, (exponent as u64) << 20));
        let is_enough = self.b.compare(CmpOp::FOGe, magnitude, least);
        let is_below = self.b.compare(CmpOp::FOLt, magnitude, above);
        self.b.binary(BinOp::And, is_enough, is_below)
    }

    /// Returns 1 / y for a number of moderate size, and -y.
    fn reciprocal(&mut self, y: Value) -> (Value, Value) {
        let one = self.f64(1.0);
        let r = self.estimate(y);
        let minus_y = self.b.unary(UnOp::FNeg, y);
        // From 18 bits to less than one unit in the last place, and then to the nearest double.
        let e = self.fma(minus_y, r, one);
        let e = self.fma(e, e, e);
        let r = self.fma(r, e, r);
        let e = self.fma(minus_y, r, one);
        (self.fma(r, e, r), minus_y)
    }

    /// Returns the quotient of numbers of moderate size, and the remainder.
    fn quotient(&mut self, x: Value, y: Value) -> (Value, Value) {
        let (r, minus_y) = self.reciprocal(y);
        let q = self.b.binary(BinOp::FMul, x, r);
        let rest = self.fma(minus_y, q, x);
        let q = self.fma(r, rest, q);
        let rest = self.fma(minus_y, q, x);
        (q, rest)
    }

    /// Returns 1 / y with a relative error below 2^-18: the square of 1 / sqrt(|y|), for which devices have an instruction, with the
    /// sign of y. A quotient of floats might be a function with a branch, too. The numbers are converted without their last bits: y gets
    /// the middle between all that these may be, and the result the lower word of y, which needs no instruction.
    ///
    /// The upper word of the result is one larger than that of the square. If all bits of the mantissa of y are ones, the result is too
    /// large for this reason, by 2^-20 or 2^-19 of it, although the square may be too small: its error is below 2^-20
    /// (GLSL.std.450 `InverseSqrt`: 2 units in the last place).
    fn estimate(&mut self, y: Value) -> Value {
        /// The difference between the exponents of a number as a double and as a float, as they are stored.
        const DIFFERENCE: i32 = BIAS - 127;
        let [low, high] = self.words_of(y);
        // The shift removes the sign and the upper two bits of the exponent, as the difference modulo 2^9 does.
        let float = self.with_word(BinOp::Shl, high, 3);
        let float = self.with_word(BinOp::IAdd, float, 4i32.wrapping_sub(DIFFERENCE << 23));
        let float = self.b.cast(CastOp::Bitcast, float, Ty::F32);
        let s = self.call(Intrinsic::InverseSqrt, vec![float]);
        let r = self.b.binary(BinOp::FMul, s, s);
        let r = self.b.cast(CastOp::Bitcast, r, Ty::I32);
        let r = self.with_word(BinOp::LShr, r, 3);
        let r = self.with_word(BinOp::IAdd, r, (DIFFERENCE << 20) + 1);
        let sign = self.with_word(BinOp::And, high, i32::MIN);
        let high = self.b.binary(BinOp::Or, r, sign);
        let pair = self.b.construct(Ty::vector(Scalar::I32, 2), vec![low, high]);
        self.b.cast(CastOp::Bitcast, pair, Ty::F64)
    }

    /// Returns the quotient of any two numbers.
    fn of_any(&mut self, x: Value, y: Value) -> Value {
        let [a, d] = [x, y].map(|v| self.call(Intrinsic::FAbs, vec![v]));
        let (from, by) = (self.scaled(a), self.scaled(d));
        let (q, rest) = self.quotient(from.number, by.number);
        let exponent = self.b.binary(BinOp::ISub, from.exponent, by.exponent);
        let large = self.times_power(q, exponent);
        let small = self.subnormal(q, rest, exponent);
        let least = self.b.i32(2 - BIAS);
        let is_small = self.b.compare(CmpOp::SLt, exponent, least);
        let q = self.b.select(is_small, small, large);
        let q = self.special(q, a, d);
        let bits = [x, y, q].map(|v| self.bits_of(v));
        let signs = self.b.binary(BinOp::Xor, bits[0], bits[1]);
        let sign = self.with(BinOp::And, signs, SIGN);
        let signed = self.b.binary(BinOp::Or, bits[2], sign);
        self.double_of(signed)
    }

    /// Returns a number that is not negative as one from 1 to below 2 and an exponent. Those of zeros, infinities and NaN
    /// mean nothing.
    fn scaled(&mut self, v: Value) -> Scaled {
        let [normal, up] = [f64::MIN_POSITIVE, 2f64.powi(54)].map(|v| self.f64(v));
        let is_small = self.b.compare(CmpOp::FOLt, v, normal);
        let larger = self.b.binary(BinOp::FMul, v, up);
        let v = self.b.select(is_small, larger, v);
        let exponent = self.exponent(v);
        let [moved, zero] = [54, 0].map(|n| self.b.i32(n));
        let moved = self.b.select(is_small, moved, zero);
        let exponent = self.b.binary(BinOp::ISub, exponent, moved);
        let bits = self.bits_of(v);
        let mantissa = self.with(BinOp::And, bits, MANTISSA);
        let number = self.with(BinOp::Or, mantissa, ONE);
        Scaled {
            number: self.double_of(number),
            exponent,
        }
    }

    /// Returns q 2^exponent, which is infinite if it is too large. The power is one of two factors, each of which is a number.
    fn times_power(&mut self, q: Value, exponent: Value) -> Value {
        let [least, most] = [2 - BIAS, 1100].map(|n| self.b.i32(n));
        let exponent = self.call(Intrinsic::SMax, vec![exponent, least]);
        let exponent = self.call(Intrinsic::SMin, vec![exponent, most]);
        let half = self.with_word(BinOp::AShr, exponent, 1);
        let rest = self.b.binary(BinOp::ISub, exponent, half);
        let mut product = q;
        for part in [half, rest] {
            let stored = self.with_word(BinOp::IAdd, part, BIAS);
            let wide = self.b.cast(CastOp::ZExt, stored, Ty::I64);
            let bits = self.with(BinOp::Shl, wide, 52);
            let power = self.double_of(bits);
            product = self.b.binary(BinOp::FMul, product, power);
        }
        product
    }

    /// Returns q 2^exponent, where exponent is below -1021, rounded once to the multiples of 2^-1074. q is the number nearest to a
    /// quotient, and the sign of `rest` tells on which side of q that is.
    fn subnormal(&mut self, q: Value, rest: Value, exponent: Value) -> Value {
        /// The bits below the mantissa, which have the side.
        const BELOW: u64 = 8;
        let q_exponent = self.exponent(q);
        let bits = self.bits_of(q);
        let mantissa = self.with(BinOp::And, bits, MANTISSA);
        let number = self.with(BinOp::Or, mantissa, MANTISSA + 1);
        let number = self.with(BinOp::Shl, number, BELOW);
        let zero = self.f64(0.0);
        let [above, below] = [CmpOp::FOGt, CmpOp::FOLt].map(|op| {
            let is = self.b.compare(op, rest, zero);
            let [one, none] = [1, 0].map(|n| self.b.bits(Ty::I64, n));
            self.b.select(is, one, none)
        });
        let number = self.b.binary(BinOp::IAdd, number, above);
        let number = self.b.binary(BinOp::ISub, number, below);
        // The number of bits that fall away, from 0 on; from 54 on, the result is 0.
        let sum = self.b.binary(BinOp::IAdd, q_exponent, exponent);
        let first = self.b.i32(1);
        let away = self.b.binary(BinOp::ISub, first, sum);
        let most = self.b.i32(54);
        let away = self.call(Intrinsic::SMin, vec![away, most]);
        let none = self.b.i32(0);
        let away = self.call(Intrinsic::SMax, vec![away, none]);
        let away = self.with_word(BinOp::IAdd, away, BELOW as i32);
        let away = self.b.cast(CastOp::ZExt, away, Ty::I64);
        let kept = self.b.binary(BinOp::LShr, number, away);
        let width = self.b.bits(Ty::I64, 64);
        let up = self.b.binary(BinOp::ISub, width, away);
        let lost = self.b.binary(BinOp::Shl, number, up);
        let half = self.b.bits(Ty::I64, 1 << 63);
        let is_more = self.b.compare(CmpOp::UGt, lost, half);
        let is_half = self.b.compare(CmpOp::IEq, lost, half);
        let odd = self.with(BinOp::And, kept, 1);
        let [one, nothing] = [1, 0].map(|n| self.b.bits(Ty::I64, n));
        let to_even = self.b.select(is_half, odd, nothing);
        let carry = self.b.select(is_more, one, to_even);
        let kept = self.b.binary(BinOp::IAdd, kept, carry);
        self.double_of(kept)
    }

    /// Returns the quotient of the magnitudes a and d if one of them is a zero, infinite or NaN, and `q` otherwise. The former is a
    /// product: with infinity for a divisor that is zero, with zero for an infinite one, and with the divisor itself if the dividend
    /// alone determines the quotient. No number of it is a constant that a driver could find in the result: with a constant NaN, NVIDIA's
    /// took a choice for decided that compares the quotient.
    fn special(&mut self, q: Value, a: Value, d: Value) -> Value {
        let [zero, infinite] = [0.0, f64::INFINITY].map(|v| self.f64(v));
        let [is_zero, is_infinite] = [zero, infinite].map(|v| self.b.compare(CmpOp::FOEq, d, v));
        let factor = self.b.select(is_zero, infinite, d);
        let factor = self.b.select(is_infinite, zero, factor);
        let product = self.b.binary(BinOp::FMul, a, factor);
        let [a_is_other, d_is_other] = [a, d].map(|v| {
            let is_above = self.b.compare(CmpOp::FOGt, v, zero);
            let is_below = self.b.compare(CmpOp::FOLt, v, infinite);
            self.b.binary(BinOp::And, is_above, is_below)
        });
        let are_others = self.b.binary(BinOp::And, a_is_other, d_is_other);
        self.b.select(are_others, q, product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{self, Memory};

    /// Adds `ulps` units in the last place to each 1 / sqrt of a function, as devices may do.
    fn with_errors(mut func: Function, ulps: i32) -> Function {
        let is_estimate =
            |func: &Function, inst: Inst| func.insts[inst].op == Op::Intrinsic(Intrinsic::InverseSqrt);
        let mut replaced = Replacements::default();
        let mut estimates = Vec::new();
        for region in func.regions_in_order() {
            let old = std::mem::take(&mut func.regions[region].insts);
            let mut b = Builder::at_end(&mut func, region);
            for inst in old {
                b.push(inst);
                if is_estimate(b.func, inst) {
                    let exact = b.func.insts[inst].results[0];
                    let bits = b.cast(CastOp::Bitcast, exact, Ty::I32);
                    let units = b.i32(ulps);
                    let moved = b.binary(BinOp::IAdd, bits, units);
                    estimates.push((exact, b.func.def_inst(bits).unwrap()));
                    replaced.set(exact, b.cast(CastOp::Bitcast, moved, Ty::F32));
                }
            }
        }
        assert_eq!(
            estimates.len(),
            2,
            "one for moderate operands, and one for others"
        );
        replaced.apply(&mut func);
        for (exact, bits) in estimates {
            func.insts[bits].args[0] = exact;
        }
        func
    }

    /// The functions give the bits of the processor's division, but for the sign of a NaN, on all devices: 1 / sqrt of floats may be
    /// wrong by two units in the last place.
    #[test]
    fn quotients_are_those_of_the_processor() {
        let mut module = Module::default();
        let functions = [0, 2, -2].map(|ulps| {
            [quotient_function(), reciprocal_function()].map(|f| module.funcs.push(with_errors(f, ulps)))
        });
        let special = [
            0.0,
            f64::INFINITY,
            f64::NAN,
            5e-324,
            1.5e-323,
            f64::MIN_POSITIVE,
            2.225_073_858_507_201e-308,
            f64::MAX,
            1.0,
            3.0,
            1e300,
            1e-300,
        ];
        let mut pairs: Vec<[f64; 2]> = Vec::new();
        for x in special {
            pairs.extend(special.iter().flat_map(|&y| [[x, y], [-x, y], [x, -y], [-x, -y]]));
        }
        // Divisors close to 2, and quotients as close to the middle between two doubles as there are any.
        for n in 2..80u64 {
            let d = (1 << 53) - n / 2;
            let y = d as f64 * 2f64.powi((n % 2) as i32 - 52);
            for n in (1..20).chain((1u64 << 53) - 20..1 << 53) {
                pairs.extend([[n as f64, y], [y, n as f64]]);
            }
            // The inverse modulo 2^54, by Newton's iteration.
            let inverse =
                (0..6).fold(d, |u, _| u.wrapping_mul(2u64.wrapping_sub(d.wrapping_mul(u)))) % (1 << 54);
            for u in [inverse, (1 << 54) - inverse] {
                let x = (u128::from(u) * u128::from(d)) >> 54;
                pairs.extend([[x as f64, y], [x as f64 + 1.0, y]]);
            }
        }
        let mut state = 1u64;
        let mut random = || {
            // An odd multiplier and the upper bits (Knuth's MMIX generator).
            let mut next = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                state >> 32
            };
            next() << 32 | next()
        };
        for n in 0..20_000u32 {
            let any = |bits: u64, exponent: u64| f64::from_bits(bits & (SIGN | MANTISSA) | exponent << 52);
            let (a, b) = (random(), random());
            pairs.push(match n % 4 {
                0 => [f64::from_bits(a), f64::from_bits(b)],
                // Moderate numbers, also with long runs of ones and zeros.
                1 => [
                    any(a, 1000 + (a >> 52) % 50),
                    any(b | MANTISSA >> (b % 53), 1000 + (b >> 52) % 50),
                ],
                2 => [any(a, 1020), any(b, 1020 + (a >> 53) % 100)],
                // Quotients next to subnormal numbers and to the middle between two of them.
                _ => {
                    let y = any(b, 1023 + (b >> 52) % 300);
                    let bits = a >> (12 + a % 50);
                    let middle = (bits as f64 + 0.5 * (b % 2) as f64) * 2f64.powi(-537);
                    let x = middle * (y.abs() * 2f64.powi(-537));
                    [f64::from_bits(x.to_bits().wrapping_add(b >> 2 & 1)), y]
                }
            });
        }
        for [x, y] in pairs {
            let args = [x, y].map(|v| vec![v.to_bits()]);
            let cases = functions
                .iter()
                .flat_map(|&[divide, invert]| [(divide, &args[..], x / y), (invert, &args[1..], 1.0 / y)]);
            for (function, args, exact) in cases {
                let result = interp::call(&module, function, args, &mut Memory::default(), 1000).unwrap();
                let found = f64::from_bits(result[0]);
                let is_same = found.to_bits() == exact.to_bits() || found.is_nan() && exact.is_nan();
                assert!(
                    is_same,
                    "{exact:e} is the quotient of {x:e} or 1 and {y:e}, not {found:e}"
                );
            }
        }
    }
}
