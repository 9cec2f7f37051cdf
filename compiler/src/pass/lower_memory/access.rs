//! Loads and stores of any type at any alignment, by accesses that the storage supports: by device address,
//! any scalar or vector that is aligned to its scalar; in an array, its element.

use super::Lower;
use crate::intrinsic::AtomicOp;
use crate::ir::inst::{BinOp, CastOp, UnOp};
use crate::ir::{Access, Op, Scalar, Storage, Ty, Value};

/// The largest access in bytes by device address for a driver with [`Quirks::wide_accesses`](crate::target::Quirks::wide_accesses).
const WIDEST: u32 = 16;

/// The memory of an access.
#[derive(Copy, Clone, Debug)]
pub(super) enum Target {
    /// A device address.
    Physical(Value),
    Array(Array),
    /// One of several objects (descriptor ABI): an index into `Lower::several`.
    Several(usize),
    /// The target of a null pointer: a load returns an undefined value, a store does nothing.
    Nowhere,
}

/// An array and a pointer into it.
#[derive(Copy, Clone, Debug)]
pub(super) struct Array {
    pub(super) storage: Storage,
    /// The result of the `Variable` instruction, if the array is one.
    pub(super) variable: Option<Value>,
    pub(super) elem: Ty,
    /// The pointer as it was in the module, or an I32 byte offset.
    pub(super) pointer: Value,
}

/// Returns the number of elements of which an access consists, if it consists of whole elements. Elements that are
/// smaller than a lane are joined by the access to the lane.
fn whole_elements(a: Array, ty: Ty, access: Access) -> Option<u32> {
    let bytes = a.elem.bytes();
    let whole = access.align >= bytes && ty.bytes().is_multiple_of(bytes) && ty.scalar.bytes() <= bytes;
    whole.then(|| ty.bytes() / bytes)
}

/// Returns the distance and the alignment of the part of an access that starts after `bytes` bytes.
fn part_access(extra: u32, access: Access, bytes: u32) -> (u32, Access) {
    let align = access.align_at(bytes);
    (extra + bytes, Access { align, ..access })
}

fn lane_ty(ty: Ty) -> Ty {
    Ty::of(ty.scalar)
}

impl Lower<'_> {
    /// Loads a value that is not a pointer, `extra` bytes after the target.
    pub(super) fn load_from(&mut self, target: Target, extra: u32, ty: Ty, access: Access) -> Value {
        let access = Access {
            align: access.align_at(extra),
            ..access
        };
        match target {
            Target::Physical(address) => {
                if access.align >= ty.scalar.bytes() {
                    return self.load_physical(address, extra, ty, access);
                }
                self.load_lanes(target, extra, ty, access)
            }
            Target::Several(n) => {
                let value = self.in_each(n, Some(ty), &mut |lower, target| {
                    Some(lower.load_from(target, extra, ty, access))
                });
                value.unwrap_or_else(|| self.b.undef(ty))
            }
            Target::Nowhere => self.b.undef(ty),
            Target::Array(a) => {
                let a = self.suited(a, ty, access);
                match whole_elements(a, ty, access) {
                    Some(count) => self.load_elements(a, extra, ty, access, count),
                    None => self.load_lanes(target, extra, ty, access),
                }
            }
        }
    }

    /// Loads a value by device address. The address is aligned to its scalar.
    fn load_physical(&mut self, address: Value, extra: u32, ty: Ty, access: Access) -> Value {
        let parts: Vec<Value> = self
            .physical_parts(ty)
            .map(|(first, part)| {
                let (extra, access) = part_access(extra, access, u32::from(first) * ty.scalar.bytes());
                let access = self.physical_access(access);
                let address = self.address(address, extra);
                self.b
                    .value(Op::LoadFrom(Storage::Physical, access), vec![address], part)
            })
            .collect();
        match parts[..] {
            [whole] => whole,
            _ => self.b.construct(ty, parts),
        }
    }

    /// Stores a value by device address. The address is aligned to its scalar.
    fn store_physical(&mut self, address: Value, extra: u32, value: Value, access: Access) {
        let ty = self.b.func.ty(value);
        for (first, part) in self.physical_parts(ty) {
            let v = match part.lanes {
                lanes if lanes == ty.lanes => value,
                1 => self.b.extract(value, first),
                lanes => self.b.shuffle(value, value, (first..first + lanes).collect()),
            };
            let (extra, access) = part_access(extra, access, u32::from(first) * ty.scalar.bytes());
            let access = self.physical_access(access);
            let address = self.address(address, extra);
            self.b
                .insert(Op::StoreTo(Storage::Physical, access), vec![address, v], &[]);
        }
    }

    /// Returns the parts in which a value is accessed by device address: the first lane and the type of each.
    fn physical_parts(&self, ty: Ty) -> impl Iterator<Item = (u8, Ty)> + use<> {
        let lanes = match self.target.quirks.wide_accesses {
            true => ((WIDEST / ty.scalar.bytes()) as u8).clamp(1, ty.lanes),
            false => ty.lanes,
        };
        (0..ty.lanes)
            .step_by(usize::from(lanes))
            .map(move |first| (first, Ty::vector(ty.scalar, lanes.min(ty.lanes - first))))
    }

    /// Returns an access by device address with the alignment that the driver may know. With a greater one, it could join
    /// neighbouring accesses to one that is too wide.
    fn physical_access(&self, access: Access) -> Access {
        let align = match self.target.quirks.wide_accesses {
            true => access.align.min(WIDEST),
            false => access.align,
        };
        Access { align, ..access }
    }

    /// Loads a value that consists of `count` whole elements.
    fn load_elements(&mut self, a: Array, extra: u32, ty: Ty, access: Access, count: u32) -> Value {
        let part = Ty::vector(ty.scalar, ty.lanes / count as u8);
        let parts: Vec<Value> = (0..count)
            .map(|n| {
                let (extra, access) = part_access(extra, access, n * part.bytes());
                let v = self.load_element(a, extra, access);
                self.b.cast(CastOp::Bitcast, v, part)
            })
            .collect();
        match parts[..] {
            [one] => one,
            _ => self.b.construct(ty, parts),
        }
    }

    /// Loads a value lane by lane.
    fn load_lanes(&mut self, target: Target, extra: u32, ty: Ty, access: Access) -> Value {
        let bytes = ty.scalar.bytes();
        let lanes: Vec<Value> = (0..u32::from(ty.lanes))
            .map(|n| {
                let align = access.align_at(n * bytes);
                self.load_scalar(target, extra + n * bytes, ty.scalar, Access { align, ..access })
            })
            .collect();
        match lanes[..] {
            [one] => one,
            _ => self.b.construct(ty, lanes),
        }
    }

    /// Loads a scalar, in parts if necessary. `access.align` is the alignment of its own address.
    fn load_scalar(&mut self, target: Target, extra: u32, scalar: Scalar, access: Access) -> Value {
        let bytes = scalar.bytes();
        let target = self.suited_target(target, Ty::of(scalar), access);
        let piece = match target {
            Target::Several(_) | Target::Nowhere => {
                return self.load_from(target, extra, Ty::of(scalar), access);
            }
            Target::Physical(_) => access.align.min(bytes),
            Target::Array(a) => access.align.min(bytes).min(a.elem.bytes()),
        };
        if piece < bytes {
            let part = Scalar::int(piece * 8);
            let parts: Vec<Value> = (0..bytes / piece)
                .map(|n| self.load_scalar(target, extra + n * piece, part, access))
                .collect();
            let v = self.join(&parts, Scalar::int(bytes * 8));
            return self.b.cast(CastOp::Bitcast, v, Ty::of(scalar));
        }
        match target {
            Target::Physical(address) => {
                let address = self.address(address, extra);
                let op = Op::LoadFrom(Storage::Physical, access);
                self.b.value(op, vec![address], Ty::of(scalar))
            }
            Target::Array(a) if a.elem.bytes() == bytes => {
                let v = self.load_element(a, extra, access);
                self.b.cast(CastOp::Bitcast, v, Ty::of(scalar))
            }
            Target::Several(_) | Target::Nowhere => self.b.undef(Ty::of(scalar)),
            Target::Array(a) => {
                let word = self.load_element(a, extra, access);
                let shift = self.bit_in_word(a, extra);
                let shifted = self.b.binary(BinOp::LShr, word, shift);
                let int = self
                    .b
                    .cast(CastOp::Trunc, shifted, Ty::of(Scalar::int(bytes * 8)));
                self.b.cast(CastOp::Bitcast, int, Ty::of(scalar))
            }
        }
    }

    /// Returns the target with the element type that suits an access.
    fn suited_target(&self, target: Target, ty: Ty, access: Access) -> Target {
        match target {
            Target::Array(a) => Target::Array(self.suited(a, ty, access)),
            Target::Physical(_) | Target::Several(_) | Target::Nowhere => target,
        }
    }

    /// Stores a value that is not a pointer, `extra` bytes after the target.
    pub(super) fn store_to(&mut self, target: Target, extra: u32, value: Value, access: Access) {
        let ty = self.b.func.ty(value);
        let target = self.suited_target(
            target,
            ty,
            Access {
                align: access.align_at(extra),
                ..access
            },
        );
        let access = Access {
            align: access.align_at(extra),
            ..access
        };
        match target {
            Target::Physical(address) if access.align >= ty.scalar.bytes() => {
                self.store_physical(address, extra, value, access);
                return;
            }
            Target::Array(a) if let Some(count) = whole_elements(a, ty, access) => {
                self.store_elements(a, extra, value, access, count);
                return;
            }
            Target::Several(n) => {
                self.in_each(n, None, &mut |lower, target| {
                    lower.store_to(target, extra, value, access);
                    None
                });
                return;
            }
            Target::Nowhere => return,
            Target::Physical(_) | Target::Array(_) => {}
        }
        let bytes = ty.scalar.bytes();
        for n in 0..u32::from(ty.lanes) {
            let lane = if ty.is_vector() {
                self.b.extract(value, n as u8)
            } else {
                value
            };
            let align = access.align_at(n * bytes);
            self.store_scalar(target, extra + n * bytes, lane, Access { align, ..access });
        }
    }

    /// Stores a value that consists of `count` whole elements.
    fn store_elements(&mut self, a: Array, extra: u32, value: Value, access: Access, count: u32) {
        let ty = self.b.func.ty(value);
        let part = Ty::vector(ty.scalar, ty.lanes / count as u8);
        for n in 0..count {
            let first = n as u8 * part.lanes;
            let v = match (count, part.lanes) {
                (1, _) => value,
                (_, 1) => self.b.extract(value, first),
                (_, lanes) => self.b.shuffle(value, value, (first..first + lanes).collect()),
            };
            let v = self.b.cast(CastOp::Bitcast, v, a.elem);
            let (extra, access) = part_access(extra, access, n * part.bytes());
            self.store_element(a, extra, v, access);
        }
    }

    /// Stores a scalar, in parts if necessary. `access.align` is the alignment of its own address.
    fn store_scalar(&mut self, target: Target, extra: u32, value: Value, access: Access) {
        let scalar = self.b.func.ty(value).scalar;
        let bytes = scalar.bytes();
        let target = self.suited_target(target, Ty::of(scalar), access);
        let piece = match target {
            Target::Several(_) | Target::Nowhere => return self.store_to(target, extra, value, access),
            Target::Physical(_) => access.align.min(bytes),
            Target::Array(a) => access.align.min(bytes).min(a.elem.bytes()),
        };
        if piece < bytes {
            let int = self
                .b
                .cast(CastOp::Bitcast, value, Ty::of(Scalar::int(bytes * 8)));
            let parts = self.split(int, Scalar::int(piece * 8));
            for (n, part) in parts.into_iter().enumerate() {
                self.store_scalar(target, extra + n as u32 * piece, part, access);
            }
            return;
        }
        match target {
            Target::Physical(address) => {
                let address = self.address(address, extra);
                let op = Op::StoreTo(Storage::Physical, access);
                self.b.insert(op, vec![address, value], &[]);
            }
            Target::Array(a) if a.elem.bytes() == bytes => {
                let value = self.b.cast(CastOp::Bitcast, value, a.elem);
                self.store_element(a, extra, value, access);
            }
            Target::Array(a) => self.store_part(a, extra, value, access),
            Target::Several(_) | Target::Nowhere => {}
        }
    }

    /// Stores a value that is smaller than the element of an integer array. In shared memory other work-items
    /// may write to the rest of the element at the same time, so there the element is changed by atomic
    /// operations.
    fn store_part(&mut self, a: Array, extra: u32, value: Value, access: Access) {
        let bits = self.b.func.ty(value).bytes() * 8;
        let int = self.b.cast(CastOp::Bitcast, value, Ty::of(Scalar::int(bits)));
        let wide = self.b.cast(CastOp::ZExt, int, a.elem);
        let shift = self.bit_in_word(a, extra);
        let placed = self.b.binary(BinOp::Shl, wide, shift);
        let ones = self.b.bits(a.elem, u64::MAX >> (64 - bits));
        let mask = self.b.binary(BinOp::Shl, ones, shift);
        let keep = self.b.unary(UnOp::Not, mask);
        match a.storage {
            Storage::Arena(_) | Storage::Buffer(..) | Storage::Shared(..) => {
                for (op, operand) in [(AtomicOp::And, keep), (AtomicOp::Or, placed)] {
                    let mut args = self.location(a, extra);
                    args.push(operand);
                    self.b.value(Op::AtomicOn(op, a.storage), args, a.elem);
                }
            }
            Storage::Variable
            | Storage::Physical
            | Storage::PushWord
            | Storage::ArgsWord
            | Storage::ReadOnly(..) => {
                let old = self.load_element(a, extra, access);
                let kept = self.b.binary(BinOp::And, old, keep);
                let new = self.b.binary(BinOp::Or, kept, placed);
                self.store_element(a, extra, new, access);
            }
        }
    }

    /// Loads the element that contains the byte `extra` bytes after the pointer.
    fn load_element(&mut self, a: Array, extra: u32, access: Access) -> Value {
        let args = self.location(a, extra);
        self.b.value(Op::LoadFrom(a.storage, access), args, a.elem)
    }

    /// Stores the element that contains the byte `extra` bytes after the pointer.
    fn store_element(&mut self, a: Array, extra: u32, value: Value, access: Access) {
        let mut args = self.location(a, extra);
        args.push(value);
        self.b.insert(Op::StoreTo(a.storage, access), args, &[]);
    }

    /// Returns the operands that locate an element.
    pub(super) fn location(&mut self, a: Array, extra: u32) -> Vec<Value> {
        let index = self.index(a.pointer, extra, a.elem.bytes().trailing_zeros());
        a.variable.into_iter().chain([index]).collect()
    }

    /// Returns the number of bits by which a part of an element is shifted, as a value of the element's type.
    pub(super) fn bit_in_word(&mut self, a: Array, extra: u32) -> Value {
        let bytes = self.mapped(a.pointer);
        let bytes = self.plus(bytes, extra);
        let inside = u64::from(a.elem.bytes() - 1);
        let shift = match self.b.func.as_bits(bytes) {
            Some(bits) => self.b.bits(Ty::I32, (bits & inside) * 8),
            None => {
                let mask = self.b.bits(Ty::I32, inside);
                let byte = self.b.binary(BinOp::And, bytes, mask);
                let three = self.b.i32(3);
                self.b.binary(BinOp::Shl, byte, three)
            }
        };
        match self.b.func.as_bits(shift) {
            Some(bits) => self.b.bits(a.elem, bits),
            None if a.elem == Ty::I32 => shift,
            None => {
                let op = if a.elem.bytes() > 4 {
                    CastOp::ZExt
                } else {
                    CastOp::Trunc
                };
                self.b.cast(op, shift, a.elem)
            }
        }
    }

    /// Returns a device address plus a constant.
    fn address(&mut self, address: Value, extra: u32) -> Value {
        if extra == 0 {
            return address;
        }
        let extra = self.b.i64(i64::from(extra));
        self.b.binary(BinOp::IAdd, address, extra)
    }

    /// Joins integers, the lowest first, into one.
    fn join(&mut self, parts: &[Value], to: Scalar) -> Value {
        let ty = Ty::of(to);
        let part = lane_ty(self.b.func.ty(parts[0]));
        if parts.len() <= 4 && part.bytes() * parts.len() as u32 == ty.bytes() {
            let vector = self
                .b
                .construct(Ty::vector(part.scalar, parts.len() as u8), parts.to_vec());
            return self.b.cast(CastOp::Bitcast, vector, ty);
        }
        let mut sum = None;
        for (n, &p) in parts.iter().enumerate() {
            let mut wide = self.b.cast(CastOp::ZExt, p, ty);
            if n > 0 {
                let shift = self.b.bits(ty, u64::from(part.bytes()) * 8 * n as u64);
                wide = self.b.binary(BinOp::Shl, wide, shift);
            }
            sum = Some(match sum {
                None => wide,
                Some(s) => self.b.binary(BinOp::Or, s, wide),
            });
        }
        sum.unwrap_or(parts[0])
    }

    /// Splits an integer into narrower ones, the lowest first.
    fn split(&mut self, v: Value, to: Scalar) -> Vec<Value> {
        let ty = self.b.func.ty(v);
        let count = ty.bytes() / to.bytes();
        if count <= 4 {
            let vector = self.b.cast(CastOp::Bitcast, v, Ty::vector(to, count as u8));
            return (0..count as u8).map(|n| self.b.extract(vector, n)).collect();
        }
        (0..count)
            .map(|n| {
                let shift = self.b.bits(ty, u64::from(to.bytes() * 8 * n));
                let shifted = self.b.binary(BinOp::LShr, v, shift);
                self.b.cast(CastOp::Trunc, shifted, Ty::of(to))
            })
            .collect()
    }
}
