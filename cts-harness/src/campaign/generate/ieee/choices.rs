//! Generates conditions, and choices that depend on them.

use super::super::choices::Choices;
use super::terms::{COMPARISONS, TESTS, Term};
use super::{FloatGenerator, ITEMS, Numbers};
use crate::float_format::Format;
use crate::types::{INT, Type, float};

/// The length in bytes up to which the text of an expression is written twice.
const REPEATED: usize = 160;

impl FloatGenerator {
    /// Returns a constant next to which choices, limits and comparisons change: a zero, a small number, an infinity, the least or the
    /// greatest number.
    pub(super) fn simple(&mut self, ty: Type) -> Term {
        let f = Format::of(ty.bits());
        let x = match self.below(10) {
            0..4 => 0,
            4 | 5 => f.one(),
            6 => f.scale(f.one(), self.below(5) as i32 - 2),
            7 => f.infinity(),
            8 => f.least_normal() - self.below(2) as u64,
            _ => f.greatest(),
        };
        let x = if self.one_in(2) { x ^ f.sign() } else { x };
        let x = self.numbers.kept(f, x).unwrap_or(f.one());
        let text = self.literal_text(f, x);
        let text = if ty.n == 1 { text } else { ty.splat(&text) };
        Term::constant(text, ty, &vec![x; ty.n])
    }

    /// Returns a chain of choices between few values, by comparisons of the same values.
    pub(super) fn choices(&mut self, ty: Type, d: usize) -> Term {
        let numbers = self.numbers;
        let subject = self.float(ty, d);
        let negative = numbers.unary("-", &subject);
        let mut all = vec![subject.clone(), negative, numbers.unary("fabs", &subject)];
        all.extend([self.simple(ty), self.simple(ty), self.float_leaf(ty)]);
        let mut value = self.one_of(&all);
        for _ in 0..2 + self.below(3) {
            let compared = match value.text.len() < REPEATED && self.one_in(3) {
                true => value.clone(),
                false => self.one_of(&all),
            };
            let other = if self.one_in(2) {
                self.simple(ty)
            } else {
                self.one_of(&all)
            };
            let op = self.pick(&COMPARISONS);
            let condition = match self.below(5) {
                0 => {
                    let test = self.pick(&TESTS);
                    numbers.test(test, &compared)
                }
                1 | 2 => numbers.comparison(op, &other, &compared),
                _ => numbers.comparison(op, &compared, &other),
            };
            let condition = self.one_truth(condition);
            let new = self.one_of(&all);
            let as_function = self.one_in(3);
            value = match self.one_in(2) {
                true => Numbers::choice(&condition, &new, &value, as_function),
                false => Numbers::choice(&condition, &value, &new, as_function),
            };
            value = self.changed(&value);
        }
        value
    }

    fn one_of(&mut self, all: &[Term]) -> Term {
        let at = self.below(all.len());
        all[at].clone()
    }

    /// Returns a number, or often a simple function of it.
    fn changed(&mut self, a: &Term) -> Term {
        let numbers = self.numbers;
        let simple = self.simple(a.ty);
        match self.below(12) {
            0 => numbers.unary("-", a),
            1 => numbers.unary("fabs", a),
            2 => numbers.binary("+", a, &simple),
            3 => numbers.binary("*", a, &simple),
            4 => numbers.binary("-", &simple, a),
            5 => numbers.binary("copysign", a, &simple),
            6 => self.limited(a),
            7 => {
                let name = self.pick(&["rint", "trunc", "floor", "ceil", "sign"]);
                numbers.unary(name, a)
            }
            _ => a.clone(),
        }
    }

    /// Returns a number that is limited by one or two constants, by functions or choices.
    pub(super) fn limited(&mut self, a: &Term) -> Term {
        let numbers = self.numbers;
        let mut value = a.clone();
        let mut limits = [self.simple(a.ty), self.simple(a.ty)];
        let order = a
            .format()
            .compare(limits[0].values[0].unwrap_or(0), limits[1].values[0].unwrap_or(0));
        // Limits in the wrong order are limits, too, but not for `clamp`.
        if order == Some(std::cmp::Ordering::Greater) && !self.one_in(4) {
            limits.swap(0, 1);
        }
        let [low, high] = limits;
        if self.one_in(3) {
            return numbers.ternary("clamp", a, &low, &high);
        }
        let both = [("fmax", "<", low), ("fmin", ">", high)];
        let first = self.below(2);
        for n in 0..1 + self.below(2) {
            let (function, op, limit) = &both[(first + n) % 2];
            value = match self.below(4) {
                0 if value.text.len() < REPEATED => {
                    let condition = numbers.comparison(op, &value, limit);
                    Numbers::choice(&condition, limit, &value, false)
                }
                1 if value.text.len() < REPEATED => {
                    let opposite = if *op == "<" { ">" } else { "<" };
                    let condition = numbers.comparison(opposite, &value, limit);
                    Numbers::choice(&condition, &value, limit, false)
                }
                2 => numbers.binary(function, limit, &value),
                _ => numbers.binary(function, &value, limit),
            };
        }
        value
    }

    /// Returns a comparison of integers.
    fn integer_condition(&mut self, d: usize) -> Term {
        let ty = self.integer_type(1);
        let (a, b) = (self.integer(ty, d), self.integer_leaf(ty));
        let op = self.pick(&COMPARISONS[..6]);
        self.numbers.integer_comparison(op, &a, &b)
    }

    /// Returns a condition of a choice: now and then the opposite of a truth value.
    pub(super) fn one_truth(&mut self, condition: Term) -> Term {
        match self.one_in(4) {
            true => self.numbers.not(&condition),
            false => condition,
        }
    }

    /// Returns a choice between two values of the same float type.
    pub(super) fn chosen(&mut self, a: &Term, b: &Term, d: usize) -> Term {
        let condition = match a.ty.n {
            1 => self.condition(d),
            _ => self.mask(a.ty, d),
        };
        let as_function = self.one_in(2);
        Numbers::choice(&condition, a, b, as_function)
    }

    /// Returns a truth value of type int.
    pub(super) fn condition(&mut self, d: usize) -> Term {
        let numbers = self.numbers;
        if self.one_in(6) {
            return self.integer_condition(d);
        }
        if self.one_in(5) {
            let ty = self.float_type();
            if ty.n > 1 {
                return quantified(self.pick(&["any", "all"]), &self.mask(ty, d));
            }
        }
        let sizes = self.numbers.float_sizes();
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
                    let b = match g.below(8) {
                        0 => a.clone(),
                        1..4 => g.simple(ty),
                        _ => g.float_leaf(ty),
                    };
                    let (a, b) = if g.one_in(3) { (&b, &a) } else { (&a, &b) };
                    numbers.comparison(op, a, b)
                }
            };
            let truth = if truth.is_good(g.gaps) {
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
