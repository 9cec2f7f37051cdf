//! OpenCL for the stress test: the calls, on handles that own a reference and on memory that commands use.
#![allow(unsafe_code, reason = "OpenCL is a C interface, loaded at run time")]

use super::handle::{Handle, Kind, Mapped, Memory};
use crate::{Failure, icd};
use opencl_sys::cl_icd::_cl_icd_dispatch;
use opencl_sys::*;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// Calls a function of the dispatch table.
macro_rules! call {
    ($cl:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let f = $cl.table.$name.ok_or_else(|| Failure(format!("the ICD lacks {}", stringify!($name))))?;
        #[allow(clippy::macro_metavars_in_unsafe, reason = "the arguments of a foreign function")]
        // SAFETY: a `Handle` keeps its object alive, and the callers keep memory that they pass until the
        // command is complete.
        let result = unsafe { f($($arg),*) };
        result
    }};
}
pub(super) use call;

/// Calls a function that returns an error code, which must be CL_SUCCESS.
macro_rules! done {
    ($cl:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let code = call!($cl, $name($($arg),*));
        expect(code, CL_SUCCESS, stringify!($name))?
    }};
}
pub(super) use done;

/// Enqueues a command that waits for the events `$after`. The value is the command's own event.
macro_rules! enqueued {
    ($cl:expr, $after:expr, $name:ident($($arg:expr),* $(,)?)) => {{
        let (list, mut out) = (List::of($after), Out::new());
        let (n, l, e) = (list.count(), list.ptr(), out.ptr());
        done!($cl, $name($($arg,)* n, l, e));
        Ok($cl.event(out))
    }};
}
pub(super) use enqueued;

/// An implementation and its devices: the dispatch table and the limits that the test needs.
pub(super) struct Cl {
    pub(super) table: &'static _cl_icd_dispatch,
    /// The devices of each context.
    devices: Vec<cl_device_id>,
    pub(super) name: String,
    /// The alignment of sub-buffers in bytes.
    pub(super) alignment: usize,
    pub(super) native: bool,
    pub(super) out_of_order: bool,
    pub(super) images: bool,
}

// SAFETY: OpenCL's functions may be called from any thread (CL 1.2, A.2), and a device is a handle.
unsafe impl Send for Cl {}
// SAFETY: as above.
unsafe impl Sync for Cl {}

/// Checks the error code of a call.
pub(super) fn expect(code: cl_int, wanted: cl_int, call: &str) -> Result<(), Failure> {
    if code == wanted {
        Ok(())
    } else {
        Err(Failure(format!("{call} gave {code}, not {wanted}")))
    }
}

/// One side of a box transfer: origin and pitches in bytes, as clEnqueue…BufferRect takes them.
#[derive(Copy, Clone, Debug)]
pub(super) struct Side {
    pub(super) origin: [usize; 3],
    pub(super) row: usize,
    pub(super) slice: usize,
}

/// The event wait list of a command, in the form that C functions take.
pub(super) struct List(Vec<cl_event>);

impl List {
    /// Makes the list of these events.
    pub(super) fn of(events: &[Handle]) -> List {
        List(events.iter().map(Handle::raw).collect())
    }

    /// Returns the number of events.
    pub(super) fn count(&self) -> cl_uint {
        self.0.len() as cl_uint
    }

    /// Returns the address of the events; null if there are none, as OpenCL demands.
    pub(super) fn ptr(&self) -> *const cl_event {
        if self.0.is_empty() {
            null()
        } else {
            self.0.as_ptr()
        }
    }
}

/// Receives the event of a command from a C function.
pub(super) struct Out(cl_event);

impl Out {
    /// Makes a place for an event.
    pub(super) fn new() -> Out {
        Out(null_mut())
    }

    /// Returns the address to which the C function writes the event.
    pub(super) fn ptr(&mut self) -> *mut cl_event {
        &raw mut self.0
    }
}

impl Cl {
    /// Opens the first platform whose name contains `platform` and that has devices whose names contain
    /// `device`, with at most `most` of these devices.
    pub(super) fn open(
        library: &str,
        platform: Option<&str>,
        device: Option<&str>,
        most: usize,
    ) -> Result<&'static Cl, Failure> {
        let contains = |text: &str, part: Option<&str>| {
            part.is_none_or(|p| text.to_lowercase().contains(&p.to_lowercase()))
        };
        for found in icd::open(library)?.platforms {
            let mut cl = Cl {
                table: icd::table(found),
                devices: Vec::new(),
                name: String::new(),
                alignment: 1,
                native: true,
                out_of_order: true,
                images: true,
            };
            let mut text = [0u8; 256];
            let to = text.as_mut_ptr().cast();
            done!(
                cl,
                clGetPlatformInfo(found, CL_PLATFORM_NAME, 256, to, null_mut())
            );
            if !contains(&until_zero(&text), platform) {
                continue;
            }
            let mut count = 0;
            let code = call!(
                cl,
                clGetDeviceIDs(found, CL_DEVICE_TYPE_ALL, 0, null_mut(), &mut count)
            );
            let mut devices = vec![null_mut(); if code == CL_SUCCESS { count as usize } else { 0 }];
            if !devices.is_empty() {
                let to = devices.as_mut_ptr();
                done!(
                    cl,
                    clGetDeviceIDs(found, CL_DEVICE_TYPE_ALL, count, to, null_mut())
                );
            }
            for raw in devices {
                let name = cl.device_text(raw, CL_DEVICE_NAME)?;
                if cl.devices.len() < most && contains(&name, device) {
                    cl.add_device(raw, &name)?;
                }
            }
            if !cl.devices.is_empty() {
                static OPENED: OnceLock<Cl> = OnceLock::new();
                return Ok(OPENED.get_or_init(|| cl));
            }
        }
        Err(Failure(format!("{library} offers no such device")))
    }

    /// Adds a device. A feature counts as available only if all devices have it.
    fn add_device(&mut self, raw: cl_device_id, name: &str) -> Result<(), Failure> {
        let alignment = self.device_number(raw, CL_DEVICE_MEM_BASE_ADDR_ALIGN)? as usize / 8;
        self.alignment = self.alignment.max(alignment);
        let capabilities = self.device_number(raw, CL_DEVICE_EXECUTION_CAPABILITIES)?;
        self.native &= capabilities & CL_EXEC_NATIVE_KERNEL != 0;
        let queues = self.device_number(raw, CL_DEVICE_QUEUE_PROPERTIES)?;
        self.out_of_order &= queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
        self.images &= self.device_number(raw, CL_DEVICE_IMAGE_SUPPORT)? != 0;
        self.name = match self.devices.len() {
            0 => name.to_owned(),
            _ => format!("{}, {name}", self.name),
        };
        self.devices.push(raw);
        Ok(())
    }

    fn device_text(&self, device: cl_device_id, what: cl_uint) -> Result<String, Failure> {
        let mut text = [0u8; 1024];
        let to = text.as_mut_ptr().cast();
        done!(self, clGetDeviceInfo(device, what, 1024, to, null_mut()));
        Ok(until_zero(&text))
    }

    fn device_number(&self, device: cl_device_id, what: cl_uint) -> Result<u64, Failure> {
        let mut bytes = [0u8; 8];
        let to = bytes.as_mut_ptr().cast();
        done!(self, clGetDeviceInfo(device, what, 8, to, null_mut()));
        Ok(u64::from_le_bytes(bytes))
    }

    fn created(&'static self, raw: *mut c_void, code: cl_int, kind: Kind) -> Result<Handle, Failure> {
        expect(code, CL_SUCCESS, &format!("making a {kind:?}"))?;
        Ok(Handle::new(self, raw, kind))
    }

    /// Returns the handle of an event that a call has returned.
    pub(super) fn event(&'static self, out: Out) -> Handle {
        Handle::new(self, out.0, Kind::Event)
    }

    /// Creates a context with all devices.
    pub(super) fn context(&'static self) -> Result<Handle, Failure> {
        let mut code = 0;
        let (count, devices) = (self.devices.len() as cl_uint, self.devices.as_ptr());
        let raw = call!(
            self,
            clCreateContext(null(), count, devices, None, null_mut(), &mut code)
        );
        self.created(raw, code, Kind::Context)
    }

    /// Creates a queue, for each of the devices in turn.
    pub(super) fn queue(
        &'static self,
        context: &Handle,
        properties: u64,
        index: usize,
    ) -> Result<Handle, Failure> {
        let mut code = 0;
        let device = self.devices[index % self.devices.len()];
        let raw = call!(
            self,
            clCreateCommandQueue(context.raw(), device, properties, &mut code)
        );
        self.created(raw, code, Kind::Queue)
    }

    /// Creates a buffer of `size` bytes.
    pub(super) fn buffer(
        &'static self,
        context: &Handle,
        flags: u64,
        size: usize,
        host: *mut c_void,
    ) -> Result<Handle, Failure> {
        let mut code = 0;
        let raw = call!(self, clCreateBuffer(context.raw(), flags, size, host, &mut code));
        self.created(raw, code, Kind::Mem)
    }

    /// Creates a sub-buffer; origin and size are in bytes.
    pub(super) fn sub_buffer(
        &'static self,
        of: &Handle,
        origin: usize,
        size: usize,
    ) -> Result<Handle, Failure> {
        let region = cl_buffer_region { origin, size };
        let mut code = 0;
        let info = (&raw const region).cast();
        let kind = CL_BUFFER_CREATE_TYPE_REGION;
        let raw = call!(self, clCreateSubBuffer(of.raw(), 0, kind, info, &mut code));
        self.created(raw, code, Kind::Mem)
    }

    /// Creates and builds a program.
    pub(super) fn program(&'static self, context: &Handle, source: &str) -> Result<Handle, Failure> {
        let (mut text, length, mut code) = (source.as_ptr().cast(), source.len(), 0);
        let raw = call!(
            self,
            clCreateProgramWithSource(context.raw(), 1, &raw mut text, &length, &mut code)
        );
        let program = self.created(raw, code, Kind::Program)?;
        done!(self, clBuildProgram(raw, 0, null(), null(), None, null_mut()));
        Ok(program)
    }

    /// Creates a kernel.
    pub(super) fn kernel(&'static self, program: &Handle, name: &str) -> Result<Handle, Failure> {
        let name = CString::new(name)?;
        let mut code = 0;
        let raw = call!(self, clCreateKernel(program.raw(), name.as_ptr(), &mut code));
        self.created(raw, code, Kind::Kernel)
    }

    /// Sets a kernel argument to a memory object.
    pub(super) fn argument(&self, kernel: &Handle, index: u32, mem: &Handle) -> Result<(), Failure> {
        let raw = mem.raw();
        let value = (&raw const raw).cast();
        done!(
            self,
            clSetKernelArg(kernel.raw(), index, size_of::<cl_mem>(), value)
        );
        Ok(())
    }

    /// Sets a kernel argument to a number.
    pub(super) fn number(&self, kernel: &Handle, index: u32, value: u32) -> Result<(), Failure> {
        done!(
            self,
            clSetKernelArg(kernel.raw(), index, 4, (&raw const value).cast())
        );
        Ok(())
    }

    /// Sets a kernel argument to `size` bytes of local memory.
    pub(super) fn local(&self, kernel: &Handle, index: u32, size: usize) -> Result<(), Failure> {
        done!(self, clSetKernelArg(kernel.raw(), index, size, null()));
        Ok(())
    }

    /// Creates a user event.
    pub(super) fn user_event(&'static self, context: &Handle) -> Result<Handle, Failure> {
        let mut code = 0;
        let raw = call!(self, clCreateUserEvent(context.raw(), &mut code));
        self.created(raw, code, Kind::Event)
    }

    /// Sets the status of a user event.
    pub(super) fn set_status(&self, event: &Handle, status: cl_int) -> Result<(), Failure> {
        done!(self, clSetUserEventStatus(event.raw(), status));
        Ok(())
    }

    /// Returns the execution status of an event.
    pub(super) fn status(&self, event: &Handle) -> Result<cl_int, Failure> {
        let mut status = 77;
        let to = (&raw mut status).cast();
        let what = CL_EVENT_COMMAND_EXECUTION_STATUS;
        done!(self, clGetEventInfo(event.raw(), what, 4, to, null_mut()));
        Ok(status)
    }

    /// Calls clWaitForEvents and returns its error code.
    pub(super) fn wait(&self, events: &[Handle]) -> Result<cl_int, Failure> {
        let list = List::of(events);
        Ok(call!(self, clWaitForEvents(list.count(), list.ptr())))
    }

    /// Calls clFlush.
    pub(super) fn flush(&self, queue: &Handle) -> Result<(), Failure> {
        done!(self, clFlush(queue.raw()));
        Ok(())
    }

    /// Calls clFinish.
    pub(super) fn finish(&self, queue: &Handle) -> Result<(), Failure> {
        done!(self, clFinish(queue.raw()));
        Ok(())
    }

    /// Enqueues a read into `to`, which must live until the command is complete.
    pub(super) fn read(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        offset: usize,
        to: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m, size) = (queue.raw(), mem.raw(), to.bytes().len());
        enqueued!(self, after, clEnqueueReadBuffer(q, m, 0, offset, size, to.ptr()))
    }

    /// Reads into `to` with a blocking call.
    pub(super) fn read_blocking(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        offset: usize,
        to: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m, size) = (queue.raw(), mem.raw(), to.bytes().len());
        enqueued!(self, after, clEnqueueReadBuffer(q, m, 1, offset, size, to.ptr()))
    }

    /// Enqueues a write of `from`, which must live until the command is complete.
    pub(super) fn write(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        blocking: bool,
        offset: usize,
        from: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m, size) = (queue.raw(), mem.raw(), from.bytes().len());
        let b = cl_bool::from(blocking);
        enqueued!(
            self,
            after,
            clEnqueueWriteBuffer(q, m, b, offset, size, from.ptr())
        )
    }

    /// Enqueues a write from memory that an earlier command fills, given by address and size.
    pub(super) fn write_from(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        offset: usize,
        (from, size): (*mut c_void, usize),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m) = (queue.raw(), mem.raw());
        enqueued!(self, after, clEnqueueWriteBuffer(q, m, 0, offset, size, from))
    }

    /// Enqueues a transfer of a box between the buffer and memory: a write if `write`, a read otherwise.
    /// `host` has the pitches of the rows in memory.
    pub(super) fn rect(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        write: bool,
        (buffer, host, region): (Side, Side, [usize; 3]),
        memory: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (bo, ho, r) = (buffer.origin.as_ptr(), host.origin.as_ptr(), region.as_ptr());
        let (q, m, p) = (queue.raw(), mem.raw(), memory.ptr());
        let ((br, bs), (hr, hs)) = ((buffer.row, buffer.slice), (host.row, host.slice));
        if write {
            enqueued!(
                self,
                after,
                clEnqueueWriteBufferRect(q, m, 0, bo, ho, r, br, bs, hr, hs, p)
            )
        } else {
            enqueued!(
                self,
                after,
                clEnqueueReadBufferRect(q, m, 0, bo, ho, r, br, bs, hr, hs, p)
            )
        }
    }

    /// Enqueues a copy of `size` bytes between two buffers, each with its offset in bytes.
    pub(super) fn copy(
        &'static self,
        queue: &Handle,
        (src, from): (&Handle, usize),
        (dst, to): (&Handle, usize),
        size: usize,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, src, dst) = (queue.raw(), src.raw(), dst.raw());
        enqueued!(self, after, clEnqueueCopyBuffer(q, src, dst, from, to, size))
    }

    /// Enqueues a copy of rows from one buffer to the same offsets of another.
    pub(super) fn copy_rows(
        &'static self,
        queue: &Handle,
        (src, dst): (&Handle, &Handle),
        (side, region): (Side, [usize; 3]),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, src, dst, o) = (queue.raw(), src.raw(), dst.raw(), side.origin.as_ptr());
        let (row, slice, r) = (side.row, side.slice, region.as_ptr());
        enqueued!(
            self,
            after,
            clEnqueueCopyBufferRect(q, src, dst, o, o, r, row, slice, row, slice)
        )
    }

    /// Enqueues a fill of a range in bytes.
    pub(super) fn fill(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        pattern: &[u8],
        (offset, size): (usize, usize),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m) = (queue.raw(), mem.raw());
        let (p, length) = (pattern.as_ptr().cast(), pattern.len());
        enqueued!(self, after, clEnqueueFillBuffer(q, m, p, length, offset, size))
    }

    /// Enqueues a map command for a range in bytes, without blocking.
    pub(super) fn map(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        flags: u64,
        (offset, size): (usize, usize),
        after: &[Handle],
    ) -> Result<(Mapped, Handle), Failure> {
        let (list, mut out, mut code) = (List::of(after), Out::new(), 0);
        let (n, l, e) = (list.count(), list.ptr(), &raw mut out.0);
        let at = call!(
            self,
            clEnqueueMapBuffer(queue.raw(), mem.raw(), 0, flags, offset, size, n, l, e, &mut code)
        );
        expect(code, CL_SUCCESS, "clEnqueueMapBuffer")?;
        Ok((Mapped::new(at.cast(), size), self.event(out)))
    }

    /// Enqueues an unmap command.
    pub(super) fn unmap(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        mapped: Mapped,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m) = (queue.raw(), mem.raw());
        enqueued!(self, after, clEnqueueUnmapMemObject(q, m, mapped.ptr()))
    }

    /// Enqueues a migration of a memory object to the queue's device.
    pub(super) fn migrate(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m) = (queue.raw(), mem.raw());
        enqueued!(self, after, clEnqueueMigrateMemObjects(q, 1, &m, 0))
    }

    /// Enqueues a one-dimensional launch of a kernel. Without `local`, the implementation chooses the work-
    /// group size.
    pub(super) fn launch(
        &'static self,
        queue: &Handle,
        kernel: &Handle,
        global: usize,
        local: Option<usize>,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let local = local.as_ref().map_or(null(), |l| &raw const *l);
        let (q, k) = (queue.raw(), kernel.raw());
        enqueued!(
            self,
            after,
            clEnqueueNDRangeKernel(q, k, 1, null(), &global, local)
        )
    }

    /// Enqueues a marker, or a barrier if `barrier`. With an empty list of events it waits for all commands
    /// before it.
    pub(super) fn marker(
        &'static self,
        queue: &Handle,
        barrier: bool,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let q = queue.raw();
        if barrier {
            enqueued!(self, after, clEnqueueBarrierWithWaitList(q))
        } else {
            enqueued!(self, after, clEnqueueMarkerWithWaitList(q))
        }
    }

    /// Enqueues a native kernel that adds a number to each word of a buffer.
    pub(super) fn native(
        &'static self,
        queue: &Handle,
        mem: &Handle,
        (count, add): (usize, u32),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        #[repr(C)]
        struct Arguments {
            words: *mut u32,
            count: usize,
            add: u32,
        }
        unsafe extern "C" fn function(arguments: *mut c_void) {
            // SAFETY: clEnqueueNativeKernel passes a copy of the arguments that were enqueued.
            let a = unsafe { arguments.cast::<Arguments>().read_unaligned() };
            // SAFETY: the implementation stored the pointer to the buffer's memory here, and the buffer has
            // `count` words.
            let words = unsafe { std::slice::from_raw_parts_mut(a.words, a.count) };
            words.iter_mut().for_each(|w| *w = w.wrapping_add(a.add));
        }
        let mut arguments = Arguments {
            words: null_mut(),
            count,
            add,
        };
        let at: *mut Arguments = &raw mut arguments;
        let mut place: *const c_void = at.cast();
        let (q, m, size) = (queue.raw(), mem.raw(), size_of::<Arguments>());
        enqueued!(
            self,
            after,
            clEnqueueNativeKernel(q, Some(function), at.cast(), size, 1, &m, &mut place)
        )
    }

    /// Returns the four profiling times of a complete command in a profiling queue.
    pub(super) fn times(&self, event: &Handle) -> Result<[u64; 4], Failure> {
        let mut times = [0; 4];
        for (what, time) in (CL_PROFILING_COMMAND_QUEUED..).zip(&mut times) {
            let to = (&raw mut *time).cast();
            done!(
                self,
                clGetEventProfilingInfo(event.raw(), what, 8, to, null_mut())
            );
        }
        Ok(times)
    }

    /// Makes a query about the object, which must succeed.
    pub(super) fn query(&self, of: &Handle) -> Result<(), Failure> {
        let mut bytes = [0u8; 64];
        let (to, mut size) = (bytes.as_mut_ptr().cast(), 0);
        match of.kind() {
            Kind::Context => done!(
                self,
                clGetContextInfo(of.raw(), CL_CONTEXT_DEVICES, 64, to, &mut size)
            ),
            Kind::Queue => done!(
                self,
                clGetCommandQueueInfo(of.raw(), CL_QUEUE_CONTEXT, 64, to, &mut size)
            ),
            Kind::Mem => done!(self, clGetMemObjectInfo(of.raw(), CL_MEM_SIZE, 64, to, &mut size)),
            Kind::Program => done!(
                self,
                clGetProgramInfo(of.raw(), CL_PROGRAM_DEVICES, 64, to, &mut size)
            ),
            Kind::Kernel => done!(
                self,
                clGetKernelInfo(of.raw(), CL_KERNEL_NUM_ARGS, 64, to, &mut size)
            ),
            Kind::Event => done!(
                self,
                clGetEventInfo(of.raw(), CL_EVENT_COMMAND_TYPE, 64, to, &mut size)
            ),
        }
        Ok(())
    }

    /// Registers `function`, which is called with `data` when the event reaches `status`.
    pub(super) fn on_status(
        &self,
        event: &Handle,
        status: cl_int,
        function: unsafe extern "C" fn(cl_event, cl_int, *mut c_void),
        data: *mut c_void,
    ) -> Result<(), Failure> {
        done!(
            self,
            clSetEventCallback(event.raw(), status, Some(function), data)
        );
        Ok(())
    }

    /// Checks that calls of every type that take a handle refuse an address that is not a handle.
    pub(super) fn refuses(&self, address: usize) -> Result<(), Failure> {
        let none = std::ptr::without_provenance_mut::<c_void>(address);
        let null: *mut c_void = null_mut();
        for (what, code, wanted) in [
            (
                "clRetainContext",
                call!(self, clRetainContext(none)),
                CL_INVALID_CONTEXT,
            ),
            ("clFlush", call!(self, clFlush(none)), CL_INVALID_COMMAND_QUEUE),
            (
                "clReleaseMemObject",
                call!(self, clReleaseMemObject(none)),
                CL_INVALID_MEM_OBJECT,
            ),
            (
                "clReleaseKernel",
                call!(self, clReleaseKernel(none)),
                CL_INVALID_KERNEL,
            ),
            (
                "clReleaseEvent",
                call!(self, clReleaseEvent(none)),
                CL_INVALID_EVENT,
            ),
            (
                "clSetUserEventStatus",
                call!(self, clSetUserEventStatus(none, 0)),
                CL_INVALID_EVENT,
            ),
            (
                "clGetProgramInfo",
                call!(
                    self,
                    clGetProgramInfo(none, CL_PROGRAM_DEVICES, 0, null, null_mut())
                ),
                CL_INVALID_PROGRAM,
            ),
        ] {
            expect(code, wanted, what)?;
        }
        Ok(())
    }

    /// Registers `function` as a destructor callback, which is called with `data`.
    pub(super) fn on_destroy(
        &self,
        mem: &Handle,
        function: unsafe extern "C" fn(cl_mem, *mut c_void),
        data: *mut c_void,
    ) -> Result<(), Failure> {
        done!(
            self,
            clSetMemObjectDestructorCallback(mem.raw(), Some(function), data)
        );
        Ok(())
    }
}

fn until_zero(text: &[u8]) -> String {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    String::from_utf8_lossy(&text[..end]).into_owned()
}
