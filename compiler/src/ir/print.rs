//! The text form of modules: `Display`. [`super::parse`] reads it back; `docs/ir.md` has the grammar.
//!
//! Values and labels are numbered in the order of the text, so equal functions print equally regardless of
//! how they were built. Source positions are not printed.

use super::names::Named;
use super::{
    Access, ArgKind, ArgLocation, Const, ConstantData, FpFlags, Func, Function, GlobalData, Inst, InstData,
    KernelAbi, KernelArg, KernelInfo, Linkage, MemoryObject, Module, ModuleSlots, Op, Region,
    RequiredSubgroups, Scalar, SystemPush, Ty, Unroll, Value,
};
use crate::check::Area;
use std::fmt::{self, Display, Write};

impl Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, s) in self.strings.iter().enumerate() {
            writeln!(f, "string {i} {}", Quoted(s))?;
        }
        for (g, data) in self.globals.iter() {
            write!(f, "global {g} ")?;
            write_global(f, data)?;
        }
        for (id, function) in self.funcs.iter() {
            if self.undefined.contains(&id) {
                write_header(f, "declare", id, function, &mut Names::new(function))?;
                writeln!(f)?;
            } else {
                FunctionPrinter::new(function).print(f, id)?;
            }
        }
        for (i, k) in self.kernels.iter().enumerate() {
            write_kernel(f, k, self.abi.get(i))?;
        }
        if self.constant_data != ConstantData::default() {
            write!(f, "constants {}", Quoted(&self.constant_data.bytes))?;
            if self.constant_data.size != 0 {
                let data = &self.constant_data;
                write!(f, " size {} variables {}", data.size, data.variables)?;
            }
            if self.constant_data.align != 0 {
                write!(f, " align {}", self.constant_data.align)?;
            }
            for (at, to) in &self.constant_data.relocations {
                write!(f, " reloc {at} {to}")?;
            }
            writeln!(f)?;
        }
        if self.system != SystemPush::default() {
            write_system(f, &self.system)?;
        }
        for entry in &self.printf.entries {
            write!(f, "printf {}", Quoted(&entry.text))?;
            for size in &entry.sizes {
                write!(f, " {size}")?;
            }
            writeln!(f)?;
        }
        for func in &self.printf.kernels {
            writeln!(f, "prints {func}")?;
        }
        if let Some(Area {
            sizes,
            counters,
            allocations,
            unit,
        }) = self.printf.checks
        {
            writeln!(f, "checks {sizes} {counters} {allocations} {unit}")?;
        }
        for mask in &self.literal_samplers {
            writeln!(f, "sampler {}", mask.0)?;
        }
        if self.slots != ModuleSlots::default() {
            write!(f, "slots samplers {}", self.slots.literal_samplers)?;
            for (name, slot) in [("constants", self.slots.constants), ("printf", self.slots.printf)] {
                if let Some(slot) = slot {
                    write!(f, " {name} {} {}", slot.set, slot.binding)?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Prints the function as text, with an arbitrary number as its name.
impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FunctionPrinter::new(self).print(f, Func(0))
    }
}

/// Returns the text of one instruction as it appears in the text of its function, for error messages.
pub fn inst_text(func: &Function, inst: Inst) -> String {
    let mut text = String::new();
    let mut printer = FunctionPrinter::new(func);
    printer.wanted = Some(inst);
    let printed = printer.print(&mut text, Func(0));
    debug_assert!(printed.is_ok(), "a String takes all text");
    match printer.found {
        Some(at) => text[at..].lines().next().unwrap_or("").trim().to_owned(),
        None => format!("{} (in no region): {:?}", inst, func.insts[inst].op),
    }
}

/// A string literal.
struct Quoted<'a>(&'a [u8]);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for &b in self.0 {
            match b {
                b'"' => f.write_str("\\\"")?,
                b'\\' => f.write_str("\\\\")?,
                b'\n' => f.write_str("\\n")?,
                0x20..=0x7e => f.write_char(char::from(b))?,
                0..=0x1f | 0x7f..=0xff => write!(f, "\\{b:02x}")?,
            }
        }
        f.write_char('"')
    }
}

fn write_global(f: &mut fmt::Formatter<'_>, g: &GlobalData) -> fmt::Result {
    let linkage = if g.linkage == Linkage::Static {
        "static "
    } else {
        ""
    };
    write!(
        f,
        "{} {linkage}{} size {} align {}",
        Quoted(g.name.as_bytes()),
        g.space,
        g.size,
        g.align
    )?;
    if let Some(init) = &g.init {
        write!(f, " init {}", Quoted(&init.bytes))?;
        for (at, target, offset) in &init.relocations {
            write!(f, " reloc {at} {target} {offset}")?;
        }
    }
    writeln!(f)
}

/// The numbers of values and labels in the text.
struct Names {
    values: Vec<u32>,
    next_value: u32,
    labels: Vec<u32>,
    next_label: u32,
}

impl Names {
    fn new(func: &Function) -> Self {
        Names {
            values: vec![u32::MAX; func.values.len()],
            next_value: 0,
            labels: vec![u32::MAX; func.insts.len()],
            next_label: 0,
        }
    }
    fn value(&mut self, v: Value) -> u32 {
        let slot = &mut self.values[v.0 as usize];
        if *slot == u32::MAX {
            *slot = self.next_value;
            self.next_value += 1;
        }
        *slot
    }
    fn label(&mut self, i: Inst) -> u32 {
        let slot = &mut self.labels[i.0 as usize];
        if *slot == u32::MAX {
            *slot = self.next_label;
            self.next_label += 1;
        }
        *slot
    }
}

fn write_header(f: &mut dyn Write, word: &str, id: Func, func: &Function, names: &mut Names) -> fmt::Result {
    write!(f, "{word} {id} {}(", Quoted(func.name.as_bytes()))?;
    for (i, &p) in func.params.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}%v{}: {}", names.value(p), func.ty(p))?;
    }
    write!(f, ")")?;
    for (i, result) in func.results.iter().enumerate() {
        let before = if i == 0 { " ->" } else { "," };
        write!(f, "{before} {result}")?;
    }
    Ok(())
}

/// A region that is being printed: the index of the next instruction, and the structured instruction that
/// owns the region.
struct Frame {
    region: Region,
    next: usize,
    owner: Option<(Inst, usize)>,
}

struct FunctionPrinter<'a> {
    func: &'a Function,
    names: Names,
    wanted: Option<Inst>,
    found: Option<usize>,
}

/// Counts the characters that are written through it.
struct Counted<'a> {
    out: &'a mut dyn Write,
    written: usize,
}

impl Write for Counted<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.written += s.len();
        self.out.write_str(s)
    }
}

impl<'a> FunctionPrinter<'a> {
    fn new(func: &'a Function) -> Self {
        FunctionPrinter {
            func,
            names: Names::new(func),
            wanted: None,
            found: None,
        }
    }

    fn print(&mut self, out: &mut dyn Write, id: Func) -> fmt::Result {
        let f = &mut Counted { out, written: 0 };
        write_header(f, self.func.linkage.word(), id, self.func, &mut self.names)?;
        writeln!(f, " {{")?;
        let func = self.func;
        let mut stack = vec![Frame {
            region: func.body,
            next: 0,
            owner: None,
        }];
        while let Some(frame) = stack.last_mut() {
            if let Some(&inst) = func.regions[frame.region].insts.get(frame.next) {
                frame.next += 1;
                let depth = stack.len();
                indent(f, depth)?;
                if self.wanted == Some(inst) {
                    self.found = Some(f.written);
                }
                self.inst(f, inst)?;
                let data = &func.insts[inst];
                if data.op.is_structured() && !data.regions.is_empty() {
                    self.open(f, inst, 0, depth)?;
                    stack.push(Frame {
                        region: data.regions[0],
                        next: 0,
                        owner: Some((inst, 0)),
                    });
                } else {
                    writeln!(f)?;
                }
                continue;
            }
            let owner = frame.owner;
            stack.pop();
            let depth = stack.len();
            indent(f, depth)?;
            let Some((inst, number)) = owner else {
                break;
            };
            let data = &func.insts[inst];
            if let Some(&region) = data.regions.get(number + 1) {
                self.open(f, inst, number + 1, depth)?;
                stack.push(Frame {
                    region,
                    next: 0,
                    owner: Some((inst, number + 1)),
                });
            } else {
                writeln!(f, "}}")?;
            }
        }
        writeln!(f, "}}")
    }

    /// Prints the text between an instruction (or its previous region) and its region number `number`. The
    /// indentation is already written.
    fn open(&mut self, f: &mut dyn Write, inst: Inst, number: usize, depth: usize) -> fmt::Result {
        let data = &self.func.insts[inst];
        match &data.op {
            Op::Switch(cases) => {
                if number == 0 {
                    write!(f, " {{")?;
                } else {
                    write!(f, "}}")?;
                }
                match cases.get(number) {
                    Some(values) => {
                        write!(f, " case")?;
                        for (i, v) in values.iter().enumerate() {
                            write!(f, "{} {v}", if i == 0 { "" } else { "," })?;
                        }
                    }
                    None => write!(f, " default")?,
                }
                writeln!(f, ":")
            }
            Op::If if number == 1 => writeln!(f, "}} else {{"),
            Op::Loop => {
                write!(f, " (")?;
                let args = &self.func.regions[data.regions[0]].args;
                for i in 0..args.len().max(data.args.len()) {
                    write!(f, "{}", if i == 0 { "" } else { ", " })?;
                    if let Some(&arg) = args.get(i) {
                        write!(f, "%v{}: {} = ", self.names.value(arg), self.func.ty(arg))?;
                    }
                    if let Some(&init) = data.args.get(i) {
                        self.operand(f, init)?;
                    }
                }
                writeln!(f, ") {{")
            }
            _ => {
                debug_assert!(depth > 0, "regions are inside the function");
                writeln!(f, " {{")
            }
        }
    }

    fn operand(&mut self, f: &mut dyn Write, v: Value) -> fmt::Result {
        match self.func.as_const(v) {
            Some(c) => write_const(f, self.func.ty(v), c),
            None => write!(f, "%v{}", self.names.value(v)),
        }
    }

    fn operands(&mut self, f: &mut dyn Write, values: &[Value]) -> fmt::Result {
        for (i, &v) in values.iter().enumerate() {
            write!(f, "{}", if i == 0 { " " } else { ", " })?;
            self.operand(f, v)?;
        }
        Ok(())
    }

    /// Prints an instruction without its regions.
    fn inst(&mut self, f: &mut dyn Write, inst: Inst) -> fmt::Result {
        let data: &InstData = &self.func.insts[inst];
        for (i, &r) in data.results.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}%v{}: {}", self.names.value(r), self.func.ty(r))?;
        }
        if !data.results.is_empty() {
            write!(f, " = ")?;
        }
        match &data.op {
            Op::Binary(op) => f.write_str(op.name())?,
            Op::Unary(op) => f.write_str(op.name())?,
            Op::Compare(op) => f.write_str(op.name())?,
            Op::Cast(op) => f.write_str(op.name())?,
            Op::Select => f.write_str("Select")?,
            Op::Construct => f.write_str("CompositeConstruct")?,
            Op::Splat => f.write_str("splat")?,
            Op::Extract(lane) => write!(f, "extract {lane}")?,
            Op::ExtractDynamic => f.write_str("VectorExtractDynamic")?,
            Op::Insert(lane) => write!(f, "insert {lane}")?,
            Op::InsertDynamic => f.write_str("VectorInsertDynamic")?,
            Op::Shuffle(mask) => {
                f.write_str("VectorShuffle [")?;
                for (i, lane) in mask.iter().enumerate() {
                    write!(f, "{}{lane}", if i == 0 { "" } else { " " })?;
                }
                f.write_char(']')?;
            }
            Op::Alloca { size, align } => write!(f, "alloca size {size} align {align}")?,
            Op::GlobalAddr(g) => write!(f, "global_addr {g}")?,
            Op::PtrAdd => f.write_str("ptr_add")?,
            Op::Load(access) => write!(f, "Load {}", AccessText(*access))?,
            Op::Store(access) => write!(f, "Store {}", AccessText(*access))?,
            Op::MemCpy { size, dst, src } => {
                write!(
                    f,
                    "mem_cpy size {size} dst {} src {}",
                    AccessText(*dst),
                    AccessText(*src)
                )?;
            }
            Op::MemZero { size, dst } => write!(f, "mem_zero size {size} dst {}", AccessText(*dst))?,
            Op::Variable { elem, count } => write!(f, "variable {elem} count {count}")?,
            Op::LoadFrom(storage, access) => write!(f, "load_from {storage} {}", AccessText(*access))?,
            Op::StoreTo(storage, access) => write!(f, "store_to {storage} {}", AccessText(*access))?,
            Op::AtomicOn(op, storage) => write!(f, "atomic_on {} {storage}", op.name())?,
            Op::MatrixOn(access, storage) => {
                let direction = if access.stores { "store" } else { "load" };
                let (memory, element) = (access.memory, access.element);
                write!(f, "matrix_on {direction} {memory} {element} {storage}")?;
            }
            Op::Call(callee) => write!(f, "call {callee}")?,
            Op::CallPure(callee) => write!(f, "call_pure {callee}")?,
            Op::Intrinsic(i) => write!(f, "intrinsic {i}")?,
            Op::Block => write!(f, "block ^b{}", self.names.label(inst))?,
            Op::Loop => {
                write!(f, "loop ^b{}", self.names.label(inst))?;
                return match data.unroll {
                    Unroll::Unsaid => Ok(()),
                    Unroll::Never => f.write_str(" unroll never"),
                    Unroll::Full => f.write_str(" unroll full"),
                    Unroll::By(n) => write!(f, " unroll {n}"),
                    Unroll::Done => f.write_str(" unroll done"),
                };
            }
            Op::If => write!(f, "if ^b{}", self.names.label(inst))?,
            Op::Switch(_) => write!(f, "switch ^b{}", self.names.label(inst))?,
            Op::Exit(target) => write!(f, "exit ^b{}", self.names.label(*target))?,
            Op::Repeat(target) => write!(f, "repeat ^b{}", self.names.label(*target))?,
            Op::Return => f.write_str("Return")?,
            Op::Unreachable => f.write_str("Unreachable")?,
        }
        let FpFlags {
            contract,
            finite,
            no_signed_zeros,
            fast,
            loose,
        } = data.fp;
        if contract {
            f.write_str(" contract")?;
        }
        if finite {
            f.write_str(" finite")?;
        }
        if no_signed_zeros {
            f.write_str(" no_signed_zeros")?;
        }
        if fast {
            f.write_str(" fast")?;
        }
        if loose {
            f.write_str(" loose")?;
        }
        if data.no_wrap {
            f.write_str(" no_wrap")?;
        }
        self.operands(f, &data.args)
    }
}

fn indent(f: &mut dyn Write, depth: usize) -> fmt::Result {
    // Indentation stops at a fixed depth; otherwise the text of deep nests would have quadratic size.
    for _ in 0..depth.min(40) {
        f.write_str("  ")?;
    }
    Ok(())
}

struct AccessText(Access);

impl Display for AccessText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "align {}", self.0.align)?;
        if self.0.volatile {
            f.write_str(" volatile")?;
        }
        Ok(())
    }
}

fn write_const(f: &mut dyn Write, ty: Ty, c: &Const) -> fmt::Result {
    write!(f, "{ty} ")?;
    match c {
        Const::Undef => f.write_str("undef"),
        Const::Bits(lanes) if ty.lanes == 1 && lanes.len() == 1 => write_lane(f, ty.scalar, lanes[0]),
        Const::Bits(lanes) => {
            f.write_char('[')?;
            for (i, &bits) in lanes.iter().enumerate() {
                if i > 0 {
                    f.write_char(' ')?;
                }
                write_lane(f, ty.scalar, bits)?;
            }
            f.write_char(']')
        }
    }
}

/// Prints a float as the shortest decimal that reads back exactly, or as bits if there is none.
fn write_lane(f: &mut dyn Write, scalar: Scalar, bits: u64) -> fmt::Result {
    match scalar {
        Scalar::Bool => f.write_str(if bits == 0 { "false" } else { "true" }),
        Scalar::F32 if f32::from_bits(bits as u32).is_finite() => {
            write!(f, "{:?}", f32::from_bits(bits as u32))
        }
        Scalar::F64 if f64::from_bits(bits).is_finite() => write!(f, "{:?}", f64::from_bits(bits)),
        Scalar::F16 | Scalar::F32 | Scalar::F64 => write!(f, "0x{bits:x}"),
        Scalar::I8 => write!(f, "{}", bits as i8),
        Scalar::I16 => write!(f, "{}", bits as i16),
        Scalar::I32 => write!(f, "{}", bits as i32),
        Scalar::I64 => write!(f, "{}", bits as i64),
        Scalar::Ptr(_) | Scalar::Image | Scalar::Sampler => write!(f, "{bits}"),
        Scalar::Matrix(m) => write_lane(f, m.scalar(), bits),
    }
}

fn write_size3(f: &mut fmt::Formatter<'_>, word: &str, size: Option<[u32; 3]>) -> fmt::Result {
    match size {
        Some([x, y, z]) => writeln!(f, "  {word} {x} {y} {z}"),
        None => Ok(()),
    }
}

fn write_kernel(f: &mut fmt::Formatter<'_>, k: &KernelInfo, abi: Option<&KernelAbi>) -> fmt::Result {
    writeln!(f, "kernel {} {} {{", k.func, Quoted(k.name.as_bytes()))?;
    for a in &k.args {
        write_arg(f, a)?;
    }
    write_size3(f, "required_size", k.required_size)?;
    if k.any_memory {
        writeln!(f, "  any_memory")?;
    }
    if k.uneven {
        writeln!(f, "  uneven")?;
    }
    write_size3(f, "size_hint", k.size_hint)?;
    if k.subgroups != RequiredSubgroups::default() {
        let [size, count, divides] = k.subgroups.numbers();
        writeln!(f, "  subgroups {size} {count} {divides}")?;
    }
    if !k.attributes.is_empty() {
        writeln!(f, "  attributes {}", Quoted(k.attributes.as_bytes()))?;
    }
    if let Some(abi) = abi {
        write_abi(f, abi)?;
    }
    writeln!(f, "}}")
}

/// Writes an argument of a kernel.
fn write_arg(f: &mut fmt::Formatter<'_>, a: &KernelArg) -> fmt::Result {
    write!(
        f,
        "  arg {} {} ",
        Quoted(a.name.as_bytes()),
        Quoted(a.type_name.as_bytes())
    )?;
    match &a.kind {
        ArgKind::Pod { size, align, by_ref } => {
            let word = if *by_ref { "pod_ref" } else { "pod" };
            write!(f, "{word} size {size} align {align}")?;
        }
        ArgKind::Buffer { space, align } => write!(f, "buffer {space} align {align}")?,
        ArgKind::Local { elem_size, align } => write!(f, "local size {elem_size} align {align}")?,
        ArgKind::Image { shape, write } => {
            let word = if *write { "image_write" } else { "image_read" };
            write!(f, "{word} {}", shape.name())?;
        }
        ArgKind::Sampler => f.write_str("sampler")?,
    }
    write!(
        f,
        " address {} access {} qualifier {}",
        a.address_qualifier, a.access_qualifier, a.type_qualifier
    )?;
    let words = [
        (a.restrict, " restrict"),
        (a.uses.read, " read"),
        (a.uses.written, " written"),
        (a.uses.escapes, " escapes"),
    ];
    for (set, word) in words {
        f.write_str(if set { word } else { "" })?;
    }
    writeln!(f)
}

/// Writes where a kernel takes its arguments from.
fn write_abi(f: &mut fmt::Formatter<'_>, abi: &KernelAbi) -> fmt::Result {
    write!(
        f,
        "  abi args_size {} local_fixed {}",
        abi.args_size, abi.local_fixed
    )?;
    if abi.variables {
        write!(f, " variables")?;
    }
    if abi.scratch > 0 {
        write!(f, " scratch {}", abi.scratch)?;
    }
    if abi.ended_loops {
        write!(f, " ended_loops")?;
    }
    writeln!(f)?;
    for location in &abi.args {
        write_location(f, *location)?;
    }
    for fact in &abi.facts {
        let place = if fact.in_args { "args" } else { "push" };
        let (name, arg) = (fact.fact.name(), fact.arg);
        writeln!(f, "  fact {arg} {name} {place} {}", fact.offset)?;
    }
    for (arg, binding) in &abi.normalized {
        writeln!(f, "  normalized {arg} {binding}")?;
    }
    if abi.set > 0 {
        writeln!(f, "  set {}", abi.set)?;
    }
    for object in &abi.objects {
        write_object(f, *object)?;
    }
    Ok(())
}

/// Writes the place of an argument.
fn write_location(f: &mut fmt::Formatter<'_>, location: ArgLocation) -> fmt::Result {
    f.write_str("  location ")?;
    match location {
        ArgLocation::Push { offset, size } => writeln!(f, "push {offset} {size}")?,
        ArgLocation::Args { offset, size } => writeln!(f, "args {offset} {size}")?,
        ArgLocation::PointerPush { offset } => writeln!(f, "pointer_push {offset}")?,
        ArgLocation::PointerArgs { offset } => writeln!(f, "pointer_args {offset}")?,
        ArgLocation::LocalPush { offset, align } => writeln!(f, "local_push {offset} {align}")?,
        ArgLocation::LocalArgs { offset, align } => writeln!(f, "local_args {offset} {align}")?,
        ArgLocation::Image {
            binding,
            shape,
            write,
        } => {
            let word = if write { "image_write" } else { "image_read" };
            writeln!(f, "{word} {binding} {}", shape.name())?;
        }
        ArgLocation::Sampler { binding } => writeln!(f, "sampler {binding}")?,
        ArgLocation::Buffer { slot, uniform } => {
            let word = if uniform { "uniform" } else { "storage" };
            writeln!(f, "{word} {} {}", slot.set, slot.binding)?;
        }
        ArgLocation::PodSlot {
            slot,
            offset,
            size,
            uniform,
        } => {
            let word = if uniform { "pod_uniform" } else { "pod_storage" };
            writeln!(f, "{word} {} {} {offset} {size}", slot.set, slot.binding)?;
        }
        ArgLocation::LocalArray { spec_id, elem_size } => {
            writeln!(f, "local_array {spec_id} {elem_size}")?;
        }
    }
    Ok(())
}

/// Writes a memory object that a kernel can access.
fn write_object(f: &mut fmt::Formatter<'_>, object: MemoryObject) -> fmt::Result {
    f.write_str("  object ")?;
    match object {
        MemoryObject::Printf => writeln!(f, "printf")?,
        MemoryObject::Storage { slot } => writeln!(f, "storage {} {}", slot.set, slot.binding)?,
        MemoryObject::Uniform { slot, bytes } => {
            writeln!(f, "uniform {} {} {bytes}", slot.set, slot.binding)?;
        }
        MemoryObject::LocalArray { spec_id, elem_size } => {
            writeln!(f, "local_array {spec_id} {elem_size}")?;
        }
        MemoryObject::Local(g) => writeln!(f, "local {g}")?,
        MemoryObject::Constants => writeln!(f, "constants")?,
        MemoryObject::Constant(g) => writeln!(f, "constant {g}")?,
        MemoryObject::EndedLoops { slot } => {
            writeln!(f, "ended_loops {} {}", slot.set, slot.binding)?;
        }
    }
    Ok(())
}

fn write_system(f: &mut fmt::Formatter<'_>, s: &SystemPush) -> fmt::Result {
    write!(f, "system size {}", s.size)?;
    let slots = [
        ("global_offset", s.global_offset),
        ("region_offset", s.region_offset),
        ("region_group_offset", s.region_group_offset),
        ("num_workgroups", s.num_workgroups),
        ("global_size", s.global_size),
        ("enqueued_local_size", s.enqueued_local_size),
        ("constant_data", s.constant_data),
        ("printf_buffer", s.printf_buffer),
        ("scratch", s.scratch),
        ("ended_loops", s.ended_loops),
    ];
    for (name, offset) in slots {
        if let Some(offset) = offset {
            write!(f, " {name} {offset}")?;
        }
    }
    if s.wide {
        write!(f, " wide")?;
    }
    writeln!(f, "{}", if s.work_dim { " work_dim" } else { "" })
}
