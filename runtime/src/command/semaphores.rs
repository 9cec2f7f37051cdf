//! Waits for semaphores that are shared with other APIs, and signals of them.
//!
//! A Vulkan submission waits before all of its commands, and signals after them. So a wait is the first command of its batch,
//! and a signal the last one ([`crate::queue`]). Both are submitted at once, so that the queues of several contexts, which may
//! share one semaphore, use it in the order of the enqueue calls.

use std::sync::Arc;

use crate::queue::Recording;
use crate::vk::SharedSemaphore;

/// A wait or a signal. Without semaphores it does nothing.
#[derive(Default)]
pub(crate) struct Semaphores {
    pub list: Vec<Arc<SharedSemaphore>>,
    /// Whether the command signals the semaphores. Otherwise it waits for them.
    pub signal: bool,
}

impl Semaphores {
    /// Returns whether the command must be the first of its batch.
    pub(super) fn comes_first(&self) -> bool {
        !self.signal && !self.list.is_empty()
    }

    /// Returns whether the command must be the last of its batch.
    pub(super) fn comes_last(&self) -> bool {
        !self.list.is_empty()
    }

    pub(super) fn record(&self, r: &mut Recording<'_>) {
        r.share_semaphores(&self.list, self.signal);
    }
}
