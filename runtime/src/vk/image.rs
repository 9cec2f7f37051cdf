//! Images with their memory and the views that kernels use; texel buffers.
//!
//! All images are in the layout GENERAL from their first transition on, whatever the use. So no layout is
//! tracked, and the global memory barriers that order accesses to buffers order accesses to images, too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ash::vk;
use gpu_allocator::MemoryLocation;

use super::instance::PhysicalDevice;
use super::memory::Memory;
use super::{AllocError, Buffer, Call, Device, Format, Timeline, VkError, sparse};

/// The layout of every image after its first transition.
pub(super) const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;

/// The types of Vulkan images. Texel buffers are not among them.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Shape {
    D1,
    D1Array,
    D2,
    D2Array,
    D3,
}

impl Shape {
    pub(super) fn image_type(self) -> vk::ImageType {
        match self {
            Shape::D1 | Shape::D1Array => vk::ImageType::TYPE_1D,
            Shape::D2 | Shape::D2Array => vk::ImageType::TYPE_2D,
            Shape::D3 => vk::ImageType::TYPE_3D,
        }
    }

    fn view_type(self) -> vk::ImageViewType {
        match self {
            Shape::D1 => vk::ImageViewType::TYPE_1D,
            Shape::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
            Shape::D2 => vk::ImageViewType::TYPE_2D,
            Shape::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
            Shape::D3 => vk::ImageViewType::TYPE_3D,
        }
    }

    /// Returns which of the three numbers of an OpenCL coordinate counts layers.
    fn layer_axis(self) -> Option<usize> {
        match self {
            Shape::D1Array => Some(1),
            Shape::D2Array => Some(2),
            Shape::D1 | Shape::D2 | Shape::D3 => None,
        }
    }
}

/// The properties with which an image is created.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ImageInfo {
    pub shape: Shape,
    pub format: Format,
    /// Texels and layers, as OpenCL counts them: the layers of a 1D array are the second number, those of a 2D
    /// array the third. Unused numbers are 1.
    pub size: [u32; 3],
    /// Whether kernels may read it.
    pub read: bool,
    /// Whether kernels may write it.
    pub write: bool,
}

impl ImageInfo {
    pub(super) fn usage(&self) -> vk::ImageUsageFlags {
        let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        if self.read {
            usage |= vk::ImageUsageFlags::SAMPLED;
        }
        if self.write {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        usage
    }

    fn layers(&self) -> u32 {
        self.shape.layer_axis().map_or(1, |axis| self.size[axis])
    }

    fn extent(&self) -> vk::Extent3D {
        extent(self.shape, self.size)
    }
}

fn extent(shape: Shape, region: [u32; 3]) -> vk::Extent3D {
    let axis = |i: usize| {
        if shape.layer_axis() == Some(i) {
            1
        } else {
            region[i]
        }
    };
    vk::Extent3D {
        width: axis(0),
        height: axis(1),
        depth: axis(2),
    }
}

/// A box of texels, with origin and region as OpenCL counts them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Texels {
    pub origin: [u32; 3],
    pub region: [u32; 3],
}

/// A box of texels in Vulkan's terms.
pub(super) struct Part {
    pub layers: vk::ImageSubresourceLayers,
    pub offset: vk::Offset3D,
    pub extent: vk::Extent3D,
}

impl PhysicalDevice {
    /// Returns whether the device supports images of a shape and format for a use, if only of one texel.
    pub(crate) fn can_have(&self, shape: Shape, format: Format, read: bool, write: bool) -> bool {
        let info = ImageInfo {
            shape,
            format,
            size: [1; 3],
            read,
            write,
        };
        self.can_make(&info, 0)
    }

    /// Returns whether the device supports an image of this size, which takes at most `max_bytes`; each format
    /// has limits of its own.
    pub(crate) fn can_make(&self, info: &ImageInfo, max_bytes: u64) -> bool {
        let Ok((shared, physical)) = self.connected() else {
            return false;
        };
        // SAFETY: the physical device belongs to the instance.
        let limits = unsafe {
            shared.raw.get_physical_device_image_format_properties(
                physical,
                info.format.raw,
                info.shape.image_type(),
                vk::ImageTiling::OPTIMAL,
                info.usage(),
                vk::ImageCreateFlags::empty(),
            )
        };
        let Ok(limits) = limits else { return false };
        let (size, most) = (info.extent(), limits.max_extent);
        size.width <= most.width
            && size.height <= most.height
            && size.depth <= most.depth
            && info.layers() <= limits.max_array_layers
            && max_bytes <= limits.max_resource_size
    }
}

/// A Vulkan image with its memory and its views.
pub(crate) struct Image {
    device: Arc<Device>,
    pub(super) raw: vk::Image,
    /// One allocation, or several of a sparse image.
    memory: Vec<Memory>,
    /// Imported memory of another API.
    imported: Option<vk::DeviceMemory>,
    /// Whether its first layout transition has been recorded or done.
    prepared: AtomicBool,
    /// The timeline and value at which the image has its initial contents, if it was created with contents.
    filled: OnceLock<(Arc<Timeline>, u64)>,
    /// The view for reading, with the format's swizzle; null if kernels may not read.
    pub(super) sampled: vk::ImageView,
    /// The view for writing; null if kernels may not write.
    pub(super) storage: vk::ImageView,
    shape: Shape,
    layers: u32,
}

impl Image {
    /// Returns the device that the image belongs to.
    pub(crate) fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Allocates an image whose contents are undefined; it has no layout before
    /// [`Recorder::prepare_image`](super::Recorder::prepare_image). An image that is larger than one allocation
    /// may be is sparse, where the device supports that.
    pub(crate) fn new(device: &Arc<Device>, info: &ImageInfo) -> Result<Image, AllocError> {
        let own = vk::ExternalMemoryHandleTypeFlags::empty();
        let mut image = Image::without_memory(device, info, vk::ImageCreateFlags::empty(), own)?;
        // SAFETY: the image is alive.
        let mut requirements = unsafe { device.raw.get_image_memory_requirements(image.raw) };
        if requirements.size > device.max_allocation() {
            if !device.sparse() {
                return Err(AllocError::TooLarge(requirements.size));
            }
            image = Image::without_memory(device, info, vk::ImageCreateFlags::SPARSE_BINDING, own)?;
            // SAFETY: the image is alive.
            requirements = unsafe { device.raw.get_image_memory_requirements(image.raw) };
            let resource = sparse::Resource::Image(image.raw);
            image.memory = sparse::populate(device, resource, requirements, MemoryLocation::GpuOnly)?;
        } else {
            let memory = device
                .allocator
                .allocate_image(image.raw, requirements, MemoryLocation::GpuOnly)?;
            // SAFETY: image and memory are new and of the same device; offset and size meet the requirements.
            let bound = unsafe {
                device
                    .raw
                    .bind_image_memory(image.raw, memory.memory(), memory.offset())
            };
            image.memory.push(memory);
            device.note(bound.call("vkBindImageMemory"))?;
        }
        image.make_views(info)?;
        Ok(image)
    }

    /// Makes the views; the image is bound to memory.
    pub(super) fn make_views(&mut self, info: &ImageInfo) -> Result<(), VkError> {
        if info.read {
            self.sampled = self.view(info, vk::ImageUsageFlags::SAMPLED, info.format.components())?;
        }
        if info.write {
            let identity = vk::ComponentMapping::default();
            self.storage = self.view(info, vk::ImageUsageFlags::STORAGE, identity)?;
        }
        Ok(())
    }

    /// Takes over imported memory, which is freed when the image is dropped. The image has the contents and the layout that
    /// the other API has given it.
    pub(super) fn own(&mut self, imported: vk::DeviceMemory) {
        self.imported = Some(imported);
        self.prepared = AtomicBool::new(true);
    }

    /// Makes an image without memory and views; Drop also destroys those that the caller adds. `external` are the types of
    /// handles from which its memory may be imported; it is empty for memory of this process.
    pub(super) fn without_memory(
        device: &Arc<Device>,
        info: &ImageInfo,
        flags: vk::ImageCreateFlags,
        external: vk::ExternalMemoryHandleTypeFlags,
    ) -> Result<Image, VkError> {
        let mut handle_types = vk::ExternalMemoryImageCreateInfo::default().handle_types(external);
        let create = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(info.shape.image_type())
            .format(info.format.raw)
            .extent(info.extent())
            .mip_levels(1)
            .array_layers(info.layers())
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(info.usage())
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED)
            .push_next(&mut handle_types);
        super::fault::object("vkCreateImage")?;
        // SAFETY: the device is alive; format, usage and size are supported (`can_make`, checked by the
        // caller).
        let raw = unsafe { device.raw.create_image(&create, None) }.call("vkCreateImage")?;
        Ok(Image {
            device: Arc::clone(device),
            raw,
            memory: Vec::new(),
            imported: None,
            prepared: AtomicBool::new(false),
            filled: OnceLock::new(),
            sampled: vk::ImageView::null(),
            storage: vk::ImageView::null(),
            shape: info.shape,
            layers: info.layers(),
        })
    }

    /// Returns true to exactly one caller, which must record the first layout transition.
    pub(super) fn claim_layout(&self) -> bool {
        !self.prepared.load(Ordering::Relaxed) && !self.prepared.swap(true, Ordering::Relaxed)
    }

    /// Notes that the image has its initial contents once the timeline reaches the value. Returns false if that
    /// has been noted before.
    pub(crate) fn filled_at(&self, timeline: &Arc<Timeline>, value: u64) -> bool {
        self.filled.set((Arc::clone(timeline), value)).is_ok()
    }

    /// Returns the timeline and value to wait for before the image has its initial contents; `None` if it has
    /// them.
    pub(crate) fn pending(&self) -> Option<(&Arc<Timeline>, u64)> {
        let (timeline, value) = self.filled.get()?;
        // On a lost device nothing is pending.
        let reached = timeline.is_over(*value);
        (!reached).then_some((timeline, *value))
    }

    fn view(
        &self,
        info: &ImageInfo,
        usage: vk::ImageUsageFlags,
        components: vk::ComponentMapping,
    ) -> Result<vk::ImageView, VkError> {
        let mut only = vk::ImageViewUsageCreateInfo::default().usage(usage);
        let create = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(info.shape.view_type())
            .format(info.format.raw)
            .components(components)
            .subresource_range(self.all())
            .push_next(&mut only);
        super::fault::object("vkCreateImageView")?;
        // SAFETY: the image is alive and bound to memory; type, format and range are the image's own.
        unsafe { self.device.raw.create_image_view(&create, None) }.call("vkCreateImageView")
    }

    pub(super) fn all(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: self.layers,
        }
    }

    /// Returns whether one Vulkan command copies texels to the other image: it copies between layers and
    /// slices, but not between one-dimensional and other images.
    pub(crate) fn copies_to(&self, other: &Image) -> bool {
        let flat = |shape| matches!(shape, Shape::D1 | Shape::D1Array);
        flat(self.shape) == flat(other.shape)
    }

    pub(super) fn part(&self, texels: &Texels) -> Part {
        let axis = self.shape.layer_axis();
        let end = axis.map_or(Some(0), |a| texels.origin[a].checked_add(texels.region[a]));
        assert!(end.is_some_and(|end| end <= self.layers), "layers of {texels:?}");
        let offset = |i: usize| {
            if axis == Some(i) {
                0
            } else {
                texels.origin[i] as i32
            }
        };
        Part {
            layers: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: 0,
                base_array_layer: axis.map_or(0, |a| texels.origin[a]),
                layer_count: axis.map_or(1, |a| texels.region[a]),
            },
            offset: vk::Offset3D {
                x: offset(0),
                y: offset(1),
                z: offset(2),
            },
            extent: extent(self.shape, texels.region),
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if let Some((timeline, value)) = self.filled.get()
            && !timeline.reached(*value).unwrap_or(false)
            && let Err(e) = timeline.wait(*value)
        {
            log::error!("an image's contents: {e}");
            // A lost device may still write, so the image is leaked.
            std::mem::forget(std::mem::take(&mut self.memory));
            return;
        }
        for view in [self.sampled, self.storage] {
            // SAFETY: the batch rule: no pending command uses the image or its views. Null views are ignored.
            unsafe { self.device.raw.destroy_image_view(view, None) };
        }
        // SAFETY: as above.
        unsafe { self.device.raw.destroy_image(self.raw, None) };
        for memory in self.memory.drain(..) {
            self.device.allocator.free(memory);
        }
        if let Some(memory) = self.imported.take() {
            // SAFETY: as above; the image that was bound to it is gone.
            unsafe { self.device.raw.free_memory(memory, None) };
        }
    }
}

/// A view of a buffer's range as texels.
pub(crate) struct TexelBuffer {
    device: Arc<Device>,
    pub(super) raw: vk::BufferView,
}

impl TexelBuffer {
    /// Makes a view of a range that is aligned for texel buffers and a whole number of texels long. The caller
    /// keeps the buffer alive.
    pub(crate) fn new(
        device: &Arc<Device>,
        buffer: &Buffer,
        format: Format,
        offset: u64,
        size: u64,
    ) -> Result<TexelBuffer, VkError> {
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer.raw)
            .format(format.raw)
            .offset(offset)
            .range(size);
        super::fault::object("vkCreateBufferView")?;
        // SAFETY: the buffer is alive and its usage includes texel buffers; the range is aligned and in bounds
        // (the caller).
        let raw = unsafe { device.raw.create_buffer_view(&info, None) };
        Ok(TexelBuffer {
            device: Arc::clone(device),
            raw: device.note(raw.call("vkCreateBufferView"))?,
        })
    }
}

impl Drop for TexelBuffer {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command uses the view.
        unsafe { self.device.raw.destroy_buffer_view(self.raw, None) };
    }
}
