//! The suites of a CTS build: executables, and the sub-tests that each lists.

use super::fail;
use crate::Failure;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// One executable of the CTS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Suite {
    /// Without `test_`.
    pub(super) name: String,
    pub(super) program: PathBuf,
}

/// Finds the suites below a directory, sorted by name.
pub(super) fn find(dir: &Path) -> Result<Vec<Suite>, Failure> {
    let mut suites = Vec::new();
    walk(dir, 0, &mut suites);
    suites.sort_by(|a, b| a.name.cmp(&b.name));
    if suites.is_empty() {
        return fail(format!(
            "no CTS executable (test_*) below {}: build the OpenCL CTS at revision {} as its README says and name \
             its build directory with --cts or CALDERA_CTS_DIR",
            dir.display(),
            super::REVISION.trim()
        ));
    }
    Ok(suites)
}

fn walk(dir: &Path, depth: usize, suites: &mut Vec<Suite>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for path in entries.flatten().map(|e| e.path()) {
        let Some(file) = path.file_name().and_then(|n| n.to_str()) else {
            continue;
        };
        if path.is_dir() {
            if depth < 6 && file != "CMakeFiles" {
                walk(&path, depth + 1, suites);
            }
        } else if let Some(name) = file.strip_prefix("test_") {
            let executable = path.metadata().is_ok_and(|m| m.permissions().mode() & 0o111 != 0);
            if executable && !name.contains('.') {
                suites.push(Suite {
                    name: name.to_owned(),
                    program: path.clone(),
                });
            }
        }
    }
}

impl Suite {
    /// The sub-tests that `--list` prints, one a line behind a tab.
    pub(super) fn subtests(&self) -> Result<Vec<String>, Failure> {
        let output = Command::new(&self.program)
            .arg("--list")
            .stdin(Stdio::null())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let list: Vec<String> = text
            .lines()
            .filter_map(|l| l.strip_prefix('\t'))
            .map(|l| l.trim().to_owned())
            .collect();
        if list.is_empty() {
            fail(format!("{} --list names no sub-test", self.program.display()))
        } else {
            Ok(list)
        }
    }
}
