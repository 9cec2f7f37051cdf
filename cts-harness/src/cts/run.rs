//! Runs cases: several processes run concurrently, each sub-test has a time limit, and its result is recorded
//! as soon as its process has ended.

use super::checks::Checks;
use super::command;
use super::judge::{self, Progress, Verdict};
use super::plan::{self, Share, Task};
use super::platform::Target;
use super::results::{Record, Records, RunFolder, Status};
use super::rows::How;
use super::select::Case;
use super::{conversions, streams};
use crate::Failure;
use crate::child::{self, Limits};
use crate::parallel::parallel;
use crate::progress::Bar;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(super) struct Settings {
    pub(super) share: Share,
    /// The limit for every sub-test. Without it, the limits of the tiers apply.
    pub(super) timeout: Option<Duration>,
    /// The largest number of sub-tests that share a process.
    pub(super) group: usize,
    pub(super) wimpy: bool,
    pub(super) checks: Checks,
}

struct Run<'a> {
    target: &'a Target,
    settings: &'a Settings,
    share: Share,
    folder: Mutex<RunFolder>,
    results: Mutex<Records>,
    bar: Bar,
    processes: AtomicUsize,
}

/// The files that a process writes.
struct Files {
    log: PathBuf,
    results: PathBuf,
    /// The folder of the checks.
    checks: PathBuf,
}

struct Outcome {
    records: Vec<Record>,
    /// The cases that must run again. The case that was running when the process died comes first.
    again: Vec<Case>,
}

/// Runs the cases in `todo` and returns their records. `expected` returns the known duration of a sub-test in
/// seconds.
pub(super) fn run(
    todo: Vec<Case>,
    folder: RunFolder,
    target: &Target,
    settings: &Settings,
    expected: &dyn Fn(&str) -> Option<f64>,
) -> Result<Records, Failure> {
    child::catch_interrupts()?;
    let bar = Bar::new(todo.len());
    let plan = plan::plan(todo, settings.group, expected);
    let mut run = Run {
        target,
        settings,
        share: settings.share,
        folder: Mutex::new(folder),
        results: Mutex::default(),
        bar,
        processes: AtomicUsize::new(0),
    };
    let together = run.tasks(&plan.together);
    run.share = Share {
        jobs: 1,
        threads: run.share.jobs * run.share.threads,
    };
    let all = together.and_then(|()| run.tasks(&plan.alone));
    run.bar.end();
    all.map(|()| run.results.into_inner())
}

impl Run<'_> {
    fn tasks(&self, tasks: &[Task]) -> Result<(), Failure> {
        let share = self.share;
        let each = |slot, task: &Task| {
            // The full mode does not change the programs' arguments, so they cannot limit their threads.
            // Instead, each process is bound to some of the cores.
            if !self.settings.wimpy && share.jobs > 1 {
                child::pin(slot, share.threads)?;
            }
            self.task(task.clone())
        };
        parallel(share.jobs, tasks, each).map(drop)
    }

    /// Runs all cases of a task. The cases that a crash leaves unfinished run in further processes.
    fn task(&self, mut cases: Task) -> Result<(), Failure> {
        while !cases.is_empty() && !child::interrupted() {
            let outcome = self.process(&cases)?;
            for record in outcome.records {
                self.folder.lock().append(&record)?;
                self.ended(&record);
                self.results.lock().insert(record.name.clone(), record);
            }
            let mut again = outcome.again;
            if cases.len() > 1 && !again.is_empty() {
                // The case that was running during the crash runs alone. Thus the number of remaining cases
                // decreases, and the loop ends.
                let rest = again.split_off(1);
                self.task(again)?;
                again = rest;
            }
            cases = again;
        }
        Ok(())
    }

    fn process(&self, cases: &[Case]) -> Result<Outcome, Failure> {
        let number = self.processes.fetch_add(1, Ordering::Relaxed);
        let files = {
            let folder = self.folder.lock();
            Files {
                log: folder.scratch(number, "log"),
                results: folder.scratch(number, "json"),
                checks: folder.scratch(number, "checks"),
            }
        };
        let outcome = self.watched(cases, &files);
        let _ = std::fs::remove_file(&files.log);
        let _ = std::fs::remove_file(&files.results);
        outcome
    }

    fn watched(&self, cases: &[Case], files: &Files) -> Result<Outcome, Failure> {
        // The result of an earlier, interrupted attempt must not be mistaken for the result of this one.
        let _ = std::fs::remove_file(&files.results);
        let mut command = command::command(cases, self.target, self.settings.wimpy, self.share);
        command.env(
            "CL_CONFORMANCE_RESULTS_FILENAME",
            std::path::absolute(&files.results)?,
        );
        self.settings.checks.prepare(&mut command, &files.checks)?;
        let limit = self.limit(cases);
        let mut progress = Progress::new(cases.iter().map(|c| c.subtest.as_str()));
        self.bar.begun(&cases[0].name());
        let start = Instant::now();
        let mut line = |text: &str| {
            let restarts = progress.line(text);
            if let Some(now) = progress.current().filter(|_| restarts) {
                self.bar.begun(&cases[now].name());
            }
            restarts
        };
        let end = child::follow(&mut command, &files.log, Limits::time(limit), &mut line)?.end;
        let seconds = start.elapsed().as_secs_f64();
        let results = std::fs::read_to_string(&files.results).ok();
        let text = String::from_utf8_lossy(&std::fs::read(&files.log)?).into_owned();
        let keep = self.folder.lock().modules();
        // If any check is on, each process runs only one sub-test, so the messages belong to that sub-test.
        let messages = self.settings.checks.messages(&files.checks, &keep)?;
        let mut outcome = Outcome {
            records: Vec::new(),
            again: Vec::new(),
        };
        for (index, case) in cases.iter().enumerate() {
            let (verdict, part, seconds) = if cases.len() == 1 {
                let verdict = judge::alone(end, results.as_deref(), case.result());
                let verdict = verdict.map(|v| self.doubted(case, v, &text));
                (verdict, text.clone() + &messages.join("\n"), seconds)
            } else {
                let verdict = judge::among(end, results.as_deref(), &progress, index);
                let part = part(&text, progress.span(index));
                (verdict, part, progress.seconds(index).unwrap_or(0.0))
            };
            match verdict {
                Some(mut verdict) => {
                    if let Some(message) = messages.first() {
                        verdict.add_message(message, messages.len());
                    }
                    let record = self.record(case, verdict, &part, seconds, limit)?;
                    outcome.records.push(record);
                }
                None if progress.current() == Some(index) => outcome.again.insert(0, case.clone()),
                None => outcome.again.push(case.clone()),
            }
        }
        Ok(outcome)
    }

    /// Shows the result of a sub-test.
    fn ended(&self, record: &Record) {
        let Record {
            name,
            status,
            seconds,
            note,
        } = record;
        let line = format!("{name} ({seconds:.1} s)  {note}");
        self.bar.ended(line.trim_end(), status.word(), status.is_bad());
    }

    /// Turns a pass into a skip if the log shows that nothing was tested.
    fn doubted(&self, case: &Case, verdict: Verdict, log: &str) -> Verdict {
        let idle = match case.suite.row.how {
            How::Pairs => !conversions::tested(log),
            How::Streams => !streams::tested(log),
            How::Group | How::Single | How::Whole | How::Alone => false,
        };
        match verdict.status {
            Status::Pass if idle => Verdict {
                status: Status::Skip,
                note: String::new(),
            },
            _ => verdict,
        }
    }

    fn limit(&self, cases: &[Case]) -> Duration {
        let most = cases.iter().map(|c| c.limit).max().unwrap_or_default();
        self.settings.timeout.unwrap_or(most)
    }

    fn record(
        &self,
        case: &Case,
        mut verdict: Verdict,
        log: &str,
        seconds: f64,
        limit: Duration,
    ) -> Result<Record, Failure> {
        let name = case.name();
        let line = command::by_hand(case, self.target, self.settings.wimpy, &self.settings.checks);
        let text = format!("$ {line}\n{log}");
        std::fs::write(self.folder.lock().log(&name), text)?;
        if verdict.note.is_empty() {
            verdict.note = match verdict.status {
                Status::Pass | Status::Excluded | Status::Skip => String::new(),
                Status::Timeout => format!("more than {} s", limit.as_secs()),
                Status::Fail | Status::Crash => judge::telling_line(log),
            };
        }
        Ok(Record {
            name,
            status: verdict.status,
            seconds,
            note: verdict.note,
        })
    }
}

/// Returns the given range of lines of a log.
fn part(text: &str, span: Option<(usize, usize)>) -> String {
    let Some((from, to)) = span else {
        return String::new();
    };
    let lines = text.split_inclusive('\n').skip(from).take(to - from);
    lines.collect()
}
