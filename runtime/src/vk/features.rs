//! Device features: queried once, and enabled as far as the runtime or the compiler can use them.

use ash::vk;
use caldera_compiler::target::Features;

use super::instance::Extensions;

/// The features and extensions to enable on a device. The `p_next` pointers of all structures are null.
#[derive(Clone)]
pub(crate) struct FeatureSet {
    core: vk::PhysicalDeviceFeatures,
    v11: vk::PhysicalDeviceVulkan11Features<'static>,
    v12: vk::PhysicalDeviceVulkan12Features<'static>,
    v13: vk::PhysicalDeviceVulkan13Features<'static>,
    clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    pub(super) extensions: Extensions,
}

// SAFETY: the structures hold booleans and null `p_next` pointers only.
unsafe impl Send for FeatureSet {}
// SAFETY: as above.
unsafe impl Sync for FeatureSet {}

const ON: vk::Bool32 = vk::TRUE;

impl FeatureSet {
    pub(super) fn query(
        instance: &ash::Instance,
        raw: vk::PhysicalDevice,
        extensions: &Extensions,
    ) -> FeatureSet {
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Features::default();
        let mut clock = vk::PhysicalDeviceShaderClockFeaturesKHR::default();
        let core = {
            let mut all = vk::PhysicalDeviceFeatures2::default()
                .push_next(&mut v11)
                .push_next(&mut v12)
                .push_next(&mut v13);
            if extensions.shader_clock {
                all = all.push_next(&mut clock);
            }
            // SAFETY: `raw` belongs to the instance; every structure in the chain belongs to Vulkan 1.3 or to an
            // extension, which the device supports.
            unsafe { instance.get_physical_device_features2(raw, &mut all) };
            all.features
        };
        // The chain consisted of local variables.
        v11.p_next = std::ptr::null_mut();
        v12.p_next = std::ptr::null_mut();
        v13.p_next = std::ptr::null_mut();
        // Features that exist are not all enabled, because some cost performance (robust access). More are
        // enabled than the compiler uses, because program binaries may come from other compilers.
        FeatureSet {
            core: vk::PhysicalDeviceFeatures {
                shader_int16: core.shader_int16,
                shader_int64: core.shader_int64,
                shader_float64: core.shader_float64,
                shader_storage_image_write_without_format: core.shader_storage_image_write_without_format,
                sparse_binding: core.sparse_binding,
                ..Default::default()
            },
            v11: vk::PhysicalDeviceVulkan11Features::default()
                .storage_buffer16_bit_access(v11.storage_buffer16_bit_access == ON)
                .uniform_and_storage_buffer16_bit_access(v11.uniform_and_storage_buffer16_bit_access == ON)
                .storage_push_constant16(v11.storage_push_constant16 == ON)
                .variable_pointers(v11.variable_pointers == ON)
                .variable_pointers_storage_buffer(v11.variable_pointers_storage_buffer == ON),
            v12: vk::PhysicalDeviceVulkan12Features::default()
                .storage_buffer8_bit_access(v12.storage_buffer8_bit_access == ON)
                .uniform_and_storage_buffer8_bit_access(v12.uniform_and_storage_buffer8_bit_access == ON)
                .storage_push_constant8(v12.storage_push_constant8 == ON)
                .shader_buffer_int64_atomics(v12.shader_buffer_int64_atomics == ON)
                .shader_shared_int64_atomics(v12.shader_shared_int64_atomics == ON)
                .shader_float16(v12.shader_float16 == ON)
                .shader_int8(v12.shader_int8 == ON)
                .scalar_block_layout(v12.scalar_block_layout == ON)
                .uniform_buffer_standard_layout(v12.uniform_buffer_standard_layout == ON)
                .host_query_reset(v12.host_query_reset == ON)
                .timeline_semaphore(v12.timeline_semaphore == ON)
                .buffer_device_address(v12.buffer_device_address == ON)
                .shader_subgroup_extended_types(v12.shader_subgroup_extended_types == ON)
                .subgroup_broadcast_dynamic_id(v12.subgroup_broadcast_dynamic_id == ON)
                .vulkan_memory_model(v12.vulkan_memory_model == ON)
                .vulkan_memory_model_device_scope(v12.vulkan_memory_model_device_scope == ON),
            v13: vk::PhysicalDeviceVulkan13Features::default()
                .robust_image_access(v13.robust_image_access == ON)
                .synchronization2(v13.synchronization2 == ON)
                .subgroup_size_control(v13.subgroup_size_control == ON)
                .compute_full_subgroups(v13.compute_full_subgroups == ON)
                .maintenance4(v13.maintenance4 == ON),
            clock: vk::PhysicalDeviceShaderClockFeaturesKHR::default()
                .shader_device_clock(clock.shader_device_clock == ON)
                .shader_subgroup_clock(clock.shader_subgroup_clock == ON),
            extensions: *extensions,
        }
    }

    /// Calls `f` with a feature chain for vkCreateDevice.
    pub(super) fn with_chain<R>(&self, f: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R) -> R {
        let (mut v11, mut v12, mut v13, mut clock) = (self.v11, self.v12, self.v13, self.clock);
        // Each implementation of the extension has the feature.
        let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
            .pipeline_executable_info(true);
        let mut all = vk::PhysicalDeviceFeatures2::default()
            .features(self.core)
            .push_next(&mut v11)
            .push_next(&mut v12)
            .push_next(&mut v13);
        if self.extensions.shader_clock {
            all = all.push_next(&mut clock);
        }
        if self.extensions.pipeline_executable_properties {
            all = all.push_next(&mut executables);
        }
        f(&mut all)
    }

    /// Returns whether memory can be bound to sparse buffers and images.
    pub(super) fn sparse_binding(&self) -> bool {
        self.core.sparse_binding == ON
    }

    /// Returns whether pipelines can require a sub-group size.
    pub(super) fn subgroup_size_control(&self) -> bool {
        self.v13.subgroup_size_control == ON
    }

    /// Returns the Vulkan names of the features that the runtime requires and the device lacks.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        [
            (self.v12.timeline_semaphore, "timelineSemaphore"),
            (self.v12.buffer_device_address, "bufferDeviceAddress"),
            (self.v13.synchronization2, "synchronization2"),
            (self.core.shader_int64, "shaderInt64"),
        ]
        .into_iter()
        .filter(|(has, _)| *has != ON)
        .map(|(_, name)| name)
        .collect()
    }

    /// Returns the features in the form that the compiler takes. Float controls are properties, not features:
    /// the caller adds them.
    pub(super) fn for_compiler(&self) -> Features {
        let on = |b: vk::Bool32| b == ON;
        Features {
            int8: on(self.v12.shader_int8),
            int16: on(self.core.shader_int16),
            int64: on(self.core.shader_int64),
            float16: on(self.v12.shader_float16),
            float64: on(self.core.shader_float64),
            storage8: on(self.v12.storage_buffer8_bit_access),
            storage16: on(self.v11.storage_buffer16_bit_access),
            vulkan_memory_model: on(self.v12.vulkan_memory_model),
            vulkan_memory_model_device_scope: on(self.v12.vulkan_memory_model_device_scope),
            buffer_int64_atomics: on(self.v12.shader_buffer_int64_atomics),
            shared_int64_atomics: on(self.v12.shader_shared_int64_atomics),
            // The compiler emits the scope of the device, which the memory model has to have.
            clocks: on(self.clock.shader_device_clock)
                && on(self.clock.shader_subgroup_clock)
                && (!on(self.v12.vulkan_memory_model) || on(self.v12.vulkan_memory_model_device_scope)),
            // Only the features are considered here; the caller considers the properties.
            subgroups: on(self.v12.shader_subgroup_extended_types)
                && on(self.v12.subgroup_broadcast_dynamic_id),
            // Only the features are considered here; some formats may still be missing.
            images: on(self.core.shader_storage_image_write_without_format),
            ..Features::default()
        }
    }
}
