//! Arithmetic, comparisons, shifts and the integer functions, on the words of 64-bit integers.

use super::{Lower, Pair, bug, is_int64};
use crate::intrinsic::{Intrinsic, SubgroupOp};
use crate::ir::{BinOp, CmpOp, Op, Scalar, Ty, UnOp, Value};
use crate::pass::PassError;

/// The bits of a word.
pub(super) const WORD: u32 = 32;

impl Lower<'_> {
    /// Returns the words of a constant with the same value in each lane. `ty` is the type of the words.
    pub(super) fn constant(&mut self, ty: Ty, bits: u64) -> Pair {
        Pair {
            low: self.b.bits(ty, bits & 0xffff_ffff),
            high: self.b.bits(ty, bits >> WORD),
        }
    }

    /// Emits an operation on words of which one is a constant.
    pub(super) fn with(&mut self, op: BinOp, a: Value, bits: u32) -> Value {
        let bits = self.b.bits(self.ty(a), u64::from(bits));
        self.b.binary(op, a, bits)
    }

    /// Emits a comparison of a word with a constant.
    pub(super) fn is(&mut self, op: CmpOp, a: Value, bits: u32) -> Value {
        let bits = self.b.bits(self.ty(a), u64::from(bits));
        self.b.compare(op, a, bits)
    }

    /// Returns 1 where a condition is true, otherwise 0.
    pub(super) fn number(&mut self, condition: Value, ty: Ty) -> Value {
        let (one, zero) = (self.b.bits(ty, 1), self.b.zero(ty));
        self.b.select(condition, one, zero)
    }

    /// Selects among two pairs.
    pub(super) fn choose(&mut self, condition: Value, a: Pair, b: Pair) -> Pair {
        Pair {
            low: self.b.select(condition, a.low, b.low),
            high: self.b.select(condition, a.high, b.high),
        }
    }

    /// Returns a word each of whose bits is the sign.
    pub(super) fn sign(&mut self, a: Pair) -> Value {
        if self.is_sign_extended(a) {
            return a.high;
        }
        self.with(BinOp::AShr, a.high, WORD - 1)
    }

    /// Returns whether a value is the constant 0 in each lane.
    pub(super) fn is_zero(&self, v: Value) -> bool {
        self.b.func.as_splat(v) == Some(0)
    }

    /// Returns whether the high word is known to consist of copies of the low word's sign bit.
    pub(super) fn is_sign_extended(&self, a: Pair) -> bool {
        let Some(def) = self.b.func.def_inst(a.high) else {
            return false;
        };
        let data = &self.b.func.insts[def];
        data.op == Op::Binary(BinOp::AShr)
            && data.args[0] == a.low
            && self.b.func.as_splat(data.args[1]) == Some(u64::from(WORD - 1))
    }

    pub(super) fn add(&mut self, a: Pair, b: Pair) -> Pair {
        let low = self.b.binary(BinOp::IAdd, a.low, b.low);
        let carries = self.b.compare(CmpOp::ULt, low, b.low);
        let carry = self.number(carries, self.ty(low));
        let high = self.b.binary(BinOp::IAdd, a.high, b.high);
        let high = self.b.binary(BinOp::IAdd, high, carry);
        Pair { low, high }
    }

    pub(super) fn subtract(&mut self, a: Pair, b: Pair) -> Pair {
        let low = self.b.binary(BinOp::ISub, a.low, b.low);
        let borrows = self.b.compare(CmpOp::ULt, a.low, b.low);
        let borrow = self.number(borrows, self.ty(low));
        let high = self.b.binary(BinOp::ISub, a.high, b.high);
        let high = self.b.binary(BinOp::ISub, high, borrow);
        Pair { low, high }
    }

    pub(super) fn multiply(&mut self, a: Pair, b: Pair) -> Pair {
        let ty = self.ty(a.low);
        let low = self.b.binary(BinOp::IMul, a.low, b.low);
        if self.is_sign_extended(a) && self.is_sign_extended(b) {
            let high = Op::Intrinsic(Intrinsic::SMulHigh);
            let high = self.b.value(high, [a.low, b.low], ty);
            return Pair { low, high };
        }
        let op = Op::Intrinsic(Intrinsic::UMulHigh);
        let mut high = self.b.value(op, [a.low, b.low], ty);
        for (x, y) in [(a.low, b.high), (a.high, b.low)] {
            if !self.is_zero(x) && !self.is_zero(y) {
                let product = self.b.binary(BinOp::IMul, x, y);
                high = self.b.binary(BinOp::IAdd, high, product);
            }
        }
        Pair { low, high }
    }

    /// Subtracts the sign from the pair whose bits it has inverted: the negative if `sign` is all ones, the pair itself
    /// if it is zero.
    pub(super) fn negate_if(&mut self, sign: Value, a: Pair) -> Pair {
        let inverted = Pair {
            low: self.b.binary(BinOp::Xor, a.low, sign),
            high: self.b.binary(BinOp::Xor, a.high, sign),
        };
        let sign = Pair {
            low: sign,
            high: sign,
        };
        self.subtract(inverted, sign)
    }

    /// Returns the absolute value as an unsigned number.
    pub(super) fn absolute(&mut self, a: Pair) -> Pair {
        let sign = self.sign(a);
        self.negate_if(sign, a)
    }

    pub(super) fn unary(&mut self, op: UnOp, a: Pair) -> Pair {
        match op {
            UnOp::Not => Pair {
                low: self.b.unary(op, a.low),
                high: self.b.unary(op, a.high),
            },
            UnOp::INeg | UnOp::FNeg => {
                let zero = self.constant(self.ty(a.low), 0);
                self.subtract(zero, a)
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinOp, a: Value, b: Value) -> Pair {
        let [x, y] = self.pairs(a, b);
        match op {
            BinOp::IAdd => self.add(x, y),
            BinOp::ISub => self.subtract(x, y),
            BinOp::IMul => self.multiply(x, y),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => {
                match self.b.func.as_splat(b) {
                    Some(count) => self.shift_by(op, x, count as u32 % (2 * WORD)),
                    None => self.shift(op, x, y.low),
                }
            }
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => self.quotient(op, x, y),
            BinOp::And
            | BinOp::Or
            | BinOp::Xor
            // No operation on floats has integers as operands.
            | BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem => Pair {
                low: self.b.binary(op, x.low, y.low),
                high: self.b.binary(op, x.high, y.high),
            },
        }
    }

    /// Shifts by a constant between 0 and 63.
    pub(super) fn shift_by(&mut self, op: BinOp, a: Pair, count: u32) -> Pair {
        let zero = self.b.zero(self.ty(a.low));
        let rest = count % WORD;
        match (op, count) {
            (_, 0) => a,
            (BinOp::Shl, 1..WORD) => {
                let low = self.with(BinOp::Shl, a.low, rest);
                let carried = self.with(BinOp::LShr, a.low, WORD - rest);
                let high = self.with(BinOp::Shl, a.high, rest);
                let high = self.b.binary(BinOp::Or, high, carried);
                Pair { low, high }
            }
            (BinOp::Shl, _) => Pair {
                low: zero,
                high: self.with(BinOp::Shl, a.low, rest),
            },
            (_, 1..WORD) => {
                let high = self.with(op, a.high, rest);
                let carried = self.with(BinOp::Shl, a.high, WORD - rest);
                let low = self.with(BinOp::LShr, a.low, rest);
                let low = self.b.binary(BinOp::Or, low, carried);
                Pair { low, high }
            }
            (_, _) => Pair {
                low: self.with(op, a.high, rest),
                high: match op {
                    BinOp::AShr => self.sign(a),
                    _ => zero,
                },
            },
        }
    }

    /// Shifts by a number at run time, modulo 64.
    pub(super) fn shift(&mut self, op: BinOp, a: Pair, count: Value) -> Pair {
        let zero = self.b.zero(self.ty(a.low));
        // Shifts of words take the count modulo 32. A word is shifted by 32 less the count in two steps, because
        // the count may be 0.
        let inverse = self.b.unary(UnOp::Not, count);
        let bit = self.with(BinOp::And, count, WORD);
        let far = self.is(CmpOp::INe, bit, 0);
        if op == BinOp::Shl {
            let low = self.b.binary(op, a.low, count);
            let carried = self.with(BinOp::LShr, a.low, 1);
            let carried = self.b.binary(BinOp::LShr, carried, inverse);
            let high = self.b.binary(op, a.high, count);
            let high = self.b.binary(BinOp::Or, high, carried);
            return Pair {
                low: self.b.select(far, zero, low),
                high: self.b.select(far, low, high),
            };
        }
        let high = self.b.binary(op, a.high, count);
        let carried = self.with(BinOp::Shl, a.high, 1);
        let carried = self.b.binary(BinOp::Shl, carried, inverse);
        let low = self.b.binary(BinOp::LShr, a.low, count);
        let low = self.b.binary(BinOp::Or, low, carried);
        let above = match op {
            BinOp::AShr => self.sign(a),
            _ => zero,
        };
        Pair {
            low: self.b.select(far, high, low),
            high: self.b.select(far, above, high),
        }
    }

    pub(super) fn compare(&mut self, op: CmpOp, a: Pair, b: Pair) -> Value {
        let (op, a, b) = match op {
            CmpOp::SGt => (CmpOp::SLt, b, a),
            CmpOp::UGt => (CmpOp::ULt, b, a),
            CmpOp::SGe => (CmpOp::SLe, b, a),
            CmpOp::UGe => (CmpOp::ULe, b, a),
            _ => (op, a, b),
        };
        if matches!(op, CmpOp::IEq | CmpOp::INe) {
            let low = self.b.binary(BinOp::Xor, a.low, b.low);
            let high = self.b.binary(BinOp::Xor, a.high, b.high);
            let either = self.b.binary(BinOp::Or, low, high);
            return self.is(op, either, 0);
        }
        let strict = match op {
            CmpOp::SLt | CmpOp::SLe => CmpOp::SLt,
            _ => CmpOp::ULt,
        };
        let low_op = match op {
            CmpOp::SLe | CmpOp::ULe => CmpOp::ULe,
            _ => CmpOp::ULt,
        };
        let low = self.b.compare(low_op, a.low, b.low);
        let high = self.b.compare(strict, a.high, b.high);
        let same = self.b.compare(CmpOp::IEq, a.high, b.high);
        // A select of Bools is not for vectors of all devices; these operations are.
        let low = self.b.binary(BinOp::And, same, low);
        self.b.binary(BinOp::Or, high, low)
    }

    pub(super) fn intrinsic(
        &mut self,
        op: Intrinsic,
        args: &[Value],
        result: Value,
    ) -> Result<(), PassError> {
        use Intrinsic as I;
        let Some(&first) = args.first() else {
            return self.without_operands(op);
        };
        if !is_int64(self.ty(first)) {
            return Err(bug("an intrinsic with a 64-bit result").into());
        }
        let a = self.pair(first);
        let ty = self.ty(a.low);
        let each = |l: &mut Self, v: Value| l.b.value(Op::Intrinsic(op), [v], ty);
        let zero = self.b.zero(ty);
        let pair = match op {
            I::SAbs => self.absolute(a),
            I::SMin | I::SMax | I::UMin | I::UMax => {
                let b = self.pair(args[1]);
                let less = match op {
                    I::SMin | I::SMax => CmpOp::SLt,
                    _ => CmpOp::ULt,
                };
                let less = self.compare(less, a, b);
                match op {
                    I::SMin | I::UMin => self.choose(less, a, b),
                    _ => self.choose(less, b, a),
                }
            }
            I::PopCount => {
                let (low, high) = (each(self, a.low), each(self, a.high));
                let low = self.b.binary(BinOp::IAdd, low, high);
                Pair { low, high: zero }
            }
            I::Clz | I::Ctz => {
                let (near, far) = match op {
                    I::Clz => (a.high, a.low),
                    _ => (a.low, a.high),
                };
                let (first, second) = (each(self, near), each(self, far));
                let second = self.with(BinOp::IAdd, second, WORD);
                let none = self.is(CmpOp::IEq, near, 0);
                let low = self.b.select(none, second, first);
                Pair { low, high: zero }
            }
            I::BitReverse => Pair {
                low: each(self, a.high),
                high: each(self, a.low),
            },
            I::SubgroupBroadcast
            | I::SubgroupShuffle
            | I::SubgroupShuffleXor
            | I::SubgroupArith(SubgroupOp::And | SubgroupOp::Or | SubgroupOp::Xor, _) => {
                let [low, high] = [a.low, a.high].map(|word| {
                    let mut list = vec![word];
                    list.extend(&args[1..]);
                    self.b.value(Op::Intrinsic(op), list, ty)
                });
                Pair { low, high }
            }
            _ => {
                return Err(PassError::Unsupported {
                    feature: "this operation of sub-groups on 64-bit integers".into(),
                    span: self.b.span,
                    needs: "shaderInt64".into(),
                });
            }
        };
        self.pairs.set(result, pair);
        Ok(())
    }

    /// Returns the error for an intrinsic without operands that has a 64-bit result.
    fn without_operands(&self, op: Intrinsic) -> Result<(), PassError> {
        match op {
            Intrinsic::ReadClock(_) => Err(PassError::Unsupported {
                feature: "reading a clock".into(),
                span: self.b.span,
                needs: "shaderInt64".into(),
            }),
            _ => Err(bug("an intrinsic with a 64-bit result").into()),
        }
    }

    /// Returns the quotient or the remainder. Each lane is computed by a call.
    fn quotient(&mut self, op: BinOp, a: Pair, b: Pair) -> Pair {
        let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        let sign = match op {
            BinOp::SRem => Some(self.sign(a)),
            BinOp::SDiv => {
                let differ = self.b.binary(BinOp::Xor, a.high, b.high);
                Some(self.with(BinOp::AShr, differ, WORD - 1))
            }
            _ => None,
        };
        let (a, b) = match signed {
            true => (self.absolute(a), self.absolute(b)),
            false => (a, b),
        };
        let lanes = self.ty(a.low).lanes;
        let words = [a.low, a.high, b.low, b.high];
        let first = match op {
            BinOp::UDiv | BinOp::SDiv => 0,
            _ => 2,
        };
        let mut parts = Vec::new();
        for lane in 0..lanes {
            let args = match lanes {
                1 => words,
                _ => words.map(|w| self.b.extract(w, lane)),
            };
            let both = Ty::vector(Scalar::I32, 4);
            let both = self.b.value(Op::CallPure(self.divide), args, both);
            self.calls_divide = true;
            parts.push([first, first + 1].map(|n| self.b.extract(both, n)));
        }
        let pair = match parts[..] {
            [[low, high]] => Pair { low, high },
            _ => {
                let ty = self.ty(a.low);
                let low = parts.iter().map(|p| p[0]).collect();
                let high = parts.iter().map(|p| p[1]).collect();
                Pair {
                    low: self.b.construct(ty, low),
                    high: self.b.construct(ty, high),
                }
            }
        };
        match sign {
            Some(sign) => self.negate_if(sign, pair),
            None => pair,
        }
    }
}
