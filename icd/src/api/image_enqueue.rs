//! CL 5.3.3 to 5.3.6: commands on images.

use std::ffi::c_void;

use caldera_runtime::command::request::{ImageRegion, TexelBufferCopy, TexelCopy, TexelTransfer};
use caldera_runtime::error::{ClCode, Error, Result};
use caldera_runtime::mem::Buffer;
use caldera_runtime::mem::image::{ChannelOrder, Image};
use caldera_runtime::queue::CommandQueue;

use super::enqueue::{EventArgs, map_flags as checked_map_flags, memory};
use crate::abi::*;
use crate::args::{self, Array};
use crate::{entry, handle};

pub(super) fn origin(values: Array<usize>) -> Result<[usize; 3]> {
    args::triple(values, "an origin is NULL")
}

pub(super) fn region(values: Array<usize>) -> Result<[usize; 3]> {
    args::triple(values, "region is NULL")
}

entry! {
    /// CL 5.3.3 — clEnqueueReadImage
    fn clEnqueueReadImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_read: cl_bool,
        origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        row_pitch: size_t,
        slice_pitch: size_t,
        ptr: *mut c_void [host memory],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let image = handle::borrow::<Image>(image)?;
        let events = EventArgs::new(&queue, &[image.context()], event_wait_list, event)?;
        let (origin, region) = (self::origin(origin)?, self::region(region)?);
        let host = memory(ptr)?;
        let region = ImageRegion::new(&image, origin, region)?;
        let read = TexelTransfer::new(region, host, row_pitch, slice_pitch)?;
        events.finish(queue.enqueue_read_image(read, blocking_read != 0, events.waits()?))
    }
}

entry! {
    /// CL 5.3.3 — clEnqueueWriteImage
    fn clEnqueueWriteImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_write: cl_bool,
        origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        input_row_pitch: size_t,
        input_slice_pitch: size_t,
        ptr: *const c_void [host memory],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let image = handle::borrow::<Image>(image)?;
        let events = EventArgs::new(&queue, &[image.context()], event_wait_list, event)?;
        let (origin, region) = (self::origin(origin)?, self::region(region)?);
        let host = memory(ptr)?;
        let region = ImageRegion::new(&image, origin, region)?;
        let write = TexelTransfer::new(region, host, input_row_pitch, input_slice_pitch)?;
        events.finish(queue.enqueue_write_image(write, blocking_write != 0, events.waits()?))
    }
}

/// Reads the colour of a fill. CL 5.3.4: INVALID_VALUE if fill_color is NULL. The colour has four numbers; that of a depth
/// image has one, and no more than this one is read.
pub(super) fn color(fill_color: Array<c_void>, image: &Image) -> Result<[u32; 4]> {
    let first = fill_color
        .value::<u32>()
        .ok_or_else(|| Error::new(ClCode::InvalidValue, "fill_color is NULL").at("5.3.4"))?;
    let one = [first, 0, 0, 0];
    Ok(match image.format().order() {
        ChannelOrder::Depth => one,
        _ => fill_color.value().unwrap_or(one),
    })
}

entry! {
    /// CL 5.3.4 — clEnqueueFillImage
    fn clEnqueueFillImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        fill_color: *const c_void [16_usize],
        origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let image = handle::borrow::<Image>(image)?;
        let events = EventArgs::new(&queue, &[image.context()], event_wait_list, event)?;
        let color = color(fill_color, &image)?;
        let (origin, region) = (self::origin(origin)?, self::region(region)?);
        let region = ImageRegion::new(&image, origin, region)?;
        let waits = events.waits()?;
        events.finish(queue.enqueue_prepared(queue.prepare_fill_image(&region, color)?, waits))
    }
}

entry! {
    /// CL 5.3.3 — clEnqueueCopyImage
    fn clEnqueueCopyImage(
        command_queue: cl_command_queue,
        src_image: cl_mem,
        dst_image: cl_mem,
        src_origin: *const size_t [3_usize],
        dst_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let src = handle::borrow::<Image>(src_image)?;
        let dst = handle::borrow::<Image>(dst_image)?;
        let events = EventArgs::new(&queue, &[src.context(), dst.context()], event_wait_list, event)?;
        let (from, to) = (origin(src_origin)?, origin(dst_origin)?);
        let region = self::region(region)?;
        let copy = TexelCopy::new(&src, &dst, from, to, region)?;
        let waits = events.waits()?;
        events.finish(queue.enqueue_prepared(queue.prepare_copy_image(copy)?, waits))
    }
}

entry! {
    /// CL 5.3.5 — clEnqueueCopyImageToBuffer
    fn clEnqueueCopyImageToBuffer(
        command_queue: cl_command_queue,
        src_image: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        dst_offset: size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let image = handle::borrow::<Image>(src_image)?;
        let buffer = handle::borrow::<Buffer>(dst_buffer)?;
        let events = EventArgs::new(&queue, &[image.context(), buffer.context()], event_wait_list, event)?;
        let (from, region) = (origin(src_origin)?, self::region(region)?);
        let copy = TexelBufferCopy::new(ImageRegion::new(&image, from, region)?, &buffer, dst_offset)?;
        let waits = events.waits()?;
        events.finish(queue.enqueue_prepared(queue.prepare_copy_image_to_buffer(copy)?, waits))
    }
}

entry! {
    /// CL 5.3.5 — clEnqueueCopyBufferToImage
    fn clEnqueueCopyBufferToImage(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_image: cl_mem,
        src_offset: size_t,
        dst_origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event,
    ) {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let buffer = handle::borrow::<Buffer>(src_buffer)?;
        let image = handle::borrow::<Image>(dst_image)?;
        let events = EventArgs::new(&queue, &[buffer.context(), image.context()], event_wait_list, event)?;
        let (to, region) = (origin(dst_origin)?, self::region(region)?);
        let copy = TexelBufferCopy::new(ImageRegion::new(&image, to, region)?, &buffer, src_offset)?;
        let waits = events.waits()?;
        events.finish(queue.enqueue_prepared(queue.prepare_copy_buffer_to_image(copy)?, waits))
    }
}

entry! {
    /// CL 5.3.6 — clEnqueueMapImage
    fn clEnqueueMapImage(
        command_queue: cl_command_queue,
        image: cl_mem,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        origin: *const size_t [3_usize],
        region: *const size_t [3_usize],
        image_row_pitch: *mut size_t,
        image_slice_pitch: *mut size_t,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event [num_events_in_wait_list],
        event: *mut cl_event;
        errcode_ret
    ) -> *mut c_void {
        let queue = handle::borrow::<CommandQueue>(command_queue)?;
        let image = handle::borrow::<Image>(image)?;
        let events = EventArgs::new(&queue, &[image.context()], event_wait_list, event)?;
        let flags = checked_map_flags(map_flags)?;
        let (origin, region) = (self::origin(origin)?, self::region(region)?);
        // CL 5.3.6: INVALID_VALUE if image_row_pitch is NULL; if the image has slices and image_slice_pitch is NULL
        if image_row_pitch.is_null() || (image.image_type().has_slices() && image_slice_pitch.is_null()) {
            return Err(Error::new(ClCode::InvalidValue, "a pitch is NULL").at("5.3.6"));
        }
        let region = ImageRegion::new(&image, origin, region)?;
        let mapped = queue.enqueue_map_image(&region, blocking_map != 0, flags, events.waits()?)?;
        events.give(mapped.event);
        image_row_pitch.write(mapped.row_pitch as usize);
        // CL 5.3.6: 0 for images without slices
        image_slice_pitch.write(mapped.slice_pitch as usize);
        Ok(mapped.ptr.as_ptr().cast())
    }
}
