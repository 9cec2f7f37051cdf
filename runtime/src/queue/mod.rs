//! Command queues (CL 5.1) and everything that can be enqueued.

use std::ptr::NonNull;
use std::sync::Arc;

use crate::command::CommandType;
use crate::command::rect::RectSide;
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::event::Event;
use crate::impl_object;
use crate::kernel::launch::NdRange;
use crate::mem::{Buffer, HostPtr};
use crate::object::Anchor;

/// CL_QUEUE_PROPERTIES.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct QueueProperties {
    pub out_of_order: bool,
    pub profiling: bool,
}

/// `event_wait_list` and `event` of every enqueue function.
#[derive(Copy, Clone, Default)]
pub struct Waits<'a> {
    /// What must be complete before the command starts.
    pub list: &'a [Arc<Event>],
    /// Whether the application wants the command's event. Without it no event is made.
    pub want_event: bool,
}

/// CL_MAP_*.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MapFlags {
    pub read: bool,
    pub write: bool,
    /// CL_MAP_WRITE_INVALIDATE_REGION: write, and the old contents are not needed.
    pub invalidate: bool,
}

/// The command's event, if it was wanted. Errors that are known at once are returned; later ones go to the event.
pub type Enqueued = Result<Option<Arc<Event>>>;

/// A command queue.
pub struct CommandQueue {
    anchor: Anchor<CommandQueue>,
    context: Arc<Context>,
    device: Arc<Device>,
    properties: QueueProperties,
}

impl_object!(CommandQueue, ClCode::InvalidCommandQueue, "command queue");

fn unfinished() -> Error {
    Error::new(ClCode::InvalidOperation, "not implemented yet")
}

#[allow(unused_variables, reason = "the API comes first; the bodies replace this")]
impl CommandQueue {
    /// CL 5.1 — clCreateCommandQueue
    pub fn create(
        context: &Arc<Context>,
        device: &Arc<Device>,
        properties: QueueProperties,
    ) -> Result<Arc<CommandQueue>> {
        // CL 5.1: INVALID_DEVICE if device is not associated with context
        if !context.has_device(device) {
            return Err(Error::new(ClCode::InvalidDevice, "the context has no such device").at("5.1"));
        }
        Err(unfinished())
    }

    /// CL_QUEUE_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// CL_QUEUE_DEVICE.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// CL_QUEUE_PROPERTIES.
    pub fn properties(&self) -> QueueProperties {
        self.properties
    }

    /// CL 5.13 — clFlush, and part of clReleaseCommandQueue.
    pub fn flush(self: &Arc<Self>) -> Result<()> {
        Err(unfinished())
    }

    /// CL 5.13 — clFinish
    pub fn finish(self: &Arc<Self>) -> Result<()> {
        Err(unfinished())
    }

    /// CL 5.8 — clEnqueueNDRangeKernel, and clEnqueueTask (`command` says which).
    pub fn enqueue_ndrange(
        self: &Arc<Self>,
        launch: &NdRange<'_>,
        command: CommandType,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.2 — clEnqueueReadBuffer. `to` covers `size` bytes.
    pub fn enqueue_read(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        offset: usize,
        size: usize,
        to: HostPtr,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.2 — clEnqueueWriteBuffer. `from` covers `size` bytes.
    pub fn enqueue_write(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        offset: usize,
        size: usize,
        from: HostPtr,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.2 — clEnqueueReadBufferRect. `to` covers what `host_side` and `region` say.
    pub fn enqueue_read_rect(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        buffer_side: RectSide,
        host_side: RectSide,
        region: [usize; 3],
        to: HostPtr,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.2 — clEnqueueWriteBufferRect. `from` covers what `host_side` and `region` say.
    pub fn enqueue_write_rect(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        buffer_side: RectSide,
        host_side: RectSide,
        region: [usize; 3],
        from: HostPtr,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.2 — clEnqueueCopyBuffer
    pub fn enqueue_copy(
        self: &Arc<Self>,
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.2 — clEnqueueCopyBufferRect
    pub fn enqueue_copy_rect(
        self: &Arc<Self>,
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        src_side: RectSide,
        dst_side: RectSide,
        region: [usize; 3],
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.3 — clEnqueueFillBuffer
    pub fn enqueue_fill(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        pattern: &[u8],
        offset: usize,
        size: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.2.4 — clEnqueueMapBuffer. The address is valid for `size` bytes once the command is complete.
    pub fn enqueue_map(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        flags: MapFlags,
        offset: usize,
        size: usize,
        waits: Waits<'_>,
    ) -> Result<(NonNull<u8>, Option<Arc<Event>>)> {
        Err(unfinished())
    }

    /// CL 5.4.2 — clEnqueueUnmapMemObject. `address` is what a map call returned.
    pub fn enqueue_unmap(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        address: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.4.4 — clEnqueueMigrateMemObjects
    pub fn enqueue_migrate(self: &Arc<Self>, buffers: &[Arc<Buffer>], waits: Waits<'_>) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.10 — clEnqueueMarkerWithWaitList, clEnqueueMarker (empty list), clEnqueueWaitForEvents (without event)
    pub fn enqueue_marker(self: &Arc<Self>, waits: Waits<'_>) -> Enqueued {
        Err(unfinished())
    }

    /// CL 5.10 — clEnqueueBarrierWithWaitList, clEnqueueBarrier
    pub fn enqueue_barrier(self: &Arc<Self>, waits: Waits<'_>) -> Enqueued {
        Err(unfinished())
    }
}
