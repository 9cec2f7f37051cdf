//! What became of one unit, and its form as a line of JSON.

use crate::Failure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// How compiling a unit ended; the later, the worse.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Outcome {
    /// Compiled, and valid for every environment asked for.
    Accepted,
    /// The compiler says that the program is wrong, or that it cannot do it.
    Rejected,
    /// `spirv-val` refuses the module.
    Invalid,
    /// A signal, or an internal error of the compiler.
    Crash,
    Timeout,
}

impl Outcome {
    pub(super) const ALL: [Outcome; 5] = [
        Outcome::Accepted,
        Outcome::Rejected,
        Outcome::Invalid,
        Outcome::Crash,
        Outcome::Timeout,
    ];

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

    /// As an index of a corpus says it.
    pub(super) fn of_index(word: &str) -> Outcome {
        match word {
            "yes" => Outcome::Accepted,
            "crash" => Outcome::Crash,
            "timeout" => Outcome::Timeout,
            _ => Outcome::Rejected,
        }
    }
}

/// An outcome and what it cost.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Cost {
    pub(super) outcome: Outcome,
    /// Milliseconds of CPU.
    pub(super) ms: f64,
    /// Bytes of the largest resident set, where it was measured.
    pub(super) peak: Option<u64>,
}

/// One unit's line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Record {
    pub(super) id: String,
    pub(super) project: String,
    pub(super) cost: Cost,
    /// Where it was not accepted: the environment.
    pub(super) env: Option<String>,
    /// The first line of the log that tells why not.
    pub(super) error: Option<String>,
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

/// Writes the records, a line each.
pub(super) fn write(file: &Path, records: &[Record]) -> Result<(), Failure> {
    let text: String = records.iter().map(|r| format!("{}\n", r.json())).collect();
    std::fs::write(file, text).map_err(|e| Failure(format!("{}: {e}", file.display())))
}

/// Reads what [`write()`] wrote.
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
