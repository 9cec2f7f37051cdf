//! The mappings of a buffer (CL 5.4.2): which regions are mapped, and at which addresses.

use std::ops::Range;
use std::sync::Arc;

use super::claim::Hold;

/// A mapping of a region.
#[derive(Clone, Debug)]
pub(crate) struct Mapping {
    /// The address that the application got.
    pub address: usize,
    /// Byte offset in the root buffer.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Whether it was mapped for writing, so that the application may have written.
    pub write: bool,
    /// The device whose storage the address points into, if it points into storage.
    pub device: usize,
    /// What keeps the contents on the device, if it was mapped for writing in a context with several devices.
    pub hold: Option<Arc<Hold>>,
}

/// The mappings of a root buffer, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Maps {
    list: Vec<Mapping>,
}

impl Maps {
    pub(crate) fn add(&mut self, mapping: Mapping) {
        self.list.push(mapping);
    }

    /// Returns the ranges of the root that are mapped for writing and overlap `range`, sorted by their starts.
    /// `address` is the address of a mapping of `range`. Only mappings that put the bytes at the same addresses count.
    pub(crate) fn written(&self, address: usize, range: &Range<u64>) -> Vec<Range<u64>> {
        let base = |address: usize, offset: u64| address.wrapping_sub(offset as usize);
        let origin = base(address, range.start);
        let overlaps = |m: &&Mapping| {
            m.write
                && m.offset < range.end
                && range.start < m.offset + m.size
                && base(m.address, m.offset) == origin
        };
        let found = self.list.iter().filter(overlaps);
        let mut ranges: Vec<_> = found.map(|m| m.offset..m.offset + m.size).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        ranges
    }

    /// Returns whether there is a mapping at an address that starts in a range of the root.
    pub(crate) fn has(&self, address: usize, range: &Range<u64>) -> bool {
        let found = |m: &Mapping| m.address == address && range.contains(&m.offset);
        self.list.iter().any(found)
    }

    /// Removes the oldest mapping at an address and returns it, if its region starts in a range of the root.
    pub(crate) fn remove(&mut self, address: usize, range: Range<u64>) -> Option<Mapping> {
        let found = |m: &Mapping| m.address == address && range.contains(&m.offset);
        let at = self.list.iter().position(found)?;
        Some(self.list.remove(at))
    }

    /// Returns the number of mappings that lie in a range.
    pub(crate) fn count(&self, offset: u64, size: u64) -> u32 {
        self.list
            .iter()
            .filter(|m| m.offset >= offset && m.offset + m.size <= offset + size)
            .count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_nest_and_are_counted_by_range() {
        let m = |address, offset, size| Mapping {
            address,
            offset,
            size,
            write: false,
            device: 0,
            hold: None,
        };
        let is = |removed: Option<Mapping>, size| removed.is_some_and(|m| m.address == 100 && m.size == size);
        let mut maps = Maps::default();
        maps.add(m(100, 0, 64));
        maps.add(m(100, 0, 32));
        maps.add(m(164, 64, 64));
        assert_eq!(maps.count(0, 128), 3);
        assert_eq!(maps.count(64, 64), 1);
        assert!(maps.written(100, &(0..128)).is_empty());
        let write = Mapping {
            write: true,
            ..m(140, 40, 16)
        };
        maps.add(write);
        let written = maps.written(132, &(32..64));
        assert_eq!((written.len(), &written[0]), (1, &(40..56)));
        assert!(maps.written(156, &(56..64)).is_empty());
        assert!(maps.written(200, &(32..64)).is_empty());
        assert!(is(maps.remove(100, 0..128), 64));
        assert!(is(maps.remove(100, 0..128), 32));
        assert!(maps.remove(100, 0..128).is_none());
        assert!(maps.remove(164, 0..64).is_none());
    }
}
