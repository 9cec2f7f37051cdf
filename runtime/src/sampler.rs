//! Samplers (CL 5.5). The object only; images, which use it, come with the image module.

use std::sync::Arc;

use crate::context::Context;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::object::Anchor;

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
}

impl_object!(Sampler, ClCode::InvalidSampler, "sampler");

impl Sampler {
    /// CL 5.5.1 — clCreateSampler
    pub fn create(
        context: &Arc<Context>,
        normalized: bool,
        addressing: AddressingMode,
        filter: FilterMode,
    ) -> Result<Arc<Sampler>> {
        // CL 5.5.1: INVALID_OPERATION if images are not supported by any device associated with context
        if !context.devices().iter().any(|d| d.info().image_support) {
            return Err(Error::new(
                ClCode::InvalidOperation,
                "no device of the context supports images",
            )
            .at("5.5.1"));
        }
        Ok(Arc::new(Sampler {
            anchor: Anchor::new(),
            context: Arc::clone(context),
            normalized,
            addressing,
            filter,
        }))
    }

    /// CL_SAMPLER_CONTEXT.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }
}
