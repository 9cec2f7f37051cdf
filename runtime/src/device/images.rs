//! A device's support of images: formats, limits, and whether they suffice for the full profile.

use std::sync::Arc;

use caldera_compiler::intrinsic::SamplerMask;

use super::Device;
use super::upload::Uploader;
use crate::command::rect::Layout;
use crate::error::Result;
use crate::mem::buffer::allocation_error;
use crate::mem::image::{ChannelOrder, ChannelType, Image, ImageFormat};
use crate::mem::{HostPtr, KernelAccess};
use crate::vk::{self, FormatUse, Holder};

/// The accesses that kernels may make to images of each format that Vulkan has, as images and as texel buffers.
#[derive(Debug)]
pub(crate) struct ImageFormats {
    list: Vec<(ImageFormat, FormatUse, FormatUse)>,
}

/// Returns the formats that every device must read and write, for every type of image (CL 5.3.2.1, table 5.8).
fn required() -> impl Iterator<Item = ImageFormat> {
    use ChannelType as T;
    let rgba = [
        T::Unorm8,
        T::Unorm16,
        T::Int8,
        T::Int16,
        T::Int32,
        T::Uint8,
        T::Uint16,
        T::Uint32,
        T::Half,
        T::Float,
    ]
    .map(|data| (ChannelOrder::Rgba, data));
    rgba.into_iter()
        .chain([(ChannelOrder::Bgra, T::Unorm8)])
        .filter_map(|(order, data)| ImageFormat::new(order as u32, data as u32))
}

/// Returns whether kernels must be able to read and write images of a format at once, where they can do that at all (CL 2.0,
/// 5.3.2.1). No other formats are offered for that.
pub(crate) fn is_read_and_written(format: ImageFormat) -> bool {
    use ChannelType as T;
    let order = matches!(format.order(), ChannelOrder::R | ChannelOrder::Rgba);
    let of_integers = format.data().integer();
    order && (of_integers || matches!(format.data(), T::Unorm8 | T::Half | T::Float))
}

impl ImageFormats {
    pub(super) fn query(physical: &vk::PhysicalDevice) -> ImageFormats {
        let list = ImageFormat::all()
            .filter_map(|format| {
                let vulkan = format.vulkan()?;
                let image = physical.format_use(vulkan, Holder::Image);
                let buffer = physical.format_use(vulkan, Holder::Buffer);
                Some((format, image, buffer))
            })
            .collect();
        ImageFormats { list }
    }

    /// Returns the accesses that kernels may make to images of a format.
    pub(crate) fn get(&self, format: ImageFormat, holder: Holder) -> FormatUse {
        let found = self.list.iter().find(|(f, ..)| *f == format);
        found.map_or_else(FormatUse::default, |(_, image, buffer)| match holder {
            Holder::Image => *image,
            Holder::Buffer => *buffer,
        })
    }

    /// Returns whether kernels can both read and write images of a format.
    fn can_both(&self, format: ImageFormat, holder: Holder) -> bool {
        let can = self.get(format, holder);
        can.read && can.write
    }

    /// Returns the formats that the full profile requires but kernels cannot both read and write. Images in buffers may lack
    /// the order BGRA ([`ImageFormats::bgra_in_buffers`]).
    pub(super) fn missing(&self) -> Vec<ImageFormat> {
        let enough = |f: &ImageFormat| {
            let in_buffers = f.order() == ChannelOrder::Bgra || self.can_both(*f, Holder::Buffer);
            in_buffers && self.can_both(*f, Holder::Image)
        };
        required().filter(|f| !enough(f)).collect()
    }

    /// Returns whether kernels can read and write CL_MEM_OBJECT_IMAGE1D_BUFFER of the required format of the order BGRA. Mesa's
    /// driver for Intel's GPUs has no storage texel buffers of it. Such a device has all other images: that format is not among its
    /// supported ones then, and clCreateImage returns CL_IMAGE_FORMAT_NOT_SUPPORTED.
    pub(super) fn bgra_in_buffers(&self) -> bool {
        let mut bgra = required().filter(|f| f.order() == ChannelOrder::Bgra);
        bgra.all(|f| self.can_both(f, Holder::Buffer))
    }

    /// Returns whether kernels can read and write all formats of [`is_read_and_written`].
    pub(super) fn read_and_written(&self) -> bool {
        let can = |f| {
            [Holder::Image, Holder::Buffer]
                .into_iter()
                .all(|holder| self.can_both(f, holder))
        };
        ImageFormat::all().filter(|f| is_read_and_written(*f)).all(can)
    }

    /// Returns whether samplers can filter every floating-point format linearly.
    pub(super) fn filtered(&self) -> bool {
        self.list
            .iter()
            .all(|(f, image, _)| f.data().integer() || !image.read || image.linear)
    }
}

impl Device {
    /// Returns the accesses that kernels may make to images of each format.
    pub(crate) fn image_formats(&self) -> &ImageFormats {
        &self.image_formats
    }

    /// Returns whether a kernel may both read and write one image of a format.
    pub(crate) fn reads_and_writes(&self, format: ImageFormat) -> bool {
        self.info().max_read_write_image_args > 0 && is_read_and_written(format)
    }

    /// Returns whether the driver supports images of a shape and format with the access that the flags ask for.
    pub(crate) fn has_images(&self, shape: vk::Shape, format: ImageFormat, access: KernelAccess) -> bool {
        let (read, write) = match access {
            KernelAccess::ReadOnly => (true, false),
            KernelAccess::WriteOnly => (false, true),
            KernelAccess::ReadWrite => (true, true),
        };
        format
            .vulkan()
            .is_some_and(|raw| self.physical.can_have(shape, raw, read, write))
    }

    /// Returns whether the driver supports an image of this size.
    pub(crate) fn can_make_image(&self, info: &vk::ImageInfo, bytes: u64) -> bool {
        self.physical.can_make(info, bytes)
    }

    /// Returns whether images like this one can be made of memory of another API.
    pub(crate) fn imports_images(&self, info: &vk::ImageInfo, kind: vk::MemoryHandle) -> bool {
        self.physical.imports_images(info, kind)
    }

    /// Copies all texels of an image from the host; no command may use the image. Queues wait for the upload on
    /// the GPU (`Opened::uploads_since`).
    pub(crate) fn upload_image(
        &self,
        image: &Image,
        storage: &vk::Image,
        host: HostPtr,
        layout: &Layout,
    ) -> Result<()> {
        self.with_uploader(storage, |u, device| {
            u.upload_image(device, image, storage, host, layout)
        })
    }

    /// Copies all texels of an image to the host, and waits; no command may write the image.
    pub(crate) fn download_image(
        &self,
        image: &Image,
        storage: &vk::Image,
        host: HostPtr,
        layout: &Layout,
    ) -> Result<()> {
        self.with_uploader(storage, |u, device| {
            u.download_image(device, image, storage, host, layout)
        })
    }

    fn with_uploader(
        &self,
        storage: &vk::Image,
        transfer: impl FnOnce(&Uploader, &Arc<vk::Device>) -> Result<(), vk::AllocError>,
    ) -> Result<()> {
        let opened = self.opened()?;
        opened.check(storage.device())?;
        transfer(&opened.uploader, opened.logical()).map_err(allocation_error)
    }

    /// Returns the sampler for a mask, which is made once for each device.
    pub(crate) fn sampler(&self, mask: SamplerMask) -> Result<Arc<vk::Sampler>> {
        let opened = self.opened()?;
        let mut known = opened.samplers.lock();
        if let Some((_, sampler)) = known.iter().find(|(m, _)| *m == mask) {
            return Ok(Arc::clone(sampler));
        }
        let made = vk::Sampler::new(opened.logical(), mask).map_err(crate::queue::resources)?;
        let made = Arc::new(made);
        known.push((mask, Arc::clone(&made)));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a device's formats that kernels can read and write, but for one order in one holder.
    fn without(order: ChannelOrder, holder: Holder) -> ImageFormats {
        let all = FormatUse {
            read: true,
            write: true,
            linear: true,
        };
        let of = |format: ImageFormat, of: Holder| match format.order() == order && holder == of {
            true => FormatUse::default(),
            false => all,
        };
        let list = ImageFormat::all().map(|f| (f, of(f, Holder::Image), of(f, Holder::Buffer)));
        ImageFormats { list: list.collect() }
    }

    #[test]
    fn only_bgra_in_buffers_may_be_missing() {
        let formats = without(ChannelOrder::Bgra, Holder::Buffer);
        assert!(formats.missing().is_empty() && !formats.bgra_in_buffers());
        let formats = without(ChannelOrder::Bgra, Holder::Image);
        assert!(formats.missing().len() == 1 && formats.bgra_in_buffers());
        let formats = without(ChannelOrder::Rgba, Holder::Buffer);
        assert!(formats.missing().len() == 10 && formats.bgra_in_buffers());
        // No format of this order is required.
        let formats = without(ChannelOrder::Argb, Holder::Image);
        assert!(formats.missing().is_empty());
    }
}
