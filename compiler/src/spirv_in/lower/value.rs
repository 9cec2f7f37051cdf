//! Operands: the values of ids.

use super::func::{FuncLowering, Val};
use crate::ir::{AddressSpace, CastOp, Const, Handle, Scalar, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::consts::Constant;
use crate::spirv_in::types::{Type, space};
use crate::spirv_in::words::Inst;
use rspirv::spirv::Op;

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    /// Returns the id of an operand's type.
    pub(super) fn type_of(&self, inst: &Inst<'_>, id: u32) -> Result<u32, Error> {
        if let Some(def) = self.defs.get(&id) {
            return Ok(def.ty);
        }
        let ty = self.cx.source.consts.type_of(id);
        ty.ok_or_else(|| inst.invalid(format!("%{id} is not a value")))
    }

    /// Returns the value of an id.
    pub(super) fn val(&mut self, inst: &Inst<'_>, id: u32) -> Result<Val, Error> {
        let accesses = matches!(inst.op, Op::Load | Op::Store) && inst.args.first() == Some(&id);
        if !accesses && self.components.contains_key(&id) {
            return Err(
                inst.unsupported("a pointer to a component of a matrix, except for a load or a store")
            );
        }
        if let Some(&val) = self.here.get(&id).or_else(|| self.everywhere.get(&id)) {
            return Ok(val);
        }
        if self.cx.source.consts.get(id).is_some() {
            return self.constant(inst, id);
        }
        self.crossing_value(inst, id)
    }

    /// Returns the value of an id, which must be of the given type.
    pub(super) fn operand_of(&mut self, inst: &Inst<'_>, id: u32, ty: u32) -> Result<Val, Error> {
        let have = self.type_of(inst, id)?;
        let types = &self.cx.source.types;
        let fits = have == ty || types.value(have).is_some() && types.value(have) == types.value(ty);
        if fits {
            self.val(inst, id)
        } else {
            Err(inst.invalid(format!("%{id} is of another type than the instruction wants")))
        }
    }

    /// Returns the scalar, vector, pointer or handle that operand `n` names.
    pub(super) fn operand(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value, Error> {
        let id = inst.arg(n)?;
        self.value(inst, id)
    }

    /// Returns the scalar, vector, pointer or handle that an id stands for.
    pub(super) fn value(&mut self, inst: &Inst<'_>, id: u32) -> Result<Value, Error> {
        match self.val(inst, id)? {
            Val::Value(value) => Ok(value),
            Val::Memory(_) | Val::Sampled(..) => {
                Err(inst.invalid(format!("%{id} is not a scalar, vector or pointer")))
            }
        }
    }

    /// Returns the type of an id's value, if it is a scalar, vector, pointer or handle.
    pub(super) fn ir_type(&self, inst: &Inst<'_>, id: u32) -> Result<Ty, Error> {
        let ty = self.type_of(inst, id)?;
        let ty = self.cx.source.types.value(ty);
        ty.ok_or_else(|| inst.invalid(format!("%{id} is not a scalar, vector or pointer")))
    }

    /// Returns the result type of an instruction, if it is that of a scalar, vector, pointer or handle.
    pub(super) fn result_type(&self, inst: &Inst<'_>) -> Result<Ty, Error> {
        let ty = self.cx.source.types.value(inst.ty);
        ty.ok_or_else(|| inst.invalid("the result type is not that of a scalar, vector or pointer"))
    }

    /// Returns an integer constant that operand `n` names.
    pub(super) fn integer(&self, inst: &Inst<'_>, n: usize) -> Result<u64, Error> {
        self.cx.source.integer(inst, inst.arg(n)?)
    }

    /// Returns the storage class's address space and the pointee of a pointer that an id stands for.
    pub(super) fn pointer(&self, inst: &Inst<'_>, id: u32) -> Result<(AddressSpace, u32), Error> {
        let ty = self.type_of(inst, id)?;
        match self.cx.source.types.get(ty) {
            Some(Type::Pointer(class, pointee)) => match space(*class) {
                Some(space) => Ok((space, *pointee)),
                None => Err(inst.unsupported(format!("pointers to {class:?} are not implemented here"))),
            },
            _ => Err(inst.invalid(format!("%{id} is no pointer"))),
        }
    }

    fn constant(&mut self, inst: &Inst<'_>, id: u32) -> Result<Val, Error> {
        let source = self.cx.source;
        let (Some(constant), Some(type_id)) = (source.consts.get(id), source.consts.type_of(id)) else {
            return Err(inst.invalid(format!("%{id} is no constant")));
        };
        let ty = source.types.value(type_id);
        let val = match (constant, ty) {
            (Constant::Lanes(lanes), Some(ty)) => Val::Value(self.b.lanes(ty, lanes.clone())),
            (Constant::Undef, Some(ty)) if ty.scalar.bytes() > 0 || ty.scalar == Scalar::Bool => {
                Val::Value(self.b.undef(ty))
            }
            (Constant::Null, Some(ty)) if ty.scalar.bytes() > 0 => Val::Value(self.b.zero(ty)),
            (Constant::Sampler(mask), _) => {
                let bits = Handle::Literal(*mask).to_bits();
                let ty = Ty::of(Scalar::Sampler);
                Val::Value(self.b.func.constant(ty, Const::Bits(vec![bits])))
            }
            (Constant::Address { variable, offset }, _) => {
                let ptr = self.address(inst, *variable, *offset)?;
                Val::Value(match (ty, ty.and_then(Ty::space), self.b.func.ty(ptr).space()) {
                    (_, Some(AddressSpace::Generic), _) => self.as_generic(inst, ptr)?,
                    (Some(Ty::I64), ..) => self.b.cast(CastOp::PtrToInt, ptr, Ty::I64),
                    (_, wanted, found) if wanted == found => ptr,
                    (
                        Some(ty),
                        Some(AddressSpace::Global | AddressSpace::Constant),
                        Some(AddressSpace::Global | AddressSpace::Constant),
                    ) => self.b.cast(CastOp::PtrCast, ptr, ty),
                    _ => {
                        let why =
                            format!("%{id} leads to memory of another storage class than its type states");
                        return Err(inst.invalid(why));
                    }
                })
            }
            (Constant::Undef | Constant::Null, None) if source.types.is_aggregate(type_id) => {
                let layout = source.types.layout_of(inst, type_id)?;
                let memory = self.alloca(layout);
                if *constant == Constant::Null {
                    self.zero(memory, layout);
                }
                Val::Memory(memory)
            }
            (Constant::Data(data), _) => {
                let layout = source.types.layout_of(inst, type_id)?;
                let global = self.cx.data(inst, id, data, layout.align)?;
                Val::Memory(self.b.global_addr(global, AddressSpace::Constant))
            }
            (Constant::Operation(_), _) => return self.operation(inst, id),
            _ => return Err(inst.unsupported(format!("the constant %{id} is not implemented here"))),
        };
        self.here.insert(id, val);
        Ok(val)
    }

    /// Evaluates an OpSpecConstantOp where it is used.
    fn operation(&mut self, inst: &Inst<'_>, id: u32) -> Result<Val, Error> {
        let source = self.cx.source;
        let missing = || inst.invalid(format!("%{id} is no operation"));
        let whole = source.operations.get(&id).ok_or_else(missing)?;
        let op = Op::from_u32(whole.arg(0)?).ok_or_else(missing)?;
        let args = whole.args_from(1)?;
        self.inst(&Inst { op, args, ..*whole })?;
        self.here.get(&id).copied().ok_or_else(missing)
    }

    /// Returns the address of a variable of the module.
    fn address(&mut self, inst: &Inst<'_>, variable: u32, offset: u64) -> Result<Value, Error> {
        let base = match (self.cx.globals.get(&variable), self.everywhere.get(&variable)) {
            (Some(&global), _) => {
                let space = self.cx.out.globals[global].space;
                self.b.global_addr(global, space)
            }
            (None, Some(&Val::Value(private))) => private,
            (None, _) => self.built_in_address(inst, variable)?,
        };
        Ok(self.b.ptr_offset(base, offset as i64))
    }
}
