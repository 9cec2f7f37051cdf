//! Devices (CL 4.2): one per Vulkan physical device.
//!
//! Enumeration only reads properties. The Vulkan device with its queues, allocator and memory is made when the
//! first context asks for it (`Device::opened`), and exists until the process ends or the device is lost.
//!
//! | to read | modules |
//! |---|---|
//! | first: what a device offers | `caps` (from Vulkan's features to OpenCL's and the compiler's), `limits`, `images`, `info`, `system`, `report` |
//! | what is measured | `calibrate` |
//! | while the device is in use | `opened`, `clock_keeper` |
//! | its memory | `pinned`, `staging`, `recycling`; copies outside of queues: `upload`, `bounce` |

pub(crate) mod bounce;
pub(crate) mod calibrate;
mod caps;
mod clock_keeper;
pub(crate) mod images;
pub mod info;
mod limits;
mod opened;
pub(crate) mod pinned;
pub(crate) mod recycling;
mod report;
pub(crate) mod staging;
mod system;
mod upload;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use caldera_compiler::target::{Quirks, SubgroupLayout, Target};
use once_cell::sync::OnceCell;

use crate::config::{AbiChoice, ClVersion, config};
use crate::error::{ClCode, Result};
use crate::impl_object;
use crate::lock::{Mutex, Rank};
use crate::mem::HostPtr;
use crate::object::Anchor;
use crate::vk;
pub use caldera_compiler::spirv_in::EXTENSIONS as SPIRV_EXTENSIONS;
pub use caldera_compiler::target::MatrixVariant;
use info::{DeviceInfo, FpConfig};
pub(crate) use limits::{Bindings, Limits};
pub(crate) use opened::Opened;

/// The number of failed measurements after which no more are made.
const MAX_FAILURES: u32 = 3;

/// A device object.
#[derive(Debug)]
pub struct Device {
    anchor: Anchor<Device>,
    physical: vk::PhysicalDevice,
    /// The compiler's target without the results of calibration.
    base: Target,
    calibrated: OnceCell<Calibrated>,
    /// What is assumed after a measurement has failed, until another one succeeds, and the number of failures.
    uncalibrated: OnceLock<Calibrated>,
    failures: AtomicU32,
    info: DeviceInfo,
    max_clock_frequency: OnceLock<u32>,
    shares_addresses: OnceCell<bool>,
    limits: Limits,
    image_formats: images::ImageFormats,
    opened: Mutex<Option<Arc<Opened>>>,
}

impl_object!(Device, ClCode::InvalidDevice, "device");

/// The results of calibration, which the first use of a device obtains.
#[derive(Debug)]
struct Calibrated {
    measured: calibrate::Measured,
    target: Arc<Target>,
}

impl Device {
    /// Makes the device object. Returns `None`, with a line in the log, if the Vulkan device lacks features
    /// that OpenCL needs.
    pub(crate) fn open(physical: vk::PhysicalDevice) -> Option<Arc<Device>> {
        let missing = caps::missing(&physical);
        if !missing.is_empty() {
            log::warn!(
                "{}: not offered, because it lacks {}",
                physical.name(),
                missing.join(", ")
            );
            return None;
        }
        let image_formats = images::ImageFormats::query(&physical);
        let base = caps::target(&physical, &image_formats);
        let limits = Limits::new(&physical);
        let info = caps::info(&physical, &base, &limits, &image_formats);
        Some(Arc::new(Device {
            anchor: Anchor::new(),
            physical,
            base,
            calibrated: OnceCell::new(),
            uncalibrated: OnceLock::new(),
            failures: AtomicU32::new(0),
            info,
            max_clock_frequency: OnceLock::new(),
            shares_addresses: OnceCell::new(),
            limits,
            image_formats,
            opened: Mutex::new(Rank::Device, None),
        }))
    }

    /// Returns the answers of clGetDeviceInfo.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Returns CL_DEVICE_MAX_CLOCK_FREQUENCY in MHz; 0 where the system does not report it. The first call may
    /// load a library, for which enumeration should not wait.
    pub fn max_clock_frequency(&self) -> u32 {
        *self
            .max_clock_frequency
            .get_or_init(|| system::max_clock_frequency(self.physical.facts()))
    }

    /// Returns whether mapped memory has the same address for the host and for kernels, so that there is shared virtual
    /// memory (with OpenCL 3.0 or later). The first call opens the device.
    pub fn shares_addresses(&self) -> bool {
        let is_possible =
            config().cl_version != ClVersion::V1_2 && caps::abi(self.physical.facts()) == AbiChoice::Physical;
        let probe = || {
            let storage = self.opened().ok()?.storage(256, vk::Place::Host).ok()?;
            let mapped = storage.mapped().map(|at| at.address() as u64);
            Some(mapped == Some(storage.address()))
        };
        // A failure may pass, so that the next call tries again.
        let shares = || self.shares_addresses.get_or_try_init(|| probe().ok_or(()));
        is_possible && shares() == Ok(&true)
    }

    /// Returns CL_DEVICE_PIPE_MAX_PACKET_SIZE, if the device has pipes.
    pub fn max_packet_size(&self) -> Option<u32> {
        self.info
            .opencl_c_features
            .contains(&"__opencl_c_pipes")
            .then_some(1024)
    }

    /// Returns the compiler's target. The first call measures the device, unless the cache on disk has the
    /// results.
    pub fn target(self: &Arc<Self>) -> &Arc<Target> {
        &self.calibrated().target
    }

    /// Returns the driver's faults that modules must avoid. Unlike [`Device::target`] it measures nothing,
    /// because the modules that measure the device depend on it.
    pub(crate) fn quirks(&self) -> Quirks {
        self.base.quirks
    }

    /// Returns whether sub-groups may be parts of rows of a work-group. Before the device has been measured, they may be, unless
    /// they are known not to be. Launches that measure the device depend on this function, so it measures nothing.
    pub(crate) fn has_subgroups_in_rows(&self) -> bool {
        let measured = self.calibrated.get().map(|c| c.target.subgroup_layout);
        measured.unwrap_or(self.base.subgroup_layout) != SubgroupLayout::Full
    }

    /// Returns CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_SINGLE_FP_CONFIG and CL_DEVICE_DOUBLE_FP_CONFIG. The first
    /// call may measure the device, as [`Device::target`] does.
    pub fn fp_configs(self: &Arc<Self>) -> [FpConfig; 3] {
        caps::fp_configs(&self.base, &self.calibrated().measured)
    }

    fn calibrated(self: &Arc<Self>) -> &Calibrated {
        let with = |measured| {
            let (measured, target) = calibrate::assume(measured, self.base.clone(), &config().assumed);
            Calibrated {
                measured,
                target: Arc::new(target),
            }
        };
        let made = self.calibrated.get_or_try_init(|| {
            match calibrate::calibrate(self, &self.base) {
                Some(measured) => Ok(with(measured)),
                // The failure may pass, so that the next calls try again.
                None if self.failures.fetch_add(1, Ordering::Relaxed) < MAX_FAILURES => Err(()),
                None => Ok(with(calibrate::Measured::default())),
            }
        });
        made.unwrap_or_else(|()| {
            self.uncalibrated
                .get_or_init(|| with(calibrate::Measured::default()))
        })
    }

    /// Returns the number of work-items of a sub-group (the last of a work-group may have fewer); `None` if the
    /// device offers no sub-groups.
    pub fn sub_group_size(&self) -> Option<usize> {
        self.base
            .features
            .subgroups
            .then_some(self.limits.subgroup as usize)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Copies `size` bytes from host memory to a buffer at byte offset `at`, and waits; no command may use the
    /// range.
    pub(crate) fn upload(&self, to: &vk::Buffer, at: u64, from: HostPtr, size: u64) -> Result<()> {
        let opened = self.opened()?;
        opened.check(to.device())?;
        opened
            .uploader
            .copy(opened.logical(), (to, at), from, size, false)
            .map_err(crate::mem::buffer::allocation_error)
    }

    /// Copies `size` bytes from a buffer at byte offset `at` to host memory, and waits; no command may write
    /// the range.
    pub(crate) fn download(&self, from: &vk::Buffer, at: u64, to: HostPtr, size: u64) -> Result<()> {
        let opened = self.opened()?;
        opened.check(from.device())?;
        opened
            .uploader
            .copy(opened.logical(), (from, at), to, size, true)
            .map_err(crate::mem::buffer::allocation_error)
    }
}
