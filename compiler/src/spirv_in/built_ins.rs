//! Pointers to built-in variables.
//!
//! A built-in variable is a value of the work-item, and memory only for the uses that want an address. Producers declare it
//! in one of several storage classes: Input, or CrossWorkgroup as DPC++ does. Its memory is private, and so is what
//! a pointer leads to that is derived from its address. Such pointers therefore get types of the class Function in
//! place of those that the module states.

use super::types::{Type, Types};
use super::words::Inst;
use crate::hash::{HashMap, HashSet};
use rspirv::spirv::{Op, StorageClass};

/// The pointers to built-in variables that a module has so far.
#[derive(Default, Debug)]
pub(super) struct BuiltInPointers {
    pointers: HashSet<u32>,
    /// The types of pointers to Function that were made, by the pointee.
    types: HashMap<u32, u32>,
    /// An id that the module does not use.
    next: u32,
}

impl BuiltInPointers {
    /// Creates an empty set for a module whose ids are less than `bound`.
    pub(super) fn new(bound: u32) -> Self {
        BuiltInPointers {
            next: bound,
            ..Self::default()
        }
    }

    /// Adds a built-in variable. Returns the declaration with the type that the variable's address gets.
    pub(super) fn variable<'w>(&mut self, types: &mut Types, inst: &Inst<'w>) -> Inst<'w> {
        self.pointers.insert(inst.result);
        self.private(types, inst)
    }

    /// Returns an instruction with the type that its result gets, if that is a pointer that is derived from
    /// the address of a built-in variable.
    pub(super) fn derived<'w>(&mut self, types: &mut Types, inst: &Inst<'w>) -> Inst<'w> {
        if self.pointers.is_empty() || inst.result == 0 {
            return *inst;
        }
        let bases: &[u32] = match inst.op {
            Op::Bitcast
            | Op::CopyObject
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => inst.args.get(..1).unwrap_or_default(),
            Op::SpecConstantOp => inst.args.get(1..2).unwrap_or_default(),
            Op::Select => inst.args.get(1..).unwrap_or_default(),
            Op::Phi => inst.args,
            _ => return *inst,
        };
        if !bases.iter().any(|id| self.pointers.contains(id)) {
            return *inst;
        }
        let inst = self.private(types, inst);
        if let Some(Type::Pointer(StorageClass::Function, _)) = types.get(inst.ty) {
            self.pointers.insert(inst.result);
        }
        inst
    }

    fn private<'w>(&mut self, types: &mut Types, inst: &Inst<'w>) -> Inst<'w> {
        let Some(&Type::Pointer(class, pointee)) = types.get(inst.ty) else {
            return *inst;
        };
        if class == StorageClass::Generic {
            return *inst;
        }
        let ty = *self.types.entry(pointee).or_insert_with(|| {
            let id = self.next;
            self.next += 1;
            types.add_pointer(id, StorageClass::Function, pointee);
            id
        });
        Inst { ty, ..*inst }
    }
}
