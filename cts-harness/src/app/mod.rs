//! `cargo harness app [NAME…]`: runs real applications as checks.
//!
//! `apps/` contains the table of applications, and `apps/expectations/` the expected results for each device.
//! See `docs/app.md`.

mod expect;
mod judge;
mod place;
mod results;
mod table;

use crate::cts::{PlatformArgs, Target};
use crate::expectations::Status;
use crate::{Failure, Outcome, artifacts, child, progress};
use expect::Expectations;
pub(crate) use judge::Verdict;
pub(crate) use place::Place;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use strum::VariantArray;
pub(crate) use table::App;
use table::Need;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Applications of the table; default: all
    names: Vec<String>,
    #[command(flatten)]
    platform: PlatformArgs,
    /// List the applications of the table and what is missing to run them; run nothing
    #[arg(long)]
    list: bool,
    /// A folder that an application needs, as NAME=DIR (`--list` prints the names and where to get the
    /// folders)
    #[arg(long, value_name = "NAME=DIR", value_parser = path_argument)]
    path: Vec<(String, PathBuf)>,
    /// How the application finds the implementation
    #[arg(long, value_enum, default_value_t = Way::Loader)]
    way: Way,
    /// Time limit of each application in seconds; default: as in the table
    #[arg(long)]
    timeout: Option<u64>,
    /// Folder for the outputs; default: apps/DEVICE in cargo's target folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Update the expectations of the device from the results; every new entry then needs a reason
    #[arg(long)]
    bless: bool,
    /// Do not fail if an application is not installed (it is listed nevertheless)
    #[arg(long)]
    allow_missing: bool,
    /// The folder of the table
    #[arg(long, hide = true)]
    table: Option<PathBuf>,
}

#[derive(Copy, Clone, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    /// Through the system's OpenCL loader
    Loader,
    /// With Caldera's library preloaded instead of the loader
    Preload,
}

fn path_argument(text: &str) -> Result<(String, PathBuf), String> {
    let (name, dir) = text.split_once('=').ok_or("not NAME=DIR")?;
    let dir = Path::new(dir).canonicalize().map_err(|e| format!("{dir}: {e}"))?;
    Ok((name.to_owned(), dir))
}

fn directory() -> PathBuf {
    artifacts::root().join("cts-harness/apps")
}

/// Runs applications. Fails if a result is not as expected, or if an application is not installed.
pub(crate) fn run(args: &Args) -> Outcome {
    let dir = args.table.clone().unwrap_or_else(directory);
    let apps = chosen(table::read(&dir)?, &args.names)?;
    let paths: BTreeMap<String, PathBuf> = args.path.iter().cloned().collect();
    if args.list {
        list(&apps, &paths);
        return Ok(());
    }
    let target = Target::open(&args.platform)?;
    let slug = target.info.slug();
    let file = expect::file(&dir, &slug);
    let mut expectations = Expectations::load(&file)?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => artifacts::release_dir().join("apps").join(&slug),
    };
    let place = Place::new(&target, args.way, &out, paths.clone(), args.timeout)?;
    let (count, info) = (apps.len(), &target.info);
    progress::step(&format!(
        "{count} applications with {info}; outputs in {}",
        out.display()
    ));
    child::catch_interrupts()?;
    let (mut surprises, mut missing) = (Vec::new(), Vec::new());
    for app in &apps {
        let lacking = lacking(app, &paths);
        if !lacking.is_empty() {
            say!("{:<22} NOT INSTALLED: {}", app.name, lacking.join("; "));
            missing.push(app.name.as_str());
            continue;
        }
        let Some((verdict, time)) = place.run(app, &[])? else {
            surprises.iter().for_each(|s: &String| progress::line(s));
            return fail!("interrupted in {}; nothing was blessed", app.name);
        };
        report(app, &verdict, time);
        if args.bless {
            expectations.bless(&app.name, &verdict);
        } else {
            surprises.extend(expectations.surprises(&app.name, &verdict));
        }
    }
    if args.bless {
        expectations.save(&file)?;
        say!("{}: give each new entry its reason", file.display());
    }
    conclude(&surprises, &missing, args.allow_missing)
}

fn conclude(surprises: &[String], missing: &[&str], allow_missing: bool) -> Outcome {
    surprises.iter().for_each(|s| progress::line(s));
    if !missing.is_empty() {
        say!("NOT INSTALLED and so not checked: {}", missing.join(", "));
    }
    match (surprises.len(), missing.len()) {
        (0, 0) => Ok(()),
        (0, _) if allow_missing => Ok(()),
        (0, n) => fail!("{n} applications are not installed"),
        (n, _) => fail!("{n} results are not as expected"),
    }
}

fn chosen(all: Vec<App>, names: &[String]) -> Result<Vec<App>, Failure> {
    if let Some(unknown) = names.iter().find(|n| all.iter().all(|a| a.name != **n)) {
        let known: Vec<&str> = all.iter().map(|a| a.name.as_str()).collect();
        return fail!(
            "no application is called «{unknown}»; there is {}",
            known.join(", ")
        );
    }
    let wanted = |a: &App| names.is_empty() || names.contains(&a.name);
    Ok(all.into_iter().filter(wanted).collect())
}

fn list(apps: &[App], paths: &BTreeMap<String, PathBuf>) {
    for app in apps.iter().take_while(|_| !child::interrupted()) {
        let lacking = lacking(app, paths);
        let state = if lacking.is_empty() {
            "ready".to_owned()
        } else {
            lacking.join("; ")
        };
        say!("{:<22} {}\n{:<22} {state}", app.name, app.about, "");
    }
}

/// Returns the missing requirements of an application, each with the way to satisfy it.
fn lacking(app: &App, paths: &BTreeMap<String, PathBuf>) -> Vec<String> {
    let mut all = Vec::new();
    for need in &app.needs {
        let (there, install) = match need {
            Need::Program { program, install } => (crate::packages::program(program), install),
            Need::Python { python, install } => {
                let import = format!("import {python}");
                let answer = crate::packages::answer("python3", &["-c", &import]);
                (answer.is_some_and(|o| o.status.success()), install)
            }
        };
        if !there {
            all.push(install.clone());
        }
    }
    for (name, source) in &app.paths {
        if !paths.contains_key(name) {
            all.push(format!("--path {name}=DIR ({source})"));
        }
    }
    all
}

fn report(app: &App, verdict: &Verdict, time: Duration) {
    let whole = verdict.checks.get(&app.name).map_or("-".into(), |s| s.lower());
    let counts: Vec<String> = Status::VARIANTS
        .iter()
        .filter(|s| verdict.count(**s) > 0)
        .map(|s| format!("{} {}", s.lower(), verdict.count(*s)))
        .collect();
    let why = verdict.why.as_deref().unwrap_or_default();
    let line = format!(
        "{:<22} {whole:<8} {:>7.1} s  {}  {why}",
        app.name,
        time.as_secs_f64(),
        counts.join(", ")
    );
    progress::line(line.trim_end());
}
