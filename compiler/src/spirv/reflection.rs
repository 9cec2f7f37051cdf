//! Emission of NonSemantic.ClspvReflection and of Caldera's own set. See [`crate::reflect`].

use super::instruction::instruction;
use super::pack::Packing;
use super::{Emit, Emitter, Id, bug};
use crate::hash::HashMap;
use crate::intrinsic::ImageShape;
use crate::ir::module::SystemPush;
use crate::ir::{
    ArgKind, ArgLocation, FactLocation, HandleFact, KernelAbi, KernelArg, KernelInfo, RequiredSubgroups,
};
use crate::printf;
use crate::reflect::{CALDERA_SET, CLSPV_SET, CalderaOp, Op, image_type, spec_id};
use rspirv::dr::Operand;
use rspirv::spirv as spv;

/// The most bytes of data in one OpString, which has two hexadecimal digits for each.
const MAX_PIECE: usize = 64 << 10;
/// The greatest length of a text in one OpString, in bytes. An instruction has at most 65535 words.
const MAX_TEXT: usize = 200_000;

/// Returns the locations of the system push constants with three components, each with its reflection
/// instruction.
fn system_slots(s: &SystemPush) -> [(Option<u32>, Op); 6] {
    [
        (s.global_offset, Op::PushConstantGlobalOffset),
        (s.global_size, Op::PushConstantGlobalSize),
        (s.enqueued_local_size, Op::PushConstantEnqueuedLocalSize),
        (s.region_offset, Op::PushConstantRegionOffset),
        (s.num_workgroups, Op::PushConstantNumWorkgroups),
        (s.region_group_offset, Op::PushConstantRegionGroupOffset),
    ]
}

/// Returns the end of the system push constants in bytes.
pub(super) fn system_end(s: &SystemPush) -> u32 {
    let slots = system_slots(s);
    let slots = slots.iter().filter_map(|(at, _)| at.map(|o| o + s.vector()));
    slots
        .chain(s.constant_data.map(|o| o + 8))
        .chain(s.printf_buffer.map(|o| o + 8))
        .chain(s.scratch.map(|o| o + 8))
        .chain(s.ended_loops.map(|o| o + 8))
        .max()
        .unwrap_or(0)
}

/// The state of the emission: the interned operands of the instructions.
struct Writer<'e, 'a> {
    e: &'e mut Emitter<'a>,
    set: Id,
    /// The id of Caldera's set, which is imported at its first use.
    own_set: Option<Id>,
    texts: HashMap<String, Id>,
    /// The work-group variables whose size has been written.
    sized: Vec<Id>,
}

impl Emitter<'_> {
    pub(super) fn reflection(&mut self) -> Emit<()> {
        self.needs_non_semantic();
        let set = self.import(CLSPV_SET);
        let mut w = Writer {
            e: self,
            set,
            own_set: None,
            texts: HashMap::default(),
            sized: Vec::new(),
        };
        w.module()
    }

    fn needs_non_semantic(&mut self) {
        if (self.target.spirv.major, self.target.spirv.minor) < (1, 6) {
            self.needs.extension("SPV_KHR_non_semantic_info");
        }
    }
}

impl Writer<'_, '_> {
    fn call(&mut self, set: Id, number: u32, operands: Vec<Id>) -> Id {
        let void = self.e.void();
        let id = self.e.id();
        let mut list = vec![Operand::IdRef(set), Operand::LiteralExtInstInteger(number)];
        list.extend(operands.into_iter().map(Operand::IdRef));
        self.e
            .reflection
            .push(instruction(spv::Op::ExtInst, Some(void), Some(id), list));
        id
    }

    /// Appends an instruction of the set. Its operands are the ids `before`, the ids of constants with these numbers, and the
    /// ids `after`.
    fn write(&mut self, op: Op, before: &[Id], numbers: &[u32], after: &[Id]) -> Id {
        let mut operands = before.to_vec();
        for &n in numbers {
            operands.push(self.e.u32_const(n));
        }
        operands.extend(after);
        self.call(self.set, op as u32, operands)
    }

    /// Appends an instruction of Caldera's set, whose operands are the kernel and then numbers.
    fn own(&mut self, op: CalderaOp, kernel: Id, numbers: &[u32]) {
        let set = match self.own_set {
            Some(set) => set,
            None => *self.own_set.insert(self.e.import(CALDERA_SET)),
        };
        let mut operands = vec![kernel];
        for &n in numbers {
            operands.push(self.e.u32_const(n));
        }
        self.call(set, op as u32, operands);
    }

    fn text(&mut self, text: &str) -> Id {
        if let Some(&id) = self.texts.get(text) {
            return id;
        }
        // A longer name is truncated.
        let mut end = text.len().min(MAX_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // A string ends at its first NUL.
        let shown = text[..end].split('\0').next().unwrap_or("");
        let id = self.e.id();
        self.e.strings.push(instruction(
            spv::Op::String,
            None,
            Some(id),
            vec![Operand::LiteralString(shown.into())],
        ));
        self.texts.insert(text.into(), id);
        id
    }

    fn module(&mut self) -> Emit<()> {
        let module = self.e.module;
        if module.abi.len() != module.kernels.len() {
            return Err(bug("lower_kernel_args has not run"));
        }
        let named = self.e.target.abi.descriptor().is_some();
        if !named {
            self.module_values();
        }
        self.samplers();
        self.constant_data();
        if !named {
            self.printf();
        }
        let mut kernels = Vec::new();
        for k in 0..module.kernels.len() {
            kernels.push(self.kernel(k)?);
        }
        if named {
            // This is clspv's order, and so that of the descriptor map.
            self.module_values();
            self.printf();
        }
        self.uses(&kernels);
        Ok(())
    }

    /// Writes the specialization constants and push constants of the module.
    fn module_values(&mut self) {
        let module = self.e.module;
        if self.e.shared.size.is_some() {
            let id = spec_id::WORKGROUP_SIZE;
            self.write(Op::SpecConstantWorkgroupSize, &[], &[id, id + 1, id + 2], &[]);
        }
        if self.e.shared.work_dim.is_some() {
            let id = self.e.work_dim_id();
            self.write(Op::SpecConstantWorkDim, &[], &[id], &[]);
        }
        if self.e.shared.global_offset.is_some() {
            let id = self.e.global_offset_id();
            self.write(Op::SpecConstantGlobalOffset, &[], &[id, id + 1, id + 2], &[]);
        }
        for (slot, op) in system_slots(&module.system) {
            if let Some(offset) = slot {
                self.write(op, &[], &[offset, module.system.vector()], &[]);
            }
        }
    }

    fn samplers(&mut self) {
        let module = self.e.module;
        let set = module.slots.literal_samplers;
        for (binding, mask) in module.literal_samplers.iter().enumerate() {
            self.write(Op::LiteralSampler, &[], &[set, binding as u32, mask.0], &[]);
        }
    }

    /// Writes the constant data. Larger data is divided into chunks with one instruction each, which the
    /// reader concatenates.
    fn constant_data(&mut self) {
        let module = self.e.module;
        let data = &module.constant_data;
        let has_variables = data.size > 0;
        if data.bytes.is_empty() && !has_variables {
            return;
        }
        let (op, numbers) = match (module.slots.constants, module.system.constant_data) {
            (Some(slot), _) => (Op::ConstantDataStorageBuffer, [slot.set, slot.binding]),
            (None, Some(offset)) if has_variables => {
                (Op::ProgramScopeVariablePointerPushConstant, [offset, 8])
            }
            (None, Some(offset)) => (Op::ConstantDataPointerPushConstant, [offset, 8]),
            (None, None) => return,
        };
        // Data without bytes is written as one empty chunk.
        let empty: [&[u8]; 1] = [&[]];
        let pieces = data.bytes.chunks(MAX_PIECE);
        for piece in pieces.chain(empty.into_iter().filter(|_| data.bytes.is_empty())) {
            let hex = crate::reflect::hex(piece);
            let hex = self.text(&hex);
            self.write(op, &[], &numbers, &[hex]);
        }
        for &(at, target) in &data.relocations {
            self.write(
                Op::ProgramScopeVariablePointerRelocation,
                &[],
                &[target, at, 8],
                &[],
            );
        }
    }

    fn printf(&mut self) {
        let module = self.e.module;
        let (op, numbers) = match (module.slots.printf, module.system.printf_buffer) {
            (Some(slot), _) => (Op::PrintfBufferStorageBuffer, [slot.set, slot.binding]),
            (None, Some(offset)) => (Op::PrintfBufferPointerPushConstant, [offset, 8]),
            (None, None) => return,
        };
        let size = self.e.target.printf_buffer_size();
        self.write(op, &[], &[numbers[0], numbers[1], size], &[]);
        for (i, entry) in module.printf.entries.iter().enumerate() {
            let text = self.text(&printf::to_text(&entry.text));
            let number = self.e.u32_const(i as u32 + 1);
            self.write(Op::PrintfInfo, &[number, text], &entry.sizes, &[]);
        }
    }

    fn kernel(&mut self, k: usize) -> Emit<Id> {
        let module = self.e.module;
        let info: &KernelInfo = &module.kernels[k];
        let abi = &module.abi[k];
        if abi.args.len() != info.args.len() {
            return Err(bug("a kernel's ABI does not match its arguments"));
        }
        let function = self.e.kernels[k].function;
        let name = self.text(&info.name);
        let attributes = self.text(&info.attributes);
        let prints = module.printf.kernels.contains(&info.func);
        let numbers = [info.args.len() as u32, u32::from(prints)];
        let decl = self.write(Op::Kernel, &[function, name], &numbers, &[attributes]);
        if let Some(size) = info.required_size {
            self.write(Op::PropertyRequiredWorkgroupSize, &[decl], &size, &[]);
        }
        // Clustered plain values come last, as in clspv's descriptor maps.
        let clustered = self.e.target.abi.descriptor().is_some_and(|d| d.cluster_pods);
        for pods in [false, true] {
            for (ordinal, (arg, location)) in info.args.iter().zip(&abi.args).enumerate() {
                if pods == (clustered && matches!(arg.kind, ArgKind::Pod { .. })) {
                    self.argument(decl, ordinal as u32, arg, abi.set, *location);
                }
            }
        }
        for fact in &abi.facts {
            self.fact(decl, abi, fact)?;
        }
        for &(arg, binding) in abi.normalized.iter().filter(|n| !is_one_sampler(abi, n.0)) {
            let numbers = [arg, abi.set, binding];
            self.own(CalderaOp::ArgumentNormalizedSampler, decl, &numbers);
        }
        if abi.variables {
            let data = &module.constant_data;
            self.own(CalderaOp::KernelVariables, decl, &[data.size, data.variables]);
        }
        if module.constant_data.align != 0 && module.slots.constants.is_none() {
            self.own(
                CalderaOp::KernelDataAlignment,
                decl,
                &[module.constant_data.align],
            );
        }
        if let (Some(offset), 1..) = (module.system.scratch, abi.scratch) {
            self.own(CalderaOp::KernelScratch, decl, &[offset, 8, abi.scratch]);
        }
        if abi.ended_loops {
            let (op, numbers) = match (abi.ended_loops_object(), module.system.ended_loops) {
                (Some((_, slot)), _) => (CalderaOp::KernelEndedLoopsStorageBuffer, [slot.set, slot.binding]),
                (None, Some(offset)) => (CalderaOp::KernelEndedLoops, [offset, 8]),
                (None, None) => return Err(bug("a report of ended loops without a word")),
            };
            self.own(op, decl, &numbers);
        }
        if let (Some(area), true) = (module.printf.checks, prints) {
            let numbers = [area.sizes, area.counters, area.allocations, area.unit];
            self.own(CalderaOp::KernelChecks, decl, &numbers);
        }
        self.work_group_memory(k, decl, abi);
        Ok(decl)
    }

    /// Writes where a kernel finds a fact about an argument.
    fn fact(&mut self, decl: Id, abi: &KernelAbi, fact: &FactLocation) -> Emit<()> {
        let (arg, offset) = (fact.arg, fact.offset);
        let set = abi.set;
        match (fact.fact, fact.in_args) {
            (HandleFact::ChannelOrder, false) => {
                let op = Op::ImageArgumentInfoChannelOrderPushConstant;
                self.write(op, &[decl], &[arg, offset, 4], &[]);
            }
            (HandleFact::ChannelOrder, true) => {
                let op = Op::ImageArgumentInfoChannelOrderUniform;
                self.write(op, &[decl], &[arg, set, 0, offset, 4], &[]);
            }
            (HandleFact::ChannelDataType, false) => {
                let op = Op::ImageArgumentInfoChannelDataTypePushConstant;
                self.write(op, &[decl], &[arg, offset, 4], &[]);
            }
            (HandleFact::ChannelDataType, true) => {
                let op = Op::ImageArgumentInfoChannelDataTypeUniform;
                self.write(op, &[decl], &[arg, set, 0, offset, 4], &[]);
            }
            (HandleFact::SamplerMask, false) if is_one_sampler(abi, arg) => {
                let op = Op::NormalizedSamplerMaskPushConstant;
                self.write(op, &[decl], &[arg, offset, 4], &[]);
            }
            (HandleFact::SamplerMask, false) => {
                let op = CalderaOp::ArgumentSamplerMaskPushConstant;
                self.own(op, decl, &[arg, offset, 4]);
            }
            (HandleFact::SamplerMask, true) => {
                let op = CalderaOp::ArgumentSamplerMaskUniform;
                self.own(op, decl, &[arg, set, 0, offset, 4]);
            }
            (HandleFact::NotNull, false) => {
                let op = CalderaOp::ArgumentNotNullPushConstant;
                self.own(op, decl, &[arg, offset, 4]);
            }
            (HandleFact::NotNull, true) => return Err(bug("a null flag in the argument buffer")),
        }
        Ok(())
    }

    /// Writes the work-group memory of a kernel: its arena, and the variables apart from it.
    fn work_group_memory(&mut self, k: usize, decl: Id, abi: &KernelAbi) {
        if let Some(arena) = self.e.kernels[k].arena {
            self.write(Op::WorkgroupVariableSize, &[arena], &[abi.local_fixed], &[]);
            self.own(CalderaOp::KernelArena, decl, &[]);
            let apart = self.e.kernels[k].locals.iter().map(|(_, bytes)| bytes).sum();
            if apart > 0 {
                self.own(CalderaOp::KernelLocalApart, decl, &[apart]);
            }
        }
        for (variable, bytes) in self.e.kernels[k].locals.clone() {
            if !self.sized.contains(&variable) {
                self.sized.push(variable);
                self.write(Op::WorkgroupVariableSize, &[variable], &[bytes], &[]);
            }
        }
    }

    fn argument(&mut self, decl: Id, ordinal: u32, arg: &KernelArg, set: u32, location: ArgLocation) {
        let name = self.text(&arg.name);
        let type_name = self.text(&arg.type_name);
        let qualifiers = [arg.address_qualifier, arg.access_qualifier, arg.type_qualifier];
        let info = self.write(Op::ArgumentInfo, &[name, type_name], &qualifiers, &[]);
        let mut bind = |op: Op, numbers: &[u32]| {
            let mut list = vec![ordinal];
            list.extend(numbers);
            self.write(op, &[decl], &list, &[info]);
        };
        match location {
            ArgLocation::Push { offset, size } => bind(Op::ArgumentPodPushConstant, &[offset, size]),
            ArgLocation::Args { offset, size } => bind(Op::ArgumentPodUniform, &[0, 0, offset, size]),
            ArgLocation::PointerPush { offset } => bind(Op::ArgumentPointerPushConstant, &[offset, 8]),
            ArgLocation::PointerArgs { offset } => bind(Op::ArgumentPointerUniform, &[0, 0, offset, 8]),
            ArgLocation::LocalPush { offset, align } => {
                bind(Op::ArgumentWorkgroup, &[spec_id::LOCAL_BYTES, align]);
                bind(Op::ArgumentPodPushConstant, &[offset, 4]);
            }
            ArgLocation::LocalArgs { offset, align } => {
                bind(Op::ArgumentWorkgroup, &[spec_id::LOCAL_BYTES, align]);
                bind(Op::ArgumentPodUniform, &[0, 0, offset, 4]);
            }
            ArgLocation::Image {
                binding,
                shape,
                write,
            } => {
                let op = match (shape == ImageShape::Buffer, write) {
                    (false, false) => Op::ArgumentSampledImage,
                    (false, true) => Op::ArgumentStorageImage,
                    (true, false) => Op::ArgumentUniformTexelBuffer,
                    (true, true) => Op::ArgumentStorageTexelBuffer,
                };
                bind(op, &[set, binding]);
                let numbers = [ordinal, image_type(shape)];
                self.own(CalderaOp::ArgumentImageType, decl, &numbers);
            }
            ArgLocation::Sampler { binding } => {
                bind(Op::ArgumentSampler, &[set, binding]);
            }
            ArgLocation::Buffer { slot, uniform } => {
                let op = match uniform {
                    true => Op::ArgumentUniform,
                    false => Op::ArgumentStorageBuffer,
                };
                bind(op, &[slot.set, slot.binding]);
            }
            ArgLocation::PodSlot {
                slot,
                offset,
                size,
                uniform,
            } => {
                let op = match uniform {
                    true => Op::ArgumentPodUniform,
                    false => Op::ArgumentPodStorageBuffer,
                };
                bind(op, &[slot.set, slot.binding, offset, size]);
            }
            ArgLocation::LocalArray { spec_id, elem_size } => {
                bind(Op::ArgumentWorkgroup, &[spec_id, elem_size]);
            }
        }
    }

    /// Writes how the kernels use the memory that their pointer arguments point to.
    fn uses(&mut self, kernels: &[Id]) {
        let module = self.e.module;
        let packings = self.e.packing.clone();
        for ((info, &decl), packing) in module.kernels.iter().zip(kernels).zip(packings) {
            if module.ungrouped.contains(&info.func) {
                self.own(CalderaOp::KernelUngrouped, decl, &[]);
            }
            match packing {
                Packing::None => {}
                Packing::Size => self.own(CalderaOp::KernelPacking, decl, &[0]),
                Packing::Constants => self.own(CalderaOp::KernelPacking, decl, &[spec_id::PACK]),
            }
            if info.any_memory {
                self.own(CalderaOp::KernelAnyMemory, decl, &[]);
            }
            if info.uneven {
                self.own(CalderaOp::KernelUneven, decl, &[]);
            }
            if info.subgroups != RequiredSubgroups::default() {
                self.own(CalderaOp::KernelSubgroups, decl, &info.subgroups.numbers());
            }
            for (ordinal, arg) in info.args.iter().enumerate() {
                let u = arg.uses;
                let flags = u32::from(u.read) | u32::from(u.written) << 1 | u32::from(u.escapes) << 2;
                if matches!(arg.kind, ArgKind::Buffer { .. }) && flags != 7 {
                    self.own(CalderaOp::ArgumentUse, decl, &[ordinal as u32, flags]);
                }
            }
        }
    }
}

/// Returns whether the single descriptor of a sampler argument is the normalized sampler (clspv's mapping).
fn is_one_sampler(abi: &KernelAbi, arg: u32) -> bool {
    let own = abi.args.get(arg as usize);
    abi.normalized
        .iter()
        .any(|&(a, binding)| a == arg && own == Some(&ArgLocation::Sampler { binding }))
}
