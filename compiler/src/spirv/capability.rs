//! The capabilities and extensions that the module must declare. They are collected while instructions are
//! emitted.

use super::Emitter;
use super::instruction::instruction;
use crate::ir::Scalar;
use crate::target::SpirvVersion;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv as spv;
use std::collections::{BTreeMap, BTreeSet};

/// The capabilities and extensions needed so far.
#[derive(Default)]
pub(super) struct Needs {
    /// The capabilities by number, so that their order is deterministic.
    capabilities: BTreeMap<u32, spv::Capability>,
    extensions: BTreeSet<&'static str>,
}

impl Needs {
    pub(super) fn capability(&mut self, c: spv::Capability) {
        self.capabilities.insert(c as u32, c);
    }

    pub(super) fn contains(&self, c: spv::Capability) -> bool {
        self.capabilities.contains_key(&(c as u32))
    }

    pub(super) fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// Returns the module's sections of capabilities and extensions.
    pub(super) fn declare(&mut self, version: SpirvVersion) -> (Vec<Instruction>, Vec<Instruction>) {
        self.capability(spv::Capability::Shader);
        for c in self.capabilities.values().copied().collect::<Vec<_>>() {
            if let Some((name, core_since)) = extension_of(c)
                && (version.major, version.minor) < core_since
            {
                self.extension(name);
            }
        }
        let capabilities = self
            .capabilities
            .values()
            .map(|&c| instruction(spv::Op::Capability, None, None, vec![Operand::Capability(c)]));
        let extensions = self.extensions.iter().map(|&name| {
            instruction(
                spv::Op::Extension,
                None,
                None,
                vec![Operand::LiteralString(name.into())],
            )
        });
        (capabilities.collect(), extensions.collect())
    }
}

/// Returns the extension that a capability needs, and the version from which on it does not need the
/// extension. It handles only the capabilities that are emitted.
fn extension_of(c: spv::Capability) -> Option<(&'static str, (u8, u8))> {
    use spv::Capability as C;
    Some(match c {
        C::PhysicalStorageBufferAddresses => ("SPV_KHR_physical_storage_buffer", (1, 5)),
        C::VulkanMemoryModel | C::VulkanMemoryModelDeviceScope => ("SPV_KHR_vulkan_memory_model", (1, 5)),
        C::StorageBuffer8BitAccess => ("SPV_KHR_8bit_storage", (1, 5)),
        C::StorageBuffer16BitAccess => ("SPV_KHR_16bit_storage", (1, 3)),
        C::SignedZeroInfNanPreserve | C::DenormPreserve | C::RoundingModeRTE => {
            ("SPV_KHR_float_controls", (1, 4))
        }
        C::WorkgroupMemoryExplicitLayoutKHR
        | C::WorkgroupMemoryExplicitLayout8BitAccessKHR
        | C::WorkgroupMemoryExplicitLayout16BitAccessKHR => {
            ("SPV_KHR_workgroup_memory_explicit_layout", (u8::MAX, 0))
        }
        C::CooperativeMatrixKHR => ("SPV_KHR_cooperative_matrix", (u8::MAX, 0)),
        C::ShaderClockKHR => ("SPV_KHR_shader_clock", (u8::MAX, 0)),
        C::DotProduct | C::DotProductInput4x8BitPacked => ("SPV_KHR_integer_dot_product", (1, 6)),
        _ => return None,
    })
}

impl Emitter<'_> {
    /// Declares the capabilities of an access to a buffer.
    pub(super) fn buffer_access(&mut self, s: Scalar) {
        match s.bytes() {
            1 => self.needs.capability(spv::Capability::StorageBuffer8BitAccess),
            2 => self.needs.capability(spv::Capability::StorageBuffer16BitAccess),
            _ => {}
        }
    }

    /// Declares the execution modes for OpenCL's floating-point rules, as far as the device offers them: NaN,
    /// infinities and the sign of zero are preserved; denormals are preserved; results are rounded to nearest
    /// even.
    pub(super) fn float_controls(&mut self) {
        let features = &self.target.features;
        let used = [
            self.needs.contains(spv::Capability::Float16),
            self.globals
                .iter()
                .any(|i| i.class.opcode == spv::Op::TypeFloat && i.operands[0] == Operand::LiteralBit32(32)),
            self.needs.contains(spv::Capability::Float64),
        ];
        let independent = features.float_controls_independent;
        // If the widths are not independent, the modes may only be set for all widths alike.
        let wanted = |offered: [bool; 3]| -> Vec<u32> {
            if !independent && offered != [true; 3] {
                return Vec::new();
            }
            (0..3)
                .filter(|&i| used[i] && offered[i])
                .map(|i| 16 << i)
                .collect()
        };
        let preserve_special: Vec<u32> = (0..3)
            .filter(|&i| used[i] && features.signed_zero_inf_nan_preserve[i])
            .map(|i| 16 << i)
            .collect();
        let modes = [
            (
                preserve_special,
                spv::Capability::SignedZeroInfNanPreserve,
                spv::ExecutionMode::SignedZeroInfNanPreserve,
            ),
            (
                wanted(features.denorm_preserve),
                spv::Capability::DenormPreserve,
                spv::ExecutionMode::DenormPreserve,
            ),
            (
                wanted(features.rounding_rte),
                spv::Capability::RoundingModeRTE,
                spv::ExecutionMode::RoundingModeRTE,
            ),
        ];
        let functions: Vec<u32> = self.kernels.iter().map(|k| k.function).collect();
        if functions.is_empty() {
            return;
        }
        for (widths, capability, mode) in modes {
            for width in widths {
                self.needs.capability(capability);
                for &f in &functions {
                    self.modes.push(instruction(
                        spv::Op::ExecutionMode,
                        None,
                        None,
                        vec![
                            Operand::IdRef(f),
                            Operand::ExecutionMode(mode),
                            Operand::LiteralBit32(width),
                        ],
                    ));
                }
            }
        }
    }
}
