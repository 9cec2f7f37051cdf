//! `cargo harness zoo MANIFEST`: runs unchanged OpenCL programs of others on several platforms in turn, times every
//! launch by its event, and compares what the programs read back.
//!
//! ```text
//! manifest  which programs are run, and how they are judged
//! side      a platform, and a run of a program on it
//! report    what the layer (`layer/`) says of a run
//! rows      the launches of two platforms beside each other
//! results   the data that a program reads back on two platforms
//! table     Markdown, and lines of JSON
//! ```
//!
//! See `docs/zoo.md`.

mod manifest;
mod report;
mod results;
mod rows;
mod side;
mod table;

use crate::{Failure, Outcome, artifacts, child, progress};
use results::Agreement;
use rows::Row;
use side::{Run, Side};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The list of programs
    manifest: PathBuf,
    /// Platform, named as for `bench`, and environment variables for the programs; the first is compared with each of
    /// the others
    #[arg(long, value_name = "NAME[,VARIABLE=VALUE…]", required = true)]
    platform: Vec<String>,
    /// Run only programs whose name contains this text; may be given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Number of runs of each program on each platform
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// Begin no further run after this time in seconds
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u64>,
    /// Time limit of each run in seconds; default: as in the manifest
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// The largest relative distance of results that count as close
    #[arg(long, default_value_t = 1e-3, value_name = "DISTANCE")]
    tolerance: f64,
    /// Leave kernels out of the statistics whose launches take less than this time in microseconds on all platforms
    #[arg(long, default_value_t = 5.0, value_name = "MICROSECONDS")]
    least: f64,
    /// The layer; default: it is built first
    #[arg(long, value_name = "FILE")]
    layer: Option<PathBuf>,
    /// Folder for outputs, reports and kernel sources; default: zoo in cargo's target folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// File to which the tables are written as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// File to which each program and each kernel is written as a line of JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List the programs; run nothing
    #[arg(long)]
    list: bool,
}

/// The comparison of one program between the first platform and another one.
struct Compared {
    program: String,
    /// The runs of the first platform and of the other one, in turn.
    runs: [Vec<Run>; 2],
    rows: Vec<Row>,
    agreement: Agreement,
    /// Whether the results of the first platform are the same in all of its runs, and those of the other one.
    steady: [bool; 2],
}

/// Runs the programs and prints the tables.
pub(crate) fn run(args: &Args) -> Outcome {
    let programs = manifest::read(&args.manifest)?;
    let wanted =
        |name: &str| args.only.is_empty() || args.only.iter().any(|part| name.contains(part.as_str()));
    let programs: Vec<_> = programs.into_iter().filter(|p| wanted(&p.name)).collect();
    if args.list {
        programs.iter().for_each(|p| say!("{:<32} {}", p.name, p.about));
        return Ok(());
    }
    if programs.is_empty() {
        return fail!("{} has no such program", args.manifest.display());
    }
    let mut sides = sides(args)?;
    child::catch_interrupts()?;
    let mut json = match &args.json {
        Some(file) => Some(std::fs::File::create(file)?),
        None => None,
    };
    let start = Instant::now();
    let is_over = || {
        args.limit
            .is_some_and(|limit| start.elapsed() > Duration::from_secs(limit))
    };
    let mut compared = Vec::new();
    let mut left_out = Vec::new();
    for program in &programs {
        if is_over() {
            left_out.push(program.name.as_str());
            continue;
        }
        let runs = run_in_turn(&mut sides, program, args, &is_over)?;
        for other in 1..sides.len() {
            let one = compare(&program.name, [&runs[0], &runs[other]], args.tolerance);
            progress::line(&table::line(&one));
            if let Some(json) = &mut json {
                for value in table::json(&one, [&sides[0].name, &sides[other].name]) {
                    writeln!(json, "{value}")?;
                }
            }
            compared.push((other, one));
        }
        if sides.len() == 1 {
            progress::line(&table::alone(&program.name, &runs[0]));
        }
    }
    let mut text = String::new();
    for (other, side) in sides.iter().enumerate().skip(1) {
        let of_side: Vec<&Compared> = compared
            .iter()
            .filter(|(at, _)| *at == other)
            .map(|(_, c)| c)
            .collect();
        text += &table::tables(&of_side, [&sides[0].name, &side.name], args);
    }
    say!("{text}\n{:.0} s", start.elapsed().as_secs_f64());
    if let Some(file) = &args.markdown {
        std::fs::write(file, &text)?;
    }
    if !left_out.is_empty() {
        say!(
            "not run, because the time limit (--limit) was reached: {}",
            left_out.join(", ")
        );
    }
    conclude(&compared)
}

/// Makes the sides of the comparison, each with a name of its own.
fn sides(args: &Args) -> Result<Vec<Side>, Failure> {
    let layer = match &args.layer {
        Some(file) => crate::files::real(file)?,
        None => artifacts::build_layer()?,
    };
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| artifacts::release_dir().join("zoo"));
    std::fs::create_dir_all(&out)?;
    let out = out.canonicalize()?;
    let place = side::Folders {
        out,
        layer,
        manifest: &args.manifest,
    };
    let mut sides = Vec::new();
    for text in &args.platform {
        let mut side = Side::new(text, sides.len(), &place, args.timeout)?;
        if sides.iter().any(|s: &Side| s.name == side.name) {
            side.name += &format!(" #{}", sides.len() + 1);
        }
        sides.push(side);
    }
    Ok(sides)
}

/// Runs a program on all sides in turn, as often as asked for. Returns the runs of each side.
fn run_in_turn(
    sides: &mut [Side],
    program: &crate::app::App,
    args: &Args,
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Vec<Run>>, Failure> {
    let mut runs: Vec<Vec<Run>> = sides.iter().map(|_| Vec::new()).collect();
    for repetition in 0..args.repetitions {
        if repetition > 0 && is_over() {
            break;
        }
        // The order is reversed in every other round, so that no platform always runs first.
        let mut order: Vec<usize> = (0..sides.len()).collect();
        if repetition % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let Some(run) = sides[at].run(program, repetition)? else {
                return fail!("interrupted in {}", program.name);
            };
            runs[at].push(run);
        }
        // A program that fails does so again.
        if runs.iter().any(|runs| runs.iter().any(|run| !run.is_good())) {
            break;
        }
    }
    Ok(runs)
}

fn compare(program: &str, runs: [&Vec<Run>; 2], tolerance: f64) -> Compared {
    let reads = |run: Option<&Run>| run.map(|r| r.report.reads.clone()).unwrap_or_default();
    let agree = |a: Option<&Run>, b: Option<&Run>| results::compare(&reads(a), &reads(b), tolerance);
    Compared {
        program: program.to_owned(),
        runs: runs.map(Clone::clone),
        rows: rows::of(program, runs),
        agreement: agree(runs[0].first(), runs[1].first()),
        steady: runs.map(|runs| runs.iter().all(|run| agree(runs.first(), Some(run)).is_good())),
    }
}

/// Fails if a program failed on one platform and not on the other, or if results differ that are the same in every run.
fn conclude(compared: &[(usize, Compared)]) -> Outcome {
    let bad = |c: &&Compared| {
        let [a, b] = c.runs.each_ref().map(|runs| runs.iter().all(Run::is_good));
        a != b || a && b && c.steady == [true; 2] && !c.agreement.is_good()
    };
    let names: Vec<&str> = compared
        .iter()
        .map(|(_, c)| c)
        .filter(bad)
        .map(|c| c.program.as_str())
        .collect();
    match names.is_empty() {
        true => Ok(()),
        false => fail!(
            "{} programs fail on one platform only, or have different results: {}",
            names.len(),
            names.join(", ")
        ),
    }
}
