//! Pretended devices: descriptions that hide versions, features, extensions and limits of the real device
//! (`CALDERA_DEBUG=device=NAME`).
//!
//! Whatever a description hides is neither used nor enabled, so the validation layer proves that nothing needs it.
//! `runtime/docs/devices.md` has the format of the descriptions, which are in `runtime/src/vk/devices`.

use std::ffi::CStr;
use std::path::Path;

use ash::vk;

use crate::config::config;

/// The built-in descriptions by name, in alphabetical order.
const DEVICES: [(&str, &str); 14] = [
    ("adreno-650", include_str!("devices/adreno-650.txt")),
    ("android-2021", include_str!("devices/android-2021.txt")),
    ("android-2022", include_str!("devices/android-2022.txt")),
    ("desktop-2022", include_str!("devices/desktop-2022.txt")),
    ("intel-gen9", include_str!("devices/intel-gen9.txt")),
    ("mali-g610", include_str!("devices/mali-g610.txt")),
    ("moltenvk", include_str!("devices/moltenvk.txt")),
    ("no-addresses", include_str!("devices/no-addresses.txt")),
    ("no-int64", include_str!("devices/no-int64.txt")),
    (
        "no-narrow-integers",
        include_str!("devices/no-narrow-integers.txt"),
    ),
    ("no-swizzles", include_str!("devices/no-swizzles.txt")),
    ("raspberry-pi-5", include_str!("devices/raspberry-pi-5.txt")),
    ("vulkan-1.1", include_str!("devices/vulkan-1.1.txt")),
    ("words-only", include_str!("devices/words-only.txt")),
];

/// The description of a pretended device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mask {
    /// Describes the mask in keys of caches and in the log.
    pub(super) name: String,
    /// The newest version that the device supports.
    pub(super) version: u32,
    /// The names of the features and extensions of the device; `None` if it has everything that `lacks` does not name.
    has: Option<Vec<String>>,
    lacks: Vec<String>,
    /// Limits by their Vulkan names.
    limits: Vec<(String, u64)>,
}

impl Mask {
    /// Returns the mask that the environment asks for.
    pub(super) fn wanted() -> Option<Mask> {
        let name = config().debug_device.as_deref()?;
        match Mask::named(name) {
            Ok(mask) => Some(mask),
            Err(e) => {
                log::error!("CALDERA_DEBUG=device={name}: {e}");
                None
            }
        }
    }

    /// Returns a built-in description, or the one in the file `name`, which must contain a slash.
    fn named(name: &str) -> Result<Mask, String> {
        if name.contains('/') {
            let text = std::fs::read_to_string(Path::new(name)).map_err(|e| e.to_string())?;
            return Mask::parse(&text);
        }
        let found = DEVICES.iter().find(|(known, _)| *known == name);
        let (_, text) = found.ok_or_else(|| {
            let names: Vec<&str> = DEVICES.iter().map(|(name, _)| *name).collect();
            format!("no such device; known are {}", names.join(", "))
        })?;
        Mask::parse(text)
    }

    fn parse(text: &str) -> Result<Mask, String> {
        let mut mask = Mask {
            name: String::new(),
            version: u32::MAX,
            has: None,
            lacks: Vec::new(),
            limits: Vec::new(),
        };
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let Some(keyword) = words.next() else { continue };
            let rest: Vec<&str> = words.collect();
            mask.name += &format!("{keyword} {};", rest.join(" "));
            match (keyword, &rest[..]) {
                ("vulkan", [version]) => {
                    let numbers: Option<Vec<u32>> = version.split('.').map(|n| n.parse().ok()).collect();
                    let Some(&[major, minor]) = numbers.as_deref() else {
                        return Err(format!("{version:?} is no version"));
                    };
                    mask.version = vk::make_api_version(0, major, minor, 0);
                }
                ("has", names) => {
                    let has = mask.has.get_or_insert_default();
                    has.extend(names.iter().map(|name| (*name).to_owned()));
                }
                ("lacks", names) => mask.lacks.extend(names.iter().map(|name| (*name).to_owned())),
                ("limit", [name, value]) => {
                    let value = value.parse().map_err(|_| format!("{value:?} is no number"))?;
                    mask.limits.push(((*name).to_owned(), value));
                }
                _ => return Err(format!("the line {line:?} is not understood")),
            }
        }
        // Only a device with the extension lacks the feature.
        if let Some(has) = &mut mask.has
            && !has.iter().any(|name| name == "VK_KHR_portability_subset")
        {
            has.push("imageViewFormatSwizzle".to_owned());
        }
        Ok(mask)
    }

    /// Returns whether the pretended device has a feature.
    pub(super) fn has_feature(&self, name: &str) -> bool {
        let listed = self.has.as_ref().is_none_or(|has| has.iter().any(|n| n == name));
        listed && !self.lacks.iter().any(|n| n == name)
    }

    /// Returns whether the pretended device has an extension.
    pub(super) fn has_extension(&self, name: &CStr) -> bool {
        name.to_str().is_ok_and(|name| self.has_feature(name))
    }

    /// Makes limits as small as those of the pretended device, and alignments as large. Returns the names of limits that
    /// are not known.
    pub(super) fn apply(&self, limits: &mut vk::PhysicalDeviceLimits) -> Vec<&str> {
        let mut unknown = Vec::new();
        for (name, value) in &self.limits {
            let narrow = u32::try_from(*value).unwrap_or(u32::MAX);
            let smaller = |limit: &mut u32| *limit = narrow.min(*limit);
            let larger = |alignment: &mut u64| *alignment = (*value).max(*alignment);
            match name.as_str() {
                "maxPushConstantsSize" => smaller(&mut limits.max_push_constants_size),
                "maxStorageBufferRange" => smaller(&mut limits.max_storage_buffer_range),
                "maxUniformBufferRange" => smaller(&mut limits.max_uniform_buffer_range),
                "maxComputeSharedMemorySize" => smaller(&mut limits.max_compute_shared_memory_size),
                "maxComputeWorkGroupInvocations" => smaller(&mut limits.max_compute_work_group_invocations),
                "maxComputeWorkGroupSize" => {
                    let sizes = &mut limits.max_compute_work_group_size;
                    sizes.iter_mut().for_each(smaller);
                }
                "maxComputeWorkGroupCount" => {
                    let counts = &mut limits.max_compute_work_group_count;
                    counts.iter_mut().for_each(smaller);
                }
                "maxBoundDescriptorSets" => smaller(&mut limits.max_bound_descriptor_sets),
                "maxPerStageDescriptorStorageBuffers" => {
                    smaller(&mut limits.max_per_stage_descriptor_storage_buffers);
                }
                "maxPerStageDescriptorUniformBuffers" => {
                    smaller(&mut limits.max_per_stage_descriptor_uniform_buffers);
                }
                "maxPerStageDescriptorSamplers" => smaller(&mut limits.max_per_stage_descriptor_samplers),
                "maxPerStageDescriptorSampledImages" => {
                    smaller(&mut limits.max_per_stage_descriptor_sampled_images);
                }
                "maxPerStageDescriptorStorageImages" => {
                    smaller(&mut limits.max_per_stage_descriptor_storage_images);
                }
                "maxImageDimension2D" => smaller(&mut limits.max_image_dimension2_d),
                "maxImageDimension3D" => smaller(&mut limits.max_image_dimension3_d),
                "maxTexelBufferElements" => smaller(&mut limits.max_texel_buffer_elements),
                "minStorageBufferOffsetAlignment" => larger(&mut limits.min_storage_buffer_offset_alignment),
                "minUniformBufferOffsetAlignment" => larger(&mut limits.min_uniform_buffer_offset_alignment),
                "minTexelBufferOffsetAlignment" => larger(&mut limits.min_texel_buffer_offset_alignment),
                other => unknown.push(other),
            }
        }
        unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_descriptions() {
        assert!(DEVICES.is_sorted());
        for (name, text) in DEVICES {
            let mask = Mask::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            let mut limits = vk::PhysicalDeviceLimits::default();
            for (limit, _) in &mask.limits {
                assert!(mask.apply(&mut limits).is_empty(), "{name}: {limit}");
            }
        }
        assert!(Mask::named("no-such-device").is_err());
    }

    #[test]
    fn lists_and_limits() {
        let closed =
            Mask::parse("vulkan 1.2\nhas shaderInt16 VK_KHR_a # more\nlacks shaderInt16\n").expect("a mask");
        assert_eq!(closed.version, vk::API_VERSION_1_2);
        assert!(closed.has_extension(c"VK_KHR_a"));
        assert!(!closed.has_feature("shaderInt16") && !closed.has_feature("shaderInt64"));
        assert!(closed.has_feature("imageViewFormatSwizzle"));
        let portable = Mask::parse("has VK_KHR_portability_subset").expect("a mask");
        assert!(!portable.has_feature("imageViewFormatSwizzle"));
        let open = Mask::parse("lacks shaderInt16\nlimit maxPushConstantsSize 128\n").expect("a mask");
        assert!(open.has_feature("shaderInt64") && !open.has_feature("shaderInt16"));
        let mut limits = vk::PhysicalDeviceLimits {
            max_push_constants_size: 256,
            ..Default::default()
        };
        open.apply(&mut limits);
        assert_eq!(limits.max_push_constants_size, 128);
        for wrong in [
            "vulkan",
            "vulkan 1",
            "limit maxPushConstantsSize many",
            "features all",
        ] {
            assert!(Mask::parse(wrong).is_err(), "{wrong}");
        }
    }
}
