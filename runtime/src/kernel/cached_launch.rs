//! The cached launch of a kernel object: its last launch, which the next launch usually repeats.
//!
//! The result of [`Launch::prepare`] depends on the kernel, the device, the requested sizes and the argument
//! values, and on nothing else. So it stays valid until clSetKernelArg changes a value ([`super::values`]); a
//! plain value, or a pointer that is a push constant, is changed in place. The cached launch holds no reference
//! to an argument.

use std::sync::Arc;

use caldera_compiler::reflect::{Binding, Place};

use super::Range;
use super::launch::{ArgValue, Launch, NdRange};
use super::pipeline::DeviceKernel;
use crate::error::Result;
use crate::queue::CommandQueue;

/// A launch, and the NDRange that it was prepared for.
#[derive(Clone)]
pub(super) struct CachedLaunch {
    launch: Launch,
    /// The kernel of the request; that of the launch may be another compilation of it.
    kernel: Arc<DeviceKernel>,
    range: Range,
}

/// Prepares the launch of `nd`, unless the cached launch has the same kernel and NDRange. The caller guarantees that
/// the cached launch was prepared for the argument values of `nd`.
pub(super) fn prepare(
    cached_launch: &mut Option<CachedLaunch>,
    nd: &NdRange<'_>,
    queue: &CommandQueue,
) -> Result<()> {
    let is_that = |c: &CachedLaunch| {
        c.range == nd.range && Arc::ptr_eq(&c.kernel, nd.kernel) && !c.launch.is_provisional()
    };
    if !cached_launch.as_ref().is_some_and(is_that) {
        *cached_launch = Some(CachedLaunch {
            launch: Launch::prepare(nd, queue)?,
            kernel: Arc::clone(nd.kernel),
            range: nd.range,
        });
    }
    Ok(())
}

impl CachedLaunch {
    /// Returns the launch.
    pub(super) fn launch(&self) -> &Launch {
        &self.launch
    }

    /// Returns the NDRange that the launch was prepared for.
    pub(super) fn range(&self) -> &Range {
        &self.range
    }

    /// Changes the value of an argument. Returns `false` if the launch must be prepared again.
    pub(super) fn change(&mut self, index: usize, value: &ArgValue) -> bool {
        let binding = self.launch.kernel().reflection().args[index].binding;
        match (binding, value) {
            (_, ArgValue::Image { .. }) => false,
            (None, _) => true,
            (Some(Binding::Pod(Place::Push(range))), ArgValue::Pod(bytes)) => {
                self.launch.change(range, bytes.bytes()).is_ok()
            }
            (Some(Binding::Pointer(Place::Push(range))), ArgValue::Buffer(Some(buffer))) => {
                self.launch.change_buffer(index, range, buffer)
            }
            (Some(_), _) => false,
        }
    }
}
