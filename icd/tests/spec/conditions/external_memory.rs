//! cl_khr_external_memory (5.2.1, 5.3.1 and 5.5.7 of the unified specification). `khr_external_memory.rs` has the errors of
//! calls with external objects.

use std::ptr::{null, null_mut};

use super::world::{RGBA8, World, desc};
use super::{Row, rows};
use crate::common::*;
use crate::{cl, created};

const FD: u64 = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u64;
const DMA_BUF: u64 = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR as u64;
const DEVICES: u64 = CL_MEM_DEVICE_HANDLE_LIST_KHR;
const ADDRESS: u64 = CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT;

/// A number that is no descriptor of the process.
const CLOSED: u64 = 1 << 30;

fn buffer(context: cl_context, properties: &[u64], flags: cl_mem_flags, size: usize, host: bool) -> cl_int {
    let mut memory = [0u8; 64];
    let host = if host {
        memory.as_mut_ptr().cast()
    } else {
        null_mut()
    };
    let properties = properties.as_ptr();
    created!(clCreateBufferWithProperties(
        context, properties, flags, size, host
    ))
    .1
}

fn image(context: cl_context, properties: &[u64], flags: cl_mem_flags, host: bool) -> cl_int {
    let mut memory = [0u8; 64];
    let host = if host {
        memory.as_mut_ptr().cast()
    } else {
        null_mut()
    };
    let (format, desc) = (RGBA8, desc(CL_MEM_OBJECT_IMAGE2D, [4, 4, 0]));
    let properties = properties.as_ptr();
    created!(clCreateImageWithProperties(
        context,
        properties,
        flags,
        &raw const format,
        &raw const desc,
        host
    ))
    .1
}

/// Makes the rows that buffers and images share; `$create` takes a context, properties, flags, and whether there is a
/// host pointer.
macro_rules! creations {
    ($section:literal, $call:ident, $create:expr) => {
        rows!($section, $call,
            CL_INVALID_CONTEXT "context is not valid" => |w| w.none(|h| $create(h, &[0], 0, false)),
            CL_INVALID_PROPERTY "a name is not known" => |w| $create(w.s.context, &[0x1234, 1, 0], 0, false),
            CL_INVALID_PROPERTY "a handle is there twice" =>
                |w| $create(w.s.context, &[FD, CLOSED, FD, CLOSED, 0], 0, false),
            CL_INVALID_PROPERTY "there are two handles" =>
                |w| $create(w.s.context, &[FD, CLOSED, DMA_BUF, CLOSED, 0], 0, false),
            CL_INVALID_PROPERTY "there are devices, but no handle" =>
                |w| $create(w.s.context, &[DEVICES, w.s.device.addr() as u64, 0, 0], 0, false),
            CL_INVALID_VALUE "the descriptor is negative" =>
                |w| $create(w.s.context, &[FD, u64::MAX, 0], 0, false),
            CL_INVALID_VALUE "the descriptor has more than 32 bits" =>
                |w| $create(w.s.context, &[FD, 1 << 40, 0], 0, false),
            CL_INVALID_VALUE "the descriptor is not open" => |w| $create(w.s.context, &[FD, CLOSED, 0], 0, false),
            CL_INVALID_DEVICE "there is no device in the list" =>
                |w| $create(w.s.context, &[FD, CLOSED, DEVICES, 0, 0], 0, false),
            CL_INVALID_DEVICE "a device is not valid" =>
                |w| w.garbage(|h| $create(w.s.context, &[FD, CLOSED, DEVICES, h.addr() as u64, 0, 0], 0, false)),
            CL_INVALID_VALUE "flags are not valid" => |w| $create(w.s.context, &[FD, CLOSED, 0], 3, false),
            CL_INVALID_VALUE "flags are those of host memory" =>
                |w| $create(w.s.context, &[FD, CLOSED, 0], CL_MEM_ALLOC_HOST_PTR, false),
            CL_INVALID_VALUE "flags have CL_MEM_COPY_HOST_PTR" =>
                |w| $create(w.s.context, &[FD, CLOSED, 0], CL_MEM_COPY_HOST_PTR, true),
            CL_INVALID_HOST_PTR "host_ptr is not NULL" => |w| $create(w.s.context, &[FD, CLOSED, 0], 0, true),
        )
    };
}

/// Makes the rows that both transfers share. `$call` has the same arguments in both.
macro_rules! transfers {
    ($call:ident) => {{
        fn run(queue: cl_command_queue, objects: &[cl_mem], n: u32, list: *const cl_event) -> cl_int {
            let (count, objects) = match objects {
                [] => (0, null()),
                objects => (objects.len() as u32, objects.as_ptr()),
            };
            cl!($call(queue, count, objects, n, list, null_mut()))
        }
        rows!("5.5.7", $call,
            CL_INVALID_COMMAND_QUEUE "command_queue is not valid" => |w| w.none(|h| run(h, &[], 0, null())),
            CL_INVALID_VALUE "num_mem_objects is 0 and mem_objects is not NULL" =>
                |w| cl!($call(w.s.queue, 0, &w.buffer, 0, null(), null_mut())),
            CL_INVALID_VALUE "mem_objects is NULL and num_mem_objects is not 0" =>
                |w| cl!($call(w.s.queue, 1, null(), 0, null(), null_mut())),
            CL_INVALID_MEM_OBJECT "an object is not valid" => |w| w.none(|h| run(w.s.queue, &[h], 0, null())),
            CL_INVALID_MEM_OBJECT "a buffer is not external" => |w| run(w.s.queue, &[w.buffer], 0, null()),
            CL_INVALID_MEM_OBJECT "an image is not external" => |w| run(w.s.queue, &[w.image], 0, null()),
            CL_INVALID_CONTEXT "an event is of another context" => |w| run(w.s.queue, &[], 1, &w.other_event),
            CL_INVALID_EVENT_WAIT_LIST "event_wait_list is NULL and its number is not 0" =>
                |w| run(w.s.queue, &[], 1, null()),
            CL_INVALID_EVENT_WAIT_LIST "event_wait_list is not NULL and its number is 0" =>
                |w| run(w.s.queue, &[], 0, &w.done),
            CL_INVALID_EVENT_WAIT_LIST "an event is not valid" => |w| w.none(|h| run(w.s.queue, &[], 1, &h)),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST "an event has failed" =>
                |w| run(w.s.queue, &[], 1, &w.failed),
        )
    }};
}

pub(super) fn rows() -> Vec<Row> {
    let mut all = creations!(
        "5.2.1",
        clCreateBufferWithProperties,
        |context, properties: &[u64], flags, host| buffer(context, properties, flags, 64, host)
    );
    all.extend(rows!("5.2.1", clCreateBufferWithProperties,
        CL_INVALID_PROPERTY "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is no truth value" =>
            |w: &World| buffer(w.s.context, &[ADDRESS, 2, 0], 0, 64, false),
        CL_INVALID_BUFFER_SIZE "size is 0" => |w: &World| buffer(w.s.context, &[FD, CLOSED, 0], 0, 0, false),
    ));
    all.extend(creations!("5.3.1", clCreateImageWithProperties, image));
    all.extend(transfers!(clEnqueueAcquireExternalMemObjectsKHR));
    all.extend(transfers!(clEnqueueReleaseExternalMemObjectsKHR));
    all
}
