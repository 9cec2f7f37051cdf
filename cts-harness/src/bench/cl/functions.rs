//! The functions of an OpenCL implementation as a table, and the devices of the implementation.
#![allow(unsafe_code, reason = "OpenCL is a C interface, loaded at run time")]

use super::{Device, check};
use crate::{Failure, icd};
use libloading::Library;
use opencl_sys::cl_function_types::{
    clBuildProgram_t, clCreateBuffer_t, clCreateCommandQueue_t, clCreateContext_t, clCreateImage_t,
    clCreateKernel_t, clCreateProgramWithSource_t, clEnqueueCopyBuffer_t, clEnqueueCopyImage_t,
    clEnqueueFillBuffer_t, clEnqueueFillImage_t, clEnqueueMapBuffer_t, clEnqueueMapImage_t,
    clEnqueueNDRangeKernel_t, clEnqueueReadBuffer_t, clEnqueueReadImage_t, clEnqueueUnmapMemObject_t,
    clEnqueueWriteBuffer_t, clEnqueueWriteImage_t, clFinish_t, clFlush_t, clGetDeviceIDs_t,
    clGetDeviceInfo_t, clGetEventProfilingInfo_t, clGetExtensionFunctionAddress_t, clGetKernelArgInfo_t,
    clGetKernelInfo_t, clGetKernelWorkGroupInfo_t, clGetPlatformInfo_t, clGetProgramBuildInfo_t,
    clGetProgramInfo_t, clReleaseCommandQueue_t, clReleaseContext_t, clReleaseEvent_t, clReleaseKernel_t,
    clReleaseMemObject_t, clReleaseProgram_t, clSetKernelArg_t,
};
use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::{
    CL_DEVICE_TYPE_ALL, CL_PLATFORM_NAME, CL_SUCCESS, cl_device_id, cl_int, cl_platform_id, cl_uint,
};
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

/// The function pointer inside an optional type. The headers declare the type of each function as optional.
pub(super) trait Inside {
    type Pointer: Copy;
}

impl<F: Copy> Inside for Option<F> {
    type Pointer = F;
}

macro_rules! functions {
    ($($name:ident: $optional:ty,)*) => {
        /// The functions that the benchmark calls.
        #[allow(non_snake_case, reason = "names of the OpenCL headers")]
        pub(super) struct Functions {
            $(pub(super) $name: <$optional as Inside>::Pointer,)*
        }

        impl Functions {
            /// Reads the functions from the symbols of a library.
            fn exported(library: &Library) -> Result<Functions, Failure> {
                Ok(Functions {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        // SAFETY: the OpenCL headers declare the function of this name with this type.
                        let found = unsafe { library.get::<<$optional as Inside>::Pointer>(name.as_bytes()) };
                        *found.map_err(|e| Failure(crate::icd::reason(&e)))?
                    },)*
                })
            }

            /// Reads the functions from the dispatch table, to which the objects of an ICD point.
            fn dispatched(table: &_cl_icd_dispatch) -> Result<Functions, Failure> {
                Ok(Functions {
                    $($name: {
                        table.$name.ok_or_else(|| Failure(format!("the ICD lacks {}", stringify!($name))))?
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
    clGetProgramInfo: clGetProgramInfo_t,
    clGetKernelInfo: clGetKernelInfo_t,
    clGetKernelArgInfo: clGetKernelArgInfo_t,
    clGetKernelWorkGroupInfo: clGetKernelWorkGroupInfo_t,
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
    clEnqueueReadImage: clEnqueueReadImage_t,
    clEnqueueWriteImage: clEnqueueWriteImage_t,
    clEnqueueCopyImage: clEnqueueCopyImage_t,
    clEnqueueFillImage: clEnqueueFillImage_t,
    clEnqueueMapImage: clEnqueueMapImage_t,
    clEnqueueUnmapMemObject: clEnqueueUnmapMemObject_t,
    clFlush: clFlush_t,
    clFinish: clFinish_t,
    clGetEventProfilingInfo: clGetEventProfilingInfo_t,
    clGetExtensionFunctionAddress: clGetExtensionFunctionAddress_t,
    clReleaseEvent: clReleaseEvent_t,
}

/// Returns all devices of a library, which is a file or a name that the dynamic linker finds. A platform that
/// lacks functions of OpenCL 1.2 is only an error if no other platform has a device.
pub(crate) fn open(library: &str) -> Result<Vec<Device>, Failure> {
    let opened = icd::open(library)?;
    let exported: Option<&'static Functions> = match opened.is_icd {
        true => None,
        false => Some(Box::leak(Box::new(Functions::exported(opened.library)?))),
    };
    let (mut devices, mut lacks) = (Vec::new(), None);
    for platform in opened.platforms {
        let functions = match exported {
            Some(functions) => functions,
            None => match Functions::dispatched(icd::table(platform)) {
                Ok(functions) => Box::leak(Box::new(functions)),
                Err(why) => {
                    lacks = Some(why);
                    continue;
                }
            },
        };
        functions.add_devices(platform, &mut devices)?;
    }
    match lacks {
        Some(why) if devices.is_empty() => Err(why),
        _ => Ok(devices),
    }
}

impl Functions {
    fn add_devices(&'static self, platform: cl_platform_id, to: &mut Vec<Device>) -> Result<(), Failure> {
        let name = self.platform_name(platform)?;
        let mut count = 0;
        // SAFETY: a null array with a count of 0 only requests the number of devices.
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
        // SAFETY: a null value with size 0 only requests the size.
        let code = unsafe { (self.clGetDeviceInfo)(device, what, 0, null_mut(), &mut size) };
        check(code, "clGetDeviceInfo")?;
        let mut text = vec![0u8; size];
        let to = text.as_mut_ptr().cast();
        // SAFETY: the buffer has `size` bytes.
        let code = unsafe { (self.clGetDeviceInfo)(device, what, size, to, null_mut()) };
        check(code, "clGetDeviceInfo")?;
        Ok(until_zero(&text))
    }

    /// Returns a value of 4 or 8 bytes.
    pub(super) fn device_number(&self, device: cl_device_id, what: cl_uint) -> Result<u64, Failure> {
        let mut bytes = [0u8; 8];
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: the buffer has 8 bytes. A shorter value leaves the other bytes zero.
        let code = unsafe { (self.clGetDeviceInfo)(device, what, 8, to, null_mut()) };
        check(code, "clGetDeviceInfo")?;
        Ok(u64::from_le_bytes(bytes))
    }
}

impl Device {
    /// Returns Caldera's report on the device, with one line per feature that says whether it is offered, or
    /// why not.
    pub(crate) fn feature_report(&self) -> Result<String, Failure> {
        const NAME: &CStr = c"clGetDeviceFeatureReportCALDERA";
        type Report = unsafe extern "C" fn(cl_device_id, usize, *mut c_char, *mut usize) -> cl_int;
        // SAFETY: the name is a C string.
        let address = unsafe { (self.functions.clGetExtensionFunctionAddress)(NAME.as_ptr()) };
        if address.is_null() {
            return Err(Failure(format!("this library has no {}", NAME.to_string_lossy())));
        }
        // SAFETY: Caldera documents this type for the function with this name.
        let report: Report = unsafe { std::mem::transmute(address) };
        let mut size = 0;
        // SAFETY: a null value with size 0 only requests the size.
        let code = unsafe { report(self.raw, 0, null_mut(), &mut size) };
        check(code, "the feature report")?;
        let mut text = vec![0u8; size];
        // SAFETY: the buffer has `size` bytes.
        let code = unsafe { report(self.raw, size, text.as_mut_ptr().cast(), null_mut()) };
        check(code, "the feature report")?;
        Ok(until_zero(&text))
    }
}

fn until_zero(text: &[u8]) -> String {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    String::from_utf8_lossy(&text[..end]).into_owned()
}
