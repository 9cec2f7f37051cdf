//! The calls for images. Every texel of these images is one `uint`.
#![allow(unsafe_code, reason = "OpenCL is a C interface, loaded at run time")]

use super::cl::{Cl, List, Out, call, done, enqueued, expect};
use super::handle::{Handle, Kind, Mapped, Memory};
use crate::Failure;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;

/// A box of texels.
#[derive(Copy, Clone, Debug)]
pub(super) struct Place {
    pub(super) origin: [usize; 3],
    pub(super) region: [usize; 3],
}

impl Place {
    /// Returns the box that covers a whole image.
    pub(super) fn all(size: [usize; 3]) -> Place {
        Place {
            origin: [0; 3],
            region: size,
        }
    }

    /// Returns the size of the box in bytes.
    pub(super) fn bytes(&self) -> usize {
        4 * self.region.iter().product::<usize>()
    }

    /// Returns the byte offset of each of the box's rows in an image of size `size` without gaps.
    pub(super) fn rows(self, size: [usize; 3]) -> impl Iterator<Item = usize> {
        let Place { origin, region } = self;
        (0..region[2]).flat_map(move |z| {
            (0..region[1])
                .map(move |y| 4 * (((origin[2] + z) * size[1] + origin[1] + y) * size[0] + origin[0]))
        })
    }
}

impl Cl {
    /// Creates an image of uints: a 3D image if its depth is greater than 1, otherwise a 2D image.
    pub(super) fn image(
        &'static self,
        context: &Handle,
        flags: u64,
        size: [usize; 3],
        host: *mut c_void,
    ) -> Result<Handle, Failure> {
        let format = cl_image_format {
            image_channel_order: CL_R,
            image_channel_data_type: CL_UNSIGNED_INT32,
        };
        let desc = cl_image_desc {
            image_type: if size[2] > 1 {
                CL_MEM_OBJECT_IMAGE3D
            } else {
                CL_MEM_OBJECT_IMAGE2D
            },
            image_width: size[0],
            image_height: size[1],
            image_depth: size[2],
            image_array_size: 1,
            image_row_pitch: 0,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            buffer: null_mut(),
        };
        let mut code = 0;
        let raw = call!(
            self,
            clCreateImage(context.raw(), flags, &format, &desc, host, &mut code)
        );
        expect(code, CL_SUCCESS, "clCreateImage")?;
        Ok(Handle::new(self, raw, Kind::Mem))
    }

    /// Enqueues a transfer between an image and `memory`, which has the box's texels without gaps and must
    /// live until the command is complete.
    pub(super) fn image_transfer(
        &'static self,
        queue: &Handle,
        (image, place): (&Handle, Place),
        write: bool,
        memory: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, i, p) = (queue.raw(), image.raw(), memory.ptr());
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        if write {
            enqueued!(self, after, clEnqueueWriteImage(q, i, 0, o, r, 0, 0, p))
        } else {
            enqueued!(self, after, clEnqueueReadImage(q, i, 0, o, r, 0, 0, p))
        }
    }

    /// Enqueues a fill of a box of an image.
    pub(super) fn image_fill(
        &'static self,
        queue: &Handle,
        (image, place): (&Handle, Place),
        value: u32,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, i, color) = (queue.raw(), image.raw(), [value; 4]);
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        enqueued!(self, after, clEnqueueFillImage(q, i, color.as_ptr().cast(), o, r))
    }

    /// Enqueues a copy of a box from one image into another.
    pub(super) fn image_copy(
        &'static self,
        queue: &Handle,
        (from, place): (&Handle, Place),
        (to, at): (&Handle, [usize; 3]),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        let (q, f, t, a) = (queue.raw(), from.raw(), to.raw(), at.as_ptr());
        enqueued!(self, after, clEnqueueCopyImage(q, f, t, o, a, r))
    }

    /// Enqueues a copy of a box between an image and a buffer, in which the texels have no gaps.
    pub(super) fn image_buffer(
        &'static self,
        queue: &Handle,
        (image, place): (&Handle, Place),
        (buffer, offset): (&Handle, usize),
        to_image: bool,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        let (q, i, b) = (queue.raw(), image.raw(), buffer.raw());
        if to_image {
            enqueued!(self, after, clEnqueueCopyBufferToImage(q, b, i, offset, o, r))
        } else {
            enqueued!(self, after, clEnqueueCopyImageToBuffer(q, i, b, o, r, offset))
        }
    }

    /// Maps a box of an image. Returns its rows; the address of the first row is the address of the mapping.
    pub(super) fn image_map(
        &'static self,
        queue: &Handle,
        (image, place): (&Handle, Place),
        flags: u64,
        after: &[Handle],
    ) -> Result<(Vec<Mapped>, Handle), Failure> {
        let (list, mut out, mut code) = (List::of(after), Out::new(), 0);
        let (mut row, mut slice) = (0, 0);
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        let (q, i) = (queue.raw(), image.raw());
        let (n, l, e) = (list.count(), list.ptr(), out.ptr());
        let at = call!(
            self,
            clEnqueueMapImage(
                q,
                i,
                0,
                flags,
                o,
                r,
                &raw mut row,
                &raw mut slice,
                n,
                l,
                e,
                &mut code
            )
        );
        expect(code, CL_SUCCESS, "clEnqueueMapImage")?;
        let at: *mut u8 = at.cast();
        let rows = (0..place.region[2]).flat_map(|z| {
            (0..place.region[1])
                .map(move |y| Mapped::new(at.wrapping_add(z * slice + y * row), 4 * place.region[0]))
        });
        Ok((rows.collect(), self.event(out)))
    }
}
