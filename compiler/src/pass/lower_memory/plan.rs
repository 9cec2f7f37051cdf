//! The decisions of `lower_memory` about a kernel before it changes anything: which private objects become
//! variables of their own, which are on the stack, and the element types.
//!
//! If the pointers of a class (`classes.rs`) come from a single private object and do not escape, the object
//! becomes a variable, and a pointer of the class is an offset into it. All other objects are on one stack, and
//! pointers to them are offsets into the stack. `local.rs` does the same for local memory.

use super::classes::{Classes, is_pointer_to};
use super::element::{Accesses, Direction, without_narrow};
use super::format::AddressFormat;
use super::local::LocalMemory;
use super::matrix;
use crate::intrinsic::Intrinsic;
use crate::ir::analysis::{Weight, weights};
use crate::ir::{AddressSpace, EntityRef, Function, Global, GlobalData, Inst, Map, Op, Ty, Value};

use crate::target::Target;
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
    pub(super) local: LocalMemory,
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

    /// Makes the decisions. `named`: local memory consists of objects with names (descriptor ABI).
    pub(super) fn new(
        func: &Function,
        globals: &Map<Global, GlobalData>,
        target: &Target,
        named: bool,
    ) -> Plan {
        let insts = func.insts_in_order();
        let mut classes = Classes::new(func, &insts);
        let mut objects = vec![None; func.values.len()];
        let mut variables: Vec<Variable> = Vec::new();
        let mut of_class: BTreeMap<usize, Object> = BTreeMap::new();
        let mut allocas = BTreeMap::new();
        let mut stack_bytes = 0u32;
        for &inst in &insts {
            if let Op::Alloca { size, align } = func.insts[inst].op {
                let pointer = func.insts[inst].results[0];
                let class = classes.of(pointer);
                let (object, offset) = if classes.is_apart(pointer) {
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
            if is_pointer_to(func, v, AddressSpace::Private) {
                let class = classes.of(v);
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
            local: LocalMemory::new(func, globals, &mut classes, target, named),
            objects,
        };
        plan.choose_elements(func, globals, target, named);
        plan
    }

    /// Chooses the element type of each array.
    fn choose_elements(
        &mut self,
        func: &Function,
        globals: &Map<Global, GlobalData>,
        target: &Target,
        named: bool,
    ) {
        let mut table = AccessTable {
            named,
            arena: Accesses::default(),
            own: vec![Accesses::default(); self.local.own.len()],
            stack: Accesses::default(),
            variables: vec![Accesses::default(); self.variables.len()],
        };
        for (region, weight) in weights(func) {
            for &inst in &func.regions[region].insts {
                table.inst(self, func, inst, weight);
            }
        }
        self.local
            .choose_elements(globals, &table.own, &table.arena, target);
        self.stack.elem = without_narrow(table.stack.element(), target);
        for (variable, accesses) in self.variables.iter_mut().zip(&table.variables) {
            variable.elem = without_narrow(accesses.element(), target);
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
    /// The accesses to each local variable that is not in the arena.
    own: Vec<Accesses>,
    stack: Accesses,
    variables: Vec<Accesses>,
}

impl AccessTable {
    /// Returns the array into which a pointer points, if its element type is to be chosen.
    fn of(&mut self, plan: &Plan, func: &Function, pointer: Value) -> Option<&mut Accesses> {
        match AddressFormat::of(func.ty(pointer).space()?, self.named) {
            AddressFormat::Workgroup32 => Some(match plan.local.own_of(pointer) {
                Some(n) => &mut self.own[n],
                None => &mut self.arena,
            }),
            AddressFormat::Private32 => Some(match plan.object(pointer) {
                Object::Stack => &mut self.stack,
                Object::Variable(n) => &mut self.variables[n],
            }),
            AddressFormat::Physical64 | AddressFormat::Words32 | AddressFormat::Object => None,
        }
    }

    /// Records the accesses of an instruction.
    fn inst(&mut self, plan: &Plan, func: &Function, inst: Inst, weight: Weight) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Load(access) => {
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.typed(func.ty(data.results[0]), *access, Direction::Load, weight);
                }
            }
            Op::Store(access) => {
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.typed(func.ty(data.args[1]), *access, Direction::Store, weight);
                }
            }
            Op::MemCpy { size, dst, src } => {
                let align = dst.align.min(src.align);
                for (&pointer, direction) in data.args.iter().zip([Direction::Store, Direction::Load]) {
                    if let Some(a) = self.of(plan, func, pointer) {
                        a.bulk(align, *size, direction, weight);
                    }
                }
            }
            Op::MemZero { size, dst } => {
                if let Some(a) = self.of(plan, func, data.args[0]) {
                    a.bulk(dst.align, *size, Direction::Store, weight);
                }
            }
            Op::Intrinsic(Intrinsic::Matrix(op)) => {
                if let Some((align, direction)) = matrix::bulk(func, inst, *op)
                    && let Some(a) = self.of(plan, func, data.args[0])
                {
                    a.bulk(align, align, direction, weight);
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
