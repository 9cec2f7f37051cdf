//! Pinned memory: host memory that the device itself copies from and to. It is the storage of
//! CL_MEM_ALLOC_HOST_PTR buffers, which applications map once and then pass to reads and writes of other
//! buffers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use super::recycling::Storage;
use crate::lock::{Mutex, Rank};

/// The pinned memory of a device.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    /// The ranges by their first addresses.
    ranges: Mutex<BTreeMap<usize, Range>>,
    /// Whether a range was ever added, so that applications without pinned memory never take the lock.
    any: AtomicBool,
}

struct Range {
    end: usize,
    memory: Weak<Storage>,
    root: usize,
}

impl std::fmt::Debug for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "..{:#x}", self.end)
    }
}

/// A location in pinned memory.
pub(crate) struct Pinned {
    /// The storage that contains it.
    pub memory: Arc<Storage>,
    /// Byte offset in the storage.
    pub offset: u64,
    /// Identifies the buffer that the storage belongs to, for hazards ([`crate::mem::Buffer::root_id`]).
    pub root: usize,
}

impl PinnedMemory {
    pub(super) fn new() -> PinnedMemory {
        PinnedMemory {
            ranges: Mutex::new(Rank::Cache, BTreeMap::new()),
            any: AtomicBool::new(false),
        }
    }

    /// Adds mapped storage, and removes the ranges whose storage has been released.
    pub(crate) fn add(&self, memory: &Arc<Storage>, root: usize) {
        let Some(mapped) = memory.mapped() else { return };
        let start = mapped.as_ptr().addr();
        let mut ranges = self.ranges.lock();
        ranges.retain(|_, range| range.memory.strong_count() > 0);
        let range = Range {
            end: start + memory.size() as usize,
            memory: Arc::downgrade(memory),
            root,
        };
        ranges.insert(start, range);
        self.any.store(true, Ordering::Release);
    }

    /// Returns the location of a range of host addresses (the second one is its end), if pinned memory contains
    /// the whole range.
    pub(crate) fn find(&self, (start, end): (usize, usize)) -> Option<Pinned> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let ranges = self.ranges.lock();
        let (first, range) = ranges.range(..=start).next_back()?;
        if end > range.end {
            return None;
        }
        Some(Pinned {
            memory: range.memory.upgrade()?,
            offset: (start - first) as u64,
            root: range.root,
        })
    }
}
