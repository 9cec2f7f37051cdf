//! `bless`: updates the list of a device's known failures from the results of a run.

use super::expect::{self, Known};
use super::matches;
use super::results::{self, Status};
use crate::{Outcome, expectations, progress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The arguments of `bless`: which changes are made, and the reason for them.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The folder of the run
    run: PathBuf,
    /// Change only the entries of these sub-tests: `suite/subtest` or a glob
    only: Vec<String>,
    /// The checked reason why the new entries fail; without it, the changes are only shown
    #[arg(long)]
    reason: Option<String>,
    /// Restrict the new entries to the mode of this run (wimpy or full)
    #[arg(long)]
    mode_only: bool,
    /// Write a change that only removes entries; such a change needs no reason
    #[arg(long)]
    write: bool,
    /// The directory of the expectations
    #[arg(long, hide = true)]
    expectations: Option<PathBuf>,
}

/// Shows the changes, and writes them if every new entry has a reason.
pub(super) fn bless(args: &Args) -> Outcome {
    let info = results::read_info(&args.run)?;
    let records = results::read(&args.run)?;
    let (mode, checks) = info.mode.split_once(' ').unwrap_or((&info.mode, ""));
    if !checks.is_empty() {
        return fail!(
            "{} was made with {checks}: what a check complains about is no expectation of other runs; bless one \
             without",
            args.run.display()
        );
    }
    let directory = args.expectations.clone().unwrap_or_else(expect::directory);
    let file = expect::path(&directory, &info.slug(), "fails");
    let old: BTreeMap<String, String> = expectations::lines(&file)?.into_iter().collect();
    let chosen = |name: &str| args.only.is_empty() || args.only.iter().any(|o| matches(o, name));
    let mut new = old.clone();
    let (mut added, mut removed) = (Vec::new(), Vec::new());
    for record in records.values().filter(|r| chosen(&r.name)) {
        let listed: Vec<(&String, Known)> = old
            .keys()
            .filter_map(|what| Some((what, Known::parse(what)?)))
            .filter(|(_, k)| k.name == record.name && k.applies(mode))
            .collect();
        let bad = record.status.is_bad();
        let known = listed.iter().any(|(_, k)| k.status == record.status);
        for (what, k) in &listed {
            let gone = match record.status {
                Status::Pass | Status::Skip => true,
                Status::Excluded => false,
                Status::Fail | Status::Crash | Status::Timeout => k.status != record.status,
            };
            if gone {
                new.remove(*what);
                removed.push((*what).clone());
            }
        }
        if bad && !known {
            let mut what = format!("{},{}", record.name, record.status.word());
            if args.mode_only {
                what = format!("{what},{mode}");
            }
            new.insert(what.clone(), args.reason.clone().unwrap_or_default());
            added.push((what, record.note.clone()));
        }
    }
    show(&file, &old, &removed, &added, args.reason.as_deref());
    if added.is_empty() && removed.is_empty() {
        progress::line("nothing changes");
        return Ok(());
    }
    if added.is_empty() && !args.write {
        return fail!("nothing was written: give --write if these entries shall go");
    }
    if !added.is_empty() && args.reason.as_deref().is_none_or(|r| r.trim().is_empty()) {
        return fail!(
            "nothing was written: each new entry needs a checked reason; give it with --reason, for some of them at a \
             time if they differ: cargo harness cts bless RUN PATTERN… --reason TEXT"
        );
    }
    expectations::write(&file, &new)?;
    say!("written; {} entries", new.len());
    Ok(())
}

fn show(
    file: &Path,
    old: &BTreeMap<String, String>,
    removed: &[String],
    added: &[(String, String)],
    reason: Option<&str>,
) {
    say!("{}:", file.display());
    for what in removed {
        let reason = old.get(what).map_or("", String::as_str);
        say!("- {what}  # {reason}");
    }
    for (what, note) in added {
        say!("+ {what}  # {}", reason.unwrap_or("(no reason yet)"));
        if !note.is_empty() {
            say!("      the log says: {note}");
        }
    }
}
