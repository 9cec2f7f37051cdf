//! cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch: what devices and command-buffers tell.

use std::ptr::{null, null_mut};

use crate::common::objects::{Setup, device};
use crate::common::*;
use crate::{cl, created, query, query_bytes, query_text};

/// Runs the tests of this file in a process that reports OpenCL 3.1.
#[test]
fn with_opencl_3_1() {
    crate::common::again::run_tests("khr_command_buffer::", "CALDERA_CL_VERSION", "3.1");
}

/// Devices of OpenCL 3.0 and later have the extensions and their queries; devices of OpenCL 1.2 have neither.
#[test]
fn devices_tell_their_capabilities() {
    let d = device();
    let extensions = query_text!(clGetDeviceInfo(d; CL_DEVICE_EXTENSIONS));
    let has = |name: &str| extensions.split(' ').any(|e| e == name);
    let later = std::env::var("CALDERA_CL_VERSION").is_ok_and(|v| v != "1.2");
    assert_eq!(has("cl_khr_command_buffer"), later);
    assert_eq!(has("cl_khr_command_buffer_mutable_dispatch"), later);
    let queues = query!(clGetDeviceInfo(d; CL_DEVICE_QUEUE_PROPERTIES) as u64);
    for (param, expected) in [
        (
            CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
            CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
                | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR,
        ),
        (CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, queues),
        (CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, 0),
        (
            CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR,
            CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
                | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
                | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
                | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
                | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
        ),
    ] {
        if later {
            assert_eq!(query!(clGetDeviceInfo(d; param) as u64), expected, "{param:#x}");
        } else {
            let code = cl!(clGetDeviceInfo(d, param, 0, null_mut(), null_mut()));
            assert_eq!(code, CL_INVALID_VALUE, "{param:#x}");
        }
    }
}

#[test]
fn command_buffers_tell_their_state() {
    let s = Setup::new();
    let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0];
    let (buffer, code) = created!(clCreateCommandBufferKHR(
        1,
        &raw const s.queue,
        properties.as_ptr()
    ));
    assert_eq!(code, 0);
    let number = |param| query!(clGetCommandBufferInfoKHR(buffer; param) as u32);
    let handle = |param| query!(clGetCommandBufferInfoKHR(buffer; param) as usize);
    assert_eq!(number(CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1);
    assert_eq!(handle(CL_COMMAND_BUFFER_QUEUES_KHR), s.queue.addr());
    assert_eq!(handle(CL_COMMAND_BUFFER_CONTEXT_KHR), s.context.addr());
    assert_eq!(number(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 1);
    assert_eq!(cl!(clRetainCommandBufferKHR(buffer)), 0);
    assert_eq!(number(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2);
    assert_eq!(cl!(clReleaseCommandBufferKHR(buffer)), 0);
    assert_eq!(
        query_bytes!(clGetCommandBufferInfoKHR(buffer; CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR)),
        properties.map(u64::to_ne_bytes).concat()
    );
    let state = CL_COMMAND_BUFFER_STATE_KHR;
    assert_eq!(number(state), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    assert_eq!(cl!(clFinalizeCommandBufferKHR(buffer)), 0);
    assert_eq!(number(state), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    assert_eq!(cl!(clReleaseCommandBufferKHR(buffer)), 0);
    let (plain, code) = created!(clCreateCommandBufferKHR(1, &raw const s.queue, null()));
    assert_eq!(code, 0);
    let list = query_bytes!(clGetCommandBufferInfoKHR(plain; CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR));
    assert!(list.is_empty());
    assert_eq!(cl!(clReleaseCommandBufferKHR(plain)), 0);
}

#[test]
fn functions_have_addresses() {
    for name in NAMES
        .iter()
        .filter(|n| n.ends_with("KHR") && (n.contains("Command") && !n.contains("Queue")))
    {
        let c_name = std::ffi::CString::new(*name).expect("no zero byte");
        let found = cl!(clGetExtensionFunctionAddressForPlatform(
            crate::common::objects::platform(),
            c_name.as_ptr()
        ));
        assert!(!found.is_null() && found == symbol(name), "{name}");
    }
}
