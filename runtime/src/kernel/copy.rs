//! Large copies between buffers, and those of rows, by a kernel: vkCmdCopyBuffer is a copy engine's or a driver's own affair and
//! may be far from the memory's speed (NVIDIA H200: 0.6 to 0.7 TB/s instead of 4), and each region costs it (1.8 µs there).

use std::sync::Arc;

use caldera_compiler::driver::Input;
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;

use super::Range;
use super::launch::{ArgValue, PodBytes};
use super::pipeline::{DeviceKernel, DeviceModule};
use crate::command::rect::Layout;
use crate::config::config;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::mem::Buffer;

/// From this size on a kernel copies.
const LARGE: u64 = 1 << 20;

/// Bytes of one work-item.
const UNIT: u64 = 16;

/// Work-items of a work-group.
const GROUP: usize = 256;

/// From so many rows on a kernel copies them.
const ROWS: u64 = 4;

/// What a work-item copies of a row, in bytes: the largest that pitches, offsets and width are multiples of.
const ROW_UNITS: [u64; 3] = [16, 4, 1];

/// Work-items of a work-group along and across rows.
const ROW_GROUP: [usize; 3] = [32, 8, 1];

/// The last work-item of `copy` copies what is less than a unit. Of rows, `place` is where they start, and from row to row and
/// slice to slice, in units.
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
#define ROWS(NAME, UNIT) \\
  kernel void NAME(global UNIT *restrict to, global const UNIT *restrict from, ulong4 to_place, ulong4 from_place, ulong2 extent) { \\
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\
    if (x < extent.x && y < extent.y) \\
      to[to_place.x + y * to_place.y + z * to_place.z + x] = from[from_place.x + y * from_place.y + z * from_place.z + x]; \\
  }
ROWS(rows_16, uint4)
ROWS(rows_4, uint)
ROWS(rows_1, uchar)
";

/// The kernels.
pub(crate) struct CopyKernels {
    linear: Arc<DeviceKernel>,
    /// In the order of [`ROW_UNITS`].
    rows: [Arc<DeviceKernel>; ROW_UNITS.len()],
}

/// A copy by a kernel.
pub(crate) struct CopyLaunch {
    /// Of [`ROW_UNITS`]; `None`: it is linear.
    unit: Option<usize>,
    /// Its arguments.
    pub args: [ArgValue; 5],
    /// Its sizes.
    pub range: Range,
}

impl CopyKernels {
    /// The kernel of a copy.
    pub(crate) fn of(&self, launch: &CopyLaunch) -> &Arc<DeviceKernel> {
        launch.unit.map_or(&self.linear, |unit| &self.rows[unit])
    }
}

/// Compiles the kernels for a device.
pub(crate) fn kernels(device: &Arc<Device>) -> Result<CopyKernels> {
    let input = Input {
        name: "<copy>",
        source: SOURCE,
        options: &Options::default(),
        resolver: &NoIncludes,
    };
    let compiled = caldera_compiler::compile(&input, device.target())
        .map_err(|failed| Error::new(ClCode::BuildProgramFailure, failed.log))?;
    let module = DeviceModule::new(device, &compiled.words)?;
    let kernel = |name| {
        let missing = || Error::new(ClCode::InvalidKernelName, "a copy kernel is missing");
        module.kernel(name)?.ok_or_else(missing)
    };
    Ok(CopyKernels {
        linear: kernel("copy")?,
        rows: [kernel("rows_16")?, kernel("rows_4")?, kernel("rows_1")?],
    })
}

fn numbers<const N: usize>(values: [u64; N]) -> ArgValue {
    let bytes: Vec<u8> = values.iter().flat_map(|n| n.to_ne_bytes()).collect();
    ArgValue::Pod(PodBytes::new(&bytes))
}

/// So many work-items in whole groups; `None`: more than an NDRange has in a dimension.
fn items(count: u64, group: usize) -> Option<usize> {
    let items = count.checked_next_multiple_of(group as u64)?;
    u32::try_from(items).ok().map(|n| n as usize)
}

/// Whether a kernel may write a buffer on a device: what kernels may not write is not looked after as written.
fn possible(device: &Device, to: &Buffer) -> bool {
    to.kernel_writes() && device.info().max_work_group_size >= GROUP
}

/// A copy that a kernel should do. `None`: leave it to Vulkan.
pub(crate) fn linear(
    device: &Device,
    (from, from_at): (&Arc<Buffer>, u64),
    (to, to_at): (&Arc<Buffer>, u64),
    size: u64,
) -> Option<CopyLaunch> {
    let wanted = config().debug.copy_kernel || (size >= LARGE && !device.info().host_unified_memory);
    let aligned = [from_at, to_at, from.offset(), to.offset()]
        .iter()
        .all(|at| at.is_multiple_of(UNIT));
    if !wanted || !aligned || !possible(device, to) {
        return None;
    }
    let items = items(size / UNIT + 1, GROUP)?;
    Some(CopyLaunch {
        unit: None,
        args: [
            ArgValue::Buffer(Some(Arc::clone(to))),
            ArgValue::Buffer(Some(Arc::clone(from))),
            numbers([to_at / UNIT]),
            numbers([from_at / UNIT]),
            numbers([size]),
        ],
        range: Range {
            work_dim: 1,
            offset: [0; 3],
            global: [items, 1, 1],
            local: Some([GROUP, 1, 1]),
        },
    })
}

/// A copy of rows that a kernel should do. `None`: leave it to Vulkan.
pub(crate) fn rows(
    device: &Device,
    (from, from_layout): (&Arc<Buffer>, &Layout),
    (to, to_layout): (&Arc<Buffer>, &Layout),
    region: [u64; 3],
) -> Option<CopyLaunch> {
    let [width, height, depth] = from_layout.collapse(to_layout, region);
    if height * depth == 1 {
        return linear(device, (from, from_layout.start), (to, to_layout.start), width);
    }
    let many = height * depth >= ROWS && !device.info().host_unified_memory;
    if !(many || config().debug.copy_kernel) || !possible(device, to) {
        return None;
    }
    let layouts = [from_layout, to_layout];
    let fits = |unit: &u64| {
        let pitches = layouts.iter().flat_map(|l| [l.start, l.row_pitch, l.slice_pitch]);
        let mut all = pitches.chain([width, from.offset(), to.offset()]);
        all.all(|n| n.is_multiple_of(*unit))
    };
    let index = ROW_UNITS.iter().position(fits)?;
    let unit = ROW_UNITS[index];
    let place = |l: &Layout| numbers([l.start / unit, l.row_pitch / unit, l.slice_pitch / unit, 0]);
    let [along, across, _] = ROW_GROUP;
    Some(CopyLaunch {
        unit: Some(index),
        args: [
            ArgValue::Buffer(Some(Arc::clone(to))),
            ArgValue::Buffer(Some(Arc::clone(from))),
            place(to_layout),
            place(from_layout),
            numbers([width / unit, height]),
        ],
        range: Range {
            work_dim: 3,
            offset: [0; 3],
            global: [
                items(width / unit, along)?,
                items(height, across)?,
                items(depth, 1)?,
            ],
            local: Some(ROW_GROUP),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_too_large_for_an_ndrange_are_vulkans() {
        assert_eq!(items(1, GROUP), Some(GROUP));
        assert_eq!(items(257, GROUP), Some(512));
        assert_eq!(
            items((64 << 30) / UNIT - 256, GROUP),
            Some(u32::MAX as usize - 255)
        );
        assert_eq!(items((64 << 30) / UNIT - 255, GROUP), None);
        assert_eq!(items(u64::MAX, GROUP), None);
    }
}
