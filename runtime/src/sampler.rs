//! Samplers (CL 5.5).

use std::sync::{Arc, OnceLock};

use caldera_compiler::intrinsic::SamplerMask;

use crate::context::Context;
use crate::error::{ClCode, Result};
use crate::impl_object;
use crate::mem::image::check_support;
use crate::object::Anchor;
use crate::vk;

/// CL_ADDRESS_*: what happens outside of the image.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum AddressingMode {
    None = 0x1130,
    ClampToEdge = 0x1131,
    Clamp = 0x1132,
    Repeat = 0x1133,
    MirroredRepeat = 0x1134,
}

impl AddressingMode {
    /// From `cl_addressing_mode`.
    pub fn from_number(n: u32) -> Option<Self> {
        [
            Self::None,
            Self::ClampToEdge,
            Self::Clamp,
            Self::Repeat,
            Self::MirroredRepeat,
        ]
        .into_iter()
        .find(|m| *m as u32 == n)
    }
}

/// CL_FILTER_*.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum FilterMode {
    Nearest = 0x1140,
    Linear = 0x1141,
}

impl FilterMode {
    /// From `cl_filter_mode`.
    pub fn from_number(n: u32) -> Option<Self> {
        [Self::Nearest, Self::Linear].into_iter().find(|m| *m as u32 == n)
    }
}

/// How a kernel reads an image.
#[derive(Debug)]
pub struct Sampler {
    anchor: Anchor<Sampler>,
    context: Arc<Context>,
    /// Coordinates run from 0 to 1.
    pub normalized: bool,
    /// Outside of the image.
    pub addressing: AddressingMode,
    /// Between pixels.
    pub filter: FilterMode,
    /// CL_SAMPLER_PROPERTIES of OpenCL 3.0: what clCreateSamplerWithProperties was given.
    pub properties: Vec<u64>,
    /// As it is, and with normalized coordinates; by index of the device in the context, found at first use.
    on_devices: Box<[[OnceLock<Arc<vk::Sampler>>; 2]]>,
}

impl_object!(Sampler, ClCode::InvalidSampler, "sampler");

impl Sampler {
    /// CL 5.5.1 — clCreateSampler, and clCreateSamplerWithProperties with its `properties`
    pub fn create(
        context: &Arc<Context>,
        normalized: bool,
        addressing: AddressingMode,
        filter: FilterMode,
        properties: Vec<u64>,
    ) -> Result<Arc<Sampler>> {
        // CL 5.5.1: INVALID_OPERATION if images are not supported by any device associated with context
        check_support(context).map_err(|e| e.at("5.5.1"))?;
        Ok(Arc::new(Sampler {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            normalized,
            addressing,
            filter,
            properties,
            on_devices: context.devices().iter().map(|_| Default::default()).collect(),
        }))
    }

    /// What kernels are told, and samplers of Vulkan are made from.
    pub(crate) fn mask(&self) -> SamplerMask {
        let address = match self.addressing {
            AddressingMode::None => SamplerMask::ADDRESS_NONE,
            AddressingMode::ClampToEdge => SamplerMask::ADDRESS_EDGE,
            AddressingMode::Clamp => SamplerMask::ADDRESS_CLAMP,
            AddressingMode::Repeat => SamplerMask::ADDRESS_REPEAT,
            AddressingMode::MirroredRepeat => SamplerMask::ADDRESS_MIRRORED,
        };
        let filter = match self.filter {
            FilterMode::Nearest => SamplerMask::NEAREST,
            FilterMode::Linear => SamplerMask::LINEAR,
        };
        SamplerMask(address | filter | u32::from(self.normalized))
    }

    /// The Vulkan sampler on a device of the context: as it is, or (`normalized`) with normalized coordinates.
    pub(crate) fn on_device(&self, device: usize, normalized: bool) -> Result<&Arc<vk::Sampler>> {
        let cell = &self.on_devices[device][usize::from(normalized)];
        if let Some(sampler) = cell.get() {
            return Ok(sampler);
        }
        let mask = self.mask().0 | if normalized { SamplerMask::NORMALIZED } else { 0 };
        let made = self.context.devices()[device].sampler(SamplerMask(mask))?;
        Ok(cell.get_or_init(|| made))
    }

    /// CL_SAMPLER_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}
