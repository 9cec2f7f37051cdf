//! Blocking copies between host memory and a Vulkan buffer outside of any queue: initial contents of buffers and
//! constant data of programs, and contents that move between devices.
//!
//! The uploader's lock is the one lock that is held over a wait for the GPU: nothing else is taken under it, and
//! what it waits for depends on nothing.

use std::sync::Arc;

use crate::lock::{Mutex, Rank};
use crate::mem::HostPtr;
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
        if parts.is_none() {
            *parts = Some(Parts {
                recorder: vk::Recorder::new(device, device.queue(0))?,
                timeline: vk::Timeline::new(device)?,
                staging: vk::Buffer::new(device, CHUNK, vk::Place::Host)?,
                value: 0,
            });
        }
        let p = parts.as_mut().expect("just made");
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
            p.recorder.end(download)?;
            device
                .queue(0)
                .submit(device, &p.recorder, &[], (&p.timeline, p.value + 1))?;
            p.value += 1;
            p.timeline.wait(p.value)?;
            if download {
                direct(staging, host.offset(done), n);
            }
            done += n;
        }
        Ok(())
    }
}
