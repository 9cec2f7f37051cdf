//! The list of objects that a batch keeps alive until the GPU has completed the batch.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::recycling::Storage;
use crate::kernel::pipeline::DeviceKernel;
use crate::mem::{Buffer, Image};
use crate::sampler::Sampler;
use crate::vk;

/// The number of entries at the end of the list that are searched for an object before it is added. An object
/// that is further back is added a second time, which costs only memory.
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

/// The serial number of the batch that was the last to add a buffer to its list. With it, a batch adds a buffer
/// only once, without a search.
#[derive(Debug, Default)]
pub(crate) struct KeptBy(AtomicU64);

/// All objects that a batch keeps alive.
pub(super) struct KeptObjects {
    list: Vec<Keep>,
    /// The serial number of the batch. No other batch of the process has the same one; the first is 1.
    serial: u64,
    /// The kernels that report ended loops, with the count of the reports before the batch.
    reporting: Vec<(Arc<DeviceKernel>, u32)>,
}

impl KeptObjects {
    pub(super) fn new() -> KeptObjects {
        KeptObjects {
            list: Vec::new(),
            serial: 0,
            reporting: Vec::new(),
        }
    }

    /// Begins a batch: gives it a serial number.
    pub(super) fn begin(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.serial = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds an object.
    pub(super) fn push(&mut self, what: Keep) {
        self.list.push(what);
    }

    /// Adds a buffer, unless it is in the list. If a batch of another queue has added the buffer in the meantime,
    /// it is added a second time, which costs only memory.
    #[inline]
    pub(super) fn buffer(&mut self, buffer: &Arc<Buffer>) {
        let KeptBy(serial) = buffer.kept();
        if serial.load(Ordering::Relaxed) != self.serial {
            self.list.push(Keep::Buffer(Arc::clone(buffer)));
            serial.store(self.serial, Ordering::Relaxed);
        }
    }

    /// Adds an image, unless it is among the last [`RECENT`] entries.
    pub(super) fn image(&mut self, image: &Arc<Image>) {
        let is_it = |k: &Keep| matches!(k, Keep::Image(i) if Arc::ptr_eq(i, image));
        if !self.list.iter().rev().take(RECENT).any(is_it) {
            self.list.push(Keep::Image(Arc::clone(image)));
        }
    }

    /// Adds a kernel and its pipeline, unless they are among the last [`RECENT`] entries.
    pub(super) fn launch(&mut self, kernel: &Arc<DeviceKernel>, pipeline: &Arc<vk::Pipeline>) {
        let is_it = |k: &Keep| matches!(k, Keep::Launch(_, p) if Arc::ptr_eq(p, pipeline));
        if !self.list.iter().rev().take(RECENT).any(is_it) {
            self.list
                .push(Keep::Launch(Arc::clone(kernel), Arc::clone(pipeline)));
            if let Some((word, _)) = kernel.ended_loops() {
                self.reporting.push((Arc::clone(kernel), word.count()));
            }
        }
    }

    /// Returns the kernels and their pipelines, from the last one to the first.
    pub(super) fn launches(&self) -> impl Iterator<Item = (&Arc<DeviceKernel>, &Arc<vk::Pipeline>)> {
        self.list.iter().rev().filter_map(|k| match k {
            Keep::Launch(kernel, pipeline) => Some((kernel, pipeline)),
            Keep::Buffer(_) | Keep::Image(_) | Keep::Sampler(_) | Keep::Memory(_) => None,
        })
    }

    /// Returns whether kernels of the batch report ended loops.
    pub(super) fn may_report(&self) -> bool {
        !self.reporting.is_empty()
    }

    /// Returns the names of the kernels of which the driver may have ended loops, after the GPU has completed the batch. All
    /// kernels of a module count in one word, so that the list has those of the batch that are right, too.
    pub(super) fn with_ended_loops(&self) -> BTreeSet<&str> {
        let list = self.reporting.iter();
        let ended =
            list.filter(|(k, before)| k.ended_loops().is_some_and(|(word, _)| word.count() != *before));
        ended.map(|(k, _)| k.reflection().name.as_str()).collect()
    }

    /// Releases all objects. The GPU does not use them for this batch any more.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.reporting.clear();
    }
}
