//! Which work-items of a work-group with several dimensions form the device's sub-groups (compiler ADR 13).

use caldera_compiler::target::SubgroupLayout;

/// The source of the kernel `sub_groups`.
pub(super) const PROBE: &str = include_str!("subgroups.cl");

/// The numbers that each work-item writes: the id of its sub-group, its own local id there, and two numbers that the
/// work-items of the sub-group have exchanged: the local linear id of the first one, and the sum of those of all.
pub(super) type Place = [u32; 4];

/// Returns the shapes of work-groups that are tried. Unless `size` is 1, no row consists of whole sub-groups of `size`
/// work-items; the rows of the last shape are one work-item shorter than a sub-group.
pub(super) fn shapes(size: u32) -> [[u32; 3]; 3] {
    [[3, 3, 1], [5, 3, 2], [size.saturating_sub(1).max(1), 3, 1]]
}

/// What is known of the layout after some work-groups.
#[derive(Copy, Clone)]
pub(super) struct Observed {
    size: u32,
    in_order: bool,
    is_full: bool,
    in_rows: bool,
}

impl Observed {
    /// Returns what is known at first of sub-groups of `size` work-items. If `in_order` is set, sub-groups count as full only
    /// if their work-items are in the order of the local linear ids.
    pub(super) fn new(size: u32, in_order: bool) -> Observed {
        Observed {
            size: size.max(1),
            in_order,
            is_full: true,
            in_rows: true,
        }
    }

    /// Takes a work-group into account, whose work-items have written `places`, and whose rows have `row` work-items.
    pub(super) fn add(&mut self, row: u32, places: &[Place]) {
        self.is_full &= self.are_full(places);
        self.in_rows &= self.are_in_rows(row, places);
    }

    /// Returns the layout that all work-groups had.
    pub(super) fn layout(self) -> SubgroupLayout {
        match (self.is_full, self.in_rows) {
            (true, _) => SubgroupLayout::Full,
            (false, true) => SubgroupLayout::Rows,
            (false, false) => SubgroupLayout::Unknown,
        }
    }

    /// Returns whether all sub-groups but the last are full, and their ids are dense.
    fn are_full(&self, places: &[Place]) -> bool {
        let (size, items) = (self.size as usize, places.len());
        // The local linear id of each work-item, at `size` times the id of its sub-group plus its own local id there.
        let mut at = vec![None; items];
        for (n, [id, lane, ..]) in (0u32..).zip(places) {
            let Some(index) = (*id as usize)
                .checked_mul(size)
                .and_then(|first| first.checked_add(*lane as usize))
            else {
                return false;
            };
            match at.get_mut(index) {
                Some(free @ None) if *lane < self.size && (!self.in_order || index == n as usize) => {
                    *free = Some(n);
                }
                _ => return false,
            }
        }
        let at: Vec<u32> = at.into_iter().flatten().collect();
        let mut groups = at.chunks(size);
        at.len() == items && groups.all(|members| have_exchanged(members, places))
    }

    /// Returns whether the work-items of each row have sub-groups of their own.
    fn are_in_rows(&self, row: u32, places: &[Place]) -> bool {
        let numbers: Vec<u32> = (0..places.len() as u32).collect();
        let mut groups = numbers
            .chunks(row.max(1) as usize)
            .flat_map(|row| row.chunks(self.size as usize));
        groups.all(|members| {
            let lanes = members.iter().map(|n| places[*n as usize][1]);
            lanes.eq(0..members.len() as u32) && have_exchanged(members, places)
        })
    }
}

/// Returns whether these work-items, in the order of their numbers in the sub-group, have exchanged their values.
fn have_exchanged(members: &[u32], places: &[Place]) -> bool {
    let sum = members.iter().sum::<u32>();
    members.iter().all(|n| {
        let [.., first, all] = places[*n as usize];
        first == members[0] && all == sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what work-items write whose sub-groups are `groups`, with these ids.
    fn places(groups: &[(u32, &[u32])]) -> Vec<Place> {
        let items = groups.iter().map(|(_, g)| g.len()).sum();
        let mut places = vec![[0; 4]; items];
        for (id, members) in groups {
            for (lane, n) in (0..).zip(*members) {
                places[*n as usize] = [*id, lane, members[0], members.iter().sum()];
            }
        }
        places
    }

    fn layout(groups: &[(u32, &[u32])], in_order: bool) -> SubgroupLayout {
        let mut observed = Observed::new(4, in_order);
        observed.add(3, &places(groups));
        observed.layout()
    }

    #[test]
    fn layouts_are_recognized() {
        let linear: &[(u32, &[u32])] = &[(0, &[0, 1, 2, 3]), (1, &[4, 5])];
        assert_eq!(layout(linear, true), SubgroupLayout::Full);
        let columns: &[(u32, &[u32])] = &[(0, &[0, 3, 1, 4]), (1, &[2, 5])];
        assert_eq!(layout(columns, false), SubgroupLayout::Full);
        assert_eq!(layout(columns, true), SubgroupLayout::Unknown);
        // As of Mesa 22.3, and as of older versions.
        let rows: &[(u32, &[u32])] = &[(0, &[0, 1, 2]), (0, &[3, 4, 5])];
        assert_eq!(layout(rows, true), SubgroupLayout::Rows);
        let rows: &[(u32, &[u32])] = &[(0, &[0, 1, 2]), (1, &[3, 4, 5])];
        assert_eq!(layout(rows, false), SubgroupLayout::Rows);
        let gap: &[(u32, &[u32])] = &[(0, &[0, 1, 2, 3]), (2, &[4, 5])];
        assert_eq!(layout(gap, false), SubgroupLayout::Unknown);
        assert_eq!(
            layout(&[(0, &[0, 1, 2, 3, 4, 5])], false),
            SubgroupLayout::Unknown
        );
    }

    #[test]
    fn one_wrong_exchange_is_seen() {
        let mut wrong = places(&[(0, &[0, 1, 2, 3]), (1, &[4, 5])]);
        wrong[1][3] += 1;
        let mut observed = Observed::new(4, false);
        observed.add(3, &wrong);
        assert_eq!(observed.layout(), SubgroupLayout::Unknown);
    }
}
