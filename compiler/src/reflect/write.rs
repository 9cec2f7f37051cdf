//! Insertion of reflection into a module: the inverse of [`read`](super::read()). The compiler writes its own
//! reflection while it emits a module (`spirv/reflection.rs`); this function is for modules that another tool
//! has processed.

use super::read::{Tables, collect, opcode, text};
use super::{
    Arg, ArgInfo, Binding, CALDERA_SET, CLSPV_SET, CalderaOp, DataPlace, Descriptor, Kernel, MemoryUse, Op,
    Packing, Place, ProgramData, PushRange, Reflection, ReflectionError, strip,
};
use crate::hash::HashMap;
use crate::ir::RequiredSubgroups;

/// The most bytes of data in one OpString. Each takes two hexadecimal digits, and an OpString has room for more than
/// 262,000.
const MAX_CHUNK: usize = 64 << 10;
/// The number of words in a module's header.
const HEADER: usize = 5;
const OP_MEMORY_MODEL: u16 = 14;
const OP_ENTRY_POINT: u16 = 15;
const OP_EXECUTION_MODE: u16 = 16;
const OP_CAPABILITY: u16 = 17;
const OP_TYPE_VOID: u16 = 19;
const OP_EXECUTION_MODE_ID: u16 = 331;
/// The opcodes that come before `OpExtension`, and `OpExtension` itself.
const UP_TO_EXTENSIONS: [u16; 2] = [OP_CAPABILITY, opcode::EXTENSION];
/// The opcodes that come before strings.
const UP_TO_MODES: [u16; 7] = [
    OP_CAPABILITY,
    opcode::EXTENSION,
    opcode::EXT_INST_IMPORT,
    OP_MEMORY_MODEL,
    OP_ENTRY_POINT,
    OP_EXECUTION_MODE,
    OP_EXECUTION_MODE_ID,
];

/// Replaces the reflection of a module, and returns the new module.
///
/// # Errors
///
/// The words are not a module; a kernel or variable does not exist in it; or the reflection contains
/// something that no instruction of the sets can express (the address of a buffer in a storage buffer, for
/// example).
pub fn write(words: &[u32], reflection: &Reflection) -> Result<Vec<u32>, ReflectionError> {
    let stripped = strip(words)?;
    let tables = collect(&stripped)?;
    if stripped[3] > 1 << 30 {
        return Err(ReflectionError::Malformed {
            at: 3,
            what: "there are no ids left",
        });
    }
    let mut w = Writer {
        next: stripped[3],
        ..Writer::default()
    };
    w.find_constants(&stripped);
    w.set = w.id();
    w.module(&tables, reflection)?;
    let end_of = |section: &[u16]| first(&stripped, |code| !section.contains(&code));
    let (extensions, strings) = (end_of(&UP_TO_EXTENSIONS), end_of(&UP_TO_MODES));
    let functions = first(&stripped, |code| code == opcode::FUNCTION);
    let mut out = stripped[..extensions].to_vec();
    if stripped[1] < 0x10600 {
        out.extend(instruction(
            opcode::EXTENSION,
            &[],
            Some("SPV_KHR_non_semantic_info"),
        ));
    }
    out.extend(instruction(opcode::EXT_INST_IMPORT, &[w.set], Some(CLSPV_SET)));
    if let Some(own) = w.own_set {
        out.extend(instruction(opcode::EXT_INST_IMPORT, &[own], Some(CALDERA_SET)));
    }
    out.extend(&stripped[extensions..strings]);
    out.extend(&w.strings);
    out.extend(&stripped[strings..functions]);
    out.extend(&w.constants);
    out.extend(&stripped[functions..]);
    out.extend(&w.calls);
    out[3] = w.next;
    Ok(out)
}

/// Returns the index of the first instruction with such an opcode, or the end of the module.
fn first(words: &[u32], wanted: impl Fn(u16) -> bool) -> usize {
    let mut at = HEADER;
    while at < words.len() && !wanted((words[at] & 0xffff) as u16) {
        at += (words[at] >> 16) as usize;
    }
    at.min(words.len())
}

/// Returns the words of an instruction, whose last operand is a literal string if there is a text.
fn instruction(code: u16, operands: &[u32], text: Option<&str>) -> Vec<u32> {
    let mut words = vec![0];
    words.extend(operands);
    if let Some(text) = text {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        words.extend(bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)));
    }
    words[0] = (words.len() as u32) << 16 | u32::from(code);
    words
}

fn cannot(op: Op, what: &'static str) -> ReflectionError {
    ReflectionError::Operand {
        op: op.name(),
        at: 0,
        what,
    }
}

/// The words of the instructions, and the ids of the constants that they refer to.
#[derive(Default)]
struct Writer {
    next: u32,
    void: u32,
    int: u32,
    set: u32,
    /// The id of our own set, which is imported at its first use.
    own_set: Option<u32>,
    /// The operands of KernelVariables.
    variables: [u32; 2],
    data_align: u32,
    texts: HashMap<String, u32>,
    numbers: HashMap<u32, u32>,
    strings: Vec<u32>,
    constants: Vec<u32>,
    calls: Vec<u32>,
}

impl Writer {
    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Finds the strings and constants that the module already has, and finds or declares `void` and the
    /// 32-bit unsigned type.
    fn find_constants(&mut self, words: &[u32]) {
        let mut at = HEADER;
        let (mut void, mut int) = (None, None);
        while at < words.len() {
            let end = at + (words[at] >> 16) as usize;
            match ((words[at] & 0xffff) as u16, &words[at + 1..end]) {
                (OP_TYPE_VOID, [id]) => void = Some(*id),
                (opcode::TYPE_INT, [id, 32, 0]) => int = Some(*id),
                (opcode::CONSTANT, [ty, id, n]) if Some(*ty) == int => {
                    self.numbers.entry(*n).or_insert(*id);
                }
                (opcode::STRING, [id, literal @ ..]) => {
                    if let Ok(text) = text(literal, at) {
                        self.texts.entry(text).or_insert(*id);
                    }
                }
                _ => {}
            }
            at = end;
        }
        self.void = void.unwrap_or_else(|| {
            let id = self.id();
            self.constants.extend(instruction(OP_TYPE_VOID, &[id], None));
            id
        });
        self.int = int.unwrap_or_else(|| {
            let id = self.id();
            self.constants
                .extend(instruction(opcode::TYPE_INT, &[id, 32, 0], None));
            id
        });
    }

    fn text(&mut self, text: &str) -> Result<u32, ReflectionError> {
        if let Some(&id) = self.texts.get(text) {
            return Ok(id);
        }
        if text.contains('\0') || text.len() > 65_530 * 4 {
            return Err(cannot(Op::Kernel, "a text that is no OpString"));
        }
        let id = self.id();
        self.strings
            .extend(instruction(opcode::STRING, &[id], Some(text)));
        self.texts.insert(text.to_owned(), id);
        Ok(id)
    }

    fn number(&mut self, n: u32) -> u32 {
        if let Some(&id) = self.numbers.get(&n) {
            return id;
        }
        let id = self.id();
        self.constants
            .extend(instruction(opcode::CONSTANT, &[self.int, id, n], None));
        self.numbers.insert(n, id);
        id
    }

    /// Appends an instruction of a set. Its operands are the ids `before`, the ids of constants with these numbers, and the ids
    /// `after`.
    fn call(&mut self, set: u32, number: u32, before: &[u32], numbers: &[u32], after: &[u32]) -> u32 {
        let id = self.id();
        let mut operands = vec![self.void, id, set, number];
        operands.extend(before);
        for &n in numbers {
            let n = self.number(n);
            operands.push(n);
        }
        operands.extend(after);
        self.calls.extend(instruction(opcode::EXT_INST, &operands, None));
        id
    }

    fn op(&mut self, op: Op, before: &[u32], numbers: &[u32], after: &[u32]) -> u32 {
        self.call(self.set, op as u32, before, numbers, after)
    }

    fn own(&mut self, op: CalderaOp, kernel: u32, numbers: &[u32]) {
        let set = match self.own_set {
            Some(set) => set,
            None => {
                let id = self.id();
                *self.own_set.insert(id)
            }
        };
        self.call(set, op as u32, &[kernel], numbers, &[]);
    }

    fn module(&mut self, tables: &Tables<'_>, r: &Reflection) -> Result<(), ReflectionError> {
        self.variables = [r.variables_size, r.variables_bytes];
        self.data_align = r.data_align;
        for s in &r.literal_samplers {
            self.op(Op::LiteralSampler, &[], &[s.at.set, s.at.binding, s.mask], &[]);
        }
        let constant = [
            Some(Op::ConstantDataStorageBuffer),
            Some(Op::ConstantDataUniform),
            Some(Op::ConstantDataPointerPushConstant),
        ];
        self.data(r.constant_data.as_ref(), constant)?;
        let variables = [
            Some(Op::ProgramScopeVariablesStorageBuffer),
            None,
            Some(Op::ProgramScopeVariablePointerPushConstant),
        ];
        self.data(r.program_variables.as_ref(), variables)?;
        for x in &r.relocations {
            let numbers = [x.object_offset, x.pointer_offset, x.pointer_size];
            self.op(Op::ProgramScopeVariablePointerRelocation, &[], &numbers, &[]);
        }
        for kernel in &r.kernels {
            self.kernel(tables, kernel)?;
        }
        for &(variable, size) in &r.workgroup_variables {
            if !tables.has_variable(variable) {
                return Err(cannot(Op::WorkgroupVariableSize, "operand is not a variable"));
            }
            self.op(Op::WorkgroupVariableSize, &[variable], &[size], &[]);
        }
        self.values(r);
        self.printf(r)
    }

    /// Writes the specialization constants and push constants.
    fn values(&mut self, r: &Reflection) {
        if let Some(ids) = r.spec.workgroup_size {
            self.op(Op::SpecConstantWorkgroupSize, &[], &ids, &[]);
        }
        if let Some(ids) = r.spec.global_offset {
            self.op(Op::SpecConstantGlobalOffset, &[], &ids, &[]);
        }
        if let Some(id) = r.spec.work_dim {
            self.op(Op::SpecConstantWorkDim, &[], &[id], &[]);
        }
        if let Some(id) = r.spec.subgroup_max_size {
            self.op(Op::SpecConstantSubgroupMaxSize, &[], &[id], &[]);
        }
        for (range, op) in [
            (r.push.global_offset, Op::PushConstantGlobalOffset),
            (r.push.enqueued_local_size, Op::PushConstantEnqueuedLocalSize),
            (r.push.global_size, Op::PushConstantGlobalSize),
            (r.push.region_offset, Op::PushConstantRegionOffset),
            (r.push.num_workgroups, Op::PushConstantNumWorkgroups),
            (r.push.region_group_offset, Op::PushConstantRegionGroupOffset),
        ] {
            if let Some(PushRange { offset, size }) = range {
                self.op(op, &[], &[offset, size], &[]);
            }
        }
    }

    /// Writes data in chunks. `ops` are the instructions for a storage buffer, a uniform buffer and an
    /// address.
    fn data(&mut self, data: Option<&ProgramData>, ops: [Option<Op>; 3]) -> Result<(), ReflectionError> {
        let Some(data) = data else {
            return Ok(());
        };
        let (op, numbers) = match data.place {
            DataPlace::StorageBuffer(at) => (ops[0], [at.set, at.binding]),
            DataPlace::UniformBuffer(at) => (ops[1], [at.set, at.binding]),
            DataPlace::PointerPush(r) => (ops[2], [r.offset, r.size]),
        };
        let op = op.ok_or(cannot(
            Op::ProgramScopeVariablesStorageBuffer,
            "not in a uniform buffer",
        ))?;
        // Data without bytes is written as one empty chunk.
        let empty: [&[u8]; 1] = [&[]];
        let chunks = data.bytes.chunks(MAX_CHUNK);
        for chunk in chunks.chain(empty.into_iter().filter(|_| data.bytes.is_empty())) {
            let hex = super::hex(chunk);
            let hex = self.text(&hex)?;
            self.op(op, &[], &numbers, &[hex]);
        }
        Ok(())
    }

    fn printf(&mut self, r: &Reflection) -> Result<(), ReflectionError> {
        for f in &r.printf_formats {
            let format = self.text(&f.format)?;
            let id = self.number(f.id);
            self.op(Op::PrintfInfo, &[id, format], &f.arg_sizes, &[]);
        }
        match r.printf_buffer.map(|b| (b.place, b.size)) {
            None => {}
            Some((DataPlace::StorageBuffer(at), size)) => {
                let numbers = [at.set, at.binding, size];
                self.op(Op::PrintfBufferStorageBuffer, &[], &numbers, &[]);
            }
            Some((DataPlace::PointerPush(to), size)) => {
                let numbers = [to.offset, to.size, size];
                self.op(Op::PrintfBufferPointerPushConstant, &[], &numbers, &[]);
            }
            Some((DataPlace::UniformBuffer(_), _)) => {
                return Err(cannot(Op::PrintfBufferStorageBuffer, "not in a uniform buffer"));
            }
        }
        Ok(())
    }

    fn kernel(&mut self, tables: &Tables<'_>, k: &Kernel) -> Result<(), ReflectionError> {
        if !tables.has_function(k.function) {
            return Err(cannot(Op::Kernel, "operand is not a function"));
        }
        let (name, attributes) = (self.text(&k.name)?, self.text(&k.attributes)?);
        let numbers = [k.args.len() as u32, u32::from(k.printf)];
        let kernel = self.op(Op::Kernel, &[k.function, name], &numbers, &[attributes]);
        if let Some(size) = k.required_size {
            self.op(Op::PropertyRequiredWorkgroupSize, &[kernel], &size, &[]);
        }
        if k.ungrouped {
            self.own(CalderaOp::KernelUngrouped, kernel, &[]);
        }
        if let Some(packing) = k.packing {
            let first = match packing {
                Packing::Size => 0,
                Packing::Constants([first, ..]) => first,
            };
            self.own(CalderaOp::KernelPacking, kernel, &[first]);
        }
        if k.any_memory {
            self.own(CalderaOp::KernelAnyMemory, kernel, &[]);
        }
        if k.uneven {
            self.own(CalderaOp::KernelUneven, kernel, &[]);
        }
        if k.subgroups != RequiredSubgroups::default() {
            self.own(CalderaOp::KernelSubgroups, kernel, &k.subgroups.numbers());
        }
        if k.has_arena {
            self.own(CalderaOp::KernelArena, kernel, &[]);
        }
        if k.variables {
            let variables = self.variables;
            self.own(CalderaOp::KernelVariables, kernel, &variables);
        }
        if self.data_align != 0 {
            let align = self.data_align;
            self.own(CalderaOp::KernelDataAlignment, kernel, &[align]);
        }
        if k.local_apart > 0 {
            self.own(CalderaOp::KernelLocalApart, kernel, &[k.local_apart]);
        }
        if let Some(scratch) = k.scratch {
            let numbers = [scratch.place.offset, scratch.place.size, scratch.bytes];
            self.own(CalderaOp::KernelScratch, kernel, &numbers);
        }
        match k.ended_loops {
            None => {}
            Some(DataPlace::PointerPush(to)) => {
                self.own(CalderaOp::KernelEndedLoops, kernel, &[to.offset, to.size]);
            }
            Some(DataPlace::StorageBuffer(at)) => {
                let op = CalderaOp::KernelEndedLoopsStorageBuffer;
                self.own(op, kernel, &[at.set, at.binding]);
            }
            Some(DataPlace::UniformBuffer(_)) => {
                return Err(cannot(
                    Op::Kernel,
                    "the report of ended loops in a uniform buffer",
                ));
            }
        }
        if let Some(area) = k.checks {
            let numbers = [area.sizes, area.counters, area.allocations, area.unit];
            self.own(CalderaOp::KernelChecks, kernel, &numbers);
        }
        for (ordinal, arg) in k.args.iter().enumerate() {
            self.argument(kernel, ordinal as u32, arg)?;
        }
        Ok(())
    }

    fn info(&mut self, info: &ArgInfo) -> Result<u32, ReflectionError> {
        let mut operands = vec![self.text(&info.name)?];
        let numbers = [info.address_qualifier, info.access_qualifier, info.type_qualifier];
        let given = numbers.iter().take_while(|n| n.is_some()).count();
        let complete = numbers.iter().flatten().count() == given && (given == 0 || info.type_name.is_some());
        if !complete {
            return Err(cannot(Op::ArgumentInfo, "an operand is missing before others"));
        }
        if let Some(name) = &info.type_name {
            operands.push(self.text(name)?);
        }
        let numbers: Vec<u32> = numbers.into_iter().flatten().collect();
        Ok(self.op(Op::ArgumentInfo, &operands, &numbers, &[]))
    }

    fn argument(&mut self, kernel: u32, ordinal: u32, arg: &Arg) -> Result<(), ReflectionError> {
        let info: Vec<u32> = arg.info.iter().map(|i| self.info(i)).collect::<Result<_, _>>()?;
        let mut bind = |op: Op, numbers: &[u32]| {
            let numbers: Vec<u32> = [ordinal].iter().chain(numbers).copied().collect();
            self.op(op, &[kernel], &numbers, &info);
        };
        let slot = |at: Descriptor| [at.set, at.binding];
        let pod = |place: Place| match place {
            Place::Push(r) => (Op::ArgumentPodPushConstant, vec![r.offset, r.size]),
            Place::Uniform { at, offset, size } => {
                (Op::ArgumentPodUniform, vec![at.set, at.binding, offset, size])
            }
            Place::Storage { at, offset, size } => (
                Op::ArgumentPodStorageBuffer,
                vec![at.set, at.binding, offset, size],
            ),
        };
        match arg.binding {
            None => {}
            Some(Binding::Pod(place)) => {
                let (op, numbers) = pod(place);
                bind(op, &numbers);
            }
            Some(Binding::Pointer(Place::Push(r))) => {
                bind(Op::ArgumentPointerPushConstant, &[r.offset, r.size]);
            }
            Some(Binding::Pointer(Place::Uniform { at, offset, size })) => {
                bind(Op::ArgumentPointerUniform, &[at.set, at.binding, offset, size]);
            }
            Some(Binding::Pointer(Place::Storage { .. })) => {
                return Err(cannot(Op::ArgumentPointerUniform, "not in a storage buffer"));
            }
            Some(Binding::StorageBuffer(at)) => bind(Op::ArgumentStorageBuffer, &slot(at)),
            Some(Binding::UniformBuffer(at)) => bind(Op::ArgumentUniform, &slot(at)),
            Some(Binding::SampledImage(at)) => bind(Op::ArgumentSampledImage, &slot(at)),
            Some(Binding::StorageImage(at)) => bind(Op::ArgumentStorageImage, &slot(at)),
            Some(Binding::Sampler(at) | Binding::NormalizedSampler(at)) => {
                bind(Op::ArgumentSampler, &slot(at))
            }
            Some(Binding::StorageTexelBuffer(at)) => bind(Op::ArgumentStorageTexelBuffer, &slot(at)),
            Some(Binding::UniformTexelBuffer(at)) => bind(Op::ArgumentUniformTexelBuffer, &slot(at)),
            Some(Binding::Workgroup {
                spec_id,
                elem_size,
                offset,
            }) => {
                bind(Op::ArgumentWorkgroup, &[spec_id, elem_size]);
                if let Some((op, numbers)) = offset.map(pod) {
                    bind(op, &numbers);
                }
            }
        }
        self.facts(kernel, ordinal, arg)
    }

    /// Writes what is known about an argument besides its binding.
    fn facts(&mut self, kernel: u32, ordinal: u32, arg: &Arg) -> Result<(), ReflectionError> {
        let mut image = |place: Option<Place>, push: Op, uniform: Op| {
            match place {
                None => {}
                Some(Place::Push(r)) => {
                    self.op(push, &[kernel], &[ordinal, r.offset, r.size], &[]);
                }
                Some(Place::Uniform { at, offset, size }) => {
                    let numbers = [ordinal, at.set, at.binding, offset, size];
                    self.op(uniform, &[kernel], &numbers, &[]);
                }
                Some(Place::Storage { .. }) => return Err(cannot(uniform, "not in a storage buffer")),
            }
            Ok(())
        };
        image(
            arg.channel_order,
            Op::ImageArgumentInfoChannelOrderPushConstant,
            Op::ImageArgumentInfoChannelOrderUniform,
        )?;
        image(
            arg.channel_data_type,
            Op::ImageArgumentInfoChannelDataTypePushConstant,
            Op::ImageArgumentInfoChannelDataTypeUniform,
        )?;
        let normalized = matches!(arg.binding, Some(Binding::NormalizedSampler(_)));
        match arg.sampler_mask {
            Some(Place::Push(r)) if normalized => {
                let numbers = [ordinal, r.offset, r.size];
                self.op(Op::NormalizedSamplerMaskPushConstant, &[kernel], &numbers, &[]);
            }
            _ if normalized => {
                let what = "a normalized sampler's mask is in push constants";
                return Err(cannot(Op::NormalizedSamplerMaskPushConstant, what));
            }
            None => {}
            Some(Place::Push(r)) => {
                let op = CalderaOp::ArgumentSamplerMaskPushConstant;
                self.own(op, kernel, &[ordinal, r.offset, r.size]);
            }
            Some(Place::Uniform { at, offset, size }) => {
                let op = CalderaOp::ArgumentSamplerMaskUniform;
                self.own(op, kernel, &[ordinal, at.set, at.binding, offset, size]);
            }
            Some(Place::Storage { .. }) => {
                return Err(cannot(Op::ArgumentSampler, "a mask in a storage buffer"));
            }
        }
        if let Some(at) = arg.normalized_sampler {
            let numbers = [ordinal, at.set, at.binding];
            self.own(CalderaOp::ArgumentNormalizedSampler, kernel, &numbers);
        }
        if let Some(ty) = arg.image_type {
            self.own(CalderaOp::ArgumentImageType, kernel, &[ordinal, ty]);
        }
        match arg.not_null {
            None => {}
            Some(Place::Push(r)) => {
                let op = CalderaOp::ArgumentNotNullPushConstant;
                self.own(op, kernel, &[ordinal, r.offset, r.size]);
            }
            Some(Place::Uniform { .. } | Place::Storage { .. }) => {
                return Err(cannot(
                    Op::ArgumentStorageBuffer,
                    "a flag outside of push constants",
                ));
            }
        }
        let MemoryUse {
            read,
            written,
            escapes,
        } = arg.uses;
        if arg.uses != MemoryUse::ANY {
            let flags = u32::from(read) | u32::from(written) << 1 | u32::from(escapes) << 2;
            self.own(CalderaOp::ArgumentUse, kernel, &[ordinal, flags]);
        }
        Ok(())
    }
}
