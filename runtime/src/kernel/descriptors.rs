//! A kernel's descriptors: from the module's reflection to set layouts, and from argument values to sets.
//!
//! Kernels of buffers and plain values have none of this and share the device's common pipeline layout.

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

/// What fills a slot.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Source {
    /// The argument buffer.
    ArgumentBuffer,
    /// What the argument of this ordinal is.
    Argument(usize),
    /// A sampler argument, with normalized coordinates.
    Normalized(usize),
    /// The buffer that the argument of this ordinal is.
    Buffer(usize),
    /// Plain values: this one of the kernel's blocks.
    Block(usize),
    /// The program's constant data.
    Constants,
    /// The printf buffer.
    Printf,
}

/// A part of a launch's plain values that has a descriptor of its own.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Block {
    /// The descriptor.
    pub at: Descriptor,
    /// Where it starts in the launch's bytes.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

/// Starts of blocks: no device asks for more.
pub(crate) const BLOCK_ALIGN: u32 = 256;

/// The literal samplers of a module: sets by number.
pub(crate) struct Literals {
    sets: Vec<(u32, vk::FixedSet)>,
    /// Immutable in the sets' layouts.
    samplers: Vec<(Descriptor, Arc<vk::Sampler>)>,
}

impl Literals {
    /// `None`: the module has none.
    pub(super) fn new(device: &Device, list: &[LiteralSampler]) -> Result<Option<Literals>> {
        if list.is_empty() {
            return Ok(None);
        }
        let logical = &device.logical()?;
        let mut all: Vec<(Descriptor, Arc<vk::Sampler>)> = list
            .iter()
            .map(|s| Ok((s.at, device.sampler(SamplerMask(s.mask))?)))
            .collect::<Result<_>>()?;
        all.sort_by_key(|(at, _)| *at);
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

/// A set of a kernel.
enum KernelSet {
    /// Of arguments; empty for a number that nothing uses.
    Arguments {
        layout: Arc<vk::SetLayout>,
        sources: Vec<Source>,
    },
    /// The module's, at this place in [`Literals`].
    Literal(usize),
}

/// Where filled sets come from and go to.
pub(crate) struct Filled<'a> {
    pub recycled: &'a mut vk::RecycledSets,
    /// Any contents; so that no launch allocates.
    pub scratch: &'a mut Vec<vk::Descriptor>,
    /// The sets.
    pub sets: &'a mut Vec<vk::Set>,
}

/// What a launch's descriptors are made of.
pub(crate) struct Values<'a> {
    /// Index of the device in the context.
    pub device: usize,
    pub module: &'a DeviceModule,
    pub args: &'a [ArgValue],
    /// The buffer with plain values, and where the launch's start in it.
    pub plain: Option<(&'a vk::ArgsSet, u64)>,
    pub printf: Option<&'a vk::Buffer>,
}

/// A kernel's sets 0, 1, … and its pipelines' layout.
pub(crate) struct KernelDescriptors {
    layout: vk::PipelineLayout,
    sets: Vec<KernelSet>,
    /// A set holds the argument buffer.
    has_arguments: bool,
    /// Plain values that are not in it.
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

/// A descriptor of a kernel, and what fills it.
#[derive(Copy, Clone, Debug)]
struct Filling {
    at: Descriptor,
    kind: DescriptorKind,
    source: Source,
}

/// All descriptors of a kernel but the module's samplers, in ascending order, with the plain values that are blocks of
/// their own.
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
    list.sort_by_key(|f| f.at);
    Ok((list, blocks))
}

fn wrong(kernel: &Kernel, what: &str) -> Error {
    let text = format!("kernel '{}': {what}", kernel.name);
    log::error!("the module cannot be used: {text}");
    Error::new(ClCode::InvalidBinary, text)
}

/// Whether a descriptor of that kind can stand where the code has such a resource.
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

/// Refuses a module of whose kernels the reflection says what cannot be: a descriptor that is two things, or that the code
/// uses and nothing fills.
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

/// Whether the device has as many.
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
    /// `None`: the kernel has no descriptors but, perhaps, its argument buffer.
    pub(super) fn new(
        device: &Device,
        reflection: &Reflection,
        kernel: &Kernel,
        literals: Option<&Literals>,
    ) -> Result<Option<KernelDescriptors>> {
        let (list, blocks) = fillings(reflection, kernel)?;
        let bindings = &device.limits().bindings;
        check_counts(kernel, &list, bindings)?;
        let common = Descriptor { set: 0, binding: 0 };
        match list[..] {
            // Without images there is nothing to sample either.
            [] => return Ok(None),
            // The device's common layout has it.
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

    /// The pipelines' layout.
    pub(crate) fn layout(&self) -> &vk::PipelineLayout {
        &self.layout
    }

    /// Whether a set holds the argument buffer.
    pub(crate) fn has_arguments(&self) -> bool {
        self.has_arguments
    }

    /// Plain values with descriptors of their own.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The sets for some arguments, in order, from sets that are used again. `arguments` is the argument buffer.
    /// What the arguments name lives as long as the sets are in use (the caller).
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
            Source::Printf => Ok(vk::Descriptor::whole(from.printf.ok_or_else(missing)?)),
            Source::Buffer(i) => match args.get(i) {
                Some(ArgValue::Buffer(Some(buffer))) => {
                    let storage = buffer.storage(device)?;
                    // Whole words, as far as there is memory: narrow accesses may be parts of words.
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
                Some(ArgValue::Unset | ArgValue::Pod(_) | ArgValue::Buffer(_) | ArgValue::Local(_))
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
                    | ArgValue::Local(_)
                    | ArgValue::Image { .. },
                )
                | None => Err(missing()),
            },
        }
    }
}
