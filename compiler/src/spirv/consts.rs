//! Constants, which are declared only once each.

use super::{Emit, Emitter, Id, bug};
use crate::ir::{Const, Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

impl Emitter<'_> {
    /// Returns the id of a constant of the IR. `Undef` becomes zero, so that two uses of it see the same
    /// value.
    pub(super) fn constant(&mut self, ty: Ty, c: &Const) -> Emit<Id> {
        match c {
            Const::Undef => self.lanes(ty, &vec![0; usize::from(ty.lanes)]),
            Const::Bits(lanes) => self.lanes(ty, lanes),
        }
    }

    pub(super) fn lanes(&mut self, ty: Ty, lanes: &[u64]) -> Emit<Id> {
        if lanes.len() != usize::from(ty.lanes) {
            return Err(bug("constant with a wrong number of lanes"));
        }
        if !ty.is_vector() {
            return self.scalar_constant(ty.scalar, lanes[0]);
        }
        let id = self.ty(ty)?;
        let parts = lanes
            .iter()
            .map(|&l| Ok(Operand::IdRef(self.scalar_constant(ty.scalar, l)?)))
            .collect::<Emit<Vec<_>>>()?;
        Ok(self.intern(spv::Op::ConstantComposite, Some(id), parts))
    }

    pub(super) fn scalar_constant(&mut self, s: Scalar, bits: u64) -> Emit<Id> {
        let ty = self.scalar(s)?;
        Ok(match s {
            Scalar::Bool if bits & 1 != 0 => self.intern(spv::Op::ConstantTrue, Some(ty), vec![]),
            Scalar::Bool => self.intern(spv::Op::ConstantFalse, Some(ty), vec![]),
            Scalar::I64 | Scalar::F64 => {
                self.intern(spv::Op::Constant, Some(ty), vec![Operand::LiteralBit64(bits)])
            }
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::F16 | Scalar::F32 => {
                let mask = u32::MAX >> (32 - s.bits());
                let word = bits as u32 & mask;
                self.intern(spv::Op::Constant, Some(ty), vec![Operand::LiteralBit32(word)])
            }
            Scalar::Matrix(m) => {
                let component = self.scalar_constant(m.scalar(), bits)?;
                self.intern(
                    spv::Op::ConstantComposite,
                    Some(ty),
                    vec![Operand::IdRef(component)],
                )
            }
            Scalar::Ptr(_) | Scalar::Image | Scalar::Sampler => {
                return Err(bug("a constant of an opaque type is left"));
            }
        })
    }

    pub(super) fn u32_const(&mut self, value: u32) -> Id {
        self.scalar_constant(Scalar::I32, u64::from(value))
            .expect("an integer is always a constant")
    }

    /// Returns the id of a constant with the same bits in each lane.
    pub(super) fn splat(&mut self, ty: Ty, bits: u64) -> Emit<Id> {
        self.lanes(ty, &vec![bits; usize::from(ty.lanes)])
    }
}
