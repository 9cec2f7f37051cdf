//! Buffers and images larger than one allocation may be: sparse, with memory bound in pieces.

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::memory::Memory;
use super::{AllocError, Call, Device};

/// What memory is bound to.
#[derive(Copy, Clone)]
pub(super) enum Resource {
    Buffer(vk::Buffer),
    Image(vk::Image),
}

/// Allocates memory for a fresh sparse resource, binds it, and waits until it is bound. `requirements.alignment` is that
/// of sparse blocks. Pieces that were allocated before an error are freed.
pub(super) fn populate(
    device: &Device,
    resource: Resource,
    requirements: vk::MemoryRequirements,
    location: MemoryLocation,
) -> Result<Vec<Memory>, AllocError> {
    let mut pieces = Vec::new();
    let bound = allocate_all(device, requirements, location, &mut pieces)
        .and_then(|()| Ok(bind(device, resource, requirements.size, &pieces)?));
    match bound {
        Ok(()) => Ok(pieces.into_iter().map(|(memory, _)| memory).collect()),
        Err(e) => {
            for (memory, _) in pieces {
                device.allocator.free(memory);
            }
            Err(e)
        }
    }
}

/// Fills `pieces` with memory and its size until it is as much as the resource needs.
fn allocate_all(
    device: &Device,
    requirements: vk::MemoryRequirements,
    location: MemoryLocation,
    pieces: &mut Vec<(Memory, u64)>,
) -> Result<(), AllocError> {
    let most = device.max_allocation() / 2 / requirements.alignment * requirements.alignment;
    let mut left = requirements.size;
    while left > 0 {
        let size = left.min(most);
        let piece = vk::MemoryRequirements { size, ..requirements };
        pieces.push((device.allocator.allocate(None, piece, location)?, size));
        left -= size;
    }
    Ok(())
}

fn bind(
    device: &Device,
    resource: Resource,
    size: u64,
    pieces: &[(Memory, u64)],
) -> Result<(), super::VkError> {
    let mut at = 0;
    let binds: Vec<vk::SparseMemoryBind> = pieces
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
    debug_assert_eq!(at, size, "the pieces cover the resource");
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
