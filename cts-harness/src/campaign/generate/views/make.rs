//! Makes random programs.

use super::{
    Access, AccessForm, Declared, Function, Number, Object, Pointer, Program, Space, Statement, VARIABLES,
};
use crate::random::Random;

/// The sizes of structures that are assigned.
const STRUCTURES: [usize; 4] = [6, 12, 24, 32];

/// The sizes of integers as which the objects of a space may be accessed.
const SIZES: [&[usize]; 8] = [
    &[4],
    &[8],
    &[4, 8],
    &[1, 4],
    &[2, 4],
    &[1, 2],
    &[1, 2, 4, 8],
    &[1, 2, 4, 8],
];

pub(super) fn random_program(seed: u64) -> Program {
    let mut random = Random::new(seed.wrapping_mul(2).wrapping_add(1));
    let spaces = [
        Space::Global,
        Space::Private,
        Space::Private,
        Space::Local,
        Space::Constant,
    ];
    let sizes = [(); 4].map(|_| (SIZES[random.below(SIZES.len())], random.one_in(2)));
    let objects = spaces.map(|space| {
        let (sizes, known) = sizes[space as usize];
        let declared = match random.below(8) {
            0 => Declared::Structure,
            1 => Declared::Elements(4, 4),
            2 => Declared::Elements([1, 2, 4, 8][random.below(4)], 1),
            _ => Declared::Elements(sizes[random.below(sizes.len())], 1),
        };
        Object {
            space,
            declared,
            sizes,
            known,
        }
    });
    let mut functions = Vec::new();
    for f in 0..random.below(3) {
        let space = spaces[random.below(4)];
        let mut maker = Maker {
            random: &mut random,
            objects: &objects,
            pointers: &[],
            functions: &functions[..f],
            parameter: Some(space),
            loops: 0,
        };
        let body = maker.body(2, 4);
        functions.push(Function { space, body });
    }
    let mut pointers: Vec<Space> = (0..random.below(3)).map(|_| spaces[random.below(4)]).collect();
    if random.one_in(2) && pointers.len() > 1 {
        pointers[1] = pointers[0];
    }
    let dumped = random.one_in(2);
    let mut maker = Maker {
        random: &mut random,
        objects: &objects,
        pointers: &pointers,
        functions: &functions,
        parameter: None,
        loops: 0,
    };
    let body = maker.body(3, 10);
    Program {
        objects: objects.into(),
        pointers,
        functions,
        body,
        dumped,
    }
}

struct Maker<'r> {
    random: &'r mut Random,
    objects: &'r [Object],
    pointers: &'r [Space],
    functions: &'r [Function],
    /// The space of the parameter, in a function.
    parameter: Option<Space>,
    loops: usize,
}

impl Maker<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    fn body(&mut self, depth: usize, most: usize) -> Vec<Statement> {
        let count = 1 + self.random.below(most) + most / 2;
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn variable(&mut self) -> usize {
        self.random.below(VARIABLES)
    }

    /// Returns a number, which is a constant or a loop counter if `known`.
    fn number(&mut self, known: bool) -> Number {
        match self.random.below(8) {
            3 | 4 if known => Number::Constant(self.random.below(8) as u32),
            0..3 => Number::Constant(self.random.below(64) as u32),
            3 => Number::Item,
            4 => Number::Variable(self.variable()),
            _ if self.loops > 0 => {
                Number::Counter(self.random.below(self.loops), self.random.below(4) as u32)
            }
            _ => Number::Constant(self.random.below(4) as u32),
        }
    }

    fn space(&self, pointer: Pointer) -> Space {
        match pointer {
            Pointer::Object(o) => self.objects[o].space,
            Pointer::Variable(p) => self.pointers[p],
            Pointer::Parameter(space) => space,
        }
    }

    /// Returns a pointer to one of the spaces, if there is one.
    fn pointer(&mut self, spaces: &[Space]) -> Option<Pointer> {
        let objects = match self.parameter {
            Some(_) => 0..0,
            None => 0..self.objects.len(),
        };
        let constants = (0..self.objects.len()).filter(|o| self.objects[*o].space == Space::Constant);
        let constants: Vec<usize> = constants.filter(|_| self.parameter.is_some()).collect();
        // The objects in private memory are likelier.
        let mut all: Vec<Pointer> = objects.chain(constants).map(Pointer::Object).collect();
        all.extend((0..self.pointers.len()).map(Pointer::Variable));
        all.extend(self.parameter.iter().flat_map(|s| [Pointer::Parameter(*s); 2]));
        all.retain(|p| spaces.contains(&self.space(*p)));
        if all.is_empty() {
            None
        } else {
            Some(self.pick(&all))
        }
    }

    /// Returns the sizes of integers as which objects of a space are accessed, and whether indices are known.
    fn kind(&self, space: Space) -> (&'static [usize], bool) {
        let object = self.objects.iter().find(|o| o.space == space);
        object.map_or((&[4], false), |o| (o.sizes, o.known))
    }

    /// Returns an access as floats or words, or `None` where words are not accessed.
    fn words(&mut self, spaces: &[Space], n: usize) -> Option<Access> {
        let mut access = self.access(spaces)?;
        (access.size, access.n) = (4, n);
        let (sizes, _) = self.kind(self.space(access.pointer));
        sizes.contains(&4).then_some(access)
    }

    fn access(&mut self, spaces: &[Space]) -> Option<Access> {
        let pointer = self.pointer(spaces)?;
        let (sizes, known) = self.kind(self.space(pointer));
        let size = self.pick(sizes);
        let n = self.pick(&[1, 1, 1, 2, 2, 3, 4, 8, 16]);
        let n: usize = if size * n > 32 { 1 } else { n };
        let form = match size * n.next_power_of_two() {
            // Objects have an alignment of 16 bytes.
            32 => AccessForm::Vload,
            _ => self.pick(&[AccessForm::Offset, AccessForm::Index, AccessForm::Vload]),
        };
        let index = self.number(known);
        Some(Access {
            pointer,
            size,
            n,
            form,
            index,
        })
    }

    fn statement(&mut self, depth: usize) -> Statement {
        loop {
            if let Some(statement) = self.attempt(depth) {
                return statement;
            }
        }
    }

    fn attempt(&mut self, depth: usize) -> Option<Statement> {
        const ALL: [Space; 4] = [Space::Private, Space::Local, Space::Global, Space::Constant];
        let written = &ALL[..3];
        let bit = self.random.below(32) as u32;
        Some(match self.random.below(22) {
            0..5 => Statement::Load(self.variable(), self.access(&ALL)?),
            5..9 => {
                let mut access = self.access(written)?;
                // An assignment leaves the bytes after three elements open.
                if access.n == 3 {
                    access.form = AccessForm::Vload;
                }
                Statement::Store(access, self.variable())
            }
            9 => {
                let n = self.pick(&[1, 2, 4]);
                Statement::StoreFloat(self.words(written, n)?, self.variable())
            }
            10 => {
                let access = self.words(&[Space::Local, Space::Global], 1)?;
                Statement::Atomic(self.variable(), access)
            }
            11 | 12 => self.copy(&ALL)?,
            13 if !self.pointers.is_empty() => self.choice(),
            20 => self.walk(&ALL)?,
            21 if self.pointers.len() > 1 && self.pointers[0] == self.pointers[1] => {
                Statement::Exchange(0, 1)
            }
            14 | 15 if depth > 0 => {
                let (a, b) = (self.body(depth - 1, 3), self.random.one_in(2));
                let b = if b { self.body(depth - 1, 3) } else { Vec::new() };
                Statement::If(self.variable(), bit, a, b)
            }
            16 | 17 if depth > 0 => {
                let count = match self.random.below(3) {
                    0 => self.number(false),
                    _ => Number::Constant(self.random.below(8) as u32),
                };
                self.loops += 1;
                let body = self.body(depth - 1, 4);
                self.loops -= 1;
                Statement::Loop(count, body)
            }
            18 if !self.functions.is_empty() => {
                let f = self.random.below(self.functions.len());
                let pointer = self.pointer(&[self.functions[f].space])?;
                Statement::Call(f, self.variable(), pointer)
            }
            _ => {
                let with = u64::from(self.random.word());
                Statement::Mix(self.variable(), self.variable(), with)
            }
        })
    }

    /// Copies a structure between two objects.
    fn copy(&mut self, all: &[Space]) -> Option<Statement> {
        let (mut to, mut from) = (self.access(&all[..3])?, self.access(all)?);
        // The places must not overlap, and a variable may lead to any object of its space.
        if self.space(to.pointer) == self.space(from.pointer) {
            return None;
        }
        let bytes = self.pick(&STRUCTURES);
        for access in [&mut to, &mut from] {
            // The structures have members of all sizes.
            if self.kind(self.space(access.pointer)).0.len() < 4 {
                return None;
            }
            (access.size, access.n) = (1, bytes);
            access.form = AccessForm::Offset;
        }
        Some(Statement::Copy(to, from))
    }

    /// Goes through the first integers of an object, or of the bytes after a pointer, eight at most.
    fn walk(&mut self, all: &[Space]) -> Option<Statement> {
        let stores = self.random.one_in(2);
        let mut access = self.access(if stores { &all[..3] } else { all })?;
        (access.n, access.form) = (1, AccessForm::Index);
        access.index = Number::Constant(0);
        let (_, known) = self.kind(self.space(access.pointer));
        let (variable, count) = (self.variable(), self.number(known));
        Some(Statement::Walk {
            variable,
            access,
            count,
            stores,
        })
    }

    /// Chooses a place for a pointer.
    fn choice(&mut self) -> Statement {
        let p = self.random.below(self.pointers.len());
        let objects: Vec<usize> = (0..self.objects.len())
            .filter(|o| self.objects[*o].space == self.pointers[p])
            .collect();
        let places = [0; 2].map(|_| (self.pick(&objects), self.pick(&[0, 16, 32, 48, 64])));
        let bit = self.random.below(32) as u32;
        Statement::Choose(p, (self.variable(), bit), places)
    }
}
