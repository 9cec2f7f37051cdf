//! A Vulkan buffer with its memory and its device address.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::device::Addresses;
use super::memory::Memory;
use super::{AllocError, Call, Device, VkError, sparse};
use crate::mem::HostPtr;

/// The memory that a buffer is allocated in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// The memory in which kernels are fastest. It is mapped on devices with unified memory.
    Device,
    /// Host memory, cached and mapped: for staging buffers and CL_MEM_ALLOC_HOST_PTR.
    Host,
}

/// A buffer and its memory.
pub(crate) struct Buffer {
    device: Arc<Device>,
    pub(super) raw: vk::Buffer,
    /// One allocation, or several of a sparse buffer; none if the memory is imported.
    memory: Vec<Memory>,
    /// Imported memory of the application, or of another API.
    imported: Option<vk::DeviceMemory>,
    /// The host's address of the first byte, if the host accesses the memory through its caches.
    mapped: Option<NonNull<u8>>,
    /// The host's address of the first byte in the BAR mapping.
    bar_mapping: Option<NonNull<u8>>,
    /// The device address of the first byte; 0 if the device has no addresses.
    address: u64,
    /// The size in bytes.
    size: u64,
    /// Whether a lost device may still use the buffer, so that it must not be freed.
    in_use: AtomicBool,
}

// SAFETY: the mapped pointers point to memory that any thread may use; this module makes no accesses through them,
// and the handles need no external synchronisation but for destruction, for which `Drop` has the buffer alone.
unsafe impl Send for Buffer {}
// SAFETY: as above; a shared Buffer only hands out the pointer.
unsafe impl Sync for Buffer {}

/// The alignment of every buffer in bytes: that of the largest OpenCL type (long16), and one at which copies
/// are fast.
const ALIGN: u64 = 256;

/// Returns the usage of every buffer of a device.
pub(super) fn usage(addresses: bool) -> vk::BufferUsageFlags {
    match addresses {
        true => USAGE | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
        false => USAGE,
    }
}

/// The usage of every buffer, but for device addresses.
const USAGE: vk::BufferUsageFlags = {
    type U = vk::BufferUsageFlags;
    let bits = U::TRANSFER_SRC.as_raw()
        | U::TRANSFER_DST.as_raw()
        | U::STORAGE_BUFFER.as_raw()
        | U::UNIFORM_BUFFER.as_raw()
        | U::UNIFORM_TEXEL_BUFFER.as_raw()
        | U::STORAGE_TEXEL_BUFFER.as_raw();
    U::from_raw(bits)
};

impl Buffer {
    /// Wraps a Vulkan buffer that has no memory yet.
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
            in_use: AtomicBool::new(false),
        }
    }

    /// Notes that a lost device may still use the buffer, so that it is leaked.
    pub(crate) fn leak(&self) {
        self.in_use.store(true, Ordering::Relaxed);
    }

    /// Takes over imported memory, which is freed when the buffer is dropped.
    pub(super) fn own(&mut self, imported: vk::DeviceMemory) {
        self.imported = Some(imported);
    }

    /// Notes that the buffer has been bound, and where the host finds its first byte if it accesses the memory through
    /// its caches.
    pub(super) fn note_bound(&mut self, host: Option<NonNull<u8>>) {
        self.mapped = host;
        self.find_address();
    }

    /// Makes a buffer that can be bound to imported memory of these types. The caller guarantees that the device imports
    /// such memory for buffers with the usage of every buffer (`external::imports_buffers`), and that `size` is not 0.
    pub(super) fn of_external(
        device: &Arc<Device>,
        size: u64,
        handle_types: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<Buffer, VkError> {
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(handle_types);
        // Other APIs share buffers with one queue family, and such buffers do not move to other devices.
        let (mode, families) = match handle_types {
            vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT => device.sharing(),
            _ => (vk::SharingMode::EXCLUSIVE, &[][..]),
        };
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage(device.has_addresses()))
            .sharing_mode(mode)
            .queue_family_indices(families)
            .push_next(&mut external);
        super::fault::object("vkCreateBuffer")?;
        // SAFETY: the device is alive; buffers of this usage can be made of imported memory (the caller).
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        Ok(Buffer::unbound(device, raw, size))
    }

    /// Finds the device address, after the buffer has been bound.
    fn find_address(&mut self) {
        self.address = self.device_address();
        if let Some(faults) = &self.device.faults {
            faults.add(self.address, self.size);
        }
    }

    /// Queries the device address of the first byte, or returns 0 if the device has no addresses; the buffer must be
    /// bound.
    fn device_address(&self) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.raw);
        match &self.device.addresses {
            Addresses::None => 0,
            // SAFETY: the buffer is bound and was made with SHADER_DEVICE_ADDRESS, and the feature is enabled.
            Addresses::Core => unsafe { self.device.raw.get_buffer_device_address(&info) },
            // SAFETY: as above.
            Addresses::Extension(functions) => unsafe { functions.get_buffer_device_address(&info) },
        }
    }

    /// Returns the size in bytes of a buffer for which `size` bytes were requested.
    pub(crate) fn rounded(size: u64) -> u64 {
        size.next_multiple_of(16)
    }

    /// Allocates `size` bytes (not 0), [rounded](Buffer::rounded) up to a multiple of 16. A buffer that is
    /// larger than one allocation may be is sparse, where the device supports that, and never mapped.
    pub(crate) fn new(device: &Arc<Device>, size: u64, place: Place) -> Result<Buffer, AllocError> {
        let size = Buffer::rounded(size);
        let large = size > device.max_allocation();
        if large && (place == Place::Host || !device.sparse()) {
            return Err(AllocError::TooLarge(size));
        }
        let (mode, families) = device.sharing();
        let info = vk::BufferCreateInfo::default()
            .flags(if large {
                vk::BufferCreateFlags::SPARSE_BINDING
            } else {
                vk::BufferCreateFlags::empty()
            })
            .size(size)
            .usage(usage(device.has_addresses()))
            .sharing_mode(mode)
            .queue_family_indices(families);
        super::fault::object("vkCreateBuffer")?;
        assert_ne!(size, 0, "a buffer has bytes");
        // SAFETY: the device is alive; the size is not 0, and `max_allocation` or the creator of a memory object has
        // compared it with the device's limit.
        let raw = unsafe { device.raw.create_buffer(&info, None) }.call("vkCreateBuffer")?;
        // If a later step fails, `buffer`'s Drop destroys the Vulkan buffer.
        let mut buffer = Buffer::unbound(device, raw, size);
        if large {
            buffer.memory = sparse::populate(
                device,
                sparse::Resource::Buffer(raw),
                buffer.requirements(),
                MemoryLocation::GpuOnly,
            )?;
        } else {
            buffer.allocate(place)?;
        }
        buffer.find_address();
        Ok(buffer)
    }

    /// Returns what the driver requires of the buffer's memory, with the alignment of every buffer.
    fn requirements(&self) -> vk::MemoryRequirements {
        // SAFETY: the buffer is alive.
        let mut requirements = unsafe { self.device.raw.get_buffer_memory_requirements(self.raw) };
        requirements.alignment = requirements.alignment.max(ALIGN);
        requirements
    }

    /// Allocates the memory of a buffer that has none, in one allocation, and binds it.
    fn allocate(&mut self, place: Place) -> Result<(), AllocError> {
        let requirements = self.requirements();
        let (device, raw) = (&self.device, self.raw);
        let allocator = &device.allocator;
        let shared = place == Place::Host || device.unified();
        let in_bar = (!shared && self.size <= device.tuning.bar_buffer)
            .then(|| allocator.allocate_in_bar(raw, requirements))
            .flatten();
        let is_in_bar = in_bar.is_some();
        let memory = match in_bar {
            Some(memory) => memory,
            None => {
                // Memory that the host reads goes through its caches.
                let location = match shared {
                    true => MemoryLocation::GpuToCpu,
                    false => MemoryLocation::GpuOnly,
                };
                allocator.allocate(Some(raw), requirements, location)?
            }
        };
        // SAFETY: buffer and memory are new and of the same device; offset and size meet the requirements.
        let bound = unsafe {
            device
                .raw
                .bind_buffer_memory(raw, memory.memory(), memory.offset())
        };
        let bound = device.note(bound.call("vkBindBufferMemory"));
        self.mapped = memory.mapped().filter(|_| shared);
        self.bar_mapping = memory.mapped().filter(|_| is_in_bar);
        self.memory.push(memory);
        bound?;
        Ok(())
    }

    /// Returns the device that the buffer belongs to.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns the device address of the first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Returns the host's address of the first byte, if the buffer is mapped with CPU caches. The caller keeps the
    /// buffer while the address is in use, as for the GPU (the batch rule).
    pub(crate) fn mapped(&self) -> Option<HostPtr> {
        self.mapped.map(|at| self.host(at))
    }

    /// Returns the host's address of the first byte in the BAR mapping; `None` if there is none, and for
    /// buffers that are mapped with CPU caches. It is for short accesses only, because each load is a round
    /// trip on the bus.
    pub(crate) fn bar_mapping(&self) -> Option<HostPtr> {
        self.bar_mapping.map(|at| self.host(at))
    }

    fn host(&self, first: NonNull<u8>) -> HostPtr {
        // SAFETY: the memory has at least `size` bytes, and stays mapped as long as the buffer lives.
        unsafe { HostPtr::mapped(first, self.size) }
    }

    /// Returns whether the memory is imported: that of the application, or that of another API.
    pub(crate) fn is_imported(&self) -> bool {
        self.imported.is_some()
    }

    /// Returns whether the host can access the memory, through CPU caches or through the BAR.
    pub(crate) fn host_visible(&self) -> bool {
        self.mapped.or(self.bar_mapping).is_some()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if *self.in_use.get_mut() {
            std::mem::forget(std::mem::take(&mut self.memory));
            return;
        }
        if let Some(faults) = &self.device.faults {
            faults.remove(self.address);
        }
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
