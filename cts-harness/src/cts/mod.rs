//! `cargo harness cts …`: runs the Khronos OpenCL CTS, quickly, resumably and honestly.
//!
//! The suite itself is built elsewhere, as its own README says; `revision.txt` names the upstream revision that
//! the expectations were made with.

mod compare;
mod expect;
mod platform;
mod results;
mod run;
mod select;
mod suite;
mod table;

use crate::{Failure, Outcome, progress};
use clap::Subcommand;
use platform::Platform;
pub(crate) use platform::print_identity;
use std::path::PathBuf;

/// Revision of the CTS that lists and expectations refer to.
const REVISION: &str = include_str!("../../revision.txt");

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Cts,
}

#[derive(Subcommand)]
enum Cts {
    /// List the suites and sub-tests of the CTS build that a selection names
    List {
        #[command(flatten)]
        suite: SuiteArgs,
        /// A tier (smoke, quick, wimpy, full), a suite, `suite/subtest`, or a glob; default: all
        selection: Vec<String>,
    },
    /// Run them; one process per sub-test
    Run {
        #[command(flatten)]
        suite: SuiteArgs,
        #[command(flatten)]
        run: RunArgs,
        /// A tier (smoke, quick, wimpy, full), a suite, `suite/subtest`, or a glob
        #[arg(required = true)]
        selection: Vec<String>,
    },
    /// Say what changed between two run folders
    Compare { before: PathBuf, after: PathBuf },
    /// Rewrite the expectations of a device from a run folder; review the difference before committing it
    Bless { run: PathBuf },
}

#[derive(clap::Args)]
struct SuiteArgs {
    /// Directory of a CTS build
    #[arg(long, env = "CALDERA_CTS_DIR")]
    cts: PathBuf,
}

#[derive(clap::Args)]
struct RunArgs {
    /// OpenCL implementation: `caldera` (built first), the name of an installed `.icd` file, or the path of one
    #[arg(long, default_value = "caldera")]
    platform: String,
    /// Folder for results; an existing one is resumed
    #[arg(long)]
    out: Option<PathBuf>,
    /// Processes at a time; default: one per core on CPU devices, one otherwise
    #[arg(long)]
    jobs: Option<usize>,
    /// Seconds that one sub-test may take
    #[arg(long, default_value_t = 300)]
    timeout: u64,
    /// Not in wimpy mode
    #[arg(long)]
    full: bool,
    /// Vulkan validation layer on; any message fails its sub-test
    #[arg(long)]
    validation: bool,
}

/// Runs the sub-command.
pub(crate) fn run(args: &Args) -> Outcome {
    match &args.command {
        Cts::List { suite, selection } => {
            let suites = suite::find(&suite.cts)?;
            for case in select::cases(&suites, selection)? {
                progress::line(&case.name());
            }
            Ok(())
        }
        Cts::Run {
            suite,
            run,
            selection,
        } => {
            let suites = suite::find(&suite.cts)?;
            let cases = select::cases(&suites, selection)?;
            let platform = Platform::open(&run.platform)?;
            let records = run::run(&cases, &platform, run)?;
            table::print(&records);
            expect::Expectations::load(&platform.identity)?.judge(&records)
        }
        Cts::Compare { before, after } => compare::compare(before, after),
        Cts::Bless { run } => expect::bless(run),
    }
}

/// A glob with `*` only.
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

fn fail<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure(message.into()))
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
