//! Arithmetic progressions modulo a power of two, which are the values of a counter, and the first of these values for
//! which a comparison has a given result.

use crate::ir::CmpOp;

/// The numbers `start`, `start + step`, `start + 2 * step` … in an integer type that wraps around.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Progression {
    /// The width of the type, from 1 to 64 bits.
    pub width: u32,
    /// The first number.
    pub start: u64,
    /// What is added each time.
    pub step: u64,
}

impl Progression {
    /// Returns the index, counted from 0, of the first number for which a comparison with `bound` has the
    /// given result, or `None` if there is no such number. The result is exact, for numbers that wrap around
    /// any number of times.
    ///
    /// # Panics
    /// If the comparison is not one of integers, which is an internal error.
    pub fn first(self, compare: CmpOp, bound: u64, result: bool) -> Option<u64> {
        let mask = u64::MAX >> (64 - self.width);
        let bound = bound & mask;
        let least = 1 << (self.width - 1);
        let greatest = least - 1;
        let (below, above) = (bound.wrapping_sub(1) & mask, bound.wrapping_add(1) & mask);
        // The numbers that are less than the bound and those that are greater, taken as unsigned or as
        // signed, from the first up to the last; `None` if there is none.
        let under = |first: u64| (bound != first).then_some((first, below));
        let over = |last: u64| (bound != last).then_some((above, last));
        let inside = match (compare, result) {
            (CmpOp::IEq, true) | (CmpOp::INe, false) => Some((bound, bound)),
            // All others; modulo the power of two, these are neighbours.
            (CmpOp::INe, true) | (CmpOp::IEq, false) => Some((above, below)),
            (CmpOp::ULt, true) | (CmpOp::UGe, false) => under(0),
            (CmpOp::UGt, true) | (CmpOp::ULe, false) => over(mask),
            (CmpOp::ULe, true) | (CmpOp::UGt, false) => Some((0, bound)),
            (CmpOp::UGe, true) | (CmpOp::ULt, false) => Some((bound, mask)),
            (CmpOp::SLt, true) | (CmpOp::SGe, false) => under(least),
            (CmpOp::SGt, true) | (CmpOp::SLe, false) => over(greatest),
            (CmpOp::SLe, true) | (CmpOp::SGt, false) => Some((least, bound)),
            (CmpOp::SGe, true) | (CmpOp::SLt, false) => Some((bound, greatest)),
            _ => unreachable!("a comparison of integers"),
        };
        inside.and_then(|(first, last)| self.first_inside(first, last))
    }

    /// Returns the index of the first number that is one of `from`, `from + 1` … `to`, which may wrap around.
    fn first_inside(self, from: u64, to: u64) -> Option<u64> {
        let mask = u64::MAX >> (64 - self.width);
        let away = |n: u64| n.wrapping_sub(self.start) & mask;
        let (low, high) = (away(from), away(to));
        // The numbers from `low` up to `high` include 0, so the start is inside.
        if low == 0 || low > high {
            return Some(0);
        }
        let modulus = 1u128 << self.width;
        first_multiple(u128::from(self.step & mask), modulus, low.into(), high.into()).map(|n| n as u64)
    }
}

/// Returns the least n for which `step * n` modulo `modulus` is from `low` to `high`, where
/// `0 < low <= high < modulus` and `step < modulus`.
///
/// If a multiple of the step lies there before the products reach the modulus, n is known. Otherwise
/// `step * n = modulus * m + x` with x from `low` to `high`; the least n belongs to the least m, and m is the
/// solution of a smaller problem of the same form: `modulus * m` is, modulo the step, from `-high` to
/// `-low`. Step and modulus become smaller as in Euclid's algorithm, so the depth is at most some 90.
fn first_multiple(step: u128, modulus: u128, low: u128, high: u128) -> Option<u128> {
    if step == 0 {
        return None;
    }
    let n = low.div_ceil(step);
    if n * step <= high {
        return Some(n);
    }
    // No multiple of the step is from `low` to `high`, so neither remainder is 0.
    let m = first_multiple(modulus % step, step, step - high % step, step - low % step)?;
    Some((modulus * m + low).div_ceil(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Scalar, eval};

    const COMPARISONS: [CmpOp; 10] = [
        CmpOp::IEq,
        CmpOp::INe,
        CmpOp::ULt,
        CmpOp::ULe,
        CmpOp::UGt,
        CmpOp::UGe,
        CmpOp::SLt,
        CmpOp::SLe,
        CmpOp::SGt,
        CmpOp::SGe,
    ];

    /// Which numbers of 8 bits meet a comparison: a counter that stands still is there at once, or never.
    #[test]
    fn the_interval_of_a_comparison_is_what_the_interpreter_says() {
        for compare in COMPARISONS {
            for bound in 0..256 {
                for start in 0..256 {
                    let still = Progression {
                        width: 8,
                        start,
                        step: 0,
                    };
                    let meets = eval::compare(compare, Scalar::I8, start, bound);
                    assert_eq!(still.first(compare, bound, meets), Some(0));
                    assert_eq!(still.first(compare, bound, !meets), None);
                }
            }
        }
    }

    /// Tries all steps and all intervals of 8 bits. The start only shifts the interval, so one start for each pair is
    /// enough; it depends on the step and the interval.
    #[test]
    fn counters_of_8_bits_reach_each_interval_when_they_do_step_by_step() {
        for step in 0..256u64 {
            // For each number, the iteration in which a counter from 0 is there first.
            let mut when = [u64::MAX; 256];
            for n in 0..256 {
                let at = &mut when[(n * step % 256) as usize];
                *at = (*at).min(n);
            }
            for low in 0..256u64 {
                let mut wanted = u64::MAX;
                for length in 0..256u64 {
                    let high = low + length;
                    wanted = wanted.min(when[(high % 256) as usize]);
                    let start = step * 3 + low;
                    let progression = Progression {
                        width: 8,
                        start,
                        step,
                    };
                    let found = progression.first_inside((start + low) % 256, (start + high) % 256);
                    assert_eq!(
                        found,
                        (wanted != u64::MAX).then_some(wanted),
                        "{step} {low} {high}"
                    );
                }
            }
        }
    }

    /// All starts, steps, bounds and comparisons of numbers of 5 bits together.
    #[test]
    fn short_counters_end_where_they_do_when_they_are_executed() {
        // Numbers of 5 bits in the upper bits of a byte compare as those of 5 bits do.
        let compares = |op, a: u64, b: u64| eval::compare(op, Scalar::I8, a << 3, b << 3);
        for compare in COMPARISONS {
            for (bound, step, start) in (0..1 << 15).map(|n| (n >> 10, n >> 5 & 31, n & 31)) {
                let progression = Progression {
                    width: 5,
                    start,
                    step,
                };
                for result in [false, true] {
                    let wanted =
                        (0..32).find(|n| compares(compare, (start + n * step) % 32, bound) == result);
                    assert_eq!(progression.first(compare, bound, result), wanted);
                }
            }
        }
    }

    #[test]
    fn counters_of_other_widths_end_after_many_iterations() {
        let first = |width, start: i64, step: i64, compare, bound: i64, result| {
            let (start, step) = (start as u64, step as u64);
            Progression { width, start, step }.first(compare, bound as u64, result)
        };
        // 5 * 1717986920 = 2 * 2^32 + 8.
        assert_eq!(first(32, 0, 5, CmpOp::INe, 8, false), Some(1_717_986_920));
        assert_eq!(first(32, 0, 6, CmpOp::INe, 9, false), None);
        assert_eq!(first(64, 0, 3, CmpOp::INe, 1, false), Some(0xaaaa_aaaa_aaaa_aaab));
        assert_eq!(first(64, 1, 1, CmpOp::INe, 0, false), Some(u64::MAX));
        assert_eq!(first(64, 0, 1, CmpOp::UGe, -1, true), Some(u64::MAX));
        assert_eq!(first(32, 0, -3, CmpOp::SGe, -10, false), Some(4));
        assert_eq!(first(32, 0, -3, CmpOp::UGe, -10, false), Some(0));
        assert_eq!(first(16, 7, 1, CmpOp::SGe, 0, false), Some(0x7ff9));
        assert_eq!(first(32, 0, 0, CmpOp::ULt, 1, false), None);
        assert_eq!(first(32, 0, 1 << 31, CmpOp::SLt, 0, true), Some(1));
    }

    /// Bounds near each other in wide types: the count is checked by its two defining properties, that the
    /// number is inside and, for a few smaller counts, that none before it is.
    #[test]
    fn wide_counters_reach_narrow_intervals() {
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 20 ^ state << 17
        };
        for _ in 0..20_000 {
            let width = [16, 32, 64][(random() % 3) as usize];
            let mask = u64::MAX >> (64 - width);
            let (start, step) = (random() & mask, random() & mask >> (random() % u64::from(width)));
            let from = random() & mask;
            let to = from.wrapping_add(random() & mask >> (random() % u64::from(width))) & mask;
            let inside = |n: u64| {
                let x = start.wrapping_add(step.wrapping_mul(n)) & mask;
                x.wrapping_sub(from) & mask <= to.wrapping_sub(from) & mask
            };
            let progression = Progression { width, start, step };
            match progression.first_inside(from, to) {
                Some(n) => {
                    assert!(inside(n));
                    assert!((0..n.min(1000)).all(|k| !inside(k)));
                    assert!((n.saturating_sub(1000)..n).all(|k| !inside(k)));
                }
                None => assert!((0..1000).all(|k| !inside(k))),
            }
        }
    }
}
