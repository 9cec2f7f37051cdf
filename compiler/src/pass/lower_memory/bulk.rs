//! Copies and fills: by the largest chunks that both sides can access, in a loop if there are many.

use super::Lower;
use super::access::{Array, Target};
use super::constant;
use super::local::Arena;
use crate::ir::inst::{BinOp, CastOp, CmpOp};
use crate::ir::{Access, Scalar, Storage, Ty, Value};

/// The most chunks that are copied without a loop.
const MAX_UNROLLED: u32 = 32;

/// The source of the bytes of a fill or copy.
#[derive(Copy, Clone)]
enum Source<'s> {
    Zero,
    Bytes(&'s [u8]),
    Memory(Target, Access),
}

impl Lower<'_> {
    /// Copies `size` bytes.
    pub(super) fn copy(
        &mut self,
        dst: Target,
        dst_access: Access,
        src: Target,
        src_access: Access,
        size: u32,
    ) {
        self.transfer(dst, dst_access, Source::Memory(src, src_access), size);
    }

    /// Stores `size` zeros.
    pub(super) fn zero(&mut self, dst: Target, access: Access, size: u32) {
        self.transfer(dst, access, Source::Zero, size);
    }

    /// Stores known bytes.
    pub(super) fn fill(&mut self, dst: Target, access: Access, bytes: &[u8]) {
        self.transfer(dst, access, Source::Bytes(bytes), bytes.len() as u32);
    }

    /// Stores `size` bytes from a source.
    fn transfer(&mut self, dst: Target, access: Access, source: Source<'_>, size: u32) {
        let (align, widest) = match source {
            Source::Zero | Source::Bytes(_) => (access.align, self.widest(dst)),
            Source::Memory(src, src_access) => {
                let align = access.align.min(src_access.align);
                (align, self.widest(dst).min(self.widest(src)))
            }
        };
        // A chunk is never smaller than an element of either array. The other array can be accessed in parts
        // if need be, but a part of a float or vector element cannot be accessed.
        let mut largest = align.min(widest).max(self.largest_element(dst));
        if let Source::Memory(src, _) = source {
            largest = largest.max(self.largest_element(src));
        }
        let whole = size / largest;
        let mut done = 0;
        if whole > MAX_UNROLLED && !matches!(source, Source::Bytes(_)) {
            self.transfer_loop(dst, access, source, largest, whole);
            done = whole * largest;
        }
        while done < size {
            let mut piece = largest;
            while piece > size - done {
                piece /= 2;
            }
            self.piece(dst, access, source, done, piece);
            done += piece;
        }
    }

    /// Stores one chunk of `bytes` bytes at an offset.
    fn piece(&mut self, dst: Target, access: Access, source: Source<'_>, offset: u32, bytes: u32) {
        let (other, words) = match source {
            Source::Zero | Source::Bytes(_) => (None, is_accessed_in_words(dst)),
            Source::Memory(src, _) => {
                let words = is_accessed_in_words(dst) || is_accessed_in_words(src);
                (self.elem(src), words)
            }
        };
        let ty = match words {
            true => words_ty(bytes),
            false => piece_ty(bytes, [self.elem(dst), other]),
        };
        let value = match source {
            Source::Zero => self.b.zero(ty),
            Source::Bytes(b) => {
                let b = &b[offset as usize..(offset + bytes) as usize];
                self.b.func.constant(ty, constant::lanes(b, ty))
            }
            Source::Memory(src, src_access) => self.load_from(src, offset, ty, src_access),
        };
        self.store_to(dst, offset, value, access);
    }

    /// Stores `count` chunks in a loop.
    fn transfer_loop(&mut self, dst: Target, access: Access, source: Source<'_>, piece: u32, count: u32) {
        let zero = self.b.i32(0);
        let (l, body) = self.b.loop_(vec![zero], &[]);
        let offset = self.b.func.regions[body].args[0];
        self.b.enter(body);
        let dst = self.moved(dst, offset);
        let at = |a: Access| Access {
            align: a.align_at(piece),
            ..a
        };
        let source = match source {
            Source::Zero | Source::Bytes(_) => source,
            Source::Memory(src, a) => Source::Memory(self.moved(src, offset), at(a)),
        };
        self.piece(dst, at(access), source, 0, piece);
        let step = self.b.i32(piece as i32);
        let next = self.b.binary(BinOp::IAdd, offset, step);
        let end = self.b.i32((piece * count) as i32);
        let more = self.b.compare(CmpOp::ULt, next, end);
        let (_, again, out) = self.b.if_(more, &[]);
        self.b.enter(again);
        self.b.repeat(l, vec![next]);
        self.b.leave();
        self.b.enter(out);
        self.b.exit(l, vec![]);
        self.b.leave();
        self.b.unreachable();
        self.b.leave();
    }

    /// Returns the size in bytes of the largest element, chosen by `lower_memory`, of the arrays of a target.
    fn largest_element(&self, target: Target) -> u32 {
        let bytes = match target {
            Target::Array(a) => self
                .elem(target)
                .or_else(|| self.one_element(a.storage))
                .map(Ty::bytes),
            Target::Several(n) => self.largest_of_several(n),
            Target::Physical(_) | Target::Nowhere => None,
        };
        bytes.unwrap_or(1)
    }

    /// Returns the target `offset` bytes, a number at run time, after another one.
    fn moved(&mut self, target: Target, offset: Value) -> Target {
        match target {
            Target::Physical(address) => {
                let wide = self.b.cast(CastOp::ZExt, offset, Ty::I64);
                Target::Physical(self.b.binary(BinOp::IAdd, address, wide))
            }
            Target::Several(n) => self.several_moved(n, offset),
            Target::Nowhere => Target::Nowhere,
            Target::Array(a) => {
                let base = self.mapped(a.pointer);
                let pointer = self.b.binary(BinOp::IAdd, base, offset);
                Target::Array(Array { pointer, ..a })
            }
        }
    }

    /// Returns the size in bytes of the largest chunk that a target can access at once.
    fn widest(&self, target: Target) -> u32 {
        self.elem(target).map_or(16, Ty::bytes)
    }

    /// Returns the element type of an array that has only one, which `lower_memory` chooses.
    fn elem(&self, target: Target) -> Option<Ty> {
        match target {
            Target::Physical(_) | Target::Several(_) | Target::Nowhere => None,
            Target::Array(a) => match a.storage {
                Storage::Arena(_) if matches!(self.plan.local.arena, Arena::Views(_)) => None,
                Storage::Arena(_) | Storage::Variable | Storage::Shared(..) => Some(a.elem),
                Storage::PushWord
                | Storage::ArgsWord
                | Storage::Physical
                | Storage::Buffer(..)
                | Storage::ReadOnly(..) => None,
            },
        }
    }
}

/// Returns whether copies and fills access a target as words of at most 32 bits, for which a buffer has an element
/// type of its own: see `Objects::bulk`.
fn is_accessed_in_words(target: Target) -> bool {
    match target {
        Target::Several(_) => true,
        Target::Array(a) => matches!(a.storage, Storage::Buffer(..) | Storage::ReadOnly(..)),
        Target::Physical(_) | Target::Nowhere => false,
    }
}

/// Returns the type of a chunk, which consists of whole elements: an array's element with integer lanes, or else a
/// vector of words above 4 bytes.
fn piece_ty(bytes: u32, elems: [Option<Ty>; 2]) -> Ty {
    for elem in elems.into_iter().flatten() {
        if elem.bytes() == bytes {
            return elem.with_scalar(Scalar::int(elem.scalar.bits()));
        }
    }
    words_ty(bytes)
}

/// Returns the type of a chunk of words.
fn words_ty(bytes: u32) -> Ty {
    match bytes {
        16 => Ty::vector(Scalar::I32, 4),
        8 => Ty::vector(Scalar::I32, 2),
        n => Ty::of(Scalar::int(n * 8)),
    }
}
