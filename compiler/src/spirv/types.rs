//! Types, which are declared only once each, with the capabilities that they need.

use super::{Emit, Emitter, Id, bug};
use crate::ir::{Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

impl Emitter<'_> {
    pub(super) fn void(&mut self) -> Id {
        self.intern(spv::Op::TypeVoid, None, vec![])
    }

    pub(super) fn scalar(&mut self, s: Scalar) -> Emit<Id> {
        Ok(match s {
            Scalar::Bool => self.intern(spv::Op::TypeBool, None, vec![]),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => {
                match s.bits() {
                    // Without these capabilities, the types occur in accesses of buffers only, which have their own.
                    8 if !self.target.features.int8 && self.target.lacks_narrow_integers() => {}
                    16 if !self.target.features.int16 && self.target.lacks_narrow_integers() => {}
                    8 => self.needs.capability(spv::Capability::Int8),
                    16 => self.needs.capability(spv::Capability::Int16),
                    64 => self.needs.capability(spv::Capability::Int64),
                    _ => {}
                }
                let operands = vec![Operand::LiteralBit32(s.bits()), Operand::LiteralBit32(0)];
                self.intern(spv::Op::TypeInt, None, operands)
            }
            Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                match s.bits() {
                    16 => self.needs.capability(spv::Capability::Float16),
                    64 => self.needs.capability(spv::Capability::Float64),
                    _ => {}
                }
                self.intern(spv::Op::TypeFloat, None, vec![Operand::LiteralBit32(s.bits())])
            }
            Scalar::Matrix(m) => {
                self.needs.capability(spv::Capability::CooperativeMatrixKHR);
                self.needs.capability(spv::Capability::VulkanMemoryModel);
                let component = self.scalar(m.scalar())?;
                let mut operands = vec![Operand::IdRef(component)];
                let numbers = [
                    spv::Scope::Subgroup as u32,
                    m.rows.into(),
                    m.columns.into(),
                    m.role as u32,
                ];
                operands.extend(numbers.map(|n| Operand::IdRef(self.u32_const(n))));
                self.intern(spv::Op::TypeCooperativeMatrixKHR, None, operands)
            }
            Scalar::Ptr(_) => return Err(bug("a pointer is left after lower_memory")),
            Scalar::Image | Scalar::Sampler => return Err(bug("an image or sampler is a value")),
        })
    }

    /// Returns the id of a value's type.
    pub(super) fn ty(&mut self, ty: Ty) -> Emit<Id> {
        let scalar = self.scalar(ty.scalar)?;
        match ty.lanes {
            1 => Ok(scalar),
            2..=4 => {
                let operands = vec![Operand::IdRef(scalar), Operand::LiteralBit32(u32::from(ty.lanes))];
                Ok(self.intern(spv::Op::TypeVector, None, operands))
            }
            n => Err(bug(format!("a vector of {n} lanes is left"))),
        }
    }

    /// Returns the id of the type that a pure function with these results returns: a structure if there are several.
    pub(super) fn results(&mut self, results: &[Ty]) -> Emit<Id> {
        match *results {
            [] => Err(bug("a pure function without result")),
            [ty] => self.ty(ty),
            _ => {
                let members = results.iter().map(|&ty| Ok(Operand::IdRef(self.ty(ty)?)));
                let members = members.collect::<Emit<Vec<_>>>()?;
                Ok(self.intern(spv::Op::TypeStruct, None, members))
            }
        }
    }

    pub(super) fn u32_type(&mut self) -> Id {
        self.scalar(Scalar::I32).expect("an integer is always a type")
    }

    pub(super) fn pointer(&mut self, class: spv::StorageClass, to: Id) -> Id {
        let operands = vec![Operand::StorageClass(class), Operand::IdRef(to)];
        self.intern(spv::Op::TypePointer, None, operands)
    }
}
