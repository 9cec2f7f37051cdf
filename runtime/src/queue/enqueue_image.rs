//! The enqueue functions of images (CL 5.3.3 to 5.3.6 and 5.4.2), like those of `enqueue.rs`. Commands on an image that was
//! created from a buffer become commands on that buffer.

use std::ptr::NonNull;
use std::sync::Arc;

use super::scheduler::Until;
use super::{CommandQueue, Enqueued, MapFlags, Waits};
use crate::command::buffer::{Copy, HostTransfer};
use crate::command::fill::Fill;
use crate::command::image::{
    self, FillImage, ImageAndBuffer, ImageToImage, ImageTransfer, ImageWindow, MapImage,
};
use crate::command::map::{Map, Unmap, Window};
use crate::command::rect::{Layout, Rows, dense};
use crate::command::request::{ImageRegion, TexelBufferCopy, TexelCopy, TexelTransfer};
use crate::command::transfer::Object;
use crate::command::{Command, CommandType, Incoming, Prepared};
use crate::error::{ClCode, Error, Result};
use crate::event::Event;
use crate::mem::image::{Image, ImageMapping};
use crate::mem::{Buffer, HostPtr, HostPtrUse};
use crate::vk::Texels;

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

    /// Enqueues a read (CL 5.3.3, clEnqueueReadImage).
    pub fn enqueue_read_image(
        self: &Arc<Self>,
        request: TexelTransfer,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.enqueue_image_transfer(request.transfer, false, blocking, waits)
    }

    /// Enqueues a write (CL 5.3.3, clEnqueueWriteImage).
    pub fn enqueue_write_image(
        self: &Arc<Self>,
        request: TexelTransfer,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        self.enqueue_image_transfer(request.transfer, true, blocking, waits)
    }

    fn enqueue_image_transfer(
        self: &Arc<Self>,
        transfer: ImageTransfer,
        write: bool,
        blocking: bool,
        waits: Waits<'_>,
    ) -> Enqueued {
        let image = &transfer.image;
        self.assert_own(image.context());
        self.check_image_device(image)?;
        image.check_host(!write, write)?;
        let kind = match write {
            true => CommandType::WriteImage,
            false => CommandType::ReadImage,
        };
        let (object, shared) = match image.buffer() {
            Some(buffer) => {
                let rows = image.in_buffer(&transfer.texels);
                let transfer = HostTransfer {
                    buffer: Arc::clone(buffer),
                    layout: rows.layout(),
                    host: transfer.host,
                    host_layout: transfer.layout,
                    region: rows.region(),
                    pinned: None,
                };
                let shared = self.copy_of_shared_memory(&transfer, write).map(Command::Copy);
                (Object::Buffer(transfer), shared)
            }
            None => {
                let command = match write {
                    true => Command::BufferToImage,
                    false => Command::ImageToBuffer,
                };
                let shared = self.image_copy_of_shared_memory(&transfer).map(command);
                (Object::Image(transfer), shared)
            }
        };
        match shared {
            Some(copy) => self.enqueue(kind, Incoming::Command(copy), waits, Until::blocking(blocking)),
            None => self.transfer(kind, object, write, blocking, waits),
        }
    }

    /// Prepares a copy between images (CL 5.3.3, clEnqueueCopyImage).
    pub fn prepare_copy_image(&self, request: TexelCopy) -> Result<Prepared> {
        let (src, from) = (&request.from.image, request.from.texels);
        let (dst, to) = (&request.to.image, request.to.texels);
        self.assert_own(src.context());
        self.assert_own(dst.context());
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
                layout: dst.in_buffer(&to).layout(),
            }),
            (Some(buffer), None) => Command::BufferToImage(ImageAndBuffer {
                image: Arc::clone(dst),
                texels: to,
                buffer: Arc::clone(buffer),
                layout: src.in_buffer(&from).layout(),
            }),
            (Some(src_buffer), Some(dst_buffer)) => buffer_copy(
                (src_buffer, src.in_buffer(&from)),
                (dst_buffer, dst.in_buffer(&to)),
            )?,
        };
        Ok(Prepared {
            kind: CommandType::CopyImage,
            command,
        })
    }

    /// Prepares a copy from an image to a buffer (CL 5.3.5, clEnqueueCopyImageToBuffer).
    pub fn prepare_copy_image_to_buffer(&self, request: TexelBufferCopy) -> Result<Prepared> {
        self.prepare_copy_image_buffer(request, false)
    }

    /// Prepares a copy from a buffer to an image (CL 5.3.5, clEnqueueCopyBufferToImage).
    pub fn prepare_copy_buffer_to_image(&self, request: TexelBufferCopy) -> Result<Prepared> {
        self.prepare_copy_image_buffer(request, true)
    }

    fn prepare_copy_image_buffer(&self, request: TexelBufferCopy, to_image: bool) -> Result<Prepared> {
        let (image, texels) = (&request.region.image, request.region.texels);
        let (buffer, offset) = (&request.range.buffer, request.range.offset);
        self.assert_own(image.context());
        self.assert_own(buffer.context());
        buffer.check_alignment(&self.device)?;
        self.check_image_device(image)?;
        let command = match image.buffer() {
            None => {
                let copy = ImageAndBuffer {
                    image: Arc::clone(image),
                    texels,
                    buffer: Arc::clone(buffer),
                    layout: Layout {
                        start: offset,
                        ..dense(image::rows(image.format().size(), &texels))
                    },
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
        Ok(Prepared { kind, command })
    }

    /// Prepares a fill (CL 5.3.4, clEnqueueFillImage). `color` has four 32-bit components: float, int or uint,
    /// as the format demands.
    pub fn prepare_fill_image(&self, region: &ImageRegion, color: [u32; 4]) -> Result<Prepared> {
        let (image, texels) = (&region.image, region.texels);
        self.assert_own(image.context());
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
        Ok(Prepared {
            kind: CommandType::FillImage,
            command,
        })
    }

    /// Enqueues a mapping (CL 5.3.6, clEnqueueMapImage).
    pub fn enqueue_map_image(
        self: &Arc<Self>,
        region: &ImageRegion,
        blocking: bool,
        flags: MapFlags,
        waits: Waits<'_>,
    ) -> Result<MappedImage> {
        let (image, texels) = (&region.image, region.texels);
        self.assert_own(image.context());
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
                    kept: Map::kept_in(buffer, rows, &window),
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

    /// Enqueues the end of an image's mapping, as [`CommandQueue::enqueue_unmap`] does.
    pub(super) fn unmap_image(
        self: &Arc<Self>,
        image: &Arc<Image>,
        mapping: ImageMapping,
        waits: Waits<'_>,
    ) -> Enqueued {
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

    /// Returns the host memory in which a mapping of a box of texels appears. The image was not created from a buffer.
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
    let copy = Copy {
        src: Arc::clone(src.0),
        src_layout: src.1.layout(),
        dst: Arc::clone(dst.0),
        dst_layout: dst.1.layout(),
        region: src.1.region(),
    };
    copy.check_overlap()?;
    Ok(Command::Copy(copy))
}
