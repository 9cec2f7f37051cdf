//! A run folder: `run.json` describes the run, `results.jsonl` has one line per sub-test, and `logs/`
//! contains their output.
//!
//! A line is written with one call and flushed to the disk before the next result is recorded. Therefore an
//! interruption, and even a crash of the machine, loses at most the results of the sub-tests that were
//! running.

use super::identity::RunInfo;
pub(super) use crate::expectations::Status;
use crate::{Failure, files};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The result of one sub-test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Record {
    /// `suite/subtest`.
    pub(super) name: String,
    pub(super) status: Status,
    #[serde(default)]
    pub(super) seconds: f64,
    /// The cause in one line. It is empty for a pass.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) note: String,
}

impl Record {
    /// Returns a result without a duration and a cause.
    pub(super) fn new(name: &str, status: Status) -> Record {
        Record {
            name: name.to_owned(),
            status,
            seconds: 0.0,
            note: String::new(),
        }
    }

    /// Returns the name of the suite, which precedes the slash.
    pub(super) fn suite(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// Returns the name of the sub-test, which follows the slash.
    pub(super) fn subtest(&self) -> &str {
        self.name.split_once('/').map_or("", |(_, s)| s)
    }
}

/// Results by the name of the sub-test.
pub(super) type Records = BTreeMap<String, Record>;

#[derive(Debug)]
pub(super) struct RunFolder {
    dir: PathBuf,
    results: File,
}

impl RunFolder {
    /// Creates a run folder, or opens it to continue a run. The second value contains the results that the
    /// folder already has. A folder with another device, driver, library, mode or CTS revision is refused.
    pub(super) fn open(dir: &Path, info: &RunInfo) -> Result<(RunFolder, Records), Failure> {
        std::fs::create_dir_all(dir.join("logs"))?;
        if dir.join("run.json").exists() {
            let before = read_info(dir)?;
            if let Some(difference) = before.difference(info) {
                return fail!(
                    "{} cannot be continued: {difference}; name another folder with --out",
                    dir.display()
                );
            }
        } else {
            let text = serde_json::to_string_pretty(info)? + "\n";
            std::fs::write(dir.join("run.json"), text)?;
        }
        remove_scratch(dir);
        let done = read(dir)?;
        let mut results = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(dir.join("results.jsonl"))?;
        end_torn_line(&mut results)?;
        let dir = dir.to_path_buf();
        Ok((RunFolder { dir, results }, done))
    }

    /// Appends one result and flushes it to the disk.
    pub(super) fn append(&mut self, record: &Record) -> Result<(), Failure> {
        let seconds = (record.seconds * 1000.0).round() / 1000.0;
        let line = serde_json::to_string(&Record {
            seconds,
            ..record.clone()
        })?;
        self.results.write_all(format!("{line}\n").as_bytes())?;
        Ok(self.results.sync_data()?)
    }

    pub(super) fn log(&self, name: &str) -> PathBuf {
        log_path(&self.dir, name)
    }

    /// Returns the folder in which invalid SPIR-V modules are kept.
    pub(super) fn modules(&self) -> PathBuf {
        self.dir.join("modules")
    }

    /// Returns the path of a temporary file of a running process. It is removed when the process's sub-tests
    /// are recorded.
    pub(super) fn scratch(&self, number: usize, extension: &str) -> PathBuf {
        self.dir
            .join(format!("running-{}-{number}.{extension}", std::process::id()))
    }
}

/// Removes the temporary files of harness processes that no longer exist.
fn remove_scratch(dir: &Path) {
    for path in files::entries(dir) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let owner = name.strip_prefix("running-").and_then(|n| n.split('-').next());
        if owner.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir_all(&path));
        }
    }
}

/// Ends a line that an interruption has left incomplete, so that the next line does not become a part of it.
fn end_torn_line(results: &mut File) -> Result<(), Failure> {
    if results.metadata()?.len() == 0 {
        return Ok(());
    }
    let mut last = [0];
    results.seek(SeekFrom::End(-1))?;
    results.read_exact(&mut last)?;
    if last != *b"\n" {
        results.write_all(b"\n")?;
    }
    Ok(())
}

/// Returns the path of the log of a sub-test in a run folder.
pub(super) fn log_path(dir: &Path, name: &str) -> PathBuf {
    dir.join("logs").join(format!("{}.log", name.replace('/', "-")))
}

/// Reads the description of the run in a run folder.
pub(super) fn read_info(dir: &Path) -> Result<RunInfo, Failure> {
    let path = dir.join("run.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return fail!("{} is no run folder: it has no run.json", dir.display());
    };
    serde_json::from_str(&text).map_err(|e| failure!("{}: not written by this harness: {e}", path.display()))
}

/// Returns the results in a run folder. If a sub-test has several, the last one counts. An incomplete line is ignored.
pub(super) fn read(dir: &Path) -> Result<Records, Failure> {
    let path = dir.join("results.jsonl");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    // An incomplete line may end within a character.
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let records = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Record>(line).ok());
    Ok(records.map(|r| (r.name.clone(), r)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let info = RunInfo::default();
        let r = |name: &str| Record::new(name, Status::Pass);
        let (mut folder, done) = RunFolder::open(dir, &info).unwrap();
        assert!(done.is_empty());
        folder.append(&r("a/1")).unwrap();
        let path = dir.join("results.jsonl");
        let mut text = std::fs::read(&path).unwrap();
        text.extend(b"{\"name\":\"a/\xc3");
        std::fs::write(&path, text).unwrap();
        let left = dir.join("running-999999999-3.log");
        std::fs::write(&left, "").unwrap();
        let (mut folder, done) = RunFolder::open(dir, &info).unwrap();
        assert_eq!(done.keys().collect::<Vec<_>>(), ["a/1"]);
        assert!(!left.exists());
        folder.append(&r("a/2")).unwrap();
        assert_eq!(read(dir).unwrap().keys().collect::<Vec<_>>(), ["a/1", "a/2"]);

        let other = RunInfo {
            driver: "2".into(),
            ..RunInfo::default()
        };
        let refused = RunFolder::open(dir, &other).unwrap_err();
        assert!(refused.0.contains("driver"), "{refused:?}");
    }
}
