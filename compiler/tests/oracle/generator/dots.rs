//! Generates dot products of four bytes: as operations, and as the sums that `fuse_dot_products` looks for.

use super::Generator;
use caldera_compiler::intrinsic::{DotSigns, Intrinsic};
use caldera_compiler::ir::{BinOp, CastOp, Op, Scalar, Ty, Value};

impl Generator<'_> {
    /// Returns a dot product of the bytes of two words.
    pub(super) fn dot_product(&mut self) -> Value {
        let signs = self.random.of(&DotSigns::ALL);
        let words = [self.value(Ty::I32), self.value(Ty::I32)];
        match self.random.below(4) {
            0 => self
                .b
                .value(Op::Intrinsic(Intrinsic::PackedDot(signs)), words, Ty::I32),
            1 => {
                let args = vec![words[0], words[1], self.value(Ty::I32)];
                let op = Op::Intrinsic(Intrinsic::PackedDotAccSat(signs));
                self.b.value(op, args, Ty::I32)
            }
            _ => self.written_dot(signs, words),
        }
    }

    /// Returns a sum of products of bytes, and of another number. Now and then a place is wrong, so that the sum is no dot
    /// product.
    fn written_dot(&mut self, signs: DotSigns, words: [Value; 2]) -> Value {
        let vector = Ty::vector(Scalar::I8, 4);
        let mut terms = vec![self.value(Ty::I32)];
        let first = self.random.below(4) as u8;
        for n in 0..4u8 {
            let place = (first + n) % 4;
            let mut factors = Vec::new();
            for (word, is_signed) in words.into_iter().zip(signs.of_operands()) {
                let place = match self.random.one_in(40) {
                    true => self.random.below(4) as u8,
                    false => place,
                };
                let extend = if is_signed { CastOp::SExt } else { CastOp::ZExt };
                let byte = if self.random.one_in(2) {
                    let bytes = self.b.cast(CastOp::Bitcast, word, vector);
                    self.b.extract(bytes, place)
                } else {
                    let count = self.b.i32(8 * i32::from(place));
                    let shifted = self.b.binary(BinOp::LShr, word, count);
                    self.b.cast(CastOp::Trunc, shifted, Ty::of(Scalar::I8))
                };
                factors.push(self.b.cast(extend, byte, Ty::I32));
            }
            if self.random.one_in(2) {
                factors.reverse();
            }
            terms.push(self.b.binary(BinOp::IMul, factors[0], factors[1]));
        }
        while terms.len() > 1 {
            let [at, with] = [0; 2].map(|_| self.random.below(terms.len()));
            if at != with {
                terms[at] = self.b.binary(BinOp::IAdd, terms[at], terms[with]);
                terms.swap_remove(with);
            }
        }
        terms[0]
    }
}
