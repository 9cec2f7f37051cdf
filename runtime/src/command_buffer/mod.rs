//! Command-buffers (cl_khr_command_buffer): commands that are recorded once and executed many times.
//!
//! Each command is checked and prepared when it is recorded, as an enqueue call does it, and becomes a *step*. An
//! execution is one command of a queue (`command::replay`), which records all steps into the open batch. So
//! wait lists, user events, several devices and failures need no other mechanism than those of any command, and a
//! step costs what recording a prepared command costs.
//!
//! An execution has the list of steps that the command-buffer has at the time of the enqueue call. An update
//! ([`mutable`]) replaces steps in the list and changes none, so it does not concern executions that are deferred, and
//! nothing is to be waited for. For the same reason the command-buffer may be executed by several queues at once.

pub mod mutable;

use std::sync::Arc;

use crate::command::replay::{Action, Replay, Step};
use crate::command::{Command, CommandType, Prepared};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::kernel::recorded::RecordedLaunch;
use crate::lock::{Mutex, Rank};
use crate::mem::Properties;
use crate::object::Anchor;
use crate::queue::{CommandQueue, Enqueued, Waits};
use mutable::{MutableCommand, Recipe};

/// The flags of CL_COMMAND_BUFFER_FLAGS_KHR, and CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// CL_COMMAND_BUFFER_MUTABLE_KHR.
    pub mutable: bool,
    /// CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR.
    pub no_more_work_groups: bool,
}

/// CL_COMMAND_BUFFER_STATE_KHR.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// Commands can be recorded.
    Recording,
    /// No more commands can be recorded, and an argument of a kernel is not set.
    Finalized,
    /// It can be executed.
    Executable,
}

/// A command-buffer object.
pub struct CommandBuffer {
    anchor: Anchor<CommandBuffer>,
    queue: Arc<CommandQueue>,
    flags: Flags,
    property_list: Properties,
    contents: Mutex<Contents>,
}

impl_object!(CommandBuffer, ClCode::InvalidCommandBufferKhr, "command-buffer");

impl std::fmt::Debug for CommandBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandBuffer")
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

struct Contents {
    is_final: bool,
    steps: Arc<Vec<Arc<Step>>>,
    /// The commands whose handles the application has. Their handles are valid as long as the command-buffer exists.
    handles: Vec<Arc<MutableCommand>>,
}

impl Contents {
    fn state(&self) -> State {
        let is_complete = |step: &Arc<Step>| match &step.action {
            Action::Launch(launch) => launch.is_complete(),
            Action::Command(_) => true,
        };
        match self.is_final {
            false => State::Recording,
            true if self.steps.iter().all(is_complete) => State::Executable,
            true => State::Finalized,
        }
    }

    /// CL, clCommand*: INVALID_OPERATION if command_buffer has been finalized
    fn check_recording(&self) -> Result<()> {
        match self.is_final {
            true => Err(Error::new(
                ClCode::InvalidOperation,
                "the command-buffer has been finalized",
            )),
            false => Ok(()),
        }
    }
}

/// Returns the sync-point of the step with this index. Sync-points are not 0, so that programs may use 0 for none.
fn sync_point(index: usize) -> Result<u32> {
    // CL, cl_khr_command_buffer: OUT_OF_RESOURCES if there would be more than CL_UINT_MAX commands
    u32::try_from(index + 1)
        .map_err(|_| Error::new(ClCode::OutOfResources, "too many commands in a command-buffer"))
}

impl CommandBuffer {
    /// Creates a command-buffer (clCreateCommandBufferKHR) for a queue.
    pub fn create(queue: &Arc<CommandQueue>, flags: Flags) -> Arc<CommandBuffer> {
        let contents = Contents {
            is_final: false,
            steps: Arc::default(),
            handles: Vec::new(),
        };
        Arc::new(CommandBuffer {
            anchor: Anchor::new(),
            queue: Arc::clone(queue),
            flags,
            property_list: Properties::default(),
            contents: Mutex::new(Rank::CommandBuffer, contents),
        })
    }

    /// Returns the queue of CL_COMMAND_BUFFER_QUEUES_KHR.
    pub fn queue(&self) -> &Arc<CommandQueue> {
        &self.queue
    }

    /// Returns CL_COMMAND_BUFFER_CONTEXT_KHR.
    pub fn context(&self) -> &Arc<Context> {
        self.queue.context()
    }

    /// Returns the flags.
    pub fn flags(&self) -> Flags {
        self.flags
    }

    /// Returns the list of CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR.
    pub fn property_list(&self) -> &Properties {
        &self.property_list
    }

    /// Returns CL_COMMAND_BUFFER_STATE_KHR.
    pub fn state(&self) -> State {
        self.contents.lock().state()
    }

    /// Checks that commands can be recorded.
    pub fn check_recording(&self) -> Result<()> {
        self.contents.lock().check_recording()
    }

    /// Checks a list of sync-points. CL, clCommand*: INVALID_SYNC_POINT_WAIT_LIST_KHR if they are not valid
    pub fn check_sync_points(&self, list: &[u32]) -> Result<()> {
        let count = self.contents.lock().steps.len();
        let is_valid = |point: &u32| *point != 0 && *point as usize <= count;
        match list.iter().all(is_valid) {
            true => Ok(()),
            false => Err(Error::new(
                ClCode::InvalidSyncPointWaitListKhr,
                "no sync-point of the command-buffer",
            )),
        }
    }

    /// Records a command after valid sync-points. Returns its sync-point.
    pub fn record(&self, prepared: Prepared, after: &[u32]) -> Result<u32> {
        self.push(Action::Command(prepared.command), after, |_| None)
    }

    /// Records a barrier (clCommandBarrierWithWaitListKHR) after valid sync-points, or after all commands so far if
    /// there are none. Later commands wait for it. Returns its sync-point.
    pub fn record_barrier(&self, after: &[u32]) -> Result<u32> {
        self.push(Action::Command(Command::Barrier), after, |_| None)
    }

    /// Records a launch after valid sync-points. Returns its sync-point. With a recipe, it gets a handle.
    pub fn record_launch(
        self: &Arc<Self>,
        launch: RecordedLaunch,
        recipe: Option<Recipe>,
        after: &[u32],
    ) -> Result<(u32, Option<Arc<MutableCommand>>)> {
        let mut handle = None;
        let point = self.push(Action::Launch(Box::new(launch)), after, |index| {
            handle = recipe.map(|recipe| MutableCommand::new(self, index, recipe));
            handle.clone()
        })?;
        Ok((point, handle))
    }

    fn push(
        &self,
        action: Action,
        after: &[u32],
        handle: impl FnOnce(usize) -> Option<Arc<MutableCommand>>,
    ) -> Result<u32> {
        let is_barrier = matches!(action, Action::Command(Command::Barrier));
        let in_order = !self.queue.properties().out_of_order;
        let mut contents = self.contents.lock();
        contents.check_recording()?;
        let index = contents.steps.len();
        let point = sync_point(index)?;
        // A queue that is in order adds a dependency on the command before.
        let all = in_order || (is_barrier && after.is_empty());
        let after = match all {
            true => index.checked_sub(1).map(|last| last as u32),
            // Sync-points are one greater than the indices.
            false => after.iter().max().map(|point| point - 1),
        };
        Arc::make_mut(&mut contents.steps).push(Arc::new(Step { action, after }));
        let handle = handle(index);
        contents.handles.extend(handle);
        Ok(point)
    }

    /// Ends the recording (clFinalizeCommandBufferKHR).
    pub fn finalize(&self) -> Result<()> {
        let mut contents = self.contents.lock();
        // CL, clFinalizeCommandBufferKHR: INVALID_OPERATION if command_buffer is not in the Recording state
        contents.check_recording()?;
        contents.is_final = true;
        Ok(())
    }

    /// Checks that the command-buffer can be executed. CL, clEnqueueCommandBufferKHR: INVALID_OPERATION if
    /// command_buffer is not in the Executable state
    pub fn check_executable(&self) -> Result<()> {
        let why = match self.state() {
            State::Executable => return Ok(()),
            State::Recording => "the command-buffer has not been finalized",
            State::Finalized => "an argument of a kernel in the command-buffer is not set",
        };
        Err(Error::new(ClCode::InvalidOperation, why))
    }

    /// Executes the command-buffer (clEnqueueCommandBufferKHR) on a queue of its context and device.
    pub fn enqueue(&self, queue: &Arc<CommandQueue>, waits: Waits<'_>) -> Enqueued {
        let steps = {
            let contents = self.contents.lock();
            Arc::clone(&contents.steps)
        };
        let prepared = Prepared {
            kind: CommandType::CommandBuffer,
            command: Command::Replay(Replay { steps }),
        };
        queue.enqueue_prepared(prepared, waits)
    }

    /// Checks a queue for the execution. CL, clEnqueueCommandBufferKHR: INVALID_CONTEXT, INVALID_DEVICE if its context
    /// or its device is not that of the queue for which the command-buffer was created
    pub fn check_queue(&self, queue: &CommandQueue) -> Result<()> {
        queue.check_contexts([self.context()])?;
        match Arc::ptr_eq(queue.device(), self.queue.device()) {
            true => Ok(()),
            false => Err(Error::new(
                ClCode::InvalidDevice,
                "the command-buffer was recorded for another device",
            )),
        }
    }
}
