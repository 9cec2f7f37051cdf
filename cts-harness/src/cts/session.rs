//! `list` and `run`: parse the selection, run it and compare the results with the expectations.

use super::checks::Checks;
use super::expect::{self, Expectations};
use super::plan::Share;
use super::platform::{PlatformArgs, Target};
use super::results::{self, Record, Records, RunFolder, Status};
use super::run::{self, Settings};
use super::select::{self, Case};
use super::{suite, table};
use crate::{Failure, Outcome, artifacts, child, files, progress};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The options that name the CTS build.
#[derive(clap::Args)]
pub(super) struct SuiteArgs {
    /// Directory of a CTS build
    #[arg(long, env = "CALDERA_CTS_DIR", value_name = "DIR")]
    cts: Option<PathBuf>,
}

#[derive(clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    suite: SuiteArgs,
    /// Print only the suites, with their arguments and their names in a conformance submission
    #[arg(long)]
    suites: bool,
    /// Tiers (smoke, quick, wimpy, full), suites, `suite/subtest`, globs; default: all
    selection: Vec<String>,
}

#[derive(clap::Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    suite: SuiteArgs,
    #[command(flatten)]
    platform: PlatformArgs,
    /// Folder for the results; a folder with results of the same device, driver, library, mode and CTS is
    /// continued. Default: a new one below target/release/cts
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the newest run of this device
    #[arg(long, conflicts_with = "out")]
    resume: bool,
    /// When a run is continued, run the sub-tests again that did not pass
    #[arg(long)]
    again: bool,
    /// Also run the sub-tests that did not pass in this run folder
    #[arg(long, value_name = "RUN")]
    failures_of: Option<PathBuf>,
    /// Number of concurrent processes; default: one per core for CPU devices, a quarter of that (at most 8)
    /// otherwise
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Time limit of each sub-test in seconds, instead of the limits of the tiers
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Largest number of sub-tests that share a process
    #[arg(long, default_value_t = 8, value_name = "N")]
    group: usize,
    /// Do not use wimpy mode; the tier `full` implies this
    #[arg(long)]
    full: bool,
    /// Enable the Vulkan validation layer; any message fails the sub-test
    #[arg(long)]
    validation: bool,
    /// Check every SPIR-V module that the driver receives with spirv-val; any message fails the sub-test
    #[arg(long)]
    spirv_val: bool,
    /// Directory of the expectations
    #[arg(long, hide = true)]
    expectations: Option<PathBuf>,
    /// Tiers (smoke, quick, wimpy, full), suites, `suite/subtest`, globs
    #[arg(required_unless_present = "failures_of")]
    selection: Vec<String>,
}

/// Prints the cases or the suites that a selection names.
pub(super) fn list(args: &ListArgs) -> Outcome {
    let build = suite::open(args.suite.cts.as_deref())?;
    if let Some(complaint) = build.complaint() {
        progress::warning(&complaint);
    }
    if args.suites {
        for suite in &build.suites {
            let title = suite.row.title.as_deref().unwrap_or("-");
            let line = format!(
                "{:<28} {title:<42} {}",
                suite.row.suite,
                suite.row.arguments.join(" ")
            );
            progress::line(line.trim_end());
        }
        for row in &build.missing {
            say!("{:<28} not in this build", row.suite);
        }
        return Ok(());
    }
    let selected = select::cases(&build, &args.selection, None)?;
    for case in &selected.cases {
        progress::line(&case.name());
    }
    missing(&selected.missing);
    Ok(())
}

fn missing(suites: &[String]) {
    if !suites.is_empty() {
        progress::warning(&format!("not in this CTS build: {}", suites.join(", ")));
    }
}

/// Runs a selection and compares the results with the expectations.
pub(super) fn run(args: &RunArgs) -> Outcome {
    let build = suite::open(args.suite.cts.as_deref())?;
    if let Some(complaint) = build.complaint() {
        progress::warning(&complaint);
    }
    let mut target = Target::open(&args.platform)?;
    let cpu = target.info.device_type == "cpu";
    let selection = selection(args)?;
    let selected = select::cases(&build, &selection, Some(cpu))?;
    missing(&selected.missing);
    let checks = Checks::new(args.validation, args.spirv_val, target.ours)?;
    let wimpy = selected.wimpy && !args.full;
    let mode = if wimpy { "wimpy" } else { "full" };
    target.info.mode = format!("{mode}{}", checks.words());
    target.info.cts = build.revision_or_guess();
    target.info.started = now();
    let slug = target.info.slug();
    let directory = args.expectations.clone().unwrap_or_else(expect::directory);
    let expectations = Expectations::load(&directory, &slug, mode)?;

    let out = folder(args, &slug)?;
    let (mut run_folder, mut done) = RunFolder::open(&out, &target.info)?;
    if args.again {
        done.retain(|_, r| matches!(r.status, Status::Pass | Status::Skip));
    }
    let names: Vec<String> = selected.cases.iter().map(Case::name).collect();
    let (excluded, todo) = split(selected.cases, &expectations, &mut done);
    for record in &excluded {
        run_folder.append(record)?;
        say!("Excluded {}: {}", record.name, record.note);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        share: Share::new(args.jobs, cores, cpu),
        timeout: args.timeout.map(Duration::from_secs),
        group: if checks.any() { 1 } else { args.group.max(1) },
        wimpy,
        checks,
    };
    let before = names.len() - todo.len() - excluded.len();
    let (info, count, jobs) = (&target.info, todo.len(), settings.share.jobs);
    progress::step(&format!(
        "{info}, {mode}: {count} to run, {before} done before, {jobs} at a time; results in {}",
        out.display()
    ));
    let earlier = earlier(&slug)?;
    let known = |name: &str| earlier.get(name).map(|r| r.seconds);
    let new = run::run(todo, run_folder, &target, &settings, &known)?;
    settings.checks.report(count);
    done.extend(excluded.into_iter().map(|r| (r.name.clone(), r)));
    done.extend(new);
    let records: Vec<&Record> = names.iter().filter_map(|n| done.get(n)).collect();
    table::print(records.iter().copied());
    if child::interrupted() {
        return fail!(
            "interrupted: {} of {} have results; the same command with --out {} goes on",
            records.len(),
            names.len(),
            out.display()
        );
    }
    let judgement = expectations.judge(records.iter().copied());
    if judgement.is_err() {
        say!(
            "the logs are in {}; each begins with the command that runs its sub-test by hand",
            out.join("logs").display()
        );
    }
    judgement
}

fn selection(args: &RunArgs) -> Result<Vec<String>, Failure> {
    let mut all = args.selection.clone();
    if let Some(run) = &args.failures_of {
        let records = results::read(run)?;
        results::read_info(run)?;
        let bad = records.values().filter(|r| r.status.is_bad());
        all.extend(bad.map(|r| r.name.clone()));
        if all.is_empty() {
            return fail!("nothing failed in {}", run.display());
        }
    }
    Ok(all)
}

/// Divides cases into records for those that are excluded on this device, and cases that must run. Cases with
/// a result in `done` are in neither list.
fn split(cases: Vec<Case>, expectations: &Expectations, done: &mut Records) -> (Vec<Record>, Vec<Case>) {
    let (mut excluded, mut todo) = (Vec::new(), Vec::new());
    for case in cases {
        let name = case.name();
        let was_excluded = done.get(&name).is_some_and(|r| r.status == Status::Excluded);
        match expectations.excluded(&name) {
            Some(reason) if !done.contains_key(&name) => excluded.push(Record {
                note: reason.to_owned(),
                ..Record::new(&name, Status::Excluded)
            }),
            // The case was excluded in an earlier part of the run, but is no longer on the list of skips.
            None if was_excluded => {
                done.remove(&name);
                todo.push(case);
            }
            None if !done.contains_key(&name) => todo.push(case),
            Some(_) | None => {}
        }
    }
    (excluded, todo)
}

/// Returns the directory that contains the runs of a device.
fn runs_of(slug: &str) -> PathBuf {
    artifacts::release_dir().join("cts").join(slug)
}

/// Returns the run folders in a directory, oldest first.
pub(super) fn runs_in(directory: &Path) -> Vec<PathBuf> {
    let mut all = files::entries(directory);
    all.retain(|p| p.join("run.json").exists());
    all
}

fn folder(args: &RunArgs, slug: &str) -> Result<PathBuf, Failure> {
    if let Some(out) = &args.out {
        return Ok(out.clone());
    }
    if args.resume {
        return match runs_in(&runs_of(slug)).pop() {
            Some(newest) => Ok(newest),
            None => fail!("there is no run of {slug} to resume"),
        };
    }
    let stamp = now().replace([' ', ':'], "-");
    let mut numbers = 1..;
    let fresh = numbers.find_map(|n| {
        let name = if n == 1 {
            stamp.clone()
        } else {
            format!("{stamp}-{n}")
        };
        Some(runs_of(slug).join(name)).filter(|p: &PathBuf| !p.exists())
    });
    Ok(fresh.unwrap_or_else(|| Path::new("cts-run").to_path_buf()))
}

/// Returns the results of a device's earlier runs. They tell how long the sub-tests take.
fn earlier(slug: &str) -> Result<Records, Failure> {
    let mut all = Records::new();
    for run in runs_in(&runs_of(slug)) {
        all.extend(results::read(&run)?);
    }
    Ok(all)
}

/// Returns the current date and time in UTC: `2026-11-21 06:40`.
pub(super) fn now() -> String {
    date(SystemTime::now())
}

fn date(time: SystemTime) -> String {
    let text = humantime::format_rfc3339_seconds(time).to_string();
    text.replace('T', " ")
        .chars()
        .take("2026-11-21 06:40".len())
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates() {
        let date = |seconds| super::date(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds));
        assert_eq!(date(0), "1970-01-01 00:00");
        assert_eq!(date(951_782_400), "2000-02-29 00:00");
        assert_eq!(date(1_795_243_205), "2026-11-21 06:40");
    }
}
