//! Cooperative matrices (VK_KHR_cooperative_matrix): which products a device has.

use ash::vk;
use caldera_compiler::target::{Features, MatrixNumber, MatrixVariant};

use super::instance::Shared;

/// Returns the type of a matrix's components, if OpenCL has it. [`MatrixNumber::ALL`] lists the types by Vulkan's numbers;
/// those of newer types, such as bfloat16, are beyond the list.
fn number(raw: vk::ComponentTypeKHR) -> Option<MatrixNumber> {
    let index = usize::try_from(raw.as_raw()).ok()?;
    MatrixNumber::ALL.get(index).copied()
}

/// Returns the product that a structure of Vulkan describes, if its matrices belong to a sub-group and OpenCL has its types.
fn variant(p: &vk::CooperativeMatrixPropertiesKHR<'_>) -> Option<MatrixVariant> {
    (p.scope == vk::ScopeKHR::SUBGROUP).then_some(())?;
    Some(MatrixVariant {
        size: [p.m_size, p.n_size, p.k_size],
        types: [
            number(p.a_type)?,
            number(p.b_type)?,
            number(p.c_type)?,
            number(p.result_type)?,
        ],
        saturates: p.saturating_accumulation == vk::TRUE,
    })
}

/// Returns the products that compute shaders of a device can compute, of those whose types are among its `features`. The
/// device must have the feature cooperativeMatrix. The list is empty if the driver reports an error.
pub(super) fn variants(shared: &Shared, raw: vk::PhysicalDevice, features: &Features) -> Vec<MatrixVariant> {
    let mut matrix = vk::PhysicalDeviceCooperativeMatrixPropertiesKHR::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut matrix);
    // SAFETY: `raw` belongs to the instance, and the device has the extension of the structure.
    unsafe { shared.raw.get_physical_device_properties2(raw, &mut all) };
    if !matrix
        .cooperative_matrix_supported_stages
        .contains(vk::ShaderStageFlags::COMPUTE)
    {
        return Vec::new();
    }
    let functions = ash::khr::cooperative_matrix::Instance::new(&shared.entry, &shared.raw);
    // SAFETY: `raw` belongs to the instance, and the device has the extension of the function.
    match unsafe { functions.get_physical_device_cooperative_matrix_properties(raw) } {
        Ok(list) => {
            let mut known: Vec<MatrixVariant> = Vec::new();
            // Drivers may list a product several times, with types that OpenCL does not tell apart.
            for v in list.iter().filter_map(variant).filter(|v| v.is_in(features)) {
                if !known.contains(&v) {
                    known.push(v);
                }
            }
            known
        }
        Err(e) => {
            log::warn!("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR: {e}");
            Vec::new()
        }
    }
}
