//! The Vulkan loader, the instance, and the list of physical devices.
//!
//! The properties of a physical device outlive the instance that they were read from: [`Source::close`]
//! destroys the instance before the process forks, so that neither parent nor child inherits anything of a
//! driver, and the next use makes another instance.

use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ash::vk;

use super::debug::{LAYER, Messenger};
use super::facts::Facts;
use super::features::FeatureSet;
use super::mask::Mask;
use super::{Call, VkError};
use crate::config::{Validation, config};
use crate::lock::{Mutex, Rank};

/// The loader, the instance and the debug messenger, shared by everything made from them.
pub(super) struct Shared {
    pub(super) raw: ash::Instance,
    messenger: Option<Messenger>,
    /// Keeps the loader library open; dropped after everything that calls into it.
    pub(super) entry: ash::Entry,
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(messenger) = &mut self.messenger {
            messenger.destroy();
        }
        // SAFETY: everything made from the instance holds an Arc of this, so nothing made from it is left.
        unsafe { self.raw.destroy_instance(None) };
    }
}

/// Vendor ID, device ID and pipeline cache UUID, which identify a physical device across instances.
type Identity = (u32, u32, [u8; vk::UUID_SIZE]);

/// An instance, and its physical devices in the order of [`Source::identities`]; `None` for one that is gone.
struct Connection {
    shared: Arc<Shared>,
    devices: Vec<Option<vk::PhysicalDevice>>,
}

/// The source of physical devices: an instance, which is destroyed and made again as needed.
pub(crate) struct Source {
    validation: Validation,
    library: Option<PathBuf>,
    /// The device that the real ones are reduced to.
    mask: Option<Mask>,
    identities: OnceLock<Vec<Identity>>,
    connection: Mutex<Option<Connection>>,
}

impl Source {
    /// Loads libvulkan and makes an instance. Also returns every usable physical device, in the loader's order.
    pub(crate) fn open(
        validation: Validation,
        library: Option<&Path>,
    ) -> Result<(Arc<Source>, Vec<PhysicalDevice>), VkError> {
        let source = Arc::new(Source {
            validation,
            library: library.map(Path::to_owned),
            mask: Mask::wanted(),
            identities: OnceLock::new(),
            connection: Mutex::new(Rank::Instance, None),
        });
        let (shared, raw) = source.connected(|c| (Arc::clone(&c.shared), c.devices.clone()))?;
        let devices = raw.into_iter().enumerate().filter_map(|(index, raw)| {
            let at = Place {
                source: Arc::clone(&source),
                index,
            };
            PhysicalDevice::new(at, &shared, raw?)
        });
        let devices = devices.collect();
        Ok((source, devices))
    }

    /// Calls `take` with the connection, which is made first if there is none.
    fn connected<R>(&self, take: impl FnOnce(&Connection) -> R) -> Result<R, VkError> {
        let mut connection = self.connection.lock();
        let open = match &mut *connection {
            Some(open) => open,
            none => none.insert(self.connect()?),
        };
        Ok(take(open))
    }

    fn connect(&self) -> Result<Connection, VkError> {
        let shared = Shared::open(self.validation, self.library.as_deref(), self.mask.as_ref())?;
        // SAFETY: the instance is alive.
        let list = unsafe { shared.raw.enumerate_physical_devices() }.call("vkEnumeratePhysicalDevices")?;
        let identity = |raw: vk::PhysicalDevice| {
            // SAFETY: `raw` belongs to the instance.
            let p = unsafe { shared.raw.get_physical_device_properties(raw) };
            (p.vendor_id, p.device_id, p.pipeline_cache_uuid)
        };
        let wanted = self
            .identities
            .get_or_init(|| list.iter().map(|raw| identity(*raw)).collect());
        let mut left: Vec<_> = list.into_iter().map(|raw| (identity(raw), raw)).collect();
        let devices = wanted.iter().map(|w| {
            let at = left.iter().position(|(found, _)| found == w)?;
            Some(left.remove(at).1)
        });
        let devices = devices.collect();
        crate::process::loaded();
        Ok(Connection { shared, devices })
    }

    /// Destroys the instance, unless an object made from it still exists.
    pub(crate) fn close(&self) {
        let mut connection = self.connection.lock();
        if connection
            .as_ref()
            .is_some_and(|c| Arc::strong_count(&c.shared) == 1)
        {
            *connection = None;
        }
    }

    /// Returns whether there is no instance and no thread is making one. Does not block.
    pub(crate) fn is_closed(&self) -> bool {
        self.connection.try_lock().is_some_and(|c| c.is_none())
    }
}

impl Shared {
    /// Loads libvulkan and makes an instance.
    fn open(
        validation: Validation,
        library: Option<&Path>,
        mask: Option<&Mask>,
    ) -> Result<Arc<Shared>, VkError> {
        let entry = match library {
            // SAFETY: loading a library runs its initialisers; those of the Vulkan loader are harmless. The
            // library is kept open as long as anything from it is used.
            None => unsafe { ash::Entry::load() },
            // SAFETY: as above; the user who names the file guarantees that it is a Vulkan loader.
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
        let mut layers: Vec<*const c_char> = Vec::new();
        let mut extensions: Vec<*const c_char> = Vec::new();
        let mut messages = false;
        if validation != Validation::Off {
            // SAFETY: the function has no preconditions.
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
        // The version of a pretended device limits what the validation layer lets pass.
        let newest = mask.map_or(u32::MAX, |mask| mask.version.max(vk::API_VERSION_1_1));
        let app = vk::ApplicationInfo::default()
            .engine_name(c"Caldera")
            .api_version(vk::API_VERSION_1_3.min(newest));
        let create = |flags, extensions: &[*const c_char]| {
            let info = vk::InstanceCreateInfo::default()
                .flags(flags)
                .application_info(&app)
                .enabled_layer_names(&layers)
                .enabled_extension_names(extensions);
            // SAFETY: the names are null-terminated and outlive the call; the layer was found present, and all
            // extensions are the layer's, but for one that goes with the flag.
            unsafe { entry.create_instance(&info, None) }
        };
        // Loaders that have this extension do not list devices with VK_KHR_portability_subset without it. To ask the
        // loader for its extensions would make it load all drivers once more.
        let portable = [
            &extensions[..],
            &[ash::khr::portability_enumeration::NAME.as_ptr()],
        ]
        .concat();
        let raw = match create(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR, &portable) {
            Err(vk::Result::ERROR_EXTENSION_NOT_PRESENT) => {
                create(vk::InstanceCreateFlags::empty(), &extensions)
            }
            other => other,
        };
        let raw = raw.call("vkCreateInstance")?;
        let mut shared = Shared {
            raw,
            messenger: None,
            entry,
        };
        if messages {
            shared.messenger = Some(Messenger::new(&shared.entry, &shared.raw, validation)?);
        }
        Ok(Arc::new(shared))
    }
}

/// A physical device, as an index into the devices of a source.
struct Place {
    source: Arc<Source>,
    index: usize,
}

/// A physical device and its properties.
pub(crate) struct PhysicalDevice {
    at: Place,
    pub(super) features: FeatureSet,
    facts: Facts,
}

impl std::fmt::Debug for PhysicalDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("PhysicalDevice").field(&self.facts.name).finish()
    }
}

impl PhysicalDevice {
    /// Queries a physical device. Returns `None`, with a line in the log, for a version below Vulkan 1.1.
    fn new(at: Place, shared: &Shared, raw: vk::PhysicalDevice) -> Option<PhysicalDevice> {
        // SAFETY: `raw` belongs to the instance.
        let basic = unsafe { shared.raw.get_physical_device_properties(raw) };
        let name = basic.device_name_as_c_str().unwrap_or(c"?").to_string_lossy();
        let mask = at.source.mask.as_ref();
        let version = basic.api_version.min(mask.map_or(u32::MAX, |mask| mask.version));
        if version < vk::API_VERSION_1_1 {
            log::warn!("{name}: not offered, because it is older than Vulkan 1.1");
            return None;
        }
        let extensions = Extensions::of(shared, raw, mask)?;
        let features = FeatureSet::query(&shared.raw, raw, version, &extensions, mask);
        let facts = Facts::query(shared, raw, version, &extensions, &features, mask);
        Some(PhysicalDevice { at, features, facts })
    }

    /// Returns the Vulkan handle, with the instance that must be held while the handle is used.
    pub(super) fn connected(&self) -> Result<(Arc<Shared>, vk::PhysicalDevice), VkError> {
        let Place { source, index } = &self.at;
        let (shared, raw) = source.connected(|c| (Arc::clone(&c.shared), c.devices[*index]))?;
        let raw = raw.ok_or_else(|| VkError::absent("the physical device", "is gone"))?;
        Ok((shared, raw))
    }

    /// Returns whether the instance has other physical devices, too.
    pub(super) fn has_others(&self) -> bool {
        let identities = self.at.source.identities.get();
        identities.is_some_and(|list| list.len() > 1)
    }

    /// Returns deviceName.
    pub(crate) fn name(&self) -> &str {
        &self.facts.name
    }

    /// Returns the properties of the device.
    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }
}

/// Which of the device extensions that the runtime knows are supported.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Extensions {
    pub(crate) calibrated_timestamps_ext: bool,
    pub(crate) calibrated_timestamps_khr: bool,
    pub(crate) portability_subset: bool,
    pub(crate) external_memory_host: bool,
    pub(crate) external_memory_fd: bool,
    pub(crate) external_memory_dma_buf: bool,
    pub(crate) external_semaphore_fd: bool,
    /// Queried for its properties only; not enabled.
    pub(crate) nv_sm_builtins: bool,
    pub(crate) amd_core_properties: bool,
    pub(crate) pci_bus_info: bool,
    pub(crate) shader_clock: bool,
    pub(crate) cooperative_matrix: bool,
    pub(crate) workgroup_layout: bool,
    pub(crate) maximal_reconvergence: bool,
    pub(crate) subgroup_uniform_control_flow: bool,
    // Those that belong to a later version of Vulkan are used, and enabled, on devices of older versions only.
    pub(crate) storage8: bool,
    pub(crate) int64_atomics: bool,
    pub(crate) float16_int8: bool,
    pub(crate) scalar_layout: bool,
    pub(crate) uniform_layout: bool,
    pub(crate) buffer_device_address: bool,
    pub(crate) subgroup_types: bool,
    pub(crate) memory_model: bool,
    pub(crate) driver_properties: bool,
    pub(crate) float_controls: bool,
    pub(crate) spirv_1_4: bool,
    pub(crate) image_robustness: bool,
    pub(crate) subgroup_size_control: bool,
    pub(crate) integer_dot_product: bool,
    pub(crate) maintenance4: bool,
    pub(crate) creation_feedback: bool,
    /// Enabled with `CALDERA_DEBUG=pipeline-statistics` and `CALDERA_PROFILE` only.
    pub(crate) pipeline_executable_properties: bool,
    /// The extension, with its feature.
    pub(crate) device_fault: bool,
}

impl Extensions {
    /// Queries the extensions, without those that the mask hides.
    fn of(shared: &Shared, raw: vk::PhysicalDevice, mask: Option<&Mask>) -> Option<Extensions> {
        // SAFETY: `raw` belongs to the instance.
        let list = unsafe { shared.raw.enumerate_device_extension_properties(raw) };
        let list = match list {
            Ok(list) => list,
            Err(e) => {
                log::warn!("vkEnumerateDeviceExtensionProperties: {e}");
                return None;
            }
        };
        let has = |name: &CStr| {
            list.iter().any(|e| e.extension_name_as_c_str() == Ok(name))
                && mask.is_none_or(|mask| mask.has_extension(name))
        };
        Some(Extensions {
            calibrated_timestamps_ext: has(ash::ext::calibrated_timestamps::NAME),
            calibrated_timestamps_khr: has(ash::khr::calibrated_timestamps::NAME),
            portability_subset: has(c"VK_KHR_portability_subset"),
            external_memory_host: has(ash::ext::external_memory_host::NAME),
            external_memory_fd: has(ash::khr::external_memory_fd::NAME),
            external_memory_dma_buf: has(ash::ext::external_memory_dma_buf::NAME),
            external_semaphore_fd: has(ash::khr::external_semaphore_fd::NAME),
            nv_sm_builtins: has(ash::nv::shader_sm_builtins::NAME),
            amd_core_properties: has(ash::amd::shader_core_properties::NAME),
            pci_bus_info: has(ash::ext::pci_bus_info::NAME),
            shader_clock: has(ash::khr::shader_clock::NAME),
            cooperative_matrix: has(ash::khr::cooperative_matrix::NAME),
            workgroup_layout: has(ash::khr::workgroup_memory_explicit_layout::NAME),
            maximal_reconvergence: has(ash::khr::shader_maximal_reconvergence::NAME),
            subgroup_uniform_control_flow: has(ash::khr::shader_subgroup_uniform_control_flow::NAME),
            storage8: has(ash::khr::_8bit_storage::NAME),
            int64_atomics: has(ash::khr::shader_atomic_int64::NAME),
            float16_int8: has(ash::khr::shader_float16_int8::NAME),
            scalar_layout: has(ash::ext::scalar_block_layout::NAME),
            uniform_layout: has(ash::khr::uniform_buffer_standard_layout::NAME),
            buffer_device_address: has(ash::khr::buffer_device_address::NAME),
            subgroup_types: has(ash::khr::shader_subgroup_extended_types::NAME),
            memory_model: has(ash::khr::vulkan_memory_model::NAME),
            driver_properties: has(ash::khr::driver_properties::NAME),
            float_controls: has(ash::khr::shader_float_controls::NAME),
            spirv_1_4: has(ash::khr::spirv_1_4::NAME) && has(ash::khr::shader_float_controls::NAME),
            image_robustness: has(ash::ext::image_robustness::NAME),
            subgroup_size_control: has(ash::ext::subgroup_size_control::NAME),
            integer_dot_product: has(ash::khr::shader_integer_dot_product::NAME),
            maintenance4: has(ash::khr::maintenance4::NAME),
            creation_feedback: has(ash::ext::pipeline_creation_feedback::NAME),
            pipeline_executable_properties: config().has_pipeline_statistics()
                && has(ash::khr::pipeline_executable_properties::NAME),
            device_fault: has(ash::ext::device_fault::NAME),
        })
    }

    /// Returns the names of the extensions to enable on a device of the given version.
    pub(super) fn names(&self, version: u32) -> Vec<&'static CStr> {
        let mut names = self.names_for_older(version);
        if self.calibrated_timestamps_khr {
            names.push(ash::khr::calibrated_timestamps::NAME);
        } else if self.calibrated_timestamps_ext {
            names.push(ash::ext::calibrated_timestamps::NAME);
        }
        if self.portability_subset {
            // Vulkan demands that it is enabled where it is listed.
            names.push(c"VK_KHR_portability_subset");
        }
        let others = [
            (self.external_memory_host, ash::ext::external_memory_host::NAME),
            (self.external_memory_fd, ash::khr::external_memory_fd::NAME),
            (
                self.external_memory_dma_buf,
                ash::ext::external_memory_dma_buf::NAME,
            ),
            (self.external_semaphore_fd, ash::khr::external_semaphore_fd::NAME),
            (self.shader_clock, ash::khr::shader_clock::NAME),
            (self.cooperative_matrix, ash::khr::cooperative_matrix::NAME),
            (
                self.workgroup_layout,
                ash::khr::workgroup_memory_explicit_layout::NAME,
            ),
            (
                self.maximal_reconvergence,
                ash::khr::shader_maximal_reconvergence::NAME,
            ),
            (
                self.subgroup_uniform_control_flow,
                ash::khr::shader_subgroup_uniform_control_flow::NAME,
            ),
            (
                self.pipeline_executable_properties,
                ash::khr::pipeline_executable_properties::NAME,
            ),
            (self.device_fault, ash::ext::device_fault::NAME),
        ];
        names.extend(others.iter().filter(|(has, _)| *has).map(|(_, name)| *name));
        names
    }

    /// Returns the names of the extensions to enable that belong to a later version of Vulkan than the given one.
    fn names_for_older(&self, version: u32) -> Vec<&'static CStr> {
        let of_1_2 = [
            (self.storage8, ash::khr::_8bit_storage::NAME),
            (self.int64_atomics, ash::khr::shader_atomic_int64::NAME),
            (self.float16_int8, ash::khr::shader_float16_int8::NAME),
            (self.scalar_layout, ash::ext::scalar_block_layout::NAME),
            (
                self.uniform_layout,
                ash::khr::uniform_buffer_standard_layout::NAME,
            ),
            (self.buffer_device_address, ash::khr::buffer_device_address::NAME),
            (
                self.subgroup_types,
                ash::khr::shader_subgroup_extended_types::NAME,
            ),
            (self.memory_model, ash::khr::vulkan_memory_model::NAME),
            (self.driver_properties, ash::khr::driver_properties::NAME),
            (self.float_controls, ash::khr::shader_float_controls::NAME),
            (self.spirv_1_4, ash::khr::spirv_1_4::NAME),
        ];
        let of_1_3 = [
            (self.image_robustness, ash::ext::image_robustness::NAME),
            (self.subgroup_size_control, ash::ext::subgroup_size_control::NAME),
            (
                self.integer_dot_product,
                ash::khr::shader_integer_dot_product::NAME,
            ),
            (self.maintenance4, ash::khr::maintenance4::NAME),
            (self.creation_feedback, ash::ext::pipeline_creation_feedback::NAME),
        ];
        let of_1_2 = of_1_2.iter().filter(|_| version < vk::API_VERSION_1_2);
        let of_1_3 = of_1_3.iter().filter(|_| version < vk::API_VERSION_1_3);
        let has = |(has, name): &(bool, &'static CStr)| has.then_some(*name);
        of_1_2.chain(of_1_3).filter_map(has).collect()
    }
}
