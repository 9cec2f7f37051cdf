//! Timeline semaphores: a 64-bit count that the GPU raises and the host polls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ash::vk;

use super::{Call, Device, VkError};

/// A timeline.
pub(crate) struct Timeline {
    device: Arc<Device>,
    pub(super) raw: vk::Semaphore,
    /// The highest value seen; saves calls once a value has been reached.
    seen: AtomicU64,
}

impl Timeline {
    /// Starts at 0.
    pub(crate) fn new(device: &Arc<Device>) -> Result<Timeline, VkError> {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
        // SAFETY: the device is alive and has timeline semaphores.
        let raw = unsafe { device.raw.create_semaphore(&info, None) }.call("vkCreateSemaphore")?;
        Ok(Timeline {
            device: Arc::clone(device),
            raw,
            seen: AtomicU64::new(0),
        })
    }

    /// The device.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Whether the GPU has reached `value`.
    pub(crate) fn reached(&self, value: u64) -> Result<bool, VkError> {
        if self.seen.load(Ordering::Acquire) >= value {
            return Ok(true);
        }
        Ok(self.value()? >= value)
    }

    /// The value now.
    pub(crate) fn value(&self) -> Result<u64, VkError> {
        // SAFETY: the semaphore is alive.
        let result = unsafe { self.device.raw.get_semaphore_counter_value(self.raw) };
        let value = self.device.note(result.call("vkGetSemaphoreCounterValue"))?;
        // Some drivers answer all ones for a lost device.
        if value == u64::MAX {
            return self.device.note(Err(VkError::new(
                "vkGetSemaphoreCounterValue",
                vk::Result::ERROR_DEVICE_LOST,
            )));
        }
        self.seen.fetch_max(value, Ordering::AcqRel);
        Ok(value)
    }

    /// Polls for a while, then blocks, until the GPU has reached `value`.
    pub(crate) fn wait(&self, value: u64) -> Result<(), VkError> {
        let start = Instant::now();
        loop {
            if self.reached(value)? {
                return Ok(());
            }
            if start.elapsed() >= self.device.spin {
                break;
            }
            std::hint::spin_loop();
        }
        loop {
            if self.device.is_lost() {
                return Err(VkError::new("waiting", vk::Result::ERROR_DEVICE_LOST));
            }
            self.block(value, Duration::from_secs(1))?;
            if self.reached(value)? {
                return Ok(());
            }
        }
    }

    fn block(&self, value: u64, timeout: Duration) -> Result<(), VkError> {
        let semaphores = [self.raw];
        let values = [value];
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
        // SAFETY: the batch rule: no submission that uses the semaphore is pending.
        unsafe { self.device.raw.destroy_semaphore(self.raw, None) };
    }
}
