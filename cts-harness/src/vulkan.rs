//! Lists the system's Vulkan devices independently of Caldera, so that `doctor` can tell a missing driver
//! from a fault of Caldera.
#![allow(unsafe_code, reason = "the Vulkan loader is a C library")]

use ash::vk;

pub(crate) struct Device {
    pub(crate) name: String,
    pub(crate) driver: String,
    pub(crate) version: (u32, u32),
}

/// Returns the devices, or the reason why they cannot be listed.
pub(crate) fn devices() -> Result<Vec<Device>, String> {
    // SAFETY: loading libvulkan only runs its initialisers; the loader is a trusted system library.
    let entry = unsafe { ash::Entry::load() }.map_err(|e| format!("no Vulkan loader: {e}"))?;
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
    // SAFETY: the function has no preconditions.
    let known = unsafe { entry.enumerate_instance_extension_properties(None) }.unwrap_or_default();
    let name = ash::khr::portability_enumeration::NAME;
    let mut info = vk::InstanceCreateInfo::default().application_info(&app);
    let names = [name.as_ptr()];
    if known.iter().any(|e| e.extension_name_as_c_str() == Ok(name)) {
        info = info
            .enabled_extension_names(&names)
            .flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
    }
    // SAFETY: `info` and the structures that it points to outlive the call.
    let instance =
        unsafe { entry.create_instance(&info, None) }.map_err(|e| format!("no Vulkan driver: {e}"))?;
    // SAFETY: the instance is alive.
    let physical =
        unsafe { instance.enumerate_physical_devices() }.map_err(|e| format!("no Vulkan device: {e}"));
    let list = physical.map(|all| all.into_iter().map(|p| describe(&instance, p)).collect());
    // SAFETY: no object that was made from the instance is alive.
    unsafe { instance.destroy_instance(None) };
    list
}

/// Returns whether there is any device.
pub(crate) fn has_device() -> bool {
    devices().is_ok_and(|d| !d.is_empty())
}

fn describe(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Device {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: `physical` belongs to `instance`; the chain is valid for Vulkan 1.2, and drivers of older
    // versions leave structures that they do not know untouched.
    unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
    let p = properties.properties;
    let text =
        |c: Result<&std::ffi::CStr, _>| c.map_or_else(|_| String::from("?"), |s| s.to_string_lossy().into());
    Device {
        name: text(p.device_name_as_c_str()),
        driver: format!(
            "{} {}",
            text(driver.driver_name_as_c_str()),
            text(driver.driver_info_as_c_str())
        ),
        version: (
            vk::api_version_major(p.api_version),
            vk::api_version_minor(p.api_version),
        ),
    }
}
