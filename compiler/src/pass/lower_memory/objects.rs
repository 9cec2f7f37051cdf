//! Pointers under the descriptor ABI: offsets into memory objects, which the access names.
//!
//! A pointer that can point into one object only is an I32 byte offset into that object. A pointer that may
//! point into several is an I64: the number of the object plus one in the upper 32 bits, and the byte offset
//! in the lower 32. Additions to it leave the number alone, and NULL is 0. An access through such a pointer
//! is a switch over the objects. A pointer that is converted to a number or stored in memory always has the
//! second form.
//!
//! Where a kernel compares pointers in a way that can find NULL, or converts them to numbers, NULL counts as
//! an object, so that a pointer that may be NULL has the second form.
//!
//! `points_to` finds the objects. A pointer that it cannot follow is an error of the program: one loaded from
//! a buffer, or one made of a number that was no pointer. Pointers in the program's constant data have the
//! second form, too; the data are one object.

use super::access::{Array, Target};
use super::element::{Accesses, Direction};
use super::local::Arena;
use super::matrix;
use super::{Lower, bug};
use crate::abi::DescriptorAbi;
use crate::intrinsic::Intrinsic;
use crate::ir::inst::{BinOp, CastOp};
use crate::ir::module::{object_pointer, pointed_object};
use crate::ir::{
    Access, AddressSpace, Function, Global, GlobalData, Inst, Map, MemoryObject, Op, Scalar, Storage, Ty,
    Value,
};
use crate::pass::PassError;
use crate::pass::analysis::points_to::PointsTo;
use crate::target::{self, Features};
use std::collections::{BTreeMap, BTreeSet};

/// The memory objects of a kernel, and the objects that its pointers may point into.
#[derive(Debug)]
pub(super) struct Objects {
    sets: PointsTo,
    /// All memory objects of the kernel; the index is the number of the object. NULL has the number after the
    /// last.
    pub(super) list: Vec<MemoryObject>,
    /// The accesses to each object by width in bytes; width 0 for an object that has one element type.
    accesses: BTreeMap<(u32, u32), Accesses>,
    /// The object of each variable in local or constant memory.
    numbers: BTreeMap<Global, u32>,
    features: Features,
    /// Local memory has no elements of 8-bit and 16-bit integers.
    lacks_narrow: bool,
    /// The buffers that have one element type for accesses of all widths.
    whole: BTreeSet<u32>,
}

/// Returns whether pointers of an address space are offsets into objects.
pub(super) fn is_object_space(space: AddressSpace) -> bool {
    match space {
        AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local => true,
        AddressSpace::Private | AddressSpace::Push | AddressSpace::Args | AddressSpace::Generic => false,
    }
}

impl Objects {
    /// Finds the objects of a function's pointers and collects the accesses. `list` has the objects of the
    /// arguments; those of variables are added. `needed`: the `GlobalAddr` instructions of constants whose
    /// address is needed.
    pub(super) fn new(
        func: &Function,
        globals: &Map<Global, GlobalData>,
        mut list: Vec<MemoryObject>,
        needed: &BTreeSet<Inst>,
        abi: &DescriptorAbi,
        target: &target::Target,
    ) -> Objects {
        let mut numbers = BTreeMap::new();
        let insts = func.insts_in_order();
        for &inst in &insts {
            let Op::GlobalAddr(g) = func.insts[inst].op else {
                continue;
            };
            let object = match globals[g].space {
                AddressSpace::Local => MemoryObject::Local(g),
                // `object_address` reports it.
                AddressSpace::Global => continue,
                _ if !needed.contains(&inst) => continue,
                _ if abi.constants_in_buffer => MemoryObject::Constants,
                _ => MemoryObject::Constant(g),
            };
            let number = list.iter().position(|o| *o == object).unwrap_or_else(|| {
                list.push(object);
                list.len() - 1
            });
            numbers.insert(g, number as u32);
        }
        let null = list.len() as u32;
        let constants = list.iter().position(|o| *o == MemoryObject::Constants);
        let roots = |v: Value| match func.def_inst(v) {
            Some(inst) => match func.insts[inst].op {
                Op::GlobalAddr(g) => [numbers.get(&g).copied(), None],
                Op::Load(_) if func.ty(func.insts[inst].args[0]).space() == Some(AddressSpace::Constant) => {
                    [constants.map(|n| n as u32), Some(null)]
                }
                _ => [None; 2],
            },
            None => match func.as_bits(v) {
                Some(0) => [None, Some(null)],
                other => [other.and_then(pointed_object), None],
            },
        };
        let known = |v: Value| roots(v).into_iter().flatten().filter(|&n| n != null);
        let mut sets = PointsTo::new(func, list.len(), known);
        if asks_for_null(func, &sets) {
            sets = PointsTo::new(func, list.len() + 1, |v| roots(v).into_iter().flatten());
        }
        let mut objects = Objects {
            sets,
            list,
            accesses: BTreeMap::new(),
            numbers,
            features: target.features,
            lacks_narrow: target.lacks_narrow_integers(),
            whole: BTreeSet::new(),
        };
        for &inst in &insts {
            objects.record(func, inst);
        }
        if !abi.aliased {
            objects.whole = objects.of_several_widths();
            objects.accesses.clear();
            for &inst in &insts {
                objects.record(func, inst);
            }
        }
        objects
    }

    /// Returns whether a pointer may point into several objects, or into one and be NULL.
    pub(super) fn is_many(&self, v: Value) -> bool {
        self.sets.is_many(v)
    }

    /// Returns the type of a pointer.
    pub(super) fn pointer_type(&self, v: Value) -> Ty {
        if self.is_many(v) { Ty::I64 } else { Ty::I32 }
    }

    /// Returns the numbers of the objects that a pointer may point into, without NULL.
    pub(super) fn of(&self, v: Value) -> Vec<u32> {
        let null = self.list.len() as u32;
        self.sets.of(v).filter(|&n| n != null).collect()
    }

    /// Returns the object of a pointer that points into one object only and is never NULL.
    fn single(&self, v: Value) -> Option<u32> {
        match self.is_many(v) {
            true => None,
            false => self.of(v).first().copied(),
        }
    }

    /// Returns the buffers that get one element type because they have accesses of several widths. An element
    /// type for each width would need variables with the same descriptor, decorated `Aliased`, which clspv's
    /// mapping does not have. Buffers with atomic operations of two widths are excluded: no single element
    /// type suits them.
    fn of_several_widths(&self) -> BTreeSet<u32> {
        let mut widths: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for ((object, _), accesses) in &self.accesses {
            let (all, atomic) = widths.entry(*object).or_default();
            *all += 1;
            *atomic += u32::from(accesses.has_atomics());
        }
        let several = widths
            .into_iter()
            .filter(|&(object, (all, atomic))| self.by_width(object) && all > 1 && atomic <= 1);
        several.map(|(object, _)| object).collect()
    }

    /// Returns whether accesses to an object have an element type for each width, and not one for all.
    fn by_width(&self, object: u32) -> bool {
        if self.whole.contains(&object) {
            return false;
        }
        match self.list.get(object as usize) {
            Some(MemoryObject::Printf | MemoryObject::Storage { .. } | MemoryObject::Constants) => true,
            Some(
                MemoryObject::Uniform { .. }
                | MemoryObject::LocalArray { .. }
                | MemoryObject::Local(_)
                | MemoryObject::Constant(_)
                | MemoryObject::EndedLoops { .. },
            )
            | None => false,
        }
    }

    /// Returns the width in bytes of the accesses that the device offers for an access of `bytes` bytes.
    fn width(&self, bytes: u32) -> u32 {
        match bytes {
            1 if !self.features.storage8 => 4,
            2 if !self.features.storage16 => 4,
            other => other,
        }
    }

    /// Collects the memory accesses of an instruction.
    fn record(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        match &data.op {
            Op::Load(access) => {
                let ty = func.ty(data.results[0]);
                self.typed(data.args[0], ty, *access, Direction::Load);
            }
            Op::Store(access) => {
                let ty = func.ty(data.args[1]);
                self.typed(data.args[0], ty, *access, Direction::Store);
            }
            Op::MemCpy { size, dst, src } => {
                for (&pointer, direction) in data.args.iter().zip([Direction::Store, Direction::Load]) {
                    self.bulk(pointer, dst.align.min(src.align), *size, direction);
                }
            }
            Op::MemZero { size, dst } => self.bulk(data.args[0], dst.align, *size, Direction::Store),
            Op::Intrinsic(Intrinsic::Matrix(op)) => {
                if let Some((align, direction)) = matrix::bulk(func, inst, *op) {
                    self.bulk(data.args[0], align, align, direction);
                }
            }
            Op::Intrinsic(Intrinsic::Atomic(_)) => {
                let value = data.results.first().or(data.args.get(1));
                let ty = value.map_or(Ty::I32, |&v| func.ty(v));
                for object in self.of(data.args[0]) {
                    let width = if self.by_width(object) { ty.bytes() } else { 0 };
                    self.accesses.entry((object, width)).or_default().atomic(ty);
                }
            }
            _ => {}
        }
    }

    /// Collects a load or store.
    fn typed(&mut self, pointer: Value, ty: Ty, access: Access, direction: Direction) {
        for object in self.of(pointer) {
            if !self.by_width(object) {
                let accesses = self.accesses.entry((object, 0)).or_default();
                accesses.typed(ty, access, direction, 1);
                continue;
            }
            let bytes = ty.scalar.bytes();
            let width = self.width(bytes.min(access.align));
            let accesses = self.accesses.entry((object, width)).or_default();
            if width == bytes {
                accesses.typed(ty, access, direction, 1);
            } else if width < bytes {
                accesses.typed(Ty::of(Scalar::int(width * 8)), aligned(width), direction, 1);
            } else {
                // The access concerns a part of a word; a store must then be atomic.
                accesses.atomic(Ty::of(Scalar::int(width * 8)));
            }
        }
    }

    /// Collects a copy or fill.
    fn bulk(&mut self, pointer: Value, align: u32, size: u32, direction: Direction) {
        for object in self.of(pointer) {
            if !self.by_width(object) {
                let accesses = self.accesses.entry((object, 0)).or_default();
                accesses.bulk(align, size, direction, 1);
                continue;
            }
            for piece in [4, 2, 1] {
                let width = self.width(piece);
                let accesses = self.accesses.entry((object, width)).or_default();
                let ty = Ty::of(Scalar::int(width * 8));
                if width == piece {
                    accesses.typed(ty, aligned(width), direction, 1);
                } else {
                    accesses.atomic(ty);
                }
            }
        }
    }

    /// Returns the element type for an access of `bytes` bytes.
    fn elem(&self, object: u32, bytes: u32) -> Ty {
        if let Some(MemoryObject::Uniform { .. }) = self.list.get(object as usize) {
            return Ty::I32;
        }
        let width = if self.by_width(object) {
            self.width(bytes)
        } else {
            0
        };
        match self.accesses.get(&(object, width)) {
            Some(accesses) if self.is_local(object) => match accesses.shared_element() {
                // As `without_narrow` does for the physical ABI.
                element if self.lacks_narrow && element.scalar.bytes() < 4 && element.scalar.is_int() => {
                    Ty::I32
                }
                element => element,
            },
            Some(accesses) => accesses.element(),
            None => Ty::of(Scalar::int(width.max(1) * 8)),
        }
    }

    /// Returns whether an object is local memory.
    fn is_local(&self, object: u32) -> bool {
        let object = self.list.get(object as usize);
        matches!(
            object,
            Some(MemoryObject::LocalArray { .. } | MemoryObject::Local(_))
        )
    }

    /// Returns the storage for an access to an object with an element type.
    fn storage(&self, object: u32, elem: Ty) -> Storage {
        match self.list.get(object as usize) {
            Some(MemoryObject::LocalArray { .. } | MemoryObject::Local(_)) => Storage::Shared(object, elem),
            Some(MemoryObject::Uniform { .. } | MemoryObject::Constants | MemoryObject::Constant(_)) => {
                Storage::ReadOnly(object, elem)
            }
            Some(MemoryObject::Printf | MemoryObject::Storage { .. } | MemoryObject::EndedLoops { .. })
            | None => Storage::Buffer(object, elem),
        }
    }
}

fn aligned(align: u32) -> Access {
    Access {
        align,
        volatile: false,
    }
}

/// Returns whether a kernel can find out which pointers are NULL.
fn asks_for_null(func: &Function, sets: &PointsTo) -> bool {
    let is_object = |v: Value| func.ty(v).space().is_some_and(is_object_space);
    func.insts_in_order().into_iter().any(|inst| {
        let data = &func.insts[inst];
        match data.op {
            Op::Compare(_) => {
                let [a, b] = [data.args[0], data.args[1]];
                is_object(a) && (sets.is_many(a) || !sets.of(a).eq(sets.of(b)))
            }
            Op::Cast(CastOp::PtrToInt) => is_object(data.args[0]),
            _ => false,
        }
    })
}

/// A pointer that may point into several objects.
#[derive(Clone, Debug)]
pub(super) struct Several {
    /// The pointer as an I64.
    pointer: Value,
    objects: Vec<u32>,
}

impl Lower<'_> {
    fn objects(&self) -> Result<&Objects, PassError> {
        self.objects
            .as_ref()
            .ok_or_else(|| bug("a pointer into an object in the physical ABI").into())
    }

    /// Returns a pointer into an object as an I64, whichever form it has.
    pub(super) fn tagged(&mut self, v: Value) -> Value {
        let new = self.mapped(v);
        if self.b.func.ty(new) == Ty::I64 {
            return new;
        }
        let object = self.objects.as_ref().and_then(|o| o.single(v));
        let wide = self.b.cast(CastOp::ZExt, new, Ty::I64);
        let Some(object) = object else {
            // The pointer is NULL, plus an offset.
            return wide;
        };
        let tag = self.b.bits(Ty::I64, object_pointer(object));
        self.b.binary(BinOp::IAdd, wide, tag)
    }

    /// Returns the new operand number `n` of an instruction, converted if a pointer of one form flows into
    /// the other.
    pub(super) fn flowing(&mut self, inst: Inst, n: usize, v: Value) -> Value {
        let is_object = self.space(v).is_some_and(is_object_space);
        let Some(objects) = self.objects.as_ref().filter(|_| is_object) else {
            return self.mapped(v);
        };
        let data = &self.b.func.insts[inst];
        let to = match &data.op {
            Op::Select => Some(data.results[0]),
            Op::Loop => Some(self.b.func.regions[data.regions[0]].args[n]),
            Op::Exit(target) => Some(self.b.func.insts[*target].results[n]),
            Op::Repeat(target) => {
                let region = self.b.func.insts[*target].regions[0];
                Some(self.b.func.regions[region].args[n])
            }
            Op::Compare(_) => {
                let same = objects.single(data.args[0]).is_some()
                    && objects.single(data.args[0]) == objects.single(data.args[1]);
                return if same { self.mapped(v) } else { self.tagged(v) };
            }
            _ => None,
        };
        match to {
            Some(to) if objects.is_many(to) => self.tagged(v),
            Some(_) | None => self.mapped(v),
        }
    }

    /// Returns the address of a variable in local or constant memory.
    pub(super) fn object_address(&mut self, g: Global) -> Result<Value, PassError> {
        if self.globals[g].space == AddressSpace::Global {
            return Err(self.not_in_abi("a program-scope variable", "it has no buffer for variables"));
        }
        let object = self.objects()?.numbers.get(&g).copied();
        let in_blob = object.is_some_and(|n| {
            self.objects
                .as_ref()
                .is_some_and(|o| o.list[n as usize] == MemoryObject::Constants)
        });
        let Some(_) = object else {
            return Ok(self.b.undef(Ty::I32));
        };
        let has_pointers = self.globals[g]
            .init
            .as_ref()
            .is_some_and(|i| !i.relocations.is_empty());
        if has_pointers && !in_blob {
            return Err(self.not_in_abi("a pointer in constant memory", "pointers cannot be in buffers"));
        }
        if !in_blob {
            return Ok(self.b.i32(0));
        }
        let offset = self
            .blob
            .offset(g, self.globals)
            .map_err(|_| super::too_large())?;
        Ok(self.b.i32(offset as i32))
    }

    /// Returns the error for a program that the descriptor ABI cannot express.
    pub(super) fn not_in_abi(&self, what: &str, why: &'static str) -> PassError {
        PassError::NotInAbi {
            what: what.into(),
            why,
            span: self.b.span,
        }
    }

    /// Returns the memory that a pointer into an object points to.
    pub(super) fn object_target(&mut self, pointer: Value) -> Result<Target, PassError> {
        let objects = self.objects()?;
        let list = objects.of(pointer);
        match list[..] {
            [] => Ok(Target::Nowhere),
            [object] => {
                let elem = objects.elem(object, 4);
                let storage = objects.storage(object, elem);
                let may_be_null = objects.is_many(pointer);
                let pointer = match may_be_null {
                    false => pointer,
                    true => {
                        let tagged = self.mapped(pointer);
                        self.b.cast(CastOp::Trunc, tagged, Ty::I32)
                    }
                };
                Ok(Target::Array(Array {
                    storage,
                    variable: None,
                    elem,
                    pointer,
                }))
            }
            _ => {
                let pointer = self.mapped(pointer);
                Ok(self.several(pointer, list))
            }
        }
    }

    /// Returns the target for a pointer that may point into several objects.
    fn several(&mut self, pointer: Value, objects: Vec<u32>) -> Target {
        self.several.push(Several { pointer, objects });
        Target::Several(self.several.len() - 1)
    }

    /// Returns the target `offset` bytes, a number at run time, after another one.
    pub(super) fn several_moved(&mut self, n: usize, offset: Value) -> Target {
        let Several { pointer, objects } = self.several[n].clone();
        let wide = self.b.cast(CastOp::ZExt, offset, Ty::I64);
        let pointer = self.b.binary(BinOp::IAdd, pointer, wide);
        self.several(pointer, objects)
    }

    /// Returns the array with the element type that suits an access.
    pub(super) fn suited(&self, a: Array, ty: Ty, access: Access) -> Array {
        if let (Storage::Arena(_), Arena::Views(views)) = (a.storage, &self.plan.local.arena) {
            let elem = views.element(ty, access.align);
            return Array {
                storage: Storage::Arena(elem),
                elem,
                ..a
            };
        }
        let (object, Some(objects)) = (object_of(a.storage), &self.objects) else {
            return a;
        };
        let Some(object) = object.filter(|&o| objects.by_width(o)) else {
            return a;
        };
        let elem = objects.elem(object, ty.scalar.bytes().min(access.align));
        Array {
            storage: objects.storage(object, elem),
            elem,
            ..a
        }
    }

    /// Returns the element type of the object to which a storage refers, if the object has only one.
    pub(super) fn one_element(&self, storage: Storage) -> Option<Ty> {
        let (object, objects) = (object_of(storage)?, self.objects.as_ref()?);
        (!objects.by_width(object)).then(|| objects.elem(object, 4))
    }

    /// Returns the size in bytes of the largest element of the objects that a pointer may point into, of those that
    /// have one element type.
    pub(super) fn largest_of_several(&self, n: usize) -> Option<u32> {
        let all = self.objects.as_ref()?;
        let one = self.several[n].objects.iter().filter(|&&o| !all.by_width(o));
        one.map(|&o| all.elem(o, 4).bytes()).max()
    }

    /// Calls `work` for each of the objects that a pointer may point into, in the arms of a switch, and
    /// returns the result of the switch.
    pub(super) fn in_each(
        &mut self,
        n: usize,
        result: Option<Ty>,
        work: &mut dyn FnMut(&mut Self, Target) -> Option<Value>,
    ) -> Option<Value> {
        let Several { pointer, objects } = self.several[n].clone();
        let offset = self.b.cast(CastOp::Trunc, pointer, Ty::I32);
        let half = self.b.i64(32);
        let high = self.b.binary(BinOp::LShr, pointer, half);
        let tag = self.b.cast(CastOp::Trunc, high, Ty::I32);
        // The last object is the default case: a valid pointer that is none of the others points into it.
        let (last, first) = objects.split_last()?;
        let cases = first.iter().map(|&o| vec![u64::from(o) + 1]).collect();
        let results: Vec<Ty> = result.into_iter().collect();
        let (choice, regions) = self.b.switch(tag, cases, &results);
        for (&object, region) in first.iter().chain([last]).zip(regions) {
            self.b.enter(region);
            let all = self.objects.as_ref()?;
            let elem = all.elem(object, 4);
            let storage = all.storage(object, elem);
            let target = Target::Array(Array {
                storage,
                variable: None,
                elem,
                pointer: offset,
            });
            let value = work(self, target);
            self.b.exit(choice, value.into_iter().collect());
            self.b.leave();
        }
        self.b.results(choice).first().copied()
    }
}

/// Returns the number of the object to which a storage refers.
fn object_of(storage: Storage) -> Option<u32> {
    match storage {
        Storage::Buffer(n, _) | Storage::Shared(n, _) | Storage::ReadOnly(n, _) => Some(n),
        Storage::Physical | Storage::Arena(_) | Storage::Variable | Storage::PushWord | Storage::ArgsWord => {
            None
        }
    }
}
