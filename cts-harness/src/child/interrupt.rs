//! Handles Ctrl-C. The first one ends a run cleanly, the second one ends it at once.

use crate::Failure;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C has been pressed, or the command is to end for another reason.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The process groups that are running.
static GROUPS: Mutex<BTreeSet<Pid>> = Mutex::new(BTreeSet::new());

/// Installs a handler for Ctrl-C (SIGINT), SIGTERM and SIGHUP. After the first signal, [`interrupted`]
/// returns true, and the runs end their children. The second signal kills all children and ends the harness
/// at once. The children are in process groups of their own, so a Ctrl-C at the terminal does not reach them.
#[expect(
    clippy::exit,
    reason = "whoever presses Ctrl-C twice wants no more tidying up"
)]
pub(crate) fn catch_interrupts() -> Result<(), Failure> {
    Ok(ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            for group in GROUPS.lock().iter() {
                let _ = killpg(*group, Signal::SIGKILL);
            }
            std::process::exit(130);
        }
    })?)
}

/// Makes the command end as after the first Ctrl-C.
pub(crate) fn interrupt() {
    INTERRUPTED.store(true, Ordering::SeqCst);
}

/// Returns whether Ctrl-C has been pressed or [`interrupt`] has been called.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Starts a child as the leader of its own process group.
pub(super) fn start(command: &mut Command) -> io::Result<Pid> {
    // The lock is held while the child is started, so that the second Ctrl-C kills every child.
    let mut all = GROUPS.lock();
    let child = command.process_group(0).spawn()?;
    let leader = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    all.insert(leader);
    Ok(leader)
}

/// Removes a group that has ended. The system may use its number for another group soon.
pub(super) fn forget(leader: Pid) {
    GROUPS.lock().remove(&leader);
}
