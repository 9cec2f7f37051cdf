//! What captures of launches need of a queue: that earlier commands are complete, and the contents of memory objects.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{CommandQueue, Waits};
use crate::command::CommandType;
use crate::command::buffer::HostTransfer;
use crate::command::image::ImageTransfer;
use crate::command::transfer::Object;
use crate::error::Result;
use crate::event::{Event, Phase};
use crate::mem::{HostPtr, MemObject};

impl CommandQueue {
    /// Waits until the commands enqueued so far and the events of `list` are complete. Commands that cannot be submitted yet, and
    /// events that nothing will complete, are waited for not longer than `limit`. Returns whether all are complete.
    pub(crate) fn settles_within(self: &Arc<Self>, list: &[Arc<Event>], limit: Duration) -> Result<bool> {
        let start = Instant::now();
        loop {
            self.flush()?;
            self.settle();
            for event in list {
                // The batch of another queue may not have been submitted yet.
                if matches!(event.phase(), Phase::Recorded | Phase::Submitted) {
                    event.wait();
                }
            }
            if self.is_idle() && list.iter().all(|e| e.phase() == Phase::Complete) {
                return Ok(true);
            }
            if start.elapsed() > limit {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Reads the contents of a buffer, or of all texels of an image without gaps, whatever accesses by the host its flags
    /// allow. The image is not one that was created from a buffer.
    pub(crate) fn contents(self: &Arc<Self>, object: MemObject, to: &mut [u8]) -> Result<()> {
        let host = HostPtr::of_slice_mut(to);
        let (kind, object) = match object {
            MemObject::Buffer(buffer) => {
                let transfer = HostTransfer::linear(&buffer, 0, buffer.size(), host);
                (CommandType::ReadBuffer, Object::Buffer(transfer))
            }
            MemObject::Image(image) => {
                let [width, height, _] = image.size().map(u64::from);
                let (row, slice) = image.dense(width, height);
                let transfer = ImageTransfer {
                    texels: image.all(),
                    host,
                    layout: image.layout([0; 3], row, slice),
                    pinned: None,
                    image,
                };
                (CommandType::ReadImage, Object::Image(transfer))
            }
        };
        self.transfer(kind, object, false, true, Waits::default())?;
        Ok(())
    }
}
