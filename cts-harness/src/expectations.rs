//! Results, and files of expected results. Each line has an entry and the reason for it, which somebody has checked:
//! `entry  # reason`. The lines are sorted.

use crate::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// The result of a test. Except for `Excluded`, a later variant is worse.
#[derive(
    Copy,
    Clone,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Debug,
    EnumString,
    IntoStaticStr,
    VariantArray,
    Serialize,
    Deserialize,
)]
#[strum(ascii_case_insensitive)]
pub(crate) enum Status {
    Pass,
    /// The test says that it does not apply to this device.
    Skip,
    Fail,
    /// The process was ended by a signal, or wrote no result.
    Crash,
    Timeout,
    /// The test was not run, because it is on the device's list of skips.
    Excluded,
}

impl Status {
    /// Returns the name of the variant.
    pub(crate) fn word(self) -> &'static str {
        self.into()
    }

    pub(crate) fn lower(self) -> String {
        self.word().to_lowercase()
    }

    /// Returns whether the status is `Fail`, `Crash` or `Timeout`.
    pub(crate) fn is_bad(self) -> bool {
        match self {
            Status::Fail | Status::Crash | Status::Timeout => true,
            Status::Pass | Status::Skip | Status::Excluded => false,
        }
    }
}

/// Splits a line into the entry and its reason. Blank lines and comment lines give `None`.
fn entry<'a>(file: &Path, line: &'a str) -> Result<Option<(&'a str, &'a str)>, Failure> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    match line.split_once('#') {
        Some((what, reason)) if !reason.trim().is_empty() => Ok(Some((what.trim(), reason.trim()))),
        _ => fail!("{}: «{line}» has no reason", file.display()),
    }
}

/// Returns the entries of a file with their reasons. A missing file has no entries. A file that is not
/// sorted, or an entry without a reason, is an error.
pub(crate) fn lines(file: &Path) -> Result<Vec<(String, String)>, Failure> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for line in text.lines() {
        if let Some((what, reason)) = entry(file, line)? {
            all.push((what.to_owned(), reason.to_owned()));
        }
    }
    if !all.is_sorted_by(|a, b| a.0 < b.0) {
        return fail!("{} is not sorted, or has an entry twice", file.display());
    }
    Ok(all)
}

/// Writes a file. It cannot be read until every entry has a reason.
pub(crate) fn write(file: &Path, entries: &BTreeMap<String, String>) -> Result<(), Failure> {
    let line =
        |(what, reason): (&String, &String)| format!("{what}  # {reason}").trim_end().to_owned() + "\n";
    crate::files::write(file, entries.iter().map(line).collect::<String>())
}

/// Returns why a result is not as expected, if it is not. `word` is how the files name a status.
pub(crate) fn surprise(
    (status, note): (Status, &str),
    expected: Option<Status>,
    word: impl Fn(Status) -> String,
) -> Option<String> {
    let is = word(status);
    match (expected.map(|e| (e, word(e))), status.is_bad()) {
        (Some((expected, _)), _) if expected == status => None,
        (None, false) => None,
        (None, true) => Some(format!("{is}, not expected  {note}").trim_end().to_owned()),
        (Some((_, expected)), false) => Some(format!("{is}, expected {expected}: take it off the list")),
        (Some((_, expected)), true) => {
            Some(format!("{is}, expected {expected}  {note}").trim_end().to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_needs_a_reason() {
        let file = Path::new("x");
        assert!(entry(file, "basic/if,Fail").is_err());
        assert!(entry(file, "basic/if,Fail  # ").is_err());
        assert_eq!(
            entry(file, "basic/if,Fail  # issue 8: images").unwrap(),
            Some(("basic/if,Fail", "issue 8: images"))
        );
        assert_eq!(entry(file, "# images").unwrap(), None);
    }
}
