//! cl_khr_command_buffer: command-buffers, their execution and their queries.

use std::ffi::c_void;

use caldera_runtime::command_buffer::{CommandBuffer, Flags, State};
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;
use caldera_runtime::queue::CommandQueue;

use super::enqueue::EventArgs;
use crate::abi::*;
use crate::args::{Array, Properties};
use crate::out::Info;
use crate::{entry, handle};

/// The bits of CL_COMMAND_BUFFER_FLAGS_KHR that the specifications define.
const KNOWN_FLAGS: cl_command_buffer_flags_khr = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    | CL_COMMAND_BUFFER_MUTABLE_KHR
    | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

/// Returns the flags of a property list. CL, clCreateCommandBufferKHR: INVALID_VALUE if values specified in properties are
/// not valid, or if the same property name is specified more than once; INVALID_PROPERTY if they are valid but not
/// supported
fn flags(properties: Properties<cl_command_buffer_properties_khr>) -> Result<Flags> {
    const FLAGS: u64 = CL_COMMAND_BUFFER_FLAGS_KHR;
    const ASSERTS: u64 = CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR;
    let invalid = |what| Error::new(ClCode::InvalidValue, what);
    let pairs = properties
        .known(|name| matches!(name, FLAGS | ASSERTS))
        .ok_or_else(|| invalid("an unknown property"))?;
    let mut flags = Flags::default();
    for (i, (name, value)) in pairs.iter().enumerate() {
        if pairs[..i].iter().any(|(other, _)| other == name) {
            return Err(invalid("a property is there twice"));
        }
        let known = match *name {
            FLAGS => KNOWN_FLAGS,
            _ => CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
        };
        if value & !known != 0 {
            return Err(invalid("a property has an unknown bit"));
        }
        if *name == ASSERTS {
            flags.no_more_work_groups = *value != 0;
            continue;
        }
        if value & CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR != 0 {
            let what = "cl_khr_command_buffer_multi_device is not supported";
            return Err(Error::new(ClCode::InvalidProperty, what));
        }
        // Every command-buffer may be used simultaneously.
        flags.mutable = value & CL_COMMAND_BUFFER_MUTABLE_KHR != 0;
    }
    Ok(flags)
}

/// Returns the only queue of a list. CL, cl_khr_command_buffer: INVALID_VALUE if num_queues is not one or queues is NULL;
/// INVALID_COMMAND_QUEUE if the queue is not valid
fn only_queue(queues: Array<cl_command_queue>) -> Result<std::sync::Arc<CommandQueue>> {
    let Some(&[queue]) = queues.slice() else {
        return Err(Error::new(ClCode::InvalidValue, "not one queue"));
    };
    let mut list = handle::list::<CommandQueue>(&[queue])?;
    Ok(list.remove(0))
}

entry! {
    /// cl_khr_command_buffer — clCreateCommandBufferKHR
    fn clCreateCommandBufferKHR(
        num_queues: cl_uint,
        queues: *const cl_command_queue [num_queues],
        properties: *const cl_command_buffer_properties_khr [until 0];
        errcode_ret
    ) -> cl_command_buffer_khr {
        let queue = only_queue(queues)?;
        let buffer = CommandBuffer::create(&queue, flags(properties)?);
        buffer.property_list().keep(properties.values());
        Ok(object::give(buffer))
    }
}

entry! {
    /// cl_khr_command_buffer — clRetainCommandBufferKHR
    fn clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        handle::retain::<CommandBuffer>(command_buffer)
    }
}

entry! {
    /// cl_khr_command_buffer — clReleaseCommandBufferKHR
    fn clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        handle::release::<CommandBuffer>(command_buffer)
    }
}

entry! {
    /// cl_khr_command_buffer — clFinalizeCommandBufferKHR
    fn clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) {
        handle::borrow::<CommandBuffer>(command_buffer)?.finalize()
    }
}

entry! {
    /// cl_khr_command_buffer — clEnqueueCommandBufferKHR
    fn clEnqueueCommandBufferKHR(
        num_queues: cl_uint,
        queues: *mut cl_command_queue [num_queues],
        command_buffer: cl_command_buffer_khr,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
        buffer.check_executable()?;
        // CL, clEnqueueCommandBufferKHR: INVALID_VALUE if queues is NULL and num_queues is > 0, or the reverse, or if
        // num_queues is > 0 and not the number of the creation. INCOMPATIBLE_COMMAND_QUEUE_KHR cannot occur, because
        // command-buffers demand no properties of queues and support all that queues have.
        let queue = match (num_queues, queues.is_null()) {
            (0, true) => buffer.queue().clone(),
            _ => only_queue(queues)?,
        };
        buffer.check_queue(&queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        events.finish(buffer.enqueue(&queue, events.waits()?))
    }
}

entry! {
    /// cl_khr_command_buffer — clGetCommandBufferInfoKHR
    fn clGetCommandBufferInfoKHR(
        command_buffer: cl_command_buffer_khr,
        param_name: cl_command_buffer_info_khr,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let buffer = handle::borrow::<CommandBuffer>(command_buffer)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_COMMAND_BUFFER_QUEUES_KHR => info.value(object::handle(buffer.queue())),
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => info.value(1u32),
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => info.value(object::reference_count(&*buffer)),
            CL_COMMAND_BUFFER_STATE_KHR => info.value(match buffer.state() {
                State::Recording => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
                State::Finalized => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
                State::Executable => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            }),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => info.slice(buffer.property_list().list()),
            CL_COMMAND_BUFFER_CONTEXT_KHR => info.value(object::handle(buffer.context())),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}
