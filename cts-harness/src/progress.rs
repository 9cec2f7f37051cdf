//! What the harness shows while it works: a spinner with the elapsed time on a terminal, plain lines elsewhere.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks to a person"
)]

use crate::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A heading.
pub(crate) fn step(text: &str) {
    println!("\n== {text}");
}

/// A line of information.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Something that one should know and that stops nothing.
pub(crate) fn warning(text: &str) {
    eprintln!("warning: {text}");
}

/// A failure.
pub(crate) fn error(text: &str) {
    eprintln!("error: {text}");
}

/// Runs a command whose output is of interest only if it fails; shows that it is running.
pub(crate) fn quiet(what: &str, command: &mut Command) -> Result<(), Failure> {
    let start = Instant::now();
    let bar = spinner(what);
    let output = command.stdin(Stdio::null()).output();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let output = output.map_err(|e| Failure(format!("{what}: {:?}: {e}", command.get_program())))?;
    if output.status.success() {
        println!("{what}: done in {:.1} s", start.elapsed().as_secs_f32());
        return Ok(());
    }
    eprint!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Err(Failure(format!("{what} failed: {}", output.status)))
}

/// Runs a command and lets it print.
pub(crate) fn shown(what: &str, command: &mut Command) -> Result<(), Failure> {
    let start = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|e| Failure(format!("{what}: {:?}: {e}", command.get_program())))?;
    if !status.success() {
        return Err(Failure(format!("{what} failed: {status}")));
    }
    println!("{what}: done in {:.1} s", start.elapsed().as_secs_f32());
    Ok(())
}

fn spinner(what: &str) -> Option<ProgressBar> {
    if !std::io::stderr().is_terminal() {
        println!("{what} …");
        return None;
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    Some(bar)
}

/// A bar over a known number of items, with counts of how they ended; plain lines where there is no terminal.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    counts: std::sync::Mutex<std::collections::BTreeMap<&'static str, usize>>,
}

impl Bar {
    pub(crate) fn new(items: usize) -> Bar {
        let bar = std::io::stderr()
            .is_terminal()
            .then(|| ProgressBar::new(items as u64));
        if let (Some(bar), Ok(style)) = (
            &bar,
            ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} (left {eta}) {msg}"),
        ) {
            bar.set_style(style);
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Bar {
            bar,
            counts: std::sync::Mutex::default(),
        }
    }

    /// One item ended.
    pub(crate) fn finished(&self, name: &str, how: &'static str) {
        let mut counts = self
            .counts
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *counts.entry(how).or_default() += 1;
        match &self.bar {
            Some(bar) => {
                let text: Vec<String> = counts.iter().map(|(how, n)| format!("{how} {n}")).collect();
                bar.set_message(text.join(", "));
                bar.inc(1);
            }
            None => println!("{how:<8} {name}"),
        }
    }
}
