//! The decisions of `lower_memory` about a kernel before it changes anything: which private objects become
//! variables of their own, which are on the stack, and the element types.
//!
//! Private pointers that flow into each other (through `ptr_add`, `select`, results, region arguments,
//! comparisons) form a *class*. If the pointers of a class come from a single object and none of them is
//! stored, loaded or converted to a number, the object becomes a variable, and a pointer of the class is an
//! offset into it. All other objects are on one stack, and pointers to them are offsets into the stack.

use super::element::Accesses;
use super::format::AddressFormat;
use crate::intrinsic::Intrinsic;
use crate::ir::inst::CastOp;
use crate::ir::{AddressSpace, EntityRef, Function, Global, GlobalData, Inst, Map, Op, Ty, Value, ValueDef};
use std::collections::BTreeMap;

/// The object into which a private pointer points.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Object {
    /// Index into `Plan::variables`.
    Variable(usize),
    Stack,
}

/// A variable to be created.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) bytes: u32,
    pub(super) elem: Ty,
}

/// The decisions about one kernel.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) variables: Vec<Variable>,
    pub(super) stack: Variable,
    /// The offset in bytes of each `alloca` in its object.
    pub(super) allocas: BTreeMap<Inst, u32>,
    /// The element type of the local arena.
    pub(super) arena: Ty,
    /// The offsets of the kernel's local variables in the arena.
    pub(super) locals: BTreeMap<Global, u32>,
    /// The end of the last local variable.
    pub(super) local_bytes: u32,
    /// For each value, the object if the value is a private pointer.
    objects: Vec<Option<Object>>,
}

impl Plan {
    /// Returns the object into which a private pointer points.
    pub(super) fn object(&self, pointer: Value) -> Object {
        self.objects
            .get(pointer.index())
            .copied()
            .flatten()
            .unwrap_or(Object::Stack)
    }

    /// Makes the decisions. `named`: local memory consists of objects with names and is not an arena
    /// (descriptor ABI).
    pub(super) fn new(func: &Function, globals: &Map<Global, GlobalData>, named: bool) -> Plan {
        let mut classes = Classes::new(func);
        let insts = func.insts_in_order();
        for &inst in &insts {
            classes.inst(func, inst);
        }
        let mut objects = vec![None; func.values.len()];
        let mut variables: Vec<Variable> = Vec::new();
        let mut of_class: BTreeMap<usize, Object> = BTreeMap::new();
        let mut allocas = BTreeMap::new();
        let mut stack_bytes = 0u32;
        for &inst in &insts {
            if let Op::Alloca { size, align } = func.insts[inst].op {
                let class = classes.find(func.insts[inst].results[0].index());
                let own = classes.roots[class] == 1 && !classes.escapes[class];
                let (object, offset) = if own {
                    variables.push(Variable {
                        bytes: size,
                        elem: Ty::I32,
                    });
                    (Object::Variable(variables.len() - 1), 0)
                } else {
                    let offset = stack_bytes.next_multiple_of(align.max(4));
                    stack_bytes = offset.saturating_add(size);
                    (Object::Stack, offset)
                };
                of_class.insert(class, object);
                allocas.insert(inst, offset);
            }
        }
        for v in func.values.keys() {
            if is_private(func, v) {
                let class = classes.find(v.index());
                objects[v.index()] = Some(of_class.get(&class).copied().unwrap_or(Object::Stack));
            }
        }
        let mut plan = Plan {
            variables,
            stack: Variable {
                bytes: stack_bytes.max(4),
                elem: Ty::I32,
            },
            allocas,
            arena: Ty::I32,
            locals: BTreeMap::new(),
            local_bytes: 0,
            objects,
        };
        plan.place_locals(func, globals, &insts);
        plan.choose_elements(func, &insts, named);
        plan
    }

    /// Places the local variables in the order of the module, from offset 0.
    fn place_locals(&mut self, func: &Function, globals: &Map<Global, GlobalData>, insts: &[Inst]) {
        for &inst in insts {
            if let Op::GlobalAddr(g) = func.insts[inst].op
                && globals[g].space == AddressSpace::Local
            {
                self.locals.insert(g, 0);
            }
        }
        for (&g, offset) in &mut self.locals {
            *offset = self.local_bytes.next_multiple_of(globals[g].align.max(1));
            self.local_bytes = offset.saturating_add(globals[g].size);
        }
    }

    /// Chooses the element type of each array.
    fn choose_elements(&mut self, func: &Function, insts: &[Inst], named: bool) {
        let mut table = AccessTable {
            named,
            arena: Accesses::default(),
            stack: Accesses::default(),
            variables: vec![Accesses::default(); self.variables.len()],
        };
        for &inst in insts {
            table.inst(self, func, inst);
        }
        self.arena = table.arena.element();
        self.stack.elem = table.stack.element();
        for (variable, accesses) in self.variables.iter_mut().zip(&table.variables) {
            variable.elem = accesses.element();
            if accesses.is_empty() {
                variable.bytes = 0;
            }
        }
    }
}

/// The accesses to each array.
struct AccessTable {
    named: bool,
    arena: Accesses,
    stack: Accesses,
    variables: Vec<Accesses>,
}

impl AccessTable {
    /// Returns the array into which a pointer points, if its element type is to be chosen.
    fn of(&mut self, plan: &Plan, func: &Function, pointer: Value) -> Option<&mut Accesses> {
        match AddressFormat::of(func.ty(pointer).space()?, self.named) {
            AddressFormat::Workgroup32 => Some(&mut self.arena),
            AddressFormat::Private32 => Some(match plan.object(pointer) {
                Object::Stack => &mut self.stack,
                Object::Variable(n) => &mut self.variables[n],
            }),
            AddressFormat::Physical64 | AddressFormat::Words32 | AddressFormat::Object => None,
        }
    }

    /// Records the accesses of an instruction.
    fn inst(&mut self, plan: &Plan, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Load(access) => {
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.typed(func.ty(data.results[0]), access.align);
                }
            }
            Op::Store(access) => {
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.typed(func.ty(data.args[1]), access.align);
                }
            }
            Op::MemCpy { size, dst, src } => {
                let align = dst.align.min(src.align);
                for &pointer in &data.args {
                    if let Some(a) = self.of(plan, func, pointer) {
                        a.bulk(align, *size);
                    }
                }
            }
            Op::MemZero { size, dst } => {
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.bulk(dst.align, *size);
                }
            }
            Op::Intrinsic(Intrinsic::Atomic(_)) => {
                let value = data.results.first().or(data.args.get(1));
                let ty = value.map_or(Ty::I32, |&v| func.ty(v));
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.atomic(ty);
                }
            }
            _ => {}
        }
    }
}

/// Classes of private pointers that flow into each other, as a union-find structure over values.
struct Classes {
    parent: Vec<usize>,
    /// For the representative of a class: the number of objects in the class.
    roots: Vec<u32>,
    /// For the representative of a class: whether a pointer of the class escapes.
    escapes: Vec<bool>,
}

impl Classes {
    fn new(func: &Function) -> Self {
        let n = func.values.len();
        Classes {
            parent: (0..n).collect(),
            roots: vec![0; n],
            escapes: vec![false; n],
        }
    }

    /// Returns the representative of a class.
    fn find(&mut self, mut v: usize) -> usize {
        while self.parent[v] != v {
            self.parent[v] = self.parent[self.parent[v]];
            v = self.parent[v];
        }
        v
    }

    /// Joins the classes of two pointers.
    fn unify(&mut self, func: &Function, a: Value, b: Value) {
        // A constant null pointer does not join classes.
        if !is_private(func, a) || !is_private(func, b) {
            return;
        }
        let (a, b) = (self.find(a.index()), self.find(b.index()));
        if a != b {
            self.parent[b] = a;
            self.roots[a] += self.roots[b];
            self.escapes[a] |= self.escapes[b];
        }
    }

    /// Records that a pointer escapes.
    fn escape(&mut self, func: &Function, v: Value) {
        if is_private(func, v) {
            let class = self.find(v.index());
            self.escapes[class] = true;
        }
    }

    /// Records the flow of pointers through an instruction.
    fn inst(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Alloca { .. } => {
                let class = self.find(data.results[0].index());
                self.roots[class] += 1;
            }
            Op::PtrAdd => self.unify(func, data.results[0], data.args[0]),
            Op::Select => {
                self.unify(func, data.results[0], data.args[1]);
                self.unify(func, data.results[0], data.args[2]);
            }
            Op::Compare(_) => self.unify(func, data.args[0], data.args[1]),
            Op::Loop => {
                let region = data.regions[0];
                for (&arg, &init) in func.regions[region].args.iter().zip(&data.args) {
                    self.unify(func, arg, init);
                }
            }
            Op::Exit(target) => {
                for (&result, &v) in func.insts[*target].results.iter().zip(&data.args) {
                    self.unify(func, result, v);
                }
            }
            Op::Repeat(target) => {
                let region = func.insts[*target].regions[0];
                for (&arg, &v) in func.regions[region].args.iter().zip(&data.args) {
                    self.unify(func, arg, v);
                }
            }
            Op::Load(_) | Op::MemCpy { .. } | Op::MemZero { .. } => {
                for &v in &data.results {
                    self.escape(func, v);
                }
            }
            Op::Store(_) => self.escape(func, data.args[1]),
            Op::Cast(CastOp::PtrToInt | CastOp::IntToPtr | CastOp::PtrCast) | Op::Call(_) | Op::Return => {
                for &v in data.args.iter().chain(&data.results) {
                    self.escape(func, v);
                }
            }
            Op::Intrinsic(_) => {
                for &v in &data.args {
                    self.escape(func, v);
                }
            }
            _ => {}
        }
    }
}

fn is_private(func: &Function, v: Value) -> bool {
    func.ty(v).space() == Some(AddressSpace::Private) && !matches!(func.values[v].def, ValueDef::Const(_))
}
