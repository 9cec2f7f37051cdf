//! Commands that wait for events and have an event of their own. None of them blocks, unless its description
//! says so.

use super::{Handle, Kind, Mapped, Memory, address, call, created, done, enqueued};
use crate::Failure;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// One side of a box transfer: origin and pitches in bytes, as clEnqueue…BufferRect takes them.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Side {
    pub(crate) origin: [usize; 3],
    pub(crate) row: usize,
    pub(crate) slice: usize,
}

impl Handle {
    /// Waits for an event, and returns the error code of clWaitForEvents.
    pub(crate) fn wait(&self) -> Result<cl_int, Failure> {
        call!(self.clWaitForEvents(1, &self.raw()))
    }

    pub(crate) fn flush(&self) -> Result<(), Failure> {
        done!(self.clFlush(self.raw()))
    }

    pub(crate) fn finish(&self) -> Result<(), Failure> {
        done!(self.clFinish(self.raw()))
    }

    /// Enqueues a read into `to`, which must live until the command is complete.
    pub(crate) fn read(
        &self,
        mem: &Handle,
        blocking: bool,
        offset: usize,
        to: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m, size, b) = (self.raw(), mem.raw(), to.bytes().len(), cl_bool::from(blocking));
        enqueued!(self.clEnqueueReadBuffer(q, m, b, offset, size, to.ptr()), after)
    }

    /// Enqueues a write of `from`, which must live until the command is complete.
    pub(crate) fn write(
        &self,
        mem: &Handle,
        blocking: bool,
        offset: usize,
        from: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m, size, b) = (self.raw(), mem.raw(), from.bytes().len(), cl_bool::from(blocking));
        enqueued!(
            self.clEnqueueWriteBuffer(q, m, b, offset, size, from.ptr()),
            after
        )
    }

    /// Enqueues a write from memory that an earlier command fills, given by address and size.
    pub(crate) fn write_from(
        &self,
        mem: &Handle,
        offset: usize,
        (from, size): (*mut c_void, usize),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m) = (self.raw(), mem.raw());
        enqueued!(self.clEnqueueWriteBuffer(q, m, 0, offset, size, from), after)
    }

    /// Enqueues a transfer of a box between the buffer and memory: a write if `write`, a read otherwise.
    /// `host` has the pitches of the rows in memory.
    pub(crate) fn rect(
        &self,
        mem: &Handle,
        write: bool,
        (buffer, host, region): (Side, Side, [usize; 3]),
        memory: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (bo, ho, r) = (buffer.origin.as_ptr(), host.origin.as_ptr(), region.as_ptr());
        let (q, m, p) = (self.raw(), mem.raw(), memory.ptr());
        let ((br, bs), (hr, hs)) = ((buffer.row, buffer.slice), (host.row, host.slice));
        if write {
            enqueued!(
                self.clEnqueueWriteBufferRect(q, m, 0, bo, ho, r, br, bs, hr, hs, p),
                after
            )
        } else {
            enqueued!(
                self.clEnqueueReadBufferRect(q, m, 0, bo, ho, r, br, bs, hr, hs, p),
                after
            )
        }
    }

    /// Enqueues a copy of `size` bytes between two buffers, each with its offset in bytes.
    pub(crate) fn copy(
        &self,
        (src, from): (&Handle, usize),
        (dst, to): (&Handle, usize),
        size: usize,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, src, dst) = (self.raw(), src.raw(), dst.raw());
        enqueued!(self.clEnqueueCopyBuffer(q, src, dst, from, to, size), after)
    }

    /// Enqueues a copy of rows from one buffer to the same offsets of another.
    pub(crate) fn copy_rows(
        &self,
        (src, dst): (&Handle, &Handle),
        (side, region): (Side, [usize; 3]),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, src, dst, o) = (self.raw(), src.raw(), dst.raw(), side.origin.as_ptr());
        let (row, slice, r) = (side.row, side.slice, region.as_ptr());
        enqueued!(
            self.clEnqueueCopyBufferRect(q, src, dst, o, o, r, row, slice, row, slice),
            after
        )
    }

    /// Enqueues a fill of a range in bytes.
    pub(crate) fn fill(
        &self,
        mem: &Handle,
        pattern: &[u8],
        (offset, size): (usize, usize),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, m, p, length) = (self.raw(), mem.raw(), pattern.as_ptr().cast(), pattern.len());
        enqueued!(self.clEnqueueFillBuffer(q, m, p, length, offset, size), after)
    }

    /// Enqueues a map command for a range in bytes.
    pub(crate) fn map(
        &self,
        mem: &Handle,
        flags: u64,
        (offset, size): (usize, usize),
        after: &[Handle],
    ) -> Result<(Mapped, Handle), Failure> {
        let list: Vec<cl_event> = after.iter().map(Handle::raw).collect();
        let (n, l, mut event) = (list.len() as cl_uint, address(&list), null_mut());
        let (q, m, e) = (self.raw(), mem.raw(), &raw mut event);
        let at = created!(self.clEnqueueMapBuffer(q, m, 0, flags, offset, size, n, l, e))?;
        Ok((
            Mapped::new(at.cast(), size),
            Handle::new(self.table, event, Kind::Event),
        ))
    }

    pub(crate) fn unmap(&self, mem: &Handle, mapped: Mapped, after: &[Handle]) -> Result<Handle, Failure> {
        enqueued!(
            self.clEnqueueUnmapMemObject(self.raw(), mem.raw(), mapped.ptr()),
            after
        )
    }

    /// Enqueues a migration of a memory object to the queue's device.
    pub(crate) fn migrate(&self, mem: &Handle, after: &[Handle]) -> Result<Handle, Failure> {
        enqueued!(
            self.clEnqueueMigrateMemObjects(self.raw(), 1, &mem.raw(), 0),
            after
        )
    }

    /// Enqueues a one-dimensional launch of a kernel. Without `local`, the implementation chooses the work-
    /// group size.
    pub(crate) fn launch(
        &self,
        kernel: &Handle,
        global: usize,
        local: Option<usize>,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let local = local.as_ref().map_or(null(), |l| &raw const *l);
        let (q, k) = (self.raw(), kernel.raw());
        enqueued!(
            self.clEnqueueNDRangeKernel(q, k, 1, null(), &global, local),
            after
        )
    }

    /// Enqueues a marker, or a barrier if `barrier`. With an empty list of events it waits for all commands
    /// before it.
    pub(crate) fn marker(&self, barrier: bool, after: &[Handle]) -> Result<Handle, Failure> {
        match barrier {
            true => enqueued!(self.clEnqueueBarrierWithWaitList(self.raw()), after),
            false => enqueued!(self.clEnqueueMarkerWithWaitList(self.raw()), after),
        }
    }

    /// Enqueues a native kernel that adds a number to each word of a buffer.
    pub(crate) fn native(
        &self,
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
        let words = null_mut();
        let mut arguments = Arguments { words, count, add };
        let at: *mut Arguments = &raw mut arguments;
        let mut place: *const c_void = at.cast();
        let (q, m, f, size) = (self.raw(), mem.raw(), Some(function as _), size_of::<Arguments>());
        enqueued!(
            self.clEnqueueNativeKernel(q, f, at.cast(), size, 1, &m, &mut place),
            after
        )
    }
}
