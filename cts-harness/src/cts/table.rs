//! The table on the terminal: a suite a line.

use super::results::{Record, Status};
use crate::progress;
use std::collections::BTreeMap;

/// Prints passed / applicable and the other counts of each suite.
pub(super) fn print(records: &[Record]) {
    let mut suites: BTreeMap<&str, (BTreeMap<Status, usize>, f64)> = BTreeMap::new();
    for r in records {
        let suite = r.name.split('/').next().unwrap_or_default();
        let (counts, seconds) = suites.entry(suite).or_default();
        *counts.entry(r.status).or_default() += 1;
        *seconds += r.seconds;
    }
    progress::line(&format!(
        "{:<24} {:>13} {:>5} {:>5} {:>6} {:>8} {:>8}",
        "suite", "passed", "fail", "crash", "t.out", "skipped", "seconds"
    ));
    let mut total = (0, 0);
    for (suite, (counts, seconds)) in &suites {
        let n = |s: Status| counts.get(&s).copied().unwrap_or(0);
        let applicable: usize = counts.values().sum::<usize>() - n(Status::Skip);
        total = (total.0 + n(Status::Pass), total.1 + applicable);
        progress::line(&format!(
            "{:<24} {:>6}/{:<6} {:>5} {:>5} {:>6} {:>8} {:>8.1}",
            suite,
            n(Status::Pass),
            applicable,
            n(Status::Fail),
            n(Status::Crash),
            n(Status::Timeout),
            n(Status::Skip),
            seconds
        ));
    }
    progress::line(&format!("{:<24} {:>6}/{}", "all", total.0, total.1));
}
