//! The function that divides unsigned 64-bit integers.
//!
//! The algorithm is that of Hacker's Delight, chapter 9: a division of two words by one takes two divisions of a word
//! by half a word, each of whose results is at most two too large. A divisor of two words is replaced by its first 32
//! bits, so that the quotient is at most one too large.
//!
//! The quotients by half a word have at most 17 bits. They are estimated in floats, which is quick on all devices, while
//! few have an instruction that divides integers. Vulkan's division is wrong by at most 2.5 units in the last of 24 bits,
//! so that such an estimate is wrong by at most one.

use super::arith::WORD;
use crate::intrinsic::Intrinsic;
use crate::ir::{BinOp, Builder, CastOp, CmpOp, Function, Linkage, Op, Scalar, Ty, UnOp, Value};

/// The bits of half a word.
const HALF: u32 = 16;

/// A divisor whose first bit is set, in halves, and two divided by the high half as a float.
struct Divisor {
    low: Value,
    high: Value,
    reciprocal: Value,
}

/// The function under construction.
struct Divide<'f> {
    b: Builder<'f>,
}

/// Returns the function. Its parameters are the low and the high word of the dividend, then those of the divisor. Its
/// result has the low and the high word of the quotient, then those of the remainder. If the divisor is 0, the result
/// is any number.
pub(super) fn function() -> Function {
    let result = Ty::vector(Scalar::I32, 4);
    let mut func = Function::new("divide_int64", &[Ty::I32; 4], Some(result));
    func.linkage = Linkage::Static;
    let [a_low, a_high, b_low, b_high] = [0, 1, 2, 3].map(|n| func.params[n]);
    let body = func.body;
    let mut d = Divide {
        b: Builder::at_end(&mut func, body),
    };
    // The only division of integers: that of the low words if there are no others, or else that of the high word of the
    // dividend. No divisor is 0 unless the function's is.
    let high = d.op(BinOp::Or, a_high, b_high);
    let small = d.is(CmpOp::IEq, high, 0);
    let short = d.is(CmpOp::IEq, b_high, 0);
    let dividend = d.b.select(small, a_low, a_high);
    let divisor = d.b.select(short, b_low, b_high);
    let quotient = d.op(BinOp::UDiv, dividend, divisor);
    let product = d.op(BinOp::IMul, quotient, divisor);
    let rest = d.op(BinOp::ISub, dividend, product);
    let zero = d.b.i32(0);
    let (choice, word, words) = d.b.if_(small, &[result]);
    d.b.enter(word);
    let all = d.b.construct(result, vec![quotient, zero, rest, zero]);
    d.b.exit(choice, vec![all]);
    d.b.leave();
    d.b.enter(words);
    let all = d.two_words([a_low, a_high], [b_low, b_high], [quotient, rest]);
    let all = d.b.construct(result, all.to_vec());
    d.b.exit(choice, vec![all]);
    d.b.leave();
    let all = d.b.results(choice)[0];
    d.b.ret(Some(all));
    func
}

impl Divide<'_> {
    fn op(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        self.b.binary(op, a, b)
    }

    /// Emits an operation with a constant.
    fn with(&mut self, op: BinOp, a: Value, bits: u32) -> Value {
        let bits = self.b.i32(bits as i32);
        self.b.binary(op, a, bits)
    }

    /// Emits a comparison with a constant.
    fn is(&mut self, op: CmpOp, a: Value, bits: u32) -> Value {
        let bits = self.b.i32(bits as i32);
        self.b.compare(op, a, bits)
    }

    /// Returns 1 if the condition is true, otherwise 0.
    fn number(&mut self, condition: Value) -> Value {
        let (one, zero) = (self.b.i32(1), self.b.i32(0));
        self.b.select(condition, one, zero)
    }

    /// Returns the high word of `high:low` shifted to the left by less than 32 bits.
    fn shifted(&mut self, high: Value, low: Value, count: Value) -> Value {
        let high = self.op(BinOp::Shl, high, count);
        let inverse = self.b.unary(UnOp::Not, count);
        let carried = self.with(BinOp::LShr, low, 1);
        let carried = self.op(BinOp::LShr, carried, inverse);
        self.op(BinOp::Or, high, carried)
    }

    /// Returns the words of the quotient, then those of the remainder. If the divisor has one word, `first` is the quotient
    /// of the high word of the dividend by it, and the remainder.
    fn two_words(&mut self, a: [Value; 2], b: [Value; 2], first: [Value; 2]) -> [Value; 4] {
        let zero = self.b.i32(0);
        let short = self.is(CmpOp::IEq, b[1], 0);
        // A divisor of one word: the quotient of the high words is the high word. What remains is less than the
        // divisor, so that the quotient of this and the low word is one word.
        let [first, rest] = first;
        // A divisor of two words: half the dividend by the first 32 bits of the divisor.
        let zeros = self.b.value(Op::Intrinsic(Intrinsic::Clz), [b[1]], Ty::I32);
        let top = self.shifted(b[1], b[0], zeros);
        let half_high = self.with(BinOp::LShr, a[1], 1);
        let half_low = self.with(BinOp::LShr, a[0], 1);
        let carried = self.with(BinOp::Shl, a[1], WORD - 1);
        let half_low = self.op(BinOp::Or, half_low, carried);
        let dividend = [
            self.b.select(short, a[0], half_low),
            self.b.select(short, rest, half_high),
        ];
        let divisor = self.b.select(short, b[0], top);
        let quotient = self.two_words_by_one(dividend, divisor);
        // Undo the shifts, and make the quotient correct or one too small.
        let back = self.b.unary(UnOp::Not, zeros);
        let scaled = self.op(BinOp::LShr, quotient, back);
        let any = self.is(CmpOp::INe, scaled, 0);
        let one = self.number(any);
        let scaled = self.op(BinOp::ISub, scaled, one);
        let low = self.b.select(short, quotient, scaled);
        let high = self.b.select(short, first, zero);
        // The remainder fits into two words, so only these of each product count.
        let product_low = self.op(BinOp::IMul, low, b[0]);
        let product_high = Op::Intrinsic(Intrinsic::UMulHigh);
        let product_high = self.b.value(product_high, [low, b[0]], Ty::I32);
        let cross = self.op(BinOp::IMul, low, b[1]);
        let product_high = self.op(BinOp::IAdd, product_high, cross);
        let cross = self.op(BinOp::IMul, high, b[0]);
        let product_high = self.op(BinOp::IAdd, product_high, cross);
        let rest = self.subtract(a, [product_low, product_high]);
        // The last correction.
        let above = self.b.compare(CmpOp::UGt, rest[1], b[1]);
        let equal = self.b.compare(CmpOp::IEq, rest[1], b[1]);
        let not_below = self.b.compare(CmpOp::UGe, rest[0], b[0]);
        let not_below = self.op(BinOp::And, equal, not_below);
        let again = self.op(BinOp::Or, above, not_below);
        let one = self.number(again);
        let low = self.op(BinOp::IAdd, low, one);
        let less = [0, 1].map(|n| self.b.select(again, b[n], zero));
        let rest = self.subtract(rest, less);
        [low, high, rest[0], rest[1]]
    }

    fn subtract(&mut self, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
        let low = self.op(BinOp::ISub, a[0], b[0]);
        let borrows = self.b.compare(CmpOp::ULt, a[0], b[0]);
        let borrow = self.number(borrows);
        let high = self.op(BinOp::ISub, a[1], b[1]);
        [low, self.op(BinOp::ISub, high, borrow)]
    }

    /// Divides two words by one that is greater than the high word of the dividend.
    fn two_words_by_one(&mut self, a: [Value; 2], b: Value) -> Value {
        let zeros = self.b.value(Op::Intrinsic(Intrinsic::Clz), [b], Ty::I32);
        let b = self.op(BinOp::Shl, b, zeros);
        let high = self.shifted(a[1], a[0], zeros);
        let low = self.op(BinOp::Shl, a[0], zeros);
        let top = self.with(BinOp::LShr, b, HALF);
        let two = self.b.f32(2.0);
        let float = self.b.cast(CastOp::SToF, top, Ty::F32);
        let divisor = Divisor {
            low: self.with(BinOp::And, b, 0xffff),
            high: top,
            reciprocal: self.b.binary(BinOp::FDiv, two, float),
        };
        let next = self.with(BinOp::LShr, low, HALF);
        let first = self.half_of_quotient(high, next, &divisor);
        // What remains, with the next half word of the dividend.
        let rest = self.with(BinOp::Shl, high, HALF);
        let rest = self.op(BinOp::IAdd, rest, next);
        let product = self.op(BinOp::IMul, first, b);
        let rest = self.op(BinOp::ISub, rest, product);
        let next = self.with(BinOp::And, low, 0xffff);
        let second = self.half_of_quotient(rest, next, &divisor);
        let first = self.with(BinOp::Shl, first, HALF);
        self.op(BinOp::IAdd, first, second)
    }

    /// Returns the quotient of a word by the high half of a divisor, and the remainder.
    fn by_half(&mut self, word: Value, divisor: &Divisor) -> [Value; 2] {
        // Half of the word is a signed integer.
        let half = self.with(BinOp::LShr, word, 1);
        let float = self.b.cast(CastOp::SToF, half, Ty::F32);
        let estimate = self.b.binary(BinOp::FMul, float, divisor.reciprocal);
        let estimate = self.b.cast(CastOp::FToS, estimate, Ty::I32);
        let product = self.op(BinOp::IMul, estimate, divisor.high);
        let rest = self.op(BinOp::ISub, word, product);
        let zero = self.b.i32(0);
        let negative = self.is(CmpOp::SLt, rest, 0);
        let one = self.number(negative);
        let quotient = self.op(BinOp::ISub, estimate, one);
        let more = self.b.select(negative, divisor.high, zero);
        let rest = self.op(BinOp::IAdd, rest, more);
        let large = self.b.compare(CmpOp::UGe, rest, divisor.high);
        let one = self.number(large);
        let quotient = self.op(BinOp::IAdd, quotient, one);
        let less = self.b.select(large, divisor.high, zero);
        [quotient, self.op(BinOp::ISub, rest, less)]
    }

    /// Returns half a word of a quotient: that of a word and the next half word.
    fn half_of_quotient(&mut self, word: Value, next: Value, divisor: &Divisor) -> Value {
        let [mut quotient, mut rest] = self.by_half(word, divisor);
        for _ in 0..2 {
            // Once what remains has more than half a word, the quotient is right.
            let counts = self.is(CmpOp::ULt, rest, 1 << HALF);
            let large = self.is(CmpOp::UGe, quotient, 1 << HALF);
            let product = self.op(BinOp::IMul, quotient, divisor.low);
            let limit = self.with(BinOp::Shl, rest, HALF);
            let limit = self.op(BinOp::Or, limit, next);
            let exceeds = self.b.compare(CmpOp::UGt, product, limit);
            let wrong = self.op(BinOp::Or, large, exceeds);
            let wrong = self.op(BinOp::And, wrong, counts);
            let one = self.number(wrong);
            quotient = self.op(BinOp::ISub, quotient, one);
            let zero = self.b.i32(0);
            let more = self.b.select(wrong, divisor.high, zero);
            rest = self.op(BinOp::IAdd, rest, more);
        }
        quotient
    }
}
