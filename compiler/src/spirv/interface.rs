//! The interface between a kernel and the API: work-group size, argument buffer, local arena, work-item
//! values.

use super::pack::Packing;
use super::{Emit, Emitter, FnEmitter, Id, bug};
use crate::abi::Abi;
use crate::intrinsic::Intrinsic;
use crate::ir::{Function, Op, Scalar, Storage, Ty};
use crate::reflect::spec_id;
use rspirv::dr::Operand;
use rspirv::spirv as spv;
use std::collections::BTreeMap;

/// The global instructions that are declared once for the module.
#[derive(Default)]
pub(super) struct Shared {
    /// The composite of the work-group size, unless all kernels have a fixed size and the work-groups are not flat.
    pub(super) size: Option<Id>,
    /// How the device's work-groups differ from those of this size, if the module's are flat.
    pub(super) flat: Option<super::flat::Flat>,
    /// How several work-groups become one, if that applies to a kernel of the module.
    pub(super) pack: Option<super::pack::Constants>,
    /// The byte size of the arena.
    local_bytes: Option<Id>,
    pub(super) work_dim: Option<Id>,
    builtins: BTreeMap<u32, Id>,
    pub(super) push: super::push::Blocks,
    /// The blocks of arenas with several element types, by element type.
    arena_blocks: BTreeMap<Ty, Id>,
    /// The argument buffers, by size in vectors.
    args: BTreeMap<u32, Id>,
    pub(super) objects: super::object::Objects,
    pub(super) global_offset: Option<Id>,
    /// The literal samplers, by binding.
    pub(super) literal_samplers: BTreeMap<u32, Id>,
}

/// A variable that holds a kernel's arena, an array of `elem`.
#[derive(Copy, Clone)]
pub(super) struct Arena {
    pub(super) variable: Id,
    pub(super) elem: Ty,
    /// Whether it is a block, whose only member is the array.
    pub(super) block: bool,
}

impl Emitter<'_> {
    /// Declares the work-group size as specialization constants, unless all work-groups of all kernels have a known size
    /// that the device also gets.
    ///
    /// The composite takes effect for all entry points of the module. A kernel with a required size is
    /// launched only with that size, or with smaller work-groups at the ends if it is uneven, so the constants that the
    /// runtime sets are right for it as well.
    pub(super) fn workgroup_size(&mut self) {
        let all_known = self.module.kernels.iter().all(|k| k.fixed_size().is_some());
        // Of flat work-groups, only the constants state the size that a kernel requires.
        let packs = self.packing.contains(&Packing::Constants);
        if all_known && !self.module.flat && !packs {
            return;
        }
        let u32_type = self.u32_type();
        let parts = [0, 1, 2].map(|n| {
            let id = self.global(
                spv::Op::SpecConstant,
                Some(u32_type),
                vec![Operand::LiteralBit32(1)],
            );
            self.decorate(id, spv::Decoration::SpecId, &[spec_id::WORKGROUP_SIZE + n]);
            id
        });
        let of_device = match self.module.flat {
            true => {
                let parts = self.flat_size(parts);
                self.size_composite(parts)
            }
            false => self.size_composite(parts),
        };
        self.shared.size = Some(match (packs, self.module.flat) {
            (true, _) => {
                let parts = self.unpacked_size(parts);
                self.size_composite(parts)
            }
            (false, true) => self.size_composite(parts),
            (false, false) => of_device,
        });
        self.decorate_builtin(of_device, spv::BuiltIn::WorkgroupSize);
    }

    /// Declares a vector of three sizes.
    pub(super) fn size_composite(&mut self, parts: [Id; 3]) -> Id {
        let vector = self
            .ty(Ty::vector(Scalar::I32, 3))
            .expect("an integer vector is always a type");
        let operands = parts.map(Operand::IdRef).to_vec();
        self.global(spv::Op::SpecConstantComposite, Some(vector), operands)
    }

    /// Declares an array of 32-bit words, or of vectors of words, that the API fills in, as a block variable.
    pub(super) fn block_variable(
        &mut self,
        class: spv::StorageClass,
        elem: Ty,
        count: u32,
        name: &str,
    ) -> Emit<Id> {
        let elem_id = self.ty(elem)?;
        let length = self.u32_const(count);
        let array = self.global(
            spv::Op::TypeArray,
            None,
            vec![Operand::IdRef(elem_id), Operand::IdRef(length)],
        );
        let block = self.array_block(array, elem.bytes());
        let pointer = self.pointer(class, block);
        let variable = self.global(
            spv::Op::Variable,
            Some(pointer),
            vec![Operand::StorageClass(class)],
        );
        self.name(variable, name);
        Ok(variable)
    }

    /// Declares a block whose only member is an array with this stride.
    pub(super) fn array_block(&mut self, array: Id, stride: u32) -> Id {
        self.decorate(array, spv::Decoration::ArrayStride, &[stride]);
        let block = self.global(spv::Op::TypeStruct, None, vec![Operand::IdRef(array)]);
        self.decorate(block, spv::Decoration::Block, &[]);
        self.decorate_member(block, 0, spv::Decoration::Offset, 0);
        block
    }

    fn builtin(&mut self, builtin: spv::BuiltIn, ty: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.builtins.get(&(builtin as u32)) {
            return Ok(id);
        }
        let ty = self.ty(ty)?;
        let pointer = self.pointer(spv::StorageClass::Input, ty);
        let id = self.global(
            spv::Op::Variable,
            Some(pointer),
            vec![Operand::StorageClass(spv::StorageClass::Input)],
        );
        self.decorate_builtin(id, builtin);
        self.shared.builtins.insert(builtin as u32, id);
        Ok(id)
    }

    /// Returns the SpecId of get_work_dim.
    pub(super) fn work_dim_id(&self) -> u32 {
        match self.target.abi {
            Abi::Physical => spec_id::WORK_DIM,
            Abi::Descriptor(_) => self.free_spec_id(),
        }
    }

    /// Returns the first of the three SpecIds of get_global_offset.
    pub(super) fn global_offset_id(&self) -> u32 {
        self.free_spec_id() + u32::from(self.module.system.work_dim)
    }

    fn global_offset(&mut self) -> Emit<Id> {
        if let Some(id) = self.shared.global_offset {
            return Ok(id);
        }
        let first = self.global_offset_id();
        let u32_type = self.u32_type();
        let parts = [0, 1, 2].map(|n| {
            let zero = vec![Operand::LiteralBit32(0)];
            let id = self.global(spv::Op::SpecConstant, Some(u32_type), zero);
            self.decorate(id, spv::Decoration::SpecId, &[first + n]);
            Operand::IdRef(id)
        });
        let vector = self.ty(Ty::vector(Scalar::I32, 3))?;
        let id = self.global(spv::Op::SpecConstantComposite, Some(vector), parts.to_vec());
        self.shared.global_offset = Some(id);
        Ok(id)
    }

    fn work_dim(&mut self) -> Id {
        if let Some(id) = self.shared.work_dim {
            return id;
        }
        let u32_type = self.u32_type();
        let id = self.global(
            spv::Op::SpecConstant,
            Some(u32_type),
            vec![Operand::LiteralBit32(3)],
        );
        let spec_id = self.work_dim_id();
        self.decorate(id, spv::Decoration::SpecId, &[spec_id]);
        self.shared.work_dim = Some(id);
        id
    }

    /// Returns the specialization constant of the arena's byte size. Its default is large enough for every
    /// kernel's own variables.
    fn local_bytes(&mut self) -> Id {
        if let Some(id) = self.shared.local_bytes {
            return id;
        }
        let fixed = self.module.abi.iter().map(|a| a.local_fixed).max().unwrap_or(0);
        let default = fixed.next_multiple_of(16).max(16);
        let u32_type = self.u32_type();
        let id = self.global(
            spv::Op::SpecConstant,
            Some(u32_type),
            vec![Operand::LiteralBit32(default)],
        );
        self.decorate(id, spv::Decoration::SpecId, &[spec_id::LOCAL_BYTES]);
        self.shared.local_bytes = Some(id);
        id
    }

    /// Returns the number of elements of an arena.
    fn arena_length(&mut self, elem: Ty) -> Id {
        let bytes = self.local_bytes();
        let stride = self.u32_const(elem.bytes());
        let round = self.u32_const(elem.bytes() - 1);
        // The division rounds up, because the last element may be used only in part.
        let rounded = self.spec_op(spv::Op::IAdd, bytes, round);
        let length = self.spec_op(spv::Op::UDiv, rounded, stride);
        self.packed_length(length)
    }

    /// Returns the type of an arena with several element types: a block of SPV_KHR_workgroup_memory_explicit_layout.
    fn arena_block(&mut self, elem: Ty) -> Emit<Id> {
        if let Some(&id) = self.shared.arena_blocks.get(&elem) {
            return Ok(id);
        }
        use spv::Capability as C;
        self.needs.capability(C::WorkgroupMemoryExplicitLayoutKHR);
        match elem.scalar.bytes() {
            1 => self
                .needs
                .capability(C::WorkgroupMemoryExplicitLayout8BitAccessKHR),
            2 => self
                .needs
                .capability(C::WorkgroupMemoryExplicitLayout16BitAccessKHR),
            _ => {}
        }
        let (elem_id, count) = (self.ty(elem)?, self.arena_length(elem));
        // The array has a stride, so it is another type than that of an arena with one element type.
        let operands = vec![Operand::IdRef(elem_id), Operand::IdRef(count)];
        let array = self.global(spv::Op::TypeArray, None, operands);
        let block = self.array_block(array, elem.bytes());
        self.shared.arena_blocks.insert(elem, block);
        Ok(block)
    }
}

/// Returns whether a function accesses the arena with several element types.
fn has_several_arenas(func: &Function) -> bool {
    let mut first = None;
    func.insts_in_order()
        .into_iter()
        .any(|inst| match func.insts[inst].op {
            Op::LoadFrom(Storage::Arena(elem), _)
            | Op::StoreTo(Storage::Arena(elem), _)
            | Op::AtomicOn(_, Storage::Arena(elem))
            | Op::MatrixOn(_, Storage::Arena(elem)) => *first.get_or_insert(elem) != elem,
            _ => false,
        })
}

impl FnEmitter<'_, '_> {
    /// Adds a global variable to the interface. From SPIR-V 1.4 on, all global variables belong to it.
    pub(super) fn use_global(&mut self, id: Id) {
        if self.e.target.spirv.minor >= 4 {
            self.interface.insert(id);
        }
    }

    /// Returns the argument buffer of this kernel: a uniform buffer of 16-byte vectors.
    pub(super) fn args_block(&mut self) -> Emit<Id> {
        if let Some(id) = self.args {
            return Ok(id);
        }
        let bytes = self.e.module.abi.get(self.kernel()?).map_or(0, |a| a.args_size);
        let vectors = bytes.div_ceil(16).max(1);
        let id = match self.e.shared.args.get(&vectors) {
            Some(&id) => id,
            None => {
                let elem = Ty::vector(Scalar::I32, 4);
                let id = self
                    .e
                    .block_variable(spv::StorageClass::Uniform, elem, vectors, "args")?;
                self.e.decorate(id, spv::Decoration::DescriptorSet, &[0]);
                self.e.decorate(id, spv::Decoration::Binding, &[0]);
                self.e.shared.args.insert(vectors, id);
                id
            }
        };
        self.use_global(id);
        self.args = Some(id);
        Ok(id)
    }

    /// Returns the kernel's arena as an array of `elem`. Each kernel has a variable of its own, because the
    /// reflection states the variable's size. If the kernel uses arrays of several types, they have the same
    /// memory: each is a block, and these are aliased.
    pub(super) fn arena(&mut self, elem: Ty) -> Emit<Arena> {
        if let Some(arena) = self.arenas.iter().find(|a| a.elem == elem) {
            return Ok(*arena);
        }
        let block = match self.arenas.first() {
            Some(first) => first.block,
            None => has_several_arenas(self.f),
        };
        if !block && !self.arenas.is_empty() {
            return Err(bug("the arena has two element types"));
        }
        let ty = match block {
            true => self.e.arena_block(elem)?,
            false => {
                let (elem_id, count) = (self.e.ty(elem)?, self.e.arena_length(elem));
                let operands = vec![Operand::IdRef(elem_id), Operand::IdRef(count)];
                self.e.intern(spv::Op::TypeArray, None, operands)
            }
        };
        let variable = self.e.local_variable(ty);
        if block {
            self.e.decorate(variable, spv::Decoration::Aliased, &[]);
        }
        self.e.name(variable, "arena");
        self.use_global(variable);
        let arena = Arena {
            variable,
            elem,
            block,
        };
        self.arenas.push(arena);
        Ok(arena)
    }

    /// Returns the kernel's work-group variables besides the arena, with the bytes that each takes of local memory.
    ///
    /// A driver may place the variables in any order, each at a multiple of its alignment (Vulkan,
    /// maxComputeSharedMemorySize). So that the sum covers every order, each size is a multiple of the largest
    /// element.
    pub(super) fn local_sizes(&self) -> Vec<(Id, u32)> {
        let own = &self.objects.locals;
        let arenas = self.arenas.iter().map(|a| a.elem.bytes());
        let largest = own.iter().map(|&(.., elem)| elem).chain(arenas).max();
        let unit = match self.e.target.abi {
            Abi::Physical => largest.unwrap_or(1),
            Abi::Descriptor(_) => 1,
        };
        own.iter()
            .map(|&(id, size, _)| (id, size.next_multiple_of(unit)))
            .collect()
    }

    /// Reads one of the values into which `lower_system_values` turns the work-item functions.
    pub(super) fn work_item(&mut self, op: Intrinsic) -> Emit<Id> {
        let vector = Ty::vector(Scalar::I32, 3);
        if let Some(id) = self.packed_value(op) {
            return Ok(id);
        }
        let (builtin, ty) = match op {
            Intrinsic::WorkDim => return Ok(self.e.work_dim()),
            Intrinsic::WorkgroupSize | Intrinsic::DeviceGroupSize => {
                return match (
                    self.e.module.kernels[self.kernel()?].fixed_size(),
                    self.e.shared.size,
                ) {
                    (Some(size), _) => self.e.lanes(vector, &size.map(u64::from)),
                    (None, Some(size)) => Ok(size),
                    (None, None) => Err(bug("no work-group size")),
                };
            }
            Intrinsic::LocalInvocationId | Intrinsic::DeviceLocalId if self.e.module.flat => {
                return self.flat_local_id();
            }
            Intrinsic::GlobalInvocationId if self.e.module.flat => return self.flat_global_id(),
            Intrinsic::WorkgroupId => (spv::BuiltIn::WorkgroupId, vector),
            Intrinsic::LocalInvocationId | Intrinsic::DeviceLocalId => {
                (spv::BuiltIn::LocalInvocationId, vector)
            }
            Intrinsic::GlobalInvocationId => (spv::BuiltIn::GlobalInvocationId, vector),
            Intrinsic::NumWorkgroups => (spv::BuiltIn::NumWorkgroups, vector),
            Intrinsic::SubgroupMaxSize => (spv::BuiltIn::SubgroupSize, Ty::I32),
            Intrinsic::SubgroupId => (spv::BuiltIn::SubgroupId, Ty::I32),
            Intrinsic::SubgroupLocalId => (spv::BuiltIn::SubgroupLocalInvocationId, Ty::I32),
            Intrinsic::GlobalOffsetConstant => return self.e.global_offset(),
            _ => return Err(bug("not a work-item function")),
        };
        if ty == Ty::I32 {
            self.e.needs.capability(spv::Capability::GroupNonUniform);
        }
        self.built_in(builtin, ty)
    }

    /// Reads an input variable of Vulkan.
    pub(super) fn built_in(&mut self, builtin: spv::BuiltIn, ty: Ty) -> Emit<Id> {
        let variable = self.e.builtin(builtin, ty)?;
        // Input variables belong to the interface in every version.
        self.interface.insert(variable);
        let ty = self.e.ty(ty)?;
        self.op_ids(spv::Op::Load, ty, &[variable])
    }
}
