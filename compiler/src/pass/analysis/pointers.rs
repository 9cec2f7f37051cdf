//! Alias analysis: the objects that pointers point to, the powers of two that pointers are multiples of, and
//! whether two accesses may alias.
//!
//! An object has a bit of its own if it can be reached only through pointers derived from its address: a
//! private variable, a local variable or argument, or a global argument that is `restrict` (C99 6.7.3.1:
//! memory accessed through it is not written through anything else). Other global arguments have a bit, too,
//! but may be the same buffer. A variable in global memory has a bit, too, and is never the same as a buffer. An
//! unknown pointer (loaded from memory, or made from a number) may point to any of these buffers, to variables in
//! global memory, and to every object whose address has escaped.

use super::facts::{self, Facts};
use crate::intrinsic::Intrinsic;
use crate::ir::walk::Walk;
use crate::ir::{
    AddressSpace, ArgKind, CastOp, EntityRef, Function, Global, Inst, KernelInfo, Op, Value, ValueDef,
};
use std::collections::BTreeMap;

/// The log2 of the alignment that is assumed of buffers that are kernel arguments.
/// CL_DEVICE_MEM_BASE_ADDR_ALIGN (table 4.3) guarantees more, but no access is wider.
const BUFFER_ALIGN: u8 = 4;

/// The power of a value that is a multiple of every power of two: zero, a null pointer.
const ANY_POWER: u8 = 62;

/// The number of walks after which the arguments of loops are assumed to be unknown.
const MAX_ROUNDS: usize = 6;

/// A set of objects, one bit each.
pub type Objects = u64;

/// The bit of unknown objects.
const UNKNOWN: Objects = 1;

/// The facts about one function.
#[derive(Debug)]
pub struct Pointers {
    /// For each value, the objects that it may point to.
    objects: Vec<Objects>,
    /// For each value, the log2 of a power of two that it is a multiple of.
    powers: Vec<u8>,
    /// The objects whose address is stored or becomes a number.
    escaped: Objects,
    /// The objects that may be the same memory.
    shared: Objects,
    /// Whether variables in local memory begin at multiples of 16 bytes.
    aligned_variables: bool,
}

/// The bytes that an access touches.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The address space of the memory.
    pub space: AddressSpace,
    objects: Objects,
    /// The pointer before the constants that are added last.
    pub base: Value,
    /// The sum of these constants, in bytes.
    pub offset: i64,
    /// The number of bytes.
    pub bytes: u32,
    /// The sum of all constants from the object's start on, with the log2 of a power of two that divides
    /// everything else that is added; `None` if the start is unknown.
    residue: Option<(i64, u8)>,
}

impl Place {
    /// Returns the place of `bytes` bytes that starts `by` bytes after this one.
    pub fn moved(&self, by: i64, bytes: u32) -> Place {
        Place {
            offset: self.offset.wrapping_add(by),
            residue: self.residue.map(|(c, power)| (c.wrapping_add(by), power)),
            bytes,
            ..*self
        }
    }
    /// Returns whether this place contains all bytes of another.
    pub fn covers(&self, other: &Place) -> bool {
        self.base == other.base
            && self.offset <= other.offset
            && other.offset.saturating_add(other.bytes.into())
                <= self.offset.saturating_add(self.bytes.into())
    }
}

impl Pointers {
    /// Computes the facts about a function as it is now. `kernel`: the kernel of which it is the function, if
    /// all calls are inlined; the parameters of other functions may point anywhere.
    pub fn new(func: &Function, kernel: Option<&KernelInfo>) -> Self {
        Pointers::compute(func, kernel, false)
    }

    /// Computes the facts about a kernel. `aligned`: variables in local memory begin at multiples of 16 bytes.
    pub fn with_aligned_variables(func: &Function, kernel: &KernelInfo, aligned: bool) -> Self {
        Pointers::compute(func, Some(kernel), aligned)
    }

    fn compute(func: &Function, kernel: Option<&KernelInfo>, aligned_variables: bool) -> Self {
        let mut p = Pointers {
            objects: vec![0; func.values.len()],
            powers: vec![0; func.values.len()],
            escaped: 0,
            shared: UNKNOWN,
            aligned_variables,
        };
        let mut bits = Bits::default();
        p.params(func, kernel, &mut bits);
        for v in func.values.keys() {
            if let ValueDef::Const(_) = func.values[v].def {
                // An undefined value may be any number, so it is a multiple of 1 only.
                let bits = func.as_bits(v);
                p.powers[v.index()] = bits.map_or(0, |n| n.trailing_zeros().min(ANY_POWER.into()) as u8);
                if func.ty(v).scalar.is_ptr() && bits.is_some_and(|n| n != 0) {
                    p.objects[v.index()] = UNKNOWN;
                }
            }
        }
        let mut rounds = 0;
        loop {
            let give_up = rounds == MAX_ROUNDS;
            if !p.round(func, &mut bits, rounds == 0, give_up) || give_up {
                break;
            }
            rounds += 1;
        }
        p
    }

    /// Assigns an object to each pointer parameter.
    fn params(&mut self, func: &Function, kernel: Option<&KernelInfo>, bits: &mut Bits) {
        for (n, &param) in func.params.iter().enumerate() {
            if !func.ty(param).scalar.is_ptr() {
                continue;
            }
            let arg = kernel.and_then(|k| k.args.get(n));
            let (object, power) = match arg.map(|a| (&a.kind, a.restrict)) {
                Some((ArgKind::Buffer { .. }, restrict)) => {
                    let object = bits.fresh();
                    if !restrict {
                        self.shared |= object;
                    }
                    (object, BUFFER_ALIGN)
                }
                // CL 5.7.2: arguments in local memory are objects of their own.
                // The host places arguments in local memory at multiples of 16 bytes.
                Some((ArgKind::Local { .. }, _)) if self.aligned_variables => (bits.fresh(), BUFFER_ALIGN),
                Some((ArgKind::Local { align, .. } | ArgKind::Pod { align, .. }, _)) => {
                    (bits.fresh(), (*align).max(1).trailing_zeros() as u8)
                }
                Some((ArgKind::Image { .. } | ArgKind::Sampler, _)) | None => (UNKNOWN, 0),
            };
            self.objects[param.index()] = object;
            self.powers[param.index()] = power;
        }
    }

    /// Visits each instruction once. Returns whether an argument of a loop can be more than was known.
    fn round(&mut self, func: &Function, bits: &mut Bits, first: bool, give_up: bool) -> bool {
        let mut changed = false;
        let mut walk = Walk::new(func);
        while let Some((_, inst)) = walk.next(func) {
            let data = &func.insts[inst];
            match &data.op {
                Op::Block | Op::If | Op::Switch(_) | Op::Loop => {
                    for &r in &data.results {
                        self.objects[r.index()] = 0;
                        self.powers[r.index()] = ANY_POWER;
                    }
                    if data.op == Op::Loop {
                        for (&init, &arg) in data.args.iter().zip(&func.regions[data.regions[0]].args) {
                            if first {
                                self.objects[arg.index()] = 0;
                                self.powers[arg.index()] = ANY_POWER;
                            }
                            self.flow(init, arg);
                            if give_up {
                                self.objects[arg.index()] = !0;
                                self.powers[arg.index()] = 0;
                            }
                        }
                    }
                }
                Op::Exit(target) => {
                    for (&v, &result) in data.args.iter().zip(&func.insts[*target].results) {
                        self.flow(v, result);
                    }
                }
                Op::Repeat(target) => {
                    let body = func.insts[*target].regions[0];
                    for (&v, &arg) in data.args.iter().zip(&func.regions[body].args) {
                        changed |= self.flow(v, arg);
                    }
                }
                _ => {
                    self.escapes(func, inst);
                    // Nothing is known of other values.
                    if let [result] = data.results[..]
                        && let ty = func.ty(result)
                        && !ty.is_vector()
                        && (ty.scalar.is_int() || ty.scalar.is_ptr())
                    {
                        if ty.scalar.is_ptr() {
                            let objects = self.objects_of(inst, &data.op, &data.args, bits);
                            self.objects[result.index()] = objects;
                            let variable = matches!(data.op, Op::GlobalAddr(_));
                            if variable && ty.space() == Some(AddressSpace::Global) {
                                // Other kernels and initializers may have stored its address.
                                self.escaped |= objects;
                            }
                        }
                        self.powers[result.index()] = self.power_of(func, inst);
                    }
                }
            }
        }
        changed
    }

    /// Adds the facts of one value to another, of which it is one of the sources. Returns whether that
    /// changed the facts.
    fn flow(&mut self, from: Value, to: Value) -> bool {
        let objects = self.objects[to.index()] | self.objects[from.index()];
        let power = self.powers[to.index()].min(self.powers[from.index()]);
        let changed = objects != self.objects[to.index()] || power != self.powers[to.index()];
        self.objects[to.index()] = objects;
        self.powers[to.index()] = power;
        changed
    }

    /// Records the objects whose address an instruction stores or passes on.
    fn escapes(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let from = match &data.op {
            Op::Store(_) => 1,
            Op::Cast(CastOp::PtrToInt) | Op::Call(_) | Op::Return => 0,
            Op::Intrinsic(Intrinsic::Atomic(_) | Intrinsic::Prefetch) => 1,
            Op::Intrinsic(Intrinsic::Matrix(op)) if op.accesses_memory() => 1,
            Op::Intrinsic(_) => 0,
            _ => return,
        };
        for &v in &data.args[from.min(data.args.len())..] {
            self.escaped |= self.objects[v.index()];
        }
    }

    /// Returns the objects that the result of an instruction may point to.
    fn objects_of(&self, inst: Inst, op: &Op, args: &[Value], bits: &mut Bits) -> Objects {
        let of = |n: usize| self.objects[args[n].index()];
        match op {
            Op::Alloca { .. } => bits.of_inst(inst),
            Op::GlobalAddr(g) => bits.of_global(*g),
            Op::PtrAdd | Op::Cast(CastOp::PtrCast) => of(0),
            Op::Select => of(1) | of(2),
            _ => UNKNOWN,
        }
    }

    /// Returns the log2 of a power of two that the result of an instruction is a multiple of.
    fn power_of(&self, func: &Function, inst: Inst) -> u8 {
        let data = &func.insts[inst];
        let of = |n: usize| self.powers[data.args[n].index()];
        let width = func.ty(data.results[0]).scalar.bits();
        let known = |n: usize| {
            let width = func.ty(data.args[n]).scalar.bits();
            match func.as_bits(data.args[n]) {
                Some(bits) => Facts::constant(width, bits),
                None => Facts::multiple(width, of(n).into()),
            }
        };
        // If all bits of the type are zero, the value is 0.
        let power = |facts: Facts| match facts.trailing_zeros() {
            n if n >= width => ANY_POWER,
            n => n.min(ANY_POWER.into()) as u8,
        };
        match &data.op {
            Op::Alloca { align, .. } => align.max(&1).trailing_zeros() as u8,
            Op::GlobalAddr(_)
                if self.aligned_variables
                    && func.ty(data.results[0]).space() == Some(AddressSpace::Local) =>
            {
                BUFFER_ALIGN
            }
            Op::PtrAdd => of(0).min(of(1)),
            Op::Cast(CastOp::PtrCast | CastOp::PtrToInt | CastOp::IntToPtr) => of(0),
            Op::Select => of(1).min(of(2)),
            Op::Binary(op) => power(facts::binary(*op, known(0), known(1))),
            Op::Unary(op) => power(facts::unary(*op, known(0))),
            Op::Cast(op @ (CastOp::ZExt | CastOp::SExt | CastOp::Trunc)) => {
                power(facts::cast(*op, known(0), width))
            }
            _ => 0,
        }
    }

    /// Returns the log2 of a power of two that an integer or pointer is a multiple of.
    pub fn power(&self, v: Value) -> u8 {
        self.powers.get(v.index()).copied().unwrap_or(0)
    }

    /// Returns the place that an access of `bytes` bytes touches.
    pub fn place(&self, func: &Function, pointer: Value, bytes: u32) -> Option<Place> {
        let space = func.ty(pointer).space()?;
        let (mut base, mut offset) = (pointer, 0i64);
        let step = |v: Value| {
            let data = &func.insts[func.def_inst(v)?];
            (data.op == Op::PtrAdd).then(|| (data.args[0], data.args[1]))
        };
        while let Some((to, by)) = step(base)
            && let Some(by) = crate::ir::analysis::constant_offset(func, by)
        {
            offset = offset.wrapping_add(by);
            base = to;
        }
        let (mut bottom, mut constant, mut power) = (base, offset, ANY_POWER);
        while let Some((to, by)) = step(bottom) {
            match crate::ir::analysis::constant_offset(func, by) {
                Some(by) => constant = constant.wrapping_add(by),
                None => power = power.min(self.power(by)),
            }
            bottom = to;
        }
        let objects = self.objects.get(pointer.index()).copied().unwrap_or(!0);
        let is_start = match func.values[bottom].def {
            ValueDef::Param(_) => true,
            ValueDef::Inst(inst, _) => {
                matches!(func.insts[inst].op, Op::Alloca { .. } | Op::GlobalAddr(_))
            }
            ValueDef::Arg(..) | ValueDef::Const(_) => false,
        };
        let residue =
            (is_start && objects.is_power_of_two() && objects != UNKNOWN).then_some((constant, power));
        Some(Place {
            space,
            objects,
            base,
            offset,
            bytes,
            residue,
        })
    }

    /// Returns whether two sets of objects may have memory in common.
    fn meet(&self, a: Objects, b: Objects) -> bool {
        let all = |o: Objects| if o & UNKNOWN != 0 { o | self.escaped } else { o };
        let (a, b) = (all(a), all(b));
        a & b != 0 || a & self.shared != 0 && b & self.shared != 0
    }

    /// Returns whether two accesses, one of which is a write, may touch the same bytes. Both base pointers
    /// are taken at the same time; in a loop, in the same iteration.
    pub fn may_meet(&self, a: &Place, b: &Place) -> bool {
        let covers = |a: AddressSpace, b| a == AddressSpace::Generic && AddressSpace::IN_GENERIC.contains(&b);
        if a.space != b.space && !covers(a.space, b.space) && !covers(b.space, a.space) {
            return false;
        }
        let (m, n) = (i64::from(a.bytes), i64::from(b.bytes));
        if a.base == b.base {
            let distance = b.offset.wrapping_sub(a.offset);
            return distance < m && -n < distance;
        }
        if !self.meet(a.objects, b.objects) {
            return false;
        }
        match (a.residue, b.residue) {
            (Some((x, p)), Some((y, q))) if a.objects == b.objects => {
                let modulus = 1i64 << p.min(q);
                let distance = y.wrapping_sub(x).rem_euclid(modulus);
                distance < m || modulus - distance < n
            }
            _ => true,
        }
    }
}

/// The assignment of bits to objects.
#[derive(Default)]
struct Bits {
    used: u32,
    globals: BTreeMap<Global, Objects>,
    insts: BTreeMap<Inst, Objects>,
}

impl Bits {
    /// Returns a new bit. When all bits are used, further objects are unknown ones.
    fn fresh(&mut self) -> Objects {
        if self.used == 62 {
            return UNKNOWN;
        }
        self.used += 1;
        1 << self.used
    }
    fn of_global(&mut self, g: Global) -> Objects {
        match self.globals.get(&g) {
            Some(&bit) => bit,
            None => {
                let bit = self.fresh();
                *self.globals.entry(g).or_insert(bit)
            }
        }
    }
    fn of_inst(&mut self, inst: Inst) -> Objects {
        match self.insts.get(&inst) {
            Some(&bit) => bit,
            None => {
                let bit = self.fresh();
                *self.insts.entry(inst).or_insert(bit)
            }
        }
    }
}
