//! The enqueue functions of images: the checks of CL 5.3.3 to 5.3.6 and 5.4.2 in the specification's order,
//! then a command. Commands on an image that was created from a buffer become commands on that buffer.

use std::ptr::NonNull;
use std::sync::Arc;

use super::scheduler::Until;
use super::{CommandQueue, Enqueued, MapFlags, Waits};
use crate::command::buffer::{Copy, HostTransfer};
use crate::command::fill::Fill;
use crate::command::image::{FillImage, ImageAndBuffer, ImageToImage, ImageTransfer, ImageWindow, MapImage};
use crate::command::map::{Map, Unmap, Window};
use crate::command::rect::{Rows, overlap};
use crate::command::transfer::Object;
use crate::command::{Command, CommandType, Incoming};
use crate::error::{ClCode, Error, Result};
use crate::event::Event;
use crate::mem::image::{Image, ImageMapping};
use crate::mem::{Buffer, HostPtr, HostPtrUse};
use crate::vk::Texels;

/// The host memory of a read or a write.
#[derive(Copy, Clone, Debug)]
pub struct HostSide {
    /// `ptr`
    pub ptr: HostPtr,
    /// `row_pitch`
    pub row_pitch: usize,
    /// `slice_pitch`
    pub slice_pitch: usize,
}

/// The result of mapping an image.
#[derive(Clone, Debug)]
pub struct MappedImage {
    /// The address of the first texel.
    pub ptr: NonNull<u8>,
    /// Distance from row to row in bytes.
    pub row_pitch: u64,
    /// Distance from slice to slice in bytes; 0 for images without slices.
    pub slice_pitch: u64,
    /// The command's event, if the application asked for it.
    pub event: Option<Arc<Event>>,
}

impl CommandQueue {
    /// Checks an image's context. CL 5.3.3: INVALID_CONTEXT if queue and image differ in context.
    pub(super) fn check_image(&self, image: &Image) -> Result<()> {
        if Arc::ptr_eq(&self.context, image.context()) {
            Ok(())
        } else {
            Err(Error::new(
                ClCode::InvalidContext,
                "queue and image differ in context",
            ))
        }
    }

    /// Checks that the queue's device supports an image. CL 5.3.3: INVALID_IMAGE_SIZE if it does not support images
    /// of this size, IMAGE_FORMAT_NOT_SUPPORTED if it does not support the format, INVALID_OPERATION if it does not
    /// support images.
    pub(super) fn check_image_device(&self, image: &Image) -> Result<()> {
        if !self.device.info().image_support {
            return Err(Error::new(ClCode::InvalidOperation, "the device has no images").at("5.3.3"));
        }
        if !image.fits(&self.device) {
            return Err(Error::new(ClCode::InvalidImageSize, "too large for the device").at("5.3.3"));
        }
        if !image.supported(&self.device) {
            return Err(Error::new(ClCode::ImageFormatNotSupported, "not on the device").at("5.3.3"));
        }
        Ok(())
    }

    /// Enqueues a read, or (`write`) a write (CL 5.3.3, clEnqueueReadImage and clEnqueueWriteImage). The host
    /// memory must cover the region.
    pub fn enqueue_image_transfer(
        self: &Arc<Self>,
        image: &Arc<Image>,
        write: bool,
        blocking: bool,
        origin: [usize; 3],
        region: [usize; 3],
        host: HostSide,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_image(image)?;
        self.check_waits(waits)?;
        let texels = image.check_region(origin, region)?;
        let (row, slice) = image.check_pitches(texels.region, host.row_pitch, host.slice_pitch)?;
        waits.check_list()?;
        self.check_image_device(image)?;
        image.check_host(!write, write)?;
        let kind = if write {
            CommandType::WriteImage
        } else {
            CommandType::ReadImage
        };
        if let Some(buffer) = image.buffer() {
            let rows = image.in_buffer(&texels);
            let transfer = HostTransfer {
                buffer: Arc::clone(buffer),
                layout: rows.layout(),
                host: host.ptr,
                host_layout: image.layout([0; 3], row, slice),
                region: rows.region(),
                pinned: None,
            };
            return self.transfer(kind, Object::Buffer(transfer), write, blocking, waits);
        }
        let transfer = ImageTransfer {
            image: Arc::clone(image),
            texels,
            host: host.ptr,
            layout: image.layout([0; 3], row, slice),
            pinned: None,
        };
        self.transfer(kind, Object::Image(transfer), write, blocking, waits)
    }

    /// Enqueues a copy between images (CL 5.3.3, clEnqueueCopyImage).
    pub fn enqueue_copy_image(
        self: &Arc<Self>,
        src: &Arc<Image>,
        dst: &Arc<Image>,
        src_origin: [usize; 3],
        dst_origin: [usize; 3],
        region: [usize; 3],
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_image(src)?;
        self.check_image(dst)?;
        self.check_waits(waits)?;
        // CL 5.3.3: IMAGE_FORMAT_MISMATCH if the images do not use the same image format
        if src.format() != dst.format() {
            return Err(Error::new(ClCode::ImageFormatMismatch, "the images differ in format").at("5.3.3"));
        }
        let from = src.check_region(src_origin, region)?;
        let to = dst.check_region(dst_origin, region)?;
        waits.check_list()?;
        self.check_image_device(src)?;
        self.check_image_device(dst)?;
        // CL 5.3.3: MEM_COPY_OVERLAP if the images are the same and the regions overlap
        let apart = |i: usize| from.origin[i].abs_diff(to.origin[i]) >= from.region[i];
        if Arc::ptr_eq(src, dst) && !(0..3).any(apart) {
            return Err(Error::new(ClCode::MemCopyOverlap, "source and destination overlap").at("5.3.3"));
        }
        let command = match (src.buffer(), dst.buffer()) {
            (None, None) => Command::CopyImage(ImageToImage {
                src: Arc::clone(src),
                from,
                dst: Arc::clone(dst),
                to,
            }),
            (None, Some(buffer)) => Command::ImageToBuffer(ImageAndBuffer {
                image: Arc::clone(src),
                texels: from,
                buffer: Arc::clone(buffer),
                offset: dst.in_buffer(&to).start,
                pitch: dst.row_pitch(),
            }),
            (Some(buffer), None) => Command::BufferToImage(ImageAndBuffer {
                image: Arc::clone(dst),
                texels: to,
                buffer: Arc::clone(buffer),
                offset: src.in_buffer(&from).start,
                pitch: src.row_pitch(),
            }),
            (Some(src_buffer), Some(dst_buffer)) => buffer_copy(
                (src_buffer, src.in_buffer(&from)),
                (dst_buffer, dst.in_buffer(&to)),
            )?,
        };
        self.enqueue(
            CommandType::CopyImage,
            Incoming::Command(command),
            waits,
            Until::Placed,
        )
    }

    /// Enqueues a copy between an image and a buffer (CL 5.3.5, clEnqueueCopyImageToBuffer; `to_image`:
    /// clEnqueueCopyBufferToImage).
    pub fn enqueue_copy_image_buffer(
        self: &Arc<Self>,
        image: &Arc<Image>,
        buffer: &Arc<Buffer>,
        to_image: bool,
        origin: [usize; 3],
        region: [usize; 3],
        offset: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_image(image)?;
        self.check_buffer(buffer)?;
        self.check_waits(waits)?;
        let texels = image.check_region(origin, region)?;
        let size = image.bytes_of(texels.region);
        // CL 5.3.5: INVALID_VALUE if the region in the buffer is out of bounds
        let (offset, _) = buffer.check_range(offset, size as usize)?;
        waits.check_list()?;
        buffer.check_alignment(&self.device)?;
        self.check_image_device(image)?;
        let command = match image.buffer() {
            None => {
                let copy = ImageAndBuffer {
                    image: Arc::clone(image),
                    texels,
                    buffer: Arc::clone(buffer),
                    offset,
                    pitch: 0,
                };
                if to_image {
                    Command::BufferToImage(copy)
                } else {
                    Command::ImageToBuffer(copy)
                }
            }
            Some(own) => {
                let rows = image.in_buffer(&texels);
                let dense = Rows {
                    start: offset,
                    pitch: rows.width,
                    ..rows
                };
                let (image, other) = ((own, rows), (buffer, dense));
                let (src, dst) = if to_image { (other, image) } else { (image, other) };
                buffer_copy(src, dst)?
            }
        };
        let kind = if to_image {
            CommandType::CopyBufferToImage
        } else {
            CommandType::CopyImageToBuffer
        };
        self.enqueue(kind, Incoming::Command(command), waits, Until::Placed)
    }

    /// Enqueues a fill (CL 5.3.4, clEnqueueFillImage). `color` has four 32-bit components: float, int or uint,
    /// as the format demands.
    pub fn enqueue_fill_image(
        self: &Arc<Self>,
        image: &Arc<Image>,
        color: [u32; 4],
        origin: [usize; 3],
        region: [usize; 3],
        waits: Waits<'_>,
    ) -> Enqueued {
        self.check_image(image)?;
        self.check_waits(waits)?;
        let texels = image.check_region(origin, region)?;
        waits.check_list()?;
        self.check_image_device(image)?;
        let texel = image.format().encode(color);
        let command = match image.buffer() {
            None => Command::FillImage(FillImage {
                image: Arc::clone(image),
                texels,
                texel,
            }),
            Some(buffer) => Command::Fill(Fill {
                buffer: Arc::clone(buffer),
                rows: image.in_buffer(&texels),
                pattern: texel,
            }),
        };
        self.enqueue(
            CommandType::FillImage,
            Incoming::Command(command),
            waits,
            Until::Placed,
        )
    }

    /// Enqueues a mapping (CL 5.3.6, clEnqueueMapImage).
    pub fn enqueue_map_image(
        self: &Arc<Self>,
        image: &Arc<Image>,
        blocking: bool,
        flags: MapFlags,
        origin: [usize; 3],
        region: [usize; 3],
        waits: Waits<'_>,
    ) -> Result<MappedImage> {
        self.check_image(image)?;
        self.check_waits(waits)?;
        let texels = image.check_region(origin, region)?;
        waits.check_list()?;
        self.check_image_device(image)?;
        let write = flags.write || flags.invalidate;
        image.check_host(flags.read, write)?;
        // CL 5.3.6: MAP_FAILURE if the region cannot be mapped
        let failure = |e| {
            Error::new(ClCode::MapFailure, "no host memory for the mapping")
                .at("5.3.6")
                .from_source(e)
        };
        let (command, ptr, row_pitch, slice_pitch, hold) = match image.buffer() {
            Some(buffer) => {
                let rows = image.in_buffer(&texels);
                let window = Window::of(buffer, self.device_index, rows.start).map_err(failure)?;
                let ptr = window.ptr();
                let hold = window.hold(buffer, rows, self.device_index, write);
                let map = Command::Map(Map {
                    buffer: Arc::clone(buffer),
                    rows,
                    fetch: !flags.invalidate,
                    window,
                    hold: hold.clone(),
                });
                (map, ptr, image.row_pitch(), 0, hold)
            }
            None => {
                let place = self.window(image, &texels).map_err(failure)?;
                let map = Command::MapImage(MapImage {
                    image: Arc::clone(image),
                    texels,
                    window: place.window,
                    copy: !flags.invalidate,
                });
                (map, place.ptr, place.row_pitch, place.slice_pitch, None)
            }
        };
        let event = self.enqueue(
            CommandType::MapImage,
            Incoming::Command(command),
            waits,
            Until::blocking(blocking),
        )?;
        image.maps().lock().push(ImageMapping {
            address: ptr.address(),
            texels,
            write,
            device: self.device_index,
            hold,
        });
        Ok(MappedImage {
            ptr: ptr.non_null(),
            row_pitch,
            slice_pitch,
            event,
        })
    }

    /// Enqueues the end of a mapping (CL 5.4.2, clEnqueueUnmapMemObject of an image). `address` is the address
    /// that the map call returned.
    pub fn enqueue_unmap_image(
        self: &Arc<Self>,
        image: &Arc<Image>,
        address: usize,
        waits: Waits<'_>,
    ) -> Enqueued {
        // CL 5.4.2: INVALID_VALUE if mapped_ptr is not a pointer returned by a map of the object
        let invalid =
            || Error::new(ClCode::InvalidValue, "the pointer is not a mapping of the object").at("5.4.2");
        if !image.maps().lock().iter().any(|m| m.address == address) {
            return Err(invalid());
        }
        waits.check_list()?;
        self.check_image(image)?;
        self.check_waits(waits)?;
        let mapping = {
            let mut maps = image.maps().lock();
            let at = maps.iter().position(|m| m.address == address);
            at.map(|at| maps.remove(at))
        };
        let mapping = mapping.ok_or_else(invalid)?;
        let texels = mapping.texels;
        let command = match image.buffer() {
            Some(buffer) => {
                let rows = image.in_buffer(&texels);
                Command::Unmap(Unmap {
                    buffer: Arc::clone(buffer),
                    rows,
                    write: mapping.write,
                    window: Window::of(buffer, mapping.device, rows.start)?,
                    device: mapping.device,
                    hold: mapping.hold,
                })
            }
            None => Command::UnmapImage(MapImage {
                image: Arc::clone(image),
                texels,
                window: self.window(image, &texels)?.window,
                copy: mapping.write,
            }),
        };
        self.enqueue(
            CommandType::UnmapMemObject,
            Incoming::Command(command),
            waits,
            Until::Placed,
        )
    }

    fn window(&self, image: &Image, texels: &Texels) -> Result<Place> {
        if image.flags().host_ptr == HostPtrUse::Use {
            let host = image
                .host_ptr()
                .expect("CL_MEM_USE_HOST_PTR comes with a pointer");
            let (row_pitch, slice_pitch) = (image.row_pitch(), image.slice_pitch());
            let ptr = host.offset(image.layout(texels.origin, row_pitch, slice_pitch).start);
            return Ok(Place {
                window: ImageWindow::Application(ptr, row_pitch, slice_pitch),
                ptr,
                row_pitch,
                slice_pitch,
            });
        }
        let [w, h, _] = image.size();
        let (row_pitch, slice_pitch) = image.dense(w.into(), h.into());
        let start = image.layout(texels.origin, row_pitch, slice_pitch).start;
        if self.is_shared() {
            // The mirror exists on one device only.
            let ptr = image.host_copy()?.offset(start);
            return Ok(Place {
                window: ImageWindow::Application(ptr, row_pitch, slice_pitch),
                ptr,
                row_pitch,
                slice_pitch,
            });
        }
        let mirror = image.mirror(self.device_index)?;
        let host = mirror.mapped().expect("host memory is mapped");
        Ok(Place {
            window: ImageWindow::Mirror,
            ptr: host.offset(start),
            row_pitch,
            slice_pitch,
        })
    }
}

/// The host memory of a mapping: where it is, and the address and pitches that the application gets.
struct Place {
    window: ImageWindow,
    ptr: HostPtr,
    row_pitch: u64,
    slice_pitch: u64,
}

/// Returns a copy between rows of buffers.
fn buffer_copy(src: (&Arc<Buffer>, Rows), dst: (&Arc<Buffer>, Rows)) -> Result<Command> {
    let (from, to) = (src.1.layout(), dst.1.layout());
    let region = src.1.region();
    // CL 5.3.3: MEM_COPY_OVERLAP if the regions overlap
    if src.0.root_id() == dst.0.root_id() && overlap(&from, src.0.offset(), &to, dst.0.offset(), region) {
        return Err(Error::new(ClCode::MemCopyOverlap, "source and destination overlap").at("5.3.3"));
    }
    Ok(Command::Copy(Copy {
        src: Arc::clone(src.0),
        src_layout: from,
        dst: Arc::clone(dst.0),
        dst_layout: to,
        region,
    }))
}
