//! Writes the manual's table of suites × devices from the committed baselines.

use super::in_order;
use crate::cts::baseline::Baseline;
use crate::cts::identity::RunInfo;
use crate::cts::results::Status;
use crate::cts::table::{self, Counts};
use crate::{Failure, Outcome};
use std::fmt::Write;
use std::path::Path;

/// The lines before and after the table in the manual's page.
const BEGIN: &str = "<!-- conformance: written by `cargo harness cts report --manual` -->";
const END: &str = "<!-- end of conformance -->";

fn cell(counts: &Counts) -> String {
    let passed = format!("{}/{}", counts.n(Status::Pass), counts.applicable());
    match table::not_passed(counts) {
        bad if bad.is_empty() => passed,
        bad => format!("{passed} ({bad})"),
    }
}

/// Returns the table, followed by a line about each column.
pub(super) fn columns(baselines: &[Baseline]) -> Result<String, Failure> {
    let mut text = String::from("| suite |");
    for b in baselines {
        let device = b
            .info
            .slug()
            .split_once('-')
            .map_or(String::new(), |(_, d)| d.to_owned());
        let platform = match b.info.platform.as_str() {
            "Portable Computing Language" => "PoCL",
            other => other,
        };
        let _ = write!(text, " {platform}, {device} |");
    }
    text += &format!("\n|---|{}\n", "---|".repeat(baselines.len()));
    for suite in in_order(baselines.iter().flat_map(|b| b.suites.keys()))? {
        let _ = write!(text, "| {suite} |");
        for b in baselines {
            let counts = b.suites.get(&suite).map(|s| s.counts(&suite));
            let _ = write!(text, " {} |", counts.map_or(String::from("-"), |c| cell(&c)));
        }
        text.push('\n');
    }
    text += "\nSub-tests passed / applicable; what a suite itself skips on a device is not applicable.\n";
    for b in baselines {
        let mut grounds: Vec<String> = b
            .suites
            .values()
            .map(|s| format!("{} mode, {}", s.mode, s.date))
            .collect();
        grounds.sort();
        grounds.dedup();
        let RunInfo {
            platform,
            device,
            driver,
            cts,
            ..
        } = &b.info;
        let (cts, grounds) = (cts.get(..8).unwrap_or(cts), grounds.join("; "));
        let _ = writeln!(
            text,
            "{platform}: {device}, driver {driver}, CTS {cts} ({grounds})."
        );
    }
    Ok(text)
}

/// Replaces the table between its marks in the manual's page.
pub(super) fn into_manual(page: &Path, baselines: &[Baseline]) -> Outcome {
    let text = std::fs::read_to_string(page)?;
    let Some(new) = replaced(&text, &columns(baselines)?) else {
        return fail!("{} lacks the line «{BEGIN}» or «{END}»", page.display());
    };
    if new == text {
        say!("{} is up to date", page.display());
    } else {
        std::fs::write(page, new)?;
        say!("{}: the table is new", page.display());
    }
    Ok(())
}

fn replaced(text: &str, table: &str) -> Option<String> {
    let (head, rest) = text.split_once(BEGIN)?;
    let (_, tail) = rest.split_once(END)?;
    Some(format!("{head}{BEGIN}\n\n{table}\n{END}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cts::baseline;

    /// The manual shows the committed baselines.
    #[test]
    fn the_manual_is_current() {
        let baselines = baseline::all(&baseline::directory()).unwrap();
        let text = include_str!("../../../../icd/docs/manual/conformance.md");
        let new = replaced(text, &columns(&baselines).unwrap()).expect("the page has the marks");
        assert!(new == text, "run `cargo harness cts report --manual`");
    }
}
