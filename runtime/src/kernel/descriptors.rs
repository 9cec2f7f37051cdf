//! A kernel's descriptors: set layouts made from the module's reflection, and sets made from argument values.
//!
//! Kernels with only buffers and plain values have no descriptors of their own, and share the device's common
//! pipeline layout.

use std::sync::Arc;

use caldera_compiler::intrinsic::SamplerMask;
use caldera_compiler::reflect::{
    Binding, DataPlace, Descriptor, Kernel, LiteralSampler, Reflection, ResourceKind,
};

use super::launch::ArgValue;
use super::pipeline::DeviceModule;
use crate::device::{Bindings, Device};
use crate::error::{ClCode, Error, Result};
use crate::queue::resources;
use crate::vk::{self, DescriptorKind, Slot};

/// The origin of a slot's contents.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Source {
    /// The argument buffer.
    ArgumentBuffer,
    /// The argument with this ordinal: an image or a sampler.
    Argument(usize),
    /// The sampler argument with this ordinal, with normalized coordinates.
    Normalized(usize),
    /// The buffer argument with this ordinal.
    Buffer(usize),
    /// The plain values of the kernel's block with this index.
    Block(usize),
    /// The program's constant data.
    Constants,
    /// The printf buffer.
    Printf,
    /// The word that counts ended loops.
    EndedLoops,
}

/// A part of a launch's plain values that has a descriptor of its own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// The set and binding of the descriptor.
    pub at: Descriptor,
    /// Byte offset in the launch's plain values.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
}

/// Alignment of blocks in bytes; no device requires more.
pub(crate) const BLOCK_ALIGN: u32 = 256;

/// The literal samplers of a module: descriptor sets by their set numbers.
pub(crate) struct Literals {
    sets: Vec<(u32, vk::FixedSet)>,
    /// The samplers, which are immutable in the sets' layouts.
    samplers: Vec<(Descriptor, Arc<vk::Sampler>)>,
}

impl Literals {
    /// Makes the sets of literal samplers; returns `None` if the module has none.
    pub(super) fn new(device: &Device, list: &[LiteralSampler]) -> Result<Option<Literals>> {
        if list.is_empty() {
            return Ok(None);
        }
        let logical = &device.logical()?;
        let mut all: Vec<(Descriptor, Arc<vk::Sampler>)> = list
            .iter()
            .map(|s| Ok((s.at, device.sampler(SamplerMask(s.mask))?)))
            .collect::<Result<_>>()?;
        all.sort_unstable_by_key(|(at, _)| *at);
        all.dedup_by_key(|(at, _)| *at);
        let sets = all
            .chunk_by(|(a, _), (b, _)| a.set == b.set)
            .map(|set| {
                let samplers: Vec<_> = set.iter().map(|(at, s)| (at.binding, &**s)).collect();
                let layout = vk::SetLayout::of_samplers(logical, &samplers).map_err(resources)?;
                let fixed = vk::FixedSet::new(Arc::new(layout)).map_err(resources)?;
                Ok((set[0].0.set, fixed))
            })
            .collect::<Result<_>>()?;
        Ok(Some(Literals { sets, samplers: all }))
    }

    fn has(&self, at: Descriptor) -> bool {
        self.samplers.iter().any(|(a, _)| *a == at)
    }
}

/// A descriptor set of a kernel.
enum KernelSet {
    /// A set for arguments; it is empty for a number that nothing uses.
    Arguments {
        layout: Arc<vk::SetLayout>,
        sources: Vec<Source>,
    },
    /// A set of the module's literal samplers, by its index in [`Literals`].
    Literal(usize),
}

/// The storage that [`KernelDescriptors::fill`] uses, and its result.
pub(crate) struct Filled<'a> {
    pub recycled: &'a mut vk::RecycledSets,
    /// Reused storage with any contents, so that launches allocate nothing.
    pub scratch: &'a mut Vec<vk::Descriptor>,
    /// Receives the sets.
    pub sets: &'a mut Vec<vk::Set>,
}

/// The values that a launch's descriptors are made from.
pub(crate) struct Values<'a> {
    /// The index of the device in the context.
    pub device: usize,
    pub module: &'a DeviceModule,
    pub args: &'a [ArgValue],
    /// The buffer of plain values, and the byte offset of the launch's values in it.
    pub plain: Option<(&'a vk::ArgsSet, u64)>,
    pub printf: Option<&'a vk::Buffer>,
}

/// A kernel's sets 0, 1, … and the layout of its pipelines.
pub(crate) struct KernelDescriptors {
    layout: vk::PipelineLayout,
    sets: Vec<KernelSet>,
    /// One of the sets has the argument buffer.
    has_arguments: bool,
    /// The plain values that are not in the argument buffer.
    blocks: Vec<Block>,
}

fn kind(binding: Binding) -> Option<(Descriptor, DescriptorKind)> {
    match binding {
        Binding::SampledImage(at) => Some((at, DescriptorKind::SampledImage)),
        Binding::StorageImage(at) => Some((at, DescriptorKind::StorageImage)),
        Binding::Sampler(at) | Binding::NormalizedSampler(at) => Some((at, DescriptorKind::Sampler)),
        Binding::UniformTexelBuffer(at) => Some((at, DescriptorKind::UniformTexelBuffer)),
        Binding::StorageTexelBuffer(at) => Some((at, DescriptorKind::StorageTexelBuffer)),
        Binding::StorageBuffer(at) => Some((at, DescriptorKind::StorageBuffer)),
        Binding::UniformBuffer(at) => Some((at, DescriptorKind::UniformBuffer)),
        Binding::Pod(_) | Binding::Pointer(_) | Binding::Workgroup { .. } => None,
    }
}

/// A descriptor of a kernel, and the origin of its contents.
#[derive(Copy, Clone, Debug)]
struct Filling {
    at: Descriptor,
    kind: DescriptorKind,
    source: Source,
}

/// Returns all descriptors of a kernel except for literal samplers, in ascending order, and the blocks of plain
/// values with descriptors of their own.
fn fillings(reflection: &Reflection, kernel: &Kernel) -> Result<(Vec<Filling>, Vec<Block>)> {
    let mut list = Vec::new();
    let mut add = |at, kind, source| list.push(Filling { at, kind, source });
    for (i, arg) in kernel.args.iter().enumerate() {
        let Some((at, kind)) = arg.binding.and_then(kind) else {
            continue;
        };
        let source = match arg.binding {
            Some(Binding::NormalizedSampler(_)) => Source::Normalized(i),
            Some(Binding::StorageBuffer(_) | Binding::UniformBuffer(_)) => Source::Buffer(i),
            _ => Source::Argument(i),
        };
        add(at, kind, source);
        if let Some(at) = arg.normalized_sampler {
            add(at, DescriptorKind::Sampler, Source::Normalized(i));
        }
    }
    let data = reflection
        .constant_data
        .as_ref()
        .or(reflection.program_variables.as_ref());
    let printf = reflection.printf_buffer.filter(|_| kernel.printf);
    for (place, source) in [
        (data.map(|d| d.place), Source::Constants),
        (printf.map(|b| b.place), Source::Printf),
        (kernel.ended_loops, Source::EndedLoops),
    ] {
        match place {
            Some(DataPlace::StorageBuffer(at)) => add(at, DescriptorKind::StorageBuffer, source),
            Some(DataPlace::UniformBuffer(at)) => add(at, DescriptorKind::UniformBuffer, source),
            Some(DataPlace::PointerPush(_)) | None => {}
        }
    }
    let pods = kernel.pod_blocks();
    let mut blocks = Vec::new();
    match pods[..] {
        [one] if !one.storage => add(one.at, DescriptorKind::Arguments, Source::ArgumentBuffer),
        _ => {
            let mut offset = 0;
            for (i, pod) in pods.iter().enumerate() {
                let kind = match pod.storage {
                    true => DescriptorKind::StorageBuffer,
                    false => DescriptorKind::UniformBuffer,
                };
                add(pod.at, kind, Source::Block(i));
                if u64::from(offset) + u64::from(pod.size) > vk::ArgsSet::RANGE {
                    return Err(wrong(kernel, "that many plain values"));
                }
                blocks.push(Block {
                    at: pod.at,
                    offset,
                    size: pod.size,
                });
                offset = (offset + pod.size).next_multiple_of(BLOCK_ALIGN);
            }
        }
    }
    list.sort_unstable_by_key(|f| f.at);
    Ok((list, blocks))
}

fn wrong(kernel: &Kernel, what: &str) -> Error {
    let text = format!("kernel '{}': {what}", kernel.name);
    log::error!("the module cannot be used: {text}");
    Error::new(ClCode::InvalidBinary, text)
}

/// Returns whether a descriptor of that type can be bound where the code declares such a resource.
fn fits(kind: DescriptorKind, resource: ResourceKind) -> bool {
    match kind {
        DescriptorKind::Arguments | DescriptorKind::UniformBuffer => resource == ResourceKind::UniformBuffer,
        DescriptorKind::StorageBuffer => resource == ResourceKind::StorageBuffer,
        DescriptorKind::SampledImage => resource == ResourceKind::SampledImage,
        DescriptorKind::StorageImage => resource == ResourceKind::StorageImage,
        DescriptorKind::UniformTexelBuffer => resource == ResourceKind::UniformTexelBuffer,
        DescriptorKind::StorageTexelBuffer => resource == ResourceKind::StorageTexelBuffer,
        DescriptorKind::Sampler => resource == ResourceKind::Sampler,
    }
}

/// Refuses a module whose reflection is contradictory: two descriptors have the same set and binding, or the
/// code uses a descriptor that the reflection does not declare.
pub(super) fn check_module(reflection: &Reflection, literals: Option<&Literals>) -> Result<()> {
    for kernel in &reflection.kernels {
        let (list, _) = fillings(reflection, kernel)?;
        check(kernel, &list, literals)?;
    }
    Ok(())
}

fn check(kernel: &Kernel, list: &[Filling], literals: Option<&Literals>) -> Result<()> {
    if list.windows(2).any(|w| w[0].at == w[1].at) {
        return Err(wrong(kernel, "one descriptor is two things"));
    }
    for resource in &kernel.resources {
        let is_literal =
            || resource.kind == ResourceKind::Sampler && literals.is_some_and(|l| l.has(resource.at));
        let is_there = match list.binary_search_by_key(&resource.at, |f| f.at) {
            Ok(found) => fits(list[found].kind, resource.kind),
            Err(_) => is_literal(),
        };
        if !is_there {
            let Descriptor { set, binding } = resource.at;
            let what =
                format!("its code uses descriptor {binding} of set {set}, which its reflection has not");
            return Err(wrong(kernel, &what));
        }
    }
    Ok(())
}

/// Removes the descriptors of arguments that the kernel's code does not use. Nothing reads them, so the layouts have no
/// place for them, and they count against no limit of the device.
fn remove_ignored(kernel: &Kernel, list: &mut Vec<Filling>) {
    list.retain(|filling| match filling.source {
        Source::Argument(_) | Source::Normalized(_) | Source::Buffer(_) => {
            kernel.resources.iter().any(|r| r.at == filling.at)
        }
        Source::ArgumentBuffer
        | Source::Block(_)
        | Source::Constants
        | Source::Printf
        | Source::EndedLoops => true,
    });
}

/// Checks that the device supports as many descriptors of each type.
fn check_counts(kernel: &Kernel, list: &[Filling], bindings: &Bindings) -> Result<()> {
    let mut counts = [0; 5];
    for filling in list {
        let class = match filling.kind {
            DescriptorKind::StorageBuffer => 0,
            DescriptorKind::UniformBuffer | DescriptorKind::Arguments => 1,
            DescriptorKind::SampledImage | DescriptorKind::UniformTexelBuffer => 2,
            DescriptorKind::StorageImage | DescriptorKind::StorageTexelBuffer => 3,
            DescriptorKind::Sampler => 4,
        };
        counts[class] += 1;
    }
    let names = [
        "storage buffers",
        "uniform buffers",
        "images to read",
        "images to write",
        "samplers",
    ];
    for ((count, most), name) in counts.into_iter().zip(bindings.counts()).zip(names) {
        if count > most {
            let text = format!(
                "kernel '{}' has {count} {name} as descriptors, the device {most}",
                kernel.name
            );
            log::error!("{text}");
            return Err(Error::new(ClCode::OutOfResources, text));
        }
    }
    Ok(())
}

impl KernelDescriptors {
    /// Makes the layouts of a kernel. Returns `None` if the kernel has no descriptors, or only the argument
    /// buffer where the device's common layout has it.
    pub(super) fn new(
        device: &Device,
        reflection: &Reflection,
        kernel: &Kernel,
        literals: Option<&Literals>,
    ) -> Result<Option<KernelDescriptors>> {
        let (mut list, blocks) = fillings(reflection, kernel)?;
        remove_ignored(kernel, &mut list);
        let bindings = &device.limits().bindings;
        check_counts(kernel, &list, bindings)?;
        let common = Descriptor { set: 0, binding: 0 };
        match list[..] {
            // A kernel without descriptors of its own does not use literal samplers either, because it has no
            // images to sample.
            [] => return Ok(None),
            // The device's common layout has the argument buffer there.
            [one] if one.source == Source::ArgumentBuffer && one.at == common => return Ok(None),
            _ => {}
        }
        let fixed = literals.map_or(&[][..], |l| &l.sets);
        let numbers = list.iter().map(|f| f.at.set).chain(fixed.iter().map(|(n, _)| *n));
        let count = numbers.max().map_or(0, |n| n.saturating_add(1));
        if count > bindings.sets.min(32) {
            return Err(wrong(
                kernel,
                "a descriptor set of a number that the device has not",
            ));
        }
        let logical = &device.logical()?;
        let mut sets = Vec::new();
        let mut layouts = Vec::new();
        for number in 0..count {
            let here = list.iter().filter(|f| f.at.set == number);
            if let Some(index) = fixed.iter().position(|(set, _)| *set == number) {
                if here.count() > 0 {
                    return Err(wrong(kernel, "samplers of the program in a set of arguments"));
                }
                layouts.push(Arc::clone(fixed[index].1.layout()));
                sets.push(KernelSet::Literal(index));
                continue;
            }
            let (slots, sources): (Vec<_>, Vec<_>) = here
                .map(|f| {
                    let slot = Slot {
                        binding: f.at.binding,
                        kind: f.kind,
                    };
                    (slot, f.source)
                })
                .unzip();
            let layout = vk::SetLayout::get(logical, &slots).map_err(resources)?;
            layouts.push(Arc::clone(&layout));
            sets.push(KernelSet::Arguments { layout, sources });
        }
        let layout = vk::PipelineLayout::new(logical, layouts).map_err(resources)?;
        Ok(Some(KernelDescriptors {
            layout,
            sets,
            has_arguments: list.iter().any(|f| f.source == Source::ArgumentBuffer),
            blocks,
        }))
    }

    /// Returns the layout of the kernel's pipelines.
    pub(crate) fn layout(&self) -> &vk::PipelineLayout {
        &self.layout
    }

    /// Returns whether a set has the argument buffer.
    pub(crate) fn has_arguments(&self) -> bool {
        self.has_arguments
    }

    /// Returns the blocks of plain values that have descriptors of their own.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Fills the kernel's sets, in order, reusing recycled ones. The objects that the arguments name must live
    /// as long as the sets are in use (the caller).
    pub(crate) fn fill(&self, from: &Values<'_>, to: Filled<'_>) -> Result<()> {
        let Filled {
            recycled,
            scratch,
            sets: out,
        } = to;
        out.clear();
        for set in &self.sets {
            match set {
                KernelSet::Literal(index) => {
                    let fixed = from.module.literals().and_then(|l| l.sets.get(*index));
                    out.extend(fixed.map(|(_, f)| f.set()));
                }
                KernelSet::Arguments { layout, sources } => {
                    scratch.clear();
                    for source in sources {
                        scratch.push(self.descriptor(*source, from)?);
                    }
                    out.push(recycled.get(layout, scratch).map_err(resources)?);
                }
            }
        }
        Ok(())
    }
}

impl KernelDescriptors {
    fn descriptor(&self, source: Source, from: &Values<'_>) -> Result<vk::Descriptor> {
        let (device, args) = (from.device, from.args);
        let missing = || Error::new(ClCode::InvalidKernelArgs, "an argument that is no descriptor").at("5.8");
        match source {
            Source::ArgumentBuffer => {
                let (set, _) = from.plain.ok_or_else(missing)?;
                Ok(set.descriptor())
            }
            Source::Block(i) => {
                let (set, start) = from.plain.ok_or_else(missing)?;
                let block = self.blocks.get(i).ok_or_else(missing)?;
                Ok(set.part(start + u64::from(block.offset), u64::from(block.size)))
            }
            Source::Constants => Ok(vk::Descriptor::whole(
                from.module.constants().ok_or_else(missing)?,
            )),
            Source::EndedLoops => {
                let word = from.module.ended_loops().ok_or_else(missing)?;
                Ok(vk::Descriptor::whole(word.buffer()))
            }
            Source::Printf => Ok(vk::Descriptor::whole(from.printf.ok_or_else(missing)?)),
            Source::Buffer(i) => match args.get(i) {
                Some(ArgValue::Buffer(Some(buffer))) => {
                    let storage = buffer.storage(device)?;
                    // The range is rounded up to whole words as far as there is memory, because narrow accesses
                    // may be made as accesses to words.
                    let rest = storage.size().saturating_sub(buffer.offset());
                    let range = buffer.size().next_multiple_of(4).min(rest);
                    Ok(vk::Descriptor::buffer(storage, buffer.offset(), range))
                }
                Some(ArgValue::Buffer(None)) => {
                    let blank = from.module.blank().ok_or_else(missing)?;
                    Ok(vk::Descriptor::whole(blank))
                }
                Some(
                    ArgValue::Unset
                    | ArgValue::Pod(_)
                    | ArgValue::Address(_)
                    | ArgValue::Local(_)
                    | ArgValue::Sampler(_)
                    | ArgValue::Image { .. },
                )
                | None => Err(missing()),
            },
            Source::Argument(i) => match args.get(i) {
                Some(ArgValue::Image { image, write }) => match image.texel_buffer(device)? {
                    Some(texels) => Ok(vk::Descriptor::texels(texels)),
                    None => {
                        let storage = image.storage(device)?.ok_or_else(missing)?;
                        Ok(if *write {
                            vk::Descriptor::storage(storage)
                        } else {
                            vk::Descriptor::sampled(storage)
                        })
                    }
                },
                Some(ArgValue::Sampler(sampler)) => {
                    Ok(vk::Descriptor::sampler(sampler.on_device(device, false)?))
                }
                Some(
                    ArgValue::Unset
                    | ArgValue::Pod(_)
                    | ArgValue::Buffer(_)
                    | ArgValue::Address(_)
                    | ArgValue::Local(_),
                )
                | None => Err(missing()),
            },
            Source::Normalized(i) => match args.get(i) {
                Some(ArgValue::Sampler(sampler)) => {
                    Ok(vk::Descriptor::sampler(sampler.on_device(device, true)?))
                }
                Some(
                    ArgValue::Unset
                    | ArgValue::Pod(_)
                    | ArgValue::Buffer(_)
                    | ArgValue::Address(_)
                    | ArgValue::Local(_)
                    | ArgValue::Image { .. },
                )
                | None => Err(missing()),
            },
        }
    }
}
