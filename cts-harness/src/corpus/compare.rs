//! Compares a run with an earlier run over the same corpus.

use super::record::{Outcome, Record};
use std::collections::BTreeMap;

#[derive(Default, PartialEq, Debug)]
pub(super) struct Changes {
    pub(super) worse: Vec<String>,
    pub(super) better: Vec<String>,
    /// The units of the earlier run that are not in this one.
    pub(super) gone: Vec<String>,
    /// The number of units that the earlier run did not have.
    pub(super) new: usize,
    /// The CPU time in milliseconds of the units that both runs accepted: in the earlier run, and in this
    /// one.
    pub(super) ms: (f64, f64),
}

/// Compares the outcomes. The outcomes are ordered from best to worst, and a difference is a change for the
/// better or the worse.
pub(super) fn changes(before: &BTreeMap<String, Record>, now: &[Record]) -> Changes {
    let mut all = Changes::default();
    for record in now {
        let Some(old) = before.get(&record.id) else {
            all.new += 1;
            continue;
        };
        let (a, b) = (old.cost.outcome, record.cost.outcome);
        let line = || {
            let why = record.error.as_deref().unwrap_or_default();
            format!("{}: {}, was {}  {why}", record.id, b.word(), a.word())
        };
        if b > a {
            all.worse.push(line());
        } else if b < a {
            all.better.push(line());
        } else if b == Outcome::Accepted {
            all.ms.0 += old.cost.ms;
            all.ms.1 += record.cost.ms;
        }
    }
    let here: std::collections::BTreeSet<&String> = now.iter().map(|r| &r.id).collect();
    all.gone = before.keys().filter(|id| !here.contains(id)).cloned().collect();
    all
}

pub(super) fn print(changes: &Changes) {
    for (what, lines) in [("worse", &changes.worse), ("better", &changes.better)] {
        for line in lines {
            say!("{what}: {line}");
        }
    }
    for id in &changes.gone {
        say!("gone: {id}");
    }
    let [worse, better, gone] = [&changes.worse, &changes.better, &changes.gone].map(Vec::len);
    let (new, (before, now)) = (changes.new, changes.ms);
    say!(
        "since then: {worse} worse, {better} better, {new} new, {gone} gone; {before:.0} ms of CPU before, {now:.0} now for what both accept"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::record::Cost;

    fn record(id: &str, outcome: Outcome, ms: f64) -> Record {
        Record {
            id: id.into(),
            project: "p".into(),
            cost: Cost::new(outcome, ms),
            env: None,
            error: None,
            clspv: None,
        }
    }

    #[test]
    fn changes_go_both_ways() {
        use Outcome::{Accepted, Crash, Rejected};
        let before = [
            record("a", Accepted, 10.0),
            record("b", Rejected, 1.0),
            record("c", Rejected, 1.0),
            record("d", Accepted, 7.0),
            record("gone", Accepted, 1.0),
        ];
        let before: BTreeMap<String, Record> = before.into_iter().map(|r| (r.id.clone(), r)).collect();
        let now = [
            record("a", Accepted, 5.0),
            record("b", Accepted, 1.0),
            record("c", Crash, 1.0),
            record("d", Rejected, 1.0),
            record("new", Accepted, 1.0),
        ];
        let changes = changes(&before, &now);
        assert_eq!((changes.worse.len(), changes.better.len()), (2, 1), "{changes:?}");
        assert!(changes.worse[0].starts_with("c: crash, was rejected"));
        assert_eq!((changes.new, changes.gone), (1, vec!["gone".to_owned()]));
        assert_eq!(changes.ms, (10.0, 5.0));
    }
}
