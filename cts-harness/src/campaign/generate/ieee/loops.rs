//! Generates the bodies of functions that compute with floats in loops.

use super::super::choices::Choices;
use super::functions::Body;
use super::program::{Definition, Statement};
use super::terms::{COMPARISONS, Term, truncated};
use super::{FloatGenerator, ITEMS, Numbers};
use crate::types::{INT, Type, UINT};

/// What a loop does with its number and an element of a table.
#[derive(Copy, Clone)]
enum Step {
    Binary(&'static str),
    /// The number of the two for which the comparison is true.
    Choice(&'static str),
    /// A multiple of the number, and the element.
    Horner,
}

impl FloatGenerator {
    /// A body with a loop that changes a number in each iteration.
    pub(super) fn repetition(&mut self, ty: Type) -> Body {
        let numbers = self.numbers;
        let mut state = self.float(ty, 1).named("r");
        let begin = self.float(ty, 1);
        state.values.clone_from(&begin.values);
        let steps: Vec<(&str, Term)> = (0..1 + self.below(2))
            .map(|_| {
                let op = self.pick(&[
                    "+", "-", "*", "+", "*", "fmin", "fmax", "fma", "fmod", "/", "copysign",
                ]);
                (op, self.float_leaf(ty))
            })
            .collect();
        let step = |state: &Term| {
            steps.iter().fold(state.clone(), |r, (op, other)| match *op {
                "fma" => numbers.ternary(op, &r, other, state),
                _ => numbers.binary(op, &r, other),
            })
        };
        let (count, counts) = self.iterations();
        let until = self.one_in(2).then(|| {
            let op = self.pick(&COMPARISONS);
            (op, self.float_leaf(ty.of(1)))
        });
        let first = |state: &Term| match ty.n {
            1 => state.clone(),
            _ => {
                let values = (0..ITEMS).map(|item| state.at(item, 0)).collect();
                Term::new("r.s0".into(), ty.of(1), values)
            }
        };
        let mut running = [true; ITEMS];
        let mut body = String::new();
        for n in 0..8 {
            let next = step(&state);
            let ends = until
                .as_ref()
                .map(|(op, other)| numbers.comparison(op, &first(&next.named("r")), other));
            if n == 0 {
                let exit = ends.as_ref().map(|e| format!(" if ({}) break;", e.text));
                let (name, begin, next) = (ty.name(), &begin.text, &next.text);
                let exit = exit.unwrap_or_default();
                body =
                    format!("{name} r = {begin}; for (uint i = 0; i < {count}; i++) {{ r = {next};{exit} }}");
            }
            for item in (0..ITEMS).filter(|item| counts[*item].is_some_and(|count| n < count)) {
                if !running[item] {
                    continue;
                }
                let lanes = item * ty.n..(item + 1) * ty.n;
                state.values[lanes.clone()].copy_from_slice(&next.values[lanes]);
                if let Some(ends) = &ends {
                    // An undefined condition makes the result undefined.
                    match ends.at(item, 0) {
                        Some(ends) => running[item] = ends == 0,
                        None => {
                            state.values[item * ty.n..(item + 1) * ty.n].fill(None);
                            running[item] = false;
                        }
                    }
                }
            }
        }
        for item in (0..ITEMS).filter(|item| counts[*item].is_none()) {
            state.values[item * ty.n..(item + 1) * ty.n].fill(None);
        }
        Some((body, state))
    }

    /// A body with a loop over a table of constants, which are operands once the loop is unrolled.
    pub(super) fn table(&mut self, ty: Type) -> Body {
        let (name, table) = (ty.name(), self.name("t"));
        let count = 2 + self.below(4);
        let entries: Vec<Term> = (0..count)
            .map(|_| match self.one_in(2) {
                true => self.simple(ty),
                false => self.float_literal(ty),
            })
            .collect();
        let texts: Vec<&str> = entries.iter().map(|e| e.text.as_str()).collect();
        let texts = texts.join(", ");
        // Calls of functions are no constants.
        let is_constant = !texts.contains("nan(") && !texts.contains("as_");
        let declaration = match is_constant && self.one_in(2) {
            true => {
                let text = format!("constant {name} {table}[{count}] = {{ {texts} }};\n");
                self.functions.push(Definition::new(&table, text));
                String::new()
            }
            false => format!("const {name} {table}[{count}] = {{ {texts} }}; "),
        };
        let begin = self.float(ty, 1);
        let other = self.float_leaf(ty);
        let step = self.step();
        let backwards = self.one_in(3);
        let index = if backwards {
            format!("{}u - i", count - 1)
        } else {
            "i".into()
        };
        let element = format!("{table}[{index}]");
        let mut state = begin.named("r");
        let mut text = String::new();
        for n in 0..count {
            let entry = &entries[if backwards { count - 1 - n } else { n }];
            let next = self.stepped(step, &state, &entry.named(&element), &other);
            text = format!("r = {};", next.text);
            state = next.named("r");
        }
        let statements = format!(
            "{declaration}{name} r = {}; for (uint i = 0; i < {count}u; i++) {{ {text} }}",
            begin.text
        );
        Some((statements, state))
    }

    /// Returns a statement of the kernel, a loop over whole numbers, and its result, a variable. The loop has a barrier, so that Caldera
    /// leaves it to the driver, which may unroll it.
    pub(super) fn counter(&mut self) -> (Statement, Term) {
        let numbers = self.numbers;
        (self.fuel, self.gaps) = (8, false);
        let ty = self.float_type();
        let (begin, other) = (self.float_leaf(ty), self.float_leaf(ty));
        let (step, keeps) = (self.step(), self.one_in(2));
        let count = 2 + self.below(5);
        let zero = self.below(count + 1);
        let variable = self.name("v");
        let mut state = begin.named(&variable);
        let mut text = String::new();
        for n in 0..count {
            let difference = truncated(INT, n as i128 - zero as i128);
            let whole = Term::constant(format!("(k - {zero})"), INT, &[difference]);
            let number = numbers.conversion(ty.of(1), &whole, "", false);
            let number = match ty.n {
                1 => number,
                _ => super::expressions::splat(ty, &number),
            };
            // The last result is that of the last number alone, or one that depends on all.
            let operand = if keeps { &state } else { &other };
            let next = self.stepped(step, operand, &number, &other);
            text.clone_from(&next.text);
            state = next.named(&variable);
        }
        let statements = format!(
            "{} {variable} = {};\nfor (int k = 0; k < {count}; k++) {{ barrier(CLK_LOCAL_MEM_FENCE); {variable} = {text}; }}\n",
            ty.name(),
            begin.text
        );
        let (name, text) = (variable, statements);
        (Statement { name, text }, state)
    }

    fn step(&mut self) -> Step {
        match self.below(6) {
            0..3 => {
                Step::Binary(self.pick(&["+", "-", "*", "/", "fmin", "fmax", "copysign", "fmod", "fdim"]))
            }
            3 | 4 => Step::Choice(self.pick(&COMPARISONS)),
            _ => Step::Horner,
        }
    }

    fn stepped(&self, step: Step, state: &Term, entry: &Term, other: &Term) -> Term {
        let numbers = self.numbers;
        match step {
            Step::Binary(op) => numbers.binary(op, state, entry),
            Step::Choice(op) => {
                let condition = numbers.comparison(op, state, entry);
                Numbers::choice(&condition, state, entry, false)
            }
            Step::Horner => numbers.binary("+", &numbers.binary("*", state, other), entry),
        }
    }

    /// A body with a loop that counts how often a condition is true.
    pub(super) fn counted(&mut self, ty: Type) -> Body {
        let numbers = self.numbers;
        let scalar = ty.of(1);
        let (begin, by, limit) = (
            self.float(scalar, 1),
            self.float_leaf(scalar),
            self.simple(scalar),
        );
        let op = self.pick(&["+", "*", "-", "fmin", "fmax"]);
        let comparison = self.pick(&COMPARISONS);
        let count = 1 + self.below(5);
        let mut state = begin.named("r");
        let mut truths = Vec::new();
        let mut text = String::new();
        for _ in 0..count {
            let truth = numbers.comparison(comparison, &state, &limit);
            let next = numbers.binary(op, &state, &by);
            text = format!("if ({}) n++; r = {};", truth.text, next.text);
            truths.push((truth, 1));
            state = next.named("r");
        }
        let sum = numbers.truth_sum(&truths).named("n");
        let name = scalar.name();
        let statements = format!(
            "{name} r = {}; int n = 0; for (int i = 0; i < {count}; i++) {{ {text} }}",
            begin.text
        );
        debug_assert_eq!(sum.ty, INT);
        let number = numbers.conversion(scalar, &sum, "", false);
        let number = match self.one_in(2) {
            true => number,
            false => {
                let condition = numbers.comparison("==", &state, &state);
                Numbers::choice(&condition, &state, &number, false)
            }
        };
        let result = match ty.n {
            1 => number,
            _ => super::expressions::splat(ty, &number),
        };
        Some((statements, result))
    }

    /// A body with a loop in which two numbers take each other's place.
    pub(super) fn exchanged(&mut self, ty: Type) -> Body {
        let numbers = self.numbers;
        let (first, second) = (self.float(ty, 1), self.float_leaf(ty));
        let op = self.pick(&["+", "-", "*", "fmin", "fmax", "fmod", "copysign", "/"]);
        let count = 1 + self.below(6);
        let (mut a, mut b) = (first.named("a"), second.named("b"));
        let mut text = String::new();
        for _ in 0..count {
            let next = numbers.binary(op, &a, &b);
            text = next.text.clone();
            (a, b) = (b.named("a"), next.named("b"));
        }
        let name = ty.name();
        let statements = format!(
            "{name} a = {}, b = {}; for (int i = 0; i < {count}; i++) {{ const {name} c = {text}; a = b; b = c; }}",
            first.text, second.text
        );
        let result = if self.one_in(3) { a } else { b };
        Some((statements, result))
    }

    /// Returns the number of iterations of a loop, and its value in each work-item: less than 8. It may be undefined.
    fn iterations(&mut self) -> (String, Vec<Option<u64>>) {
        match self.leaf_integer() {
            Some(n) => {
                let counts = (0..ITEMS).map(|item| n.at(item, 0).map(|x| (x & 3) + 1));
                (format!("({} & 3u) + 1u", n.text), counts.collect())
            }
            None => {
                let n = 1 + self.below(6);
                (format!("{n}u"), vec![Some(n as u64); ITEMS])
            }
        }
    }

    /// Returns a parameter of type uint, if the function has one.
    pub(super) fn leaf_integer(&mut self) -> Option<Term> {
        self.leaves.iter().find(|l| l.ty == UINT).cloned()
    }
}
