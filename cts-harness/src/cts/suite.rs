//! A CTS build: its programs, its revision, and the sub-tests that each program lists.

use super::rows::{self, How, Row};
use super::{REVISION, conversions, streams};
use crate::Failure;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};

/// A suite of the build: a row and the program that it names.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) row: Row,
    pub(super) program: PathBuf,
    listed: OnceLock<Vec<String>>,
}

/// The contents of a CTS build directory.
pub(super) struct Build {
    /// The suites, in the order of a conformance submission.
    pub(super) suites: Vec<Arc<Suite>>,
    /// The rows whose program was not built.
    pub(super) missing: Vec<Row>,
    /// The revision of the sources, if it can be found.
    pub(super) revision: Option<String>,
}

/// Returns the advice on how to obtain a CTS build.
fn advice() -> String {
    format!(
        "build the Khronos OpenCL CTS (github.com/KhronosGroup/OpenCL-CTS) at revision\n  {}\nas its own README \
         says, outside this repository, and name its build directory with --cts DIR or CALDERA_CTS_DIR",
        REVISION.trim()
    )
}

/// Finds the suites in a build directory.
pub(super) fn open(dir: Option<&Path>) -> Result<Build, Failure> {
    let Some(dir) = dir else {
        return fail!("no CTS build is named: {}", advice());
    };
    if !dir.is_dir() {
        return fail!("{} is no directory: {}", dir.display(), advice());
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
        return fail!("{}: {why}: {}", dir.display(), advice());
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

/// Returns the revision that was built. CMake's cache in the directory or its two nearest ancestors names the
/// sources, and git is asked for their revision.
fn revision(dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    let cache = dir
        .ancestors()
        .take(3)
        .find_map(|d| std::fs::read_to_string(d.join("CMakeCache.txt")).ok())?;
    let sources = cache
        .lines()
        .find_map(|l| l.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="))?;
    let text = crate::package::git(Path::new(sources), &["rev-parse", "HEAD"])?;
    (text.len() == 40).then_some(text)
}

impl Build {
    /// Returns the revision for the records of results: the built revision or, if it is unknown, the expected
    /// revision with a question mark.
    pub(super) fn revision_or_guess(&self) -> String {
        match &self.revision {
            Some(revision) => revision.clone(),
            None => format!("{}?", REVISION.trim()),
        }
    }

    /// Returns a message for the user if the built revision is not the one that the lists were made for.
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
    /// Returns the sub-tests of the suite. `--list` prints one per line after a tab. Suites that are divided
    /// into cases have these cases instead.
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
            .map_err(|e| failure!("{}: {e}", self.program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let list: Vec<String> = text
            .lines()
            .filter_map(|l| l.strip_prefix('\t'))
            .map(|l| l.trim().to_owned())
            .collect();
        if list.is_empty() {
            return fail!(
                "{} --list names no sub-test: {}",
                self.program.display(),
                String::from_utf8_lossy(&output.stderr).trim()
            );
        }
        Ok(self.listed.get_or_init(|| list))
    }
}
