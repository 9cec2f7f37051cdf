//! A generator of OpenCL C programs. The specification defines their results to the last bit, and they cover
//! language features that CLSmith's programs do not use.
//!
//! The generator follows these rules: signed arithmetic that could overflow is done in unsigned types;
//! divisors are never 0 or -1; indices are masked; floats are multiples of a power of two, and so small that
//! every result is exact; a barrier separates the writes of local memory from the reads; the result of
//! atomic operations does not depend on their order.

mod body;
mod choices;
mod collectives;
mod declarations;
mod effects;
mod exchange;
mod expressions;
mod fields;
mod floats;
mod flow;
mod generic_pointers;
mod ieee;
mod ints;
mod kernel;
mod later;
mod tree;
mod variables;
mod views;
mod written;

use crate::random::Random;
use crate::types::{self, Type, float, int};
use choices::Choices;

/// The optional features that all devices of a campaign have.
#[derive(Copy, Clone, Debug)]
pub(super) struct Features {
    pub(super) half: bool,
    pub(super) double: bool,
    pub(super) images: bool,
    /// The version of OpenCL C whose features the programs use beside those of OpenCL C 1.2.
    pub(super) later: Option<Std>,
}

/// A version of OpenCL C after 1.2.
#[derive(Copy, Clone, Debug, PartialEq, clap::ValueEnum)]
pub(super) enum Std {
    /// OpenCL C 3.0 with its optional features, and extensions
    #[value(name = "CL3.0")]
    V3_0,
    /// OpenCL C 3.1
    #[value(name = "CL3.1")]
    V3_1,
}

impl Std {
    /// Returns the value of the build option `-cl-std`.
    fn name(self) -> &'static str {
        match self {
            Std::V3_0 => "CL3.0",
            Std::V3_1 => "CL3.1",
        }
    }
}

pub(super) use exchange::program as exchange;
pub(super) use expressions::{differences, program as expressions};
pub(super) use flow::program as flow;
pub(super) use ieee::{Numbers, program as floats};
pub(super) use kernel::program;
pub(super) use views::program as views;
pub(super) use written::Written;

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
    /// The generic pointer through which it is accessed.
    pointer: Option<String>,
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
            pointer: None,
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
    /// A generic pointer to two elements of the work-item's own memory.
    Generic(Type),
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
    /// What a program with features after OpenCL C 1.2 needs; `None` for other programs.
    later: Option<later::Later>,
}

const WIDTHS: [usize; 6] = [1, 2, 3, 4, 8, 16];

impl Choices for Generator {
    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    fn last_name(&mut self) -> &mut usize {
        &mut self.next
    }
}

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
            later: features.later.map(|_| later::Later::default()),
        }
    }

    fn int_type(&mut self) -> Type {
        let n = self.width_of(&WIDTHS);
        let (bits, signed) = (self.pick(&[8, 16, 32, 32, 64]), self.one_in(2));
        int(bits, signed, n)
    }

    fn float_type(&mut self) -> Type {
        let n = self.width_of(&WIDTHS);
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
    use crate::campaign::launch;

    #[test]
    fn programs_are_deterministic_and_of_bounded_size() {
        let features = Features {
            half: true,
            double: true,
            images: true,
            later: None,
        };
        for seed in 0..200 {
            let text = program(seed, features).unwrap();
            assert_eq!(text, program(seed, features).unwrap());
            assert!(text.len() < 200_000, "seed {seed} has {} bytes", text.len());
        }
        assert_ne!(program(1, features).unwrap(), program(2, features).unwrap());
    }

    /// Seeds in records of campaigns name the same programs later.
    #[test]
    fn the_programs_of_opencl_1_2_stay_the_same() {
        let features = Features {
            half: true,
            double: true,
            images: true,
            later: None,
        };
        let all = (0..40)
            .map(|seed| program(seed, features).unwrap() + &super::expressions(seed, features).unwrap());
        let hash = all.fold(0, |h, text| launch::hash(h, text.as_bytes()));
        assert_eq!(hash, 0xe730_c733_0689_4729);
    }

    #[test]
    fn programs_with_later_features_have_all_of_them_and_a_plain_form() {
        let features = Features {
            half: true,
            double: true,
            images: true,
            later: Some(Std::V3_1),
        };
        let mut all = String::new();
        for seed in 0..300 {
            let text = program(seed, features).unwrap();
            assert_eq!(text, program(seed, features).unwrap());
            assert!(text.contains("\"std\":\"CL3.1\""));
            assert!(text.len() < 200_000, "seed {seed} has {} bytes", text.len());
            all += &text;
        }
        for part in [
            "GP_LOCAL_",
            "to_global(",
            "vload2(at, p)",
            "static global",
            "atomic_fetch_add_explicit(",
            "atomic_compare_exchange_",
            "work_group_reduce_",
            "work_group_scan_exclusive_",
            "work_group_broadcast(",
            "work_group_all(",
            "sub_group_shuffle(",
            "sub_group_ballot(",
            "sub_group_rotate(",
            "sub_group_clustered_reduce_",
            "sub_group_non_uniform_scan_inclusive_",
            "get_enqueued_local_size(",
            "bitfield_insert\n",
            "bitfield_extract_signed\n",
            "bit_reverse\n",
            "dot_acc_sat_4x8packed_",
            "static constant",
            "__attribute__((packed))",
            "vstorea_half",
            "vload_half",
            "{.m",
            "(struct T",
            "(**z",
            "async_work_group_copy(",
            "async_work_group_strided_copy(",
        ] {
            assert!(all.contains(part), "{part}");
        }
    }
}
