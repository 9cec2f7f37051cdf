//! The harness's output while it works: a spinner with the elapsed time on a terminal, plain lines
//! elsewhere.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks to a person"
)]

use crate::{Failure, process};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) fn step(text: &str) {
    println!("\n{}", console::style(format!("== {text}")).bold());
}

pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Prints a warning: a fact that the user should know and that stops nothing.
pub(crate) fn warning(text: &str) {
    eprintln!(
        "{} {text}",
        console::style("warning:").yellow().bold().for_stderr()
    );
}

pub(crate) fn error(text: &str) {
    eprintln!("{} {text}", console::style("error:").red().bold().for_stderr());
}

/// Writes a JSON value to a file, or prints it if the file is `-`.
pub(crate) fn json(file: &Path, value: &serde_json::Value) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        println!("{value}");
        return Ok(());
    }
    Ok(std::fs::write(file, format!("{value:#}\n"))?)
}

/// The start of a command: the time, and the processor time of all commands before it.
struct Start(Instant, f64);

impl Start {
    fn now() -> Start {
        Start(Instant::now(), process::processor_seconds_of_children())
    }

    /// Says that the command has ended, and what it took.
    fn done(&self, what: &str) {
        let (time, cpu) = (
            self.0.elapsed(),
            process::processor_seconds_of_children() - self.1,
        );
        println!(
            "{what}: done in {:.1} s (processor time: {cpu:.1} s)",
            time.as_secs_f32()
        );
    }
}

/// Runs a command, and shows that it is running. Its output is printed only if it fails.
pub(crate) fn quiet(what: &str, command: &mut Command) -> Result<(), Failure> {
    let start = Start::now();
    let bar = spinner(what);
    let output = command.stdin(Stdio::null()).output();
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    let output = output.map_err(|e| Failure(format!("{what}: {:?}: {e}", command.get_program())))?;
    if output.status.success() {
        start.done(what);
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
    let start = Start::now();
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|e| Failure(format!("{what}: {:?}: {e}", command.get_program())))?;
    if !status.success() {
        return Err(Failure(format!("{what} failed: {status}")));
    }
    start.done(what);
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

/// Shows a bar for a number of items, if there is a terminal.
pub(crate) fn bar(items: usize, template: &str) -> Option<ProgressBar> {
    let bar = std::io::stderr()
        .is_terminal()
        .then(|| ProgressBar::new(items as u64))?;
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    Some(bar)
}

/// A progress bar for a known number of items, with the number of items for each outcome. Without a terminal
/// it prints a line for each item.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    counts: parking_lot::Mutex<std::collections::BTreeMap<&'static str, usize>>,
}

impl Bar {
    pub(crate) fn new(items: usize) -> Bar {
        let bar = bar(items, "{bar:30} {pos}/{len} {elapsed} (left {eta}) {msg}");
        Bar {
            bar,
            counts: parking_lot::Mutex::default(),
        }
    }

    /// Notes that an item ended with the outcome `how`.
    pub(crate) fn finished(&self, name: &str, how: &'static str) {
        let mut counts = self.counts.lock();
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
