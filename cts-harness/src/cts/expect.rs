//! Expectations: what is known to fail, per device, with a reason that somebody checked.
//!
//! `expectations/<device>-fails.txt`: `suite/subtest,Fail|Crash|Timeout  # reason`, sorted. `…-flakes.txt` and
//! `…-skips.txt`: `pattern  # reason`. A listed test that passes fails the run, as does an unlisted one that fails.

use super::platform::Identity;
use super::results::{Record, Status};
use super::{fail, matches};
use crate::{Failure, Outcome, artifacts, progress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The expectations of one device.
#[derive(Default, Debug)]
pub(super) struct Expectations {
    fails: BTreeMap<String, Status>,
    flakes: Vec<String>,
}

fn path(slug: &str, kind: &str) -> PathBuf {
    artifacts::root()
        .join("cts-harness/expectations")
        .join(format!("{slug}-{kind}.txt"))
}

/// Splits a line into entry and reason; blank and comment lines give `None`.
fn entry<'a>(file: &Path, line: &'a str) -> Result<Option<(&'a str, &'a str)>, Failure> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    match line.split_once('#') {
        Some((what, reason)) if !reason.trim().is_empty() => Ok(Some((what.trim(), reason.trim()))),
        _ => fail(format!("{}: «{line}» has no reason", file.display())),
    }
}

fn lines(file: &Path) -> Result<Vec<(String, String)>, Failure> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for line in text.lines() {
        if let Some((what, reason)) = entry(file, line)? {
            all.push((what.to_owned(), reason.to_owned()));
        }
    }
    if !all.is_sorted_by(|a, b| a.0 < b.0) {
        return fail(format!("{} is not sorted, or has an entry twice", file.display()));
    }
    Ok(all)
}

impl Expectations {
    /// Reads the files of a device; none is no expectation of failure.
    pub(super) fn load(identity: &Identity) -> Result<Self, Failure> {
        let slug = identity.slug();
        let file = path(&slug, "fails");
        let mut fails = BTreeMap::new();
        for (what, _) in lines(&file)? {
            let Some((name, status)) = what
                .split_once(',')
                .and_then(|(n, s)| Some((n, Status::parse(s)?)))
            else {
                return fail(format!("{}: «{what}» is not name,status", file.display()));
            };
            fails.insert(name.to_owned(), status);
        }
        let flakes = lines(&path(&slug, "flakes"))?
            .into_iter()
            .map(|(pattern, _)| pattern)
            .collect();
        Ok(Expectations { fails, flakes })
    }

    /// What is not as expected, as lines.
    fn surprises(&self, records: &[Record]) -> Vec<String> {
        let mut all = Vec::new();
        for r in records
            .iter()
            .filter(|r| !self.flakes.iter().any(|f| matches(f, &r.name)))
        {
            let good = matches!(r.status, Status::Pass | Status::Skip);
            match self.fails.get(&r.name) {
                None if good => {}
                None => all.push(format!("{}: {} (not expected to fail)", r.name, r.status.word())),
                Some(&expected) if expected == r.status => {}
                Some(expected) if good => {
                    all.push(format!(
                        "{}: {} (expected {}: take it off the list)",
                        r.name,
                        r.status.word(),
                        expected.word()
                    ));
                }
                Some(expected) => {
                    all.push(format!(
                        "{}: {} (expected {})",
                        r.name,
                        r.status.word(),
                        expected.word()
                    ));
                }
            }
        }
        all
    }

    /// Fails if anything is not as expected.
    pub(super) fn judge(&self, records: &[Record]) -> Outcome {
        let surprises = self.surprises(records);
        surprises.iter().for_each(|s| progress::line(s));
        if surprises.is_empty() {
            Ok(())
        } else {
            fail(format!("{} results are not as expected", surprises.len()))
        }
    }
}

/// Rewrites the list of failures from a run: known reasons are kept, new entries get none and must be given one
/// before the file loads again.
pub(super) fn bless(run: &Path) -> Outcome {
    let identity = super::results::read_identity(run)?;
    let records = super::results::read(run)?;
    let file = path(&identity.slug(), "fails");
    let old: BTreeMap<String, String> = lines(&file)?.into_iter().collect();
    let mut entries: BTreeMap<String, String> = old
        .iter()
        .filter(|(what, _)| {
            what.split_once(',')
                .is_some_and(|(name, _)| !records.contains_key(name))
        })
        .map(|(what, reason)| (what.clone(), reason.clone()))
        .collect();
    for r in records
        .values()
        .filter(|r| !matches!(r.status, Status::Pass | Status::Skip))
    {
        let what = format!("{},{}", r.name, r.status.word());
        let reason = old.get(&what).cloned().unwrap_or_default();
        entries.insert(what, reason);
    }
    let text: String = entries
        .iter()
        .map(|(what, reason)| format!("{what}  # {reason}").trim_end().to_owned() + "\n")
        .collect();
    std::fs::write(&file, text)?;
    progress::line(&format!(
        "{}: {} entries; give each new one its reason",
        file.display(),
        entries.len()
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, status: Status) -> Record {
        Record {
            name: name.into(),
            status,
            seconds: 0.0,
        }
    }

    #[test]
    fn surprises_go_both_ways() {
        let mut e = Expectations::default();
        e.fails.insert("a/known".into(), Status::Fail);
        e.fails.insert("a/mended".into(), Status::Crash);
        e.flakes.push("a/flaky_*".into());
        let surprises = e.surprises(&[
            record("a/known", Status::Fail),
            record("a/mended", Status::Pass),
            record("a/new", Status::Timeout),
            record("a/good", Status::Pass),
            record("a/skipped", Status::Skip),
            record("a/flaky_1", Status::Fail),
        ]);
        assert_eq!(surprises.len(), 2, "{surprises:?}");
        assert!(surprises[0].starts_with("a/mended: Pass") && surprises[1].starts_with("a/new: Timeout"));
    }

    #[test]
    fn an_entry_needs_a_reason() {
        let file = Path::new("x");
        assert!(entry(file, "basic/if,Fail").is_err());
        assert!(entry(file, "basic/if,Fail  # ").is_err());
        assert_eq!(
            entry(file, "basic/if,Fail  # issue 8: images").unwrap(),
            Some(("basic/if,Fail", "issue 8: images"))
        );
        assert_eq!(entry(file, "# images").unwrap(), None);
    }

    /// The committed files are sorted, and every line has a reason.
    #[test]
    fn committed_files_are_in_order() {
        let dir = artifacts::root().join("cts-harness/expectations");
        for file in std::fs::read_dir(dir).unwrap().flatten().map(|e| e.path()) {
            lines(&file).unwrap_or_else(|e| panic!("{e:?}"));
        }
    }
}
