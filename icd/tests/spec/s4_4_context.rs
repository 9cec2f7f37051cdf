//! CL 4.4

use std::ptr::{null, null_mut};

use crate::common::objects::{context, device, platform};
use crate::common::*;
use crate::{cl, created, query, query_bytes};

fn create(properties: &[isize], devices: &[cl_device_id]) -> i32 {
    let properties = if properties.is_empty() {
        null()
    } else {
        properties.as_ptr()
    };
    let list = if devices.is_empty() {
        null()
    } else {
        devices.as_ptr()
    };
    let (context, code) = created!(clCreateContext(
        properties,
        devices.len() as u32,
        list,
        None,
        null_mut()
    ));
    if code == 0 {
        assert_eq!(cl!(clReleaseContext(context)), 0);
    }
    code
}

#[test]
fn create_context() {
    let (d, p) = (device(), platform().addr() as isize);
    assert_eq!(create(&[], &[d]), 0);
    assert_eq!(create(&[0], &[d]), 0);
    assert_eq!(create(&[CL_CONTEXT_PLATFORM, p, 0], &[d]), 0);
    assert_eq!(
        create(
            &[CL_CONTEXT_PLATFORM, p, CL_CONTEXT_INTEROP_USER_SYNC, 1, 0],
            &[d]
        ),
        0
    );
    // INVALID_PLATFORM if the platform value is not a valid platform
    assert_eq!(
        create(&[CL_CONTEXT_PLATFORM, 0x1234, 0], &[d]),
        CL_INVALID_PLATFORM
    );
    assert_eq!(create(&[CL_CONTEXT_PLATFORM, 0, 0], &[d]), CL_INVALID_PLATFORM);
    // INVALID_PROPERTY if a name is not supported, a value is not valid, or a name is given twice
    assert_eq!(create(&[0x7777, 1, 0], &[d]), CL_INVALID_PROPERTY);
    assert_eq!(
        create(&[CL_CONTEXT_INTEROP_USER_SYNC, 5, 0], &[d]),
        CL_INVALID_PROPERTY
    );
    assert_eq!(
        create(&[CL_CONTEXT_PLATFORM, p, CL_CONTEXT_PLATFORM, p, 0], &[d]),
        CL_INVALID_PROPERTY
    );
    // INVALID_VALUE if devices is NULL or num_devices is zero
    assert_eq!(create(&[], &[]), CL_INVALID_VALUE);
    let (_, code) = created!(clCreateContext(null(), 1, null(), None, null_mut()));
    assert_eq!(code, CL_INVALID_VALUE);
    // INVALID_VALUE if pfn_notify is NULL but user_data is not NULL
    let mut data = 0u8;
    let (_, code) = created!(clCreateContext(
        null(),
        1,
        &raw const d,
        None,
        (&raw mut data).cast()
    ));
    assert_eq!(code, CL_INVALID_VALUE);
    // INVALID_DEVICE if devices contains an invalid device
    assert_eq!(create(&[], &[d, null_mut()]), CL_INVALID_DEVICE);
}

#[test]
fn create_context_from_type() {
    let (c, code) = created!(clCreateContextFromType(
        null(),
        CL_DEVICE_TYPE_DEFAULT,
        None,
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseContext(c)), 0);
    let (_, code) = created!(clCreateContextFromType(null(), 1 << 30, None, null_mut()));
    assert_eq!(code, CL_INVALID_DEVICE_TYPE);
    let (_, code) = created!(clCreateContextFromType(
        null(),
        CL_DEVICE_TYPE_CUSTOM,
        None,
        null_mut()
    ));
    assert_eq!(code, CL_DEVICE_NOT_FOUND);
}

#[test]
fn context_info() {
    let (d, p) = (device(), platform().addr() as isize);
    let properties = [CL_CONTEXT_PLATFORM, p, 0];
    let twice = [d, d];
    let (c, code) = created!(clCreateContext(
        properties.as_ptr(),
        2,
        twice.as_ptr(),
        None,
        null_mut()
    ));
    assert_eq!(code, 0);
    assert_eq!(query!(clGetContextInfo(c; CL_CONTEXT_REFERENCE_COUNT) as u32), 1);
    assert_eq!(
        query!(clGetContextInfo(c; CL_CONTEXT_NUM_DEVICES) as u32),
        1,
        "duplicates are ignored"
    );
    assert_eq!(query!(clGetContextInfo(c; CL_CONTEXT_DEVICES) as usize), d.addr());
    assert_eq!(
        query!(clGetContextInfo(c; CL_CONTEXT_PROPERTIES) as [isize; 3]),
        properties
    );
    assert_eq!(
        cl!(clGetContextInfo(c, 0x9999, 0, null_mut(), null_mut())),
        CL_INVALID_VALUE
    );
    assert_eq!(cl!(clReleaseContext(c)), 0);
    let plain = context(d);
    assert!(query_bytes!(clGetContextInfo(plain; CL_CONTEXT_PROPERTIES)).is_empty());
    assert_eq!(cl!(clReleaseContext(plain)), 0);
}

#[test]
fn reference_count() {
    let c = context(device());
    assert_eq!(cl!(clRetainContext(c)), 0);
    assert_eq!(query!(clGetContextInfo(c; CL_CONTEXT_REFERENCE_COUNT) as u32), 2);
    assert_eq!(cl!(clReleaseContext(c)), 0);
    assert_eq!(cl!(clReleaseContext(c)), 0);
    assert_eq!(cl!(clReleaseContext(c)), CL_INVALID_CONTEXT);
}

#[test]
fn a_context_lives_as_long_as_its_objects() {
    let c = context(device());
    let (queue, code) = created!(clCreateCommandQueue(c, device(), 0));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseContext(c)), 0);
    // Language bindings do this: they query the context of a queue and retain it.
    assert_eq!(
        query!(clGetCommandQueueInfo(queue; CL_QUEUE_CONTEXT) as usize),
        c.addr()
    );
    assert_eq!(cl!(clRetainContext(c)), 0);
    assert_eq!(query!(clGetContextInfo(c; CL_CONTEXT_REFERENCE_COUNT) as u32), 1);
    assert_eq!(cl!(clReleaseCommandQueue(queue)), 0);
    assert_eq!(cl!(clReleaseContext(c)), 0);
    assert_eq!(cl!(clRetainContext(c)), CL_INVALID_CONTEXT);
}
