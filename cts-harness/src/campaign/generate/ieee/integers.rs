//! Generates integer expressions: what floats become, and what floats are made of.

use super::super::choices::Choices;
use super::integer_terms::{FUNCTIONS, OPERATORS, UNARY, low_bits};
use super::terms::{MODES, Term, range};
use super::{FloatGenerator, Numbers};
use crate::float_format::Rounding;
use crate::types::{INT, Type, float, int};

impl FloatGenerator {
    /// Returns an int that is often a small one.
    pub(super) fn small_integer(&mut self, n: usize, d: usize) -> Term {
        let ty = int(32, true, n);
        match self.below(3) {
            0 => self.integer(ty, d),
            1 => {
                let from = int(8, true, n);
                let a = self.integer(from, d);
                self.numbers.conversion(ty, &a, "", false)
            }
            _ => self.integer_literal(ty),
        }
    }

    pub(super) fn integer_operation(&mut self, ty: Type, d: usize) -> Option<Term> {
        let numbers = self.numbers;
        let sizes = self.numbers.float_sizes();
        Some(match self.below(22) {
            0..5 => {
                let from = float(self.pick(&sizes), ty.n);
                let a = self.float(from, d);
                let (mode, saturated) = (self.pick(&MODES), self.one_in(2));
                return Some(self.integer_of(ty, &a, mode, saturated));
            }
            5..7 => {
                if !sizes.contains(&ty.bits()) {
                    return None;
                }
                let a = self.float(float(ty.bits(), ty.n), d);
                return Some(self.bits_of(ty, &a));
            }
            7 if ty.is_signed() && ty.n > 1 && sizes.contains(&ty.bits()) => {
                self.mask(float(ty.bits(), ty.n), d)
            }
            7 if ty == INT => self.condition(d),
            8 if ty.bits() == 32 && ty.is_signed() => {
                let from = float(self.pick(&sizes), ty.n);
                let a = self.float(from, d);
                let logarithm = numbers.integer_logarithm(&a);
                match logarithm.is_good(self.gaps) {
                    true => logarithm,
                    false => {
                        let condition = numbers.test("isnormal", &a);
                        let condition = match ty.n {
                            1 => condition,
                            _ => numbers.conversion(ty, &condition, "", false),
                        };
                        let other = self.integer_literal(ty);
                        Numbers::choice(&condition, &logarithm, &other, false)
                    }
                }
            }
            9 | 10 => {
                let op = match self.below(3) {
                    0 => self.pick(&FUNCTIONS),
                    _ if ty.is_signed() => self.pick(&OPERATORS[3..]),
                    _ => self.pick(&OPERATORS),
                };
                let a = self.integer(ty, d);
                let b = match self.one_in(2) {
                    true => self.integer(ty, d),
                    false => self.integer_literal(ty),
                };
                numbers.integers(op, &a, &b)
            }
            11 => {
                let op = if ty.is_signed() {
                    ">>"
                } else {
                    self.pick(&["<<", ">>"])
                };
                let by = self.below(ty.bits() as usize);
                let a = self.integer(ty, d);
                numbers.shift(op, &a, by as u32)
            }
            12 if !ty.is_signed() && sizes.contains(&ty.bits()) => return self.punned(ty, d),
            13 | 14 if ty.n == 1 => {
                let sum = self.truth_sum(d);
                numbers.conversion(ty, &sum, "", false)
            }
            13 | 14 if ty.is_signed() && sizes.contains(&ty.bits()) => {
                let op = self.pick(&OPERATORS[3..]);
                let (truth, a) = (self.mask(float(ty.bits(), ty.n), d), self.integer(ty, d));
                numbers.integers(op, &truth, &a)
            }
            15 => {
                let op = self.pick(&UNARY);
                let a = self.integer(ty, d);
                numbers.integer_unary(op, &a)
            }
            16 if sizes.contains(&ty.bits()) => self.field(ty, d),
            17 | 18 if ty.n == 1 => {
                let condition = self.condition(d);
                let (a, b) = (self.integer(ty, d), self.integer_leaf(ty));
                Numbers::choice(&condition, &a, &b, false)
            }
            17 | 18 if sizes.contains(&ty.bits()) => {
                let condition = self.mask(float(ty.bits(), ty.n), d);
                let (a, b) = (self.integer(ty, d), self.integer_leaf(ty));
                let as_function = self.one_in(2);
                Numbers::choice(&condition, &a, &b, as_function)
            }
            _ => {
                let from = self.integer_type(ty.n);
                let a = self.integer(from, d);
                let saturated = self.one_in(2);
                numbers.conversion(ty, &a, "", saturated)
            }
        })
    }

    /// Returns the conversion of a float to an integer. If it is undefined for some values, a comparison with the type's range
    /// chooses another value for them.
    fn integer_of(&mut self, ty: Type, a: &Term, mode: &str, saturated: bool) -> Term {
        let numbers = self.numbers;
        let mut converted = numbers.conversion(ty, a, mode, saturated);
        if ty.n == 1 && mode.is_empty() && !saturated && self.one_in(2) {
            converted.text = ty.cast(&a.text);
        }
        if converted.is_good(self.gaps) || ty.n > 1 {
            return converted;
        }
        let f = a.format();
        let (least, greatest) = range(ty);
        // Rounded towards zero, so that they are within the range.
        let bound = |x: i128| f.rounded_integer(x, Rounding::Zero);
        let mut limit = |x: i128| {
            let x = bound(x);
            let text = self.literal_text(f, x);
            Term::constant(text, a.ty, &[x])
        };
        let (low, high) = (limit(least), limit(greatest));
        let condition = numbers.logical(
            "&&",
            &numbers.comparison(">=", a, &low),
            &numbers.comparison("<=", a, &high),
        );
        let other = self.integer_leaf(ty);
        Numbers::choice(&condition, &converted, &other, false)
    }

    /// Returns the bits of a float. Those of NaN are replaced by others.
    fn bits_of(&mut self, ty: Type, a: &Term) -> Term {
        let numbers = self.numbers;
        let bits = numbers.reinterpretation(ty, a);
        if bits.is_good(self.gaps) {
            return bits;
        }
        let test = match self.below(3) {
            0 => numbers.comparison("!=", a, a),
            1 => numbers.comparison("isunordered", a, a),
            _ => numbers.test("isnan", a),
        };
        let other = self.integer_leaf(ty);
        Numbers::choice(&test, &other, &bits, false)
    }

    /// Returns a number that consists of truth values.
    fn truth_sum(&mut self, d: usize) -> Term {
        let count = 1 + self.below(3);
        let truths: Vec<(Term, i32)> = (0..count)
            .map(|_| (self.condition(d), self.pick(&[1, 1, 2, 4, 8, -1, -2, 1000])))
            .collect();
        self.numbers.truth_sum(&truths)
    }

    /// Returns bits of a float: the exponent, the sign or the fraction.
    fn field(&mut self, ty: Type, d: usize) -> Term {
        let numbers = self.numbers;
        let a = self.float(float(ty.bits(), ty.n), d);
        let bits = self.bits_of(ty, &a);
        let f = a.format();
        let shift = self.pick(&[0, f.fraction(), f.bits - 1, f.bits / 2]);
        let shifted = match shift {
            0 => bits,
            _ => numbers.shift(">>", &bits, shift),
        };
        if self.one_in(3) {
            return shifted;
        }
        let width = self.pick(&[1, f.bits - 1 - f.fraction(), f.fraction(), f.bits / 2]);
        let mask = Self::integer_constant(ty, low_bits(ty, width));
        numbers.integers("&", &shifted, &mask)
    }
}
