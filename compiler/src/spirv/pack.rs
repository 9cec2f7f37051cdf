//! Several work-groups of the application that run as one work-group of the device
//! ([`Target::packs_groups`](crate::target::Target::packs_groups)).
//!
//! Why: a work-group with fewer work-items than a sub-group of the device leaves lanes idle
//! (`docs/adr/0023-packed-work-groups.md`).
//!
//! A work-group of the device consists of `pack` groups in each dimension. The three numbers are specialization constants,
//! which are 1 unless the runtime decides otherwise. The constants of the work-group size are those of the device, and `size`
//! is their quotient by these numbers:
//!
//! | value | computed from Vulkan's built-ins |
//! |---|---|
//! | copy | LocalInvocationId / size: which of the groups it is |
//! | the work-item's place in its group | LocalInvocationId - copy · size |
//! | the group's number | WorkgroupId · pack + copy |
//!
//! Each group has its own local memory: an array in local memory is as many times as long. The copies of its elements are
//! adjacent, so that groups that access the same element use different banks of the memory. If arrays of several types share
//! their memory, that applies to units of their largest element.
//!
//! A kernel that does not see its work-groups ([`Module::ungrouped`]) needs none of this: the runtime multiplies the size.

use super::{Emit, Emitter, FnEmitter, Id, memory, waits};
use crate::abi::Abi;
use crate::intrinsic::Intrinsic;
use crate::ir::{Function, Inst, Module, Op, Scalar, Storage, Ty};
use crate::reflect::spec_id;
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// How several work-groups of a kernel become one work-group of the device.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    /// They do not.
    None,
    /// The work-group size is multiplied, which the kernel does not see.
    Size,
    /// By specialization constants, as the module's documentation says.
    Constants,
}

impl Packing {
    /// Returns the packing of a kernel.
    pub(super) fn of(module: &Module, kernel: usize) -> Packing {
        let func = module.kernels[kernel].func;
        let is_candidate = module.packable.contains(&func)
            && module.abi.get(kernel).is_some_and(|abi| abi.scratch == 0)
            && !module.printf.kernels.contains(&func);
        if !is_candidate || !may_share(&module.funcs[func]) {
            return Packing::None;
        }
        match module.ungrouped.contains(&func) {
            true => Packing::Size,
            false => Packing::Constants,
        }
    }
}

/// Returns whether work-items of different work-groups may be in one sub-group. They may not if a work-item may wait for one of
/// another group: on many devices it makes no progress then, while sub-groups of their own would. Fences and volatile accesses
/// of shared memory are taken for signs of it.
fn may_share(func: &Function) -> bool {
    let order = func.insts_in_order();
    let volatile = memory::volatile_accesses(func);
    let orders = |i: &Inst| matches!(func.insts[*i].op, Op::Intrinsic(op) if op.orders_memory());
    if volatile.local || volatile.global || order.iter().any(orders) {
        return false;
    }
    let mut loops = order.iter().copied().filter(|i| func.insts[*i].op == Op::Loop);
    !loops.any(|l| waits::may_wait(func, l)) && arena_unit(func).is_some()
}

/// Returns the size in bytes of the largest element type of the arena, 1 if there is no arena, and `None` if that is no power
/// of two.
fn arena_unit(func: &Function) -> Option<u32> {
    let bytes = func
        .insts_in_order()
        .into_iter()
        .filter_map(|i| match func.insts[i].op {
            Op::LoadFrom(Storage::Arena(elem), _)
            | Op::StoreTo(Storage::Arena(elem), _)
            | Op::AtomicOn(_, Storage::Arena(elem)) => Some(elem.bytes()),
            _ => None,
        });
    let all: Vec<u32> = bytes.collect();
    let largest = all.iter().copied().max().unwrap_or(1);
    let alone = all.iter().all(|n| *n == largest);
    (alone || all.iter().all(|n| n.is_power_of_two())).then_some(largest)
}

/// The specialization constants of a module some of whose kernels are packed, and what follows from them.
#[derive(Copy, Clone)]
pub(super) struct Constants {
    /// The size that the application sees.
    size: [Id; 3],
    /// The number of groups in each dimension.
    pack: [Id; 3],
    /// For each dimension, 1 if there are several groups, otherwise 0.
    several: [Id; 3],
    /// The number of groups.
    all: Id,
    /// The vector of the device's size.
    packed: Id,
}

/// What a packed kernel computes at its start.
#[derive(Copy, Clone)]
pub(super) struct Places {
    /// The work-item's place in the work-group of the device.
    device: Id,
    /// Its place in its own group.
    local: Id,
    /// The number of its group in the dispatch.
    group: Id,
    /// The number of its group in the work-group of the device.
    copy: Id,
}

impl Emitter<'_> {
    /// Declares the numbers of groups, and returns the size that the application sees for a size of the device.
    pub(super) fn unpacked_size(&mut self, of_device: [Id; 3]) -> [Id; 3] {
        let u32_type = self.u32_type();
        let one = self.u32_const(1);
        let pack = [0, 1, 2].map(|n| {
            let id = self.global(
                spv::Op::SpecConstant,
                Some(u32_type),
                vec![Operand::LiteralBit32(1)],
            );
            self.decorate(id, spv::Decoration::SpecId, &[spec_id::PACK + n]);
            id
        });
        let several = pack.map(|n| {
            let more = self.spec_op(spv::Op::ISub, n, one);
            self.write_is_nonzero(more)
        });
        let plane = self.spec_op(spv::Op::IMul, pack[0], pack[1]);
        let all = self.spec_op(spv::Op::IMul, plane, pack[2]);
        let size = [0, 1, 2].map(|d| self.spec_op(spv::Op::UDiv, of_device[d], pack[d]));
        self.shared.pack = Some(Constants {
            size,
            pack,
            several,
            all,
            packed: self.size_composite(of_device),
        });
        size
    }

    /// Returns the length of an array in local memory, which has `length` elements for each group.
    pub(super) fn packed_length(&mut self, length: Id) -> Id {
        match self.shared.pack {
            Some(constants) => self.spec_op(spv::Op::IMul, length, constants.all),
            None => length,
        }
    }
}

impl FnEmitter<'_, '_> {
    /// Returns the specialization constants, if the function is a kernel that they pack.
    pub(super) fn pack_constants(&self) -> Option<Constants> {
        let constants = self.e.shared.pack?;
        let is_packed = |k| self.e.packing.get(k) == Some(&Packing::Constants);
        self.kernel.is_some_and(is_packed).then_some(constants)
    }

    /// Computes the places of a packed kernel's work-item at the start of the kernel.
    pub(super) fn find_places(&mut self) -> Emit<()> {
        let Some(constants) = self.pack_constants() else {
            return Ok(());
        };
        let asks = |op: &Op| {
            matches!(
                op,
                Op::Intrinsic(
                    Intrinsic::WorkgroupId | Intrinsic::LocalInvocationId | Intrinsic::DeviceLocalId
                ) | Op::LoadFrom(Storage::Arena(_) | Storage::Shared(..), _)
                    | Op::StoreTo(Storage::Arena(_) | Storage::Shared(..), _)
                    | Op::AtomicOn(_, Storage::Arena(_) | Storage::Shared(..))
            )
        };
        let f = self.f;
        if !f.insts_in_order().into_iter().any(|i| asks(&f.insts[i].op)) {
            return Ok(());
        }
        let u32_type = self.e.u32_type();
        let vector = Ty::vector(Scalar::I32, 3);
        let device = self.device_local_id()?;
        let device_group = self.built_in(spv::BuiltIn::WorkgroupId, vector)?;
        let (mut local, mut group, mut copies) = ([0; 3], [0; 3], [0; 3]);
        for d in 0..3 {
            let place = self.extract(device, u32_type, d as u32)?;
            let number = self.extract(device_group, u32_type, d as u32)?;
            let mut op = |op, a, b| self.op_ids(op, u32_type, &[a, b]);
            // Where `several` is 0, the driver folds the rest of this computation.
            let copy = op(spv::Op::UDiv, place, constants.size[d])?;
            copies[d] = op(spv::Op::IMul, copy, constants.several[d])?;
            let before = op(spv::Op::IMul, copies[d], constants.size[d])?;
            local[d] = op(spv::Op::ISub, place, before)?;
            let first = op(spv::Op::IMul, number, constants.pack[d])?;
            group[d] = op(spv::Op::IAdd, first, copies[d])?;
        }
        let mut op = |op, a, b| self.op_ids(op, u32_type, &[a, b]);
        let rows = op(spv::Op::IMul, copies[2], constants.pack[1])?;
        let rows = op(spv::Op::IAdd, rows, copies[1])?;
        let before = op(spv::Op::IMul, rows, constants.pack[0])?;
        let copy = op(spv::Op::IAdd, before, copies[0])?;
        let vector = self.e.ty(vector)?;
        self.places = Some(Places {
            device,
            local: self.op_ids(spv::Op::CompositeConstruct, vector, &local)?,
            group: self.op_ids(spv::Op::CompositeConstruct, vector, &group)?,
            copy,
        });
        Ok(())
    }

    /// Reads the place of the work-item in the work-group that the device has, with several groups of a packed kernel.
    fn device_local_id(&mut self) -> Emit<Id> {
        match self.e.module.flat {
            true => self.flat_local_id(),
            false => self.built_in(spv::BuiltIn::LocalInvocationId, Ty::vector(Scalar::I32, 3)),
        }
    }

    /// Returns one of the values that packing changes; `None` for others, and in kernels that are not packed.
    pub(super) fn packed_value(&mut self, op: Intrinsic) -> Option<Id> {
        match op {
            Intrinsic::WorkgroupId => self.places.map(|p| p.group),
            Intrinsic::LocalInvocationId => self.places.map(|p| p.local),
            Intrinsic::DeviceLocalId => self.places.map(|p| p.device),
            Intrinsic::DeviceGroupSize => self.pack_constants().map(|c| c.packed),
            _ => None,
        }
    }

    /// Returns the index of an element in the array that has the elements of all groups, for an array in local memory. `unit`
    /// is the size in bytes of what is adjacent for all groups, a multiple of the size of `elem`.
    fn packed_index(&mut self, index: Id, elem: Ty, unit: u32) -> Emit<Id> {
        let (Some(constants), Some(places)) = (self.pack_constants(), self.places) else {
            return Ok(index);
        };
        let u32_type = self.e.u32_type();
        let each = unit / elem.bytes();
        if each == 1 {
            let first = self.op_ids(spv::Op::IMul, u32_type, &[index, constants.all])?;
            return self.op_ids(spv::Op::IAdd, u32_type, &[first, places.copy]);
        }
        // The elements before those of this unit are, for all other groups, those of as many units.
        let one = self.e.u32_const(1);
        let others = self.e.spec_op(spv::Op::ISub, constants.all, one);
        let mask = self.e.u32_const(!(each - 1));
        let each = self.e.u32_const(each);
        let before = self.op_ids(spv::Op::BitwiseAnd, u32_type, &[index, mask])?;
        let before = self.op_ids(spv::Op::IMul, u32_type, &[before, others])?;
        let own = self.op_ids(spv::Op::IMul, u32_type, &[places.copy, each])?;
        let index = self.op_ids(spv::Op::IAdd, u32_type, &[index, before])?;
        self.op_ids(spv::Op::IAdd, u32_type, &[index, own])
    }

    /// Returns the index of an element of the arena.
    pub(super) fn arena_index(&mut self, index: Id, elem: Ty) -> Emit<Id> {
        match self.arena_unit {
            Some(unit) => self.packed_index(index, elem, unit),
            None => Ok(index),
        }
    }

    /// Returns the index of an element of a variable in local memory.
    pub(super) fn shared_index(&mut self, index: Id, elem: Ty) -> Emit<Id> {
        self.packed_index(index, elem, elem.bytes())
    }
}

/// Returns the unit of the arena of a function, if it is a packed kernel's.
pub(super) fn unit(packing: Option<&Packing>, func: &Function) -> Option<u32> {
    (packing == Some(&Packing::Constants))
        .then(|| arena_unit(func))
        .flatten()
}

/// Returns the packing of each kernel.
pub(super) fn of_all(module: &Module, abi: &Abi) -> Vec<Packing> {
    let kernels = 0..module.kernels.len();
    let all = kernels.map(|k| match (Packing::of(module, k), abi) {
        // The built-ins of a dispatch count work-groups of the device, and a host of this ABI knows nothing of these.
        (Packing::Constants, Abi::Descriptor(_)) => Packing::None,
        (packing, _) => packing,
    });
    all.collect()
}
