//! The objects that most tests need.

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};

use super::*;
use crate::{cl, created};

/// Returns the platform.
pub fn platform() -> cl_platform_id {
    let mut platform = null_mut();
    assert_eq!(
        cl!(clGetPlatformIDs(1, &raw mut platform, null_mut())),
        0,
        "no platform"
    );
    platform
}

/// Returns the default device.
pub fn device() -> cl_device_id {
    let mut device = null_mut();
    let code = cl!(clGetDeviceIDs(
        platform(),
        CL_DEVICE_TYPE_DEFAULT,
        1,
        &raw mut device,
        null_mut()
    ));
    assert_eq!(code, 0, "no device");
    device
}

/// A context and a queue on the default device, which are released when this is dropped.
pub struct Setup {
    pub device: cl_device_id,
    pub context: cl_context,
    pub queue: cl_command_queue,
}

impl Setup {
    pub fn new() -> Setup {
        Setup::with(0)
    }

    /// Creates the objects, with these queue properties.
    pub fn with(properties: cl_command_queue_properties) -> Setup {
        let device = device();
        Setup::in_context(device, context(device), properties)
    }

    /// Creates the objects, with a function that hears of errors which no call returns.
    #[allow(dead_code, reason = "not every test program does")]
    pub fn with_notify(notify: Notify) -> Setup {
        let device = device();
        let (context, code) = created!(clCreateContext(
            null(),
            1,
            &raw const device,
            Some(notify),
            null_mut()
        ));
        assert_eq!(code, 0, "clCreateContext");
        Setup::in_context(device, context, 0)
    }

    fn in_context(
        device: cl_device_id,
        context: cl_context,
        properties: cl_command_queue_properties,
    ) -> Setup {
        let (queue, code) = created!(clCreateCommandQueue(context, device, properties));
        assert_eq!(code, 0, "clCreateCommandQueue");
        Setup {
            device,
            context,
            queue,
        }
    }

    /// Creates a buffer with contents.
    pub fn buffer(&self, contents: &[u8]) -> cl_mem {
        let (buffer, code) = created!(clCreateBuffer(
            self.context,
            CL_MEM_COPY_HOST_PTR,
            contents.len(),
            contents.as_ptr().cast_mut().cast()
        ));
        assert_eq!(code, 0, "clCreateBuffer");
        buffer
    }

    /// Reads the contents of a buffer.
    pub fn read(&self, buffer: cl_mem, size: usize) -> Vec<u8> {
        let mut bytes = vec![0xEEu8; size];
        let code = cl!(clEnqueueReadBuffer(
            self.queue,
            buffer,
            1,
            0,
            size,
            bytes.as_mut_ptr().cast(),
            0,
            null(),
            null_mut()
        ));
        assert_eq!(code, 0, "clEnqueueReadBuffer");
        bytes
    }

    /// Creates a program from source, without building it.
    pub fn program(&self, source: &str) -> cl_program {
        let mut text = source.as_ptr().cast();
        let length = source.len();
        let (program, code) = created!(clCreateProgramWithSource(
            self.context,
            1,
            &raw mut text,
            &raw const length
        ));
        assert_eq!(code, 0, "clCreateProgramWithSource");
        program
    }

    /// Creates and builds a program. Panics with the build log if that fails.
    pub fn built(&self, source: &str, options: &str) -> cl_program {
        let program = self.program(source);
        let options = CString::new(options).expect("no zero byte");
        let code = cl!(clBuildProgram(
            program,
            0,
            null(),
            options.as_ptr(),
            None,
            null_mut()
        ));
        assert_eq!(code, 0, "{}", self.log(program));
        program
    }

    /// Returns the build log.
    pub fn log(&self, program: cl_program) -> String {
        crate::query_text!(clGetProgramBuildInfo(program, self.device; CL_PROGRAM_BUILD_LOG))
    }

    /// Creates a kernel.
    pub fn kernel(&self, program: cl_program, name: &str) -> cl_kernel {
        let name = CString::new(name).expect("no zero byte");
        let (kernel, code) = created!(clCreateKernel(program, name.as_ptr()));
        assert_eq!(code, 0, "clCreateKernel");
        kernel
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        cl!(clReleaseCommandQueue(self.queue));
        cl!(clReleaseContext(self.context));
    }
}

/// The type of a context's notify function (CL 4.4).
pub type Notify = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);

/// Creates a context with one device.
pub fn context(device: cl_device_id) -> cl_context {
    let (context, code) = created!(clCreateContext(null(), 1, &raw const device, None, null_mut()));
    assert_eq!(code, 0, "clCreateContext");
    context
}
