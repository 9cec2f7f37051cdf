//! Colours to texels (CL 8.3), for clEnqueueFillImage.

use super::{ChannelType, ImageFormat};

/// A normalized number of `top` steps, nearest even; NaN is 0.
fn normalized(x: f32, least: f32, top: u32) -> i64 {
    let scaled = f64::from(x).clamp(least.into(), 1.0) * f64::from(top);
    scaled.round_ties_even() as i64
}

/// To half precision, nearest even.
fn half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // In units of the result's last place, exact in double precision.
    let value = f64::from(f32::from_bits(magnitude));
    let exponent = ((magnitude >> 23) as i32 - 127).max(-14);
    let steps = (value * 2f64.powi(10 - exponent)).round_ties_even();
    if exponent > 15 || steps * 2f64.powi(exponent - 10) >= 65520.0 {
        return sign | 0x7c00;
    }
    // The leading bit of a normal number, and a carry out of the fraction, count the exponent up by one.
    sign | ((exponent + 14) as u16 * 1024 + steps as u16)
}

/// The bits of a channel for one lane of a colour.
fn channel(data: ChannelType, lane: u32) -> u32 {
    use ChannelType as T;
    let float = f32::from_bits(lane);
    let int = lane as i32;
    match data {
        T::Unorm8 => normalized(float, 0.0, 255) as u32,
        T::Unorm16 => normalized(float, 0.0, 65535) as u32,
        T::Unorm555 => normalized(float, 0.0, 31) as u32,
        T::Unorm101010 => normalized(float, 0.0, 1023) as u32,
        // Green has a bit more; see `encode`.
        T::Unorm565 => normalized(float, 0.0, 31) as u32,
        T::Snorm8 => normalized(float, -1.0, 127) as u32,
        T::Snorm16 => normalized(float, -1.0, 32767) as u32,
        T::Int8 => int.clamp(-128, 127) as u32,
        T::Int16 => int.clamp(-32768, 32767) as u32,
        T::Uint8 => lane.min(255),
        T::Uint16 => lane.min(65535),
        T::Half => half(float).into(),
        T::Int32 | T::Uint32 | T::Float => lane,
    }
}

impl ImageFormat {
    /// A texel as it is in memory. `color` has red, green, blue, alpha: float, int or uint as the format has it.
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

#[cfg(test)]
mod tests {
    use super::super::ChannelOrder;
    use super::*;

    #[test]
    fn halves() {
        for (x, bits) in [
            (0.0, 0),
            (-0.0, 0x8000),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (f32::INFINITY, 0x7c00),
            (f32::NAN, 0x7e00),
            // subnormal, its largest, and the smallest normal number
            (2f32.powi(-24), 1),
            (2f32.powi(-25), 0),
            (1023.0 * 2f32.powi(-24), 0x3ff),
            (2f32.powi(-14), 0x400),
            // ties
            (1.0 + 2f32.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f32.powi(-11), 0x3c02),
            // a carry
            (2.0 - 2f32.powi(-12), 0x4000),
        ] {
            assert_eq!(half(x), bits, "{x}");
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
