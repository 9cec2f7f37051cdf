//! The record of a unit, which is one line of JSON.

use crate::Failure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The outcome of compiling a unit. A later variant is worse.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
    /// All outcomes, from the best to the worst.
    pub(super) const ALL: [Outcome; 5] = [
        Outcome::Accepted,
        Outcome::Rejected,
        Outcome::Invalid,
        Outcome::Crash,
        Outcome::Timeout,
    ];

    /// Returns the word for the outcome in a record.
    pub(super) fn word(self) -> &'static str {
        match self {
            Outcome::Accepted => "accepted",
            Outcome::Rejected => "rejected",
            Outcome::Invalid => "invalid",
            Outcome::Crash => "crash",
            Outcome::Timeout => "timeout",
        }
    }

    fn parse(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|o| o.word() == word)
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

/// An outcome and its cost.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Cost {
    pub(super) outcome: Outcome,
    /// The CPU time in milliseconds.
    pub(super) ms: f64,
    /// The maximum resident set size in bytes, if it was measured.
    pub(super) peak: Option<u64>,
}

/// The record of one unit.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) project: String,
    pub(super) cost: Cost,
    /// The first environment that did not accept the unit, if there was one.
    pub(super) env: Option<String>,
    /// The line of the log that gives the reason.
    pub(super) error: Option<String>,
    /// The outcome and the cost of clspv, if it was measured.
    pub(super) clspv: Option<Cost>,
}

impl Cost {
    fn json(&self) -> Value {
        json!({ "outcome": self.outcome.word(), "ms": self.ms, "peak": self.peak })
    }

    fn read(v: &Value) -> Option<Cost> {
        Some(Cost {
            outcome: Outcome::parse(v["outcome"].as_str()?)?,
            ms: v["ms"].as_f64()?,
            peak: v["peak"].as_u64(),
        })
    }
}

impl Record {
    pub(super) fn json(&self) -> Value {
        let mut v = self.cost.json();
        v["id"] = json!(self.id);
        v["project"] = json!(self.project);
        v["env"] = json!(self.env);
        v["error"] = json!(self.error);
        v["clspv"] = self.clspv.as_ref().map_or(Value::Null, Cost::json);
        v
    }

    fn read(v: &Value) -> Option<Record> {
        let text = |name: &str| v[name].as_str().map(str::to_owned);
        Some(Record {
            id: text("id")?,
            project: text("project")?,
            cost: Cost::read(v)?,
            env: text("env"),
            error: text("error"),
            clspv: Cost::read(&v["clspv"]),
        })
    }
}

/// Writes the records, one per line.
pub(super) fn write(file: &Path, records: &[Record]) -> Result<(), Failure> {
    let text: String = records.iter().map(|r| format!("{}\n", r.json())).collect();
    std::fs::write(file, text).map_err(|e| Failure(format!("{}: {e}", file.display())))
}

/// Reads the records that [`write()`] has written. The keys of the result are the ids of the units.
pub(super) fn read(file: &Path) -> Result<BTreeMap<String, Record>, Failure> {
    let wrong = |why: String| Failure(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| wrong(e.to_string()))?;
    let mut all = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let value = serde_json::from_str(line).ok();
        let Some(record) = value.as_ref().and_then(Record::read) else {
            return Err(wrong(format!("line {} is not a record of a unit", n + 1)));
        };
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
                outcome: Outcome::Invalid,
                ms: 1.25,
                peak: Some(5 << 20),
            },
            env: Some("vulkan1.1".into()),
            error: Some("error: \"x\"".into()),
            clspv: Some(Cost {
                outcome: Outcome::Crash,
                ms: 40.0,
                peak: None,
            }),
        };
        assert_eq!(Record::read(&record.json()), Some(record));
        assert_eq!(Record::read(&json!({ "id": "p-1" })), None);
    }
}
