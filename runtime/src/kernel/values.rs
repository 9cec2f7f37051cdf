//! The argument values that a kernel object remembers (CL 5.7.2).
//!
//! "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments": memory objects
//! and samplers are remembered weakly, and a launch takes hold of them when it is enqueued.

use std::sync::{Arc, Weak};

use super::Range;
use super::launch::{ArgValue, NdRange, PodBytes};
use super::pipeline::DeviceKernel;
use super::standing::{self, Standing};
use crate::command::CommandType;
use crate::error::{ClCode, Error, Result};
use crate::mem::{Buffer, Image};
use crate::queue::{CommandQueue, Enqueued, Waits};
use crate::sampler::Sampler;

enum Held {
    Unset,
    Pod(PodBytes),
    NullBuffer,
    Buffer(Weak<Buffer>),
    Local(usize),
    Sampler(Weak<Sampler>),
    Image { image: Weak<Image>, write: bool },
}

/// One value per argument.
pub(super) struct Values {
    held: Vec<Held>,
    /// Storage for [`Values::take`], so that a launch allocates nothing.
    spare: Vec<ArgValue>,
    /// The last launch, if it was with these values.
    standing: Option<Box<Standing>>,
    /// How often one was set.
    changes: u64,
}

/// The values for a launch, with a hold on what they name.
pub(super) struct Taken {
    pub(super) args: Vec<ArgValue>,
    standing: Option<Box<Standing>>,
    /// [`Values::changes`] at that time.
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
        let launch = standing::launch(&mut self.standing, &nd, queue)?;
        queue.enqueue_launch(launch, &self.args, command, waits)
    }
}

impl Values {
    /// Unset.
    pub(super) fn new(count: usize) -> Self {
        Values {
            held: (0..count).map(|_| Held::Unset).collect(),
            spare: Vec::with_capacity(count),
            standing: None,
            changes: 0,
        }
    }

    pub(super) fn set(&mut self, index: usize, value: ArgValue) {
        self.changes += 1;
        self.standing.take_if(|s| !s.change(index, &value));
        self.held[index] = match value {
            ArgValue::Unset => Held::Unset,
            ArgValue::Pod(bytes) => Held::Pod(bytes),
            ArgValue::Buffer(None) => Held::NullBuffer,
            ArgValue::Buffer(Some(buffer)) => Held::Buffer(Arc::downgrade(&buffer)),
            ArgValue::Local(bytes) => Held::Local(bytes),
            ArgValue::Sampler(sampler) => Held::Sampler(Arc::downgrade(&sampler)),
            ArgValue::Image { image, write } => Held::Image {
                image: Arc::downgrade(&image),
                write,
            },
        };
    }

    /// What the `__local` arguments take.
    pub(super) fn local_bytes(&self) -> u64 {
        self.held
            .iter()
            .map(|v| match v {
                Held::Local(bytes) => *bytes as u64,
                Held::Unset
                | Held::Pod(_)
                | Held::NullBuffer
                | Held::Buffer(_)
                | Held::Sampler(_)
                | Held::Image { .. } => 0,
            })
            .sum()
    }

    /// The values for a launch; [`Values::give_back`] takes them again.
    pub(super) fn take(&mut self) -> Result<Taken> {
        let mut values = std::mem::take(&mut self.spare);
        for (i, held) in self.held.iter().enumerate() {
            // CL 5.8: INVALID_KERNEL_ARGS if the kernel argument values have not been specified
            let gone = || {
                Error::new(
                    ClCode::InvalidKernelArgs,
                    format!("the object that argument {i} was set to has been released"),
                )
                .at("5.8")
            };
            values.push(match held {
                Held::Unset => ArgValue::Unset,
                Held::Pod(bytes) => ArgValue::Pod(bytes.clone()),
                Held::NullBuffer => ArgValue::Buffer(None),
                Held::Buffer(buffer) => ArgValue::Buffer(Some(buffer.upgrade().ok_or_else(gone)?)),
                Held::Local(bytes) => ArgValue::Local(*bytes),
                Held::Sampler(sampler) => ArgValue::Sampler(sampler.upgrade().ok_or_else(gone)?),
                Held::Image { image, write } => ArgValue::Image {
                    image: image.upgrade().ok_or_else(gone)?,
                    write: *write,
                },
            });
        }
        Ok(Taken {
            args: values,
            standing: self.standing.take(),
            changes: self.changes,
        })
    }

    /// What [`Values::take`] gave, without the objects, to be used again.
    pub(super) fn give_back(&mut self, taken: Taken) {
        self.spare = taken.args;
        if self.changes == taken.changes {
            self.standing = taken.standing;
        }
    }
}
