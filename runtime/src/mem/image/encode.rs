//! Conversion of colours to texels (CL 8.3) for clEnqueueFillImage, and of texels to Vulkan's clear values.

use caldera_compiler::half;

use super::{ChannelOrder, ChannelType, ImageFormat};
use crate::vk::Clear;

/// Converts to a normalized integer whose greatest value is `top`, rounding to nearest even; NaN becomes 0.
fn normalized(x: f32, least: f32, top: u32) -> i64 {
    // CL 8.3.1.2: `convert_…_sat_rte(x * 127.0f)` and its like; the product is rounded to a float first.
    let scaled = x.clamp(least, 1.0) * top as f32;
    scaled.round_ties_even() as i64
}

/// Returns the bits of a channel for one component of a colour.
fn channel(data: ChannelType, lane: u32) -> u32 {
    use ChannelType as T;
    let float = f32::from_bits(lane);
    let int = lane as i32;
    match data {
        T::Unorm8 => normalized(float, 0.0, 255) as u32,
        T::Unorm16 => normalized(float, 0.0, 65535) as u32,
        T::Unorm555 => normalized(float, 0.0, 31) as u32,
        T::Unorm101010 => normalized(float, 0.0, 1023) as u32,
        // Green has one bit more; `encode` converts it.
        T::Unorm565 => normalized(float, 0.0, 31) as u32,
        T::Snorm8 => normalized(float, -1.0, 127) as u32,
        T::Snorm16 => normalized(float, -1.0, 32767) as u32,
        T::Int8 => int.clamp(-128, 127) as u32,
        T::Int16 => int.clamp(-32768, 32767) as u32,
        T::Uint8 => lane.min(255),
        T::Uint16 => lane.min(65535),
        T::Half => half::from_f64(float.into()).into(),
        T::Int32 | T::Uint32 | T::Float => lane,
    }
}

impl ImageFormat {
    /// Returns the bytes of a texel in memory. `color` has red, green, blue and alpha as float, int or uint, as
    /// the format demands.
    pub(crate) fn encode(self, color: [u32; 4]) -> Vec<u8> {
        let data = self.data();
        let lanes = self.order().lanes();
        if data.packed() {
            let [r, g, b] = [0, 1, 2].map(|i| channel(data, color[i]));
            let word = match data {
                ChannelType::Unorm565 => {
                    let green = normalized(f32::from_bits(color[1]), 0.0, 63) as u32;
                    r << 11 | green << 5 | b
                }
                ChannelType::Unorm555 => r << 10 | g << 5 | b,
                _ => r << 20 | g << 10 | b,
            };
            return word.to_ne_bytes()[..data.size() as usize].to_vec();
        }
        let size = data.size() as usize;
        lanes
            .iter()
            .flat_map(|lane| channel(data, color[*lane]).to_ne_bytes()[..size].to_vec())
            .collect()
    }
}

/// Converts from half precision. Returns `None` for subnormal numbers and NaN, of which devices may make
/// different values.
fn from_half(bits: u16) -> Option<f32> {
    /// 2⁻¹⁴, the smallest normal number.
    const NORMAL: f32 = 1.0 / 16384.0;
    let value = half::to_f64(bits) as f32;
    (value == 0.0 || value.abs() >= NORMAL).then_some(value)
}

/// Returns the value of a channel with a type other than integer; `None` if a device may convert the value to
/// other bits.
fn value(data: ChannelType, channel: &[u8]) -> Option<f32> {
    use ChannelType as T;
    let two = || Some([*channel.first()?, *channel.get(1)?]);
    Some(match data {
        T::Unorm8 => f32::from(*channel.first()?) / 255.0,
        T::Unorm16 => f32::from(u16::from_ne_bytes(two()?)) / 65535.0,
        T::Snorm8 => f32::from(*channel.first()? as i8) / 127.0,
        T::Snorm16 => f32::from(i16::from_ne_bytes(two()?)) / 32767.0,
        T::Half => from_half(u16::from_ne_bytes(two()?))?,
        T::Float => {
            let x = f32::from_ne_bytes(channel.try_into().ok()?);
            (!x.is_subnormal() && !x.is_nan()).then_some(x)?
        }
        T::Int8 | T::Int16 | T::Int32 | T::Uint8 | T::Uint16 | T::Uint32 => return None,
        T::Unorm565 | T::Unorm555 | T::Unorm101010 => return None,
    })
}

/// Returns the value of an integer channel.
fn integer(data: ChannelType, channel: &[u8]) -> Option<u32> {
    use ChannelType as T;
    let two = || Some([*channel.first()?, *channel.get(1)?]);
    Some(match data {
        T::Int8 => i32::from(*channel.first()? as i8) as u32,
        T::Uint8 => u32::from(*channel.first()?),
        T::Int16 => i32::from(i16::from_ne_bytes(two()?)) as u32,
        T::Uint16 => u32::from(u16::from_ne_bytes(two()?)),
        T::Int32 | T::Uint32 => u32::from_ne_bytes(channel.try_into().ok()?),
        _ => return None,
    })
}

impl ImageFormat {
    /// Returns the clear value that makes a Vulkan image's texels equal to the given one in every bit; `None`
    /// if there may be none.
    pub(crate) fn clear(self, texel: &[u8]) -> Option<Clear> {
        let data = self.data();
        if data.packed() {
            return None;
        }
        let channels = texel.chunks_exact(data.size() as usize);
        // Clear values are in the component order of the Vulkan format that stores the texels. BGRA formats are
        // the only ones whose components are not in memory order.
        let swap = self.order() == ChannelOrder::Bgra;
        if data.integer() {
            let mut all = [0; 4];
            for (to, channel) in all.iter_mut().zip(channels) {
                *to = integer(data, channel)?;
            }
            if swap {
                all.swap(0, 2);
            }
            return Some(Clear::Int(all));
        }
        let mut all = [0.0; 4];
        for (to, channel) in all.iter_mut().zip(channels) {
            *to = value(data, channel)?;
        }
        if swap {
            all.swap(0, 2);
        }
        Some(Clear::Float(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_as_colors() {
        let clear = |order: ChannelOrder, data: ChannelType, texel: &[u8]| {
            ImageFormat::new(order as u32, data as u32)
                .expect("a format")
                .clear(texel)
        };
        use ChannelOrder as O;
        use ChannelType as T;
        assert_eq!(
            clear(O::Bgra, T::Unorm8, &[0, 51, 255, 102]),
            Some(Clear::Float([1.0, 0.2, 0.0, 0.4]))
        );
        assert_eq!(
            clear(O::Argb, T::Int8, &[0xff, 2, 3, 4]),
            Some(Clear::Int([u32::MAX, 2, 3, 4]))
        );
        assert_eq!(
            clear(O::A, T::Half, &0xc000u16.to_ne_bytes()),
            Some(Clear::Float([-2.0, 0.0, 0.0, 0.0]))
        );
        for (data, texel) in [
            (T::Half, 0x7e00u32),
            (T::Half, 1),
            (T::Float, 0x7fc0_0000),
            (T::Float, 1),
        ] {
            let bytes = texel.to_le_bytes();
            assert_eq!(
                clear(O::R, data, &bytes[..data.size() as usize]),
                None,
                "{texel:#x}"
            );
        }
    }

    #[test]
    fn halves_and_back() {
        for bits in 0..=u16::MAX {
            if let Some(x) = from_half(bits) {
                assert_eq!(half::from_f64(x.into()), bits);
            }
        }
    }

    /// The product of a colour between two steps is rounded to a float first, and then to the even step.
    #[test]
    fn halfway_between_two_steps() {
        for (data, top) in [
            (ChannelType::Snorm8, 127u16),
            (ChannelType::Unorm8, 255),
            (ChannelType::Snorm16, 32767),
            (ChannelType::Unorm16, 65535),
        ] {
            for below in [top / 2 - 1, top / 2] {
                let color = (f32::from(below) + 0.5) / f32::from(top);
                let expected = u32::from(below + below % 2);
                assert_eq!(channel(data, color.to_bits()), expected, "{data:?} {color}");
            }
        }
    }

    #[test]
    fn orders_and_saturation() {
        let encode = |order: ChannelOrder, data: ChannelType, color| {
            ImageFormat::new(order as u32, data as u32)
                .expect("a format")
                .encode(color)
        };
        let color = [1.0f32, 0.0, 0.5, 2.0].map(f32::to_bits);
        assert_eq!(
            encode(ChannelOrder::Bgra, ChannelType::Unorm8, color),
            [128, 0, 255, 255]
        );
        assert_eq!(
            encode(ChannelOrder::Argb, ChannelType::Unorm8, color),
            [255, 255, 0, 128]
        );
        assert_eq!(encode(ChannelOrder::A, ChannelType::Snorm8, color), [127]);
        let ints = [-300i32, 300, 5, 70000].map(|x| x as u32);
        assert_eq!(
            encode(ChannelOrder::Rgba, ChannelType::Int8, ints),
            [0x80, 0x7f, 5, 0x7f]
        );
        assert_eq!(
            encode(ChannelOrder::Rg, ChannelType::Uint16, [70000, 7, 0, 0]),
            [0xff, 0xff, 7, 0]
        );
        let word = u16::from_ne_bytes(
            encode(ChannelOrder::Rgb, ChannelType::Unorm565, color)
                .try_into()
                .expect("two bytes"),
        );
        assert_eq!(word, 31 << 11 | 16);
    }
}
