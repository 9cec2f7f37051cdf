//! Processes of the CTS: each in a group of its own, so that ending one ends what it started; watched through what
//! it writes.

use crate::Failure;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Bytes of output after which a process is ended.
const MOST_OUTPUT: u64 = 256 << 20;

/// Set by the first Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The groups that run.
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn groups() -> std::sync::MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// From now on Ctrl-C (and SIGTERM, SIGHUP) stops the run in order; the second one stops it at once.
#[expect(
    clippy::exit,
    reason = "whoever presses Ctrl-C twice wants no more tidying up"
)]
pub(super) fn catch_interrupts() -> Result<(), Failure> {
    Ok(ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            for group in groups().iter() {
                let _ = killpg(Pid::from_raw(*group), Signal::SIGKILL);
            }
            std::process::exit(130);
        }
    })?)
}

/// Whether Ctrl-C was pressed.
pub(super) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Ties this thread and the processes that it will start to its share of the cores: the `slot`-th `threads` of those
/// that the harness may use. Programs that count the cores to see how many threads they may have count these.
pub(super) fn pin(slot: usize, threads: usize) -> Result<(), Failure> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let cores = (0..CpuSet::count()).filter(|c| allowed.is_set(*c).unwrap_or(false));
    let mut mine = CpuSet::new();
    let mut any = false;
    for core in cores.skip(slot * threads).take(threads) {
        mine.set(core)?;
        any = true;
    }
    if any {
        sched_setaffinity(Pid::from_raw(0), &mine)?;
    }
    Ok(())
}

/// How a process ended.
#[derive(Debug)]
pub(super) enum End {
    Exited(ExitStatus),
    /// It had its time and was ended.
    Timeout,
    /// It wrote too much and was ended.
    Flood,
    /// The run was interrupted and it was ended.
    Interrupted,
}

/// What is told to someone who follows a process.
pub(super) trait Follow {
    /// The process wrote a line. Whether the clock starts anew.
    fn line(&mut self, text: &str) -> bool;
}

/// Runs a command whose output goes to `log`; `limit` counts from the start or from the last line that restarted
/// the clock.
pub(super) fn run(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    follow: &mut dyn Follow,
) -> Result<End, Failure> {
    if interrupted() {
        return Ok(End::Interrupted);
    }
    let mut group = Group::start(command)?;
    let mut tail = Tail::open(log)?;
    let mut since = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        let ended = group.child.try_wait()?;
        for line in tail.new_lines()? {
            if follow.line(&line) {
                since = Instant::now();
            }
        }
        if let Some(status) = ended {
            return Ok(End::Exited(status));
        }
        // What is started and not yet waited for is ended by `Group`'s drop.
        if interrupted() {
            return Ok(End::Interrupted);
        }
        if since.elapsed() > limit {
            return Ok(End::Timeout);
        }
        if tail.at > MOST_OUTPUT {
            return Ok(End::Flood);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// A process and all that it starts; ended when dropped.
struct Group {
    child: Child,
    id: i32,
}

impl Group {
    fn start(command: &mut Command) -> Result<Group, Failure> {
        let program = command.get_program().to_owned();
        // The lock is held over the start, so that the second Ctrl-C misses no process.
        let mut all = groups();
        let child = command
            .process_group(0)
            .spawn()
            .map_err(|e| Failure(format!("{}: {e}", program.to_string_lossy())))?;
        let id = i32::try_from(child.id())?;
        all.insert(id);
        Ok(Group { child, id })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Also after an orderly end: what it left behind in its group must not stay.
        let _ = killpg(Pid::from_raw(self.id), Signal::SIGKILL);
        let _ = self.child.wait();
        groups().remove(&self.id);
    }
}

/// The lines that a file grows by.
struct Tail {
    file: std::fs::File,
    at: u64,
    rest: Vec<u8>,
}

impl Tail {
    fn open(path: &Path) -> Result<Tail, Failure> {
        let file = std::fs::File::open(path)?;
        let rest = Vec::new();
        Ok(Tail { file, at: 0, rest })
    }

    fn new_lines(&mut self) -> Result<Vec<String>, Failure> {
        let length = self.file.metadata()?.len();
        if length <= self.at {
            return Ok(Vec::new());
        }
        self.file.seek(SeekFrom::Start(self.at))?;
        // Not more than is there now, in steps: a process may write without end.
        let mut new = Vec::new();
        let step = (length - self.at).min(4 << 20);
        Read::by_ref(&mut self.file).take(step).read_to_end(&mut new)?;
        self.at += new.len() as u64;
        self.rest.extend(new);
        let end = self.rest.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        let lines = whole
            .split_inclusive(|b| *b == b'\n')
            .map(|l| String::from_utf8_lossy(l.trim_ascii_end()).into_owned())
            .collect();
        // No line of interest is that long.
        if self.rest.len() > 1 << 20 {
            self.rest.clear();
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::process::ExitStatusExt;

    struct Lines(Vec<String>);

    impl Follow for Lines {
        fn line(&mut self, text: &str) -> bool {
            self.0.push(text.to_owned());
            true
        }
    }

    fn shell(name: &str, script: &str, limit: f64) -> (End, Vec<String>) {
        let log = std::env::temp_dir().join(format!("caldera-process-{}-{name}", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(File::create(&log).unwrap());
        let mut lines = Lines(Vec::new());
        let end = run(&mut command, &log, Duration::from_secs_f64(limit), &mut lines).unwrap();
        std::fs::remove_file(log).unwrap();
        (end, lines.0)
    }

    #[test]
    fn lines_are_followed_to_the_last() {
        let (end, lines) = shell("lines", "echo a; printf b; echo c", 60.0);
        assert!(matches!(end, End::Exited(s) if s.success()));
        assert_eq!(lines, ["a", "bc"]);
    }

    #[test]
    fn a_hanging_process_is_ended() {
        let start = Instant::now();
        let (end, _) = shell("hang", "sleep 60 & wait", 0.2);
        assert!(matches!(end, End::Timeout), "{end:?}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_line_restarts_the_clock() {
        let script = "for i in 1 2 3 4; do sleep 0.3; echo $i; done";
        let (end, lines) = shell("clock", script, 0.9);
        assert!(matches!(end, End::Exited(_)), "{end:?}");
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn a_pinned_thread_starts_pinned_processes() {
        let cores = || {
            let (_, lines) = shell("cores", "grep -i cpus_allowed_list /proc/self/status", 60.0);
            lines[0].clone()
        };
        std::thread::spawn(move || {
            pin(0, 1).unwrap();
            let list = cores();
            assert!(!list.contains(['-', ',']), "{list}");
            // There is no such slot: nothing changes.
            pin(9999, 1).unwrap();
            assert_eq!(cores(), list);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_signal_is_seen() {
        let (end, _) = shell("signal", "kill -SEGV $$", 60.0);
        assert!(matches!(end, End::Exited(s) if s.signal() == Some(11)), "{end:?}");
    }
}
