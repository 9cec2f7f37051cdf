//! The objects of pointers, at run time: each pointer gets three companions, the number of its object, its offset in the
//! object, and the object's size. They are passed along with the pointer through loops, conditions and selections, so
//! that the object of a pointer is known exactly, unless the pointer comes from memory or from a number.

use crate::check::{Object, memory, object};
use crate::hash::HashMap;
use crate::intrinsic::Intrinsic;
use crate::ir::{
    AddressSpace, ArgKind, BinOp, Builder, CastOp, Const, Function, Global, GlobalData, Inst, KernelInfo,
    Map, Op, Ty, Value, ValueDef,
};
use crate::pass::shadow::is_supplied;
use crate::pass::sites::private_object;
use crate::source::SourceMap;

/// The number of the object of pointers whose object is not known and is not checked.
pub(super) const UNCHECKED: u32 = u32::MAX;

/// The companions of a pointer.
#[derive(Copy, Clone, Debug)]
pub(super) struct Extent {
    /// The number of the object (i32).
    pub object: Value,
    /// The offset in the object in bytes (i64); the address, if the object is [`object::UNKNOWN`].
    pub offset: Value,
    /// The size of the object in bytes (i64).
    pub size: Value,
}

/// What the launch states of a buffer: its size, and the same or 0 for loads and for stores.
struct Rights {
    size: Value,
    loads: Value,
    stores: Value,
}

/// The types of the companions.
const TYPES: [Ty; 3] = [Ty::I32, Ty::I64, Ty::I64];

impl Extent {
    fn of_constants(b: &mut Builder<'_>, object: u32, size: i64) -> Extent {
        Extent {
            object: b.i32(object as i32),
            offset: b.i64(0),
            size: b.i64(size),
        }
    }

    fn unchecked(b: &mut Builder<'_>) -> Extent {
        Extent::of_constants(b, UNCHECKED, i64::MAX)
    }

    fn values(self) -> [Value; 3] {
        [self.object, self.offset, self.size]
    }

    fn from_values([object, offset, size]: [Value; 3]) -> Extent {
        Extent { object, offset, size }
    }
}

/// The size of an object, as far as the compiler knows it.
#[derive(Copy, Clone)]
enum Size {
    Known(u32),
    /// The launch states it.
    OfArgument(u32),
}

/// The extents of the pointers of one kernel.
pub(super) struct Extents {
    extents: HashMap<Value, Extent>,
    /// The objects, from number [`object::FIRST`] on.
    objects: Vec<Object>,
    /// For each parameter that is a pointer, its object and the object's size.
    parameters: Vec<(Value, u32, Size)>,
    allocas: HashMap<Inst, u32>,
    globals: HashMap<Global, (u32, u32)>,
    has_unknown: bool,
    rights: Vec<Rights>,
}

/// Returns whether a value is a pointer that has an extent.
fn is_followed(func: &Function, v: Value) -> bool {
    let space = func.ty(v).space();
    space.is_some_and(|s| !matches!(s, AddressSpace::Push | AddressSpace::Args))
}

/// Returns whether a pointer to this space may be looked up among the allocations of the context.
fn is_global(space: Option<AddressSpace>) -> bool {
    matches!(space, Some(AddressSpace::Global | AddressSpace::Constant))
}

impl Extents {
    /// Numbers the objects of a kernel.
    pub(super) fn new(
        func: &Function,
        kernel: &KernelInfo,
        globals: &Map<Global, GlobalData>,
        sources: Option<&SourceMap>,
    ) -> Extents {
        let mut all = Extents {
            extents: HashMap::default(),
            objects: Vec::new(),
            parameters: Vec::new(),
            allocas: HashMap::default(),
            globals: HashMap::default(),
            has_unknown: false,
            rights: Vec::new(),
        };
        for (n, (&param, arg)) in func.params.iter().zip(&kernel.args).enumerate() {
            if is_followed(func, param) {
                let size = match arg.kind {
                    ArgKind::Pod { size, .. } => Size::Known(size),
                    _ => Size::OfArgument(n as u32),
                };
                let object = all.add(Object::Argument(n as u32));
                all.parameters.push((param, object, size));
            }
        }
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            match data.op {
                Op::Alloca { size, .. } => {
                    let words = private_object(sources, data.span, size);
                    let object = all.add(Object::Other(words, size));
                    all.allocas.insert(inst, object);
                }
                Op::GlobalAddr(g) if !all.globals.contains_key(&g) => {
                    let global = &globals[g];
                    let space = super::name_of(global.space);
                    let words = format!("{space} variable '{}' of {} bytes", global.name, global.size);
                    let object = all.add(Object::Other(words, global.size));
                    all.globals.insert(g, (object, global.size));
                }
                Op::Cast(CastOp::IntToPtr) if is_supplied(func, data.args[0]) => {}
                Op::Load(_) | Op::Cast(CastOp::IntToPtr | CastOp::PtrCast) => {
                    all.has_unknown |= data.results.iter().any(|&r| is_global(func.ty(r).space()));
                }
                _ => {}
            }
        }
        all
    }

    /// Adds an object, and returns its number. The last number that findings can state stands for all further objects.
    fn add(&mut self, object: Object) -> u32 {
        if object::FIRST + self.objects.len() as u32 <= object::LAST {
            self.objects.push(object);
        } else if let Some(last) = self.objects.last_mut() {
            *last = Object::Other("one of many objects".into(), 0);
        }
        object::FIRST + self.objects.len() as u32 - 1
    }

    /// Returns whether there are pointers to global memory whose object is not known.
    pub(super) fn has_unknown(&self) -> bool {
        self.has_unknown
    }

    /// Returns the objects of a pointer, with their numbers: the one with this number, or all if it is not known.
    pub(super) fn candidates(&self, number: Option<u64>) -> Vec<(u32, Object)> {
        let all = self.objects.iter().cloned();
        let numbered = all.enumerate().map(|(n, o)| (object::FIRST + n as u32, o));
        numbered
            .filter(|(n, _)| number.is_none_or(|only| only == u64::from(*n)))
            .collect()
    }

    /// Computes the extents of the parameters, at the start of the kernel.
    pub(super) fn parameters(&mut self, b: &mut Builder<'_>) {
        for (param, object, size) in std::mem::take(&mut self.parameters) {
            let mut extent = Extent::of_constants(b, object, 0);
            extent.size = match size {
                Size::Known(size) => b.i64(size.into()),
                Size::OfArgument(n) => {
                    let size = argument(b, n, memory::BYTES);
                    if b.func.ty(param).space() != Some(AddressSpace::Local) {
                        // The argument may be an address within an allocation.
                        extent.offset = argument(b, n, memory::OFFSET);
                        let [loads, stores] =
                            [memory::READABLE, memory::WRITABLE].map(|of| argument(b, n, of));
                        self.rights.push(Rights { size, loads, stores });
                    }
                    size
                }
            };
            self.extents.insert(param, extent);
        }
    }

    /// Returns an extent for an access. If it is that of a buffer which kernels must not access so, its size is 0.
    pub(super) fn for_access(&self, mut extent: Extent, stores: bool) -> Extent {
        if let Some(rights) = self.rights.iter().find(|r| r.size == extent.size) {
            extent.size = if stores { rights.stores } else { rights.loads };
        }
        extent
    }

    /// Returns the extent of a pointer.
    pub(super) fn of(&mut self, b: &mut Builder<'_>, pointer: Value) -> Extent {
        if let Some(&extent) = self.extents.get(&pointer) {
            return extent;
        }
        match b.func.as_const(pointer) {
            Some(Const::Bits(lanes)) if lanes[..] == [0] => Extent::of_constants(b, object::NULL, 0),
            _ => Extent::unchecked(b),
        }
    }

    /// Computes the extent of a pointer whose object is not known.
    fn unknown(b: &mut Builder<'_>, pointer: Value, by_address: bool) -> Extent {
        if !by_address || !is_global(b.func.ty(pointer).space()) {
            return Extent::unchecked(b);
        }
        let mut extent = Extent::of_constants(b, object::UNKNOWN, 0);
        extent.offset = b.cast(CastOp::PtrToInt, pointer, Ty::I64);
        extent
    }

    /// Computes the extent of a loaded value, if it is a pointer. `new` replaces `old`.
    pub(super) fn loaded(&mut self, b: &mut Builder<'_>, old: Value, new: Value, by_address: bool) {
        if is_followed(b.func, old) {
            let extent = Extents::unknown(b, new, by_address);
            self.extents.insert(old, extent);
        }
    }

    /// Puts an instruction at the cursor, and passes extents on as it passes pointers on.
    pub(super) fn push(&mut self, b: &mut Builder<'_>, inst: Inst, by_address: bool) {
        match b.func.insts[inst].op {
            Op::Loop => {
                self.arguments(b, inst);
                self.results(b, inst);
                b.push(inst);
            }
            Op::Block | Op::If | Op::Switch(_) => {
                self.results(b, inst);
                b.push(inst);
            }
            Op::Exit(_) | Op::Repeat(_) => {
                let passed = b.func.insts[inst].args.clone();
                let more = self.companions(b, &passed);
                b.func.insts[inst].args.extend(more);
                b.push(inst);
            }
            _ => {
                b.push(inst);
                let result = b.func.insts[inst].results.first().copied();
                if let Some(result) = result.filter(|&r| is_followed(b.func, r)) {
                    let extent = self.computed(b, inst, result, by_address);
                    self.extents.insert(result, extent);
                }
            }
        }
    }

    /// Returns the companions of the pointers among some values.
    fn companions(&mut self, b: &mut Builder<'_>, values: &[Value]) -> Vec<Value> {
        let mut list = Vec::new();
        for &v in values {
            if is_followed(b.func, v) {
                list.extend(self.of(b, v).values());
            }
        }
        list
    }

    /// Gives the region of a loop companions of its arguments.
    fn arguments(&mut self, b: &mut Builder<'_>, inst: Inst) {
        let initial = b.func.insts[inst].args.clone();
        let more = self.companions(b, &initial);
        b.func.insts[inst].args.extend(more);
        let region = b.func.insts[inst].regions[0];
        for arg in b.func.regions[region].args.clone() {
            if is_followed(b.func, arg) {
                let values = TYPES.map(|ty| b.func.add_region_arg(region, ty));
                self.extents.insert(arg, Extent::from_values(values));
            }
        }
    }

    /// Gives a structured instruction companions of its results.
    fn results(&mut self, b: &mut Builder<'_>, inst: Inst) {
        for result in b.func.insts[inst].results.clone() {
            if is_followed(b.func, result) {
                let values = TYPES.map(|ty| b.func.add_result(inst, ty));
                self.extents.insert(result, Extent::from_values(values));
            }
        }
    }

    /// Computes the extent of the result of an instruction without regions.
    fn computed(&mut self, b: &mut Builder<'_>, inst: Inst, result: Value, by_address: bool) -> Extent {
        let (op, args) = (b.func.insts[inst].op.clone(), b.func.insts[inst].args.clone());
        match op {
            Op::Alloca { size, .. } => Extent::of_constants(b, self.allocas[&inst], size.into()),
            Op::GlobalAddr(g) => {
                let (object, size) = self.globals[&g];
                Extent::of_constants(b, object, size.into())
            }
            Op::PtrAdd => {
                let base = self.of(b, args[0]);
                Extent {
                    offset: sum(b, base.offset, args[1]),
                    ..base
                }
            }
            Op::Cast(CastOp::IntToPtr) if is_supplied(b.func, args[0]) => Extent::unchecked(b),
            Op::Cast(CastOp::PtrCast) => {
                let extent = self.of(b, args[0]);
                let is_unchecked = b.func.as_bits(extent.object) == Some(UNCHECKED.into());
                match is_unchecked {
                    true => Extents::unknown(b, result, by_address),
                    false => extent,
                }
            }
            Op::Select => {
                let (yes, no) = (self.of(b, args[1]).values(), self.of(b, args[2]).values());
                let choose = |n: usize| match yes[n] == no[n] {
                    true => yes[n],
                    false => b.select(args[0], yes[n], no[n]),
                };
                Extent::from_values([0, 1, 2].map(choose))
            }
            _ => Extents::unknown(b, result, by_address),
        }
    }
}

/// Asks for something about the memory of an argument ([`memory`]).
pub(in crate::pass) fn argument(b: &mut Builder<'_>, ordinal: u32, what: u32) -> Value {
    let args = [ordinal, what].map(|n| b.i32(n as i32));
    b.value(Op::Intrinsic(Intrinsic::ArgumentMemory), args, Ty::I64)
}

/// Adds an i32 or i64 to an offset; a sum of constants is a constant.
pub(in crate::pass) fn sum(b: &mut Builder<'_>, offset: Value, by: Value) -> Value {
    let is_constant = |v: Value| matches!(b.func.values[v].def, ValueDef::Const(_));
    let constant = crate::ir::analysis::constant_offset(b.func, by);
    if let (true, Some(offset), Some(by)) = (is_constant(by), b.func.as_bits(offset), constant) {
        return b.i64((offset as i64).wrapping_add(by));
    }
    let by = match b.func.ty(by) {
        Ty::I64 => by,
        _ => b.cast(CastOp::SExt, by, Ty::I64),
    };
    match b.func.as_bits(offset) {
        Some(0) => by,
        _ => b.binary(BinOp::IAdd, offset, by),
    }
}
