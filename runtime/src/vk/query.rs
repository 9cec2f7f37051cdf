//! Time stamp queries.

use std::sync::Arc;

use ash::vk;

use super::{Call, Device, VkError};

/// A pool of time stamp queries, reused by every batch of its owner.
pub(crate) struct TimestampPool {
    device: Arc<Device>,
    pub(super) raw: vk::QueryPool,
    count: u32,
}

impl TimestampPool {
    /// Makes a pool of `count` time stamps.
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

    /// Returns the number of time stamps in the pool.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Reads the first `n` time stamps, in device ticks, into `out`. The batch that wrote them must have
    /// completed.
    pub(crate) fn read(&self, n: u32, out: &mut Vec<u64>) -> Result<(), VkError> {
        out.clear();
        out.resize(n as usize, 0);
        if n == 0 {
            return Ok(());
        }
        self.device.note(super::fault::wait("vkGetQueryPoolResults"))?;
        assert!(n <= self.count, "{n} time stamps");
        // SAFETY: the pool is alive; `n` is at most its size, as asserted above; `out` has room for `n` values.
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
