//! `cargo harness stress --inject`: plays a scenario of all command types, once for each Vulkan call that
//! may fail.
//!
//! The library makes one such call fail (`CALDERA_DEBUG=fail-allocation=N` and similar flags) and says so in
//! its log. Each number N is tried in a separate process, until a process does not reach its call. The test
//! requires: no crash, no hang, no access to memory of the application after an error was returned, no wrong
//! data without an error, and after the fault every command works again unless the device is lost.

mod scenario;

use crate::{Failure, Outcome, progress};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

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
pub(super) fn run(place: &[String], args: &super::Args) -> Outcome {
    let mut faults = Vec::new();
    for mode in MODES {
        for kind in KINDS {
            let memory = if mode.is_empty() { "unified" } else { "discrete" };
            let name = format!("{memory} {kind}");
            if args.only.is_empty() || args.only.iter().any(|o| name.contains(&**o)) {
                let (sites, found) = sites(place, args, mode, kind)?;
                let (tried, failed) = (sites.div_ceil(args.every), found.len());
                progress::line(&format!("{name}: {sites} sites, {tried} tried, {failed} wrong"));
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
    Err(Failure(format!("{} sites are not survived", faults.len())))
}

/// Tries the sites of one flag. Returns the number of the last site that was reached, and the faults that
/// were found.
fn sites(
    place: &[String],
    args: &super::Args,
    mode: &str,
    kind: &str,
) -> Result<(u32, Vec<String>), Failure> {
    let next = AtomicU32::new(0);
    let over = AtomicBool::new(false);
    let (last, faults) = (AtomicU32::new(0), Mutex::new(Vec::new()));
    let work = || -> Outcome {
        while !over.load(Ordering::Relaxed) {
            let number = 1 + args.every * next.fetch_add(1, Ordering::Relaxed);
            if number > MOST {
                break;
            }
            let debug = format!("{mode}{kind}={number}");
            let trial = Trial::new(place, &debug, Duration::from_secs(args.patience))?;
            if trial.reached {
                last.fetch_max(number, Ordering::Relaxed);
            } else {
                over.store(true, Ordering::Relaxed);
            }
            if let (Some(why), Ok(mut faults)) = (trial.wrong, faults.lock()) {
                faults.push(format!("CALDERA_DEBUG={debug}: {why}"));
            }
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism()?.get().min(16);
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        all.into_iter().try_for_each(|w| {
            w.join()
                .unwrap_or_else(|_| Err(Failure("a thread panicked".into())))
        })
    })?;
    let faults = faults.into_inner().unwrap_or_default();
    Ok((last.into_inner(), faults))
}

/// The result of the scenario with one fault.
struct Trial {
    /// Whether the process reached the site.
    reached: bool,
    wrong: Option<String>,
}

impl Trial {
    fn new(place: &[String], debug: &str, patience: Duration) -> Result<Trial, Failure> {
        let log = std::env::temp_dir().join(format!(
            "caldera-inject-{}-{}.log",
            std::process::id(),
            debug.replace([',', '='], "-")
        ));
        let files = [log.clone(), log.with_extension("out")];
        let trial = Trial::with(place, debug, patience, &files);
        for file in files {
            let _ = std::fs::remove_file(file);
        }
        trial
    }

    fn with(
        place: &[String],
        debug: &str,
        patience: Duration,
        [log, printed]: &[PathBuf; 2],
    ) -> Result<Trial, Failure> {
        let output = std::fs::File::create(printed)?;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["stress", "--play-faults"])
            .args(place)
            .env("CALDERA_DEBUG", debug)
            .env("CALDERA_LOG", "vk=info")
            .env("CALDERA_LOG_FILE", log)
            .env("CALDERA_CACHE", "off")
            .env("CALDERA_CALIBRATION", "off")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()?;
        let status = wait(&mut child, patience)?;
        let text = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let site = text(log)
            .lines()
            .find(|l| l.contains("fails on purpose"))
            .map(str::to_owned);
        let at = site.as_deref().and_then(|l| l.split("vk: ").nth(1));
        let at = at.unwrap_or("no site reached").to_owned();
        let said = text(printed).trim().replace('\n', "; ");
        let wrong = match status {
            None => Some(format!("{at}: hangs; {said}")),
            Some(status) if !status.success() => Some(format!("{at}: {status}; {said}")),
            Some(_) => None,
        };
        Ok(Trial {
            reached: site.is_some(),
            wrong,
        })
    }
}

/// Waits for the process to end. Returns `None` if it had to be killed.
fn wait(child: &mut Child, patience: Duration) -> Result<Option<std::process::ExitStatus>, Failure> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
