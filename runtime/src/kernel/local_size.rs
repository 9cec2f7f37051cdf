//! The work-group size of a launch: checks the one that the application specified, or chooses one (CL 5.8,
//! `local_work_size`).

use crate::device::Limits;
use crate::error::{ClCode, Error, Result};

/// The preferred number of work-items of a chosen work-group.
const GOOD: u32 = 256;

/// Returns the work-group size of a launch; it divides `global` in every dimension unless the kernel is `uneven`, which
/// means that work-groups may have different sizes.
pub(super) fn resolve(
    asked: Option<[usize; 3]>,
    global: [u64; 3],
    work_dim: u32,
    required: Option<[u32; 3]>,
    uneven: bool,
    limits: &Limits,
) -> Result<[u32; 3]> {
    let group = |what: String| Err(Error::new(ClCode::InvalidWorkGroupSize, what).at("5.8"));
    let asked = match (asked, required) {
        (Some(asked), _) => asked,
        // OpenCL 1.2 demands INVALID_WORK_GROUP_SIZE here; later versions define the result, and applications
        // rely on it.
        (None, Some(size)) => size.map(|n| n as usize),
        (None, None) => return Ok(choose(global, limits)),
    };
    // CL 5.8: INVALID_WORK_GROUP_SIZE if it does not match reqd_work_group_size
    if let Some(size) = required
        && (0..3).any(|d| asked[d] != size[d] as usize)
    {
        return group(format!("{asked:?}, but the kernel requires {size:?}"));
    }
    if let Some(d) = (work_dim as usize..3).find(|&d| asked[d] != 1) {
        return group(format!("{} in dimension {d} of {work_dim}", asked[d]));
    }
    // CL 5.8: INVALID_WORK_GROUP_SIZE if global_work_size is not evenly divisible. CL 2.0: only if the kernel's
    // work-groups must be uniform
    let divides = |d: usize| uneven || global[d].is_multiple_of(asked[d] as u64);
    if let Some(d) = (0..3).find(|&d| asked[d] == 0 || !divides(d)) {
        return group(format!(
            "{} does not divide {} in dimension {d}",
            asked[d], global[d]
        ));
    }
    // CL 5.8: INVALID_WORK_GROUP_SIZE if the total exceeds MAX_WORK_GROUP_SIZE. The specification lists it before
    // INVALID_WORK_ITEM_SIZE, and applications that try smaller sizes look for it.
    let total = asked.iter().try_fold(1usize, |total, &n| total.checked_mul(n));
    if total.is_none_or(|total| total > limits.group_invocations as usize) {
        return group(format!("{asked:?} work-items"));
    }
    // CL 5.8: INVALID_WORK_ITEM_SIZE if it exceeds MAX_WORK_ITEM_SIZES
    if let Some(d) = (0..3).find(|&d| asked[d] > limits.group_size[d] as usize) {
        return Err(Error::new(
            ClCode::InvalidWorkItemSize,
            format!("{} work-items in dimension {d}", asked[d]),
        )
        .at("5.8"));
    }
    let local = asked.map(|n| n as u32);
    Ok(local)
}

/// Returns a good work-group size for most of an NDRange that no good size divides; the rest in x then runs as
/// a narrower dispatch. The results of the kernel must not depend on the grouping. Returns `None` if a
/// divisor is good enough.
pub(super) fn uneven(global: [u64; 3], limits: &Limits) -> Option<[u32; 3]> {
    let even = choose(global, limits);
    let size = even.iter().product::<u32>();
    let most = GOOD.min(limits.group_invocations).min(limits.group_size[0]);
    let wide = (most / limits.subgroup * limits.subgroup).max(1);
    let good =
        size * 2 >= most && u64::from(even[0]).is_multiple_of(u64::from(limits.subgroup).min(global[0]));
    (!good && global[0] >= u64::from(4 * wide)).then_some([wide, 1, 1])
}

/// Returns the size of `sizes` with the number of work-items nearest to that of `wanted` that divides `global`. It has at least
/// `least` work-items, because smaller groups leave lanes of the device idle, unless `wanted` has fewer.
pub(super) fn nearest(
    wanted: [u32; 3],
    global: [u64; 3],
    sizes: impl Iterator<Item = [u32; 3]>,
    least: u32,
) -> Option<[u32; 3]> {
    let items = |size: &[u32; 3]| size.iter().product::<u32>();
    let least = least.min(items(&wanted));
    let even = sizes.filter(|size| (0..3).all(|d| global[d].is_multiple_of(u64::from(size[d]))));
    even.filter(|size| items(size) >= least)
        .min_by_key(|size| items(size).abs_diff(items(&wanted)))
}

/// The most work-items of a small NDRange. A small NDRange does not get a pipeline of its own at once, because
/// making one takes longer than hundreds of such launches with a work-group size that is not the best.
const SMALL: u64 = 1024;

/// A small NDRange gets its own pipeline after this many launches that wanted it.
const OFTEN: u32 = 32;

/// The most work-group sizes whose launches are counted.
const COUNTED: usize = 64;

/// Returns whether an NDRange is small, so that [`Wishes`] decides about its work-group size.
pub(super) fn is_small(global: [u64; 3]) -> bool {
    global.iter().fold(1u64, |n, size| n.saturating_mul(*size)) <= SMALL
}

/// The work-group sizes that small NDRanges wanted and did not get, with the number of launches. Programs that
/// run a kernel over many sizes, each a few times, then need few pipelines.
#[derive(Default)]
pub(super) struct Wishes {
    counts: Vec<([u32; 3], u32)>,
    /// The sizes that clGetKernelSuggestedLocalWorkSize has returned, so that launches get them.
    promised: Vec<[u32; 3]>,
}

impl Wishes {
    /// Notes that a launch that wants this size must get it.
    pub(super) fn promise(&mut self, wanted: [u32; 3]) {
        if !self.promised.contains(&wanted) {
            self.promised.push(wanted);
        }
    }

    /// Returns `wanted`, or the largest of the sizes with a pipeline that divides `global`.
    pub(super) fn settle(
        &mut self,
        wanted: [u32; 3],
        global: [u64; 3],
        made: impl Iterator<Item = [u32; 3]>,
    ) -> [u32; 3] {
        let mut best = None;
        if self.promised.contains(&wanted) {
            return wanted;
        }
        for local in made {
            if local == wanted {
                return wanted;
            }
            let fits = (0..3).all(|d| global[d].is_multiple_of(u64::from(local[d])));
            let size = local.iter().product::<u32>();
            if fits && best.is_none_or(|(most, _)| size > most) {
                best = Some((size, local));
            }
        }
        let Some((_, best)) = best else { return wanted };
        match self.counts.iter_mut().find(|(size, _)| *size == wanted) {
            Some((_, count)) if *count + 1 >= OFTEN => {
                self.counts.retain(|(size, _)| *size != wanted);
                wanted
            }
            Some((_, count)) => {
                *count += 1;
                best
            }
            None => {
                if self.counts.len() == COUNTED {
                    self.counts.remove(0);
                }
                self.counts.push((wanted, 1));
                best
            }
        }
    }
}

/// Returns the largest divisor of `n` up to `most`, or the largest that is a multiple of `step` if that is at
/// least half as large.
fn divisor(n: u64, most: u32, step: u32) -> u32 {
    let mut best = 1;
    let mut best_step = 0;
    for d in 1..=u64::from(most).min(n) as u32 {
        if n.is_multiple_of(u64::from(d)) {
            best = d;
            if d.is_multiple_of(step) {
                best_step = d;
            }
        }
    }
    if best_step * 2 >= best { best_step } else { best }
}

/// Chooses a work-group size for any global size: as wide in x as possible, with up to about [`GOOD`]
/// work-items.
fn choose(global: [u64; 3], limits: &Limits) -> [u32; 3] {
    let all = limits.group_invocations;
    let good = GOOD.min(all);
    let mut x = divisor(global[0], good.min(limits.group_size[0]), limits.subgroup);
    // Where there are few good divisors, a larger group is better than one that leaves most lanes idle.
    if x < limits.subgroup && global[1] == 1 && global[2] == 1 {
        x = x.max(divisor(global[0], all.min(limits.group_size[0]), limits.subgroup));
    }
    let y = divisor(global[1], (good / x).max(1).min(limits.group_size[1]), 1);
    let z = divisor(global[2], (good / (x * y)).max(1).min(limits.group_size[2]), 1);
    [x, y, z]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_size_divides_the_range_and_is_not_narrow() {
        let near = |wanted: u32, global: u64, sizes: &[u32]| {
            let sizes = sizes.iter().map(|n| [*n, 1, 1]);
            nearest([wanted, 1, 1], [global, 1, 1], sizes, 32).map(|size| size[0])
        };
        assert_eq!(near(512, 4096, &[1, 64, 1024, 256]), Some(256));
        assert_eq!(near(512, 512, &[1024, 64]), Some(64));
        assert_eq!(near(512, 4096, &[1, 16]), None);
        assert_eq!(near(8, 4096, &[1, 16]), Some(16));
        assert_eq!(near(64, 96, &[64, 128]), None);
    }

    fn limits() -> Limits {
        Limits {
            group_count: [65535; 3],
            group_size: [1024, 1024, 64],
            group_invocations: 1024,
            local_memory: 32 << 10,
            uniform_alignment: 16,
            push_constants: 128,
            bindings: Default::default(),
            max_alloc: 1 << 30,
            max_memory_allocation: 1 << 30,
            local_step: 1024,
            global_memory: 2 << 30,
            scratch: 1 << 20,
            subgroup: 32,
            packed_groups: 96,
        }
    }

    #[test]
    fn chosen_sizes_divide_and_fit() {
        for global in [
            [1, 1, 1],
            [1 << 20, 1, 1],
            [1009, 1, 1],
            [1_000_003, 1, 1],
            [640, 480, 1],
            [7, 7, 7],
            [1, 1, 100],
            [3, 1 << 16, 1],
            [1 << 40, 1, 1],
            [(1 << 32) + 256, 5, 1],
        ] {
            let local = choose(global, &limits());
            for d in 0..3 {
                assert_eq!(global[d] % u64::from(local[d]), 0, "{global:?} {local:?}");
                assert!(local[d] <= limits().group_size[d]);
            }
            assert!(local.iter().product::<u32>() <= 1024);
        }
        assert_eq!(choose([1 << 20, 1, 1], &limits()), [256, 1, 1]);
        assert_eq!(choose([1009, 1, 1], &limits()), [1009, 1, 1]);
        assert_eq!(choose([640, 480, 1], &limits())[0] % 32, 0);
    }

    #[test]
    fn primes_are_cut_unevenly() {
        assert_eq!(uneven([1_000_003, 1, 1], &limits()), Some([256, 1, 1]));
        assert_eq!(uneven([1 << 20, 1, 1], &limits()), None);
        assert_eq!(uneven([101, 1, 1], &limits()), None);
        assert_eq!(uneven([4099, 3, 1], &limits()), Some([256, 1, 1]));
        assert_eq!(uneven([64, 64, 1], &limits()), None);
    }

    #[test]
    fn few_pipelines_for_many_small_sizes() {
        let mut wishes = Wishes::default();
        let mut made: Vec<[u32; 3]> = Vec::new();
        for x in 1..13 {
            for y in 1..9 {
                for z in 2..9 {
                    let global = [x, y, z];
                    assert!(is_small(global));
                    let local = wishes.settle(choose(global, &limits()), global, made.iter().copied());
                    assert!((0..3).all(|d| global[d].is_multiple_of(u64::from(local[d]))));
                    if !made.contains(&local) {
                        made.push(local);
                    }
                }
            }
        }
        assert!(made.len() < 8, "{made:?}");
        // A size that is wanted often gets its own pipeline.
        let global = [64, 4, 2];
        let settled = |w: &mut Wishes| w.settle([64, 4, 1], global, made.iter().copied());
        let others = (0..OFTEN)
            .take_while(|_| settled(&mut wishes) != [64, 4, 1])
            .count();
        assert_eq!(others, OFTEN as usize - 1);
        assert!(!is_small([1 << 20, 1 << 20, 1 << 20]));
        // A size that was promised is given at once.
        let mut wishes = Wishes::default();
        let again = |w: &mut Wishes| w.settle([5, 7, 1], [5, 7, 1], [[5, 1, 1]].into_iter());
        assert_eq!(again(&mut wishes), [5, 1, 1]);
        wishes.promise([5, 7, 1]);
        assert_eq!(again(&mut wishes), [5, 7, 1]);
    }

    #[test]
    fn asked_sizes_are_checked() {
        let code = |local, global, required| {
            resolve(Some(local), global, 3, required, false, &limits()).map_err(|e| e.code)
        };
        assert_eq!(code([8, 2, 1], [16, 4, 1], None), Ok([8, 2, 1]));
        assert_eq!(
            code([3, 1, 1], [16, 1, 1], None),
            Err(ClCode::InvalidWorkGroupSize)
        );
        assert_eq!(
            code([0, 1, 1], [16, 1, 1], None),
            Err(ClCode::InvalidWorkGroupSize)
        );
        assert_eq!(
            code([1, 1, 128], [1, 1, 128], None),
            Err(ClCode::InvalidWorkItemSize)
        );
        // More than the device has in a dimension and in all: the first of the specification's list.
        assert_eq!(
            code([2048, 1, 1], [4096, 1, 1], None),
            Err(ClCode::InvalidWorkGroupSize)
        );
        assert_eq!(
            code([1 << 40, 1 << 40, 1], [1 << 40, 1 << 40, 1], None),
            Err(ClCode::InvalidWorkGroupSize)
        );
        assert_eq!(
            code([64, 64, 1], [64, 64, 1], None),
            Err(ClCode::InvalidWorkGroupSize)
        );
        assert_eq!(
            code([8, 1, 1], [16, 1, 1], Some([4, 1, 1])),
            Err(ClCode::InvalidWorkGroupSize)
        );
        let uneven = |local, global, required| {
            resolve(Some(local), global, 3, required, true, &limits()).map_err(|e| e.code)
        };
        assert_eq!(uneven([3, 1, 1], [16, 1, 1], None), Ok([3, 1, 1]));
        assert_eq!(uneven([32, 1, 1], [16, 1, 1], None), Ok([32, 1, 1]));
        let bad = Err(ClCode::InvalidWorkGroupSize);
        assert_eq!(uneven([0, 1, 1], [16, 1, 1], None), bad);
        assert_eq!(uneven([3, 1, 1], [16, 1, 1], Some([3, 1, 1])), Ok([3, 1, 1]));
        assert_eq!(uneven([4, 1, 1], [16, 1, 1], Some([3, 1, 1])), bad);
        let null = |global, work_dim, required| {
            resolve(None, global, work_dim, Some(required), false, &limits()).map_err(|e| e.code)
        };
        assert_eq!(null([16, 1, 1], 1, [4, 1, 1]), Ok([4, 1, 1]));
        assert_eq!(null([18, 1, 1], 1, [4, 1, 1]), Err(ClCode::InvalidWorkGroupSize));
        assert_eq!(null([16, 1, 1], 1, [4, 2, 1]), Err(ClCode::InvalidWorkGroupSize));
    }
}
