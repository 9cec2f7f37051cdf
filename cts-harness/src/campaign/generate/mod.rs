//! A generator of OpenCL C programs: what they compute is defined by the specification to the last bit, and they cover what
//! CLSmith's do not.
//!
//! Signed arithmetic that could overflow is done in unsigned types; divisors are never 0 or -1; indices are masked; floats
//! are multiples of a power of two and so small that every result is exact; local memory is written and read on different
//! sides of a barrier; atomics do what comes out alike in every order.

mod body;
mod floats;
mod ints;
mod kernel;
mod types;

use crate::stress::random::Random;
use types::{Type, float, int};

/// What all devices of a campaign offer.
#[derive(Copy, Clone, Debug)]
pub(super) struct Features {
    pub(super) half: bool,
    pub(super) double: bool,
    pub(super) images: bool,
}

pub(super) use kernel::program;

/// Something that expressions read and statements may write: a variable, an element, a field, what a pointer points to.
#[derive(Clone, Debug)]
struct Place {
    /// `@` stands for an index.
    text: String,
    ty: Type,
    /// Elements that the index may name; 0 where there is none.
    len: usize,
    writable: bool,
    /// Whether its address may be taken as a private pointer.
    private: bool,
}

/// A helper function that takes and returns values.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    result: Type,
    parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
enum Parameter {
    Value(Type),
    /// A private pointer to eight elements that may be written.
    Private(Type),
    /// A pointer to 16 words of the input: of the global or of the constant one.
    Input(&'static str),
    /// A structure by value or by pointer.
    Structure {
        index: usize,
        pointer: bool,
    },
}

#[derive(Clone, Debug)]
struct Structure {
    name: String,
    /// Fields as places with `$` for the object, nested ones included.
    places: Vec<Place>,
}

struct Generator {
    random: Random,
    features: Features,
    /// What is in scope.
    places: Vec<Place>,
    /// Arrays of eight counters that atomic functions may change now.
    counters: Vec<String>,
    functions: Vec<Function>,
    structures: Vec<Structure>,
    /// The number of the next name.
    next: usize,
    /// Operators that may still be written.
    fuel: i32,
    /// Levels of loops around.
    loops: usize,
}

const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

impl Generator {
    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    fn name(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    fn width(&mut self) -> usize {
        if self.one_in(2) { 1 } else { self.pick(&WIDTHS) }
    }

    fn int_type(&mut self) -> Type {
        let n = self.width();
        let (bits, signed) = (self.pick(&[8, 16, 32, 32, 64]), self.one_in(2));
        int(bits, signed, n)
    }

    fn float_type(&mut self) -> Type {
        let n = self.width();
        let bits = match self.below(4) {
            0 if self.features.half => 16,
            1 if self.features.double => 64,
            _ => 32,
        };
        float(bits, n)
    }

    fn any_type(&mut self) -> Type {
        if self.one_in(4) {
            self.float_type()
        } else {
            self.int_type()
        }
    }

    /// A place that fits, if there is one; later ones are likelier.
    fn place(&mut self, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        let all: Vec<&Place> = self.places.iter().filter(|p| fits(p)).collect();
        if all.is_empty() {
            return None;
        }
        let n = all.len();
        let (a, b) = (self.random.below(n), self.random.below(n));
        Some(all[a.max(b)].clone())
    }

    /// The place with an index written out.
    fn at(&mut self, place: &Place, depth: usize) -> String {
        if place.len == 0 {
            return place.text.clone();
        }
        let index = self.int(types::UINT, depth.saturating_sub(1));
        let index = if place.len.is_power_of_two() && self.one_in(2) {
            format!("{index} & {}u", place.len - 1)
        } else {
            format!("{index} % {}u", place.len)
        };
        place.text.replace('@', &index)
    }

    /// An expression of a type.
    fn value(&mut self, ty: Type, depth: usize) -> String {
        if ty.is_int() {
            self.int(ty, depth)
        } else {
            self.stored_float(ty, depth)
        }
    }
}

/// The names of a vector's elements.
fn element(i: usize) -> char {
    char::from_digit(i as u32, 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_deterministic_and_of_bounded_size() {
        let features = Features {
            half: true,
            double: true,
            images: true,
        };
        for seed in 0..200 {
            let text = program(seed, features).unwrap();
            assert_eq!(text, program(seed, features).unwrap());
            assert!(text.len() < 200_000, "seed {seed} has {} bytes", text.len());
        }
        assert_ne!(program(1, features).unwrap(), program(2, features).unwrap());
    }
}
