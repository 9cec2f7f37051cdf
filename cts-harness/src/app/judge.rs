//! What an application's end and output come to.

use super::table::{App, Results};
use crate::child::End;
use std::collections::BTreeMap;
use std::time::Duration;

/// How a check ended; the later, the worse.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Status {
    Pass,
    /// The application itself leaves it out.
    Skip,
    Fail,
    Crash,
    Timeout,
}

impl Status {
    const ALL: [Status; 5] = [
        Status::Pass,
        Status::Skip,
        Status::Fail,
        Status::Crash,
        Status::Timeout,
    ];

    pub(super) fn word(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Skip => "skip",
            Status::Fail => "fail",
            Status::Crash => "crash",
            Status::Timeout => "timeout",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|s| s.word() == word)
    }

    pub(super) fn is_good(self) -> bool {
        matches!(self, Status::Pass | Status::Skip)
    }
}

/// An application's checks: itself under its own name, and `name/check` for each result of its own.
#[derive(PartialEq, Debug, Default)]
pub(super) struct Verdict {
    pub(super) checks: BTreeMap<String, Status>,
    /// Why the application as a whole did not pass.
    pub(super) why: Option<String>,
}

impl Verdict {
    /// How many checks ended like this, the application itself not counted where it has results of its own.
    pub(super) fn count(&self, status: Status) -> usize {
        let whole = self.checks.len() == 1;
        let counted = self.checks.iter().filter(|(name, _)| whole || name.contains('/'));
        counted.filter(|(_, s)| **s == status).count()
    }
}

/// Judges a run.
pub(super) fn judge(app: &App, end: End, limit: Duration, output: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let (status, why) = whole(app, end, limit, output);
    if let Some(results) = app.judge.results {
        let found = match results {
            Results::Pytest => pytest(output),
        };
        verdict.checks.extend(
            found
                .into_iter()
                .map(|(name, s)| (format!("{}/{name}", app.name), s)),
        );
    }
    // Failures that are told one by one need not be told twice.
    let told = matches!(end, End::Code(1)) && verdict.checks.values().any(|s| !s.is_good());
    let status = if told { Status::Pass } else { status };
    verdict.checks.insert(app.name.clone(), status);
    verdict.why = why.filter(|_| !told);
    verdict
}

fn whole(app: &App, end: End, limit: Duration, output: &str) -> (Status, Option<String>) {
    let fail = |why: String| (Status::Fail, Some(why));
    match end {
        End::Timeout => {
            return (
                Status::Timeout,
                Some(format!("no end after {} s", limit.as_secs())),
            );
        }
        End::Flood => return (Status::Crash, Some("it wrote without end".into())),
        End::Interrupted => return fail("interrupted".into()),
        End::Signal(n) => return (Status::Crash, Some(format!("ended by signal {n}"))),
        End::Code(code) if code != app.judge.exit => {
            let last = output
                .lines()
                .rev()
                .find(|l| !l.trim().is_empty())
                .unwrap_or_default();
            return fail(format!(
                "exit code {code}, not {}: {}",
                app.judge.exit,
                last.trim()
            ));
        }
        End::Code(_) => {}
    }
    if let Some(text) = app.judge.contains.iter().find(|t| !output.contains(*t)) {
        return fail(format!("its output lacks «{text}»"));
    }
    if let Some(text) = app.judge.absent.iter().find(|t| output.contains(*t)) {
        let line = output.lines().find(|l| l.contains(text.as_str())).unwrap_or(text);
        return fail(format!("its output has «{}»", line.trim()));
    }
    (Status::Pass, None)
}

/// Results of `pytest -v` by test; of a test with parameters the worst. The test that ran last has no result if it took
/// the process with it.
fn pytest(output: &str) -> BTreeMap<String, Status> {
    let mut all: BTreeMap<String, Status> = BTreeMap::new();
    // Behind the results come sections (failures, warnings, a summary) that name tests again.
    let sections = |line: &&str| line.starts_with("=====") && !line.contains(" test session starts ");
    for line in output.lines().take_while(|l| !sections(l)) {
        let Some((file, rest)) = line.split_once("::") else {
            continue;
        };
        if file.contains(' ') || !file.ends_with(".py") {
            continue;
        }
        let rest = rest.trim_end();
        let rest = match rest.rsplit_once('[') {
            Some((head, percent)) if percent.ends_with("%]") => head.trim_end(),
            _ => rest,
        };
        let result = [
            ("PASSED", Status::Pass),
            ("XFAIL", Status::Pass),
            ("SKIPPED", Status::Skip),
            ("FAILED", Status::Fail),
            ("XPASS", Status::Fail),
            ("ERROR", Status::Fail),
        ];
        let status = result
            .into_iter()
            .find(|(word, _)| has_word(rest, word))
            .map_or(Status::Crash, |(_, status)| status);
        let test = rest.split(['[', ' ']).next().unwrap_or(rest);
        let entry = all.entry(format!("{file}::{test}")).or_insert(status);
        *entry = match (*entry, status) {
            (Status::Skip, other) | (other, Status::Skip) => other,
            (a, b) => a.max(b),
        };
    }
    all
}

/// Whether a result stands behind the name: at the end, or before a reason in brackets.
fn has_word(rest: &str, word: &str) -> bool {
    rest.ends_with(&format!(" {word}")) || rest.contains(&format!(" {word} ("))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::table::Judge;

    const LIMIT: Duration = Duration::from_secs(5);

    fn app(judge: Judge) -> App {
        App {
            name: "x".into(),
            about: String::new(),
            needs: vec![],
            paths: BTreeMap::new(),
            environment: BTreeMap::new(),
            directory: None,
            prepare: vec![],
            command: vec!["x".into()],
            timeout: 5,
            judge,
        }
    }

    #[test]
    fn end_and_text_are_judged() {
        let judge_text = |end, text: &str| {
            let plain = app(Judge {
                contains: vec!["devices".into()],
                absent: vec!["CL_INVALID".into()],
                ..Judge::default()
            });
            judge(&plain, end, LIMIT, text).checks["x"]
        };
        assert_eq!(judge_text(End::Code(0), "2 devices"), Status::Pass);
        assert_eq!(judge_text(End::Code(0), "nothing"), Status::Fail);
        assert_eq!(
            judge_text(End::Code(0), "devices: CL_INVALID_VALUE"),
            Status::Fail
        );
        assert_eq!(judge_text(End::Code(1), "2 devices"), Status::Fail);
        assert_eq!(judge_text(End::Signal(11), "2 devices"), Status::Crash);
        assert_eq!(judge_text(End::Timeout, "2 devices"), Status::Timeout);
    }

    const VERBOSE: &str = "\
===== test session starts =====
test_a.py::test_one[<factory for 'llvmpipe (LLVM 15)'>] PASSED     [  1%]
test_a.py::test_two[a-float32] PASSED [ 20%]
test_a.py::test_two[b-float64] FAILED [ 30%]
test_a.py::test_three SKIPPED (no images) [ 40%]
test_a.py::test_four XFAIL (known) [ 50%]
===== warnings summary =====
test_a.py::test_one[<factory for 'llvmpipe (LLVM 15)'>]
  somewhere
===== short test summary info =====
FAILED test_a.py::test_two[b-float64] - AssertionError: a::b
E       module.py::thing
";

    #[test]
    fn pytests_results_are_merged_by_test() {
        let all = pytest(VERBOSE);
        let status = |name: &str| all[&format!("test_a.py::{name}")];
        assert_eq!(all.len(), 4, "{all:?}");
        assert_eq!(
            (status("test_one"), status("test_two")),
            (Status::Pass, Status::Fail)
        );
        assert_eq!(
            (status("test_three"), status("test_four")),
            (Status::Skip, Status::Pass)
        );
    }

    #[test]
    fn a_test_without_a_result_crashed() {
        let results = app(Judge {
            results: Some(Results::Pytest),
            ..Judge::default()
        });
        let text =
            "test_a.py::test_one PASSED [  1%]\ntest_a.py::test_two Fatal Python error: Segmentation fault\n";
        let verdict = judge(&results, End::Signal(11), LIMIT, text);
        assert_eq!(verdict.checks["x/test_a.py::test_two"], Status::Crash);
        assert_eq!(verdict.checks["x"], Status::Crash);
        let verdict = judge(&results, End::Code(1), LIMIT, VERBOSE);
        assert_eq!((verdict.checks["x"], verdict.why.is_none()), (Status::Pass, true));
        assert_eq!((verdict.count(Status::Pass), verdict.count(Status::Fail)), (2, 1));
        // An error that no test tells of is the application's.
        assert_eq!(
            judge(&results, End::Code(4), LIMIT, "usage").checks["x"],
            Status::Fail
        );
    }
}
