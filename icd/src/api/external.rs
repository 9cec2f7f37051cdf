//! cl_khr_external_memory: memory objects in memory of other APIs.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::MemObject;
use caldera_runtime::mem::external::{ExternalHandle, MemoryHandle};
use caldera_runtime::queue::CommandQueue;

use super::enqueue::EventArgs;
use crate::abi::*;
use crate::args::{Array, PropertyValues, Ptr};
use crate::{entry, handle};

/// The names of properties whose values are lists.
pub(super) const LISTS: &[cl_mem_properties] = &[CL_MEM_DEVICE_HANDLE_LIST_KHR];

/// Returns whether a name is a property of the extension.
pub(super) fn is_known(name: cl_mem_properties) -> bool {
    LISTS.contains(&name) || MemoryHandle::from_number(name).is_some()
}

/// Returns the numbers of types of handles.
pub(super) fn numbers(kinds: &[MemoryHandle]) -> Vec<cl_external_memory_handle_type_khr> {
    kinds.iter().map(|kind| *kind as u32).collect()
}

/// Returns the handle in a property list.
pub(super) fn handle(context: &Arc<Context>, properties: &PropertyValues) -> Result<Option<ExternalHandle>> {
    let invalid = |what| Err(Error::new(ClCode::InvalidProperty, what));
    let mut kinds = properties.names().filter_map(MemoryHandle::from_number);
    let devices = properties.find(CL_MEM_DEVICE_HANDLE_LIST_KHR);
    let (kind, devices) = match (kinds.next(), devices) {
        (Some(kind), devices) => (kind, devices),
        (None, None) => return Ok(None),
        // CL, clCreateBufferWithProperties: INVALID_PROPERTY if properties does not include a supported external memory
        // handle and CL_MEM_DEVICE_HANDLE_LIST_KHR is specified
        (None, Some(_)) => return invalid("devices without a handle"),
    };
    // CL, clCreateBufferWithProperties: INVALID_PROPERTY if properties includes more than one external memory handle
    if kinds.next().is_some() {
        return invalid("several handles");
    }
    // The specification has INVALID_PROPERTY for a value that is not valid. The Khronos tests demand INVALID_VALUE for a handle.
    let Some(Ok(fd)) = properties.find(kind as u64).map(|v| i32::try_from(v[0] as i64)) else {
        return Err(Error::new(
            ClCode::InvalidValue,
            "a value that is no file descriptor",
        ));
    };
    let device = match (devices, context.devices()) {
        (Some(list), _) => handle::only_device(context, list)?,
        (None, [device]) => Arc::clone(device),
        // CL, clCreateBufferWithProperties: INVALID_DEVICE if CL_MEM_DEVICE_HANDLE_LIST_KHR is not specified and a device of
        // the context cannot import the memory. Devices do not import the memory of each other.
        (None, _) => {
            return Err(Error::new(
                ClCode::InvalidDevice,
                "the context has several devices, and the memory is for one",
            ));
        }
    };
    Ok(Some(ExternalHandle { kind, fd, device }))
}

/// Enqueues the transfer of objects.
fn hand_over(
    command_queue: Ptr<c_void>,
    objects: Array<cl_mem>,
    acquire: bool,
    (event_wait_list, event): (Array<cl_event>, Ptr<cl_event>),
) -> Result<()> {
    let queue = handle::borrow::<CommandQueue>(command_queue)?;
    // CL, clEnqueueAcquireExternalMemObjectsKHR: INVALID_VALUE if num_mem_objects is 0 and mem_objects is not NULL, or the
    // reverse
    let handles = objects.optional("num_mem_objects and mem_objects do not agree")?;
    let objects = super::mem::list(handles.unwrap_or(&[]))?;
    let importers: Vec<&Arc<Device>> = objects.iter().map(MemObject::importer).collect::<Result<_>>()?;
    // CL, clEnqueueAcquireExternalMemObjectsKHR: INVALID_COMMAND_QUEUE if the queue's device is not one of those of an object
    if !importers.iter().all(|d| Arc::ptr_eq(d, queue.device())) {
        return Err(Error::new(
            ClCode::InvalidCommandQueue,
            "an object is for another device",
        ));
    }
    let contexts: Vec<&Arc<Context>> = objects.iter().map(MemObject::context).collect();
    let events = EventArgs::new(&queue, &contexts, event_wait_list, event)?;
    events.check_status()?;
    events.finish(queue.enqueue_hand_over(&objects, acquire, events.waits()?))
}

entry! {
    /// cl_khr_external_memory — clEnqueueAcquireExternalMemObjectsKHR
    fn clEnqueueAcquireExternalMemObjectsKHR(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem [num_mem_objects],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        hand_over(command_queue, mem_objects, true, (event_wait_list, event))
    }
}

entry! {
    /// cl_khr_external_memory — clEnqueueReleaseExternalMemObjectsKHR
    fn clEnqueueReleaseExternalMemObjectsKHR(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem [num_mem_objects],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        hand_over(command_queue, mem_objects, false, (event_wait_list, event))
    }
}
