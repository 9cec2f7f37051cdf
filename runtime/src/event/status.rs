//! Execution status and profiling points, with OpenCL's numbers.

/// CL_EVENT_COMMAND_EXECUTION_STATUS.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// CL_QUEUED.
    Queued,
    /// CL_SUBMITTED.
    Submitted,
    /// CL_RUNNING.
    Running,
    /// CL_COMPLETE.
    Complete,
    /// A negative number: an OpenCL error code, or the status that the application gave a user event.
    Failed(i32),
}

impl Status {
    /// Returns the status as `cl_int`.
    pub fn number(self) -> i32 {
        match self {
            Status::Queued => 3,
            Status::Submitted => 2,
            Status::Running => 1,
            Status::Complete => 0,
            Status::Failed(n) => n,
        }
    }

    /// Converts from `cl_int`; returns `None` for numbers greater than CL_QUEUED.
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

    /// Returns whether the status is complete or failed.
    pub fn is_final(self) -> bool {
        matches!(self, Status::Complete | Status::Failed(_))
    }
}

/// CL_PROFILING_COMMAND_*.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ProfilingPoint {
    /// CL_PROFILING_COMMAND_QUEUED.
    Queued,
    /// CL_PROFILING_COMMAND_SUBMIT.
    Submit,
    /// CL_PROFILING_COMMAND_START.
    Start,
    /// CL_PROFILING_COMMAND_END.
    End,
}
