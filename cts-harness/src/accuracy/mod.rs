//! `cargo harness accuracy`: compares the math functions of a device with exact values, and measures how long
//! they take.
//!
//! ```text
//! function   names, operands, intervals         limits    what CL 7.4 allows
//! samples    operands to try                    number    formats, units in the last place
//! device     evaluation and timing in OpenCL C  reference, mpfr   exact values
//! judge      results against references         report    Markdown and JSON
//! ```
//!
//! See `docs/accuracy.md`.

mod device;
mod function;
mod judge;
mod limits;
mod mpfr;
mod number;
mod reference;
mod report;
mod samples;

pub(crate) use mpfr::LIBRARY as MPFR_LIBRARY;

use crate::cl;
use crate::packages::{MPFR, ensure};
use crate::{Failure, Outcome, child, progress};
use device::{Bench, Timing};
use function::{FUNCTIONS, Function, Operands};
use judge::{Question, Verdict};
use number::Precision;
use report::Row;
use samples::Samples;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Names of functions, or operators as `x / y`; default: all
    functions: Vec<String>,
    #[command(flatten)]
    choice: cl::Choice,
    /// Another platform, whose times are shown in additional columns
    #[arg(long, value_name = "NAME")]
    compare: Option<String>,
    /// Formats; default: all that the device supports
    #[arg(long, value_enum, value_delimiter = ',')]
    precision: Vec<Precision>,
    /// Compile with -cl-fast-relaxed-math, and use the limits of OpenCL C 2.0 for this option
    #[arg(long)]
    relaxed: bool,
    /// Test every float for functions of one operand; meant for GPUs
    #[arg(long)]
    exhaustive: bool,
    /// Least number of operands to test per function
    #[arg(long, value_name = "N")]
    samples: Option<usize>,
    /// Do not measure times
    #[arg(long)]
    no_time: bool,
    /// Measure only times
    #[arg(long, conflicts_with = "no_time")]
    only_time: bool,
    /// File to which the table is written in addition to standard output
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// File to which the results are written as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Measures and prints all functions. Fails if a limit is exceeded.
pub(crate) fn run(args: &Args) -> Outcome {
    let start = Instant::now();
    let functions = args.chosen()?;
    let bench = Bench::new(args.choice.open()?)?;
    let device = args.choice.device.as_deref();
    let peer = match &args.compare {
        Some(name) => Some(Bench::new(cl::find(name, device)?.1)?),
        None => None,
    };
    let precisions = args.precisions(&bench);
    if precisions.contains(&Precision::Double) && !args.only_time {
        ensure(&[&MPFR])?;
    }
    let compared = peer.is_some();
    let mut text = title(&bench, peer.as_ref(), args.relaxed);
    progress::line(&text);
    let mut rows = Vec::new();
    for p in precisions {
        let heading = format!("\n## {}\n\n{}", p.name(), report::head(compared));
        progress::line(&heading);
        text += &format!("\n{heading}\n");
        for f in functions.iter().filter(|f| f.exists_for(p)) {
            if child::interrupted() {
                return fail!("interrupted");
            }
            let row = args.row(*f, p, &bench, peer.as_ref());
            let line = report::line(&row, compared);
            progress::line(&line);
            text += &format!("{line}\n");
            rows.push(row);
        }
    }
    say!("\n{:.0} s", start.elapsed().as_secs_f64());
    if let Some(file) = &args.markdown {
        std::fs::write(file, &text)?;
    }
    if let Some(file) = &args.json {
        write_json(file, &bench, peer.as_ref(), args.relaxed, &rows)?;
    }
    match rows.iter().filter(|r| r.failed()).count() {
        0 => Ok(()),
        n => fail!("{n} of {} functions exceed their limits or FAILED", rows.len()),
    }
}

fn title(bench: &Bench, peer: Option<&Bench>, relaxed: bool) -> String {
    let name = |b: &Bench| format!("{} ({}, {})", b.device.name, b.device.platform, b.device.driver);
    let option = if relaxed {
        ", with -cl-fast-relaxed-math"
    } else {
        ""
    };
    let beside = peer.map_or(String::new(), |p| {
        format!("\n\nBeside it the times of {}.", name(p))
    });
    format!("# Accuracy of {}{option}{beside}", name(bench))
}

fn write_json(file: &Path, bench: &Bench, peer: Option<&Bench>, relaxed: bool, rows: &[Row]) -> Outcome {
    let side = |b: &Bench| serde_json::json!({ "platform": b.device.platform, "device": b.device.name, "driver": b.device.driver });
    let value = serde_json::json!({
        "device": side(bench), "peer": peer.map(side), "relaxed": relaxed,
        "rows": rows.iter().map(report::json).collect::<Vec<_>>(),
    });
    progress::json(file, &value)
}

type Judging<'scope> = std::thread::ScopedJoinHandle<'scope, Result<Verdict, Failure>>;

impl Args {
    fn chosen(&self) -> Result<Vec<Function>, Failure> {
        let find = |name: &String| {
            let found = FUNCTIONS.iter().copied().find(|f| f.name() == name);
            found.ok_or_else(|| failure!("no math function is called «{name}»"))
        };
        match self.functions.is_empty() {
            true => Ok(FUNCTIONS.to_vec()),
            false => self.functions.iter().map(find).collect(),
        }
    }

    fn precisions(&self, bench: &Bench) -> Vec<Precision> {
        let wanted = |p: &Precision| self.precision.is_empty() || self.precision.contains(p);
        let all = Precision::ALL.into_iter();
        all.filter(|p| wanted(p) && bench.has(*p)).collect()
    }

    fn options(&self) -> &'static str {
        if self.relaxed { "-cl-fast-relaxed-math" } else { "" }
    }

    fn row(&self, function: Function, precision: Precision, bench: &Bench, peer: Option<&Bench>) -> Row {
        let limit = limits::limit(function, precision, self.relaxed);
        let verdict = match self.only_time {
            true => Ok(Verdict::default()),
            false => self
                .verdict(function, precision, bench)
                .map_err(|Failure(why)| why),
        };
        let seconds = match self.no_time {
            true => [None, None],
            false => times(function, precision, self.options(), bench, peer),
        };
        Row {
            function,
            precision,
            limit,
            verdict,
            seconds,
        }
    }

    fn verdict(&self, function: Function, precision: Precision, bench: &Bench) -> Result<Verdict, Failure> {
        let question = Question {
            function,
            precision,
            limit: limits::limit(function, precision, self.relaxed),
            may_flush: !bench.device.keeps_subnormals(precision.bytes()),
            relaxed: self.relaxed,
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let evaluation = bench.evaluation(function, precision, self.options())?;
        let one = |samples: &Samples| judge::judge(question, samples, &evaluation.answers(samples)?, threads);
        let natural = match precision {
            Precision::Half => 1 << 16,
            Precision::Single => 1 << 18,
            // MPFR takes microseconds per value.
            Precision::Double => 1 << 13,
        };
        let verdict = one(&samples::samples(
            function,
            precision,
            self.samples.unwrap_or(natural),
        ))?;
        let all = self.exhaustive && precision == Precision::Single && function.operands() == Operands::One;
        if !all || function.is_native() {
            return Ok(verdict);
        }
        // The device computes the next results while the host compares the previous ones.
        const CHUNK: u64 = 1 << 24;
        let mut chunks = (0..1u64 << 32).step_by(CHUNK as usize).map(|from| Samples {
            x: (from..from + CHUNK).collect(),
            ..Samples::default()
        });
        std::thread::scope(|scope| {
            let join = |verdict: Verdict, judging: Judging<'_>| -> Result<Verdict, Failure> {
                let stopped = |_| fail!("the thread of a comparison stopped");
                Ok(verdict.join(judging.join().unwrap_or_else(stopped)?))
            };
            let (verdict, last) = chunks.try_fold((verdict, None), |(mut verdict, before), samples| {
                let answers = evaluation.answers(&samples)?;
                if let Some(judging) = before {
                    verdict = join(verdict, judging)?;
                }
                let judging = scope.spawn(move || judge::judge(question, &samples, &answers, threads));
                Ok::<_, Failure>((verdict, Some(judging)))
            })?;
            last.into_iter().try_fold(verdict, join)
        })
    }
}

/// Measures both platforms alternately several times, and returns the shortest time of each. A time that
/// cannot be measured is `None`.
fn times(f: Function, p: Precision, options: &str, bench: &Bench, peer: Option<&Bench>) -> [Option<f64>; 2] {
    let ours = bench.timing(f, p, options).ok();
    let theirs = peer
        .filter(|b| b.has(p))
        .and_then(|b| b.timing(f, p, options).ok());
    let mut best = [None, None];
    for _ in 0..5 {
        for (best, timing) in best.iter_mut().zip([&ours, &theirs]) {
            let seconds = timing.as_ref().and_then(|t: &Timing<'_>| t.once().ok());
            *best = match (*best, seconds) {
                (Some(a), Some(b)) => Some(f64::min(a, b)),
                (a, b) => a.or(b),
            };
        }
    }
    best
}
