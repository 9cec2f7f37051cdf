//! A Vulkan queue.

use ash::vk;

use super::{Call, Device, Recorder, Timeline, VkError};
use crate::lock::{Mutex, Rank};

/// A Vulkan queue; a submission locks it.
pub(crate) struct Queue {
    device: ash::Device,
    raw: Mutex<vk::Queue>,
    pub(super) family: u32,
}

const NO_STAGES: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_COMMANDS;

impl Queue {
    pub(super) fn new(device: ash::Device, raw: vk::Queue, family: u32) -> Queue {
        Queue {
            device,
            raw: Mutex::new(Rank::Submit, raw),
            family,
        }
    }

    /// Binds memory to sparse buffers and images, and signals the fence once it is bound.
    pub(super) fn bind_sparse(
        &self,
        info: &[vk::BindSparseInfo<'_>],
        fence: vk::Fence,
    ) -> Result<(), VkError> {
        let queue = self.raw.lock();
        // SAFETY: the lock gives exclusive use of the queue, whose family supports sparse binding (the caller);
        // resources, memory and fence are alive.
        unsafe { self.device.queue_bind_sparse(*queue, info, fence) }.call("vkQueueBindSparse")
    }

    /// Submits a finished command buffer. It starts after all `waits` have reached their values, and `signal`
    /// reaches its value when it is complete. The caller keeps the recorder, the timelines and every recorded
    /// object alive until then.
    pub(crate) fn submit(
        &self,
        owner: &Device,
        recorder: &Recorder,
        waits: &[(std::sync::Arc<Timeline>, u64)],
        signal: (&Timeline, u64),
    ) -> Result<(), VkError> {
        let wait = |(timeline, value): &(std::sync::Arc<Timeline>, u64)| {
            vk::SemaphoreSubmitInfo::default()
                .semaphore(timeline.raw)
                .value(timeline.count(*value))
                .stage_mask(NO_STAGES)
        };
        let mut few = [vk::SemaphoreSubmitInfo::default(); 4];
        let many: Vec<vk::SemaphoreSubmitInfo<'_>>;
        let waits = match few.get_mut(..waits.len()) {
            Some(few) => {
                for (to, from) in few.iter_mut().zip(waits) {
                    *to = wait(from);
                }
                &*few
            }
            None => {
                many = waits.iter().map(wait).collect();
                &many
            }
        };
        let signals = [vk::SemaphoreSubmitInfo::default()
            .semaphore(signal.0.raw)
            .value(signal.0.count(signal.1))
            .stage_mask(NO_STAGES)];
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(recorder.raw())];
        let info = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(waits)
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(&signals)];
        owner.note(super::fault::submission("vkQueueSubmit2"))?;
        let queue = self.raw.lock();
        // SAFETY: the lock gives exclusive use of the queue; the command buffer is executable and not pending
        // (the recorder's state), the semaphores are alive, and the batch rule keeps all of them alive until
        // the submission is complete.
        let result = unsafe { self.device.queue_submit2(*queue, &info, vk::Fence::null()) };
        drop(queue);
        owner.note(result.call("vkQueueSubmit2"))
    }
}
