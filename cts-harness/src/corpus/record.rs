//! The record of a unit, which is one line of JSON.

use crate::Failure;
use crate::child::{End, Report};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use strum::{IntoStaticStr, VariantArray};

/// The outcome of compiling a unit. A later variant is worse. Files contain the names of the variants.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, IntoStaticStr, VariantArray, Serialize, Deserialize,
)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum Outcome {
    /// The unit was compiled, and the modules are valid in every requested environment.
    Accepted,
    /// The compiler reports that the program is invalid or not supported.
    Rejected,
    /// `spirv-val` rejects the module.
    Invalid,
    /// The compiler was ended by a signal, or reports an internal error.
    Crash,
    Timeout,
}

impl Outcome {
    /// Returns the word for the outcome in a record.
    pub(super) fn word(self) -> &'static str {
        self.into()
    }

    /// Returns the outcome of a compiler's process. `rejects` says whether it rejects the unit with an exit code.
    pub(super) fn of_end(end: End, rejects: fn(i32) -> bool) -> Result<Outcome, Failure> {
        Ok(match end {
            End::Code(0) => Outcome::Accepted,
            End::Code(code) if rejects(code) => Outcome::Rejected,
            End::Code(_) | End::Signal(_) | End::Flood => Outcome::Crash,
            End::Timeout => Outcome::Timeout,
            End::Interrupted => return Err(super::compile::interrupted()),
        })
    }

    /// Parses an outcome in the index of a corpus. Unknown words mean [`Outcome::Rejected`].
    pub(super) fn of_index(word: &str) -> Outcome {
        match word {
            "yes" => Outcome::Accepted,
            "crash" => Outcome::Crash,
            "timeout" => Outcome::Timeout,
            _ => Outcome::Rejected,
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Cost {
    pub(super) outcome: Outcome,
    /// The CPU time in milliseconds.
    pub(super) ms: f64,
    /// The maximum resident set size in bytes, if it was measured.
    pub(super) peak: Option<u64>,
}

impl Cost {
    /// Returns a cost whose memory was not measured.
    pub(super) fn new(outcome: Outcome, ms: f64) -> Cost {
        let peak = None;
        Cost { outcome, ms, peak }
    }

    /// Returns the cost of a process.
    pub(super) fn of(outcome: Outcome, report: &Report) -> Cost {
        Cost {
            peak: Some(report.peak),
            ..Cost::new(outcome, report.cpu.as_secs_f64() * 1e3)
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) project: String,
    #[serde(flatten)]
    pub(super) cost: Cost,
    /// The first environment that did not accept the unit, if there was one.
    pub(super) env: Option<String>,
    /// The line of the log that gives the reason.
    pub(super) error: Option<String>,
    /// The outcome and the cost of clspv, if it was measured.
    pub(super) clspv: Option<Cost>,
}

/// Writes the records, one per line.
pub(super) fn write(file: &Path, records: &[Record]) -> Result<(), Failure> {
    let mut text = String::new();
    for record in records {
        text += &(serde_json::to_string(record)? + "\n");
    }
    std::fs::write(file, text).map_err(|e| failure!("{}: {e}", file.display()))
}

/// Reads the records that [`write()`] has written. The keys of the result are the ids of the units.
pub(super) fn read(file: &Path) -> Result<BTreeMap<String, Record>, Failure> {
    let wrong = |why: String| failure!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|e| wrong(e.to_string()))?;
    let mut all = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let record: Record = serde_json::from_str(line)
            .map_err(|e| wrong(format!("line {} is not a record of a unit: {e}", n + 1)))?;
        all.insert(record.id.clone(), record);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_its_line() {
        let record = Record {
            id: "p-1".into(),
            project: "p".into(),
            cost: Cost {
                peak: Some(5 << 20),
                ..Cost::new(Outcome::Invalid, 1.25)
            },
            env: Some("vulkan1.1".into()),
            error: Some("error: \"x\"".into()),
            clspv: Some(Cost::new(Outcome::Crash, 40.0)),
        };
        let line = serde_json::to_string(&record).unwrap();
        assert!(line.contains(r#""outcome":"invalid""#), "{line}");
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
        assert!(serde_json::from_str::<Record>(r#"{ "id": "p-1" }"#).is_err());
    }
}
