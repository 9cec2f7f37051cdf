//! The argument values that a kernel object remembers (CL 5.7.2).
//!
//! "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments": memory objects
//! and samplers are remembered weakly, and a launch takes hold of them when it is enqueued.

use std::sync::{Arc, Weak};

use super::Range;
use super::cached_launch::{self, CachedLaunch};
use super::launch::{ArgValue, NdRange};
use super::pipeline::DeviceKernel;
use crate::command::CommandType;
use crate::error::{ClCode, Error, Result};
use crate::mem::{Buffer, Image};
use crate::queue::{CommandQueue, Enqueued, Waits};
use crate::sampler::Sampler;

/// What an argument names.
enum Named {
    Buffer(Weak<Buffer>),
    Sampler(Weak<Sampler>),
    Image { image: Weak<Image>, write: bool },
}

impl Named {
    /// The name of an object; any other value is given back.
    fn of(value: ArgValue) -> std::result::Result<Named, ArgValue> {
        match value {
            ArgValue::Buffer(Some(buffer)) => Ok(Named::Buffer(Arc::downgrade(&buffer))),
            ArgValue::Sampler(sampler) => Ok(Named::Sampler(Arc::downgrade(&sampler))),
            ArgValue::Image { image, write } => Ok(Named::Image {
                image: Arc::downgrade(&image),
                write,
            }),
            plain @ (ArgValue::Unset | ArgValue::Pod(_) | ArgValue::Buffer(None) | ArgValue::Local(_)) => {
                Err(plain)
            }
        }
    }

    /// The object, unless it is gone.
    fn object(&self) -> Option<ArgValue> {
        Some(match self {
            Named::Buffer(buffer) => ArgValue::Buffer(Some(buffer.upgrade()?)),
            Named::Sampler(sampler) => ArgValue::Sampler(sampler.upgrade()?),
            Named::Image { image, write } => ArgValue::Image {
                image: image.upgrade()?,
                write: *write,
            },
        })
    }
}

/// One value per argument.
pub(super) struct Values {
    /// Those that are no objects; the others are unset here.
    plain: Vec<ArgValue>,
    /// The arguments that name objects, in any order.
    named: Vec<(usize, Named)>,
    /// For the next launch, which then copies nothing that has not changed.
    ready: Option<Box<Taken>>,
    /// How often one was set.
    changes: u64,
}

/// The values for a launch, with a hold on what they name.
pub(super) struct Taken {
    args: Vec<ArgValue>,
    /// The last launch, if it was with these values.
    cached_launch: Option<CachedLaunch>,
    /// [`Values::changes`] when they were taken.
    changes: u64,
}

impl Taken {
    /// As [`super::Kernel::enqueue`], whose own checks have been done.
    pub(super) fn enqueue(
        &mut self,
        kernel: &Arc<DeviceKernel>,
        queue: &Arc<CommandQueue>,
        range: &Range,
        command: CommandType,
        waits: Waits<'_>,
    ) -> Enqueued {
        queue.check_waits(waits)?;
        let nd = NdRange {
            kernel,
            args: &self.args,
            range: *range,
        };
        let launch = cached_launch::launch(&mut self.cached_launch, &nd, queue)?;
        queue.enqueue_launch(launch, &self.args, command, waits)
    }

    /// Lets go of the objects.
    pub(super) fn let_go(&mut self) {
        for value in &mut self.args {
            match value {
                ArgValue::Buffer(Some(_)) | ArgValue::Sampler(_) | ArgValue::Image { .. } => {
                    *value = ArgValue::Unset;
                }
                ArgValue::Unset | ArgValue::Pod(_) | ArgValue::Buffer(None) | ArgValue::Local(_) => {}
            }
        }
    }
}

impl Values {
    /// Unset.
    pub(super) fn new(count: usize) -> Self {
        Values {
            plain: vec![ArgValue::Unset; count],
            named: Vec::new(),
            ready: None,
            changes: 0,
        }
    }

    pub(super) fn set(&mut self, index: usize, value: ArgValue) {
        self.changes += 1;
        if let Some(ready) = &mut self.ready
            && let Some(cached_launch) = &mut ready.cached_launch
            && !cached_launch.change(index, &value)
        {
            ready.cached_launch = None;
        }
        let at = self.named.iter().position(|(i, _)| *i == index);
        let plain = match (Named::of(value), at) {
            (Ok(named), Some(at)) => {
                self.named[at].1 = named;
                return;
            }
            (Ok(named), None) => {
                self.named.push((index, named));
                ArgValue::Unset
            }
            (Err(plain), at) => {
                if let Some(at) = at {
                    self.named.swap_remove(at);
                }
                plain
            }
        };
        if let Some(ready) = &mut self.ready {
            ready.args[index] = plain.clone();
        }
        self.plain[index] = plain;
    }

    /// What the `__local` arguments take.
    pub(super) fn local_bytes(&self) -> u64 {
        self.plain
            .iter()
            .map(|v| match v {
                ArgValue::Local(bytes) => *bytes as u64,
                ArgValue::Unset
                | ArgValue::Pod(_)
                | ArgValue::Buffer(_)
                | ArgValue::Sampler(_)
                | ArgValue::Image { .. } => 0,
            })
            .sum()
    }

    /// The values for a launch; [`Values::give_back`] takes them again.
    pub(super) fn take(&mut self) -> Result<Box<Taken>> {
        let mut taken = self.ready.take().unwrap_or_else(|| {
            Box::new(Taken {
                args: self.plain.clone(),
                cached_launch: None,
                changes: 0,
            })
        });
        taken.changes = self.changes;
        for (index, named) in &self.named {
            // CL 5.8: INVALID_KERNEL_ARGS if the kernel argument values have not been specified
            taken.args[*index] = named.object().ok_or_else(|| {
                Error::new(
                    ClCode::InvalidKernelArgs,
                    format!("the object that argument {index} was set to has been released"),
                )
                .at("5.8")
            })?;
        }
        Ok(taken)
    }

    /// What [`Values::take`] gave, without the objects, to be used again.
    pub(super) fn give_back(&mut self, taken: Box<Taken>) {
        if self.changes == taken.changes {
            self.ready = Some(taken);
        }
    }
}
