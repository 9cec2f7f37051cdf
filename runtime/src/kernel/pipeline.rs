//! A program on a device: shader module, constant data, and the pipelines of its kernels.
//!
//! A pipeline is a kernel specialised for a work-group size, a size of the local arena (or of arrays in local memory)
//! and, if the kernel asks for it, a work dimension. Variants are made on first use and kept with the module; the one of a kernel
//! whose work-group size is required is made when the kernel object is, by a thread for builds. No lock is held while the driver
//! compiles: threads that want the same variant wait for the one that makes it, and nobody else does.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use caldera_compiler::reflect::{self, Binding, DataPlace, PushRange, Reflection, spec_id};
use caldera_compiler::spirv;

use super::descriptors::{self, KernelDescriptors, Literals};
use super::local_size::Wishes;
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::lock::{Mutex, Rank};
use crate::mem::HostPtr;
use crate::vk;

use super::driver_cache::DriverCache;

/// A SPIR-V module on a device.
pub struct DeviceModule {
    device: Arc<Device>,
    /// By their places in the reflection, made with the first [`DeviceKernel`]: kernel objects come and go.
    kernels: Box<[OnceLock<Made>]>,
    /// `None` for a program without kernels, which is no shader to Vulkan.
    shader: Option<vk::Shader>,
    driver_cache: DriverCache,
    reflection: Reflection,
    /// The buffer with `__constant` data, and how kernels reach it.
    constants: Option<(vk::Buffer, DataPlace)>,
    /// What stands for NULL where there must be a descriptor.
    blank: Option<vk::Buffer>,
    literals: Option<Literals>,
    /// Compiles the program again for NDRanges beyond 32 bits, if that can be done.
    widen: OnceLock<Widen>,
    wide: OnceLock<std::result::Result<Arc<DeviceModule>, (ClCode, String)>>,
}

/// Compiles a program for NDRanges beyond 32 bits.
pub(crate) type Widen = Box<dyn Fn() -> std::result::Result<Arc<[u32]>, String> + Send + Sync>;

impl std::fmt::Debug for DeviceModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceModule")
            .field("kernels", &self.reflection.kernels.len())
            .finish_non_exhaustive()
    }
}

/// What a pipeline is specialised for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Variant {
    /// Work-group size.
    pub local: [u32; 3],
    /// Bytes of the local arena.
    pub arena: u32,
    /// 0 if the kernel does not ask.
    pub work_dim: u32,
    /// Numbers of elements of arguments in local memory, in their order, where each is an array of its own.
    pub arrays: [u32; MAX_ARRAYS],
    /// 0 unless it is a specialization constant.
    pub offset: [u32; 3],
}

/// Local arguments of a kernel that are arrays of their own.
pub(crate) const MAX_ARRAYS: usize = 16;

/// A kernel's pipelines.
#[derive(Default)]
struct Variants {
    made: Vec<(Variant, Arc<Slot>)>,
    wishes: Wishes,
}

/// A pipeline that has been made, could not be, or is in the making.
type Slot = OnceLock<std::result::Result<Arc<vk::Pipeline>, Refused>>;

/// Why there is no pipeline.
#[derive(Clone)]
struct Refused {
    code: ClCode,
    what: String,
}

/// What the driver has of a kernel, and what is known of its launches.
struct Made {
    push_size: usize,
    args_size: usize,
    variants: Mutex<Variants>,
    /// Behind the pipelines, which are made with its layout.
    descriptors: Option<KernelDescriptors>,
}

/// A kernel of a [`DeviceModule`].
pub struct DeviceKernel {
    module: Arc<DeviceModule>,
    /// In the module's reflection, and among what it has made.
    index: usize,
}

impl std::fmt::Debug for DeviceKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeviceKernel")
            .field(&self.reflection().name)
            .finish()
    }
}

/// Bytes of [`DeviceModule::blank`].
const BLANK: u64 = 256;

fn unusable(what: impl std::fmt::Display) -> Error {
    log::error!("the module cannot be used: {what}");
    Error::new(
        ClCode::InvalidBinary,
        format!("the module cannot be used: {what}"),
    )
}

/// cl_intel_required_subgroup_size is not there: kernels that depend on the size of sub-groups run where it is theirs.
fn check_subgroup_size(reflection: &Reflection, shader: &vk::Shader, size: u32) -> Result<()> {
    if !shader.uses_subgroups() {
        return Ok(());
    }
    for k in &reflection.kernels {
        if let Some(wanted) = k.required_subgroup_size()
            && wanted != size
        {
            return Err(unusable(format_args!(
                "kernel '{}' requires sub-groups of {wanted} work-items, and the device's have {size}",
                k.name
            )));
        }
    }
    Ok(())
}

impl DeviceModule {
    /// Hands a module to the driver and uploads its constant data. `words` is what the compiler emitted for
    /// [`Device::target`]; its reflection is read here.
    pub fn new(device: &Arc<Device>, words: &[u32]) -> Result<Arc<DeviceModule>> {
        let reflection = reflect::read(words).map_err(unusable)?;
        DeviceModule::with_reflection(device, words, reflection)
    }

    /// As [`DeviceModule::new`], with the reflection read already.
    pub fn with_reflection(
        device: &Arc<Device>,
        words: &[u32],
        reflection: Reflection,
    ) -> Result<Arc<DeviceModule>> {
        let logical = &device.logical()?;
        // Drivers and validation layers older than the reflection's revision refuse it; none needs it.
        let mut stripped = reflect::strip(words).map_err(unusable)?;
        if device.quirks().waiting_fences {
            // Modules from elsewhere do not know of it.
            spirv::relax(&mut stripped);
        }
        crate::program::dump::module(&stripped);
        let shader = if reflection.kernels.is_empty() {
            None
        } else {
            let shader = vk::Shader::new(logical, &stripped).map_err(|e| {
                Error::new(ClCode::OutOfResources, "the driver refuses the shader module").from_source(e)
            })?;
            check_subgroup_size(&reflection, &shader, device.limits().subgroup)?;
            Some(shader)
        };
        let constants = match (&reflection.constant_data, &reflection.program_variables) {
            (None, None) => None,
            (Some(data), None) | (None, Some(data)) => {
                let size = (data.bytes.len() as u64).max(16);
                let buffer = vk::Buffer::new(logical, size, vk::Place::Device)
                    .map_err(crate::mem::buffer::allocation_error)?;
                let mut bytes = data.bytes.clone();
                for r in &reflection.relocations {
                    let (at, width) = (r.pointer_offset as usize, r.pointer_size as usize);
                    let address = (buffer.address() + u64::from(r.object_offset)).to_le_bytes();
                    let (Some(to), Some(from)) = (bytes.get_mut(at..at + width), address.get(..width)) else {
                        return Err(unusable("a relocation out of bounds"));
                    };
                    to.copy_from_slice(from);
                }
                if !bytes.is_empty() {
                    device.upload(&buffer, 0, HostPtr::of_slice(&bytes), bytes.len() as u64)?;
                }
                Some((buffer, data.place))
            }
            (Some(_), Some(_)) => return Err(unusable("two blobs of constant data")),
        };
        let literals = Literals::new(device, &reflection.literal_samplers)?;
        descriptors::check_module(&reflection, literals.as_ref())?;
        let mut bindings = reflection.kernels.iter().flat_map(|k| &k.args).map(|a| a.binding);
        let blank = match bindings
            .any(|b| matches!(b, Some(Binding::StorageBuffer(_) | Binding::UniformBuffer(_))))
        {
            true => Some(
                vk::Buffer::new(logical, BLANK, vk::Place::Device)
                    .map_err(crate::mem::buffer::allocation_error)?,
            ),
            false => None,
        };
        Ok(Arc::new(DeviceModule {
            device: Arc::clone(device),
            driver_cache: DriverCache::new(logical, &stripped)?,
            literals,
            shader,
            kernels: reflection.kernels.iter().map(|_| OnceLock::new()).collect(),
            reflection,
            constants,
            blank,
            widen: OnceLock::new(),
            wide: OnceLock::new(),
        }))
    }

    /// Says how the program is compiled for NDRanges beyond 32 bits ([`Target::wide_ranges`]). Hardly a program ever needs that, so
    /// that it is done by the first launch that does.
    ///
    /// [`Target::wide_ranges`]: caldera_compiler::target::Target::wide_ranges
    pub(crate) fn on_wide(&self, widen: Widen) {
        let _ = self.widen.set(widen);
    }

    /// The program for NDRanges beyond 32 bits.
    fn wide(&self) -> Result<&Arc<DeviceModule>> {
        let made = self.wide.get_or_init(|| {
            let Some(widen) = self.widen.get() else {
                let what = "a program binary is for NDRanges of 32 bits; a program from source is for any";
                log::error!("launch: {what}");
                return Err((ClCode::OutOfResources, what.to_owned()));
            };
            let words = widen().map_err(|log| {
                log::error!("launch: the program cannot be compiled for an NDRange of 64 bits: {log}");
                let what = "the program cannot be compiled for the NDRange";
                (ClCode::OutOfResources, what.to_owned())
            })?;
            DeviceModule::new(&self.device, &words).map_err(|e| (e.code, e.chain()))
        });
        made.as_ref()
            .map_err(|(code, what)| Error::new(*code, what.clone()).at("5.8"))
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// What the module says about itself.
    pub fn reflection(&self) -> &Reflection {
        &self.reflection
    }

    /// The kernel of that name. An error if the module's descriptors make no sense, or there is no memory for them.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Option<Arc<DeviceKernel>>> {
        let Some(index) = self.reflection.kernels.iter().position(|k| k.name == name) else {
            return Ok(None);
        };
        if self.kernels[index].get().is_none() {
            let made = self.make(&self.reflection.kernels[index])?;
            // Another thread's is as good.
            let _ = self.kernels[index].set(made);
        }
        Ok(Some(Arc::new(DeviceKernel {
            module: Arc::clone(self),
            index,
        })))
    }

    fn make(&self, kernel: &reflect::Kernel) -> Result<Made> {
        let (name, push_size) = (&kernel.name, self.reflection.push_size(kernel));
        if push_size > self.device.limits().push_constants {
            return Err(unusable(format_args!(
                "kernel '{name}': that many push constants"
            )));
        }
        let literals = self.literals.as_ref();
        let descriptors = KernelDescriptors::new(&self.device, &self.reflection, kernel, literals)?;
        let args_size = match descriptors.as_ref().and_then(|d| d.blocks().last()) {
            Some(last) => last.offset + last.size,
            None => kernel.args_buffer().map_or(0, |(_, size)| size),
        };
        if u64::from(args_size) > vk::ArgsSet::RANGE {
            return Err(unusable(format_args!("kernel '{name}': that many plain values")));
        }
        Ok(Made {
            args_size: args_size as usize,
            descriptors,
            push_size: push_size as usize,
            variants: Mutex::new(Rank::Pipelines, Variants::default()),
        })
    }

    /// The samplers that the program declares.
    pub(crate) fn literals(&self) -> Option<&Literals> {
        self.literals.as_ref()
    }

    /// The string at a pointer into the constant data, without its end.
    pub(crate) fn constant_string(&self, address: u64) -> Option<&[u8]> {
        let start = match self.constants.as_ref()? {
            (buffer, DataPlace::PointerPush(_)) => buffer.address(),
            (_, DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_)) => reflect::CONSTANT_POINTER,
        };
        let reflection = &self.reflection;
        let data = reflection
            .constant_data
            .as_ref()
            .or(reflection.program_variables.as_ref())?;
        let offset = usize::try_from(address.checked_sub(start)?).ok()?;
        let tail = data.bytes.get(offset..)?;
        let end = tail.iter().position(|b| *b == 0)?;
        Some(&tail[..end])
    }

    /// Address of the constant data and where it goes, if kernels reach it by that.
    pub(crate) fn constant_data(&self) -> Option<(u64, PushRange)> {
        match self.constants.as_ref()? {
            (buffer, DataPlace::PointerPush(range)) => Some((buffer.address(), *range)),
            (_, DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_)) => None,
        }
    }

    /// The buffer with the constant data.
    pub(crate) fn constants(&self) -> Option<&vk::Buffer> {
        self.constants.as_ref().map(|(buffer, _)| buffer)
    }

    /// What stands for NULL where there must be a descriptor.
    pub(crate) fn blank(&self) -> Option<&vk::Buffer> {
        self.blank.as_ref()
    }
}

impl DeviceKernel {
    fn made(&self) -> &Made {
        let made = self.module.kernels[self.index].get();
        made.expect("made before the first DeviceKernel")
    }

    /// The module.
    pub fn module(&self) -> &Arc<DeviceModule> {
        &self.module
    }

    /// What the module says about the kernel.
    pub fn reflection(&self) -> &reflect::Kernel {
        &self.module.reflection.kernels[self.index]
    }

    /// CL_KERNEL_WORK_GROUP_SIZE.
    pub fn max_work_group_size(&self) -> usize {
        match self.reflection().required_size {
            Some(size) => size.iter().map(|n| *n as usize).product(),
            None => self.module.device.info().max_work_group_size,
        }
    }

    /// CL_KERNEL_LOCAL_MEM_SIZE without `__local` arguments.
    pub fn local_mem_size(&self) -> u64 {
        u64::from(self.reflection().local_fixed)
    }

    /// CL_KERNEL_PRIVATE_MEM_SIZE. Vulkan does not tell.
    pub fn private_mem_size(&self) -> u64 {
        0
    }

    /// The kernel's own descriptor sets, if it has any.
    pub(crate) fn descriptors(&self) -> Option<&KernelDescriptors> {
        self.made().descriptors.as_ref()
    }

    /// Whether an NDRange with an offset, or of several dispatches, can be launched: modules of other compilers may have
    /// no way to tell the kernel.
    pub(crate) fn check_regions(&self, offset: [u64; 3], groups: [u64; 3], limit: [u32; 3]) -> Result<()> {
        let reflection = &self.module.reflection;
        if !reflection.asks_place {
            return Ok(());
        }
        let (push, spec) = (&reflection.push, &reflection.spec);
        let has_regions = push.region_offset.is_some() || push.region_group_offset.is_some();
        let has_offset = push.global_offset.is_some() || has_regions || spec.global_offset.is_some();
        let what = if offset != [0; 3] && !has_offset {
            "the program was compiled without global offsets"
        } else if (0..3).any(|d| groups[d] > u64::from(limit[d])) && !has_regions {
            "the program was compiled for NDRanges of one dispatch"
        } else {
            return Ok(());
        };
        log::error!("launch: {what}");
        Err(Error::new(ClCode::OutOfResources, what).at("5.8"))
    }

    /// The same kernel for NDRanges beyond 32 bits.
    pub(crate) fn wide(&self) -> Result<Arc<DeviceKernel>> {
        let found = self.module.wide()?.kernel(&self.reflection().name)?;
        let same =
            found.filter(|k| super::args::kinds(k.reflection()) == super::args::kinds(self.reflection()));
        same.ok_or_else(|| {
            log::error!("launch: files that the program includes have changed since it was built");
            Error::new(ClCode::OutOfResources, "the program is another one now").at("5.8")
        })
    }

    /// Bytes of push constants of a launch.
    pub(crate) fn push_size(&self) -> usize {
        self.made().push_size
    }

    /// Bytes of the argument buffer of a launch.
    pub(crate) fn args_size(&self) -> usize {
        self.made().args_size
    }

    /// The work-group size of a small NDRange that may have any: `wanted`, or one that there is a pipeline for.
    pub(super) fn settle(&self, wanted: [u32; 3], global: [u64; 3]) -> [u32; 3] {
        let mut variants = self.made().variants.lock();
        let Variants { made, wishes } = &mut *variants;
        wishes.settle(wanted, global, made.iter().map(|(v, _)| v.local))
    }

    /// The pipeline of a variant, made by this thread if no other does.
    pub(crate) fn pipeline(&self, variant: Variant) -> Result<Arc<vk::Pipeline>> {
        let slot = {
            let mut variants = self.made().variants.lock();
            match variants.made.iter().find(|(v, _)| *v == variant) {
                Some((_, slot)) => match slot.get() {
                    Some(Ok(pipeline)) => return Ok(Arc::clone(pipeline)),
                    Some(Err(_)) | None => Arc::clone(slot),
                },
                None => {
                    let slot = Arc::new(Slot::new());
                    variants.made.push((variant, Arc::clone(&slot)));
                    slot
                }
            }
        };
        let made = slot.get_or_init(|| {
            self.make_pipeline(&variant).map_err(|e| Refused {
                code: e.code,
                what: e.chain(),
            })
        });
        made.clone().map_err(|e| {
            // The next launch tries again.
            let mut variants = self.made().variants.lock();
            variants.made.retain(|(_, s)| !Arc::ptr_eq(s, &slot));
            Error::new(e.code, e.what).at("5.8")
        })
    }

    /// What launches will be specialised for, if that is known before the first of them.
    fn known_variant(&self) -> Option<Variant> {
        let kernel = self.reflection();
        let reflection = &self.module.reflection;
        let is_local = |a: &reflect::Arg| matches!(a.binding, Some(Binding::Workgroup { .. }));
        if reflection.spec.work_dim.is_some() || kernel.args.iter().any(is_local) {
            return None;
        }
        Some(Variant {
            local: kernel.required_size?,
            arena: self.arena(kernel.local_fixed),
            work_dim: 0,
            arrays: [0; MAX_ARRAYS],
            offset: [0; 3],
        })
    }

    /// Has the pipeline made that the first launch will want, if that is known, by a thread of the context.
    pub(crate) fn make_early(self: &Arc<Self>, context: &Context) {
        let Some(variant) = self.known_variant() else {
            return;
        };
        if self
            .made()
            .variants
            .lock()
            .made
            .iter()
            .any(|(v, _)| *v == variant)
        {
            return;
        }
        let mut kernel = Some(Arc::clone(self));
        context.build(Box::new(move || {
            crate::process::unless_over(|| {
                if let Some(kernel) = kernel.take() {
                    // The launch says what is wrong, if anything is.
                    drop(kernel.pipeline(variant));
                }
            });
            // It is left only if the process ends, and then nothing is torn down.
            std::mem::forget(kernel);
        }));
    }

    /// Bytes of the local arena of a launch that uses `bytes` of it.
    pub(super) fn arena(&self, bytes: u32) -> u32 {
        let limits = self.module.device.limits();
        if !self.reflection().has_arena {
            return 4;
        }
        let step = limits.local_step.max(16);
        bytes.max(4).next_multiple_of(step).min(limits.local_memory)
    }

    fn make_pipeline(&self, variant: &Variant) -> Result<Arc<vk::Pipeline>> {
        crate::process::made_pipeline();
        let spec = &self.module.reflection.spec;
        let mut constants = Vec::with_capacity(5);
        if let Some(ids) = spec.workgroup_size {
            constants.extend(ids.into_iter().zip(variant.local));
        }
        if self.reflection().has_arena {
            constants.push((spec_id::LOCAL_BYTES, variant.arena));
        }
        if let Some(id) = spec.work_dim {
            constants.push((id, variant.work_dim));
        }
        if let Some(ids) = spec.global_offset {
            constants.extend(ids.into_iter().zip(variant.offset));
        }
        if let Some(id) = spec.subgroup_max_size {
            constants.push((id, self.module.device.limits().subgroup));
        }
        let arrays = self.reflection().args.iter().filter_map(|a| match a.binding {
            Some(Binding::Workgroup {
                spec_id,
                offset: None,
                ..
            }) => Some(spec_id),
            _ => None,
        });
        constants.extend(arrays.zip(variant.arrays));
        let start = Instant::now();
        let name = &self.reflection().name;
        let Some(shader) = &self.module.shader else {
            return Err(unusable("kernels without a shader"));
        };
        let driver_cache = &self.module.driver_cache;
        let layout = self.made().descriptors.as_ref().map(|d| d.layout());
        let (pipeline, known) = vk::Pipeline::new(shader, layout, name, &constants, &driver_cache.raw)
            .map_err(|e| {
                Error::new(
                    ClCode::OutOfResources,
                    format!("the driver refuses the pipeline of {name}"),
                )
                .at("5.8")
                .from_source(e)
            })?;
        log::debug!(
            "pipeline {name} {variant:?} in {:?}{}",
            start.elapsed(),
            if known { ", from the cache" } else { "" }
        );
        if !known {
            driver_cache.save();
        }
        crate::process::made_pipeline();
        Ok(Arc::new(pipeline))
    }
}
