//! `cargo harness corpus DIR`: compiles every unit of a corpus, and reports the outcomes and costs together
//! with clspv's.
//!
//! Each unit is compiled by a child process with limits, and the modules are checked by `spirv-val`. See
//! `docs/corpus.md`.

mod clspv;
mod compare;
mod compile;
pub(crate) mod index;
mod record;
mod table;

use crate::child::{self, Limits};
use crate::packages::SPIRV_TOOLS;
use crate::parallel::parallel;
use crate::{Failure, Outcome as Done, artifacts, progress};
use record::{Outcome, Record};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    units: index::Units,
    /// The compiler; default: the one of this repository, which is built first
    #[arg(long)]
    calderac: Option<PathBuf>,
    /// Time limit of each compilation in seconds
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Limit for the address space of each compilation in MB
    #[arg(long, default_value_t = 4096)]
    memory: u64,
    /// Number of concurrent compilations; default: one per core
    #[arg(long)]
    jobs: Option<usize>,
    /// Measure clspv on the same units in the same run: `pyclspv` (Python's package) or a program that takes
    /// `OPTIONS FILE -o OUT`; default: use the numbers in the index
    #[arg(long)]
    clspv: Option<String>,
    /// Show every unit that is not accepted with its first error, instead of one unit per group of messages
    #[arg(long)]
    errors: bool,
    /// Write a line of JSON per unit to this file
    #[arg(long)]
    out: Option<PathBuf>,
    /// Show what changed since the run that wrote this file, and fail only if a unit has become worse
    #[arg(long)]
    compare: Option<PathBuf>,
}

/// Compiles the corpus. Fails if a unit is not accepted or, with `--compare`, if a unit has a worse outcome
/// than before.
pub(crate) fn run(args: &Args) -> Done {
    let before = args.compare.as_deref().map(record::read).transpose()?;
    let (units, missing) = args.units.find()?;
    let dir = args.units.dir.display();
    if units.is_empty() {
        return fail!("no unit to compile in {dir}");
    }
    let calderac = match &args.calderac {
        Some(path) => path.clone(),
        None => artifacts::build_calderac()?,
    };
    let scratch = tempfile::tempdir()?;
    let plan = compile::Plan {
        calderac,
        validate: (SPIRV_TOOLS.found)(),
        clspv: args.clspv.as_deref().map(clspv::Clspv::open).transpose()?,
        limits: Limits {
            time: Duration::from_secs(args.timeout),
            memory: Some(args.memory << 20),
        },
        scratch: scratch.path().to_path_buf(),
    };
    let missing = match missing {
        0 => String::new(),
        n => format!("; {n} units of the index are NOT in {dir}"),
    };
    progress::step(&format!("{} units{missing}", units.len()));
    if !plan.validate {
        warn_unvalidated();
    }
    child::catch_interrupts()?;
    let start = match &plan.clspv {
        Some(c) if c.leaves_its_start_out() => Some(compile::start(&plan)?),
        Some(_) | None => None,
    };
    let records = compile_all(&plan, &units, args.jobs)?;
    drop(scratch);
    if let Some(file) = &args.out {
        record::write(file, &records)?;
    }
    progress::step("Corpus");
    table::print(&records);
    table::print_costs(&records, plan.clspv.is_some(), start);
    table::print_reasons(&records, args.errors);
    if !plan.validate {
        warn_unvalidated();
    }
    verdict(&records, before.as_ref())
}

fn warn_unvalidated() {
    say!(
        "NOTHING IS VALIDATED: spirv-val is not installed (apt-get install {}); «accepted» means only that calderac accepts",
        SPIRV_TOOLS.package
    );
}

fn verdict(records: &[Record], before: Option<&std::collections::BTreeMap<String, Record>>) -> Done {
    let bad = |n: usize, what: &str| match n {
        0 => Ok(()),
        n => fail!("{n} of {} units are {what}", records.len()),
    };
    match before {
        Some(before) => {
            let changes = compare::changes(before, records);
            compare::print(&changes);
            bad(changes.worse.len(), "worse than before")
        }
        None => {
            let refused = records.iter().filter(|r| r.cost.outcome != Outcome::Accepted);
            bad(refused.count(), "not accepted")
        }
    }
}

/// Compiles several units concurrently. The records are in the order of the units.
fn compile_all(
    plan: &compile::Plan,
    units: &[index::Unit],
    jobs: Option<usize>,
) -> Result<Vec<Record>, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let bar = progress::Bar::new(units.len());
    parallel(jobs.unwrap_or(cores), units, |_, unit| {
        if child::interrupted() {
            return Err(compile::interrupted());
        }
        let result = compile::unit(plan, unit);
        let word = result.as_ref().map_or("failed", |r| r.cost.outcome.word());
        bar.finished(&unit.id, word);
        result
    })
}
