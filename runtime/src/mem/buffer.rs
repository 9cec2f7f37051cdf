//! Buffers and sub-buffers (CL 5.2.1).

use std::sync::Arc;

use super::{HostPtr, HostPtrUse, MemFlags};
use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::object::Anchor;

/// A buffer or sub-buffer.
pub struct Buffer {
    anchor: Anchor<Buffer>,
    context: Arc<Context>,
    flags: MemFlags,
    size: u64,
    offset: u64,
    host_ptr: Option<HostPtr>,
    parent: Option<Arc<Buffer>>,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer")
            .field("size", &self.size)
            .field("flags", &self.flags)
            .finish_non_exhaustive()
    }
}

impl_object!(Buffer, ClCode::InvalidMemObject, "buffer");

impl Buffer {
    /// CL 5.2.1 — clCreateBuffer. `host_ptr` covers `size` bytes.
    pub fn create(
        context: &Arc<Context>,
        flags: MemFlags,
        size: usize,
        host_ptr: Option<HostPtr>,
    ) -> Result<Arc<Buffer>> {
        let _ = (context, flags, size, host_ptr, HostPtrUse::None);
        Err(Error::new(
            ClCode::InvalidOperation,
            "buffers are not implemented yet",
        ))
    }

    /// CL 5.2.1 — clCreateSubBuffer with CL_BUFFER_CREATE_TYPE_REGION.
    pub fn create_sub(parent: &Arc<Buffer>, flags: u64, origin: usize, size: usize) -> Result<Arc<Buffer>> {
        let _ = (parent, flags, origin, size);
        Err(Error::new(
            ClCode::InvalidOperation,
            "sub-buffers are not implemented yet",
        ))
    }

    /// CL_MEM_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// CL_MEM_FLAGS (a sub-buffer has inherited what it did not say).
    pub fn flags(&self) -> MemFlags {
        self.flags
    }

    /// CL_MEM_SIZE.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// CL_MEM_OFFSET.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// CL_MEM_HOST_PTR: what the application passed with CL_MEM_USE_HOST_PTR, plus a sub-buffer's offset; else `None`.
    pub fn host_ptr(&self) -> Option<HostPtr> {
        self.host_ptr
    }

    /// CL_MEM_ASSOCIATED_MEMOBJECT.
    pub fn parent(&self) -> Option<&Arc<Buffer>> {
        self.parent.as_ref()
    }

    /// CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        0
    }

    /// CL 5.4.1 — clSetMemObjectDestructorCallback. Runs on the executor thread, after the memory is gone, last
    /// registered first.
    pub fn on_destroy(&self, callback: Box<dyn FnOnce() + Send>) {
        drop(callback);
    }
}
