//! `cargo harness cts …`: runs the Khronos OpenCL CTS fast, such that an interrupted run can be continued,
//! and with checked expectations.
//!
//! The suite itself is built separately, as its own README describes. `revision.txt` names the upstream
//! revision to which the lists and expectations refer. `docs/conformance.md` explains how to use the
//! commands.

mod baseline;
mod bless;
mod checks;
mod command;
mod compare;
mod conversions;
mod expect;
mod identity;
mod judge;
mod plan;
mod platform;
mod report;
mod results;
mod rows;
mod run;
mod select;
mod session;
mod streams;
mod suite;
mod table;

use crate::{Failure, Outcome};
use clap::Subcommand;
pub(crate) use platform::{PlatformArgs, Target, print_identity};
use std::path::PathBuf;

/// The revision of the CTS to which the lists and expectations refer.
const REVISION: &str = include_str!("../../revision.txt");

/// Run the Khronos OpenCL CTS on Caldera or any other OpenCL implementation
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cts,
}

#[derive(Subcommand)]
enum Cts {
    /// List the suites and sub-tests of the CTS build that a selection names
    List(session::ListArgs),
    /// Run sub-tests, alone or several in a process, and compare the results with the expectations for the
    /// device
    Run(session::RunArgs),
    /// Show what changed between two run folders
    Compare {
        before: PathBuf,
        after: PathBuf,
        /// Compare even if drivers, CTS revisions or modes differ
        #[arg(long)]
        force: bool,
    },
    /// Update the list of a device's known failures from the results of a run
    Bless(bless::Args),
    /// Copy the results of run folders into the committed baselines, from which the manual's table is made
    Baseline(baseline::Args),
    /// Write a page of all runs and baselines (suites × devices, failures with their logs, history), or
    /// the manual's table
    Report(report::Args),
}

/// Runs the subcommand. A run fails if a result is not as expected.
pub(crate) fn run(args: &Args) -> Outcome {
    match &args.command {
        Cts::List(args) => session::list(args),
        Cts::Run(args) => session::run(args),
        Cts::Compare { before, after, force } => compare::compare(before, after, *force),
        Cts::Bless(args) => bless::bless(args),
        Cts::Baseline(args) => baseline::update(args),
        Cts::Report(args) => report::report(args),
    }
}

/// Describes the CTS build and its revision in one line, for `doctor`.
pub(crate) fn build_in_a_line() -> String {
    let Some(dir) = std::env::var_os("CALDERA_CTS_DIR").map(PathBuf::from) else {
        return String::from("CALDERA_CTS_DIR names no CTS build (cts-harness/docs/conformance.md)");
    };
    match suite::open(Some(&dir)) {
        Ok(build) => {
            let state = build
                .complaint()
                .unwrap_or_else(|| String::from("at the expected revision"));
            format!("{}: {} suites, {state}", dir.display(), build.suites.len())
        }
        Err(Failure(why)) => why,
    }
}

/// Returns whether `text` matches `pattern`, a glob in which `*` is the only wildcard.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(head) else {
        return false;
    };
    (0..=rest.len())
        .filter(|&i| rest.is_char_boundary(i))
        .any(|i| matches(tail, &rest[i..]))
}

#[cfg(test)]
mod tests {
    #[test]
    fn globs() {
        assert!(super::matches("basic/*", "basic/if"));
        assert!(super::matches("*/vector_*", "basic/vector_swizzle"));
        assert!(super::matches("a*b*c", "a-b-b-c"));
        assert!(!super::matches("basic/if", "basic/iff"));
        assert!(!super::matches("a*c", "a-b"));
    }
}
