//! The built library as an application uses it: loaded by path and called through its C symbols.
//!
//! Every test binary runs with the Vulkan validation layer. The first message of the layer ends the process
//! (`CALDERA_VALIDATION=abort`), so a test that passes has caused none.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(non_snake_case, reason = "names of the OpenCL headers")]
#![allow(
    unreachable_pub,
    reason = "a module of several test binaries, as if it were a crate"
)]

pub mod again;
pub mod drivers;
pub mod json;
pub mod objects;

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

pub use opencl_sys::cl_function_types::*;
pub use opencl_sys::*;

/// CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR. The crate of the headers has another number.
pub const ASSERTS: cl_command_buffer_properties_khr = 0x12B7;

/// Returns the path of `libcaldera_tested.so`, which is next to the test binaries, or the value of
/// `CALDERA_TEST_LIBRARY`, with which the tests run on another implementation.
pub fn library() -> PathBuf {
    if let Some(other) = std::env::var_os("CALDERA_TEST_LIBRARY") {
        return other.into();
    }
    let exe = std::env::current_exe().expect("a running test has a path");
    // `cargo test` links the library into this folder: that of the package `tests/library`, which has the same source
    // as `libcaldera.so`.
    let dir = exe.parent().expect("a file has a folder");
    let path = dir.join("libcaldera_tested.so");
    assert!(
        path.exists(),
        "{} is missing: cargo test -p caldera-icd",
        path.display()
    );
    path
}

fn load() -> libloading::Library {
    for (name, value) in [("CALDERA_VALIDATION", "abort"), ("CALDERA_CACHE", "off")] {
        if std::env::var_os(name).is_none() {
            // SAFETY: the library is not loaded yet and the test harness reads no environment while tests run.
            unsafe { std::env::set_var(name, value) };
        }
    }
    // SAFETY: loading the library runs none of its code.
    unsafe { libloading::Library::new(library()) }.expect("the library loads")
}

/// Returns the address of a symbol. Panics if the library does not export it.
pub fn symbol(name: &str) -> *mut c_void {
    let name = CString::new(name).expect("no zero byte");
    // SAFETY: only the address is used.
    let found = unsafe { lib().get::<*mut c_void>(name.as_bytes_with_nul()) };
    let found = found.unwrap_or_else(|e| panic!("not exported: {e}"));
    // SAFETY: this is the address of the symbol, which is not read through.
    unsafe { found.into_raw() }.into_raw()
}

fn lib() -> &'static libloading::Library {
    static LIB: OnceLock<libloading::Library> = OnceLock::new();
    LIB.get_or_init(load)
}

macro_rules! api {
    ($($name:ident: $ty:ident,)*) => {
        /// Every entry point of OpenCL 1.0 to 1.2, and the later ones that the tests use.
        pub struct Api {
            $(pub $name: $ty,)*
        }

        /// The names of the fields of [`Api`].
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// Returns the functions of the library.
        pub fn api() -> &'static Api {
            static API: OnceLock<Api> = OnceLock::new();
            API.get_or_init(|| Api {
                $($name: {
                    // SAFETY: the type is that of the OpenCL headers for the name.
                    let f = unsafe { lib().get::<$ty>(concat!(stringify!($name), "\0").as_bytes()) };
                    *f.unwrap_or_else(|e| panic!("not exported: {e}"))
                },)*
            })
        }
    };
}

api! {
    clGetPlatformIDs: clGetPlatformIDs_t,
    clGetPlatformInfo: clGetPlatformInfo_t,
    clGetDeviceIDs: clGetDeviceIDs_t,
    clGetDeviceInfo: clGetDeviceInfo_t,
    clCreateContext: clCreateContext_t,
    clCreateContextFromType: clCreateContextFromType_t,
    clRetainContext: clRetainContext_t,
    clReleaseContext: clReleaseContext_t,
    clGetContextInfo: clGetContextInfo_t,
    clCreateCommandQueue: clCreateCommandQueue_t,
    clRetainCommandQueue: clRetainCommandQueue_t,
    clReleaseCommandQueue: clReleaseCommandQueue_t,
    clGetCommandQueueInfo: clGetCommandQueueInfo_t,
    clSetCommandQueueProperty: clSetCommandQueueProperty_t,
    clCreateBuffer: clCreateBuffer_t,
    clCreateImage2D: clCreateImage2D_t,
    clCreateImage3D: clCreateImage3D_t,
    clRetainMemObject: clRetainMemObject_t,
    clReleaseMemObject: clReleaseMemObject_t,
    clGetSupportedImageFormats: clGetSupportedImageFormats_t,
    clGetMemObjectInfo: clGetMemObjectInfo_t,
    clGetImageInfo: clGetImageInfo_t,
    clCreateSampler: clCreateSampler_t,
    clRetainSampler: clRetainSampler_t,
    clReleaseSampler: clReleaseSampler_t,
    clGetSamplerInfo: clGetSamplerInfo_t,
    clCreateProgramWithSource: clCreateProgramWithSource_t,
    clCreateProgramWithBinary: clCreateProgramWithBinary_t,
    clRetainProgram: clRetainProgram_t,
    clReleaseProgram: clReleaseProgram_t,
    clBuildProgram: clBuildProgram_t,
    clUnloadCompiler: clUnloadCompiler_t,
    clGetProgramInfo: clGetProgramInfo_t,
    clGetProgramBuildInfo: clGetProgramBuildInfo_t,
    clCreateKernel: clCreateKernel_t,
    clCreateKernelsInProgram: clCreateKernelsInProgram_t,
    clRetainKernel: clRetainKernel_t,
    clReleaseKernel: clReleaseKernel_t,
    clSetKernelArg: clSetKernelArg_t,
    clGetKernelInfo: clGetKernelInfo_t,
    clGetKernelWorkGroupInfo: clGetKernelWorkGroupInfo_t,
    clWaitForEvents: clWaitForEvents_t,
    clGetEventInfo: clGetEventInfo_t,
    clRetainEvent: clRetainEvent_t,
    clReleaseEvent: clReleaseEvent_t,
    clGetEventProfilingInfo: clGetEventProfilingInfo_t,
    clFlush: clFlush_t,
    clFinish: clFinish_t,
    clEnqueueReadBuffer: clEnqueueReadBuffer_t,
    clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
    clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
    clEnqueueReadImage: clEnqueueReadImage_t,
    clEnqueueWriteImage: clEnqueueWriteImage_t,
    clEnqueueCopyImage: clEnqueueCopyImage_t,
    clEnqueueCopyImageToBuffer: clEnqueueCopyImageToBuffer_t,
    clEnqueueCopyBufferToImage: clEnqueueCopyBufferToImage_t,
    clEnqueueMapBuffer: clEnqueueMapBuffer_t,
    clEnqueueMapImage: clEnqueueMapImage_t,
    clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_t,
    clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
    clEnqueueTask: clEnqueueTask_t,
    clEnqueueNativeKernel: clEnqueueNativeKernel_t,
    clEnqueueMarker: clEnqueueMarker_t,
    clEnqueueWaitForEvents: clEnqueueWaitForEvents_t,
    clEnqueueBarrier: clEnqueueBarrier_t,
    clGetExtensionFunctionAddress: clGetExtensionFunctionAddress_t,
    clSetEventCallback: clSetEventCallback_t,
    clCreateSubBuffer: clCreateSubBuffer_t,
    clSetMemObjectDestructorCallback: clSetMemObjectDestructorCallback_t,
    clCreateUserEvent: clCreateUserEvent_t,
    clSetUserEventStatus: clSetUserEventStatus_t,
    clEnqueueReadBufferRect: clEnqueueReadBufferRect_t,
    clEnqueueWriteBufferRect: clEnqueueWriteBufferRect_t,
    clEnqueueCopyBufferRect: clEnqueueCopyBufferRect_t,
    clCreateSubDevicesEXT: clCreateSubDevicesEXT_t,
    clRetainDeviceEXT: clRetainDeviceEXT_t,
    clReleaseDeviceEXT: clReleaseDeviceEXT_t,
    clCreateSubDevices: clCreateSubDevices_t,
    clRetainDevice: clRetainDevice_t,
    clReleaseDevice: clReleaseDevice_t,
    clCreateImage: clCreateImage_t,
    clCreateProgramWithBuiltInKernels: clCreateProgramWithBuiltInKernels_t,
    clCompileProgram: clCompileProgram_t,
    clLinkProgram: clLinkProgram_t,
    clUnloadPlatformCompiler: clUnloadPlatformCompiler_t,
    clGetKernelArgInfo: clGetKernelArgInfo_t,
    clEnqueueFillBuffer: clEnqueueFillBuffer_t,
    clEnqueueFillImage: clEnqueueFillImage_t,
    clEnqueueMigrateMemObjects: clEnqueueMigrateMemObjects_t,
    clEnqueueMarkerWithWaitList: clEnqueueMarkerWithWaitList_t,
    clEnqueueBarrierWithWaitList: clEnqueueBarrierWithWaitList_t,
    clGetExtensionFunctionAddressForPlatform: clGetExtensionFunctionAddressForPlatform_t,
    clCreateCommandQueueWithProperties: clCreateCommandQueueWithProperties_t,
    clCreateSamplerWithProperties: clCreateSamplerWithProperties_t,
    clCreateBufferWithProperties: clCreateBufferWithProperties_t,
    clCreateImageWithProperties: clCreateImageWithProperties_t,
    clGetKernelSubGroupInfoKHR: clGetKernelSubGroupInfoKHR_t,
    clGetKernelSubGroupInfo: clGetKernelSubGroupInfo_t,
    clCreateProgramWithIL: clCreateProgramWithIL_t,
    clCreateProgramWithILKHR: clCreateProgramWithILKHR_t,
    clSetProgramSpecializationConstant: clSetProgramSpecializationConstant_t,
    clSVMAlloc: clSVMAlloc_t,
    clSVMFree: clSVMFree_t,
    clEnqueueSVMFree: clEnqueueSVMFree_t,
    clEnqueueSVMMemcpy: clEnqueueSVMMemcpy_t,
    clEnqueueSVMMemFill: clEnqueueSVMMemFill_t,
    clEnqueueSVMMap: clEnqueueSVMMap_t,
    clEnqueueSVMUnmap: clEnqueueSVMUnmap_t,
    clEnqueueSVMMigrateMem: clEnqueueSVMMigrateMem_t,
    clSetKernelArgSVMPointer: clSetKernelArgSVMPointer_t,
    clSetKernelExecInfo: clSetKernelExecInfo_t,
    clSetProgramReleaseCallback: clSetProgramReleaseCallback_t,
    clCreatePipe: clCreatePipe_t,
    clHostMemAllocINTEL: clHostMemAllocINTEL_t,
    clDeviceMemAllocINTEL: clDeviceMemAllocINTEL_t,
    clSharedMemAllocINTEL: clSharedMemAllocINTEL_t,
    clMemFreeINTEL: clMemFreeINTEL_t,
    clMemBlockingFreeINTEL: clMemBlockingFreeINTEL_t,
    clGetMemAllocInfoINTEL: clGetMemAllocInfoINTEL_t,
    clSetKernelArgMemPointerINTEL: clSetKernelArgMemPointerINTEL_t,
    clEnqueueMemFillINTEL: clEnqueueMemFillINTEL_t,
    clEnqueueMemsetINTEL: clEnqueueMemsetINTEL_t,
    clEnqueueMemcpyINTEL: clEnqueueMemcpyINTEL_t,
    clEnqueueMigrateMemINTEL: clEnqueueMigrateMemINTEL_t,
    clEnqueueMemAdviseINTEL: clEnqueueMemAdviseINTEL_t,
    clGetPipeInfo: clGetPipeInfo_t,
    clCloneKernel: clCloneKernel_t,
    clGetDeviceAndHostTimer: clGetDeviceAndHostTimer_t,
    clGetHostTimer: clGetHostTimer_t,
    clSetDefaultDeviceCommandQueue: clSetDefaultDeviceCommandQueue_t,
    clSetContextDestructorCallback: clSetContextDestructorCallback_t,
    clGetKernelSuggestedLocalWorkSize: clGetKernelSuggestedLocalWorkSize_t,
    clSetKernelArgDevicePointerEXT: clSetKernelArgDevicePointerEXT_t,
    clCreateSemaphoreWithPropertiesKHR: clCreateSemaphoreWithPropertiesKHR_t,
    clRetainSemaphoreKHR: clRetainSemaphoreKHR_t,
    clReleaseSemaphoreKHR: clReleaseSemaphoreKHR_t,
    clEnqueueWaitSemaphoresKHR: clEnqueueWaitSemaphoresKHR_t,
    clEnqueueSignalSemaphoresKHR: clEnqueueSignalSemaphoresKHR_t,
    clGetSemaphoreHandleForTypeKHR: clGetSemaphoreHandleForTypeKHR_t,
    clGetSemaphoreInfoKHR: clGetSemaphoreInfoKHR_t,
    clReImportSemaphoreSyncFdKHR: clReImportSemaphoreSyncFdKHR_t,
    clEnqueueAcquireExternalMemObjectsKHR: clEnqueueAcquireExternalMemObjectsKHR_t,
    clEnqueueReleaseExternalMemObjectsKHR: clEnqueueReleaseExternalMemObjectsKHR_t,
    clCreateCommandBufferKHR: clCreateCommandBufferKHR_t,
    clRetainCommandBufferKHR: clRetainCommandBufferKHR_t,
    clReleaseCommandBufferKHR: clReleaseCommandBufferKHR_t,
    clFinalizeCommandBufferKHR: clFinalizeCommandBufferKHR_t,
    clEnqueueCommandBufferKHR: clEnqueueCommandBufferKHR_t,
    clGetCommandBufferInfoKHR: clGetCommandBufferInfoKHR_t,
    clCommandBarrierWithWaitListKHR: clCommandBarrierWithWaitListKHR_t,
    clCommandCopyBufferKHR: clCommandCopyBufferKHR_t,
    clCommandCopyBufferRectKHR: clCommandCopyBufferRectKHR_t,
    clCommandCopyBufferToImageKHR: clCommandCopyBufferToImageKHR_t,
    clCommandCopyImageKHR: clCommandCopyImageKHR_t,
    clCommandCopyImageToBufferKHR: clCommandCopyImageToBufferKHR_t,
    clCommandFillBufferKHR: clCommandFillBufferKHR_t,
    clCommandFillImageKHR: clCommandFillImageKHR_t,
    clCommandNDRangeKernelKHR: clCommandNDRangeKernelKHR_t,
    clCommandSVMMemcpyKHR: clCommandSVMMemcpyKHR_t,
    clCommandSVMMemFillKHR: clCommandSVMMemFillKHR_t,
    clUpdateMutableCommandsKHR: clUpdateMutableCommandsKHR_t,
    clGetMutableCommandInfoKHR: clGetMutableCommandInfoKHR_t,
}

/// Calls an entry point: `cl!(clFinish(queue))`.
#[macro_export]
macro_rules! cl {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let f = $crate::common::api().$name.expect("exported");
        #[allow(clippy::macro_metavars_in_unsafe, reason = "the arguments of a foreign function")]
        // SAFETY: the test passes the pointers that the clause of the call asks for. Handles may be anything.
        let result = unsafe { f($($arg),*) };
        result
    }};
}

/// Calls a function that returns a handle: `created!(clCreateUserEvent(context))` is the pair of handle and error code.
#[macro_export]
macro_rules! created {
    ($name:ident($($arg:expr),* $(,)?)) => {{
        let mut code: $crate::common::cl_int = 1;
        let handle = $crate::cl!($name($($arg,)* &raw mut code));
        if code == 0 {
            assert!(!handle.is_null(), "{}: no error and no handle", stringify!($name));
        } else {
            assert!(handle.is_null(), "{}: error {code} and a handle", stringify!($name));
        }
        (handle, code)
    }};
}

/// Queries one value.
#[macro_export]
macro_rules! query {
    ($name:ident($($object:expr),*; $param:expr) as $ty:ty) => {{
        let mut value = std::mem::MaybeUninit::<$ty>::zeroed();
        let mut size = 0usize;
        let code = $crate::cl!($name(
            $($object,)*
            $param,
            size_of::<$ty>(),
            value.as_mut_ptr().cast(),
            &raw mut size,
        ));
        assert_eq!(code, 0, "{} {:#x}", stringify!($name), $param);
        assert_eq!(size, size_of::<$ty>(), "size of {} {:#x}", stringify!($name), $param);
        // SAFETY: the call has written all of the value, and zero bytes are valid for the types that tests query.
        unsafe { value.assume_init() }
    }};
}

/// Queries an answer of any size, such as a string or a list, as bytes.
#[macro_export]
macro_rules! query_bytes {
    ($name:ident($($object:expr),*; $param:expr)) => {{
        let mut size = 0usize;
        let code = $crate::cl!($name($($object,)* $param, 0, std::ptr::null_mut(), &raw mut size));
        assert_eq!(code, 0, "size of {} {:#x}", stringify!($name), $param);
        let mut bytes = vec![0u8; size];
        let code = $crate::cl!($name($($object,)* $param, size, bytes.as_mut_ptr().cast(), std::ptr::null_mut()));
        assert_eq!(code, 0, "{} {:#x}", stringify!($name), $param);
        bytes
    }};
}

/// Queries a string.
#[macro_export]
macro_rules! query_text {
    ($name:ident($($object:expr),*; $param:expr)) => {{
        let mut bytes = $crate::query_bytes!($name($($object),*; $param));
        assert_eq!(bytes.pop(), Some(0), "{} {:#x} is not terminated", stringify!($name), $param);
        String::from_utf8(bytes).expect("UTF-8")
    }};
}
