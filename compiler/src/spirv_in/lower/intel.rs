//! The instructions of SPV_INTEL_subgroups: shuffles, also between two values, and blocks in global memory.

use super::func::FuncLowering;
use crate::intrinsic::Intrinsic;
use crate::ir::{Access, AddressSpace, BinOp, CmpOp, Op as IrOp, Ty, Value};
use crate::spirv_in::Error;
use crate::spirv_in::words::Inst;
use rspirv::spirv::Op;

impl<'m, 'w> FuncLowering<'_, 'm, 'w>
where
    'w: 'm,
{
    pub(super) fn intel_subgroup(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        match inst.op {
            Op::SubgroupShuffleINTEL | Op::SubgroupShuffleXorINTEL => {
                inst.exactly(2)?;
                let op = match inst.op {
                    Op::SubgroupShuffleINTEL => Intrinsic::SubgroupShuffle,
                    _ => Intrinsic::SubgroupShuffleXor,
                };
                let (value, from) = (self.operand(inst, 0)?, self.item(inst, 1)?);
                self.exchange(inst, op, value, from)
            }
            Op::SubgroupShuffleDownINTEL | Op::SubgroupShuffleUpINTEL => self.shuffle_of_two(inst),
            Op::SubgroupBlockReadINTEL => self.block_read(inst),
            _ => self.block_write(inst),
        }
    }

    fn of_subgroup(&mut self, intrinsic: Intrinsic) -> Value {
        self.b.value(IrOp::Intrinsic(intrinsic), [], Ty::I32)
    }

    /// Translates a shuffle of two values. The operands of all work-items are a sequence: the first operands, in the order of the
    /// work-items, and then the second ones. Down begins at a work-item's first operand and reads the value at a distance after it;
    /// Up begins at the second operand and reads the value at a distance before it.
    fn shuffle_of_two(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(3)?;
        let (first, second) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let ty = self.b.func.ty(first);
        if ty != self.b.func.ty(second) {
            return Err(inst.invalid("the operands differ in type"));
        }
        if !(ty.scalar.is_int() || ty.scalar.is_float()) {
            return Err(inst.invalid("the operand is no number"));
        }
        let distance = self.item(inst, 2)?;
        let id = self.of_subgroup(Intrinsic::SubgroupLocalId);
        let size = self.of_subgroup(Intrinsic::SubgroupMaxSize);
        let down = inst.op == Op::SubgroupShuffleDownINTEL;
        let (is_first, from) = if down {
            let from = self.b.binary(BinOp::IAdd, id, distance);
            let is_first = self.b.compare(CmpOp::ULt, from, size);
            let in_second = self.b.binary(BinOp::ISub, from, size);
            (is_first, self.b.select(is_first, from, in_second))
        } else {
            let from = self.b.binary(BinOp::ISub, id, distance);
            let is_first = self.b.compare(CmpOp::ULt, id, distance);
            let before = self.b.binary(BinOp::IAdd, from, size);
            (is_first, self.b.select(is_first, before, from))
        };
        // The values of both are exchanged: the work-items that read one may be those that need the other.
        let shuffle = IrOp::Intrinsic(Intrinsic::SubgroupShuffle);
        let of_first = self.b.value(shuffle.clone(), [first, from], ty);
        let of_second = self.b.value(shuffle, [second, from], ty);
        let value = self.b.select(is_first, of_first, of_second);
        self.define(inst, value)
    }

    /// Returns the addresses of a work-item's components in a block: component `n` of all work-items comes before component
    /// `n + 1` of any.
    fn places_in_block(&mut self, inst: &Inst<'_>, pointer: u32, ty: Ty) -> Result<Vec<Value>, Error> {
        let (space, pointee) = self.pointer(inst, pointer)?;
        if space != AddressSpace::Global {
            return Err(inst.unsupported("blocks are implemented in global memory only"));
        }
        let one = Ty::of(ty.scalar);
        if !ty.scalar.is_int() || self.cx.source.types.value(pointee) != Some(one) {
            return Err(inst.invalid("the block has another type than the memory, or is not of integers"));
        }
        let base = self.value(inst, pointer)?;
        let id = self.of_subgroup(Intrinsic::SubgroupLocalId);
        let size = self.of_subgroup(Intrinsic::SubgroupMaxSize);
        let mut at = self.resize(id, Ty::I64, false);
        let size = self.resize(size, Ty::I64, false);
        let mut list = Vec::new();
        for _ in 0..ty.lanes {
            list.push(self.add_offset(base, at, ty.scalar.bytes()));
            at = self.b.binary(BinOp::IAdd, at, size);
        }
        Ok(list)
    }

    fn block_read(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(1)?;
        let ty = self.result_type(inst)?;
        let access = component_access(ty);
        let places = self.places_in_block(inst, inst.arg(0)?, ty)?;
        let lanes: Vec<Value> = places
            .into_iter()
            .map(|place| self.read(place, Ty::of(ty.scalar), access))
            .collect();
        let value = match lanes[..] {
            [one] => one,
            _ => self.b.construct(ty, lanes),
        };
        self.define(inst, value)
    }

    fn block_write(&mut self, inst: &Inst<'_>) -> Result<(), Error> {
        inst.exactly(2)?;
        let data = self.operand(inst, 1)?;
        let ty = self.b.func.ty(data);
        let access = component_access(ty);
        let places = self.places_in_block(inst, inst.arg(0)?, ty)?;
        for (lane, place) in (0..).zip(places) {
            let part = if ty.is_vector() {
                self.b.extract(data, lane)
            } else {
                data
            };
            self.write(place, part, access);
        }
        Ok(())
    }
}

fn component_access(ty: Ty) -> Access {
    Access {
        align: ty.scalar.bytes().max(1),
        volatile: false,
    }
}
