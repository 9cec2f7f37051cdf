//! The memory for the kernel arguments of a batch's launches: a buffer of plain values, and descriptor sets.

use std::sync::Arc;

use super::memory::shortage;
use crate::error::Result;
use crate::kernel::descriptors::{BLOCK_ALIGN, Filled, KernelDescriptors, Values};
use crate::kernel::launch::ArgValue;
use crate::kernel::pipeline::DeviceModule;
use crate::vk;

/// The arguments of a batch's launches.
#[derive(Default)]
pub(super) struct ArgumentMemory {
    /// The buffer for plain values.
    plain: Option<vk::ArgsSet>,
    /// The number of bytes of `plain` that are in use.
    used: u64,
    /// Buffers without room for another launch, which a long command-buffer leaves behind.
    used_up: Vec<vk::ArgsSet>,
    sets: vk::RecycledSets,
    /// Reused storage for the descriptors of a launch.
    descriptors: Vec<vk::Descriptor>,
    /// Reused storage for the sets of a launch.
    bound: Vec<vk::Set>,
}

impl ArgumentMemory {
    /// Returns whether the next launch's plain values may need another buffer.
    pub(super) fn is_full(&self) -> bool {
        let room = |a: &vk::ArgsSet| self.used + vk::ArgsSet::RANGE <= a.capacity();
        !self.plain.as_ref().is_none_or(room)
    }

    /// Stores plain values at an offset that is a multiple of `align` and of the device's alignment of uniform
    /// buffers. Returns the buffer and the offset in bytes.
    fn store(&mut self, device: &Arc<vk::Device>, bytes: &[u8], align: u64) -> Result<(&vk::ArgsSet, u32)> {
        if self.is_full() {
            self.used_up.extend(self.plain.take());
            self.used = 0;
        }
        let args = match &mut self.plain {
            Some(args) => args,
            none @ None => none.insert(vk::ArgsSet::new(device).map_err(shortage)?),
        };
        let offset = self.used.next_multiple_of(align.max(16));
        args.write(offset, bytes);
        self.used = offset + (bytes.len() as u64).next_multiple_of(align.max(16));
        Ok((args, offset as u32))
    }

    /// Stores plain values and binds their buffer.
    pub(super) fn bind(
        &mut self,
        device: &Arc<vk::Device>,
        bytes: &[u8],
        align: u64,
        recorder: &mut vk::Recorder,
    ) -> Result<()> {
        let (args, offset) = self.store(device, bytes, align)?;
        recorder.bind_args(args, offset);
        Ok(())
    }

    /// Fills and binds the descriptor sets of a kernel that has its own.
    pub(super) fn bind_sets(
        &mut self,
        device: &Arc<vk::Device>,
        launch: &LaunchDescriptors<'_>,
        align: u64,
        recorder: &mut vk::Recorder,
    ) -> Result<()> {
        let kernel = launch.kernel;
        let start = match (kernel.has_arguments(), kernel.blocks().is_empty()) {
            (true, _) => Some(self.store(device, launch.bytes, align)?.1),
            (false, false) => {
                let align = align.max(u64::from(BLOCK_ALIGN));
                Some(self.store(device, launch.bytes, align)?.1)
            }
            (false, true) => None,
        };
        let filled = Filled {
            recycled: &mut self.sets,
            scratch: &mut self.descriptors,
            sets: &mut self.bound,
        };
        let values = Values {
            device: launch.device,
            module: launch.module,
            args: launch.args,
            plain: start.and_then(|start| Some((self.plain.as_ref()?, u64::from(start)))),
            printf: launch.printf,
        };
        kernel.fill(&values, filled)?;
        let offset = start.filter(|_| kernel.has_arguments());
        recorder.bind_sets(kernel.layout(), &self.bound, offset);
        Ok(())
    }

    /// Gives the descriptor sets back; the buffer is reused.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.used_up.clear();
        self.sets.clear();
    }
}

/// A launch of a kernel that has its own descriptor sets.
pub(crate) struct LaunchDescriptors<'a> {
    pub kernel: &'a KernelDescriptors,
    pub module: &'a DeviceModule,
    /// The index of the device in the context.
    pub device: usize,
    pub args: &'a [ArgValue],
    /// The contents of the argument buffer.
    pub bytes: &'a [u8],
    pub printf: Option<&'a vk::Buffer>,
}
