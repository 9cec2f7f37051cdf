//! The ranges of host memory that commands in flight store into: one table for each context.
//!
//! A write copies from the application's memory when it is recorded, and unmapping lets the GPU use the mapped
//! memory from then on. Both would miss bytes that an earlier command has not stored yet: those of a read,
//! which arrive in staging memory first, or those of a mapping, which earlier kernels may still write. So each
//! command that stores into host memory has an entry in this table from its recording until its batch is
//! retired, and a command that reads host memory looks for overlapping entries first. Deferred commands need no
//! entry, because the commands that follow them are deferred, too.
//!
//! The table belongs to the context and not to a queue, so that a write on one queue finds the reads of the
//! other queues without taking their locks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::command::HostRange;
use crate::lock::{Mutex, Rank};

/// The processor that stores.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Storer {
    /// The host stores when the batch is retired: it copies out of staging memory.
    Host,
    /// The GPU stores: it writes into pinned or mapped memory.
    Gpu,
}

/// The key of an entry of the table.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Entry {
    start: usize,
    number: u64,
}

/// The table of a context.
#[derive(Debug)]
pub(crate) struct HostStores {
    /// The number of entries; while it is 0, queries take no lock.
    count: AtomicUsize,
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    /// The entries in the order of their start addresses, each with the end address of its range.
    ranges: BTreeMap<Entry, (usize, Storer)>,
    /// An upper bound of the lengths of all ranges in bytes. It is reset when the table becomes empty.
    longest: usize,
    /// The number of the next entry.
    next: u64,
}

impl HostStores {
    /// Makes an empty table.
    pub(crate) fn new() -> HostStores {
        HostStores {
            count: AtomicUsize::new(0),
            list: Mutex::new(Rank::HostStores, List::default()),
        }
    }

    /// Adds an entry for a command that stores into a range and is being recorded.
    pub(crate) fn add(&self, (start, end): HostRange, storer: Storer) -> Entry {
        let mut list = self.list.lock();
        let entry = Entry {
            start,
            number: list.next,
        };
        list.next += 1;
        list.longest = list.longest.max(end - start);
        list.ranges.insert(entry, (end, storer));
        self.count.store(list.ranges.len(), Ordering::Release);
        entry
    }

    /// Removes the entries of commands whose stores are complete.
    pub(crate) fn remove(&self, entries: impl Iterator<Item = Entry>) {
        let mut entries = entries.peekable();
        if entries.peek().is_none() {
            return;
        }
        let mut list = self.list.lock();
        for entry in entries {
            list.ranges.remove(&entry);
        }
        if list.ranges.is_empty() {
            list.longest = 0;
        }
        self.count.store(list.ranges.len(), Ordering::Release);
    }

    /// Returns whether a command in flight stores into a range of host addresses.
    pub(crate) fn overlap(&self, range: HostRange) -> bool {
        self.any(range, |_| true)
    }

    /// Returns whether the host will store into a range when it retires a batch.
    pub(crate) fn overlap_by_host(&self, range: HostRange) -> bool {
        self.any(range, |storer| storer == Storer::Host)
    }

    fn any(&self, (start, end): HostRange, counts: impl Fn(Storer) -> bool) -> bool {
        // The entries that the caller depends on were added before this load: those of its own queue under that
        // queue's lock, and those of another queue before the status change of the event that the caller waits
        // for.
        if self.count.load(Ordering::Acquire) == 0 {
            return false;
        }
        let list = self.list.lock();
        let at = |start| Entry { start, number: 0 };
        let first = at(start.saturating_sub(list.longest));
        let mut ranges = list.ranges.range(first..at(end));
        ranges.any(|(_, (e, storer))| start < *e && counts(*storer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_wherever_they_overlap() {
        let table = HostStores::new();
        assert!(!table.overlap((0, usize::MAX)));
        let long = table.add((1000, 9000), Storer::Gpu);
        let short = table.add((8000, 8010), Storer::Host);
        let again = table.add((8000, 8010), Storer::Host);
        assert!(table.overlap((8999, 9001)) && table.overlap((0, 1001)));
        assert!(!table.overlap((9000, 9001)) && !table.overlap((999, 1000)));
        assert!(table.overlap_by_host((8009, 8500)) && !table.overlap_by_host((8010, 8500)));
        table.remove([short].into_iter());
        assert!(table.overlap_by_host((8000, 8001)));
        table.remove([again, long].into_iter());
        assert!(!table.overlap((0, usize::MAX)));
        // The greatest length is reset when the last entry is removed.
        table.add((100, 101), Storer::Host);
        assert_eq!(table.list.lock().longest, 1);
    }
}
