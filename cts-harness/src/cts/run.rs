//! Running cases: one process each, a timeout each, several at a time.

use super::RunArgs;
use super::platform::Platform;
use super::results::{Record, RunFolder, Status};
use super::select::Case;
use crate::{Failure, artifacts, progress};
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Runs what the folder does not have yet; returns the records of all cases.
pub(super) fn run(cases: &[Case], platform: &Platform, args: &RunArgs) -> Result<Vec<Record>, Failure> {
    let slug = platform.identity.slug();
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| artifacts::release_dir().join("cts").join(&slug));
    let (folder, mut done) = RunFolder::open(&out, &platform.identity)?;
    let todo: Vec<&Case> = cases.iter().filter(|c| !done.contains_key(&c.name())).collect();
    progress::step(&format!(
        "{} on {} ({}): {} to run, {} done before, results in {}",
        platform.identity.platform,
        platform.identity.device,
        platform.identity.driver,
        todo.len(),
        cases.len() - todo.len(),
        out.display()
    ));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args
        .jobs
        .unwrap_or(if slug.contains("llvmpipe") { cores } else { 1 })
        .max(1);
    let bar = progress::Bar::new(todo.len());
    let next = AtomicUsize::new(0);
    let shared = Mutex::new((folder, Vec::new(), None));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(case) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let log = lock(&shared).0.log(&case.name());
                    let threads = (cores / jobs).max(1);
                    let result = run_case(case, platform, args, &log, threads);
                    let mut state = lock(&shared);
                    match result.and_then(|record| state.0.append(&record).map(|()| record)) {
                        Ok(record) => {
                            bar.finished(&record.name, record.status.word());
                            state.1.push(record);
                        }
                        Err(e) => state.2 = Some(e),
                    }
                }
            });
        }
    });
    let (_, records, failure) = shared
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(failure) = failure {
        return Err(failure);
    }
    done.extend(records.into_iter().map(|r| (r.name.clone(), r)));
    Ok(cases
        .iter()
        .filter_map(|c| done.get(&c.name()).cloned())
        .collect())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn run_case(
    case: &Case,
    platform: &Platform,
    args: &RunArgs,
    log: &Path,
    threads: usize,
) -> Result<Record, Failure> {
    let results = log.with_extension("json");
    // A result of an earlier, interrupted attempt must not be taken for this one's.
    let _ = std::fs::remove_file(&results);
    let output = File::create(log)?;
    let mut command = Command::new(&case.program);
    command
        .arg(&case.subtest)
        .env("OCL_ICD_VENDORS", &platform.vendors)
        .env("CL_DEVICE_TYPE", "all")
        .env("CL_CONFORMANCE_RESULTS_FILENAME", &results)
        .env("LP_NUM_THREADS", threads.to_string())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    if let Some(dir) = case.program.parent() {
        command.current_dir(dir);
    }
    if !args.full {
        command.arg("-w");
    }
    if args.validation {
        command.env("CALDERA_VALIDATION", "1").env("CALDERA_LOG", "warn");
    }
    let start = Instant::now();
    let exit = wait(command.spawn()?, Duration::from_secs(args.timeout))?;
    let mut status = judge(
        exit,
        std::fs::read_to_string(&results).ok().as_deref(),
        &case.subtest,
    );
    let _ = std::fs::remove_file(&results);
    if args.validation && status == Status::Pass {
        let text = String::from_utf8_lossy(&std::fs::read(log)?).into_owned();
        if text.contains("Validation Error") || text.contains("VUID-") {
            status = Status::Fail;
        }
    }
    Ok(Record {
        name: case.name(),
        status,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Waits, up to the timeout; `None` is a timeout, and the process is gone then.
fn wait(mut child: Child, timeout: Duration) -> Result<Option<ExitStatus>, Failure> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > timeout {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// What exit status and result file say together. A suite that dies after writing its result has crashed.
fn judge(exit: Option<ExitStatus>, results: Option<&str>, subtest: &str) -> Status {
    let Some(exit) = exit else { return Status::Timeout };
    if exit.signal().is_some() {
        return Status::Crash;
    }
    let parsed = results.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    match parsed.as_ref().and_then(|v| v["results"][subtest].as_str()) {
        Some("pass") if exit.success() => Status::Pass,
        Some("skip") => Status::Skip,
        Some(_) => Status::Fail,
        None => Status::Crash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(code: i32) -> Option<ExitStatus> {
        Some(ExitStatus::from_raw(code << 8))
    }

    #[test]
    fn judgement_needs_exit_status_and_result() {
        let file = |r: &str| format!("{{\"results\": {{\"if\": \"{r}\"}}}}");
        assert_eq!(judge(exit(0), Some(&file("pass")), "if"), Status::Pass);
        assert_eq!(judge(exit(1), Some(&file("pass")), "if"), Status::Fail);
        assert_eq!(judge(exit(0), Some(&file("skip")), "if"), Status::Skip);
        assert_eq!(judge(exit(1), Some(&file("fail")), "if"), Status::Fail);
        assert_eq!(judge(exit(1), None, "if"), Status::Crash);
        assert_eq!(
            judge(Some(ExitStatus::from_raw(11)), Some(&file("pass")), "if"),
            Status::Crash
        );
        assert_eq!(judge(None, None, "if"), Status::Timeout);
    }

    #[test]
    fn a_hanging_process_is_ended() {
        let child = Command::new("sleep").arg("30").spawn().unwrap();
        let start = Instant::now();
        assert!(wait(child, Duration::from_millis(100)).unwrap().is_none());
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn a_crash_is_seen() {
        let child = Command::new("sh").args(["-c", "kill -SEGV $$"]).spawn().unwrap();
        let exit = wait(child, Duration::from_secs(10)).unwrap();
        assert_eq!(judge(exit, None, "if"), Status::Crash);
    }
}
