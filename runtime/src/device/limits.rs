//! The Vulkan limits that launches and allocations observe.

use crate::config::AbiChoice;
use crate::kernel::placed::MAX_PUSH;
use crate::vk;

/// The limits of a device.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The most work-groups of one dispatch, per dimension.
    pub group_count: [u32; 3],
    /// The most work-items of a work-group, per dimension.
    pub group_size: [u32; 3],
    /// The most work-items of a work-group.
    pub group_invocations: u32,
    /// Bytes of local memory of a work-group.
    pub local_memory: u32,
    /// The size of the local memory arena is rounded up to a multiple of this number of bytes.
    pub local_step: u32,
    /// Alignment of offsets in uniform buffers, in bytes.
    pub uniform_alignment: u64,
    /// Bytes of push constants.
    pub push_constants: u32,
    /// The limits of descriptors.
    pub bindings: Bindings,
    /// The size in bytes of the largest buffer.
    pub max_alloc: u64,
    /// The size in bytes of the largest Vulkan allocation; a buffer larger than this is never mapped.
    pub max_memory_allocation: u64,
    /// Bytes of the device's memory.
    pub global_memory: u64,
    /// Bytes of scratch memory of a launch, unless one work-group needs more.
    pub scratch: u64,
    /// The number of work-items in a sub-group.
    pub subgroup: u32,
    /// Small work-groups run together if a launch has at least this many of them.
    pub packed_groups: u64,
}

/// The limits of descriptors.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Bindings {
    /// Alignment of offsets in storage buffers, in bytes.
    pub storage_alignment: u64,
    /// Bytes of a storage buffer that a kernel can access.
    pub storage_range: u64,
    /// Bytes of a uniform buffer that a kernel can access.
    pub uniform_range: u64,
    /// The most storage buffers of a kernel.
    pub storage_count: usize,
    /// The most uniform buffers of a kernel.
    pub uniform_count: usize,
    /// The most images and texel buffers that a kernel reads.
    pub sampled_count: usize,
    /// The most images and texel buffers that a kernel writes.
    pub storage_image_count: usize,
    /// The most samplers of a kernel.
    pub sampler_count: usize,
    /// The most descriptor sets of a kernel.
    pub sets: u32,
}

impl Bindings {
    /// Returns the limits of the numbers of storage buffers, uniform buffers, images that are read, images that
    /// are written, and samplers.
    pub(crate) fn counts(&self) -> [usize; 5] {
        [
            self.storage_count,
            self.uniform_count,
            self.sampled_count,
            self.storage_image_count,
            self.sampler_count,
        ]
    }
}

/// Returns from how many small work-groups on they run together (compiler ADR 23). If the device has more compute units than
/// assumed, groups that run together leave some of them idle, which may cost more than is gained.
fn packed_groups(compute_units: Option<u32>, for_each: u64) -> u64 {
    const UNKNOWN: u32 = 128;
    u64::from(compute_units.unwrap_or(UNKNOWN)) * for_each
}

impl Limits {
    pub(crate) fn new(physical: &vk::PhysicalDevice) -> Limits {
        let f = physical.facts();
        // CL 4.2: CL_DEVICE_MAX_MEM_ALLOC_SIZE is at least a quarter of the memory. Where a single Vulkan
        // allocation must be smaller, a buffer gets several allocations.
        let quarter = (f.device_local_heap / 4).min(f.sparse_address_space / 2);
        let mut largest = f.max_memory_allocation_size.max(quarter).min(f.max_buffer_size);
        if super::caps::abi(f) == AbiChoice::Descriptor {
            // A kernel accesses a buffer through one storage buffer descriptor, with signed offsets of 32 bits.
            largest = largest.min(u64::from(f.max_storage_buffer_range)).min(1 << 31);
        }
        // A device whose memory is hardly larger than one allocation must leave room for a second one.
        let max_alloc = if largest > f.device_local_heap / 2 {
            f.device_local_heap / 2
        } else {
            largest
        };
        Limits {
            group_count: f.max_compute_work_group_count,
            group_size: f
                .max_compute_work_group_size
                .map(|n| n.min(f.max_compute_work_group_invocations)),
            group_invocations: f.max_compute_work_group_invocations,
            local_step: super::caps::LOCAL_STEP,
            local_memory: f.max_compute_shared_memory_size,
            uniform_alignment: f.min_uniform_buffer_offset_alignment,
            push_constants: f.max_push_constants_size.min(MAX_PUSH as u32),
            scratch: vk::Tuning::of(f).scratch,
            bindings: Bindings {
                storage_alignment: f.min_storage_buffer_offset_alignment,
                storage_range: u64::from(f.max_storage_buffer_range),
                uniform_range: u64::from(f.max_uniform_buffer_range),
                storage_count: f.max_per_stage_storage_buffers as usize,
                uniform_count: f.max_per_stage_uniform_buffers as usize,
                sampled_count: f.max_per_stage_sampled_images as usize,
                storage_image_count: f.max_per_stage_storage_images as usize,
                sampler_count: f.max_per_stage_samplers as usize,
                sets: f.max_bound_descriptor_sets,
            },
            // Buffer sizes are rounded up and must still fit, so the limit is a multiple of 256 bytes.
            max_alloc: max_alloc & !0xff,
            max_memory_allocation: f.max_memory_allocation_size & !0xff,
            global_memory: f.device_local_heap,
            subgroup: f.subgroup_size.max(1),
            packed_groups: packed_groups(super::caps::compute_units(f), vk::Tuning::of(f).packed_groups),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_number_of_compute_units_is_a_large_one() {
        assert_eq!(packed_groups(Some(2), 16), 32);
        // Intel's, Qualcomm's, Arm's and Broadcom's drivers do not tell it. None of their GPUs has more.
        assert_eq!(packed_groups(None, 96), 128 * 96);
    }
}
