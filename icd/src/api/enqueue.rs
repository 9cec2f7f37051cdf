//! CL 5.2.2 to 5.2.4, 5.4, 5.8 and 5.10: the commands of a queue except those on images.

use std::ffi::c_void;
use std::sync::Arc;

use caldera_runtime::command::CommandType;
use caldera_runtime::command::rect::RectSide;
use caldera_runtime::command::request::{BufferCopy, BufferFill, BufferRange, BufferTransfer, MappedRegion};
use caldera_runtime::context::Context;
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::event::{Event, Status};
use caldera_runtime::kernel::{Kernel, Range};
use caldera_runtime::mem::{Buffer, HostPtr, MemObject};
use caldera_runtime::object;
use caldera_runtime::queue::{CommandQueue, Enqueued, MapFlags, Waits};

use crate::abi::*;
use crate::args::{self, Array, Host, Ptr};
use crate::{callback, entry, handle};

/// The arguments `event_wait_list` and `event` of a call.
pub(super) struct EventArgs {
    /// The events, or the reason why the argument is not a list of events.
    list: std::result::Result<Vec<Arc<Event>>, &'static str>,
    event: Ptr<cl_event>,
}

impl EventArgs {
    /// Takes the arguments and compares contexts. CL 5.2.2 and others: INVALID_CONTEXT if the contexts of
    /// command_queue and of the memory objects, or of the events, are not the same.
    pub(super) fn new(
        queue: &CommandQueue,
        objects: &[&Arc<Context>],
        list: Array<cl_event>,
        event: Ptr<cl_event>,
    ) -> Result<Self> {
        let args = EventArgs::unchecked(list, event);
        let events = args.list.iter().flatten().map(|e| e.context());
        queue.check_contexts(objects.iter().copied().chain(events))?;
        Ok(args)
    }

    /// Takes the arguments without comparing contexts, for a call whose clause lists that error last.
    fn unchecked(list: Array<cl_event>, event: Ptr<cl_event>) -> Self {
        EventArgs {
            list: handle::optional_list(list),
            event,
        }
    }

    /// Returns the wait list, after the conditions that precede it in the specification have been checked. CL 5.8
    /// and others: INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or
    /// event_wait_list is not NULL and num_events_in_wait_list is 0, or if its events are not valid events.
    pub(super) fn waits(&self) -> Result<Waits<'_>> {
        match &self.list {
            Ok(list) => Ok(Waits {
                list,
                want_event: !self.event.is_null(),
            }),
            Err(why) => Err(Error::new(ClCode::InvalidEventWaitList, *why)),
        }
    }

    /// Checks the status of the wait list. CL, clEnqueueWaitSemaphoresKHR, clEnqueueAcquireExternalMemObjectsKHR:
    /// EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if an event in event_wait_list has failed
    pub(super) fn check_status(&self) -> Result<()> {
        let has_failed = |e: &Arc<Event>| matches!(e.status(), Status::Failed(_));
        match self.waits()?.list.iter().any(has_failed) {
            true => Err(Error::new(
                ClCode::ExecStatusErrorForEventsInWaitList,
                "an event of the wait list has failed",
            )),
            false => Ok(()),
        }
    }

    /// Gives the event of the command to the application, if the application asked for it.
    pub(super) fn give(&self, event: Option<Arc<Event>>) {
        if let Some(event) = event {
            self.event.write(object::give(event));
        }
    }

    pub(super) fn finish(&self, enqueued: Enqueued) -> Result<()> {
        self.give(enqueued?);
        Ok(())
    }
}

/// Converts map flags. CL 5.2.4, 5.3.6: INVALID_VALUE if values specified in map_flags are not valid;
/// CL_MAP_WRITE_INVALIDATE_REGION excludes the other flags.
pub(super) fn map_flags(bits: cl_map_flags) -> Result<MapFlags> {
    const KNOWN: cl_map_flags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    let invalidate = bits & CL_MAP_WRITE_INVALIDATE_REGION != 0;
    if bits & !KNOWN != 0 || (invalidate && bits != CL_MAP_WRITE_INVALIDATE_REGION) {
        return Err(Error::new(ClCode::InvalidValue, "map_flags").at("5.2.4"));
    }
    Ok(MapFlags {
        read: bits & CL_MAP_READ != 0,
        write: bits & CL_MAP_WRITE != 0 || invalidate,
        invalidate,
    })
}

/// Wraps the host memory of a transfer. CL 5.2.2: INVALID_VALUE if ptr is a NULL value.
pub(super) fn memory(ptr: Host) -> Result<HostPtr> {
    ptr.ptr()
        .ok_or_else(|| Error::new(ClCode::InvalidValue, "ptr is NULL").at("5.2.2"))
}

pub(super) fn side(origin: Array<usize>, row_pitch: usize, slice_pitch: usize) -> Result<RectSide> {
    Ok(RectSide {
        origin: args::triple(origin, "an origin is NULL")?,
        row_pitch,
        slice_pitch,
    })
}

entry! {
    /// CL 5.2.2 — clEnqueueReadBuffer
    fn clEnqueueReadBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_read: cl_bool,
        offset: size_t,
        size: size_t,
        ptr: *mut c_void [host memory],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        let events = EventArgs::new(&queue, &[buffer.context()], event_wait_list, event)?;
        let to = memory(ptr)?;
        let read = BufferTransfer::linear(&BufferRange::new(&buffer, offset, size)?, to);
        events.finish(queue.enqueue_read(read, blocking_read != 0, events.waits()?))
    }
}

entry! {
    /// CL 5.2.2 — clEnqueueWriteBuffer
    fn clEnqueueWriteBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_write: cl_bool,
        offset: size_t,
        size: size_t,
        ptr: *const c_void [host memory],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        let events = EventArgs::new(&queue, &[buffer.context()], event_wait_list, event)?;
        let from = memory(ptr)?;
        let write = BufferTransfer::linear(&BufferRange::new(&buffer, offset, size)?, from);
        events.finish(queue.enqueue_write(write, blocking_write != 0, events.waits()?))
    }
}

entry! {
    /// CL 5.2.2 — clEnqueueReadBufferRect
    fn clEnqueueReadBufferRect(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_read: cl_bool,
        buffer_origin: *const size_t [3_usize],
        host_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        buffer_row_pitch: size_t,
        buffer_slice_pitch: size_t,
        host_row_pitch: size_t,
        host_slice_pitch: size_t,
        ptr: *mut c_void [host memory],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        let events = EventArgs::new(&queue, &[buffer.context()], event_wait_list, event)?;
        let buffer_side = side(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host_side = side(host_origin, host_row_pitch, host_slice_pitch)?;
        let region = args::triple(region, "region is NULL")?;
        let read = BufferTransfer::rect(&buffer, buffer_side, host_side, region, memory(ptr)?)?;
        events.finish(queue.enqueue_read(read, blocking_read != 0, events.waits()?))
    }
}

entry! {
    /// CL 5.2.2 — clEnqueueWriteBufferRect
    fn clEnqueueWriteBufferRect(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_write: cl_bool,
        buffer_origin: *const size_t [3_usize],
        host_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        buffer_row_pitch: size_t,
        buffer_slice_pitch: size_t,
        host_row_pitch: size_t,
        host_slice_pitch: size_t,
        ptr: *const c_void [host memory],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        let events = EventArgs::new(&queue, &[buffer.context()], event_wait_list, event)?;
        let buffer_side = side(buffer_origin, buffer_row_pitch, buffer_slice_pitch)?;
        let host_side = side(host_origin, host_row_pitch, host_slice_pitch)?;
        let region = args::triple(region, "region is NULL")?;
        let write = BufferTransfer::rect(&buffer, buffer_side, host_side, region, memory(ptr)?)?;
        events.finish(queue.enqueue_write(write, blocking_write != 0, events.waits()?))
    }
}

entry! {
    /// CL 5.2.2 — clEnqueueCopyBuffer
    fn clEnqueueCopyBuffer(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_offset: size_t,
        dst_offset: size_t,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let src = handle::borrow::<Buffer>(src_buffer)?;
        let dst = handle::borrow::<Buffer>(dst_buffer)?;
        let events = EventArgs::new(&queue, &[src.context(), dst.context()], event_wait_list, event)?;
        let copy = BufferCopy::linear(&src, &dst, src_offset, dst_offset, size)?;
        events.finish(queue.enqueue_copy(copy, events.waits()?))
    }
}

entry! {
    /// CL 5.2.2 — clEnqueueCopyBufferRect
    fn clEnqueueCopyBufferRect(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const size_t [3_usize],
        dst_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        src_row_pitch: size_t,
        src_slice_pitch: size_t,
        dst_row_pitch: size_t,
        dst_slice_pitch: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let src = handle::borrow::<Buffer>(src_buffer)?;
        let dst = handle::borrow::<Buffer>(dst_buffer)?;
        let events = EventArgs::new(&queue, &[src.context(), dst.context()], event_wait_list, event)?;
        let src_side = side(src_origin, src_row_pitch, src_slice_pitch)?;
        let dst_side = side(dst_origin, dst_row_pitch, dst_slice_pitch)?;
        let region = args::triple(region, "region is NULL")?;
        let copy = BufferCopy::rect(&src, &dst, src_side, dst_side, region)?;
        events.finish(queue.enqueue_copy(copy, events.waits()?))
    }
}

entry! {
    /// CL 5.2.3 — clEnqueueFillBuffer
    fn clEnqueueFillBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        pattern: *const c_void [pattern_size],
        pattern_size: size_t,
        offset: size_t,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        let events = EventArgs::new(&queue, &[buffer.context()], event_wait_list, event)?;
        // CL 5.2.3: INVALID_VALUE if pattern is NULL
        let pattern = pattern
            .bytes()
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "pattern is NULL").at("5.2.3"))?;
        let fill = BufferFill::new(BufferRange::new(&buffer, offset, size)?, pattern)?;
        events.finish(queue.enqueue_fill(fill, events.waits()?))
    }
}

entry! {
    /// CL 5.2.4 — clEnqueueMapBuffer
    fn clEnqueueMapBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        offset: size_t,
        size: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event;
        errcode_ret
    ) -> *mut c_void {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(buffer)?;
        let events = EventArgs::new(&queue, &[buffer.context()], event_wait_list, event)?;
        let flags = self::map_flags(map_flags)?;
        let range = BufferRange::new(&buffer, offset, size)?;
        let (address, event) = queue.enqueue_map(&range, blocking_map != 0, flags, events.waits()?)?;
        events.give(event);
        Ok(address.as_ptr().cast())
    }
}

entry! {
    /// CL 5.4.2 — clEnqueueUnmapMemObject
    fn clEnqueueUnmapMemObject(
        command_queue: cl_command_queue,
        memobj: cl_mem,
        mapped_ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let object = super::mem::borrow(memobj)?;
        let events = EventArgs::unchecked(event_wait_list, event);
        let context = Arc::clone(object.context());
        let mapped = MappedRegion::new(object, mapped_ptr.raw().addr())?;
        let waits = events.waits()?;
        // CL 5.4.2 lists INVALID_CONTEXT last.
        queue.check_contexts(waits.list.iter().map(|e| e.context()).chain([&context]))?;
        events.finish(queue.enqueue_unmap(mapped, waits))
    }
}

entry! {
    /// CL 5.4.4 — clEnqueueMigrateMemObjects
    fn clEnqueueMigrateMemObjects(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem [num_mem_objects],
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        // CL 5.4.4: INVALID_VALUE if num_mem_objects is zero or if mem_objects is NULL, or if flags is not 0 or a
        // combination of the two defined flags
        let objects = mem_objects
            .slice()
            .filter(|o| !o.is_empty())
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "no memory objects").at("5.4.4"))?;
        let objects = super::mem::list(objects)?;
        let contexts: Vec<_> = objects.iter().map(MemObject::context).collect();
        let events = EventArgs::new(&queue, &contexts, event_wait_list, event)?;
        if flags & !(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
            return Err(Error::new(ClCode::InvalidValue, "flags").at("5.4.4"));
        }
        let to_host = flags & CL_MIGRATE_MEM_OBJECT_HOST != 0;
        let undefined = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED != 0;
        events.finish(queue.enqueue_migrate(&objects, to_host, undefined, events.waits()?))
    }
}

/// Reads the first `work_dim` numbers of an array, at most three; the others are `fill`. Returns `None` if the pointer
/// is null.
pub(super) fn sizes(values: Array<usize>, work_dim: u32, fill: usize) -> Option<[usize; 3]> {
    let mut all = [fill; 3];
    for (i, to) in all.iter_mut().enumerate().take(work_dim as usize) {
        *to = values.get(i)?;
    }
    (!values.is_null()).then_some(all)
}

/// Returns an NDRange as the application specifies it.
pub(super) fn range(
    work_dim: u32,
    offset: Array<usize>,
    global: Array<usize>,
    local: Option<Array<usize>>,
) -> Range {
    Range {
        work_dim,
        offset: sizes(offset, work_dim, 0).unwrap_or([0; 3]),
        global: sizes(global, work_dim, 1).unwrap_or([0; 3]),
        local: local.and_then(|local| sizes(local, work_dim, 1)),
    }
}

entry! {
    /// CL 5.8 — clEnqueueNDRangeKernel
    fn clEnqueueNDRangeKernel(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const size_t [work_dim],
        global_work_size: *const size_t [work_dim],
        local_work_size: *const size_t [work_dim],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let events = EventArgs::new(&queue, &[kernel.context()], event_wait_list, event)?;
        let range = range(work_dim, global_work_offset, global_work_size, Some(local_work_size));
        // CL 2.1, 5.8: without work-items, the command only waits for its wait list.
        if range.is_empty() && kernel.accepts_empty(&queue, &range)? {
            return events.finish(queue.enqueue_empty(CommandType::NdRangeKernel, events.waits()?));
        }
        let launch = kernel.launch(&queue, &range)?;
        events.finish(launch.enqueue(CommandType::NdRangeKernel, events.waits()?))
    }
}

entry! {
    /// CL 5.8 — clEnqueueTask
    fn clEnqueueTask(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let kernel = handle::borrow::<Kernel>(kernel)?;
        let events = EventArgs::new(&queue, &[kernel.context()], event_wait_list, event)?;
        let range = Range {
            work_dim: 1,
            offset: [0; 3],
            global: [1; 3],
            local: Some([1; 3]),
        };
        let launch = kernel.launch(&queue, &range)?;
        events.finish(launch.enqueue(CommandType::Task, events.waits()?))
    }
}

entry! {
    /// CL 5.8 — clEnqueueNativeKernel
    fn clEnqueueNativeKernel(
        command_queue: cl_command_queue,
        user_func: Option<unsafe extern "C" fn(*mut c_void)>,
        args: *mut c_void [cb_args],
        cb_args: size_t,
        num_mem_objects: cl_uint,
        mem_list: *const cl_mem [num_mem_objects],
        args_mem_loc: *mut *const c_void [num_mem_objects],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        let invalid = |what| Error::new(ClCode::InvalidValue, what).at("5.8");
        // CL 5.8: INVALID_VALUE if user_func is NULL; if args is NULL and cb_args > 0 or num_mem_objects > 0; if args
        // is not NULL and cb_args is 0; if num_mem_objects > 0 and mem_list or args_mem_loc are NULL, or the reverse
        let function = user_func.ok_or_else(|| invalid("user_func is NULL"))?;
        if args.is_null() != (cb_args == 0) || (args.is_null() && num_mem_objects > 0) {
            return Err(invalid("args and cb_args do not agree"));
        }
        let count = num_mem_objects as usize;
        if [mem_list.is_null(), args_mem_loc.is_null()].contains(&(count > 0)) {
            return Err(invalid("num_mem_objects, mem_list and args_mem_loc do not agree"));
        }
        // CL 5.8: INVALID_OPERATION if the device cannot execute the native kernel
        if !queue.device().info().executes_native_kernels {
            return Err(Error::new(ClCode::InvalidOperation, "the device has no native kernels").at("5.8"));
        }
        // CL 5.8: INVALID_MEM_OBJECT if an object of mem_list is not a buffer; NULL stays NULL
        let buffers = mem_list
            .slice()
            .unwrap_or(&[])
            .iter()
            .map(|m| match m.is_null() {
                true => Ok(None),
                false => handle::list::<Buffer>(std::slice::from_ref(m)).map(|mut list| list.pop()),
            })
            .collect::<Result<Vec<Option<Arc<Buffer>>>>>()?;
        queue.check_contexts(buffers.iter().flatten().map(|b| b.context()))?;
        let args = callback::NativeArgs::copy(args, args_mem_loc.slice().unwrap_or(&[]))
            .ok_or_else(|| invalid("args_mem_loc points outside of args"))?;
        events.finish(queue.enqueue_native(&buffers, args.call(function), events.waits()?))
    }
}

entry! {
    /// CL 5.10 — clEnqueueMarkerWithWaitList
    fn clEnqueueMarkerWithWaitList(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        events.finish(queue.enqueue_marker(events.waits()?))
    }
}

entry! {
    /// CL 5.10 — clEnqueueBarrierWithWaitList
    fn clEnqueueBarrierWithWaitList(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let events = EventArgs::new(&queue, &[], event_wait_list, event)?;
        events.finish(queue.enqueue_barrier(events.waits()?))
    }
}

entry! {
    /// CL 1.1, 5.10 — clEnqueueMarker
    fn clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        // CL 1.1, 5.10: INVALID_VALUE if event is a NULL value
        if event.is_null() {
            return Err(Error::new(ClCode::InvalidValue, "event is NULL"));
        }
        let events = EventArgs { list: Ok(Vec::new()), event };
        events.finish(queue.enqueue_marker(events.waits()?))
    }
}

entry! {
    /// CL 1.1, 5.10 — clEnqueueWaitForEvents
    fn clEnqueueWaitForEvents(command_queue: cl_command_queue, num_events: cl_uint, event_list: *const cl_event [num_events]) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        // CL 1.1, 5.10: INVALID_VALUE if num_events is zero or event_list is NULL; INVALID_EVENT if events are not
        // valid
        let events = event_list
            .slice()
            .filter(|e| !e.is_empty())
            .ok_or_else(|| Error::new(ClCode::InvalidValue, "no events"))?;
        let list = handle::list::<Event>(events)?;
        queue.check_contexts(list.iter().map(|e| e.context()))?;
        let waits = Waits { list: &list, ..Waits::default() };
        // Commands that are enqueued later wait for the events too, as after a barrier with a wait list.
        queue.enqueue_barrier(waits).map(drop)
    }
}

entry! {
    /// CL 1.1, 5.10 — clEnqueueBarrier
    fn clEnqueueBarrier(command_queue: cl_command_queue) {
        handle::borrow::<CommandQueue>(command_queue)?.enqueue_barrier(Waits::default()).map(drop)
    }
}
