//! Image formats (CL 5.3.1.1): channel orders, channel data types, and how texels lie in host memory.

use crate::vk;

/// `cl_channel_order`: the orders of OpenCL 1.2 and of cl_khr_depth_images.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ChannelOrder {
    /// CL_R.
    R = 0x10B0,
    /// CL_A.
    A = 0x10B1,
    /// CL_RG.
    Rg = 0x10B2,
    /// CL_RA.
    Ra = 0x10B3,
    /// CL_RGB.
    Rgb = 0x10B4,
    /// CL_RGBA.
    Rgba = 0x10B5,
    /// CL_BGRA.
    Bgra = 0x10B6,
    /// CL_ARGB.
    Argb = 0x10B7,
    /// CL_INTENSITY.
    Intensity = 0x10B8,
    /// CL_LUMINANCE.
    Luminance = 0x10B9,
    /// CL_Rx.
    Rx = 0x10BA,
    /// CL_RGx.
    Rgx = 0x10BB,
    /// CL_RGBx.
    Rgbx = 0x10BC,
    /// CL_DEPTH.
    Depth = 0x10BD,
}

/// `cl_channel_type`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum ChannelType {
    /// CL_SNORM_INT8.
    Snorm8 = 0x10D0,
    /// CL_SNORM_INT16.
    Snorm16 = 0x10D1,
    /// CL_UNORM_INT8.
    Unorm8 = 0x10D2,
    /// CL_UNORM_INT16.
    Unorm16 = 0x10D3,
    /// CL_UNORM_SHORT_565.
    Unorm565 = 0x10D4,
    /// CL_UNORM_SHORT_555.
    Unorm555 = 0x10D5,
    /// CL_UNORM_INT_101010.
    Unorm101010 = 0x10D6,
    /// CL_SIGNED_INT8.
    Int8 = 0x10D7,
    /// CL_SIGNED_INT16.
    Int16 = 0x10D8,
    /// CL_SIGNED_INT32.
    Int32 = 0x10D9,
    /// CL_UNSIGNED_INT8.
    Uint8 = 0x10DA,
    /// CL_UNSIGNED_INT16.
    Uint16 = 0x10DB,
    /// CL_UNSIGNED_INT32.
    Uint32 = 0x10DC,
    /// CL_HALF_FLOAT.
    Half = 0x10DD,
    /// CL_FLOAT.
    Float = 0x10DE,
}

impl ChannelOrder {
    /// All channel orders.
    pub const ALL: [ChannelOrder; 14] = [
        Self::R,
        Self::A,
        Self::Rg,
        Self::Ra,
        Self::Rgb,
        Self::Rgba,
        Self::Bgra,
        Self::Argb,
        Self::Intensity,
        Self::Luminance,
        Self::Rx,
        Self::Rgx,
        Self::Rgbx,
        Self::Depth,
    ];

    /// Returns the number of channels that a texel has in memory.
    pub(crate) fn channels(self) -> u32 {
        match self {
            Self::R | Self::A | Self::Intensity | Self::Luminance | Self::Rx | Self::Depth => 1,
            Self::Rg | Self::Ra | Self::Rgx => 2,
            Self::Rgb | Self::Rgbx => 3,
            Self::Rgba | Self::Bgra | Self::Argb => 4,
        }
    }

    /// Returns for each channel in memory the component of the colour (0 red, 1 green, 2 blue, 3 alpha) that it
    /// stores.
    pub(crate) fn lanes(self) -> &'static [usize] {
        match self {
            Self::R | Self::Intensity | Self::Luminance | Self::Rx | Self::Depth => &[0],
            Self::A => &[3],
            Self::Rg | Self::Rgx => &[0, 1],
            Self::Ra => &[0, 3],
            Self::Rgb | Self::Rgbx => &[0, 1, 2],
            Self::Rgba => &[0, 1, 2, 3],
            Self::Bgra => &[2, 1, 0, 3],
            Self::Argb => &[3, 0, 1, 2],
        }
    }
}

impl ChannelType {
    /// All channel data types.
    pub const ALL: [ChannelType; 15] = [
        Self::Snorm8,
        Self::Snorm16,
        Self::Unorm8,
        Self::Unorm16,
        Self::Unorm565,
        Self::Unorm555,
        Self::Unorm101010,
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Half,
        Self::Float,
    ];

    /// Returns whether all channels of a texel share one word.
    pub(crate) fn packed(self) -> bool {
        matches!(self, Self::Unorm565 | Self::Unorm555 | Self::Unorm101010)
    }

    /// Returns the size of a channel in bytes; of the whole texel if [`ChannelType::packed`].
    pub(crate) fn size(self) -> u32 {
        match self {
            Self::Snorm8 | Self::Unorm8 | Self::Int8 | Self::Uint8 => 1,
            Self::Snorm16
            | Self::Unorm16
            | Self::Int16
            | Self::Uint16
            | Self::Half
            | Self::Unorm565
            | Self::Unorm555 => 2,
            Self::Int32 | Self::Uint32 | Self::Float | Self::Unorm101010 => 4,
        }
    }

    /// Returns whether kernels read the channels as integers.
    pub(crate) fn integer(self) -> bool {
        match self {
            Self::Int8 | Self::Int16 | Self::Int32 | Self::Uint8 | Self::Uint16 | Self::Uint32 => true,
            Self::Snorm8
            | Self::Snorm16
            | Self::Unorm8
            | Self::Unorm16
            | Self::Unorm565
            | Self::Unorm555
            | Self::Unorm101010
            | Self::Half
            | Self::Float => false,
        }
    }
}

/// `cl_image_format`, checked to be a combination that the specification allows.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct ImageFormat {
    order: ChannelOrder,
    data: ChannelType,
}

impl ImageFormat {
    /// Makes a format. CL 5.3.1.1, tables 5.6 and 5.7: returns `None` for a combination that they do not allow.
    pub fn new(order: u32, data: u32) -> Option<ImageFormat> {
        use ChannelType as T;
        let order = *ChannelOrder::ALL.iter().find(|o| **o as u32 == order)?;
        let data = *ChannelType::ALL.iter().find(|t| **t as u32 == data)?;
        let allowed = match order {
            ChannelOrder::R
            | ChannelOrder::A
            | ChannelOrder::Rg
            | ChannelOrder::Ra
            | ChannelOrder::Rgba
            | ChannelOrder::Rx
            | ChannelOrder::Rgx => !data.packed(),
            ChannelOrder::Intensity | ChannelOrder::Luminance => !data.packed() && !data.integer(),
            ChannelOrder::Rgb | ChannelOrder::Rgbx => data.packed(),
            ChannelOrder::Bgra | ChannelOrder::Argb => {
                matches!(data, T::Snorm8 | T::Unorm8 | T::Int8 | T::Uint8)
            }
            ChannelOrder::Depth => matches!(data, T::Unorm16 | T::Float),
        };
        allowed.then_some(ImageFormat { order, data })
    }

    /// Returns every allowed format.
    pub(crate) fn all() -> impl Iterator<Item = ImageFormat> {
        ChannelOrder::ALL.into_iter().flat_map(|order| {
            ChannelType::ALL
                .into_iter()
                .filter_map(move |data| ImageFormat::new(order as u32, data as u32))
        })
    }

    /// Returns `image_channel_order`.
    pub fn order(self) -> ChannelOrder {
        self.order
    }

    /// Returns `image_channel_data_type`.
    pub fn data(self) -> ChannelType {
        self.data
    }

    /// Returns CL_IMAGE_ELEMENT_SIZE, in bytes.
    pub fn size(self) -> u32 {
        if self.data.packed() {
            self.data.size()
        } else {
            self.data.size() * self.order.channels()
        }
    }

    /// Returns the Vulkan format that stores it, if there is one.
    pub(crate) fn vulkan(self) -> Option<vk::Format> {
        vk::Format::of(self.order, self.data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_and_sizes() {
        let f = |o: ChannelOrder, t: ChannelType| ImageFormat::new(o as u32, t as u32);
        assert_eq!(
            f(ChannelOrder::Rgba, ChannelType::Float).map(ImageFormat::size),
            Some(16)
        );
        assert_eq!(
            f(ChannelOrder::Rgb, ChannelType::Unorm565).map(ImageFormat::size),
            Some(2)
        );
        assert_eq!(
            f(ChannelOrder::Ra, ChannelType::Half).map(ImageFormat::size),
            Some(4)
        );
        assert_eq!(f(ChannelOrder::Rgb, ChannelType::Unorm8), None);
        assert_eq!(f(ChannelOrder::Luminance, ChannelType::Int8), None);
        assert_eq!(f(ChannelOrder::Argb, ChannelType::Float), None);
        assert_eq!(ImageFormat::new(0, 0), None);
    }

    #[test]
    fn every_channel_has_a_lane() {
        for order in ChannelOrder::ALL {
            assert_eq!(order.lanes().len(), order.channels() as usize, "{order:?}");
        }
    }
}
