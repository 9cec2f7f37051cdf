//! Compiles a unit with clspv for comparison.

use super::record::{Cost, Outcome};
use crate::Failure;
use crate::child::{self, Limits};
use crate::packages::answer;
use std::path::Path;
use std::process::Command;

/// The clspv with which the units are compared.
pub(super) enum Clspv {
    /// The Python package `pyclspv`. The value is the Python interpreter.
    Python(String),
    /// A program with the command line `OPTIONS FILE -o OUT`.
    Program(String),
}

const SCRIPT: &str = include_str!("clspv.py");

impl Clspv {
    /// Parses the argument of `--clspv`. A program that cannot be started is reported here, so that it does
    /// not count as a rejection of each unit.
    pub(super) fn open(command: &str) -> Result<Clspv, Failure> {
        let (program, args): (&str, &[&str]) = match command {
            "pyclspv" => ("python3", &["-c", "import pyclspv"]),
            program => (program, &["--version"]),
        };
        let found = answer(program, args).is_some_and(|o| o.status.success() || command != "pyclspv");
        match (found, command) {
            (true, "pyclspv") => Ok(Clspv::Python("python3".into())),
            (true, program) => Ok(Clspv::Program(program.into())),
            (false, "pyclspv") => fail!(
                "--clspv: `python3 -c 'import pyclspv'` failed: install python3 and the package pyclspv"
            ),
            (false, program) => fail!("--clspv: {program} cannot be started"),
        }
    }

    /// Returns whether the time of [`Clspv::compile`] excludes the start of the process.
    pub(super) fn leaves_its_start_out(&self) -> bool {
        matches!(self, Clspv::Python(_))
    }

    /// Compiles a unit. `cts-harness/docs/corpus.md` defines the time.
    pub(super) fn compile(
        &self,
        file: &Path,
        options: &[String],
        module: &Path,
        log: &Path,
        limits: Limits,
    ) -> Result<Cost, Failure> {
        let mut command;
        match self {
            Clspv::Python(python) => {
                command = Command::new(python);
                command.args(["-c", SCRIPT]).arg(file).args(options);
            }
            Clspv::Program(program) => {
                command = Command::new(program);
                command.args(options).arg(file).arg("-o").arg(module);
            }
        }
        let report = child::run(&mut command, log, limits)?;
        let mut cost = Cost::of(Outcome::of_end(report.end, |_| true)?, &report);
        if let (Clspv::Python(_), Outcome::Accepted) = (self, cost.outcome) {
            let (accepted, ms) = parse_result(&std::fs::read_to_string(log)?)
                .ok_or_else(|| failure!("{}: the pyclspv script printed no result line", file.display()))?;
            if !accepted {
                cost.outcome = Outcome::Rejected;
            }
            cost.ms = ms;
        }
        Ok(cost)
    }
}

/// Parses the last line of the script. Returns whether there is a module, and the time in milliseconds.
fn parse_result(output: &str) -> Option<(bool, f64)> {
    let line = output.lines().rev().find(|l| l.starts_with('{'))?;
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    Some((value.get("bytes").is_some(), value["ms"].as_f64()?))
}

#[cfg(test)]
mod tests {
    use super::parse_result;

    #[test]
    fn the_figures_come_last() {
        let ok = "warning: {x}\n{\"bytes\": 800, \"ms\": 41.5}\n";
        assert_eq!(parse_result(ok), Some((true, 41.5)));
        assert_eq!(
            parse_result("{\"error\": \"{\", \"ms\": 2.0}\n"),
            Some((false, 2.0))
        );
        assert_eq!(parse_result("Segmentation fault\n"), None);
    }
}
