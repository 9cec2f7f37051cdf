//! cl_khr_semaphore (5.13 of the unified specification).

use std::ptr::{null, null_mut};

use super::world::{World, room};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

pub(super) const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
const BINARY: u64 = CL_SEMAPHORE_TYPE_BINARY_KHR as u64;
const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
const FD: u64 = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR as u64;
const SYNC_FD: u64 = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR as u64;
/// A number that is no descriptor of the process.
const CLOSED: u64 = 1 << 30;
const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;

fn create(context: cl_context, properties: &[u64]) -> cl_int {
    created!(clCreateSemaphoreWithPropertiesKHR(context, properties.as_ptr())).1
}

fn semaphore(context: cl_context) -> cl_semaphore_khr {
    let properties = [TYPE, BINARY, 0];
    let (semaphore, code) = created!(clCreateSemaphoreWithPropertiesKHR(context, properties.as_ptr()));
    assert_eq!(code, 0);
    semaphore
}

/// Makes the rows that waits and signals share. `$call` has the same arguments in both.
macro_rules! commands {
    ($call:ident) => {{
        fn run(queue: cl_command_queue, semaphores: &[cl_semaphore_khr], n: u32, list: *const cl_event) -> cl_int {
            let count = semaphores.len() as u32;
            cl!($call(queue, count, semaphores.as_ptr(), null(), n, list, null_mut()))
        }
        fn one(w: &World, n: u32, list: *const cl_event) -> cl_int {
            run(w.s.queue, &[semaphore(w.s.context)], n, list)
        }
        rows!("5.13", $call,
            CL_INVALID_COMMAND_QUEUE "command_queue is not valid" =>
                |w| w.none(|h| run(h, &[semaphore(w.s.context)], 0, null())),
            CL_INVALID_VALUE "num_sema_objects is 0" => |w| run(w.s.queue, &[], 0, null()),
            CL_INVALID_SEMAPHORE_KHR "sema_objects is NULL" =>
                |w| cl!($call(w.s.queue, 1, null(), null(), 0, null(), null_mut())),
            CL_INVALID_SEMAPHORE_KHR "a semaphore is not valid" => |w| w.none(|h| run(w.s.queue, &[h], 0, null())),
            CL_INVALID_SEMAPHORE_KHR "the second semaphore is not valid" =>
                |w| w.none(|h| run(w.s.queue, &[semaphore(w.s.context), h], 0, null())),
            CL_INVALID_CONTEXT "a semaphore is of another context" =>
                |w| run(w.s.queue, &[semaphore(w.other.context)], 0, null()),
            CL_INVALID_CONTEXT "an event is of another context" => |w| one(w, 1, &w.other_event),
            CL_INVALID_EVENT_WAIT_LIST "event_wait_list is NULL and its number is not 0" => |w| one(w, 1, null()),
            CL_INVALID_EVENT_WAIT_LIST "event_wait_list is not NULL and its number is 0" => |w| one(w, 0, &w.done),
            CL_INVALID_EVENT_WAIT_LIST "an event is not valid" => |w| w.none(|h| one(w, 1, &h)),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "an event has failed" => |w| one(w, 1, &w.failed),
        )
    }};
}

fn info(semaphore: cl_semaphore_khr, name: u32, size: usize) -> cl_int {
    cl!(clGetSemaphoreInfoKHR(semaphore, name, size, room(), null_mut()))
}

fn export(semaphore: cl_semaphore_khr, device: cl_device_id) -> cl_int {
    let kind = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
    cl!(clGetSemaphoreHandleForTypeKHR(
        semaphore,
        device,
        kind,
        4,
        room(),
        null_mut()
    ))
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = rows!("5.13", clCreateSemaphoreWithPropertiesKHR,
        CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| create(h, &[TYPE, BINARY, 0])),
        CL_INVALID_VALUE "sema_props is NULL" =>
            |w| created!(clCreateSemaphoreWithPropertiesKHR(w.s.context, null())).1,
        CL_INVALID_VALUE "there is no type" => |w| create(w.s.context, &[0]),
        CL_INVALID_VALUE "there is a device, but no type" =>
            |w| create(w.s.context, &[DEVICES, w.s.device.addr() as u64, 0, 0]),
        CL_INVALID_PROPERTY "a name is not known" => |w| create(w.s.context, &[TYPE, BINARY, 0x1234, 1, 0]),
        CL_INVALID_PROPERTY "the type is not known" => |w| create(w.s.context, &[TYPE, 7, 0]),
        CL_INVALID_PROPERTY "a name is there twice" => |w| create(w.s.context, &[TYPE, BINARY, TYPE, BINARY, 0]),
        CL_INVALID_DEVICE "there is no device in the list" => |w| create(w.s.context, &[TYPE, BINARY, DEVICES, 0, 0]),
        CL_INVALID_DEVICE "the device is not valid" =>
            |w| w.garbage(|h| create(w.s.context, &[TYPE, BINARY, DEVICES, h.addr() as u64, 0, 0])),
        CL_INVALID_DEVICE "there are two devices in the list" => |w| {
            let device = w.s.device.addr() as u64;
            create(w.s.context, &[TYPE, BINARY, DEVICES, device, device, 0, 0])
        },
        CL_INVALID_VALUE "there are two types for exports" =>
            |w| create(w.s.context, &[TYPE, BINARY, EXPORTS, FD, SYNC_FD, 0, 0]),
        CL_INVALID_PROPERTY "the type for exports is not known" =>
            |w| create(w.s.context, &[TYPE, BINARY, EXPORTS, 0x1234, 0, 0]),
        CL_INVALID_OPERATION "there is a handle and a type for exports" =>
            |w| create(w.s.context, &[TYPE, BINARY, FD, CLOSED, EXPORTS, FD, 0, 0]),
        CL_INVALID_PROPERTY "there are two handles" =>
            |w| create(w.s.context, &[TYPE, BINARY, FD, CLOSED, SYNC_FD, CLOSED, 0]),
        CL_INVALID_PROPERTY "the handle is no file descriptor" =>
            |w| create(w.s.context, &[TYPE, BINARY, FD, 1 << 40, 0]),
    );
    all.extend(commands!(clEnqueueWaitSemaphoresKHR));
    all.extend(commands!(clEnqueueSignalSemaphoresKHR));
    all.extend(rows!("5.13", clRetainSemaphoreKHR,
        CL_INVALID_SEMAPHORE_KHR "sema_object is not valid" => |w| w.none(|h| cl!(clRetainSemaphoreKHR(h))),
    ));
    all.extend(rows!("5.13", clReleaseSemaphoreKHR,
        CL_INVALID_SEMAPHORE_KHR "sema_object is not valid" => |w| w.none(|h| cl!(clReleaseSemaphoreKHR(h))),
    ));
    all.extend(rows!("5.13", clGetSemaphoreInfoKHR,
        CL_INVALID_SEMAPHORE_KHR "sema_object is not valid" =>
            |w| w.none(|h| info(h, CL_SEMAPHORE_PAYLOAD_KHR, 8)),
        CL_INVALID_VALUE "param_name is not known" => |w| info(semaphore(w.s.context), 0x1234, 8),
        CL_INVALID_VALUE "param_value_size is too small" =>
            |w| info(semaphore(w.s.context), CL_SEMAPHORE_PAYLOAD_KHR, 4),
    ));
    all.extend(rows!("5.13", clGetSemaphoreHandleForTypeKHR,
        CL_INVALID_SEMAPHORE_KHR "sema_object is not valid" => |w| w.none(|h| export(h, w.s.device)),
        CL_INVALID_DEVICE "device is not valid" => |w| w.none(|h| export(semaphore(w.s.context), h)),
        CL_INVALID_VALUE "the semaphore was not created for exports" =>
            |w| export(semaphore(w.s.context), w.s.device),
    ));
    all.extend(rows!("5.13", clReImportSemaphoreSyncFdKHR,
        CL_INVALID_SEMAPHORE_KHR "sema_object is not valid" =>
            |w| w.none(|h| cl!(clReImportSemaphoreSyncFdKHR(h, null_mut(), -1))),
        CL_INVALID_SEMAPHORE_KHR "sema_object was not imported from a sync file" =>
            |w| cl!(clReImportSemaphoreSyncFdKHR(semaphore(w.s.context), null_mut(), -1)),
    ));
    all
}
