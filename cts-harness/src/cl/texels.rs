//! Commands on images whose texels are one `uint` each.

use super::{Handle, Kind, Mapped, Memory, address, created, enqueued};
use crate::Failure;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::null_mut;

#[derive(Copy, Clone, Debug)]
pub(crate) struct Place {
    pub(crate) origin: [usize; 3],
    pub(crate) region: [usize; 3],
}

impl Place {
    /// Returns the box that covers a whole image.
    pub(crate) fn all(region: [usize; 3]) -> Place {
        let origin = [0; 3];
        Place { origin, region }
    }

    /// Returns the size of the box in bytes.
    pub(crate) fn bytes(&self) -> usize {
        4 * self.region.iter().product::<usize>()
    }

    /// Returns the byte offset of each of the box's rows in an image of size `size` without gaps.
    pub(crate) fn rows(self, size: [usize; 3]) -> impl Iterator<Item = usize> {
        let Place { origin: o, region } = self;
        let row = move |y, z| 4 * (((o[2] + z) * size[1] + o[1] + y) * size[0] + o[0]);
        (0..region[2]).flat_map(move |z| (0..region[1]).map(move |y| row(y, z)))
    }
}

impl Handle {
    /// Creates an image of uints in a context: a 3D image if its depth is greater than 1, otherwise a 2D image.
    pub(crate) fn image(&self, flags: u64, size: [usize; 3], host: *mut c_void) -> Result<Handle, Failure> {
        self.plain_image(flags, (CL_R, CL_UNSIGNED_INT32), size, host)
    }

    /// Enqueues a transfer between an image and `memory`, which has the box's texels without gaps and must
    /// live until the command is complete.
    pub(crate) fn image_transfer(
        &self,
        (image, place): (&Handle, Place),
        write: bool,
        memory: &Memory,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, i, p) = (self.raw(), image.raw(), memory.ptr());
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        match write {
            true => enqueued!(self.clEnqueueWriteImage(q, i, 0, o, r, 0, 0, p), after),
            false => enqueued!(self.clEnqueueReadImage(q, i, 0, o, r, 0, 0, p), after),
        }
    }

    /// Enqueues a fill of a box of an image.
    pub(crate) fn image_fill(
        &self,
        (image, place): (&Handle, Place),
        value: u32,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (q, i, color) = (self.raw(), image.raw(), [value; 4]);
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        enqueued!(self.clEnqueueFillImage(q, i, color.as_ptr().cast(), o, r), after)
    }

    /// Enqueues a copy of a box from one image into another.
    pub(crate) fn image_copy(
        &self,
        (from, place): (&Handle, Place),
        (to, at): (&Handle, [usize; 3]),
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        let (q, f, t, a) = (self.raw(), from.raw(), to.raw(), at.as_ptr());
        enqueued!(self.clEnqueueCopyImage(q, f, t, o, a, r), after)
    }

    /// Enqueues a copy of a box between an image and a buffer, in which the texels have no gaps.
    pub(crate) fn image_buffer_copy(
        &self,
        (image, place): (&Handle, Place),
        (buffer, offset): (&Handle, usize),
        to_image: bool,
        after: &[Handle],
    ) -> Result<Handle, Failure> {
        let (o, r) = (place.origin.as_ptr(), place.region.as_ptr());
        let (q, i, b) = (self.raw(), image.raw(), buffer.raw());
        match to_image {
            true => enqueued!(self.clEnqueueCopyBufferToImage(q, b, i, offset, o, r), after),
            false => enqueued!(self.clEnqueueCopyImageToBuffer(q, i, b, o, r, offset), after),
        }
    }

    /// Maps a box of an image. Returns its rows; the address of the first row is the address of the mapping.
    pub(crate) fn image_map(
        &self,
        (image, place): (&Handle, Place),
        flags: u64,
        after: &[Handle],
    ) -> Result<(Vec<Mapped>, Handle), Failure> {
        let list: Vec<cl_event> = after.iter().map(Handle::raw).collect();
        let (n, l, mut event) = (list.len() as cl_uint, address(&list), null_mut());
        let (mut row, mut slice) = (0, 0);
        let (row_to, slice_to, e) = (&raw mut row, &raw mut slice, &raw mut event);
        let (q, i, o, r) = (
            self.raw(),
            image.raw(),
            place.origin.as_ptr(),
            place.region.as_ptr(),
        );
        let at = created!(self.clEnqueueMapImage(q, i, 0, flags, o, r, row_to, slice_to, n, l, e))?;
        let at: *mut u8 = at.cast();
        let mapped = |y, z| Mapped::new(at.wrapping_add(z * slice + y * row), 4 * place.region[0]);
        let rows = (0..place.region[2]).flat_map(|z| (0..place.region[1]).map(move |y| (y, z)));
        let rows = rows.map(|(y, z)| mapped(y, z)).collect();
        Ok((rows, Handle::new(self.table, event, Kind::Event)))
    }
}
