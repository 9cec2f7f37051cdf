//! Copies of texels between images, buffers and host memory (CL 5.3.3, 5.3.5), and fills (5.3.4).
//!
//! Commands on an image that was created from a buffer become commands on that buffer
//! (`queue/enqueue_image.rs`).

use std::sync::Arc;

use super::buffer::{access, extent, regions};
use super::rect::{Layout, dense};
use crate::device::pinned::Pinned;
use crate::device::staging::Cut;
use crate::error::{ClCode, Error, Result};
use crate::mem::image::{Image, chunks, chunks_by};
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::mem::{Buffer, HostPtr};
use crate::queue::{Access, HostCopy, Keep, Recording};
use crate::vk::{self, Texels};

/// Returns the access to an image. It covers the whole image, whichever box is accessed.
pub(crate) fn image_access(image: &Image, write: bool) -> Access {
    Access {
        root: image.root_id(),
        start: 0,
        end: 1,
        write,
    }
}

/// Returns how a write to a box uses an image.
pub(super) fn written(image: &Arc<Image>, texels: &Texels) -> Touch {
    let how = if *texels == image.all() {
        Use::Replace
    } else {
        Use::Update
    };
    Touch::image(image, how)
}

/// Returns the Vulkan image of an image that has one.
fn storage(image: &Image, device: usize) -> Result<&vk::Image> {
    image
        .storage(device)?
        .ok_or_else(|| Error::new(ClCode::InvalidMemObject, "the image lies in a buffer"))
}

/// Returns the region of a box as bytes, rows and slices.
pub(crate) fn rows(texel: u32, texels: &Texels) -> [u64; 3] {
    let [w, h, d] = texels.region.map(u64::from);
    [w * u64::from(texel), h, d]
}

/// Returns the copy of texels that are dense in a buffer from an offset on.
fn packed(texels: Texels, offset: u64) -> vk::ImageCopy {
    vk::ImageCopy {
        texels,
        offset,
        row: 0,
        rows: 0,
    }
}

/// Returns the copy between texels and a buffer with this layout. Returns `None` if Vulkan cannot express it, because the
/// offset or a pitch is not a whole number of texels or rows.
fn expressible(image: &Image, texels: Texels, layout: &Layout) -> Option<vk::ImageCopy> {
    let texel = u64::from(image.format().size());
    let whole = |bytes: u64, unit: u64| {
        let count = u32::try_from(bytes / unit).ok()?;
        bytes.is_multiple_of(unit).then_some(count)
    };
    let has_slices = texels.region[2] > 1;
    Some(vk::ImageCopy {
        texels,
        offset: layout.start.is_multiple_of(texel).then_some(layout.start)?,
        row: whole(layout.row_pitch, texel)?,
        rows: match has_slices {
            true => whole(layout.slice_pitch, layout.row_pitch)?,
            false => 0,
        },
    })
}

/// A read or a write: a box of an image and host memory.
pub(crate) struct ImageTransfer {
    pub image: Arc<Image>,
    pub texels: Texels,
    pub host: HostPtr,
    /// The layout in host memory.
    pub layout: Layout,
    /// The pinned memory that contains the host memory, if the GPU is to access it itself
    /// ([`ImageTransfer::in_memory`]).
    pub pinned: Option<Pinned>,
}

impl ImageTransfer {
    /// Returns the copy between the image and a buffer in which the host memory's first byte has the offset
    /// `place`. Returns `None` if Vulkan cannot express it.
    pub(crate) fn in_memory(&self, place: u64) -> Option<vk::ImageCopy> {
        let layout = Layout {
            start: place,
            ..self.layout
        };
        expressible(&self.image, self.texels, &layout)
    }

    /// Records a copy between the image and pinned host memory. Returns `false` if the transfer must be staged.
    fn record_pinned(&self, write: bool, r: &mut Recording<'_>) -> Result<bool> {
        let Some(pinned) = &self.pinned else {
            return Ok(false);
        };
        let Some(copy) = self.in_memory(pinned.offset) else {
            return Ok(false);
        };
        let (start, end) = self.host_range();
        let host = Access {
            root: pinned.root,
            start: pinned.offset,
            end: pinned.offset + (end - start) as u64,
            write: !write,
        };
        r.use_image(&self.image)?;
        r.access(&[image_access(&self.image, write), host], false);
        let image = storage(&self.image, r.device())?;
        if write {
            r.recorder().copy_to_image(&pinned.memory, image, &copy);
        } else {
            r.recorder().copy_from_image(image, &pinned.memory, &copy);
            r.stores((start, end));
        }
        r.keep(Keep::Memory(Arc::clone(&pinned.memory)));
        Ok(true)
    }

    pub(crate) fn region(&self) -> [u64; 3] {
        rows(self.image.format().size(), &self.texels)
    }

    /// Returns the number of bytes.
    pub(crate) fn size(&self) -> u64 {
        self.region().iter().product()
    }

    /// Returns the range of host addresses from the first byte to the last.
    pub(crate) fn host_range(&self) -> (usize, usize) {
        let [w, h, d] = self.region();
        let base = self.host.address();
        let end = self.layout.row(h - 1, d - 1) + w;
        (base + self.layout.start as usize, base + end as usize)
    }

    /// Returns the chunks of the transfer.
    pub(crate) fn chunks(&self, sizes: &vk::ChunkSizes) -> impl Iterator<Item = ImageTransfer> {
        let first = self.texels.origin;
        let mut cut = Cut::new(sizes);
        let limit = move |left| cut.next(left);
        chunks_by(self.texels, self.image.format().size(), limit).map(move |texels| {
            let [y, z] = [1, 2].map(|i| u64::from(texels.origin[i] - first[i]));
            ImageTransfer {
                image: Arc::clone(&self.image),
                texels,
                host: self.host,
                layout: Layout {
                    start: self.layout.row(y, z),
                    ..self.layout
                },
                pinned: None,
            }
        })
    }

    pub(crate) fn record_read(&self, r: &mut Recording<'_>) -> Result<()> {
        if self.record_pinned(false, r)? {
            return Ok(());
        }
        let staged = r.stage(self.size())?;
        r.use_image(&self.image)?;
        r.access(&[image_access(&self.image, false)], false);
        let image = storage(&self.image, r.device())?;
        r.recorder()
            .copy_from_image(image, &staged.buffer, &packed(self.texels, staged.offset));
        let region = self.region();
        r.copy_out(HostCopy {
            from: staged.ptr,
            from_layout: dense(region),
            to: self.host,
            to_layout: self.layout,
            region,
        });
        Ok(())
    }

    pub(crate) fn record_write(&self, r: &mut Recording<'_>) -> Result<()> {
        if self.record_pinned(true, r)? {
            return Ok(());
        }
        let staged = r.stage(self.size())?;
        let region = self.region();
        self.host
            .copy_rect_to(&self.layout, staged.ptr, &dense(region), region);
        r.use_image(&self.image)?;
        r.access(&[image_access(&self.image, true)], false);
        let image = storage(&self.image, r.device())?;
        r.recorder()
            .copy_to_image(&staged.buffer, image, &packed(self.texels, staged.offset));
        Ok(())
    }
}

/// A copy from image to image; neither was created from a buffer.
pub(crate) struct ImageToImage {
    pub src: Arc<Image>,
    pub from: Texels,
    pub dst: Arc<Image>,
    pub to: Texels,
}

impl ImageToImage {
    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        r.use_image(&self.src)?;
        r.use_image(&self.dst)?;
        let (src, dst) = (storage(&self.src, r.device())?, storage(&self.dst, r.device())?);
        let uses = [image_access(&self.src, false), image_access(&self.dst, true)];
        if src.copies_to(dst) {
            r.access(&uses, false);
            r.recorder().copy_image(src, &self.from, dst, &self.to);
        } else {
            // Vulkan cannot copy between these images directly, so a buffer is in between.
            let staged = r.stage(self.src.bytes_of(self.from.region))?;
            r.access(&uses, false);
            r.recorder()
                .copy_from_image(src, &staged.buffer, &packed(self.from, staged.offset));
            r.recorder().barrier();
            r.recorder()
                .copy_to_image(&staged.buffer, dst, &packed(self.to, staged.offset));
        }
        Ok(())
    }
}

/// A copy between an image, which was not created from a buffer, and a buffer.
pub(crate) struct ImageAndBuffer {
    pub image: Arc<Image>,
    pub texels: Texels,
    pub buffer: Arc<Buffer>,
    /// The layout in the buffer (a sub-buffer's offset not included).
    pub layout: Layout,
}

impl ImageAndBuffer {
    /// Returns how it uses the contents of the image and of the buffer.
    pub(super) fn touches(&self, to_image: bool) -> [Touch; 2] {
        let (start, end) = self.extent();
        let buffer = |how| Touch::buffer(&self.buffer, start, end, how);
        if to_image {
            [buffer(Use::Read), written(&self.image, &self.texels)]
        } else {
            // The bytes between the rows, and those between the slices, keep their contents.
            let is_dense = end - start == self.region().iter().product();
            let how = if is_dense { Use::Replace } else { Use::Update };
            [Touch::image(&self.image, Use::Read), buffer(how)]
        }
    }

    fn region(&self) -> [u64; 3] {
        rows(self.image.format().size(), &self.texels)
    }

    /// Returns the byte range in the buffer, from the first byte to the last.
    fn extent(&self) -> (u64, u64) {
        extent(&self.layout, self.region())
    }

    /// Records a copy from the image to the buffer, or (`to_image`) from the buffer to the image.
    pub(crate) fn record(&self, to_image: bool, r: &mut Recording<'_>) -> Result<()> {
        let region = self.region();
        r.use_image(&self.image)?;
        let image = storage(&self.image, r.device())?;
        let buffer = self.buffer.storage(r.device())?;
        let (start, end) = self.extent();
        let uses = [
            image_access(&self.image, to_image),
            access(&self.buffer, start, end, !to_image),
        ];
        let in_storage = Layout {
            start: self.buffer.offset() + self.layout.start,
            ..self.layout
        };
        if let Some(copy) = expressible(&self.image, self.texels, &in_storage) {
            r.access(&uses, false);
            if to_image {
                r.recorder().copy_to_image(buffer, image, &copy);
            } else {
                r.recorder().copy_from_image(image, buffer, &copy);
            }
        } else {
            // Another buffer, in which the texels are dense and aligned, is in between.
            let staged = r.stage(region.iter().product())?;
            r.access(&uses, false);
            let copy = packed(self.texels, staged.offset);
            let (own, between) = ((in_storage, 0), (dense(region), staged.offset));
            if to_image {
                r.recorder()
                    .copy(buffer, &staged.buffer, regions(own, between, region));
                r.recorder().barrier();
                r.recorder().copy_to_image(&staged.buffer, image, &copy);
            } else {
                r.recorder().copy_from_image(image, &staged.buffer, &copy);
                r.recorder().barrier();
                r.recorder()
                    .copy(&staged.buffer, buffer, regions(between, own, region));
            }
        }
        if !to_image {
            r.writes(&self.buffer);
        }
        r.keep(Keep::Buffer(Arc::clone(&self.buffer)));
        Ok(())
    }
}

/// A fill of a box of an image with one texel; the image was not created from a buffer.
pub(crate) struct FillImage {
    pub image: Arc<Image>,
    pub texels: Texels,
    /// The bytes of a texel in memory.
    pub texel: Vec<u8>,
}

/// The most bytes of repeated texels that are staged.
const REPEATED: u64 = 1 << 20;

impl FillImage {
    /// Returns the layers to clear (first and number, or `None` for an image without layers), if the box
    /// consists of whole layers. Vulkan cannot clear less.
    fn layers(&self) -> Option<Option<(u32, u32)>> {
        let axis = self.image.image_type().layer_axis();
        let whole = (0..3).all(|i| axis == Some(i) || self.texels.region[i] == self.image.size()[i]);
        whole.then(|| axis.map(|i| (self.texels.origin[i], self.texels.region[i])))
    }

    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        r.use_image(&self.image)?;
        let image = storage(&self.image, r.device())?;
        if let (Some(clear), Some(layers)) = (self.image.format().clear(&self.texel), self.layers()) {
            r.access(&[image_access(&self.image, true)], false);
            r.recorder().clear_image(image, clear, layers);
            return Ok(());
        }
        let texel = self.texel.len() as u64;
        let [w, h, d] = self.texels.region.map(u64::from);
        let chunk = (w * h * d * texel).min(REPEATED.max(w * texel));
        let staged = r.stage(chunk)?;
        let row: Vec<u8> = self
            .texel
            .iter()
            .copied()
            .cycle()
            .take((w * texel) as usize)
            .collect();
        for at in (0..chunk).step_by(row.len()) {
            let n = row.len().min((chunk - at) as usize);
            staged.ptr.offset(at).store(&row[..n]);
        }
        r.access(&[image_access(&self.image, true)], false);
        // The chunks do not overlap, and all have the same texels.
        for texels in chunks(self.texels, texel as u32, chunk) {
            r.recorder()
                .copy_to_image(&staged.buffer, image, &packed(texels, staged.offset));
        }
        Ok(())
    }
}

/// The host memory in which a mapping of an image appears.
#[derive(Copy, Clone)]
pub(crate) enum ImageWindow {
    /// The application's memory or plain host memory: the address of the region's first texel, row pitch and
    /// slice pitch.
    Application(HostPtr, u64, u64),
    /// The mirror.
    Mirror,
}

/// The start of a mapping (contents are fetched) or its end (contents are written back).
pub(crate) struct MapImage {
    pub image: Arc<Image>,
    pub texels: Texels,
    pub window: ImageWindow,
    /// Whether contents are copied at all.
    pub copy: bool,
}

impl MapImage {
    /// Returns how it uses the image's contents.
    pub(super) fn touch(&self, ends: bool) -> Option<Touch> {
        let touch = || {
            if ends {
                written(&self.image, &self.texels)
            } else {
                Touch::image(&self.image, Use::Read)
            }
        };
        self.copy.then(touch)
    }

    fn transfer(&self, host: HostPtr, row: u64, slice: u64) -> ImageTransfer {
        ImageTransfer {
            image: Arc::clone(&self.image),
            texels: self.texels,
            host,
            layout: self.image.layout([0; 3], row, slice),
            pinned: None,
        }
    }

    /// Implements [`super::Command::host_source`] for the end of a mapping.
    pub(super) fn host_source(&self) -> Option<super::HostRange> {
        match self.window {
            ImageWindow::Application(host, row, slice) if self.copy => {
                Some(self.transfer(host, row, slice).host_range())
            }
            ImageWindow::Application(..) | ImageWindow::Mirror => None,
        }
    }

    /// Implements [`super::Command::ended_mapping`] for the end of a mapping.
    pub(super) fn ended_mapping(&self) -> Option<super::HostRange> {
        match self.window {
            ImageWindow::Mirror if self.copy => self.mirror_range(),
            ImageWindow::Application(..) | ImageWindow::Mirror => None,
        }
    }

    /// Returns the range of host addresses of the image's mirror.
    fn mirror_range(&self) -> Option<super::HostRange> {
        // An image has a mirror only if the context has one device.
        let mirror = self.image.mirror(0).ok()?;
        let start = mirror.mapped()?.as_ptr().addr();
        Some((start, start + mirror.size() as usize))
    }

    /// Records the start of a mapping, or its end.
    pub(crate) fn record(&self, ends: bool, r: &mut Recording<'_>) -> Result<()> {
        // This also makes earlier writes visible to the host if nothing is copied.
        r.make_visible_to_host();
        r.use_image(&self.image)?;
        if !self.copy {
            return Ok(());
        }
        match self.window {
            ImageWindow::Application(host, row, slice) => {
                let transfer = self.transfer(host, row, slice);
                if ends {
                    transfer.record_write(r)
                } else {
                    transfer.record_read(r)
                }
            }
            ImageWindow::Mirror => {
                r.access(&[image_access(&self.image, ends)], false);
                let (image, mirror) = (storage(&self.image, r.device())?, self.image.mirror(r.device())?);
                let [w, h, _] = self.image.size();
                let (row, slice) = self.image.dense(w.into(), h.into());
                let copy = vk::ImageCopy {
                    texels: self.texels,
                    offset: self.image.layout(self.texels.origin, row, slice).start,
                    row: w,
                    rows: if slice > row { h } else { 0 },
                };
                if ends {
                    r.recorder().copy_to_image(mirror, image, &copy);
                } else {
                    r.recorder().copy_from_image(image, mirror, &copy);
                    self.mirror_range().into_iter().for_each(|range| r.stores(range));
                }
                Ok(())
            }
        }
    }
}
