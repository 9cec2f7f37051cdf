//! Shows what changed between two runs.

use super::identity::RunInfo;
use super::results::{self, Records, Status};
use crate::{Outcome, progress};
use std::path::Path;

/// Prints the differences between two runs. Without `force`, runs with different drivers, CTS revisions or
/// modes are refused, because a difference between their results need not be a regression.
pub(super) fn compare(before: &Path, after: &Path, force: bool) -> Outcome {
    let (a, b) = (results::read_info(before)?, results::read_info(after)?);
    let obstacles = obstacles(&a, &b);
    for obstacle in &obstacles {
        progress::line(obstacle);
    }
    if !obstacles.is_empty() && !force {
        return fail!("these runs are not comparable; --force compares them all the same");
    }
    for (label, info) in [("before", &a), ("after", &b)] {
        let RunInfo {
            mode,
            revision,
            started,
            ..
        } = info;
        say!("{label}: {info} {mode} {revision} {started}");
    }
    let (lines, worse) = changes(&results::read(before)?, &results::read(after)?);
    lines.iter().for_each(|l| progress::line(l));
    say!("{} changed, {worse} for the worse", lines.len());
    Ok(())
}

/// Returns the reasons why two runs cannot be compared.
fn obstacles(a: &RunInfo, b: &RunInfo) -> Vec<String> {
    let mut all = Vec::new();
    // Runs on different platforms or devices are compared on purpose. Runs on the same device must have the
    // same driver.
    if a.platform == b.platform && a.device == b.device && a.driver != b.driver {
        all.push(format!("the drivers differ: «{}» and «{}»", a.driver, b.driver));
    }
    if a.cts != b.cts {
        all.push(format!("the CTS revisions differ: {} and {}", a.cts, b.cts));
    }
    if a.mode != b.mode {
        all.push(format!("the modes differ: {} and {}", a.mode, b.mode));
    }
    all
}

/// Returns a line for each change, and the number of changes for the worse.
fn changes(old: &Records, new: &Records) -> (Vec<String>, usize) {
    let (mut lines, mut worse) = (Vec::new(), 0);
    for (name, record) in new {
        let was = old.get(name).map(|r| r.status);
        if was == Some(record.status) {
            continue;
        }
        let was_bad = was.is_some_and(Status::is_bad);
        let mark = match (was_bad, record.status.is_bad()) {
            (false, true) => '-',
            (true, false) => '+',
            (false, false) | (true, true) => ' ',
        };
        worse += usize::from(mark == '-');
        let was = was.map_or("not run", Status::word);
        lines.push(
            format!(
                "{mark} {name}: {was} -> {}  {}",
                record.status.word(),
                record.note
            )
            .trim_end()
            .to_owned(),
        );
    }
    for name in old.keys().filter(|n| !new.contains_key(*n)) {
        lines.push(format!("  {name}: no longer run"));
    }
    (lines, worse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cts::results::Record;

    fn records(all: &[(&str, Status)]) -> Records {
        let named = |(name, status): &(&str, Status)| ((*name).to_owned(), Record::new(name, *status));
        all.iter().map(named).collect()
    }

    #[test]
    fn changes_go_both_ways() {
        let old = records(&[
            ("a", Status::Pass),
            ("b", Status::Fail),
            ("c", Status::Pass),
            ("d", Status::Pass),
        ]);
        let new = records(&[
            ("a", Status::Crash),
            ("b", Status::Pass),
            ("c", Status::Pass),
            ("e", Status::Pass),
        ]);
        let (lines, worse) = changes(&old, &new);
        assert_eq!(
            lines,
            [
                "- a: Pass -> Crash",
                "+ b: Fail -> Pass",
                "  e: not run -> Pass",
                "  d: no longer run"
            ]
        );
        assert_eq!(worse, 1);
    }

    #[test]
    fn other_drivers_and_revisions_are_an_obstacle() {
        let a = RunInfo::default();
        assert!(obstacles(&a, &a).is_empty());
        let driver = RunInfo {
            driver: "2".into(),
            ..RunInfo::default()
        };
        assert_eq!(obstacles(&a, &driver).len(), 1);
        let platform = RunInfo {
            platform: "P".into(),
            ..driver
        };
        assert!(obstacles(&a, &platform).is_empty());
        let cts = RunInfo {
            cts: "x".into(),
            ..RunInfo::default()
        };
        assert_eq!(obstacles(&a, &cts).len(), 1);
    }
}
