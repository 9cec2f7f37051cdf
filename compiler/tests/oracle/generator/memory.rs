//! Generates accesses of all widths, through pointers of every address space that may or may not alias.

use super::{Generator, TRACE, WORD};
use caldera_compiler::intrinsic::{AtomicOp, Intrinsic};
use caldera_compiler::ir::{Access, AddressSpace, BinOp, CastOp, CmpOp, Op, Scalar, Ty, Value};

impl Generator<'_> {
    /// Returns the address of a word of the array.
    pub(super) fn index(&mut self) -> Value {
        let n = self.words();
        let (mask, four) = (self.b.i32(3), self.b.i32(4));
        let n = self.b.binary(BinOp::And, n, mask);
        let n = self.b.binary(BinOp::IMul, n, four);
        self.b.ptr_add(self.array, n)
    }

    /// Returns a word without a new memory access.
    fn words(&mut self) -> Value {
        let of_words = |&v: &Value| self.b.func.ty(v) == Ty::I32;
        let words: Vec<Value> = self.pool.iter().copied().filter(of_words).collect();
        self.random.of(&words)
    }

    /// Returns an address, and a type and access that are valid there.
    fn place(&mut self, base: Value) -> (Value, Ty, Access) {
        let types = [
            Ty::I32,
            Ty::I32,
            Ty::I32,
            Ty::I64,
            Ty::I8,
            Ty::I16,
            Ty::F32,
            Ty::F64,
            Ty::F16,
            Ty::vector(Scalar::I32, 2),
            Ty::vector(Scalar::I32, 3),
            Ty::vector(Scalar::F32, 4),
            Ty::vector(Scalar::I64, 2),
            Ty::vector(Scalar::I16, 8),
            Ty::vector(Scalar::I8, 16),
            Ty::vector(Scalar::I8, 3),
            Ty::vector(Scalar::I32, 8),
        ];
        let ty = match self.random.one_in(3) {
            true => super::typed::some_type(self.random),
            false => self.random.of(&types),
        };
        let step = ty.scalar.bytes();
        let at = step * self.random.below((32 / step as usize).saturating_sub(3).max(1)) as u32;
        let mut align = 1 << (at | 16).trailing_zeros();
        let mut pointer = base;
        if self.random.one_in(3) {
            let n = self.words();
            let (mask, scale) = (self.b.i32(3), self.b.i32(step as i32));
            let n = self.b.binary(BinOp::And, n, mask);
            let n = match self.random.below(3) {
                0 if step > 1 => {
                    let log = self.b.i32(step.trailing_zeros() as i32);
                    self.b.binary(BinOp::Shl, n, log)
                }
                _ => self.b.binary(BinOp::IMul, n, scale),
            };
            let n = if self.random.one_in(2) {
                let op = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
                self.b.cast(op, n, Ty::I64)
            } else {
                n
            };
            pointer = self.b.ptr_add(pointer, n);
            align = align.min(step);
        }
        let access = Access {
            align,
            volatile: self.random.one_in(20),
        };
        (self.b.ptr_offset(pointer, i64::from(at)), ty, access)
    }

    /// Generates a load or a store of any width.
    pub(super) fn access(&mut self) {
        let base = self.random.of(&self.data);
        let (pointer, ty, access) = self.place(base);
        if self.random.one_in(2) {
            let mut v = self.value(ty);
            if ty.scalar.is_float() {
                v = self.number(v);
            }
            self.b.store(pointer, v, access);
        } else {
            let v = self.b.load(pointer, ty, access);
            self.pool.push(v);
        }
    }

    /// Generates a load from memory that is never written, at one address for all work-items.
    pub(super) fn constant_load(&mut self) {
        if let Some(base) = self.constant {
            let (pointer, ty, access) = self.place(base);
            let v = self.b.load(pointer, ty, access);
            self.pool.push(v);
        }
    }

    /// Generates stores of bytes in a row, at a place that no constant states, in any order of bytes.
    fn byte_string(&mut self) {
        let base = self.random.of(&self.objects);
        let (n, mask) = (self.words(), self.b.i32(31));
        let start = self.b.binary(BinOp::And, n, mask);
        let flip = self.random.of(&[0, 3, 7, 7]);
        let widen = self.random.of(&[CastOp::SExt, CastOp::ZExt]);
        let bytes = Access {
            align: 1,
            volatile: self.random.one_in(20),
        };
        let word = self.word();
        for number in 0..8 + self.random.below(8) {
            let by = self.b.i32(number as i32);
            let mut at = self.b.binary(BinOp::IAdd, start, by);
            if flip != 0 {
                let flip = self.b.i32(flip);
                at = self.b.binary(BinOp::Xor, at, flip);
            }
            let offset = self.b.cast(widen, at, Ty::I64);
            let pointer = self.b.ptr_add(base, offset);
            let v = match self.random.one_in(4) {
                true => self.value(Ty::I8),
                false => {
                    let count = self.b.i32(number as i32 % 4 * 8);
                    let shifted = self.b.binary(BinOp::LShr, word, count);
                    self.b.cast(CastOp::Trunc, shifted, Ty::I8)
                }
            };
            self.b.store(pointer, v, bytes);
            if self.random.one_in(20) {
                self.access();
            }
        }
    }

    /// Generates a copy or a clear of several words, a string of bytes, or an atomic.
    pub(super) fn block_access(&mut self) {
        let [to, from] = [0, 1].map(|n| self.objects[n]);
        let words = 1 + self.random.below(8);
        let size = 4 * words as u32;
        let at = 4 * self.random.below(9 - words) as i64;
        match self.random.below(4) {
            0 => {
                let (to, from) = (
                    self.b.ptr_offset(to, at),
                    self.b.ptr_offset(from, 32 - i64::from(size)),
                );
                self.b.mem_cpy(to, WORD, from, WORD, size);
            }
            1 => {
                let to = self.b.ptr_offset(to, at);
                self.b.mem_zero(to, WORD, size);
            }
            2 => self.byte_string(),
            _ => self.atomic(),
        }
    }

    fn atomic(&mut self) {
        let shared = |&v: &Value| {
            let space = self.b.func.ty(v).space();
            matches!(space, Some(AddressSpace::Global | AddressSpace::Local))
        };
        let places: Vec<Value> = self.objects.iter().copied().filter(shared).collect();
        if places.is_empty() {
            return;
        }
        let at = 4 * self.random.below(8) as i64;
        let place = self.random.of(&places);
        let place = self.b.ptr_offset(place, at);
        let op = self.random.of(&[
            AtomicOp::Add,
            AtomicOp::Sub,
            AtomicOp::Xchg,
            AtomicOp::SMin,
            AtomicOp::SMax,
            AtomicOp::UMin,
            AtomicOp::UMax,
            AtomicOp::And,
            AtomicOp::Or,
            AtomicOp::Xor,
            AtomicOp::CmpXchg,
        ]);
        let ty = match self.long_atomics && at % 8 == 0 && self.random.one_in(2) {
            true => Ty::I64,
            false => Ty::I32,
        };
        let mut args = vec![place, self.value(ty)];
        if op == AtomicOp::CmpXchg {
            args.push(self.value(ty));
        }
        let old = self.b.intrinsic(Intrinsic::Atomic(op), args, Some(ty));
        self.pool.extend(old);
    }

    /// Generates a selected pointer, a pointer that is loaded from memory, or a comparison of pointers.
    pub(super) fn pointer(&mut self) {
        let first = self.random.of(&self.data);
        let ty = self.b.func.ty(first);
        let second = self.pointer_of(ty);
        match self.random.below(4) {
            0..=1 => {
                let c = self.condition();
                let either = self.b.select(c, first, second);
                self.data.push(either);
            }
            2 => {
                let op = self.random.of(&[CmpOp::IEq, CmpOp::INe]);
                let same = self.b.compare(op, first, second);
                self.pool.push(same);
            }
            _ => {
                let Some(&(slot, of)) = self.slots.iter().find(|s| s.1 == ty) else {
                    return;
                };
                let access = Access {
                    align: 8,
                    volatile: false,
                };
                if self.random.one_in(2) {
                    self.b.store(slot, first, access);
                }
                let loaded = self.b.load(slot, of, access);
                self.data.push(loaded);
            }
        }
    }

    /// Generates a generic pointer, or what becomes of one: its space, or a pointer to its space.
    pub(super) fn generic_pointer(&mut self) {
        let pointer = self.random.of(&self.data);
        let generic = Ty::ptr(AddressSpace::Generic);
        if self.b.func.ty(pointer) != generic {
            if self.data.iter().any(|&v| self.b.func.ty(v) == generic) {
                let cast = self.b.cast(CastOp::PtrCast, pointer, generic);
                self.data.push(cast);
            }
            return;
        }
        let tag = self
            .b
            .value(Op::Intrinsic(Intrinsic::PointerTag), vec![pointer], Ty::I32);
        self.pool.push(tag);
        let space = self.random.of(&AddressSpace::IN_GENERIC);
        let ty = Ty::ptr(space);
        if self.data.iter().any(|&v| self.b.func.ty(v) == ty) {
            let other = self.pointer_of(ty);
            let number = self.b.bits(Ty::I32, space.tag());
            let is = self.b.compare(CmpOp::IEq, tag, number);
            let cast = self.b.cast(CastOp::PtrCast, pointer, ty);
            let either = self.b.select(is, cast, other);
            self.data.push(either);
        }
    }

    /// Returns a pointer of this type to `DATA` bytes.
    pub(super) fn pointer_of(&mut self, ty: Ty) -> Value {
        let of_type = |&v: &Value| self.b.func.ty(v) == ty;
        let list: Vec<Value> = self.data.iter().copied().filter(of_type).collect();
        self.random.of(&list)
    }

    /// Returns a value for a result or an argument.
    pub(super) fn any(&mut self, ty: Ty) -> Value {
        match ty.scalar.is_ptr() {
            true => self.pointer_of(ty),
            false => self.value(ty),
        }
    }

    /// Generates `buffer[count++ % TRACE] ^= value`.
    pub(super) fn trace(&mut self, v: Value) {
        let v = self.word_of(v);
        let count = self.b.load(self.count, Ty::I32, WORD);
        let one = self.b.i32(1);
        let next = self.b.binary(BinOp::IAdd, count, one);
        self.b.store(self.count, next, WORD);
        let (mask, four) = (self.b.i32(TRACE as i32 - 1), self.b.i32(4));
        let at = self.b.binary(BinOp::And, count, mask);
        let at = self.b.binary(BinOp::IMul, at, four);
        let place = self.b.ptr_add(self.buffer, at);
        let old = self.b.load(place, Ty::I32, WORD);
        let new = self.b.binary(BinOp::Xor, old, v);
        self.b.store(place, new, WORD);
    }

    /// Generates an operation of those work-items of a sub-group that are active here, which may be any. Its result shows which
    /// they are.
    pub(super) fn active_items(&mut self) {
        use caldera_compiler::intrinsic::{SubgroupOp, SubgroupPart};
        let part = self.random.of(&[
            SubgroupPart::Reduce,
            SubgroupPart::Inclusive,
            SubgroupPart::Exclusive,
        ]);
        let (op, args, ty) = match self.random.below(7) {
            0 => (Intrinsic::SubgroupAll, vec![self.condition()], Ty::BOOL),
            1 => (Intrinsic::SubgroupAny, vec![self.condition()], Ty::BOOL),
            2 => {
                let value = self.word();
                (
                    Intrinsic::SubgroupArith(SubgroupOp::IAdd, part),
                    vec![value],
                    Ty::I32,
                )
            }
            3 => {
                let one = self.b.i32(1);
                (
                    Intrinsic::SubgroupArith(SubgroupOp::IAdd, part),
                    vec![one],
                    Ty::I32,
                )
            }
            _ => {
                let condition = match self.random.one_in(4) {
                    true => self.condition(),
                    false => self.b.func.splat_bits(Ty::BOOL, 1),
                };
                let words = Ty::vector(Scalar::I32, 4);
                let mask = self
                    .b
                    .value(Op::Intrinsic(Intrinsic::SubgroupBallot), vec![condition], words);
                let first = self.b.extract(mask, 0);
                self.pool.push(first);
                return self.trace(first);
            }
        };
        let v = self.b.value(Op::Intrinsic(op), args, ty);
        self.pool.push(v);
        if self.random.one_in(2) {
            self.trace(v);
        }
    }

    /// Generates an operation of the work-items of a sub-group on their values.
    pub(super) fn subgroup(&mut self) {
        use caldera_compiler::intrinsic::{FenceFlags, SubgroupOp, SubgroupPart};
        let ty = self.random.of(&[Ty::I32, Ty::I32, Ty::I64]);
        let last = i32::try_from(self.shape.subgroup).expect("small") - 1;
        let v = self.value(ty);
        let part = self.random.of(&[
            SubgroupPart::Reduce,
            SubgroupPart::Inclusive,
            SubgroupPart::Exclusive,
        ]);
        let op = self.random.of(&[
            SubgroupOp::IAdd,
            SubgroupOp::SMin,
            SubgroupOp::UMin,
            SubgroupOp::SMax,
            SubgroupOp::UMax,
        ]);
        let lane = match self.random.one_in(2) {
            true => self.b.i32(last.min(5)),
            false => {
                let (v, mask) = (self.word(), self.b.i32(last));
                self.b.binary(BinOp::And, v, mask)
            }
        };
        let (op, args, ty) = match self.random.below(8) {
            0 => (Intrinsic::SubgroupAll, vec![self.condition()], Ty::BOOL),
            1 => (Intrinsic::SubgroupAny, vec![self.condition()], Ty::BOOL),
            2 => {
                let lane = self.b.i32(last.min(1));
                (Intrinsic::SubgroupBroadcast, vec![v, lane], ty)
            }
            3 => (Intrinsic::SubgroupShuffle, vec![v, lane], ty),
            4 => (Intrinsic::SubgroupShuffleXor, vec![v, lane], ty),
            5 => {
                let both = FenceFlags {
                    local: true,
                    global: true,
                };
                self.b.intrinsic(Intrinsic::SubgroupBarrier(both), vec![], None);
                return;
            }
            _ => (Intrinsic::SubgroupArith(op, part), vec![v], ty),
        };
        let v = self.b.value(Op::Intrinsic(op), args, ty);
        self.pool.push(v);
    }
}
