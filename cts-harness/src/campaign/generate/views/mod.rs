//! Programs that access the same bytes with different types: arrays and structures in private, local, global and constant memory,
//! through pointers to scalars, vectors and structures, at indices that are known or not.
//!
//! The harness executes each program itself, byte by byte (`execute`). Each work-item has bytes of its own in every object, so
//! that work-items do not wait for each other. If a program's results differ, the harness removes statements from it.

mod execute;
mod make;
mod print;

use super::tree::{self, Tree, count, edit};
use super::written::{Form, Written};
use crate::Failure;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};

/// The number of work-items, and that of a work-group.
const ITEMS: usize = 32;
const GROUP: usize = 16;

/// The bytes that an object has for each work-item, and those that a pointer may be used for: a pointer leads to any of several places.
const BYTES: usize = 128;
const REACH: usize = 64;

/// The number of variables of the type `ulong`.
const VARIABLES: usize = 4;

/// The factor of the mixing of values into a variable.
const PRIME: u64 = 0x0100_0000_01b3;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Space {
    Private,
    Local,
    Global,
    Constant,
}

/// The type of an object's declaration. `elements` is the size of an integer and the number of them in a vector.
#[derive(Copy, Clone, Debug)]
enum Declared {
    Elements(usize, usize),
    /// A structure with members of several types.
    Structure,
}

#[derive(Copy, Clone, Debug)]
struct Object {
    space: Space,
    declared: Declared,
    /// The sizes of the integers as which the objects of this space are accessed.
    sizes: &'static [usize],
    /// Whether indices are constants or loop counters.
    known: bool,
}

/// An unsigned number of 32 bits.
#[derive(Copy, Clone, Debug)]
enum Number {
    Constant(u32),
    /// The lower bits of a variable.
    Variable(usize),
    /// The counter of a loop around the statement, plus a constant. The loops are numbered from the innermost one outwards.
    Counter(usize, u32),
    Item,
}

/// A pointer: one of the objects, or a variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Pointer {
    Object(usize),
    Variable(usize),
    /// The parameter of a function.
    Parameter(Space),
}

/// An access through a pointer. The type is a vector of `n` integers, or a scalar.
#[derive(Copy, Clone, Debug)]
struct Access {
    pointer: Pointer,
    /// The size of an element in bytes.
    size: usize,
    n: usize,
    form: AccessForm,
    index: Number,
}

#[derive(Copy, Clone, Debug)]
enum AccessForm {
    /// `*(T *)(p + offset)`.
    Offset,
    /// `((T *)p)[index]`.
    Index,
    /// `vloadN(0, (element *)p + index)`.
    Vload,
}

#[derive(Clone, Debug)]
enum Statement {
    /// Mixes a value into a variable.
    Load(usize, Access),
    /// Stores bits of a variable.
    Store(Access, usize),
    /// Stores a float of the bits of a variable.
    StoreFloat(Access, usize),
    /// An atomic exclusive or, and its result mixed into a variable.
    Atomic(usize, Access),
    /// Assigns a structure, whose bytes are the elements of the accesses.
    Copy(Access, Access),
    /// Chooses between two places, by a bit of a variable.
    Choose(usize, (usize, u32), [(usize, usize); 2]),
    /// Exchanges two pointers.
    Exchange(usize, usize),
    /// Mixes `count` integers from a place on into a variable, by a pointer that a loop increments. If `stores`, each integer
    /// is replaced by the variable.
    Walk {
        variable: usize,
        access: Access,
        count: Number,
        stores: bool,
    },
    If(usize, u32, Vec<Statement>, Vec<Statement>),
    /// A loop with this number of iterations, at most 8.
    Loop(Number, Vec<Statement>),
    /// Mixes the result of a function of a pointer and a variable into a variable.
    Call(usize, usize, Pointer),
    Mix(usize, usize, u64),
}

/// A function of a pointer `p` and a variable. Its result is its first variable.
#[derive(Clone, Debug)]
struct Function {
    space: Space,
    body: Vec<Statement>,
}

#[derive(Clone, Debug)]
struct Program {
    objects: Vec<Object>,
    /// The variables that are pointers: their spaces. Each begins with the first object of its space.
    pointers: Vec<Space>,
    functions: Vec<Function>,
    body: Vec<Statement>,
    /// Whether the objects' bytes are results.
    dumped: bool,
}

impl Program {
    /// Returns the words of the result that a work-item has: its part of the global object, those of the other objects, and the variables.
    fn words(&self) -> usize {
        (self.objects.len() + 1) * BYTES / 8
    }

    fn written(self) -> Result<Written, Failure> {
        let plan = Plan {
            memory: vec![Memory::result(self.words() * ITEMS * 8, Fill::Zero)],
            launches: vec![Launch::new(
                "k",
                [vec![0], vec![ITEMS], vec![GROUP]],
                vec![Argument::Memory(0)],
            )],
            ..Plan::default()
        };
        let (text, words) = (print::text(&self), execute::execute(&self));
        Written::new(&plan, &text, words, text.len(), self)
    }

    /// Returns the bodies of the functions, and that of the kernel.
    fn bodies(&mut self) -> Vec<&mut Vec<Statement>> {
        let functions = self.functions.iter_mut().map(|f| &mut f.body);
        functions.chain([&mut self.body]).collect()
    }
}

impl Tree for Statement {
    fn parts(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If(_, _, a, b) => vec![a, b],
            Statement::Loop(_, body) => vec![body],
            Statement::Load(..)
            | Statement::Store(..)
            | Statement::StoreFloat(..)
            | Statement::Atomic(..)
            | Statement::Copy(..)
            | Statement::Choose(..)
            | Statement::Exchange(..)
            | Statement::Walk { .. }
            | Statement::Call(..)
            | Statement::Mix(..) => Vec::new(),
        }
    }
}

impl Form for Program {
    fn smaller(&self) -> Result<Vec<Written>, Failure> {
        let mut all = Vec::new();
        let steps: [&dyn Fn(&mut Vec<Statement>, usize) -> bool; 4] = [
            &tree::remove,
            &tree::unwrap,
            &tree::without_rest,
            &without_beginning,
        ];
        for at in 0..=self.functions.len() {
            for n in 0..count(&mut self.clone().bodies()[at][..]) {
                for step in steps {
                    let mut smaller = self.clone();
                    let body = smaller.bodies().swap_remove(at);
                    if edit(body, &mut { n }, step) == Some(true) {
                        all.push(smaller.written()?);
                    }
                }
            }
        }
        if self.dumped {
            let dumped = false;
            all.push(
                Program {
                    dumped,
                    ..self.clone()
                }
                .written()?,
            );
        }
        let size = print::text(self).len();
        all.retain(|w| w.size < size);
        Ok(all)
    }
}

/// Removes the statements before one in its body.
fn without_beginning(body: &mut Vec<Statement>, n: usize) -> bool {
    body.drain(..n);
    n > 0
}

/// Returns the program of a seed.
pub(in crate::campaign) fn program(seed: u64) -> Result<Written, Failure> {
    make::random_program(seed).written()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_program_whose_accesses_are_aligned_and_within_their_object() {
        for seed in 0..60 {
            let one = program(seed).unwrap();
            let two = program(seed).unwrap();
            assert_eq!((&one.text, &one.words), (&two.text, &two.words));
            assert!(one.words.iter().any(|w| *w != 0), "seed {seed}");
        }
    }

    #[test]
    fn programs_have_all_spaces_and_forms() {
        let all: String = (0..40).map(|seed| program(seed).unwrap().text).collect();
        for part in [
            "(private uchar *)",
            "(local ",
            "(global ",
            "(constant ",
            "vload3(",
            "vstore16(",
            "atomic_xor(",
            "as_float(",
            "struct S12",
            "f1(",
            "? ",
            "q0 = q1;",
            "w++",
        ] {
            assert!(all.contains(part), "{part}");
        }
    }
}
