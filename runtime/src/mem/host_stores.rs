//! The host memory that commands in flight store into: one table for each context.
//!
//! A write copies from the application's memory when it is recorded, and the end of a mapping lets the GPU use that memory from
//! then on. Both would miss what an earlier command has not stored yet: a read, whose data arrives in staging memory first, or
//! the begin of a mapping, whose memory earlier kernels may still write. So each such command is in this table from the time when it is
//! recorded until its batch is retired, and a command that takes something from host memory asks the table. Commands
//! that are still deferred need no entry: whatever follows them is deferred, too.
//!
//! The table belongs to the context and not to a queue, so that a write on one queue finds the reads of the others
//! without taking the locks of those queues.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::command::HostRange;
use crate::lock::{Mutex, Rank};

/// Who stores.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Storer {
    /// The host, when the batch is retired: it copies out of staging memory.
    Host,
    /// The GPU: it writes into pinned or mapped memory.
    Gpu,
}

/// Names an entry of the table.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Entry {
    start: usize,
    number: u64,
}

/// The table.
#[derive(Debug)]
pub(crate) struct HostStores {
    /// The number of entries, so that most questions take no lock.
    count: AtomicUsize,
    list: Mutex<List>,
}

#[derive(Debug, Default)]
struct List {
    /// By start address; with the end address of each range.
    ranges: BTreeMap<Entry, (usize, Storer)>,
    /// No range is longer. It is reset when the table is empty.
    longest: usize,
    /// The number of the next entry.
    next: u64,
}

impl HostStores {
    /// An empty table.
    pub(crate) fn new() -> HostStores {
        HostStores {
            count: AtomicUsize::new(0),
            list: Mutex::new(Rank::HostStores, List::default()),
        }
    }

    /// A command that stores into a range has been recorded.
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

    /// The commands of these entries have stored all they will ever store.
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

    /// Whether a command in flight stores into a range of host addresses.
    pub(crate) fn overlap(&self, range: HostRange) -> bool {
        self.any(range, |_| true)
    }

    /// Whether the host has yet to store into a range what a command in flight brings.
    pub(crate) fn overlap_by_host(&self, range: HostRange) -> bool {
        self.any(range, |storer| storer == Storer::Host)
    }

    fn any(&self, (start, end): HostRange, counts: impl Fn(Storer) -> bool) -> bool {
        // What the caller depends on was added before it: in its own queue under that queue's lock, in another
        // before the event changed that the caller waits for.
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
        // The longest range is forgotten with the last entry.
        table.add((100, 101), Storer::Host);
        assert_eq!(table.list.lock().longest, 1);
    }
}
