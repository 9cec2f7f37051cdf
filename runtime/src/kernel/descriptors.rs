//! A kernel's descriptors: from the module's reflection to set layouts, and from argument values to sets.
//!
//! Kernels of buffers and plain values have none of this and share the device's common pipeline layout.

use std::sync::Arc;

use caldera_compiler::intrinsic::SamplerMask;
use caldera_compiler::reflect::{Binding, DataPlace, Descriptor, Kernel, LiteralSampler, Reflection};

use super::launch::ArgValue;
use super::pipeline::DeviceModule;
use crate::device::Device;
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
    _samplers: Vec<Arc<vk::Sampler>>,
}

impl Literals {
    /// `None`: the module has none.
    pub(super) fn new(device: &Device, list: &[LiteralSampler]) -> Result<Option<Literals>> {
        if list.is_empty() {
            return Ok(None);
        }
        let logical = device.logical()?;
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
        Ok(Some(Literals {
            sets,
            _samplers: all.into_iter().map(|(_, s)| s).collect(),
        }))
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

impl KernelDescriptors {
    /// `None`: the kernel has no descriptors but, perhaps, its argument buffer.
    pub(super) fn new(
        device: &Device,
        reflection: &Reflection,
        kernel: &Kernel,
        literals: Option<&Literals>,
    ) -> Result<Option<KernelDescriptors>> {
        let wrong = |what: &'static str| Error::new(ClCode::InvalidBinary, what);
        let mut slots: Vec<(Descriptor, DescriptorKind, Source)> = Vec::new();
        for (i, arg) in kernel.args.iter().enumerate() {
            let Some((at, kind)) = arg.binding.and_then(kind) else {
                continue;
            };
            let source = match arg.binding {
                Some(Binding::NormalizedSampler(_)) => Source::Normalized(i),
                Some(Binding::StorageBuffer(_) | Binding::UniformBuffer(_)) => Source::Buffer(i),
                _ => Source::Argument(i),
            };
            slots.push((at, kind, source));
            if let Some(at) = arg.normalized_sampler {
                slots.push((at, DescriptorKind::Sampler, Source::Normalized(i)));
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
                Some(DataPlace::StorageBuffer(at)) => slots.push((at, DescriptorKind::StorageBuffer, source)),
                Some(DataPlace::UniformBuffer(at)) => slots.push((at, DescriptorKind::UniformBuffer, source)),
                Some(DataPlace::PointerPush(_)) | None => {}
            }
        }
        let pods = kernel.pod_blocks();
        let mut blocks = Vec::new();
        let arguments = match pods[..] {
            [] => None,
            [one] if !one.storage => {
                if slots.is_empty() && (one.at.set, one.at.binding) == (0, 0) {
                    // The device's common layout has it.
                    return Ok(None);
                }
                slots.push((one.at, DescriptorKind::Arguments, Source::ArgumentBuffer));
                Some(one)
            }
            _ => {
                let mut offset = 0;
                for (i, pod) in pods.iter().enumerate() {
                    let kind = match pod.storage {
                        true => DescriptorKind::StorageBuffer,
                        false => DescriptorKind::UniformBuffer,
                    };
                    slots.push((pod.at, kind, Source::Block(i)));
                    blocks.push(Block {
                        at: pod.at,
                        offset,
                        size: pod.size,
                    });
                    offset = (offset + pod.size).next_multiple_of(BLOCK_ALIGN);
                }
                None
            }
        };
        if slots.is_empty() {
            // Without images there is nothing to sample either.
            return Ok(None);
        }
        let bindings = &device.limits().bindings;
        let count = |of: DescriptorKind| slots.iter().filter(|(_, kind, _)| *kind == of).count();
        let uniform = count(DescriptorKind::UniformBuffer) + count(DescriptorKind::Arguments);
        if count(DescriptorKind::StorageBuffer) > bindings.storage_count || uniform > bindings.uniform_count {
            log::error!(
                "kernel '{}' has more buffers than a kernel of the device may have as descriptors ({})",
                kernel.name,
                bindings.storage_count
            );
            return Err(Error::new(
                ClCode::OutOfResources,
                "more buffers than the device has descriptors for",
            ));
        }
        slots.sort_by_key(|(at, ..)| *at);
        if slots.windows(2).any(|w| w[0].0 == w[1].0) {
            return Err(wrong("two arguments of a kernel have one descriptor"));
        }
        let literal = |n: u32| literals?.sets.iter().position(|(set, _)| *set == n);
        let fixed = literals.map_or(&[][..], |l| &l.sets);
        let count = slots
            .iter()
            .map(|(at, ..)| at.set)
            .chain(fixed.iter().map(|(n, _)| *n))
            .max();
        let count = count.map_or(0, |n| n.saturating_add(1));
        if count > bindings.sets.min(32) {
            return Err(wrong("a descriptor set of that number"));
        }
        let logical = device.logical()?;
        let mut sets = Vec::new();
        let mut layouts = Vec::new();
        for number in 0..count {
            let here = slots.iter().filter(|(at, ..)| at.set == number);
            if let Some(index) = literal(number) {
                if here.count() > 0 {
                    return Err(wrong("samplers of the program in a set of arguments"));
                }
                layouts.push(Arc::clone(fixed[index].1.layout()));
                sets.push(KernelSet::Literal(index));
                continue;
            }
            let (list, sources): (Vec<_>, Vec<_>) = here
                .map(|(at, kind, source)| {
                    let slot = Slot {
                        binding: at.binding,
                        kind: *kind,
                    };
                    (slot, *source)
                })
                .unzip();
            let layout = vk::SetLayout::get(logical, &list).map_err(resources)?;
            layouts.push(Arc::clone(&layout));
            sets.push(KernelSet::Arguments { layout, sources });
        }
        let layout = vk::PipelineLayout::new(logical, layouts).map_err(resources)?;
        Ok(Some(KernelDescriptors {
            layout,
            sets,
            has_arguments: arguments.is_some(),
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
