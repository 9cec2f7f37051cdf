//! Shader modules, the common pipeline layout, pipeline caches and compute pipelines.

use std::ffi::CString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;

use super::{Call, Device, PipelineLayout, VkError};
use crate::config::config;

/// The layout of every kernel without images or descriptors of its own: all push constants, and one uniform
/// buffer with a dynamic offset at set 0, binding 0, for arguments that do not fit into push constants. Because
/// all these kernels share one layout, neither push constants nor descriptors are disturbed when the pipeline
/// changes.
pub(crate) struct Layout {
    pub(super) raw: vk::PipelineLayout,
    pub(super) args_set: vk::DescriptorSetLayout,
    push_constants: u32,
}

fn push_range(bytes: u32) -> vk::PushConstantRange {
    vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
        .offset(0)
        .size(bytes)
}

impl Layout {
    pub(super) fn new(device: &ash::Device, push_constants: u32) -> Result<Layout, VkError> {
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .binding(0)
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
        // SAFETY: the device is alive, and the create info is complete.
        let args_set = unsafe { device.create_descriptor_set_layout(&info, None) }
            .call("vkCreateDescriptorSetLayout")?;
        let sets = [args_set];
        let range = [push_range(push_constants)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(&range);
        // SAFETY: as above; the set layout is alive.
        let raw = unsafe { device.create_pipeline_layout(&info, None) }.call("vkCreatePipelineLayout")?;
        Ok(Layout {
            raw,
            args_set,
            push_constants,
        })
    }

    /// Returns the push constant range that all layouts have, so that push constants survive a change of the
    /// pipeline.
    pub(super) fn push_constants(&self) -> vk::PushConstantRange {
        push_range(self.push_constants)
    }

    pub(super) fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: called once, by the device's Drop, when nothing uses the layout.
        unsafe { device.destroy_pipeline_layout(self.raw, None) };
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(self.args_set, None) };
    }
}

/// A shader module.
pub(crate) struct Shader {
    device: Arc<Device>,
    raw: vk::ShaderModule,
    depends_on_subgroups: bool,
    uses_matrices: bool,
}

/// Returns whether a module depends on the size of sub-groups: it declares the capability GroupNonUniform, which all uses of
/// sub-groups require, or has cooperative matrices.
pub(crate) fn uses_subgroups(words: &[u32]) -> bool {
    /// GroupNonUniform.
    const SUBGROUPS: u32 = 61;
    declares(words, SUBGROUPS) || uses_matrices(words)
}

/// Returns whether a module has a type of cooperative matrices. A part of a divided module may declare the capability and have
/// none.
pub(crate) fn uses_matrices(words: &[u32]) -> bool {
    /// The capability CooperativeMatrixKHR.
    const MATRICES: u32 = 6022;
    /// OpTypeCooperativeMatrixKHR.
    const TYPE: u32 = 4456;
    /// OpFunction.
    const FUNCTION: u32 = 54;
    declares(words, MATRICES)
        && instructions(words)
            .take_while(|i| i[0] & 0xffff != FUNCTION)
            .any(|i| i[0] & 0xffff == TYPE)
}

/// Returns whether the functions of a module depend on the size of sub-groups. The capability does not tell: all parts of a divided
/// module declare it if one of them uses sub-groups. Without need, no size is required, because a driver may have to take one that
/// is too large for the registers of the kernel.
pub(crate) fn depends_on_subgroups(words: &[u32]) -> bool {
    /// Subgroup, of the enumerations of scopes.
    const SUBGROUP: u32 = 3;
    let mut threes = Vec::new();
    uses_matrices(words)
        || instructions(words).any(|i| match (i[0] & 0xffff, i) {
            // OpConstant
            (43, &[_, _, id, SUBGROUP]) => {
                threes.push(id);
                false
            }
            // OpDecorate BuiltIn: SubgroupSize, NumSubgroups, SubgroupId, SubgroupLocalInvocationId, and the masks
            (71, &[_, _, 11, built_in]) => matches!(built_in, 36..=41 | 4416..=4420),
            // OpControlBarrier
            (224, &[_, scope, ..]) => threes.contains(&scope),
            // OpGroupNonUniform*; the second range has those of KHR extensions, of votes, ballots and rotations
            (opcode, _) => matches!(opcode, 333..=366 | 4421..=4432),
        })
}

/// Returns the instructions of a module, each with all of its words.
fn instructions(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = (*rest.first()? >> 16).max(1) as usize;
        let (instruction, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(instruction)
    })
}

/// Returns whether a module declares a capability.
fn declares(words: &[u32], capability: u32) -> bool {
    /// OpCapability, two words long.
    const INSTRUCTION: u32 = 2 << 16 | 17;
    // The capabilities are the first instructions, after the header of five words.
    let capabilities = words.get(5..).unwrap_or_default().chunks_exact(2);
    let mut list = capabilities.take_while(|c| c[0] == INSTRUCTION);
    list.any(|c| c[1] == capability)
}

impl Shader {
    /// Makes a shader module from valid SPIR-V.
    pub(crate) fn new(device: &Arc<Device>, words: &[u32]) -> Result<Shader, VkError> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        super::fault::object("vkCreateShaderModule")?;
        // SAFETY: the device is alive. The words are valid SPIR-V that uses enabled features only. Either this version's
        // compiler made them: its tests run spirv-val on what it makes, and a program binary or cache entry carries a
        // checksum, which shows an accidental change. Or they are another compiler's, and `spirv::check` has
        // validated them (`compiler/src/spirv/validate`: structure, types, control flow, interface, capabilities).
        let raw = unsafe { device.raw.create_shader_module(&info, None) };
        Ok(Shader {
            device: Arc::clone(device),
            raw: device.note(raw.call("vkCreateShaderModule"))?,
            depends_on_subgroups: uses_subgroups(words) && depends_on_subgroups(words),
            uses_matrices: uses_matrices(words),
        })
    }
}

impl Drop for Shader {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need their module once they are made.
        unsafe { self.device.raw.destroy_shader_module(self.raw, None) };
    }
}

/// The driver's cache of the pipelines that it compiled.
pub(crate) struct PipelineCache {
    device: Arc<Device>,
    raw: vk::PipelineCache,
}

impl PipelineCache {
    /// Makes a cache from [`PipelineCache::data`] of an earlier process, or an empty one. The driver checks
    /// that the data are its own.
    pub(crate) fn new(device: &Arc<Device>, data: &[u8]) -> Result<PipelineCache, VkError> {
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        super::fault::object("vkCreatePipelineCache")?;
        // SAFETY: the device is alive; the data are empty or come from the same driver (the caller has checked
        // a checksum and that the driver is the same).
        let raw = unsafe { device.raw.create_pipeline_cache(&info, None) }.call("vkCreatePipelineCache")?;
        Ok(PipelineCache {
            device: Arc::clone(device),
            raw,
        })
    }

    /// Returns the contents, for [`PipelineCache::new`] in a later process.
    pub(crate) fn data(&self) -> Result<Vec<u8>, VkError> {
        // SAFETY: the cache is alive and internally synchronised.
        unsafe { self.device.raw.get_pipeline_cache_data(self.raw) }.call("vkGetPipelineCacheData")
    }
}

impl Drop for PipelineCache {
    fn drop(&mut self) {
        // SAFETY: pipelines do not need the cache that they came from, and nothing else refers to it.
        unsafe { self.device.raw.destroy_pipeline_cache(self.raw, None) };
    }
}

/// Specialization constants: pairs of SpecId and value.
pub(crate) type Specialization<'a> = &'a [(u32, u32)];

/// How long after vkCreateComputePipelines the code of a pipeline may still be missing on the GPU, where a driver has this
/// fault (`runtime/docs/adr/0010-queue-family.md`). With 200 µs the fault was no longer seen; this is ten times as long.
const CODE_ARRIVES: Duration = Duration::from_millis(2);

/// A compute pipeline.
pub(crate) struct Pipeline {
    device: Arc<Device>,
    pub(super) raw: vk::Pipeline,
    /// When the driver had made the pipeline; `None` unless the debugging aid `late-launches` asks for it.
    made: Option<Instant>,
}

impl Pipeline {
    /// Waits until the GPU should have the code, if the debugging aid `late-launches` asks for it.
    pub(super) fn wait_for_code(&self) {
        let rest = self
            .made
            .and_then(|made| CODE_ARRIVES.checked_sub(made.elapsed()));
        if let Some(rest) = rest {
            std::thread::sleep(rest);
        }
    }

    /// Compiles an entry point, for a pipeline layout of its own or (`None`) the device's common one. Also
    /// returns whether the cache is known to have contained the pipeline.
    pub(crate) fn new(
        shader: &Shader,
        layout: Option<&PipelineLayout>,
        entry: &str,
        constants: Specialization<'_>,
        cache: &PipelineCache,
    ) -> Result<(Pipeline, bool), VkError> {
        let device = &shader.device;
        let name = CString::new(entry).map_err(|e| VkError::absent("entry point", e))?;
        let data: Vec<u8> = constants.iter().flat_map(|(_, v)| v.to_ne_bytes()).collect();
        let entries: Vec<_> = constants
            .iter()
            .enumerate()
            .map(|(i, (id, _))| {
                vk::SpecializationMapEntry::default()
                    .constant_id(*id)
                    .offset(4 * i as u32)
                    .size(4)
            })
            .collect();
        let special = vk::SpecializationInfo::default()
            .map_entries(&entries)
            .data(&data);
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
            .required_subgroup_size(device.required_subgroup_size.unwrap_or(0));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(shader.raw)
            .name(&name)
            .specialization_info(&special);
        if shader.uses_matrices {
            // Matrices are offered only where the feature computeFullSubgroups is enabled. Launches have checked the size.
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
        }
        if shader.depends_on_subgroups && device.required_subgroup_size.is_some() {
            stage = stage.push_next(&mut size);
        }
        let mut whole = vk::PipelineCreationFeedback::default();
        let mut stages = [vk::PipelineCreationFeedback::default()];
        let mut feedback = vk::PipelineCreationFeedbackCreateInfo::default()
            .pipeline_creation_feedback(&mut whole)
            .pipeline_stage_creation_feedbacks(&mut stages);
        let flags = match device.statistics {
            Some(_) => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
            None => vk::PipelineCreateFlags::empty(),
        };
        let mut info = vk::ComputePipelineCreateInfo::default()
            .flags(flags)
            .stage(stage)
            .layout(layout.map_or(device.layout.raw, |l| l.raw));
        if device.creation_feedback {
            info = info.push_next(&mut feedback);
        }
        let info = [info];
        super::fault::object("vkCreateComputePipelines")?;
        // SAFETY: module, layout and cache are alive and of this device; the module has the entry point (the reflection
        // lists it, and `spirv::check` has compared that of other compilers with the module); the cache is internally
        // synchronised.
        let made = unsafe { device.raw.create_compute_pipelines(cache.raw, &info, None) };
        let made = made.map_err(|(_, e)| VkError::new("vkCreateComputePipelines", e));
        let pipeline = Pipeline {
            device: Arc::clone(device),
            raw: device.note(made)?[0],
            made: config().debug.late_launches.then(Instant::now),
        };
        let hit = vk::PipelineCreationFeedbackFlags::VALID
            | vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        Ok((pipeline, whole.flags.contains(hit)))
    }

    /// Returns what the driver says of the pipeline: names and values. Returns `None` unless
    /// `CALDERA_DEBUG=pipeline-statistics` or `CALDERA_PROFILE` asks for it and the driver has the extension.
    pub(crate) fn statistics(&self) -> Option<Result<Vec<(String, String)>, VkError>> {
        let statistics = self.device.statistics.as_ref()?;
        Some(statistics.of(self.raw))
    }
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pipeline")
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: the batch rule: no pending command uses the pipeline.
        unsafe { self.device.raw.destroy_pipeline(self.raw, None) };
    }
}
