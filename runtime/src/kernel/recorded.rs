//! Launches that a command-buffer has recorded (cl_khr_command_buffer): each is prepared once, as an enqueue call prepares
//! it, and executed many times.

use std::sync::Arc;

use super::cached_launch::{self, CachedLaunch};
use super::launch::{self, ArgValue, NdRange};
use super::pipeline::DeviceKernel;
use super::{Kernel, Range};
use crate::capture;
use crate::config::{ClVersion, config};
use crate::error::{ClCode, Error, Result};
use crate::mem::Buffer;
use crate::mem::migrate::Touch;
use crate::queue::{CommandQueue, Recording};

/// A launch of a command-buffer, with the argument values that the kernel object had when it was recorded.
#[derive(Clone)]
pub struct RecordedLaunch {
    on_device: Arc<DeviceKernel>,
    range: Range,
    args: Vec<ArgValue>,
    /// `None` if an argument is not set, or if there are no work-items.
    launch: Option<CachedLaunch>,
}

impl RecordedLaunch {
    /// Records a launch on a queue of the kernel's context: makes the checks of CL 5.8 in the specification's order.
    /// `may_be_unset` tells whether arguments may be set later.
    pub fn new(
        kernel: &Kernel,
        queue: &Arc<CommandQueue>,
        range: &Range,
        may_be_unset: bool,
    ) -> Result<RecordedLaunch> {
        // CL 5.8: INVALID_PROGRAM_EXECUTABLE if there is no successfully built program executable for the queue's device
        let (_, on_device) = kernel.on_device(Some(queue.device())).map_err(|_| {
            Error::new(ClCode::InvalidProgramExecutable, "not built for the device").at("5.8")
        })?;
        capture::recorded(on_device, queue);
        let mut values = kernel.values.lock().take()?;
        let is_launched = values.are_set() && !is_empty(range);
        let prepared = match is_launched {
            true => values.prepare(on_device, queue, range),
            false => Ok(()),
        };
        let (args, launch) = values.recorded();
        // This may drop the last references to objects, so no lock may be held.
        values.drop_objects();
        kernel.values.lock().give_back(values);
        prepared?;
        let recorded = RecordedLaunch {
            on_device: Arc::clone(on_device),
            range: *range,
            args,
            launch: launch.filter(|_| is_launched),
        };
        // CL 5.8: INVALID_KERNEL_ARGS if the kernel argument values have not been specified
        if !may_be_unset && !recorded.is_complete() {
            return Err(Error::new(ClCode::InvalidKernelArgs, "an argument is not set").at("5.8"));
        }
        if recorded.launch.is_none() {
            recorded.check_sizes(queue)?;
        }
        Ok(recorded)
    }

    /// Makes the checks of the sizes for a launch that is not prepared.
    fn check_sizes(&self, queue: &CommandQueue) -> Result<()> {
        match is_empty(&self.range) {
            true => Ok(()),
            false => launch::check_sizes(&self.on_device, &self.range, queue.device().limits()),
        }
    }

    /// Returns a copy with other argument values and another NDRange. The caller has checked the values as for
    /// [`Kernel::set_arg`]. `pointed` has the buffers at addresses among the values.
    pub(crate) fn updated(
        &self,
        queue: &CommandQueue,
        args: &[(u32, ArgValue)],
        pointed: &[Arc<Buffer>],
        range: &Range,
    ) -> Result<RecordedLaunch> {
        // CL, clUpdateMutableCommandsKHR: INVALID_OPERATION if the sizes result in a change to work-group uniformity
        if is_uniform(&self.range) != is_uniform(range) {
            let what = "the work-groups would no longer be uniform, or become so";
            return Err(Error::new(ClCode::InvalidOperation, what));
        }
        let mut new = self.clone();
        for (index, value) in args {
            let index = *index as usize;
            if !new
                .launch
                .as_mut()
                .is_some_and(|launch| launch.change(index, value))
            {
                new.launch = None;
            }
            new.args[index] = value.clone();
        }
        // The buffers at former addresses stay there, which does no harm.
        let pointed = pointed.iter().map(|b| ArgValue::Buffer(Some(Arc::clone(b))));
        new.args.extend(pointed);
        new.range = *range;
        if new.is_complete() && !is_empty(range) {
            let nd = NdRange {
                kernel: &new.on_device,
                args: &new.args,
                range: *range,
            };
            cached_launch::prepare(&mut new.launch, &nd, queue)?;
        } else {
            new.launch = None;
            new.check_sizes(queue)?;
        }
        Ok(new)
    }

    /// Returns whether all arguments are set.
    pub(crate) fn is_complete(&self) -> bool {
        !self.args.iter().any(|value| matches!(value, ArgValue::Unset))
    }

    /// Returns the NDRange.
    pub fn range(&self) -> &Range {
        &self.range
    }

    /// Returns the kernel.
    pub(crate) fn kernel(&self) -> &Arc<DeviceKernel> {
        &self.on_device
    }

    /// Returns the argument values.
    pub(crate) fn args(&self) -> &[ArgValue] {
        &self.args
    }

    /// Returns how the launch uses the contents of memory objects.
    pub(crate) fn touches(&self) -> Vec<Touch> {
        let launch = self.launch.as_ref();
        launch.map_or_else(Vec::new, |l| l.launch().touches(&self.args))
    }

    /// Records the launch into a batch.
    pub(crate) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        match &self.launch {
            Some(launch) => launch.launch().record(&self.args, r),
            None => Ok(()),
        }
    }
}

/// Returns whether an NDRange has no work-items, which is allowed from OpenCL 2.1 on.
fn is_empty(range: &Range) -> bool {
    range.is_empty() && config().cl_version != ClVersion::V1_2 && (1..=3).contains(&range.work_dim)
}

/// Returns whether all work-groups have the same size. Without a size, the implementation chooses one that divides the NDRange.
fn is_uniform(range: &Range) -> bool {
    let divides =
        |local: [usize; 3]| (0..3).all(|d| local[d] != 0 && range.global[d].is_multiple_of(local[d]));
    range.local.is_none_or(divides)
}
