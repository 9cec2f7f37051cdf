//! A Vulkan buffer with its memory and its device address.

use std::ptr::NonNull;
use std::sync::Arc;

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::memory::Memory;
use super::{AllocError, Call, Device, sparse};

/// Where a buffer's memory is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Where kernels are fastest. Mapped on devices with unified memory.
    Device,
    /// In the host's memory, cached and mapped: staging, and CL_MEM_ALLOC_HOST_PTR.
    Host,
}

/// A buffer.
pub(crate) struct Buffer {
    device: Arc<Device>,
    pub(super) raw: vk::Buffer,
    /// One piece, or several of a sparse buffer.
    memory: Vec<Memory>,
    mapped: Option<NonNull<u8>>,
    address: u64,
    size: u64,
}

// SAFETY: the mapped pointer is to memory that any thread may use; who copies through it when is the scheduler's
// business, as it is between host and GPU.
unsafe impl Send for Buffer {}
// SAFETY: as above; a shared Buffer only gives out the pointer.
unsafe impl Sync for Buffer {}

/// Alignment of every buffer: the largest OpenCL type (long16) and what copies like.
const ALIGN: u64 = 256;

impl Buffer {
    /// Allocates `size` bytes (not 0), rounded up to a multiple of 16. More than one allocation may have is sparse, where
    /// the device can, and never mapped.
    pub(crate) fn new(device: &Arc<Device>, size: u64, place: Place) -> Result<Buffer, AllocError> {
        let size = size.next_multiple_of(16);
        let large = size > device.max_allocation();
        if large && (place == Place::Host || !device.sparse()) {
            return Err(AllocError::TooLarge(size));
        }
        let info = vk::BufferCreateInfo::default()
            .flags(if large {
                vk::BufferCreateFlags::SPARSE_BINDING
            } else {
                vk::BufferCreateFlags::empty()
            })
            .size(size)
            .usage(
                vk::BufferUsageFlags::TRANSFER_SRC
                    | vk::BufferUsageFlags::TRANSFER_DST
                    | vk::BufferUsageFlags::STORAGE_BUFFER
                    | vk::BufferUsageFlags::UNIFORM_BUFFER
                    | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
                    | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
                    | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
            )
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is alive; size is not 0 and within limits (the caller).
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // From here on Drop destroys what has been made.
        let mut buffer = Buffer {
            device: Arc::clone(device),
            raw,
            memory: Vec::new(),
            mapped: None,
            address: 0,
            size,
        };
        // SAFETY: the buffer is alive.
        let mut requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        requirements.alignment = requirements.alignment.max(ALIGN);
        let location = match place {
            Place::Device if device.unified() => MemoryLocation::GpuToCpu,
            Place::Device => MemoryLocation::GpuOnly,
            Place::Host => MemoryLocation::GpuToCpu,
        };
        if large {
            buffer.memory = sparse::populate(
                device,
                sparse::Resource::Buffer(raw),
                requirements,
                MemoryLocation::GpuOnly,
            )?;
        } else {
            let memory = device.allocator.allocate(Some(raw), requirements, location)?;
            // SAFETY: fresh buffer and memory of the same device; offset and size meet the requirements.
            let bound = unsafe {
                device
                    .raw
                    .bind_buffer_memory(raw, memory.memory(), memory.offset())
            };
            buffer.mapped = memory.mapped();
            buffer.memory.push(memory);
            device.note(bound.call("vkBindBufferMemory"))?;
        }
        let info = vk::BufferDeviceAddressInfo::default().buffer(raw);
        // SAFETY: bound, made with SHADER_DEVICE_ADDRESS, and the feature is on.
        buffer.address = unsafe { device.raw.get_buffer_device_address(&info) };
        Ok(buffer)
    }

    /// The device address of its first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The host's address of its first byte, where mapped.
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.mapped
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command uses the buffer.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        for memory in self.memory.drain(..) {
            self.device.allocator.free(memory);
        }
    }
}
