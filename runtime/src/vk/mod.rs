//! Vulkan. The only place that names ash or gpu_allocator.

use crate::config::Validation;

/// A Vulkan call that failed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{call}: {result}")]
pub struct VkError {
    /// The call.
    pub call: &'static str,
    /// Its result, in words.
    pub result: String,
}

/// The Vulkan instance.
#[derive(Debug)]
pub struct Instance {}

impl Instance {
    /// Loads Vulkan.
    pub fn open(_validation: Validation) -> Result<Instance, VkError> {
        Ok(Instance {})
    }
    /// Lists devices.
    pub fn physical_devices(&self) -> Result<Vec<PhysicalDevice>, VkError> {
        Ok(Vec::new())
    }
}

/// A physical device.
#[derive(Debug)]
pub struct PhysicalDevice {
    name: String,
}

impl PhysicalDevice {
    /// deviceName.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// deviceUUID.
    pub fn uuid(&self) -> [u8; 16] {
        [0; 16]
    }
}

/// A logical device.
#[derive(Debug)]
pub struct Device {}

impl Device {
    /// Makes it.
    pub fn open(_physical: &PhysicalDevice) -> Result<std::sync::Arc<Device>, VkError> {
        Ok(std::sync::Arc::new(Device {}))
    }
}
