//! A Vulkan device, and the objects of the runtime that exist as long as it does. Both are made at the first
//! use, and made anew for the next context after the device was lost.
//!
//! A queue keeps the [`Opened`] that it was made with, so objects of a lost device are never used together with
//! those of its successor.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use caldera_compiler::intrinsic::SamplerMask;

use super::clock_keeper::ClockKeeper;
use super::{Device, pinned, recycling, staging, upload};
use crate::error::{ClCode, Error, Result};
use crate::kernel::copy::{self, CopyKernels};
use crate::lock::{Mutex, Rank};
use crate::vk;

/// A Vulkan device, and the objects that the runtime made for it.
pub(crate) struct Opened {
    pub(super) uploader: upload::Uploader,
    /// Copies contents that other devices need to host memory.
    pub(super) downloader: upload::Uploader,
    /// One sampler for each mask used so far.
    pub(super) samplers: Mutex<Vec<(SamplerMask, Arc<vk::Sampler>)>>,
    copy_kernels: OnceLock<Option<CopyKernels>>,
    staging: Arc<staging::StagingPool>,
    recycled: Arc<recycling::RecycledStorage>,
    pinned: pinned::PinnedMemory,
    /// The number of batches that the device's queues have retired.
    retired_batches: AtomicU64,
    clock_keeper: Option<Arc<ClockKeeper>>,
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
        let recycled = recycling::RecycledStorage::new(logical.tuning().recycled);
        Ok(Opened {
            uploader: upload::Uploader::new(upload::Lane::Copies),
            downloader: upload::Uploader::new(upload::Lane::Downloads),
            samplers: Mutex::new(Rank::Cache, Vec::new()),
            copy_kernels: OnceLock::new(),
            staging: staging::StagingPool::new(&recycled),
            recycled,
            pinned: pinned::PinnedMemory::new(),
            retired_batches: AtomicU64::new(0),
            clock_keeper: ClockKeeper::new(physical.facts()),
            logical,
        })
    }

    /// Returns the Vulkan device.
    pub(crate) fn logical(&self) -> &Arc<vk::Device> {
        &self.logical
    }

    /// Returns the pool of staging memory.
    pub(crate) fn staging(&self) -> &Arc<staging::StagingPool> {
        &self.staging
    }

    /// Returns storage for a buffer, recycled or new. Its contents are undefined.
    pub(crate) fn storage(&self, size: u64, place: vk::Place) -> Result<recycling::Storage, vk::AllocError> {
        self.recycled.get(size, place, || {
            self.staging
                .with_room(|| vk::Buffer::new(&self.logical, size, place))
        })
    }

    /// Returns the table of pinned memory.
    pub(crate) fn pinned(&self) -> &pinned::PinnedMemory {
        &self.pinned
    }

    /// Returns the timeline point at which the latest upload is complete, if there has been an upload after
    /// `value`, which an earlier call returned (0 at first). A queue waits for that point on the GPU before it
    /// uses an object that may have been created since. A wait by the host would order the accesses, but only a
    /// semaphore makes the contents visible to the queue as well.
    pub(crate) fn uploads_since(&self, value: u64) -> Option<(&Arc<vk::Timeline>, u64)> {
        self.uploader.since(value)
    }

    /// Returns how many batches the device's queues have retired.
    pub(crate) fn retired_batches(&self) -> u64 {
        self.retired_batches.load(Ordering::Acquire)
    }

    /// Notes that a queue is about to submit a batch. May wait until the clock keeper lets it begin.
    pub(crate) fn begins_batch(&self) {
        if let Some(keeper) = &self.clock_keeper {
            keeper.begins_batch();
        }
    }

    /// Notes that the batch could not be submitted.
    pub(crate) fn fails_batch(&self) {
        if let Some(keeper) = &self.clock_keeper {
            keeper.fails_batch();
        }
    }

    /// Counts a batch that a queue retires, before its events complete. Returns the previous count.
    pub(crate) fn retires_batch(&self) -> u64 {
        if let Some(keeper) = &self.clock_keeper {
            keeper.ends_batch();
        }
        self.retired_batches.fetch_add(1, Ordering::AcqRel)
    }

    /// Makes the kernels for copies, before the first command that may use one is recorded. If they cannot be
    /// made, the log has a line.
    pub(crate) fn make_copy_kernels(&self, device: &Arc<Device>) {
        self.copy_kernels.get_or_init(|| {
            let made = copy::kernels(device);
            made.inspect_err(|e| log::warn!("no kernels for copies: {}", e.chain()))
                .ok()
        });
    }

    /// Returns the kernels for copies, if they have been made.
    pub(crate) fn copy_kernels(&self) -> Option<&CopyKernels> {
        self.copy_kernels.get()?.as_ref()
    }

    /// Checks that memory belongs to this Vulkan device, and not to a lost predecessor.
    pub(super) fn check(&self, memory: &Arc<vk::Device>) -> Result<()> {
        if Arc::ptr_eq(memory, &self.logical) {
            Ok(())
        } else {
            Err(Error::new(ClCode::OutOfResources, "the device was lost"))
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(keeper) = &self.clock_keeper {
            keeper.stop();
        }
    }
}

impl Device {
    /// Returns the Vulkan device with the objects that belong to it, which the first call makes.
    pub(crate) fn opened(&self) -> Result<Arc<Opened>> {
        let mut slot = self.opened.lock();
        if let Some(opened) = &*slot {
            return Ok(Arc::clone(opened));
        }
        let opened = Opened::new(&self.physical).map_err(|e| {
            Error::new(ClCode::DeviceNotAvailable, format!("{}: {e}", self.info.name)).from_source(e)
        })?;
        Ok(Arc::clone(slot.insert(Arc::new(opened))))
    }

    /// Returns the Vulkan device.
    pub(crate) fn logical(&self) -> Result<Arc<vk::Device>> {
        self.opened().map(|o| Arc::clone(o.logical()))
    }

    /// Destroys the Vulkan device, unless an object made from it still exists or another thread is making it.
    pub(crate) fn close(&self) {
        let idle = self
            .opened
            .try_lock()
            .and_then(|mut slot| slot.take_if(|o| Arc::strong_count(o) == 1));
        drop(idle);
    }

    /// Opens the device for a new context; a lost device is replaced.
    pub(crate) fn revive(&self) -> Result<()> {
        let old = self.opened.lock().take_if(|o| o.logical.is_lost());
        if old.is_some() {
            log::warn!("{}: was lost, and is opened again", self.info.name);
        }
        self.opened().map(drop)
    }
}
