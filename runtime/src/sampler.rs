//! Samplers (CL 5.5).

use std::sync::Arc;

use caldera_compiler::intrinsic::SamplerMask;
use once_cell::sync::OnceCell;

use crate::context::Context;
use crate::error::{ClCode, Result};
use crate::impl_object;
use crate::mem::image::check_support;
use crate::object::Anchor;
use crate::vk;

/// CL_ADDRESS_*: the treatment of coordinates outside the image.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum AddressingMode {
    /// CL_ADDRESS_NONE.
    None = 0x1130,
    /// CL_ADDRESS_CLAMP_TO_EDGE.
    ClampToEdge = 0x1131,
    /// CL_ADDRESS_CLAMP.
    Clamp = 0x1132,
    /// CL_ADDRESS_REPEAT.
    Repeat = 0x1133,
    /// CL_ADDRESS_MIRRORED_REPEAT.
    MirroredRepeat = 0x1134,
}

impl AddressingMode {
    /// Converts a `cl_addressing_mode`.
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

/// CL_FILTER_*: the interpolation between texels.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum FilterMode {
    /// CL_FILTER_NEAREST.
    Nearest = 0x1140,
    /// CL_FILTER_LINEAR.
    Linear = 0x1141,
}

impl FilterMode {
    /// Converts a `cl_filter_mode`.
    pub fn from_number(n: u32) -> Option<Self> {
        [Self::Nearest, Self::Linear].into_iter().find(|m| *m as u32 == n)
    }
}

/// A sampler object.
#[derive(Debug)]
pub struct Sampler {
    anchor: Anchor<Sampler>,
    context: Arc<Context>,
    /// Whether coordinates are normalized, that is, run from 0 to 1.
    pub normalized: bool,
    /// The treatment of coordinates outside the image.
    pub addressing: AddressingMode,
    /// The interpolation between texels.
    pub filter: FilterMode,
    /// CL_SAMPLER_PROPERTIES of OpenCL 3.0: the list that clCreateSamplerWithProperties was given.
    pub properties: Vec<u64>,
    /// The Vulkan samplers, with the sampler's own coordinates and with normalized ones, by index of the device
    /// in the context; made at first use.
    on_devices: Box<[[OnceCell<Arc<vk::Sampler>>; 2]]>,
}

impl_object!(Sampler, ClCode::InvalidSampler, "sampler");

impl Sampler {
    /// Creates a sampler (CL 5.5.1, clCreateSampler; and clCreateSamplerWithProperties with its `properties`).
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

    /// Returns the mask that kernels read and that Vulkan samplers are made from.
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

    /// Returns the Vulkan sampler on a device of the context, with the sampler's own coordinates or
    /// (`normalized`) with normalized ones.
    pub(crate) fn on_device(&self, device: usize, normalized: bool) -> Result<&Arc<vk::Sampler>> {
        let cell = &self.on_devices[device][usize::from(normalized)];
        cell.get_or_try_init(|| {
            let mask = self.mask().0 | if normalized { SamplerMask::NORMALIZED } else { 0 };
            self.context.devices()[device].sampler(SamplerMask(mask))
        })
    }

    /// Returns CL_SAMPLER_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}
