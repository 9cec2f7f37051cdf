//! Time stamps.

use std::sync::Arc;

use ash::vk;

use super::{Call, Device, VkError};

/// A pool of time stamps, reused by every batch of its owner.
pub(crate) struct TimestampPool {
    device: Arc<Device>,
    pub(super) raw: vk::QueryPool,
    count: u32,
}

impl TimestampPool {
    /// Room for so many time stamps.
    pub(crate) fn new(device: &Arc<Device>, count: u32) -> Result<TimestampPool, VkError> {
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::TIMESTAMP)
            .query_count(count);
        super::fault::object("vkCreateQueryPool")?;
        // SAFETY: the device is alive.
        let raw = unsafe { device.raw.create_query_pool(&info, None) }.call("vkCreateQueryPool")?;
        Ok(TimestampPool {
            device: Arc::clone(device),
            raw,
            count,
        })
    }

    /// How many fit.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The first `n`, in device ticks, after the batch that wrote them is done.
    pub(crate) fn read(&self, n: u32, out: &mut Vec<u64>) -> Result<(), VkError> {
        out.clear();
        out.resize(n as usize, 0);
        if n == 0 {
            return Ok(());
        }
        self.device.note(super::fault::wait("vkGetQueryPoolResults"))?;
        // SAFETY: the pool is alive; n is at most its size (the caller); `out` has n u64.
        let result = unsafe {
            self.device
                .raw
                .get_query_pool_results(self.raw, 0, out, vk::QueryResultFlags::TYPE_64)
        };
        self.device.note(result.call("vkGetQueryPoolResults"))
    }
}

impl Drop for TimestampPool {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command writes the pool.
        unsafe { self.device.raw.destroy_query_pool(self.raw, None) };
    }
}
