//! Timelines of fences, for devices without timeline semaphores.
//!
//! Every submission signals a fence. A timeline keeps the fences of its pending submissions with the values that they
//! stand for. Submissions never wait for a value that has not been submitted (`Queue::submit`), and they all go to one
//! Vulkan queue, where a barrier at the beginning of each command buffer orders them (`Recorder::begin`). So no
//! submission has to wait for a semaphore, and the fences of a timeline are signalled in the order of their values.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ash::vk;

use super::{Call, Device, Failure, VkError};
use crate::lock::{Mutex, Rank};

/// The contents of [`Fences`].
#[derive(Default)]
struct Idle {
    /// Those that no submission uses. They are reset.
    reset: Vec<vk::Fence>,
    /// Those of a lost device, which submissions may still use.
    lost: Vec<vk::Fence>,
}

/// The fences of a device that no timeline has.
pub(super) struct Fences(Mutex<Idle>);

impl Fences {
    pub(super) fn new() -> Fences {
        Fences(Mutex::new(Rank::Fences, Idle::default()))
    }

    /// Destroys the fences; called before their device is destroyed, when it is idle.
    pub(super) fn destroy(&self, device: &ash::Device) {
        let Idle { reset, lost } = std::mem::take(&mut *self.0.lock());
        for raw in reset.into_iter().chain(lost) {
            // SAFETY: nothing is pending on the fence, and no timeline has it.
            unsafe { device.destroy_fence(raw, None) };
        }
    }

    fn take(&self, device: &Device) -> Result<vk::Fence, VkError> {
        if let Some(raw) = self.0.lock().reset.pop() {
            return Ok(raw);
        }
        super::fault::object("vkCreateFence")?;
        // SAFETY: the device is alive.
        unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) }.call("vkCreateFence")
    }
}

/// The fence of a submission, which returns to its device's list when no thread waits for it any more.
pub(super) struct Fence {
    device: Arc<Device>,
    pub(super) raw: vk::Fence,
    /// Whether a submission has the fence, or may have it because the device was lost.
    submitted: bool,
}

impl Drop for Fence {
    fn drop(&mut self) {
        // A timeline lets go of a submitted fence once it is signalled, or after its batches. Only if the device is
        // lost may the submission still be pending then.
        let is_free = !self.submitted || (!self.device.is_lost() && self.status() == Ok(true));
        // SAFETY: the fence is not pending, and this is the last reference to it.
        let is_reset = is_free && unsafe { self.device.raw.reset_fences(&[self.raw]) }.is_ok();
        // After a panic, the fence is leaked.
        if let Some(mut idle) = self.device.fences.0.lock_to_release() {
            match is_reset {
                true => idle.reset.push(self.raw),
                false => idle.lost.push(self.raw),
            }
        }
    }
}

impl Fence {
    /// Returns whether the fence is signalled.
    fn status(&self) -> Result<bool, vk::Result> {
        // SAFETY: the fence is alive.
        unsafe { self.device.raw.get_fence_status(self.raw) }
    }
}

/// The pending submissions of a timeline, and the value that it has reached.
struct Pending {
    reached: u64,
    fences: VecDeque<(u64, Arc<Fence>)>,
}

/// A timeline of fences.
pub(super) struct FenceTimeline(Mutex<Pending>);

impl FenceTimeline {
    /// Makes a timeline whose value is 0.
    pub(super) fn new() -> FenceTimeline {
        FenceTimeline(Mutex::new(
            Rank::FenceTimeline,
            Pending {
                reached: 0,
                fences: VecDeque::new(),
            },
        ))
    }

    /// Calls `submit` with the fence that the submission has to signal. If it succeeds, the timeline reaches `value`
    /// with the fence.
    pub(super) fn submit(
        &self,
        device: &Arc<Device>,
        value: u64,
        submit: impl FnOnce(vk::Fence) -> Result<(), VkError>,
    ) -> Result<(), VkError> {
        let mut fence = Fence {
            device: Arc::clone(device),
            raw: device.fences.take(device)?,
            submitted: false,
        };
        // Other threads see the fence only after it has been submitted.
        submit(fence.raw).inspect_err(|e| fence.submitted = e.failure() == Failure::DeviceLost)?;
        fence.submitted = true;
        let mut pending = self.0.lock();
        let later = pending.fences.iter().position(|(v, _)| *v > value);
        let at = later.unwrap_or(pending.fences.len());
        pending.fences.insert(at, (value, Arc::new(fence)));
        Ok(())
    }

    /// Returns the value that the timeline has reached.
    pub(super) fn value(&self) -> Result<u64, VkError> {
        let mut done = Vec::new();
        let mut pending = self.0.lock();
        while let Some((value, fence)) = pending.fences.front() {
            if !fence.status().call("vkGetFenceStatus")? {
                break;
            }
            let value = *value;
            done.extend(pending.fences.pop_front());
            pending.reached = pending.reached.max(value);
        }
        let reached = pending.reached;
        drop(pending);
        // The fences return to the device's list after the lock has been released.
        drop(done);
        Ok(reached)
    }

    /// Returns the fence whose signal lets the timeline reach `value`; `None` if no pending submission does.
    pub(super) fn fence(&self, value: u64) -> Option<Arc<Fence>> {
        let pending = self.0.lock();
        let found = pending.fences.iter().find(|(v, _)| *v >= value);
        found.map(|(_, fence)| Arc::clone(fence))
    }
}

/// Waits until one of the fences is signalled, for at most `timeout`.
pub(super) fn wait(device: &Device, fences: &[Arc<Fence>], timeout: Duration) -> Result<(), VkError> {
    let raw: Vec<vk::Fence> = fences.iter().map(|f| f.raw).collect();
    // SAFETY: the fences are alive (borrowed) and of this device.
    match unsafe { device.raw.wait_for_fences(&raw, false, timeout.as_nanos() as u64) } {
        Ok(()) | Err(vk::Result::TIMEOUT) => Ok(()),
        Err(e) => Err(VkError::new("vkWaitForFences", e)),
    }
}
