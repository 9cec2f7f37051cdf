//! Device memory through gpu-allocator.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

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
    /// The memory types that have a BAR mapping (a bit for each); 0 if there are none.
    bar_types: u32,
    bar_room: BarRoom,
}

/// What is known of the room in the BAR mapping. Vulkan does not tell how much of a heap can be mapped at a time
/// (NVIDIA's driver 580 maps half of the memory of an H100), and an allocation that fails takes tens of milliseconds.
/// So after a failure, no allocation of that size or more is tried until mapped memory has been freed.
struct BarRoom {
    /// The size in bytes of the smallest allocation that has failed since mapped memory was freed.
    failed: AtomicU64,
}

impl BarRoom {
    const fn new() -> BarRoom {
        BarRoom {
            failed: AtomicU64::new(u64::MAX),
        }
    }

    /// Returns whether an allocation may succeed.
    fn may_hold(&self, size: u64) -> bool {
        size < self.failed.load(Relaxed)
    }

    fn note_failure(&self, size: u64) {
        self.failed.fetch_min(size, Relaxed);
    }

    fn note_freed(&self) {
        self.failed.store(u64::MAX, Relaxed);
    }
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

    /// Returns where the host finds the memory, if it is mapped and coherent. Other mapped memory is not accessed, so
    /// nothing has to be flushed or invalidated. Every buffer that is not sparse can be in coherent memory (Vulkan,
    /// "Resource Memory Association"), and gpu-allocator takes such memory for `CpuToGpu` and `GpuToCpu`.
    pub(super) fn mapped(&self) -> Option<std::ptr::NonNull<u8>> {
        let coherent = vk::MemoryPropertyFlags::HOST_COHERENT;
        let mapped = self.inner.mapped_ptr().map(std::ptr::NonNull::cast);
        mapped.filter(|_| self.inner.memory_properties().contains(coherent))
    }
}

impl Allocator {
    pub(super) fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        physical: vk::PhysicalDevice,
        addresses: bool,
        bar_types: u32,
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
            bar_types,
            bar_room: BarRoom::new(),
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
        mut requirements: vk::MemoryRequirements,
    ) -> Option<Memory> {
        // gpu-allocator would fall back to host memory if another type were allowed.
        requirements.memory_type_bits &= self.bar_types;
        if requirements.memory_type_bits == 0 || !self.bar_room.may_hold(requirements.size) {
            return None;
        }
        self.allocate(Some(buffer), requirements, MemoryLocation::CpuToGpu)
            .inspect_err(|e| {
                log::debug!("not in the BAR mapping: {e}");
                self.bar_room.note_failure(requirements.size);
            })
            .ok()
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
        let allocated = allocator.allocate(desc);
        drop(inner);
        let inner = allocated.map_err(|e| AllocError::Allocator(e.to_string()))?;
        crate::observe::allocated(inner.size());
        Ok(Memory { inner })
    }

    pub(super) fn free(&self, memory: Memory) {
        let Some(mut inner) = self.inner.lock_to_release() else {
            return;
        };
        let allocator = inner.as_mut().expect("the allocator lives as long as the device");
        let was_mapped = memory.mapped().is_some();
        crate::observe::freed(memory.inner.size());
        if let Err(e) = allocator.free(memory.inner) {
            log::error!("gpu-allocator: {e}");
        }
        if was_mapped {
            self.bar_room.note_freed();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_tried_in_a_full_bar_mapping_until_memory_is_freed() {
        let room = BarRoom::new();
        assert!(room.may_hold(1 << 40));
        room.note_failure(64 << 20);
        room.note_failure(128 << 20);
        assert!(room.may_hold((64 << 20) - 1));
        assert!(!room.may_hold(64 << 20));
        assert!(!room.may_hold(128 << 20));
        room.note_freed();
        assert!(room.may_hold(128 << 20));
    }
}
