//! Sparse buffers and images: resources larger than one allocation may be, with several allocations bound to
//! them.

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::memory::Memory;
use super::{AllocError, Call, Device};

/// The resource that memory is bound to.
#[derive(Copy, Clone)]
pub(super) enum Resource {
    Buffer(vk::Buffer),
    Image(vk::Image),
}

/// Allocates memory for a new sparse resource, binds it, and waits until it is bound. `requirements.alignment`
/// is the size of a sparse block. After an error, the allocations made so far are freed.
pub(super) fn populate(
    device: &Device,
    resource: Resource,
    requirements: vk::MemoryRequirements,
    location: MemoryLocation,
) -> Result<Vec<Memory>, AllocError> {
    let mut allocations = Vec::new();
    let bound = allocate_all(device, requirements, location, &mut allocations)
        .and_then(|()| Ok(bind(device, resource, requirements.size, &allocations)?));
    match bound {
        Ok(()) => Ok(allocations.into_iter().map(|(memory, _)| memory).collect()),
        Err(e) => {
            for (memory, _) in allocations {
                device.allocator.free(memory);
            }
            Err(e)
        }
    }
}

/// Fills `allocations` with allocations and their sizes until their sum is the size that the resource needs.
fn allocate_all(
    device: &Device,
    requirements: vk::MemoryRequirements,
    location: MemoryLocation,
    allocations: &mut Vec<(Memory, u64)>,
) -> Result<(), AllocError> {
    let most = device.max_allocation() / 2 / requirements.alignment * requirements.alignment;
    let mut left = requirements.size;
    while left > 0 {
        let size = left.min(most);
        let part = vk::MemoryRequirements { size, ..requirements };
        allocations.push((device.allocator.allocate(None, part, location)?, size));
        left -= size;
    }
    Ok(())
}

fn bind(
    device: &Device,
    resource: Resource,
    size: u64,
    allocations: &[(Memory, u64)],
) -> Result<(), super::VkError> {
    let mut at = 0;
    let binds: Vec<vk::SparseMemoryBind> = allocations
        .iter()
        .map(|(memory, size)| {
            let bind = vk::SparseMemoryBind::default()
                .resource_offset(at)
                .size(*size)
                .memory(memory.memory())
                .memory_offset(memory.offset());
            at += size;
            bind
        })
        .collect();
    debug_assert_eq!(at, size, "the allocations cover the resource");
    let (buffers, images);
    let info = match resource {
        Resource::Buffer(raw) => {
            buffers = [vk::SparseBufferMemoryBindInfo::default()
                .buffer(raw)
                .binds(&binds)];
            vk::BindSparseInfo::default().buffer_binds(&buffers)
        }
        Resource::Image(raw) => {
            images = [vk::SparseImageOpaqueMemoryBindInfo::default()
                .image(raw)
                .binds(&binds)];
            vk::BindSparseInfo::default().image_opaque_binds(&images)
        }
    };
    super::fault::object("vkCreateFence")?;
    // SAFETY: the device is alive.
    let fence =
        unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }.call("vkCreateFence")?;
    let done = device.queue(0).bind_sparse(&[info], fence).and_then(|()| {
        // SAFETY: the fence is alive and will be signalled.
        unsafe { device.raw.wait_for_fences(&[fence], true, u64::MAX) }.call("vkWaitForFences")
    });
    // SAFETY: the fence has been waited for, or was never submitted, or the device is lost.
    unsafe { device.raw.destroy_fence(fence, None) };
    device.note(done)
}
