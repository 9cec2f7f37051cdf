//! A CTS build: its programs, its revision, and the sub-tests that each program lists.

use super::rows::{self, How, Row};
use super::{REVISION, conversions, fail, streams};
use crate::Failure;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// One suite of the build: a row and the program that it names.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) row: Row,
    pub(super) program: PathBuf,
    listed: OnceLock<Vec<String>>,
}

/// What a CTS build directory holds.
pub(super) struct Build {
    /// In the order of a submission.
    pub(super) suites: Vec<Arc<Suite>>,
    /// Rows whose program was not built.
    pub(super) missing: Vec<Row>,
    /// Revision of the sources, where the build directory tells.
    pub(super) revision: Option<String>,
}

/// What to do to get a CTS.
fn advice() -> String {
    format!(
        "build the Khronos OpenCL CTS (github.com/KhronosGroup/OpenCL-CTS) at revision\n  {}\nas its own README \
         says, outside this repository, and name its build directory with --cts DIR or CALDERA_CTS_DIR",
        REVISION.trim()
    )
}

/// Looks a build directory through.
pub(super) fn open(dir: Option<&Path>) -> Result<Build, Failure> {
    let Some(dir) = dir else {
        return fail(format!("no CTS build is named: {}", advice()));
    };
    if !dir.is_dir() {
        return fail(format!("{} is no directory: {}", dir.display(), advice()));
    }
    let mut programs = BTreeMap::new();
    walk(dir, 0, &mut programs);
    if programs.is_empty() {
        let sources = dir.join("test_conformance/CMakeLists.txt").exists();
        let why = if sources {
            "these are the sources; the directory of the build is wanted"
        } else {
            "no test_* program is below it"
        };
        return fail(format!("{}: {why}: {}", dir.display(), advice()));
    }
    let (mut suites, mut missing) = (Vec::new(), Vec::new());
    let rows = rows::rows()?;
    let unlisted: Vec<Row> = programs
        .keys()
        .filter(|p| rows.iter().all(|r| r.program != **p))
        .map(|p| Row::unlisted(p))
        .collect();
    for row in rows.into_iter().chain(unlisted) {
        match programs.get(&row.program) {
            Some(program) => suites.push(Arc::new(Suite {
                row,
                program: program.clone(),
                listed: OnceLock::new(),
            })),
            None => missing.push(row),
        }
    }
    Ok(Build {
        suites,
        missing,
        revision: revision(dir),
    })
}

fn walk(dir: &Path, depth: usize, programs: &mut BTreeMap<String, PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()) {
        let Some(file) = path.file_name().and_then(|n| n.to_str()) else {
            continue;
        };
        if path.is_dir() {
            if depth < 6 && file != "CMakeFiles" {
                walk(&path, depth + 1, programs);
            }
        } else if file.starts_with("test_") && !file.contains('.') {
            let executable = path.metadata().is_ok_and(|m| m.permissions().mode() & 0o111 != 0);
            if executable {
                programs.insert(file.to_owned(), path.clone());
            }
        }
    }
}

/// The revision that was built: git's answer for the sources that CMake's cache names, in the directory itself or
/// above it.
fn revision(dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    let cache = dir
        .ancestors()
        .take(3)
        .find_map(|d| std::fs::read_to_string(d.join("CMakeCache.txt")).ok())?;
    let sources = cache
        .lines()
        .find_map(|l| l.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="))?;
    let output = Command::new("git")
        .args(["-C", sources, "rev-parse", "HEAD"])
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (text.len() == 40).then(|| text.to_owned())
}

impl Build {
    /// What results are recorded with: the built revision, or the expected one with a question mark.
    pub(super) fn revision_or_guess(&self) -> String {
        match &self.revision {
            Some(revision) => revision.clone(),
            None => format!("{}?", REVISION.trim()),
        }
    }

    /// A line for the user if the revision is not the one that the lists were made for.
    pub(super) fn complaint(&self) -> Option<String> {
        let expected = REVISION.trim();
        match &self.revision {
            Some(r) if r == expected => None,
            Some(r) => Some(format!(
                "the CTS was built from {r}; lists and expectations are made for {expected}"
            )),
            None => Some(format!(
                "the revision of this CTS build cannot be told; {expected} is expected"
            )),
        }
    }
}

impl Suite {
    /// The sub-tests that `--list` prints, one a line behind a tab, or the cases that we make of the suite.
    pub(super) fn subtests(&self) -> Result<&[String], Failure> {
        if let Some(list) = self.listed.get() {
            return Ok(list);
        }
        match self.row.how {
            How::Pairs => return Ok(self.listed.get_or_init(conversions::pairs)),
            How::Streams => return Ok(self.listed.get_or_init(streams::cases)),
            How::Group | How::Single | How::Whole | How::Alone => {}
        }
        let output = Command::new(&self.program)
            .arg("--list")
            .stdin(Stdio::null())
            .output()
            .map_err(|e| Failure(format!("{}: {e}", self.program.display())))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let list: Vec<String> = text
            .lines()
            .filter_map(|l| l.strip_prefix('\t'))
            .map(|l| l.trim().to_owned())
            .collect();
        if list.is_empty() {
            return fail(format!(
                "{} --list names no sub-test: {}",
                self.program.display(),
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
        Ok(self.listed.get_or_init(|| list))
    }
}
