//! Computes the result of a program, or finds why it is not defined.

use super::memory::{Agent, COPY, Class, Fault, Memory};
use super::{
    Access, Base, Below, Condition, Element, Fence, Field, Index, LoopForm, Number, Operation, PRIME, Place,
    Program, Space, Statement, Transfer, UNIFORMS, VARIABLES,
};

/// The most statements that a work-group may execute, counted for each work-item.
const MOST: usize = 100_000;

/// Where a program is not defined: the function (or, after the last one, the kernel), and the statements around the place and in it.
/// Each is given by the number of the body in the statement before, and the position in that body.
pub(super) struct Found {
    pub(super) fault: Fault,
    pub(super) function: usize,
    pub(super) path: Vec<(usize, usize)>,
}

enum Next {
    Go,
    Break,
    Continue,
}

/// The state of a function's execution.
pub(super) struct Frame {
    pub(super) variables: Vec<[u64; VARIABLES]>,
    uniforms: [u32; UNIFORMS],
    /// For each pointer and work-item an array and an element of it.
    pointers: Vec<Vec<(usize, usize)>>,
    counters: Vec<u32>,
    /// The number of loops that a statement may leave.
    loops: usize,
}

pub(super) struct Group<'p> {
    program: &'p Program,
    number: usize,
    size: [usize; 3],
    pub(super) items: usize,
    memory: Memory,
    steps: usize,
    copies: usize,
    /// The bytes of the copies that have begun: the copy, the place, the number of bytes, and whether it writes them.
    held: Vec<(Agent, (usize, usize), usize, bool)>,
    function: usize,
    path: Vec<(usize, usize)>,
}

/// Returns the words of the result.
pub(super) fn execute(program: &Program) -> Result<Vec<u64>, Found> {
    let mut words = Vec::new();
    for (number, size) in program.all_groups().into_iter().enumerate() {
        let mut group = Group::new(program, number, size);
        let everyone: Vec<usize> = (0..group.items).collect();
        let mut frame = group.frame();
        match group.body(&mut frame, &program.body, &everyone, 0) {
            Ok(_) => words.extend(frame.variables.iter().flatten()),
            Err(fault) => {
                return Err(Found {
                    fault,
                    function: group.function,
                    path: group.path,
                });
            }
        }
    }
    Ok(words)
}

/// Returns an element of a constant table.
pub(super) fn constant(array: usize, element: usize) -> u64 {
    let n = (array as u64 + 1).wrapping_mul(0x9e37_79b1) ^ (element as u64 + 1).wrapping_mul(0x85eb_ca6b);
    n.wrapping_mul(PRIME) >> 7
}

/// Returns the first value of a variable of the kernel.
pub(super) fn variable(v: usize, me: usize) -> u64 {
    PRIME.wrapping_mul((me + v * 1000 + 1) as u64)
}

/// Applies an operation to numbers of a field's type.
pub(super) fn apply(operation: Operation, a: u64, b: u64, field: &Field) -> u64 {
    let (x, y) = (field.extended(a), field.extended(b));
    let smaller = if field.signed {
        (x as i64) < y as i64
    } else {
        x < y
    };
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::Increment => a.wrapping_add(1),
        Operation::Decrement => a.wrapping_sub(1),
        Operation::Min if smaller => a,
        Operation::Max if smaller => b,
        Operation::Max => a,
        Operation::Min | Operation::Exchange => b,
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::Xor => a ^ b,
    }
}

impl<'p> Group<'p> {
    fn new(program: &'p Program, number: usize, size: [usize; 3]) -> Group<'p> {
        let items = program.items();
        let memory = Memory::new(program.arrays.iter().enumerate().map(|(a, array)| {
            let bytes = array.elements(items) * array.element.bytes();
            let contents = match array.space {
                Space::Local => None,
                Space::Global => Some(
                    program
                        .fill(a)
                        .bytes(bytes * program.all_groups().len())
                        .split_off(bytes * number),
                ),
                Space::Constant => Some(
                    (0..array.elements(items))
                        .flat_map(|e| {
                            constant(a, e)
                                .to_le_bytes()
                                .into_iter()
                                .take(array.element.bytes())
                        })
                        .collect(),
                ),
            };
            (array.space, bytes, contents)
        }));
        Group {
            program,
            number,
            size,
            items: size.iter().product(),
            memory,
            steps: 0,
            copies: 0,
            held: Vec::new(),
            function: program.functions.len(),
            path: Vec::new(),
        }
    }

    fn frame(&self) -> Frame {
        let first = |p: &super::Array| {
            let same = |a: &super::Array| a.space == p.space && a.element == p.element;
            (self.program.arrays.iter().position(same).unwrap_or(0), 0)
        };
        let full = self.program.items();
        let variables = |item| {
            let mut own = std::array::from_fn(|v| variable(v, self.number * full + item));
            if self.program.later.is_some() {
                let sizes = [
                    self.program.shape[0],
                    self.size[0],
                    self.program.all_groups().len(),
                ];
                mix(
                    &mut own[0],
                    sizes.iter().fold(0, |n, size| n * 1000 + *size as u64),
                );
            }
            own
        };
        let pointers = self.program.pointers.iter().map(|p| vec![first(p); self.items]);
        Frame {
            variables: (0..self.items).map(variables).collect(),
            uniforms: [self.program.argument, self.number as u32],
            pointers: pointers.collect(),
            counters: Vec::new(),
            loops: 0,
        }
    }

    fn number(&self, frame: &Frame, number: Number) -> u32 {
        match number {
            Number::Constant(x) => x,
            Number::Counter(out, plus) => {
                let counter = frame.counters.iter().rev().nth(out).copied().unwrap_or(0);
                counter.wrapping_add(plus)
            }
            Number::Uniform(u) => frame.uniforms[u],
            Number::Group => self.program.argument.wrapping_add(self.number as u32),
        }
    }

    pub(super) fn below(&self, frame: &Frame, (number, end): Below) -> usize {
        let number = self.number(frame, number);
        number.checked_rem(end).unwrap_or(number) as usize
    }

    fn index(&self, frame: &Frame, index: &Index, item: usize) -> usize {
        let n = self.items;
        let place = match index.place {
            Place::Own => item,
            Place::Rotated(k) => item.wrapping_add(self.below(frame, k)) % n,
            Place::Reversed => n - 1 - item,
            Place::Xor(k) => item ^ self.below(frame, k),
            Place::Transposed(w) => item % w * (n / w) + item / w,
            Place::Times(k) => item * k % n,
            Place::After(k) => item + self.below(frame, k),
            Place::Before(k) => (item as u32).wrapping_sub(self.below(frame, k) as u32) as usize,
            Place::Shared(k) => item / k,
            Place::Same(k) => self.below(frame, k),
            Place::Variable(v) => frame.variables[item][v] as u32 as usize % (n * index.each),
        };
        let element = self.below(frame, index.element);
        let place = match (index.place, index.adjacent) {
            (Place::Variable(_), _) => place,
            (_, true) => place.wrapping_mul(index.each).wrapping_add(element),
            (_, false) => (element.wrapping_mul(n)).wrapping_add(place),
        };
        // Indices are of the type `uint`.
        place.wrapping_add(self.below(frame, index.plus)) as u32 as usize
    }

    /// Returns the array and the offset of an access, and the numbers of the fields.
    fn place(&self, frame: &Frame, access: &Access, item: usize) -> ((usize, usize), std::ops::Range<usize>) {
        let (array, first, declared) = match access.base {
            Base::Array(a) => (a, 0, self.program.arrays[a].element),
            Base::Pointer(p) => {
                let (a, first) = frame.pointers[p][item];
                (a, first, self.program.arrays[a].element)
            }
        };
        let index = self.index(frame, &access.index, item);
        let begin = first * declared.bytes() + index * access.element.bytes();
        match access.field {
            Some(f) => ((array, begin), f..f + 1),
            None => ((array, begin), 0..access.element.count()),
        }
    }

    fn load(&mut self, frame: &Frame, access: &Access, item: usize) -> Result<Vec<u64>, Fault> {
        let ((array, begin), fields) = self.place(frame, access, item);
        fields
            .map(|f| self.field((array, begin), access.element, f, item))
            .collect()
    }

    fn field(
        &mut self,
        (array, begin): (usize, usize),
        element: Element,
        f: usize,
        item: usize,
    ) -> Result<u64, Fault> {
        let field = element.field(f);
        let mut bytes = [0; 8];
        let at = (array, begin + field.offset);
        self.memory.read(at, &mut bytes[..field.size], item)?;
        Ok(field.extended(u64::from_le_bytes(bytes)))
    }

    fn store(
        &mut self,
        frame: &Frame,
        access: &Access,
        item: usize,
        value: impl Fn(usize) -> u64,
    ) -> Result<(), Fault> {
        let ((array, begin), fields) = self.place(frame, access, item);
        for (e, f) in fields.enumerate() {
            let field = access.element.field(f);
            let bytes = value(e).to_le_bytes();
            self.memory
                .write((array, begin + field.offset), &bytes[..field.size], item)?;
        }
        Ok(())
    }

    /// Returns whether a condition holds for a work-item.
    fn holds(&self, frame: &Frame, condition: Condition, item: usize) -> bool {
        match condition {
            Condition::Less(k) => item < self.below(frame, k),
            Condition::NotLess(k) => item >= self.below(frame, k),
            Condition::Fits(k) => item + self.below(frame, k) < self.items,
            Condition::Is(k) => item == self.below(frame, k),
            Condition::Remainder(k, r) => item % k == r,
            Condition::Bit(v, bit) => frame.variables[item][v] >> bit & 1 != 0,
            Condition::Uniform(number, bit) => self.number(frame, number) >> bit & 1 != 0,
        }
    }

    pub(super) fn barrier(&mut self, fence: Fence) -> Result<(), Fault> {
        self.memory.barrier(fence);
        for (copy, at, bytes, writes) in &self.held {
            self.memory.hold(*at, *bytes, *copy, *writes)?;
        }
        Ok(())
    }

    /// Executes a body, which is the one of this number in its statement, by the active work-items.
    fn body(
        &mut self,
        frame: &mut Frame,
        body: &[Statement],
        active: &[usize],
        part: usize,
    ) -> Result<Next, Fault> {
        for (at, statement) in body.iter().enumerate() {
            self.path.push((part, at));
            self.steps += active.len();
            if self.steps > MOST {
                return Err(Fault::TooLong);
            }
            let next = self.statement(frame, statement, active)?;
            self.path.pop();
            if !matches!(next, Next::Go) {
                return Ok(next);
            }
        }
        Ok(Next::Go)
    }

    fn statement(
        &mut self,
        frame: &mut Frame,
        statement: &Statement,
        active: &[usize],
    ) -> Result<Next, Fault> {
        let together = active.len() == self.items;
        match statement {
            Statement::If(condition, a, b) if condition.is_uniform() => {
                let holds = self.holds(frame, *condition, 0);
                return if holds {
                    self.body(frame, a, active, 0)
                } else {
                    self.body(frame, b, active, 1)
                };
            }
            Statement::If(condition, a, b) => {
                let (yes, no): (Vec<_>, Vec<_>) =
                    active.iter().partition(|i| self.holds(frame, *condition, **i));
                // Only all work-items together may leave a loop.
                let loops = std::mem::take(&mut frame.loops);
                self.body(frame, a, &yes, 0)?;
                self.body(frame, b, &no, 1)?;
                frame.loops = loops;
            }
            Statement::Diverge(v, body) => {
                let loops = std::mem::take(&mut frame.loops);
                let ends: Vec<_> = active.iter().map(|k| (*k, frame.variables[*k][*v] & 3)).collect();
                for i in 0..3 {
                    let some = ends.iter().filter(|(_, end)| *end > i).map(|(k, _)| *k);
                    let some: Vec<usize> = some.collect();
                    frame.counters.push(i as u32);
                    self.body(frame, body, &some, 0)?;
                    frame.counters.pop();
                }
                frame.loops = loops;
            }
            Statement::Loop(form, bound, body) => self.repeat(frame, (*form, *bound), body, active)?,
            Statement::Switch(number, arms) => {
                let arm = self.number(frame, *number) as usize % arms.len();
                // A `break` leaves the switch, and not the loop around it.
                return Ok(match self.body(frame, &arms[arm], active, arm)? {
                    Next::Break => Next::Go,
                    next => next,
                });
            }
            Statement::Leave(condition, ends) => {
                if frame.loops == 0 || !together {
                    return Err(Fault::Invalid);
                }
                return Ok(match (self.holds(frame, *condition, 0), ends) {
                    (false, _) => Next::Go,
                    (true, true) => Next::Break,
                    (true, false) => Next::Continue,
                });
            }
            Statement::Barrier(..)
            | Statement::Async(..)
            | Statement::Call(..)
            | Statement::Collective(..)
            | Statement::Slots(..)
            | Statement::Read(..)
            | Statement::Advance(..)
                if !together =>
            {
                return Err(Fault::Invalid);
            }
            Statement::Barrier(fence, _) => self.barrier(*fence)?,
            Statement::MemFence(_) => {}
            Statement::Collective(v, from, collective, ty) => {
                self.collective(frame, (*v, *from), *collective, *ty)?;
            }
            Statement::Async(copies, body) => self.copies(frame, copies, body, active)?,
            Statement::Slots(counter, array, v) => self.slots(frame, *counter, *array, *v)?,
            Statement::Read(u, access) => {
                let mut values = Vec::new();
                for item in active {
                    values.push(self.load(frame, access, *item)?[0] as u32);
                }
                if values.iter().any(|x| *x != values[0]) {
                    return Err(Fault::Invalid);
                }
                frame.uniforms[*u] = values[0];
            }
            Statement::Advance(u, number) => {
                let number = self.number(frame, *number);
                frame.uniforms[*u] = frame.uniforms[*u].wrapping_mul(5).wrapping_add(number);
            }
            Statement::Call(f, v, number, bases) => self.call(frame, (*f, *v), *number, *bases, active)?,
            _ => {
                for item in active {
                    self.single(frame, statement, *item)?;
                }
            }
        }
        Ok(Next::Go)
    }

    fn repeat(
        &mut self,
        frame: &mut Frame,
        (form, bound): (LoopForm, Below),
        body: &[Statement],
        active: &[usize],
    ) -> Result<(), Fault> {
        let bound = self.below(frame, bound) as u32;
        let mut i = match form {
            LoopForm::Up | LoopForm::DoWhile | LoopForm::While(..) => 0,
            LoopForm::Down => bound.wrapping_sub(1),
            LoopForm::Halving => bound,
            LoopForm::Doubling => 1,
        };
        let mut goes = match form {
            LoopForm::Up | LoopForm::Down | LoopForm::Halving => bound > 0,
            LoopForm::Doubling => 1 < bound,
            LoopForm::DoWhile | LoopForm::While(..) => true,
        };
        frame.loops += 1;
        while goes {
            frame.counters.push(i);
            let next = self.body(frame, body, active, 0)?;
            frame.counters.pop();
            if matches!(next, Next::Break) {
                break;
            }
            (i, goes) = match form {
                LoopForm::Up | LoopForm::DoWhile => (i + 1, i + 1 < bound),
                LoopForm::While(u, bit) => (i + 1, i + 1 < bound && frame.uniforms[u] >> bit & 1 != 0),
                LoopForm::Down => (i.wrapping_sub(1), i > 0),
                LoopForm::Halving => (i >> 1, i > 1),
                LoopForm::Doubling => (i << 1, i << 1 < bound),
            };
        }
        frame.loops -= 1;
        Ok(())
    }

    fn call(
        &mut self,
        frame: &mut Frame,
        (f, v): (usize, usize),
        number: Number,
        bases: [Base; 2],
        active: &[usize],
    ) -> Result<(), Fault> {
        let function = &self.program.functions[f];
        let pointers = bases.map(|base| match base {
            Base::Array(a) => vec![(a, 0); self.items],
            Base::Pointer(p) => frame.pointers[p].clone(),
        });
        let variables = frame
            .variables
            .iter()
            .map(|own| std::array::from_fn(|k| if k == 0 { own[v] } else { 0 }));
        let mut inner = Frame {
            variables: variables.collect(),
            uniforms: [self.number(frame, number), 0],
            pointers: pointers.into(),
            counters: Vec::new(),
            loops: 0,
        };
        let outer = (
            std::mem::replace(&mut self.function, f),
            std::mem::take(&mut self.path),
        );
        self.body(&mut inner, &function.body, active, 0)?;
        (self.function, self.path) = outer;
        for item in active {
            mix(&mut frame.variables[*item][v], inner.variables[*item][0]);
        }
        Ok(())
    }

    fn copies(
        &mut self,
        frame: &mut Frame,
        copies: &[Transfer],
        body: &[Statement],
        active: &[usize],
    ) -> Result<(), Fault> {
        let before = self.held.len();
        for copy in copies {
            self.copies += 1;
            let agent = COPY + self.copies;
            let bytes = self.program.arrays[copy.to.0].element.bytes();
            let [to, from] = [copy.to, copy.from].map(|(array, first)| {
                let is_global = self.program.arrays[array].space == Space::Global;
                let step = if is_global { copy.stride } else { 1 };
                (array, self.below(frame, first), step)
            });
            for e in 0..copy.elements {
                let [to, from] = [to, from].map(|(array, first, step)| (array, (first + e * step) * bytes));
                let mut value = [0; 16];
                self.memory.read(from, &mut value[..bytes], agent)?;
                self.memory.write(to, &value[..bytes], agent)?;
                self.held
                    .extend([(agent, to, bytes, true), (agent, from, bytes, false)]);
            }
        }
        let saved = frame.loops;
        // A jump would leave out the wait.
        frame.loops = 0;
        self.body(frame, body, active, 0)?;
        frame.loops = saved;
        for (copy, at, bytes, _) in self.held.split_off(before) {
            self.memory.release(at, bytes, copy)?;
        }
        Ok(())
    }

    fn slots(&mut self, frame: &mut Frame, counter: usize, array: usize, v: usize) -> Result<(), Fault> {
        let size = self.program.arrays[array].element.bytes();
        let count = (self.items as u32).to_le_bytes();
        self.barrier(Fence::Both)?;
        self.memory.write((counter, 0), &count, 0)?;
        self.barrier(Fence::Both)?;
        let values: Vec<u64> = frame.variables.iter().map(|own| own[v]).collect();
        for (item, value) in values.iter().enumerate() {
            self.memory
                .write((array, item * size), &value.to_le_bytes()[..size], item)?;
        }
        self.barrier(Fence::Both)?;
        let mask = u64::MAX >> (64 - 8 * size);
        let sum = values
            .iter()
            .fold(0u64, |sum, value| sum.wrapping_add(value & mask));
        for own in &mut frame.variables {
            mix(&mut own[v], sum);
        }
        for item in 0..self.items {
            let value = frame.variables[item][v].to_le_bytes();
            self.memory.write((array, item * size), &value[..size], item)?;
        }
        Ok(())
    }

    /// Executes a statement that each work-item executes alone.
    fn single(&mut self, frame: &mut Frame, statement: &Statement, item: usize) -> Result<(), Fault> {
        match statement {
            Statement::Load(v, access) => {
                for x in self.load(frame, access, item)? {
                    mix(&mut frame.variables[item][*v], x);
                }
            }
            Statement::Store(access, v) => {
                let own = frame.variables[item][*v];
                let is_float = access.element.field(0).float;
                self.store(frame, access, item, |e| match is_float {
                    true => own >> (e * 3) & 0x7f_ffff | 0x3f80_0000,
                    false => own >> (e * 3),
                })?;
            }
            Statement::Through(v, condition, places, is_store) => {
                let access = places[usize::from(!self.holds(frame, *condition, item))];
                let statement = match is_store {
                    true => Statement::Store(access, *v),
                    false => Statement::Load(*v, access),
                };
                self.single(frame, &statement, item)?;
            }
            Statement::Copy(to, from) => {
                let values = self.load(frame, from, item)?;
                self.store(frame, to, item, |e| values[e])?;
            }
            Statement::Combine(operation, to, from) => {
                let (a, b) = (self.load(frame, to, item)?, self.load(frame, from, item)?);
                let field = to.element.field(0);
                let mut values = Vec::new();
                for (a, b) in a.into_iter().zip(b) {
                    values.push(match field.float {
                        true => sum(a, b)?,
                        false => apply(*operation, a, b, &field),
                    });
                }
                self.store(frame, to, item, |e| values[e])?;
            }
            Statement::Sum(v, access, count, step, walks) => {
                let mut place = self.place(frame, access, item);
                let count = self.below(frame, *count);
                self.steps = self.steps.saturating_add(count);
                for j in 0..count.min(MOST) {
                    // The index may depend on the variable.
                    if !walks {
                        place = self.place(frame, access, item);
                    }
                    let ((array, begin), fields) = &place;
                    let (array, begin) = (*array, begin + j * step * access.element.bytes());
                    for f in fields.clone() {
                        let x = self.field((array, begin), access.element, f, item)?;
                        mix(&mut frame.variables[item][*v], x);
                    }
                }
            }
            Statement::Atomic(operation, access, v, _, used) => {
                let (at, _) = self.place(frame, access, item);
                let (own, field) = (frame.variables[item][*v], access.element.field(0));
                let class = match operation {
                    Operation::Exchange => None,
                    Operation::Subtract | Operation::Increment | Operation::Decrement => Some(Operation::Add),
                    other => Some(*other),
                };
                let class = class
                    .filter(|_| !used)
                    .map(|op| -> Class { (op, field.size, field.signed) });
                let change = |x| apply(*operation, x, own, &field);
                let old = self.memory.atomic(at, field.size, item, class, change)?;
                if *used {
                    let old = field.extended(old);
                    mix(&mut frame.variables[item][*v], old);
                }
            }
            Statement::Mix(v, from, with) => {
                let with = frame.variables[item][*from] ^ with;
                mix(&mut frame.variables[item][*v], with);
            }
            Statement::Choose(p, condition, places) => {
                let second = !self.holds(frame, *condition, item);
                frame.pointers[*p][item] = places[usize::from(second)];
            }
            Statement::Swap(p, q) => {
                let other = frame.pointers[*p][item];
                frame.pointers[*p][item] = std::mem::replace(&mut frame.pointers[*q][item], other);
            }
            _ => return Err(Fault::Invalid),
        }
        Ok(())
    }
}

pub(super) fn mix(variable: &mut u64, value: u64) {
    *variable = (*variable ^ value).wrapping_mul(PRIME);
}

/// Returns the bits of the sum of two floats, given by their bits.
fn sum(a: u64, b: u64) -> Result<u64, Fault> {
    let [a, b] = [a, b].map(|x| f32::from_bits(x as u32));
    let sum = a + b;
    // A device may flush subnormal numbers.
    match sum.abs() < 1e30 && ![a, b, sum].iter().any(|x| x.is_subnormal()) {
        true => Ok(u64::from(sum.to_bits())),
        false => Err(Fault::Large),
    }
}

impl Condition {
    pub(super) fn is_uniform(self) -> bool {
        matches!(self, Condition::Uniform(..))
    }
}
