//! Host memory that a command has filled, and its digest.
#![allow(unsafe_code, reason = "the memory belongs to the program")]

use crate::digest::{Digest, Digester};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// The number of bytes that are copied at a time.
const PIECE: usize = 1 << 16;

/// The host memory of a read or of a mapping: rows in slices.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    /// The address of the first byte.
    pub(crate) address: usize,
    /// The bytes of a row, the number of rows, and the number of slices.
    pub(crate) extent: [usize; 3],
    /// The distances in bytes between rows and between slices.
    pub(crate) pitches: [usize; 2],
}

impl Region {
    /// Returns a region without gaps.
    pub(crate) fn plain(address: usize, bytes: usize) -> Region {
        Region::new(address, [bytes, 1, 1], [0, 0])
    }

    /// Returns a region whose pitches may be 0, which means that there are no gaps.
    pub(crate) fn new(address: usize, extent: [usize; 3], pitches: [usize; 2]) -> Region {
        let row = if pitches[0] == 0 { extent[0] } else { pitches[0] };
        let slice = if pitches[1] == 0 {
            row.saturating_mul(extent[1])
        } else {
            pitches[1]
        };
        Region {
            address,
            extent,
            pitches: [row, slice],
        }
    }

    /// Returns the digest, read directly.
    ///
    /// # Safety
    ///
    /// All bytes of the region must be readable during the call.
    pub(crate) unsafe fn digest(&self) -> Option<Digest> {
        self.read(|address, piece| {
            // SAFETY: the caller promises that the region is readable, and the piece lies in it. The memory is the
            // program's, so it is copied as raw bytes, and no reference to it is made.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, piece.as_mut_ptr(), piece.len()) };
            true
        })
    }

    /// Returns the digest of memory that the program may have freed meanwhile, or `None` if it is no longer there. The
    /// kernel reads it.
    pub(crate) fn digest_if_there(&self) -> Option<Digest> {
        let memory = File::open("/proc/self/mem").ok()?;
        self.read(|address, piece| memory.read_exact_at(piece, address as u64).is_ok())
    }

    /// Makes the digest with a function that copies the bytes at an address.
    fn read(&self, copy: impl Fn(usize, &mut [u8]) -> bool) -> Option<Digest> {
        let mut digester = Digester::new();
        let mut buffer = vec![0; PIECE.min(self.extent[0])];
        let [row, rows, slices] = self.extent;
        let starts = (0..slices).flat_map(|s| (0..rows).map(move |r| (s, r)));
        for (slice, line) in starts {
            let offset = slice * self.pitches[1] + line * self.pitches[0];
            let start = self.address.checked_add(offset)?;
            for at in (0..row).step_by(PIECE) {
                let piece = &mut buffer[..PIECE.min(row - at)];
                copy(start + at, piece).then_some(())?;
                digester.add(piece);
            }
        }
        Some(digester.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_slices() {
        let memory: Vec<u8> = (0..=255).collect();
        let region = Region::new(memory.as_ptr().addr() + 5, [3, 2, 2], [16, 64]);
        let mut expected = Digester::new();
        for start in [5, 21, 69, 85] {
            expected.add(&memory[start..start + 3]);
        }
        let expected = Some(expected.finish());
        // SAFETY: the region lies in `memory`.
        assert_eq!(unsafe { region.digest() }, expected);
        assert_eq!(region.digest_if_there(), expected);
    }

    #[test]
    fn without_pitches_there_are_no_gaps() {
        let region = Region::new(4096, [8, 3, 2], [0, 0]);
        assert_eq!(region.pitches, [8, 24]);
        assert_eq!(Region::plain(4096, 7).extent, [7, 1, 1]);
    }

    #[test]
    fn memory_that_is_gone_is_not_touched() {
        assert_eq!(Region::plain(4096, 8).digest_if_there(), None);
    }
}
