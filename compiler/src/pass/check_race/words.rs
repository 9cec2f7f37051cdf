//! The words that stand for accesses, whose form [`race`] describes, and the clocks that count barriers.

use crate::check::{memory, race};
use crate::intrinsic::{AtomicOp, Intrinsic};
use crate::ir::{Access, BinOp, Builder, CastOp, CmpOp, Op, Scalar, Ty, Value};
use crate::pass::shadow::{self, linear};

const WORD: Access = Access {
    align: 4,
    volatile: false,
};

/// The number of a barrier that no clock passes.
const LAST: u32 = u32::MAX << race::BARRIER_SHIFT;

/// What a work-item knows of itself and of time, for local or for global memory.
#[derive(Copy, Clone)]
pub(super) struct Clock {
    /// The variable with the number of barriers, at its place in a word.
    passed: Value,
    /// The work-item, at its place in a word.
    item: Value,
    /// For global memory: the first work-item of the group, and the number of its work-items.
    group: Option<(Value, Value)>,
    /// Accesses of other groups are races.
    others: bool,
}

impl Clock {
    /// Starts a clock for local memory. `own`: the number of the work-item in its group.
    pub(super) fn of_group(b: &mut Builder<'_>, own: Value) -> Clock {
        let last = b.i32(race::MODULUS as i32 - 1);
        let own = b.value(Op::Intrinsic(Intrinsic::UMin), vec![own, last], Ty::I32);
        Clock::start(b, own)
    }

    /// Starts a clock for global memory. `own`: see above; `items`: the size of the group; `group`: the number of the group.
    /// `synchronise`: different groups may do so.
    pub(super) fn of_launch(
        b: &mut Builder<'_>,
        own: Value,
        items: Value,
        group: Value,
        synchronise: bool,
    ) -> Clock {
        // No group is as large as the modulus, so neither the product nor the sum overflows.
        let modulus = b.i32(race::MODULUS as i32);
        let (_, size) = linear(b, Intrinsic::LocalId, Intrinsic::EnqueuedLocalSize);
        let [group, size] = [group, size].map(|v| b.binary(BinOp::URem, v, modulus));
        let first = b.binary(BinOp::IMul, group, size);
        let first = b.binary(BinOp::URem, first, modulus);
        let number = b.binary(BinOp::IAdd, first, own);
        let number = b.binary(BinOp::URem, number, modulus);
        Clock {
            group: Some((first, items)),
            others: !synchronise,
            ..Clock::start(b, number)
        }
    }

    fn start(b: &mut Builder<'_>, number: Value) -> Clock {
        let (one, shift) = (b.i32(1), b.i32(race::ITEM_SHIFT as i32));
        let item = b.binary(BinOp::IAdd, number, one);
        let item = b.binary(BinOp::Shl, item, shift);
        let passed = b.alloca(4, 4);
        let start = b.i32(1 << race::BARRIER_SHIFT);
        b.store(passed, start, WORD);
        Clock {
            passed,
            item,
            group: None,
            others: false,
        }
    }

    /// Counts a barrier, unless the counter has its greatest value.
    pub(super) fn advance(&self, b: &mut Builder<'_>) {
        let step = 1 << race::BARRIER_SHIFT;
        let before = b.load(self.passed, Ty::I32, WORD);
        let (most, step) = (b.i32((LAST - step) as i32), b.i32(step as i32));
        let before = b.value(Op::Intrinsic(Intrinsic::UMin), vec![before, most], Ty::I32);
        let after = b.binary(BinOp::IAdd, before, step);
        b.store(self.passed, after, WORD);
    }

    /// Computes the word for an access now, in a line of this number.
    pub(super) fn tag(&self, b: &mut Builder<'_>, line: u32) -> Value {
        let epoch = b.load(self.passed, Ty::I32, WORD);
        let tag = b.binary(BinOp::Or, epoch, self.item);
        let line = b.i32(line as i32);
        b.binary(BinOp::Or, tag, line)
    }

    /// Computes whether a word is of another work-item, and no barrier is between that access and the one with this tag.
    pub(super) fn is_live(&self, b: &mut Builder<'_>, word: Value, tag: Value) -> Value {
        let change = b.binary(BinOp::Xor, word, tag);
        let shift = b.i32(race::BARRIER_SHIFT as i32);
        let passed = b.binary(BinOp::LShr, change, shift);
        let (zero, last) = (b.i32(0), b.i32(LAST as i32));
        let same_time = b.compare(CmpOp::IEq, passed, zero);
        let is_counted = b.compare(CmpOp::ULt, tag, last);
        let items = b.i32(race::ITEMS as i32);
        let item = b.binary(BinOp::And, change, items);
        let differs = b.compare(CmpOp::INe, item, zero);
        let several = b.i32(race::SEVERAL as i32);
        let line = b.binary(BinOp::And, word, several);
        let is_several = b.compare(CmpOp::IEq, line, several);
        let differs = b.binary(BinOp::Or, differs, is_several);
        let in_group = b.binary(BinOp::And, same_time, is_counted);
        let in_group = b.binary(BinOp::And, in_group, differs);
        let Some(same_group) = self.is_same_group(b, word) else {
            return in_group;
        };
        let in_group = b.binary(BinOp::And, in_group, same_group);
        if !self.others {
            return in_group;
        }
        let any = b.compare(CmpOp::INe, word, zero);
        let yes = b.bool(true);
        let other = b.binary(BinOp::Xor, same_group, yes);
        let other = b.binary(BinOp::And, any, other);
        b.binary(BinOp::Or, in_group, other)
    }

    /// Computes whether a word may be of a work-item of the same group; `None`: it certainly is.
    fn is_same_group(&self, b: &mut Builder<'_>, word: Value) -> Option<Value> {
        let (first, items) = self.group?;
        let (mask, shift) = (b.i32(race::ITEMS as i32), b.i32(race::ITEM_SHIFT as i32));
        let item = b.binary(BinOp::And, word, mask);
        let item = b.binary(BinOp::LShr, item, shift);
        let (one, modulus) = (b.i32(1), b.i32(race::MODULUS as i32));
        let number = b.binary(BinOp::ISub, item, one);
        // The distance from the first work-item, by the modulus.
        let distance = b.binary(BinOp::ISub, number, first);
        let wrapped = b.binary(BinOp::IAdd, distance, modulus);
        let distance = b.value(Op::Intrinsic(Intrinsic::UMin), vec![distance, wrapped], Ty::I32);
        let near = b.compare(CmpOp::ULt, distance, items);
        let of_several = b.i32(race::GROUPS as i32);
        let is_one = b.compare(CmpOp::INe, word, of_several);
        Some(b.binary(BinOp::And, near, is_one))
    }

    /// Computes whether a word already states the access with this tag, also as one of several.
    pub(super) fn is_noted(&self, b: &mut Builder<'_>, word: Value, tag: Value) -> Value {
        let is_same = b.compare(CmpOp::IEq, word, tag);
        let of_several = self.is_of_several(b, word, tag);
        let noted = b.binary(BinOp::Or, is_same, of_several);
        match self.group {
            None => noted,
            Some(_) => {
                let groups = b.i32(race::GROUPS as i32);
                let is_all = b.compare(CmpOp::IEq, word, groups);
                b.binary(BinOp::Or, noted, is_all)
            }
        }
    }

    /// Computes whether a word is that of several work-items of the own group since the last barrier.
    fn is_of_several(&self, b: &mut Builder<'_>, word: Value, tag: Value) -> Value {
        // The work-item that a word of several names does not matter.
        let items = b.i32(race::ITEMS as i32);
        let [word_at, tag_at] = [word, tag].map(|w| b.binary(BinOp::Or, w, items));
        let several = b.i32(race::SEVERAL as i32);
        let expected = b.binary(BinOp::Or, tag_at, several);
        let is_equal = b.compare(CmpOp::IEq, word_at, expected);
        match self.is_same_group(b, word) {
            None => is_equal,
            Some(same_group) => b.binary(BinOp::And, is_equal, same_group),
        }
    }

    /// Computes the word for the access with this tag and a live one of another work-item.
    pub(super) fn several(&self, b: &mut Builder<'_>, before: Value, tag: Value) -> Value {
        let several = b.i32(race::SEVERAL as i32);
        let in_group = b.binary(BinOp::Or, tag, several);
        match self.is_same_group(b, before) {
            None => in_group,
            Some(same_group) => {
                let groups = b.i32(race::GROUPS as i32);
                b.select(same_group, in_group, groups)
            }
        }
    }
}

/// Exchanges a word, and returns the old one.
pub(super) fn exchange(b: &mut Builder<'_>, at: Value, word: Value) -> Value {
    let op = Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Xchg));
    b.value(op, vec![at, word], Ty::I32)
}

/// Reads a word that other work-items may change.
pub(super) fn read(b: &mut Builder<'_>, at: Value) -> Value {
    b.value(
        Op::Intrinsic(Intrinsic::Atomic(AtomicOp::Load)),
        vec![at],
        Ty::I32,
    )
}

/// Notes the bits that a store with this tag stores. Returns whether the last store since the last barrier stored others.
pub(super) fn exchange_value(b: &mut Builder<'_>, at: Value, bits: Value, tag: Value) -> Value {
    let bits_of_value = b.i32(32 - race::BARRIER_SHIFT as i32);
    let factor = b.i32(0x9e37_79b1_u32 as i32);
    let hash = b.binary(BinOp::IMul, bits, factor);
    let hash = b.binary(BinOp::LShr, hash, bits_of_value);
    let (last, shift) = (b.i32(LAST as i32), b.i32(race::BARRIER_SHIFT as i32));
    let epoch = b.binary(BinOp::And, tag, last);
    let word = b.binary(BinOp::Or, hash, epoch);
    let before = exchange(b, at, word);
    let change = b.binary(BinOp::Xor, before, word);
    let passed = b.binary(BinOp::LShr, change, shift);
    let zero = b.i32(0);
    let same_time = b.compare(CmpOp::IEq, passed, zero);
    let differs = b.compare(CmpOp::INe, change, zero);
    b.binary(BinOp::And, same_time, differs)
}

/// Computes an i32 from all bits of a value.
pub(super) fn hash(b: &mut Builder<'_>, value: Value) -> Value {
    let ty = b.func.ty(value);
    let size = ty.scalar.bytes().max(1);
    let ints = ty.with_scalar(Scalar::int(8 * size));
    let bits = match ty.scalar {
        s if s.is_int() => value,
        s if s.is_ptr() => b.cast(CastOp::PtrToInt, value, ints),
        _ => b.cast(CastOp::Bitcast, value, ints),
    };
    let factor = b.i32(0x85eb_ca6b_u32 as i32);
    let mut hash = b.i32(0);
    for lane in 0..ty.lanes {
        let lane = match ty.is_vector() {
            true => b.extract(bits, lane),
            false => bits,
        };
        let mut parts = vec![lane];
        if size == 8 {
            let half = b.i64(32);
            parts.push(b.binary(BinOp::LShr, lane, half));
        }
        for part in parts {
            let part = match size {
                8 => b.cast(CastOp::Trunc, part, Ty::I32),
                4 => part,
                _ => b.cast(CastOp::ZExt, part, Ty::I32),
            };
            let sum = b.binary(BinOp::IMul, hash, factor);
            hash = b.binary(BinOp::IAdd, sum, part);
        }
    }
    hash
}

/// Computes the address of the words of a work-group for a local argument of this size; 0 if there are none.
pub(super) fn of_group(b: &mut Builder<'_>, words: Value, bytes: Value, unit: u32, group: Value) -> Value {
    let (most, log) = (b.i64(i64::from(unit) - 1), b.i64(unit.trailing_zeros().into()));
    let elements = b.binary(BinOp::IAdd, bytes, most);
    let elements = b.binary(BinOp::LShr, elements, log);
    let size = b.i64(memory::RACE.into());
    let size = b.binary(BinOp::IMul, elements, size);
    shadow::of_group(b, words, size, group)
}
