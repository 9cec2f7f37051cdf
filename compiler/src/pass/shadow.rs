//! Finds the private and local variables whose pointers can be followed from their definition to every access, and gives
//! them shadow memory, in which a check keeps what it knows about their contents. This is not a pass; the passes that
//! check something share it.

use super::check_memory::{argument, sum};
use super::sites::private_object;
use crate::check::{Object, memory, object};
use crate::hash::{HashMap, HashSet};
use crate::intrinsic::{AtomicOp, FenceFlags, Intrinsic};
use crate::ir::{
    Access, AddressSpace, ArgKind, BinOp, Builder, CastOp, CmpOp, Function, Global, GlobalData, Inst,
    KernelInfo, Linkage, Map, Op, Ty, Value, ValueDef,
};
use crate::source::SourceMap;

/// The end of the name of the shadow memory of a local variable, which is not checked itself.
const CHECKED: &str = " (checked)";

/// The reason why the accesses to a variable are not checked.
const FOLLOWED: &str =
    "its address is stored, passes through a loop or a selection, or becomes a generic pointer or a number";
/// The reason why some accesses to the memory of an argument are not checked.
const PARTLY: &str = "accesses through pointers that pass through a loop, a selection or memory";
/// The reason why a local variable has no shadow memory.
const NO_ROOM: &str = "local memory has no room for what the check keeps about it";

/// What a check keeps in shadow memory.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Records of the work-items that access memory which several work-items share. Arguments are followed if the kernel changes
    /// their memory.
    Accesses,
    /// Facts about the contents of memory, also of private and constant memory.
    Contents,
}

/// The memory in which a variable is.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Memory {
    Private(Inst),
    Local(Global),
    /// The memory of an argument, by its ordinal.
    Argument(u32),
}

/// A variable.
struct Variable {
    memory: Memory,
    /// The description of the variable for messages.
    words: String,
    size: u32,
    align: u32,
    /// The size of the smallest scalar that is accessed in it; 1 if some access has no scalars.
    least: u32,
    /// Whether a pointer into it is used for anything but an access, or it has no shadow memory.
    escapes: bool,
    /// The reason why all or some accesses to it are not checked.
    why: Option<&'static str>,
    /// Whether there are stores to it or atomic operations on it.
    stored: bool,
    /// Whether it is compared and exchanged.
    exchanged: bool,
}

/// The place that a pointer points to.
#[derive(Copy, Clone)]
pub(super) struct Place {
    /// The number of the variable.
    pub variable: usize,
    /// The offset in the variable in bytes (i64).
    pub offset: Value,
}

/// The variables of a kernel, and the places of pointers into them.
pub(super) struct Variables {
    list: Vec<Variable>,
    known: HashMap<Memory, usize>,
    /// The variables that pointers point into.
    into: HashMap<Value, usize>,
    offsets: HashMap<Value, Value>,
    /// The shadow memory of variables in private memory.
    private_shadow: HashMap<usize, Value>,
    /// The parameters that are followed, by their ordinals.
    parameters: Vec<(u32, Value)>,
    /// Whether there are stores through pointers that are not followed: to local, and to global memory.
    elsewhere: [bool; 2],
    /// Pointers to memory that the launch supplies for a check.
    supplied: HashSet<Value>,
}

impl Variables {
    /// Follows the pointers of a kernel without calls. `arguments`: also pointers that are arguments of this kernel.
    pub(super) fn new(
        func: &Function,
        globals: &Map<Global, GlobalData>,
        sources: Option<&SourceMap>,
        purpose: Purpose,
        arguments: Option<&KernelInfo>,
    ) -> Variables {
        let mut all = Variables {
            list: Vec::new(),
            known: HashMap::default(),
            into: HashMap::default(),
            offsets: HashMap::default(),
            private_shadow: HashMap::default(),
            parameters: Vec::new(),
            elsewhere: [false; 2],
            supplied: HashSet::default(),
        };
        let arguments = arguments.map_or(&[][..], |kernel| &kernel.args);
        for ((arg, &param), n) in arguments.iter().zip(&func.params).zip(0..) {
            let is_memory = matches!(arg.kind, ArgKind::Buffer { .. } | ArgKind::Local { .. });
            let is_wanted = match func.ty(param).space() {
                Some(AddressSpace::Global | AddressSpace::Local) => true,
                Some(AddressSpace::Constant) => purpose == Purpose::Contents,
                _ => false,
            };
            if is_memory && is_wanted {
                all.add(param, Memory::Argument(n), String::new(), (0, 8));
                all.parameters.push((n, param));
            }
        }
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            let variable = |n: usize| all.into.get(&data.args[n]).copied();
            match data.op {
                Op::Alloca { size, align } if purpose == Purpose::Contents => {
                    let words = private_object(sources, data.span, size);
                    all.add(data.results[0], Memory::Private(inst), words, (size, align));
                }
                Op::GlobalAddr(g)
                    if globals[g].space == AddressSpace::Local && !globals[g].name.ends_with(CHECKED) =>
                {
                    let global = &globals[g];
                    let words = format!("local variable '{}' of {} bytes", global.name, global.size);
                    let extent = (global.size, global.align);
                    all.add(data.results[0], Memory::Local(g), words, extent);
                }
                Op::PtrAdd => {
                    if let Some(v) = variable(0) {
                        all.into.insert(data.results[0], v);
                    } else if all.supplied.contains(&data.args[0]) {
                        all.supplied.insert(data.results[0]);
                    }
                }
                Op::Cast(CastOp::IntToPtr) if is_supplied(func, data.args[0]) => {
                    all.supplied.insert(data.results[0]);
                }
                Op::Load(_) => all.access(func, data.args[0], size_of(func, data.results[0]), false),
                Op::Intrinsic(Intrinsic::Atomic(op)) => {
                    if let (AtomicOp::CmpXchg, Some(v)) = (op, variable(0)) {
                        all.list[v].exchanged = true;
                    }
                    let value = data.results.first().or(data.args.get(1));
                    let size = value.map_or(1, |&v| size_of(func, v));
                    all.access(func, data.args[0], size, op != AtomicOp::Load);
                }
                Op::Store(_) => {
                    all.access(func, data.args[0], size_of(func, data.args[1]), true);
                    all.escape(data.args[1]);
                }
                Op::MemZero { dst, size } => {
                    all.access(func, data.args[0], size_of_copy(dst, size), true);
                }
                Op::MemCpy { dst, src, size } => {
                    all.access(func, data.args[0], size_of_copy(dst, size), true);
                    all.access(func, data.args[1], size_of_copy(src, size), false);
                }
                Op::Compare(_) | Op::Intrinsic(Intrinsic::CopyBegins | Intrinsic::CopiesEnd) => {}
                _ => data.args.iter().for_each(|&arg| all.escape(arg)),
            }
        }
        match purpose {
            Purpose::Accesses => all.leave_out_constant_arguments(func),
            Purpose::Contents => all.leave_out_arguments_changed_elsewhere(func),
        }
        all
    }

    /// Follows no argument whose memory no kernel changes through an argument. Two arguments may have the same memory.
    fn leave_out_constant_arguments(&mut self, func: &Function) {
        let is_global = |param: Value| func.ty(param).space() == Some(AddressSpace::Global);
        let stored: Vec<bool> = self
            .parameters
            .iter()
            .map(|(_, p)| {
                let variable = &self.list[self.into[p]];
                let elsewhere = self.elsewhere[usize::from(is_global(*p))];
                variable.stored || variable.why.is_some() && elsewhere
            })
            .collect();
        let any_global = self
            .parameters
            .iter()
            .zip(&stored)
            .any(|((_, p), s)| is_global(*p) && *s);
        let kept = self
            .parameters
            .clone()
            .into_iter()
            .zip(stored)
            .filter(|((_, p), stored)| {
                let keeps = if is_global(*p) { any_global } else { *stored };
                let variable = self.into[p];
                self.list[variable].escapes = !keeps;
                if !keeps {
                    self.list[variable].why = None;
                }
                keeps
            });
        self.parameters = kept.map(|(parameter, _)| parameter).collect();
    }

    /// Follows no argument whose memory may be changed through pointers that are not followed.
    fn leave_out_arguments_changed_elsewhere(&mut self, func: &Function) {
        for (_, param) in &self.parameters {
            let is_local = func.ty(*param).space() == Some(AddressSpace::Local);
            let variable = &mut self.list[self.into[param]];
            variable.escapes = variable.why.is_some() && self.elsewhere[usize::from(!is_local)];
        }
        let list = &self.list;
        let into = &self.into;
        self.parameters.retain(|(_, param)| !list[into[param]].escapes);
    }

    /// Returns the ordinals of the arguments that are followed.
    pub(super) fn arguments(&self) -> Vec<u32> {
        self.parameters.iter().map(|(n, _)| *n).collect()
    }

    /// Returns whether there are stores to global memory through pointers that are not followed.
    pub(super) fn stores_elsewhere(&self) -> bool {
        self.elsewhere[1]
    }

    /// Returns whether a value is a pointer that is followed.
    pub(super) fn follows(&self, pointer: Value) -> bool {
        self.into.get(&pointer).is_some_and(|&v| !self.list[v].escapes)
    }

    /// Begins to follow the arguments, at the start of the kernel. Returns their ordinals and the numbers of their variables.
    pub(super) fn start_arguments(&mut self, b: &mut Builder<'_>) -> Vec<(u32, usize)> {
        let zero = b.i64(0);
        self.offsets
            .extend(self.parameters.iter().map(|&(_, param)| (param, zero)));
        let parameters = self.parameters.iter();
        parameters.map(|(n, param)| (*n, self.into[param])).collect()
    }

    /// Returns the smallest size of an access to the memory of an argument.
    pub(super) fn least_of_arguments(&self) -> Option<u32> {
        let variables = self.parameters.iter().map(|(_, p)| &self.list[self.into[p]]);
        variables.map(|v| v.least).min()
    }

    /// Returns whether the kernel compares and exchanges the memory of a place.
    pub(super) fn is_exchanged(&self, place: Place) -> bool {
        self.list[place.variable].exchanged
    }

    fn add(&mut self, pointer: Value, memory: Memory, words: String, (size, align): (u32, u32)) {
        let next = self.list.len();
        let at = *self.known.entry(memory).or_insert(next);
        if at == next {
            self.list.push(Variable {
                memory,
                words,
                size,
                align,
                least: 8,
                escapes: false,
                why: None,
                stored: false,
                exchanged: false,
            });
        }
        self.into.insert(pointer, at);
    }

    /// Notes an access with scalars of a size.
    fn access(&mut self, func: &Function, pointer: Value, size: u32, stores: bool) {
        if let Some(&v) = self.into.get(&pointer) {
            let variable = &mut self.list[v];
            variable.least = variable.least.min(size);
            variable.stored |= stores;
        } else if stores && !self.supplied.contains(&pointer) {
            let space = func.ty(pointer).space();
            let is_generic = space == Some(AddressSpace::Generic);
            self.elsewhere[0] |= is_generic || space == Some(AddressSpace::Local);
            self.elsewhere[1] |= is_generic || space == Some(AddressSpace::Global);
        }
    }

    fn escape(&mut self, value: Value) {
        if let Some(&v) = self.into.get(&value) {
            // Something else may change the memory of an argument, too, so the checks of arguments allow for unknown stores.
            let is_argument = matches!(self.list[v].memory, Memory::Argument(_));
            self.list[v].escapes |= !is_argument;
            self.list[v].why = Some(if is_argument { PARTLY } else { FOLLOWED });
        }
    }

    /// Returns the variables whose accesses are not all checked, in words, with the reason.
    pub(super) fn left_out(&self, kernel: &KernelInfo) -> Vec<(String, String)> {
        let list = self.list.iter().filter_map(|v| Some((v, v.why?)));
        let words = |v: &Variable| match v.memory {
            Memory::Argument(n) => {
                let name = kernel.args.get(n as usize).map_or("", |arg| arg.name.as_str());
                format!("argument {n} '{name}'")
            }
            Memory::Private(_) | Memory::Local(_) => v.words.clone(),
        };
        list.map(|(v, why)| (words(v), why.to_owned())).collect()
    }

    /// Puts an instruction at the cursor, and follows pointers through it.
    pub(super) fn push(&mut self, b: &mut Builder<'_>, inst: Inst) {
        b.push(inst);
        let data = &b.func.insts[inst];
        let Some(&result) = data.results.first().filter(|r| self.into.contains_key(r)) else {
            return;
        };
        let offset = match (&data.op, &data.args[..]) {
            (Op::PtrAdd, &[base, by]) => match self.offsets.get(&base) {
                Some(&base) => sum(b, base, by),
                None => return,
            },
            _ => b.i64(0),
        };
        self.offsets.insert(result, offset);
    }

    /// Returns the place that a pointer points to, if it is in a variable whose pointers have all been followed.
    pub(super) fn place(&self, pointer: Value) -> Option<Place> {
        let variable = *self.into.get(&pointer)?;
        let offset = *self.offsets.get(&pointer)?;
        (!self.list[variable].escapes).then_some(Place { variable, offset })
    }

    /// Allocates the shadow memory of a private variable after the variable's instruction: as many bytes, which are zero.
    pub(super) fn allocate_shadow(&mut self, b: &mut Builder<'_>, inst: Inst) {
        if let Some(&v) = self
            .known
            .get(&Memory::Private(inst))
            .filter(|v| !self.list[**v].escapes)
        {
            let (size, align) = (self.list[v].size, self.list[v].align);
            let shadow = b.alloca(size, align);
            let access = Access {
                align,
                volatile: false,
            };
            b.mem_zero(shadow, access, size);
            self.private_shadow.insert(v, shadow);
        }
    }

    /// Returns the address of a place's shadow, which has `scale` bytes for each byte of the variable.
    pub(super) fn shadow_of(
        &self,
        b: &mut Builder<'_>,
        place: Place,
        scale: u32,
        local: &LocalShadow,
    ) -> Value {
        let base = match self.list[place.variable].memory {
            Memory::Private(_) => self.private_shadow[&place.variable],
            Memory::Local(g) => b.global_addr(local.of[&g], AddressSpace::Local),
            Memory::Argument(_) => unreachable!("its shadow is in memory that the launch supplies"),
        };
        if let Some(offset) = b.func.as_bits(place.offset) {
            return b.ptr_offset(base, (offset as i64).wrapping_mul(scale.into()));
        }
        let scaled = match scale {
            1 => place.offset,
            _ => {
                let scale = b.i64(scale.into());
                b.binary(BinOp::IMul, place.offset, scale)
            }
        };
        b.ptr_add(base, scaled)
    }

    /// Returns the variable of a place as the object of a site, with its number.
    pub(super) fn object(&self, place: Place) -> (u32, Object) {
        let variable = &self.list[place.variable];
        let number = (object::FIRST + place.variable as u32).min(object::LAST);
        let object = match variable.memory {
            Memory::Argument(n) => Object::Argument(n),
            _ => Object::Other(variable.words.clone(), variable.size),
        };
        (number, object)
    }

    /// Returns the smallest size of an access to the variable of a place.
    pub(super) fn least(&self, place: Place) -> u32 {
        self.list[place.variable].least
    }
}

/// A local variable whose shadow is in global memory, once for each work-group, because the local memory of the device has no
/// room for it.
#[derive(Copy, Clone)]
pub(super) struct Spilled {
    /// The number of the variable.
    pub variable: usize,
    /// The size of the variable.
    pub bytes: u32,
    /// The size of its smallest access.
    pub least: u32,
    /// The offset in the memory of a work-group.
    pub offset: u32,
}

/// The shadow memory of local variables.
#[derive(Default)]
pub(super) struct LocalShadow {
    of: HashMap<Global, Global>,
    sizes: Vec<(Global, u32)>,
    pub spilled: Vec<Spilled>,
    /// The bytes of global memory that each work-group needs for `spilled`.
    pub group_bytes: u32,
}

/// The most bytes of global memory that a work-group uses as shadow memory.
const MOST_SPILLED: u32 = 1 << 26;

impl LocalShadow {
    /// Declares the shadow memory of a kernel's local variables, as far as it fits into the `room` bytes of the device's local
    /// memory. The rest goes to global memory if the module has device addresses (`can_spill`). Variables that get neither
    /// are not followed any more. `scale` returns the bytes of shadow memory for each byte of a variable with this smallest
    /// access.
    pub(super) fn declare(
        variables: &mut Variables,
        globals: &mut Map<Global, GlobalData>,
        kernel: &KernelInfo,
        (room, can_spill): (u32, bool),
        scale: impl Fn(u32) -> u32,
    ) -> LocalShadow {
        let mut local = LocalShadow::default();
        let own = globals.iter().filter(|(_, g)| g.space == AddressSpace::Local);
        let own: u64 = own.map(|(_, g)| u64::from(g.size)).sum();
        let mut room = u64::from(room).saturating_sub(own);
        if kernel
            .args
            .iter()
            .any(|arg| matches!(arg.kind, ArgKind::Local { .. }))
        {
            // The launch states the sizes of arguments.
            room /= 2;
        }
        for (number, variable) in variables.list.iter_mut().enumerate() {
            let Memory::Local(global) = variable.memory else {
                continue;
            };
            if variable.escapes {
                continue;
            }
            let size = u64::from(variable.size) * u64::from(scale(variable.least));
            let size = size.next_multiple_of(8);
            if size > room {
                let rest = MOST_SPILLED - local.group_bytes;
                if !can_spill || size > u64::from(rest - memory::GROUP_ALIGN) {
                    variable.escapes = true;
                    variable.why = Some(NO_ROOM);
                    continue;
                }
                local.spilled.push(Spilled {
                    variable: number,
                    bytes: variable.size,
                    least: variable.least,
                    offset: local.group_bytes,
                });
                local.group_bytes += (size as u32).next_multiple_of(memory::GROUP_ALIGN);
                continue;
            }
            room -= size;
            let data = GlobalData {
                name: format!("{}{CHECKED}", globals[global].name),
                space: AddressSpace::Local,
                size: size as u32,
                align: globals[global].align.max(8),
                init: None,
                linkage: Linkage::Static,
            };
            let new = globals.push(data);
            local.of.insert(global, new);
            local.sizes.push((new, size as u32 / 4));
        }
        local
    }

    /// Returns whether no variable has shadow memory.
    pub(super) fn is_empty(&self) -> bool {
        self.sizes.is_empty() && self.spilled.is_empty()
    }

    /// Computes the address of a work-group's shadow memory in global memory, or 0 if the launch supplies none. Returns `None` if
    /// the kernel needs none. `which` is the number of the entry among those of the kernel.
    pub(super) fn group_memory(
        &self,
        b: &mut Builder<'_>,
        kernel: &KernelInfo,
        which: u32,
        group: Value,
    ) -> Option<Value> {
        if self.spilled.is_empty() {
            return None;
        }
        let all = argument(b, kernel.args.len() as u32, which);
        let size = b.i64(self.group_bytes.into());
        Some(of_group(b, all, size, group))
    }

    /// Computes the address of a variable's shadow in that of its work-group, or 0 if the launch supplies none.
    pub(super) fn spilled_at(b: &mut Builder<'_>, base: Value, spilled: Spilled) -> Value {
        let (at, none) = (b.i64(spilled.offset.into()), b.i64(0));
        let there = b.binary(BinOp::IAdd, base, at);
        let any = b.compare(CmpOp::INe, base, none);
        b.select(any, there, none)
    }

    /// Clears the shadow memory in local memory at the start of a kernel. All work-items of the group do this together.
    pub(super) fn clear(&self, b: &mut Builder<'_>) {
        if self.sizes.is_empty() {
            return;
        }
        let (first, items) = linear_id(b);
        let zero = b.i32(0);
        for &(global, words) in &self.sizes {
            let base = b.global_addr(global, AddressSpace::Local);
            let end = b.i32(words as i32);
            count(b, [first, end, items], |b, at| {
                let (wide, two) = (b.cast(CastOp::ZExt, at, Ty::I64), b.i64(2));
                let offset = b.binary(BinOp::Shl, wide, two);
                let to = b.ptr_add(base, offset);
                let access = Access {
                    align: 4,
                    volatile: false,
                };
                b.store(to, zero, access);
            });
        }
        barrier(b);
    }
}

/// Inserts the loop `for (i = first; i < end; i += step)`. `each` inserts its body, which gets `i`.
pub(super) fn count(
    b: &mut Builder<'_>,
    [first, end, step]: [Value; 3],
    each: impl FnOnce(&mut Builder<'_>, Value),
) {
    let (counting, body) = b.loop_(vec![first], &[]);
    b.enter(body);
    let at = b.func.regions[body].args[0];
    let is_done = b.compare(CmpOp::UGe, at, end);
    let (choice, leave, stay) = b.if_(is_done, &[]);
    b.enter(leave);
    b.exit(counting, vec![]);
    b.leave();
    b.enter(stay);
    b.exit(choice, vec![]);
    b.leave();
    each(b, at);
    let next = b.binary(BinOp::IAdd, at, step);
    b.repeat(counting, vec![next]);
    b.leave();
}

/// Inserts a barrier of the work-group for local memory.
pub(super) fn barrier(b: &mut Builder<'_>) {
    let flags = FenceFlags {
        local: true,
        global: false,
    };
    b.insert(Op::Intrinsic(Intrinsic::Barrier(flags)), vec![], &[]);
}

/// Computes the results of a work-item function for the three dimensions, as i32.
fn of_dimensions(b: &mut Builder<'_>, function: Intrinsic) -> [Value; 3] {
    [0, 1, 2].map(|dimension| {
        let dimension = b.i32(dimension);
        let wide = b.value(Op::Intrinsic(function), vec![dimension], Ty::I64);
        b.cast(CastOp::Trunc, wide, Ty::I32)
    })
}

/// Computes the position of an id among those of a range, and the number of the ids of the range, as i32.
pub(super) fn linear(b: &mut Builder<'_>, id: Intrinsic, range: Intrinsic) -> (Value, Value) {
    let [x, y, z] = of_dimensions(b, id);
    let [width, height, depth] = of_dimensions(b, range);
    let rows = b.binary(BinOp::IMul, z, height);
    let row = b.binary(BinOp::IAdd, rows, y);
    let start = b.binary(BinOp::IMul, row, width);
    let id = b.binary(BinOp::IAdd, start, x);
    let area = b.binary(BinOp::IMul, width, height);
    (id, b.binary(BinOp::IMul, area, depth))
}

/// Computes the number of the work-item in its group and the number of work-items of the group, as i32.
pub(super) fn linear_id(b: &mut Builder<'_>) -> (Value, Value) {
    linear(b, Intrinsic::LocalId, Intrinsic::LocalSize)
}

/// Inserts an `if` without `else`. `then` inserts its body.
pub(super) fn when(b: &mut Builder<'_>, condition: Value, then: impl FnOnce(&mut Builder<'_>)) {
    let (choice, yes, no) = b.if_(condition, &[]);
    b.enter(yes);
    then(b);
    b.exit(choice, vec![]);
    b.leave();
    b.enter(no);
    b.exit(choice, vec![]);
    b.leave();
}

/// Returns whether a number is an address that the launch supplies for a check, or the sum of one and an offset.
pub(super) fn is_supplied(func: &Function, address: Value) -> bool {
    fn search(func: &Function, v: Value, depth: u32) -> bool {
        let ValueDef::Inst(inst, _) = func.values[v].def else {
            return false;
        };
        let data = &func.insts[inst];
        let among = |args: &[Value]| depth > 0 && args.iter().any(|&arg| search(func, arg, depth - 1));
        match data.op {
            Op::Intrinsic(Intrinsic::ArgumentMemory) => true,
            Op::Binary(BinOp::IAdd) => among(&data.args),
            Op::Select => among(&data.args[1..]),
            _ => false,
        }
    }
    search(func, address, 6)
}

/// Computes the number of the work-group, as i32.
pub(super) fn group(b: &mut Builder<'_>) -> Value {
    linear(b, Intrinsic::GroupId, Intrinsic::NumGroups).0
}

/// Computes the address of the part of a work-group in memory that has `size` bytes for each; 0 if there is none.
pub(super) fn of_group(b: &mut Builder<'_>, all: Value, size: Value, group: Value) -> Value {
    let group = b.cast(CastOp::ZExt, group, Ty::I64);
    let offset = b.binary(BinOp::IMul, group, size);
    let there = b.binary(BinOp::IAdd, all, offset);
    let none = b.i64(0);
    let any = b.compare(CmpOp::INe, all, none);
    b.select(any, there, none)
}

/// Returns the size of the scalars of a value.
fn size_of(func: &Function, value: Value) -> u32 {
    func.ty(value).scalar.bytes().max(1)
}

/// Returns the size of the scalars with which a copy of `size` bytes may be done.
fn size_of_copy(access: Access, size: u32) -> u32 {
    1 << access.align.min(8).trailing_zeros().min(size.trailing_zeros())
}
