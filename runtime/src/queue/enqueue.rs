//! The enqueue functions: the checks of CL 5.2, 5.4, 5.8 and 5.10 in the specification's order, and then a
//! command.

use std::ptr::NonNull;
use std::sync::Arc;

use super::scheduler::Until;
use super::{CommandQueue, Enqueued, MapFlags, Waits};
use crate::command::buffer::{Copy, HostTransfer};
use crate::command::fill::Fill;
use crate::command::map::{Map, Unmap, Window};
use crate::command::rect::{Layout, RectSide, Rows};
use crate::command::transfer::Object;
use crate::command::{Command, CommandType, Incoming};
use crate::error::{ClCode, Error, Result};
use crate::event::Event;
use crate::kernel::copy;
use crate::kernel::launch::{ArgValue, Launch};
use crate::mem::map::Mapping;
use crate::mem::{Buffer, HostPtr, MemObject, bar_mapping};

impl CommandQueue {
    /// Checks a buffer's context. CL 5.2: INVALID_CONTEXT if queue and buffer differ in context.
    pub(super) fn check_buffer(&self, buffer: &Buffer) -> Result<()> {
        if Arc::ptr_eq(&self.context, buffer.context()) {
            Ok(())
        } else {
            Err(Error::new(
                ClCode::InvalidContext,
                "queue and buffer differ in context",
            ))
        }
    }

    /// Enqueues a launch that has been prepared for these argument values, after [`CommandQueue::check_waits`].
    pub(crate) fn enqueue_launch(
        self: &Arc<Self>,
        launch: &Launch,
        args: &[ArgValue],
        command: CommandType,
        waits: Waits<'_>,
    ) -> Enqueued {
        if self.is_shared() {
            // CL 5.8: INVALID_IMAGE_SIZE, IMAGE_FORMAT_NOT_SUPPORTED if the queue's device does not support an
            // image argument
            for arg in args {
                if let ArgValue::Image { image, .. } = arg {
                    self.check_image_device(image)?;
                }
            }
        }
        waits.check_list()?;
        let incoming = Incoming::Launch { launch, args };
        self.enqueue(command, incoming, waits, Until::Placed)
    }

    /// Enqueues a read (CL 5.2.2, clEnqueueReadBuffer). `to` must cover `size` bytes.
    pub fn enqueue_read(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        offset: usize,
        size: usize,
        to: HostPtr,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let (offset, size) = buffer.check_range(offset, size)?;
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        buffer.check_host(true, false)?;
        let transfer = HostTransfer::linear(buffer, offset, size, to);
        self.transfer(
            CommandType::ReadBuffer,
            Object::Buffer(transfer),
            false,
            blocking,
            waits,
        )
    }

    /// Enqueues a write (CL 5.2.2, clEnqueueWriteBuffer). `from` must cover `size` bytes.
    pub fn enqueue_write(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        offset: usize,
        size: usize,
        from: HostPtr,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let (offset, size) = buffer.check_range(offset, size)?;
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        buffer.check_host(false, true)?;
        let transfer = HostTransfer::linear(buffer, offset, size, from);
        self.transfer(
            CommandType::WriteBuffer,
            Object::Buffer(transfer),
            true,
            blocking,
            waits,
        )
    }

    /// Enqueues a rectangular read (CL 5.2.2, clEnqueueReadBufferRect). `to` must cover the bytes that
    /// `host_side` and `region` describe.
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
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let transfer = rect_transfer(buffer, buffer_side, host_side, region, to)?;
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        buffer.check_host(true, false)?;
        self.expect_copy_of(transfer.region);
        self.transfer(
            CommandType::ReadBufferRect,
            Object::Buffer(transfer),
            false,
            blocking,
            waits,
        )
    }

    /// Enqueues a rectangular write (CL 5.2.2, clEnqueueWriteBufferRect). `from` must cover the bytes that
    /// `host_side` and `region` describe.
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
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let transfer = rect_transfer(buffer, buffer_side, host_side, region, from)?;
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        buffer.check_host(false, true)?;
        self.expect_copy_of(transfer.region);
        self.transfer(
            CommandType::WriteBufferRect,
            Object::Buffer(transfer),
            true,
            blocking,
            waits,
        )
    }

    /// Enqueues a copy between buffers (CL 5.2.2, clEnqueueCopyBuffer).
    pub fn enqueue_copy(
        self: &Arc<Self>,
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_buffer(src)?;
        self.check_buffer(dst)?;
        self.check_waits(waits)?;
        let (from, size64) = src.check_range(src_offset, size)?;
        let (to, _) = dst.check_range(dst_offset, size)?;
        waits.check_list()?;
        src.check_alignment(&self.device)?;
        dst.check_alignment(&self.device)?;
        // CL 5.2.2: MEM_COPY_OVERLAP if source and destination are the same buffer, or sub-buffers of one, and
        // the regions overlap
        let (a, b) = (src.offset() + from, dst.offset() + to);
        if src.root_id() == dst.root_id() && a < b + size64 && b < a + size64 {
            return Err(Error::new(ClCode::MemCopyOverlap, "source and destination overlap").at("5.2.2"));
        }
        self.expect_copy_of([size64, 1, 1]);
        let row = |start| Layout {
            start,
            row_pitch: size64,
            slice_pitch: size64,
        };
        let copy = Command::Copy(Copy {
            src: Arc::clone(src),
            src_layout: row(from),
            dst: Arc::clone(dst),
            dst_layout: row(to),
            region: [size64, 1, 1],
        });
        self.enqueue(
            CommandType::CopyBuffer,
            Incoming::Command(copy),
            waits,
            Until::Placed,
        )
    }

    /// Enqueues a rectangular copy between buffers (CL 5.2.2, clEnqueueCopyBufferRect).
    pub fn enqueue_copy_rect(
        self: &Arc<Self>,
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        src_side: RectSide,
        dst_side: RectSide,
        region: [usize; 3],
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_buffer(src)?;
        self.check_buffer(dst)?;
        self.check_waits(waits)?;
        let (src_layout, src_end) = src_side.layout(region)?;
        let (dst_layout, dst_end) = dst_side.layout(region)?;
        check_end(src, src_end)?;
        check_end(dst, dst_end)?;
        let same = src.root_id() == dst.root_id();
        // CL 5.2.2: INVALID_VALUE if the buffer is the same and the pitches differ
        if Arc::ptr_eq(src, dst)
            && (src_layout.row_pitch, src_layout.slice_pitch)
                != (dst_layout.row_pitch, dst_layout.slice_pitch)
        {
            return Err(Error::new(ClCode::InvalidValue, "pitches differ within one buffer").at("5.2.2"));
        }
        waits.check_list()?;
        let region = region.map(|n| n as u64);
        if same && crate::command::rect::overlap(&src_layout, src.offset(), &dst_layout, dst.offset(), region)
        {
            return Err(Error::new(ClCode::MemCopyOverlap, "source and destination overlap").at("5.2.2"));
        }
        src.check_alignment(&self.device)?;
        dst.check_alignment(&self.device)?;
        self.expect_copy_of(region);
        let copy = Command::Copy(Copy {
            src: Arc::clone(src),
            src_layout,
            dst: Arc::clone(dst),
            dst_layout,
            region,
        });
        self.enqueue(
            CommandType::CopyBufferRect,
            Incoming::Command(copy),
            waits,
            Until::Placed,
        )
    }

    /// Makes the kernels for copies, if one of them may copy this region.
    fn expect_copy_of(&self, region: [u64; 3]) {
        if copy::is_wanted(!self.logical.unified(), region) {
            self.opened.make_copy_kernels(&self.device);
        }
    }

    /// Enqueues a fill (CL 5.2.3, clEnqueueFillBuffer).
    pub fn enqueue_fill(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        pattern: &[u8],
        offset: usize,
        size: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let (offset, size) = buffer.check_range(offset, size)?;
        // CL 5.2.3: INVALID_VALUE if pattern_size is not one of 1, 2, 4, 8, 16, 32, 64, 128
        let length = pattern.len() as u64;
        if !length.is_power_of_two() || length > 128 {
            return Err(Error::new(ClCode::InvalidValue, format!("a pattern of {length} bytes")).at("5.2.3"));
        }
        // CL 5.2.3: INVALID_VALUE if offset and size are not a multiple of pattern_size
        if !offset.is_multiple_of(length) || !size.is_multiple_of(length) {
            return Err(Error::new(
                ClCode::InvalidValue,
                "offset or size is no multiple of the pattern",
            )
            .at("5.2.3"));
        }
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        let kind = CommandType::FillBuffer;
        let near = size <= bar_mapping::LONGEST_WRITE && buffer.storage(self.device_index)?.host_visible();
        if near && self.is_idle() {
            // Programs often reset counters by such short fills before they use them.
            let all = pattern.repeat((size / length) as usize);
            let transfer = HostTransfer::linear(buffer, offset, size, HostPtr::of_slice(&all));
            if let Some((turn, reach)) = self.host_copy(&transfer, true, waits, false)? {
                return Ok(self.by_host(turn, kind, waits, || transfer.by_host(reach, true)));
            }
        }
        let fill = Command::Fill(Fill {
            buffer: Arc::clone(buffer),
            pattern: pattern.to_vec(),
            rows: Rows::line(offset, size),
        });
        self.enqueue(kind, Incoming::Command(fill), waits, Until::Placed)
    }

    /// Enqueues a mapping (CL 5.2.4, clEnqueueMapBuffer). The returned address is valid for `size` bytes once
    /// the command is complete.
    pub fn enqueue_map(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        blocking: bool,
        flags: MapFlags,
        offset: usize,
        size: usize,
        waits: Waits<'_>,
    ) -> Result<(NonNull<u8>, Option<Arc<Event>>)> {
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let (offset, size) = buffer.check_range(offset, size)?;
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        let write = flags.write || flags.invalidate;
        buffer.check_host(flags.read, write)?;
        // CL 5.2.4: MAP_FAILURE if the region cannot be mapped
        let window = Window::of(buffer, self.device_index, offset).map_err(|e| {
            Error::new(ClCode::MapFailure, "no host memory for the mapping")
                .at("5.2.4")
                .from_source(e)
        })?;
        let ptr = window.ptr();
        let rows = Rows::line(offset, size);
        let hold = window.hold(buffer, rows, self.device_index, write);
        let map = Map {
            buffer: Arc::clone(buffer),
            rows,
            fetch: !flags.invalidate,
            window,
            hold: hold.clone(),
        };
        let visible = || !map.fetch || self.makes_visible(buffer);
        let bar_mapping = map.through_bar(self.device_index)?.filter(|_| visible());
        let turn = match bar_mapping {
            Some(_) => self.host_turn(waits, blocking)?.filter(|_| visible()),
            None => None,
        };
        let event = match bar_mapping.zip(turn) {
            Some((bar_mapping, turn)) => {
                self.by_host(turn, CommandType::MapBuffer, waits, || map.by_host(bar_mapping))
            }
            None => {
                let map = Incoming::Command(Command::Map(map));
                self.enqueue(CommandType::MapBuffer, map, waits, Until::blocking(blocking))?
            }
        };
        buffer.maps().lock().add(Mapping {
            address: ptr.address(),
            offset: buffer.offset() + offset,
            size,
            write,
            device: self.device_index,
            hold,
        });
        Ok((ptr.non_null(), event))
    }

    /// Enqueues the end of a mapping (CL 5.4.2, clEnqueueUnmapMemObject). `address` is the address that the map
    /// call returned.
    pub fn enqueue_unmap(
        self: &Arc<Self>,
        buffer: &Arc<Buffer>,
        address: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        // CL 5.4.2: INVALID_VALUE if mapped_ptr is not a pointer returned by a map of the object
        let range = buffer.offset()..buffer.offset() + buffer.size();
        let invalid =
            || Error::new(ClCode::InvalidValue, "the pointer is not a mapping of the object").at("5.4.2");
        if !buffer.maps().lock().has(address, &range) {
            return Err(invalid());
        }
        waits.check_list()?;
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let mapping = buffer.maps().lock().remove(address, range);
        let mapping = mapping.ok_or_else(invalid)?;
        let offset = mapping.offset - buffer.offset();
        let unmap = Unmap {
            buffer: Arc::clone(buffer),
            rows: Rows::line(offset, mapping.size),
            write: mapping.write,
            window: Window::of(buffer, mapping.device, offset)?,
            device: mapping.device,
            hold: mapping.hold,
        };
        let kind = CommandType::UnmapMemObject;
        if let Some(bar_mapping) = unmap.through_bar(self.device_index)?
            && let Some(turn) = self.host_turn(waits, false)?
        {
            return Ok(self.by_host(turn, kind, waits, || unmap.by_host(bar_mapping)));
        }
        self.enqueue(
            kind,
            Incoming::Command(Command::Unmap(unmap)),
            waits,
            Until::Placed,
        )
    }

    /// Enqueues a migration (CL 5.4.4, clEnqueueMigrateMemObjects) to the queue's device, or (`to_host`) to the
    /// host, which moves nothing. `undefined`: the contents need not be kept.
    pub fn enqueue_migrate(
        self: &Arc<Self>,
        objects: &[MemObject],
        to_host: bool,
        undefined: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        // CL 5.4.4: INVALID_VALUE if num_mem_objects is zero
        if objects.is_empty() {
            return Err(Error::new(ClCode::InvalidValue, "no memory objects").at("5.4.4"));
        }
        for object in objects {
            match object {
                MemObject::Buffer(buffer) => self.check_buffer(buffer)?,
                MemObject::Image(image) => self.check_image(image)?,
            }
        }
        self.check_waits(waits)?;
        waits.check_list()?;
        let objects = if to_host { Vec::new() } else { objects.to_vec() };
        let migrate = Command::Migrate { objects, undefined };
        self.enqueue(
            CommandType::MigrateMemObjects,
            Incoming::Command(migrate),
            waits,
            Until::Placed,
        )
    }

    /// Enqueues a marker (CL 5.10): clEnqueueMarkerWithWaitList, clEnqueueMarker (empty list), or
    /// clEnqueueWaitForEvents (without event).
    pub fn enqueue_marker(self: &Arc<Self>, waits: Waits<'_>) -> Enqueued {
        self.enqueue_order(CommandType::Marker, Command::Marker, waits)
    }

    /// Enqueues a barrier (CL 5.10): clEnqueueBarrierWithWaitList or clEnqueueBarrier.
    pub fn enqueue_barrier(self: &Arc<Self>, waits: Waits<'_>) -> Enqueued {
        self.enqueue_order(CommandType::Barrier, Command::Barrier, waits)
    }

    /// Enqueues a marker or a barrier, which completes at once if the queue is idle.
    fn enqueue_order(self: &Arc<Self>, kind: CommandType, command: Command, waits: Waits<'_>) -> Enqueued {
        self.check_waits(waits)?;
        waits.check_list()?;
        if let Some(turn) = self.host_turn(waits, false)? {
            return Ok(self.by_host(turn, kind, waits, || {}));
        }
        self.enqueue(kind, Incoming::Command(command), waits, Until::Placed)
    }
}

fn check_end(buffer: &Buffer, end: u64) -> Result<()> {
    // CL 5.2.2: INVALID_VALUE if the region is out of bounds
    if end > buffer.size() {
        return Err(Error::new(ClCode::InvalidValue, "the region is out of bounds").at("5.2.2"));
    }
    Ok(())
}

fn rect_transfer(
    buffer: &Arc<Buffer>,
    buffer_side: RectSide,
    host_side: RectSide,
    region: [usize; 3],
    host: HostPtr,
) -> Result<HostTransfer> {
    let (layout, end) = buffer_side.layout(region)?;
    let (host_layout, _) = host_side.layout(region)?;
    check_end(buffer, end)?;
    Ok(HostTransfer {
        buffer: Arc::clone(buffer),
        layout,
        host,
        host_layout,
        region: region.map(|n| n as u64),
        pinned: None,
    })
}
