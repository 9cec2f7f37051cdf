//! Pointers to the generic address space.
//!
//! The IR has no such pointers yet. A pointer to Generic is translated where its space is known: it was made
//! in this function by a cast of a pointer to another space, perhaps through casts and access chains. It is
//! then that pointer. Other generic pointers are refused by name.

use super::func::FuncLowering;
use crate::ir::{AddressSpace, Ty};
use crate::spirv_in::Error;
use crate::spirv_in::types::space;
use crate::spirv_in::words::Inst;
use rspirv::spirv::StorageClass;

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns the address space that a pointer leads to.
    pub(super) fn space_of(&self, id: u32, class: StorageClass) -> Option<AddressSpace> {
        self.spaces.get(&id).copied().or_else(|| space(class))
    }

    /// Records the space of a result that is a pointer to Generic. Returns whether it is one.
    pub(super) fn record_space(&mut self, inst: &Inst<'_>, have: Ty) -> bool {
        match have.space() {
            Some(space) if self.cx.source.types.is_generic(inst.ty) => {
                self.spaces.insert(inst.result, space);
                true
            }
            _ => false,
        }
    }

    pub(super) fn cast_to_generic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let value = self.operand(inst, 0)?;
        if self.b.func.ty(value).space() == Some(AddressSpace::Constant) {
            return Err(inst.invalid("constant memory is no part of the generic address space"));
        }
        self.define(inst, value)
    }

    pub(super) fn cast_from_generic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let value = self.operand(inst, 0)?;
        let to = self.result_type(inst)?;
        if self.b.func.ty(value) != to {
            return Err(
                inst.unsupported("a cast to a space that is not the pointer's own is not implemented")
            );
        }
        self.define(inst, value)
    }

    /// The cast that gives null if the pointer is of another space.
    pub(super) fn cast_explicitly(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let value = self.operand(inst, 0)?;
        let to = self.result_type(inst)?;
        if to.space().is_none() {
            return Err(inst.invalid("the result type is no pointer"));
        }
        let value = if self.b.func.ty(value) == to {
            value
        } else {
            self.b.zero(to)
        };
        self.define(inst, value)
    }
}
