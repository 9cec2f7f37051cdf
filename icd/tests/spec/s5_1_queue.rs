//! CL 5.1 and 5.13

use std::ptr::null_mut;

use crate::common::objects::{Setup, context, device};
use crate::common::*;
use crate::{cl, created, query};

#[test]
fn create_command_queue() {
    let d = device();
    let c = context(d);
    for properties in [0, CL_QUEUE_PROFILING_ENABLE] {
        let (q, code) = created!(clCreateCommandQueue(c, d, properties));
        assert_eq!(code, 0);
        assert_eq!(
            query!(clGetCommandQueueInfo(q; CL_QUEUE_PROPERTIES) as u64),
            properties
        );
        assert_eq!(
            query!(clGetCommandQueueInfo(q; CL_QUEUE_CONTEXT) as usize),
            c.addr()
        );
        assert_eq!(
            query!(clGetCommandQueueInfo(q; CL_QUEUE_DEVICE) as usize),
            d.addr()
        );
        assert_eq!(
            query!(clGetCommandQueueInfo(q; CL_QUEUE_REFERENCE_COUNT) as u32),
            1
        );
        assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
        assert_eq!(cl!(clReleaseCommandQueue(q)), CL_INVALID_COMMAND_QUEUE);
    }
    // Out-of-order queues exist if the device reports them.
    let offered = query!(clGetDeviceInfo(d; CL_DEVICE_QUEUE_PROPERTIES) as u64);
    let (q, code) = created!(clCreateCommandQueue(c, d, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
    if offered & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0 {
        assert_eq!(code, CL_INVALID_QUEUE_PROPERTIES);
    } else {
        assert_eq!(code, 0);
        assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
    }
    // INVALID_DEVICE if device is not valid or not associated with context
    assert_eq!(
        created!(clCreateCommandQueue(c, null_mut(), 0)).1,
        CL_INVALID_DEVICE
    );
    // INVALID_VALUE if values specified in properties are not valid
    assert_eq!(created!(clCreateCommandQueue(c, d, 1 << 30)).1, CL_INVALID_VALUE);
    assert_eq!(cl!(clReleaseContext(c)), 0);
}

#[test]
fn create_with_properties() {
    let s = Setup::new();
    let list = [u64::from(CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE, 0];
    let (q, code) = created!(clCreateCommandQueueWithProperties(
        s.context,
        s.device,
        list.as_ptr()
    ));
    assert_eq!(code, 0);
    assert_eq!(
        query!(clGetCommandQueueInfo(q; CL_QUEUE_PROPERTIES) as u64),
        CL_QUEUE_PROFILING_ENABLE
    );
    assert_eq!(cl!(clReleaseCommandQueue(q)), 0);
    let bad = [0x5555, 1, 0];
    let (_, code) = created!(clCreateCommandQueueWithProperties(
        s.context,
        s.device,
        bad.as_ptr()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    // The errors of the context and of the device come before those of the properties.
    let on_device = [u64::from(CL_QUEUE_PROPERTIES), CL_QUEUE_ON_DEVICE, 0];
    for (context, device, expected) in [
        (null_mut(), s.device, CL_INVALID_CONTEXT),
        (s.context, null_mut(), CL_INVALID_DEVICE),
        (s.context, s.device, CL_INVALID_QUEUE_PROPERTIES),
    ] {
        let (_, code) = created!(clCreateCommandQueueWithProperties(
            context,
            device,
            on_device.as_ptr()
        ));
        assert_eq!(code, expected);
    }
}

#[test]
fn queue_info_errors() {
    let s = Setup::new();
    assert_eq!(
        cl!(clGetCommandQueueInfo(s.queue, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    let mut small = 0u32;
    let code = cl!(clGetCommandQueueInfo(
        s.queue,
        CL_QUEUE_CONTEXT,
        4,
        (&raw mut small).cast(),
        null_mut()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    assert_eq!(
        cl!(clSetCommandQueueProperty(
            s.queue,
            CL_QUEUE_PROFILING_ENABLE,
            1,
            null_mut()
        )),
        CL_INVALID_OPERATION
    );
}

#[test]
fn flush_and_finish_an_empty_queue() {
    let s = Setup::new();
    assert_eq!(cl!(clFlush(s.queue)), 0);
    assert_eq!(cl!(clFinish(s.queue)), 0);
}
