//! Whether several work-groups of a launch run as one work-group of the device (compiler ADR 23).
//!
//! A work-group that is smaller than a sub-group leaves lanes of the device idle. If the compiler has found that work-groups of
//! a kernel can run together ([`Packing`]), a launch lets as many neighbours do so as a sub-group has room for. Everything that
//! the application sees stays as it is. It is not done where the device has room for nearly all groups at once: work-groups that
//! run together wait for each other where their work-items take different branches, and use the memory of one compute unit.

use caldera_compiler::reflect::Packing;

use super::parts::Part;
use super::pipeline::DeviceKernel;
use crate::config::config;

/// The numbers of work-groups of a launch that does not pack them.
pub(super) const NONE: [u32; 3] = [1; 3];

/// The size of the arena of packed work-groups is a multiple of this number of bytes.
const ARENA_STEP: u32 = 64;

/// What decides about the packing of a kernel's work-groups.
struct Room {
    /// The lanes of a sub-group.
    lanes: u32,
    /// Whether sub-groups are parts of rows of a work-group.
    in_rows: bool,
    /// The most work-items of a work-group, in each dimension and in all.
    group_size: [u32; 3],
    group_invocations: u32,
    /// The most groups, because of local memory.
    most: u32,
    /// The least number of work-groups of a launch that packs them.
    least: u64,
}

impl Room {
    /// Returns the number of work-groups in each dimension that run as one.
    fn pack(&self, local: [u32; 3], groups: [u64; 3]) -> [u32; 3] {
        let items = local.iter().product::<u32>().max(1);
        let row = if self.in_rows { local[0].max(1) } else { items };
        let most = (self.lanes / row)
            .min(self.group_invocations / items)
            .min(self.most);
        let dimensions = if self.in_rows { 1 } else { 3 };
        let fit = |d: usize| {
            let n = u64::from(most.min(self.group_size[d] / local[d].max(1)));
            n.min(groups[d]) as u32
        };
        let full = (0..dimensions).find(|&d| fit(d) == most);
        let best = full.or_else(|| (0..dimensions).max_by_key(|&d| fit(d)));
        let Some((d, n)) = best.map(|d| (d, fit(d))).filter(|(_, n)| *n > 1) else {
            return NONE;
        };
        let all = groups.iter().fold(1u64, |n, count| n.saturating_mul(*count));
        if all < self.least {
            return NONE;
        }
        let mut pack = NONE;
        pack[d] = n;
        pack
    }
}

impl DeviceKernel {
    /// Returns the number of work-groups in each dimension that run as one in the first part of a launch, and the size in bytes
    /// of the arena of each group. `arena` is the number of bytes of the arena that the launch uses. `groups` is `None` if the number
    /// of work-groups is not known.
    pub(super) fn packing(&self, local: [u32; 3], groups: Option<[u64; 3]>, arena: u32) -> ([u32; 3], u32) {
        let unpacked = (NONE, self.arena(arena));
        let reflection = self.reflection();
        let Some(packing) = reflection.packing else {
            return unpacked;
        };
        let module = self.module();
        let debug = config().debug;
        if debug.no_packing
            || module.reflection().spec.workgroup_size.is_none()
            || reflection.scratch.is_some()
        {
            return unpacked;
        }
        let device = module.device();
        let limits = device.limits();
        let own_arena = match reflection.has_arena {
            true => arena.max(4).next_multiple_of(ARENA_STEP),
            false => 4,
        };
        let bytes = match (packing, reflection.has_arena) {
            (Packing::Size, _) => 0,
            (Packing::Constants(_), true) => own_arena + reflection.local_apart,
            (Packing::Constants(_), false) => reflection.local_fixed.next_multiple_of(4),
        };
        let room = Room {
            lanes: limits.subgroup,
            in_rows: device.has_subgroups_in_rows() && !debug.pack_always,
            group_size: limits.group_size,
            group_invocations: limits.group_invocations,
            most: limits.local_memory.checked_div(bytes).unwrap_or(u32::MAX),
            least: match debug.pack_always {
                true => 1,
                false => limits.packed_groups,
            },
        };
        match room.pack(local, groups.unwrap_or([u64::MAX; 3])) {
            NONE => unpacked,
            pack => (pack, own_arena),
        }
    }
}

impl Part {
    /// Divides a part of a launch into one with packed work-groups and the rest, which does not fill a work-group of the
    /// device.
    pub(super) fn packed(self, pack: [u32; 3]) -> (Part, Option<Part>) {
        let Some(d) = (0..3).find(|&d| pack[d] > 1) else {
            return (self, None);
        };
        let rest = self.groups[d] % u64::from(pack[d]);
        let mut main = Part { pack, ..self };
        main.groups[d] -= rest;
        let mut tail = self;
        tail.first[d] += main.groups[d];
        tail.groups[d] = rest;
        (main, (rest > 0).then_some(tail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Room {
        Room {
            lanes: 32,
            in_rows: false,
            group_size: [1024, 1024, 64],
            group_invocations: 1024,
            most: u32::MAX,
            least: 10,
        }
    }

    #[test]
    fn sub_groups_are_filled() {
        let pack = |local, groups| room().pack(local, groups);
        assert_eq!(pack([1, 1, 1], [1000, 1, 1]), [32, 1, 1]);
        assert_eq!(pack([8, 1, 1], [1000, 1, 1]), [4, 1, 1]);
        assert_eq!(pack([4, 4, 1], [1000, 1, 1]), [2, 1, 1]);
        assert_eq!(pack([3, 1, 1], [1000, 1, 1]), [10, 1, 1]);
        assert_eq!(pack([1, 1, 1], [4, 1000, 1]), [1, 32, 1]);
        assert_eq!(pack([1, 1, 1], [20, 8, 16]), [20, 1, 1]);
        assert_eq!(pack([17, 1, 1], [1000, 1, 1]), NONE);
        assert_eq!(pack([32, 1, 1], [1000, 1, 1]), NONE);
        assert_eq!(pack([512, 2, 1], [1000, 1, 1]), NONE);
        assert_eq!(pack([1, 1, 1], [u64::MAX; 3]), [32, 1, 1]);
    }

    #[test]
    fn few_work_groups_stay() {
        let pack = |local, groups| room().pack(local, groups);
        assert_eq!(pack([1, 1, 1], [9, 1, 1]), NONE);
        assert_eq!(pack([1, 1, 1], [10, 1, 1]), [10, 1, 1]);
        assert_eq!(pack([1, 1, 1], [40, 1, 1]), [32, 1, 1]);
        assert_eq!(pack([1, 1, 1], [1, 1, 1]), NONE);
    }

    #[test]
    fn local_memory_and_rows_limit_the_number() {
        let few = Room { most: 3, ..room() };
        assert_eq!(few.pack([1, 1, 1], [1000, 1, 1]), [3, 1, 1]);
        let none = Room { most: 1, ..room() };
        assert_eq!(none.pack([1, 1, 1], [1000, 1, 1]), NONE);
        let rows = Room {
            lanes: 8,
            in_rows: true,
            ..room()
        };
        assert_eq!(rows.pack([4, 4, 1], [1000, 1, 1]), [2, 1, 1]);
        assert_eq!(rows.pack([1, 8, 1], [1, 1000, 1]), NONE);
        assert_eq!(rows.pack([1, 512, 1], [1000, 1, 1]), [2, 1, 1]);
        assert_eq!(rows.pack([1, 8, 1], [5, 1000, 1]), [5, 1, 1]);
    }

    #[test]
    fn the_rest_is_a_part_of_its_own() {
        let part = Part {
            local: [4, 2, 1],
            first: [0; 3],
            groups: [11, 3, 2],
            pack: NONE,
        };
        let (main, rest) = part.packed([4, 1, 1]);
        assert_eq!((main.groups, main.pack), ([8, 3, 2], [4, 1, 1]));
        assert_eq!(
            (main.device_groups(), main.device_size()),
            ([2, 3, 2], [16, 2, 1])
        );
        let rest = rest.expect("three groups of each row are left");
        assert_eq!((rest.first, rest.groups, rest.pack), ([8, 0, 0], [3, 3, 2], NONE));
        assert_eq!(part.packed([1, 3, 1]).1, None);
        assert_eq!(part.packed(NONE), (part, None));
    }
}
