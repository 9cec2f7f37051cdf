//! Opens an OpenCL implementation by path. Implementations have threads and exit handlers, so none is ever
//! unloaded.

use super::check;
use crate::Failure;
use libloading::Library;
use opencl_sys::cl_function_types::clGetPlatformIDs_t;
use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::{CL_SUCCESS, cl_platform_id, cl_uint};
use parking_lot::Mutex;
use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::ptr::null_mut;

/// The functions of an implementation. The fields are `None` for functions that it lacks.
pub(super) type Table = _cl_icd_dispatch;

/// A platform and the functions with which it is used.
pub(super) struct Platform {
    pub(super) table: &'static Table,
    pub(super) raw: cl_platform_id,
}

type Platforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> i32;

/// Returns whether the dynamic linker finds a library.
pub(crate) fn can_load(name: &str) -> bool {
    // SAFETY: the callers only name loaders of Vulkan and OpenCL, and MPFR, whose initialisers do nothing.
    unsafe { Library::new(name) }.is_ok()
}

/// Returns what the dynamic linker says of a failure; the error itself names only the function that failed.
pub(crate) fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the platforms of a library, which is a file or a name that the dynamic linker finds.
pub(super) fn platforms(library: &str) -> Result<Vec<Platform>, Failure> {
    // SAFETY: the library is an OpenCL implementation or loader that the user names.
    let loaded = unsafe { Library::new(library) }.map_err(|e| Failure(reason(&e)))?;
    let loaded: &'static Library = Box::leak(Box::new(loaded));
    // The static list keeps leak checkers from reporting the library.
    static KEPT: Mutex<Vec<&'static Library>> = Mutex::new(Vec::new());
    KEPT.lock().push(loaded);
    if let Some(get) = icd_platforms(loaded) {
        let all = handles(get)?.into_iter();
        return Ok(all
            .map(|raw| Platform {
                table: dispatched(raw),
                raw,
            })
            .collect());
    }
    // SAFETY: the OpenCL headers give the function of this name this type.
    let get = unsafe { loaded.get::<clGetPlatformIDs_t>(b"clGetPlatformIDs\0") };
    let get = get.ok().and_then(|g| *g);
    let get = get.ok_or_else(|| failure!("{library} is no OpenCL implementation"))?;
    let table: &'static Table = Box::leak(Box::new(exported(loaded)));
    Ok(handles(get)?
        .into_iter()
        .map(|raw| Platform { table, raw })
        .collect())
}

macro_rules! symbols {
    ($library:ident: $($name:ident)*) => {{
        // SAFETY: the table consists of optional functions and addresses, of which none is there if all bytes are zero.
        let mut table: Table = unsafe { std::mem::zeroed() };
        $(
            let name = concat!(stringify!($name), "\0");
            // SAFETY: the OpenCL headers declare the function of this name with the type of the table's field.
            if let Ok(found) = unsafe { $library.get(name.as_bytes()) } {
                table.$name = *found;
            }
        )*
        table
    }};
}

/// Returns the functions that the harness uses, from the symbols of a library.
fn exported(library: &Library) -> Table {
    symbols! { library:
        clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clGetExtensionFunctionAddress
        clCreateContext clRetainContext clReleaseContext clGetContextInfo
        clCreateCommandQueue clRetainCommandQueue clReleaseCommandQueue clGetCommandQueueInfo
        clCreateBuffer clCreateSubBuffer clCreateImage clRetainMemObject clReleaseMemObject clGetMemObjectInfo
        clSetMemObjectDestructorCallback
        clCreateSampler clRetainSampler clReleaseSampler clGetSamplerInfo
        clCreateProgramWithSource clCreateProgramWithIL clCreateProgramWithBinary clSetProgramSpecializationConstant
        clCompileProgram clLinkProgram clBuildProgram clGetProgramBuildInfo clRetainProgram clReleaseProgram clGetProgramInfo
        clCreateKernel clSetKernelArg clRetainKernel clReleaseKernel
        clGetKernelInfo clGetKernelArgInfo clGetKernelWorkGroupInfo
        clCreateUserEvent clSetUserEventStatus clSetEventCallback clWaitForEvents clRetainEvent clReleaseEvent
        clGetEventInfo clGetEventProfilingInfo
        clEnqueueReadBuffer clEnqueueWriteBuffer clEnqueueReadBufferRect clEnqueueWriteBufferRect
        clEnqueueCopyBuffer clEnqueueCopyBufferRect clEnqueueFillBuffer clEnqueueMapBuffer
        clEnqueueReadImage clEnqueueWriteImage clEnqueueCopyImage clEnqueueFillImage clEnqueueMapImage
        clEnqueueCopyBufferToImage clEnqueueCopyImageToBuffer
        clEnqueueUnmapMemObject clEnqueueMigrateMemObjects clEnqueueNDRangeKernel clEnqueueNativeKernel
        clEnqueueMarkerWithWaitList clEnqueueBarrierWithWaitList clFlush clFinish
    }
}

/// Returns the `.icd` files of the system, or those in `OCL_ICD_VENDORS` if it is set.
pub(crate) fn icd_files() -> Vec<PathBuf> {
    let place = std::env::var_os("OCL_ICD_VENDORS").map(PathBuf::from);
    let place = place.unwrap_or_else(|| PathBuf::from("/etc/OpenCL/vendors"));
    if place.is_file() {
        return vec![place];
    }
    crate::files::with_extension(&place, "icd")
}

/// Returns the dispatch table that a platform begins with.
fn dispatched(platform: cl_platform_id) -> &'static Table {
    // SAFETY: objects of an ICD begin with the pointer to its dispatch table (cl_khr_icd).
    let table = unsafe { *platform.cast::<*const Table>() };
    // SAFETY: the pointer to the table was just read; no implementation is unloaded, so the table stays
    // valid.
    unsafe { &*table }
}

/// Returns an ICD's clIcdGetPlatformIDsKHR, which is either exported or returned by
/// clGetExtensionFunctionAddress.
fn icd_platforms(library: &Library) -> Option<Platforms> {
    type Address = unsafe extern "C" fn(*const c_char) -> *mut c_void;
    // SAFETY: cl_khr_icd gives the function of this name this type.
    if let Ok(found) = unsafe { library.get::<Platforms>(b"clIcdGetPlatformIDsKHR\0") } {
        return Some(*found);
    }
    // SAFETY: the OpenCL headers give the function of this name this type.
    let address = unsafe { library.get::<Address>(b"clGetExtensionFunctionAddress\0") }.ok()?;
    // SAFETY: the name is a C string.
    let found = unsafe { address(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    // SAFETY: cl_khr_icd gives the function of this name this type; a null pointer is `None`.
    unsafe { std::mem::transmute::<*mut c_void, Option<Platforms>>(found) }
}

fn handles(get: Platforms) -> Result<Vec<cl_platform_id>, Failure> {
    let mut count = 0;
    // SAFETY: a null array with a count of 0 asks for the number only.
    let code = unsafe { get(0, null_mut(), &mut count) };
    if code != CL_SUCCESS || count == 0 {
        return Ok(Vec::new());
    }
    let mut all = vec![null_mut(); count as usize];
    // SAFETY: the array has `count` entries.
    let code = unsafe { get(count, all.as_mut_ptr(), null_mut()) };
    check(code, "clGetPlatformIDs")?;
    Ok(all)
}
