//! Generates programs of float expressions whose results OpenCL C and IEEE 754 define to the last bit: with NaN, infinities, signed
//! zeros, subnormal numbers and rounding.
//!
//! The generator computes the values of its expressions itself, in every work-item ([`terms`], [`numbers`]). It therefore knows where a
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
mod numbers;
mod options;
mod terms;
mod values;

use super::Features;
use super::choices::Choices;
use super::expressions::{ITEMS, declaration, macros};
use super::types::{Type, float};
use crate::Failure;
use crate::campaign::Described;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::random::Random;
use std::collections::BTreeSet;
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
}

struct FloatGenerator {
    random: Random,
    numbers: Numbers,
    /// The names in scope. The first ones are the inputs, or the parameters of a function.
    leaves: Vec<Term>,
    /// The number of inputs.
    inputs: usize,
    /// The definitions of the functions and macros that expressions call.
    functions: Vec<String>,
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

/// Returns the program of a seed, with its plan in the first line, and the words of its result.
pub(crate) fn program(seed: u64, promised: Numbers) -> Result<(String, Vec<u64>), Failure> {
    let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    let (options, numbers) = options::choose(&mut random, promised);
    let mut g = FloatGenerator {
        random,
        numbers,
        leaves: Vec::new(),
        inputs: 0,
        functions: Vec::new(),
        next: 0,
        fuel: 0,
        gaps: false,
        row: None,
    };
    let arrays = g.arrays();
    let inputs = FloatGenerator::inputs(&arrays);
    let parameters = g.parameters();
    g.leaves = inputs.iter().map(|(term, _)| term.clone()).collect();
    g.leaves.extend(parameters.iter().map(|p| p.term.clone()));
    g.inputs = g.leaves.len();
    let (mut rows, mut lines, mut words) = (0, String::new(), Vec::new());
    for _ in 0..EXPRESSIONS {
        if g.one_in(5) {
            lines += &g.variable();
        }
        if g.one_in(8) {
            let (statements, result) = g.counter();
            lines += &statements;
            g.add_leaf(result);
        }
        let (line, term) = g.line(rows);
        lines += &line;
        for e in 0..term.ty.n {
            words.extend((0..ITEMS).map(|item| stored(numbers, &term, item, e)));
        }
        rows += term.ty.n;
    }
    let (functions, arrays): (String, String) = (
        g.functions.concat(),
        arrays.iter().map(values::Array::text).collect(),
    );
    let used: BTreeSet<&str> = [lines.as_str(), functions.as_str()]
        .into_iter()
        .flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .collect();
    let declarations: String = inputs
        .iter()
        .filter(|(term, _)| used.contains(term.text.as_str()))
        .map(|(term, place)| declaration(&term.text, &place.text, term.ty))
        .collect();
    let mut arguments: Vec<Argument> = [0, 1].map(Argument::Memory).into();
    arguments.extend(parameters.iter().map(values::Parameter::argument));
    let plan = Plan {
        options,
        memory: vec![
            Memory::input(4, Fill::Zero),
            Memory::result(rows * ITEMS * 8, Fill::Zero),
        ],
        std: None,
        launches: vec![Launch::new(
            "k0",
            [0, ITEMS, memory::GROUP].map(|n| vec![n]),
            arguments,
        )],
    };
    let features = Features {
        half: numbers.half,
        double: numbers.double,
        images: false,
        later: None,
    };
    let parameters: String = parameters.iter().map(values::Parameter::text).collect();
    let text = format!(
        "{}{}#pragma OPENCL FP_CONTRACT OFF\n{}{GAP}{}{}{arrays}{functions}\
         kernel void k0(global const uint *zero, global ulong *out{parameters}) {{\n\
         const uint me = get_global_id(0), i = me + zero[0];\n{}{declarations}{lines}}}\n",
        plan.line()?,
        features.pragmas(),
        macros(&WIDTHS),
        g.bits_functions(&used),
        memory::functions(&used),
        memory::declarations(&used),
    );
    Ok((text, words))
}

/// A macro that replaces the result of the work-items in which it is not defined. It has a row, and a word with a bit for each work-item.
const GAP: &str = "#define GAP(row, defined) if (!((defined) >> me & 1)) out[(row) * 64u + me] = 0;\n";

/// Returns the word that a program stores for an element.
fn stored(numbers: Numbers, term: &Term, item: usize, element: usize) -> u64 {
    match term.at(item, element) {
        None => 0,
        Some(x) if !term.is_float() => terms::as_integer(term.ty, x) as u64,
        Some(x) if term.format().is_zero(x) && !numbers.signed_zeros => 0,
        Some(x) => x,
    }
}

impl FloatGenerator {
    /// Generates an expression. Returns its line, and the expression with its values. A float is stored as its bits, but the same
    /// bits for every NaN.
    fn line(&mut self, row: usize) -> (String, Term) {
        self.row = Some(row);
        self.gaps = self.one_in(3);
        let term = self.expression();
        self.row = None;
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
        let mut line = format!("E{n}({row}, {ty}, {text})\n");
        for e in 0..n {
            let bit = |item: usize| u64::from(term.at(item, e).is_some()) << item;
            let defined = (0..ITEMS).map(bit).fold(0, |all, bit| all | bit);
            if defined != u64::MAX {
                line += &format!("GAP({}, {defined:#x}UL)\n", row + e);
            }
        }
        (line, term)
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
    fn variable(&mut self) -> String {
        self.gaps = false;
        let value = self.expression();
        let name = self.name("v");
        self.add_leaf(value.named(&name));
        format!("const {} {name} = {};\n", value.ty.name(), value.text)
    }

    /// Lets the following expressions use a variable.
    fn add_leaf(&mut self, variable: Term) {
        if self.leaves.len() == self.inputs + VARIABLES {
            let oldest = self.inputs + self.below(VARIABLES);
            self.leaves.remove(oldest);
        }
        self.leaves.push(variable);
    }

    /// Returns the functions that give the bits of floats.
    fn bits_functions(&self, used: &BTreeSet<&str>) -> String {
        let sizes = self.float_sizes();
        let all = sizes.into_iter().flat_map(|bits| WIDTHS.map(|n| float(bits, n)));
        all.filter(|ty| used.contains(format!("bits_{}", ty.name()).as_str()))
            .map(|ty| self.bits_function(ty))
            .collect()
    }

    fn bits_function(&self, ty: Type) -> String {
        let (name, bits) = (ty.name(), functions::bits_type(ty));
        let splat = |x: u64| bits.splat(&format!("{x:#x}"));
        let nan = splat(numbers::Format::of(ty.bits()).nan());
        let unsigned = bits.name();
        let zero = match self.numbers.signed_zeros {
            true => String::new(),
            false => format!("x == {} ? {} : ", ty.splat("0"), splat(0)),
        };
        format!("{unsigned} bits_{name}({name} x) {{ return isnan(x) ? {nan} : {zero}as_{unsigned}(x); }}\n")
    }
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
        infinities: true,
        signed_zeros: true,
        arithmetic: true,
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
