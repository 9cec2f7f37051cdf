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
    /// One allocation, or several of a sparse buffer; none if it is imported.
    memory: Vec<Memory>,
    /// Memory of the application.
    imported: Option<vk::DeviceMemory>,
    mapped: Option<NonNull<u8>>,
    bar_mapping: Option<NonNull<u8>>,
    address: u64,
    size: u64,
}

// SAFETY: the mapped pointer is to memory that any thread may use; who copies through it when is the scheduler's
// business, as it is between host and GPU.
unsafe impl Send for Buffer {}
// SAFETY: as above; a shared Buffer only gives out the pointer.
unsafe impl Sync for Buffer {}

/// Larger buffers are not put into the aperture: mapping takes time, and who reads a few bytes of them is rare.
const APERTURE: u64 = 1 << 30;

/// Alignment of every buffer: the largest OpenCL type (long16) and what copies like.
const ALIGN: u64 = 256;

/// What buffers are used for.
pub(super) const USAGE: vk::BufferUsageFlags = {
    type U = vk::BufferUsageFlags;
    let bits = U::TRANSFER_SRC.as_raw()
        | U::TRANSFER_DST.as_raw()
        | U::STORAGE_BUFFER.as_raw()
        | U::UNIFORM_BUFFER.as_raw()
        | U::UNIFORM_TEXEL_BUFFER.as_raw()
        | U::STORAGE_TEXEL_BUFFER.as_raw()
        | U::SHADER_DEVICE_ADDRESS.as_raw();
    U::from_raw(bits)
};

impl Buffer {
    /// Without memory yet.
    pub(super) fn unbound(device: &Arc<Device>, raw: vk::Buffer, size: u64) -> Buffer {
        Buffer {
            device: Arc::clone(device),
            raw,
            memory: Vec::new(),
            imported: None,
            mapped: None,
            bar_mapping: None,
            address: 0,
            size,
        }
    }

    /// Memory that the buffer gives back when it goes.
    pub(super) fn own(&mut self, imported: vk::DeviceMemory) {
        self.imported = Some(imported);
    }

    /// It is bound, and the host has its first byte here.
    pub(super) fn show(&mut self, host: NonNull<u8>) {
        self.mapped = Some(host);
        self.address = self.device_address();
    }

    /// Of its first byte; it is bound.
    fn device_address(&self) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        // SAFETY: bound, made with SHADER_DEVICE_ADDRESS, and the feature is on.
        unsafe { self.device.raw.get_buffer_device_address(&info) }
    }

    /// Bytes of a buffer that was asked for with `size` bytes.
    pub(crate) fn rounded(size: u64) -> u64 {
        size.next_multiple_of(16)
    }

    /// Allocates `size` bytes (not 0), [rounded](Buffer::rounded) up to a multiple of 16. More than one allocation may have is sparse, where
    /// the device can, and never mapped.
    pub(crate) fn new(device: &Arc<Device>, size: u64, place: Place) -> Result<Buffer, AllocError> {
        let size = Buffer::rounded(size);
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
            .usage(USAGE)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        super::fault::object("vkCreateBuffer")?;
        // SAFETY: the device is alive; size is not 0 and within limits (the caller).
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // From here on Drop destroys what has been made.
        let mut buffer = Buffer::unbound(device, raw, size);
        // SAFETY: the buffer is alive.
        let mut requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        requirements.alignment = requirements.alignment.max(ALIGN);
        let shared = place == Place::Host || device.unified();
        if large {
            buffer.memory = sparse::populate(
                device,
                sparse::Resource::Buffer(raw),
                requirements,
                MemoryLocation::GpuOnly,
            )?;
        } else {
            let allocator = &device.allocator;
            let window = (!shared && device.bar_mapping() && size <= APERTURE)
                .then(|| allocator.allocate_in_bar(raw, requirements))
                .flatten();
            let (memory, in_bar) = match window {
                Some(memory) => (memory, true),
                None if shared => {
                    let cached = MemoryLocation::GpuToCpu;
                    (allocator.allocate(Some(raw), requirements, cached)?, false)
                }
                None => {
                    let local = MemoryLocation::GpuOnly;
                    (allocator.allocate(Some(raw), requirements, local)?, false)
                }
            };
            // SAFETY: fresh buffer and memory of the same device; offset and size meet the requirements.
            let bound = unsafe {
                device
                    .raw
                    .bind_buffer_memory(raw, memory.memory(), memory.offset())
            };
            buffer.mapped = memory.mapped().filter(|_| shared);
            buffer.bar_mapping = memory.mapped().filter(|_| in_bar);
            buffer.memory.push(memory);
            device.note(bound.call("vkBindBufferMemory"))?;
        }
        buffer.address = buffer.device_address();
        Ok(buffer)
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The device address of its first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The host's address of its first byte, where mapped with CPU caches.
    pub(crate) fn mapped(&self) -> Option<NonNull<u8>> {
        self.mapped
    }

    /// The host's address of its first byte in the device's aperture: for short accesses only, each costs a round trip of
    /// the bus. Never of a buffer that is mapped.
    pub(crate) fn bar_mapping(&self) -> Option<NonNull<u8>> {
        self.bar_mapping
    }

    /// Whether its memory is the application's.
    pub(crate) fn is_imported(&self) -> bool {
        self.imported.is_some()
    }

    /// Whether the host looks at the memory in one way or the other.
    pub(crate) fn host_visible(&self) -> bool {
        self.mapped.or(self.bar_mapping).is_some()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command uses the buffer.
        unsafe { self.device.raw.destroy_buffer(self.raw, None) };
        for memory in self.memory.drain(..) {
            self.device.allocator.free(memory);
        }
        if let Some(memory) = self.imported.take() {
            // SAFETY: as above; the buffer that was bound to it is gone.
            unsafe { self.device.raw.free_memory(memory, None) };
        }
    }
}
