//! Image formats: which Vulkan format stores an OpenCL channel order and data type, and what a device supports
//! for each.
//!
//! Channel orders that Vulkan lacks are stored in R, RG and RGBA formats. The view that kernels read through
//! swizzles the components into OpenCL's order. Stores are not swizzled by Vulkan, so kernels write such
//! formats in memory order themselves (`Features::reordered_writes`).

use ash::vk;

use super::instance::PhysicalDevice;
use crate::mem::image::{ChannelOrder, ChannelType};

/// A Vulkan format, and the swizzle that maps its components to OpenCL's colours.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    pub(super) raw: vk::Format,
    swizzle: [vk::ComponentSwizzle; 4],
}

/// The accesses that kernels may make to images of a format.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FormatUse {
    pub read: bool,
    pub write: bool,
    /// Samplers can filter linearly.
    pub linear: bool,
}

/// Returns the format with one, two or four channels of a data type in the order RGBA.
fn plain(data: ChannelType, channels: u32) -> Option<vk::Format> {
    use ChannelType as T;
    use vk::Format as F;
    let [one, two, four] = match data {
        T::Snorm8 => [F::R8_SNORM, F::R8G8_SNORM, F::R8G8B8A8_SNORM],
        T::Snorm16 => [F::R16_SNORM, F::R16G16_SNORM, F::R16G16B16A16_SNORM],
        T::Unorm8 => [F::R8_UNORM, F::R8G8_UNORM, F::R8G8B8A8_UNORM],
        T::Unorm16 => [F::R16_UNORM, F::R16G16_UNORM, F::R16G16B16A16_UNORM],
        T::Int8 => [F::R8_SINT, F::R8G8_SINT, F::R8G8B8A8_SINT],
        T::Int16 => [F::R16_SINT, F::R16G16_SINT, F::R16G16B16A16_SINT],
        T::Int32 => [F::R32_SINT, F::R32G32_SINT, F::R32G32B32A32_SINT],
        T::Uint8 => [F::R8_UINT, F::R8G8_UINT, F::R8G8B8A8_UINT],
        T::Uint16 => [F::R16_UINT, F::R16G16_UINT, F::R16G16B16A16_UINT],
        T::Uint32 => [F::R32_UINT, F::R32G32_UINT, F::R32G32B32A32_UINT],
        T::Half => [F::R16_SFLOAT, F::R16G16_SFLOAT, F::R16G16B16A16_SFLOAT],
        T::Float => [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32A32_SFLOAT],
        T::Unorm565 | T::Unorm555 | T::Unorm101010 => return None,
    };
    match channels {
        1 => Some(one),
        2 => Some(two),
        4 => Some(four),
        _ => None,
    }
}

impl Format {
    /// Returns the format that stores a channel order and data type; `None` if Vulkan has none.
    pub(crate) fn of(order: ChannelOrder, data: ChannelType) -> Option<Format> {
        use ChannelOrder as O;
        use ChannelType as T;
        use vk::ComponentSwizzle as S;
        let as_is = [S::IDENTITY; 4];
        let (raw, swizzle) = match order {
            O::R | O::Rg | O::Rgba => (plain(data, order.channels())?, as_is),
            // Depth is stored as the first component, the only one that kernels read.
            O::Depth => (plain(data, 1)?, as_is),
            O::A => (plain(data, 1)?, [S::ZERO, S::ZERO, S::ZERO, S::R]),
            O::Intensity => (plain(data, 1)?, [S::R, S::R, S::R, S::R]),
            O::Luminance => (plain(data, 1)?, [S::R, S::R, S::R, S::ONE]),
            O::Ra => (plain(data, 2)?, [S::R, S::ZERO, S::ZERO, S::G]),
            O::Argb => (plain(data, 4)?, [S::G, S::B, S::A, S::R]),
            O::Bgra => {
                let raw = match data {
                    T::Snorm8 => vk::Format::B8G8R8A8_SNORM,
                    T::Unorm8 => vk::Format::B8G8R8A8_UNORM,
                    T::Int8 => vk::Format::B8G8R8A8_SINT,
                    T::Uint8 => vk::Format::B8G8R8A8_UINT,
                    _ => return None,
                };
                (raw, as_is)
            }
            O::Rgb => {
                // All drivers that were tried widen channels of 5 and 6 bits to 8 bits. The result is less precise
                // than the 1.5 ulp that CL 8.3.1 allows.
                if data != T::Unorm101010 {
                    return None;
                }
                let raw = vk::Format::A2R10G10B10_UNORM_PACK32;
                (raw, [S::IDENTITY, S::IDENTITY, S::IDENTITY, S::ONE])
            }
            // The alpha of these orders is 0 in the border and 1 in texels, which no swizzle expresses.
            O::Rx | O::Rgx | O::Rgbx => return None,
        };
        Some(Format { raw, swizzle })
    }

    /// Returns the component mapping of the view that kernels read through.
    pub(super) fn components(self) -> vk::ComponentMapping {
        let [r, g, b, a] = self.swizzle;
        vk::ComponentMapping { r, g, b, a }
    }

    /// Returns whether the format needs no swizzle, so that views without one, such as those of texel buffers, read it
    /// correctly.
    fn is_direct(self) -> bool {
        self.swizzle == [vk::ComponentSwizzle::IDENTITY; 4]
    }
}

/// The type of Vulkan object that holds texels.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Holder {
    Image,
    Buffer,
}

impl PhysicalDevice {
    /// Returns the accesses that kernels may make to images of a format.
    pub(crate) fn format_use(&self, format: Format, holder: Holder) -> FormatUse {
        use vk::FormatFeatureFlags as F;
        let Ok((shared, physical)) = self.connected() else {
            return FormatUse::default();
        };
        // SAFETY: the physical device belongs to the instance.
        let properties = unsafe {
            shared
                .raw
                .get_physical_device_format_properties(physical, format.raw)
        };
        match holder {
            Holder::Image if !format.is_direct() && !self.features.view_swizzles() => FormatUse::default(),
            Holder::Image => {
                let has = properties.optimal_tiling_features;
                let copies = has.contains(F::TRANSFER_SRC | F::TRANSFER_DST);
                FormatUse {
                    read: copies && has.contains(F::SAMPLED_IMAGE),
                    write: copies && has.contains(F::STORAGE_IMAGE),
                    linear: has.contains(F::SAMPLED_IMAGE_FILTER_LINEAR),
                }
            }
            Holder::Buffer => {
                let has = properties.buffer_features;
                // Buffers are created with the usage for both, so a view of one must support both.
                let both = has.contains(F::UNIFORM_TEXEL_BUFFER | F::STORAGE_TEXEL_BUFFER);
                FormatUse {
                    read: both && format.is_direct(),
                    write: both && format.is_direct(),
                    linear: false,
                }
            }
        }
    }
}
