//! What pointers point to, which powers of two they are multiples of, and whether two accesses can meet. No pass, what
//! passes want to know.
//!
//! Every object that nothing else can be reached through has a bit: private variables, local variables and arguments,
//! global arguments that are `restrict` (C99 6.7.3.1: what is reached through them is not written through anything
//! else). Global arguments that are not have one, too, but may be one buffer; and what is not known (read from memory,
//! made from a number) may be any of those, and every object whose address went where nobody follows it.

use super::facts::{self, Facts};
use crate::intrinsic::Intrinsic;
use crate::ir::walk::Walk;
use crate::ir::{
    AddressSpace, ArgKind, CastOp, EntityRef, Function, Global, Inst, KernelInfo, Op, Value, ValueDef,
};
use std::collections::BTreeMap;

/// What buffers that are kernel arguments are aligned to, at least: CL_DEVICE_MEM_BASE_ADDR_ALIGN (table 4.3) is more, but
/// no access is wider.
const BUFFER_ALIGN: u8 = 4;

/// Of anything: a null pointer, zero.
const ANY_POWER: u8 = 62;

/// Walks before loops' arguments are given up.
const MAX_ROUNDS: usize = 6;

/// Objects, as a set of bits.
pub type Objects = u64;

/// What is not known.
const UNKNOWN: Objects = 1;

/// The facts of one function.
#[derive(Debug)]
pub struct Pointers {
    objects: Vec<Objects>,
    powers: Vec<u8>,
    /// Those whose address is stored, or becomes a number.
    escaped: Objects,
    /// Those that may be the same memory.
    shared: Objects,
}

/// Bytes that an access touches.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub space: AddressSpace,
    objects: Objects,
    /// The pointer without the constants that are added last.
    pub base: Value,
    /// Those constants.
    pub offset: i64,
    pub bytes: u32,
    /// All constants from the object's start on, if what is added to it else is a multiple of a known power of two.
    residue: Option<(i64, u8)>,
}

impl Place {
    /// So many bytes at a distance from its start.
    pub fn moved(&self, by: i64, bytes: u32) -> Place {
        Place {
            offset: self.offset.wrapping_add(by),
            residue: self.residue.map(|(c, power)| (c.wrapping_add(by), power)),
            bytes,
            ..*self
        }
    }
    /// Whether all bytes of another place are among those of this one.
    pub fn covers(&self, other: &Place) -> bool {
        self.base == other.base
            && self.offset <= other.offset
            && other.offset.saturating_add(other.bytes.into())
                <= self.offset.saturating_add(self.bytes.into())
    }
}

impl Pointers {
    /// Of a function as it is now. `kernel`: what it is the function of, if everything is inlined into it; parameters of
    /// other functions point anywhere.
    pub fn new(func: &Function, kernel: Option<&KernelInfo>) -> Self {
        let mut p = Pointers {
            objects: vec![0; func.values.len()],
            powers: vec![0; func.values.len()],
            escaped: 0,
            shared: UNKNOWN,
        };
        let mut bits = Bits::default();
        p.params(func, kernel, &mut bits);
        for v in func.values.keys() {
            if let ValueDef::Const(_) = func.values[v].def {
                // An undefined value may be any number.
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
                // Arguments in local memory are objects of their own (5.7.2).
                Some((ArgKind::Local { align, .. } | ArgKind::Pod { align, .. }, _)) => {
                    (bits.fresh(), (*align).max(1).trailing_zeros() as u8)
                }
                Some((ArgKind::Image { .. } | ArgKind::Sampler, _)) | None => (UNKNOWN, 0),
            };
            self.objects[param.index()] = object;
            self.powers[param.index()] = power;
        }
    }

    /// Goes through the function once. Whether a loop's argument turned out to be more than what the loop starts with.
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
                    // Of nothing else anything is known.
                    if let [result] = data.results[..]
                        && let ty = func.ty(result)
                        && !ty.is_vector()
                        && (ty.scalar.is_int() || ty.scalar.is_ptr())
                    {
                        if ty.scalar.is_ptr() {
                            self.objects[result.index()] = self.objects_of(inst, &data.op, &data.args, bits);
                        }
                        self.powers[result.index()] = self.power_of(func, inst);
                    }
                }
            }
        }
        changed
    }

    /// One value becomes another, which others may become, too.
    fn flow(&mut self, from: Value, to: Value) -> bool {
        let objects = self.objects[to.index()] | self.objects[from.index()];
        let power = self.powers[to.index()].min(self.powers[from.index()]);
        let changed = objects != self.objects[to.index()] || power != self.powers[to.index()];
        self.objects[to.index()] = objects;
        self.powers[to.index()] = power;
        changed
    }

    fn escapes(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        let from = match &data.op {
            Op::Store(_) => 1,
            Op::Cast(CastOp::PtrToInt) | Op::Call(_) | Op::Return => 0,
            Op::Intrinsic(Intrinsic::Atomic(_) | Intrinsic::Prefetch) => 1,
            Op::Intrinsic(_) => 0,
            _ => return,
        };
        for &v in &data.args[from.min(data.args.len())..] {
            self.escaped |= self.objects[v.index()];
        }
    }

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
        // Only zero is a multiple of all that its type has.
        let power = |facts: Facts| match facts.trailing_zeros() {
            n if n >= width => ANY_POWER,
            n => n.min(ANY_POWER.into()) as u8,
        };
        match &data.op {
            Op::Alloca { align, .. } => align.max(&1).trailing_zeros() as u8,
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

    /// Log2 of a power of two that an integer or pointer is a multiple of.
    pub fn power(&self, v: Value) -> u8 {
        self.powers.get(v.index()).copied().unwrap_or(0)
    }

    /// What an access of so many bytes touches.
    pub fn place(&self, func: &Function, pointer: Value, bytes: u32) -> Option<Place> {
        let space = func.ty(pointer).space()?;
        let (mut base, mut offset) = (pointer, 0i64);
        let step = |v: Value| {
            let data = &func.insts[func.def_inst(v)?];
            (data.op == Op::PtrAdd).then(|| (data.args[0], data.args[1]))
        };
        while let Some((to, by)) = step(base)
            && let Some(by) = super::analysis::constant_offset(func, by)
        {
            offset = offset.wrapping_add(by);
            base = to;
        }
        let (mut bottom, mut constant, mut power) = (base, offset, ANY_POWER);
        while let Some((to, by)) = step(bottom) {
            match super::analysis::constant_offset(func, by) {
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

    /// Whether two sets of objects have memory in common.
    fn meet(&self, a: Objects, b: Objects) -> bool {
        let all = |o: Objects| if o & UNKNOWN != 0 { o | self.escaped } else { o };
        let (a, b) = (all(a), all(b));
        a & b != 0 || a & self.shared != 0 && b & self.shared != 0
    }

    /// Whether two accesses, one of which writes, can have bytes in common. Both bases have the values of now: in loops
    /// those of the same iteration.
    pub fn may_meet(&self, a: &Place, b: &Place) -> bool {
        if a.space != b.space {
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

/// The bit of each object.
#[derive(Default)]
struct Bits {
    used: u32,
    globals: BTreeMap<Global, Objects>,
    insts: BTreeMap<Inst, Objects>,
}

impl Bits {
    /// What is left over when all bits are used is not told apart.
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
