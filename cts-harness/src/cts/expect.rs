//! The expectations: known results on a device, each with a reason that somebody has checked.
//!
//! The files lie in `expectations/` and are sorted:
//!
//! - `<device>-fails.txt`: `suite/subtest,Fail|Crash|Timeout  # reason`. `,wimpy` or `,full` may follow the
//!   status.
//! - `<device>-flakes.txt`: `pattern  # reason`. The results of these sub-tests are reported, but do not
//!   affect the outcome of the run.
//! - `<device>-skips.txt`: `pattern  # reason`. These sub-tests are not run, and are reported as excluded.
//!
//! A run fails if a listed failure passes, or if a sub-test fails that is not listed.

use super::matches;
use super::results::{Record, Status};
use crate::expectations::{lines, surprise};
use crate::{Failure, Outcome, artifacts, progress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Default, Debug)]
pub(super) struct Expectations {
    fails: BTreeMap<String, Status>,
    flakes: Vec<String>,
    skips: Vec<(String, String)>,
}

/// Returns the directory of the committed expectations.
pub(super) fn directory() -> PathBuf {
    artifacts::root().join("cts-harness/expectations")
}

/// Returns the path of one of a device's files. `kind` is fails, flakes or skips.
pub(super) fn path(directory: &Path, slug: &str, kind: &str) -> PathBuf {
    directory.join(format!("{slug}-{kind}.txt"))
}

/// An entry of a list of failures.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) status: Status,
    /// `wimpy` or `full` if the entry holds in that mode only.
    pub(super) mode: Option<String>,
}

impl Known {
    pub(super) fn parse(what: &str) -> Option<Known> {
        let mut parts = what.split(',').map(str::trim);
        let (name, status): (_, Status) = (parts.next()?, parts.next()?.parse().ok()?);
        let mode = match parts.next() {
            None => None,
            Some(mode @ ("wimpy" | "full")) => Some(mode.to_owned()),
            Some(_) => return None,
        };
        (status.is_bad() && parts.next().is_none()).then(|| Known {
            name: name.to_owned(),
            status,
            mode,
        })
    }

    /// Returns whether the entry holds for a run in `mode`.
    pub(super) fn applies(&self, mode: &str) -> bool {
        self.mode.as_deref().is_none_or(|m| m == mode)
    }
}

/// Returns the reasons in a device's list of failures, by the name of the sub-test.
pub(super) fn reasons(directory: &Path, slug: &str) -> Result<BTreeMap<String, String>, Failure> {
    let all = lines(&path(directory, slug, "fails"))?;
    let known = all
        .into_iter()
        .filter_map(|(what, reason)| Some((Known::parse(&what)?.name, reason)));
    Ok(known.collect())
}

impl Expectations {
    /// Reads the files of a device for a run in `mode` (`wimpy` or `full`).
    pub(super) fn load(directory: &Path, slug: &str, mode: &str) -> Result<Self, Failure> {
        let file = path(directory, slug, "fails");
        let mut fails = BTreeMap::new();
        for (what, _) in lines(&file)? {
            let Some(known) = Known::parse(&what) else {
                return fail!("{}: «{what}» is not name,status", file.display());
            };
            if known.applies(mode) {
                fails.insert(known.name, known.status);
            }
        }
        let flakes = lines(&path(directory, slug, "flakes"))?;
        Ok(Expectations {
            fails,
            flakes: flakes.into_iter().map(|(pattern, _)| pattern).collect(),
            skips: lines(&path(directory, slug, "skips"))?,
        })
    }

    /// Returns the reason why a sub-test is not to be run on this device, or `None` if it is to be run.
    pub(super) fn excluded(&self, name: &str) -> Option<&str> {
        let hit = self.skips.iter().find(|(pattern, _)| matches(pattern, name));
        hit.map(|(_, reason)| reason.as_str())
    }

    fn flaky(&self, name: &str) -> bool {
        self.flakes.iter().any(|f| matches(f, name))
    }

    /// Returns a line for each result that is not as expected.
    fn surprises<'a>(&self, records: impl Iterator<Item = &'a Record>) -> Vec<String> {
        let mut all = Vec::new();
        for r in records.filter(|r| !self.flaky(&r.name)) {
            let expected = self.fails.get(&r.name).copied();
            let why = surprise((r.status, &r.note), expected, |s| s.word().to_owned());
            all.extend(why.map(|why| format!("{}: {why}", r.name)));
        }
        all
    }

    /// Prints the unexpected results and the failures of flaky sub-tests. Fails if there is an unexpected
    /// result.
    pub(super) fn judge<'a>(&self, records: impl Iterator<Item = &'a Record> + Clone) -> Outcome {
        let flaky: Vec<&Record> = records
            .clone()
            .filter(|r| r.status.is_bad() && self.flaky(&r.name))
            .collect();
        for r in flaky {
            say!("{}: {}, known to be flaky", r.name, r.status.word());
        }
        let surprises = self.surprises(records);
        surprises.iter().for_each(|s| progress::line(s));
        if surprises.is_empty() {
            Ok(())
        } else {
            fail!("{} results are not as expected", surprises.len())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surprises_go_both_ways() {
        let mut e = Expectations::default();
        e.fails.insert("a/known".into(), Status::Fail);
        e.fails.insert("a/mended".into(), Status::Crash);
        e.fails.insert("a/other".into(), Status::Fail);
        e.flakes.push("a/flaky_*".into());
        let records = [
            Record::new("a/known", Status::Fail),
            Record::new("a/mended", Status::Pass),
            Record::new("a/new", Status::Timeout),
            Record::new("a/good", Status::Pass),
            Record::new("a/skipped", Status::Skip),
            Record::new("a/other", Status::Crash),
            Record::new("a/flaky_1", Status::Fail),
        ];
        let surprises = e.surprises(records.iter());
        assert_eq!(surprises.len(), 3, "{surprises:?}");
        assert!(surprises[0].starts_with("a/mended: Pass"));
        assert!(surprises[1].starts_with("a/new: Timeout"));
        assert!(surprises[2].starts_with("a/other: Crash, expected Fail"));
    }

    #[test]
    fn entries_of_failures() {
        let known = Known::parse("a/b,Fail,full").unwrap();
        assert!(known.applies("full") && !known.applies("wimpy"));
        assert!(Known::parse("a/b,Timeout").unwrap().applies("wimpy"));
        for bad in ["a/b", "a/b,Pass", "a/b,Fail,slow", "a/b,Fail,full,x"] {
            assert_eq!(Known::parse(bad), None, "{bad}");
        }
    }

    /// The committed files are sorted, and every entry has a reason.
    #[test]
    fn committed_files_are_in_order() {
        for file in crate::files::with_extension(&directory(), "txt") {
            let all = lines(&file).unwrap_or_else(|e| panic!("{e:?}"));
            if file.to_string_lossy().ends_with("-fails.txt") {
                for (what, _) in all {
                    assert!(Known::parse(&what).is_some(), "{}: {what}", file.display());
                }
            }
        }
    }
}
