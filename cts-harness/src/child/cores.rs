//! Divides the cores among child processes.

use crate::Failure;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Binds this thread and the children that it will start to a part of the cores that the harness may use:
/// part number `slot`, of `threads` cores. Programs that use one thread per available core then start
/// `threads` threads. Without such a part, nothing changes.
pub(crate) fn pin(slot: usize, threads: usize) -> Result<(), Failure> {
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
