//! The harness's output while it works: a spinner with the elapsed time on a terminal, plain lines
//! elsewhere. All output of the harness goes through this module.

use crate::{Failure, child, process};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) fn step(text: &str) {
    say!("\n{}", console::style(format!("== {text}")).bold());
}

/// Prints a line.
pub(crate) fn line(text: &str) {
    write(&mut std::io::stdout(), text);
}

/// Writes a line. If nobody reads the output any more, as in `cargo harness app --list | head`, the command ends as after
/// Ctrl-C.
fn write(to: &mut dyn Write, text: &str) {
    if writeln!(to, "{text}").is_err() {
        child::interrupt();
    }
}

/// Prints a warning: a fact that the user should know and that stops nothing.
pub(crate) fn warning(text: &str) {
    let label = console::style("warning:").yellow().bold().for_stderr();
    write(&mut std::io::stderr(), &format!("{label} {text}"));
}

pub(crate) fn error(text: &str) {
    let label = console::style("error:").red().bold().for_stderr();
    write(&mut std::io::stderr(), &format!("{label} {text}"));
}

/// Writes a JSON value to a file, or prints it if the file is `-`.
pub(crate) fn json(file: &Path, value: &serde_json::Value) -> Result<(), Failure> {
    if file.as_os_str() == "-" {
        line(&value.to_string());
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
        say!(
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
    let said = [output.stdout, output.stderr].concat();
    write(&mut std::io::stderr(), String::from_utf8_lossy(&said).trim_end());
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
        say!("{what} …");
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

/// A progress bar for a known number of items, with the number of items for each outcome. Without a terminal it is hidden,
/// and each item has a line instead.
pub(crate) struct Bar {
    bar: ProgressBar,
    counts: parking_lot::Mutex<BTreeMap<&'static str, usize>>,
}

impl Bar {
    pub(crate) fn new(items: usize) -> Bar {
        let bar = ProgressBar::new(items as u64);
        let template = "{bar:30} {pos}/{len} {elapsed} (left {eta}) {msg}  {prefix}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Bar {
            bar,
            counts: parking_lot::Mutex::default(),
        }
    }

    /// Shows that an item has begun.
    pub(crate) fn begun(&self, name: &str) {
        self.bar.set_prefix(name.to_owned());
    }

    /// Shows that an item has ended with the outcome `how`.
    pub(crate) fn finished(&self, name: &str, how: &'static str) {
        self.ended(name, how, false);
    }

    /// Does what [`Bar::finished`] does, and prints a line above the bar if the outcome is bad.
    pub(crate) fn ended(&self, name: &str, how: &'static str, is_bad: bool) {
        *self.counts.lock().entry(how).or_default() += 1;
        self.bar.set_message(self.tally());
        self.bar.inc(1);
        if is_bad || self.bar.is_hidden() {
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            self.bar.suspend(|| say!("[{done}/{all}] {how:<8} {name}"));
        }
    }

    /// Removes the bar, and prints the number of items for each outcome.
    pub(crate) fn end(&self) {
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let time = span(self.bar.elapsed());
        self.bar.finish_and_clear();
        say!("{done} of {all} in {time}: {}", self.tally());
    }

    fn tally(&self) -> String {
        let counts = self.counts.lock();
        let all: Vec<String> = counts.iter().map(|(how, n)| format!("{how} {n}")).collect();
        all.join(", ")
    }
}

/// Returns a duration in whole seconds, such as `1h 2m 3s`.
pub(crate) fn span(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}
