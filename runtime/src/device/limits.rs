//! Vulkan limits that launching and memory need.

use crate::vk;

/// Limits of a device.
#[derive(Clone, Debug)]
pub(crate) struct Limits {}

impl Limits {
    pub(crate) fn new(_physical: &vk::PhysicalDevice) -> Limits {
        Limits {}
    }
}
