//! The descriptor map: a module's reflection as lines of comma-separated values, in clspv-reflection's
//! format.

use super::read::{Call, collect, read};
use super::{Op, ReflectionError};
use crate::clspv::sampler_names;
use crate::hash::HashMap;
use std::fmt::Write as _;

/// The format of the lines. clspv has changed it over the years.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum MapStyle {
    /// The first format of `-descriptormap`: without sizes of arguments and without the kind of constant
    /// data.
    First,
    /// The later format of `-descriptormap`.
    Older,
    /// The format of clspv-reflection, which also has declarations of kernels and the module's constants.
    #[default]
    Newer,
}

/// Returns the map of a module, in the order of its instructions.
pub fn descriptor_map(words: &[u32], style: MapStyle) -> Result<String, ReflectionError> {
    // This checks that the reflection is valid.
    read(words)?;
    let tables = collect(words)?;
    let set = tables.clspv.ok_or(ReflectionError::Missing)?;
    let mut map = Map {
        style,
        names: HashMap::default(),
        text: String::new(),
    };
    for &(at, result, call_set, number, args) in &tables.calls {
        if call_set != set {
            continue;
        }
        let op = Op::from_number(number).ok_or(ReflectionError::UnknownInstruction { number, at })?;
        let call = Call::new(&tables, op, at, args);
        map.line(&call, result)?;
    }
    Ok(map.text)
}

struct Map {
    style: MapStyle,
    /// The names of kernels and arguments, by the ids of their instructions.
    names: HashMap<u32, String>,
    text: String,
}

impl Map {
    fn name(&self, id: Option<&u32>) -> &str {
        id.and_then(|id| self.names.get(id)).map_or("", String::as_str)
    }

    /// Returns `kernel,K,arg,A,argOrdinal,N`; operand `info` has the argument's name.
    fn head(&self, call: &Call<'_, '_>, info: usize) -> Result<String, ReflectionError> {
        Ok(format!(
            "kernel,{},arg,{},argOrdinal,{}",
            self.name(call.args.first()),
            self.name(call.args.get(info)),
            call.number(1)?
        ))
    }

    fn add(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    /// Adds the line of an argument that has only a descriptor.
    fn bound(&mut self, call: &Call<'_, '_>, kind: &str) -> Result<(), ReflectionError> {
        let head = self.head(call, 4)?;
        let at = call.descriptor(2)?;
        let (set, binding) = (at.set, at.binding);
        self.add(format_args!(
            "{head},descriptorSet,{set},binding,{binding},offset,0,argKind,{kind}"
        ));
        Ok(())
    }

    fn size(&self, bytes: u32) -> String {
        match self.style {
            MapStyle::First => String::new(),
            MapStyle::Older | MapStyle::Newer => format!(",argSize,{bytes}"),
        }
    }

    /// Adds the line of a plain value that is in the memory of a descriptor.
    fn pod(&mut self, call: &Call<'_, '_>, kind: &str) -> Result<(), ReflectionError> {
        let head = self.head(call, 6)?;
        let at = call.descriptor(2)?;
        let (set, binding, offset) = (at.set, at.binding, call.number(4)?);
        let size = self.size(call.number(5)?);
        self.add(format_args!(
            "{head},descriptorSet,{set},binding,{binding},offset,{offset},argKind,{kind}{size}"
        ));
        Ok(())
    }

    /// Adds the line of a value in push constants.
    fn pushed(&mut self, call: &Call<'_, '_>, kind: &str) -> Result<(), ReflectionError> {
        let head = self.head(call, 4)?;
        let offset = call.number(2)?;
        let size = self.size(call.number(3)?);
        self.add(format_args!("{head},offset,{offset},argKind,{kind}{size}"));
        Ok(())
    }

    fn constants(&mut self, call: &Call<'_, '_>, kind: &str) -> Result<(), ReflectionError> {
        let at = call.descriptor(0)?;
        let (set, binding) = (at.set, at.binding);
        let kind = match self.style {
            MapStyle::First => String::new(),
            MapStyle::Older | MapStyle::Newer => format!(",kind,{kind}"),
        };
        let data = call.text(2)?;
        self.add(format_args!(
            "constant,descriptorSet,{set},binding,{binding}{kind},hexbytes,{data}"
        ));
        Ok(())
    }

    fn spec(&mut self, call: &Call<'_, '_>, names: &[&str]) -> Result<(), ReflectionError> {
        if self.style == MapStyle::Newer {
            for (n, name) in names.iter().enumerate() {
                let id = call.number(n)?;
                self.add(format_args!("spec_constant,{name},spec_id,{id}"));
            }
        }
        Ok(())
    }

    fn push_constant(&mut self, call: &Call<'_, '_>, name: &str) -> Result<(), ReflectionError> {
        let (offset, size) = (call.number(0)?, call.number(1)?);
        self.add(format_args!(
            "pushconstant,name,{name},offset,{offset},size,{size}"
        ));
        Ok(())
    }

    fn line(&mut self, call: &Call<'_, '_>, result: u32) -> Result<(), ReflectionError> {
        match call.op {
            Op::Kernel => {
                let name = call.text(1)?;
                if self.style == MapStyle::Newer {
                    self.add(format_args!("kernel_decl,{name}"));
                }
                self.names.insert(result, name);
            }
            Op::ArgumentInfo => {
                self.names.insert(result, call.text(0)?);
            }
            Op::ArgumentStorageBuffer => self.bound(call, "buffer")?,
            Op::ArgumentUniform => self.bound(call, "buffer_ubo")?,
            Op::ArgumentSampledImage => self.bound(call, "ro_image")?,
            Op::ArgumentStorageImage => self.bound(call, "wo_image")?,
            Op::ArgumentSampler => self.bound(call, "sampler")?,
            Op::ArgumentStorageTexelBuffer => self.bound(call, "storage_texel_buffer")?,
            Op::ArgumentUniformTexelBuffer => self.bound(call, "uniform_texel_buffer")?,
            Op::ArgumentPodStorageBuffer => self.pod(call, "pod")?,
            Op::ArgumentPodUniform => self.pod(call, "pod_ubo")?,
            Op::ArgumentPointerUniform => self.pod(call, "pointer_ubo")?,
            Op::ArgumentPodPushConstant => {
                // In the physical ABI, this may be the second instruction of a local argument.
                self.pushed(call, "pod_pushconstant")?;
            }
            Op::ArgumentPointerPushConstant => self.pushed(call, "pointer_pushconstant")?,
            Op::ArgumentWorkgroup => {
                let head = self.head(call, 4)?;
                let (spec_id, size) = (call.number(2)?, call.number(3)?);
                self.add(format_args!(
                    "{head},argKind,local,arrayElemSize,{size},arrayNumElemSpecId,{spec_id}"
                ));
            }
            Op::ConstantDataStorageBuffer => self.constants(call, "buffer")?,
            Op::ConstantDataUniform => self.constants(call, "buffer_ubo")?,
            Op::SpecConstantWorkgroupSize => {
                self.spec(
                    call,
                    &["workgroup_size_x", "workgroup_size_y", "workgroup_size_z"],
                )?;
            }
            Op::SpecConstantGlobalOffset => {
                self.spec(call, &["global_offset_x", "global_offset_y", "global_offset_z"])?;
            }
            Op::SpecConstantWorkDim => self.spec(call, &["work_dim"])?,
            Op::SpecConstantSubgroupMaxSize => self.spec(call, &["subgroup_max_size"])?,
            Op::PushConstantGlobalOffset => self.push_constant(call, "global_offset")?,
            Op::PushConstantEnqueuedLocalSize => self.push_constant(call, "enqueued_local_size")?,
            Op::PushConstantGlobalSize => self.push_constant(call, "global_size")?,
            Op::PushConstantRegionOffset => self.push_constant(call, "region_offset")?,
            Op::PushConstantNumWorkgroups => self.push_constant(call, "num_workgroups")?,
            Op::PushConstantRegionGroupOffset => self.push_constant(call, "region_group_offset")?,
            Op::LiteralSampler => {
                let at = call.descriptor(0)?;
                let (set, binding, mask) = (at.set, at.binding, call.number(2)?);
                let mut names = sampler_names(mask);
                if self.style != MapStyle::Newer {
                    names.sort_unstable();
                }
                let names = names.join("|");
                self.add(format_args!(
                    "sampler,{mask},samplerExpr,\"{names}\",descriptorSet,{set},binding,{binding}"
                ));
            }
            // clspv-reflection prints no lines for these.
            Op::PropertyRequiredWorkgroupSize
            | Op::ProgramScopeVariablesStorageBuffer
            | Op::ProgramScopeVariablePointerRelocation
            | Op::ImageArgumentInfoChannelOrderPushConstant
            | Op::ImageArgumentInfoChannelDataTypePushConstant
            | Op::ImageArgumentInfoChannelOrderUniform
            | Op::ImageArgumentInfoChannelDataTypeUniform
            | Op::ConstantDataPointerPushConstant
            | Op::ProgramScopeVariablePointerPushConstant
            | Op::PrintfInfo
            | Op::PrintfBufferStorageBuffer
            | Op::PrintfBufferPointerPushConstant
            | Op::NormalizedSamplerMaskPushConstant
            | Op::WorkgroupVariableSize => {}
        }
        Ok(())
    }
}
