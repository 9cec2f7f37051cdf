//! `cargo harness bench`: measures the performance that OpenCL programs see, on one platform or on two
//! alternately.
//!
//! ```text
//! case     the cases: their rows, and an interface that repeats and checks
//! work     cases with kernels over buffers, as data; data: their inputs and comparisons
//! cases/   all cases, by family; kernels/ their OpenCL C
//! measure  warm-up, check, interleaved repetitions within a budget, check
//! stats    medians and ratios → table and json
//! explain  what the driver says of the code of a kernel
//! ```
//!
//! See `docs/bench.md`.

mod case;
mod cases;
mod data;
mod explain;
mod json;
mod measure;
pub(crate) mod stats;
mod table;
mod work;

use crate::cl;
use crate::{Failure, Outcome, progress};
use case::{Scale, Side, Stop};
use cases::Extent;
use measure::Plan;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// OpenCL platform: `caldera` (built first), part of an installed platform's name, or a library's file
    #[arg(long, default_value = "caldera", value_name = "NAME")]
    platform: String,
    #[command(flatten)]
    options: Options,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Measure two platforms alternately, repetition by repetition, and show the ratios
    Compare {
        /// The platforms, named as for `--platform`
        a: String,
        b: String,
        #[command(flatten)]
        options: Options,
    },
    /// Show what the Vulkan driver says of a kernel's code: registers, spills, instructions
    Explain(explain::Args),
    /// Run as a child process of `explain`
    #[command(hide = true)]
    MakePipeline(explain::MakeArgs),
    /// Run as a child process of the benchmark
    #[command(hide = true)]
    Probe(cases::ProbeArgs),
}

#[derive(clap::Args)]
struct Options {
    /// Part of the device's name; default: the first device of the platform
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Run only rows whose name contains this text; may be given several times
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// Use smaller problems and fewer repetitions; takes less than two minutes on a CPU driver
    #[arg(long)]
    quick: bool,
    /// Size of the problems; default: chosen by the device's type
    #[arg(long, value_enum)]
    scale: Option<Scale>,
    /// Number of repetitions of each case, up to the case's own maximum (3 for builds, usually 30)
    #[arg(long, value_name = "N")]
    repetitions: Option<usize>,
    /// Time in seconds for the repetitions of one case on one platform
    #[arg(long, value_name = "SECONDS")]
    budget: Option<f64>,
    /// Begin no further case after this time in seconds
    #[arg(long, value_name = "SECONDS")]
    limit: Option<f64>,
    /// Size of the largest transfer in MiB; default: 1024, or 16 with `--quick`
    #[arg(long, value_name = "MIB")]
    largest_transfer: Option<usize>,
    /// File to which the results are written as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// List the rows without measuring
    #[arg(long)]
    list: bool,
}

/// Measures one platform, or two alternately.
pub(crate) fn run(args: &Args) -> Outcome {
    match &args.command {
        None => bench(&[&args.platform], &args.options),
        Some(Command::Compare { a, b, options }) => bench(&[a, b], options),
        Some(Command::Explain(args)) => explain::explain(args),
        Some(Command::MakePipeline(args)) => explain::make_pipeline(args),
        Some(Command::Probe(args)) => cases::probe(args),
    }
}

fn bench(names: &[&str], options: &Options) -> Outcome {
    if options.list {
        list(options);
        return Ok(());
    }
    let start = Instant::now();
    let sides = names
        .iter()
        .map(|name| open(name, options.device.as_deref()))
        .collect::<Result<Vec<Side>, Failure>>()?;
    let on_cpu = sides.iter().any(|s| s.device.is_cpu);
    let natural = if on_cpu || options.quick {
        Scale::Small
    } else {
        Scale::Large
    };
    let extent = options.extent(options.scale.unwrap_or(natural));
    let plan = options.plan();
    for (side, label) in sides.iter().zip(["A", "B"]) {
        let d = &side.device;
        let label = if names.len() == 1 { "" } else { label };
        say!("{label} {}: {}, {} ({})", d.platform, d.name, d.driver, d.version);
    }
    say!("\n{}", table::header(sides.len()));
    let mut results = Vec::new();
    let mut left_out = 0;
    for case in options.chosen(extent) {
        if options
            .limit
            .is_some_and(|limit| start.elapsed().as_secs_f64() > limit)
        {
            left_out += case.rows.len();
            continue;
        }
        for result in measure::run(&case, &sides, plan) {
            if options.wants(&result.row.name) {
                progress::line(&table::row(&result));
                results.push(result);
            }
        }
    }
    means(&results);
    say!("\n{:.0} s", start.elapsed().as_secs_f64());
    if left_out > 0 {
        say!("{left_out} rows not run: the time limit (--limit) was reached");
    }
    if let Some(file) = &options.json {
        let settings = serde_json::json!({ "scale": format!("{:?}", extent.scale), "quick": options.quick,
            "least": plan.least, "most": plan.most, "budget": plan.budget.as_secs_f64(), "rows_left_out": left_out });
        progress::json(file, &json::run(&sides, &results, settings))?;
    }
    conclude(&results)
}

fn open(name: &str, device: Option<&str>) -> Result<Side, Failure> {
    let (place, device) = cl::find(name, device)?;
    let context = cl::Context::new(&device)?;
    Ok(Side {
        place,
        device,
        context,
    })
}

impl Options {
    fn plan(&self) -> Plan {
        let (least, most, seconds) = match (self.quick, self.repetitions) {
            (_, Some(n)) => (n, n, f64::MAX),
            (true, None) => (3, 200, 0.2),
            (false, None) => (5, 3000, 1.0),
        };
        let seconds = self.budget.unwrap_or(seconds).clamp(0.0, 3600.0);
        Plan {
            least,
            most,
            budget: Duration::from_secs_f64(seconds),
        }
    }

    fn extent(&self, scale: Scale) -> Extent {
        let mib = self
            .largest_transfer
            .unwrap_or(if self.quick { 16 } else { 1024 });
        Extent {
            scale,
            largest_transfer: mib.saturating_mul(1 << 20),
            longest_program: if self.quick { 300 } else { 3000 },
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }

    fn chosen(&self, extent: Extent) -> impl Iterator<Item = case::Case> {
        let cases = cases::all(extent).into_iter();
        cases.filter(|case| case.rows.iter().any(|row| self.wants(&row.name)))
    }
}

fn list(options: &Options) {
    let extent = options.extent(options.scale.unwrap_or(Scale::Large));
    for case in options.chosen(extent) {
        let names = case.rows.iter().map(|row| &row.name);
        names.filter(|n| options.wants(n)).for_each(|n| progress::line(n));
    }
}

/// Prints the geometric means of the ratios of each family; above 1, A is faster.
fn means(results: &[measure::Result]) {
    let family = |r: &measure::Result| r.row.name.split('/').next().unwrap_or_default().to_owned();
    let mut families: Vec<String> = results.iter().map(family).collect();
    families.dedup();
    for name in families {
        let of_family = results.iter().filter(|r| family(r) == name);
        let [wall, device]: [Vec<f64>; 2] = of_family.fold(Default::default(), |[mut w, mut d], r| {
            let [wall, device] = r.ratios();
            w.extend(wall.map(|s| s.median));
            d.extend(device.map(|s| s.median));
            [w, d]
        });
        if let Some(mean) = stats::geometric_mean(&wall) {
            let device = stats::geometric_mean(&device).map(|m| format!(", on the device {m:.2}×"));
            say!(
                "{name}: geometric mean of {} ratios A over B {mean:.2}×{}",
                wall.len(),
                device.unwrap_or_default()
            );
        }
    }
}

fn conclude(results: &[measure::Result]) -> Outcome {
    let failed = |o: &measure::Outcome| matches!(o, measure::Outcome::Stopped(Stop::Failed(_)));
    match results.iter().filter(|r| r.sides.iter().any(failed)).count() {
        0 if results.is_empty() => fail!("nothing was measured"),
        0 => Ok(()),
        n => fail!("{n} rows FAILED"),
    }
}
