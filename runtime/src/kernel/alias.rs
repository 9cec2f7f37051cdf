//! 2D images from buffers (cl_khr_image2d_from_buffer) as arguments: kernels see a copy of the texels in an image.
//!
//! Vulkan has images in the memory of buffers, but with pitches of the driver's choice; `docs/adr/0004-images.md`. So the
//! texels go from the buffer to the image before each launch, and back after it if the kernel may write. The launch has
//! declared that it reads or writes the buffer, and writes the image.

use std::sync::Arc;

use super::launch::ArgValue;
use crate::error::{ClCode, Error, Result};
use crate::mem::{Buffer, Image};
use crate::queue::Recording;
use crate::vk;

/// An argument of the kind, once for each image.
struct Alias<'a> {
    image: &'a vk::Image,
    buffer: &'a Arc<Buffer>,
    copy: vk::ImageCopy,
}

fn aliases<'a>(args: &'a [ArgValue], device: usize, written: bool) -> Result<Vec<Alias<'a>>> {
    let mut seen: Vec<&Arc<Image>> = Vec::new();
    let mut list = Vec::new();
    for arg in args {
        let ArgValue::Image { image, write } = arg else {
            continue;
        };
        let Some((buffer, copy)) = image.alias() else {
            continue;
        };
        if (written && !write) || seen.iter().any(|other| Arc::ptr_eq(other, image)) {
            continue;
        }
        seen.push(image);
        let missing = || Error::new(ClCode::InvalidMemObject, "an image without storage");
        list.push(Alias {
            image: image.storage(device)?.ok_or_else(missing)?,
            buffer,
            copy,
        });
    }
    Ok(list)
}

/// Before the launch: the buffers' texels go to the images.
pub(super) fn bring(args: &[ArgValue], r: &mut Recording<'_>) -> Result<()> {
    for alias in aliases(args, r.device, false)? {
        let buffer = alias.buffer.storage(r.device)?;
        r.recorder().copy_to_image(buffer, alias.image, &alias.copy);
    }
    r.recorder().barrier();
    Ok(())
}

/// After it: what the kernel may have written goes to the buffers.
pub(super) fn take_back(args: &[ArgValue], r: &mut Recording<'_>) -> Result<()> {
    let written = aliases(args, r.device, true)?;
    if written.is_empty() {
        return Ok(());
    }
    r.recorder().barrier();
    for alias in written {
        let buffer = alias.buffer.storage(r.device)?;
        r.recorder().copy_from_image(alias.image, buffer, &alias.copy);
    }
    Ok(())
}
