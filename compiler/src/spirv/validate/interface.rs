//! Validation of everything around the code: capabilities, extensions, entry points, decorations.

use crate::hash::{HashMap, HashSet};

use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{self as spv, Capability, Decoration, Op, StorageClass};

use super::types::{Kind, Ty};
use super::{Checked, Checker, id, literal, refuse};
use crate::target::Target;

const EXTENSIONS: [&str; 12] = [
    "SPV_KHR_physical_storage_buffer",
    "SPV_KHR_vulkan_memory_model",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_float_controls",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_workgroup_memory_explicit_layout",
    "SPV_KHR_shader_clock",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_subgroup_uniform_control_flow",
    "SPV_KHR_integer_dot_product",
];

/// Returns whether a capability belongs to SPV_KHR_workgroup_memory_explicit_layout.
fn is_workgroup_layout(c: Capability) -> bool {
    matches!(
        c,
        Capability::WorkgroupMemoryExplicitLayoutKHR
            | Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR
            | Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR
    )
}

/// Returns whether a device offers a capability; `None` if the validator does not know the capability.
fn offered(c: Capability, t: Option<&Target>) -> Option<bool> {
    let f = t.map(|t| t.features);
    let has = |pick: &dyn Fn(&crate::target::Features) -> bool| f.as_ref().is_none_or(pick);
    Some(match c {
        Capability::Shader | Capability::PhysicalStorageBufferAddresses => true,
        Capability::ImageQuery
        | Capability::Image1D
        | Capability::Sampled1D
        | Capability::ImageBuffer
        | Capability::SampledBuffer
        | Capability::StorageImageWriteWithoutFormat => has(&|f| f.images),
        Capability::StorageImageReadWithoutFormat => has(&|f| f.images && f.reads_any_format),
        Capability::StorageImageExtendedFormats => has(&|f| f.images && f.states_formats),
        Capability::Int8 => has(&|f| f.int8),
        Capability::Int16 => has(&|f| f.int16),
        Capability::Int64 => has(&|f| f.int64),
        Capability::Float16 => has(&|f| f.float16),
        Capability::Float64 => has(&|f| f.float64),
        Capability::StorageBuffer8BitAccess => has(&|f| f.storage8),
        Capability::StorageBuffer16BitAccess => has(&|f| f.storage16),
        Capability::Int64Atomics => has(&|f| f.buffer_int64_atomics || f.shared_int64_atomics),
        Capability::VulkanMemoryModel => has(&|f| f.vulkan_memory_model),
        Capability::VulkanMemoryModelDeviceScope => has(&|f| f.vulkan_memory_model_device_scope),
        Capability::DenormPreserve => has(&|f| f.denorm_preserve.contains(&true)),
        Capability::RoundingModeRTE => has(&|f| f.rounding_rte.contains(&true)),
        Capability::SignedZeroInfNanPreserve => has(&|f| f.signed_zero_inf_nan_preserve.contains(&true)),
        Capability::ShaderClockKHR => has(&|f| f.clocks),
        Capability::DotProduct | Capability::DotProductInput4x8BitPacked => has(&|f| f.integer_dot_product),
        c if is_workgroup_layout(c) => has(&|f| f.workgroup_layout),
        Capability::GroupNonUniform
        | Capability::GroupNonUniformVote
        | Capability::GroupNonUniformArithmetic
        | Capability::GroupNonUniformBallot => has(&|f| f.subgroups),
        Capability::GroupNonUniformShuffle => has(&|f| f.subgroup_shuffle),
        _ => return None,
    })
}

fn text(inst: &Instruction, n: usize) -> &str {
    match inst.operands.get(n) {
        Some(Operand::LiteralString(s)) => s,
        _ => "",
    }
}

impl Checker<'_> {
    pub(super) fn preamble(&mut self, target: Option<&Target>) -> Checked {
        if !matches!(self.version, (1, 0..=6)) {
            return Err(format!(
                "SPIR-V {}.{} is not known",
                self.version.0, self.version.1
            ));
        }
        for inst in &self.module.capabilities {
            let Some(Operand::Capability(c)) = inst.operands.first() else {
                return refuse(inst, "no capability");
            };
            match offered(*c, target) {
                Some(true) => self.capabilities.insert(*c),
                Some(false) => return refuse(inst, &format!("the device has no {c:?}")),
                None => return refuse(inst, &format!("{c:?} is not known here")),
            };
        }
        let subgroups = [
            Capability::GroupNonUniformVote,
            Capability::GroupNonUniformArithmetic,
            Capability::GroupNonUniformBallot,
            Capability::GroupNonUniformShuffle,
        ];
        if !self.has(Capability::Shader) {
            return Err("OpCapability: Shader is missing".into());
        }
        if self.version.1 < 3
            && (self.has(Capability::GroupNonUniform) || subgroups.iter().any(|c| self.has(*c)))
        {
            return Err("OpCapability: sub-groups came with SPIR-V 1.3".into());
        }
        let mut extensions = HashSet::default();
        for inst in &self.module.extensions {
            if !EXTENSIONS.contains(&text(inst, 0)) {
                return refuse(inst, &format!("{:?} is not known here", text(inst, 0)));
            }
            extensions.insert(text(inst, 0).to_owned());
        }
        let wanted = [
            (Capability::PhysicalStorageBufferAddresses, 5, EXTENSIONS[0]),
            (Capability::VulkanMemoryModel, 5, EXTENSIONS[1]),
            (Capability::VulkanMemoryModelDeviceScope, 5, EXTENSIONS[1]),
            (Capability::StorageBuffer8BitAccess, 5, EXTENSIONS[2]),
            (Capability::StorageBuffer16BitAccess, 3, EXTENSIONS[3]),
            (Capability::DenormPreserve, 4, EXTENSIONS[4]),
            (Capability::RoundingModeRTE, 4, EXTENSIONS[4]),
            (Capability::SignedZeroInfNanPreserve, 4, EXTENSIONS[4]),
            (Capability::DotProduct, 6, EXTENSIONS[11]),
            (Capability::DotProductInput4x8BitPacked, 6, EXTENSIONS[11]),
        ];
        for (capability, minor, extension) in wanted {
            if self.has(capability) && self.version.1 < minor && !extensions.contains(extension) {
                return Err(format!("OpCapability: {capability:?} needs {extension}"));
            }
        }
        let layout = self.has(Capability::WorkgroupMemoryExplicitLayoutKHR);
        if layout && (self.version.1 < 4 || !extensions.contains(EXTENSIONS[7]))
            || !layout && self.capabilities.iter().any(|c| is_workgroup_layout(*c))
        {
            return Err(format!(
                "OpCapability: layouts need SPIR-V 1.4 and {}",
                EXTENSIONS[7]
            ));
        }
        for inst in &self.module.ext_inst_imports {
            let Some(id) = inst.result_id else {
                return refuse(inst, "no id");
            };
            match text(inst, 0) {
                "GLSL.std.450" => self.glsl.insert(id),
                name if name.starts_with("NonSemantic.") => self.silent.insert(id),
                name => return refuse(inst, &format!("{name:?} is not known here")),
            };
        }
        let Some(model) = &self.module.memory_model else {
            return Err("the module has no memory model".into());
        };
        let physical = self.has(Capability::PhysicalStorageBufferAddresses);
        self.vulkan_memory = self.has(Capability::VulkanMemoryModel);
        let addressing = match physical {
            true => spv::AddressingModel::PhysicalStorageBuffer64,
            false => spv::AddressingModel::Logical,
        };
        let memory = match self.vulkan_memory {
            true => spv::MemoryModel::Vulkan,
            false => spv::MemoryModel::GLSL450,
        };
        if model.operands != [Operand::AddressingModel(addressing), Operand::MemoryModel(memory)] {
            return refuse(model, "it does not fit the capabilities");
        }
        Ok(())
    }

    pub(super) fn annotations(&self) -> Checked {
        let mut spec_ids = HashSet::default();
        let mut seen = HashSet::default();
        for inst in &self.module.annotations {
            let target = id(inst, 0)?;
            let member = inst.class.opcode == Op::MemberDecorate;
            let at = usize::from(member) + 1;
            let Some(Operand::Decoration(d)) = inst.operands.get(at) else {
                return refuse(inst, "not known here");
            };
            let number = if member { literal(inst, 1)? } else { 0 };
            if !seen.insert((target, member, number, *d)) {
                return refuse(inst, "the same decoration again");
            }
            if !self.decoration_fits(inst, *d, at, number, &mut spec_ids)? {
                return refuse(inst, &format!("{d:?} does not fit %{target}"));
            }
        }
        for inst in &self.module.types_global_values {
            self.layouts(inst)?;
        }
        Ok(())
    }

    /// Returns whether a decoration, which is operand `at`, fits its target. `member` is the number of the decorated member in a
    /// member decoration.
    fn decoration_fits(
        &self,
        inst: &Instruction,
        d: Decoration,
        at: usize,
        member: u32,
        spec_ids: &mut HashSet<u32>,
    ) -> Checked<bool> {
        let target = id(inst, 0)?;
        let of_member = inst.class.opcode == Op::MemberDecorate;
        let count = inst.operands.len() - at - 1;
        let def = self.defs.get(&target).map(|d| d.class.opcode);
        let ty = self.types.get(&target);
        Ok(match (of_member, d) {
            (false, Decoration::Block) => count == 0 && matches!(ty, Some(Ty::Struct(_))),
            (false, Decoration::ArrayStride) => {
                let wanted = match ty {
                    Some(Ty::Array(of, _) | Ty::RuntimeArray(of)) => self.layout(*of, 0),
                    _ => None,
                };
                count == 1
                    && wanted.is_some_and(|(size, align)| {
                        Ok(size.next_multiple_of(align)) == literal(inst, at + 1).map_err(drop)
                            || literal(inst, at + 1).is_ok_and(|s| s >= size && s % align == 0 && s < 1 << 20)
                    })
            }
            (false, Decoration::BuiltIn) => count == 1 && self.builtin(inst, target, at + 1)?,
            (false, Decoration::SpecId) => {
                let scalar = matches!(
                    def,
                    Some(Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
                );
                count == 1 && scalar && spec_ids.insert(literal(inst, at + 1)?)
            }
            (false, Decoration::DescriptorSet | Decoration::Binding) => {
                let class = self.class_of(target);
                let resource = matches!(
                    class,
                    Some(StorageClass::UniformConstant | StorageClass::StorageBuffer | StorageClass::Uniform)
                );
                count == 1 && resource && literal(inst, at + 1)? < 1 << 16
            }
            (
                false,
                Decoration::Aliased | Decoration::Restrict | Decoration::Coherent | Decoration::Volatile,
            ) => self.memory_decoration(inst, d, target, count)?,
            (false, Decoration::NonReadable | Decoration::NonWritable) => {
                let class = self.class_of(target);
                count == 0 && (class == Some(StorageClass::StorageBuffer) || self.is_storage_image(target))
            }
            (false, Decoration::NoContraction) => {
                count == 0
                    && matches!(
                        def,
                        Some(Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod | Op::FNegate)
                    )
            }
            (true, Decoration::Offset) => {
                let Some(Ty::Struct(members)) = ty else {
                    return refuse(inst, "not a struct's");
                };
                count == 1 && (member as usize) < members.len()
            }
            (true, Decoration::NonWritable | Decoration::NonReadable) => {
                count == 0 && matches!(ty, Some(Ty::Struct(m)) if (member as usize) < m.len())
            }
            _ => return refuse(inst, &format!("{d:?} is not known here")),
        })
    }

    /// Returns whether a decoration of accesses fits a variable.
    fn memory_decoration(
        &self,
        inst: &Instruction,
        d: Decoration,
        target: u32,
        count: usize,
    ) -> Checked<bool> {
        let class = self.class_of(target);
        if d == Decoration::Aliased && self.is_workgroup_block(target) {
            return match count {
                0 => Ok(true),
                _ => refuse(inst, "a number"),
            };
        }
        let memory = matches!(
            class,
            Some(StorageClass::StorageBuffer | StorageClass::UniformConstant)
        );
        let old = matches!(d, Decoration::Aliased | Decoration::Restrict) || !self.vulkan_memory;
        let both = self.decorated(target, Decoration::Aliased).is_some()
            && self.decorated(target, Decoration::Restrict).is_some();
        let storage = class == Some(StorageClass::StorageBuffer) || self.is_storage_image(target);
        Ok(count == 0 && memory && storage && old && !both)
    }

    /// Checks that the type of a variable, or that a pointer points to, has a layout where it needs one.
    fn layouts(&self, inst: &Instruction) -> Checked {
        let workgroup = inst.result_id.filter(|id| self.is_workgroup_block(*id));
        if workgroup.is_some_and(|id| !self.is_laid_out(id)) {
            return refuse(inst, "its type is no block with one array");
        }
        if let (Op::Variable, Some(ty)) = (inst.class.opcode, inst.result_type)
            && let Ty::Pointer(class, to) = self.types[&ty]
            && matches!(
                class,
                StorageClass::PushConstant | StorageClass::StorageBuffer | StorageClass::Uniform
            )
            && (self.layout(to, 0).is_none() || self.decorated(to, Decoration::Block).is_none())
        {
            return refuse(inst, "its type has no layout, or not a good one");
        }
        // A type that device addresses point to needs a layout, and a block must not be a member of another struct.
        if let Some(Ty::Pointer(StorageClass::PhysicalStorageBuffer, to)) =
            inst.result_id.and_then(|id| self.types.get(&id))
            && self.layout(*to, 0).is_none()
        {
            return refuse(inst, "what it points to has no layout");
        }
        if let Some(Ty::Struct(members)) = inst.result_id.and_then(|id| self.types.get(&id))
            && members
                .iter()
                .any(|m| self.decorated(*m, Decoration::Block).is_some())
        {
            return refuse(inst, "a block inside of another struct");
        }
        Ok(())
    }

    fn class_of(&self, variable: u32) -> Option<StorageClass> {
        let ty = self
            .type_of
            .get(&variable)
            .filter(|_| self.globals.contains(&variable))?;
        match self.types.get(ty)? {
            Ty::Pointer(class, _) => Some(*class),
            _ => None,
        }
    }

    /// Returns the type of a global variable.
    fn pointee(&self, variable: u32) -> Option<u32> {
        let ty = self.type_of.get(&variable)?;
        match self.types.get(ty)? {
            Ty::Pointer(_, to) => Some(*to),
            _ => None,
        }
    }

    /// Returns whether a variable is a block in work-group memory.
    fn is_workgroup_block(&self, variable: u32) -> bool {
        let to = self.pointee(variable);
        self.class_of(variable) == Some(StorageClass::Workgroup)
            && to.is_some_and(|to| self.decorated(to, Decoration::Block).is_some())
    }

    /// Returns whether a block in work-group memory has the form that the compiler emits: an array without gaps,
    /// whose length may be a specialization constant.
    fn is_laid_out(&self, variable: u32) -> bool {
        let to = self.pointee(variable);
        let Some(Ty::Struct(members)) = to.and_then(|to| self.types.get(&to)) else {
            return false;
        };
        let [member] = members[..] else {
            return false;
        };
        let is_offset =
            |i: &&&Instruction| i.operands.get(2) == Some(&Operand::Decoration(Decoration::Offset));
        let decorations = to.and_then(|to| self.decorations.get(&to));
        let offset = decorations.and_then(|list| list.iter().find(is_offset));
        let Some(Ty::Array(of, _)) = self.types.get(&member) else {
            return false;
        };
        let Some((size, align)) = self.layout(*of, 0) else {
            return false;
        };
        let stride = self.decorated(member, Decoration::ArrayStride);
        let width = match self.types.get(of) {
            Some(Ty::Vector(lane, _)) => self.layout(*lane, 0).map(|l| l.0),
            Some(Ty::Int(_) | Ty::Float(_)) => Some(size),
            _ => None,
        };
        let access = match width {
            Some(1) => self.has(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR),
            Some(2) => self.has(Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR),
            Some(_) => true,
            None => false,
        };
        self.has(Capability::WorkgroupMemoryExplicitLayoutKHR)
            && access
            && offset.is_some_and(|o| literal(o, 3).is_ok_and(|o| o == 0))
            && stride.is_some_and(|s| literal(s, 2).is_ok_and(|s| s == size.next_multiple_of(align)))
    }

    fn is_storage_image(&self, variable: u32) -> bool {
        let to = self
            .type_of
            .get(&variable)
            .and_then(|ty| match self.types.get(ty)? {
                Ty::Pointer(_, to) => self.types.get(to),
                _ => None,
            });
        matches!(to, Some(Ty::Image(i)) if !i.sampled)
    }

    /// Returns the size and alignment of a type according to its decorations; `None` if they are missing, or
    /// if members overlap.
    fn layout(&self, ty: u32, depth: u32) -> Option<(u32, u32)> {
        if depth > 16 {
            return None;
        }
        match self.types.get(&ty)? {
            Ty::Int(w) | Ty::Float(w) => Some((w / 8, w / 8)),
            Ty::Vector(of, n) => {
                let (size, _) = self.layout(*of, depth + 1)?;
                Some((size * n, size * if *n == 3 { 4 } else { *n }))
            }
            Ty::Array(of, n) => {
                let (size, align) = self.layout(*of, depth + 1)?;
                let stride = literal(self.decorated(ty, Decoration::ArrayStride)?, 2).ok()?;
                let count = match self.defs[n].operands.first() {
                    Some(Operand::LiteralBit32(v)) if self.defs[n].class.opcode == Op::Constant => *v,
                    _ => return None,
                };
                (stride >= size && stride % align == 0).then_some(())?;
                Some((stride.checked_mul(count)?, align))
            }
            Ty::RuntimeArray(of) => {
                let (size, align) = self.layout(*of, depth + 1)?;
                let stride = literal(self.decorated(ty, Decoration::ArrayStride)?, 2).ok()?;
                (stride >= size && stride % align == 0).then_some((0, align))
            }
            Ty::Struct(members) => {
                let offsets: HashMap<u32, u32> = self
                    .decorations
                    .get(&ty)?
                    .iter()
                    .filter(|i| i.operands.get(2) == Some(&Operand::Decoration(Decoration::Offset)))
                    .filter_map(|i| Some((literal(i, 1).ok()?, literal(i, 3).ok()?)))
                    .collect();
                let (mut end, mut most) = (0u32, 1u32);
                for (n, member) in members.iter().enumerate() {
                    let (size, align) = self.layout(*member, depth + 1)?;
                    let at = *offsets.get(&(n as u32))?;
                    (at >= end && at % align == 0 && at < 1 << 30).then_some(())?;
                    end = at.checked_add(size)?;
                    most = most.max(align);
                }
                Some((end, most))
            }
            _ => None,
        }
    }

    fn builtin(&self, inst: &Instruction, target: u32, n: usize) -> Checked<bool> {
        let Some(Operand::BuiltIn(b)) = inst.operands.get(n) else {
            return Ok(false);
        };
        let Some(ty) = self.type_of.get(&target) else {
            return Ok(false);
        };
        if *b == spv::BuiltIn::WorkgroupSize {
            let def = self.defs[&target].class.opcode;
            let constant = matches!(def, Op::SpecConstantComposite | Op::ConstantComposite);
            return Ok(constant && self.shape(*ty) == Some((Kind::Int(32), 3)));
        }
        let Ty::Pointer(StorageClass::Input, to) = self.types[ty] else {
            return Ok(false);
        };
        let wanted = match b {
            spv::BuiltIn::WorkgroupId
            | spv::BuiltIn::LocalInvocationId
            | spv::BuiltIn::GlobalInvocationId
            | spv::BuiltIn::NumWorkgroups => 3,
            spv::BuiltIn::LocalInvocationIndex => 1,
            spv::BuiltIn::SubgroupSize
            | spv::BuiltIn::SubgroupId
            | spv::BuiltIn::NumSubgroups
            | spv::BuiltIn::SubgroupLocalInvocationId
                if self.has(Capability::GroupNonUniform) =>
            {
                1
            }
            _ => return Ok(false),
        };
        Ok(self.shape(to) == Some((Kind::Int(32), wanted)))
    }

    pub(super) fn entry_points(&self, target: Option<&Target>) -> Checked {
        let functions: HashMap<u32, &rspirv::dr::Function> = self
            .module
            .functions
            .iter()
            .filter_map(|f| Some((f.def.as_ref()?.result_id?, f)))
            .collect();
        let mut names = HashSet::default();
        let mut entries = HashSet::default();
        let sized = self
            .decorations
            .values()
            .flatten()
            .any(|i| i.operands.get(2) == Some(&Operand::BuiltIn(spv::BuiltIn::WorkgroupSize)));
        for inst in &self.module.entry_points {
            if inst.operands.first() != Some(&Operand::ExecutionModel(spv::ExecutionModel::GLCompute)) {
                return refuse(inst, "not a compute shader");
            }
            let function = id(inst, 1)?;
            let Some(f) = functions.get(&function) else {
                return refuse(inst, "its function is not there");
            };
            let plain = f.parameters.is_empty()
                && f.def
                    .as_ref()
                    .and_then(|d| d.result_type)
                    .and_then(|t| self.types.get(&t))
                    == Some(&Ty::Void);
            if !plain || !names.insert(text(inst, 2).to_owned()) || !entries.insert(function) {
                return refuse(
                    inst,
                    "its function has parameters or a result, or there is another one like it",
                );
            }
            self.listed_variables(inst, function, &functions)?;
            let has_size = self.module.execution_modes.iter().any(|m| {
                m.operands.first() == Some(&Operand::IdRef(function))
                    && m.operands.get(1) == Some(&Operand::ExecutionMode(spv::ExecutionMode::LocalSize))
            });
            if !has_size && !sized {
                return refuse(inst, "nothing sets its work-group size");
            }
        }
        self.execution_modes(&entries, target)?;
        for f in &self.module.functions {
            for inst in f.blocks.iter().flat_map(|b| &b.instructions) {
                if inst.class.opcode == Op::FunctionCall && entries.contains(&id(inst, 0)?) {
                    return refuse(inst, "it calls an entry point");
                }
            }
        }
        Ok(())
    }

    /// Checks the list of variables of an entry point.
    fn listed_variables(
        &self,
        inst: &Instruction,
        function: u32,
        functions: &HashMap<u32, &rspirv::dr::Function>,
    ) -> Checked {
        let listed: Vec<u32> = (3..inst.operands.len())
            .map(|n| id(inst, n))
            .collect::<Checked<_>>()?;
        let unique: HashSet<u32> = listed.iter().copied().collect();
        if unique.len() != listed.len() {
            return refuse(inst, "a variable is listed twice");
        }
        for v in &listed {
            let old = self.version.1 < 4 && self.class_of(*v) != Some(StorageClass::Input);
            if self.class_of(*v).is_none() || old {
                return refuse(inst, &format!("%{v} is no variable for its list"));
            }
        }
        let mut used = HashSet::default();
        self.reach(function, functions, &mut used, &mut Vec::new())?;
        let mut push = 0;
        for v in used {
            let class = self.class_of(v);
            push += u32::from(class == Some(StorageClass::PushConstant));
            let must = self.version.1 >= 4 || class == Some(StorageClass::Input);
            if must && !unique.contains(&v) {
                return refuse(inst, &format!("%{v} is used and not listed"));
            }
        }
        let pushes = unique
            .iter()
            .filter(|v| self.class_of(**v) == Some(StorageClass::PushConstant))
            .count();
        let is_workgroup = |v: &&u32| self.class_of(**v) == Some(StorageClass::Workgroup);
        let workgroup: Vec<u32> = unique.iter().filter(is_workgroup).copied().collect();
        let blocks = workgroup.iter().filter(|v| self.is_workgroup_block(**v)).count();
        let aliased = |v: &u32| self.decorated(*v, Decoration::Aliased).is_some();
        if blocks > 0 && (blocks < workgroup.len() || blocks > 1 && !workgroup.iter().all(aliased)) {
            return refuse(inst, "work-group memory with a layout and other such memory");
        }
        if push > 1 || pushes > 1 {
            return refuse(inst, "two blocks of push constants");
        }
        Ok(())
    }

    /// Returns whether the device and the module have what an execution mode needs that promises where work-items reconverge.
    fn reconverges(&self, mode: spv::ExecutionMode, target: Option<&Target>) -> bool {
        let maximal = mode == spv::ExecutionMode::MaximallyReconvergesKHR;
        let offered = target.is_none_or(|t| match maximal {
            true => t.features.maximal_reconvergence,
            false => t.features.subgroup_uniform_control_flow,
        });
        let extension = EXTENSIONS[if maximal { 9 } else { 10 }];
        let declared = self.module.extensions.iter().any(|i| text(i, 0) == extension);
        // SPV_KHR_maximal_reconvergence demands this in every version; its other rules for the flow of control are those of
        // `flow.rs`.
        let is_choice = |i: &&Instruction| i.class.opcode == Op::BranchConditional;
        let mut choices = self.module.all_inst_iter().filter(is_choice);
        let distinct = choices.all(|i| i.operands.get(1) != i.operands.get(2));
        offered && declared && self.version.1 >= 3 && (!maximal || distinct)
    }

    fn execution_modes(&self, entries: &HashSet<u32>, target: Option<&Target>) -> Checked {
        let mut modes = HashSet::default();
        for inst in &self.module.execution_modes {
            let (function, Some(Operand::ExecutionMode(mode))) = (id(inst, 0)?, inst.operands.get(1)) else {
                return refuse(inst, "no mode");
            };
            let numbers: Vec<u32> = (2..inst.operands.len())
                .map(|n| literal(inst, n))
                .collect::<Checked<_>>()?;
            let width = |c| {
                let known = numbers.len() == 1 && [16, 32, 64].contains(&numbers[0]);
                known && self.has(c) && self.types.values().any(|t| *t == Ty::Float(numbers[0]))
            };
            let good = inst.class.opcode == Op::ExecutionMode
                && match mode {
                    spv::ExecutionMode::LocalSize => {
                        numbers.len() == 3 && numbers.iter().all(|n| (1..=65535).contains(n))
                    }
                    spv::ExecutionMode::SignedZeroInfNanPreserve => {
                        width(Capability::SignedZeroInfNanPreserve)
                    }
                    spv::ExecutionMode::DenormPreserve => width(Capability::DenormPreserve),
                    spv::ExecutionMode::RoundingModeRTE => width(Capability::RoundingModeRTE),
                    spv::ExecutionMode::MaximallyReconvergesKHR
                    | spv::ExecutionMode::SubgroupUniformControlFlowKHR => {
                        numbers.is_empty() && self.reconverges(*mode, target)
                    }
                    _ => false,
                };
            if !good
                || !entries.contains(&function)
                || !modes.insert((function, *mode, numbers.first().copied()))
            {
                return refuse(inst, &format!("{mode:?} is not known here, or is there twice"));
            }
        }
        Ok(())
    }

    /// Returns the global variables that a function and its callees use. Recursion is an error.
    fn reach(
        &self,
        function: u32,
        functions: &HashMap<u32, &rspirv::dr::Function>,
        used: &mut HashSet<u32>,
        path: &mut Vec<u32>,
    ) -> Checked {
        let Some(f) = functions.get(&function) else {
            return Err(format!("%{function} is no function"));
        };
        if path.contains(&function) || path.len() > 64 {
            return Err(format!(
                "%{function} = OpFunction: it calls itself, or calls are too deep"
            ));
        }
        path.push(function);
        for inst in f.blocks.iter().flat_map(|b| &b.instructions) {
            for operand in inst.operands.iter().filter_map(Operand::id_ref_any) {
                if self.class_of(operand).is_some() {
                    used.insert(operand);
                }
            }
            if inst.class.opcode == Op::FunctionCall {
                self.reach(id(inst, 0)?, functions, used, path)?;
            }
        }
        path.pop();
        Ok(())
    }
}
