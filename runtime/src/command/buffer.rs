//! Copies between buffers, and between buffers and host memory (CL 5.2.2). A linear copy is a rectangular one
//! with one row.

use std::sync::Arc;

use super::rect::{Layout, dense, overlap};
use crate::device::pinned::Pinned;
use crate::device::staging::Cut;
use crate::error::{ClCode, Error, Result};
use crate::kernel::copy::Side;
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::mem::{Buffer, HostPtr, bar_mapping};
use crate::observe::Region;
use crate::queue::{Access, HostCopy, Keep, Recording};
use crate::vk;

/// A read or a write: a buffer's region and host memory.
pub(crate) struct HostTransfer {
    pub buffer: Arc<Buffer>,
    /// The layout in the buffer (a sub-buffer's offset not included).
    pub layout: Layout,
    pub host: HostPtr,
    pub host_layout: Layout,
    pub region: [u64; 3],
    /// The pinned memory that contains the host memory, if the GPU is to access it itself.
    pub pinned: Option<Pinned>,
}

/// The way in which the host accesses a buffer's storage.
#[derive(Copy, Clone)]
pub(crate) enum Reach {
    /// Through a mapping with CPU caches.
    Mapped(HostPtr),
    /// Through the BAR mapping, for short accesses only.
    BarMapping(HostPtr),
}

/// Returns the copy regions of a rectangle; each side has an offset that is added to its layout.
pub(crate) fn regions(
    (src, src_offset): (Layout, u64),
    (dst, dst_offset): (Layout, u64),
    region: [u64; 3],
) -> impl Iterator<Item = vk::CopyRegion> {
    let [w, h, d] = src.collapse(&dst, region);
    (0..d).flat_map(move |z| {
        (0..h).map(move |y| vk::CopyRegion {
            src: src_offset + src.row(y, z),
            dst: dst_offset + dst.row(y, z),
            size: w,
        })
    })
}

/// Returns the byte range of a region, from its first byte to its last.
pub(super) fn extent(layout: &Layout, region: [u64; 3]) -> (u64, u64) {
    (layout.start, layout.row(region[1] - 1, region[2] - 1) + region[0])
}

/// Returns how a write to a region uses the range: it replaces all bytes, or leaves gaps.
fn written(region: [u64; 3]) -> Use {
    if region[1..] == [1, 1] {
        Use::Replace
    } else {
        Use::Update
    }
}

/// Returns one side of a copy: a layout in a buffer's storage.
fn side<'a>(buffer: &'a Buffer, layout: Layout, r: &Recording<'_>) -> Result<Side<'a>> {
    Ok(Side {
        memory: buffer.storage(r.device())?,
        offset: buffer.offset(),
        layout,
    })
}

/// Returns the access to a range of a buffer.
pub(crate) fn access(buffer: &Buffer, start: u64, end: u64, write: bool) -> Access {
    Access {
        root: buffer.root_id(),
        start: buffer.offset() + start,
        end: buffer.offset() + end,
        write,
    }
}

impl HostTransfer {
    pub(crate) fn linear(buffer: &Arc<Buffer>, offset: u64, size: u64, host: HostPtr) -> HostTransfer {
        HostTransfer {
            buffer: Arc::clone(buffer),
            layout: Layout {
                start: offset,
                row_pitch: size,
                slice_pitch: size,
            },
            host,
            host_layout: dense([size, 1, 1]),
            region: [size, 1, 1],
            pinned: None,
        }
    }

    /// Returns the chunks of the transfer: parts of its only row, or else whole rows or slices.
    pub(crate) fn chunks(&self, sizes: &vk::ChunkSizes) -> impl Iterator<Item = HostTransfer> {
        let [width, height, depth] = self.layout.collapse(&self.host_layout, self.region);
        let slice = width * height;
        let (mut cut, mut done) = (Cut::new(sizes), 0);
        std::iter::from_fn(move || {
            let left = slice * depth - done;
            if left == 0 {
                return None;
            }
            let size = cut.next(left);
            let (x, y, z) = (done % width, done / width % height, done / slice);
            let region = if height * depth == 1 {
                [size, 1, 1]
            } else if y == 0 && size >= slice {
                [width, height, (size / slice).min(depth - z)]
            } else {
                [width, (size / width).clamp(1, height - y), 1]
            };
            done += region.iter().product::<u64>();
            let at = |layout: Layout| Layout {
                start: layout.row(y, z) + x,
                ..layout
            };
            Some(HostTransfer {
                buffer: Arc::clone(&self.buffer),
                layout: at(self.layout),
                host: self.host,
                host_layout: at(self.host_layout),
                region,
                pinned: None,
            })
        })
    }

    /// Returns the way in which the host can make the transfer without the GPU, if it can.
    pub(crate) fn reach(&self, storage: &vk::Buffer, write: bool) -> Option<Reach> {
        let tuning = storage.device().tuning();
        let longest = if write { tuning.bar_write } else { tuning.bar_read };
        let short = self.size() <= longest && self.region[1..] == [1, 1];
        let through_bus = storage.bar_mapping().filter(|_| short).map(Reach::BarMapping);
        storage.mapped().map(Reach::Mapped).or(through_bus)
    }

    /// Returns the number of bytes.
    pub(crate) fn size(&self) -> u64 {
        self.region.iter().product()
    }

    /// Returns the region of the root buffer, from its first byte to its last.
    pub(crate) fn region(&self) -> Region {
        let (start, end) = extent(&self.layout, self.region);
        Region {
            root: self.buffer.root_id(),
            start: self.buffer.offset() + start,
            end: self.buffer.offset() + end,
        }
    }

    /// Returns how it uses the buffer's contents.
    pub(crate) fn touch(&self, write: bool) -> Touch {
        let (start, end) = extent(&self.layout, self.region);
        let how = if write { written(self.region) } else { Use::Read };
        Touch::buffer(&self.buffer, start, end, how)
    }

    /// Returns the range of host addresses from the first byte to the last.
    pub(crate) fn host_range(&self) -> (usize, usize) {
        let (start, end) = extent(&self.host_layout, self.region);
        let base = self.host.address();
        (base + start as usize, base + end as usize)
    }

    /// Copies from host memory to the storage, or back, on this thread.
    pub(crate) fn by_host(&self, reach: Reach, write: bool) {
        let (Reach::Mapped(base) | Reach::BarMapping(base)) = reach;
        let memory = base.offset(self.buffer.offset());
        match reach {
            Reach::Mapped(_) if write => {
                self.host
                    .copy_rect_to(&self.host_layout, memory, &self.layout, self.region);
            }
            Reach::Mapped(_) => {
                memory.copy_rect_to(&self.layout, self.host, &self.host_layout, self.region);
            }
            Reach::BarMapping(_) => {
                let memory = memory.offset(self.layout.start);
                let host = self.host.offset(self.host_layout.start);
                if write {
                    bar_mapping::write(host, memory, self.region[0]);
                } else {
                    bar_mapping::read(memory, host, self.region[0]);
                }
            }
        }
    }

    /// Records a copy between the storage and pinned host memory.
    fn record_pinned(&self, pinned: &Pinned, write: bool, r: &mut Recording<'_>) -> Result<()> {
        let (start, end) = extent(&self.layout, self.region);
        log::trace!("{} bytes, pinned, write {write}", self.size());
        // The offset is that of the region's first byte, so the layout's start is not added.
        let place = pinned.offset;
        let host_layout = Layout {
            start: 0,
            ..self.host_layout
        };
        let (_, length) = extent(&host_layout, self.region);
        let host = Access {
            root: pinned.root,
            start: place,
            end: place + length,
            write: !write,
        };
        r.access(&[access(&self.buffer, start, end, write), host], false);
        let near = side(&self.buffer, self.layout, r)?;
        let far = Side {
            memory: &pinned.memory,
            offset: place,
            layout: host_layout,
        };
        if write {
            r.copy(far, near, self.region)?;
            r.writes(&self.buffer);
        } else {
            r.copy(near, far, self.region)?;
            r.stores(self.host_range());
        }
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        r.keep(Keep::Memory(Arc::clone(&pinned.memory)));
        Ok(())
    }

    pub(crate) fn record_read(&self, r: &mut Recording<'_>) -> Result<()> {
        if let Some(pinned) = &self.pinned {
            return self.record_pinned(pinned, false, r);
        }
        let staged = r.stage(self.size())?;
        let (start, end) = extent(&self.layout, self.region);
        r.access(&[access(&self.buffer, start, end, false)], false);
        let packed = dense(self.region);
        let near = side(&self.buffer, self.layout, r)?;
        r.copy(near, staged.side(packed), self.region)?;
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        r.copy_out(HostCopy {
            from: staged.ptr,
            from_layout: packed,
            to: self.host,
            to_layout: self.host_layout,
            region: self.region,
        });
        Ok(())
    }

    pub(crate) fn record_write(&self, r: &mut Recording<'_>) -> Result<()> {
        if let Some(pinned) = &self.pinned {
            return self.record_pinned(pinned, true, r);
        }
        let staged = r.stage(self.size())?;
        let packed = dense(self.region);
        self.host
            .copy_rect_to(&self.host_layout, staged.ptr, &packed, self.region);
        let (start, end) = extent(&self.layout, self.region);
        r.access(&[access(&self.buffer, start, end, true)], false);
        let near = side(&self.buffer, self.layout, r)?;
        r.copy(staged.side(packed), near, self.region)?;
        r.writes(&self.buffer);
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        Ok(())
    }
}

/// A copy from buffer to buffer.
pub(crate) struct Copy {
    pub src: Arc<Buffer>,
    pub src_layout: Layout,
    pub dst: Arc<Buffer>,
    pub dst_layout: Layout,
    pub region: [u64; 3],
}

impl Copy {
    /// Checks that a copy does not overlap itself. CL 5.2.2: MEM_COPY_OVERLAP if source and destination are the same
    /// buffer, or sub-buffers of one, and the regions overlap.
    pub(crate) fn check_overlap(&self) -> Result<()> {
        let (src, dst) = (&self.src, &self.dst);
        let (from, to) = (&self.src_layout, &self.dst_layout);
        if src.root_id() == dst.root_id() && overlap(from, src.offset(), to, dst.offset(), self.region) {
            return Err(Error::new(ClCode::MemCopyOverlap, "source and destination overlap").at("5.2.2"));
        }
        Ok(())
    }

    /// Returns how it uses the buffers' contents.
    pub(super) fn touches(&self) -> [Touch; 2] {
        let (s0, s1) = extent(&self.src_layout, self.region);
        let (d0, d1) = extent(&self.dst_layout, self.region);
        [
            Touch::buffer(&self.src, s0, s1, Use::Read),
            Touch::buffer(&self.dst, d0, d1, written(self.region)),
        ]
    }

    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        let (s0, s1) = extent(&self.src_layout, self.region);
        let (d0, d1) = extent(&self.dst_layout, self.region);
        r.access(
            &[access(&self.src, s0, s1, false), access(&self.dst, d0, d1, true)],
            false,
        );
        let from = side(&self.src, self.src_layout, r)?;
        let to = side(&self.dst, self.dst_layout, r)?;
        r.copy(from, to, self.region)?;
        r.writes(&self.dst);
        r.keep(Keep::Buffer(Arc::clone(&self.src)));
        r.keep(Keep::Buffer(Arc::clone(&self.dst)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(start: u64, row_pitch: u64, slice_pitch: u64) -> Layout {
        Layout {
            start,
            row_pitch,
            slice_pitch,
        }
    }

    #[test]
    fn dense_regions_become_one_copy() {
        let all: Vec<_> = regions((layout(3, 4, 8), 10), (layout(0, 4, 8), 0), [4, 2, 3]).collect();
        assert_eq!(
            all,
            [vk::CopyRegion {
                src: 13,
                dst: 0,
                size: 24
            }]
        );
    }

    #[test]
    fn dense_rows_become_one_copy_per_slice() {
        let all: Vec<_> = regions((layout(0, 4, 16), 0), (layout(0, 4, 8), 0), [4, 2, 2]).collect();
        assert_eq!(
            all,
            [
                vk::CopyRegion {
                    src: 0,
                    dst: 0,
                    size: 8
                },
                vk::CopyRegion {
                    src: 16,
                    dst: 8,
                    size: 8
                }
            ]
        );
    }

    #[test]
    fn strided_rows_stay_apart() {
        let all: Vec<_> = regions((layout(1, 8, 16), 0), (layout(0, 2, 4), 0), [2, 2, 1]).collect();
        assert_eq!(
            all,
            [
                vk::CopyRegion {
                    src: 1,
                    dst: 0,
                    size: 2
                },
                vk::CopyRegion {
                    src: 9,
                    dst: 2,
                    size: 2
                }
            ]
        );
    }
}
