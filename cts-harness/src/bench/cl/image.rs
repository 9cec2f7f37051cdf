//! Square 2D images, and the commands that transfer their texels.
#![allow(unsafe_code, reason = "OpenCL is a C interface")]

use super::functions::Functions;
use super::objects::plane;
use super::{Context, Queue, check};
use crate::Failure;
use opencl_sys::{
    CL_FLOAT, CL_MAP_READ, CL_MAP_WRITE, CL_MEM_READ_WRITE, CL_RGBA, CL_TRUE, CL_UNORM_INT8, cl_image_format,
    cl_mem,
};
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};
use std::ptr::{null, null_mut};

/// The format of an image. All formats are RGBA.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pixels {
    Rgba8,
    Rgba32F,
}

impl Pixels {
    /// Returns the size of a texel in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Pixels::Rgba8 => 4,
            Pixels::Rgba32F => 16,
        }
    }
}

/// An image.
pub(crate) struct Image {
    functions: &'static Functions,
    raw: cl_mem,
    /// The number of texels along an edge.
    side: usize,
    pixels: Pixels,
}

impl Context {
    /// Creates an image that kernels can read and write.
    pub(crate) fn square_image(&self, side: usize, pixels: Pixels) -> Result<Image, Failure> {
        let functions = self.functions;
        let format = cl_image_format {
            image_channel_order: CL_RGBA,
            image_channel_data_type: match pixels {
                Pixels::Rgba8 => CL_UNORM_INT8,
                Pixels::Rgba32F => CL_FLOAT,
            },
        };
        let desc = plane(side, side);
        let (flags, mut code) = (CL_MEM_READ_WRITE, 0);
        // SAFETY: no host pointer is passed.
        let raw =
            unsafe { (functions.clCreateImage)(self.raw, flags, &format, &desc, null_mut(), &mut code) };
        check(code, "clCreateImage")?;
        Ok(Image {
            functions,
            raw,
            side,
            pixels,
        })
    }
}

impl Image {
    /// Returns the size of a row of texels in bytes.
    pub(crate) fn row(&self) -> usize {
        self.side * self.pixels.size()
    }

    /// Returns the size of all texels in bytes.
    fn size(&self) -> usize {
        self.side * self.row()
    }

    fn region(&self) -> [usize; 3] {
        [self.side, self.side, 1]
    }

    fn is(&self, bytes: usize) -> Result<(), Failure> {
        if bytes == self.size() {
            return Ok(());
        }
        Err(Failure(format!("{bytes} bytes for an image of {}", self.size())))
    }
}

const ORIGIN: [usize; 3] = [0; 3];

impl Queue {
    /// Writes all texels, and blocks until this is done.
    pub(crate) fn write_image(&self, to: &Image, from: &[u8]) -> Result<(), Failure> {
        to.is(from.len())?;
        let (write, region) = (self.functions.clEnqueueWriteImage, to.region());
        let from = from.as_ptr().cast::<c_void>();
        // SAFETY: the call is blocking. `from` has as many bytes as all texels, tightly packed. There is no
        // wait list.
        let code = unsafe {
            write(
                self.raw,
                to.raw,
                CL_TRUE,
                ORIGIN.as_ptr(),
                region.as_ptr(),
                0,
                0,
                from,
                0,
                null(),
                null_mut(),
            )
        };
        check(code, "clEnqueueWriteImage")
    }

    /// Reads all texels, and blocks until this is done.
    pub(crate) fn read_image(&self, from: &Image, to: &mut [u8]) -> Result<(), Failure> {
        from.is(to.len())?;
        let (read, region) = (self.functions.clEnqueueReadImage, from.region());
        let to = to.as_mut_ptr().cast::<c_void>();
        // SAFETY: the call is blocking. `to` has as many bytes as all texels, tightly packed. There is no
        // wait list.
        let code = unsafe {
            read(
                self.raw,
                from.raw,
                CL_TRUE,
                ORIGIN.as_ptr(),
                region.as_ptr(),
                0,
                0,
                to,
                0,
                null(),
                null_mut(),
            )
        };
        check(code, "clEnqueueReadImage")
    }

    /// Copies all texels to another image of the same size and format.
    pub(crate) fn copy_image(&self, from: &Image, to: &Image) -> Result<(), Failure> {
        to.is(from.size())?;
        let (copy, region) = (self.functions.clEnqueueCopyImage, from.region());
        let origin = ORIGIN.as_ptr();
        // SAFETY: both images contain the region. There is no wait list.
        let code = unsafe {
            copy(
                self.raw,
                from.raw,
                to.raw,
                origin,
                origin,
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        };
        check(code, "clEnqueueCopyImage")
    }

    /// Fills all texels with one colour.
    pub(crate) fn fill_image(&self, to: &Image, color: [f32; 4]) -> Result<(), Failure> {
        let (fill, region) = (self.functions.clEnqueueFillImage, to.region());
        let color = color.as_ptr().cast::<c_void>();
        // SAFETY: the colour has four floats, as the formats require. There is no wait list.
        let code = unsafe {
            fill(
                self.raw,
                to.raw,
                color,
                ORIGIN.as_ptr(),
                region.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        };
        check(code, "clEnqueueFillImage")
    }

    /// Maps all texels for reading and writing. They are unmapped when the result is dropped.
    pub(crate) fn map_image<'a>(&'a self, image: &'a Image) -> Result<MappedImage<'a>, Failure> {
        let (map, region) = (self.functions.clEnqueueMapImage, image.region());
        let (mut pitch, mut code) = (0, 0);
        // SAFETY: the call is blocking and maps all texels. There is no wait list. A 2D image has no slice
        // pitch.
        let at = unsafe {
            map(
                self.raw,
                image.raw,
                CL_TRUE,
                CL_MAP_READ | CL_MAP_WRITE,
                ORIGIN.as_ptr(),
                region.as_ptr(),
                &mut pitch,
                null_mut(),
                0,
                null(),
                null_mut(),
                &mut code,
            )
        };
        check(code, "clEnqueueMapImage")?;
        Ok(MappedImage {
            queue: self,
            image,
            at: at.cast(),
            pitch,
        })
    }
}

/// An image while it is mapped.
pub(crate) struct MappedImage<'a> {
    queue: &'a Queue,
    image: &'a Image,
    at: *mut u8,
    /// The distance between rows in bytes.
    pub(crate) pitch: usize,
}

impl MappedImage<'_> {
    fn len(&self) -> usize {
        (self.image.side - 1) * self.pitch + self.image.row()
    }
}

impl Deref for MappedImage<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping returned a pointer to all rows, and no command uses them until they are
        // unmapped.
        unsafe { std::slice::from_raw_parts(self.at, self.len()) }
    }
}

impl DerefMut for MappedImage<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`. The image is mapped for writing, and only once.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.len()) }
    }
}

impl Drop for MappedImage<'_> {
    fn drop(&mut self) {
        let unmap = self.queue.functions.clEnqueueUnmapMemObject;
        // SAFETY: the pointer is the result of mapping this image, and is not used afterwards.
        unsafe {
            unmap(
                self.queue.raw,
                self.image.raw,
                self.at.cast(),
                0,
                null(),
                null_mut(),
            )
        };
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: this type created the image and holds its only reference.
        unsafe { (self.functions.clReleaseMemObject)(self.raw) };
    }
}
