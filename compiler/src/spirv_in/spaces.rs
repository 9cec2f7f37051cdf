//! The address spaces of pointers to Generic.
//!
//! The IR has no generic pointers. Each pointer to Generic of a module gets the space of the pointers that it
//! can be made from, by a flow over the whole module: through casts, access chains, phi, selections, calls,
//! results, and variables of functions that hold such a pointer. A pointer that may lead to several spaces,
//! or whose origin is not in the module, has none; its use is then an error.

use super::consts::Constant;
use super::module::{Function, Module};
use super::types::space;
use super::words::Inst;
use crate::ir::AddressSpace;
use rspirv::spirv::Op;
use std::collections::HashMap;

/// What a space is known of: the value with an id, the result of a function, or the contents of a variable.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Place {
    Value(u32),
    Result(u32),
    Contents(u32),
}

/// What is known about the space of a pointer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    One(AddressSpace),
    /// The pointer may lead to several spaces.
    Several,
}

/// The spaces of the pointers to Generic, by the id of the pointer or of the function that returns it.
#[derive(Default, Debug)]
pub(super) struct Spaces {
    found: HashMap<Place, Found>,
}

impl Spaces {
    /// Finds the spaces of a module's generic pointers.
    pub(super) fn of(module: &Module<'_>) -> Spaces {
        let mut flow = Flow {
            module,
            edges: HashMap::new(),
            work: Vec::new(),
        };
        if module.has_generic_pointers() {
            for function in &module.functions {
                flow.function(function);
            }
        }
        let mut spaces = Spaces::default();
        while let Some((place, what)) = flow.work.pop() {
            let known = spaces.found.get(&place).copied();
            let joined = match known {
                None => what,
                Some(known) if known == what => continue,
                Some(Found::Several) => continue,
                Some(_) => Found::Several,
            };
            spaces.found.insert(place, joined);
            let next = flow.edges.get(&place).into_iter().flatten();
            flow.work.extend(next.map(|&to| (to, joined)));
        }
        spaces
    }

    /// Returns what is known of the space of a value.
    pub(super) fn value(&self, id: u32) -> Option<Found> {
        self.found.get(&Place::Value(id)).copied()
    }

    /// Returns what is known of the space of a function's result.
    pub(super) fn result(&self, function: u32) -> Option<Found> {
        self.found.get(&Place::Result(function)).copied()
    }
}

/// The flow of pointers through a module.
struct Flow<'m, 'w> {
    module: &'m Module<'w>,
    edges: HashMap<Place, Vec<Place>>,
    work: Vec<(Place, Found)>,
}

impl Flow<'_, '_> {
    fn edge(&mut self, from: Place, to: Place) {
        self.edges.entry(from).or_default().push(to);
    }

    /// Adds the flow from an operand, which may be a constant.
    fn operand(&mut self, id: Option<&u32>, to: Place) {
        let Some(&id) = id else {
            return;
        };
        if let Some(Constant::Address { variable, .. }) = self.module.consts.get(id) {
            let class = self.module.variables.get(variable).map(|v| v.class);
            if let Some(space) = class.and_then(space) {
                self.work.push((to, Found::One(space)));
            }
        }
        self.edge(Place::Value(id), to);
    }

    fn function(&mut self, function: &Function<'_>) {
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            self.inst(function, inst);
        }
    }

    fn inst(&mut self, function: &Function<'_>, inst: &Inst<'_>) {
        let to = Place::Value(inst.result);
        match inst.op {
            Op::PtrCastToGeneric => {
                let class = inst.args.first().and_then(|&id| self.module.class_of(id));
                if let Some(space) = class.and_then(space) {
                    self.work.push((to, Found::One(space)));
                }
            }
            Op::Bitcast
            | Op::CopyObject
            | Op::ExpectKHR
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => self.operand(inst.args.first(), to),
            Op::Phi => inst
                .args
                .iter()
                .step_by(2)
                .for_each(|id| self.operand(Some(id), to)),
            Op::Select => inst.args.iter().skip(1).for_each(|id| self.operand(Some(id), to)),
            Op::Load => {
                if let Some(&variable) = inst.args.first() {
                    self.edge(Place::Contents(variable), to);
                }
            }
            Op::Store => {
                if let [variable, object, ..] = inst.args {
                    self.operand(Some(object), Place::Contents(*variable));
                }
            }
            Op::FunctionCall => {
                let Some((&callee, args)) = inst.args.split_first() else {
                    return;
                };
                self.edge(Place::Result(callee), to);
                let module = self.module;
                let params = module.function(callee).map_or(&[][..], |f| &f.params);
                for (p, arg) in params.iter().zip(args) {
                    self.operand(Some(arg), Place::Value(p.result));
                }
            }
            Op::ReturnValue => self.operand(inst.args.first(), Place::Result(function.inst.result)),
            _ => {}
        }
    }
}
