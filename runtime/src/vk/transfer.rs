//! Recording of copies and clears of images.

use ash::vk;

use super::image::LAYOUT;
use super::{Buffer, Image, Recorder, Texels};

/// A box of texels of an image, and where the texels lie in a buffer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ImageCopy {
    pub texels: Texels,
    /// Byte offset of the first texel; a multiple of the texel's size.
    pub offset: u64,
    /// Distance from row to row (in a 1D array: from layer to layer) in texels; 0: the rows are contiguous.
    pub row: u32,
    /// Distance from slice to slice in rows; 0 if the slices are contiguous or there are none.
    pub rows: u32,
}

/// The value that an image is cleared to.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Clear {
    Float([f32; 4]),
    /// Components of a signed or an unsigned integer format.
    Int([u32; 4]),
}

impl ImageCopy {
    fn raw(&self, image: &Image) -> vk::BufferImageCopy {
        let part = image.part(&self.texels);
        vk::BufferImageCopy {
            buffer_offset: self.offset,
            buffer_row_length: self.row,
            buffer_image_height: self.rows,
            image_subresource: part.layers,
            image_offset: part.offset,
            image_extent: part.extent,
        }
    }
}

impl Recorder {
    /// Records the first layout transition of an image, unless one has been recorded already.
    pub(crate) fn prepare_image(&mut self, image: &Image) {
        if !image.claim_layout() {
            return;
        }
        let raw = self.begin_ordered();
        if !self.device.synchronization2 {
            let barrier = [vk::ImageMemoryBarrier::default()
                .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
                .old_layout(vk::ImageLayout::UNDEFINED)
                .new_layout(LAYOUT)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image.raw)
                .subresource_range(image.all())];
            // SAFETY: the command buffer is in the recording state; the image lives as long as the batch.
            unsafe {
                self.device.raw.cmd_pipeline_barrier(
                    raw,
                    vk::PipelineStageFlags::TOP_OF_PIPE,
                    vk::PipelineStageFlags::ALL_COMMANDS,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[],
                    &barrier,
                );
            }
            return;
        }
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::NONE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(LAYOUT)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.raw)
            .subresource_range(image.all())];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        // SAFETY: the command buffer is in the recording state; synchronization2 is enabled; the image lives as
        // long as the batch.
        unsafe { self.device.raw.cmd_pipeline_barrier2(raw, &info) };
    }

    /// Stores one value in all texels of an image, or of `layers` (the first layer and their number). `value`
    /// is in the order of the Vulkan format's components.
    pub(crate) fn clear_image(&mut self, image: &Image, value: Clear, layers: Option<(u32, u32)>) {
        self.begin_transfer();
        let color = match value {
            Clear::Float(float32) => vk::ClearColorValue { float32 },
            Clear::Int(uint32) => vk::ClearColorValue { uint32 },
        };
        let mut range = image.all();
        if let Some((first, count)) = layers {
            range.base_array_layer = first;
            range.layer_count = count;
        }
        // SAFETY: the command buffer is in the recording state; the layers are those of the region of a fill, which
        // the enqueue call has compared with the image (CL 5.3.4); the image lives as long as the batch.
        unsafe {
            self.device
                .raw
                .cmd_clear_color_image(self.raw, image.raw, LAYOUT, &color, &[range]);
        };
    }

    /// Copies texels from a buffer to an image.
    pub(crate) fn copy_to_image(&mut self, from: &Buffer, to: &Image, copy: &ImageCopy) {
        self.begin_transfer();
        let regions = [copy.raw(to)];
        // SAFETY: the command buffer is in the recording state; both live as long as the batch. The enqueue call has
        // compared the region with the image (CL 5.3.3, 5.3.5) and the range in the buffer with a buffer of the
        // application; staging memory is allocated for the region. Copies that Vulkan's alignment rules exclude go
        // through staging memory (`command/image.rs`).
        unsafe {
            self.device
                .raw
                .cmd_copy_buffer_to_image(self.raw, from.raw, to.raw, LAYOUT, &regions);
        };
    }

    /// Copies texels from an image to a buffer.
    pub(crate) fn copy_from_image(&mut self, from: &Image, to: &Buffer, copy: &ImageCopy) {
        self.begin_transfer();
        let regions = [copy.raw(from)];
        // SAFETY: as for `copy_to_image`.
        unsafe {
            self.device
                .raw
                .cmd_copy_image_to_buffer(self.raw, from.raw, LAYOUT, to.raw, &regions);
        };
    }

    /// Copies texels between images of the same format; either both are one-dimensional or neither is
    /// ([`Image::copies_to`]). The boxes are in bounds, have the same size and do not overlap.
    pub(crate) fn copy_image(&mut self, from: &Image, src: &Texels, to: &Image, dst: &Texels) {
        self.begin_transfer();
        let (src, dst) = (from.part(src), to.part(dst));
        let mut extent = src.extent;
        // An extent has depth 1 where the layers are counted separately; layers of one image may be copied to
        // or from slices of the other.
        extent.depth = extent.depth.max(dst.extent.depth);
        let regions = [vk::ImageCopy {
            src_subresource: src.layers,
            src_offset: src.offset,
            dst_subresource: dst.layers,
            dst_offset: dst.offset,
            extent,
        }];
        // SAFETY: the command buffer is in the recording state; the images live as long as the batch. The enqueue call
        // has compared the boxes with the images, their formats and each other (CL 5.3.3).
        unsafe {
            self.device
                .raw
                .cmd_copy_image(self.raw, from.raw, LAYOUT, to.raw, LAYOUT, &regions);
        };
    }
}
