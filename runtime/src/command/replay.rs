//! The execution of a command-buffer (cl_khr_command_buffer): its commands are recorded one after the other, as one
//! command of the queue.
//!
//! A queue orders the steps by the memory that they access, as it orders its other commands (`queue/hazards.rs`). In
//! an out-of-order queue this does not suffice for kernels that may access any memory. There, a step that names steps to wait
//! for is ordered after all steps before it.

use std::sync::Arc;

use super::Command;
use crate::error::Result;
use crate::kernel::recorded::RecordedLaunch;
use crate::mem::migrate::Touch;
use crate::queue::Recording;

/// The commands of a command-buffer at the time of an execution.
#[derive(Clone, Default)]
pub(crate) struct Replay {
    pub steps: Arc<Vec<Arc<Step>>>,
}

/// A command of a command-buffer.
pub(crate) struct Step {
    pub action: Action,
    /// The last of the steps that the application has named as complete before this one begins.
    pub after: Option<u32>,
}

/// What a step does.
pub(crate) enum Action {
    Launch(Box<RecordedLaunch>),
    Command(Command),
}

impl Action {
    fn touches(&self) -> Vec<Touch> {
        match self {
            Action::Launch(launch) => launch.touches(),
            Action::Command(command) => command.touches(),
        }
    }
}

impl Replay {
    /// Returns how the steps use the contents of memory objects.
    pub(super) fn touches(&self) -> Vec<Touch> {
        self.steps.iter().flat_map(|s| s.action.touches()).collect()
    }

    /// Returns the number of steps, at least 1.
    pub(super) fn weight(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Records the steps.
    pub(super) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        // The steps before this index are complete before the next step begins, because of the last barrier.
        let mut ordered = 0;
        for (i, step) in self.steps.iter().enumerate() {
            let waits = step.after.is_some_and(|last| last as usize >= ordered);
            if i > 0 {
                r.next_step(waits);
            }
            if waits {
                ordered = i;
            }
            match &step.action {
                Action::Launch(launch) => launch.record(r)?,
                Action::Command(command) => command.record(r)?,
            }
        }
        r.forget_single();
        Ok(())
    }
}
