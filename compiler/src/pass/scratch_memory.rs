//! Moves private arrays that are too large for the driver, or that have too many accesses for it, into scratch
//! memory, a buffer with a slice for each work-item.
//!
//! Why: the driver decides where private arrays that are indexed at run time are stored. NVIDIA's driver
//! refuses kernels with 16 KiB of such arrays per work-item. llvmpipe takes seconds to compile a kernel with
//! large arrays, and its time grows with the square of the number of accesses to an array
//! (`docs/adr/0016-scratch-memory.md`).
//! In:  `ExplicitMemory`, `SystemValues`; the physical ABI.
//! Out: where the variables of a kernel together exceed
//!      [`Limits::private_memory`](crate::target::Limits::private_memory), the largest of them are removed,
//!      and where their accesses exceed
//!      [`Limits::private_accesses`](crate::target::Limits::private_accesses), those with the most accesses. The
//!      accesses of these variables are `Physical` ones. `KernelAbi::scratch` is the number of bytes per work-item,
//!      and `SystemPush::scratch` the push constant into which the launch writes the buffer's address.
//!
//! The buffer is for the work-items of one dispatch, which are numbered within it. It is divided into blocks of
//! [`SCRATCH_BLOCK`] work-items, in which elements with the same index are adjacent: element i of an array at byte `o` of
//! the slices has the address
//!
//! ```text
//! base + item / 32 · 32 · bytes of a slice + (item mod 32) · size of an element + (o + i · size) · 32
//! ```
//!
//! The last summand is a constant where i is one. The summands have 32 bits, since the launch never uses a buffer of 4 GiB
//! or more.

use crate::hash::HashMap;

use super::{Changed, Pass, PassCx, PassError};
use crate::abi::SCRATCH_BLOCK;
use crate::intrinsic::Intrinsic;
use crate::inv;
use crate::ir::{
    Access, AddressSpace, BinOp, Builder, CastOp, Function, Inst, Module, Op, Scalar, Storage, Ty, Value,
};
use crate::target::{Features, Limits};
use std::cmp::Reverse;

pub const PASS: Pass = Pass {
    name: "scratch_memory",
    about: "Moves private arrays that are too large for the driver, or have too many accesses, into a buffer.",
    run,
    requires: inv![SystemValues, ExplicitMemory],
    establishes: inv![],
    destroys: inv![],
};

/// The alignment of each array in a slice. In a block, arrays begin at multiples of [`SCRATCH_BLOCK`] times as much, which
/// every element is aligned to.
const ALIGN: u32 = 16;

/// The size of the largest elements, vectors of four lanes of 64 bits.
const LARGEST: u32 = 32;

fn run(module: &mut Module, cx: &mut PassCx<'_>) -> Result<Changed, PassError> {
    let reserved = module.system.scratch.take();
    let slot = reserved.unwrap_or_else(|| {
        let args = module.abi.iter().map(|a| a.push_end());
        args.max()
            .unwrap_or(0)
            .max(module.system.size)
            .next_multiple_of(8)
    });
    if slot + 8 > cx.target.limits.push_constants {
        return Ok(Changed::No);
    }
    let mut used = false;
    for k in 0..module.kernels.len() {
        let func = &mut module.funcs[module.kernels[k].func];
        let plan = Plan::new(func, &cx.target.limits, &cx.target.features);
        let (Some(plan), Some(abi)) = (plan, module.abi.get_mut(k)) else {
            continue;
        };
        abi.scratch = plan.bytes;
        plan.apply(func, slot);
        used = true;
    }
    if used {
        module.system.scratch = Some(slot);
        module.system.size = module.system.size.max(slot + 8);
    }
    Ok(used.into())
}

/// Returns whether a function's private memory, or the accesses to it, may exceed the limits; if so, a push
/// constant is reserved for the address. This is called before `lower_memory`.
pub(super) fn is_likely(func: &Function, limits: &Limits) -> bool {
    let (mut size, mut weight) = (0u64, 0u64);
    let is_private = |pointer: Value| func.ty(pointer).space() == Some(AddressSpace::Private);
    for inst in func.insts_in_order() {
        let data = &func.insts[inst];
        weight += match data.op {
            Op::Alloca { size: bytes, .. } => {
                size += u64::from(bytes);
                0
            }
            Op::Load(_) if is_private(data.args[0]) => LOAD * lanes(func.ty(data.results[0])),
            Op::Store(_) if is_private(data.args[0]) => STORE * lanes(func.ty(data.args[1])),
            Op::MemCpy { size, .. } => (LOAD + STORE) * u64::from(size),
            Op::MemZero { size, .. } => STORE * u64::from(size),
            _ => 0,
        };
    }
    // No sum of squares is more than the square of the sum.
    size > u64::from(limits.private_memory) || weight > u64::from(limits.private_accesses)
}

/// The weights of a scalar that is loaded and of one that is stored, in the unit of
/// [`Limits::private_accesses`]: how many instructions llvmpipe makes of them, in proportion.
const LOAD: u64 = 2;
const STORE: u64 = 3;

/// How many accesses through addresses a kernel may have for each access of an array that is moved because of its
/// accesses. llvmpipe's time also grows with the square of their number, so that nothing is gained if there are more.
const ADDRESSED: u64 = 2;

fn lanes(ty: Ty) -> u64 {
    u64::from(ty.lanes)
}

/// A variable that can be moved.
struct Candidate {
    variable: Value,
    elem: Ty,
    bytes: u64,
    /// The number of scalars that its accesses load and store.
    accesses: u64,
    /// The sum of the squares of the weights of its accesses between two barriers.
    work: u64,
}

/// The accesses of a function.
struct Accesses {
    /// For each variable, its accesses in each part of the function that has any.
    of: HashMap<Value, Vec<Part>>,
    /// The number of scalars that are accessed through addresses.
    addressed: u64,
}

/// The accesses of a variable between two barriers.
struct Part {
    /// The number of barriers before it.
    number: u32,
    /// The number of scalars that are accessed.
    scalars: u64,
    /// The sum of their weights.
    weight: u64,
}

impl Accesses {
    fn new(func: &Function) -> Accesses {
        let mut found = Accesses {
            of: HashMap::default(),
            addressed: 0,
        };
        let mut number = 0;
        for inst in func.insts_in_order() {
            let data = &func.insts[inst];
            let (storage, scalars, weight) = match data.op {
                Op::Intrinsic(Intrinsic::Barrier(_)) => {
                    number += 1;
                    continue;
                }
                Op::LoadFrom(storage, _) => (storage, lanes(func.ty(data.results[0])), LOAD),
                Op::StoreTo(storage, _) => (storage, lanes(func.ty(data.args[storage.operands()])), STORE),
                _ => continue,
            };
            match storage {
                Storage::Physical => found.addressed += scalars,
                Storage::Variable => found.add(data.args[0], number, scalars, weight),
                _ => {}
            }
        }
        found
    }

    fn add(&mut self, variable: Value, number: u32, scalars: u64, weight: u64) {
        let weight = scalars * weight;
        let parts = self.of.entry(variable).or_default();
        match parts.last_mut() {
            Some(part) if part.number == number => {
                part.scalars += scalars;
                part.weight += weight;
            }
            _ => parts.push(Part {
                number,
                scalars,
                weight,
            }),
        }
    }

    /// Returns the number of scalars that the accesses of a variable load and store, and the sum of the squares of
    /// their weights between two barriers.
    fn of(&self, variable: Value) -> (u64, u64) {
        let parts = self.of.get(&variable).map_or(&[][..], Vec::as_slice);
        let scalars = parts.iter().map(|p| p.scalars).sum();
        (scalars, parts.iter().map(|p| p.weight.pow(2)).sum())
    }
}

/// The variables that are moved from a function.
struct Plan {
    /// For each variable, by its result: the offset in a slice, and the element type.
    moved: HashMap<Value, (u32, Ty)>,
    /// The size of a slice in bytes.
    bytes: u32,
}

impl Plan {
    /// Chooses the variables: the largest until the rest is small enough, then those with the most accesses until the
    /// rest has few enough. Returns `None` if all variables may stay.
    fn new(func: &Function, limits: &Limits, features: &Features) -> Option<Plan> {
        let accesses = Accesses::new(func);
        let mut list = Vec::new();
        let (mut bytes, mut work) = (0, 0);
        for inst in func.insts_in_order() {
            if let Op::Variable { elem, count } = func.insts[inst].op {
                let variable = func.insts[inst].results[0];
                let (accesses, own_work) = accesses.of(variable);
                let own_bytes = u64::from(elem.bytes()) * u64::from(count.max(1));
                bytes += own_bytes;
                work += own_work;
                if fits_buffer(elem, features) {
                    list.push(Candidate {
                        variable,
                        elem,
                        bytes: own_bytes,
                        accesses,
                        work: own_work,
                    });
                }
            }
        }
        let mut plan = Plan {
            moved: HashMap::default(),
            bytes: 0,
        };
        let mut addressed = accesses.addressed;
        let mut refused = Vec::new();
        while bytes > u64::from(limits.private_memory)
            && let Some(c) = take_largest(&mut list, |c| c.bytes)
        {
            if plan.add(&c) {
                bytes -= c.bytes;
                work -= c.work;
                addressed += c.accesses;
            } else {
                refused.push(c);
            }
        }
        list.append(&mut refused);
        let most = u64::from(limits.private_accesses).pow(2);
        while work > most
            && let Some(c) = take_largest(&mut list, |c| c.work)
        {
            if addressed <= ADDRESSED * c.accesses && plan.add(&c) {
                work -= c.work;
                addressed += c.accesses;
            }
        }
        (!plan.moved.is_empty()).then_some(plan)
    }

    /// Adds a variable, unless the slices would become too large.
    fn add(&mut self, c: &Candidate) -> bool {
        let size = u32::try_from(c.bytes.next_multiple_of(u64::from(ALIGN)));
        let Some(end) = size.ok().and_then(|size| self.bytes.checked_add(size)) else {
            return false;
        };
        self.moved.insert(c.variable, (self.bytes, c.elem));
        self.bytes = end;
        true
    }

    /// Rewrites the accesses of a function. `slot` is the offset of the address in the push constants.
    fn apply(&self, func: &mut Function, slot: u32) {
        let regions = func.regions_in_order();
        let body = func.body;
        let place = Place::new(func, slot, self);
        // The rewriting starts after the instructions that compute the place.
        let start = func.regions[body].insts.len() - place.rest;
        for region in regions {
            let mut old = std::mem::take(&mut func.regions[region].insts);
            if region == body {
                let rest = old.split_off(start);
                func.regions[region].insts = std::mem::replace(&mut old, rest);
            }
            let mut b = Builder::at_end(func, region);
            for inst in old {
                self.inst(&mut b, &place, inst);
            }
        }
    }

    /// Appends an instruction, rewritten if it concerns a variable that is moved.
    fn inst(&self, b: &mut Builder<'_>, place: &Place, inst: Inst) {
        let data = &b.func.insts[inst];
        b.span = data.span;
        let moved = |v: Option<&Value>| v.and_then(|v| self.moved.get(v)).copied();
        match data.op {
            Op::Variable { .. } if moved(data.results.first()).is_some() => return,
            Op::LoadFrom(Storage::Variable, access) | Op::StoreTo(Storage::Variable, access) => {
                if let Some((offset, elem)) = moved(data.args.first()) {
                    let is_load = matches!(data.op, Op::LoadFrom(..));
                    let (index, value) = (data.args[1], data.args.get(2).copied());
                    let address = place.element(b, offset, elem, index);
                    let access = Access {
                        align: elem.bytes(),
                        ..access
                    };
                    let data = &mut b.func.insts[inst];
                    data.op = match is_load {
                        true => Op::LoadFrom(Storage::Physical, access),
                        false => Op::StoreTo(Storage::Physical, access),
                    };
                    data.args = [address].into_iter().chain(value).collect();
                }
            }
            _ => {}
        }
        b.push(inst);
    }
}

/// Removes the candidate with the largest number from a list; of several, the first.
fn take_largest(list: &mut Vec<Candidate>, number: impl Fn(&Candidate) -> u64) -> Option<Candidate> {
    let largest = (0..list.len()).max_by_key(|&n| (number(&list[n]), Reverse(n)))?;
    Some(list.remove(largest))
}

/// Returns whether the buffer may have elements of a type.
fn fits_buffer(elem: Ty, features: &Features) -> bool {
    match elem.scalar.bytes() {
        1 => features.storage8,
        2 => features.storage16,
        _ => elem.scalar.matrix().is_none() && elem.bytes() <= LARGEST,
    }
}

/// The position of a work-item in the buffer.
struct Place {
    /// For each size of elements, the address of an element at the start of the work-item's slice.
    starts: Vec<(u32, Value)>,
    /// The number of instructions of the body after those that compute the position.
    rest: usize,
}

impl Place {
    /// Computes the position at the start of the function. `slot` is the offset of the buffer's address in the push
    /// constants.
    fn new(func: &mut Function, slot: u32, plan: &Plan) -> Place {
        let body = func.body;
        let rest = func.regions[body].insts.len();
        let mut b = Builder::before(func, body, 0);
        let base = b.pushed_address(slot);
        let item = number_in_dispatch(&mut b);
        let items = b.i32(SCRATCH_BLOCK as i32);
        let block = b.binary(BinOp::UDiv, item, items);
        let lane = b.binary(BinOp::URem, item, items);
        let moved = |b: &mut Builder<'_>, from: Value, by: Value, size: u32| {
            let size = b.i32(size as i32);
            let bytes = b.binary(BinOp::IMul, by, size);
            let bytes = b.cast(CastOp::ZExt, bytes, Ty::I64);
            b.binary(BinOp::IAdd, from, bytes)
        };
        let block = moved(&mut b, base, block, plan.bytes.wrapping_mul(SCRATCH_BLOCK));
        let is_used = |size: &u32| plan.moved.values().any(|(_, elem)| elem.bytes() == *size);
        let starts = (1..=LARGEST)
            .filter(is_used)
            .map(|size| (size, moved(&mut b, block, lane, size)));
        let starts = starts.collect();
        Place { starts, rest }
    }

    /// Returns the address of an element of an array that is at byte `offset` of the slices.
    fn element(&self, b: &mut Builder<'_>, offset: u32, elem: Ty, index: Value) -> Value {
        let (_, start) = *self
            .starts
            .iter()
            .find(|(size, _)| *size == elem.bytes())
            .expect("there is a start for each size of elements that are moved");
        let bytes = match b.func.as_bits(index) {
            Some(index) => {
                let distance = (index as u32).wrapping_mul(elem.bytes()).wrapping_add(offset);
                b.i64(i64::from(distance.wrapping_mul(SCRATCH_BLOCK)))
            }
            None => {
                let size = b.i32((elem.bytes() * SCRATCH_BLOCK) as i32);
                let first = b.i32(offset.wrapping_mul(SCRATCH_BLOCK) as i32);
                let row = b.binary(BinOp::IMul, index, size);
                let distance = b.binary(BinOp::IAdd, row, first);
                b.cast(CastOp::ZExt, distance, Ty::I64)
            }
        };
        b.binary(BinOp::IAdd, start, bytes)
    }
}

/// Computes the number of the work-item in its dispatch, work-group by work-group.
fn number_in_dispatch(b: &mut Builder<'_>) -> Value {
    let vector = Ty::vector(Scalar::I32, 3);
    let mut built_in = |op| {
        let v = b.value(Op::Intrinsic(op), vec![], vector);
        [0, 1, 2].map(|lane| b.extract(v, lane))
    };
    let group = built_in(Intrinsic::WorkgroupId);
    let groups = built_in(Intrinsic::NumWorkgroups);
    let local = built_in(Intrinsic::LocalInvocationId);
    let size = built_in(Intrinsic::WorkgroupSize);
    let mut linear = |at: [Value; 3], size: [Value; 3]| {
        let rows = b.binary(BinOp::IMul, at[2], size[1]);
        let rows = b.binary(BinOp::IAdd, rows, at[1]);
        let rest = b.binary(BinOp::IMul, rows, size[0]);
        b.binary(BinOp::IAdd, rest, at[0])
    };
    let group = linear(group, groups);
    let local = linear(local, size);
    let plane = b.binary(BinOp::IMul, size[0], size[1]);
    let size = b.binary(BinOp::IMul, plane, size[2]);
    let before = b.binary(BinOp::IMul, group, size);
    b.binary(BinOp::IAdd, before, local)
}
