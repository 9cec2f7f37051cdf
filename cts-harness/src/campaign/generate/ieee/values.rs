//! The inputs and literals of float expressions.

use super::super::choices::Choices;
use super::super::{Place, element};
use super::terms::Term;
use super::{FloatGenerator, ITEMS};
use crate::campaign::launch::Argument;
use crate::float_format::{DOUBLE, Format, HALF, Rounding, SINGLE};
use crate::types::{Type, float, int};

/// What an input's values are like.
#[derive(Copy, Clone, PartialEq)]
enum Kind {
    /// Any number: boundaries, infinities, NaN, random bits.
    Any,
    /// Finite numbers.
    Finite,
    /// Numbers of moderate size, often with a fraction of a half.
    Moderate,
}

const KINDS: [(&str, Kind); 3] = [("x", Kind::Any), ("y", Kind::Finite), ("z", Kind::Moderate)];

/// The letter of the integer inputs.
const INTEGERS: &str = "n";

/// A parameter of the kernel, which has the same value in all work-items.
#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) term: Term,
}

impl Parameter {
    /// Returns the declaration, after a comma.
    pub(super) fn text(&self) -> String {
        format!(", {} {}", self.term.ty.name(), self.term.text)
    }

    pub(super) fn argument(&self) -> Argument {
        let ty = self.term.ty;
        // A vector of three elements takes the place of one of four.
        let places = if ty.n == 3 { 4 } else { ty.n };
        let element = |e: usize| self.term.at(0, e.min(ty.n - 1)).unwrap_or(0).to_le_bytes();
        let bytes = (0..places).flat_map(|e| element(e).into_iter().take(ty.bits() as usize / 8));
        Argument::Bytes(bytes.collect())
    }
}

/// An array of the inputs, in constant memory.
pub(super) struct Array {
    letter: &'static str,
    bits: u32,
    values: Vec<u64>,
}

impl Array {
    pub(super) fn name(&self) -> String {
        format!("{}{}", self.letter, self.bits)
    }

    /// Returns the declaration of the array.
    pub(super) fn text(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|v| format!("{v:#x}UL")).collect();
        let ty = int(self.bits, false, 1).name();
        let name = self.name();
        format!("constant {ty} {name}[{ITEMS}] = {{{}}};\n", values.join(", "))
    }

    /// Returns an input that comes from the array: the elements of a vector are adjacent elements.
    fn input(&self, ty: Type) -> Term {
        let lanes = (0..ITEMS).flat_map(|item| (0..ty.n).map(move |e| (item + e) % ITEMS));
        let values = lanes.map(|at| Some(self.values[at])).collect();
        Term::new(format!("{}_{}", self.letter, ty.name()), ty, values)
    }
}

impl FloatGenerator {
    /// Makes the arrays of the inputs.
    pub(super) fn arrays(&mut self) -> Vec<Array> {
        let mut all = Vec::new();
        for bits in self.numbers.float_sizes() {
            for (letter, kind) in KINDS {
                let f = Format::of(bits);
                let values = (0..ITEMS).map(|_| self.number(f, kind)).collect();
                all.push(Array { letter, bits, values });
            }
        }
        for bits in [8, 16, 32, 64] {
            let values = (0..ITEMS).map(|_| self.integer_number(bits)).collect();
            all.push(Array {
                letter: INTEGERS,
                bits,
                values,
            });
        }
        all
    }

    /// Returns the inputs that come from the arrays, and how they are declared, each with its name.
    pub(super) fn inputs(arrays: &[Array]) -> Vec<(Term, Place)> {
        let mut all = Vec::new();
        for array in arrays {
            for n in super::WIDTHS {
                let types = match array.letter == INTEGERS {
                    true => vec![int(array.bits, true, n), int(array.bits, false, n)],
                    false => vec![float(array.bits, n)],
                };
                for ty in types {
                    all.push((array.input(ty), Place::read_only(array.letter, ty, 0)));
                }
            }
        }
        all
    }

    /// Makes the parameters of the kernel.
    pub(super) fn parameters(&mut self) -> Vec<Parameter> {
        let mut all = Vec::new();
        for ty in self
            .numbers
            .float_sizes()
            .into_iter()
            .flat_map(|bits| [1, 3, 4].map(|n| float(bits, n)))
        {
            let kind = self.pick(&[Kind::Any, Kind::Finite, Kind::Moderate]);
            let lanes: Vec<u64> = (0..ty.n)
                .map(|_| self.number(Format::of(ty.bits()), kind))
                .collect();
            let name = format!("a_{}", ty.name());
            all.push(Parameter {
                term: Term::constant(name, ty, &lanes),
            });
        }
        for ty in [32, 64]
            .into_iter()
            .flat_map(|bits| [true, false].map(|signed| int(bits, signed, 1)))
        {
            let x = self.integer_number(ty.bits());
            let name = format!("a_{}", ty.name());
            all.push(Parameter {
                term: Term::constant(name, ty, &[x]),
            });
        }
        all
    }

    fn bits(&mut self) -> u64 {
        u64::from(self.random.word()) << 32 | u64::from(self.random.word())
    }

    /// Returns a number of the kind. If the devices flush subnormal numbers, it is none.
    fn number(&mut self, f: Format, kind: Kind) -> u64 {
        let sign = if self.one_in(2) { f.sign() } else { 0 };
        let x = match kind {
            Kind::Moderate => self.moderate(f),
            Kind::Finite | Kind::Any => loop {
                let x = f.canonical(self.boundary(f));
                if kind == Kind::Any || f.is_finite(x) {
                    break x;
                }
            },
        };
        let x = if f.is_nan(x) { x } else { x ^ sign };
        self.numbers.kept(f, x).unwrap_or(f.one())
    }

    /// Returns a number of moderate size that is not negative.
    fn moderate(&mut self, f: Format) -> u64 {
        let half = f.scale(f.one(), -1);
        let whole =
            |g: &mut Self, below: usize| f.rounded_integer(g.below(below) as i128, Rounding::NearestEven);
        match self.below(5) {
            0 => whole(self, 130),
            1 => {
                let n = whole(self, 20);
                f.add(n, half)
            }
            2 => f.one() + self.below(3) as u64 - 1,
            3 => {
                let n = whole(self, 1000);
                f.scale(n, -(self.below(8) as i32))
            }
            // A random fraction and an exponent near 0.
            _ => {
                let fraction = self.bits() & (f.least_normal() - 1);
                f.scale(f.one() | fraction, self.below(12) as i32 - 4)
            }
        }
    }

    /// Returns a number that is not negative: mostly one where the result of an operation changes its class, or where rounding
    /// matters.
    fn boundary(&mut self, f: Format) -> u64 {
        match self.below(16) {
            0 => 0,
            1 => 1 + self.below(2) as u64,
            2 => f.least_normal() + self.below(3) as u64 - 1,
            3 => f.greatest() - self.below(2) as u64,
            4 => f.infinity(),
            5 => f.nan(),
            6 => f.one() + self.below(3) as u64 - 1,
            7 | 8 => {
                let exponent = self.below(1 << (f.bits - f.fraction() - 1)) as u64;
                f.magnitude(exponent << f.fraction())
            }
            9 | 10 => self.halfway(f),
            // An integer next to a power of two, among them those from which on not every integer is a number of the format.
            11 | 12 => {
                let exponent = match self.below(3) {
                    0 => f.fraction() as usize + self.below(3),
                    1 => self.pick(&[7, 8, 15, 16, 31, 32, 63, 64]),
                    _ => self.below(65),
                };
                let power = f.scale(f.one(), exponent as i32);
                match f.is_finite(power) {
                    true => power + self.below(3) as u64 - 1,
                    false => f.greatest(),
                }
            }
            13 => self.moderate(f),
            _ => f.magnitude(self.bits()),
        }
    }

    /// Returns a number in the middle of two numbers of a smaller format, or a neighbour of it.
    fn halfway(&mut self, f: Format) -> u64 {
        let smaller = match f.bits {
            16 => return self.moderate(f),
            64 if self.one_in(2) => SINGLE,
            _ => HALF,
        };
        let x = (self.bits() & (smaller.infinity() - 1)).min(smaller.greatest() - 1);
        // The smallest numbers are subnormal.
        let x = if self.one_in(3) {
            x % (4 * smaller.least_normal())
        } else {
            x
        };
        let [a, b] = [x, x + 1].map(|x| f.converted(smaller, x, Rounding::NearestEven));
        let middle = f.scale(f.add(a, b), -1);
        match self.below(4) {
            0 if middle > 0 => middle - 1,
            1 => middle + 1,
            _ => middle,
        }
    }

    /// Returns the bits of an integer: a power of two, a neighbour or its negative, a number with one bit more than a float
    /// has, or random bits.
    fn integer_number(&mut self, bits: u32) -> u64 {
        let exponent = match self.below(3) {
            0 => self.below(bits as usize),
            1 => self.pick(&[11, 12, 24, 25, 53, 54, 63, 31, 7]) % bits as usize,
            _ => bits as usize - 1 - self.below(2),
        };
        let power = 1u64 << exponent;
        let value = match self.below(8) {
            0 => 0,
            1 => power,
            2 => power - 1,
            3 => power.wrapping_neg(),
            4 => power + 1,
            5 => self.below(20) as u64,
            // A tie, or nearly one, when it becomes a float.
            6 => {
                let fraction = self.pick(&[HALF, SINGLE, DOUBLE]).fraction();
                let low = self.below(exponent.max(1)) as u32;
                power
                    | 1 << (low.max(exponent.saturating_sub(fraction as usize + 1) as u32) & 63)
                    | self.below(2) as u64
            }
            _ => self.bits(),
        };
        value & (u64::MAX >> (64 - bits))
    }

    /// Returns a constant float: a literal, or a literal in each element.
    pub(super) fn float_literal(&mut self, ty: Type) -> Term {
        let f = Format::of(ty.bits());
        let different = ty.n > 1 && self.one_in(4);
        let count = if different { ty.n } else { 1 };
        let lanes: Vec<u64> = (0..count).map(|_| self.literal_number(f)).collect();
        let texts: Vec<String> = lanes.iter().map(|x| self.literal_text(f, *x)).collect();
        let lanes: Vec<u64> = (0..ty.n).map(|e| lanes[if different { e } else { 0 }]).collect();
        let text = match ty.n {
            1 => texts[0].clone(),
            _ => ty.splat(&texts.join(", ")),
        };
        Term::constant(text, ty, &lanes)
    }

    fn literal_number(&mut self, f: Format) -> u64 {
        let simple = f.scale(f.one(), self.below(5) as i32 - 2);
        let x = match self.below(10) {
            0 => 0,
            1 => f.sign(),
            2 => f.one(),
            3 => f.one() | f.sign(),
            4 | 5 => simple,
            6 => self.moderate(f),
            7 => f.infinity(),
            8 => f.canonical(self.boundary(f)),
            _ => f.scale(f.one(), self.below(60) as i32 - 30),
        };
        let x = if self.one_in(4) && !f.is_nan(x) {
            x ^ f.sign()
        } else {
            x
        };
        self.numbers.kept(f, x).unwrap_or(f.one())
    }

    /// Returns the text of a literal.
    pub(super) fn literal_text(&mut self, f: Format, x: u64) -> String {
        let ty = float(f.bits, 1).name();
        let (minus, suffix) = (
            if f.is_negative(x) { "-" } else { "" },
            if f.bits == 32 { "f" } else { "" },
        );
        match f.parts(f.magnitude(x)) {
            _ if f.is_nan(x) => {
                let payload = int(f.bits, false, 1).splat("0");
                match self.one_in(2) {
                    true => format!("(({ty})NAN)"),
                    false => format!("nan({payload})"),
                }
            }
            None => format!("(({ty})({minus}INFINITY))"),
            Some(_) if self.one_in(6) => {
                let unsigned = int(f.bits, false, 1).name();
                format!("as_{ty}(({unsigned}){x:#x}UL)")
            }
            Some((mantissa, exponent)) => {
                // The literal of a half is a float.
                let suffix = if f.bits == 16 { "f" } else { suffix };
                let zeros = mantissa.trailing_zeros() % 64;
                let literal = format!(
                    "{minus}{:#x}p{}{suffix}",
                    mantissa >> zeros,
                    exponent + zeros as i32
                );
                match f.bits {
                    16 => format!("((half)({literal}))"),
                    _ if minus.is_empty() => literal,
                    _ => format!("({literal})"),
                }
            }
        }
    }

    /// Returns a constant integer.
    pub(super) fn integer_literal(&mut self, ty: Type) -> Term {
        let x = match self.below(3) {
            0 => self.below(8) as u64,
            _ => self.integer_number(ty.bits()),
        };
        Self::integer_constant(ty, x)
    }

    /// Returns an integer, or a vector of equal integers, with these bits.
    pub(super) fn integer_constant(ty: Type, x: u64) -> Term {
        let (scalar, unsigned) = (ty.of(1).name(), ty.of(1).as_int(false).name());
        let text = match ty.is_signed() {
            true => format!("as_{scalar}(({unsigned}){x:#x}UL)"),
            false => format!("(({scalar}){x:#x}UL)"),
        };
        let text = if ty.n == 1 { text } else { ty.splat(&text) };
        Term::constant(text, ty, &vec![x; ty.n])
    }

    /// Returns an element of a vector, or a vector of some of its elements.
    pub(super) fn swizzled(&mut self, v: &Term, n: usize) -> Term {
        let all: Vec<usize> = (0..n).map(|_| self.below(v.ty.n)).collect();
        let names: String = all.iter().map(|e| element(*e)).collect();
        let text = format!("({}).s{names}", v.text);
        let values = (0..ITEMS).flat_map(|item| all.iter().map(move |e| v.at(item, *e)));
        Term::new(text, v.ty.of(n), values.collect())
    }

    /// Returns a vector that consists of scalars.
    pub(super) fn assembled(parts: &[Term]) -> Term {
        let ty = parts[0].ty.of(parts.len());
        let texts: Vec<&str> = parts.iter().map(|p| p.text.as_str()).collect();
        let text = ty.splat(&texts.join(", "));
        let values = (0..ITEMS).flat_map(|item| parts.iter().map(move |p| p.at(item, 0)));
        Term::new(text, ty, values.collect())
    }
}
