//! Contexts, memory objects, programs and kernels. Each is released when it is dropped.
#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use super::functions::Functions;
use super::{Device, check};
use crate::Failure;
use opencl_sys::{
    CL_FLOAT, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D,
    CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_PROGRAM_BUILD_LOG, CL_R, CL_RGBA, CL_SUCCESS, CL_UNSIGNED_INT32,
    cl_context, cl_device_id, cl_image_desc, cl_image_format, cl_kernel, cl_mem, cl_program,
};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

pub(crate) struct Context {
    pub(super) functions: &'static Functions,
    pub(super) raw: cl_context,
    pub(super) device: cl_device_id,
}

/// A buffer or an image.
pub(crate) struct Buffer {
    functions: &'static Functions,
    pub(super) raw: cl_mem,
    /// The size in bytes.
    pub(super) size: usize,
}

pub(crate) struct Program {
    pub(super) functions: &'static Functions,
    pub(super) raw: cl_program,
}

pub(crate) struct Kernel {
    pub(super) functions: &'static Functions,
    pub(super) raw: cl_kernel,
}

/// An argument of a kernel.
#[derive(Copy, Clone)]
pub(crate) enum Argument<'a> {
    Memory(&'a Buffer),
    U32(u32),
    F32(f32),
    F64(f64),
    /// The bits of a half.
    Half(u16),
    /// A value of any type.
    Bytes(&'a [u8]),
    /// The size of a local memory argument in bytes.
    Local(usize),
}

/// Returns the description of a 2D image.
pub(super) fn plane(width: usize, height: usize) -> cl_image_desc {
    cl_image_desc {
        image_type: CL_MEM_OBJECT_IMAGE2D,
        image_width: width,
        image_height: height,
        image_depth: 0,
        image_array_size: 0,
        image_row_pitch: 0,
        image_slice_pitch: 0,
        num_mip_levels: 0,
        num_samples: 0,
        buffer: null_mut(),
    }
}

impl Context {
    pub(crate) fn new(device: &Device) -> Result<Context, Failure> {
        let functions = device.functions;
        let mut code = 0;
        let create = functions.clCreateContext;
        // SAFETY: the list has one device. There are no properties and no callback.
        let raw = unsafe { create(null(), 1, &device.raw, None, null_mut(), &mut code) };
        check(code, "clCreateContext")?;
        let device = device.raw;
        Ok(Context {
            functions,
            raw,
            device,
        })
    }

    /// Creates a buffer that the implementation may place anywhere.
    pub(crate) fn buffer(&self, size: usize) -> Result<Buffer, Failure> {
        self.memory(CL_MEM_READ_WRITE, size)
    }

    /// Creates a buffer in memory that the host can access (CL_MEM_ALLOC_HOST_PTR). On devices with their own
    /// memory, it is pinned.
    pub(crate) fn pinned(&self, size: usize) -> Result<Buffer, Failure> {
        self.memory(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size)
    }

    fn memory(&self, flags: u64, size: usize) -> Result<Buffer, Failure> {
        let functions = self.functions;
        let mut code = 0;
        // SAFETY: no host pointer is passed.
        let raw = unsafe { (functions.clCreateBuffer)(self.raw, flags, size, null_mut(), &mut code) };
        check(code, "clCreateBuffer")?;
        Ok(Buffer { functions, raw, size })
    }

    /// Creates a read-only image with one float per pixel.
    pub(crate) fn image(&self, width: usize, pixels: &[f32]) -> Result<Buffer, Failure> {
        let functions = self.functions;
        let format = cl_image_format {
            image_channel_order: CL_R,
            image_channel_data_type: CL_FLOAT,
        };
        let desc = plane(width, pixels.len() / width);
        let flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
        let from = pixels.as_ptr().cast::<c_void>().cast_mut();
        let mut code = 0;
        // SAFETY: `pixels` has width × height floats, tightly packed, and is only read during the call.
        let raw = unsafe { (functions.clCreateImage)(self.raw, flags, &format, &desc, from, &mut code) };
        check(code, "clCreateImage")?;
        Ok(Buffer {
            functions,
            raw,
            size: size_of_val(pixels),
        })
    }

    /// Creates a read-only image with four 32-bit unsigned integers per texel. It is 2D if `depth` is 0.
    pub(crate) fn integer_image(&self, size: [usize; 3], texels: &[u8]) -> Result<Buffer, Failure> {
        let functions = self.functions;
        let [width, height, depth] = size;
        let bytes = width * height * depth.max(1) * 16;
        if texels.len() != bytes {
            return Err(Failure(format!("{} bytes for an image of {bytes}", texels.len())));
        }
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: CL_UNSIGNED_INT32,
        };
        let mut desc = plane(width, height);
        if depth > 0 {
            desc.image_type = CL_MEM_OBJECT_IMAGE3D;
            desc.image_depth = depth;
        }
        let flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
        let from = texels.as_ptr().cast::<c_void>().cast_mut();
        let mut code = 0;
        // SAFETY: `texels` has as many bytes as the image, tightly packed, and is only read during the call.
        let raw = unsafe { (functions.clCreateImage)(self.raw, flags, &format, &desc, from, &mut code) };
        check(code, "clCreateImage")?;
        Ok(Buffer {
            functions,
            raw,
            size: bytes,
        })
    }

    /// Creates and builds a program. If the build fails, the error contains the build log.
    pub(crate) fn build(&self, source: &str, options: &str) -> Result<Program, Failure> {
        let functions = self.functions;
        let (mut text, length) = (source.as_ptr().cast(), source.len());
        let mut code = 0;
        // SAFETY: there is one string, with its length.
        let raw =
            unsafe { (functions.clCreateProgramWithSource)(self.raw, 1, &mut text, &length, &mut code) };
        check(code, "clCreateProgramWithSource")?;
        let program = Program { functions, raw };
        let options = CString::new(options)?;
        // SAFETY: the list has one device, the options are a C string, and there is no callback.
        let code =
            unsafe { (functions.clBuildProgram)(raw, 1, &self.device, options.as_ptr(), None, null_mut()) };
        if code == CL_SUCCESS {
            return Ok(program);
        }
        let log = program.log(self.device);
        Err(Failure(format!("clBuildProgram gave {code}:\n{log}")))
    }
}

impl Buffer {
    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

impl Program {
    fn log(&self, device: cl_device_id) -> String {
        let mut log = vec![0u8; 64 << 10];
        let mut size = 0;
        let to = log.as_mut_ptr().cast();
        let info = self.functions.clGetProgramBuildInfo;
        // SAFETY: the buffer has as many bytes as are given. A longer log is an error, which leaves the size
        // unchanged.
        unsafe { info(self.raw, device, CL_PROGRAM_BUILD_LOG, log.len(), to, &mut size) };
        log.truncate(size.saturating_sub(1));
        String::from_utf8_lossy(&log).into_owned()
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel, Failure> {
        let functions = self.functions;
        let name = CString::new(name)?;
        let mut code = 0;
        // SAFETY: the program is built, and the name is a C string.
        let raw = unsafe { (functions.clCreateKernel)(self.raw, name.as_ptr(), &mut code) };
        check(code, "clCreateKernel")?;
        Ok(Kernel { functions, raw })
    }
}

impl Kernel {
    pub(crate) fn set(&self, index: usize, argument: Argument<'_>) -> Result<(), Failure> {
        match argument {
            Argument::Memory(buffer) => self.set_value(index, &buffer.raw),
            Argument::U32(value) => self.set_value(index, &value),
            Argument::F32(value) => self.set_value(index, &value),
            Argument::F64(value) => self.set_value(index, &value),
            Argument::Half(bits) => self.set_value(index, &bits),
            Argument::Bytes(bytes) => self.set_bytes(index, bytes.len(), bytes.as_ptr().cast()),
            Argument::Local(bytes) => self.set_bytes(index, bytes, null()),
        }
    }

    /// Sets an argument to `size` bytes at `value`, or to local memory of that size.
    fn set_bytes(&self, index: usize, size: usize, value: *const c_void) -> Result<(), Failure> {
        let index = u32::try_from(index)?;
        // SAFETY: `value` points to `size` bytes, or is null for local memory.
        let code = unsafe { (self.functions.clSetKernelArg)(self.raw, index, size, value) };
        check(code, "clSetKernelArg")
    }

    fn set_value<T: Copy>(&self, index: usize, value: &T) -> Result<(), Failure> {
        self.set_bytes(index, size_of::<T>(), std::ptr::from_ref(value).cast())
    }
}

macro_rules! released {
    ($($object:ident by $function:ident,)*) => {
        $(impl Drop for $object {
            fn drop(&mut self) {
                // SAFETY: this type created the object and holds its only reference.
                unsafe { (self.functions.$function)(self.raw) };
            }
        })*
    };
}

released! {
    Context by clReleaseContext,
    Buffer by clReleaseMemObject,
    Program by clReleaseProgram,
    Kernel by clReleaseKernel,
}
