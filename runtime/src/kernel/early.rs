//! Pipelines that are made before a launch needs them, by threads of the context (`caldera-pipeline`).
//!
//! A pipeline depends on the work-group size, which the application states only when it launches the kernel. These
//! events tell it earlier:
//!
//! - clCreateKernel, if the kernel requires a size (`reqd_work_group_size`) and has no `__local` arguments.
//! - The creation of another kernel of the program, or the first launch of another one, if an earlier process
//!   launched the kernel ([`super::launched`]). The driver's cache on disk mostly has such a pipeline, and then it takes a
//!   millisecond. So it is not made for the program's last kernel, which is often launched at once: a thread takes
//!   longer to start.
//! - The call of clSetKernelArg after which all arguments are set, for every kernel that requires a size. So kernels
//!   of clCreateKernelsInProgram that are never used cost nothing.
//! - The same call, if the kernel has a `work_group_size_hint`, or if another kernel of the program has been
//!   launched; the kernel then probably gets the same size. The first launch with a size also starts this for the
//!   kernels whose arguments are set, and then for those of clCreateKernel that have no pipeline yet. An application that
//!   creates a kernel object by name will probably launch it, though it may set its arguments only right before that.
//! - The launch of a kernel with a size that is twice or half that of an earlier launch, in one dimension: the
//!   application probably tries a series of sizes in order to measure them. The next two sizes are made.
//! - The launch of a kernel with a size that is new for it. Other kernels of the program that have been launched with the same
//!   size as this one before probably get the new size, too: the application has chosen another size for all of them. If the
//!   driver takes a second or more for a pipeline of such a kernel, the pipeline is not made before the kernel has been launched
//!   several times with the new size: the application may only be trying sizes for the other kernel.
//! - The first launch of a kernel in groups of one work-item, if the application has asked for CL_KERNEL_WORK_GROUP_SIZE. It is
//!   probably a test, after which the kernel is launched in groups of the size that was returned.
//!
//! The last four are guesses: a wrong one costs processor time, so they are made only where there are processors to spare,
//! and not for CPU devices, which compile code when it runs. The threads begin them after all pipelines that are certain,
//! or that an earlier process used; one thread is kept free for these. Guesses for kernels that are released are dropped.
//!
//! A launch that finds its pipeline under way waits for it. One that comes before the thread has begun makes the
//! pipeline itself. Only a kernel that follows another one to a new size ([`DeviceKernel::stand_in`]) and whose results do not
//! depend on the grouping is launched in groups of an earlier size until then. The first launch of a new size is never treated
//! like this, because an application that tries sizes measures it. Errors are not reported here, because the launch tries again.

use std::sync::{Arc, Weak};

use caldera_compiler::reflect::{self, Binding};

use super::Range;
use super::packing;
use super::pipeline::{DeviceKernel, MAX_ARRAYS, Variant};
use super::placed::Placed;
use crate::context::Context;

/// The most pipelines that are made for a kernel because an earlier process used them.
const MOST_REMEMBERED: usize = 4;

/// The most kernels that wait for a launch of their program.
const MOST_WAITING: usize = 256;

/// The most pipelines of a program that are made because kernel objects exist.
const MOST_CREATED: usize = 16;

/// The sizes of a series that are made in advance.
const AHEAD: usize = 2;

/// The launches of a kernel in groups of another size after which the pipeline of its own size is made, if that takes long.
const PATIENCE: u32 = 16;

/// The most pipelines of a program that are made because another kernel got a new size.
const MOST_FOLLOWING: usize = 32;

/// What a pipeline depends on besides the NDRange: the size of the arena in local memory, and the lengths of the arrays.
#[derive(Copy, Clone)]
struct Locals {
    /// The bytes that are used of the arena.
    used: u32,
    arena: u32,
    arrays: [u32; MAX_ARRAYS],
}

impl Locals {
    /// Returns those of a launch, without its packing.
    fn of(kernel: &DeviceKernel, variant: &Variant) -> Locals {
        Locals {
            used: variant.arena,
            arena: kernel.arena(variant.arena),
            arrays: variant.arrays,
        }
    }
}

/// What is known of a program's launches.
#[derive(Default)]
pub(super) struct Prediction {
    /// The work-group size of the last launch that needed a new pipeline, and its range.
    last: Option<([u32; 3], Range)>,
    /// Kernels whose arguments were set before any kernel of the program was launched.
    waiting: Vec<(Weak<DeviceKernel>, Locals)>,
    /// Kernels of clCreateKernel that have no pipeline and no `__local` arguments and do not require a size, in the order of
    /// creation, with their indices.
    created: Vec<(usize, Weak<DeviceKernel>)>,
    /// How many pipelines have been started for such kernels.
    guessed: usize,
    /// Kernels that earlier processes launched, and whose pipelines have not been started.
    remembered: Vec<Weak<DeviceKernel>>,
    /// The kernels that have been launched with sizes of the application.
    launched: Vec<Launched>,
    /// How many pipelines have been started because another kernel got a new size.
    following: usize,
}

/// A kernel that has been launched with sizes of the application.
struct Launched {
    index: usize,
    kernel: Weak<DeviceKernel>,
    /// Those of the last launch with a new size.
    locals: Locals,
    sizes: Vec<[u32; 3]>,
}

impl Prediction {
    /// Notes that a launch uses a variant with a size of the application for the first time. Returns the kernels that
    /// probably get the same size soon: they were launched with an earlier size of this kernel, and not with this one.
    fn followers(
        &mut self,
        kernel: &Arc<DeviceKernel>,
        variant: &Variant,
    ) -> Vec<(Arc<DeviceKernel>, Locals)> {
        let locals = Locals::of(kernel, variant);
        let is_same = |l: &Launched| l.index == kernel.index();
        let before = match self.launched.iter_mut().find(|l| is_same(l)) {
            Some(own) if own.sizes.contains(&variant.local) => return Vec::new(),
            Some(own) => {
                let before = own.sizes.clone();
                own.kernel = Arc::downgrade(kernel);
                own.locals = locals;
                own.sizes.push(variant.local);
                before
            }
            None => {
                self.launched.push(Launched {
                    index: kernel.index(),
                    kernel: Arc::downgrade(kernel),
                    locals,
                    sizes: vec![variant.local],
                });
                return Vec::new();
            }
        };
        let others = self.launched.iter().filter(|l| !is_same(l));
        let together = others.filter(|l| {
            !l.sizes.contains(&variant.local) && l.sizes.iter().any(|size| before.contains(size))
        });
        let alive = together.filter_map(|l| Some((l.kernel.upgrade()?, l.locals)));
        // Threads that launch at the same time may have exceeded the limit together.
        alive
            .take(MOST_FOLLOWING.saturating_sub(self.following))
            .collect()
    }
}

/// Returns the size in `work_group_size_hint`, if the kernel has that attribute.
fn hint(kernel: &reflect::Kernel) -> Option<[u32; 3]> {
    let (_, rest) = kernel.attributes.split_once("work_group_size_hint(")?;
    let (list, _) = rest.split_once(')')?;
    let mut sizes = list.split(',').map(|n| n.trim().parse().ok());
    let size = [sizes.next()??, sizes.next()??, sizes.next()??];
    Some(size)
}

impl DeviceKernel {
    /// Returns whether pipelines that are only probable are made.
    fn guesses(&self) -> bool {
        let logical = self.module().device().logical();
        logical.is_ok_and(|device| device.guesses_pipelines())
    }

    fn variant(&self, local: [u32; 3], work_dim: u32, locals: Locals) -> Variant {
        let spec = &self.module().reflection().spec;
        Variant {
            local,
            pack: packing::NONE,
            arena: locals.arena,
            work_dim: spec.work_dim.map_or(0, |_| work_dim),
            arrays: locals.arrays,
            offset: [0; 3],
        }
    }

    /// Returns the variant that a launch over a range uses if it has another work-group size than that of `variant`.
    fn resized(&self, variant: &Variant, local: [u32; 3], range: &Range) -> Variant {
        let groups = [0, 1, 2].map(|d| range.global[d] as u64 / u64::from(local[d].max(1)));
        let (pack, arena) = self.packing(local, Some(groups), variant.arena);
        Variant {
            local,
            pack,
            arena,
            ..*variant
        }
    }

    /// Returns what the sizes of `__local` arguments mean for the pipeline; `sizes` has their indices and bytes. Returns
    /// `None` if a launch would be refused.
    fn locals(&self, sizes: &[(usize, usize)]) -> Option<Locals> {
        let mut placed = Placed::new(self);
        let device = self.module().device();
        for (arg, (index, bytes)) in self.local_arguments().zip(sizes) {
            if arg.0 != *index {
                return None;
            }
            placed.local_argument(arg.1.binding?, *bytes, device).ok()?;
        }
        let fits = placed.local_bytes() <= device.limits().local_memory;
        fits.then(|| Locals {
            used: placed.local,
            arena: self.arena(placed.local),
            arrays: placed.arrays,
        })
    }

    fn local_arguments(&self) -> impl Iterator<Item = (usize, &reflect::Arg)> {
        let args = self.reflection().args.iter().enumerate();
        args.filter(|(_, arg)| matches!(arg.binding, Some(Binding::Workgroup { .. })))
    }

    /// Returns whether a launch can use a variant, which may come from the disk or from another kernel.
    fn is_possible(&self, variant: &Variant) -> bool {
        let limits = self.module().device().limits();
        let pack = variant
            .pack
            .iter()
            .try_fold(1u32, |n, count| n.checked_mul(*count));
        let items = variant
            .local
            .iter()
            .try_fold(pack.unwrap_or(0), |n, size| n.checked_mul(*size));
        let elements = self.local_arguments().map(|(_, arg)| match arg.binding {
            Some(Binding::Workgroup { elem_size, .. }) => u64::from(elem_size),
            _ => 0,
        });
        let arrays = elements.zip(variant.arrays).map(|(size, n)| size * u64::from(n));
        let local =
            u64::from(self.reflection().local_fixed).max(u64::from(variant.arena)) + arrays.sum::<u64>();
        let fits = |n: u32, of: u32, most: u32| n.checked_mul(of).is_some_and(|n| (1..=most).contains(&n));
        (0..3).all(|d| fits(variant.local[d], variant.pack[d], limits.group_size[d]))
            && (variant.pack == packing::NONE || self.reflection().packing.is_some())
            && items.is_some_and(|n| n <= limits.group_invocations)
            && local * u64::from(pack.unwrap_or(u32::MAX)) <= u64::from(limits.local_memory)
            && self
                .reflection()
                .required_size
                .is_none_or(|size| size == variant.local)
    }

    /// Returns the next sizes of a series of work-group sizes. There is a series if an earlier launch had half or twice
    /// the size of this one in one dimension.
    fn next_of_series(&self, variant: &Variant, range: &Range) -> Vec<Variant> {
        let with = |d: usize, size: u32| {
            let mut local = variant.local;
            local[d] = size;
            self.resized(variant, local, range)
        };
        let least = self.module().device().limits().subgroup;
        let mut next = Vec::new();
        for d in 0..3 {
            let size = variant.local[d];
            let doubled = |n: &u32| n.checked_mul(2);
            let halved = |n: &u32| n.is_multiple_of(2).then_some(n / 2);
            let was_launched = |n: Option<u32>| n.is_some_and(|n| self.is_launched(&with(d, n)));
            match (was_launched(halved(&size)), was_launched(doubled(&size))) {
                (true, false) => {
                    let sizes = std::iter::successors(doubled(&size), doubled);
                    next.extend(sizes.take(AHEAD).map(|n| with(d, n)));
                }
                // A work-group that is smaller than a sub-group leaves lanes of the device idle.
                (false, true) => {
                    let sizes = std::iter::successors(halved(&size), halved);
                    let variants = sizes.take(AHEAD).map(|n| with(d, n));
                    next.extend(variants.filter(|v| v.local.iter().product::<u32>() >= least));
                }
                (true, true) | (false, false) => {}
            }
        }
        next.truncate(AHEAD);
        next
    }

    /// Notes a kernel object of clCreateKernel, for which the next launch of another kernel may start a pipeline.
    fn note_created(self: &Arc<Self>) {
        if self.reflection().required_size.is_some()
            || self.local_arguments().next().is_some()
            || !self.guesses()
            || self.has_pipelines()
        {
            return;
        }
        let mut prediction = self.module().prediction();
        let Prediction { created, guessed, .. } = &mut *prediction;
        created.retain(|(_, kernel)| kernel.strong_count() > 0);
        let is_there = created.iter().any(|(index, _)| *index == self.index());
        if !is_there && *guessed + created.len() < MOST_CREATED {
            created.push((self.index(), Arc::downgrade(self)));
        }
    }

    /// Starts the pipelines that are known to be needed, when the application creates a kernel object. `for_it`
    /// tells whether it does so by clCreateKernel, for this kernel alone.
    pub(super) fn created(self: &Arc<Self>, context: &Context, for_it: bool) {
        let is_remembered = self.remembers() && !self.module().launched().of(self.index()).is_empty();
        let others = {
            let mut prediction = self.module().prediction();
            let others = std::mem::take(&mut prediction.remembered);
            if is_remembered {
                prediction.remembered.push(Arc::downgrade(self));
            }
            others
        };
        self.start_others(context, others);
        if for_it {
            self.note_created();
        }
        if for_it && !is_remembered && self.local_arguments().next().is_none() {
            self.start_required(context, &[]);
        }
    }

    /// Starts the pipelines with which earlier processes launched other kernels of the program.
    fn start_others(&self, context: &Context, kernels: Vec<Weak<DeviceKernel>>) {
        for kernel in kernels.iter().filter_map(Weak::upgrade) {
            if std::ptr::eq(&*kernel, self) {
                continue;
            }
            let remembered = kernel.module().launched().of(kernel.index());
            for variant in remembered.into_iter().take(MOST_REMEMBERED) {
                kernel.start(context, variant);
            }
        }
    }

    /// Starts the pipeline of a kernel that requires a work-group size. `sizes` has the indices and the bytes of `__local` arguments.
    fn start_required(self: &Arc<Self>, context: &Context, sizes: &[(usize, usize)]) {
        let is_known = self.module().reflection().spec.work_dim.is_none();
        if let (Some(size), true, Some(locals)) =
            (self.reflection().required_size, is_known, self.locals(sizes))
        {
            let variant = self.variant(size, 0, locals);
            // A kernel that requires small work-groups is mostly launched with many of them, one that requires a single
            // work-item mostly with one.
            let variant = match size {
                [1, 1, 1] => variant,
                _ => {
                    let (pack, arena) = self.packing(size, None, locals.used);
                    Variant {
                        pack,
                        arena,
                        ..variant
                    }
                }
            };
            self.start(context, variant);
        }
    }

    /// Starts the pipelines that the first launch probably needs, when all arguments are set. `sizes` has the indices
    /// and the bytes of `__local` arguments.
    pub(super) fn ready(self: &Arc<Self>, context: &Context, sizes: &[(usize, usize)]) {
        if self.reflection().required_size.is_some() {
            return self.start_required(context, sizes);
        }
        if !self.guesses() || self.has_pipelines() {
            return;
        }
        let Some(locals) = self.locals(sizes) else { return };
        let last = {
            let mut prediction = self.module().prediction();
            let last = prediction
                .last
                .or_else(|| hint(self.reflection()).map(|size| (size, Range::of_one_group(size))));
            if last.is_none() {
                if prediction.waiting.len() == MOST_WAITING {
                    prediction.waiting.retain(|(kernel, _)| kernel.strong_count() > 0);
                    prediction.waiting.truncate(MOST_WAITING - 1);
                }
                prediction.waiting.push((Arc::downgrade(self), locals));
            }
            last
        };
        if let Some((local, range)) = last {
            let variant = self.variant(local, range.work_dim, locals);
            self.guess(context, self.resized(&variant, local, &range));
        }
    }

    /// Notes a launch that uses a variant for the first time, and starts the pipelines of the kernels that wait for
    /// one, and those of probable launches of this kernel.
    pub(super) fn launches(self: &Arc<Self>, context: &Context, variant: &Variant, range: &Range) {
        let guesses = self.guesses();
        let (remembered, waiting, created) = {
            let mut prediction = self.module().prediction();
            if guesses {
                prediction.last = Some((variant.local, *range));
            }
            let remembered = std::mem::take(&mut prediction.remembered);
            let waiting = std::mem::take(&mut prediction.waiting);
            (remembered, waiting, std::mem::take(&mut prediction.created))
        };
        self.start_others(context, remembered);
        let of_kernel = |kernel: &Arc<DeviceKernel>, locals| {
            let is_new = kernel.index() != self.index() && !kernel.has_pipelines();
            let next = kernel.variant(variant.local, range.work_dim, locals);
            is_new && kernel.guess(context, kernel.resized(&next, variant.local, range))
        };
        for (kernel, locals) in waiting {
            if let Some(kernel) = kernel.upgrade() {
                of_kernel(&kernel, locals);
            }
        }
        let created = created.iter().filter_map(|(_, kernel)| kernel.upgrade());
        let guessed = created
            .filter(|kernel| kernel.locals(&[]).is_some_and(|locals| of_kernel(kernel, locals)))
            .count();
        self.module().prediction().guessed += guessed;
        // A size that the application has not stated is no part of a series, and says nothing about other kernels.
        if guesses && range.local.is_some() {
            let followers = self.module().prediction().followers(self, variant);
            let started = followers
                .iter()
                .filter(|(kernel, locals)| {
                    let next = kernel.variant(variant.local, range.work_dim, *locals);
                    let next = kernel.resized(&next, variant.local, range);
                    if kernel.is_costly() {
                        if kernel.job(next).is_some() {
                            kernel.follow(next);
                        }
                        return false;
                    }
                    let is_new = kernel.guess(context, next);
                    if is_new {
                        kernel.follow(next);
                    }
                    is_new
                })
                .count();
            self.module().prediction().following += started;
            for next in self.next_of_series(variant, range) {
                self.guess(context, next);
            }
            if variant.local == [1; 3] && self.was_asked() {
                let local = [self.max_work_group_size() as u32, 1, 1];
                self.guess(context, self.resized(variant, local, range));
            }
        }
    }

    /// Notes that a launch used another size instead of a variant ([`DeviceKernel::stand_in`]).
    pub(super) fn stood_in(self: &Arc<Self>, context: &Context, variant: Variant) {
        if self.note_stand_in(&variant) == PATIENCE {
            self.guess(context, variant);
        }
    }

    /// Lets a thread of the context make a pipeline, unless it exists or is being made.
    fn start(self: &Arc<Self>, context: &Context, variant: Variant) {
        if let Some(job) = self.job(variant) {
            context.prepare(job);
        }
    }

    /// Lets a thread of the context make a pipeline that is only probably needed, when no thread has better work.
    /// Returns whether it does not exist yet.
    fn guess(self: &Arc<Self>, context: &Context, variant: Variant) -> bool {
        let job = self.job(variant);
        let is_new = job.is_some();
        if let Some(job) = job {
            context.prepare_guess(job);
        }
        is_new
    }

    /// Returns what makes a pipeline, unless it exists or is being made, or no launch can use it.
    fn job(self: &Arc<Self>, variant: Variant) -> Option<Box<dyn FnOnce() + Send>> {
        if self.has_pipeline(&variant) || !self.is_possible(&variant) {
            return None;
        }
        // A kernel that is released before its turn needs no pipeline.
        let kernel = Arc::downgrade(self);
        Some(Box::new(move || {
            crate::process::unless_over(|| {
                let Some(kernel) = kernel.upgrade() else { return };
                if !kernel.has_pipeline(&variant) {
                    drop(kernel.pipeline(variant));
                }
            });
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_read() {
        let with = |attributes: &str| {
            hint(&reflect::Kernel {
                attributes: attributes.into(),
                ..reflect::Kernel::default()
            })
        };
        assert_eq!(with("work_group_size_hint(8,4,1)"), Some([8, 4, 1]));
        assert_eq!(
            with("vec_type_hint(float4) work_group_size_hint(8, 4, 1)"),
            Some([8, 4, 1])
        );
        assert_eq!(with("reqd_work_group_size(8,4,1)"), None);
        assert_eq!(with("work_group_size_hint(8,4)"), None);
    }
}
