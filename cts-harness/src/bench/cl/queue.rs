//! An in-order queue, and the commands that are measured.
#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use super::functions::Functions;
use super::{Buffer, Context, Kernel, check};
use crate::Failure;
use opencl_sys::{
    CL_MAP_READ, CL_MAP_WRITE, CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_START,
    CL_QUEUE_PROFILING_ENABLE, CL_TRUE, cl_command_queue, cl_event,
};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::{null, null_mut};

pub(crate) struct Queue {
    pub(super) functions: &'static Functions,
    pub(super) raw: cl_command_queue,
}

/// The event of a launch on a queue with profiling.
pub(crate) struct Event {
    functions: &'static Functions,
    raw: cl_event,
}

/// The global and the local size of a launch. Without a local size, the implementation chooses it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) global: [usize; 2],
    pub(crate) local: Option<[usize; 2]>,
}

impl Range {
    pub(crate) const fn line(global: usize, local: usize) -> Range {
        Range::plane([global, 1], [local, 1])
    }

    pub(crate) const fn plane(global: [usize; 2], local: [usize; 2]) -> Range {
        let local = Some(local);
        Range { global, local }
    }
}

impl Queue {
    pub(crate) fn new(context: &Context, profiling: bool) -> Result<Queue, Failure> {
        let functions = context.functions;
        let properties = if profiling { CL_QUEUE_PROFILING_ENABLE } else { 0 };
        let mut code = 0;
        let create = functions.clCreateCommandQueue;
        // SAFETY: the device belongs to the context.
        let raw = unsafe { create(context.raw, context.device, properties, &mut code) };
        check(code, "clCreateCommandQueue")?;
        Ok(Queue { functions, raw })
    }

    pub(crate) fn launch(&self, kernel: &Kernel, range: Range) -> Result<(), Failure> {
        self.enqueue(kernel, range, null_mut())
    }

    /// Launches a kernel with an offset and up to three dimensions.
    pub(crate) fn launch_at(
        &self,
        kernel: &Kernel,
        offset: &[usize],
        global: &[usize],
        local: &[usize],
    ) -> Result<(), Failure> {
        if offset.len() != global.len() || local.len() != global.len() {
            return Err(Failure("a launch whose sizes differ in their dimensions".into()));
        }
        let [offset, sizes, local] = [offset, global, local].map(<[usize]>::as_ptr);
        let dimensions = u32::try_from(global.len())?;
        let launch = self.functions.clEnqueueNDRangeKernel;
        // SAFETY: all three arrays have `dimensions` entries. There is no wait list. The kernel's arguments
        // are set and alive.
        let code = unsafe {
            launch(
                self.raw,
                kernel.raw,
                dimensions,
                offset,
                sizes,
                local,
                0,
                null(),
                null_mut(),
            )
        };
        check(code, "clEnqueueNDRangeKernel")
    }

    pub(crate) fn launch_with_event(&self, kernel: &Kernel, range: Range) -> Result<Event, Failure> {
        let mut raw = null_mut();
        self.enqueue(kernel, range, &mut raw)?;
        let functions = self.functions;
        Ok(Event { functions, raw })
    }

    fn enqueue(&self, kernel: &Kernel, range: Range, event: *mut cl_event) -> Result<(), Failure> {
        let dimensions = if range.global[1] == 1 { 1 } else { 2 };
        let global = range.global.as_ptr();
        let local = range.local.as_ref().map_or(null(), |l| l.as_ptr());
        let launch = self.functions.clEnqueueNDRangeKernel;
        // SAFETY: both sizes have two entries. There is no wait list. The kernel's arguments are set and
        // alive.
        let code = unsafe {
            launch(
                self.raw,
                kernel.raw,
                dimensions,
                null(),
                global,
                local,
                0,
                null(),
                event,
            )
        };
        check(code, "clEnqueueNDRangeKernel")
    }

    pub(crate) fn flush(&self) -> Result<(), Failure> {
        // SAFETY: the queue is alive.
        check(unsafe { (self.functions.clFlush)(self.raw) }, "clFlush")
    }

    pub(crate) fn finish(&self) -> Result<(), Failure> {
        // SAFETY: the queue is alive.
        check(unsafe { (self.functions.clFinish)(self.raw) }, "clFinish")
    }

    /// Writes the start of a buffer, and blocks until this is done.
    pub(crate) fn write(&self, to: &Buffer, from: &[u8]) -> Result<(), Failure> {
        to.has(from.len())?;
        let write = self.functions.clEnqueueWriteBuffer;
        let (size, from) = (from.len(), from.as_ptr().cast::<c_void>());
        // SAFETY: the call is blocking, and both `from` and the buffer have `size` bytes.
        let code = unsafe { write(self.raw, to.raw, CL_TRUE, 0, size, from, 0, null(), null_mut()) };
        check(code, "clEnqueueWriteBuffer")
    }

    /// Reads the start of a buffer, and blocks until this is done.
    pub(crate) fn read(&self, from: &Buffer, to: &mut [u8]) -> Result<(), Failure> {
        from.has(to.len())?;
        let read = self.functions.clEnqueueReadBuffer;
        let (size, to) = (to.len(), to.as_mut_ptr().cast::<c_void>());
        // SAFETY: the call is blocking, and both `to` and the buffer have `size` bytes.
        let code = unsafe { read(self.raw, from.raw, CL_TRUE, 0, size, to, 0, null(), null_mut()) };
        check(code, "clEnqueueReadBuffer")
    }

    /// Copies the start of a buffer to the start of another.
    pub(crate) fn copy(&self, from: &Buffer, to: &Buffer, size: usize) -> Result<(), Failure> {
        from.has(size)?;
        to.has(size)?;
        let copy = self.functions.clEnqueueCopyBuffer;
        // SAFETY: both buffers have `size` bytes. There is no wait list.
        let code = unsafe { copy(self.raw, from.raw, to.raw, 0, 0, size, 0, null(), null_mut()) };
        check(code, "clEnqueueCopyBuffer")
    }

    /// Fills a buffer with a word.
    pub(crate) fn fill(&self, to: &Buffer, word: u32) -> Result<(), Failure> {
        let fill = self.functions.clEnqueueFillBuffer;
        let pattern = (&raw const word).cast::<c_void>();
        // SAFETY: the pattern has 4 bytes, and the size is the buffer's. There is no wait list.
        let code = unsafe { fill(self.raw, to.raw, pattern, 4, 0, to.size, 0, null(), null_mut()) };
        check(code, "clEnqueueFillBuffer")
    }

    /// Maps a whole buffer for reading and writing. It is unmapped when the result is dropped.
    pub(crate) fn map<'a>(&'a self, buffer: &'a Buffer) -> Result<Mapped<'a>, Failure> {
        let map = self.functions.clEnqueueMapBuffer;
        let flags = CL_MAP_READ | CL_MAP_WRITE;
        let (size, mut code) = (buffer.size, 0);
        // SAFETY: the call is blocking and maps the whole buffer. There is no wait list.
        let at = unsafe {
            map(
                self.raw,
                buffer.raw,
                CL_TRUE,
                flags,
                0,
                size,
                0,
                null(),
                null_mut(),
                &mut code,
            )
        };
        check(code, "clEnqueueMapBuffer")?;
        Ok(Mapped {
            queue: self,
            buffer,
            at: at.cast(),
        })
    }
}

impl Buffer {
    fn has(&self, bytes: usize) -> Result<(), Failure> {
        if bytes <= self.size {
            return Ok(());
        }
        Err(Failure(format!("{bytes} bytes of a buffer of {}", self.size)))
    }
}

/// A buffer while it is mapped.
pub(crate) struct Mapped<'a> {
    queue: &'a Queue,
    buffer: &'a Buffer,
    at: *mut u8,
}

impl Deref for Mapped<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping returned a pointer to the whole buffer, and no command uses it until it is
        // unmapped.
        unsafe { std::slice::from_raw_parts(self.at, self.buffer.size) }
    }
}

impl DerefMut for Mapped<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`. The buffer is mapped for writing, and only once.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.buffer.size) }
    }
}

impl Drop for Mapped<'_> {
    fn drop(&mut self) {
        let unmap = self.queue.functions.clEnqueueUnmapMemObject;
        let at = self.at.cast();
        // SAFETY: the pointer is the result of mapping this buffer, and is not used afterwards.
        unsafe { unmap(self.queue.raw, self.buffer.raw, at, 0, null(), null_mut()) };
    }
}

impl Event {
    /// Returns the seconds from CL_PROFILING_COMMAND_START to _END. The command must be complete.
    pub(crate) fn device_seconds(&self) -> Result<f64, Failure> {
        let at = |which| -> Result<u64, Failure> {
            let mut at = 0u64;
            let info = self.functions.clGetEventProfilingInfo;
            // SAFETY: the value is one cl_ulong, which has 8 bytes.
            let code = unsafe { info(self.raw, which, 8, (&raw mut at).cast(), null_mut()) };
            check(code, "clGetEventProfilingInfo").map(|()| at)
        };
        let (start, end) = (at(CL_PROFILING_COMMAND_START)?, at(CL_PROFILING_COMMAND_END)?);
        Ok(end.saturating_sub(start) as f64 * 1e-9)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: this type created the event and holds its only reference.
        unsafe { (self.functions.clReleaseEvent)(self.raw) };
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: this type created the queue and holds its only reference.
        unsafe { (self.functions.clReleaseCommandQueue)(self.raw) };
    }
}
