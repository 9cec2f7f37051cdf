//! What an application asks of an enqueue function, checked against the memory objects that it names.
//!
//! The clauses of CL 5.2 to 5.4 list the conditions on offsets, regions and pitches before those on the wait list, and
//! the conditions that depend on the queue's device after them. So a call has two steps: the constructors of this
//! module check the former, and the enqueue functions of [`CommandQueue`](crate::queue::CommandQueue) the latter. A
//! request that has been made is never out of bounds.

use std::sync::Arc;

use super::CommandType;
use super::buffer::{Copy, HostTransfer};
use super::fill::Fill;
use super::image::{ImageTransfer, rows};
use super::rect::{Layout, RectSide, Rows};
use crate::error::{ClCode, Error, Result};
use crate::mem::image::{Image, ImageMapping};
use crate::mem::map::Mapping;
use crate::mem::{Buffer, HostPtr, MemObject};
use crate::vk::Texels;

/// A range of a buffer, which is not empty.
#[derive(Clone, Debug)]
pub struct BufferRange {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

impl BufferRange {
    /// Checks a range. CL 5.2.2: INVALID_VALUE if the range is out of bounds or empty.
    pub fn new(buffer: &Arc<Buffer>, offset: usize, size: usize) -> Result<BufferRange> {
        let (offset, size) = buffer.check_range(offset, size)?;
        Ok(BufferRange {
            buffer: Arc::clone(buffer),
            offset,
            size,
        })
    }

    fn layout(&self) -> Layout {
        Rows::line(self.offset, self.size).layout()
    }
}

/// A read or a write of a buffer (CL 5.2.2).
pub struct BufferTransfer {
    pub(crate) transfer: HostTransfer,
    pub(crate) is_rect: bool,
}

impl BufferTransfer {
    /// Makes a request of clEnqueueReadBuffer or clEnqueueWriteBuffer. `host` must cover as many bytes as the
    /// range.
    pub fn linear(range: &BufferRange, host: HostPtr) -> BufferTransfer {
        BufferTransfer {
            transfer: HostTransfer::linear(&range.buffer, range.offset, range.size, host),
            is_rect: false,
        }
    }

    /// Makes a request of clEnqueueReadBufferRect or clEnqueueWriteBufferRect. `host` must cover the bytes that
    /// `host_side` and `region` describe.
    pub fn rect(
        buffer: &Arc<Buffer>,
        buffer_side: RectSide,
        host_side: RectSide,
        region: [usize; 3],
        host: HostPtr,
    ) -> Result<BufferTransfer> {
        let layout = layout_in(buffer, buffer_side, region)?;
        let (host_layout, end) = host_side.layout(region)?;
        host.check_extent(Some(end))?;
        Ok(BufferTransfer {
            transfer: HostTransfer {
                buffer: Arc::clone(buffer),
                layout,
                host,
                host_layout,
                region: region.map(|n| n as u64),
                pinned: None,
            },
            is_rect: true,
        })
    }

    pub(crate) fn command_type(&self, write: bool) -> CommandType {
        match (self.is_rect, write) {
            (false, false) => CommandType::ReadBuffer,
            (false, true) => CommandType::WriteBuffer,
            (true, false) => CommandType::ReadBufferRect,
            (true, true) => CommandType::WriteBufferRect,
        }
    }
}

/// A copy between buffers (CL 5.2.2).
pub struct BufferCopy {
    pub(crate) copy: Copy,
    pub(crate) command: CommandType,
}

impl BufferCopy {
    /// Makes a request of clEnqueueCopyBuffer.
    pub fn linear(
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
    ) -> Result<BufferCopy> {
        let from = BufferRange::new(src, src_offset, size)?;
        let to = BufferRange::new(dst, dst_offset, size)?;
        Ok(BufferCopy {
            copy: Copy {
                src_layout: from.layout(),
                src: from.buffer,
                dst_layout: to.layout(),
                dst: to.buffer,
                region: [to.size, 1, 1],
            },
            command: CommandType::CopyBuffer,
        })
    }

    /// Makes a request of clEnqueueCopyBufferRect.
    pub fn rect(
        src: &Arc<Buffer>,
        dst: &Arc<Buffer>,
        src_side: RectSide,
        dst_side: RectSide,
        region: [usize; 3],
    ) -> Result<BufferCopy> {
        let src_layout = layout_in(src, src_side, region)?;
        let dst_layout = layout_in(dst, dst_side, region)?;
        let pitches = |l: &Layout| (l.row_pitch, l.slice_pitch);
        // CL 5.2.2: INVALID_VALUE if the buffer is the same and the pitches differ
        if Arc::ptr_eq(src, dst) && pitches(&src_layout) != pitches(&dst_layout) {
            return Err(Error::new(ClCode::InvalidValue, "pitches differ within one buffer").at("5.2.2"));
        }
        Ok(BufferCopy {
            copy: Copy {
                src: Arc::clone(src),
                src_layout,
                dst: Arc::clone(dst),
                dst_layout,
                region: region.map(|n| n as u64),
            },
            command: CommandType::CopyBufferRect,
        })
    }
}

/// Returns the layout of a region in a buffer.
fn layout_in(buffer: &Buffer, side: RectSide, region: [usize; 3]) -> Result<Layout> {
    let (layout, end) = side.layout(region)?;
    // CL 5.2.2: INVALID_VALUE if the region is out of bounds
    if end > buffer.size() {
        return Err(Error::new(ClCode::InvalidValue, "the region is out of bounds").at("5.2.2"));
    }
    Ok(layout)
}

/// A fill of a buffer (CL 5.2.3, clEnqueueFillBuffer).
pub struct BufferFill {
    pub(crate) range: BufferRange,
    pub(crate) pattern: Vec<u8>,
}

impl BufferFill {
    /// Makes a request of clEnqueueFillBuffer.
    pub fn new(range: BufferRange, pattern: &[u8]) -> Result<BufferFill> {
        let invalid = |what: String| Err(Error::new(ClCode::InvalidValue, what).at("5.2.3"));
        // CL 5.2.3: INVALID_VALUE if pattern_size is not one of 1, 2, 4, 8, 16, 32, 64, 128
        let length = pattern.len() as u64;
        if !length.is_power_of_two() || length > 128 {
            return invalid(format!("a pattern of {length} bytes"));
        }
        // CL 5.2.3: INVALID_VALUE if offset and size are not a multiple of pattern_size
        if !range.offset.is_multiple_of(length) || !range.size.is_multiple_of(length) {
            return invalid("offset or size is no multiple of the pattern".into());
        }
        Ok(BufferFill {
            range,
            pattern: pattern.to_vec(),
        })
    }

    /// Returns the bytes that a write of the whole range would store.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.pattern
            .repeat((self.range.size / self.pattern.len() as u64) as usize)
    }

    pub(crate) fn into_command(self) -> Fill {
        Fill {
            rows: Rows::line(self.range.offset, self.range.size),
            buffer: self.range.buffer,
            pattern: self.pattern,
        }
    }
}

/// A region of an image, which is not empty.
#[derive(Clone, Debug)]
pub struct ImageRegion {
    pub(crate) image: Arc<Image>,
    pub(crate) texels: Texels,
}

impl ImageRegion {
    /// Checks a region. CL 5.3.3: INVALID_VALUE if the region is out of bounds or empty, or if numbers that the type
    /// does not use are not 0 in the origin or not 1 in the region.
    pub fn new(image: &Arc<Image>, origin: [usize; 3], region: [usize; 3]) -> Result<ImageRegion> {
        Ok(ImageRegion {
            texels: image.check_region(origin, region)?,
            image: Arc::clone(image),
        })
    }
}

/// A read or a write of an image (CL 5.3.3).
pub struct TexelTransfer {
    pub(crate) transfer: ImageTransfer,
}

impl TexelTransfer {
    /// Makes a request of clEnqueueReadImage or clEnqueueWriteImage. `host` must cover the bytes that the region
    /// and the pitches describe.
    pub fn new(
        region: ImageRegion,
        host: HostPtr,
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<TexelTransfer> {
        let ImageRegion { image, texels } = region;
        let (row, slice) = image.check_pitches(texels.region, row_pitch, slice_pitch)?;
        let layout = image.layout([0; 3], row, slice);
        let [w, h, d] = rows(image.format().size(), &texels);
        let last = |n: u64, pitch: u64| (n - 1).checked_mul(pitch);
        let end = last(h, layout.row_pitch)
            .zip(last(d, layout.slice_pitch))
            .and_then(|(y, z)| y.checked_add(z)?.checked_add(w));
        host.check_extent(end)?;
        Ok(TexelTransfer {
            transfer: ImageTransfer {
                layout,
                image,
                texels,
                host,
                pinned: None,
            },
        })
    }
}

/// A copy between images (CL 5.3.3).
pub struct TexelCopy {
    pub(crate) from: ImageRegion,
    pub(crate) to: ImageRegion,
}

impl TexelCopy {
    /// Makes a request of clEnqueueCopyImage.
    pub fn new(
        src: &Arc<Image>,
        dst: &Arc<Image>,
        src_origin: [usize; 3],
        dst_origin: [usize; 3],
        region: [usize; 3],
    ) -> Result<TexelCopy> {
        // CL 5.3.3: IMAGE_FORMAT_MISMATCH if the images do not use the same image format
        if src.format() != dst.format() {
            return Err(Error::new(ClCode::ImageFormatMismatch, "the images differ in format").at("5.3.3"));
        }
        Ok(TexelCopy {
            from: ImageRegion::new(src, src_origin, region)?,
            to: ImageRegion::new(dst, dst_origin, region)?,
        })
    }
}

/// A copy between an image and a buffer (CL 5.3.5).
pub struct TexelBufferCopy {
    pub(crate) region: ImageRegion,
    pub(crate) range: BufferRange,
}

impl TexelBufferCopy {
    /// Makes a request of clEnqueueCopyImageToBuffer or clEnqueueCopyBufferToImage.
    pub fn new(region: ImageRegion, buffer: &Arc<Buffer>, offset: usize) -> Result<TexelBufferCopy> {
        let size = region.image.bytes_of(region.texels.region);
        Ok(TexelBufferCopy {
            // CL 5.3.5: INVALID_VALUE if the region in the buffer is out of bounds
            range: BufferRange::new(buffer, offset, size as usize)?,
            region,
        })
    }
}

/// A mapping of a memory object, which the application ends (CL 5.4.2).
pub struct MappedRegion {
    object: MemObject,
    address: usize,
}

/// The mapping of a [`MappedRegion`], which is no longer in the object's list.
pub(crate) enum Unmapped {
    Buffer(Arc<Buffer>, Mapping),
    Image(Arc<Image>, ImageMapping),
}

impl MappedRegion {
    /// Makes a request of clEnqueueUnmapMemObject. `address` is the address that the map call returned. CL 5.4.2:
    /// INVALID_VALUE if mapped_ptr is not a pointer returned by a map of the object.
    pub fn new(object: MemObject, address: usize) -> Result<MappedRegion> {
        let is_mapped = match &object {
            MemObject::Buffer(b) => b.maps().lock().has(address, &b.range_in_root()),
            MemObject::Image(i) => i.maps().lock().iter().any(|m| m.address == address),
        };
        match is_mapped {
            true => Ok(MappedRegion { object, address }),
            false => Err(not_mapped()),
        }
    }

    /// Removes the mapping from the object's list. Fails if another thread has ended the mapping since.
    pub(crate) fn remove(self) -> Result<Unmapped> {
        let address = self.address;
        match self.object {
            MemObject::Buffer(buffer) => {
                let mapping = buffer.maps().lock().remove(address, buffer.range_in_root());
                let mapping = mapping.ok_or_else(not_mapped)?;
                Ok(Unmapped::Buffer(buffer, mapping))
            }
            MemObject::Image(image) => {
                let mapping = {
                    let mut maps = image.maps().lock();
                    let at = maps.iter().position(|m| m.address == address);
                    at.map(|at| maps.remove(at))
                };
                let mapping = mapping.ok_or_else(not_mapped)?;
                Ok(Unmapped::Image(image, mapping))
            }
        }
    }

    /// Returns the object.
    pub(crate) fn object(&self) -> &MemObject {
        &self.object
    }
}

fn not_mapped() -> Error {
    Error::new(ClCode::InvalidValue, "the pointer is not a mapping of the object").at("5.4.2")
}
