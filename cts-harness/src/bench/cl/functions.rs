//! The functions of an OpenCL implementation as a table, and the implementation's devices.
#![allow(unsafe_code, reason = "OpenCL is a C interface, loaded at run time")]

use super::{Device, check};
use crate::Failure;
use libloading::Library;
use opencl_sys::cl_function_types::{
    clBuildProgram_t, clCreateBuffer_t, clCreateCommandQueue_t, clCreateContext_t, clCreateImage_t,
    clCreateKernel_t, clCreateProgramWithSource_t, clEnqueueCopyBuffer_t, clEnqueueFillBuffer_t,
    clEnqueueMapBuffer_t, clEnqueueNDRangeKernel_t, clEnqueueReadBuffer_t, clEnqueueUnmapMemObject_t,
    clEnqueueWriteBuffer_t, clFinish_t, clFlush_t, clGetDeviceIDs_t, clGetDeviceInfo_t,
    clGetEventProfilingInfo_t, clGetPlatformIDs_t, clGetPlatformInfo_t, clGetProgramBuildInfo_t,
    clReleaseCommandQueue_t, clReleaseContext_t, clReleaseEvent_t, clReleaseKernel_t, clReleaseMemObject_t,
    clReleaseProgram_t, clSetKernelArg_t,
};
use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::{
    CL_DEVICE_TYPE_ALL, CL_PLATFORM_NAME, CL_SUCCESS, cl_device_id, cl_int, cl_platform_id, cl_uint,
};
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

/// The headers declare each function's type as optional; this is the pointer inside.
pub(super) trait Inside {
    type Pointer: Copy;
}

impl<F: Copy> Inside for Option<F> {
    type Pointer = F;
}

macro_rules! functions {
    ($($name:ident: $optional:ty,)*) => {
        /// What the benchmark calls.
        #[allow(non_snake_case, reason = "names of the OpenCL headers")]
        pub(super) struct Functions {
            $(pub(super) $name: <$optional as Inside>::Pointer,)*
        }

        impl Functions {
            /// From the symbols of a library.
            fn exported(library: &Library) -> Result<Functions, Failure> {
                Ok(Functions {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: the OpenCL headers give the function of this name this type.
                        let found = unsafe { library.get::<<$optional as Inside>::Pointer>(name.as_bytes()) };
                        *found.map_err(|e| Failure(e.to_string()))?
                    },)*
                })
            }

            /// From the dispatch table that an ICD's objects begin with.
            ///
            /// # Safety
            /// `table` is the dispatch table of an ICD for OpenCL 1.2 or later.
            unsafe fn dispatched(table: *const _cl_icd_dispatch) -> Result<Functions, Failure> {
                Ok(Functions {
                    $($name: {
                        // SAFETY: a table of OpenCL 1.2 reaches at least to this entry.
                        let entry = unsafe { (*table).$name };
                        entry.ok_or_else(|| Failure(format!("the ICD lacks {}", stringify!($name))))?
                    },)*
                })
            }
        }
    };
}

functions! {
    clGetPlatformInfo: clGetPlatformInfo_t,
    clGetDeviceIDs: clGetDeviceIDs_t,
    clGetDeviceInfo: clGetDeviceInfo_t,
    clCreateContext: clCreateContext_t,
    clReleaseContext: clReleaseContext_t,
    clCreateCommandQueue: clCreateCommandQueue_t,
    clReleaseCommandQueue: clReleaseCommandQueue_t,
    clCreateBuffer: clCreateBuffer_t,
    clCreateImage: clCreateImage_t,
    clReleaseMemObject: clReleaseMemObject_t,
    clCreateProgramWithSource: clCreateProgramWithSource_t,
    clBuildProgram: clBuildProgram_t,
    clGetProgramBuildInfo: clGetProgramBuildInfo_t,
    clReleaseProgram: clReleaseProgram_t,
    clCreateKernel: clCreateKernel_t,
    clSetKernelArg: clSetKernelArg_t,
    clReleaseKernel: clReleaseKernel_t,
    clEnqueueNDRangeKernel: clEnqueueNDRangeKernel_t,
    clEnqueueReadBuffer: clEnqueueReadBuffer_t,
    clEnqueueWriteBuffer: clEnqueueWriteBuffer_t,
    clEnqueueCopyBuffer: clEnqueueCopyBuffer_t,
    clEnqueueFillBuffer: clEnqueueFillBuffer_t,
    clEnqueueMapBuffer: clEnqueueMapBuffer_t,
    clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_t,
    clFlush: clFlush_t,
    clFinish: clFinish_t,
    clGetEventProfilingInfo: clGetEventProfilingInfo_t,
    clReleaseEvent: clReleaseEvent_t,
}

type Platforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;

/// All devices of a library: a file, or a name that the dynamic linker finds.
pub(in crate::bench) fn open(library: &str) -> Result<Vec<Device>, Failure> {
    // SAFETY: the library is an OpenCL implementation or loader that the user names.
    let loaded = unsafe { Library::new(library) }.map_err(|e| Failure(e.to_string()))?;
    // Implementations keep threads and exit handlers, so none is unloaded.
    let loaded: &'static Library = Box::leak(Box::new(loaded));
    let mut devices = Vec::new();
    match icd_platforms(loaded) {
        Some(get) => {
            for platform in platforms(get)? {
                // SAFETY: objects of an ICD begin with the pointer to its dispatch table.
                let table = unsafe { *platform.cast::<*const _cl_icd_dispatch>() };
                // SAFETY: that table, just read.
                let functions = unsafe { Functions::dispatched(table) }?;
                Box::leak(Box::new(functions)).add_devices(platform, &mut devices)?;
            }
        }
        None => {
            let functions: &'static Functions = Box::leak(Box::new(Functions::exported(loaded)?));
            // SAFETY: the OpenCL headers give the function of this name this type.
            let get = unsafe { loaded.get::<clGetPlatformIDs_t>(b"clGetPlatformIDs\0") };
            let get = get.ok().and_then(|g| *g);
            let get = get.ok_or_else(|| Failure(format!("{library} is no OpenCL implementation")))?;
            for platform in platforms(get)? {
                functions.add_devices(platform, &mut devices)?;
            }
        }
    }
    Ok(devices)
}

/// An ICD's entry point: exported, or named by clGetExtensionFunctionAddress.
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

fn platforms(get: Platforms) -> Result<Vec<cl_platform_id>, Failure> {
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

impl Functions {
    fn add_devices(&'static self, platform: cl_platform_id, to: &mut Vec<Device>) -> Result<(), Failure> {
        let name = self.platform_name(platform)?;
        let mut count = 0;
        // SAFETY: a null array with a count of 0 asks for the number only.
        let code = unsafe { (self.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count) };
        if code != CL_SUCCESS || count == 0 {
            return Ok(());
        }
        let mut all = vec![null_mut(); count as usize];
        let array = all.as_mut_ptr();
        // SAFETY: the array has `count` entries.
        let code = unsafe { (self.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, count, array, null_mut()) };
        check(code, "clGetDeviceIDs")?;
        for device in all {
            to.push(Device::new(self, &name, device)?);
        }
        Ok(())
    }

    fn platform_name(&self, platform: cl_platform_id) -> Result<String, Failure> {
        let mut text = [0u8; 256];
        let to = text.as_mut_ptr().cast();
        // SAFETY: the buffer has 256 bytes.
        let code = unsafe { (self.clGetPlatformInfo)(platform, CL_PLATFORM_NAME, 256, to, null_mut()) };
        check(code, "clGetPlatformInfo")?;
        Ok(until_zero(&text))
    }

    pub(super) fn device_text(&self, device: cl_device_id, what: cl_uint) -> Result<String, Failure> {
        let mut size = 0;
        // SAFETY: a null value with size 0 asks for the size only.
        let code = unsafe { (self.clGetDeviceInfo)(device, what, 0, null_mut(), &mut size) };
        check(code, "clGetDeviceInfo")?;
        let mut text = vec![0u8; size];
        let to = text.as_mut_ptr().cast();
        // SAFETY: the buffer has `size` bytes.
        let code = unsafe { (self.clGetDeviceInfo)(device, what, size, to, null_mut()) };
        check(code, "clGetDeviceInfo")?;
        Ok(until_zero(&text))
    }

    /// A value of 4 or 8 bytes.
    pub(super) fn device_number(&self, device: cl_device_id, what: cl_uint) -> Result<u64, Failure> {
        let mut bytes = [0u8; 8];
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: the buffer has 8 bytes, and shorter values leave the rest zero.
        let code = unsafe { (self.clGetDeviceInfo)(device, what, 8, to, null_mut()) };
        check(code, "clGetDeviceInfo")?;
        Ok(u64::from_le_bytes(bytes))
    }
}

fn until_zero(text: &[u8]) -> String {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    String::from_utf8_lossy(&text[..end]).into_owned()
}
