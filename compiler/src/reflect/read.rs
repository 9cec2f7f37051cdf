//! Reader for the reflection instructions of a module. The input is untrusted (clCreateProgramWithBinary):
//! every deviation from the specification of the set is an error.

use super::interface::Interface;
use super::set::Shape;
use super::{
    Arg, ArgInfo, Binding, CALDERA_SET, CLSPV_SET_PREFIX, CalderaOp, DataPlace, Descriptor, Kernel,
    LiteralSampler, MemoryUse, Op, Packing, Place, PrintfBuffer, PrintfFormat, ProgramData, PushRange,
    REVISION, Reflection, ReflectionError, Relocation, Scratch, check,
};
use crate::abi::MAX_ARGS;
use crate::check::Area;
use crate::hash::{HashMap, HashSet};
use crate::ir::RequiredSubgroups;

const MAGIC: u32 = 0x0723_0203;

/// The SPIR-V opcodes that the reader handles.
pub(super) mod opcode {
    pub(in crate::reflect) const EXTENSION: u16 = 10;
    pub(in crate::reflect) const STRING: u16 = 7;
    pub(in crate::reflect) const EXT_INST_IMPORT: u16 = 11;
    pub(in crate::reflect) const EXT_INST: u16 = 12;
    pub(in crate::reflect) const TYPE_INT: u16 = 21;
    pub(in crate::reflect) const CONSTANT: u16 = 43;
    pub(in crate::reflect) const FUNCTION: u16 = 54;
    pub(in crate::reflect) const VARIABLE: u16 = 59;
    pub(in crate::reflect) const DECORATE: u16 = 71;
    pub(in crate::reflect) const LOOP_MERGE: u16 = 246;
}

/// The results of the first pass over the module.
#[derive(Default)]
pub(super) struct Tables<'a> {
    strings: HashMap<u32, (usize, &'a [u32])>,
    int32: HashSet<u32>,
    numbers: HashMap<u32, u32>,
    functions: HashSet<u32>,
    variables: HashSet<u32>,
    asks_place: bool,
    loops: bool,
    interface: Interface,
    pub(super) clspv: Option<u32>,
    pub(super) caldera: Option<u32>,
    /// The reflection instructions: word index, result, set, number, operands.
    pub(super) calls: Vec<(usize, u32, u32, u32, &'a [u32])>,
}

impl Tables<'_> {
    /// Returns the value of a constant.
    pub(super) fn number(&self, id: u32) -> Option<u32> {
        self.numbers.get(&id).copied()
    }

    /// Returns whether the id is that of a function.
    pub(super) fn has_function(&self, id: u32) -> bool {
        self.functions.contains(&id)
    }

    /// Returns whether the id is that of a variable.
    pub(super) fn has_variable(&self, id: u32) -> bool {
        self.variables.contains(&id)
    }

    /// Returns a string.
    pub(super) fn string(&self, id: u32) -> Option<String> {
        let (at, words) = self.strings.get(&id)?;
        text(words, *at).ok()
    }
}

pub(super) fn text(words: &[u32], at: usize) -> Result<String, ReflectionError> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let bad = |what| ReflectionError::Malformed { at, what };
    let end = bytes
        .iter()
        .position(|&b| b == 0)
        .ok_or(bad("string without end"))?;
    if end / 4 + 1 != words.len() {
        return Err(bad("string ends early"));
    }
    String::from_utf8(bytes[..end].to_vec()).map_err(|_| bad("string is not UTF-8"))
}

pub(super) fn collect(words: &[u32]) -> Result<Tables<'_>, ReflectionError> {
    if words.len() < 5 || words[0] != MAGIC {
        return Err(ReflectionError::NotSpirv);
    }
    let mut t = Tables::default();
    let mut at = 5;
    while at < words.len() {
        let len = (words[at] >> 16) as usize;
        let code = (words[at] & 0xffff) as u16;
        let bad = |what| ReflectionError::Malformed { at, what };
        if len == 0 {
            return Err(bad("instruction of no words"));
        }
        let inst = words
            .get(at + 1..at + len)
            .ok_or(bad("instruction runs over the end"))?;
        let need = |n: usize| {
            if inst.len() < n {
                Err(bad("instruction is too short"))
            } else {
                Ok(())
            }
        };
        t.interface.instruction(code, inst, at)?;
        match code {
            opcode::STRING => {
                need(2)?;
                t.strings.insert(inst[0], (at, &inst[1..]));
            }
            opcode::EXT_INST_IMPORT => {
                need(2)?;
                let name = text(&inst[1..], at)?;
                if let Some(version) = name.strip_prefix(CLSPV_SET_PREFIX) {
                    let version: u32 = version.parse().map_err(|_| bad("revision is not a number"))?;
                    if version > REVISION {
                        return Err(ReflectionError::Newer(version));
                    }
                    t.clspv = Some(inst[0]);
                } else if name == CALDERA_SET {
                    t.caldera = Some(inst[0]);
                }
            }
            opcode::TYPE_INT => {
                need(3)?;
                if inst[1] == 32 {
                    t.int32.insert(inst[0]);
                }
            }
            opcode::CONSTANT => {
                need(3)?;
                if t.int32.contains(&inst[0]) {
                    t.numbers.insert(inst[1], inst[2]);
                }
            }
            opcode::FUNCTION => {
                need(4)?;
                t.functions.insert(inst[1]);
            }
            // BuiltIn WorkgroupId, BuiltIn GlobalInvocationId
            opcode::DECORATE => {
                t.asks_place |= inst.get(1) == Some(&11) && matches!(inst.get(2), Some(26 | 28))
            }
            opcode::LOOP_MERGE => t.loops = true,
            opcode::VARIABLE => {
                need(3)?;
                t.variables.insert(inst[1]);
            }
            opcode::EXT_INST => {
                need(4)?;
                t.calls.push((at, inst[1], inst[2], inst[3], &inst[4..]));
            }
            _ => {}
        }
        at += len;
    }
    Ok(t)
}

/// A reflection instruction, with access to the values of its operands.
pub(super) struct Call<'a, 'w> {
    tables: &'a Tables<'w>,
    pub(super) op: Op,
    /// The instruction if it is one of our own set; `op` is then meaningless.
    own: Option<CalderaOp>,
    at: usize,
    pub(super) args: &'w [u32],
}

impl<'a, 'w> Call<'a, 'w> {
    pub(super) fn new(tables: &'a Tables<'w>, op: Op, at: usize, args: &'w [u32]) -> Self {
        Call {
            tables,
            op,
            own: None,
            at,
            args,
        }
    }
}

impl Call<'_, '_> {
    fn bad(&self, what: &'static str) -> ReflectionError {
        ReflectionError::Operand {
            op: self.own.map_or(self.op.name(), CalderaOp::name),
            at: self.at,
            what,
        }
    }

    fn check_count(&self) -> Result<(), ReflectionError> {
        let (required, optional, rest) = self.op.shape();
        if self.args.len() < required.len() {
            return Err(self.bad("too few operands"));
        }
        if rest.is_none() && self.args.len() > required.len() + optional.len() {
            return Err(self.bad("too many operands"));
        }
        Ok(())
    }

    fn check_kinds(
        &self,
        kernels: &HashMap<u32, usize>,
        infos: &HashMap<u32, ArgInfo>,
    ) -> Result<(), ReflectionError> {
        let (required, optional, rest) = self.op.shape();
        let shapes = required.iter().chain(optional).copied();
        for (&id, shape) in self
            .args
            .iter()
            .zip(shapes.chain(std::iter::repeat(rest.unwrap_or(Shape::Number))))
        {
            let ok = match shape {
                Shape::Function => self.tables.functions.contains(&id),
                Shape::Kernel => kernels.contains_key(&id),
                Shape::Info => infos.contains_key(&id),
                Shape::Text => self.tables.strings.contains_key(&id),
                Shape::Number => self.tables.numbers.contains_key(&id),
                Shape::Variable => self.tables.variables.contains(&id),
            };
            if !ok {
                return Err(self.bad(match shape {
                    Shape::Function => "operand is not a function",
                    Shape::Kernel => "operand is not a Kernel instruction",
                    Shape::Info => "operand is not an ArgumentInfo instruction",
                    Shape::Text => "operand is not an OpString",
                    Shape::Number => "operand is not a 32-bit constant",
                    Shape::Variable => "operand is not a variable",
                }));
            }
        }
        Ok(())
    }

    fn id(&self, n: usize) -> Result<u32, ReflectionError> {
        self.args
            .get(n)
            .copied()
            .ok_or_else(|| self.bad("too few operands"))
    }

    pub(super) fn number(&self, n: usize) -> Result<u32, ReflectionError> {
        let id = self.id(n)?;
        let value = self.tables.numbers.get(&id).copied();
        value.ok_or_else(|| self.bad("operand is not a 32-bit constant"))
    }

    fn optional_number(&self, n: usize) -> Result<Option<u32>, ReflectionError> {
        if n < self.args.len() {
            self.number(n).map(Some)
        } else {
            Ok(None)
        }
    }

    pub(super) fn text(&self, n: usize) -> Result<String, ReflectionError> {
        let id = self.id(n)?;
        let (at, words) = self
            .tables
            .strings
            .get(&id)
            .ok_or_else(|| self.bad("operand is not an OpString"))?;
        text(words, *at)
    }

    fn optional_text(&self, n: usize) -> Result<Option<String>, ReflectionError> {
        if n < self.args.len() {
            self.text(n).map(Some)
        } else {
            Ok(None)
        }
    }

    fn three(&self, first: usize) -> Result<[u32; 3], ReflectionError> {
        Ok([
            self.number(first)?,
            self.number(first + 1)?,
            self.number(first + 2)?,
        ])
    }

    pub(super) fn descriptor(&self, first: usize) -> Result<Descriptor, ReflectionError> {
        let (set, binding) = (self.number(first)?, self.number(first + 1)?);
        // An argument has at most two descriptors. The bound matters because drivers allocate tables up to
        // the highest binding.
        if set >= MAX_ARGS || binding > 2 * MAX_ARGS {
            return Err(self.bad("descriptor is out of range"));
        }
        Ok(Descriptor { set, binding })
    }

    /// Reads the size of the printf buffer.
    fn buffer_size(&self, n: usize) -> Result<u32, ReflectionError> {
        let size = self.number(n)?;
        if !(8..=1 << 28).contains(&size) {
            return Err(self.bad("size is out of range"));
        }
        Ok(size)
    }

    /// Reads the size of an element.
    fn elem_size(&self, n: usize) -> Result<u32, ReflectionError> {
        let size = self.number(n)?;
        if size > 1 << 28 {
            return Err(self.bad("size is out of range"));
        }
        Ok(size)
    }

    fn push(&self, first: usize) -> Result<PushRange, ReflectionError> {
        let (offset, size) = self.range(first)?;
        Ok(PushRange { offset, size })
    }

    fn range(&self, first: usize) -> Result<(u32, u32), ReflectionError> {
        let (offset, size) = (self.number(first)?, self.number(first + 1)?);
        // This is far above any device's limits, and ensures that sums of offsets and sizes cannot overflow.
        if offset > 1 << 28 || size > 1 << 28 {
            return Err(self.bad("offset or size is out of range"));
        }
        Ok((offset, size))
    }

    fn uniform(&self, first: usize) -> Result<Place, ReflectionError> {
        let at = self.descriptor(first)?;
        let (offset, size) = self.range(first + 2)?;
        Ok(Place::Uniform { at, offset, size })
    }

    fn hex(&self, n: usize) -> Result<Vec<u8>, ReflectionError> {
        let text = self.text(n)?;
        let digit = |&b: &u8| char::from(b).to_digit(16);
        if !text.as_bytes().iter().all(|b| digit(b).is_some()) {
            return Err(self.bad("data is not hexadecimal"));
        }
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if !rest.is_empty() {
            return Err(self.bad("data has an odd number of digits"));
        }
        let byte = |[high, low]: &[u8; 2]| Some((digit(high)? << 4 | digit(low)?) as u8);
        Ok(pairs.iter().filter_map(byte).collect())
    }
}

/// The state of the second pass.
#[derive(Default)]
struct Reader {
    out: Reflection,
    kernels: HashMap<u32, usize>,
    functions: Vec<u32>,
    infos: HashMap<u32, ArgInfo>,
    /// The kernel and ordinal of each sampler argument for which clspv's mapping binds the normalized
    /// sampler.
    normalized: Vec<(u32, u32)>,
}

/// Reads a module's reflection.
pub fn read(words: &[u32]) -> Result<Reflection, ReflectionError> {
    let tables = collect(words)?;
    let set = tables.clspv.ok_or(ReflectionError::Missing)?;
    let mut r = Reader::default();
    for &(at, result, call_set, number, args) in &tables.calls {
        if call_set == set {
            let op = Op::from_number(number).ok_or(ReflectionError::UnknownInstruction { number, at })?;
            let call = Call::new(&tables, op, at, args);
            call.check_count()?;
            call.check_kinds(&r.kernels, &r.infos)?;
            r.instruction(&call, result)?;
        } else if Some(call_set) == tables.caldera
            && let Some(op) = CalderaOp::from_number(number)
        {
            // Newer instructions of our own set are hints that an older reader can ignore.
            let call = Call {
                tables: &tables,
                op: Op::Kernel,
                own: Some(op),
                at,
                args,
            };
            r.own_instruction(op, &call)?;
        }
    }
    for (kernel, ordinal) in std::mem::take(&mut r.normalized) {
        let kernel = r.kernels.get(&kernel).map(|&k| &mut r.out.kernels[k]);
        if let Some(arg) = kernel.and_then(|k| k.args.get_mut(ordinal as usize))
            && let Some(Binding::Sampler(at)) = arg.binding
        {
            arg.binding = Some(Binding::NormalizedSampler(at));
        }
    }
    for (kernel, &function) in r.out.kernels.iter_mut().zip(&r.functions) {
        let sized = r.out.spec.workgroup_size.is_some();
        check::kernel(
            kernel,
            function,
            sized,
            &tables.interface,
            &r.out.workgroup_variables,
        )?;
    }
    check::spec_ids(&r.out)?;
    if r.out.program_variables.is_some() && !r.out.kernels.iter().any(|k| k.variables) {
        // The module is another compiler's, which does not state what uses the variables.
        r.out.kernels.iter_mut().for_each(|k| k.variables = true);
    }
    r.out.asks_place = tables.asks_place;
    r.out.straight = !tables.loops;
    Ok(r.out)
}

impl Reader {
    fn kernel(&mut self, call: &Call<'_, '_>) -> Result<&mut Kernel, ReflectionError> {
        let id = call.id(0)?;
        let index = *self
            .kernels
            .get(&id)
            .ok_or_else(|| call.bad("operand is not a Kernel instruction"))?;
        Ok(&mut self.out.kernels[index])
    }

    /// Returns the argument that operands `at[0]` (kernel) and `at[1]` (ordinal) identify.
    fn arg(&mut self, call: &Call<'_, '_>, at: &[usize; 2]) -> Result<&mut Arg, ReflectionError> {
        debug_assert_eq!(at[0], 0);
        let ordinal = call.number(at[1])?;
        if ordinal >= MAX_ARGS {
            return Err(call.bad("ordinal is out of range"));
        }
        let kernel = self.kernel(call)?;
        if kernel.args.len() <= ordinal as usize {
            kernel.args.resize(ordinal as usize + 1, Arg::default());
        }
        Ok(&mut kernel.args[ordinal as usize])
    }

    /// Sets the argument's binding, and its information if operand `info` is present.
    fn bind(&mut self, call: &Call<'_, '_>, binding: Binding, info: usize) -> Result<(), ReflectionError> {
        let info = match call.args.get(info) {
            Some(id) => self.infos.get(id).cloned(),
            None => None,
        };
        let arg = self.arg(call, &[0, 1])?;
        arg.binding = Some(match (arg.binding, binding) {
            (None, b) => b,
            (
                Some(Binding::Workgroup {
                    spec_id,
                    elem_size,
                    offset: None,
                }),
                Binding::Pod(place),
            )
            | (
                Some(Binding::Pod(place)),
                Binding::Workgroup {
                    spec_id,
                    elem_size,
                    offset: None,
                },
            ) => Binding::Workgroup {
                spec_id,
                elem_size,
                offset: Some(place),
            },
            (Some(_), _) => return Err(call.bad("the argument is bound twice")),
        });
        if info.is_some() {
            arg.info = info;
        }
        Ok(())
    }

    /// Adds data for a location. Several instructions with the same location are concatenated, because one
    /// OpString holds at most 128 KiB of data.
    fn data(
        &self,
        old: Option<ProgramData>,
        call: &Call<'_, '_>,
        place: DataPlace,
    ) -> Result<Option<ProgramData>, ReflectionError> {
        let bytes = call.hex(2)?;
        match old {
            None => Ok(Some(ProgramData { place, bytes })),
            Some(mut d) if d.place == place => {
                d.bytes.extend(bytes);
                Ok(Some(d))
            }
            Some(_) => Err(call.bad("data is in two places")),
        }
    }

    #[allow(clippy::too_many_lines, reason = "a table with one row for each instruction")]
    fn instruction(&mut self, call: &Call<'_, '_>, result: u32) -> Result<(), ReflectionError> {
        match call.op {
            Op::Kernel => {
                let count = call.optional_number(2)?.unwrap_or(0);
                if count > MAX_ARGS {
                    return Err(call.bad("too many arguments"));
                }
                let kernel = Kernel {
                    name: call.text(1)?,
                    function: call.id(0)?,
                    args: vec![Arg::default(); count as usize],
                    printf: call.optional_number(3)?.unwrap_or(0) & 1 != 0,
                    attributes: call.optional_text(4)?.unwrap_or_default(),
                    ..Kernel::default()
                };
                self.kernels.insert(result, self.out.kernels.len());
                self.functions.push(call.id(0)?);
                self.out.kernels.push(kernel);
            }
            Op::ArgumentInfo => {
                let info = ArgInfo {
                    name: call.text(0)?,
                    type_name: call.optional_text(1)?,
                    address_qualifier: call.optional_number(2)?,
                    access_qualifier: call.optional_number(3)?,
                    type_qualifier: call.optional_number(4)?,
                };
                self.infos.insert(result, info);
            }
            Op::ArgumentStorageBuffer => self.bind(call, Binding::StorageBuffer(call.descriptor(2)?), 4)?,
            Op::ArgumentUniform => self.bind(call, Binding::UniformBuffer(call.descriptor(2)?), 4)?,
            Op::ArgumentPodStorageBuffer => {
                let at = call.descriptor(2)?;
                let (offset, size) = call.range(4)?;
                self.bind(call, Binding::Pod(Place::Storage { at, offset, size }), 6)?;
            }
            Op::ArgumentPodUniform => self.bind(call, Binding::Pod(call.uniform(2)?), 6)?,
            Op::ArgumentPodPushConstant => self.bind(call, Binding::Pod(Place::Push(call.push(2)?)), 4)?,
            Op::ArgumentSampledImage => self.bind(call, Binding::SampledImage(call.descriptor(2)?), 4)?,
            Op::ArgumentStorageImage => self.bind(call, Binding::StorageImage(call.descriptor(2)?), 4)?,
            Op::ArgumentSampler => self.bind(call, Binding::Sampler(call.descriptor(2)?), 4)?,
            Op::ArgumentWorkgroup => {
                let binding = Binding::Workgroup {
                    spec_id: call.number(2)?,
                    elem_size: call.elem_size(3)?,
                    offset: None,
                };
                self.bind(call, binding, 4)?;
            }
            Op::SpecConstantWorkgroupSize => self.out.spec.workgroup_size = Some(call.three(0)?),
            Op::SpecConstantGlobalOffset => self.out.spec.global_offset = Some(call.three(0)?),
            Op::SpecConstantWorkDim => self.out.spec.work_dim = Some(call.number(0)?),
            Op::PushConstantGlobalOffset => self.out.push.global_offset = Some(call.push(0)?),
            Op::PushConstantEnqueuedLocalSize => self.out.push.enqueued_local_size = Some(call.push(0)?),
            Op::PushConstantGlobalSize => self.out.push.global_size = Some(call.push(0)?),
            Op::PushConstantRegionOffset => self.out.push.region_offset = Some(call.push(0)?),
            Op::PushConstantNumWorkgroups => self.out.push.num_workgroups = Some(call.push(0)?),
            Op::PushConstantRegionGroupOffset => self.out.push.region_group_offset = Some(call.push(0)?),
            Op::ConstantDataStorageBuffer => {
                let place = DataPlace::StorageBuffer(call.descriptor(0)?);
                let old = self.out.constant_data.take();
                self.out.constant_data = self.data(old, call, place)?;
            }
            Op::ConstantDataUniform => {
                let place = DataPlace::UniformBuffer(call.descriptor(0)?);
                let old = self.out.constant_data.take();
                self.out.constant_data = self.data(old, call, place)?;
            }
            Op::LiteralSampler => self.out.literal_samplers.push(LiteralSampler {
                at: call.descriptor(0)?,
                mask: call.number(2)?,
            }),
            Op::PropertyRequiredWorkgroupSize => {
                let size = call.three(1)?;
                self.kernel(call)?.required_size = Some(size);
            }
            Op::SpecConstantSubgroupMaxSize => self.out.spec.subgroup_max_size = Some(call.number(0)?),
            Op::ArgumentPointerPushConstant => {
                self.bind(call, Binding::Pointer(Place::Push(call.push(2)?)), 4)?;
            }
            Op::ArgumentPointerUniform => self.bind(call, Binding::Pointer(call.uniform(2)?), 6)?,
            Op::ProgramScopeVariablesStorageBuffer => {
                let place = DataPlace::StorageBuffer(call.descriptor(0)?);
                let old = self.out.program_variables.take();
                self.out.program_variables = self.data(old, call, place)?;
            }
            Op::ProgramScopeVariablePointerRelocation => self.out.relocations.push(Relocation {
                object_offset: call.number(0)?,
                pointer_offset: call.number(1)?,
                pointer_size: call.number(2)?,
            }),
            Op::ImageArgumentInfoChannelOrderPushConstant => {
                let place = Place::Push(call.push(2)?);
                self.arg(call, &[0, 1])?.channel_order = Some(place);
            }
            Op::ImageArgumentInfoChannelDataTypePushConstant => {
                let place = Place::Push(call.push(2)?);
                self.arg(call, &[0, 1])?.channel_data_type = Some(place);
            }
            Op::ImageArgumentInfoChannelOrderUniform => {
                let place = call.uniform(2)?;
                self.arg(call, &[0, 1])?.channel_order = Some(place);
            }
            Op::ImageArgumentInfoChannelDataTypeUniform => {
                let place = call.uniform(2)?;
                self.arg(call, &[0, 1])?.channel_data_type = Some(place);
            }
            Op::ArgumentStorageTexelBuffer => {
                self.bind(call, Binding::StorageTexelBuffer(call.descriptor(2)?), 4)?
            }
            Op::ArgumentUniformTexelBuffer => {
                self.bind(call, Binding::UniformTexelBuffer(call.descriptor(2)?), 4)?
            }
            Op::ConstantDataPointerPushConstant => {
                let place = DataPlace::PointerPush(call.push(0)?);
                let old = self.out.constant_data.take();
                self.out.constant_data = self.data(old, call, place)?;
            }
            Op::ProgramScopeVariablePointerPushConstant => {
                let place = DataPlace::PointerPush(call.push(0)?);
                let old = self.out.program_variables.take();
                self.out.program_variables = self.data(old, call, place)?;
            }
            Op::PrintfInfo => {
                let arg_sizes = (2..call.args.len()).map(|n| call.number(n));
                let format = PrintfFormat {
                    id: call.number(0)?,
                    format: call.text(1)?,
                    arg_sizes: arg_sizes.collect::<Result<_, _>>()?,
                };
                self.out.printf_formats.push(format);
            }
            Op::PrintfBufferStorageBuffer => {
                self.out.printf_buffer = Some(PrintfBuffer {
                    place: DataPlace::StorageBuffer(call.descriptor(0)?),
                    size: call.buffer_size(2)?,
                });
            }
            Op::PrintfBufferPointerPushConstant => {
                self.out.printf_buffer = Some(PrintfBuffer {
                    place: DataPlace::PointerPush(call.push(0)?),
                    size: call.buffer_size(2)?,
                });
            }
            Op::NormalizedSamplerMaskPushConstant => {
                let place = Place::Push(call.push(2)?);
                self.arg(call, &[0, 1])?.sampler_mask = Some(place);
                self.normalized.push((call.id(0)?, call.number(1)?));
            }
            Op::WorkgroupVariableSize => self.out.workgroup_variables.push((call.id(0)?, call.number(1)?)),
        }
        Ok(())
    }

    /// Handles an instruction of Caldera's set.
    fn own_instruction(&mut self, op: CalderaOp, call: &Call<'_, '_>) -> Result<(), ReflectionError> {
        let numbers = op.numbers();
        if call.args.len() != numbers + 1 {
            return Err(call.bad("wrong number of operands"));
        }
        match op {
            CalderaOp::ArgumentUse => {
                let flags = call.number(2)?;
                self.arg(call, &[0, 1])?.uses = MemoryUse {
                    read: flags & 1 != 0,
                    written: flags & 2 != 0,
                    escapes: flags & 4 != 0,
                };
            }
            CalderaOp::KernelUngrouped => self.kernel(call)?.ungrouped = true,
            CalderaOp::KernelPacking => {
                let packing = match call.number(1)? {
                    0 => Packing::Size,
                    first if first > u32::MAX - 2 => return Err(call.bad("a SpecId is out of range")),
                    first => Packing::Constants([first, first + 1, first + 2]),
                };
                self.kernel(call)?.packing = Some(packing);
            }
            CalderaOp::KernelUneven => self.kernel(call)?.uneven = true,
            CalderaOp::KernelAnyMemory => self.kernel(call)?.any_memory = true,
            CalderaOp::KernelDataAlignment => {
                let align = call.number(1)?;
                if !align.is_power_of_two() {
                    return Err(call.bad("the alignment is not a power of two"));
                }
                self.out.data_align = self.out.data_align.max(align);
            }
            CalderaOp::KernelVariables => {
                self.kernel(call)?.variables = true;
                self.out.variables_size = self.out.variables_size.max(call.number(1)?);
                self.out.variables_bytes = self.out.variables_bytes.max(call.number(2)?);
            }
            CalderaOp::KernelSubgroups => {
                let numbers = [call.number(1)?, call.number(2)?, call.number(3)?];
                self.kernel(call)?.subgroups = RequiredSubgroups::of(numbers);
            }
            CalderaOp::KernelArena => self.kernel(call)?.has_arena = true,
            CalderaOp::KernelLocalApart => self.kernel(call)?.local_apart = call.number(1)?,
            CalderaOp::KernelScratch => {
                let (place, bytes) = (call.push(1)?, call.number(3)?);
                self.kernel(call)?.scratch = Some(Scratch { place, bytes });
            }
            CalderaOp::KernelEndedLoops => {
                let place = DataPlace::PointerPush(call.push(1)?);
                self.kernel(call)?.ended_loops = Some(place);
            }
            CalderaOp::KernelEndedLoopsStorageBuffer => {
                let place = DataPlace::StorageBuffer(call.descriptor(1)?);
                self.kernel(call)?.ended_loops = Some(place);
            }
            CalderaOp::KernelChecks => {
                let area = Area {
                    sizes: call.buffer_size(1)?,
                    counters: call.buffer_size(2)?,
                    allocations: call.buffer_size(3)?,
                    unit: call.number(4)?,
                };
                if area.sizes > area.counters || area.counters > area.allocations {
                    return Err(call.bad("the parts are not in order"));
                }
                self.kernel(call)?.checks = Some(area);
            }
            CalderaOp::ArgumentSamplerMaskPushConstant => {
                let place = Place::Push(call.push(2)?);
                self.arg(call, &[0, 1])?.sampler_mask = Some(place);
            }
            CalderaOp::ArgumentSamplerMaskUniform => {
                let place = call.uniform(2)?;
                self.arg(call, &[0, 1])?.sampler_mask = Some(place);
            }
            CalderaOp::ArgumentNotNullPushConstant => {
                let place = Place::Push(call.push(2)?);
                self.arg(call, &[0, 1])?.not_null = Some(place);
            }
            CalderaOp::ArgumentNormalizedSampler => {
                let at = call.descriptor(2)?;
                self.arg(call, &[0, 1])?.normalized_sampler = Some(at);
            }
            CalderaOp::ArgumentImageType => {
                let ty = call.number(2)?;
                self.arg(call, &[0, 1])?.image_type = Some(ty);
            }
        }
        Ok(())
    }
}
