//! Prints the results: a line per project, then the times, then the reasons why units are not accepted.

use super::record::{Outcome, Record};
use std::collections::BTreeMap;
use strum::VariantArray;

/// Prints the counts and costs of each project, together with clspv's.
pub(super) fn print(records: &[Record]) {
    let mut projects: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        projects.entry(&record.project).or_default().push(record);
    }
    say!(
        "project                units accepted rejected invalid crash timeout    CPU ms  peak MB clspv acc  clspv ms"
    );
    for (project, records) in projects {
        line(project, &records);
    }
    line("all", &records.iter().collect::<Vec<_>>());
}

fn line(name: &str, records: &[&Record]) {
    let count = |o: &Outcome| records.iter().filter(|r| r.cost.outcome == *o).count();
    let counts: Vec<usize> = Outcome::VARIANTS.iter().map(count).collect();
    let [accepted, rejected, invalid, crash, timeout] = counts[..] else {
        return;
    };
    let ms: f64 = records.iter().map(|r| r.cost.ms).sum();
    let peak = records.iter().filter_map(|r| r.cost.peak).max().unwrap_or(0);
    let clspv: Vec<_> = records.iter().filter_map(|r| r.clspv.as_ref()).collect();
    let (theirs, their_ms) = if clspv.is_empty() {
        ("-".to_owned(), "-".to_owned())
    } else {
        let accepted = clspv.iter().filter(|c| c.outcome == Outcome::Accepted).count();
        let ms: f64 = clspv.iter().map(|c| c.ms).sum();
        (accepted.to_string(), format!("{ms:.0}"))
    };
    say!(
        "{name:<22} {:>5} {accepted:>8} {rejected:>8} {invalid:>7} {crash:>5} {timeout:>7} {ms:>9.0} {:>8.1} {theirs:>9} {their_ms:>9}",
        records.len(),
        megabytes(peak)
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The ratios of calderac's time to clspv's for the units that both accept.
#[derive(PartialEq, Debug)]
pub(super) struct Ratios {
    pub(super) units: usize,
    pub(super) median: f64,
    pub(super) total: f64,
    /// The units for which calderac takes longer, the worst first.
    pub(super) slower: Vec<(f64, String)>,
}

/// Returns the ratios, or `None` if there is no unit that both accept. `start`, in milliseconds, is
/// subtracted from each of calderac's times.
pub(super) fn ratios(records: &[Record], start: f64) -> Option<Ratios> {
    let both: Vec<(f64, f64, &str)> = records
        .iter()
        .filter(|r| r.cost.outcome == Outcome::Accepted)
        .filter_map(|r| Some((r, r.clspv.as_ref()?)))
        .filter(|(_, c)| c.outcome == Outcome::Accepted && c.ms > 0.0)
        .map(|(r, c)| ((r.cost.ms - start).max(0.0), c.ms, r.id.as_str()))
        .collect();
    let mut each: Vec<(f64, &str)> = both.iter().map(|(a, b, id)| (a / b, *id)).collect();
    each.sort_by(|a, b| b.0.total_cmp(&a.0));
    let median = each.get(each.len() / 2)?.0;
    let ours: f64 = both.iter().map(|b| b.0).sum();
    let theirs: f64 = both.iter().map(|b| b.1).sum();
    Some(Ratios {
        units: both.len(),
        median,
        total: ours / theirs,
        slower: each
            .into_iter()
            .take_while(|(ratio, _)| *ratio > 1.0)
            .map(|(ratio, id)| (ratio, id.to_owned()))
            .collect(),
    })
}

/// Prints the ratios to clspv's times, and the units with the largest costs. `start` is the time in
/// milliseconds that calderac takes to start. It is given if clspv's times exclude the start.
pub(super) fn print_costs(records: &[Record], measured: bool, start: Option<f64>) {
    if let Some(r) = ratios(records, 0.0) {
        let source = if measured {
            "measured in this run"
        } else {
            "from the index"
        };
        let Ratios {
            units,
            median,
            total,
            slower,
        } = &r;
        let slower = slower.len();
        say!(
            "time beside clspv's ({source}, {units} units that both accept): median {median:.3}, total {total:.3}, {slower} units slower"
        );
        for (ratio, id) in &r.slower {
            say!("  {id}: {ratio:.2}");
        }
    }
    if let Some(start) = start
        && let Some(r) = ratios(records, start)
    {
        say!(
            "the same without calderac's start ({start:.2} ms of CPU; Python's is not in clspv's times): median {:.3}, total {:.3}",
            r.median,
            r.total
        );
    }
    for (what, unit, figure) in [
        ("longest", "ms of CPU", (|r| r.cost.ms) as fn(&Record) -> f64),
        ("largest", "MB", |r| megabytes(r.cost.peak.unwrap_or(0))),
    ] {
        let mut all: Vec<&Record> = records.iter().collect();
        all.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
        let top: Vec<String> = all
            .iter()
            .take(3)
            .map(|r| format!("{} {:.1}", r.id, figure(r)))
            .collect();
        say!("{what} ({unit}): {}", top.join(", "));
    }
}

/// Returns the groups of similar reasons, the largest first, each with its units.
pub(super) fn reasons(records: &[Record]) -> Vec<(String, Vec<&Record>)> {
    let mut groups: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
    for r in records {
        if let Some(error) = &r.error {
            let key = format!("{}: {}", r.cost.outcome.word(), kind(error));
            groups.entry(key).or_default().push(r);
        }
    }
    let mut all: Vec<_> = groups.into_iter().collect();
    all.sort_by_key(|(_, records)| std::cmp::Reverse(records.len()));
    all
}

/// Returns a message without its position, and with names and numbers replaced.
fn kind(message: &str) -> String {
    let start = message.find("error").unwrap_or(0);
    let mut out = String::new();
    let mut chars = message[start..].chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' {
            out.push_str("'…'");
            let _ = chars.by_ref().find(|c| *c == '\'');
        } else if c.is_ascii_digit() {
            out.push('N');
            while chars.next_if(char::is_ascii_digit).is_some() {}
        } else {
            out.push(c);
        }
    }
    out
}

/// Prints the reasons. With `all`, the message of every unit is printed, otherwise that of one unit per
/// group.
pub(super) fn print_reasons(records: &[Record], all: bool) {
    for (reason, records) in reasons(records) {
        say!("{:>4}  {reason}", records.len());
        for r in records.iter().take(if all { usize::MAX } else { 1 }) {
            let env = r.env.as_deref().unwrap_or_default();
            say!(
                "        {} ({env}): {}",
                r.id,
                r.error.as_deref().unwrap_or_default()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::record::Cost;

    fn record(id: &str, ms: f64, clspv: Option<(Outcome, f64)>, error: Option<&str>) -> Record {
        let outcome = if error.is_some() {
            Outcome::Rejected
        } else {
            Outcome::Accepted
        };
        Record {
            id: id.into(),
            project: "p".into(),
            cost: Cost::new(outcome, ms),
            env: None,
            error: error.map(Into::into),
            clspv: clspv.map(|(o, ms)| Cost::new(o, ms)),
        }
    }

    #[test]
    fn ratios_are_over_what_both_accept() {
        let records = [
            record("a", 10.0, Some((Outcome::Accepted, 100.0)), None),
            record("b", 30.0, Some((Outcome::Accepted, 20.0)), None),
            record("c", 1.0, Some((Outcome::Accepted, 30.0)), None),
            record("d", 1.0, Some((Outcome::Crash, 1.0)), None),
            record("e", 1.0, Some((Outcome::Accepted, 1.0)), Some("error: x")),
            record("f", 1.0, None, None),
        ];
        let r = ratios(&records, 0.0).unwrap();
        assert_eq!((r.units, r.median), (3, 0.1));
        assert!((r.total - 41.0 / 150.0).abs() < 1e-9);
        assert_eq!(r.slower, [(1.5, "b".to_owned())]);
        assert_eq!(ratios(&records[3..], 0.0), None);
        let r = ratios(&records, 1.0).unwrap();
        assert_eq!((r.median, r.slower.len()), (0.09, 1));
        assert!((r.total - 38.0 / 150.0).abs() < 1e-9);
    }

    #[test]
    fn reasons_are_grouped_without_names_and_numbers() {
        let records = [
            record("a", 1.0, None, Some("/x/a.cl:3:14: error: no type 'foo' in v4")),
            record("b", 1.0, None, Some("/x/b.cl:71:2: error: no type 'bar' in v16")),
            record("c", 1.0, None, Some("ended by signal 11")),
        ];
        let groups = reasons(&records);
        assert_eq!(groups[0].0, "rejected: error: no type '…' in vN");
        assert_eq!((groups[0].1.len(), groups[1].1.len()), (2, 1));
    }
}
