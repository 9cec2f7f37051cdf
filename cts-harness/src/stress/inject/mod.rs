//! `cargo harness stress --inject`: plays a scenario of all command types, once for each Vulkan call that
//! may fail.
//!
//! The library makes one such call fail (`CALDERA_DEBUG=fail-allocation=N` and similar flags) and says so in
//! its log. Each number N is tried in a separate process, until a process does not reach its call. The test
//! requires: no crash, no hang, no access to memory of the application after an error was returned, no wrong
//! data without an error, and after the fault every command works again unless the device is lost.

mod scenario;

use crate::child::{self, End};
use crate::parallel::parallel;
use crate::{Failure, Outcome, progress};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(super) use scenario::play;

/// The flags of `CALDERA_DEBUG` that take the number of a call site.
const KINDS: [&str; 5] = [
    "fail-allocation",
    "fail-submission",
    "fail-wait",
    "lose-device",
    "lose-device-in-wait",
];
/// The two memory models that are tested: the device's own, and that of a discrete GPU.
const MODES: [&str; 2] = ["", "discrete,"];
/// The largest number of a site that is tried for each flag.
const MOST: u32 = 2000;

/// Tries all sites, or every `--every`th of them.
pub(super) fn run(place: &[&str], args: &super::Args) -> Outcome {
    child::catch_interrupts()?;
    let mut faults = Vec::new();
    for mode in MODES {
        for kind in KINDS {
            let memory = if mode.is_empty() { "unified" } else { "discrete" };
            let name = format!("{memory} {kind}");
            if args.only.is_empty() || args.only.iter().any(|o| name.contains(&**o)) {
                let (sites, found) = sites(place, args, mode, kind)?;
                let (tried, failed) = (sites.div_ceil(args.every), found.len());
                say!("{name}: {sites} sites, {tried} tried, {failed} wrong");
                faults.extend(found);
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    for fault in &faults {
        progress::error(fault);
    }
    fail!("{} sites are not survived", faults.len())
}

/// Tries the sites of one flag. Returns the number of the last site that was reached, and the faults that
/// were found.
fn sites(place: &[&str], args: &super::Args, mode: &str, kind: &str) -> Result<(u32, Vec<String>), Failure> {
    let over = AtomicBool::new(false);
    let numbers: Vec<u32> = (1..=MOST).step_by(args.every.max(1) as usize).collect();
    let workers = std::thread::available_parallelism()?.get().min(16);
    let trials = parallel(workers, &numbers, |_, number| {
        if over.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let debug = format!("{mode}{kind}={number}");
        let (reached, wrong) = trial(place, &debug, Duration::from_secs(args.patience))?;
        over.fetch_or(!reached, Ordering::Relaxed);
        let wrong = wrong.map(|why| format!("CALDERA_DEBUG={debug}: {why}"));
        Ok(Some((if reached { *number } else { 0 }, wrong)))
    })?;
    let (reached, wrong): (Vec<u32>, Vec<Option<String>>) = trials.into_iter().flatten().unzip();
    let last = reached.into_iter().max().unwrap_or(0);
    Ok((last, wrong.into_iter().flatten().collect()))
}

/// Plays the scenario with one fault. Returns whether the process reached the site, and what was wrong.
fn trial(place: &[&str], debug: &str, patience: Duration) -> Result<(bool, Option<String>), Failure> {
    let folder = tempfile::tempdir()?;
    let log = folder.path().join("log");
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["stress", "--play-faults"])
        .args(place)
        .env("CALDERA_DEBUG", debug)
        .env("CALDERA_LOG", "vk=info")
        .env("CALDERA_LOG_FILE", &log)
        .env("CALDERA_CACHE", "off")
        .env("CALDERA_CALIBRATION", "off")
        .env("RUST_BACKTRACE", "0");
    let (end, said) = child::output(&mut command, patience)?;
    let (log, said) = (
        std::fs::read_to_string(&log).unwrap_or_default(),
        said.replace('\n', "; "),
    );
    let site = log.lines().find(|l| l.contains("fails on purpose"));
    let at = site
        .and_then(|l| l.split("vk: ").nth(1))
        .unwrap_or("no site reached");
    let wrong = match end {
        End::Code(0) => None,
        End::Interrupted => return fail!("interrupted"),
        end => Some(format!("{at}: {end}; {said}")),
    };
    Ok((site.is_some(), wrong))
}
