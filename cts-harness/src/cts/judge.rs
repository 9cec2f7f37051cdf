//! Judges the sub-tests of a process by its result file, by the lines that it writes, and by how it ends.

use super::results::Status;
use crate::child::End;
use serde_json::Value;
use std::time::Instant;

/// The state of a sub-test in a running process.
#[derive(Clone, Debug)]
struct Seen {
    name: String,
    /// The line of the log on which the sub-test began.
    first_line: Option<usize>,
    begun: Option<Instant>,
    ended: Option<Instant>,
    said: Option<Status>,
}

/// Follows the progress of a process by its lines «name...», «name passed», «name FAILED», «name test not
/// supported» and «name skipped (…».
#[derive(Debug)]
pub(super) struct Progress {
    all: Vec<Seen>,
    lines: usize,
    current: Option<usize>,
}

/// The judgement on one sub-test after its process has ended.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Verdict {
    pub(super) status: Status,
    pub(super) note: String,
}

impl Verdict {
    /// Adds a complaint of a check, one of `of`. A sub-test that passed or was skipped becomes a failure.
    pub(super) fn add_message(&mut self, message: &str, of: usize) {
        if !self.status.is_bad() {
            self.status = Status::Fail;
            self.note = format!("{message} (1 of {of})");
        }
    }
}

impl Progress {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Progress {
        let all = names
            .map(|name| Seen {
                name: name.to_owned(),
                first_line: None,
                begun: None,
                ended: None,
                said: None,
            })
            .collect();
        Progress {
            all,
            lines: 0,
            current: None,
        }
    }

    /// Returns the index of the sub-test that runs.
    pub(super) fn current(&self) -> Option<usize> {
        self.current
    }

    /// Returns the seconds that a sub-test has taken, or `None` if no line said that it began.
    pub(super) fn seconds(&self, index: usize) -> Option<f64> {
        let seen = &self.all[index];
        let end = seen.ended.unwrap_or_else(Instant::now);
        seen.begun.map(|b| end.duration_since(b).as_secs_f64())
    }

    /// Returns the range of log lines that belong to a sub-test: its first line, and the first line of the
    /// next sub-test.
    pub(super) fn span(&self, index: usize) -> Option<(usize, usize)> {
        let first = self.all[index].first_line?;
        let starts = self.all.iter().filter_map(|s| s.first_line);
        Some((first, starts.filter(|l| *l > first).min().unwrap_or(usize::MAX)))
    }

    fn end_current(&mut self) {
        if let Some(seen) = self.current.take().map(|i| &mut self.all[i]) {
            seen.ended.get_or_insert_with(Instant::now);
        }
    }

    /// Reads a line of the process's output. Returns whether a new sub-test began with this line.
    pub(super) fn line(&mut self, text: &str) -> bool {
        self.lines += 1;
        if let Some(name) = text.strip_suffix("...")
            && let Some(index) = self.all.iter().position(|s| s.name == name && s.begun.is_none())
        {
            self.end_current();
            self.current = Some(index);
            self.all[index].begun = Some(Instant::now());
            self.all[index].first_line = Some(self.lines - 1);
            return true;
        }
        let Some(seen) = self.current.map(|i| &mut self.all[i]) else {
            return false;
        };
        let said = match text.strip_prefix(seen.name.as_str()) {
            Some(" passed") => Status::Pass,
            Some(" FAILED") => Status::Fail,
            Some(" test not supported") => Status::Skip,
            Some(rest) if rest.starts_with(" skipped (requires") => Status::Skip,
            _ => return false,
        };
        seen.said = Some(said);
        seen.ended = Some(Instant::now());
        false
    }
}

/// Returns the verdict on a sub-test that ran alone in its process, or `None` if it was interrupted. A
/// sub-test whose process dies from a signal after it has written its result counts as crashed.
pub(super) fn alone(end: End, results: Option<&str>, subtest: &str) -> Option<Verdict> {
    let verdict = |status, note: String| Some(Verdict { status, note });
    let result = result(results, subtest);
    let code = match end {
        End::Interrupted => return None,
        End::Timeout => return verdict(Status::Timeout, String::new()),
        End::Flood => return verdict(Status::Crash, end.to_string()),
        End::Signal(signal) => {
            let after = if result.is_some() { " after its result" } else { "" };
            return verdict(Status::Crash, format!("{}{after}", signal_name(signal)));
        }
        End::Code(code) => code,
    };
    match result {
        Some(Status::Pass) if code == 0 => verdict(Status::Pass, String::new()),
        Some(Status::Pass) => verdict(Status::Fail, format!("passed, but exit status {code}")),
        Some(status) => verdict(status, String::new()),
        None => verdict(Status::Crash, format!("no result, exit status {code}")),
    }
}

/// Returns the verdict on one of several sub-tests of a process. A sub-test without a verdict is run again
/// alone.
pub(super) fn among(end: End, results: Option<&str>, progress: &Progress, index: usize) -> Option<Verdict> {
    let seen = &progress.all[index];
    let orderly = matches!(end, End::Code(_));
    let status = match result(results, &seen.name) {
        Some(status) if orderly => Some(status),
        // The process died after all sub-tests had ended. Each runs again alone, to find the one that causes
        // this.
        Some(_) => None,
        None => seen.said,
    };
    if let Some(status) = status {
        let note = String::new();
        return Some(Verdict { status, note });
    }
    let hangs = matches!(end, End::Timeout) && progress.current == Some(index);
    hangs.then(|| Verdict {
        status: Status::Timeout,
        note: String::new(),
    })
}

/// Returns the result of a sub-test in the result file.
fn result(results: Option<&str>, subtest: &str) -> Option<Status> {
    let value: Value = serde_json::from_str(results?).ok()?;
    match value["results"][subtest].as_str()? {
        "pass" => Some(Status::Pass),
        "skip" => Some(Status::Skip),
        _ => Some(Status::Fail),
    }
}

fn signal_name(signal: i32) -> String {
    match nix::sys::signal::Signal::try_from(signal) {
        Ok(known) => known.as_str().to_owned(),
        Err(_) => format!("signal {signal}"),
    }
}

/// Returns the line of a log that best explains a failure.
pub(super) fn telling_line(log: &str) -> String {
    const SIGNS: [&str; 5] = ["ERROR", "rror:", "FAIL", "failed", "mismatch"];
    let lines = || log.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines()
        .find(|l| SIGNS.iter().any(|s| l.contains(s)))
        .or_else(|| lines().next_back())
        .unwrap_or_default();
    // The location of the CTS's sources on this machine is removed.
    let line = match line.split_once("/test_conformance/") {
        Some((head, tail)) => {
            let path = head.rfind(char::is_whitespace).map_or(0, |i| i + 1);
            format!("{}{tail}", &head[..path])
        }
        None => line.to_owned(),
    };
    let mut short: String = line.chars().filter(|c| !c.is_control()).take(160).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(results: &[(&str, &str)]) -> String {
        let all: Vec<String> = results.iter().map(|(n, r)| format!("\"{n}\": \"{r}\"")).collect();
        format!("{{\"results\": {{{}}}}}", all.join(","))
    }

    #[test]
    fn judgement_needs_exit_status_and_result() {
        let status = |end: End, results: Option<&str>| alone(end, results, "if").map(|v| v.status);
        let one = |r: &str| file(&[("if", r)]);
        assert_eq!(status(End::Code(0), Some(&one("pass"))), Some(Status::Pass));
        assert_eq!(status(End::Code(1), Some(&one("pass"))), Some(Status::Fail));
        assert_eq!(status(End::Code(0), Some(&one("skip"))), Some(Status::Skip));
        assert_eq!(status(End::Code(1), Some(&one("fail"))), Some(Status::Fail));
        assert_eq!(status(End::Code(1), None), Some(Status::Crash));
        assert_eq!(status(End::Code(0), Some("{ torn")), Some(Status::Crash));
        assert_eq!(status(End::Signal(11), Some(&one("pass"))), Some(Status::Crash));
        assert_eq!(status(End::Timeout, None), Some(Status::Timeout));
        assert_eq!(status(End::Interrupted, None), None);
    }

    #[test]
    fn a_group_that_dies_keeps_what_was_finished() {
        let mut p = Progress::new(["a", "b", "c", "d"].into_iter());
        for line in ["a...", "a passed", "b...", "ERROR: x", "b FAILED", "c...", "boo"] {
            p.line(line);
        }
        let status = |end: End, i| among(end, None, &p, i).map(|v| v.status);
        let crash = End::Signal(11);
        assert_eq!(status(crash, 0), Some(Status::Pass));
        assert_eq!(status(crash, 1), Some(Status::Fail));
        assert_eq!(status(crash, 2), None);
        assert_eq!(status(crash, 3), None);
        assert_eq!(status(End::Timeout, 2), Some(Status::Timeout));
        assert_eq!(status(End::Timeout, 3), None);
        assert_eq!(p.span(1), Some((2, 5)));
        assert_eq!(p.span(3), None);
        // The result file names all sub-tests, so the process died at its very end.
        let all = file(&[("a", "pass"), ("b", "fail"), ("c", "pass"), ("d", "pass")]);
        assert_eq!(among(crash, Some(&all), &p, 0), None);
        assert_eq!(
            among(End::Code(1), Some(&all), &p, 3).unwrap().status,
            Status::Pass
        );
    }

    #[test]
    fn the_telling_line() {
        assert_eq!(telling_line("a\nERROR: b\nc\n"), "ERROR: b");
        assert_eq!(telling_line("a\nlast\n\n"), "last");
        assert_eq!(telling_line(""), "");
        let line = "CL ERROR: /a/b/test_conformance/basic/x.cpp 220: bad";
        assert_eq!(telling_line(line), "CL ERROR: basic/x.cpp 220: bad");
    }
}
