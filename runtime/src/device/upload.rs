//! Blocking copies between host memory and a Vulkan buffer outside of any queue: initial contents of buffers and
//! constant data of programs.

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

    /// Copies `size` bytes to the start of `to`, and waits.
    pub(super) fn upload(
        &self,
        device: &Arc<vk::Device>,
        to: &vk::Buffer,
        from: HostPtr,
        size: u64,
    ) -> Result<(), vk::AllocError> {
        if let Some(mapped) = to.mapped() {
            from.copy_to(HostPtr::mapped(mapped), size);
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
            from.offset(done).copy_to(staging, n);
            p.recorder.begin()?;
            let region = vk::CopyRegion {
                src: 0,
                dst: done,
                size: n,
            };
            p.recorder.copy(&p.staging, to, [region]);
            p.recorder.end(false)?;
            device
                .queue(0)
                .submit(device, &p.recorder, &[], (&p.timeline, p.value + 1))?;
            p.value += 1;
            p.timeline.wait(p.value)?;
            done += n;
        }
        Ok(())
    }
}
