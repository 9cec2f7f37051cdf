//! Makes random programs, which need not be defined.

use super::Std;
use super::{
    Access, Array, Base, Below, Condition, Element, Fence, Function, Index, LoopForm, Number, Operation,
    Place, Program, Space, Statement, Transfer, UNIFORMS, VARIABLES, mend,
};
use crate::random::Random;
use crate::types::{Type, float, int};

const SHAPES: [[usize; 3]; 20] = [
    [1, 1, 1],
    [3, 1, 1],
    [8, 1, 1],
    [16, 1, 1],
    [32, 1, 1],
    [32, 1, 1],
    [64, 1, 1],
    [64, 1, 1],
    [64, 1, 1],
    [100, 1, 1],
    [128, 1, 1],
    [128, 1, 1],
    [256, 1, 1],
    [8, 8, 1],
    [16, 4, 1],
    [3, 5, 1],
    [32, 2, 1],
    [16, 16, 1],
    [4, 4, 4],
    [2, 3, 4],
];

const ELEMENTS: [Element; 16] = [
    Element::Value(int(32, false, 1)),
    Element::Value(int(32, false, 1)),
    Element::Value(int(32, false, 1)),
    Element::Value(int(32, true, 1)),
    Element::Value(int(64, false, 1)),
    Element::Value(int(8, false, 1)),
    Element::Value(int(8, true, 1)),
    Element::Value(int(16, false, 1)),
    Element::Value(int(16, true, 1)),
    Element::Value(float(32, 1)),
    Element::Value(int(32, false, 2)),
    Element::Value(int(32, false, 4)),
    Element::Value(float(32, 4)),
    Element::Value(int(8, false, 4)),
    Element::Structure(0),
    Element::Structure(1),
];

/// The bytes of local memory that the arrays may have together.
const LOCAL: usize = 16 << 10;

pub(super) fn random_program(seed: u64, long_atomics: bool, later: Option<Std>) -> Program {
    let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    let shape = SHAPES[random.below(SHAPES.len())];
    let elements: Vec<Element> = (0..3).map(|_| ELEMENTS[random.below(ELEMENTS.len())]).collect();
    let items = shape.iter().product();
    let arrays = arrays(&mut random, items, &elements);
    let mut pointers = Vec::new();
    for _ in 0..random.below(4) {
        pointers.extend(pointer(&mut random, &arrays));
    }
    if pointers.len() > 1 && random.one_in(2) {
        pointers[1] = pointers[0];
    }
    let reinterprets = random.one_in(4);
    let mut functions: Vec<Function> = Vec::new();
    for _ in 0..random.below(3) {
        let parameters: Vec<Array> = (0..2).filter_map(|_| pointer(&mut random, &arrays)).collect();
        if parameters.len() < 2 {
            break;
        }
        let constants = (0..arrays.len()).filter(|a| arrays[*a].space == Space::Constant);
        let mut maker = Maker {
            random: &mut random,
            items,
            arrays: &arrays,
            is_later: later.is_some(),
            live: constants.collect(),
            pointers: &parameters,
            functions: &functions,
            long_atomics,
            reinterprets,
            loops: 0,
        };
        let body = maker.body(2, 6, true);
        functions.push(Function {
            pointers: parameters,
            body,
        });
    }
    let mut maker = Maker {
        random: &mut random,
        items,
        arrays: &arrays,
        is_later: later.is_some(),
        live: Vec::new(),
        pointers: &pointers,
        functions: &functions,
        long_atomics,
        reinterprets,
        loops: 0,
    };
    let body = maker.kernel();
    let groups = 1 + random.below(3);
    let (argument, required, known) = (random.below(8) as u32, random.one_in(2), random.one_in(2));
    let remainder = match later {
        Some(_) if random.one_in(2) => random.below(shape[0]),
        _ => 0,
    };
    Program {
        shape,
        groups,
        later,
        remainder,
        argument,
        required: required && remainder == 0,
        known: known && remainder == 0,
        arrays,
        pointers,
        functions,
        body,
    }
}

fn arrays(random: &mut Random, items: usize, elements: &[Element]) -> Vec<Array> {
    let mut left = LOCAL;
    let mut all = Vec::new();
    for a in 0..4 + random.below(4) {
        let mut space = [
            Space::Local,
            Space::Local,
            Space::Local,
            Space::Global,
            Space::Constant,
        ][random.below(5)];
        let element = match random.below(8) {
            0 => ELEMENTS[random.below(ELEMENTS.len())],
            _ => elements[random.below(elements.len())],
        };
        if a == 0 {
            space = Space::Local;
        }
        if space == Space::Constant && element.scalar().is_none_or(Type::is_signed) {
            space = Space::Global;
        }
        let (each, rest) = ([1, 1, 2, 3, 4][random.below(5)], [0, 0, 1, 2, 8][random.below(5)]);
        let array = Array {
            space,
            argument: space == Space::Local && random.one_in(4),
            element,
            each,
            rest,
        };
        let bytes = array.elements(items) * element.bytes();
        if space == Space::Local {
            match left.checked_sub(bytes + 16) {
                Some(rest) => left = rest,
                None => continue,
            }
        }
        all.push(array);
    }
    all
}

/// Returns a pointer to arrays of the type of one that may be written, if there is one.
fn pointer(random: &mut Random, arrays: &[Array]) -> Option<Array> {
    let all: Vec<&Array> = arrays.iter().filter(|a| a.space != Space::Constant).collect();
    let first = all.get(random.below(all.len().max(1)))?;
    let same = all
        .iter()
        .filter(|a| a.space == first.space && a.element == first.element);
    let sizes = same.map(|a| (a.each, a.rest));
    let (each, rest) = sizes.fold((first.each, first.rest), |(a, b), (c, d)| (a.min(c), b.min(d)));
    Some(Array {
        each,
        rest,
        ..**first
    })
}

pub(super) struct Maker<'r> {
    pub(super) random: &'r mut Random,
    pub(super) items: usize,
    arrays: &'r [Array],
    is_later: bool,
    /// The arrays that the present part of the program uses.
    live: Vec<usize>,
    pub(super) pointers: &'r [Array],
    functions: &'r [Function],
    long_atomics: bool,
    /// Whether arrays are accessed with other types.
    reinterprets: bool,
    loops: usize,
}

impl Maker<'_> {
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    pub(super) fn variable(&mut self) -> usize {
        self.random.below(VARIABLES)
    }

    fn kernel(&mut self) -> Vec<Statement> {
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            // Each part uses some of the arrays, so that others are dead there.
            self.live = (0..self.arrays.len())
                .filter(|_| !self.random.one_in(3))
                .collect();
            if self.live.is_empty() {
                self.live.push(self.random.below(self.arrays.len()));
            }
            for a in self.live.clone() {
                if self.arrays[a].space == Space::Local || self.random.one_in(3) {
                    body.extend(self.fill(a));
                }
            }
            body.extend(self.body(3, 8, true));
        }
        for a in 0..self.arrays.len() {
            for e in 0..self.arrays[a].each {
                let mut access = self.own(a);
                access.index.element = (Number::Constant(e as u32), 0);
                body.push(Statement::Load(self.variable(), access));
            }
        }
        body
    }

    /// Returns an access to the first element of the work-item.
    fn own(&self, array: usize) -> Access {
        let zero = (Number::Constant(0), 0);
        Access {
            base: Base::Array(array),
            element: self.arrays[array].element,
            index: Index {
                place: Place::Own,
                each: self.arrays[array].each,
                adjacent: false,
                element: zero,
                plus: zero,
            },
            field: None,
        }
    }

    /// Writes all elements of an array.
    fn fill(&mut self, a: usize) -> Vec<Statement> {
        let array = self.arrays[a];
        if array.space == Space::Constant {
            return Vec::new();
        }
        let v = self.variable();
        let mut access = self.own(a);
        access.index.place = self.injective();
        access.index.adjacent = self.random.one_in(2);
        access.index.element = (Number::Counter(0, 0), 0);
        let mut all = if array.each == 1 {
            access.index.element = (Number::Constant(0), 0);
            vec![Statement::Store(access, v)]
        } else if self.random.one_in(2) {
            let w = self.variable();
            let body = vec![
                Statement::Store(access, v),
                Statement::Mix(v, w, u64::from(self.random.word())),
            ];
            vec![Statement::Loop(
                LoopForm::Up,
                (Number::Constant(array.each as u32), 0),
                body,
            )]
        } else {
            let store = |e| {
                access.index.element = (Number::Constant(e as u32), 0);
                Statement::Store(access, (v + e) % VARIABLES)
            };
            (0..array.each).map(store).collect()
        };
        if array.rest > 0 {
            let mut access = self.own(a);
            let (end, rest) = ((array.each * self.items) as u32, array.rest as u32);
            let below = self.items.min(array.rest);
            access.index.plus = (Number::Constant(end), 0);
            let mut body = vec![Statement::Store(access, v)];
            if below < array.rest {
                access.index.place = Place::Same((Number::Counter(0, 0), 0));
                let stores = vec![Statement::Store(access, v)];
                body = vec![Statement::Loop(LoopForm::Up, (Number::Constant(rest), 0), stores)];
            }
            let condition = match below < array.rest {
                true => Condition::Is((Number::Constant(0), 0)),
                false => Condition::Less((Number::Constant(rest), 0)),
            };
            all.push(Statement::If(condition, body, Vec::new()));
        }
        all
    }

    fn number(&mut self) -> Number {
        match self.random.below(8) {
            0..3 if self.loops > 0 => {
                Number::Counter(self.random.below(self.loops.min(2)), self.pick(&[0, 0, 1, 2]))
            }
            3 => Number::Uniform(self.random.below(UNIFORMS)),
            4 => Number::Group,
            _ => Number::Constant(self.pick(&[0, 1, 1, 2, 3, 4, 7, 8, 16, 31])),
        }
    }

    /// Returns a number that is less than `end`, in most programs as written.
    pub(super) fn below(&mut self, end: usize) -> Below {
        let number = self.number();
        match number {
            _ if end <= 1 => (Number::Constant(0), 0),
            Number::Constant(x) => (Number::Constant((x as usize % end) as u32), 0),
            Number::Counter(..) if self.random.one_in(2) => (number, 0),
            _ => (number, end as u32),
        }
    }

    /// Returns a place that is another one for each work-item.
    pub(super) fn injective(&mut self) -> Place {
        let n = self.items;
        let below = self.below(n);
        match self.random.below(9) {
            0 => Place::Rotated(below),
            1 => Place::Reversed,
            2 | 3 if n.is_power_of_two() => Place::Xor(below),
            4 => {
                let factors: Vec<usize> = (1..=n).filter(|w| n.is_multiple_of(*w)).collect();
                Place::Transposed(self.pick(&factors))
            }
            5 => {
                let factors = [3, 5, 7, 11, 13];
                let coprime: Vec<usize> = factors.into_iter().filter(|k| !n.is_multiple_of(*k)).collect();
                Place::Times(self.pick(&coprime))
            }
            _ => Place::Own,
        }
    }

    fn any_place(&mut self) -> Place {
        match self.random.below(9) {
            0 => Place::After((self.number(), 0)),
            1 => Place::Before((self.number(), 0)),
            2 => Place::Same(self.below(self.items)),
            3 => Place::Variable(self.variable()),
            4 => Place::Shared(self.pick(&[2, 3, 4])),
            _ => self.injective(),
        }
    }

    fn array(&self, base: Base) -> Array {
        match base {
            Base::Array(a) => self.arrays[a],
            Base::Pointer(p) => self.pointers[p],
        }
    }

    /// Returns one of the arrays and pointers for which a condition holds.
    fn base(&mut self, fits: impl Fn(&Array) -> bool) -> Option<Base> {
        let arrays = self.live.iter().map(|a| Base::Array(*a));
        let all: Vec<Base> = arrays
            .chain((0..self.pointers.len()).map(Base::Pointer))
            .collect();
        let all: Vec<Base> = all.into_iter().filter(|b| fits(&self.array(*b))).collect();
        (!all.is_empty()).then(|| self.pick(&all))
    }

    pub(super) fn access(&mut self, writes: bool, fits: impl Fn(&Array) -> bool) -> Option<Access> {
        let base = self.base(|a| fits(a) && !(writes && a.space == Space::Constant))?;
        let array = self.array(base);
        let (mut element, mut each, mut rest) = (array.element, array.each, array.rest);
        if self.reinterprets && self.random.one_in(3) && array.space != Space::Constant {
            let other = self.pick(&ELEMENTS);
            let ratio = element.bytes() / other.bytes();
            if ratio > 0
                && fits(&Array {
                    element: other,
                    ..array
                })
            {
                (element, each, rest) = (other, each * ratio, rest * ratio);
            }
        }
        let place = match writes && !self.random.one_in(12) {
            true => self.injective(),
            false => self.any_place(),
        };
        let (part, plus) = (self.below(each), self.below(rest + 1));
        let field = match element.count() {
            1 => None,
            n => self.random.one_in(3).then(|| self.random.below(n)),
        };
        Some(Access {
            base,
            element,
            index: Index {
                place,
                each,
                adjacent: self.random.one_in(2),
                element: part,
                plus: if self.random.one_in(2) {
                    (Number::Constant(0), 0)
                } else {
                    plus
                },
            },
            field,
        })
    }

    pub(super) fn condition(&mut self) -> Condition {
        let below = self.below(self.items + 1);
        match self.random.below(8) {
            0 | 1 => Condition::Less(below),
            2 => Condition::NotLess(below),
            3 => Condition::Fits(below),
            4 => Condition::Is(self.below(self.items)),
            5 => {
                let k = self.pick(&[2, 3, 4, 32]);
                Condition::Remainder(k, self.random.below(k))
            }
            6 => Condition::Bit(self.variable(), self.random.below(60) as u32),
            _ => self.uniform(),
        }
    }

    fn uniform(&mut self) -> Condition {
        Condition::Uniform(self.number(), self.random.below(3) as u32)
    }

    /// Returns a body. `together`: all work-items execute it.
    fn body(&mut self, depth: usize, most: usize, together: bool) -> Vec<Statement> {
        let count = 1 + self.random.below(most) + most / 3;
        let mut all = Vec::new();
        while all.len() < count {
            if together && self.random.one_in(5) {
                all.extend(self.pattern(depth));
            } else if let Some(statement) = self.statement(depth, together) {
                all.push(statement);
            }
        }
        all
    }

    fn statement(&mut self, depth: usize, together: bool) -> Option<Statement> {
        if self.is_later && self.random.one_in(6) {
            return self.later_statement(together);
        }
        let v = self.variable();
        Some(match self.random.below(32) {
            0..6 => Statement::Load(v, self.access(false, |_| true)?),
            6..11 => Statement::Store(self.access(true, |_| true)?, v),
            11 | 12 => self.copy()?,
            13 | 14 => self.combine()?,
            15 | 16 => self.sum()?,
            17 | 18 => self.atomic()?,
            19 if !self.pointers.is_empty() => self.choice(together)?,
            20 if self.pointers.len() > 1 => self.swap()?,
            21..23 if depth > 0 => {
                let condition = self.condition();
                let together = together && condition.is_uniform();
                let (a, b) = (self.body(depth - 1, 3, together), self.random.one_in(3));
                let b = if b {
                    self.body(depth - 1, 3, together)
                } else {
                    Vec::new()
                };
                Statement::If(condition, a, b)
            }
            23 if depth > 0 => {
                self.loops += 1;
                let body = self.body(depth - 1, 3, false);
                self.loops -= 1;
                Statement::Diverge(v, body)
            }
            24 if depth > 0 && !together => self.repeat(depth, false),
            24..32 if together => self.collective(depth)?,
            _ => Statement::Mix(v, self.variable(), u64::from(self.random.word())),
        })
    }

    /// Returns a statement that all work-items of the work-group must execute.
    fn collective(&mut self, depth: usize) -> Option<Statement> {
        let fence = self.pick(&[Fence::Local, Fence::Local, Fence::Global, Fence::Both]);
        Some(match self.random.below(16) {
            0 => Statement::Barrier(fence, mend::form(self.random)),
            1 => Statement::MemFence(fence),
            2 => {
                let mut access = self.access(false, |_| true)?;
                access.index.place = Place::Same(self.below(self.items));
                if access.element.count() > 1 {
                    access.field = Some(0);
                }
                Statement::Read(self.random.below(UNIFORMS), access)
            }
            3 => Statement::Advance(self.random.below(UNIFORMS), self.number()),
            4 | 14 | 15 => self.slots()?,
            5 | 6 => self.copies(depth)?,
            7 if depth > 0 => {
                let arms = (0..2 + self.random.below(3))
                    .map(|_| self.body(depth - 1, 3, true))
                    .collect();
                Statement::Switch(self.number(), arms)
            }
            8 if self.loops > 0 => Statement::Leave(self.uniform(), self.random.one_in(2)),
            9 | 10 if !self.functions.is_empty() => {
                let f = self.random.below(self.functions.len());
                let wanted = self.functions[f].pointers.clone();
                let mut bases = [Base::Array(0); 2];
                for (base, wanted) in bases.iter_mut().zip(wanted) {
                    let generic = self.is_later;
                    let space = |a: &Array| a.space == wanted.space || generic && a.space != Space::Constant;
                    *base = self.base(|a| space(a) && a.element == wanted.element)?;
                }
                Statement::Call(f, self.variable(), self.number(), bases)
            }
            _ if depth > 0 => self.repeat(depth, true),
            _ => return None,
        })
    }

    fn repeat(&mut self, depth: usize, together: bool) -> Statement {
        let small = self.pick(&[2, 3, 4, 5, 8]);
        let bound = match self.random.below(3) {
            0 => (self.number(), small),
            _ => (Number::Constant(small), 0),
        };
        let n = self.items as u32;
        let (form, bound) = match self.random.below(10) {
            0..4 => (LoopForm::Up, bound),
            4 => (LoopForm::Down, bound),
            5 => (LoopForm::DoWhile, bound),
            6 if together => (
                LoopForm::While(self.random.below(UNIFORMS), self.random.below(4) as u32),
                bound,
            ),
            7 => (LoopForm::Halving, (Number::Constant(n / 2), 0)),
            8 => (LoopForm::Doubling, (Number::Constant(n), 0)),
            _ => (LoopForm::Up, bound),
        };
        self.loops += 1;
        let body = self.body(depth - 1, 4, together);
        self.loops -= 1;
        Statement::Loop(form, bound, body)
    }

    fn copy(&mut self) -> Option<Statement> {
        let mut to = self.access(true, |_| true)?;
        let element = to.element;
        let mut from = self.access(false, |a| a.element == element)?;
        (to.field, from.field) = (None, None);
        (from.element == element).then_some(Statement::Copy(to, from))
    }

    fn combine(&mut self) -> Option<Statement> {
        let mut to = self.access(true, |a| matches!(a.element, Element::Value(_)))?;
        let element = to.element;
        let mut from = self.access(false, |a| a.element == element)?;
        (to.field, from.field) = (None, None);
        let operation = match element {
            Element::Value(ty) if !ty.is_int() => Operation::Add,
            _ if element.field(0).signed => self.pick(&[
                Operation::Min,
                Operation::Max,
                Operation::Xor,
                Operation::And,
                Operation::Or,
            ]),
            _ => self.pick(&[
                Operation::Add,
                Operation::Add,
                Operation::Subtract,
                Operation::Max,
                Operation::Xor,
            ]),
        };
        (from.element == element).then_some(Statement::Combine(operation, to, from))
    }

    fn sum(&mut self) -> Option<Statement> {
        let access = self.access(false, |_| true)?;
        let count = match self.random.below(4) {
            0 => (self.number(), 8),
            1 => (Number::Constant(self.items as u32), 0),
            _ => (Number::Constant(self.pick(&[2, 3, 4, 5, 8])), 0),
        };
        let mut access = access;
        if let (Number::Constant(n), 0) = count
            && n as usize == self.items
        {
            access.index.place = Place::Same((Number::Constant(0), 0));
        }
        let step = self.pick(&[1, 1, 1, 2, self.items]);
        let walks = step == 1 && self.random.one_in(3);
        Some(Statement::Sum(self.variable(), access, count, step, walks))
    }

    fn atomic(&mut self) -> Option<Statement> {
        let long = self.long_atomics;
        let mut access = self.access(true, |a| {
            a.element
                .scalar()
                .is_some_and(|ty| ty.bits() == 32 || ty.bits() == 64 && long)
        })?;
        let mut operation = self.pick(&[
            Operation::Add,
            Operation::Add,
            Operation::Subtract,
            Operation::Increment,
            Operation::Decrement,
            Operation::Min,
            Operation::Max,
            Operation::And,
            Operation::Or,
            Operation::Xor,
            Operation::Exchange,
        ]);
        let loops = self.random.one_in(5);
        if loops {
            operation = self.pick(&[Operation::Max, Operation::Xor, Operation::Or]);
        }
        let used = self.random.one_in(4);
        // These are only defined if no other work-item accesses the number.
        let alone = used || operation == Operation::Exchange;
        if !alone && self.random.one_in(2) {
            access.index.place = match self.random.below(3) {
                0 => Place::Variable(self.variable()),
                1 => Place::Shared(self.pick(&[2, 3, 4])),
                _ => Place::Same(self.below(self.items)),
            };
        }
        Some(Statement::Atomic(operation, access, self.variable(), loops, used))
    }

    fn choice(&mut self, together: bool) -> Option<Statement> {
        let p = self.random.below(self.pointers.len());
        let pointer = self.pointers[p];
        let fits =
            |a: &usize| self.arrays[*a].space == pointer.space && self.arrays[*a].element == pointer.element;
        let all: Vec<usize> = self.live.iter().copied().filter(fits).collect();
        if all.is_empty() {
            return None;
        }
        let place = |m: &mut Self| (m.pick(&all), m.pick(&[0, 0, 0, 1, 2, 8]));
        let places = [place(self), place(self)];
        let condition = if together && self.random.one_in(2) {
            self.uniform()
        } else {
            self.condition()
        };
        Some(Statement::Choose(p, condition, places))
    }

    pub(super) fn swap(&mut self) -> Option<Statement> {
        let (p, q) = (
            self.random.below(self.pointers.len()),
            self.random.below(self.pointers.len()),
        );
        let (a, b) = (self.pointers[p], self.pointers[q]);
        (p != q && a.space == b.space && a.element == b.element).then_some(Statement::Swap(p, q))
    }

    fn slots(&mut self) -> Option<Statement> {
        let array = |base: Base| match base {
            Base::Array(a) => Some(a),
            Base::Pointer(_) => None,
        };
        let writable = |a: &Array| a.space != Space::Constant;
        let counter = array(self.base(|a| writable(a) && a.element == Element::Value(int(32, false, 1)))?)?;
        let values =
            array(self.base(|a| writable(a) && a.element.scalar().is_some_and(|ty| !ty.is_signed()))?)?;
        (counter != values).then(|| Statement::Slots(counter, values, self.variable()))
    }

    fn copies(&mut self, depth: usize) -> Option<Statement> {
        let mut all = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let near = |m: &Self, space: Space| -> Vec<usize> {
                m.live
                    .iter()
                    .copied()
                    .filter(|a| m.arrays[*a].space == space)
                    .collect()
            };
            let (locals, globals) = (near(self, Space::Local), near(self, Space::Global));
            let pairs: Vec<(usize, usize)> = locals
                .iter()
                .flat_map(|l| globals.iter().map(move |g| (*l, *g)))
                .filter(|(l, g)| self.arrays[*l].element == self.arrays[*g].element)
                .filter(|(l, _)| matches!(self.arrays[*l].element, Element::Value(_)))
                .collect();
            if pairs.is_empty() {
                break;
            }
            let (local, global) = self.pick(&pairs);
            let stride = self.pick(&[1, 1, 2, 3]);
            let most = [local, global].map(|a| self.arrays[a].elements(self.items));
            let most = most[0].min(most[1] / stride).max(1);
            let elements = if self.random.one_in(2) {
                most
            } else {
                1 + self.random.below(most)
            };
            let [to, from] = [local, global].map(|a| {
                let step = if a == global { stride } else { 1 };
                let spare = self.arrays[a]
                    .elements(self.items)
                    .saturating_sub((elements - 1) * step);
                (
                    a,
                    if self.random.one_in(2) {
                        (Number::Constant(0), 0)
                    } else {
                        self.below(spare)
                    },
                )
            });
            let (to, from) = if self.random.one_in(2) {
                (from, to)
            } else {
                (to, from)
            };
            all.push(Transfer {
                to,
                from,
                elements,
                stride,
            });
        }
        if all.is_empty() {
            return None;
        }
        let body = match self.random.below(3) {
            0 if depth > 0 => self.body(depth - 1, 3, true),
            _ => Vec::new(),
        };
        Some(Statement::Async(all, body))
    }
}
