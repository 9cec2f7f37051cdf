//! Shares of the cores.

use crate::Failure;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Ties this thread and the children that it will start to its share of the cores: the `slot`-th `threads` of those
/// that the harness may use. Programs that count the cores to see how many threads they may have count these.
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
