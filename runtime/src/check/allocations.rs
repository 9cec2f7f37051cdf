//! The allocations of a context, by address, for the checks of pointers that kernels load from memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lock::{Mutex, Rank};

/// A range of device addresses that kernels may access.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub start: u64,
    pub end: u64,
    /// What it is, in words.
    pub words: String,
}

impl Range {
    pub(super) fn new(start: u64, size: u64, words: String) -> Range {
        let end = start + size;
        Range { start, end, words }
    }
}

/// The storage of the buffers of a context, by device and address, with the address after the end and the number of the
/// buffer.
pub(crate) struct Allocations {
    ranges: Mutex<BTreeMap<(usize, u64), (u64, u64)>>,
    next: AtomicU64,
}

impl Allocations {
    pub(crate) fn new() -> Arc<Allocations> {
        Arc::new(Allocations {
            ranges: Mutex::new(Rank::Cache, BTreeMap::new()),
            next: AtomicU64::new(1),
        })
    }

    /// Returns the allocations on a device.
    pub(super) fn on_device(&self, device: usize) -> Vec<Range> {
        let ranges = self.ranges.lock();
        let of_device = ranges.range((device, 0)..=(device, u64::MAX));
        let words = |end: u64, start: u64, number: u64| format!("buffer {number} of {} bytes", end - start);
        of_device
            .map(|(&(_, start), &(end, number))| Range::new(start, end - start, words(end, start, number)))
            .collect()
    }
}

/// The entries of a buffer while it exists.
#[derive(Default)]
pub(crate) struct Noted {
    /// `None` if the context makes no checks.
    allocations: Option<Arc<Allocations>>,
    number: u64,
}

impl Noted {
    /// Gives a new buffer its number.
    pub(crate) fn new(allocations: Option<&Arc<Allocations>>) -> Noted {
        Noted {
            number: allocations.map_or(0, |a| a.next.fetch_add(1, Ordering::Relaxed)),
            allocations: allocations.cloned(),
        }
    }

    /// Returns the number of the buffer: the context's buffers are numbered from 1 in the order of their creation; 0 if the
    /// context makes no checks.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Notes the storage of the buffer on a device.
    pub(crate) fn add(&self, device: usize, address: u64, size: u64) {
        if let Some(allocations) = &self.allocations {
            let mut ranges = allocations.ranges.lock();
            ranges.insert((device, address), (address + size, self.number));
        }
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(allocations) = &self.allocations {
            let mut ranges = allocations.ranges.lock();
            ranges.retain(|_, (_, number)| *number != self.number);
        }
    }
}
