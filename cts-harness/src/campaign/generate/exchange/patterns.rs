//! Statements of algorithms that many kernels have.

use super::make::Maker;
use super::{Access, Base, Condition, Element, Index, LoopForm, Number, Operation, Place, Statement};

impl Maker<'_> {
    /// Returns the statements of an algorithm.
    pub(super) fn pattern(&mut self, depth: usize) -> Vec<Statement> {
        self.try_pattern(depth).unwrap_or_default()
    }

    fn try_pattern(&mut self, depth: usize) -> Option<Vec<Statement>> {
        let zero = (Number::Constant(0), 0);
        let n = self.items as u32;
        let access = self.access(true, |a| matches!(a.element, Element::Value(_)))?;
        let mut own = access;
        (own.index.place, own.index.element, own.index.plus, own.field) = (Place::Own, zero, zero, None);
        let at = |place: Place| Access {
            index: Index { place, ..own.index },
            ..own
        };
        let (v, counter) = (self.variable(), (Number::Counter(0, 0), 0));
        let operation = match own.element.field(0) {
            f if f.float => Operation::Add,
            f if f.signed => Operation::Xor,
            _ => self.pick(&[Operation::Add, Operation::Max]),
        };
        Some(match self.random.below(6) {
            // A reduction.
            0 if depth > 0 => {
                let step = Statement::Combine(operation, own, at(Place::After(counter)));
                let body = vec![Statement::If(Condition::Less(counter), vec![step], Vec::new())];
                let result = at(Place::Same(zero));
                vec![
                    Statement::Store(own, v),
                    Statement::Loop(LoopForm::Halving, (Number::Constant(n / 2), 0), body),
                    Statement::Load(v, result),
                ]
            }
            // A scan.
            1 if depth > 0 => {
                let load = Statement::Load(v, at(Place::Before(counter)));
                let body = vec![
                    Statement::If(Condition::NotLess(counter), vec![load], Vec::new()),
                    Statement::Store(own, v),
                ];
                vec![
                    Statement::Store(own, v),
                    Statement::Loop(LoopForm::Doubling, (Number::Constant(n), 0), body),
                ]
            }
            // A tile with a halo.
            2 => {
                let count = self.pick(&[2, 3, 4]);
                let sum = Statement::Sum(v, own, (Number::Constant(count), 0), 1, self.random.one_in(3));
                let condition = Condition::Fits((Number::Constant(count), 0));
                vec![
                    Statement::Store(own, v),
                    Statement::If(condition, vec![sum], Vec::new()),
                ]
            }
            3 if depth > 0 && self.pointers.len() > 1 => self.buffers(v)?,
            // A ring of `each` buffers.
            4 if depth > 0 && own.index.each > 1 => {
                let each = own.index.each;
                let (mut to, mut from) = (own, at(self.injective()));
                to.index.element = (Number::Counter(0, 0), each as u32);
                from.index.element = (Number::Counter(0, each as u32 - 1), each as u32);
                let store = Statement::Store(to, v);
                let body = vec![store, Statement::Load(self.variable(), from)];
                vec![Statement::Loop(LoopForm::Up, (Number::Constant(6), 0), body)]
            }
            // Each work-item writes one member of an element of two.
            _ if own.element.count() > 1 => {
                let mut halves = [at(Place::Shared(2)); 2];
                (halves[0].field, halves[1].field) = (Some(0), Some(1));
                let [a, b] = halves.map(|h| vec![Statement::Store(h, v)]);
                vec![
                    Statement::If(Condition::Remainder(2, 0), a, b),
                    Statement::Load(v, at(self.injective())),
                ]
            }
            // A histogram.
            _ if own.element.scalar().is_some_and(|ty| ty.bits() == 32) => {
                let add = Statement::Atomic(
                    Operation::Add,
                    at(Place::Variable(v)),
                    self.variable(),
                    false,
                    false,
                );
                vec![
                    Statement::Store(own, v),
                    add,
                    Statement::Load(v, at(self.injective())),
                ]
            }
            _ => vec![Statement::Store(own, v), Statement::Load(v, at(self.injective()))],
        })
    }

    /// Two buffers whose pointers are exchanged.
    fn buffers(&mut self, v: usize) -> Option<Vec<Statement>> {
        let swap = self.swap()?;
        let Statement::Swap(p, q) = swap else {
            return None;
        };
        let zero = (Number::Constant(0), 0);
        let through = |m: &Self, p: usize, place: Place| Access {
            base: Base::Pointer(p),
            element: m.pointers[p].element,
            index: Index {
                place,
                each: 1,
                adjacent: true,
                element: zero,
                plus: zero,
            },
            field: None,
        };
        let other = self.injective();
        let body = vec![
            Statement::Load(v, through(self, p, other)),
            Statement::Store(through(self, q, Place::Own), v),
            swap,
        ];
        let count = (Number::Constant(self.pick(&[2, 3, 5])), 0);
        Some(vec![
            Statement::Store(through(self, p, Place::Own), v),
            Statement::Loop(LoopForm::Up, count, body),
        ])
    }
}
