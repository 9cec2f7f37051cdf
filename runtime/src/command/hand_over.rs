//! clEnqueueAcquireExternalMemObjectsKHR and clEnqueueReleaseExternalMemObjectsKHR.

use std::sync::Arc;

use super::buffer::access;
use super::image::image_access;
use crate::error::Result;
use crate::mem::MemObject;
use crate::mem::migrate::Touch;
use crate::mem::residence::Use;
use crate::queue::{Keep, Recording};
use crate::vk::External;

/// The transfer of the ownership of objects in memory of other APIs.
pub(crate) struct HandOver {
    /// The objects, which the device of the queue has imported.
    pub objects: Vec<MemObject>,
    /// Whether the ownership passes to OpenCL. Otherwise it passes back to the other API.
    pub acquire: bool,
}

impl HandOver {
    /// Returns how the command uses the contents. What OpenCL knew of them is void when an object is acquired.
    pub(super) fn touches(&self) -> Vec<Touch> {
        let how = if self.acquire { Use::Replace } else { Use::Read };
        self.objects.iter().map(|o| Touch::whole(o, how)).collect()
    }

    pub(super) fn record(&self, r: &mut Recording<'_>) -> Result<()> {
        for object in &self.objects {
            match object {
                MemObject::Buffer(buffer) => {
                    let storage = buffer.storage(r.device())?;
                    r.access(&[access(buffer, 0, buffer.size(), true)], false);
                    r.recorder().hand_over(&External::Buffer(storage), self.acquire);
                    r.writes(buffer);
                    r.keep(Keep::Buffer(Arc::clone(buffer)));
                }
                MemObject::Image(image) => {
                    r.access(&[image_access(image, true)], false);
                    r.use_image(image)?;
                    if let Some(storage) = image.storage(r.device())? {
                        r.recorder().hand_over(&External::Image(storage), self.acquire);
                    }
                }
            }
        }
        Ok(())
    }
}
