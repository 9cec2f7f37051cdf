//! Pointers to the generic address space.

use super::func::FuncLowering;
use crate::intrinsic::Intrinsic;
use crate::ir::{Access, AddressSpace, BinOp, CastOp, CmpOp, Op as IrOp, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::types::space;
use crate::spirv_in::words::Inst;
use rspirv::spirv::{MemorySemantics, StorageClass};

/// Private memory that an instruction accesses in place of the memory that a generic pointer leads to: the built-in functions
/// that the importer calls take no generic pointers.
pub(super) struct StandIn {
    pub(super) memory: Value,
    generic: Value,
    size: u32,
    access: Access,
}

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Converts a pointer to a generic one.
    pub(super) fn as_generic(&mut self, inst: &Inst<'_>, ptr: Value) -> Result<Value, Error> {
        match self.b.func.ty(ptr).space() {
            Some(AddressSpace::Generic) => Ok(ptr),
            Some(AddressSpace::Private | AddressSpace::Local | AddressSpace::Global) => {
                Ok(self.b.cast(CastOp::PtrCast, ptr, Ty::ptr(AddressSpace::Generic)))
            }
            Some(AddressSpace::Constant) => {
                Err(inst.invalid("constant memory is no part of the generic address space"))
            }
            Some(AddressSpace::Push | AddressSpace::Args) | None => {
                Err(inst.invalid("the operand is no pointer"))
            }
        }
    }

    pub(super) fn cast_to_generic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let value = self.operand(inst, 0)?;
        let value = self.as_generic(inst, value)?;
        self.define(inst, value)
    }

    /// Returns the generic pointer that operand 0 names, and the type that it is converted to.
    fn generic_operand(&mut self, inst: &Inst<'_>) -> Result<(Value, Ty, AddressSpace), Error> {
        let value = self.operand(inst, 0)?;
        if self.b.func.ty(value).space() != Some(AddressSpace::Generic) {
            return Err(inst.invalid("the operand is no pointer to Generic"));
        }
        let to = self.result_type(inst)?;
        match to.space().filter(|s| AddressSpace::IN_GENERIC.contains(s)) {
            Some(space) => Ok((value, to, space)),
            None => Err(inst.invalid("the result type is no pointer to a part of the generic address space")),
        }
    }

    pub(super) fn cast_from_generic(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let (value, to, _) = self.generic_operand(inst)?;
        let value = self.b.cast(CastOp::PtrCast, value, to);
        self.define(inst, value)
    }

    /// The cast that gives null if the pointer is of another space.
    pub(super) fn cast_explicitly(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let (value, to, wanted) = self.generic_operand(inst)?;
        if StorageClass::from_u32(inst.arg(1)?).and_then(space) != Some(wanted) {
            return Err(inst.invalid("the storage class is not that of the result type"));
        }
        let is_wanted = self.leads_to(value, wanted);
        let cast = self.b.cast(CastOp::PtrCast, value, to);
        let null = self.b.zero(to);
        let value = self.b.select(is_wanted, cast, null);
        self.define(inst, value)
    }

    /// Returns whether a generic pointer, if it is not null, leads to a space.
    fn leads_to(&mut self, generic: Value, wanted: AddressSpace) -> Value {
        let tag = self
            .b
            .value(IrOp::Intrinsic(Intrinsic::PointerTag), [generic], Ty::I32);
        let mut is = |space: AddressSpace| {
            let number = self.b.i32(space.tag() as i32);
            self.b.compare(CmpOp::IEq, tag, number)
        };
        if wanted != AddressSpace::Global {
            return is(wanted);
        }
        let (private, local) = (is(AddressSpace::Private), is(AddressSpace::Local));
        let other = self.b.binary(BinOp::Or, private, local);
        let no = self.b.bool(false);
        self.b.compare(CmpOp::IEq, other, no)
    }

    /// The memory semantics of the space that a pointer leads to.
    pub(super) fn generic_semantics(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let value = self.operand(inst, 0)?;
        if self.b.func.ty(value).space() != Some(AddressSpace::Generic) {
            return Err(inst.invalid("the operand is no pointer to Generic"));
        }
        let mut bits = self.b.i32(0);
        for (space, semantics) in [
            (AddressSpace::Local, MemorySemantics::WORKGROUP_MEMORY),
            (AddressSpace::Global, MemorySemantics::CROSS_WORKGROUP_MEMORY),
        ] {
            let is = self.leads_to(value, space);
            let own = self.b.i32(semantics.bits() as i32);
            bits = self.b.select(is, own, bits);
        }
        self.define(inst, bits)
    }

    /// Returns private memory in place of `size` bytes that a generic pointer leads to.
    pub(super) fn stand_in(&mut self, generic: Value, size: u32, align: u32) -> StandIn {
        let memory = self.alloca(crate::spirv_in::types::Layout { size, align });
        let access = Access {
            align,
            volatile: false,
        };
        StandIn {
            memory,
            generic,
            size,
            access,
        }
    }

    /// Copies the contents to the private memory.
    pub(super) fn fetch(&mut self, to: &StandIn) {
        self.b
            .mem_cpy(to.memory, to.access, to.generic, to.access, to.size);
    }

    /// Copies the contents from the private memory.
    pub(super) fn put_back(&mut self, from: &StandIn) {
        self.b
            .mem_cpy(from.generic, from.access, from.memory, from.access, from.size);
    }
}
