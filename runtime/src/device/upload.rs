//! Blocking copies between host memory and a Vulkan buffer outside of any queue: initial contents of buffers and
//! constant data of programs, and contents that move between devices. Images get their layout here as well.
//!
//! The uploader's lock is the one lock that is held over a wait for the GPU: nothing else is taken under it, and
//! what it waits for depends on nothing.

use std::sync::Arc;

use crate::command::image::rows;
use crate::command::rect::{Layout, dense};
use crate::lock::{Mutex, Rank};
use crate::mem::HostPtr;
use crate::mem::image::{Image, pieces};
use crate::vk;

/// Bytes of the staging buffer.
const CHUNK: u64 = 4 << 20;

/// A device's uploader; its Vulkan objects are made at first use.
pub(super) struct Uploader {
    parts: Mutex<Option<Parts>>,
}

struct Parts {
    recorder: vk::Recorder,
    timeline: vk::Timeline,
    staging: vk::Buffer,
    value: u64,
}

impl std::fmt::Debug for Uploader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Uploader")
    }
}

impl Uploader {
    pub(super) fn new() -> Uploader {
        Uploader {
            parts: Mutex::new(Rank::Upload, None),
        }
    }

    /// Copies `size` bytes from host memory to the start of a buffer, or back (`download`), and waits.
    pub(super) fn copy(
        &self,
        device: &Arc<vk::Device>,
        buffer: &vk::Buffer,
        host: HostPtr,
        size: u64,
        download: bool,
    ) -> Result<(), vk::AllocError> {
        let direct = |memory: HostPtr, host: HostPtr, n: u64| {
            if download {
                memory.copy_to(host, n);
            } else {
                host.copy_to(memory, n);
            }
        };
        if let Some(mapped) = buffer.mapped() {
            direct(HostPtr::mapped(mapped), host, size);
            return Ok(());
        }
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device)?;
        let staging = HostPtr::mapped(p.staging.mapped().expect("host memory is mapped"));
        let mut done = 0;
        while done < size {
            let n = CHUNK.min(size - done);
            if !download {
                direct(staging, host.offset(done), n);
            }
            p.recorder.begin()?;
            let region = |src, dst| [vk::CopyRegion { src, dst, size: n }];
            if download {
                p.recorder.copy(buffer, &p.staging, region(done, 0));
            } else {
                p.recorder.copy(&p.staging, buffer, region(0, done));
            }
            p.run(device, download)?;
            if download {
                direct(staging, host.offset(done), n);
            }
            done += n;
        }
        Ok(())
    }

    /// Gives a fresh image its layout, and waits.
    pub(super) fn prepare_image(
        &self,
        device: &Arc<vk::Device>,
        image: &vk::Image,
    ) -> Result<(), vk::AllocError> {
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device)?;
        p.recorder.begin()?;
        p.recorder.prepare_image(image);
        p.run(device, false)
    }

    /// Copies all texels of an image from host memory (`write`) or to it, and waits.
    pub(super) fn copy_image(
        &self,
        device: &Arc<vk::Device>,
        image: &Image,
        storage: &vk::Image,
        host: HostPtr,
        layout: &Layout,
        write: bool,
    ) -> Result<(), vk::AllocError> {
        let mut parts = self.parts.lock();
        let p = Parts::get(&mut parts, device)?;
        let staging = HostPtr::mapped(p.staging.mapped().expect("host memory is mapped"));
        let texel = image.format().size();
        for texels in pieces(image.all(), texel, CHUNK) {
            let region = rows(texel, &texels);
            let [_, y, z] = texels.origin.map(u64::from);
            let there = Layout {
                start: layout.row(y, z),
                ..*layout
            };
            let here = dense(region);
            if write {
                host.copy_rect_to(&there, staging, &here, region);
            }
            let copy = vk::ImageCopy {
                texels,
                offset: 0,
                row: 0,
                rows: 0,
            };
            p.recorder.begin()?;
            if write {
                p.recorder.copy_to_image(&p.staging, storage, &copy);
            } else {
                p.recorder.copy_from_image(storage, &p.staging, &copy);
            }
            p.run(device, !write)?;
            if !write {
                staging.copy_rect_to(&here, host, &there, region);
            }
        }
        Ok(())
    }
}

impl Parts {
    fn get<'a>(
        parts: &'a mut Option<Parts>,
        device: &Arc<vk::Device>,
    ) -> Result<&'a mut Parts, vk::AllocError> {
        if parts.is_none() {
            *parts = Some(Parts {
                recorder: vk::Recorder::new(device, device.queue(0))?,
                timeline: vk::Timeline::new(device)?,
                staging: vk::Buffer::new(device, CHUNK, vk::Place::Host)?,
                value: 0,
            });
        }
        Ok(parts.as_mut().expect("just made"))
    }

    /// Submits what has been recorded, and waits.
    fn run(&mut self, device: &Arc<vk::Device>, to_host: bool) -> Result<(), vk::AllocError> {
        self.recorder.end(to_host)?;
        device
            .queue(0)
            .submit(device, &self.recorder, &[], (&self.timeline, self.value + 1))?;
        self.value += 1;
        self.timeline.wait(self.value)?;
        Ok(())
    }
}
