//! The argument values that a kernel object remembers (CL 5.7.2).
//!
//! "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments": memory objects
//! and samplers are remembered weakly, and a launch takes hold of them when it is enqueued.

use std::sync::{Arc, Weak};

use super::launch::{ArgValue, PodBytes};
use crate::error::{ClCode, Error, Result};
use crate::mem::{Buffer, Image};
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
}

impl Values {
    /// Unset.
    pub(super) fn new(count: usize) -> Self {
        Values {
            held: (0..count).map(|_| Held::Unset).collect(),
            spare: Vec::with_capacity(count),
        }
    }

    pub(super) fn set(&mut self, index: usize, value: ArgValue) {
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

    /// The values for a launch, with a hold on what they name. [`Values::give_back`] takes the vector again.
    pub(super) fn take(&mut self) -> Result<Vec<ArgValue>> {
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
        Ok(values)
    }

    /// An empty vector, to be used again.
    pub(super) fn give_back(&mut self, values: Vec<ArgValue>) {
        self.spare = values;
    }
}
