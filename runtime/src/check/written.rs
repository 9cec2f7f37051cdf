//! Which bytes of a buffer have been written, for the check of uninitialized memory.
//!
//! The host notes what its commands write when they are enqueued. That is before they write, so a byte may count as written
//! too early, but never too late. Kernels note their stores in the shadow memory of the buffer, which has one byte for each
//! byte of the buffer. It is allocated when the first kernel that uses it is enqueued, unless all of the buffer counts as
//! written by then. What the host notes later is filled in before the next launch of each queue.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::sync::OnceCell;

use crate::device::Device;
use crate::device::recycling::Storage;
use crate::error::Result;
use crate::lock::{Mutex, Rank};
use crate::mem::HostPtr;

/// The most ranges of a buffer; if there are more, the gaps between them count as written.
const MOST: usize = 256;

/// The bytes that are uploaded at a time.
const CHUNK: u64 = 16 << 20;

/// What has been written of a buffer.
pub(crate) struct Written {
    size: u64,
    /// Whether everything counts as written.
    all: AtomicBool,
    ranges: Mutex<Ranges>,
    /// The shadow memory of the buffer, and the version of the ranges with which it was filled at first.
    beside: OnceCell<(Arc<Storage>, u64)>,
}

/// The ranges that commands of the host have written.
#[derive(Default)]
struct Ranges {
    /// In ascending order, apart from each other.
    list: Vec<Range<u64>>,
    /// The number of changes.
    version: u64,
    /// The version that each queue has filled in.
    filled: Vec<(u32, u64)>,
}

impl Ranges {
    /// Adds a range. Returns whether the list has changed.
    fn add(&mut self, range: &Range<u64>) -> bool {
        let first = self.list.partition_point(|r| r.end < range.start);
        let after = self.list.partition_point(|r| r.start <= range.end);
        let touched = &self.list[first..after.max(first)];
        if let [one] = touched
            && one.start <= range.start
            && range.end <= one.end
        {
            return false;
        }
        let start = touched.first().map_or(range.start, |r| r.start.min(range.start));
        let end = touched.last().map_or(range.end, |r| r.end.max(range.end));
        let joined = std::iter::once(start..end);
        self.list.splice(first..after.max(first), joined);
        if self.list.len() > MOST {
            // The gaps between the ranges then count as written.
            let hull = self.list[0].start..self.list[MOST].end;
            self.list = vec![hull];
        }
        self.version += 1;
        true
    }
}

impl Written {
    /// Makes the state of a buffer of which nothing has been written.
    pub(super) fn new(size: u64) -> Written {
        Written {
            size,
            all: AtomicBool::new(false),
            ranges: Mutex::new(Rank::Cache, Ranges::default()),
            beside: OnceCell::new(),
        }
    }

    /// Notes that a range is being written.
    pub(crate) fn note(&self, range: &Range<u64>) {
        if self.is_all() || range.is_empty() {
            return;
        }
        let mut ranges = self.ranges.lock();
        ranges.add(range);
        if let [one] = &ranges.list[..]
            && one.start == 0
            && one.end >= self.size
        {
            self.note_all();
        }
    }

    /// Notes that everything counts as written from now on.
    pub(crate) fn note_all(&self) {
        self.all.store(true, Ordering::Relaxed);
    }

    fn is_all(&self) -> bool {
        self.all.load(Ordering::Relaxed)
    }

    /// Makes the shadow memory of the buffer, before a launch is enqueued that may need it. No lock may be held.
    pub(crate) fn prepare(&self, device: &Device) {
        if self.is_all() {
            return;
        }
        if let Err(e) = self.beside.get_or_try_init(|| self.make(device)) {
            log::warn!(
                "uninitialized: a buffer of {} bytes is not checked, because there is no memory for what is kept about it: {}",
                self.size,
                e.chain()
            );
            self.note_all();
        }
    }

    fn make(&self, device: &Device) -> Result<(Arc<Storage>, u64)> {
        let storage = Arc::new(crate::mem::buffer::memory_beside(device, self.size)?);
        let (list, version) = {
            let ranges = self.ranges.lock();
            (ranges.list.clone(), ranges.version)
        };
        for start in (0..self.size).step_by(CHUNK as usize) {
            let end = (start + CHUNK).min(self.size);
            let mut bytes = vec![0u8; (end - start) as usize];
            for range in &list {
                let (from, to) = (range.start.clamp(start, end), range.end.clamp(start, end));
                bytes[(from - start) as usize..(to - start) as usize].fill(u8::MAX);
            }
            device.upload(&storage, start, HostPtr::of_slice(&bytes), end - start)?;
        }
        Ok((storage, version))
    }

    /// Returns the shadow memory of the buffer, and the ranges of it that must be filled with ones before a launch on a queue;
    /// `None` if everything counts as written.
    pub(crate) fn for_launch(&self, queue: u32) -> Option<(Arc<Storage>, Vec<Range<u64>>)> {
        let (storage, first) = self.beside.get().filter(|_| !self.is_all())?;
        let mut ranges = self.ranges.lock();
        let Ranges {
            list,
            version,
            filled,
        } = &mut *ranges;
        let known = filled.iter().position(|(q, _)| *q == queue).unwrap_or_else(|| {
            filled.push((queue, *first));
            filled.len() - 1
        });
        let is_new = std::mem::replace(&mut filled[known].1, *version) < *version;
        // Fills have whole words. The bytes next to a range count as written.
        let words = |r: &Range<u64>| r.start & !3..r.end.next_multiple_of(4);
        let list = list.iter().filter(|_| is_new).map(words);
        Some((Arc::clone(storage), list.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        let mut ranges = Ranges::default();
        for (range, changes) in [(8..12, true), (20..24, true), (9..11, false), (0..4, true)] {
            assert_eq!(ranges.add(&range), changes);
        }
        assert_eq!(ranges.list, [0..4, 8..12, 20..24]);
        assert!(ranges.add(&(4..8)));
        assert_eq!(ranges.list, [0..12, 20..24]);
        assert!(ranges.add(&(11..30)));
        assert_eq!(ranges.list, std::slice::from_ref(&(0..30)));
        assert_eq!(ranges.version, 5);
    }

    #[test]
    fn many_ranges_become_one() {
        let mut ranges = Ranges::default();
        for n in 0..=MOST as u64 {
            ranges.add(&(4 * n..4 * n + 1));
        }
        let all = 0..4 * MOST as u64 + 1;
        assert_eq!(ranges.list, std::slice::from_ref(&all));
    }

    #[test]
    fn a_buffer_that_is_written_needs_no_memory() {
        let written = Written::new(64);
        written.note(&(0..32));
        assert!(!written.is_all());
        written.note(&(32..64));
        assert!(written.is_all() && written.for_launch(1).is_none());
    }
}
