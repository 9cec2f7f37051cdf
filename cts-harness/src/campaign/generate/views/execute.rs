//! Computes the result of a program.

use super::{Access, AccessForm, BYTES, Number, PRIME, Pointer, Program, REACH, Space, Statement, VARIABLES};
use crate::types::little_endian;

/// A place: an object and an offset in it.
type Place = (usize, usize);

/// The state of a work-item.
struct Item<'p> {
    program: &'p Program,
    item: usize,
    objects: Vec<Vec<u8>>,
    pointers: Vec<Place>,
    variables: Vec<u64>,
    counters: Vec<u32>,
    parameter: Place,
}

/// Returns the words of the result.
pub(super) fn execute(program: &Program) -> Vec<u64> {
    (0..super::ITEMS).flat_map(|item| result(program, item)).collect()
}

fn result(program: &Program, item: usize) -> Vec<u64> {
    let first = |space: &Space| {
        program
            .objects
            .iter()
            .position(|o| o.space == *space)
            .unwrap_or(0)
    };
    let mut state = Item {
        program,
        item,
        objects: (0..program.objects.len())
            .map(|o| (0..BYTES).map(|b| initial(program, o, item, b)).collect())
            .collect(),
        pointers: program.pointers.iter().map(|s| (first(s), 0)).collect(),
        variables: (0..VARIABLES).map(|v| variable(v, item)).collect(),
        counters: Vec::new(),
        parameter: (0, 0),
    };
    state.body(&program.body);
    let words = |bytes: &[u8]| -> Vec<u64> { bytes.chunks(8).map(little_endian).collect() };
    let mut all = Vec::new();
    for (object, bytes) in program.objects.iter().zip(&state.objects) {
        all.extend(match object.space {
            Space::Global => words(bytes),
            _ if program.dumped => words(bytes),
            _ => vec![0; BYTES / 8],
        });
    }
    all.extend(&state.variables);
    all.resize(program.words(), 0);
    all
}

/// The factors of a word's number, the object's and the work-item's in the first values of objects.
pub(super) const FACTORS: [u32; 3] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35];

/// Returns the first value of a byte of an object.
pub(super) fn initial(program: &Program, object: usize, item: usize, byte: usize) -> u8 {
    let item = match program.objects[object].space {
        Space::Constant => 0,
        _ => item,
    };
    let all = [byte / 4, object, item].into_iter().zip(FACTORS);
    let word = all.fold(0u32, |sum, (x, factor)| {
        sum.wrapping_add((x as u32 + 1).wrapping_mul(factor))
    });
    word.to_le_bytes()[byte % 4]
}

/// Returns the first value of a variable.
pub(super) fn variable(v: usize, item: usize) -> u64 {
    PRIME.wrapping_mul((item + v + 1) as u64)
}

/// Returns the bits of a variable that are an element of a value.
fn element(value: u64, e: usize) -> u64 {
    value >> (e * 3)
}

impl Access {
    /// Returns the bytes between the places of successive indices, and the number of indices.
    pub(super) fn places(&self) -> (usize, usize) {
        let bytes = self.bytes();
        match self.form {
            AccessForm::Vload => (self.size, (REACH - bytes) / self.size + 1),
            AccessForm::Offset | AccessForm::Index => {
                let step = bytes.next_power_of_two();
                (step, REACH / step)
            }
        }
    }

    /// Returns the bytes of the value.
    pub(super) fn bytes(&self) -> usize {
        self.size * self.n
    }
}

impl Item<'_> {
    fn number(&self, number: Number) -> u32 {
        match number {
            Number::Constant(x) => x,
            Number::Variable(v) => self.variables[v] as u32,
            Number::Counter(out, plus) => {
                let counter = self.counters.iter().rev().nth(out).copied().unwrap_or(0);
                counter.wrapping_add(plus)
            }
            Number::Item => self.item as u32,
        }
    }

    fn place(&self, access: &Access) -> (usize, std::ops::Range<usize>) {
        let (object, base) = match access.pointer {
            Pointer::Object(o) => (o, 0),
            Pointer::Variable(p) => self.pointers[p],
            Pointer::Parameter(_) => self.parameter,
        };
        let (step, count) = access.places();
        let begin = base + self.number(access.index) as usize % count * step;
        (object, begin..begin + access.bytes())
    }

    fn mix(&mut self, v: usize, value: u64) {
        self.variables[v] = (self.variables[v] ^ value).wrapping_mul(PRIME);
    }

    fn store(&mut self, access: &Access, value: u64, change: impl Fn(u64) -> u64) {
        let (object, range) = self.place(access);
        for (e, bytes) in self.objects[object][range].chunks_mut(access.size).enumerate() {
            let word = change(element(value, e)).to_le_bytes();
            bytes.copy_from_slice(&word[..access.size]);
        }
    }

    fn walk(&mut self, v: usize, access: Access, count: Number, stores: bool) {
        let (object, range) = self.place(&access);
        for n in 0..self.number(count) as usize % 8 + 1 {
            let begin = range.start + n * access.size;
            let range = begin..begin + access.size;
            self.mix(v, little_endian(&self.objects[object][range.clone()]));
            if stores {
                let word = self.variables[v].to_le_bytes();
                self.objects[object][range].copy_from_slice(&word[..access.size]);
            }
        }
    }

    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Load(v, access) => {
                let (object, range) = self.place(access);
                for bytes in self.objects[object][range].to_vec().chunks(access.size) {
                    self.mix(*v, little_endian(bytes));
                }
            }
            Statement::Store(access, v) => self.store(access, self.variables[*v], |x| x),
            Statement::StoreFloat(access, v) => {
                self.store(access, self.variables[*v], |x| x & 0x7f_ffff | 0x3f80_0000)
            }
            Statement::Atomic(v, access) => {
                let (object, range) = self.place(access);
                let old = little_endian(&self.objects[object][range.clone()]) as u32;
                let new = (old ^ self.variables[*v] as u32).to_le_bytes();
                self.objects[object][range].copy_from_slice(&new);
                self.mix(*v, u64::from(old));
            }
            Statement::Copy(to, from) => {
                let (object, range) = self.place(from);
                let bytes = self.objects[object][range].to_vec();
                let (object, range) = self.place(to);
                self.objects[object][range].copy_from_slice(&bytes);
            }
            Statement::Choose(p, (v, bit), places) => {
                let second = self.variables[*v] >> bit & 1 == 0;
                self.pointers[*p] = places[usize::from(second)];
            }
            Statement::Exchange(p, q) => self.pointers.swap(*p, *q),
            Statement::Walk {
                variable,
                access,
                count,
                stores,
            } => self.walk(*variable, *access, *count, *stores),
            Statement::If(v, bit, a, b) => {
                let body = if self.variables[*v] >> bit & 1 != 0 { a } else { b };
                self.body(body);
            }
            Statement::Loop(n, body) => {
                for i in 0..self.number(*n) % 8 + 1 {
                    self.counters.push(i);
                    self.body(body);
                    self.counters.pop();
                }
            }
            Statement::Call(f, v, pointer) => {
                let parameter = match pointer {
                    Pointer::Object(o) => (*o, 0),
                    Pointer::Variable(p) => self.pointers[*p],
                    Pointer::Parameter(_) => self.parameter,
                };
                let outer = std::mem::replace(&mut self.parameter, parameter);
                let mut inner = vec![0; VARIABLES];
                inner[0] = self.variables[*v];
                let variables = std::mem::replace(&mut self.variables, inner);
                let counters = std::mem::take(&mut self.counters);
                self.body(&self.program.functions[*f].body);
                let result = self.variables[0];
                (self.variables, self.counters, self.parameter) = (variables, counters, outer);
                self.mix(*v, result);
            }
            Statement::Mix(v, from, with) => self.mix(*v, self.variables[*from] ^ with),
        }
    }
}
