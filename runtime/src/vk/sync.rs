//! Timelines: 64-bit counters that the GPU raises and the host reads. They are timeline semaphores, or fences on devices
//! without these (`fences.rs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::vk;

use super::fences::{self, FenceTimeline};
use super::{Call, Device, VkError};
use crate::lock::{Mutex, Rank};

/// A timeline semaphore, which comes from the device's pool and returns there. Vulkan allows destroying it as soon as a
/// wait has returned, but with Mesa 22.3 this crashes about once in a hundred runs: Mesa's queue thread still unlocks
/// the semaphore that it has just signalled.
pub(super) struct Semaphore {
    pub(super) raw: vk::Semaphore,
    /// The semaphore's counter when this timeline got it; the timeline's values count from here.
    base: u64,
}

impl Semaphore {
    fn new(device: &Device) -> Result<Semaphore, VkError> {
        let (raw, base) = match device.timelines.take() {
            Some(used) => used,
            None => {
                let mut kind =
                    vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
                let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
                super::fault::object("vkCreateSemaphore")?;
                // SAFETY: the device is alive and has timeline semaphores.
                let raw = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
                (raw, 0)
            }
        };
        Ok(Semaphore { raw, base })
    }

    /// Returns the semaphore's counter at which the timeline has reached `value`.
    pub(super) fn count(&self, value: u64) -> u64 {
        self.base + value
    }
}

/// What raises a timeline.
pub(super) enum Counter {
    Semaphore(Semaphore),
    Fences(FenceTimeline),
}

/// A timeline.
pub(crate) struct Timeline {
    device: Arc<Device>,
    pub(super) counter: Counter,
    /// The highest value read so far; it saves Vulkan calls once a value has been reached.
    seen: AtomicU64,
}

impl Timeline {
    /// Makes a timeline whose value is 0.
    pub(crate) fn new(device: &Arc<Device>) -> Result<Timeline, VkError> {
        let counter = match device.timeline_semaphores {
            true => Counter::Semaphore(Semaphore::new(device)?),
            false => Counter::Fences(FenceTimeline::new()),
        };
        Ok(Timeline {
            device: Arc::clone(device),
            counter,
            seen: AtomicU64::new(0),
        })
    }

    /// Returns the device that the timeline belongs to.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns whether the GPU has reached `value`.
    pub(crate) fn reached(&self, value: u64) -> Result<bool, VkError> {
        Ok(self.has_reached(value) || self.value()? >= value)
    }

    /// Returns whether an earlier query has found that the GPU has reached `value`.
    fn has_reached(&self, value: u64) -> bool {
        self.seen.load(Ordering::Acquire) >= value
    }

    /// Returns whether the GPU will do nothing more for `value`: it has reached it, or the device is lost. If
    /// the query fails for another reason, the answer is no.
    pub(crate) fn is_over(&self, value: u64) -> bool {
        self.reached(value).unwrap_or_else(|_| self.device.is_lost())
    }

    /// Returns whether the driver has finished its work for `value`, so that the process may exit. The driver is queried even if
    /// the device is known to be lost, because it may still be compiling a pipeline for an earlier submission.
    pub(crate) fn is_settled(&self, value: u64) -> bool {
        let counter = || self.counter().map(|count| count >= value);
        self.has_reached(value) || counter().unwrap_or_else(|_| self.device.is_lost())
    }

    /// Reads the current value.
    pub(crate) fn value(&self) -> Result<u64, VkError> {
        let call = "vkGetSemaphoreCounterValue";
        self.device.note(super::fault::wait(call))?;
        self.device.look_for_loss_at_times()?;
        self.counter()
    }

    /// Reads the current value as [`Timeline::value`] does, but is not a site of fault injection, because one
    /// wait calls it many times.
    fn counter(&self) -> Result<u64, VkError> {
        let value = match &self.counter {
            Counter::Semaphore(semaphore) => {
                // SAFETY: the semaphore is alive.
                let result = unsafe { self.device.raw.get_semaphore_counter_value(semaphore.raw) };
                let count = self.device.note(result.call("vkGetSemaphoreCounterValue"))?;
                // Some drivers report a counter of all ones for a lost device.
                if count == u64::MAX {
                    return self.device.note(Err(VkError::new(
                        "vkGetSemaphoreCounterValue",
                        vk::Result::ERROR_DEVICE_LOST,
                    )));
                }
                count.saturating_sub(semaphore.base)
            }
            Counter::Fences(timeline) => self.device.note(timeline.value())?,
        };
        if value > self.seen.load(Ordering::Acquire) {
            self.seen.fetch_max(value, Ordering::AcqRel);
        }
        Ok(value)
    }

    /// Waits until the GPU has reached `value`. The thread first polls without a pause, then yields between polls, and
    /// finally blocks.
    pub(crate) fn wait(&self, value: u64) -> Result<(), VkError> {
        self.device.note(super::fault::wait("vkWaitSemaphores"))?;
        let reached = || Ok(self.has_reached(value) || self.counter()? >= value);
        let (spin, poll) = (self.device.tuning.spin, self.device.tuning.poll);
        let start = Instant::now();
        loop {
            if reached()? {
                return Ok(());
            }
            let waited = start.elapsed();
            if waited >= poll {
                break;
            }
            if waited < spin {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        loop {
            if self.device.is_lost() {
                return Err(VkError::new("waiting", vk::Result::ERROR_DEVICE_LOST));
            }
            let point = [(self, value)];
            self.device
                .note(wait_any(&self.device, &point, Duration::from_secs(1)))?;
            if reached()? {
                return Ok(());
            }
            self.device.look_for_loss()?;
        }
    }
}

/// Waits until one of the timelines has reached its value, for at most `timeout`. All timelines belong to the device.
pub(super) fn wait_any(
    device: &Device,
    points: &[(&Timeline, u64)],
    timeout: Duration,
) -> Result<(), VkError> {
    let mut semaphores = Vec::with_capacity(points.len());
    let mut values = Vec::with_capacity(points.len());
    let mut pending = Vec::new();
    for (timeline, value) in points {
        match &timeline.counter {
            Counter::Semaphore(semaphore) => {
                semaphores.push(semaphore.raw);
                values.push(semaphore.count(*value));
            }
            Counter::Fences(_) if timeline.reached(*value)? => return Ok(()),
            Counter::Fences(fences) => pending.extend(fences.fence(*value)),
        }
    }
    if !pending.is_empty() {
        return fences::wait(device, &pending, timeout);
    }
    if semaphores.is_empty() {
        // There is no fence yet, because nothing has been submitted for these values.
        std::thread::sleep(timeout.min(Duration::from_millis(1)));
        return Ok(());
    }
    let info = vk::SemaphoreWaitInfo::default()
        .flags(vk::SemaphoreWaitFlags::ANY)
        .semaphores(&semaphores)
        .values(&values);
    // SAFETY: the semaphores are alive (borrowed) and of this device.
    match unsafe { device.raw.wait_semaphores(&info, timeout.as_nanos() as u64) } {
        Ok(()) | Err(vk::Result::TIMEOUT) => Ok(()),
        Err(e) => Err(VkError::new("vkWaitSemaphores", e)),
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        let value = self.counter();
        match &self.counter {
            // By the batch rule no submission that uses the semaphore is pending, so the count is final.
            Counter::Semaphore(semaphore) => match value {
                Ok(value) => self.device.timelines.put(semaphore.raw, semaphore.count(value)),
                // SAFETY: the device is lost; nothing is pending on it.
                Err(_) => unsafe { self.device.raw.destroy_semaphore(semaphore.raw, None) },
            },
            Counter::Fences(_) => {}
        }
    }
}

/// Semaphores that no timeline uses, each with its counter.
pub(super) struct IdleTimelines(Mutex<Vec<(vk::Semaphore, u64)>>);

impl IdleTimelines {
    pub(super) fn new() -> IdleTimelines {
        IdleTimelines(Mutex::new(Rank::Timelines, Vec::new()))
    }

    fn take(&self) -> Option<(vk::Semaphore, u64)> {
        self.0.lock().pop()
    }

    fn put(&self, raw: vk::Semaphore, count: u64) {
        // After a panic, the semaphore is leaked.
        if let Some(mut idle) = self.0.lock_to_release() {
            idle.push((raw, count));
        }
    }

    /// Destroys the semaphores; called before their device is destroyed.
    pub(super) fn destroy(&self, device: &ash::Device) {
        for (raw, _) in self.0.lock().drain(..) {
            // SAFETY: nothing is pending on the semaphore, and no timeline owns it.
            unsafe { device.destroy_semaphore(raw, None) };
        }
    }
}
