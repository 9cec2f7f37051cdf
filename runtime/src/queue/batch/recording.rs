//! The open batch while a command is being recorded into it.

use std::sync::Arc;

use super::arguments::LaunchDescriptors;
use super::memory::Staged;
use super::{Batch, HostCopy, Keep};
use crate::check::CheckedLaunch;
use crate::command::HostRange;
use crate::command::buffer::regions;
use crate::device::staging::Staging;
use crate::error::Result;
use crate::event::{Effects, Event};
use crate::kernel::copy::Side;
use crate::kernel::descriptors::KernelDescriptors;
use crate::kernel::launch::{ArgValue, Plain};
use crate::kernel::pipeline::{DeviceKernel, DeviceModule};
use crate::mem::claim::Claim;
use crate::mem::residence::InBatch;
use crate::mem::{Buffer, Image};
use crate::printf::Output;
use crate::queue::CommandQueue;
use crate::queue::hazards::{Access, Hazards, Overlap};
use crate::vk;

/// The open batch of a queue, for the command that is being recorded.
pub(crate) struct Recording<'a> {
    pub(in crate::queue) batch: &'a mut Batch,
    pub(in crate::queue) hazards: &'a mut Hazards,
    pub(in crate::queue) queue: &'a CommandQueue,
    /// Whether the command is a launch that has been recorded speculatively.
    pub(in crate::queue) is_speculative: bool,
}

impl Recording<'_> {
    /// Returns the recorder.
    pub(crate) fn recorder(&mut self) -> &mut vk::Recorder {
        &mut self.batch.recorder
    }

    /// Returns the index of the queue's device in the context.
    pub(crate) fn device(&self) -> usize {
        self.queue.device_index
    }

    /// Returns whether the command is a launch that has been recorded speculatively: only its accesses and objects
    /// remain to be noted.
    pub(crate) fn is_speculative(&self) -> bool {
        self.is_speculative
    }

    /// Notes that a launch has been recorded that needs nothing but a pipeline and push constants.
    pub(crate) fn note_single(&mut self, launch: &Plain<'_>) {
        self.batch.note_single(launch);
    }

    /// Forgets the launch of [`Recording::note_single`], because it is part of another command.
    pub(crate) fn forget_single(&mut self) {
        self.batch.single = None;
    }

    /// Returns the most work-groups of one dispatch.
    pub(crate) fn group_count(&self) -> [u32; 3] {
        self.queue.device.limits().group_count
    }
}

/// The order of commands on the GPU.
impl Recording<'_> {
    /// Declares the command's accesses, which are to any memory if `unknown` is set, and records a barrier if one is needed.
    pub(crate) fn access(&mut self, accesses: &[Access], unknown: bool) {
        if self.hazards.note(accesses, unknown) {
            debug_assert!(!self.is_speculative, "all before is ordered");
            self.batch.recorder.barrier();
        }
    }

    /// Records a barrier that makes the writes of other queues visible to later commands, as far as those
    /// queues had completed them when the command was enqueued: the signals of their timelines have made the
    /// writes available. (A command that depends on a command in flight waits for its semaphore instead.)
    pub(in crate::queue) fn see_other_queues(&mut self) {
        self.hazards.clear();
        self.batch.recorder.barrier();
    }

    /// Records a barrier that orders all later commands after all earlier ones, if one is needed.
    pub(in crate::queue) fn order(&mut self) {
        if self.hazards.clear() {
            self.batch.recorder.barrier();
        }
    }

    /// Orders the next step of a command-buffer. `waits` tells whether it waits for an earlier step. An in-order queue orders commands
    /// by the memory that they access.
    pub(crate) fn next_step(&mut self, waits: bool) {
        match self.queue.properties.overlap() {
            // Its barriers before each command are not between the steps of one command.
            Overlap::Never => self.batch.recorder.barrier(),
            Overlap::Unrelated => {}
            Overlap::Known if waits => self.order(),
            Overlap::Known => {}
        }
    }

    /// Lets the batch wait for semaphores of other APIs before it starts, or signal them when it is complete.
    pub(crate) fn share_semaphores(&mut self, list: &[Arc<vk::SharedSemaphore>], signal: bool) {
        let shared = &mut self.batch.shared;
        let to = if signal {
            &mut shared.signals
        } else {
            &mut shared.waits
        };
        to.extend_from_slice(list);
    }

    /// Keeps the command's claim until the batch is complete, if it is needed for that long.
    pub(in crate::queue) fn claim(&mut self, claim: &Arc<Claim>) {
        let batch = InBatch {
            queue: self.queue.number,
            value: self.batch.value,
        };
        if claim.recorded(batch) {
            self.batch.claims.push(Arc::clone(claim));
        }
    }

    /// Records the first time stamp of a command, which is recorded next.
    pub(in crate::queue) fn open_event(&mut self, event: Option<&Arc<Event>>) -> Option<u32> {
        if !self.queue.is_timed() {
            return None;
        }
        let exclusive = self.queue.properties.profiling;
        if exclusive {
            // Commands must not overlap, so that each has its own time.
            self.batch.recorder.barrier();
        }
        event?;
        self.batch.events.start(!exclusive, &mut self.batch.recorder)
    }

    /// Records the second time stamp of a command that has been recorded, and adds its event to the batch. `weight` is
    /// the number of commands that it stands for.
    pub(in crate::queue) fn close_event(
        &mut self,
        event: Option<&Arc<Event>>,
        query: Option<u32>,
        weight: u32,
        effects: &mut Effects,
    ) {
        let batch = &mut *self.batch;
        let leads = batch.commands == 0;
        batch.commands = batch.commands.saturating_add(weight);
        batch.events.stop(event.cloned(), query, &mut batch.recorder);
        if let Some(event) = event {
            event.recorded(batch.value, leads, effects);
        }
    }
}

/// The objects that a command uses, and the host memory that it stores into.
impl Recording<'_> {
    /// Keeps an object alive until the batch is complete.
    pub(crate) fn keep(&mut self, what: Keep) {
        self.batch.kept.push(what);
    }

    /// Keeps a buffer alive; this is cheap if the batch does so already.
    pub(crate) fn keep_buffer(&mut self, buffer: &Arc<Buffer>) {
        self.batch.kept.buffer(buffer);
    }

    /// Keeps an image alive, and records its first layout transition if that has not been done.
    pub(crate) fn use_image(&mut self, image: &Arc<Image>) -> Result<()> {
        self.batch.kept.image(image);
        if let Some(storage) = image.storage(self.device())? {
            self.batch.recorder.prepare_image(storage);
        }
        Ok(())
    }

    /// Notes that the command writes a buffer. If the host may read the buffer's memory without a copy, the
    /// batch ends with a barrier for the host.
    pub(crate) fn writes(&mut self, buffer: &Buffer) {
        let Ok(storage) = buffer.storage(self.device()) else {
            return;
        };
        if self.batch.to_host || !storage.host_visible() {
            return;
        }
        let (queue, value) = (self.queue.number, self.batch.value);
        self.batch.to_host = storage.mapped().is_some() || buffer.is_written(queue, value);
    }

    /// Notes that the command writes memory that the host will read.
    pub(crate) fn make_visible_to_host(&mut self) {
        self.batch.to_host = true;
    }

    /// Adds a copy that the host makes when the batch is complete. The batch keeps the source memory alive.
    pub(crate) fn copy_out(&mut self, copy: HostCopy) {
        self.batch.to_host = true;
        let table = self.queue.context.host_stores();
        self.batch.host_work.copy(copy, table);
    }

    /// Notes that the GPU stores into the application's or a mapping's memory until the command is complete.
    pub(crate) fn stores(&mut self, range: HostRange) {
        self.batch.to_host = true;
        let table = self.queue.context.host_stores();
        self.batch.host_work.stores(range, table);
    }
}

/// Temporary memory.
impl Recording<'_> {
    /// Returns host memory that the GPU can access for the duration of the batch.
    pub(crate) fn stage(&mut self, size: u64) -> Result<Staged> {
        let pool = self.queue.opened.staging();
        self.batch.memory.stage(pool, &self.queue.logical, size)
    }

    /// Returns a cleared printf buffer of `size` bytes for the next launch, which has this number of work-groups; it is printed
    /// when the batch is complete. If the kernel makes checks, what they need follows the buffer.
    pub(crate) fn printf_buffer(
        &mut self,
        kernel: &Arc<DeviceKernel>,
        size: u64,
        (args, groups): (&[ArgValue], u64),
    ) -> Result<Arc<Staging>> {
        let (pool, device) = (self.queue.opened.staging(), &self.queue.logical);
        let index = self.queue.device_index;
        let mut checked = CheckedLaunch::new(kernel, args, &self.queue.context, index);
        let batch = &mut *self.batch;
        if let Some(checked) = &mut checked {
            checked.allocate(kernel, args, (groups, index), |size| {
                let size = size.next_multiple_of(4);
                let memory = batch.memory.scratch(pool, device, size)?;
                batch.recorder.fill(&memory, 0, size, 0);
                Ok(memory.address())
            });
            checked.find_written(kernel, args, self.queue.number, |storage, range| {
                let size = range.end - range.start;
                batch.recorder.fill(storage, range.start, size, u32::MAX);
            });
        }
        let whole = checked.as_ref().map_or(size, |c| c.size().max(size));
        let buffer = batch.memory.buffer(pool, device, whole)?;
        if let Some(checked) = &checked {
            checked.store(&buffer);
        }
        batch.recorder.fill(&buffer, 0, size, 0);
        batch.recorder.barrier();
        batch.to_host = true;
        batch.host_work.print_later(Output {
            buffer: Arc::clone(&buffer),
            size,
            kernel: Arc::clone(kernel),
            checked,
        });
        Ok(buffer)
    }

    /// Returns the address of scratch memory for the next launch, which is kept until the batch is complete.
    pub(crate) fn scratch_memory(&mut self, size: u64) -> Result<u64> {
        let pool = self.queue.opened.staging();
        let memory = self.batch.memory.scratch(pool, &self.queue.logical, size)?;
        Ok(memory.address())
    }
}

/// Launches and copies.
impl Recording<'_> {
    /// Binds a pipeline as [`Batch::bind`] does.
    pub(crate) fn bind(&mut self, kernel: &Arc<DeviceKernel>, pipeline: &Arc<vk::Pipeline>) {
        self.batch.bind(kernel, pipeline);
    }

    /// Stores kernel arguments in the argument buffer and binds it.
    pub(crate) fn arguments(&mut self, bytes: &[u8]) -> Result<()> {
        let batch = &mut *self.batch;
        let align = self.queue.device.limits().uniform_alignment;
        batch
            .arguments
            .bind(&self.queue.logical, bytes, align, &mut batch.recorder)
    }

    /// Fills and binds the descriptor sets of a kernel that has its own; `bytes` are the contents of the
    /// argument buffer. The caller lets the batch keep the arguments alive.
    pub(crate) fn descriptors(
        &mut self,
        kernel: &KernelDescriptors,
        module: &DeviceModule,
        args: &[ArgValue],
        bytes: &[u8],
        printf: Option<&vk::Buffer>,
    ) -> Result<()> {
        let launch = LaunchDescriptors {
            kernel,
            module,
            device: self.device(),
            args,
            bytes,
            printf,
        };
        let batch = &mut *self.batch;
        let align = self.queue.device.limits().uniform_alignment;
        batch
            .arguments
            .bind_sets(&self.queue.logical, &launch, align, &mut batch.recorder)
    }

    /// Copies a region, by a kernel if that is faster. The caller declares accesses and keeps the memory alive.
    pub(crate) fn copy(&mut self, from: Side<'_>, to: Side<'_>, region: [u64; 3]) -> Result<()> {
        let dispatch = match self.queue.opened.copy_kernels() {
            Some(kernels) => kernels.dispatch(from, to, region)?,
            None => None,
        };
        let Some(dispatch) = dispatch else {
            let regions = regions((from.layout, from.offset), (to.layout, to.offset), region);
            self.batch.recorder.copy(from.memory, to.memory, regions);
            return Ok(());
        };
        self.bind(dispatch.kernel, &dispatch.pipeline);
        self.batch.recorder.push_constants(dispatch.push());
        self.batch.recorder.dispatch(dispatch.groups);
        Ok(())
    }
}
