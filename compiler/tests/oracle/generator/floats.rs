//! Generates trees of operations on floats, and conversions of any number to integers.

use super::Generator;
use super::values::{FLOATS, INTEGERS};
use crate::arithmetic::{FLOAT_COMPARISONS, FLOAT_OPS};
use caldera_compiler::intrinsic::Intrinsic;
use caldera_compiler::ir::{BinOp, CastOp, CmpOp, Op, Scalar, Ty, UnOp, Value, eval};

/// The powers of two that bound the integer types.
const BOUNDS: [i32; 8] = [7, 8, 15, 16, 31, 32, 63, 64];

/// Returns the least and the greatest number of the type `from` that can be converted to an integer type.
fn convertible(op: CastOp, from: Scalar, to: Scalar) -> [u64; 2] {
    let bits = to.bits() as i32;
    let float = |n: f64| eval::from_f64(from, n);
    let (end, beyond) = match op {
        CastOp::FToS => (2f64.powi(bits - 1), -2f64.powi(bits - 1) - 1.0),
        _ => (2f64.powi(bits), -1.0),
    };
    // The number before the end, which may be infinite as a half.
    let most = float(end) - 1;
    let is_number = eval::to_f64(from, float(beyond)) == beyond && beyond != -2f64.powi(bits - 1);
    let least = match is_number {
        true => float(beyond) - 1,
        // The limit itself, or the least number of the type.
        false => float((beyond + 1.0).max(eval::to_f64(from, float(f64::NEG_INFINITY) - 1))),
    };
    [least, most]
}

impl Generator<'_> {
    /// Returns a number next to a limit of an integer type.
    pub(super) fn next_to_integer_limit(&mut self, scalar: Scalar) -> u64 {
        let power = 2f64.powi(self.random.of(&BOUNDS));
        let n = match self.random.below(4) {
            0 => power - 0.5,
            1 => power - 1.0,
            _ => power,
        };
        let bits = eval::from_f64(scalar, n) + self.random.below(3) as u64 - 1;
        let sign = self.random.below(2) as u64;
        bits | sign << (scalar.bits() - 1)
    }

    /// Generates the conversion of a number, of which those out of range and NaN are replaced, to an integer.
    pub(super) fn integer_of_float(&mut self, ty: Ty) -> Value {
        let from = ty.with_scalar(self.random.of(&FLOATS));
        let v = self.value(from);
        self.converted_to_integer(v, ty)
    }

    fn converted_to_integer(&mut self, v: Value, ty: Ty) -> Value {
        let from = self.b.func.ty(v);
        let op = self.random.of(&[CastOp::FToS, CastOp::FToU]);
        let limits = convertible(op, from.scalar, ty.scalar);
        let [least, most] = limits.map(|n| self.b.bits(from, n));
        let limited = match self.random.below(3) {
            // NaN becomes the lower bound.
            0 => {
                let v = self.b.value(Op::Intrinsic(Intrinsic::FMax), vec![v, least], from);
                self.b.value(Op::Intrinsic(Intrinsic::FMin), vec![v, most], from)
            }
            // NaN becomes the upper bound.
            1 => {
                let v = self.b.value(Op::Intrinsic(Intrinsic::FMin), vec![v, most], from);
                self.b.value(Op::Intrinsic(Intrinsic::FMax), vec![v, least], from)
            }
            _ => {
                let above = self.b.compare(CmpOp::FOGe, v, least);
                let below = self.b.compare(CmpOp::FOLe, v, most);
                let fits = self.b.binary(BinOp::And, above, below);
                let other = self.b.bits(from, eval::from_f64(from.scalar, 1.5));
                self.b.select(fits, v, other)
            }
        };
        self.b.cast(op, limited, ty)
    }

    /// Generates a tree of operations on floats, none of which has another use, which passes rewrite as a whole. The
    /// result is traced.
    pub(super) fn float_tree(&mut self) {
        let ty = Ty::of(self.random.of(&FLOATS));
        let depth = 2 + self.random.below(4) as u32;
        let v = self.float_subtree(ty, depth);
        self.pool.push(v);
        self.trace(v);
    }

    fn float_subtree(&mut self, ty: Ty, depth: u32) -> Value {
        let Some(less) = depth.checked_sub(1) else {
            return self.leaf(ty);
        };
        let intrinsic = |g: &mut Self, op, args| g.b.value(Op::Intrinsic(op), args, ty);
        match self.random.below(18) {
            0..=3 => {
                let (x, y) = (self.float_subtree(ty, less), self.constant(ty));
                let (x, y) = if self.random.one_in(2) { (x, y) } else { (y, x) };
                let op = self.random.of(&FLOAT_OPS);
                self.b.binary(op, x, y)
            }
            4..=5 => {
                let (x, y) = (self.float_subtree(ty, less), self.float_subtree(ty, less));
                let op = self.random.of(&FLOAT_OPS);
                self.b.binary(op, x, y)
            }
            6..=7 => {
                let x = self.float_subtree(ty, less);
                self.b.unary(UnOp::FNeg, x)
            }
            8 => {
                let x = self.float_subtree(ty, less);
                let op = self.random.of(&[
                    Intrinsic::FAbs,
                    Intrinsic::Floor,
                    Intrinsic::Ceil,
                    Intrinsic::Trunc,
                    Intrinsic::RoundEven,
                ]);
                intrinsic(self, op, vec![x])
            }
            9 => {
                let (x, y) = (self.float_subtree(ty, less), self.constant(ty));
                let args = if self.random.one_in(2) {
                    vec![x, y]
                } else {
                    vec![y, x]
                };
                let op = self.random.of(&[Intrinsic::FMin, Intrinsic::FMax]);
                intrinsic(self, op, args)
            }
            10 => {
                let args = [0; 3].map(|_| self.float_subtree(ty, less)).to_vec();
                intrinsic(self, Intrinsic::Fma, args)
            }
            11..=13 => {
                let c = self.float_subtree_condition(less);
                let (x, y) = (self.float_subtree(ty, less), self.constant(ty));
                let (x, y) = if self.random.one_in(2) { (x, y) } else { (y, x) };
                self.b.select(c, x, y)
            }
            14 => {
                let from = Ty::of(self.random.of(&FLOATS));
                let x = self.float_subtree(from, less);
                match from == ty {
                    true => x,
                    false => self.b.cast(CastOp::FConvert, x, ty),
                }
            }
            15 => {
                let x = self.integer_subtree(less);
                let op = self.random.of(&[CastOp::SToF, CastOp::UToF]);
                self.b.cast(op, x, ty)
            }
            16 => {
                let c = self.float_subtree_condition(less);
                let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
                let n = self.b.cast(op, c, Ty::I32);
                self.b.cast(CastOp::SToF, n, ty)
            }
            _ => self.changed_bits(ty, less),
        }
    }

    /// Generates a number whose sign is changed as a bit.
    fn changed_bits(&mut self, ty: Ty, depth: u32) -> Value {
        let x = self.float_subtree(ty, depth);
        let x = self.number(x);
        let integer = Ty::of(Scalar::int(ty.scalar.bits()));
        let bits = self.b.cast(CastOp::Bitcast, x, integer);
        let sign = 1 << (ty.scalar.bits() - 1);
        let (op, mask) = self
            .random
            .of(&[(BinOp::Xor, sign), (BinOp::Or, sign), (BinOp::And, sign - 1)]);
        let mask = self.b.bits(integer, mask);
        let bits = self.b.binary(op, bits, mask);
        self.b.cast(CastOp::Bitcast, bits, ty)
    }

    fn integer_subtree(&mut self, depth: u32) -> Value {
        let from = Ty::of(self.random.of(&FLOATS));
        let x = self.float_subtree(from, depth);
        let ty = Ty::of(self.random.of(&INTEGERS));
        self.converted_to_integer(x, ty)
    }

    fn float_subtree_condition(&mut self, depth: u32) -> Value {
        let ty = Ty::of(self.random.of(&FLOATS));
        let op = self.random.of(&FLOAT_COMPARISONS);
        let x = self.float_subtree(ty, depth);
        let y = match self.random.below(4) {
            0 => x,
            1 => self.float_subtree(ty, depth),
            _ => self.constant(ty),
        };
        let c = self.b.compare(op, x, y);
        match self.random.one_in(4) {
            true => self.b.unary(UnOp::Not, c),
            false => c,
        }
    }
}

/// The limits are the last numbers that the interpreter converts.
#[test]
fn the_next_numbers_are_not_convertible() {
    for (from, to) in FLOATS.iter().flat_map(|f| INTEGERS.map(|i| (*f, i))) {
        for op in [CastOp::FToS, CastOp::FToU] {
            let converts = |bits| eval::cast(op, from, to, bits).is_some();
            for limit in convertible(op, from, to) {
                assert!(converts(limit), "{op:?} {from:?} {to:?} {limit:#x}");
                assert!(!converts(limit + 1), "{op:?} {from:?} {to:?} {limit:#x}");
            }
        }
    }
}
