//! Runs child processes with limits. Each child leads its own process group, so that its descendants are
//! ended with it. The harness follows the child's output and measures its cost.

mod cores;
mod interrupt;
mod tail;

pub(crate) use cores::pin;
pub(crate) use interrupt::{catch_interrupts, interrupt, interrupted};

use crate::Failure;
use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tail::Tail;

/// A child is ended after it has written this many bytes.
const MOST_OUTPUT: u64 = 256 << 20;

#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    /// The time from the child's start, or from the last line that restarted the clock, to its exit.
    pub(crate) time: Duration,
    /// The limit for the address space in bytes (`RLIMIT_AS`), for the child and each of its descendants.
    pub(crate) memory: Option<u64>,
}

impl Limits {
    /// Returns a limit for the time only.
    pub(crate) const fn time(time: Duration) -> Limits {
        Limits { time, memory: None }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Code(i32),
    Signal(i32),
    /// The child exceeded its time limit and was ended.
    Timeout,
    /// The child wrote too much and was ended.
    Flood,
    /// Ctrl-C was pressed, and the child was ended or not started.
    Interrupted,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Code(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "ended by signal {signal}"),
            End::Timeout => f.write_str("no end in time"),
            End::Flood => f.write_str("it writes without end"),
            End::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// The end of a child and its cost.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Report {
    pub(crate) end: End,
    /// The user and system time, including the descendants that the child waited for.
    pub(crate) cpu: Duration,
    /// The maximum resident set size in bytes. It is never below that of the harness itself, because Linux
    /// counts from before `exec`.
    pub(crate) peak: u64,
}

/// Runs a command until it ends or exceeds its limits, and writes both output streams to the file `log`.
pub(crate) fn run(command: &mut Command, log: &Path, limits: Limits) -> Result<Report, Failure> {
    follow(command, log, limits, &mut |_| false)
}

/// Runs a command until it ends or exceeds a time limit. Returns how it ended, and its output.
pub(crate) fn output(command: &mut Command, time: Duration) -> Result<(End, String), Failure> {
    let log = tempfile::NamedTempFile::new()?;
    let end = run(command, log.path(), Limits::time(time))?.end;
    let said = String::from_utf8_lossy(&std::fs::read(log.path())?)
        .trim()
        .to_owned();
    Ok((end, said))
}

/// Runs a command like [`run`], and calls `line` with every line that the child writes. If `line` returns
/// true, the time limit starts anew.
pub(crate) fn follow(
    command: &mut Command,
    log: &Path,
    limits: Limits,
    line: &mut dyn FnMut(&str) -> bool,
) -> Result<Report, Failure> {
    if interrupted() {
        return Ok(Report {
            end: End::Interrupted,
            cpu: Duration::ZERO,
            peak: 0,
        });
    }
    let group = Group::start(command, log)?;
    if let Some(bytes) = limits.memory {
        group.limit_address_space(bytes);
    }
    let mut tail = Tail::open(log)?;
    let mut since = Instant::now();
    let mut pause = Duration::from_micros(500);
    let early = loop {
        // This is checked before the lines are read, so that all lines of a child that has ended are read.
        let ended = group.has_ended()?;
        for text in tail.new_lines()? {
            if line(&text) {
                since = Instant::now();
            }
        }
        if ended && tail.is_at_end()? {
            break None;
        }
        if interrupted() {
            break Some(End::Interrupted);
        }
        if since.elapsed() > limits.time {
            break Some(End::Timeout);
        }
        if tail.position() > MOST_OUTPUT {
            break Some(End::Flood);
        }
        if !ended {
            std::thread::sleep(pause);
            pause = (pause * 5 / 4).min(Duration::from_millis(20));
        }
    };
    let (status, usage) = group.end()?;
    Ok(report(early, status, &usage))
}

/// A child that runs beside other work. Dropping it kills the child and its descendants.
pub(crate) struct Background {
    group: Group,
}

/// Starts a command, which writes both output streams to the file `log`.
pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Background, Failure> {
    Ok(Background {
        group: Group::start(command, log)?,
    })
}

impl Background {
    /// Waits until the child ends or Ctrl-C is pressed. Returns how it ended, and its cost.
    pub(crate) fn finish(self) -> Result<Report, Failure> {
        while !self.group.has_ended()? && !interrupted() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let ended = self.group.has_ended()?;
        let (status, usage) = self.group.end()?;
        let early = (!ended).then_some(End::Interrupted);
        Ok(report(early, status, &usage))
    }
}

/// Returns the command at the lowest priority, at which it gets the time that no other process wants.
pub(crate) fn at_lowest_priority(command: &Command) -> Command {
    let mut low = Command::new("nice");
    low.args(["-n", "19"])
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => low.env(name, value),
            None => low.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        low.current_dir(folder);
    }
    low
}

/// Describes the end of a child. `early` says why it was ended before it exited by itself.
fn report(early: Option<End>, status: ExitStatus, usage: &libc::rusage) -> Report {
    Report {
        end: early.unwrap_or_else(|| end(status)),
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        peak: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    }
}

fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}

fn time(t: libc::timeval) -> Duration {
    let seconds = u64::try_from(t.tv_sec).unwrap_or(0);
    let micros = u64::try_from(t.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}

/// A child and its descendants. Dropping it kills all processes of the group.
struct Group {
    leader: Pid,
    reaped: bool,
}

impl Group {
    /// Starts a command, which writes both output streams to the file `log`.
    fn start(command: &mut Command, log: &Path) -> Result<Group, Failure> {
        let output = File::create(log)?;
        command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output);
        let started = interrupt::start(command);
        let leader =
            started.map_err(|e| failure!("{} cannot be started: {e}", command.get_program().display()))?;
        Ok(Group {
            leader,
            reaped: false,
        })
    }

    /// Returns whether the leader has ended. The leader is not reaped yet, so that its process ID keeps
    /// identifying the group.
    fn has_ended(&self) -> Result<bool, Failure> {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        match waitid(Id::Pid(self.leader), flags) {
            Ok(WaitStatus::StillAlive) | Err(Errno::EINTR) => Ok(false),
            Ok(_) => Ok(true),
            Err(e) => Err(e.into()),
        }
    }

    /// Kills all processes of the group that still run, and returns the leader's exit status and cost.
    fn end(mut self) -> Result<(ExitStatus, libc::rusage), Failure> {
        self.reap()
    }

    fn reap(&mut self) -> Result<(ExitStatus, libc::rusage), Failure> {
        self.reaped = true;
        // This is done even if the leader has ended normally, because descendants may still run in its group.
        let _ = killpg(self.leader, Signal::SIGKILL);
        interrupt::forget(self.leader);
        Ok(wait(self.leader)?)
    }

    /// Limits the address space of the child. The result is ignored, because a child that has already ended
    /// needs no limit.
    fn limit_address_space(&self, bytes: u64) {
        let limit = libc::rlimit {
            rlim_cur: bytes,
            rlim_max: bytes,
        };
        // SAFETY: `limit` is a live `rlimit` that is only read, and the old limit is not requested.
        unsafe {
            libc::prlimit(
                self.leader.as_raw(),
                libc::RLIMIT_AS,
                &raw const limit,
                std::ptr::null_mut(),
            )
        };
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped {
            // The caller already returns another error.
            let _ = self.reap();
        }
    }
}

/// Waits for a child, and returns its exit status and cost.
fn wait(pid: Pid) -> io::Result<(ExitStatus, libc::rusage)> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    loop {
        // SAFETY: both pointers refer to live memory of the types that wait4(2) writes. `pid` is a child for
        // which only its `Group` waits.
        let got = unsafe { libc::wait4(pid.as_raw(), &raw mut status, 0, usage.as_mut_ptr()) };
        if got == pid.as_raw() {
            // SAFETY: zeroed memory is a valid `rusage`, which consists of integers, and wait4 has filled it.
            let usage = unsafe { usage.assume_init() };
            return Ok((ExitStatus::from_raw(status), usage));
        }
        match io::Error::last_os_error() {
            e if e.kind() == io::ErrorKind::Interrupted => {}
            e => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::NamedTempFile;

    const ROOMY: Limits = Limits::time(Duration::from_secs(60));

    fn within(seconds: f64) -> Limits {
        Limits::time(Duration::from_secs_f64(seconds))
    }

    fn sh(script: &str, limits: Limits) -> Report {
        lines(script, limits).0
    }

    /// Runs a script. Every line restarts the clock.
    fn lines(script: &str, limits: Limits) -> (Report, Vec<String>) {
        let log = NamedTempFile::new().unwrap();
        let mut lines = Vec::new();
        let mut line = |text: &str| {
            lines.push(text.to_owned());
            true
        };
        let report = follow(
            Command::new("sh").args(["-c", script]),
            log.path(),
            limits,
            &mut line,
        )
        .unwrap();
        (report, lines)
    }

    #[test]
    fn ends_are_told_apart() {
        assert_eq!(sh("exit 3", ROOMY).end, End::Code(3));
        assert_eq!(sh("kill -SEGV $$", ROOMY).end, End::Signal(libc::SIGSEGV));
        let log = NamedTempFile::new().unwrap();
        let why = run(&mut Command::new("no-such-program"), log.path(), ROOMY).unwrap_err();
        assert!(why.0.starts_with("no-such-program cannot be started"), "{why:?}");
    }

    #[test]
    fn children_in_the_background_end_by_themselves_or_when_they_are_dropped() {
        let log = NamedTempFile::new().unwrap();
        let mut script = Command::new("sh");
        script.args(["-c", "echo $A; exit 3"]).env("A", "b");
        let child = start(&mut at_lowest_priority(&script), log.path()).unwrap();
        assert_eq!(child.finish().unwrap().end, End::Code(3));
        assert_eq!(std::fs::read_to_string(log.path()).unwrap(), "b\n");
        let child = start(Command::new("sleep").arg("60"), log.path()).unwrap();
        let leader = child.group.leader;
        drop(child);
        assert_eq!(nix::sys::signal::kill(leader, None), Err(Errno::ESRCH));
    }

    #[test]
    fn both_streams_are_followed_to_the_last_line() {
        let (report, all) = lines("echo a; printf b >&2; echo c", ROOMY);
        assert_eq!(report.end, End::Code(0));
        assert_eq!(all, ["a", "bc"]);
        // This is more than is read at a time.
        let (_, all) = lines("yes 0123456789abcde | head -c 9600000", ROOMY);
        assert_eq!(all.len(), 600_000);
    }

    /// The descendant keeps the child's output open and would run for a minute.
    #[test]
    fn a_hanging_child_goes_with_its_descendants() {
        let start = Instant::now();
        assert_eq!(sh("sleep 60 & sleep 60", within(0.1)).end, End::Timeout);
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_line_restarts_the_clock() {
        let (report, all) = lines("for i in 1 2 3 4; do sleep 0.3; echo $i; done", within(0.9));
        assert_eq!((report.end, all.len()), (End::Code(0), 4));
    }

    #[test]
    fn an_orderly_child_leaves_nothing_behind() {
        let (_, all) = lines("sleep 60 & echo $!", ROOMY);
        // The entry of a process that has ended but has not been reaped has no working directory.
        let cwd = Path::new("/proc").join(&all[0]).join("cwd");
        let start = Instant::now();
        while cwd.exists() {
            assert!(start.elapsed() < Duration::from_secs(20), "it is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn cost_is_reported() {
        let report = sh("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", ROOMY);
        assert!(report.cpu > Duration::from_millis(1), "{report:?}");
        assert!(report.peak > 100 << 10, "{report:?}");
    }

    #[test]
    fn memory_is_limited() {
        let limits = Limits {
            memory: Some(256 << 20),
            ..ROOMY
        };
        // The variable has 512 MiB. The pause ensures that the limit is set first.
        let script = "sleep 0.2; x=$(head -c 512M /dev/zero | tr '\\0' x) && [ ${#x} -gt 500000000 ]";
        assert_ne!(sh(script, limits).end, End::Code(0));
    }

    #[test]
    fn a_pinned_thread_starts_pinned_children() {
        let cores = || {
            lines("grep -i cpus_allowed_list /proc/self/status", ROOMY)
                .1
                .remove(0)
        };
        std::thread::spawn(move || {
            pin(0, 1).unwrap();
            let list = cores();
            assert!(!list.contains(['-', ',']), "{list}");
            // There is no such slot, so nothing changes.
            pin(9999, 1).unwrap();
            assert_eq!(cores(), list);
        })
        .join()
        .unwrap();
    }
}
