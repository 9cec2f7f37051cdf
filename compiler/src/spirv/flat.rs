//! Work-groups that the device gets with one dimension ([`Module::flat`](crate::ir::Module::flat)).
//!
//! Why: OpenCL wants all sub-groups of a work-group but the last to have the same size, and their ids to be dense. Some drivers
//! make sub-groups of each row of a work-group instead, and give those of several rows the same id. With one dimension they
//! are right.
//!
//! The specialization constants keep the size that the application sees, and the module computes the device's size from it.
//! If the rows are whole sub-groups, or if there is only one, the device gets the size as it is. Otherwise it gets a single
//! row, and the place of a work-item is computed from its number in that row. Both are decided by numbers that the driver
//! knows when it makes a pipeline.

use super::{Emit, Emitter, FnEmitter, Id};
use crate::intrinsic::Intrinsic;
use crate::ir::{Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// A work-group has fewer than 2 to the power of this number work-items.
const ITEMS_LOG2: u32 = 20;

/// The numbers from which the emitted code computes the place of a work-item in the application's work-group.
#[derive(Copy, Clone)]
pub(super) struct Flat {
    /// The number of work-items in a row and of rows, for the application.
    rows: [Id; 2],
    /// 1 if the device gets a single row, otherwise 0.
    single: Id,
}

impl Emitter<'_> {
    /// Declares the size of the device's work-groups for a size that the application sees.
    pub(super) fn flat_size(&mut self, size: [Id; 3]) -> [Id; 3] {
        let one = self.u32_const(1);
        let [x, y, z] = size;
        let rows = self.spec_op(spv::Op::IMul, y, z);
        let more = self.spec_op(spv::Op::ISub, rows, one);
        let mut single = self.write_is_nonzero(more);
        if let Some(items) = self.target.subgroup_size {
            let items = self.u32_const(items);
            let rest = self.spec_op(spv::Op::UMod, x, items);
            let partial = self.write_is_nonzero(rest);
            single = self.spec_op(spv::Op::IMul, single, partial);
        }
        let all = self.spec_op(spv::Op::IMul, more, single);
        let all = self.spec_op(spv::Op::IMul, all, x);
        let all = self.spec_op(spv::Op::IAdd, all, x);
        let [height, depth] = [y, z].map(|n| {
            let less = self.spec_op(spv::Op::ISub, n, one);
            let less = self.spec_op(spv::Op::IMul, less, single);
            self.spec_op(spv::Op::ISub, n, less)
        });
        self.shared.flat = Some(Flat { rows: [x, y], single });
        [all, height, depth]
    }

    /// Declares 1 if a number is not 0, otherwise 0. The number is less than 2 to the power of [`ITEMS_LOG2`].
    pub(super) fn write_is_nonzero(&mut self, n: Id) -> Id {
        let most = self.u32_const((1 << ITEMS_LOG2) - 1);
        let exponent = self.u32_const(ITEMS_LOG2);
        let sum = self.spec_op(spv::Op::IAdd, n, most);
        self.spec_op(spv::Op::ShiftRightLogical, sum, exponent)
    }

    /// Returns whether the device gets a single row for a size that is known now.
    fn is_known_flat(&self, size: [u32; 3]) -> bool {
        let partial = |items| !size[0].is_multiple_of(items);
        size[1..] != [1, 1] && self.target.subgroup_size.is_none_or(partial)
    }

    /// Declares the result of an operation on specialization constants.
    pub(super) fn spec_op(&mut self, op: spv::Op, a: Id, b: Id) -> Id {
        let u32_type = self.u32_type();
        let operands = vec![
            Operand::LiteralSpecConstantOpInteger(op),
            Operand::IdRef(a),
            Operand::IdRef(b),
        ];
        self.intern(spv::Op::SpecConstantOp, Some(u32_type), operands)
    }
}

impl FnEmitter<'_, '_> {
    /// Reads the place of the work-item in the work-group that the application sees.
    pub(super) fn flat_local_id(&mut self) -> Emit<Id> {
        let id = self.built_in(spv::BuiltIn::LocalInvocationId, Ty::vector(Scalar::I32, 3))?;
        // The constants state the size of a packed kernel's work-groups.
        let packs = self.pack_constants().is_some();
        let known = self.e.module.kernels[self.kernel()?]
            .fixed_size()
            .filter(|_| !packs);
        let flat = match (known, self.e.shared.flat) {
            (Some(size), _) if !self.e.is_known_flat(size) => return Ok(id),
            (Some([x, y, _]), _) => Flat {
                rows: [x, y].map(|n| self.e.u32_const(n)),
                single: self.e.u32_const(1),
            },
            (None, Some(flat)) => flat,
            (None, None) => return Err(super::bug("no size of flat work-groups")),
        };
        let u32_type = self.e.u32_type();
        let [width, height] = flat.rows;
        let [x, y, z] = [
            self.extract(id, u32_type, 0)?,
            self.extract(id, u32_type, 1)?,
            self.extract(id, u32_type, 2)?,
        ];
        let mut op = |op, a, b| self.op_ids(op, u32_type, &[a, b]);
        let row = op(spv::Op::UDiv, x, width)?;
        // Where `single` is 0, the driver folds the rest of this computation.
        let row = op(spv::Op::IMul, row, flat.single)?;
        let before = op(spv::Op::IMul, row, width)?;
        let layer = op(spv::Op::UDiv, row, height)?;
        let rows_before = op(spv::Op::IMul, layer, height)?;
        let row_in_layer = op(spv::Op::ISub, row, rows_before)?;
        let x = op(spv::Op::ISub, x, before)?;
        let y = op(spv::Op::IAdd, y, row_in_layer)?;
        let z = op(spv::Op::IAdd, z, layer)?;
        let vector = self.e.ty(Ty::vector(Scalar::I32, 3))?;
        self.op_ids(spv::Op::CompositeConstruct, vector, &[x, y, z])
    }

    /// Computes the place of the work-item in the dispatch that the application sees.
    pub(super) fn flat_global_id(&mut self) -> Emit<Id> {
        let vector = self.e.ty(Ty::vector(Scalar::I32, 3))?;
        let group = self.work_item(Intrinsic::WorkgroupId)?;
        let size = self.work_item(Intrinsic::WorkgroupSize)?;
        let place = self.work_item(Intrinsic::LocalInvocationId)?;
        let start = self.op_ids(spv::Op::IMul, vector, &[group, size])?;
        self.op_ids(spv::Op::IAdd, vector, &[start, place])
    }
}
