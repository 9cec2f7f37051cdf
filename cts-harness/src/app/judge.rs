//! Derives an application's results from its end and its output.

use super::table::App;
use crate::child::End;
use crate::expectations::Status;
use std::collections::BTreeMap;
use std::time::Duration;

/// The checks of an application: the application itself under its own name, and `name/check` for each of its
/// own results.
#[derive(PartialEq, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) checks: BTreeMap<String, Status>,
    /// The reason why the application as a whole did not pass.
    pub(crate) why: Option<String>,
}

impl Verdict {
    /// Returns the number of checks with a status. The application itself is not counted if it has results of
    /// its own.
    pub(super) fn count(&self, status: Status) -> usize {
        let whole = self.checks.len() == 1;
        let counted = self.checks.iter().filter(|(name, _)| whole || name.contains('/'));
        counted.filter(|(_, s)| **s == status).count()
    }
}

/// Judges a run of an application.
pub(super) fn judge(app: &App, end: End, limit: Duration, output: &str) -> Verdict {
    let mut verdict = Verdict::default();
    let (status, why) = whole(app, end, limit, output);
    if let Some(results) = app.judge.results {
        verdict.checks.extend(
            results
                .of(output)
                .into_iter()
                .map(|(name, s)| (format!("{}/{name}", app.name), s)),
        );
    }
    // Exit code 1 because of failures that are listed one by one is not counted as another failure.
    let told = matches!(end, End::Code(1)) && verdict.checks.values().any(|s| s.is_bad());
    let silent = app.judge.results.is_some() && verdict.checks.is_empty() && status == Status::Pass;
    let (status, why) = match (status, why) {
        _ if told => (Status::Pass, None),
        _ if silent => (Status::Fail, Some("it prints no results".into())),
        other => other,
    };
    verdict.checks.insert(app.name.clone(), status);
    verdict.why = why;
    verdict
}

/// Judges the application as a whole, without its own results. Returns its status, and the reason if it did not pass.
fn whole(app: &App, end: End, limit: Duration, output: &str) -> (Status, Option<String>) {
    let fail = |why: String| (Status::Fail, Some(why));
    match end {
        End::Timeout => {
            let why = format!("no end after {} s", limit.as_secs());
            return (Status::Timeout, Some(why));
        }
        End::Flood | End::Signal(_) => return (Status::Crash, Some(end.to_string())),
        End::Interrupted => return fail(end.to_string()),
        End::Code(code) if code != app.judge.exit => {
            let last = output
                .lines()
                .rev()
                .find(|l| !l.trim().is_empty())
                .unwrap_or_default();
            return fail(format!("{end}, not {}: {}", app.judge.exit, last.trim()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::results::Results;
    use crate::app::table::Judge;

    const LIMIT: Duration = Duration::from_secs(5);

    fn app(judge: Judge) -> App {
        App {
            name: "x".into(),
            judge,
            ..App::default()
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

    /// A failure that the application's own results show is not reported again for the application. Any other
    /// failure is.
    #[test]
    fn results_of_its_own() {
        let results = app(Judge {
            results: Some(Results::Lines),
            ..Judge::default()
        });
        let text = "PASS one\nFAIL two\nSKIP three\n";
        let verdict = judge(&results, End::Signal(11), LIMIT, text);
        assert_eq!(verdict.checks["x"], Status::Crash);
        let verdict = judge(&results, End::Code(1), LIMIT, text);
        assert_eq!((verdict.checks["x"], verdict.why.is_none()), (Status::Pass, true));
        assert_eq!(verdict.checks["x/two"], Status::Fail);
        assert_eq!((verdict.count(Status::Pass), verdict.count(Status::Skip)), (1, 1));
        for (end, text) in [(End::Code(4), "usage"), (End::Code(0), "nothing")] {
            assert_eq!(judge(&results, end, LIMIT, text).checks["x"], Status::Fail);
        }
    }
}
