//! Variables for bytes that are accessed in different widths, such as those of a union.
//!
//! The bytes are divided into parts, each an integer of 1, 2 or 4 bytes with a variable of its own. Every store
//! writes whole parts, so the bytes that it does not write are in other variables, and stay undefined if they were. A load
//! of less than a part takes its bits out of the part. A load of several parts joins them: a vector of the parts is cast
//! to the wider type, in which an undefined part makes only its own bits undefined.

use super::split::{access, convert};
use crate::ir::{BinOp, Builder, CastOp, Ty, Value};
use std::collections::BTreeSet;

/// The size in bytes of the largest parts, and the alignment of the units in which bytes are divided.
const WORD: u32 = 4;

/// The most lanes of a short vector.
const LANES: usize = 4;

/// A part: its offset and its size in bytes.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Part {
    at: u32,
    size: u32,
}

impl Part {
    fn end(self) -> u32 {
        self.at + self.size
    }
}

/// A load or store of a scalar, or of one lane of a vector.
struct Lane {
    at: u32,
    size: u32,
    /// The largest parts that the access may need, by its alignment.
    largest: u32,
    is_store: bool,
}

impl Lane {
    fn end(&self) -> u32 {
        self.at + self.size
    }
}

/// Divides the bytes from `start` to `end` into parts for the accesses `members`, of which those in `stores`
/// write. Returns `None` if an access is of pointers or bools, which are more than bits.
pub(super) fn divide(
    start: u32,
    end: u32,
    members: &[(u32, Ty)],
    stores: &BTreeSet<(u32, Ty)>,
) -> Option<Vec<Part>> {
    let mut lanes = Vec::new();
    for member in members {
        let &(at, ty) = member;
        if !(ty.scalar.is_int() || ty.scalar.is_float()) {
            return None;
        }
        let size = ty.scalar.bytes();
        let is_store = stores.contains(member);
        let all = (0..u32::from(ty.lanes)).map(|n| at + n * size);
        lanes.extend(all.map(|at| Lane {
            at,
            size,
            largest: if at.is_multiple_of(size) { WORD } else { grid(at) },
            is_store,
        }));
    }
    let mut parts = Vec::new();
    let mut word = start - start % WORD;
    while word < end {
        let (from, to) = (start.max(word), end.min(word + WORD));
        let here: Vec<&Lane> = lanes.iter().filter(|l| l.at < to && from < l.end()).collect();
        let mut size = grid(from).min(grid(to));
        while !here.iter().all(|l| fits(l, from, to, size)) {
            size /= 2;
        }
        parts.extend((from..to).step_by(size as usize).map(|at| Part { at, size }));
        word += WORD;
    }
    Some(parts)
}

/// Returns the largest size of a part that may start or end at an offset.
fn grid(offset: u32) -> u32 {
    match offset {
        0 => WORD,
        _ => WORD.min(1 << offset.trailing_zeros()),
    }
}

/// Returns whether an access is possible if the bytes from `from` to `to` are divided into parts of a size:
/// it is of whole parts, or a load from one part. Every access is of whole parts of one byte.
fn fits(lane: &Lane, from: u32, to: u32, size: u32) -> bool {
    let whole = |at: u32| at.is_multiple_of(size);
    let of_whole_parts = whole(lane.at.max(from)) && whole(lane.end().min(to));
    match lane.is_store {
        true => of_whole_parts && size <= lane.largest,
        false => of_whole_parts || lane.at / size == (lane.end() - 1) / size,
    }
}

/// Creates the variables of the parts.
pub(super) fn create(b: &mut Builder<'_>, parts: &[Part]) -> Vec<Value> {
    parts.iter().map(|p| b.alloca(p.size, p.size)).collect()
}

/// The parts of a cluster with their variables.
pub(super) struct Words<'a> {
    pub(super) parts: &'a [Part],
    pub(super) vars: &'a [Value],
}

impl Words<'_> {
    /// Emits a load.
    pub(super) fn load(&self, b: &mut Builder<'_>, at: u32, ty: Ty) -> Value {
        let size = ty.scalar.bytes();
        let mut lanes = Vec::with_capacity(ty.lanes as usize);
        for n in 0..u32::from(ty.lanes) {
            let bits = self.load_bits(b, at + n * size, size);
            lanes.push(convert(b, bits, Ty::of(ty.scalar)));
        }
        if ty.is_vector() {
            b.construct(ty, lanes)
        } else {
            lanes[0]
        }
    }

    /// Emits a store.
    pub(super) fn store(&self, b: &mut Builder<'_>, at: u32, value: Value) {
        let ty = b.func.ty(value);
        let size = ty.scalar.bytes();
        for n in 0..ty.lanes {
            let lane = if ty.is_vector() {
                b.extract(value, n)
            } else {
                value
            };
            let bits = convert(b, lane, integer(size));
            self.store_bits(b, at + u32::from(n) * size, size, bits);
        }
    }

    /// Loads an integer of a size in bytes.
    fn load_bits(&self, b: &mut Builder<'_>, at: u32, size: u32) -> Value {
        let first = self.first(at);
        let part = self.parts[first];
        if at + size <= part.end() {
            let ty = integer(part.size);
            let whole = b.load(self.vars[first], ty, access(ty));
            if size == part.size {
                return whole;
            }
            let count = b.bits(ty, u64::from(8 * (at - part.at)));
            let shifted = b.binary(BinOp::LShr, whole, count);
            return b.cast(CastOp::Trunc, shifted, integer(size));
        }
        let (count, step) = self.equal(first, at, size).unwrap_or((2, size / 2));
        let mut lanes = Vec::with_capacity(count);
        for n in 0..count as u32 {
            lanes.push(self.load_bits(b, at + n * step, step));
        }
        let joined = b.construct(vector(step, count), lanes);
        b.cast(CastOp::Bitcast, joined, integer(size))
    }

    /// Stores an integer of a size in bytes.
    fn store_bits(&self, b: &mut Builder<'_>, at: u32, size: u32, value: Value) {
        let first = self.first(at);
        if self.parts[first] == (Part { at, size }) {
            let ty = integer(size);
            b.store(self.vars[first], value, access(ty));
            return;
        }
        let (count, step) = self.equal(first, at, size).unwrap_or((2, size / 2));
        let lanes = b.cast(CastOp::Bitcast, value, vector(step, count));
        for n in 0..count as u8 {
            let lane = b.extract(lanes, n);
            self.store_bits(b, at + u32::from(n) * step, step, lane);
        }
    }

    /// Returns the index of the part that contains an offset.
    fn first(&self, at: u32) -> usize {
        self.parts.partition_point(|p| p.end() <= at)
    }

    /// Returns the number of parts and the size of each if a range consists of parts of one size that fit
    /// into a short vector. `first`: the part at its start.
    fn equal(&self, first: usize, at: u32, size: u32) -> Option<(usize, u32)> {
        let step = self.parts[first].size;
        let count = (size / step) as usize;
        let parts = self.parts.get(first..first + count)?;
        let good = size.is_multiple_of(step)
            && count <= LANES
            && parts[0].at == at
            && parts.iter().all(|p| p.size == step);
        good.then_some((count, step))
    }
}

/// Returns the integer type of a size in bytes.
fn integer(size: u32) -> Ty {
    match size {
        1 => Ty::I8,
        2 => Ty::I16,
        4 => Ty::I32,
        _ => Ty::I64,
    }
}

/// Returns a vector of integers of a size in bytes.
fn vector(size: u32, lanes: usize) -> Ty {
    Ty::vector(integer(size).scalar, lanes as u8)
}
