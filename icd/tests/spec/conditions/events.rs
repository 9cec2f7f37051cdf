//! 5.9, 5.12: events and their profiling.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use super::objects::UNKNOWN;
use super::world::{World, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

unsafe extern "C" fn never(_: cl_event, _: cl_int, _: *mut c_void) {}

/// Returns the event of a command in a queue without profiling.
fn command(w: &World) -> cl_event {
    let mut event = null_mut();
    assert_eq!(
        cl!(clEnqueueMarkerWithWaitList(w.s.queue, 0, null(), &raw mut event)),
        0
    );
    event
}

fn profiling(event: cl_event, what: cl_uint, size: usize) -> cl_int {
    cl!(clGetEventProfilingInfo(event, what, size, room(), null_mut()))
}

/// Returns the event of a command in a queue with profiling. The command is done, or waits for a user event.
fn profiled(w: &World, done: bool) -> cl_event {
    let (queue, code) = created!(clCreateCommandQueue(
        w.s.context,
        w.s.device,
        CL_QUEUE_PROFILING_ENABLE
    ));
    assert_eq!(code, 0);
    let mut event = null_mut();
    let (n, list) = if done {
        (0, null())
    } else {
        (1, &raw const w.waiting)
    };
    assert_eq!(
        cl!(clEnqueueMarkerWithWaitList(queue, n, list, &raw mut event)),
        0
    );
    if done {
        assert_eq!(cl!(clFinish(queue)), 0);
    }
    event
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("5.9", clCreateUserEvent,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| created!(clCreateUserEvent(h)).1),
    );
    all.extend(rows!("5.9", clSetUserEventStatus,
        CL_INVALID_EVENT "event is not valid" => |w| w.none(|h| cl!(clSetUserEventStatus(h, 0))),
        CL_INVALID_EVENT "event is that of a command" => |w| cl!(clSetUserEventStatus(command(w), 0)),
        CL_INVALID_VALUE "execution_status is CL_SUBMITTED" => |w| cl!(clSetUserEventStatus(w.waiting, CL_SUBMITTED)),
        CL_INVALID_VALUE "execution_status is CL_RUNNING" => |w| cl!(clSetUserEventStatus(w.waiting, CL_RUNNING)),
        CL_INVALID_VALUE "execution_status is CL_QUEUED" => |w| cl!(clSetUserEventStatus(w.waiting, CL_QUEUED)),
        CL_INVALID_VALUE "execution_status is none" => |w| cl!(clSetUserEventStatus(w.waiting, 17)),
        CL_INVALID_OPERATION "the status has been set to CL_COMPLETE" => |w| cl!(clSetUserEventStatus(w.done, 0)),
        CL_INVALID_OPERATION "the status has been set to a failure" => |w| cl!(clSetUserEventStatus(w.failed, 0)),
    ));
    all.extend(rows!("5.9", clWaitForEvents,
        CL_INVALID_VALUE "num_events is 0" => |w| cl!(clWaitForEvents(0, &w.done)),
        CL_INVALID_VALUE "event_list is NULL" => |_| cl!(clWaitForEvents(1, null())),
        CL_INVALID_CONTEXT "the events are of two contexts" => |w| cl!(clWaitForEvents(2, [w.done, w.other_event].as_ptr())),
        CL_INVALID_EVENT "an event is not valid" => |w| w.none(|h| cl!(clWaitForEvents(1, &h))),
        CL_INVALID_EVENT "the second event is not valid" => |w| w.none(|h| cl!(clWaitForEvents(2, [w.done, h].as_ptr()))),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "an event failed" => |w| cl!(clWaitForEvents(1, &w.failed)),
        CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "the first of two events failed" =>
            |w| cl!(clWaitForEvents(2, [w.failed, w.done].as_ptr())),
    ));
    all.extend(rows!("5.9", clGetEventInfo,
        CL_INVALID_EVENT "event is not valid" =>
            |w| w.none(|h| cl!(clGetEventInfo(h, CL_EVENT_CONTEXT, 512, room(), null_mut()))),
        CL_INVALID_VALUE "param_name is not supported" =>
            |w| cl!(clGetEventInfo(w.done, UNKNOWN, 512, room(), null_mut())),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| cl!(clGetEventInfo(w.done, CL_EVENT_CONTEXT, 4, room(), null_mut())),
    ));
    all.extend(rows!("5.9", clSetEventCallback,
        CL_INVALID_EVENT "event is not valid" =>
            |w| w.none(|h| cl!(clSetEventCallback(h, CL_COMPLETE, Some(never), null_mut()))),
        CL_INVALID_VALUE "pfn_event_notify is NULL" =>
            |w| cl!(clSetEventCallback(w.done, CL_COMPLETE, None, null_mut())),
        CL_INVALID_VALUE "command_exec_callback_type is CL_QUEUED" =>
            |w| cl!(clSetEventCallback(w.done, CL_QUEUED, Some(never), null_mut())),
        CL_INVALID_VALUE "command_exec_callback_type is none" =>
            |w| cl!(clSetEventCallback(w.done, 17, Some(never), null_mut())),
        CL_INVALID_VALUE "command_exec_callback_type is negative" =>
            |w| cl!(clSetEventCallback(w.done, -5, Some(never), null_mut())),
    ));
    all.extend(rows!("5.9", clRetainEvent,
        CL_INVALID_EVENT "event is not valid" => |w| w.none(|h| cl!(clRetainEvent(h))),
    ));
    all.extend(rows!("5.9", clReleaseEvent,
        CL_INVALID_EVENT "event is not valid" => |w| w.none(|h| cl!(clReleaseEvent(h))),
    ));
    all.extend(rows!("5.12", clGetEventProfilingInfo,
        CL_INVALID_EVENT "event is not valid" => |w| w.none(|h| profiling(h, CL_PROFILING_COMMAND_END, 8)),
        CL_PROFILING_INFO_NOT_AVAILABLE "the queue has no profiling" =>
            |w| profiling(command(w), CL_PROFILING_COMMAND_END, 8),
        CL_PROFILING_INFO_NOT_AVAILABLE "event is a user event" => |w| profiling(w.done, CL_PROFILING_COMMAND_END, 8),
        CL_PROFILING_INFO_NOT_AVAILABLE "the command is not complete" =>
            |w| profiling(profiled(w, false), CL_PROFILING_COMMAND_END, 8),
        CL_INVALID_VALUE "param_name is not supported" => |w| profiling(profiled(w, true), UNKNOWN, 8),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| profiling(profiled(w, true), CL_PROFILING_COMMAND_END, 4),
    ));
    all
}
