//! Device features: queried once, and enabled as far as the runtime or the compiler can use them.

use ash::vk;
use caldera_compiler::target::Features;

use super::chain::{Chain, ExtensionFeatures};
use super::instance::Extensions;
use super::mask::Mask;

/// The features and extensions to enable on a device. The `p_next` pointers of all structures are null.
///
/// The structures of later versions than the device's hold the features that its extensions offer; `chain.rs` converts.
#[derive(Clone)]
pub(crate) struct FeatureSet {
    /// The version that the device supports.
    version: u32,
    core: vk::PhysicalDeviceFeatures,
    v11: vk::PhysicalDeviceVulkan11Features<'static>,
    v12: vk::PhysicalDeviceVulkan12Features<'static>,
    v13: vk::PhysicalDeviceVulkan13Features<'static>,
    others: ExtensionFeatures,
    pub(super) extensions: Extensions,
}

// SAFETY: the structures hold booleans and null `p_next` pointers only.
unsafe impl Send for FeatureSet {}
// SAFETY: as above.
unsafe impl Sync for FeatureSet {}

const ON: vk::Bool32 = vk::TRUE;

/// A feature by its Vulkan name.
type Named = (&'static str, fn(&mut FeatureSet) -> &mut vk::Bool32);

/// The features that are enabled where the device has them. Some features of a device are left out, because they cost
/// performance (robust access). More are enabled than the compiler uses, because program binaries may come from other
/// compilers.
const ENABLED: [Named; 44] = [
    ("shaderInt16", |f| &mut f.core.shader_int16),
    ("shaderInt64", |f| &mut f.core.shader_int64),
    ("shaderFloat64", |f| &mut f.core.shader_float64),
    ("shaderStorageImageWriteWithoutFormat", |f| {
        &mut f.core.shader_storage_image_write_without_format
    }),
    ("shaderStorageImageReadWithoutFormat", |f| {
        &mut f.core.shader_storage_image_read_without_format
    }),
    ("shaderStorageImageExtendedFormats", |f| {
        &mut f.core.shader_storage_image_extended_formats
    }),
    ("sparseBinding", |f| &mut f.core.sparse_binding),
    ("storageBuffer16BitAccess", |f| {
        &mut f.v11.storage_buffer16_bit_access
    }),
    ("uniformAndStorageBuffer16BitAccess", |f| {
        &mut f.v11.uniform_and_storage_buffer16_bit_access
    }),
    ("storagePushConstant16", |f| &mut f.v11.storage_push_constant16),
    ("variablePointers", |f| &mut f.v11.variable_pointers),
    ("variablePointersStorageBuffer", |f| {
        &mut f.v11.variable_pointers_storage_buffer
    }),
    ("storageBuffer8BitAccess", |f| {
        &mut f.v12.storage_buffer8_bit_access
    }),
    ("uniformAndStorageBuffer8BitAccess", |f| {
        &mut f.v12.uniform_and_storage_buffer8_bit_access
    }),
    ("storagePushConstant8", |f| &mut f.v12.storage_push_constant8),
    ("shaderBufferInt64Atomics", |f| {
        &mut f.v12.shader_buffer_int64_atomics
    }),
    ("shaderSharedInt64Atomics", |f| {
        &mut f.v12.shader_shared_int64_atomics
    }),
    ("shaderFloat16", |f| &mut f.v12.shader_float16),
    ("shaderInt8", |f| &mut f.v12.shader_int8),
    ("scalarBlockLayout", |f| &mut f.v12.scalar_block_layout),
    ("uniformBufferStandardLayout", |f| {
        &mut f.v12.uniform_buffer_standard_layout
    }),
    ("hostQueryReset", |f| &mut f.v12.host_query_reset),
    ("timelineSemaphore", |f| &mut f.v12.timeline_semaphore),
    ("bufferDeviceAddress", |f| &mut f.v12.buffer_device_address),
    ("shaderSubgroupExtendedTypes", |f| {
        &mut f.v12.shader_subgroup_extended_types
    }),
    ("subgroupBroadcastDynamicId", |f| {
        &mut f.v12.subgroup_broadcast_dynamic_id
    }),
    ("vulkanMemoryModel", |f| &mut f.v12.vulkan_memory_model),
    ("vulkanMemoryModelDeviceScope", |f| {
        &mut f.v12.vulkan_memory_model_device_scope
    }),
    ("robustImageAccess", |f| &mut f.v13.robust_image_access),
    ("synchronization2", |f| &mut f.v13.synchronization2),
    ("subgroupSizeControl", |f| &mut f.v13.subgroup_size_control),
    ("computeFullSubgroups", |f| &mut f.v13.compute_full_subgroups),
    ("shaderZeroInitializeWorkgroupMemory", |f| {
        &mut f.v13.shader_zero_initialize_workgroup_memory
    }),
    ("shaderIntegerDotProduct", |f| {
        &mut f.v13.shader_integer_dot_product
    }),
    ("maintenance4", |f| &mut f.v13.maintenance4),
    ("shaderDeviceClock", |f| &mut f.others.clock.shader_device_clock),
    ("shaderSubgroupClock", |f| {
        &mut f.others.clock.shader_subgroup_clock
    }),
    ("cooperativeMatrix", |f| &mut f.others.matrix.cooperative_matrix),
    ("workgroupMemoryExplicitLayout", |f| {
        &mut f.others.workgroup.workgroup_memory_explicit_layout
    }),
    ("workgroupMemoryExplicitLayout8BitAccess", |f| {
        &mut f.others.workgroup.workgroup_memory_explicit_layout8_bit_access
    }),
    ("workgroupMemoryExplicitLayout16BitAccess", |f| {
        &mut f.others.workgroup.workgroup_memory_explicit_layout16_bit_access
    }),
    ("shaderMaximalReconvergence", |f| {
        &mut f.others.maximal.shader_maximal_reconvergence
    }),
    ("shaderSubgroupUniformControlFlow", |f| {
        &mut f.others.uniform.shader_subgroup_uniform_control_flow
    }),
    ("imageViewFormatSwizzle", |f| {
        &mut f.others.portability.image_view_format_swizzle
    }),
];

impl FeatureSet {
    fn none(version: u32, extensions: &Extensions) -> FeatureSet {
        FeatureSet {
            version,
            core: vk::PhysicalDeviceFeatures::default(),
            v11: vk::PhysicalDeviceVulkan11Features::default(),
            v12: vk::PhysicalDeviceVulkan12Features::default(),
            v13: vk::PhysicalDeviceVulkan13Features::default(),
            others: ExtensionFeatures::default(),
            extensions: *extensions,
        }
    }

    /// Queries the features of a device of the given version, without those that the mask hides.
    pub(super) fn query(
        instance: &ash::Instance,
        raw: vk::PhysicalDevice,
        version: u32,
        extensions: &Extensions,
        mask: Option<&Mask>,
    ) -> FeatureSet {
        let mut found = FeatureSet::none(version, extensions);
        let mut chain = found.chain();
        {
            let mut all = chain.link(version, extensions);
            // SAFETY: `raw` belongs to the instance; every structure in the chain belongs to the device's version or to
            // an extension that it supports.
            unsafe { instance.get_physical_device_features2(raw, &mut all) };
            found.core = all.features;
        }
        (found.v11, found.v12, found.v13, found.others) = chain.features(version, extensions);
        if !extensions.portability_subset {
            found.others.portability.image_view_format_swizzle = ON;
        }
        let mut enabled = FeatureSet::none(version, extensions);
        if extensions.device_fault {
            let mut faults = vk::PhysicalDeviceFaultFeaturesEXT::default();
            let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut faults);
            // SAFETY: as above; the structure belongs to an extension that the device supports.
            unsafe { instance.get_physical_device_features2(raw, &mut all) };
            enabled.extensions.device_fault = faults.device_fault == ON;
        }
        for (name, field) in ENABLED {
            let has = *field(&mut found) == ON && mask.is_none_or(|mask| mask.has_feature(name));
            *field(&mut enabled) = has.into();
        }
        enabled
    }

    /// Returns the structures of features, which [`Chain::link`] links.
    fn chain(&self) -> Chain {
        Chain::new((&self.v11, &self.v12, &self.v13), &self.others)
    }

    /// Calls `f` with a feature chain for vkCreateDevice.
    pub(super) fn with_chain<R>(&self, f: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R) -> R {
        let mut chain = self.chain();
        // Each implementation of the extension has the feature.
        let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
            .pipeline_executable_info(true);
        let mut faults = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
        let mut all = chain.link(self.version, &self.extensions).features(self.core);
        if self.extensions.device_fault {
            all = all.push_next(&mut faults);
        }
        if self.extensions.pipeline_executable_properties {
            all = all.push_next(&mut executables);
        }
        f(&mut all)
    }

    /// Returns the version that the device supports.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// Returns whether synchronization2 is enabled and its functions are those of Vulkan 1.3. If not, the functions of
    /// Vulkan 1.0 are used.
    pub(super) fn synchronization2(&self) -> bool {
        self.version >= vk::API_VERSION_1_3 && self.v13.synchronization2 == ON
    }

    /// Returns whether timeline semaphores are enabled and their functions are those of Vulkan 1.2. If not, fences are
    /// used.
    pub(super) fn timeline_semaphores(&self) -> bool {
        self.version >= vk::API_VERSION_1_2 && self.v12.timeline_semaphore == ON
    }

    /// Returns whether buffers have device addresses.
    pub(super) fn buffer_addresses(&self) -> bool {
        self.v12.buffer_device_address == ON
    }

    /// Returns whether memory can be bound to sparse buffers and images.
    pub(super) fn sparse_binding(&self) -> bool {
        self.core.sparse_binding == ON
    }

    /// Returns whether views of images can swizzle the components.
    pub(super) fn view_swizzles(&self) -> bool {
        self.others.portability.image_view_format_swizzle == ON
    }

    /// Returns whether pipelines can require a sub-group size.
    pub(super) fn subgroup_size_control(&self) -> bool {
        self.v13.subgroup_size_control == ON
    }

    /// Returns the features in the form that the compiler takes. Float controls are properties, not features:
    /// the caller adds them.
    pub(super) fn for_compiler(&self) -> Features {
        let on = |b: vk::Bool32| b == ON;
        // What follows from 64-bit integers: atomic operations on them, doubles, whose functions take them apart, and what
        // pairs of words do not have (compiler ADR 20).
        let int64 = on(self.core.shader_int64);
        Features {
            int8: on(self.v12.shader_int8),
            int16: on(self.core.shader_int16),
            int64,
            float16: on(self.v12.shader_float16),
            float64: int64 && on(self.core.shader_float64),
            storage8: on(self.v12.storage_buffer8_bit_access),
            storage16: on(self.v11.storage_buffer16_bit_access),
            vulkan_memory_model: on(self.v12.vulkan_memory_model),
            vulkan_memory_model_device_scope: on(self.v12.vulkan_memory_model_device_scope),
            buffer_int64_atomics: int64 && on(self.v12.shader_buffer_int64_atomics),
            shared_int64_atomics: int64 && on(self.v12.shader_shared_int64_atomics),
            // The compiler emits the scope of the device, which the memory model has to have.
            clocks: int64
                && on(self.others.clock.shader_device_clock)
                && on(self.others.clock.shader_subgroup_clock)
                && (!on(self.v12.vulkan_memory_model) || on(self.v12.vulkan_memory_model_device_scope)),
            // Only the features are considered here; the caller considers the properties.
            subgroups: int64
                && on(self.v12.shader_subgroup_extended_types)
                && on(self.v12.subgroup_broadcast_dynamic_id),
            // Only the features are considered here; the caller considers the properties. SPIR-V has matrices only with
            // Vulkan's memory model, and pipelines with them must require full sub-groups.
            matrices: on(self.others.matrix.cooperative_matrix)
                && on(self.v12.vulkan_memory_model)
                && on(self.v13.compute_full_subgroups),
            maximal_reconvergence: on(self.others.maximal.shader_maximal_reconvergence),
            subgroup_uniform_control_flow: on(self.others.uniform.shader_subgroup_uniform_control_flow),
            // Only the features are considered here; some formats may still be missing.
            images: on(self.core.shader_storage_image_write_without_format),
            workgroup_layout: on(self.others.workgroup.workgroup_memory_explicit_layout)
                && on(self.others.workgroup.workgroup_memory_explicit_layout8_bit_access)
                && on(self
                    .others
                    .workgroup
                    .workgroup_memory_explicit_layout16_bit_access),
            zeroes_local_memory: on(self.v13.shader_zero_initialize_workgroup_memory),
            // Only the feature is considered here; the caller adds which forms are accelerated.
            integer_dot_product: on(self.v13.shader_integer_dot_product),
            reads_any_format: on(self.core.shader_storage_image_read_without_format),
            states_formats: on(self.core.shader_storage_image_extended_formats),
            ..Features::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names a field of the compiler's features that is not set, although all Vulkan features that the runtime enables are there.
    /// The compiler's code for such a feature would never be used on any device.
    #[test]
    fn all_features_of_the_compiler_come_from_vulkan() {
        let mut all = FeatureSet::none(vk::API_VERSION_1_3, &Extensions::default());
        for (_, field) in ENABLED {
            *field(&mut all) = ON;
        }
        let text = format!("{:?}", all.for_compiler());
        let unset: Vec<&str> = text
            .split([',', '{', '}'])
            .filter_map(|field| field.trim().strip_suffix(": false"))
            .collect();
        // These depend on properties too, which the runtime's description of the device adds (`device/caps.rs`).
        assert_eq!(
            unset,
            [
                "fast_fma",
                "subgroup_shuffle",
                "reordered_writes",
                "float_controls_independent"
            ]
        );
    }
}
