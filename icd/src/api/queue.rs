//! CL 5.1 and 5.13: command queues.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::context::Context;
use caldera_runtime::device::Device;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::object;
use caldera_runtime::queue::{CommandQueue, QueueProperties};

use crate::abi::*;
use crate::args::{Properties, Ptr};
use crate::out::Info;
use crate::{entry, handle};

/// The context and the device of a new queue.
type Place = (Arc<Context>, Arc<Device>);

/// Returns the context and the device of a new queue. CL 5.1: INVALID_CONTEXT, INVALID_DEVICE if a handle is not valid;
/// INVALID_DEVICE if device is not associated with context
fn place(context: Ptr<c_void>, device: Ptr<c_void>) -> Result<Place> {
    let context = handle::borrow::<Context>(context)?;
    let device = handle::borrow::<Device>(device)?;
    if !context.has_device(&device) {
        return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("5.1"));
    }
    Ok((context, device))
}

/// Creates a queue with the properties of OpenCL 1.2.
fn create((context, device): &Place, properties: cl_command_queue_properties) -> Result<Arc<CommandQueue>> {
    // CL 5.1: INVALID_VALUE if values specified in properties are not valid
    if properties & !(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE) != 0 {
        return Err(Error::new(ClCode::InvalidValue, format!("queue properties {properties:#x}")).at("5.1"));
    }
    let wanted = QueueProperties {
        out_of_order: properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
        profiling: properties & CL_QUEUE_PROFILING_ENABLE != 0,
    };
    // CL 5.1: INVALID_QUEUE_PROPERTIES if values are valid but not supported by the device
    if wanted.out_of_order && !device.info().out_of_order_queues {
        return Err(Error::new(ClCode::InvalidQueueProperties, "out-of-order execution").at("5.1"));
    }
    CommandQueue::create(context, device, wanted)
}

entry! {
    /// CL 5.1 — clCreateCommandQueue
    fn clCreateCommandQueue(
        context: cl_context,
        device: cl_device_id,
        properties: cl_command_queue_properties;
        errcode_ret
    ) -> cl_command_queue {
        create(&place(context, device)?, properties).map(object::give)
    }
}

/// Returns whether a value is one of the three levels of a hint: high, medium, low.
fn is_level(value: u64) -> bool {
    matches!(value, 1 | 2 | 4)
}

/// Creates a queue from a property list (CL 2.0, 5.1). Supported are CL_QUEUE_PROPERTIES with the bits of OpenCL 1.2, and
/// the hints of cl_khr_priority_hints and cl_khr_throttle_hints, which have no effect. Queues on the device are not.
fn create_with(
    context: Ptr<c_void>,
    device: Ptr<c_void>,
    list: Properties<cl_queue_properties>,
) -> Result<*mut c_void> {
    const BITS: u64 = CL_QUEUE_PROPERTIES as u64;
    const PRIORITY: u64 = CL_QUEUE_PRIORITY_KHR;
    const THROTTLE: u64 = CL_QUEUE_THROTTLE_KHR;
    let place = place(context, device)?;
    let mut bits = 0;
    for (name, value) in list.pairs() {
        match name {
            BITS => bits = value,
            PRIORITY | THROTTLE if is_level(value) => {}
            _ => {
                let what = format!("queue property {name:#x} = {value:#x}");
                return Err(Error::new(ClCode::InvalidValue, what).at("2.0 5.1"));
            }
        }
    }
    const LATER: u64 = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if bits & LATER != 0 {
        return Err(Error::new(ClCode::InvalidQueueProperties, "queues on the device"));
    }
    let queue = create(&place, bits)?;
    queue.property_list().keep(list.values());
    Ok(object::give(queue))
}

entry! {
    /// CL 2.0, 5.1 — clCreateCommandQueueWithProperties
    fn clCreateCommandQueueWithProperties(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_queue_properties [until 0];
        errcode_ret
    ) -> cl_command_queue {
        create_with(context, device, properties)
    }
}

entry! {
    /// cl_khr_create_command_queue — clCreateCommandQueueWithPropertiesKHR
    fn clCreateCommandQueueWithPropertiesKHR(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_queue_properties [until 0];
        errcode_ret
    ) -> cl_command_queue {
        create_with(context, device, properties)
    }
}

entry! {
    /// CL 5.1 — clRetainCommandQueue
    fn clRetainCommandQueue(command_queue: cl_command_queue) {
        handle::retain::<CommandQueue>(command_queue)
    }
}

entry! {
    /// CL 5.1 — clReleaseCommandQueue, which implicitly flushes the queue
    fn clReleaseCommandQueue(command_queue: cl_command_queue) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        // The reference is released even if the flush fails.
        let flushed = queue.flush_for_release();
        handle::release::<CommandQueue>(command_queue)?;
        flushed
    }
}

entry! {
    /// CL 5.1 — clGetCommandQueueInfo
    fn clGetCommandQueueInfo(
        command_queue: cl_command_queue,
        param_name: cl_command_queue_info,
        param_value_size: size_t,
        param_value: *mut c_void [param_value_size],
        param_value_size_ret: *mut size_t,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let info = Info::new(param_value, param_value_size_ret);
        match param_name {
            CL_QUEUE_CONTEXT => info.value(object::handle(queue.context())),
            CL_QUEUE_DEVICE => info.value(object::handle(queue.device())),
            CL_QUEUE_REFERENCE_COUNT => info.value(object::reference_count(&*queue)),
            CL_QUEUE_PROPERTIES => {
                let properties = queue.properties();
                let mut bits = 0;
                if properties.out_of_order {
                    bits |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
                }
                if properties.profiling {
                    bits |= CL_QUEUE_PROFILING_ENABLE;
                }
                info.value(bits)
            }
            CL_QUEUE_PROPERTIES_ARRAY => info.slice(queue.property_list().list()),
            // CL 2.0, 5.1: INVALID_COMMAND_QUEUE if command_queue is not valid for param_name: the query is for queues
            // on the device.
            CL_QUEUE_SIZE => Err(Error::new(ClCode::InvalidCommandQueue, "not a queue on the device").at("2.0 5.1")),
            CL_QUEUE_DEVICE_DEFAULT => info.value(std::ptr::null_mut::<c_void>()),
            _ => info.unknown(param_name),
        }
        .map(drop)
    }
}

entry! {
    /// CL 1.0, 5.1 — clSetCommandQueueProperty
    fn clSetCommandQueueProperty(
        command_queue: cl_command_queue,
        properties: cl_command_queue_properties,
        enable: cl_bool,
        old_properties: *mut cl_command_queue_properties,
    ) {
        handle::borrow::<CommandQueue>(command_queue)?;
        // CL 1.1, appendix F: deprecated; INVALID_OPERATION if no device supports modifying the properties of a queue
        Err(Error::new(ClCode::InvalidOperation, "a queue's properties are fixed"))
    }
}

entry! {
    /// CL 5.13 — clFlush
    fn clFlush(command_queue: cl_command_queue) {
        handle::borrow::<CommandQueue>(command_queue)?.flush_soon()
    }
}

entry! {
    /// CL 5.13 — clFinish
    fn clFinish(command_queue: cl_command_queue) {
        handle::borrow::<CommandQueue>(command_queue)?.finish()
    }
}
