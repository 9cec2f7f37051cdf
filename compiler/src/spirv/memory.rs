//! Loads, stores, atomics, fences and barriers.
//!
//! Under the Vulkan memory model, an access takes part in synchronization only if it is `NonPrivatePointer`.
//! In a kernel that synchronizes at all, every access to shared memory therefore has this operand. Volatile
//! accesses to buffers are made available and visible to the whole device, because programs spin on flags
//! with them.
//!
//! A work-item's volatile accesses keep their order (C99 5.1.2.3). Programs depend on it where the work-items of a sub-group
//! exchange values through local memory without barriers. SPIR-V's `Volatile` does not order accesses to different addresses, and
//! NVIDIA's driver moves loads to before stores; so there are fences between volatile accesses.

use super::instruction::instruction;
use super::{Emit, FnEmitter, Id, bug};
use crate::intrinsic::{AtomicOp, Clock, FenceFlags};
use crate::ir::{Access, Function, Inst, Op, Scalar, Storage, Ty, Value};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// Returns whether an instruction orders this work-item's memory accesses with those of others.
pub(super) fn synchronizes(op: &Op) -> bool {
    match op {
        Op::AtomicOn(..) => true,
        Op::Intrinsic(i) => i.orders_memory(),
        _ => false,
    }
}

/// Returns the memory of which a function has volatile accesses.
pub(super) fn volatile_accesses(func: &Function) -> FenceFlags {
    let mut found = FenceFlags::default();
    for (_, data) in func.insts.iter() {
        if let Op::LoadFrom(storage, access) | Op::StoreTo(storage, access) = &data.op
            && access.volatile
        {
            match storage {
                Storage::Arena(_) | Storage::Shared(..) => found.local = true,
                Storage::Physical | Storage::Buffer(..) => found.global = true,
                Storage::Variable | Storage::PushWord | Storage::ArgsWord | Storage::ReadOnly(..) => {}
            }
        }
    }
    found
}

/// The direction of an access, which determines its memory operands.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Direction {
    Load,
    Store,
}

impl Direction {
    /// Returns the direction of a store, or else of a load.
    pub(super) fn of(stores: bool) -> Direction {
        if stores { Direction::Store } else { Direction::Load }
    }
}

impl FnEmitter<'_, '_> {
    pub(super) fn memory(&mut self, inst: Inst) -> Emit<Option<Id>> {
        let f = self.f;
        let data = &f.insts[inst];
        match &data.op {
            Op::Variable { elem, count } => self.variable(*elem, *count).map(Some),
            Op::LoadFrom(storage, access) => {
                let ty = f.ty(data.results[0]);
                self.order_volatile(*storage, *access)?;
                let pointer = self.location(*storage, inst, ty)?;
                let mut operands = vec![Operand::IdRef(pointer)];
                operands.extend(self.memory_operands(*storage, *access, Direction::Load));
                let ty = self.e.ty(ty)?;
                self.op(spv::Op::Load, ty, operands).map(Some)
            }
            Op::StoreTo(storage, access) => {
                let value = data.args[storage.operands()];
                self.order_volatile(*storage, *access)?;
                let pointer = self.location(*storage, inst, f.ty(value))?;
                let value = self.value(value)?;
                let mut operands = vec![Operand::IdRef(pointer), Operand::IdRef(value)];
                operands.extend(self.memory_operands(*storage, *access, Direction::Store));
                self.push(instruction(spv::Op::Store, None, None, operands))?;
                Ok(None)
            }
            Op::AtomicOn(op, storage) => self.atomic(inst, *op, *storage),
            _ => Err(bug("not a memory instruction")),
        }
    }

    fn variable(&mut self, elem: Ty, count: u32) -> Emit<Id> {
        let class = spv::StorageClass::Function;
        let elem = self.e.ty(elem)?;
        let count = self.e.u32_const(count.max(1));
        let array = self.e.intern(
            spv::Op::TypeArray,
            None,
            vec![Operand::IdRef(elem), Operand::IdRef(count)],
        );
        let pointer = self.e.pointer(class, array);
        let id = self.e.id();
        self.vars.push(instruction(
            spv::Op::Variable,
            Some(pointer),
            Some(id),
            vec![Operand::StorageClass(class)],
        ));
        Ok(id)
    }

    /// Returns a pointer to `ty` at the location that the first operands of an instruction give.
    pub(super) fn location(&mut self, storage: Storage, inst: Inst, ty: Ty) -> Emit<Id> {
        let f = self.f;
        let args = &f.insts[inst].args;
        match storage {
            Storage::Physical => {
                let address = self.value(args[0])?;
                self.e
                    .needs
                    .capability(spv::Capability::PhysicalStorageBufferAddresses);
                self.e.buffer_access(ty.scalar);
                let to = self.e.ty(ty)?;
                let pointer = self.e.pointer(spv::StorageClass::PhysicalStorageBuffer, to);
                // SPV_KHR_physical_storage_buffer allows the conversion of two words.
                let conversion = match f.ty(args[0]) {
                    Ty::I64 => spv::Op::ConvertUToPtr,
                    _ => spv::Op::Bitcast,
                };
                self.op_ids(conversion, pointer, &[address])
            }
            Storage::Arena(elem) => {
                if ty != elem {
                    return Err(bug("access to the arena by another type than its element's"));
                }
                let arena = self.arena(elem)?;
                let index = self.value(args[0])?;
                let index = self.arena_index(index, elem)?;
                let zero = self.e.u32_const(0);
                let indices: &[Id] = if arena.block { &[zero, index] } else { &[index] };
                self.chain(spv::StorageClass::Workgroup, ty, arena.variable, indices)
            }
            Storage::Variable => {
                let f = self.f;
                let elem = match f.def_inst(args[0]).map(|i| &f.insts[i].op) {
                    Some(Op::Variable { elem, .. }) => *elem,
                    _ => return Err(bug("access to what is not a variable")),
                };
                let base = self.value(args[0])?;
                if ty == Ty::of(elem.scalar) && elem != ty {
                    let (vector, lane) = self.split_index(args[1], elem.lanes)?;
                    return self.chain(spv::StorageClass::Function, ty, base, &[vector, lane]);
                }
                if elem != ty {
                    return Err(bug("access to a variable by another type than its element's"));
                }
                let mut index = self.value(args[1])?;
                if self.e.target.quirks.stale_indices && f.as_bits(args[1]).is_none() {
                    index = self.own_index(index)?;
                }
                self.chain(spv::StorageClass::Function, ty, base, &[index])
            }
            Storage::Buffer(object, elem)
            | Storage::Shared(object, elem)
            | Storage::ReadOnly(object, elem) => {
                if elem != ty {
                    return Err(bug("access to memory by another type than its element's"));
                }
                let named = self.named(object, elem)?;
                if named.vectors {
                    return self.word_of_vectors(named.id, args[0], ty);
                }
                let mut index = self.value(args[0])?;
                if matches!(storage, Storage::Shared(..)) {
                    index = self.shared_index(index, elem)?;
                }
                let zero = self.e.u32_const(0);
                let indices: &[Id] = if named.block { &[zero, index] } else { &[index] };
                self.chain(named.class, ty, named.id, indices)
            }
            Storage::PushWord => self.push_word(args[0]),
            Storage::ArgsWord => {
                let base = self.args_block()?;
                self.word_of_vectors(base, args[0], ty)
            }
        }
    }

    /// Returns a copy of an index that only one access uses, for
    /// [`Quirks::stale_indices`](crate::target::Quirks::stale_indices). It is the minimum of the index and a
    /// bound that no index reaches. Each access has another bound, so that no driver merges the indices of
    /// two accesses again. (LLVM combines this operation with llvmpipe's own bounds check.)
    fn own_index(&mut self, index: Id) -> Emit<Id> {
        let bound = (i32::MAX as u32).saturating_sub(self.own_indices);
        self.own_indices += 1;
        let bound = self.e.u32_const(bound);
        let u32_type = self.e.u32_type();
        self.glsl(super::intrinsic::glsl::U_MIN, u32_type, &[index, bound])
    }

    /// Returns a pointer to a word of a uniform block, which is an array of vectors of four words.
    fn word_of_vectors(&mut self, base: Id, index: Value, ty: Ty) -> Emit<Id> {
        let (vector, lane) = self.split_index(index, 4)?;
        let zero = self.e.u32_const(0);
        self.chain(spv::StorageClass::Uniform, ty, base, &[zero, vector, lane])
    }

    /// Divides an index of a scalar into that of the vector that contains it, and its lane there.
    fn split_index(&mut self, index: Value, lanes: u8) -> Emit<(Id, Id)> {
        let (log, mask) = (lanes.trailing_zeros(), u32::from(lanes) - 1);
        if let Some(n) = self.f.as_bits(index) {
            let n = n as u32;
            return Ok((self.e.u32_const(n >> log), self.e.u32_const(n & mask)));
        }
        let u32_type = self.e.u32_type();
        let index = self.value(index)?;
        let (log, mask) = (self.e.u32_const(log), self.e.u32_const(mask));
        Ok((
            self.op_ids(spv::Op::ShiftRightLogical, u32_type, &[index, log])?,
            self.op_ids(spv::Op::BitwiseAnd, u32_type, &[index, mask])?,
        ))
    }

    pub(super) fn chain(&mut self, class: spv::StorageClass, ty: Ty, base: Id, indices: &[Id]) -> Emit<Id> {
        let to = self.e.ty(ty)?;
        let pointer = self.e.pointer(class, to);
        let mut operands = vec![base];
        operands.extend(indices);
        self.op_ids(spv::Op::AccessChain, pointer, &operands)
    }

    /// Returns whether the module uses the Vulkan memory model, and declares it.
    pub(super) fn vulkan_model(&mut self) -> bool {
        let has = self.e.target.features.vulkan_memory_model;
        if has {
            self.e.needs.capability(spv::Capability::VulkanMemoryModel);
        }
        has
    }

    /// Returns the widest scope that the device offers to shaders.
    fn device_scope(&mut self) -> Id {
        let features = &self.e.target.features;
        let scope = if !features.vulkan_memory_model {
            spv::Scope::Device
        } else if features.vulkan_memory_model_device_scope {
            self.e
                .needs
                .capability(spv::Capability::VulkanMemoryModelDeviceScope);
            spv::Scope::Device
        } else {
            spv::Scope::QueueFamily
        };
        self.e.u32_const(scope as u32)
    }

    /// Emits the reading of a clock (SPV_KHR_shader_clock).
    pub(super) fn read_clock(&mut self, clock: Clock) -> Emit<Id> {
        self.e.needs.capability(spv::Capability::ShaderClockKHR);
        let scope = match clock {
            Clock::Device => {
                self.vulkan_model();
                self.device_scope()
            }
            Clock::Subgroup => self.e.u32_const(spv::Scope::Subgroup as u32),
        };
        let ty = self.e.ty(Ty::I64)?;
        self.op_ids(spv::Op::ReadClockKHR, ty, &[scope])
    }

    pub(super) fn memory_operands(
        &mut self,
        storage: Storage,
        access: Access,
        direction: Direction,
    ) -> Vec<Operand> {
        let mut mask = spv::MemoryAccess::NONE;
        let mut rest = Vec::new();
        match storage {
            Storage::PushWord | Storage::ArgsWord | Storage::ReadOnly(..) => return Vec::new(),
            Storage::Physical
            | Storage::Arena(_)
            | Storage::Variable
            | Storage::Buffer(..)
            | Storage::Shared(..) => {}
        }
        if access.volatile {
            mask |= spv::MemoryAccess::VOLATILE;
        }
        if storage == Storage::Physical {
            mask |= spv::MemoryAccess::ALIGNED;
            rest.push(Operand::LiteralBit32(access.align));
        }
        let shared = storage != Storage::Variable;
        if shared && (self.synchronizes || access.volatile) && self.vulkan_model() {
            mask |= spv::MemoryAccess::NON_PRIVATE_POINTER;
            let ordered = access.volatile && !self.e.target.quirks.waiting_fences;
            if ordered && matches!(storage, Storage::Physical | Storage::Buffer(..)) {
                mask |= match direction {
                    Direction::Load => spv::MemoryAccess::MAKE_POINTER_VISIBLE,
                    Direction::Store => spv::MemoryAccess::MAKE_POINTER_AVAILABLE,
                };
                let scope = self.device_scope();
                rest.push(Operand::IdScope(scope));
            }
        }
        if mask.is_empty() {
            return Vec::new();
        }
        rest.insert(0, Operand::MemoryAccess(mask));
        rest
    }

    /// Orders a volatile access after those before it. The sub-group is enough as scope: what other sub-groups see without a
    /// barrier or fence of the program is not specified.
    fn order_volatile(&mut self, storage: Storage, access: Access) -> Emit<()> {
        let is_shared = matches!(
            storage,
            Storage::Physical | Storage::Buffer(..) | Storage::Arena(_) | Storage::Shared(..)
        );
        // A driver with this quirk keeps the accesses of a work-item in order without fences.
        if !access.volatile || !is_shared || self.e.target.quirks.waiting_fences {
            return Ok(());
        }
        if self.follows_volatile {
            let scope = match self.e.target.features.subgroups {
                true => {
                    self.e.needs.capability(spv::Capability::GroupNonUniform);
                    spv::Scope::Subgroup
                }
                false => spv::Scope::Workgroup,
            };
            let scope = self.e.u32_const(scope as u32);
            self.memory_barrier(scope, self.volatile)?;
        }
        self.follows_volatile = true;
        Ok(())
    }

    /// OpenCL 1.2's atomics are relaxed. Atomics on buffers are atomic for the whole device.
    fn atomic(&mut self, inst: Inst, op: AtomicOp, storage: Storage) -> Emit<Option<Id>> {
        let f = self.f;
        let data = &f.insts[inst];
        let operands = &data.args[storage.operands()..];
        let ty = match (data.results.first(), operands.first()) {
            (Some(&v), _) | (None, Some(&v)) => f.ty(v),
            (None, None) => return Err(bug("atomic without a type")),
        };
        if ty.scalar == Scalar::I64 {
            self.e.needs.capability(spv::Capability::Int64Atomics);
        }
        let pointer = self.location(storage, inst, ty)?;
        let scope = match storage {
            Storage::Physical | Storage::Buffer(..) => {
                self.vulkan_model();
                self.device_scope()
            }
            Storage::Arena(_) | Storage::Shared(..) => self.e.u32_const(spv::Scope::Workgroup as u32),
            Storage::Variable | Storage::PushWord | Storage::ArgsWord | Storage::ReadOnly(..) => {
                return Err(bug("atomic on memory that is not shared"));
            }
        };
        let relaxed = self.e.u32_const(0);
        let mut list = vec![pointer, scope, relaxed];
        let values = self.values(operands)?;
        let code = match op {
            AtomicOp::Add => spv::Op::AtomicIAdd,
            AtomicOp::Sub => spv::Op::AtomicISub,
            AtomicOp::Xchg => spv::Op::AtomicExchange,
            AtomicOp::SMin => spv::Op::AtomicSMin,
            AtomicOp::SMax => spv::Op::AtomicSMax,
            AtomicOp::UMin => spv::Op::AtomicUMin,
            AtomicOp::UMax => spv::Op::AtomicUMax,
            AtomicOp::And => spv::Op::AtomicAnd,
            AtomicOp::Or => spv::Op::AtomicOr,
            AtomicOp::Xor => spv::Op::AtomicXor,
            AtomicOp::CmpXchg => {
                // The operands are, in this order: semantics if equal, semantics if unequal, value,
                // comparator.
                list.extend([relaxed, values[1], values[0]]);
                let ty = self.e.ty(ty)?;
                return self.op_ids(spv::Op::AtomicCompareExchange, ty, &list).map(Some);
            }
            AtomicOp::Load => spv::Op::AtomicLoad,
            AtomicOp::Store => {
                list.extend(values);
                let operands = list.into_iter().map(Operand::IdRef).collect();
                self.push(instruction(spv::Op::AtomicStore, None, None, operands))?;
                return Ok(None);
            }
        };
        list.extend(values);
        let ty = self.e.ty(ty)?;
        self.op_ids(code, ty, &list).map(Some)
    }

    /// Returns the semantics of acquire and release for the memory that the flags name.
    pub(super) fn semantics(&mut self, flags: FenceFlags) -> Emit<Id> {
        let mut bits = spv::MemorySemantics::RELAXED;
        if flags.local {
            bits |= spv::MemorySemantics::WORKGROUP_MEMORY;
        }
        if flags.global {
            bits |= spv::MemorySemantics::UNIFORM_MEMORY;
            if self.loads_images()? {
                bits |= spv::MemorySemantics::IMAGE_MEMORY;
            }
        }
        if !bits.is_empty() {
            bits |= spv::MemorySemantics::ACQUIRE_RELEASE;
            if self.vulkan_model() {
                bits |= spv::MemorySemantics::MAKE_AVAILABLE | spv::MemorySemantics::MAKE_VISIBLE;
            }
        }
        Ok(self.e.u32_const(bits.bits()))
    }

    /// OpenCL 1.2 6.12.8: a barrier orders the memory accesses of the work-group.
    pub(super) fn barrier(&mut self, flags: FenceFlags) -> Emit<()> {
        let scope = self.e.u32_const(spv::Scope::Workgroup as u32);
        self.control_barrier(scope, flags)
    }

    /// Makes the work-items of a scope wait for each other.
    pub(super) fn control_barrier(&mut self, scope: Id, flags: FenceFlags) -> Emit<()> {
        let semantics = self.semantics(flags)?;
        self.push(instruction(
            spv::Op::ControlBarrier,
            None,
            None,
            vec![
                Operand::IdScope(scope),
                Operand::IdScope(scope),
                Operand::IdMemorySemantics(semantics),
            ],
        ))
    }

    /// OpenCL 1.2 6.12.9: a fence orders memory accesses. If it concerns global memory, other work-groups may
    /// observe the order, unless the kernel has nothing by which they could.
    pub(super) fn fence(&mut self, flags: FenceFlags) -> Emit<()> {
        // A driver with this quirk keeps the accesses of a work-item in order without fences.
        let none = !flags.local && !flags.global;
        if none || self.e.target.quirks.waiting_fences {
            return Ok(());
        }
        let scope = if flags.global && self.groups_communicate {
            self.vulkan_model();
            self.device_scope()
        } else {
            self.e.u32_const(spv::Scope::Workgroup as u32)
        };
        self.memory_barrier(scope, flags)
    }

    fn memory_barrier(&mut self, scope: Id, flags: FenceFlags) -> Emit<()> {
        let semantics = self.semantics(flags)?;
        self.push(instruction(
            spv::Op::MemoryBarrier,
            None,
            None,
            vec![Operand::IdScope(scope), Operand::IdMemorySemantics(semantics)],
        ))
    }
}
