//! Chooses the element type of an array from the accesses to it.

use crate::ir::{Scalar, Ty};

/// The accesses to one array.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    /// Each distinct type and alignment of loads and stores, with the number of these accesses.
    typed: Vec<(Ty, u32, u32)>,
    /// The alignment and size of copies and fills, which adapt to any element type.
    bulk: Vec<(u32, u32)>,
    /// The widths in bytes of atomic accesses.
    atomics: Vec<u32>,
}

impl Accesses {
    /// Records a load or store. Pointers count as I64, the form in which memory holds them.
    pub(super) fn typed(&mut self, ty: Ty, align: u32) {
        let ty = if ty.scalar.is_ptr() { Ty::I64 } else { ty };
        match self.typed.iter_mut().find(|t| t.0 == ty && t.1 == align) {
            Some(t) => t.2 += 1,
            None => self.typed.push((ty, align, 1)),
        }
    }

    /// Records a copy or fill.
    pub(super) fn bulk(&mut self, align: u32, size: u32) {
        self.bulk.push((align, size));
    }

    /// Records an atomic operation.
    pub(super) fn atomic(&mut self, ty: Ty) {
        if !self.atomics.contains(&ty.bytes()) {
            self.atomics.push(ty.bytes());
        }
    }

    /// Returns whether there are atomic accesses.
    pub(super) fn has_atomics(&self) -> bool {
        !self.atomics.is_empty()
    }

    /// Returns whether there are no accesses.
    pub(super) fn is_empty(&self) -> bool {
        self.typed.is_empty() && self.bulk.is_empty() && self.atomics.is_empty()
    }

    /// Returns the element type: the accessed type if all agree, the common scalar if the widths agree,
    /// otherwise 32-bit words. Atomic operations need an integer of their width, the widest if there are
    /// several.
    pub(super) fn element(&self) -> Ty {
        if let Some(&bytes) = self.atomics.iter().max() {
            return Ty::of(Scalar::int(bytes * 8));
        }
        let bulk_fits = |bytes: u32| {
            self.bulk
                .iter()
                .all(|&(align, size)| align >= bytes && size % bytes == 0)
        };
        let Some(&(first, ..)) = self.typed.first() else {
            let align = self.bulk.iter().map(|&(align, _)| align).min().unwrap_or(4);
            let sizes_fit = |bytes: &u32| align >= *bytes && bulk_fits(*bytes);
            let bytes = [4, 2, 1].into_iter().find(sizes_fit).unwrap_or(4);
            return Ty::of(Scalar::int(bytes * 8));
        };
        let width = first.scalar.bytes();
        let scalars_agree = self
            .typed
            .iter()
            .all(|&(ty, align, _)| ty.scalar.bytes() == width && align >= width);
        if !scalars_agree || !bulk_fits(width) {
            return Ty::I32;
        }
        let scalar = self.most_frequent_scalar(first.scalar);
        let bytes = first.bytes();
        let vectors_agree = matches!(first.lanes, 2 | 4)
            && self
                .typed
                .iter()
                .all(|&(ty, align, _)| ty.lanes == first.lanes && align >= bytes);
        if vectors_agree && bulk_fits(bytes) {
            return Ty::vector(scalar, first.lanes);
        }
        Ty::of(scalar)
    }

    /// Returns the scalar type with most accesses.
    fn most_frequent_scalar(&self, first: Scalar) -> Scalar {
        let mut best = (0, first);
        for &(ty, ..) in &self.typed {
            let count: u32 = self
                .typed
                .iter()
                .filter(|t| t.0.scalar == ty.scalar)
                .map(|t| t.2)
                .sum();
            if count > best.0 {
                best = (count, ty.scalar);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(typed: &[(Ty, u32)], bulk: &[(u32, u32)]) -> Ty {
        let mut a = Accesses::default();
        for &(ty, align) in typed {
            a.typed(ty, align);
        }
        for &(align, size) in bulk {
            a.bulk(align, size);
        }
        a.element()
    }

    #[test]
    fn elements() {
        let v4 = Ty::vector(Scalar::F32, 4);
        let v3 = Ty::vector(Scalar::F32, 3);
        let cases: &[(&[(Ty, u32)], &[(u32, u32)], Ty)] = &[
            (&[(Ty::F32, 4), (Ty::F32, 8)], &[], Ty::F32),
            (&[(Ty::F32, 4), (Ty::I32, 4), (Ty::I32, 4)], &[], Ty::I32),
            (&[(v4, 16)], &[(16, 64)], v4),
            (&[(v4, 16)], &[(4, 64)], Ty::F32),
            (&[(v4, 16), (Ty::F32, 4)], &[], Ty::F32),
            (&[(v3, 16)], &[], Ty::F32),
            (&[(v4, 4)], &[], Ty::F32),
            (&[(Ty::F32, 2)], &[], Ty::I32),
            (&[(Ty::F32, 4), (Ty::I8, 1)], &[], Ty::I32),
            (&[(Ty::I8, 1)], &[], Ty::I8),
            (&[(Ty::I64, 8)], &[(8, 12)], Ty::I32),
            (&[], &[(1, 5)], Ty::I8),
            (&[], &[(16, 20)], Ty::I32),
        ];
        for &(typed, bulk, expected) in cases {
            assert_eq!(element(typed, bulk), expected, "{typed:?} {bulk:?}");
        }
    }

    #[test]
    fn atomics_decide() {
        let mut a = Accesses::default();
        a.typed(Ty::F32, 4);
        a.atomic(Ty::I32);
        assert_eq!(a.element(), Ty::I32);
        a.atomic(Ty::I64);
        assert_eq!(a.element(), Ty::I64);
    }
}
