//! Generates programs of independent small expressions, and finds the expressions whose values differ between
//! platforms.
//!
//! A program has one kernel. Each expression is a line `E4(ROW, TYPE, TEXT)`, where 4 is the number of its
//! elements. Every element has a row of the result: a word for each work-item, to which the element is
//! converted. The inputs are variables named by letter and type, such as `x_char4`. They come from arrays in
//! constant memory, at an index that a compiler does not know.

use super::choices::Choices;
use super::{Features, Generator, Place, element};
use crate::Failure;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::campaign::record::Difference;
use crate::random::Random;
use crate::types::{Type, int};
use std::collections::{BTreeMap, BTreeSet};

/// The number of work-items, which is also the number of values of each input: a power of two.
pub(super) const ITEMS: usize = 64;

/// The number of expressions in a program.
const EXPRESSIONS: usize = 100;

/// The number of operators and operands after which the generator only adds operands to an expression.
const SIZE: i32 = 12;

/// The number of expressions that are named for one program.
const NAMED: usize = 10;

/// The numbers of elements of the expressions. Longer vectors only appear within them: most devices compute
/// every element by itself, so one such expression would take as long to compile as many others.
const WIDTHS: [usize; 4] = [1, 2, 3, 4];

const LETTERS: [&str; 3] = ["x", "y", "z"];
const BITS: [u32; 4] = [8, 16, 32, 64];

/// Returns the program of a seed, with its plan in the first line.
pub(crate) fn program(seed: u64, features: Features) -> Result<String, Failure> {
    let random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    let mut g = Generator::new(random, features, 0);
    let inputs = inputs();
    for (name, _, ty) in &inputs {
        // The generator prefers places at the end of the list, so each seed has its own order.
        let at = g.below(g.places.len() + 1);
        g.places.insert(at, Place::read_only(name, *ty, 0));
    }
    let (mut rows, mut lines) = (0, String::new());
    for _ in 0..EXPRESSIONS {
        g.fuel = SIZE;
        let (ty, depth) = (g.any_type(), 1 + g.below(3));
        let ty = ty.of(if WIDTHS.contains(&ty.n) { ty.n } else { 1 });
        let (mut text, mut name) = (g.value(ty, depth), ty.name());
        if !ty.is_int() {
            name = ty.as_int(false).name();
            text = format!("as_{name}({text})");
        }
        lines += &format!("E{}({rows}, {name}, {text})\n", ty.n);
        rows += ty.n;
    }
    let used: BTreeSet<&str> = lines
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .collect();
    let declarations: String = inputs
        .iter()
        .filter(|(name, ..)| used.contains(name.as_str()))
        .map(|(name, letter, ty)| declaration(name, letter, *ty))
        .collect();
    let plan = Plan {
        options: String::new(),
        memory: vec![
            Memory::input(4, Fill::Zero),
            Memory::result(rows * ITEMS * 8, Fill::Zero),
        ],
        std: features.later.map(|std| std.name().to_owned()),
        launches: vec![Launch::new(
            "k0",
            [0, ITEMS, 16].map(|n| vec![n]),
            [0, 1].map(Argument::Memory).into(),
        )],
    };
    Ok(format!(
        "{}{}{}{}{}kernel void k0(global const uint *zero, global ulong *out) {{\n\
         const uint me = get_global_id(0), i = me + zero[0];\n{declarations}{lines}}}\n",
        plan.line()?,
        features.pragmas(),
        g.later_header(),
        macros(&WIDTHS),
        g.arrays(),
    ))
}

/// Returns the name, the letter and the type of every input.
fn inputs() -> Vec<(String, &'static str, Type)> {
    let mut all = Vec::new();
    for letter in LETTERS {
        for bits in BITS {
            for (signed, n) in [true, false]
                .into_iter()
                .flat_map(|s| super::WIDTHS.map(|n| (s, n)))
            {
                let ty = int(bits, signed, n);
                all.push((format!("{letter}_{}", ty.name()), letter, ty));
            }
        }
    }
    all
}

/// Returns the declaration of an input. The elements of a vector are adjacent elements of its array.
pub(super) fn declaration(name: &str, letter: &str, ty: Type) -> String {
    let array = format!("{letter}{}", ty.bits());
    let all: Vec<String> = (0..ty.n)
        .map(|e| format!("{array}[(i + {e}u) & {}u]", ITEMS - 1))
        .collect();
    let value = ty.as_int(false).splat(&all.join(", "));
    let ty = ty.name();
    format!("const {ty} {name} = as_{ty}({value});\n")
}

/// Returns the definitions of the macros `E1` to `E4`.
pub(super) fn macros(widths: &[usize]) -> String {
    let define = |n: usize| {
        let stores: String = (0..n)
            .map(|e| match n {
                1 => format!(" out[row * {ITEMS}u + me] = r;"),
                _ => format!(" out[(row + {e}u) * {ITEMS}u + me] = r.s{};", element(e)),
            })
            .collect();
        format!("#define E{n}(row, type, value) {{ const type r = value;{stores} }}\n")
    };
    widths.iter().copied().map(define).collect()
}

impl Generator {
    /// Returns the arrays from which the inputs come.
    fn arrays(&mut self) -> String {
        let mut text = String::new();
        for (letter, bits) in LETTERS.into_iter().flat_map(|l| BITS.map(|b| (l, b))) {
            let values: Vec<String> = (0..ITEMS)
                .map(|_| format!("{:#x}UL", self.boundary(bits)))
                .collect();
            let ty = int(bits, false, 1).name();
            text += &format!(
                "constant {ty} {letter}{bits}[{ITEMS}] = {{{}}};\n",
                values.join(", ")
            );
        }
        text
    }

    /// Returns a number of `bits` bits: mostly a power of two, its negative, or a neighbour of these.
    fn boundary(&mut self, bits: u32) -> u64 {
        let exponent = match self.below(4) {
            0 => 0,
            1 => bits as usize - 1,
            2 => self.pick(&[7, 8, 15, 16, 31, 32]) % bits as usize,
            _ => self.below(bits as usize),
        };
        let power = 1u64 << exponent;
        let value = match self.below(6) {
            0 => power,
            1 => power - 1,
            2 => power.wrapping_neg(),
            3 => !power,
            4 => power + 1,
            _ => u64::from(self.random.word()) << 32 | u64::from(self.random.word()),
        };
        value & (u64::MAX >> (64 - bits))
    }
}

/// Returns the expressions of a program whose values differ between the platforms, the shortest ones first.
/// `results` has the words of the program's result for each platform.
pub(crate) fn differences(program: &str, results: &BTreeMap<String, Vec<u64>>) -> Vec<Difference> {
    let word = |row: usize, item: usize| results.values().map(move |w| w.get(row * ITEMS + item));
    let differs = |row, item| {
        let mut all = word(row, item);
        let first = all.next();
        all.any(|w| Some(w) != first)
    };
    let mut found = Vec::new();
    for (rows, ty, text) in program.lines().filter_map(expression) {
        let items: Vec<usize> = (0..ITEMS)
            .filter(|i| rows.clone().any(|row| differs(row, *i)))
            .collect();
        let Some((item, row)) = items
            .first()
            .and_then(|i| Some((*i, rows.clone().find(|row| differs(*row, *i))?)))
        else {
            continue;
        };
        let values = results.keys().cloned().zip(word(row, item).flatten().copied());
        found.push(Difference {
            expression: match rows.len() {
                1 => text.to_owned(),
                _ => format!("({text}).s{}", element(row - rows.start)),
            },
            ty: ty.to_owned(),
            item,
            items: items.len(),
            values: values.collect(),
        });
    }
    found.sort_by_key(|d| d.expression.len());
    found.truncate(NAMED);
    found
}

/// Returns the rows, the type and the text of the expression in a line of a program.
fn expression(line: &str) -> Option<(std::ops::Range<usize>, &str, &str)> {
    let (n, rest) = line.strip_prefix('E')?.split_once('(')?;
    let mut parts = rest.strip_suffix(')')?.splitn(3, ", ");
    let row: usize = parts.next()?.parse().ok()?;
    Some((row..row + n.parse::<usize>().ok()?, parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(seed: u64) -> String {
        let features = Features {
            half: true,
            double: true,
            images: false,
            later: None,
        };
        program(seed, features).unwrap()
    }

    #[test]
    fn a_seed_gives_one_program_of_small_expressions() {
        for seed in 0..50 {
            let text = some(seed);
            assert_eq!(text, some(seed));
            let all: Vec<_> = text.lines().filter_map(expression).collect();
            assert_eq!(all.len(), EXPRESSIONS);
            // The rows are as many as the result has, without gaps.
            let end = all.iter().fold(0, |end, (rows, ..)| {
                assert_eq!(rows.start, end);
                rows.end
            });
            assert_eq!(Plan::of(&text).unwrap().memory[1].bytes, end * ITEMS * 8);
            let mut sizes: Vec<usize> = all.iter().map(|(.., text)| text.len()).collect();
            sizes.sort_unstable();
            assert!(
                sizes[EXPRESSIONS / 2] < 200,
                "seed {seed}: {}",
                sizes[EXPRESSIONS / 2]
            );
        }
        assert_ne!(some(1), some(2));
    }

    #[test]
    fn arrays_have_the_boundaries_of_their_types() {
        let text = (1..5).map(some).collect::<String>();
        for (array, value) in [
            ("x8[", "0x80UL"),
            ("y16[", "0x7fffUL"),
            ("z32[", "0xffffffffUL"),
            ("x64[", "0x8000000000000000UL"),
        ] {
            let mut lines = text
                .lines()
                .filter(|l| l.starts_with("constant") && l.contains(array));
            assert!(lines.any(|l| l.contains(value)), "{array} {value}");
        }
    }

    #[test]
    fn the_expression_of_another_word_is_named() {
        let text = "E1(0, char, -x_char)\nE2(1, uint2, abs_diff(x_int2, y_int2))\nE1(3, int, 7)\n";
        let words = vec![5; 4 * ITEMS];
        let both = |other: &[u64]| {
            let all = [("a".to_owned(), words.clone()), ("b".to_owned(), other.to_vec())];
            differences(text, &all.into())
        };
        assert_eq!(both(&words), []);
        let mut other = words.clone();
        other[2 * ITEMS + 9] = 6;
        other[2 * ITEMS + 30] = 7;
        other[ITEMS + 30] = 8;
        let vector = Difference {
            expression: "(abs_diff(x_int2, y_int2)).s1".into(),
            ty: "uint2".into(),
            item: 9,
            items: 2,
            values: [("a".to_owned(), 5), ("b".to_owned(), 6)].into(),
        };
        assert_eq!(both(&other), std::slice::from_ref(&vector));
        // A shorter expression comes first.
        other[3 * ITEMS - 1 + 64] = 0;
        let found = both(&other);
        assert_eq!((found[0].expression.as_str(), found[0].item), ("7", 63));
        assert_eq!(found[1], vector);
    }
}
