//! What this process and its children cost.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Returns the resident memory in bytes.
pub(crate) fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// Returns the CPU time of all threads in seconds, user and system.
pub(crate) fn processor_seconds() -> f64 {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.map_or(0.0, |t| t.tv_sec() as f64 + t.tv_nsec() as f64 * 1e-9)
}

/// Returns the CPU time in seconds, user and system, of the children that have ended, with that of their descendants.
pub(crate) fn processor_seconds_of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    let seconds = |t: TimeVal| t.tv_sec() as f64 + t.tv_usec() as f64 * 1e-6;
    usage.map_or(0.0, |u| seconds(u.user_time()) + seconds(u.system_time()))
}
