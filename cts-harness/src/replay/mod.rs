//! `cargo harness replay`: executes captured launches (`CALDERA_CAPTURE`) again on OpenCL platforms, and compares what they
//! leave in memory with the captured results and with each other.
//!
//! ```text
//! capture    the description of a launch, a file of JSON
//! includes   the files that the program includes
//! execute    the child process: executes a launch on one device
//! compare    the comparison of contents
//! reduce     smaller launches that still differ
//! ```
//!
//! See `runtime/docs/capture.md`.

mod capture;
mod compare;
mod execute;
mod includes;
mod reduce;

use crate::bench::stats::Summary;
use crate::campaign::{Limits, Side, distinct};
use crate::child::{self, End};
use crate::{Failure, Outcome, files};
use capture::{Launch, Results};
use compare::{Difference, Element};
pub(crate) use execute::{One, one};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folders of captures, or folders that contain them
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// A platform as `bench` names it: `caldera` (built first), part of a platform's name, or the file of a library;
    /// `,VARIABLE=VALUE` after it sets a variable
    #[arg(long = "platform", value_name = "NAME", default_values_t = [String::from("caldera")])]
    platforms: Vec<String>,
    /// The number of launches on each platform, of which the times are reported
    #[arg(long, default_value_t = 5, value_name = "N")]
    times: usize,
    /// The units of the last place by which floats may differ, where the kernel's arguments or images have floats
    #[arg(long, default_value_t = 0, value_name = "N")]
    ulp: u64,
    /// Let Caldera check what the kernels do (CALDERA_CHECK=all); a finding is a failure
    #[arg(long)]
    check: bool,
    /// Look for the smallest part of each launch on which two of the platforms still differ, and write it to this folder
    #[arg(long, value_name = "DIR")]
    reduce: Option<PathBuf>,
    /// Seconds for the build and for each launch
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    timeout: u64,
}

/// What a platform made of a launch.
struct Run {
    name: String,
    device: String,
    /// The seconds of the build and of each launch.
    build: f64,
    times: Vec<f64>,
    /// Why there are no results.
    failure: Option<String>,
    /// The contents of the memory objects afterwards; `None` for one that has none of its own.
    results: Vec<Option<Vec<u8>>>,
    /// What `CALDERA_CHECK` has found.
    findings: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let limits = Limits {
        timeout: args.timeout,
        memory: 0,
        child: None,
    };
    let sides = args.platforms.iter().map(|name| Side::find(name, &limits));
    let sides = distinct(sides.collect::<Result<_, Failure>>()?);
    if sides.iter().any(Side::gets_spirv) {
        return fail!("a capture is replayed with the programs as the application made them: no «spirv=…»");
    }
    let captures = captures(&args.folders)?;
    child::catch_interrupts()?;
    let mut bad = 0;
    for folder in &captures {
        bad += usize::from(!replay(args, &sides, folder)?);
    }
    match bad {
        0 => Ok(()),
        n => fail!("{n} of {} captures differ, fail or have findings", captures.len()),
    }
}

/// Returns the folders of captures that are given or below the given ones.
fn captures(folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let is_capture = |folder: &Path| folder.join("launch.json").is_file();
    let mut all = Vec::new();
    for folder in folders {
        if is_capture(folder) {
            all.push(folder.clone());
            continue;
        }
        let mut below = files::entries(folder);
        below.retain(|p| is_capture(p));
        if below.is_empty() {
            return fail!("{} has no captures (no file launch.json)", folder.display());
        }
        all.append(&mut below);
    }
    Ok(all)
}

/// Replays a capture on all platforms. Returns whether all results agree.
fn replay(args: &Args, sides: &[Side], folder: &Path) -> Result<bool, Failure> {
    let launch = Launch::read(folder)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let sizes: Vec<String> = launch.global.iter().map(ToString::to_string).collect();
    let Launch {
        number,
        kernel,
        device,
        ..
    } = &launch;
    let sizes = sizes.join("×");
    say!("{name}: launch {number} of {kernel}, {sizes} work-items, captured on {device}");
    let expected = match launch.results {
        Results::Captured => Some(expected(folder, &launch)?),
        Results::Unknown => {
            say!("  without captured results");
            None
        }
        Results::Failed => {
            say!("  without captured results: the launch failed");
            None
        }
    };
    let mut good = true;
    let mut runs: Vec<Run> = Vec::new();
    // The first two platforms that differ.
    let mut pair = None;
    for side in sides {
        let run = execute(args, side, folder, &launch, args.times)?;
        let mut faults: Vec<String> = run.failure.iter().cloned().collect();
        if run.failure.is_none() {
            if let Some(expected) = &expected {
                faults.extend(differences(args, &launch, &run.results, expected, "the capture"));
            }
            for (index, other) in runs.iter().enumerate() {
                let between = faults_between(args, &launch, &run, other);
                if !between.is_empty() && pair.is_none() {
                    pair = Some([index, runs.len()]);
                }
                faults.extend(between);
            }
        }
        good &= faults.is_empty() && run.findings.is_empty();
        report(&run, &faults, expected.is_some());
        runs.push(run);
    }
    if let (Some(out), Some(pair)) = (&args.reduce, pair) {
        let (to, items) = reduce::reduce(args, pair.map(|n| &sides[n]), folder, &launch, out)?;
        say!(
            "  {items} work-items are enough for a difference: {}",
            to.display()
        );
    }
    Ok(good)
}

/// Returns the differences between the results of two platforms, as lines; none if one of them failed.
fn faults_between(args: &Args, launch: &Launch, run: &Run, other: &Run) -> Vec<String> {
    match run.failure.is_none() && other.failure.is_none() {
        true => differences(args, launch, &run.results, &other.results, &other.name),
        false => Vec::new(),
    }
}

/// Prints a line for a platform, and one for each fault and finding.
fn report(run: &Run, faults: &[String], is_known: bool) {
    let verdict = match (run.failure.is_some(), faults.is_empty(), is_known) {
        (true, _, _) => "failed",
        (false, false, _) => "DIFFERS",
        (false, true, true) => "as captured",
        (false, true, false) => "done",
    };
    let times = Summary::of(&run.times).map_or(String::new(), |s| {
        let (least, median) = (s.min * 1e6, s.median * 1e6);
        format!(
            ", {least:.1} µs at least, median {median:.1} µs of {}",
            s.repetitions
        )
    });
    let Run {
        name, device, build, ..
    } = run;
    say!("  {name}: {verdict}; {device}, built in {build:.2} s{times}");
    for fault in faults {
        say!("    {fault}");
    }
    for finding in &run.findings {
        say!("    found: {finding}");
    }
}

/// Reads the captured contents after the launch.
fn expected(folder: &Path, launch: &Launch) -> Result<Vec<Option<Vec<u8>>>, Failure> {
    let read = |memory: &capture::Memory| {
        let contents = memory.contents();
        let file = contents.after.as_ref().or(contents.before.as_ref());
        file.map(|file| capture::read(folder, file)).transpose()
    };
    launch.memory.iter().map(read).collect()
}

/// Returns the differences between two results, as lines.
fn differences(
    args: &Args,
    launch: &Launch,
    a: &[Option<Vec<u8>>],
    b: &[Option<Vec<u8>>],
    other: &str,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, (a, b)) in a.iter().zip(b).enumerate() {
        let (Some(a), Some(b)) = (a, b) else { continue };
        if let Some(difference) = compare::compare(Element::of(launch, index), a, b, args.ulp) {
            lines.push(line(launch, index, &difference, other));
        }
    }
    lines
}

fn line(launch: &Launch, memory: usize, difference: &Difference, other: &str) -> String {
    let uses = launch
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, argument)| match &argument.value {
            capture::Value::Buffer(range) => range.memory == memory,
            capture::Value::Image { memory: image } => *image == memory,
            _ => false,
        });
    let uses: Vec<String> = uses
        .map(|(n, a)| match a.name.is_empty() {
            true => format!("argument {n}"),
            false => format!("argument {n}, {} {}", a.ty, a.name),
        })
        .collect();
    format!(
        "memory{memory} ({}) against {other}: {difference}",
        uses.join("; ")
    )
}

/// Executes a launch `times` times on a platform, in a process of its own.
fn execute(args: &Args, side: &Side, folder: &Path, launch: &Launch, times: usize) -> Result<Run, Failure> {
    let scratch = tempfile::tempdir()?;
    let (out, findings) = (scratch.path(), scratch.path().join("findings.jsonl"));
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("replay-one");
    side.prepare(&mut command, out);
    command.arg(folder).arg("--out").arg(out);
    command.args(["--times", &times.to_string()]);
    if args.check {
        command
            .env("CALDERA_CHECK", "all")
            .env("CALDERA_CHECK_FILE", &findings);
    }
    let mut run = Run {
        name: side.name.clone(),
        device: String::from("no device"),
        build: 0.0,
        times: Vec::new(),
        failure: Some(String::from("the process ended early")),
        results: Vec::new(),
        findings: Vec::new(),
    };
    let mut last = String::new();
    let end = child::follow(
        &mut command,
        &out.join("log"),
        side.limits.of_child(),
        &mut |line| {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "device" => run.device = rest.to_owned(),
                "built" => run.build = rest.parse().unwrap_or(0.0),
                "took" => run.times.extend(rest.parse::<f64>()),
                "refused" => run.failure = Some(rest.to_owned()),
                "done" => run.failure = None,
                _ if line.trim().is_empty() => {}
                _ => line.clone_into(&mut last),
            }
            matches!(word, "built" | "took")
        },
    )?;
    let why = match end.end {
        End::Interrupted => return fail!("interrupted"),
        End::Code(0) => None,
        End::Timeout => Some(format!("not complete after {} s", args.timeout)),
        end => Some(format!("{end}: {last}")),
    };
    run.failure = why.or(run.failure);
    if run.failure.is_none() {
        for (index, memory) in launch.memory.iter().enumerate() {
            let has = memory.contents().before.is_some();
            run.results.push(match has {
                true => Some(std::fs::read(out.join(execute::file(index)))?),
                false => None,
            });
        }
    }
    let found = std::fs::read_to_string(findings).unwrap_or_default();
    run.findings = found.lines().map(str::to_owned).collect();
    Ok(run)
}
