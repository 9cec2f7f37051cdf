//! The argument values that a kernel object stores (CL 5.7.2).
//!
//! "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments": so
//! memory objects and samplers are stored as weak references, and a launch takes strong ones when it is
//! enqueued.

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

/// A weak reference to the object that is an argument's value.
#[derive(Clone)]
enum Named {
    Buffer(Weak<Buffer>),
    Sampler(Weak<Sampler>),
    Image { image: Weak<Image>, write: bool },
}

impl Named {
    /// Converts an object to a weak reference; returns any other value unchanged, as the error.
    fn of(value: ArgValue) -> std::result::Result<Named, ArgValue> {
        match value {
            ArgValue::Buffer(Some(buffer)) => Ok(Named::Buffer(Arc::downgrade(&buffer))),
            ArgValue::Sampler(sampler) => Ok(Named::Sampler(Arc::downgrade(&sampler))),
            ArgValue::Image { image, write } => Ok(Named::Image {
                image: Arc::downgrade(&image),
                write,
            }),
            plain @ (ArgValue::Unset
            | ArgValue::Pod(_)
            | ArgValue::Buffer(None)
            | ArgValue::Address(_)
            | ArgValue::Local(_)) => Err(plain),
        }
    }

    /// Returns the object, unless it has been released.
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

/// The lists of addresses that clSetKernelExecInfo sets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PointerList {
    /// CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT.
    Addresses,
    /// CL_KERNEL_EXEC_INFO_SVM_PTRS.
    Svm,
    /// CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL.
    Usm,
}

/// Where the application has given addresses through which a kernel may access buffers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Pointing {
    /// The address is the value of the argument with this index.
    Argument(usize),
    /// The address is in a list of clSetKernelExecInfo.
    Listed(PointerList),
}

/// The values of all arguments of a kernel.
pub(super) struct Values {
    /// The values that are not objects; for arguments that are objects, the entry is unset.
    plain: Vec<ArgValue>,
    /// The arguments that are objects, in any order.
    named: Vec<(usize, Named)>,
    /// The buffers that the kernel may access through addresses.
    pointed: Vec<(Pointing, Weak<Buffer>)>,
    /// The values that the last launch used, kept for the next one, so that unchanged values need not be copied
    /// again.
    ready: Option<Box<Taken>>,
    /// The number of calls that set an argument.
    changes: u64,
}

/// The values for a launch, with strong references to objects.
pub(super) struct Taken {
    args: Vec<ArgValue>,
    /// The last launch, if it had these values.
    cached_launch: Option<CachedLaunch>,
    /// [`Values::changes`] at the time when the values were taken.
    changes: u64,
}

impl Taken {
    /// Prepares a launch with these values: [`Taken::cached_launch`] is then that launch.
    pub(super) fn prepare(
        &mut self,
        kernel: &Arc<DeviceKernel>,
        queue: &CommandQueue,
        range: &Range,
    ) -> Result<()> {
        let nd = NdRange {
            kernel,
            args: &self.args,
            range: *range,
        };
        cached_launch::prepare(&mut self.cached_launch, &nd, queue)
    }

    /// Returns the values, and the NDRange of the launch that [`Taken::prepare`] has prepared.
    pub(super) fn prepared(&self) -> (&[ArgValue], &Range) {
        (&self.args, self.cached_launch.as_ref().expect("prepared").range())
    }

    /// Returns whether every argument is set.
    pub(super) fn are_set(&self) -> bool {
        !self.args.iter().any(|value| matches!(value, ArgValue::Unset))
    }

    /// Returns the values, and a copy of the launch that [`Taken::prepare`] has prepared.
    pub(super) fn recorded(&self) -> (Vec<ArgValue>, Option<CachedLaunch>) {
        (self.args.clone(), self.cached_launch.clone())
    }

    /// Enqueues the launch that [`Taken::prepare`] has prepared.
    pub(super) fn enqueue(
        &self,
        queue: &Arc<CommandQueue>,
        command: CommandType,
        waits: Waits<'_>,
    ) -> Enqueued {
        let launch = self.cached_launch.as_ref().expect("prepared").launch();
        queue.enqueue_launch(launch, &self.args, command, waits)
    }

    /// Drops the references to objects.
    pub(super) fn drop_objects(&mut self) {
        for value in &mut self.args {
            match value {
                ArgValue::Buffer(Some(_)) | ArgValue::Sampler(_) | ArgValue::Image { .. } => {
                    *value = ArgValue::Unset;
                }
                ArgValue::Unset
                | ArgValue::Pod(_)
                | ArgValue::Buffer(None)
                | ArgValue::Address(_)
                | ArgValue::Local(_) => {}
            }
        }
    }
}

impl Values {
    /// Makes the values of a kernel with `count` arguments, all unset.
    pub(super) fn new(count: usize) -> Self {
        Values {
            plain: vec![ArgValue::Unset; count],
            named: Vec::new(),
            pointed: Vec::new(),
            ready: None,
            changes: 0,
        }
    }

    /// Returns a copy, for another kernel object.
    pub(super) fn copied(&self) -> Values {
        Values {
            plain: self.plain.clone(),
            named: self.named.iter().map(|(i, named)| (*i, named.clone())).collect(),
            pointed: self.pointed.clone(),
            ready: None,
            changes: 0,
        }
    }

    /// Sets the buffers that the kernel may access through the address that is the value of an argument, or through
    /// addresses in memory. They replace the former ones.
    pub(super) fn point(&mut self, by: Pointing, buffers: &[Arc<Buffer>]) {
        self.changes += 1;
        self.ready = None;
        self.pointed.retain(|(other, _)| *other != by);
        let new = buffers.iter().map(|b| (by, Arc::downgrade(b)));
        self.pointed.extend(new);
    }

    /// Sets the value of an argument (clSetKernelArg).
    pub(super) fn set(&mut self, index: usize, value: ArgValue) {
        if self
            .pointed
            .iter()
            .any(|(by, _)| *by == Pointing::Argument(index))
        {
            self.point(Pointing::Argument(index), &[]);
        }
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

    /// Returns the first argument that is not set.
    fn unset(&self) -> Option<usize> {
        let is_named = |index: usize| self.named.iter().any(|(i, _)| *i == index);
        let mut plain = self.plain.iter().enumerate();
        plain.find_map(|(i, value)| (matches!(value, ArgValue::Unset) && !is_named(i)).then_some(i))
    }

    /// Returns whether every argument is set.
    pub(super) fn are_set(&self) -> bool {
        self.unset().is_none()
    }

    /// Checks that every argument is set. CL 5.8: INVALID_KERNEL_ARGS if the kernel argument values have not been
    /// specified
    pub(super) fn check_all_set(&self) -> Result<()> {
        match self.unset() {
            None => Ok(()),
            Some(index) => {
                let what = format!("argument {index} is not set");
                Err(Error::new(ClCode::InvalidKernelArgs, what).at("5.8"))
            }
        }
    }

    /// Returns the indices and the bytes of the `__local` arguments.
    pub(super) fn local_sizes(&self) -> Vec<(usize, usize)> {
        let plain = self.plain.iter().enumerate();
        plain
            .filter_map(|(index, value)| match value {
                ArgValue::Local(bytes) => Some((index, *bytes)),
                ArgValue::Unset
                | ArgValue::Pod(_)
                | ArgValue::Buffer(_)
                | ArgValue::Address(_)
                | ArgValue::Sampler(_)
                | ArgValue::Image { .. } => None,
            })
            .collect()
    }

    /// Returns the bytes of local memory that the `__local` arguments ask for.
    pub(super) fn local_bytes(&self) -> u64 {
        self.plain
            .iter()
            .map(|v| match v {
                ArgValue::Local(bytes) => *bytes as u64,
                ArgValue::Unset
                | ArgValue::Pod(_)
                | ArgValue::Buffer(_)
                | ArgValue::Address(_)
                | ArgValue::Sampler(_)
                | ArgValue::Image { .. } => 0,
            })
            .sum()
    }

    /// Returns the values for a launch. The caller gives them back by [`Values::give_back`].
    pub(super) fn take(&mut self) -> Result<Box<Taken>> {
        let mut taken = self.ready.take().unwrap_or_else(|| {
            Box::new(Taken {
                args: self.plain.clone(),
                cached_launch: None,
                changes: 0,
            })
        });
        taken.changes = self.changes;
        taken.args.truncate(self.plain.len());
        // A kernel that does not access a buffer that has been released may be launched.
        let pointed = self.pointed.iter().filter_map(|(_, buffer)| buffer.upgrade());
        taken
            .args
            .extend(pointed.map(|buffer| ArgValue::Buffer(Some(buffer))));
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

    /// Takes back the result of [`Values::take`], without references to objects, for the next launch. It is
    /// dropped if an argument has been set in the meantime.
    pub(super) fn give_back(&mut self, taken: Box<Taken>) {
        if self.changes == taken.changes {
            self.ready = Some(taken);
        }
    }
}
