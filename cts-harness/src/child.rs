//! A child process with limits: ended with its descendants when its time is over, and what it cost.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// What a child may take.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Limits {
    /// From start to exit.
    pub(crate) time: Duration,
    /// Bytes of address space (`RLIMIT_AS`), for the child and each of its descendants.
    pub(crate) memory: Option<u64>,
}

/// How a child ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Code(i32),
    Signal(i32),
    /// Its time was over; its process group is gone.
    Timeout,
}

/// What became of a child, and what it cost.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Report {
    pub(crate) end: End,
    /// User and system time, with the descendants that it waited for.
    pub(crate) cpu: Duration,
    /// Bytes of the largest resident set. Never below that of the harness itself: Linux counts from before `exec`.
    pub(crate) peak: u64,
}

/// Runs a command to its end or its limits. Standard streams are the caller's choice; the child leads a process group
/// of its own, which is killed at the time limit.
pub(crate) fn run(command: &mut Command, limits: Limits) -> io::Result<Report> {
    let start = Instant::now();
    let child = command.process_group(0).spawn()?;
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    if let Some(bytes) = limits.memory {
        limit_address_space(pid, bytes);
    }
    let mut pause = Duration::from_micros(500);
    let mut late = false;
    loop {
        if let Some((status, usage)) = reap(pid)? {
            return Ok(Report {
                end: if late { End::Timeout } else { end(status) },
                cpu: time(usage.ru_utime) + time(usage.ru_stime),
                peak: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
            });
        }
        if !late && start.elapsed() > limits.time {
            late = true;
            kill_group(pid);
        }
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(20));
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

/// The exit status and the cost of a child of ours, if it has ended.
fn reap(pid: libc::pid_t) -> io::Result<Option<(ExitStatus, libc::rusage)>> {
    let mut status = 0;
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are to live memory of the types that wait4(2) writes; `pid` is a child that only this
    // function waits for.
    let got = unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, usage.as_mut_ptr()) };
    if got == pid {
        // SAFETY: zeroed memory is a valid `rusage` (integers only), and wait4 has filled it.
        let usage = unsafe { usage.assume_init() };
        return Ok(Some((ExitStatus::from_raw(status), usage)));
    }
    match io::Error::last_os_error() {
        _ if got == 0 => Ok(None),
        e if e.kind() == io::ErrorKind::Interrupted => Ok(None),
        e => Err(e),
    }
}

fn kill_group(pid: libc::pid_t) {
    // SAFETY: no memory is involved. The child has not been waited for, so its number and its group are still its own.
    unsafe { libc::kill(-pid, libc::SIGKILL) };
}

/// A child that has ended already needs no limit, so the result is of no interest.
fn limit_address_space(pid: libc::pid_t, bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: `limit` is live and is only read; the old limit is not asked for.
    unsafe { libc::prlimit(pid, libc::RLIMIT_AS, &raw const limit, std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limits: Limits) -> Report {
        run(Command::new("sh").args(["-c", script]), limits).unwrap()
    }

    const ROOMY: Limits = Limits {
        time: Duration::from_secs(60),
        memory: None,
    };

    #[test]
    fn ends_are_told_apart() {
        assert_eq!(sh("exit 3", ROOMY).end, End::Code(3));
        assert_eq!(sh("kill -SEGV $$", ROOMY).end, End::Signal(libc::SIGSEGV));
    }

    /// The descendant holds on to the child's output and would run for a minute.
    #[test]
    fn a_hanging_child_goes_with_its_descendants() {
        let start = Instant::now();
        let limits = Limits {
            time: Duration::from_millis(100),
            memory: None,
        };
        let report = sh("sleep 60 & sleep 60", limits);
        assert_eq!(report.end, End::Timeout);
        assert!(start.elapsed() < Duration::from_secs(10));
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
        // 512 MiB in one variable; the pause lets the limit arrive first.
        let script = "sleep 0.2; x=$(head -c 512M /dev/zero | tr '\\0' x) && [ ${#x} -gt 500000000 ]";
        assert_ne!(sh(script, limits).end, End::Code(0));
    }
}
