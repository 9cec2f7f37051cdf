//! The temporary memory of a batch: staging memory and scratch memory, which its commands need until the GPU has
//! completed them.

use std::sync::Arc;

use crate::command::rect::Layout;
use crate::device::recycling::Storage;
use crate::device::staging::{Staging, StagingPool};
use crate::error::{ClCode, Error, Result};
use crate::kernel::copy::Side;
use crate::mem::HostPtr;
use crate::vk;

/// The size in bytes of the staging buffer that a batch keeps.
const STAGING: u64 = 256 << 10;

/// A part of a staging buffer. The batch keeps the buffer alive.
pub(crate) struct Staged {
    pub buffer: Arc<Staging>,
    pub offset: u64,
    /// The address of its first byte.
    pub ptr: HostPtr,
}

impl Staged {
    /// Returns one side of a copy with the given layout in it.
    pub(crate) fn side(&self, layout: Layout) -> Side<'_> {
        Side {
            memory: &self.buffer,
            offset: self.offset,
            layout,
        }
    }
}

/// Converts an error of allocating memory for the duration of a command.
pub(super) fn shortage(e: vk::AllocError) -> Error {
    Error::new(ClCode::OutOfResources, "no memory for the command").from_source(e)
}

/// The temporary memory of a batch.
#[derive(Default)]
pub(super) struct TemporaryMemory {
    /// The buffer for short parts, which the batch keeps when it is reused.
    staging: Option<Arc<Staging>>,
    /// The number of bytes of `staging` that are in use.
    used: u64,
    /// The other staging buffers.
    others: Vec<Arc<Staging>>,
    scratch: Vec<Arc<Storage>>,
    /// The number of bytes of `others` and `scratch`, except those of former `staging` buffers.
    large: u64,
}

impl TemporaryMemory {
    /// Returns host memory that the GPU can access for the duration of the batch.
    pub(super) fn stage(
        &mut self,
        pool: &Arc<StagingPool>,
        device: &Arc<vk::Device>,
        size: u64,
    ) -> Result<Staged> {
        let (buffer, offset) = if size <= STAGING / 2 {
            if self.used + size > STAGING || self.staging.is_none() {
                let fresh = Arc::new(pool.get(device, STAGING).map_err(shortage)?);
                // A batch rarely needs a second buffer.
                self.others.extend(self.staging.replace(fresh));
                self.used = 0;
            }
            let offset = self.used;
            self.used += size.next_multiple_of(64);
            let buffer = self.staging.as_ref().expect("just made");
            (Arc::clone(buffer), offset)
        } else {
            (self.buffer(pool, device, size)?, 0)
        };
        let base = buffer.mapped().expect("host memory is mapped");
        Ok(Staged {
            ptr: base.offset(offset),
            buffer,
            offset,
        })
    }

    /// Returns a staging buffer that is used for one purpose only.
    pub(super) fn buffer(
        &mut self,
        pool: &Arc<StagingPool>,
        device: &Arc<vk::Device>,
        size: u64,
    ) -> Result<Arc<Staging>> {
        let buffer = Arc::new(pool.get(device, size).map_err(shortage)?);
        self.large += buffer.size();
        self.others.push(Arc::clone(&buffer));
        Ok(buffer)
    }

    /// Returns scratch memory.
    pub(super) fn scratch(
        &mut self,
        pool: &Arc<StagingPool>,
        device: &Arc<vk::Device>,
        size: u64,
    ) -> Result<Arc<Storage>> {
        let memory = Arc::new(pool.scratch(device, size).map_err(shortage)?);
        self.large += memory.size();
        self.scratch.push(Arc::clone(&memory));
        Ok(memory)
    }

    /// Returns the number of bytes besides those of the staging buffer that every batch keeps.
    pub(super) fn large(&self) -> u64 {
        self.large
    }

    /// Gives the memory back, except the buffer that the batch keeps.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.others.clear();
        self.scratch.clear();
        self.large = 0;
    }
}
