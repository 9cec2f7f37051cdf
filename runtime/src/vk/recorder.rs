//! Command recording: a pool with one command buffer, which is reset and reused.

use std::ops::Range;
use std::sync::Arc;

use ash::vk;

use super::reorder::Reordering;
use super::{
    AllocError, Buffer, Call, Descriptor, Device, Pipeline, PipelineLayout, Place, Queue, Set, TimestampPool,
    VkError,
};
use crate::config::config;

/// A range to copy between buffers, in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct CopyRegion {
    pub src: u64,
    pub dst: u64,
    pub size: u64,
}

/// The commands that may have written memory that the host reads next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Writers {
    Kernels,
    /// Kernels and transfer commands. A barrier whose first scope has both takes longer on NVIDIA's driver than one for
    /// kernels alone.
    All,
}

/// Records the commands of one batch into a command buffer.
pub(crate) struct Recorder {
    pub(super) device: Arc<Device>,
    pub(super) pool: vk::CommandPool,
    /// Whether the queue has compute commands besides transfers.
    computes: bool,
    /// The command buffer into which commands are recorded.
    pub(super) raw: vk::CommandBuffer,
    /// Present if commands are recorded in reverse order.
    pub(super) reordering: Option<Box<Reordering>>,
    /// The pipeline that is bound, or null.
    pub(super) bound: vk::Pipeline,
    /// The sets that are bound for a pipeline with a layout of its own, and the offset of the argument buffer.
    pub(super) bound_sets: (vk::PipelineLayout, Vec<vk::DescriptorSet>, Option<u32>),
    /// The set with the argument buffer that is bound for pipelines of the common layout, and the offset in it.
    pub(super) bound_args: Option<(vk::DescriptorSet, u32)>,
    /// The current push constants, as far as any have been written. All layouts have the same range.
    pub(super) pushed: Vec<u8>,
    /// Reused storage for the regions of copies.
    regions: Vec<vk::BufferCopy>,
    /// Whether a transfer command writes memory in this batch.
    transfers: bool,
}

impl Recorder {
    /// Makes a recorder for submissions to `queue`.
    pub(crate) fn new(device: &Arc<Device>, queue: &Queue) -> Result<Recorder, VkError> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(queue.family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        super::fault::object("vkCreateCommandPool")?;
        // SAFETY: the device is alive, the family is the queue's.
        let pool = unsafe { device.raw.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let mut recorder = Recorder {
            device: Arc::clone(device),
            pool,
            computes: queue.computes,
            raw: vk::CommandBuffer::null(),
            reordering: None,
            bound: vk::Pipeline::null(),
            bound_sets: (vk::PipelineLayout::null(), Vec::new(), None),
            bound_args: None,
            pushed: Vec::new(),
            regions: Vec::new(),
            transfers: false,
        };
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        super::fault::object("vkAllocateCommandBuffers")?;
        // SAFETY: the pool is alive and not in use.
        let list = unsafe { device.raw.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?;
        recorder.raw = list[0];
        if config().debug.reorder {
            recorder.reordering = Some(Box::new(Reordering::new(list[0])));
        }
        Ok(recorder)
    }

    /// Returns the command buffer to submit.
    pub(super) fn raw(&self) -> vk::CommandBuffer {
        let reordering = self.reordering.as_ref();
        reordering.map_or(self.raw, |reordering| reordering.primary())
    }

    /// Starts a new recording. The previous contents must not be pending (the batch rule).
    pub(crate) fn begin(&mut self) -> Result<(), VkError> {
        self.bound = vk::Pipeline::null();
        self.bound_sets.0 = vk::PipelineLayout::null();
        self.bound_args = None;
        self.pushed.clear();
        self.transfers = false;
        // SAFETY: `&mut self` is exclusive; the command buffer is not pending.
        let reset = unsafe {
            self.device
                .raw
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
        };
        self.device.note(reset.call("vkResetCommandPool"))?;
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        super::fault::object("vkBeginCommandBuffer")?;
        // SAFETY: the pool was just reset, so the command buffer is in the initial state.
        let begun = unsafe { self.device.raw.begin_command_buffer(self.raw(), &info) };
        self.device.note(begun.call("vkBeginCommandBuffer"))?;
        self.begin_reordering();
        if !self.device.timeline_semaphores {
            // There are no semaphores to wait for: the commands of the earlier submissions that this one depends on
            // come before it on the only Vulkan queue (`fences.rs`).
            let (stages, memory) = (
                vk::PipelineStageFlags2::ALL_COMMANDS,
                vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE,
            );
            self.memory_barrier(stages, memory, stages, memory);
        }
        Ok(())
    }

    /// Returns whether a transfer command writes memory in this recording.
    pub(crate) fn transfers(&self) -> bool {
        self.transfers
    }

    /// Prepares for a transfer command, and notes that it writes memory.
    pub(super) fn begin_transfer(&mut self) {
        self.transfers = true;
        self.begin_unordered();
    }

    /// Ends recording. If `to_host` is given, a barrier first makes the writes of those commands available and
    /// visible to the host.
    pub(crate) fn end(&mut self, to_host: Option<Writers>) -> Result<(), VkError> {
        if let Some(writers) = to_host {
            let (mut stages, mut accesses) = match self.computes {
                true => (
                    vk::PipelineStageFlags2::COMPUTE_SHADER,
                    vk::AccessFlags2::SHADER_WRITE,
                ),
                false => (vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE),
            };
            match writers {
                Writers::Kernels => {}
                Writers::All => {
                    stages |= vk::PipelineStageFlags2::ALL_TRANSFER;
                    accesses |= vk::AccessFlags2::TRANSFER_WRITE;
                }
            }
            self.memory_barrier(
                stages,
                accesses,
                vk::PipelineStageFlags2::HOST,
                vk::AccessFlags2::HOST_READ | vk::AccessFlags2::HOST_WRITE,
            );
        }
        super::fault::object("vkEndCommandBuffer")?;
        let raw = self.end_reordering();
        // SAFETY: the command buffer is in the recording state.
        let ended = unsafe { self.device.raw.end_command_buffer(raw) };
        self.device.note(ended.call("vkEndCommandBuffer"))
    }

    fn memory_barrier(
        &mut self,
        src_stage: vk::PipelineStageFlags2,
        src: vk::AccessFlags2,
        dst_stage: vk::PipelineStageFlags2,
        dst: vk::AccessFlags2,
    ) {
        let raw = self.begin_ordered();
        if !self.device.synchronization2 {
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(first_accesses(src))
                .dst_access_mask(first_accesses(dst))];
            // SAFETY: the command buffer is in the recording state.
            unsafe {
                self.device.raw.cmd_pipeline_barrier(
                    raw,
                    first_stages(src_stage),
                    first_stages(dst_stage),
                    vk::DependencyFlags::empty(),
                    &barrier,
                    &[],
                    &[],
                );
            }
            return;
        }
        let barrier = [vk::MemoryBarrier2::default()
            .src_stage_mask(src_stage)
            .src_access_mask(src)
            .dst_stage_mask(dst_stage)
            .dst_access_mask(dst)];
        let info = vk::DependencyInfo::default().memory_barriers(&barrier);
        // SAFETY: the command buffer is in the recording state; synchronization2 is enabled.
        unsafe { self.device.raw.cmd_pipeline_barrier2(raw, &info) };
    }

    /// Records an execution and memory barrier: later commands start after all earlier ones, and see their
    /// writes.
    pub(crate) fn barrier(&mut self) {
        if !self.computes {
            return self.memory_barrier(
                vk::PipelineStageFlags2::ALL_TRANSFER,
                vk::AccessFlags2::TRANSFER_WRITE,
                vk::PipelineStageFlags2::ALL_TRANSFER,
                vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
            );
        }
        let stages = vk::PipelineStageFlags2::COMPUTE_SHADER | vk::PipelineStageFlags2::ALL_TRANSFER;
        self.memory_barrier(
            stages,
            vk::AccessFlags2::SHADER_WRITE | vk::AccessFlags2::TRANSFER_WRITE,
            stages,
            vk::AccessFlags2::SHADER_READ
                | vk::AccessFlags2::SHADER_WRITE
                | vk::AccessFlags2::UNIFORM_READ
                | vk::AccessFlags2::TRANSFER_READ
                | vk::AccessFlags2::TRANSFER_WRITE,
        );
    }

    /// Returns whether this pipeline is bound.
    pub(crate) fn has_bound(&self, pipeline: &Pipeline) -> bool {
        self.bound == pipeline.raw
    }

    /// Binds a pipeline, unless it is bound already.
    pub(crate) fn bind(&mut self, pipeline: &Pipeline) {
        if self.bound != pipeline.raw {
            pipeline.wait_for_code();
            self.bound = pipeline.raw;
            // SAFETY: the command buffer is in the recording state; the pipeline is alive until the batch has
            // completed (the batch rule).
            unsafe {
                self.device
                    .raw
                    .cmd_bind_pipeline(self.raw, vk::PipelineBindPoint::COMPUTE, pipeline.raw);
            }
        }
    }

    /// Returns the current push constants, as far as any have been written.
    pub(crate) fn pushed(&self) -> &[u8] {
        &self.pushed
    }

    /// Sets the push constants from byte 0 on to `bytes`, whose number is a multiple of 4 within the device's
    /// limit. Only the range from the first to the last word that changes is written.
    pub(crate) fn push_constants(&mut self, bytes: &[u8]) {
        let Some(Range { start, end }) = other_words(&self.pushed, bytes) else {
            return;
        };
        let limit = self.device.layout.push_constants().size as usize;
        assert!(
            bytes.len() <= limit && bytes.len().is_multiple_of(4),
            "push constants"
        );
        self.pushed.resize(self.pushed.len().max(bytes.len()), 0);
        let changed = &bytes[start..end];
        self.pushed[start..end].copy_from_slice(changed);
        // SAFETY: the command buffer is in the recording state; the range is inside the layout's and consists of words,
        // as asserted above.
        unsafe {
            self.device.raw.cmd_push_constants(
                self.raw,
                self.device.layout.raw,
                vk::ShaderStageFlags::COMPUTE,
                start as u32,
                changed,
            );
        }
    }

    /// Binds the argument buffer at a byte offset, for kernels of the common layout.
    pub(crate) fn bind_args(&mut self, args: &ArgsSet, offset: u32) {
        self.bound_sets.0 = vk::PipelineLayout::null();
        self.bound_args = Some((args.set, offset));
        assert!(u64::from(offset) <= args.capacity(), "arguments at {offset}");
        // SAFETY: the command buffer is in the recording state; the set fits the layout; offset and range stay
        // in the buffer, as asserted above; the offset is aligned (the batch, which hands out the buffer, rounds it
        // up); the set lives as long as the batch.
        unsafe {
            self.device.raw.cmd_bind_descriptor_sets(
                self.raw,
                vk::PipelineBindPoint::COMPUTE,
                self.device.layout.raw,
                0,
                &[args.set],
                &[offset],
            );
        }
    }

    /// Binds sets 0, 1, … of a layout, unless they are bound already; `arguments` is the offset of the argument
    /// buffer, if one of the sets has one.
    pub(crate) fn bind_sets(&mut self, layout: &PipelineLayout, sets: &[Set], arguments: Option<u32>) {
        let (bound, list, offset) = &mut self.bound_sets;
        let raw = sets.iter().map(|s| s.0);
        if *bound == layout.raw && *offset == arguments && list.iter().copied().eq(raw.clone()) {
            return;
        }
        *bound = layout.raw;
        *offset = arguments;
        list.clear();
        list.extend(raw);
        // SAFETY: the command buffer is in the recording state; the sets fit the layout and live as long as the
        // batch; the offset is aligned and inside the buffer (the caller).
        unsafe {
            self.device.raw.cmd_bind_descriptor_sets(
                self.raw,
                vk::PipelineBindPoint::COMPUTE,
                layout.raw,
                0,
                list,
                arguments.as_slice(),
            );
        }
    }

    /// Dispatches work-groups of the bound pipeline.
    pub(crate) fn dispatch(&mut self, groups: [u32; 3]) {
        assert_ne!(self.bound, vk::Pipeline::null(), "a dispatch without a pipeline");
        self.begin_unordered();
        // SAFETY: the command buffer is in the recording state; a pipeline is bound, as asserted above; the launch has
        // set its push constants and descriptors, and cut the range into counts within the limits.
        unsafe {
            self.device
                .raw
                .cmd_dispatch(self.raw, groups[0], groups[1], groups[2])
        };
    }

    /// Copies ranges that are in bounds and do not overlap.
    pub(crate) fn copy(&mut self, src: &Buffer, dst: &Buffer, regions: impl IntoIterator<Item = CopyRegion>) {
        self.regions.clear();
        self.regions.extend(regions.into_iter().map(|r| vk::BufferCopy {
            src_offset: r.src,
            dst_offset: r.dst,
            size: r.size,
        }));
        if self.regions.is_empty() {
            return;
        }
        let within = |start: u64, size: u64, buffer: &Buffer| {
            start.checked_add(size).is_some_and(|end| end <= buffer.size())
        };
        for r in &self.regions {
            assert!(
                within(r.src_offset, r.size, src) && within(r.dst_offset, r.size, dst),
                "a copy leaves its buffers: {r:?}"
            );
        }
        self.begin_transfer();
        // SAFETY: the command buffer is in the recording state; the ranges are in bounds, as asserted above, and do not
        // overlap (the enqueue calls check that, CL 5.2.2 MEM_COPY_OVERLAP); the buffers live as long as the batch.
        unsafe {
            self.device
                .raw
                .cmd_copy_buffer(self.raw, src.raw, dst.raw, &self.regions)
        };
    }

    /// Fills a range in bounds whose offset and size are multiples of 4.
    pub(crate) fn fill(&mut self, buffer: &Buffer, offset: u64, size: u64, word: u32) {
        self.begin_transfer();
        let is_aligned = offset.is_multiple_of(4) && size.is_multiple_of(4) && size > 0;
        let end = offset.checked_add(size);
        assert!(
            is_aligned && end.is_some_and(|end| end <= buffer.size()),
            "a fill leaves its buffer: {size} bytes at {offset}"
        );
        // SAFETY: the command buffer is in the recording state; the range is aligned and in bounds, as asserted above;
        // the buffer lives as long as the batch.
        unsafe {
            self.device
                .raw
                .cmd_fill_buffer(self.raw, buffer.raw, offset, size, word)
        };
    }

    /// Resets the `n` time stamps from index `first` on, so that they can be written again.
    pub(crate) fn reset_timestamps(&mut self, pool: &TimestampPool, first: u32, n: u32) {
        assert!(first + n <= pool.count(), "{n} time stamps from {first} on");
        let raw = self.begin_ordered();
        // SAFETY: the command buffer is in the recording state; the pool has these queries, as asserted above; only
        // this batch uses the pool, and it owns it.
        unsafe { self.device.raw.cmd_reset_query_pool(raw, pool.raw, first, n) };
    }

    /// Writes a time stamp once all earlier commands have completed.
    pub(crate) fn timestamp(&mut self, pool: &TimestampPool, index: u32) {
        assert!(index < pool.count(), "time stamp {index}");
        let raw = self.begin_ordered();
        if !self.device.synchronization2 {
            let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
            // SAFETY: as below.
            unsafe {
                self.device.raw.cmd_write_timestamp(raw, stage, pool.raw, index);
            }
            return;
        }
        // SAFETY: the command buffer is in the recording state; the pool has the query, as asserted above; the batch has
        // reset it, and writes each query once, because it counts them.
        unsafe {
            self.device
                .raw
                .cmd_write_timestamp2(raw, vk::PipelineStageFlags2::ALL_COMMANDS, pool.raw, index);
        }
    }
}

/// Returns stages in the form of Vulkan 1.0, which has the same bits for all that this module uses, except for
/// ALL_TRANSFER.
fn first_stages(stages: vk::PipelineStageFlags2) -> vk::PipelineStageFlags {
    let transfer = stages.contains(vk::PipelineStageFlags2::ALL_TRANSFER);
    let others = stages & !vk::PipelineStageFlags2::ALL_TRANSFER;
    let mut old = vk::PipelineStageFlags::from_raw(others.as_raw() as u32);
    if transfer {
        old |= vk::PipelineStageFlags::TRANSFER;
    }
    old
}

/// Returns accesses in the form of Vulkan 1.0, which has the same bits for all that this module uses.
fn first_accesses(accesses: vk::AccessFlags2) -> vk::AccessFlags {
    vk::AccessFlags::from_raw(accesses.as_raw() as u32)
}

/// Returns the byte range from the first to the last word that changes from `old`, which may be shorter, to
/// `new`.
fn other_words(old: &[u8], new: &[u8]) -> Option<Range<usize>> {
    const WORD: usize = 4;
    let (old_words, _) = old.as_chunks::<WORD>();
    let (new_words, _) = new.as_chunks::<WORD>();
    let other = |(old, new): (&[u8; WORD], &[u8; WORD])| old != new;
    let first = old_words.iter().zip(new_words).position(other);
    if new.len() > old.len() {
        return Some(first.map_or(old.len(), |first| first * WORD)..new.len());
    }
    let last = old_words.iter().zip(new_words).rposition(other)?;
    Some(first? * WORD..(last + 1) * WORD)
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // SAFETY: the batch rule: the command buffer is not pending. It is freed with the pool.
        unsafe { self.device.raw.destroy_command_pool(self.pool, None) };
    }
}

/// A mapped buffer for kernel arguments that do not fit into push constants, and its descriptor.
pub(crate) struct ArgsSet {
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    buffer: Buffer,
    device: Arc<Device>,
}

impl ArgsSet {
    /// The number of bytes that a kernel can read from its dynamic offset on.
    pub(crate) const RANGE: u64 = 4096;
    const SIZE: u64 = 256 << 10;

    /// Makes a set with a buffer of its own.
    pub(crate) fn new(device: &Arc<Device>) -> Result<ArgsSet, AllocError> {
        let buffer = Buffer::new(device, Self::SIZE, Place::Host)?;
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC)
            .descriptor_count(1)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        super::fault::object("vkCreateDescriptorPool")?;
        // SAFETY: the device is alive.
        let pool =
            unsafe { device.raw.create_descriptor_pool(&info, None) }.call("vkCreateDescriptorPool")?;
        let mut args = ArgsSet {
            pool,
            set: vk::DescriptorSet::null(),
            buffer,
            device: Arc::clone(device),
        };
        let layouts = [device.layout.args_set];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        super::fault::object("vkAllocateDescriptorSets")?;
        // SAFETY: pool and layout are alive; the pool has room for one set.
        let sets = unsafe { device.raw.allocate_descriptor_sets(&info) }.call("vkAllocateDescriptorSets")?;
        args.set = sets[0];
        let range = [vk::DescriptorBufferInfo::default()
            .buffer(args.buffer.raw)
            .offset(0)
            .range(Self::RANGE)];
        let write = [vk::WriteDescriptorSet::default()
            .dst_set(args.set)
            .dst_binding(0)
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC)
            .buffer_info(&range)];
        // SAFETY: the set is new and not in use; the range lies in the buffer.
        unsafe { device.raw.update_descriptor_sets(&write, &[]) };
        Ok(args)
    }

    /// Returns the descriptor of the buffer, for sets of another layout.
    pub(crate) fn descriptor(&self) -> Descriptor {
        Descriptor::buffer(&self.buffer, 0, Self::RANGE)
    }

    /// Returns the descriptor of a part of the buffer, for bindings without a dynamic offset.
    pub(crate) fn part(&self, offset: u64, size: u64) -> Descriptor {
        Descriptor::buffer(&self.buffer, offset, size)
    }

    /// Returns the number of bytes that can be handed out; the [`ArgsSet::RANGE`] bytes after them stay
    /// readable.
    pub(crate) fn capacity(&self) -> u64 {
        self.buffer.size() - Self::RANGE
    }

    /// Stores at most [`ArgsSet::RANGE`] bytes of arguments at an offset up to the capacity.
    pub(crate) fn write(&mut self, offset: u64, bytes: &[u8]) {
        assert!(offset <= self.capacity() && bytes.len() as u64 <= Self::RANGE);
        let base = self.buffer.mapped().expect("host memory is mapped");
        // The batch that will read the bytes has not been submitted.
        base.offset(offset).store(bytes);
    }
}

impl Drop for ArgsSet {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command uses the set.
        unsafe { self.device.raw.destroy_descriptor_pool(self.pool, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::other_words;

    #[test]
    fn words_that_differ() {
        let old = [0u8, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
        let with = |at: &[usize]| {
            let mut new = old;
            at.iter().for_each(|&i| new[i] = 99);
            new
        };
        assert_eq!(other_words(&old, &old), None);
        assert_eq!(other_words(&old, &old[..4]), None);
        assert_eq!(other_words(&old, &with(&[5])), Some(4..8));
        assert_eq!(other_words(&old, &with(&[0, 11])), Some(0..12));
        assert_eq!(other_words(&old, &with(&[6, 9])), Some(4..12));
        assert_eq!(other_words(&old, &with(&[11])), Some(8..12));
        assert_eq!(other_words(&[], &old), Some(0..12));
        assert_eq!(other_words(&old[..4], &old), Some(4..12));
        assert_eq!(other_words(&old[..8], &with(&[2])), Some(0..12));
        assert_eq!(other_words(&[], &[]), None);
    }
}
