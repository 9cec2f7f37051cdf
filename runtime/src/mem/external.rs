//! Memory objects in memory of other APIs (cl_khr_external_memory).
//!
//! Such an object is for one device: an opaque descriptor can only be imported by the device whose driver has made it. In a
//! context with several devices, the object has storage of its own on the others, and its contents move as those of any
//! object do. A command that acquires the object makes the imported storage the place of the contents, and a command that
//! releases it first brings them back there.

use std::sync::Arc;

pub use crate::vk::MemoryHandle;

use super::buffer::allocation_error;
use super::{HostPtrUse, MemFlags, MemObject};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::vk;

/// A file descriptor that refers to memory of another API. A call that imports the descriptor owns it from then on, if the call
/// succeeds.
#[derive(Clone, Debug)]
pub struct ExternalHandle {
    /// The type of the descriptor.
    pub kind: MemoryHandle,
    /// The descriptor.
    pub fd: i32,
    /// The device of the context that imports the memory.
    pub device: Arc<Device>,
}

impl ExternalHandle {
    /// Checks the arguments of the call, and returns the index of the device.
    pub(super) fn check(&self, context: &Context, flags: MemFlags, has_host_ptr: bool) -> Result<usize> {
        // CL, clCreateBufferWithProperties: INVALID_DEVICE if a device cannot import the external memory object type
        if !self.device.info().external_memory.contains(&self.kind) {
            let what = "the device does not import memory by handles of this type";
            return Err(Error::new(ClCode::InvalidDevice, what));
        }
        // CL, clCreateBufferWithProperties: INVALID_VALUE if properties includes a supported external memory handle and flags
        // includes CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, or CL_MEM_COPY_HOST_PTR
        if flags.host_ptr != HostPtrUse::None {
            return Err(Error::new(
                ClCode::InvalidValue,
                "flags of host memory for external memory",
            ));
        }
        // CL, clCreateBufferWithProperties: INVALID_HOST_PTR if properties includes a supported external memory handle and
        // host_ptr is not NULL
        if has_host_ptr {
            return Err(Error::new(ClCode::InvalidHostPtr, "host_ptr for external memory"));
        }
        let devices = context.devices();
        let index = devices.iter().position(|d| Arc::ptr_eq(d, &self.device));
        index.ok_or_else(|| Error::new(ClCode::InvalidDevice, "the context has no such device"))
    }
}

impl ExternalHandle {
    /// Imports the memory as an image of the device.
    pub(super) fn import(&self, info: &vk::ImageInfo) -> Result<vk::Image> {
        // A descriptor of the type dma_buf has no layout that both sides know.
        if self.kind == MemoryHandle::DmaBuf || !self.device.imports_images(info, self.kind) {
            let what = "the device does not import images of this format and use by handles of this type";
            return Err(Error::new(ClCode::ImageFormatNotSupported, what).at("5.3.1"));
        }
        let opened = self.device.opened()?;
        vk::Image::from_handle(opened.logical(), (self.kind, self.fd), info).map_err(allocation_error)
    }
}

impl MemObject {
    /// Returns the device that has imported the object. CL, clEnqueueAcquireExternalMemObjectsKHR: INVALID_MEM_OBJECT if an
    /// object was not created using an external memory handle
    pub fn importer(&self) -> Result<&Arc<Device>> {
        let external = match self {
            MemObject::Buffer(buffer) => buffer.external(),
            MemObject::Image(image) => image.external(),
        };
        let index = external
            .ok_or_else(|| Error::new(ClCode::InvalidMemObject, "not created from external memory"))?;
        Ok(&self.context().devices()[index])
    }
}
