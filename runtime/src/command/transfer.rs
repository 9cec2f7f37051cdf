//! Reads and writes: copies between a memory object and host memory (CL 5.2.2, 5.3.3).
//!
//! Buffers and images differ in how a copy is recorded. Everything else is the same for both, and
//! `queue/transfer.rs` plans it: whether the host or the GPU copies, and whether the copy is made as a whole or
//! in chunks.

use super::HostRange;
use super::buffer::HostTransfer;
use super::image::{self, ImageTransfer};
use crate::device::pinned::PinnedMemory;
use crate::error::Result;
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::queue::Recording;
use crate::vk;

/// A read or a write.
pub(crate) struct Transfer {
    pub what: Object,
    /// Whether the copy is from the host to the object.
    pub write: bool,
    /// Whether the copy is recorded in chunks, so that the host and the GPU copy at the same time.
    pub chunked: bool,
}

/// The memory object of a transfer, with its region and the host memory.
pub(crate) enum Object {
    Buffer(HostTransfer),
    Image(ImageTransfer),
}

impl Transfer {
    /// Makes a transfer by a single copy, through staging memory.
    pub(crate) fn new(what: Object, write: bool) -> Transfer {
        Transfer {
            what,
            write,
            chunked: false,
        }
    }

    /// Returns the number of bytes that are copied.
    pub(crate) fn size(&self) -> u64 {
        match &self.what {
            Object::Buffer(t) => t.size(),
            Object::Image(t) => t.size(),
        }
    }

    /// Returns the range of host addresses from the first byte to the last.
    pub(crate) fn host_range(&self) -> HostRange {
        match &self.what {
            Object::Buffer(t) => t.host_range(),
            Object::Image(t) => t.host_range(),
        }
    }

    /// Returns whether the GPU accesses the host memory itself, without staging memory.
    pub(crate) fn is_pinned(&self) -> bool {
        match &self.what {
            Object::Buffer(t) => t.pinned.is_some(),
            Object::Image(t) => t.pinned.is_some(),
        }
    }

    /// Lets the GPU access the host memory itself, if it is pinned.
    pub(crate) fn pin(&mut self, memory: &PinnedMemory) {
        let pinned = memory.find(self.host_range());
        match &mut self.what {
            Object::Buffer(t) => t.pinned = pinned,
            Object::Image(t) => t.pinned = pinned.filter(|p| t.in_memory(p.offset).is_some()),
        }
    }

    /// Returns chunks that together are this transfer, in the order in which they are copied.
    pub(crate) fn chunks(&self, sizes: &vk::ChunkSizes) -> Vec<Transfer> {
        let chunk = |what| Transfer::new(what, self.write);
        match &self.what {
            Object::Buffer(t) => t.chunks(sizes).map(Object::Buffer).map(chunk).collect(),
            Object::Image(t) => t.chunks(sizes).map(Object::Image).map(chunk).collect(),
        }
    }

    /// Returns how it uses the object's contents.
    pub(crate) fn touch(&self) -> Touch {
        match &self.what {
            Object::Buffer(t) => t.touch(self.write),
            Object::Image(t) if self.write => image::written(&t.image, &t.texels),
            Object::Image(t) => Touch::image(&t.image, Use::Read),
        }
    }

    /// Records the transfer as a single copy. A write through staging memory copies from host memory in this
    /// call.
    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        match (&self.what, self.write) {
            (Object::Buffer(t), false) => t.record_read(r),
            (Object::Buffer(t), true) => t.record_write(r),
            (Object::Image(t), false) => t.record_read(r),
            (Object::Image(t), true) => t.record_write(r),
        }
    }
}
