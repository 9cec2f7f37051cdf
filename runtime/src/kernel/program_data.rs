//! The `__constant` data and program-scope variables of a module on a device.

use std::sync::Arc;

use caldera_compiler::reflect::{DataPlace, Reflection};

use super::pipeline::unusable;
use crate::device::Device;
use crate::error::Result;
use crate::mem::HostPtr;
use crate::vk;

/// A module's constant data and program-scope variables on a device.
pub(super) struct ProgramData {
    pub(super) buffer: Arc<vk::Buffer>,
    /// The offset in bytes of the data in the buffer, so that they begin at an address with their alignment.
    start: u64,
    /// The way in which kernels access the data.
    pub(super) place: DataPlace,
}

impl ProgramData {
    /// Makes a module's data with their first contents, or returns `None` if it has none. `variables` is the buffer of the
    /// program's variables, if there is one already.
    pub(super) fn of(
        device: &Arc<Device>,
        reflection: &Reflection,
        variables: Option<Arc<vk::Buffer>>,
    ) -> Result<Option<ProgramData>> {
        let data = match (&reflection.constant_data, &reflection.program_variables) {
            (None, None) => return Ok(None),
            (Some(data), None) | (None, Some(data)) => data,
            (Some(_), Some(_)) => return Err(unusable("two blobs of constant data")),
        };
        let mut bytes = data.bytes.clone();
        let size = bytes.len().max(reflection.variables_size as usize);
        let align = match data.place {
            DataPlace::PointerPush(_) => u64::from(reflection.data_align.max(1)),
            DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_) => 1,
        };
        // The driver aligns buffers as it likes, so that the first multiple of the alignment can be within the buffer.
        let room = (size as u64).max(16) + (align - 1);
        if let Some(buffer) = variables.filter(|_| reflection.program_variables.is_some()) {
            if buffer.size() < room {
                return Err(unusable(
                    "the program's variables are other ones than when it was built",
                ));
            }
            return Ok(Some(ProgramData::new(buffer, data.place, align)));
        }
        let buffer = vk::Buffer::new(&device.logical()?, room, vk::Place::Device)
            .map_err(crate::mem::buffer::allocation_error)?;
        let data = ProgramData::new(Arc::new(buffer), data.place, align);
        // The allocation has succeeded, so that host memory of this size is no danger.
        bytes.resize(size, 0);
        for r in &reflection.relocations {
            let (at, width) = (r.pointer_offset as usize, r.pointer_size as usize);
            let address = (data.address() + u64::from(r.object_offset)).to_le_bytes();
            let (Some(to), Some(from)) = (bytes.get_mut(at..at + width), address.get(..width)) else {
                return Err(unusable("a relocation out of bounds"));
            };
            to.copy_from_slice(from);
        }
        if !bytes.is_empty() {
            device.upload(
                &data.buffer,
                data.start,
                HostPtr::of_slice(&bytes),
                bytes.len() as u64,
            )?;
        }
        Ok(Some(data))
    }

    fn new(buffer: Arc<vk::Buffer>, place: DataPlace, align: u64) -> ProgramData {
        let start = buffer.address().next_multiple_of(align) - buffer.address();
        ProgramData { buffer, start, place }
    }

    /// Returns the device address at which the data begin.
    pub(super) fn address(&self) -> u64 {
        self.buffer.address() + self.start
    }
}
