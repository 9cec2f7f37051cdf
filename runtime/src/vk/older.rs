//! The properties of devices of Vulkan 1.1 and 1.2, in the structures of later versions.

use ash::vk;

use super::instance::Extensions;

/// The structures from which the properties of older devices are read.
#[derive(Default)]
pub(super) struct Properties {
    id: vk::PhysicalDeviceIDProperties<'static>,
    subgroup: vk::PhysicalDeviceSubgroupProperties<'static>,
    maintenance3: vk::PhysicalDeviceMaintenance3Properties<'static>,
    driver: vk::PhysicalDeviceDriverProperties<'static>,
    float_controls: vk::PhysicalDeviceFloatControlsProperties<'static>,
    subgroup_size: vk::PhysicalDeviceSubgroupSizeControlProperties<'static>,
    dot_product: vk::PhysicalDeviceShaderIntegerDotProductProperties<'static>,
    maintenance4: vk::PhysicalDeviceMaintenance4Properties<'static>,
}

/// The properties of Vulkan 1.1, 1.2 and 1.3.
type Newer<'a> = (
    &'a mut vk::PhysicalDeviceVulkan11Properties<'static>,
    &'a mut vk::PhysicalDeviceVulkan12Properties<'static>,
    &'a mut vk::PhysicalDeviceVulkan13Properties<'static>,
);

impl Properties {
    /// Links the structures that a device of this version with these extensions knows into the query `all`: those with
    /// properties that no structure of the version itself has.
    pub(super) fn link<'a>(
        &'a mut self,
        mut all: vk::PhysicalDeviceProperties2<'a>,
        version: u32,
        extensions: &Extensions,
    ) -> vk::PhysicalDeviceProperties2<'a> {
        if version < vk::API_VERSION_1_2 {
            all = all
                .push_next(&mut self.id)
                .push_next(&mut self.subgroup)
                .push_next(&mut self.maintenance3);
            if extensions.driver_properties {
                all = all.push_next(&mut self.driver);
            }
            if extensions.float_controls {
                all = all.push_next(&mut self.float_controls);
            }
        }
        if version < vk::API_VERSION_1_3 {
            if extensions.subgroup_size_control {
                all = all.push_next(&mut self.subgroup_size);
            }
            if extensions.integer_dot_product {
                all = all.push_next(&mut self.dot_product);
            }
            if extensions.maintenance4 {
                all = all.push_next(&mut self.maintenance4);
            }
        }
        all
    }

    /// Copies the properties to the structures of later versions. What the device does not report gets a value that
    /// promises nothing.
    pub(super) fn complete(
        &self,
        version: u32,
        (v11, v12, v13): Newer<'_>,
        core: &vk::PhysicalDeviceProperties,
    ) {
        if version < vk::API_VERSION_1_2 {
            v11.device_uuid = self.id.device_uuid;
            v11.driver_uuid = self.id.driver_uuid;
            v11.device_luid = self.id.device_luid;
            v11.device_luid_valid = self.id.device_luid_valid;
            v11.device_node_mask = self.id.device_node_mask;
            v11.subgroup_size = self.subgroup.subgroup_size;
            v11.subgroup_supported_stages = self.subgroup.supported_stages;
            v11.subgroup_supported_operations = self.subgroup.supported_operations;
            v11.max_memory_allocation_size = self.maintenance3.max_memory_allocation_size;
            v12.driver_name = self.driver.driver_name;
            v12.driver_info = self.driver.driver_info;
            if self.driver.driver_name[0] == 0 {
                // Without the extension, the device's name is all that is known of its driver.
                v12.driver_name = core.device_name;
            }
            let controls = &self.float_controls;
            v12.denorm_behavior_independence = controls.denorm_behavior_independence;
            v12.rounding_mode_independence = controls.rounding_mode_independence;
            v12.shader_signed_zero_inf_nan_preserve_float16 =
                controls.shader_signed_zero_inf_nan_preserve_float16;
            v12.shader_signed_zero_inf_nan_preserve_float32 =
                controls.shader_signed_zero_inf_nan_preserve_float32;
            v12.shader_signed_zero_inf_nan_preserve_float64 =
                controls.shader_signed_zero_inf_nan_preserve_float64;
            v12.shader_denorm_preserve_float16 = controls.shader_denorm_preserve_float16;
            v12.shader_denorm_preserve_float32 = controls.shader_denorm_preserve_float32;
            v12.shader_denorm_preserve_float64 = controls.shader_denorm_preserve_float64;
            v12.shader_rounding_mode_rte_float16 = controls.shader_rounding_mode_rte_float16;
            v12.shader_rounding_mode_rte_float32 = controls.shader_rounding_mode_rte_float32;
            v12.shader_rounding_mode_rte_float64 = controls.shader_rounding_mode_rte_float64;
        }
        if version < vk::API_VERSION_1_3 {
            v13.min_subgroup_size = self.subgroup_size.min_subgroup_size;
            v13.max_subgroup_size = self.subgroup_size.max_subgroup_size;
            v13.max_compute_workgroup_subgroups = self.subgroup_size.max_compute_workgroup_subgroups;
            v13.required_subgroup_size_stages = self.subgroup_size.required_subgroup_size_stages;
            let dots = &self.dot_product;
            v13.integer_dot_product4x8_bit_packed_unsigned_accelerated =
                dots.integer_dot_product4x8_bit_packed_unsigned_accelerated;
            v13.integer_dot_product4x8_bit_packed_signed_accelerated =
                dots.integer_dot_product4x8_bit_packed_signed_accelerated;
            v13.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated =
                dots.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated;
            v13.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated =
                dots.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated;
            v13.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated =
                dots.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated;
            v13.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated =
                dots.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated;
            v13.max_buffer_size = match self.maintenance4.max_buffer_size {
                0 => v11.max_memory_allocation_size,
                size => size,
            };
        }
    }
}
