//! Copies between host memory and Vulkan buffers and images outside of all queues: initial contents, constant
//! data of programs, and contents that move between devices.
//!
//! Uploads pass through a few chunks of staging memory in turn, so that host and GPU copy at the same time. The
//! host does not wait for the uploads of new images: queues wait for them on the GPU.
//!
//! The uploader's lock is held during waits for the GPU. That cannot deadlock: the submissions waited for
//! depend on nothing else, and the locks taken under it are never held during such a wait.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::command::image::rows;
use crate::command::rect::{Layout, dense};
use crate::lock::{Mutex, Rank};
use crate::mem::image::{Image, chunks};
use crate::mem::{HostPtr, bar_mapping};
use crate::vk;

/// Bytes of a chunk of staging memory.
const CHUNK: u64 = 4 << 20;

/// The number of chunks.
const SLOTS: usize = 3;

/// The Vulkan queue that an uploader submits to.
#[derive(Copy, Clone)]
pub(super) enum Lane {
    /// A queue for all copies.
    Copies,
    /// A queue for copies from buffers to host memory: one that runs no kernels, if the device has such a queue.
    Downloads,
}

impl Lane {
    fn queue(self, device: &vk::Device) -> &vk::Queue {
        match self {
            Lane::Copies => device.copy_queue(),
            Lane::Downloads => device.transfer_queue(),
        }
    }
}

/// A device's uploader; its Vulkan objects are made at first use.
pub(super) struct Uploader {
    lane: Lane,
    parts: Mutex<Option<Parts>>,
    timeline: OnceLock<Arc<vk::Timeline>>,
    /// The timeline's value at which the last submission is complete; stored after `timeline` is set.
    latest: AtomicU64,
}

struct Parts {
    lane: Lane,
    timeline: Arc<vk::Timeline>,
    /// The timeline's value at which the last submission is complete.
    value: u64,
    slots: Vec<Slot>,
    /// The index of the slot in which commands are being recorded.
    current: usize,
}

/// A command buffer, and the staging memory that its commands copy from or to.
struct Slot {
    recorder: vk::Recorder,
    /// Made when a copy first needs it.
    staging: Option<vk::Buffer>,
    /// The timeline's value at which the GPU has finished with the slot.
    value: u64,
}

impl std::fmt::Debug for Uploader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Uploader")
    }
}

fn region(src: u64, dst: u64, size: u64) -> [vk::CopyRegion; 1] {
    [vk::CopyRegion { src, dst, size }]
}

/// Returns the copy of texels that lie densely at the start of staging memory.
fn packed(texels: vk::Texels) -> vk::ImageCopy {
    vk::ImageCopy {
        texels,
        offset: 0,
        row: 0,
        rows: 0,
    }
}

/// Cuts an image into chunks. For each, returns its texels, its rows, and their layout in host memory.
fn parts_of(image: &Image, host: &Layout) -> impl Iterator<Item = (vk::Texels, [u64; 3], Layout)> {
    let texel = image.format().size();
    let host = *host;
    chunks(image.all(), texel, CHUNK).map(move |texels| {
        let [_, y, z] = texels.origin.map(u64::from);
        let there = Layout {
            start: host.row(y, z),
            ..host
        };
        (texels, rows(texel, &texels), there)
    })
}

impl Uploader {
    pub(super) fn new(lane: Lane) -> Uploader {
        Uploader {
            lane,
            parts: Mutex::new(Rank::Upload, None),
            timeline: OnceLock::new(),
            latest: AtomicU64::new(0),
        }
    }

    /// Returns the timeline, and the value at which the latest upload is complete, if that value is greater than
    /// `value`.
    pub(super) fn since(&self, value: u64) -> Option<(&Arc<vk::Timeline>, u64)> {
        let latest = self.latest.load(Ordering::Acquire);
        (latest > value).then(|| self.timeline.get().map(|t| (t, latest)))?
    }

    /// Makes the uploads submitted so far known to [`Uploader::since`].
    fn publish(&self, parts: &Parts) {
        self.timeline.get_or_init(|| Arc::clone(&parts.timeline));
        self.latest.store(parts.value, Ordering::Release);
    }

    /// Copies `size` bytes from host memory to a buffer at byte offset `at`, or back (`download`), and waits.
    pub(super) fn copy(
        &self,
        device: &Arc<vk::Device>,
        (buffer, at): (&vk::Buffer, u64),
        host: HostPtr,
        size: u64,
        download: bool,
    ) -> Result<(), vk::AllocError> {
        if let Some(mapped) = buffer.mapped() {
            let memory = mapped.offset(at);
            if download {
                memory.copy_to(host, size);
            } else {
                host.copy_to(memory, size);
            }
            return Ok(());
        }
        if let Some(bar_mapping) = buffer.bar_mapping()
            && !download
            && size <= device.tuning().bar_write
        {
            bar_mapping::write(host, bar_mapping.offset(at), size);
            return Ok(());
        }
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device, self.lane)?;
        let done = p.copy(device, (buffer, at), host, size, download);
        // The caller may free the buffer after an error.
        if done.is_err() && p.timeline.wait(p.value).is_err() {
            buffer.leak();
        }
        self.publish(p);
        done
    }

    /// Submits a copy between two buffers of the device; with `to_host`, its writes become visible to the host. Returns the
    /// timeline's value at which the copy is complete, for [`Uploader::wait`].
    pub(super) fn submit_copy(
        &self,
        device: &Arc<vk::Device>,
        from: &vk::Buffer,
        to: &vk::Buffer,
        region: vk::CopyRegion,
        to_host: bool,
    ) -> Result<u64, vk::AllocError> {
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device, self.lane)?;
        let slot = p.slot(device, 0)?;
        // As in `Parts::copy`.
        slot.recorder.barrier();
        slot.recorder.copy(from, to, [region]);
        p.submit(device, to_host)?;
        self.publish(p);
        Ok(p.value)
    }

    /// Waits until the timeline has reached a value that [`Uploader::submit_copy`] returned. Value 0 needs no wait.
    pub(super) fn wait(&self, value: u64) -> Result<(), vk::AllocError> {
        match self.timeline.get() {
            Some(timeline) if value > 0 => Ok(timeline.wait(value)?),
            Some(_) | None => Ok(()),
        }
    }

    /// Waits until all submissions are complete.
    pub(super) fn wait_for_all(&self) -> Result<(), vk::AllocError> {
        match &*self.parts.lock() {
            Some(parts) => Ok(parts.timeline.wait(parts.value)?),
            None => Ok(()),
        }
    }

    /// Copies all texels of an image from host memory. Waits only if the image had contents before; otherwise
    /// queues wait for the upload ([`Uploader::since`]).
    pub(super) fn upload_image(
        &self,
        device: &Arc<vk::Device>,
        image: &Image,
        storage: &vk::Image,
        host: HostPtr,
        layout: &Layout,
    ) -> Result<(), vk::AllocError> {
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device, self.lane)?;
        let done = parts_of(image, layout).try_for_each(|(texels, region, there)| {
            let slot = p.slot(device, region.iter().product())?;
            host.copy_rect_to(&there, slot.memory(), &dense(region), region);
            let (recorder, staging) = slot.staged();
            recorder.prepare_image(storage);
            recorder.copy_to_image(staging, storage, &packed(texels));
            p.submit(device, false)
        });
        self.publish(p);
        if done.is_err() {
            // The image is not destroyed before the chunks that were submitted are complete.
            storage.filled_at(&p.timeline, p.value);
            return done;
        }
        if !storage.filled_at(&p.timeline, p.value) {
            p.timeline.wait(p.value)?;
        }
        Ok(())
    }

    /// Copies all texels of an image to host memory, and waits.
    pub(super) fn download_image(
        &self,
        device: &Arc<vk::Device>,
        image: &Image,
        storage: &vk::Image,
        host: HostPtr,
        layout: &Layout,
    ) -> Result<(), vk::AllocError> {
        if let Some((timeline, value)) = storage.pending() {
            timeline.wait(value)?;
        }
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device, self.lane)?;
        for (texels, region, there) in parts_of(image, layout) {
            let slot = p.slot(device, region.iter().product())?;
            let (recorder, staging) = slot.staged();
            recorder.prepare_image(storage);
            recorder.barrier();
            recorder.copy_from_image(storage, staging, &packed(texels));
            p.finish(device)?
                .copy_rect_to(&dense(region), host, &there, region);
        }
        Ok(())
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        if let Err(e) = self.timeline.wait(self.value) {
            log::debug!("uploads: {e}");
            // A lost device may still execute the commands, so what they use is leaked.
            std::mem::forget(std::mem::take(&mut self.slots));
        }
    }
}

impl Slot {
    /// Returns the recorder and the staging memory of a slot that has some.
    fn staged(&mut self) -> (&mut vk::Recorder, &vk::Buffer) {
        let staging = self
            .staging
            .as_ref()
            .expect("a slot for some bytes has staging memory");
        (&mut self.recorder, staging)
    }

    /// Returns the address of the slot's staging memory.
    fn memory(&self) -> HostPtr {
        let staging = self.staging.as_ref().and_then(|s| s.mapped());
        staging.expect("host memory is mapped")
    }
}

impl Parts {
    fn get<'a>(
        parts: &'a mut Option<Parts>,
        device: &Arc<vk::Device>,
        lane: Lane,
    ) -> Result<&'a mut Parts, vk::AllocError> {
        if parts.is_none() {
            *parts = Some(Parts {
                lane,
                timeline: Arc::new(vk::Timeline::new(device)?),
                value: 0,
                slots: Vec::new(),
                current: 0,
            });
        }
        Ok(parts.as_mut().expect("just made"))
    }

    /// Copies between a buffer and host memory by way of the staging memory, and waits.
    fn copy(
        &mut self,
        device: &Arc<vk::Device>,
        (buffer, at): (&vk::Buffer, u64),
        host: HostPtr,
        size: u64,
        download: bool,
    ) -> Result<(), vk::AllocError> {
        for done in (0..size).step_by(CHUNK as usize) {
            let n = CHUNK.min(size - done);
            let slot = self.slot(device, n)?;
            if download {
                // The writes of queues, which their semaphores or fences made available, become visible to the
                // copy here.
                let (recorder, staging) = slot.staged();
                recorder.barrier();
                recorder.copy(buffer, staging, region(at + done, 0, n));
                self.finish(device)?.copy_to(host.offset(done), n);
            } else {
                host.offset(done).copy_to(slot.memory(), n);
                let (recorder, staging) = slot.staged();
                recorder.copy(staging, buffer, region(0, at + done, n));
                // If the buffer has a BAR mapping, the host may read the contents through it.
                self.submit(device, buffer.bar_mapping().is_some())?;
            }
        }
        self.timeline.wait(self.value)?;
        Ok(())
    }

    /// Returns a slot that the GPU does not use; if all [`SLOTS`] are in use, waits for the oldest. A new
    /// recording is begun in it. It has staging memory of `size` bytes at least, if that is not 0.
    fn slot(&mut self, device: &Arc<vk::Device>, size: u64) -> Result<&mut Slot, vk::AllocError> {
        let oldest = (0..self.slots.len()).min_by_key(|i| self.slots[*i].value);
        self.current = match oldest {
            Some(i) if self.slots.len() == SLOTS || self.timeline.reached(self.slots[i].value)? => i,
            Some(_) | None => {
                self.slots.push(Slot {
                    recorder: vk::Recorder::new(device, self.lane.queue(device))?,
                    staging: None,
                    value: 0,
                });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[self.current];
        self.timeline.wait(slot.value)?;
        if slot.staging.as_ref().map_or(0, vk::Buffer::size) < size {
            slot.staging = Some(vk::Buffer::new(device, size.max(CHUNK), vk::Place::Host)?);
        }
        slot.recorder.begin()?;
        Ok(slot)
    }

    /// Submits the commands recorded in the current slot; with `to_host`, their writes become visible to the
    /// host.
    fn submit(&mut self, device: &Arc<vk::Device>, to_host: bool) -> Result<(), vk::AllocError> {
        let slot = &mut self.slots[self.current];
        slot.recorder.end(to_host.then_some(vk::Writers::All))?;
        let value = self.value + 1;
        let shared = vk::SharedSemaphores::default();
        self.lane
            .queue(device)
            .submit(device, &slot.recorder, &[], (&self.timeline, value), &shared)?;
        self.value = value;
        slot.value = value;
        Ok(())
    }

    /// Submits the commands recorded in the current slot and waits; returns the slot's memory.
    fn finish(&mut self, device: &Arc<vk::Device>) -> Result<HostPtr, vk::AllocError> {
        self.submit(device, true)?;
        self.timeline.wait(self.value)?;
        Ok(self.slots[self.current].memory())
    }
}
