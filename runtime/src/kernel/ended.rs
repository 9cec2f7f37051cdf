//! The word to which kernels add if the driver has ended their loops before they were complete (compiler ADR 7).
//!
//! Each module with such kernels has one word, which only grows. A batch fails if the word has grown since one of these kernels
//! was recorded into it. So loops that the driver ends in another batch meanwhile may make a correct batch fail, but no
//! incorrect batch succeeds.

use std::sync::Arc;

use caldera_compiler::reflect::Reflection;

use crate::device::Device;
use crate::error::Result;
use crate::mem::HostPtr;
use crate::vk;

/// The word of a module.
pub(crate) struct EndedLoops(vk::Buffer);

impl EndedLoops {
    /// Makes the word, if a kernel of the module needs it.
    pub(super) fn new(device: &Arc<Device>, reflection: &Reflection) -> Result<Option<EndedLoops>> {
        if reflection.kernels.iter().all(|k| k.ended_loops.is_none()) {
            return Ok(None);
        }
        let buffer = vk::Buffer::new(&device.logical()?, 4, vk::Place::Host)
            .map_err(crate::mem::buffer::allocation_error)?;
        if let Some(word) = buffer.mapped() {
            word.store(&[0; 4]);
        }
        Ok(Some(EndedLoops(buffer)))
    }

    /// Returns the address of the word for the device.
    pub(super) fn address(&self) -> u64 {
        self.0.address()
    }

    /// Returns the buffer that begins with the word.
    pub(super) fn buffer(&self) -> &vk::Buffer {
        &self.0
    }

    /// Returns how often work-items have reported ended loops. What a batch reports is visible once the batch is complete.
    pub(crate) fn count(&self) -> u32 {
        let mut bytes = [0; 4];
        if let Some(word) = self.0.mapped() {
            word.copy_to(HostPtr::of_slice_mut(&mut bytes), 4);
        }
        u32::from_ne_bytes(bytes)
    }
}
