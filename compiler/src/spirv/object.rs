//! Memory of the descriptor ABI: one variable for each memory object and element type.

use super::{Emit, FnEmitter, Id, bug};
use crate::abi::{FIRST_SPEC_ID, Slot};
use crate::ir::{ArgLocation, Global, Initializer, MemoryObject, Scalar, Ty};
use rspirv::dr::Operand;
use rspirv::spirv as spv;
use std::collections::{BTreeMap, BTreeSet};

/// The variables that kernels share.
#[derive(Default)]
pub(super) struct Objects {
    buffers: BTreeMap<(Slot, Ty), Id>,
    uniforms: BTreeMap<(Slot, u32), Id>,
    local_arrays: BTreeMap<(u32, Ty), Id>,
    locals: BTreeMap<(Global, Ty), Id>,
    constants: BTreeMap<(Global, Ty), Id>,
    /// The lengths of local arrays, by SpecId.
    lengths: BTreeMap<u32, Id>,
    /// The block types with an unbounded array, by element type.
    blocks: BTreeMap<Ty, Id>,
    /// The buffers that some kernel accesses with several element types.
    aliased: BTreeSet<Id>,
    /// The buffers through which work-items of some kernel communicate.
    coherent: BTreeSet<Id>,
}

/// The variables of one kernel.
#[derive(Default)]
pub(super) struct Used {
    /// The buffers' variables, by descriptor.
    buffers: Vec<(Slot, Id)>,
    /// The work-group variables, with the sizes in bytes of the variable and of an element.
    pub(super) locals: Vec<(Id, u32, u32)>,
}

/// A variable, with its form.
#[derive(Copy, Clone)]
pub(super) struct Named {
    pub(super) id: Id,
    pub(super) class: spv::StorageClass,
    /// Whether it is a block, whose first member is the array.
    pub(super) block: bool,
    /// Whether it is an array of vectors of words instead of an array of the element type.
    pub(super) vectors: bool,
}

impl super::Emitter<'_> {
    /// Returns the first SpecId after those of local arrays. get_work_dim uses it, if the module needs the
    /// value, and get_global_offset uses the following three.
    pub(super) fn free_spec_id(&self) -> u32 {
        let args = self.module.abi.iter().flat_map(|a| &a.args);
        let ids = args.filter_map(|a| match *a {
            ArgLocation::LocalArray { spec_id, .. } => Some(spec_id + 1),
            _ => None,
        });
        ids.max().unwrap_or(FIRST_SPEC_ID)
    }

    fn slot_of(&mut self, id: Id, slot: Slot) {
        self.decorate(id, spv::Decoration::DescriptorSet, &[slot.set]);
        self.decorate(id, spv::Decoration::Binding, &[slot.binding]);
    }

    fn variable_of(&mut self, class: spv::StorageClass, ty: Id, init: Option<Id>) -> Id {
        let pointer = self.pointer(class, ty);
        let mut operands = vec![Operand::StorageClass(class)];
        operands.extend(init.map(Operand::IdRef));
        self.global(spv::Op::Variable, Some(pointer), operands)
    }

    /// Declares a variable in local memory.
    pub(super) fn local_variable(&mut self, ty: Id) -> Id {
        let zero = match self.target.zeroed.local {
            true => Some(self.intern(spv::Op::ConstantNull, Some(ty), vec![])),
            false => None,
        };
        self.variable_of(spv::StorageClass::Workgroup, ty, zero)
    }

    /// Declares `struct { elem array[]; }`.
    pub(super) fn unbounded(&mut self, elem: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.objects.blocks.get(&elem) {
            return Ok(id);
        }
        let elem_id = self.ty(elem)?;
        let array = self.global(spv::Op::TypeRuntimeArray, None, vec![Operand::IdRef(elem_id)]);
        let block = self.array_block(array, elem.bytes());
        self.shared.objects.blocks.insert(elem, block);
        Ok(block)
    }

    fn buffer(&mut self, slot: Slot, elem: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.objects.buffers.get(&(slot, elem)) {
            return Ok(id);
        }
        if self.target.spirv.minor < 3 {
            self.needs.extension("SPV_KHR_storage_buffer_storage_class");
        }
        let block = self.unbounded(elem)?;
        let id = self.variable_of(spv::StorageClass::StorageBuffer, block, None);
        self.slot_of(id, slot);
        self.shared.objects.buffers.insert((slot, elem), id);
        Ok(id)
    }

    fn uniform(&mut self, slot: Slot, bytes: u32) -> Emit<Id> {
        if let Some(&id) = self.shared.objects.uniforms.get(&(slot, bytes)) {
            return Ok(id);
        }
        let vector = Ty::vector(Scalar::I32, 4);
        let count = (bytes / 16).max(1);
        let id = self.block_variable(spv::StorageClass::Uniform, vector, count, "uniform")?;
        self.slot_of(id, slot);
        self.shared.objects.uniforms.insert((slot, bytes), id);
        Ok(id)
    }

    /// Returns the specialization constant with the number of elements of an argument in local memory.
    pub(super) fn local_length(&mut self, spec_id: u32) -> Id {
        if let Some(&id) = self.shared.objects.lengths.get(&spec_id) {
            return id;
        }
        let u32_type = self.u32_type();
        let one = vec![Operand::LiteralBit32(1)];
        let id = self.global(spv::Op::SpecConstant, Some(u32_type), one);
        self.decorate(id, spv::Decoration::SpecId, &[spec_id]);
        self.shared.objects.lengths.insert(spec_id, id);
        id
    }

    fn array(&mut self, elem: Ty, length: Id) -> Emit<Id> {
        let elem = self.ty(elem)?;
        let operands = vec![Operand::IdRef(elem), Operand::IdRef(length)];
        Ok(self.intern(spv::Op::TypeArray, None, operands))
    }

    fn local_array(&mut self, spec_id: u32, elem_size: u32, elem: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.objects.local_arrays.get(&(spec_id, elem)) {
            return Ok(id);
        }
        let mut length = self.local_length(spec_id);
        if elem_size != elem.bytes() {
            let spec = |e: &mut Self, op: spv::Op, a: Id, b: u32| {
                let b = e.u32_const(b);
                e.spec_op(op, a, b)
            };
            let bytes = spec(self, spv::Op::IMul, length, elem_size);
            let rounded = spec(self, spv::Op::IAdd, bytes, elem.bytes() - 1);
            length = spec(self, spv::Op::UDiv, rounded, elem.bytes());
        }
        let array = self.array(elem, length)?;
        let id = self.local_variable(array);
        self.shared.objects.local_arrays.insert((spec_id, elem), id);
        Ok(id)
    }

    fn local(&mut self, g: Global, elem: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.objects.locals.get(&(g, elem)) {
            return Ok(id);
        }
        let global = &self.module.globals[g];
        let length = self.u32_const(global.size.div_ceil(elem.bytes()).max(1));
        let length = self.packed_length(length);
        let array = self.array(elem, length)?;
        let id = self.local_variable(array);
        self.name(id, &global.name);
        self.shared.objects.locals.insert((g, elem), id);
        Ok(id)
    }

    /// Declares a `__constant` variable with its contents.
    fn constant_variable(&mut self, g: Global, elem: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.objects.constants.get(&(g, elem)) {
            return Ok(id);
        }
        let global = &self.module.globals[g];
        let init: Initializer = global.init.clone().unwrap_or_default();
        let mut bytes = init.bytes;
        let size = elem.bytes() as usize;
        bytes.resize((global.size as usize).next_multiple_of(size).max(size), 0);
        let mut elements = Vec::new();
        for element in bytes.chunks(size) {
            let lanes: Vec<u64> = element
                .chunks(elem.scalar.bytes() as usize)
                .map(|lane| lane.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b)))
                .collect();
            elements.push(Operand::IdRef(self.lanes(elem, &lanes)?));
        }
        let length = self.u32_const(elements.len() as u32);
        let array = self.array(elem, length)?;
        let value = self.intern(spv::Op::ConstantComposite, Some(array), elements);
        let id = self.variable_of(spv::StorageClass::Private, array, Some(value));
        self.name(id, &self.module.globals[g].name.clone());
        self.shared.objects.constants.insert((g, elem), id);
        Ok(id)
    }

    /// Adds the decorations that depend on all kernels.
    pub(super) fn finish_objects(&mut self) {
        let all_alias = self.target.abi.descriptor().is_some_and(|d| d.aliased);
        let buffers: Vec<Id> = self.shared.objects.buffers.values().copied().collect();
        for id in buffers {
            if all_alias || self.shared.objects.aliased.contains(&id) {
                self.decorate(id, spv::Decoration::Aliased, &[]);
            }
            // In the Vulkan memory model, the memory operands of accesses have this role.
            if self.shared.objects.coherent.contains(&id) && !self.target.features.vulkan_memory_model {
                self.decorate(id, spv::Decoration::Coherent, &[]);
            }
        }
    }
}

impl FnEmitter<'_, '_> {
    /// Returns the variable of one of the kernel's memory objects.
    pub(super) fn named(&mut self, object: u32, elem: Ty) -> Emit<Named> {
        let kernel = self.kernel()?;
        let module = self.e.module;
        let list = module.abi.get(kernel).map_or(&[][..], |a| &a.objects);
        let object = list
            .get(object as usize)
            .ok_or_else(|| bug("memory that the kernel does not have"))?;
        let no_slot = || bug("memory without a descriptor");
        let named = match *object {
            MemoryObject::Printf => self.named_buffer(module.slots.printf.ok_or_else(no_slot)?, elem)?,
            MemoryObject::Constants => {
                self.named_buffer(module.slots.constants.ok_or_else(no_slot)?, elem)?
            }
            MemoryObject::Storage { slot } | MemoryObject::EndedLoops { slot } => {
                self.named_buffer(slot, elem)?
            }
            MemoryObject::Uniform { slot, bytes } => Named {
                id: self.e.uniform(slot, bytes)?,
                class: spv::StorageClass::Uniform,
                block: true,
                vectors: true,
            },
            MemoryObject::LocalArray { spec_id, elem_size } => Named {
                id: self.e.local_array(spec_id, elem_size, elem)?,
                class: spv::StorageClass::Workgroup,
                block: false,
                vectors: false,
            },
            MemoryObject::Local(g) => {
                let id = self.e.local(g, elem)?;
                if !self.objects.locals.iter().any(|(known, ..)| *known == id) {
                    let size = module.globals[g].size;
                    self.objects.locals.push((id, size, elem.bytes()));
                }
                Named {
                    id,
                    class: spv::StorageClass::Workgroup,
                    block: false,
                    vectors: false,
                }
            }
            MemoryObject::Constant(g) => Named {
                id: self.e.constant_variable(g, elem)?,
                class: spv::StorageClass::Private,
                block: false,
                vectors: false,
            },
        };
        self.use_global(named.id);
        Ok(named)
    }

    fn named_buffer(&mut self, slot: Slot, elem: Ty) -> Emit<Named> {
        self.e.buffer_access(elem.scalar);
        let id = self.e.buffer(slot, elem)?;
        if self.synchronizes {
            self.e.shared.objects.coherent.insert(id);
        }
        if !self.objects.buffers.contains(&(slot, id)) {
            for &(other, twin) in &self.objects.buffers {
                if other == slot {
                    self.e.shared.objects.aliased.extend([twin, id]);
                }
            }
            self.objects.buffers.push((slot, id));
        }
        Ok(Named {
            id,
            class: spv::StorageClass::StorageBuffer,
            block: true,
            vectors: false,
        })
    }
}
