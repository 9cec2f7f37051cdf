//! The scratch memory of launches: it has private arrays that are too large for a driver (compiler ADR 16,
//! runtime ADR 8).

/// Returns how many work-groups a dispatch may have in each dimension. `group` is the number of bytes of scratch memory that a
/// work-group needs.
pub(super) fn regions(groups: [u32; 3], limit: [u32; 3], group: u64, budget: u64) -> [u32; 3] {
    let mut room = (budget / group.max(1)).max(1);
    let mut most = [1; 3];
    for d in 0..3 {
        let count = u64::from(groups[d].min(limit[d]).max(1)).min(room);
        most[d] = count as u32;
        room /= count;
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_stay_within_the_budget() {
        let limit = [65535; 3];
        assert_eq!(regions([10, 1, 1], limit, 100, 1000), [10, 1, 1]);
        assert_eq!(regions([11, 1, 1], limit, 100, 1000), [10, 1, 1]);
        assert_eq!(regions([4, 3, 2], limit, 100, 1000), [4, 2, 1]);
        assert_eq!(regions([2, 2, 5], limit, 100, 1000), [2, 2, 2]);
        // At least one work-group runs, whatever it needs.
        assert_eq!(regions([4, 4, 4], limit, 2000, 1000), [1, 1, 1]);
        assert_eq!(regions([100_000, 1, 1], limit, 1, 1 << 30), [65535, 1, 1]);
        assert_eq!(regions([1, 1, 1], limit, u64::MAX, 5), [1, 1, 1]);
    }
}
