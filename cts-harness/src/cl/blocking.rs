//! A context with one device, and in-order queues whose commands block or have no event. Nothing is allocated
//! and no event is created around a command, so that only the implementation's own time is measured.

use super::{Device, Handle, Kind, Sizes, context, created, done, plain};
use crate::Failure;
use opencl_sys::*;
use std::ops::{Deref, DerefMut};
use std::ptr::{null, null_mut};

pub(crate) struct Context {
    handle: Handle,
    device: cl_device_id,
}

/// A buffer, or an image that kernels only read.
pub(crate) struct Buffer {
    handle: Handle,
    /// The size in bytes.
    size: usize,
}

/// A square 2D image.
pub(crate) struct Image {
    handle: Handle,
    /// The number of texels along an edge.
    side: usize,
    pixels: Pixels,
}

/// The format of a square image. All formats are RGBA.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pixels {
    Rgba8,
    Rgba32F,
}

pub(crate) struct Queue(Handle);

/// The global and the local size of a launch. Without a local size, the implementation chooses it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) global: [usize; 2],
    pub(crate) local: Option<[usize; 2]>,
}

impl Range {
    pub(crate) const fn line(global: usize, local: usize) -> Range {
        Range::plane([global, 1], [local, 1])
    }

    pub(crate) const fn plane(global: [usize; 2], local: [usize; 2]) -> Range {
        let local = Some(local);
        Range { global, local }
    }
}

impl Pixels {
    pub(crate) fn size(self) -> usize {
        match self {
            Pixels::Rgba8 => 4,
            Pixels::Rgba32F => 16,
        }
    }
}

impl Deref for Buffer {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

impl Buffer {
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    fn has(&self, bytes: usize) -> Result<(), Failure> {
        match bytes <= self.size {
            true => Ok(()),
            false => fail!("{bytes} bytes of a buffer of {}", self.size),
        }
    }
}

impl Image {
    pub(crate) fn pixels(&self) -> Pixels {
        self.pixels
    }

    /// Returns the size of a row of texels in bytes.
    pub(crate) fn row(&self) -> usize {
        self.side * self.pixels.size()
    }

    fn region(&self) -> [usize; 3] {
        [self.side, self.side, 1]
    }

    fn is(&self, bytes: usize) -> Result<(), Failure> {
        match self.side * self.row() {
            size if size == bytes => Ok(()),
            size => fail!("{bytes} bytes for an image of {size}"),
        }
    }
}

impl Context {
    pub(crate) fn new(device: &Device) -> Result<Context, Failure> {
        Ok(Context {
            handle: context(std::slice::from_ref(device))?,
            device: device.raw,
        })
    }

    /// Creates a buffer that the implementation may place anywhere.
    pub(crate) fn buffer(&self, size: usize) -> Result<Buffer, Failure> {
        let handle = self.handle.buffer(CL_MEM_READ_WRITE, size, null_mut())?;
        Ok(Buffer { handle, size })
    }

    /// Creates a buffer in memory that the host can access (CL_MEM_ALLOC_HOST_PTR). On devices with their own
    /// memory, it is pinned.
    pub(crate) fn pinned(&self, size: usize) -> Result<Buffer, Failure> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        let handle = self.handle.buffer(flags, size, null_mut())?;
        Ok(Buffer { handle, size })
    }

    /// Creates a read-only image with one float per pixel.
    pub(crate) fn image(&self, width: usize, pixels: &[f32]) -> Result<Buffer, Failure> {
        let bytes: Vec<u8> = pixels.iter().flat_map(|p| p.to_ne_bytes()).collect();
        self.filled_image((CL_R, CL_FLOAT), [width, pixels.len() / width, 0], 4, &bytes)
    }

    /// Creates a read-only image with four 32-bit unsigned integers per texel. It is 2D if its depth is 0 or 1.
    pub(crate) fn integer_image(&self, size: [usize; 3], texels: &[u8]) -> Result<Buffer, Failure> {
        self.filled_image((CL_RGBA, CL_UNSIGNED_INT32), size, 16, texels)
    }

    fn filled_image(
        &self,
        format: (cl_uint, cl_uint),
        size: [usize; 3],
        texel: usize,
        texels: &[u8],
    ) -> Result<Buffer, Failure> {
        let bytes = size[0] * size[1] * size[2].max(1) * texel;
        if texels.len() != bytes {
            return fail!("{} bytes for an image of {bytes}", texels.len());
        }
        let flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
        let host = texels.as_ptr().cast_mut().cast();
        let handle = self.handle.plain_image(flags, format, size, host)?;
        Ok(Buffer { handle, size: bytes })
    }

    /// Creates an image that kernels can read and write.
    pub(crate) fn square_image(&self, side: usize, pixels: Pixels) -> Result<Image, Failure> {
        let format = match pixels {
            Pixels::Rgba8 => (CL_RGBA, CL_UNORM_INT8),
            Pixels::Rgba32F => (CL_RGBA, CL_FLOAT),
        };
        let handle = self
            .handle
            .plain_image(CL_MEM_READ_WRITE, format, [side, side, 0], null_mut())?;
        Ok(Image { handle, side, pixels })
    }

    /// Creates and builds a program. If the build fails, the error contains the build log.
    pub(crate) fn build(&self, source: &str, options: &str) -> Result<Handle, Failure> {
        self.handle.build(source, options)
    }

    /// Builds a program from a SPIR-V module.
    pub(crate) fn build_il(&self, module: &[u8], options: &str) -> Result<Handle, Failure> {
        let program = self.handle.program_of_il(module)?;
        program.build_with(options)?;
        Ok(program)
    }
}

const ORIGIN: [usize; 3] = [0; 3];

impl Queue {
    pub(crate) fn new(context: &Context, profiling: bool) -> Result<Queue, Failure> {
        let properties = if profiling { CL_QUEUE_PROFILING_ENABLE } else { 0 };
        let (handle, device) = (&context.handle, context.device);
        let raw = created!(handle.clCreateCommandQueue(handle.raw(), device, properties))?;
        Ok(Queue(Handle::new(handle.table, raw, Kind::Queue)))
    }

    pub(crate) fn flush(&self) -> Result<(), Failure> {
        self.0.flush()
    }

    pub(crate) fn finish(&self) -> Result<(), Failure> {
        self.0.finish()
    }

    pub(crate) fn launch(&self, kernel: &Handle, range: Range) -> Result<(), Failure> {
        self.enqueue(kernel, range, null_mut())
    }

    pub(crate) fn launch_with_event(&self, kernel: &Handle, range: Range) -> Result<Handle, Failure> {
        let mut raw = null_mut();
        self.enqueue(kernel, range, &mut raw)?;
        Ok(Handle::new(self.0.table, raw, Kind::Event))
    }

    fn enqueue(&self, kernel: &Handle, range: Range, event: *mut cl_event) -> Result<(), Failure> {
        let (q, queue, kernel) = (&self.0, self.0.raw(), kernel.raw());
        let (dimensions, global) = (if range.global[1] == 1 { 1 } else { 2 }, range.global.as_ptr());
        let local = range.local.as_ref().map_or(null(), |l| l.as_ptr());
        done!(q.clEnqueueNDRangeKernel(queue, kernel, dimensions, null(), global, local, 0, null(), event))
    }

    /// Launches a kernel with an offset and up to three dimensions.
    pub(crate) fn launch_at(&self, kernel: &Handle, sizes: &Sizes<'_>) -> Result<(), Failure> {
        self.0.launch_of(kernel, sizes).map(drop)
    }

    /// Writes the start of a buffer, and blocks until this is done.
    pub(crate) fn write(&self, to: &Buffer, from: &[u8]) -> Result<(), Failure> {
        to.has(from.len())?;
        let (q, raw, size, from) = (&self.0, to.raw(), from.len(), from.as_ptr().cast());
        plain!(q.clEnqueueWriteBuffer(q.raw(), raw, CL_TRUE, 0, size, from))
    }

    /// Reads the start of a buffer, and blocks until this is done.
    pub(crate) fn read(&self, from: &Buffer, to: &mut [u8]) -> Result<(), Failure> {
        from.has(to.len())?;
        let (q, raw, size, to) = (&self.0, from.raw(), to.len(), to.as_mut_ptr().cast());
        plain!(q.clEnqueueReadBuffer(q.raw(), raw, CL_TRUE, 0, size, to))
    }

    /// Copies the start of a buffer to the start of another.
    pub(crate) fn copy(&self, from: &Buffer, to: &Buffer, size: usize) -> Result<(), Failure> {
        from.has(size)?;
        to.has(size)?;
        let (q, from, to) = (&self.0, from.raw(), to.raw());
        plain!(q.clEnqueueCopyBuffer(q.raw(), from, to, 0, 0, size))
    }

    /// Fills a buffer with a word.
    pub(crate) fn fill(&self, to: &Buffer, word: u32) -> Result<(), Failure> {
        let (q, pattern) = (&self.0, (&raw const word).cast());
        plain!(q.clEnqueueFillBuffer(q.raw(), to.raw(), pattern, 4, 0, to.size))
    }

    /// Maps a whole buffer for reading and writing. It is unmapped when the result is dropped.
    pub(crate) fn map<'a>(&'a self, buffer: &'a Buffer) -> Result<Mapping<'a>, Failure> {
        let (q, mem, flags, size) = (&self.0, &buffer.handle, CL_MAP_READ | CL_MAP_WRITE, buffer.size);
        let (queue, raw, none) = (q.raw(), mem.raw(), null_mut());
        let at = created!(q.clEnqueueMapBuffer(queue, raw, CL_TRUE, flags, 0, size, 0, null(), none))?;
        Ok(Mapping::new(q, mem, at.cast(), size, size))
    }

    /// Writes all texels, and blocks until this is done.
    pub(crate) fn write_image(&self, to: &Image, from: &[u8]) -> Result<(), Failure> {
        to.is(from.len())?;
        let (q, o, region, from) = (&self.0, ORIGIN.as_ptr(), to.region(), from.as_ptr().cast());
        plain!(q.clEnqueueWriteImage(q.raw(), to.handle.raw(), CL_TRUE, o, region.as_ptr(), 0, 0, from))
    }

    /// Reads all texels, and blocks until this is done.
    pub(crate) fn read_image(&self, from: &Image, to: &mut [u8]) -> Result<(), Failure> {
        from.is(to.len())?;
        let (q, o, region, to) = (&self.0, ORIGIN.as_ptr(), from.region(), to.as_mut_ptr().cast());
        plain!(q.clEnqueueReadImage(q.raw(), from.handle.raw(), CL_TRUE, o, region.as_ptr(), 0, 0, to))
    }

    /// Copies all texels to another image of the same size and format.
    pub(crate) fn copy_image(&self, from: &Image, to: &Image) -> Result<(), Failure> {
        to.is(from.side * from.row())?;
        let (q, o, region) = (&self.0, ORIGIN.as_ptr(), from.region());
        plain!(q.clEnqueueCopyImage(q.raw(), from.handle.raw(), to.handle.raw(), o, o, region.as_ptr()))
    }

    /// Fills all texels with one colour.
    pub(crate) fn fill_image(&self, to: &Image, color: [f32; 4]) -> Result<(), Failure> {
        let (q, o, region, color) = (&self.0, ORIGIN.as_ptr(), to.region(), color.as_ptr().cast());
        plain!(q.clEnqueueFillImage(q.raw(), to.handle.raw(), color, o, region.as_ptr()))
    }

    /// Maps all texels for reading and writing. They are unmapped when the result is dropped.
    pub(crate) fn map_image<'a>(&'a self, image: &'a Image) -> Result<Mapping<'a>, Failure> {
        let (q, mem, flags) = (&self.0, &image.handle, CL_MAP_READ | CL_MAP_WRITE);
        let (o, region, mut pitch, none) = (ORIGIN.as_ptr(), image.region(), 0, null_mut());
        let (queue, raw, r, p) = (q.raw(), mem.raw(), region.as_ptr(), &raw mut pitch);
        // A 2D image has no slice pitch.
        let slice = null_mut();
        let at = created!(q.clEnqueueMapImage(queue, raw, CL_TRUE, flags, o, r, p, slice, 0, null(), none))?;
        Ok(Mapping::new(
            q,
            mem,
            at.cast(),
            (image.side - 1) * pitch + image.row(),
            pitch,
        ))
    }
}

/// The bytes of a memory object while they are mapped.
pub(crate) struct Mapping<'a> {
    queue: &'a Handle,
    memory: &'a Handle,
    at: *mut u8,
    size: usize,
    /// The distance between the rows of an image in bytes.
    pub(crate) pitch: usize,
}

impl<'a> Mapping<'a> {
    fn new(queue: &'a Handle, memory: &'a Handle, at: *mut u8, size: usize, pitch: usize) -> Mapping<'a> {
        Mapping {
            queue,
            memory,
            at,
            size,
            pitch,
        }
    }
}

impl Deref for Mapping<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the map command returned a pointer to this number of bytes, and no command uses them until
        // they are unmapped.
        unsafe { std::slice::from_raw_parts(self.at, self.size) }
    }
}

impl DerefMut for Mapping<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`. The object is mapped for writing, and only once.
        unsafe { std::slice::from_raw_parts_mut(self.at, self.size) }
    }
}

impl Drop for Mapping<'_> {
    fn drop(&mut self) {
        let (q, memory, at) = (self.queue, self.memory, self.at.cast());
        // A failure has no one to whom it could be reported.
        let _ = plain!(q.clEnqueueUnmapMemObject(q.raw(), memory.raw(), at));
    }
}
