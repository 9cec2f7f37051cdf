//! A generator of OpenCL C programs. The specification defines their results to the last bit, and they cover
//! language features that CLSmith's programs do not use.
//!
//! The generator follows these rules: signed arithmetic that could overflow is done in unsigned types;
//! divisors are never 0 or -1; indices are masked; floats are multiples of a power of two, and so small that
//! every result is exact; a barrier separates the writes of local memory from the reads; the result of
//! atomic operations does not depend on their order.

mod body;
mod effects;
mod expressions;
mod fields;
mod floats;
mod ints;
mod kernel;
mod types;

use crate::random::Random;
use types::{Type, float, int};

/// The optional features that all devices of a campaign have.
#[derive(Copy, Clone, Debug)]
pub(super) struct Features {
    pub(super) half: bool,
    pub(super) double: bool,
    pub(super) images: bool,
}

pub(super) use expressions::{differences, program as expressions};
pub(super) use kernel::program;

impl Features {
    /// Returns the directives that enable the extensions of the features.
    fn pragmas(self) -> String {
        [(self.double, "cl_khr_fp64"), (self.half, "cl_khr_fp16")]
            .into_iter()
            .filter(|(wanted, _)| *wanted)
            .map(|(_, name)| format!("#pragma OPENCL EXTENSION {name} : enable\n"))
            .collect()
    }
}

/// An lvalue that expressions read and statements may write: a variable, an array element, a field, or the
/// target of a pointer.
#[derive(Clone, Debug)]
struct Place {
    /// The expression that names it; `@` stands for an index.
    text: String,
    ty: Type,
    /// The number of elements that the index may name, or 0 if there is no index.
    len: usize,
    writable: bool,
    /// Whether the program may take its address as a private pointer.
    private: bool,
}

impl Place {
    /// Returns a place that can only be read.
    fn read_only(text: &str, ty: Type, len: usize) -> Place {
        Place {
            text: text.to_owned(),
            ty,
            len,
            writable: false,
            private: false,
        }
    }

    /// Returns a place that can be written.
    fn writable(text: String, ty: Type, len: usize, private: bool) -> Place {
        Place {
            writable: true,
            private,
            ..Place::read_only(&text, ty, len)
        }
    }
}

/// A helper function: its parameters and its result.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    result: Type,
    parameters: Vec<Parameter>,
}

#[derive(Clone, Debug)]
enum Parameter {
    Value(Type),
    /// A private pointer to eight elements, which the function may write.
    Private(Type),
    /// A pointer to 16 words of the input in this address space, global or constant.
    Input(&'static str),
    /// A structure, passed by value or by pointer.
    Structure {
        index: usize,
        pointer: bool,
    },
}

#[derive(Clone, Debug)]
struct Structure {
    name: String,
    /// The fields as places, including those of nested structures; `$` stands for the object.
    places: Vec<Place>,
}

struct Generator {
    random: Random,
    features: Features,
    /// The places in scope.
    places: Vec<Place>,
    /// The arrays of eight counters that atomic functions may change at this point of the program.
    counters: Vec<String>,
    functions: Vec<Function>,
    structures: Vec<Structure>,
    /// The number in the name that was given last.
    next: usize,
    /// The number of operators that may still be generated.
    fuel: i32,
    /// The number of loops around the current statement.
    loops: usize,
}

const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

impl Generator {
    /// Makes a generator without anything in scope.
    fn new(random: Random, features: Features, fuel: i32) -> Generator {
        Generator {
            random,
            features,
            places: Vec::new(),
            counters: Vec::new(),
            functions: Vec::new(),
            structures: Vec::new(),
            next: 0,
            fuel,
            loops: 0,
        }
    }

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

    /// Returns a random place for which `fits` is true, if there is one. Places that were declared later are
    /// likelier.
    fn place(&mut self, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        let all: Vec<&Place> = self.places.iter().filter(|p| fits(p)).collect();
        if all.is_empty() {
            return None;
        }
        let n = all.len();
        let (a, b) = (self.random.below(n), self.random.below(n));
        Some(all[a.max(b)].clone())
    }

    /// Returns the expression for the place, with a random index in its range where it has one.
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

    /// Returns a random expression of a type.
    fn value(&mut self, ty: Type, depth: usize) -> String {
        if ty.is_int() {
            self.int(ty, depth)
        } else {
            self.stored_float(ty, depth)
        }
    }
}

/// Returns the name of a vector's element after `.s`.
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
