//! Order statistics of repetitions, and ratios of interleaved repetitions.

use serde_json::{Value, json};

/// The statistics of a value that was measured several times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Summary {
    pub(crate) repetitions: usize,
    pub(crate) min: f64,
    pub(crate) quartiles: [f64; 2],
    pub(crate) median: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl Summary {
    /// Returns `None` if there are no values.
    pub(crate) fn of(values: &[f64]) -> Option<Summary> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Some(Summary {
            repetitions: sorted.len(),
            min: *sorted.first()?,
            quartiles: [quantile(&sorted, 0.25), quantile(&sorted, 0.75)],
            median: quantile(&sorted, 0.5),
            p99: quantile(&sorted, 0.99),
            max: *sorted.last()?,
        })
    }

    /// Returns half the interquartile range, relative to the median.
    pub(crate) fn spread(&self) -> f64 {
        if self.median == 0.0 {
            return 0.0;
        }
        (self.quartiles[1] - self.quartiles[0]) / 2.0 / self.median
    }

    pub(crate) fn to_json(self) -> Value {
        json!({ "repetitions": self.repetitions, "min": self.min, "q1": self.quartiles[0],
                "median": self.median, "q3": self.quartiles[1], "p99": self.p99, "max": self.max })
    }
}

/// Returns a quantile, interpolated linearly between its neighbours. `sorted` must not be empty.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part * (sorted.len() - 1) as f64;
    let below = sorted[at.floor() as usize];
    let above = sorted[at.ceil() as usize];
    below + (above - below) * at.fract()
}

/// Returns how many times smaller the first side's values are, repetition by repetition. Each value is
/// compared with the one that the other side measured next to it, so that a temporary disturbance of the
/// machine affects both.
pub(crate) fn ratio(first: &[f64], second: &[f64]) -> Option<Summary> {
    let pairs = first.iter().zip(second);
    let ratios: Vec<f64> = pairs
        .filter(|(a, b)| **a > 0.0 && **b > 0.0)
        .map(|(a, b)| b / a)
        .collect();
    Summary::of(&ratios)
}

/// Returns the geometric mean, or `None` if there are no values.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_five_values() {
        let s = Summary::of(&[5.0, 1.0, 3.0, 2.0, 4.0]).unwrap();
        assert_eq!(
            (s.repetitions, s.min, s.median, s.max, s.quartiles),
            (5, 1.0, 3.0, 5.0, [2.0, 4.0])
        );
        assert!((s.p99 - 4.96).abs() < 1e-12);
        assert!((s.spread() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn of_one_value_and_of_none() {
        let s = Summary::of(&[7.0]).unwrap();
        assert_eq!(
            (s.min, s.median, s.p99, s.max, s.spread()),
            (7.0, 7.0, 7.0, 7.0, 0.0)
        );
        assert_eq!(Summary::of(&[]), None);
    }

    #[test]
    fn of_an_even_number() {
        assert_eq!(Summary::of(&[4.0, 1.0, 2.0, 3.0]).unwrap().median, 2.5);
    }

    /// The machine was half as fast during the second repetition, for both sides.
    #[test]
    fn a_disturbance_of_both_sides_leaves_the_ratio() {
        let r = ratio(&[1.0, 2.0, 1.0], &[3.0, 6.0, 3.0]).unwrap();
        assert_eq!((r.min, r.median, r.max), (3.0, 3.0, 3.0));
    }

    #[test]
    fn ratios_need_two_values() {
        assert_eq!(ratio(&[1.0], &[]), None);
        assert_eq!(ratio(&[0.0], &[1.0]), None);
    }

    #[test]
    fn geometric_means() {
        assert!((geometric_mean(&[0.5, 2.0, 8.0]).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
