//! The enqueue functions of CL 5.2, 5.4, 5.8 and 5.10: the conditions that depend on the queue's device, in the
//! specification's order, and then a command. The requests ([`crate::command::request`]) fulfil all other conditions.

use std::ptr::NonNull;
use std::sync::Arc;

use super::observed::HostCommand;
use super::scheduler::Until;
use super::{CommandQueue, Enqueued, MapFlags, Waits};
use crate::command::buffer::HostTransfer;
use crate::command::hand_over::HandOver;
use crate::command::map::{Map, Unmap, Window};
use crate::command::rect::Rows;
use crate::command::request::{BufferCopy, BufferFill, BufferRange, BufferTransfer, MappedRegion, Unmapped};
use crate::command::transfer::Object;
use crate::command::{Command, CommandType, Incoming, Prepared};
use crate::error::{ClCode, Error, Result};
use crate::event::Event;
use crate::kernel::copy;
use crate::kernel::launch::{ArgValue, Launch};
use crate::mem::map::Mapping;
use crate::mem::residence::Use;
use crate::mem::{Buffer, HostPtr, MemObject};
use crate::observe::Region;

impl CommandQueue {
    /// Enqueues a launch that has been prepared for these argument values.
    pub(crate) fn enqueue_launch(
        self: &Arc<Self>,
        launch: &Launch,
        args: &[ArgValue],
        command: CommandType,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.enqueue(command, Incoming::Launch { launch, args }, waits, Until::Placed)
    }

    /// Enqueues a read (CL 5.2.2, clEnqueueReadBuffer and clEnqueueReadBufferRect).
    pub fn enqueue_read(
        self: &Arc<Self>,
        request: BufferTransfer,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.enqueue_buffer_transfer(request, false, blocking, waits)
    }

    /// Enqueues a write (CL 5.2.2, clEnqueueWriteBuffer and clEnqueueWriteBufferRect).
    pub fn enqueue_write(
        self: &Arc<Self>,
        request: BufferTransfer,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.enqueue_buffer_transfer(request, true, blocking, waits)
    }

    fn enqueue_buffer_transfer(
        self: &Arc<Self>,
        request: BufferTransfer,
        write: bool,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        let kind = request.command_type(write);
        let transfer = request.transfer;
        self.assert_own(transfer.buffer.context());
        transfer.buffer.check_alignment(&self.device)?;
        transfer.buffer.check_host(!write, write)?;
        transfer.touch(write).note_write();
        if request.is_rect {
            self.prepare_copy_kernels(transfer.region);
        }
        if let Some(copy) = self.copy_of_shared_memory(&transfer, write) {
            let until = Until::blocking(blocking);
            return self.enqueue(kind, Incoming::Command(Command::Copy(copy)), waits, until);
        }
        self.transfer(kind, Object::Buffer(transfer), write, blocking, waits)
    }

    /// Enqueues a command that has been prepared for a queue of this queue's context and device.
    pub fn enqueue_prepared(self: &Arc<Self>, prepared: Prepared, waits: Waits<'_>) -> Enqueued {
        let Prepared { kind, command } = prepared;
        self.enqueue(kind, Incoming::Command(command), waits, Until::Placed)
    }

    /// Prepares a copy between buffers (CL 5.2.2, clEnqueueCopyBuffer and clEnqueueCopyBufferRect).
    pub fn prepare_copy(&self, request: BufferCopy) -> Result<Prepared> {
        let BufferCopy { copy, command } = request;
        self.assert_own(copy.src.context());
        self.assert_own(copy.dst.context());
        // CL 5.2.2 lists these errors in the opposite order for clEnqueueCopyBufferRect.
        let overlap_first = command == CommandType::CopyBufferRect;
        if overlap_first {
            copy.check_overlap()?;
        }
        copy.src.check_alignment(&self.device)?;
        copy.dst.check_alignment(&self.device)?;
        if !overlap_first {
            copy.check_overlap()?;
        }
        self.prepare_copy_kernels(copy.region);
        Ok(Prepared {
            kind: command,
            command: Command::Copy(copy),
        })
    }

    /// Enqueues a copy between buffers.
    pub fn enqueue_copy(self: &Arc<Self>, request: BufferCopy, waits: Waits<'_>) -> Enqueued {
        self.enqueue_prepared(self.prepare_copy(request)?, waits)
    }

    /// Makes the kernels for copies, if one of them may copy this region.
    fn prepare_copy_kernels(&self, region: [u64; 3]) {
        if copy::is_wanted(!self.logical.unified(), region) {
            self.opened.make_copy_kernels(&self.device);
        }
    }

    /// Prepares a fill (CL 5.2.3, clEnqueueFillBuffer).
    pub fn prepare_fill(&self, request: BufferFill) -> Result<Prepared> {
        let buffer = &request.range.buffer;
        self.assert_own(buffer.context());
        buffer.check_alignment(&self.device)?;
        Ok(Prepared {
            kind: CommandType::FillBuffer,
            command: Command::Fill(request.into_command()),
        })
    }

    /// Enqueues a fill (CL 5.2.3, clEnqueueFillBuffer).
    pub fn enqueue_fill(self: &Arc<Self>, request: BufferFill, waits: Waits<'_>) -> Enqueued {
        let BufferRange { buffer, offset, size } = &request.range;
        self.assert_own(buffer.context());
        buffer.check_alignment(&self.device)?;
        let kind = CommandType::FillBuffer;
        let near =
            *size <= self.logical.tuning().bar_write && buffer.storage(self.device_index)?.host_visible();
        if near && self.is_idle() {
            // Programs often reset counters by such short fills before they use them.
            let all = request.bytes();
            let transfer = HostTransfer::linear(buffer, *offset, *size, HostPtr::of_slice(&all));
            transfer.touch(true).note_write();
            if let Some((turn, reach)) = self.host_copy(&transfer, true, waits, false)? {
                let command = HostCommand::new(kind, *size).with_region(transfer.region(), true);
                return Ok(self.execute_on_host(turn, &command, waits, || transfer.by_host(reach, true)));
            }
        }
        self.enqueue_prepared(self.prepare_fill(request)?, waits)
    }

    /// Enqueues a mapping (CL 5.2.4, clEnqueueMapBuffer). The returned address is valid for the size of the range
    /// once the command is complete.
    pub fn enqueue_map(
        self: &Arc<Self>,
        range: &BufferRange,
        blocking: bool,
        flags: MapFlags,
        waits: Waits<'_>,
    ) -> Result<(NonNull<u8>, Option<Arc<Event>>)> {
        self.enqueue_map_as(CommandType::MapBuffer, range, blocking, flags, waits)
    }

    /// Enqueues a mapping as a command of this type.
    pub(super) fn enqueue_map_as(
        self: &Arc<Self>,
        kind: CommandType,
        range: &BufferRange,
        blocking: bool,
        flags: MapFlags,
        waits: Waits<'_>,
    ) -> Result<(NonNull<u8>, Option<Arc<Event>>)> {
        let BufferRange { buffer, offset, size } = range;
        let (offset, size) = (*offset, *size);
        self.assert_own(buffer.context());
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
        if write {
            rows.touch(buffer, Use::Replace).note_write();
        }
        let hold = window.hold(buffer, rows, self.device_index, write);
        let map = Map {
            buffer: Arc::clone(buffer),
            rows,
            fetch: !flags.invalidate,
            kept: Map::kept_in(buffer, rows, &window),
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
                let copied = if map.fetch { size } else { 0 };
                let command = HostCommand::new(kind, copied).blocking(blocking);
                self.execute_on_host(turn, &command, waits, || map.by_host(bar_mapping))
            }
            None => {
                let map = Incoming::Command(Command::Map(map));
                self.enqueue(kind, map, waits, Until::blocking(blocking))?
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

    /// Enqueues the end of a mapping (CL 5.4.2, clEnqueueUnmapMemObject).
    pub fn enqueue_unmap(self: &Arc<Self>, request: MappedRegion, waits: Waits<'_>) -> Enqueued {
        self.enqueue_unmap_as(CommandType::UnmapMemObject, request, waits)
    }

    /// Enqueues the end of a mapping as a command of this type, if it is that of a buffer.
    pub(super) fn enqueue_unmap_as(
        self: &Arc<Self>,
        kind: CommandType,
        request: MappedRegion,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.assert_own(request.object().context());
        match request.remove()? {
            Unmapped::Buffer(buffer, mapping) => self.unmap_buffer(kind, &buffer, mapping, waits),
            Unmapped::Image(image, mapping) => self.unmap_image(&image, mapping, waits),
        }
    }

    fn unmap_buffer(
        self: &Arc<Self>,
        kind: CommandType,
        buffer: &Arc<Buffer>,
        mapping: Mapping,
        waits: Waits<'_>,
    ) -> Enqueued {
        let offset = mapping.offset - buffer.offset();
        let unmap = Unmap {
            buffer: Arc::clone(buffer),
            rows: Rows::line(offset, mapping.size),
            write: mapping.write,
            window: Window::of(buffer, mapping.device, offset)?,
            device: mapping.device,
            hold: mapping.hold,
        };
        if let Some(bar_mapping) = unmap.through_bar(self.device_index)?
            && let Some(turn) = self.host_turn(waits, false)?
        {
            let copied = if unmap.write { unmap.rows.width } else { 0 };
            let region = Region {
                root: buffer.root_id(),
                start: mapping.offset,
                end: mapping.offset + mapping.size,
            };
            let command = HostCommand::new(kind, copied).with_region(region, unmap.write);
            return Ok(self.execute_on_host(turn, &command, waits, || unmap.by_host(bar_mapping)));
        }
        let unmap = Incoming::Command(Command::Unmap(unmap));
        self.enqueue(kind, unmap, waits, Until::Placed)
    }

    /// Enqueues a migration (CL 5.4.4, clEnqueueMigrateMemObjects) to the queue's device, or (`to_host`) to the
    /// host, which moves nothing. If `undefined` is set, the contents need not be kept.
    pub fn enqueue_migrate(
        self: &Arc<Self>,
        objects: &[MemObject],
        to_host: bool,
        undefined: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        objects.iter().for_each(|o| self.assert_own(o.context()));
        let objects = if to_host { Vec::new() } else { objects.to_vec() };
        let migrate = Command::Migrate { objects, undefined };
        self.enqueue(
            CommandType::MigrateMemObjects,
            Incoming::Command(migrate),
            waits,
            Until::Placed,
        )
    }

    /// Enqueues the transfer of objects, which the queue's device has imported, from another API or back
    /// (clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR).
    pub fn enqueue_hand_over(
        self: &Arc<Self>,
        objects: &[MemObject],
        acquire: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        objects.iter().for_each(|o| self.assert_own(o.context()));
        let kind = match acquire {
            true => CommandType::AcquireExternalMemObjects,
            false => CommandType::ReleaseExternalMemObjects,
        };
        let objects = objects.to_vec();
        let hand_over = Command::HandOver(HandOver { objects, acquire });
        self.enqueue(kind, Incoming::Command(hand_over), waits, Until::Placed)
    }

    /// Enqueues a marker (CL 5.10): clEnqueueMarkerWithWaitList, or clEnqueueMarker (empty list).
    pub fn enqueue_marker(self: &Arc<Self>, waits: Waits<'_>) -> Enqueued {
        self.enqueue_order(CommandType::Marker, Command::Marker, waits)
    }

    /// Enqueues a command that does nothing, of the type that its event reports.
    pub fn enqueue_empty(self: &Arc<Self>, kind: CommandType, waits: Waits<'_>) -> Enqueued {
        self.enqueue_order(kind, Command::Marker, waits)
    }

    /// Enqueues a barrier (CL 5.10): clEnqueueBarrierWithWaitList, clEnqueueBarrier (empty list), or clEnqueueWaitForEvents
    /// (without event).
    pub fn enqueue_barrier(self: &Arc<Self>, waits: Waits<'_>) -> Enqueued {
        self.enqueue_order(CommandType::Barrier, Command::Barrier, waits)
    }

    /// Enqueues a marker, a barrier or an empty command, which completes at once if the queue is idle.
    fn enqueue_order(self: &Arc<Self>, kind: CommandType, command: Command, waits: Waits<'_>) -> Enqueued {
        if let Some(turn) = self.host_turn(waits, false)? {
            return Ok(self.execute_on_host(turn, &HostCommand::new(kind, 0), waits, || {}));
        }
        self.enqueue(kind, Incoming::Command(command), waits, Until::Placed)
    }
}
