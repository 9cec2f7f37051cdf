//! Device memory through gpu-allocator.

use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan as ga;

use super::{AllocError, VkError};
use crate::lock::{Mutex, Rank};

/// Buffers and images of this size in bytes or more get a `VkDeviceMemory` of their own.
const DEDICATED: u64 = 32 << 20;

/// The memory allocator of a device.
pub(super) struct Allocator {
    inner: Mutex<Option<ga::Allocator>>,
}

/// A memory allocation, which [`Allocator::free`] takes back.
pub(super) struct Memory {
    inner: ga::Allocation,
}

impl Memory {
    pub(super) fn memory(&self) -> vk::DeviceMemory {
        // SAFETY: the handle is used only to bind a resource while the allocation lives.
        unsafe { self.inner.memory() }
    }

    pub(super) fn offset(&self) -> u64 {
        self.inner.offset()
    }

    pub(super) fn mapped(&self) -> Option<std::ptr::NonNull<u8>> {
        self.inner.mapped_ptr().map(std::ptr::NonNull::cast)
    }
}

impl Allocator {
    pub(super) fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        physical: vk::PhysicalDevice,
        addresses: bool,
    ) -> Result<Allocator, VkError> {
        const MB: u64 = 1 << 20;
        let inner = ga::Allocator::new(&ga::AllocatorCreateDesc {
            instance: instance.clone(),
            device: device.clone(),
            physical_device: physical,
            debug_settings: gpu_allocator::AllocatorDebugSettings::default(),
            buffer_device_address: addresses,
            allocation_sizes: gpu_allocator::AllocationSizes::new(32 * MB, 32 * MB)
                .with_max_device_memblock_size(256 * MB)
                .with_max_host_memblock_size(64 * MB),
        })
        .map_err(|e| VkError::absent("gpu-allocator", e))?;
        Ok(Allocator {
            inner: Mutex::new(Rank::Allocator, Some(inner)),
        })
    }

    /// Allocates memory for a resource. If `buffer` is given, the allocation may be a dedicated one of that
    /// buffer.
    pub(super) fn allocate(
        &self,
        buffer: Option<vk::Buffer>,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
    ) -> Result<Memory, AllocError> {
        let scheme = match buffer {
            Some(buffer) if requirements.size >= DEDICATED => ga::AllocationScheme::DedicatedBuffer(buffer),
            Some(_) | None => ga::AllocationScheme::GpuAllocatorManaged,
        };
        self.allocate_as(&ga::AllocationCreateDesc {
            name: "buffer",
            requirements,
            location,
            linear: true,
            allocation_scheme: scheme,
        })
    }

    /// Allocates mapped device memory, which the host accesses through its BAR mapping; `None` if none is left.
    pub(super) fn allocate_in_bar(
        &self,
        buffer: vk::Buffer,
        requirements: vk::MemoryRequirements,
    ) -> Option<Memory> {
        let memory = self
            .allocate(Some(buffer), requirements, MemoryLocation::CpuToGpu)
            .inspect_err(|e| log::debug!("not in the BAR mapping: {e}"))
            .ok()?;
        let local = memory
            .inner
            .memory_properties()
            .contains(vk::MemoryPropertyFlags::DEVICE_LOCAL);
        if local && memory.mapped().is_some() {
            return Some(memory);
        }
        // gpu-allocator falls back to host memory, which is not wanted here.
        self.free(memory);
        None
    }

    /// Allocates memory for an image.
    pub(super) fn allocate_image(
        &self,
        image: vk::Image,
        requirements: vk::MemoryRequirements,
        location: MemoryLocation,
    ) -> Result<Memory, AllocError> {
        let scheme = if requirements.size >= DEDICATED {
            ga::AllocationScheme::DedicatedImage(image)
        } else {
            ga::AllocationScheme::GpuAllocatorManaged
        };
        self.allocate_as(&ga::AllocationCreateDesc {
            name: "image",
            requirements,
            location,
            linear: false,
            allocation_scheme: scheme,
        })
    }

    fn allocate_as(&self, desc: &ga::AllocationCreateDesc<'_>) -> Result<Memory, AllocError> {
        super::fault::allocation("vkAllocateMemory")?;
        let mut inner = self.inner.lock();
        let allocator = inner.as_mut().expect("the allocator lives as long as the device");
        allocator
            .allocate(desc)
            .map(|inner| Memory { inner })
            .map_err(|e| AllocError::Allocator(e.to_string()))
    }

    pub(super) fn free(&self, memory: Memory) {
        let Some(mut inner) = self.inner.lock_to_release() else {
            return;
        };
        let allocator = inner.as_mut().expect("the allocator lives as long as the device");
        if let Err(e) = allocator.free(memory.inner) {
            log::error!("gpu-allocator: {e}");
        }
    }

    /// Frees all memory blocks; called before the device is destroyed.
    pub(super) fn shut_down(&mut self) {
        let allocator = self.inner.get_mut().take();
        if self.inner.is_closed() {
            // A panic interrupted the allocator, so its lists may be wrong. Its memory is not freed.
            std::mem::forget(allocator);
        }
    }
}
