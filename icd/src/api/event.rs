//! CL 5.9 and 5.12: events and their profiling.

use std::ffi::c_void;

use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error};
use caldera_runtime::event::{Event, ProfilingPoint, Status};
use caldera_runtime::object;

use crate::abi::*;
use crate::out::Info;
use crate::{callback, entry, handle};

entry! {
    /// CL 5.9 — clCreateUserEvent
    fn clCreateUserEvent(context: cl_context; errcode_ret) -> cl_event {
        let context = handle::borrow::<Context>(context)?;
        Ok(object::give(Event::user(&context)))
    }
}

entry! {
    /// CL 5.9 — clSetUserEventStatus
    fn clSetUserEventStatus(event: cl_event, execution_status: cl_int) {
        let event = handle::borrow::<Event>(event)?;
        // CL 5.9: INVALID_EVENT if event is not a user event
        if event.queue().is_some() {
            return Err(Error::new(ClCode::InvalidEvent, "not a user event").at("5.9"));
        }
        // CL 5.9: INVALID_VALUE if the execution_status is not CL_COMPLETE or a negative integer value
        let status = Status::from_number(execution_status)
            .filter(|s| s.is_final())
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "execution_status").at("5.9"))?;
        event.set_user_status(status)
    }
}

entry! {
    /// CL 5.9 — clWaitForEvents
    fn clWaitForEvents(num_events: cl_uint, event_list: *const cl_event [num_events]) {
        // CL 5.9: INVALID_VALUE if num_events is zero or event_list is NULL
        let events = event_list
            .slice()
            .filter(|e| !e.is_empty())
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "no events").at("5.9"))?;
        Event::wait_all(&handle::list::<Event>(events)?)
    }
}

entry! {
    /// CL 5.9 — clGetEventInfo
    fn clGetEventInfo(
        event: cl_event,
        param_name: cl_event_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let event = handle::borrow::<Event>(event)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_EVENT_COMMAND_QUEUE => {
                info.value(event.queue().map_or(std::ptr::null_mut(), object::handle))
            }
            CL_EVENT_CONTEXT => info.value(object::handle(event.context())),
            CL_EVENT_COMMAND_TYPE => info.value(event.command_type() as u32),
            CL_EVENT_COMMAND_EXECUTION_STATUS => info.value(event.status().number()),
            CL_EVENT_REFERENCE_COUNT => info.value(object::reference_count(&*event)),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

entry! {
    /// CL 5.9 — clSetEventCallback
    fn clSetEventCallback(
        event: cl_event,
        command_exec_callback_type: cl_int,
        pfn_notify: Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>,
        user_data: *mut c_void,
    ) {
        let event = handle::borrow::<Event>(event)?;
        // CL 5.9: INVALID_VALUE if pfn_event_notify is NULL or if command_exec_callback_type is not CL_SUBMITTED,
        // CL_RUNNING or CL_COMPLETE
        let notify = pfn_notify.ok_or_else(|| Error::new(ClCode::InvalidValue, "pfn_notify is NULL").at("5.9"))?;
        let at = match Status::from_number(command_exec_callback_type) {
            Some(at @ (Status::Submitted | Status::Running | Status::Complete)) => at,
            Some(Status::Queued | Status::Failed(_)) | None => {
                return Err(Error::new(ClCode::InvalidValue, "command_exec_callback_type").at("5.9"));
            }
        };
        event.on_status(at, callback::event(&event, notify, user_data));
        Ok(())
    }
}

entry! {
    /// CL 5.9 — clRetainEvent
    fn clRetainEvent(event: cl_event) {
        handle::retain::<Event>(event)
    }
}

entry! {
    /// CL 5.9 — clReleaseEvent
    fn clReleaseEvent(event: cl_event) {
        handle::release::<Event>(event)
    }
}

entry! {
    /// CL 5.12 — clGetEventProfilingInfo
    fn clGetEventProfilingInfo(
        event: cl_event,
        param_name: cl_profiling_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let event = handle::borrow::<Event>(event)?;
        let info = Info::new(param_value, param_value_size_ret);
        let point = match param_name {
            CL_PROFILING_COMMAND_QUEUED => ProfilingPoint::Queued,
            CL_PROFILING_COMMAND_SUBMIT => ProfilingPoint::Submit,
            CL_PROFILING_COMMAND_START => ProfilingPoint::Start,
            // CL 3.0, appendix H: without device-side enqueue, a command has ended when it is complete.
            CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => ProfilingPoint::End,
            _ => return info.unknown(param_name).map(drop),
        };
        info.value(event.profiling(point)?).map(drop)
    }
}
