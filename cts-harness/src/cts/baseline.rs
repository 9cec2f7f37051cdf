//! `baselines/<device>.txt`: the results of each suite on a device. The files are committed, so that the
//! manual can show them.
//!
//! A file begins with a head of `name: value` lines that identify the platform, the device, the driver and
//! the CTS. It is followed by a section per suite, `[suite] mode revision date`, with a line `Status subtest`
//! for each sub-test, in sorted order.

use super::REVISION;
use super::identity::RunInfo;
use super::results::{self, Record, Records, Status};
use super::table::{self, Counts};
use crate::{Failure, Outcome, artifacts, files, progress};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Run folders; a suite of a later folder replaces the same suite of an earlier one
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Accept a suite with fewer sub-tests than in the baseline, and runs of another CTS revision than the
    /// pinned one
    #[arg(long)]
    force: bool,
    /// The directory of the baselines
    #[arg(long, hide = true)]
    baselines: Option<PathBuf>,
}

/// The results of a suite, and the run that they come from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Section {
    pub(super) mode: String,
    pub(super) revision: String,
    pub(super) date: String,
    pub(super) results: BTreeMap<String, Status>,
}

/// The results of a device.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Baseline {
    pub(super) info: RunInfo,
    pub(super) suites: BTreeMap<String, Section>,
}

/// Returns the directory of the committed baselines.
pub(super) fn directory() -> PathBuf {
    artifacts::root().join("cts-harness/baselines")
}

/// Returns all baselines of `directory`, those of Caldera first, then by file name of the device.
pub(super) fn all(directory: &Path) -> Result<Vec<Baseline>, Failure> {
    let files = files::with_extension(directory, "txt");
    let mut all = files.iter().map(|f| read(f)).collect::<Result<Vec<_>, _>>()?;
    all.sort_by_key(|b| (b.info.platform != "Caldera", b.info.slug()));
    Ok(all)
}

impl Section {
    /// Returns the results of the section as records of `suite`.
    pub(super) fn records(&self, suite: &str) -> impl Iterator<Item = Record> {
        let results = self.results.iter();
        results.map(move |(subtest, status)| Record::new(&format!("{suite}/{subtest}"), *status))
    }

    pub(super) fn counts(&self, suite: &str) -> Counts {
        let records: Vec<Record> = self.records(suite).collect();
        table::count(records.iter()).remove(suite).unwrap_or_default()
    }
}

impl Baseline {
    /// Returns the contents of the file.
    fn to_text(&self) -> String {
        let mut text = String::from("# Written by `cargo harness cts baseline`.\n");
        for (name, value) in self.info.clone().grounds() {
            let _ = writeln!(text, "{name}: {value}");
        }
        for (suite, s) in &self.suites {
            let _ = writeln!(text, "\n[{suite}] {} {} {}", s.mode, s.revision, s.date);
            for (subtest, status) in &s.results {
                let _ = writeln!(text, "{} {subtest}", status.word());
            }
        }
        text
    }

    fn parse(text: &str) -> Option<Baseline> {
        let mut baseline = Baseline::default();
        let mut current: Option<&mut Section> = None;
        for line in text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && !l.starts_with('#'))
        {
            if let Some((suite, rest)) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let [mode, revision, date] = words[..] else {
                    return None;
                };
                let section = Section {
                    mode: mode.to_owned(),
                    revision: revision.to_owned(),
                    date: date.to_owned(),
                    results: BTreeMap::new(),
                };
                current = Some(baseline.suites.entry(suite.to_owned()).or_insert(section));
            } else if let Some(section) = &mut current {
                let (status, subtest) = line.split_once(' ')?;
                section.results.insert(subtest.to_owned(), status.parse().ok()?);
            } else {
                let (name, value) = line.split_once(':')?;
                let field = baseline.info.grounds().into_iter().find(|(n, _)| *n == name)?;
                *field.1 = value.trim().to_owned();
            }
        }
        Some(baseline)
    }

    /// Replaces the suites that a run contains by the run's results. All old suites are dropped if the driver
    /// or the CTS revision differs.
    fn update(&mut self, info: &RunInfo, records: &Records, force: bool) -> Result<(), Failure> {
        let ground = |i: &RunInfo| (i.driver.clone(), i.cts.clone());
        if ground(&self.info) != ground(info) {
            if !self.suites.is_empty() {
                progress::line("driver or CTS are others than the baseline's: it starts anew");
            }
            self.suites.clear();
        }
        self.info = RunInfo {
            revision: String::new(),
            library: String::new(),
            mode: String::new(),
            started: String::new(),
            ..info.clone()
        };
        let mut suites: BTreeMap<&str, BTreeMap<String, Status>> = BTreeMap::new();
        for record in records.values() {
            if let Some((suite, subtest)) = record.name.split_once('/') {
                suites
                    .entry(suite)
                    .or_default()
                    .insert(subtest.to_owned(), record.status);
            }
        }
        for (suite, results) in suites {
            let old = self.suites.get(suite).map_or(0, |s| s.results.len());
            if results.len() < old && !force {
                return fail!(
                    "the run has {} sub-tests of {suite}, the baseline {old}; --force takes it all the same",
                    results.len()
                );
            }
            let word = |text: &str| {
                if text.is_empty() {
                    String::from("-")
                } else {
                    text.to_owned()
                }
            };
            let section = Section {
                mode: word(&info.mode.replace(' ', "+")),
                revision: word(&info.revision),
                date: word(info.started.split(' ').next().unwrap_or_default()),
                results,
            };
            self.suites.insert(suite.to_owned(), section);
        }
        Ok(())
    }
}

fn read(file: &Path) -> Result<Baseline, Failure> {
    let text = std::fs::read_to_string(file)?;
    Baseline::parse(&text).ok_or_else(|| failure!("{}: not written by this harness", file.display()))
}

pub(super) fn update(args: &Args) -> Outcome {
    let directory = args.baselines.clone().unwrap_or_else(directory);
    for run in &args.runs {
        let info = results::read_info(run)?;
        let records = results::read(run)?;
        if info.cts != REVISION.trim() && !args.force {
            return fail!(
                "{} was made with CTS revision {}, not {}; --force takes it all the same",
                run.display(),
                info.cts,
                REVISION.trim()
            );
        }
        let file = directory.join(format!("{}.txt", info.slug()));
        let mut baseline = if file.exists() {
            read(&file)?
        } else {
            Baseline::default()
        };
        baseline.update(&info, &records, args.force)?;
        std::fs::create_dir_all(&directory)?;
        std::fs::write(&file, baseline.to_text())?;
        say!(
            "{}: {} suites; `cargo harness cts report --manual` brings the manual up to date",
            file.display(),
            baseline.suites.len()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed files can be read and are exactly as they would be written: sorted and without
    /// duplicates.
    #[test]
    fn committed_files_are_in_order() {
        for file in files::with_extension(&directory(), "txt") {
            let text = std::fs::read_to_string(&file).unwrap();
            let baseline = Baseline::parse(&text).unwrap_or_else(|| panic!("{}", file.display()));
            assert_eq!(baseline.to_text(), text, "{}", file.display());
            assert_eq!(file.file_stem().unwrap().to_str().unwrap(), baseline.info.slug());
        }
    }

    #[test]
    fn a_run_replaces_its_suites() {
        let records = |all: &[(&str, Status)]| -> Records {
            all.iter()
                .map(|(n, s)| ((*n).to_owned(), Record::new(n, *s)))
                .collect()
        };
        let info = RunInfo {
            mode: "wimpy".into(),
            started: "2026-11-21 06:40".into(),
            ..RunInfo::default()
        };
        let mut b = Baseline::default();
        b.update(
            &info,
            &records(&[
                ("a/x", Status::Pass),
                ("a/y", Status::Fail),
                ("b/z", Status::Skip),
            ]),
            false,
        )
        .unwrap();
        let fewer = records(&[("a/x", Status::Fail)]);
        assert!(b.update(&info, &fewer, false).is_err());
        b.update(&info, &fewer, true).unwrap();
        assert_eq!(b.suites["a"].results.len(), 1);
        assert_eq!(b.suites["b"].counts("b").applicable(), 0);
        assert_eq!(Baseline::parse(&b.to_text()).unwrap(), b);
    }
}
