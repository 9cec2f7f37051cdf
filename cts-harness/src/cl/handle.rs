//! Handles that each own one reference, the creation of objects, and queries about them.

use super::library::Table;
use super::{answer, call, created, done};
use crate::Failure;
use crate::types::little_endian;
use opencl_sys::cl_function_types::clRetainContext_t;
use opencl_sys::*;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Context,
    Queue,
    Mem,
    Program,
    Kernel,
    Event,
    Sampler,
}

/// A handle to an OpenCL object. It owns one reference.
pub(crate) struct Handle {
    pub(super) table: &'static Table,
    raw: *mut c_void,
    kind: Kind,
}

// SAFETY: OpenCL's objects may be used from any thread.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

#[derive(Copy, Clone)]
pub(crate) enum Argument<'a> {
    Memory(&'a Handle),
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

/// Whether a release that fails ends the process.
static STRICT: AtomicBool = AtomicBool::new(false);

/// From now on, a release that fails ends the process. Without this, its error code is ignored, because after a
/// fault of a device other implementations may return errors for every call.
pub(crate) fn abort_on_bad_release() {
    STRICT.store(true, Ordering::SeqCst);
}

impl Handle {
    /// Takes over the reference that a call returned.
    pub(super) fn new(table: &'static Table, raw: *mut c_void, kind: Kind) -> Handle {
        Handle { table, raw, kind }
    }

    fn made(&self, raw: *mut c_void, kind: Kind) -> Handle {
        Handle::new(self.table, raw, kind)
    }

    pub(crate) fn raw(&self) -> *mut c_void {
        self.raw
    }

    /// Returns the functions that retain and release the object.
    fn counters(&self) -> [clRetainContext_t; 2] {
        let t = self.table;
        match self.kind {
            Kind::Context => [t.clRetainContext, t.clReleaseContext],
            Kind::Queue => [t.clRetainCommandQueue, t.clReleaseCommandQueue],
            Kind::Mem => [t.clRetainMemObject, t.clReleaseMemObject],
            Kind::Program => [t.clRetainProgram, t.clReleaseProgram],
            Kind::Kernel => [t.clRetainKernel, t.clReleaseKernel],
            Kind::Event => [t.clRetainEvent, t.clReleaseEvent],
            Kind::Sampler => [t.clRetainSampler, t.clReleaseSampler],
        }
    }

    fn count(&self, function: clRetainContext_t, what: &str) {
        // SAFETY: the handle owns a reference, so the object is alive.
        let code = function.map(|f| unsafe { f(self.raw) });
        if code != Some(CL_SUCCESS) && STRICT.load(Ordering::SeqCst) {
            crate::progress::error(&format!("{what} of a {:?} gave {code:?}", self.kind));
            std::process::abort();
        }
    }

    /// Creates a buffer of `size` bytes in a context. `host` is null or has `size` bytes.
    pub(crate) fn buffer(&self, flags: u64, size: usize, host: *mut c_void) -> Result<Handle, Failure> {
        let raw = created!(self.clCreateBuffer(self.raw, flags, size, host))?;
        Ok(self.made(raw, Kind::Mem))
    }

    /// Creates a sub-buffer; origin and size are in bytes.
    pub(crate) fn sub_buffer(&self, origin: usize, size: usize) -> Result<Handle, Failure> {
        let region = cl_buffer_region { origin, size };
        let (kind, info) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
        let raw = created!(self.clCreateSubBuffer(self.raw, 0, kind, info))?;
        Ok(self.made(raw, Kind::Mem))
    }

    /// Creates a program and builds it for all devices of the context. If the build fails, the error contains
    /// the build log.
    pub(crate) fn build(&self, source: &str, options: &str) -> Result<Handle, Failure> {
        let program = self.program_of_source(source.as_bytes())?;
        program.build_with(options)?;
        Ok(program)
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<Handle, Failure> {
        let name = CString::new(name)?;
        let raw = created!(self.clCreateKernel(self.raw, name.as_ptr()))?;
        Ok(self.made(raw, Kind::Kernel))
    }

    pub(crate) fn argument_count(&self) -> Result<usize, Failure> {
        Ok(little_endian(&answer!(self.clGetKernelInfo(self.raw, CL_KERNEL_NUM_ARGS))?) as usize)
    }

    pub(crate) fn set(&self, index: usize, argument: Argument<'_>) -> Result<(), Failure> {
        let bytes: &[u8] = match &argument {
            Argument::Memory(memory) => &memory.raw.expose_provenance().to_ne_bytes(),
            Argument::U32(value) => &value.to_ne_bytes(),
            Argument::F32(value) => &value.to_ne_bytes(),
            Argument::F64(value) => &value.to_ne_bytes(),
            Argument::Half(bits) => &bits.to_ne_bytes(),
            Argument::Bytes(bytes) => bytes,
            Argument::Local(size) => {
                let index = u32::try_from(index)?;
                return done!(self.clSetKernelArg(self.raw, index, *size, null()));
            }
        };
        let index = u32::try_from(index)?;
        done!(self.clSetKernelArg(self.raw, index, bytes.len(), bytes.as_ptr().cast()))
    }

    pub(crate) fn set_all(&self, arguments: &[Argument<'_>]) -> Result<(), Failure> {
        let mut all = arguments.iter().enumerate();
        all.try_for_each(|(index, argument)| self.set(index, *argument))
    }

    pub(crate) fn user_event(&self) -> Result<Handle, Failure> {
        let raw = created!(self.clCreateUserEvent(self.raw))?;
        Ok(self.made(raw, Kind::Event))
    }

    pub(crate) fn set_status(&self, status: cl_int) -> Result<(), Failure> {
        done!(self.clSetUserEventStatus(self.raw, status))
    }

    pub(crate) fn status(&self) -> Result<cl_int, Failure> {
        let (mut status, what) = (77, CL_EVENT_COMMAND_EXECUTION_STATUS);
        done!(self.clGetEventInfo(self.raw, what, 4, (&raw mut status).cast(), null_mut()))?;
        Ok(status)
    }

    /// Returns the four profiling times of a complete command in a profiling queue.
    pub(crate) fn times(&self) -> Result<[u64; 4], Failure> {
        let mut times = [0; 4];
        for (what, time) in (CL_PROFILING_COMMAND_QUEUED..).zip(&mut times) {
            *time = little_endian(&answer!(self.clGetEventProfilingInfo(self.raw, what))?);
        }
        Ok(times)
    }

    /// Returns the seconds from CL_PROFILING_COMMAND_START to _END of a complete command.
    pub(crate) fn device_seconds(&self) -> Result<f64, Failure> {
        let [_, _, start, end] = self.times()?;
        Ok(end.saturating_sub(start) as f64 * 1e-9)
    }

    /// Makes a query about the object, which must succeed.
    pub(crate) fn query(&self) -> Result<(), Failure> {
        match self.kind {
            Kind::Context => answer!(self.clGetContextInfo(self.raw, CL_CONTEXT_DEVICES)),
            Kind::Queue => answer!(self.clGetCommandQueueInfo(self.raw, CL_QUEUE_CONTEXT)),
            Kind::Mem => answer!(self.clGetMemObjectInfo(self.raw, CL_MEM_SIZE)),
            Kind::Program => answer!(self.clGetProgramInfo(self.raw, CL_PROGRAM_DEVICES)),
            Kind::Kernel => answer!(self.clGetKernelInfo(self.raw, CL_KERNEL_NUM_ARGS)),
            Kind::Event => answer!(self.clGetEventInfo(self.raw, CL_EVENT_COMMAND_TYPE)),
            Kind::Sampler => answer!(self.clGetSamplerInfo(self.raw, CL_SAMPLER_CONTEXT)),
        }
        .map(drop)
    }

    /// Registers `function`, which is called with `data` when the event reaches `status`.
    pub(crate) fn on_status(
        &self,
        status: cl_int,
        function: unsafe extern "C" fn(cl_event, cl_int, *mut c_void),
        data: *mut c_void,
    ) -> Result<(), Failure> {
        done!(self.clSetEventCallback(self.raw, status, Some(function), data))
    }

    /// Registers `function` as a destructor callback, which is called with `data`.
    pub(crate) fn on_destroy(
        &self,
        function: unsafe extern "C" fn(cl_mem, *mut c_void),
        data: *mut c_void,
    ) -> Result<(), Failure> {
        done!(self.clSetMemObjectDestructorCallback(self.raw, Some(function), data))
    }

    /// Checks that calls of every type that take a handle refuse an address that is not a handle.
    pub(crate) fn refuses(&self, address: usize) -> Result<(), Failure> {
        let none = std::ptr::without_provenance_mut::<c_void>(address);
        macro_rules! refused {
            ($($name:ident($($more:expr),*) $wanted:ident;)*) => {$(
                let code = call!(self.$name(none $(, $more)*))?;
                if code != $wanted {
                    return fail!("{} gave {code}, not {}", stringify!($name), $wanted);
                }
            )*};
        }
        refused! {
            clRetainContext() CL_INVALID_CONTEXT;
            clFlush() CL_INVALID_COMMAND_QUEUE;
            clReleaseMemObject() CL_INVALID_MEM_OBJECT;
            clReleaseKernel() CL_INVALID_KERNEL;
            clReleaseEvent() CL_INVALID_EVENT;
            clSetUserEventStatus(0) CL_INVALID_EVENT;
            clGetProgramInfo(CL_PROGRAM_DEVICES, 0, null_mut(), null_mut()) CL_INVALID_PROGRAM;
        }
        Ok(())
    }
}

impl Clone for Handle {
    fn clone(&self) -> Handle {
        self.count(self.counters()[0], "the retain call");
        Handle { ..*self }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.count(self.counters()[1], "the release call");
    }
}
