//! The Vulkan loader, the instance, and the list of physical devices.

use std::ffi::CStr;
use std::path::Path;
use std::sync::Arc;

use ash::vk;

use super::debug::{LAYER, Messenger};
use super::facts::Facts;
use super::features::FeatureSet;
use super::{Call, VkError};
use crate::config::Validation;

/// Loader, instance and messenger; shared by everything made from them.
pub(super) struct Shared {
    pub(super) raw: ash::Instance,
    messenger: Option<Messenger>,
    /// Keeps the loader library open; after everything that calls into it.
    _entry: ash::Entry,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(messenger) = &mut self.messenger {
            messenger.destroy();
        }
        // SAFETY: everything made from the instance holds an Arc of this, so nothing is left.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// The Vulkan instance.
pub(crate) struct Instance {
    shared: Arc<Shared>,
}

impl Instance {
    /// Loads libvulkan and makes an instance. Nothing of Vulkan has been touched before.
    pub(crate) fn open(validation: Validation, library: Option<&Path>) -> Result<Instance, VkError> {
        let entry = match library {
            // SAFETY: loading a library runs its initialisers; the Vulkan loader's are harmless, and it is kept open
            // as long as anything from it is used.
            None => unsafe { ash::Entry::load() },
            // SAFETY: as above; that the file is a Vulkan loader is up to who names it.
            Some(path) => unsafe { ash::Entry::load_from(path) },
        };
        let entry = entry.map_err(|e| VkError::absent("loading libvulkan", e))?;
        // SAFETY: vkEnumerateInstanceVersion has no preconditions.
        let version = unsafe { entry.try_enumerate_instance_version() }
            .call("vkEnumerateInstanceVersion")?
            .unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_1 {
            return Err(VkError::absent("Vulkan loader", "older than Vulkan 1.1"));
        }
        let mut layers: Vec<*const i8> = Vec::new();
        let mut extensions: Vec<*const i8> = Vec::new();
        let mut messages = false;
        if validation != Validation::Off {
            // SAFETY: no preconditions.
            let present = unsafe { entry.enumerate_instance_layer_properties() }
                .call("vkEnumerateInstanceLayerProperties")?
                .iter()
                .any(|l| l.layer_name_as_c_str() == Ok(LAYER));
            if present {
                layers.push(LAYER.as_ptr());
                extensions.push(ash::ext::debug_utils::NAME.as_ptr());
                messages = true;
            } else {
                log::error!("CALDERA_VALIDATION: {LAYER:?} is not installed");
            }
        }
        let app = vk::ApplicationInfo::default()
            .engine_name(c"Caldera")
            .api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default()
            .application_info(&app)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        // SAFETY: names are null-terminated and outlive the call; layer and extension were found present.
        let raw = unsafe { entry.create_instance(&info, None) }.call("vkCreateInstance")?;
        let mut shared = Shared {
            raw,
            messenger: None,
            _entry: entry,
        };
        if messages {
            shared.messenger = Some(Messenger::new(&shared._entry, &shared.raw, validation)?);
        }
        Ok(Instance {
            shared: Arc::new(shared),
        })
    }

    /// Every physical device, in the loader's order.
    pub(crate) fn physical_devices(&self) -> Result<Vec<PhysicalDevice>, VkError> {
        // SAFETY: the instance is alive.
        let list =
            unsafe { self.shared.raw.enumerate_physical_devices() }.call("vkEnumeratePhysicalDevices")?;
        Ok(list
            .into_iter()
            .filter_map(|raw| PhysicalDevice::new(&self.shared, raw))
            .collect())
    }
}

/// A physical device and what is known about it.
pub(crate) struct PhysicalDevice {
    pub(super) shared: Arc<Shared>,
    pub(super) raw: vk::PhysicalDevice,
    pub(super) features: FeatureSet,
    facts: Facts,
}

impl std::fmt::Debug for PhysicalDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PhysicalDevice").field(&self.facts.name).finish()
    }
}

impl PhysicalDevice {
    /// `None`, with a line in the log, below Vulkan 1.3.
    fn new(shared: &Arc<Shared>, raw: vk::PhysicalDevice) -> Option<PhysicalDevice> {
        // SAFETY: `raw` belongs to the instance.
        let basic = unsafe { shared.raw.get_physical_device_properties(raw) };
        let name = basic.device_name_as_c_str().unwrap_or(c"?").to_string_lossy();
        if basic.api_version < vk::API_VERSION_1_3 {
            log::warn!("{name}: not offered, because it is older than Vulkan 1.3");
            return None;
        }
        let extensions = Extensions::of(shared, raw)?;
        let features = FeatureSet::query(&shared.raw, raw, &extensions);
        let facts = Facts::query(&shared.raw, raw, &extensions, &features);
        Some(PhysicalDevice {
            shared: Arc::clone(shared),
            raw,
            features,
            facts,
        })
    }

    /// deviceName.
    pub(crate) fn name(&self) -> &str {
        &self.facts.name
    }

    /// Everything else.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// The device extensions that the runtime knows.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Extensions {
    pub(crate) calibrated_timestamps_ext: bool,
    pub(crate) calibrated_timestamps_khr: bool,
    pub(crate) portability_subset: bool,
    pub(crate) external_memory_host: bool,
    /// For their properties only; not enabled.
    pub(crate) nv_sm_builtins: bool,
    pub(crate) amd_core_properties: bool,
    pub(crate) pci_bus_info: bool,
}

impl Extensions {
    fn of(shared: &Shared, raw: vk::PhysicalDevice) -> Option<Extensions> {
        // SAFETY: `raw` belongs to the instance.
        let list = unsafe { shared.raw.enumerate_device_extension_properties(raw) };
        let list = match list {
            Ok(list) => list,
            Err(e) => {
                log::warn!("vkEnumerateDeviceExtensionProperties: {e}");
                return None;
            }
        };
        let has = |name: &CStr| list.iter().any(|e| e.extension_name_as_c_str() == Ok(name));
        Some(Extensions {
            calibrated_timestamps_ext: has(ash::ext::calibrated_timestamps::NAME),
            calibrated_timestamps_khr: has(ash::khr::calibrated_timestamps::NAME),
            portability_subset: has(c"VK_KHR_portability_subset"),
            external_memory_host: has(ash::ext::external_memory_host::NAME),
            nv_sm_builtins: has(ash::nv::shader_sm_builtins::NAME),
            amd_core_properties: has(ash::amd::shader_core_properties::NAME),
            pci_bus_info: has(ash::ext::pci_bus_info::NAME),
        })
    }

    /// The names to enable.
    pub(super) fn names(&self) -> Vec<&'static CStr> {
        let mut names = Vec::new();
        if self.calibrated_timestamps_khr {
            names.push(ash::khr::calibrated_timestamps::NAME);
        } else if self.calibrated_timestamps_ext {
            names.push(ash::ext::calibrated_timestamps::NAME);
        }
        if self.portability_subset {
            names.push(c"VK_KHR_portability_subset");
        }
        if self.external_memory_host {
            names.push(ash::ext::external_memory_host::NAME);
        }
        names
    }
}
