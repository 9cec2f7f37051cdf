//! clCreateImage and clGetSupportedImageFormats (CL 5.3.1, 5.3.2).

use std::sync::Arc;

use once_cell::sync::OnceCell;

use super::{ChannelOrder, Image, ImageFormat, ImageType, Store};
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::lock::{Mutex, Rank};
use crate::mem::claim::Shared;
use crate::mem::destructor_callbacks::DestructorCallbacks;
use crate::mem::external::ExternalHandle;
use crate::mem::residence::Use;
use crate::mem::{Buffer, HostPtr, HostPtrUse, KernelAccess, MemFlags, Properties};
use crate::object::Anchor;
use crate::vk;

/// `cl_image_desc`, unchecked but for the buffer's handle.
#[derive(Clone, Debug, Default)]
pub struct ImageDesc {
    /// `image_type`
    pub image_type: u32,
    /// `image_width`, `image_height`, `image_depth`
    pub size: [usize; 3],
    /// `image_array_size`
    pub array_size: usize,
    /// `image_row_pitch`
    pub row_pitch: usize,
    /// `image_slice_pitch`
    pub slice_pitch: usize,
    /// `num_mip_levels`
    pub mip_levels: u32,
    /// `num_samples`
    pub samples: u32,
    /// `buffer`
    pub buffer: Option<Arc<Buffer>>,
}

fn bad_descriptor(what: &'static str) -> Error {
    Error::new(ClCode::InvalidImageDescriptor, what).at("5.3.1")
}

/// Checks that images are supported. CL 5.3.1: INVALID_OPERATION if there are no devices in context that
/// support images
pub(crate) fn check_support(context: &Context) -> Result<()> {
    if context.devices().iter().any(|d| d.info().image_support) {
        return Ok(());
    }
    Err(Error::new(
        ClCode::InvalidOperation,
        "no device of the context supports images",
    )
    .at("5.3.1"))
}

/// Returns whether kernels on the device can make the accesses that the flags ask for to images of the format.
fn supports(device: &Device, ty: ImageType, format: ImageFormat, access: KernelAccess) -> bool {
    // cl_khr_depth_images: only 2D images and arrays of them have the order DEPTH
    let flat = matches!(ty, ImageType::D2 | ImageType::D2Array);
    if format.order() == ChannelOrder::Depth && !flat {
        return false;
    }
    let can = device.image_formats().get(format, ty.holder());
    match access {
        KernelAccess::ReadOnly => can.read,
        KernelAccess::WriteOnly => can.write,
        KernelAccess::ReadWrite => can.read && can.write,
    }
}

/// Returns the type, and the size in the order in which origins and regions count, from those fields of the
/// descriptor that the type uses.
fn dimensions(desc: &ImageDesc) -> Result<(ImageType, [usize; 3])> {
    // CL 5.3.1: INVALID_IMAGE_DESCRIPTOR if values specified in image_desc are not valid
    let ty = ImageType::from_number(desc.image_type).ok_or_else(|| bad_descriptor("image_type"))?;
    let [w, h, d] = desc.size;
    let size = match ty {
        ImageType::D1 | ImageType::Buffer => [w, 1, 1],
        ImageType::D1Array => [w, desc.array_size, 1],
        ImageType::D2 => [w, h, 1],
        ImageType::D2Array => [w, h, desc.array_size],
        ImageType::D3 => [w, h, d],
    };
    if size.contains(&0) {
        return Err(bad_descriptor("a size of 0"));
    }
    if desc.mip_levels != 0 || desc.samples != 0 {
        return Err(bad_descriptor("num_mip_levels and num_samples must be 0"));
    }
    // cl_khr_image2d_from_buffer: 2D images may have a buffer, too
    let fits = match ty {
        ImageType::Buffer => desc.buffer.is_some(),
        ImageType::D2 => true,
        ImageType::D1 | ImageType::D1Array | ImageType::D2Array | ImageType::D3 => desc.buffer.is_none(),
    };
    if !fits {
        return Err(bad_descriptor(
            "only CL_MEM_OBJECT_IMAGE1D_BUFFER and IMAGE2D have a buffer",
        ));
    }
    Ok((ty, size))
}

/// Returns the CL_DEVICE_IMAGE… limits of a type.
fn largest(device: &Device, ty: ImageType) -> [usize; 3] {
    let info = device.info();
    match ty {
        ImageType::D1 => [info.image2d_max_width, 1, 1],
        ImageType::Buffer => [info.image_max_buffer_size, 1, 1],
        ImageType::D1Array => [info.image2d_max_width, info.image_max_array_size, 1],
        ImageType::D2 => [info.image2d_max_width, info.image2d_max_height, 1],
        ImageType::D2Array => [
            info.image2d_max_width,
            info.image2d_max_height,
            info.image_max_array_size,
        ],
        ImageType::D3 => [
            info.image3d_max_width,
            info.image3d_max_height,
            info.image3d_max_depth,
        ],
    }
}

fn shape(ty: ImageType) -> Option<vk::Shape> {
    match ty {
        ImageType::D1 => Some(vk::Shape::D1),
        ImageType::D1Array => Some(vk::Shape::D1Array),
        ImageType::D2 => Some(vk::Shape::D2),
        ImageType::D2Array => Some(vk::Shape::D2Array),
        ImageType::D3 => Some(vk::Shape::D3),
        ImageType::Buffer => None,
    }
}

/// Returns the row pitch and the slice pitch. CL 5.3.1.2: they are the pitches of `host_ptr` or of the buffer;
/// without either, those of dense memory.
fn pitches(
    ty: ImageType,
    format: ImageFormat,
    size: [usize; 3],
    desc: &ImageDesc,
    host: bool,
) -> Result<(u64, u64)> {
    let texel = u64::from(format.size());
    let [w, h, _] = size.map(|n| n as u64);
    let (row, slice) = (desc.row_pitch as u64, desc.slice_pitch as u64);
    if !host && desc.buffer.is_none() && (row, slice) != (0, 0) {
        return Err(bad_descriptor("pitches without memory that has them"));
    }
    // If the product overflows, the image is too large in any case.
    let least = w.saturating_mul(texel);
    let row = match row {
        _ if ty == ImageType::Buffer => least,
        0 => least,
        p if p < least || p % texel != 0 => return Err(bad_descriptor("image_row_pitch")),
        p => p,
    };
    let rows = match ty {
        ImageType::D1 | ImageType::D2 | ImageType::Buffer => return Ok((row, 0)),
        ImageType::D1Array => 1,
        ImageType::D2Array | ImageType::D3 => h,
    };
    let least = row.saturating_mul(rows);
    match slice {
        0 => Ok((row, least)),
        p if p < least || p % row != 0 => Err(bad_descriptor("image_slice_pitch")),
        p => Ok((row, p)),
    }
}

impl Image {
    /// Returns whether images of a device can be as large as this one.
    pub(crate) fn fits(&self, device: &Device) -> bool {
        let most = largest(device, self.ty);
        (0..3).all(|i| self.size[i] as usize <= most[i])
    }

    /// Returns whether kernels on a device can make the accesses that the image's flags ask for.
    pub(crate) fn supported(&self, device: &Device) -> bool {
        supports(device, self.ty, self.format, self.flags.kernel)
    }

    /// Checks that images are supported. CL 5.3.1: INVALID_OPERATION if there are no devices in context that
    /// support images
    pub fn check_support(context: &Context) -> Result<()> {
        check_support(context)
    }

    /// Creates an image (CL 5.3.1, clCreateImage).
    pub fn create(
        context: &Arc<Context>,
        flags: MemFlags,
        format: ImageFormat,
        desc: &ImageDesc,
        host_ptr: Option<HostPtr>,
    ) -> Result<Arc<Image>> {
        Image::import(context, flags, format, desc, host_ptr, None)
    }

    /// Creates an image, in memory of another API if there is a handle (cl_khr_external_memory,
    /// clCreateImageWithProperties).
    pub fn import(
        context: &Arc<Context>,
        flags: MemFlags,
        format: ImageFormat,
        desc: &ImageDesc,
        host_ptr: Option<HostPtr>,
        handle: Option<&ExternalHandle>,
    ) -> Result<Arc<Image>> {
        let external = handle.map(|h| h.check(context, flags, host_ptr.is_some()));
        let external = external.transpose()?;
        let (ty, size) = dimensions(desc)?;
        if external.is_some() && desc.buffer.is_some() {
            return Err(bad_descriptor("an image in external memory has no buffer"));
        }
        // cl_khr_external_memory: the layout of images is the one that both APIs share, whatever the pitches
        let has_memory = host_ptr.is_some() || external.is_some();
        let (row_pitch, slice_pitch) = pitches(ty, format, size, desc, has_memory)?;
        // cl_khr_image2d_from_buffer: image_row_pitch × image_height must not exceed the buffer's size
        if let Some(buffer) = &desc.buffer
            && row_pitch
                .checked_mul(size[1] as u64)
                .is_none_or(|n| n > buffer.size())
        {
            return Err(bad_descriptor("the image is larger than its buffer"));
        }
        // CL 5.3.1: INVALID_IMAGE_SIZE if image dimensions exceed the limits of every device
        let fits = |d: &Arc<Device>| {
            let most = largest(d, ty);
            (0..3).all(|i| size[i] <= most[i])
        };
        if !context.devices().iter().any(fits) {
            return Err(Error::new(ClCode::InvalidImageSize, format!("{size:?}")).at("5.3.1"));
        }
        // CL 5.3.1: INVALID_HOST_PTR if host_ptr is NULL and USE_HOST_PTR or COPY_HOST_PTR are set, or if it is not
        // NULL and they are not set
        let wants_ptr = match flags.host_ptr {
            HostPtrUse::Use | HostPtrUse::Copy | HostPtrUse::AllocCopy => true,
            HostPtrUse::None | HostPtrUse::Alloc => false,
        };
        // CL 5.3.1: INVALID_VALUE for the flags of an image from a buffer that contradict the buffer's
        let flags = match &desc.buffer {
            Some(buffer) => buffer.flags().for_sub_buffer(flags.bits())?,
            None => flags,
        };
        if wants_ptr != host_ptr.is_some() {
            return Err(Error::new(ClCode::InvalidHostPtr, "host_ptr does not fit flags").at("5.3.1"));
        }
        // CL 5.3.1: IMAGE_FORMAT_NOT_SUPPORTED if the image_format is not supported
        if !context
            .devices()
            .iter()
            .any(|d| supports(d, ty, format, flags.kernel))
        {
            return Err(unsupported(format));
        }
        let devices = context.devices().len();
        let store = match (shape(ty), &desc.buffer) {
            (Some(shape), _) => Store::Images {
                shape,
                storage: (0..devices).map(|_| OnceCell::new()).collect(),
                residence: Box::new(Shared::new(1)),
                mirror: OnceCell::new(),
                host_copy: OnceCell::new(),
                buffer: desc.buffer.clone(),
            },
            (None, Some(buffer)) => Store::Buffer {
                views: (0..devices).map(|_| OnceCell::new()).collect(),
                buffer: Arc::clone(buffer),
            },
            (None, None) => return Err(bad_descriptor("no buffer")),
        };
        let image = Image {
            anchor: Anchor::new(),
            store,
            ty,
            format,
            flags,
            size: size.map(|n| n as u32),
            row_pitch,
            slice_pitch,
            host_ptr: match &desc.buffer {
                Some(buffer) => buffer.host_ptr(),
                None => host_ptr.filter(|_| flags.host_ptr == HostPtrUse::Use),
            },
            external,
            maps: Mutex::new(Rank::Mem, Vec::new()),
            properties: Properties::default(),
            destructor_callbacks: DestructorCallbacks::new(context),
            context: Arc::clone(context),
        };
        image.fill(handle, host_ptr, row_pitch, slice_pitch)?;
        Ok(Arc::new(image))
    }

    /// Makes the storage of the image on the device that has it first, and fills it from `host_ptr`.
    fn fill(
        &self,
        handle: Option<&ExternalHandle>,
        host_ptr: Option<HostPtr>,
        row_pitch: u64,
        slice_pitch: u64,
    ) -> Result<()> {
        let first = self.external.unwrap_or(0);
        let device = &self.context.devices()[first];
        if let Store::Images { shape, storage, .. } = &self.store {
            let most = device.limits().max_alloc;
            if !device.has_images(*shape, self.format, self.flags.kernel) {
                return Err(unsupported(self.format));
            }
            // CL 5.3.1: MEM_OBJECT_ALLOCATION_FAILURE if there is no memory for the image
            if self.bytes() > most || !device.can_make_image(&self.info(*shape)?, self.bytes()) {
                return Err(Error::new(
                    ClCode::MemObjectAllocationFailure,
                    format!("{} bytes in one image; buffers may have {most}", self.bytes()),
                )
                .at("5.3.1"));
            }
            if let Some(handle) = handle {
                let imported = handle.import(&self.info(*shape)?)?;
                let _ = storage[first].set(imported);
            }
        }
        if let Some(storage) = self.storage(first)?
            && let Some(from) = host_ptr
        {
            let layout = self.layout([0; 3], row_pitch, slice_pitch);
            device.upload_image(self, storage, from, &layout)?;
            if let Some(residence) = self.residence() {
                residence.lock().used(&(0..1), 0, Use::Replace);
            }
        }
        if let (Some(device), Some(residence)) = (self.external, self.residence()) {
            residence.lock().used(&(0..1), device, Use::Replace);
        }
        self.texel_buffer(0)?;
        Ok(())
    }

    /// Returns the formats that at least one device of the context supports (CL 5.3.2,
    /// clGetSupportedImageFormats). If `both` is set, these are the formats of images that a kernel reads and writes.
    pub fn supported_formats(
        context: &Context,
        flags: MemFlags,
        both: bool,
        ty: ImageType,
    ) -> Vec<ImageFormat> {
        ImageFormat::all()
            .filter(|format| {
                context.devices().iter().any(|d| {
                    d.info().image_support
                        && (!both || d.reads_and_writes(*format))
                        && supports(d, ty, *format, flags.kernel)
                        && shape(ty).is_none_or(|shape| d.has_images(shape, *format, flags.kernel))
                })
            })
            .collect()
    }
}

fn unsupported(format: ImageFormat) -> Error {
    Error::new(ClCode::ImageFormatNotSupported, format!("{format:?}")).at("5.3.1")
}
