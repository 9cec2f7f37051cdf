//! A Vulkan queue.

use ash::vk;

use super::sync::Counter;
use super::{Call, Device, Recorder, SharedSemaphores, Timeline, VkError};
use crate::lock::{Mutex, Rank};

/// A Vulkan queue; a submission locks it.
pub(crate) struct Queue {
    device: ash::Device,
    raw: Mutex<vk::Queue>,
    pub(super) family: u32,
    /// Whether the family has compute commands besides transfers.
    pub(super) computes: bool,
}

const ALL_STAGES: vk::PipelineStageFlags2 = vk::PipelineStageFlags2::ALL_COMMANDS;

impl Queue {
    pub(super) fn new(device: ash::Device, raw: vk::Queue, family: u32, computes: bool) -> Queue {
        Queue {
            device,
            raw: Mutex::new(Rank::Submit, raw),
            family,
            computes,
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

    /// Submits nothing, for the error that the driver may report.
    pub(super) fn submit_nothing(&self) -> Result<(), VkError> {
        super::fault::stopped("vkQueueSubmit")?;
        let queue = self.raw.lock();
        // SAFETY: the lock gives exclusive use of the queue.
        unsafe { self.device.queue_submit(*queue, &[], vk::Fence::null()) }.call("vkQueueSubmit")
    }

    /// Submits a finished command buffer. It starts after all `waits` have reached their values, and `signal`
    /// reaches its value when it is complete; it also waits for the shared semaphores and signals them. The caller keeps the
    /// recorder, the timelines, the semaphores and every recorded object alive until then.
    pub(crate) fn submit(
        &self,
        owner: &Device,
        recorder: &Recorder,
        waits: &[(std::sync::Arc<Timeline>, u64)],
        signal: (&Timeline, u64),
        shared: &SharedSemaphores,
    ) -> Result<(), VkError> {
        let (timeline, value) = signal;
        match &timeline.counter {
            Counter::Semaphore(_) if super::fault::stops() => Ok(()),
            Counter::Semaphore(semaphore) => {
                let signal = (semaphore.raw, semaphore.count(value));
                let waits = waits.iter().map(|(timeline, value)| match &timeline.counter {
                    Counter::Semaphore(semaphore) => (semaphore.raw, semaphore.count(*value)),
                    Counter::Fences(_) => unreachable!("the timelines of a device are of one kind"),
                });
                // The values of binary semaphores are ignored.
                let waits = waits.chain(shared.waits.iter().map(|s| (s.raw, 0)));
                let signals = std::iter::once(signal).chain(shared.signals.iter().map(|s| (s.raw, 0)));
                let _exclusive = (!shared.is_empty()).then(|| owner.shared_semaphores.lock());
                match owner.synchronization2 {
                    true => self.submit2(owner, recorder, waits, signals),
                    false => self.submit1(owner, recorder, waits, signals),
                }
            }
            // What the submission waits for has been submitted to this queue, the only one.
            Counter::Fences(fences) => fences.submit(timeline.device(), value, |fence| {
                owner.note(super::fault::submission("vkQueueSubmit"))?;
                let buffers = [recorder.raw()];
                let info = [vk::SubmitInfo::default().command_buffers(&buffers)];
                let queue = self.raw.lock();
                // SAFETY: as in `submit2`; the fence is reset, and nothing else uses it.
                let result = unsafe { self.device.queue_submit(*queue, &info, fence) };
                drop(queue);
                owner.note(result.call("vkQueueSubmit"))
            }),
        }
    }

    /// Submits with the function of Vulkan 1.3.
    fn submit2(
        &self,
        owner: &Device,
        recorder: &Recorder,
        waits: impl Iterator<Item = (vk::Semaphore, u64)>,
        signals: impl Iterator<Item = (vk::Semaphore, u64)>,
    ) -> Result<(), VkError> {
        let (mut few_waits, mut few_signals) = (Few::default(), Few::default());
        let (waits, signals) = (few_waits.collect(waits), few_signals.collect(signals));
        let buffers = [vk::CommandBufferSubmitInfo::default().command_buffer(recorder.raw())];
        let info = [vk::SubmitInfo2::default()
            .wait_semaphore_infos(waits)
            .command_buffer_infos(&buffers)
            .signal_semaphore_infos(signals)];
        owner.note(super::fault::submission("vkQueueSubmit2"))?;
        let queue = self.raw.lock();
        // SAFETY: the lock gives exclusive use of the queue; the command buffer is executable and not pending
        // (the recorder's state), the semaphores are alive, and the batch rule keeps all of them alive until
        // the submission is complete.
        let result = unsafe { self.device.queue_submit2(*queue, &info, vk::Fence::null()) };
        drop(queue);
        owner.note(result.call("vkQueueSubmit2"))
    }

    /// Submits with the function of Vulkan 1.0.
    fn submit1(
        &self,
        owner: &Device,
        recorder: &Recorder,
        waits: impl Iterator<Item = (vk::Semaphore, u64)>,
        signals: impl Iterator<Item = (vk::Semaphore, u64)>,
    ) -> Result<(), VkError> {
        let (waits, counts): (Vec<_>, Vec<_>) = waits.unzip();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let (signals, signal_counts): (Vec<_>, Vec<_>) = signals.unzip();
        let buffers = [recorder.raw()];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&counts)
            .signal_semaphore_values(&signal_counts);
        let info = [vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&buffers)
            .signal_semaphores(&signals)
            .push_next(&mut values)];
        owner.note(super::fault::submission("vkQueueSubmit"))?;
        let queue = self.raw.lock();
        // SAFETY: as in `submit2`.
        let result = unsafe { self.device.queue_submit(*queue, &info, vk::Fence::null()) };
        drop(queue);
        owner.note(result.call("vkQueueSubmit"))
    }
}

/// The semaphores of a submission; a few of them need no memory of the heap.
#[derive(Default)]
struct Few {
    few: [vk::SemaphoreSubmitInfo<'static>; 4],
    many: Vec<vk::SemaphoreSubmitInfo<'static>>,
}

impl Few {
    fn collect(
        &mut self,
        all: impl Iterator<Item = (vk::Semaphore, u64)>,
    ) -> &[vk::SemaphoreSubmitInfo<'static>] {
        let mut count = 0;
        for (semaphore, value) in all {
            let info = vk::SemaphoreSubmitInfo::default()
                .semaphore(semaphore)
                .value(value)
                .stage_mask(ALL_STAGES);
            match self.few.get_mut(count) {
                Some(to) if self.many.is_empty() => *to = info,
                _ if self.many.is_empty() => {
                    self.many.extend(self.few);
                    self.many.push(info);
                }
                _ => self.many.push(info),
            }
            count += 1;
        }
        match self.many.is_empty() {
            true => &self.few[..count],
            false => &self.many,
        }
    }
}
