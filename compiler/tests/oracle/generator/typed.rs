//! Generates accesses to arrays that have one type, and copies between arrays of different types: `lower_memory`
//! gives each array the element type of its accesses. Also generates conversions between pointers and numbers.

use super::{Generator, Random, WORD};
use caldera_compiler::ir::{Access, BinOp, Builder, CastOp, Scalar, Ty, Value};

/// The number of bytes of such an array.
pub(super) const SIZE: u32 = 128;

const SCALARS: [Scalar; 7] = [
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::F16,
    Scalar::F32,
    Scalar::F64,
];

/// Returns a type of at most 32 bytes.
pub(super) fn some_type(random: &mut Random) -> Ty {
    let scalar = random.of(&SCALARS);
    let lanes = random.of(&[1, 1, 2, 3, 4, 4, 8, 16]);
    match Ty::vector(scalar, lanes) {
        ty if ty.bytes() <= 32 => ty,
        _ => Ty::of(scalar),
    }
}

/// Generates private arrays that contain zeros.
pub(super) fn private(random: &mut Random, b: &mut Builder<'_>) -> Vec<(Value, Ty)> {
    let access = Access {
        align: 16,
        volatile: false,
    };
    let count = 1 + random.below(3);
    let array = |_| {
        let array = b.alloca(SIZE, 16);
        b.mem_zero(array, access, SIZE);
        (array, some_type(random))
    };
    (0..count).map(array).collect()
}

impl Generator<'_> {
    /// Returns an address in an array of one type, and the access there.
    fn element(&mut self, array: Value, ty: Ty) -> (Value, Access) {
        // Vectors of three have the distance of those of four.
        let step = ty.bytes().next_power_of_two();
        let align = match self.random.one_in(8) {
            true => ty.scalar.bytes(),
            false => step.min(16),
        };
        let access = Access {
            align,
            volatile: self.random.one_in(30),
        };
        let count = SIZE / step;
        let pointer = match self.random.one_in(3) {
            true => array,
            false => {
                let (n, mask) = (self.word(), self.b.i32((count / 2) as i32 - 1));
                let n = self.b.binary(BinOp::And, n, mask);
                let bytes = self.b.i32(step as i32);
                let at = self.b.binary(BinOp::IMul, n, bytes);
                self.b.ptr_add(array, at)
            }
        };
        let at = step * self.random.below(count as usize / 2) as u32;
        (self.b.ptr_offset(pointer, at.into()), access)
    }

    /// Generates a load or a store of one element of an array, in the type of the array.
    pub(super) fn typed_access(&mut self) {
        let (array, ty) = self.random.of(&self.typed);
        let (place, access) = self.element(array, ty);
        if self.random.one_in(2) {
            let mut v = self.value(ty);
            if ty.scalar.is_float() {
                v = self.number(v);
            }
            self.b.store(place, v, access);
        } else {
            let v = self.b.load(place, ty, access);
            self.pool.push(v);
        }
    }

    /// Generates a copy between two of these arrays, or one of them and other memory, or a fill.
    pub(super) fn typed_copy(&mut self) {
        let (to, _) = self.random.of(&self.typed);
        let align: u32 = self.random.of(&[1, 2, 4, 4, 8, 16]);
        let access = Access {
            align,
            volatile: false,
        };
        let most = 1 + self.random.below(64) as u32;
        let size = match self.random.one_in(4) {
            true => most,
            false => most.next_multiple_of(align),
        };
        let at = |g: &mut Self, room: u32| i64::from(align * g.random.below((room / align) as usize) as u32);
        let place = at(self, SIZE - size);
        let place = self.b.ptr_offset(to, place);
        let from = match self.random.below(4) {
            0 => {
                self.b.mem_zero(place, access, size);
                return;
            }
            1 => self.random.of(&self.objects),
            _ => self.random.of(&self.typed).0,
        };
        if from == to {
            return;
        }
        // The other objects have `DATA` bytes.
        let source = at(self, super::DATA - size);
        let source = self.b.ptr_offset(from, source);
        let (first, second) = match self.random.one_in(3) && self.objects.contains(&from) {
            true => (source, place),
            false => (place, source),
        };
        self.b.mem_cpy(first, access, second, access, size);
    }

    /// Generates the distance between two pointers as numbers, or a pointer that was a number.
    pub(super) fn number_of_pointer(&mut self) {
        let pointer = self.random.of(&self.data);
        let number = self.b.cast(CastOp::PtrToInt, pointer, Ty::I64);
        if self.random.one_in(2) {
            let ty = self.b.func.ty(pointer);
            let back = self.b.cast(CastOp::IntToPtr, number, ty);
            self.data.push(back);
            return;
        }
        let (n, mask) = (self.word(), self.b.i32(31));
        let n = self.b.binary(BinOp::And, n, mask);
        let other = self.b.ptr_add(pointer, n);
        let other = self.b.cast(CastOp::PtrToInt, other, Ty::I64);
        let distance = self.b.binary(BinOp::ISub, other, number);
        let byte = self.b.load(pointer, Ty::I32, WORD);
        let byte = self.b.cast(CastOp::SExt, byte, Ty::I64);
        let sum = self.b.binary(BinOp::IAdd, distance, byte);
        self.pool.extend([distance, sum]);
    }
}
