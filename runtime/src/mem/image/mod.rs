//! Images (CL 5.3): the objects and their storage.
//!
//! Coordinates, sizes and regions count as OpenCL's `origin` and `region` do: the layers of a 1D array are the
//! second number, those of a 2D array the third. Numbers that a type does not use are 1 (0 in an origin).

mod create;
mod encode;
mod format;

use std::sync::Arc;

use once_cell::sync::OnceCell;

pub use create::ImageDesc;
pub(crate) use create::check_support;
pub use format::{ChannelOrder, ChannelType, ImageFormat};

use super::buffer::allocation_error;
use super::claim::{Hold, Shared};
use super::destructor_callbacks::DestructorCallbacks;
use super::{Buffer, HostMemory, HostPtr, KernelAccess, MemFlags, Properties};
use crate::command::rect::{Layout, Rows};
use crate::context::Context;
use crate::device::recycling::Storage;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::lock::Mutex;
use crate::object::Anchor;
use crate::vk::{self, Texels};

/// `CL_MEM_OBJECT_IMAGE…` types.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ImageType {
    /// CL_MEM_OBJECT_IMAGE2D.
    D2 = 0x10F1,
    /// CL_MEM_OBJECT_IMAGE3D.
    D3 = 0x10F2,
    /// CL_MEM_OBJECT_IMAGE2D_ARRAY.
    D2Array = 0x10F3,
    /// CL_MEM_OBJECT_IMAGE1D.
    D1 = 0x10F4,
    /// CL_MEM_OBJECT_IMAGE1D_ARRAY.
    D1Array = 0x10F5,
    /// CL_MEM_OBJECT_IMAGE1D_BUFFER.
    Buffer = 0x10F6,
}

impl ImageType {
    /// Converts a `cl_mem_object_type`; returns `None` if it is not an image's.
    pub fn from_number(n: u32) -> Option<ImageType> {
        [
            Self::D2,
            Self::D3,
            Self::D2Array,
            Self::D1,
            Self::D1Array,
            Self::Buffer,
        ]
        .into_iter()
        .find(|t| *t as u32 == n)
    }

    /// Returns the type of Vulkan object that holds the texels.
    pub(crate) fn holder(self) -> vk::Holder {
        match self {
            Self::Buffer => vk::Holder::Buffer,
            Self::D1 | Self::D1Array | Self::D2 | Self::D2Array | Self::D3 => vk::Holder::Image,
        }
    }

    /// Returns which of a coordinate's numbers counts layers.
    pub(crate) fn layer_axis(self) -> Option<usize> {
        match self {
            Self::D1Array => Some(1),
            Self::D2Array => Some(2),
            Self::D1 | Self::D2 | Self::D3 | Self::Buffer => None,
        }
    }

    /// Returns how many numbers of a coordinate the type uses.
    pub(crate) fn dimensions(self) -> usize {
        match self {
            Self::D1 | Self::Buffer => 1,
            Self::D1Array | Self::D2 => 2,
            Self::D2Array | Self::D3 => 3,
        }
    }

    /// Returns whether images of the type have a slice pitch in host memory.
    pub fn has_slices(self) -> bool {
        match self {
            Self::D1Array | Self::D2Array | Self::D3 => true,
            Self::D1 | Self::D2 | Self::Buffer => false,
        }
    }
}

/// An image object.
pub struct Image {
    anchor: Anchor<Image>,
    // Fields are dropped in order: the storage is released before the callbacks are enqueued (Drop of
    // `DestructorCallbacks`).
    store: Store,
    ty: ImageType,
    format: ImageFormat,
    flags: MemFlags,
    size: [u32; 3],
    /// The row pitch in the image's own host memory: that of the descriptor, or of dense memory.
    row_pitch: u64,
    slice_pitch: u64,
    host_ptr: Option<HostPtr>,
    /// The index of the device whose storage is memory of another API.
    external: Option<usize>,
    maps: Mutex<Vec<ImageMapping>>,
    properties: Properties,
    destructor_callbacks: DestructorCallbacks,
    context: Arc<Context>,
}

impl_object!(Image, ClCode::InvalidMemObject, "image");

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image")
            .field("type", &self.ty)
            .field("format", &self.format)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// The storage of the texels. Slices are indexed by the device's index in the context; their elements are made
/// at first use.
enum Store {
    Images {
        shape: vk::Shape,
        storage: Box<[OnceCell<vk::Image>]>,
        /// Which devices have the contents.
        residence: Box<Shared>,
        /// Host memory for mappings, dense.
        mirror: OnceCell<Storage>,
        /// Host memory for mappings if the context has several devices, dense.
        host_copy: OnceCell<HostMemory>,
        /// The buffer of a 2D image that was created from one. The buffer holds the texels, and `storage` a
        /// copy of them while a kernel runs.
        buffer: Option<Arc<Buffer>>,
    },
    Buffer {
        views: Box<[OnceCell<vk::TexelBuffer>]>,
        buffer: Arc<Buffer>,
    },
}

/// A mapping of a box of texels.
#[derive(Clone, Debug)]
pub(crate) struct ImageMapping {
    /// The address that the application got.
    pub address: usize,
    /// The box.
    pub texels: Texels,
    /// Whether it was mapped for writing, so that the application may have written.
    pub write: bool,
    /// The device whose storage the address points into, if it points into storage.
    pub device: usize,
    /// The hold of the mapped range, if the image was created from a buffer.
    pub hold: Option<Arc<Hold>>,
}

impl Image {
    /// Returns CL_MEM_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Returns CL_MEM_FLAGS.
    pub fn flags(&self) -> MemFlags {
        self.flags
    }

    /// Returns CL_MEM_TYPE.
    pub fn image_type(&self) -> ImageType {
        self.ty
    }

    /// Returns CL_IMAGE_FORMAT.
    pub fn format(&self) -> ImageFormat {
        self.format
    }

    /// Returns the size in texels and layers.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Returns CL_IMAGE_ROW_PITCH, in bytes.
    pub fn row_pitch(&self) -> u64 {
        self.row_pitch
    }

    /// Returns CL_IMAGE_SLICE_PITCH in bytes: 0 for types without slices.
    pub fn slice_pitch(&self) -> u64 {
        self.slice_pitch
    }

    /// Returns CL_MEM_SIZE, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes_of(self.size)
    }

    /// Returns CL_MEM_HOST_PTR; `None` without CL_MEM_USE_HOST_PTR.
    pub fn host_ptr(&self) -> Option<HostPtr> {
        self.host_ptr
    }

    /// Returns the index of the device that has imported the image, if it was created from external memory.
    pub(crate) fn external(&self) -> Option<usize> {
        self.external
    }

    /// Returns CL_IMAGE_BUFFER.
    pub fn buffer(&self) -> Option<&Arc<Buffer>> {
        match &self.store {
            Store::Buffer { buffer, .. } => Some(buffer),
            Store::Images { buffer, .. } => buffer.as_ref(),
        }
    }

    /// Returns the buffer that a 2D image was created from, and the copy between the buffer and the Vulkan
    /// image that kernels access; `None` for other images.
    pub(crate) fn alias(&self) -> Option<(&Arc<Buffer>, vk::ImageCopy)> {
        let Store::Images {
            buffer: Some(buffer), ..
        } = &self.store
        else {
            return None;
        };
        let copy = vk::ImageCopy {
            texels: self.all(),
            offset: buffer.offset(),
            // clCreateImage has checked that the pitch is a whole number of texels.
            row: (self.row_pitch / u64::from(self.format.size())) as u32,
            rows: 0,
        };
        Some((buffer, copy))
    }

    /// Returns CL_MEM_MAP_COUNT.
    pub fn map_count(&self) -> u32 {
        self.maps.lock().len() as u32
    }

    /// Returns the list of CL_MEM_PROPERTIES.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// Registers a callback (CL 5.4.1, clSetMemObjectDestructorCallback).
    pub fn on_destroy(&self, callback: Box<dyn FnOnce() + Send>) {
        self.destructor_callbacks.add(callback);
    }

    pub(crate) fn maps(&self) -> &Mutex<Vec<ImageMapping>> {
        &self.maps
    }

    /// Returns a number that identifies the image, for hazards.
    pub(crate) fn root_id(&self) -> usize {
        std::ptr::from_ref(&self.store).addr()
    }

    /// Returns the number of bytes of a region in dense memory.
    pub(crate) fn bytes_of(&self, region: [u32; 3]) -> u64 {
        region.iter().map(|n| u64::from(*n)).product::<u64>() * u64::from(self.format.size())
    }

    /// Returns the layout of a region that starts at a texel, in memory with these pitches. The layers of a 1D
    /// array are its rows.
    pub(crate) fn layout(&self, origin: [u32; 3], row_pitch: u64, slice_pitch: u64) -> Layout {
        let [x, y, z] = origin.map(u64::from);
        let row_pitch = if self.ty == ImageType::D1Array {
            slice_pitch
        } else {
            row_pitch
        };
        Layout {
            start: x * u64::from(self.format.size()) + y * row_pitch + z * slice_pitch,
            row_pitch,
            slice_pitch,
        }
    }

    /// Returns row pitch and slice pitch of dense memory for rows of `width` texels and slices of `height`
    /// rows.
    pub(crate) fn dense(&self, width: u64, height: u64) -> (u64, u64) {
        let row = width * u64::from(self.format.size());
        match self.ty {
            ImageType::D1 | ImageType::D2 | ImageType::Buffer => (row, 0),
            ImageType::D1Array => (row, row),
            ImageType::D2Array | ImageType::D3 => (row, row * height),
        }
    }

    /// Returns the box of all texels.
    pub(crate) fn all(&self) -> Texels {
        Texels {
            origin: [0; 3],
            region: self.size,
        }
    }

    /// Returns where a box of texels lies in the buffer that the image was created from.
    pub(crate) fn in_buffer(&self, texels: &Texels) -> Rows {
        let texel = u64::from(self.format.size());
        let [x, y, _] = texels.origin.map(u64::from);
        let [w, h, _] = texels.region.map(u64::from);
        Rows {
            start: y * self.row_pitch + x * texel,
            width: w * texel,
            count: h,
            pitch: self.row_pitch,
        }
    }

    /// Returns whether kernels may write the image.
    pub(crate) fn kernel_writes(&self) -> bool {
        self.flags.kernel != KernelAccess::ReadOnly
    }

    /// Returns whether kernels may read the image.
    pub(crate) fn kernel_reads(&self) -> bool {
        self.flags.kernel != KernelAccess::WriteOnly
    }

    fn info(&self, shape: vk::Shape) -> Result<vk::ImageInfo> {
        Ok(vk::ImageInfo {
            shape,
            format: self.vulkan_format()?,
            size: self.size,
            read: self.kernel_reads(),
            write: self.kernel_writes(),
        })
    }

    fn vulkan_format(&self) -> Result<vk::Format> {
        self.format.vulkan().ok_or_else(|| {
            Error::new(ClCode::ImageFormatNotSupported, "Vulkan has no such format").at("5.3.1")
        })
    }

    /// Returns the Vulkan image on a device of the context, which is allocated at first use; `None` if the
    /// texels are in a texel buffer.
    pub(crate) fn storage(&self, device: usize) -> Result<Option<&vk::Image>> {
        let Store::Images { shape, storage, .. } = &self.store else {
            return Ok(None);
        };
        let image = storage[device].get_or_try_init(|| {
            let opened = self.context.devices()[device].opened()?;
            let info = self.info(*shape)?;
            let allocate = || vk::Image::new(opened.logical(), &info);
            opened.staging().with_room(allocate).map_err(allocation_error)
        })?;
        Ok(Some(image))
    }

    /// Returns the texel buffer on a device of the context, which is made at first use; `None` if the texels
    /// are in an image.
    pub(crate) fn texel_buffer(&self, device: usize) -> Result<Option<&vk::TexelBuffer>> {
        let Store::Buffer { views, buffer } = &self.store else {
            return Ok(None);
        };
        let view = views[device].get_or_try_init(|| {
            let logical = &self.context.devices()[device].logical()?;
            let storage = buffer.storage(device)?;
            let format = self.vulkan_format()?;
            vk::TexelBuffer::new(logical, storage, format, buffer.offset(), self.bytes())
                .map_err(|e| allocation_error(e.into()))
        })?;
        Ok(Some(view))
    }

    /// Returns plain, dense host memory as large as the image, for mappings if there are several devices;
    /// allocated at first use.
    pub(crate) fn host_copy(&self) -> Result<HostPtr> {
        let Store::Images { host_copy, .. } = &self.store else {
            return Err(Error::new(ClCode::MapFailure, "a texel buffer has no mirror"));
        };
        let memory =
            host_copy.get_or_try_init(|| HostMemory::new(self.bytes()).ok_or_else(no_host_memory))?;
        Ok(memory.ptr())
    }

    /// Returns mapped Vulkan host memory as large as the image, for mappings; allocated at first use, on the
    /// given device.
    pub(crate) fn mirror(&self, device: usize) -> Result<&vk::Buffer> {
        let Store::Images { mirror, .. } = &self.store else {
            return Err(Error::new(ClCode::MapFailure, "a texel buffer has no mirror"));
        };
        let mirror = mirror.get_or_try_init(|| {
            let opened = self.context.devices()[device].opened()?;
            opened
                .storage(self.bytes(), vk::Place::Host)
                .map_err(allocation_error)
        })?;
        Ok(mirror)
    }

    /// Returns the record of which devices of the context have the contents; `None` if the image's buffer has
    /// the record.
    pub(crate) fn residence(&self) -> Option<&Shared> {
        match &self.store {
            Store::Images {
                residence,
                buffer: None,
                ..
            } => Some(residence),
            Store::Images { .. } | Store::Buffer { .. } => None,
        }
    }

    /// Copies all texels from one device of the context to another; waits for the GPU. No lock may be held.
    pub(super) fn copy_between(&self, from: usize, to: usize) -> Result<()> {
        let (Some(source), Some(target)) = (self.storage(from)?, self.storage(to)?) else {
            return Ok(());
        };
        let memory = HostMemory::new(self.bytes()).ok_or_else(no_host_memory)?;
        let (row, slice) = self.dense(self.size[0].into(), self.size[1].into());
        let layout = self.layout([0; 3], row, slice);
        let devices = self.context.devices();
        devices[from].download_image(self, source, memory.ptr(), &layout)?;
        devices[to].upload_image(self, target, memory.ptr(), &layout)
    }

    /// Checks an access by the host. CL 5.3.3, 5.3.6: INVALID_OPERATION if the host may not read (write) the image.
    pub(crate) fn check_host(&self, read: bool, write: bool) -> Result<()> {
        let host = self.flags.host;
        if (read && !host.can_read()) || (write && !host.can_write()) {
            return Err(Error::new(
                ClCode::InvalidOperation,
                "the image's CL_MEM_HOST_* flags forbid the access",
            )
            .at("5.3.3"));
        }
        Ok(())
    }

    /// Checks a region and returns it. CL 5.3.3: INVALID_VALUE if the region is out of bounds or empty, or if numbers
    /// that the type does not use are not 0 in the origin or not 1 in the region.
    pub(crate) fn check_region(&self, origin: [usize; 3], region: [usize; 3]) -> Result<Texels> {
        let invalid = |what| Error::new(ClCode::InvalidValue, what).at("5.3.3");
        let mut texels = Texels {
            origin: [0; 3],
            region: [1; 3],
        };
        for i in 0..3 {
            if i >= self.ty.dimensions() {
                if origin[i] != 0 || region[i] != 1 {
                    return Err(invalid("origin or region in a dimension that the image lacks"));
                }
                continue;
            }
            let end = origin[i].checked_add(region[i]);
            if region[i] == 0 || end.is_none_or(|end| end > self.size[i] as usize) {
                return Err(invalid("the region is empty or out of bounds"));
            }
            texels.origin[i] = origin[i] as u32;
            texels.region[i] = region[i] as u32;
        }
        Ok(texels)
    }

    /// Returns the pitches of host memory for a region; an argument of 0 stands for a dense pitch. CL 5.3.3:
    /// INVALID_VALUE if a pitch is too small, or if a slice pitch is given for an image without slices.
    pub(crate) fn check_pitches(
        &self,
        region: [u32; 3],
        row_pitch: usize,
        slice_pitch: usize,
    ) -> Result<(u64, u64)> {
        let invalid = |what| Error::new(ClCode::InvalidValue, what).at("5.3.3");
        let (row_pitch, slice_pitch) = (row_pitch as u64, slice_pitch as u64);
        let [w, h, _] = region.map(u64::from);
        let (least_row, _) = self.dense(w, h);
        let row = if row_pitch == 0 { least_row } else { row_pitch };
        if row < least_row {
            return Err(invalid("row_pitch is less than the region's width"));
        }
        if !self.ty.has_slices() {
            if slice_pitch != 0 {
                return Err(invalid("slice_pitch of an image without slices"));
            }
            return Ok((row, 0));
        }
        let least_slice = if self.ty == ImageType::D1Array {
            Some(row)
        } else {
            row.checked_mul(h)
        };
        let least_slice = least_slice.ok_or_else(|| invalid("row_pitch is too large"))?;
        let slice = if slice_pitch == 0 {
            least_slice
        } else {
            slice_pitch
        };
        if slice < least_slice {
            return Err(invalid("slice_pitch is less than a slice of the region"));
        }
        Ok((row, slice))
    }
}

fn no_host_memory() -> Error {
    Error::new(ClCode::OutOfHostMemory, "for the texels of an image")
}

/// Cuts a box into chunks of at most `limit` bytes, but of at least one row each.
pub(crate) fn chunks(texels: Texels, texel_size: u32, limit: u64) -> impl Iterator<Item = Texels> {
    chunks_by(texels, texel_size, move |_| limit)
}

/// Cuts a box into chunks, with a limit for each chunk that `limit` returns for the number of bytes left.
pub(crate) fn chunks_by(
    texels: Texels,
    texel_size: u32,
    mut limit: impl FnMut(u64) -> u64,
) -> impl Iterator<Item = Texels> {
    let [w, h, d] = texels.region;
    let row = u64::from(w) * u64::from(texel_size);
    let slice = row * u64::from(h);
    let [x, y, z] = texels.origin;
    let (mut dy, mut dz) = (0, 0);
    std::iter::from_fn(move || {
        if dz == d {
            return None;
        }
        let limit = limit(slice * u64::from(d - dz) - row * u64::from(dy));
        let count = |unit: u64, most: u32| (limit / unit).clamp(1, u64::from(most)) as u32;
        // A chunk is a number of whole slices, or of rows of one slice.
        let (rows, slices) = if dy == 0 && slice <= limit {
            (h, count(slice, d - dz))
        } else {
            (count(row, h - dy), 1)
        };
        let chunk = Texels {
            origin: [x, y + dy, z + dz],
            region: [w, rows, slices],
        };
        dy += rows;
        if dy == h {
            (dy, dz) = (0, dz + slices);
        }
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_the_box() {
        let texels = Texels {
            origin: [1, 2, 3],
            region: [4, 5, 6],
        };
        for limit in [1, 16, 33, 80, 170, 1000] {
            let all: Vec<_> = chunks(texels, 4, limit).collect();
            let volume: u32 = all.iter().map(|t| t.region.iter().product::<u32>()).sum();
            assert_eq!(volume, 4 * 5 * 6, "{limit}");
            for t in &all {
                let bytes = t.region.iter().product::<u32>() * 4;
                assert!(u64::from(bytes) <= limit.max(16), "{limit}: {t:?}");
                assert!((0..3).all(|i| t.origin[i] >= texels.origin[i]
                    && t.origin[i] + t.region[i] <= texels.origin[i] + texels.region[i]));
            }
        }
        assert_eq!(chunks(texels, 4, 1000).count(), 1);
    }

    #[test]
    fn chunks_of_different_sizes_cover_the_box() {
        let texels = Texels {
            origin: [1, 2, 3],
            region: [4, 5, 6],
        };
        for first in [1, 16, 33, 80, 170] {
            let mut limit = first;
            let grow = |left: u64| {
                limit *= 2;
                limit.min(left / 2)
            };
            let mut seen = std::collections::BTreeSet::new();
            for t in chunks_by(texels, 4, grow) {
                let axis = |i: usize| t.origin[i]..t.origin[i] + t.region[i];
                for (z, y, x) in
                    axis(2).flat_map(|z| axis(1).flat_map(move |y| axis(0).map(move |x| (z, y, x))))
                {
                    assert!(seen.insert((z, y, x)), "{first}: twice {x} {y} {z}");
                }
            }
            assert_eq!(seen.len(), 4 * 5 * 6);
            assert_eq!(seen.first(), Some(&(3, 2, 1)));
            assert_eq!(seen.last(), Some(&(8, 6, 4)));
        }
    }
}
