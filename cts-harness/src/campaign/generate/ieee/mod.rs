//! Generates programs of float expressions whose results OpenCL C and IEEE 754 define to the last bit: with NaN, infinities, signed
//! zeros, subnormal numbers and rounding.
//!
//! The generator computes the values of its expressions itself, in every work-item ([`terms`], [`crate::float_format`]). It therefore knows where a
//! value is not defined, and tries another operation there, or leaves the work-item out; and the results of a program have a reference
//! that no compiler has made. What OpenCL leaves open is not generated: the bits and the sign of NaN, which zero `fmin` returns, conversions
//! out of range, errors of 1 ulp and more, contraction. Options of a program make more open ([`options`]).

mod choices;
mod expressions;
mod functions;
mod integer_terms;
mod integers;
mod loops;
mod memory;
mod options;
mod program;
mod shrink;
mod terms;
mod values;

use super::choices::Choices;
use super::expressions::ITEMS;
use super::written::Written;
use crate::Failure;
use crate::campaign::Described;
use crate::random::Random;
use program::{Definition, Line, Made, Program, Statement, Stored};
use std::sync::Arc;
use terms::Term;

/// The number of expressions in a program.
const EXPRESSIONS: usize = 60;

/// The number of operators and operands after which the generator only adds operands to an expression.
const SIZE: i32 = 16;

/// The numbers of elements of vectors.
const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// The same, where long vectors are rare.
const MOSTLY_SHORT: [usize; 12] = [1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 8, 16];

/// The most variables that an expression may use beside the inputs.
const VARIABLES: usize = 12;

/// What a program may rely on: what all devices of a campaign promise about floats, except for what the program's options take
/// back.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Numbers {
    pub(super) half: bool,
    pub(super) double: bool,
    /// Whether subnormal numbers are not flushed to zero.
    pub(super) subnormal_half: bool,
    pub(super) subnormal_float: bool,
    pub(super) subnormal_double: bool,
    /// Whether division and square root of float are correctly rounded with an option.
    pub(super) correct_division: bool,
    /// Whether infinities and NaN are as IEEE 754 has them.
    pub(super) infinities: bool,
    /// Whether zeros have the signs that IEEE 754 gives them.
    pub(super) signed_zeros: bool,
    /// Whether arithmetic is that of the program's text, and rounds as IEEE 754 does. Otherwise the operands and results of arithmetic are
    /// small numbers of few bits, with which every order of operations gives the same results.
    pub(super) arithmetic: bool,
}

impl Numbers {
    /// Returns what all of these devices promise.
    pub(crate) fn of(devices: &[Described]) -> Numbers {
        let keeps = |bytes| devices.iter().all(|d| d.subnormals.contains(&bytes));
        Numbers {
            half: devices.iter().all(|d| d.half),
            double: devices.iter().all(|d| d.double),
            subnormal_half: keeps(2),
            subnormal_float: keeps(4),
            subnormal_double: keeps(8),
            correct_division: devices.iter().all(|d| d.correct_division),
            infinities: true,
            signed_zeros: true,
            arithmetic: true,
        }
    }

    /// Returns the sizes of floats that the program may use, in bits.
    fn float_sizes(self) -> Vec<u32> {
        let all = [(16, self.half), (32, true), (64, self.double)];
        all.into_iter()
            .filter(|(_, has)| *has)
            .map(|(bits, _)| bits)
            .collect()
    }
}

struct FloatGenerator {
    random: Random,
    numbers: Numbers,
    /// The names in scope. The first ones are the inputs, or the parameters of a function.
    leaves: Vec<Term>,
    /// The number of inputs.
    inputs: usize,
    /// The definitions of the functions and macros that expressions call.
    functions: Vec<Definition>,
    /// The expressions that have been generated, each with the scope in which it is.
    made: Vec<Made>,
    /// The name of the function, variable or stored expression that is being generated.
    scope: String,
    /// The number in the name that was given last.
    next: usize,
    /// The number of operators that may still be generated.
    fuel: i32,
    /// Whether some values of the current expression may be undefined, which the program then does not store.
    gaps: bool,
    /// The first row of the results of the current expression; `None` in a function.
    row: Option<usize>,
}

impl Choices for FloatGenerator {
    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    fn last_name(&mut self) -> &mut usize {
        &mut self.next
    }
}

/// Returns the program of a seed.
pub(crate) fn program(seed: u64, promised: Numbers) -> Result<Written, Failure> {
    random_program(seed, promised).written()
}

fn random_program(seed: u64, promised: Numbers) -> Program {
    let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    let (options, numbers) = options::choose(&mut random, promised);
    let mut g = FloatGenerator {
        random,
        numbers,
        leaves: Vec::new(),
        inputs: 0,
        functions: Vec::new(),
        made: Vec::new(),
        scope: String::new(),
        next: 0,
        fuel: 0,
        gaps: false,
        row: None,
    };
    let arrays = g.arrays();
    let inputs = FloatGenerator::inputs(&arrays);
    let parameters = g.parameters();
    g.leaves = inputs.into_iter().map(|(term, _)| term).collect();
    g.leaves.extend(parameters.iter().map(|p| p.term.clone()));
    g.inputs = g.leaves.len();
    let (mut rows, mut lines) = (0, Vec::new());
    for _ in 0..EXPRESSIONS {
        if g.one_in(5) {
            lines.push(Line::Statement(g.variable()));
        }
        if g.one_in(8) {
            let (statement, result) = g.counter();
            lines.push(Line::Statement(statement));
            g.add_leaf(result);
        }
        let stored = g.stored(rows);
        rows += stored.term.ty.n;
        lines.push(Line::Stored(stored));
    }
    Program {
        options,
        numbers,
        arrays: Arc::new(arrays),
        parameters,
        functions: g.functions,
        tables: Vec::new(),
        lines,
        rows,
        made: Arc::new(g.made),
    }
}

impl FloatGenerator {
    /// Generates an expression whose value is stored.
    fn stored(&mut self, row: usize) -> Stored {
        self.row = Some(row);
        self.gaps = self.one_in(3);
        self.scope = Stored::scope(row);
        let term = self.expression();
        self.row = None;
        Stored { row, term }
    }

    /// Returns a random expression of any type.
    fn expression(&mut self) -> Term {
        self.fuel = SIZE;
        let depth = 1 + self.below(4);
        if self.one_in(4) {
            let n = self.width_of(&MOSTLY_SHORT);
            let ty = self.integer_type(n);
            self.integer(ty, depth)
        } else {
            let ty = self.float_type();
            self.float(ty, depth)
        }
    }

    /// Generates a variable that the following expressions may use. Returns its declaration.
    fn variable(&mut self) -> Statement {
        self.gaps = false;
        let name = self.name("v");
        self.scope.clone_from(&name);
        let value = self.expression();
        self.add_leaf(value.named(&name));
        let text = format!("const {} {name} = {};\n", value.ty.name(), value.text);
        Statement { name, text }
    }

    /// Lets the following expressions use a variable.
    fn add_leaf(&mut self, variable: Term) {
        if self.leaves.len() == self.inputs + VARIABLES {
            let oldest = self.inputs + self.below(VARIABLES);
            self.leaves.remove(oldest);
        }
        self.leaves.push(variable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::launch::Plan;
    use crate::float_format::{DOUBLE, HALF, SINGLE};
    use std::collections::BTreeSet;

    fn program(seed: u64, promised: Numbers) -> (String, Vec<u64>) {
        let Written { text, words, .. } = super::program(seed, promised).unwrap();
        (text, words)
    }

    pub(super) const ALL: Numbers = Numbers {
        half: true,
        double: true,
        subnormal_half: true,
        subnormal_float: true,
        subnormal_double: true,
        correct_division: true,
        infinities: true,
        signed_zeros: true,
        arithmetic: true,
    };

    #[test]
    fn a_seed_gives_one_program_with_a_word_for_each_result() {
        for seed in 0..30 {
            let (text, words) = program(seed, ALL);
            assert_eq!(program(seed, ALL), (text.clone(), words.clone()));
            assert_eq!(Plan::of(&text).unwrap().memory[1].bytes, words.len() * 8);
            assert!(text.len() < 200_000, "seed {seed} has {} bytes", text.len());
        }
    }

    #[test]
    fn programs_have_every_operation_and_class_of_numbers() {
        let (mut all, mut words) = (String::new(), BTreeSet::new());
        for seed in 0..60 {
            let (text, result) = program(seed, ALL);
            all += &text;
            words.extend(result);
        }
        let functions = terms::UNARY.iter().chain(&terms::BINARY).chain(&terms::TERNARY);
        for name in functions.chain(&terms::COMPARISONS).chain(&terms::TESTS) {
            let text = match name.chars().all(char::is_alphabetic) {
                true => format!("{name}("),
                false => format!("{name} "),
            };
            assert!(*name == "-" || all.contains(&text), "{name}");
        }
        for part in [
            "ldexp(",
            "ilogb(",
            "frexp(",
            "modf(",
            "fract(",
            "remquo(",
            "vload_half",
            "_sat_rtp(",
            "union",
            "break;",
        ] {
            assert!(all.contains(part), "{part}");
        }
        for f in [HALF, SINGLE, DOUBLE] {
            for x in [
                f.nan(),
                f.infinity(),
                f.sign(),
                1,
                f.least_normal() - 1,
                f.greatest(),
            ] {
                assert!(words.contains(&x), "{x:#x} of {} bits", f.bits);
            }
        }
    }

    #[test]
    fn no_result_is_subnormal_where_a_device_flushes_these() {
        let numbers = Numbers {
            subnormal_float: false,
            double: false,
            half: false,
            ..ALL
        };
        for seed in 0..20 {
            let (text, words) = program(seed, numbers);
            let f = SINGLE;
            let mut row = 0;
            for line in text
                .lines()
                .filter(|l| l.starts_with('E') && !l.contains("#define"))
            {
                let n: usize = line[1..line.find('(').unwrap()].parse().unwrap();
                let rows = &words[row * ITEMS..(row + n) * ITEMS];
                assert!(
                    !line.contains("bits_float") || !rows.iter().any(|x| f.is_subnormal(*x)),
                    "{line}"
                );
                row += n;
            }
        }
    }
}
