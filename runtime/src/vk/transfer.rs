//! Recording of copies and clears of images.

use ash::vk;

use super::image::LAYOUT;
use super::{Buffer, Image, Recorder, Texels};

/// A box of an image, and where its texels lie in a buffer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct ImageCopy {
    pub texels: Texels,
    /// Byte offset of the first texel; a multiple of the texel's size.
    pub offset: u64,
    /// Texels from row to row (of a 1D array: from layer to layer); 0: rows follow each other.
    pub row: u32,
    /// Rows from slice to slice; 0: slices follow each other. 0 where there are no slices.
    pub rows: u32,
}

/// What an image is cleared to.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Clear {
    Float([f32; 4]),
    /// Signed or not.
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
    /// Gives a fresh image its layout, unless it has one.
    pub(crate) fn prepare_image(&mut self, image: &Image) {
        if !image.claim_layout() {
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
        // SAFETY: in the recording state; synchronization2 is on; the image lives as long as the batch.
        unsafe { self.device.raw.cmd_pipeline_barrier2(self.raw, &info) };
    }

    /// Stores one texel all over an image, or some of its layers (all there are: `None`). `value` is in the order of
    /// Vulkan's components.
    pub(crate) fn clear_image(&mut self, image: &Image, value: Clear, layers: Option<(u32, u32)>) {
        self.has_transfer();
        let color = match value {
            Clear::Float(float32) => vk::ClearColorValue { float32 },
            Clear::Int(uint32) => vk::ClearColorValue { uint32 },
        };
        let mut range = image.all();
        if let Some((first, count)) = layers {
            range.base_array_layer = first;
            range.layer_count = count;
        }
        // SAFETY: in the recording state; the layers exist (the caller); the image lives as long as the batch.
        unsafe {
            self.device
                .raw
                .cmd_clear_color_image(self.raw, image.raw, LAYOUT, &color, &[range]);
        };
    }

    /// Copies texels from a buffer.
    pub(crate) fn copy_to_image(&mut self, from: &Buffer, to: &Image, copy: &ImageCopy) {
        self.has_transfer();
        let regions = [copy.raw(to)];
        // SAFETY: in the recording state; both sides are in bounds and aligned (the caller); they live as long as the
        // batch.
        unsafe {
            self.device
                .raw
                .cmd_copy_buffer_to_image(self.raw, from.raw, to.raw, LAYOUT, &regions);
        };
    }

    /// Copies texels to a buffer.
    pub(crate) fn copy_from_image(&mut self, from: &Image, to: &Buffer, copy: &ImageCopy) {
        self.has_transfer();
        let regions = [copy.raw(from)];
        // SAFETY: as for `copy_to_image`.
        unsafe {
            self.device
                .raw
                .cmd_copy_image_to_buffer(self.raw, from.raw, LAYOUT, to.raw, &regions);
        };
    }

    /// Copies texels between images of one format whose shapes Vulkan lets copy: both one-dimensional, or none. The
    /// boxes are in bounds, of one size and do not overlap.
    pub(crate) fn copy_image(&mut self, from: &Image, src: &Texels, to: &Image, dst: &Texels) {
        self.has_transfer();
        let (src, dst) = (from.part(src), to.part(dst));
        let mut extent = src.extent;
        // Layers of one side may be slices of the other.
        extent.depth = extent.depth.max(dst.extent.depth);
        let regions = [vk::ImageCopy {
            src_subresource: src.layers,
            src_offset: src.offset,
            dst_subresource: dst.layers,
            dst_offset: dst.offset,
            extent,
        }];
        // SAFETY: as the caller promises; in the recording state; the images live as long as the batch.
        unsafe {
            self.device
                .raw
                .cmd_copy_image(self.raw, from.raw, LAYOUT, to.raw, LAYOUT, &regions);
        };
    }
}
