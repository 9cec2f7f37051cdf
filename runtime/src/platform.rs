//! The platform (CL 4.1): one, made at the first platform call and kept until the process ends.

use std::sync::{Arc, OnceLock};

use crate::config::config;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::object::Anchor;
use crate::vk;

/// All devices of the machine's Vulkan drivers.
#[derive(Debug)]
pub struct Platform {
    anchor: Anchor<Platform>,
    devices: Vec<Arc<Device>>,
}

impl_object!(Platform, ClCode::InvalidPlatform, "platform");

impl Platform {
    /// CL_PLATFORM_PROFILE.
    pub const PROFILE: &'static str = "FULL_PROFILE";
    /// CL_PLATFORM_VERSION.
    pub const VERSION: &'static str = concat!("OpenCL 1.2 Caldera ", env!("CARGO_PKG_VERSION"));
    /// CL_PLATFORM_NAME.
    pub const NAME: &'static str = "Caldera";
    /// CL_PLATFORM_VENDOR.
    pub const VENDOR: &'static str = "Caldera";
    /// CL_PLATFORM_EXTENSIONS.
    pub const EXTENSIONS: &'static str = "cl_khr_icd";
    /// CL_PLATFORM_ICD_SUFFIX_KHR.
    pub const ICD_SUFFIX: &'static str = "CLDR";

    /// The platform. Loads Vulkan at the first call; `PLATFORM_NOT_FOUND_KHR` if there is no usable device.
    pub fn get() -> Result<&'static Arc<Platform>> {
        static PLATFORM: OnceLock<Option<Arc<Platform>>> = OnceLock::new();
        PLATFORM
            .get_or_init(Platform::open)
            .as_ref()
            .ok_or_else(|| Error::new(ClCode::PlatformNotFoundKhr, "no usable Vulkan device"))
    }

    fn open() -> Option<Arc<Platform>> {
        crate::process::uses_vulkan();
        let instance = match vk::Instance::open(config().validation, config().vulkan_library.as_deref()) {
            Ok(instance) => instance,
            Err(e) => {
                log::warn!("Vulkan is not available: {e}");
                return None;
            }
        };
        let physical = match instance.physical_devices() {
            Ok(list) => list,
            Err(e) => {
                log::warn!("no Vulkan devices: {e}");
                return None;
            }
        };
        crate::process::loaded();
        let devices: Vec<Arc<Device>> = physical
            .into_iter()
            .enumerate()
            .filter(|(index, p)| selected(*index, p.name()))
            .filter_map(|(_, p)| Device::open(p))
            .collect();
        if devices.is_empty() {
            log::warn!("no Vulkan device can run OpenCL kernels");
            return None;
        }
        Some(Arc::new(Platform {
            anchor: Anchor::new(),
            devices,
        }))
    }

    /// Every device, the default one first.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }
}

/// `CALDERA_DEVICE`.
fn selected(index: usize, name: &str) -> bool {
    config()
        .device
        .as_ref()
        .is_none_or(|want| want.parse() == Ok(index) || name.to_lowercase().contains(&want.to_lowercase()))
}
