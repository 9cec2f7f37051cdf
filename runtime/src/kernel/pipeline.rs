//! A program on a device: its shader module, its constant data, and the pipelines of its kernels.
//!
//! A pipeline is a kernel specialised for a work-group size, for a number of work-groups that run as one, for a size of the
//! local memory arena (or of the arrays in local memory) and, if the kernel uses it, for a work dimension. Each variant is made
//! at its first use, or before that if it is known or probable (`early.rs`), and kept with the module. No lock is held while
//! the driver compiles: only threads that need the same variant wait for the thread that makes it.

mod stand_in;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use caldera_compiler::check::Notes;
use caldera_compiler::reflect::{self, Binding, DataPlace, Packing, PushRange, Reflection, spec_id};
use caldera_compiler::spirv;
use once_cell::sync::OnceCell;

use super::Range;
use super::code::Code;
use super::descriptors::{self, KernelDescriptors, Literals};
use super::driver_cache::DriverCache;
use super::early::Prediction;
use super::ended::EndedLoops;
use super::launched::Launched;
use super::local_size;
use super::local_size::Wishes;
use super::program_data::ProgramData;
use crate::context::Context;
use crate::device::Device;
use crate::error::{ClCode, Error, Result};
use crate::lock::{Guard, Mutex, Rank};
use crate::observe::{self, Observer, Times, now};
use crate::queue::Access;
use crate::vk;

/// A SPIR-V module on a device.
pub struct DeviceModule {
    device: Arc<Device>,
    /// The kernels' state by their index in the reflection, made with the first [`DeviceKernel`]; it outlives
    /// the kernel objects.
    kernels: Box<[OnceCell<Made>]>,
    code: Code,
    driver_cache: DriverCache,
    launched: Launched,
    prediction: Mutex<Prediction>,
    reflection: Reflection,
    /// The `__constant` data and program-scope variables.
    constants: Option<ProgramData>,
    /// The buffer that is bound for a null pointer where a descriptor is required.
    blank: Option<vk::Buffer>,
    literals: Option<Literals>,
    /// What the checks of its kernels leave out, and what they need.
    notes: Vec<Notes>,
    ended_loops: Option<EndedLoops>,
    /// A hash of the program, if the process is observed and this is a module of the application.
    identity: OnceLock<u64>,
    /// Compiles the program again for NDRanges beyond 32 bits, if that is possible.
    widen: OnceLock<Widen>,
    wide: OnceLock<std::result::Result<Arc<DeviceModule>, (ClCode, String)>>,
}

/// Compiles a program for NDRanges beyond 32 bits. The result is SPIR-V or the build log.
pub(crate) type Widen = Box<dyn Fn() -> std::result::Result<Arc<[u32]>, String> + Send + Sync>;

impl std::fmt::Debug for DeviceModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceModule")
            .field("kernels", &self.reflection.kernels.len())
            .finish_non_exhaustive()
    }
}

/// The values that a pipeline is specialised for.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Variant {
    /// The work-group size.
    pub local: [u32; 3],
    /// The number of work-groups that run as one work-group of the device ([`super::packing`]).
    pub pack: [u32; 3],
    /// Bytes of the local memory arena.
    pub arena: u32,
    /// The work dimension; 0 if the kernel does not use it.
    pub work_dim: u32,
    /// The lengths of the arrays in local memory, in the order of the arguments, where each argument is an
    /// array of its own.
    pub arrays: [u32; MAX_ARRAYS],
    /// The global offset; 0 unless it is a specialization constant.
    pub offset: [u32; 3],
}

/// A kernel whose pipelines take this long gets no pipelines for sizes that are only probable.
const COSTLY: Duration = Duration::from_secs(1);

/// The most arguments of a kernel that are arrays of their own in local memory.
pub(crate) const MAX_ARRAYS: usize = 16;

/// A kernel's pipelines.
#[derive(Default)]
struct Variants {
    made: Vec<Entry>,
    wishes: Wishes,
    /// Variants that are wanted because another kernel of the program got their size ([`super::early`]), and how many launches
    /// used another size instead.
    following: Vec<(Variant, u32)>,
    /// The longest time that the driver took for a pipeline.
    longest: Duration,
    /// Whether [`DeviceKernel::remembers`] has been called.
    remembered: bool,
}

/// A pipeline of a kernel.
struct Entry {
    variant: Variant,
    slot: Arc<Slot>,
    /// Whether a launch has asked for it.
    is_launched: bool,
}

impl Variants {
    fn find(&self, variant: &Variant) -> Option<usize> {
        self.made.iter().position(|e| e.variant == *variant)
    }
}

/// A pipeline that has been made, could not be made, or is being made.
type Slot = OnceLock<std::result::Result<Arc<vk::Pipeline>, Refused>>;

/// The error of a pipeline that could not be made.
#[derive(Clone)]
struct Refused {
    code: ClCode,
    what: String,
}

/// The driver's objects of a kernel, and the pipelines that its launches used.
struct Made {
    push_size: usize,
    args_size: usize,
    variants: Mutex<Variants>,
    /// Its entry in the profile.
    observed: OnceLock<Arc<observe::Kernel>>,
    /// Whether a launch has told what its checks leave out.
    told: AtomicBool,
    /// Whether the application has asked for CL_KERNEL_WORK_GROUP_SIZE.
    asked: AtomicBool,
    /// Declared after the pipelines, which use its layout and must be dropped first.
    descriptors: Option<KernelDescriptors>,
}

/// A kernel of a [`DeviceModule`].
pub struct DeviceKernel {
    module: Arc<DeviceModule>,
    /// The kernel's index in the module's reflection and in [`DeviceModule`]'s `kernels`.
    index: usize,
}

impl std::fmt::Debug for DeviceKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("DeviceKernel")
            .field(&self.reflection().name)
            .finish()
    }
}

/// The size in bytes of [`DeviceModule::blank`].
const BLANK: u64 = 256;

pub(super) fn unusable(what: impl std::fmt::Display) -> Error {
    log::error!("the module cannot be used: {what}");
    Error::new(
        ClCode::InvalidBinary,
        format!("the module cannot be used: {what}"),
    )
}

/// Checks the sub-group sizes that kernels require. The compiler divides the device's sub-groups for kernels that require
/// smaller ones, so the code of a kernel is for the device's size.
fn check_subgroup_size(reflection: &Reflection, code: &Code, size: u32) -> Result<()> {
    if !code.uses_subgroups() {
        return Ok(());
    }
    for k in &reflection.kernels {
        if let Some(wanted) = k.subgroups.divides.or(k.subgroups.size)
            && wanted != size
        {
            return Err(unusable(format_args!(
                "kernel '{}' requires sub-groups of {wanted} work-items, and those of this device have {size}; \
                 CL_DEVICE_SUB_GROUP_SIZES_INTEL lists the sizes that kernels can require",
                k.name
            )));
        }
    }
    Ok(())
}

/// Returns the notes about the checks of a module's kernels.
fn notes_of(reflection: &Reflection) -> Vec<Notes> {
    let formats = reflection.printf_formats.iter();
    formats.filter_map(|f| Notes::from_text(&f.format)).collect()
}

impl DeviceModule {
    /// Hands a module to the driver and uploads its constant data. `words` is SPIR-V for [`Device::target`];
    /// its reflection is read here.
    pub(crate) fn new(device: &Arc<Device>, words: &[u32]) -> Result<Arc<DeviceModule>> {
        DeviceModule::with_variables(device, words, None)
    }

    /// Makes a module as [`DeviceModule::new`] does. `variables` is the buffer with the program-scope variables, if the program has been
    /// compiled before.
    fn with_variables(
        device: &Arc<Device>,
        words: &[u32],
        variables: Option<Arc<vk::Buffer>>,
    ) -> Result<Arc<DeviceModule>> {
        let reflection = reflect::read(words).map_err(unusable)?;
        let logical = &device.logical()?;
        // Older drivers and validation layers refuse the reflection's revision; no driver needs the reflection.
        let mut stripped = reflect::strip(words).map_err(unusable)?;
        if device.quirks().waiting_fences {
            // Modules of other compilers do not take this quirk into account.
            spirv::relax(&mut stripped);
        }
        crate::program::dump::module(&stripped);
        let driver_cache = DriverCache::new(logical, &stripped)?;
        let code = Code::new(logical, stripped, &reflection.kernels)?;
        check_subgroup_size(&reflection, &code, device.limits().subgroup)?;
        let constants = ProgramData::of(device, &reflection, variables)?;
        let literals = Literals::new(device, &reflection.literal_samplers)?;
        let ended_loops = EndedLoops::new(device, &reflection)?;
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
            driver_cache,
            launched: Launched::new(logical, words),
            prediction: Mutex::new(Rank::Pipelines, Prediction::default()),
            literals,
            ended_loops,
            code,
            kernels: reflection.kernels.iter().map(|_| OnceCell::new()).collect(),
            notes: notes_of(&reflection),
            reflection,
            constants,
            blank,
            identity: OnceLock::new(),
            widen: OnceLock::new(),
            wide: OnceLock::new(),
        }))
    }

    /// Adds the module to the profile: its kernels are those of the application. `words` is the module with its reflection.
    pub(crate) fn observe(&self, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        // This is set once, before the module is used.
        let _ = self.identity.set(xxhash_rust::xxh3::xxh3_64(&bytes));
    }

    /// Sets the function that compiles the program for NDRanges beyond 32 bits ([`Target::wide_ranges`]), and for
    /// addresses of any alignment. Few programs need that, so it is called by the first launch that does.
    ///
    /// [`Target::wide_ranges`]: caldera_compiler::target::Target::wide_ranges
    pub(crate) fn on_wide(&self, widen: Widen) {
        let _ = self.widen.set(widen);
    }

    /// Returns the program compiled for NDRanges beyond 32 bits, and for addresses of any alignment.
    fn wide(&self) -> Result<&Arc<DeviceModule>> {
        let made = self.wide.get_or_init(|| {
            let Some(widen) = self.widen.get() else {
                let what = "a program binary is for NDRanges of 32 bits and aligned addresses; a program from source is for any";
                log::error!("launch: {what}");
                return Err((ClCode::OutOfResources, what.to_owned()));
            };
            let words = widen().map_err(|log| {
                log::error!("launch: the program cannot be compiled for the NDRange or the address: {log}");
                let what = "the program cannot be compiled for the launch";
                (ClCode::OutOfResources, what.to_owned())
            })?;
            let variables = self.constants.as_ref().map(|data| Arc::clone(&data.buffer));
            let made = DeviceModule::with_variables(&self.device, &words, variables);
            if let (Ok(wide), Some(_)) = (&made, self.identity.get()) {
                wide.observe(&words);
            }
            made.map_err(|e| (e.code, e.chain()))
        });
        made.as_ref()
            .map_err(|(code, what)| Error::new(*code, what.clone()).at("5.8"))
    }

    /// Returns the variants that launches used.
    pub(super) fn launched(&self) -> &Launched {
        &self.launched
    }

    /// Returns what is known of the program's launches.
    pub(super) fn prediction(&self) -> Guard<'_, Prediction> {
        self.prediction.lock()
    }

    /// Returns the device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns the module's reflection.
    pub fn reflection(&self) -> &Reflection {
        &self.reflection
    }

    /// Returns the kernel with a name, if there is one. Fails if the module's descriptors are contradictory, or
    /// if memory is short.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Option<Arc<DeviceKernel>>> {
        let Some(index) = self.reflection.kernels.iter().position(|k| k.name == name) else {
            return Ok(None);
        };
        self.kernels[index].get_or_try_init(|| self.make(&self.reflection.kernels[index]))?;
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
            observed: OnceLock::new(),
            told: AtomicBool::new(false),
            asked: AtomicBool::new(false),
        })
    }

    /// Returns the literal samplers of the program.
    pub(crate) fn literals(&self) -> Option<&Literals> {
        self.literals.as_ref()
    }

    /// Returns the string at an address in the constant data, without its terminating 0.
    pub(crate) fn constant_string(&self, address: u64) -> Option<&[u8]> {
        let start = match self.constant_data() {
            Some((address, _)) => address,
            None => reflect::CONSTANT_POINTER,
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

    /// Returns the address of the constant data and the push constant that takes it, if kernels access the data
    /// by address.
    pub(crate) fn constant_data(&self) -> Option<(u64, PushRange)> {
        let data = self.constants.as_ref()?;
        match data.place {
            DataPlace::PointerPush(range) => Some((data.address(), range)),
            DataPlace::StorageBuffer(_) | DataPlace::UniformBuffer(_) => None,
        }
    }

    /// Returns the buffer with the constant data.
    pub(crate) fn constants(&self) -> Option<&vk::Buffer> {
        self.constants.as_ref().map(|data| &*data.buffer)
    }

    /// Returns the word to which kernels of the program add if the driver has ended their loops.
    pub(super) fn ended_loops(&self) -> Option<&EndedLoops> {
        self.ended_loops.as_ref()
    }

    /// Returns the access of a kernel to the program-scope variables.
    pub(crate) fn variables_access(&self) -> Option<Access> {
        let buffer = &self.constants.as_ref()?.buffer;
        Some(Access {
            root: Arc::as_ptr(buffer).addr(),
            start: 0,
            end: buffer.size(),
            write: true,
        })
    }

    /// Returns the buffer that is bound for a null pointer where a descriptor is required.
    pub(crate) fn blank(&self) -> Option<&vk::Buffer> {
        self.blank.as_ref()
    }
}

impl DeviceKernel {
    fn made(&self) -> &Made {
        let made = self.module.kernels[self.index].get();
        made.expect("made before the first DeviceKernel")
    }

    /// Returns the module.
    pub fn module(&self) -> &Arc<DeviceModule> {
        &self.module
    }

    /// Returns whether the kernel has cooperative matrices, so that work-groups consist of full sub-groups.
    pub(super) fn uses_matrices(&self) -> bool {
        self.module.code.uses_matrices(self.index)
    }

    /// Returns the kernel's reflection.
    pub fn reflection(&self) -> &reflect::Kernel {
        &self.module.reflection.kernels[self.index]
    }

    /// Returns the notes about the checks of the kernel.
    pub(crate) fn notes(&self) -> impl Iterator<Item = &Notes> {
        let name = &self.reflection().name;
        self.module.notes.iter().filter(move |n| n.kernel == *name)
    }

    /// Returns the notes about the checks of the kernel, but only once.
    #[inline]
    pub(crate) fn notes_to_tell(&self) -> Option<impl Iterator<Item = &Notes>> {
        if self.module.notes.is_empty() {
            return None;
        }
        let told = self.module.kernels[self.index].get().map(|made| &made.told)?;
        (!told.swap(true, Ordering::Relaxed)).then(|| self.notes())
    }

    /// Returns the kernel's entry in the profile, if it is a kernel of the application.
    pub(crate) fn observed(&self, observer: &Observer) -> Option<Arc<observe::Kernel>> {
        let (module, name) = (&self.module, &self.reflection().name);
        let identity = *module.identity.get()?;
        let entry = || observer.kernel(&module.device.info().name, name, identity);
        Some(Arc::clone(self.made().observed.get_or_init(entry)))
    }

    /// Returns the word to which the kernel adds if the driver has ended its loops, and how the kernel accesses it.
    pub(crate) fn ended_loops(&self) -> Option<(&EndedLoops, DataPlace)> {
        self.module.ended_loops().zip(self.reflection().ended_loops)
    }

    /// Returns CL_KERNEL_WORK_GROUP_SIZE.
    pub fn max_work_group_size(&self) -> usize {
        self.made().asked.store(true, Ordering::Relaxed);
        match self.reflection().required_size {
            Some(size) => size.iter().map(|n| *n as usize).product(),
            None => self.module.device.info().max_work_group_size,
        }
    }

    /// Returns the number of work-items of the kernel's sub-groups; the last of a work-group may have fewer.
    pub fn sub_group_size(&self) -> u32 {
        let required = self.reflection().subgroups.size;
        required.unwrap_or(self.module.device().limits().subgroup)
    }

    /// Returns CL_KERNEL_LOCAL_MEM_SIZE in bytes, without `__local` arguments.
    pub fn local_mem_size(&self) -> u64 {
        u64::from(self.reflection().local_fixed)
    }

    /// Returns CL_KERNEL_PRIVATE_MEM_SIZE: 0, because Vulkan does not report it.
    pub fn private_mem_size(&self) -> u64 {
        0
    }

    /// Returns the kernel's own descriptor sets, if it has any.
    pub(crate) fn descriptors(&self) -> Option<&KernelDescriptors> {
        self.made().descriptors.as_ref()
    }

    /// Checks whether an NDRange with an offset, or of several dispatches, can be launched: modules of other
    /// compilers may have no way to pass these to the kernel.
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

    /// Returns the same kernel, compiled for NDRanges beyond 32 bits.
    pub(crate) fn wide(&self) -> Result<Arc<DeviceKernel>> {
        let found = self.module.wide()?.kernel(&self.reflection().name)?;
        let same =
            found.filter(|k| super::args::kinds(k.reflection()) == super::args::kinds(self.reflection()));
        same.ok_or_else(|| {
            log::error!("launch: files that the program includes have changed since it was built");
            Error::new(ClCode::OutOfResources, "the program is another one now").at("5.8")
        })
    }

    /// Returns the size in bytes of a launch's push constants.
    pub(crate) fn push_size(&self) -> usize {
        self.made().push_size
    }

    /// Returns the size in bytes of a launch's plain values outside of push constants.
    pub(crate) fn args_size(&self) -> usize {
        self.made().args_size
    }

    /// Returns the work-group size of a small NDRange that may have any: `wanted`, or one that has a pipeline.
    pub(super) fn settle(&self, wanted: [u32; 3], global: [u64; 3]) -> [u32; 3] {
        let mut variants = self.made().variants.lock();
        let Variants { made, wishes, .. } = &mut *variants;
        wishes.settle(wanted, global, made.iter().map(|e| e.variant.local))
    }

    /// Notes a work-group size that launches which want it must get.
    pub(super) fn promise(&self, wanted: [u32; 3]) {
        self.made().variants.lock().wishes.promise(wanted);
    }

    /// Returns whether the driver took long for one of the kernel's pipelines.
    pub(super) fn is_costly(&self) -> bool {
        self.made().variants.lock().longest >= COSTLY
    }

    /// Returns whether the application has asked for CL_KERNEL_WORK_GROUP_SIZE.
    pub(super) fn was_asked(&self) -> bool {
        self.made().asked.load(Ordering::Relaxed)
    }

    /// Returns the kernel's index in the module's reflection.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Returns whether a pipeline has been made or is being made.
    pub(super) fn has_pipelines(&self) -> bool {
        !self.made().variants.lock().made.is_empty()
    }

    /// Returns whether the pipeline of a variant has been made or is being made.
    pub(super) fn has_pipeline(&self, variant: &Variant) -> bool {
        self.made().variants.lock().find(variant).is_some()
    }

    /// Returns whether a launch has asked for the pipeline of a variant.
    pub(super) fn is_launched(&self, variant: &Variant) -> bool {
        let variants = self.made().variants.lock();
        let found = variants.find(variant);
        found.is_some_and(|i| variants.made[i].is_launched)
    }

    /// Returns `true` for the first caller, who sees to the pipelines that earlier processes used.
    pub(super) fn remembers(&self) -> bool {
        !std::mem::replace(&mut self.made().variants.lock().remembered, true)
    }

    /// Returns the pipeline of a variant. This thread makes it, unless it exists or another thread is making
    /// it.
    pub(crate) fn pipeline(self: &Arc<Self>, variant: Variant) -> Result<Arc<vk::Pipeline>> {
        self.find_or_make(variant, None)
    }

    /// Returns the pipeline of a launch with an NDRange, as [`DeviceKernel::pipeline`] does.
    pub(super) fn pipeline_of_launch(
        self: &Arc<Self>,
        variant: Variant,
        range: &Range,
        context: &Context,
    ) -> Result<Arc<vk::Pipeline>> {
        self.find_or_make(variant, Some((range, context)))
    }

    fn find_or_make(
        self: &Arc<Self>,
        variant: Variant,
        launch: Option<(&Range, &Context)>,
    ) -> Result<Arc<vk::Pipeline>> {
        let (slot, first) = {
            let mut variants = self.made().variants.lock();
            let index = variants.find(&variant).unwrap_or_else(|| {
                variants.made.push(Entry {
                    variant,
                    slot: Arc::new(Slot::new()),
                    is_launched: false,
                });
                variants.made.len() - 1
            });
            let entry = &mut variants.made[index];
            let first = launch.filter(|_| !std::mem::replace(&mut entry.is_launched, true));
            match entry.slot.get() {
                Some(Ok(pipeline)) if first.is_none() => return Ok(Arc::clone(pipeline)),
                Some(_) | None => (Arc::clone(&entry.slot), first),
            }
        };
        if let Some((range, context)) = first {
            self.launches(context, &variant, range);
        }
        let made = slot.get_or_init(|| {
            self.make_pipeline(&variant).map_err(|e| Refused {
                code: e.code,
                what: e.chain(),
            })
        });
        let pipeline = made.clone().map_err(|e| {
            // The failed entry is removed, so that the next launch tries again.
            let mut variants = self.made().variants.lock();
            variants.made.retain(|e| !Arc::ptr_eq(&e.slot, &slot));
            Error::new(e.code, e.what).at("5.8")
        })?;
        if first.is_some() {
            self.module.launched.note(self.index, variant);
        }
        Ok(pipeline)
    }

    /// Returns the bytes of the kernel's variables in the local memory arena; without an arena, of all its
    /// variables in local memory.
    pub(super) fn arena_fixed(&self) -> u32 {
        let kernel = self.reflection();
        kernel.local_fixed.saturating_sub(kernel.local_apart)
    }

    /// Returns the size in bytes of the local memory arena for a launch that uses `bytes` bytes of it.
    pub(super) fn arena(&self, bytes: u32) -> u32 {
        let limits = self.module.device.limits();
        if !self.reflection().has_arena {
            return 4;
        }
        let step = limits.local_step.max(16);
        let most = limits.local_memory.saturating_sub(self.reflection().local_apart);
        bytes.max(4).next_multiple_of(step).min(most)
    }

    fn make_pipeline(&self, variant: &Variant) -> Result<Arc<vk::Pipeline>> {
        crate::process::driver_is_busy();
        let spec = &self.module.reflection.spec;
        let mut constants = Vec::with_capacity(5);
        if let Some(ids) = spec.workgroup_size {
            let size = [0, 1, 2].map(|d| variant.local[d] * variant.pack[d]);
            constants.extend(ids.into_iter().zip(size));
        }
        if let Some(Packing::Constants(ids)) = self.reflection().packing {
            constants.extend(ids.into_iter().zip(variant.pack));
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
        let start = now();
        let name = &self.reflection().name;
        let shader = self.module.code.shader(self.index, name)?;
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
            Duration::from_nanos(now() - start),
            if known { ", from the cache" } else { "" }
        );
        let times = Times { start, end: now() };
        let statistics = pipeline.statistics();
        if let Some(observer) = observe::observer()
            && let Some(kernel) = self.observed(observer)
        {
            let statistics = statistics.as_ref().and_then(|s| s.as_deref().ok());
            observer.pipeline(&kernel, times, known, statistics);
        }
        match statistics {
            Some(Ok(all)) => {
                let all: Vec<String> = all
                    .iter()
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                log::info!("statistics of {name} {:?}: {}", variant.local, all.join("; "));
            }
            Some(Err(e)) => log::warn!("statistics of {name}: {e}"),
            None => {}
        }
        if !known {
            driver_cache.save();
            let took = Duration::from_nanos(times.end.saturating_sub(times.start));
            let mut variants = self.made().variants.lock();
            variants.longest = variants.longest.max(took);
        }
        crate::process::driver_is_busy();
        Ok(Arc::new(pipeline))
    }
}
