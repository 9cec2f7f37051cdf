//! Compiles a unit with calderac and validates the result.

use super::clspv;
use super::index::{Unit, words};
use super::record::{Cost, Outcome, Record};
use crate::Failure;
use crate::bench::stats::Summary;
use crate::child::{self, End, Limits};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An environment with `spirv-val`'s name, and its newest version of SPIR-V.
struct Environment {
    name: &'static str,
    spirv: &'static str,
}

/// The environments to compile for. The cost of the first one is recorded as the cost of the unit.
const ENVIRONMENTS: [Environment; 2] = [
    Environment {
        name: "vulkan1.3",
        spirv: "1.6",
    },
    Environment {
        name: "vulkan1.1",
        spirv: "1.3",
    },
];

/// The settings for compiling each unit.
pub(super) struct Plan {
    pub(super) calderac: PathBuf,
    /// Whether `spirv-val` is installed.
    pub(super) validate: bool,
    pub(super) clspv: Option<clspv::Clspv>,
    pub(super) limits: Limits,
    /// The folder for temporary modules and logs.
    pub(super) scratch: PathBuf,
}

/// Compiles a unit for every environment until one does not accept it. Then clspv compiles the unit, if it is
/// used.
pub(super) fn unit(plan: &Plan, unit: &Unit) -> Result<Record, Failure> {
    let stem = unit.id.replace(['/', '.'], "_");
    let log = plan.scratch.join(format!("{stem}.log"));
    let module = plan.scratch.join(format!("{stem}.spv"));
    let mut record: Option<Record> = None;
    for env in &ENVIRONMENTS {
        let (cost, error) = compile(plan, unit, env, &module, &log)?;
        let accepted = cost.outcome == Outcome::Accepted;
        let first = record.as_ref().map(|r| r.cost.clone());
        record = Some(Record {
            id: unit.id.clone(),
            project: unit.project.clone(),
            cost: Cost {
                outcome: cost.outcome,
                ..first.unwrap_or(cost)
            },
            env: (!accepted).then(|| env.name.to_owned()),
            error,
            clspv: None,
        });
        if !accepted {
            break;
        }
    }
    let Some(mut record) = record else {
        return fail!("no environment to compile for");
    };
    let indexed = |(outcome, ms): &(String, f64)| Cost::new(Outcome::of_index(outcome), *ms);
    record.clspv = match &plan.clspv {
        Some(other) => Some(other.compile(&unit.file, &words(&unit.options), &module, &log, plan.limits)?),
        None => unit.indexed.as_ref().map(indexed),
    };
    for file in [log, module] {
        match std::fs::remove_file(file) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e.into()),
            _ => {}
        }
    }
    Ok(record)
}

/// Returns the CPU time in milliseconds that calderac takes without a compilation. It is the median of 15
/// runs.
pub(super) fn start(plan: &Plan) -> Result<f64, Failure> {
    let log = plan.scratch.join("start.log");
    let mut all = Vec::new();
    for _ in 0..15 {
        let report = child::run(Command::new(&plan.calderac).arg("--version"), &log, plan.limits)?;
        if report.end != End::Code(0) {
            return fail!("{} --version fails", plan.calderac.display());
        }
        all.push(report.cpu.as_secs_f64() * 1e3);
    }
    Ok(Summary::of(&all).map_or(0.0, |s| s.median))
}

fn compile(
    plan: &Plan,
    unit: &Unit,
    env: &Environment,
    module: &Path,
    log: &Path,
) -> Result<(Cost, Option<String>), Failure> {
    let mut command = Command::new(&plan.calderac);
    command
        .arg(format!("--spirv={}", env.spirv))
        // Old validators reject reflection instructions that they do not know.
        .arg("--strip-reflection")
        .arg(format!("--options={}", unit.options))
        .arg("-o")
        .args([module, &unit.file]);
    let report = child::run(&mut command, log, plan.limits)?;
    let mut outcome = Outcome::of_end(report.end, |code| (1..=3).contains(&code))?;
    if outcome == Outcome::Accepted && plan.validate {
        let mut command = Command::new("spirv-val");
        command.args(["--target-env", env.name]).arg(module);
        outcome = match child::run(&mut command, log, plan.limits)?.end {
            End::Code(0) => Outcome::Accepted,
            End::Interrupted => return Err(interrupted()),
            End::Code(_) | End::Signal(_) | End::Timeout | End::Flood => Outcome::Invalid,
        };
    }
    let cost = Cost::of(outcome, &report);
    let error = match outcome {
        Outcome::Accepted => None,
        Outcome::Timeout => Some(format!("no result after {} s", plan.limits.time.as_secs())),
        Outcome::Rejected | Outcome::Invalid | Outcome::Crash => Some(first_error(log, report.end)),
    };
    Ok((cost, error))
}

/// Returns the failure of an interrupted run.
pub(super) fn interrupted() -> Failure {
    failure!("interrupted; a run over a corpus begins anew")
}

/// Returns the line of the log that is most likely to give a reason.
fn first_error(log: &Path, end: End) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let telling = ["error:", "panicked", "overflow", "error"];
    let line = telling
        .iter()
        .find_map(|word| text.lines().find(|l| l.contains(word)))
        .or_else(|| text.lines().next());
    match (line, end) {
        (Some(line), _) => line.trim().to_owned(),
        (None, end) => format!("{end}, and no word"),
    }
}
