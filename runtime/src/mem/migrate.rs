//! Moves contents between devices of a context, through host memory. This happens on the context's migration
//! thread, which may wait.

use std::ops::Range;
use std::sync::Arc;

use super::claim::Shared;
use super::residence::{Away, Use};
use super::{Buffer, HostMemory, Image, MemObject};
use crate::context::Context;
use crate::device::bounce::Move;
use crate::error::{ClCode, Error, Result};

/// The bytes of a buffer that are moved at a time.
const CHUNK: u64 = 32 << 20;

/// A command's use of a range of a memory object.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    object: MemObject,
    /// The range in the root buffer. It is `0..1` for an image, which is always used as a whole.
    range: Range<u64>,
    how: Use,
}

impl Touch {
    /// Makes the use of a range of a buffer. The range must not be empty.
    pub(crate) fn buffer(buffer: &Arc<Buffer>, start: u64, end: u64, how: Use) -> Touch {
        let range = buffer.offset() + start..buffer.offset() + end;
        let root = buffer.parent().unwrap_or(buffer);
        Touch {
            object: MemObject::Buffer(Arc::clone(root)),
            range,
            how,
        }
    }

    /// Makes the use of an image, or of the buffer that the image was created from.
    pub(crate) fn image(image: &Arc<Image>, how: Use) -> Touch {
        match image.buffer() {
            Some(buffer) => image.in_buffer(&image.all()).touch(buffer, how),
            None => Touch {
                object: MemObject::Image(Arc::clone(image)),
                range: 0..1,
                how,
            },
        }
    }

    /// Makes the use of a whole object.
    pub(crate) fn whole(object: &MemObject, how: Use) -> Touch {
        match object {
            MemObject::Buffer(buffer) => Touch::buffer(buffer, 0, buffer.size(), how),
            MemObject::Image(image) => Touch::image(image, how),
        }
    }

    pub(super) fn residence(&self) -> &Shared {
        match &self.object {
            MemObject::Buffer(buffer) => buffer.residence(),
            MemObject::Image(image) => image.residence().expect("it does not lie in a buffer"),
        }
    }

    /// Returns the range in the root.
    pub(super) fn range(&self) -> &Range<u64> {
        &self.range
    }

    /// Returns the root of the buffer that the command may write; `None` if it only reads, or uses an image.
    pub(crate) fn written_buffer(&self) -> Option<usize> {
        match &self.object {
            MemObject::Buffer(buffer) if self.how != Use::Read => Some(buffer.root_id()),
            MemObject::Buffer(_) | MemObject::Image(_) => None,
        }
    }

    /// Notes what the use writes of a buffer, for the check of uninitialized memory.
    pub(crate) fn note_write(&self) {
        if let MemObject::Buffer(buffer) = &self.object
            && self.how != Use::Read
            && let Some(written) = buffer.written()
        {
            written.note(&self.range);
        }
    }

    pub(super) fn how(&self) -> Use {
        self.how
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        self.object.context()
    }

    /// Returns the ranges whose contents the use needs but the device does not have.
    pub(super) fn away(&self, device: usize) -> Vec<Away> {
        self.residence().lock().away(&self.range, device, self.how)
    }

    /// Returns the devices, as a bit set, whose commands come before this use in the order of the enqueue
    /// calls.
    pub(crate) fn follows(&self, device: usize) -> u64 {
        self.residence().lock().follows(&self.range, device, self.how)
    }

    /// Returns whether both uses are of the same contents, and one of them is a write.
    pub(crate) fn conflicts(&self, other: &Touch) -> bool {
        std::ptr::eq(self.residence(), other.residence())
            && self.range.start < other.range.end
            && other.range.start < self.range.end
            && (self.how != Use::Read || other.how != Use::Read)
    }

    /// Returns whether a command of another device has a claim that conflicts with this use.
    pub(crate) fn is_claimed_elsewhere(&self, device: usize) -> bool {
        let write = self.how != Use::Read;
        self.residence()
            .lock()
            .is_claimed_elsewhere(&self.range, device, write)
    }

    /// Notes that the command has been enqueued.
    pub(crate) fn enqueued(&self, device: usize) {
        self.residence().lock().enqueued(&self.range, device, self.how);
    }

    /// Copies the contents that the use needs to a device, and waits for the GPU. The range must be claimed,
    /// and no lock may be held.
    pub(super) fn fetch(&self, device: usize) -> Result<()> {
        for away in self.away(device) {
            match &self.object {
                MemObject::Buffer(buffer) => move_bytes(buffer, &away, device)?,
                MemObject::Image(image) => image.copy_between(away.from, device)?,
            }
            self.residence().lock().copied(&away.range, device);
        }
        Ok(())
    }
}

/// Copies a range of a buffer to a device, and waits. Where the host can access a storage, one copy from or to there is enough.
/// Other storage is copied through a bounce buffer, or else by the host.
fn move_bytes(buffer: &Buffer, away: &Away, to: usize) -> Result<()> {
    let devices = buffer.context().devices();
    let m = Move {
        source: (&devices[away.from], buffer.storage(away.from)?),
        target: (&devices[to], buffer.storage(to)?),
        at: away.range.start,
        size: away.range.end - away.range.start,
    };
    let (Move { at, size, .. }, (from, source), (to, target)) = (m, m.source, m.target);
    let way = if let Some(source) = source.mapped() {
        to.upload(target, at, source.offset(at), size)?;
        "from mapped memory"
    } else if let Some(target) = target.mapped() {
        from.download(source, at, target.offset(at), size)?;
        "to mapped memory"
    } else if buffer.context().bounce_buffers().copy(m)? {
        "through a bounce buffer"
    } else {
        move_by_host(m)?;
        "by the host"
    };
    let (from, to) = (&from.info().name, &to.info().name);
    log::debug!("{size} bytes moved {way}, from {from} to {to}");
    Ok(())
}

/// Copies a range to another device by way of host memory; both devices copy through staging memory of their own.
fn move_by_host(m: Move<'_>) -> Result<()> {
    let memory = HostMemory::new(CHUNK.min(m.size))
        .ok_or_else(|| Error::new(ClCode::OutOfHostMemory, "contents move between devices"))?;
    for done in (0..m.size).step_by(CHUNK as usize) {
        let (at, size) = (m.at + done, CHUNK.min(m.size - done));
        m.source.0.download(m.source.1, at, memory.ptr(), size)?;
        m.target.0.upload(m.target.1, at, memory.ptr(), size)?;
    }
    Ok(())
}
