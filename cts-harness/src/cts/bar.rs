//! Shows the progress of a run. On a terminal this is a bar with the counts, the running sub-test and the
//! time left. Otherwise it is one line per finished sub-test.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use super::results::{Record, Status};
use crate::progress;
use indicatif::ProgressBar;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::Instant;

/// The duration in seconds that is assumed for a sub-test without a known duration.
const GUESS: f64 = 2.0;

/// The display of a run's progress.
pub(super) struct Bar {
    bar: Option<ProgressBar>,
    start: Instant,
    jobs: f64,
    state: Mutex<State>,
}

struct State {
    /// The expected seconds of each sub-test that has not ended.
    left: BTreeMap<String, f64>,
    total: usize,
    /// The sums of the expected and of the actual seconds of the sub-tests that have ended.
    supposed: f64,
    real: f64,
    counts: BTreeMap<Status, usize>,
    running: Vec<String>,
}

impl Bar {
    pub(super) fn new(
        names: impl Iterator<Item = String>,
        expected: &dyn Fn(&str) -> Option<f64>,
        jobs: usize,
    ) -> Bar {
        let guess = |n: String| {
            let seconds = expected(&n).unwrap_or(GUESS);
            (n, seconds)
        };
        let left: BTreeMap<String, f64> = names.map(guess).collect();
        let bar = progress::bar(left.len(), "{bar:24} {pos}/{len} {elapsed}{wide_msg}");
        Bar {
            bar,
            start: Instant::now(),
            jobs: jobs as f64,
            state: Mutex::new(State {
                total: left.len(),
                left,
                supposed: 0.0,
                real: 0.0,
                counts: BTreeMap::new(),
                running: Vec::new(),
            }),
        }
    }

    /// Records that a sub-test has begun, and shows it.
    pub(super) fn begun(&self, name: &str) {
        let mut state = self.state.lock();
        state.running.retain(|n| n != name);
        state.running.push(name.to_owned());
        if let Some(bar) = &self.bar {
            bar.set_message(state.message(self.jobs));
        }
    }

    /// Records and shows the result of a sub-test.
    pub(super) fn ended(&self, record: &Record) {
        let mut state = self.state.lock();
        state.running.retain(|n| *n != record.name);
        let supposed = state.left.remove(&record.name).unwrap_or(GUESS);
        state.supposed += supposed;
        state.real += record.seconds;
        *state.counts.entry(record.status).or_default() += 1;
        let note = if record.note.is_empty() {
            String::new()
        } else {
            format!("  {}", record.note)
        };
        let line = format!(
            "{:<8} {} ({:.1} s){note}",
            record.status.word(),
            record.name,
            record.seconds
        );
        match &self.bar {
            Some(bar) => {
                if record.status.is_bad() {
                    bar.suspend(|| println!("{line}"));
                }
                bar.set_message(state.message(self.jobs));
                bar.set_position((state.total - state.left.len()) as u64);
            }
            None => {
                let done = state.total - state.left.len();
                println!(
                    "[{done}/{}, left {}] {line}",
                    state.total,
                    span(state.seconds_left(self.jobs))
                );
            }
        }
    }

    /// Records that a sub-test no longer runs, although it has no result yet.
    pub(super) fn idle(&self, name: &str) {
        self.state.lock().running.retain(|n| n != name);
    }

    /// Removes the bar and prints a summary of the run.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let state = self.state.lock();
        println!(
            "{} of {} in {}: {}",
            state.total - state.left.len(),
            state.total,
            span(self.start.elapsed().as_secs_f64()),
            state.tally()
        );
    }
}

impl State {
    fn seconds_left(&self, jobs: f64) -> f64 {
        let left: f64 = self.left.values().sum();
        // The sub-tests that have ended correct the estimate. The correction is weak while few seconds have
        // been measured.
        let ratio = (self.real + 5.0) / (self.supposed + 5.0);
        left * ratio / jobs
    }

    fn tally(&self) -> String {
        let n = |s: Status| self.counts.get(&s).copied().unwrap_or(0);
        let mut text = format!(
            "{} pass, {} fail, {} crash",
            n(Status::Pass),
            n(Status::Fail),
            n(Status::Crash)
        );
        text += &format!(", {} timeout, {} skip", n(Status::Timeout), n(Status::Skip));
        text
    }

    fn message(&self, jobs: f64) -> String {
        let running = self.running.first().map_or("", String::as_str);
        let left = span(self.seconds_left(jobs));
        format!(" (left {left})  {}  {running}", self.tally())
    }
}

/// Formats a duration: `1h02m`, `3m20s`, `14s`.
pub(super) fn span(seconds: f64) -> String {
    let s = seconds.round().max(0.0) as u64;
    match s {
        0..60 => format!("{s}s"),
        60..3600 => format!("{}m{:02}s", s / 60, s % 60),
        _ => format!("{}h{:02}m", s / 3600, s / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn spans() {
        assert_eq!(super::span(14.2), "14s");
        assert_eq!(super::span(200.0), "3m20s");
        assert_eq!(super::span(3720.0), "1h02m");
    }
}
