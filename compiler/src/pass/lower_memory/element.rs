//! Chooses the element type of an array from the accesses to it.

use crate::ir::analysis::Weight;
use crate::ir::{Access, Scalar, Ty};
use crate::target::Target;
use std::collections::BTreeMap;

/// The direction of an access.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Load,
    Store,
}

/// Loads and stores of one type and alignment.
#[derive(Clone, Debug)]
struct Typed {
    ty: Ty,
    align: u32,
    loads: Weight,
    stores: Weight,
}

impl Typed {
    /// Returns the width in bytes at which memory is accessed.
    fn width(&self) -> u32 {
        self.ty.scalar.bytes().min(self.align)
    }
}

/// A copy or fill.
#[derive(Copy, Clone, Debug)]
struct Bulk {
    align: u32,
    size: u32,
    /// The weight of its stores to the array; 0 for the source of a copy.
    stores: Weight,
}

/// The accesses to one array.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    typed: Vec<Typed>,
    /// Copies and fills adapt to any element type.
    bulk: Vec<Bulk>,
    /// The widths in bytes of atomic accesses.
    atomics: Vec<u32>,
    /// The largest width in bytes of a volatile access, which is not divided.
    volatile: u32,
}

/// The cost of a store to a part of an element in memory that work-items share, which takes two atomic operations,
/// in units of a plain access.
const PART_STORE: Weight = 16;
/// The cost of a load of a part of an element.
const PART_LOAD: Weight = 3;

impl Accesses {
    /// Records a load or store. Pointers count as I64, the form in which memory holds them.
    pub(super) fn typed(&mut self, ty: Ty, access: Access, direction: Direction, weight: Weight) {
        let ty = if ty.scalar.is_ptr() { Ty::I64 } else { ty };
        let align = access.align;
        if access.volatile {
            self.volatile = self.volatile.max(ty.scalar.bytes().min(align));
        }
        let (loads, stores) = match direction {
            Direction::Load => (weight, 0),
            Direction::Store => (0, weight),
        };
        match self.typed.iter_mut().find(|t| t.ty == ty && t.align == align) {
            Some(t) => {
                t.loads = t.loads.saturating_add(loads);
                t.stores = t.stores.saturating_add(stores);
            }
            None => self.typed.push(Typed {
                ty,
                align,
                loads,
                stores,
            }),
        }
    }

    /// Records a copy from or to the array, or a fill.
    pub(super) fn bulk(&mut self, align: u32, size: u32, direction: Direction, weight: Weight) {
        let stores = match direction {
            Direction::Load => 0,
            Direction::Store => weight,
        };
        self.bulk.push(Bulk { align, size, stores });
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

    /// Returns whether all copies and fills consist of whole aligned elements of `bytes` bytes.
    fn bulk_fits(&self, bytes: u32) -> bool {
        self.bulk.iter().all(|b| b.align >= bytes && b.size % bytes == 0)
    }

    /// Returns the width of all scalars that are accessed, if they are aligned and agree.
    fn common_width(&self) -> Option<u32> {
        let width = self.typed.first()?.ty.scalar.bytes();
        let agree = |t: &Typed| t.ty.scalar.bytes() == width && t.align >= width;
        (self.typed.iter().all(agree) && self.bulk_fits(width)).then_some(width)
    }

    /// Returns the element type: the accessed type if all agree, the common scalar if the widths agree,
    /// otherwise 32-bit words. Atomic operations need an integer of their width, the widest if there are
    /// several.
    pub(super) fn element(&self) -> Ty {
        if let Some(&bytes) = self.atomics.iter().max() {
            return Ty::of(Scalar::int(bytes * 8));
        }
        let Some(first) = self.typed.first() else {
            let align = self.bulk.iter().map(|b| b.align).min().unwrap_or(4);
            let sizes_fit = |bytes: &u32| align >= *bytes && self.bulk_fits(*bytes);
            let bytes = [4, 2, 1].into_iter().find(sizes_fit).unwrap_or(4);
            return Ty::of(Scalar::int(bytes * 8));
        };
        let Some(width) = self.common_width() else {
            return Ty::I32;
        };
        let scalar = self.most_frequent_scalar(width).unwrap_or(first.ty.scalar);
        let (lanes, bytes) = (first.ty.lanes, first.ty.bytes());
        let agree = |t: &Typed| t.ty.lanes == lanes && t.align >= bytes;
        if matches!(lanes, 2 | 4) && self.typed.iter().all(agree) && self.bulk_fits(bytes) {
            return Ty::vector(scalar, lanes);
        }
        Ty::of(scalar)
    }

    /// Returns whether no element type suits all accesses: some of them are narrower than the element, or are
    /// composed of several.
    pub(super) fn disagree(&self) -> bool {
        let atomic = |width: u32| self.atomics.iter().all(|&a| a == width);
        match (self.typed.is_empty(), self.common_width()) {
            (false, Some(width)) => !atomic(width),
            (false, None) => true,
            (true, _) => {
                let element = self.element().bytes();
                !atomic(element) || !self.bulk_fits(element)
            }
        }
    }

    /// Returns whether there are accesses of vectors beside those of their lanes.
    pub(super) fn mixes_lanes(&self) -> bool {
        let whole = |t: &Typed| matches!(t.ty.lanes, 2 | 4) && t.align >= t.ty.bytes();
        self.typed
            .iter()
            .any(|t| whole(t) && t.ty.bytes() > self.element().bytes())
    }

    /// Returns the element type of an array that work-items share: [`Self::element`], but where this is a word
    /// of which parts are stored, the type of these parts if that is cheaper. Other work-items must not see half
    /// of a volatile store.
    pub(super) fn shared_element(&self) -> Ty {
        let element = self.element();
        if element != Ty::I32 || self.has_atomics() || !self.disagree() {
            return element;
        }
        let stores = self.typed.iter().filter(|t| t.stores > 0).map(Typed::width);
        let fills = self.bulk.iter().filter(|b| b.stores > 0).map(Bulk::width);
        match stores.chain(fills).min() {
            Some(width @ 1..4) if self.volatile <= width && self.cost(width) < self.cost(4) => {
                Ty::of(Scalar::int(width * 8))
            }
            _ => element,
        }
    }

    /// Returns the cost of all accesses with elements of `bytes` bytes.
    fn cost(&self, bytes: u32) -> Weight {
        let mut sum: Weight = 0;
        for t in &self.typed {
            let scalars = Weight::from(t.ty.bytes() / t.ty.scalar.bytes().max(1));
            let pieces = scalars * Weight::from(t.ty.scalar.bytes() / t.width().min(bytes));
            let (load, store) = match t.width() < bytes {
                true => (PART_LOAD, PART_STORE),
                false => (1, 1),
            };
            sum = sum.saturating_add(t.loads.saturating_mul(pieces * load));
            sum = sum.saturating_add(t.stores.saturating_mul(pieces * store));
        }
        for b in &self.bulk {
            let pieces = Weight::from(b.size.div_ceil(bytes));
            let store = match b.width() < bytes {
                true => PART_STORE,
                false => 1,
            };
            sum = sum.saturating_add(b.stores.saturating_mul(pieces * store));
        }
        sum
    }

    /// Returns the scalar type with most accesses of a width.
    fn most_frequent_scalar(&self, width: u32) -> Option<Scalar> {
        let mut best: Option<(Weight, Scalar)> = None;
        for t in self.typed.iter().filter(|t| t.ty.scalar.bytes() == width) {
            let same = self.typed.iter().filter(|o| o.ty.scalar == t.ty.scalar);
            let count = same.fold(0, |n: Weight, o| {
                n.saturating_add(o.loads).saturating_add(o.stores)
            });
            if best.is_none_or(|(n, _)| count > n) {
                best = Some((count, t.ty.scalar));
            }
        }
        best.map(|b| b.1)
    }
}

/// Returns the type of the elements of a private or local array: words instead of integers that the device does not have
/// there.
pub(super) fn without_narrow(element: Ty, target: &Target) -> Ty {
    match element.scalar {
        Scalar::I8 | Scalar::I16 if target.lacks_narrow_integers() => Ty::I32,
        _ => element,
    }
}

impl Bulk {
    /// Returns the width of the narrowest access that it needs.
    fn width(&self) -> u32 {
        let whole = 1 << self.size.trailing_zeros().min(2);
        self.align.clamp(1, 4).min(whole)
    }
}

/// The element types of an array that is accessed with every width (VK_KHR_workgroup_memory_explicit_layout).
#[derive(Clone, Debug, Default)]
pub(super) struct Views {
    /// For each width in bytes, the scalar of the elements; an integer for a width that is not here.
    scalars: BTreeMap<u32, Scalar>,
}

impl Views {
    /// Chooses the element types for the accesses to several arrays in the same memory.
    pub(super) fn new(arrays: &[&Accesses]) -> Views {
        let mut all = Accesses::default();
        for array in arrays {
            for t in array.typed.iter().filter(|t| t.width() == t.ty.scalar.bytes()) {
                let access = Access {
                    align: t.align,
                    volatile: false,
                };
                all.typed(t.ty, access, Direction::Load, t.loads.saturating_add(t.stores));
            }
            all.atomics.extend(&array.atomics);
        }
        let widths = all.typed.iter().map(Typed::width);
        let scalars = widths.filter(|w| !all.atomics.contains(w));
        Views {
            scalars: scalars
                .filter_map(|w| Some((w, all.most_frequent_scalar(w)?)))
                .collect(),
        }
    }

    /// Returns the element type for an access.
    pub(super) fn element(&self, ty: Ty, align: u32) -> Ty {
        let width = ty.scalar.bytes().min(align);
        let scalar = self.scalars.get(&width).copied();
        let scalar = scalar.unwrap_or_else(|| Scalar::int(width * 8));
        let whole = width == ty.scalar.bytes() && align >= ty.bytes();
        match ty.lanes {
            2 | 4 if whole => Ty::vector(scalar, ty.lanes),
            _ => Ty::of(scalar),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(align: u32) -> Access {
        Access {
            align,
            volatile: false,
        }
    }

    fn element(typed: &[(Ty, u32)], bulk: &[(u32, u32)]) -> Ty {
        let mut a = Accesses::default();
        for &(ty, align) in typed {
            a.typed(ty, access(align), Direction::Load, 1);
        }
        for &(align, size) in bulk {
            a.bulk(align, size, Direction::Store, 1);
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
        a.typed(Ty::F32, access(4), Direction::Load, 1);
        a.atomic(Ty::I32);
        assert_eq!(a.element(), Ty::I32);
        a.atomic(Ty::I64);
        assert_eq!(a.element(), Ty::I64);
    }

    #[test]
    fn narrow_stores_decide_if_they_are_frequent() {
        let bytes = |weight| {
            let mut a = Accesses::default();
            a.typed(Ty::I32, access(4), Direction::Store, 64);
            a.typed(Ty::I8, access(1), Direction::Load, weight);
            a.typed(Ty::I8, access(1), Direction::Store, weight);
            assert!(a.disagree());
            a.shared_element()
        };
        assert_eq!(bytes(512), Ty::I8);
        assert_eq!(bytes(1), Ty::I32);
        let mut loads = Accesses::default();
        loads.typed(Ty::I32, access(4), Direction::Store, 1);
        loads.typed(Ty::I8, access(1), Direction::Load, 512);
        assert_eq!(loads.shared_element(), Ty::I32);
        let mut atomics = Accesses::default();
        atomics.typed(Ty::I8, access(1), Direction::Store, 512);
        atomics.atomic(Ty::I32);
        assert!(atomics.disagree());
        assert_eq!(atomics.shared_element(), Ty::I32);
        let mut volatile = Accesses::default();
        volatile.typed(Ty::I8, access(1), Direction::Store, 512);
        let whole = Access {
            volatile: true,
            ..access(4)
        };
        volatile.typed(Ty::I32, whole, Direction::Store, 1);
        assert_eq!(volatile.shared_element(), Ty::I32);
        let mut fills = Accesses::default();
        fills.typed(Ty::I32, access(4), Direction::Load, 1);
        fills.bulk(1, 256, Direction::Store, 1);
        assert_eq!(fills.shared_element(), Ty::I8);
        let mut agree = Accesses::default();
        agree.typed(Ty::vector(Scalar::F32, 4), access(16), Direction::Store, 1);
        agree.typed(Ty::I32, access(4), Direction::Load, 1);
        assert!(!agree.disagree());
    }

    #[test]
    fn views_have_the_width_of_the_access() {
        let v4 = Ty::vector(Scalar::F32, 4);
        let mut a = Accesses::default();
        a.typed(v4, access(16), Direction::Store, 1);
        a.typed(Ty::I32, access(2), Direction::Load, 9);
        let mut b = Accesses::default();
        b.typed(Ty::I64, access(8), Direction::Store, 1);
        b.atomic(Ty::I64);
        let views = Views::new(&[&a, &b]);
        let cases = [
            (v4, 16, v4),
            (v4, 8, Ty::F32),
            (Ty::vector(Scalar::I32, 2), 8, Ty::vector(Scalar::F32, 2)),
            (Ty::vector(Scalar::F32, 3), 16, Ty::F32),
            (Ty::I32, 4, Ty::F32),
            (Ty::I32, 2, Ty::I16),
            (Ty::vector(Scalar::I8, 4), 1, Ty::I8),
            (Ty::vector(Scalar::I8, 4), 4, Ty::vector(Scalar::I8, 4)),
            (Ty::F64, 8, Ty::I64),
        ];
        for (ty, align, expected) in cases {
            assert_eq!(views.element(ty, align), expected, "{ty} {align}");
        }
    }
}
