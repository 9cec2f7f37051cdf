//! Conversions from and to 64-bit integers.

use super::arith::WORD;
use super::{Lower, Pair, bug, is_int64};
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, CastOp, CmpOp, FpFlags, Op, Scalar, Ty, Value};
use crate::pass::PassError;

/// The bits of a float's fraction, and the bias of its exponent.
const FRACTION: u32 = 23;
const BIAS: u32 = 127;

impl Lower<'_> {
    pub(super) fn cast(&mut self, op: CastOp, a: Value, result: Value) -> Result<(), PassError> {
        let (from, to) = (self.ty(a), self.ty(result));
        let words = to.with_scalar(Scalar::I32);
        match op {
            CastOp::Bitcast => self.bitcast(a, result)?,
            CastOp::Trunc => {
                let low = self.pair(a).low;
                let value = match to.scalar {
                    Scalar::I32 => low,
                    _ => self.b.cast(op, low, to),
                };
                self.others.set(result, value);
            }
            CastOp::ZExt | CastOp::SExt => {
                let low = match from.scalar {
                    Scalar::I32 => a,
                    _ => self.b.cast(op, a, words),
                };
                let high = match (op, from.scalar) {
                    (CastOp::ZExt, _) => self.b.zero(words),
                    (_, Scalar::Bool) => low,
                    _ => self.with(BinOp::AShr, low, WORD - 1),
                };
                self.pairs.set(result, Pair { low, high });
            }
            CastOp::FToU | CastOp::FToS => {
                // The operations below have exact results, so they must not be fused into others.
                self.b.fp = FpFlags::default();
                let pair = match (from.scalar, op) {
                    (Scalar::F16, CastOp::FToS) => {
                        let low = self.b.cast(op, a, words);
                        let high = self.with(BinOp::AShr, low, WORD - 1);
                        Pair { low, high }
                    }
                    (Scalar::F16, _) => Pair {
                        low: self.b.cast(op, a, words),
                        high: self.b.zero(words),
                    },
                    (_, CastOp::FToU) => self.float_to_unsigned(a),
                    _ => self.float_to_signed(a),
                };
                self.pairs.set(result, pair);
            }
            CastOp::UToF | CastOp::SToF => {
                self.b.fp = FpFlags::default();
                let pair = self.pair(a);
                let value = self.float_of(op, pair, to);
                self.others.set(result, value);
            }
            CastOp::FConvert | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast => {
                return Err(bug("a conversion that has no 64-bit integers").into());
            }
        }
        Ok(())
    }

    /// Returns a float constant.
    fn float(&mut self, ty: Ty, value: f64) -> Value {
        match ty.scalar {
            Scalar::F64 => self.b.bits(ty, value.to_bits()),
            _ => self.b.bits(ty, u64::from((value as f32).to_bits())),
        }
    }

    /// Converts a float or double that is not negative. The high word is the integer part
    /// of the number divided by 2^32. It has no more significant bits than the number, so the remainder is exact.
    fn float_to_unsigned(&mut self, a: Value) -> Pair {
        let ty = self.ty(a);
        let words = ty.with_scalar(Scalar::I32);
        let down = self.float(ty, 1.0 / f64::from(1u32 << 31) / 2.0);
        let up = self.float(ty, f64::from(1u32 << 31) * 2.0);
        let scaled = self.b.binary(BinOp::FMul, a, down);
        let high = self.b.cast(CastOp::FToU, scaled, words);
        let part = self.b.cast(CastOp::UToF, high, ty);
        let part = self.b.binary(BinOp::FMul, part, up);
        let rest = self.b.binary(BinOp::FSub, a, part);
        let low = self.b.cast(CastOp::FToU, rest, words);
        Pair { low, high }
    }

    /// Converts a float or double by way of its absolute value.
    fn float_to_signed(&mut self, a: Value) -> Pair {
        let ty = self.ty(a);
        let words = ty.with_scalar(Scalar::I32);
        let magnitude = self.b.value(Op::Intrinsic(Intrinsic::FAbs), [a], ty);
        let pair = self.float_to_unsigned(magnitude);
        let zero = self.b.zero(ty);
        let negative = self.b.compare(CmpOp::FOLt, a, zero);
        let (ones, none) = (self.b.bits(words, 0xffff_ffff), self.b.zero(words));
        let sign = self.b.select(negative, ones, none);
        self.negate_if(sign, pair)
    }

    /// Converts to a float type, rounding to nearest even.
    fn float_of(&mut self, op: CastOp, a: Pair, to: Ty) -> Value {
        let words = to.with_scalar(Scalar::I32);
        if self.is_zero(a.high) {
            return self.b.cast(CastOp::UToF, a.low, to);
        }
        if op == CastOp::SToF && self.is_sign_extended(a) {
            return self.b.cast(CastOp::SToF, a.low, to);
        }
        match to.scalar {
            // Both words are exact; only the sum is rounded.
            Scalar::F64 => {
                let high = self.b.cast(op, a.high, to);
                let low = self.b.cast(CastOp::UToF, a.low, to);
                let up = self.float(to, f64::from(1u32 << 31) * 2.0);
                let high = self.b.binary(BinOp::FMul, high, up);
                self.b.binary(BinOp::FAdd, high, low)
            }
            // Numbers of more than 32 bits become infinite, and so does the number that replaces them here.
            Scalar::F16 if op == CastOp::UToF => {
                let fits = self.is(CmpOp::IEq, a.high, 0);
                let largest = self.b.bits(words, 0xffff_ffff);
                let low = self.b.select(fits, a.low, largest);
                self.b.cast(op, low, to)
            }
            Scalar::F16 => {
                let sign = self.with(BinOp::AShr, a.low, WORD - 1);
                let fits = self.b.compare(CmpOp::IEq, sign, a.high);
                let negative = self.sign(a);
                let farthest = self.with(BinOp::Xor, negative, i32::MAX as u32);
                let low = self.b.select(fits, a.low, farthest);
                self.b.cast(op, low, to)
            }
            _ => {
                let (magnitude, sign) = match op {
                    CastOp::SToF => {
                        let sign = self.with(BinOp::And, a.high, 1 << (WORD - 1));
                        (self.absolute(a), Some(sign))
                    }
                    _ => (a, None),
                };
                let mut bits = self.float_bits(magnitude);
                if let Some(sign) = sign {
                    bits = self.b.binary(BinOp::Or, bits, sign);
                }
                self.b.cast(CastOp::Bitcast, bits, to)
            }
        }
    }

    /// Returns the bits of the float that is nearest to an unsigned number. The device's conversions of words are not
    /// used: they would round a second time.
    fn float_bits(&mut self, a: Pair) -> Value {
        let words = self.ty(a.low);
        // Shift the number to the left until the first of its bits is the highest.
        let mut zeros = [a.high, a.low].map(|w| self.b.value(Op::Intrinsic(Intrinsic::Clz), [w], words));
        zeros[1] = self.with(BinOp::IAdd, zeros[1], WORD);
        let small = self.is(CmpOp::IEq, a.high, 0);
        let zeros = self.b.select(small, zeros[1], zeros[0]);
        let normal = self.shift(BinOp::Shl, a, zeros);
        // The fraction with its leading one, and what is lost, of which a bit stands for the whole low word.
        let dropped = WORD - FRACTION - 1;
        let fraction = self.with(BinOp::LShr, normal.high, dropped);
        let lost = self.with(BinOp::Shl, normal.high, WORD - dropped);
        let more = self.is(CmpOp::INe, normal.low, 0);
        let more = self.number(more, words);
        let lost = self.b.binary(BinOp::Or, lost, more);
        // Half of the last place is rounded up if the fraction is odd.
        let odd = self.with(BinOp::And, fraction, 1);
        let lost = self.b.binary(BinOp::IAdd, lost, odd);
        let up = self.is(CmpOp::UGt, lost, 1 << (WORD - 1));
        let up = self.number(up, words);
        // The leading one increases the exponent by one, and so does a fraction that is rounded up to a power of two.
        let top = self.b.bits(words, u64::from(BIAS + 2 * WORD - 2));
        let exponent = self.b.binary(BinOp::ISub, top, zeros);
        let exponent = self.with(BinOp::Shl, exponent, FRACTION);
        let bits = self.b.binary(BinOp::IAdd, exponent, fraction);
        let bits = self.b.binary(BinOp::IAdd, bits, up);
        let any = self.b.binary(BinOp::Or, a.low, a.high);
        let none = self.is(CmpOp::IEq, any, 0);
        let zero = self.b.zero(words);
        self.b.select(none, zero, bits)
    }

    /// Copies the bits of a value to a value of another type, one of which has 64-bit integers.
    fn bitcast(&mut self, a: Value, result: Value) -> Result<(), PassError> {
        let (from, to) = (self.ty(a), self.ty(result));
        if from == to {
            let pair = self.pair(a);
            self.pairs.set(result, pair);
            return Ok(());
        }
        let (int64, other) = if is_int64(from) { (from, to) } else { (to, from) };
        if other.scalar.bits() == 2 * WORD {
            // Doubles, lane by lane: vectors of two words each.
            let two = Ty::vector(Scalar::I32, 2);
            let mut lanes = Vec::new();
            for lane in 0..other.lanes {
                if is_int64(from) {
                    let pair = self.pair(a);
                    let pair = self.lane(pair, lane);
                    let both = self.joined(pair);
                    lanes.push(self.b.cast(CastOp::Bitcast, both, Ty::of(other.scalar)));
                } else {
                    let scalar = match other.lanes {
                        1 => a,
                        _ => self.b.extract(a, lane),
                    };
                    lanes.push(self.b.cast(CastOp::Bitcast, scalar, two));
                }
            }
            if is_int64(from) {
                let value = self.gathered(other, lanes);
                self.others.set(result, value);
                return Ok(());
            }
            let words = int64.with_scalar(Scalar::I32);
            let [low, high] = [0, 1].map(|n| {
                let half = lanes.iter().map(|&both| self.b.extract(both, n)).collect();
                self.gathered(words, half)
            });
            self.pairs.set(result, Pair { low, high });
            return Ok(());
        }
        if int64.lanes > 2 {
            return Err(bug("a bit cast of a long vector").into());
        }
        let words = Ty::vector(Scalar::I32, 2 * int64.lanes);
        if is_int64(from) {
            let pair = self.pair(a);
            let all = self.interleaved(pair, int64.lanes);
            let value = self.b.cast(CastOp::Bitcast, all, to);
            self.others.set(result, value);
        } else {
            let all = self.b.cast(CastOp::Bitcast, a, words);
            let pair = self.divided(all, int64.lanes);
            self.pairs.set(result, pair);
        }
        Ok(())
    }

    /// Returns a lane of each word.
    fn lane(&mut self, pair: Pair, lane: u8) -> Pair {
        match self.ty(pair.low).is_vector() {
            true => Pair {
                low: self.b.extract(pair.low, lane),
                high: self.b.extract(pair.high, lane),
            },
            false => pair,
        }
    }

    /// Returns a vector of these lanes, or the only one.
    fn gathered(&mut self, ty: Ty, lanes: Vec<Value>) -> Value {
        match lanes[..] {
            [one] => one,
            _ => self.b.construct(ty, lanes),
        }
    }
}
