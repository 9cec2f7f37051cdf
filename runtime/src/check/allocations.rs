//! The allocations of a context, by address, for the checks of pointers that kernels load from memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::written::Written;
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
    /// What has been written of each buffer, by its number.
    written: Mutex<BTreeMap<u64, Arc<Written>>>,
    /// Whether a check wants to know what has been written of buffers.
    know_writes: bool,
}

impl Allocations {
    /// Makes an empty list. `know_writes` tells whether a check wants to know what has been written of buffers.
    pub(crate) fn new(know_writes: bool) -> Arc<Allocations> {
        Arc::new(Allocations {
            written: Mutex::new(Rank::Cache, BTreeMap::new()),
            know_writes,
            ranges: Mutex::new(Rank::Cache, BTreeMap::new()),
            next: AtomicU64::new(1),
        })
    }

    /// Returns whether a check wants to know what has been written of buffers.
    pub(crate) fn know_writes(&self) -> bool {
        self.know_writes
    }

    /// Notes that all buffers count as written from now on.
    pub(crate) fn note_all_written(&self) {
        self.written.lock().values().for_each(|w| w.note_all());
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

/// The entries of a buffer in the [`Allocations`] of its context, which end with the buffer.
#[derive(Default)]
pub(crate) struct Noted {
    /// `None` if the context makes no checks.
    allocations: Option<Arc<Allocations>>,
    number: u64,
    /// What has been written, if a check wants to know that.
    written: Option<Arc<Written>>,
}

impl Noted {
    /// Gives a new buffer its number. `allocations` are those of its context, if it makes checks.
    pub(crate) fn new(allocations: Option<&Arc<Allocations>>) -> Noted {
        Noted {
            number: allocations.map_or(0, |a| a.next.fetch_add(1, Ordering::Relaxed)),
            allocations: allocations.cloned(),
            written: None,
        }
    }

    /// Begins to note what is written of the new buffer, if a check wants to know that.
    pub(crate) fn know_writes(&mut self, size: u64) {
        let Some(allocations) = self.allocations.as_ref().filter(|a| a.know_writes) else {
            return;
        };
        let written = Arc::new(Written::new(size));
        allocations
            .written
            .lock()
            .insert(self.number, Arc::clone(&written));
        self.written = Some(written);
    }

    /// Returns what has been written, if a check wants to know that.
    pub(crate) fn written(&self) -> Option<&Arc<Written>> {
        self.written.as_ref()
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
            drop(ranges);
            allocations.written.lock().remove(&self.number);
        }
    }
}
