//! Generates float expressions, and the integer expressions that they need.

use super::super::types::{INT, Type, float, int};
use super::numbers::Rounding;
use super::terms::{BINARY, COMPARISONS, MODES, TERNARY, TESTS, Term, UNARY, range};
use super::{FloatGenerator, ITEMS, Numbers, WIDTHS};

/// How often another operation is tried if the values of one are not defined.
const ATTEMPTS: usize = 6;

impl FloatGenerator {
    pub(super) fn float_type(&mut self) -> Type {
        let sizes = self.float_sizes();
        let bits = if self.one_in(3) { 32 } else { self.pick(&sizes) };
        let n = self.width();
        float(bits, n)
    }

    pub(super) fn width(&mut self) -> usize {
        if self.one_in(2) { 1 } else { self.pick(&WIDTHS) }
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
            match operation(self, ty, depth - 1) {
                Some(term) if term.is_defined() => {
                    debug_assert_eq!(term.ty, ty, "{}", term.text);
                    return term;
                }
                // Its functions are not needed.
                _ => self.functions.truncate(declared),
            }
        }
        leaf(self, ty)
    }

    fn leaf(&mut self, ty: Type) -> Option<Term> {
        let all: Vec<&Term> = self.leaves.iter().filter(|l| l.ty == ty).collect();
        if all.is_empty() {
            return None;
        }
        let at = self.random.below(all.len());
        Some(all[at].clone())
    }

    pub(super) fn float_leaf(&mut self, ty: Type) -> Term {
        if self.one_in(5) {
            return self.float_literal(ty);
        }
        if let Some(leaf) = self.leaf(ty) {
            return leaf;
        }
        // A value of another width, as in functions, in which only the parameters are in scope.
        let n = self.pick(&WIDTHS);
        match self.leaf(ty.of(n)) {
            Some(v) if v.ty.n > 1 => self.swizzled(&v, ty.n),
            Some(scalar) => splat(ty, &scalar),
            None => self.float_literal(ty),
        }
    }

    fn integer_leaf(&mut self, ty: Type) -> Term {
        match self.leaf(ty) {
            Some(leaf) if !self.one_in(4) => leaf,
            _ => self.integer_literal(ty),
        }
    }

    fn float_operation(&mut self, ty: Type, d: usize) -> Option<Term> {
        let numbers = self.numbers;
        Some(match self.below(24) {
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
                    let n = self.pick(&[2, 3, 4]);
                    let v = self.float(ty.of(n), d);
                    self.swizzled(&v, ty.n)
                }
            }
            17..19 => return self.call(ty, d),
            _ => self.identity(ty, d),
        })
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
        match self.below(14) {
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
            // A conversion to another format and back.
            _ => {
                let sizes = self.float_sizes();
                let other = float(self.pick(&sizes), ty.n);
                let (one, two) = (self.pick(&MODES), self.pick(&MODES));
                let there = numbers.conversion(other, &a, one, false);
                let there = if self.one_in(3) {
                    numbers.unary("fabs", &there)
                } else {
                    there
                };
                numbers.conversion(ty, &there, two, false)
            }
        }
    }

    /// Returns a condition of a choice: now and then the opposite of a truth value.
    fn one_truth(&mut self, condition: Term) -> Term {
        match self.one_in(4) {
            true => self.numbers.not(&condition),
            false => condition,
        }
    }

    /// Returns a choice between two values of the same float type.
    fn chosen(&mut self, a: &Term, b: &Term, d: usize) -> Term {
        let condition = match a.ty.n {
            1 => self.condition(d),
            _ => self.mask(a.ty, d),
        };
        // `select` of scalars takes an integer of the same size.
        let as_function = (a.ty.n > 1 || a.ty.bits() == 32) && self.one_in(2);
        Numbers::choice(&condition, a, b, as_function)
    }

    /// Returns a truth value of type int.
    pub(super) fn condition(&mut self, d: usize) -> Term {
        let numbers = self.numbers;
        if self.one_in(5) {
            let ty = self.float_type();
            if ty.n > 1 {
                return quantified(self.pick(&["any", "all"]), &self.mask(ty, d));
            }
        }
        let sizes = self.float_sizes();
        let ty = float(self.pick(&sizes), 1);
        self.truth(ty, d, &["&&", "||"], numbers)
    }

    /// Returns a vector of truth values for the elements of a type.
    pub(super) fn mask(&mut self, ty: Type, d: usize) -> Term {
        let numbers = self.numbers;
        self.truth(ty, d, &["&", "|", "^"], numbers)
    }

    fn truth(&mut self, ty: Type, d: usize, combinations: &[&'static str], numbers: Numbers) -> Term {
        let one = |g: &mut Self| {
            let a = g.float(ty, d);
            let truth = match g.below(4) {
                0 => {
                    let test = g.pick(&TESTS);
                    numbers.test(test, &a)
                }
                _ => {
                    let op = g.pick(&COMPARISONS);
                    let b = g.float_leaf(ty);
                    let b = if g.one_in(8) { a.clone() } else { b };
                    numbers.comparison(op, &a, &b)
                }
            };
            let truth = if truth.is_defined() {
                truth
            } else {
                numbers.test("isnan", &a)
            };
            g.one_truth(truth)
        };
        let first = one(self);
        if !self.one_in(4) {
            return first;
        }
        let second = one(self);
        let op = self.pick(combinations);
        numbers.logical(op, &first, &second)
    }

    /// Returns a float from a number of another type.
    fn float_conversion(&mut self, ty: Type, d: usize) -> Option<Term> {
        let mode = self.pick(&MODES);
        let a = match self.one_in(2) {
            true => {
                let sizes = self.float_sizes();
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

    /// Returns an int that is often a small one.
    fn small_integer(&mut self, n: usize, d: usize) -> Term {
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

    fn integer_operation(&mut self, ty: Type, d: usize) -> Option<Term> {
        let numbers = self.numbers;
        let sizes = self.float_sizes();
        Some(match self.below(14) {
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
                match logarithm.is_defined() {
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
            9 | 10 if !ty.is_signed() => {
                let op = self.pick(&["+", "-", "&", "|", "^"]);
                let (a, b) = (self.integer(ty, d), self.integer(ty, d));
                numbers.integers(op, &a, &b)
            }
            11 if !ty.is_signed() => {
                let (op, by) = (self.pick(&["<<", ">>"]), self.below(ty.bits() as usize));
                let a = self.integer(ty, d);
                numbers.shift(op, &a, by as u32)
            }
            12 if !ty.is_signed() && sizes.contains(&ty.bits()) => return self.punned(ty, d),
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
        if converted.is_defined() || ty.n > 1 {
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
        if bits.is_defined() {
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
}

/// Returns a vector of equal elements.
pub(super) fn splat(ty: Type, scalar: &Term) -> Term {
    let text = ty.splat(&scalar.text);
    let values = (0..ITEMS).flat_map(|item| (0..ty.n).map(move |_| scalar.at(item, 0)));
    Term::new(text, ty, values.collect())
}

/// Returns `any` or `all` of a vector of truth values.
fn quantified(name: &str, mask: &Term) -> Term {
    let text = format!("{name}({})", mask.text);
    let value = |item: usize| {
        let all: Option<Vec<i128>> = (0..mask.ty.n).map(|e| mask.integer_at(item, e)).collect();
        let all = all?;
        let truth = match name {
            "any" => all.iter().any(|x| *x < 0),
            _ => all.iter().all(|x| *x < 0),
        };
        Some(u64::from(truth))
    };
    Term::new(text, INT, (0..ITEMS).map(value).collect())
}
