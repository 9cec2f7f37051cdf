//! The enqueue functions for shared virtual memory (CL 2.0, 5.6.1). Each command on shared virtual memory is executed as a
//! command on a buffer, and has a command type of its own.

use std::sync::Arc;

use super::scheduler::Until;
use super::{CommandQueue, Enqueued, MapFlags, Waits};
use crate::command::buffer::{Copy, HostTransfer};
use crate::command::image::{ImageAndBuffer, ImageTransfer};
use crate::command::rect::Layout;
use crate::command::request::{BufferCopy, BufferFill, BufferRange, MappedRegion};
use crate::command::transfer::Object;
use crate::command::{CommandType, Incoming, Prepared};
use crate::error::{ClCode, Error, Result};
use crate::event::Event;
use crate::mem::svm::SvmPlace;
use crate::mem::{Buffer, HostPtr, MemObject};
use crate::queue::NativeFn;

/// One side of a copy.
pub enum SvmSide {
    /// Shared memory.
    Shared(SvmPlace),
    /// Other memory of the application.
    Host(HostPtr),
}

impl CommandQueue {
    /// Returns the allocation of shared memory that contains a region of the application's memory, if there is one, and the
    /// region's layout in it. `layout` is the region's layout from `host` on.
    ///
    /// Reads and writes whose host memory is shared memory are executed by the device: other commands, which wait for the
    /// transfer, may access that memory too, so the host must not copy at another time.
    fn shared_memory(
        &self,
        host: HostPtr,
        layout: Layout,
        [width, height, depth]: [u64; 3],
    ) -> Option<(Arc<Buffer>, Layout)> {
        let SvmPlace { buffer, offset } = self.context().find_shared(host.address())?;
        let layout = Layout {
            start: layout.start.checked_add(offset as u64)?,
            ..layout
        };
        let slices = (depth - 1).checked_mul(layout.slice_pitch)?;
        let rows = (height - 1).checked_mul(layout.row_pitch)?;
        let length = slices.checked_add(rows)?.checked_add(width)?;
        (layout.start.checked_add(length)? <= buffer.size()).then_some((buffer, layout))
    }

    /// Returns a read or a write of a buffer as a copy between buffers, if the application's memory is shared memory.
    pub(super) fn copy_of_shared_memory(&self, transfer: &HostTransfer, write: bool) -> Option<Copy> {
        let region = transfer.region;
        let (shared, layout) = self.shared_memory(transfer.host, transfer.host_layout, region)?;
        let (buffer, own) = (transfer.buffer.clone(), transfer.layout);
        let copy = match write {
            true => Copy {
                src: shared,
                src_layout: layout,
                dst: buffer,
                dst_layout: own,
                region,
            },
            false => Copy {
                src: buffer,
                src_layout: own,
                dst: shared,
                dst_layout: layout,
                region,
            },
        };
        copy.check_overlap().is_ok().then_some(copy)
    }

    /// Returns a read or a write of an image as a copy between the image and a buffer, if the application's memory is shared
    /// memory.
    pub(super) fn image_copy_of_shared_memory(&self, transfer: &ImageTransfer) -> Option<ImageAndBuffer> {
        let (buffer, layout) = self.shared_memory(transfer.host, transfer.layout, transfer.region())?;
        Some(ImageAndBuffer {
            image: Arc::clone(&transfer.image),
            texels: transfer.texels,
            buffer,
            layout,
        })
    }

    /// Prepares a copy within shared memory (CL 2.0, 5.6.1, clEnqueueSVMMemcpy).
    pub fn prepare_svm_copy(&self, from: &SvmPlace, to: &SvmPlace, size: usize) -> Result<Prepared> {
        let copy = BufferCopy::linear(&from.buffer, &to.buffer, from.offset, to.offset, size)?;
        Ok(Prepared {
            kind: CommandType::SvmMemcpy,
            ..self.prepare_copy(copy)?
        })
    }

    /// Enqueues a copy of `size` bytes (CL 2.0, 5.6.1, clEnqueueSVMMemcpy; clEnqueueMemcpyINTEL). `size` is not 0.
    pub fn enqueue_svm_copy(
        self: &Arc<Self>,
        kind: CommandType,
        from: &SvmSide,
        to: &SvmSide,
        size: usize,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        let (place, host, write) = match (from, to) {
            (SvmSide::Shared(from), SvmSide::Shared(to)) => {
                let Prepared { command, .. } = self.prepare_svm_copy(from, to, size)?;
                let until = Until::blocking(blocking);
                return self.enqueue(kind, Incoming::Command(command), waits, until);
            }
            (SvmSide::Host(from), SvmSide::Host(to)) => {
                return self.enqueue_host_copy(kind, *from, *to, size, blocking, waits);
            }
            (SvmSide::Host(host), SvmSide::Shared(place)) => (place, *host, true),
            (SvmSide::Shared(place), SvmSide::Host(host)) => (place, *host, false),
        };
        let BufferRange { buffer, offset, size } = BufferRange::new(&place.buffer, place.offset, size)?;
        self.assert_own(buffer.context());
        let transfer = HostTransfer::linear(&buffer, offset, size, host);
        self.transfer(kind, Object::Buffer(transfer), write, blocking, waits)
    }

    /// Enqueues a copy within other memory of the application, which the host makes.
    fn enqueue_host_copy(
        self: &Arc<Self>,
        kind: CommandType,
        from: HostPtr,
        to: HostPtr,
        size: usize,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        // CL 2.0, 5.6.1: MEM_COPY_OVERLAP if the values specified for the pointers and the size overlap
        if from.address().abs_diff(to.address()) < size {
            return Err(Error::new(ClCode::MemCopyOverlap, "source and destination overlap").at("2.0 5.6.1"));
        }
        let copy: NativeFn = Box::new(move |_| from.copy_to(to, size as u64));
        let with_event = Waits {
            want_event: waits.want_event || blocking,
            ..waits
        };
        let event = self.enqueue_function(kind, &[], copy, with_event)?;
        if blocking && let Some(event) = &event {
            Event::wait_all(std::slice::from_ref(event))?;
        }
        Ok(event.filter(|_| waits.want_event))
    }

    /// Prepares a fill of shared memory (CL 2.0, 5.6.1, clEnqueueSVMMemFill; clEnqueueMemFillINTEL).
    pub fn prepare_svm_fill(
        &self,
        kind: CommandType,
        to: &SvmPlace,
        pattern: &[u8],
        size: usize,
    ) -> Result<Prepared> {
        let range = BufferRange::new(&to.buffer, to.offset, size)?;
        Ok(Prepared {
            kind,
            ..self.prepare_fill(BufferFill::new(range, pattern)?)?
        })
    }

    /// Enqueues a mapping of shared memory (CL 2.0, 5.6.1, clEnqueueSVMMap).
    pub fn enqueue_svm_map(
        self: &Arc<Self>,
        place: &SvmPlace,
        size: usize,
        blocking: bool,
        flags: MapFlags,
        waits: Waits<'_>,
    ) -> Enqueued {
        let range = BufferRange::new(&place.buffer, place.offset, size)?;
        let (_, event) = self.enqueue_map_as(CommandType::SvmMap, &range, blocking, flags, waits)?;
        Ok(event)
    }

    /// Enqueues the end of a mapping (CL 2.0, 5.6.1, clEnqueueSVMUnmap) at an address in shared memory.
    pub fn enqueue_svm_unmap(
        self: &Arc<Self>,
        place: SvmPlace,
        address: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        let mapped = MappedRegion::new(MemObject::Buffer(place.buffer), address)?;
        self.enqueue_unmap_as(CommandType::SvmUnmap, mapped, waits)
    }

    /// Enqueues a function of the host that frees shared memory (CL 2.0, 5.6.1, clEnqueueSVMFree).
    pub fn enqueue_svm_free(self: &Arc<Self>, free: NativeFn, waits: Waits<'_>) -> Enqueued {
        self.enqueue_function(CommandType::SvmFree, &[], free, waits)
    }
}
