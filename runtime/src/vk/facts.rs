//! Properties of a physical device as plain data.

use ash::vk;
use caldera_compiler::target::{Features, MatrixVariant};

use super::device::compute_family;
use super::external::{self, MemoryHandle};
use super::features::FeatureSet;
use super::instance::{Extensions, Shared};
use super::mask::Mask;
use super::{SemaphoreHandles, matrix, older};
use crate::config::config;

/// VkPhysicalDeviceType.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum PhysicalType {
    Discrete,
    Integrated,
    Virtual,
    Cpu,
    Other,
}

/// The properties that Vulkan reports of a device, under Vulkan's names.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub name: String,
    pub driver_name: String,
    pub driver_info: String,
    pub physical_type: PhysicalType,
    pub vendor_id: u32,
    pub device_id: u32,
    /// Bytes that differ for another device or another version of the driver, for keys of caches.
    pub identity: Vec<u8>,
    /// The Vulkan version that is used: major and minor number.
    pub version: (u32, u32),
    /// Whether modules of SPIR-V 1.4 are supported although the version is below Vulkan 1.2.
    pub spirv_1_4: bool,
    /// Whether buffers have device addresses.
    pub buffer_addresses: bool,
    /// Whether timeline semaphores are used, and not fences.
    pub timeline_semaphores: bool,
    /// Whether synchronization2 is used.
    pub synchronization2: bool,
    pub features: Features,
    /// The products of cooperative matrices of a sub-group, if there are matrices.
    pub matrix_variants: Vec<MatrixVariant>,
    pub max_compute_shared_memory_size: u32,
    pub max_compute_work_group_count: [u32; 3],
    pub max_compute_work_group_invocations: u32,
    pub max_compute_work_group_size: [u32; 3],
    pub max_push_constants_size: u32,
    pub max_uniform_buffer_range: u32,
    pub min_uniform_buffer_offset_alignment: u64,
    pub min_storage_buffer_offset_alignment: u64,
    pub max_storage_buffer_range: u32,
    pub max_per_stage_storage_buffers: u32,
    pub max_per_stage_uniform_buffers: u32,
    pub max_bound_descriptor_sets: u32,
    pub min_texel_buffer_offset_alignment: u64,
    pub max_image_dimension: [u32; 3],
    pub max_image_array_layers: u32,
    pub max_texel_buffer_elements: u32,
    pub max_per_stage_samplers: u32,
    pub max_per_stage_sampled_images: u32,
    pub max_per_stage_storage_images: u32,
    pub max_memory_allocation_size: u64,
    pub max_buffer_size: u64,
    /// Bytes of all sparse buffers and images together; 0 if the compute queue family cannot bind them.
    pub sparse_address_space: u64,
    /// Nanoseconds per tick of a time stamp.
    pub timestamp_period: f32,
    pub subgroup_size: u32,
    /// Whether the driver chooses among several sub-group sizes. Pipelines must then require `subgroup_size` to get that
    /// one.
    pub subgroup_size_varies: bool,
    /// The size in bytes of the largest heap that is local to the device.
    pub device_local_heap: u64,
    /// Whether host and device share one memory: on a CPU or an integrated GPU, memory that is local to the device can
    /// be mapped with CPU caches.
    pub unified_memory: bool,
    /// The alignment in bytes of host memory that can be imported; `None` if the device imports none.
    pub host_import_alignment: Option<u64>,
    /// The types of handles of memory of other APIs that can be imported.
    pub external_memory: Vec<MemoryHandle>,
    /// The types of handles by which semaphores can be shared with other APIs.
    pub semaphores: SemaphoreHandles,
    /// The memory types (a bit for each) of device memory that can be mapped without CPU caches, so that the host
    /// accesses it through the PCIe bus ("resizable BAR"); none unless they are in the largest heap of the device.
    /// Drivers may still refuse to map all of that heap at a time.
    pub bar_types: u32,
    /// The number of compute units, where a vendor's extension reports it.
    pub compute_units: Option<u32>,
    /// The address on the PCI bus, if the driver reports one.
    pub pci: Option<PciAddress>,
    pub device_uuid: [u8; 16],
    pub driver_uuid: [u8; 16],
    /// The device's LUID and node mask, which only Windows has.
    pub luid: Option<([u8; 8], u32)>,
}

/// A PCI address.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PciAddress {
    domain: u32,
    bus: u32,
    device: u32,
    function: u32,
}

impl PciAddress {
    /// Returns domain, bus, device and function.
    pub(crate) fn numbers(self) -> [u32; 4] {
        [self.domain, self.bus, self.device, self.function]
    }
}

impl std::fmt::Display for PciAddress {
    /// Writes the address as Linux does: `0000:3b:00.0`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let PciAddress {
            domain,
            bus,
            device,
            function,
        } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

fn text(c: Result<&std::ffi::CStr, std::ffi::FromBytesUntilNulError>) -> String {
    c.map(|c| c.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns whether compute shaders have the sub-group operations that the compiler needs.
fn has_subgroups(v11: &vk::PhysicalDeviceVulkan11Properties<'_>) -> bool {
    use vk::SubgroupFeatureFlags as F;
    v11.subgroup_supported_stages
        .contains(vk::ShaderStageFlags::COMPUTE)
        && v11
            .subgroup_supported_operations
            .contains(F::BASIC | F::VOTE | F::BALLOT | F::ARITHMETIC)
}

/// Returns whether pipelines can require the device's sub-group size, for work-groups of any size.
fn can_ask_for_size(
    set: &FeatureSet,
    v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
    v13: &vk::PhysicalDeviceVulkan13Properties<'_>,
    limits: &vk::PhysicalDeviceLimits,
) -> bool {
    let most = v11
        .subgroup_size
        .saturating_mul(v13.max_compute_workgroup_subgroups);
    set.subgroup_size_control()
        && v13
            .required_subgroup_size_stages
            .contains(vk::ShaderStageFlags::COMPUTE)
        && most >= limits.max_compute_work_group_invocations
}

/// Returns the host-visible, coherent memory types in the largest heap that is local to the device, a bit for each.
fn bar_types(memory: &vk::PhysicalDeviceMemoryProperties) -> u32 {
    let needed = vk::MemoryPropertyFlags::DEVICE_LOCAL
        | vk::MemoryPropertyFlags::HOST_VISIBLE
        | vk::MemoryPropertyFlags::HOST_COHERENT;
    let heaps = memory.memory_heaps_as_slice();
    let local = heaps
        .iter()
        .filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    let largest = local.map(|h| h.size).max();
    let types = memory.memory_types_as_slice().iter().enumerate();
    let mapped = types.filter(|(_, t)| {
        t.property_flags.contains(needed) && heaps.get(t.heap_index as usize).map(|h| h.size) == largest
    });
    mapped.fold(0, |bits, (index, _)| bits | 1 << index)
}

/// Returns whether the driver chooses the sub-group size for each pipeline.
fn varies(v13: &vk::PhysicalDeviceVulkan13Properties<'_>) -> bool {
    v13.min_subgroup_size != v13.max_subgroup_size
}

fn physical_type(raw: vk::PhysicalDeviceType) -> PhysicalType {
    match raw {
        vk::PhysicalDeviceType::DISCRETE_GPU => PhysicalType::Discrete,
        vk::PhysicalDeviceType::INTEGRATED_GPU => PhysicalType::Integrated,
        vk::PhysicalDeviceType::VIRTUAL_GPU => PhysicalType::Virtual,
        vk::PhysicalDeviceType::CPU => PhysicalType::Cpu,
        _ => PhysicalType::Other,
    }
}

/// Returns whether host and device share their memory, and the host accesses the device's memory with CPU
/// caches.
fn is_unified(physical_type: PhysicalType, memory: &vk::PhysicalDeviceMemoryProperties) -> bool {
    let needed = vk::MemoryPropertyFlags::DEVICE_LOCAL
        | vk::MemoryPropertyFlags::HOST_VISIBLE
        | vk::MemoryPropertyFlags::HOST_COHERENT
        | vk::MemoryPropertyFlags::HOST_CACHED;
    let mut types = memory.memory_types_as_slice().iter();
    matches!(physical_type, PhysicalType::Cpu | PhysicalType::Integrated)
        && types.any(|t| t.property_flags.contains(needed))
}

/// Returns the features that the compiler may use.
fn features(
    set: &FeatureSet,
    v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
    v12: &vk::PhysicalDeviceVulkan12Properties<'_>,
    v13: &vk::PhysicalDeviceVulkan13Properties<'_>,
    limits: &vk::PhysicalDeviceLimits,
) -> Features {
    let on = |b: vk::Bool32| b == vk::TRUE;
    let base = set.for_compiler();
    let subgroups =
        base.subgroups && has_subgroups(v11) && (!varies(v13) || can_ask_for_size(set, v11, v13, limits));
    Features {
        subgroups,
        matrices: base.matrices && subgroups,
        maximal_reconvergence: base.maximal_reconvergence && subgroups,
        // Valid only if compute shaders have sub-groups.
        subgroup_uniform_control_flow: base.subgroup_uniform_control_flow && subgroups,
        subgroup_shuffle: subgroups
            && v11
                .subgroup_supported_operations
                .contains(vk::SubgroupFeatureFlags::SHUFFLE),
        signed_zero_inf_nan_preserve: [
            on(v12.shader_signed_zero_inf_nan_preserve_float16),
            on(v12.shader_signed_zero_inf_nan_preserve_float32),
            on(v12.shader_signed_zero_inf_nan_preserve_float64),
        ],
        denorm_preserve: [
            on(v12.shader_denorm_preserve_float16),
            on(v12.shader_denorm_preserve_float32),
            on(v12.shader_denorm_preserve_float64),
        ],
        rounding_rte: [
            on(v12.shader_rounding_mode_rte_float16),
            on(v12.shader_rounding_mode_rte_float32),
            on(v12.shader_rounding_mode_rte_float64),
        ],
        packed_dot: [
            on(v13.integer_dot_product4x8_bit_packed_unsigned_accelerated),
            on(v13.integer_dot_product4x8_bit_packed_signed_accelerated),
            on(v13.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated),
        ],
        saturating_dot: [
            on(v13.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated),
            on(v13.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated),
            on(v13.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated),
        ],
        float_controls_independent: v12.denorm_behavior_independence
            == vk::ShaderFloatControlsIndependence::ALL
            && v12.rounding_mode_independence == vk::ShaderFloatControlsIndependence::ALL,
        ..base
    }
}

/// What the driver answers about the properties of a physical device.
struct Answers {
    core: vk::PhysicalDeviceProperties,
    v11: vk::PhysicalDeviceVulkan11Properties<'static>,
    v12: vk::PhysicalDeviceVulkan12Properties<'static>,
    v13: vk::PhysicalDeviceVulkan13Properties<'static>,
    nv: vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV<'static>,
    amd: vk::PhysicalDeviceShaderCorePropertiesAMD<'static>,
    host: vk::PhysicalDeviceExternalMemoryHostPropertiesEXT<'static>,
    pci: vk::PhysicalDevicePCIBusInfoPropertiesEXT<'static>,
}

impl Answers {
    /// Asks for the properties of a device of the given version and extensions. Those of later versions follow from
    /// extensions.
    fn query(
        instance: &ash::Instance,
        raw: vk::PhysicalDevice,
        version: u32,
        extensions: &Extensions,
    ) -> Answers {
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut nv = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let mut amd = vk::PhysicalDeviceShaderCorePropertiesAMD::default();
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
        let mut older = older::Properties::default();
        let core = {
            let mut all = vk::PhysicalDeviceProperties2::default();
            if version >= vk::API_VERSION_1_2 {
                all = all.push_next(&mut v11).push_next(&mut v12);
            }
            if version >= vk::API_VERSION_1_3 {
                all = all.push_next(&mut v13);
            }
            all = older.link(all, version, extensions);
            if extensions.nv_sm_builtins {
                all = all.push_next(&mut nv);
            }
            if extensions.amd_core_properties {
                all = all.push_next(&mut amd);
            }
            if extensions.external_memory_host {
                all = all.push_next(&mut host);
            }
            if extensions.pci_bus_info {
                all = all.push_next(&mut pci);
            }
            // SAFETY: `raw` belongs to the instance; the chain has structures of the device's version and
            // of supported extensions.
            unsafe { instance.get_physical_device_properties2(raw, &mut all) };
            all.properties
        };
        older.complete(version, (&mut v11, &mut v12, &mut v13), &core);
        Answers {
            core,
            v11,
            v12,
            v13,
            nv,
            amd,
            host,
            pci,
        }
    }
}

impl Facts {
    #[allow(clippy::too_many_lines, reason = "a table with one row for each fact")]
    pub(super) fn query(
        shared: &Shared,
        raw: vk::PhysicalDevice,
        version: u32,
        extensions: &Extensions,
        set: &FeatureSet,
        mask: Option<&Mask>,
    ) -> Facts {
        let instance = &shared.raw;
        let Answers {
            mut core,
            v11,
            v12,
            v13,
            nv,
            amd,
            host,
            pci,
        } = Answers::query(instance, raw, version, extensions);
        if let Some(mask) = mask {
            for name in mask.apply(&mut core.limits) {
                log::error!("CALDERA_DEBUG=device: {name} is no limit that Caldera knows");
            }
        }
        // SAFETY: `raw` belongs to the instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(raw) };
        // SAFETY: `raw` belongs to the instance.
        let memory = unsafe { instance.get_physical_device_memory_properties(raw) };
        let physical_type = physical_type(core.device_type);
        let limits = &core.limits;
        let mut features = features(set, &v11, &v12, &v13, limits);
        let matrix_variants = match features.matrices {
            true => matrix::variants(shared, raw, &features),
            false => Vec::new(),
        };
        features.matrices = !matrix_variants.is_empty();
        let unified_memory = !config().debug.discrete && is_unified(physical_type, &memory);
        Facts {
            name: text(core.device_name_as_c_str()),
            driver_name: text(v12.driver_name_as_c_str()),
            driver_info: text(v12.driver_info_as_c_str()),
            physical_type,
            vendor_id: core.vendor_id,
            device_id: core.device_id,
            identity: [
                &core.vendor_id.to_le_bytes()[..],
                &core.device_id.to_le_bytes(),
                &core.driver_version.to_le_bytes(),
                &core.pipeline_cache_uuid,
                &v11.driver_uuid,
                mask.map_or(&[], |mask| mask.name.as_bytes()),
            ]
            .concat(),
            version: (vk::api_version_major(version), vk::api_version_minor(version)),
            spirv_1_4: extensions.spirv_1_4,
            buffer_addresses: set.buffer_addresses(),
            timeline_semaphores: set.timeline_semaphores(),
            synchronization2: set.synchronization2(),
            features,
            matrix_variants,
            max_compute_shared_memory_size: limits.max_compute_shared_memory_size,
            max_compute_work_group_count: limits.max_compute_work_group_count,
            max_compute_work_group_invocations: limits.max_compute_work_group_invocations,
            max_compute_work_group_size: limits.max_compute_work_group_size,
            max_push_constants_size: limits.max_push_constants_size,
            max_uniform_buffer_range: limits.max_uniform_buffer_range,
            min_uniform_buffer_offset_alignment: limits.min_uniform_buffer_offset_alignment.max(1),
            min_storage_buffer_offset_alignment: limits.min_storage_buffer_offset_alignment.max(1),
            max_storage_buffer_range: limits.max_storage_buffer_range,
            max_per_stage_storage_buffers: limits.max_per_stage_descriptor_storage_buffers,
            max_per_stage_uniform_buffers: limits.max_per_stage_descriptor_uniform_buffers,
            max_bound_descriptor_sets: limits.max_bound_descriptor_sets,
            min_texel_buffer_offset_alignment: limits.min_texel_buffer_offset_alignment,
            max_image_dimension: [
                limits.max_image_dimension1_d,
                limits.max_image_dimension2_d,
                limits.max_image_dimension3_d,
            ],
            max_image_array_layers: limits.max_image_array_layers,
            max_texel_buffer_elements: limits.max_texel_buffer_elements,
            max_per_stage_samplers: limits.max_per_stage_descriptor_samplers,
            max_per_stage_sampled_images: limits.max_per_stage_descriptor_sampled_images,
            max_per_stage_storage_images: limits.max_per_stage_descriptor_storage_images,
            max_memory_allocation_size: v11.max_memory_allocation_size,
            max_buffer_size: v13.max_buffer_size,
            sparse_address_space: if set.sparse_binding()
                && compute_family(&families, &text(v12.driver_name_as_c_str()))
                    .is_some_and(|(_, f)| f.queue_flags.contains(vk::QueueFlags::SPARSE_BINDING))
            {
                limits.sparse_address_space_size
            } else {
                0
            },
            timestamp_period: limits.timestamp_period,
            subgroup_size: v11.subgroup_size,
            subgroup_size_varies: varies(&v13),
            device_local_heap: memory
                .memory_heaps_as_slice()
                .iter()
                .filter(|h| h.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
                .map(|h| h.size)
                .max()
                .unwrap_or(0),
            unified_memory,
            host_import_alignment: Some(host.min_imported_host_pointer_alignment)
                .filter(|a| a.is_power_of_two()),
            external_memory: external::importable(instance, raw, extensions, set.buffer_addresses()),
            // Submissions with fences have no semaphores.
            semaphores: match set.timeline_semaphores() {
                true => SemaphoreHandles::query(instance, raw, extensions),
                false => SemaphoreHandles::default(),
            },
            bar_types: if unified_memory { 0 } else { bar_types(&memory) },
            compute_units: [
                nv.shader_sm_count,
                amd.shader_engine_count
                    * amd.shader_arrays_per_engine_count
                    * amd.compute_units_per_shader_array,
            ]
            .into_iter()
            .find(|&n| n != 0),
            pci: extensions.pci_bus_info.then_some(PciAddress {
                domain: pci.pci_domain,
                bus: pci.pci_bus,
                device: pci.pci_device,
                function: pci.pci_function,
            }),
            device_uuid: v11.device_uuid,
            driver_uuid: v11.driver_uuid,
            luid: (v11.device_luid_valid == vk::TRUE).then_some((v11.device_luid, v11.device_node_mask)),
        }
    }
}
