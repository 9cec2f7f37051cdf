//! Ctrl-C: the first ends a run in order, the second at once.

use crate::Failure;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Set by the first Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The groups that run.
static GROUPS: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

fn groups() -> MutexGuard<'static, BTreeSet<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on Ctrl-C (and SIGTERM, SIGHUP) ends the children and is to be asked for by `interrupted`; the second one
/// does not wait for that. Children are in groups of their own, which a terminal's Ctrl-C does not reach.
#[expect(
    clippy::exit,
    reason = "whoever presses Ctrl-C twice wants no more tidying up"
)]
pub(crate) fn catch_interrupts() -> Result<(), Failure> {
    Ok(ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            for group in groups().iter() {
                let _ = killpg(*group, Signal::SIGKILL);
            }
            std::process::exit(130);
        }
    })?)
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Starts a child as leader of its own group.
pub(super) fn start(command: &mut Command) -> io::Result<Pid> {
    // The lock is held over the start, so that the second Ctrl-C misses none.
    let mut all = groups();
    let child = command.process_group(0).spawn()?;
    let leader = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    all.insert(leader);
    Ok(leader)
}

/// The group is gone; its number may soon be another's.
pub(super) fn forget(leader: Pid) {
    groups().remove(&leader);
}
