//! Timeline semaphores: a 64-bit count that the GPU raises and the host polls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::vk;

use super::{Call, Device, VkError};
use crate::lock::{Mutex, Rank};

/// A timeline. Its semaphore comes from the device's pool and goes back there: to destroy it as soon as a wait
/// for it has returned is allowed, but Mesa's queue thread still unlocks what it has just signalled (seen with
/// 22.3 as a crash once in a hundred runs).
pub(crate) struct Timeline {
    device: Arc<Device>,
    pub(super) raw: vk::Semaphore,
    /// What the semaphore counted before this timeline had it.
    base: u64,
    /// The highest value seen; saves calls once a value has been reached.
    seen: AtomicU64,
}

impl Timeline {
    /// Starts at 0.
    pub(crate) fn new(device: &Arc<Device>) -> Result<Timeline, VkError> {
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
        Ok(Timeline {
            device: Arc::clone(device),
            raw,
            base,
            seen: AtomicU64::new(0),
        })
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// What the semaphore counts when this timeline has reached `value`.
    pub(super) fn count(&self, value: u64) -> u64 {
        self.base + value
    }

    /// Whether the GPU has reached `value`.
    pub(crate) fn reached(&self, value: u64) -> Result<bool, VkError> {
        Ok(self.has_reached(value) || self.value()? >= value)
    }

    /// Whether it is known to have.
    fn has_reached(&self, value: u64) -> bool {
        self.seen.load(Ordering::Acquire) >= value
    }

    /// Whether the GPU will do nothing more for `value`: it has reached it, or the device is lost. A question that fails for another
    /// reason says nothing, and the answer is no.
    pub(crate) fn is_over(&self, value: u64) -> bool {
        self.reached(value).unwrap_or_else(|_| self.device.is_lost())
    }

    /// The value now.
    pub(crate) fn value(&self) -> Result<u64, VkError> {
        let call = "vkGetSemaphoreCounterValue";
        self.device.note(super::fault::wait(call))?;
        self.counter()
    }

    /// [`Timeline::value`], of which one wait may ask many times.
    fn counter(&self) -> Result<u64, VkError> {
        // SAFETY: the semaphore is alive.
        let result = unsafe { self.device.raw.get_semaphore_counter_value(self.raw) };
        let count = self.device.note(result.call("vkGetSemaphoreCounterValue"))?;
        // Some drivers answer all ones for a lost device.
        if count == u64::MAX {
            return self.device.note(Err(VkError::new(
                "vkGetSemaphoreCounterValue",
                vk::Result::ERROR_DEVICE_LOST,
            )));
        }
        let value = count.saturating_sub(self.base);
        if value > self.seen.load(Ordering::Acquire) {
            self.seen.fetch_max(value, Ordering::AcqRel);
        }
        Ok(value)
    }

    /// Polls for a while, then polls and lets others run, then blocks, until the GPU has reached `value`.
    pub(crate) fn wait(&self, value: u64) -> Result<(), VkError> {
        self.device.note(super::fault::wait("vkWaitSemaphores"))?;
        let reached = || Ok(self.has_reached(value) || self.counter()? >= value);
        let patience = self.device.patience;
        let start = Instant::now();
        loop {
            if reached()? {
                return Ok(());
            }
            let waited = start.elapsed();
            if waited >= patience.poll {
                break;
            }
            if waited < patience.spin {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        loop {
            if self.device.is_lost() {
                return Err(VkError::new("waiting", vk::Result::ERROR_DEVICE_LOST));
            }
            self.block(value, Duration::from_secs(1))?;
            if reached()? {
                return Ok(());
            }
        }
    }

    fn block(&self, value: u64, timeout: Duration) -> Result<(), VkError> {
        let semaphores = [self.raw];
        let values = [self.count(value)];
        let info = vk::SemaphoreWaitInfo::default()
            .semaphores(&semaphores)
            .values(&values);
        // SAFETY: the semaphore is alive.
        match unsafe { self.device.raw.wait_semaphores(&info, timeout.as_nanos() as u64) } {
            Ok(()) | Err(vk::Result::TIMEOUT) => Ok(()),
            Err(e) => self.device.note(Err(VkError::new("vkWaitSemaphores", e))),
        }
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        match self.value() {
            // The batch rule: no submission that uses the semaphore is pending, so the count is final.
            Ok(value) => self.device.timelines.put(self.raw, self.count(value)),
            // SAFETY: the device is lost; nothing is pending on it.
            Err(_) => unsafe { self.device.raw.destroy_semaphore(self.raw, None) },
        }
    }
}

/// How a thread waits for the GPU before it blocks.
#[derive(Copy, Clone, Debug)]
pub(super) struct Patience {
    /// So long it does nothing but poll.
    spin: Duration,
    /// So long it polls.
    poll: Duration,
    /// Another thread may poll to put off submissions.
    pub(super) gather: bool,
}

impl Patience {
    /// A blocked thread wakes up late: 40 µs at best, and up to 0.8 ms after milliseconds in a virtual machine, which is
    /// more than many kernels take.
    pub(super) const GPU: Patience = Patience {
        spin: Duration::from_micros(60),
        poll: Duration::from_millis(20),
        gather: true,
    };

    /// Polling takes time from the very threads that are waited for.
    pub(super) const CPU: Patience = Patience {
        spin: Duration::from_micros(5),
        poll: Duration::from_micros(5),
        gather: false,
    };
}

/// Semaphores between two timelines, each with its count.
pub(super) struct IdleTimelines(Mutex<Vec<(vk::Semaphore, u64)>>);

impl IdleTimelines {
    pub(super) fn new() -> IdleTimelines {
        IdleTimelines(Mutex::new(Rank::Timelines, Vec::new()))
    }

    fn take(&self) -> Option<(vk::Semaphore, u64)> {
        self.0.lock().pop()
    }

    fn put(&self, raw: vk::Semaphore, count: u64) {
        self.0.lock().push((raw, count));
    }

    /// Destroys them, before their device.
    pub(super) fn destroy(&self, device: &ash::Device) {
        for (raw, _) in self.0.lock().drain(..) {
            // SAFETY: nothing is pending on it, and nothing else has it.
            unsafe { device.destroy_semaphore(raw, None) };
        }
    }
}
