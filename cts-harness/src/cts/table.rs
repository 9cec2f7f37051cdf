//! Prints the table on the terminal, with one line per suite.

use super::results::{Record, Status};
use std::collections::BTreeMap;

/// The counts of one suite or of all suites.
#[derive(Clone, Default, Debug)]
pub(super) struct Counts {
    by_status: BTreeMap<Status, usize>,
    pub(super) seconds: f64,
}

impl Counts {
    pub(super) fn add(&mut self, record: &Record) {
        *self.by_status.entry(record.status).or_default() += 1;
        self.seconds += record.seconds;
    }

    pub(super) fn n(&self, status: Status) -> usize {
        self.by_status.get(&status).copied().unwrap_or(0)
    }

    /// Returns the number of sub-tests without those that the suite itself skipped as inapplicable. Excluded
    /// sub-tests are counted, because it is unknown whether they would have been skipped.
    pub(super) fn applicable(&self) -> usize {
        self.by_status.values().sum::<usize>() - self.n(Status::Skip)
    }
}

/// Returns the counts of the applicable sub-tests that did not pass: `1 fail, 2 crash`.
pub(super) fn not_passed(counts: &Counts) -> String {
    let parts = [
        (Status::Fail, "fail"),
        (Status::Crash, "crash"),
        (Status::Timeout, "timeout"),
        (Status::Excluded, "not run"),
    ];
    let bad = parts.iter().filter(|(s, _)| counts.n(*s) > 0);
    let all: Vec<String> = bad.map(|(s, word)| format!("{} {word}", counts.n(*s))).collect();
    all.join(", ")
}

pub(super) fn count<'a>(records: impl Iterator<Item = &'a Record>) -> BTreeMap<String, Counts> {
    let mut suites: BTreeMap<String, Counts> = BTreeMap::new();
    for record in records {
        suites.entry(record.suite().to_owned()).or_default().add(record);
    }
    suites
}

/// Prints, for each suite, the passed and applicable sub-tests and the other counts.
pub(super) fn print<'a>(records: impl Iterator<Item = &'a Record> + Clone) {
    let suites = count(records.clone());
    let mut all = Counts::default();
    records.for_each(|r| all.add(r));
    say!("\nsuite                             passed   fail  crash  timeout  excluded  skipped   seconds");
    for (suite, counts) in suites.iter().chain([(&String::from("all"), &all)]) {
        say!(
            "{suite:<26} {:>6}/{:<6} {:>6} {:>6} {:>8} {:>9} {:>8} {:>9.1}",
            counts.n(Status::Pass),
            counts.applicable(),
            counts.n(Status::Fail),
            counts.n(Status::Crash),
            counts.n(Status::Timeout),
            counts.n(Status::Excluded),
            counts.n(Status::Skip),
            counts.seconds
        );
    }
}
