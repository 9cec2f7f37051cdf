//! The division of an NDRange into parts with work-groups of one size each.

use super::packing;

/// The work-groups of an NDRange that have the same size.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) local: [u32; 3],
    /// The id of the first work-group.
    pub(super) first: [u64; 3],
    /// The number of work-groups; in each dimension a multiple of `pack`.
    pub(super) groups: [u64; 3],
    /// The number of work-groups that run as one work-group of the device.
    pub(super) pack: [u32; 3],
}

impl Part {
    /// Returns the size of the device's work-groups.
    pub(super) fn device_size(&self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.local[d] * self.pack[d])
    }

    /// Returns the number of the device's work-groups.
    pub(super) fn device_groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.groups[d] / u64::from(self.pack[d]))
    }
}

/// Divides an NDRange into work-groups: returns the part that begins at work-group 0, and the others.
pub(super) fn parts(global: [u64; 3], local: [u32; 3]) -> (Part, Vec<Part>) {
    let full = [0, 1, 2].map(|d| global[d] / u64::from(local[d]));
    let rest = [0, 1, 2].map(|d| (global[d] % u64::from(local[d])) as u32);
    let part = |ends: usize| {
        let at_end = |d: usize| ends >> d & 1 != 0;
        let part = Part {
            local: [0, 1, 2].map(|d| if at_end(d) { rest[d] } else { local[d] }),
            first: [0, 1, 2].map(|d| if at_end(d) { full[d] } else { 0 }),
            groups: [0, 1, 2].map(|d| if at_end(d) { 1 } else { full[d] }),
            pack: packing::NONE,
        };
        let exists = (0..3).all(|d| part.local[d] > 0 && part.groups[d] > 0);
        exists.then_some(part)
    };
    if rest == [0; 3] {
        let only = Part {
            local,
            first: [0; 3],
            groups: full,
            pack: packing::NONE,
        };
        return (only, Vec::new());
    }
    let mut all = (0..8).filter_map(part);
    let first = all.next().expect("no size is 0");
    (first, all.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_range() {
        let (one, others) = parts([64, 6, 1], [16, 3, 1]);
        assert!(others.is_empty());
        assert_eq!((one.local, one.groups), ([16, 3, 1], [4, 2, 1]));
        for (global, local, count) in [
            ([10, 7, 5], [4, 3, 2], 8),
            ([10, 6, 1], [4, 3, 1], 2),
            ([3, 7, 1], [4, 3, 1], 2),
            ([3, 2, 1], [4, 3, 2], 1),
            ([1000, 1, 9], [256, 1, 4], 4),
        ] {
            let (first, others) = parts(global, local);
            let all: Vec<Part> = std::iter::once(first).chain(others).collect();
            assert_eq!(all.len(), count, "{global:?}");
            assert_eq!(all[0].first, [0; 3]);
            let items = all.iter().map(|p| {
                (0..3)
                    .map(|d| p.groups[d] * u64::from(p.local[d]))
                    .product::<u64>()
            });
            assert_eq!(items.sum::<u64>(), global.iter().product::<u64>(), "{global:?}");
            for part in &all {
                for d in 0..3 {
                    // Groups of the full size come first.
                    let is_end = part.first[d] > 0;
                    assert!(!is_end || part.first[d] == global[d] / u64::from(local[d]));
                    assert!(!is_end || all[0].local[d] == local[d]);
                }
            }
        }
    }
}
