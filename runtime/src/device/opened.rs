//! What lives and dies with a Vulkan device: made at the first use, and made anew by the next context when the device was lost.
//!
//! Queues keep the one they were made with, so nothing of a lost device meets anything of its successor.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use caldera_compiler::intrinsic::SamplerMask;

use super::{Device, pinned, recycling, staging, upload};
use crate::error::{ClCode, Error, Result};
use crate::kernel::copy::{self, CopyKernels};
use crate::lock::{Mutex, Rank};
use crate::vk;

/// A Vulkan device, and what the runtime made for it.
pub(crate) struct Opened {
    pub(super) uploader: upload::Uploader,
    /// One for each mask that has been asked for.
    pub(super) samplers: Mutex<Vec<(SamplerMask, Arc<vk::Sampler>)>>,
    copy_kernels: OnceLock<Option<CopyKernels>>,
    staging: Arc<staging::StagingPool>,
    recycled: Arc<recycling::RecycledStorage>,
    pinned: pinned::PinnedMemory,
    /// How many batches its queues have retired.
    retired_batches: AtomicU64,
    logical: Arc<vk::Device>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened")
    }
}

impl Opened {
    pub(super) fn new(physical: &vk::PhysicalDevice) -> Result<Opened, vk::VkError> {
        let logical = vk::Device::open(physical)?;
        crate::process::loaded();
        let recycled = recycling::RecycledStorage::new(physical.facts().device_local_heap);
        Ok(Opened {
            uploader: upload::Uploader::new(),
            samplers: Mutex::new(Rank::Cache, Vec::new()),
            copy_kernels: OnceLock::new(),
            staging: staging::StagingPool::new(&recycled),
            recycled,
            pinned: pinned::PinnedMemory::new(),
            retired_batches: AtomicU64::new(0),
            logical,
        })
    }

    /// The Vulkan device.
    pub(crate) fn logical(&self) -> &Arc<vk::Device> {
        &self.logical
    }

    /// Its staging memory.
    pub(crate) fn staging(&self) -> &Arc<staging::StagingPool> {
        &self.staging
    }

    /// Storage for a buffer: what another one has left, or new. Its contents are undefined.
    pub(crate) fn storage(&self, size: u64, place: vk::Place) -> Result<recycling::Storage, vk::AllocError> {
        self.recycled.get(size, place, || {
            self.staging
                .with_room(|| vk::Buffer::new(&self.logical, size, place))
        })
    }

    /// The host memory that it copies from and to by itself.
    pub(crate) fn pinned(&self) -> &pinned::PinnedMemory {
        &self.pinned
    }

    /// When the last upload so far is done, if there has been one since the value that the last call gave (0: any).
    /// A queue waits for it before it uses anything that may have been made since: a wait by the host would be long
    /// enough, but only a semaphore makes sure that the queue sees the contents, too.
    pub(crate) fn uploads_since(&self, value: u64) -> Option<(&Arc<vk::Timeline>, u64)> {
        self.uploader.since(value)
    }

    /// How many batches the device's queues have retired.
    pub(crate) fn retired_batches(&self) -> u64 {
        self.retired_batches.load(Ordering::Acquire)
    }

    /// A queue retires a batch, and nobody has been told yet; how many had been retired before.
    pub(crate) fn retires_batch(&self) -> u64 {
        self.retired_batches.fetch_add(1, Ordering::AcqRel)
    }

    /// Makes the kernels for copies, before the first that may want one is recorded; a line in the log if they cannot be made.
    pub(crate) fn make_copy_kernels(&self, device: &Arc<Device>) {
        self.copy_kernels.get_or_init(|| {
            let made = copy::kernels(device);
            made.inspect_err(|e| log::warn!("no kernels for copies: {}", e.chain()))
                .ok()
        });
    }

    /// The kernels for copies, if they have been made.
    pub(crate) fn copy_kernels(&self) -> Option<&CopyKernels> {
        self.copy_kernels.get()?.as_ref()
    }

    /// Memory of this device, or of one that was lost before.
    pub(super) fn check(&self, memory: &Arc<vk::Device>) -> Result<()> {
        if Arc::ptr_eq(memory, &self.logical) {
            Ok(())
        } else {
            Err(Error::new(ClCode::OutOfResources, "the device was lost"))
        }
    }
}

impl Device {
    /// The Vulkan device with what belongs to it, made at the first call.
    pub(crate) fn opened(&self) -> Result<Arc<Opened>> {
        let mut slot = self.opened.lock();
        slot.get_or_insert_with(|| Opened::new(&self.physical).map(Arc::new))
            .clone()
            .map_err(|e| {
                Error::new(ClCode::DeviceNotAvailable, format!("{}: {e}", self.info.name)).from_source(e)
            })
    }

    /// The Vulkan device.
    pub(crate) fn logical(&self) -> Result<Arc<vk::Device>> {
        self.opened().map(|o| Arc::clone(o.logical()))
    }

    /// Destroys the Vulkan device, unless something made from it still lives or another thread is making it.
    pub(crate) fn close(&self) {
        let idle = self.opened.try_lock().and_then(|mut slot| {
            let idle = slot
                .as_ref()
                .is_some_and(|o| o.as_ref().is_ok_and(|o| Arc::strong_count(o) == 1));
            if idle { slot.take() } else { None }
        });
        drop(idle);
    }

    /// For a new context: a lost device is opened again.
    pub(crate) fn revive(&self) -> Result<()> {
        let lost = |slot: &Option<Result<Arc<Opened>, vk::VkError>>| {
            slot.as_ref()
                .is_some_and(|o| o.as_ref().is_ok_and(|o| o.logical.is_lost()))
        };
        let old = {
            let mut slot = self.opened.lock();
            if lost(&slot) { slot.take() } else { None }
        };
        if old.is_some() {
            log::warn!("{}: was lost, and is opened again", self.info.name);
        }
        self.opened().map(drop)
    }
}
