//! A kernel's descriptors: from the module's reflection to set layouts, and from argument values to sets.
//!
//! Kernels of buffers and plain values have none of this and share the device's common pipeline layout.

use std::sync::Arc;

use caldera_compiler::intrinsic::SamplerMask;
use caldera_compiler::reflect::{Binding, Descriptor, Kernel, LiteralSampler};

use super::launch::ArgValue;
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
}

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

/// A kernel's sets 0, 1, … and its pipelines' layout.
pub(crate) struct KernelDescriptors {
    layout: vk::PipelineLayout,
    sets: Vec<KernelSet>,
    /// A set holds the argument buffer.
    has_arguments: bool,
}

fn kind(binding: Binding) -> Option<(Descriptor, DescriptorKind)> {
    match binding {
        Binding::SampledImage(at) => Some((at, DescriptorKind::SampledImage)),
        Binding::StorageImage(at) => Some((at, DescriptorKind::StorageImage)),
        Binding::Sampler(at) | Binding::NormalizedSampler(at) => Some((at, DescriptorKind::Sampler)),
        Binding::UniformTexelBuffer(at) => Some((at, DescriptorKind::UniformTexelBuffer)),
        Binding::StorageTexelBuffer(at) => Some((at, DescriptorKind::StorageTexelBuffer)),
        // Buffers as descriptors are refused at launch.
        Binding::StorageBuffer(_)
        | Binding::UniformBuffer(_)
        | Binding::Pod(_)
        | Binding::Pointer(_)
        | Binding::Workgroup { .. } => None,
    }
}

impl KernelDescriptors {
    /// `None`: the kernel has no descriptors but, perhaps, its argument buffer.
    pub(super) fn new(
        device: &Device,
        kernel: &Kernel,
        literals: Option<&Literals>,
    ) -> Result<Option<KernelDescriptors>> {
        let mut slots: Vec<(Descriptor, DescriptorKind, Source)> = Vec::new();
        for (i, arg) in kernel.args.iter().enumerate() {
            let Some((at, kind)) = arg.binding.and_then(kind) else {
                continue;
            };
            let source = match arg.binding {
                Some(Binding::NormalizedSampler(_)) => Source::Normalized(i),
                _ => Source::Argument(i),
            };
            slots.push((at, kind, source));
            if let Some(at) = arg.normalized_sampler {
                slots.push((at, DescriptorKind::Sampler, Source::Normalized(i)));
            }
        }
        if slots.is_empty() {
            // Without images there is nothing to sample either.
            return Ok(None);
        }
        let arguments = kernel.args_buffer();
        if let Some((at, _)) = arguments {
            slots.push((at, DescriptorKind::Arguments, Source::ArgumentBuffer));
        }
        slots.sort_by_key(|(at, ..)| *at);
        let wrong = |what: &'static str| Error::new(ClCode::InvalidBinary, what);
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
        // Vulkan has at least 4 sets, and no device has many more.
        let count = count.map_or(0, |n| n.saturating_add(1));
        if count > 8 {
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

    /// The sets for some arguments, in order, from sets that are used again. `arguments` is the argument buffer.
    /// What the arguments name lives as long as the sets are in use (the caller).
    pub(crate) fn fill(
        &self,
        device: usize,
        literals: Option<&Literals>,
        args: &[ArgValue],
        arguments: Option<vk::Descriptor>,
        to: Filled<'_>,
    ) -> Result<()> {
        let Filled {
            recycled,
            scratch,
            sets: out,
        } = to;
        out.clear();
        for set in &self.sets {
            match set {
                KernelSet::Literal(index) => {
                    let fixed = literals.and_then(|l| l.sets.get(*index));
                    out.extend(fixed.map(|(_, f)| f.set()));
                }
                KernelSet::Arguments { layout, sources } => {
                    scratch.clear();
                    for source in sources {
                        scratch.push(descriptor(*source, device, args, arguments)?);
                    }
                    out.push(recycled.get(layout, scratch).map_err(resources)?);
                }
            }
        }
        Ok(())
    }
}

fn descriptor(
    source: Source,
    device: usize,
    args: &[ArgValue],
    arguments: Option<vk::Descriptor>,
) -> Result<vk::Descriptor> {
    let missing = || Error::new(ClCode::InvalidKernelArgs, "an argument that is no descriptor").at("5.8");
    match source {
        Source::ArgumentBuffer => arguments.ok_or_else(missing),
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
            Some(ArgValue::Unset | ArgValue::Pod(_) | ArgValue::Buffer(_) | ArgValue::Local(_)) | None => {
                Err(missing())
            }
        },
        Source::Normalized(i) => match args.get(i) {
            Some(ArgValue::Sampler(sampler)) => Ok(vk::Descriptor::sampler(sampler.on_device(device, true)?)),
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
