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
//!   launched; the kernel then probably gets the same size. A launch that must make its pipeline also starts this
//!   for the kernels whose arguments are set. These are guesses: a wrong one costs processor time, so they are made
//!   only where there are processors to spare, and not for CPU devices, which compile code when it runs.
//!
//! A launch that finds its pipeline under way waits for it. One that comes before the thread has begun makes the
//! pipeline itself. Errors are not reported here, because the launch tries again.

use std::sync::{Arc, Weak};

use caldera_compiler::reflect::{self, Binding};

use super::pipeline::{DeviceKernel, MAX_ARRAYS, Variant};
use super::placed::Placed;
use crate::context::Context;

/// The most pipelines that are made for a kernel because an earlier process used them.
const MOST_REMEMBERED: usize = 4;

/// The most kernels that wait for a launch of their program.
const MOST_WAITING: usize = 256;

/// What a pipeline depends on besides the NDRange: the size of the arena in local memory, and the lengths of the arrays.
#[derive(Copy, Clone)]
struct Locals {
    arena: u32,
    arrays: [u32; MAX_ARRAYS],
}

/// What is known of a program's launches.
#[derive(Default)]
pub(super) struct Prediction {
    /// The work-group size and the work dimension of the last launch that needed a new pipeline.
    last: Option<([u32; 3], u32)>,
    /// Kernels whose arguments were set before any kernel of the program was launched.
    waiting: Vec<(Weak<DeviceKernel>, Locals)>,
    /// Kernels that earlier processes launched, and whose pipelines have not been started.
    remembered: Vec<Weak<DeviceKernel>>,
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
            arena: locals.arena,
            work_dim: spec.work_dim.map_or(0, |_| work_dim),
            arrays: locals.arrays,
            offset: [0; 3],
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
        let items = variant
            .local
            .iter()
            .try_fold(1u32, |n, size| n.checked_mul(*size));
        let elements = self.local_arguments().map(|(_, arg)| match arg.binding {
            Some(Binding::Workgroup { elem_size, .. }) => u64::from(elem_size),
            _ => 0,
        });
        let arrays = elements.zip(variant.arrays).map(|(size, n)| size * u64::from(n));
        let local =
            u64::from(self.reflection().local_fixed).max(u64::from(variant.arena)) + arrays.sum::<u64>();
        variant
            .local
            .iter()
            .zip(limits.group_size)
            .all(|(n, most)| (1..=most).contains(n))
            && items.is_some_and(|n| n <= limits.group_invocations)
            && local <= u64::from(limits.local_memory)
            && self
                .reflection()
                .required_size
                .is_none_or(|size| size == variant.local)
    }

    /// Starts the pipelines that are known to be needed, when the application creates a kernel object. `for_it`: by
    /// clCreateKernel, for this kernel alone.
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

    fn start_required(self: &Arc<Self>, context: &Context, sizes: &[(usize, usize)]) {
        let is_known = self.module().reflection().spec.work_dim.is_none();
        if let (Some(size), true, Some(locals)) =
            (self.reflection().required_size, is_known, self.locals(sizes))
        {
            self.start(context, self.variant(size, 0, locals));
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
                .or_else(|| hint(self.reflection()).map(|size| (size, 1)));
            if last.is_none() {
                if prediction.waiting.len() == MOST_WAITING {
                    prediction.waiting.retain(|(kernel, _)| kernel.strong_count() > 0);
                    prediction.waiting.truncate(MOST_WAITING - 1);
                }
                prediction.waiting.push((Arc::downgrade(self), locals));
            }
            last
        };
        if let Some((local, work_dim)) = last {
            self.start(context, self.variant(local, work_dim, locals));
        }
    }

    /// Notes a launch that uses a variant for the first time, and starts the pipelines of the kernels that wait for
    /// one.
    pub(super) fn launches(&self, context: &Context, variant: &Variant, work_dim: u32) {
        let guesses = self.guesses();
        let (remembered, waiting) = {
            let mut prediction = self.module().prediction();
            if guesses {
                prediction.last = Some((variant.local, work_dim));
            }
            let remembered = std::mem::take(&mut prediction.remembered);
            (remembered, std::mem::take(&mut prediction.waiting))
        };
        self.start_others(context, remembered);
        for (kernel, locals) in waiting {
            let Some(kernel) = kernel.upgrade() else { continue };
            if !std::ptr::eq(&*kernel, self) && !kernel.has_pipelines() {
                kernel.start(context, kernel.variant(variant.local, work_dim, locals));
            }
        }
    }

    /// Lets a thread of the context make a pipeline, unless it exists or is being made.
    fn start(self: &Arc<Self>, context: &Context, variant: Variant) {
        if self.has_pipeline(&variant) || !self.is_possible(&variant) {
            return;
        }
        // A kernel that is released before its turn needs no pipeline.
        let kernel = Arc::downgrade(self);
        context.prepare(Box::new(move || {
            crate::process::unless_over(|| {
                let Some(kernel) = kernel.upgrade() else { return };
                if !kernel.has_pipeline(&variant) {
                    drop(kernel.pipeline(variant));
                }
            });
        }));
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
