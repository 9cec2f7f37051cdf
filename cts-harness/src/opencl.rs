//! The few OpenCL calls that the harness makes itself, through a library loaded by path: what any OpenCL
//! program does, in as little code.
#![allow(
    unsafe_code,
    reason = "OpenCL is a C interface; this is the one file that loads it"
)]

use crate::Failure;
use libloading::{Library, Symbol};
use opencl_sys::{
    CL_BUILD_PROGRAM_FAILURE, CL_DEVICE_NAME, CL_DEVICE_PLATFORM, CL_DEVICE_TYPE, CL_DEVICE_TYPE_ALL,
    CL_DEVICE_VERSION, CL_DRIVER_VERSION, CL_MEM_WRITE_ONLY, CL_PLATFORM_NAME, CL_PROGRAM_BUILD_LOG,
    CL_QUEUE_PROFILING_ENABLE, CL_SUCCESS, CL_TRUE, cl_command_queue, cl_context, cl_device_id, cl_int,
    cl_kernel, cl_mem, cl_platform_id, cl_program, cl_uint, cl_ulong,
};
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};

/// Whether the dynamic linker finds a library.
pub(crate) fn can_load(name: &str) -> bool {
    // SAFETY: only used on the system's Vulkan and OpenCL loaders, whose initialisers do nothing.
    unsafe { Library::new(name) }.is_ok()
}

/// A loaded OpenCL implementation.
pub(crate) struct Api {
    library: Library,
}

/// A kernel ready to be launched on one device, with one output buffer as its first argument.
pub(crate) struct Launch<'a> {
    pub(crate) source: &'a str,
    pub(crate) kernel: &'a str,
    pub(crate) global: [usize; 2],
    /// Bytes of the output buffer.
    pub(crate) output: usize,
}

/// What a launch gives.
pub(crate) struct Launched {
    pub(crate) output: Vec<u8>,
    /// Nanoseconds on the device.
    pub(crate) device_time: u64,
    /// Time that clBuildProgram took.
    pub(crate) build_time: std::time::Duration,
}

fn check(code: cl_int, call: &str) -> Result<(), Failure> {
    if code == CL_SUCCESS {
        Ok(())
    } else {
        Err(Failure(format!("{call} gave {code}")))
    }
}

impl Api {
    /// Loads a library by path.
    pub(crate) fn load(path: &Path) -> Result<Api, Failure> {
        // SAFETY: the library is the one that this workspace built; its initialisers do nothing.
        let library = unsafe { Library::new(path) }?;
        Ok(Api { library })
    }

    fn symbol<T>(&self, name: &str) -> Result<Symbol<'_, T>, Failure> {
        // SAFETY: every caller states the type that the OpenCL 1.2 headers give this function.
        unsafe { self.library.get(name.as_bytes()) }.map_err(|e| Failure(format!("{name}: {e}")))
    }

    /// All devices of all platforms.
    pub(crate) fn devices(&self) -> Result<Vec<cl_device_id>, Failure> {
        type Platforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
        type Devices =
            unsafe extern "C" fn(cl_platform_id, u64, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
        let get_platforms = self.symbol::<Platforms>("clGetPlatformIDs")?;
        let get_devices = self.symbol::<Devices>("clGetDeviceIDs")?;
        let mut count = 0;
        // SAFETY: a null array with a count of 0 asks for the number only.
        if unsafe { get_platforms(0, null_mut(), &mut count) } != CL_SUCCESS || count == 0 {
            return Ok(Vec::new());
        }
        let mut platforms = vec![null_mut(); count as usize];
        // SAFETY: the array has `count` entries.
        let code = unsafe { get_platforms(count, platforms.as_mut_ptr(), null_mut()) };
        check(code, "clGetPlatformIDs")?;
        let mut all = Vec::new();
        for platform in platforms {
            let mut n = 0;
            // SAFETY: as above.
            if unsafe { get_devices(platform, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut n) } != CL_SUCCESS {
                continue;
            }
            let mut devices = vec![null_mut(); n as usize];
            // SAFETY: the array has `n` entries.
            let code =
                unsafe { get_devices(platform, CL_DEVICE_TYPE_ALL, n, devices.as_mut_ptr(), null_mut()) };
            check(code, "clGetDeviceIDs")?;
            all.extend(devices);
        }
        Ok(all)
    }

    fn device_text(&self, device: cl_device_id, what: cl_uint) -> Result<String, Failure> {
        type Info = unsafe extern "C" fn(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        let info = self.symbol::<Info>("clGetDeviceInfo")?;
        let mut size = 0;
        // SAFETY: a null value with size 0 asks for the size only.
        let code = unsafe { info(device, what, 0, null_mut(), &mut size) };
        check(code, "clGetDeviceInfo")?;
        let mut text = vec![0u8; size];
        // SAFETY: the buffer has `size` bytes.
        let code = unsafe { info(device, what, size, text.as_mut_ptr().cast(), null_mut()) };
        check(code, "clGetDeviceInfo")?;
        Ok(String::from_utf8_lossy(text.strip_suffix(b"\0").unwrap_or(&text)).into_owned())
    }

    /// CL_DEVICE_NAME.
    pub(crate) fn device_name(&self, device: cl_device_id) -> Result<String, Failure> {
        self.device_text(device, CL_DEVICE_NAME)
    }

    /// CL_PLATFORM_NAME of the device's platform.
    pub(crate) fn platform_name(&self, device: cl_device_id) -> Result<String, Failure> {
        type DeviceInfo =
            unsafe extern "C" fn(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        type Info = unsafe extern "C" fn(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        let device_info = self.symbol::<DeviceInfo>("clGetDeviceInfo")?;
        let mut platform: cl_platform_id = null_mut();
        let (size, to) = (size_of::<cl_platform_id>(), (&raw mut platform).cast());
        // SAFETY: the value is one cl_platform_id.
        let code = unsafe { device_info(device, CL_DEVICE_PLATFORM, size, to, null_mut()) };
        check(code, "clGetDeviceInfo")?;
        let info = self.symbol::<Info>("clGetPlatformInfo")?;
        let mut text = vec![0u8; 256];
        let mut used = 0;
        // SAFETY: the buffer has 256 bytes.
        let code = unsafe {
            info(
                platform,
                CL_PLATFORM_NAME,
                256,
                text.as_mut_ptr().cast(),
                &mut used,
            )
        };
        check(code, "clGetPlatformInfo")?;
        text.truncate(used.saturating_sub(1));
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// CL_DRIVER_VERSION.
    pub(crate) fn driver_version(&self, device: cl_device_id) -> Result<String, Failure> {
        self.device_text(device, CL_DRIVER_VERSION)
    }

    /// CL_DEVICE_VERSION.
    pub(crate) fn device_version(&self, device: cl_device_id) -> Result<String, Failure> {
        self.device_text(device, CL_DEVICE_VERSION)
    }

    /// CL_DEVICE_TYPE's bits.
    pub(crate) fn device_type(&self, device: cl_device_id) -> Result<u64, Failure> {
        type Info = unsafe extern "C" fn(cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        let info = self.symbol::<Info>("clGetDeviceInfo")?;
        let mut bits = 0u64;
        let (size, to) = (size_of::<u64>(), (&raw mut bits).cast());
        // SAFETY: the value is one cl_device_type.
        let code = unsafe { info(device, CL_DEVICE_TYPE, size, to, null_mut()) };
        check(code, "clGetDeviceInfo").map(|()| bits)
    }

    /// Caldera's own report: one line per feature, offered or why not.
    pub(crate) fn feature_report(&self, device: cl_device_id) -> Result<String, Failure> {
        type Address = unsafe extern "C" fn(*const c_char) -> *mut c_void;
        type Report = unsafe extern "C" fn(cl_device_id, usize, *mut c_char, *mut usize) -> cl_int;
        let address = self.symbol::<Address>("clGetExtensionFunctionAddress")?;
        // SAFETY: the name is a C string.
        let report = unsafe { address(c"clGetDeviceFeatureReportCALDERA".as_ptr()) };
        if report.is_null() {
            return Err(Failure(
                "this library has no clGetDeviceFeatureReportCALDERA".into(),
            ));
        }
        // SAFETY: Caldera documents this type for the function of this name.
        let report: Report = unsafe { std::mem::transmute(report) };
        let mut size = 0;
        // SAFETY: a null value with size 0 asks for the size only.
        let code = unsafe { report(device, 0, null_mut(), &mut size) };
        check(code, "clGetDeviceFeatureReportCALDERA")?;
        let mut text = vec![0u8; size];
        // SAFETY: the buffer has `size` bytes.
        let code = unsafe { report(device, size, text.as_mut_ptr().cast(), null_mut()) };
        check(code, "clGetDeviceFeatureReportCALDERA")?;
        Ok(String::from_utf8_lossy(text.strip_suffix(b"\0").unwrap_or(&text)).into_owned())
    }

    /// Builds a program, runs one kernel, reads its output back.
    pub(crate) fn launch(&self, device: cl_device_id, what: &Launch<'_>) -> Result<Launched, Failure> {
        type CreateContext = unsafe extern "C" fn(
            *const isize,
            cl_uint,
            *const cl_device_id,
            *const c_void,
            *mut c_void,
            *mut cl_int,
        ) -> cl_context;
        type CreateQueue =
            unsafe extern "C" fn(cl_context, cl_device_id, u64, *mut cl_int) -> cl_command_queue;
        type CreateBuffer = unsafe extern "C" fn(cl_context, u64, usize, *mut c_void, *mut cl_int) -> cl_mem;
        type CreateProgram = unsafe extern "C" fn(
            cl_context,
            cl_uint,
            *const *const c_char,
            *const usize,
            *mut cl_int,
        ) -> cl_program;
        type CreateKernel = unsafe extern "C" fn(cl_program, *const c_char, *mut cl_int) -> cl_kernel;
        type SetArg = unsafe extern "C" fn(cl_kernel, cl_uint, usize, *const c_void) -> cl_int;
        type Enqueue = unsafe extern "C" fn(
            cl_command_queue,
            cl_kernel,
            cl_uint,
            *const usize,
            *const usize,
            *const usize,
            cl_uint,
            *const *mut c_void,
            *mut *mut c_void,
        ) -> cl_int;
        type Read = unsafe extern "C" fn(
            cl_command_queue,
            cl_mem,
            cl_uint,
            usize,
            usize,
            *mut c_void,
            cl_uint,
            *const *mut c_void,
            *mut *mut c_void,
        ) -> cl_int;
        type Profiling = unsafe extern "C" fn(*mut c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        type Release = unsafe extern "C" fn(*mut c_void) -> cl_int;
        const PROFILING_START: cl_uint = opencl_sys::CL_PROFILING_COMMAND_START;
        const PROFILING_END: cl_uint = opencl_sys::CL_PROFILING_COMMAND_END;

        let mut code = 0;
        let create_context = self.symbol::<CreateContext>("clCreateContext")?;
        // SAFETY: one device in the list, no properties, no callback.
        let context = unsafe { create_context(null(), 1, &device, null(), null_mut(), &mut code) };
        check(code, "clCreateContext")?;
        let create_queue = self.symbol::<CreateQueue>("clCreateCommandQueue")?;
        // SAFETY: the context was just created with this device.
        let queue = unsafe { create_queue(context, device, CL_QUEUE_PROFILING_ENABLE, &mut code) };
        check(code, "clCreateCommandQueue")?;
        let create_buffer = self.symbol::<CreateBuffer>("clCreateBuffer")?;
        // SAFETY: no host pointer is passed.
        let buffer = unsafe { create_buffer(context, CL_MEM_WRITE_ONLY, what.output, null_mut(), &mut code) };
        check(code, "clCreateBuffer")?;
        let create_program = self.symbol::<CreateProgram>("clCreateProgramWithSource")?;
        let (text, length) = (what.source.as_ptr().cast::<c_char>(), what.source.len());
        // SAFETY: one string with its length.
        let program = unsafe { create_program(context, 1, &text, &length, &mut code) };
        check(code, "clCreateProgramWithSource")?;
        let start = std::time::Instant::now();
        self.build(program, device)?;
        let build_time = start.elapsed();
        let create_kernel = self.symbol::<CreateKernel>("clCreateKernel")?;
        let name = CString::new(what.kernel)?;
        // SAFETY: the program is built; the name is a C string.
        let kernel = unsafe { create_kernel(program, name.as_ptr(), &mut code) };
        check(code, "clCreateKernel")?;
        let set_arg = self.symbol::<SetArg>("clSetKernelArg")?;
        // SAFETY: the value is one cl_mem.
        let code = unsafe { set_arg(kernel, 0, size_of::<cl_mem>(), (&raw const buffer).cast()) };
        check(code, "clSetKernelArg")?;
        let enqueue = self.symbol::<Enqueue>("clEnqueueNDRangeKernel")?;
        let mut event = null_mut();
        let sizes = what.global.as_ptr();
        // SAFETY: two dimensions, both in `global`; no wait list.
        let code = unsafe { enqueue(queue, kernel, 2, null(), sizes, null(), 0, null(), &mut event) };
        check(code, "clEnqueueNDRangeKernel")?;
        let read = self.symbol::<Read>("clEnqueueReadBuffer")?;
        let mut output = vec![0u8; what.output];
        let (size, to) = (output.len(), output.as_mut_ptr().cast());
        // SAFETY: blocking, into a buffer of `size` bytes.
        let code = unsafe { read(queue, buffer, CL_TRUE, 0, size, to, 0, null(), null_mut()) };
        check(code, "clEnqueueReadBuffer")?;
        let profiling = self.symbol::<Profiling>("clGetEventProfilingInfo")?;
        let time = |which| -> Result<cl_ulong, Failure> {
            let mut at: cl_ulong = 0;
            // SAFETY: the value is one cl_ulong.
            let code = unsafe {
                profiling(
                    event,
                    which,
                    size_of::<cl_ulong>(),
                    (&raw mut at).cast(),
                    null_mut(),
                )
            };
            check(code, "clGetEventProfilingInfo").map(|()| at)
        };
        let device_time = time(PROFILING_END)?.saturating_sub(time(PROFILING_START)?);
        for (call, object) in [
            ("clReleaseEvent", event),
            ("clReleaseKernel", kernel.cast()),
            ("clReleaseProgram", program.cast()),
            ("clReleaseMemObject", buffer.cast()),
            ("clReleaseCommandQueue", queue.cast()),
            ("clReleaseContext", context.cast()),
        ] {
            let release = self.symbol::<Release>(call)?;
            // SAFETY: each object was created above and is not used afterwards.
            check(unsafe { release(object) }, call)?;
        }
        Ok(Launched {
            output,
            device_time,
            build_time,
        })
    }

    fn build(&self, program: cl_program, device: cl_device_id) -> Result<(), Failure> {
        type Build = unsafe extern "C" fn(
            cl_program,
            cl_uint,
            *const cl_device_id,
            *const c_char,
            *const c_void,
            *mut c_void,
        ) -> cl_int;
        type BuildInfo =
            unsafe extern "C" fn(cl_program, cl_device_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        let build = self.symbol::<Build>("clBuildProgram")?;
        // SAFETY: one device in the list, no options, no callback.
        let code = unsafe { build(program, 1, &device, null(), null(), null_mut()) };
        if code != CL_BUILD_PROGRAM_FAILURE {
            return check(code, "clBuildProgram");
        }
        let info = self.symbol::<BuildInfo>("clGetProgramBuildInfo")?;
        let mut size = 0;
        // SAFETY: a null value with size 0 asks for the size only.
        unsafe { info(program, device, CL_PROGRAM_BUILD_LOG, 0, null_mut(), &mut size) };
        let mut log = vec![0u8; size];
        // SAFETY: the buffer has `size` bytes.
        unsafe {
            info(
                program,
                device,
                CL_PROGRAM_BUILD_LOG,
                size,
                log.as_mut_ptr().cast(),
                null_mut(),
            )
        };
        Err(Failure(format!(
            "clBuildProgram failed:\n{}",
            String::from_utf8_lossy(&log)
        )))
    }
}
