//! Results: one JSON line per sub-test in a run folder, so that nothing is lost by an interruption.

use super::fail;
use super::platform::Identity;
use crate::Failure;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How a sub-test ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Status {
    Pass,
    /// The suite says that it does not apply to this device.
    Skip,
    Fail,
    /// Ended by a signal, or without a result.
    Crash,
    Timeout,
}

impl Status {
    pub(super) const ALL: [Status; 5] = [
        Status::Pass,
        Status::Skip,
        Status::Fail,
        Status::Crash,
        Status::Timeout,
    ];

    /// As it stands in files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Status::Pass => "Pass",
            Status::Skip => "Skip",
            Status::Fail => "Fail",
            Status::Crash => "Crash",
            Status::Timeout => "Timeout",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|s| s.word() == word)
    }
}

/// One result.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Record {
    /// `suite/subtest`.
    pub(super) name: String,
    pub(super) status: Status,
    pub(super) seconds: f64,
}

/// A folder with `identity.json`, `results.jsonl` and `logs/`.
pub(super) struct RunFolder {
    dir: PathBuf,
    results: File,
}

impl RunFolder {
    /// Creates a folder, or resumes one: the second value is what it has already. A folder of another device,
    /// driver or CTS revision is refused.
    pub(super) fn open(
        dir: &Path,
        identity: &Identity,
    ) -> Result<(RunFolder, BTreeMap<String, Record>), Failure> {
        std::fs::create_dir_all(dir.join("logs"))?;
        let about = dir.join("identity.json");
        if about.exists() {
            let before = read_identity(dir)?;
            if before != *identity {
                return fail(format!(
                    "{} holds results of {before:?}, not of {identity:?}",
                    dir.display()
                ));
            }
        } else {
            let value = json!({ "platform": identity.platform, "device": identity.device, "driver": identity.driver,
                "cts": super::REVISION.trim() });
            std::fs::write(about, format!("{value:#}\n"))?;
        }
        let done = read(dir)?;
        let results = OpenOptions::new()
            .create(true)
            .append(true)
            .open(dir.join("results.jsonl"))?;
        Ok((
            RunFolder {
                dir: dir.to_path_buf(),
                results,
            },
            done,
        ))
    }

    /// Appends one result.
    pub(super) fn append(&mut self, record: &Record) -> Result<(), Failure> {
        let line = json!({ "name": record.name, "status": record.status.word(), "seconds": record.seconds });
        // One write, so that an interruption cannot leave half a line before another one.
        Ok(self.results.write_all(format!("{line}\n").as_bytes())?)
    }

    /// Where the output of a sub-test goes.
    pub(super) fn log(&self, name: &str) -> PathBuf {
        self.dir
            .join("logs")
            .join(format!("{}.log", name.replace('/', "-")))
    }
}

/// Whose results a folder holds.
pub(super) fn read_identity(dir: &Path) -> Result<Identity, Failure> {
    let value: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("identity.json"))?)?;
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    if text("cts") != super::REVISION.trim() {
        return fail(format!(
            "{} was made with CTS revision {}",
            dir.display(),
            text("cts")
        ));
    }
    Ok(Identity {
        platform: text("platform"),
        device: text("device"),
        driver: text("driver"),
    })
}

/// The results of a folder by name; the last one counts. A torn last line is passed over.
pub(super) fn read(dir: &Path) -> Result<BTreeMap<String, Record>, Failure> {
    let path = dir.join("results.jsonl");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let mut all = BTreeMap::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let (Some(name), Some(status)) = (
            value["name"].as_str(),
            value["status"].as_str().and_then(Status::parse),
        ) else {
            continue;
        };
        let seconds = value["seconds"].as_f64().unwrap_or(0.0);
        all.insert(
            name.to_owned(),
            Record {
                name: name.to_owned(),
                status,
                seconds,
            },
        );
    }
    Ok(all)
}
