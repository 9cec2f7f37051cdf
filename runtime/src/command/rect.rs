//! Rectangular regions of buffers and host memory (CL 5.2.2).

use std::sync::Arc;

use crate::error::{ClCode, Error, Result};
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::mem::{Buffer, HostPtr};

/// One side of a rectangular copy, as the application specifies it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct RectSide {
    /// x in bytes, y in rows, z in slices.
    pub origin: [usize; 3],
    /// Distance from row to row in bytes; 0: the rows are contiguous.
    pub row_pitch: usize,
    /// Distance from slice to slice in bytes; 0: the slices are contiguous.
    pub slice_pitch: usize,
}

/// One side of a rectangular copy, with the actual pitches in bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Offset of the first byte.
    pub start: u64,
    pub row_pitch: u64,
    pub slice_pitch: u64,
}

impl Layout {
    /// Returns the byte offset of a row.
    pub(crate) fn row(&self, y: u64, z: u64) -> u64 {
        self.start + y * self.row_pitch + z * self.slice_pitch
    }

    /// Returns the region with rows and slices merged into longer rows where they are contiguous in both
    /// layouts.
    pub(crate) fn collapse(&self, other: &Layout, region: [u64; 3]) -> [u64; 3] {
        let [w, h, d] = region;
        let rows = h == 1 || (self.row_pitch == w && other.row_pitch == w);
        let slices = d == 1 || (self.slice_pitch == w * h && other.slice_pitch == w * h);
        if rows && slices {
            [w * h * d, 1, 1]
        } else if rows {
            // A slice is one row.
            [w * h, 1, d]
        } else {
            region
        }
    }
}

/// Rows of bytes in a buffer at a constant distance.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rows {
    /// Byte offset of the first row in the buffer.
    pub start: u64,
    /// Bytes of a row.
    pub width: u64,
    /// The number of rows.
    pub count: u64,
    /// Distance from row to row in bytes.
    pub pitch: u64,
}

impl Rows {
    /// Makes a single row.
    pub(crate) fn line(start: u64, size: u64) -> Rows {
        Rows {
            start,
            width: size,
            count: 1,
            pitch: size,
        }
    }

    /// Returns the byte offset after the last byte.
    pub(crate) fn end(&self) -> u64 {
        self.start + (self.count - 1) * self.pitch + self.width
    }

    /// Returns the range of host addresses of the rows, if the first one begins at `host`.
    pub(super) fn host_range(&self, host: HostPtr) -> super::HostRange {
        let start = host.address();
        (start, start + (self.end() - self.start) as usize)
    }

    /// Returns how a command that reads or replaces the rows uses the buffer.
    pub(crate) fn touch(&self, buffer: &Arc<Buffer>, how: Use) -> Touch {
        let gaps = self.count > 1 && self.pitch != self.width;
        let how = match how {
            // The bytes between the rows keep their contents.
            Use::Replace if gaps => Use::Update,
            Use::Read | Use::Update | Use::Replace => how,
        };
        Touch::buffer(buffer, self.start, self.end(), how)
    }

    /// Returns the layout of the rows as one side of a rectangular copy of [`Rows::region`].
    pub(crate) fn layout(&self) -> Layout {
        Layout {
            start: self.start,
            row_pitch: self.pitch,
            slice_pitch: self.pitch * self.count,
        }
    }

    /// Returns the region: bytes, rows, slices.
    pub(crate) fn region(&self) -> [u64; 3] {
        [self.width, self.count, 1]
    }

    /// Merges the rows into one, if they are contiguous.
    pub(crate) fn merged(self) -> Rows {
        if self.pitch == self.width {
            Rows::line(self.start, self.width * self.count)
        } else {
            self
        }
    }

    /// Returns the byte offset of each row.
    pub(crate) fn starts(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |y| self.start + y * self.pitch)
    }
}

/// Returns the layout of a region without gaps.
pub(crate) fn dense(region: [u64; 3]) -> Layout {
    Layout {
        start: 0,
        row_pitch: region[0],
        slice_pitch: region[0] * region[1],
    }
}

fn invalid(what: &'static str) -> Error {
    Error::new(ClCode::InvalidValue, what).at("5.2.2")
}

impl RectSide {
    /// Checks the pitches against the region. Returns the layout and the end of the byte range that the region
    /// covers.
    pub(crate) fn layout(&self, region: [usize; 3]) -> Result<(Layout, u64)> {
        // CL 5.2.2: INVALID_VALUE if any region array element is 0
        if region.contains(&0) {
            return Err(invalid("a region element is 0"));
        }
        let [w, h, d] = region.map(|x| x as u64);
        let row_pitch = match self.row_pitch as u64 {
            0 => w,
            // CL 5.2.2: INVALID_VALUE if row_pitch is not 0 and is less than region[0]
            p if p < w => return Err(invalid("row pitch is less than the region's width")),
            p => p,
        };
        let slice = h
            .checked_mul(row_pitch)
            .ok_or_else(|| invalid("region is out of bounds"))?;
        let slice_pitch = match self.slice_pitch as u64 {
            0 => slice,
            // CL 5.2.2: INVALID_VALUE if slice_pitch is not 0 and is less than region[1] * row_pitch, or is not
            // a multiple of row_pitch
            p if p < slice || p % row_pitch != 0 => {
                return Err(invalid(
                    "slice pitch is too small or no multiple of the row pitch",
                ));
            }
            p => p,
        };
        let [x, y, z] = self.origin.map(|x| x as u64);
        let add = |y: u64, z: u64, x: u64| {
            z.checked_mul(slice_pitch)?
                .checked_add(y.checked_mul(row_pitch)?)?
                .checked_add(x)
        };
        let start = add(y, z, x).ok_or_else(|| invalid("origin is out of bounds"))?;
        let length = add(h - 1, d - 1, w).ok_or_else(|| invalid("region is out of bounds"))?;
        let end = start
            .checked_add(length)
            .ok_or_else(|| invalid("region is out of bounds"))?;
        Ok((
            Layout {
                start,
                row_pitch,
                slice_pitch,
            },
            end,
        ))
    }
}

/// Returns whether two regions of the same root overlap (CL 5.2.2, appendix E): a row of one overlaps a row of
/// the other.
pub(crate) fn overlap(a: &Layout, a_offset: u64, b: &Layout, b_offset: u64, region: [u64; 3]) -> bool {
    let [w, h, d] = region;
    let bounds = |l: &Layout, offset: u64| (offset + l.start, offset + l.row(h - 1, d - 1) + w);
    let ((a0, a1), (b0, b1)) = (bounds(a, a_offset), bounds(b, b_offset));
    if a0 >= b1 || b0 >= a1 {
        return false;
    }
    let rows = |l: Layout, offset: u64| {
        let mut starts: Vec<u64> = (0..d)
            .flat_map(|z| (0..h).map(move |y| offset + l.row(y, z)))
            .collect();
        starts.sort_unstable();
        starts
    };
    let (a, b) = (rows(*a, a_offset), rows(*b, b_offset));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] + w <= b[j] {
            i += 1;
        } else if b[j] + w <= a[i] {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_pitches_are_dense() {
        let side = RectSide {
            origin: [1, 2, 3],
            ..RectSide::default()
        };
        let (l, end) = side.layout([4, 5, 6]).expect("valid");
        assert_eq!((l.row_pitch, l.slice_pitch), (4, 20));
        assert_eq!(l.start, 3 * 20 + 2 * 4 + 1);
        assert_eq!(end, l.row(4, 5) + 4);
    }

    #[test]
    fn bad_pitches_are_refused() {
        let side = |row_pitch, slice_pitch| RectSide {
            origin: [0; 3],
            row_pitch,
            slice_pitch,
        };
        assert!(side(3, 0).layout([4, 1, 1]).is_err());
        assert!(side(4, 7).layout([4, 2, 1]).is_err());
        assert!(side(4, 10).layout([4, 2, 1]).is_err());
        assert!(side(4, 8).layout([4, 0, 1]).is_err());
        assert!(side(usize::MAX, 0).layout([4, 2, 2]).is_err());
    }

    #[test]
    fn interleaved_rows_do_not_overlap() {
        let l = |start| Layout {
            start,
            row_pitch: 16,
            slice_pitch: 64,
        };
        assert!(!overlap(&l(0), 0, &l(8), 0, [8, 4, 2]));
        assert!(overlap(&l(0), 0, &l(7), 0, [8, 4, 2]));
        assert!(!overlap(&l(0), 0, &l(0), 1024, [8, 4, 2]));
    }
}
