//! Generates values and operations of every type.

use super::{Generator, WORD};
use crate::arithmetic::{
    FLOAT_COMPARISONS, FLOAT_OPS, INTEGER_COMPARISONS, INTEGER_OPS, boundaries, float_boundaries,
};
use caldera_compiler::intrinsic::Intrinsic;
use caldera_compiler::ir::{BinOp, CastOp, CmpOp, Op, Scalar, Ty, UnOp, Value, eval};

pub(super) const INTEGERS: [Scalar; 4] = [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64];
pub(super) const FLOATS: [Scalar; 3] = [Scalar::F16, Scalar::F32, Scalar::F64];
const LANES: [u8; 5] = [2, 3, 4, 8, 16];

impl Generator<'_> {
    /// Returns a type of numbers, most often a 32-bit integer.
    pub(super) fn some_type(&mut self) -> Ty {
        let scalar = match self.random.below(16) {
            0..=5 => Scalar::I32,
            6..=8 => Scalar::I64,
            9..=10 => Scalar::I8,
            11..=12 => Scalar::I16,
            13 => Scalar::F32,
            14 => Scalar::F64,
            _ => self.random.of(&[Scalar::F16, Scalar::F32]),
        };
        let lanes = match self.random.below(5) {
            0 => self.random.of(&LANES),
            _ => 1,
        };
        Ty::vector(scalar, lanes)
    }

    /// Returns a type of integers.
    fn some_integer(&mut self) -> Ty {
        let ty = self.some_type();
        if ty.scalar.is_int() {
            ty
        } else {
            ty.with_scalar(self.random.of(&INTEGERS))
        }
    }

    fn lane(&mut self, scalar: Scalar) -> u64 {
        match scalar {
            Scalar::Bool => self.random.below(2) as u64,
            _ if self.random.one_in(3) => {
                let n = self.random.below(9) as i64 - 3;
                match scalar.is_float() {
                    true => eval::from_f64(scalar, n as f64 / 2.0),
                    false => eval::truncate(scalar, n as u64),
                }
            }
            _ if scalar.is_float() && self.random.one_in(3) => self.next_to_integer_limit(scalar),
            _ if scalar.is_float() => self.random.of(&float_boundaries(scalar)),
            _ if self.random.one_in(6) => self.random.bits(scalar.bits()),
            _ => self.random.of(&boundaries(scalar)),
        }
    }

    pub(super) fn constant(&mut self, ty: Ty) -> Value {
        let first = self.lane(ty.scalar);
        let same = self.random.one_in(2);
        let mut lanes = vec![first; usize::from(ty.lanes)];
        for lane in &mut lanes[1..] {
            if !same {
                *lane = self.lane(ty.scalar);
            }
        }
        self.b.lanes(ty, lanes)
    }

    /// Returns an existing value of the type.
    fn existing(&mut self, ty: Ty) -> Option<Value> {
        let start = self.random.below(self.pool.len());
        let (after, before) = (self.pool[start..].iter(), self.pool[..start].iter());
        after.chain(before).copied().find(|&v| self.b.func.ty(v) == ty)
    }

    /// Returns a number of this type.
    pub(super) fn value(&mut self, ty: Ty) -> Value {
        match self.random.below(8) {
            0..=1 => return self.constant(ty),
            2..=4 => {
                let vars: Vec<Value> = self.vars.iter().filter(|v| v.1 == ty).map(|v| v.0).collect();
                if !vars.is_empty() {
                    let var = self.random.of(&vars);
                    return self.b.load(var, ty, WORD);
                }
            }
            5 if ty == Ty::I32 => {
                let index = self.index();
                return self.b.load(index, ty, WORD);
            }
            _ => {}
        }
        match self.existing(ty) {
            Some(v) => v,
            None => self.made(ty),
        }
    }

    pub(super) fn word(&mut self) -> Value {
        self.value(Ty::I32)
    }

    /// Generates a value of the type from other values.
    fn made(&mut self, ty: Ty) -> Value {
        if ty.is_vector() {
            if self.random.one_in(2) {
                let v = self.value(Ty::of(ty.scalar));
                return self.b.splat(ty, v);
            }
            let half = Ty::vector(
                ty.scalar,
                if ty.lanes.is_multiple_of(2) {
                    ty.lanes / 2
                } else {
                    1
                },
            );
            let parts = ty.lanes / half.lanes;
            let parts = (0..parts).map(|_| self.value(half)).collect();
            return self.b.construct(ty, parts);
        }
        let word = self.existing(Ty::I32).unwrap_or_else(|| self.b.i32(5));
        self.made_of_word(word, ty)
    }

    pub(super) fn made_of_word(&mut self, word: Value, ty: Ty) -> Value {
        let either = |g: &mut Self, a, b| if g.random.one_in(2) { a } else { b };
        match ty.scalar {
            Scalar::I32 => word,
            Scalar::Bool => {
                let zero = self.b.i32(0);
                self.b.compare(CmpOp::INe, word, zero)
            }
            s if s.is_float() => {
                let op = either(self, CastOp::SToF, CastOp::UToF);
                self.b.cast(op, word, ty)
            }
            Scalar::I64 => {
                let op = either(self, CastOp::SExt, CastOp::ZExt);
                self.b.cast(op, word, ty)
            }
            _ => self.b.cast(CastOp::Trunc, word, ty),
        }
    }

    /// Generates a word that depends on all bits of a scalar, or on one lane of a vector.
    pub(super) fn word_of(&mut self, v: Value) -> Value {
        let ty = self.b.func.ty(v);
        if ty.is_vector() {
            let lane = self.random.below(ty.lanes.into()) as u8;
            let lane = self.b.extract(v, lane);
            return self.word_of(lane);
        }
        match ty.scalar {
            Scalar::I32 => v,
            Scalar::I64 => {
                let half = self.b.i64(32);
                let high = self.b.binary(BinOp::LShr, v, half);
                let both = self.b.binary(BinOp::Xor, v, high);
                self.b.cast(CastOp::Trunc, both, Ty::I32)
            }
            s if s.is_float() => {
                let v = self.number(v);
                let bits = self.b.cast(CastOp::Bitcast, v, Ty::of(Scalar::int(s.bits())));
                self.word_of(bits)
            }
            _ => {
                let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
                self.b.cast(op, v, Ty::I32)
            }
        }
    }

    /// Replaces a NaN by a number, because the bits of a NaN may differ and must not be observed.
    pub(super) fn number(&mut self, v: Value) -> Value {
        let ty = self.b.func.ty(v);
        let nan = self.b.compare(CmpOp::FUNe, v, v);
        let other = self.b.bits(ty, eval::from_f64(ty.scalar, 1.5));
        self.b.select(nan, other, v)
    }

    pub(super) fn condition(&mut self) -> Value {
        match self.random.below(12) {
            0 => {
                let v = self.random.one_in(2);
                self.b.bool(v)
            }
            1..=3 => self.value(Ty::BOOL),
            4 => {
                let lanes = self.random.of(&LANES[..3]);
                let scalar = self.random.of(&INTEGERS);
                let mask = self.comparison(Ty::vector(scalar, lanes));
                let op = self.random.of(&[Intrinsic::Any, Intrinsic::All]);
                self.b.value(Op::Intrinsic(op), vec![mask], Ty::BOOL)
            }
            5..=7 => self.comparison(Ty::I32),
            _ => {
                let ty = self.some_type();
                self.comparison(Ty::of(ty.scalar))
            }
        }
    }

    fn comparison(&mut self, ty: Ty) -> Value {
        let (x, y) = (self.value(ty), self.value(ty));
        let op = match ty.scalar.is_float() {
            true => self.random.of(&FLOAT_COMPARISONS),
            false => self.random.of(&INTEGER_COMPARISONS),
        };
        self.b.compare(op, x, y)
    }

    /// Generates a divisor that is not zero and causes no overflow.
    fn divisor(&mut self, ty: Ty) -> Value {
        if self.random.one_in(2) {
            let ones = eval::truncate(ty.scalar, u64::MAX);
            let lanes = (0..ty.lanes).map(|_| match self.lane(ty.scalar) {
                n if n == 0 || n == ones => 3,
                n => n,
            });
            let lanes = lanes.collect();
            return self.b.lanes(ty, lanes);
        }
        let v = self.value(ty);
        let one = self.b.bits(ty, 1);
        if self.random.one_in(2) {
            let positive = self.b.bits(ty, (1 << (ty.scalar.bits() - 1)) - 1);
            let v = self.b.binary(BinOp::And, v, positive);
            return self.b.binary(BinOp::Or, v, one);
        }
        // 0 and -1 are the two numbers whose successor is at most 1.
        let next = self.b.binary(BinOp::IAdd, v, one);
        let bad = self.b.compare(CmpOp::ULe, next, one);
        let other = self.b.bits(ty, 3);
        self.b.select(bad, other, v)
    }

    fn arithmetic(&mut self, ty: Ty) -> Value {
        let x = self.value(ty);
        if ty.scalar.is_float() {
            let y = self.value(ty);
            let op = self.random.of(&FLOAT_OPS);
            return self.b.binary(op, x, y);
        }
        let op = self.random.of(&INTEGER_OPS);
        let y = match op {
            BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => self.divisor(ty),
            _ => self.value(ty),
        };
        self.b.binary(op, x, y)
    }

    fn intrinsic(&mut self, ty: Ty) -> Value {
        if self.random.one_in(4) {
            // Some drivers do not support these operations on doubles.
            let op = self.random.of(&[Intrinsic::RoundEven, Intrinsic::Trunc]);
            let v = self.value(Ty::F64);
            return self.b.value(Op::Intrinsic(op), vec![v], Ty::F64);
        }
        if ty == Ty::I32 && self.random.one_in(4) {
            return self.dot_product();
        }
        let one = [
            Intrinsic::SAbs,
            Intrinsic::PopCount,
            Intrinsic::Clz,
            Intrinsic::Ctz,
            Intrinsic::BitReverse,
        ];
        let two = [
            Intrinsic::SMin,
            Intrinsic::SMax,
            Intrinsic::UMin,
            Intrinsic::UMax,
            Intrinsic::UMulHigh,
            Intrinsic::SMulHigh,
        ];
        let rounding = [
            Intrinsic::FAbs,
            Intrinsic::Floor,
            Intrinsic::Ceil,
            Intrinsic::Trunc,
            Intrinsic::RoundEven,
            Intrinsic::Sqrt,
        ];
        let extremes = [Intrinsic::FMin, Intrinsic::FMax];
        let (op, count) = match (ty.scalar.is_float(), self.random.below(3)) {
            (true, 0) => (self.random.of(&extremes), 2),
            (true, 1) => (self.random.of(&[Intrinsic::Fma, Intrinsic::MultiplyAdd]), 3),
            (true, _) => (self.random.of(&rounding), 1),
            (false, 0) => (self.random.of(&one), 1),
            // The library computes the high half of a product of 64-bit numbers, so there is no such
            // intrinsic.
            (false, _) => (
                self.random
                    .of(&two[..if ty.scalar == Scalar::I64 { 4 } else { 6 }]),
                2,
            ),
        };
        let args: Vec<Value> = (0..count).map(|_| self.value(ty)).collect();
        self.b.value(Op::Intrinsic(op), args, ty)
    }

    fn cast(&mut self, ty: Ty) -> Value {
        let other = match ty.scalar.is_float() {
            true => self.random.of(&FLOATS),
            false => self.random.of(&INTEGERS),
        };
        let from = ty.with_scalar(other);
        match (ty.scalar.is_float(), self.random.below(4)) {
            (_, 0) => self.bitcast(ty),
            (true, 1..=2) => {
                let from = ty.with_scalar(self.random.of(&INTEGERS));
                let v = self.value(from);
                let op = self.random.of(&[CastOp::SToF, CastOp::UToF]);
                self.b.cast(op, v, ty)
            }
            (true, _) if from != ty => {
                let v = self.value(from);
                self.b.cast(CastOp::FConvert, v, ty)
            }
            (false, 1) => self.integer_of_float(ty),
            (false, 2) => {
                let v = self.comparison(from);
                let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
                self.b.cast(op, v, ty)
            }
            (false, _) if from != ty => {
                let v = self.value(from);
                let op = match other.bits() > ty.scalar.bits() {
                    true => CastOp::Trunc,
                    false => self.random.of(&[CastOp::SExt, CastOp::ZExt]),
                };
                self.b.cast(op, v, ty)
            }
            _ => self.value(ty),
        }
    }

    /// Generates a bitcast of a value of the same size.
    fn bitcast(&mut self, ty: Ty) -> Value {
        let bytes = ty.bytes();
        let fits = |s: &Scalar| {
            let lanes = bytes / s.bytes();
            bytes.is_multiple_of(s.bytes()) && (lanes == 1 || LANES.contains(&(lanes as u8)))
        };
        let all = [&INTEGERS[..], &FLOATS[..]].concat();
        let fitting: Vec<Scalar> = all.into_iter().filter(fits).collect();
        let scalar = self.random.of(&fitting);
        let from = Ty::vector(scalar, (bytes / scalar.bytes()) as u8);
        let mut v = self.value(from);
        if from == ty {
            return v;
        }
        if scalar.is_float() {
            v = self.number(v);
        }
        self.b.cast(CastOp::Bitcast, v, ty)
    }

    /// Generates an operation that moves lanes.
    fn lanes(&mut self, ty: Ty) -> Value {
        if !ty.is_vector() {
            let lanes = self.random.of(&LANES);
            let vector = Ty::vector(ty.scalar, lanes);
            let v = self.value(vector);
            if self.random.one_in(3) && lanes != 3 {
                let lane = self.dynamic_lane(lanes);
                return self.b.extract_dynamic(v, lane);
            }
            let lane = self.random.below(lanes.into()) as u8;
            return self.b.extract(v, lane);
        }
        let one = Ty::of(ty.scalar);
        match self.random.below(4) {
            0 => {
                let (v, scalar) = (self.value(ty), self.value(one));
                if self.random.one_in(2) && ty.lanes != 3 {
                    let lane = self.dynamic_lane(ty.lanes);
                    return self.b.insert_dynamic(v, scalar, lane);
                }
                let lane = self.random.below(ty.lanes.into()) as u8;
                self.b.insert_lane(v, scalar, lane)
            }
            1..=2 => {
                let from = Ty::vector(ty.scalar, self.random.of(&LANES));
                let (x, y) = (self.value(from), self.value(from));
                let mask = (0..ty.lanes).map(|_| self.random.below(2 * usize::from(from.lanes)) as u8);
                let mask = mask.collect();
                self.b.shuffle(x, y, mask)
            }
            _ => self.made(ty),
        }
    }

    fn dynamic_lane(&mut self, lanes: u8) -> Value {
        let v = self.word();
        let mask = self.b.i32(i32::from(lanes) - 1);
        self.b.binary(BinOp::And, v, mask)
    }

    /// Generates any operation, and adds its result to the pool.
    pub(super) fn operation(&mut self) -> Value {
        let ty = self.some_type();
        match self.random.below(48) {
            0 | 1 => return self.rotation(),
            2 => return self.bytes_of_words(),
            _ => {}
        }
        let v = match self.random.below(15) {
            0..=4 => self.arithmetic(ty),
            5 => {
                let op = match ty.scalar.is_float() {
                    true => UnOp::FNeg,
                    false => self.random.of(&[UnOp::INeg, UnOp::Not]),
                };
                let v = self.value(ty);
                self.b.unary(op, v)
            }
            6 => {
                let c = self.condition();
                let (x, y) = (self.value(ty), self.value(ty));
                self.b.select(c, x, y)
            }
            7 => {
                let mask = self.comparison(ty);
                let (x, y) = (self.value(ty), self.value(ty));
                self.b.select(mask, x, y)
            }
            8..=9 => self.cast(ty),
            10 | 13 => self.intrinsic(ty),
            11 => self.lanes(ty),
            12 => self.truth(),
            _ => {
                // Chains of one operation with constants, which folding combines.
                let ty = self.some_integer();
                let mut v = self.value(ty);
                let op = self.random.of(&INTEGER_OPS);
                for _ in 0..1 + self.random.below(3) {
                    let op = if self.random.one_in(3) {
                        self.random.of(&INTEGER_OPS)
                    } else {
                        op
                    };
                    let c = match op {
                        BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => self.divisor(ty),
                        _ => self.constant(ty),
                    };
                    v = self.b.binary(op, v, c);
                }
                v
            }
        };
        self.pool.push(v);
        v
    }

    /// Generates two shifts in opposite directions, which are a rotation if the bits fit.
    fn rotation(&mut self) -> Value {
        let ty = self.some_integer();
        let ty = match self.random.one_in(2) {
            true => Ty {
                scalar: Scalar::I64,
                ..ty
            },
            false => ty,
        };
        let bits = u64::from(ty.scalar.bytes() * 8);
        let left = 1 + self.random.below(bits as usize - 1) as u64;
        let right = bits - left + u64::from(self.random.one_in(8) && left > 1);
        let x = self.value(ty);
        let y = if self.random.one_in(3) { self.value(ty) } else { x };
        let (left, right) = (self.b.bits(ty, left), self.b.bits(ty, right));
        let shifted = [
            self.b.binary(BinOp::Shl, x, left),
            self.b.binary(BinOp::LShr, y, right),
        ];
        let op = self.random.of(&[BinOp::Or, BinOp::Or, BinOp::Xor, BinOp::IAdd]);
        let n = self.random.below(2);
        let v = self.b.binary(op, shifted[n], shifted[1 - n]);
        self.pool.push(v);
        v
    }

    /// Generates a number that is put together from bytes, or halves, of two others.
    fn bytes_of_words(&mut self) -> Value {
        let (scalar, ty) = self.random.of(&[
            (Scalar::I8, Ty::I32),
            (Scalar::I16, Ty::I32),
            (Scalar::I16, Ty::I64),
        ]);
        let vector = Ty::vector(scalar, (ty.bytes() / scalar.bytes()) as u8);
        let words = [self.value(ty), self.value(ty)].map(|v| self.b.cast(CastOp::Bitcast, v, vector));
        let lanes = usize::from(vector.lanes);
        let v = match self.random.one_in(2) {
            true => {
                let list = (0..lanes).map(|_| self.random.below(2 * lanes) as u8).collect();
                self.b.value(Op::Shuffle(list), words.to_vec(), vector)
            }
            false => {
                let number = self.value(Ty::of(scalar));
                let parts = (0..lanes).map(|_| match self.random.below(4) {
                    0 => number,
                    1 => self.constant(Ty::of(scalar)),
                    n => self.b.extract(words[n - 2], self.random.below(lanes) as u8),
                });
                let parts = parts.collect();
                self.b.construct(vector, parts)
            }
        };
        let v = self.b.cast(CastOp::Bitcast, v, ty);
        self.pool.push(v);
        v
    }

    /// Generates a product and a sum of small whole numbers, whose result is the same with one rounding or
    /// two.
    pub(super) fn contracted(&mut self) {
        let scalar = self
            .random
            .of(&[Scalar::F32, Scalar::F32, Scalar::F64, Scalar::F16]);
        let ty = Ty::of(scalar);
        let [x, y, z] = [0, 1, 2].map(|_| {
            let (v, mask) = (self.word(), self.b.i32(15));
            let v = self.b.binary(BinOp::And, v, mask);
            self.b.cast(CastOp::SToF, v, ty)
        });
        let outer = self.b.fp;
        self.b.fp.contract = true;
        let product = self.b.binary(BinOp::FMul, x, y);
        let op = self.random.of(&[BinOp::FAdd, BinOp::FSub]);
        let v = match self.random.one_in(2) {
            true => self.b.binary(op, product, z),
            false => self.b.binary(op, z, product),
        };
        self.b.fp = outer;
        self.pool.push(v);
    }

    /// Generates a tree of operations on integers, none of which has another use, which passes rewrite as a
    /// whole. The result is traced.
    pub(super) fn tree(&mut self) {
        let scalar = self.random.of(&INTEGERS);
        let depth = 2 + self.random.below(4) as u32;
        let v = self.subtree(Ty::of(scalar), depth);
        self.pool.push(v);
        self.trace(v);
    }

    fn subtree(&mut self, ty: Ty, depth: u32) -> Value {
        let Some(less) = depth.checked_sub(1) else {
            return self.leaf(ty);
        };
        match self.random.below(14) {
            0..=4 => {
                let op = self.random.of(&INTEGER_OPS);
                let x = self.subtree(ty, less);
                let c = match op {
                    BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => self.divisor(ty),
                    _ => self.constant(ty),
                };
                self.b.binary(op, x, c)
            }
            5..=6 => {
                let op = self.random.of(&[
                    BinOp::IAdd,
                    BinOp::ISub,
                    BinOp::IMul,
                    BinOp::And,
                    BinOp::Or,
                    BinOp::Xor,
                ]);
                let (x, y) = (self.subtree(ty, less), self.subtree(ty, less));
                self.b.binary(op, x, y)
            }
            7..=9 => {
                let other = self.random.of(&INTEGERS);
                let x = self.subtree(Ty::of(other), less);
                match other.bits().cmp(&ty.scalar.bits()) {
                    std::cmp::Ordering::Equal => x,
                    std::cmp::Ordering::Less => {
                        let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
                        self.b.cast(op, x, ty)
                    }
                    std::cmp::Ordering::Greater => self.b.cast(CastOp::Trunc, x, ty),
                }
            }
            10 => {
                let c = self.subtree_condition(less);
                let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
                self.b.cast(op, c, ty)
            }
            11 => {
                let c = self.subtree_condition(less);
                let (x, y) = (self.subtree(ty, less), self.subtree(ty, less));
                self.b.select(c, x, y)
            }
            12 => {
                let x = self.subtree(ty, less);
                let op = self.random.of(&[UnOp::INeg, UnOp::Not]);
                self.b.unary(op, x)
            }
            _ => {
                let op = self.random.of(&[
                    Intrinsic::SMin,
                    Intrinsic::SMax,
                    Intrinsic::UMin,
                    Intrinsic::UMax,
                    Intrinsic::SAbs,
                    Intrinsic::PopCount,
                    Intrinsic::Clz,
                    Intrinsic::Ctz,
                ]);
                let mut args = vec![self.subtree(ty, less)];
                if matches!(
                    op,
                    Intrinsic::SMin | Intrinsic::SMax | Intrinsic::UMin | Intrinsic::UMax
                ) {
                    args.push(self.constant(ty));
                }
                self.b.value(Op::Intrinsic(op), args, ty)
            }
        }
    }

    fn subtree_condition(&mut self, depth: u32) -> Value {
        let ty = Ty::of(self.random.of(&INTEGERS));
        let op = self.random.of(&INTEGER_COMPARISONS);
        let x = self.subtree(ty, depth);
        let y = match self.random.one_in(2) {
            true => self.constant(ty),
            false => self.subtree(ty, depth),
        };
        self.b.compare(op, x, y)
    }

    /// Returns a number about which nothing is known.
    pub(super) fn leaf(&mut self, ty: Ty) -> Value {
        if self.random.one_in(8) {
            return self.constant(ty);
        }
        if let Some(base) = self.constant.filter(|_| self.random.one_in(2)) {
            let at = 8 * self.random.below(16) as i64;
            let place = self.b.ptr_offset(base, at);
            return self.b.load(place, ty, WORD);
        }
        match self.existing(ty) {
            Some(v) => v,
            None => self.made(ty),
        }
    }

    /// Generates a bool from others.
    fn truth(&mut self) -> Value {
        let (x, y) = (self.condition(), self.condition());
        match self.random.below(6) {
            0 => self.b.unary(UnOp::Not, x),
            1 => self.b.compare(CmpOp::IEq, x, y),
            2 => self.b.compare(CmpOp::INe, x, y),
            n => {
                let op = [BinOp::And, BinOp::Or, BinOp::Xor][n - 3];
                self.b.binary(op, x, y)
            }
        }
    }

    /// Generates arithmetic or comparisons in 64 bits whose result is narrowed to 32.
    pub(super) fn wide(&mut self) {
        let mut sides = [0, 1].map(|_| {
            let v = self.word();
            let v = if self.random.one_in(3) {
                let mask = self.b.i32(255);
                self.b.binary(BinOp::And, v, mask)
            } else {
                v
            };
            let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
            self.b.cast(op, v, Ty::I64)
        });
        for _ in 0..self.random.below(3) {
            if self.random.one_in(3) {
                sides[1] = self.constant(Ty::I64);
            }
            let op = self.random.of(&INTEGER_OPS);
            let side = match op {
                BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => self.divisor(Ty::I64),
                _ => sides[1],
            };
            sides[0] = self.b.binary(op, sides[0], side);
        }
        let [x, y] = sides;
        let v = if self.random.one_in(3) {
            let op = self.random.of(&INTEGER_COMPARISONS);
            let c = self.b.compare(op, x, y);
            self.b.cast(CastOp::ZExt, c, Ty::I32)
        } else {
            self.b.cast(CastOp::Trunc, x, Ty::I32)
        };
        let v = if self.random.one_in(4) {
            let divisor = self.b.i32(1 << self.random.below(5));
            let op = self.random.of(&[BinOp::SDiv, BinOp::SRem]);
            self.b.binary(op, v, divisor)
        } else {
            v
        };
        self.pool.push(v);
    }
}
