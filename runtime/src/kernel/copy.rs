//! Kernels for copies of rows, and for large copies in device memory. A driver may implement vkCmdCopyBuffer by a
//! copy engine that is far slower than the memory and needs additional time for each region (PERFORMANCE.md,
//! "Buffers" and "Rectangles").

use std::sync::Arc;

use caldera_compiler::driver::Input;
use caldera_compiler::options::Options;
use caldera_compiler::pp::NoIncludes;
use caldera_compiler::reflect::{Binding, Place, PushRange};

use super::pipeline::{DeviceKernel, DeviceModule, MAX_ARRAYS, Variant};
use super::placed::{MAX_PUSH, Push};
use crate::command::rect::Layout;
use crate::config::config;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::vk;

/// Contiguous copies of this many bytes or more are made by a kernel.
const LARGE: u64 = 1 << 20;

/// The bytes that one work-item copies.
const UNIT: u64 = 16;

/// The work-group size.
const GROUP: [u32; 3] = [256, 1, 1];

/// Copies of this many rows or more are made by a kernel.
const ROWS: u64 = 4;

/// The numbers of bytes that a work-item of the kernels for rows copies: one kernel for each number. A copy uses the
/// largest number that divides its pitches, addresses and width.
const ROW_UNITS: [u64; 3] = [16, 4, 1];

/// The work-group size for rows: along and across them.
const ROW_GROUP: [u32; 3] = [32, 8, 1];

/// In `copy`, the last work-item copies the remainder that is less than a unit. Rows consist of whole units.
const SOURCE: &str = "\
kernel void copy(global uint4 *restrict to, global const uint4 *restrict from, ulong bytes) {
  size_t i = get_global_id(0), units = bytes / 16;
  if (i < units) to[i] = from[i];
  else if (i == units) {
    for (uint n = 0; n < bytes % 16; n++)
      ((global uchar *)(to + i))[n] = ((global const uchar *)(from + i))[n];
  }
}
#define ROWS(NAME, UNIT) \\
  kernel void NAME(global UNIT *restrict to, global const UNIT *restrict from, \\
                   ulong2 to_pitches, ulong2 from_pitches, ulong2 extent) { \\
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\
    if (x < extent.x && y < extent.y) \\
      to[y * to_pitches.x + z * to_pitches.y + x] = from[y * from_pitches.x + z * from_pitches.y + x]; \\
  }
ROWS(rows_16, uint4)
ROWS(rows_4, uint)
ROWS(rows_1, uchar)
";

/// A kernel that takes its arguments as push constants.
struct CopyKernel {
    kernel: Arc<DeviceKernel>,
    arguments: Vec<PushRange>,
    group: [u32; 3],
}

/// The kernels for copies on a device.
pub(crate) struct CopyKernels {
    linear: CopyKernel,
    /// The kernels for rows, in the order of [`ROW_UNITS`].
    rows: [CopyKernel; ROW_UNITS.len()],
    /// The most work-groups of one dispatch.
    most: [u32; 3],
    /// Whether kernels can store single bytes. Otherwise a byte is stored by writing its whole word, which
    /// would overwrite bytes that others store next to the copy.
    bytes: bool,
}

/// One side of a copy: rows in a buffer.
#[derive(Copy, Clone)]
pub(crate) struct Side<'a> {
    pub memory: &'a vk::Buffer,
    /// Byte offset of the layout in the buffer.
    pub offset: u64,
    pub layout: Layout,
}

impl Side<'_> {
    /// Returns the device address of the first byte.
    fn address(&self) -> u64 {
        self.memory.address() + self.offset + self.layout.start
    }

    /// Returns whether the memory is device memory (not mapped host memory).
    fn is_near(&self) -> bool {
        self.memory.mapped().is_none()
    }
}

/// A copy by one dispatch of a kernel.
pub(crate) struct CopyDispatch<'k> {
    pub kernel: &'k Arc<DeviceKernel>,
    pub pipeline: Arc<vk::Pipeline>,
    push: Push,
    pub groups: [u32; 3],
}

impl CopyDispatch<'_> {
    /// Returns the push constants.
    pub(crate) fn push(&self) -> &[u8] {
        &self.push.0[..self.kernel.push_size()]
    }
}

/// Returns whether a kernel may copy a region. If so, the caller calls [`kernels`] before it records the copy. `far`
/// says that host and device have separate memory.
pub(crate) fn is_wanted(far: bool, [width, height, depth]: [u64; 3]) -> bool {
    config().debug.copy_kernel || (far && (height * depth >= ROWS || width * height * depth >= LARGE))
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
    let kernel = |name, group: [u32; 3]| {
        let unusable = |what| Error::new(ClCode::InvalidKernelName, what);
        let kernel = module.kernel(name)?;
        let kernel = kernel.ok_or_else(|| unusable("a copy kernel is missing"))?;
        if device.info().max_work_group_size < group.iter().product::<u32>() as usize {
            return Err(unusable("copy kernels are too large for the device"));
        }
        let bindings = kernel.reflection().args.iter().map(|arg| match arg.binding {
            Some(Binding::Pod(Place::Push(range)) | Binding::Pointer(Place::Push(range))) => Some(range),
            _ => None,
        });
        let arguments: Option<Vec<PushRange>> = bindings.collect();
        Ok(CopyKernel {
            arguments: arguments.ok_or_else(|| unusable("copy kernels want push constants"))?,
            kernel,
            group,
        })
    };
    Ok(CopyKernels {
        linear: kernel("copy", GROUP)?,
        rows: [
            kernel("rows_16", ROW_GROUP)?,
            kernel("rows_4", ROW_GROUP)?,
            kernel("rows_1", ROW_GROUP)?,
        ],
        most: device.limits().group_count,
        bytes: device.target().features.storage8,
    })
}

impl CopyKernels {
    /// Returns the dispatch that copies a region; `None` if vkCmdCopyBuffer should copy it.
    pub(crate) fn dispatch(
        &self,
        from: Side<'_>,
        to: Side<'_>,
        region: [u64; 3],
    ) -> Result<Option<CopyDispatch<'_>>> {
        let all = config().debug.copy_kernel;
        let [width, height, depth] = from.layout.collapse(&to.layout, region);
        let both = [from.address(), to.address()];
        if height * depth == 1 {
            let whole = self.bytes || width.is_multiple_of(4);
            let aligned = whole && both.iter().all(|at| at.is_multiple_of(UNIT));
            let worth = all || (width >= LARGE && from.is_near() && to.is_near());
            if !aligned || !worth {
                return Ok(None);
            }
            return self
                .linear
                .dispatch([width / UNIT + 1, 1, 1], self.most, &both, &[&[width]]);
        }
        if !all && height * depth < ROWS {
            return Ok(None);
        }
        // Slices of one row are treated as rows.
        let (height, depth, slices) = if height == 1 {
            (depth, 1, true)
        } else {
            (height, depth, false)
        };
        let pitches = [from.layout, to.layout].map(|l| match slices {
            true => [l.slice_pitch, 0],
            false => [l.row_pitch, l.slice_pitch],
        });
        let numbers = || pitches.as_flattened().iter().chain(&both).chain([&width]);
        let Some(index) = row_unit(numbers, self.bytes) else {
            return Ok(None);
        };
        let unit = ROW_UNITS[index];
        let [from, to] = pitches.map(|p| p.map(|n| n / unit));
        let extent = [width / unit, height];
        self.rows[index].dispatch(
            [width / unit, height, depth],
            self.most,
            &both,
            &[&to, &from, &extent],
        )
    }
}

/// Returns the index of the largest of [`ROW_UNITS`] that divides all numbers; a unit of one byte only if
/// `bytes`.
fn row_unit<'a, I: Iterator<Item = &'a u64>>(numbers: impl Fn() -> I, bytes: bool) -> Option<usize> {
    ROW_UNITS
        .iter()
        .position(|unit| (*unit > 1 || bytes) && numbers().all(|n| n.is_multiple_of(*unit)))
}

impl CopyKernel {
    /// Returns a dispatch of at least `items` work-items, in whole groups, with two addresses and other
    /// arguments; `None` if one dispatch cannot have as many.
    fn dispatch(
        &self,
        items: [u64; 3],
        most: [u32; 3],
        [from, to]: &[u64; 2],
        others: &[&[u64]],
    ) -> Result<Option<CopyDispatch<'_>>> {
        let Some(groups) = groups(items, self.group, most) else {
            return Ok(None);
        };
        let mut push = Push([0; MAX_PUSH]);
        let addresses = [std::slice::from_ref(to), std::slice::from_ref(from)];
        let values = addresses.iter().chain(others);
        for (range, value) in self.arguments.iter().zip(values) {
            let bytes: Vec<u8> = value.iter().flat_map(|n| n.to_ne_bytes()).collect();
            push.put(*range, &bytes)?;
        }
        let variant = Variant {
            local: self.group,
            pack: super::packing::NONE,
            arena: 4,
            work_dim: 0,
            arrays: [0; MAX_ARRAYS],
            offset: [0; 3],
        };
        Ok(Some(CopyDispatch {
            kernel: &self.kernel,
            pipeline: self.kernel.pipeline(variant)?,
            push,
            groups,
        }))
    }
}

/// Returns the number of work-groups for `items` work-items; `None` if there are more than `most`, or more
/// work-items than 32 bits can count.
fn groups(items: [u64; 3], group: [u32; 3], most: [u32; 3]) -> Option<[u32; 3]> {
    let mut groups = [0; 3];
    for d in 0..3 {
        let size = u64::from(group[d]);
        let count = items[d].div_ceil(size);
        u32::try_from(count * size).ok()?;
        groups[d] = u32::try_from(count).ok().filter(|n| *n <= most[d])?;
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_bytes_are_vulkans_where_kernels_store_words() {
        for (numbers, bytes, unit) in [
            ([64, 128, 48], true, Some(16)),
            ([64, 20, 48], false, Some(4)),
            ([64, 20, 6], true, Some(1)),
            ([64, 20, 6], false, None),
        ] {
            let found = row_unit(|| numbers.iter(), bytes);
            assert_eq!(found.map(|index| ROW_UNITS[index]), unit, "{numbers:?} {bytes}");
        }
    }

    #[test]
    fn copies_too_large_for_a_dispatch_are_vulkans() {
        let most = [u32::MAX, 65_535, 65_535];
        let linear = |units: u64| groups([units, 1, 1], GROUP, most).map(|g| g[0]);
        assert_eq!(linear(1), Some(1));
        assert_eq!(linear(257), Some(2));
        assert_eq!(linear((64 << 30) / UNIT - 256), Some((1 << 24) - 1));
        assert_eq!(linear((64 << 30) / UNIT - 255), None);
        assert_eq!(linear(u64::MAX / 512), None);
        assert_eq!(groups([1, 8 * 65_535, 1], ROW_GROUP, most), Some([1, 65_535, 1]));
        assert_eq!(groups([1, 8 * 65_535 + 1, 1], ROW_GROUP, most), None);
    }
}
