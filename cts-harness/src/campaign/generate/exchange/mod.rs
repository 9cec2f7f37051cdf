//! Programs in which the work-items of a work-group exchange values through local and global memory: each reads what others have
//! written before a barrier.
//!
//! The harness executes each program itself, on all work-items of a work-group (`execute`), and knows for each byte who wrote and
//! read it since the last barrier (`memory`). So it finds data races, reads of uninitialised memory and accesses out of bounds.
//! A program is made at random (`make`) and then mended until it has none of these (`mend`): a barrier is put where a data race was found, and
//! elsewhere a statement is removed. So most barriers of a program are necessary.

mod execute;
mod later;
mod make;
mod memory;
mod mend;
mod patterns;
mod print;

use super::Std;
use super::tree;
use super::tree::{Tree, count, edit};
use super::written::{Form, Written};
use crate::Failure;
use crate::campaign::launch::{Argument, Fill, Launch, Memory, Plan};
use crate::types::Type;

/// The number of variables of the type `ulong`, and that of the variables of the type `uint` that are the same in all work-items.
const VARIABLES: usize = 4;
const UNIFORMS: usize = 2;

/// The factor of the mixing of values into a variable.
const PRIME: u64 = 0x0100_0000_01b3;

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Space {
    Local,
    Global,
    Constant,
}

/// The type of an element of an array.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Element {
    Value(Type),
    /// One of [`STRUCTURES`].
    Structure(usize),
}

/// The structures: their definitions, and the names, offsets and sizes of their members, which are unsigned. None has padding.
const STRUCTURES: [(&str, &[(&str, usize, usize)]); 2] = [
    (
        "struct S0 { uint a; ushort b; uchar c[2]; };\n",
        &[(".a", 0, 4), (".b", 4, 2), (".c[0]", 6, 1), (".c[1]", 7, 1)],
    ),
    (
        "struct S1 { ushort a[2]; uchar b[4]; ulong c; };\n",
        &[
            (".a[0]", 0, 2),
            (".a[1]", 2, 2),
            (".b[0]", 4, 1),
            (".b[1]", 5, 1),
            (".b[2]", 6, 1),
            (".b[3]", 7, 1),
            (".c", 8, 8),
        ],
    ),
];

/// A number of some bytes in an element.
struct Field {
    offset: usize,
    size: usize,
    signed: bool,
    float: bool,
}

impl Field {
    /// Returns a number with this type, converted to 64 bits.
    fn extended(&self, number: u64) -> u64 {
        let rest = 64 - 8 * self.size;
        match self.signed {
            true => ((number << rest) as i64 >> rest) as u64,
            false => number << rest >> rest,
        }
    }
}

impl Element {
    fn bytes(self) -> usize {
        match self {
            Element::Value(ty) => ty.bytes() * ty.n,
            Element::Structure(s) => [8, 16][s],
        }
    }

    fn count(self) -> usize {
        match self {
            Element::Value(ty) => ty.n,
            Element::Structure(s) => STRUCTURES[s].1.len(),
        }
    }

    fn field(self, f: usize) -> Field {
        match self {
            Element::Value(ty) => Field {
                offset: f * ty.bytes(),
                size: ty.bytes(),
                signed: ty.is_signed(),
                float: !ty.is_int(),
            },
            Element::Structure(s) => {
                let (_, offset, size) = STRUCTURES[s].1[f];
                let (signed, float) = (false, false);
                Field {
                    offset,
                    size,
                    signed,
                    float,
                }
            }
        }
    }

    /// Returns the type of a scalar integer.
    fn scalar(self) -> Option<Type> {
        match self {
            Element::Value(ty) if ty.is_int() && ty.n == 1 => Some(ty),
            _ => None,
        }
    }
}

/// An array, or the arrays that a pointer may lead to. It has `each` elements for every work-item, and some more.
#[derive(Copy, Clone, Debug)]
struct Array {
    space: Space,
    /// Whether an array in local memory is an argument of the kernel.
    argument: bool,
    element: Element,
    each: usize,
    rest: usize,
}

impl Array {
    fn elements(&self, items: usize) -> usize {
        self.each * items + self.rest
    }
}

/// A number of the type `uint` that is the same in all work-items of the work-group.
#[derive(Copy, Clone, Debug)]
enum Number {
    Constant(u32),
    /// The counter of a loop around the statement, plus a constant. The loops are numbered from the innermost one outwards.
    Counter(usize, u32),
    Uniform(usize),
    /// The number of the work-group plus the kernel's argument.
    Group,
}

/// A number modulo another one, or the number itself if that is 0.
type Below = (Number, u32);

/// A number of the type `uint` for each work-item. `n` stands for the number of work-items, and `lid` for that of the work-item.
#[derive(Copy, Clone, Debug)]
enum Place {
    /// `lid`.
    Own,
    /// `(lid + k) % n`.
    Rotated(Below),
    /// `n - 1 - lid`.
    Reversed,
    /// `lid ^ k`.
    Xor(Below),
    /// `lid % w * (n / w) + lid / w`.
    Transposed(usize),
    /// `lid * k % n`.
    Times(usize),
    /// `lid + k`.
    After(Below),
    /// `lid - k`.
    Before(Below),
    /// `lid / k`.
    Shared(usize),
    /// The same in all work-items.
    Same(Below),
    /// A variable modulo the number of elements.
    Variable(usize),
}

/// The index of an element: one of the `each` elements that belong to a place, plus a number.
#[derive(Copy, Clone, Debug)]
struct Index {
    place: Place,
    each: usize,
    /// Whether the elements of a place are next to each other, or `n` elements apart.
    adjacent: bool,
    element: Below,
    plus: Below,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Base {
    Array(usize),
    Pointer(usize),
}

#[derive(Copy, Clone, Debug)]
struct Access {
    base: Base,
    /// The type of the access. It is that of the array's elements, or in some programs another one.
    element: Element,
    index: Index,
    /// The number in the element that is accessed, or the whole element.
    field: Option<usize>,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Operation {
    Add,
    Subtract,
    Increment,
    Decrement,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
}

#[derive(Copy, Clone, Debug)]
enum Condition {
    /// `lid < k`.
    Less(Below),
    /// `lid >= k`.
    NotLess(Below),
    /// `lid + k < n`.
    Fits(Below),
    /// `lid == k`.
    Is(Below),
    /// `lid % k == r`.
    Remainder(usize, usize),
    /// A bit of a variable.
    Bit(usize, u32),
    /// A bit of a number that is the same in all work-items.
    Uniform(Number, u32),
}

/// The address spaces of a barrier.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Fence {
    Local,
    Global,
    Both,
}

impl Fence {
    fn includes(self, space: Space) -> bool {
        match self {
            Fence::Local => space == Space::Local,
            Fence::Global => space == Space::Global,
            Fence::Both => true,
        }
    }
}

#[derive(Copy, Clone, Debug)]
enum BarrierForm {
    Plain,
    /// In both arms of an `if`.
    Arms(Number),
    Function,
    DoWhile,
    Switch(Number),
    /// As often as a bit of the number plus 1 says.
    Repeated(Number),
}

#[derive(Copy, Clone, Debug)]
enum LoopForm {
    Up,
    Down,
    DoWhile,
    /// The counter begins with the bound and is halved until it is 0.
    Halving,
    /// The counter begins with 1 and doubles while it is less than the bound.
    Doubling,
    /// A `do` loop that ends early if a bit of a variable is not set.
    While(usize, u32),
}

/// An asynchronous copy between local and global memory. `stride` is that of the elements in global memory.
#[derive(Copy, Clone, Debug)]
struct Transfer {
    to: (usize, Below),
    from: (usize, Below),
    elements: usize,
    stride: usize,
}

#[derive(Clone, Debug)]
enum Statement {
    /// Mixes a value into a variable.
    Load(usize, Access),
    /// Stores bits of a variable.
    Store(Access, usize),
    /// Assigns an element to another one of the same type.
    Copy(Access, Access),
    /// `a = a op b`.
    Combine(Operation, Access, Access),
    /// Mixes several elements from an index on into a variable, some elements apart. `true` increments a pointer.
    Sum(usize, Access, Below, usize, bool),
    /// An atomic function with a variable as the operand. `.3` makes it a loop of `atomic_cmpxchg`, `.4` mixes the result into the variable.
    Atomic(Operation, Access, usize, bool, bool),
    /// Sets a uniform variable to the same element in all work-items.
    Read(usize, Access),
    /// `u = u * 5 + k`.
    Advance(usize, Number),
    Mix(usize, usize, u64),
    /// Each work-item gets a number from the counter in the first element of an array, and stores a variable in the element with this number of another one.
    Slots(usize, usize, usize),
    /// Starts copies, executes statements, and waits for the copies.
    Async(Vec<Transfer>, Vec<Statement>),
    Barrier(Fence, BarrierForm),
    /// `mem_fence`, which makes nothing defined.
    MemFence(Fence),
    /// Chooses between two arrays, and elements of them, for a pointer.
    Choose(usize, Condition, [(usize, usize); 2]),
    /// Exchanges two pointers.
    Swap(usize, usize),
    If(Condition, Vec<Statement>, Vec<Statement>),
    Loop(LoopForm, Below, Vec<Statement>),
    /// A loop with as many iterations as two bits of a variable say.
    Diverge(usize, Vec<Statement>),
    Switch(Number, Vec<Vec<Statement>>),
    /// Leaves the innermost loop (`true`), or begins its next iteration, if a uniform condition holds.
    Leave(Condition, bool),
    /// Mixes the result of a collective function of another variable, of this type, into a variable.
    Collective(usize, usize, later::Collective, Type),
    /// Mixes an element of one of two arrays into a variable, or stores it there (`true`).
    Through(usize, Condition, [Access; 2], bool),
    /// Mixes the result of a function of a variable, a number and two pointers into a variable.
    Call(usize, usize, Number, [Base; 2]),
}

/// A function. Its result is its first variable.
#[derive(Clone, Debug)]
struct Function {
    pointers: Vec<Array>,
    body: Vec<Statement>,
}

#[derive(Clone, Debug)]
struct Program {
    /// The size of a work-group in each dimension, and the number of work-groups.
    shape: [usize; 3],
    groups: usize,
    /// The version of OpenCL C after 1.2 whose features the program uses.
    later: Option<Std>,
    /// The number of work-items in the first dimension of one more work-group.
    remainder: usize,
    argument: u32,
    /// Whether the kernel has `reqd_work_group_size`, and whether the text has the number of work-items as a number.
    required: bool,
    known: bool,
    arrays: Vec<Array>,
    pointers: Vec<Array>,
    functions: Vec<Function>,
    body: Vec<Statement>,
}

impl Tree for Statement {
    fn parts(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If(_, a, b) => vec![a, b],
            Statement::Async(_, body) | Statement::Loop(_, _, body) | Statement::Diverge(_, body) => {
                vec![body]
            }
            Statement::Switch(_, arms) => arms.iter_mut().collect(),
            _ => Vec::new(),
        }
    }
}

impl Program {
    fn items(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the size of each work-group.
    fn all_groups(&self) -> Vec<[usize; 3]> {
        let [x, y, z] = self.shape;
        let last = (self.remainder > 0).then_some([self.remainder, y, z]);
        std::iter::repeat_n([x, y, z], self.groups).chain(last).collect()
    }

    /// Returns the body of a function, or that of the kernel.
    fn part(&mut self, function: usize) -> &mut Vec<Statement> {
        match self.functions.get_mut(function) {
            Some(f) => &mut f.body,
            None => &mut self.body,
        }
    }

    /// Returns the size that a reduction makes smaller. A work-group more is worse than any text.
    fn size(&self) -> usize {
        print::text(self).len() + (self.all_groups().len() << 24)
    }

    /// Returns the contents with which a global array begins.
    fn fill(&self, array: usize) -> Fill {
        let seed = array as u64;
        match self.arrays[array].element {
            Element::Value(ty) if !ty.is_int() => Fill::Floats { seed },
            _ => Fill::Random { seed },
        }
    }

    /// Returns the program with its result, or `None` if that is not defined.
    fn written(self) -> Result<Option<Written>, Failure> {
        let Ok(words) = execute::execute(&self) else {
            return Ok(None);
        };
        let (items, groups) = (self.items(), self.all_groups());
        let all: usize = groups.iter().map(|g| g.iter().product::<usize>()).sum();
        let mut memory = vec![Memory::result(all * VARIABLES * 8, Fill::Zero)];
        let mut arguments = vec![Argument::Memory(0), Argument::U32(self.argument)];
        for (a, array) in self.arrays.iter().enumerate() {
            let bytes = array.elements(items) * array.element.bytes();
            match array.space {
                Space::Global => {
                    arguments.push(Argument::Memory(memory.len()));
                    memory.push(Memory::input(bytes * groups.len(), self.fill(a)));
                }
                Space::Local if array.argument => arguments.push(Argument::Local(bytes)),
                Space::Local | Space::Constant => {}
            }
        }
        let [x, y, z] = self.shape;
        let sizes = [
            vec![0; 3],
            vec![x * self.groups + self.remainder, y, z],
            vec![x, y, z],
        ];
        let plan = Plan {
            memory,
            launches: vec![Launch::new("k", sizes, arguments)],
            options: self
                .later
                .map_or(String::new(), |std| format!("-cl-std={}", std.name())),
            ..Plan::default()
        };
        let (text, size) = (print::text(&self), self.size());
        Written::new(&plan, &text, words, size, self).map(Some)
    }
}

impl Form for Program {
    fn smaller(&self) -> Result<Vec<Written>, Failure> {
        let mut all = Vec::new();
        let steps: [&dyn Fn(&mut Vec<Statement>, usize) -> bool; 3] =
            [&tree::remove, &tree::unwrap, &tree::without_rest];
        for f in 0..=self.functions.len() {
            for n in 0..count(&mut self.clone().part(f)[..]) {
                for step in steps {
                    let mut smaller = self.clone();
                    if edit(smaller.part(f), &mut { n }, step) == Some(true) {
                        all.extend(smaller.written()?);
                    }
                }
            }
        }
        if self.groups > 1 {
            let groups = 1;
            all.extend(
                Program {
                    groups,
                    ..self.clone()
                }
                .written()?,
            );
        }
        if self.remainder > 0 {
            let remainder = 0;
            let full = Program {
                remainder,
                ..self.clone()
            };
            all.extend(full.written()?);
        }
        let size = self.size();
        all.retain(|w| w.size < size);
        Ok(all)
    }
}

/// Returns the program of a seed, which uses only what all devices have, and the features of a later version of OpenCL C.
pub(in crate::campaign) fn program(
    seed: u64,
    long_atomics: bool,
    later: Option<Std>,
) -> Result<Written, Failure> {
    let program = mend::defined(make::random_program(seed, long_atomics, later), seed).written()?;
    program.ok_or_else(|| Failure("the program of this seed is not defined".into()))
}

#[cfg(test)]
mod tests {
    use super::memory::{COPY, Fault, Memory as Bytes};
    use super::*;

    #[test]
    fn a_seed_gives_one_program_with_all_forms() {
        let mut all = String::new();
        for seed in 0..60 {
            let one = program(seed, true, None).unwrap();
            if seed < 4 {
                let two = program(seed, true, None).unwrap();
                assert_eq!((&one.text, &one.words), (&two.text, &two.words));
            }
            assert!(one.words.iter().any(|w| *w != 0), "seed {seed}");
            all += &one.text;
        }
        for part in [
            "async_work_group_copy(",
            "async_work_group_strided_copy(",
            "wait_group_events(1, &event);",
            "atomic_cmpxchg(",
            "atomic_xchg(",
            "[atomic_inc(",
            "atom_",
            "barrier(CLK_GLOBAL_MEM_FENCE);",
            "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); } else { barrier(",
            "do { barrier(",
            "wait_local();",
            "default: barrier(",
            "reqd_work_group_size(",
            ", local ",
            "constant uint o",
            "((local ",
            ">>= 1",
            "<<= 1",
            "; w != e; w++",
            ") continue;",
            ") break;",
            "q0 = q1;",
            "q0 = v",
            ", f0(v",
        ] {
            assert!(all.contains(part), "{part}");
        }
    }

    #[test]
    fn a_later_version_has_all_forms() {
        let mut all = String::new();
        for seed in 0..40 {
            all += &program(seed, true, Some(Std::V3_0)).unwrap().text;
        }
        for part in [
            "\"options\":\"-cl-std=CL3.0\"",
            "work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);",
            "work_group_reduce_",
            "work_group_scan_inclusive_",
            "work_group_scan_exclusive_",
            "work_group_broadcast(",
            "!!work_group_all(",
            "!!work_group_any(",
            "? 0u : 1u",
            "(uint)v0)",
            "sub_groups_",
            "atomic_fetch_",
            "atomic_exchange_explicit(",
            "atomic_compare_exchange_weak_explicit(",
            "atomic_compare_exchange_strong_explicit(",
            "atomic_work_item_fence(",
            "(volatile  atomic_",
            "(volatile local atomic_",
            "*const g = ",
            "(*g) = ",
            ", flag))",
        ] {
            assert!(all.contains(part), "{part}");
        }
        let remainders = |seed| make::random_program(seed, true, Some(Std::V3_0)).remainder > 0;
        assert!((0..40).any(remainders));
    }

    /// Returns the programs that lack one barrier of a program.
    fn without_a_barrier(program: &Program) -> Vec<Program> {
        let mut all = Vec::new();
        for f in 0..=program.functions.len() {
            for n in 0..count(&mut program.clone().part(f)[..]) {
                let mut other = program.clone();
                let step = |body: &mut Vec<Statement>, at: usize| {
                    matches!(body[at], Statement::Barrier(..)) && tree::remove(body, at)
                };
                if edit(other.part(f), &mut { n }, &step) == Some(true) {
                    all.push(other);
                }
            }
        }
        all
    }

    #[test]
    fn most_barriers_are_necessary() {
        let (mut necessary, mut barriers) = (0, 0);
        for seed in 0..8 {
            let program = mend::defined(make::random_program(seed, true, None), seed);
            let others = without_a_barrier(&program);
            barriers += others.len();
            let is_race = |p: &Program| matches!(execute::execute(p), Err(found) if matches!(found.fault, Fault::Race(_)));
            necessary += others.iter().filter(|p| is_race(p)).count();
        }
        assert!(
            barriers > 60 && necessary * 2 > barriers,
            "{necessary} of {barriers}"
        );
    }

    fn local_bytes() -> Bytes {
        let mut memory = Bytes::new([(Space::Local, 16, None)].into_iter());
        memory.write((0, 0), &[7; 8], 0).unwrap();
        memory.barrier(Fence::Local);
        memory
    }

    #[test]
    fn a_barrier_for_the_memory_is_between_accesses() {
        let race = Err(Fault::Race(Space::Local));
        let mut memory = local_bytes();
        assert_eq!(memory.write((0, 0), &[1], 1), Ok(()));
        assert_eq!(memory.write((0, 0), &[1], 2), race);
        assert_eq!(memory.write((0, 1), &[1], 2), Ok(()));
        assert_eq!(memory.read((0, 0), &mut [0], 2), race);
        memory.barrier(Fence::Global);
        assert_eq!(memory.read((0, 0), &mut [0], 2), race);
        memory.barrier(Fence::Both);
        assert_eq!(memory.read((0, 0), &mut [0], 2), Ok(()));
        assert_eq!(memory.read((0, 0), &mut [0], 3), Ok(()));
        assert_eq!(memory.write((0, 0), &[1], 3), race);
        assert_eq!(memory.read((0, 8), &mut [0], 3), Err(Fault::Uninitialised));
        assert_eq!(memory.read((0, 15), &mut [0; 2], 3), Err(Fault::OutOfBounds));
    }

    #[test]
    fn atomic_functions_are_in_any_order_if_they_commute() {
        let race = Err(Fault::Race(Space::Local));
        let class = |op| Some((op, 4, false));
        let mut memory = local_bytes();
        let mut add = |at, who, class| memory.atomic((0, at), 4, who, class, |x| x + 1);
        assert_eq!(add(0, 1, class(Operation::Add)), Ok(0x0707_0707));
        assert_eq!(add(0, 2, class(Operation::Add)), Ok(0x0707_0708));
        assert_eq!(add(0, 2, class(Operation::Max)), race);
        assert_eq!(add(0, 1, None), race);
        assert_eq!(add(4, 1, class(Operation::Add)), Ok(0x0707_0707));
        assert_eq!(add(4, 1, None), Ok(0x0707_0708));
        assert_eq!(add(4, 2, class(Operation::Add)), race);
        assert_eq!(memory.read((0, 0), &mut [0; 4], 1).map(|()| 0), race);
    }

    #[test]
    fn a_copy_holds_its_bytes_until_the_wait() {
        let race = Err(Fault::Race(Space::Local));
        let mut memory = local_bytes();
        memory.write((0, 0), &[1], COPY).unwrap();
        memory.read((0, 4), &mut [0], COPY).unwrap();
        memory.barrier(Fence::Local);
        memory.hold((0, 0), 1, COPY, true).unwrap();
        memory.hold((0, 4), 1, COPY, false).unwrap();
        assert_eq!(memory.read((0, 0), &mut [0], 1), race);
        assert_eq!(memory.write((0, 4), &[1], 1), race);
        memory.release((0, 0), 1, COPY).unwrap();
        memory.release((0, 4), 1, COPY).unwrap();
        assert_eq!(memory.read((0, 0), &mut [0], 1), Ok(()));
        assert_eq!(memory.write((0, 4), &[1], 1), Ok(()));
    }

    #[test]
    fn a_break_leaves_the_switch_only() {
        let program = mend::defined(make::random_program(3, true, None), 3);
        let words = |arm: Vec<Statement>| {
            let mut program = program.clone();
            let switch = Statement::Switch(Number::Constant(0), vec![arm]);
            let body = vec![switch, Statement::Mix(0, 1, 5)];
            program.body = vec![Statement::Loop(LoopForm::Up, (Number::Constant(3), 0), body)];
            execute::execute(&program).ok().unwrap()
        };
        let always = Condition::Uniform(Number::Constant(1), 0);
        let nothing = words(Vec::new());
        assert_eq!(words(vec![Statement::Leave(always, true)]), nothing);
        assert_ne!(words(vec![Statement::Leave(always, false)]), nothing);
    }

    #[test]
    fn a_reduction_leads_to_an_empty_program() {
        let mut written = program(8, true, None).unwrap();
        while let Some(next) = written.smaller().unwrap().into_iter().next() {
            written = next;
        }
        assert!(
            !written.text.contains("barrier(CLK_LOCAL_MEM_FENCE);\n"),
            "{}",
            written.text
        );
    }
}
