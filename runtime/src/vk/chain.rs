//! The chains of feature structures of each Vulkan version.
//!
//! From Vulkan 1.2 on, one structure has all features of a version. For features of later versions than the device's,
//! each extension has a structure of its own. The fields have the same names in both.

use ash::vk;

use super::instance::Extensions;

type V11 = vk::PhysicalDeviceVulkan11Features<'static>;
type V12 = vk::PhysicalDeviceVulkan12Features<'static>;
type V13 = vk::PhysicalDeviceVulkan13Features<'static>;

/// The structures of features that belong to no version of Vulkan.
#[derive(Copy, Clone, Default)]
pub(super) struct ExtensionFeatures {
    pub(super) clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    pub(super) matrix: vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'static>,
    pub(super) workgroup: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
    pub(super) maximal: vk::PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR<'static>,
    pub(super) uniform: vk::PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR<'static>,
    /// What a device with VK_KHR_portability_subset may lack. Other devices have all of it.
    pub(super) portability: vk::PhysicalDevicePortabilitySubsetFeaturesKHR<'static>,
}

macro_rules! chain {
    ($(
        $name:ident: $ty:ident, $from:ident, $version:ident, $condition:expr, [$($field:ident),*];
    )*) => {
        /// The structures that a chain may consist of.
        pub(super) struct Chain {
            v11: V11,
            v12: V12,
            v13: V13,
            others: ExtensionFeatures,
            $($name: vk::$ty<'static>,)*
        }

        impl Chain {
            /// Makes the structures of features.
            pub(super) fn new(
                (v11, v12, v13): (&V11, &V12, &V13),
                others: &ExtensionFeatures,
            ) -> Chain {
                let mut chain = Chain {
                    v11: *v11,
                    v12: *v12,
                    v13: *v13,
                    others: *others,
                    $($name: vk::$ty::default(),)*
                };
                $($(chain.$name.$field = chain.$from.$field;)*)*
                chain
            }

            /// Links the structures that a device of this version with these extensions knows.
            pub(super) fn link(
                &mut self,
                version: u32,
                extensions: &Extensions,
            ) -> vk::PhysicalDeviceFeatures2<'_> {
                let mut all = vk::PhysicalDeviceFeatures2::default();
                if version >= vk::API_VERSION_1_2 {
                    all = all.push_next(&mut self.v11).push_next(&mut self.v12);
                }
                if version >= vk::API_VERSION_1_3 {
                    all = all.push_next(&mut self.v13);
                }
                if extensions.shader_clock {
                    all = all.push_next(&mut self.others.clock);
                }
                if extensions.cooperative_matrix {
                    all = all.push_next(&mut self.others.matrix);
                }
                if extensions.workgroup_layout {
                    all = all.push_next(&mut self.others.workgroup);
                }
                if extensions.maximal_reconvergence {
                    all = all.push_next(&mut self.others.maximal);
                }
                if extensions.subgroup_uniform_control_flow {
                    all = all.push_next(&mut self.others.uniform);
                }
                if extensions.portability_subset {
                    all = all.push_next(&mut self.others.portability);
                }
                $(
                    let condition: fn(&Extensions) -> bool = $condition;
                    if version < vk::$version && condition(extensions) {
                        all = all.push_next(&mut self.$name);
                    }
                )*
                all
            }

            /// Returns the features that the linked structures have got.
            pub(super) fn features(
                mut self,
                version: u32,
                extensions: &Extensions,
            ) -> (V11, V12, V13, ExtensionFeatures) {
                $(
                    let condition: fn(&Extensions) -> bool = $condition;
                    if version < vk::$version && condition(extensions) {
                        $(self.$from.$field = self.$name.$field;)*
                    }
                )*
                // The chain consisted of the fields of this structure.
                self.v11.p_next = std::ptr::null_mut();
                self.v12.p_next = std::ptr::null_mut();
                self.v13.p_next = std::ptr::null_mut();
                self.others.clock.p_next = std::ptr::null_mut();
                self.others.matrix.p_next = std::ptr::null_mut();
                self.others.workgroup.p_next = std::ptr::null_mut();
                self.others.maximal.p_next = std::ptr::null_mut();
                self.others.uniform.p_next = std::ptr::null_mut();
                self.others.portability.p_next = std::ptr::null_mut();
                (self.v11, self.v12, self.v13, self.others)
            }
        }
    };
}

// Name, structure, the structure of the version that has the feature, the first version whose structure is used
// instead, the condition for older versions, and the fields.
chain! {
    storage16: PhysicalDevice16BitStorageFeatures, v11, API_VERSION_1_2, |_| true,
        [storage_buffer16_bit_access, uniform_and_storage_buffer16_bit_access, storage_push_constant16];
    variable_pointers: PhysicalDeviceVariablePointersFeatures, v11, API_VERSION_1_2, |_| true,
        [variable_pointers, variable_pointers_storage_buffer];
    storage8: PhysicalDevice8BitStorageFeatures, v12, API_VERSION_1_2, |e| e.storage8,
        [storage_buffer8_bit_access, uniform_and_storage_buffer8_bit_access, storage_push_constant8];
    int64_atomics: PhysicalDeviceShaderAtomicInt64Features, v12, API_VERSION_1_2, |e| e.int64_atomics,
        [shader_buffer_int64_atomics, shader_shared_int64_atomics];
    float16_int8: PhysicalDeviceShaderFloat16Int8Features, v12, API_VERSION_1_2, |e| e.float16_int8,
        [shader_float16, shader_int8];
    scalar_layout: PhysicalDeviceScalarBlockLayoutFeatures, v12, API_VERSION_1_2, |e| e.scalar_layout,
        [scalar_block_layout];
    uniform_layout: PhysicalDeviceUniformBufferStandardLayoutFeatures, v12, API_VERSION_1_2, |e| e.uniform_layout,
        [uniform_buffer_standard_layout];
    addresses: PhysicalDeviceBufferDeviceAddressFeatures, v12, API_VERSION_1_2, |e| e.buffer_device_address,
        [buffer_device_address];
    subgroup_types: PhysicalDeviceShaderSubgroupExtendedTypesFeatures, v12, API_VERSION_1_2, |e| e.subgroup_types,
        [shader_subgroup_extended_types];
    memory_model: PhysicalDeviceVulkanMemoryModelFeatures, v12, API_VERSION_1_2, |e| e.memory_model,
        [vulkan_memory_model, vulkan_memory_model_device_scope];
    image_robustness: PhysicalDeviceImageRobustnessFeatures, v13, API_VERSION_1_3, |e| e.image_robustness,
        [robust_image_access];
    subgroup_size: PhysicalDeviceSubgroupSizeControlFeatures, v13, API_VERSION_1_3, |e| e.subgroup_size_control,
        [subgroup_size_control, compute_full_subgroups];
    dot_product: PhysicalDeviceShaderIntegerDotProductFeatures, v13, API_VERSION_1_3, |e| e.integer_dot_product,
        [shader_integer_dot_product];
    maintenance4: PhysicalDeviceMaintenance4Features, v13, API_VERSION_1_3, |e| e.maintenance4,
        [maintenance4];
}
