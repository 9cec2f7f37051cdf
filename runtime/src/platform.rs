//! The platform (CL 4.1). There is one, made at the first platform call and kept until the process ends.

use std::sync::{Arc, OnceLock};

use crate::config::config;
use crate::device::Device;
use crate::device::info::DeviceInfo;
use crate::error::{ClCode, Error, Result};
use crate::impl_object;
use crate::object::Anchor;
use crate::vk;

/// The platform object, with the devices that it offers: those of all Vulkan drivers that can run OpenCL kernels and that the
/// environment variables select.
pub struct Platform {
    anchor: Anchor<Platform>,
    devices: Vec<Arc<Device>>,
    source: Arc<vk::Source>,
}

static PLATFORM: OnceLock<Option<Arc<Platform>>> = OnceLock::new();

impl_object!(Platform, ClCode::InvalidPlatform, "platform");

impl std::fmt::Debug for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Platform")
            .field("devices", &self.devices)
            .finish_non_exhaustive()
    }
}

impl Platform {
    /// CL_PLATFORM_PROFILE.
    pub const PROFILE: &'static str = "FULL_PROFILE";
    /// CL_PLATFORM_NAME.
    pub const NAME: &'static str = "Caldera";
    /// CL_PLATFORM_VENDOR.
    pub const VENDOR: &'static str = "Caldera";
    /// The extensions of the platform itself.
    const OWN_EXTENSIONS: [&'static str; 2] = ["cl_khr_icd", "cl_khr_extended_versioning"];
    /// CL_PLATFORM_ICD_SUFFIX_KHR.
    pub const ICD_SUFFIX: &'static str = "CLDR";

    /// Returns CL_PLATFORM_VERSION.
    pub fn version() -> String {
        format!(
            "{} Caldera {}",
            config().cl_version.text(),
            env!("CARGO_PKG_VERSION")
        )
    }

    /// Returns CL_PLATFORM_NUMERIC_VERSION as major and minor number.
    pub fn numeric_version() -> (u32, u32) {
        config().cl_version.numbers()
    }

    /// Returns CL_PLATFORM_EXTENSIONS. OpenCL 3.0 and later (CL 4.1) list the extensions that all devices have, too.
    pub fn extensions(&self) -> Vec<&'static str> {
        let mut names = Self::OWN_EXTENSIONS.to_vec();
        if Self::numeric_version() >= (3, 0) {
            let shared = self.shared(|d| &d.extensions).into_iter();
            names.extend(shared.filter(|name| !Self::OWN_EXTENSIONS.contains(name)));
        }
        names
    }

    /// Returns the elements that the lists of all devices contain, in the order of the first device's list.
    pub fn shared<T: Copy + PartialEq>(&self, list: impl Fn(&DeviceInfo) -> &Vec<T>) -> Vec<T> {
        let Some((first, others)) = self.devices.split_first() else {
            return Vec::new();
        };
        let everywhere = |value: &T| others.iter().all(|d| list(d.info()).contains(value));
        list(first.info()).iter().copied().filter(everywhere).collect()
    }

    /// Returns the platform. The first call loads Vulkan; `PLATFORM_NOT_FOUND_KHR` if there is no usable
    /// device.
    pub fn get() -> Result<&'static Arc<Platform>> {
        PLATFORM
            .get_or_init(Platform::open)
            .as_ref()
            .ok_or_else(|| Error::new(ClCode::PlatformNotFoundKhr, "no usable Vulkan device"))
    }

    fn open() -> Option<Arc<Platform>> {
        crate::process::uses_vulkan();
        let (source, physical) =
            match vk::Source::open(config().validation, config().vulkan_library.as_deref()) {
                Ok(found) => found,
                Err(e) => {
                    log::warn!("Vulkan is not available: {e}");
                    return None;
                }
            };
        let found: Vec<String> = physical.iter().map(|p| p.name().to_owned()).collect();
        let identities: Vec<Identity<'_>> = physical
            .iter()
            .map(|p| Identity {
                name: p.name(),
                pci: p.facts().pci.map(|address| address.to_string()),
                uuid: p.facts().device_uuid,
            })
            .collect();
        let filters = [
            ("CALDERA_VISIBLE_DEVICES", config().visible_devices.as_deref()),
            ("CALDERA_DEVICE", config().device.as_deref()),
        ];
        let chosen = choose(&identities, filters.map(|(_, filter)| filter));
        let selected = chosen.len();
        let mut physical: Vec<_> = physical.into_iter().map(Some).collect();
        let devices: Vec<Arc<Device>> = chosen
            .into_iter()
            .filter_map(|place| physical[place].take())
            .filter_map(Device::open)
            .collect();
        if devices.is_empty() {
            log::warn!("{}", why_none(&found, selected, filters));
            return None;
        }
        Some(Arc::new(Platform {
            anchor: Anchor::new(),
            devices,
            source,
        }))
    }

    /// Destroys Vulkan devices and the instance, unless objects of the application need them; the next use
    /// makes them again.
    pub(crate) fn close() {
        if let Some(Some(platform)) = PLATFORM.get() {
            platform.devices.iter().for_each(|d| d.close());
            platform.source.close();
        }
    }

    /// Returns whether there is no Vulkan instance. Does not block.
    pub(crate) fn is_closed() -> bool {
        match PLATFORM.get() {
            Some(Some(platform)) => platform.source.is_closed(),
            Some(None) => true,
            // Another thread may be about to open it.
            None => false,
        }
    }

    /// Returns all devices, the default one first.
    pub fn devices(&self) -> &[Arc<Device>] {
        &self.devices
    }
}

/// Returns the reason why no device is offered although Vulkan lists the devices `found`, of which the variables `filters`
/// select `selected`.
fn why_none(found: &[String], selected: usize, filters: [(&str, Option<&str>); 2]) -> String {
    let numbered = found.iter().enumerate().map(|(i, name)| format!("{i}: {name}"));
    let list = numbered.collect::<Vec<_>>().join(", ");
    let set = filters
        .iter()
        .filter_map(|(variable, value)| Some(format!("{variable}={}", (*value)?)));
    let set = set.collect::<Vec<_>>().join(" with ");
    if found.is_empty() {
        "Vulkan has no devices of version 1.1 or later".to_owned()
    } else if set.is_empty() {
        format!("none of the Vulkan devices can run OpenCL kernels (found: {list})")
    } else if selected == 0 {
        format!("{set} fits none of the Vulkan devices ({list})")
    } else {
        format!("none of the Vulkan devices that {set} selects can run OpenCL kernels (found: {list})")
    }
}

/// The properties by which the variables may name a device, besides its index.
struct Identity<'a> {
    name: &'a str,
    /// The PCI address, as Linux writes it.
    pci: Option<String>,
    uuid: [u8; 16],
}

impl Identity<'_> {
    /// Returns whether a text is a part of the name, the PCI address or the UUID.
    fn is_named(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let pci = self.pci.as_deref().unwrap_or_default();
        let uuid = self.uuid.map(|byte| format!("{byte:02x}")).concat();
        // nvidia-smi writes `GPU-` before a UUID.
        let digits = text.strip_prefix("gpu-").unwrap_or(&text).replace('-', "");
        self.name.to_lowercase().contains(&text)
            || (!pci.is_empty() && (pci == text || pci.strip_prefix("0000:") == Some(&text)))
            || digits == uuid
    }
}

/// Returns the indices in `devices` of the devices that are offered, in their order. `visible` is a list, separated by commas, of
/// texts that each name one device or several; `device` selects among the devices of that list. `None` selects all.
fn choose(devices: &[Identity<'_>], [visible, device]: [Option<&str>; 2]) -> Vec<usize> {
    let all: Vec<usize> = (0..devices.len()).collect();
    let mut chosen = Vec::new();
    match visible {
        None => chosen = all,
        // Names may contain commas.
        Some(name) if name.contains(',') && devices.iter().any(|d| d.is_named(name)) => {
            chosen = named(devices, &all, name);
        }
        Some(list) => {
            for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
                for place in named(devices, &all, item) {
                    if !chosen.contains(&place) {
                        chosen.push(place);
                    }
                }
            }
        }
    }
    match device {
        None => chosen,
        Some(text) => named(devices, &chosen, text),
    }
}

/// Returns those of the devices at `places` that a text names. A number is an index in `places`. A number that is no index may be
/// a part of the name, such as 4090, if it has three digits or more: shorter numbers occur in most names.
fn named(devices: &[Identity<'_>], places: &[usize], text: &str) -> Vec<usize> {
    if let Ok(index) = text.parse::<usize>() {
        match places.get(index) {
            Some(&place) => return vec![place],
            None if text.len() <= 2 => return Vec::new(),
            None => {}
        }
    }
    let is_named = |place: &&usize| devices[**place].is_named(text);
    places.iter().filter(is_named).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::{Identity, choose, why_none};

    #[test]
    fn the_reason_for_no_devices_names_the_filter() {
        let found = ["llvmpipe (LLVM 15)".to_owned(), "NVIDIA H200".to_owned()];
        let filters = |visible, device| [("CALDERA_VISIBLE_DEVICES", visible), ("CALDERA_DEVICE", device)];
        let text = why_none(&found, 0, filters(None, Some("radeon")));
        assert_eq!(
            text,
            "CALDERA_DEVICE=radeon fits none of the Vulkan devices (0: llvmpipe (LLVM 15), 1: NVIDIA H200)"
        );
        let text = why_none(&found, 0, filters(Some("0"), Some("nvidia")));
        assert!(text.starts_with("CALDERA_VISIBLE_DEVICES=0 with CALDERA_DEVICE=nvidia fits none of"));
        let text = why_none(&found, 1, filters(None, Some("nvidia")));
        assert!(text.contains("that CALDERA_DEVICE=nvidia selects can run"));
        assert!(why_none(&found, 2, filters(None, None)).starts_with("none of the Vulkan devices can run"));
        assert!(why_none(&[], 0, filters(None, Some("x"))).starts_with("Vulkan has no devices"));
    }

    #[test]
    fn devices_are_selected_by_index_name_address_and_uuid() {
        let identity = |index: usize| Identity {
            name: ["NVIDIA H200", "NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)"][index],
            pci: (index < 2).then(|| format!("0000:{}b:00.0", index + 3)),
            uuid: [0xA0 + index as u8; 16],
        };
        let devices = [0, 1, 2].map(identity);
        let selected = |text: &str| {
            let chosen = choose(&devices, [None, Some(text)]);
            assert_eq!(chosen, choose(&devices, [Some(text), None]), "{text}");
            chosen
        };
        assert_eq!(choose(&devices, [None, None]), [0, 1, 2]);
        // A number is an index, although the names contain it.
        assert_eq!(selected("0"), [0]);
        assert_eq!(selected("2"), [2]);
        assert!(selected("3").is_empty() && selected("00").len() == 1);
        assert_eq!(selected("200"), [0, 1]);
        assert_eq!(selected("LLVMpipe (llvm 15.0.6, 256 bits)"), [2]);
        assert_eq!(selected("0000:3b:00.0"), [0]);
        assert_eq!(selected("4B:00.0"), [1]);
        assert_eq!(selected("GPU-a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"), [1]);
        assert_eq!(selected(&"a2".repeat(16)), [2]);
        assert!(selected("radeon").is_empty());
    }

    #[test]
    fn a_list_of_devices_states_their_order_and_numbers() {
        let names = ["NVIDIA H200", "Radeon", "llvmpipe"];
        let devices = names.map(|name| Identity {
            name,
            pci: None,
            uuid: [0; 16],
        });
        let chosen = |visible: &str, device| choose(&devices, [Some(visible), device]);
        assert_eq!(chosen("2,0", None), [2, 0]);
        assert_eq!(chosen("radeon, 0,1,", None), [1, 0]);
        assert_eq!(chosen("2,0", Some("0")), [2]);
        assert_eq!(chosen("2,0", Some("nvidia")), [0]);
        assert!(chosen("2,0", Some("radeon")).is_empty());
    }
}
