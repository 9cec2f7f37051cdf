//! The objects that a batch keeps alive until the GPU has completed it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::recycling::Storage;
use crate::kernel::pipeline::DeviceKernel;
use crate::mem::{Buffer, Image};
use crate::sampler::Sampler;
use crate::vk;

/// The number of objects, the last ones, among which an object is searched before it is kept once more.
const RECENT: usize = 8;

/// An object that a batch keeps alive.
#[allow(dead_code, reason = "held for their lifetime only")]
pub(crate) enum Keep {
    Buffer(Arc<Buffer>),
    Image(Arc<Image>),
    Sampler(Arc<Sampler>),
    Launch(Arc<DeviceKernel>, Arc<vk::Pipeline>),
    Memory(Arc<Storage>),
}

/// The serial number of the last batch that keeps a buffer alive, so that each batch keeps it only once.
#[derive(Debug, Default)]
pub(crate) struct KeptBy(AtomicU64);

/// All objects that a batch keeps alive.
pub(super) struct KeptObjects {
    list: Vec<Keep>,
    /// A number that no other batch of the process has; the first is 1.
    serial: u64,
}

impl KeptObjects {
    pub(super) fn new() -> KeptObjects {
        KeptObjects {
            list: Vec::new(),
            serial: 0,
        }
    }

    /// Begins a batch.
    pub(super) fn begin(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.serial = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn push(&mut self, what: Keep) {
        self.list.push(what);
    }

    /// Keeps a buffer, unless the batch does so already. Another queue's batch may have kept it since; it is then
    /// kept twice.
    #[inline]
    pub(super) fn buffer(&mut self, buffer: &Arc<Buffer>) {
        let KeptBy(serial) = buffer.kept();
        if serial.load(Ordering::Relaxed) != self.serial {
            self.list.push(Keep::Buffer(Arc::clone(buffer)));
            serial.store(self.serial, Ordering::Relaxed);
        }
    }

    /// Keeps an image, unless the batch did so recently.
    pub(super) fn image(&mut self, image: &Arc<Image>) {
        let is_it = |k: &Keep| matches!(k, Keep::Image(i) if Arc::ptr_eq(i, image));
        if !self.list.iter().rev().take(RECENT).any(is_it) {
            self.list.push(Keep::Image(Arc::clone(image)));
        }
    }

    /// Keeps a kernel and its pipeline, unless the batch did so recently.
    pub(super) fn launch(&mut self, kernel: &Arc<DeviceKernel>, pipeline: &Arc<vk::Pipeline>) {
        let is_it = |k: &Keep| matches!(k, Keep::Launch(_, p) if Arc::ptr_eq(p, pipeline));
        if !self.list.iter().rev().take(RECENT).any(is_it) {
            self.list
                .push(Keep::Launch(Arc::clone(kernel), Arc::clone(pipeline)));
        }
    }

    /// Returns the kernels and pipelines, the last one first.
    pub(super) fn launches(&self) -> impl Iterator<Item = (&Arc<DeviceKernel>, &Arc<vk::Pipeline>)> {
        self.list.iter().rev().filter_map(|k| match k {
            Keep::Launch(kernel, pipeline) => Some((kernel, pipeline)),
            Keep::Buffer(_) | Keep::Image(_) | Keep::Sampler(_) | Keep::Memory(_) => None,
        })
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }
}
