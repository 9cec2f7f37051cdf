//! From Vulkan features and limits to what OpenCL and the compiler see.

use caldera_compiler::target::Target;

use super::{DeviceInfo, Limits};
use crate::vk;

/// What OpenCL needs and the device lacks.
pub(super) fn missing(_physical: &vk::PhysicalDevice) -> Vec<&'static str> {
    vec!["an implementation of Caldera's Vulkan layer"]
}

pub(super) fn target(_physical: &vk::PhysicalDevice) -> Target {
    Target::desktop()
}

pub(super) fn info(_physical: &vk::PhysicalDevice, _target: &Target, _limits: &Limits) -> DeviceInfo {
    unreachable!("no device passes `missing`")
}
