//! The mappings of a buffer (CL 5.4.2): which regions the application holds, and where they appear.

use std::ops::Range;

/// One mapping.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mapping {
    /// What the application was given.
    pub address: usize,
    /// Byte offset in the root.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// The application may have written.
    pub write: bool,
    /// The device in whose storage it appears, if it does.
    pub device: usize,
}

/// The mappings of a root, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Maps {
    list: Vec<Mapping>,
}

impl Maps {
    pub(crate) fn add(&mut self, mapping: Mapping) {
        self.list.push(mapping);
    }

    /// Whether there is a mapping at an address that starts in a range of the root.
    pub(crate) fn has(&self, address: usize, range: &Range<u64>) -> bool {
        let found = |m: &Mapping| m.address == address && range.contains(&m.offset);
        self.list.iter().any(found)
    }

    /// Removes the oldest mapping at an address, if it starts in a range of the root.
    pub(crate) fn remove(&mut self, address: usize, range: Range<u64>) -> Option<Mapping> {
        let found = |m: &Mapping| m.address == address && range.contains(&m.offset);
        let at = self.list.iter().position(found)?;
        Some(self.list.remove(at))
    }

    /// How many lie in a range.
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
        };
        let mut maps = Maps::default();
        maps.add(m(100, 0, 64));
        maps.add(m(100, 0, 32));
        maps.add(m(164, 64, 64));
        assert_eq!(maps.count(0, 128), 3);
        assert_eq!(maps.count(64, 64), 1);
        assert_eq!(maps.remove(100, 0..128), Some(m(100, 0, 64)));
        assert_eq!(maps.remove(100, 0..128), Some(m(100, 0, 32)));
        assert_eq!(maps.remove(100, 0..128), None);
        assert_eq!(maps.remove(164, 0..64), None);
    }
}
