//! 2D images from buffers (cl_khr_image2d_from_buffer) as arguments: kernels access a copy of the texels in an
//! image.
//!
//! Vulkan supports images in the memory of buffers, but with pitches that the driver chooses
//! (`docs/adr/0004-images.md`). So the texels are copied from the buffer to the image before each launch, and
//! back after it if the kernel may write. The launch has declared that it reads or writes the buffer and that
//! it writes the image.

use std::sync::Arc;

use super::launch::ArgValue;
use crate::error::{ClCode, Error, Result};
use crate::mem::{Buffer, Image};
use crate::queue::Recording;
use crate::vk;

/// An argument that is an image from a buffer; each image has one, however many arguments name it.
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

/// Copies the texels from the buffers to the images; recorded before the launch.
pub(super) fn bring(args: &[ArgValue], r: &mut Recording<'_>) -> Result<()> {
    for alias in aliases(args, r.device(), false)? {
        let buffer = alias.buffer.storage(r.device())?;
        r.recorder().copy_to_image(buffer, alias.image, &alias.copy);
    }
    r.recorder().barrier();
    Ok(())
}

/// Copies the images that the kernel may have written to their buffers; recorded after the launch.
pub(super) fn take_back(args: &[ArgValue], r: &mut Recording<'_>) -> Result<()> {
    let written = aliases(args, r.device(), true)?;
    if written.is_empty() {
        return Ok(());
    }
    r.recorder().barrier();
    for alias in written {
        let buffer = alias.buffer.storage(r.device())?;
        r.recorder().copy_from_image(alias.image, buffer, &alias.copy);
    }
    Ok(())
}
