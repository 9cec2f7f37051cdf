//! Parses the results that applications print themselves: those of `pytest -v`, of Python's `unittest -v`,
//! and of the scripts in `apps/`.

use crate::expectations::Status;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The form in which an application prints its results.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Results {
    /// The output of `pytest -v`.
    Pytest,
    /// The output of `python -m unittest -v`.
    Unittest,
    /// Lines `PASS NAME`, `SKIP NAME` and `FAIL NAME`.
    Lines,
}

impl Results {
    /// Returns the results in an output, by name.
    pub(super) fn of(self, output: &str) -> BTreeMap<String, Status> {
        match self {
            Results::Pytest => pytest(output),
            Results::Unittest => unittest(output),
            Results::Lines => lines(output),
        }
    }
}

/// Returns the results by test. A test with parameters has the worst of its results. A test without a result
/// has crashed the process.
fn pytest(output: &str) -> BTreeMap<String, Status> {
    let mut all: BTreeMap<String, Status> = BTreeMap::new();
    // The results are followed by sections (failures, warnings, a summary) that name tests again.
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

/// Returns whether a line contains a result after the test's name: at its end, or before a reason in
/// parentheses.
fn has_word(rest: &str, word: &str) -> bool {
    rest.ends_with(&format!(" {word}")) || rest.contains(&format!(" {word} ("))
}

/// Parses `name (place) ... ok`. A line of description may stand between the name and the dots. A test
/// without a result has crashed the process.
fn unittest(output: &str) -> BTreeMap<String, Status> {
    let mut all = BTreeMap::new();
    let mut current: Option<&str> = None;
    // A line of equals signs begins the tracebacks.
    for line in output.lines().take_while(|l| !l.starts_with("======")) {
        if let Some((name, _)) = line.split_once(" (").filter(|(name, _)| name.starts_with("test")) {
            current = Some(name);
            all.insert(name.to_owned(), Status::Crash);
        }
        // The output of the test may stand between the dots and the result.
        let line = line.trim_end();
        let status = match line.rsplit(' ').next().unwrap_or(line) {
            "ok" => Some(Status::Pass),
            "FAIL" | "ERROR" => Some(Status::Fail),
            _ if line.contains("... expected failure") => Some(Status::Pass),
            _ if line.contains("... unexpected success") => Some(Status::Fail),
            _ if line.contains("... skipped") => Some(Status::Skip),
            _ => None,
        };
        if let (Some(status), Some(name)) = (status, current) {
            all.insert(name.to_owned(), status);
            current = None;
        }
    }
    all
}

/// Returns the results by name. If a name occurs twice, the worse result counts.
fn lines(output: &str) -> BTreeMap<String, Status> {
    let mut all: BTreeMap<String, Status> = BTreeMap::new();
    for line in output.lines() {
        let (status, name) = match line.split_once(' ') {
            Some(("PASS", name)) => (Status::Pass, name),
            Some(("SKIP", name)) => (Status::Skip, name),
            Some(("FAIL", name)) => (Status::Fail, name),
            _ => continue,
        };
        let entry = all.entry(name.trim().to_owned()).or_insert(status);
        *entry = status.max(*entry);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let last =
            "test_a.py::test_one PASSED [  1%]\ntest_a.py::test_two Fatal Python error: Segmentation fault\n";
        assert_eq!(pytest(last)["test_a.py::test_two"], Status::Crash);
    }

    #[test]
    fn unittests_may_have_descriptions() {
        let text = "\
test_a (module.Case.test_a) ... ok
test_b (module.Case.test_b)
What it is. ... a word of its own
ok
test_c (module.Case.test_c) ... FAIL
test_d (module.Case.test_d) ... skipped 'why ok'
test_e (module.Case.test_e) ... Fatal Python error
======================================================================
FAIL: test_c (module.Case.test_c)
ok
";
        let all = unittest(text);
        let found: Vec<(&str, Status)> = all.iter().map(|(n, s)| (n.as_str(), *s)).collect();
        assert_eq!(
            found,
            [
                ("test_a", Status::Pass),
                ("test_b", Status::Pass),
                ("test_c", Status::Fail),
                ("test_d", Status::Skip),
                ("test_e", Status::Crash)
            ]
        );
    }

    #[test]
    fn lines_of_scripts() {
        let all = lines("PASS a b\nnoise\nFAILED c\nSKIP d\nPASS e\nFAIL e\nPASS\n");
        let found: Vec<(&str, Status)> = all.iter().map(|(n, s)| (n.as_str(), *s)).collect();
        assert_eq!(
            found,
            [("a b", Status::Pass), ("d", Status::Skip), ("e", Status::Fail)]
        );
    }
}
