//! Large copies between buffers by a kernel: vkCmdCopyBuffer is a copy engine's or a driver's own affair and may be far
//! from the memory's speed (NVIDIA H200: 0.6 to 0.7 TB/s instead of 4).

use std::sync::Arc;

use caldera_compiler::driver::Input;
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;

use super::launch::{ArgValue, PodBytes};
use super::pipeline::{DeviceKernel, DeviceModule};
use crate::config::config;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::mem::Buffer;

/// From this size on a kernel copies.
const LARGE: u64 = 1 << 20;

/// Bytes of one work-item.
const UNIT: u64 = 16;

/// Work-items of a work-group.
pub(crate) const GROUP: usize = 256;

/// The last work-item copies what is less than a unit.
const SOURCE: &str = "\
kernel void copy(global uint4 *restrict to, global const uint4 *restrict from, ulong to_at, ulong from_at, ulong bytes) {
  size_t i = get_global_id(0), units = bytes / 16;
  to += to_at; from += from_at;
  if (i < units) to[i] = from[i];
  else if (i == units) {
    for (uint n = 0; n < bytes % 16; n++)
      ((global uchar *)(to + i))[n] = ((global const uchar *)(from + i))[n];
  }
}
";

/// Compiles the kernel for a device.
pub(crate) fn kernel(device: &Arc<Device>) -> Result<Arc<DeviceKernel>> {
    let input = Input {
        name: "<copy>",
        source: SOURCE,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = caldera_compiler::compile(&input, device.target())
        .map_err(|failed| Error::new(ClCode::BuildProgramFailure, failed.log))?;
    DeviceModule::new(device, &compiled.words)?
        .kernel("copy")?
        .ok_or_else(|| Error::new(ClCode::InvalidKernelName, "the copy kernel is missing"))
}

/// A copy that a kernel should do: its arguments and the number of work-items. `None`: leave it to Vulkan.
pub(crate) fn launch(
    device: &Device,
    (from, from_at): (&Arc<Buffer>, u64),
    (to, to_at): (&Arc<Buffer>, u64),
    size: u64,
) -> Option<([ArgValue; 5], usize)> {
    let wanted = config().debug.copy_kernel || (size >= LARGE && !device.info().host_unified_memory);
    let possible = [from_at, to_at, from.offset(), to.offset()]
        .iter()
        .all(|at| at.is_multiple_of(UNIT))
        // What kernels may not write is not looked after as written.
        && to.kernel_writes()
        && device.info().max_work_group_size >= GROUP;
    if !wanted || !possible {
        return None;
    }
    let items = usize::try_from(size / UNIT + 1).ok()?.next_multiple_of(GROUP);
    let number = |n: u64| ArgValue::Pod(PodBytes::new(&n.to_ne_bytes()));
    let args = [
        ArgValue::Buffer(Some(Arc::clone(to))),
        ArgValue::Buffer(Some(Arc::clone(from))),
        number(to_at / UNIT),
        number(from_at / UNIT),
        number(size),
    ];
    Some((args, items))
}
