//! Pointers to the generic address space.
//!
//! The IR has no such pointers yet. A pointer to Generic is translated where `spirv_in::spaces` has found its
//! space: it is then a pointer to that space.

use super::func::FuncLowering;
use crate::ir::AddressSpace;
use crate::spirv_in::Error;
use crate::spirv_in::consts::Constant;
use crate::spirv_in::spaces::Found;
use crate::spirv_in::types::space;
use crate::spirv_in::words::Inst;
use rspirv::spirv::StorageClass;

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns the address space that a pointer leads to.
    pub(super) fn space_of(&self, id: u32, class: StorageClass) -> Option<AddressSpace> {
        if let Some(own) = space(class) {
            return Some(own);
        }
        match self.cx.spaces.value(id) {
            Some(Found::One(space)) => Some(space),
            Some(Found::Several) | None => self.constant_space(id),
        }
    }

    /// Returns the space of a constant address.
    fn constant_space(&self, id: u32) -> Option<AddressSpace> {
        match self.cx.source.consts.get(id)? {
            Constant::Address { variable, .. } => space(self.cx.source.variables.get(variable)?.class),
            _ => None,
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
