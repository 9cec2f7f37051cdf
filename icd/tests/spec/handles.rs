//! Invalid handles do no harm. Every entry point is called with null, small numbers, addresses of other memory, handles
//! of another type, and released handles.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::common::objects::Setup;
use crate::common::{NAMES, symbol};
use crate::{cl, common, created};

/// A function type for every entry point: each takes at most 13 integers or pointers after the first argument.
type Any = unsafe extern "C" fn(
    *mut c_void,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> usize;

/// Returns the error code for an invalid first argument, and whether the function returns a handle or a pointer.
/// Returns `None` if the first argument is not a handle.
#[allow(clippy::too_many_lines, reason = "a table with one row for each error code")]
fn first_argument(name: &str) -> Option<(i32, bool)> {
    let created = matches!(
        name,
        "clCreateContext"
            | "clCreateContextFromType"
            | "clCreateCommandQueue"
            | "clCreateCommandQueueWithProperties"
            | "clCreateBuffer"
            | "clCreateBufferWithProperties"
            | "clCreateSubBuffer"
            | "clCreateImage"
            | "clCreateImageWithProperties"
            | "clCreateImage2D"
            | "clCreateImage3D"
            | "clCreateSampler"
            | "clCreateSamplerWithProperties"
            | "clCreateProgramWithSource"
            | "clCreateProgramWithBinary"
            | "clCreateProgramWithBuiltInKernels"
            | "clCreateProgramWithIL"
            | "clCreateProgramWithILKHR"
            | "clLinkProgram"
            | "clCreatePipe"
            | "clHostMemAllocINTEL"
            | "clDeviceMemAllocINTEL"
            | "clSharedMemAllocINTEL"
            | "clCreateKernel"
            | "clCloneKernel"
            | "clCreateUserEvent"
            | "clCreateSemaphoreWithPropertiesKHR"
            | "clEnqueueMapBuffer"
            | "clEnqueueMapImage"
            | "clGetExtensionFunctionAddressForPlatform"
    );
    let code = match name {
        // The first argument is not a handle, or there is none.
        "clGetPlatformIDs"
        | "clCreateContext"
        | "clCreateContextFromType"
        | "clGetExtensionFunctionAddress"
        | "clWaitForEvents"
        | "clCreateCommandBufferKHR"
        | "clEnqueueCommandBufferKHR"
        | "clUnloadCompiler" => return None,
        "clRetainSemaphoreKHR"
        | "clReleaseSemaphoreKHR"
        | "clGetSemaphoreInfoKHR"
        | "clReImportSemaphoreSyncFdKHR"
        | "clGetSemaphoreHandleForTypeKHR" => common::CL_INVALID_SEMAPHORE_KHR,
        "clGetMutableCommandInfoKHR" => common::CL_INVALID_MUTABLE_COMMAND_KHR,
        _ if name.starts_with("clCommand") || name.contains("CommandBufferKHR") => {
            common::CL_INVALID_COMMAND_BUFFER_KHR
        }
        "clGetCommandBufferInfoKHR" | "clUpdateMutableCommandsKHR" => common::CL_INVALID_COMMAND_BUFFER_KHR,
        // The features of these are not offered: they return CL_INVALID_OPERATION or null for every argument.
        "clSVMAlloc" | "clSVMFree" | "clSetProgramReleaseCallback" => return None,
        "clGetPlatformInfo"
        | "clGetDeviceIDs"
        | "clUnloadPlatformCompiler"
        | "clGetExtensionFunctionAddressForPlatform" => common::CL_INVALID_PLATFORM,
        "clGetDeviceInfo"
        | "clCreateSubDevices"
        | "clRetainDevice"
        | "clReleaseDevice"
        | "clCreateSubDevicesEXT"
        | "clRetainDeviceEXT"
        | "clGetDeviceAndHostTimer"
        | "clGetHostTimer"
        | "clReleaseDeviceEXT" => common::CL_INVALID_DEVICE,
        "clCreateSubBuffer" => common::CL_INVALID_MEM_OBJECT,
        "clBuildProgram"
        | "clCompileProgram"
        | "clCreateKernel"
        | "clCreateKernelsInProgram"
        | "clRetainProgram"
        | "clReleaseProgram"
        | "clGetProgramInfo"
        | "clGetProgramBuildInfo"
        | "clSetProgramSpecializationConstant" => common::CL_INVALID_PROGRAM,
        "clRetainKernel"
        | "clReleaseKernel"
        | "clSetKernelArg"
        | "clSetKernelArgDevicePointerEXT"
        | "clSetKernelArgSVMPointer"
        | "clSetKernelArgMemPointerINTEL"
        | "clSetKernelExecInfo"
        | "clGetKernelInfo"
        | "clGetKernelWorkGroupInfo"
        | "clGetKernelSubGroupInfoKHR"
        | "clGetKernelSubGroupInfo"
        | "clCloneKernel"
        | "clGetKernelArgInfo" => common::CL_INVALID_KERNEL,
        "clGetEventInfo"
        | "clRetainEvent"
        | "clReleaseEvent"
        | "clGetEventProfilingInfo"
        | "clSetEventCallback"
        | "clSetUserEventStatus" => common::CL_INVALID_EVENT,
        "clRetainMemObject"
        | "clReleaseMemObject"
        | "clGetMemObjectInfo"
        | "clGetImageInfo"
        | "clGetPipeInfo"
        | "clSetMemObjectDestructorCallback" => common::CL_INVALID_MEM_OBJECT,
        "clRetainSampler" | "clReleaseSampler" | "clGetSamplerInfo" => common::CL_INVALID_SAMPLER,
        "clRetainContext"
        | "clReleaseContext"
        | "clGetContextInfo"
        | "clSetContextDestructorCallback"
        | "clSetDefaultDeviceCommandQueue"
        | "clLinkProgram"
        | "clHostMemAllocINTEL"
        | "clDeviceMemAllocINTEL"
        | "clSharedMemAllocINTEL"
        | "clMemFreeINTEL"
        | "clMemBlockingFreeINTEL"
        | "clGetMemAllocInfoINTEL"
        | "clGetSupportedImageFormats" => common::CL_INVALID_CONTEXT,
        _ if name.starts_with("clEnqueue")
            || matches!(name, "clFlush" | "clFinish" | "clGetKernelSuggestedLocalWorkSize")
            || name.contains("CommandQueue") && !name.starts_with("clCreate") =>
        {
            common::CL_INVALID_COMMAND_QUEUE
        }
        _ if name.starts_with("clCreate") => common::CL_INVALID_CONTEXT,
        _ => panic!("{name}: say what its first argument is"),
    };
    Some((code, created))
}

/// Calls a function with a first argument and zeros.
fn call(name: &str, first: *mut c_void) -> usize {
    let address = symbol(name);
    // SAFETY: this is an entry point. Its integer and pointer parameters are a prefix of these in the C calling
    // convention, in which a function ignores surplus arguments.
    let f = unsafe { std::mem::transmute::<*mut c_void, Any>(address) };
    // SAFETY: zeros are null pointers and empty lists, and the first argument may be anything.
    unsafe { f(first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
}

fn check_all(what: &str, bad: *mut c_void, skip: &[&str]) {
    for name in NAMES {
        let Some((code, created)) = first_argument(name) else {
            continue;
        };
        if skip.contains(name) {
            continue;
        }
        let result = call(name, bad);
        if created {
            assert_eq!(result, 0, "{name}({what})");
        } else {
            assert_eq!(result as u32 as i32, code, "{name}({what})");
        }
    }
}

/// The functions for which a NULL platform is implementation-defined. In Caldera it is the platform.
const NULL_IS_FINE: &[&str] = &["clGetPlatformInfo", "clGetDeviceIDs"];

#[test]
fn null() {
    check_all("NULL", null_mut(), NULL_IS_FINE);
}

#[test]
fn numbers_that_are_no_addresses() {
    for bad in [
        1usize,
        2,
        8,
        0xfff,
        0x1000,
        0xdead_beef,
        1 << 47,
        usize::MAX,
        usize::MAX - 7,
    ] {
        check_all(&format!("{bad:#x}"), std::ptr::without_provenance_mut(bad), &[]);
    }
}

#[test]
fn other_memory() {
    let mut boxed = Box::new([0usize; 16]);
    check_all("heap", boxed.as_mut_ptr().cast(), &[]);
    let mut local = [0usize; 16];
    check_all("stack", local.as_mut_ptr().cast(), &[]);
    check_all("code", symbol("clFinish"), &[]);
}

#[test]
fn inside_of_a_handle() {
    let s = Setup::new();
    for offset in [1, 4, 8, 16, 32] {
        let inside = s.context.cast::<u8>().wrapping_add(offset).cast();
        check_all(&format!("context + {offset}"), inside, &[]);
    }
}

#[test]
fn handles_of_another_type() {
    let s = Setup::new();
    let (event, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    // The context and the event go to all entry points except those that expect them as the first argument.
    let takes_context: Vec<&str> = NAMES
        .iter()
        .copied()
        .filter(|n| first_argument(n).is_some_and(|(code, _)| code == common::CL_INVALID_CONTEXT))
        .collect();
    check_all("a context", s.context, &takes_context);
    let takes_event: Vec<&str> = NAMES
        .iter()
        .copied()
        .filter(|n| first_argument(n).is_some_and(|(code, _)| code == common::CL_INVALID_EVENT))
        .collect();
    check_all("an event", event, &takes_event);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
}

#[test]
fn released() {
    let s = Setup::new();
    let (event, code) = created!(clCreateUserEvent(s.context));
    assert_eq!(code, 0);
    assert_eq!(cl!(clReleaseEvent(event)), 0);
    check_all("a released event", event, &[]);
    let (context, queue) = (s.context, s.queue);
    drop(s);
    check_all("a released queue", queue, &[]);
    check_all("a released context", context, &[]);
}

#[test]
fn wait_lists() {
    let s = Setup::new();
    let bad = std::ptr::without_provenance_mut::<c_void>(0x1234);
    for (count, list) in [(1, &raw const bad), (1, std::ptr::null()), (0, &raw const bad)] {
        let code = cl!(clEnqueueMarkerWithWaitList(s.queue, count, list, null_mut()));
        assert_eq!(code, common::CL_INVALID_EVENT_WAIT_LIST);
    }
    assert_eq!(cl!(clWaitForEvents(1, &raw const bad)), common::CL_INVALID_EVENT);
    assert_eq!(
        cl!(clWaitForEvents(1, std::ptr::null())),
        common::CL_INVALID_VALUE
    );
    assert_eq!(cl!(clWaitForEvents(0, &raw const bad)), common::CL_INVALID_VALUE);
}
