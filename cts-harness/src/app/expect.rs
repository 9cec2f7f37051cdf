//! The expected results of each application on a device. Each expected failure has a reason that somebody has
//! checked.
//!
//! `apps/expectations/<device>.txt` is sorted. A line `name,status  # reason` is for a check that does not
//! pass. A line `name,pass N skip N  # when` is for the number of an application's own results that pass or
//! are skipped. An unexpected pass is reported as well as an unexpected failure.

use super::judge::Verdict;
use crate::Failure;
use crate::expectations::{self, Status, surprise};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Default, PartialEq, Debug)]
pub(super) struct Expectations {
    /// The expectation and its reason, by the name of the check.
    entries: BTreeMap<String, (Expected, String)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Expected {
    Status(Status),
    /// The number of results that pass and that are skipped.
    Counts(usize, usize),
}

impl Expected {
    fn parse(text: &str) -> Option<Expected> {
        if let Some(counts) = text.strip_prefix("pass ") {
            let (pass, skip) = counts.split_once(" skip ")?;
            return Some(Expected::Counts(pass.parse().ok()?, skip.parse().ok()?));
        }
        let status: Status = text.parse().ok()?;
        status.is_bad().then_some(Expected::Status(status))
    }

    fn text(&self) -> String {
        match self {
            Expected::Status(status) => status.lower(),
            Expected::Counts(pass, skip) => format!("pass {pass} skip {skip}"),
        }
    }
}

pub(super) fn file(dir: &Path, slug: &str) -> PathBuf {
    dir.join("expectations").join(format!("{slug}.txt"))
}

impl Expectations {
    /// Reads a file. Without a file, everything is expected to pass.
    pub(super) fn load(file: &Path) -> Result<Self, Failure> {
        let mut entries = BTreeMap::new();
        for (what, reason) in expectations::lines(file)? {
            let parsed = what
                .rsplit_once(',')
                .and_then(|(name, e)| Some((name, Expected::parse(e.trim())?)));
            let Some((name, expected)) = parsed else {
                return fail!("{}: «{what}» is no expectation", file.display());
            };
            entries.insert(name.to_owned(), (expected, reason));
        }
        Ok(Expectations { entries })
    }

    /// Returns a line for each result of an application that is not as expected.
    pub(super) fn surprises(&self, app: &str, verdict: &Verdict) -> Vec<String> {
        let mut all = Vec::new();
        let expected = |name: &str| self.entries.get(name).map(|(e, _)| e);
        for (name, &status) in &verdict.checks {
            let wanted = match expected(name) {
                Some(Expected::Status(s)) => Some(*s),
                Some(Expected::Counts(..)) | None => None,
            };
            let note = verdict.why.as_deref().filter(|_| name == app).unwrap_or_default();
            let why = surprise((status, note), wanted, Status::lower);
            all.extend(why.map(|why| format!("{name}: {why}")));
        }
        let counts = Expected::Counts(verdict.count(Status::Pass), verdict.count(Status::Skip));
        if let Some(e @ Expected::Counts(..)) = expected(app)
            && *e != counts
        {
            all.push(format!("{app}: {}, expected {}", counts.text(), e.text()));
        }
        for name in self.entries.keys() {
            if name.strip_prefix(app).is_some_and(|rest| rest.starts_with('/'))
                && !verdict.checks.contains_key(name)
            {
                all.push(format!("{name}: it is expected to fail, and is not there"));
            }
        }
        all
    }

    /// Replaces the entries of an application by its results. The reasons of unchanged entries are kept.
    pub(super) fn bless(&mut self, app: &str, verdict: &Verdict) {
        let old = std::mem::take(&mut self.entries);
        let own = |name: &str| name == app || name.strip_prefix(app).is_some_and(|r| r.starts_with('/'));
        let reason = |name: &str, e: &Expected| match old.get(name) {
            Some((known, reason)) if known == e => reason.clone(),
            _ => String::new(),
        };
        let mut found: BTreeMap<String, Expected> = verdict
            .checks
            .iter()
            .filter(|(_, s)| s.is_bad())
            .map(|(name, s)| (name.clone(), Expected::Status(*s)))
            .collect();
        if verdict.checks.len() > 1 {
            let counts = Expected::Counts(verdict.count(Status::Pass), verdict.count(Status::Skip));
            found.entry(app.to_owned()).or_insert(counts);
        }
        for (name, e) in found {
            let reason = reason(&name, &e);
            self.entries.insert(name, (e, reason));
        }
        self.entries
            .extend(old.into_iter().filter(|(name, _)| !own(name)));
    }

    /// Writes the file. New entries have no reason.
    pub(super) fn save(&self, file: &Path) -> Result<(), Failure> {
        let entries = self.entries.iter();
        let lines = entries.map(|(name, (e, reason))| (format!("{name},{}", e.text()), reason.clone()));
        expectations::write(file, &lines.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(checks: &[(&str, Status)]) -> Verdict {
        Verdict {
            checks: checks.iter().map(|(n, s)| ((*n).to_owned(), *s)).collect(),
            why: None,
        }
    }

    fn expectations(entries: &[(&str, &str)]) -> Expectations {
        let entry =
            |(n, e): &(&str, &str)| ((*n).to_owned(), (Expected::parse(e).unwrap(), "why".to_owned()));
        Expectations {
            entries: entries.iter().map(entry).collect(),
        }
    }

    #[test]
    fn surprises_go_both_ways() {
        let e = expectations(&[
            ("x/known", "fail"),
            ("x/mended", "crash"),
            ("x/gone", "fail"),
            ("x", "pass 2 skip 0"),
        ]);
        let v = verdict(&[
            ("x", Status::Pass),
            ("x/known", Status::Fail),
            ("x/mended", Status::Pass),
            ("x/new", Status::Timeout),
        ]);
        let all = e.surprises("x", &v);
        assert_eq!(all.len(), 4, "{all:?}");
        assert!(all[0].starts_with("x/mended: pass, expected crash"));
        assert!(all[1].starts_with("x/new: timeout, not expected"));
        assert_eq!(all[2], "x: pass 1 skip 0, expected pass 2 skip 0");
        assert!(all[3].starts_with("x/gone"));
        assert_eq!(
            Expectations::default().surprises("x", &verdict(&[("x", Status::Pass)])),
            [""; 0]
        );
    }

    #[test]
    fn blessing_keeps_reasons_and_other_applications() {
        let mut e = expectations(&[("x/known", "fail"), ("x/mended", "crash"), ("xy", "fail")]);
        let v = verdict(&[
            ("x", Status::Pass),
            ("x/known", Status::Fail),
            ("x/new", Status::Fail),
            ("x/mended", Status::Pass),
        ]);
        e.bless("x", &v);
        let reasons: Vec<(&str, &str)> = e
            .entries
            .iter()
            .map(|(n, (_, r))| (n.as_str(), r.as_str()))
            .collect();
        assert_eq!(
            reasons,
            [("x", ""), ("x/known", "why"), ("x/new", ""), ("xy", "why")]
        );
        assert!(e.surprises("x", &v).is_empty());
    }

    #[test]
    fn passing_is_not_expected_by_name() {
        assert_eq!(Expected::parse("pass"), None);
        assert_eq!(Expected::parse("pass 3 skip 1"), Some(Expected::Counts(3, 1)));
        assert_eq!(Expected::parse("pass 3"), None);
    }

    /// Every committed file can be loaded: it is sorted, and each line has a reason.
    #[test]
    fn committed_files_are_in_order() {
        let dir = crate::app::directory().join("expectations");
        for path in crate::files::with_extension(&dir, "txt") {
            Expectations::load(&path).unwrap_or_else(|e| panic!("{e:?}"));
        }
    }
}
