//! Generates float expressions.

use super::super::choices::Choices;
use super::program::Made;
use super::terms::{BINARY, MODES, TERNARY, Term, UNARY};
use super::{FloatGenerator, ITEMS, MOSTLY_SHORT, Numbers, WIDTHS};
use crate::types::{Type, float, int};

/// How often another operation is tried if the values of one are not defined.
const ATTEMPTS: usize = 6;

impl FloatGenerator {
    pub(super) fn float_type(&mut self) -> Type {
        let sizes = self.numbers.float_sizes();
        let bits = if self.one_in(3) { 32 } else { self.pick(&sizes) };
        let n = self.width_of(&MOSTLY_SHORT);
        float(bits, n)
    }

    pub(super) fn integer_type(&mut self, n: usize) -> Type {
        let (bits, signed) = (self.pick(&[8, 16, 32, 32, 64]), self.one_in(2));
        int(bits, signed, n)
    }

    /// Returns a random expression of a float type, whose values are all defined.
    pub(super) fn float(&mut self, ty: Type, depth: usize) -> Term {
        self.attempt(ty, depth, Self::float_operation, Self::float_leaf)
    }

    /// Returns a random expression of an integer type, whose values are all defined.
    pub(super) fn integer(&mut self, ty: Type, depth: usize) -> Term {
        self.attempt(ty, depth, Self::integer_operation, Self::integer_leaf)
    }

    /// Tries operations until the values of one are defined.
    fn attempt(
        &mut self,
        ty: Type,
        depth: usize,
        operation: fn(&mut Self, Type, usize) -> Option<Term>,
        leaf: fn(&mut Self, Type) -> Term,
    ) -> Term {
        for _ in 0..ATTEMPTS {
            self.fuel -= 1;
            if depth == 0 || self.fuel < 0 {
                break;
            }
            let declared = self.functions.len();
            let made = self.made.len();
            match operation(self, ty, depth - 1) {
                Some(term) if term.is_good(self.gaps) => {
                    debug_assert_eq!(term.ty, ty, "{}", term.text);
                    self.made.push(Made::new(&self.scope, &term));
                    return term;
                }
                // Its functions are not needed.
                _ => {
                    self.functions.truncate(declared);
                    self.made.truncate(made);
                }
            }
        }
        leaf(self, ty)
    }

    fn leaf(&mut self, ty: Type) -> Option<Term> {
        let all: Vec<&Term> = self.leaves.iter().filter(|l| l.ty == ty).collect();
        if all.is_empty() {
            return None;
        }
        // Those that were declared last are likelier.
        let n = all.len();
        let (one, two) = (self.random.below(n), self.random.below(n));
        Some(all[one.max(two)].clone())
    }

    pub(super) fn float_leaf(&mut self, ty: Type) -> Term {
        if self.one_in(5) {
            return self.float_literal(ty);
        }
        if let Some(leaf) = self.leaf(ty) {
            return leaf;
        }
        // A value of another width, as in functions, in which only the parameters are in scope.
        let n = self.pick(&WIDTHS[..4]);
        match self.leaf(ty.of(n)) {
            Some(v) if v.ty.n > 1 => self.swizzled(&v, ty.n),
            Some(scalar) => splat(ty, &scalar),
            None => self.float_literal(ty),
        }
    }

    pub(super) fn integer_leaf(&mut self, ty: Type) -> Term {
        match self.leaf(ty) {
            Some(leaf) if !self.one_in(4) => leaf,
            _ => self.integer_literal(ty),
        }
    }

    fn float_operation(&mut self, ty: Type, d: usize) -> Option<Term> {
        let numbers = self.numbers;
        Some(match self.below(30) {
            0..5 => {
                let op = self.pick(&["+", "-", "*", "/"]);
                let (a, b) = (self.float(ty, d), self.float_operand(ty, d));
                self.in_either_order(numbers, op, &a, &b)
            }
            5..7 => {
                let op = self.pick(&BINARY);
                let a = self.float(ty, d);
                let b = match op {
                    // Where a scalar may stand for a vector.
                    "fmin" | "fmax" | "min" | "max" => self.float_operand(ty, d),
                    _ => self.float(ty, d),
                };
                numbers.binary(op, &a, &b)
            }
            7..9 => {
                let op = self.pick(&UNARY);
                let a = self.float(ty, d);
                numbers.unary(op, &a)
            }
            9 => {
                let op = self.pick(&TERNARY);
                let [a, b, c] = [0; 3].map(|_| self.float(ty, d));
                numbers.ternary(op, &a, &b, &c)
            }
            10..12 => {
                let (a, b) = (self.float(ty, d), self.float(ty, d));
                self.chosen(&a, &b, d)
            }
            12..14 => return self.float_conversion(ty, d),
            14 => {
                let signed = self.one_in(2);
                let bits = self.integer(ty.as_int(signed), d);
                numbers.reinterpretation(ty, &bits)
            }
            15 => {
                let a = self.float(ty, d);
                let by = self.small_integer(ty.n, d);
                numbers.scaled(&a, &by)
            }
            16 => {
                if ty.n > 1 && self.one_in(2) {
                    let parts: Vec<Term> = (0..ty.n).map(|_| self.float(ty.of(1), d)).collect();
                    Self::assembled(&parts)
                } else {
                    let n = self.pick(&MOSTLY_SHORT[1..]);
                    let v = self.float(ty.of(n), d);
                    self.swizzled(&v, ty.n)
                }
            }
            17..20 => return self.call(ty, d),
            20..23 => self.choices(ty, d),
            23 => self.sign_by_bits(ty, d),
            24 if ty == float(32, 1) => return self.exchange(d),
            24 => return self.shuffled(ty, d),
            _ => self.identity(ty, d),
        })
    }

    /// Returns the conversion of a number to another format and back.
    fn there_and_back(&mut self, a: &Term) -> Term {
        let (numbers, ty) = (self.numbers, a.ty);
        let sizes = self.numbers.float_sizes();
        let other = float(self.pick(&sizes), ty.n);
        let (one, two) = (self.pick(&MODES), self.pick(&MODES));
        let there = numbers.conversion(other, a, one, false);
        let there = match self.one_in(3) {
            true => numbers.unary("fabs", &there),
            false => there,
        };
        numbers.conversion(ty, &there, two, false)
    }

    /// Returns a linear interpolation.
    fn interpolated(&mut self, [a, b, by]: [&Term; 3]) -> Term {
        let numbers = self.numbers;
        let difference = numbers.binary("-", b, a);
        if self.one_in(3) {
            return numbers.ternary("fma", &difference, by, a);
        }
        let product = self.in_either_order(numbers, "*", &difference, by);
        numbers.binary("+", a, &product)
    }

    /// Returns a number whose sign, or whose other bits, an integer operation changes.
    fn sign_by_bits(&mut self, ty: Type, d: usize) -> Term {
        let numbers = self.numbers;
        let (bits, a) = (ty.as_int(false), self.float(ty, d));
        let f = a.format();
        let (op, mask) = match self.below(4) {
            0 => ("^", f.sign()),
            1 => ("|", f.sign()),
            2 => ("&", f.sign() - 1),
            // Only sign and exponent.
            _ => ("&", f.infinity() | f.sign()),
        };
        let mask = Self::integer_constant(bits, mask);
        let masked = numbers.integers(op, &numbers.reinterpretation(bits, &a), &mask);
        numbers.reinterpretation(ty, &masked)
    }

    /// Returns an operand of the type, or now and then a scalar that stands for a vector.
    fn float_operand(&mut self, ty: Type, d: usize) -> Term {
        let n = if self.one_in(6) { 1 } else { ty.n };
        self.float(ty.of(n), d)
    }

    fn in_either_order(&mut self, numbers: Numbers, op: &str, a: &Term, b: &Term) -> Term {
        match self.one_in(2) {
            true => numbers.binary(op, a, b),
            false => numbers.binary(op, b, a),
        }
    }

    /// Returns an expression that a compiler may replace by a simpler one if it ignores NaN, infinities, signed zeros, rounding or
    /// subnormal numbers.
    fn identity(&mut self, ty: Type, d: usize) -> Term {
        let numbers = self.numbers;
        let (a, b) = (self.float(ty, d), self.float_leaf(ty));
        let constant = self.float_literal(ty);
        let negative = |x: &Term| numbers.unary("-", x);
        match self.below(16) {
            0..4 => {
                let op = self.pick(&["+", "-", "*", "/", "*", "fmin", "fmax", "fmod", "copysign"]);
                self.in_either_order(numbers, op, &a, &constant)
            }
            // Two constants, which may be combined.
            4 => {
                let other = self.float_literal(ty);
                let op = self.pick(&["+", "-", "*", "/", "fmin", "fmax"]);
                let inner = self.in_either_order(numbers, op, &a, &constant);
                let op = self.pick(&["+", "-", "*", "/", "fmin", "fmax"]);
                self.in_either_order(numbers, op, &inner, &other)
            }
            // The same operand twice.
            5 => {
                let op = self.pick(&[
                    "-",
                    "/",
                    "+",
                    "*",
                    "fmin",
                    "fmax",
                    "fdim",
                    "remainder",
                    "copysign",
                    "maxmag",
                ]);
                numbers.binary(op, &a, &a)
            }
            6 => {
                let outer = self.pick(&UNARY);
                let inner = self.pick(&UNARY);
                numbers.unary(outer, &numbers.unary(inner, &a))
            }
            7 => {
                let op = self.pick(&["+", "-", "*", "/"]);
                match self.below(3) {
                    0 => negative(&numbers.binary(op, &a, &b)),
                    1 => self.in_either_order(numbers, op, &negative(&a), &b),
                    _ => numbers.binary(op, &negative(&a), &negative(&b)),
                }
            }
            // A product and a sum, which FP_CONTRACT OFF keeps apart.
            8 => {
                let product = numbers.binary("*", &a, &b);
                let op = self.pick(&["+", "-"]);
                let c = self.float_leaf(ty);
                self.in_either_order(numbers, op, &product, &c)
            }
            9 => {
                let product = match self.one_in(2) {
                    true => numbers.ternary("fma", &negative(&a), &b, &constant),
                    false => numbers.ternary("fma", &a, &constant, &negative(&b)),
                };
                if self.one_in(2) {
                    product
                } else {
                    negative(&product)
                }
            }
            // A sum from which one of its operands is taken again.
            10 => {
                let sum = numbers.binary("+", &a, &b);
                let other = if self.one_in(2) { &a } else { &b };
                numbers.binary("-", &sum, other)
            }
            // A minimum, maximum or absolute value by a comparison.
            11 => {
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!=", "isless", "isgreaterequal"]);
                let (x, y) = if self.one_in(2) { (&a, &constant) } else { (&a, &b) };
                let negated = negative(&a);
                let condition = self.one_truth(numbers.comparison(op, x, y));
                let (x, y) = match self.below(3) {
                    0 => (x, y),
                    1 => (y, x),
                    _ => (&negated, &a),
                };
                Numbers::choice(&condition, x, y, false)
            }
            12 => {
                let inner = numbers.binary("fmax", &a, &b);
                numbers.binary("fmin", &inner, &constant)
            }
            // A number between two constants, in one of several forms.
            13 => self.limited(&a),
            14 => self.interpolated([&a, &b, &constant]),
            _ => self.there_and_back(&a),
        }
    }

    /// Returns a float from a number of another type.
    fn float_conversion(&mut self, ty: Type, d: usize) -> Option<Term> {
        let mode = self.pick(&MODES);
        let a = match self.one_in(2) {
            true => {
                let sizes = self.numbers.float_sizes();
                let from = float(self.pick(&sizes), ty.n);
                self.float(from, d)
            }
            false => {
                let from = self.integer_type(ty.n);
                self.integer(from, d)
            }
        };
        let mut converted = self.numbers.conversion(ty, &a, mode, false);
        if ty.n == 1 && mode.is_empty() && self.one_in(2) {
            converted.text = ty.cast(&a.text);
        }
        Some(converted)
    }
}

/// Returns a vector of equal elements.
pub(super) fn splat(ty: Type, scalar: &Term) -> Term {
    let text = ty.splat(&scalar.text);
    let values = (0..ITEMS).flat_map(|item| (0..ty.n).map(move |_| scalar.at(item, 0)));
    Term::new(text, ty, values.collect())
}
