//! Events (CL 5.9, 5.11, 5.12).

pub mod executor;

use std::sync::Arc;

use crate::command::CommandType;
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::object::Anchor;
use crate::queue::CommandQueue;

/// CL_EVENT_COMMAND_EXECUTION_STATUS.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    Queued,
    Submitted,
    Running,
    Complete,
    /// A negative number: an OpenCL code, or what the application gave a user event.
    Failed(i32),
}

impl Status {
    /// As `cl_int`.
    pub fn number(self) -> i32 {
        match self {
            Status::Queued => 3,
            Status::Submitted => 2,
            Status::Running => 1,
            Status::Complete => 0,
            Status::Failed(n) => n,
        }
    }

    /// From `cl_int`; `None` above CL_QUEUED.
    pub fn from_number(n: i32) -> Option<Status> {
        match n {
            3 => Some(Status::Queued),
            2 => Some(Status::Submitted),
            1 => Some(Status::Running),
            0 => Some(Status::Complete),
            n if n < 0 => Some(Status::Failed(n)),
            _ => None,
        }
    }

    /// Complete or failed.
    pub fn is_final(self) -> bool {
        matches!(self, Status::Complete | Status::Failed(_))
    }
}

/// CL_PROFILING_COMMAND_*.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ProfilingPoint {
    Queued,
    Submit,
    Start,
    End,
}

/// Called once with the status reached. Runs on the context's executor thread with no lock held.
pub type Callback = Box<dyn FnOnce(Status) + Send>;

/// The state of a command, or a user event.
pub struct Event {
    anchor: Anchor<Event>,
    context: Arc<Context>,
    queue: Option<Arc<CommandQueue>>,
    command: CommandType,
}

impl_object!(Event, ClCode::InvalidEvent, "event");

impl Event {
    /// CL 5.9 — clCreateUserEvent
    pub fn user(context: &Arc<Context>) -> Arc<Event> {
        Arc::new(Event {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            queue: None,
            command: CommandType::User,
        })
    }

    /// CL_EVENT_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// CL_EVENT_COMMAND_QUEUE; `None` for user events.
    pub fn queue(&self) -> Option<&Arc<CommandQueue>> {
        self.queue.as_ref()
    }

    /// CL_EVENT_COMMAND_TYPE.
    pub fn command_type(&self) -> CommandType {
        self.command
    }

    /// CL_EVENT_COMMAND_EXECUTION_STATUS, as it is now. Never blocks on the GPU.
    pub fn status(&self) -> Status {
        Status::Queued
    }

    /// CL 5.9 — clSetUserEventStatus. Releases or fails what waits for the event.
    pub fn set_user_status(self: &Arc<Self>, status: Status) -> Result<()> {
        let _ = status;
        Err(Error::new(
            ClCode::InvalidOperation,
            "user events are not implemented yet",
        ))
    }

    /// CL 5.9 — clSetEventCallback. `at` is Submitted, Running or Complete (the caller has checked); the callback
    /// gets that status, or the negative one of a failed command.
    pub fn on_status(self: &Arc<Self>, at: Status, callback: Callback) {
        let _ = (at, callback);
    }

    /// CL 5.12 — clGetEventProfilingInfo, nanoseconds. PROFILING_INFO_NOT_AVAILABLE for user events, queues
    /// without profiling and commands that are not complete.
    pub fn profiling(&self, point: ProfilingPoint) -> Result<u64> {
        let _ = point;
        Err(Error::new(ClCode::ProfilingInfoNotAvailable, "not implemented yet").at("5.12"))
    }

    /// CL 5.9 — clWaitForEvents. Checks contexts, flushes the queues involved and waits for all.
    /// EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if one failed.
    pub fn wait_all(events: &[Arc<Event>]) -> Result<()> {
        let _ = events;
        Err(Error::new(
            ClCode::InvalidOperation,
            "waiting is not implemented yet",
        ))
    }
}
