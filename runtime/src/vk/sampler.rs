//! Samplers, made from the compiler's sampler masks (`compiler/docs/opencl-on-vulkan.md`, Images and samplers).

use std::sync::Arc;

use ash::vk;
use caldera_compiler::intrinsic::SamplerMask;

use super::{Call, Device, VkError};

/// A Vulkan sampler.
pub(crate) struct Sampler {
    device: Arc<Device>,
    pub(super) raw: vk::Sampler,
}

impl std::fmt::Debug for Sampler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("vk::Sampler")
    }
}

impl Sampler {
    /// Makes the sampler that a mask describes.
    pub(crate) fn new(device: &Arc<Device>, mask: SamplerMask) -> Result<Sampler, VkError> {
        let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
        let address = match mask.address() {
            SamplerMask::ADDRESS_CLAMP => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            // Without normalized coordinates, repetition is undefined in OpenCL and not allowed in Vulkan.
            SamplerMask::ADDRESS_REPEAT if mask.normalized() => vk::SamplerAddressMode::REPEAT,
            SamplerMask::ADDRESS_MIRRORED if mask.normalized() => vk::SamplerAddressMode::MIRRORED_REPEAT,
            _ => edge,
        };
        let filter = if mask.linear() {
            vk::Filter::LINEAR
        } else {
            vk::Filter::NEAREST
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
            .address_mode_u(address)
            .address_mode_v(address)
            .address_mode_w(address)
            .border_color(vk::BorderColor::FLOAT_TRANSPARENT_BLACK)
            .unnormalized_coordinates(!mask.normalized());
        super::fault::object("vkCreateSampler")?;
        // SAFETY: the device is alive; a sampler with unnormalized coordinates clamps, has the same filter for
        // magnification and minification, and reads one mipmap level, as Vulkan demands.
        let raw = unsafe { device.raw.create_sampler(&info, None) };
        Ok(Sampler {
            device: Arc::clone(device),
            raw: device.note(raw.call("vkCreateSampler"))?,
        })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command uses the sampler.
        unsafe { self.device.raw.destroy_sampler(self.raw, None) };
    }
}
