//! Generates programs of float expressions whose results OpenCL C and IEEE 754 define to the last bit: with NaN, infinities, signed
//! zeros, subnormal numbers and rounding.
//!
//! The generator computes the values of its expressions itself, in every work-item ([`terms`], [`numbers`]). It therefore knows where a
//! value is not defined, and tries another operation there; and the results of a program have a reference that no compiler has
//! made. What OpenCL leaves open is not generated: the bits and the sign of NaN, which zero `fmin` returns, conversions out of range,
//! errors of 1 ulp and more, contraction.

mod expressions;
mod functions;
mod numbers;
mod terms;
mod values;

use super::Features;
use super::expressions::{ITEMS, declaration, macros};
use super::types::{Type, float};
use crate::Failure;
use crate::campaign::Described;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::random::Random;
use std::collections::BTreeSet;
use terms::Term;

/// The number of expressions in a program.
const EXPRESSIONS: usize = 100;

/// The number of operators and operands after which the generator only adds operands to an expression.
const SIZE: i32 = 14;

/// The numbers of elements of vectors.
const WIDTHS: [usize; 4] = [1, 2, 3, 4];

/// What all devices of a campaign promise about floats.
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
        }
    }
}

struct FloatGenerator {
    random: Random,
    numbers: Numbers,
    /// The names in scope.
    leaves: Vec<Term>,
    /// The definitions of the functions and macros that expressions call.
    functions: Vec<String>,
    /// The number in the name of the function that was made last.
    next: usize,
    /// The number of operators that may still be generated.
    fuel: i32,
}

impl FloatGenerator {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("f{}", self.next)
    }
}

/// Returns the program of a seed, with its plan in the first line, and the words of its result.
pub(crate) fn program(seed: u64, numbers: Numbers) -> Result<(String, Vec<u64>), Failure> {
    let mut g = FloatGenerator {
        random: Random::new(seed.wrapping_mul(2).wrapping_add(1)),
        numbers,
        leaves: Vec::new(),
        functions: Vec::new(),
        next: 0,
        fuel: 0,
    };
    let arrays = g.arrays();
    let inputs = FloatGenerator::inputs(&arrays);
    g.leaves = inputs.iter().map(|(term, _)| term.clone()).collect();
    let (mut rows, mut lines, mut words) = (0, String::new(), Vec::new());
    for _ in 0..EXPRESSIONS {
        let (line, term) = g.line(rows);
        lines += &line;
        for e in 0..term.ty.n {
            words.extend((0..ITEMS).map(|item| stored(&term, item, e)));
        }
        rows += term.ty.n;
    }
    let used: BTreeSet<&str> = lines
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect();
    let declarations: String = inputs
        .iter()
        .filter(|(term, _)| used.contains(term.text.as_str()))
        .map(|(term, place)| declaration(&term.text, &place.text, term.ty))
        .collect();
    let option = if numbers.correct_division {
        "-cl-fp32-correctly-rounded-divide-sqrt"
    } else {
        ""
    };
    let plan = Plan {
        options: option.into(),
        memory: vec![
            Memory::input(4, Fill::Zero),
            Memory::result(rows * ITEMS * 8, Fill::Zero),
        ],
        std: None,
        launches: vec![Launch::new(
            "k0",
            [0, ITEMS, 16].map(|n| vec![n]),
            [0, 1].map(Argument::Memory).into(),
        )],
    };
    let features = Features {
        half: numbers.half,
        double: numbers.double,
        images: false,
        later: None,
    };
    let arrays: String = arrays.iter().map(values::Array::text).collect();
    let text = format!(
        "{}{}#pragma OPENCL FP_CONTRACT OFF\n{}{}{arrays}{}kernel void k0(global const uint *zero, global ulong *out) {{\n\
         const uint me = get_global_id(0), i = me + zero[0];\n{declarations}{lines}}}\n",
        plan.line()?,
        features.pragmas(),
        macros(),
        g.bits_functions(),
        g.functions.concat(),
    );
    Ok((text, words))
}

/// Returns the word that a program stores for an element.
fn stored(term: &Term, item: usize, element: usize) -> u64 {
    match term.is_float() {
        true => term.at(item, element).unwrap_or(0),
        false => term.integer_at(item, element).unwrap_or(0) as u64,
    }
}

impl FloatGenerator {
    /// Generates an expression. Returns its line, and the expression with its values. A float is stored as its bits, but the same
    /// bits for every NaN.
    fn line(&mut self, row: usize) -> (String, Term) {
        self.fuel = SIZE;
        let depth = 1 + self.below(3);
        let term = if self.one_in(4) {
            let n = self.width();
            let ty = self.integer_type(n);
            self.integer(ty, depth)
        } else {
            let ty = self.float_type();
            self.float(ty, depth)
        };
        let n = term.ty.n;
        let (ty, text) = match term.is_float() {
            true => {
                let name = term.ty.name();
                (
                    functions::bits_type(term.ty).name(),
                    format!("bits_{name}({})", term.text),
                )
            }
            false => (term.ty.name(), term.text.clone()),
        };
        (format!("E{n}({row}, {ty}, {text})\n"), term)
    }

    /// Returns the functions that give the bits of floats.
    fn bits_functions(&self) -> String {
        let all = self
            .float_sizes()
            .into_iter()
            .flat_map(|bits| WIDTHS.map(|n| float(bits, n)));
        all.map(bits_function).collect()
    }
}

fn bits_function(ty: Type) -> String {
    let (name, bits) = (ty.name(), functions::bits_type(ty));
    let nan = bits.splat(&format!("{:#x}", numbers::Format::of(ty.bits()).nan()));
    let unsigned = bits.name();
    format!("{unsigned} bits_{name}({name} x) {{ return isnan(x) ? {nan} : as_{unsigned}(x); }}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Numbers = Numbers {
        half: true,
        double: true,
        subnormal_half: true,
        subnormal_float: true,
        subnormal_double: true,
        correct_division: true,
    };

    #[test]
    fn a_seed_gives_one_program_with_a_word_for_each_result() {
        for seed in 0..30 {
            let (text, words) = program(seed, ALL).unwrap();
            assert_eq!(program(seed, ALL).unwrap(), (text.clone(), words.clone()));
            assert_eq!(Plan::of(&text).unwrap().memory[1].bytes, words.len() * 8);
            assert!(text.len() < 200_000, "seed {seed} has {} bytes", text.len());
        }
    }

    #[test]
    fn programs_have_every_operation_and_class_of_numbers() {
        let (mut all, mut words) = (String::new(), BTreeSet::new());
        for seed in 0..60 {
            let (text, result) = program(seed, ALL).unwrap();
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
        for f in [numbers::HALF, numbers::SINGLE, numbers::DOUBLE] {
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
            let (text, words) = program(seed, numbers).unwrap();
            let f = numbers::SINGLE;
            let mut row = 0;
            for line in text
                .lines()
                .filter(|l| l.starts_with('E') && !l.contains("#define"))
            {
                let n: usize = line[1..2].parse().unwrap();
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
