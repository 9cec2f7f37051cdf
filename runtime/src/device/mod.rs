//! Devices (CL 4.2): one per Vulkan physical device.
//!
//! Enumeration reads properties only. The Vulkan device with its queues, allocator and memory is made when the
//! first context asks for it ([`Device::logical`]) and lives until the process ends.

mod calibrate;
mod caps;
mod images;
pub mod info;
mod limits;
pub(crate) mod pinned;
mod report;
pub(crate) mod staging;
mod upload;

use std::sync::Arc;
use std::sync::OnceLock;

use caldera_compiler::intrinsic::SamplerMask;
use caldera_compiler::target::Target;

use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::kernel::pipeline::DeviceKernel;
use crate::lock::{Mutex, Rank};
use crate::mem::HostPtr;
use crate::object::Anchor;
use crate::vk;
use info::{DeviceInfo, FpConfig};
pub(crate) use limits::{Bindings, Limits};

/// A device.
#[derive(Debug)]
pub struct Device {
    anchor: Anchor<Device>,
    physical: vk::PhysicalDevice,
    /// Without calibration.
    base: Target,
    calibrated: OnceLock<Calibrated>,
    copy_kernel: OnceLock<Option<Arc<DeviceKernel>>>,
    info: DeviceInfo,
    limits: Limits,
    uploader: upload::Uploader,
    staging: Arc<staging::StagingPool>,
    pinned: pinned::PinnedMemory,
    image_formats: images::ImageFormats,
    /// One for each mask that has been asked for.
    samplers: Mutex<Vec<(SamplerMask, Arc<vk::Sampler>)>>,
    logical: OnceLock<Result<Arc<vk::Device>, vk::VkError>>,
}

impl_object!(Device, ClCode::InvalidDevice, "device");

/// What is known after the first use.
#[derive(Debug)]
struct Calibrated {
    measured: calibrate::Measured,
    target: Arc<Target>,
}

impl Device {
    /// `None`, with a line in the log, if the device lacks what OpenCL needs.
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
        let info = caps::info(&physical, &base, &limits);
        Some(Arc::new(Device {
            anchor: Anchor::new(),
            physical,
            base,
            calibrated: OnceLock::new(),
            copy_kernel: OnceLock::new(),
            info,
            limits,
            uploader: upload::Uploader::new(),
            staging: staging::StagingPool::new(),
            pinned: pinned::PinnedMemory::new(),
            image_formats,
            samplers: Mutex::new(Rank::Cache, Vec::new()),
            logical: OnceLock::new(),
        }))
    }

    /// What clGetDeviceInfo answers.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// What the compiler must know. The first call measures the device, unless that is known from the cache on disk.
    pub fn target(self: &Arc<Self>) -> &Arc<Target> {
        &self.calibrated().target
    }

    /// CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_SINGLE_FP_CONFIG and CL_DEVICE_DOUBLE_FP_CONFIG. Measures as
    /// [`Device::target`] does.
    pub fn fp_configs(self: &Arc<Self>) -> [FpConfig; 3] {
        caps::fp_configs(&self.base, &self.calibrated().measured)
    }

    /// The kernel for large copies; `None`, with a line in the log, if it cannot be made.
    pub(crate) fn copy_kernel(self: &Arc<Self>) -> Option<&Arc<DeviceKernel>> {
        self.copy_kernel
            .get_or_init(|| {
                let made = crate::kernel::copy::kernel(self);
                made.inspect_err(|e| log::warn!("no kernel for copies: {}", e.chain()))
                    .ok()
            })
            .as_ref()
    }

    fn calibrated(self: &Arc<Self>) -> &Calibrated {
        self.calibrated.get_or_init(|| {
            let measured = calibrate::calibrate(self, &self.base);
            let mut target = self.base.clone();
            target.calibration = measured.for_compiler();
            Calibrated {
                measured,
                target: Arc::new(target),
            }
        })
    }

    pub(crate) fn staging(&self) -> &Arc<staging::StagingPool> {
        &self.staging
    }

    /// Work-items of a sub-group, but for the last of a work-group; `None`: there are no sub-groups.
    pub fn sub_group_size(&self) -> Option<usize> {
        self.base
            .features
            .subgroups
            .then_some(self.limits.subgroup as usize)
    }

    pub(crate) fn pinned(&self) -> &pinned::PinnedMemory {
        &self.pinned
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The Vulkan device, made at the first call.
    pub(crate) fn logical(&self) -> Result<&Arc<vk::Device>> {
        self.logical
            .get_or_init(|| vk::Device::open(&self.physical))
            .as_ref()
            .map_err(|e| {
                Error::new(ClCode::DeviceNotAvailable, format!("{}: {e}", self.info.name))
                    .from_source(e.clone())
            })
    }

    /// Copies `size` bytes to the start of a buffer that nothing uses, and waits.
    pub(crate) fn upload(&self, to: &vk::Buffer, from: HostPtr, size: u64) -> Result<()> {
        self.uploader
            .copy(self.logical()?, to, from, size, false)
            .map_err(crate::mem::buffer::allocation_error)
    }

    /// Copies `size` bytes from the start of a buffer that nothing uses, and waits.
    pub(crate) fn download(&self, from: &vk::Buffer, to: HostPtr, size: u64) -> Result<()> {
        self.uploader
            .copy(self.logical()?, from, to, size, true)
            .map_err(crate::mem::buffer::allocation_error)
    }
}
